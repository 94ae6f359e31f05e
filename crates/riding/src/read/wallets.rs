//! A rider's wallet: what his book holds, and each entry of it, of the tables of the ledger.

use kernel::List;
use ledger::{Holder, HolderKind};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AreaId, RideOrderId, RiderId, Timestamp};

use crate::model::movement::Movement;

/// What a wallet holds, or held at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Wallet {
    /// 充值余额, cents.
    pub recharge_cents: i64,
    /// 赠送余额, cents.
    pub present_cents: i64,
    /// 余额: both, cents.
    pub balance_cents: i64,
    /// 冻结: what of it is set aside now, cents; of a past moment nothing is said.
    pub held_cents: Option<i64>,
    /// 待退款: on its way back now, cents; of a past moment nothing is said.
    pub refund_due_cents: Option<i64>,
    /// 押金, cents.
    pub deposit_cents: i64,
    /// 欠款, cents.
    pub owed_cents: i64,
}

/// An entry of a rider's book: what it added, and what the book held after it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct WalletRecordRow {
    /// Its place in the log, as text.
    pub id: String,
    /// 变动类型.
    #[sqlx(skip)]
    pub movement: Option<Movement>,
    #[serde(skip)]
    pub what: String,
    /// 业务: why, named once for ever.
    pub cause: String,
    /// The order that it is about, as text.
    #[sqlx(skip)]
    #[schema(value_type = Option<String>)]
    pub order_id: Option<RideOrderId>,
    /// The service area where it was earned or spent.
    #[sqlx(rename = "area_id")]
    #[schema(value_type = Option<String>)]
    pub op_area_id: Option<AreaId>,
    /// That area's name, where the caller sees it.
    pub area_name: Option<String>,
    /// 渠道; none: no money came in or went out.
    pub channel: Option<i16>,
    /// 入账时间, epoch milliseconds.
    #[sqlx(rename = "recorded_at_ms")]
    pub recorded_at: i64,
    /// The moment that it is booked for, such as a ride's end; epoch milliseconds.
    #[sqlx(rename = "at_ms")]
    pub at: i64,
    /// 充值余额变动, cents.
    pub recharge_cents: i64,
    /// 赠送余额变动, cents.
    pub present_cents: i64,
    /// 押金变动, cents.
    pub deposit_cents: i64,
    /// 待退款变动, cents.
    pub refund_due_cents: i64,
    /// 欠款变动, cents.
    #[sqlx(rename = "receivable_cents")]
    pub owed_cents: i64,
    /// 充值余额 after it, cents.
    pub recharge_after_cents: i64,
    /// 赠送余额 after it, cents.
    pub present_after_cents: i64,
    /// 余额 after it: both, cents.
    pub balance_after_cents: i64,
    /// 押金 after it, cents.
    pub deposit_after_cents: i64,
    /// 欠款 after it, cents.
    #[sqlx(rename = "receivable_after_cents")]
    pub owed_after_cents: i64,
}

impl WalletRecordRow {
    /// Says what its cause tells.
    #[must_use]
    pub fn told(mut self) -> Self {
        self.movement = Movement::named(&self.what);
        self.order_id = self.movement.and_then(|movement| movement.order(&self.cause));
        self
    }
}

/// Entries of a rider's book, newest first.
pub fn records(rider: RiderId) -> List {
    List::new(
        "e.position::text as id, e.what, e.cause, e.area_id, a.name as area_name, e.channel, e.recorded_at_ms, e.at_ms,
         e.recharge_cents, e.present_cents, e.deposit_cents, e.refund_due_cents, e.receivable_cents,
         e.recharge_after_cents, e.present_after_cents, e.recharge_after_cents + e.present_after_cents as balance_after_cents,
         e.deposit_after_cents, e.receivable_after_cents",
        "read.ledger_entry e left join read.area a on a.area_id = e.area_id",
        "e.position desc",
    )
    .is("e.holder_id", Some(rider.0))
    .is("e.holder_kind", Some(HolderKind::Rider.number()))
}

/// What a rider's wallet holds.
pub async fn now(db: impl PgExecutor<'_>, rider: RiderId) -> sqlx::Result<Wallet> {
    let found = sqlx::query_as(
        "select recharge_cents, present_cents, recharge_cents + present_cents as balance_cents, held_cents,
             refund_due_cents, deposit_cents, receivable_cents as owed_cents
         from read.ledger_book where book = $1",
    )
    .bind(Holder::rider(rider).to_string())
    .fetch_optional(db)
    .await?;
    Ok(found.unwrap_or_default())
}

/// What it held at a past moment: after the last entry that had been booked by then.
pub async fn at(db: impl PgExecutor<'_>, rider: RiderId, at: Timestamp) -> sqlx::Result<Wallet> {
    let found = sqlx::query_as(
        "select recharge_after_cents as recharge_cents, present_after_cents as present_cents,
             recharge_after_cents + present_after_cents as balance_cents, null::bigint as held_cents,
             null::bigint as refund_due_cents, deposit_after_cents as deposit_cents,
             receivable_after_cents as owed_cents
         from read.ledger_entry where holder_id = $1 and holder_kind = $2 and recorded_at_ms <= $3
         order by position desc limit 1",
    )
    .bind(rider)
    .bind(HolderKind::Rider.number())
    .bind(at.millis())
    .fetch_optional(db)
    .await?;
    Ok(found.unwrap_or_default())
}
