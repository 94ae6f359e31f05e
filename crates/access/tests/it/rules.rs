//! Rules that span several streams, under commands at the same time.

use access::model::authority::{Authority, Granted, Person};
use access::model::level::Level;
use access::model::operator::{Operator, OperatorCommand, OperatorForm};
use access::model::role::{Role, RoleCommand, RoleForm, SUPER_ADMINISTRATOR};
use kernel::{CommandContext, Runtime};
use vocabulary::{AgentId, OperatorId, PermissionCode, Reach, RoleId, Scope};

use crate::runtime::{NOW, TestRuntime};

fn ctx() -> CommandContext {
    CommandContext::of_system("test", NOW)
}

fn form(reach: Scope) -> OperatorForm {
    OperatorForm { name: "王芳".into(), level: Level::ALL, profession: None, reach }
}

fn person(operator: OperatorId) -> Person {
    Person { operator, granted: Granted::NOTHING, reach: Scope::ALL, level: Level::ALL }
}

async fn register(runtime: &Runtime, number: i64) -> OperatorId {
    let operator = OperatorId(number);
    let register = OperatorCommand::Register {
        operator,
        phone: format!("137{number:08}").parse().unwrap(),
        form: form(Scope::ALL),
        enabled: true,
        by: Authority::of_runtime(),
    };
    runtime.desk.execute::<Operator>(&operator, register, &ctx()).await.unwrap();
    operator
}

