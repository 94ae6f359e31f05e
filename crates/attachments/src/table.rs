//! Table `attachment.attachment`: kept beside the log and changed in place, by the role that writes read models. Who asks
//! for a case reads it in his own scope.

use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use vocabulary::{AttachmentId, DataOwner, Timestamp, Wgs84};

use crate::evidence::Evidence;
use crate::{Kind, Origin, Received, claim_of};

/// A file that came in.
pub(crate) struct New<'a> {
    pub id: AttachmentId,
    pub origin: &'a Origin,
    pub kind: Kind,
    pub size_bytes: i64,
    pub sha256: [u8; 32],
    pub evidence: Evidence,
    pub at: Timestamp,
}

/// A file of a case, with what it tells of where and when it was taken.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "attachment_id")]
    pub id: AttachmentId,
    /// What it is.
    pub kind: Kind,
    /// Bytes of the original.
    pub size_bytes: i64,
    /// Where it says it was taken, degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east.
    pub lng: Option<f64>,
    /// When it says so, epoch milliseconds.
    #[sqlx(rename = "taken_at_ms")]
    pub taken_at: Option<i64>,
    /// When it came in, epoch milliseconds.
    #[sqlx(rename = "created_at_ms")]
    pub created_at: i64,
}

/// A row of a list whose case holds photos.
pub trait HoldsPhotos {
    /// Which, in their order.
    fn photo_ids(&self) -> &[AttachmentId];
    /// Puts its photos in, of those that were found.
    fn show_photos(&mut self, found: &[Attached]);
}

/// Of `found` those that `ids` name, in the order of `ids`.
pub fn in_order(ids: &[AttachmentId], found: &[Attached]) -> Vec<Attached> {
    let find = |id: &AttachmentId| found.iter().find(|one| one.id == *id).cloned();
    ids.iter().filter_map(find).collect()
}

/// Shows all of `rows` with their photos, as far as the reader's scope holds these.
pub async fn show_photos<R: HoldsPhotos>(db: &mut PgConnection, rows: &mut [R]) -> sqlx::Result<()> {
    let ids: Vec<AttachmentId> = rows.iter().flat_map(|row| row.photo_ids().iter().copied()).collect();
    let found = of_case(db, &ids).await?;
    for row in rows {
        row.show_photos(&found);
    }
    Ok(())
}

/// Those of `ids` that the reader's scope holds, in the order of their ids.
pub async fn of_case(db: &mut PgConnection, ids: &[AttachmentId]) -> sqlx::Result<Vec<Attached>> {
    sqlx::query_as(
        "select attachment_id, kind, size_bytes, lat, lng, taken_at_ms, created_at_ms
         from attachment.attachment where attachment_id = any($1) order by attachment_id",
    )
    .bind(numbers(ids))
    .fetch_all(db)
    .await
}

