use ::access::model::level::{Level, Tier};
use ::access::model::operator::OperatorEvent;
use ::access::model::profession::Profession;
use ::access::model::role::RoleEvent;
use ::fleet::model::region::{AlarmState, OperationState, RidingState};
use ::fleet::model::vehicle::{CarId, Registration, VehicleEvent};
use ::territory::model::franchisee::{FranchiseeEvent, People};
use kernel::{Actor, Meta, Personal, Position};
use vocabulary::{
    AgentId, AreaId, CarRange, CarView, DataOwner, OperatorId, PermissionCode, Reach, Scope, Timestamp,
    VoltageSchemeId,
};

use super::*;

fn recorded<E: Event>(category: &str, event: &E) -> Recorded {
    let stored = serde_json::to_value(event).unwrap();
    Recorded {
        position: Position(1),
        category: category.into(),
        stream_id: "7".into(),
        version: 1,
        stored_type: event.stored_type().into(),
        schema_version: E::schema_version(event.stored_type()),
        data: stored["data"].to_string().into_bytes().into(),
        meta: Meta {
            actor: Actor::System { name: "test".to_owned() },
            owner: DataOwner::PLATFORM,
            trace_id: String::new(),
            causation: None,
            client_address: None,
            request_id: None,
            nonce: String::new(),
        },
        recorded_at: Timestamp::from_millis(0),
    }
}

fn folded<E: Event>(category: &str, events: &[E]) -> Fields {
    let schemas = schemas();
    let audit_schemas = schemas.of(category).unwrap();
    let mut state = Fields::new();
    for event in events {
        audit_schemas.fold(&mut state, &recorded(category, event)).unwrap();
    }
    state
}

#[test]
fn every_category_of_the_runtime_is_described_once_in_chinese() {
    let schemas = schemas();
    assert_eq!(gaps(&schemas), Vec::<String>::new());
    for audit_schemas in schemas.all() {
        let labels = audit_schemas.actions().into_iter().map(|action| action.label);
        for label in labels.chain([audit_schemas.label()]) {
            assert!(label.chars().any(|c| c > '\u{3000}'), "{}: {label}", audit_schemas.category());
        }
        assert!(
            !audit_schemas.actions().is_empty(),
            "{}: nothing may happen to it",
            audit_schemas.category()
        );
    }
}

/// Whether the event changes what its thing is called.
fn renames<E: Event>(category: &str, event: &E) -> bool {
    schemas().of(category).unwrap().renames(&recorded(category, event)).unwrap()
}

#[test]
fn what_machines_report_of_a_bike_does_not_rename_it() {
    let reports = [
        VehicleEvent::Bound { imei: "860001".to_owned() },
        VehicleEvent::RideStateChanged {
            from: RidingState::Idle,
            to: RidingState::Riding,
            by: "r-1".to_owned(),
        },
        VehicleEvent::OpsStateAdded { state: OperationState::LowBattery, note: String::new() },
        VehicleEvent::AlarmRaised { alarm: AlarmState::OutOfArea, evidence: String::new() },
        VehicleEvent::AlarmCleared { alarm: AlarmState::OutOfArea, evidence: String::new() },
    ];
    for report in &reports {
        assert!(!renames("vehicle", report), "{report:?}");
    }
    let car_id = CarId::try_from("A00001".to_owned()).unwrap();
    let (agent_id, area_id) = (AgentId(2), AreaId(20));
    let came = VehicleEvent::Registered(Registration { car_id, plate_no: String::new(), agent_id, area_id });
    assert!(renames("vehicle", &came));
    assert!(!renames("operator", &OperatorEvent::Disabled) && !renames("role", &RoleEvent::Disabled));
    assert!(renames("role", &RoleEvent::Renamed { name: "客服".to_owned() }));
}

#[test]
fn a_role_is_folded_with_its_holders_and_stays_known_when_it_is_gone() {
    let made = RoleEvent::Created {
        agent: Some(AgentId(2)),
        name: "客服".to_owned(),
        tier: Tier::Operations,
        remark: String::new(),
        codes: [PermissionCode::try_from("0401".to_owned()).unwrap()].into(),
        view: CarView::default(),
        enabled: true,
        system: false,
    };
    let steps = [
        made,
        RoleEvent::Granted { operator: OperatorId(9) },
        RoleEvent::Granted { operator: OperatorId(8) },
        RoleEvent::Withdrawn { operator: OperatorId(9) },
        RoleEvent::Disabled,
        RoleEvent::Deleted,
    ];
    let state = folded("role", &steps);
    assert_eq!(state["holders"], json!(["8"]));
    assert_eq!(state["enabled"], false);
    assert_eq!(state["deleted"], true);
    assert_eq!(schemas().of("role").unwrap().name(&state), "客服");
}

