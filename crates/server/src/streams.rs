//! The JetStream streams of the system, declared in `nats/streams.json` and made at start.

use anyhow::{Context, Result};
use async_nats::jetstream::{self, stream};

/// A bounded stream is to hold what comes in so long: what is not stored yet outlives a night's outage.
const LASTING_HOURS: f64 = 6.0;
/// A stream tells how fast it fills when it holds so much.
const TELLING_S: f64 = 600.0;
const GIB: f64 = 1_073_741_824.0;

const DECLARED: &str = include_str!("../../../nats/streams.json");

/// Makes the streams that are missing and brings those that are there to what is declared; a bounded one grows with what
/// comes in.
pub async fn create(nats: &async_nats::Client) -> Result<()> {
    let declared: Vec<stream::Config> = declared()?;
    let context = jetstream::new(nats.clone());
    for mut config in declared {
        let name = config.name.clone();
        let there = context.get_stream(&name).await.ok().map(|stream| stream.cached_info().clone());
        if let Some(there) = there.filter(|_| config.max_bytes > 0) {
            // Never smaller than it is: that would delete what is not stored.
            config.max_bytes = config.max_bytes.max(there.config.max_bytes);
            let wanted = wanted_bytes(&there.state).filter(|wanted| *wanted > config.max_bytes);
            if let Some(max_bytes) = wanted {
                let larger = stream::Config { max_bytes, ..config.clone() };
                match context.update_stream(&larger).await {
                    Ok(_) => continue,
                    Err(error) => tracing::warn!(name, max_bytes, %error, "the stream cannot grow"),
                }
            }
        }
        context
            .create_or_update_stream(config)
            .await
            .with_context(|| format!("stream {name}; is JetStream enabled in the NATS configuration?"))?;
    }
    Ok(())
}

/// Bytes a second that come in, as far as what it holds tells.
fn rate(state: &stream::State) -> Option<f64> {
    let seconds = (state.last_timestamp - state.first_timestamp).as_seconds_f64();
    (seconds >= TELLING_S).then(|| state.bytes as f64 / seconds)
}

fn wanted_bytes(state: &stream::State) -> Option<i64> {
    let wanted = rate(state)? * LASTING_HOURS * 3600.0;
    Some(((wanted / GIB).ceil() * GIB) as i64)
}

/// How many hours a stream holds at the pace at which it fills; nothing while that is not known, or it has no bound.
pub fn lasts_hours(info: &stream::Info) -> Option<f64> {
    let bytes = f64::from(u32::try_from(info.config.max_bytes / 1024).ok()?) * 1024.0;
    Some(bytes / rate(&info.state)? / 3600.0)
}

/// Fewer hours than these are a finding.
pub const SHORT_HOURS: f64 = 2.0;

fn declared() -> Result<Vec<stream::Config>> {
    let file: serde_json::Value = serde_json::from_str(DECLARED).context("nats/streams.json")?;
    let list = file.get("streams").unwrap_or(&file).clone();
    serde_json::from_value(list).context("nats/streams.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_are_declared_with_their_subjects() {
        let streams = declared().unwrap();
        let subjects = |name: &str| streams.iter().find(|one| one.name == name).unwrap().subjects.clone();
        assert_eq!(subjects("EVENTS"), ["events.>"]);
        assert_eq!(subjects("TELEMETRY"), ["ebike.*.up", "ebike.*.ack", "ebike.*.about"]);
        assert_eq!(subjects(kernel::log::places::STREAM), [kernel::log::places::SUBJECT]);
    }

    #[test]
    fn what_is_signed_can_be_neither_deleted_nor_purged_and_has_no_age() {
        let streams = declared().unwrap();
        let signed = streams.iter().find(|one| one.name == kernel::log::places::STREAM).unwrap();
        assert!(signed.deny_delete && signed.deny_purge);
        assert_eq!((signed.max_age, signed.max_bytes), (std::time::Duration::ZERO, -1));
        assert_eq!(signed.storage, stream::StorageType::File);
    }
}
