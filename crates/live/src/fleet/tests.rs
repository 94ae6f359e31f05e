//! Silence, and what is told of it.

use super::testing::Heard;
use crate::rules::{AlarmKind, Judgement};

const LOOK_MS: i64 = 15_000;
const MINUTE_MS: i64 = 60_000;

impl Heard {
    /// Looks every 15 s for so many minutes; those of `speaking` report each minute. Who is judged silent, or not.
    fn pass(&mut self, minutes: i64, speaking: std::ops::Range<u32>) -> Vec<(String, bool)> {
        let mut judged: Vec<Judgement> = Vec::new();
        for look in 1..=minutes * MINUTE_MS / LOOK_MS {
            self.now = self.now.plus_millis(LOOK_MS);
            if look % 4 == 0 {
                self.report(speaking.clone());
            }
            self.fleet.sweep(self.now, LOOK_MS, &mut judged);
        }
        assert!(judged.iter().all(|judgement| judgement.alarm == AlarmKind::Silent));
        judged.into_iter().map(|judgement| (judgement.car_id, judgement.raised)).collect()
    }
}

#[test]
fn who_is_not_heard_while_others_are_is_silent() {
    let mut heard = Heard::of(20);
    assert_eq!(heard.pass(29, 1..20), []);
    assert_eq!(heard.pass(3, 1..20), [("K0".to_owned(), true)]);
}

#[test]
fn while_the_front_door_is_shut_nobody_is_silent() {
    let mut heard = Heard::of(20);
    assert_eq!(heard.pass(300, 0..0), []);
    assert_eq!(heard.pass(10, 0..20), [], "nor when it opens again");
    assert_eq!(heard.pass(40, 0..1).len(), 19, "one of twenty is enough to be heard by");
    assert_eq!(Heard::of(21).pass(300, 0..1), [], "one of more is not");
}

#[test]
fn a_clock_that_jumps_and_a_machine_that_was_paused_make_nobody_silent() {
    let mut heard = Heard::of(20);
    heard.pass(5, 0..20);
    for jump_ms in [10 * 60 * MINUTE_MS, -20 * 60 * MINUTE_MS] {
        heard.now = heard.now.plus_millis(jump_ms);
        let mut judged = Vec::new();
        heard.fleet.sweep(heard.now, 2 * LOOK_MS, &mut judged);
        assert_eq!(judged, []);
    }
}
