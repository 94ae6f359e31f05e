//! Tables `vehicle_log` and `vehicle_log_thread`: a bike's life, built from its own events, its device's, those of what it was told
//! and of the orders that it was ridden by.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Actor, Aggregate, Change, List, Position, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, Choice, RideOrderId, Scope};

use crate::model::command::{CommandEvent, CommandKind, CommandState, DeviceCommandState};
use crate::model::device::{About, Device, DeviceEvent};
use crate::model::life::{self, Acted, ActorKind, LifeChange, LifeEvent, LifeGroup, Told};
use crate::model::region::RidingState;
use crate::model::vehicle::{CarId, Vehicle, VehicleEvent};
use crate::ports::OrderLife;

/// The name of the read model.
pub const NAME: &str = "vehicle_log";
/// What follows from an event follows within this time, as far as a trace is handed on.
const FOLLOWS_WITHIN_MS: i64 = 86_400_000;
/// What an order's state is called in a change.
const ORDER_STATE: &str = "订单状态";

/// Builds both tables.
pub struct VehicleLog {
    orders: Arc<dyn OrderLife>,
    categories: &'static [&'static str],
}

impl VehicleLog {
    /// Orders tell of bikes by `orders`.
    pub fn new(orders: Arc<dyn OrderLife>) -> Self {
        let categories =
            [Vehicle::CATEGORY, Device::CATEGORY, DeviceCommandState::CATEGORY, orders.category()];
        // Once for a process.
        Self { orders, categories: Vec::from(categories).leak() }
    }
}

/// A row as it is written.
#[derive(Debug, Serialize)]
struct Row {
    position: i64,
    at_ms: i64,
    car_id: String,
    imei: Option<String>,
    agent_id: i64,
    area_id: i64,
    event: i16,
    actor_kind: i16,
    actor_number: Option<i64>,
    actor_name: String,
    order_id: Option<i64>,
    trace_id: String,
    content: String,
    changes: Vec<LifeChange>,
}

/// What is remembered of a bike, an order or a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Thread {
    key: String,
    car_id: String,
    agent_id: i64,
    area_id: i64,
    imei: Option<String>,
    order_id: Option<i64>,
    rider_id: Option<i64>,
    kind: Option<i16>,
    state: String,
    trace_id: String,
    ride_at_ms: Option<i64>,
    ride_position: Option<i64>,
}

fn key(category: &str, id: &str) -> String {
    format!("{category}/{id}")
}

fn own_key(event: &Recorded) -> String {
    key(&event.category, &event.stream_id)
}

/// What is known while a batch is taken in.
struct Batch {
    known: BTreeMap<String, Thread>,
    /// Traces of what events followed from, by position.
    causes: BTreeMap<i64, String>,
    touched: BTreeSet<String>,
    ended: BTreeSet<String>,
    rows: Vec<Row>,
    /// Changes of a region that got to know their order: moment, position, order.
    orders: Vec<(i64, i64, i64)>,
}

impl Batch {
    async fn load(db: &mut PgConnection, events: &[Recorded]) -> Result<Self, ApplyError> {
        let keys: BTreeSet<String> = events.iter().map(own_key).collect();
        let mut known = threads(db, &keys).await?;
        let cars: BTreeSet<String> =
            known.values().map(|thread| key(Vehicle::CATEGORY, &thread.car_id)).collect();
        known.extend(threads(db, &cars).await?);
        let causes: BTreeSet<i64> =
            events.iter().filter_map(|event| event.meta.causation).map(|Position(cause)| cause).collect();
        let first = events.iter().map(|event| event.recorded_at.millis()).min().unwrap_or_default();
        Ok(Self {
            known,
            causes: if causes.is_empty() { BTreeMap::new() } else { traces(db, causes, first).await? },
            touched: BTreeSet::new(),
            ended: BTreeSet::new(),
            rows: Vec::new(),
            orders: Vec::new(),
        })
    }

