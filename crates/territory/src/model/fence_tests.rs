use geofence::{Ban, Circle};
use kernel::Event;
use vocabulary::Datum;
use vocabulary::versions::AHEAD_MAX_MS;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

fn square(west: f64, size: f64) -> Ring {
    let (south, east, north) = (24.0, west + size, 24.0 + size);
    Ring::draw(&[[west, south], [east, south], [east, north], [west, north]], Datum::Wgs84).unwrap()
}

fn area() -> Ring {
    square(118.0, 0.01)
}

fn drawn(west: f64) -> Drawing {
    Drawing {
        fence_id: FenceId(7),
        area_id: AreaId(20),
        agent_id: AgentId(2),
        name: "东门".to_owned(),
        shape: Shape::Polygon(square(west, 0.001)),
        rule: Rule::Parking(Parking::default()),
        tags: vec!["地铁".to_owned()],
        remark: String::new(),
    }
}

fn named(name: &str) -> Drawing {
    Drawing { name: name.to_owned(), ..drawn(118.001) }
}

fn save(drawing: Drawing) -> FenceCommand {
    FenceCommand::Save { drawing, area: area() }
}

fn draw(drawing: Drawing) -> FenceCommand {
    FenceCommand::Draw { drawing, area: area() }
}

fn publish(from_ms: Option<i64>, until_ms: Option<i64>) -> FenceCommand {
    let at = |ms: i64| NOW.plus_millis(ms);
    FenceCommand::Publish { term: Term { from: from_ms.map(at), until: until_ms.map(at) }, area: area() }
}

/// After commands that are not refused; each comes a minute after the one before.
fn after(commands: impl IntoIterator<Item = FenceCommand>) -> Fence {
    let mut fence = Fence::default();
    for (minute, command) in commands.into_iter().enumerate() {
        let now = NOW.plus_millis(minute as i64 * 60_000);
        for event in fence.decide(command, now).unwrap() {
            fence.evolve(&event);
        }
    }
    fence
}

fn refusal(fence: &Fence, command: FenceCommand) -> FenceRefusal {
    fence.decide(command, NOW).unwrap_err()
}

#[test]
fn a_fence_that_reaches_out_of_its_area_is_refused_with_the_spot() {
    for command in [draw(drawn(118.0095)), save(drawn(118.0095))] {
        let FenceRefusal::OutsideArea { lng, lat } = refusal(&Fence::default(), command) else { panic!() };
        assert_eq!(lng, "118.010500");
        assert!(["24.000000", "24.001000"].contains(&lat.as_str()), "{lat}");
    }
    let circle = Shape::Circle(Circle::draw([118.005, 24.005], 800.0, Datum::Wgs84).unwrap());
    assert!(matches!(
        refusal(&Fence::default(), save(Drawing { shape: circle, ..drawn(118.001) })),
        FenceRefusal::OutsideArea { .. }
    ));
    assert!(Fence::default().decide(draw(drawn(118.001)), NOW).is_ok());
}

#[test]
fn each_drawing_is_a_new_version_and_the_same_is_none() {
    let mut fence = Fence::default();
    for (west, version) in [(118.001, 1), (118.002, 2)] {
        let events = fence.decide(draw(drawn(west)), NOW).unwrap();
        let [FenceEvent::Published { data_version, term, .. }] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!((*data_version, *term), (version, Term { from: Some(NOW), until: None }));
        fence.evolve(&events[0]);
    }
    assert_eq!(fence.decide(draw(drawn(118.002)), NOW), Ok(vec![]));
}

#[test]
fn a_draft_counts_for_nobody_until_it_is_published() {
    let fence = after([save(drawn(118.001))]);
    assert!(fence.version(1).is_none() && fence.drawing().is_some() && !fence.enabled);
    assert_eq!(fence.decide(save(drawn(118.001)), NOW), Ok(vec![]), "the same is no news");
    let fence = after([save(drawn(118.001)), publish(None, None), save(drawn(118.002))]);
    assert_eq!((fence.version(1), fence.drawing()), (Some(&drawn(118.001)), Some(&drawn(118.002))));
    let fence = after([save(drawn(118.001)), publish(None, None)]);
    assert_eq!(refusal(&fence, publish(None, None)), FenceRefusal::NoDraft);
    assert!(fence.enabled);
}

#[test]
fn a_version_may_begin_later_and_end_by_itself_within_bounds() {
    let fence = after([save(drawn(118.001))]);
    assert_eq!(refusal(&fence, publish(Some(-1), None)), FenceRefusal::TooEarly);
    assert_eq!(refusal(&fence, publish(Some(AHEAD_MAX_MS + 1), None)), FenceRefusal::TooLate);
    assert_eq!(refusal(&fence, publish(Some(5), Some(60_004))), FenceRefusal::EndsEarly);
    assert_eq!(refusal(&fence, publish(None, Some(1000))), FenceRefusal::EndsEarly);
    let events = fence.decide(publish(Some(5), Some(60_005)), NOW).unwrap();
    let [FenceEvent::Published { term, .. }] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(*term, Term { from: Some(NOW.plus_millis(5)), until: Some(NOW.plus_millis(60_005)) });
}