fn numbers(ids: &[AttachmentId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

pub(crate) async fn insert(pool: &PgPool, new: &New<'_>) -> sqlx::Result<()> {
    let Evidence { place, taken_at } = new.evidence;
    sqlx::query(
        "insert into attachment.attachment
             (attachment_id, subject, uploader, kind, size_bytes, sha256, lat, lng, taken_at_ms, created_at_ms)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(new.id)
    .bind(&new.origin.subject)
    .bind(&new.origin.uploader)
    .bind(new.kind.number())
    .bind(new.size_bytes)
    .bind(new.sha256.as_slice())
    .bind(place.map(Wgs84::lat))
    .bind(place.map(Wgs84::lng))
    .bind(taken_at.map(Timestamp::millis))
    .bind(new.at.millis())
    .execute(pool)
    .await
    .map(drop)
}

/// Whether the person was forgotten: nothing new is kept of him.
pub(crate) async fn is_forgotten(pool: &PgPool, subject: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from log.personal_keys where subject = $1 and sealed_key is null)",
    )
    .bind(subject)
    .fetch_one(pool)
    .await
}

/// How many files the person and the uploader have brought since then.
pub(crate) async fn counts_since(
    pool: &PgPool,
    origin: &Origin,
    since: Timestamp,
) -> sqlx::Result<(i64, i64)> {
    sqlx::query_as(
        "select (select count(*) from attachment.attachment where subject = $1 and created_at_ms > $3),
                (select count(*) from attachment.attachment where uploader = $2 and created_at_ms > $3)",
    )
    .bind(&origin.subject)
    .bind(&origin.uploader)
    .bind(since.millis())
    .fetch_one(pool)
    .await
}

/// A file of the same content that the same brought since then and no case holds.
pub(crate) async fn loose(
    pool: &PgPool,
    origin: &Origin,
    sha256: &[u8; 32],
    since: Timestamp,
) -> sqlx::Result<Option<AttachmentId>> {
    sqlx::query_scalar(
        "select attachment_id from attachment.attachment a
         where subject = $1 and created_at_ms > $4 and uploader = $2 and sha256 = $3
             and not exists (select from log.claims c where c.key = 'attachment:' || a.attachment_id)
         order by attachment_id limit 1",
    )
    .bind(&origin.subject)
    .bind(&origin.uploader)
    .bind(sha256.as_slice())
    .bind(since.millis())
    .fetch_optional(pool)
    .await
}

/// Those of `ids` that `origin` brought after `since`.
pub(crate) async fn received(
    pool: &PgPool,
    origin: &Origin,
    ids: &[AttachmentId],
    since: Timestamp,
) -> sqlx::Result<Vec<Received>> {
    let found: Vec<(AttachmentId, Kind, Vec<u8>)> = sqlx::query_as(
        "select attachment_id, kind, sha256 from attachment.attachment
         where attachment_id = any($1) and subject = $2 and uploader = $3 and created_at_ms > $4",
    )
    .bind(numbers(ids))
    .bind(&origin.subject)
    .bind(&origin.uploader)
    .bind(since.millis())
    .fetch_all(pool)
    .await?;
    let received = |(id, kind, sha256)| Received { id, kind, sha256: hex::encode::<Vec<u8>>(sha256) };
    Ok(found.into_iter().map(received).collect())
}

/// Whose data the files are from now on; those that a case holds stay what they are.
pub(crate) async fn belong(pool: &PgPool, ids: &[AttachmentId], owner: DataOwner) -> sqlx::Result<()> {
    sqlx::query(
        "update attachment.attachment a set agent_id = $2, area_id = $3
         where attachment_id = any($1)
             and not exists (select from log.claims c where c.key = 'attachment:' || a.attachment_id)",
    )
    .bind(numbers(ids))
    .bind(owner.agent)
    .bind(owner.area)
    .execute(pool)
    .await
    .map(drop)
}

/// What a file is, when the reader's scope holds it.
pub(crate) async fn kind(db: &mut PgConnection, id: AttachmentId) -> sqlx::Result<Option<Kind>> {
    sqlx::query_scalar("select kind from attachment.attachment where attachment_id = $1")
        .bind(id)
        .fetch_optional(db)
        .await
}

pub(crate) async fn of_subject(pool: &PgPool, subject: &str, most: i64) -> sqlx::Result<Vec<AttachmentId>> {
    sqlx::query_scalar(
        "select attachment_id from attachment.attachment where subject = $1 order by created_at_ms limit $2",
    )
    .bind(subject)
    .bind(most)
    .fetch_all(pool)
    .await
}

/// Files of people who were forgotten.
pub(crate) async fn of_forgotten(pool: &PgPool, most: i64) -> sqlx::Result<Vec<AttachmentId>> {
    sqlx::query_scalar(
        "select a.attachment_id from log.personal_keys k join attachment.attachment a on a.subject = k.subject
         where k.sealed_key is null limit $1",
    )
    .bind(most)
    .fetch_all(pool)
    .await
}

/// Files that came before then and that no case holds. Of the others it is noted that one does: they are not looked at again.
pub(crate) async fn abandoned(
    pool: &PgPool,
    before: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<AttachmentId>> {
    let loose: Vec<AttachmentId> = sqlx::query_scalar(
        "select attachment_id from attachment.attachment where not held and created_at_ms < $1
         order by created_at_ms limit $2",
    )
    .bind(before.millis())
    .bind(most)
    .fetch_all(pool)
    .await?;
    let claims: Vec<String> = loose.iter().map(|id| claim_of(*id)).collect();
    let claimed: Vec<String> = sqlx::query_scalar("select key from log.claims where key = any($1)")
        .bind(&claims)
        .fetch_all(pool)
        .await?;
    let (held, abandoned): (Vec<AttachmentId>, Vec<AttachmentId>) =
        loose.into_iter().partition(|id| claimed.contains(&claim_of(*id)));
    sqlx::query("update attachment.attachment set held = true where attachment_id = any($1)")
        .bind(numbers(&held))
        .execute(pool)
        .await?;
    Ok(abandoned)
}

pub(crate) async fn delete(pool: &PgPool, ids: &[AttachmentId]) -> sqlx::Result<()> {
    sqlx::query("delete from attachment.attachment where attachment_id = any($1)")
        .bind(numbers(ids))
        .execute(pool)
        .await
        .map(drop)
}
