//! Tables `card_product` and `card_product_version`: what is on sale, when each version of it counts, and how often it was sold.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, List, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::versions::{OffTime, Times, counts, multirange};
use vocabulary::{AgentId, CardProductId, DataOwner, Scope, Timestamp};

use crate::model::card::CardKind;
use crate::model::card_product::{CardForm, CardProduct, CardProductEvent, CardProductState};
use crate::model::holdings::{RiderCards, RiderCardsEvent};

/// A row of `card_product`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Row {
    product_id: i64,
    agent_id: i64,
    kind: CardKind,
    name: String,
    state: CardProductState,
    sort: i32,
    number: i64,
    draft: Option<CardForm>,
    off: Vec<OffTime>,
    sold: i64,
    sold_cents: i64,
    /// Of its stock.
    taken: i64,
    refunded: i64,
    refunded_cents: i64,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

/// A row of `card_product_version`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct VersionRow {
    product_id: i64,
    number: i64,
    agent_id: i64,
    from_at_ms: i64,
    until_at_ms: Option<i64>,
    published_at_ms: i64,
    withdrawn: bool,
    counts: String,
    form: CardForm,
}

impl Row {
    fn switch_off(&mut self, to: CardProductState, at_ms: i64) {
        self.state = to;
        self.off.push(OffTime { from_at_ms: at_ms, until_at_ms: None });
    }

    fn switch_on(&mut self, at_ms: i64) {
        self.state = CardProductState::Enabled;
        if let Some(off) = self.off.last_mut().filter(|off| off.until_at_ms.is_none()) {
            off.until_at_ms = Some(at_ms);
        }
    }
}

/// A product with all that was ever published of it.
#[derive(Clone, Debug, Default)]
struct Kept {
    row: Row,
    versions: Vec<VersionRow>,
}

impl Kept {
    fn apply(&mut self, event: CardProductEvent, recorded: &Recorded) -> Result<(), ApplyError> {
        let at_ms = recorded.recorded_at.millis();
        if recorded.version == 1 {
            self.row.product_id = recorded.stream_id.parse()?;
            self.row.created_at_ms = at_ms;
        }
        match event {
            CardProductEvent::DraftSaved { of, form } => {
                self.row.agent_id = of.agent_id.0;
                self.row.draft = Some(form);
            }
            CardProductEvent::DraftDiscarded => self.row.draft = None,
            CardProductEvent::Published { of, number, form, term } => {
                self.row.agent_id = of.agent_id.0;
                if self.versions.is_empty() {
                    self.row.state = CardProductState::Enabled;
                }
                self.versions.push(VersionRow {
                    product_id: self.row.product_id,
                    number,
                    agent_id: of.agent_id.0,
                    from_at_ms: term.from.map_or(at_ms, Timestamp::millis),
                    until_at_ms: term.until.map(Timestamp::millis),
                    published_at_ms: at_ms,
                    withdrawn: false,
                    counts: String::new(),
                    form,
                });
                self.row.draft = None;
            }
            CardProductEvent::Withdrawn { number } => {
                let found = self.versions.iter_mut().find(|version| version.number == number);
                let found = found.ok_or("a version was withdrawn before it came")?;
                found.withdrawn = true;
                self.row.draft = self.row.draft.take().or_else(|| Some(found.form.clone()));
            }
            CardProductEvent::Enabled => self.row.switch_on(at_ms),
            CardProductEvent::Disabled => self.row.switch_off(CardProductState::Disabled, at_ms),
            CardProductEvent::Deleted => {
                self.row.switch_off(CardProductState::Deleted, at_ms);
                self.row.draft = None;
            }
            // How many were sold in all is counted by what riders hold: those without a stock, too.
            CardProductEvent::Sold { .. } => self.row.taken += 1,
            CardProductEvent::Restocked { .. } => self.row.taken -= 1,
        }
        let newest = self.versions.iter().rev().find(|version| !version.withdrawn);
        self.row.number = newest.map_or(0, |version| version.number);
        if let Some(form) = self.row.draft.as_ref().or(newest.map(|version| &version.form)) {
            self.row.kind = form.card.kind;
            self.row.name.clone_from(&form.card.name);
            self.row.sort = form.sort;
        }
        self.row.updated_at_ms = at_ms;
        self.row.version = recorded.version;
        Ok(())
    }

    fn settle(&mut self) {
        let times = self.versions.iter().map(|version| {
            let times = Times { from_at_ms: version.from_at_ms, until_at_ms: version.until_at_ms };
            (!version.withdrawn).then_some(times)
        });
        let counts = counts(&times.collect::<Vec<_>>(), &self.row.off);
        for (version, spans) in self.versions.iter_mut().zip(counts) {
            version.counts = multirange(&spans);
        }
    }
}

