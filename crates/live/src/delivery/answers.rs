//! What devices answer to parts of fences, on its way from the taking in of messages to whoever sends. Short: what finds no
//! room costs a sending more.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use vocabulary::Timestamp;

use super::parcel::read_id;

/// Answers that may wait.
const WAITING: usize = 20_000;

/// A device's answer to a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The device.
    pub imei: String,
    /// When the try was begun.
    pub sent_at: Timestamp,
    /// From 0.
    pub part: usize,
    /// 0 taken; see `docs/device-protocol.md`.
    pub code: i32,
}

/// See the module.
#[derive(Clone, Default)]
pub struct Answers(Arc<Mutex<VecDeque<Answer>>>);

impl Answers {
    /// Takes an answer, if it is one to a part; whether it is.
    pub(crate) fn take(&self, imei: &str, command: i64, code: i32) -> bool {
        let Some((sent_at, part)) = read_id(command) else { return false };
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < WAITING {
            waiting.push_back(Answer { imei: imei.to_owned(), sent_at, part, code });
        }
        true
    }

    /// All that wait.
    pub(crate) fn drain(&self) -> VecDeque<Answer> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
