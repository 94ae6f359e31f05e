//! One MQTT connection with a bounded queue before it: what does not fit pushes out the oldest, counted.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::{AsyncClient, ConnectReturnCode, Event, MqttOptions, Packet, QoS};
use serde_json::json;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use crate::device::Command;

/// Messages that wait before a connection.
pub const QUEUE: usize = 20_000;
/// Messages handed to the MQTT client ahead of the socket.
const CLIENT_QUEUE: usize = 256;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Bytes: fences come in messages of up to 64 kB.
const LONGEST_MESSAGE: usize = 65_536;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How to reach the broker, and as whom.
#[derive(Clone)]
pub struct Login {
    /// Host name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Distinct for every connection: the IMEI, or the gateway's user name, `:` and what tells its connections apart.
    pub client_id: String,
    /// IMEI or `gateway:<name>`.
    pub user: String,
    /// The credential that registration handed out.
    pub password: String,
    /// `ebike/<imei>/down` or `ebike/+/down`.
    pub subscribe: String,
}

/// What all connections count together.
#[derive(Debug, Default)]
pub struct Counters {
    /// Messages handed to a socket.
    pub sent: AtomicU64,
    /// Messages pushed out of a full queue.
    pub dropped: AtomicU64,
    /// Times a connection was made.
    pub connects: AtomicU64,
    /// Times a connection broke or could not be made.
    pub breaks: AtomicU64,
    /// Commands heard for bikes that the connection carries.
    pub commands: AtomicU64,
    /// Commands that could not be read or found no room.
    pub commands_lost: AtomicU64,
    /// Connections that stand now.
    pub standing: AtomicU64,
}

struct Waiting {
    queue: Mutex<VecDeque<(String, Vec<u8>)>>,
    more: Notify,
}

/// A connection that makes itself again when it breaks.
pub struct Connection {
    waiting: Arc<Waiting>,
    counters: Arc<Counters>,
    /// Times that it stood.
    stood: Arc<AtomicU64>,
    tasks: [JoinHandle<()>; 2],
}

impl Connection {
    /// Starts connecting. Commands for the IMEIs it carries go to `commands`; those for others' bikes, which every
    /// connection of a gateway hears too, are left to their owner.
    pub fn open(
        login: Login,
        carries: HashSet<String>,
        counters: Arc<Counters>,
        commands: mpsc::Sender<(String, Command)>,
    ) -> Self {
        let mut options = MqttOptions::new(login.client_id.clone(), login.host.clone(), login.port);
        options
            .set_credentials(login.user.clone(), login.password.clone())
            .set_keep_alive(Duration::from_secs(30))
            .set_clean_session(true)
            .set_max_packet_size(LONGEST_MESSAGE, LONGEST_MESSAGE);
        let (client, events) = AsyncClient::new(options, CLIENT_QUEUE);
        let waiting = Arc::new(Waiting { queue: Mutex::default(), more: Notify::new() });
        let pump = tokio::spawn(pump(client.clone(), Arc::clone(&waiting), Arc::clone(&counters)));
        let stood = Arc::new(AtomicU64::new(0));
        let known = Known { counters: Arc::clone(&counters), stood: Arc::clone(&stood) };
        let listen = tokio::spawn(listen(client, events, login, carries, known, commands));
        Self { waiting, counters, stood, tasks: [pump, listen] }
    }

    /// How many times it stood: its devices say what they are each time.
    pub fn stood(&self) -> u64 {
        self.stood.load(Ordering::Relaxed)
    }

    /// Queues a message; the oldest goes when there is no room.
    pub fn send(&self, topic: String, payload: Vec<u8>) {
        let mut queue = self.waiting.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= QUEUE {
            queue.pop_front();
            self.counters.dropped.fetch_add(1, Ordering::Relaxed);
        }
        queue.push_back((topic, payload));
        drop(queue);
        self.waiting.more.notify_one();
    }

