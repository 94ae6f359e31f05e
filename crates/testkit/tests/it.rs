//! The servers do what tests rely on.

use std::time::Duration;

use anyhow::Result;
use async_nats::jetstream::{self, stream};
use futures::StreamExt;
use rumqttc::{AsyncClient, MqttOptions, QoS};
use sqlx::{Connection, Executor, PgConnection};
use testkit::local::AuthCallout;
use testkit::{OwnNats, OwnPostgres, STREAMS_JSON, Services};

async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("the database answers")
}

async fn count(connection: &mut PgConnection) -> i64 {
    sqlx::query_scalar("select count(*) from things").fetch_one(connection).await.expect("the table is there")
}

#[tokio::test]
async fn every_test_has_a_database_of_its_own_and_it_goes_with_the_value() {
    let services = Services::start().await;
    let (one, other) = (services.database().await, services.database().await);
    assert_ne!(one.name, other.name);
    let mut in_one = connect(&one.url).await;
    in_one.execute("create table things (n int)").await.expect("an empty database takes a table");
    let mut in_other = connect(&other.url).await;
    let seen: bool = sqlx::query_scalar("select to_regclass('things') is not null")
        .fetch_one(&mut in_other)
        .await
        .expect("a query");
    assert!(!seen, "one test saw another's table");

    let name = one.name.clone();
    drop(one);
    let mut admin = connect(&services.admin_url()).await;
    let left: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(&name)
        .fetch_one(&mut admin)
        .await
        .expect("a query");
    assert!(!left, "{name} was not dropped");
}

#[tokio::test]
async fn a_template_is_prepared_once_and_copied_for_each_test() {
    let services = Services::start().await;
    // A template of this process alone: the servers may be shared and may stay.
    let template = format!("testkit_{}", std::process::id());
    let prepare = |url: String| async move {
        let mut connection = PgConnection::connect(&url).await?;
        // Fails the second time it runs on one server.
        connection.execute("create table things (n int); insert into things values (1)").await?;
        connection.close().await?;
        Result::<()>::Ok(())
    };
    let (one, two) =
        tokio::join!(services.database_from(&template, prepare), services.database_from(&template, prepare));
    let mut in_one = connect(&one.url).await;
    in_one.execute("insert into things values (2)").await.expect("a row");
    assert_eq!(count(&mut in_one).await, 2);
    assert_eq!(count(&mut connect(&two.url).await).await, 1, "copies are independent");
    let mut admin = connect(&services.admin_url()).await;
    let gone = format!("drop database wh_t_{template}");
    admin.execute(sqlx::query(sqlx::AssertSqlSafe(gone))).await.expect("nobody uses the template");
}

#[tokio::test]
async fn a_killed_postgres_has_its_committed_rows_after_the_restart() {
    let server = OwnPostgres::durable().await;
    let url = server.url();
    let mut connection = connect(&url).await;
    connection.execute("create table things (n int); insert into things values (1)").await.expect("a row");
    server.kill9().await;
    assert!(PgConnection::connect(&url).await.is_err(), "a killed server does not answer");
    server.restart().await;
    assert_eq!(server.url(), url, "same port, same password");
    assert_eq!(count(&mut connect(&url).await).await, 1);
    server.stop().await;
    server.restart().await;
    assert_eq!(count(&mut connect(&url).await).await, 1);
}

