use kernel::{Aggregate, Claim, Refusal};
use vocabulary::{AgentId, AreaId, CarRange, CarView, Cars, DataOwner, Reach, Scope};

use super::{LI, ME, WANG, codes, given, held_by, level, me, me_holding, person};
use crate::model::authority::{Above, Authority, People, Person};
use crate::model::level::{Level, Tier};
use crate::model::role::{NAME_MAX, Role, RoleCommand, RoleEvent, RoleForm, RoleRefusal};
use crate::permissions::every_code;

fn form(name: &str, texts: &[&str]) -> RoleForm {
    RoleForm {
        name: name.into(),
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(texts),
        view: None,
    }
}

fn all() -> People {
    held_by(&[WANG, LI, ME])
}

fn created(texts: &[&str]) -> RoleEvent {
    RoleEvent::Created {
        agent: None,
        name: "客服".into(),
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(texts),
        view: CarView::default(),
        enabled: true,
        system: false,
    }
}

fn system() -> RoleEvent {
    RoleEvent::Created {
        agent: None,
        name: "超级管理员".into(),
        tier: Tier::Administration,
        remark: String::new(),
        codes: every_code(),
        view: CarView::default(),
        enabled: true,
        system: true,
    }
}

fn create(form: RoleForm, by: crate::model::authority::Authority) -> RoleCommand {
    RoleCommand::Create { agent: None, form, enabled: true, by }
}

#[test]
fn a_role_is_created_with_its_texts_trimmed() {
    given::<Role>([])
        .when(create(form(" 客服 ", &["0401"]), me_holding(&["0401"])))
        .then([created(&["0401"])]);
}

#[test]
fn a_name_must_be_there_and_short() {
    for name in ["", "  ", &"长".repeat(NAME_MAX + 1)] {
        given::<Role>([]).when(create(form(name, &["0401"]), me())).then_refused(RoleRefusal::BadName);
    }
}

#[test]
fn a_role_permits_at_least_one_known_code() {
    given::<Role>([]).when(create(form("客服", &[]), me())).then_refused(RoleRefusal::NoCodes);
    let unknown = codes(&["0999"]).pop_first().unwrap();
    given::<Role>([])
        .when(create(form("客服", &["0999"]), me()))
        .then_refused(RoleRefusal::UnknownCode(unknown));
}

#[test]
fn rights_over_rights_are_not_for_field_staff() {
    let form = RoleForm { tier: Tier::Maintenance, ..form("维修", &["1002"]) };
    given::<Role>([])
        .when(create(form, me()))
        .then_refused(RoleRefusal::NotForTier { title: "人员列表", tier: "运维" });
}

#[test]
fn perm_018_one_grants_only_codes_that_one_holds() {
    let refusal = || RoleRefusal::NotHeld("营销配置".into());
    let by = || me_holding(&["1001", "0401"]);
    given::<Role>([]).when(create(form("营销", &["0401", "1701"]), by())).then_refused(refusal());
    let change =
        RoleCommand::Change {
            form: form("客服", &["0401", "1701"]), revision: 1, holders: all(), by: by()
        };
    given::<Role>([created(&["0401"])]).when(change).then_refused(refusal());
    let grant = RoleCommand::Grant { to: person(WANG, level(2)), by: by() };
    given::<Role>([created(&["1701"])]).when(grant).then_refused(refusal());
}

#[test]
fn a_role_above_oneself_is_not_touched() {
    let by = || me_holding(&["0401"]);
    let refusal = || RoleRefusal::NotHeld("营销配置".into());
    let role = given::<Role>([created(&["1701"]), RoleEvent::Granted { operator: WANG }]);
    role.when(RoleCommand::Disable { holders: all(), by: by() }).then_refused(refusal());
    role.when(RoleCommand::Delete { revision: None, by: by() }).then_refused(refusal());
    role.when(RoleCommand::Withdraw { from: person(WANG, level(2)), by: by() }).then_refused(refusal());
    let change =
        RoleCommand::Change { form: form("客服", &["0401"]), revision: 1, holders: all(), by: by() };
    role.when(change).then_refused(refusal());
}

#[test]
fn nobody_edits_a_role_that_he_holds_or_changes_his_own_roles() {
    let role = given::<Role>([created(&["0401"]), RoleEvent::Granted { operator: ME }]);
    let change =
        RoleCommand::Change { form: form("客服", &["0401"]), revision: 1, holders: all(), by: me() };
    role.when(change).then_refused(RoleRefusal::OwnRole);
    role.when(RoleCommand::Disable { holders: all(), by: me() }).then_refused(RoleRefusal::OwnRole);
    role.when(RoleCommand::Withdraw { from: person(ME, level(2)), by: me() })
        .then_refused(RoleRefusal::OwnRoles);
    role.when(RoleCommand::Grant { to: person(ME, level(2)), by: me() }).then_refused(RoleRefusal::OwnRoles);
}

