//! Pages of a list are the same however they are looked for: few rows, many, and many of a choice.

use kernel::{List, Sort};
use sqlx::{FromRow, PgPool};
use vocabulary::{AgentId, COUNT_CAP, Page, Reach, Scope};

use crate::support::runtime;

#[derive(Debug, FromRow)]
struct Sale {
    sale_id: i64,
}

const SORTS: [Sort; 1] = [Sort { name: "price", column: "s.price" }];

fn sales(scope: &Scope, states: Vec<i64>, sort: Option<&str>) -> List {
    List::new("s.sale_id", "read.sale s", "s.sold_at_ms desc, s.sale_id desc")
        .of_agents("s.agent_id", scope)
        .is_one_of("s.state", states)
        .sorted(&SORTS, "s.sale_id", sort)
        .unwrap()
}

async fn sold(owner: &PgPool) {
    for sql in [
        "create table read.sale (sale_id bigint primary key, agent_id bigint not null, state smallint not null,
             price bigint not null, sold_at_ms bigint not null)",
        "select wheelhouse.guard_table('read.sale')",
        "insert into read.sale select n, 1 + n % 3, n % 5, (n * 7919) % 1000, (n * 104729) % 1000
         from generate_series(1::bigint, 60000) n",
    ] {
        sqlx::query(sql).execute(owner).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_many_rows_is_that_of_the_whole_order() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    sold(owner).await;
    let agents = |ids: &[i64]| Scope::of(Reach::only(ids.iter().copied().map(AgentId)), Reach::All);
    for (scope, own) in
        [(Scope::ALL, "true"), (agents(&[1]), "agent_id = 1"), (agents(&[1, 3]), "agent_id in (1, 3)")]
    {
        for (states, stands) in [
            (vec![], "true"),
            (vec![4], "state = 4"),
            (vec![2, 4, 2], "state in (2, 4)"),
            (vec![0, 1, 2], "state < 3"),
        ] {
            for (sort, order) in [
                (None, "sold_at_ms desc, sale_id desc"),
                (Some("price"), "price, sale_id"),
                (Some("-price"), "price desc, sale_id desc"),
            ] {
                let list = sales(&scope, states.clone(), sort);
                let whole =
                    format!("select sale_id from read.sale where {own} and {stands} order by {order}");
                let whole: Vec<i64> =
                    sqlx::query_scalar(sqlx::AssertSqlSafe(whole)).fetch_all(owner).await.unwrap();
                for page in [1, 7, 400] {
                    let mut db = standing.runtime.reads.scoped(&scope, None, &[]).await.unwrap();
                    let found = list.page::<Sale>(&mut db, Page::new(Some(page), Some(25))).await.unwrap();
                    let rows: Vec<i64> = found.rows.iter().map(|sale| sale.sale_id).collect();
                    let from = (page as usize - 1) * 25;
                    let expected: Vec<i64> = whole.iter().skip(from).take(25).copied().collect();
                    assert_eq!(rows, expected, "{scope:?} {states:?} {sort:?} page {page}");
                    assert_eq!(found.count, (whole.len() as i64).min(COUNT_CAP));
                }
            }
        }
    }
}

#[derive(Debug, FromRow)]
struct Named {
    sale_id: i64,
    name: Option<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn places_lead_through_the_whole_list_though_rows_come_and_go() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    sold(owner).await;
    for sql in [
        "create table read.sale_state (state smallint primary key, name text not null)",
        "select wheelhouse.guard_table('read.sale_state')",
        "insert into read.sale_state values (2, 'two'), (4, 'four')",
    ] {
        sqlx::query(sql).execute(owner).await.unwrap();
    }
    let of = |scope: &Scope, states: Vec<i64>, sort: Option<&str>| {
        List::new(
            "s.sale_id, t.name",
            "read.sale s left join read.sale_state t on t.state = s.state",
            "s.sold_at_ms desc, s.sale_id desc",
        )
        .found_in("read.sale s", "s.sale_id")
        .of_agents("s.agent_id", scope)
        .is_one_of("s.state", states)
        .sorted(&SORTS, "s.sale_id", sort)
        .unwrap()
    };
    let some = Scope::of(Reach::only([AgentId(1), AgentId(3)]), Reach::All);
    for (number, (states, stands, sort, order)) in [
        (vec![2, 4], "state in (2, 4)", None, "sold_at_ms desc, sale_id desc"),
        (vec![4], "state = 4", Some("price"), "price, sale_id"),
        (vec![], "true", Some("-price"), "price desc, sale_id desc"),
    ]
    .into_iter()
    .enumerate()
    {
        let whole =
            format!("select sale_id from read.sale where agent_id in (1, 3) and {stands} order by {order}");
        let before: Vec<i64> = sqlx::query_scalar(sqlx::AssertSqlSafe(whole)).fetch_all(owner).await.unwrap();
        let (mut seen, mut place, mut gone) = (Vec::new(), None::<String>, None);
        loop {
            let list = of(&some, states.clone(), sort);
            let list = match &place {
                Some(place) => list.after(place).unwrap(),
                None => list,
            };
            let mut db = standing.runtime.reads.scoped(&some, None, &[]).await.unwrap();
            let found = list.page::<Named>(&mut db, Page::new(None, Some(200))).await.unwrap();
            drop(db);
            assert!(found.rows.iter().all(|row| row.name.is_some() || !stands.starts_with("state")));
            assert!(found.count >= COUNT_CAP.min(before.len() as i64 - 1), "all are counted, on every page");
            seen.extend(found.rows.iter().map(|row| row.sale_id));
            if place.is_none() {
                // One comes before all others, one that was not yet shown goes.
                let first = before[0];
                let sql = "insert into read.sale select 100000 + $2, agent_id, state, case when $3 then -1 else 5000 end, 5000
                           from read.sale where sale_id = $1";
                let come = sqlx::query(sql).bind(first).bind(number as i64).bind(sort == Some("price"));
                come.execute(owner).await.unwrap();
                gone = before.get(700).copied();
                let go = sqlx::query("delete from read.sale where sale_id = $1").bind(gone);
                go.execute(owner).await.unwrap();
            }
            let Some(next) = found.next else { break };
            place = Some(next);
        }
        let expected: Vec<i64> = before.into_iter().filter(|sale| Some(*sale) != gone).collect();
        assert!(seen == expected, "{stands} by {order}: each once, in order");
        assert!(stands != "true" || seen.len() > COUNT_CAP as usize, "beyond what is counted too");
    }
}
