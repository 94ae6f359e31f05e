use proptest::prelude::*;

use super::super::form::Content;
use super::super::parcel::PART_BYTES;
use super::*;
use crate::report::Place;

const AREA: AreaId = AreaId(7);
const PAUSES: Pauses = Pauses { first: Duration::from_mins(1), most: Duration::from_mins(30) };

const fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// An edition in so many parts.
fn wanted(edition: i64, parts: usize) -> Wanted {
    // A corner far from the last takes ten bytes; what is not asked for is not reached.
    let corner =
        |n: usize| Place { lat_e7: if n.is_multiple_of(2) { i32::MAX } else { i32::MIN }, lng_e7: 0 };
    let edge: Vec<Place> = (0..=(parts - 1) * PART_BYTES / 6).map(corner).collect();
    let parcel = Parcel::of(&Content { area: AREA, edition, edge, fences: Vec::new() }).unwrap();
    assert_eq!(parcel.parts(), parts);
    Wanted { edition, parcel: Some(Arc::new(parcel)), asked_at: None }
}

/// From the beginning.
const fn anew(parts: u64) -> Step {
    Step::Send(Sending { parts, afresh: true })
}

/// After a pause.
const fn more(parts: u64) -> Step {
    Step::Send(Sending { parts, afresh: false })
}

const fn heard(told: u16, online: bool) -> Heard {
    Heard { area: AREA, told, online }
}

/// A bike that was sent an edition once, when it held another.
fn sent(edition: i64, told: u16, now: Timestamp) -> Progress {
    let mut kept = Progress::begun(heard(told, true), edition, now);
    kept.sent(Sending { parts: u64::MAX, afresh: true }, now);
    kept
}

#[test]
fn a_bike_that_holds_another_edition_is_sent_this_one_when_it_is_there() {
    let wanted = wanted(5, 3);
    assert_eq!(step(None, &wanted, heard(4, true), PAUSES, at(0)), anew(0b111));
    assert_eq!(step(None, &wanted, heard(4, false), PAUSES, at(0)), Step::Rest);
    let mut older = sent(4, 3, at(0));
    assert_eq!(step(Some(&mut older), &wanted, heard(4, true), PAUSES, at(1)), anew(0b111));
}

#[test]
fn only_its_report_says_that_it_holds_it() {
    let wanted = wanted(5, 1);
    let mut kept = sent(5, 4, at(0));
    kept.answer(at(0), 0, 0, at(1));
    assert_eq!(
        step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(1)),
        Step::Rest,
        "answered, not told"
    );
    assert_eq!(step(Some(&mut kept), &wanted, heard(5, true), PAUSES, at(2)), Step::Acknowledged);
    assert_eq!(step(Some(&mut kept), &wanted, heard(5, true), PAUSES, at(9_999)), Step::Rest);
}

#[test]
fn the_same_number_of_another_area_is_not_taken_for_this_one() {
    let wanted = wanted(5, 2);
    assert_eq!(step(None, &wanted, heard(5, true), PAUSES, at(0)), anew(0b11));
    let mut kept = sent(5, 5, at(0));
    assert_eq!(step(Some(&mut kept), &wanted, heard(5, true), PAUSES, at(1)), Step::Rest);
    kept.answer(at(0), 0, 0, at(1));
    kept.answer(at(0), 1, 0, at(1));
    assert_eq!(step(Some(&mut kept), &wanted, heard(5, true), PAUSES, at(2)), Step::Acknowledged);
    let moved = Heard { area: AreaId(8), ..heard(5, true) };
    assert_eq!(step(Some(&mut kept), &wanted, moved, PAUSES, at(3)), anew(0b11));
}

#[test]
fn a_part_that_was_lost_is_sent_again_and_no_other() {
    let wanted = wanted(5, 3);
    let mut kept = sent(5, 4, at(0));
    kept.answer(at(0), 0, 0, at(1));
    kept.answer(at(0), 2, 0, at(1));
    kept.answer(at(-60), 1, 0, at(1));
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(59)), Step::Rest);
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(60)), more(0b010));
    kept.sent(Sending { parts: 0b010, afresh: false }, at(60));
    kept.answer(at(60), 1, 0, at(61));
    // All are there, and the report does not say so: it did not keep them.
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(180)), more(0b111));
}

