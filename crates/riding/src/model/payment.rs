//! A payment (支付单) that a rider was asked for through a channel: 待支付 → 已支付, 已拒绝 or 已关闭; of what was paid some may go
//! back by the way it came. What it is for is settled in the append that says it was paid.

use std::collections::BTreeMap;

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{
    AgentId, AreaId, CardProductId, Cents, DataOwner, PaymentId, RideOrderId, RiderId, Timestamp, choices,
};

/// One payment of a rider is at most so many cents: 2,000 yuan.
pub const AMOUNT_MAX_CENTS: i64 = 200_000;
/// A payment that was not made is waited for so long.
pub const LIFE_MS: i64 = 15 * 60_000;
/// Refunds of one payment at most.
pub const REFUNDS_MAX: usize = 50;

choices! {
    /// Where a payment stands.
    #[derive(Default)]
    pub enum PaymentState("支付状态") {
        #[default]
        Waiting = 0 => "待支付",
        Paid = 1 => "已支付",
        Refused = 2 => "已拒绝",
        Closed = 3 => "已关闭",
    }
}

choices! {
    /// Where money that goes back stands.
    pub enum RefundState("退款状态") {
        Underway = 0 => "退款中",
        Done = 1 => "已退款",
        Refused = 2 => "退款失败",
    }
}

/// What a payment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// 充值.
    TopUp,
    /// A ride.
    Ride(RideOrderId),
    /// 诚信金.
    Deposit,
    /// A card or a membership in this version.
    Card {
        /// Which.
        product_id: CardProductId,
        /// Which version of it.
        number: i64,
    },
}

impl Purpose {
    /// How people call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TopUp => "钱包充值",
            Self::Ride(_) => "骑行费用",
            Self::Deposit => "诚信金",
            Self::Card { .. } => "购卡",
        }
    }
}

/// What goes back, and what becomes of it when it cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoesBack {
    /// Of a ride or a card; what cannot go back lies in the wallet.
    Price,
    /// What was paid into the wallet.
    Balance,
    /// The deposit.
    Deposit,
}

/// A payment as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentRequest {
    /// Its own id, by which the provider knows it.
    pub payment_id: PaymentId,
    /// Who pays.
    pub rider_id: RiderId,
    /// Whose rider he is.
    pub agent_id: AgentId,
    /// Where he registered.
    pub area_id: AreaId,
    /// 支付渠道, by its number.
    pub channel: i16,
    /// Whether the provider takes it by itself (免密代扣).
    pub agreed: bool,
    /// How much.
    pub amount_cents: i64,
    /// What for.
    pub purpose: Purpose,
}

/// Money that goes back by the way it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    /// Its name at the provider.
    pub refund_id: i64,
    /// How much.
    pub amount_cents: i64,
    /// What it is.
    pub what: GoesBack,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum PaymentCommand {
    /// Asks a rider for money.
    Ask(PaymentRequest),
    /// The provider says where he confirms.
    Present { cashier_url: String },
    /// It was paid; `note` says what became of it when not what it was for.
    Confirm { provider_no: String, note: Option<String> },
    /// It will not be.
    Refuse { text: String },
    /// Its time is over.
    Close,
    /// Sends some of it back.
    GiveBack(Refund),
    /// It arrived.
    Arrived { refund_id: i64 },
    /// It could not arrive.
    CameBack { refund_id: i64, text: String },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum PaymentEvent {
        Asked { asked: PaymentRequest, at: Timestamp, until: Timestamp } = "payment.asked",
        Presented { cashier_url: String } = "payment.presented",
        Paid {
            provider_no: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            note: Option<String>,
            at: Timestamp,
        } = "payment.paid",
        Refused { text: String, at: Timestamp } = "payment.refused",
        Closed { at: Timestamp } = "payment.closed",
        RefundAsked { refund: Refund, at: Timestamp } = "payment.refund_asked",
        RefundDone { refund_id: i64, at: Timestamp } = "payment.refund_done",
        RefundRefused { refund_id: i64, text: String, at: Timestamp } = "payment.refund_refused",
    }
}

refusals! {
    /// Why not.
    pub enum PaymentRefusal {
        Unknown = "payment-unknown": ("支付单不存在"),
        Exists = "payment-exists": ("支付单已存在"),
        Amount = "payment-amount": ("支付金额需在 0.01 到 2000 元之间"),
        NotNow { now: &'static str, act: &'static str } = "payment-not-now": ("支付单当前为“{now}”，不能{act}"),
        RefundTooMuch { left_cents: i64 } = "payment-refund-too-much":
            ("超过可原路退回的金额，最多 {} 元", Cents(*left_cents)),
        RefundsMax = "payment-refunds": ("一笔支付最多退款 {REFUNDS_MAX} 次"),
        NoRefund = "payment-no-refund": ("没有这笔退款，或已有结果"),
    }
}

