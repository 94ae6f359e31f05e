//! What the clock does to cases of riders: photos go 30 days after the decision, entries of the blacklist end.

use std::time::Duration;

use attachments::{Attachments, Photo};
use kernel::{Aggregate, CommandContext, Runtime};
use tokio_util::sync::CancellationToken;
use vocabulary::{AttachmentId, Scope, Timestamp};
use wire::Refused;

use crate::Context;
use crate::app::unlist;
use crate::model::blacklist::BlacklistCommand;
use crate::model::certification::{Certification, CertificationCommand};
use crate::model::rebinding::{Rebinding, RebindingCommand};
use crate::model::return_review::{ReturnReview, ReviewCommand};
use crate::ports::PortError;
use crate::read::{blacklist, certifications, rebindings, return_reviews};

/// The rules' names in the log.
const PHOTOS: &str = "rider-case-photos";
const BLACKLIST: &str = "blacklist-expiry";
/// Cases that one round looks at.
const AT_ONCE: i64 = 200;

/// Every minute ends what is over and deletes what is due, until `stop`. May run on several nodes at once.
pub async fn sweep(context: Context, stop: CancellationToken) {
    let runtime = &context.runtime;
    let photos = || drop_photos(runtime, &context.ports.attachments, runtime.clock.now());
    let entries = || end_entries(runtime, runtime.clock.now());
    tokio::join!(
        kernel::every(Duration::from_mins(1), stop.clone(), "photos of decided cases", photos),
        kernel::every(Duration::from_mins(1), stop, "entries of the blacklist that are over", entries),
    );
}

/// Deletes the photos of cases that were decided 30 days before `now`, of 200 at most of a kind.
pub async fn drop_photos(
    runtime: &Runtime,
    attachments: &Attachments,
    now: Timestamp,
) -> Result<(), PortError> {
    let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let certified = certifications::photos_due(&mut *db, now, AT_ONCE).await?;
    let rebound = rebindings::photos_due(&mut *db, now, AT_ONCE).await?;
    let reviewed = return_reviews::photos_due(&mut *db, now, AT_ONCE).await?;
    drop(db);
    for id in certified {
        let state = runtime.desk.load::<Certification>(&id).await?.state;
        let due = state.standing().photos_are_due(now);
        if let Some(of) = state.application().filter(|_| due) {
            attachments.let_go(&named(&of.photos)).await?;
            record::<Certification>(runtime, &id, CertificationCommand::DropPhotos, now).await?;
        }
    }
    for id in rebound {
        let state = runtime.desk.load::<Rebinding>(&id).await?.state;
        let due = state.standing().photos_are_due(now);
        if let Some(of) = state.request().filter(|_| due) {
            attachments.let_go(&named(&of.photos)).await?;
            record::<Rebinding>(runtime, &id, RebindingCommand::DropPhotos, now).await?;
        }
    }
    for id in reviewed {
        let state = runtime.desk.load::<ReturnReview>(&id).await?.state;
        if let Some(photos) = state.photos_due(now) {
            attachments.let_go(&named(photos)).await?;
            record::<ReturnReview>(runtime, &id, ReviewCommand::DropPhotos, now).await?;
        }
    }
    Ok(())
}

fn named(photos: &[Photo]) -> Vec<AttachmentId> {
    photos.iter().map(|photo| photo.id).collect()
}

/// Once the files are gone: what is written down is so.
async fn record<A: Aggregate>(
    runtime: &Runtime,
    id: &A::Id,
    command: A::Command,
    now: Timestamp,
) -> Result<(), PortError> {
    let ctx = CommandContext::of_system(PHOTOS, now);
    match runtime.desk.execute::<A>(id, command, &ctx).await {
        Ok(_) => tracing::info!(category = A::CATEGORY, %id, "photos of a case were deleted"),
        Err(error) => return Err(format!("{error:?}").into()),
    }
    Ok(())
}

/// Ends the entries of the blacklist whose time is over at `now`.
pub async fn end_entries(runtime: &Runtime, now: Timestamp) -> Result<(), PortError> {
    let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let over = blacklist::over(&mut *db, now, AT_ONCE).await?;
    drop(db);
    for id in over {
        let ctx = CommandContext::of_system(BLACKLIST, now);
        match unlist(runtime, &ctx, id, BlacklistCommand::Expire).await {
            // Lifted meanwhile.
            Ok(_) | Err(Refused::Business { .. }) => {}
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    Ok(())
}
