//! How long a bike stands where it stopped.

use live::ingest::{PastStop, Stop, keep_past, looked_at, stays_in, stood, told_late};
use live::report::{Flags, Report};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, SystemClock, Timestamp, Wgs84};

use crate::ingest::{City, lead, report, say};

/// Where K17 stood from `start` on for an hour: since when and until when, in tens of seconds, and whether it left then.
pub async fn stays(pool: &PgPool, start: Timestamp) -> Vec<(i64, Option<i64>, bool)> {
    let mut db = pool.acquire().await.unwrap();
    let (stood, last) = stood(&mut db, start, start.plus_millis(3_600_000), 0).await.unwrap();
    let (none, end) = live::ingest::stood(&mut db, start, start.plus_millis(1), last.unwrap()).await.unwrap();
    assert_eq!((none, end), (vec![], None), "each bike once");
    let tens = |at: Timestamp| tens_since(at, start);
    let mut stays: Vec<_> =
        stood.iter().map(|one| (tens(one.stop.at), one.until.map(tens), one.left)).collect();
    stays.sort_unstable();
    stays
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_stands_until_it_is_open_whether_that_comes_at_once_or_under_another_leader() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let start = SystemClock.now().plus_millis(-3_600_000);
    let open = Flags::POSITION_VALID.with(Flags::BATTERY_PRESENT);
    let shut = open.with(Flags::LOCKED);
    let at = |n: i64, flags: Flags| Report { flags, ..report(start.plus_millis(n * 10_000), 90) };
    let said = async |all: &[(i64, Flags)]| {
        for (n, flags) in all {
            say(&bike, "up", at(*n, *flags).compact().to_vec()).await;
        }
    };
    let node = city.node().await;
    // All of it lies in the stream before anybody leads: stored together, in one batch or two.
    said(&[(0, open), (1, shut), (2, open), (3, open), (4, shut), (5, open), (6, shut)]).await;
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    city.rows_reach(7).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(stays(&city.pool, start).await, [(1, Some(2), true), (4, Some(5), true), (6, None, false)]);

    // The next leader is told all once more, as after a crash; what is stored is not stored again, and it leaves now.
    sqlx::query("update live.ingest set stream_seq = 0").execute(&city.pool).await.unwrap();
    said(&[(9, open), (8, shut)]).await;
    let other = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&other, 2, &stop);
    city.rows_reach(8).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(
        stays(&city.pool, start).await,
        [(1, Some(2), true), (4, Some(5), true), (6, Some(9), true)],
        "a report that comes after a later one is none"
    );

    // Told later, from before: one without an end ends where the next one begins, and an end that is told is added once.
    let past = |n: i64, left: Option<i64>| PastStop {
        car_id: "K17",
        stop: Stop { at: start.plus_millis(n * 10_000), place: Wgs84::new(24.1, 118.1).unwrap(), hdop: None },
        left_at: left.map(|n| start.plus_millis(n * 10_000)),
    };
    let mut db = city.pool.acquire().await.unwrap();
    assert_eq!(keep_past(&mut db, &[past(-30, None), past(-20, Some(-10))]).await.unwrap(), 2);
    let told = told_late(&mut *db).await.unwrap().unwrap();
    assert_eq!((told.since.millis_since(start), told.times), (-300_000, 1));
    assert_eq!(keep_past(&mut db, &[past(-20, Some(-11))]).await.unwrap(), 0);
    assert_eq!(told_late(&mut *db).await.unwrap(), Some(told), "nothing new");
    assert_eq!(keep_past(&mut db, &[past(-30, Some(-25)), past(-20, None)]).await.unwrap(), 0);
    looked_at(&mut *db, told).await.unwrap();
    assert!(
        told_late(&mut *db).await.unwrap().is_some_and(|again| again.times == 2),
        "more was told meanwhile"
    );
    let before = start.plus_millis(-260_000);
    let (stood, _) = stood(&mut db, before, start, 0).await.unwrap();
    let mut ends: Vec<_> = stood.iter().map(|one| one.until.unwrap().millis_since(start)).collect();
    ends.sort_unstable();
    let box_of = [[118.0, 24.0], [119.0, 25.0]];
    let in_box = stays_in(&mut *db, box_of, before, 10).await.unwrap();
    let begun: Vec<_> = in_box.iter().map(|one| tens_since(one.stop.at, start)).collect();
    assert_eq!(begun, [6, 4, 1, -20, -30], "newest first, the last one because it stood there then");
    let later = stays_in(&mut *db, box_of, start, 10).await.unwrap();
    assert_eq!(later.len(), 3, "who had left before is not told of");
    assert_eq!(ends, [-250_000, -100_000], "the one that began in it, and the one that stood there before");
}

fn tens_since(at: Timestamp, start: Timestamp) -> i64 {
    at.millis_since(start) / 10_000
}
