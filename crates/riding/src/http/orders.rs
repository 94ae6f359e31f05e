//! Ride orders as the back-office sees them.

use kernel::List;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use vocabulary::{AgentId, AreaId, Phone, RiderId, Scope, Timestamp};
use wire::{Column, End, Export, Listed, Listing, Permit, Refused, Routes, given, moment};

use crate::Context;
use crate::model::order::{CancelReason, EndKind, PayState};
use crate::model::outcome::OutcomeAsked;
use crate::read::orders::{self, OrderRow, SORTS};
use geofence::judge::ReturnClass;

/// Who looks at orders, and acts on them.
pub(super) const ORDERS: Permit = Permit::AnyOf(&["1601"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            ORDERS,
            Listed {
                path: "/order/list",
                operations: ["listOrders", "exportOrders"],
                summary: "Ride orders in scope, newest first; phones and names masked.",
            },
        )
        .with_state(context.clone())
}

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// An order's id, a bike's number or a whole phone.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those that began in this area.
    op_area_id: Option<AreaId>,
    /// Those that stand so.
    state: Option<PayState>,
    /// Those that were left so.
    class: Option<ReturnClass>,
    /// Those that ended so.
    end_kind: Option<EndKind>,
    /// Those that cost at least so many cents.
    min_cents: Option<i64>,
    /// Those that cost at most so many cents.
    max_cents: Option<i64>,
    /// Whether somebody changed the price.
    modified: Option<bool>,
    /// Whether something went back.
    refunded: Option<bool>,
    /// Those of this rider.
    user_id: Option<RiderId>,
    /// Opened from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Opened until then, included.
    end_time: Option<String>,
    /// `openedAt` or `payCents`, with `-` before it from the highest down; absent: the newest first.
    sort: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = OrderRow;
    const READS: &'static [&'static str] = &["ride_order", "rider", "area"];
    const KEY: &'static str = "o.order_id";
    const FILE: Export<OrderRow> = Export {
        what: "order",
        title: "用户订单",
        columns: &[
            Column::made("orderId", "订单号", |row| row.order_id.to_string()),
            Column::text("state", "状态", |row| row.state.label()),
            Column::text("phone", "手机号", |row| row.phone.as_deref().unwrap_or_default()),
            Column::text("carId", "车辆编号", |row| &row.car_id),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::time("openedAt", "下单时间", |row| Some(row.opened_at)),
            Column::made("ridingS", "骑行时长", |row| {
                format!("{} 分 {} 秒", row.riding_s / 60, row.riding_s % 60)
            }),
            Column::made("distanceM", "里程", |row| format!("{} 米", row.distance_m)),
            Column::money("payCents", "应付（元）", |row| row.pay_cents),
            Column::money("paidCents", "实付（元）", |row| row.paid_cents),
            Column::money("refundCents", "已退（元）", |row| row.refund_cents),
            Column::text("class", "还车位置", |row| row.class.map_or("", ReturnClass::label)),
            Column::text("endKind", "结束方式", |row| row.end_kind.map_or("", EndKind::label)),
            Column::text("name", "姓名", |row| row.name.as_deref().unwrap_or_default()),
            Column::time("startAt", "开始时间", |row| row.start_at),
            Column::time("endAt", "结束时间", |row| row.end_at),
            Column::money("originCents", "原价（元）", |row| row.origin_cents),
            Column::money("cardCents", "卡抵扣（元）", |row| row.card_cents),
            Column::money("discountCents", "优惠（元）", |row| row.discount_cents),
            Column::money("dispatchCents", "调度费（元）", |row| row.dispatch_cents),
            Column::money("helmetCents", "头盔费（元）", |row| row.helmet_cents),
            Column::money("writtenOffCents", "核销（元）", |row| row.written_off_cents),
            Column::text("isModified", "是否改价", |row| if row.is_modified { "是" } else { "否" }),
            Column::text("cancelReason", "取消原因", |row| {
                row.cancel_reason.map_or("", CancelReason::label)
            }),
            Column::time("paidAt", "支付时间", |row| row.paid_at),
            Column::count("reminders", "催缴次数", |row| row.reminders.into()),
            Column::time("remindedAt", "最近催缴", |row| row.reminded_at),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = orders::list(scope)
            .is("o.agent_id", self.agent_id.map(|agent| agent.0))
            .is("o.area_id", self.op_area_id.map(|area| area.0))
            .is("o.rider_id", self.user_id.map(|rider| rider.0))
            .between("o.pay_cents", self.min_cents, self.max_cents)
            .between("o.opened_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis))
            .sorted(&SORTS, Self::KEY, given(self.sort.as_ref()))
            .map_err(|error| Refused::malformed(error.to_string()))?;
        let ended = OutcomeAsked { state: self.state, class: self.class, end_kind: self.end_kind };
        let list = orders::ended_so(list, ended);
        let list = orders::told_apart(list, self.modified, self.refunded);
        let Some(typed) = given(self.keyword.as_ref()) else { return Ok(list) };
        if let Ok(phone) = typed.parse::<Phone>() {
            return Ok(crate::read::of_phone(list, "o.rider_id", &phone));
        }
        Ok(match typed.parse::<i64>() {
            Ok(id) if typed.len() > 12 => list.is("o.order_id", Some(id)),
            _ => list.is("o.car_id", Some(typed)),
        })
    }
}
