//! Row-level security says what `Scope::contains` says.

use std::sync::Arc;

use kernel::Position;
use proptest::collection::btree_set;
use proptest::prelude::*;
use vocabulary::{AgentId, AreaId, CarRange, CarView, Cars, DataOwner, Reach, Scope};

use crate::support::{open_stall, runtime};

fn reach<T: Ord + Copy + std::fmt::Debug>(of: fn(i64) -> T) -> impl Strategy<Value = Reach<T>> {
    prop_oneof![
        1 => Just(Reach::All),
        4 => btree_set(1_i64..5, 0..4).prop_map(move |ids| Reach::only(ids.into_iter().map(of))),
    ]
}

type Row = (Option<i64>, Option<i64>);

fn owners() -> Vec<Row> {
    let ids = || std::iter::once(None).chain((1..5).map(Some));
    ids().flat_map(|agent| ids().map(move |area| (agent, area))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_sees_exactly_what_the_scope_contains() {
    let standing = Arc::new(runtime().await);
    let owner = &standing.runtime.pools.owner;
    for sql in [
        "create table read.things (agent_id bigint, area_id bigint)",
        "create table read.agents_only (agent_id bigint)",
        "create table read.areas_only (area_id bigint)",
        "select wheelhouse.guard_table('read.things')",
        "select wheelhouse.guard_table('read.agents_only')",
        "select wheelhouse.guard_table('read.areas_only')",
    ] {
        sqlx::query(sql).execute(owner).await.unwrap();
    }
    for (agent, area) in owners() {
        sqlx::query("insert into read.things values ($1, $2)")
            .bind(agent)
            .bind(area)
            .execute(owner)
            .await
            .unwrap();
        sqlx::query("insert into read.agents_only values ($1)").bind(agent).execute(owner).await.unwrap();
        sqlx::query("insert into read.areas_only values ($1)").bind(area).execute(owner).await.unwrap();
    }
    let tokio_runtime = tokio::runtime::Handle::current();
    let runtime = standing.runtime.clone();
    tokio::task::spawn_blocking(move || {
        let scopes = (reach(AgentId), reach(AreaId)).prop_map(|(agents, areas)| Scope::of(agents, areas));
        proptest!(ProptestConfig::with_cases(120), |(scope in scopes)| {
            tokio_runtime.block_on(async {
                let mut tx = runtime.reads.scoped(&scope, None, &[]).await.unwrap();
                let contained = |row: &Row| {
                    scope.contains(DataOwner { agent: row.0.map(AgentId), area: row.1.map(AreaId) })
                };
                let mut expected: Vec<_> = owners().into_iter().filter(contained).collect();
                expected.sort_unstable();
                let mut seen: Vec<Row> =
                    sqlx::query_as("select agent_id, area_id from read.things").fetch_all(&mut *tx).await.unwrap();
                seen.sort_unstable();
                assert_eq!(&seen, &expected, "the policy");
                let mut judged: Vec<Row> = Vec::new();
                for (agent, area) in owners() {
                    let inside: bool = sqlx::query_scalar("select wheelhouse.in_scope($1, $2)")
                        .bind(agent).bind(area).fetch_one(&mut *tx).await.unwrap();
                    if inside { judged.push((agent, area)); }
                }
                judged.sort_unstable();
                assert_eq!(&judged, &expected, "the function");
                let agents: i64 =
                    sqlx::query_scalar("select count(*) from read.agents_only").fetch_one(&mut *tx).await.unwrap();
                let areas: i64 =
                    sqlx::query_scalar("select count(*) from read.areas_only").fetch_one(&mut *tx).await.unwrap();
                let of = |keep: fn(&Row) -> Row| {
                    owners().iter().filter(|row| contained(&keep(row))).count() as i64
                };
                assert_eq!(agents, of(|row| (row.0, None)));
                assert_eq!(areas, of(|row| (None, row.1)));
            });
        });
    })
    .await
    .unwrap();
}

const NUMBERS: [&str; 9] = ["A1", "A2", "A10", "A19", "A20", "a10", "B-1", "B_1", "100"];

fn cars() -> impl Strategy<Value = Cars> {
    let number = || prop::sample::select(&NUMBERS[..]).prop_map(str::to_owned);
    let range = (number(), number()).prop_map(|(from, to)| CarRange { from, to });
    let view = (prop::collection::vec(range, 0..3), btree_set(1_u8..6, 0..2))
        .prop_map(|(ranges, riding_states)| CarView { ranges, riding_states, ..CarView::default() });
    prop::collection::vec(view, 0..3).prop_map(Cars::Seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_what_names_a_bike_the_database_sees_exactly_the_numbers_that_the_scope_has() {
    let standing = Arc::new(runtime().await);
    let owner = &standing.runtime.pools.owner;
    for sql in [
        "create table read.bikes (agent_id bigint, area_id bigint, car_id text)",
        "select wheelhouse.guard_table('read.bikes')",
        "insert into read.bikes values (1, 10, null)",
    ] {
        sqlx::query(sql).execute(owner).await.unwrap();
    }
    for (number, agent) in NUMBERS.iter().flat_map(|number| [(number, 1_i64), (number, 2)]) {
        sqlx::query("insert into read.bikes values ($1, 10, $2)")
            .bind(agent)
            .bind(number)
            .execute(owner)
            .await
            .unwrap();
    }
    let tokio_runtime = tokio::runtime::Handle::current();
    let runtime = standing.runtime.clone();
    tokio::task::spawn_blocking(move || {
        let agents = prop_oneof![Just(Reach::All), Just(Reach::only([AgentId(1)])), Just(Reach::only([]))];
        let areas = prop_oneof![Just(Reach::All), Just(Reach::only([AreaId(10)])), Just(Reach::only([AreaId(11)]))];
        let scopes = (agents, areas, cars()).prop_map(|(agents, areas, cars)| Scope { agents, areas, cars });
        proptest!(ProptestConfig::with_cases(120), |(scope in scopes)| {
            tokio_runtime.block_on(async {
                let mut tx = runtime.reads.scoped(&scope, None, &[]).await.unwrap();
                let mut seen: Vec<(i64, Option<String>)> =
                    sqlx::query_as("select agent_id, car_id from read.bikes").fetch_all(&mut *tx).await.unwrap();
                seen.sort_unstable();
                let of = |agent| DataOwner::of_area(AgentId(agent), AreaId(10));
                let mut expected: Vec<_> = NUMBERS
                    .iter()
                    .flat_map(|number| [(1, number), (2, number)])
                    .filter(|(agent, number)| scope.reaches(of(*agent), number))
                    .map(|(agent, number)| (agent, Some((*number).to_owned())))
                    .collect();
                expected.extend(scope.contains(of(1)).then_some((1, None)));
                expected.sort_unstable();
                assert_eq!(seen, expected);
            });
        });
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn without_a_scope_nothing_is_seen_and_nothing_can_be_written() {
    let standing = runtime().await;
    let pools = &standing.runtime.pools;
    sqlx::query("create table read.things (agent_id bigint)").execute(&pools.owner).await.unwrap();
    sqlx::query("select wheelhouse.guard_table('read.things')").execute(&pools.owner).await.unwrap();
    sqlx::query("insert into read.things values (null), (1)").execute(&pools.owner).await.unwrap();
    let seen: i64 =
        sqlx::query_scalar("select count(*) from read.things").fetch_one(&pools.app).await.unwrap();
    assert_eq!(seen, 0);
    assert!(sqlx::query("insert into read.things values (1)").execute(&pools.app).await.is_err());
    let mut tx = standing.runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    let seen: i64 = sqlx::query_scalar("select count(*) from read.things").fetch_one(&mut *tx).await.unwrap();
    assert_eq!(seen, 2);
    drop(tx);
    // The scope ends with its transaction.
    let left: i64 =
        sqlx::query_scalar("select count(*) from read.things").fetch_one(&pools.app).await.unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_query_waits_for_its_projector_and_gives_up_after_two_seconds() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "a").await;
    let reads = standing.runtime.reads.clone();
    let late = reads.scoped(&Scope::ALL, Some(Position(1)), &["stalls"]).await.unwrap();
    assert!(!late.caught_up());
    let waiting =
        tokio::spawn(async move { reads.scoped(&Scope::ALL, Some(Position(1)), &["stalls"]).await });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    sqlx::query("insert into log.projectors (name, version, position) values ('stalls', 1, 1)")
        .execute(&standing.runtime.pools.projector)
        .await
        .unwrap();
    assert!(waiting.await.unwrap().unwrap().caught_up());
    // A position beyond the log is nobody's: it makes nobody wait.
    let made_up =
        standing.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &["stalls"]).await.unwrap();
    assert!(made_up.caught_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_goes_away_leaves_no_transaction_behind() {
    let standing = runtime().await;
    for patience in 0..300 {
        let reads = standing.runtime.reads.clone();
        let asked = tokio::spawn(async move { reads.scoped(&Scope::ALL, None, &[]).await.map(drop) });
        for _ in 0..patience % 11 {
            tokio::task::yield_now().await;
        }
        asked.abort();
    }
    let open = "select count(*) from pg_stat_activity where application_name = 'wheelhouse app' \
                and datname = current_database() and state like 'idle in transaction%'";
    let mut left = i64::MAX;
    for _ in 0..100 {
        left = sqlx::query_scalar(open).fetch_one(&standing.runtime.pools.owner).await.unwrap();
        if left == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(left, 0, "connections whose transaction nobody knows of");
}
