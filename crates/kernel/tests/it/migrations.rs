//! What every migrated database must show.

use crate::support::database;
use kernel::Pools;
use testkit::Services;

use crate::support::SIZES;

#[tokio::test]
async fn every_read_model_with_an_agent_or_an_area_is_guarded() {
    let (_services, database) = database().await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    let unguarded = unguarded(&pools).await;
    assert!(unguarded.is_empty(), "tables in schema read without row-level security: {unguarded:?}");
}

#[tokio::test]
async fn a_table_without_a_guard_is_found() {
    let (_services, database) = database().await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    sqlx::query("create table read.bare (area_id bigint)").execute(&pools.owner).await.unwrap();
    sqlx::query("create table read.guarded (agent_id bigint)").execute(&pools.owner).await.unwrap();
    sqlx::query("select wheelhouse.guard_table('read.guarded')").execute(&pools.owner).await.unwrap();
    assert_eq!(unguarded(&pools).await, ["read.bare"]);
}

/// Tables in `read` whose rows belong to somebody and that have not all policies for those who read.
async fn unguarded(pools: &Pools) -> Vec<String> {
    sqlx::query_scalar(
        "select distinct c.oid::regclass::text
         from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
         where n.nspname = 'read' and c.relkind in ('r', 'p', 'v', 'm') and not a.attisdropped
           and a.attname in ('agent_id', 'area_id')
           and not (c.relrowsecurity and exists (
               select from pg_policy p where p.polrelid = c.oid and p.polname = 'scope'
                 and p.polroles @> array['wheelhouse_app'::regrole::oid, 'wheelhouse_sees_areas'::regrole])
             and exists (
               select from pg_policy p where p.polrelid = c.oid and p.polname = 'sees_all'
                 and p.polroles = array['wheelhouse_sees_all'::regrole::oid]))
           and not coalesce('security_invoker=true' = any (c.reloptions), false)",
    )
    .fetch_all(&pools.owner)
    .await
    .unwrap()
}

#[tokio::test]
async fn migrating_twice_and_from_two_nodes_at_once_is_harmless() {
    let services = Services::start().await;
    let database = services.database().await;
    let (one, two) = tokio::join!(Pools::connect(&database.url, SIZES), Pools::connect(&database.url, SIZES));
    let (one, two) = (one.unwrap(), two.unwrap());
    let (first, second) = tokio::join!(kernel::migrate(&one.owner), kernel::migrate(&two.owner));
    first.unwrap();
    second.unwrap();
    kernel::migrate(&one.owner).await.unwrap();
}
