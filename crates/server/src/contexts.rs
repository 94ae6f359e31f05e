//! The contexts put together: who gets what of whom.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use access::{Access, AccessConfig, AccessDirectory, HttpGateway, LogGateway, SmsGateway, WebConfig};
use anyhow::{Context, Result, bail, ensure};
use approvals::{Approvals, Deed};
use async_trait::async_trait;
use attachments::Attachments;
use audit::Audit;
use feeds::Feeds;
use fleet::Fleet;
use fleet::credential::DeviceKey;
use kernel::{MasterKey, Projector, Reactor, Runtime};
use live::Memory;
use live::push::{Details, Hub, HubParts, Limits};
use riding::Context as Riding;
use serde_json::Value;
use territory::app::atlas::Judges;
use vocabulary::{AgentId, AreaId, DataOwner, Scope};
use wire::{Encryption, Revocations, Routes, SecretKey, Seen, Sessions, Share, TokenKeys, Wire, WireConfig};

use crate::adapters::{AreasOfTerritory, LiveOfMemory, NatsDownlink};
use crate::agents::{BikesOfFleet, PermissionsOfAccess, StopsOfLive, TerritoryAgentStanding};
use crate::area_configs::ConfigsOfAreas;
use crate::audit_schemas::schemas;
use crate::authentication::WireAuthentication;
use crate::base_map::BaseMap;
use crate::config::{Profile, Settings, SmsAdapter, WireEncryption};
use crate::descriptors::fitted;
use crate::finances::{AccountsOfFinance, CodesBySms, StandingsOfAccess, TerritoryAgents, password_desk};
use crate::health::Health;
use crate::messages::MessagesBySms;
use crate::order_life::LifeOfOrders;
use crate::rides::{BikesOfFleet as BikesOfStreets, LockAnswers, PlacesOfTerritory};
use crate::rules_ahead;
use crate::screens::{self, Screens};
use crate::secrets::Secrets;
use crate::staff::{PeopleOfAccess, StaffOfAccess};

/// Tables that may be watched as `read/<table>`, each with the codes of which one is needed; without any, by everybody.
const WATCHED: &[(&str, &[&str])] = &[
    ("role", &["1001"]),
    ("operator", &["1002"]),
    ("operator_device", &["1002"]),
    ("agent", &["1101", "01"]),
    ("agent_role", &["1102"]),
    ("franchisee", &["1101"]),
    ("area", &["1103", "0503", "0301"]),
    ("fence", &["0503", "0504", "0505", "0908", "0301"]),
    ("park_application", &["0910"]),
    ("vehicle", &["0301", "0302", "0305", "0307"]),
    ("alarm_ticket", &["0301", "0302"]),
    ("device_command", &["0301", "0305"]),
    ("firmware", &["06"]),
    ("shift_note", &["0301"]),
    ("voltage_scheme", &["06"]),
    ("payment_account", &["financial_02", "financial_06"]),
    ("audit_entry", &["1404"]),
    ("approval", &[]),
    ("rider", &["070101"]),
    ("ride_order", &["1601"]),
    ("mispricing", &["1601"]),
    ("ledger_entry", &["070101"]),
    ("payment", &["070101", "1601"]),
    ("card_product", &["1703", "1705"]),
    ("card_holding", &["070101"]),
    ("certification", &["0703"]),
    ("rebinding", &["0704"]),
    ("blacklist_entry", &["08"]),
    ("revenue_day", &["150101"]),
];

/// Everything at work.
pub struct Contexts {
    /// Operators, roles, the way in.
    pub access: Arc<Access>,
    /// Bikes.
    pub fleet: Fleet,
    /// Payment accounts.
    pub finance: finance::Context,
    /// Second persons.
    pub approvals: Approvals,
    /// Riders and what they ride.
    pub riding: Riding,
    /// Who did what.
    pub audit: Arc<Audit>,
    /// Photos and documents that cases hold.
    pub attachments: Attachments,
    /// What readers outside may know.
    pub feeds: Feeds,
    /// The wire.
    pub wire: Arc<Wire>,
    /// Agents, areas, parking places.
    territory: territory::Context,
    /// Walls.
    screens: Screens,
}

