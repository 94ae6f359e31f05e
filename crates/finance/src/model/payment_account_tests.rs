use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const ACCOUNT: PaymentAccountId = PaymentAccountId(70);
const AGENT: AgentId = AgentId(2);
/// The example of GB 11643-1999 itself: it belongs to nobody.
const IDENTITY: &str = "11010519491231002X";
/// The example of GB 32100-2015.
const CREDIT: &str = "91350100M000100Y43";
/// From the issuer's numbers for tests.
const CARD: &str = "4111111111111111";
const MOBILE: &str = "13900000001";

fn minutes(count: i64) -> Timestamp {
    NOW.plus_millis(count * 60_000)
}

fn application() -> Application {
    Application::new(AccountType::Company, "厦门骑行科技有限公司", CREDIT, "陈建国", MOBILE).unwrap()
}

fn apply() -> PaymentAccountCommand {
    PaymentAccountCommand::Apply { account_id: ACCOUNT, agent_id: AGENT, application: application() }
}

fn to(account: &PaymentAccount, status: AccountStatus, level: i16, reason: &str) -> PaymentAccountCommand {
    PaymentAccountCommand::SetStatus {
        revision: account.revision(),
        status,
        level: AccountLevel::try_from(level).ok(),
        reason: reason.to_owned(),
    }
}

fn card_form() -> BankCardForm {
    BankCardForm {
        card_no: "4111 1111 1111 1111".to_owned(),
        mobile: MOBILE.to_owned(),
        bank_name: "中国工商银行".to_owned(),
        holder: "陈建国".to_owned(),
        id_no: IDENTITY.to_owned(),
    }
}

fn bind(id: i64) -> PaymentAccountCommand {
    PaymentAccountCommand::BindCard { card_id: BankCardId(id), card: card_form() }
}

fn resend() -> PaymentAccountCommand {
    PaymentAccountCommand::ResendCode { phone: MOBILE.parse().unwrap() }
}

fn confirm(id: i64) -> PaymentAccountCommand {
    PaymentAccountCommand::ConfirmCard { card_id: BankCardId(id) }
}

fn ask_unbinding(card_no: &str) -> PaymentAccountCommand {
    PaymentAccountCommand::AskUnbinding { card_no: card_no.to_owned(), reason: "换卡".to_owned() }
}

fn answer(id: i64, agree: bool) -> PaymentAccountCommand {
    PaymentAccountCommand::AnswerUnbinding { card_id: BankCardId(id), agree, reason: String::new() }
}

/// Does it, and says what happened.
fn does(account: &mut PaymentAccount, command: PaymentAccountCommand, now: Timestamp) -> Vec<&'static str> {
    use kernel::Event;
    let events = account.decide(command, now).unwrap();
    for event in &events {
        account.evolve(event);
    }
    events.iter().map(Event::stored_type).collect()
}

fn refuses(
    account: &PaymentAccount,
    command: PaymentAccountCommand,
    now: Timestamp,
) -> PaymentAccountRefusal {
    account.decide(command, now).unwrap_err()
}

fn applied() -> PaymentAccount {
    let mut account = PaymentAccount::default();
    does(&mut account, apply(), NOW);
    account
}

fn normal() -> PaymentAccount {
    let mut account = applied();
    let open = to(&account, AccountStatus::Normal, 2, "");
    does(&mut account, open, NOW);
    account
}

fn standing(status: AccountStatus) -> PaymentAccount {
    use AccountStatus::{Applied, Closed, Frozen, None, Normal, Rejected};
    let mut account = match status {
        None => return PaymentAccount::default(),
        Applied => return applied(),
        Rejected => applied(),
        Normal | Frozen | Closed => normal(),
    };
    if status != Normal {
        let command = to(&account, status, 0, "因为");
        does(&mut account, command, NOW);
    }
    assert_eq!(account.status(), status);
    account
}

const STATUSES: [AccountStatus; 5] = [
    AccountStatus::Applied,
    AccountStatus::Normal,
    AccountStatus::Rejected,
    AccountStatus::Frozen,
    AccountStatus::Closed,
];

