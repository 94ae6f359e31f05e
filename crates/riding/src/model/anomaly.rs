//! Orders that look as if nobody rode any more (异常订单): what an order and its bike's device say, compared. A device may be
//! late, silent or wrong about the time; nothing is concluded from a moment, and nothing is certain but a lock that closed after
//! the bike was ridden, at a moment that its device told.

use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, RideOrderId, Timestamp, Wgs84, choices};

const MINUTE_MS: i64 = 60_000;

choices! {
    /// What is strange about an order that runs.
    pub enum AnomalyKind("异常类型") {
        LockClosed = 1 => "锁已关未结束",
        Silent = 2 => "设备长时间失联",
        Still = 3 => "长时间未移动",
        TooLong = 4 => "骑行时间过长",
    }
}

choices! {
    /// Whether somebody has still to look at it.
    pub enum AnomalyState("处理状态") {
        Open = 0 => "待处理",
        Closed = 1 => "已结束",
    }
}

choices! {
    /// Why a person has to look at it.
    pub enum Doubt("不能自动结束的原因") {
        NotTheLock = 1 => "没有可以确定的关锁时刻",
        NeverOpen = 2 => "开锁后没有收到锁已打开的上报",
        Gap = 3 => "关锁前较长时间没有上报，时刻不确定",
        NoFix = 4 => "开锁后没有收到车辆定位",
    }
}

/// How long each may last before it is an anomaly, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A lock that is closed.
    pub lock_ms: i64,
    /// Between the last report of an open lock and the first of a closed one, for the moment to be certain.
    pub gap_ms: i64,
    /// A device that says nothing.
    pub silent_ms: i64,
    /// A bike that stands with its lock open.
    pub still_ms: i64,
    /// A ride.
    pub ride_ms: i64,
}

impl Limits {
    /// What counts where rides may last `ride_max_s` seconds.
    pub const fn of(ride_max_s: i64) -> Self {
        Self {
            lock_ms: 3 * MINUTE_MS,
            gap_ms: 5 * MINUTE_MS,
            silent_ms: 20 * MINUTE_MS,
            still_ms: 30 * MINUTE_MS,
            ride_ms: ride_max_s * 1000,
        }
    }
}

/// An order, as far as it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFacts {
    /// When the lock opened, by the server's clock.
    pub started_at: Timestamp,
    /// When its rider went on after a pause.
    pub resumed_at: Option<Timestamp>,
    /// Whether its rider locked the bike for a while.
    pub paused: bool,
}

impl OrderFacts {
    /// Since when the lock should be open.
    fn rides_since(&self) -> Timestamp {
        self.resumed_at.map_or(self.started_at, |resumed| resumed.max(self.started_at))
    }
}

/// What a device said since an order began, by its own clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Its last report; nothing: it never told anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_at: Option<Timestamp>,
    /// Whether that says that the lock is closed.
    pub locked: bool,
    /// The last report that says that the lock is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_open_at: Option<Timestamp>,
    /// The first one after that which says that it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_closed_at: Option<Timestamp>,
    /// Since when it has stood where it is, as far as its fixes tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stood_since: Option<Timestamp>,
    /// Its last fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_at: Option<Timestamp>,
    /// Where that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Wgs84>,
}

/// Something strange, and since when it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// What.
    pub kind: AnomalyKind,
    /// Since when.
    pub since: Timestamp,
}

/// What is strange about an order, and when it truly ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The most telling of what is strange.
    pub anomaly: Anomaly,
    /// When the ride ended, as far as anything says so.
    pub end_at: Option<Timestamp>,
    /// Why somebody has to look at it; nothing: it is certain.
    pub doubt: Option<Doubt>,
}

/// Since `since` for at least `limit_ms`; a clock that ran backwards makes no time.
fn lasts(since: Timestamp, now: Timestamp, limit_ms: i64) -> Option<Timestamp> {
    (now.millis_since(since) >= limit_ms).then_some(since)
}

/// Since when the lock is closed while the order runs.
pub fn lock_closed(
    order: &OrderFacts,
    device: &DeviceFacts,
    now: Timestamp,
    limits: &Limits,
) -> Option<Timestamp> {
    let of_this_ride = device.report_at.is_some_and(|at| at >= order.rides_since());
    if order.paused || !device.locked || !of_this_ride {
        return None;
    }
    lasts(device.lock_closed_at?.max(order.rides_since()), now, limits.lock_ms)
}

/// Since when nothing was heard of the device: since its last report, or since the start where it told nothing of this ride.
pub fn silent(
    order: &OrderFacts,
    device: &DeviceFacts,
    now: Timestamp,
    limits: &Limits,
) -> Option<Timestamp> {
    let heard = device.report_at.map_or(order.started_at, |at| at.max(order.started_at));
    lasts(heard, now, limits.silent_ms)
}

