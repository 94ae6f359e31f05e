use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Personal};
use vocabulary::{AgentId, AreaId, BlacklistEntryId, PaymentId, RiderId, Timestamp};

use super::rider::RiderRefusal as Refusal;
use super::rider::*;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

fn registered() -> Rider {
    let registration = Registration {
        rider_id: RiderId(7),
        agent_id: AgentId(2),
        area_id: AreaId(3),
        channel: RegisterChannel::WeChat,
        phone: Personal::new("rider:7", "13800000007".parse().unwrap()),
        phone_key: "p7".to_owned(),
    };
    let mut rider = Rider::default();
    act(&mut rider, RiderCommand::Register(registration)).unwrap();
    rider
}

fn identity(name: &str, id_no: &str) -> Personal<Identity> {
    Personal::new("rider:7", Identity { name: name.to_owned(), id_no: id_no.to_owned() })
}

fn verify(id_no: &str) -> RiderCommand {
    let identity = identity(" 张三 ", id_no);
    RiderCommand::Verify { identity, id_key: "i7".to_owned(), method: IdentityMethod::TwoFactors }
}

fn act(rider: &mut Rider, command: RiderCommand) -> Result<Vec<RiderEvent>, RiderRefusal> {
    let events = rider.decide(command, NOW)?;
    for event in &events {
        rider.evolve(event);
    }
    Ok(events)
}

#[test]
fn who_is_not_verified_does_not_ride() {
    let mut rider = registered();
    let free = BTreeSet::from([Qualification::Free]);
    assert_eq!(rider.may_ride(NOW, &free), Err(Refusal::Unverified));
    assert_eq!(act(&mut rider, verify("11010519491231002Y")), Err(Refusal::IdNo));
    act(&mut rider, verify("11010519491231002x")).unwrap();
    assert_eq!(rider.identity().map(|who| (&*who.name, &*who.id_no)), Some(("张三", "11010519491231002X")));
    assert_eq!(rider.may_ride(NOW, &free), Ok(Qualification::Free));
    assert_eq!(act(&mut rider, verify("11010519491231002X")), Err(Refusal::Verified));
}

#[test]
fn a_path_that_is_closed_or_over_qualifies_nobody() {
    let mut rider = registered();
    act(&mut rider, verify("11010519491231002X")).unwrap();
    let paths = BTreeSet::from([Qualification::Deposit, Qualification::Membership]);
    assert_eq!(rider.may_ride(NOW, &paths), Err(Refusal::Unqualified));
    let until = Some(NOW.plus_millis(1));
    act(&mut rider, RiderCommand::Qualify { by: Qualification::Membership, until }).unwrap();
    assert_eq!(rider.may_ride(NOW, &paths), Ok(Qualification::Membership));
    assert_eq!(rider.may_ride(NOW.plus_millis(1), &paths), Err(Refusal::Unqualified));
    act(&mut rider, RiderCommand::PayDeposit { amount_cents: 9_900, payment: PaymentId(1) }).unwrap();
    assert_eq!(rider.may_ride(NOW.plus_millis(1), &paths), Ok(Qualification::Deposit));
    act(&mut rider, RiderCommand::AskDepositBack).unwrap();
    assert_eq!(rider.may_ride(NOW.plus_millis(1), &paths), Err(Refusal::Unqualified));
}

#[test]
fn a_frozen_deposit_does_not_go_back() {
    let mut rider = registered();
    act(&mut rider, RiderCommand::PayDeposit { amount_cents: 9_900, payment: PaymentId(1) }).unwrap();
    let freeze = RiderCommand::FreezeDeposit { reason: "恶意占车".to_owned(), until: None };
    act(&mut rider, freeze).unwrap();
    let refusal = Refusal::Deposit { now: "已冻结", act: "退还" };
    assert_eq!(act(&mut rider, RiderCommand::AskDepositBack), Err(refusal));
    assert_eq!(act(&mut rider, RiderCommand::Close), Err(Refusal::DepositLeft));
    act(&mut rider, RiderCommand::RecoverDeposit { reason: "误判".to_owned() }).unwrap();
    act(&mut rider, RiderCommand::AskDepositBack).unwrap();
    act(&mut rider, RiderCommand::DepositStayed).unwrap();
    assert_eq!(rider.deposit(), (DepositState::Paid, 9_900));
}

