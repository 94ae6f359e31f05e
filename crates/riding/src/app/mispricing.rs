//! Finds what a wrong version made orders cost, and gives it back: on one word for all, each in an append of its own
//! (`docs/adr/0054`).

use approvals::model::approval::Subject;
use approvals::model::limits::Limit;
use approvals::{Act, Deed, DeedRequest, Outlook};
use async_trait::async_trait;
use geofence::FenceKind;
use geofence::judge::ReturnClass;
use kernel::runtime::Runtime;
use kernel::{Aggregate, CommandContext, CommandError, Receipt, Refusal, RequestId, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, MispricingId, RideOrderId, Scope, Timestamp};
use wire::{Caller, Refused};

use super::NEWEST;
use super::order_deeds::{CODES, USUAL_CENTS, of, yuan};
use super::paying::{Refunding, modify, refund};
use crate::Context;
use crate::model::billing::Billing;
use crate::model::config::BillingConfig;
use crate::model::mispricing::{
    Due, Mispriced, MispricingSubject, Paying, Retrial, Verdict, Wrong, should_cost, verdict,
};
use crate::model::mispricing_case::{
    BackTo, Finding, HIGHER_MAX, Mispricing, MispricingCommand, MispricingRefusal, ORDERS_MAX, Outcome,
};
use crate::model::order::Order;
use crate::ports::Otherwise;
use crate::read::mispricings;
use crate::read::priced_orders::{self, PricedOrder, Which, Within};

const REFUND: &str = "order.refund-mispriced";
/// The rule's name in the log.
const RULE: &str = "mispricing-refunds";
/// Orders that are looked at for one kind of search, at most.
const EXAMINED_MAX: i64 = 50_000;
/// Of those that can only have cost too little fewer are looked at.
const HIGHER_EXAMINED_MAX: i64 = 10_000;
/// The refusal of a race that was lost too often.
const CONTENDED: &str = "contended";
/// Orders of a case that are settled in a round, before another case has its turn.
const SETTLED_AT_ONCE: usize = 200;

/// What somebody wants to know.
pub(crate) struct MispricingAsked {
    /// Whose orders.
    pub agent: AgentId,
    /// Where they began.
    pub area: AreaId,
    /// What was wrong.
    pub wrong: Wrong,
    /// Rides that ended from then on,
    pub from: Timestamp,
    /// … until then, without it.
    pub until: Timestamp,
}

fn refused(refusal: MispricingRefusal) -> Refused {
    CommandError::Refused(refusal).into()
}

/// Which orders are looked at, one kind after the other, each with how many at most: first those that may have cost too much.
fn searches(wrong: &Wrong, places: Option<&Otherwise>) -> Vec<(Which, i64)> {
    let all = |which| (which, EXAMINED_MAX);
    let few = |which| (which, HIGHER_EXAMINED_MAX);
    let Some((fence, places)) = wrong.fence_id.zip(places) else {
        return match wrong.subject {
            MispricingSubject::Edge => vec![
                all(Which::Left(ReturnClass::OutsideArea)),
                few(Which::Left(ReturnClass::OutsideParking)),
                few(Which::Left(ReturnClass::Parked)),
            ],
            _ => vec![all(Which::Billed(wrong.version))],
        };
    };
    let decided = Which::Decided(fence, wrong.version);
    if places.kind == Some(FenceKind::Parking) {
        // Whom it turned away, or was too far from, stood outside of all; who stood in it may have to go.
        return vec![all(Which::Left(ReturnClass::OutsideParking)), all(decided)];
    }
    let boxed = places.bounds.map(|bounds| few(Which::Boxed(bounds, fence, wrong.version)));
    std::iter::once(all(decided)).chain(boxed).collect()
}

/// What is found while orders are looked at.
#[derive(Default)]
struct Found {
    examined: i64,
    orders: Vec<Mispriced>,
    higher: Vec<Mispriced>,
    higher_orders: i64,
    higher_cents: i64,
}

impl Found {
    /// Takes an order in that should have cost so much; false when there is no room for it.
    fn take(&mut self, order: &PricedOrder, should_cents: Option<i64>) -> bool {
        let priced_cents = order.pricing().receipt.pay_cents;
        let told = should_cents.map(|should_cents| {
            let due = order.paying().due(should_cents);
            let (order_id, rider_id) = (order.order_id, order.rider_id);
            let one = Mispriced { order_id, rider_id, priced_cents, should_cents, due };
            (one, verdict(priced_cents, &order.paying(), should_cents))
        });
        match told {
            Some((_, Verdict::Due(_))) if self.orders.len() == ORDERS_MAX => return false,
            Some((one, Verdict::Due(_))) => self.orders.push(one),
            Some((one, Verdict::Higher)) => {
                self.higher_orders += 1;
                self.higher_cents += one.should_cents - one.priced_cents;
                if self.higher.len() < HIGHER_MAX {
                    self.higher.push(Mispriced { due: Due::default(), ..one });
                }
            }
            Some((_, Verdict::Nothing)) | None => {}
        }
        self.examined += 1;
        true
    }
}

