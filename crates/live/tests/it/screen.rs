//! A browser: the websocket, and what its map would hold.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// One record as the map keeps it, by slot.
pub type Bikes = BTreeMap<u32, [u8; 12]>;

pub struct Screen {
    pub socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub bikes: Bikes,
    pub clusters: BTreeMap<i64, Vec<u8>>,
    pub seq: u32,
    pub kinds: Vec<u8>,
    pub texts: Vec<Value>,
    pub closed: Option<u16>,
}

impl Screen {
    pub async fn open(url: &str) -> Self {
        let (socket, _) = connect_async(url).await.expect("the server answers");
        Self {
            socket,
            bikes: Bikes::new(),
            clusters: BTreeMap::new(),
            seq: 0,
            kinds: Vec::new(),
            texts: Vec::new(),
            closed: None,
        }
    }

    pub async fn signed_in(url: &str, token: &str) -> Self {
        let mut screen = Self::open(url).await;
        screen.say(&json!({"op": "auth", "token": token, "t": "t"})).await;
        screen.until(|screen| screen.texts.iter().any(|text| text["op"] == "ready")).await;
        screen
    }

    pub async fn say(&mut self, value: &Value) {
        self.socket.send(Message::text(value.to_string())).await.expect("the socket takes a frame");
    }

    /// The name of the process that it is connected to.
    pub fn instance(&self) -> &str {
        self.said("ready").expect("it is ready")["instance"].as_str().expect("ready says who it is")
    }

    /// Watches `bbox` from where it was left.
    pub async fn resume(&mut self, bbox: [f64; 4], since: u32, instance: &str) {
        let watch = json!({"op": "watch", "topic": "fleet", "bbox": bbox, "zoom": 14, "since": since,
            "instance": instance});
        self.say(&watch).await;
    }

    /// Takes frames until `done`, or panics after five seconds.
    pub async fn until(&mut self, done: impl Fn(&Self) -> bool) {
        let wait = async {
            while !done(self) {
                assert!(self.closed.is_none(), "closed with {:?} after {:?}", self.closed, self.texts);
                self.take_one().await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(30), wait).await.is_ok();
        assert!(
            in_time,
            "waited too long; texts {:?}, bikes {}, seq {}",
            self.texts,
            self.bikes.len(),
            self.seq
        );
    }

    /// Takes what comes until the server closes; the close code.
    pub async fn until_closed(&mut self) -> u16 {
        let wait = async {
            while self.closed.is_none() {
                self.take_one().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), wait).await.expect("the server closes");
        self.closed.expect("closed")
    }

    /// Takes everything that comes within `wait`.
    pub async fn drain(&mut self, wait: Duration) {
        let all = async {
            while self.closed.is_none() {
                self.take_one().await;
            }
        };
        let _ = tokio::time::timeout(wait, all).await;
    }

    async fn take_one(&mut self) {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => self.texts.push(serde_json::from_str(&text).expect("JSON")),
            Some(Ok(Message::Binary(buffer))) => self.apply(&buffer),
            Some(Ok(Message::Close(frame))) => {
                self.closed = Some(frame.map_or(1005, |frame| frame.code.into()));
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => self.closed = Some(self.closed.unwrap_or(1006)),
        }
    }

    fn apply(&mut self, buffer: &[u8]) {
        assert_eq!(buffer[0], 0xFB);
        let count = usize::from(u16::from_le_bytes([buffer[2], buffer[3]]));
        self.seq = u32::from_le_bytes(buffer[4..8].try_into().unwrap());
        self.kinds.push(buffer[1]);
        match buffer[1] {
            1 | 3 => {
                assert_eq!(buffer.len(), 16 + count * 16);
                for record in buffer[16..].chunks_exact(16) {
                    let slot = u32::from_le_bytes(record[..4].try_into().unwrap());
                    if record[13] & 0x40 == 0 {
                        self.bikes.insert(slot, record[4..].try_into().unwrap());
                    } else {
                        self.bikes.remove(&slot);
                    }
                }
            }
            2 => {
                self.bikes.clear();
                self.clusters.clear();
            }
            4 => {}
            5 => {
                assert_eq!(buffer.len(), 24 + count * 32);
                let area = i64::from_le_bytes(buffer[16..24].try_into().unwrap());
                self.clusters.insert(area, buffer[24..].to_vec());
            }
            kind => panic!("kind {kind}"),
        }
    }

    /// Whether it shows `count` bikes, all of them charged to `soc`.
    pub fn holds(&self, count: usize, soc: u8) -> bool {
        self.bikes.len() == count && self.bikes.values().all(|bike| bike[8] == soc)
    }

    pub fn clustered(&self) -> usize {
        let totals = self.clusters.values().flat_map(|body| body.chunks_exact(32));
        totals.map(|cluster| usize::from(u16::from_le_bytes([cluster[8], cluster[9]]))).sum()
    }

    pub fn said(&self, op: &str) -> Option<&Value> {
        self.texts.iter().rev().find(|text| text["op"] == op)
    }

    pub fn data(&self, topic: &str) -> Option<&Value> {
        self.texts.iter().rev().find(|text| text["topic"] == topic && text["op"].is_null())
    }
}
