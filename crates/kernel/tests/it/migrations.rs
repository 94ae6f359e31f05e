//! What every migrated database must show.

use crate::support::database;
use kernel::{MIGRATIONS, Pools};
use sqlx::migrate::Migrator;
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
                 and p.polroles = array['wheelhouse_sees_all'::regrole::oid])
             and exists (
               select from pg_policy p where p.polrelid = c.oid and p.polname = 'sees_cars'
                 and p.polroles = array['wheelhouse_sees_cars'::regrole::oid]
                 and (pg_get_expr(p.polqual, p.polrelid) like '%seen_cars()%' or not exists (
                   select from pg_attribute car where car.attrelid = c.oid and car.attname = 'car_id'
                     and not car.attisdropped))))
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

/// A database as the steps below `first` leave it.
async fn before(first: i64, pools: &Pools) {
    let steps = MIGRATIONS.iter().filter(|step| step.version < first).cloned().collect();
    Migrator { ignore_missing: true, ..Migrator::with_migrations(steps) }.run(&pools.owner).await.unwrap();
}

#[tokio::test]
async fn the_lines_of_the_operator_log_come_along_when_it_is_parted_by_months() {
    let services = Services::start().await;
    let database = services.database().await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    before(159, &pools).await;
    sqlx::query("insert into log.projectors (name, version, position) values ('audit', 2, 3)")
        .execute(&pools.owner)
        .await
        .unwrap();
    // The last moment of a month in Shanghai, the first of the next, and one of a clock that was wrong.
    sqlx::query(
        "insert into read.audit_entry (position, at_ms, actor_id, actor_name, actor_phone, category, action, target_id,
             target_name, agent_id, client_address, trace_id, request_id, before, after)
         select position, at_ms, 'a', '王芳', '', 'role', 'role.made', 't', '角色', position, '', '', '', '{}', '{\"a\": 1}'
         from (values (1, 1790783999999), (2, 1790784000000), (3, 0)) lines (position, at_ms)",
    )
    .execute(&pools.owner)
    .await
    .unwrap();
    let rows =
        "select coalesce(string_agg(to_jsonb(e)::text, e'\n' order by position), '') from read.audit_entry e";
    let stood: String = sqlx::query_scalar(rows).fetch_one(&pools.owner).await.unwrap();
    kernel::migrate(&pools.owner).await.unwrap();
    let stands: String = sqlx::query_scalar(rows).fetch_one(&pools.owner).await.unwrap();
    assert!(stood.contains("王芳") && stands == stood, "{stands}");
    let projector: (i32, i64) =
        sqlx::query_as("select version, position from log.projectors").fetch_one(&pools.owner).await.unwrap();
    assert_eq!(projector, (3, 3), "nodes of before stand aside, and nothing is built anew");
    let months: Vec<String> = sqlx::query_scalar(
        "select regexp_replace(tableoid::regclass::text, '_\\d+$', '') from read.audit_entry order by position",
    )
    .fetch_all(&pools.owner)
    .await
    .unwrap();
    assert_eq!(months, ["2026_09", "2026_10", "before"].map(|month| format!("months.audit_entry_{month}")));
    let mut scoped = pools.app.begin().await.unwrap();
    sqlx::raw_sql("set local role wheelhouse_sees_agents; set local wheelhouse.agents = '2'")
        .execute(&mut *scoped)
        .await
        .unwrap();
    let seen: Vec<i64> =
        sqlx::query_scalar("select position from read.audit_entry").fetch_all(&mut *scoped).await.unwrap();
    assert_eq!(seen, [2]);
}
