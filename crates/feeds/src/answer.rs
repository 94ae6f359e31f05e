//! How a feed leaves: plain JSON without the envelope of the API, kept by those who read it for as long as it lasts.

use std::io::Write;

use axum::extract::FromRequestParts;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, VARY,
};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use vocabulary::{Scope, Timestamp};
use wire::{Caller, Refused};

use crate::model::gbfs::{VERSION, rfc3339};

/// Shorter ones are not worth packing.
const PACKED_FROM_BYTES: usize = 1024;

/// A feed of GBFS as it leaves.
#[derive(Clone)]
pub(crate) struct Document {
    body: Bytes,
    packed: Option<Bytes>,
    /// Of what it says, without when: the same on every node.
    etag: String,
    ttl_s: u32,
}

#[derive(Serialize)]
struct Envelope<'a> {
    last_updated: String,
    ttl: u32,
    version: &'static str,
    data: &'a RawValue,
}

/// A name for exactly this content.
fn etag(content: &[u8]) -> String {
    format!("W/\"{}\"", hex::encode(&Sha256::digest(content)[..16]))
}

impl Document {
    /// `data`, as it is at `now` and for so many seconds. Says it the same as the one `before`, it is that one.
    pub(crate) fn gbfs(
        data: &impl Serialize,
        ttl_s: u32,
        now: Timestamp,
        before: Option<&Self>,
    ) -> Result<Self, Refused> {
        let data = to_raw_value(data).map_err(Refused::internal)?;
        let etag = etag(data.get().as_bytes());
        if let Some(before) = before.filter(|before| before.etag == etag) {
            return Ok(before.clone());
        }
        let envelope = Envelope { last_updated: rfc3339(now), ttl: ttl_s, version: VERSION, data: &data };
        let body = serde_json::to_vec(&envelope).map_err(Refused::internal)?;
        let packed = (body.len() >= PACKED_FROM_BYTES).then(|| pack(&body)).transpose();
        let packed = packed.map_err(Refused::internal)?;
        Ok(Self { body: body.into(), packed, etag, ttl_s })
    }

    /// The answer to who asked.
    pub(crate) fn answer(&self, asked: &FeedRequest) -> Response {
        let packed = self.packed.as_ref().filter(|_| asked.takes_gzip);
        asked.answer(&self.etag, self.ttl_s, packed.unwrap_or(&self.body).clone(), packed.is_some())
    }
}

fn pack(body: &[u8]) -> std::io::Result<Bytes> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(body)?;
    Ok(packer.finish()?.into())
}

/// Who asks, and what he has already.
pub(crate) struct FeedRequest {
    caller: Option<Caller>,
    known: Option<String>,
    takes_gzip: bool,
    host: Option<Authority>,
}

impl<S: Sync> FromRequestParts<S> for FeedRequest {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        let text = |name: HeaderName| text(&parts.headers, name);
        let gzip = |one: &str| {
            let (name, weight) = one.split_once(';').unwrap_or((one, ""));
            name.trim() == "gzip" && weight.trim() != "q=0"
        };
        Ok(Self {
            caller: parts.extensions.get::<Caller>().cloned(),
            known: text(IF_NONE_MATCH).map(str::to_owned),
            takes_gzip: text(ACCEPT_ENCODING).is_some_and(|all| all.split(',').any(gzip)),
            host: text(HOST).and_then(|host| host.parse().ok()),
        })
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

impl FeedRequest {
    /// How far he sees: a machine its scope, and everybody all of what is public. Where it is not, the route has let nobody
    /// else in.
    pub(crate) fn scope(&self, public: bool) -> Result<Scope, Refused> {
        match &self.caller {
            Some(caller) => Ok(caller.scope.clone()),
            None if public => Ok(Scope::ALL),
            None => Err(Refused::no_session()),
        }
    }

    /// Where he finds the feeds, without a slash at the end.
    pub(crate) fn base(&self, configured: Option<&str>) -> Result<String, Refused> {
        match (configured, &self.host) {
            (Some(url), _) => Ok(url.to_owned()),
            (None, Some(host)) => Ok(format!("http://{host}")),
            (None, None) => Err(Refused::malformed("请求头 Host 不正确")),
        }
    }

