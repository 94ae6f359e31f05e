//! Walls that somebody watches: each is put together once for all who see the same of it, at most every two seconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::{AreaId, Clock, Scope};

use super::ports::Screens;
use super::protocol;

/// From the beginning of one picture to that of the next, at least.
const EVERY: Duration = Duration::from_secs(2);
/// A picture that takes long is made more rarely: putting it together fills a fifth of the time at most.
const SHARE: u32 = 5;

/// What is watched: the topic, and how far the viewer sees.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    topic: String,
    scope: String,
}

/// A wall as it goes out.
#[derive(Clone)]
pub(super) struct ScreenFrame {
    pub(super) seq: u64,
    pub(super) text: Utf8Bytes,
}

struct Shown {
    watchers: usize,
    /// Which of those that were watched under this key: one that nobody watches any more ends, also when another follows.
    number: u64,
    frame: Option<ScreenFrame>,
}

#[derive(Default)]
struct Watched {
    shown: HashMap<Key, Shown>,
    counted: u64,
}

/// The watched walls.
#[derive(Clone)]
pub(super) struct Walls {
    pub(super) screens: Arc<dyn Screens>,
    clock: Arc<dyn Clock>,
    watched: Arc<Mutex<Watched>>,
    news: watch::Sender<u64>,
    stop: CancellationToken,
}

/// Keeps a wall watched.
pub(super) struct WallWatch {
    walls: Walls,
    key: Key,
    /// Number of the newest frame that was sent.
    pub(super) sent: u64,
}

impl Drop for WallWatch {
    fn drop(&mut self) {
        let mut watched = self.walls.lock();
        if let Some(shown) = watched.shown.get_mut(&self.key) {
            shown.watchers -= 1;
            if shown.watchers == 0 {
                watched.shown.remove(&self.key);
            }
        }
    }
}

impl WallWatch {
    /// The newest frame, when it was not sent yet.
    pub(super) fn unsent(&mut self) -> Option<Utf8Bytes> {
        let frame = self.walls.lock().shown.get(&self.key)?.frame.clone()?;
        if frame.seq <= self.sent {
            return None;
        }
        self.sent = frame.seq;
        Some(frame.text)
    }
}

impl Walls {
    pub(super) fn new(screens: Arc<dyn Screens>, clock: Arc<dyn Clock>, stop: CancellationToken) -> Self {
        Self { screens, clock, watched: Arc::default(), news: watch::Sender::new(0), stop }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().expect("nothing panics while it holds the watched walls")
    }

    /// Changes whenever some wall was put together anew.
    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Watches `topic`, which is wall `name` cut down to `areas`, within `scope`.
    pub(super) fn watch(&self, topic: &str, name: &str, areas: &[AreaId], scope: &Scope) -> WallWatch {
        let key = Key { topic: topic.to_owned(), scope: format!("{scope:?}") };
        let mut watched = self.lock();
        watched.counted += 1;
        let number = watched.counted;
        let shown = watched.shown.entry(key.clone()).or_insert(Shown { watchers: 0, number, frame: None });
        shown.watchers += 1;
        let is_new = shown.number == number;
        drop(watched);
        if is_new {
            let show = Show { key: key.clone(), number, name: name.to_owned(), areas: areas.to_vec() };
            tokio::spawn(self.clone().show_on(show, scope.clone()));
        }
        WallWatch { walls: self.clone(), key, sent: 0 }
    }

    async fn show_on(self, show: Show, scope: Scope) {
        loop {
            let began = Instant::now();
            let made = tokio::select! {
                () = self.stop.cancelled() => return,
                made = self.screens.picture(&show.name, &scope, &show.areas) => made,
            };
            match made {
                // What is not new is not told: whoever looks sees by its age that it is not.
                Err(error) => {
                    tracing::warn!(error = %error, screen = show.name, "a watched wall cannot be put together");
                }
                Ok(picture) => {
                    let seq = *self.news.borrow() + 1;
                    let time_ms = self.clock.now().millis();
                    let text = protocol::data(&show.key.topic, seq.cast_signed(), time_ms, &picture).into();
                    if let Some(shown) = self.lock().of(&show) {
                        shown.frame = Some(ScreenFrame { seq, text });
                    }
                    self.news.send_modify(|newest| *newest = seq.max(*newest + 1));
                }
            }
            let next = began + EVERY.max(began.elapsed() * SHARE);
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep_until(next) => {}
            }
            if self.lock().of(&show).is_none() {
                return;
            }
        }
    }
}

/// One wall at work.
struct Show {
    key: Key,
    number: u64,
    name: String,
    areas: Vec<AreaId>,
}

impl Watched {
    fn of(&mut self, show: &Show) -> Option<&mut Shown> {
        self.shown.get_mut(&show.key).filter(|shown| shown.number == show.number)
    }
}
