//! The open API as a machine client speaks it: plain JSON, a bearer token, an idempotency key on every POST.

use std::time::Duration;

use serde_json::{Value, json};

use crate::identity::stable_hash;
use crate::photo::photo;
use crate::world::{Outcome, Wish};

/// Most rows in one batch of vehicles or fences.
pub const BATCH: usize = 200;
/// Largest answer that is read.
const LARGEST_ANSWER_BYTES: usize = 4 << 20;
const SETUP_TRIES: u32 = 6;

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum OpenApiError {
    /// The server refused, in its words.
    #[error("服务器拒绝：{0}")]
    Refused(String),
    /// The token is not valid or may not do this.
    #[error("令牌无效或没有权限（HTTP {0}）")]
    NotAllowed(u16),
    /// The server did not answer in time or not at all.
    #[error("连不上服务器：{0}")]
    Unreachable(#[source] reqwest::Error),
    /// The answer is not what the contract says.
    #[error("服务器的回答不合约定：{0}")]
    Unexpected(String),
}

/// A client of the open API.
#[derive(Clone)]
pub struct OpenApi {
    http: reqwest::Client,
    server: String,
    token: String,
}

/// A deterministic UUID (version 8) from a text: the same request keeps its idempotency key over restarts.
fn idempotency_key(text: &str) -> String {
    let (high, low) = (stable_hash(text), stable_hash(&format!("{text}#")));
    format!(
        "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFF,
        (low >> 48 & 0x3FFF) | 0x8000,
        low & 0xFFFF_FFFF_FFFF
    )
}

fn refusal(answer: &Value) -> String {
    let error = &answer["error"];
    let text = error["promt"]
        .as_str()
        .or(error["promot"].as_str())
        .or(answer["message"].as_str())
        .or(error.as_str());
    text.map_or_else(|| error["code"].as_str().unwrap_or("没有说明原因").to_owned(), str::to_owned)
}

/// An id as the contract has it: text; a number is understood too.
fn id_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| value.as_i64().map(|n| n.to_string()))
}

/// An area known to the server.
#[derive(Clone, Debug)]
pub struct KnownArea {
    /// Its id.
    pub area_id: String,
    /// Its name.
    pub name: String,
    /// The company it belongs to.
    pub agent_id: String,
}

