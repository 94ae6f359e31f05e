//! Tables `config` and `config_version`: what is configured of service areas, and when each version of it counts.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Actor, Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::versions::{Times, counts, multirange};
use vocabulary::{AgentId, AreaId, DataOwner, OperatorId, Timestamp};

use crate::model::alarm_rules::AlarmRules;
use crate::model::billing::Billing;
use crate::model::config::{
    AlarmConfig, BillingConfig, ConfigEvent, PayConfig, Published, ReturnConfig, RidingPermissionConfig,
    Setting, UseConfig, Withdrawn,
};
use crate::model::pay_rules::PayRules;
use crate::model::return_rules::ReturnRules;
use crate::model::riding_permission::RidingPermission;
use crate::model::use_rules::UseRules;

/// A row of `config`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Row {
    kind: String,
    area_id: i64,
    agent_id: i64,
    draft: Option<Value>,
    draft_at_ms: Option<i64>,
    draft_by: Option<OperatorId>,
    updated_at_ms: i64,
    version: i64,
}

/// A row of `config_version`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct VersionRow {
    kind: String,
    area_id: i64,
    number: i64,
    agent_id: i64,
    content: Value,
    note: String,
    who: Option<OperatorId>,
    from_at_ms: i64,
    published_at_ms: i64,
    withdrawn: bool,
    counts: String,
}

/// A configuration with all that was ever published of it.
#[derive(Clone, Debug, Default)]
struct Kept {
    row: Row,
    versions: Vec<VersionRow>,
}

const fn person(actor: &Actor) -> Option<OperatorId> {
    match actor {
        Actor::Operator { id } => Some(*id),
        Actor::Machine { .. } | Actor::System { .. } => None,
    }
}

impl Kept {
    fn write(&mut self, draft: Option<Value>, recorded: &Recorded) {
        self.row.draft_at_ms = draft.as_ref().map(|_| recorded.recorded_at.millis());
        self.row.draft_by = draft.as_ref().and_then(|_| person(&recorded.meta.actor));
        self.row.draft = draft;
    }

    fn apply<T: Setting>(&mut self, recorded: &Recorded) -> Result<(), ApplyError> {
        let at_ms = recorded.recorded_at.millis();
        let event: ConfigEvent<T> = recorded.decode()?;
        let of = event.of();
        self.row.kind = recorded.category.to_string();
        self.row.area_id = of.area_id.0;
        self.row.agent_id = of.agent_id.0;
        match event {
            ConfigEvent::DraftSaved(saved) => self.write(Some(serde_json::to_value(saved.said)?), recorded),
            ConfigEvent::DraftDiscarded(_) => self.write(None, recorded),
            ConfigEvent::Published(Published { number, said, from, note, .. }) => {
                self.write(None, recorded);
                self.versions.push(VersionRow {
                    kind: recorded.category.to_string(),
                    area_id: of.area_id.0,
                    number,
                    agent_id: of.agent_id.0,
                    content: serde_json::to_value(said)?,
                    note,
                    who: person(&recorded.meta.actor),
                    from_at_ms: from.millis(),
                    published_at_ms: at_ms,
                    withdrawn: false,
                    counts: String::new(),
                });
            }
            ConfigEvent::Withdrawn(Withdrawn { number, .. }) => {
                let found = self.versions.iter_mut().find(|version| version.number == number);
                let found = found.ok_or("a version was withdrawn before it came")?;
                found.withdrawn = true;
                let content = found.content.clone();
                if self.row.draft.is_none() {
                    self.write(Some(content), recorded);
                }
            }
            ConfigEvent::HandedOver(_) => {}
        }
        for version in &mut self.versions {
            version.agent_id = of.agent_id.0;
        }
        self.row.updated_at_ms = at_ms;
        self.row.version = recorded.version;
        Ok(())
    }

    fn settle(&mut self) {
        let times = self.versions.iter().map(|version| {
            let times = Times { from_at_ms: version.from_at_ms, until_at_ms: None };
            (!version.withdrawn).then_some(times)
        });
        let counts = counts(&times.collect::<Vec<_>>(), &[]);
        for (version, spans) in self.versions.iter_mut().zip(counts) {
            version.counts = multirange(&spans);
        }
    }
}

/// Builds both tables.
pub struct Configs;

