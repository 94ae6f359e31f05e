use kernel::Event;
use proptest::prelude::*;

use super::*;

fn enrol_at(place_in_area: bool) -> VehicleCommand {
    VehicleCommand::Enrol {
        registration: Registration {
            car_id: CarId::try_from("B0001".to_owned()).unwrap(),
            plate_no: "厦A12345".to_owned(),
            agent_id: AgentId(2),
            area_id: AreaId(20),
        },
        imei: "860000000000001".to_owned(),
        place: Wgs84::new(24.48, 118.1).unwrap(),
        place_in_area,
    }
}

fn ride(action: RideAction) -> VehicleCommand {
    VehicleCommand::Ride { action, rider: "u1".to_owned() }
}

fn start(kind: OperationState) -> VehicleCommand {
    VehicleCommand::StartWork { kind, worker: "w1".to_owned() }
}

fn raise(alarm: AlarmState) -> VehicleCommand {
    VehicleCommand::RaiseAlarm { alarm, evidence: "测试".to_owned() }
}

fn decide(bike: &Vehicle, command: VehicleCommand) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
    bike.decide(command, Timestamp::from_millis(0))
}

fn after(commands: Vec<VehicleCommand>) -> Vehicle {
    let mut bike = Vehicle::default();
    for command in commands {
        for event in decide(&bike, command).unwrap() {
            bike.evolve(&event);
        }
    }
    bike
}

#[test]
fn enrolling_puts_a_bike_on_the_street_in_one_go_and_once() {
    let types: Vec<_> =
        decide(&Vehicle::default(), enrol_at(true)).unwrap().iter().map(Event::stored_type).collect();
    assert_eq!(types, ["vehicle.registered", "vehicle.bound", "vehicle.stocked", "vehicle.shelved"]);
    assert_eq!(decide(&after(vec![enrol_at(true)]), enrol_at(true)), Ok(vec![]));
}

#[test]
fn enrolling_again_leaves_a_bike_where_its_keepers_put_it() {
    let off = with(after(vec![enrol_at(true)]), Upkeep::Unshelve { reason: why() });
    assert_eq!(decide(&off, enrol_at(true)), Ok(vec![]));
    assert_eq!(decide(&stocked(), enrol_at(true)), Ok(vec![]));
    let bare = with(stocked(), Upkeep::Unbind { reason: why() });
    assert_eq!(decide(&bare, enrol_at(true)), Ok(vec![]), "nor is its device put back");
}

#[test]
fn a_bike_outside_its_area_is_not_put_on_the_street() {
    assert_eq!(decide(&Vehicle::default(), enrol_at(false)), Err(VehicleRefusal::PlaceOutsideArea));
}

#[test]
fn a_ridden_bike_is_not_taken_into_field_work() {
    let ridden = after(vec![enrol_at(true), ride(RideAction::Unlock)]);
    assert_eq!(
        decide(&ridden, start(OperationState::Swapping)),
        Err(VehicleRefusal::Busy(RidingState::Riding))
    );
}

#[test]
fn a_bike_whose_battery_was_removed_is_not_handed_out() {
    let bike = after(vec![enrol_at(true), raise(AlarmState::BatteryRemoved)]);
    assert_eq!(decide(&bike, ride(RideAction::Unlock)), Err(VehicleRefusal::Blocked("电瓶移除".to_owned())));
}

#[test]
fn a_low_battery_stops_the_next_rider_and_not_the_present_one() {
    let low = VehicleCommand::MarkLowBattery { low: true, soc_percent: 12 };
    let ridden = after(vec![enrol_at(true), ride(RideAction::Unlock), low]);
    assert!(decide(&ridden, ride(RideAction::Return)).is_ok());
    let mut returned = ridden;
    returned.evolve(&decide(&returned, ride(RideAction::Return)).unwrap()[0]);
    assert_eq!(decide(&returned, ride(RideAction::Reserve)), Err(VehicleRefusal::Blocked("低电".to_owned())));
}

#[test]
fn an_alarm_is_raised_once_and_cleared_once() {
    let bike = after(vec![enrol_at(true), raise(AlarmState::OutOfArea)]);
    assert_eq!(decide(&bike, raise(AlarmState::OutOfArea)), Ok(vec![]));
    let clear = VehicleCommand::ClearAlarm { alarm: AlarmState::Silent, evidence: String::new() };
    assert_eq!(decide(&bike, clear), Ok(vec![]));
}

