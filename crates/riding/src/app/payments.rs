//! Riders' money that comes and goes through channels. What a payment is for is settled in the one append that says it was
//! paid; a provider who is asked, or tells, ten times is counted once.

use std::fmt::Display;
use std::str::FromStr;

use kernel::runtime::Runtime;
use kernel::{Aggregate, AnyRefusal, CommandContext, CommandError, Receipt, Transaction};
use ledger::{AccountKind, Book, Holder};
use payment_port::{
    Channel, Mode, Payment as Told, PaymentOrder, PaymentState as ToldState, PortError, Refund as RefundTold,
    RefundOrder, RefundState as RefundToldState,
};
use serde_json::json;
use vocabulary::{CardHoldingId, Cents, PaymentId, RiderId, Timestamp};
use wire::{Caller, Refused, RequestContext};

use super::cards::{self, CardGiven, CardPaid, CardWanted};
use super::paying::{owed_by, pay_arrears};
use super::{NEWEST, post, reaching};
use crate::Context;
use crate::model::config::RidingPermissionConfig;
use crate::model::money;
use crate::model::order::{Order, OrderCommand, PayState, Share};
use crate::model::payment::{
    AMOUNT_MAX_CENTS, GoesBack, Payment, PaymentCommand, PaymentRequest, PaymentState, Purpose, Refund,
};
use crate::model::rider::{DepositState, Rider, RiderCommand};
use crate::ports::Provider;
use crate::read::payments;

/// A top-up is at least so many cents.
const TOP_UP_MIN_CENTS: i64 = 100;
/// What is left in a wallet goes back by so many payments at most at once.
const PAYMENTS_BACK_MAX: i64 = 20;
/// The rule's name in the log.
pub(crate) const PROVIDER: &str = "riding-payments";

/// What a rider is asked for.
#[derive(Clone, Debug)]
pub struct PaymentAsked {
    /// Who.
    pub rider: RiderId,
    /// What for.
    pub purpose: Purpose,
    /// How.
    pub channel: Channel,
    /// Whether the provider takes it by itself.
    pub agreed: bool,
    /// Of a top-up: how much.
    pub amount_cents: Option<i64>,
}

impl Context {
    fn provider(&self) -> Result<&Provider, Refused> {
        let none = || Refused::business("payment-none", "尚未接入支付通道，请联系管理员");
        self.ports.provider.as_deref().ok_or_else(none)
    }

    /// Asks a rider for money through a channel. Answers with the payment; where he confirms it, [`Payment::cashier_url`] says
    /// as soon as the provider did.
    pub(crate) async fn ask_payment(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: PaymentAsked,
    ) -> Result<Receipt, Refused> {
        self.provider()?;
        let rider = self.rider(caller, asked.rider).await?;
        let of = rider.registration().ok_or_else(Refused::not_found)?;
        let amount_cents = match self.price_of(&asked, request.now()).await {
            Ok(amount_cents) => amount_cents,
            Err(refused) => {
                return self.runtime.desk.answered_or(&request.context(json!(null)), refused).await;
            }
        };
        let payment_id = PaymentId(self.runtime.ids.next_id());
        let ask = PaymentCommand::Ask(PaymentRequest {
            payment_id,
            rider_id: asked.rider,
            agent_id: of.agent_id,
            area_id: of.area_id,
            channel: asked.channel.number(),
            agreed: asked.agreed,
            amount_cents,
            purpose: asked.purpose,
        });
        let ctx = request.context(json!({ "paymentId": payment_id, "amountCents": amount_cents }));
        let receipt = self.runtime.desk.execute::<Payment>(&payment_id, ask, &ctx).await?;
        if !receipt.repeated {
            // What fails here is asked again soon.
            if let Err(error) = self.ask_provider(payment_id).await {
                tracing::warn!(%error, payment = %payment_id, "the payment provider was not asked yet");
            }
        }
        Ok(receipt)
    }

