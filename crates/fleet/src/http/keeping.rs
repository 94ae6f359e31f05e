//! Acts on bikes, of one and of thousands: each is judged alone, and each row is answered.

use futures::StreamExt;
use kernel::{CommandContext, Receipt, RequestId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::{AreaId, VoltageSchemeId};
use wire::{Answer, BatchAnswer, BatchOutcomes, Body, Call, Handled, Permit, Refused, Routes, batch};

use crate::Fleet;
use crate::keeping::{self, Asked};
use crate::model::device::Imei;
use crate::model::vehicle::{CarId, KeepAct};

/// Codes that let one act on bikes.
const KEEP_CODES: Permit = Permit::AnyOf(&["0301", "0302", "0307"]);
/// What one needs besides to scrap bikes: the office's.
const SCRAP_CODE: &str = "1103";
/// Bikes of one request.
pub(super) const BIKES_MAX: usize = 5_000;
/// Bikes that are worked on at a time.
pub(super) const IN_FLIGHT: usize = 16;
/// Bikes for which the doors of their areas are held open.
pub(super) const GROUP: usize = 200;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(KEEP_CODES, routes!(keep))
        .add(Permit::Machine("open:fleet"), routes!(keep_open))
        .with_state(fleet.clone())
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VehiclesKept)]
struct KeepAsked {
    /// Which bikes: 1 to 5,000 numbers.
    car_ids: Vec<String>,
    #[serde(flatten)]
    asked: ActAsked,
}

/// An act and what it takes.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VehicleAct)]
struct ActAsked {
    /// What.
    act: KeepAct,
    /// 原因: at most 100 characters; due for 下架, 返厂维修, 报失, 报废, 调往 and 解绑.
    #[serde(default)]
    reason: String,
    /// Where to, for 调往.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    area_id: Option<AreaId>,
    /// What they are called from now on, for 标签: at most 10 of 12 characters each.
    #[serde(default)]
    add_tags: Vec<String>,
    /// What they are no more called.
    #[serde(default)]
    remove_tags: Vec<String>,
    /// The device of the one bike, for 绑定.
    #[serde(default)]
    imei: Option<String>,
    /// What tells of their batteries, for 设置电压方案; absent: nothing does any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    voltage_scheme_id: Option<VoltageSchemeId>,
}

/// Tags that a request may name each way.
const TAGS_MAX: usize = 20;

impl ActAsked {
    fn asked(&self, bikes: usize) -> Result<Asked, Refused> {
        let imei = self.imei.clone().map(Imei::try_from).transpose();
        let imei = imei.map_err(|text| Refused::business("device-imei", text))?;
        if imei.is_some() && bikes > 1 {
            return Err(Refused::business("device-one", "一个中控只能绑定一辆车"));
        }
        if self.act == KeepAct::Tag && self.add_tags.is_empty() && self.remove_tags.is_empty() {
            return Err(Refused::business("tags-due", "请填写要添加或移除的标签"));
        }
        if self.add_tags.len() > TAGS_MAX || self.remove_tags.len() > TAGS_MAX {
            return Err(Refused::malformed(format!("一次最多添加或移除 {TAGS_MAX} 个标签")));
        }
        Ok(Asked {
            act: self.act,
            reason: self.reason.clone(),
            to: self.area_id,
            add: self.add_tags.clone(),
            remove: self.remove_tags.clone(),
            imei,
            voltage_scheme: self.voltage_scheme_id,
        })
    }
}

/// Acts on bikes in the account's scope: onto the street and off it, into stock, to the factory, lost and found, scrapped (with code
/// `1103`), into another area, tags, devices, voltage schemes. Each bike is judged alone; under an idempotency key each is acted on once.
#[utoipa::path(post, path = "/vehicle/keep", tag = "fleet", operation_id = "keepVehicles",
    request_body = KeepAsked, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn keep(call: Call<Fleet>, Body(body): Body<KeepAsked>) -> Handled<BatchAnswer> {
    if body.asked.act == KeepAct::Scrap && !call.caller.codes.has(SCRAP_CODE) {
        return Err(Refused::forbidden());
    }
    kept(&call, body).await
}

