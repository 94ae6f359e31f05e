//! What the provider knows: decides, and follows what was written. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use chrono::NaiveDate;
use payment_port::{
    Fault, Moved, Movement, Notice, Payment, PaymentOrder, PaymentState, REFUNDS_MAX, Refund, RefundNo,
    RefundOrder, RefundState, Refusal, STATEMENT_ROWS, StatementPage, Subject, TradeNo, day_of,
};
use serde::{Deserialize, Serialize};
use vocabulary::{Cents, Timestamp};

use crate::entry::Entry;

/// Among so many of the oldest payments one is looked for that can be forgotten.
const OLDEST: usize = 1_000;
/// Movements that are kept for each payment that is.
const MOVEMENTS_EACH: usize = 4;

/// A payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPayment {
    pub order: PaymentOrder,
    pub provider_no: String,
    pub cashier: Option<String>,
    pub decides_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub state: PaymentState,
    pub refunds: Vec<RefundNo>,
    pub refunded: Cents,
}

/// A refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRefund {
    pub order: RefundOrder,
    pub provider_no: String,
    pub created_at: Timestamp,
    pub ends_at: Timestamp,
    pub state: RefundState,
}

/// A notice that is still to be sent, perhaps again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptNotice {
    pub notice: Notice,
    pub url: String,
    pub pending: BTreeSet<Timestamp>,
    pub sent: u8,
    pub received: bool,
}

impl KeptPayment {
    fn is_waiting(&self) -> bool {
        !self.state.is_end()
    }

    /// As the platform sees it; `base` is where payers reach the cashier.
    pub fn shown(&self, base: &str) -> Payment {
        let state = match &self.state {
            PaymentState::Waiting { .. } => PaymentState::Waiting {
                cashier_url: self.cashier.as_ref().map(|token| format!("{base}/cashier/{token}")),
            },
            ended => ended.clone(),
        };
        Payment {
            trade_no: self.order.trade_no.clone(),
            provider_no: self.provider_no.clone(),
            amount_cents: self.order.amount_cents,
            channel: self.order.channel,
            mode: self.order.mode,
            state,
            refunded_cents: self.refunded,
            created_at: self.created_at,
        }
    }
}

impl KeptRefund {
    /// As the platform sees it.
    pub fn shown(&self) -> Refund {
        Refund {
            refund_no: self.order.refund_no.clone(),
            trade_no: self.order.trade_no.clone(),
            provider_no: self.provider_no.clone(),
            amount_cents: self.order.amount_cents,
            state: self.state.clone(),
            created_at: self.created_at,
        }
    }
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    most: usize,
    payments: HashMap<TradeNo, KeptPayment>,
    /// In the order in which they were asked for.
    order: VecDeque<TradeNo>,
    refunds: HashMap<RefundNo, KeptRefund>,
    cashiers: HashMap<String, TradeNo>,
    notices: HashMap<String, KeptNotice>,
    days: BTreeMap<NaiveDate, Vec<Movement>>,
    moved: usize,
    forgotten_until: Option<NaiveDate>,
}

