use super::*;

/// 2027-01-15 in Shanghai, and already at 00:30 there.
const NOW: Timestamp = Timestamp::from_millis(1_799_944_200_000);
const DAY_MS: i64 = 24 * 3_600_000;
const FRANCHISEE: FranchiseeId = FranchiseeId(70);
const AGENT: AgentId = AgentId(2);

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn form() -> Form {
    Form {
        company: Some("湖滨出行有限公司".to_owned()),
        contact: Some("陈伟".to_owned()),
        phone: Some("13900000001".to_owned()),
        license_no: Some("91350200ma31c0001y".to_owned()),
        legal_person: Some("陈建国".to_owned()),
        service_area_ids: Some(BTreeSet::from([AreaId(20)])),
        joined_at: Some("2026-06-01".to_owned()),
        contract_end: Some("2027-01-20".to_owned()),
        deposit_paid: Some(5_000_000),
        divide_ratio_bp: Some(3_000),
        remark: None,
    }
}

fn register(form: Form) -> FranchiseeCommand {
    FranchiseeCommand::Register { franchisee_id: FRANCHISEE, agent_id: AGENT, form }
}

/// The franchisee after `commands`, each given at its time.
fn after(commands: impl IntoIterator<Item = (FranchiseeCommand, Timestamp)>) -> Franchisee {
    let mut franchisee = Franchisee::default();
    for (command, now) in commands {
        for event in franchisee.decide(command, now).unwrap() {
            franchisee.evolve(&event);
        }
    }
    franchisee
}

fn negotiating() -> Franchisee {
    after([(register(form()), NOW)])
}

fn cooperating() -> Franchisee {
    after([(register(form()), NOW), (FranchiseeCommand::Sign, NOW)])
}

/// The first moment in Shanghai after the contract's last day.
fn over() -> Timestamp {
    let midnight = NOW.plus_millis(-30 * 60_000);
    assert_eq!(midnight.local(), "2027-01-15 00:00:00");
    midnight.plus_millis(6 * DAY_MS)
}

fn expired() -> Franchisee {
    after([(register(form()), NOW), (FranchiseeCommand::Sign, NOW), (FranchiseeCommand::Expire, over())])
}

fn end(reason: &str, unsettled_bills: i64) -> FranchiseeCommand {
    FranchiseeCommand::Terminate { reason: reason.to_owned(), unsettled_bills }
}

#[test]
fn perm_005_a_franchisee_is_franchisee_info_of_an_agent_and_no_level_of_operators() {
    let franchisee = negotiating();
    assert_eq!(franchisee.agent(), Some(AGENT));
    assert_eq!(franchisee.owner(), DataOwner::of_agent(AGENT));
    assert_eq!(franchisee.state, FranchiseeState::Negotiating);
}

#[test]
fn a_contract_runs_through_its_last_day_in_shanghai_and_ends_at_midnight() {
    let last_minute = over().plus_millis(-1);
    assert_eq!(
        cooperating().decide(FranchiseeCommand::Expire, last_minute),
        Err(FranchiseeRefusal::TooEarly)
    );
    assert_eq!(cooperating().decide(FranchiseeCommand::Expire, over()), Ok(vec![FranchiseeEvent::Expired]));
    assert_eq!(expired().decide(FranchiseeCommand::Expire, over()), Ok(vec![]), "once");
}

#[test]
fn a_contract_needs_everything_that_it_speaks_of() {
    let Form { company, contact, phone, .. } = form();
    let bare = Form { company, contact, phone, ..Form::default() };
    let franchisee = after([(register(bare), NOW)]);
    let all = "统一社会信用代码、法人、服务区、加盟日期、合同到期日、分成比例";
    assert_eq!(
        franchisee.decide(FranchiseeCommand::Sign, NOW),
        Err(FranchiseeRefusal::Incomplete(all.to_owned()))
    );
    assert_eq!(negotiating().decide(FranchiseeCommand::Sign, NOW), Ok(vec![FranchiseeEvent::Signed]));
    assert_eq!(
        negotiating().decide(FranchiseeCommand::Sign, over()),
        Err(FranchiseeRefusal::EndPassed(date("2027-01-20")))
    );
}

