//! The port over HTTP: signs what it asks, and believes what is signed.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::NaiveDate;
use rand::RngCore;
use rand::rngs::OsRng;
use reqwest::{Method, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use vocabulary::Clock;

use crate::{
    Cursor, Fault, Message, Payment, PaymentOrder, PaymentPort, PortError, Refund, RefundNo, RefundOrder,
    Refusal, STATEMENT_ROWS, SignatureFault, Signer, Stamp, StatementPage, TradeNo,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_secs(10);
/// An answer is no longer than this: a full page of a statement is a third of it.
const ANSWER_MAX_BYTES: usize = 512 * 1024;
/// Of what somebody else answered, this much is shown.
const SHOWN_CHARS: usize = 120;

/// The provider's address is none that this client can speak to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAddress {
    /// No address of a web server.
    #[error("not an http address without user, query or fragment")]
    Form,
    /// TLS is spoken by a proxy beside the platform.
    #[error("this client speaks no TLS: name a proxy on this machine that does (http://127.0.0.1:…)")]
    Tls,
}

/// A payment provider at an address.
pub struct Client {
    http: reqwest::Client,
    base: Url,
    signer: Signer,
    clock: Arc<dyn Clock>,
    timeout: Duration,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// `url`: what paths are added to.
    pub fn new(url: &str, signer: Signer, clock: Arc<dyn Clock>) -> Result<Self, NotAnAddress> {
        let base: Url = url.trim_end_matches('/').parse().map_err(|_| NotAnAddress::Form)?;
        if base.scheme() == "https" {
            return Err(NotAnAddress::Tls);
        }
        let plain = base.username().is_empty() && base.password().is_none();
        let bare = base.query().is_none() && base.fragment().is_none();
        if base.scheme() != "http" || !base.has_host() || !plain || !bare {
            return Err(NotAnAddress::Form);
        }
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .expect("a client without TLS needs nothing of the system");
        Ok(Self { http, base, signer, clock, timeout: TIMEOUT })
    }

    /// Waits otherwise than ten seconds for a whole answer.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    async fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, PortError> {
        self.ask(Method::GET, path, Vec::new()).await
    }

    async fn post<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, PortError> {
        self.ask(Method::POST, path, serde_json::to_vec(body).expect("plain data")).await
    }

    async fn ask<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<A, PortError> {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let url: Url = url.parse().map_err(|_| PortError::Unreachable("not an address".into()))?;
        let path =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let asked = Message::request(method.as_str(), &path);
        let nonce = nonce();
        let stamp = Stamp { at: self.clock.now(), nonce: &nonce };
        let signed = self.signer.headers(&asked, &stamp, &body);
        let mut request = self.http.request(method.clone(), url).timeout(self.timeout).headers(signed);
        if !body.is_empty() {
            request = request.header("content-type", "application/json").body(body);
        }
        let answer = request.send().await.map_err(undone)?;
        let status = answer.status().as_u16();
        let told = answer.headers().clone();
        let body = read(answer).await?;
        let known = self.signer.check(&asked.answered(status), &told, &body, self.clock.now());
        let known = known
            .and_then(|signed| if signed.nonce == nonce { Ok(()) } else { Err(SignatureFault::OtherAnswer) });
        if let Err(fault) = known {
            let shown: String = String::from_utf8_lossy(&body).chars().take(SHOWN_CHARS).collect();
            return Err(PortError::Unknown(format!(
                "status {status}, not signed by the provider ({fault}): {shown}"
            )));
        }
        read_signed(status, &body)
    }
}

/// What the provider says, now that it is known that he does.
fn read_signed<A: DeserializeOwned>(status: u16, body: &[u8]) -> Result<A, PortError> {
    let unread = |error: serde_json::Error| PortError::Unknown(format!("status {status}: {error}"));
    match status {
        200 => serde_json::from_slice(body).map_err(unread),
        // Only `busy` says of a failure of his that nothing was done.
        400..=499 | 503 => Err(PortError::Refused(serde_json::from_slice::<Refusal>(body).map_err(unread)?)),
        _ => Err(PortError::Unknown(format!("status {status}"))),
    }
}