/// Read models of all contexts.
pub fn projectors(runtime: &Runtime) -> Vec<Arc<dyn Projector>> {
    let mut all = of_tables_alone();
    all.extend(audit::projectors(runtime, schemas()));
    rules_ahead::of_this_program(all)
}

/// Name and version of the rules of each of them.
pub fn versions() -> Vec<(&'static str, i32)> {
    let others = of_tables_alone();
    let written = others.iter().map(|one| (one.name(), one.version())).chain([audit::read::RULES]);
    written.map(|(name, version)| (name, version + rules_ahead::ahead())).collect()
}

/// Read models that look at nothing but their events and tables.
fn of_tables_alone() -> Vec<Arc<dyn Projector>> {
    let mut all = access::projectors();
    all.extend(territory::projectors());
    all.extend(fleet::projectors(Arc::new(LifeOfOrders)));
    all.extend(finance::projectors());
    all.extend(ledger::projectors());
    all.extend(riding::projectors());
    all.extend(approvals::projectors());
    all
}

/// What may need a second person, of all contexts.
fn deeds(runtime: &Runtime) -> Vec<Arc<dyn Deed>> {
    let mut all = territory::deeds(runtime);
    all.extend(riding::deeds(runtime));
    all
}

/// Which context each category of events belongs to, for the relay's subjects.
pub fn contexts() -> HashMap<&'static str, &'static str> {
    [
        ("access", &["role", "operator", "operator-device", "machine"][..]),
        (
            "territory",
            &["agent", "agent-role", "ally", "area", "fence", "fence-batch", "crew", "park-application"],
        ),
        (
            "fleet",
            &["vehicle", "device", "device-command", "firmware", "map-view", "shift-note", "voltage-scheme"],
        ),
        ("finance", &["payment-account"]),
        ("ledger", &["ledger-book"]),
        (
            "riding",
            &[
                "rider",
                "ride-order",
                "payment",
                "billing-config",
                "return-config",
                "use-config",
                "pay-config",
                "riding-permission",
                "alarm-config",
                "card-product",
                "rider-cards",
                "certification",
                "rebinding",
                "blacklist-entry",
                "return-review",
                "mispricing",
            ],
        ),
        ("audit", &["access-record"]),
        ("approvals", &["approval", "approval-limits"]),
    ]
    .into_iter()
    .flat_map(|(context, categories)| categories.iter().map(move |category| (*category, context)))
    .collect()
}