#[test]
fn fin_034_a_agent_applies_once_and_again_only_after_a_refusal() {
    let mut account = PaymentAccount::default();
    assert_eq!(does(&mut account, apply(), NOW), ["payment-account.applied"]);
    for (status, expected) in [
        (AccountStatus::Applied, PaymentAccountRefusal::Applying),
        (AccountStatus::Normal, PaymentAccountRefusal::Exists),
        (AccountStatus::Frozen, PaymentAccountRefusal::Exists),
        (AccountStatus::Closed, PaymentAccountRefusal::Over),
    ] {
        assert_eq!(refuses(&standing(status), apply(), NOW), expected, "{status:?}");
    }
    let mut rejected = standing(AccountStatus::Rejected);
    assert_eq!(does(&mut rejected, apply(), NOW), ["payment-account.reapplied"]);
    assert_eq!(rejected.status(), AccountStatus::Applied);
}

#[test]
fn a_agents_one_account_is_claimed_for_ever() {
    let events = PaymentAccount::default().decide(apply(), NOW).unwrap();
    let claims = PaymentAccount::default().claims(&events[0]);
    assert!(matches!(&claims[..], [Claim::Take { key, refusal: PaymentAccountRefusal::Exists }]
        if key == "payment-account-of:2"));
    let closing = PaymentAccountEvent::Closed { reason: "散伙".to_owned() };
    assert!(normal().claims(&closing).is_empty());
}

#[test]
fn only_the_ways_of_the_contract_lead_from_status_to_status() {
    use AccountStatus::{Applied, Closed, Frozen, Normal, Rejected};
    let ways = [
        (Applied, Normal, "payment-account.opened"),
        (Applied, Rejected, "payment-account.rejected"),
        (Normal, Frozen, "payment-account.frozen"),
        (Frozen, Normal, "payment-account.unfrozen"),
        (Normal, Closed, "payment-account.closed"),
        (Frozen, Closed, "payment-account.closed"),
    ];
    for from in STATUSES {
        for into in STATUSES {
            let mut account = standing(from);
            let command = to(&account, into, 2, "原因");
            if let Some((.., event)) = ways.iter().find(|way| (way.0, way.1) == (from, into)) {
                assert_eq!(does(&mut account, command, NOW), [*event]);
                assert_eq!(account.status(), into);
            } else {
                let no = PaymentAccountRefusal::NoWay { now: from.label(), to: into.label() };
                assert_eq!(refuses(&account, command, NOW), no);
            }
        }
    }
}

#[test]
fn opening_wants_a_level_and_everything_else_a_reason() {
    use AccountStatus::{Closed, Frozen, Normal, Rejected};
    let waiting = applied();
    assert_eq!(refuses(&waiting, to(&waiting, Normal, 3, ""), NOW), PaymentAccountRefusal::Level);
    let long = "因".repeat(REASON_MAX + 1);
    for (from, into) in [
        (AccountStatus::Applied, Rejected),
        (Normal, Frozen),
        (Normal, Closed),
        (Frozen, Normal),
        (Frozen, Closed),
    ] {
        for reason in ["", " \t", &long] {
            let account = standing(from);
            let no = refuses(&account, to(&account, into, 1, reason), NOW);
            assert_eq!(no, PaymentAccountRefusal::Reason, "{from:?} {into:?} {reason}");
        }
    }
}

#[test]
fn who_saw_an_older_revision_records_nothing() {
    let mut account = normal();
    let old = to(&account, AccountStatus::Frozen, 0, "风控");
    does(&mut account, bind(1), NOW);
    let stale = PaymentAccountRefusal::Stale { seen: 2, actual: 3 };
    assert_eq!(refuses(&account, old, NOW), stale, "a card was named meanwhile");
    let seen = account.revision();
    does(&mut account, resend(), minutes(1));
    let ask = PaymentAccountCommand::AskPassword { call: PasswordCall::Modify, link: "a".to_owned() };
    does(&mut account, ask, NOW);
    assert_eq!(account.revision(), seen, "a code sent again and a link asked for change nothing he looks at");
}

