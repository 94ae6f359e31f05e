use std::collections::BTreeMap;

use kernel::{Aggregate, Claim, Personal};
use vocabulary::{AgentId, AreaId, DataOwner, OperatorId, Reach, Scope};

use super::{LI, ME, NOW, WANG, given, granted, me, me_holding};
use crate::model::authority::{Above, Authority};
use crate::model::level::Level;
use crate::model::operator::{
    Operator, OperatorCommand, OperatorEvent, OperatorForm, OperatorRefusal, areas_are_of_agents,
};
use crate::model::profession::Profession;

fn of_agent(agent: i64) -> Scope {
    Scope::of(Reach::only([AgentId(agent)]), Reach::All)
}

fn form(name: &str, reach: Scope) -> OperatorForm {
    OperatorForm { name: name.into(), level: Level::try_from(2).unwrap(), profession: None, reach }
}

fn name(operator: OperatorId, name: &str) -> Personal<String> {
    Personal::new(format!("operator:{operator}"), name.to_owned())
}

fn registered(operator: OperatorId, reach: Scope) -> OperatorEvent {
    OperatorEvent::Registered {
        operator,
        phone: "13812348888".parse().unwrap(),
        name: name(operator, "王芳"),
        level: Level::try_from(2).unwrap(),
        reach,
        enabled: true,
        profession: None,
    }
}

fn register(reach: Scope, by: Authority) -> OperatorCommand {
    OperatorCommand::Register {
        operator: WANG,
        phone: "13812348888".parse().unwrap(),
        form: form(" 王芳 ", reach),
        enabled: true,
        by,
    }
}

#[test]
fn an_operator_is_registered_once() {
    given::<Operator>([]).when(register(Scope::ALL, me())).then([registered(WANG, Scope::ALL)]);
    given::<Operator>([registered(WANG, Scope::ALL)])
        .when(register(Scope::ALL, me()))
        .then_refused(OperatorRefusal::Exists);
}

#[test]
fn reach_is_given_within_ones_own() {
    let by = |scope| Authority { scope, ..me() };
    given::<Operator>([]).when(register(of_agent(2), by(of_agent(2)))).then([registered(WANG, of_agent(2))]);
    for beyond in [Scope::ALL, of_agent(3)] {
        given::<Operator>([])
            .when(register(beyond, by(of_agent(2))))
            .then_refused(OperatorRefusal::ReachNotHeld);
    }
    let two_areas = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(1), AreaId(2)]));
    let one_area = Scope { areas: Reach::only([AreaId(1)]), ..two_areas.clone() };
    given::<Operator>([]).when(register(two_areas, by(one_area))).then_refused(OperatorRefusal::ReachNotHeld);
}

#[test]
fn an_operator_who_would_see_nothing_is_refused() {
    for reach in [Scope::NONE, Scope::of(Reach::All, Reach::NONE)] {
        given::<Operator>([]).when(register(reach, me())).then_refused(OperatorRefusal::NoReach);
    }
}

#[test]
fn each_area_belongs_to_one_of_the_agents() {
    let owners = BTreeMap::from([(AreaId(20), AgentId(2)), (AreaId(30), AgentId(3))]);
    let reach = |agents, areas: &[i64]| Scope::of(agents, Reach::only(areas.iter().copied().map(AreaId)));
    let of = |agent| Reach::only([AgentId(agent)]);
    assert_eq!(areas_are_of_agents(&reach(of(2), &[20]), &owners), Ok(()));
    assert_eq!(areas_are_of_agents(&reach(Reach::All, &[20, 30]), &owners), Ok(()));
    assert_eq!(areas_are_of_agents(&of_agent(9), &owners), Ok(()), "all areas of his agents");
    let stray = |area| Err(OperatorRefusal::AreaNotOfAgents(AreaId(area)));
    assert_eq!(areas_are_of_agents(&reach(of(2), &[20, 30]), &owners), stray(30));
    assert_eq!(areas_are_of_agents(&reach(Reach::All, &[40]), &owners), stray(40));
}

#[test]
fn the_customer_service_tool_is_told_once_and_that_is_no_change_of_the_account() {
    let wang = [registered(WANG, Scope::ALL)];
    given::<Operator>(wang.clone())
        .when(OperatorCommand::RegisterCsTool)
        .then([OperatorEvent::CsToolRegistered]);
    let known = given::<Operator>(wang.into_iter().chain([OperatorEvent::CsToolRegistered]));
    known.when(OperatorCommand::RegisterCsTool).then([]);
    assert_eq!(known.0.revision(), 1);
}

#[test]
fn one_cannot_disable_delete_or_strip_oneself() {
    let myself = given::<Operator>([registered(ME, Scope::ALL)]);
    let target = || granted(&["1701"]);
    myself
        .when(OperatorCommand::Disable { target: target(), by: me() })
        .then_refused(OperatorRefusal::Oneself);
    myself
        .when(OperatorCommand::Delete { target: target(), by: me() })
        .then_refused(OperatorRefusal::Oneself);
    let change = |form| OperatorCommand::Change { form, revision: 1, target: target(), by: me() };
    myself.when(change(form("王芳", of_agent(2)))).then_refused(OperatorRefusal::Oneself);
    myself
        .when(change(form("王小芳", Scope::ALL)))
        .then([OperatorEvent::Renamed { name: name(ME, "王小芳") }]);
}

