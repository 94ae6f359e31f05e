//! The controller on a bike: its flags, and how it answers commands.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use crate::fences::{Fences, Taken};
use crate::firmware::{Firmware, INSTALL_MS, Installed};
use crate::report::Flags;

/// Answers a device remembers, so that asking twice acts once.
const REMEMBERED_ANSWERS: usize = 16;
/// How long a reboot takes.
pub const REBOOT_MS: i64 = 20_000;

/// A command as it arrives on `ebike/<imei>/down`.
#[derive(Clone, Debug, Deserialize)]
pub struct Command {
    /// Its id; acted on once.
    pub id: String,
    /// 1 unlock, 2 lock … 18 temporary power.
    pub kind: i64,
    /// Depends on the kind.
    #[serde(default)]
    pub params: Value,
    /// From when on it is not to be acted on any more, epoch milliseconds.
    pub expires_at: Option<i64>,
}

/// Result codes a device gives.
pub mod code {
    /// Done.
    pub const DONE: i32 = 0;
    /// Not a kind this device knows.
    pub const UNSUPPORTED: i32 = 111;
    /// Parameters it cannot use.
    pub const BAD_PARAMS: i32 = 114;
    /// New firmware could not be fetched, or is not what its MD5 says.
    pub const NOT_INSTALLED: i32 = 116;
    /// Moving or ridden, so it does not lock.
    pub const IN_USE: i32 = 132;
}

/// What a device does about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The result code to acknowledge with.
    pub code: i32,
    /// Whether a report with the new flags must follow at once.
    pub report: bool,
}

/// A controller.
#[derive(Clone, Debug)]
pub struct Device {
    /// What its sensors and locks say.
    pub flags: Flags,
    /// The fences it holds.
    pub fences: Fences,
    /// What runs on it.
    pub firmware: Firmware,
    /// It neither speaks nor hears before this instant.
    pub silent_until_ms: i64,
    /// Whether it has to say what it is.
    owes_about: bool,
    seq: u16,
    last_at_ms: i64,
    answered: VecDeque<(String, i32)>,
}

impl Default for Device {
    fn default() -> Self {
        let flags = Flags::LOCKED
            | Flags::DEFEND
            | Flags::BATTERY_PRESENT
            | Flags::HELMET_LOCKED
            | Flags::BATTERY_BAY_LOCKED
            | Flags::POSITION_VALID;
        Self {
            flags: Flags(flags),
            fences: Fences::default(),
            firmware: Firmware::default(),
            owes_about: false,
            silent_until_ms: i64::MIN,
            seq: 0,
            last_at_ms: i64::MIN,
            answered: VecDeque::new(),
        }
    }
}

impl Device {
    /// Whether it speaks and hears.
    pub const fn awake(&self, now_ms: i64) -> bool {
        now_ms >= self.silent_until_ms
    }

    /// Its line stands anew.
    pub const fn connected(&mut self) {
        self.owes_about = true;
    }

    /// What it has to say of itself now: once for each connection and each restart.
    pub fn introduction(&mut self, now_ms: i64) -> Option<Value> {
        let now = self.owes_about && self.awake(now_ms);
        self.owes_about &= !now;
        now.then(|| self.firmware.about())
    }

    /// Number and clock of the next report: the clock never repeats or runs back.
    pub fn stamp(&mut self, now_ms: i64) -> (u16, i64) {
        self.seq = self.seq.wrapping_add(1);
        self.last_at_ms = now_ms.max(self.last_at_ms.saturating_add(1));
        (self.seq, self.last_at_ms)
    }

    /// Locks or unlocks the wheel, with what goes with it.
    pub fn lock(&mut self, locked: bool) {
        self.flags.set(Flags::LOCKED | Flags::DEFEND, locked);
        self.flags.set(Flags::ACC, !locked);
        self.flags.set(Flags::HELMET_LOCKED, locked && !self.flags.has(Flags::HELMET_MISSING));
        if locked {
            self.flags.set(Flags::MOVING, false);
        }
    }

