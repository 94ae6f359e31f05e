//! Gives up cards that nobody proved in time.

use std::time::Duration;

use kernel::CommandContext;
use kernel::desk::CommandError;
use kernel::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vocabulary::{Scope, Timestamp};

use crate::codes;
use crate::model::payment_account::{PaymentAccount, PaymentAccountCommand, PaymentAccountRefusal};
use crate::ports::PortError;
use crate::read::payment_accounts;

/// The rule's name in the log.
const RULE: &str = "card-code-expiry";

/// Every minute gives up the cards whose code is over, until `stop`. May run on several nodes at once.
pub async fn sweep(runtime: Runtime, stop: CancellationToken) {
    let look = || give_up(&runtime, runtime.clock.now());
    kernel::every(Duration::from_mins(1), stop, "bank cards that nobody proved", look).await;
}

/// Gives up the cards whose code is over at `now`.
pub async fn give_up(runtime: &Runtime, now: Timestamp) -> Result<(), PortError> {
    codes::sweep(&runtime.pools.app, now).await?;
    let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let over = payment_accounts::over(&mut *tx, now).await?;
    drop(tx);
    for (account, card_id) in over {
        let ctx = CommandContext::of_system(RULE, now);
        let command = PaymentAccountCommand::ExpireCard { card_id };
        match runtime.desk.execute::<PaymentAccount>(&account, command, &ctx).await {
            Ok(_) => tracing::info!(%account, %card_id, "nobody proved a bank card in time"),
            // The table lags behind the log: a code was sent again meanwhile.
            Err(CommandError::Refused(PaymentAccountRefusal::TooEarly)) => {}
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    Ok(())
}
