//! What waits in the inbox of alarms. One cause over many bikes, such as a gateway that is gone, is one entry and not a hundred.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::AlarmTicketId;

use crate::model::alarm::{TicketState, Urgency};
use crate::model::region::AlarmState;
use crate::read::alarm_tickets::AlarmTicketRow;

/// Alarms of a kind that follow each other so closely have one cause …
const FOLLOWS_MS: i64 = 60_000;
/// … if they are so many.
const GROUP_LEAST: usize = 10;

/// Alarms of one kind that began together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlarmGroup {
    /// 报警类型.
    pub kind: AlarmState,
    /// 紧急程度.
    pub urgency: Urgency,
    /// Their tickets, the newest first.
    pub ids: Vec<AlarmTicketId>,
    /// How many of them nobody has taken on himself.
    pub open: i64,
    /// Whether one of these was escalated.
    pub is_escalated: bool,
    /// Service areas where the bikes belong.
    pub area_names: Vec<String>,
    /// When the first began, epoch milliseconds.
    pub first_at: i64,
    /// When the last did.
    pub last_at: i64,
}

impl AlarmGroup {
    fn of(run: &[&AlarmTicketRow]) -> Option<Self> {
        let (newest, oldest) = (run.first()?, run.last()?);
        let areas: BTreeSet<&str> = run.iter().filter_map(|row| row.area_name.as_deref()).collect();
        let open = || run.iter().filter(|row| row.state == TicketState::Open);
        Some(Self {
            kind: newest.kind,
            urgency: newest.urgency,
            ids: run.iter().map(|row| row.id).collect(),
            open: open().count() as i64,
            is_escalated: open().any(|row| row.is_escalated),
            area_names: areas.into_iter().map(str::to_owned).collect(),
            first_at: oldest.first_at,
            last_at: newest.first_at,
        })
    }
}

/// Groups of `waiting` that have one cause, the newest first, and the tickets of no group in the order in which they came.
pub fn grouped(waiting: Vec<AlarmTicketRow>) -> (Vec<AlarmGroup>, Vec<AlarmTicketRow>) {
    let mut kinds: BTreeMap<AlarmState, Vec<&AlarmTicketRow>> = BTreeMap::new();
    for row in &waiting {
        kinds.entry(row.kind).or_default().push(row);
    }
    let mut groups = Vec::new();
    let mut of_groups = BTreeSet::new();
    for mut rows in kinds.into_values() {
        rows.sort_by_key(|row| std::cmp::Reverse(row.first_at));
        for run in rows.chunk_by(|later, earlier| later.first_at - earlier.first_at <= FOLLOWS_MS) {
            if run.len() >= GROUP_LEAST {
                of_groups.extend(run.iter().map(|row| row.id));
                groups.extend(AlarmGroup::of(run));
            }
        }
    }
    groups.sort_by(|one, other| {
        (one.urgency, std::cmp::Reverse(one.last_at)).cmp(&(other.urgency, std::cmp::Reverse(other.last_at)))
    });
    (groups, waiting.into_iter().filter(|row| !of_groups.contains(&row.id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(kind: AlarmState, number: i32, first_at: i64) -> AlarmTicketRow {
        AlarmTicketRow {
            id: AlarmTicketId(i64::from(number) * 100 + i64::from(kind.number())),
            kind,
            first_at,
            area_name: Some("东湖".to_owned()),
            ..AlarmTicketRow::default()
        }
    }

    #[test]
    fn what_falls_silent_together_is_one_entry_and_a_theft_among_it_is_not() {
        let silent = (0..12).map(|number| ticket(AlarmState::Silent, number, i64::from(number) * 5_000));
        let later = ticket(AlarmState::Silent, 99, 10_000_000);
        let theft = ticket(AlarmState::AbnormalMove, 50, 20_000);
        let (groups, alone) = grouped(silent.chain([later.clone(), theft.clone()]).collect());
        let ids = |rows: &[AlarmTicketRow]| rows.iter().map(|row| row.id).collect::<Vec<_>>();
        assert_eq!(ids(&alone), [later.id, theft.id]);
        let [group] = &groups[..] else { panic!("{groups:?}") };
        assert_eq!((group.ids.len(), group.open, group.first_at, group.last_at), (12, 12, 0, 55_000));
        assert_eq!((group.ids[0].0, &group.area_names[..]), (1107, &["东湖".to_owned()][..]));
    }

    #[test]
    fn two_kinds_that_begin_at_once_are_two_entries_what_hurries_first() {
        let with =
            |kind, urgency| (0..10).map(move |number| AlarmTicketRow { urgency, ..ticket(kind, number, 0) });
        let helmets = with(AlarmState::HelmetLost, Urgency::Ordinary);
        let locks = with(AlarmState::AbnormalUnlock, Urgency::Urgent);
        let (groups, alone) = grouped(helmets.chain(locks).collect());
        let kinds: Vec<AlarmState> = groups.iter().map(|group| group.kind).collect();
        assert_eq!((kinds, alone.len()), (vec![AlarmState::AbnormalUnlock, AlarmState::HelmetLost], 0));
    }

    #[test]
    fn nine_of_a_kind_are_nine_entries() {
        let few: Vec<_> = (0..9).map(|number| ticket(AlarmState::OutOfArea, number, 0)).collect();
        let (groups, alone) = grouped(few);
        assert_eq!((groups.len(), alone.len()), (0, 9));
    }
}