/// Since when the bike stands with its lock open, of a device that tells.
pub fn still(order: &OrderFacts, device: &DeviceFacts, now: Timestamp, limits: &Limits) -> Option<Timestamp> {
    if order.paused || device.locked || silent(order, device, now, limits).is_some() {
        return None;
    }
    lasts(device.stood_since?.max(order.rides_since()), now, limits.still_ms)
}

/// The start of a ride that lasts longer than its area allows.
pub fn too_long(order: &OrderFacts, now: Timestamp, limits: &Limits) -> Option<Timestamp> {
    lasts(order.started_at, now, limits.ride_ms)
}

/// Why the moment at which the lock closed is not certain.
fn doubt(order: &OrderFacts, device: &DeviceFacts, limits: &Limits) -> Option<Doubt> {
    let rides_since = order.rides_since();
    let Some(closed_at) = device.lock_closed_at.filter(|at| *at >= rides_since) else {
        return Some(Doubt::NotTheLock);
    };
    let Some(open_at) = device.lock_open_at.filter(|at| *at >= rides_since) else {
        return Some(Doubt::NeverOpen);
    };
    if !(0..=limits.gap_ms).contains(&closed_at.millis_since(open_at)) {
        Some(Doubt::Gap)
    } else if device.fix_at.is_none_or(|at| at < rides_since) {
        Some(Doubt::NoFix)
    } else {
        None
    }
}

/// When a ride that is only too long may have ended: when its lock closed, also for a pause, or since when it stands, where that
/// has lasted for a while and its device still tells. Nothing of a bike that goes on.
fn may_have_ended(
    order: &OrderFacts,
    device: &DeviceFacts,
    now: Timestamp,
    limits: &Limits,
) -> Option<Timestamp> {
    let at = if device.locked { device.lock_closed_at } else { device.stood_since };
    lasts(at?.max(order.started_at), now, limits.lock_ms)
}

/// What is strange about an order at `now`; nothing: nothing is.
pub fn find(order: &OrderFacts, device: &DeviceFacts, now: Timestamp, limits: &Limits) -> Option<Finding> {
    let found = |kind, since: Option<Timestamp>| since.map(|since| Anomaly { kind, since });
    let anomaly = found(AnomalyKind::LockClosed, lock_closed(order, device, now, limits))
        .or_else(|| found(AnomalyKind::Silent, silent(order, device, now, limits)))
        .or_else(|| found(AnomalyKind::Still, still(order, device, now, limits)))
        .or_else(|| found(AnomalyKind::TooLong, too_long(order, now, limits)))?;
    let doubt = match anomaly.kind {
        AnomalyKind::LockClosed => doubt(order, device, limits),
        _ => Some(Doubt::NotTheLock),
    };
    let end_at = match anomaly.kind {
        AnomalyKind::TooLong => may_have_ended(order, device, now, limits),
        _ => Some(anomaly.since),
    };
    Some(Finding { anomaly, end_at, doubt })
}

/// Whether it is worth while to ask what its device told on the way: by what is known without asking.
pub fn is_suspicious(order: &OrderFacts, device: &DeviceFacts, now: Timestamp, limits: &Limits) -> bool {
    let may_be_locked = device.locked && lasts(order.started_at, now, limits.lock_ms).is_some();
    let may_stand = !device.locked && lasts(order.started_at, now, limits.still_ms).is_some();
    (!order.paused && (may_be_locked || may_stand))
        || silent(order, device, now, limits).is_some()
        || too_long(order, now, limits).is_some()
}

/// Why an order was ended at its true time, and what that saved its rider; kept with the order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reconciliation {
    /// Which order.
    pub order_id: RideOrderId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Where it began.
    pub area_id: AreaId,
    /// What was strange.
    pub kind: AnomalyKind,
    /// Since when.
    pub since: Timestamp,
    /// When the ride truly ended.
    pub end_at: Timestamp,
    /// What its device said.
    pub device: DeviceFacts,
    /// What it would have cost had it run until now, cents; where it is not certain what the place costs, without that.
    pub would_cents: i64,
    /// What it costs at its true end by the same rules, cents.
    pub end_cents: i64,
}

impl Reconciliation {
    /// What its rider need not pay, cents.
    pub const fn saved_cents(&self) -> i64 {
        self.would_cents - self.end_cents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_700_000_000_000);
    const LIMITS: Limits = Limits::of(86_400);

    const fn at(minute: i64) -> Timestamp {
        START.plus_millis(minute * MINUTE_MS)
    }

