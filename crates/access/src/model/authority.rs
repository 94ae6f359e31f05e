//! Who asks, as far as a decision on rights needs to know.

use std::collections::BTreeSet;

use vocabulary::{OperatorId, PermissionCode, Scope};

/// The facts about the one who asks, looked up by the use case at the moment of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The account, when it is a person.
    pub operator: Option<OperatorId>,
    /// The codes that he holds, closed upwards.
    pub codes: Held,
    /// How far he reaches.
    pub scope: Scope,
}

/// Which codes someone holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// All, those of later versions included: the house itself.
    Everything,
    /// Just these.
    Codes(BTreeSet<PermissionCode>),
}

impl Authority {
    /// The house itself: start-up and the command line.
    pub fn of_house() -> Self {
        Self { operator: None, codes: Held::Everything, scope: Scope::ALL }
    }

    /// The first of `codes` that he does not hold.
    pub fn lacks<'a>(
        &self,
        codes: impl IntoIterator<Item = &'a PermissionCode>,
    ) -> Option<&'a PermissionCode> {
        match &self.codes {
            Held::Everything => None,
            Held::Codes(held) => codes.into_iter().find(|code| !held.contains(*code)),
        }
    }

    /// Whether he is that operator.
    pub fn is(&self, operator: OperatorId) -> bool {
        self.operator == Some(operator)
    }
}
