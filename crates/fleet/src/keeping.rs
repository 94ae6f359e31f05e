//! Keeping the fleet: what is asked of one bike, with its device where that changes too.

use std::collections::BTreeSet;

use kernel::{CommandContext, CommandError, Receipt, Transaction};
use vocabulary::{AreaId, Scope, Timestamp, VoltageSchemeId};
use wire::Refused;

use crate::Fleet;
use crate::model::device::{Device, DeviceCommand, Imei};
use crate::model::vehicle::{
    CarId, FRESH_MINUTES, KeepAct, Offered, Place, Upkeep, Vehicle, VehicleCommand, VehicleRefusal,
};
use crate::model::voltage_scheme::{SchemeState, VoltageScheme};
use crate::street::Doors;

const MINUTE_MS: i64 = 60_000;

/// What is asked of each of several bikes.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What.
    pub act: KeepAct,
    /// Why.
    pub reason: String,
    /// Where to, for 调往.
    pub to: Option<AreaId>,
    /// What they are called from now on.
    pub add: Vec<String>,
    /// What they are no more called.
    pub remove: Vec<String>,
    /// The device, for 绑定.
    pub imei: Option<Imei>,
    /// What tells of their batteries, for 设置电压方案; nothing: none.
    pub voltage_scheme: Option<VoltageSchemeId>,
}

/// Doors of the areas in which these bikes work, as far as they are in `scope`.
pub async fn doors(fleet: &Fleet, scope: &Scope, cars: Vec<CarId>) -> Result<Doors, Refused> {
    let mut areas = BTreeSet::new();
    for car in &cars {
        let bike = fleet.runtime.desk.load::<Vehicle>(car).await?.state;
        if let Some(of) = bike.registration()
            && kernel::Aggregate::lies_in(&bike, scope)
        {
            areas.insert(of.area_id);
        }
    }
    Doors::open(fleet, &areas).await
}

/// Does what is asked with one bike. `doors` are open for whoever goes onto the street.
pub async fn keep(
    fleet: &Fleet,
    ctx: &CommandContext,
    car: &CarId,
    asked: &Asked,
    doors: Option<&Doors>,
) -> Result<Receipt, Refused> {
    let reason = asked.reason.clone();
    match asked.act {
        KeepAct::Shelve => shelve(fleet, ctx, car, doors).await,
        KeepAct::Unshelve => alone(fleet, ctx, car, Upkeep::Unshelve { reason }).await,
        KeepAct::Restock => alone(fleet, ctx, car, Upkeep::Restock { reason }).await,
        KeepAct::SendToFactory => alone(fleet, ctx, car, Upkeep::SendToFactory { reason }).await,
        KeepAct::ReportLost => alone(fleet, ctx, car, Upkeep::ReportLost { reason }).await,
        KeepAct::Find => alone(fleet, ctx, car, Upkeep::Find { reason }).await,
        KeepAct::Tag => {
            let upkeep = Upkeep::Tag { add: asked.add.clone(), remove: asked.remove.clone() };
            alone(fleet, ctx, car, upkeep).await
        }
        KeepAct::Scrap => without_device(fleet, ctx, car, Upkeep::Scrap { reason }).await,
        KeepAct::Unbind => without_device(fleet, ctx, car, Upkeep::Unbind { reason }).await,
        KeepAct::Bind => bind(fleet, ctx, car, asked.imei.as_ref()).await,
        KeepAct::SetVoltageScheme => set_voltage_scheme(fleet, ctx, car, asked.voltage_scheme).await,
        KeepAct::Relocate => relocate(fleet, ctx, car, asked.to, reason).await,
    }
}

async fn alone(fleet: &Fleet, ctx: &CommandContext, car: &CarId, upkeep: Upkeep) -> Result<Receipt, Refused> {
    Ok(fleet.runtime.desk.execute::<Vehicle>(car, VehicleCommand::Keep(upkeep), ctx).await?)
}

async fn shelve(
    fleet: &Fleet,
    ctx: &CommandContext,
    car: &CarId,
    doors: Option<&Doors>,
) -> Result<Receipt, Refused> {
    let bike = fleet.runtime.desk.load::<Vehicle>(car).await?.state;
    let area = bike.registration().map(|of| of.area_id).ok_or_else(Refused::not_found)?;
    let doors = doors.ok_or_else(|| Refused::internal("bikes go onto the street through doors"))?;
    let fix = fresh_fix(fleet, car, ctx.now);
    let is_inside = match fix {
        Some(fix) => fleet.areas.holds(area, fix).await.map_err(Refused::unavailable)?,
        None => false,
    };
    let full = doors.take(area).err();
    let place =
        Place { area, fix, is_inside, is_open: doors.facts(area).is_some_and(|facts| facts.open), full };
    let done = alone(fleet, ctx, car, Upkeep::Shelve(place)).await;
    // What was refused, or done before, takes no place.
    if full.is_none() && !done.as_ref().is_ok_and(|receipt| !receipt.repeated) {
        doors.give_back(area);
    }
    done
}

