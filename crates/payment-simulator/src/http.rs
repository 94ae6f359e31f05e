//! What the platform asks, in and out of the protocol.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::NaiveDate;
use payment_port::{Cursor, Fault, Message, Refusal, STATEMENT_ROWS, Stamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::timeout::TimeoutLayer;
use vocabulary::{Clock, SystemClock};

use crate::cashier;
use crate::provider::Provider;

/// A request is no longer than this.
const BODY_MAX_BYTES: usize = 16 * 1024;
/// Requests in work at the same time; others wait.
const AT_ONCE: usize = 256;
const TIMEOUT: Duration = Duration::from_secs(10);

/// All pages and calls.
pub fn router(provider: Arc<Provider>) -> Router {
    let protocol = Router::new()
        .route("/v1/payments", post(pay))
        .route("/v1/payments/{trade_no}", get(payment))
        .route("/v1/payments/{trade_no}/close", post(close))
        .route("/v1/refunds", post(refund))
        .route("/v1/refunds/{refund_no}", get(refund_of))
        .route("/v1/statement", get(statement))
        .layer(from_fn_with_state(Arc::clone(&provider), signed));
    Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .merge(cashier::pages())
        .merge(protocol)
        .with_state(provider)
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, TIMEOUT))
        .layer(GlobalConcurrencyLimitLayer::new(AT_ONCE))
}

/// Lets in what the merchant signed, and signs what is answered. Whoever is not the merchant is answered unsigned.
async fn signed(State(provider): State<Arc<Provider>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_MAX_BYTES).await else {
        let text = format!("请求至多 {BODY_MAX_BYTES} 字节");
        return (StatusCode::PAYLOAD_TOO_LARGE, Json(Refusal::new("malformed", &text))).into_response();
    };
    let method = parts.method.as_str().to_owned();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let nonce = match provider.verifier.admit(&method, &path, &parts.headers, &body, SystemClock.now()) {
        Ok(nonce) => nonce,
        Err(fault) => {
            let refusal = Refusal::new(fault.code(), &fault.to_string());
            return (StatusCode::UNAUTHORIZED, Json(refusal)).into_response();
        }
    };
    let answer = next.run(Request::from_parts(parts, Body::from(body))).await;
    let (mut parts, body) = answer.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let message = Message::request(&method, &path).answered(parts.status.as_u16());
    let stamp = Stamp { at: SystemClock.now(), nonce: &nonce };
    parts.headers.extend(provider.signer().headers(&message, &stamp, &body));
    Response::from_parts(parts, Body::from(body))
}

/// An answer of the protocol.
struct Answer(Result<Vec<u8>, Fault>);

impl<T: Serialize> From<Result<T, Fault>> for Answer {
    fn from(answer: Result<T, Fault>) -> Self {
        Self(answer.map(|told| serde_json::to_vec(&told).expect("plain data")))
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let (status, body) = match self.0 {
            Ok(body) => (StatusCode::OK, body),
            Err(fault) => {
                let status = StatusCode::from_u16(fault.status()).expect("faults have statuses");
                (status, serde_json::to_vec(&fault.refusal()).expect("plain data"))
            }
        };
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Fault> {
    serde_json::from_slice(body).map_err(|error| Fault::Malformed(error.to_string()))
}

/// A number that is none stands for nothing.
fn number<T: std::str::FromStr>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| Fault::UnknownNumber)
}

async fn pay(State(provider): State<Arc<Provider>>, body: Bytes) -> Answer {
    read(&body).and_then(|order| provider.pay(&order)).into()
}

async fn payment(State(provider): State<Arc<Provider>>, Path(trade_no): Path<String>) -> Answer {
    number(&trade_no).and_then(|trade_no| provider.payment(&trade_no)).into()
}

async fn close(State(provider): State<Arc<Provider>>, Path(trade_no): Path<String>) -> Answer {
    number(&trade_no).and_then(|trade_no| provider.close(&trade_no)).into()
}

async fn refund(State(provider): State<Arc<Provider>>, body: Bytes) -> Answer {
    read(&body).and_then(|order| provider.refund(&order)).into()
}

async fn refund_of(State(provider): State<Arc<Provider>>, Path(refund_no): Path<String>) -> Answer {
    number(&refund_no).and_then(|refund_no| provider.refund_of(&refund_no)).into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementQuery {
    day: NaiveDate,
    after: Option<Cursor>,
    limit: Option<usize>,
}

async fn statement(State(provider): State<Arc<Provider>>, request: Request) -> Answer {
    let page = || {
        let Query(asked) = Query::<StatementQuery>::try_from_uri(request.uri())
            .map_err(|error| Fault::Malformed(error.body_text()))?;
        let limit = asked.limit.unwrap_or(STATEMENT_ROWS);
        if !(1..=STATEMENT_ROWS).contains(&limit) {
            return Err(Fault::Malformed(format!("limit 须为 1 至 {STATEMENT_ROWS}")));
        }
        let after = asked.after.map_or(Ok(0), |after| after.as_str().parse());
        let after = after.map_err(|_| Fault::Malformed("after 须为上一页的 next".into()))?;
        provider.statement(asked.day, after, limit)
    };
    page().into()
}