/// An answer about something else is none.
fn of<A>(answer: A, is_ours: impl FnOnce(&A) -> bool) -> Result<A, PortError> {
    if is_ours(&answer) {
        Ok(answer)
    } else {
        Err(PortError::Unknown("the answer is about something else".into()))
    }
}

/// What the provider never took is no error of a question.
fn found<A>(answer: Result<A, PortError>) -> Result<Option<A>, PortError> {
    match answer {
        Err(PortError::Refused(refusal)) if refusal.code == Fault::UnknownNumber.code() => Ok(None),
        other => other.map(Some),
    }
}

fn undone(error: reqwest::Error) -> PortError {
    let told = chain(&error.without_url());
    // Without a connection nothing went out; once there was one, it may have arrived.
    if told.connecting { PortError::Unreachable(told.text) } else { PortError::Unknown(told.text) }
}

struct Told {
    connecting: bool,
    text: String,
}

/// The reason of the reason: the outermost says only that sending failed.
fn chain(error: &reqwest::Error) -> Told {
    let mut text = error.to_string();
    let mut inner = std::error::Error::source(error);
    while let Some(why) = inner {
        text = format!("{text}: {why}");
        inner = why.source();
    }
    Told { connecting: error.is_connect() || error.is_builder(), text }
}

async fn read(mut answer: Response) -> Result<Vec<u8>, PortError> {
    let broken = |error: reqwest::Error| PortError::Unknown(chain(&error.without_url()).text);
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(broken)? {
        body.extend_from_slice(&chunk);
        if body.len() > ANSWER_MAX_BYTES {
            return Err(PortError::Unknown(format!("the answer has more than {ANSWER_MAX_BYTES} bytes")));
        }
    }
    Ok(body)
}

fn nonce() -> String {
    let mut bytes = [0; 16];
    OsRng.fill_bytes(&mut bytes);
    hex::encode(bytes)
}

#[async_trait]
impl PaymentPort for Client {
    async fn pay(&self, order: &PaymentOrder) -> Result<Payment, PortError> {
        let payment: Payment = self.post("/v1/payments", order).await?;
        of(payment, |payment| {
            payment.trade_no == order.trade_no && payment.amount_cents == order.amount_cents
        })
    }

    async fn payment(&self, trade_no: &TradeNo) -> Result<Option<Payment>, PortError> {
        found(
            self.get(&format!("/v1/payments/{trade_no}"))
                .await
                .and_then(|p| of(p, |p: &Payment| p.trade_no == *trade_no)),
        )
    }

    async fn close(&self, trade_no: &TradeNo) -> Result<Payment, PortError> {
        let payment = self.ask(Method::POST, &format!("/v1/payments/{trade_no}/close"), Vec::new()).await?;
        of(payment, |payment: &Payment| payment.trade_no == *trade_no)
    }

    async fn refund(&self, order: &RefundOrder) -> Result<Refund, PortError> {
        let refund: Refund = self.post("/v1/refunds", order).await?;
        of(refund, |refund| refund.refund_no == order.refund_no && refund.amount_cents == order.amount_cents)
    }

    async fn refund_of(&self, refund_no: &RefundNo) -> Result<Option<Refund>, PortError> {
        found(
            self.get(&format!("/v1/refunds/{refund_no}"))
                .await
                .and_then(|r| of(r, |r: &Refund| r.refund_no == *refund_no)),
        )
    }

    async fn statement(&self, day: NaiveDate, after: Option<&Cursor>) -> Result<StatementPage, PortError> {
        let after = after.map_or_else(String::new, |after| format!("&after={after}"));
        let page: StatementPage = self.get(&format!("/v1/statement?day={day}{after}")).await?;
        of(page, |page| page.day == day && page.rows.len() <= STATEMENT_ROWS)
    }
}
