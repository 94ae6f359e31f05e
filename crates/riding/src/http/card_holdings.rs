//! The cards that riders hold, and giving them back.

use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, CardHoldingId, CardProductId, Choice, RiderId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Column, End, Export, Handled, Listed, Listing, Nothing, Permit, Refused, Routes,
    moment,
};

use crate::Context;
use crate::app::cards::CardRefund;
use crate::model::card::CardKind;
use crate::model::holdings::{HoldingState, RefundTo, RiderCardsCommand};
use crate::read::card_holdings::{self, CardHoldingRow};

const HOLDINGS: Permit = Permit::AnyOf(&["070101"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            HOLDINGS,
            Listed {
                path: "/user/card",
                operations: ["listCardHoldings", "exportCardHoldings"],
                summary: "Cards that riders in scope hold or held, newest first; phones masked.",
            },
        )
        .add(HOLDINGS, routes!(refund))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Those of this rider.
    user_id: Option<RiderId>,
    /// Those of this product.
    product_id: Option<CardProductId>,
    /// Those of this kind.
    kind: Option<CardKind>,
    /// Those that stand so.
    state: Option<HoldingState>,
    /// Those of this agent's riders.
    agent_id: Option<AgentId>,
    /// Those of riders who registered in this area.
    op_area_id: Option<AreaId>,
    /// Bought from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Bought until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = CardHoldingRow;
    const READS: &'static [&'static str] = &["card_holding", "rider"];
    const KEY: &'static str = "h.holding_id";
    const FILE: Export<CardHoldingRow> = Export {
        what: "card-holding",
        title: "用户持卡",
        columns: &[
            Column::text("name", "卡名称", |row| &row.card.name),
            Column::text("kind", "卡类型", |row| row.kind.label()),
            Column::text("state", "持卡状态", |row| row.state.label()),
            Column::text("phone", "手机号", |row| row.phone.as_deref().unwrap_or_default()),
            Column::money("priceCents", "购买价格", |row| row.price_cents),
            Column::time("boughtAt", "购买时间", |row| Some(row.bought_at)),
            Column::time("startsAt", "生效时间", |row| Some(row.starts_at)),
            Column::time("untilAt", "到期时间", |row| Some(row.until_at)),
            Column::count("usedTimes", "已用次数", |row| row.used_times.into()),
            Column::made("remainTimes", "剩余次数", |row| {
                row.remain_times.map_or_else(String::new, |left| left.to_string())
            }),
            Column::money("savedCents", "已节省", |row| row.saved_cents),
            Column::time("lastUseAt", "最近使用", |row| row.last_use_at),
            Column::money("refundedCents", "退款金额", |row| row.refunded_cents),
            Column::time("refundedAt", "退款时间", |row| row.refunded_at),
            Column::text("refundReason", "退款原因", |row| &row.refund_reason),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
            Column::made("id", "编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = card_holdings::standing(card_holdings::list(scope), self.state);
        Ok(list
            .is("h.rider_id", self.user_id.map(|rider| rider.0))
            .is("h.product_id", self.product_id.map(|product| product.0))
            .is("h.kind", self.kind.map(Choice::number))
            .is("h.agent_id", self.agent_id.map(|agent| agent.0))
            .is("h.area_id", self.op_area_id.map(|area| area.0))
            .between("h.bought_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis)))
    }

    async fn shown(
        context: &Context,
        db: ReadTx,
        mut found: Vec<CardHoldingRow>,
    ) -> Result<Vec<CardHoldingRow>, Refused> {
        drop(db);
        let now = context.runtime.clock.now();
        for row in &mut found {
            row.stand_at(now);
        }
        Ok(found)
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CardRefundBody)]
struct Refund {
    /// Who holds it.
    user_id: RiderId,
    /// Which card.
    holding_id: CardHoldingId,
    /// 退款方式.
    #[serde(rename = "refundTo")]
    to: RefundTo,
    /// 退款原因: 1 to 200 characters.
    reason: String,
}

/// Gives a card back for what is left of it: the price times the unused share, rounded down.
#[utoipa::path(post, path = "/user/card/refund", tag = "riding", operation_id = "refundCard", request_body = Refund,
    responses((status = 200, body = Answer<Nothing>)))]
async fn refund(call: Call<Context>, Body(body): Body<Refund>) -> Handled<Value> {
    let Refund { user_id: rider, holding_id: holding, to, reason } = body;
    let command = RiderCardsCommand::Refund { holding, to, reason };
    let ctx = call.request.context_of_account(json!({}));
    let refund = CardRefund { rider, holding, command };
    Ok(Answer::replied(call.state.refund_card(&call.caller.full_scope, ctx, refund).await?))
}