impl Book {
    /// Empty; keeps at most `most` payments.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            payments: HashMap::new(),
            order: VecDeque::new(),
            refunds: HashMap::new(),
            cashiers: HashMap::new(),
            notices: HashMap::new(),
            days: BTreeMap::new(),
            moved: 0,
            forgotten_until: None,
        }
    }

    /// A payment.
    pub fn payment(&self, trade_no: &TradeNo) -> Result<&KeptPayment, Fault> {
        self.payments.get(trade_no).ok_or(Fault::UnknownNumber)
    }

    /// A refund.
    pub fn refund(&self, refund_no: &RefundNo) -> Result<&KeptRefund, Fault> {
        self.refunds.get(refund_no).ok_or(Fault::UnknownNumber)
    }

    /// The payment of a cashier's page.
    pub fn at_cashier(&self, token: &str) -> Option<&KeptPayment> {
        self.payments.get(self.cashiers.get(token)?)
    }

    /// A notice that is still to be sent.
    pub fn notice(&self, notice_id: &str) -> Option<&KeptNotice> {
        self.notices.get(notice_id)
    }

    /// All payments.
    pub fn payments(&self) -> impl Iterator<Item = &KeptPayment> {
        self.payments.values()
    }

    /// All refunds.
    pub fn refunds(&self) -> impl Iterator<Item = &KeptRefund> {
        self.refunds.values()
    }

    /// All notices that are still to be sent.
    pub fn notices(&self) -> impl Iterator<Item = &KeptNotice> {
        self.notices.values()
    }

    /// Whether a payment is a new one; the same again is not, and another under its number is refused.
    pub fn is_new_payment(&self, order: &PaymentOrder, now: Timestamp) -> Result<bool, Fault> {
        order.check()?;
        if let Some(known) = self.payments.get(&order.trade_no) {
            return if known.order == *order { Ok(false) } else { Err(Fault::NumberTaken) };
        }
        order.check_life(now)?;
        let crowded = self.moved >= MOVEMENTS_EACH * self.most && self.days.len() <= 1;
        if crowded || (self.payments.len() >= self.most && self.oldest_done().is_none()) {
            return Err(Fault::Busy);
        }
        Ok(true)
    }

    /// Whether a refund is a new one.
    pub fn is_new_refund(&self, order: &RefundOrder) -> Result<bool, Fault> {
        order.check()?;
        if let Some(known) = self.refunds.get(&order.refund_no) {
            return if known.order == *order { Ok(false) } else { Err(Fault::NumberTaken) };
        }
        let payment = self.payment(&order.trade_no)?;
        if !matches!(payment.state, PaymentState::Paid { .. }) {
            return Err(Fault::NotPaid);
        }
        if payment.refunds.len() >= REFUNDS_MAX {
            return Err(Fault::TooMany);
        }
        let sum = payment.refunded.plus(order.amount_cents);
        if sum.is_none_or(|sum| sum > payment.order.amount_cents) {
            return Err(Fault::TooMuch);
        }
        Ok(true)
    }

    /// The platform wants it no more.
    pub fn close(&self, trade_no: &TradeNo, now: Timestamp) -> Result<Option<Entry>, Fault> {
        let payment = self.payment(trade_no)?;
        match payment.state {
            PaymentState::Paid { .. } => Err(Fault::AlreadyPaid),
            PaymentState::Waiting { .. } => Ok(Some(Entry::Closed { trade_no: trade_no.clone(), at: now })),
            _ => Ok(None),
        }
    }

    /// The payer confirms at the cashier's, or does not want to. Nothing when it has ended.
    pub fn answer_at_cashier(&self, token: &str, confirms: bool, now: Timestamp) -> Option<Entry> {
        let payment = self.at_cashier(token).filter(|payment| payment.is_waiting())?;
        let trade_no = payment.order.trade_no.clone();
        Some(if payment.order.expires_at <= now {
            Entry::Closed { trade_no, at: now }
        } else if confirms {
            Entry::Paid { trade_no, at: now }
        } else {
            Entry::Refused { trade_no, refusal: Refusal::new("given-up", "付款人放弃支付"), at: now }
        })
    }

    /// The provider took the money by itself, or could not. Nothing when it has ended.
    pub fn take(&self, trade_no: &TradeNo, refusal: Option<Refusal>, now: Timestamp) -> Option<Entry> {
        self.payments.get(trade_no).filter(|payment| payment.is_waiting())?;
        let trade_no = trade_no.clone();
        Some(match refusal {
            None => Entry::Paid { trade_no, at: now },
            Some(refusal) => Entry::Refused { trade_no, refusal, at: now },
        })
    }

    /// Its time is over. Nothing when it has ended.
    pub fn expire(&self, trade_no: &TradeNo, now: Timestamp) -> Option<Entry> {
        let payment = self.payments.get(trade_no).filter(|payment| payment.is_waiting())?;
        (payment.order.expires_at <= now).then(|| Entry::Closed { trade_no: trade_no.clone(), at: now })
    }

    /// A refund ends. Nothing when it has ended.
    pub fn end_refund(
        &self,
        refund_no: &RefundNo,
        refusal: Option<Refusal>,
        now: Timestamp,
    ) -> Option<Entry> {
        self.refunds.get(refund_no).filter(|refund| refund.state == RefundState::Processing)?;
        let refund_no = refund_no.clone();
        Some(match refusal {
            None => Entry::Refunded { refund_no, at: now },
            Some(refusal) => Entry::RefundRefused { refund_no, refusal, at: now },
        })
    }

    /// What the platform is to be told of an entry that is about to be followed, and where; its times are still to be thrown.
    pub fn tells(&self, entry: &Entry, now: Timestamp) -> Option<(Notice, String)> {
        if let Some((trade_no, state)) = entry.ends_payment() {
            let payment = self.payments.get(trade_no)?;
            let ended = KeptPayment { state, ..payment.clone() };
            let subject = Subject::Payment { payment: ended.shown("") };
            let notice = Notice { notice_id: format!("P-{trade_no}"), subject, at: now };
            return Some((notice, ended.order.notify_url));
        }
        let (refund_no, state) = entry.ends_refund()?;
        let refund = self.refunds.get(refund_no)?;
        let ended = KeptRefund { state, ..refund.clone() };
        let subject = Subject::Refund { refund: ended.shown() };
        let notice = Notice { notice_id: format!("R-{refund_no}"), subject, at: now };
        Some((notice, ended.order.notify_url))
    }

    /// A page of a day.
    pub fn statement(
        &self,
        day: NaiveDate,
        after: usize,
        limit: usize,
        now: Timestamp,
    ) -> Result<StatementPage, Fault> {
        if self.forgotten_until.is_some_and(|until| day <= until) {
            return Err(Fault::Malformed(format!("day：{day} 的明细已不再保留")));
        }
        let all = self.days.get(&day).map_or(&[][..], Vec::as_slice);
        let rows = all.iter().skip(after).take(limit.clamp(1, STATEMENT_ROWS)).cloned().collect::<Vec<_>>();
        let read = after.saturating_add(rows.len());
        let next = (read < all.len()).then(|| read.to_string().parse().expect("digits are a cursor"));
        Ok(StatementPage { day, complete: day < day_of(now), rows, next })
    }

    /// Follows what was written.
    pub fn follow(&mut self, entry: &Entry) {
        if let Some((trade_no, state)) = entry.ends_payment() {
            return self.end_of_payment(trade_no, &state);
        }
        if let Some((refund_no, state)) = entry.ends_refund() {
            return self.end_of_refund(refund_no, &state);
        }
        match entry.clone() {
            Entry::Asked { order, provider_no, cashier, decides_at, at } => self.keep(KeptPayment {
                order,
                provider_no,
                cashier,
                decides_at,
                created_at: at,
                state: PaymentState::Waiting { cashier_url: None },
                refunds: Vec::new(),
                refunded: Cents(0),
            }),
            Entry::RefundAsked { order, provider_no, ends_at, at } => {
                if let Some(payment) = self.payments.get_mut(&order.trade_no) {
                    payment.refunds.push(order.refund_no.clone());
                    payment.refunded = payment.refunded.plus(order.amount_cents).unwrap_or(payment.refunded);
                }
                let state = RefundState::Processing;
                let refund = KeptRefund { order, provider_no, created_at: at, ends_at, state };
                self.refunds.insert(refund.order.refund_no.clone(), refund);
            }
            Entry::Telling { notice, url, times } => {
                let pending = times.into_iter().collect();
                let kept = KeptNotice { notice, url, pending, sent: 0, received: false };
                self.notices.insert(kept.notice.notice_id.clone(), kept);
            }
            Entry::Told { notice_id, due, received, again } => {
                let Some(kept) = self.notices.get_mut(&notice_id) else { return };
                kept.pending.remove(&due);
                kept.pending.extend(again);
                kept.sent = kept.sent.saturating_add(1);
                kept.received |= received;
                if kept.pending.is_empty() {
                    self.notices.remove(&notice_id);
                }
            }
            Entry::KeptPayment(kept) => self.keep(kept),
            Entry::KeptRefund(kept) => {
                self.refunds.insert(kept.order.refund_no.clone(), kept);
            }
            Entry::KeptNotice(kept) => {
                self.notices.insert(kept.notice.notice_id.clone(), kept);
            }
            Entry::Moved(movement) => self.moves(movement),
            Entry::Forgotten { until } => self.forgotten_until = Some(until),
            Entry::Paid { .. }
            | Entry::Refused { .. }
            | Entry::Closed { .. }
            | Entry::Refunded { .. }
            | Entry::RefundRefused { .. } => unreachable!("ends were followed above"),
        }
    }

    /// Entries that make the same book.
    pub fn snapshot(&self) -> Vec<Entry> {
        let payments = self.order.iter().filter_map(|trade_no| self.payments.get(trade_no));
        let mut entries: Vec<Entry> = payments.cloned().map(Entry::KeptPayment).collect();
        entries.extend(self.refunds.values().cloned().map(Entry::KeptRefund));
        entries.extend(self.notices.values().cloned().map(Entry::KeptNotice));
        entries.extend(self.days.values().flatten().cloned().map(Entry::Moved));
        entries.extend(self.forgotten_until.map(|until| Entry::Forgotten { until }));
        entries
    }

    fn keep(&mut self, kept: KeptPayment) {
        let trade_no = kept.order.trade_no.clone();
        if let Some(token) = &kept.cashier {
            self.cashiers.insert(token.clone(), trade_no.clone());
        }
        self.order.push_back(trade_no.clone());
        self.payments.insert(trade_no, kept);
        while self.payments.len() > self.most {
            let Some(oldest) = self.oldest_done() else { break };
            self.forget(oldest);
        }
    }

    /// The place of the oldest payment that nothing will happen to by itself.
    fn oldest_done(&self) -> Option<usize> {
        self.order.iter().take(OLDEST).position(|trade_no| {
            self.payments.get(trade_no).is_some_and(|payment| {
                let under_way = |refund_no| {
                    self.refunds.get(refund_no).is_some_and(|refund| refund.state == RefundState::Processing)
                };
                !payment.is_waiting() && !payment.refunds.iter().any(under_way)
            })
        })
    }

    fn forget(&mut self, place: usize) {
        let Some(payment) = self.order.remove(place).and_then(|trade_no| self.payments.remove(&trade_no))
        else {
            return;
        };
        if let Some(token) = &payment.cashier {
            self.cashiers.remove(token);
        }
        for refund_no in &payment.refunds {
            self.refunds.remove(refund_no);
        }
    }

    fn end_of_payment(&mut self, trade_no: &TradeNo, state: &PaymentState) {
        let Some(payment) = self.payments.get_mut(trade_no) else { return };
        payment.state = state.clone();
        let PaymentState::Paid { at } = *state else { return };
        let movement = Movement {
            moved: Moved::Payment,
            trade_no: trade_no.clone(),
            provider_no: payment.provider_no.clone(),
            amount_cents: payment.order.amount_cents,
            channel: payment.order.channel,
            at,
        };
        self.moves(movement);
    }

    fn end_of_refund(&mut self, refund_no: &RefundNo, state: &RefundState) {
        let Some(refund) = self.refunds.get_mut(refund_no) else { return };
        refund.state = state.clone();
        let amount_cents = refund.order.amount_cents;
        let Some(payment) = self.payments.get_mut(&refund.order.trade_no) else { return };
        let movement = Movement {
            moved: Moved::Refund { refund_no: refund_no.clone() },
            trade_no: refund.order.trade_no.clone(),
            provider_no: refund.provider_no.clone(),
            amount_cents,
            channel: payment.order.channel,
            at: refund.created_at,
        };
        match *state {
            RefundState::Done { at } => self.moves(Movement { at, ..movement }),
            RefundState::Refused { .. } => {
                payment.refunded = payment.refunded.minus(amount_cents).unwrap_or(payment.refunded);
            }
            RefundState::Processing => {}
        }
    }

    fn moves(&mut self, movement: Movement) {
        self.days.entry(day_of(movement.at)).or_default().push(movement);
        self.moved += 1;
        while self.moved > MOVEMENTS_EACH * self.most && self.days.len() > 1 {
            if let Some((day, rows)) = self.days.pop_first() {
                self.moved -= rows.len();
                self.forgotten_until = Some(day);
            }
        }
    }
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
