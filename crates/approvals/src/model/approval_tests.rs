//! How requests are decided.

use serde_json::json;
use vocabulary::{AgentId, AreaId, Reach};

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const END: Timestamp = NOW.plus_millis(LIFE_MS);
const CLERK: OperatorId = OperatorId(7);
const SECOND: OperatorId = OperatorId(8);
const OWNER: DataOwner = DataOwner::of_area(AgentId(2), AreaId(20));

fn codes(texts: &[&str]) -> BTreeSet<PermissionCode> {
    texts.iter().map(|text| PermissionCode::try_from((*text).to_owned()).unwrap()).collect()
}

fn request() -> Request {
    Request {
        approval_id: ApprovalId(5),
        kind: "order.refund".to_owned(),
        subject: Subject { category: "ride-order".to_owned(), id: "9".to_owned() },
        summary: " 退款 120.00 元 ".to_owned(),
        amount_cents: 12_000,
        payload: json!({"cents": 12_000}),
        requester: CLERK,
        codes: codes(&["160101", "1602"]),
        reason: "重复扣款".to_owned(),
        owner: OWNER,
        expires_at: END,
    }
}

fn name(of: OperatorId) -> Personal<String> {
    Personal::new(format!("operator:{of}"), "王芳".to_owned())
}

fn by(operator: OperatorId, held: &[&str]) -> Decider {
    Decider { operator, name: name(operator), codes: codes(held) }
}

fn standing() -> Standing {
    let scope = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
    Standing { enabled: true, codes: codes(&["1602"]), scope }
}

fn asked(request: Request) -> ApprovalCommand {
    ApprovalCommand::Request { request, name: name(CLERK) }
}

fn approve(by: Decider) -> ApprovalCommand {
    ApprovalCommand::Approve { by, requester: Some(standing()) }
}

fn reject(reason: &str) -> ApprovalCommand {
    ApprovalCommand::Reject { by: by(SECOND, &["1602"]), reason: reason.to_owned() }
}

fn after(commands: Vec<ApprovalCommand>) -> Approval {
    let mut approval = Approval::default();
    for command in commands {
        for event in approval.decide(command, NOW).unwrap() {
            approval.evolve(&event);
        }
    }
    approval
}

fn refused(approval: &Approval, command: ApprovalCommand) -> Refusal {
    approval.decide(command, NOW).unwrap_err()
}

#[test]
fn another_who_holds_one_of_the_codes_says_yes() {
    let waiting = after(vec![asked(request())]);
    assert_eq!(waiting.request().unwrap().summary, "退款 120.00 元");
    let events = waiting.decide(approve(by(SECOND, &["0301", "1602"])), NOW).unwrap();
    assert_eq!(events, [ApprovalEvent::Approved { by: SECOND, name: name(SECOND) }]);
}

#[test]
fn nobody_decides_what_he_asked_for_himself() {
    let waiting = after(vec![asked(request())]);
    assert_eq!(refused(&waiting, approve(by(CLERK, &["1602"]))), Refusal::Own);
    let no = ApprovalCommand::Reject { by: by(CLERK, &["1602"]), reason: "不".to_owned() };
    assert_eq!(refused(&waiting, no), Refusal::Own);
}

#[test]
fn who_holds_none_of_the_codes_decides_nothing() {
    let waiting = after(vec![asked(request())]);
    assert_eq!(refused(&waiting, approve(by(SECOND, &["0301"]))), Refusal::NotPermitted);
}

#[test]
fn who_asked_must_still_be_able_to_do_it_himself() {
    let waiting = after(vec![asked(request())]);
    let with =
        |requester| refused(&waiting, ApprovalCommand::Approve { by: by(SECOND, &["1602"]), requester });
    assert_eq!(with(None), Refusal::RequesterDisabled);
    assert_eq!(with(Some(Standing { enabled: false, ..standing() })), Refusal::RequesterDisabled);
    assert_eq!(with(Some(Standing { codes: codes(&["0301"]), ..standing() })), Refusal::RequesterCodes);
    let scope = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(21)]));
    assert_eq!(with(Some(Standing { scope, ..standing() })), Refusal::RequesterReach);
    // To say no it does not matter.
    assert!(waiting.decide(reject("账号已停用"), NOW).is_ok());
}

#[test]
fn what_is_decided_once_is_decided() {
    let yes = || approve(by(SECOND, &["1602"]));
    let withdraw = || ApprovalCommand::Withdraw { by: CLERK };
    for first in [yes(), reject("不符合规定"), withdraw()] {
        let over = after(vec![asked(request()), first]);
        for next in [yes(), reject("不符合规定"), withdraw(), ApprovalCommand::Expire] {
            assert!(matches!(refused(&over, next), Refusal::Over { .. }));
        }
    }
}

