use serde_json::json;

use vocabulary::AttachmentId;

use super::*;
use crate::model::certainty::EvidenceKind;

/// A Monday, noon in Shanghai.
const NOON: Timestamp = Timestamp::from_millis(1_795_406_400_000);
const MINUTE_MS: i64 = 60_000;

fn seen() -> Seen {
    Seen {
        ended_at: NOON.plus_millis(-MINUTE_MS),
        class: ReturnClass::OutsideParking,
        place: Some(Wgs84::new(24.5, 118.1).unwrap()),
        error_m: 3.0,
        fixes: vec![Fix { place: Wgs84::new(24.5, 118.1).unwrap(), hdop: 1.0, at: NOON }],
        rider_place: None,
        fence: None,
        parking: Some(FenceVersion { fence_id: vocabulary::FenceId(5), data_version: 2 }),
        parking_m: Some(14.0),
        missing: vec![1],
        camera: CameraVerdict::Unjudged,
        certainty_percent: 96,
        parts: vec![Part {
            kind: EvidenceKind::Position,
            pull: 320,
            words: "在停车区允许范围外 4.0 米".to_owned(),
        }],
        reasons: Seen::worded(&[Reason::TooFar(14.0)]),
    }
}

fn opening() -> Box<Opening> {
    Box::new(Opening {
        review_id: ReturnReviewId(9),
        order_id: RideOrderId(4),
        rider_id: RiderId(7),
        car_id: "X0001".to_owned(),
        agent_id: AgentId(2),
        area_id: AreaId(20),
        seen: seen(),
        left: Left::Outside { parking_m: Some(14.0), difficulty_percent: 100 },
        apply_cents: 500,
    })
}

fn photo(id: i64) -> Photo {
    Photo { id: AttachmentId(id), sha256: "ab".repeat(32) }
}

fn ask(photos: Vec<Photo>) -> ReviewCommand {
    let wish = Wish { reason: ReturnReviewReason::Drift, photos, place: None };
    ReviewCommand::Ask { opening: opening(), wish }
}

fn reviewer() -> Personal<String> {
    Personal::new("operator:3", "王芳".to_owned())
}

fn accept() -> ReviewCommand {
    ReviewCommand::Accept { remark: String::new(), by: reviewer() }
}

fn reject(why: &str) -> ReviewCommand {
    ReviewCommand::Reject { remark: why.to_owned(), by: reviewer() }
}

fn act(
    review: &mut ReturnReview,
    command: ReviewCommand,
    at: Timestamp,
) -> Result<Vec<ReviewEvent>, Refusal> {
    let events = review.decide(command, at)?;
    for event in &events {
        review.evolve(event);
    }
    Ok(events)
}

fn held() -> ReturnReview {
    let mut review = ReturnReview::default();
    act(&mut review, ReviewCommand::Hold(opening()), NOON).unwrap();
    review
}

#[test]
fn what_was_decided_is_not_decided_again() {
    let mut review = held();
    assert_eq!(act(&mut review, reject("  "), NOON), Err(Refusal::Reason));
    act(&mut review, reject("照片中车辆在人行道上"), NOON).unwrap();
    assert_eq!(review.state(), CaseState::Failed);
    let late = NOON.plus_millis(PASSES_AFTER_MS);
    for (command, act_word) in
        [(accept(), "通过"), (reject("再看"), "驳回"), (ReviewCommand::TimeOut, "超时通过")]
    {
        let refusal = Refusal::NotNow { now: "未通过", act: act_word };
        assert_eq!(act(&mut review, command, late), Err(refusal));
    }
    assert_eq!(act(&mut ReturnReview::default(), accept(), NOON), Err(Refusal::Unknown));
}

#[test]
fn what_nobody_decides_passes_after_half_an_hour_and_not_before() {
    let mut review = held();
    let late = NOON.plus_millis(PASSES_AFTER_MS);
    assert_eq!(act(&mut review, ReviewCommand::TimeOut, late.plus_millis(-1)), Err(Refusal::TooEarly));
    act(&mut review, ReviewCommand::TimeOut, late).unwrap();
    assert_eq!(review.state(), CaseState::Passed);
    assert!(act(&mut review, ReviewCommand::TimeOut, late).is_err(), "once");
}

