use vocabulary::{AgentId, AreaId, DataOwner, OperatorDeviceId, Reach, Scope};

use super::{ME, WANG, given, granted, level, me, me_holding, person};
use crate::model::authority::{Above, Authority, Person};
use crate::model::device::{
    BOUND_MAX, Device, DeviceCommand, DeviceEvent, DeviceRefusal, OperatorDevices, WAITING_MAX,
};

const OWNER: DataOwner = DataOwner::PLATFORM;

fn device(number: i64) -> Device {
    Device { code: format!("device-{number}"), name: "Chrome".into(), kind: 1, address: "10.0.0.1".into() }
}

fn bound(number: i64) -> DeviceEvent {
    DeviceEvent::Bound { id: OperatorDeviceId(number), device: device(number), owner: OWNER }
}

fn requested(number: i64) -> DeviceEvent {
    DeviceEvent::Requested { id: OperatorDeviceId(number), device: device(number), owner: OWNER }
}

fn removed(number: i64) -> DeviceEvent {
    DeviceEvent::Removed { id: OperatorDeviceId(number), code: device(number).code }
}

fn sign_in_from(number: i64, automatic: usize) -> DeviceCommand {
    DeviceCommand::Use { id: OperatorDeviceId(number), device: device(number), automatic, owner: OWNER }
}

/// Wang, who may market.
fn owner() -> Person {
    Person { granted: granted(&["17", "1701"]), ..person(WANG, level(2)) }
}

fn confirm(number: i64, by: Authority) -> DeviceCommand {
    DeviceCommand::Confirm { id: OperatorDeviceId(number), owner: owner(), by }
}

fn remove(number: i64, by: Authority) -> DeviceCommand {
    DeviceCommand::Remove { id: OperatorDeviceId(number), owner: owner(), by }
}

fn ask_for(number: i64) -> DeviceCommand {
    DeviceCommand::Ask { id: OperatorDeviceId(number), device: device(number), owner: OWNER }
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
    let confirm = confirm(1, me());
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
    gone.when(confirm(1, me())).then_refused(DeviceRefusal::AlreadyRemoved);
    gone.when(remove(1, me())).then([]);
    gone.when(ask_for(1)).then([requested(1)]);
}

#[test]
fn asking_again_changes_nothing_and_the_waiting_context_is_bounded() {
    let full: Vec<_> = (0..i64::try_from(WAITING_MAX).unwrap()).map(requested).collect();
    let full = given::<OperatorDevices>(full);
    full.when(ask_for(0)).then([]);
    full.when(ask_for(99)).then_refused(DeviceRefusal::NotAuthorised);
}

#[test]
fn bound_devices_are_bounded() {
    let many = (0..i64::try_from(BOUND_MAX).unwrap()).map(bound).chain([requested(99)]);
    given::<OperatorDevices>(many).when(confirm(99, me())).then_refused(DeviceRefusal::TooMany);
}

#[test]
fn an_unknown_device_is_said_to_be_unknown() {
    let none = given::<OperatorDevices>([]);
    none.when(confirm(1, me())).then_refused(DeviceRefusal::Unknown);
    none.when(remove(1, me())).then_refused(DeviceRefusal::Unknown);
}

#[test]
fn devices_of_somebody_above_oneself_are_left_alone() {
    let refusal = || DeviceRefusal::Above(Above::Codes("营销管理".into()));
    let devices = given::<OperatorDevices>([bound(1), requested(2)]);
    let clerk = || me_holding(&["1002"]);
    devices.when(confirm(2, clerk())).then_refused(refusal());
    devices.when(remove(1, clerk())).then_refused(refusal());
    let peer = || me_holding(&["1002", "1701"]);
    devices.when(confirm(2, peer())).then([DeviceEvent::Confirmed { id: OperatorDeviceId(2) }]);
    devices.when(remove(1, peer())).then([removed(1)]);
}

#[test]
fn ones_own_devices_are_ones_own_affair() {
    let own = Person { operator: ME, ..owner() };
    let by = me_holding(&["1002"]);
    given::<OperatorDevices>([bound(1)])
        .when(DeviceCommand::Remove { id: OperatorDeviceId(1), owner: own, by })
        .then([removed(1)]);
}

#[test]
fn devices_of_somebody_who_reaches_further_are_left_alone() {
    let reach = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
    let by = || Authority { scope: reach.clone(), ..me() };
    let devices = given::<OperatorDevices>([bound(1), requested(2)]);
    devices.when(confirm(2, by())).then_refused(DeviceRefusal::Above(Above::Reach));
    devices.when(remove(1, by())).then_refused(DeviceRefusal::Above(Above::Reach));
}
