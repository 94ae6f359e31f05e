//! A browser's websocket, and what its map would hold; by `docs/push.md`.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::Browser;

const PATIENCE: Duration = Duration::from_mins(1);
/// More than any test looks at.
const MAX_TEXTS: usize = 10_000;

/// One bike on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    pub lat_e6: i32,
    pub lng_e6: i32,
    pub soc: u8,
    pub state: u8,
}

pub struct Screen {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub bikes: BTreeMap<u32, Seen>,
    pub texts: Vec<Value>,
    /// Snapshots that began.
    pub begun: usize,
    /// Snapshots that are whole.
    pub snapshots: usize,
    /// The tick of the newest frame of the fleet.
    pub seq: u64,
    pub closed: Option<u16>,
}

impl Screen {
    /// Opens the socket and authenticates as `browser`.
    pub async fn open(browser: &Browser) -> Self {
        let mut screen = Self::connect(&browser.url).await;
        let token = browser.token.as_deref().unwrap_or_default();
        screen.say(&json!({"op": "auth", "token": token, "t": browser.session.t.0})).await;
        screen.until("ready", |screen| screen.said("ready").is_some()).await;
        screen
    }

    /// A socket that said nothing yet.
    pub async fn connect(url: &str) -> Self {
        let address = format!("{}{}/ws", url.replace("http://", "ws://"), wire::BASE);
        let (socket, _) = connect_async(address).await.expect("the server answers");
        Self {
            socket,
            bikes: BTreeMap::new(),
            texts: Vec::new(),
            begun: 0,
            snapshots: 0,
            seq: 0,
            closed: None,
        }
    }

    pub async fn say(&mut self, value: &Value) {
        self.socket.send(Message::text(value.to_string())).await.expect("the socket takes a frame");
    }

    /// Watches the fleet around a place and waits for the snapshot.
    pub async fn look_at(&mut self, lat: f64, lng: f64) {
        self.move_to(lat, lng).await;
        self.until("a snapshot", |screen| screen.snapshots > 0).await;
    }

    /// Watches the fleet around a place from where it was left at a process.
    pub async fn resume(&mut self, lat: f64, lng: f64, since: u64, instance: &str) {
        let bbox = [lng - 0.02, lat - 0.02, lng + 0.02, lat + 0.02];
        let watch = json!({"op": "watch", "topic": "fleet", "bbox": bbox, "zoom": 15, "since": since,
            "instance": instance});
        self.say(&watch).await;
    }

    /// The name of the process that it is connected to.
    pub fn instance(&self) -> String {
        self.said("ready").expect("it is ready")["instance"].as_str().expect("a name").to_owned()
    }

    /// The tick from which its newest watch goes on.
    pub fn tick(&self) -> u64 {
        self.said("watching").expect("it watches")["seq"].as_u64().expect("a tick")
    }

    /// Moves the view to a place; what is new there comes as changes.
    pub async fn move_to(&mut self, lat: f64, lng: f64) {
        let bbox = [lng - 0.02, lat - 0.02, lng + 0.02, lat + 0.02];
        self.say(&json!({"op": "watch", "topic": "fleet", "bbox": bbox, "zoom": 15})).await;
    }

    pub async fn watch(&mut self, topic: &str) {
        self.say(&json!({"op": "watch", "topic": topic})).await;
    }

    /// Takes frames until `done`.
    pub async fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let wait = async {
            while !done(self) {
                assert!(self.closed.is_none(), "{what}: closed with {:?}: {:?}", self.closed, self.last());
                self.take_one().await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, wait).await.is_ok();
        assert!(in_time, "waited too long for {what}; {} bikes; {:?}", self.bikes.len(), self.last());
    }

    /// Takes what comes until the server closes; the close code, 1006 when it just went.
    pub async fn until_closed(&mut self) -> u16 {
        let wait = async {
            while self.closed.is_none() {
                self.take_one().await;
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.expect("the server closes");
        self.closed.expect("closed")
    }

    pub async fn take_one(&mut self) {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => {
                assert!(self.texts.len() < MAX_TEXTS, "more frames than any test needs");
                let text: Value = serde_json::from_str(&text).expect("JSON");
                if text["topic"] == "fleet" {
                    self.seq = text["seq"].as_u64().unwrap_or(self.seq);
                }
                self.texts.push(text);
            }
            Some(Ok(Message::Binary(buffer))) => self.apply(&buffer),
            Some(Ok(Message::Close(frame))) => {
                self.closed = Some(frame.map_or(1005, |frame| frame.code.into()));
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => self.closed = Some(self.closed.unwrap_or(1006)),
        }
    }

    fn apply(&mut self, buffer: &[u8]) {
        assert_eq!(buffer[0], 0xFB, "a fleet buffer");
        self.seq = u32::from_le_bytes([buffer[4], buffer[5], buffer[6], buffer[7]]).into();
        match buffer[1] {
            1 | 3 => {
                let count = usize::from(u16::from_le_bytes([buffer[2], buffer[3]]));
                assert_eq!(buffer.len(), 16 + count * 16);
                for record in buffer[16..].chunks_exact(16) {
                    let number = |at: usize| i32::from_le_bytes(record[at..at + 4].try_into().unwrap());
                    let slot = number(0).cast_unsigned();
                    if record[13] & 0x40 != 0 {
                        self.bikes.remove(&slot);
                        continue;
                    }
                    let seen =
                        Seen { lat_e6: number(4), lng_e6: number(8), soc: record[12], state: record[13] };
                    self.bikes.insert(slot, seen);
                }
            }
            2 => {
                self.begun += 1;
                self.bikes.clear();
            }
            4 => self.snapshots += 1,
            kind => panic!("kind {kind} at this zoom"),
        }
    }

    fn last(&self) -> &[Value] {
        &self.texts[self.texts.len().saturating_sub(5)..]
    }

    pub fn said(&self, op: &str) -> Option<&Value> {
        self.texts.iter().rev().find(|text| text["op"] == op)
    }

    pub fn data(&self, topic: &str) -> Option<&Value> {
        let found = self.texts.iter().rev().find(|text| text["topic"] == topic && text["op"].is_null());
        found.map(|text| &text["data"])
    }

    /// Which bike is in a slot; nothing when this viewer may not know.
    pub async fn who(&mut self, slot: u32) -> Option<String> {
        self.say(&json!({"op": "who", "slot": slot, "n": slot})).await;
        let asked = |text: &Value| text["op"] == "who" && text["slot"] == slot;
        self.until("who", |screen| screen.texts.iter().any(asked)).await;
        let answer = self.texts.iter().rev().find(|text| asked(text)).expect("just seen");
        answer["carId"].as_str().map(str::to_owned)
    }
}