#[test]
fn what_somebody_does_in_the_field_is_kept_beside_his_rights() {
    let inspects = Some(Profession::Inspector);
    let form = OperatorForm { profession: inspects, ..form("王芳", Scope::ALL) };
    let opened = OperatorCommand::Register {
        operator: WANG,
        phone: "13812348888".parse().unwrap(),
        form: form.clone(),
        enabled: true,
        by: me(),
    };
    let mut event = registered(WANG, Scope::ALL);
    if let OperatorEvent::Registered { profession, .. } = &mut event {
        *profession = inspects;
    }
    given::<Operator>([]).when(opened).then([event.clone()]);
    let change = |profession, operator| OperatorCommand::Change {
        form: OperatorForm { profession, ..form.clone() },
        revision: 1,
        target: granted(&["1701"]),
        by: Authority { operator: Some(operator), ..me() },
    };
    let wang = given::<Operator>([event]);
    wang.when(change(inspects, ME)).then([]);
    let none = || OperatorEvent::ProfessionChanged { profession: None };
    wang.when(change(None, ME)).then([none()]);
    // It permits nothing, so everyone may say it of himself.
    wang.when(change(None, WANG)).then([none()]);
}

#[test]
fn an_operator_who_holds_more_is_not_touched() {
    let target = || granted(&["07", "1701"]);
    let by = || me_holding(&["1002"]);
    let above = given::<Operator>([registered(WANG, Scope::ALL)]);
    let refusal = || OperatorRefusal::Above(Above::Codes("用户管理".into()));
    above.when(OperatorCommand::Disable { target: target(), by: by() }).then_refused(refusal());
    above.when(OperatorCommand::Delete { target: target(), by: by() }).then_refused(refusal());
    above.when(OperatorCommand::Enable { target: target(), by: by() }).then_refused(refusal());
    let change =
        OperatorCommand::Change { form: form("x", Scope::ALL), revision: 1, target: target(), by: by() };
    above.when(change).then_refused(refusal());
}

#[test]
fn a_change_names_the_revision_that_was_seen_and_signing_in_is_no_change() {
    let signed_in = OperatorEvent::SignedIn { device_code: "d".into(), at: NOW };
    let wang = given::<Operator>([registered(WANG, Scope::ALL), signed_in]);
    let change = |revision| OperatorCommand::Change {
        form: form("王芳", of_agent(2)),
        revision,
        target: granted(&[]),
        by: me(),
    };
    wang.when(change(2)).then_refused(OperatorRefusal::Stale { seen: 2, actual: 1 });
    wang.when(change(1))
        .then([OperatorEvent::Changed { level: Level::try_from(2).unwrap(), reach: of_agent(2) }]);
}

#[test]
fn a_disabled_operator_does_not_sign_in() {
    let sign_in = || OperatorCommand::SignIn { device_code: "d".into() };
    let wang = [registered(WANG, Scope::ALL)];
    given::<Operator>(wang.clone())
        .when(sign_in())
        .then([OperatorEvent::SignedIn { device_code: "d".into(), at: NOW }]);
    given::<Operator>(wang.into_iter().chain([OperatorEvent::Disabled]))
        .when(sign_in())
        .then_refused(OperatorRefusal::Disabled);
}

#[test]
fn nothing_happens_to_a_deleted_operator() {
    let gone = given::<Operator>([registered(WANG, Scope::ALL), OperatorEvent::Deleted]);
    let target = || granted(&[]);
    gone.when(OperatorCommand::Enable { target: target(), by: me() }).then_refused(OperatorRefusal::Unknown);
    gone.when(OperatorCommand::Delete { target: target(), by: me() }).then_refused(OperatorRefusal::Unknown);
    gone.when(OperatorCommand::SignIn { device_code: "d".into() }).then_refused(OperatorRefusal::Unknown);
    gone.when(register(Scope::ALL, me())).then_refused(OperatorRefusal::Exists);
}

#[test]
fn setting_the_same_state_again_appends_no_event() {
    let wang = given::<Operator>([registered(WANG, Scope::ALL)]);
    wang.when(OperatorCommand::Enable { target: granted(&[]), by: me() }).then([]);
}

#[test]
fn the_phone_is_claimed_and_given_back() {
    let claims = Operator::default().claims(&registered(WANG, Scope::ALL));
    assert!(matches!(&claims[..], [Claim::Take { key, refusal }]
        if key == "phone:13812348888" && *refusal == OperatorRefusal::PhoneTaken("138****8888".into())));
    let wang = given::<Operator>([registered(WANG, of_agent(2))]).0;
    assert!(matches!(&wang.claims(&OperatorEvent::Deleted)[..],
        [Claim::Release { key }] if key == "phone:13812348888"));
}

