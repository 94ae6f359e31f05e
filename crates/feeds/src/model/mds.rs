//! MDS 2.0: every version of an area's edge and of a fence as a geography, and what each says of bikes, at each stretch of
//! time in which it counts, as a policy.

#![expect(clippy::struct_field_names, reason = "the names are the format's")]

use std::collections::{BTreeMap, HashMap};

use geofence::rule::{Hours, Weekdays};
use geofence::{Ban, FenceKind, Rule};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use vocabulary::Timestamp;

use super::shapes::{Geometry, Piece};
use crate::ids::uuid;

/// Of MDS.
pub(crate) const VERSION: &str = "2.0.0";
/// Where its calls lie.
pub(crate) const PATH: &str = "/open/mds/2.0";
/// Bikes that stand somewhere, whoever may take them.
const STANDING: [&str; 3] = ["available", "non_operational", "reserved"];
/// Bikes that somebody is on, and that he left for a moment.
const RIDDEN: [&str; 2] = ["on_trip", "stopped"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// What a version is of.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// The edge of a service area.
    Area,
    /// A fence, with what it says and the name of its area.
    Fence { rule: Rule, area: String },
}

/// A published version of an edge or a fence that counted, counts or will.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub subject: Subject,
    /// Of the area or the fence.
    pub id: i64,
    pub data_version: i64,
    /// The one before it, if there was one that counted.
    pub before: Option<i64>,
    pub name: String,
    pub piece: Piece,
    pub published_at: Timestamp,
    /// When it counts: from the first until the second; none: for ever. In order; never empty.
    pub counted: Vec<(Timestamp, Option<Timestamp>)>,
}

/// A geography.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsGeography)]
pub(crate) struct Geography {
    name: String,
    description: String,
    geography_type: &'static str,
    geography_id: String,
    geography_json: Collection,
    /// Epoch milliseconds.
    effective_date: i64,
    /// Epoch milliseconds.
    published_date: i64,
    /// Epoch milliseconds; absent: none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    retire_date: Option<i64>,
    /// What it took the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prev_geographies: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MdsCollection)]
pub(crate) struct Collection {
    #[serde(rename = "type")]
    kind: &'static str,
    features: [Feature; 1],
}

#[derive(Serialize, ToSchema)]
#[schema(as = MdsFeature)]
pub(crate) struct Feature {
    #[serde(rename = "type")]
    kind: &'static str,
    /// Nothing: the geography says it.
    properties: BTreeMap<String, String>,
    geometry: Geometry,
}

/// A policy.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsPolicy)]
pub(crate) struct Policy {
    name: String,
    mode_id: &'static str,
    policy_id: String,
    description: String,
    /// Epoch milliseconds.
    start_date: i64,
    /// Epoch milliseconds; absent: none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<i64>,
    /// Epoch milliseconds.
    published_date: i64,
    /// What it took the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prev_policies: Vec<String>,
    rules: Vec<PolicyRule>,
}

/// How many bikes of which states may be in a geography.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsRule)]
pub(crate) struct PolicyRule {
    name: String,
    rule_id: String,
    rule_type: &'static str,
    rule_units: &'static str,
    geographies: Vec<String>,
    /// By state; no events: whatever brought it about.
    states: BTreeMap<&'static str, Vec<String>>,
    /// Absent: any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    days: Vec<&'static str>,
}

impl Version {
    fn what(&self) -> &'static str {
        match &self.subject {
            Subject::Area => "area",
            Subject::Fence { .. } => "fence",
        }
    }

    fn geography_id(&self, data_version: i64) -> String {
        uuid(&format!("geography/{}/{}/{data_version}", self.what(), self.id))
    }

    fn policy_id(&self, from: Timestamp) -> String {
        uuid(&format!("policy/{}/{}/{}/{}", self.what(), self.id, self.data_version, from.millis()))
    }

    /// Not after it begins to count: an act that counts at once is recorded a moment after it was decided.
    fn published_date(&self) -> i64 {
        self.published_at.min(self.counted[0].0).millis()
    }

    fn description(&self) -> String {
        match &self.subject {
            Subject::Area => "服务区：在此范围内骑行".to_owned(),
            Subject::Fence { rule, area } => format!("{}（{area}）：{}", rule.kind().label(), says(rule)),
        }
    }

