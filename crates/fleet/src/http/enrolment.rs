//! The open API's bringing in of bikes and gateways.

use axum::extract::State;
use futures::StreamExt;
use kernel::Refusal;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, VoltageSchemeId, Wgs84};
use wire::{Answer, Body, Handled, Permit, Refused, RequestContext, Routes};

use crate::Fleet;
use crate::credential::{Identity, is_gateway_name};
use crate::keeping;
use crate::model::device::{Device, DeviceCommand, Imei};
use crate::model::vehicle::{CarId, Registration, Vehicle, VehicleCommand, VehicleRefusal};
use crate::street::Doors;

const MOST_AT_ONCE: usize = 500;
const IN_FLIGHT: usize = 64;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(Permit::Machine("open:fleet"), routes!(enrol).with_state(fleet.clone()))
        .add(Permit::Machine("open:fleet"), routes!(gateway).with_state(fleet.clone()))
}

/// A bike with its device.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewVehicle {
    /// 车辆编号.
    car_id: String,
    /// Its device, 15 digits.
    imei: String,
    /// 号牌.
    #[serde(default)]
    plate_no: String,
    /// Whose it is.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// Where it works.
    #[schema(value_type = String)]
    area_id: AreaId,
    /// Where it stands, WGS-84.
    lat: f64,
    /// Where it stands, WGS-84.
    lng: f64,
    /// The voltage scheme that it comes with. One that was on the street before has what its keepers gave it.
    #[serde(default)]
    voltage_scheme_id: Option<VoltageSchemeId>,
}

/// Bikes to bring in.
#[derive(Debug, Deserialize, ToSchema)]
struct Batch {
    /// At most 500.
    vehicles: Vec<NewVehicle>,
}

/// What became of one of them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Enrolled {
    /// 车辆编号.
    car_id: String,
    /// The device's MQTT credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What became of them, in the order asked.
#[derive(Debug, Serialize, ToSchema)]
struct BatchResults {
    /// One for each.
    results: Vec<Enrolled>,
}

/// Registers bikes and devices, binds them, takes them into stock and puts them on the street. One that is refused
/// does not hold up the others; one that is there already gets its credential again.
#[utoipa::path(post, path = "/open/v1/vehicles/batch", tag = "open", request_body = Batch,
    responses((status = 200, body = Answer<BatchResults>)))]
async fn enrol(
    State(fleet): State<Fleet>,
    request: RequestContext,
    Body(batch): Body<Batch>,
) -> Handled<BatchResults> {
    if batch.vehicles.is_empty() || batch.vehicles.len() > MOST_AT_ONCE {
        return Err(Refused::malformed(format!("每次需 1 到 {MOST_AT_ONCE} 辆")));
    }
    let areas = batch.vehicles.iter().map(|vehicle| vehicle.area_id).collect();
    let doors = Doors::open(&fleet, &areas).await?;
    let (fleet, request, doors) = (&fleet, &request, &doors);
    let results = futures::stream::iter(batch.vehicles)
        .map(|vehicle| async move {
            let car_id = vehicle.car_id.clone();
            match enrol_one(fleet, request, doors, vehicle).await {
                Ok(secret) => Ok(Enrolled { car_id, secret: Some(secret), error: None }),
                Err(No::Because(text)) => Ok(Enrolled { car_id, secret: None, error: Some(text) }),
                Err(No::Broken(refused)) => Err(refused),
            }
        })
        .buffered(IN_FLIGHT)
        .collect::<Vec<Result<Enrolled, Refused>>>()
        .await;
    Ok(Answer(BatchResults { results: results.into_iter().collect::<Result<_, _>>()? }))
}

/// Why one is not brought in: said beside it, or the end of the whole request.
enum No {
    Because(String),
    Broken(Refused),
}

impl<R: kernel::Refusal> From<kernel::desk::CommandError<R>> for No {
    fn from(error: kernel::desk::CommandError<R>) -> Self {
        use kernel::desk::CommandError;
        match error {
            CommandError::Refused(refusal) => Self::Because(refusal.message()),
            CommandError::NotFound => Self::Because("车辆或服务区不存在，或不在数据范围内".to_owned()),
            other => Self::Broken(other.into()),
        }
    }
}