#[test]
fn an_alarm_is_taken_on_by_one_and_settled_once() {
    let by = || Personal::new("operator:7", "李值班".to_owned());
    let alarm = AlarmState::AbnormalMove;
    let take = |number| VehicleCommand::AcknowledgeAlarm { alarm, number, by: by() };
    let settle = |note: &str| VehicleCommand::SettleAlarm {
        alarm,
        number: 2,
        cause: None,
        note: note.to_owned(),
        by: by(),
    };
    let clear = VehicleCommand::ClearAlarm { alarm, evidence: String::new() };
    let mut bike = after(vec![enrol_at(true), raise(alarm), clear, raise(alarm)]);
    assert_eq!(decide(&bike, take(1)), Err(VehicleRefusal::AlarmOver), "the one before is over");
    let mut act = |command| {
        let events = decide(&bike, command)?;
        for event in &events {
            bike.evolve(event);
        }
        Ok::<_, VehicleRefusal>(events.len())
    };
    assert_eq!(act(VehicleCommand::EscalateAlarm { alarm, number: 2 }), Ok(1));
    assert_eq!(act(VehicleCommand::EscalateAlarm { alarm, number: 2 }), Ok(0));
    assert_eq!(act(take(2)), Ok(1));
    assert_eq!(act(take(2)), Err(VehicleRefusal::AlarmTaken));
    assert_eq!(act(settle(" ")), Err(VehicleRefusal::AlarmNote));
    assert_eq!(act(settle(&"话".repeat(201))), Err(VehicleRefusal::AlarmNote));
    assert_eq!(act(settle("已找回")), Ok(1));
    assert_eq!(act(settle("已找回")), Err(VehicleRefusal::AlarmOver));
    assert_eq!(act(raise(alarm)), Ok(0), "it still rings");
}

#[test]
fn what_is_said_of_alarms_is_stored_as_it_always_was() {
    let stored = |what: &str, data: serde_json::Value| serde_json::json!({ "type": what, "data": data });
    let by = Personal::new("operator:7", "李值班".to_owned());
    let alarm = AlarmState::Silent;
    let said = serde_json::to_value(&by).unwrap();
    for (event, form) in [
        (
            VehicleEvent::AlarmAcknowledged { alarm, number: 2, by: by.clone() },
            stored("vehicle.alarm-acknowledged", serde_json::json!({"alarm": 7, "number": 2, "by": said})),
        ),
        (
            VehicleEvent::AlarmSettled {
                alarm,
                number: 2,
                cause: Some(FalseAlarmCause::Drift),
                note: "漂移".to_owned(),
                by,
            },
            stored(
                "vehicle.alarm-settled",
                serde_json::json!({"alarm": 7, "number": 2, "cause": 1, "note": "漂移", "by": said}),
            ),
        ),
        (
            VehicleEvent::AlarmEscalated { alarm, number: 2 },
            stored("vehicle.alarm-escalated", serde_json::json!({"alarm": 7, "number": 2})),
        ),
    ] {
        assert_eq!(serde_json::to_value(event).unwrap(), form);
    }
}

#[test]
fn shelved_is_stored_as_it_always_was() {
    let stored =
        serde_json::json!({ "type": "vehicle.shelved", "data": { "place": { "lat": 24.48, "lng": 118.1 } } });
    let place = Wgs84::new(24.48, 118.1).unwrap();
    assert_eq!(serde_json::from_value::<VehicleEvent>(stored).unwrap(), VehicleEvent::Shelved { place });
}

fn any_command() -> impl Strategy<Value = VehicleCommand> {
    use RideAction::{Cancel, Pause, Reserve, Resume, Return, Unlock};
    let action = prop::sample::select(vec![Reserve, Cancel, Unlock, Pause, Resume, Return]);
    let kind = prop::sample::select(OperationState::ALL.to_vec());
    let alarm = prop::sample::select(AlarmState::ALL.to_vec());
    prop_oneof![
        action.prop_map(ride),
        kind.clone().prop_map(start),
        kind.prop_map(|kind| VehicleCommand::FinishWork { kind, worker: "w1".to_owned() }),
        alarm.prop_map(raise),
        any::<bool>().prop_map(|low| VehicleCommand::MarkLowBattery { low, soc_percent: 15 }),
    ]
}

fn why() -> String {
    "巡检".to_owned()
}

fn keep(upkeep: Upkeep) -> VehicleCommand {
    VehicleCommand::Keep(upkeep)
}

fn onto_the_street() -> Place {
    let fix = Some(Wgs84::new(24.48, 118.1).unwrap());
    Place { area: AreaId(20), fix, is_inside: true, is_open: true, full: None }
}

