//! What stands before every handler: session, token, standing, permission, box, replay; and what seals its answer.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Json, http};
use bytes::Bytes;
use kernel::Actor;
use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use vocabulary::{AgentId, Reach, Timestamp};

use crate::cipher::{BoxError, NONCE_BYTES, answer_words, open_request, seal};
use crate::disclosure::WriteObserver;
use crate::refused::Plain;
use crate::replay::Verdict;
use crate::request_context::{Arrival, fingerprint};
use crate::{
    Caller, ClientAddress, Encryption, Permit, Refused, SecretKey, Session, TraceId, Wire, gate_financial,
    zero,
};

/// Longest answer that is sealed: it is held in memory twice.
const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// The agent of financial calls that name none.
const DEFAULT_AGENT: AgentId = AgentId(2);

/// A route's guard.
#[derive(Clone)]
pub(crate) struct Authorisation {
    pub wire: Arc<Wire>,
    pub permit: Permit,
    pub wrapped: bool,
    /// Bytes of a body that is a file.
    pub upload: Option<usize>,
    pub financial: bool,
}

/// Lets a request through to its handler, or answers why not.
pub(crate) async fn authorise(State(layer): State<Authorisation>, request: Request, next: Next) -> Response {
    let response = layer.pass(request, next).await.unwrap_or_else(Refused::into_response);
    if layer.financial { as_financial(response) } else { response }
}

/// What the framework itself refuses (a path that is no UTF-8, a websocket that is none), it refuses in plain English.
fn in_our_words(response: Response) -> Response {
    let is_text = || {
        let kind = response.headers().get(CONTENT_TYPE);
        kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"))
    };
    if response.status().is_client_error() && response.extensions().get::<Plain>().is_none() && is_text() {
        return Refused::malformed("请求的地址或请求头不正确").into_response();
    }
    response
}

/// Refusals of the financial host have a shape of their own.
pub(crate) fn as_financial(response: Response) -> Response {
    let Some(plain) = response.extensions().get::<Plain>().cloned() else { return response };
    let body = json!({ "success": false, "data": null, "msg": plain.text, "code": plain.code, "message": plain.text });
    let mut answer = (response.status(), Json(body)).into_response();
    answer.extensions_mut().insert(plain);
    answer
}

/// Who was let in, and which standing that was.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The caller.
    pub caller: Caller,
    /// Changes whenever role, codes or scope may have changed.
    pub permission_version: i64,
    /// When token or session ends by age, whichever is first.
    pub until: Timestamp,
}

impl Wire {
    /// Who holds this access token and this `_t`: for the websocket, whose first frame carries both.
    pub async fn admit(&self, token: &str, t: &str) -> Result<Admitted, Refused> {
        let now = self.clock.now();
        let session = self.session_of(token, t, now).await?;
        self.operator(token, &session, now).await
    }

    /// The session behind `t`, of whoever bears `token`, or why there is none.
    async fn session_of(&self, token: &str, t: &str, now: Timestamp) -> Result<Session, Refused> {
        match self.sessions.find(t, now).await? {
            Some(session) => Ok(session),
            None => Err(self.why_ended(token, now).await),
        }
    }

    /// Why the session of `token` has ended. Disabling an account ends its sessions; whoever bears a token of one is told.
    async fn why_ended(&self, token: &str, now: Timestamp) -> Refused {
        let Ok(claims) = self.tokens.verify(token, now) else { return Refused::no_session() };
        match self.directory.standing(claims.user_id).await {
            Ok(Some(standing)) if !standing.enabled => Refused::Disabled,
            Ok(_) => Refused::no_session(),
            Err(error) => error.into(),
        }
    }

    async fn operator(&self, token: &str, session: &Session, now: Timestamp) -> Result<Admitted, Refused> {
        let claims = self.tokens.verify(token, now).map_err(|_| Refused::no_session())?;
        // A token is worth something only on the session that it was issued for.
        if claims.sid != session.id || session.operator != Some(claims.user_id) {
            return Err(Refused::no_session());
        }
        let standing = self.directory.standing(claims.user_id).await?.ok_or_else(Refused::no_session)?;
        if !standing.enabled {
            return Err(Refused::Disabled);
        }
        let caller = Caller {
            actor: Actor::Operator { id: claims.user_id },
            operator: Some(claims.user_id),
            phone: Some(standing.phone),
            scope: standing.scope.intersect(&claims.selection()),
            full_scope: standing.scope,
            codes: standing.codes,
            session: Some(session.id),
            name: standing.name,
        };
        let token_ends = Timestamp::from_millis(claims.exp.saturating_mul(1000));
        let until = token_ends.min(session.expires_at);
        Ok(Admitted { caller, permission_version: standing.permission_version, until })
    }
}