#[test]
fn by_day_it_is_due_within_ten_minutes() {
    let minutes = |at: Timestamp| due_at(at).millis_since(at) / MINUTE_MS;
    let hour = |hours: i64| NOON.plus_millis(hours * HOUR_MS);
    assert_eq!([hour(0), hour(-5), hour(-6), hour(10), hour(11)].map(minutes), [10, 10, 30, 10, 30]);
}

#[test]
fn a_rider_asks_with_photos_within_a_day_and_only_where_something_is_at_stake() {
    let asked = |command, at| ReturnReview::default().decide(command, at).map(|_| ());
    assert_eq!(asked(ask(vec![photo(1)]), NOON), Ok(()));
    for photos in [vec![], vec![photo(1), photo(1)], (1..=4).map(photo).collect()] {
        assert_eq!(asked(ask(photos), NOON), Err(Refusal::Photos));
    }
    let last = seen().ended_at.plus_millis(ASKED_WITHIN_MS);
    assert_eq!(asked(ask(vec![photo(1)]), last), Ok(()));
    assert_eq!(asked(ask(vec![photo(1)]), last.plus_millis(1)), Err(Refusal::TooLate));
    let free = Box::new(Opening { apply_cents: 0, ..*opening() });
    let wish = Wish { reason: ReturnReviewReason::Other, photos: vec![photo(1)], place: None };
    assert_eq!(asked(ReviewCommand::Ask { opening: free, wish }, NOON), Err(Refusal::NothingAtStake));
}

#[test]
fn who_is_let_off_by_his_picture_uses_one_of_his_times() {
    let let_off = |used| ReviewCommand::LetOff { opening: opening(), used, most: 3 };
    let mut review = ReturnReview::default();
    let events = act(&mut review, let_off(2), NOON).unwrap();
    assert_eq!(events[1], ReviewEvent::LetOff { used: 2, left: 0, at: NOON });
    assert_eq!(review.state(), CaseState::Passed);
    assert_eq!(ReturnReview::default().decide(let_off(3), NOON), Err(Refusal::ImpunityUsed));
}

#[test]
fn what_is_waived_goes_back_as_real_money_first_and_never_twice() {
    let share =
        |recharge_cents, present_cents, third_cents| Share { recharge_cents, present_cents, third_cents };
    let paid = share(300, 400, 200);
    let none = Share::default();
    assert_eq!(going_back(&paid, &none, 150), share(0, 0, 150));
    assert_eq!(going_back(&paid, &none, 600), share(300, 100, 200));
    assert_eq!(going_back(&paid, &share(250, 0, 200), 600), share(50, 400, 0));
    assert_eq!(going_back(&paid, &paid, 600), none);
    assert_eq!(going_back(&paid, &none, -5), none);
}

#[test]
fn photos_are_dropped_thirty_days_after_the_decision_and_once() {
    use crate::model::review::PHOTOS_KEPT_MS;
    let drop =
        |review: &mut ReturnReview, at| act(review, ReviewCommand::DropPhotos, at).map(|events| events.len());
    let mut review = ReturnReview::default();
    act(&mut review, ask(vec![photo(1), photo(2)]), NOON).unwrap();
    let due = NOON.plus_millis(PHOTOS_KEPT_MS);
    assert_eq!(drop(&mut review, due), Err(Refusal::PhotosTooEarly), "it waits");
    act(&mut review, accept(), NOON).unwrap();
    assert_eq!(drop(&mut review, due.plus_millis(-1)), Err(Refusal::PhotosTooEarly));
    assert_eq!(review.photos_due(due).map(<[Photo]>::len), Some(2));
    let released = ["-attachment:1", "-attachment:2"];
    assert_eq!(keys(&review, &ReviewEvent::PhotosDropped { at: due }), released);
    assert_eq!(drop(&mut review, due), Ok(1));
    assert_eq!((drop(&mut review, due), review.state()), (Ok(0), CaseState::Passed));
    assert_eq!(review.photos_due(due), None);
    let mut without = held();
    act(&mut without, reject("不在站点"), NOON).unwrap();
    assert_eq!(drop(&mut without, due), Err(Refusal::PhotosTooEarly), "there never were any");
}

