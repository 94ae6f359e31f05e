//! Photos and documents that cases hold: what may come in, what is shown of it and to whom, and how it goes again.
//!
//! A file is uploaded first and named by a case after that; the case's event says its id and hash, and takes the claim
//! [`claim_of`] it. The context that owns the case answers who may see it: here nobody is asked. What no case holds after a
//! day is deleted, and whatever is of somebody who was forgotten (`docs/adr/0040`).
#![deny(missing_docs)]

pub mod evidence;
pub mod http;
mod kind;
pub mod picture;
mod store;
mod table;

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use kernel::{ReadTx, Runtime};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use vocabulary::{AttachmentId, DataOwner, Timestamp};
use wire::Refused;

use crate::evidence::Evidence;

pub use crate::kind::Kind;
pub use crate::store::{Store, StoreError};
pub use crate::table::{Attached, HoldsPhotos, in_order, of_case, show_photos};

/// A file has at most so many bytes.
pub const FILE_MAX_BYTES: usize = 10 * 1024 * 1024;
/// Somebody may bring so many files within a day.
pub const OF_SUBJECT_MAX: i64 = 30;
/// A program may bring so many within a day, for all whom it speaks for.
pub const OF_UPLOADER_MAX: i64 = 20_000;

const DAY_MS: i64 = 24 * 3_600_000;
/// A case may take a file up to this long after it came; then it is nearly time to delete it.
const FRESH_MS: i64 = 23 * 3_600_000;
/// Pictures that are read at the same time: one may take a quarter of a gigabyte.
const READ_AT_ONCE: usize = 2;
/// Files that one round of pruning looks at.
const PRUNED_AT_ONCE: i64 = 500;

/// The claim by which a case holds a file: of one case alone, and seen by pruning.
pub fn claim_of(id: AttachmentId) -> String {
    format!("attachment:{id}")
}

/// Whose a file is and who brought it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Such as `rider:42`: the file goes when that person is forgotten.
    pub subject: String,
    /// Such as `machine:7`: nobody else may name the file in a case.
    pub uploader: String,
}

/// A file that may be named in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Its id.
    pub id: AttachmentId,
    /// What it is.
    pub kind: Kind,
    /// Of the original, hexadecimal.
    pub sha256: String,
}

/// A photo as it was when a case took it: what the log keeps of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Photo {
    /// Which file.
    pub id: AttachmentId,
    /// Of that file, hexadecimal.
    pub sha256: String,
}

impl Photo {
    /// Whether none of `photos` is there twice.
    pub fn are_distinct(photos: &[Self]) -> bool {
        let ids: BTreeSet<AttachmentId> = photos.iter().map(|photo| photo.id).collect();
        ids.len() == photos.len()
    }
}

impl From<Received> for Photo {
    fn from(Received { id, sha256, .. }: Received) -> Self {
        Self { id, sha256 }
    }
}

/// The files and what is known of them. Cheap to clone.
#[derive(Clone)]
pub struct Attachments {
    runtime: Runtime,
    store: Store,
    reading: Arc<Semaphore>,
}

impl Attachments {
    /// With files in `store`.
    pub fn new(runtime: Runtime, store: Store) -> Self {
        Self { runtime, store, reading: Arc::new(Semaphore::new(READ_AT_ONCE)) }
    }

    /// Takes a file in. The same from the same again is the one that was taken in before.
    pub async fn receive(&self, origin: &Origin, content: Bytes) -> Result<Received, Refused> {
        let kind = match Kind::of_content(&content) {
            _ if content.len() > FILE_MAX_BYTES => return Err(Refused::TooLarge),
            _ if content.is_empty() => return Err(Refused::malformed("没有收到文件内容")),
            None => {
                let text = "只能上传 JPEG、PNG、WebP 图片或 PDF 文件";
                return Err(Refused::business("attachment-kind", text));
            }
            Some(kind) => kind,
        };
        let pool = &self.runtime.pools.projector;
        if table::is_forgotten(pool, &origin.subject).await? {
            return Err(Refused::business("attachment-forgotten", "该用户已注销，不能再上传文件"));
        }
        let now = self.runtime.clock.now();
        let sha256: [u8; 32] = Sha256::digest(&content).into();
        let received = |id| Received { id, kind, sha256: hex::encode(sha256) };
        if let Some(known) = table::loose(pool, origin, &sha256, fresh(now)).await?
            && self.store.has(known).await.map_err(Refused::unavailable)?
        {
            return Ok(received(known));
        }
        let (of_subject, of_uploader) = table::counts_since(pool, origin, now.plus_millis(-DAY_MS)).await?;
        if of_subject >= OF_SUBJECT_MAX || of_uploader >= OF_UPLOADER_MAX {
            let text = format!("上传过于频繁：同一用户每天最多上传 {OF_SUBJECT_MAX} 个文件");
            return Err(Refused::business("attachment-too-many", text));
        }
        let (shown, evidence) = self.read(kind, content.clone()).await?;
        let id = AttachmentId(self.runtime.ids.next_id());
        let new =
            table::New { id, origin, kind, size_bytes: content.len() as i64, sha256, evidence, at: now };
        // Known before it is stored: what is half stored is found, and deleted with what no case holds.
        table::insert(pool, &new).await?;
        self.store.put(id, content, shown).await.map_err(Refused::unavailable)?;
        Ok(received(id))
    }