use PaymentRefusal as Refusal;

/// The payment as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Payment {
    asked: Option<PaymentRequest>,
    until: Timestamp,
    state: PaymentState,
    cashier_url: Option<String>,
    refunds: BTreeMap<i64, (Refund, RefundState)>,
}

impl Payment {
    /// What was asked for.
    pub const fn asked(&self) -> Option<&PaymentRequest> {
        self.asked.as_ref()
    }

    /// Until when it may be paid.
    pub const fn until(&self) -> Timestamp {
        self.until
    }

    /// Where it stands.
    pub const fn state(&self) -> PaymentState {
        self.state
    }

    /// Where the rider confirms it.
    pub fn cashier_url(&self) -> Option<&str> {
        self.cashier_url.as_deref()
    }

    /// Money of it that is on its way back under this name.
    pub fn underway(&self, refund_id: i64) -> Option<Refund> {
        self.refunds
            .get(&refund_id)
            .filter(|(_, state)| *state == RefundState::Underway)
            .map(|(refund, _)| *refund)
    }

    /// What of it may still go back, cents.
    pub fn left_cents(&self) -> i64 {
        let paid_cents = self.asked.as_ref().filter(|_| self.state == PaymentState::Paid);
        let gone = self.refunds.values().filter(|(_, state)| *state != RefundState::Refused);
        paid_cents.map_or(0, |asked| asked.amount_cents)
            - gone.map(|(refund, _)| refund.amount_cents).sum::<i64>()
    }

    fn not_now<T>(&self, act: &'static str) -> Result<T, PaymentRefusal> {
        Err(Refusal::NotNow { now: self.state.label(), act })
    }
}

impl Aggregate for Payment {
    const CATEGORY: &'static str = "payment";
    type Id = PaymentId;
    type Command = PaymentCommand;
    type Event = PaymentEvent;
    type Refusal = PaymentRefusal;