#[async_trait]
impl Projector for Configs {
    fn name(&self) -> &'static str {
        "config"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["config", "config_version"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[
            BillingConfig::CATEGORY,
            ReturnConfig::CATEGORY,
            UseConfig::CATEGORY,
            PayConfig::CATEGORY,
            RidingPermissionConfig::CATEGORY,
            AlarmConfig::CATEGORY,
        ]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys = rows::streams(events);
        let mut kept: BTreeMap<(String, i64), Kept> = BTreeMap::new();
        for row in rows::load::<Row>(db, "config", "area_id", "bigint", &keys).await? {
            let key = (row.kind.clone(), row.area_id);
            kept.entry(key).or_default().row = row;
        }
        for row in rows::load::<VersionRow>(db, "config_version", "area_id", "bigint", &keys).await? {
            kept.entry((row.kind.clone(), row.area_id)).or_default().versions.push(row);
        }
        for config in kept.values_mut() {
            config.versions.sort_by_key(|version| version.number);
        }
        for recorded in events {
            let key = (recorded.category.to_string(), recorded.stream_id.parse()?);
            let config = kept.entry(key).or_default();
            match &*recorded.category {
                BillingConfig::CATEGORY => config.apply::<Billing>(recorded)?,
                ReturnConfig::CATEGORY => config.apply::<ReturnRules>(recorded)?,
                UseConfig::CATEGORY => config.apply::<UseRules>(recorded)?,
                PayConfig::CATEGORY => config.apply::<PayRules>(recorded)?,
                AlarmConfig::CATEGORY => config.apply::<AlarmRules>(recorded)?,
                _ => config.apply::<RidingPermission>(recorded)?,
            }
        }
        kept.values_mut().for_each(Kept::settle);
        let configs: Vec<&Row> = kept.values().map(|config| &config.row).collect();
        let versions: Vec<&VersionRow> = kept.values().flat_map(|config| &config.versions).collect();
        rows::upsert(db, "config", "area_id, kind", &configs).await?;
        rows::upsert(db, "config_version", "area_id, kind, number", &versions).await?;
        let told = kept.into_values().map(|Kept { row, .. }| Change {
            table: "config",
            key: row.area_id.to_string(),
            owner: DataOwner::of_area(AgentId(row.agent_id), AreaId(row.area_id)),
        });
        Ok(told.collect())
    }
}

/// What is being written, as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Written {
    /// It.
    pub draft: Option<Json<Value>>,
    /// When it was saved, epoch milliseconds.
    pub draft_at_ms: Option<i64>,
    /// By whom; nothing of one whom the caller does not see.
    pub draft_by: Option<String>,
    /// To be sent with a change.
    pub version: i64,
}

/// The draft of a kind and an area in scope; nothing where nobody ever wrote any.
pub async fn written(
    db: impl PgExecutor<'_>,
    kind: &'static str,
    area: AreaId,
) -> sqlx::Result<Option<Written>> {
    sqlx::query_as(
        "select c.draft, c.draft_at_ms, o.name as draft_by, c.version
         from read.config c left join read.operator o on o.operator_id = c.draft_by
         where c.area_id = $1 and c.kind = $2",
    )
    .bind(area)
    .bind(kind)
    .fetch_optional(db)
    .await
}

/// A version of a configuration, without what it says.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct ConfigVersion {
    /// 1, 2, 3 …
    #[sqlx(rename = "number")]
    pub data_version: i64,
    /// 发布说明.
    pub note: String,
    /// Who published it; null: a program, or somebody whom the caller does not see.
    pub who: Option<String>,
    /// From when it was to count, epoch milliseconds.
    #[sqlx(rename = "from_at_ms")]
    pub from_at: i64,
    /// When it was published, epoch milliseconds.
    #[sqlx(rename = "published_at_ms")]
    pub published_at: i64,
    /// Whether it was taken back before it counted.
    pub withdrawn: bool,
    /// When it counted and will count: `[from, until]`, epoch milliseconds; an open end is null.
    #[schema(value_type = Vec<Vec<Option<i64>>>)]
    #[sqlx(json)]
    pub counted: Vec<[Option<i64>; 2]>,
    /// What it says, as it is stored.
    #[serde(skip)]
    #[sqlx(json)]
    pub content: Value,
}

/// The versions of a kind and an area in scope, newest first.
pub async fn versions(
    db: impl PgExecutor<'_>,
    kind: &'static str,
    area: AreaId,
) -> sqlx::Result<Vec<ConfigVersion>> {
    sqlx::query_as(
        "select v.number, v.note, o.name as who, v.from_at_ms, v.published_at_ms, v.withdrawn, v.content,
             (select coalesce(jsonb_agg(jsonb_build_array(lower(r), upper(r)) order by lower(r)), '[]')
              from unnest(v.counts) r) as counted
         from read.config_version v left join read.operator o on o.operator_id = v.who
         where v.area_id = $1 and v.kind = $2 order by v.number desc",
    )
    .bind(area)
    .bind(kind)
    .fetch_all(db)
    .await
}

/// What a kind says in each area where a version of it counts at `at`, for programs.
pub async fn counting<T: Setting + Unpin>(
    db: impl PgExecutor<'_>,
    at: Timestamp,
) -> sqlx::Result<Vec<(AreaId, T)>> {
    let rows: Vec<(AreaId, Json<T>)> = sqlx::query_as(
        "select area_id, content from read.config_version where kind = $1 and counts @> $2::bigint",
    )
    .bind(T::STORED.category)
    .bind(at.millis())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(area, Json(said))| (area, said)).collect())
}

/// When, after `at`, a version of a kind begins to count by itself.
pub async fn next_turn<T: Setting>(
    db: impl PgExecutor<'_>,
    at: Timestamp,
) -> sqlx::Result<Option<Timestamp>> {
    let at_ms: Option<i64> = sqlx::query_scalar(
        "select min(from_at_ms) from read.config_version where kind = $1 and not withdrawn and from_at_ms > $2",
    )
    .bind(T::STORED.category)
    .bind(at.millis())
    .fetch_one(db)
    .await?;
    Ok(at_ms.map(Timestamp::from_millis))
}
