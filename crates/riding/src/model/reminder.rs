//! Reminding who owes for a ride (欠款催缴): when the next time is, how often, and never at night.

use vocabulary::{Day, Timestamp};

use super::order::OrderRefusal;
use super::pay_rules::{PayRules, REMINDERS_MAX};

/// A person reminds of one order so often, milliseconds.
pub const BY_HAND_MS: i64 = 3_600_000;
/// Hours of Shanghai's day in which people are reminded: from the first, until before the second.
pub const BY_DAY: [usize; 2] = [8, 22];
const HOUR_MS: i64 = 3_600_000;

/// What an order tells of its reminders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reminders {
    /// How often.
    pub count: u16,
    /// The last time.
    pub last: Option<Timestamp>,
    /// Since when something is owed.
    pub owed_since: Option<Timestamp>,
}

/// Whether nobody is reminded at this hour.
pub fn is_night(at: Timestamp) -> bool {
    let day = Day::of(at);
    let [from, until] = BY_DAY;
    at < day.hour(from) || at >= day.hour(until)
}

impl Reminders {
    /// Whether the rules of the area have the next one at `now`: an interval after the last one, or after it was owed.
    pub fn is_due(&self, rules: &PayRules, now: Timestamp) -> bool {
        let interval_ms = i64::from(rules.remind_interval_h) * HOUR_MS;
        let since = self.last.or(self.owed_since);
        rules.unpaid_reminded
            && self.count < rules.reminders_max
            && !is_night(now)
            && since.is_some_and(|since| now.millis_since(since) >= interval_ms)
    }

    /// Whether a person may remind now.
    pub fn by_hand(&self, now: Timestamp) -> Result<(), OrderRefusal> {
        if is_night(now) {
            return Err(OrderRefusal::RemindedByNight);
        }
        if self.count >= REMINDERS_MAX {
            return Err(OrderRefusal::RemindersOver);
        }
        match self.last {
            Some(last) if now.millis_since(last) < BY_HAND_MS => Err(OrderRefusal::RemindedLately),
            _ => Ok(()),
        }
    }

    /// The rules of the area, or a person.
    pub(super) fn may(&self, rules: &PayRules, by_hand: bool, now: Timestamp) -> Result<(), OrderRefusal> {
        if by_hand {
            self.by_hand(now)
        } else if self.is_due(rules, now) {
            Ok(())
        } else {
            Err(OrderRefusal::ReminderNotDue)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2027-01-15 in Shanghai.
    const DAY: Day = Day(20_833);

    fn at(hours: f64) -> Timestamp {
        DAY.hour(0).plus_millis((hours * HOUR_MS as f64) as i64)
    }

    fn owing(count: u16, last: Option<f64>) -> Reminders {
        Reminders { count, last: last.map(at), owed_since: Some(at(-10.0)) }
    }

    #[test]
    fn the_first_is_an_interval_after_it_was_owed_and_the_next_an_interval_after_the_last() {
        let rules = PayRules::default();
        assert!(!owing(0, None).is_due(&rules, at(13.9)), "not before a day is over");
        assert!(owing(0, None).is_due(&rules, at(14.0)));
        assert!(!owing(1, Some(14.0)).is_due(&rules, at(24.0 + 13.9)));
        assert!(owing(1, Some(14.0)).is_due(&rules, at(24.0 + 14.0)));
        assert!(!Reminders::default().is_due(&rules, at(14.0)), "nothing is owed");
    }

    #[test]
    fn nobody_is_reminded_by_night_nor_more_often_than_the_rules_say_nor_where_they_say_nothing() {
        let rules = PayRules { remind_interval_h: 1, ..PayRules::default() };
        let hours = (0..24).filter(|hour| owing(0, None).is_due(&rules, at(f64::from(*hour))));
        assert_eq!(hours.collect::<Vec<_>>(), (8..22).collect::<Vec<_>>());
        assert!(is_night(at(7.999)) && !is_night(at(8.0)) && !is_night(at(21.999)) && is_night(at(22.0)));
        assert!(owing(2, Some(8.0)).is_due(&rules, at(9.0)));
        assert!(!owing(3, Some(8.0)).is_due(&rules, at(20.0)), "three times are all");
        let off = PayRules { unpaid_reminded: false, ..rules };
        assert!(!owing(0, None).is_due(&off, at(12.0)));
    }

    #[test]
    fn a_person_reminds_once_an_hour_by_day_up_to_the_most_that_any_rules_allow() {
        assert_eq!(owing(0, None).by_hand(at(8.0)), Ok(()), "whatever the interval is");
        assert_eq!(owing(5, Some(8.0)).by_hand(at(8.99)), Err(OrderRefusal::RemindedLately));
        assert_eq!(owing(5, Some(8.0)).by_hand(at(9.0)), Ok(()));
        assert_eq!(owing(0, None).by_hand(at(22.0)), Err(OrderRefusal::RemindedByNight));
        assert_eq!(owing(REMINDERS_MAX, Some(8.0)).by_hand(at(12.0)), Err(OrderRefusal::RemindersOver));
    }
}
