//! Connecting to PostgreSQL and NATS, and opening the system on them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use attachments::{Attachments, Store};
use kernel::{Foundation, MasterKey, PoolSizes, Pools, Runtime};
use vocabulary::{Snowflake, SystemClock};

use crate::config::Stores;
use crate::secrets::Secrets;

/// Older servers lack what the system uses (auth callout, multi-filter consumers).
const NATS_MIN: (u64, u64) = (2, 10);

/// Connects to PostgreSQL, waiting a while for one that is just starting.
pub async fn postgres(stores: &Stores) -> Result<Pools> {
    let mut tries = 0;
    loop {
        match Pools::connect(&stores.database_url, PoolSizes::within(stores.database_connections)).await {
            Ok(pools) => return Ok(pools),
            Err(error) if tries < 20 => {
                tries += 1;
                tracing::warn!(%error, "PostgreSQL does not answer yet");
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err(error) => return Err(error).context("cannot connect to PostgreSQL; is DATABASE_URL right?"),
        }
    }
}

/// Connects to NATS, when one is named. It may come and go later; too old a one is refused.
pub async fn nats(stores: &Stores, secrets: &Secrets) -> Result<Option<async_nats::Client>> {
    let Some(url) = &stores.nats_url else { return Ok(None) };
    let options = async_nats::ConnectOptions::with_user_and_password(
        stores.nats_user.clone(),
        secrets.nats_password.clone(),
    )
    .name("wheelhouse")
    .connection_timeout(Duration::from_secs(5))
    .event_callback(|event| async move { tracing::info!(%event, "NATS") });
    let client = options.connect(addresses(url)).await.with_context(|| {
        format!(
            "cannot connect to NATS at {}; is it running, and is NATS_PASSWORD right?",
            without_secrets(url)
        )
    })?;
    check_version(&client.server_info().version)?;
    Ok(Some(client))
}

/// Opens the system.
pub async fn runtime(pools: Pools, nats: Option<async_nats::Client>, secrets: &Secrets) -> Result<Runtime> {
    let ids = Snowflake::new(SystemClock, rand::random());
    let master = MasterKey::new(secrets.master);
    let mut foundation = Foundation::new(pools, master, Arc::new(SystemClock), Arc::new(ids));
    foundation.nats = nats;
    Runtime::open(foundation)
        .await
        .context("cannot open the event log; was the database migrated (wheelhouse migrate)?")
}

/// The photos and documents that cases hold.
pub fn attachments(stores: &Stores, runtime: &Runtime) -> Result<Attachments> {
    let store = Store::folder(&stores.attachments_folder())
        .context("the attachments cannot be kept; is WHEELHOUSE_ATTACHMENTS a folder that may be written?")?;
    Ok(Attachments::new(runtime.clone(), store))
}

/// Refuses a NATS that is too old, and says what to do.
pub fn check_version(version: &str) -> Result<()> {
    let mut parts = version.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if found < NATS_MIN {
        bail!(
            "NATS {version} is too old: 2.10 or newer is needed (Debian 12 ships 2.9). \
             Run `cargo xtask run`, which fetches one, or install a newer nats-server and set NATS_URL"
        );
    }
    Ok(())
}

/// A server, or several of one cluster.
fn addresses(urls: &str) -> Vec<&str> {
    urls.split(',').map(str::trim).filter(|url| !url.is_empty()).collect()
}

fn without_secrets(urls: &str) -> String {
    let shown = addresses(urls).into_iter().map(|url| match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_owned(),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use async_nats::ConnectOptions;
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn debian_12s_nats_is_refused_with_a_way_out() {
        let refused = check_version("2.9.10").unwrap_err().to_string();
        assert!(refused.contains("2.9.10") && refused.contains("cargo xtask run"), "{refused}");
        for version in ["2.10.27", "2.15.1", "3.0.0"] {
            assert!(check_version(version).is_ok(), "{version}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(without_secrets("nats://me:pass@host:4222"), "nats://host:4222");
        assert_eq!(without_secrets("nats://me:pass@a:1, nats://me:pass@b:2"), "nats://a:1,nats://b:2");
    }

    #[tokio::test]
    async fn of_several_servers_the_one_that_answers_is_taken() {
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let there = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let urls = format!("nats://{gone},nats://{}", there.local_addr().unwrap());
        let connecting = ConnectOptions::new().connect(addresses(&urls));
        tokio::select! {
            _ = there.accept() => {}
            refused = connecting => panic!("{urls}: {refused:?}"),
        }
    }
}
