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
