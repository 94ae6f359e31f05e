use serde_json::json;

use vocabulary::AttachmentId;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const DAY_MS: i64 = 86_400_000;

fn place(lng: f64) -> Wgs84 {
    Wgs84::new(24.0, lng).unwrap()
}

fn rider(pin: &str) -> Personal<Applicant> {
    let applicant =
        Applicant { phone: "13800000001".parse().unwrap(), remark: "地铁口没有站点".to_owned() };
    Personal::new(format!("rider:{pin}"), applicant)
}

fn reviewer() -> Personal<String> {
    Personal::new("operator:3", "王芳".to_owned())
}

fn photo(id: i64) -> Photo {
    Photo { id: AttachmentId(id), sha256: "ab".repeat(32) }
}

fn wish() -> Wish {
    Wish {
        application_id: ParkApplicationId(9),
        area_id: AreaId(20),
        agent_id: AgentId(2),
        location: "集美大道 1 号".to_owned(),
        place: place(118.0),
        photos: vec![photo(1), photo(2)],
    }
}

fn submit(wish: Wish) -> ParkApplicationCommand {
    ParkApplicationCommand::Submit { wish, applicant: rider("7") }
}

fn vote(pin: &str, lng: f64) -> ParkApplicationCommand {
    ParkApplicationCommand::Vote { place: place(lng), applicant: rider(pin) }
}

fn accept() -> ParkApplicationCommand {
    ParkApplicationCommand::Accept { remark: "可以".to_owned(), by: reviewer() }
}

fn reject(why: &str) -> ParkApplicationCommand {
    ParkApplicationCommand::Reject { remark: why.to_owned(), by: reviewer() }
}

fn build(parking: i64, area: i64) -> ParkApplicationCommand {
    ParkApplicationCommand::Build { parking: FenceId(parking), area: AreaId(area), by: reviewer() }
}

/// After commands that are not refused.
fn after(commands: impl IntoIterator<Item = ParkApplicationCommand>) -> ParkApplication {
    let mut application = ParkApplication::default();
    for command in commands {
        for event in application.decide(command, NOW).unwrap() {
            application.evolve(&event);
        }
    }
    application
}

fn refusal(application: &ParkApplication, command: ParkApplicationCommand) -> Refusal {
    application.decide(command, NOW).unwrap_err()
}

#[test]
fn what_cannot_be_is_refused_at_its_field() {
    let none = ParkApplication::default();
    for (wish, why) in [
        (Wish { location: "  ".to_owned(), ..wish() }, Refusal::Location),
        (Wish { location: "长".repeat(101), ..wish() }, Refusal::Location),
        (Wish { photos: vec![photo(1), photo(2), photo(3), photo(4)], ..wish() }, Refusal::Photos),
        (Wish { photos: vec![photo(1), photo(1)], ..wish() }, Refusal::Photos),
    ] {
        assert_eq!(refusal(&none, submit(wish)), why);
    }
    let talkative = Applicant { phone: "13800000001".parse().unwrap(), remark: "长".repeat(201) };
    let applicant = Personal::new("rider:7", talkative);
    assert_eq!(refusal(&none, ParkApplicationCommand::Submit { wish: wish(), applicant }), Refusal::Remark);
    assert_eq!(refusal(&none, accept()), Refusal::Unknown);
    assert_eq!(refusal(&none, vote("8", 118.0)), Refusal::Unknown);
    assert_eq!(refusal(&after([submit(wish())]), submit(wish())), Refusal::Exists);
}

#[test]
fn who_asks_for_the_same_place_votes_once() {
    let application = after([submit(wish())]);
    // 0.0004° of longitude are 41 m there, 0.0006° 61.
    let events = application.decide(vote("8", 118.0004), NOW).unwrap();
    assert!(matches!(events[..], [ParkApplicationEvent::Voted { .. }]), "{events:?}");
    assert_eq!(refusal(&application, vote("8", 118.0006)), Refusal::Elsewhere);
    assert_eq!(application.decide(vote("7", 118.0), NOW), Ok(vec![]), "his own is his vote");
    let application = after([submit(wish()), vote("8", 118.0)]);
    assert_eq!(application.decide(vote("8", 118.0), NOW), Ok(vec![]));
}

#[test]
fn votes_are_taken_for_thirty_days_of_what_is_still_to_be_built() {
    let application = after([submit(wish())]);
    assert!(application.decide(vote("8", 118.0), NOW.plus_millis(30 * DAY_MS)).is_ok());
    assert_eq!(application.decide(vote("8", 118.0), NOW.plus_millis(30 * DAY_MS + 1)), Err(Refusal::Over));
    assert!(after([submit(wish()), accept()]).decide(vote("8", 118.0), NOW).is_ok());
    for over in [reject("离学校太近"), build(5, 20)] {
        assert_eq!(refusal(&after([submit(wish()), over]), vote("8", 118.0)), Refusal::Over);
    }
}

#[test]
fn votes_have_an_end() {
    let others = (1..VOTES_MAX).map(|pin| vote(&format!("v{pin}"), 118.0));
    let full = after([submit(wish())].into_iter().chain(others));
    assert_eq!(refusal(&full, vote("8", 118.0)), Refusal::VotesFull);
    assert_eq!(full.decide(vote("v1", 118.0), NOW), Ok(vec![]), "who voted has voted");
}

