//! A small city, built through the open API.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::client::Machine;
use crate::stack::{Stack, eventually};

/// One agent with one area and its bikes.
pub struct City {
    pub agent: String,
    pub area: String,
    pub fences: Vec<String>,
    pub bikes: Vec<Enrolled>,
    pub lat: f64,
    pub lng: f64,
}

/// A bike and what its device connects with.
#[derive(Clone, Debug)]
pub struct Enrolled {
    pub car: String,
    pub imei: String,
    pub secret: String,
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

impl City {
    /// `letter` makes names and numbers this city's own; it lies `index` tenths of a degree north of the first.
    pub async fn build(machine: &Machine, letter: &str, index: u32, bikes: usize) -> Self {
        let (lat, lng) = (24.5 + f64::from(index) / 10.0, 118.1);
        let square = |half: f64| {
            json!([
                [lng - half, lat - half],
                [lng + half, lat - half],
                [lng + half, lat + half],
                [lng - half, lat + half]
            ])
        };
        let body = json!({"company": format!("{letter} 出行有限公司"), "contactName": "陈伟",
            "phone": format!("139{index:08}"), "billingWay": 0});
        let agent = text(&machine.ok("/open/v1/agents", &body).await["agentId"]);
        let body = json!({"agentId": agent, "name": format!("{letter} 区"), "ring": square(0.02),
            "datum": "wgs84", "tel": "05920000000"});
        let area = text(&machine.ok("/open/v1/areas", &body).await["areaId"]);
        machine.ok(&format!("/open/v1/areas/{area}/open"), &json!({})).await;
        let mut fences = Vec::new();
        for (kind, name) in [(2, "停车点"), (4, "禁停区")] {
            let body = json!({"areaId": area, "kind": kind, "name": format!("{letter} {name}"),
                "ring": square(0.001), "datum": "wgs84", "capacity": 20});
            fences.push(text(&machine.ok("/open/v1/fences", &body).await["fenceId"]));
        }
        let mut city = Self { agent, area, fences, bikes: Vec::new(), lat, lng };
        let wanted: Vec<Value> = (0..bikes).map(|number| city.vehicle(letter, index, number)).collect();
        for batch in wanted.chunks(500) {
            let data = machine.ok("/open/v1/vehicles/batch", &json!({ "vehicles": batch })).await;
            for (asked, got) in batch.iter().zip(data["results"].as_array().expect("results")) {
                assert!(got["error"].is_null(), "{got}");
                city.bikes.push(Enrolled {
                    car: text(&asked["carId"]),
                    imei: text(&asked["imei"]),
                    secret: text(&got["secret"]),
                });
            }
        }
        city
    }

    /// Its bikes on line at a place, each heard of by riders. Devices report again and again: what goes with a connection that
    /// is lost, the next one tells.
    pub async fn on_line(&self, stack: &Stack, machine: &Machine, (lat, lng): (f64, f64)) -> Vec<Bike> {
        let mut lines = Vec::new();
        for bike in &self.bikes {
            lines.push(Bike::connect(&stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await);
        }
        for (bike, line) in self.bikes.iter().zip(&lines) {
            let path = format!("/open/v1/rider/scan?carId={}", bike.car);
            eventually("the bike may be taken", Duration::from_mins(1), async || {
                line.report(&bike.imei, lat, lng, 88, true).await;
                (machine.get(&path).await.body["data"]["rentable"] == true).then_some(())
            })
            .await;
        }
        lines
    }

    /// A bike to enrol.
    pub fn vehicle(&self, letter: &str, index: u32, number: usize) -> Value {
        json!({"carId": format!("{letter}{number:05}"), "imei": format!("86{index:03}{number:010}"),
            "plateNo": format!("闽{letter}{number:05}"), "areaId": self.area, "agentId": self.agent,
            "lat": self.lat + 0.005, "lng": self.lng + 0.005})
    }
}
