//! What riding needs of the fleet, of territory and of the world outside, fulfilled here; and what locks answer, told to riding.

use std::sync::Arc;

use async_trait::async_trait;
use fleet::Fleet;
use fleet::model::command::{CommandCommand, CommandEvent, CommandKind, DeviceCommandState, Order};
use fleet::model::device::Imei;
use fleet::model::vehicle::{CarId, RideAction as OfVehicle, Vehicle, VehicleCommand, VehicleRefusal};
use geofence::Rule;
use geofence::judge::{Judgement, Known, Stop};
use kernel::reactor::request_id;
use kernel::{
    Aggregate, AnyRefusal, CommandContext, CommandError, ReactError, Reactor, Recorded, Runtime, Transaction,
};
use live::Memory;
use riding::Context;
use riding::app::LockAnswer;
use riding::model::certainty::Fix;
use riding::model::mispricing::Wrong;
use riding::model::order::FenceVersion;
use riding::ports::{
    AreaFacts, Around, Bike, Bikes, DeviceMoments, Drawn, LastReport, LockAction, NearBike, Otherwise,
    Parking, Places, PortError, RideAction, Scanned, TrackPoint,
};
use territory::app::atlas::Judges;
use territory::app::otherwise::Swap;
use territory::model::area::{Area, AreaState};
use vocabulary::{
    AgentId, AreaId, CommandId, FenceId, RideOrderId, RiderId, Scope, Timestamp, Wgs84, distance_m,
};
use wire::{Refused, Seen};

/// The rule's name in the log.
const LOCKS: &str = "riding-locks";

/// The bikes of the fleet, as the live context hears of them.
pub struct BikesOfFleet {
    fleet: Fleet,
    memory: Memory,
}

impl BikesOfFleet {
    /// From the fleet's log and memory.
    pub const fn new(fleet: Fleet, memory: Memory) -> Self {
        Self { fleet, memory }
    }
}

fn refused(refusal: VehicleRefusal) -> CommandError<AnyRefusal> {
    CommandError::Refused(refusal).of_any()
}

const fn of_vehicle(action: RideAction) -> OfVehicle {
    match action {
        RideAction::Reserve => OfVehicle::Reserve,
        RideAction::Cancel => OfVehicle::Cancel,
        RideAction::Unlock => OfVehicle::Unlock,
        RideAction::Pause => OfVehicle::Pause,
        RideAction::Resume => OfVehicle::Resume,
        RideAction::Return => OfVehicle::Return,
    }
}

#[async_trait]
impl Bikes for BikesOfFleet {
    async fn ride(
        &self,
        tx: &mut Transaction,
        car_id: &str,
        action: RideAction,
        rider: RiderId,
    ) -> Result<Bike, CommandError<AnyRefusal>> {
        let id = CarId::try_from(car_id.to_owned()).map_err(|_| refused(VehicleRefusal::Unknown))?;
        let command = VehicleCommand::Ride { action: of_vehicle(action), rider: rider.to_string() };
        tx.execute::<Vehicle>(&id, command).await?;
        let vehicle = tx.load::<Vehicle>(&id).await?.state;
        let known = vehicle.registration().ok_or_else(|| refused(VehicleRefusal::Unknown))?;
        Ok(Bike {
            car_id: car_id.to_owned(),
            imei: vehicle.imei().unwrap_or_default().to_owned(),
            agent_id: known.agent_id,
            area_id: known.area_id,
        })
    }

    async fn tell(
        &self,
        tx: &mut Transaction,
        bike: &Bike,
        action: LockAction,
        command: CommandId,
        reason: &str,
    ) -> Result<(), CommandError<AnyRefusal>> {
        let unknown = |_| refused(VehicleRefusal::Unknown);
        let order = Order {
            command_id: command,
            car_id: CarId::try_from(bike.car_id.clone()).map_err(unknown)?,
            imei: Imei::try_from(bike.imei.clone()).map_err(unknown)?,
            agent_id: bike.agent_id,
            area_id: bike.area_id,
            kind: match action {
                LockAction::Open => CommandKind::Unlock,
                LockAction::Close => CommandKind::Lock,
            },
            reason: reason.to_owned(),
            by: "骑行用户".to_owned(),
            wait_minutes: None,
            package: None,
        };
        tx.execute::<DeviceCommandState>(&command, CommandCommand::Request(order)).await
    }

    async fn scanned(&self, scope: &Scope, car_id: &str) -> Result<Option<Scanned>, PortError> {
        let found = fleet::http::vehicles::detail_of(&self.fleet, scope, Seen(None), car_id).await?;
        let Some(detail) = found else { return Ok(None) };
        let bike = Bike {
            imei: detail.imei.unwrap_or_default(),
            agent_id: AgentId(detail.agent_id.parse()?),
            area_id: AreaId(detail.area_id.parse()?),
            car_id: detail.car_id,
        };
        let reasons =
            detail.reasons.into_iter().map(|reason| (reason.code.to_owned(), reason.text)).collect();
        Ok(Some(Scanned { bike, reasons }))
    }

