//! A browser's map that stays open through it all: it comes back at the other node and goes on from where it was, as the
//! protocol lets it (`docs/push.md`, "Coming back").

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::report::Timeline;
use crate::client::Browser;
use crate::screen::{Screen, Seen};

/// What it held when it last heard.
#[derive(Clone, Default)]
pub struct Held {
    pub bikes: BTreeMap<u32, Seen>,
    seq: u64,
    /// Which process counted; empty before the first.
    instance: String,
    /// Which node it looks at, while it does.
    pub node: Option<usize>,
}

pub struct Watcher {
    held: Arc<Mutex<Held>>,
    task: JoinHandle<()>,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Watcher {
    /// One that begins at node `first`; `browsers` are the same person's at each of them.
    pub fn begin(browsers: Vec<Browser>, place: (f64, f64), first: usize, timeline: Arc<Timeline>) -> Self {
        let held = Arc::new(Mutex::new(Held::default()));
        let theirs = Arc::clone(&held);
        let browsers: Vec<Arc<Browser>> = browsers.into_iter().map(Arc::new).collect();
        let task = tokio::spawn(async move {
            let mut node = first;
            loop {
                let (browser, held) = (Arc::clone(&browsers[node]), Arc::clone(&theirs));
                let address = browser.url.trim_start_matches("http://");
                if TcpStream::connect(address).await.is_ok() {
                    // Whatever ends it, the next one comes from elsewhere.
                    let _ = tokio::spawn(async move { look(&browser, place, node, &held).await }).await;
                    locked(&theirs).node = None;
                    timeline.note(format!("a map that looked at node {node} comes back at the other"));
                }
                node = (node + 1) % browsers.len();
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        });
        Self { held, task }
    }

    pub fn holds(&self) -> Held {
        locked(&self.held).clone()
    }
}

fn locked(held: &Mutex<Held>) -> std::sync::MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One connection, until it ends.
async fn look(browser: &Browser, (lat, lng): (f64, f64), node: usize, held: &Mutex<Held>) {
    let before = locked(held).clone();
    let mut screen = Screen::open(browser).await;
    if before.instance.is_empty() {
        screen.move_to(lat, lng).await;
    } else {
        screen.bikes = before.bikes;
        // Changes of the newest tick may not all have come.
        screen.resume(lat, lng, before.seq.saturating_sub(1), &before.instance).await;
    }
    let instance = screen.instance();
    let goes_on = instance == before.instance;
    if goes_on {
        screen.seq = before.seq;
    }
    while screen.closed.is_none() {
        // No snapshot is half there, and what is there is of this process.
        if screen.begun == screen.snapshots && (goes_on || screen.snapshots > 0) {
            *locked(held) = Held {
                bikes: screen.bikes.clone(),
                seq: screen.seq,
                instance: instance.clone(),
                node: Some(node),
            };
        }
        screen.texts.drain(..screen.texts.len().saturating_sub(50));
        screen.take_one().await;
    }
}