#[test]
fn which_bikes_a_role_shows_is_told_as_numbers_states_and_schemes_until_it_shows_every_one() {
    let changed = |ranges: &[(&str, &str)], states: &[u8], schemes: &[i64]| RoleEvent::Changed {
        tier: Tier::Operations,
        remark: String::new(),
        codes: [PermissionCode::try_from("0301".to_owned()).unwrap()].into(),
        view: CarView {
            ranges: ranges
                .iter()
                .map(|(from, to)| CarRange { from: (*from).to_owned(), to: (*to).to_owned() })
                .collect(),
            riding_states: states.iter().copied().collect(),
            voltage_schemes: schemes.iter().copied().map(VoltageSchemeId).collect(),
        },
    };
    let limited = changed(&[("A100", "A199"), ("B1", "B9")], &[1, 5], &[12]);
    let state = folded("role", std::slice::from_ref(&limited));
    assert_eq!(state["car_ranges"], json!(["A100–A199", "B1–B9"]));
    assert_eq!(state["riding_states"], json!([1, 5]));
    assert_eq!(state["voltage_schemes"], json!(["12"]));
    let state = folded("role", &[limited, changed(&[], &[], &[])]);
    for key in ["car_ranges", "riding_states", "voltage_schemes"] {
        assert_eq!(state.get(key), None, "{key}");
    }
}

#[test]
fn a_role_calls_riding_states_as_bikes_do() {
    let of_bikes: Vec<_> = RidingState::ALL.iter().map(|state| (state.number(), state.label())).collect();
    let of_roles: Vec<_> = (1..).zip(::access::model::role::RIDING_STATES).collect();
    assert_eq!(of_roles, of_bikes);
}

#[test]
fn an_operators_name_is_personal_and_his_reach_is_two_fields() {
    let registered = OperatorEvent::Registered {
        operator: OperatorId(7),
        phone: "13812348888".parse().unwrap(),
        name: Personal::new("operator:7", "王芳".to_owned()),
        level: Level::try_from(3).unwrap(),
        reach: Scope::of(Reach::only([AgentId(2)]), Reach::<AreaId>::All),
        enabled: true,
        profession: None,
    };
    let assigned = OperatorEvent::ProfessionChanged { profession: Some(Profession::BatterySwapper) };
    let state = folded("operator", &[registered, assigned]);
    assert_eq!(state["profession"], 1);
    assert_eq!((&state["agents"], &state["areas"]), (&json!(["2"]), &json!("all")));
    assert_eq!(state["name"], json!({"$personal": "王芳"}));
    let schemas = schemas();
    let audit_schemas = schemas.of("operator").unwrap();
    assert_eq!(audit_schemas.name(&state), "王芳");
    assert_eq!(audit_schemas.phone(&state).as_deref(), Some("13812348888"));
}

#[test]
fn a_franchisees_people_are_personal_one_by_one_and_stay_so_when_forgotten() {
    let people = People {
        contact: "陈伟".to_owned(),
        phone: "13812348888".parse().unwrap(),
        legal_person: "陈总".to_owned(),
    };
    let changed = FranchiseeEvent::PeopleChanged { people: Personal::new("ally:7", people) };
    let state = folded("ally", &[changed]);
    assert_eq!(state["contact"], json!({"$personal": "陈伟"}));
    let forgotten: FranchiseeEvent = serde_json::from_value(json!({"type": "ally.people_changed",
        "data": {"people": {"$personal": {"subject": "ally:7", "sealed": "abc"}}}}))
    .unwrap();
    assert_eq!(folded("ally", &[forgotten])["phone"], json!({"$personal": null}));
}

#[test]
fn money_and_shares_are_told_as_people_write_them() {
    assert_eq!(super::territory::yuan("123456").as_deref(), Some("1234.56 元"));
    assert_eq!(super::territory::yuan("-5").as_deref(), Some("-0.05 元"));
    assert_eq!(super::territory::percent("725").as_deref(), Some("7.25%"));
}
