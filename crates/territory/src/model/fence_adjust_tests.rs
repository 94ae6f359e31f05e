use geofence::rule::{Direction, Hours};
use geofence::{Ring, Shape};
use kernel::Aggregate;
use proptest::prelude::*;
use serde_json::json;
use vocabulary::versions::Stretch;
use vocabulary::{AgentId, AreaId, Datum, FenceId};

use super::*;
use crate::model::fence::FenceCommand;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const HOUR_MS: i64 = 3_600_000;
const BATCH: FenceBatchId = FenceBatchId(70);

fn ring(west: f64, size: f64) -> Ring {
    let (south, east, north) = (24.0, west + size, 24.0 + size);
    Ring::draw(&[[west, south], [east, south], [east, north], [west, north]], Datum::Wgs84).unwrap()
}

fn drawn(parking: Parking) -> Drawing {
    Drawing {
        fence_id: FenceId(7),
        area_id: AreaId(20),
        agent_id: AgentId(2),
        name: "东门".to_owned(),
        shape: Shape::Polygon(ring(118.001, 0.001)),
        rule: Rule::Parking(parking),
        tags: vec!["地铁".to_owned()],
        remark: String::new(),
    }
}

fn usual() -> Parking {
    Parking { capacity: 40, min_keep: 5, ..Parking::default() }
}

fn done(fence: &mut Fence, command: FenceCommand, now: Timestamp) -> Vec<FenceEvent> {
    let events = fence.decide(command, now).unwrap();
    for event in &events {
        fence.evolve(event);
    }
    events
}

/// One that says so from an hour before on.
fn counting(parking: Parking) -> Fence {
    let mut fence = Fence::default();
    let command = FenceCommand::Draw { drawing: drawn(parking), area: ring(118.0, 0.01) };
    done(&mut fence, command, NOW.plus_millis(-HOUR_MS));
    fence
}

fn adjust(adjustment: Adjustment, from_ms: Option<i64>, until_ms: Option<i64>) -> FenceCommand {
    let at = |ms| NOW.plus_millis(ms);
    FenceCommand::Adjust {
        batch: BATCH,
        adjustment,
        term: Term { from: from_ms.map(at), until: until_ms.map(at) },
    }
}

fn read(form: serde_json::Value) -> Adjustment {
    serde_json::from_value(form).unwrap()
}

fn parking_of(drawing: &Drawing) -> Parking {
    let Rule::Parking(parking) = &drawing.rule else { panic!() };
    parking.clone()
}

/// What a fence says after an adjustment from now on.
fn adjusted(parking: Parking, form: serde_json::Value) -> Result<Parking, FenceRefusal> {
    let mut fence = counting(parking);
    for event in fence.decide(adjust(read(form), None, None), NOW)? {
        fence.evolve(&event);
    }
    Ok(parking_of(fence.drawing().unwrap()))
}

#[test]
fn what_is_left_out_stays_as_each_has_it() {
    let before = Parking { difficulty: 2.0, proofs: vec![Proof::Camera], ..usual() };
    for (form, after) in [
        (json!({"capacity": {"to": 60}}), Parking { capacity: 60, ..before.clone() }),
        (json!({"capacity": {"by": -8}}), Parking { capacity: 32, ..before.clone() }),
        (json!({"capacity": {"percent": 25}}), Parking { capacity: 50, ..before.clone() }),
        (json!({"minKeep": 0, "bufferM": 3.5}), Parking { min_keep: 0, buffer_m: 3.5, ..before.clone() }),
        (json!({"fullIsClosed": true}), Parking { full_is_closed: true, ..before.clone() }),
        (
            json!({"proofs": [{"proof": 1, "on": true}, {"proof": 5, "on": false}]}),
            Parking { proofs: vec![Proof::Beacon], ..before.clone() },
        ),
        (
            json!({"open": {"hours": {"fromMin": 420, "untilMin": 1320}}}),
            Parking { hours: Some(Hours { from_min: 420, until_min: 1320 }), ..before.clone() },
        ),
    ] {
        assert_eq!(adjusted(before.clone(), form.clone()), Ok(after), "{form}");
    }
    let night = Parking { hours: Some(Hours { from_min: 0, until_min: 60 }), ..usual() };
    assert_eq!(adjusted(night, json!({"open": {"hours": null}})), Ok(usual()));
    let odd = Parking { capacity: 7, min_keep: 0, ..usual() };
    assert_eq!(adjusted(odd, json!({"capacity": {"percent": 50}})).unwrap().capacity, 11, "halves go up");
    let mut fence = counting(usual());
    done(&mut fence, adjust(read(json!({"tags": ["国庆"]})), None, None), NOW);
    assert_eq!(fence.drawing().unwrap(), &Drawing { tags: vec!["国庆".to_owned()], ..drawn(usual()) });
}

