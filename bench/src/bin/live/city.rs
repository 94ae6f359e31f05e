//! Sets the city up through the open API.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use crate::bikes;
use crate::stack::METRICS_TOKEN;

/// Vehicles of one call.
const BATCH: usize = 500;
const CALLS_IN_FLIGHT: usize = 2;

/// A client of the open API with the area that all bikes are in.
pub struct City {
    http: reqwest::Client,
    server: String,
    token: String,
    agent_id: String,
    area_id: String,
    /// User name and password of the gateways.
    pub gateway: (String, String),
}

/// The device number of a bike.
pub fn imei(bike: u32) -> String {
    let first_14 = format!("86{bike:012}");
    let digit = |(index, byte): (usize, u8)| {
        let digit = u32::from(byte - b'0') << (index % 2);
        digit / 10 + digit % 10
    };
    let sum: u32 = first_14.bytes().enumerate().map(digit).sum();
    format!("{first_14}{}", (10 - sum % 10) % 10)
}

async fn post(http: &reqwest::Client, server: &str, token: &str, path: &str, body: &Value) -> Result<Value> {
    let response = http
        .post(format!("{server}{path}"))
        .bearer_auth(token)
        .header("Idempotency-Key", uuid::Uuid::new_v4().to_string())
        .json(body)
        .send()
        .await?;
    let status = response.status();
    let text = response.text().await?;
    let answer: Value = serde_json::from_str(&text).with_context(|| format!("{path}: {status} {text}"))?;
    if answer["suc"] != true {
        bail!("{path}: {status} {text}");
    }
    Ok(answer["data"].clone())
}

/// A new service token is known to the server once its read models have heard of it.
async fn wait_for_entry(http: &reqwest::Client, server: &str, token: &str) -> Result<()> {
    for _ in 0..100 {
        let request = http.get(format!("{server}/open/v1/areas")).bearer_auth(token);
        if request.send().await?.status().is_success() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    bail!("the service token is refused")
}

fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).with_context(|| format!("no {name} in {value}"))
}

impl City {
    /// A company, an open area around all bikes, a gateway.
    pub async fn found(http: reqwest::Client, server: String, token: String) -> Result<Self> {
        wait_for_entry(&http, &server, &token).await?;
        let call = async |path: &str, body: Value| post(&http, &server, &token, path, &body).await;
        let company = json!({ "company": "轻骑出行", "contactName": "林建国", "phone": "13900000001", "billingWay": 0 });
        let agent_id = text(&call("/open/v1/agents", company).await?, "agentId")?;
        let [west, south, east, north] = bikes::city_box();
        let ring = [[west, south], [east, south], [east, north], [west, north], [west, south]];
        let area = json!({ "agentId": agent_id, "name": "全城", "ring": ring, "datum": "wgs84", "tel": "4000010086" });
        let area_id = text(&call("/open/v1/areas", area).await?, "areaId")?;
        call(&format!("/open/v1/areas/{area_id}/open"), json!({})).await?;
        let gateway = call("/open/v1/gateways", json!({ "name": "bench" })).await?;
        let gateway = (text(&gateway, "user")?, text(&gateway, "secret")?);
        Ok(Self { http, server, token, agent_id, area_id, gateway })
    }

    /// Registers the bikes of these numbers.
    pub async fn register(&self, bikes: std::ops::Range<u32>) -> Result<()> {
        let vehicles: Vec<Value> = bikes
            .map(|bike| {
                let home = bikes::home(bike);
                json!({
                    "carId": format!("B{bike:07}"), "imei": imei(bike), "plateNo": format!("闽B{bike:05}"),
                    "areaId": self.area_id, "agentId": self.agent_id,
                    "lat": f64::from(home.lat_e6) / 1e6, "lng": f64::from(home.lng_e6) / 1e6,
                })
            })
            .collect();
        let calls = vehicles.chunks(BATCH).map(|batch| async move {
            let body = json!({ "vehicles": batch });
            let data = post(&self.http, &self.server, &self.token, "/open/v1/vehicles/batch", &body).await?;
            let results = data["results"].as_array().context("no results")?;
            match results.iter().find(|row| !row["error"].is_null()) {
                Some(refused) => bail!("a bike was refused: {refused}"),
                None if results.len() == batch.len() => Ok(()),
                None => bail!("{} bikes were sent and {} answered", batch.len(), results.len()),
            }
        });
        stream::iter(calls).buffer_unordered(CALLS_IN_FLIGHT).try_collect::<()>().await
    }

    /// The server's own figures.
    pub async fn metrics(&self) -> Result<String> {
        let request = self.http.get(format!("{}/metrics", self.server)).bearer_auth(METRICS_TOKEN);
        Ok(request.send().await?.text().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_number_has_15_digits_and_checks() {
        assert_eq!(imei(0).len(), 15);
        // 86 0000 0000 0001: doubled every second digit, the sum is 12 + 2 = 14.
        for bike in [0_u32, 1, 9, 24_999] {
            let sum: u32 = imei(bike)
                .bytes()
                .enumerate()
                .map(|(index, byte)| {
                    let digit = u32::from(byte - b'0') * if index % 2 == 1 { 2 } else { 1 };
                    if digit > 9 { digit - 9 } else { digit }
                })
                .sum();
            assert_eq!(sum % 10, 0, "{}", imei(bike));
        }
        assert_ne!(imei(1), imei(2));
    }
}
