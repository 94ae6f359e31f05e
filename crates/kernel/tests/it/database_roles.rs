//! What the program's database roles may do: nothing beside what is listed here.

use kernel::Pools;
use sqlx::PgPool;

use crate::support::{SIZES, database, runtime};

async fn lines(owner: &PgPool, sql: &'static str) -> Vec<String> {
    sqlx::query_scalar(sql).fetch_all(owner).await.unwrap()
}

/// What breaks a rule, one line each.
async fn findings(owner: &PgPool) -> Vec<String> {
    lines(
        owner,
        "with ours as (select oid, rolname from pg_roles where rolname in (
             'wheelhouse_app', 'wheelhouse_projector',
             'wheelhouse_sees_all', 'wheelhouse_sees_agents', 'wheelhouse_sees_areas', 'wheelhouse_sees_cars'))
         select rolname || ' is more than a role to work as' from pg_roles
         where rolname like 'wheelhouse\\_%'
           and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin)
         union all
         select rolname || ' is a member of ' || m.roleid::regrole from pg_auth_members m join ours on ours.oid = m.member
         union all
         select rolname || ' owns ' || c.oid::regclass from pg_class c join ours on ours.oid = c.relowner
         union all
         select rolname || ' owns ' || p.oid::regprocedure from pg_proc p join ours on ours.oid = p.proowner
         union all
         select rolname || ' owns schema ' || n.nspname from pg_namespace n join ours on ours.oid = n.nspowner
         union all
         select rolname || ' may create in schema ' || n.nspname from pg_namespace n, ours
         where n.nspname !~ '^pg_' and n.nspname <> 'public' and has_schema_privilege(ours.oid, n.oid, 'create')
         union all
         select rolname || ' may ' || what || ' ' || c.oid::regclass
         from pg_class c join pg_namespace n on n.oid = c.relnamespace, ours,
              unnest(array['insert', 'update', 'delete', 'truncate']) what
         where n.nspname = 'log' and c.relname in ('events', 'log_head', 'claims') and c.relkind in ('r', 'p', 'v')
           and has_table_privilege(ours.oid, c.oid, what)
         union all
         select rolname || ' may ' || what || ' ' || c.oid::regclass
         from pg_class c join pg_namespace n on n.oid = c.relnamespace, ours,
              unnest(array['insert', 'update', 'delete', 'truncate']) what
         where n.nspname = 'read' and c.relkind in ('r', 'p') and ours.rolname <> 'wheelhouse_projector'
           and has_table_privilege(ours.oid, c.oid, what)
         union all
         select rolname || ' may ' || a.privilege_type || ' ' || c.oid::regclass
         from ours, pg_class c, aclexplode(c.relacl) a
         where rolname like 'wheelhouse\\_sees\\_%' and a.grantee = ours.oid and a.privilege_type <> 'SELECT'
         union all
         select rolname || ' may not read ' || c.oid::regclass || ', and the application may'
         from ours, pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname in ('log', 'read', 'authentication', 'live') and c.relkind in ('r', 'p', 'v', 'm')
           and rolname <> 'wheelhouse_projector'
           and has_table_privilege('wheelhouse_app', c.oid, 'select') <> has_table_privilege(ours.oid, c.oid, 'select')
         order by 1",
    )
    .await
}

#[tokio::test]
async fn the_programs_roles_own_nothing_and_cannot_write_the_log_or_what_is_read() {
    let (_services, database) = database().await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    assert_eq!(findings(&pools.owner).await, Vec::<String>::new());
    sqlx::raw_sql(
        "grant update on log.events to wheelhouse_app; grant create on schema read to wheelhouse_projector",
    )
    .execute(&pools.owner)
    .await
    .unwrap();
    assert_eq!(
        findings(&pools.owner).await,
        ["wheelhouse_app may update log.events", "wheelhouse_projector may create in schema read"]
    );
}