#[test]
fn what_does_not_count_yet_can_be_taken_back_and_is_a_draft_again() {
    let hour = 3_600_000;
    let fence = after([save(drawn(118.001)), publish(Some(hour), None)]);
    let back = FenceCommand::Withdraw { data_version: 1 };
    assert_eq!(fence.decide(back.clone(), NOW.plus_millis(hour)), Err(FenceRefusal::Counted(1)));
    let events = fence.decide(back.clone(), NOW.plus_millis(hour - 1)).unwrap();
    let mut fence = fence;
    for event in &events {
        fence.evolve(event);
    }
    assert_eq!((fence.version(1), fence.drawing()), (None, Some(&drawn(118.001))));
    assert_eq!(refusal(&fence, back), FenceRefusal::NoVersion(1));
    // Its number is not given again.
    let events = fence.decide(publish(None, None), NOW).unwrap();
    assert!(matches!(events[..], [FenceEvent::Published { data_version: 2, .. }]), "{events:?}");
}

#[test]
fn rolled_back_it_is_a_new_version_drawn_as_the_old_one() {
    let fence = after([draw(drawn(118.001)), draw(drawn(118.002))]);
    let back = |data_version| FenceCommand::RollBack { data_version, area: area() };
    let events = fence.decide(back(1), NOW).unwrap();
    let [FenceEvent::Published { data_version: 3, drawing, .. }] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(*drawing, drawn(118.001));
    assert_eq!(fence.decide(back(2), NOW), Ok(vec![]), "it is so already");
    assert_eq!(refusal(&fence, back(9)), FenceRefusal::NoVersion(9));
    // The area may be smaller by now.
    let shrunk = FenceCommand::RollBack { data_version: 1, area: square(118.0015, 0.01) };
    assert!(matches!(refusal(&fence, shrunk), FenceRefusal::OutsideArea { .. }));
}

#[test]
fn what_cannot_be_is_refused_at_its_field() {
    let parking = |change: fn(&mut Parking)| {
        let mut parking = Parking::default();
        change(&mut parking);
        Drawing { rule: Rule::Parking(parking), ..drawn(118.001) }
    };
    let ban = |change: fn(&mut Ban)| {
        let mut ban = Ban::default();
        change(&mut ban);
        Drawing { rule: Rule::NoStop(ban), ..drawn(118.001) }
    };
    for (drawing, why) in [
        (named(" "), FenceRefusal::Name),
        (named(&"长".repeat(31)), FenceRefusal::Name),
        (Drawing { tags: vec!["地铁".to_owned(), "地铁 ".to_owned()], ..drawn(118.001) }, FenceRefusal::Tags),
        (Drawing { remark: "长".repeat(201), ..drawn(118.001) }, FenceRefusal::Remark),
        (parking(|p| p.capacity = -1), FenceRefusal::Capacity(-1)),
        (parking(|p| p.min_keep = 51), FenceRefusal::MinKeep),
        (parking(|p| p.buffer_m = 50.1), FenceRefusal::Buffer),
        (parking(|p| p.buffer_m = f64::NAN), FenceRefusal::Buffer),
        (parking(|p| p.difficulty = 0.0), FenceRefusal::Difficulty),
        (parking(|p| p.rfid_codes = vec!["a b".to_owned()]), FenceRefusal::RfidCodes),
        (ban(|b| b.weekdays.0 = 0), FenceRefusal::Weekdays),
        (ban(|b| b.penalty_cents = Some(Cents(100_001))), FenceRefusal::Penalty),
        (ban(|b| b.hours = Some(geofence::rule::Hours { from_min: 60, until_min: 60 })), FenceRefusal::Hours),
    ] {
        assert_eq!(refusal(&Fence::default(), save(drawing)), why);
    }
    let fence = after([draw(drawn(118.001))]);
    let other = Drawing { area_id: AreaId(21), ..drawn(118.001) };
    assert_eq!(refusal(&fence, save(other)), FenceRefusal::Different);
    assert_eq!(refusal(&fence, save(ban(|_| {}))), FenceRefusal::Different);
}

