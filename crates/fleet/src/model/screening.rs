//! Which bikes are looked for by what they are now: what was decided of them and what they last reported. Pure: what is known of each
//! comes in from memory, one after the other.

use std::collections::BTreeMap;

use vocabulary::{AgentId, AreaId, DataOwner, Scope, Timestamp, VoltageSchemeId, choices};

const HOUR_MS: i64 = 3_600_000;

/// What memory knows of a bike.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// 车辆编号.
    pub car_id: &'a str,
    /// Its device.
    pub imei: Option<&'a str>,
    /// 型号: of that device; nothing: it never said.
    pub model: Option<&'a str>,
    /// 固件: what runs on it.
    pub firmware: Option<&'a str>,
    /// Whose it is.
    pub agent: Option<AgentId>,
    /// Where it works.
    pub area: Option<AreaId>,
    /// See [`super::region::Lifecycle`].
    pub lifecycle: i16,
    /// See [`super::region::RidingState`].
    pub riding: i16,
    /// Bit n: [`super::region::OperationState`] n.
    pub operations: u16,
    /// Bit n: [`super::region::AlarmState`] n.
    pub alarms: u16,
    /// What it is called.
    pub tags: &'a [String],
    /// What tells of its battery by voltage.
    pub voltage_scheme: Option<VoltageSchemeId>,
    /// Since when nobody used it.
    pub idle_since_ms: Option<i64>,
    /// When its last ride ended.
    pub last_ride_end_ms: Option<i64>,
    /// Whether it reported lately.
    pub online: bool,
    /// Battery, percent.
    pub soc_percent: Option<u8>,
    /// Signal, 0 to 31.
    pub gsm: Option<u8>,
    /// Battery, millivolts.
    pub voltage_mv: Option<u32>,
    /// The device's time of its last report.
    pub report_at_ms: Option<i64>,
}

impl Look<'_> {
    /// Whether somebody with this scope is shown it.
    pub fn is_shown_to(&self, scope: &Scope) -> bool {
        scope.contains(DataOwner { agent: self.agent, area: self.area })
            && scope.cars.shows(
                self.car_id,
                u8::try_from(self.riding).unwrap_or_default(),
                self.voltage_scheme,
            )
    }
}

choices! {
    /// How good a device's signal is.
    pub enum Signal("信号") {
        Strong = 1 => "强",
        Fair = 2 => "中",
        Weak = 3 => "弱",
        Unknown = 4 => "未知",
    }
}

impl Signal {
    /// Of 0 to 31.
    pub const fn of_gsm(gsm: Option<u8>) -> Self {
        match gsm {
            None => Self::Unknown,
            Some(20..) => Self::Strong,
            Some(10..=19) => Self::Fair,
            Some(_) => Self::Weak,
        }
    }
}

/// What a list may be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Its number.
    #[default]
    Number,
    /// Battery; unknown ones last.
    Soc,
    /// How long nobody used it; those in use last.
    Idle,
    /// When it last reported; those that never did last.
    Report,
    /// Signal; unknown ones last.
    Signal,
}

/// What is looked for; what is not said is not looked at.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The beginning of its number.
    pub beginning: Option<String>,
    /// Its device.
    pub imei: Option<String>,
    /// Whose.
    pub agent: Option<AgentId>,
    /// Where it works.
    pub area: Option<AreaId>,
    /// One of these.
    pub lifecycles: Vec<i16>,
    /// One of these.
    pub ridings: Vec<i16>,
    /// At least one of these bits.
    pub operations: Option<u16>,
    /// At least one of these bits.
    pub alarms: Option<u16>,
    /// All of these.
    pub tags: Vec<String>,
    /// One of these; nothing among them: with none at all.
    pub voltage_schemes: Vec<Option<VoltageSchemeId>>,
    /// Battery, both included.
    pub soc_percent: (Option<u8>, Option<u8>),
    /// Unused for so many hours, both included.
    pub idle_hours: (Option<u32>, Option<u32>),
    /// Its last ride ended between, both included.
    pub last_ride_end_ms: (Option<i64>, Option<i64>),
    /// Whether it reported lately.
    pub online: Option<bool>,
    /// Whether it carries a device.
    pub has_device: Option<bool>,
    /// How good its signal is.
    pub signals: Vec<i16>,
    /// 型号: what its device is.
    pub model: Option<String>,
    /// 固件: what its device runs.
    pub firmware: Option<String>,
    /// Whether its device said what it is.
    pub introduced: Option<bool>,
}

/// Whether `value` lies between; what is not known lies between nothing.
fn between<T: PartialOrd + Copy>(value: Option<T>, (from, until): (Option<T>, Option<T>)) -> bool {
    match value {
        Some(value) => from.is_none_or(|from| value >= from) && until.is_none_or(|until| value <= until),
        None => from.is_none() && until.is_none(),
    }
}

fn one_of(value: i16, wanted: &[i16]) -> bool {
    wanted.is_empty() || wanted.contains(&value)
}