impl Contexts {
    /// Puts them together, for a process that may have `descriptors` files and connections open.
    pub async fn open(
        runtime: &Runtime,
        settings: &Settings,
        secrets: &Secrets,
        memory: &Memory,
        attachments: Attachments,
        descriptors: u64,
    ) -> Result<Self> {
        let master = MasterKey::new(secrets.master);
        let revocations = Revocations::new(runtime.nats.clone());
        let sessions = Sessions::new(runtime.pools.app.clone(), &master, revocations);
        let tokens = TokenKeys::from_seed(&SecretKey::new(secrets.token));
        let agents = Arc::new(TerritoryAgentStanding::new(runtime.clone()));
        let finances = Arc::new(AccountsOfFinance::new(runtime.clone()));
        let directory = AccessDirectory::new(runtime.clone()).with_agents(agents).with_finances(finances);
        let directory = Arc::new(directory);
        let wire = Wire::start(
            wire_config(settings, descriptors)?,
            runtime.pools.app.clone(),
            &master,
            tokens.clone(),
            sessions.clone(),
            Arc::clone(&runtime.clock),
            Arc::<AccessDirectory>::clone(&directory),
        )
        .await
        .context("the wire cannot open")?;
        let config = AccessConfig {
            fixed_sms_code: settings.sms_fixed_code.clone(),
            calls_per_minute: if settings.profile == Profile::Development { 600 } else { 30 },
            web: web_config(settings)?,
            image_sources: settings.image_sources()?,
            ..AccessConfig::default()
        };
        let sms = gateway(settings)?;
        let ports = finance::ports::Ports {
            agents: Arc::new(TerritoryAgents::new(runtime.clone())),
            codes: Arc::new(CodesBySms::new(Arc::clone(&sms), settings.sms_fixed_code.clone())),
            standings: Arc::new(StandingsOfAccess(Arc::clone(&directory))),
            passwords: password_desk(settings, &master)?,
        };
        let standings = Arc::new(PeopleOfAccess::new(runtime.clone(), Arc::clone(&directory)));
        let approvals = Approvals::new(runtime.clone(), standings, deeds(runtime));
        let finance = finance::Context::new(runtime.clone(), ports, &master);
        let messages = Arc::new(MessagesBySms(Arc::clone(&sms)));
        let ports = access::Ports { sms, areas: Arc::new(AreasOfTerritory::new(runtime.clone())) };
        let access = Access::new(runtime.clone(), sessions, tokens, directory, ports, &master, config);
        let fleet = Fleet {
            runtime: runtime.clone(),
            areas: Arc::new(AreasOfTerritory::new(runtime.clone())),
            live: Arc::new(LiveOfMemory(memory.clone())),
            devices: DeviceKey::new(secrets.device),
            street: fleet::street::Street::default(),
        };
        let judges = Judges::default();
        let ports = territory::ports::Ports {
            permissions: Arc::new(PermissionsOfAccess),
            bikes: Arc::new(BikesOfFleet::new(runtime.clone(), memory.clone())),
            stops: Arc::new(StopsOfLive::new(runtime.clone())),
            people: Arc::new(StaffOfAccess::new(runtime.clone())),
            attachments: attachments.clone(),
            approvals: approvals.clone(),
        };
        let territory = territory::Context::new(runtime.clone(), ports, judges.clone());
        let screens = Screens::new(runtime.clone(), memory.clone(), territory.clone());
        let ports = riding::ports::Ports {
            bikes: Arc::new(BikesOfStreets::new(fleet.clone(), memory.clone())),
            places: Arc::new(PlacesOfTerritory::new(runtime.clone(), judges)),
            identity: settings.identity.proof(settings.profile == Profile::Development)?,
            provider: crate::payments::provider(settings, secrets)?,
            messages,
            attachments: attachments.clone(),
            approvals: approvals.clone(),
        };
        let riding = Riding::new(runtime.clone(), ports, &master);
        let audit = Audit::new(runtime.clone(), schemas());
        wire.audited_by(audit.audit_sink());
        let feeds = Feeds::new(runtime.clone(), memory.clone(), settings.feeds.about(), &master);
        Ok(Self {
            access,
            fleet,
            finance,
            approvals,
            riding,
            audit,
            attachments,
            feeds,
            wire,
            territory,
            screens,
        })
    }

    /// The routes of all contexts.
    pub fn routes(&self, base_map: BaseMap, health: Health) -> Routes {
        access::routes(Arc::clone(&self.access))
            .merge(territory::routes(&self.territory))
            .merge(screens::routes(&self.screens))
            .merge(attachments::http::routes(&self.attachments))
            .merge(fleet::routes(&self.fleet))
            .merge(finance::routes(&self.finance))
            .merge(riding::routes(&self.riding))
            .merge(approvals::routes(&self.approvals))
            .merge(audit::routes(Arc::clone(&self.audit)))
            .merge(feeds::routes(&self.feeds))
            .merge(crate::base_map::routes(base_map))
            .merge(crate::health::routes(health))
    }

    /// What answers events.
    pub fn reactors(&self, runtime: &Runtime) -> Vec<Arc<dyn Reactor>> {
        let mut all = access::reactors(&self.access);
        all.extend(fleet::reactors(&self.fleet, Arc::new(NatsDownlink::new(runtime.nats.clone()))));
        all.push(Arc::new(LockAnswers::new(self.riding.clone())));
        all.push(Arc::new(ConfigsOfAreas::new(runtime.clone())));
        all
    }

    /// The websocket's hub, with its beat.
    pub fn hub(&self, runtime: &Runtime, memory: &Memory) -> Arc<Hub> {
        let tables: HashMap<String, Vec<&'static str>> =
            WATCHED.iter().map(|(table, codes)| ((*table).to_owned(), codes.to_vec())).collect();
        Hub::start(HubParts {
            memory: memory.clone(),
            authentication: WireAuthentication::new(Arc::clone(&self.wire)),
            details: Arc::new(DetailsOfFleet(self.fleet.clone())),
            screens: Arc::new(self.screens.clone()),
            clock: Arc::clone(&runtime.clock),
            tables,
            limits: Limits::default(),
            instance: hex::encode(rand::random::<[u8; 16]>()),
            stop: runtime.stopping(),
        })
    }
}

