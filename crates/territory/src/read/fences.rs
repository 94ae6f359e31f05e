//! Tables `fence` and `fence_version`: what a fence is drawn as, and when each of its versions counts.

use std::collections::BTreeMap;

use async_trait::async_trait;
use geofence::atlas::Span;
use geofence::{FenceKind, Rule, Shape};
use kernel::projector::ApplyError;
use kernel::{Change, List, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::versions::{OffTime, Times, counts, multirange};
use vocabulary::{AgentId, AreaId, AttachmentId, DataOwner, FenceBatchId, FenceId, Scope, Timestamp};

use crate::model::fence::{Drawing, FenceEvent, Opposite};
use crate::model::fence_form::{Drawn, FenceType};

/// A row of `fence`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Row {
    fence_id: i64,
    area_id: i64,
    agent_id: i64,
    kind: i16,
    name: String,
    enabled: bool,
    deleted: bool,
    data_version: i64,
    draft: Option<Drawing>,
    off: Vec<OffTime>,
    photo_ids: Vec<AttachmentId>,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

/// A row of `fence_version`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct VersionRow {
    fence_id: i64,
    data_version: i64,
    area_id: i64,
    agent_id: i64,
    kind: i16,
    name: String,
    capacity: i32,
    from_at_ms: i64,
    until_at_ms: Option<i64>,
    published_at_ms: i64,
    withdrawn: bool,
    counts: String,
    ring: Vec<[f64; 2]>,
    drawing: Drawing,
    batch_id: Option<i64>,
}

impl Row {
    /// The words of a drawing, published or not.
    fn show(&mut self, drawing: &Drawing) {
        self.area_id = drawing.area_id.0;
        self.agent_id = drawing.agent_id.0;
        self.kind = drawing.rule.kind().into();
        self.name.clone_from(&drawing.name);
    }

    fn switch_off(&mut self, at_ms: i64) {
        self.enabled = false;
        self.off.push(OffTime { from_at_ms: at_ms, until_at_ms: None });
    }

    fn switch_on(&mut self, at_ms: i64) {
        self.enabled = true;
        if let Some(off) = self.off.last_mut().filter(|off| off.until_at_ms.is_none()) {
            off.until_at_ms = Some(at_ms);
        }
    }
}

impl VersionRow {
    fn new(
        data_version: i64,
        drawing: Drawing,
        times: Times,
        batch: Option<FenceBatchId>,
        recorded: &Recorded,
    ) -> Self {
        Self {
            fence_id: drawing.fence_id.0,
            data_version,
            area_id: drawing.area_id.0,
            agent_id: drawing.agent_id.0,
            kind: drawing.rule.kind().into(),
            name: drawing.name.clone(),
            capacity: match &drawing.rule {
                Rule::Parking(parking) => parking.capacity,
                _ => 0,
            },
            from_at_ms: times.from_at_ms,
            until_at_ms: times.until_at_ms,
            published_at_ms: recorded.recorded_at.millis(),
            withdrawn: false,
            counts: String::new(),
            ring: drawing.shape.closed(),
            drawing,
            batch_id: batch.map(|batch| batch.0),
        }
    }
}

/// A fence with all that was ever published of it.
#[derive(Clone, Debug, Default)]
struct Kept {
    row: Row,
    versions: Vec<VersionRow>,
}

