//! Which bikes a map is asked to show: what an operator picks beyond the states of the legend.

use bytes::Bytes;
use serde::{Deserialize, Deserializer, de};
use vocabulary::{AreaId, Cars, Timestamp, VoltageSchemeId};

use super::board::View;
use super::{Codes, Fleet, SOC_UNKNOWN, Shown};
use crate::push::frame::{self, Kind, Stamp};

/// Areas that one pick may name.
const MAX_AREAS: usize = 500;
/// Tags that one pick may name.
const MAX_TAGS: usize = 50;
/// Voltage schemes that one pick may name.
const MAX_SCHEMES: usize = 50;
/// Reasons that one pick may name.
const MAX_REASONS: usize = 32;
const HOUR_MS: i64 = 3_600_000;

/// What to show. What is not said lets every bike through; of several values of one kind one is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pick {
    /// In one of these service areas.
    #[serde(deserialize_with = "areas")]
    areas: Option<Vec<AreaId>>,
    /// In one of these riding states, see [`super::VehicleRecord::riding_state`].
    #[serde(deserialize_with = "codes")]
    riding: Codes,
    /// With one of these operation states.
    #[serde(deserialize_with = "codes")]
    operations: Codes,
    /// With one of these alarms.
    #[serde(deserialize_with = "codes")]
    alarms: Codes,
    /// Charge from and to, percent, both included. A bike that never said has none.
    soc_percent: Option<(u8, u8)>,
    /// Nobody has used it for at least, and for less than, so many hours.
    idle_h: Option<(u16, Option<u16>)>,
    /// With one of these tags.
    tags: Vec<String>,
    /// With one of these voltage schemes; nothing among them (`"0"` on the wire): with none at all.
    #[serde(deserialize_with = "schemes")]
    voltage_schemes: Vec<Option<VoltageSchemeId>>,
    /// Cannot be rented for one of these reasons, by code.
    reasons: Vec<String>,
    /// Stands unused so much longer than those around it that it is likely lost, see [`super::Beside`].
    likely_lost: bool,
    /// What the viewer may see of all bikes, whatever he picks.
    #[serde(skip)]
    seen: Cars,
}

impl Pick {
    /// Of what may be seen.
    #[must_use]
    pub fn within(self, seen: &Cars) -> Self {
        Self { seen: seen.clone(), ..self }
    }

    /// Whether nothing is picked of what may be seen.
    pub fn is_all_of(&self, seen: &Cars) -> bool {
        *self == Self::default().within(seen)
    }

    /// Refused in words for the user.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.areas.as_ref().is_some_and(|areas| areas.len() > MAX_AREAS) {
            return Err("筛选的服务区过多");
        }
        if self.tags.len() > MAX_TAGS {
            return Err("筛选的标签过多");
        }
        if self.voltage_schemes.len() > MAX_SCHEMES {
            return Err("筛选的电压方案过多");
        }
        if self.reasons.len() > MAX_REASONS {
            return Err("筛选的不可租原因过多");
        }
        if self.soc_percent.is_some_and(|(from, to)| from > to) {
            return Err("电量范围不正确");
        }
        if self.idle_h.is_some_and(|(from, to)| to.is_some_and(|to| to <= from)) {
            return Err("闲置时长范围不正确");
        }
        Ok(())
    }
}

/// Numbers of at most 15 as a set.
fn codes<'de, D: Deserializer<'de>>(source: D) -> Result<Codes, D::Error> {
    let numbers = Vec::<i16>::deserialize(source)?;
    if numbers.iter().any(|number| !(0..16).contains(number)) {
        return Err(de::Error::custom("a code beyond 15"));
    }
    Ok(Codes::of(&numbers))
}

/// Ids are texts on the wire.
fn areas<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Vec<AreaId>>, D::Error> {
    let texts = Option::<Vec<String>>::deserialize(source)?;
    let parsed = texts.map(|texts| texts.iter().map(|text| text.parse().map(AreaId)).collect());
    parsed.transpose().map_err(de::Error::custom)
}

/// Ids are texts on the wire; 0 is none.
fn schemes<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Option<VoltageSchemeId>>, D::Error> {
    let texts = Vec::<String>::deserialize(source)?;
    let scheme = |text: &String| text.parse().map(|id: i64| (id != 0).then_some(VoltageSchemeId(id)));
    texts.iter().map(scheme).collect::<Result<_, _>>().map_err(de::Error::custom)
}

/// What a viewer was shown of a pick: one bit for each slot.
#[derive(Debug, Default)]
pub struct Picked(Vec<u64>);

impl Picked {
    fn has(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    fn put(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        })
    }
}