#[test]
fn after_a_day_nothing_is_decided_and_it_ends_once() {
    let waiting = after(vec![asked(request())]);
    assert_eq!(refused(&waiting, ApprovalCommand::Expire), Refusal::TooEarly);
    let last = END.plus_millis(-1);
    assert!(waiting.decide(approve(by(SECOND, &["1602"])), last).is_ok());
    let late = |command| waiting.decide(command, END).unwrap_err();
    assert_eq!(late(approve(by(SECOND, &["1602"]))), Refusal::Late);
    assert_eq!(late(reject("太晚")), Refusal::Late);
    assert_eq!(late(ApprovalCommand::Withdraw { by: CLERK }), Refusal::Late);
    let mut over = waiting.clone();
    for event in waiting.decide(ApprovalCommand::Expire, END).unwrap() {
        over.evolve(&event);
    }
    assert_eq!(over.decide(ApprovalCommand::Expire, END), Ok(vec![]));
    assert_eq!(refused(&over, approve(by(SECOND, &["1602"]))), Refusal::Late);
}

#[test]
fn only_who_asked_takes_it_back() {
    let waiting = after(vec![asked(request())]);
    assert_eq!(refused(&waiting, ApprovalCommand::Withdraw { by: SECOND }), Refusal::NotRequester);
    let events = waiting.decide(ApprovalCommand::Withdraw { by: CLERK }, NOW);
    assert_eq!(events, Ok(vec![ApprovalEvent::Withdrawn]));
}

#[test]
fn a_no_says_why() {
    let waiting = after(vec![asked(request())]);
    for bad in [" ".to_owned(), "长".repeat(201)] {
        assert_eq!(refused(&waiting, reject(&bad)), Refusal::RejectReason);
    }
    assert!(waiting.decide(reject(&"长".repeat(200)), NOW).is_ok());
}

#[test]
fn what_is_asked_for_is_bounded() {
    let of = |change: fn(&mut Request)| {
        let mut bad = request();
        change(&mut bad);
        refused(&Approval::default(), asked(bad))
    };
    assert_eq!(of(|bad| bad.summary = "  ".to_owned()), Refusal::Summary);
    assert_eq!(of(|bad| bad.summary = "长".repeat(101)), Refusal::Summary);
    assert_eq!(of(|bad| bad.reason = "长".repeat(201)), Refusal::Reason);
    assert_eq!(of(|bad| bad.amount_cents = -1), Refusal::Amount);
    assert_eq!(of(|bad| bad.payload = json!("x".repeat(PAYLOAD_MAX_BYTES))), Refusal::Payload);
    assert_eq!(of(|bad| bad.codes.clear()), Refusal::Codes);
    assert_eq!(refused(&after(vec![asked(request())]), asked(request())), Refusal::Exists);
    assert_eq!(refused(&Approval::default(), approve(by(SECOND, &["1602"]))), Refusal::Unknown);
}

#[test]
fn of_one_subject_and_kind_one_request_waits() {
    let told = |approval: &Approval, event: &ApprovalEvent| -> Vec<(String, bool)> {
        let told = |claim| match claim {
            Claim::Take { key, .. } => (key, true),
            Claim::Release { key } => (key, false),
        };
        approval.claims(event).into_iter().map(told).collect()
    };
    let key = "approval:order.refund:ride-order:9".to_owned();
    let came = ApprovalEvent::Requested { request: request(), name: name(CLERK) };
    assert_eq!(told(&Approval::default(), &came), [(key.clone(), true)]);
    let waiting = after(vec![asked(request())]);
    for over in [ApprovalEvent::Withdrawn, ApprovalEvent::Expired] {
        assert_eq!(told(&waiting, &over), [(key.clone(), false)]);
    }
}

#[test]
fn events_are_stored_so() {
    let mut kept = request();
    kept.summary = "退款 120.00 元".to_owned();
    let stored = serde_json::to_value(ApprovalEvent::Requested { request: kept, name: name(CLERK) }).unwrap();
    assert_eq!(stored["type"], "approval.requested");
    assert_eq!(
        stored["data"]["request"],
        json!({"approval_id": "5", "kind": "order.refund", "subject": {"category": "ride-order", "id": "9"},
            "summary": "退款 120.00 元", "amount_cents": 12_000, "payload": {"cents": 12_000}, "requester": "7",
            "codes": ["160101", "1602"], "reason": "重复扣款", "owner": {"agent": "2", "area": "20"},
            "expires_at": 1_800_086_400_000_i64})
    );
    let no = ApprovalEvent::Rejected { by: SECOND, name: name(SECOND), reason: "不符".to_owned() };
    let stored = serde_json::to_value(no).unwrap();
    assert_eq!(
        (&stored["type"], &stored["data"]["by"], &stored["data"]["reason"]),
        (&json!("approval.rejected"), &json!("8"), &json!("不符"))
    );
    for (event, named) in
        [(ApprovalEvent::Withdrawn, "approval.withdrawn"), (ApprovalEvent::Expired, "approval.expired")]
    {
        assert_eq!(serde_json::to_value(event).unwrap(), json!({"type": named}));
    }
}