impl Wanted {
    /// Whether this bike is looked for at `now`.
    pub fn fits(&self, bike: &Look<'_>, now: Timestamp) -> bool {
        let idle_ms = bike.idle_since_ms.map(|since| now.millis() - since);
        let hours = |hours: Option<u32>| hours.map(|hours| i64::from(hours) * HOUR_MS);
        self.beginning.as_ref().is_none_or(|beginning| bike.car_id.starts_with(beginning))
            && self.imei.as_ref().is_none_or(|imei| bike.imei == Some(imei))
            && self.agent.is_none_or(|agent| bike.agent == Some(agent))
            && self.area.is_none_or(|area| bike.area == Some(area))
            && one_of(bike.lifecycle, &self.lifecycles)
            && one_of(bike.riding, &self.ridings)
            && self.operations.is_none_or(|bits| bike.operations & bits != 0)
            && self.alarms.is_none_or(|bits| bike.alarms & bits != 0)
            && self.tags.iter().all(|tag| bike.tags.contains(tag))
            && (self.voltage_schemes.is_empty() || self.voltage_schemes.contains(&bike.voltage_scheme))
            && between(bike.soc_percent, self.soc_percent)
            && between(idle_ms, (hours(self.idle_hours.0), hours(self.idle_hours.1)))
            && between(bike.last_ride_end_ms, self.last_ride_end_ms)
            && self.online.is_none_or(|online| bike.online == online)
            && self.has_device.is_none_or(|has| bike.imei.is_some() == has)
            && one_of(Signal::of_gsm(bike.gsm) as i16, &self.signals)
            && self.model.as_deref().is_none_or(|model| bike.model == Some(model))
            && self.firmware.as_deref().is_none_or(|firmware| bike.firmware == Some(firmware))
            && self.introduced.is_none_or(|introduced| bike.firmware.is_some() == introduced)
    }
}

/// Those that were found, in order.
#[derive(Debug, Default)]
pub struct Found {
    by: By,
    descending: bool,
    rows: Vec<(Option<i64>, String)>,
}

impl Found {
    /// None yet; to be sorted so.
    pub const fn sorted(by: By, descending: bool) -> Self {
        Self { by, descending, rows: Vec::new() }
    }

    /// One more.
    pub fn take(&mut self, bike: &Look<'_>) {
        let key = match self.by {
            By::Number => None,
            By::Soc => bike.soc_percent.map(i64::from),
            // The longer nobody used it, the longer ago that began.
            By::Idle => bike.idle_since_ms.map(|since| -since),
            By::Report => bike.report_at_ms,
            By::Signal => bike.gsm.map(i64::from),
        };
        self.rows.push((key, bike.car_id.to_owned()));
    }

    /// Their numbers, in order; what is not known comes last either way.
    pub fn numbers(mut self) -> Vec<String> {
        let descending = self.descending;
        self.rows.sort_unstable_by(|(one, a), (other, b)| {
            let known = match (one, other) {
                (Some(one), Some(other)) if descending => other.cmp(one),
                (Some(one), Some(other)) => one.cmp(other),
                (one, other) => other.is_some().cmp(&one.is_some()),
            };
            let by_number = if descending && self.by == By::Number { b.cmp(a) } else { a.cmp(b) };
            known.then(by_number)
        });
        self.rows.into_iter().map(|(_, car_id)| car_id).collect()
    }
}

/// Versions that a spread names; what is rarer is counted together.
pub const VERSIONS_MAX: usize = 50;

/// How many bikes run which firmware (版本分布).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    counts: BTreeMap<(String, String), u32>,
    untold: u32,
}

impl Spread {
    /// One more.
    pub fn take(&mut self, bike: &Look<'_>) {
        match bike.model.zip(bike.firmware) {
            Some((model, firmware)) => {
                *self.counts.entry((model.to_owned(), firmware.to_owned())).or_default() += 1;
            }
            None => self.untold += 1,
        }
    }

    /// Those whose device never said what it is.
    pub const fn untold(&self) -> u32 {
        self.untold
    }