#[tokio::test]
async fn only_these_functions_run_with_their_owners_rights() {
    let (_services, database) = database().await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    let definers = lines(
        &pools.owner,
        "select n.nspname || '.' || p.proname || case when has_function_privilege('public', p.oid, 'execute') then ' public' else '' end
             || case when has_function_privilege('wheelhouse_app', p.oid, 'execute') then ' app' else '' end
             || case when has_function_privilege('wheelhouse_projector', p.oid, 'execute') then ' projector' else '' end
             || case when p.proconfig @> array['search_path=\"\"'] then '' else ' of an open search path' end
         from pg_proc p join pg_namespace n on n.oid = p.pronamespace
         where p.prosecdef and n.nspname !~ '^pg_' order by 1",
    )
    .await;
    assert_eq!(
        definers,
        [
            "log.append app",
            "log.append_one app of an open search path",
            "log.append_plain app",
            "log.end_writer app",
            "log.writer_backend app",
            "wheelhouse.make_months projector",
        ]
    );
}

const OPERATORS: [(&str, &str, &str, &str); 7] = [
    ("+", "bigint", "integer", "bigint"),
    ("-", "bigint", "integer", "bigint"),
    (">", "bigint", "integer", "boolean"),
    (">", "timestamptz", "timestamptz", "boolean"),
    ("=", "bigint", "bigint", "boolean"),
    ("=", "text", "text", "boolean"),
    ("||", "bytea", "bytea", "bytea"),
];

/// A lone append spares itself the change of the path, and so must name the schema of all that it uses.
#[tokio::test]
async fn a_lone_append_uses_nothing_that_its_callers_path_offers() {
    let standing = runtime().await;
    let functions =
        [("sha256(bytea)", "bytea"), ("clock_timestamp()", "timestamptz")].map(|(name, result)| {
            format!(
                "create function strange.{name} returns {result} language plpgsql
                 as $f$begin raise 'strange'; end$f$"
            )
        });
    let operators = OPERATORS.into_iter().enumerate().map(|(n, (operator, left, right, result))| {
        format!(
            "create function strange.f{n}({left}, {right}) returns {result} language plpgsql
                 as $f$begin raise 'strange'; end$f$;
             create operator strange.{operator} (function = strange.f{n}, leftarg = {left}, rightarg = {right})"
        )
    });
    let schema = "create schema strange; grant usage on schema strange to wheelhouse_app".to_owned();
    let strange = [schema].into_iter().chain(functions).chain(operators).collect::<Vec<_>>().join(";");
    let owner = &standing.runtime.pools.owner;
    sqlx::raw_sql(sqlx::AssertSqlSafe(strange)).execute(owner).await.unwrap();
    let mut app = standing.runtime.pools.app.acquire().await.unwrap();
    sqlx::query("set search_path = strange, pg_catalog").execute(&mut *app).await.unwrap();
    let used = sqlx::query("select 1::bigint + 1").execute(&mut *app).await.unwrap_err();
    assert!(used.to_string().contains("strange"), "the test's own path does nothing: {used}");
    for version in [1, 2] {
        sqlx::query(
            "select log.append_one('stall', 'a', $1, 'stall.opened', 1::smallint, '{}', '{}', now(), '\\x01'::bytea,
                'a', 'r' operator(pg_catalog.||) $1, '\\x02'::bytea, '{}', now(), 'infinity')",
        )
        .bind(version)
        .execute(&mut *app)
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn every_policy_is_one_of_these() {
    let (_services, database) = database().await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    let policies = lines(
        &pools.owner,
        "select distinct policyname || ' ' || cmd || ' to ' || array_to_string(roles, ',') || ': '
             || regexp_replace(coalesce(qual, with_check), '\\s+', ' ', 'g')
         from pg_policies order by 1",
    )
    .await;
    are_known(&policies);
}

/// The rules as PostgreSQL prints them, without blanks that mean nothing.
#[track_caller]
fn are_known(policies: &[String]) {
    let expected = include_str!("policies.txt");
    assert_eq!(
        policies.join("\n"),
        expected.trim_end(),
        "policies have changed: say in policies.txt what they are"
    );
}
