//! The JetStream streams of the system, declared in `nats/streams.json` and made at start.

use anyhow::{Context, Result};
use async_nats::jetstream::{self, stream};

const DECLARED: &str = include_str!("../../../nats/streams.json");

/// Makes the streams that are missing and brings those that are there to what is declared.
pub async fn create(nats: &async_nats::Client) -> Result<()> {
    let declared: Vec<stream::Config> = declared()?;
    let context = jetstream::new(nats.clone());
    for config in declared {
        let name = config.name.clone();
        context
            .create_or_update_stream(config)
            .await
            .with_context(|| format!("stream {name}; is JetStream enabled in the NATS configuration?"))?;
    }
    Ok(())
}

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
        assert_eq!(subjects("TELEMETRY"), ["ebike.*.up", "ebike.*.ack"]);
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