/// In stock, after it was on the street.
fn stocked() -> Vehicle {
    let (off, back) = (Upkeep::Unshelve { reason: why() }, Upkeep::Restock { reason: String::new() });
    after(vec![enrol_at(true), keep(off), keep(back)])
}

fn types(bike: &Vehicle, upkeep: Upkeep) -> Vec<&'static str> {
    decide(bike, keep(upkeep)).unwrap().iter().map(Event::stored_type).collect()
}

fn refused(bike: &Vehicle, upkeep: Upkeep) -> VehicleRefusal {
    decide(bike, keep(upkeep)).unwrap_err()
}

fn with(mut bike: Vehicle, upkeep: Upkeep) -> Vehicle {
    for event in decide(&bike, keep(upkeep)).unwrap() {
        bike.evolve(&event);
    }
    bike
}

#[test]
fn a_bike_goes_onto_the_street_with_a_device_and_a_fresh_fix_in_its_open_area_with_room() {
    let bike = stocked();
    assert_eq!(types(&bike, Upkeep::Shelve(onto_the_street())), ["vehicle.shelved"]);
    for (place, no) in [
        (Place { is_open: false, ..onto_the_street() }, VehicleRefusal::AreaNotOpen),
        (Place { fix: None, ..onto_the_street() }, VehicleRefusal::NoFix),
        (Place { is_inside: false, ..onto_the_street() }, VehicleRefusal::PlaceOutsideArea),
        (Place { full: Some(500), ..onto_the_street() }, VehicleRefusal::QuotaFull(500)),
        (Place { area: AreaId(21), ..onto_the_street() }, VehicleRefusal::AnotherArea),
    ] {
        assert_eq!(refused(&bike, Upkeep::Shelve(place)), no);
    }
    let bare = with(bike, Upkeep::Unbind { reason: why() });
    assert_eq!(refused(&bare, Upkeep::Shelve(onto_the_street())), VehicleRefusal::NoDevice);
}

#[test]
fn a_bike_with_a_rider_is_not_taken_off_the_street() {
    for action in [RideAction::Unlock, RideAction::Reserve] {
        let bike = after(vec![enrol_at(true), ride(action)]);
        let busy = bike.riding().unwrap();
        assert_eq!(
            refused(&bike, Upkeep::Unshelve { reason: why() }),
            VehicleRefusal::InUse(busy, KeepAct::Unshelve)
        );
    }
    let repaired = after(vec![enrol_at(true), start(OperationState::Repair)]);
    assert_eq!(types(&repaired, Upkeep::Unshelve { reason: why() }), ["vehicle.unshelved"]);
}

#[test]
fn a_life_goes_its_way_and_no_other() {
    let off = with(after(vec![enrol_at(true)]), Upkeep::Unshelve { reason: why() });
    let away = with(off.clone(), Upkeep::SendToFactory { reason: why() });
    assert_eq!(away.lifecycle(), Some(Lifecycle::AtFactory));
    assert_eq!(with(away.clone(), Upkeep::Restock { reason: why() }).lifecycle(), Some(Lifecycle::Stocked));
    let scrap = || Upkeep::Scrap { reason: why() };
    let gone = with(off, scrap());
    assert_eq!((gone.lifecycle(), gone.imei()), (Some(Lifecycle::Scrapped), None), "its device is free");
    for (bike, upkeep) in [
        (after(vec![enrol_at(true)]), scrap()),
        (after(vec![enrol_at(true)]), Upkeep::Restock { reason: why() }),
        (stocked(), Upkeep::Unshelve { reason: why() }),
        (stocked(), Upkeep::ReportLost { reason: why() }),
        (stocked(), Upkeep::SendToFactory { reason: why() }),
        (away, Upkeep::Shelve(onto_the_street())),
        (gone.clone(), Upkeep::Restock { reason: why() }),
        (gone.clone(), Upkeep::Find { reason: why() }),
        (gone.clone(), Upkeep::Bind { imei: "860000000000009".to_owned() }),
        (gone, Upkeep::Tag { add: vec!["新".to_owned()], remove: vec![] }),
    ] {
        let (life, act) = (bike.lifecycle().unwrap(), upkeep.act());
        assert_eq!(refused(&bike, upkeep), VehicleRefusal::LifeForbids(life, act));
    }
}

