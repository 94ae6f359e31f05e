//! The routes of the context.

pub mod cards;
pub mod file;
pub mod passwords;
pub mod payment_accounts;

use axum::http::HeaderMap;
use kernel::{CommandContext, CommandError, Position, Receipt, Refusal};
use vocabulary::{AgentId, PaymentAccountId, Reach, Scope};
use wire::{Caller, Permit, Refused, Routes};

use crate::Context;
use crate::model::payment_account::{PaymentAccount, PaymentAccountCommand, PaymentAccountRefusal};

/// The agent of financial calls that name none and come from somebody who has none: the wire goes by the same.
const DEFAULT_AGENT: AgentId = AgentId(2);
/// Reads what the log has now, for commands that must find what was done a moment ago.
const NEWEST: Option<Position> = Some(Position(i64::MAX));

/// Of who opens accounts or manages them.
const ACCOUNT: Permit = Permit::AnyOf(&["financial_02", "financial_06"]);
/// Of who manages accounts.
const MANAGEMENT: Permit = Permit::AnyOf(&["financial_06"]);

/// All of them.
pub(crate) fn routes(context: &Context) -> Routes {
    payment_accounts::routes(context)
        .merge(file::routes(context))
        .merge(cards::routes(context))
        .merge(passwords::routes(context))
}

/// The same for an account that there is not and for one of somebody else.
fn unknown_account() -> Refused {
    let refusal = PaymentAccountRefusal::Unknown;
    Refused::business(refusal.code(), refusal.message())
}

fn refused(refusal: &PaymentAccountRefusal) -> Refused {
    Refused::business(refusal.code(), refusal.message())
}

impl Context {
    async fn execute(
        &self,
        account: PaymentAccountId,
        command: PaymentAccountCommand,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let done = self.runtime.desk.execute::<PaymentAccount>(&account, command, ctx).await;
        done.map_err(|error| match error {
            CommandError::NotFound => unknown_account(),
            error => error.into(),
        })
    }
}

/// Refuses whoever reaches less than the whole platform.
fn platform_only(caller: &Caller, text: &'static str) -> Result<(), Refused> {
    if caller.full_scope == Scope::ALL { Ok(()) } else { Err(Refused::business("platform-only", text)) }
}

/// The agent whose account is meant: the one in the header, else the caller's own, else the system's default.
fn agent_meant(caller: &Caller, headers: &HeaderMap) -> AgentId {
    let named = headers.get("agentId").and_then(|value| value.to_str().ok()?.parse().ok());
    let own = match &caller.full_scope.agents {
        Reach::Only(agents) if agents.len() == 1 => agents.first().copied(),
        Reach::Only(_) | Reach::All => None,
    };
    named.or(own).unwrap_or(DEFAULT_AGENT)
}
