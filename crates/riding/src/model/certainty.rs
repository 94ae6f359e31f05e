//! How sure it is that a bike truly stands where a penalty is due (还车确定度): from where its fixes lie, how far they may be
//! off, and all else that was shown. The same facts give the same percent for ever.
//!
//! Each evidence pulls by hundredths of a natural logarithm of odds: above nothing towards a penalty, below towards the
//! rider. They are added to even odds, and the percent is what follows, rounded down. How far a fix may be off is told by a
//! curve with a heavy end, because walls reflect: a few metres prove little. A penalty takes two witnesses, each of some weight,
//! unless one is beyond all doubt. More of what speaks for the rider never raises the percent.

use geofence::Proof;
use geofence::judge::ReturnClass;
use geofence::rule::Direction;
use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{Timestamp, Wgs84, choices, distance_m};

/// Fixes older than this are not judged together with newer ones.
pub const FIX_MAX_AGE_MS: i64 = 60_000;
/// A fix farther than this from the newest one was told on the way, metres.
const STANDING_M: f64 = 25.0;
/// So many fixes are looked at together.
pub const FIXES_MAX: usize = 5;
/// One evidence pulls so much at most, hundredths.
const PULL_MAX: i32 = 1_200;
/// One witness alone makes it no surer than this, below which nobody is charged as long as nobody says otherwise.
const LONE_PERCENT_MAX: u8 = 98;
/// A fix may drift so fast as it grows old, metres a second.
const DRIFT_M_PER_S: f64 = 0.2;

choices! {
    /// What speaks for or against a penalty.
    pub enum EvidenceKind("还车证据") {
        Position = 1 => "车辆定位",
        Phone = 2 => "手机位置",
        Beacon = 3 => "蓝牙道钉",
        Rfid = 4 => "射频识别",
        Direction = 5 => "停车方向",
        Kickstand = 6 => "脚撑",
        Camera = 7 => "摄像头",
        Helmet = 8 => "头盔",
    }
}

choices! {
    /// What the camera's picture was taken for.
    #[derive(Default)]
    pub enum CameraVerdict("AI 判定") {
        #[default]
        Unjudged = 0 => "未判",
        Good = 1 => "规范",
        Bad = 2 => "不规范",
        Unsure = 3 => "不确定",
    }
}

/// How much each evidence counts. Pulls are hundredths of a natural logarithm of odds, 0 to 1200.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Weights {
    /// A penalty is charged from this certainty on, percent; below it somebody looks at it first.
    pub charge_from_percent: u8,
    /// Decimetres that a bike's fix is off, at an hdop of 1.
    pub fix_dm: u16,
    /// Percent of fixes that are taken for reflected.
    pub reflected_percent: u8,
    /// Decimetres that a reflected fix is off.
    pub reflected_dm: u16,
    /// Decimetres that a phone is off.
    pub phone_dm: u16,
    /// Percent of phones that are taken for reflected.
    pub phone_reflected_percent: u8,
    /// Decimetres that a reflected phone is off.
    pub phone_reflected_dm: u16,
    /// A phone farther than this from its bike does not speak against its rider, decimetres.
    pub phone_far_dm: u16,
    /// A beacon that was heard.
    pub beacon: u16,
    /// A tag that was read.
    pub rfid: u16,
    /// A bike along the direction of the parking place; half as much against one across.
    pub direction: u16,
    /// A kickstand that is down.
    pub kickstand: u16,
    /// A picture of a bike that stands well.
    pub camera_good: u16,
    /// A picture of one that does not.
    pub camera_bad: u16,
    /// A helmet that is back; as much against one that is not.
    pub helmet: u16,
    /// A proof that the parking place asks for and that was not given.
    pub missing: u16,
    /// What pulls so much towards a penalty is a witness of it. It takes two to be surer than 98 percent, or one that pulls all it
    /// can, as a fix a hundred metres off does.
    pub witness: u16,
}

impl Default for Weights {
    /// With these, of two million made-up returns within 15 m of an edge (`certainty_tests.rs`) 8 were charged that stood
    /// well, four of a million, and 23.3 of a hundred were looked at.
    fn default() -> Self {
        Self {
            charge_from_percent: 99,
            fix_dm: 30,
            reflected_percent: 20,
            reflected_dm: 100,
            phone_dm: 80,
            phone_reflected_percent: 30,
            phone_reflected_dm: 160,
            phone_far_dm: 300,
            beacon: 800,
            rfid: 800,
            direction: 60,
            kickstand: 20,
            camera_good: 500,
            camera_bad: 200,
            helmet: 10,
            missing: 30,
            witness: 150,
        }
    }
}

