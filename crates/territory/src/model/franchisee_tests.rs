use super::*;

/// 2027-01-15 in Shanghai, and already at 00:30 there.
const NOW: Timestamp = Timestamp::from_millis(1_799_944_200_000);
const DAY_MS: i64 = 24 * 3_600_000;
const FRANCHISEE: FranchiseeId = FranchiseeId(70);
const AGENT: AgentId = AgentId(2);

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn terms() -> Terms {
    Terms {
        company: "湖滨出行有限公司".to_owned(),
        license_no: Some("91350200MA31C0001Y".parse().unwrap()),
        area_ids: BTreeSet::from([AreaId(20)]),
        joined_on: Some(date("2026-06-01")),
        contract_end: Some(date("2027-01-20")),
        deposit: Cents(5_000_000),
        ratio_bp: 3_000,
        remark: String::new(),
    }
}

fn people() -> PeopleForm {
    PeopleForm {
        contact: Some("陈伟".to_owned()),
        phone: Some("13900000001".parse().unwrap()),
        legal_person: Some("陈建国".to_owned()),
    }
}

fn register(terms: Terms, people: PeopleForm) -> FranchiseeCommand {
    FranchiseeCommand::Register {
        franchisee_id: FRANCHISEE,
        agent_id: AGENT,
        form: FranchiseeForm { terms, people },
    }
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
    after([(register(terms(), people()), NOW)])
}

fn cooperating() -> Franchisee {
    after([(register(terms(), people()), NOW), (FranchiseeCommand::Sign, NOW)])
}

/// The first moment in Shanghai after the contract's last day.
fn over() -> Timestamp {
    let midnight = NOW.plus_millis(-30 * 60_000);
    assert_eq!(midnight.local(), "2027-01-15 00:00:00");
    midnight.plus_millis(6 * DAY_MS)
}

fn expired() -> Franchisee {
    after([
        (register(terms(), people()), NOW),
        (FranchiseeCommand::Sign, NOW),
        (FranchiseeCommand::Expire, over()),
    ])
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
    let bare = Terms { company: "湖滨出行".to_owned(), ..Terms::default() };
    let people = PeopleForm { legal_person: None, ..people() };
    let franchisee = after([(register(bare, people), NOW)]);
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
    let with = |change: &dyn Fn(&mut Terms)| {
        let mut terms = terms();
        change(&mut terms);
        Franchisee::default().decide(register(terms, people()), NOW).unwrap_err()
    };
    assert_eq!(with(&|terms| terms.company = " ".to_owned()), FranchiseeRefusal::Company);
    assert_eq!(with(&|terms| terms.company = "长".repeat(COMPANY_MAX + 1)), FranchiseeRefusal::Company);
    assert_eq!(with(&|terms| terms.remark = "长".repeat(REMARK_MAX + 1)), FranchiseeRefusal::Remark);
    assert_eq!(with(&|terms| terms.area_ids = (0..=100).map(AreaId).collect()), FranchiseeRefusal::Areas);
    assert_eq!(with(&|terms| terms.contract_end = Some(date("2026-05-31"))), FranchiseeRefusal::Dates);
    assert_eq!(with(&|terms| terms.deposit = Cents(-1)), FranchiseeRefusal::Deposit);
    assert_eq!(with(&|terms| terms.deposit = Cents(DEPOSIT_MAX.0 + 1)), FranchiseeRefusal::Deposit);
    assert_eq!(with(&|terms| terms.ratio_bp = -1), FranchiseeRefusal::Ratio);
    assert_eq!(with(&|terms| terms.ratio_bp = WHOLE_BP + 1), FranchiseeRefusal::Ratio);
    let nobody = PeopleForm { contact: None, ..people() };
    let refused = Franchisee::default().decide(register(terms(), nobody), NOW);
    assert_eq!(refused, Err(FranchiseeRefusal::Person("联系人")));
    let unreachable = PeopleForm { phone: None, ..people() };
    assert_eq!(
        Franchisee::default().decide(register(terms(), unreachable), NOW),
        Err(FranchiseeRefusal::NoPhone)
    );
}

fn change(form: FranchiseeForm, revision: i64) -> FranchiseeCommand {
    FranchiseeCommand::Change { form, revision }
}

#[test]
fn people_who_are_not_named_in_a_change_stay_and_a_masked_name_is_no_name() {
    let franchisee = negotiating();
    let same = FranchiseeForm { terms: terms(), people: PeopleForm::default() };
    assert_eq!(franchisee.decide(change(same, 1), NOW), Ok(vec![]));
    let moved = PeopleForm { phone: Some("13900000002".parse().unwrap()), ..PeopleForm::default() };
    let events = franchisee.decide(change(FranchiseeForm { terms: terms(), people: moved }, 1), NOW).unwrap();
    let [FranchiseeEvent::PeopleChanged { people }] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(people.subject(), "ally:70");
    let people = people.known().unwrap();
    assert_eq!((people.contact.as_str(), people.phone.as_str()), ("陈伟", "13900000002"));
    let masked = PeopleForm { contact: Some("陈*".to_owned()), ..PeopleForm::default() };
    let refused = franchisee.decide(change(FranchiseeForm { terms: terms(), people: masked }, 1), NOW);
    assert_eq!(refused, Err(FranchiseeRefusal::Person("联系人")));
}

#[test]
fn a_running_contract_keeps_what_it_speaks_of_and_a_finished_one_is_history() {
    let shorter = Terms { area_ids: BTreeSet::new(), ..terms() };
    let form = FranchiseeForm { terms: shorter, people: PeopleForm::default() };
    let refused = cooperating().decide(change(form.clone(), 2), NOW);
    assert_eq!(refused, Err(FranchiseeRefusal::Incomplete("服务区".to_owned())));
    assert_eq!(expired().decide(change(form.clone(), 3), over()), Err(FranchiseeRefusal::TermsClosed));
    let other = FranchiseeForm {
        terms: terms(),
        people: PeopleForm { contact: Some("林芳".to_owned()), ..PeopleForm::default() },
    };
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
    let form = FranchiseeForm { terms: terms(), people: PeopleForm::default() };
    assert_eq!(franchisee.decide(change(form, 0), NOW), Err(FranchiseeRefusal::Stale { seen: 0, actual: 1 }));
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
    let [event] = Franchisee::default().decide(register(terms(), people()), NOW).unwrap().try_into().unwrap();
    assert_eq!(keys(&Franchisee::default(), &event), ["take ally-license:2:91350200MA31C0001Y"]);
    let other = Terms { license_no: Some("91350200MA31C00022".parse().unwrap()), ..terms() };
    assert_eq!(
        keys(&negotiating(), &FranchiseeEvent::TermsChanged { terms: other }),
        ["release ally-license:2:91350200MA31C0001Y", "take ally-license:2:91350200MA31C00022"]
    );
    assert!(keys(&negotiating(), &FranchiseeEvent::TermsChanged { terms: terms() }).is_empty());
    for gone in [FranchiseeEvent::Deleted, FranchiseeEvent::Terminated { reason: String::new() }] {
        assert_eq!(keys(&expired(), &gone), ["release ally-license:2:91350200MA31C0001Y"]);
    }
}

#[test]
fn names_and_phones_lie_in_events_as_personal() {
    let [event] = Franchisee::default().decide(register(terms(), people()), NOW).unwrap().try_into().unwrap();
    let stored = serde_json::to_value(&event).unwrap();
    assert_eq!(stored["data"]["people"]["$personal"]["subject"], "ally:70");
    assert!(!format!("{event:?}").contains("13900000001"), "nor do they get into logs");
}
