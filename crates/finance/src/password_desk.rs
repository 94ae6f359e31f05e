//! Where a payment password is set: on a page of the payment provider, or in development on a page of our own that
//! stands in for it. We never see the password.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use kernel::MasterKey;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::Sha256;
use vocabulary::{OperatorId, PaymentAccountId, Timestamp};
use wire::{BASE, SecretKey};

use crate::model::payment_account::PasswordCall;

/// A stand-in's link is followed within this.
pub const LIFE_MS: i64 = 5 * 60_000;
/// The clock of whoever made a link may be ahead by this.
const AHEAD_MS: i64 = 5_000;
/// Where the stand-in's page is, below BASE.
pub const PAGE: &str = "/stand-in/pay-password";

const TIMEOUT: Duration = Duration::from_secs(8);
/// An answer of the provider is no longer than this.
const ANSWER_MAX_BYTES: usize = 16 * 1024;
/// Nor is the address in it.
const URL_MAX_BYTES: usize = 2048;

/// No link could be had.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The provider did not answer in time or not at all.
    #[error("the payment provider cannot be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The provider said no.
    #[error("the payment provider refused with status {0}")]
    Refused(u16),
    /// What came back is no link to a web page.
    #[error("the payment provider answered without a link")]
    NoLink,
}

/// Where payment passwords are set.
#[derive(Clone, Debug)]
pub enum PasswordDesk {
    /// At the provider's.
    Http(Arc<HttpDesk>),
    /// On our own page. For development only: the server refuses to start with it in the production profile.
    StandIn(StandIn),
}

impl PasswordDesk {
    /// Where the browser goes.
    pub async fn link(&self, ticket: &Ticket, call: PasswordCall) -> Result<String, DeskError> {
        match self {
            Self::Http(desk) => desk.link(ticket.account, call).await,
            Self::StandIn(desk) => Ok(desk.link(ticket)),
        }
    }

    /// The stand-in, when that is what we have.
    pub fn stand_in(&self) -> Option<&StandIn> {
        match self {
            Self::StandIn(desk) => Some(desk),
            Self::Http(_) => None,
        }
    }
}

/// Posts `{accountId, callType}` as JSON to the provider's address, with a bearer token; `{redirectUrl}` comes back.
pub struct HttpDesk {
    client: reqwest::Client,
    url: String,
    token: String,
}

impl std::fmt::Debug for HttpDesk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpDesk").field("url", &self.url).finish_non_exhaustive()
    }
}

impl HttpDesk {
    /// `url`: where to post; `token`: what the provider knows us by.
    pub fn new(url: String, token: String) -> Result<Self, DeskError> {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| DeskError::Unreachable(Box::new(error)))?;
        Ok(Self { client, url, token })
    }

    async fn link(&self, account: PaymentAccountId, call: PasswordCall) -> Result<String, DeskError> {
        let unreachable = |error: reqwest::Error| DeskError::Unreachable(Box::new(error.without_url()));
        let body = json!({ "accountId": account, "callType": call });
        let request = self.client.post(&self.url).bearer_auth(&self.token).json(&body);
        let mut answer = request.send().await.map_err(unreachable)?;
        if !answer.status().is_success() {
            return Err(DeskError::Refused(answer.status().as_u16()));
        }
        let mut said = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
            said.extend_from_slice(&chunk);
            if said.len() > ANSWER_MAX_BYTES {
                return Err(DeskError::NoLink);
            }
        }
        redirect_in(&said).ok_or(DeskError::NoLink)
    }
}

/// The address that an answer names, when a browser may be sent there.
fn redirect_in(answer: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Told {
        redirect_url: String,
    }
    let url = serde_json::from_slice::<Told>(answer).ok()?.redirect_url;
    let parsed = reqwest::Url::parse(&url).ok()?;
    let web = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    (web && url.len() <= URL_MAX_BYTES).then_some(url)
}

/// Signs links to our own page.
#[derive(Clone)]
pub struct StandIn {
    key: SecretKey,
}

impl std::fmt::Debug for StandIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StandIn")
    }
}

/// What a link says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The account.
    pub account: PaymentAccountId,
    /// Who asked for it.
    pub operator: OperatorId,
    /// Names the link; the account knows the last one.
    pub link: String,
    /// When it was made, epoch milliseconds.
    pub ts: i64,
}