#[test]
fn a_name_belongs_to_the_draft_and_to_what_counts_until_both_are_gone() {
    let claims = |fence: &Fence, event: &FenceEvent| {
        let keys = fence.claims(event).into_iter().map(|claim| match claim {
            Claim::Take { key, .. } => format!("+{key}"),
            Claim::Release { key } => format!("-{key}"),
        });
        keys.collect::<Vec<_>>()
    };
    let fence = after([draw(named("东门"))]);
    let renamed = FenceEvent::DraftSaved { drawing: named("西门") };
    assert_eq!(claims(&fence, &renamed), ["+fence-name:20:西门"]);
    let drafted = after([draw(named("东门")), save(named("西门"))]);
    assert_eq!(claims(&drafted, &FenceEvent::DraftDiscarded), ["-fence-name:20:西门"]);
    let published =
        FenceEvent::Published {
            data_version: 2, drawing: named("西门"), term: Term::default(), batch: None
        };
    assert_eq!(claims(&drafted, &published), ["-fence-name:20:东门"]);
    assert_eq!(claims(&drafted, &FenceEvent::Deleted), ["-fence-name:20:东门", "-fence-name:20:西门"]);
}

#[test]
fn what_counts_from_now_on_is_told_with_its_time_and_a_draft_as_if_in_the_end() {
    let hour = 3_600_000;
    let now = NOW.plus_millis(hour);
    let fence = after([
        draw(drawn(118.001)),
        save(drawn(118.002)),
        publish(Some(2 * hour), None),
        save(drawn(118.003)),
    ]);
    let ahead = fence.ahead(now);
    let spans = ahead.iter().map(|(shape, span)| (shape.clone(), span.from, span.until));
    let square_at = |west| Shape::Polygon(square(west, 0.001));
    let later = NOW.plus_millis(2 * hour);
    let expected = [
        (square_at(118.001), now, Some(later)),
        (square_at(118.002), later, None),
        (square_at(118.003), Timestamp::from_millis(i64::MAX), None),
    ];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
    assert_eq!(after([draw(drawn(118.001)), FenceCommand::Disable]).ahead(now), []);
    assert_eq!(after([draw(drawn(118.001)), FenceCommand::Delete]).ahead(now), []);
}

#[test]
fn one_that_is_gone_stays_known_and_changes_no_more() {
    let fence = after([draw(drawn(118.001)), FenceCommand::Delete]);
    assert_eq!(fence.decide(FenceCommand::Delete, NOW), Ok(vec![]));
    assert_eq!(refusal(&fence, FenceCommand::Enable), FenceRefusal::Unknown);
    assert_eq!(refusal(&fence, save(drawn(118.002))), FenceRefusal::Unknown);
    assert_eq!(fence.version(1), Some(&drawn(118.001)));
    // A draft that was never published is gone with itself.
    assert_eq!(
        after([save(drawn(118.001))]).decide(FenceCommand::Discard, NOW),
        Ok(vec![FenceEvent::Deleted])
    );
}

#[test]
fn drawings_of_the_first_form_are_read() {
    let stored = |kind: i64| {
        json!({"data_version": 3, "drawing": {
            "fence_id": 7, "area_id": 20, "agent_id": 2, "kind": kind, "name": "东门", "capacity": 40,
            "ring": square(118.001, 0.001)}})
    };
    let read = |kind: i64| {
        let data = FenceEvent::upcast("fence.published", 1, stored(kind)).unwrap();
        serde_json::from_value::<FenceEvent>(json!({"type": "fence.published", "data": data})).unwrap()
    };
    let drawing = Drawing { tags: Vec::new(), ..drawn(118.001) };
    let parking = Rule::Parking(Parking { capacity: 40, ..Parking::default() });
    for (kind, rule) in [(2, parking), (4, Rule::NoStop(Ban::default()))] {
        let expected = FenceEvent::Published {
            data_version: 3,
            drawing: Drawing { rule, ..drawing.clone() },
            term: Term::default(),
            batch: None,
        };
        assert_eq!(read(kind), expected);
    }
}

/// A no-stop zone where `drawn(west)` lies, in a stretch of time after `NOW`.
fn banned(id: i64, name: &str, west: f64, from_ms: i64, until_ms: Option<i64>) -> Opposite {
    let at = |ms: i64| NOW.plus_millis(ms);
    Opposite {
        id: FenceId(id),
        kind: FenceKind::NoStop,
        name: name.to_owned(),
        shape: drawn(west).shape,
        span: Span { from: at(from_ms), until: until_ms.map(at) },
    }
}

fn apart(opposite: &[Opposite], command: FenceCommand) -> FenceCommand {
    FenceCommand::Apart { opposite: opposite.to_vec(), command: Box::new(command) }
}

fn overlap(named: &str) -> FenceRefusal {
    FenceRefusal::Overlap(named.to_owned())
}

