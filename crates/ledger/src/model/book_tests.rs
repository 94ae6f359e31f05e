//! What a book must never do, whatever is asked of it.

use kernel::{Aggregate, Event};
use proptest::prelude::*;
use vocabulary::{AgentId, Timestamp};

use super::account::{Account, AccountKind, Nature};
use super::book::{Book, BookCommand, BookEvent, BookRefusal, Holder, HolderKind};
use super::entry::{AMOUNT_MAX, Cause, Entry, Hold, HoldId, NotAnEntry, POSTINGS_MAX, Posting};

const NOW: Timestamp = Timestamp::from_millis(0);
const RIDER: Holder = Holder { kind: HolderKind::Rider, id: 7 };
const WECHAT: i16 = 3;

fn entry(which: i64, postings: Vec<Posting>) -> Entry {
    let cause = Cause::new("test", which).unwrap();
    Entry { cause, at: NOW, area_id: None, hold: None, postings }
}

fn top_up(which: i64, cents: i64) -> Entry {
    entry(
        which,
        vec![Posting::debit(Account::channel(WECHAT), cents), Posting::credit(AccountKind::Recharge, cents)],
    )
}

fn spend(which: i64, cents: i64) -> Entry {
    entry(
        which,
        vec![Posting::debit(AccountKind::Recharge, cents), Posting::credit(AccountKind::RideIncome, cents)],
    )
}

fn hold(id: i64, cents: i64) -> Hold {
    let cause = Cause::new("hold", id).unwrap();
    Hold { id: HoldId(id), kind: AccountKind::Recharge, amount_cents: cents, cause }
}

fn open() -> Book {
    let mut book = Book::default();
    act(&mut book, BookCommand::Open(RIDER, AgentId(2))).unwrap();
    book
}

fn act(book: &mut Book, command: BookCommand) -> Result<Vec<BookEvent>, BookRefusal> {
    let events = book.decide(command, NOW)?;
    for event in &events {
        book.evolve(event);
    }
    Ok(events)
}

fn recharge(book: &Book) -> (i64, i64) {
    let balance = book.balance(AccountKind::Recharge);
    (balance.total_cents, balance.held_cents)
}

#[test]
fn what_is_not_there_is_not_spent() {
    let mut book = open();
    act(&mut book, BookCommand::Post(top_up(1, 500))).unwrap();
    let short = BookRefusal::Short { kind: AccountKind::Recharge, short_cents: 1 };
    assert_eq!(act(&mut book, BookCommand::Post(spend(2, 501))), Err(short.clone()));
    assert_eq!(short.to_string(), "充值余额不足，还差 0.01 元");
    act(&mut book, BookCommand::Post(spend(3, 500))).unwrap();
    assert_eq!(recharge(&book), (0, 0));
}

#[test]
fn what_is_set_aside_is_spent_for_its_cause_alone() {
    let mut book = open();
    act(&mut book, BookCommand::Post(top_up(1, 500))).unwrap();
    act(&mut book, BookCommand::Hold(hold(1, 400))).unwrap();
    assert_eq!(act(&mut book, BookCommand::Hold(hold(1, 50))), Err(BookRefusal::HoldExists));
    let short = |short_cents| Err(BookRefusal::Short { kind: AccountKind::Recharge, short_cents });
    assert_eq!(act(&mut book, BookCommand::Hold(hold(2, 101))), short(1));
    assert_eq!(act(&mut book, BookCommand::Post(spend(2, 101))), short(1));
    // Less is spent than was set aside: the rest is free again.
    let of_hold = Entry { hold: Some(HoldId(1)), ..spend(3, 300) };
    act(&mut book, BookCommand::Post(of_hold.clone())).unwrap();
    assert_eq!(recharge(&book), (200, 0));
    let again = Entry { cause: Cause::new("test", 4).unwrap(), ..of_hold };
    assert_eq!(act(&mut book, BookCommand::Post(again)), Err(BookRefusal::NoHold));
    act(&mut book, BookCommand::Hold(hold(3, 200))).unwrap();
    act(&mut book, BookCommand::Release(HoldId(3))).unwrap();
    assert_eq!(recharge(&book), (200, 0));
    assert_eq!(act(&mut book, BookCommand::Release(HoldId(3))), Err(BookRefusal::NoHold));
}

#[test]
fn nobody_pays_more_than_he_owes() {
    let mut book = open();
    let fare = entry(
        1,
        vec![Posting::debit(AccountKind::Receivable, 350), Posting::credit(AccountKind::RideIncome, 350)],
    );
    act(&mut book, BookCommand::Post(fare)).unwrap();
    let paid = |which, cents| {
        let postings = vec![
            Posting::debit(Account::channel(WECHAT), cents),
            Posting::credit(AccountKind::Receivable, cents),
        ];
        BookCommand::Post(entry(which, postings))
    };
    let over = BookRefusal::Short { kind: AccountKind::Receivable, short_cents: 1 };
    assert_eq!(act(&mut book, paid(2, 351)), Err(over));
    act(&mut book, paid(3, 350)).unwrap();
    assert_eq!(book.balance(AccountKind::Receivable).total_cents, 0);
}