fn keys(review: &ReturnReview, event: &ReviewEvent) -> Vec<String> {
    let key = |claim| match claim {
        Claim::Take { key, .. } => format!("+{key}"),
        Claim::Release { key } => format!("-{key}"),
    };
    review.claims(event).into_iter().map(key).collect()
}

#[test]
fn one_is_open_for_an_order_and_each_photo_is_of_one_case() {
    let fresh = ReturnReview::default();
    let events = fresh.decide(ask(vec![photo(1), photo(2)]), NOON).unwrap();
    let taken = ["+return-review:4", "+return-review-asked:4", "+attachment:1", "+attachment:2"];
    assert_eq!(keys(&fresh, &events[0]), taken);
    let review = held();
    assert_eq!(keys(&review, &ReviewEvent::TimedOut { at: NOON }), ["-return-review:4"]);
    let mut camera = ReturnReview::default();
    let let_off = ReviewCommand::LetOff { opening: opening(), used: 1, most: 3 };
    let events = camera.decide(let_off, NOON).unwrap();
    assert_eq!(keys(&camera, &events[0]), ["+return-review:4"]);
    camera.evolve(&events[0]);
    assert_eq!(keys(&camera, &events[1]), ["-return-review:4", "+return-impunity:7:1"]);
}

#[test]
fn stored_forms_stay() {
    let opened = ReviewEvent::Opened {
        opening: opening(),
        source: ReturnReviewSource::Rider,
        wish: Some(Wish { reason: ReturnReviewReason::Drift, photos: vec![photo(1)], place: None }),
        at: NOON,
    };
    let at = NOON.millis();
    let stored = json!({
        "type": "return-review.opened",
        "data": {
            "opening": {
                "review_id": "9", "order_id": "4", "rider_id": "7", "car_id": "X0001", "agent_id": "2", "area_id": "20",
                "seen": {
                    "ended_at": at - MINUTE_MS, "class": 1, "place": {"lat": 24.5, "lng": 118.1}, "error_m": 3.0,
                    "fixes": [{"place": {"lat": 24.5, "lng": 118.1}, "hdop": 1.0, "at": at}],
                    "parking": {"fence_id": "5", "data_version": 2}, "parking_m": 14.0, "missing": [1], "camera": 0,
                    "certainty_percent": 96,
                    "parts": [{"kind": 1, "pull": 320, "words": "在停车区允许范围外 4.0 米"}],
                    "reasons": ["距最近的停车区 14.0 米"]
                },
                "left": {"Outside": {"parking_m": 14.0, "difficulty_percent": 100}},
                "apply_cents": 500
            },
            "source": 1,
            "wish": {"reason": 3, "photos": [{"id": "1", "sha256": "ab".repeat(32)}]},
            "at": at
        }
    });
    assert_eq!(serde_json::to_value(&opened).unwrap(), stored);
    assert_eq!(serde_json::from_value::<ReviewEvent>(stored).unwrap(), opened);
    for (event, stored) in [
        (
            ReviewEvent::LetOff { used: 1, left: 1, at: NOON },
            json!({"type": "return-review.let_off", "data": {"used": 1, "left": 1, "at": at}}),
        ),
        (ReviewEvent::TimedOut { at: NOON }, json!({"type": "return-review.timed_out", "data": {"at": at}})),
        (
            ReviewEvent::PhotosDropped { at: NOON },
            json!({"type": "return-review.photos_dropped", "data": {"at": at}}),
        ),
    ] {
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
    }
    let decided = ReviewEvent::Rejected { remark: "不在站点".to_owned(), by: reviewer(), at: NOON };
    let stored = serde_json::to_value(&decided).unwrap();
    assert_eq!(
        (&stored["type"], &stored["data"]["remark"], &stored["data"]["at"]),
        (&json!("return-review.rejected"), &json!("不在站点"), &json!(at))
    );
    let decided = ReviewEvent::Accepted { remark: String::new(), by: reviewer(), at: NOON };
    assert_eq!(serde_json::to_value(&decided).unwrap()["type"], "return-review.accepted");
}