#[test]
fn each_fence_is_refused_for_its_own_reason() {
    for (parking, form, refusal) in [
        (usual(), json!({"capacity": {"to": 4}}), FenceRefusal::MinKeep),
        (usual(), json!({"minKeep": 41}), FenceRefusal::MinKeep),
        (usual(), json!({"capacity": {"by": -41}, "minKeep": 0}), FenceRefusal::Capacity(-1)),
        (usual(), json!({"bufferM": 51}), FenceRefusal::Buffer),
        (usual(), json!({"proofs": [{"proof": 2, "on": true}]}), FenceRefusal::NoRfidCodes),
        (usual(), json!({"proofs": [{"proof": 3, "on": true}]}), FenceRefusal::NoDirection),
        (usual(), json!({"toleranceDegrees": 20}), FenceRefusal::NoDirection),
        (usual(), json!({"open": {"hours": {"fromMin": 60, "untilMin": 60}}}), FenceRefusal::Hours),
        (usual(), json!({"tags": ["一", "一"]}), FenceRefusal::Tags),
    ] {
        assert_eq!(adjusted(parking, form.clone()), Err(refusal), "{form}");
    }
    let ready = Parking {
        rfid_codes: vec!["A-1".to_owned()],
        direction: Some(Direction { degrees: 90, tolerance_degrees: 15 }),
        ..usual()
    };
    let form =
        json!({"proofs": [{"proof": 2, "on": true}, {"proof": 3, "on": true}], "toleranceDegrees": 30});
    let after = adjusted(ready, form).unwrap();
    assert_eq!(after.proofs, [Proof::Rfid, Proof::Direction]);
    assert_eq!(after.direction, Some(Direction { degrees: 90, tolerance_degrees: 30 }));
}

#[test]
fn what_is_being_drawn_is_to_come_or_is_over_is_not_adjusted() {
    let more = || read(json!({"capacity": {"by": 1}}));
    let area = || ring(118.0, 0.01);
    let refused = |fence: &Fence| fence.decide(adjust(more(), None, None), NOW).unwrap_err();
    let mut drafted = counting(usual());
    let other = Drawing { name: "西门".to_owned(), ..drawn(usual()) };
    done(&mut drafted, FenceCommand::Save { drawing: other.clone(), area: area() }, NOW);
    assert_eq!(refused(&drafted), FenceRefusal::OpenDraft);
    let later = Term { from: Some(NOW.plus_millis(HOUR_MS)), until: Some(NOW.plus_millis(2 * HOUR_MS)) };
    done(&mut drafted, FenceCommand::Publish { term: later, area: area() }, NOW);
    assert_eq!(refused(&drafted), FenceRefusal::Pending(2));
    assert_eq!(
        drafted.decide(adjust(more(), None, None), NOW.plus_millis(2 * HOUR_MS)),
        Err(FenceRefusal::Over)
    );
    let mut gone = counting(usual());
    done(&mut gone, FenceCommand::Delete, NOW);
    assert_eq!(refused(&gone), FenceRefusal::Unknown);
    assert_eq!(
        counting(usual()).decide(adjust(read(json!({"capacity": {"to": 40}})), None, None), NOW),
        Ok(vec![])
    );
    let early = adjust(more(), Some(-1), None);
    assert_eq!(counting(usual()).decide(early, NOW), Err(FenceRefusal::TooEarly));
}

#[test]
fn a_fence_that_ends_by_itself_still_does() {
    let mut fence = Fence::default();
    let area = || ring(118.0, 0.01);
    done(&mut fence, FenceCommand::Save { drawing: drawn(usual()), area: area() }, NOW);
    let term = Term { from: None, until: Some(NOW.plus_millis(5 * HOUR_MS)) };
    done(&mut fence, FenceCommand::Publish { term, area: area() }, NOW);
    let more = read(json!({"capacity": {"by": 1}}));
    for until_ms in [None, Some(5 * HOUR_MS), Some(9 * HOUR_MS)] {
        let events = fence.decide(adjust(more.clone(), None, until_ms), NOW).unwrap();
        let [FenceEvent::Published { term: kept, .. }] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(kept.until, term.until, "{until_ms:?}");
    }
    let events = fence.decide(adjust(more, None, Some(HOUR_MS)), NOW).unwrap();
    let [_, FenceEvent::Published { term: again, .. }] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((again.from, again.until), (Some(NOW.plus_millis(HOUR_MS)), term.until));
}