    /// The thread of an event's stream or of a bike, known or new.
    async fn thread(&mut self, db: &mut PgConnection, key: &str) -> Result<&mut Thread, ApplyError> {
        if !self.known.contains_key(key) {
            // A bike that an order or a command of this batch is the first to name.
            let found = threads(db, &BTreeSet::from([key.to_owned()])).await?.remove(key);
            let fresh = Thread { key: key.to_owned(), ..Thread::default() };
            self.known.insert(key.to_owned(), found.unwrap_or(fresh));
        }
        self.touched.insert(key.to_owned());
        self.known.get_mut(key).ok_or_else(|| "a thread that was put in".into())
    }

    /// The order that a command is given for: what opens its lock has its id, and what else a rider's program asks for meanwhile
    /// is about the order that its bike is in.
    async fn ridden(
        &mut self,
        db: &mut PgConnection,
        orders: &'static str,
        command: &Recorded,
        car_id: &str,
    ) -> Result<Thread, ApplyError> {
        let mut id = command.stream_id.to_string();
        for _ in 0..2 {
            let order = key(orders, &id);
            if !self.known.contains_key(&order) {
                let found = threads(db, &BTreeSet::from([order.clone()])).await?;
                self.known.extend(found);
            }
            if let Some(order) = self.known.get(&order) {
                return Ok(order.clone());
            }
            if !matches!(command.meta.actor, Actor::Machine { .. }) {
                break;
            }
            let car = self.thread(db, &key(Vehicle::CATEGORY, car_id)).await?;
            let Some(order) = car.order_id else { break };
            id = order.to_string();
        }
        Ok(Thread::default())
    }

    /// Under which trace an event is found: its own, that of what it follows from, or that of its command.
    fn trace(&self, event: &Recorded, thread: &str) -> String {
        if !event.meta.trace_id.is_empty() {
            return event.meta.trace_id.replace('\0', "");
        }
        let cause = event.meta.causation.and_then(|Position(cause)| self.causes.get(&cause));
        cause.map_or(thread, String::as_str).to_owned()
    }

    fn put(&mut self, event: &Recorded, of: &Thread, trace_id: &str, told: Told) {
        self.causes.insert(event.position.0, trace_id.to_owned());
        self.rows.push(Row {
            position: event.position.0,
            at_ms: event.recorded_at.millis(),
            car_id: of.car_id.clone(),
            imei: of.imei.clone(),
            agent_id: of.agent_id,
            area_id: of.area_id,
            event: told.event.number(),
            actor_kind: told.acted.kind.number(),
            actor_number: told.acted.number,
            actor_name: told.acted.name,
            order_id: of.order_id,
            trace_id: trace_id.to_owned(),
            content: told.content,
            changes: told.changes,
        });
    }
}

async fn threads(
    db: &mut PgConnection,
    keys: &BTreeSet<String>,
) -> Result<BTreeMap<String, Thread>, ApplyError> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let keys: Vec<String> = keys.iter().cloned().collect();
    let found: Vec<Thread> = rows::load(db, "vehicle_log_thread", "key", "text", &keys).await?;
    Ok(found.into_iter().map(|thread| (thread.key.clone(), thread)).collect())
}

async fn traces(
    db: &mut PgConnection,
    causes: BTreeSet<i64>,
    first: i64,
) -> Result<BTreeMap<i64, String>, ApplyError> {
    let found: Vec<(i64, String)> = sqlx::query_as(
        "select position, trace_id from vehicle_log where position = any($1) and at_ms >= $2 and trace_id <> ''",
    )
    .bind(causes.into_iter().collect::<Vec<_>>())
    .bind(first - FOLLOWS_WITHIN_MS)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().collect())
}

/// Whose the bike is, as the event says.
fn owner(event: &Recorded) -> Result<(i64, i64), ApplyError> {
    let owner = &event.meta.owner;
    let (AgentId(agent), AreaId(area)) =
        owner.agent.zip(owner.area).ok_or("a bike has an agent and an area")?;
    Ok((agent, area))
}