#[test]
fn a_change_names_the_revision_that_was_seen() {
    let role = given::<Role>([created(&["0401"]), RoleEvent::Renamed { name: "客服二组".into() }]);
    let change =
        |revision| RoleCommand::Change {
            form: form("客服", &["0401"]), revision, holders: all(), by: me()
        };
    role.when(change(1)).then_refused(RoleRefusal::Stale { seen: 1, actual: 2 });
    role.when(change(2)).then([RoleEvent::Renamed { name: "客服".into() }]);
}

#[test]
fn giving_a_role_to_somebody_is_no_change_of_its_content() {
    let role = given::<Role>([created(&["0401"]), RoleEvent::Granted { operator: WANG }]);
    let change =
        RoleCommand::Change { form: form("客服", &["0401", "08"]), revision: 1, holders: all(), by: me() };
    role.when(change).then([RoleEvent::Changed {
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(&["0401", "08"]),
        view: CarView::default(),
    }]);
}

fn view(from: &str, to: &str) -> CarView {
    CarView { ranges: vec![CarRange { from: from.into(), to: to.into() }], ..CarView::default() }
}

/// Me, seeing just these bikes.
fn me_seeing(from: &str, to: &str) -> crate::model::authority::Authority {
    crate::model::authority::Authority {
        scope: Scope { cars: Cars::NONE.and(&view(from, to)), ..Scope::ALL },
        ..me()
    }
}

#[test]
fn a_form_that_says_nothing_of_bikes_leaves_them_as_they_were() {
    let limited = RoleEvent::Changed {
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(&["0401"]),
        view: view("A100", "A199"),
    };
    let role = given::<Role>([created(&["0401"]), limited.clone()]);
    let change = |form, revision| RoleCommand::Change { form, revision, holders: all(), by: me() };
    role.when(change(form("客服", &["0401"]), 2)).then([]);
    let every = RoleForm { view: Some(CarView::default()), ..form("客服", &["0401"]) };
    role.when(change(every, 2)).then([RoleEvent::Changed {
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(&["0401"]),
        view: CarView::default(),
    }]);
}

#[test]
fn nobody_makes_edits_or_gives_a_role_that_shows_more_than_he_sees() {
    let by = || me_seeing("A100", "A199");
    let of = |view| RoleForm { view: Some(view), ..form("客服", &["0401"]) };
    let new = given::<Role>([]);
    new.when(create(of(view("A100", "A200")), by())).then_refused(RoleRefusal::BeyondSight);
    new.when(create(form("客服", &["0401"]), by())).then_refused(RoleRefusal::BeyondSight);
    new.when(create(of(view("A150", "A160")), by())).then([RoleEvent::Created {
        agent: None,
        name: "客服".into(),
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(&["0401"]),
        view: view("A150", "A160"),
        enabled: true,
        system: false,
    }]);
    let of_all = given::<Role>([created(&["0401"])]);
    let grant = |to| RoleCommand::Grant { to, by: by() };
    of_all.when(grant(person(WANG, level(2)))).then_refused(RoleRefusal::BeyondSight);
    of_all.when(RoleCommand::Disable { holders: all(), by: by() }).then_refused(RoleRefusal::BeyondSight);
    let narrower =
        RoleCommand::Change { form: of(view("A150", "A160")), revision: 1, holders: all(), by: by() };
    of_all.when(narrower).then_refused(RoleRefusal::BeyondSight);
}

#[test]
fn nobody_acts_on_somebody_who_sees_more_bikes() {
    let mut wang = person(WANG, level(2));
    assert_eq!(me_seeing("A100", "A199").may_act_on(&wang), Ok(()));
    wang.granted.cars = Cars::NONE.and(&view("A150", "A250"));
    assert_eq!(me_seeing("A100", "A199").may_act_on(&wang), Err(Above::Sight));
    assert_eq!(me().may_act_on(&wang), Ok(()));
}

#[test]
fn a_change_to_the_same_changes_nothing() {
    let change =
        RoleCommand::Change { form: form("客服", &["0401"]), revision: 1, holders: all(), by: me() };
    given::<Role>([created(&["0401"])]).when(change).then([]);
}

#[test]
fn setting_the_same_state_again_appends_no_event() {
    let role = given::<Role>([created(&["0401"])]);
    role.when(RoleCommand::Enable { holders: all(), by: me() }).then([]);
    role.when(RoleCommand::Disable { holders: all(), by: me() }).then([RoleEvent::Disabled]);
}