refusals! {
    /// Why weights may not stand so.
    pub enum WeightsRefusal {
        Threshold = "certainty-threshold": ("扣费确定度需在 50% 到 99% 之间"),
        Metres = "certainty-metres": ("定位误差需在 0.1 到 100 米之间"),
        Reflected = "certainty-reflected": ("反射比例需在 1% 到 90% 之间"),
        Pull = "certainty-pull": ("证据权重需在 0 到 {PULL_MAX} 之间"),
    }
}

impl Weights {
    /// They, when they may stand.
    pub fn checked(self) -> Result<Self, WeightsRefusal> {
        let lengths_dm =
            [self.fix_dm, self.reflected_dm, self.phone_dm, self.phone_reflected_dm, self.phone_far_dm];
        let pulls = [
            self.beacon,
            self.rfid,
            self.direction,
            self.kickstand,
            self.camera_good,
            self.camera_bad,
            self.helmet,
            self.missing,
            self.witness,
        ];
        let shares = [self.reflected_percent, self.phone_reflected_percent];
        if !(50..=99).contains(&self.charge_from_percent) {
            Err(WeightsRefusal::Threshold)
        } else if !lengths_dm.iter().all(|length_dm| (1..=1000).contains(length_dm)) {
            Err(WeightsRefusal::Metres)
        } else if !shares.iter().all(|percent| (1..=90).contains(percent)) {
            Err(WeightsRefusal::Reflected)
        } else if !pulls.iter().all(|pull| i32::from(*pull) <= PULL_MAX) {
            Err(WeightsRefusal::Pull)
        } else {
            Ok(self)
        }
    }

    /// Whether a return that is judged so and is so sure is charged for its place at once.
    pub fn charge(&self, class: ReturnClass, certainty_percent: u8) -> bool {
        class != ReturnClass::Parked && certainty_percent >= self.charge_from_percent
    }
}

/// A fix of a bike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Fix {
    /// Where.
    #[schema(value_type = Object)]
    pub place: Wgs84,
    /// Dilution of precision.
    pub hdop: f64,
    /// When.
    #[schema(value_type = i64)]
    pub at: Timestamp,
}

/// Several fixes as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Middle {
    /// The median of each coordinate.
    pub place: Wgs84,
    /// The worst hdop of those that were looked at.
    pub hdop: f64,
    /// From the newest one to the instant that was asked for.
    pub age_ms: i64,
    /// How many were looked at.
    pub fixes: u8,
    /// How far they lie from the middle, metres: half of them less, scaled to a deviation.
    pub spread_m: f64,
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    let half = of.len() / 2;
    if of.len() % 2 == 1 { of[half] } else { f64::midpoint(of[half - 1], of[half]) }
}

/// The newest fix before `at` and up to four before it, of the same minute and from where it stood already, as one.
pub fn middle(fixes: &[Fix], at: Timestamp) -> Option<Middle> {
    let mut known: Vec<&Fix> = fixes.iter().filter(|fix| fix.at <= at).collect();
    known.sort_by_key(|fix| std::cmp::Reverse(fix.at));
    let newest = *known.first()?;
    // Before it stood there it was on its way, and an old one says nothing beside a new one.
    let stood = |fix: &&Fix| {
        fix.at == newest.at
            || (at.millis_since(fix.at) <= FIX_MAX_AGE_MS
                && distance_m(fix.place, newest.place) <= STANDING_M)
    };
    let known: Vec<&Fix> = known.into_iter().take_while(stood).take(FIXES_MAX).collect();
    let each = |of: fn(Wgs84) -> f64| median(known.iter().map(|fix| of(fix.place)).collect());
    let place = Wgs84::new(each(Wgs84::lat), each(Wgs84::lng)).ok()?;
    let away_m = median(known.iter().map(|fix| distance_m(place, fix.place)).collect());
    Some(Middle {
        place,
        hdop: known.iter().map(|fix| fix.hdop).fold(0.0, f64::max),
        age_ms: at.millis_since(newest.at),
        fixes: known.len() as u8,
        spread_m: away_m * 1.48,
    })
}

/// Where the phone of the rider was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhoneSeen {
    /// As [`Facts::into_m`], of the phone.
    pub into_m: Option<f64>,
    /// From the phone to the bike's fix, metres.
    pub away_m: f64,
}

/// Where a bike stands, as it was judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// How it is charged.
    pub class: ReturnClass,
    /// Metres that its fix lies within where that is charged, below nothing outside of it; nothing where no edge is known.
    pub into_m: Option<f64>,
    /// Dilution of precision.
    pub hdop: f64,
    /// How old the fix is.
    pub age_ms: i64,
    /// Of how many fixes it is the middle.
    pub fixes: u8,
    /// How far these lie from it, metres.
    pub spread_m: f64,
}

