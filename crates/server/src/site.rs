//! The built web application, served beside the API.

use std::path::Path;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use tower_http::services::{ServeDir, ServeFile};

/// Files of `dir`; all else is its `index.html`, since the application routes by hash.
pub fn site(dir: &Path) -> Router {
    let index = ServeFile::new(dir.join("index.html"));
    let files = ServeDir::new(dir).precompressed_gzip().fallback(index);
    Router::new().fallback_service(files).layer(from_fn(caching))
}

/// Names under `assets/` carry a hash of their content and may be kept for ever; the rest is asked for each time.
async fn caching(request: Request, next: Next) -> Response {
    let lasting = request.uri().path().starts_with("/assets/");
    let mut response = next.run(request).await;
    let value = if lasting && response.status().is_success() {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    response
}
