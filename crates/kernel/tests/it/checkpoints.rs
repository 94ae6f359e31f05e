//! What is signed stands outside of the database too, and the signer goes on only while it still holds.

use std::sync::Arc;

use kernel::log::checkpoint::{Halt, SignError, Signer};
use kernel::log::lineage::Trust;
use kernel::log::places::{Folder, Place, Stream};
use kernel::log::snapshots;
use kernel::log::statement::{CheckpointKey, Content, Mark, Statement};
use kernel::log::verify::{Finding, Note, Verified, verify};
use kernel::{Position, Runtime};
use testkit::OwnNats;
use testkit::local::Place as Throwaway;
use vocabulary::FixedClock;

use crate::relay::{connect, make_stream};
use crate::support::{Standing, now, open_stall, owners_slip, runtime};
use crate::verify::{chain_anew, key, thirty};

/// A system with a folder outside of its database.
struct Outside {
    standing: Standing,
    clock: Arc<FixedClock>,
    folder: Throwaway,
}

impl Outside {
    async fn new() -> Self {
        let mut standing = runtime().await;
        let clock = Arc::new(FixedClock::at(now()));
        standing.runtime.clock = clock.clone();
        thirty(&standing.runtime).await;
        Self { standing, clock, folder: Throwaway::throw_away().unwrap() }
    }

    fn runtime(&self) -> &Runtime {
        &self.standing.runtime
    }

    fn folder(&self) -> Arc<dyn Place> {
        Arc::new(Folder::new(&self.folder.path().join("checkpoints")))
    }

    fn signer(&self) -> Signer {
        Signer::new(self.runtime().clone(), key(), vec![self.folder()])
    }

    async fn verified(&self, trust: &Trust) -> Verified {
        let later = now().plus_millis(3_600_000);
        verify(&self.runtime().pools.app, trust, &[self.folder()], later).await.unwrap()
    }

    async fn findings(&self) -> Vec<Finding> {
        self.verified(&Trust::only(key().public())).await.findings
    }
}

fn halt(signed: Result<Vec<Statement>, SignError>) -> Halt {
    match signed {
        Err(SignError::Halt(halt)) => halt,
        other => panic!("it goes on: {other:?}"),
    }
}

const TABLE: &str = "log.statements";

#[tokio::test]
async fn a_log_rewritten_by_its_owner_is_neither_signed_anew_nor_verified() {
    let outside = Outside::new().await;
    let before = outside.signer();
    assert_eq!(before.sign_new().await.unwrap().len(), 1);
    assert_eq!(outside.findings().await, []);
    chain_anew(outside.runtime()).await;
    let rewritten = Finding::Rewritten { first: Position(1), position: Position(30) };
    assert_eq!(outside.findings().await, std::slice::from_ref(&rewritten));
    assert_eq!(halt(before.sign_new().await), Halt::Rewritten { at: Position(30) });
    owners_slip(outside.runtime(), "delete from log.statements; delete from log.checkpoints").await;
    // A signer that was there and one that begins: both know of the statement that is gone.
    let gone = Halt::Gone { place: TABLE.to_owned(), known: 1, held: 0 };
    assert_eq!(halt(before.sign_new().await), gone);
    assert_eq!(halt(outside.signer().sign_new().await), gone);
    let missing = Finding::Missing { place: TABLE.to_owned(), first: 1, last: 1 };
    assert_eq!(outside.findings().await, [missing, rewritten]);
}

#[tokio::test]
async fn a_broken_link_is_not_signed_over() {
    let outside = Outside::new().await;
    owners_slip(
        outside.runtime(),
        "update log.events set data = replace(data, 's7', 's8') where position = 8",
    )
    .await;
    assert_eq!(halt(outside.signer().sign_new().await), Halt::Unlinked { at: Position(8) });
    owners_slip(outside.runtime(), "delete from log.events where position = 5").await;
    assert_eq!(halt(outside.signer().sign_new().await), Halt::Unlinked { at: Position(5) });
}

#[tokio::test]
async fn a_log_that_ends_before_what_was_signed_is_not_signed() {
    let outside = Outside::new().await;
    outside.signer().sign_new().await.unwrap();
    owners_slip(outside.runtime(), "delete from log.events where position > 25").await;
    let truncated = Halt::Truncated { head: Position(25), signed: Position(30) };
    assert_eq!(halt(outside.signer().sign_new().await), truncated);
}

#[tokio::test]
async fn a_place_that_lost_what_it_held_stops_the_signer_that_saw_it() {
    let outside = Outside::new().await;
    let signer = outside.signer();
    signer.sign_new().await.unwrap();
    std::fs::remove_dir_all(outside.folder.path().join("checkpoints")).unwrap();
    let lost = Finding::Missing { place: outside.folder().name().to_owned(), first: 1, last: 1 };
    assert_eq!(outside.findings().await, [lost]);
    outside.clock.advance(600_000);
    let gone = Halt::Gone { place: outside.folder().name().to_owned(), known: 1, held: 0 };
    assert_eq!(halt(signer.sign_new().await), gone);
    // One that begins fills the place again from those that still have it.
    outside.signer().sign_new().await.unwrap();
    assert_eq!(outside.findings().await, []);
}

