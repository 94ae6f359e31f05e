//! Lists of bikes, as the role that reads are made under.

use fleet::model::region::Lifecycle;
use fleet::read::vehicle_list::{Named, following, list};
use fleet::read::vehicles::VehicleRow;
use vocabulary::{AgentId, AreaId, Page, Reach, Scope};

use crate::runtime::TestRuntime;

/// 3,000 bikes of agent 2 (`A00000` and on) and as many of agent 3 (`B…`), every tenth not on the street.
async fn runtime() -> TestRuntime {
    let runtime = TestRuntime::new().await;
    sqlx::query(
        "insert into read.vehicle (car_id, imei, plate_no, agent_id, area_id, lifecycle, riding_state,
                                   operation_states, alarm_states, created_at_ms, updated_at_ms, version)
         select case agent when 2 then 'A' else 'B' end || lpad(number::text, 5, '0'),
                '86' || agent || lpad(number::text, 12, '0'), '', agent, agent * 10,
                case when number % 10 = 0 then 1 else 2 end, 1, '{}', '{}', 0, 0, 1
         from generate_series(0, 2999) number, unnest(array[2, 3]) agent",
    )
    .execute(&runtime.runtime.pools.owner)
    .await
    .unwrap();
    sqlx::raw_sql("analyze read.vehicle").execute(&runtime.runtime.pools.owner).await.unwrap();
    runtime
}

fn of(agent: i64) -> Scope {
    Scope::of(Reach::only([AgentId(agent)]), Reach::only([AreaId(agent * 10)]))
}

fn ids(rows: &[VehicleRow]) -> Vec<&str> {
    rows.iter().map(|row| row.car_id.as_str()).collect()
}

#[tokio::test]
async fn a_page_holds_what_the_filter_and_the_scope_leave() {
    let runtime = runtime().await;
    let reads = &runtime.runtime.reads;
    let look = async |scope: &Scope, named: &str, lifecycles: &[Lifecycle], at: Page| {
        let mut tx = reads.scoped(scope, None, &[]).await.unwrap();
        let lifecycles = lifecycles.iter().map(|lifecycle| lifecycle.number().into()).collect();
        let list = list(scope, &Named::typed(named).unwrap()).is_one_of("lifecycle", lifecycles);
        list.page::<VehicleRow>(&mut tx, at).await.unwrap()
    };
    let small = Page::new(Some(1), Some(3));
    let all = look(&Scope::ALL, "", &[], small).await;
    assert_eq!((ids(&all.rows), all.count, all.capped), (vec!["A00000", "A00001", "A00002"], 6_000, false));
    let own = look(&of(3), "", &[], Page::new(Some(2), Some(2))).await;
    assert_eq!((ids(&own.rows), own.count), (vec!["B00002", "B00003"], 3_000));
    assert_eq!(look(&of(3), "A", &[], small).await.count, 0, "another agent's");
    assert_eq!(look(&of(3), "862000000000001", &[], small).await.count, 0, "another agent's device");
    let one = look(&of(2), "862000000000001", &[], small).await;
    assert_eq!((ids(&one.rows), one.count), (vec!["A00001"], 1));
    let beginning = look(&of(2), "A0000", &[Lifecycle::Stocked], small).await;
    assert_eq!((ids(&beginning.rows), beginning.count), (vec!["A00000"], 1));
    assert_eq!(look(&of(2), "", &[Lifecycle::Stocked, Lifecycle::Shelved], small).await.count, 3_000);
    assert_eq!(look(&of(2), "%", &[], small).await.count, 0, "no pattern");
}

#[tokio::test]
async fn a_machines_pages_hold_every_bike_in_scope_once() {
    let runtime = runtime().await;
    let (mut after, mut seen) = (String::new(), Vec::new());
    loop {
        let mut tx = runtime.runtime.reads.scoped(&of(3), None, &[]).await.unwrap();
        let rows = following(&mut *tx, &after, 700).await.unwrap();
        let Some(last) = rows.last() else { break };
        after.clone_from(&last.car_id);
        seen.extend(rows.into_iter().map(|row| row.car_id));
    }
    assert_eq!(seen.len(), 3_000);
    assert!(seen.iter().all(|car_id| car_id.starts_with('B')) && seen.is_sorted());
}

#[tokio::test]
async fn the_next_page_and_a_beginning_are_asked_of_an_index_under_row_level_security() {
    let runtime = runtime().await;
    for (sql, conditions) in [
        ("select * from read.vehicle where car_id ~>~ 'B01000' order by car_id using ~<~ limit 101", "~>~"),
        (
            "select * from read.vehicle where agent_id = 3 and area_id = 30 and (car_id ^@ 'B0100')
             order by car_id using ~<~ limit 10 offset 0",
            "~>=~",
        ),
    ] {
        let mut tx = runtime.runtime.reads.scoped(&of(3), None, &[]).await.unwrap();
        let plan: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("explain {sql}")))
            .fetch_all(&mut *tx)
            .await
            .unwrap();
        let plan = plan.join("\n");
        let by_index = plan.lines().any(|line| line.contains("Index Cond") && line.contains(conditions));
        assert!(by_index && plan.contains("vehicle_car_prefix"), "{plan}");
        assert!(!plan.contains("Sort"), "the index has the order:\n{plan}");
    }
}