impl Fleet {
    /// Whether `pick` lets the bike in a slot through.
    pub fn picks(&self, slot: u32, pick: &Pick, now: Timestamp) -> bool {
        let index = slot as usize;
        let record = &self.records[index];
        let one_of = |wanted: Codes, has: Codes| wanted == Codes::default() || wanted.0 & has.0 != 0;
        one_of(pick.riding, Codes(1 << record.riding_state.min(15)))
            && pick.seen.shows(&record.car_id, record.riding_state, record.voltage_scheme)
            && one_of(pick.operations, record.operation_states)
            && one_of(pick.alarms, record.alarm_states)
            && pick.soc_percent.is_none_or(|(from, to)| {
                let soc = self.soc[index];
                soc != SOC_UNKNOWN && (from..=to).contains(&soc)
            })
            && pick.idle_h.is_none_or(|(from, to)| {
                record.idle_since_ms.is_some_and(|since_ms| {
                    let idle_ms = now.millis() - since_ms;
                    idle_ms >= i64::from(from) * HOUR_MS
                        && to.is_none_or(|to| idle_ms < i64::from(to) * HOUR_MS)
                })
            })
            && pick.areas.as_ref().is_none_or(|areas| record.area.is_some_and(|area| areas.contains(&area)))
            && (!pick.likely_lost || self.beside(slot, now).is_some_and(|beside| beside.likely_lost))
            && (pick.tags.is_empty() || record.tags.iter().any(|tag| pick.tags.contains(tag)))
            && (pick.voltage_schemes.is_empty() || pick.voltage_schemes.contains(&record.voltage_scheme))
            && (pick.reasons.is_empty()
                || self.state[index] & 0x0f != Shown::Rentable as u8
                    && self.reasons(slot, now).iter().any(|reason| pick.reasons.contains(&reason.code)))
    }