#[test]
fn a_role_in_use_cannot_be_deleted() {
    let delete = || RoleCommand::Delete { revision: None, by: me() };
    let held =
        [created(&["0401"]), RoleEvent::Granted { operator: WANG }, RoleEvent::Granted { operator: LI }];
    given::<Role>(held.clone()).when(delete()).then_refused(RoleRefusal::InUse(2));
    let given_back = [RoleEvent::Withdrawn { operator: WANG }, RoleEvent::Withdrawn { operator: LI }];
    given::<Role>(held.into_iter().chain(given_back)).when(delete()).then([RoleEvent::Deleted]);
}

#[test]
fn nothing_happens_to_a_deleted_role() {
    let role = given::<Role>([created(&["0401"]), RoleEvent::Deleted]);
    role.when(RoleCommand::Grant { to: person(WANG, level(2)), by: me() }).then_refused(RoleRefusal::Unknown);
    role.when(RoleCommand::Enable { holders: all(), by: me() }).then_refused(RoleRefusal::Unknown);
    role.when(RoleCommand::Delete { revision: None, by: me() }).then_refused(RoleRefusal::Unknown);
    role.when(create(form("客服", &["0401"]), me())).then_refused(RoleRefusal::Exists);
    given::<Role>([])
        .when(RoleCommand::Grant { to: person(WANG, level(2)), by: me() })
        .then_refused(RoleRefusal::Unknown);
}

#[test]
fn a_disabled_role_is_not_given_out_but_stays_with_its_holders() {
    let role =
        given::<Role>([created(&["0401"]), RoleEvent::Granted { operator: WANG }, RoleEvent::Disabled]);
    role.when(RoleCommand::Grant { to: person(WANG, level(2)), by: me() }).then([]);
    role.when(RoleCommand::Grant { to: person(LI, level(2)), by: me() })
        .then_refused(RoleRefusal::IsDisabled);
}

#[test]
fn the_system_role_is_founded_once_and_stays_as_it_is() {
    let found = || RoleCommand::Found { name: "超级管理员".into() };
    given::<Role>([]).when(found()).then([system()]);
    let role = given::<Role>([system()]);
    role.when(found()).then([]);
    role.when(RoleCommand::Disable { holders: all(), by: me() }).then_refused(RoleRefusal::System);
    role.when(RoleCommand::Delete { revision: None, by: me() }).then_refused(RoleRefusal::System);
    let change =
        RoleCommand::Change { form: form("客服", &["0401"]), revision: 1, holders: all(), by: me() };
    role.when(change).then_refused(RoleRefusal::System);
}

#[test]
fn the_system_role_keeps_its_last_holder() {
    let withdraw = || RoleCommand::Withdraw { from: person(WANG, level(2)), by: me() };
    let one = [system(), RoleEvent::Granted { operator: WANG }];
    given::<Role>(one.clone()).when(withdraw()).then_refused(RoleRefusal::LastAdministrator);
    let two = one.into_iter().chain([RoleEvent::Granted { operator: LI }]);
    given::<Role>(two).when(withdraw()).then([RoleEvent::Withdrawn { operator: WANG }]);
}

#[test]
fn a_role_is_given_only_to_tiers_that_may_hold_all_its_codes() {
    let office = given::<Role>([created(&["0401", "1002"])]);
    let grant = |level| RoleCommand::Grant { to: person(WANG, level), by: me() };
    let refusal = |tiers: &str| RoleRefusal::NotForLevel { title: "人员列表", tiers: tiers.into() };
    office.when(grant(level(4))).then_refused(refusal("运维"));
    office.when(grant(level(4 | 8))).then_refused(refusal("运维、生产"));
    office.when(grant(level(2 | 4))).then([RoleEvent::Granted { operator: WANG }]);
    // The system role is for whoever administers the system, whatever his tiers are called.
    given::<Role>([system()]).when(grant(level(4))).then([RoleEvent::Granted { operator: WANG }]);
    assert_eq!(office.0.suits(Level::ALL), Ok(()));
}

#[test]
fn a_name_is_claimed_within_its_agent_and_given_back() {
    let of_agent = RoleEvent::Created {
        agent: Some(AgentId(2)),
        name: "客服".into(),
        tier: Tier::Operations,
        remark: String::new(),
        codes: codes(&["0401"]),
        view: CarView::default(),
        enabled: true,
        system: false,
    };
    let claims = Role::default().claims(&of_agent);
    assert!(matches!(&claims[..], [Claim::Take { key, refusal }]
        if key == "role-name:2:客服" && *refusal == RoleRefusal::NameTaken("客服".into())));
    let role = given::<Role>([of_agent]).0;
    assert_eq!(role.owner(), DataOwner::of_agent(AgentId(2)));
    let claims = role.claims(&RoleEvent::Renamed { name: "售后".into() });
    assert!(matches!(&claims[..], [Claim::Take { key: taken, .. }, Claim::Release { key: back }]
        if taken == "role-name:2:售后" && back == "role-name:2:客服"));
    assert!(
        matches!(&role.claims(&RoleEvent::Deleted)[..], [Claim::Release { key }] if key == "role-name:2:客服")
    );
}

