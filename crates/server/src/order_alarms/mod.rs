//! Alarms that no report tells: what orders and the lives of bikes say, as commands to the fleet. Every round compares what
//! should ring with what rings, so that nothing hangs on an event that was missed.

mod judge;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use fleet::model::region::AlarmState;
use fleet::model::vehicle::{CarId, Vehicle, VehicleCommand, VehicleRefusal};
use kernel::{CommandContext, CommandError, Runtime};
use live::Memory;
use live::fleet::VehicleRecord;
use live::rules::Evidence;
use riding::model::alarm_rules::AlarmRules;
use riding::ports::{Bikes, PortError};
use riding::read::configs;
use riding::read::order_alarms::{self, Running};
use vocabulary::{AreaId, RideOrderId, Scope, Timestamp, Wgs84, distance_m};

use judge::Ride;

/// The rule's name in the log.
const RULE: &str = "order-alarms";
const EVERY: Duration = Duration::from_secs(10);
/// A row of short orders is looked for where one ended so lately: longer than this nobody looked.
const LATELY_MS: i64 = 3_600_000;
/// What this judges.
const KINDS: [AlarmState; 4] = [
    AlarmState::RideWithoutTrip,
    AlarmState::ReportedLost,
    AlarmState::RideTooLong,
    AlarmState::RideTooShort,
];

/// What should ring on each bike, as far as a round can say.
type Wanted = BTreeMap<(String, AlarmState), bool>;

/// Looks at orders and bikes.
pub struct OrderAlarms {
    runtime: Runtime,
    memory: Memory,
    bikes: std::sync::Arc<dyn Bikes>,
}

/// Orders whose bike was seen to have left its place: it went, wherever it is now.
#[derive(Default)]
struct Moved(HashSet<RideOrderId>);

impl OrderAlarms {
    /// With the orders' own sight of bikes.
    pub fn new(runtime: Runtime, memory: Memory, bikes: std::sync::Arc<dyn Bikes>) -> Self {
        Self { runtime, memory, bikes }
    }

    /// Every ten seconds, where this process leads.
    pub async fn run(self) {
        let moved = tokio::sync::Mutex::new(Moved::default());
        kernel::every_while_leading(&self.runtime, RULE, EVERY, async |_| {
            if let Err(error) = self.look(&mut *moved.lock().await).await {
                tracing::warn!(error = %error, "cannot look for alarms of orders; it is tried again");
            }
        })
        .await;
    }

    async fn look(&self, moved: &mut Moved) -> Result<(), PortError> {
        let now = self.runtime.clock.now();
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let rules: HashMap<AreaId, AlarmRules> =
            configs::counting::<AlarmRules>(&mut *db, now).await?.into_iter().collect();
        let running = order_alarms::running(&mut *db).await?;
        let concerned = self.concerned();
        let rung_short: Vec<&str> = rung(&concerned, AlarmState::RideTooShort).collect();
        let ended = order_alarms::ended(&mut *db, now.plus_millis(-LATELY_MS), &rung_short).await?;
        drop(db);
        let usual = AlarmRules::default();
        let of = |area: Option<AreaId>| area.and_then(|area| rules.get(&area)).unwrap_or(&usual);

        let mut wanted = Wanted::new();
        for bike in &concerned {
            wanted.insert((bike.car_id.clone(), AlarmState::ReportedLost), judge::is_lost(bike));
            // Of what runs it is said below; what does not run cannot ring.
            for over in [AlarmState::RideWithoutTrip, AlarmState::RideTooLong] {
                wanted.insert((bike.car_id.clone(), over), false);
            }
        }
        moved.0.retain(|order| running.iter().any(|one| one.order_id == *order));
        for one in &running {
            let rules = of(Some(one.area_id));
            let age_ms = now.millis_since(one.started_at());
            let too_long = judge::is_too_long(rules, age_ms);
            wanted.insert((one.car_id.clone(), AlarmState::RideTooLong), too_long);
            let ride = self.ride(one, rules, now, moved).await?;
            let no_trip = (one.car_id.clone(), AlarmState::RideWithoutTrip);
            match judge::has_no_trip(rules, ride) {
                Some(rings) => wanted.insert(no_trip, rings),
                None => wanted.remove(&no_trip),
            };
        }
        for of_bike in &ended {
            let rings = rung_short.contains(&&*of_bike.car_id);
            let short = judge::are_too_short(of(Some(of_bike.area_id)), &of_bike.ridden_s, rings);
            wanted.insert((of_bike.car_id.clone(), AlarmState::RideTooShort), short);
        }
        self.tell(wanted, now).await
    }

