//! Table `payment`.

use kernel::{After, Fold, List, Recorded, row};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, PaymentId, RideOrderId, RiderId, Scope};

use crate::model::payment::{GoesBack, Payment, PaymentEvent, PaymentState, Purpose, RefundState};

/// Money of a payment that goes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundRow {
    /// Its name at the provider, as text.
    pub refund_id: String,
    /// Cents.
    pub amount_cents: i64,
    /// 退款状态.
    pub state: RefundState,
    /// Why it could not, in the provider's words.
    pub text: String,
    /// Whether it is a deposit.
    pub is_deposit: bool,
    /// When it was asked for, epoch milliseconds.
    pub asked_at: i64,
    /// When it ended, epoch milliseconds.
    pub ended_at: Option<i64>,
}

row! {
    /// A payment as lists show it.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct PaymentRow {
        /// Its id, as text; the provider's trade number.
        pub payment_id: PaymentId,
        /// Who pays, as text.
        pub user_id: RiderId = "rider_id",
        /// Whose rider he is.
        pub agent_id: AgentId,
        /// Where he registered.
        pub op_area_id: AreaId = "area_id",
        /// 支付渠道.
        pub channel: i16,
        /// 免密代扣.
        pub agreed: bool,
        /// Cents.
        pub amount_cents: i64,
        /// top_up, ride, deposit or card.
        pub purpose: String,
        /// The ride that it is for, as text.
        pub order_id: Option<RideOrderId>,
        /// 支付状态.
        pub state: PaymentState,
        /// The provider's number.
        pub provider_no: String,
        /// What became of it, where not what it was for.
        pub note: String,
        /// On its way back or there, cents.
        pub refunding_cents: i64,
        /// Each of them.
        #[schema(value_type = Vec<RefundRow>)]
        pub refunds: Json<Vec<RefundRow>>,
        /// Epoch milliseconds.
        pub asked_at: i64 = "asked_at_ms",
        /// Epoch milliseconds.
        pub until_at: i64 = "until_at_ms",
        /// Epoch milliseconds.
        pub paid_at: Option<i64> = "paid_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// Its events.
        pub version: i64,
    }
}

impl PaymentRow {
    fn refund_ended(&mut self, refund_id: i64, state: RefundState, text: &str, at_ms: i64) {
        let name = refund_id.to_string();
        if let Some(refund) = self.refunds.iter_mut().find(|refund| refund.refund_id == name) {
            refund.state = state;
            text.clone_into(&mut refund.text);
            refund.ended_at = Some(at_ms);
            if state == RefundState::Refused {
                self.refunding_cents -= refund.amount_cents;
            }
        }
    }
}

impl Fold for PaymentRow {
    type Of = Payment;
    const TABLE: &'static str = "payment";
    const KEY: &'static str = "payment_id";

    fn fold(row: Option<Self>, event: PaymentEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            PaymentEvent::Asked { asked, at, until } => {
                row.payment_id = asked.payment_id;
                row.user_id = asked.rider_id;
                row.agent_id = asked.agent_id;
                row.op_area_id = asked.area_id;
                row.channel = asked.channel;
                row.agreed = asked.agreed;
                row.amount_cents = asked.amount_cents;
                let (purpose, order) = match asked.purpose {
                    Purpose::TopUp => ("top_up", None),
                    Purpose::Ride(order) => ("ride", Some(order)),
                    Purpose::Deposit => ("deposit", None),
                    Purpose::Card { .. } => ("card", None),
                };
                purpose.clone_into(&mut row.purpose);
                row.order_id = order;
                (row.asked_at, row.until_at) = (at.millis(), until.millis());
            }
            PaymentEvent::Presented { .. } => {}
            PaymentEvent::Paid { provider_no, note, at } => {
                row.state = PaymentState::Paid;
                row.provider_no = provider_no;
                row.note = note.unwrap_or_default();
                row.paid_at = Some(at.millis());
            }
            PaymentEvent::Refused { text, .. } => {
                row.state = PaymentState::Refused;
                row.note = text;
            }
            PaymentEvent::Closed { .. } => row.state = PaymentState::Closed,
            PaymentEvent::RefundAsked { refund, at } => {
                row.refunding_cents += refund.amount_cents;
                row.refunds.push(RefundRow {
                    refund_id: refund.refund_id.to_string(),
                    amount_cents: refund.amount_cents,
                    state: RefundState::Underway,
                    text: String::new(),
                    is_deposit: refund.what == GoesBack::Deposit,
                    asked_at: at.millis(),
                    ended_at: None,
                });
            }
            PaymentEvent::RefundDone { refund_id, at } => {
                row.refund_ended(refund_id, RefundState::Done, "", at.millis());
            }
            PaymentEvent::RefundRefused { refund_id, text, at } => {
                row.refund_ended(refund_id, RefundState::Refused, &text, at.millis());
            }
        }
        row.updated_at = recorded.recorded_at.millis();
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

/// Payments in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "p.payment_id, p.rider_id, p.agent_id, p.area_id, p.channel, p.agreed, p.amount_cents, p.purpose, p.order_id,
         p.state, p.provider_no, p.note, p.refunding_cents, p.refunds, p.asked_at_ms, p.until_at_ms, p.paid_at_ms,
         p.updated_at_ms, p.version",
        "read.payment p",
        "p.asked_at_ms desc, p.payment_id desc",
    )
    .of_agents("p.agent_id", scope)
    .of_areas("p.area_id", scope)
}

/// Payments that wait and were asked for before an instant, epoch milliseconds; the oldest first, at most `most`.
pub async fn waiting(db: impl PgExecutor<'_>, before_ms: i64, most: i64) -> sqlx::Result<Vec<PaymentId>> {
    sqlx::query_scalar(
        "select payment_id from read.payment where state = 0 and asked_at_ms <= $1 order by asked_at_ms limit $2",
    )
    .bind(before_ms)
    .bind(most)
    .fetch_all(db)
    .await
}

/// Money on its way back: each with its payment; at most `most`.
pub async fn going_back(db: impl PgExecutor<'_>, most: i64) -> sqlx::Result<Vec<(PaymentId, i64)>> {
    let found: Vec<(PaymentId, String)> = sqlx::query_as(
        "select payment_id, refund ->> 'refundId' from read.payment, jsonb_array_elements(refunds) refund
         where refunds @? '$[*] ? (@.state == 0)' and (refund -> 'state')::int = 0
         order by updated_at_ms limit $1",
    )
    .bind(most)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().filter_map(|(payment, refund)| Some((payment, refund.parse().ok()?))).collect())
}

/// Payments of a rider into his wallet of which something may still go back, the newest first, with how much, cents; at
/// most `most`.
pub async fn refundable(
    db: impl PgExecutor<'_>,
    rider: RiderId,
    most: i64,
) -> sqlx::Result<Vec<(PaymentId, i64)>> {
    sqlx::query_as(
        "select payment_id, amount_cents - refunding_cents from read.payment
         where rider_id = $1 and state = 1 and purpose = 'top_up' and amount_cents > refunding_cents
         order by asked_at_ms desc limit $2",
    )
    .bind(rider)
    .bind(most)
    .fetch_all(db)
    .await
}