#[test]
fn fin_030_a_card_is_named_for_usable_accounts_and_takes_the_place_of_one_that_waits() {
    for status in STATUSES.into_iter().filter(|status| *status != AccountStatus::Normal) {
        let no = PaymentAccountRefusal::NotNow { now: status.label(), act: "绑卡" };
        assert_eq!(refuses(&standing(status), bind(1), NOW), no);
    }
    assert_eq!(refuses(&PaymentAccount::default(), bind(1), NOW), PaymentAccountRefusal::Unknown);
    let mut account = normal();
    assert_eq!(does(&mut account, bind(1), NOW), ["payment-account.card_named"]);
    let early = minutes(1).plus_millis(-1);
    assert_eq!(refuses(&account, bind(2), early), PaymentAccountRefusal::TooSoon, "each sends a code");
    assert_eq!(
        does(&mut account, bind(2), minutes(1)),
        ["payment-account.card_failed", "payment-account.card_named"]
    );
    assert_eq!(refuses(&account, confirm(1), NOW), PaymentAccountRefusal::CodeOver, "it was replaced");
    assert_eq!(does(&mut account, confirm(2), NOW), ["payment-account.card_bound"]);
    assert_eq!(refuses(&account, bind(3), NOW), PaymentAccountRefusal::CardBound);
    does(&mut account, ask_unbinding("1111"), NOW);
    assert_eq!(refuses(&account, bind(3), NOW), PaymentAccountRefusal::CardBound, "it is not let go yet");
    does(&mut account, answer(2, true), NOW);
    assert_eq!(refuses(&account, bind(3), minutes(1)), PaymentAccountRefusal::TooSoon, "nor after another");
    does(&mut account, bind(3), minutes(2));
}

#[test]
fn each_field_of_a_card_is_looked_at() {
    let account = normal();
    let card_no = PaymentAccountRefusal::CardNo(super::super::numbers::NotACardNo);
    for (change, expected) in [
        ((|form: &mut BankCardForm| form.card_no = "4111111111111112".to_owned()) as fn(&mut _), card_no),
        (|form| form.mobile = "12900000001".to_owned(), PaymentAccountRefusal::Phone),
        (|form| form.bank_name = String::new(), PaymentAccountRefusal::Name { what: "开户银行", max: 32 }),
        (|form| form.holder = "陈**".to_owned(), PaymentAccountRefusal::Name { what: "持卡人", max: 64 }),
        (|form| form.id_no = "110105194912310020".to_owned(), PaymentAccountRefusal::HolderCert),
    ] {
        let mut card = card_form();
        change(&mut card);
        let command = PaymentAccountCommand::BindCard { card_id: BankCardId(1), card };
        assert_eq!(refuses(&account, command, NOW), expected);
    }
    // A company's card may be in its own name.
    let card = BankCardForm { id_no: CREDIT.to_owned(), ..card_form() };
    assert!(account.decide(PaymentAccountCommand::BindCard { card_id: BankCardId(1), card }, NOW).is_ok());
}

#[test]
fn an_application_names_a_certificate_of_its_type() {
    let made = |kind, cert: &str| Application::new(kind, "王芳", cert, "王芳", MOBILE);
    for (kind, right, other) in [
        (AccountType::Individual, IDENTITY, CREDIT),
        (AccountType::Company, CREDIT, IDENTITY),
        (AccountType::SoleTrader, CREDIT, IDENTITY),
    ] {
        assert!(made(kind, right).is_ok(), "{kind:?}");
        assert!(matches!(made(kind, other), Err(PaymentAccountRefusal::Cert(_))), "{kind:?}");
    }
    let application = |name: &str, contact: &str, phone: &str| {
        Application::new(AccountType::Company, name, CREDIT, contact, phone).unwrap_err()
    };
    let long = "司".repeat(65);
    for name in ["", " ", "公*", "公\n司", &long] {
        let no = PaymentAccountRefusal::Name { what: "开户名称", max: 64 };
        assert_eq!(application(name, "王芳", MOBILE), no);
    }
    let no = PaymentAccountRefusal::Name { what: "联系人", max: 20 };
    assert_eq!(application("公司", "王**", MOBILE), no);
    assert_eq!(application("公司", "王芳", "1390000000"), PaymentAccountRefusal::Phone);
}