impl Authorisation {
    async fn pass(&self, request: Request, next: Next) -> Result<Response, Refused> {
        let now = self.wire.clock.now();
        let (mut parts, body) = request.into_parts();
        let (session, mut caller) = self.identify(&parts.headers, now).await?;
        if let (true, Some(caller)) = (self.financial, &mut caller) {
            self.gate_financial(caller, &parts.headers).await?;
        }
        let observer = WriteObserver::of(self.wire.audit_sink(), caller.as_ref(), &parts, now);
        if !self.permits(caller.as_ref()) {
            let response = Refused::forbidden().into_response();
            if let Some(observer) = observer {
                observer.tell(&response);
            }
            return Ok(response);
        }
        if let Some(audit_sink) = self.wire.audit_sink() {
            parts.extensions.insert(Arc::clone(audit_sink));
        }
        if self.financial {
            agrees_with_headers(&parts.headers, caller.as_ref())?;
        }
        // The wire has read it; here it is only taken out of its wrapping.
        let limit = self.upload.unwrap_or(self.wire.config.body_limit_bytes);
        let body = to_bytes(body, limit).await.map_err(Refused::internal)?;
        // The key under which to answer, when the request came boxed.
        let mut answer_key = None;
        let body = match (&session, self.wrapped) {
            (Some(session), true) => {
                let (body, boxed) = self.unwrap(&mut parts, body, session, now).await?;
                answer_key = boxed.then(|| session.key.clone());
                body
            }
            _ => body,
        };
        zero::refuse_in_address(&parts.uri)?;
        if self.upload.is_none() {
            zero::refuse_in_json(&body)?;
        }
        let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
        let query = parts.uri.query().unwrap_or_default();
        let trace_id =
            parts.extensions.get::<TraceId>().map_or_else(|| Arc::from(""), |id| Arc::clone(&id.0));
        let arrival = Arrival {
            now,
            fingerprint: fingerprint(&method, &path, query, &body),
            client_address: parts
                .extensions
                .get::<ClientAddress>()
                .map_or_else(String::new, |address| address.0.to_string()),
            trace_id,
        };
        parts.extensions.insert(arrival);
        if let Some(session) = session {
            parts.extensions.insert(session);
        }
        if let Some(caller) = caller {
            parts.extensions.insert(caller);
        }
        let response = in_our_words(next.run(Request::from_parts(parts, Body::from(body))).await);
        if let Some(observer) = observer {
            observer.tell(&response);
        }
        match answer_key {
            Some(key) => seal_answer(response, &key, &method, &path).await,
            None => Ok(response),
        }
    }

