//! What is changed of many parking places at once, and how it is taken back. What is left out stays as each one has it.

use geofence::rule::Direction;
use geofence::{Parking, Proof, Rule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::versions::Term;
use vocabulary::{FenceBatchId, Timestamp};

use super::fence::{Drawing, Fence, FenceEvent, FenceRefusal, VERSIONS_MAX};
use super::fence_form::HoursForm;

/// How a capacity is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CapacityChange {
    /// To so many bikes.
    To(i32),
    /// By so many bikes more, or fewer.
    By(i32),
    /// By so many percent of what it is, -100 to 1,000; halves are rounded up.
    Percent(i32),
}

/// Whether a proof is asked for from now on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProofSwitch {
    /// 1 蓝牙道钉, 2 射频识别, 3 定向停车, 4 脚撑检测, 5 摄像头.
    #[schema(value_type = i16)]
    pub proof: Proof,
    /// Whether it is asked for.
    pub on: bool,
}

/// Opening hours as they are to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OpenHours {
    /// Null: all day.
    #[schema(required)]
    pub hours: Option<HoursForm>,
}

/// What is to be otherwise; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Adjustment {
    /// 停放上限.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityChange>,
    /// 保有下限, bikes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_keep: Option<i32>,
    /// 缓冲距离, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_m: Option<f64>,
    /// 满桩禁停.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_is_closed: Option<bool>,
    /// 还车凭证, each at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<ProofSwitch>,
    /// 停车方向的允许偏差, 1 to 90.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance_degrees: Option<u16>,
    /// 开放时段.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenHours>,
    /// 标签, in the place of those that each has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

/// What an adjustment made of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjusted {
    /// The version that it changed.
    pub from_version: i64,
    /// The version that it made.
    pub to_version: i64,
    /// The version that says again what the first one did, of a change for a time; otherwise `to_version`.
    pub last_version: i64,
}

impl CapacityChange {
    /// What becomes of `capacity`; within what an `i32` holds, the model judges it.
    fn of(self, capacity: i32) -> i32 {
        let capacity = i64::from(capacity);
        let changed = match self {
            Self::To(bikes) => i64::from(bikes),
            Self::By(more) => capacity + i64::from(more),
            Self::Percent(percent) => (capacity * (100 + i64::from(percent)) + 50).div_euclid(100),
        };
        i32::try_from(changed).unwrap_or(if changed < 0 { i32::MIN } else { i32::MAX })
    }

    fn is_sound(self) -> bool {
        match self {
            Self::To(bikes) => (0..=10_000).contains(&bikes),
            Self::By(more) => (-10_000..=10_000).contains(&more) && more != 0,
            Self::Percent(percent) => (-100..=1_000).contains(&percent) && percent != 0,
        }
    }
}

impl Adjustment {
    /// Whether it changes nothing of anything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it may be asked of any fence at all.
    pub fn is_sound(&self) -> bool {
        let twice =
            |at: usize, one: &ProofSwitch| self.proofs[..at].iter().any(|other| other.proof == one.proof);
        let proofs_once = !self.proofs.iter().enumerate().any(|(at, one)| twice(at, one));
        !self.is_empty() && proofs_once && self.capacity.is_none_or(CapacityChange::is_sound)
    }

    fn of_parking(&self, mut parking: Parking) -> Result<Parking, FenceRefusal> {
        if let Some(capacity) = self.capacity {
            parking.capacity = capacity.of(parking.capacity);
        }
        parking.min_keep = self.min_keep.unwrap_or(parking.min_keep);
        parking.buffer_m = self.buffer_m.unwrap_or(parking.buffer_m);
        parking.full_is_closed = self.full_is_closed.unwrap_or(parking.full_is_closed);
        for ProofSwitch { proof, on } in &self.proofs {
            let asked = parking.proofs.contains(proof);
            match (on, proof) {
                (true, Proof::Rfid) if parking.rfid_codes.is_empty() => {
                    return Err(FenceRefusal::NoRfidCodes);
                }
                (true, Proof::Direction) if parking.direction.is_none() => {
                    return Err(FenceRefusal::NoDirection);
                }
                (true, _) if !asked => parking.proofs.push(*proof),
                (false, _) => parking.proofs.retain(|one| one != proof),
                _ => {}
            }
        }
        parking.proofs.sort_by_key(|proof| proof.number());
        if let Some(tolerance_degrees) = self.tolerance_degrees {
            let known = parking.direction.ok_or(FenceRefusal::NoDirection)?;
            parking.direction = Some(Direction { tolerance_degrees, ..known });
        }
        if let Some(OpenHours { hours }) = self.open {
            parking.hours = hours.map(Into::into);
        }
        Ok(parking)
    }