impl Facts {
    /// Of fixes that were judged in their middle.
    pub const fn new(class: ReturnClass, into_m: Option<f64>, middle: &Middle) -> Self {
        let Middle { hdop, age_ms, fixes, spread_m, .. } = *middle;
        Self { class, into_m, hdop, age_ms, fixes, spread_m }
    }

    /// How far the fix may be off, metres: by its satellites, by its scatter, and by its age.
    pub fn error_m(&self, weights: &Weights) -> f64 {
        // An hdop that is none is a poor one.
        let hdop = if self.hdop.is_nan() { 10.0 } else { self.hdop.clamp(0.5, 50.0) };
        let age_s = self.age_ms.max(0) as f64 / 1000.0;
        let spread_m = if self.spread_m.is_nan() { 50.0 } else { self.spread_m.max(0.0) };
        (metres(weights.fix_dm) * hdop).hypot(spread_m).hypot(DRIFT_M_PER_S * age_s)
    }
}

/// What else was shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Where the phone was, when it told.
    pub phone: Option<PhoneSeen>,
    /// What the nearest parking place asks for.
    pub wanted: Vec<Proof>,
    /// What the bike proved.
    pub proved: Vec<Proof>,
    /// Degrees that it stands off the direction of that parking place, 0 to 90.
    pub off_degrees: Option<f64>,
    /// What its picture was taken for.
    pub camera: CameraVerdict,
    /// Whether its helmet is back, where it has one that tells.
    pub helmet_back: Option<bool>,
}

impl Shown {
    /// With the direction that the parking place asks for and the one that the bike has.
    #[must_use]
    pub fn pointing(mut self, wanted: Option<Direction>, heading_degrees: Option<f64>) -> Self {
        self.off_degrees = wanted.zip(heading_degrees).map(|(wanted, heading)| wanted.off_degrees(heading));
        self
    }
}

/// One evidence, with what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Which.
    pub kind: EvidenceKind,
    /// Hundredths of a natural logarithm of odds: above nothing for a penalty, below against it.
    pub pull: i32,
    /// What was seen, in Chinese.
    pub words: String,
}

/// How sure it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Certainty {
    /// That a penalty is due: 0 to 99; nothing is ever entirely sure.
    pub percent: u8,
    /// Each evidence that there was.
    pub parts: Vec<Part>,
}

/// How sure it is that a bike truly stands where it is charged as `facts` says.
pub fn certainty(facts: &Facts, shown: &Shown, weights: &Weights) -> Certainty {
    let mut parts = vec![position(facts, weights)];
    parts.extend(shown.phone.as_ref().map(|seen| phone(facts, seen, weights)));
    for (proof, kind, weight) in [
        (Proof::Beacon, EvidenceKind::Beacon, weights.beacon),
        (Proof::Rfid, EvidenceKind::Rfid, weights.rfid),
        (Proof::Kickstand, EvidenceKind::Kickstand, weights.kickstand),
    ] {
        if shown.proved.contains(&proof) {
            parts.push(Part { kind, pull: -i32::from(weight), words: format!("{proof}已识别") });
        } else if shown.wanted.contains(&proof) {
            parts.push(Part { kind, pull: weights.missing.into(), words: format!("{proof}未识别") });
        }
    }
    parts.extend(shown.off_degrees.filter(|off| off.is_finite()).map(|off| direction(off, weights)));
    parts.extend(camera(shown, weights));
    parts.extend(shown.helmet_back.map(|back| {
        let (sign, words) = if back { (-1, "头盔已归还") } else { (1, "头盔未归还") };
        Part { kind: EvidenceKind::Helmet, pull: sign * i32::from(weights.helmet), words: words.to_owned() }
    }));
    let sum: i32 = parts.iter().map(|part| part.pull).sum();
    let odds = (-f64::from(sum) / 100.0).exp();
    let percent = (100.0 / (1.0 + odds)).floor().clamp(0.0, 99.0) as u8;
    let percent = if is_witnessed(&parts, weights) { percent } else { percent.min(LONE_PERCENT_MAX) };
    Certainty { percent, parts }
}

/// Whether two say that a penalty is due, or one who cannot be mistaken: both may be reflected, but seldom to the same side.
fn is_witnessed(parts: &[Part], weights: &Weights) -> bool {
    let witnesses = parts.iter().filter(|part| part.pull >= i32::from(weights.witness).max(1)).count();
    witnesses >= 2 || parts.iter().any(|part| part.pull >= PULL_MAX)
}