#[test]
fn a_bike_that_is_lost_rings_until_it_is_found_where_it_was_in_its_life() {
    let lost = with(after(vec![enrol_at(true)]), Upkeep::ReportLost { reason: why() });
    assert_eq!(lost.lifecycle(), Some(Lifecycle::Lost));
    assert_eq!(decide(&lost, raise(AlarmState::ReportedLost)), Ok(vec![]), "it rings");
    let found = with(lost.clone(), Upkeep::Find { reason: String::new() });
    assert_eq!(found.lifecycle(), Some(Lifecycle::Shelved));
    assert_eq!(decide(&found, raise(AlarmState::ReportedLost)).unwrap().len(), 1, "it rings no more");
    let off = with(after(vec![enrol_at(true)]), Upkeep::Unshelve { reason: why() });
    let back = with(with(off, Upkeep::ReportLost { reason: why() }), Upkeep::Find { reason: why() });
    assert_eq!(back.lifecycle(), Some(Lifecycle::Unshelved));
    assert_eq!(
        types(&lost, Upkeep::Scrap { reason: why() }),
        ["vehicle.scrapped", "vehicle.alarm-cleared", "vehicle.unbound"]
    );
}

#[test]
fn what_hurts_needs_a_reason() {
    let bike = after(vec![enrol_at(true)]);
    for reason in ["", " ", &"话".repeat(101)] {
        let reason = reason.to_owned();
        for upkeep in [
            Upkeep::Unshelve { reason: reason.clone() },
            Upkeep::ReportLost { reason: reason.clone() },
            Upkeep::Unbind { reason: reason.clone() },
        ] {
            let act = upkeep.act();
            assert_eq!(refused(&bike, upkeep), VehicleRefusal::KeepReason(act));
        }
    }
}

#[test]
fn a_bike_is_moved_to_another_area_of_its_agent_while_it_is_not_on_the_street() {
    let to = |area, agent| Upkeep::Relocate { to: AreaId(area), agent: AgentId(agent), reason: why() };
    let moved = with(stocked(), to(21, 2));
    assert_eq!(moved.owner(), DataOwner::of_area(AgentId(2), AreaId(21)));
    assert_eq!(refused(&moved, to(21, 2)), VehicleRefusal::SameArea);
    assert_eq!(refused(&moved, to(30, 3)), VehicleRefusal::AreaOfAnother);
    assert_eq!(
        refused(&after(vec![enrol_at(true)]), to(21, 2)),
        VehicleRefusal::LifeForbids(Lifecycle::Shelved, KeepAct::Relocate)
    );
}