impl OpenApi {
    /// A client of the server at `server` (for example `http://127.0.0.1:8080`).
    pub fn new(server: &str, token: &str) -> Result<Self, OpenApiError> {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(20))
            .connect_timeout(Duration::from_secs(5))
            .pool_max_idle_per_host(32)
            .no_proxy()
            .build()
            .map_err(OpenApiError::Unreachable)?;
        Ok(Self { http, server: server.trim_end_matches('/').to_owned(), token: token.trim().to_owned() })
    }

    async fn read(&self, request: reqwest::RequestBuilder) -> Result<Value, OpenApiError> {
        let mut response =
            request.bearer_auth(&self.token).send().await.map_err(OpenApiError::Unreachable)?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(OpenApiError::Unreachable)? {
            if body.len() + chunk.len() > LARGEST_ANSWER_BYTES {
                return Err(OpenApiError::Unexpected("回答太大".into()));
            }
            body.extend_from_slice(&chunk);
        }
        if status == 401 || status == 403 {
            return Err(OpenApiError::NotAllowed(status));
        }
        if status == 429 || status >= 500 {
            return Err(OpenApiError::Unexpected(format!("HTTP {status}")));
        }
        let answer: Value = serde_json::from_slice(&body)
            .map_err(|_| OpenApiError::Unexpected(format!("HTTP {status}，不是 JSON")))?;
        match answer["suc"].as_bool() {
            Some(true) => Ok(answer["data"].clone()),
            Some(false) => Err(OpenApiError::Refused(refusal(&answer))),
            None => Err(OpenApiError::Unexpected(format!("HTTP {status}，没有 suc"))),
        }
    }

    async fn post(&self, path: &str, key: &str, body: &Value) -> Result<Value, OpenApiError> {
        let request =
            self.http.post(format!("{}{path}", self.server)).header("Idempotency-Key", key).json(body);
        self.read(request).await
    }

    /// A step of the setting up: tried again with growing pauses while the server cannot be reached or is busy.
    async fn patiently(&self, path: &str, body: Option<&Value>) -> Result<Value, OpenApiError> {
        let key = idempotency_key(&format!("{path} {}", body.map(Value::to_string).unwrap_or_default()));
        let mut pause = Duration::from_millis(300);
        for attempt in 1.. {
            let result = match body {
                Some(body) => self.post(path, &key, body).await,
                None => self.read(self.http.get(format!("{}{path}", self.server))).await,
            };
            match result {
                Err(OpenApiError::Unreachable(_) | OpenApiError::Unexpected(_)) if attempt < SETUP_TRIES => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(5));
                }
                other => return other,
            }
        }
        unreachable!("the loop returns by its last try")
    }

    /// The areas this token may see.
    pub async fn areas(&self) -> Result<Vec<KnownArea>, OpenApiError> {
        let data = self.patiently("/open/v1/areas", None).await?;
        let rows =
            data["rows"].as_array().ok_or_else(|| OpenApiError::Unexpected("areas 没有 rows".into()))?;
        rows.iter()
            .map(|row| {
                let text = |name: &str| {
                    id_text(&row[name]).ok_or_else(|| OpenApiError::Unexpected(format!("areas 缺 {name}")))
                };
                Ok(KnownArea { area_id: text("areaId")?, name: text("name")?, agent_id: text("agentId")? })
            })
            .collect()
    }

    /// Registers a company.
    pub async fn create_agent(
        &self,
        company: &str,
        contact: &str,
        phone: &str,
    ) -> Result<String, OpenApiError> {
        let body = json!({ "company": company, "contactName": contact, "phone": phone, "billingWay": 0 });
        let data = self.patiently("/open/v1/agents", Some(&body)).await?;
        id_text(&data["agentId"]).ok_or_else(|| OpenApiError::Unexpected("没有 agentId".into()))
    }

    /// Draws a service area; it is not open yet.
    pub async fn create_area(
        &self,
        agent_id: &str,
        name: &str,
        ring: &[[f64; 2]],
    ) -> Result<String, OpenApiError> {
        let body =
            json!({ "agentId": agent_id, "name": name, "ring": ring, "datum": "wgs84", "tel": "4000010086" });
        let data = self.patiently("/open/v1/areas", Some(&body)).await?;
        id_text(&data["areaId"]).ok_or_else(|| OpenApiError::Unexpected("没有 areaId".into()))
    }

    /// Opens a service area.
    pub async fn open_area(&self, area_id: &str) -> Result<(), OpenApiError> {
        self.patiently(&format!("/open/v1/areas/{area_id}/open"), Some(&json!({}))).await.map(|_| ())
    }

    /// Says what rides cost in an area; the same again changes nothing.
    pub async fn set_billing(&self, area_id: &str, content: &Value) -> Result<(), OpenApiError> {
        let body = json!({ "content": content, "note": "开城定价" });
        self.patiently(&format!("/open/v1/areas/{area_id}/billing"), Some(&body)).await.map(|_| ())
    }

    /// Draws up to [`BATCH`] fences; for each, nothing or the server's refusal.
    pub async fn create_fences(&self, fences: &[Value]) -> Result<Vec<Option<String>>, OpenApiError> {
        let data = self.patiently("/open/v1/fences/batch", Some(&json!({ "fences": fences }))).await?;
        results(&data, fences.len()).map(|rows| rows.iter().map(row_refusal).collect())
    }

    /// Tells where bikes stopped before; how many of the stops are new, and how many were refused.
    pub async fn past_stops(&self, stops: &[Value]) -> Result<(u64, usize), OpenApiError> {
        let data = self.patiently("/open/v1/stops", Some(&json!({ "stops": stops }))).await?;
        let taken = data["taken"].as_u64().unwrap_or(0);
        Ok((taken, data["refused"].as_array().map_or(0, Vec::len)))
    }

    /// Draws a maintenance area that the person with the phone `manager` leads.
    pub async fn create_maintenance_area(
        &self,
        area_id: &str,
        name: &str,
        ring: &[[f64; 2]],
        manager: &str,
    ) -> Result<(), OpenApiError> {
        let geometry = json!({ "type": "Polygon", "coordinates": [ring] });
        let body = json!({ "areaId": area_id, "name": name, "geometry": geometry, "manager": manager });
        self.patiently("/open/v1/maintenance-areas", Some(&body)).await.map(|_| ())
    }

    /// Registers up to [`BATCH`] vehicles with their devices; for each its device credential or a refusal.
    pub async fn create_vehicles(
        &self,
        vehicles: &[Value],
    ) -> Result<Vec<Result<String, String>>, OpenApiError> {
        let data = self.patiently("/open/v1/vehicles/batch", Some(&json!({ "vehicles": vehicles }))).await?;
        let rows = results(&data, vehicles.len())?;
        Ok(rows
            .iter()
            .map(|row| match (row["secret"].as_str(), row_refusal(row)) {
                (_, Some(refusal)) => Err(refusal),
                (Some(secret), None) => Ok(secret.to_owned()),
                (None, None) => Err("没有返回设备密钥".to_owned()),
            })
            .collect())
    }

    /// Acts on vehicles; for each, nothing or the server's refusal.
    pub async fn keep_vehicles(
        &self,
        cars: &[&str],
        act: u8,
        more: &Value,
    ) -> Result<Vec<Option<String>>, OpenApiError> {
        let mut body = more.clone();
        body["carIds"] = json!(cars);
        body["act"] = json!(act);
        match self.patiently("/open/v1/vehicles/keep", Some(&body)).await {
            Ok(data) => match data["results"].as_array() {
                Some(rows) => Ok(rows.iter().map(row_refusal).collect()),
                None => Ok(vec![None; cars.len()]),
            },
            Err(OpenApiError::Refused(why)) => Ok(vec![Some(why); cars.len()]),
            Err(error) => Err(error),
        }
    }

    /// Registers an MQTT gateway: user name and password.
    pub async fn create_gateway(&self, name: &str) -> Result<(String, String), OpenApiError> {
        let data = self.patiently("/open/v1/gateways", Some(&json!({ "name": name }))).await?;
        match (data["user"].as_str(), data["secret"].as_str()) {
            (Some(user), Some(secret)) => Ok((user.to_owned(), secret.to_owned())),
            _ => Err(OpenApiError::Unexpected("没有网关凭据".into())),
        }
    }

    /// Publishes a package of firmware; the same again changes nothing.
    pub async fn publish_firmware(&self, package: &Value) -> Result<(), OpenApiError> {
        self.patiently("/open/v1/firmwares", Some(package)).await.map(drop)
    }

    /// Puts a card on sale; one of the same name of the same company is that card. Its id.
    pub async fn put_card_on_sale(&self, card: &Value) -> Result<String, OpenApiError> {
        let data = self.patiently("/open/v1/cards", Some(card)).await?;
        id_text(&data["id"]).ok_or_else(|| OpenApiError::Unexpected("没有 id".into()))
    }

    /// Makes a voltage scheme; one of the same name of the same company is that scheme. Its id.
    pub async fn make_voltage_scheme(&self, scheme: &Value) -> Result<String, OpenApiError> {
        let data = self.patiently("/open/v1/voltage-schemes", Some(scheme)).await?;
        id_text(&data["id"]).ok_or_else(|| OpenApiError::Unexpected("没有 id".into()))
    }

    /// A rider asks for a parking place, with photos; tried once. `at_ms` is when, of the clock.
    pub async fn apply_for_parking(&self, wish: &Wish, at_ms: i64) -> Outcome {
        outcome_of(self.applied(wish, at_ms).await)
    }

    async fn applied(&self, wish: &Wish, at_ms: i64) -> Result<(), OpenApiError> {
        let [lng, lat] = wish.at;
        let mut photo_ids = Vec::new();
        for number in 0..wish.photos {
            let taken = photo(stable_hash(&format!("{} {number}", wish.rider)), wish.at, at_ms);
            photo_ids.push(self.attach(&wish.rider.to_string(), taken).await?);
        }
        let body = json!({
            "userPin": wish.rider.to_string(), "phone": format!("137{:08}", wish.rider % 100_000_000),
            "location": wish.location, "lat": lat, "lng": lng, "datum": "wgs84", "remark": wish.remark,
            "photoIds": photo_ids,
        });
        let path = "/open/v1/rider/park-application";
        self.post(path, &idempotency_key(&format!("{path} {body} {at_ms}")), &body).await.map(drop)
    }

    /// Brings a photo of a rider, to be named in a case; its id.
    pub async fn attach(&self, pin: &str, photo: Vec<u8>) -> Result<String, OpenApiError> {
        let path = format!("{}/open/v1/attachments?userPin={pin}", self.server);
        let request = self.http.post(path).header("Content-Type", "image/jpeg").body(photo);
        let data = self.read(request).await?;
        id_text(&data["attachmentId"]).ok_or_else(|| OpenApiError::Unexpected("没有 attachmentId".into()))
    }

    /// A worker's wish about a vehicle; tried once. `key` tells two wishes apart.
    pub async fn work(&self, car_id: &str, (action, kind): (&str, &str), worker: u64, key: &str) -> Outcome {
        let body = json!({ "action": action, "kind": kind, "workerId": worker.to_string() });
        let path = format!("/open/v1/vehicles/{car_id}/work");
        outcome_of(self.post(&path, &idempotency_key(&format!("{path} {body} {key}")), &body).await.map(drop))
    }

    /// Something that a rider's program asks for, `/open/v1/rider/{path}`; tried once. `key` tells two alike apart.
    pub async fn post_rider(&self, path: &str, key: &str, body: &Value) -> Result<Value, OpenApiError> {
        let path = format!("/open/v1/rider/{path}");
        self.post(&path, &idempotency_key(&format!("{path} {body} {key}")), body).await
    }

    /// Something that a rider's program looks at, `/open/v1/rider/{path_and_query}`.
    pub async fn get_rider(&self, path_and_query: &str) -> Result<Value, OpenApiError> {
        self.read(self.http.get(format!("{}/open/v1/rider/{path_and_query}", self.server))).await
    }
}