impl Kept {
    fn apply(&mut self, event: FenceEvent, recorded: &Recorded) -> Result<(), ApplyError> {
        let at_ms = recorded.recorded_at.millis();
        if recorded.version == 1 {
            self.row.fence_id = recorded.stream_id.parse()?;
            self.row.created_at_ms = at_ms;
        }
        match event {
            FenceEvent::Published { data_version, drawing, term, batch } => {
                self.row.show(&drawing);
                self.row.enabled |= self.versions.is_empty();
                let from_at_ms = term.from.map_or(at_ms, Timestamp::millis);
                let times = Times { from_at_ms, until_at_ms: term.until.map(Timestamp::millis) };
                self.versions.push(VersionRow::new(data_version, drawing, times, batch, recorded));
                self.row.draft = None;
            }
            FenceEvent::DraftSaved { drawing } => {
                self.row.show(&drawing);
                self.row.draft = Some(drawing);
            }
            FenceEvent::DraftDiscarded => self.row.draft = None,
            FenceEvent::Withdrawn { data_version } => {
                let found = self.versions.iter_mut().find(|version| version.data_version == data_version);
                let found = found.ok_or("a version was withdrawn before it came")?;
                found.withdrawn = true;
                self.row.draft = self.row.draft.take().or_else(|| Some(found.drawing.clone()));
            }
            FenceEvent::Enabled => self.row.switch_on(at_ms),
            FenceEvent::Disabled => self.row.switch_off(at_ms),
            FenceEvent::Deleted => {
                self.row.switch_off(at_ms);
                self.row.deleted = true;
                self.row.draft = None;
            }
            FenceEvent::PhotoShown(photo) => self.row.photo_ids.push(photo.id),
            FenceEvent::PhotoHidden { id } => self.row.photo_ids.retain(|shown| *shown != id),
        }
        let newest = self.versions.iter().rev().find(|version| !version.withdrawn);
        self.row.data_version = newest.map_or(0, |version| version.data_version);
        if let Some(shown) = self.row.draft.clone().or(newest.map(|version| version.drawing.clone())) {
            self.row.show(&shown);
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

/// Builds both tables.
pub struct Fences;

#[async_trait]
impl Projector for Fences {
    fn name(&self) -> &'static str {
        "fence"
    }

    fn version(&self) -> i32 {
        2
    }

    fn tables(&self) -> &'static [&'static str] {
        &["fence", "fence_version"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &["fence"]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys = rows::streams(events);
        let mut kept: BTreeMap<String, Kept> = BTreeMap::new();
        for (key, row) in rows::load_keyed::<Row>(db, "fence", "fence_id", "bigint", &keys).await? {
            kept.entry(key).or_default().row = row;
        }
        for (key, row) in
            rows::load_keyed::<VersionRow>(db, "fence_version", "fence_id", "bigint", &keys).await?
        {
            kept.entry(key).or_default().versions.push(row);
        }
        for fence in kept.values_mut() {
            fence.versions.sort_by_key(|version| version.data_version);
        }
        for recorded in events {
            let fence = kept.entry(recorded.stream_id.to_string()).or_default();
            fence.apply(recorded.decode()?, recorded)?;
        }
        kept.values_mut().for_each(Kept::settle);
        let fences: Vec<&Row> = kept.values().map(|fence| &fence.row).collect();
        let versions: Vec<&VersionRow> = kept.values().flat_map(|fence| &fence.versions).collect();
        rows::upsert(db, "fence", "fence_id", &fences).await?;
        rows::upsert(db, "fence_version", "fence_id, data_version", &versions).await?;
        let told = kept.into_iter().map(|(key, Kept { row, .. })| Change {
            table: "fence",
            key,
            owner: DataOwner::of_area(AgentId(row.agent_id), AreaId(row.area_id)),
        });
        Ok(told.collect())
    }
}

/// A fence as the map draws it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct FenceShape {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "fence_id")]
    pub id: FenceId,
    /// The area it lies in.
    #[schema(value_type = String)]
    pub area_id: AreaId,
    /// What it is for.
    #[serde(skip)]
    pub kind: i16,
    /// 名称.
    pub name: String,
    /// 停放上限.
    pub capacity: i32,
    /// `[lng, lat]` corners, closed, WGS-84.
    #[sqlx(json)]
    pub ring: Vec<[f64; 2]>,
}

/// The fences in scope that count at an instant, but for maintenance areas; at most 20,000.
pub async fn shapes(db: impl PgExecutor<'_>, at_ms: i64) -> sqlx::Result<Vec<FenceShape>> {
    sqlx::query_as(
        "select fence_id, area_id, kind, name, capacity, ring from read.fence_version
         where counts @> $1::bigint and kind in (2, 4, 9, 10) order by area_id, kind, fence_id limit 20000",
    )
    .bind(at_ms)
    .fetch_all(db)
    .await
}

/// The parking places in scope that count at an instant; at most 20,000.
pub async fn parking_ids(db: impl PgExecutor<'_>, at_ms: i64) -> sqlx::Result<Vec<FenceId>> {
    sqlx::query_scalar(
        "select fence_id from read.fence_version
         where counts @> $1::bigint and kind = 2 order by area_id, fence_id limit 20000",
    )
    .bind(at_ms)
    .fetch_all(db)
    .await
}

impl From<Json<Drawing>> for Drawn {
    fn from(Json(drawing): Json<Drawing>) -> Self {
        Self::from(&drawing)
    }
}

/// A fence as lists and the editor show it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct FenceRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "fence_id")]
    pub id: FenceId,
    /// What it is for.
    #[sqlx(rename = "kind", try_from = "i16")]
    #[serde(rename = "type")]
    pub kind: FenceType,
    /// The area it lies in.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub op_area_id: AreaId,
    /// That area's name.
    pub area_name: Option<String>,
    /// Whether it may count at all: 1, or 0 while it is switched off.
    pub state: i16,
    /// The newest version, 0 before the first.
    pub data_version: i64,
    /// From when that counts, epoch milliseconds.
    #[sqlx(rename = "from_at_ms")]
    pub from_at: Option<i64>,
    /// When that ends by itself, epoch milliseconds.
    #[sqlx(rename = "until_at_ms")]
    pub until_at: Option<i64>,
    /// The version that counts now.
    pub counts_version: Option<i64>,
    /// Whether something is being drawn that counts for nobody.
    pub has_draft: bool,
    /// As it was drawn last, published or not.
    #[sqlx(rename = "drawing", try_from = "Json<Drawing>")]
    #[serde(flatten)]
    pub drawn: Drawn,
    /// 现场照片, as text: at most 3, the first one first.
    #[schema(value_type = Vec<String>)]
    pub photo_ids: Vec<AttachmentId>,
    /// Epoch milliseconds.
    #[sqlx(rename = "updated_at_ms")]
    pub updated_at: i64,
    /// To be sent with a change.
    pub version: i64,
}

