//! Contracts end by themselves, and areas stop and resume.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use geofence::Ring;
use kernel::{
    CommandContext, Foundation, MIGRATIONS, MasterKey, PoolSizes, Pools, Position, Projectors, Runtime,
};
use territory::expiry::{end_contracts, keep_stops};
use territory::model::area::{Area, AreaCommand, Plan};
use territory::model::area_terms::Terms;
use territory::model::franchisee::{Form, Franchisee, FranchiseeCommand};
use testkit::Services;
use vocabulary::{
    AgentId, AreaId, Clock, Datum, FixedClock, FranchiseeId, Scope, Snowflake, SystemClock, Timestamp,
};

const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };
const DAY_MS: i64 = 24 * 3_600_000;
/// Midnight of 2027-01-15 in Shanghai.
const MIDNIGHT: Timestamp = Timestamp::from_millis(1_799_942_400_000);

fn register(franchisee_id: FranchiseeId, license: &str, last_day: &str) -> FranchiseeCommand {
    let form = Form {
        company: Some(format!("加盟商 {franchisee_id}")),
        contact: Some("陈伟".to_owned()),
        phone: Some("13900000001".to_owned()),
        license_no: Some(license.to_owned()),
        legal_person: Some("陈建国".to_owned()),
        service_area_ids: Some(BTreeSet::from([AreaId(20)])),
        joined_at: Some("2026-01-01".to_owned()),
        contract_end: Some(last_day.to_owned()),
        divide_ratio_bp: Some(3_000),
        ..Form::default()
    };
    FranchiseeCommand::Register { franchisee_id, agent_id: AgentId(2), form }
}

/// What the table says of the franchisees, once it has read the whole log.
async fn states(runtime: &Runtime) -> Vec<(i64, i16)> {
    let head = Some(Position(i64::MAX));
    let mut db = runtime.reads.scoped(&Scope::ALL, head, &["franchisee"]).await.unwrap();
    assert!(db.caught_up(), "the table is up to date");
    sqlx::query_as("select franchisee_id, state from read.franchisee order by franchisee_id")
        .fetch_all(&mut *db)
        .await
        .unwrap()
}

/// A system whose read models follow, on a database that goes when it is dropped.
async fn system(services: &Services) -> (testkit::TestDatabase, Runtime, tokio::task::JoinHandle<()>) {
    let database = services.migrated(&MIGRATIONS).await;
    let pools = Pools::connect(&database.url, SIZES).await.unwrap();
    let clock: Arc<dyn Clock> = Arc::new(FixedClock::at(MIDNIGHT));
    let ids = Arc::new(Snowflake::new(SystemClock, 1));
    let runtime = Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), clock, ids)).await.unwrap();
    let projectors = Projectors::new(runtime.clone(), territory::projectors());
    let projecting = tokio::spawn(async move {
        let () = projectors.run().await;
    });
    (database, runtime, projecting)
}

#[tokio::test(flavor = "multi_thread")]
async fn contracts_end_at_the_midnight_after_their_last_day_and_others_go_on() {
    let services = Services::start().await;
    let (_database, runtime, projecting) = system(&services).await;

    let ctx = CommandContext::of_system("test", MIDNIGHT);
    for (id, license, last_day, signed) in [
        (71, "91350200MA31C0001Y", "2027-01-15", true),
        (72, "91350200MA31C00022", "2027-01-16", true),
        (73, "91350200MA31C00035", "2027-01-15", false),
    ] {
        let franchisee = FranchiseeId(id);
        runtime
            .desk
            .execute::<Franchisee>(&franchisee, register(franchisee, license, last_day), &ctx)
            .await
            .unwrap();
        if signed {
            runtime.desk.execute::<Franchisee>(&franchisee, FranchiseeCommand::Sign, &ctx).await.unwrap();
        }
    }
    assert_eq!(states(&runtime).await, [(71, 1), (72, 1), (73, 0)]);

    // The last minute of the last day; then midnight, looked at twice; then long after.
    end_contracts(&runtime, MIDNIGHT.plus_millis(DAY_MS - 1)).await.unwrap();
    assert_eq!(states(&runtime).await, [(71, 1), (72, 1), (73, 0)]);
    for _ in 0..2 {
        end_contracts(&runtime, MIDNIGHT.plus_millis(DAY_MS)).await.unwrap();
        assert_eq!(states(&runtime).await, [(71, 2), (72, 1), (73, 0)]);
    }
    end_contracts(&runtime, MIDNIGHT.plus_millis(40 * DAY_MS)).await.unwrap();
    assert_eq!(states(&runtime).await, [(71, 2), (72, 2), (73, 0)]);

    runtime.close();
    let _ = tokio::time::timeout(Duration::from_secs(10), projecting).await;
}

