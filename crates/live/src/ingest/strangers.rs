//! Devices that speak before word of their enrolment is here: another node enrolled them, and how changed rows are told may be away. What
//! they said last waits a while. How many wait is bounded, since whoever may send can send any number of a device.

use std::collections::HashMap;

use vocabulary::Timestamp;

use crate::measure;
use crate::report::{Refusal, Report};

/// As many devices wait at most; who comes then is refused.
const MOST: usize = 4096;
/// They wait so long.
const PATIENCE_MS: i64 = 120_000;

/// What a stranger said last.
pub(super) struct Said {
    /// As it was decoded.
    pub(super) report: Report,
    /// When it reached the system's door.
    pub(super) published: Timestamp,
    heard_at: Timestamp,
    /// Which message of the stream it was; 0 where it was heard beside it.
    pub(super) seq: u64,
}

/// See the module.
#[derive(Default)]
pub(super) struct Strangers(HashMap<String, Said>);

impl Strangers {
    /// `imei` said something, and nobody knows it.
    pub(super) fn wait(
        &mut self,
        imei: &str,
        report: Report,
        published: Timestamp,
        now: Timestamp,
        seq: u64,
    ) {
        if let Some(said) = self.0.get_mut(imei) {
            // It waits no longer for speaking again: a device that stays unknown is given up.
            (said.report, said.published, said.seq) = (report, published, seq);
        } else if self.0.len() < MOST {
            self.0.insert(imei.to_owned(), Said { report, published, heard_at: now, seq });
        } else {
            measure::refused(Refusal::UnknownDevice);
        }
    }

    /// Which message of the stream has to be read again by whoever comes next, lest he miss what one of them said.
    pub(super) fn first_seq(&self) -> Option<u64> {
        self.0.values().map(|said| said.seq).min()
    }

    /// Those whom `knows` says are known by now, with what they said; who waited too long is given up.
    pub(super) fn introduced(&mut self, now: Timestamp, knows: impl Fn(&str) -> bool) -> Vec<(String, Said)> {
        let known: Vec<(String, Said)> = self.0.extract_if(|imei, _| knows(imei)).collect();
        self.0.retain(|_, said| {
            let waits = now.millis_since(said.heard_at) < PATIENCE_MS;
            if !waits {
                measure::refused(Refusal::UnknownDevice);
            }
            waits
        });
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Flags, Place};

    const fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn report(soc_percent: u8) -> Report {
        Report {
            at: at(0),
            seq: None,
            place: Place { lat_e7: 240_000_000, lng_e7: 1_180_000_000 },
            hdop_tenths: None,
            satellites: None,
            speed_kmh: 0,
            heading_half: 0,
            soc_percent,
            gsm: None,
            voltage_mv: None,
            flags: Flags::default(),
            fence_version: None,
        }
    }

    #[test]
    fn who_becomes_known_in_time_is_heard_by_his_last_word() {
        let mut strangers = Strangers::default();
        assert_eq!(strangers.first_seq(), None);
        strangers.wait("1", report(50), at(0), at(0), 7);
        strangers.wait("2", report(60), at(1), at(1), 8);
        strangers.wait("1", report(49), at(2), at(2), 9);
        assert_eq!(strangers.first_seq(), Some(8), "of the first word of 1 nothing is wanted");
        assert!(strangers.introduced(at(3), |_| false).is_empty());
        let known = strangers.introduced(at(4), |imei| imei == "1");
        assert_eq!(known.len(), 1);
        assert_eq!((known[0].1.report.soc_percent, known[0].1.published), (49, at(2)));
        assert!(strangers.introduced(at(122), |_| false).is_empty());
        assert!(strangers.introduced(at(122), |_| true).is_empty(), "two minutes are over");
    }

    #[test]
    fn a_flood_of_strangers_is_turned_away_and_who_waits_stays() {
        let mut strangers = Strangers::default();
        for number in 0..=MOST {
            strangers.wait(&number.to_string(), report(50), at(0), at(0), 0);
        }
        assert_eq!(strangers.introduced(at(1), |_| true).len(), MOST);
    }
}