#[test]
fn fin_031_a_code_proves_a_card_for_ten_minutes_from_its_last_sending() {
    let mut account = normal();
    does(&mut account, bind(1), NOW);
    let in_time = minutes(10).plus_millis(-1);
    assert!(account.decide(confirm(1), in_time).is_ok());
    assert_eq!(refuses(&account, confirm(1), minutes(10)), PaymentAccountRefusal::CodeOver);
    let expire = || PaymentAccountCommand::ExpireCard { card_id: BankCardId(1) };
    assert_eq!(refuses(&account, expire(), in_time), PaymentAccountRefusal::TooEarly);
    does(&mut account, resend(), minutes(9));
    assert_eq!(refuses(&account, expire(), minutes(10)), PaymentAccountRefusal::TooEarly);
    assert!(account.decide(confirm(1), minutes(19).plus_millis(-1)).is_ok());
    assert_eq!(does(&mut account, expire(), minutes(19)), ["payment-account.card_failed"]);
    assert!(does(&mut account, expire(), minutes(19)).is_empty(), "already so");
    assert_eq!(refuses(&account, confirm(1), minutes(19)), PaymentAccountRefusal::CodeOver);
}

#[test]
fn wrong_codes_fail_a_card_that_waits_and_no_other() {
    let fail = || PaymentAccountCommand::FailCard { card_id: BankCardId(1) };
    let mut account = normal();
    does(&mut account, bind(1), NOW);
    let mut bound = account.clone();
    assert_eq!(does(&mut account, fail(), NOW), ["payment-account.card_failed"]);
    assert!(account.pending_card().is_none());
    does(&mut bound, confirm(1), NOW);
    assert!(does(&mut bound, fail(), NOW).is_empty());
}

#[test]
fn fin_048_a_code_is_sent_again_to_the_same_phone_once_a_minute_and_ten_times_a_day() {
    let mut account = normal();
    assert_eq!(refuses(&account, resend(), NOW), PaymentAccountRefusal::NoPendingCard);
    does(&mut account, bind(1), NOW);
    let other = PaymentAccountCommand::ResendCode { phone: "13900000002".parse().unwrap() };
    assert_eq!(refuses(&account, other, minutes(1)), PaymentAccountRefusal::OtherPhone);
    let early = minutes(1).plus_millis(-1);
    assert_eq!(refuses(&account, resend(), early), PaymentAccountRefusal::TooSoon);
    for count in 1..10 {
        assert_eq!(does(&mut account, resend(), minutes(count)), ["payment-account.code_resent"]);
    }
    assert_eq!(refuses(&account, resend(), minutes(10)), PaymentAccountRefusal::CodesADay);
    assert_eq!(refuses(&account, bind(2), minutes(10)), PaymentAccountRefusal::CodesADay);
    let tomorrow = NOW.plus_millis(DAY_MS);
    does(&mut account, bind(2), tomorrow);
    assert_eq!(refuses(&account, resend(), tomorrow), PaymentAccountRefusal::TooSoon);
    assert_eq!(refuses(&account, resend(), tomorrow.plus_millis(60_000 - 1)), PaymentAccountRefusal::TooSoon);
}