/// What the table says of an area: its state, what riders are told, and when it stops and resumes.
async fn area_row(runtime: &Runtime) -> (i16, String, Option<i64>, Option<i64>) {
    let head = Some(Position(i64::MAX));
    let mut db = runtime.reads.scoped(&Scope::ALL, head, &["area"]).await.unwrap();
    assert!(db.caught_up(), "the table is up to date");
    sqlx::query_as("select state, notice, stop_begin_at_ms, stop_end_at_ms from read.area where area_id = 20")
        .fetch_one(&mut *db)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_area_stops_and_resumes_at_its_times_by_the_system_and_keeps_its_terms() {
    let services = Services::start().await;
    let (_database, runtime, projecting) = system(&services).await;
    let ring = Ring::draw(&[[118.0, 24.0], [118.1, 24.0], [118.1, 24.1]], Datum::Wgs84).unwrap();
    let tel = "0592-1234567".to_owned();
    let (area, name) = (AreaId(20), "湖滨".to_owned());
    let plan = Plan { area_id: area, agent_id: AgentId(2), name: name.clone(), tel: tel.clone(), ring };
    let terms = Terms {
        city_code: "350200".into(),
        vehicle_quota: Some(500),
        supervision_ids: vec!["XM-01".into(), "XM-02".into()],
        takes_applications: false,
    };
    let (begin, end) = (MIDNIGHT.plus_millis(DAY_MS), MIDNIGHT.plus_millis(2 * DAY_MS));
    let stop = AreaCommand::Stop { from: Some(begin), until: Some(end), notice: "台风".into() };
    let described = AreaCommand::Describe { name, tel, terms: Some(terms) };
    let ctx = CommandContext::of_system("test", MIDNIGHT);
    for command in [AreaCommand::Plan(plan), AreaCommand::Open, described, stop] {
        runtime.desk.execute::<Area>(&area, command, &ctx).await.unwrap();
    }
    let planned = (1, String::new(), Some(begin.millis()), Some(end.millis()));
    assert_eq!(area_row(&runtime).await, planned);
    let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    let kept: (String, Option<i32>, Vec<String>, bool) = sqlx::query_as(
        "select city_code, vehicle_quota, supervision_ids, takes_applications from read.area where area_id = 20",
    )
    .fetch_one(&mut *db)
    .await
    .unwrap();
    drop(db);
    assert_eq!(kept, ("350200".into(), Some(500), vec!["XM-01".into(), "XM-02".into()], false));

    keep_stops(&runtime, begin.plus_millis(-1)).await.unwrap();
    assert_eq!(area_row(&runtime).await, planned);
    // Looked at twice: by two nodes, say.
    for _ in 0..2 {
        keep_stops(&runtime, begin).await.unwrap();
        assert_eq!(area_row(&runtime).await, (2, "台风".into(), Some(begin.millis()), Some(end.millis())));
    }
    for _ in 0..2 {
        keep_stops(&runtime, end).await.unwrap();
        assert_eq!(area_row(&runtime).await, (1, String::new(), None, None));
    }

    runtime.close();
    let _ = tokio::time::timeout(Duration::from_secs(10), projecting).await;
}
