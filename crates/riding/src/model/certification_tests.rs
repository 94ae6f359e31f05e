use vocabulary::AttachmentId;

use super::*;
use crate::model::review::PHOTOS_KEPT_MS;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const DAY_MS: i64 = 86_400_000;

fn photo(id: i64) -> Photo {
    Photo { id: AttachmentId(id), sha256: "ab".to_owned() }
}

fn application(photos: Vec<Photo>) -> Application {
    Application {
        certification_id: CertificationId(1),
        rider_id: RiderId(7),
        agent_id: AgentId(2),
        area_id: AreaId(3),
        kind: CareerKind::Student,
        photos,
        phone_key: "p7".to_owned(),
    }
}

fn bearer(organisation: &str) -> Personal<Bearer> {
    let phone = "13800000007".parse().unwrap();
    let value = Bearer {
        name: "张三".to_owned(),
        phone,
        organisation: organisation.to_owned(),
        cert_no: " 2026001 ".to_owned(),
    };
    Personal::new("rider:7", value)
}

fn reviewer(key: &str) -> Reviewer {
    Reviewer { name: Personal::new("operator:1", "李审".to_owned()), phone_key: Some(key.to_owned()) }
}

fn act(it: &mut Certification, command: CertificationCommand, now: Timestamp) -> Result<usize, Refusal> {
    let events = it.decide(command, now)?;
    for event in &events {
        it.evolve(event);
    }
    Ok(events.len())
}

fn submitted() -> Certification {
    let mut it = Certification::default();
    let submit = CertificationCommand::Submit {
        application: application(vec![photo(1), photo(2)]),
        bearer: bearer(" 厦门大学 "),
    };
    act(&mut it, submit, NOW).unwrap();
    it
}

fn pass(days: i64) -> CertificationCommand {
    CertificationCommand::Pass { until: NOW.plus_millis(days * DAY_MS), reviewer: reviewer("p1") }
}

fn fail(reason: &str) -> CertificationCommand {
    CertificationCommand::Fail { reason: reason.to_owned(), reviewer: reviewer("p1") }
}

#[test]
fn what_is_handed_in_has_a_place_a_number_and_photos() {
    let submit = |photos, organisation| {
        let command =
            CertificationCommand::Submit { application: application(photos), bearer: bearer(organisation) };
        Certification::default().decide(command, NOW).map(drop)
    };
    assert_eq!(submit(vec![], "厦门大学"), Err(Refusal::Photos));
    assert_eq!(submit(vec![photo(1), photo(1)], "厦门大学"), Err(Refusal::Photos));
    assert_eq!(submit(vec![photo(1), photo(2), photo(3)], "厦门大学"), Err(Refusal::Photos));
    assert_eq!(submit(vec![photo(1)], " "), Err(Refusal::Organisation));
    let it = submitted();
    let kept = it.bearer().map(|bearer| (&*bearer.organisation, &*bearer.cert_no));
    assert_eq!(kept, Some(("厦门大学", "2026001")));
}

#[test]
fn it_is_decided_once_by_somebody_else_and_with_a_reason() {
    let own = CertificationCommand::Pass { until: NOW.plus_millis(DAY_MS), reviewer: reviewer("p7") };
    assert_eq!(act(&mut submitted(), own, NOW), Err(Refusal::Own));
    assert_eq!(act(&mut submitted(), fail(" "), NOW), Err(Refusal::Reason));
    for days in [0, -1, 7 * 366] {
        assert_eq!(act(&mut submitted(), pass(days), NOW), Err(Refusal::Until), "{days}");
    }
    let mut it = submitted();
    act(&mut it, pass(365), NOW).unwrap();
    assert_eq!(it.standing().state, CaseState::Passed);
    assert_eq!(act(&mut it, fail("模糊"), NOW), Err(Refusal::NotNow { now: "已通过", act: "驳回" }));
    assert_eq!(act(&mut it, pass(365), NOW), Err(Refusal::NotNow { now: "已通过", act: "通过" }));
}

#[test]
fn the_rider_alone_takes_it_back() {
    let mut it = submitted();
    assert_eq!(act(&mut it, CertificationCommand::Cancel { rider: RiderId(8) }, NOW), Err(Refusal::NotHis));
    assert_eq!(act(&mut it, CertificationCommand::Cancel { rider: RiderId(7) }, NOW), Ok(1));
    assert_eq!(act(&mut it, CertificationCommand::Cancel { rider: RiderId(7) }, NOW), Ok(0));
    assert_eq!(act(&mut it, pass(1), NOW), Err(Refusal::NotNow { now: "已取消", act: "通过" }));
}

#[test]
fn photos_go_thirty_days_after_the_decision() {
    let mut it = submitted();
    assert_eq!(
        act(&mut it, CertificationCommand::DropPhotos, NOW.plus_millis(PHOTOS_KEPT_MS)),
        Err(Refusal::TooEarly)
    );
    act(&mut it, fail("模糊"), NOW).unwrap();
    let before = NOW.plus_millis(PHOTOS_KEPT_MS - 1);
    assert_eq!(act(&mut it, CertificationCommand::DropPhotos, before), Err(Refusal::TooEarly));
    assert_eq!(act(&mut it, CertificationCommand::DropPhotos, NOW.plus_millis(PHOTOS_KEPT_MS)), Ok(1));
    assert_eq!(act(&mut it, CertificationCommand::DropPhotos, NOW.plus_millis(PHOTOS_KEPT_MS)), Ok(0));
}

fn keys(claims: Vec<Claim<Refusal>>) -> Vec<String> {
    claims
        .into_iter()
        .map(|claim| match claim {
            Claim::Take { key, .. } => format!("+{key}"),
            Claim::Release { key } => format!("-{key}"),
        })
        .collect()
}

#[test]
fn one_waits_for_a_rider_and_a_photo_is_of_one_case() {
    let submitted_event = CertificationEvent::Submitted {
        application: application(vec![photo(1)]),
        bearer: bearer("厦门大学"),
        at: NOW,
    };
    let fresh = Certification::default();
    assert_eq!(keys(fresh.claims(&submitted_event)), ["+attachment:1", "+certification-waiting:7"]);
    let it = submitted();
    assert_eq!(keys(it.claims(&CertificationEvent::Cancelled { at: NOW })), ["-certification-waiting:7"]);
    assert_eq!(
        keys(it.claims(&CertificationEvent::PhotosDropped { at: NOW })),
        ["-attachment:1", "-attachment:2"]
    );
}

#[test]
fn stored_forms_stay() {
    let events = submitted().decide(fail("模糊"), NOW).unwrap();
    let written = serde_json::to_value(&events[0]).unwrap();
    let by = serde_json::json!({"$personal": {"subject": "operator:1", "plain": "李审"}});
    let data = serde_json::json!({"reason": "模糊", "by": by, "at": 1_790_000_000_000_i64});
    assert_eq!(written, serde_json::json!({"type": "certification.failed", "data": data}));
    let submit = CertificationCommand::Submit {
        application: application(vec![photo(1)]),
        bearer: bearer("厦门大学"),
    };
    let written = serde_json::to_value(&Certification::default().decide(submit, NOW).unwrap()[0]).unwrap();
    let application = serde_json::json!({"certification_id": "1", "rider_id": "7", "agent_id": "2", "area_id": "3", "kind": 1,
        "photos": [{"id": "1", "sha256": "ab"}], "phone_key": "p7"});
    assert_eq!(written["data"]["application"], application, "{written}");
}