    fn geography(&self) -> Geography {
        let (first, last) = (self.counted[0].0, self.counted[self.counted.len() - 1].1);
        let effective_date = first.millis();
        Geography {
            name: self.name.clone(),
            description: self.description(),
            geography_type: match &self.subject {
                Subject::Area => "service_area",
                Subject::Fence { rule: Rule::Parking(_), .. } => "stop",
                Subject::Fence { .. } => "policy_zone",
            },
            geography_id: self.geography_id(self.data_version),
            geography_json: Collection {
                kind: "FeatureCollection",
                features: [Feature {
                    kind: "Feature",
                    properties: BTreeMap::new(),
                    geometry: self.piece.geometry(),
                }],
            },
            effective_date,
            published_date: self.published_date(),
            retire_date: last.map(Timestamp::millis),
            prev_geographies: self.before.map(|before| self.geography_id(before)).into_iter().collect(),
        }
    }

    fn policy(&self, (from, until): (Timestamp, Option<Timestamp>), before: Option<String>) -> Policy {
        let policy_id = self.policy_id(from);
        Policy {
            name: self.name.clone(),
            mode_id: "micromobility",
            description: self.description(),
            start_date: from.millis(),
            end_date: until.map(Timestamp::millis),
            published_date: self.published_date(),
            prev_policies: before.into_iter().collect(),
            rules: self.rules(&policy_id),
            policy_id,
        }
    }

    fn rules(&self, policy_id: &str) -> Vec<PolicyRule> {
        let (states, maximum): (Vec<&str>, _) = match &self.subject {
            Subject::Area => ([&STANDING[..], &RIDDEN].concat(), None),
            Subject::Fence { rule: Rule::Parking(parking), .. } => {
                (STANDING.to_vec(), Some(parking.capacity).filter(|capacity| *capacity > 0))
            }
            Subject::Fence { rule: Rule::NoRide(_), .. } => ([&STANDING[..], &RIDDEN].concat(), Some(0)),
            Subject::Fence { .. } => (STANDING.to_vec(), Some(0)),
        };
        let (hours, days) = match &self.subject {
            Subject::Fence { rule: Rule::Parking(parking), .. } => (parking.hours, Weekdays::ALL),
            Subject::Fence { rule: Rule::NoStop(ban) | Rule::NoRide(ban), .. } => (ban.hours, ban.weekdays),
            Subject::Fence { .. } | Subject::Area => (None, Weekdays::ALL),
        };
        let of_day = hours.map_or_else(|| vec![(None, None)], times);
        let rule = |(n, (start_time, end_time)): (usize, (Option<String>, Option<String>))| PolicyRule {
            name: self.name.clone(),
            rule_id: uuid(&format!("rule/{policy_id}/{n}")),
            rule_type: "count",
            rule_units: "devices",
            geographies: vec![self.geography_id(self.data_version)],
            states: states.iter().map(|state| (*state, Vec::new())).collect(),
            maximum,
            start_time,
            end_time,
            days: named(days),
        };
        of_day.into_iter().enumerate().map(rule).collect()
    }
}

/// What a fence says, for people.
fn says(rule: &Rule) -> String {
    match rule {
        Rule::Parking(parking) if parking.capacity > 0 => format!("可在此停放，最多 {} 辆", parking.capacity),
        Rule::Parking(_) => "可在此停放".to_owned(),
        Rule::NoStop(Ban { .. }) => "不得在此停放".to_owned(),
        Rule::NoRide(Ban { .. }) => "不得骑行或停放".to_owned(),
        Rule::Maintenance | Rule::Custom => "对骑行没有规定".to_owned(),
    }
}

/// Kinds of fences that say something to riders.
pub(crate) const TOLD: [FenceKind; 3] = [FenceKind::Parking, FenceKind::NoStop, FenceKind::NoRide];

/// A part of every day from its first second to its last; over midnight there are two.
fn times(hours: Hours) -> Vec<(Option<String>, Option<String>)> {
    let first = |minute: u16| Some(format!("{:02}:{:02}:00", minute / 60, minute % 60));
    let last = |until: u16| Some(format!("{:02}:{:02}:59", (until - 1) / 60, (until - 1) % 60));
    if hours.from_min < hours.until_min {
        vec![(first(hours.from_min), last(hours.until_min))]
    } else {
        vec![(first(hours.from_min), last(1440)), (first(0), last(hours.until_min))]
    }
}

/// No names where every day is meant.
fn named(days: Weekdays) -> Vec<&'static str> {
    if days == Weekdays::ALL {
        return Vec::new();
    }
    DAYS.into_iter().enumerate().filter(|(bit, _)| days.0 & (1 << bit) != 0).map(|(_, day)| day).collect()
}

/// A geography or a policy as it leaves.
pub(crate) struct Item {
    id: String,
    /// When it counts, epoch milliseconds.
    from: i64,
    until: Option<i64>,
    json: Box<RawValue>,
}