impl VehicleLog {
    async fn take_in(
        &self,
        db: &mut PgConnection,
        batch: &mut Batch,
        event: &Recorded,
    ) -> Result<(), ApplyError> {
        match &*event.category {
            Vehicle::CATEGORY => of_vehicle(db, batch, event).await,
            Device::CATEGORY => of_device(db, batch, event).await,
            DeviceCommandState::CATEGORY => of_command(self.orders.category(), db, batch, event).await,
            _ => self.of_order(db, batch, event).await,
        }
    }

    async fn of_order(
        &self,
        db: &mut PgConnection,
        batch: &mut Batch,
        event: &Recorded,
    ) -> Result<(), ApplyError> {
        let Some(told) = self.orders.told(event)? else { return Ok(()) };
        let (agent_id, area_id) = owner(event)?;
        let thread = batch.thread(db, &own_key(event)).await?;
        (thread.agent_id, thread.area_id) = (agent_id, area_id);
        let mut changes = Vec::new();
        if let Some(opened) = &told.opened {
            thread.car_id.clone_from(&opened.car_id);
            thread.imei = Some(opened.imei.clone());
            thread.order_id = Some(opened.order_id.0);
            thread.rider_id = Some(opened.rider_id.0);
        }
        if thread.car_id.is_empty() {
            return Err("an order went on before it was opened".into());
        }
        if let Some(state) = told.state {
            changes.push(LifeChange::new(
                ORDER_STATE,
                std::mem::replace(&mut thread.state, state.to_owned()),
                state,
            ));
        }
        changes.extend(told.changes);
        let of = thread.clone();
        let trace_id = batch.trace(event, "");
        let car = batch.thread(db, &key(Vehicle::CATEGORY, &of.car_id)).await?;
        if told.opened.is_some() {
            car.order_id = of.order_id;
        }
        // The bike's region changes in the same append, before its order tells of itself.
        if let (Some(at_ms), Some(position), Some(order)) =
            (car.ride_at_ms, car.ride_position.take(), of.order_id)
            && at_ms == event.recorded_at.millis()
        {
            batch.orders.push((at_ms, position, order));
        }
        let acted = Acted::rider(&event.meta.actor, of.rider_id);
        batch.put(event, &of, &trace_id, Told { event: told.event, acted, content: told.content, changes });
        Ok(())
    }
}

async fn of_vehicle(db: &mut PgConnection, batch: &mut Batch, recorded: &Recorded) -> Result<(), ApplyError> {
    let event: VehicleEvent = recorded.decode()?;
    let (agent_id, area_id) = owner(recorded)?;
    let car = batch.thread(db, &own_key(recorded)).await?;
    (car.agent_id, car.area_id) = (agent_id, area_id);
    car.car_id = recorded.stream_id.to_string();
    if let VehicleEvent::Bound { imei } = &event {
        car.imei = Some(imei.clone());
    }
    let of = car.clone();
    if let VehicleEvent::Unbound { .. } = &event {
        car.imei = None;
    }
    let is_ride = matches!(event, VehicleEvent::RideStateChanged { .. });
    let of = Thread { order_id: of.order_id.filter(|_| is_ride), ..of };
    if let VehicleEvent::RideStateChanged { to, .. } = &event {
        let untold = car.order_id.is_none().then_some(recorded.position.0);
        (car.ride_at_ms, car.ride_position) = (Some(recorded.recorded_at.millis()), untold);
        if *to == RidingState::Idle {
            car.order_id = None;
        }
    }
    let trace_id = batch.trace(recorded, "");
    batch.put(recorded, &of, &trace_id, life::of_vehicle(&event, &recorded.meta.actor));
    Ok(())
}

