//! Behaviour of the models: given these facts, when this is asked, then this follows.

mod devices;
mod lasting;
mod machines;
mod operators;
mod roles;
mod stored;

use std::collections::BTreeSet;
use std::fmt::Debug;

use kernel::Aggregate;
use vocabulary::{Cars, OperatorId, PermissionCode, Scope, Timestamp};

use super::authority::{Authority, Granted, Held, People, Person};
use super::level::Level;
use crate::permissions::closed_upwards;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const ME: OperatorId = OperatorId(900);
const WANG: OperatorId = OperatorId(901);
const LI: OperatorId = OperatorId(902);

fn level(mask: i64) -> Level {
    Level::try_from(mask).unwrap()
}

fn codes(texts: &[&str]) -> BTreeSet<PermissionCode> {
    texts.iter().map(|text| PermissionCode::try_from((*text).to_owned()).unwrap()).collect()
}

/// Me, holding just these codes, without limits of reach.
fn me_holding(texts: &[&str]) -> Authority {
    Authority { codes: Held::Codes(closed_upwards(codes(texts))), ..me() }
}

fn me() -> Authority {
    Authority { operator: Some(ME), codes: Held::Everything, scope: Scope::ALL, level: Level::ALL }
}

fn granted(texts: &[&str]) -> Granted {
    Granted { codes: codes(texts), administers: false, cars: Cars::All }
}

/// Somebody of these tiers without limits of reach, who was given nothing.
fn person(operator: OperatorId, level: Level) -> Person {
    Person { operator, granted: Granted::NOTHING, reach: Scope::ALL, level }
}

/// People of 运营 without limits of reach.
fn held_by(operators: &[OperatorId]) -> People {
    operators.iter().fold(People::NOBODY, |people, one| people.and(*one, &Scope::ALL, level(2)))
}

struct Given<A: Aggregate>(A);

fn given<A: Aggregate>(events: impl IntoIterator<Item = A::Event>) -> Given<A> {
    let mut state = A::default();
    for event in events {
        state.evolve(&event);
    }
    Given(state)
}

struct Then<A: Aggregate>(Result<Vec<A::Event>, A::Refusal>);

impl<A: Aggregate> Given<A> {
    fn when(&self, command: A::Command) -> Then<A> {
        Then(self.0.decide(command, NOW))
    }
}

impl<A: Aggregate> Then<A>
where
    A::Event: PartialEq + Debug,
    A::Refusal: PartialEq + Debug,
{
    #[track_caller]
    fn then(self, events: impl IntoIterator<Item = A::Event>) {
        assert_eq!(self.0, Ok(events.into_iter().collect()));
    }

    #[track_caller]
    fn then_refused(self, refusal: A::Refusal) {
        assert_eq!(self.0, Err(refusal));
    }
}
