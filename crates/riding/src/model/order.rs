//! A ride order (骑行订单): from a reservation or an unlock to the last cent. One is open for a rider and for a bike at a time,
//! by claims. What it costs is decided once, by the billing of its start and the fences of its end; what changes later is
//! said with who changed it and why.

use kernel::{Aggregate, Claim, Decision, events, refusals};
use vocabulary::text::line;
use vocabulary::{Cents, DataOwner, PaymentId, RideOrderId, Timestamp, choices};

use super::anomaly::Reconciliation;
pub use super::order_terms::{CancelReason, End, EndKind, Evidence, FenceVersion, Opened, Pricing, Share};
use super::pay_rules::{PayRules, REMINDERS_MAX, RemindWay};
use super::reminder::Reminders;

/// A reason has at most so many characters.
pub const REASON_MAX: usize = 200;
/// A reservation holds so long.
pub const RESERVED_MS: i64 = 15 * 60_000;
/// A ride of less than this and of less than [`MISTAKE_M`] may be called off by its rider.
pub const MISTAKE_MS: i64 = 120_000;
/// Metres.
pub const MISTAKE_M: i64 = 50;
/// Refunds of one order at most.
pub const REFUNDS_MAX: usize = 50;

choices! {
    /// Where an order stands.
    #[derive(Default)]
    pub enum PayState("订单状态") {
        #[default]
        Reserved = 0 => "预约中",
        Riding = 1 => "骑行中",
        Held = 2 => "费用确认中",
        Unpaid = 3 => "待支付",
        Paid = 4 => "已支付",
        Cancelled = 5 => "已取消",
        Refunded = 6 => "已全额退款",
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum OrderCommand {
    /// Keeps a bike for a rider.
    Reserve(Opened),
    /// Asks its lock to open; of a reservation or from nothing. The ride is billed by this version.
    Unlock { opened: Opened, billing_version: i64 },
    /// The lock opened.
    Begin,
    /// Nothing came of it.
    Cancel { why: CancelReason },
    /// The rider locks the bike for a while.
    Pause,
    /// He goes on.
    Resume,
    /// The ride is over.
    Return(End),
    /// Its device says that it is over, and since when: what is returned in the same append ends for that.
    Reconcile { found: Box<Reconciliation>, reason: String },
    /// This is what it costs.
    Price(Pricing),
    /// So much came for it, by this channel (0: the wallet) and this payment.
    Pay { share: Share, channel: i16, payment: Option<PaymentId> },
    /// It costs that now.
    Modify { pay_cents: i64, reason: String },
    /// So much went back.
    Refund { share: Share, reason: String },
    /// What is still owed is given up.
    WriteOff { reason: String },
    /// Reminds of what is owed: the rules of its area, or a person.
    Remind { rules: PayRules, by_hand: bool },
    /// Somebody says why he does to it what he does in the same append.
    Note { reason: String },
}

events! {
    /// What happened.
    pub enum OrderEvent {
        Reserved { opened: Opened, until: Timestamp, at: Timestamp } = "ride-order.reserved",
        UnlockAsked { opened: Opened, billing_version: i64, at: Timestamp } = "ride-order.unlock_asked",
        Started { at: Timestamp } = "ride-order.started",
        Cancelled { why: CancelReason, at: Timestamp } = "ride-order.cancelled",
        Paused { at: Timestamp } = "ride-order.paused",
        Resumed { at: Timestamp } = "ride-order.resumed",
        Returned { end: End, at: Timestamp } = "ride-order.returned",
        Priced { pricing: Box<Pricing>, at: Timestamp } = "ride-order.priced",
        Paid {
            share: Share,
            channel: i16,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            payment: Option<PaymentId>,
            at: Timestamp,
        } = "ride-order.paid",
        Modified {
            from_cents: i64,
            to_cents: i64,
            reason: String,
            at: Timestamp,
        } = "ride-order.modified",
        Refunded { share: Share, reason: String, at: Timestamp } = "ride-order.refunded",
        WrittenOff { amount_cents: i64, reason: String, at: Timestamp } = "ride-order.written_off",
        Noted { reason: String, at: Timestamp } = "ride-order.noted",
        Reminded { nth: u16, way: RemindWay, at: Timestamp } = "ride-order.reminded",
        Reconciled {
            found: Box<Reconciliation>,
            reason: String,
            at: Timestamp,
        } = "ride-order.reconciled",
    }
}

refusals! {
    /// Why not.
    pub enum OrderRefusal {
        Unknown = "order-unknown": ("订单不存在"),
        Exists = "order-exists": ("订单已存在"),
        RiderBusy = "order-rider-busy": ("您有未结束的行程，请先结束"),
        CarBusy = "order-car-busy": ("该车正在被使用"),
        Other = "order-other": ("订单属于其他用户或车辆"),
        NotNow { now: &'static str, act: &'static str } = "order-not-now": ("订单当前为“{now}”，不能{act}"),
        Unlocking = "order-unlocking": ("正在开锁，请稍候"),
        NotAMistake = "order-not-a-mistake": ("骑行超过 2 分钟或 {MISTAKE_M} 米，不能取消，请还车"),
        NotPaused = "order-not-paused": ("车辆没有临停"),
        Paused = "order-paused": ("车辆已临停"),
        TooEarly = "order-too-early": ("结束时间早于开始时间"),
        TooLate = "order-too-late": ("结束时间不能晚于现在"),
        Moved { distance_m: i64 } = "order-moved": ("车辆已移动 {distance_m} 米，不能取消，请结束行程"),
        Amount = "order-amount": ("金额不正确"),
        RefundTooMuch { left_cents: i64 } = "order-refund-too-much":
            ("退款超过可退金额，最多可退 {} 元", Cents(*left_cents)),
        RefundsMax = "order-refunds": ("一个订单最多退款 {REFUNDS_MAX} 次"),
        Reason = "order-reason": ("请填写原因，最多 {REASON_MAX} 个字"),
        NotExpired = "order-not-expired": ("预约尚未到期"),
        NothingStrange = "order-not-strange": ("车辆状态已恢复正常，不需要按异常结束"),
        NoTrueEnd = "order-no-true-end": ("没有依据推断真实的结束时间，请在订单详情中强制结束"),
        RemindedByNight = "order-reminded-by-night": ("晚 22 点至早 8 点不催缴，请在白天操作"),
        RemindedLately = "order-reminded-lately": ("一小时内已催缴过，请稍后再试"),
        RemindersOver = "order-reminders-over": ("该订单已催缴 {REMINDERS_MAX} 次，不能再催缴"),
        ReminderNotDue = "order-reminder-not-due": ("还没有到下一次催缴的时间"),
        OtherEnd = "order-other-end": ("真实结束时间已变化，请刷新后重新核对"),
    }
}

use OrderRefusal as Refusal;

/// The order as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Order {
    opened: Option<Opened>,
    state: PayState,
    /// A reservation's end.
    until: Option<Timestamp>,
    /// Asked to open, not answered yet.
    is_unlocking: bool,
    billing_version: i64,
    started_at: Option<Timestamp>,
    /// Since when its rider has locked the bike for a while.
    paused_at: Option<Timestamp>,
    resumed_at: Option<Timestamp>,
    end: Option<End>,
    pricing: Option<Pricing>,
    pay_cents: i64,
    paid: Share,
    refunded: Share,
    refunds: usize,
    written_off_cents: i64,
    cancelled: Option<CancelReason>,
    payment: Option<PaymentId>,
    reminders: Reminders,
}

/// Why something is done to an order, as it is kept.
pub(crate) fn reason(text: &str) -> Result<String, OrderRefusal> {
    line(text, REASON_MAX).ok_or(Refusal::Reason)
}

impl Order {
    /// How it began.
    pub const fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    /// Where it stands.
    pub const fn state(&self) -> PayState {
        self.state
    }

    /// Whether its lock was asked to open and has not answered.
    pub const fn is_unlocking(&self) -> bool {
        self.is_unlocking
    }

    /// Whether its rider locked the bike for a while.
    pub const fn is_paused(&self) -> bool {
        self.paused_at.is_some()
    }

    /// Since when, while it is.
    pub const fn paused_at(&self) -> Option<Timestamp> {
        self.paused_at
    }

    /// When its rider last went on after a pause.
    pub const fn resumed_at(&self) -> Option<Timestamp> {
        self.resumed_at
    }

    /// Until when it is reserved.
    pub const fn reserved_until(&self) -> Option<Timestamp> {
        self.until
    }

    /// Which version of the area's billing it is billed by.
    pub const fn billing_version(&self) -> i64 {
        self.billing_version
    }

    /// When the lock opened.
    pub const fn started_at(&self) -> Option<Timestamp> {
        self.started_at
    }

    /// Why it came to nothing.
    pub const fn cancelled(&self) -> Option<CancelReason> {
        self.cancelled
    }

    /// How it ended.
    pub const fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// What it cost when it was priced, and why.
    pub const fn pricing(&self) -> Option<&Pricing> {
        self.pricing.as_ref()
    }

    /// What it costs now.
    pub const fn pay_cents(&self) -> i64 {
        self.pay_cents
    }

    /// What came for it.
    pub const fn paid(&self) -> Share {
        self.paid
    }

    /// By which payment its third share came.
    pub const fn payment(&self) -> Option<PaymentId> {
        self.payment
    }

    /// How often somebody was reminded of it.
    pub const fn reminders(&self) -> Reminders {
        self.reminders
    }

    /// What of that went back.
    pub const fn refunded(&self) -> Share {
        self.refunded
    }

    /// What is still to be paid.
    pub const fn owed_cents(&self) -> i64 {
        self.pay_cents - self.paid.sum_cents() - self.written_off_cents
    }

    /// What of it may still go back.
    pub const fn refundable(&self) -> Share {
        self.paid.less(&self.refunded)
    }

    /// So much of what may go back: what came through a channel first, then what he paid into his wallet, what he was given
    /// last.
    pub fn back(&self, amount_cents: i64) -> Result<Share, OrderRefusal> {
        self.is(&[PayState::Paid], "退款")?;
        let left = self.refundable();
        if amount_cents <= 0 {
            return Err(Refusal::Amount);
        }
        if amount_cents > left.sum_cents() {
            return Err(Refusal::RefundTooMuch { left_cents: left.sum_cents() });
        }
        let third_cents = amount_cents.min(left.third_cents);
        let recharge_cents = (amount_cents - third_cents).min(left.recharge_cents);
        Ok(Share { third_cents, recharge_cents, present_cents: amount_cents - third_cents - recharge_cents })
    }

    /// Whether its ride can be ended.
    pub fn may_end(&self) -> Result<(), OrderRefusal> {
        self.known()?;
        self.underway("结束")
    }

    /// Whether somebody is on the way with the bike, or about to be.
    pub fn is_open(&self) -> bool {
        self.opened.is_some() && matches!(self.state, PayState::Reserved | PayState::Riding)
    }

    fn known(&self) -> Result<&Opened, OrderRefusal> {
        self.opened.as_ref().ok_or(Refusal::Unknown)
    }

    fn is(&self, wanted: &[PayState], act: &'static str) -> Result<(), OrderRefusal> {
        if wanted.contains(&self.state) {
            Ok(())
        } else {
            Err(Refusal::NotNow { now: self.state.label(), act })
        }
    }

    fn underway(&self, act: &'static str) -> Result<(), OrderRefusal> {
        self.is(&[PayState::Riding], act)?;
        if self.is_unlocking { Err(Refusal::Unlocking) } else { Ok(()) }
    }

    /// A reservation's own rider and bike alone go on with it.
    fn same(&self, other: &Opened) -> bool {
        self.opened.as_ref().is_some_and(|own| own.rider_id == other.rider_id && own.car_id == other.car_id)
    }

    fn unlock(&self, opened: Opened, billing_version: i64, now: Timestamp) -> Decision<Self> {
        if self.opened.is_some() {
            self.is(&[PayState::Reserved], "开锁")?;
            if !self.same(&opened) {
                return Err(Refusal::Other);
            }
        }
        Ok(vec![OrderEvent::UnlockAsked { opened, billing_version, at: now }])
    }

    fn cancel(&self, why: CancelReason, now: Timestamp) -> Decision<Self> {
        match (self.state, why) {
            (PayState::Reserved, CancelReason::Expired) if self.until.is_some_and(|until| now < until) => {
                return Err(Refusal::NotExpired);
            }
            (PayState::Reserved, _) => {}
            (PayState::Riding, CancelReason::NoAnswer | CancelReason::Refused) if self.is_unlocking => {}
            (PayState::Riding, CancelReason::ByStaff) => {}
            (PayState::Riding, CancelReason::Mistake) => {
                self.underway("取消")?;
                if self.started_at.is_none_or(|start| now.millis_since(start) >= MISTAKE_MS) {
                    return Err(Refusal::NotAMistake);
                }
            }
            (PayState::Riding, _) if self.is_unlocking => return Err(Refusal::Unlocking),
            (PayState::Riding, _) => return Err(Refusal::NotAMistake),
            _ => return Err(Refusal::NotNow { now: self.state.label(), act: "取消" }),
        }
        Ok(vec![OrderEvent::Cancelled { why, at: now }])
    }

    fn refund(&self, share: Share, why: &str, now: Timestamp) -> Decision<Self> {
        self.is(&[PayState::Paid], "退款")?;
        if share.parts().iter().any(|cents| *cents < 0) || share.sum_cents() == 0 {
            return Err(Refusal::Amount);
        }
        if self.refunds >= REFUNDS_MAX {
            return Err(Refusal::RefundsMax);
        }
        let after = self.refunded.plus(&share);
        if after.parts().iter().zip(self.paid.parts()).any(|(back, paid)| *back > paid) {
            let left_cents = self.paid.sum_cents() - self.refunded.sum_cents();
            return Err(Refusal::RefundTooMuch { left_cents });
        }
        Ok(vec![OrderEvent::Refunded { share, reason: reason(why)?, at: now }])
    }
}

impl Aggregate for Order {
    const CATEGORY: &'static str = "ride-order";
    type Id = RideOrderId;
    type Command = OrderCommand;
    type Event = OrderEvent;
    type Refusal = OrderRefusal;

    fn decide(&self, command: OrderCommand, now: Timestamp) -> Decision<Self> {
        match command {
            OrderCommand::Reserve(_) if self.opened.is_some() => return Err(Refusal::Exists),
            OrderCommand::Reserve(opened) => {
                return Ok(vec![OrderEvent::Reserved {
                    opened,
                    until: now.plus_millis(RESERVED_MS),
                    at: now,
                }]);
            }
            OrderCommand::Unlock { opened, billing_version } => {
                return self.unlock(opened, billing_version, now);
            }
            _ => self.known()?,
        };
        let event = match command {
            OrderCommand::Reserve(_) | OrderCommand::Unlock { .. } => return Err(Refusal::Exists),
            OrderCommand::Begin if self.state == PayState::Riding && !self.is_unlocking => return Ok(vec![]),
            OrderCommand::Begin => {
                self.is(&[PayState::Riding], "开始骑行")?;
                OrderEvent::Started { at: now }
            }
            OrderCommand::Cancel { why } => return self.cancel(why, now),
            OrderCommand::Pause => {
                self.underway("临停")?;
                if self.is_paused() {
                    return Err(Refusal::Paused);
                }
                OrderEvent::Paused { at: now }
            }
            OrderCommand::Resume => {
                self.underway("继续骑行")?;
                if !self.is_paused() {
                    return Err(Refusal::NotPaused);
                }
                OrderEvent::Resumed { at: now }
            }
            OrderCommand::Return(end) => {
                self.underway("还车")?;
                if self.started_at.is_none_or(|start| end.at < start) {
                    return Err(Refusal::TooEarly);
                }
                OrderEvent::Returned { end, at: now }
            }
            OrderCommand::Reconcile { found, reason: why } => {
                self.underway("结束")?;
                OrderEvent::Reconciled { found, reason: reason(&why)?, at: now }
            }
            OrderCommand::Price(pricing) => {
                self.is(&[PayState::Held], "计费")?;
                OrderEvent::Priced { pricing: Box::new(pricing), at: now }
            }
            OrderCommand::Pay { share, channel, payment } => {
                self.is(&[PayState::Unpaid], "支付")?;
                let fits = share.parts().iter().all(|cents| *cents >= 0) && share.sum_cents() > 0;
                if !fits || share.sum_cents() > self.owed_cents() {
                    return Err(Refusal::Amount);
                }
                OrderEvent::Paid { share, channel, payment, at: now }
            }
            OrderCommand::Modify { pay_cents, reason: why } => {
                self.is(&[PayState::Unpaid], "改价")?;
                let priced_cents = self.pricing.as_ref().map_or(0, |pricing| pricing.receipt.pay_cents);
                if !(self.paid.sum_cents()..=priced_cents.max(self.pay_cents)).contains(&pay_cents) {
                    return Err(Refusal::Amount);
                }
                let (from_cents, to_cents) = (self.pay_cents, pay_cents);
                OrderEvent::Modified { from_cents, to_cents, reason: reason(&why)?, at: now }
            }
            OrderCommand::Refund { share, reason: why } => return self.refund(share, &why, now),
            OrderCommand::WriteOff { reason: why } => {
                self.is(&[PayState::Unpaid], "核销")?;
                OrderEvent::WrittenOff { amount_cents: self.owed_cents(), reason: reason(&why)?, at: now }
            }
            OrderCommand::Remind { rules, by_hand } => {
                self.is(&[PayState::Unpaid], "催缴")?;
                self.reminders.may(&rules, by_hand, now)?;
                OrderEvent::Reminded { nth: self.reminders.count + 1, way: rules.remind_way, at: now }
            }
            OrderCommand::Note { reason: why } => OrderEvent::Noted { reason: reason(&why)?, at: now },
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &OrderEvent) {
        match event {
            OrderEvent::Reserved { opened, until, .. } => {
                self.opened = Some(opened.clone());
                self.until = Some(*until);
                self.state = PayState::Reserved;
            }
            OrderEvent::UnlockAsked { opened, billing_version, .. } => {
                self.opened = Some(opened.clone());
                self.billing_version = *billing_version;
                self.is_unlocking = true;
                self.state = PayState::Riding;
            }
            OrderEvent::Started { at } => {
                self.is_unlocking = false;
                self.started_at = Some(*at);
            }
            OrderEvent::Cancelled { why, .. } => {
                self.state = PayState::Cancelled;
                self.cancelled = Some(*why);
            }
            OrderEvent::Paused { at } => self.paused_at = Some(*at),
            OrderEvent::Resumed { at } => {
                self.paused_at = None;
                self.resumed_at = Some(*at);
            }
            OrderEvent::Returned { end, .. } => {
                self.paused_at = None;
                self.end = Some(end.clone());
                self.state = PayState::Held;
            }
            OrderEvent::Priced { pricing, at } => {
                self.reminders.owed_since = Some(*at);
                self.pay_cents = pricing.receipt.pay_cents;
                self.pricing = Some((**pricing).clone());
                self.state = self.settled();
            }
            OrderEvent::Paid { share, payment, .. } => {
                self.payment = payment.or(self.payment);
                self.paid = self.paid.plus(share);
                self.state = self.settled();
            }
            OrderEvent::Modified { to_cents, .. } => {
                self.pay_cents = *to_cents;
                self.state = self.settled();
            }
            OrderEvent::Refunded { share, .. } => {
                self.refunded = self.refunded.plus(share);
                self.refunds += 1;
                if self.refunded == self.paid {
                    self.state = PayState::Refunded;
                }
            }
            OrderEvent::WrittenOff { amount_cents, .. } => {
                self.written_off_cents += amount_cents;
                self.state = self.settled();
            }
            OrderEvent::Reminded { nth, at, .. } => {
                self.reminders.count = *nth;
                self.reminders.last = Some(*at);
            }
            OrderEvent::Noted { .. } | OrderEvent::Reconciled { .. } => {}
        }
    }

    fn owner(&self) -> DataOwner {
        self.opened.as_ref().map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }

    fn car_id(&self) -> Option<&str> {
        self.opened.as_ref().map(|of| of.car_id.as_str())
    }

    /// While it is open nobody else has its bike, and its rider has no other.
    fn claims(&self, event: &OrderEvent) -> Vec<Claim<OrderRefusal>> {
        let mut after = self.clone();
        after.evolve(event);
        let key = |order: &Self, of: fn(&Opened) -> String| {
            order.opened.as_ref().filter(|_| order.is_open()).map(of)
        };
        let rider = |opened: &Opened| format!("riding-rider:{}", opened.rider_id);
        let car = |opened: &Opened| format!("riding-car:{}", opened.car_id);
        let mut all = Claim::exchange(key(self, rider), key(&after, rider), Refusal::RiderBusy);
        all.extend(Claim::exchange(key(self, car), key(&after, car), Refusal::CarBusy));
        all
    }
}

impl Order {
    fn settled(&self) -> PayState {
        if self.owed_cents() > 0 { PayState::Unpaid } else { PayState::Paid }
    }
}
