//! A bike's life (车辆日志) as the back-office sees it.

use kernel::List;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use vocabulary::{AgentId, AreaId, Choice, Scope, Timestamp};
use wire::{Column, End, Export, Listed, Listing, Permit, Record, Refused, Routes, given, log_span, moment};

use crate::Fleet;
use crate::model::device::Imei;
use crate::model::life::{ActorKind, LifeEvent, LifeGroup};
use crate::read::vehicle_log::{self, VehicleLogRow};

const LOG: Permit = Permit::AnyOf(&["1402"]);

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add_list::<ListQuery>(
            LOG,
            Listed {
                path: "/log/vehicle",
                operations: ["listVehicleLog", "exportVehicleLog"],
                summary: "What happened to bikes in scope, newest first, of at most 31 days; riders' phones masked.",
            },
        )
        .add_record::<ListQuery>(
            LOG,
            Record {
                path: "/log/vehicle/{id}",
                operation: "vehicleLogEntry",
                summary: "One event of a bike's life.",
            },
        )
        .with_state(fleet.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// A bike's number; 15 digits are an IMEI.
    car_id: Option<String>,
    /// Of this kind.
    group: Option<LifeGroup>,
    /// Events, with commas between.
    events: Option<String>,
    /// By such.
    actor_kind: Option<ActorKind>,
    /// Of this agent.
    agent_id: Option<AgentId>,
    /// In this area.
    op_area_id: Option<AreaId>,
    /// About this order.
    order_id: Option<String>,
    /// Of this trace.
    trace_id: Option<String>,
    /// From then on: `YYYY-MM-DD HH:mm:ss`; needed.
    start_time: Option<String>,
    /// Until then, included; without it until now. At most 31 days later.
    end_time: Option<String>,
}

impl ListQuery {
    fn times(&self) -> Result<(Option<Timestamp>, Option<Timestamp>), Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        Ok((from, moment("endTime", self.end_time.as_ref(), End::Last)?))
    }

    /// The events that are asked for; nothing: any.
    fn events(&self) -> Result<Option<Vec<i64>>, Refused> {
        let wrong = |_| Refused::malformed("请求参数 events 格式不正确");
        let mut asked = Vec::new();
        for text in given(self.events.as_ref()).into_iter().flat_map(|list| list.split(',')) {
            let number: i16 =
                text.trim().parse().map_err(|_| Refused::malformed("请求参数 events 格式不正确"))?;
            asked.push(LifeEvent::of(number).map_err(wrong)?);
        }
        let of_group = |event: &LifeEvent| {
            self.group.is_none_or(|group| LifeEvent::of_group(group).any(|one| one == *event))
        };
        Ok(match (self.group, asked.is_empty()) {
            (None, true) => None,
            (Some(group), true) => {
                Some(LifeEvent::of_group(group).map(|event| event.number().into()).collect())
            }
            _ => Some(asked.into_iter().filter(of_group).map(|event| event.number().into()).collect()),
        })
    }
}

impl Listing for ListQuery {
    type State = Fleet;
    type Row = VehicleLogRow;
    const READS: &'static [&'static str] = &[vehicle_log::NAME, "area", "rider", "operator"];
    const KEY: &'static str = "l.position";
    const FILE: Export<VehicleLogRow> = Export {
        what: "vehicle-log",
        title: "车辆日志",
        columns: &[
            Column::time("at", "时间", |row| Some(row.at)),
            Column::text("carId", "车辆编号", |row| &row.car_id),
            Column::text("event", "事件", |row| row.event.label()),
            Column::text("content", "内容", |row| &row.content),
            Column::made("changes", "变化", changes),
            Column::text("actorKind", "操作主体", |row| row.actor_kind.label()),
            Column::text("actorName", "操作人", |row| row.actor_name.as_deref().unwrap_or_default()),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::made("orderId", "订单号", |row| {
                row.order_id.map_or_else(String::new, |order| order.to_string())
            }),
            Column::text("imei", "IMEI", |row| row.imei.as_deref().unwrap_or_default()),
            Column::text("traceId", "链路编号", |row| &row.trace_id),
            Column::text("id", "日志编号", |row| &row.id),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let (from, until) = self.times()?;
        let list = vehicle_log::list(scope)
            .is("l.actor_kind", self.actor_kind.map(Choice::number))
            .is("l.agent_id", self.agent_id.map(|agent| agent.0))
            .is("l.area_id", self.op_area_id.map(|area| area.0))
            .between("l.at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis));
        let typed = given(self.car_id.as_ref());
        let imei = typed.filter(|typed| Imei::try_from((*typed).to_owned()).is_ok());
        let trace = given(self.trace_id.as_ref());
        let list = list.is("l.imei", imei).is("l.car_id", typed.filter(|_| imei.is_none()));
        let list = match trace {
            Some(_) => list.is("l.trace_id", trace).matching(&["l.trace_id <> ''"], vec![]),
            None => list,
        };
        let order = given(self.order_id.as_ref());
        let list = match order.map(str::parse::<i64>) {
            // What is no number is no order's.
            Some(Err(_)) => list.matching(&["false"], vec![]),
            number => list.is("l.order_id", number.and_then(Result::ok)),
        };
        let Some(events) = self.events()? else { return Ok(list) };
        if events.is_empty() {
            return Ok(list.matching(&["false"], vec![]));
        }
        let list = list.is_one_of("l.event", events);
        // Rows of one bike, order or trace are few: they are found by that, not event by event.
        let is_narrow = typed.is_some() || trace.is_some() || order.is_some();
        Ok(if is_narrow { list.compared("l.event") } else { list })
    }

    fn suffices(&self, now: Timestamp) -> Result<(), Refused> {
        let (from, until) = self.times()?;
        log_span(from, until, now)
    }
}

/// `骑行状态：待使用 → 骑行中`.
fn changes(row: &VehicleLogRow) -> String {
    let none = |text: &str| if text.is_empty() { "无" } else { text }.to_owned();
    let told = row
        .changes
        .iter()
        .map(|change| format!("{}：{} → {}", change.field, none(&change.from), none(&change.to)));
    told.collect::<Vec<_>>().join("；")
}
