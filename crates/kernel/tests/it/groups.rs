//! Appends to several streams: all or none, beside appends to one.

use futures::future::join_all;
use kernel::log::{
    Append, BatchWriter, ClaimChange, LogError, NewEvent, Outcome, RequestRecord, Tail, WriterLimits,
};
use kernel::{Position, Runtime};
use serde_json::json;

use crate::cutter::Cutter;
use crate::doubt::waiting;
use crate::support::{eventually, now, runtime};
use crate::writer::{append, event, options};

fn claiming(key: &str, take: bool, append: Append) -> Append {
    Append { claims: vec![ClaimChange { key: key.to_owned(), take }], ..append }
}

fn record(name: &str) -> RequestRecord {
    let reply = r#"{"done":true}"#.to_owned();
    RequestRecord {
        actor: String::from("system:test"),
        id: name.to_owned(),
        fingerprint: [7; 32],
        reply,
        at: now(),
    }
}

fn at(position: i64, version: i64) -> Outcome {
    Outcome::Appended { position: Position(position), version }
}

async fn head(runtime: &Runtime) -> i64 {
    runtime.reader.head().await.unwrap().0
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_and_single_appends_share_a_batch_and_each_is_judged_for_itself() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    let writer = BatchWriter::start(options(&standing.database.url), WriterLimits::default(), Tail::new());
    writer.append(claiming("held", true, append("holder", 0, 1))).await.unwrap();
    let before = head(&standing.runtime).await;

    // While the first one waits for the head, the others gather to one batch.
    let mut held = owner.begin().await.unwrap();
    sqlx::query(testkit::HOLD_HEAD).execute(&mut *held).await.unwrap();
    let first = tokio::spawn({
        let writer = writer.clone();
        async move { writer.append(append("first", 0, 1)).await }
    });
    eventually("the first one waits", async || waiting(owner).await == 1).await;
    let gathered = [
        ("one", vec![append("one", 0, 2)]),
        ("good", vec![append("g1", 0, 2), append("g2", 0, 1), claiming("free", true, append("g3", 0, 2))]),
        ("stale", vec![append("s1", 0, 1), append("holder", 7, 1), append("s2", 0, 1)]),
        ("taken", vec![append("t1", 0, 1), claiming("held", true, append("t2", 0, 1))]),
        ("unread", vec![append("u1", 0, 1), append("warm", 1, 0)]),
        ("single", vec![claiming("other", true, append("single", 0, 1))]),
        ("lost", vec![append("lost", 3, 1)]),
        ("read", vec![append("r1", 0, 1), append("never", 0, 0)]),
    ];
    let all = join_all(gathered.map(async |(name, entry)| (name, enter(&writer, entry).await)));
    tokio::pin!(all);
    assert!(futures::poll!(&mut all).is_pending(), "all of them are in the queue");
    held.rollback().await.unwrap();
    first.await.unwrap().unwrap();

    let mut applied = 0;
    for (name, told) in all.await {
        let told = told.unwrap();
        match name {
            "one" => assert!(matches!(told, Outcome::Appended { version: 2, .. }), "{told:?}"),
            "good" => assert!(matches!(told, Outcome::Appended { version: 2, .. }), "{told:?}"),
            "single" | "read" => assert!(matches!(told, Outcome::Appended { version: 1, .. }), "{told:?}"),
            "taken" => assert_eq!(told, Outcome::ClaimTaken { key: String::from("held") }),
            "stale" => assert_eq!(told, Outcome::Conflict { actual: 1 }),
            _ => assert_eq!(told, Outcome::Conflict { actual: 0 }),
        }
        applied += i64::from(matches!(told, Outcome::Appended { .. }));
    }
    assert_eq!(applied, 4);
    let streams: Vec<String> = sqlx::query_scalar(
        "select distinct stream_id from log.events where position > $1 order by stream_id",
    )
    .bind(before)
    .fetch_all(owner)
    .await
    .unwrap();
    assert_eq!(streams, ["first", "g1", "g2", "g3", "one", "r1", "single"]);
    let writes: i64 =
        sqlx::query_scalar("select count(distinct xmin::text) from log.events where position > $1")
            .bind(before)
            .fetch_one(owner)
            .await
            .unwrap();
    assert_eq!(writes, 2, "the first one, and all others together");
    sound_numbers(&standing.runtime).await;
}

