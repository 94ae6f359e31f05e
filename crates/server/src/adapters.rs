//! What contexts need of their neighbours, fulfilled here and nowhere else.

use async_trait::async_trait;
use fleet::detail::USE_THRESHOLD_PERCENT;
use fleet::model::device::About;
use fleet::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use fleet::model::rentable;
use fleet::model::screening::Look;
use fleet::model::vehicle::{CarId, Vehicle, VehicleCommand, VehicleRefusal};
use fleet::ports::{AreaFacts, Areas, Downlink, IdleBeside, LiveState, LiveView, PortError};
use kernel::Runtime;
use kernel::{CommandContext, CommandError};
use live::Memory;
use live::fleet::{Beside, Reason, RentFacts, VehicleRecord};
use live::ingest::{Alarms, CommandAcks, Introductions};
use live::report::Flags;
use live::rules::{AlarmKind, Evidence};
use territory::model::area::{Area, AreaState};
use vocabulary::{AgentId, AreaId, CommandId, Timestamp, Wgs84};

/// Service areas, as the desk knows them.
pub struct AreasOfTerritory {
    runtime: Runtime,
}

impl AreasOfTerritory {
    /// From the system's desk.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl Areas for AreasOfTerritory {
    async fn area(&self, id: AreaId) -> Result<Option<AreaFacts>, PortError> {
        let area = self.runtime.desk.load::<Area>(&id).await?.state;
        Ok(area.agent().map(|agent| AreaFacts {
            agent,
            name: area.name().unwrap_or_default().to_owned(),
            open: area.state() == Some(AreaState::Open),
            vehicle_quota: area.terms().vehicle_quota,
        }))
    }

    async fn holds(&self, id: AreaId, place: Wgs84) -> Result<bool, PortError> {
        let area = self.runtime.desk.load::<Area>(&id).await?.state;
        Ok(area.ring().is_some_and(|ring| ring.holds(place)))
    }
}

#[async_trait]
impl access::AreaOwners for AreasOfTerritory {
    async fn owner_of(&self, area: AreaId) -> Result<Option<AgentId>, access::PortError> {
        Ok(self.runtime.desk.load::<Area>(&area).await?.state.agent())
    }
}

/// Commands to devices as NATS messages, which NATS's MQTT listener hands on.
pub struct NatsDownlink {
    downlink: Option<live::ingest::Downlink>,
}

impl NatsDownlink {
    /// Without NATS every send fails, and is tried again while the command is fresh.
    pub fn new(nats: Option<async_nats::Client>) -> Self {
        Self { downlink: nats.map(live::ingest::Downlink::new) }
    }
}

#[async_trait]
impl Downlink for NatsDownlink {
    async fn send(&self, imei: &str, payload: Vec<u8>) -> Result<(), PortError> {
        let downlink = self.downlink.as_ref().ok_or("there is no NATS")?;
        downlink.send_bytes(imei, payload).await
    }
}

/// What bikes last reported, from the live fleet.
pub struct LiveOfMemory(pub Memory);

impl LiveView for LiveOfMemory {
    fn about(&self, car_id: &str) -> Option<About> {
        let fleet = self.0.read();
        fleet.slot(car_id).and_then(|slot| fleet.record(slot)).and_then(VehicleRecord::about)
    }

    fn of(&self, car_id: &str) -> Option<LiveState> {
        let latest = self.0.latest(car_id)?;
        let has = |flag| latest.flags.has(flag);
        Some(LiveState {
            state: latest.state,
            soc_percent: latest.soc_percent,
            speed_kmh: latest.speed_kmh,
            heading_deg: latest.heading_deg,
            place: latest.place.and_then(|place| Wgs84::new(place.lat(), place.lng()).ok()),
            fix_at: latest.fix_at,
            hdop: latest.hdop,
            satellites: latest.satellites,
            gsm: latest.gsm,
            voltage_mv: latest.voltage_mv,
            locked: has(Flags::LOCKED),
            acc: has(Flags::ACC),
            defend: has(Flags::DEFEND),
            battery_present: has(Flags::BATTERY_PRESENT),
            moving: has(Flags::MOVING),
            online: latest.online,
            report_at: latest.report_at,
            heard_at: latest.heard_at,
        })
    }

    fn beside(&self, car_id: &str, now: Timestamp) -> Option<IdleBeside> {
        let fleet = self.0.read();
        let beside = fleet.beside(fleet.slot(car_id)?, now)?;
        let Beside { bikes, mean_idle_ms, likely_lost } = beside;
        Some(IdleBeside { bikes, mean_idle_ms, likely_lost })
    }