async fn of_device(db: &mut PgConnection, batch: &mut Batch, recorded: &Recorded) -> Result<(), ApplyError> {
    let event: DeviceEvent = recorded.decode()?;
    let imei = &*recorded.stream_id;
    if let DeviceEvent::Introduced { car_id, about } = event {
        return of_introduction(db, batch, recorded, car_id, &about).await;
    }
    let Some(told) = life::of_device(&event, imei, &recorded.meta.actor) else { return Ok(()) };
    let DeviceEvent::Unbound { car_id } = event else { return Ok(()) };
    let (agent_id, area_id) = owner(recorded)?;
    let car = batch.thread(db, &key(Vehicle::CATEGORY, &car_id.to_string())).await?;
    let had = car.imei.take_if(|had| had == imei);
    // A bike that gave its device back said so itself.
    if had.is_none() {
        return Ok(());
    }
    let of = Thread { car_id: car_id.to_string(), agent_id, area_id, imei: had, ..Thread::default() };
    let trace_id = batch.trace(recorded, "");
    batch.put(recorded, &of, &trace_id, told);
    Ok(())
}

/// The device's own thread remembers the firmware that it ran before.
async fn of_introduction(
    db: &mut PgConnection,
    batch: &mut Batch,
    recorded: &Recorded,
    car_id: Option<CarId>,
    about: &About,
) -> Result<(), ApplyError> {
    let (agent_id, area_id) = owner(recorded)?;
    let thread = batch.thread(db, &own_key(recorded)).await?;
    (thread.agent_id, thread.area_id) = (agent_id, area_id);
    let before = std::mem::replace(&mut thread.state, about.firmware.clone());
    // On no bike it is in nobody's life.
    let Some(car_id) = car_id else { return Ok(()) };
    let imei = Some(recorded.stream_id.to_string());
    let of = Thread { car_id: car_id.to_string(), agent_id, area_id, imei, ..Thread::default() };
    let trace_id = batch.trace(recorded, "");
    batch.put(recorded, &of, &trace_id, life::of_introduction(about, before));
    Ok(())
}

async fn of_command(
    orders: &'static str,
    db: &mut PgConnection,
    batch: &mut Batch,
    recorded: &Recorded,
) -> Result<(), ApplyError> {
    let event: CommandEvent = recorded.decode()?;
    let (agent_id, area_id) = owner(recorded)?;
    let own = own_key(recorded);
    if let CommandEvent::Requested { order, .. } = &event {
        let ridden = batch.ridden(db, orders, recorded, &order.car_id.to_string()).await?;
        let thread = batch.thread(db, &own).await?;
        (thread.car_id, thread.imei) = (order.car_id.to_string(), Some(order.imei.to_string()));
        thread.kind = Some(order.kind.number());
        (thread.order_id, thread.rider_id) = (ridden.order_id, ridden.rider_id);
    }
    let thread = batch.thread(db, &own).await?;
    (thread.agent_id, thread.area_id) = (agent_id, area_id);
    let kind = thread.kind.ok_or("a command went on before it was requested")?;
    let of = thread.clone();
    let trace_id = batch.trace(recorded, &of.trace_id);
    let thread = batch.thread(db, &own).await?;
    thread.trace_id.clone_from(&trace_id);
    if matches!(event, CommandEvent::Acknowledged { .. } | CommandEvent::AcknowledgedLate { .. }) {
        batch.ended.insert(own.clone());
    }
    let asked = Acted::rider(&recorded.meta.actor, of.rider_id);
    let told = life::of_command(&event, CommandKind::of(kind)?, &of.state, asked);
    let after = told.as_ref().and_then(|told| told.changes.first()).map(|change| change.to.clone());
    batch.thread(db, &own).await?.state = after.unwrap_or_else(|| CommandState::Sent.label().to_owned());
    if let Some(told) = told {
        batch.put(recorded, &of, &trace_id, told);
    }
    Ok(())
}

#[async_trait]
impl Projector for VehicleLog {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> i32 {
        2
    }