/// Whether an event takes (`true`) or gives back (`false`) the administrator's key.
fn key_moves(state: &Operator, event: &OperatorEvent) -> Option<bool> {
    state.claims(event).into_iter().find_map(|claim| match claim {
        Claim::Take { key, .. } => key.starts_with("administrator:").then_some(true),
        Claim::Release { key } => key.starts_with("administrator:").then_some(false),
    })
}

#[test]
fn the_administrators_key_is_taken_exactly_while_an_operator_is_unfit() {
    let changed = |reach| OperatorEvent::Changed { level: Level::ALL, reach };
    let steps = [
        (registered(LI, of_agent(2)), Some(true)),
        (OperatorEvent::Disabled, None),
        (changed(Scope::ALL), None),
        (OperatorEvent::Enabled, Some(false)),
        (OperatorEvent::Renamed { name: name(LI, "李") }, None),
        (OperatorEvent::ProfessionChanged { profession: Some(Profession::Leader) }, None),
        (changed(of_agent(3)), Some(true)),
        (changed(Scope::ALL), Some(false)),
        (OperatorEvent::Disabled, Some(true)),
        (OperatorEvent::Enabled, Some(false)),
        (OperatorEvent::Deleted, Some(true)),
    ];
    let mut state = Operator::default();
    for (event, expected) in steps {
        assert_eq!(key_moves(&state, &event), expected, "{event:?}");
        state.evolve(&event);
    }
    assert_eq!(key_moves(&Operator::default(), &registered(LI, Scope::ALL)), None);
}

#[test]
fn an_operator_of_one_agent_is_that_agents_and_of_several_the_platforms() {
    let owner = |reach| given::<Operator>([registered(WANG, reach)]).0.owner();
    assert_eq!(owner(of_agent(2)), DataOwner::of_agent(AgentId(2)));
    assert_eq!(owner(Scope::ALL), DataOwner::PLATFORM);
    let two = Scope::of(Reach::only([AgentId(2), AgentId(3)]), Reach::All);
    assert_eq!(owner(two), DataOwner::PLATFORM);
}

#[test]
fn nobody_is_made_of_a_higher_level_than_who_makes_him() {
    let by = || Authority { level: Level::try_from(2).unwrap(), ..me() };
    let leveled = |mask| OperatorForm { level: Level::try_from(mask).unwrap(), ..form("王芳", Scope::ALL) };
    let register = |mask| OperatorCommand::Register {
        operator: WANG,
        phone: "13812348888".parse().unwrap(),
        form: leveled(mask),
        enabled: true,
        by: by(),
    };
    for above in [1, 3, 15] {
        given::<Operator>([]).when(register(above)).then_refused(OperatorRefusal::LevelNotHeld);
    }
    assert!(given::<Operator>([]).when(register(14)).0.is_ok());
    let change =
        |mask| OperatorCommand::Change { form: leveled(mask), revision: 1, target: granted(&[]), by: by() };
    let wang = given::<Operator>([registered(WANG, Scope::ALL)]);
    wang.when(change(1)).then_refused(OperatorRefusal::LevelNotHeld);
    assert!(wang.when(change(4)).0.is_ok());
    let raised = OperatorEvent::Changed { level: Level::try_from(1).unwrap(), reach: Scope::ALL };
    let above = given::<Operator>([registered(WANG, Scope::ALL), raised, OperatorEvent::Disabled]);
    let refusal = || OperatorRefusal::Above(Above::Level);
    above.when(OperatorCommand::Enable { target: granted(&[]), by: by() }).then_refused(refusal());
    above.when(OperatorCommand::Delete { target: granted(&[]), by: by() }).then_refused(refusal());
    // Lowering him is an act on him too.
    let lower = OperatorCommand::Change { form: leveled(4), revision: 3, target: granted(&[]), by: by() };
    above.when(lower).then_refused(refusal());
}

#[test]
fn somebody_of_a_wider_reach_is_not_touched_not_even_to_narrow_him() {
    let area =
        |areas: &[i64]| Scope::of(Reach::only([AgentId(2)]), Reach::only(areas.iter().copied().map(AreaId)));
    let by = || Authority { scope: area(&[20]), ..me() };
    let refusal = || OperatorRefusal::Above(Above::Reach);
    for wider in [area(&[20, 21]), of_agent(2), Scope::ALL] {
        let wang = given::<Operator>([registered(WANG, wider)]);
        let change = OperatorCommand::Change {
            form: form("x", area(&[20])),
            revision: 1,
            target: granted(&[]),
            by: by(),
        };
        wang.when(change).then_refused(refusal());
        wang.when(OperatorCommand::Disable { target: granted(&[]), by: by() }).then_refused(refusal());
        wang.when(OperatorCommand::Enable { target: granted(&[]), by: by() }).then_refused(refusal());
        wang.when(OperatorCommand::Delete { target: granted(&[]), by: by() }).then_refused(refusal());
    }
    let wang = given::<Operator>([registered(WANG, area(&[20]))]);
    wang.when(OperatorCommand::Disable { target: granted(&[]), by: by() }).then([OperatorEvent::Disabled]);
}
