//! Sending codes and short texts by SMS: an adapter, chosen by configuration.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use vocabulary::Phone;

const TIMEOUT: Duration = Duration::from_secs(8);

/// The code could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum SmsError {
    /// The provider did not answer in time or not at all.
    #[error("the SMS provider cannot be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The provider said no.
    #[error("the SMS provider refused with status {0}")]
    Refused(u16),
}

/// Sends codes that prove a phone, and texts.
#[async_trait]
pub trait SmsGateway: Send + Sync + 'static {
    /// Sends `code`, good for `minutes`, to `phone`; done when the provider took it.
    async fn send_code(&self, phone: &Phone, code: &str, minutes: i64) -> Result<(), SmsError>;

    /// Sends `text` to `phone`; done when the provider took it.
    async fn send_text(&self, phone: &Phone, text: &str) -> Result<(), SmsError>;
}

/// Prints codes to the log (target `sms`) instead of sending them. For development only: the server refuses to start
/// with it in the production profile.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogGateway;

#[async_trait]
impl SmsGateway for LogGateway {
    async fn send_code(&self, phone: &Phone, code: &str, minutes: i64) -> Result<(), SmsError> {
        tracing::info!(target: "sms", phone = %phone.masked(), code, minutes, "SMS code");
        Ok(())
    }

    async fn send_text(&self, phone: &Phone, text: &str) -> Result<(), SmsError> {
        tracing::info!(target: "sms", phone = %phone.masked(), text, "SMS");
        Ok(())
    }
}

/// Posts `{phone, code, minutes}`, or `{phone, text}`, as JSON to a provider's address, with a bearer token.
pub struct HttpGateway {
    client: reqwest::Client,
    url: String,
    token: String,
}

impl HttpGateway {
    /// `url`: where to post; `token`: what the provider knows us by.
    pub fn new(url: String, token: String) -> Result<Self, SmsError> {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| SmsError::Unreachable(Box::new(error)))?;
        Ok(Self { client, url, token })
    }
}

impl std::fmt::Debug for HttpGateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpGateway").field("url", &self.url).finish_non_exhaustive()
    }
}

#[async_trait]
impl SmsGateway for HttpGateway {
    async fn send_code(&self, phone: &Phone, code: &str, minutes: i64) -> Result<(), SmsError> {
        self.post(&json!({ "phone": phone, "code": code, "minutes": minutes })).await
    }

    async fn send_text(&self, phone: &Phone, text: &str) -> Result<(), SmsError> {
        self.post(&json!({ "phone": phone, "text": text })).await
    }
}

impl HttpGateway {
    async fn post(&self, body: &Value) -> Result<(), SmsError> {
        let answer = self
            .client
            .post(&self.url)
            .bearer_auth(&self.token)
            .json(body)
            .send()
            .await
            .map_err(|error| SmsError::Unreachable(Box::new(error.without_url())))?;
        if answer.status().is_success() { Ok(()) } else { Err(SmsError::Refused(answer.status().as_u16())) }
    }
}