    /// What of a pick `view` sees and was not shown yet, as changes since tick `since`, and what it sees no more; `shown`
    /// follows. With nothing in `since` it is a snapshot. And how many bikes that a map shows somewhere, within the lots of
    /// `view`, `pick` lets through.
    pub fn picked(
        &self,
        view: &View,
        pick: &Pick,
        shown: &mut Picked,
        since: Option<u32>,
        now: Timestamp,
    ) -> (Vec<Bytes>, u32) {
        let stamp = Stamp { seq: self.board.tick(), time_ms: now.millis() };
        let mut next = Picked::default();
        let mut news = Vec::new();
        let mut count = 0;
        for (cell, _, slots) in self.board.all().filter(|(_, lot, _)| view.allows(*lot)) {
            let is_in_view = view.rect.contains(cell);
            for slot in slots.iter().copied().filter(|slot| self.picks(*slot, pick, now)) {
                count += 1;
                if !is_in_view {
                    continue;
                }
                next.put(slot);
                if since.is_none_or(|since| !shown.has(slot) || self.board.changed_after(slot, since)) {
                    news.push(self.bike(slot));
                }
            }
        }
        let before = std::mem::replace(shown, next);
        if since.is_none() {
            let mut buffers = vec![frame::mark(Kind::SnapshotStart, stamp)];
            buffers.extend(frame::bikes(Kind::SnapshotBikes, stamp, &news));
            buffers.push(frame::mark(Kind::SnapshotEnd, stamp));
            return (buffers, count);
        }
        let gone = before.slots().filter(|slot| !shown.has(*slot));
        let mut records: Vec<_> = gone.map(|slot| self.bike(slot).gone()).collect();
        records.append(&mut news);
        (frame::bikes(Kind::Changes, stamp, &records), count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::testing::Heard;
    use crate::fleet::{Rect, VehicleRecord};
    use crate::push::frame::{BIKE_BYTES, BikeRecord, HEADER_BYTES, bit};

    fn pick(text: &str) -> Pick {
        serde_json::from_str(text).unwrap()
    }

    fn everywhere(fleet: &Fleet) -> View {
        let rect = Rect::touching([-180.0, -85.0, 180.0, 85.0]).unwrap();
        View { rect, lots: vec![true; fleet.owners().len()] }
    }

    /// Slot and whether it is to be forgotten, of all records in `buffers`.
    fn told(buffers: &[Bytes]) -> Vec<(u32, bool)> {
        let bikes = buffers.iter().flat_map(|buffer| buffer[HEADER_BYTES..].as_chunks::<BIKE_BYTES>().0);
        bikes.map(BikeRecord::of).map(|bike| (bike.slot, bike.state & bit::GONE != 0)).collect()
    }

    fn change(heard: &mut Heard, number: u32, change: impl FnOnce(&mut VehicleRecord)) {
        let mut record = heard.fleet.record(number).unwrap().clone();
        record.version += 1;
        change(&mut record);
        assert!(heard.fleet.enrol(record, heard.now));
    }

    #[test]
    fn each_kind_of_what_is_picked_must_hold_and_one_value_of_a_kind_is_enough() {
        let mut heard = Heard::of(3);
        change(&mut heard, 1, |bike| bike.alarm_states = Codes::of(&[2]));
        change(&mut heard, 2, |bike| {
            bike.area = Some(AreaId(7));
            bike.tags = vec!["旧款".to_owned()];
            bike.voltage_scheme = Some(VoltageSchemeId(12));
        });
        let now = heard.now;
        let found = |text: &str| -> Vec<u32> {
            (0..3).filter(|slot| heard.fleet.picks(*slot, &pick(text), now)).collect()
        };
        assert_eq!(found("{}"), [0, 1, 2]);
        assert_eq!(found(r#"{"alarms":[2,6]}"#), [1]);
        assert_eq!(found(r#"{"areas":["1"]}"#), [0, 1]);
        assert_eq!(found(r#"{"areas":["1"],"alarms":[2]}"#), [1]);
        assert_eq!(found(r#"{"areas":["7"],"alarms":[2]}"#), [0_u32; 0]);
        assert_eq!(found(r#"{"soc_percent":[0,79]}"#), [0_u32; 0]);
        assert_eq!(found(r#"{"soc_percent":[80,80]}"#), [0, 1, 2]);
        assert_eq!(found(r#"{"riding":[2]}"#), [0_u32; 0]);
        assert_eq!(found(r#"{"tags":["旧款","其他"]}"#), [2]);
        assert_eq!(found(r#"{"voltage_schemes":["12","13"]}"#), [2]);
        assert_eq!(found(r#"{"voltage_schemes":["0"]}"#), [0, 1]);
        assert_eq!(found(r#"{"voltage_schemes":["0","12"]}"#), [0, 1, 2]);
        assert_eq!(found(r#"{"voltage_schemes":["13"]}"#), [0_u32; 0]);
    }

    #[test]
    fn idle_time_counts_from_when_a_bike_became_free_and_its_upper_end_is_not_included() {
        let mut heard = Heard::of(2);
        let since_ms = heard.now.millis() - 3 * HOUR_MS;
        change(&mut heard, 1, |bike| bike.idle_since_ms = Some(since_ms));
        let found = |text: &str| {
            (0..2).filter(|slot| heard.fleet.picks(*slot, &pick(text), heard.now)).collect::<Vec<_>>()
        };
        assert_eq!(found(r#"{"idle_h":[3,6]}"#), [1]);
        assert_eq!(found(r#"{"idle_h":[3,null]}"#), [1]);
        assert_eq!(found(r#"{"idle_h":[1,3]}"#), [0_u32; 0]);
    }

    #[test]
    fn who_is_picked_no_more_is_forgotten_and_who_comes_to_be_is_shown() {
        let mut heard = Heard::of(3);
        let alarms = pick(r#"{"alarms":[2]}"#);
        change(&mut heard, 1, |bike| bike.alarm_states = Codes::of(&[2]));
        heard.fleet.tick(heard.now);
        let view = everywhere(&heard.fleet);
        let mut shown = Picked::default();
        let (first, count) = heard.fleet.picked(&view, &alarms, &mut shown, None, heard.now);
        assert_eq!((told(&first), count), (vec![(1, false)], 1));
        let since = heard.fleet.tick_seq();
        change(&mut heard, 1, |bike| bike.alarm_states = Codes::default());
        change(&mut heard, 2, |bike| bike.alarm_states = Codes::of(&[2]));
        heard.fleet.tick(heard.now);
        let (news, _) = heard.fleet.picked(&view, &alarms, &mut shown, Some(since), heard.now);
        assert_eq!(told(&news), [(1, true), (2, false)]);
        // Nothing changed: nothing is said.
        let since = heard.fleet.tick_seq();
        assert!(heard.fleet.picked(&view, &alarms, &mut shown, Some(since), heard.now).0.is_empty());
    }

    #[test]
    fn who_gets_another_voltage_scheme_comes_and_goes_with_it() {
        let mut heard = Heard::of(2);
        let twelve = pick(r#"{"voltage_schemes":["12"]}"#);
        change(&mut heard, 0, |bike| bike.voltage_scheme = Some(VoltageSchemeId(12)));
        heard.fleet.tick(heard.now);
        let view = everywhere(&heard.fleet);
        let mut shown = Picked::default();
        let (first, count) = heard.fleet.picked(&view, &twelve, &mut shown, None, heard.now);
        assert_eq!((told(&first), count), (vec![(0, false)], 1));
        let since = heard.fleet.tick_seq();
        change(&mut heard, 0, |bike| bike.voltage_scheme = None);
        change(&mut heard, 1, |bike| bike.voltage_scheme = Some(VoltageSchemeId(12)));
        heard.fleet.tick(heard.now);
        let (news, count) = heard.fleet.picked(&view, &twelve, &mut shown, Some(since), heard.now);
        assert_eq!((told(&news), count), (vec![(0, true), (1, false)], 1));
    }

    #[test]
    fn nobody_picks_bikes_out_of_lots_that_he_does_not_see() {
        let mut heard = Heard::of(2);
        heard.fleet.tick(heard.now);
        let blind = View { lots: Vec::new(), ..everywhere(&heard.fleet) };
        let (buffers, count) =
            heard.fleet.picked(&blind, &Pick::default(), &mut Picked::default(), None, heard.now);
        assert_eq!(count, 0);
        assert!(told(&buffers).is_empty());
        heard.add(1);
    }

    #[test]
    fn what_turns_round_is_refused() {
        assert!(pick(r#"{"soc_percent":[30,20]}"#).check().is_err());
        assert!(pick(r#"{"idle_h":[6,6]}"#).check().is_err());
        assert!(pick(r#"{"soc_percent":[20,20],"idle_h":[6,null]}"#).check().is_ok());
    }
}