    /// Bikes that ring for what is judged here, or that are lost.
    fn concerned(&self) -> Vec<VehicleRecord> {
        let kinds = KINDS.map(|kind| kind.number() as u8);
        let fleet = self.memory.read();
        let concerned =
            |record: &&VehicleRecord| record.alarm_states.has_any(&kinds) || judge::is_lost(record);
        fleet.records().filter(concerned).cloned().collect()
    }

    async fn ride(
        &self,
        one: &Running,
        rules: &AlarmRules,
        now: Timestamp,
        moved: &mut Moved,
    ) -> Result<Ride, PortError> {
        let latest = self.memory.latest(&one.car_id);
        let place = latest.as_ref().and_then(|latest| latest.place);
        let place = place.and_then(|place| Wgs84::new(place.lat(), place.lng()).ok());
        let far_m = f64::from(rules.no_trip_distance_m);
        let is_far = place.zip(one.start()).is_some_and(|(at, start)| distance_m(at, start) > far_m);
        if is_far {
            moved.0.insert(one.order_id);
        }
        let ride = |has_moved| Ride {
            age_ms: now.millis_since(one.started_at()),
            is_heard: latest.as_ref().is_some_and(|latest| latest.online),
            has_moved,
        };
        let known = moved.0.contains(&one.order_id);
        // One that came back is told from one that never left by its reports; only where it would ring.
        if !known && judge::has_no_trip(rules, ride(false)) == Some(true) {
            let went_m = self.bikes.distance_m(&one.car_id, one.started_at(), now).await?;
            if went_m > i64::from(rules.no_trip_distance_m) {
                moved.0.insert(one.order_id);
            }
        }
        Ok(ride(moved.0.contains(&one.order_id)))
    }

    /// Tells the bikes whose alarms are not as they should be.
    async fn tell(&self, wanted: Wanted, now: Timestamp) -> Result<(), PortError> {
        for ((car, alarm), rings) in wanted {
            let code = alarm.number() as u8;
            let record = {
                let fleet = self.memory.read();
                fleet.slot(&car).and_then(|slot| fleet.record(slot)).cloned()
            };
            if record.is_none_or(|record| record.alarm_states.has(code) == rings) {
                continue;
            }
            let evidence = serde_json::to_string(&self.evidence(&car, now))?;
            let command = if rings {
                VehicleCommand::RaiseAlarm { alarm, evidence }
            } else {
                VehicleCommand::ClearAlarm { alarm, evidence }
            };
            let ctx = CommandContext::of_system(RULE, now);
            match self.runtime.desk.execute::<Vehicle>(&CarId::try_from(car)?, command, &ctx).await {
                Ok(_) | Err(CommandError::Refused(VehicleRefusal::Unknown)) => {}
                Err(error) => return Err(format!("{error:?}").into()),
            }
        }
        Ok(())
    }

    fn evidence(&self, car: &str, now: Timestamp) -> Evidence {
        let latest = self.memory.latest(car);
        let place = latest.as_ref().and_then(|latest| latest.place);
        Evidence {
            at: now.millis(),
            lat: place.map(live::report::Place::lat),
            lng: place.map(live::report::Place::lng),
            soc_percent: latest.map(|latest| latest.soc_percent),
            ..Evidence::default()
        }
    }
}

fn rung(bikes: &[VehicleRecord], alarm: AlarmState) -> impl Iterator<Item = &str> {
    let code = alarm.number() as u8;
    bikes.iter().filter(move |bike| bike.alarm_states.has(code)).map(|bike| bike.car_id.as_str())
}