async fn administrators(runtime: &Runtime) -> usize {
    let role = runtime.desk.load::<Role>(&SUPER_ADMINISTRATOR).await.unwrap().state;
    let mut fit = 0;
    for holder in role.holders() {
        fit += usize::from(runtime.desk.load::<Operator>(holder).await.unwrap().state.may_administer());
    }
    fit
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_last_administrator_stays_whatever_is_asked_at_the_same_time() {
    let test = TestRuntime::new().await;
    let runtime = &test.runtime;
    let by = Authority::of_runtime;
    for round in 0..6 {
        let mut all = vec![OperatorId(1)];
        for number in 0..3 {
            let operator = register(runtime, 100 + round * 10 + number).await;
            let grant = RoleCommand::Grant { to: person(operator), by: by() };
            runtime.desk.execute::<Role>(&SUPER_ADMINISTRATOR, grant, &ctx()).await.unwrap();
            all.push(operator);
        }
        let mut asked = tokio::task::JoinSet::new();
        for operator in all.clone() {
            let desk = runtime.desk.clone();
            asked.spawn(async move {
                let withdraw = RoleCommand::Withdraw { from: person(operator), by: by() };
                desk.execute::<Role>(&SUPER_ADMINISTRATOR, withdraw, &ctx()).await.is_ok()
            });
            let desk = runtime.desk.clone();
            asked.spawn(async move {
                let disable = OperatorCommand::Disable { target: Granted::NOTHING, by: by() };
                desk.execute::<Operator>(&operator, disable, &ctx()).await.is_ok()
            });
            let desk = runtime.desk.clone();
            asked.spawn(async move {
                let reach = Scope::of(Reach::only([AgentId(2)]), Reach::All);
                let revision = desk.load::<Operator>(&operator).await.unwrap().state.revision();
                let limit = OperatorCommand::Change {
                    form: form(reach),
                    revision,
                    target: Granted::NOTHING,
                    by: by(),
                };
                desk.execute::<Operator>(&operator, limit, &ctx()).await.is_ok()
            });
            let desk = runtime.desk.clone();
            asked.spawn(async move {
                let grant = RoleCommand::Grant { to: person(operator), by: by() };
                desk.execute::<Role>(&SUPER_ADMINISTRATOR, grant, &ctx()).await.is_ok()
            });
        }
        asked.join_all().await;
        assert!(administrators(runtime).await >= 1, "round {round}");
        let role = runtime.desk.load::<Role>(&SUPER_ADMINISTRATOR).await.unwrap().state;
        assert_eq!(administrators(runtime).await, role.holders().len(), "every holder is fit, round {round}");
        // For the next round the first one is an administrator again.
        let operator = OperatorId(1);
        let revision = runtime.desk.load::<Operator>(&operator).await.unwrap().state.revision();
        let widen =
            OperatorCommand::Change { form: form(Scope::ALL), revision, target: Granted::NOTHING, by: by() };
        runtime.desk.execute::<Operator>(&operator, widen, &ctx()).await.unwrap();
        let enable = OperatorCommand::Enable { target: Granted::NOTHING, by: by() };
        runtime.desk.execute::<Operator>(&operator, enable, &ctx()).await.unwrap();
        let grant = RoleCommand::Grant { to: person(operator), by: by() };
        runtime.desk.execute::<Role>(&SUPER_ADMINISTRATOR, grant, &ctx()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_role_is_either_deleted_or_held_whatever_is_asked_at_the_same_time() {
    let test = TestRuntime::new().await;
    let runtime = &test.runtime;
    for round in 0..20 {
        let (role, operator) = (RoleId(500 + round), register(runtime, 500 + round).await);
        let create = RoleCommand::Create {
            agent: None,
            form: RoleForm {
                name: format!("角色{round}"),
                tier: access::model::level::Tier::Operations,
                remark: String::new(),
                codes: [PermissionCode::try_from("0401".to_owned()).unwrap()].into(),
                view: None,
            },
            enabled: true,
            by: Authority::of_runtime(),
        };
        runtime.desk.execute::<Role>(&role, create, &ctx()).await.unwrap();
        let (delete_desk, grant_desk) = (runtime.desk.clone(), runtime.desk.clone());
        let delete = tokio::spawn(async move {
            let delete = RoleCommand::Delete { revision: None, by: Authority::of_runtime() };
            delete_desk.execute::<Role>(&role, delete, &ctx()).await.is_ok()
        });
        let grant = tokio::spawn(async move {
            let grant = RoleCommand::Grant { to: person(operator), by: Authority::of_runtime() };
            grant_desk.execute::<Role>(&role, grant, &ctx()).await.is_ok()
        });
        let (deleted, granted) = (delete.await.unwrap(), grant.await.unwrap());
        assert!(deleted != granted, "round {round}: exactly one of the two is done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn starting_on_several_nodes_at_once_makes_one_administrator() {
    let test = TestRuntime::new().await;
    let phone: vocabulary::Phone = "13700000000".parse().unwrap();
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (runtime, phone) = (test.runtime.clone(), phone.clone());
        starts.spawn(async move { access::bootstrap(&runtime, &phone).await.unwrap() });
    }
    assert!(starts.join_all().await.into_iter().all(|registered| !registered));
    assert_eq!(administrators(&test.runtime).await, 1);
}

#[tokio::test]
async fn a_machine_token_is_told_once_and_revoked_by_name() {
    use sha2::{Digest, Sha256};
    use wire::Directory;
    let test = TestRuntime::new().await;
    let runtime = &test.runtime;
    let directory = access::AccessDirectory::new(runtime.clone());
    let new = access::add_machine(runtime, "simulator", &access::SIMULATOR_CODES, Scope::ALL).await.unwrap();
    let again = access::add_machine(runtime, "simulator", &access::SIMULATOR_CODES, Scope::ALL).await;
    assert_eq!(again.unwrap_err().to_string(), "名称“simulator”已被使用");
    let digest: [u8; 32] = Sha256::digest(new.token.as_bytes()).into();
    let kept: i64 = sqlx::query_scalar("select count(*) from log.events where data like '%' || $1 || '%'")
        .bind(&new.token)
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap();
    assert_eq!(kept, 0, "the token itself is kept nowhere");
    drop(runtime.reads.scoped(&Scope::ALL, Some(kernel::Position(i64::MAX)), &["machine"]).await.unwrap());
    let standing = directory.machine(digest).await.unwrap().unwrap();
    assert!(standing.enabled && standing.codes.has("open:ride") && standing.id == new.machine);
    access::revoke_machine(runtime, "simulator").await.unwrap();
    drop(runtime.reads.scoped(&Scope::ALL, Some(kernel::Position(i64::MAX)), &["machine"]).await.unwrap());
    directory.forget();
    assert!(!directory.machine(digest).await.unwrap().unwrap().enabled);
    assert!(directory.machine([0; 32]).await.unwrap().is_none());
}