    fn last_report(&self, car_id: &str) -> Option<LastReport> {
        let latest = self.fleet.live.of(car_id)?;
        Some(LastReport {
            place: latest.place,
            fix_at: latest.fix_at,
            hdop: latest.hdop.map(f64::from),
            heading_degrees: latest.heading_deg.into(),
            soc_percent: latest.soc_percent,
            locked: latest.locked,
            moving: latest.moving,
            online: latest.online,
            report_at: latest.report_at,
        })
    }

    async fn near(
        &self,
        scope: &Scope,
        place: Wgs84,
        within_m: f64,
        most: usize,
    ) -> Result<Vec<NearBike>, PortError> {
        let fleet = self.memory.read();
        let mut near: Vec<NearBike> = fleet
            .rentable_bikes()
            .filter(|(car_id, owner, ..)| scope.reaches(*owner, car_id))
            .filter_map(|(car_id, owner, at, soc_percent)| {
                let at = Wgs84::new(at.lat(), at.lng()).ok()?;
                let away_m = distance_m(place, at);
                let area_id = owner.area?;
                (away_m <= within_m).then(|| NearBike {
                    car_id: car_id.to_owned(),
                    area_id,
                    place: at,
                    soc_percent,
                    distance_m: away_m,
                })
            })
            .collect();
        drop(fleet);
        near.sort_by(|a, b| a.distance_m.total_cmp(&b.distance_m).then_with(|| a.car_id.cmp(&b.car_id)));
        near.truncate(most);
        Ok(near)
    }

    async fn distance_m(&self, car_id: &str, from: Timestamp, until: Timestamp) -> Result<i64, PortError> {
        let mut db = self.fleet.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let metres = live::ingest::travelled_m(&mut db, car_id, from, until).await?;
        Ok(metres.round() as i64)
    }

    async fn track(
        &self,
        car_id: &str,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<TrackPoint>, PortError> {
        let mut db = self.fleet.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let points = live::ingest::track(&mut db, car_id, from, until).await?;
        let point = |point: live::ingest::Point| {
            let place = Wgs84::new(point.lat, point.lng).ok()?;
            Some(TrackPoint { at: Timestamp::from_millis(point.at), place, speed_kmh: point.speed })
        };
        Ok(points.into_iter().filter_map(point).collect())
    }

    async fn moments(
        &self,
        car_id: &str,
        from: Timestamp,
        until: Timestamp,
        place: Option<Wgs84>,
    ) -> Result<DeviceMoments, PortError> {
        let mut db = self.fleet.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let told = live::ingest::lock_moments(&mut db, car_id, from, until).await?;
        let stood_since = match place {
            Some(place) => live::ingest::stood_since(&mut db, car_id, from, until, place).await?,
            None => None,
        };
        Ok(DeviceMoments { lock_open_at: told.open_at, lock_closed_at: told.closed_at, stood_since })
    }

    async fn fixes(&self, car_id: &str, from: Timestamp, until: Timestamp) -> Result<Vec<Fix>, PortError> {
        let mut db = self.fleet.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let kept = live::ingest::fixes(&mut db, car_id, from, until, 20).await?;
        Ok(kept
            .into_iter()
            .map(|fix| Fix { place: fix.place, hdop: fix.hdop.unwrap_or(1.0), at: fix.at })
            .collect())
    }
}

/// Service areas and fences, as territory keeps them.
pub struct PlacesOfTerritory {
    runtime: Runtime,
    judges: Judges,
}

impl PlacesOfTerritory {
    /// From the system's desk and read models, and the fences in memory.
    pub const fn new(runtime: Runtime, judges: Judges) -> Self {
        Self { runtime, judges }
    }
}

fn facts(area: &Area) -> Option<AreaFacts> {
    area.agent().map(|agent_id| AreaFacts {
        agent_id,
        name: area.name().unwrap_or_default().to_owned(),
        open: area.state() == Some(AreaState::Open),
    })
}

#[async_trait]
impl Places for PlacesOfTerritory {
    async fn judge(&self, stop: &Stop) -> Result<Judgement, PortError> {
        let judge = self.judges.now(&self.runtime).await?;
        Ok(judge.atlas.judge(stop, |_| 0))
    }

    async fn area(&self, id: AreaId) -> Result<Option<AreaFacts>, PortError> {
        Ok(facts(&self.runtime.desk.load::<Area>(&id).await?.state))
    }

