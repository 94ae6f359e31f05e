//! How an order stands, where it was left and how it ended, as one number: what lists are cut down to by any of the three
//! becomes a few numbers, and an index of them and of time gives each in order.

use geofence::judge::ReturnClass;

use super::order::{EndKind, PayState};

/// All that an order's end can be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How it stands.
    pub state: PayState,
    /// Where it was left, once it ended.
    pub class: Option<ReturnClass>,
    /// How it ended.
    pub end_kind: Option<EndKind>,
}

/// What of it is asked for; nothing: whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeAsked {
    /// How it stands.
    pub state: Option<PayState>,
    /// Where it was left.
    pub class: Option<ReturnClass>,
    /// How it ended.
    pub end_kind: Option<EndKind>,
}

impl Outcome {
    /// As `read.ride_order` has it (`migrations/0196_order_lists_at_volume.sql`).
    pub fn number(self) -> i16 {
        self.state.number()
            + 8 * self.class.map_or(0, |class| class.number() + 1)
            + 64 * self.end_kind.map_or(0, EndKind::number)
    }

    /// Whether an order can be so: what ended has both, what did not has neither.
    fn is_possible(self) -> bool {
        let ended = !matches!(self.state, PayState::Reserved | PayState::Riding | PayState::Cancelled);
        self.class.is_some() == ended && self.end_kind.is_some() == ended
    }
}

impl OutcomeAsked {
    /// The numbers of all that is asked for; nothing where nothing is.
    pub fn numbers(self) -> Option<Vec<i64>> {
        if self == Self::default() {
            return None;
        }
        let classes = || std::iter::once(None).chain(ReturnClass::ALL.iter().copied().map(Some));
        let kinds = || std::iter::once(None).chain(EndKind::ALL.iter().copied().map(Some));
        let all = PayState::ALL.iter().copied().flat_map(|state| {
            classes().flat_map(move |class| kinds().map(move |end_kind| Outcome { state, class, end_kind }))
        });
        let asked = all.filter(|one| {
            one.is_possible()
                && self.state.is_none_or(|state| one.state == state)
                && self.class.is_none_or(|class| one.class == Some(class))
                && self.end_kind.is_none_or(|kind| one.end_kind == Some(kind))
        });
        Some(asked.map(|one| one.number().into()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn asked(state: Option<PayState>, class: Option<ReturnClass>, end_kind: Option<EndKind>) -> Vec<i64> {
        OutcomeAsked { state, class, end_kind }.numbers().unwrap()
    }

    #[test]
    fn nothing_asked_is_no_condition_and_all_three_are_one_number() {
        assert_eq!(OutcomeAsked::default().numbers(), None);
        let one = Outcome {
            state: PayState::Paid,
            class: Some(ReturnClass::NoStop),
            end_kind: Some(EndKind::Support),
        };
        assert_eq!(asked(Some(one.state), one.class, one.end_kind), [i64::from(one.number())]);
        assert_eq!(one.number(), 4 + 8 * 4 + 64 * 4);
    }

    #[test]
    fn what_cannot_be_leaves_nothing() {
        assert_eq!(asked(Some(PayState::Cancelled), None, None), [5]);
        assert!(asked(Some(PayState::Cancelled), Some(ReturnClass::Parked), None).is_empty());
    }

    #[test]
    fn each_outcome_has_a_number_of_its_own_and_no_filter_has_many() {
        let mut seen = BTreeSet::new();
        for state in PayState::ALL.iter().copied() {
            let numbers = asked(Some(state), None, None);
            assert!(numbers.len() <= 30, "{state}: {}", numbers.len());
            assert!(numbers.into_iter().all(|number| seen.insert(number)));
        }
        assert_eq!(asked(None, Some(ReturnClass::Parked), None).len(), 24);
        assert_eq!(asked(None, None, Some(EndKind::Rider)).len(), 20);
    }
}