#[test]
fn each_state_leads_only_where_it_may() {
    let nothing = Ok(vec![]);
    assert_eq!(cooperating().decide(FranchiseeCommand::Sign, NOW), nothing, "already so");
    for (franchisee, command) in [
        (expired(), FranchiseeCommand::Sign),
        (negotiating(), FranchiseeCommand::Expire),
        (negotiating(), end("不做了", 0)),
    ] {
        let refused = franchisee.decide(command.clone(), over());
        assert!(matches!(refused, Err(FranchiseeRefusal::NotNow { .. })), "{command:?}: {refused:?}");
    }
    for franchisee in [cooperating(), expired()] {
        let ended = franchisee.decide(end(" 经营不善 ", 0), NOW).unwrap();
        assert_eq!(ended, [FranchiseeEvent::Terminated { reason: "经营不善".to_owned() }]);
    }
}

#[test]
fn nobody_is_let_go_with_open_bills_or_without_a_reason() {
    assert_eq!(cooperating().decide(end("搬迁", 2), NOW), Err(FranchiseeRefusal::Unsettled(2)));
    assert_eq!(cooperating().decide(end("  ", 0), NOW), Err(FranchiseeRefusal::Reason));
}

#[test]
fn only_who_never_signed_is_deleted() {
    assert_eq!(cooperating().decide(FranchiseeCommand::Delete, NOW), Err(FranchiseeRefusal::Kept));
    let mut franchisee = negotiating();
    assert_eq!(franchisee.decide(FranchiseeCommand::Delete, NOW), Ok(vec![FranchiseeEvent::Deleted]));
    franchisee.evolve(&FranchiseeEvent::Deleted);
    assert_eq!(franchisee.decide(FranchiseeCommand::Delete, NOW), Ok(vec![]), "once");
    assert_eq!(franchisee.decide(FranchiseeCommand::Sign, NOW), Err(FranchiseeRefusal::Unknown));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let with = |change: &dyn Fn(&mut Form)| {
        let mut form = form();
        change(&mut form);
        Franchisee::default().decide(register(form), NOW).unwrap_err()
    };
    let text = |text: &str| Some(text.to_owned());
    let too_long = |max: usize| Some("长".repeat(max + 1));
    assert_eq!(with(&|form| form.company = text(" ")), FranchiseeRefusal::Company);
    assert_eq!(with(&|form| form.company = None), FranchiseeRefusal::Company);
    assert_eq!(with(&|form| form.company = too_long(COMPANY_MAX)), FranchiseeRefusal::Company);
    assert_eq!(with(&|form| form.remark = too_long(REMARK_MAX)), FranchiseeRefusal::Remark);
    let many = |form: &mut Form| form.service_area_ids = Some((0..=100).map(AreaId).collect());
    assert_eq!(with(&many), FranchiseeRefusal::Areas);
    assert_eq!(with(&|form| form.contract_end = text("2026-05-31")), FranchiseeRefusal::Dates);
    assert_eq!(with(&|form| form.contract_end = text("年底")), FranchiseeRefusal::Date("合同到期日"));
    assert_eq!(with(&|form| form.deposit_paid = Some(-1)), FranchiseeRefusal::Deposit);
    assert_eq!(with(&|form| form.deposit_paid = Some(DEPOSIT_MAX.0 + 1)), FranchiseeRefusal::Deposit);
    assert_eq!(with(&|form| form.divide_ratio_bp = Some(-1)), FranchiseeRefusal::Ratio);
    assert_eq!(with(&|form| form.divide_ratio_bp = Some(WHOLE_BP + 1)), FranchiseeRefusal::Ratio);
    assert_eq!(with(&|form| form.contact = None), FranchiseeRefusal::Person("联系人"));
    assert_eq!(with(&|form| form.phone = None), FranchiseeRefusal::NoPhone);
    assert_eq!(with(&|form| form.phone = text("0592")), FranchiseeRefusal::Phone(NotAPhone));
    let slip = FranchiseeRefusal::License(NotALicenseNo::CheckCharacter);
    assert_eq!(with(&|form| form.license_no = text("91350200MA31C0001X")), slip);
}

fn change(form: Form, revision: i64) -> FranchiseeCommand {
    FranchiseeCommand::Change { form, revision }
}

