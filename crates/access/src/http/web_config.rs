//! How a client's web application looks: branding, addresses, map tiles.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use wire::{Answer, ClientAddress, Handled, Params, Refused, given};

use super::tiles::Tiles;
use crate::{Access, sign_in_store};

/// Longest host name.
const DOMAIN_MAX: usize = 253;

/// Web configuration of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebConfig {
    /// Title of pages and of the login.
    pub title: String,
    /// Address of the logo.
    pub logo: String,
    /// Company in the footer.
    pub company: String,
    /// Filing number (备案) in the footer.
    pub filing: String,
    /// Names the client's agent at `byApiKey`.
    pub api_key: String,
    /// `obs` sends SMS codes through the other path.
    pub storage_type: String,
    /// Header `X-App-Id` of SMS calls.
    pub app_id: String,
    /// Address of the main API; empty: the same as the page's.
    pub main_host: String,
    /// Address of the financial API; empty: the same as the page's.
    pub financial_host: String,
    /// Address of the device API; empty: the same as the page's.
    pub device_host: String,
    /// Agent of financial calls while none is known.
    pub default_agent_id: String,
    /// Overrides of the layout's settings.
    pub settings: Value,
    /// Whether the settings drawer shows.
    pub setting_drawer: bool,
    /// Address of the chat widget's script; empty: the local panel.
    pub chat_script: String,
    /// Where map tiles come from.
    pub tiles: Tiles,
    /// Whether a neutral brand is shown instead of the client's.
    pub hide_client: bool,
}

impl Default for WebConfig {
    fn default() -> Self {
        Self {
            title: "惠行出行运营平台".to_owned(),
            logo: "./favicon.svg".to_owned(),
            company: "惠行出行".to_owned(),
            filing: String::new(),
            api_key: String::new(),
            storage_type: "local".to_owned(),
            app_id: String::new(),
            main_host: String::new(),
            financial_host: String::new(),
            device_host: String::new(),
            default_agent_id: "2".to_owned(),
            settings: Value::Object(serde_json::Map::new()),
            setting_drawer: false,
            chat_script: String::new(),
            tiles: Tiles::default(),
            hide_client: false,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfDomain {
    /// Host name of the page.
    domain: Option<String>,
}

/// The web configuration for a host name; for unknown ones the default.
#[utoipa::path(get, path = "/web/config", tag = "access", operation_id = "webConfig",
    params(OfDomain), responses((status = 200, body = Answer<WebConfig>)))]
pub(crate) async fn web_config(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    Params(query): Params<OfDomain>,
) -> Handled<WebConfig> {
    access.open_limit.check(address)?;
    let domain = given(query.domain.as_ref()).unwrap_or_default();
    if domain.len() > DOMAIN_MAX || domain.chars().any(char::is_control) {
        return Err(Refused::malformed("域名不正确"));
    }
    let Some(own) = sign_in_store::web_config(&access.runtime.pools.app, domain).await? else {
        return Ok(Answer(access.config.web.clone()));
    };
    let mut config = merged(&access.config.web, own).map_err(Refused::internal)?;
    let fit = config.tiles.check().and_then(|()| config.tiles.let_in_by(&access.config.image_sources));
    if let Err(fault) = fit {
        // A page without that map is better than no page.
        tracing::error!(domain, %fault, "the tiles of a web configuration are not shown");
        config.tiles = access.config.web.tiles.clone();
    }
    Ok(Answer(config))
}

/// The default with the keys that a client sets for itself.
fn merged(default: &WebConfig, own: serde_json::Map<String, Value>) -> serde_json::Result<WebConfig> {
    let mut whole = serde_json::to_value(default)?;
    if let Value::Object(keys) = &mut whole {
        keys.extend(own);
    }
    serde_json::from_value(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn brand_a_client_sets_what_it_wants_and_keeps_the_rest() {
        let Value::Object(own) = json!({"title": "骑行宝", "tiles": {"kind": "none"}}) else {
            panic!("an object was written")
        };
        let config = merged(&WebConfig::default(), own).unwrap();
        assert_eq!(config.title, "骑行宝");
        assert_eq!(config.tiles, Tiles { kind: "none".into(), ..Tiles::default() });
        assert_eq!(config.company, WebConfig::default().company);
    }
}