/// The same for a machine, which scraps nothing.
#[utoipa::path(post, path = "/open/v1/vehicles/keep", tag = "open", operation_id = "keepOpenVehicles",
    request_body = KeepAsked, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn keep_open(call: Call<Fleet>, Body(body): Body<KeepAsked>) -> Handled<BatchAnswer> {
    if body.asked.act == KeepAct::Scrap {
        return Err(Refused::forbidden());
    }
    kept(&call, body).await
}

async fn kept(call: &Call<Fleet>, body: KeepAsked) -> Handled<BatchAnswer> {
    let KeepAsked { car_ids, asked: act } = body;
    let cars = batch(car_ids, BIKES_MAX)?;
    let asked = act.asked(cars.len())?;
    let mut rows = Rows::of(call, &act, cars.len())?;
    for group in cars.chunks(GROUP) {
        let known = group.iter().filter_map(|car| CarId::try_from(car.clone()).ok()).collect();
        let doors = match asked.act {
            KeepAct::Shelve => Some(keeping::doors(&call.state, &call.caller.full_scope, known).await),
            _ => None,
        };
        let doors = match doors {
            // Nobody of these gets through; those of other areas may.
            Some(Err(Refused::Business { code, text })) => {
                let shut = |_: CommandContext, _: CarId| {
                    let refused = Refused::business(code.clone(), text.clone());
                    async move { Err(refused) }
                };
                rows.each(group, shut).await?;
                continue;
            }
            other => other.transpose()?,
        };
        let (fleet, asked, doors) = (&call.state, &asked, doors.as_ref());
        rows.each(group, |ctx, car| async move { keeping::keep(fleet, &ctx, &car, asked, doors).await })
            .await?;
    }
    Ok(rows.answer())
}

/// Rows of a request, each with a name of its own, under which it is done once.
pub(super) struct Rows {
    ctx: CommandContext,
    asked: Vec<u8>,
    /// One alone is answered as a request for one is.
    is_one: bool,
    outcomes: BatchOutcomes,
}

impl Rows {
    /// What is asked of each of so many.
    pub fn of(call: &Call<Fleet>, asked: &impl Serialize, bikes: usize) -> Result<Self, Refused> {
        let asked = serde_json::to_vec(asked).map_err(Refused::internal)?;
        let ctx = call.request.context_of_account(serde_json::json!({}));
        Ok(Self { ctx, asked, is_one: bikes == 1, outcomes: BatchOutcomes::default() })
    }

    /// A repeat may name other bikes beside one: what counts is what was asked of it.
    fn context(&self, car: &str) -> CommandContext {
        let hash = |what: &[u8]| Sha256::new().chain_update(what).chain_update(car.as_bytes()).finalize();
        let named = |id: &RequestId| RequestId(format!("row:{}", hex::encode(hash(id.0.as_bytes()))));
        CommandContext {
            request_id: self.ctx.request_id.as_ref().map(named),
            fingerprint: hash(&self.asked).into(),
            ..self.ctx.clone()
        }
    }

    /// Does `act` with each, a few at a time, and takes in what became of it.
    pub async fn each<F>(
        &mut self,
        cars: &[String],
        act: impl Fn(CommandContext, CarId) -> F,
    ) -> Result<(), Refused>
    where
        F: Future<Output = Result<Receipt, Refused>>,
    {
        let (this, act) = (&*self, &act);
        let done: Vec<(String, Result<Receipt, Refused>)> = futures::stream::iter(cars.to_vec())
            .map(|car| async move {
                let done = match CarId::try_from(car.clone()) {
                    Ok(id) => act(this.context(&car), id).await,
                    Err(text) => Err(Refused::business("vehicle-number", text)),
                };
                (car, done)
            })
            .buffered(IN_FLIGHT)
            .collect()
            .await;
        for (car, done) in done {
            let done = if self.is_one { Ok(done?) } else { done };
            self.outcomes.take(car, done)?;
        }
        Ok(())
    }

    /// What became of each.
    pub fn answer(self) -> Answer<BatchAnswer> {
        if self.is_one {
            return Answer(BatchAnswer::default()).including(self.outcomes.position());
        }
        self.outcomes.answer()
    }
}