#[test]
fn people_who_are_not_named_in_a_change_stay_and_a_masked_name_is_no_name() {
    let franchisee = negotiating();
    assert_eq!(franchisee.decide(change(Form::default(), 1), NOW), Ok(vec![]));
    let moved = Form { phone: Some("13900000002".to_owned()), ..Form::default() };
    let events = franchisee.decide(change(moved, 1), NOW).unwrap();
    let [FranchiseeEvent::PeopleChanged { people }] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(people.subject(), "ally:70");
    let people = people.known().unwrap();
    assert_eq!((people.contact.as_str(), people.phone.as_str()), ("陈伟", "13900000002"));
    let masked = Form { contact: Some("陈*".to_owned()), ..Form::default() };
    let refused = franchisee.decide(change(masked, 1), NOW);
    assert_eq!(refused, Err(FranchiseeRefusal::Person("联系人")));
}

#[test]
fn a_running_contract_keeps_what_it_speaks_of_and_a_finished_one_is_history() {
    let form = Form { service_area_ids: Some(BTreeSet::new()), ..Form::default() };
    let refused = cooperating().decide(change(form.clone(), 2), NOW);
    assert_eq!(refused, Err(FranchiseeRefusal::Incomplete("服务区".to_owned())));
    assert_eq!(expired().decide(change(form.clone(), 3), over()), Err(FranchiseeRefusal::TermsClosed));
    let other = Form { contact: Some("林芳".to_owned()), ..Form::default() };
    assert_eq!(expired().decide(change(other, 3), over()).unwrap().len(), 1, "people still change");
    let mut ended = expired();
    ended.evolve(&FranchiseeEvent::Terminated { reason: "到期不续".to_owned() });
    assert_eq!(ended.decide(change(form, 4), over()), Err(FranchiseeRefusal::Ended));
}

#[test]
fn a_change_on_an_old_version_is_refused_and_a_look_makes_no_version() {
    let mut franchisee = negotiating();
    let events = franchisee.decide(FranchiseeCommand::Reveal, NOW).unwrap();
    assert_eq!(events, [FranchiseeEvent::Revealed]);
    franchisee.evolve(&FranchiseeEvent::Revealed);
    assert_eq!(franchisee.revision(), 1);
    assert_eq!(
        franchisee.decide(change(Form::default(), 0), NOW),
        Err(FranchiseeRefusal::Stale { seen: 0, actual: 1 })
    );
}

fn keys(franchisee: &Franchisee, event: &FranchiseeEvent) -> Vec<String> {
    let key = |claim| match claim {
        Claim::Take { key, .. } => format!("take {key}"),
        Claim::Release { key } => format!("release {key}"),
    };
    franchisee.claims(event).into_iter().map(key).collect()
}

#[test]
fn no_two_franchisees_of_an_agent_have_the_same_number() {
    let [event] = Franchisee::default().decide(register(form()), NOW).unwrap().try_into().unwrap();
    assert_eq!(keys(&Franchisee::default(), &event), ["take ally-license:2:91350200MA31C0001Y"]);
    let terms = negotiating().terms;
    let other = Terms { license_no: Some("91350200MA31C00022".parse().unwrap()), ..terms.clone() };
    assert_eq!(
        keys(&negotiating(), &FranchiseeEvent::TermsChanged { terms: other }),
        ["release ally-license:2:91350200MA31C0001Y", "take ally-license:2:91350200MA31C00022"]
    );
    assert!(keys(&negotiating(), &FranchiseeEvent::TermsChanged { terms }).is_empty());
    for gone in [FranchiseeEvent::Deleted, FranchiseeEvent::Terminated { reason: String::new() }] {
        assert_eq!(keys(&expired(), &gone), ["release ally-license:2:91350200MA31C0001Y"]);
    }
}

#[test]
fn names_and_phones_lie_in_events_as_personal() {
    let [event] = Franchisee::default().decide(register(form()), NOW).unwrap().try_into().unwrap();
    let stored = serde_json::to_value(&event).unwrap();
    assert_eq!(stored["data"]["people"]["$personal"]["subject"], "ally:70");
    assert!(!format!("{event:?}").contains("13900000001"), "nor do they get into logs");
}