/// What an event says of a product.
enum Told {
    Itself(Box<CardProductEvent>),
    Sold(i64),
    Refunded(i64),
}

/// Which product an event tells of; nothing: of none.
fn told(recorded: &Recorded) -> Result<Option<(String, Told)>, ApplyError> {
    if &*recorded.category == CardProduct::CATEGORY {
        return Ok(Some((recorded.stream_id.to_string(), Told::Itself(Box::new(recorded.decode()?)))));
    }
    Ok(match recorded.decode()? {
        RiderCardsEvent::Bought { purchase, .. } => {
            Some((purchase.product_id.to_string(), Told::Sold(purchase.price_cents)))
        }
        RiderCardsEvent::Refunded { product_id, amount_cents, .. } => {
            Some((product_id.to_string(), Told::Refunded(amount_cents)))
        }
        RiderCardsEvent::Used { .. } | RiderCardsEvent::GivenBack { .. } => None,
    })
}

/// Builds both tables.
pub struct CardProducts;

#[async_trait]
impl Projector for CardProducts {
    fn name(&self) -> &'static str {
        "card_product"
    }

    fn version(&self) -> i32 {
        2 // counts what was taken of a stock
    }

    fn tables(&self) -> &'static [&'static str] {
        &["card_product", "card_product_version"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[CardProduct::CATEGORY, RiderCards::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut all = Vec::with_capacity(events.len());
        for recorded in events {
            all.extend(told(recorded)?.map(|(key, told)| (key, told, recorded)));
        }
        let keys: BTreeSet<String> = all.iter().map(|(key, ..)| key.clone()).collect();
        let keys: Vec<String> = keys.into_iter().collect();
        let mut kept: BTreeMap<String, Kept> = BTreeMap::new();
        for (key, row) in rows::load_keyed::<Row>(db, "card_product", "product_id", "bigint", &keys).await? {
            kept.entry(key).or_default().row = row;
        }
        let versions =
            rows::load_keyed::<VersionRow>(db, "card_product_version", "product_id", "bigint", &keys).await?;
        for (key, row) in versions {
            kept.entry(key).or_default().versions.push(row);
        }
        for product in kept.values_mut() {
            product.versions.sort_by_key(|version| version.number);
        }
        let mut written = BTreeSet::new();
        for (key, told, recorded) in all {
            let product = kept.entry(key.clone()).or_default();
            match told {
                Told::Itself(event) => {
                    product.apply(*event, recorded)?;
                    written.insert(key);
                }
                Told::Sold(price_cents) => {
                    product.row.sold += 1;
                    product.row.sold_cents += price_cents;
                }
                Told::Refunded(amount_cents) => {
                    product.row.refunded += 1;
                    product.row.refunded_cents += amount_cents;
                }
            }
        }
        kept.values_mut().for_each(Kept::settle);
        let products: Vec<&Row> = kept.values().map(|product| &product.row).collect();
        rows::upsert(db, "card_product", "product_id", &products).await?;
        // A sale writes no version.
        let written = kept.iter().filter(|(key, _)| written.contains(*key));
        let versions: Vec<&VersionRow> = written.flat_map(|(_, product)| &product.versions).collect();
        rows::upsert(db, "card_product_version", "product_id, number", &versions).await?;
        let told = kept.into_iter().map(|(key, Kept { row, .. })| Change {
            table: "card_product",
            key,
            owner: DataOwner::of_agent(AgentId(row.agent_id)),
        });
        Ok(told.collect())
    }
}

/// A product as lists and its form show it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct CardProductRow {
    /// Its id, as text.
    #[sqlx(rename = "product_id")]
    pub id: CardProductId,
    /// Who sells it.
    pub agent_id: AgentId,
    /// That agent's name.
    pub agent_name: Option<String>,
    /// 上架状态.
    pub state: CardProductState,
    /// The newest version, 0 before the first.
    pub number: i64,
    /// The version that is sold now.
    pub counts_number: Option<i64>,
    /// From when the newest counts, epoch milliseconds.
    #[sqlx(rename = "from_at_ms")]
    pub from_at: Option<i64>,
    /// Whether something is being written that is sold to nobody.
    pub has_draft: bool,
    /// As it was written last, published or not.
    #[serde(flatten)]
    #[sqlx(json)]
    pub form: CardForm,
    /// 已售.
    pub sold: i64,
    /// 销售额: cents.
    pub sold_cents: i64,
    /// 已退.
    pub refunded: i64,
    /// 退款额: cents.
    pub refunded_cents: i64,
    /// 剩余库存; none: not limited.
    pub left: Option<i64>,
    /// Epoch milliseconds.
    #[sqlx(rename = "updated_at_ms")]
    pub updated_at: i64,
    /// To be sent with a change.
    pub version: i64,
}

