//! A log that went back under a process that knows more of it stops that process.

use std::time::Duration;

use kernel::Runtime;

use crate::support::{open_stall, owners_slip, runtime, runtime_at};

async fn stops(runtime: &Runtime) -> bool {
    tokio::time::timeout(Duration::from_secs(20), runtime.stopping().cancelled_owned()).await.is_ok()
}

const CUT: &str = "delete from log.events where position > 5";

#[tokio::test]
async fn a_head_below_the_known_tail_stops_the_process() {
    let standing = runtime().await;
    for n in 0..10 {
        open_stall(&standing.runtime, &format!("s{n}")).await;
    }
    owners_slip(&standing.runtime, CUT).await;
    assert!(stops(&standing.runtime).await, "the process goes on behind the end of the log");
    let why = standing.runtime.fatal().expect("it says why");
    assert!(why.contains("10") && why.contains('5') && why.contains("accept-restore"), "{why}");
}

#[tokio::test]
async fn a_log_that_went_back_and_grew_again_stops_the_process_that_knew_the_other_events() {
    let standing = runtime().await;
    for n in 0..10 {
        open_stall(&standing.runtime, &format!("s{n}")).await;
    }
    // As after a restore and appends by another process, faster than this one looks.
    let grown = "delete from log.events where position > 5;
        insert into log.events select position + 5, category, 'other' || stream_id, version, type, schema_version, data, meta,
            recorded_at, sha256(chain) from log.events;
        insert into log.events select position + 10, category, 'third' || stream_id, version, type, schema_version, data, meta,
            recorded_at, sha256(chain) from log.events where position <= 2";
    owners_slip(&standing.runtime, grown).await;
    assert!(stops(&standing.runtime).await, "the process takes other events for those that it knew");
}

#[tokio::test(flavor = "multi_thread")]
async fn appends_of_several_processes_are_not_taken_for_a_log_that_went_back() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    let append = |runtime: Runtime, name: &'static str| async move {
        for n in 0..200 {
            open_stall(&runtime, &format!("{name}{n}")).await;
            runtime.tail.refresh(&runtime.pools.app).await.unwrap();
        }
    };
    tokio::join!(
        append(standing.runtime.clone(), "a"),
        append(standing.runtime.clone(), "b"),
        append(other.clone(), "c")
    );
    tokio::time::sleep(Duration::from_millis(200)).await;
    for runtime in [&standing.runtime, &other] {
        assert!(!runtime.stopping().is_cancelled(), "{:?}", runtime.fatal());
    }
}
