//! One bike: where it is, what it does, how it reports.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::ride::Trip;
use super::trouble::Drift;
use super::work::Job;
use super::{Action, World};
use crate::city::graph::Spot;
use crate::device::Device;
use crate::geometry::Xy;
use crate::identity::Identity;
use crate::report::{Flags, Report};

/// A moving bike reports this often.
pub const MOVING_REPORT_MS: i64 = 5_000;
/// A standing bike reports battery and signal this often.
pub const HEARTBEAT_MS: i64 = 150_000;
/// A standing bike takes a new fix this often.
const STANDING_FIX_MS: i64 = 600_000;
/// Standard deviation of a fix, metres east and north each.
pub const GPS_NOISE_M: f64 = 3.0;
/// No fix strays farther than this many deviations, each way.
pub const GPS_NOISE_LIMIT: f64 = 3.0;

/// What a bike is taken up with.
#[derive(Clone, Debug)]
pub(super) enum Activity {
    Idle,
    Trip(Box<Trip>),
    Job(Box<Job>),
    Drift(Box<Drift>),
}

/// A bike.
#[derive(Clone, Debug)]
pub struct Bike {
    /// Its device's and its frame's number.
    pub identity: Identity,
    /// The service area it belongs to.
    pub area: usize,
    /// Its controller.
    pub device: Device,
    /// Where it truly is.
    pub at: Xy,
    /// Where it last stood.
    pub spot: Spot,
    /// Battery, percent.
    pub soc_percent: f64,
    /// Its speed.
    pub speed_kmh: f64,
    /// Degrees clockwise from north.
    pub heading_deg: f64,
    /// Whether it stands where it should not.
    pub misplaced: bool,
    pub(super) activity: Activity,
    pub(super) pending: Option<u64>,
    /// Nobody asks for it again before this instant, after a refusal.
    pub(super) left_alone_until_ms: i64,
    pub(super) jump_next: bool,
    /// Its lock was forced, until somebody closes it.
    pub(super) forced_until_ms: Option<i64>,
    next_report_ms: i64,
    shown: Option<(i64, Xy)>,
}

/// A normal deviate, cut at [`GPS_NOISE_LIMIT`].
fn noise(rng: &mut ChaCha8Rng) -> f64 {
    let sum: f64 = (0..12).map(|_| rng.gen_range(0.0..1.0)).sum::<f64>() - 6.0;
    sum.clamp(-GPS_NOISE_LIMIT, GPS_NOISE_LIMIT) * GPS_NOISE_M
}

impl Bike {
    pub(super) fn new(
        identity: Identity,
        area: usize,
        spot: Spot,
        soc_percent: f64,
        first_report_ms: i64,
    ) -> Self {
        Self {
            identity,
            area,
            device: Device::default(),
            at: spot.at,
            spot,
            soc_percent,
            speed_kmh: 0.0,
            heading_deg: 0.0,
            misplaced: false,
            activity: Activity::Idle,
            pending: None,
            left_alone_until_ms: i64::MIN,
            jump_next: false,
            forced_until_ms: None,
            next_report_ms: first_report_ms,
            shown: None,
        }
    }

    /// Whether a rider has it and it is not locked in a pause, or it moves: then it refuses to lock.
    pub fn in_use(&self) -> bool {
        match &self.activity {
            Activity::Trip(trip) => trip.riding(),
            Activity::Job(_) | Activity::Drift(_) => self.device.flags.has(Flags::MOVING),
            Activity::Idle => false,
        }
    }

    /// The number of the rider whose wish it is busy with, if any.
    pub(super) fn on_the_way(&self) -> Option<u64> {
        match &self.activity {
            Activity::Trip(trip) => Some(trip.rider()),
            _ => None,
        }
    }

    /// The number of the rider who has it unlocked or paused, if any.
    pub fn rider(&self) -> Option<u64> {
        match &self.activity {
            Activity::Trip(trip) => trip.rider_in_possession(),
            _ => None,
        }
    }