    /// A worker hangs a good helmet on it.
    pub fn new_helmet(&mut self) {
        self.flags.set(Flags::HELMET_MISSING | Flags::HELMET_FAULT, false);
        self.flags.set(Flags::HELMET_LOCKED, self.flags.has(Flags::LOCKED));
    }

    /// Acts on a command, once per id; none while it neither speaks nor hears, or did not hear this. `in_use`: ridden or moving.
    pub fn answer(&mut self, now_ms: i64, command: &Command, in_use: bool) -> Option<Answer> {
        if !self.awake(now_ms) || command.expires_at.is_some_and(|at_ms| at_ms <= now_ms) {
            return None;
        }
        if let Some((_, code)) = self.answered.iter().find(|(id, _)| *id == command.id) {
            return Some(Answer { code: *code, report: false });
        }
        let answer = self.act(now_ms, command, in_use)?;
        if self.answered.len() == REMEMBERED_ANSWERS {
            self.answered.pop_front();
        }
        self.answered.push_back((command.id.clone(), answer.code));
        Some(answer)
    }

    fn act(&mut self, now_ms: i64, command: &Command, in_use: bool) -> Option<Answer> {
        let done = |report| Answer { code: code::DONE, report };
        let refused = |code| Answer { code, report: false };
        let answer = match command.kind {
            2 | 6 | 7 | 12 | 16 if in_use => refused(code::IN_USE),
            1 | 2 => {
                self.lock(command.kind == 2);
                done(true)
            }
            3 | 4 => {
                self.flags.set(Flags::DEFEND, command.kind == 3);
                done(true)
            }
            5 | 6 => {
                self.flags.set(Flags::ACC, command.kind == 5);
                done(true)
            }
            7 => {
                let now_locked = self.flags.has(Flags::BACK_WHEEL_LOCKED);
                self.flags.set(Flags::BACK_WHEEL_LOCKED, !now_locked);
                done(true)
            }
            8 => {
                self.flags.set(Flags::BATTERY_BAY_LOCKED, false);
                done(true)
            }
            9 => {
                self.flags.set(Flags::HELMET_LOCKED, false);
                done(true)
            }
            12 => {
                self.silent_until_ms = now_ms + REBOOT_MS;
                self.owes_about = true;
                done(false)
            }
            16 => match self.firmware.install(&command.params) {
                Installed::BadParams => refused(code::BAD_PARAMS),
                Installed::Broken => refused(code::NOT_INSTALLED),
                Installed::Soon => {
                    self.silent_until_ms = now_ms + INSTALL_MS;
                    self.owes_about = true;
                    done(false)
                }
            },
            15 => match self.fences.take(&command.params) {
                Taken::Lost => return None,
                Taken::Answered(code) => refused(code),
                Taken::Whole => done(true),
            },
            // Bell, voice, speed limit, parameters, voice pack, temporary power: nothing a report shows.
            10 | 11 | 13 | 14 | 17 | 18 => done(false),
            _ => refused(code::UNSUPPORTED),
        };
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn command(id: &str, kind: i64) -> Command {
        Command { id: id.into(), kind, params: json!({}), expires_at: None }
    }

    #[test]
    fn an_unlock_opens_the_wheel_and_is_reported_at_once() {
        let mut device = Device::default();
        assert_eq!(device.answer(0, &command("a", 1), false), Some(Answer { code: 0, report: true }));
        assert!(!device.flags.has(Flags::LOCKED) && device.flags.has(Flags::ACC));
        assert_eq!(device.answer(1, &command("b", 2), false), Some(Answer { code: 0, report: true }));
        assert!(device.flags.has(Flags::LOCKED) && !device.flags.has(Flags::ACC));
    }

    #[test]
    fn a_ridden_bike_refuses_to_lock_and_stays_open() {
        let mut device = Device::default();
        device.lock(false);
        assert_eq!(device.answer(0, &command("a", 2), true), Some(Answer { code: 132, report: false }));
        assert!(!device.flags.has(Flags::LOCKED));
    }

    #[test]
    fn what_comes_after_its_time_is_neither_acted_on_nor_answered() {
        let mut device = Device::default();
        device.lock(true);
        let late = Command { expires_at: Some(15_000), ..command("a", 1) };
        assert_eq!(device.answer(15_000, &late, false), None);
        assert!(device.flags.has(Flags::LOCKED));
        assert_eq!(device.answer(14_999, &late, false), Some(Answer { code: 0, report: true }));
    }

    #[test]
    fn one_id_is_acted_on_once_and_its_answer_repeated() {
        let mut device = Device::default();
        device.answer(0, &command("a", 1), false);
        device.lock(true);
        assert_eq!(device.answer(1, &command("a", 1), false), Some(Answer { code: 0, report: false }));
        assert!(device.flags.has(Flags::LOCKED), "asked again, not acted again");
    }

    #[test]
    fn a_refusal_is_repeated_too_even_when_the_bike_now_stands() {
        let mut device = Device::default();
        device.answer(0, &command("a", 2), true);
        assert_eq!(device.answer(1, &command("a", 2), false), Some(Answer { code: 132, report: false }));
    }

    #[test]
    fn the_bell_rings_an_unknown_kind_is_unsupported_and_a_reboot_silences() {
        let mut device = Device::default();
        assert_eq!(device.answer(0, &command("a", 10), true), Some(Answer { code: 0, report: false }));
        assert_eq!(device.answer(0, &command("b", 99), false), Some(Answer { code: 111, report: false }));
        assert_eq!(device.answer(0, &command("c", 12), false), Some(Answer { code: 0, report: false }));
        assert_eq!(device.answer(REBOOT_MS - 1, &command("d", 10), false), None);
        assert_eq!(
            device.answer(REBOOT_MS, &command("d", 10), false),
            Some(Answer { code: 0, report: false })
        );
    }

    #[test]
    fn it_says_what_it_is_once_for_each_connection_and_after_new_firmware_runs() {
        let mut device = Device::default();
        assert_eq!(device.introduction(0), None, "it is not connected");
        device.connected();
        let before = device.introduction(0).unwrap();
        assert_eq!(device.introduction(1), None);
        let params = json!({ "model": device.firmware.model, "version": "9.0", "url": "https://a.example/9.bin",
            "md5": "0".repeat(32), "size": 1 });
        let upgrade = Command { params, ..command("a", 16) };
        assert_eq!(device.answer(2, &upgrade, true), Some(Answer { code: 132, report: false }));
        let upgrade = Command { id: "b".into(), ..upgrade };
        assert_eq!(device.answer(2, &upgrade, false), Some(Answer { code: 0, report: false }));
        assert_eq!(device.introduction(1 + INSTALL_MS), None, "it restarts");
        let after = device.introduction(2 + INSTALL_MS).unwrap();
        assert_eq!((&after["model"], after["firmware"].as_str()), (&before["model"], Some("9.0")));
        let junk = command("c", 16);
        assert_eq!(device.answer(2 + INSTALL_MS, &junk, false), Some(Answer { code: 114, report: false }));
    }

    #[test]
    fn the_clock_of_reports_never_repeats_or_runs_back() {
        let mut device = Device::default();
        assert_eq!(device.stamp(10), (1, 10));
        assert_eq!(device.stamp(10), (2, 11));
        assert_eq!(device.stamp(5), (3, 12));
    }

    #[test]
    fn memory_of_answers_is_bounded() {
        let mut device = Device::default();
        for i in 0..100 {
            device.answer(0, &command(&i.to_string(), 10), false);
        }
        assert_eq!(device.answered.len(), REMEMBERED_ANSWERS);
    }
}