    async fn price_of(&self, asked: &PaymentAsked, now: Timestamp) -> Result<i64, Refused> {
        match asked.purpose {
            Purpose::TopUp => {
                let amount_cents = asked.amount_cents.unwrap_or_default();
                if (TOP_UP_MIN_CENTS..=AMOUNT_MAX_CENTS).contains(&amount_cents) {
                    Ok(amount_cents)
                } else {
                    Err(Refused::business("top-up-amount", "充值金额需在 1 到 2000 元之间"))
                }
            }
            Purpose::Ride(order_id) => {
                let order = self.runtime.desk.load::<Order>(&order_id).await?.state;
                let his = order.opened().is_some_and(|opened| opened.rider_id == asked.rider);
                if !his {
                    return Err(Refused::not_found());
                }
                if order.state() != PayState::Unpaid {
                    return Err(Refused::business("order-not-now", "该订单没有待支付的费用"));
                }
                Ok(order.owed_cents())
            }
            Purpose::Deposit => {
                let rider = self.runtime.desk.load::<Rider>(&asked.rider).await?.state;
                let area = rider.registration().map(|of| of.area_id).ok_or_else(Refused::not_found)?;
                if !matches!(rider.deposit().0, DepositState::Unpaid | DepositState::Refunded) {
                    return Err(Refused::business("rider-deposit", "已缴纳诚信金"));
                }
                let config = self.runtime.desk.load::<RidingPermissionConfig>(&area).await?.state;
                let (_, permission) = config.at(now);
                if !permission.deposit {
                    return Err(Refused::business("deposit-closed", "该服务区不收取诚信金"));
                }
                Ok(permission.deposit_cents)
            }
            Purpose::Card { product_id, number } => {
                let wanted = CardWanted { rider: asked.rider, product: product_id, number };
                self.card_price(wanted, now).await
            }
        }
    }

    /// Asks the provider for a payment that waits, and takes in what he says; the same again asks for the same.
    pub(crate) async fn ask_provider(&self, payment_id: PaymentId) -> Result<(), PortError> {
        let provider = self.provider().map_err(unreachable)?;
        let known = self.loaded(payment_id).await?;
        let Some(asked) = known.asked().filter(|_| known.state() == PaymentState::Waiting) else {
            return Ok(());
        };
        let order = PaymentOrder {
            trade_no: number(payment_id)?,
            amount_cents: Cents(asked.amount_cents),
            channel: Channel::try_from(asked.channel).map_err(unreachable)?,
            payer: format!("rider-{}", asked.rider_id),
            subject: asked.purpose.label().to_owned(),
            expires_at: known.until(),
            notify_url: provider.notify_url.clone(),
            mode: if asked.agreed { Mode::Agreed } else { Mode::Cashier },
        };
        let told = match provider.port.pay(&order).await {
            Ok(told) => told,
            Err(PortError::Refused(refusal)) if refusal.code != "busy" => {
                let refuse = PaymentCommand::Refuse { text: refusal.text };
                return self.said(payment_id, refuse).await;
            }
            Err(error) => return Err(error),
        };
        self.payment_told(&told).await.map_err(unknown)
    }

    /// Asks the provider how a payment that waits stands: notices are lost now and then.
    pub(crate) async fn look_at_payment(
        &self,
        payment_id: PaymentId,
        now: Timestamp,
    ) -> Result<(), PortError> {
        let provider = self.provider().map_err(unreachable)?;
        let known = self.loaded(payment_id).await?;
        if known.state() != PaymentState::Waiting {
            return Ok(());
        }
        let trade_no = number(payment_id)?;
        let is_over = now > known.until();
        match provider.port.payment(&trade_no).await? {
            // He never heard of it.
            None if is_over => self.said(payment_id, PaymentCommand::Close).await,
            None => self.ask_provider(payment_id).await,
            Some(told) if is_over && !told.state.is_end() => {
                let closed = provider.port.close(&trade_no).await?;
                self.payment_told(&closed).await.map_err(unknown)
            }
            Some(told) => self.payment_told(&told).await.map_err(unknown),
        }
    }

    async fn loaded(&self, payment_id: PaymentId) -> Result<Payment, PortError> {
        let loaded = self.runtime.desk.load::<Payment>(&payment_id).await;
        Ok(loaded.map_err(|error| PortError::Unknown(error.to_string()))?.state)
    }

    /// Says something of a payment, unless something else has ended it meanwhile.
    async fn said(&self, payment_id: PaymentId, command: PaymentCommand) -> Result<(), PortError> {
        let ctx = CommandContext::of_system(PROVIDER, self.runtime.clock.now());
        match self.runtime.desk.execute::<Payment>(&payment_id, command, &ctx).await {
            Ok(_) | Err(CommandError::Refused(_)) => Ok(()),
            Err(error) => Err(PortError::Unknown(error.to_string())),
        }
    }

