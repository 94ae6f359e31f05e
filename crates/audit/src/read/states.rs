//! What things were before somebody acted on them: folded from their streams when it is asked for, and remembered within
//! bounds, so that many acts on one thing read its stream once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::projector::ApplyError;
use kernel::{Reader, Recorded, Runtime};
use serde_json::Value;

use super::subjects;
use crate::schema::{AuditSchema, Fields};

/// Events read from the log at a time.
const READ: i64 = 500;
/// What is remembered comes to about so many bytes of JSON.
const KEPT_BYTES: usize = 32 << 20;

/// A thing as it was after `version` events.
#[derive(Clone)]
struct Folded {
    version: i64,
    state: Arc<Fields>,
    bytes: usize,
}

#[derive(Default)]
struct Generation {
    states: HashMap<String, Folded>,
    bytes: usize,
}

impl Generation {
    fn put(&mut self, key: String, folded: Folded) {
        self.bytes += folded.bytes;
        self.bytes -= self.states.insert(key, folded).map_or(0, |gone| gone.bytes);
    }

    fn take(&mut self, key: &str) -> Option<Folded> {
        let folded = self.states.remove(key)?;
        self.bytes -= folded.bytes;
        Some(folded)
    }
}

/// Two generations, the older dropped when the younger is full.
#[derive(Default)]
struct Memory {
    /// How many persons had been forgotten when its states were folded; nothing while there are none.
    forgotten: Option<i64>,
    young: Generation,
    old: Generation,
}

impl Memory {
    fn get(&mut self, key: &str) -> Option<Folded> {
        if let Some(known) = self.young.states.get(key) {
            return Some(known.clone());
        }
        let known = self.old.take(key)?;
        self.put(key.to_owned(), known.clone());
        Some(known)
    }

    fn put(&mut self, key: String, folded: Folded) {
        if self.young.bytes + folded.bytes > KEPT_BYTES / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        if folded.bytes <= KEPT_BYTES / 2 {
            self.young.put(key, folded);
        }
    }
}

/// Folds and remembers.
pub(super) struct States {
    reader: Reader,
    memory: Arc<Mutex<Memory>>,
}

impl States {
    /// Reads where the feed reads: no query of a user waits behind it.
    pub fn new(runtime: &Runtime) -> Self {
        let memory: Arc<Mutex<Memory>> = Arc::default();
        let forgetful = Arc::clone(&memory);
        runtime.on_forgetting(move || *held(&forgetful) = Memory::default());
        Self { reader: runtime.feed.reader().clone(), memory }
    }

    /// For one batch. What was folded before somebody was forgotten may hold what is known of him: when that happened
    /// since, by whatever process, it is dropped.
    pub async fn open(&self) -> Result<Batch<'_>, ApplyError> {
        let forgotten = self.reader.times_forgotten().await?;
        let mut memory = held(&self.memory);
        if memory.forgotten != Some(forgotten) {
            *memory = Memory { forgotten: Some(forgotten), ..Memory::default() };
        }
        drop(memory);
        Ok(Batch { states: self, forgotten })
    }
}

fn held(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The states for one batch of events.
pub(super) struct Batch<'a> {
    states: &'a States,
    forgotten: i64,
}

impl Batch<'_> {
    /// The thing as it was before `event`.
    pub async fn before(
        &self,
        schema: &dyn AuditSchema,
        event: &Recorded,
    ) -> Result<Arc<Fields>, ApplyError> {
        let wanted = event.version - 1;
        let key = subjects::key(&event.category, &event.stream_id);
        let known = self.memory().and_then(|mut memory| memory.get(&key));
        let known = known.filter(|known| known.version <= wanted);
        let (mut version, mut state) =
            known.map_or_else(Default::default, |known| (known.version, known.state));
        while version < wanted {
            let limit = READ.min(wanted - version);
            let events =
                self.states.reader.read_stream(&event.category, &event.stream_id, version, limit).await?;
            version = events.last().map(|newest| newest.version).ok_or("a stream that ends too early")?;
            let fields = Arc::make_mut(&mut state);
            for event in &events {
                schema.fold(fields, event)?;
            }
            // A long way is not gone again when it is broken off.
            self.put(key.clone(), version, &state);
        }
        Ok(state)
    }

    /// Remembers the thing as it is after `event`.
    pub fn keep(&self, event: &Recorded, state: &Arc<Fields>) {
        self.put(subjects::key(&event.category, &event.stream_id), event.version, state);
    }

    fn put(&self, key: String, version: i64, state: &Arc<Fields>) {
        let Some(mut memory) = self.memory() else { return };
        let bytes = key.len() + size(state);
        memory.put(key, Folded { version, state: Arc::clone(state), bytes });
    }

    /// Nothing when somebody was forgotten while this batch is applied.
    fn memory(&self) -> Option<MutexGuard<'_, Memory>> {
        Some(held(&self.states.memory)).filter(|memory| memory.forgotten == Some(self.forgotten))
    }
}

/// About as many bytes as its JSON has.
fn size(fields: &Fields) -> usize {
    fields.iter().map(|(key, value)| key.len() + 4 + size_of(value)).sum()
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size_of).sum::<usize>() + 2,
        Value::Object(fields) => size(fields) + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(version: i64, bytes: usize) -> Folded {
        Folded { version, state: Arc::default(), bytes }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_what_is_used_stays() {
        let mut memory = Memory::default();
        memory.put("kept".to_owned(), folded(1, 10));
        for n in 0..1_000 {
            memory.put(n.to_string(), folded(n, KEPT_BYTES / 50));
            assert_eq!(memory.get("kept").map(|kept| kept.version), Some(1));
            assert!(memory.young.bytes + memory.old.bytes <= KEPT_BYTES);
        }
        assert_eq!(memory.get("999").map(|newest| newest.version), Some(999));
        assert!(memory.get("0").is_none());
        let (young, old) = (&memory.young, &memory.old);
        let counted =
            |generation: &Generation| generation.states.values().map(|one| one.bytes).sum::<usize>();
        assert_eq!((counted(young), counted(old)), (young.bytes, old.bytes));
        memory.put("huge".to_owned(), folded(1, KEPT_BYTES));
        assert!(memory.get("huge").is_none() && memory.young.bytes + memory.old.bytes <= KEPT_BYTES);
    }
}
