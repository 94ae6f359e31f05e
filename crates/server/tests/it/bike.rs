//! A bike: MQTT, by `docs/device-protocol.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS, SubscribeReasonCode};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use vocabulary::{Clock, SystemClock};

use crate::client::Machine;
use crate::stack::{Stack, eventually};

const PATIENCE: Duration = Duration::from_mins(1);
/// So many messages wait for the line; whoever says more waits himself.
const QUEUE: usize = 1000;

/// A connection that makes itself again when it breaks.
pub struct Bike {
    client: AsyncClient,
    /// Commands: topic and content.
    pub down: mpsc::Receiver<(String, Value)>,
    listening: JoinHandle<()>,
    last_at: AtomicI64,
    connects: Arc<AtomicUsize>,
}

impl Drop for Bike {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// How the broker took a newcomer.
type Taken = Result<bool, String>;

async fn listen(
    client: AsyncClient,
    mut events: rumqttc::EventLoop,
    subscribe: String,
    connects: Arc<AtomicUsize>,
    taken: oneshot::Sender<Taken>,
    down: mpsc::Sender<(String, Value)>,
) {
    let mut taken = Some(taken);
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                connects.fetch_add(1, Ordering::Relaxed);
                // Of its own: behind a thousand reports that wait for this very line it would wait for ever.
                let (client, subscribe) = (client.clone(), subscribe.clone());
                tokio::spawn(async move { client.subscribe(subscribe, QoS::AtMostOnce).await });
            }
            Ok(Event::Incoming(Packet::SubAck(answer))) => {
                let granted =
                    answer.return_codes.iter().all(|code| !matches!(code, SubscribeReasonCode::Failure));
                if let Some(taken) = taken.take() {
                    let _ = taken.send(Ok(granted));
                }
            }
            Ok(Event::Incoming(Packet::Publish(message))) => {
                let content = serde_json::from_slice(&message.payload).unwrap_or(Value::Null);
                if down.send((message.topic, content)).await.is_err() {
                    return;
                }
            }
            Ok(_) => {}
            Err(error) => {
                // Who was refused at the edge does not try again; who was cut off does.
                if let Some(taken) = taken.take() {
                    let _ = taken.send(Err(error.to_string()));
                    return;
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

impl Bike {
    /// Connects under its own name and subscribes. `Err`: refused at the edge. The flag: whether the subscription was
    /// granted.
    pub async fn try_connect(
        address: &str,
        login: Option<(&str, &str)>,
        subscribe: &str,
    ) -> Result<(Self, bool), String> {
        Self::try_connect_as(address, login, login.map_or("nobody", |(user, _)| user), subscribe).await
    }

    /// The same with a client id of its own choice.
    pub async fn try_connect_as(
        address: &str,
        login: Option<(&str, &str)>,
        client_id: &str,
        subscribe: &str,
    ) -> Result<(Self, bool), String> {
        let (host, port) = address.rsplit_once(':').expect("host:port");
        let mut options = MqttOptions::new(client_id, host, port.parse::<u16>().expect("a port"));
        options.set_keep_alive(Duration::from_secs(5)).set_clean_session(true);
        if let Some((user, password)) = login {
            options.set_credentials(user, password);
        }
        let (client, events) = AsyncClient::new(options, QUEUE);
        let (told, taken) = oneshot::channel();
        let (down, heard) = mpsc::channel(100);
        let connects = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connects);
        let listening =
            tokio::spawn(listen(client.clone(), events, subscribe.to_owned(), counted, told, down));
        let bike = Self { client, down: heard, listening, last_at: AtomicI64::new(0), connects };
        let granted = tokio::time::timeout(PATIENCE, taken)
            .await
            .map_err(|_| "no answer".to_owned())?
            .map_err(|_| "cut off".to_owned())??;
        Ok((bike, granted))
    }

    /// A device with its own credential.
    pub async fn connect(address: &str, imei: &str, secret: &str) -> Self {
        let topic = format!("ebike/{imei}/down");
        let (bike, granted) =
            Self::try_connect(address, Some((imei, secret)), &topic).await.expect("the bike is let in");
        assert!(granted, "a bike may hear its own commands");
        bike
    }

    /// How often it was let in: more than once, and it was thrown off in between.
    pub fn connects(&self) -> usize {
        self.connects.load(Ordering::Relaxed)
    }

    pub async fn publish(&self, topic: &str, content: &Value) {
        let bytes = content.to_string();
        self.client.publish(topic, QoS::AtLeastOnce, false, bytes).await.expect("the queue has room");
    }

    /// A report of a standing bike with a fix.
    pub async fn report(&self, imei: &str, lat: f64, lng: f64, soc: u8, locked: bool) {
        let now = SystemClock.now().millis();
        let at = self.last_at.fetch_max(now, Ordering::Relaxed).max(now);
        let mut flags = vec!["battery_present", "position_valid"];
        if locked {
            flags.push("locked");
        }
        let report = json!({"at": at, "lat": lat, "lng": lng, "hdop": 0.9, "satellites": 11, "speed": 0,
            "heading": 90, "soc": soc, "gsm": 22, "voltage_mv": 52_100, "flags": flags});
        self.publish(&format!("ebike/{imei}/up"), &report).await;
    }

    pub async fn answer(&self, imei: &str, command: &str, code: i32) {
        let content = json!({"id": command, "code": code, "at": SystemClock.now().millis()});
        self.publish(&format!("ebike/{imei}/ack"), &content).await;
    }

    /// The next command.
    pub async fn next_command(&mut self) -> (String, Value) {
        tokio::time::timeout(PATIENCE, self.down.recv()).await.expect("in time").expect("a command")
    }
}

/// Whoever says more than its queue holds while the broker is away waits, and goes on when it is back.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_does_not_keep_a_bike_from_coming_back() {
    let stack = Stack::start().await;
    let node = stack.node(None);
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let credential = machine.insist("/open/v1/gateways", &json!({"name": "talker"}), "talker").await.data();
    let login = (credential["user"].as_str().unwrap(), credential["secret"].as_str().unwrap());
    let (gateway, _) =
        Bike::try_connect(&stack.nats.mqtt_addr(), Some(login), "ebike/+/down").await.expect("a gateway");

    stack.nats.kill9().await;
    let said = AtomicUsize::new(0);
    let talking = async {
        for _ in 0..2 * QUEUE {
            gateway.publish("ebike/861234567890123/up", &json!({})).await;
            said.fetch_add(1, Ordering::Relaxed);
        }
    };
    let coming_back = async {
        eventually("the queue is full", PATIENCE, async || {
            (said.load(Ordering::Relaxed) >= QUEUE).then_some(())
        })
        .await;
        stack.nats.restart().await;
    };
    let all = async { tokio::join!(talking, coming_back) };
    tokio::time::timeout(PATIENCE, all).await.expect("it says the rest");
    assert_eq!(said.into_inner(), 2 * QUEUE);
}