fn fresh_fix(fleet: &Fleet, car: &CarId, now: Timestamp) -> Option<vocabulary::Wgs84> {
    let live = fleet.live.of(&car.to_string())?;
    let at = live.fix_at?;
    (now.millis_since(at) <= FRESH_MINUTES * MINUTE_MS).then_some(live.place).flatten()
}

/// The bike gives its device back, and the device lies on no bike.
async fn without_device(
    fleet: &Fleet,
    ctx: &CommandContext,
    car: &CarId,
    upkeep: Upkeep,
) -> Result<Receipt, Refused> {
    let taking_off = async |mut tx: Transaction| -> Result<_, Refused> {
        let imei = tx.load::<Vehicle>(car).await?.state.imei().map(ToOwned::to_owned);
        tx.execute::<Vehicle>(car, VehicleCommand::Keep(upkeep.clone())).await?;
        if let Some(imei) = imei {
            let imei = Imei::try_from(imei).map_err(Refused::internal)?;
            if tx.load::<Device>(&imei).await?.version > 0 {
                tx.execute::<Device>(&imei, DeviceCommand::Unbind).await?;
            }
        }
        Ok(tx)
    };
    fleet.runtime.desk.transact(ctx, taking_off).await
}

async fn bind(
    fleet: &Fleet,
    ctx: &CommandContext,
    car: &CarId,
    imei: Option<&Imei>,
) -> Result<Receipt, Refused> {
    let imei = imei.ok_or_else(|| Refused::business("device-due", "请填写要绑定的中控 IMEI"))?;
    let binding = async |mut tx: Transaction| -> Result<_, Refused> {
        let upkeep = Upkeep::Bind { imei: imei.to_string() };
        tx.execute::<Vehicle>(car, VehicleCommand::Keep(upkeep)).await?;
        let bike = tx.load::<Vehicle>(car).await?.state;
        let of = bike.registration().ok_or_else(Refused::not_found)?;
        let (agent_id, area_id) = (of.agent_id, of.area_id);
        tx.execute::<Device>(imei, DeviceCommand::Follow { agent_id, area_id }).await?;
        let register = DeviceCommand::Register { imei: imei.clone(), car_id: car.clone(), agent_id, area_id };
        tx.execute::<Device>(imei, register).await?;
        Ok(tx)
    };
    fleet.runtime.desk.transact(ctx, binding).await
}

/// The scheme is held as it was seen: none is given away while it goes. One of an agent beyond the scope is as one that there is not.
pub async fn set_voltage_scheme(
    fleet: &Fleet,
    ctx: &CommandContext,
    car: &CarId,
    to: Option<VoltageSchemeId>,
) -> Result<Receipt, Refused> {
    let Some(id) = to else { return alone(fleet, ctx, car, Upkeep::SetVoltageScheme(None)).await };
    let unknown = || CommandError::Refused(VehicleRefusal::VoltageSchemeUnknown);
    let setting = async |mut tx: Transaction| -> Result<_, Refused> {
        let scheme = tx.load::<VoltageScheme>(&id).await?.state;
        let agent = scheme.agent();
        let reached = agent.is_none_or(|agent| ctx.scope.agents.contains(&agent));
        let form = scheme.form().filter(|_| reached).ok_or_else(unknown)?;
        let is_enabled = form.state == SchemeState::Enabled;
        let offered = Offered { id, agent, name: form.name.clone(), is_enabled };
        let upkeep = Upkeep::SetVoltageScheme(Some(offered));
        tx.execute::<Vehicle>(car, VehicleCommand::Keep(upkeep)).await?;
        Ok(tx)
    };
    fleet.runtime.desk.transact(ctx, setting).await
}

/// The device goes with its bike.
async fn relocate(
    fleet: &Fleet,
    ctx: &CommandContext,
    car: &CarId,
    to: Option<AreaId>,
    reason: String,
) -> Result<Receipt, Refused> {
    let to = to.ok_or_else(|| Refused::business("area-due", "请选择要调往的服务区"))?;
    let area = fleet.areas.area(to).await.map_err(Refused::unavailable)?;
    let agent = area
        .map(|area| area.agent)
        .filter(|agent| ctx.scope.contains(vocabulary::DataOwner::of_area(*agent, to)))
        .ok_or_else(|| Refused::business("area-unknown", "服务区不存在，或不在您的数据范围内"))?;
    let moving = async |mut tx: Transaction| -> Result<_, Refused> {
        let upkeep = Upkeep::Relocate { to, agent, reason: reason.clone() };
        tx.execute::<Vehicle>(car, VehicleCommand::Keep(upkeep)).await?;
        let imei = tx.load::<Vehicle>(car).await?.state.imei().map(ToOwned::to_owned);
        if let Some(imei) = imei {
            let imei = Imei::try_from(imei).map_err(Refused::internal)?;
            tx.execute::<Device>(&imei, DeviceCommand::Follow { agent_id: agent, area_id: to }).await?;
        }
        Ok(tx)
    };
    fleet.runtime.desk.transact(ctx, moving).await
}