#[tokio::test]
async fn a_statement_that_was_changed_in_a_place_is_named_there() {
    let outside = Outside::new().await;
    outside.signer().sign_new().await.unwrap();
    let file = outside.folder.path().join("checkpoints/00000000/000000000001.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let other = Statement { signed_at: now().plus_millis(1), ..serde_json::from_str(&text).unwrap() };
    std::fs::write(&file, serde_json::to_string(&other).unwrap() + "\n").unwrap();
    let place = outside.folder().name().to_owned();
    let found = outside.findings().await;
    assert!(found.contains(&Finding::Differs { place: TABLE.to_owned(), number: 1 }), "{found:?}");
    assert_eq!(halt(outside.signer().sign_new().await), Halt::Differs { place, number: 1 });
}

#[tokio::test]
async fn a_file_that_a_crash_cut_short_is_finished_and_another_one_is_never_written_over() {
    let outside = Outside::new().await;
    outside.signer().sign_new().await.unwrap();
    let file = outside.folder.path().join("checkpoints/00000000/000000000001.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, &text[..40]).unwrap();
    outside.signer().sign_new().await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let Ok(mut other) = serde_json::from_str::<Statement>(&text) else { panic!("a statement") };
    other.signed_at = now().plus_millis(1);
    outside.folder().put(&other).await.unwrap_err();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_two_write_at_once_stands_once_in_its_file() {
    let outside = Outside::new().await;
    outside.signer().sign_new().await.unwrap();
    let file = outside.folder.path().join("checkpoints/00000000/000000000001.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let statement: Statement = serde_json::from_str(&text).unwrap();
    for round in 0..100 {
        std::fs::remove_file(&file).unwrap();
        let (one, other) = (outside.folder(), outside.folder());
        let (one, other) = tokio::join!(one.put(&statement), other.put(&statement));
        one.and(other).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "round {round}");
    }
    // One that hangs with its turn is not waited for, and what it began is finished afterwards.
    std::fs::write(&file, &text[..40]).unwrap();
    let hung = std::fs::File::open(&file).unwrap();
    hung.lock().unwrap();
    outside.folder().put(&statement).await.unwrap_err();
    drop(hung);
    outside.folder().put(&statement).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn events_of_some_age_without_any_checkpoint_are_a_finding() {
    let outside = Outside::new().await;
    assert_eq!(outside.findings().await, [Finding::Unsigned { events: 30 }]);
}

#[tokio::test]
async fn checkpoints_of_version_1_still_count_and_the_next_one_holds_the_last_of_them() {
    let outside = Outside::new().await;
    let made = outside.signer().sign_new().await.unwrap().remove(0);
    // As the version before signed it.
    let mark = made.mark().unwrap().clone();
    let text = format!(
        "wheelhouse checkpoint 1\n1\n30\n{}\n{}\n{}\n",
        hex::encode(mark.chain),
        hex::encode(mark.root),
        now().millis()
    );
    let signature =
        ed25519_dalek::Signer::sign(&ed25519_dalek::SigningKey::from_bytes(&[9; 32]), text.as_bytes());
    sqlx::query("insert into log.checkpoints values (30, 1, $1, $2, $3, $4, $5)")
        .bind(mark.chain.as_slice())
        .bind(mark.root.as_slice())
        .bind(now().datetime())
        .bind(made.key_id.as_slice())
        .bind(signature.to_bytes().as_slice())
        .execute(&outside.runtime().pools.owner)
        .await
        .unwrap();
    owners_slip(outside.runtime(), "delete from log.statements").await;
    std::fs::remove_dir_all(outside.folder.path().join("checkpoints")).unwrap();
    open_stall(outside.runtime(), "later").await;
    let next = outside.signer().sign_new().await.unwrap().remove(0);
    assert_eq!(next.mark().map(|mark: &Mark| mark.first), Some(Position(31)));
    let verified = outside.verified(&Trust::only(key().public())).await;
    assert_eq!((verified.checkpoints, verified.findings), (2, vec![]));
    // Taken away by the owner, it is missed.
    owners_slip(outside.runtime(), "delete from log.checkpoints").await;
    assert!(outside.findings().await.contains(&Finding::Unlinked { number: 1 }));
}

#[tokio::test]
async fn keys_rotate_and_what_the_old_one_signed_still_verifies() {
    let outside = Outside::new().await;
    let old = outside.signer();
    old.sign_new().await.unwrap();
    let new = CheckpointKey::new(&[5; 32]);
    old.hand_over(&new).await.unwrap();
    open_stall(outside.runtime(), "later").await;
    assert!(matches!(halt(old.sign_new().await), Halt::Key { .. }), "the old key signs no more");
    let signer = Signer::new(outside.runtime().clone(), new.clone(), vec![outside.folder()]);
    assert_eq!(signer.sign_new().await.unwrap().len(), 1);
    let both = Trust { current: new.public(), retired: vec![key().public()] };
    let verified = outside.verified(&both).await;
    assert_eq!((verified.checkpoints, verified.findings), (3, vec![]));
    assert_eq!(verified.notes, [Note::Rotated { at: now() }]);
    // A key file put in place by somebody who does not have the last key.
    let stranger = CheckpointKey::new(&[6; 32]);
    let signer = Signer::new(outside.runtime().clone(), stranger.clone(), vec![outside.folder()]);
    assert!(matches!(halt(signer.sign_new().await), Halt::Key { .. }));
    let trust = Trust { current: stranger.public(), retired: vec![key().public(), new.public()] };
    assert_eq!(outside.verified(&trust).await.findings, [Finding::KeyReplaced]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_signers_at_once_one_signs_and_nothing_is_signed_twice() {
    let outside = Outside::new().await;
    for round in 0..10 {
        open_stall(outside.runtime(), &format!("r{round}")).await;
        let (one, other) = (outside.signer(), outside.signer());
        let (one, other) = tokio::join!(one.sign_new(), other.sign_new());
        // At the same millisecond both sign the very same statement, and both may say that they made it.
        assert!(one.unwrap().len() + other.unwrap().len() >= 1, "round {round}");
        assert_eq!(outside.folder().last().await.unwrap(), round + 1);
    }
    assert_eq!(outside.findings().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_was_away_is_brought_up_to_date_in_order_and_keeps_what_it_has() {
    let outside = Outside::new().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let stream: Arc<dyn Place> = Arc::new(Stream::new(connect(&nats).await));
    let places = vec![outside.folder(), Arc::clone(&stream)];
    let signer = Signer::new(outside.runtime().clone(), key(), places.clone());
    signer.sign_new().await.unwrap();
    assert_eq!(stream.last().await.unwrap(), 1);
    nats.kill9().await;
    for n in 0..3 {
        open_stall(outside.runtime(), &format!("away{n}")).await;
        assert_eq!(signer.sign_new().await.unwrap().len(), 1, "one place is enough to go on");
    }
    nats.restart().await;
    open_stall(outside.runtime(), "back").await;
    crate::support::eventually("the stream has all", async || {
        signer.sign_new().await.unwrap();
        stream.last().await.is_ok_and(|last| last == 5)
    })
    .await;
    let trust = Trust::only(key().public());
    let verified = verify(&outside.runtime().pools.app, &trust, &places, now()).await.unwrap();
    assert_eq!((verified.checkpoints, verified.findings), (5, vec![]));

    let js = async_nats::jetstream::new(connect(&nats).await);
    let checkpoints = js.get_stream("CHECKPOINTS").await.unwrap();
    checkpoints.delete_message(2).await.unwrap_err();
    checkpoints.purge().await.unwrap_err();
    // Deleted as a whole, it is missed by whoever saw it.
    js.delete_stream("CHECKPOINTS").await.unwrap();
    outside.clock.advance(600_000);
    let gone = Halt::Gone { place: "CHECKPOINTS".to_owned(), known: 5, held: 0 };
    assert_eq!(halt(signer.sign_new().await), gone);
    let later = now().plus_millis(3_600_000);
    let found = verify(&outside.runtime().pools.app, &trust, &places, later).await.unwrap().findings;
    assert_eq!(found, [Finding::Missing { place: "CHECKPOINTS".to_owned(), first: 1, last: 5 }]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_signed_while_no_place_outside_answers() {
    let outside = Outside::new().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let stream: Arc<dyn Place> = Arc::new(Stream::new(connect(&nats).await));
    let signer = Signer::new(outside.runtime().clone(), key(), vec![stream]);
    nats.kill9().await;
    assert!(matches!(signer.sign_new().await, Err(SignError::Away(_))));
    let signed: i64 = sqlx::query_scalar("select count(*) from log.statements")
        .fetch_one(&outside.runtime().pools.owner)
        .await
        .unwrap();
    assert_eq!(signed, 0);
    nats.restart().await;
    crate::support::eventually("it signs again", async || {
        signer.sign_new().await.is_ok_and(|made| made.len() == 1)
    })
    .await;
}

#[tokio::test]
async fn the_oldest_transaction_is_told() {
    let standing = runtime().await;
    let mut held = standing.runtime.pools.owner.begin().await.unwrap();
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut *held).await.unwrap();
    let oldest = snapshots::oldest(&standing.runtime.pools.owner).await.unwrap().unwrap();
    assert_eq!((oldest.pid, oldest.application.as_str()), (pid, "wheelhouse"));
}

#[test]
fn what_a_statement_says_is_told_by_its_kind() {
    let restore = Content::Restore { from: Position(2), to: Position(1), chain: [0; 32] };
    let json = serde_json::to_value(Statement::sign(&key(), None, restore, now())).unwrap();
    assert_eq!((&json["content"]["kind"], &json["link"]["number"]), (&"restore".into(), &1.into()));
}