/// The ticket is not ours, too old, or not yet valid. Which of these, nobody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("链接已失效，请重新获取")]
pub struct BadTicket;

impl StandIn {
    /// Under a key of its own, which follows from the system's.
    pub fn new(master: &MasterKey) -> Self {
        Self { key: SecretKey::new(master.derive("wheelhouse pay-password 1")) }
    }

    fn signature(&self, payload: &str) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.key.expose()).expect("HMAC takes a key of any length");
        mac.update(b"pay-password:");
        mac.update(payload.as_bytes());
        mac
    }

    /// The ticket as it travels.
    pub fn seal(&self, ticket: &Ticket) -> String {
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(ticket).expect("plain data"));
        let signed = URL_SAFE_NO_PAD.encode(self.signature(&payload).finalize().into_bytes());
        format!("{payload}.{signed}")
    }

    /// What a ticket says, when it is ours and shown in time. Whether it was used before, the account knows.
    pub fn open(&self, ticket: &str, now: Timestamp) -> Result<Ticket, BadTicket> {
        let (payload, signed) = ticket.split_once('.').ok_or(BadTicket)?;
        let signed = URL_SAFE_NO_PAD.decode(signed).map_err(|_| BadTicket)?;
        self.signature(payload).verify_slice(&signed).map_err(|_| BadTicket)?;
        let payload = URL_SAFE_NO_PAD.decode(payload).map_err(|_| BadTicket)?;
        let ticket: Ticket = serde_json::from_slice(&payload).map_err(|_| BadTicket)?;
        let age = now.millis_since(Timestamp::from_millis(ticket.ts));
        if (-AHEAD_MS..LIFE_MS).contains(&age) { Ok(ticket) } else { Err(BadTicket) }
    }

    fn link(&self, ticket: &Ticket) -> String {
        format!("{BASE}{PAGE}?ticket={}", self.seal(ticket))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn desk(key: u8) -> StandIn {
        StandIn::new(&MasterKey::new([key; 32]))
    }

    fn ticket() -> Ticket {
        Ticket {
            account: PaymentAccountId(7),
            operator: OperatorId(9),
            link: "n".repeat(22),
            ts: NOW.millis(),
        }
    }

    #[test]
    fn a_ticket_opens_for_less_than_five_minutes() {
        let sealed = desk(1).seal(&ticket());
        assert_eq!(desk(1).open(&sealed, NOW.plus_millis(299_999)), Ok(ticket()));
        assert_eq!(desk(1).open(&sealed, NOW.plus_millis(300_000)), Err(BadTicket));
        assert_eq!(desk(1).open(&sealed, NOW.plus_millis(-5_001)), Err(BadTicket));
    }

    #[test]
    fn a_ticket_of_another_key_or_for_another_account_is_no_ticket() {
        let sealed = desk(1).seal(&ticket());
        assert_eq!(desk(2).open(&sealed, NOW), Err(BadTicket));
        let other = desk(2).seal(&Ticket { account: PaymentAccountId(8), ..ticket() });
        let (payload, _) = other.split_once('.').unwrap();
        let (_, signed) = sealed.split_once('.').unwrap();
        for forged in [format!("{payload}.{signed}"), String::new(), ".".to_owned(), "票据.票据".to_owned()]
        {
            assert_eq!(desk(1).open(&forged, NOW), Err(BadTicket), "{forged}");
        }
    }

    #[test]
    fn the_provider_may_send_browsers_to_web_pages_only() {
        let told = |url: &str| redirect_in(json!({ "redirectUrl": url }).to_string().as_bytes());
        for good in ["https://pay.example/password?token=1", "http://127.0.0.1:8081/p"] {
            assert_eq!(told(good).as_deref(), Some(good));
        }
        let long = format!("https://pay.example/{}", "x".repeat(URL_MAX_BYTES));
        for bad in ["javascript:alert(1)", "/password", "ftp://pay.example", "https://", "", &long] {
            assert_eq!(told(bad), None, "{bad}");
        }
        assert_eq!(redirect_in(b"{}"), None);
        assert_eq!(redirect_in(b"<html>"), None);
    }
}
