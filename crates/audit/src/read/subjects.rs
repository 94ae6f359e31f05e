//! Table `audit_subject`: what each thing of the system is called, and whose it is.

use std::collections::BTreeSet;

use kernel::Recorded;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner};

use super::containing;
use crate::mask;
use crate::schema::{AuditSchema, Fields};
use crate::words::{Names, cut};

/// A name in a row has at most so many characters.
const NAME_MAX: usize = 100;
/// A picker shows so many.
const FOUND_MAX: i64 = 20;

/// The key of a thing's row.
pub(crate) fn key(category: &str, id: &str) -> String {
    format!("{category}/{id}")
}

/// A row. It is written when somebody acts on the thing, or when what it says changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub key: String,
    pub category: String,
    pub target_id: String,
    pub name: String,
    pub phone: String,
    pub agent_id: Option<i64>,
    pub area_id: Option<i64>,
    pub position: i64,
}

impl Subject {
    /// The thing that `event` is the first of.
    pub fn new(event: &Recorded) -> Self {
        Self {
            key: key(&event.category, &event.stream_id),
            category: event.category.to_string(),
            target_id: event.stream_id.to_string(),
            name: String::new(),
            phone: String::new(),
            agent_id: None,
            area_id: None,
            position: event.position.0,
        }
    }

    /// Whose it is.
    pub fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id.map(AgentId), area: self.area_id.map(AreaId) }
    }

    /// It is called by what `state` says.
    pub fn call(&mut self, schema: &dyn AuditSchema, state: &Fields) {
        let known = |key: &&str| Some(((*key).to_owned(), state.get(*key)?.clone()));
        let known: Fields = schema.called_by().iter().filter_map(known).collect();
        self.name = cut(&mask::clean(&schema.name(&known)), NAME_MAX);
        self.phone = schema.phone(&known).map(|phone| mask::clean(&phone)).unwrap_or_default();
    }

    /// It is whose `event` says.
    pub fn belong(&mut self, event: &Recorded) {
        self.agent_id = event.meta.owner.agent.map(|agent| agent.0);
        self.area_id = event.meta.owner.area.map(|area| area.0);
    }

    /// Whether a reader sees the same in both rows.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        *self == Self { position: self.position, ..other.clone() }
    }
}

/// A thing in a picker.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
pub struct Found {
    /// Its category.
    pub category: String,
    /// Its id, as text.
    #[sqlx(rename = "target_id")]
    pub id: String,
    /// What people call it.
    pub name: String,
}

/// Things of `category` whose name holds `keyword`, or whose id it is; newest first.
pub async fn find(db: &mut PgConnection, category: &str, keyword: Option<&str>) -> sqlx::Result<Vec<Found>> {
    sqlx::query_as(
        "select category, target_id, name from read.audit_subject
         where category = $1 and ($2::text is null or name like $3 or target_id = $2)
         order by position desc limit $4",
    )
    .bind(category)
    .bind(keyword)
    .bind(keyword.map(containing))
    .bind(FOUND_MAX)
    .fetch_all(db)
    .await
}

/// The name of one thing; empty when it has none in scope.
pub(crate) async fn name_of(db: &mut PgConnection, category: &str, id: &str) -> sqlx::Result<String> {
    let name: Option<String> = sqlx::query_scalar("select name from read.audit_subject where key = $1")
        .bind(key(category, id))
        .fetch_optional(db)
        .await?;
    Ok(name.unwrap_or_default())
}

/// Names of these things, as far as they are in scope.
pub(crate) async fn names(db: &mut PgConnection, of: &BTreeSet<(String, String)>) -> sqlx::Result<Names> {
    if of.is_empty() {
        return Ok(Names::default());
    }
    let keys: Vec<String> = of.iter().map(|(category, id)| key(category, id)).collect();
    let rows: Vec<(String, String, String)> =
        sqlx::query_as("select category, target_id, name from read.audit_subject where key = any($1)")
            .bind(&keys)
            .fetch_all(db)
            .await?;
    Ok(Names::new(rows))
}