async fn enrol_one(
    fleet: &Fleet,
    request: &RequestContext,
    doors: &Doors,
    new: NewVehicle,
) -> Result<String, No> {
    let car_id = CarId::try_from(new.car_id).map_err(No::Because)?;
    let imei = Imei::try_from(new.imei).map_err(No::Because)?;
    let place = Wgs84::new(new.lat, new.lng).map_err(|error| No::Because(error.to_string()))?;
    if doors.facts(new.area_id).is_none_or(|area| area.agent != new.agent_id) {
        return Err(No::Because("服务区不存在，或不属于该代理".to_owned()));
    }
    let place_in_area = fleet
        .areas
        .holds(new.area_id, place)
        .await
        .map_err(|error| No::Broken(Refused::unavailable(error)))?;
    // One request id stands for the whole batch, so each bike's commands carry none: they are "already so" when repeated.
    let mut ctx = request.context(serde_json::Value::Null);
    ctx.request_id = None;
    let enrol = VehicleCommand::Enrol {
        registration: Registration {
            car_id: car_id.clone(),
            plate_no: new.plate_no,
            agent_id: new.agent_id,
            area_id: new.area_id,
        },
        imei: imei.to_string(),
        place,
        place_in_area,
    };
    let stands =
        fleet.runtime.desk.load::<Vehicle>(&car_id).await.map_err(|error| No::Broken(error.into()))?;
    // One that was on the street before stays where its keepers put it.
    let takes = !stands.state.was_shelved();
    if takes && let Err(quota) = doors.take(new.area_id) {
        return Err(No::Because(VehicleRefusal::QuotaFull(quota).message()));
    }
    if let Err(refused) = fleet.runtime.desk.execute::<Vehicle>(&car_id, enrol, &ctx).await {
        if takes {
            doors.give_back(new.area_id);
        }
        return Err(refused.into());
    }
    let bike = fleet.runtime.desk.load::<Vehicle>(&car_id).await.map_err(|error| No::Broken(error.into()))?;
    if bike.state.imei() != Some(imei.as_str()) {
        return Err(No::Because(format!("中控 {imei} 已从车辆 {car_id} 解绑")));
    }
    let register = DeviceCommand::Register {
        imei: imei.clone(),
        car_id: car_id.clone(),
        agent_id: new.agent_id,
        area_id: new.area_id,
    };
    fleet.runtime.desk.execute::<Device>(&imei, register, &ctx).await?;
    if takes && new.voltage_scheme_id.is_some() {
        keeping::set_voltage_scheme(fleet, &ctx, &car_id, new.voltage_scheme_id).await.map_err(
            |refused| match refused {
                Refused::Business { text, .. } => No::Because(text),
                other => No::Broken(other),
            },
        )?;
    }
    Ok(fleet.devices.secret(&Identity::Device(imei)))
}

/// A gateway.
#[derive(Debug, Deserialize, ToSchema)]
struct GatewayAsked {
    /// 1 to 40 letters, digits, `-` or `_`.
    name: String,
}

/// What a gateway connects with.
#[derive(Debug, Serialize, ToSchema)]
struct GatewayCredential {
    /// MQTT user name.
    user: String,
    /// MQTT password.
    secret: String,
}

/// Gives a vendor's gateway its MQTT credential.
#[utoipa::path(post, path = "/open/v1/gateways", tag = "open", request_body = GatewayAsked,
    responses((status = 200, body = Answer<GatewayCredential>)))]
async fn gateway(State(fleet): State<Fleet>, Body(body): Body<GatewayAsked>) -> Handled<GatewayCredential> {
    if !is_gateway_name(&body.name) {
        return Err(Refused::malformed("网关名称需 1 到 40 位字母、数字、- 或 _"));
    }
    let identity = Identity::Gateway(body.name);
    tracing::info!(user = identity.user(), "a gateway was given its credential");
    Ok(Answer(GatewayCredential { user: identity.user(), secret: fleet.devices.secret(&identity) }))
}