async fn enter(writer: &BatchWriter, entry: Vec<Append>) -> Result<Outcome, LogError> {
    match <[Append; 1]>::try_from(entry) {
        Ok([append]) => writer.append(append).await,
        Err(members) => writer.append_group(members, None).await,
    }
}

/// Positions and versions have no gaps.
async fn sound_numbers(runtime: &Runtime) {
    let broken: i64 = sqlx::query_scalar(
        "select count(*) from (
           select position - row_number() over (order by position) as a,
                  version - row_number() over (partition by category, stream_id order by position) as b
           from log.events) numbered where a <> 0 or b <> 0",
    )
    .fetch_one(&runtime.pools.app)
    .await
    .unwrap();
    assert_eq!(broken, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_whose_answer_was_lost_is_told_as_appended_and_stands_once() {
    let standing = runtime().await;
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = BatchWriter::start(cutter.options.clone(), WriterLimits::default(), Tail::new());
    // The statements are prepared before the line is cut: one alone, several, and the judged one.
    writer.append(append("a", 0, 1)).await.unwrap();
    writer.append_group(vec![append("x", 0, 1), append("y", 0, 1)], None).await.unwrap();
    writer.append(append("a", 0, 1)).await.unwrap();

    // The plain way, without a request id; then with one; then with claims and a stream that is only read.
    cutter.arm();
    let group = vec![append("b", 0, 2), append("a", 1, 1)];
    assert_eq!(writer.append_group(group.clone(), None).await.unwrap(), at(6, 2));
    cutter.arm();
    let group = vec![append("b", 2, 1), append("a", 2, 2)];
    assert_eq!(writer.append_group(group.clone(), Some(record("r1"))).await.unwrap(), at(9, 4), "done now");
    let repeated =
        Outcome::Repeated { reply: String::from(r#"{"done":true}"#), position: Position(9), version: 4 };
    assert_eq!(writer.append_group(group, Some(record("r1"))).await.unwrap(), repeated, "and done before");
    cutter.arm();
    let group = vec![append("x", 1, 0), claiming("k", true, append("b", 3, 1)), append("c", 0, 1)];
    assert_eq!(writer.append_group(group, None).await.unwrap(), at(11, 1));
    assert_eq!(cutter.cuts(), 3);

    // What was refused and not heard stays refused.
    cutter.arm();
    let group = vec![append("d", 0, 1), NewMeta("other").of(append("c", 0, 1))];
    assert_eq!(writer.append_group(group, None).await.unwrap(), Outcome::Conflict { actual: 1 });
    assert_eq!((cutter.cuts(), head(&standing.runtime).await), (4, 11));
    sound_numbers(&standing.runtime).await;
}

/// An append of somebody else.
struct NewMeta(&'static str);

impl NewMeta {
    fn of(&self, append: Append) -> Append {
        let meta = json!({"actor": {"kind": "system", "name": self.0}}).to_string();
        let events =
            append.events.into_iter().map(|event| NewEvent { meta: meta.clone(), ..event }).collect();
        Append { events, ..append }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_arrives_when_its_process_is_gone_stands_whole_or_not_at_all() {
    let standing = runtime().await;
    let other = BatchWriter::start(options(&standing.database.url), WriterLimits::default(), Tail::new());
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = BatchWriter::start(cutter.options.clone(), WriterLimits::default(), Tail::new());
    // The plain statement and the judged one are prepared.
    writer.append_group(vec![append("w", 0, 1), append("x", 9, 1)], None).await.unwrap();

    for (n, lost, claims) in [(0, false, false), (1, false, true), (2, true, false), (3, true, true)] {
        let before = head(&standing.runtime).await;
        let last = append(&format!("last{n}"), 0, 2);
        let last = if claims { claiming(&format!("k{n}"), true, last) } else { last };
        let first = format!("first{n}");
        cutter.hold();
        let holding = async {
            cutter.held().await;
            // Nobody of the process comes back; then the statement arrives.
            cutter.shut(true);
            if lost {
                other.append(NewMeta("other").of(append(&first, 0, 1))).await.unwrap();
            }
            cutter.release().await;
            let stands = head(&standing.runtime).await - before;
            cutter.shut(false);
            stands
        };
        let group = vec![append(&first, 0, 1), last];
        let (told, stands) = tokio::join!(writer.append_group(group, None), holding);
        let (outcome, events) =
            if lost { (Outcome::Conflict { actual: 1 }, 1) } else { (at(before + 3, 2), 3) };
        assert_eq!((told.unwrap(), stands), (outcome, events), "lost: {lost}, claims: {claims}");
        assert_eq!(head(&standing.runtime).await, before + events);
    }
    let taken: Vec<String> = sqlx::query_scalar("select key from log.claims order by key")
        .fetch_all(&standing.runtime.pools.app)
        .await
        .unwrap();
    assert_eq!(taken, ["k1"]);
    sound_numbers(&standing.runtime).await;
}

#[tokio::test]
async fn a_group_is_bounded_and_well_formed() {
    let standing = runtime().await;
    let writer = BatchWriter::start(options(&standing.database.url), WriterLimits::default(), Tail::new());
    let many = |streams: usize, events: usize| -> Vec<Append> {
        (0..streams).map(|n| append(&format!("m{n}"), 0, events)).collect()
    };
    let mut large = event();
    large.form.data = format!("\"{}\"", "x".repeat(800 << 10)).into_bytes();
    let bytes = (0..42).map(|n| Append { events: vec![large.clone()], ..append(&format!("l{n}"), 0, 0) });
    let key = |take| claiming("k", take, append("k", 0, 1));
    let elsewhere = |take| claiming("k", take, append("elsewhere", 0, 1));
    for (what, members) in [
        ("no events", vec![append("a", 0, 0), append("b", 0, 0)]),
        ("a stream twice", vec![append("a", 0, 1), append("a", 1, 1)]),
        ("a key taken twice", vec![key(true), elsewhere(true)]),
        ("a key given back twice", vec![key(false), elsewhere(false)]),
        ("too many events", many(3, 334)),
        (
            "too many streams",
            [many(1, 1), (0..1000).map(|n| append(&format!("r{n}"), 0, 0)).collect()].concat(),
        ),
        ("too many bytes", bytes.collect()),
        (
            "a request of its own",
            vec![Append { request: Some(record("r")), ..append("a", 0, 1) }, append("b", 0, 1)],
        ),
        ("no name", vec![append("a", 0, 1), append("", 0, 1)]),
    ] {
        let told = writer.append_group(members, None).await;
        assert!(matches!(told, Err(LogError::Invalid(_))), "{what}: {told:?}");
    }
    assert_eq!(writer.append_group(many(1000, 1), None).await.unwrap(), at(1000, 1));
}

#[tokio::test]
async fn a_process_of_before_there_were_groups_appends_as_it_did() {
    let standing = runtime().await;
    let verdict: (i16, i64, i64) = sqlx::query_as(
        "select outcome, at, version from log.append(
           array['stall'], array['old'], array[0::bigint],
           array[null::text], array[null::text], array[null::bytea], array[null::text], array[null::timestamptz],
           array[1], array['stall.opened'], array[1::smallint], array['null'], array['{}'], array[now()],
           array[decode(repeat('00', 32), 'hex')], array[1], array['k'], array[true],
           now() + interval '1 minute')",
    )
    .fetch_one(&standing.runtime.pools.app)
    .await
    .unwrap();
    assert_eq!(verdict, (0, 1, 1));
}