    /// Messages that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.queue.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn pump(client: AsyncClient, waiting: Arc<Waiting>, counters: Arc<Counters>) {
    loop {
        let next = waiting.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match next {
            // While the connection is broken the client's own queue fills and this waits: ours then holds the rest.
            Some((topic, payload)) => {
                if client.publish(topic, QoS::AtMostOnce, false, payload).await.is_err() {
                    return;
                }
                counters.sent.fetch_add(1, Ordering::Relaxed);
            }
            None => waiting.more.notified().await,
        }
    }
}

/// What a connection tells of itself.
struct Known {
    counters: Arc<Counters>,
    stood: Arc<AtomicU64>,
}

async fn listen(
    client: AsyncClient,
    mut events: rumqttc::EventLoop,
    login: Login,
    carries: HashSet<String>,
    Known { counters, stood }: Known,
    commands: mpsc::Sender<(String, Command)>,
) {
    let mut pause = FIRST_PAUSE;
    let mut standing = false;
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(ack))) if ack.code == ConnectReturnCode::Success => {
                pause = FIRST_PAUSE;
                standing = true;
                counters.connects.fetch_add(1, Ordering::Relaxed);
                counters.standing.fetch_add(1, Ordering::Relaxed);
                stood.fetch_add(1, Ordering::Relaxed);
                // Not awaited here: the queue behind `subscribe` may be full, and only this loop empties it.
                let (client, topic) = (client.clone(), login.subscribe.clone());
                tokio::spawn(async move { client.subscribe(topic, QoS::AtMostOnce).await });
            }
            Ok(Event::Incoming(Packet::Publish(message))) => {
                let Some(imei) = imei_of(&message.topic).filter(|imei| carries.contains(*imei)) else {
                    continue;
                };
                counters.commands.fetch_add(1, Ordering::Relaxed);
                let command = serde_json::from_slice::<Command>(&message.payload).ok();
                if command.is_none_or(|command| commands.try_send((imei.to_owned(), command)).is_err()) {
                    counters.commands_lost.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(_) => {}
            Err(error) => {
                if std::mem::take(&mut standing) {
                    counters.standing.fetch_sub(1, Ordering::Relaxed);
                }
                if counters.breaks.fetch_add(1, Ordering::Relaxed) < 5 {
                    eprintln!("MQTT {}：{error}，{:.1} 秒后重连", login.client_id, pause.as_secs_f64());
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// The IMEI in `ebike/<imei>/down`.
pub fn imei_of(topic: &str) -> Option<&str> {
    topic.strip_prefix("ebike/")?.strip_suffix("/down")
}

/// The payload of an acknowledgement.
pub fn acknowledgement(id: &str, code: i32, at_ms: i64) -> Vec<u8> {
    json!({ "id": id, "code": code, "at": at_ms }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_imei_is_read_from_the_topic_of_a_command_only() {
        assert_eq!(imei_of("ebike/861234567890123/down"), Some("861234567890123"));
        assert_eq!(imei_of("ebike/861234567890123/up"), None);
    }

    #[tokio::test]
    async fn a_full_queue_loses_its_oldest_and_counts_it() {
        let counters = Arc::new(Counters::default());
        let (commands, _heard) = mpsc::channel(1);
        // Nobody listens at this port; the queue only fills.
        let login = Login {
            host: "127.0.0.1".into(),
            port: 9,
            client_id: "t".into(),
            user: "u".into(),
            password: "p".into(),
            subscribe: "ebike/+/down".into(),
        };
        let connection = Connection::open(login, HashSet::new(), Arc::clone(&counters), commands);
        for i in 0..QUEUE + 10 {
            connection.send("t".into(), i.to_le_bytes().to_vec());
        }
        assert_eq!((connection.waiting(), counters.dropped.load(Ordering::Relaxed)), (QUEUE, 10));
        let first = connection.waiting.queue.lock().unwrap().front().cloned();
        assert_eq!(first.map(|(_, payload)| payload), Some(10_usize.to_le_bytes().to_vec()));
    }
}