    /// What becomes of a drawing; other kinds than parking places are not adjusted.
    fn of(&self, drawing: &Drawing) -> Result<Drawing, FenceRefusal> {
        let Rule::Parking(parking) = &drawing.rule else { return Err(FenceRefusal::NotParking) };
        let rule = Rule::Parking(self.of_parking(parking.clone())?);
        let tags = self.tags.clone().unwrap_or_else(|| drawing.tags.clone());
        Drawing { rule, tags, ..drawing.clone() }.sound()
    }
}

impl Adjusted {
    /// What `events` of an adjustment make of `fence`, with what it says then; nothing where it is so already.
    pub fn of(fence: &Fence, events: &[FenceEvent]) -> Option<(Self, Drawing)> {
        let published = |event: &FenceEvent| match event {
            FenceEvent::Published { data_version, drawing, .. } => Some((*data_version, drawing.clone())),
            _ => None,
        };
        let (to_version, drawing) = published(events.first()?)?;
        let (last_version, _) = published(events.last()?)?;
        Some((Self { from_version: fence.newest_number(), to_version, last_version }, drawing))
    }
}

impl Fence {
    /// What an adjustment in a stretch of time leads to: nothing where it is so already. A fence that ends by itself does so
    /// after it as before.
    pub(super) fn adjust(
        &self,
        batch: FenceBatchId,
        adjustment: &Adjustment,
        term: Term,
        now: Timestamp,
    ) -> Result<Vec<FenceEvent>, FenceRefusal> {
        if self.history.draft().is_some() {
            return Err(FenceRefusal::OpenDraft);
        }
        let newest = self.history.newest().ok_or(FenceRefusal::Unknown)?;
        let (former, end) = (&newest.said, newest.term.until);
        let Term { from, until } = term.sound(now)?;
        if !newest.term.has_begun(now) {
            return Err(FenceRefusal::Pending(newest.number));
        }
        if end.is_some_and(|end| end <= from.unwrap_or(now)) {
            return Err(FenceRefusal::Over);
        }
        let drawing = adjustment.of(former)?;
        if drawing == *former {
            return Ok(vec![]);
        }
        let data_version = self.history.next(VERSIONS_MAX as i64)?;
        let published = |data_version, drawing, term| FenceEvent::Published {
            data_version,
            drawing,
            term,
            batch: Some(batch),
        };
        match until.filter(|until| end.is_none_or(|end| *until < end)) {
            None => Ok(vec![published(data_version, drawing, Term { from, until: end })]),
            Some(_) if data_version >= VERSIONS_MAX as i64 => Err(FenceRefusal::TooManyVersions),
            Some(until) => Ok(vec![
                published(data_version, drawing, Term { from, until: None }),
                published(data_version + 1, former.clone(), Term { from: Some(until), until: end }),
            ]),
        }
    }

    /// What brings back what a fence said before it was adjusted: versions that do not count yet are taken back, one that
    /// does is followed by the former.
    pub(super) fn revert(
        &self,
        batch: FenceBatchId,
        adjusted: Adjusted,
        now: Timestamp,
    ) -> Result<Vec<FenceEvent>, FenceRefusal> {
        let Adjusted { from_version, to_version, last_version } = adjusted;
        let history = &self.history;
        let is_last = history.draft().is_none() && history.last() == last_version;
        let (Some(former), Some(changed), Some(last), true) = (
            history.version(from_version),
            history.version(to_version),
            history.version(last_version),
            is_last,
        ) else {
            return Err(FenceRefusal::ChangedSince);
        };
        let for_a_time = last_version != to_version;
        if for_a_time && last.term.has_begun(now) {
            return Err(FenceRefusal::BackAlready);
        }
        let mut events = Vec::with_capacity(3);
        if for_a_time {
            events.push(FenceEvent::Withdrawn { data_version: last_version });
        }
        if !changed.term.has_begun(now) {
            events.push(FenceEvent::Withdrawn { data_version: to_version });
            // What was taken back was nobody's draft.
            events.push(FenceEvent::DraftDiscarded);
            return Ok(events);
        }
        let until = former.term.until;
        if until.is_some_and(|until| until <= now) {
            return Err(FenceRefusal::Over);
        }
        let data_version = history.next(VERSIONS_MAX as i64)?;
        let (drawing, term) = (former.said.clone(), Term { from: Some(now), until });
        events.push(FenceEvent::Published { data_version, drawing, term, batch: Some(batch) });
        Ok(events)
    }
}

#[cfg(test)]
#[path = "fence_adjust_tests.rs"]
mod tests;