    /// Takes in what the provider says of a payment, by a notice or because he was asked.
    pub async fn payment_told(&self, told: &Told) -> Result<(), Refused> {
        let id: PaymentId = told.trade_no.as_str().parse().map_err(|_| Refused::not_found())?;
        let ctx = CommandContext::of_system(PROVIDER, self.runtime.clock.now());
        let desk = &self.runtime.desk;
        let known = desk.load::<Payment>(&id).await?.state;
        let asked = known.asked().ok_or_else(Refused::not_found)?;
        if Cents(asked.amount_cents) != told.amount_cents {
            metrics::counter!("wheelhouse_payments_differ_total").increment(1);
            tracing::error!(payment = %id, asked = asked.amount_cents, told = told.amount_cents.0, "a payment differs");
            return Err(Refused::business("payment-differs", "支付金额与支付单不符"));
        }
        let command = match &told.state {
            ToldState::Waiting { cashier_url: Some(cashier_url) } => {
                PaymentCommand::Present { cashier_url: cashier_url.clone() }
            }
            ToldState::Waiting { cashier_url: None } => return Ok(()),
            ToldState::Refused { refusal, .. } => PaymentCommand::Refuse { text: refusal.text.clone() },
            ToldState::Closed { .. } => PaymentCommand::Close,
            ToldState::Paid { at } => return self.paid(&ctx, id, &told.provider_no, *at).await,
        };
        match desk.execute::<Payment>(&id, command, &ctx).await {
            // Settled by an earlier word.
            Ok(_) | Err(CommandError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Counts a payment, and does what it was for; what cannot be done any more leaves the money in his wallet.
    async fn paid(
        &self,
        ctx: &CommandContext,
        id: PaymentId,
        provider_no: &str,
        at: Timestamp,
    ) -> Result<(), Refused> {
        let holding = CardHoldingId(self.runtime.ids.next_id());
        let asked = self.runtime.desk.load::<Payment>(&id).await?.state;
        let rider = asked.asked().map(|asked| asked.rider_id).ok_or_else(Refused::not_found)?;
        let owed = owed_by(&self.runtime, rider).await?;
        let settling = async |mut tx: Transaction| -> Result<_, Refused> {
            let known = tx.load::<Payment>(&id).await?.state;
            let asked = known.asked().ok_or_else(Refused::not_found)?.clone();
            if known.state() == PaymentState::Paid {
                return Ok(tx);
            }
            let note = serve(&mut tx, &asked, holding, at).await?;
            pay_arrears(&mut tx, &owed, ctx.now).await?;
            let confirm = PaymentCommand::Confirm { provider_no: provider_no.to_owned(), note };
            tx.execute::<Payment>(&id, confirm).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, settling).await.map(drop)
    }

    /// Sends back what is left of what a rider paid into his wallet, the newest payments first.
    pub(crate) async fn give_balance_back(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
    ) -> Result<Receipt, Refused> {
        self.provider()?;
        let known = self.rider(caller, rider).await?;
        let mut db = self.runtime.reads.scoped(&caller.scope, NEWEST, &["payment"]).await?;
        let refundable = payments::refundable(&mut *db, rider, PAYMENTS_BACK_MAX).await?;
        drop(db);
        let book = self.runtime.desk.load::<Book>(&Holder::rider(rider)).await?.state;
        let free_cents = book.balance(AccountKind::Recharge).free_cents();
        if free_cents == 0 {
            let refused = Refused::business("wallet-empty", "没有可退的充值余额");
            return self.runtime.desk.answered_or(&request.context(json!(null)), refused).await;
        }
        let mut left_cents = free_cents;
        let parts: Vec<(PaymentId, i64)> = refundable
            .into_iter()
            .map(|(payment, cents)| {
                let part = cents.min(left_cents);
                left_cents -= part;
                (payment, part)
            })
            .filter(|(_, cents)| *cents > 0)
            .collect();
        if parts.is_empty() {
            let refused =
                Refused::business("wallet-no-way-back", "余额不是通过支付渠道充值的，请联系客服退还");
            return self.runtime.desk.answered_or(&request.context(json!(null)), refused).await;
        }
        let going: i64 = parts.iter().map(|(_, cents)| cents).sum();
        let ctx = request.context(json!({ "amountCents": going, "leftCents": left_cents }));
        let ctx = reaching(&caller.scope, known.owner(), ctx)?;
        let sending = async |mut tx: Transaction| -> Result<_, Refused> {
            no_debts(&mut tx, rider).await?;
            for (payment, cents) in &parts {
                let refund =
                    start_refund(&self.runtime, &mut tx, *payment, *cents, GoesBack::Balance).await?;
                post(&mut tx, rider, money::going_back(AccountKind::Recharge, refund, ctx.now, *cents))
                    .await?;
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, sending).await
    }

    /// Sends a rider's deposit back by the way it came, without anybody's help.
    pub(crate) async fn give_deposit_back(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
    ) -> Result<Receipt, Refused> {
        self.provider()?;
        let known = self.rider(caller, rider).await?;
        let payment = known.deposit_payment();
        let ctx = reaching(&caller.scope, known.owner(), request.context(json!({})))?;
        let sending = async |mut tx: Transaction| -> Result<_, Refused> {
            no_debts(&mut tx, rider).await?;
            let (_, cents) = tx.load::<Rider>(&rider).await?.state.deposit();
            tx.execute::<Rider>(&rider, RiderCommand::AskDepositBack).await?;
            let payment = payment.ok_or_else(Refused::not_found)?;
            let refund = start_refund(&self.runtime, &mut tx, payment, cents, GoesBack::Deposit).await?;
            post(&mut tx, rider, money::going_back(AccountKind::Deposit, refund, ctx.now, cents)).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, sending).await
    }

    /// Asks the provider to send money back that is on its way, and takes in what he says.
    pub(crate) async fn send_back(&self, payment_id: PaymentId, refund_id: i64) -> Result<(), PortError> {
        let provider = self.provider().map_err(unreachable)?;
        let known = self.loaded(payment_id).await?;
        let Some(refund) = known.underway(refund_id) else { return Ok(()) };
        let order = RefundOrder {
            refund_no: number(refund_id)?,
            trade_no: number(payment_id)?,
            amount_cents: Cents(refund.amount_cents),
            reason: "退款".to_owned(),
            notify_url: provider.notify_url.clone(),
        };
        let told = match provider.port.refund(&order).await {
            Ok(told) => told,
            Err(PortError::Refused(refusal)) if refusal.code != "busy" => {
                let came_back = self.refund_ended(payment_id, refund_id, Err(refusal.text)).await;
                return came_back.map_err(unknown);
            }
            Err(error) => return Err(error),
        };
        self.refund_told(&told).await.map_err(unknown)
    }

    /// Takes in what the provider says of a refund.
    pub async fn refund_told(&self, told: &RefundTold) -> Result<(), Refused> {
        let payment: PaymentId = told.trade_no.as_str().parse().map_err(|_| Refused::not_found())?;
        let refund: i64 = told.refund_no.as_str().parse().map_err(|_| Refused::not_found())?;
        match &told.state {
            RefundToldState::Processing => Ok(()),
            RefundToldState::Done { .. } => self.refund_ended(payment, refund, Ok(())).await,
            RefundToldState::Refused { refusal, .. } => {
                self.refund_ended(payment, refund, Err(refusal.text.clone())).await
            }
        }
    }

    async fn refund_ended(
        &self,
        payment: PaymentId,
        refund_id: i64,
        ended: Result<(), String>,
    ) -> Result<(), Refused> {
        let ctx = CommandContext::of_system(PROVIDER, self.runtime.clock.now());
        let ending = async |mut tx: Transaction| -> Result<_, Refused> {
            let known = tx.load::<Payment>(&payment).await?.state;
            let asked = known.asked().ok_or_else(Refused::not_found)?;
            // Told before.
            let Some(refund) = known.underway(refund_id) else { return Ok(tx) };
            let (rider, cents) = (asked.rider_id, refund.amount_cents);
            let is_deposit = refund.what == GoesBack::Deposit;
            match &ended {
                Ok(()) => {
                    tx.execute::<Payment>(&payment, PaymentCommand::Arrived { refund_id }).await?;
                    let entry = money::went_back(refund_id, asked.channel, ctx.now, cents);
                    post(&mut tx, rider, entry).await?;
                    if is_deposit {
                        tx.execute::<Rider>(&rider, RiderCommand::DepositWentBack).await?;
                    }
                }
                Err(text) => {
                    let came_back = PaymentCommand::CameBack { refund_id, text: text.clone() };
                    tx.execute::<Payment>(&payment, came_back).await?;
                    let to = if is_deposit { AccountKind::Deposit } else { AccountKind::Recharge };
                    post(&mut tx, rider, money::stayed(to, refund_id, ctx.now, cents)).await?;
                    if is_deposit {
                        tx.execute::<Rider>(&rider, RiderCommand::DepositStayed).await?;
                    }
                }
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, ending).await.map(drop)
    }

    /// Ends a rider's account for good: nothing may be left of his, and nothing owed.
    pub(crate) async fn close_account(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
    ) -> Result<Receipt, Refused> {
        let known = self.rider(caller, rider).await?;
        let ctx = reaching(&caller.scope, known.owner(), request.context(json!({})))?;
        if self.is_riding(rider).await? {
            return Err(Refused::business("order-rider-busy", "您有未结束的行程，请先结束"));
        }
        let closing = async |mut tx: Transaction| -> Result<_, Refused> {
            no_debts(&mut tx, rider).await?;
            let book = tx.load::<Book>(&Holder::rider(rider)).await?.state;
            if book.balance(AccountKind::Recharge).total_cents > 0 {
                return Err(Refused::business("wallet-left", "请先退还充值余额"));
            }
            if book.balance(AccountKind::RefundDue).total_cents > 0 {
                return Err(Refused::business("refund-underway", "有退款在途，到账后即可注销"));
            }
            tx.execute::<Rider>(&rider, RiderCommand::Close).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, closing).await
    }
}

/// Sends money back by the way it came, as part of `tx`; it leaves when the append stands. Answers with the refund's id.
pub(super) async fn start_refund(
    runtime: &Runtime,
    tx: &mut Transaction,
    payment: PaymentId,
    amount_cents: i64,
    what: GoesBack,
) -> Result<i64, CommandError<AnyRefusal>> {
    let refund_id = runtime.ids.next_id();
    let refund = Refund { refund_id, amount_cents, what };
    tx.execute::<Payment>(&payment, PaymentCommand::GiveBack(refund)).await?;
    Ok(refund_id)
}

/// What it was for is done; otherwise the money lies in his wallet, and why is said.
async fn serve(
    tx: &mut Transaction,
    asked: &PaymentRequest,
    holding: CardHoldingId,
    at: Timestamp,
) -> Result<Option<String>, Refused> {
    let PaymentRequest { payment_id, rider_id, channel, amount_cents, purpose, .. } = *asked;
    let kept = match purpose {
        Purpose::TopUp => None,
        Purpose::Ride(order_id) => {
            let loaded = tx.load::<Order>(&order_id).await?;
            let order = loaded.state;
            let area = order.opened().map(|opened| opened.area_id).ok_or_else(Refused::not_found)?;
            if order.state() == PayState::Unpaid && order.owed_cents() >= amount_cents {
                let share = Share { third_cents: amount_cents, ..Share::default() };
                let pay = OrderCommand::Pay { share, channel, payment: Some(payment_id) };
                tx.execute::<Order>(&order_id, pay).await?;
                let entry = money::paid(order_id, loaded.version, area, at, &share, channel);
                post(tx, rider_id, entry).await?;
                return Ok(None);
            }
            Some("订单已支付，款项已存入钱包".to_owned())
        }
        Purpose::Deposit => {
            let rider = tx.load::<Rider>(&rider_id).await?.state;
            if matches!(rider.deposit().0, DepositState::Unpaid | DepositState::Refunded) {
                let pay = RiderCommand::PayDeposit { amount_cents, payment: payment_id };
                tx.execute::<Rider>(&rider_id, pay).await?;
                post(tx, rider_id, money::deposit(payment_id, channel, at, amount_cents)).await?;
                return Ok(None);
            }
            Some("已缴纳诚信金，款项已存入钱包".to_owned())
        }
        Purpose::Card { product_id, number } => {
            let wanted = CardWanted { rider: rider_id, product: product_id, number };
            let paid = CardPaid { wanted, payment: payment_id, channel, amount_cents, at };
            return Ok(match cards::bought_by_payment(tx, holding, &paid).await? {
                CardGiven::Bought(_) => None,
                CardGiven::Kept(why) => Some(format!("{why}，款项已存入钱包")),
            });
        }
    };
    post(tx, rider_id, money::topped_up(payment_id, channel, at, amount_cents)).await?;
    Ok(kept)
}

/// Who owes gets nothing back.
async fn no_debts(tx: &mut Transaction, rider: RiderId) -> Result<(), Refused> {
    let book = tx.load::<Book>(&Holder::rider(rider)).await?.state;
    if book.balance(AccountKind::Receivable).total_cents > 0 {
        return Err(Refused::business("rider-owing", "有未支付的车费，请先支付"));
    }
    Ok(())
}

/// An id as the provider is told it.
fn number<T: FromStr<Err: Display>>(id: impl Display) -> Result<T, PortError> {
    id.to_string().parse().map_err(unreachable)
}

fn unreachable(error: impl Display) -> PortError {
    PortError::Unreachable(error.to_string())
}

fn unknown(refused: impl Display) -> PortError {
    PortError::Unknown(refused.to_string())
}
