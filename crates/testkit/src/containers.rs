//! PostgreSQL and NATS in containers.

use anyhow::{Context, Result};
use testcontainers::core::IntoContainerPort;
use testcontainers::runners::AsyncRunner;
use testcontainers::{ContainerAsync, ImageExt};
use testcontainers_modules::nats::Nats;
use testcontainers_modules::postgres::Postgres;

/// What to do when a container does not start.
const ADVICE: &str = "is a container engine running, and can it get the images postgres:17-alpine and nats:2.12-alpine? \
     Without a registry `.ci/images.sh` makes them here; unset WHEELHOUSE_TEST_CONTAINERS to use private processes";

/// A PostgreSQL in a container; it goes with this value.
#[derive(Debug)]
pub(crate) struct PostgresContainer {
    pub(crate) url: String,
    _container: ContainerAsync<Postgres>,
}

impl PostgresContainer {
    pub(crate) async fn start() -> Result<Self> {
        let container = Postgres::default()
            .with_tag("17-alpine")
            .start()
            .await
            .with_context(|| format!("cannot start PostgreSQL in a container: {ADVICE}"))?;
        let (host, port) = (container.get_host().await?, container.get_host_port_ipv4(5432).await?);
        Ok(Self {
            url: format!("postgres://postgres:postgres@{host}:{port}/postgres"),
            _container: container,
        })
    }
}

/// A nats-server with JetStream and MQTT in a container; it goes with this value.
#[derive(Debug)]
pub(crate) struct NatsContainer {
    pub(crate) url: String,
    pub(crate) mqtt_addr: String,
    _container: ContainerAsync<Nats>,
}

impl NatsContainer {
    pub(crate) async fn start() -> Result<Self> {
        let text = include_str!("../../../nats/server.conf")
            .replace("{{server_name}}", "wheelhouse-test")
            .replace("{{listen}}", "0.0.0.0:4222")
            .replace("{{monitor}}", "0.0.0.0:8222")
            .replace("{{mqtt}}", "0.0.0.0:1883")
            .replace("{{store_dir}}", "/tmp/jetstream");
        let container = Nats::default()
            .with_tag("2.12-alpine")
            .with_copy_to("/etc/wheelhouse/nats.conf", text.into_bytes())
            .with_copy_to("/etc/wheelhouse/auth.conf", Vec::new())
            .with_mapped_port(0, 4222.tcp())
            .with_mapped_port(0, 1883.tcp())
            .with_cmd(["-c", "/etc/wheelhouse/nats.conf"])
            .start()
            .await
            .with_context(|| format!("cannot start NATS in a container: {ADVICE}"))?;
        let host = container.get_host().await?;
        let (client, mqtt) =
            (container.get_host_port_ipv4(4222).await?, container.get_host_port_ipv4(1883).await?);
        Ok(Self {
            url: format!("nats://{host}:{client}"),
            mqtt_addr: format!("{host}:{mqtt}"),
            _container: container,
        })
    }
}