    async fn area_in(
        &self,
        tx: &mut Transaction,
        id: AreaId,
    ) -> Result<Option<AreaFacts>, CommandError<AnyRefusal>> {
        Ok(facts(&tx.load::<Area>(&id).await?.state))
    }

    async fn area_at(&self, place: Wgs84) -> Result<Option<AreaId>, PortError> {
        let judge = self.judges.now(&self.runtime).await?;
        let stop = Stop::new(place, self.runtime.clock.now(), 1.0, None);
        Ok(judge.atlas.judge(&stop, |_| 0).area.map(|(area, _)| area))
    }

    async fn parking(&self, id: FenceId) -> Result<Option<Parking>, PortError> {
        let fence = self.runtime.desk.load::<territory::model::fence::Fence>(&id).await?.state;
        Ok(fence.drawing().map(|drawing| Parking {
            fence_id: id,
            name: drawing.name.clone(),
            place: drawing.shape.center(),
        }))
    }

    async fn around(
        &self,
        judged: &Judgement,
        stop: &Stop,
        phone: Option<Wgs84>,
    ) -> Result<Around, PortError> {
        let judge = self.judges.now(&self.runtime).await?;
        let into_m = |place: Wgs84| judge.atlas.into_m(judged, &Stop { place, ..stop.clone() }, |_| 0);
        let nearest = judged.nearest.and_then(|nearest| judge.atlas.version(nearest.fence));
        let asks = match nearest.map(|fence| &fence.rule) {
            Some(Rule::Parking(asks)) => Some(asks),
            _ => None,
        };
        Ok(Around {
            into_m: into_m(stop.place),
            phone_into_m: phone.and_then(into_m),
            wanted: asks.map(|asks| asks.proofs.clone()).unwrap_or_default(),
            direction: asks.and_then(|asks| asks.direction),
        })
    }

    async fn otherwise(
        &self,
        area: AreaId,
        between: (Timestamp, Timestamp),
        wrong: &Wrong,
    ) -> Result<Option<Otherwise>, PortError> {
        let swap = Swap { fence: wrong.fence_id, version: wrong.version, instead: wrong.instead };
        let found = territory::app::otherwise::otherwise(&self.runtime, area, between, swap).await?;
        Ok(found.map(|found| Otherwise {
            was: Arc::new(found.was),
            instead: Arc::new(found.instead),
            kind: found.kind,
            name: found.name,
            bounds: found.bounds,
            spans: found.spans,
        }))
    }

    async fn drawn(&self, fence: FenceVersion) -> Result<Option<Drawn>, PortError> {
        let judge = self.judges.now(&self.runtime).await?;
        let known = Known { id: fence.fence_id, data_version: fence.data_version };
        let Some(drawn) = judge.atlas.version(known) else { return Ok(None) };
        let named = self.runtime.desk.load::<territory::model::fence::Fence>(&fence.fence_id).await?.state;
        Ok(Some(Drawn {
            name: named.drawing().map(|drawing| drawing.name.clone()).unwrap_or_default(),
            kind: drawn.rule.kind(),
            shape: drawn.shape.clone(),
        }))
    }
}

/// Tells riding what locks answered, or that they did not: a command that unlocks for an order has the order's id.
pub struct LockAnswers {
    riding: Context,
}

impl LockAnswers {
    /// For `riding`.
    pub const fn new(riding: Context) -> Self {
        Self { riding }
    }
}

#[async_trait]
impl Reactor for LockAnswers {
    fn name(&self) -> &'static str {
        LOCKS
    }

    fn categories(&self) -> &'static [&'static str] {
        &[DeviceCommandState::CATEGORY]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        let (answer, at) =
            match event.decode::<CommandEvent>().map_err(|error| ReactError::Never(error.into()))? {
                CommandEvent::Acknowledged { code: 0, at } => (LockAnswer::Opened, at),
                CommandEvent::Acknowledged { at, .. } => (LockAnswer::Failed, at),
                CommandEvent::TimedOut { at } => (LockAnswer::Silent, at),
                CommandEvent::Requested { .. }
                | CommandEvent::Sent { .. }
                | CommandEvent::Cancelled { .. }
                | CommandEvent::AcknowledgedLate { .. } => {
                    return Ok(());
                }
            };
        let order: RideOrderId =
            event.stream_id.parse().map_err(|_| ReactError::Never("a command has a number".into()))?;
        let ctx = CommandContext {
            request_id: Some(request_id(LOCKS, event, "answer")),
            causation: Some(event.position),
            ..CommandContext::of_system(LOCKS, at)
        };
        match self.riding.lock_answered(&ctx, order, answer).await {
            // Ended by something else meanwhile.
            Ok(()) | Err(Refused::Business { .. }) => Ok(()),
            Err(error) => Err(ReactError::Later(Arc::new(error).to_string().into())),
        }
    }
}