    /// Who calls, as far as the route needs to know.
    async fn identify(
        &self,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Result<(Option<Session>, Option<Caller>), Refused> {
        match self.permit {
            Permit::Open => Ok((None, None)),
            Permit::Keyed => Ok((Some(self.session(headers, now).await?), None)),
            Permit::SignedIn | Permit::AnyOf(_) => {
                let t = t_of(headers)?;
                let token = bearer(headers).ok_or_else(Refused::no_session)?;
                let session = self.wire.session_of(token, t, now).await?;
                let caller = self.wire.operator(token, &session, now).await?.caller;
                Ok((Some(session), Some(caller)))
            }
            Permit::Machine(_) => Ok((None, Some(self.machine(headers).await?))),
        }
    }

    /// Whether the caller holds what the route asks for.
    fn permits(&self, caller: Option<&Caller>) -> bool {
        match self.permit {
            Permit::Open | Permit::Keyed => true,
            Permit::SignedIn => caller.is_some(),
            Permit::AnyOf(codes) => caller.is_some_and(|caller| caller.codes.has_any(codes)),
            Permit::Machine(code) => caller.is_some_and(|caller| caller.codes.has(code)),
        }
    }

    /// On the financial host the caller has only the codes that the account of the agent in question leaves: of
    /// the one in the header, else his own, else the system's default.
    async fn gate_financial(&self, caller: &mut Caller, headers: &HeaderMap) -> Result<(), Refused> {
        let named = headers.get("agentId").and_then(|value| value.to_str().ok()?.parse().ok());
        let own = match &caller.full_scope.agents {
            Reach::Only(agents) if agents.len() == 1 => agents.first().copied(),
            Reach::Only(_) | Reach::All => None,
        };
        let agent = named.or(own).unwrap_or(DEFAULT_AGENT);
        let account = self.wire.directory.financial_account(agent).await?;
        caller.codes = Arc::new(gate_financial(&caller.codes, account));
        Ok(())
    }

    async fn session(&self, headers: &HeaderMap, now: Timestamp) -> Result<Session, Refused> {
        self.wire.sessions.find(t_of(headers)?, now).await?.ok_or_else(Refused::no_session)
    }

    async fn machine(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        let wrong = || Refused::NoSession("服务令牌无效".to_owned());
        let token = bearer(headers).ok_or_else(wrong)?;
        let digest = Sha256::digest(token.as_bytes()).into();
        let standing = self.wire.directory.machine(digest).await?.filter(|standing| standing.enabled);
        let standing = standing.ok_or_else(wrong)?;
        Ok(Caller {
            actor: Actor::Machine { id: standing.id },
            operator: None,
            phone: None,
            full_scope: standing.scope.clone(),
            scope: standing.scope,
            codes: standing.codes,
            session: None,
            name: standing.name,
        })
    }

    /// Opens the boxes of query and body and puts the plain ones in their place. Tells whether there were any.
    async fn unwrap(
        &self,
        parts: &mut Parts,
        body: Bytes,
        session: &Session,
        now: Timestamp,
    ) -> Result<(Bytes, bool), Refused> {
        let query_box = box_of_query(&parts.uri);
        let body_box = box_of_body(&body);
        let bare_query = parts.uri.query().is_some_and(|query| !query.is_empty()) && query_box.is_none();
        let bare_body = !body.is_empty() && body_box.is_none();
        let nothing = query_box.is_none() && body_box.is_none();
        if nothing && self.wire.config.encryption == Encryption::Optional {
            return Ok((body, false));
        }
        if nothing || bare_query || bare_body {
            let text = "请求参数未加密".to_owned();
            return Err(Refused::Malformed { code: "unsealed", text });
        }
        if let Some(sealed) = query_box {
            let content = self.open(parts, session, &sealed, now).await?;
            let uri = with_query(&parts.uri, &plain_query(&content)?)?;
            parts.uri = uri;
        } else {
            parts.uri = with_query(&parts.uri, "")?;
        }
        let Some(sealed) = body_box else { return Ok((body, true)) };
        let content = Bytes::from(self.open(parts, session, &sealed, now).await?.get().to_owned());
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(content.len()));
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok((content, true))
    }

    async fn open(
        &self,
        parts: &Parts,
        session: &Session,
        sealed: &str,
        now: Timestamp,
    ) -> Result<Box<RawValue>, Refused> {
        let opened = open_request(&session.key, parts.method.as_str(), parts.uri.path(), sealed, now)?;
        let verdict = if parts.method == Method::GET || parts.method == Method::HEAD {
            self.wire.replay.take_query(session.id, opened.nonce, now)
        } else {
            self.wire.replay.take_command(session.id, opened.nonce, now).await?
        };
        match verdict {
            Verdict::Fresh => Ok(opened.content),
            Verdict::Replayed => Err(Refused::Malformed {
                code: "replayed",
                text: "请求已被处理，请勿重复提交".to_owned(),
            }),
            Verdict::Full => Err(Refused::TooMany),
        }
    }
}

impl From<BoxError> for Refused {
    fn from(error: BoxError) -> Self {
        match error {
            BoxError::Shape => {
                Self::Malformed { code: "malformed", text: "加密参数格式不正确".to_owned() }
            }
            BoxError::Sealed => {
                Self::Malformed { code: "unsealed", text: "加密参数无法解密".to_owned() }
            }
            BoxError::Stale => Self::stale(),
        }
    }
}

impl Refused {
    pub(crate) fn stale() -> Self {
        Self::Malformed {
            code: "stale", text: "请求时间与服务器相差过大，请校准本机时间".to_owned()
        }
    }
}