/// The pull of something that lies `into_m` within, when it is off by `error_m` and, of a share, by `reflected_m`.
fn pull(into_m: f64, error_m: f64, reflected_percent: u8, reflected_m: f64) -> i32 {
    let away_m = into_m.abs();
    let reflected = f64::from(reflected_percent) / 100.0;
    // The chance that the truth lies on the other side: about a normal curve's end, and an exponential one.
    let usual = (1.0 - reflected) / (1.0 + (1.702 * away_m / error_m).exp());
    let wrong = usual + reflected / 2.0 * (-away_m / reflected_m.max(2.0 * error_m)).exp();
    let pull = (((1.0 - wrong) / wrong).ln() * 100.0).min(PULL_MAX.into()) as i32;
    if into_m < 0.0 { -pull } else { pull }
}

/// What the metres are counted from.
const fn edge(class: ReturnClass) -> (&'static str, &'static str) {
    match class {
        ReturnClass::Parked | ReturnClass::OutsideParking => ("停车区允许范围外", "停车区允许范围内"),
        ReturnClass::OutsideArea => ("服务区外", "服务区内"),
        ReturnClass::NoStop => ("禁停区内", "禁停区外"),
        ReturnClass::NoRide => ("禁行区内", "禁行区外"),
    }
}

fn stands(class: ReturnClass, into_m: f64) -> String {
    let (within, without) = edge(class);
    if into_m == f64::INFINITY {
        "附近没有停车区".to_owned()
    } else if into_m < 0.0 {
        format!("在{without} {:.1} 米", -into_m)
    } else {
        format!("在{within} {into_m:.1} 米")
    }
}

fn metres(length_dm: u16) -> f64 {
    f64::from(length_dm) / 10.0
}

fn known(into_m: Option<f64>) -> Option<f64> {
    into_m.filter(|metres| !metres.is_nan())
}

fn position(facts: &Facts, weights: &Weights) -> Part {
    let kind = EvidenceKind::Position;
    let Some(into_m) = known(facts.into_m) else {
        return Part { kind, pull: 0, words: "没有可比对的边界，不作依据".to_owned() };
    };
    let error_m = facts.error_m(weights);
    let pull = pull(into_m, error_m, weights.reflected_percent, metres(weights.reflected_dm));
    let age = match facts.age_ms {
        0..=FIX_MAX_AGE_MS => String::new(),
        age_ms => format!("，{} 秒前", age_ms / 1000),
    };
    let words =
        format!("{}（误差 {error_m:.1} 米，{} 次定位取中{age}）", stands(facts.class, into_m), facts.fixes);
    Part { kind, pull, words }
}

fn phone(facts: &Facts, seen: &PhoneSeen, weights: &Weights) -> Part {
    let kind = EvidenceKind::Phone;
    let is_near = seen.away_m <= metres(weights.phone_far_dm);
    match known(seen.into_m) {
        // Who is far from his bike may be anywhere; but one who stands where the bike should be speaks for himself.
        Some(into_m) if is_near || into_m < 0.0 => {
            let reflected_m = metres(weights.phone_reflected_dm);
            let pull = pull(into_m, metres(weights.phone_dm), weights.phone_reflected_percent, reflected_m);
            Part {
                kind, pull, words: format!("{}，距车 {:.0} 米", stands(facts.class, into_m), seen.away_m)
            }
        }
        Some(_) => Part { kind, pull: 0, words: format!("距车 {:.0} 米，不作依据", seen.away_m) },
        None => Part { kind, pull: 0, words: "没有可比对的边界，不作依据".to_owned() },
    }
}

fn direction(off_degrees: f64, weights: &Weights) -> Part {
    let off = off_degrees.clamp(0.0, 90.0);
    let share = (off - 45.0) / 45.0;
    let share = if share > 0.0 { share / 2.0 } else { share };
    let pull = (f64::from(weights.direction) * share).round() as i32;
    Part { kind: EvidenceKind::Direction, pull, words: format!("车头与停车方向相差 {off:.0} 度") }
}

fn camera(shown: &Shown, weights: &Weights) -> Option<Part> {
    let verdict = match shown.camera {
        CameraVerdict::Unjudged if shown.proved.contains(&Proof::Camera) => CameraVerdict::Good,
        verdict => verdict,
    };
    let pull = match verdict {
        CameraVerdict::Good => -i32::from(weights.camera_good),
        CameraVerdict::Bad => weights.camera_bad.into(),
        CameraVerdict::Unsure => 0,
        CameraVerdict::Unjudged => return None,
    };
    Some(Part { kind: EvidenceKind::Camera, pull, words: format!("照片判定为{verdict}") })
}

#[cfg(test)]
#[path = "certainty_tests.rs"]
mod tests;