/// Refuses a route table with codes that nobody can hold.
pub fn check_codes(table: &[wire::RouteInfo]) -> Result<()> {
    let unknown = access::unknown_codes(table);
    ensure!(
        unknown.is_empty(),
        "routes need permission codes that are not in the tree: {}",
        unknown.join(", ")
    );
    Ok(())
}

struct DetailsOfFleet(Fleet);

#[async_trait]
impl Details for DetailsOfFleet {
    async fn of(&self, car_id: &str) -> Result<Option<(DataOwner, Value)>, live::push::PortError> {
        let found = fleet::http::vehicles::detail_of(&self.0, &Scope::ALL, Seen(None), car_id).await?;
        let Some(detail) = found else { return Ok(None) };
        let owner = DataOwner::of_area(AgentId(detail.agent_id.parse()?), AreaId(detail.area_id.parse()?));
        Ok(Some((owner, serde_json::to_value(detail)?)))
    }
}

fn wire_config(settings: &Settings, descriptors: u64) -> Result<WireConfig> {
    let trusted_proxies = settings
        .trusted_proxies
        .iter()
        .map(|text| text.parse().map_err(|_| anyhow::anyhow!("{text} is no address of a proxy")))
        .collect::<Result<_>>()?;
    let development = settings.profile == Profile::Development;
    let usual = WireConfig::default();
    let bounds = settings.bounds;
    let wanted = [bounds.connections, bounds.sockets];
    let [connections, sockets] = fitted(wanted, descriptors);
    if [connections, sockets] != wanted {
        tracing::warn!(
            descriptors,
            connections,
            sockets,
            "fewer clients than configured: too few descriptors"
        );
    }
    // What one address may use stays a part of the whole.
    let share = |all: usize, wanted: usize, each: usize| Share {
        all,
        each: (each as u128 * all as u128 / wanted.max(1) as u128) as usize,
    };
    Ok(WireConfig {
        encryption: match settings.wire_encryption {
            WireEncryption::Required => Encryption::Required,
            WireEncryption::Optional => Encryption::Optional,
        },
        cors_origins: settings.cors_origins()?,
        chat_origins: settings.chat_origins()?,
        image_sources: settings.image_sources()?,
        trusted_proxies,
        connections: share(connections, bounds.connections, bounds.connections_per_address),
        sockets: share(sockets, bounds.sockets, bounds.sockets_per_address),
        requests: Share { all: bounds.requests, each: bounds.requests_per_address },
        idle_timeout: Duration::from_secs(bounds.idle_seconds.into()),
        exchange_key_bits: settings.exchange_key_bits,
        key_exchanges_per_minute: if development { 600 } else { usual.key_exchanges_per_minute },
        ..usual
    })
}

fn web_config(settings: &Settings) -> Result<WebConfig> {
    let usual = WebConfig::default();
    let mut tiles = settings.tiles()?;
    if settings.base_map.is_some() && tiles.kind == usual.tiles.kind {
        tiles.url = format!("{}/map/base", wire::BASE);
    }
    Ok(WebConfig { setting_drawer: settings.profile == Profile::Development, tiles, ..usual })
}

fn gateway(settings: &Settings) -> Result<Arc<dyn SmsGateway>> {
    match (settings.sms_adapter, &settings.sms_gateway_url) {
        (SmsAdapter::Log, _) => Ok(Arc::new(LogGateway)),
        (SmsAdapter::Http, Some(url)) => {
            let token = settings.sms_gateway_token.clone().unwrap_or_default();
            Ok(Arc::new(HttpGateway::new(url.clone(), token)?))
        }
        (SmsAdapter::Http, None) => bail!("SMS_ADAPTER=http needs SMS_GATEWAY_URL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_that_may_be_watched_is_in_the_document_with_its_codes() {
        let document = include_str!("../../../docs/push.md");
        for (table, codes) in WATCHED {
            let line = document.lines().find(|line| line.starts_with(&format!("| `{table}` |")));
            let line = line.unwrap_or_else(|| panic!("docs/push.md does not tell of {table}"));
            let codes = if codes.is_empty() { "—".to_owned() } else { codes.join(", ") };
            assert!(line.ends_with(&format!("| {codes} |")), "{line}");
        }
    }
}