    fn decide(&self, command: PaymentCommand, now: Timestamp) -> Decision<Self> {
        use PaymentState::{Closed, Paid, Refused, Waiting};
        if let PaymentCommand::Ask(asked) = command {
            if self.asked.is_some() {
                return Err(Refusal::Exists);
            }
            if !(1..=AMOUNT_MAX_CENTS).contains(&asked.amount_cents) {
                return Err(Refusal::Amount);
            }
            return Ok(vec![PaymentEvent::Asked { asked, at: now, until: now.plus_millis(LIFE_MS) }]);
        }
        if self.asked.is_none() {
            return Err(Refusal::Unknown);
        }
        let event = match command {
            PaymentCommand::Ask(_) => return Err(Refusal::Exists),
            PaymentCommand::Present { cashier_url } if self.cashier_url.as_deref() == Some(&*cashier_url) => {
                return Ok(vec![]);
            }
            PaymentCommand::Present { .. } if self.state != Waiting => return Ok(vec![]),
            PaymentCommand::Present { cashier_url } => PaymentEvent::Presented { cashier_url },
            PaymentCommand::Confirm { .. } if self.state == Paid => return Ok(vec![]),
            // Money that moved after all is taken, whatever was thought of it.
            PaymentCommand::Confirm { provider_no, note } => {
                PaymentEvent::Paid { provider_no, note, at: now }
            }
            PaymentCommand::Refuse { .. } if self.state == Refused => return Ok(vec![]),
            PaymentCommand::Refuse { text } if self.state == Waiting => {
                PaymentEvent::Refused { text, at: now }
            }
            PaymentCommand::Refuse { .. } => return self.not_now("拒绝"),
            PaymentCommand::Close if self.state == Closed => return Ok(vec![]),
            PaymentCommand::Close if self.state == Waiting => PaymentEvent::Closed { at: now },
            PaymentCommand::Close => return self.not_now("关闭"),
            PaymentCommand::GiveBack(_) if self.state != Paid => return self.not_now("退款"),
            PaymentCommand::GiveBack(_) if self.refunds.len() >= REFUNDS_MAX => {
                return Err(Refusal::RefundsMax);
            }
            PaymentCommand::GiveBack(refund) if !(1..=self.left_cents()).contains(&refund.amount_cents) => {
                return Err(Refusal::RefundTooMuch { left_cents: self.left_cents() });
            }
            PaymentCommand::GiveBack(refund) => PaymentEvent::RefundAsked { refund, at: now },
            PaymentCommand::Arrived { refund_id } => {
                self.underway(refund_id).ok_or(Refusal::NoRefund)?;
                PaymentEvent::RefundDone { refund_id, at: now }
            }
            PaymentCommand::CameBack { refund_id, text } => {
                self.underway(refund_id).ok_or(Refusal::NoRefund)?;
                PaymentEvent::RefundRefused { refund_id, text, at: now }
            }
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &PaymentEvent) {
        let mut ended = |refund_id: &i64, state| {
            if let Some((_, stands)) = self.refunds.get_mut(refund_id) {
                *stands = state;
            }
        };
        match event {
            PaymentEvent::Asked { asked, until, .. } => {
                (self.asked, self.until) = (Some(asked.clone()), *until);
            }
            PaymentEvent::Presented { cashier_url } => self.cashier_url = Some(cashier_url.clone()),
            PaymentEvent::Paid { .. } => self.state = PaymentState::Paid,
            PaymentEvent::Refused { .. } => self.state = PaymentState::Refused,
            PaymentEvent::Closed { .. } => self.state = PaymentState::Closed,
            PaymentEvent::RefundAsked { refund, .. } => {
                self.refunds.insert(refund.refund_id, (*refund, RefundState::Underway));
            }
            PaymentEvent::RefundDone { refund_id, .. } => ended(refund_id, RefundState::Done),
            PaymentEvent::RefundRefused { refund_id, .. } => ended(refund_id, RefundState::Refused),
        }
    }

    fn owner(&self) -> DataOwner {
        self.asked.as_ref().map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

    fn asked(amount_cents: i64) -> PaymentCommand {
        PaymentCommand::Ask(PaymentRequest {
            payment_id: PaymentId(5),
            rider_id: RiderId(7),
            agent_id: AgentId(2),
            area_id: AreaId(3),
            channel: 3,
            agreed: false,
            amount_cents,
            purpose: Purpose::TopUp,
        })
    }

    fn act(payment: &mut Payment, command: PaymentCommand) -> Result<usize, PaymentRefusal> {
        let events = payment.decide(command, NOW)?;
        for event in &events {
            payment.evolve(event);
        }
        Ok(events.len())
    }

    fn confirm() -> PaymentCommand {
        PaymentCommand::Confirm { provider_no: "P1".to_owned(), note: None }
    }

    fn back(refund_id: i64, amount_cents: i64) -> PaymentCommand {
        PaymentCommand::GiveBack(Refund { refund_id, amount_cents, what: GoesBack::Balance })
    }

    #[test]
    fn a_payment_counts_once_however_often_it_is_told() {
        let mut payment = Payment::default();
        assert_eq!(act(&mut payment, asked(0)), Err(Refusal::Amount));
        act(&mut payment, asked(500)).unwrap();
        assert_eq!((act(&mut payment, confirm()), act(&mut payment, confirm())), (Ok(1), Ok(0)));
        let refused = PaymentCommand::Refuse { text: "余额不足".to_owned() };
        assert_eq!(act(&mut payment, refused), Err(Refusal::NotNow { now: "已支付", act: "拒绝" }));
    }

    #[test]
    fn money_that_moved_after_its_time_is_taken() {
        let mut payment = Payment::default();
        act(&mut payment, asked(500)).unwrap();
        act(&mut payment, PaymentCommand::Close).unwrap();
        assert_eq!(act(&mut payment, confirm()), Ok(1));
        assert_eq!((payment.state(), payment.left_cents()), (PaymentState::Paid, 500));
    }

    #[test]
    fn what_could_not_go_back_may_go_back_again() {
        let mut payment = Payment::default();
        act(&mut payment, asked(500)).unwrap();
        assert_eq!(act(&mut payment, back(1, 1)), Err(Refusal::NotNow { now: "待支付", act: "退款" }));
        act(&mut payment, confirm()).unwrap();
        act(&mut payment, back(1, 300)).unwrap();
        assert_eq!(act(&mut payment, back(2, 201)), Err(Refusal::RefundTooMuch { left_cents: 200 }));
        let came_back = PaymentCommand::CameBack { refund_id: 1, text: "账户已注销".to_owned() };
        act(&mut payment, came_back.clone()).unwrap();
        assert_eq!(act(&mut payment, came_back), Err(Refusal::NoRefund));
        act(&mut payment, back(2, 500)).unwrap();
        act(&mut payment, PaymentCommand::Arrived { refund_id: 2 }).unwrap();
        assert_eq!(payment.left_cents(), 0);
    }

    proptest! {
        #[test]
        fn never_more_goes_back_than_came(
            asks in proptest::collection::vec((0_i64..6, -10_i64..400, 0_u8..3), 0..40),
        ) {
            let mut payment = Payment::default();
            act(&mut payment, asked(500)).unwrap();
            act(&mut payment, confirm()).unwrap();
            for (refund_id, cents, what) in asks {
                let _ = act(&mut payment, match what {
                    0 => back(refund_id, cents),
                    1 => PaymentCommand::Arrived { refund_id },
                    _ => PaymentCommand::CameBack { refund_id, text: String::new() },
                });
                prop_assert!((0..=500).contains(&payment.left_cents()));
            }
        }
    }
}
