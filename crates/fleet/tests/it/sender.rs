//! What leaves for a device, and when: `docs/adr/0030-commands-are-recorded-before-they-are-sent.md`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fleet::model::command::{CommandCommand, CommandKind, TIMEOUT_MS};
use fleet::ports::{Downlink, PortError};
use fleet::sender::CommandSender;
use kernel::{ReactError, Reactor, Reactors};
use serde_json::Value;
use vocabulary::Clock;

use crate::runtime::{IMEI, TestRuntime};

/// The world outside: devices that take every message, unless the way to them is broken.
struct Street {
    runtime: Arc<TestRuntime>,
    broken: AtomicBool,
    /// Each message, and what the log said of its command at that moment.
    sent: Mutex<Vec<(Value, Vec<String>)>>,
}

#[async_trait]
impl Downlink for Street {
    async fn send(&self, imei: &str, payload: Vec<u8>) -> Result<(), PortError> {
        assert_eq!(imei, IMEI);
        if self.broken.load(Ordering::SeqCst) {
            return Err("NATS is away".into());
        }
        let message: Value = serde_json::from_slice(&payload)?;
        let id = message["id"].as_str().expect("ids are texts").parse()?;
        let story = self.runtime.story(id).await;
        self.sent.lock().unwrap().push((message, story));
        Ok(())
    }
}

impl Street {
    fn open(runtime: &Arc<TestRuntime>) -> Arc<Self> {
        Arc::new(Self {
            runtime: Arc::clone(runtime),
            broken: AtomicBool::new(false),
            sent: Mutex::default(),
        })
    }

    fn sender(self: &Arc<Self>) -> CommandSender {
        let runtime = &self.runtime.runtime;
        let downlink: Arc<dyn Downlink> = Arc::<Self>::clone(self);
        CommandSender::new(runtime.desk.clone(), runtime.clock.clone(), downlink)
    }

    fn ids(&self) -> Vec<String> {
        let id = |(message, _): &(Value, Vec<String>)| message["id"].as_str().unwrap().to_owned();
        self.sent.lock().unwrap().iter().map(id).collect()
    }
}

fn answer() -> CommandCommand {
    CommandCommand::Acknowledge { imei: IMEI.to_owned(), code: 0 }
}

#[tokio::test]
async fn a_command_is_recorded_as_sent_before_it_leaves() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    let asked = runtime.unlock(1).await;
    street.sender().react(&asked).await.unwrap();
    let sent = street.sent.lock().unwrap().clone();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].1, ["requested", "sent"], "what the log said when it left");
    let now = runtime.clock.now();
    assert_eq!(sent[0].0["at"], now.millis());
    assert_eq!(sent[0].0["expires_at"], now.plus_millis(TIMEOUT_MS).millis(), "whoever keeps it that long");
}

#[tokio::test]
async fn a_clock_that_was_ahead_when_it_was_asked_makes_a_message_good_for_no_longer() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    runtime.clock.advance(60_000);
    let asked = runtime.unlock(1).await;
    runtime.clock.advance(-60_000);
    street.sender().react(&asked).await.unwrap();
    let message = street.sent.lock().unwrap()[0].0.clone();
    let now = runtime.clock.now();
    assert_eq!(message["expires_at"], now.plus_millis(TIMEOUT_MS).millis());
}

#[tokio::test]
async fn a_crash_between_the_record_and_the_sending_sends_it_again_under_one_id() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    let asked = runtime.unlock(1).await;
    street.broken.store(true, Ordering::SeqCst);
    assert!(matches!(street.sender().react(&asked).await, Err(ReactError::Later(_))));
    street.broken.store(false, Ordering::SeqCst);
    // Whoever leads next answers the event again, and so does one that does not know yet that it leads no more.
    street.sender().react(&asked).await.unwrap();
    street.sender().react(&asked).await.unwrap();
    assert_eq!(street.ids(), ["1", "1"], "a device acts on one id once");
    assert_eq!(runtime.story(1).await, ["requested", "sent"], "it is recorded once");

    // Once it was answered nothing more leaves, whoever still believes that it leads.
    runtime.tell(1, answer(), runtime.clock.now()).await;
    street.sender().react(&asked).await.unwrap();
    assert_eq!(street.ids().len(), 2);
}

#[tokio::test]
async fn what_timed_out_in_the_log_does_not_leave_whatever_this_clock_says() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    let asked = runtime.unlock(1).await;
    // Another node, whose clock is ahead, has given up on it and told its asker so.
    runtime.tell(1, CommandCommand::TimeOut, runtime.clock.now().plus_millis(TIMEOUT_MS)).await;
    street.sender().react(&asked).await.unwrap();
    assert_eq!(street.ids(), Vec::<String>::new());
    assert_eq!(runtime.story(1).await, ["requested", "timed-out"]);
}

#[tokio::test]
async fn what_was_recorded_but_did_not_leave_in_time_never_leaves() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    let asked = runtime.unlock(1).await;
    street.broken.store(true, Ordering::SeqCst);
    assert!(matches!(street.sender().react(&asked).await, Err(ReactError::Later(_))));
    runtime.clock.advance(TIMEOUT_MS);
    street.broken.store(false, Ordering::SeqCst);
    street.sender().react(&asked).await.unwrap();
    assert_eq!(
        street.ids(),
        Vec::<String>::new(),
        "no bike obeys after its asker was told that it timed out"
    );
}

#[tokio::test]
async fn a_command_that_waits_leaves_when_its_leaving_is_recorded_and_not_before() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    let asked = runtime.ask(1, CommandKind::Lock, Some(60)).await;
    street.sender().react(&asked).await.unwrap();
    assert_eq!(street.ids(), Vec::<String>::new(), "its bike is away");
    runtime.clock.advance(30 * 60_000);
    runtime.tell(1, CommandCommand::Send, runtime.clock.now()).await;
    let sent = runtime.events_of(1).await.remove(1);
    // The way is broken when its bike is back: it leaves while its time runs.
    street.broken.store(true, Ordering::SeqCst);
    assert!(matches!(street.sender().react(&sent).await, Err(ReactError::Later(_))));
    street.broken.store(false, Ordering::SeqCst);
    runtime.clock.advance(TIMEOUT_MS - 1);
    street.sender().react(&sent).await.unwrap();
    runtime.clock.advance(1);
    street.sender().react(&sent).await.unwrap();
    assert_eq!(street.ids(), ["1"], "not after it");
    // One that left with its request does not leave twice.
    let asked = runtime.unlock(2).await;
    street.sender().react(&asked).await.unwrap();
    street.sender().react(&runtime.events_of(2).await.remove(1)).await.unwrap();
    assert_eq!(street.ids(), ["1", "2"]);
}

#[tokio::test]
async fn a_reactor_that_catches_up_after_an_outage_sends_only_what_is_fresh() {
    let runtime = Arc::new(TestRuntime::new().await);
    let street = Street::open(&runtime);
    runtime.unlock(1).await;
    runtime.clock.advance(TIMEOUT_MS - 1);
    runtime.unlock(2).await;
    runtime.clock.advance(1);
    runtime.unlock(3).await;
    let reactors = Reactors::new(runtime.runtime.clone(), vec![Arc::new(street.sender())]);
    let running = tokio::spawn(async move { reactors.run().await });
    let caught_up = async {
        while street.ids().last().is_none_or(|id| id != "3") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), caught_up).await.expect("the reactor catches up");
    running.abort();
    assert_eq!(street.ids(), ["2", "3"]);
    assert_eq!(runtime.story(1).await, ["requested"], "left to the sweeper");
}
