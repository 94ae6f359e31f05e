//! Remembered aggregates, bounded: two generations, the older dropped when the younger is full or has been used long enough.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::Position;

/// An aggregate as it was after `version` events.
#[derive(Clone)]
pub struct Cached<A> {
    /// Its state.
    pub state: A,
    /// Events taken in.
    pub version: i64,
    /// Of the last of them.
    pub position: Position,
}

/// What a slot holds, whatever the aggregate.
trait Remembered: Any + Send {
    fn version(&self) -> i64;
    fn stand_at(&mut self, position: Position);
}

impl<A: Send + 'static> Remembered for Cached<A> {
    fn version(&self) -> i64 {
        self.version
    }

    fn stand_at(&mut self, position: Position) {
        self.position = position;
    }
}

/// Room for one aggregate; who holds its lock is the one who works on it.
#[derive(Default)]
pub struct Slot(Option<Box<dyn Remembered>>);

impl Slot {
    /// What is remembered.
    pub fn get<A: Send + 'static>(&self) -> Option<&Cached<A>> {
        self.0.as_deref().and_then(|cached| (cached as &dyn Any).downcast_ref())
    }

    /// Takes out what is remembered.
    pub fn take<A: Send + 'static>(&mut self) -> Option<Cached<A>> {
        let cached: Box<dyn Any> = self.0.take()?;
        cached.downcast().ok().map(|cached| *cached)
    }

    /// Remembers.
    pub fn put<A: Send + 'static>(&mut self, cached: Cached<A>) {
        self.0 = Some(Box::new(cached));
    }

    /// Forgets.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Events taken in, when something is remembered.
    pub fn version(&self) -> Option<i64> {
        self.0.as_ref().map(|cached| cached.version())
    }

    /// Says where the last of the events stands.
    pub fn stand_at(&mut self, position: Position) {
        if let Some(cached) = &mut self.0 {
            cached.stand_at(position);
        }
    }
}

/// A stream: its aggregate's category and id.
pub type Key = (&'static str, String);
/// A slot that several may want.
pub type Shared = Arc<tokio::sync::Mutex<Slot>>;

#[derive(Default)]
struct Generations {
    young: HashMap<Key, Shared>,
    old: HashMap<Key, Shared>,
}

/// Slots by stream.
#[derive(Clone)]
pub struct Cache {
    generations: Arc<Mutex<Generations>>,
    half: usize,
}

impl Cache {
    /// Room for about `size` aggregates.
    pub fn new(size: usize) -> Self {
        Self { generations: Arc::default(), half: (size / 2).max(1) }
    }

    /// The slot of a stream. One that fell out while in use is made anew: the log's version check settles the rest.
    pub fn slot(&self, category: &'static str, stream_id: &str) -> Shared {
        let key = (category, stream_id.to_owned());
        let mut generations = self.generations.lock().expect("nothing panics while holding the slots");
        if let Some(slot) = generations.young.get(&key) {
            return slot.clone();
        }
        let slot = generations.old.remove(&key).unwrap_or_default();
        if generations.young.len() >= self.half {
            generations.old = std::mem::take(&mut generations.young);
        }
        generations.young.insert(key, slot.clone());
        slot
    }

    /// Drops what was not used since the last turn but one at the latest: orders end, and need not wait for room to get scarce.
    pub fn turn(&self) {
        let mut generations = self.generations.lock().expect("nothing panics while holding the slots");
        generations.old = std::mem::take(&mut generations.young);
    }

    /// Drops everything.
    pub fn clear(&self) {
        *self.generations.lock().expect("nothing panics while holding the slots") = Generations::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_keeps_what_is_used_and_stays_bounded() {
        let cache = Cache::new(10);
        let kept = cache.slot("role", "kept");
        for n in 0..1000 {
            cache.slot("role", &n.to_string());
            assert!(Arc::ptr_eq(&kept, &cache.slot("role", "kept")));
        }
        let generations = cache.generations.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 10);
    }
    #[test]
    fn what_is_not_used_for_two_turns_is_dropped() {
        let cache = Cache::new(10);
        let (kept, left) = (cache.slot("order", "kept"), cache.slot("order", "left"));
        for _ in 0..2 {
            cache.turn();
            assert!(Arc::ptr_eq(&kept, &cache.slot("order", "kept")));
        }
        assert!(!Arc::ptr_eq(&left, &cache.slot("order", "left")));
    }
}
