use kernel::{Aggregate, Claim};
use vocabulary::Scope;

use super::{codes, given};
use crate::model::machine::{Machine, MachineCommand, MachineEvent, MachineRefusal};

fn add(texts: &[&str]) -> MachineCommand {
    MachineCommand::Add {
        name: "simulator".into(),
        codes: codes(texts),
        scope: Scope::ALL,
        token_sha256: [0xab; 32],
    }
}

fn added() -> MachineEvent {
    MachineEvent::Added {
        name: "simulator".into(),
        codes: codes(&["open:ride"]),
        scope: Scope::ALL,
        token_sha256: "ab".repeat(32),
    }
}

#[test]
fn a_machine_gets_machine_codes_and_nothing_of_its_token_but_the_hash() {
    given::<Machine>([]).when(add(&["open:ride"])).then([added()]);
    given::<Machine>([]).when(add(&[])).then_refused(MachineRefusal::NoCodes);
    let code = codes(&["0301"]).pop_first().unwrap();
    given::<Machine>([]).when(add(&["0301"])).then_refused(MachineRefusal::NotForMachines(code));
}

#[test]
fn a_token_is_revoked_once_and_its_name_becomes_free() {
    let machine = given::<Machine>([added()]);
    machine.when(MachineCommand::Revoke).then([MachineEvent::Revoked]);
    assert!(matches!(&machine.0.claims(&MachineEvent::Revoked)[..],
        [Claim::Release { key }] if key == "machine-name:simulator"));
    given::<Machine>([added(), MachineEvent::Revoked]).when(MachineCommand::Revoke).then([]);
    given::<Machine>([]).when(MachineCommand::Revoke).then_refused(MachineRefusal::Unknown);
}
