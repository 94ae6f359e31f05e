//! Judgements on their way to the fleet. The newest of a bike and kind replaces the older; what fails is told again; what
//! is lost with the process is found by comparing with the read model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt, stream};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::PortError;
use crate::rules::{AlarmKind, Evidence, Judgement};

/// Judgements that may wait. Beyond, new ones are left to the comparison with the read model.
const WAITING: usize = 100_000;
const AT_ONCE: usize = 8;
const A_ROUND: usize = 256;

/// What the fleet does with judgements: commands that do nothing when it is so already.
#[async_trait]
pub trait Alarms: Send + Sync + 'static {
    /// The alarm begins.
    async fn raise(&self, car_id: &str, alarm: AlarmKind, evidence: Evidence) -> Result<(), PortError>;
    /// The alarm ends.
    async fn clear(&self, car_id: &str, alarm: AlarmKind, evidence: Evidence) -> Result<(), PortError>;
}

type Waiting = HashMap<(String, AlarmKind), (bool, Evidence)>;

/// See the module.
#[derive(Clone, Default)]
pub struct AlarmQueue {
    waiting: Arc<Mutex<Waiting>>,
    more: Arc<Notify>,
}

impl AlarmQueue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("nothing panics while it holds the judgements")
    }

    /// Puts in what was found undone: what waits already, with what it stands on, is not replaced.
    pub fn remind(&self, undone: impl IntoIterator<Item = Judgement>) {
        let mut waiting = self.lock();
        for judgement in undone {
            if waiting.len() < WAITING {
                let key = (judgement.car_id, judgement.alarm);
                waiting.entry(key).or_insert((judgement.raised, judgement.evidence));
            }
        }
        drop(waiting);
        self.more.notify_one();
    }

    /// Puts judgements in.
    pub fn push(&self, judgements: impl IntoIterator<Item = Judgement>) {
        let mut waiting = self.lock();
        for judgement in judgements {
            let key = (judgement.car_id, judgement.alarm);
            if waiting.len() < WAITING || waiting.contains_key(&key) {
                waiting.insert(key, (judgement.raised, judgement.evidence));
            }
        }
        drop(waiting);
        self.more.notify_one();
    }

    /// Tells `alarms` of everything until `stop`.
    pub async fn run(self, alarms: Arc<dyn Alarms>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.more.notified() => {}
            }
            loop {
                let round: Vec<_> = {
                    let mut waiting = self.lock();
                    let keys: Vec<_> = waiting.keys().take(A_ROUND).cloned().collect();
                    keys.into_iter().filter_map(|key| waiting.remove_entry(&key)).collect()
                };
                if round.is_empty() {
                    break;
                }
                let failed = self.tell(&alarms, round).await;
                if failed {
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = tokio::time::sleep(Duration::from_secs(1)) => {}
                    }
                }
            }
        }
    }

    async fn tell(
        &self,
        alarms: &Arc<dyn Alarms>,
        round: Vec<((String, AlarmKind), (bool, Evidence))>,
    ) -> bool {
        let told = stream::iter(round)
            .map(|(key, (raised, evidence))| async move {
                let outcome = if raised {
                    alarms.raise(&key.0, key.1, evidence).await
                } else {
                    alarms.clear(&key.0, key.1, evidence).await
                };
                (key, (raised, evidence), outcome)
            })
            .buffer_unordered(AT_ONCE)
            .collect::<Vec<_>>()
            .await;
        let mut failed = false;
        let mut waiting = self.lock();
        for (key, judgement, outcome) in told {
            if let Err(error) = outcome {
                tracing::warn!(error = %error, car_id = key.0, alarm = ?key.1, "an alarm could not be told; it is told again");
                failed = true;
                // A newer judgement that came meanwhile stands.
                waiting.entry(key).or_insert(judgement);
            }
        }
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_keeps_what_it_stands_on() {
        let queue = AlarmQueue::default();
        let judgement = |soc_percent| Judgement {
            car_id: "K17".into(),
            alarm: AlarmKind::LowBattery,
            raised: true,
            evidence: Evidence { soc_percent, ..Evidence::default() },
        };
        queue.push([judgement(Some(12))]);
        queue.remind([judgement(None)]);
        let waits = |queue: &AlarmQueue| queue.lock().values().map(|(_, found)| found.soc_percent).next();
        assert_eq!(waits(&queue), Some(Some(12)));
        queue.push([judgement(Some(11))]);
        assert_eq!(waits(&queue), Some(Some(11)), "a newer judgement stands");
    }
}