#[test]
fn pauses_grow_and_have_an_end() {
    let minutes: Vec<u64> = (1..=8).map(|tries| PAUSES.after(tries).as_secs() / 60).collect();
    assert_eq!(minutes, [1, 2, 4, 8, 16, 30, 30, 30]);
    assert_eq!(PAUSES.after(u16::MAX), PAUSES.most);
}

#[test]
fn a_refusal_ends_trying_for_this_edition_until_a_person_asks() {
    let mut wanted = wanted(5, 1);
    for code in REFUSALS {
        let mut kept = sent(5, 4, at(0));
        assert!(kept.answer(at(0), 0, code, at(1)));
        for later in [61, 3_600, 86_400] {
            assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(later)), Step::Rest);
        }
        let again = Wanted { asked_at: Some(at(90_000)), ..wanted.clone() };
        assert_eq!(step(Some(&mut kept), &again, heard(4, true), PAUSES, at(90_001)), anew(1));
        kept.sent(Sending { parts: 1, afresh: true }, at(90_001));
        assert_eq!((kept.refused, kept.tries), (None, 1));
    }
    let mut kept = sent(5, 4, at(0));
    assert!(!kept.answer(at(0), 0, 108, at(1)), "no answer is no refusal");
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(60)), more(1));
    wanted.edition = 6;
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(61)), anew(1));
}

#[test]
fn a_bike_that_was_away_is_not_made_to_wait() {
    let wanted = wanted(5, 1);
    let mut kept = sent(5, 4, at(0));
    kept.tries = 6;
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, false), PAUSES, at(300)), Step::Rest);
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(301)), anew(1));
    kept.sent(Sending { parts: 1, afresh: true }, at(301));
    assert_eq!(kept.tries, 1);
    assert_eq!(step(Some(&mut kept), &wanted, heard(4, true), PAUSES, at(302)), Step::Rest);
}

#[test]
fn a_bike_that_lost_what_it_held_is_sent_it_again() {
    let wanted = wanted(5, 1);
    let mut kept = sent(5, 4, at(0));
    assert_eq!(step(Some(&mut kept), &wanted, heard(5, true), PAUSES, at(1)), Step::Acknowledged);
    assert_eq!(step(Some(&mut kept), &wanted, heard(0, true), PAUSES, at(2)), Step::Rest, "an older report");
    assert_eq!(step(Some(&mut kept), &wanted, heard(0, true), PAUSES, at(32)), anew(1));
    kept.sent(Sending { parts: 1, afresh: true }, at(2));
    assert_eq!((kept.acknowledged_at, kept.tries), (None, 1));
}

#[test]
fn an_area_with_too_many_fences_is_sent_to_nobody() {
    let none = Wanted { parcel: None, ..wanted(5, 1) };
    assert_eq!(step(None, &none, heard(4, true), PAUSES, at(0)), Step::Rest);
}

proptest! {
    /// Whatever a device says and answers, it is sent at most so often as the pauses allow, unless it was away.
    #[test]
    fn nobody_is_hammered(
        says in prop::collection::vec((prop::sample::select(vec![0_u16, 4, 6]), prop::option::of((0..3_usize, 0..3_i32))), 1..400),
    ) {
        let wanted = wanted(5, 2);
        let mut kept: Option<Progress> = None;
        let mut sendings = Vec::new();
        for (second, (told, answer)) in says.into_iter().enumerate() {
            let now = at(second as i64 * 10);
            if let Some((part, code)) = answer && let Some(kept) = &mut kept {
                kept.answer(kept.sent_at, part, code, now);
            }
            let now_heard = heard(told, true);
            if let Step::Send(sending) = step(kept.as_mut(), &wanted, now_heard, PAUSES, now) {
                prop_assert!(sending.parts != 0 && sending.parts & !0b11 == 0);
                let kept = kept.get_or_insert_with(|| Progress::begun(now_heard, 5, now));
                kept.sent(sending, now);
                sendings.push(now);
            }
        }
        for (tries, pair) in sendings.windows(2).enumerate() {
            let waited = pair[1].millis_since(pair[0]);
            prop_assert!(waited >= PAUSES.after(tries as u16 + 1).as_millis() as i64, "{sendings:?}");
        }
    }
}
