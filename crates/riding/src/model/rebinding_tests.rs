use vocabulary::AttachmentId;

use super::*;
use crate::model::review::PHOTOS_KEPT_MS;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

fn phone(last: &str) -> Phone {
    format!("1380000{last}").parse().unwrap()
}

fn identity(name: &str, id_no: &str) -> Identity {
    Identity { name: name.to_owned(), id_no: id_no.to_owned() }
}

fn submit(wish: Wish) -> RebindingCommand {
    let request = Request {
        rebinding_id: RebindingId(1),
        rider_id: RiderId(7),
        agent_id: AgentId(2),
        area_id: AreaId(3),
        kind: wish.kind(),
        photos: vec![Photo { id: AttachmentId(1), sha256: "ab".to_owned() }],
        phone_key: "p7".to_owned(),
        wanted_key: "p8".to_owned(),
    };
    let claimant =
        Claimant { phone: phone("0007"), identity: identity("张三", "11010519491231002X"), wish };
    RebindingCommand::Submit { request, claimant: Personal::new("rider:7", claimant) }
}

fn reviewer(key: &str) -> Reviewer {
    Reviewer { name: Personal::new("operator:1", "李审".to_owned()), phone_key: Some(key.to_owned()) }
}

fn act(it: &mut Rebinding, command: RebindingCommand, now: Timestamp) -> Result<usize, Refusal> {
    let events = it.decide(command, now)?;
    for event in &events {
        it.evolve(event);
    }
    Ok(events.len())
}

fn submitted() -> Rebinding {
    let mut it = Rebinding::default();
    act(&mut it, submit(Wish::Phone(phone("0008"))), NOW).unwrap();
    it
}

#[test]
fn what_is_so_already_is_not_asked_for() {
    let refused = |wish| Rebinding::default().decide(submit(wish), NOW).map(drop);
    assert_eq!(refused(Wish::Phone(phone("0007"))), Err(Refusal::Same));
    assert_eq!(refused(Wish::Identity(identity(" 张三", "11010519491231002x"))), Err(Refusal::Same));
    assert_eq!(refused(Wish::Identity(identity("张三", "110"))), Err(Refusal::Rider(RiderRefusal::IdNo)));
    assert_eq!(refused(Wish::Identity(identity("李四", "11010519491231002X"))), Ok(()));
}

#[test]
fn nobody_decides_for_his_old_phone_or_for_his_new_one() {
    for key in ["p7", "p8"] {
        assert_eq!(
            act(&mut submitted(), RebindingCommand::Pass { reviewer: reviewer(key) }, NOW),
            Err(Refusal::Own),
            "{key}"
        );
    }
    let mut it = submitted();
    assert_eq!(act(&mut it, RebindingCommand::Pass { reviewer: reviewer("p1") }, NOW), Ok(1));
    let again = RebindingCommand::Fail { reason: "模糊".to_owned(), reviewer: reviewer("p1") };
    assert_eq!(act(&mut it, again, NOW), Err(Refusal::NotNow { now: "已通过", act: "驳回" }));
}

#[test]
fn a_forgotten_rider_gets_nothing_new() {
    let mut it = submitted();
    it.claimant = Some(Personal::Forgotten { subject: "rider:7".to_owned() });
    assert_eq!(
        act(&mut it, RebindingCommand::Pass { reviewer: reviewer("p1") }, NOW),
        Err(Refusal::Forgotten)
    );
}

#[test]
fn photos_go_thirty_days_after_it_was_closed() {
    let mut it = submitted();
    act(&mut it, RebindingCommand::Cancel { rider: RiderId(7) }, NOW).unwrap();
    let due = NOW.plus_millis(PHOTOS_KEPT_MS);
    assert_eq!(act(&mut it, RebindingCommand::DropPhotos, due.plus_millis(-1)), Err(Refusal::TooEarly));
    assert_eq!(act(&mut it, RebindingCommand::DropPhotos, due), Ok(1));
}

#[test]
fn stored_forms_stay() {
    let RebindingEvent::Submitted { request, claimant, at } =
        &Rebinding::default().decide(submit(Wish::Phone(phone("0008"))), NOW).unwrap()[0]
    else {
        panic!("handed in")
    };
    let written = serde_json::json!({"rebinding_id": "1", "rider_id": "7", "agent_id": "2", "area_id": "3", "kind": 1,
        "photos": [{"id": "1", "sha256": "ab"}], "phone_key": "p7", "wanted_key": "p8"});
    assert_eq!(serde_json::to_value(request).unwrap(), written);
    let said = serde_json::json!({"phone": "13800000007", "identity": {"name": "张三", "id_no": "11010519491231002X"},
        "wish": {"Phone": "13800000008"}});
    assert_eq!(serde_json::to_value(claimant.known()).unwrap(), said);
    assert_eq!(*at, NOW);
}
