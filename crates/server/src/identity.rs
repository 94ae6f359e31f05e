//! Who says whether a name and an identity number belong together: an adapter, chosen by configuration (`docs/identity-port.md`).

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use riding::ports::{IdentityProof, PortError};
use serde::Deserialize;
use serde_json::json;

const TIMEOUT: Duration = Duration::from_secs(8);
/// A larger answer is none.
const ANSWER_MAX_BYTES: usize = 16 * 1024;
/// Of what an authority says, so many characters are shown.
const REASON_MAX: usize = 100;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IdentityAdapter {
    /// Nobody: nobody can be verified.
    Off,
    /// Nobody: what has the right form is believed; development only.
    Form,
    /// An HTTP gateway.
    Http,
}

/// Who is asked who people are.
#[derive(Args, Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "they are flags of the command line beside others")]
pub struct IdentitySettings {
    /// off, http, or form (development only: a name and a number with the right check digit are believed). Left out: form in
    /// development, else off.
    #[arg(long, env = "IDENTITY_ADAPTER")]
    pub identity_adapter: Option<IdentityAdapter>,
    /// Address that is asked whether a name and an identity number belong together.
    #[arg(long, env = "IDENTITY_URL")]
    pub identity_url: Option<String>,
    /// Token that we are known by there.
    #[arg(long, env = "IDENTITY_TOKEN", hide_env_values = true)]
    pub identity_token: Option<String>,
}

impl IdentitySettings {
    fn adapter(&self, development: bool) -> IdentityAdapter {
        let usual = if development { IdentityAdapter::Form } else { IdentityAdapter::Off };
        self.identity_adapter.unwrap_or(usual)
    }

    /// Whether anything is set that only development may have, or that cannot be.
    pub fn check(&self, development: bool) -> Result<()> {
        let adapter = self.adapter(development);
        ensure!(
            development || adapter != IdentityAdapter::Form,
            "IDENTITY_ADAPTER=form believes everybody and is for WHEELHOUSE_PROFILE=development only; \
             set IDENTITY_ADAPTER=http and IDENTITY_URL, or IDENTITY_ADAPTER=off"
        );
        ensure!(
            adapter != IdentityAdapter::Http || self.identity_url.is_some(),
            "IDENTITY_ADAPTER=http needs IDENTITY_URL"
        );
        Ok(())
    }

    /// Who is asked.
    pub fn proof(&self, development: bool) -> Result<Arc<dyn IdentityProof>> {
        Ok(match (self.adapter(development), &self.identity_url) {
            (IdentityAdapter::Off, _) => Arc::new(NoAuthority),
            (IdentityAdapter::Form, _) => Arc::new(FormAlone),
            (IdentityAdapter::Http, Some(url)) => {
                let token = self.identity_token.clone().unwrap_or_default();
                Arc::new(HttpAuthority::new(url.clone(), token)?)
            }
            (IdentityAdapter::Http, None) => bail!("IDENTITY_ADAPTER=http needs IDENTITY_URL"),
        })
    }
}

/// While no authority is connected nobody can be verified.
struct NoAuthority;

#[async_trait]
impl IdentityProof for NoAuthority {
    async fn check(&self, _name: &str, _id_no: &str) -> Result<Result<(), String>, PortError> {
        Ok(Err("尚未接入实名核验，请联系管理员".to_owned()))
    }
}

/// In development a name and a number are as good as their form says, which the model has judged.
struct FormAlone;

#[async_trait]
impl IdentityProof for FormAlone {
    async fn check(&self, _name: &str, _id_no: &str) -> Result<Result<(), String>, PortError> {
        Ok(Ok(()))
    }
}

/// Posts `{name, idNo}` as JSON to an address, with a bearer token; `{matches, reason}` comes back.
struct HttpAuthority {
    client: reqwest::Client,
    url: String,
    token: String,
}

/// What an authority says.
#[derive(Deserialize)]
struct Said {
    matches: bool,
    /// Why not, for the rider to read.
    #[serde(default)]
    reason: String,
}

impl HttpAuthority {
    fn new(url: String, token: String) -> Result<Self> {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { client, url, token })
    }
}