/// Fences in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "f.fence_id, f.kind, f.area_id, a.name as area_name, f.enabled::int::smallint as state, f.data_version, v.from_at_ms,
         v.until_at_ms, f.draft is not null as has_draft, coalesce(f.draft, v.drawing) as drawing, f.photo_ids,
         f.updated_at_ms, f.version,
         (select c.data_version from read.fence_version c where c.fence_id = f.fence_id
              and c.counts @> (extract(epoch from now()) * 1000)::bigint) as counts_version",
        "read.fence f left join read.area a on a.area_id = f.area_id
         left join read.fence_version v on v.fence_id = f.fence_id and v.data_version = f.data_version",
        "f.updated_at_ms desc, f.fence_id desc",
    )
    .of_agents("f.agent_id", scope)
    .of_areas("f.area_id", scope)
    .is("f.deleted", Some(false))
}

/// The names of fences in scope.
pub async fn called(db: impl PgExecutor<'_>, ids: &[FenceId]) -> sqlx::Result<BTreeMap<FenceId, String>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found: Vec<(FenceId, String)> =
        sqlx::query_as("select fence_id, name from read.fence where fence_id = any($1)")
            .bind(ids)
            .fetch_all(db)
            .await?;
    Ok(found.into_iter().collect())
}

/// Whether a fence in scope shows this photo.
pub async fn shows(db: impl PgExecutor<'_>, fence: FenceId, photo: AttachmentId) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.fence where fence_id = $1 and not deleted and $2 = any(photo_ids))",
    )
    .bind(fence.0)
    .bind(photo.0)
    .fetch_one(db)
    .await
}

/// Names among `names` that fences of an area have, drafts or published last, each with what is drawn under it.
pub async fn named(
    db: impl PgExecutor<'_>,
    area: AreaId,
    names: &[String],
) -> sqlx::Result<Vec<(String, Shape)>> {
    let found: Vec<(String, Json<Drawing>)> = sqlx::query_as(
        "select f.name, coalesce(f.draft, v.drawing) from read.fence f
             left join read.fence_version v on v.fence_id = f.fence_id and v.data_version = f.data_version
         where f.area_id = $1 and f.name = any($2) and not f.deleted
         union all
         select v.name, v.drawing from read.fence_version v
             join read.fence f on f.fence_id = v.fence_id and f.data_version = v.data_version
         where v.area_id = $1 and v.name = any($2) and f.draft is not null and not f.deleted",
    )
    .bind(area.0)
    .bind(names)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(name, drawing)| (name, drawing.0.shape)).collect())
}

/// A version of a fence.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct FenceVersion {
    /// 1, 2, 3 …
    pub data_version: i64,
    /// As it was drawn.
    #[sqlx(rename = "drawing", try_from = "Json<Drawing>")]
    #[serde(flatten)]
    pub drawn: Drawn,
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
    /// The change of many fences at once that it is part of, as text.
    #[schema(value_type = Option<String>)]
    pub batch_id: Option<FenceBatchId>,
    /// Why that was made.
    pub batch_reason: Option<String>,
}

