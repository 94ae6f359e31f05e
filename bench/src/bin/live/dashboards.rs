//! Dashboards: websockets that look at the map and know when each report they see was sent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::{SinkExt, StreamExt};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::bikes::{self, MOST_BIKES, PlaceE6, TURN, bike_at};
use crate::gateways::Load;
use crate::sign_in::Session;
use crate::views::{self, View};

const HEADER_BYTES: usize = 16;
const RECORD_BYTES: usize = 16;
const GONE: u8 = 0x40;
/// The kind of buffer that ends a picture.
const SNAPSHOT_END: u8 = 4;
/// Not seen yet.
const NEVER: u8 = 255;

/// What a dashboard saw since it was last asked.
pub struct Tally {
    /// Microseconds from publish to frame.
    pub latency_us: Histogram<u64>,
    /// Updates.
    pub updates: u64,
    /// Buffers of changes.
    pub frames: u64,
    /// Bytes of them, headers included.
    pub frame_bytes: u64,
    /// Updates that were never shown, because a later one of the same bike was.
    pub skipped: u64,
    /// Records that told nothing new.
    pub repeated: u64,
    /// Records whose sending time is not known: older than 80 s, or not ours.
    pub unknown: u64,
    /// By bike: seen since.
    seen: Vec<bool>,
}

impl Tally {
    fn new() -> Self {
        Self {
            latency_us: Histogram::new_with_bounds(1, 120_000_000, 3).expect("the bounds are in order"),
            updates: 0,
            frames: 0,
            frame_bytes: 0,
            skipped: 0,
            repeated: 0,
            unknown: 0,
            seen: vec![false; MOST_BIKES as usize],
        }
    }

    /// How many of `bikes` were not seen.
    pub fn missing(&self, bikes: &[u32]) -> u64 {
        bikes.iter().filter(|bike| !self.seen[**bike as usize]).count() as u64
    }