/// Things of a kind, the newest first, and by their ids.
#[derive(Default)]
pub(crate) struct Items {
    all: Vec<Item>,
    by_id: HashMap<String, usize>,
}

impl Items {
    fn new(mut all: Vec<Item>) -> Self {
        all.sort_by(|a, b| b.from.cmp(&a.from).then_with(|| a.id.cmp(&b.id)));
        let by_id = all.iter().enumerate().map(|(n, item)| (item.id.clone(), n)).collect();
        Self { all, by_id }
    }

    /// The one of this id.
    pub(crate) fn one(&self, id: &str) -> Option<&RawValue> {
        self.by_id.get(id).map(|n| &*self.all[*n].json)
    }

    /// All.
    pub(crate) fn all(&self) -> Vec<&RawValue> {
        self.all.iter().map(|item| &*item.json).collect()
    }

    /// Those that count at some time from the first until the second; none: and ever after.
    pub(crate) fn between(&self, from: i64, until: Option<i64>) -> Vec<&RawValue> {
        let counts = |item: &&Item| {
            item.until.is_none_or(|end| end > from) && until.is_none_or(|until| item.from < until)
        };
        self.all.iter().filter(counts).map(|item| &*item.json).collect()
    }
}

/// All that MDS is told.
pub(crate) struct Catalogue {
    /// When it began to say this, epoch milliseconds.
    pub last_updated: i64,
    pub geographies: Items,
    pub policies: Items,
    digest: [u8; 32],
}

impl Catalogue {
    /// Of `versions`, at an instant; `before` is what it was until then.
    pub(crate) fn new(
        mut versions: Vec<Version>,
        now: Timestamp,
        before: Option<&Self>,
    ) -> serde_json::Result<Self> {
        versions.sort_by_key(|version| (version.what(), version.id, version.data_version));
        let mut geographies = Vec::with_capacity(versions.len());
        let mut policies = Vec::with_capacity(versions.len());
        for of_one in versions.chunk_by(|a, b| (a.what(), a.id) == (b.what(), b.id)) {
            let mut stretches: Vec<_> = of_one
                .iter()
                .flat_map(|version| version.counted.iter().map(move |one| (*one, version)))
                .collect();
            stretches.sort_by_key(|((from, _), _)| *from);
            let mut previous = None;
            for (stretch, version) in stretches {
                let policy = version.policy(stretch, previous.take());
                previous = Some(policy.policy_id.clone());
                policies.push(Item {
                    from: policy.start_date,
                    until: policy.end_date,
                    json: to_raw_value(&policy)?,
                    id: policy.policy_id,
                });
            }
            for version in of_one {
                let geography = version.geography();
                geographies.push(Item {
                    from: geography.effective_date,
                    until: geography.retire_date,
                    json: to_raw_value(&geography)?,
                    id: geography.geography_id,
                });
            }
        }
        let (geographies, policies) = (Items::new(geographies), Items::new(policies));
        let mut hash = Sha256::new();
        for item in geographies.all.iter().chain(&policies.all) {
            hash.update(item.json.get());
        }
        let digest = hash.finalize().into();
        let same = before.filter(|before| before.digest == digest);
        let last_updated = same.map_or(now.millis(), |before| before.last_updated);
        Ok(Self { last_updated, geographies, policies, digest })
    }
}

#[cfg(test)]
mod tests {
    use geofence::{Outline, Parking, Ring, Shape};
    use serde_json::{Value, json};
    use vocabulary::Datum;

    use super::*;
    use crate::model::ground::tests::MONDAY;

    fn at(hour: i64) -> Timestamp {
        MONDAY.plus_millis(hour * 3_600_000)
    }

    fn version(data_version: i64, rule: Rule, counted: &[(i64, Option<i64>)]) -> Version {
        let corners = [[118.1, 24.5], [118.101, 24.5], [118.101, 24.501]];
        let ring = Ring::draw(&corners, Datum::Wgs84).unwrap();
        let bounds = Outline::from(&Shape::Polygon(ring.clone())).bounds();
        Version {
            subject: Subject::Fence { rule, area: "湖滨".into() },
            id: 17,
            data_version,
            before: Some(data_version - 1).filter(|before| *before > 0),
            name: "东门站".into(),
            piece: Piece::new(ring.closed(), bounds),
            published_at: at(counted[0].0).plus_millis(3),
            counted: counted.iter().map(|(from, until)| (at(*from), until.map(at))).collect(),
        }
    }

    fn parking() -> Rule {
        Rule::Parking(Parking { capacity: 20, ..Parking::default() })
    }

