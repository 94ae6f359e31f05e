//! Where routes live.

/// Main calls live below this path.
pub const BASE: &str = "/ebike/v3/backend";

/// Calls that live below [`BASE`] and also at the root.
const BOTH: [&str; 4] = ["/auth/", "/mieba/", "/Pay/", "/Business/"];

/// Calls that live at the root only.
const ROOT: [&str; 4] = ["/open/", "/healthz", "/readyz", "/metrics"];

/// The full paths at which a route declared as `path` is served; the first is the one the OpenAPI document names.
pub(crate) fn mounts(path: &str) -> Vec<String> {
    if path.starts_with(BASE) || ROOT.iter().any(|root| path.starts_with(root)) {
        vec![path.to_owned()]
    } else if BOTH.iter().any(|prefix| path.starts_with(prefix)) {
        vec![format!("{BASE}{path}"), path.to_owned()]
    } else {
        vec![format!("{BASE}{path}")]
    }
}

/// Whether calls of the financial host: their refusals have the shape `{success, data, msg}`.
pub(crate) fn is_financial(path: &str) -> bool {
    let path = path.strip_prefix(BASE).unwrap_or(path);
    path.starts_with("/Pay/") || path.starts_with("/Business/")
}

/// Whether a path tells of the process itself. It is answered even when every place is taken.
pub(crate) fn is_probe(path: &str) -> bool {
    ["/healthz", "/readyz", "/metrics"].contains(&path)
}

/// Whether a path belongs to the API, so that an unknown one is answered by JSON and never by the web application.
pub fn is_api_path(path: &str) -> bool {
    path.starts_with(BASE)
        || BOTH.iter().any(|prefix| path.starts_with(prefix))
        || ROOT.iter().any(|root| path.starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_path_has_its_mounts() {
        assert_eq!(mounts("/platform/x"), ["/ebike/v3/backend/platform/x"]);
        assert_eq!(mounts("/ebike/v3/backend/platform/x"), ["/ebike/v3/backend/platform/x"]);
        assert_eq!(mounts("/auth/logout"), ["/ebike/v3/backend/auth/logout", "/auth/logout"]);
        assert_eq!(mounts("/open/v1/me"), ["/open/v1/me"]);
        assert_eq!(mounts("/healthz"), ["/healthz"]);
    }

    #[test]
    fn the_financial_paths_are_known_at_both_mounts() {
        assert!(is_financial("/Pay/x") && is_financial("/ebike/v3/backend/Business/x"));
        assert!(!is_financial("/ebike/v3/backend/platform/Pay/x"));
    }
}