#[test]
fn what_came_after_it_is_left_alone() {
    let more = || adjust(read(json!({"capacity": {"by": 1}})), None, None);
    let adjusted = Adjusted { from_version: 1, to_version: 2, last_version: 2 };
    let revert = || FenceCommand::Revert { batch: BATCH, adjusted };
    let mut fence = counting(usual());
    done(&mut fence, more(), NOW);
    let mut drawn_anew = fence.clone();
    let again = Drawing { name: "西门".to_owned(), ..drawn(usual()) };
    done(&mut drawn_anew, FenceCommand::Draw { drawing: again.clone(), area: ring(118.0, 0.01) }, NOW);
    assert_eq!(drawn_anew.decide(revert(), NOW), Err(FenceRefusal::ChangedSince));
    let mut drafted = fence.clone();
    done(&mut drafted, FenceCommand::Save { drawing: again, area: ring(118.0, 0.01) }, NOW);
    assert_eq!(drafted.decide(revert(), NOW), Err(FenceRefusal::ChangedSince));
    // Switched off it is the same fence.
    done(&mut fence, FenceCommand::Disable, NOW);
    assert!(fence.decide(revert(), NOW).is_ok());
    done(&mut fence, FenceCommand::Delete, NOW);
    assert_eq!(fence.decide(revert(), NOW), Err(FenceRefusal::Unknown));
}

#[test]
fn the_stored_form_without_a_batch_is_as_it_was() {
    let published = |batch| FenceEvent::Published {
        data_version: 1,
        drawing: drawn(usual()),
        term: Term::default(),
        batch,
    };
    let without = serde_json::to_value(published(None)).unwrap();
    assert!(without["data"].get("batch").is_none());
    assert_eq!(serde_json::from_value::<FenceEvent>(without).unwrap(), published(None));
    let with = serde_json::to_value(published(Some(BATCH))).unwrap();
    assert_eq!(with["data"]["batch"], "70");
}

/// What counts at each hour of the days to come.
fn hours(fence: &Fence, from: Timestamp) -> Vec<Option<Drawing>> {
    let counting = fence.history.counting(from);
    let holds = |(begin, end): Stretch, at: i64| begin <= at && end.is_none_or(|end| at < end);
    let at = |hour: i64| from.millis() + hour * HOUR_MS;
    let said = |at| counting.iter().find(|(_, stretch)| holds(*stretch, at)).map(|(one, _)| one.said.clone());
    (0..60).map(|hour| said(at(hour))).collect()
}

proptest! {
    /// Whenever it is taken back, from then on everything is as if it had never been; and no draft is left behind.
    #[test]
    fn applied_and_taken_back_it_is_as_before(
        ends_h in prop::option::of(1..40_i64),
        from_h in prop::option::of(0..20_i64),
        lasts_h in prop::option::of(1..20_i64),
        undone_h in 0..30_i64,
        form in prop::sample::select(vec![
            json!({"capacity": {"by": 7}}), json!({"capacity": {"percent": -50}, "minKeep": 0}),
            json!({"bufferM": 0, "tags": []}), json!({"proofs": [{"proof": 4, "on": true}], "fullIsClosed": true}),
        ]),
    ) {
        let mut fence = Fence::default();
        let area = ring(118.0, 0.01);
        done(&mut fence, FenceCommand::Save { drawing: drawn(usual()), area: area.clone() }, NOW);
        let term = Term { from: None, until: ends_h.map(|hours| NOW.plus_millis(hours * HOUR_MS)) };
        done(&mut fence, FenceCommand::Publish { term, area }, NOW);
        let before = fence.clone();
        let until_h = lasts_h.map(|hours| from_h.unwrap_or(0) + hours);
        let command = adjust(read(form), from_h.map(|h| h * HOUR_MS), until_h.map(|h| h * HOUR_MS));
        let Ok(events) = fence.decide(command, NOW) else {
            prop_assert!(ends_h.is_some_and(|ends| ends <= from_h.unwrap_or(0)));
            return Ok(());
        };
        for event in &events {
            fence.evolve(event);
        }
        // While it counts, it does; before and after, what was there does.
        let (then, once) = (hours(&before, NOW), hours(&fence, NOW));
        for hour in 0..60_i64 {
            let counts = from_h.unwrap_or(0) <= hour && until_h.is_none_or(|until| hour < until);
            let (was, is) = (&then[hour as usize], &once[hour as usize]);
            prop_assert_eq!(was.is_some(), is.is_some(), "hour {}", hour);
            prop_assert_eq!(was != is, counts && was.is_some(), "hour {}", hour);
        }
        let adjusted = Adjusted { from_version: 1, to_version: 2, last_version: 1 + events.len() as i64 };
        let at = NOW.plus_millis(undone_h * HOUR_MS);
        match fence.decide(FenceCommand::Revert { batch: BATCH, adjusted }, at) {
            Ok(events) => {
                for event in &events {
                    fence.evolve(event);
                }
                prop_assert_eq!(hours(&fence, at), hours(&before, at));
                prop_assert!(fence.history.draft().is_none());
                prop_assert_eq!(fence.drawing(), before.drawing());
            }
            Err(refusal) => {
                prop_assert!(matches!(refusal, FenceRefusal::BackAlready | FenceRefusal::Over), "{:?}", refusal);
                prop_assert_eq!(hours(&fence, at), hours(&before, at), "nothing was left to take back");
            }
        }
    }
}
