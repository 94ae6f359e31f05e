//! What is done here: money is paid back out of a till.

use approvals::model::approval::Subject;
use approvals::model::limits::Limit;
use approvals::{Act, Approvals, Deed, DeedRequest, Outcome, Outlook};
use async_trait::async_trait;
use kernel::{Aggregate, Decision, Runtime, Transaction, events, refusals};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, DataOwner, Timestamp};
use wire::{Answer, Body, Call, Handled, Nothing, Permit, Refused, Routes};

pub const REFUND: &str = "till.refund";
/// Above so much it takes two as long as nobody says otherwise, cents.
pub const USUAL_CENTS: i64 = 5_000;

#[derive(Clone, Debug)]
pub enum TillCommand {
    Open { agent_id: AgentId, area_id: AreaId, cents: i64 },
    Refund { cents: i64 },
    Close,
}

events! {
    /// What happened.
    pub enum TillEvent {
        Opened { agent_id: AgentId, area_id: AreaId, cents: i64 } = "till.opened",
        Refunded { cents: i64 } = "till.refunded",
        Closed = "till.closed",
    }
}

refusals! {
    /// Why not.
    pub enum TillRefusal {
        Closed = "till-closed": ("收银台已关闭"),
        TooLittle(i64) = "till-too-little": ("收银台只有 {0} 分"),
    }
}

/// A till.
#[derive(Clone, Debug, Default)]
pub struct Till {
    owner: DataOwner,
    pub cents: i64,
    closed: bool,
}

impl Aggregate for Till {
    const CATEGORY: &'static str = "till";
    type Id = i64;
    type Command = TillCommand;
    type Event = TillEvent;
    type Refusal = TillRefusal;

    fn decide(&self, command: TillCommand, _: Timestamp) -> Decision<Self> {
        match command {
            TillCommand::Open { agent_id, area_id, cents } => {
                Ok(vec![TillEvent::Opened { agent_id, area_id, cents }])
            }
            TillCommand::Refund { .. } if self.closed => Err(TillRefusal::Closed),
            TillCommand::Refund { cents } if cents > self.cents => Err(TillRefusal::TooLittle(self.cents)),
            TillCommand::Refund { cents } => Ok(vec![TillEvent::Refunded { cents }]),
            TillCommand::Close => Ok(vec![TillEvent::Closed]),
        }
    }

    fn evolve(&mut self, event: &TillEvent) {
        match event {
            TillEvent::Opened { agent_id, area_id, cents } => {
                (self.owner, self.cents) = (DataOwner::of_area(*agent_id, *area_id), *cents);
            }
            TillEvent::Refunded { cents } => self.cents -= cents,
            TillEvent::Closed => self.closed = true,
        }
    }

    fn owner(&self) -> DataOwner {
        self.owner
    }
}

/// Paying back.
pub struct Refund(pub Runtime);

fn meant(payload: &Value) -> (i64, i64) {
    (payload["till"].as_i64().unwrap(), payload["cents"].as_i64().unwrap())
}

#[async_trait]
impl Deed for Refund {
    fn kind(&self) -> &'static str {
        REFUND
    }

    fn label(&self) -> &'static str {
        "退款"
    }

    fn codes(&self) -> &'static [&'static str] {
        &["1602"]
    }

    fn usual(&self) -> Limit {
        Limit::above(USUAL_CENTS)
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let (till, cents) = meant(act.payload);
        tx.execute::<Till>(&till, TillCommand::Refund { cents }).await?;
        Ok(())
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let (till, cents) = meant(payload);
        let state = self.0.desk.load::<Till>(&till).await?.state;
        Ok(match state.decide(TillCommand::Refund { cents }, Timestamp::default()) {
            Ok(_) => Outlook::Would(vec![format!("退款后收银台余 {} 分", state.cents - cents)]),
            Err(refusal) => Outlook::Cannot(refusal.to_string()),
        })
    }
}

/// Something that only wants to be listed.
pub struct Tidy;

#[async_trait]
impl Deed for Tidy {
    fn kind(&self) -> &'static str {
        "till.tidy"
    }

    fn label(&self) -> &'static str {
        "清点"
    }

    fn codes(&self) -> &'static [&'static str] {
        &["0301"]
    }

    fn usual(&self) -> Limit {
        Limit::ALWAYS
    }

    fn is_measured(&self) -> bool {
        false
    }

    async fn carry_out(&self, _: &mut Transaction, _: &Act<'_>) -> Result<(), Refused> {
        Ok(())
    }

    async fn outlook(&self, _: &Value) -> Result<Outlook, Refused> {
        Ok(Outlook::Would(Vec::new()))
    }
}

#[derive(Deserialize, ToSchema)]
struct Wish {
    till: i64,
    cents: i64,
    #[serde(default)]
    reason: String,
}

/// Pays back, at once or after a second person's yes.
#[utoipa::path(post, path = "/till/refund", operation_id = "refundOfTill", request_body = Wish,
    responses((status = 200, body = Answer<Nothing>)))]
async fn refund(call: Call<Approvals>, Body(wish): Body<Wish>) -> Handled<Value> {
    let till = call.state.runtime.desk.load::<Till>(&wish.till).await?.state;
    let asked = DeedRequest {
        kind: REFUND,
        subject: Subject { category: "till".to_owned(), id: wish.till.to_string() },
        summary: format!("从收银台 {} 退款", wish.till),
        amount_cents: wish.cents,
        payload: json!({"till": wish.till, "cents": wish.cents}),
        reason: wish.reason,
        owner: till.owner,
    };
    let ctx = call.request.context_of_account(json!({"paid": true}));
    let outcome = call.state.do_or_ask(&call.caller, asked, &ctx).await?;
    let told = matches!(outcome, Outcome::Waits { approval, .. } if approval.0 > 0);
    assert_eq!(told, outcome.receipt().reply.get("paid").is_none(), "one of both");
    Ok(Answer::replied(outcome.receipt().clone()))
}

/// The till's own way in.
pub fn routes(approvals: &Approvals) -> Routes {
    Routes::new("till").add(Permit::AnyOf(&["1602"]), routes!(refund)).with_state(approvals.clone())
}