/// Products in scope that were not deleted, newest change first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "p.product_id, p.agent_id, a.company as agent_name, p.state, p.number, v.from_at_ms, p.draft is not null as has_draft,
         coalesce(p.draft, v.form) as form, p.sold, p.sold_cents, p.refunded, p.refunded_cents,
         case when coalesce(v.form, p.draft) ->> 'stock' is not null
             then greatest((coalesce(v.form, p.draft) ->> 'stock')::bigint - p.taken, 0) end as left, p.updated_at_ms, p.version,
         (select c.number from read.card_product_version c where c.product_id = p.product_id
              and c.counts @> (extract(epoch from now()) * 1000)::bigint) as counts_number",
        "read.card_product p left join read.agent a on a.agent_id = p.agent_id
         left join read.card_product_version v on v.product_id = p.product_id and v.number = p.number",
        "p.updated_at_ms desc, p.product_id desc",
    )
    .of_agents("p.agent_id", scope)
    .matching(&["p.state <> 2"], Vec::new())
}

/// A version of a product.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct CardProductVersion {
    /// 1, 2, 3 …
    pub number: i64,
    /// What it says.
    #[serde(flatten)]
    #[sqlx(json)]
    pub form: CardForm,
    /// From when it was to count, epoch milliseconds.
    #[sqlx(rename = "from_at_ms")]
    pub from_at: i64,
    /// When it was to end by itself, epoch milliseconds.
    #[sqlx(rename = "until_at_ms")]
    pub until_at: Option<i64>,
    /// When it was published, epoch milliseconds.
    #[sqlx(rename = "published_at_ms")]
    pub published_at: i64,
    /// Whether it was taken back before it counted.
    pub withdrawn: bool,
    /// When it counted and will count: `[from, until]`, epoch milliseconds; an open end is null.
    #[schema(value_type = Vec<Vec<Option<i64>>>)]
    #[sqlx(json)]
    pub counted: Vec<[Option<i64>; 2]>,
}

/// The versions of a product in scope, newest first; at most 500.
pub async fn versions(
    db: impl PgExecutor<'_>,
    product: CardProductId,
) -> sqlx::Result<Vec<CardProductVersion>> {
    sqlx::query_as(
        "select v.number, v.form, v.from_at_ms, v.until_at_ms, v.published_at_ms, v.withdrawn,
             (select coalesce(jsonb_agg(jsonb_build_array(lower(r), upper(r)) order by lower(r)), '[]')
              from unnest(v.counts) r) as counted
         from read.card_product_version v where v.product_id = $1 order by v.number desc",
    )
    .bind(product)
    .fetch_all(db)
    .await
}

/// A product as riders see it.
#[derive(Clone, Debug)]
pub struct OnSale {
    /// Which.
    pub product_id: CardProductId,
    /// In which version.
    pub number: i64,
    /// What that says.
    pub form: CardForm,
    /// How many are left; none: as many as are wanted.
    pub left: Option<i64>,
}

/// What an agent in scope sells at `now`, in the order that it wants; at most 200.
pub async fn on_sale(db: impl PgExecutor<'_>, agent: AgentId, now: Timestamp) -> sqlx::Result<Vec<OnSale>> {
    let found: Vec<(CardProductId, i64, Json<CardForm>, Option<i64>)> = sqlx::query_as(
        "select p.product_id, v.number, v.form, case when v.form ->> 'stock' is not null then greatest((v.form ->> 'stock')::bigint - p.taken, 0) end
         from read.card_product p join read.card_product_version v on v.product_id = p.product_id
         where p.agent_id = $1 and p.state = 1 and v.counts @> $2
             and coalesce((v.form ->> 'sellFrom')::bigint, 0) <= $2
             and coalesce((v.form ->> 'sellUntil')::bigint, $2 + 1) > $2
         order by (v.form ->> 'isRecommended')::boolean desc, p.sort, p.product_id limit 200",
    )
    .bind(agent)
    .bind(now.millis())
    .fetch_all(db)
    .await?;
    let on_sale = |(product_id, number, Json(form), left)| OnSale { product_id, number, form, left };
    Ok(found.into_iter().map(on_sale).collect())
}

/// The product of an agent that has this name and was not deleted.
pub async fn named(
    db: impl PgExecutor<'_>,
    agent: AgentId,
    name: &str,
) -> sqlx::Result<Option<CardProductId>> {
    sqlx::query_scalar(
        "select product_id from read.card_product where agent_id = $1 and name = $2 and state <> 2 limit 1",
    )
    .bind(agent)
    .bind(name)
    .fetch_optional(db)
    .await
}
