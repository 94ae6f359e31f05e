//! What goes on while things go wrong: bikes that are worked at, bikes that come new, reports, bans that are drawn and lifted. Whatever is asked for
//! is asked again under its key, at either node, until it is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::bans::{self, Ban};
use super::once::{self, Once};
use super::report::Timeline;
use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine, Reply, insist};

/// Bikes at which work is asked for under a key; at the others it is asked for once.
pub const KEYED: usize = 6;
/// Between two reboots.
const REBOOT_EVERY: Duration = Duration::from_millis(500);

/// A command that was acknowledged.
#[derive(Clone, Debug)]
pub struct Told {
    pub key: String,
    /// The bike that it changed.
    pub car: String,
    /// The position that the answer told.
    pub position: i64,
}

/// Somebody who speaks with every node.
#[derive(Clone)]
pub struct Speaker {
    pub machines: Vec<Machine>,
    pub timeline: Arc<Timeline>,
    pub stop: Arc<AtomicBool>,
    pub done: Arc<AtomicUsize>,
}

impl Speaker {
    /// Whether there is more to do.
    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Sends under one key, to one node after the other, until there is an answer.
    pub async fn insist(&self, first: usize, path: &str, body: &Value, key: &str) -> Reply {
        let machines = self.machines.iter().cycle().skip(first);
        let reply = insist(machines, path, body, key).await;
        self.done.fetch_add(1, Ordering::Relaxed);
        reply
    }
}

/// Where work at a bike begins and ends.
pub fn work_path(car: &str) -> String {
    format!("/open/v1/vehicles/{car}/work")
}

/// Begins and ends work at one bike, over and over.
pub async fn work(speaker: Speaker, car: String, first: usize) -> Vec<Told> {
    let mut told = Vec::new();
    while speaker.goes_on() {
        let action = if told.len() % 2 == 0 { "start" } else { "finish" };
        let key = format!("{car}-{}", told.len());
        let path = work_path(&car);
        let body = json!({"action": action, "kind": "swap", "workerId": "worker-1"});
        let reply = speaker.insist(first + told.len(), &path, &body, &key).await;
        assert!(reply.body["suc"] == true, "{key}: {} {}", reply.status, reply.body);
        let position = reply.position.expect("a command's answer tells its position");
        speaker.timeline.note(format!("{key} acknowledged at {position}"));
        told.push(Told { key, car: car.clone(), position });
    }
    told
}

