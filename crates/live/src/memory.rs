//! The fleet shared between those who write it and those who look.

use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::fleet::{Fleet, Latest};

/// The fleet behind a lock that is held for microseconds and never across an await.
#[derive(Clone)]
pub struct Memory(Arc<RwLock<Fleet>>);

impl Memory {
    /// Shares `fleet`.
    pub fn new(fleet: Fleet) -> Self {
        Self(Arc::new(RwLock::new(fleet)))
    }

    /// To look.
    pub fn read(&self) -> RwLockReadGuard<'_, Fleet> {
        self.0.read().expect("nothing panics while it writes the fleet")
    }

    /// To write.
    pub fn write(&self) -> RwLockWriteGuard<'_, Fleet> {
        self.0.write().expect("nothing panics while it writes the fleet")
    }

    /// What a bike last said.
    pub fn latest(&self, car_id: &str) -> Option<Latest> {
        self.read().latest(car_id)
    }
}