/// The versions of a fence in scope, newest first.
pub async fn versions(db: impl PgExecutor<'_>, fence: FenceId) -> sqlx::Result<Vec<FenceVersion>> {
    sqlx::query_as(
        "select v.data_version, v.drawing, v.from_at_ms, v.until_at_ms, v.published_at_ms, v.withdrawn,
             (select coalesce(jsonb_agg(jsonb_build_array(lower(r), upper(r)) order by lower(r)), '[]')
              from unnest(v.counts) r) as counted, v.batch_id, b.reason as batch_reason
         from read.fence_version v left join read.fence_batch b on b.batch_id = v.batch_id
         where v.fence_id = $1 order by v.data_version desc",
    )
    .bind(fence.0)
    .fetch_all(db)
    .await
}

/// A stretch of time in which a version counted.
pub type Counted = (i64, i64, i64, Json<Drawing>, i64, Option<i64>);

/// Versions of fences with each stretch of time in which they count, of those that end after `since_ms`.
pub async fn counted_since(db: impl PgExecutor<'_>, since_ms: i64) -> sqlx::Result<Vec<Counted>> {
    sqlx::query_as(
        "select fence_id, area_id, data_version, drawing, lower(r), upper(r)
         from read.fence_version, unnest(counts) r where upper_inf(r) or upper(r) > $1",
    )
    .bind(since_ms)
    .fetch_all(db)
    .await
}

/// Versions of fences that may decide about a bike of an area with each stretch of time in which they counted between two
/// instants: the area's parking places, and bans wherever they lie.
pub async fn counted_between(
    db: impl PgExecutor<'_>,
    area: AreaId,
    (from, until): (Timestamp, Timestamp),
) -> sqlx::Result<Vec<Counted>> {
    sqlx::query_as(
        "select fence_id, area_id, data_version, drawing, lower(r), upper(r)
         from read.fence_version, unnest(counts) r
         where (area_id = $1 and kind = $4 or kind = any($5)) and r && int8range($2, $3)",
    )
    .bind(area.0)
    .bind(from.millis())
    .bind(until.millis())
    .bind(FenceKind::Parking.number())
    .bind([FenceKind::NoStop, FenceKind::NoRide].map(FenceKind::number).to_vec())
    .fetch_all(db)
    .await
}

/// What a version of a fence is drawn as; nothing when there is none of that number.
pub async fn drawn_as(
    db: impl PgExecutor<'_>,
    fence: FenceId,
    data_version: i64,
) -> sqlx::Result<Option<Drawing>> {
    let found: Option<Json<Drawing>> = sqlx::query_scalar(
        "select drawing from read.fence_version where fence_id = $1 and data_version = $2",
    )
    .bind(fence.0)
    .bind(data_version)
    .fetch_optional(db)
    .await?;
    Ok(found.map(|drawing| drawing.0))
}

/// The versions of an area's fences of these kinds that count at `now` or will, with each stretch of time in which they do.
pub async fn counting(
    db: impl PgExecutor<'_>,
    area: AreaId,
    kinds: &[FenceKind],
    now: Timestamp,
) -> sqlx::Result<Vec<Opposite>> {
    let kinds: Vec<i16> = kinds.iter().map(|kind| kind.number()).collect();
    let found: Vec<(FenceId, Json<Drawing>, i64, Option<i64>)> = sqlx::query_as(
        "select fence_id, drawing, lower(r), upper(r) from read.fence_version, unnest(counts) r
         where area_id = $1 and kind = any($2) and (upper_inf(r) or upper(r) > $3) order by fence_id, lower(r)",
    )
    .bind(area.0)
    .bind(kinds)
    .bind(now.millis())
    .fetch_all(db)
    .await?;
    let opposite = |(id, Json(drawing), from_ms, until_ms): (_, Json<Drawing>, _, Option<i64>)| {
        let span =
            Span { from: Timestamp::from_millis(from_ms), until: until_ms.map(Timestamp::from_millis) };
        Opposite { id, kind: drawing.rule.kind(), name: drawing.name, shape: drawing.shape, span }
    };
    Ok(found.into_iter().map(opposite).collect())
}