    fn each(&self, see: &mut dyn FnMut(&Look<'_>)) {
        let fleet = self.0.read();
        for slot in 0..fleet.len() as u32 {
            let Some(record) = fleet.record(slot) else { continue };
            let latest = fleet.latest_in(slot);
            let latest = latest.as_ref();
            see(&Look {
                car_id: &record.car_id,
                imei: record.device(),
                model: record.model.as_deref(),
                firmware: record.firmware.as_deref(),
                agent: record.agent,
                area: record.area,
                lifecycle: record.lifecycle.into(),
                riding: record.riding_state.into(),
                operations: record.operation_states.0,
                alarms: record.alarm_states.0,
                tags: &record.tags,
                voltage_scheme: record.voltage_scheme,
                idle_since_ms: record.idle_since_ms,
                last_ride_end_ms: record.last_ride_end_ms,
                online: latest.is_some_and(|latest| latest.online),
                soc_percent: latest.map(|latest| latest.soc_percent),
                gsm: latest.and_then(|latest| latest.gsm),
                voltage_mv: latest.and_then(|latest| latest.voltage_mv),
                report_at_ms: latest.map(|latest| latest.report_at.millis()),
            });
        }
    }
}

/// The fleet's rule of renting, for the live fleet's facts.
pub fn reasons(facts: &RentFacts) -> Vec<Reason> {
    let operations: Vec<OperationState> = facts
        .operation_states
        .iter()
        .filter_map(|code| OperationState::try_from(i16::from(code)).ok())
        .collect();
    let alarms: Vec<AlarmState> =
        facts.alarm_states.iter().filter_map(|code| AlarmState::try_from(i16::from(code)).ok()).collect();
    rentable::reasons(&rentable::Facts {
        lifecycle: Lifecycle::try_from(i16::from(facts.lifecycle)).unwrap_or(Lifecycle::Expected),
        riding: RidingState::try_from(i16::from(facts.riding_state)).unwrap_or(RidingState::Idle),
        operations: &operations,
        alarms: &alarms,
        soc_percent: facts.soc_percent,
        use_threshold_percent: USE_THRESHOLD_PERCENT,
        online: facts.online,
        area_open: facts.area_state == Some(AreaState::Open as i16),
    })
    .into_iter()
    .map(|reason| Reason { code: reason.code.to_owned(), text: reason.text })
    .collect()
}

/// Judgements as commands to the fleet.
pub struct AlarmsOfFleet {
    runtime: Runtime,
}

impl AlarmsOfFleet {
    /// At the system's desk.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }

    async fn tell(
        &self,
        car_id: &str,
        alarm: AlarmKind,
        raised: bool,
        evidence: Evidence,
    ) -> Result<(), PortError> {
        let car_id = CarId::try_from(car_id.to_owned())?;
        let command = match alarm.alarm_state() {
            None => {
                // Told again when its charge is known.
                let Some(soc_percent) = evidence.soc_percent else { return Ok(()) };
                VehicleCommand::MarkLowBattery { low: raised, soc_percent }
            }
            Some(code) => {
                let alarm = AlarmState::try_from(i16::from(code))?;
                let evidence = serde_json::to_string(&evidence)?;
                if raised {
                    VehicleCommand::RaiseAlarm { alarm, evidence }
                } else {
                    VehicleCommand::ClearAlarm { alarm, evidence }
                }
            }
        };
        let ctx = CommandContext::of_system("live-rules", self.runtime.clock.now());
        match self.runtime.desk.execute::<Vehicle>(&car_id, command, &ctx).await {
            Ok(_) | Err(CommandError::Refused(VehicleRefusal::Unknown)) => Ok(()),
            Err(error) => Err(format!("{error:?}").into()),
        }
    }
}

#[async_trait]
impl Alarms for AlarmsOfFleet {
    async fn raise(&self, car_id: &str, alarm: AlarmKind, evidence: Evidence) -> Result<(), PortError> {
        self.tell(car_id, alarm, true, evidence).await
    }

    async fn clear(&self, car_id: &str, alarm: AlarmKind, evidence: Evidence) -> Result<(), PortError> {
        self.tell(car_id, alarm, false, evidence).await
    }
}

/// What devices say they are, as commands to the fleet.
pub struct IntroductionsOfFleet {
    runtime: Runtime,
}

impl IntroductionsOfFleet {
    /// At the system's desk.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl Introductions for IntroductionsOfFleet {
    async fn introduced(&self, imei: &str, about: &About) -> Result<bool, PortError> {
        Ok(fleet::introduction::introduced(&self.runtime, imei, about.clone()).await?)
    }
}

/// Devices' answers as commands to the fleet.
pub struct AcksOfFleet {
    runtime: Runtime,
}

impl AcksOfFleet {
    /// At the system's desk.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl CommandAcks for AcksOfFleet {
    async fn acknowledged(
        &self,
        imei: &str,
        command_id: i64,
        code: i32,
        _at: Timestamp,
    ) -> Result<(), PortError> {
        fleet::sender::acknowledged(&self.runtime, imei, CommandId(command_id), code).await?;
        Ok(())
    }
}