/// Brings in bikes, two at a time, each of which reports once and is quiet then.
pub async fn enrol(speaker: Speaker, gateway: Arc<Bike>, city: Arc<City>) -> Vec<String> {
    let mut there = Vec::new();
    for number in 0..60 {
        if !speaker.goes_on() {
            break;
        }
        // Not in the order of their numbers: who reads them later from the table meets them in another order.
        let pair = [997 - number * 7 % 500, 499 - number * 7 % 500];
        let vehicles: Vec<Value> = pair.iter().map(|number| city.vehicle("N", 2, *number)).collect();
        let key = format!("enrol-{number}");
        let body = json!({ "vehicles": vehicles });
        let reply = speaker.insist(number, "/open/v1/vehicles/batch", &body, &key).await.data();
        speaker.timeline.note(format!("{key} acknowledged"));
        for (asked, result) in vehicles.iter().zip(reply["results"].as_array().expect("results")) {
            assert!(result["secret"].is_string(), "{result}");
            let text = |name: &str| asked[name].as_str().expect(name);
            gateway
                .report(
                    text("imei"),
                    city.lat - 0.005,
                    city.lng + 0.001 * f64::from(number as u32 % 9),
                    77,
                    true,
                )
                .await;
            there.push(text("carId").to_owned());
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    there
}

/// Bikes that say where they are, one after the other.
pub async fn report(speaker: Speaker, gateway: Arc<Bike>, city: Arc<City>) {
    let mut soc = 99;
    while speaker.goes_on() {
        for (number, bike) in city.bikes.iter().enumerate() {
            let lat = city.lat + 0.005 + (number as f64) * 0.000_01;
            gateway.report(&bike.imei, lat, city.lng + 0.005, soc, false).await;
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
        soc = if soc > 40 { soc - 1 } else { 99 };
    }
}

/// Tells bikes to start anew, one after the other, through either node; who is told that a bike is away leaves it.
pub async fn reboot(speaker: Speaker, browsers: Vec<Browser>, cars: Vec<String>) -> usize {
    let mut told = 0;
    for (number, car) in cars.iter().cycle().enumerate() {
        if !speaker.goes_on() {
            break;
        }
        let body = json!({"carId": car, "command": "reboot"});
        let nodes = browsers.iter().cycle().skip(number);
        let reply = insist(nodes, "/device/command", &body, &format!("reboot-{number}")).await;
        told += usize::from(reply.body["suc"] == true);
        tokio::time::sleep(REBOOT_EVERY).await;
    }
    told
}

/// All of them at once.
pub struct Load {
    pub speaker: Speaker,
    workers: JoinSet<Vec<Told>>,
    enroller: JoinSet<Vec<String>>,
    reporter: JoinSet<()>,
    drawer: JoinSet<Vec<Ban>>,
    once: JoinSet<Once>,
    rebooter: JoinSet<usize>,
}

/// What they were told.
#[derive(Default)]
pub struct Done {
    pub told: Vec<Told>,
    pub enrolled: Vec<String>,
    pub bans: Vec<Ban>,
    pub once: Vec<Once>,
    /// Commands to bikes that were taken.
    pub reboots: usize,
}

impl Load {
    pub fn begin(speaker: Speaker, browsers: &[Browser], gateway: &Arc<Bike>, city: &Arc<City>) -> Self {
        let (mut workers, mut enroller) = (JoinSet::new(), JoinSet::new());
        let (mut reporter, mut drawer) = (JoinSet::new(), JoinSet::new());
        let (mut once, mut rebooter) = (JoinSet::new(), JoinSet::new());
        let cars: Vec<String> = city.bikes.iter().map(|bike| bike.car.clone()).collect();
        let (keyed, others) = cars.split_at(KEYED);
        for (number, car) in keyed.iter().enumerate() {
            workers.spawn(work(speaker.clone(), car.clone(), number));
        }
        for (number, car) in others.iter().enumerate() {
            once.spawn(once::work(speaker.clone(), car.clone(), number));
        }
        rebooter.spawn(reboot(speaker.clone(), browsers.to_vec(), cars));
        enroller.spawn(enrol(speaker.clone(), Arc::clone(gateway), Arc::clone(city)));
        reporter.spawn(report(speaker.clone(), Arc::clone(gateway), Arc::clone(city)));
        let place = (city.lat, city.lng);
        drawer.spawn(bans::draw(speaker.clone(), browsers.to_vec(), city.area.clone(), place));
        Self { speaker, workers, enroller, reporter, drawer, once, rebooter }
    }

    /// Everybody gets his last answer.
    pub async fn end(mut self) -> Done {
        self.speaker.stop.store(true, Ordering::Relaxed);
        let mut done = Done::default();
        while let Some(worker) = self.workers.join_next().await {
            done.told.extend(worker.expect("every command was answered"));
        }
        while let Some(enroller) = self.enroller.join_next().await {
            done.enrolled.extend(enroller.expect("every batch was answered"));
        }
        while let Some(drawer) = self.drawer.join_next().await {
            done.bans.extend(drawer.expect("every fence was answered"));
        }
        while let Some(once) = self.once.join_next().await {
            done.once.push(once.expect("it goes on"));
        }
        while let Some(reboots) = self.rebooter.join_next().await {
            done.reboots += reboots.expect("every command was answered");
        }
        while let Some(reporter) = self.reporter.join_next().await {
            reporter.expect("reports went out");
        }
        done
    }
}
