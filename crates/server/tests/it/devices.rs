//! What a device's credential opens, and what it does not.

use std::time::Duration;

use async_nats::jetstream;
use rumqttc::{AsyncClient, Event, EventLoop, LastWill, MqttOptions, Packet, QoS, SubscribeReasonCode};
use serde_json::json;

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::Machine;
use crate::stack::{Stack, eventually};

const DOWN_TO_ALL: &str = "ebike/+/down";
const FORGED: &str = "events.fleet.forged";

/// Hands a message down to a device as the server does, until it has arrived.
async fn hears(nats: &async_nats::Client, bike: &mut Bike, imei: &str) {
    nats.publish(format!("ebike.{imei}.down"), r#"{"id":"1","kind":10}"#.into()).await.unwrap();
    assert_eq!(bike.next_command().await.1["kind"], 10);
}

/// A device's connection, packet by packet; dropped, it breaks off without a word.
struct Raw {
    client: AsyncClient,
    events: EventLoop,
}

impl Raw {
    async fn connect(address: &str, bike: &Enrolled, will: Option<&str>) -> Self {
        let (host, port) = address.rsplit_once(':').expect("host:port");
        let mut options = MqttOptions::new(&bike.imei, host, port.parse::<u16>().expect("a port"));
        options.set_credentials(&bike.imei, &bike.secret);
        if let Some(topic) = will {
            options.set_last_will(LastWill::new(topic, "will", QoS::AtMostOnce, false));
        }
        let (client, events) = AsyncClient::new(options, 10);
        let mut this = Self { client, events };
        this.until(|packet| matches!(packet, Packet::ConnAck(_)).then_some(())).await;
        this
    }

    async fn until<T>(&mut self, wanted: impl Fn(Packet) -> Option<T>) -> T {
        let heard = async {
            loop {
                if let Event::Incoming(packet) = self.events.poll().await.expect("the connection stands")
                    && let Some(found) = wanted(packet)
                {
                    return found;
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), heard).await.expect("an answer")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_id_belongs_to_the_credential_that_it_names() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "D", 1, 2).await;
    let mqtt = stack.nats.mqtt_addr();
    let (one, two) = (&city.bikes[0], &city.bikes[1]);
    let credential = machine.ok("/open/v1/gateways", &json!({"name": "vendor"})).await;
    let gateway_login = (credential["user"].as_str().unwrap(), credential["secret"].as_str().unwrap());
    let credential = machine.ok("/open/v1/gateways", &json!({"name": "vendor2"})).await;
    let other_login = (credential["user"].as_str().unwrap(), credential["secret"].as_str().unwrap());

    let mut bike = Bike::connect(&mqtt, &one.imei, &one.secret).await;
    // A gateway has as many connections as it likes, each under its own name.
    let mut lines = Vec::new();
    for id in ["gateway:vendor", "gateway:vendor:2"] {
        let line = Bike::try_connect_as(&mqtt, Some(gateway_login), id, DOWN_TO_ALL).await;
        lines.push(line.unwrap_or_else(|error| panic!("{id}: {error}")).0);
    }

    // Nobody comes in under a name that is another's, or nobody's.
    let two_login = (two.imei.as_str(), two.secret.as_str());
    for (login, id) in [
        (two_login, one.imei.as_str()),
        (two_login, "gateway:vendor"),
        (two_login, "gateway:vendor:2"),
        (two_login, "anything"),
        (gateway_login, one.imei.as_str()),
        (gateway_login, "gateway:vendor2"),
        (gateway_login, "gateway:vendor-3"),
        (other_login, "gateway:vendor"),
    ] {
        let down =
            if login.0 == two.imei { format!("ebike/{}/down", two.imei) } else { DOWN_TO_ALL.to_owned() };
        let came = Bike::try_connect_as(&mqtt, Some(login), id, &down).await;
        assert!(came.is_err(), "{} was let in as {id}", login.0);
    }

    // And nobody was thrown off meanwhile.
    let nats = stack.nats_client().await;
    hears(&nats, &mut bike, &one.imei).await;
    for line in &mut lines {
        assert_eq!(line.next_command().await.0, format!("ebike/{}/down", one.imei));
    }
    assert_eq!((bike.connects(), lines[0].connects(), lines[1].connects()), (1, 1, 1));

    // A device that comes back takes its own place over.
    let again = Bike::connect(&mqtt, &one.imei, &one.secret).await;
    drop(bike);
    assert_eq!(again.connects(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_reaches_nothing_by_the_plain_port_and_purges_no_stream() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "D", 1, 1).await;
    let one = &city.bikes[0];
    let credential = machine.ok("/open/v1/gateways", &json!({"name": "vendor"})).await;
    let gateway = (credential["user"].as_str().unwrap(), credential["secret"].as_str().unwrap());

    let context = jetstream::new(stack.nats_client().await);
    let stream = async || context.get_stream("EVENTS").await.unwrap();
    let kept = async || stream().await.info().await.unwrap().state.messages;
    let before = eventually("events are in the stream", Duration::from_mins(1), async || {
        Some(kept().await).filter(|kept| *kept > 0)
    })
    .await;

    for (user, secret) in [(one.imei.as_str(), one.secret.as_str()), gateway] {
        let options = async_nats::ConnectOptions::with_user_and_password(user.to_owned(), secret.to_owned());
        let Ok(client) = options.connect(stack.nats.url()).await else { continue };
        // What a stream answers to a message goes to the message's reply subject, with the rights of NATS itself. Older
        // servers read the answer's number as "purge all below"; all of them keep it where a stream listens.
        for reply in ["$JS.API.STREAM.PURGE.EVENTS", FORGED] {
            for _ in 0..before + 10 {
                let up = format!("ebike.{}.up", one.imei);
                let _ = client.publish_with_reply(up, reply, "{}".into()).await;
            }
        }
        let _ = client.flush().await;
        let mut least = before;
        for _ in 0..50 {
            least = least.min(kept().await);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let forged = stream().await.get_last_raw_message_by_subject(FORGED).await.is_ok();
        panic!("{user} came in by the plain port: {least} of {before} events left, forged ones in: {forged}");
    }
    assert!(kept().await >= before);
    assert!(stream().await.get_last_raw_message_by_subject(FORGED).await.is_err(), "a forged event");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_speaks_under_its_own_topics_alone_even_in_its_last_will() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "D", 1, 2).await;
    let mqtt = stack.nats.mqtt_addr();
    let (one, two) = (&city.bikes[0], &city.bikes[1]);
    let nats = stack.nats_client().await;
    let mut everything = nats.subscribe(">").await.unwrap();
    nats.flush().await.unwrap();

    let bike = Bike::connect(&mqtt, &one.imei, &one.secret).await;
    let own = format!("ebike/{}/up", one.imei);
    for topic in [
        format!("ebike/{}/up", two.imei),
        format!("ebike/{}/about", two.imei),
        format!("ebike/{}/down", one.imei),
        "$JS/API/STREAM/PURGE/EVENTS".to_owned(),
        "$MQTT/sub/forged".to_owned(),
        "_INBOX/forged".to_owned(),
        "events/fleet/forged".to_owned(),
    ] {
        // The broker cuts off who publishes what it may not; the client comes again and goes on.
        bike.publish(&topic, &json!({"forged": true})).await;
    }
    bike.publish(&own, &json!({"own": true})).await;
    let mut heard = Vec::new();
    loop {
        let next = tokio::time::timeout(Duration::from_mins(1), futures::StreamExt::next(&mut everything));
        let message = next.await.expect("the device's own report arrives").expect("a message");
        let forged = message.payload.windows(8).any(|bytes| bytes == b"\"forged\"");
        if forged {
            heard.push(message.subject.to_string());
        }
        if message.subject.as_str() == own.replace('/', ".") {
            break;
        }
    }
    assert_eq!(heard, Vec::<String>::new(), "a device spoke for others");

    let down = format!("ebike/{}/down", two.imei);
    let login = Some((two.imei.as_str(), two.secret.as_str()));
    for topic in [down.as_str(), "$MQTT/#", "$JS/#", "_INBOX/#"] {
        let granted = Bike::try_connect(&mqtt, login, topic).await.expect("it is a bike").1;
        assert_eq!(granted, topic == down, "{topic}");
    }

    // A subscription of the second quality would make commands wait for a device that is away: refused.
    let mut raw = Raw::connect(&mqtt, two, None).await;
    raw.client.subscribe(&down, QoS::AtLeastOnce).await.unwrap();
    let granted = raw.until(|packet| match packet {
        Packet::SubAck(answer) => Some(answer.return_codes),
        _ => None,
    });
    assert_eq!(granted.await, [SubscribeReasonCode::Failure]);
    drop(raw);

    // What the broker says for a device that fell silent is bound like what it says itself.
    for topic in [format!("ebike/{}/ack", one.imei), format!("ebike/{}/ack", two.imei)] {
        drop(Raw::connect(&mqtt, two, Some(&topic)).await);
    }
    let wills = async {
        while let Some(message) = futures::StreamExt::next(&mut everything).await {
            if message.payload.as_ref() == b"will" {
                return message.subject.to_string();
            }
        }
        unreachable!("the subscription stands")
    };
    let first = tokio::time::timeout(Duration::from_mins(1), wills).await.expect("its own will is told");
    assert_eq!(first, format!("ebike.{}.ack", two.imei));
}
