//! The payment provider that is set, if one is.

use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use payment_port::{Client, PaymentPort, PortError, Signer, Verifier, day_of};
use riding::http::open_payments::NOTICE_PATH;
use vocabulary::{Clock, SystemClock};

use crate::config::Settings;
use crate::secrets::Secrets;

/// Which provider is asked for money (`docs/payment-port.md`); its secret is PAYMENT_SECRET or `payment.secret` in the state
/// folder. Left out: none, and nothing can be paid.
#[derive(Clone, Debug, Default, Args)]
pub struct PaymentSettings {
    /// Address of the payment provider, or of an adapter in front of it, to which /v1/… is added.
    #[arg(id = "payment_url", long = "payment-url", env = "PAYMENT_URL")]
    pub url: Option<String>,
    /// Which merchant we are there.
    #[arg(id = "payment_merchant", long = "payment-merchant", env = "PAYMENT_MERCHANT")]
    pub merchant: Option<String>,
    /// How the payment provider reaches us, without a path: its notices go there.
    #[arg(id = "payment_notify_url", long = "payment-notify-url", env = "PAYMENT_NOTIFY_URL")]
    pub notify_url: Option<String>,
}

/// A provider that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider<'a> {
    /// Where it is.
    pub url: &'a str,
    /// Who we are there.
    pub merchant: &'a str,
    /// How it reaches us, without a slash at the end.
    pub notify_url: &'a str,
}

impl PaymentSettings {
    /// The provider; nothing when none is set. Half of one is refused.
    pub fn provider(&self) -> Result<Option<Provider<'_>>> {
        let told = [&self.url, &self.merchant, &self.notify_url];
        let told = told.map(|setting| setting.as_deref().map(str::trim).filter(|text| !text.is_empty()));
        match told {
            [None, None, None] => Ok(None),
            [Some(url), Some(merchant), Some(notify_url)] => {
                let at = notify_url.parse::<axum::http::Uri>().ok();
                let scheme = at.as_ref().and_then(axum::http::Uri::scheme_str);
                let bare =
                    at.as_ref().and_then(axum::http::Uri::path_and_query).is_none_or(|path| path == "/");
                ensure!(
                    matches!(scheme, Some("http" | "https")) && bare,
                    "PAYMENT_NOTIFY_URL: {notify_url}: an http or https address without a path"
                );
                Ok(Some(Provider { url, merchant, notify_url: notify_url.trim_end_matches('/') }))
            }
            _ => bail!("PAYMENT_URL, PAYMENT_MERCHANT and PAYMENT_NOTIFY_URL are set together or not at all"),
        }
    }
}

/// The provider's client; nothing when none is set.
pub fn client(settings: &PaymentSettings, secrets: &Secrets) -> Result<Option<Client>> {
    let Some(provider) = settings.provider()? else { return Ok(None) };
    let secret = secrets.payment.clone().context(
        "PAYMENT_URL needs the secret that the provider knows us by: set PAYMENT_SECRET, or write it to payment.secret in the \
         state folder (mode 600)",
    )?;
    let signer = Signer::new(provider.merchant, secret).with_context(|| {
        format!("PAYMENT_MERCHANT: {}: 1 to 64 letters, digits, - or _", provider.merchant)
    })?;
    let client = Client::new(provider.url, signer, Arc::new(SystemClock));
    client.map(Some).with_context(|| format!("PAYMENT_URL: {}", provider.url))
}

/// The provider as riding asks him; nothing when none is set.
pub fn provider(settings: &Settings, secrets: &Secrets) -> Result<Option<Arc<riding::ports::Provider>>> {
    let Some(provider) = settings.payment.provider()? else { return Ok(None) };
    let Some(client) = client(&settings.payment, secrets)? else { return Ok(None) };
    let signer = secrets.payment.clone().and_then(|secret| Signer::new(provider.merchant, secret));
    let signer = signer.context("PAYMENT_MERCHANT and the secret were good a moment ago")?;
    Ok(Some(Arc::new(riding::ports::Provider {
        port: Arc::new(client),
        notify_url: format!("{}{NOTICE_PATH}", provider.notify_url),
        verifier: Verifier::new(signer),
    })))
}

/// Asks the provider something that changes nothing: whether it is there, and knows us.
pub async fn answers(port: &dyn PaymentPort) -> Result<(), PortError> {
    port.statement(day_of(SystemClock.now()), None).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str, merchant: &str, notify_url: &str) -> PaymentSettings {
        let set = |text: &str| Some(text.to_owned());
        PaymentSettings { url: set(url), merchant: set(merchant), notify_url: set(notify_url) }
    }

    #[test]
    fn without_settings_there_is_no_provider_and_half_of_one_is_refused() {
        assert_eq!(PaymentSettings::default().provider().unwrap(), None);
        assert_eq!(settings("", " ", "").provider().unwrap(), None, "set to nothing");
        for half in
            [settings("http://p", "", ""), settings("", "m", "http://us"), settings("http://p", "m", "")]
        {
            assert!(half.provider().unwrap_err().to_string().contains("set together"), "{half:?}");
        }
    }

    #[test]
    fn settings_are_flags_too() {
        use clap::Parser;
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            payment: PaymentSettings,
        }
        let words = [
            "x",
            "--payment-url",
            "http://p",
            "--payment-merchant",
            "m",
            "--payment-notify-url",
            "http://us",
        ];
        let told = Line::parse_from(words).payment;
        let provider = Provider { url: "http://p", merchant: "m", notify_url: "http://us" };
        assert_eq!(told.provider().unwrap(), Some(provider));
    }

    #[test]
    fn notices_come_to_an_address_without_a_path() {
        let of = |notify_url: &str| {
            settings("http://p", "m", notify_url)
                .provider()
                .map(|found| found.map(|p| p.notify_url.to_owned()))
        };
        assert_eq!(of("https://ops.example.com/").unwrap().as_deref(), Some("https://ops.example.com"));
        assert_eq!(of("http://127.0.0.1:8080").unwrap().as_deref(), Some("http://127.0.0.1:8080"));
        for wrong in ["ops.example.com", "ftp://ops", "http://ops/notices", "http://ops?a=1"] {
            assert!(of(wrong).unwrap_err().to_string().starts_with("PAYMENT_NOTIFY_URL"), "{wrong}");
        }
    }
}
