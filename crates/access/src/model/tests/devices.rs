use vocabulary::{OperatorDeviceId, Territory};

use super::given;
use crate::model::device::{
    BOUND_MAX, Device, DeviceCommand, DeviceEvent, DeviceRefusal, OperatorDevices, WAITING_MAX,
};

const TERRITORY: Territory = Territory::PLATFORM;

fn device(number: i64) -> Device {
    Device { code: format!("device-{number}"), name: "Chrome".into(), kind: 1, address: "10.0.0.1".into() }
}

fn bound(number: i64) -> DeviceEvent {
    DeviceEvent::Bound { id: OperatorDeviceId(number), device: device(number), territory: TERRITORY }
}

fn requested(number: i64) -> DeviceEvent {
    DeviceEvent::Requested { id: OperatorDeviceId(number), device: device(number), territory: TERRITORY }
}

fn removed(number: i64) -> DeviceEvent {
    DeviceEvent::Removed { id: OperatorDeviceId(number), code: device(number).code }
}

fn sign_in_from(number: i64, automatic: usize) -> DeviceCommand {
    DeviceCommand::Use {
        id: OperatorDeviceId(number),
        device: device(number),
        automatic,
        territory: TERRITORY,
    }
}

fn ask_for(number: i64) -> DeviceCommand {
    DeviceCommand::Ask { id: OperatorDeviceId(number), device: device(number), territory: TERRITORY }
}

#[test]
fn three_devices_are_bound_without_an_administrator_and_the_fourth_is_not() {
    given::<OperatorDevices>([]).when(sign_in_from(1, 3)).then([bound(1)]);
    let three = given::<OperatorDevices>([bound(1), bound(2), bound(3)]);
    three.when(sign_in_from(4, 3)).then_refused(DeviceRefusal::NotAuthorised);
    three.when(sign_in_from(2, 3)).then([]);
}

#[test]
fn with_no_automatic_places_even_the_first_device_waits() {
    given::<OperatorDevices>([]).when(sign_in_from(1, 0)).then_refused(DeviceRefusal::NotAuthorised);
}

#[test]
fn devices_that_wait_use_up_no_place() {
    given::<OperatorDevices>([requested(1), requested(2), requested(3)])
        .when(sign_in_from(4, 3))
        .then([bound(4)]);
}

#[test]
fn a_device_that_waits_is_let_in_by_an_administrator_alone() {
    let waiting = [requested(1)];
    given::<OperatorDevices>(waiting.clone())
        .when(sign_in_from(1, 3))
        .then_refused(DeviceRefusal::NotAuthorised);
    let confirm = DeviceCommand::Confirm { id: OperatorDeviceId(1) };
    let confirmed = DeviceEvent::Confirmed { id: OperatorDeviceId(1) };
    given::<OperatorDevices>(waiting.clone()).when(confirm.clone()).then([confirmed.clone()]);
    let bound = given::<OperatorDevices>(waiting.into_iter().chain([confirmed]));
    bound.when(confirm).then([]);
    bound.when(sign_in_from(1, 0)).then([]);
}

#[test]
fn a_removed_device_comes_back_only_through_an_administrator() {
    let gone = given::<OperatorDevices>([bound(1), removed(1)]);
    gone.when(sign_in_from(1, 3)).then_refused(DeviceRefusal::NotAuthorised);
    gone.when(DeviceCommand::Confirm { id: OperatorDeviceId(1) }).then_refused(DeviceRefusal::AlreadyRemoved);
    gone.when(DeviceCommand::Remove { id: OperatorDeviceId(1) }).then([]);
    gone.when(ask_for(1)).then([requested(1)]);
}

#[test]
fn asking_again_changes_nothing_and_the_waiting_room_is_bounded() {
    let full: Vec<_> = (0..i64::try_from(WAITING_MAX).unwrap()).map(requested).collect();
    let full = given::<OperatorDevices>(full);
    full.when(ask_for(0)).then([]);
    full.when(ask_for(99)).then_refused(DeviceRefusal::NotAuthorised);
}

#[test]
fn bound_devices_are_bounded() {
    let many = (0..i64::try_from(BOUND_MAX).unwrap()).map(bound).chain([requested(99)]);
    given::<OperatorDevices>(many)
        .when(DeviceCommand::Confirm { id: OperatorDeviceId(99) })
        .then_refused(DeviceRefusal::TooMany);
}

#[test]
fn an_unknown_device_is_said_to_be_unknown() {
    let none = given::<OperatorDevices>([]);
    none.when(DeviceCommand::Confirm { id: OperatorDeviceId(1) }).then_refused(DeviceRefusal::Unknown);
    none.when(DeviceCommand::Remove { id: OperatorDeviceId(1) }).then_refused(DeviceRefusal::Unknown);
}