#[test]
fn fin_033_the_bound_card_is_let_go_by_the_platform_or_stays() {
    let mut account = normal();
    assert_eq!(refuses(&account, ask_unbinding("1111"), NOW), PaymentAccountRefusal::NoBoundCard);
    does(&mut account, bind(1), NOW);
    assert_eq!(refuses(&account, ask_unbinding("1111"), NOW), PaymentAccountRefusal::NoBoundCard);
    does(&mut account, confirm(1), NOW);
    assert_eq!(refuses(&account, answer(1, true), NOW), PaymentAccountRefusal::NotUnbinding);
    assert_eq!(refuses(&account, ask_unbinding("1112"), NOW), PaymentAccountRefusal::OtherCard);
    let silent = PaymentAccountCommand::AskUnbinding { card_no: "1111".to_owned(), reason: String::new() };
    assert_eq!(refuses(&account, silent, NOW), PaymentAccountRefusal::Reason);
    assert_eq!(does(&mut account, ask_unbinding("1111"), NOW), ["payment-account.unbinding_asked"]);
    assert_eq!(refuses(&account, ask_unbinding("1111"), NOW), PaymentAccountRefusal::UnbindingAlready);
    assert_eq!(refuses(&account, answer(2, true), NOW), PaymentAccountRefusal::NotUnbinding);
    assert_eq!(does(&mut account, answer(1, false), NOW), ["payment-account.unbinding_declined"]);
    assert_eq!(does(&mut account, ask_unbinding(CARD), NOW), ["payment-account.unbinding_asked"]);
    assert_eq!(does(&mut account, answer(1, true), NOW), ["payment-account.card_unbound"]);
    assert_eq!(refuses(&account, ask_unbinding(CARD), NOW), PaymentAccountRefusal::NoBoundCard);
}

#[test]
fn an_account_is_not_closed_while_a_card_is_on_its_way() {
    let close = |account: &PaymentAccount| to(account, AccountStatus::Closed, 0, "散伙");
    let mut account = normal();
    does(&mut account, bind(1), NOW);
    assert_eq!(refuses(&account, close(&account), NOW), PaymentAccountRefusal::CardOpen("待验证"));
    does(&mut account, confirm(1), NOW);
    assert!(account.decide(close(&account), NOW).is_ok(), "a bound card does not hold it open");
    does(&mut account, ask_unbinding("1111"), NOW);
    assert_eq!(refuses(&account, close(&account), NOW), PaymentAccountRefusal::CardOpen("解绑中"));
    let freeze = to(&account, AccountStatus::Frozen, 0, "风控");
    does(&mut account, freeze, NOW);
    assert_eq!(refuses(&account, close(&account), NOW), PaymentAccountRefusal::CardOpen("解绑中"));
    does(&mut account, answer(1, true), NOW);
    let command = close(&account);
    assert_eq!(does(&mut account, command, NOW), ["payment-account.closed"]);
}

#[test]
fn fin_029_only_the_newest_link_sets_the_password_and_only_once() {
    let ask =
        |link: &str| PaymentAccountCommand::AskPassword { call: PasswordCall::Forget, link: link.to_owned() };
    let set = |link: &str| PaymentAccountCommand::SetPassword { link: link.to_owned() };
    for status in STATUSES.into_iter().filter(|status| *status != AccountStatus::Normal) {
        assert_eq!(refuses(&standing(status), ask("a"), NOW), PaymentAccountRefusal::NotOpen, "{status:?}");
    }
    let mut account = normal();
    assert_eq!(refuses(&account, set("a"), NOW), PaymentAccountRefusal::LinkUsed);
    does(&mut account, ask("a"), NOW);
    does(&mut account, ask("b"), NOW);
    assert_eq!(refuses(&account, set("a"), NOW), PaymentAccountRefusal::LinkUsed, "another was asked for");
    assert_eq!(does(&mut account, set("b"), NOW), ["payment-account.password_set"]);
    assert_eq!(refuses(&account, set("b"), NOW), PaymentAccountRefusal::LinkUsed);
}