#[test]
fn an_entry_sums_to_nothing_and_names_each_account_once() {
    let fault = |postings| entry(1, postings).fault();
    let one = Posting::debit(AccountKind::Recharge, 5);
    assert_eq!(fault(vec![one]), Some(NotAnEntry::Postings));
    assert_eq!(fault(vec![one; POSTINGS_MAX + 1]), Some(NotAnEntry::Postings));
    assert_eq!(fault(vec![one, Posting::credit(AccountKind::Recharge, 5)]), Some(NotAnEntry::Twice));
    assert_eq!(
        fault(vec![one, Posting::credit(AccountKind::RideIncome, 4)]),
        Some(NotAnEntry::Unbalanced(1))
    );
    let nothing = Posting::debit(AccountKind::Present, 0);
    assert_eq!(fault(vec![one, nothing]), Some(NotAnEntry::Amount));
    let much = Posting::debit(AccountKind::Recharge, AMOUNT_MAX + 1);
    assert_eq!(fault(vec![much, one]), Some(NotAnEntry::Amount));
    // Two channels are two accounts.
    let split = vec![
        Posting::debit(Account::channel(1), 2),
        Posting::debit(Account::channel(2), 3),
        Posting::credit(AccountKind::Recharge, 5),
    ];
    assert_eq!(fault(split), None);
}

#[test]
fn a_cause_is_booked_once() {
    let mut book = open();
    let events = act(&mut book, BookCommand::Post(top_up(1, 500))).unwrap();
    let claims = book.claims(&events[0]);
    let [kernel::Claim::Take { key, refusal }] = claims.as_slice() else { panic!("{claims:?}") };
    assert_eq!((key.as_str(), refusal.to_string().as_str()), ("ledger:test:1", "业务 test:1 已经入账"));
}

#[test]
fn an_entry_is_stored_short_and_read_again() {
    let posted = BookEvent::Posted(top_up(1, 500));
    let stored = serde_json::to_value(&posted).unwrap();
    let expected = serde_json::json!({"type": "ledger-book.posted", "data": {"cause": "test:1", "at": 0, "postings": [
        {"account": {"kind": 1, "party": 3}, "amount_cents": 500},
        {"account": {"kind": 10}, "amount_cents": -500},
    ]}});
    assert_eq!(stored, expected);
    assert_eq!(serde_json::from_value::<BookEvent>(stored).unwrap(), posted);
    assert_eq!(posted.stored_type(), "ledger-book.posted");
}

fn kind() -> impl Strategy<Value = AccountKind> {
    proptest::sample::select(AccountKind::ALL)
}

fn command() -> impl Strategy<Value = BookCommand> {
    let posting = (kind(), -300_i64..300)
        .prop_map(|(kind, cents)| Posting { account: kind.into(), amount_cents: cents });
    let posted =
        (0_i64..1_000_000, proptest::collection::vec(posting, 1..4), kind(), proptest::option::of(0_i64..4));
    let posted = posted.prop_map(|(which, mut postings, last, hold)| {
        let sum: i64 = postings.iter().map(|one| one.amount_cents).sum();
        postings.push(Posting { account: last.into(), amount_cents: -sum });
        BookCommand::Post(Entry { hold: hold.map(HoldId), ..entry(which, postings) })
    });
    let held = (0_i64..4, kind(), -5_i64..300)
        .prop_map(|(id, kind, cents)| BookCommand::Hold(Hold { kind, ..hold(id, cents) }));
    prop_oneof![4 => posted, 2 => held, 1 => (0_i64..4).prop_map(|id| BookCommand::Release(HoldId(id)))]
}

proptest! {
    #[test]
    fn whatever_is_asked_no_guarded_account_falls_below_what_is_held(commands in proptest::collection::vec(command(), 1..60)) {
        let mut book = open();
        // Every account, summed as a reader of the log would.
        let mut sums = std::collections::BTreeMap::<AccountKind, i64>::new();
        for command in commands {
            for event in act(&mut book, command).unwrap_or_default() {
                if let BookEvent::Posted(entry) = event {
                    for posting in entry.postings {
                        *sums.entry(posting.account.kind).or_default() += posting.amount_cents;
                    }
                }
            }
            prop_assert_eq!(sums.values().sum::<i64>(), 0, "debits equal credits at every moment");
            for &kind in AccountKind::ALL {
                let balance = book.balance(kind);
                prop_assert!(balance.held_cents >= 0 && balance.free_cents() >= 0, "{kind}: {balance:?}");
                let summed = sums.get(&kind).copied().unwrap_or_default();
                let grown = if matches!(kind.nature(), Nature::Asset | Nature::Expense) { summed } else { -summed };
                prop_assert_eq!(balance.total_cents, if kind.is_guarded() { grown } else { 0 });
            }
        }
    }
}
