//! A log that went back is gone on with when its operator says so, and never without a word of it.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::log::checkpoint::Signer;
use kernel::log::lineage::Trust;
use kernel::log::places::{Folder, Place, PlaceError, Stream};
use kernel::log::restore::{Accepted, RestoreError, accept, check};
use kernel::log::statement::Statement;
use kernel::log::verify::{Note, verify};
use kernel::{Position, Runtime, relay};
use testkit::OwnNats;
use testkit::local::Place as Throwaway;

use crate::relay::{connect, contexts, ids, make_stream, runtime_with};
use crate::relay_faults::{failure, stalls};
use crate::support::{database, now, owners_slip};
use crate::verify::key;

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_restore_lets_relay_and_signer_go_on_and_verify_names_it() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let folder = Throwaway::throw_away().unwrap();
    let places: Vec<Arc<dyn Place>> =
        vec![Arc::new(Folder::new(folder.path())), Arc::new(Stream::new(connect(&nats).await))];
    let signer = |runtime: &Runtime| Signer::new(runtime.clone(), key(), places.clone());

    let before = runtime_with(&nats, &database.url).await;
    let relaying = tokio::spawn(relay::run(before.clone(), contexts()));
    stalls(&before, "a", 3).await;
    signer(&before).sign_new().await.unwrap();
    stalls(&before, "b", 7).await;
    signer(&before).sign_new().await.unwrap();
    assert_eq!(ids(&nats, 10).await.len(), 10);
    relaying.abort();
    before.close();
    before.pools.close().await;

    // As after a restore to an earlier time, with everything that lies in the database.
    let after = runtime_with(&nats, &database.url).await;
    owners_slip(&after, "delete from log.events where position > 5;
        delete from log.claims; delete from log.statements where number > 1; update log.relay set position = 4")
    .await;
    after.close();
    let runtime = runtime_with(&nats, &database.url).await;
    stalls(&runtime, "c", 2).await;
    let relaying = tokio::spawn(relay::run(runtime.clone(), contexts()));
    failure(&runtime).await;
    signer(&runtime).sign_new().await.unwrap_err();
    relaying.abort();

    let refused = accept(&runtime, &signer(&runtime), Position(5)).await.unwrap_err();
    assert!(matches!(refused, RestoreError::Head { actual: Position(7), .. }), "{refused}");
    let accepted = accept(&runtime, &signer(&runtime), Position(7)).await.unwrap();
    assert_eq!(accepted, Accepted { from: Position(10), to: Position(5), deleted: 5 });
    let again = accept(&runtime, &signer(&runtime), Position(7)).await.unwrap_err();
    assert!(matches!(again, RestoreError::Nothing), "{again}");

    tokio::spawn(relay::run(runtime.clone(), contexts()));
    stalls(&runtime, "d", 1).await;
    assert!(ids(&nats, 8).await.into_iter().eq(1..=8));
    signer(&runtime).sign_new().await.unwrap();
    let later = now().plus_millis(3_600_000);
    let verified = verify(&runtime.pools.app, &Trust::only(key().public()), &places, later).await.unwrap();
    assert_eq!((verified.checkpoints, verified.findings), (4, vec![]));
    assert_eq!(verified.notes, [Note::Restored { from: Position(10), to: Position(5), at: now() }]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_accepted_while_another_process_is_there_even_if_it_leads_neither_relay_nor_signer() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    stalls(&runtime, "a", 1).await;
    let other = crate::support::runtime_at(&database.url).await;
    let mut lease = other.lease("something else").await;
    lease.held().await;
    let signer = Signer::new(runtime.clone(), key(), Vec::new());
    let refused = accept(&runtime, &signer, Position(1)).await.unwrap_err();
    assert!(matches!(refused, RestoreError::Busy(_)), "{refused}");
    other.close();
    drop(lease);
    let nothing = accept(&runtime, &signer, Position(1)).await.unwrap_err();
    assert!(matches!(nothing, RestoreError::Nothing), "{nothing}");
}

/// A folder that is asked while another node appends, and signs that.
struct Amid {
    folder: Arc<Folder>,
    other: Runtime,
    signer: Signer,
}

#[async_trait]
impl Place for Amid {
    fn name(&self) -> &str {
        self.folder.name()
    }

    async fn last(&self) -> Result<u64, PlaceError> {
        stalls(&self.other, "amid", 2).await;
        self.signer.sign_new().await.expect("it signs");
        self.folder.last().await
    }

    async fn get(&self, number: u64) -> Result<Option<Statement>, PlaceError> {
        self.folder.get(number).await
    }

    async fn put(&self, statement: &Statement) -> Result<(), PlaceError> {
        self.folder.put(statement).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_starts_while_another_appends_does_not_take_the_log_for_one_that_went_back() {
    let (_services, database) = database().await;
    let other = crate::support::runtime_at(&database.url).await;
    stalls(&other, "before", 1).await;
    let throwaway = Throwaway::throw_away().unwrap();
    let folder = Arc::new(Folder::new(throwaway.path()));
    let signer = Signer::new(other.clone(), key(), vec![folder.clone()]);
    let starting = crate::support::runtime_at(&database.url).await;
    let amid: Arc<dyn Place> = Arc::new(Amid { folder, other, signer });
    check(&starting, &Signer::new(starting.clone(), key(), vec![amid])).await.unwrap();
}