/// Publishes one message and waits for its acknowledgement.
async fn publish_by_mqtt(address: &str, topic: &str, payload: &[u8]) {
    let (host, port) = address.split_once(':').expect("host:port");
    let mut options = MqttOptions::new("testkit-bike", host, port.parse().expect("a port"));
    options.set_keep_alive(Duration::from_secs(5));
    let (client, mut events) = AsyncClient::new(options, 10);
    client.publish(topic, QoS::AtLeastOnce, false, payload).await.expect("the queue takes one");
    let acknowledged = async {
        loop {
            if let rumqttc::Event::Incoming(rumqttc::Packet::PubAck(_)) = events.poll().await.expect("MQTT") {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), acknowledged).await.expect("acknowledged in time");
}

#[tokio::test]
async fn what_a_bike_publishes_by_mqtt_reaches_a_nats_subscriber() {
    let services = Services::start().await;
    let client = async_nats::connect(services.nats_url()).await.expect("NATS answers");
    let imei = format!("86{:013}", std::process::id());
    let mut reports = client.subscribe(format!("ebike.{imei}.up")).await.expect("subscribed");
    client.flush().await.expect("flushed");
    publish_by_mqtt(&services.nats_mqtt_addr(), &format!("ebike/{imei}/up"), b"here").await;
    let report = tokio::time::timeout(Duration::from_secs(10), reports.next()).await.expect("in time");
    assert_eq!(report.expect("a message").payload.as_ref(), b"here");
}

#[tokio::test]
async fn the_declared_streams_are_accepted_and_outlive_a_killed_server() {
    let server = OwnNats::start().await;
    let declared: Vec<stream::Config> = serde_json::from_str(STREAMS_JSON).expect("nats/streams.json");
    let context = jetstream::new(async_nats::connect(server.url()).await.expect("NATS answers"));
    for config in &declared {
        let made = context.create_stream(config.clone()).await.expect("the server takes the declaration");
        let kept = &made.cached_info().config;
        assert_eq!(kept.subjects, config.subjects);
        assert_eq!(kept.max_age, config.max_age);
        assert_eq!(kept.max_bytes, config.max_bytes);
        assert_eq!(kept.duplicate_window, Duration::from_mins(2));
    }
    publish_by_mqtt(&server.mqtt_addr(), "ebike/860000000000001/up", b"kept").await;
    let url = server.url();
    server.kill9().await;
    server.restart().await;
    assert_eq!(server.url(), url);
    let context = jetstream::new(async_nats::connect(server.url()).await.expect("NATS answers again"));
    let mut telemetry = context.get_stream("TELEMETRY").await.expect("the stream is still there");
    assert_eq!(telemetry.info().await.expect("its info").state.messages, 1);
}

#[tokio::test]
async fn with_an_auth_callout_the_own_user_comes_in_and_nobody_else() {
    let server = OwnNats::with_auth_callout(AuthCallout {
        issuer: "ABJHLOVMPA4CI6R5KLNGOB4GSLNIY7IOUPAJC4YFNDLQVIOBYQGUWVLA".into(),
        user: "wheelhouse".into(),
        password: "12e4567".into(),
    })
    .await;
    let own = async_nats::ConnectOptions::with_user_and_password("wheelhouse".into(), "12e4567".into())
        .connect(server.url())
        .await
        .expect("the own user is let in");
    // JetStream works in the account that the own user shares with the bikes.
    jetstream::new(own.clone()).query_account().await.expect("JetStream answers");
    let mut heard = own.subscribe("probe").await.expect("subscribed");
    own.flush().await.expect("flushed");
    // A client may take itself for connected until the server has made up its mind: what counts is
    // that nothing of it arrives.
    let credentials = [Some(("wheelhouse", "wrong")), Some(("860000000000001", "any")), None];
    let attempts = credentials.map(|credentials| {
        let url = server.url();
        tokio::spawn(async move {
            let options = async_nats::ConnectOptions::new();
            let options = match credentials {
                Some((user, password)) => options.user_and_password(user.into(), password.into()),
                None => options,
            };
            let Ok(client) = options.connect(url).await else { return };
            if client.publish("probe", "from an intruder".into()).await.is_ok() {
                let _ = client.flush().await;
            }
        })
    });
    for attempt in attempts {
        let _ = tokio::time::timeout(Duration::from_secs(6), attempt).await;
    }
    own.publish("probe", "from the own user".into()).await.expect("published");
    let first = tokio::time::timeout(Duration::from_secs(5), heard.next()).await.expect("in time");
    assert_eq!(first.expect("a message").payload.as_ref(), b"from the own user");
}
