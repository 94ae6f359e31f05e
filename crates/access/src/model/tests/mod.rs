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
use vocabulary::{OperatorId, PermissionCode, Scope, Timestamp};

use super::authority::{Authority, Held};
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
    Authority { operator: Some(ME), codes: Held::Codes(closed_upwards(codes(texts))), scope: Scope::ALL }
}

fn me() -> Authority {
    Authority { operator: Some(ME), codes: Held::Everything, scope: Scope::ALL }
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