    fn tables(&self) -> &'static [&'static str] {
        &["vehicle_log", "vehicle_log_thread"]
    }

    fn categories(&self) -> &'static [&'static str] {
        self.categories
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut batch = Batch::load(db, events).await?;
        for event in events {
            self.take_in(db, &mut batch, event).await?;
        }
        let Batch { mut known, touched, ended, rows, orders, .. } = batch;
        let kept: Vec<Thread> = touched.difference(&ended).filter_map(|key| known.remove(key)).collect();
        rows::upsert(db, "vehicle_log_thread", "key", &kept).await?;
        rows::delete(db, "vehicle_log_thread", "key", "text", &Vec::from_iter(ended)).await?;
        rows::make_months(db, NAME, rows.iter().map(|row| row.at_ms)).await?;
        rows::upsert(db, NAME, "at_ms, position", &rows).await?;
        name_orders(db, &orders).await?;
        Ok(Vec::new())
    }
}

/// Tells changes of a region the orders that they belong to.
async fn name_orders(db: &mut PgConnection, orders: &[(i64, i64, i64)]) -> sqlx::Result<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let column = |of: fn(&(i64, i64, i64)) -> i64| orders.iter().map(of).collect::<Vec<_>>();
    sqlx::query(
        "update vehicle_log l set order_id = o.order_id
         from unnest($1::bigint[], $2::bigint[], $3::bigint[]) o (at_ms, position, order_id)
         where l.at_ms = o.at_ms and l.position = o.position",
    )
    .bind(column(|order| order.0))
    .bind(column(|order| order.1))
    .bind(column(|order| order.2))
    .execute(db)
    .await?;
    Ok(())
}

/// An event of a bike's life; riders are told by masked phones.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct VehicleLogRow {
    /// The event's place in the log, as text.
    pub id: String,
    /// When, epoch milliseconds.
    #[sqlx(rename = "at_ms")]
    pub at: i64,
    /// 车辆编号.
    pub car_id: String,
    /// The device that it had then.
    pub imei: Option<String>,
    /// Whose it was.
    pub agent_id: AgentId,
    /// The service area.
    #[sqlx(rename = "area_id")]
    pub op_area_id: AreaId,
    /// That area's name.
    pub area_name: Option<String>,
    /// 事件类别.
    #[sqlx(rename = "event_group")]
    pub group: LifeGroup,
    /// 事件.
    pub event: LifeEvent,
    /// 操作主体.
    pub actor_kind: ActorKind,
    /// His name: a masked phone, a name, an IMEI; null for rules of the system and whoever is out of scope.
    pub actor_name: Option<String>,
    /// His id, as text.
    pub actor_id: Option<String>,
    /// The order, as text.
    #[schema(value_type = Option<String>)]
    pub order_id: Option<RideOrderId>,
    /// 链路: from the request to all that followed; empty where none is known.
    pub trace_id: String,
    /// In words.
    pub content: String,
    /// What was before and after.
    #[sqlx(json)]
    pub changes: Vec<LifeChange>,
}

/// Events of bikes in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "l.position::text as id, l.at_ms, l.car_id, l.imei, l.agent_id, l.area_id, a.name as area_name,
         (l.event / 100)::smallint as event_group, l.event, l.actor_kind,
         case l.actor_kind when 1 then r.phone_masked when 2 then l.actor_name when 3 then o.name when 4 then m.name
             else l.imei end as actor_name,
         l.actor_number::text as actor_id, l.order_id, l.trace_id, l.content, l.changes",
        "read.vehicle_log l left join read.area a on a.area_id = l.area_id
         left join read.rider r on l.actor_kind = 1 and r.rider_id = l.actor_number
         left join read.operator o on l.actor_kind = 3 and o.operator_id = l.actor_number
         left join read.machine m on l.actor_kind = 4 and m.machine_id = l.actor_number",
        "l.at_ms desc, l.position desc",
    )
    .found_in("read.vehicle_log l", "l.position")
    .kept_by("l.at_ms")
    .of_agents("l.agent_id", scope)
    .of_areas("l.area_id", scope)
}