    /// JSON that was made for him alone, to be kept for so many seconds.
    pub(crate) fn json(&self, content: &impl Serialize, lasts_s: u32) -> Result<Response, Refused> {
        let body = serde_json::to_vec(content).map_err(Refused::internal)?;
        Ok(self.answer(&etag(&body), lasts_s, body.into(), false))
    }

    fn answer(&self, etag: &str, lasts_s: u32, body: Bytes, is_packed: bool) -> Response {
        // What a machine may see is not for others behind the same proxy.
        let whose = if self.caller.is_some() { "private" } else { "public" };
        let headers = [
            (ETAG, etag.to_owned()),
            (CACHE_CONTROL, format!("{whose}, max-age={lasts_s}")),
            (VARY, "Accept-Encoding".to_owned()),
        ];
        if self.knows(etag) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let kind = [(CONTENT_TYPE, "application/json")];
        let encoding = is_packed.then_some([(CONTENT_ENCODING, "gzip")]);
        match encoding {
            Some(encoding) => (headers, kind, encoding, body).into_response(),
            None => (headers, kind, body).into_response(),
        }
    }

    fn knows(&self, etag: &str) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let known = self.known.as_deref().unwrap_or_default();
        known.trim() == "*" || known.split(',').any(|one| opaque(one) == opaque(etag))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_363_200_000);

    async fn asked(headers: &[(&str, &str)]) -> FeedRequest {
        let mut request = Request::get("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        FeedRequest::from_request_parts(&mut request.body(()).unwrap().into_parts().0, &()).await.unwrap()
    }

    fn long() -> serde_json::Value {
        json!({ "text": "x".repeat(PACKED_FROM_BYTES) })
    }

    #[test]
    fn what_says_the_same_is_the_same_document() {
        let first = Document::gbfs(&json!({"a": 1}), 10, NOW, None).unwrap();
        let later = NOW.plus_millis(60_000);
        let same = Document::gbfs(&json!({"a": 1}), 10, later, Some(&first)).unwrap();
        assert_eq!((&same.body, &same.etag), (&first.body, &first.etag));
        let other = Document::gbfs(&json!({"a": 2}), 10, later, Some(&first)).unwrap();
        assert!(other.etag != first.etag && other.body != first.body);
        let elsewhere = Document::gbfs(&json!({"a": 1}), 10, later, None).unwrap();
        assert_eq!(elsewhere.etag, first.etag, "another node says when it began to say it");
    }

    #[tokio::test]
    async fn who_has_it_already_is_sent_nothing() {
        let document = Document::gbfs(&long(), 10, NOW, None).unwrap();
        let first = document.answer(&asked(&[]).await);
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers()[ETAG].to_str().unwrap().to_owned();
        for known in [tag.as_str(), "*", &format!("\"x\", {}", tag.trim_start_matches("W/"))] {
            let again = document.answer(&asked(&[("if-none-match", known)]).await);
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!(again.headers()[ETAG], tag);
        }
        for other in ["\"x\"", ""] {
            let again = document.answer(&asked(&[("if-none-match", other)]).await);
            assert_eq!(again.status(), StatusCode::OK, "{other}");
        }
    }

    #[tokio::test]
    async fn it_is_packed_for_those_who_take_it_so() {
        let document = Document::gbfs(&long(), 10, NOW, None).unwrap();
        for (accepted, packed) in
            [("gzip, br", true), ("br;q=1.0, gzip;q=0.5", true), ("gzip;q=0", false), ("br", false)]
        {
            let answer = document.answer(&asked(&[("accept-encoding", accepted)]).await);
            assert_eq!(answer.headers().contains_key(CONTENT_ENCODING), packed, "{accepted}");
            assert_eq!(answer.headers()[CONTENT_TYPE], "application/json");
        }
    }

    #[tokio::test]
    async fn nobody_reads_what_is_not_public_and_links_lead_to_where_he_asked() {
        let nobody = asked(&[("host", "city.example.com:8080")]).await;
        assert!(matches!(nobody.scope(false), Err(Refused::NoSession(_))));
        assert_eq!(nobody.scope(true).unwrap(), Scope::ALL);
        assert_eq!(nobody.base(None).unwrap(), "http://city.example.com:8080");
        assert_eq!(nobody.base(Some("https://x")).unwrap(), "https://x");
        let wrong = asked(&[("host", "a b")]).await;
        assert!(wrong.base(None).is_err());
    }
}
