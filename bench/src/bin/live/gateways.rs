//! Gateways: MQTT connections that speak for many bikes each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use vocabulary::{Clock, SystemClock};

use crate::bikes::{self, SentTimes, scatter};
use crate::city::imei;

/// Bikes of one connection.
pub const BIKES_A_GATEWAY: u32 = 800;
/// How often bikes report.
#[derive(Clone, Copy, Debug)]
pub enum Beat {
    /// All of them as if they were ridden.
    Even,
    /// As in a city: 8 of 100 are ridden, the others stand.
    City,
}

impl Beat {
    /// Whether a bike is ridden.
    pub const fn rides(self, bike: u32) -> bool {
        match self {
            Self::Even => true,
            Self::City => bike % 25 < 2,
        }
    }

    const fn every(self, bike: u32) -> Duration {
        Duration::from_secs(if self.rides(bike) { 5 } else { 60 })
    }
}

const CLIENT_QUEUE: usize = 256;

/// What the generator shares.
pub struct Load {
    /// Where times are counted from.
    pub began: Instant,
    /// When what was sent.
    pub sent: SentTimes,
    /// Reports sent.
    pub reports: AtomicU64,
    /// Reports sent more than 20 ms after they were due.
    pub late: AtomicU64,
    /// Connections that broke.
    pub broken: AtomicU64,
}

impl Load {
    /// Microseconds since the beginning, never 0.
    pub fn now_us(&self) -> u64 {
        self.began.elapsed().as_micros() as u64 + 1
    }
}

/// A gateway's tasks; dropping it ends them.
pub struct Gateway(Vec<JoinHandle<()>>);

impl Drop for Gateway {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// Connects and lets each of `bikes` report on its own beat from then on.
pub async fn open(
    mqtt_port: u16,
    (user, password): &(String, String),
    bikes: Range<u32>,
    beat: Beat,
    load: Arc<Load>,
) -> Result<Gateway> {
    let mut options = MqttOptions::new(format!("{user}:{}", bikes.start), "127.0.0.1", mqtt_port);
    options.set_credentials(user, password).set_keep_alive(Duration::from_secs(30)).set_clean_session(true);
    let (client, mut events) = AsyncClient::new(options, CLIENT_QUEUE);
    let (connected, standing) = oneshot::channel();
    let mut connected = Some(connected);
    let counting = Arc::clone(&load);
    let listening = tokio::spawn(async move {
        loop {
            match events.poll().await {
                Ok(Event::Incoming(Packet::ConnAck(_))) => drop(connected.take().map(|told| told.send(()))),
                Ok(_) => {}
                Err(error) => {
                    counting.broken.fetch_add(1, Ordering::Relaxed);
                    eprintln!("MQTT: {error}");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    });
    let mut alike: BTreeMap<Duration, Vec<u32>> = BTreeMap::new();
    for bike in bikes {
        alike.entry(beat.every(bike)).or_default().push(bike);
    }
    let mut tasks = vec![listening];
    for (every, bikes) in alike {
        tasks.push(tokio::spawn(report(client.clone(), bikes, every, Arc::clone(&load))));
    }
    let gateway = Gateway(tasks);
    tokio::time::timeout(Duration::from_secs(20), standing)
        .await
        .context("a gateway does not get in")?
        .context("a gateway's task ended")?;
    Ok(gateway)
}

async fn report(client: AsyncClient, bikes: Vec<u32>, every: Duration, load: Arc<Load>) {
    let every_us = every.as_micros() as u64;
    // Each bike has its own moment within the period.
    let mut order: Vec<(u64, u32, String)> = bikes
        .into_iter()
        .map(|bike| {
            (scatter(u64::from(bike) + 99_000_000) % every_us, bike, format!("ebike/{}/up", imei(bike)))
        })
        .collect();
    order.sort_unstable();
    let first_us = load.now_us();
    for round in 0_u32.. {
        for (moment_us, bike, topic) in &order {
            let due_us = first_us + u64::from(round) * every_us + moment_us;
            if due_us > load.now_us() {
                sleep_until(load.began + Duration::from_micros(due_us)).await;
            }
            let now_us = load.now_us();
            if now_us > due_us + 20_000 {
                load.late.fetch_add(1, Ordering::Relaxed);
            }
            let payload = bikes::payload(*bike, round, SystemClock.now().millis());
            load.sent.remember(*bike, round, now_us);
            if client.publish(topic, QoS::AtMostOnce, false, payload).await.is_err() {
                return;
            }
            load.reports.fetch_add(1, Ordering::Relaxed);
        }
    }
}