    /// Model, firmware and bikes, the most frequent first, at most [`VERSIONS_MAX`]; and how many bikes run any other.
    pub fn versions(self) -> (Vec<(String, String, u32)>, u32) {
        let mut all: Vec<_> =
            self.counts.into_iter().map(|((model, firmware), bikes)| (model, firmware, bikes)).collect();
        all.sort_by_key(|(_, _, bikes)| std::cmp::Reverse(*bikes));
        let rest = all.iter().skip(VERSIONS_MAX).map(|(_, _, bikes)| bikes).sum();
        all.truncate(VERSIONS_MAX);
        (all, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIKE: Look<'_> = Look {
        car_id: "A00001",
        imei: Some("860000000000001"),
        model: Some("WH-EC20"),
        firmware: Some("1.0.3"),
        agent: Some(AgentId(2)),
        area: Some(AreaId(20)),
        lifecycle: 2,
        riding: 1,
        operations: 1 << 4,
        alarms: 1 << 3 | 1 << 7,
        tags: &[],
        voltage_scheme: Some(VoltageSchemeId(7)),
        idle_since_ms: Some(0),
        last_ride_end_ms: None,
        online: true,
        soc_percent: Some(18),
        gsm: Some(9),
        voltage_mv: Some(48_200),
        report_at_ms: Some(5),
    };

    fn fits(wanted: &Wanted) -> bool {
        wanted.fits(&BIKE, Timestamp::from_millis(5 * HOUR_MS))
    }

    #[test]
    fn each_filter_alone_leaves_a_bike_or_takes_it() {
        assert!(fits(&Wanted::default()));
        let tag = || vec!["新车".to_owned()];
        for (leaves, takes) in [
            (
                Wanted { beginning: Some("A0".to_owned()), ..Wanted::default() },
                Wanted { beginning: Some("0".to_owned()), ..Wanted::default() },
            ),
            (
                Wanted { lifecycles: vec![1, 2], ..Wanted::default() },
                Wanted { lifecycles: vec![1], ..Wanted::default() },
            ),
            (
                Wanted { ridings: vec![1], ..Wanted::default() },
                Wanted { ridings: vec![2, 3], ..Wanted::default() },
            ),
            (
                Wanted { operations: Some(1 << 4 | 1 << 5), ..Wanted::default() },
                Wanted { operations: Some(1 << 5), ..Wanted::default() },
            ),
            (
                Wanted { alarms: Some(1 << 7), ..Wanted::default() },
                Wanted { alarms: Some(1 << 9), ..Wanted::default() },
            ),
            (
                Wanted { soc_percent: (Some(18), Some(18)), ..Wanted::default() },
                Wanted { soc_percent: (None, Some(17)), ..Wanted::default() },
            ),
            (
                Wanted { idle_hours: (Some(5), None), ..Wanted::default() },
                Wanted { idle_hours: (Some(6), None), ..Wanted::default() },
            ),
            (
                Wanted { online: Some(true), ..Wanted::default() },
                Wanted { online: Some(false), ..Wanted::default() },
            ),
            (
                Wanted { signals: vec![3], ..Wanted::default() },
                Wanted { signals: vec![1, 2, 4], ..Wanted::default() },
            ),
            (
                Wanted { area: Some(AreaId(20)), ..Wanted::default() },
                Wanted { area: Some(AreaId(21)), ..Wanted::default() },
            ),
            (
                Wanted { has_device: Some(true), ..Wanted::default() },
                Wanted { has_device: Some(false), ..Wanted::default() },
            ),
            (
                Wanted { voltage_schemes: vec![None, Some(VoltageSchemeId(7))], ..Wanted::default() },
                Wanted { voltage_schemes: vec![None, Some(VoltageSchemeId(8))], ..Wanted::default() },
            ),
            (
                Wanted { model: Some("WH-EC20".to_owned()), ..Wanted::default() },
                Wanted { model: Some("WH-EC2".to_owned()), ..Wanted::default() },
            ),
            (
                Wanted { firmware: Some("1.0.3".to_owned()), ..Wanted::default() },
                Wanted { firmware: Some("1.0".to_owned()), ..Wanted::default() },
            ),
            (
                Wanted { introduced: Some(true), ..Wanted::default() },
                Wanted { introduced: Some(false), ..Wanted::default() },
            ),
            (Wanted { tags: vec![], ..Wanted::default() }, Wanted { tags: tag(), ..Wanted::default() }),
            (Wanted::default(), Wanted { last_ride_end_ms: (Some(0), None), ..Wanted::default() }),
        ] {
            assert!(fits(&leaves), "{leaves:?}");
            assert!(!fits(&takes), "{takes:?}");
        }
    }

    #[test]
    fn a_spread_names_what_is_frequent_and_counts_the_rest() {
        let mut spread = Spread::default();
        spread.take(&BIKE);
        spread.take(&BIKE);
        spread.take(&Look { model: None, firmware: None, ..BIKE });
        for number in 0..VERSIONS_MAX {
            spread.take(&Look { firmware: Some(&format!("9.{number}")), ..BIKE });
        }
        assert_eq!(spread.untold(), 1);
        let (versions, rest) = spread.versions();
        assert_eq!(versions[0], ("WH-EC20".to_owned(), "1.0.3".to_owned(), 2));
        assert_eq!((versions.len(), rest), (VERSIONS_MAX, 1));
    }

    #[test]
    fn bikes_are_sorted_either_way_and_what_is_not_known_comes_last() {
        let sorted = |by, descending| {
            let mut found = Found::sorted(by, descending);
            for (car_id, soc_percent) in [("C", Some(50)), ("A", None), ("B", Some(9))] {
                found.take(&Look { car_id, soc_percent, ..BIKE });
            }
            found.numbers()
        };
        assert_eq!(sorted(By::Soc, false), ["B", "C", "A"]);
        assert_eq!(sorted(By::Soc, true), ["C", "B", "A"]);
        assert_eq!(sorted(By::Number, false), ["A", "B", "C"]);
        assert_eq!(sorted(By::Number, true), ["C", "B", "A"]);
    }
}
