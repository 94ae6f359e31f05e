//! The built web application, served beside the API.

use std::convert::Infallible;
use std::path::Path;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use tower::{ServiceExt, service_fn};
use tower_http::services::{ServeDir, ServeFile};
use wire::Refused;

/// The build's own files.
const ASSETS: &str = "/assets/";
/// Letters of the hash in their names.
const HASH_LETTERS: usize = 8;

/// Files of `dir`; all else is its `index.html`, since the application routes by hash. What is named like a file and is
/// none is not found: a page in its place would be kept as that file.
pub fn site(dir: &Path) -> Router {
    let index = ServeFile::new(dir.join("index.html"));
    let missing = service_fn(move |request: Request| {
        let index = index.clone();
        async move {
            if is_named_as_file(request.uri().path()) {
                return Ok::<Response, Infallible>(Refused::UnknownPath.into_response());
            }
            index.oneshot(request).await.map(IntoResponse::into_response)
        }
    });
    let files = ServeDir::new(dir).precompressed_br().precompressed_gzip().fallback(missing);
    Router::new().fallback_service(files).layer(from_fn(caching))
}

fn is_named_as_file(path: &str) -> bool {
    path.starts_with(ASSETS) || path.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// Whether the name carries a hash of the content, as in `index-B4tK_x-9.js`.
fn is_hashed(path: &str) -> bool {
    let Some(name) = path.strip_prefix(ASSETS) else { return false };
    let Some((stem, _)) = name.rsplit_once('.') else { return false };
    let Some(dash) = stem.len().checked_sub(HASH_LETTERS + 1) else { return false };
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    stem.as_bytes()[dash] == b'-' && stem.as_bytes()[dash..].iter().all(allowed)
}

/// A file whose name changes with its content may be kept for ever; the rest is asked for each time, and what is not
/// there is not kept at all.
async fn caching(request: Request, next: Next) -> Response {
    let hashed = is_hashed(request.uri().path());
    let mut response = next.run(request).await;
    let status = response.status();
    let value = if !status.is_success() && status != StatusCode::NOT_MODIFIED {
        "no-store"
    } else if hashed {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    response
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};

    use super::*;

    /// The encoding and the body of `a.js` in `dir`.
    async fn fetched(dir: &Path, accepted: Option<&str>) -> (Option<String>, Vec<u8>) {
        let mut request = Request::get("/assets/a.js");
        if let Some(accepted) = accepted {
            request = request.header(header::ACCEPT_ENCODING, accepted);
        }
        let response = site(dir).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/javascript");
        let encoding =
            response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
        (encoding, to_bytes(response.into_body(), 100).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn a_browser_gets_the_smallest_form_that_it_takes() {
        let dir = std::env::temp_dir().join(format!("wheelhouse-site-{}", std::process::id()));
        let assets = dir.join("assets");
        std::fs::create_dir_all(&assets).unwrap();
        for (name, body) in [("a.js", "plain"), ("a.js.gz", "gzip"), ("a.js.br", "brotli")] {
            std::fs::write(assets.join(name), body).unwrap();
        }
        for (accepted, encoding, body) in [
            (Some("gzip, deflate, br, zstd"), Some("br"), "brotli"),
            (Some("gzip, deflate"), Some("gzip"), "gzip"),
            (Some("br;q=0, gzip"), Some("gzip"), "gzip"),
            (None, None, "plain"),
        ] {
            let got = fetched(&dir, accepted).await;
            assert_eq!(got, (encoding.map(str::to_owned), body.as_bytes().to_vec()), "{accepted:?}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn only_names_of_the_build_that_carry_a_hash_last() {
        for hashed in ["/assets/index-B4tK_x-9.js", "/assets/a-b-CzQRSTUV.css", "/assets/-AAAAAAAA.js"] {
            assert!(is_hashed(hashed), "{hashed}");
        }
        for plain in
            ["/index-B4tKax-9.js", "/assets/index.js", "/assets/index-B4tK.js", "/assets/-B4tKax-9", "/"]
        {
            assert!(!is_hashed(plain), "{plain}");
        }
    }

    #[test]
    fn a_name_with_an_ending_is_a_files() {
        assert!(["/a.js", "/assets/x", "/a/b.c"].into_iter().all(is_named_as_file));
        assert!(["/", "/map", "/a.b/c"].into_iter().all(|path| !is_named_as_file(path)));
    }
}