#[test]
fn only_holders_of_the_system_role_are_claimed_as_administrators() {
    let granted = RoleEvent::Granted { operator: WANG };
    let claims = given::<Role>([system()]).0.claims(&granted);
    assert!(matches!(&claims[..], [Claim::Take { key, refusal: RoleRefusal::CannotAdminister }]
        if key == "administrator:901"));
    assert!(given::<Role>([created(&["0401"])]).0.claims(&granted).is_empty());
}

#[test]
fn refusals_speak_chinese_with_the_facts() {
    assert_eq!(RoleRefusal::InUse(2).message(), "角色正被 2 名人员使用，不能删除");
    assert_eq!(RoleRefusal::InUse(2).code(), "role-in-use");
}

/// Of one area of an agent, of 运营.
fn of_one_area() -> Authority {
    let reach = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
    Authority { scope: reach, level: level(2), ..me() }
}

#[test]
fn a_role_is_changed_by_one_who_reaches_all_that_hold_it() {
    let role = given::<Role>([created(&["0401"]), RoleEvent::Granted { operator: WANG }]);
    let within = People::NOBODY.and(WANG, &of_one_area().scope, level(4));
    let wider = held_by(&[WANG]);
    let acts = |holders: &People| {
        let (holders, by) = (holders.clone(), of_one_area());
        let change = RoleCommand::Change {
            form: form("客服", &["0401", "08"]),
            revision: 1,
            holders: holders.clone(),
            by: by.clone(),
        };
        [
            change,
            RoleCommand::Enable { holders: holders.clone(), by: by.clone() },
            RoleCommand::Disable { holders, by },
        ]
    };
    for act in acts(&wider) {
        role.when(act).then_refused(RoleRefusal::HeldBeyondReach);
    }
    for act in acts(&within.clone().and(LI, &of_one_area().scope, level(1))) {
        role.when(act).then_refused(RoleRefusal::HeldAboveLevel);
    }
    for act in acts(&People::NOBODY) {
        role.when(act).then_refused(RoleRefusal::HoldersChanged);
    }
    let [_, _, disable] = acts(&within);
    role.when(disable).then([RoleEvent::Disabled]);
}

#[test]
fn a_role_is_given_to_and_taken_from_people_within_ones_reach() {
    let role = given::<Role>([created(&["0401"]), RoleEvent::Granted { operator: LI }]);
    let near = |operator| Person { reach: of_one_area().scope, ..person(operator, level(4)) };
    role.when(RoleCommand::Grant { to: near(WANG), by: of_one_area() })
        .then([RoleEvent::Granted { operator: WANG }]);
    role.when(RoleCommand::Grant { to: person(WANG, level(4)), by: of_one_area() })
        .then_refused(RoleRefusal::Above(Above::Reach));
    role.when(RoleCommand::Withdraw { from: person(LI, level(4)), by: of_one_area() })
        .then_refused(RoleRefusal::Above(Above::Reach));
    let high = Person { level: level(1), ..near(LI) };
    role.when(RoleCommand::Withdraw { from: high, by: of_one_area() })
        .then_refused(RoleRefusal::Above(Above::Level));
}

#[test]
fn a_role_for_a_higher_tier_is_neither_made_nor_handed_on() {
    let high = RoleForm { tier: Tier::Administration, ..form("管理", &["0401"]) };
    let by = || Authority { level: level(2), ..me() };
    given::<Role>([])
        .when(RoleCommand::Create { agent: None, form: high.clone(), enabled: true, by: by() })
        .then_refused(RoleRefusal::AboveLevel);
    let role = given::<Role>([created(&["0401"])]);
    role.when(RoleCommand::Change { form: high, revision: 1, holders: all(), by: by() })
        .then_refused(RoleRefusal::AboveLevel);
    let tier = Tier::Administration;
    let raised =
        RoleEvent::Changed { tier, remark: String::new(), codes: codes(&["0401"]), view: CarView::default() };
    let role = given::<Role>([created(&["0401"]), raised]);
    role.when(RoleCommand::Grant { to: person(WANG, level(2)), by: by() })
        .then_refused(RoleRefusal::AboveLevel);
    role.when(RoleCommand::Disable { holders: all(), by: by() }).then_refused(RoleRefusal::AboveLevel);
    role.when(RoleCommand::Grant { to: person(WANG, level(2)), by: me() })
        .then([RoleEvent::Granted { operator: WANG }]);
}