    const fn riding() -> OrderFacts {
        OrderFacts { started_at: START, resumed_at: None, paused: false }
    }

    /// A bike whose lock closed in minute 10 and which has told so until minute `heard`.
    fn locked(heard: i64) -> DeviceFacts {
        DeviceFacts {
            report_at: Some(at(heard)),
            locked: true,
            lock_open_at: Some(at(9)),
            lock_closed_at: Some(at(10)),
            stood_since: Some(at(10)),
            fix_at: Some(at(10)),
            place: None,
        }
    }

    fn found(order: &OrderFacts, device: &DeviceFacts, minute: i64) -> Option<(AnomalyKind, i64)> {
        let finding = find(order, device, at(minute), &LIMITS)?;
        Some((finding.anomaly.kind, finding.anomaly.since.millis_since(START) / MINUTE_MS))
    }

    #[test]
    fn a_lock_that_has_been_closed_for_three_minutes_ended_the_ride_when_it_closed() {
        assert_eq!(found(&riding(), &locked(12), 12), None, "its return is on its way");
        let finding = find(&riding(), &locked(13), at(13), &LIMITS).unwrap();
        assert_eq!(finding.anomaly, Anomaly { kind: AnomalyKind::LockClosed, since: at(10) });
        assert_eq!((finding.end_at, finding.doubt), (Some(at(10)), None));
    }

    #[test]
    fn a_pause_is_no_anomaly_and_what_was_locked_before_it_ended_proves_nothing() {
        let paused = OrderFacts { paused: true, ..riding() };
        assert_eq!(found(&paused, &locked(19), 19), None);
        // He went on in minute 15, and the lock tells of nothing since.
        let resumed = OrderFacts { resumed_at: Some(at(15)), ..riding() };
        assert_eq!(found(&resumed, &locked(14), 19), None, "not heard of since");
        assert_eq!(found(&resumed, &locked(16), 17), None, "it may still open");
        let finding = find(&resumed, &locked(19), at(19), &LIMITS).unwrap();
        assert_eq!((finding.anomaly.since, finding.doubt), (at(15), Some(Doubt::NotTheLock)));
    }

    #[test]
    fn what_is_not_certain_waits_for_a_person() {
        let doubt = |device: DeviceFacts| find(&riding(), &device, at(30), &LIMITS).unwrap().doubt;
        assert_eq!(doubt(locked(30)), None);
        assert_eq!(doubt(DeviceFacts { lock_open_at: None, ..locked(30) }), Some(Doubt::NeverOpen));
        assert_eq!(doubt(DeviceFacts { lock_open_at: Some(at(-1)), ..locked(30) }), Some(Doubt::NeverOpen));
        assert_eq!(doubt(DeviceFacts { lock_open_at: Some(at(4)), ..locked(30) }), Some(Doubt::Gap));
        assert_eq!(doubt(DeviceFacts { fix_at: Some(at(-1)), ..locked(30) }), Some(Doubt::NoFix));
        assert_eq!(doubt(DeviceFacts { fix_at: None, ..locked(30) }), Some(Doubt::NoFix));
    }

    #[test]
    fn a_device_that_says_nothing_is_silent_since_its_last_word() {
        let open = DeviceFacts { locked: false, lock_closed_at: None, ..locked(12) };
        assert_eq!(found(&riding(), &open, 31), None);
        assert_eq!(found(&riding(), &open, 32), Some((AnomalyKind::Silent, 12)));
        let finding = find(&riding(), &open, at(32), &LIMITS).unwrap();
        assert_eq!((finding.end_at, finding.doubt), (Some(at(12)), Some(Doubt::NotTheLock)));
        // What it said before the ride tells nothing of it.
        let old = DeviceFacts { report_at: Some(at(-60)), ..open };
        assert_eq!(found(&riding(), &old, 20), Some((AnomalyKind::Silent, 0)));
        assert_eq!(found(&riding(), &DeviceFacts::default(), 20), Some((AnomalyKind::Silent, 0)));
        // A lock that closed before it fell silent is still closed.
        assert_eq!(found(&riding(), &locked(11), 60), Some((AnomalyKind::LockClosed, 10)));
    }

    #[test]
    fn a_bike_that_stands_with_its_lock_open_is_left() {
        let standing = DeviceFacts { locked: false, lock_closed_at: None, ..locked(40) };
        assert_eq!(found(&riding(), &standing, 39), None);
        assert_eq!(found(&riding(), &standing, 40), Some((AnomalyKind::Still, 10)));
        assert_eq!(found(&OrderFacts { paused: true, ..riding() }, &standing, 40), None);
        assert_eq!(
            found(&riding(), &DeviceFacts { stood_since: Some(at(-30)), ..standing }, 29),
            None,
            "it stood before it was ridden"
        );
        assert_eq!(found(&riding(), &DeviceFacts { stood_since: None, ..standing }, 40), None);
    }