#[test]
fn a_deposit_kept_until_a_time_is_free_by_itself_then() {
    let mut rider = registered();
    act(&mut rider, RiderCommand::PayDeposit { amount_cents: 9_900, payment: PaymentId(1) }).unwrap();
    let freeze = |until| RiderCommand::FreezeDeposit { reason: "待核实".to_owned(), until };
    assert_eq!(act(&mut rider, freeze(Some(NOW))), Err(Refusal::Until));
    let until = NOW.plus_millis(10);
    act(&mut rider, freeze(Some(until))).unwrap();
    assert_eq!(rider.deposit_state(NOW), DepositState::Frozen);
    assert_eq!(rider.deposit_freeze(NOW).map(|freeze| &*freeze.reason), Some("待核实"));
    assert_eq!(rider.deposit_state(until), DepositState::Paid);
    assert_eq!(rider.deposit_freeze(until), None);
    assert!(rider.decide(RiderCommand::AskDepositBack, until).is_ok());
    assert!(rider.decide(RiderCommand::RecoverDeposit { reason: "误判".to_owned() }, until).is_err());
}

#[test]
fn money_comes_by_hand_under_a_name_and_for_a_reason() {
    const REQUEST: &str = "0192f0c1-2b3c-7d4e-8f50-a1b2c3d4e5f6";
    let mut rider = registered();
    let adjust = |request: &str, amount_cents, gift_cents| RiderCommand::AdjustWallet {
        adjustment: Adjustment { request: request.to_owned(), amount_cents, gift_cents },
        reason: "补偿".to_owned(),
    };
    assert_eq!(act(&mut rider, adjust("1", 100, 0)), Err(Refusal::WalletRequest));
    assert_eq!(act(&mut rider, adjust(&REQUEST.to_uppercase(), 100, 0)), Err(Refusal::WalletRequest));
    for cents in [-1, 0, WALLET_MAX_CENTS + 1] {
        assert_eq!(act(&mut rider, adjust(REQUEST, cents, 0)), Err(Refusal::WalletAmount));
    }
    for cents in [-1, WALLET_MAX_CENTS + 1] {
        assert_eq!(act(&mut rider, adjust(REQUEST, 1, cents)), Err(Refusal::WalletGift));
    }
    assert_eq!(act(&mut rider, adjust(REQUEST, 1, WALLET_MAX_CENTS)).map(|events| events.len()), Ok(1));
    act(&mut rider, RiderCommand::Close).unwrap();
    assert_eq!(act(&mut rider, adjust(REQUEST, 1, 0)), Err(Refusal::Closed));
}

#[test]
fn the_blacklist_ends_by_itself() {
    let mut rider = registered();
    let until = Some(NOW.plus_millis(10));
    act(&mut rider, RiderCommand::Blacklist { entry: BlacklistEntryId(1), until }).unwrap();
    assert_eq!(rider.account_state(NOW), AccountState::Blacklisted);
    assert_eq!(rider.account_state(NOW.plus_millis(10)), AccountState::Normal);
}

#[test]
fn who_goes_gives_back_his_phone_and_his_number() {
    let mut rider = registered();
    act(&mut rider, verify("11010519491231002X")).unwrap();
    let released: Vec<String> = rider
        .claims(&RiderEvent::Closed { at: NOW })
        .into_iter()
        .map(|claim| match claim {
            Claim::Release { key } => key,
            Claim::Take { key, .. } => panic!("{key} is taken"),
        })
        .collect();
    assert_eq!(released, ["rider-phone:2:p7", "rider-id:2:i7"]);
    act(&mut rider, RiderCommand::Close).unwrap();
    assert_eq!(act(&mut rider, RiderCommand::Close), Err(Refusal::Closed));
}