/// What came of a call, as the world hears it.
pub(crate) fn outcome_of(called: Result<(), OpenApiError>) -> Outcome {
    match called {
        Ok(()) => Outcome::Done,
        Err(OpenApiError::Refused(why)) => Outcome::Refused(why),
        Err(OpenApiError::NotAllowed(status)) => Outcome::Refused(format!("HTTP {status}")),
        Err(OpenApiError::Unreachable(_) | OpenApiError::Unexpected(_)) => Outcome::Failed,
    }
}

fn results(data: &Value, expected: usize) -> Result<&Vec<Value>, OpenApiError> {
    match data["results"].as_array() {
        Some(rows) if rows.len() == expected => Ok(rows),
        Some(rows) => Err(OpenApiError::Unexpected(format!("发了 {expected} 条，回了 {} 条", rows.len()))),
        None => Err(OpenApiError::Unexpected("没有 results".into())),
    }
}

fn row_refusal(row: &Value) -> Option<String> {
    match row.get("error") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => Some(refusal(row)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idempotency_key_is_a_uuid_and_follows_from_the_request_alone() {
        let key = idempotency_key("/open/v1/agents {}");
        let parts: Vec<usize> = key.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{key}");
        assert_eq!(key, idempotency_key("/open/v1/agents {}"));
        assert_ne!(key, idempotency_key("/open/v1/agents { }"));
    }

    #[test]
    fn a_refusal_is_told_in_the_servers_words() {
        let answer = json!({ "suc": false, "error": { "code": "low-battery", "promot": "电量不足", "promt": "电量不足" } });
        assert_eq!(refusal(&answer), "电量不足");
        assert_eq!(refusal(&json!({ "suc": false, "error": { "code": "x" } })), "x");
        assert_eq!(row_refusal(&json!({ "carId": "1", "secret": "s" })), None);
        assert_eq!(row_refusal(&json!({ "carId": "1", "error": { "promt": "重复" } })), Some("重复".into()));
    }
}
