//! Bikes whose drawer is open somewhere: put together once for all who look, and only when something changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::ws::Utf8Bytes;
use futures::{StreamExt, stream};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, DataOwner};

use super::ports::{Detail, Details, PortError};
use super::protocol;
use crate::memory::Memory;

/// Bikes put together at the same time.
const AT_ONCE: usize = 4;

/// A bike's number and what came of putting it together.
type Made = (String, Result<Option<Detail>, PortError>);

/// A bike as it goes out.
#[derive(Clone, Debug)]
pub(super) struct CarFrame {
    pub(super) seq: u64,
    pub(super) owner: DataOwner,
    pub(super) text: Utf8Bytes,
}

#[derive(Default)]
struct Car {
    watchers: usize,
    slot: Option<u32>,
    stale: bool,
    frame: Option<CarFrame>,
}

/// The watched bikes.
#[derive(Clone)]
pub(super) struct Cars {
    watched: Arc<Mutex<HashMap<String, Car>>>,
    wanted: Arc<Notify>,
    news: watch::Sender<u64>,
}

/// Keeps a bike watched.
pub(super) struct CarWatch {
    cars: Cars,
    pub(super) car_id: String,
    /// Number of the newest frame that was sent.
    pub(super) sent: u64,
}

impl Drop for CarWatch {
    fn drop(&mut self) {
        let mut cars = self.cars.lock();
        if let Some(car) = cars.get_mut(&self.car_id) {
            car.watchers -= 1;
            if car.watchers == 0 {
                cars.remove(&self.car_id);
            }
        }
    }
}

impl Cars {
    pub(super) fn new() -> Self {
        Self { watched: Arc::default(), wanted: Arc::default(), news: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Car>> {
        self.watched.lock().expect("nothing panics while it holds the watched bikes")
    }

    pub(super) fn watch(&self, car_id: &str, slot: Option<u32>) -> CarWatch {
        let mut cars = self.lock();
        let car = cars.entry(car_id.to_owned()).or_default();
        car.watchers += 1;
        car.slot = slot.or(car.slot);
        car.stale |= car.frame.is_none();
        let wanted = car.stale;
        drop(cars);
        if wanted {
            self.wanted.notify_one();
        }
        CarWatch { cars: self.clone(), car_id: car_id.to_owned(), sent: 0 }
    }

    /// Changes whenever some bike was put together anew.
    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub(super) fn frame(&self, car_id: &str) -> Option<CarFrame> {
        self.lock().get(car_id)?.frame.clone()
    }

    /// These slots changed.
    pub(super) fn touched(&self, slots: &[u32]) {
        let mut cars = self.lock();
        if cars.is_empty() {
            return;
        }
        let slots: std::collections::HashSet<u32> = slots.iter().copied().collect();
        let mut wanted = false;
        for car in cars.values_mut().filter(|car| car.slot.is_some_and(|slot| slots.contains(&slot))) {
            car.stale = true;
            wanted = true;
        }
        drop(cars);
        if wanted {
            self.wanted.notify_one();
        }
    }

    /// Rows behind these bikes may have changed; without names: behind any.
    pub(super) fn rows_changed(&self, car_ids: Option<&[(String, DataOwner)]>) {
        let mut cars = self.lock();
        let mut wanted = false;
        match car_ids {
            None => cars.values_mut().for_each(|car| {
                car.stale = true;
                wanted = true;
            }),
            Some(named) => {
                for (car_id, _) in named {
                    if let Some(car) = cars.get_mut(car_id) {
                        car.stale = true;
                        wanted = true;
                    }
                }
            }
        }
        drop(cars);
        if wanted {
            self.wanted.notify_one();
        }
    }

    fn take_stale(&self) -> Vec<String> {
        let mut cars = self.lock();
        let stale = cars.iter_mut().filter(|(_, car)| car.stale);
        stale
            .map(|(car_id, car)| {
                car.stale = false;
                car_id.clone()
            })
            .collect()
    }

    /// Puts stale bikes together until `stop`.
    pub(super) async fn run(
        self,
        details: Arc<dyn Details>,
        memory: Memory,
        clock: Arc<dyn Clock>,
        stop: CancellationToken,
    ) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.wanted.notified() => {}
            }
            let stale = self.take_stale();
            let made = stream::iter(stale)
                .map(|car_id| {
                    let details = Arc::clone(&details);
                    async move {
                        let detail = details.of(&car_id).await;
                        (car_id, detail)
                    }
                })
                .buffer_unordered(AT_ONCE)
                .collect::<Vec<_>>()
                .await;
            let (seq, failed) = self.put_away(made, &memory, clock.now().millis());
            self.news.send_replace(seq);
            if failed {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                self.wanted.notify_one();
            }
        }
    }

    /// Keeps what was put together; its number, and whether something failed and stays stale.
    fn put_away(&self, made: Vec<Made>, memory: &Memory, time_ms: i64) -> (u64, bool) {
        let seq = *self.news.borrow() + 1;
        let tick = i64::from(memory.read().tick_seq());
        let mut failed = false;
        let mut cars = self.lock();
        for (car_id, detail) in made {
            let Some(car) = cars.get_mut(&car_id) else { continue };
            match detail {
                Ok(Some((owner, value))) => {
                    let text = protocol::data(&format!("vehicle/{car_id}"), tick, time_ms, &value).into();
                    car.frame = Some(CarFrame { seq, owner, text });
                }
                Ok(None) => car.frame = None,
                Err(error) => {
                    tracing::warn!(error = %error, car_id, "a watched bike cannot be put together");
                    car.stale = true;
                    failed = true;
                }
            }
        }
        (seq, failed)
    }
}
