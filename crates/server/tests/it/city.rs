//! A small city, built through the open API.

use serde_json::{Value, json};

use crate::client::Machine;

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

    /// A bike to enrol.
    pub fn vehicle(&self, letter: &str, index: u32, number: usize) -> Value {
        json!({"carId": format!("{letter}{number:05}"), "imei": format!("86{index:03}{number:010}"),
            "plateNo": format!("闽{letter}{number:05}"), "areaId": self.area, "agentId": self.agent,
            "lat": self.lat + 0.005, "lng": self.lng + 0.005})
    }
}
