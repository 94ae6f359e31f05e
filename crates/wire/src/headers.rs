//! Headers that every answer carries, and who may call from other origins.

use std::time::Duration;

use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::export::{CAPPED, ROWS};
use crate::{IDEMPOTENCY_KEY, POSITION, SEEN, TRACE_ID, WireConfig};

/// What the pages never ask a browser for. The clipboard and full screen are theirs to use.
const NOT_ALLOWED: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), \
     hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// A browser that came over https comes over https only, for a year.
const HTTPS_ONLY: &str = "max-age=31536000";

/// Fixed headers, made once.
#[derive(Clone, Debug)]
pub(crate) struct SecurityHeaders {
    policy: HeaderValue,
}

impl SecurityHeaders {
    /// Fails when a configured source is no header text.
    pub fn new(config: &WireConfig) -> Result<Self, axum::http::header::InvalidHeaderValue> {
        let images = config.image_sources.join(" ");
        let hosts: Vec<String> =
            config.cors_origins.iter().flat_map(|host| [host.to_string(), host.sockets()]).collect();
        let hosts = hosts.join(" ");
        let chat = config.chat_origins.iter().map(|from| from.origin().to_string());
        let chat = chat.collect::<Vec<_>>().join(" ");
        let chat_sockets = config.chat_origins.iter().map(|from| from.origin().sockets());
        let chat_sockets = chat_sockets.collect::<Vec<_>>().join(" ");
        // antd writes its styles at run time. 'self' covers the sockets of the page's own host.
        let policy = format!(
            "default-src 'self'; script-src 'self' {chat}; style-src 'self' 'unsafe-inline' {chat}; \
             img-src 'self' data: blob: {images} {chat}; font-src 'self' data:; \
             connect-src 'self' {hosts} {chat} {chat_sockets}; frame-src 'self' {chat}; worker-src 'self' blob:; \
             object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
        );
        let policy = policy.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ;", ";");
        Ok(Self { policy: HeaderValue::from_str(&policy)? })
    }

    /// Sets them, for a client that came over https or not.
    pub fn write(&self, headers: &mut HeaderMap, https: bool) {
        if https {
            headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ONLY));
        }
        headers.insert(HeaderName::from_static("permissions-policy"), HeaderValue::from_static(NOT_ALLOWED));
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        let isolated = HeaderName::from_static("cross-origin-opener-policy");
        headers.insert(isolated, HeaderValue::from_static("same-origin"));
        let is_json =
            headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        if is_json && !headers.contains_key(header::CACHE_CONTROL) {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
    }
}

/// Lets the configured origins call, nobody else.
pub(crate) fn cors(config: &WireConfig) -> Result<CorsLayer, axum::http::header::InvalidHeaderValue> {
    let origins: Result<Vec<HeaderValue>, _> =
        config.cors_origins.iter().map(|origin| HeaderValue::from_str(&origin.to_string())).collect();
    Ok(CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins?))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            HeaderName::from_static("_t"),
            HeaderName::from_static("phone"),
            HeaderName::from_static("agentid"),
            TRACE_ID,
            HeaderName::from_static("x-app-id"),
            header::CONTENT_TYPE,
            IDEMPOTENCY_KEY,
            SEEN,
        ])
        .expose_headers([POSITION, TRACE_ID, header::DATE, header::CONTENT_DISPOSITION, ROWS, CAPPED])
        .max_age(Duration::from_hours(1)))
}