#[test]
fn a_rejection_says_why_and_nothing_is_decided_twice() {
    let application = after([submit(wish())]);
    assert_eq!(refusal(&application, reject(" ")), Refusal::Reason);
    assert_eq!(refusal(&application, reject(&"长".repeat(201))), Refusal::Reason);
    let accepted = after([submit(wish()), accept()]);
    assert_eq!(accepted.decide(accept(), NOW), Ok(vec![]));
    assert_eq!(refusal(&accepted, reject("离学校太近")), Refusal::NotNow { now: "已通过", act: "驳回" });
    let rejected = after([submit(wish()), reject("离学校太近")]);
    assert_eq!(rejected.decide(reject("另有原因"), NOW), Ok(vec![]));
    assert_eq!(refusal(&rejected, accept()), Refusal::NotNow { now: "已驳回", act: "通过" });
    assert_eq!(refusal(&rejected, build(5, 20)), Refusal::NotNow { now: "已驳回", act: "建站" });
}

#[test]
fn building_it_accepts_it_and_happens_once_in_its_own_area() {
    let pending = after([submit(wish())]);
    assert_eq!(refusal(&pending, build(5, 21)), Refusal::OtherArea);
    let types = |application: &ParkApplication| {
        let events = application.decide(build(5, 20), NOW).unwrap();
        events.iter().map(kernel::Event::stored_type).collect::<Vec<_>>()
    };
    assert_eq!(types(&pending), ["park-application.accepted", "park-application.built"]);
    assert_eq!(types(&after([submit(wish()), accept()])), ["park-application.built"]);
    let built = after([submit(wish()), build(5, 20)]);
    assert_eq!(built.decide(build(5, 20), NOW), Ok(vec![]));
    assert_eq!(refusal(&built, build(6, 20)), Refusal::NotNow { now: "已建站", act: "建站" });
}

#[test]
fn a_photo_is_of_one_application_alone() {
    let events = ParkApplication::default().decide(submit(wish()), NOW).unwrap();
    let claims = ParkApplication::default().claims(&events[0]);
    let keys: Vec<&str> = claims
        .iter()
        .map(|claim| match claim {
            Claim::Take { key, refusal: Refusal::PhotoTaken } => key.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(keys, ["attachment:1", "attachment:2"]);
}

#[test]
fn what_was_built_as_a_drawing_that_is_gone_is_to_be_built_again() {
    let unbuild = |parking| ParkApplicationCommand::Unbuild { parking: FenceId(parking) };
    let built = after([submit(wish()), build(5, 20)]);
    assert_eq!(built.decide(unbuild(6), NOW).unwrap(), [], "another one's");
    let again = after([submit(wish()), build(5, 20), unbuild(5)]);
    assert!(again.is_open());
    assert_eq!(again.decide(unbuild(5), NOW).unwrap(), []);
    let second = after([submit(wish()), build(5, 20), unbuild(5), build(6, 20)]);
    assert_eq!(second.decide(unbuild(5), NOW).unwrap(), [], "that is the first one");
    let told = ParkApplicationEvent::Unbuilt { parking: FenceId(5) };
    let stored = json!({"type": "park-application.unbuilt", "data": {"parking": "5"}});
    assert_eq!(serde_json::to_value(told).unwrap(), stored);
}

#[test]
fn events_keep_their_stored_form() {
    let stored = |event: ParkApplicationEvent| serde_json::to_value(event).unwrap();
    let sealed =
        |subject: &str, plain: serde_json::Value| json!({"$personal": {"subject": subject, "plain": plain}});
    let applicant = || sealed("rider:7", json!({"phone": "13800000001", "remark": "地铁口没有站点"}));
    let by = || sealed("operator:3", json!("王芳"));
    assert_eq!(
        stored(ParkApplicationEvent::Submitted { wish: wish(), applicant: rider("7"), at: NOW }),
        json!({"type": "park-application.submitted", "data": {
            "wish": {"application_id": "9", "area_id": "20", "agent_id": "2", "location": "集美大道 1 号",
                "place": {"lat": 24.0, "lng": 118.0},
                "photos": [{"id": "1", "sha256": "ab".repeat(32)}, {"id": "2", "sha256": "ab".repeat(32)}]},
            "applicant": applicant(), "at": 1_790_000_000_000_i64}})
    );
    assert_eq!(
        stored(ParkApplicationEvent::Voted { applicant: rider("7") }),
        json!({"type": "park-application.voted", "data": {"applicant": applicant()}})
    );
    assert_eq!(
        stored(ParkApplicationEvent::Accepted { remark: "可以".to_owned(), by: reviewer() }),
        json!({"type": "park-application.accepted", "data": {"remark": "可以", "by": by()}})
    );
    assert_eq!(
        stored(ParkApplicationEvent::Rejected { remark: "太近".to_owned(), by: reviewer() }),
        json!({"type": "park-application.rejected", "data": {"remark": "太近", "by": by()}})
    );
    assert_eq!(
        stored(ParkApplicationEvent::Built { parking: FenceId(5), by: reviewer() }),
        json!({"type": "park-application.built", "data": {"parking": "5", "by": by()}})
    );
}