#[test]
fn the_events_are_stored_as_they_always_were() {
    use serde_json::json;
    let sealed =
        |plain: serde_json::Value| json!({"$personal": {"subject": "payment-account:70", "plain": plain}});
    let card_id = BankCardId(1);
    let reason = || "因为".to_owned();
    let applicant =
        sealed(json!({"customer_name": "厦门骑行科技有限公司", "cert_no": CREDIT, "contact": "陈建国",
        "phone": MOBILE}));
    let card = sealed(json!({"card_no": CARD, "mobile": MOBILE, "holder": "陈建国", "id_no": IDENTITY}));
    let whole = || Personal::new("payment-account:70", application().applicant);
    let (_, bank_card) = card_form().checked(Some(AccountType::Company)).unwrap();
    let named = PaymentAccountEvent::CardNamed {
        card_id,
        bank_name: "中国工商银行".to_owned(),
        card: Personal::new("payment-account:70", bank_card),
        at: NOW,
    };
    let applied = PaymentAccountEvent::Applied {
        account_id: ACCOUNT,
        agent_id: AGENT,
        account_type: AccountType::Company,
        applicant: whole(),
    };
    let reapplied =
        PaymentAccountEvent::Reapplied { account_type: AccountType::Individual, applicant: whole() };
    let asked = PaymentAccountEvent::PasswordAsked { call: PasswordCall::BModify, link: "a".to_owned() };
    for (event, stored) in [
        (
            applied,
            json!({"type": "payment-account.applied", "data":
            {"account_id": "70", "agent_id": "2", "account_type": 1, "applicant": applicant}}),
        ),
        (
            reapplied,
            json!({"type": "payment-account.reapplied", "data":
            {"account_type": 0, "applicant": applicant}}),
        ),
        (
            PaymentAccountEvent::Opened { level: AccountLevel::First },
            json!({"type": "payment-account.opened", "data": {"level": 1}}),
        ),
        (
            PaymentAccountEvent::Rejected { reason: reason() },
            json!({"type": "payment-account.rejected", "data": {"reason": "因为"}}),
        ),
        (
            PaymentAccountEvent::Frozen { reason: reason() },
            json!({"type": "payment-account.frozen", "data": {"reason": "因为"}}),
        ),
        (
            PaymentAccountEvent::Unfrozen { reason: reason() },
            json!({"type": "payment-account.unfrozen", "data": {"reason": "因为"}}),
        ),
        (
            PaymentAccountEvent::Closed { reason: reason() },
            json!({"type": "payment-account.closed", "data": {"reason": "因为"}}),
        ),
        (
            named,
            json!({"type": "payment-account.card_named", "data":
            {"card_id": "1", "bank_name": "中国工商银行", "card": card, "at": 1_800_000_000_000_i64}}),
        ),
        (
            PaymentAccountEvent::CodeResent { card_id, at: NOW },
            json!({"type": "payment-account.code_resent",
            "data": {"card_id": "1", "at": 1_800_000_000_000_i64}}),
        ),
        (
            PaymentAccountEvent::CardBound { card_id },
            json!({"type": "payment-account.card_bound", "data": {"card_id": "1"}}),
        ),
        (
            PaymentAccountEvent::CardFailed { card_id, cause: CardFailure::WrongCodes },
            json!({"type": "payment-account.card_failed", "data": {"card_id": "1", "cause": "wrong_codes"}}),
        ),
        (
            PaymentAccountEvent::UnbindingAsked { card_id, reason: reason() },
            json!({"type": "payment-account.unbinding_asked", "data": {"card_id": "1", "reason": "因为"}}),
        ),
        (
            PaymentAccountEvent::CardUnbound { card_id, reason: reason() },
            json!({"type": "payment-account.card_unbound", "data": {"card_id": "1", "reason": "因为"}}),
        ),
        (
            PaymentAccountEvent::UnbindingDeclined { card_id, reason: String::new() },
            json!({"type": "payment-account.unbinding_declined", "data": {"card_id": "1", "reason": ""}}),
        ),
        (asked, json!({"type": "payment-account.password_asked", "data": {"call": "B_MODIFY", "link": "a"}})),
        (PaymentAccountEvent::PasswordSet, json!({"type": "payment-account.password_set"})),
    ] {
        use kernel::Event;
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
        assert_eq!(stored["type"], event.stored_type());
        assert_eq!(serde_json::from_value::<PaymentAccountEvent>(stored).unwrap(), event);
    }
}