    /// What is shown of a file, and what it tells of itself.
    async fn read(&self, kind: Kind, content: Bytes) -> Result<(Bytes, Evidence), Refused> {
        let Some(format) = kind.picture() else { return Ok((content, Evidence::default())) };
        let place = Arc::clone(&self.reading).acquire_owned().await.map_err(Refused::internal)?;
        let reading = spawn_blocking(move || {
            // Until it ends, also where nobody waits for it any more.
            let _place = place;
            picture::shown(&content, format).map(|shown| (Bytes::from(shown), Evidence::of(&content)))
        });
        reading
            .await
            .map_err(Refused::internal)?
            .map_err(|error| Refused::business("attachment-picture", error.to_string()))
    }

    /// Those of `ids` that `origin` brought and a case may still take, in the order asked; refused when one is missing.
    pub async fn received(&self, origin: &Origin, ids: &[AttachmentId]) -> Result<Vec<Received>, Refused> {
        let since = fresh(self.runtime.clock.now());
        let known = table::received(&self.runtime.pools.projector, origin, ids, since).await?;
        let find = |id: &AttachmentId| known.iter().find(|one| one.id == *id).cloned();
        ids.iter().map(find).collect::<Option<Vec<_>>>().ok_or_else(|| {
            Refused::business("attachment-unknown", "照片不存在、已过期或不属于该用户，请重新上传")
        })
    }

    /// Says whose data the case is that is about to take `ids`: nobody else sees them then.
    pub async fn belong(&self, ids: &[AttachmentId], owner: DataOwner) -> Result<(), Refused> {
        Ok(table::belong(&self.runtime.pools.projector, ids, owner).await?)
    }

    /// A file as it is shown to who sees its row in `db`; the caller has asked who may see the case.
    pub async fn show(&self, mut db: ReadTx, id: AttachmentId) -> Result<Response, Refused> {
        let kind = table::kind(&mut db, id).await?.ok_or_else(Refused::not_found)?;
        drop(db);
        let shown = self.store.shown(id).await.map_err(Refused::unavailable)?;
        let shown = shown.ok_or_else(Refused::not_found)?;
        let (way, ending) = kind.disposition();
        let disposition = format!("{way}; filename=\"{id}.{ending}\"");
        let mut response = shown.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind.shown_as()));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::try_from(disposition).map_err(Refused::internal)?);
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        Ok(response)
    }

    /// Deletes all of somebody who was forgotten; says how many files that were.
    pub async fn forget(&self, subject: &str) -> Result<usize, PruneError> {
        let mut deleted = 0;
        loop {
            let ids = table::of_subject(&self.runtime.pools.projector, subject, PRUNED_AT_ONCE).await?;
            if ids.is_empty() {
                return Ok(deleted);
            }
            self.delete(&ids).await?;
            deleted += ids.len();
        }
    }

    /// Deletes what came a day before `now` and no case holds, and what is left of people who were forgotten. Says how many
    /// files that were, 500 at most of each.
    pub async fn prune(&self, now: Timestamp) -> Result<usize, PruneError> {
        let pool = &self.runtime.pools.projector;
        let loose = table::abandoned(pool, now.plus_millis(-DAY_MS), PRUNED_AT_ONCE).await?;
        let forgotten = table::of_forgotten(pool, PRUNED_AT_ONCE).await?;
        for ids in [&loose, &forgotten] {
            self.delete(ids).await?;
        }
        Ok(loose.len() + forgotten.len())
    }

    /// Deletes files that their case holds no longer than it must; those that are gone already stay gone.
    pub async fn let_go(&self, ids: &[AttachmentId]) -> Result<(), PruneError> {
        self.delete(ids).await
    }

    /// The files first: a row tells of what may still be there.
    async fn delete(&self, ids: &[AttachmentId]) -> Result<(), PruneError> {
        for id in ids {
            self.store.delete(*id).await?;
        }
        Ok(table::delete(&self.runtime.pools.projector, ids).await?)
    }
}

impl std::fmt::Debug for Attachments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attachments").field("store", &self.store).finish_non_exhaustive()
    }
}

/// The moment after which a file came that a case may take at `now`.
const fn fresh(now: Timestamp) -> Timestamp {
    now.plus_millis(-FRESH_MS)
}

/// Why files were not deleted.
#[derive(Debug, thiserror::Error)]
pub enum PruneError {
    /// The table cannot be read or changed.
    #[error("the table of attachments cannot be used")]
    Table(#[from] sqlx::Error),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}