/// Identity comes from the token: financial headers that contradict it are refused.
fn agrees_with_headers(headers: &HeaderMap, caller: Option<&Caller>) -> Result<(), Refused> {
    let Some(caller) = caller else { return Ok(()) };
    let text =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty());
    if let (Some(claimed), Some(phone)) = (text("phone"), &caller.phone)
        && claimed != phone.as_str()
    {
        return Err(Refused::no_session());
    }
    if let Some(claimed) = text("agentId") {
        let agent: AgentId = claimed.parse().map_err(|_| Refused::malformed("请求头 agentId 格式不正确"))?;
        if !caller.scope.agents.contains(&agent) {
            return Err(Refused::Forbidden("该代理不在您的数据范围内".to_owned()));
        }
    }
    Ok(())
}

/// What names the session.
fn t_of(headers: &HeaderMap) -> Result<&str, Refused> {
    headers.get("_t").and_then(|value| value.to_str().ok()).ok_or_else(Refused::no_session)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(str::trim).filter(|token| !token.is_empty())
}

/// The box of a query that is `params=<box>` and nothing else. base64url needs no percent-decoding.
fn box_of_query(uri: &Uri) -> Option<String> {
    let sealed = uri.query()?.strip_prefix("params=")?;
    (!sealed.is_empty() && !sealed.contains(['&', '=', '%'])).then(|| sealed.to_owned())
}

/// The box of a body that is `{"params": "<box>"}` and nothing else.
fn box_of_body(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Boxed {
        params: String,
    }
    serde_json::from_slice::<Boxed>(body).ok().map(|boxed| boxed.params)
}

/// `application/x-www-form-urlencoded` of a query object whose values are all strings.
fn plain_query(content: &RawValue) -> Result<String, Refused> {
    let wrong = || Refused::malformed("查询参数必须是值为字符串的对象");
    let object: Map<String, Value> = serde_json::from_str(content.get()).map_err(|_| wrong())?;
    let mut query = String::new();
    for (name, value) in &object {
        if !query.is_empty() {
            query.push('&');
        }
        percent_encode(&mut query, name);
        query.push('=');
        percent_encode(&mut query, value.as_str().ok_or_else(wrong)?);
    }
    Ok(query)
}

fn percent_encode(into: &mut String, text: &str) {
    use std::fmt::Write;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            write!(into, "%{byte:02X}").expect("writing to a string");
        }
    }
}

fn with_query(uri: &Uri, query: &str) -> Result<Uri, Refused> {
    let path = uri.path();
    let path_and_query = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    let mut parts = uri.clone().into_parts();
    let parsed = path_and_query.parse::<http::uri::PathAndQuery>();
    parts.path_and_query = Some(parsed.map_err(|_| Refused::malformed("查询参数过长"))?);
    Uri::from_parts(parts).map_err(|_| Refused::malformed("查询参数不正确"))
}

/// Seals a JSON answer; refusals, files and empty answers pass as they are.
async fn seal_answer(
    response: Response,
    key: &SecretKey,
    method: &Method,
    path: &str,
) -> Result<Response, Refused> {
    #[derive(Serialize)]
    struct Boxed {
        params: String,
    }
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !response.status().is_success() || !is_json || response.extensions().get::<Plain>().is_some() {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let plain = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(Refused::internal)?;
    let mut nonce = [0; NONCE_BYTES];
    OsRng.fill_bytes(&mut nonce);
    let params = seal(key, nonce, &answer_words(method.as_str(), path), &plain);
    let sealed = serde_json::to_vec(&Boxed { params }).map_err(Refused::internal)?;
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(sealed.len()));
    Ok(Response::from_parts(parts, Body::from(sealed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_query_object_becomes_a_query() {
        assert_eq!(
            plain_query(&raw(r#"{"a":"1 & 2","名":"车"}"#)).unwrap(),
            "a=1%20%26%202&%E5%90%8D=%E8%BD%A6"
        );
        assert_eq!(plain_query(&raw("{}")).unwrap(), "");
        assert!(plain_query(&raw(r#"{"a":1}"#)).is_err());
        assert!(plain_query(&raw("[]")).is_err());
    }

    #[test]
    fn a_box_beside_plain_parameters_is_no_box() {
        assert_eq!(box_of_query(&"/a?params=abc".parse().unwrap()), Some("abc".to_owned()));
        assert_eq!(box_of_query(&"/a?params=abc&x=1".parse().unwrap()), None);
        assert_eq!(box_of_query(&"/a?x=1&params=abc".parse().unwrap()), None);
        assert_eq!(box_of_body(br#"{"params":"abc"}"#), Some("abc".to_owned()));
        assert_eq!(box_of_body(br#"{"params":"abc","x":1}"#), None);
    }
}
