//! Telemetry never enters the log.

use std::time::Duration;

use serde_json::json;
use vocabulary::{Clock, SystemClock};

use crate::bike::Bike;
use crate::city::City;
use crate::client::Machine;
use crate::stack::{Stack, eventually};
use crate::stream::settled;

const BIKES: usize = 20;
const REPORTS_EACH: i64 = 500;

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_reports_without_an_alarm_leave_the_logs_head_unmoved() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, BIKES).await;
    let owner = stack.owner().await;
    let before = settled(&owner).await;

    // A quarter of an hour of bikes that stand where they should, every second or two, all of it past and in order.
    let begun = SystemClock.now().millis() - REPORTS_EACH * 2000;
    let mqtt = stack.nats.mqtt_addr();
    let mut lines = Vec::new();
    for bike in &city.bikes {
        lines.push(Bike::connect(&mqtt, &bike.imei, &bike.secret).await);
    }
    let told = lines.iter().zip(&city.bikes).map(async |(line, bike)| {
        for n in 0..REPORTS_EACH {
            let report = json!({"at": begun + n * 2000, "lat": city.lat + 0.005, "lng": city.lng + 0.005, "hdop": 0.9,
                "satellites": 11, "speed": 0, "heading": 90, "soc": 80, "gsm": 22, "voltage_mv": 52_100,
                "flags": ["battery_present", "position_valid", "locked"]});
            line.publish(&format!("ebike/{}/up", bike.imei), &report).await;
        }
    });
    futures::future::join_all(told).await;
    let wanted = i64::try_from(BIKES).expect("few") * REPORTS_EACH;
    eventually("every report is stored", Duration::from_mins(2), async || {
        let stored: i64 = sqlx::query_scalar("select count(*) from live.telemetry")
            .fetch_one(&owner)
            .await
            .expect("a count");
        (stored >= wanted).then_some(())
    })
    .await;
    // What follows from a report by a reactor or a rule would have its time until nothing moves any more.
    assert_eq!(settled(&owner).await, before, "the log's head");
}