#[async_trait]
impl IdentityProof for HttpAuthority {
    async fn check(&self, name: &str, id_no: &str) -> Result<Result<(), String>, PortError> {
        let body = json!({ "name": name, "idNo": id_no });
        let request = self.client.post(&self.url).bearer_auth(&self.token).json(&body);
        let mut answer = request.send().await.map_err(reqwest::Error::without_url)?;
        if !answer.status().is_success() {
            return Err(format!("the identity authority answered with status {}", answer.status()).into());
        }
        let mut content = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(reqwest::Error::without_url)? {
            content.extend_from_slice(&chunk);
            if content.len() > ANSWER_MAX_BYTES {
                return Err("the identity authority's answer is too large".into());
            }
        }
        // What it said may name the person: of an answer that cannot be read only the fact is told.
        let said: Said =
            serde_json::from_slice(&content).map_err(|_| "the identity authority's answer cannot be read")?;
        let why: String = said.reason.trim().chars().take(REASON_MAX).collect();
        Ok(match said.matches {
            true => Ok(()),
            false if why.is_empty() => Err("姓名与身份证号不一致，请核对后重试".to_owned()),
            false => Err(why),
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::State;
    use axum::http::{HeaderMap, StatusCode};
    use axum::routing::post;
    use axum::{Json, Router};
    use serde_json::Value;

    use super::*;

    const ZHANG: (&str, &str) = ("张三", "11010519491231002X");

    /// An authority that knows one person, and answers oddly about some.
    async fn answer(
        State(token): State<&'static str>,
        headers: HeaderMap,
        Json(asked): Json<Value>,
    ) -> (StatusCode, String) {
        if headers.get("authorization").and_then(|told| told.to_str().ok()) != Some(token) {
            return (StatusCode::UNAUTHORIZED, String::new());
        }
        let ok = |content: Value| (StatusCode::OK, content.to_string());
        match (asked["name"].as_str().unwrap(), asked["idNo"].as_str().unwrap()) {
            (name, id_no) if (name, id_no) == ZHANG => ok(json!({ "matches": true })),
            ("王五", _) => ok(json!({ "matches": false, "reason": " 该证件已注销 " })),
            ("忙", _) => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
            ("乱", _) => (StatusCode::OK, "<html>".to_owned()),
            ("长", _) => ok(json!({ "matches": true, "reason": "x".repeat(ANSWER_MAX_BYTES) })),
            _ => ok(json!({ "matches": false })),
        }
    }

    async fn authority() -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/check", listener.local_addr().unwrap());
        let router = Router::new().route("/check", post(answer)).with_state("Bearer secret");
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        url
    }

    fn settings(url: &str, token: &str) -> IdentitySettings {
        IdentitySettings {
            identity_adapter: Some(IdentityAdapter::Http),
            identity_url: Some(url.to_owned()),
            identity_token: Some(token.to_owned()),
        }
    }

    #[tokio::test]
    async fn an_authority_is_asked_over_http_and_believed() {
        let url = authority().await;
        let proof = settings(&url, "secret").proof(false).unwrap();
        assert_eq!(proof.check(ZHANG.0, ZHANG.1).await.unwrap(), Ok(()));
        let differs = Err("姓名与身份证号不一致，请核对后重试".to_owned());
        assert_eq!(proof.check("李四", ZHANG.1).await.unwrap(), differs);
        assert_eq!(proof.check("王五", ZHANG.1).await.unwrap(), Err("该证件已注销".to_owned()));
        for odd in ["忙", "乱", "长"] {
            let told = proof.check(odd, ZHANG.1).await.unwrap_err().to_string();
            assert!(
                told.contains("authority") && !told.contains(ZHANG.1),
                "no doubt is taken for a no: {told}"
            );
        }
        let stranger = settings(&url, "wrong").proof(false).unwrap();
        assert!(stranger.check(ZHANG.0, ZHANG.1).await.is_err());
        let away = settings("http://127.0.0.1:1/check", "secret").proof(false).unwrap();
        assert!(away.check(ZHANG.0, ZHANG.1).await.is_err());
    }

    #[tokio::test]
    async fn nobody_is_believed_by_his_form_outside_of_development() {
        let named = |adapter| IdentitySettings { identity_adapter: Some(adapter), ..Default::default() };
        assert!(named(IdentityAdapter::Form).check(false).is_err());
        assert!(named(IdentityAdapter::Form).check(true).is_ok());
        assert!(named(IdentityAdapter::Http).check(true).is_err(), "it has no address");
        assert!(settings("http://id", "").check(false).is_ok());
        let usual = IdentitySettings::default();
        assert!(usual.check(false).is_ok() && usual.check(true).is_ok());
        assert_eq!(usual.proof(true).unwrap().check(ZHANG.0, ZHANG.1).await.unwrap(), Ok(()));
        assert!(usual.proof(false).unwrap().check(ZHANG.0, ZHANG.1).await.unwrap().is_err());
    }
}
