//! Every route of the web's table leads somewhere, or says that it is still to come.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::shell::{in_web, read, web};

/// One route of `web/src/app/routes.json`.
#[derive(Debug, Deserialize)]
pub struct Route {
    /// Where it is.
    pub path: String,
    /// The page's module below `web/src`, or `coming`.
    pub page: Option<String>,
    /// Where it leads on to, if it only redirects.
    pub redirect: Option<String>,
}

/// The table, as `web/scripts/routes.mjs` prints it.
pub fn read_routes() -> Result<Vec<Route>> {
    let script = web().join("scripts/routes.mjs");
    ensure!(
        script.is_file(),
        "web/scripts/routes.mjs is missing: it prints the route table as JSON for tidy"
    );
    let text = read(in_web("node").arg(&script))?;
    serde_json::from_str(&text).context("what web/scripts/routes.mjs prints")
}

/// Routes that lead nowhere.
pub fn broken(routes: &[Route], exists: impl Fn(&str) -> bool) -> Vec<String> {
    routes
        .iter()
        .filter_map(|route| match (route.page.as_deref(), route.redirect.as_deref()) {
            (Some("coming"), _) | (None, Some(_)) => None,
            (None, None) => Some(format!("route {}: neither a page nor a redirect", route.path)),
            (Some(page), _) => {
                (!exists(page)).then(|| format!("route {}: no web/src/{page}.tsx", route.path))
            }
        })
        .collect()
}

/// The paths of routes still to come.
pub fn coming(routes: &[Route]) -> Vec<&str> {
    routes
        .iter()
        .filter(|route| route.page.as_deref() == Some("coming"))
        .map(|route| route.path.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_has_a_page_that_exists_or_a_redirect_or_is_to_come() {
        let routes: Vec<Route> = serde_json::from_str(
            r#"[{"path": "/a", "page": "app/A", "redirect": null}, {"path": "/b", "page": "app/B"},
                {"path": "/c", "page": "coming"}, {"path": "/d", "redirect": "/a"}, {"path": "/e", "page": null}]"#,
        )
        .expect("well formed");
        let lines = broken(&routes, |page| page == "app/A");
        assert_eq!(lines, ["route /b: no web/src/app/B.tsx", "route /e: neither a page nor a redirect"]);
        assert_eq!(coming(&routes), ["/c"]);
    }
}