#[test]
fn tags_are_few_and_short_and_setting_what_is_set_changes_nothing() {
    let tag = |add: &[&str], remove: &[&str]| Upkeep::Tag {
        add: add.iter().map(|text| (*text).to_owned()).collect(),
        remove: remove.iter().map(|text| (*text).to_owned()).collect(),
    };
    let bike = with(after(vec![enrol_at(true)]), tag(&["新车", " 校园 "], &[]));
    assert_eq!(bike.tags().collect::<Vec<_>>(), ["新车", "校园"]);
    assert_eq!(decide(&bike, keep(tag(&["校园"], &["没有的"]))), Ok(vec![]));
    assert_eq!(with(bike.clone(), tag(&[], &["新车"])).tags().collect::<Vec<_>>(), ["校园"]);
    for wrong in ["", "a,b", &"字".repeat(13)] {
        assert_eq!(refused(&bike, tag(&[wrong], &[])), VehicleRefusal::TagText);
    }
    let many: Vec<String> = (0..9).map(|n| format!("标签{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(refused(&bike, tag(&many, &[])), VehicleRefusal::TooManyTags);
}

#[test]
fn a_bike_has_one_device_which_it_keeps_while_it_is_ridden() {
    let bind = |imei: &str| Upkeep::Bind { imei: imei.to_owned() };
    let bike = after(vec![enrol_at(true)]);
    assert_eq!(decide(&bike, keep(bind("860000000000001"))), Ok(vec![]));
    assert_eq!(
        refused(&bike, bind("860000000000002")),
        VehicleRefusal::HasDevice("860000000000001".to_owned())
    );
    let ridden = after(vec![enrol_at(true), ride(RideAction::Unlock)]);
    assert_eq!(
        refused(&ridden, Upkeep::Unbind { reason: why() }),
        VehicleRefusal::InUse(RidingState::Riding, KeepAct::Unbind)
    );
    let bare = with(bike, Upkeep::Unbind { reason: why() });
    assert_eq!(refused(&bare, Upkeep::Unbind { reason: why() }), VehicleRefusal::NoDevice);
    assert_eq!(types(&bare, bind("860000000000002")), ["vehicle.bound"]);
}

#[test]
fn a_bike_takes_a_voltage_scheme_of_its_agent_or_of_the_platform_and_gives_it_up() {
    let offered = |id: i64, agent: Option<i64>, is_enabled: bool| {
        let (id, agent) = (VoltageSchemeId(id), agent.map(AgentId));
        Upkeep::SetVoltageScheme(Some(Offered { id, agent, name: "48V".to_owned(), is_enabled }))
    };
    let bike = after(vec![enrol_at(true)]);
    assert_eq!(refused(&bike, offered(7, Some(3), true)), VehicleRefusal::VoltageSchemeOfAnother);
    let off = VehicleRefusal::VoltageSchemeOff("48V".to_owned());
    assert_eq!(refused(&bike, offered(7, Some(2), false)), off);
    assert_eq!(decide(&bike, keep(Upkeep::SetVoltageScheme(None))), Ok(vec![]));
    let bound = with(bike, offered(7, Some(2), true));
    assert_eq!(bound.voltage_scheme(), Some(VoltageSchemeId(7)));
    assert_eq!(decide(&bound, keep(offered(7, Some(2), false))), Ok(vec![]), "it has it already");
    let of_platform = with(bound.clone(), offered(8, None, true));
    assert_eq!(of_platform.voltage_scheme(), Some(VoltageSchemeId(8)));
    assert_eq!(with(bound.clone(), Upkeep::SetVoltageScheme(None)).voltage_scheme(), None);
    let street = with(bound, Upkeep::Unshelve { reason: why() });
    let scrapped = with(street, Upkeep::Scrap { reason: why() });
    let act = KeepAct::SetVoltageScheme;
    let forbids = VehicleRefusal::LifeForbids(Lifecycle::Scrapped, act);
    assert_eq!(refused(&scrapped, offered(8, None, true)), forbids);
}

#[test]
fn what_keepers_do_is_stored_as_it_always_was() {
    use serde_json::json;
    let reason = "巡检".to_owned();
    for (event, what, data) in [
        (VehicleEvent::Unshelved { reason: reason.clone() }, "unshelved", json!({"reason": "巡检"})),
        (
            VehicleEvent::Restocked { from: Lifecycle::Unshelved, reason: reason.clone() },
            "restocked",
            json!({"from": 3, "reason": "巡检"}),
        ),
        (
            VehicleEvent::SentToFactory { reason: reason.clone() },
            "sent-to-factory",
            json!({"reason": "巡检"}),
        ),
        (
            VehicleEvent::ReportedLost { from: Lifecycle::Shelved, reason: reason.clone() },
            "reported-lost",
            json!({"from": 2, "reason": "巡检"}),
        ),
        (
            VehicleEvent::Found { back: Lifecycle::Shelved, reason: reason.clone() },
            "found",
            json!({"back": 2, "reason": "巡检"}),
        ),
        (
            VehicleEvent::Scrapped { from: Lifecycle::Lost, reason: reason.clone() },
            "scrapped",
            json!({"from": 5, "reason": "巡检"}),
        ),
        (
            VehicleEvent::Relocated { from: AreaId(20), to: AreaId(21), reason: reason.clone() },
            "relocated",
            json!({"from": "20", "to": "21", "reason": "巡检"}),
        ),
        (
            VehicleEvent::Tagged { added: vec!["新车".to_owned()], removed: vec![] },
            "tagged",
            json!({"added": ["新车"], "removed": []}),
        ),
        (
            VehicleEvent::Unbound { imei: "860000000000001".to_owned(), reason },
            "unbound",
            json!({"imei": "860000000000001", "reason": "巡检"}),
        ),
        (
            VehicleEvent::VoltageSchemeSet {
                from: None,
                to: Some(VoltageSchemeId(7)),
                name: "48V".to_owned(),
            },
            "voltage-scheme-set",
            json!({"from": null, "to": "7", "name": "48V"}),
        ),
    ] {
        let stored = json!({"type": format!("vehicle.{what}"), "data": data});
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
        assert_eq!(serde_json::from_value::<VehicleEvent>(stored).unwrap(), event);
    }
}

proptest! {
    /// The regions stay independent, and a ride never turns into field work or back without being idle between.
    #[test]
    fn rides_and_field_work_never_meet(commands in prop::collection::vec(any_command(), 0..60)) {
        let mut bike = after(vec![enrol_at(true)]);
        for command in commands {
            let before = bike.riding().unwrap();
            for event in decide(&bike, command).unwrap_or_default() {
                bike.evolve(&event);
            }
            let now = bike.riding().unwrap();
            let ridden = |state| matches!(state, RidingState::Riding | RidingState::Paused);
            prop_assert!(!(ridden(before) && now == RidingState::FieldWork));
            prop_assert!(!(before == RidingState::FieldWork && ridden(now)));
            prop_assert_eq!(bike.lifecycle(), Some(Lifecycle::Shelved));
        }
    }
}