    fn told(items: &Items) -> Vec<Value> {
        items.all().iter().map(|one| serde_json::from_str(one.get()).unwrap()).collect()
    }

    #[test]
    fn a_version_takes_the_place_of_the_one_before() {
        let versions =
            vec![version(1, parking(), &[(0, Some(2)), (3, Some(5))]), version(2, parking(), &[(5, None)])];
        let catalogue = Catalogue::new(versions, MONDAY, None).unwrap();
        let geographies = told(&catalogue.geographies);
        let ids: Vec<&Value> = geographies.iter().map(|one| &one["geography_id"]).collect();
        assert_eq!(geographies[0]["prev_geographies"], json!([ids[1]]), "the newest first");
        assert_eq!(geographies[0]["retire_date"], Value::Null);
        assert_eq!(geographies[1]["retire_date"], at(5).millis());
        assert_eq!(geographies[0]["effective_date"], geographies[1]["retire_date"]);
        assert_eq!(geographies[0]["published_date"], geographies[0]["effective_date"]);
        // Switched off for an hour it was two policies.
        let policies = told(&catalogue.policies);
        let spans: Vec<(i64, Option<i64>)> = policies
            .iter()
            .map(|one| (one["start_date"].as_i64().unwrap(), one["end_date"].as_i64()))
            .collect();
        let ms = |hour: i64| at(hour).millis();
        assert_eq!(spans, [(ms(5), None), (ms(3), Some(ms(5))), (ms(0), Some(ms(2)))]);
        for (later, earlier) in [(0, 1), (1, 2)] {
            assert_eq!(policies[later]["prev_policies"], json!([policies[earlier]["policy_id"]]));
        }
        assert_eq!(policies[2]["rules"][0]["geographies"], json!([ids[1]]));
    }

    #[test]
    fn policies_are_asked_for_by_when_they_count() {
        let versions = vec![version(1, parking(), &[(0, Some(2))]), version(2, parking(), &[(5, None)])];
        let catalogue = Catalogue::new(versions, MONDAY, None).unwrap();
        let count = |from: i64, until: Option<i64>| {
            catalogue.policies.between(at(from).millis(), until.map(|hour| at(hour).millis())).len()
        };
        assert_eq!(
            [count(0, None), count(2, None), count(0, Some(5)), count(2, Some(5)), count(9, None)],
            [2, 1, 1, 0, 1]
        );
    }

    #[test]
    fn each_kind_says_how_many_bikes_may_stand_there() {
        let rule_of = |rule: Rule| {
            let catalogue = Catalogue::new(vec![version(1, rule, &[(0, None)])], MONDAY, None).unwrap();
            told(&catalogue.policies)[0]["rules"].clone()
        };
        let place = rule_of(parking());
        assert_eq!((&place[0]["maximum"], &place[0]["states"]["available"]), (&json!(20), &json!([])));
        let no_stop = rule_of(Rule::NoStop(Ban::default()));
        assert_eq!((&no_stop[0]["maximum"], &no_stop[0]["states"]["on_trip"]), (&json!(0), &Value::Null));
        let no_ride = rule_of(Rule::NoRide(Ban::default()));
        assert_eq!((&no_ride[0]["maximum"], &no_ride[0]["states"]["on_trip"]), (&json!(0), &json!([])));
        let nights = Ban {
            hours: Some(Hours { from_min: 1320, until_min: 360 }),
            weekdays: Weekdays(0b110_0000),
            ..Ban::default()
        };
        let at_night = rule_of(Rule::NoStop(nights));
        let times: Vec<[&Value; 2]> = at_night
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| ["start_time", "end_time"].map(|name| &rule[name]))
            .collect();
        let expected =
            [["22:00:00", "23:59:59"], ["00:00:00", "05:59:59"]].map(|pair| pair.map(|time| json!(time)));
        assert_eq!(times, expected.each_ref().map(<[Value; 2]>::each_ref));
        assert_eq!(at_night[0]["days"], json!(["sat", "sun"]));
        assert_ne!(at_night[0]["rule_id"], at_night[1]["rule_id"]);
    }

    #[test]
    fn what_says_the_same_was_updated_when_it_began_to() {
        let versions = || vec![version(1, parking(), &[(0, None)])];
        let first = Catalogue::new(versions(), MONDAY, None).unwrap();
        let same = Catalogue::new(versions(), at(1), Some(&first)).unwrap();
        assert_eq!(same.last_updated, MONDAY.millis());
        let other = Catalogue::new(vec![version(1, parking(), &[(0, Some(9))])], at(2), Some(&same)).unwrap();
        assert_eq!(other.last_updated, at(2).millis());
    }
}