    /// Adds up.
    pub fn add(&mut self, other: &Self) {
        self.latency_us.add(&other.latency_us).expect("the bounds are the same");
        self.updates += other.updates;
        self.frames += other.frames;
        self.frame_bytes += other.frame_bytes;
        self.skipped += other.skipped;
        self.repeated += other.repeated;
        self.unknown += other.unknown;
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

/// Judges buffers.
struct Reader {
    /// By bike: the notch last seen.
    notches: Vec<u8>,
}

impl Reader {
    fn new() -> Self {
        Self { notches: vec![NEVER; MOST_BIKES as usize] }
    }

    /// Takes a buffer in that arrived at `now_us`.
    fn take(&mut self, buffer: &[u8], now_us: u64, load: &Load, tally: &mut Tally) -> Result<()> {
        ensure!(buffer.len() >= HEADER_BYTES && buffer[0] == 0xFB, "that is no fleet buffer");
        let count = usize::from(u16::from_le_bytes([buffer[2], buffer[3]]));
        let kind = buffer[1];
        if !matches!(kind, 1 | 3) {
            return Ok(());
        }
        ensure!(buffer.len() == HEADER_BYTES + count * RECORD_BYTES, "a buffer's length is wrong");
        let counted = kind == 1;
        if counted {
            tally.frames += 1;
            tally.frame_bytes += buffer.len() as u64;
        }
        for record in buffer[HEADER_BYTES..].chunks_exact(RECORD_BYTES) {
            let number =
                |at: usize| i32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
            let place = PlaceE6 { lat_e6: number(4), lng_e6: number(8) };
            let bike = bike_at(place, record[12]).context("a bike that is none of ours")?;
            let (state, notch) = (record[13], record[15]);
            let last = &mut self.notches[bike as usize];
            if state & GONE != 0 {
                *last = NEVER;
                continue;
            }
            let before = std::mem::replace(last, notch);
            if !counted {
                continue;
            }
            if before == notch {
                tally.repeated += 1;
                continue;
            }
            let Some(sent_us) = load.sent.sent_us(bike, notch) else {
                tally.unknown += 1;
                continue;
            };
            if before != NEVER {
                let steps = (u32::from(notch) + TURN - u32::from(before)) % TURN;
                tally.skipped += u64::from(steps - 1);
            }
            tally.updates += 1;
            tally.seen[bike as usize] = true;
            tally.latency_us.saturating_record(now_us.saturating_sub(sent_us).max(1));
        }
        Ok(())
    }
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// An open dashboard; dropping it ends its task.
pub struct Dashboard {
    pub view: View,
    tally: Arc<Mutex<Tally>>,
    task: JoinHandle<()>,
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn hear(socket: &mut Socket, wanted: &str) -> Result<()> {
    loop {
        let frame =
            tokio::time::timeout(Duration::from_secs(15), socket.next()).await?.context("closed")??;
        let Message::Text(text) = frame else { continue };
        let value: Value = serde_json::from_str(&text)?;
        match value["op"].as_str() {
            Some(op) if op == wanted => return Ok(()),
            Some("bye" | "error") => bail!("{value}"),
            _ => {}
        }
    }
}

/// A socket that is signed in and watches a view.
async fn watching(port: u16, session: &Session, view: &View) -> Result<Socket> {
    let (mut socket, _) = connect_async(format!("ws://127.0.0.1:{port}{}/ws", wire::BASE)).await?;
    let auth = json!({ "op": "auth", "token": session.token, "t": session.t });
    socket.send(Message::text(auth.to_string())).await?;
    hear(&mut socket, "ready").await?;
    let watch = json!({ "op": "watch", "topic": "fleet", "bbox": view.bbox, "zoom": view.zoom });
    socket.send(Message::text(watch.to_string())).await?;
    hear(&mut socket, "watching").await?;
    Ok(socket)
}

/// One that watches the whole city and reads nothing of what it is sent.
pub struct Deaf(#[expect(dead_code, reason = "held open")] Socket);

impl Deaf {
    /// Connects and stops reading.
    pub async fn open(port: u16, session: &Session) -> Result<Self> {
        Ok(Self(watching(port, session, &View { zoom: 12, bbox: bikes::city_box() }).await?))
    }
}

/// One that only has to see its view whole.
pub struct Guest(Socket);

impl Guest {
    /// Connects as number `number` and waits for the end of its first picture.
    pub async fn open(port: u16, session: &Session, number: u32) -> Result<Self> {
        let mut socket = watching(port, session, &views::view(number)).await?;
        let whole = async {
            loop {
                match socket.next().await.context("closed")?? {
                    Message::Binary(buffer) if buffer.get(1) == Some(&SNAPSHOT_END) => return anyhow::Ok(()),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), whole).await.context("no picture in a minute")??;
        Ok(Self(socket))
    }

    /// Goes without a word, as a line does that breaks.
    pub fn vanish(self) {
        drop(self.0);
    }
}

impl Dashboard {
    /// Connects, signs in and watches view number `number`.
    pub async fn open(port: u16, session: &Session, number: u32, load: Arc<Load>) -> Result<Self> {
        let view = views::view(number);
        let socket = watching(port, session, &view).await?;
        let tally = Arc::new(Mutex::new(Tally::new()));
        let task = tokio::spawn(look(socket, load, Arc::clone(&tally)));
        Ok(Self { view, tally, task })
    }

    /// What it saw since it was last asked.
    pub fn take(&self) -> Tally {
        std::mem::take(&mut *self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether it still looks.
    pub fn is_open(&self) -> bool {
        !self.task.is_finished()
    }
}

async fn look(mut socket: Socket, load: Arc<Load>, tally: Arc<Mutex<Tally>>) {
    let mut reader = Reader::new();
    while let Some(frame) = socket.next().await {
        match frame {
            Ok(Message::Binary(buffer)) => {
                let now_us = load.now_us();
                let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = reader.take(&buffer, now_us, &load, &mut tally) {
                    eprintln!("A dashboard gives up: {error}");
                    return;
                }
            }
            Ok(_) => {}
            Err(error) => {
                eprintln!("A dashboard's socket broke: {error}");
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use tokio::time::Instant;

    use super::*;
    use crate::bikes::SentTimes;

    fn load() -> Load {
        Load {
            began: Instant::now(),
            sent: SentTimes::new(100),
            reports: AtomicU64::new(0),
            late: AtomicU64::new(0),
            broken: AtomicU64::new(0),
        }
    }

    fn buffer(kind: u8, bikes: &[(u32, u32, u8)]) -> Vec<u8> {
        let mut buffer = vec![0xFB, kind];
        buffer.extend((bikes.len() as u16).to_le_bytes());
        buffer.extend([0; 12]);
        for (bike, report, state) in bikes {
            let place = bikes::place(*bike, *report);
            buffer.extend(bike.to_le_bytes());
            buffer.extend(place.lat_e6.to_le_bytes());
            buffer.extend(place.lng_e6.to_le_bytes());
            buffer.extend([50, *state, 0, bikes::notch(*report)]);
        }
        buffer
    }

    #[tokio::test]
    async fn the_time_since_sending_is_measured_for_each_update_once() {
        let (load, mut reader, mut tally) = (load(), Reader::new(), Tally::new());
        load.sent.remember(7, 0, 1_000);
        load.sent.remember(8, 0, 2_000);
        reader.take(&buffer(1, &[(7, 0, 0), (8, 0, 0)]), 5_000, &load, &mut tally).unwrap();
        // Told again because something else of the bike changed.
        reader.take(&buffer(1, &[(7, 0, 0x10)]), 900_000, &load, &mut tally).unwrap();
        assert_eq!((tally.updates, tally.repeated, tally.frames, tally.frame_bytes), (2, 1, 2, 48 + 32));
        assert_eq!((tally.latency_us.min() / 10, tally.latency_us.max() / 10), (300, 400));
        assert_eq!((tally.missing(&[7, 8]), tally.missing(&[9])), (0, 1));
    }

    #[tokio::test]
    async fn reports_that_were_passed_over_count_as_skipped_and_those_of_a_gone_bike_do_not() {
        let (load, mut reader, mut tally) = (load(), Reader::new(), Tally::new());
        for report in 0..8 {
            load.sent.remember(7, report, 1_000 + u64::from(report));
        }
        reader.take(&buffer(3, &[(7, 0, 0)]), 5_000, &load, &mut tally).unwrap();
        assert_eq!((tally.updates, tally.frames), (0, 0), "a snapshot is no update");
        reader.take(&buffer(1, &[(7, 3, 0)]), 5_000, &load, &mut tally).unwrap();
        assert_eq!((tally.updates, tally.skipped), (1, 2));
        reader.take(&buffer(1, &[(7, 3, GONE)]), 5_000, &load, &mut tally).unwrap();
        reader.take(&buffer(1, &[(7, 7, 0)]), 5_000, &load, &mut tally).unwrap();
        assert_eq!((tally.updates, tally.skipped), (2, 2));
    }

    #[tokio::test]
    async fn what_was_never_sent_is_no_update_and_what_is_no_buffer_is_refused() {
        let (load, mut reader, mut tally) = (load(), Reader::new(), Tally::new());
        reader.take(&buffer(1, &[(7, 0, 0)]), 5_000, &load, &mut tally).unwrap();
        assert_eq!((tally.updates, tally.unknown), (0, 1));
        let mut cut = buffer(1, &[(7, 0, 0)]);
        cut.pop();
        assert!(reader.take(&cut, 5_000, &load, &mut tally).is_err());
        assert!(reader.take(b"no", 5_000, &load, &mut tally).is_err());
    }
}