    /// Whether a passer-by would take it.
    pub(super) fn looks_rentable(&self, now_ms: i64) -> bool {
        matches!(self.activity, Activity::Idle)
            && self.device.flags.has(Flags::LOCKED | Flags::BATTERY_PRESENT)
            && self.soc_percent >= 20.0
            && self.device.awake(now_ms)
            && now_ms >= self.left_alone_until_ms
    }

    /// Voltage of a 48 V lithium pack at its charge; a removed battery leaves the controller's own 4 V cell.
    fn voltage_mv(&self) -> u32 {
        if self.device.flags.has(Flags::BATTERY_PRESENT) {
            (42_000.0 + self.soc_percent * 125.0) as u32
        } else {
            4_100
        }
    }

    /// Drains the battery by a distance: about 45 km from full, more on thick tyres than any data sheet says.
    pub(super) fn drain(&mut self, distance_m: f64) {
        self.soc_percent = (self.soc_percent - distance_m / 450.0).max(0.0);
    }
}

impl World {
    /// Sends a report now, whatever is due.
    pub(super) fn report(&mut self, i: u32, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let rng = &mut self.rng;
        let bike = &mut self.bikes[i as usize];
        if !bike.device.awake(now_ms) {
            return;
        }
        let moving = bike.device.flags.has(Flags::MOVING);
        let first = bike.shown.is_none();
        let still_shown = bike.shown.filter(|(at_ms, p)| {
            !moving && now_ms - at_ms < STANDING_FIX_MS && p.distance_m(bike.at) < 4.0 * GPS_NOISE_M
        });
        let mut fix = if let Some((_, p)) = still_shown {
            p
        } else {
            let p = bike.at.moved(noise(rng), noise(rng));
            bike.shown = Some((now_ms, p));
            p
        };
        if std::mem::take(&mut bike.jump_next) {
            fix = fix.moved(rng.gen_range(3_000.0..8_000.0), rng.gen_range(-8_000.0..8_000.0));
        }
        let (lng, lat) = self.city.plane.lng_lat(fix);
        // Reports of one tick are spread over its second, so that a load is even.
        let (seq, at_ms) = bike.device.stamp(now_ms + i64::from(i) * 7 % 997 - 997);
        let report = Report {
            seq,
            at_ms,
            lat,
            lng,
            hdop_tenths: rng.gen_range(7..14),
            satellites: rng.gen_range(8..16),
            speed_kmh: bike.speed_kmh.round() as u8,
            heading_deg: bike.heading_deg.rem_euclid(360.0) as u16,
            soc_percent: bike.soc_percent.round() as u8,
            gsm: rng.gen_range(14..=31),
            voltage_mv: bike.voltage_mv(),
            flags: bike.device.flags,
            fence_version: bike.device.fences.version,
        };
        let own = if moving { MOVING_REPORT_MS } else { HEARTBEAT_MS };
        let own = self.habits.report_every_ms.unwrap_or(own);
        // After the opening's rush everyone falls into a step of his own.
        bike.next_report_ms = now_ms + if first { rng.gen_range(own / 2..=own) } else { own };
        out.push(Action::Report { bike: i, report });
    }

    pub(super) fn report_when_due(&mut self, i: u32, out: &mut Vec<Action>) {
        let bike = &mut self.bikes[i as usize];
        // A bike that has just begun to move does not wait for its heartbeat.
        if bike.device.flags.has(Flags::MOVING) && self.habits.report_every_ms.is_none() {
            bike.next_report_ms = bike.next_report_ms.min(self.now_ms + MOVING_REPORT_MS);
        }
        if self.now_ms >= bike.next_report_ms {
            if bike.device.awake(self.now_ms) {
                self.report(i, out);
            } else {
                bike.next_report_ms = bike.device.silent_until_ms;
            }
        }
    }
}
