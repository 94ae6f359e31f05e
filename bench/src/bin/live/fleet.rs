//! A whole city: of so many bikes 8 % are ridden and report every five seconds, the others every minute. Two hundred dashboards
//! watch; then one joins that reads nothing, a thousand come back at once, and somebody looks back.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bench::{Report, Row};
use futures::future::try_join_all;
use rand::Rng;
use tokio::time::{Instant, sleep};
use vocabulary::{Clock, SystemClock};
use wire::BASE;

use crate::city::City;
use crate::dashboards::{Dashboard, Deaf, Guest};
use crate::gateways::{self, BIKES_A_GATEWAY, Beat, Gateway, Load};
use crate::sign_in::Session;
use crate::stack::Stack;
use crate::{Line, Measured, Moment, SYSTEM};

/// Every bike has reported in this time.
const ROUND: Duration = Duration::from_secs(65);
/// Sockets that come back at once.
const GUESTS: u32 = 1_000;
/// Moments that are looked back at.
const LOOKS_BACK: usize = 200;

/// What all parts work on.
pub struct Case<'a> {
    pub line: &'a Line,
    pub stack: &'a Stack,
    pub city: &'a City,
    pub session: &'a Session,
    pub load: &'a Arc<Load>,
    pub bikes: u32,
}

impl Case<'_> {
    /// All of it; what the report gets is printed too.
    pub async fn run(&self, dashboards: &[Dashboard], report: &mut Report) -> Result<()> {
        let mut open: Vec<Gateway> = Vec::new();
        for first in (0..self.bikes).step_by(BIKES_A_GATEWAY as usize) {
            let bikes = first..(first + BIKES_A_GATEWAY).min(self.bikes);
            let (port, gateway) = (self.stack.mqtt_port, &self.city.gateway);
            open.push(gateways::open(port, gateway, bikes, Beat::City, Arc::clone(self.load)).await?);
        }
        sleep(ROUND).await;
        let since = SystemClock.now().millis();
        let name = |what: &str| format!("fleet-{}k{what}", self.bikes / 1000);
        self.measured(dashboards, name(""), report).await?;

        let deaf = Deaf::open(self.stack.port, self.session).await?;
        sleep(Duration::from_secs(self.line.warm_up_s)).await;
        self.measured(dashboards, name("-one-reads-nothing"), report).await?;
        drop(deaf);

        let guests = self.guests(0..GUESTS).await?;
        guests.into_iter().for_each(|(guest, _)| guest.vanish());
        sleep(Duration::from_secs(2)).await;
        dashboards.iter().for_each(|dashboard| drop(dashboard.take()));
        let (back, seen) =
            tokio::join!(self.guests(0..GUESTS), self.measured(dashboards, name("-1000-come-back"), report));
        seen?;
        let took: Vec<f64> = back?.into_iter().map(|(_, took_ms)| took_ms).collect();
        tell(report, &name("-back-to-a-whole-picture"), took);

        let took = self.looks_back(since).await?;
        tell(report, "past", took);
        drop(open);
        Ok(())
    }

    async fn measured(&self, dashboards: &[Dashboard], case: String, report: &mut Report) -> Result<()> {
        dashboards.iter().for_each(|dashboard| drop(dashboard.take()));
        let before = Moment::now(self.stack, self.load)?;
        sleep(Duration::from_secs(self.line.measure_s)).await;
        let after = Moment::now(self.stack, self.load)?;
        // Those that stand may be silent for longer than that.
        let rides = |bike: &u32| Beat::City.rides(*bike);
        let expected = |dashboard: &Dashboard| {
            dashboard.view.shown_for_sure(self.bikes).into_iter().filter(rides).collect()
        };
        Measured::of(case, dashboards, expected, before, after).tell(report)?;
        Ok(())
    }

    /// So many sockets at once, each with how many milliseconds it took to see its view whole.
    async fn guests(&self, numbers: std::ops::Range<u32>) -> Result<Vec<(Guest, f64)>> {
        try_join_all(numbers.map(|number| async move {
            let began = Instant::now();
            let guest = Guest::open(self.stack.port, self.session, number).await?;
            Ok((guest, began.elapsed().as_secs_f64() * 1000.0))
        }))
        .await
    }

    /// Milliseconds that the whole fleet of a moment since then takes, one after the other.
    async fn looks_back(&self, since_ms: i64) -> Result<Vec<f64>> {
        let http = reqwest::Client::builder().no_proxy().build()?;
        let mut took = Vec::new();
        for _ in 0..LOOKS_BACK {
            // What was reported in the last seconds is not stored yet.
            let at = rand::thread_rng().gen_range(since_ms..SystemClock.now().millis() - 15_000);
            let address = format!("http://127.0.0.1:{}{BASE}/vehicle/map?at={at}", self.stack.port);
            let began = Instant::now();
            let answer =
                http.get(address).header("_t", &self.session.t).bearer_auth(&self.session.token).send();
            let answer = answer.await?;
            let status = answer.status();
            let bytes = answer.bytes().await?;
            took.push(began.elapsed().as_secs_f64() * 1000.0);
            ensure!(
                status.is_success() && bytes.len() > 16 * self.bikes as usize,
                "a moment of {status} and {} bytes: {}",
                bytes.len(),
                String::from_utf8_lossy(&bytes[..bytes.len().min(200)])
            );
        }
        Ok(took)
    }
}

/// Prints and adds p50, p99 and the most.
fn tell(report: &mut Report, case: &str, mut took_ms: Vec<f64>) {
    took_ms.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| took_ms.get(((took_ms.len() - 1) as f64 * share).round() as usize).copied();
    println!("{case}:");
    for (unit, value) in [("p50 ms", at(0.5)), ("p99 ms", at(0.99)), ("max ms", at(1.0))] {
        let value = value.unwrap_or(f64::NAN);
        println!("  {unit:<24} {value:>12.2}");
        report.add(Row::new(SYSTEM, case, value, unit));
    }
}

/// That a city is large enough to be one, and that its bikes can be told apart.
pub fn checked(bikes: u32) -> Result<u32> {
    (1_000..=100_000).contains(&bikes).then_some(bikes).context("a fleet has 1000 to 100000 bikes")
}