impl Context {
    /// Looks at every order that a wrong version may have priced, prices it again, and keeps what is due to whom.
    pub(crate) async fn find_mispriced(
        &self,
        caller: &Caller,
        ctx: &CommandContext,
        id: MispricingId,
        asked: MispricingAsked,
    ) -> Result<Receipt, Refused> {
        if let Some(repeated) = self.runtime.desk.answered::<MispricingRefusal>(ctx).await? {
            return Ok(repeated);
        }
        let MispricingAsked { agent, area, wrong, from, until } = asked;
        if !wrong.is_sound() {
            return Err(refused(MispricingRefusal::Unsound));
        }
        let no_version = || refused(MispricingRefusal::Unsound);
        let config = self.runtime.desk.load::<BillingConfig>(&area).await?.state;
        let places = match wrong.subject {
            MispricingSubject::Billing => None,
            MispricingSubject::Fence | MispricingSubject::Edge => {
                let found = self.ports.places.otherwise(area, (from, until), &wrong).await;
                Some(found.map_err(Refused::unavailable)?.ok_or_else(no_version)?)
            }
        };
        let instead = match wrong.subject {
            MispricingSubject::Billing => {
                config.version(wrong.version).ok_or_else(no_version)?;
                Some(wrong.instead.and_then(|number| config.version(number)).ok_or_else(no_version)?)
            }
            MispricingSubject::Fence | MispricingSubject::Edge => None,
        };
        let usual = Billing::default();
        let within = Within { area, agent, from, until };
        let mut found = Found::default();
        let mut is_capped = false;
        let mut db = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["ride_order"]).await?;
        for (which, most) in searches(&wrong, places.as_ref()) {
            is_capped |= priced_orders::each(&mut db, &within, &which, most, |order| {
                let retrial = match (&places, instead) {
                    (Some(places), _) => Retrial::Places {
                        billing: config.version(order.pricing().billing_version).unwrap_or(&usual),
                        was: &places.was,
                        instead: &places.instead,
                    },
                    (None, instead) => Retrial::Billing(instead.unwrap_or(&usual)),
                };
                let stop = order.stop(area);
                found.take(order, should_cost(&retrial, order.pricing(), stop.as_ref(), order.class()))
            })
            .await?;
        }
        drop(db);
        found.orders.sort_unstable_by_key(|one| one.order_id);
        found.higher.sort_unstable_by_key(|one| one.order_id);
        let finding = Finding {
            mispricing_id: id,
            agent_id: agent,
            area_id: area,
            wrong,
            name: places.map(|places| places.name).unwrap_or_default(),
            from,
            until,
            examined: found.examined,
            is_capped,
            orders: found.orders.into(),
            higher_orders: found.higher_orders,
            higher_cents: found.higher_cents,
            higher: found.higher.into(),
        };
        Ok(self
            .runtime
            .desk
            .execute::<Mispricing>(&id, MispricingCommand::Find(Box::new(finding)), ctx)
            .await?)
    }

    /// Settles orders of cases on which it was decided, some of each; every one in an append of its own.
    pub async fn settle_mispricings(&self, now: Timestamp) -> Result<(), Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["mispricing"]).await?;
        let cases = mispricings::refunding(&mut *db).await?;
        drop(db);
        for id in cases {
            let case = self.runtime.desk.load::<Mispricing>(&id).await?.state;
            let some: Vec<Mispriced> = case.waiting().take(SETTLED_AT_ONCE).copied().collect();
            let Some((to, reason)) = case.refund() else { continue };
            for one in some {
                match self.settle_mispriced(id, &one, to, reason, now).await {
                    Ok(()) => {}
                    // Its rider does something at this very moment: the next round tries again.
                    Err(Refused::Business { code, .. }) if code == CONTENDED => {}
                    Err(Refused::Business { code, text }) => {
                        tracing::info!(case = %id, order = %one.order_id, %code, "an order is not settled");
                        self.leave_mispriced(id, one.order_id, Outcome::Failed(text), now).await?;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Gives a rider what is due for an order, in the append that says so; what the world overtook is left.
    async fn settle_mispriced(
        &self,
        id: MispricingId,
        one: &Mispriced,
        to: BackTo,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let settling = async |mut tx: Transaction| -> Result<_, Refused> {
            let order = tx.load::<Order>(&one.order_id).await?.state;
            let due = Paying::from(&order).due(one.should_cents);
            let outcome = if due.sum_cents() == one.due.sum_cents() {
                if due.lower_cents > 0 {
                    let pay_cents = order.pay_cents() - due.lower_cents;
                    modify(&mut tx, one.order_id, pay_cents, reason, now).await?;
                }
                if due.back_cents > 0 {
                    let order = tx.load::<Order>(&one.order_id).await?.state;
                    let share = order.back(due.back_cents).map_err(CommandError::Refused)?;
                    let refunding = Refunding { order_id: one.order_id, share, reason: reason.to_owned() };
                    refund(&self.runtime, &mut tx, &refunding, to, now).await?;
                }
                Outcome::Given { lower_cents: due.lower_cents, back_cents: due.back_cents }
            } else {
                Outcome::Overtaken(format!(
                    "核对后订单已变化：现在应退 {}，核对时 {}",
                    yuan(due.sum_cents()),
                    yuan(one.due.sum_cents())
                ))
            };
            let command = MispricingCommand::Settle { order_id: one.order_id, outcome };
            tx.execute::<Mispricing>(&id, command).await?;
            Ok(tx)
        };
        let ctx = settling_context(id, one.order_id, "settle", now);
        self.runtime.desk.transact(&ctx, settling).await.map(drop)
    }

    /// Keeps why nothing came of an order.
    async fn leave_mispriced(
        &self,
        id: MispricingId,
        order_id: RideOrderId,
        outcome: Outcome,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let ctx = settling_context(id, order_id, "leave", now);
        let command = MispricingCommand::Settle { order_id, outcome };
        match self.runtime.desk.execute::<Mispricing>(&id, command, &ctx).await {
            // Settled meanwhile, by whoever led before.
            Ok(_) | Err(CommandError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Under one name for each order of a case, whoever settles it.
fn settling_context(id: MispricingId, order_id: RideOrderId, step: &str, now: Timestamp) -> CommandContext {
    CommandContext {
        request_id: Some(RequestId(format!("{RULE}:{id}:{order_id}:{step}"))),
        ..CommandContext::of_system(RULE, now)
    }
}

#[derive(Serialize, Deserialize)]
struct RefundAll {
    mispricing_id: MispricingId,
    to: BackTo,
}

/// What was wrong and what should have counted, in words.
fn named(finding: &Finding) -> String {
    let Wrong { subject, version, instead, .. } = finding.wrong;
    let instead = match (subject, instead) {
        (_, None) => "不设围栏".to_owned(),
        (MispricingSubject::Billing, Some(0)) => "系统默认".to_owned(),
        (_, Some(version)) => format!("第 {version} 版"),
    };
    // A fence's name has at most 50 characters; a line for people has room for 30 of them.
    let name: String = finding.name.chars().take(30).collect();
    let name = if name.is_empty() { name } else { format!("“{name}”") };
    format!("{}{name}第 {version} 版 → {instead}", subject.label())
}

/// That all that a case found be given back.
pub(crate) fn refunding_all(id: MispricingId, finding: &Finding, to: BackTo, reason: String) -> DeedRequest {
    let sum_cents = finding.sums().sum_cents();
    DeedRequest {
        kind: REFUND,
        subject: Subject { category: Mispricing::CATEGORY.to_owned(), id: id.to_string() },
        summary: format!(
            "退还受影响订单 {} 单共 {}（{}）",
            finding.orders.len(),
            yuan(sum_cents),
            named(finding)
        ),
        amount_cents: sum_cents,
        payload: json!(RefundAll { mispricing_id: id, to }),
        reason,
        owner: vocabulary::DataOwner::of_area(finding.agent_id, finding.area_id),
    }
}

/// All that a wrong version made orders cost too much goes back.
pub struct RefundMispricing(Runtime);

impl RefundMispricing {
    /// By the system's desk.
    pub const fn new(runtime: Runtime) -> Self {
        Self(runtime)
    }
}

#[async_trait]
impl Deed for RefundMispricing {
    fn kind(&self) -> &'static str {
        REFUND
    }

    fn label(&self) -> &'static str {
        "批量退还受影响订单"
    }

    fn codes(&self) -> &'static [&'static str] {
        CODES
    }

    fn usual(&self) -> Limit {
        Limit::above(USUAL_CENTS)
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let RefundAll { mispricing_id, to } = of(act.payload)?;
        let command = MispricingCommand::Refund { to, reason: act.reason.to_owned() };
        Ok(tx.execute::<Mispricing>(&mispricing_id, command).await?)
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let RefundAll { mispricing_id, to } = of(payload)?;
        let case = self.0.desk.load::<Mispricing>(&mispricing_id).await?.state;
        let command = MispricingCommand::Refund { to, reason: "-".to_owned() };
        if let Err(refusal) = case.decide(command, self.0.clock.now()) {
            return Ok(Outlook::Cannot(refusal.message()));
        }
        let finding = case.finding().ok_or_else(Refused::not_found)?;
        let sums = finding.sums();
        let way = match to {
            BackTo::Original => "支付渠道付的部分原路退回，其余退回钱包",
            BackTo::Wallet => "全部退到钱包",
        };
        Ok(Outlook::Would(vec![
            format!("{}。", named(finding)),
            format!("{} 个订单、{} 位用户受影响。", finding.orders.len(), finding.riders()),
            format!("退还已付 {}，减免未付 {}；{way}。", yuan(sums.back_cents), yuan(sums.lower_cents)),
            "逐单执行，执行前再核对一次；期间已退款或改价的订单不再处理，并逐单说明。".to_owned(),
        ]))
    }
}