    #[test]
    fn a_ride_that_is_only_long_may_have_ended_where_its_bike_was_left() {
        let rides =
            DeviceFacts { locked: false, lock_closed_at: None, stood_since: Some(at(1440)), ..locked(1440) };
        assert_eq!(found(&riding(), &rides, 1439), None);
        let ended = |order: &OrderFacts, device: &DeviceFacts| {
            let finding = find(order, device, at(1440), &LIMITS).unwrap();
            assert_eq!(finding.anomaly, Anomaly { kind: AnomalyKind::TooLong, since: START });
            assert_eq!(finding.doubt, Some(Doubt::NotTheLock), "a person looks at it");
            finding.end_at
        };
        assert_eq!(ended(&riding(), &rides), None, "it goes on");
        assert_eq!(ended(&riding(), &DeviceFacts { stood_since: None, ..rides }), None);
        let stands = DeviceFacts { stood_since: Some(at(1438)), ..rides };
        assert_eq!(ended(&riding(), &stands), None, "at a traffic light");
        let stands = DeviceFacts { stood_since: Some(at(1425)), ..rides };
        assert_eq!(ended(&riding(), &stands), Some(at(1425)));
        // Its rider locked it for a while, and never came back.
        let paused = OrderFacts { paused: true, ..riding() };
        let closed = DeviceFacts { lock_closed_at: Some(at(600)), ..locked(1440) };
        assert_eq!(ended(&paused, &closed), Some(at(600)));
        assert_eq!(ended(&paused, &DeviceFacts { lock_closed_at: None, ..closed }), None);
    }

    #[test]
    fn clocks_that_run_backwards_or_ahead_make_nothing_strange() {
        // The server's clock is before the ride's start.
        assert_eq!(found(&riding(), &locked(13), -5), None);
        // The device's is a minute ahead: its lock closes in the future.
        assert_eq!(found(&riding(), &locked(14), 9), None);
        // The device's is an hour behind: what it says of its lock is not of this ride.
        let behind = DeviceFacts {
            report_at: Some(at(-47)),
            lock_open_at: Some(at(-51)),
            lock_closed_at: Some(at(-50)),
            ..locked(0)
        };
        assert_eq!(found(&riding(), &behind, 13), None);
        // It was behind and is right now: closed before the start is closed since the start, and not certain.
        let mended = DeviceFacts { report_at: Some(at(5)), ..behind };
        let finding = find(&riding(), &mended, at(5), &LIMITS).unwrap();
        assert_eq!((finding.anomaly.since, finding.doubt), (START, Some(Doubt::NotTheLock)));
        // Closed before it was open.
        let twisted = DeviceFacts { lock_open_at: Some(at(11)), ..locked(13) };
        assert_eq!(find(&riding(), &twisted, at(13), &LIMITS).unwrap().doubt, Some(Doubt::Gap));
    }

    #[test]
    fn whatever_is_found_was_suspicious() {
        let open = DeviceFacts { locked: false, lock_closed_at: None, ..locked(12) };
        let orders = [riding(), OrderFacts { paused: true, ..riding() }];
        let mut seen = 0;
        for order in orders {
            for device in [locked(12), open, DeviceFacts::default()] {
                for minute in 0..1500 {
                    let report_at = device.report_at.map(|_| at(minute));
                    for device in [device, DeviceFacts { report_at, ..device }] {
                        let is_found = find(&order, &device, at(minute), &LIMITS).is_some();
                        seen += i32::from(is_found);
                        // What stands in the log may know of a pause that is over; then less is strange.
                        assert!(!is_found || is_suspicious(&order, &device, at(minute), &LIMITS));
                    }
                }
            }
        }
        assert!(seen > 1000);
        assert!(!is_suspicious(&riding(), &open, at(12), &LIMITS), "a ride like most");
    }

    #[test]
    fn what_was_saved_is_what_it_would_have_cost_more() {
        let kept = Reconciliation {
            order_id: RideOrderId(1),
            agent_id: AgentId(2),
            area_id: AreaId(3),
            kind: AnomalyKind::LockClosed,
            since: at(10),
            end_at: at(10),
            device: locked(13),
            would_cents: 1_250,
            end_cents: 300,
        };
        assert_eq!(kept.saved_cents(), 950);
        let stored = serde_json::to_value(&kept).unwrap();
        assert_eq!(serde_json::from_value::<Reconciliation>(stored).unwrap(), kept);
    }
}
