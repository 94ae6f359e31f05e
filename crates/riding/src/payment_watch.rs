//! Looks at payments and refunds of which nobody tells: notices are late, or lost for ever.

use std::collections::HashMap;
use std::time::Duration;

use payment_port::PortError;
use vocabulary::{PaymentId, Scope, Timestamp};

use crate::Context;
use crate::app::NEWEST;
use crate::read::payments;

/// A payment is looked at when its notice has not come for so long, milliseconds.
const PATIENCE_MS: i64 = 8_000;
/// The longest pause between two looks at the same, milliseconds.
const PAUSE_MAX_MS: i64 = 300_000;
/// So many are looked at in a round.
const AT_ONCE: i64 = 100;
/// The lease's name.
const WATCH: &str = "payment-watch";

/// When each was looked at, and how long to wait then.
#[derive(Default)]
struct Looks(HashMap<i64, (Timestamp, i64)>);

impl Looks {
    /// Whether it is due at `now`; then the next look is twice as far away.
    fn due(&mut self, id: i64, now: Timestamp) -> bool {
        let (next, pause_ms) = self.0.get(&id).copied().unwrap_or((now, PATIENCE_MS));
        if now < next {
            return false;
        }
        self.0.insert(id, (now.plus_millis(pause_ms), (pause_ms * 2).min(PAUSE_MAX_MS)));
        true
    }

    fn keep_only(&mut self, ids: &[i64]) {
        self.0.retain(|id, _| ids.contains(id));
    }
}

/// Every two seconds asks for what waits, whenever this process leads it, until the system closes.
pub async fn run(context: Context) {
    if context.ports.provider.is_none() {
        return;
    }
    let looks = tokio::sync::Mutex::new((Looks::default(), Looks::default()));
    let round = |_token| async {
        let mut looks = looks.lock().await;
        let (of_payments, of_refunds) = &mut *looks;
        if let Err(error) = look(&context, of_payments, of_refunds).await {
            tracing::warn!(%error, "cannot look at payments");
        }
    };
    kernel::every_while_leading(&context.runtime, WATCH, Duration::from_secs(2), round).await;
}

async fn look(
    context: &Context,
    of_payments: &mut Looks,
    of_refunds: &mut Looks,
) -> Result<(), wire::Refused> {
    let now = context.runtime.clock.now();
    let mut db = context.runtime.reads.scoped(&Scope::ALL, NEWEST, &["payment"]).await?;
    let waiting = payments::waiting(&mut *db, now.millis() - PATIENCE_MS, AT_ONCE * 20).await?;
    let back = payments::going_back(&mut *db, AT_ONCE * 20).await?;
    drop(db);
    of_payments.keep_only(&waiting.iter().map(|id| id.0).collect::<Vec<_>>());
    of_refunds.keep_only(&back.iter().map(|(_, refund)| *refund).collect::<Vec<_>>());
    let mut left = AT_ONCE;
    for PaymentId(id) in waiting {
        if left > 0 && of_payments.due(id, now) {
            left -= 1;
            told("a payment", context.look_at_payment(PaymentId(id), now).await);
        }
    }
    let mut left = AT_ONCE;
    for (payment, refund) in back {
        if left > 0 && of_refunds.due(refund, now) {
            left -= 1;
            told("a refund", context.send_back(payment, refund).await);
        }
    }
    Ok(())
}

fn told(what: &str, looked: Result<(), PortError>) {
    if let Err(error) = looked {
        tracing::debug!(%error, "{what} is looked at again later");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_farther_and_farther_apart() {
        let at = |s: i64| Timestamp::from_millis(s * 1000);
        let mut looks = Looks::default();
        let due: Vec<i64> = (0..120).filter(|s| looks.due(7, at(*s))).collect();
        assert_eq!(due, [0, 8, 24, 56], "8 s, then twice as long each time");
        looks.keep_only(&[]);
        assert!(looks.due(7, at(121)), "what ended is forgotten");
    }
}