#[test]
fn what_begins_to_count_where_the_opposite_counts_is_refused_by_name() {
    let fence = Fence::default();
    let zone = [banned(8, "路口", 118.0015, -1, None)];
    assert_eq!(refusal(&fence, apart(&zone, draw(drawn(118.001)))), overlap("禁停区「路口」"));
    assert!(fence.decide(apart(&zone, draw(drawn(118.003))), NOW).is_ok(), "beside it");
    assert!(fence.decide(apart(&zone, draw(drawn(118.0025))), NOW).is_ok(), "along its side");
    assert!(fence.decide(apart(&zone, save(drawn(118.001))), NOW).is_ok(), "a draft counts for nobody");
    // The draft is judged when it is to count, a version when it is to count again.
    let drafted = after([save(drawn(118.001))]);
    assert_eq!(refusal(&drafted, apart(&zone, publish(None, None))), overlap("禁停区「路口」"));
    let moved = after([draw(drawn(118.001)), draw(drawn(118.003))]);
    let back = FenceCommand::RollBack { data_version: 1, area: area() };
    assert_eq!(refusal(&moved, apart(&zone, back)), overlap("禁停区「路口」"));
    // Three are named, each once.
    let many: Vec<_> = (8..13).map(|id| banned(id, &format!("{id}号"), 118.001, -1, Some(id))).collect();
    assert_eq!(
        refusal(&fence, apart(&many[..3], draw(drawn(118.001)))),
        overlap("禁停区「8号」、禁停区「9号」、禁停区「10号」")
    );
    let twice = [many.clone(), vec![banned(12, "12号", 118.001, 20, None)]].concat();
    assert_eq!(
        refusal(&fence, apart(&twice, draw(drawn(118.001)))),
        overlap("禁停区「8号」、禁停区「9号」、禁停区「10号」等 5 个围栏")
    );
}

#[test]
fn an_overlap_matters_at_the_time_that_both_count() {
    let hour = 3_600_000;
    let zone = [banned(8, "早市", 118.001, hour, Some(2 * hour))];
    let drafted = after([save(drawn(118.001))]);
    for (from_ms, until_ms, meets) in [
        (None, None, true),
        (None, Some(hour), false),
        (Some(2 * hour), None, false),
        (Some(hour + 1), Some(4 * hour), true),
    ] {
        let asked = drafted.decide(apart(&zone, publish(from_ms, until_ms)), NOW);
        assert_eq!(asked == Err(overlap("禁停区「早市」")), meets, "{from_ms:?} {until_ms:?}: {asked:?}");
    }
    // Another version that begins before the zone does comes in between.
    let twice = after([
        draw(drawn(118.003)),
        save(drawn(118.005)),
        publish(Some(hour / 2), None),
        save(drawn(118.001)),
    ]);
    assert!(twice.decide(apart(&zone, publish(Some(hour / 4), None)), NOW).is_ok());
}

#[test]
fn what_counts_already_is_not_asked_about_again_until_it_was_switched_off() {
    let zone = [banned(8, "路口", 118.001, -1, None)];
    let counting = after([draw(drawn(118.001))]);
    assert!(counting.decide(apart(&zone, draw(drawn(118.003))), NOW).is_ok(), "it moves away");
    assert_eq!(counting.decide(apart(&zone, FenceCommand::Enable), NOW), Ok(vec![]), "it counts already");
    let off = after([draw(drawn(118.001)), FenceCommand::Disable]);
    assert_eq!(refusal(&off, apart(&zone, FenceCommand::Enable)), overlap("禁停区「路口」"));
    // While it is off, what is published counts for nobody; its next version is what counts when it is on again.
    assert!(off.decide(apart(&zone, draw(drawn(118.0012))), NOW).is_ok());
    let moved = after([draw(drawn(118.001)), FenceCommand::Disable, draw(drawn(118.003))]);
    assert_eq!(
        moved.decide(apart(&zone, FenceCommand::Enable), NOW.plus_millis(300_000)),
        Ok(vec![FenceEvent::Enabled])
    );
}

#[test]
fn an_edge_that_went_through_another_datum_is_no_change() {
    let fence = after([draw(drawn(118.001))]);
    let Shape::Polygon(ring) = drawn(118.001).shape else { panic!() };
    let beside: Vec<_> = ring.closed().iter().map(|[lng, lat]| [lng + 1e-10, lat - 1e-10]).collect();
    let again =
        Drawing { shape: Shape::Polygon(Ring::draw(&beside, Datum::Wgs84).unwrap()), ..drawn(118.001) };
    assert_ne!(again, drawn(118.001));
    assert_eq!(fence.decide(draw(again.clone()), NOW), Ok(vec![]));
    assert_eq!(fence.decide(save(again.clone()), NOW), Ok(vec![]));
    let renamed = save(Drawing { name: "西门".to_owned(), ..again });
    assert_eq!(fence.decide(renamed, NOW), Ok(vec![FenceEvent::DraftSaved { drawing: named("西门") }]));
}
