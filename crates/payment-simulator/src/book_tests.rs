use std::collections::HashSet;

use payment_port::{Channel, Mode};
use proptest::prelude::*;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn no<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn order(number: &str, amount: i64) -> PaymentOrder {
    PaymentOrder {
        trade_no: no(number),
        amount_cents: Cents(amount),
        channel: Channel::WechatMiniProgram,
        payer: "openid".into(),
        subject: "骑行费用".into(),
        expires_at: NOW.plus_millis(60_000),
        notify_url: "http://127.0.0.1:1/notices".into(),
        mode: Mode::Cashier,
    }
}

fn refund(number: &str, of: &str, amount: i64) -> RefundOrder {
    RefundOrder {
        refund_no: no(number),
        trade_no: no(of),
        amount_cents: Cents(amount),
        reason: "行程费用调整".into(),
        notify_url: "http://127.0.0.1:1/notices".into(),
    }
}

impl Book {
    fn ask(&mut self, order: &PaymentOrder, at: Timestamp) -> Result<(), Fault> {
        if self.is_new_payment(order, at)? {
            let cashier = Some(format!("token-{}", order.trade_no));
            self.follow(&Entry::Asked {
                order: order.clone(),
                provider_no: "P".into(),
                cashier,
                decides_at: None,
                at,
            });
        }
        Ok(())
    }

    fn ask_refund(&mut self, order: &RefundOrder) -> Result<(), Fault> {
        if self.is_new_refund(order)? {
            let provider_no = "Q".into();
            self.follow(&Entry::RefundAsked { order: order.clone(), provider_no, ends_at: NOW, at: NOW });
        }
        Ok(())
    }

    fn confirm(&mut self, number: &str, at: Timestamp) {
        let entry = self.answer_at_cashier(&format!("token-{number}"), true, at).expect("it waits");
        self.follow(&entry);
    }

    fn state(&self, number: &str) -> PaymentState {
        self.payment(&no(number)).unwrap().state.clone()
    }
}

fn paid(number: &str, amount: i64) -> Book {
    let mut book = Book::new(10);
    book.ask(&order(number, amount), NOW).unwrap();
    book.confirm(number, NOW);
    book
}

#[test]
fn a_number_is_one_payment_whatever_is_asked_under_it() {
    let mut book = Book::new(10);
    book.ask(&order("T1", 100), NOW).unwrap();
    let late = NOW.plus_millis(120_000);
    assert_eq!(
        book.is_new_payment(&order("T1", 100), late),
        Ok(false),
        "the same, also when its time is over"
    );
    assert_eq!(book.is_new_payment(&order("T1", 101), NOW), Err(Fault::NumberTaken));
    let other = PaymentOrder { payer: "somebody else".into(), ..order("T1", 100) };
    assert_eq!(book.is_new_payment(&other, NOW), Err(Fault::NumberTaken));
    assert_eq!(book.is_new_payment(&order("T2", 100), late), Err(Fault::Expired));
}

#[test]
fn a_payment_ends_once() {
    let mut book = paid("T1", 100);
    assert_eq!(book.close(&no("T1"), NOW), Err(Fault::AlreadyPaid));
    assert_eq!(book.answer_at_cashier("token-T1", false, NOW), None);
    assert_eq!(book.take(&no("T1"), None, NOW), None);
    assert_eq!(book.expire(&no("T1"), NOW.plus_millis(60_000)), None);
    book.ask(&order("T2", 100), NOW).unwrap();
    let closed = book.close(&no("T2"), NOW).unwrap().unwrap();
    book.follow(&closed);
    assert_eq!(book.close(&no("T2"), NOW), Ok(None), "again is the same");
    assert_eq!(book.answer_at_cashier("token-T2", true, NOW), None, "what is closed is paid no more");
    assert_eq!(book.close(&no("T3"), NOW), Err(Fault::UnknownNumber));
}

#[test]
fn who_confirms_too_late_pays_nothing() {
    let mut book = Book::new(10);
    book.ask(&order("T1", 100), NOW).unwrap();
    assert_eq!(book.expire(&no("T1"), NOW.plus_millis(59_999)), None);
    book.confirm("T1", NOW.plus_millis(60_000));
    assert_eq!(book.state("T1"), PaymentState::Closed { at: NOW.plus_millis(60_000) });
}

#[test]
fn who_gives_up_has_said_so() {
    let mut book = Book::new(10);
    book.ask(&order("T1", 100), NOW).unwrap();
    let entry = book.answer_at_cashier("token-T1", false, NOW).unwrap();
    book.follow(&entry);
    assert!(matches!(book.state("T1"), PaymentState::Refused { refusal, .. } if refusal.code == "given-up"));
    assert_eq!(book.is_new_refund(&refund("R1", "T1", 1)), Err(Fault::NotPaid));
}

#[test]
fn a_refused_refund_leaves_the_money_to_be_given_back_another_way() {
    let mut book = paid("T1", 100);
    book.ask_refund(&refund("R1", "T1", 60)).unwrap();
    assert_eq!(book.is_new_refund(&refund("R1", "T1", 50)), Err(Fault::NumberTaken));
    assert_eq!(book.is_new_refund(&refund("R2", "T1", 41)), Err(Fault::TooMuch));
    let refusal = Refusal::new("account-closed", "原支付账户已注销");
    let entry = book.end_refund(&no("R1"), Some(refusal), NOW).unwrap();
    let (told, _) = book.tells(&entry, NOW).expect("never silently");
    assert!(
        matches!(told.subject, Subject::Refund { refund } if matches!(refund.state, RefundState::Refused { .. }))
    );
    book.follow(&entry);
    assert_eq!(book.payment(&no("T1")).unwrap().refunded, Cents(0));
    assert_eq!(book.is_new_refund(&refund("R2", "T1", 100)), Ok(true));
    assert_eq!(book.statement(day_of(NOW), 0, 500, NOW).unwrap().rows.len(), 1, "no money went back");
}

#[test]
fn a_payment_has_so_many_refunds_and_no_more() {
    let mut book = paid("T1", 1_000);
    for number in 0..REFUNDS_MAX {
        book.ask_refund(&refund(&format!("R{number}"), "T1", 1)).unwrap();
    }
    assert_eq!(book.is_new_refund(&refund("R50", "T1", 1)), Err(Fault::TooMany));
}

#[test]
fn every_end_is_told_as_it_will_be() {
    let mut book = Book::new(10);
    book.ask(&order("T1", 100), NOW).unwrap();
    let entry = book.answer_at_cashier("token-T1", true, NOW).unwrap();
    let (told, url) = book.tells(&entry, NOW).unwrap();
    book.follow(&entry);
    let now = book.payment(&no("T1")).unwrap().shown("");
    assert_eq!(
        (told.subject, url.as_str()),
        (Subject::Payment { payment: now }, "http://127.0.0.1:1/notices")
    );
    let asked =
        Entry::RefundAsked { order: refund("R1", "T1", 1), provider_no: "Q".into(), ends_at: NOW, at: NOW };
    assert_eq!(book.tells(&asked, NOW), None, "what is under way is no end");
}

#[test]
fn a_notice_goes_when_nothing_of_it_is_to_be_sent_any_more() {
    let mut book = paid("T1", 100);
    let entry = book.end_refund(&no("R0"), None, NOW);
    assert_eq!(entry, None);
    let payment = book.payment(&no("T1")).unwrap().shown("");
    let notice = Notice { notice_id: "N".into(), subject: Subject::Payment { payment }, at: NOW };
    let (first, second) = (NOW.plus_millis(1), NOW.plus_millis(5));
    book.follow(&Entry::Telling { notice, url: String::new(), times: vec![first, second] });
    let told = |due, received, again| Entry::Told { notice_id: "N".into(), due, received, again };
    book.follow(&told(first, false, Some(NOW.plus_millis(9))));
    book.follow(&told(second, true, None));
    let kept = book.notice("N").expect("one try is planned still");
    assert_eq!((kept.sent, kept.received, kept.pending.len()), (2, true, 1));
    book.follow(&told(NOW.plus_millis(9), true, None));
    assert_eq!(book.notice("N"), None);
}

#[test]
fn a_statement_comes_in_pages_and_is_complete_when_its_day_is_over() {
    let mut book = Book::new(100);
    for number in 0..7 {
        book.ask(&order(&format!("T{number}"), 100), NOW).unwrap();
        book.confirm(&format!("T{number}"), NOW);
    }
    let page = book.statement(day_of(NOW), 0, 5, NOW).unwrap();
    let next: usize = page.next.as_ref().unwrap().as_str().parse().unwrap();
    assert_eq!((page.rows.len(), next, page.complete), (5, 5, false));
    let rest = book.statement(day_of(NOW), next, 5, NOW.plus_millis(86_400_000)).unwrap();
    assert_eq!((rest.rows.len(), rest.next, rest.complete), (2, None, true));
    let numbers: HashSet<_> = page.rows.iter().chain(&rest.rows).map(|row| row.trade_no.clone()).collect();
    assert_eq!(numbers.len(), 7);
    let beyond = book.statement(day_of(NOW), usize::MAX, 5, NOW).unwrap();
    assert_eq!((beyond.rows.len(), beyond.next), (0, None));
}

#[test]
fn the_oldest_that_ended_is_forgotten_and_what_is_open_is_not() {
    let mut book = Book::new(2);
    book.ask(&order("T1", 100), NOW).unwrap();
    book.ask(&order("T2", 100), NOW).unwrap();
    assert_eq!(book.is_new_payment(&order("T3", 100), NOW), Err(Fault::Busy), "both are open");
    book.confirm("T2", NOW);
    book.ask_refund(&refund("R1", "T2", 1)).unwrap();
    assert_eq!(book.is_new_payment(&order("T3", 100), NOW), Err(Fault::Busy), "its refund is under way");
    let entry = book.end_refund(&no("R1"), None, NOW).unwrap();
    book.follow(&entry);
    book.ask(&order("T3", 100), NOW).unwrap();
    assert_eq!(book.payment(&no("T2")), Err(Fault::UnknownNumber));
    assert_eq!(book.refund(&no("R1")), Err(Fault::UnknownNumber));
    assert!(book.at_cashier("token-T2").is_none() && book.payment(&no("T1")).is_ok());
}

#[test]
fn days_whose_rows_were_let_go_are_refused_and_not_told_as_empty() {
    let mut book = Book::new(1);
    let day = 86_400_000;
    for number in 0..6 {
        let at = NOW.plus_millis(day * number);
        let name = format!("T{number}");
        book.ask(&PaymentOrder { expires_at: at.plus_millis(1_000), ..order(&name, 100) }, at).unwrap();
        book.confirm(&name, at);
    }
    assert!(matches!(book.statement(day_of(NOW), 0, 500, NOW), Err(Fault::Malformed(_))));
    assert_eq!(book.statement(day_of(NOW.plus_millis(5 * day)), 0, 500, NOW).unwrap().rows.len(), 1);
    assert_eq!(book.days.values().map(Vec::len).sum::<usize>(), book.moved);
    assert!(book.moved <= MOVEMENTS_EACH);
}

/// What is done to a book.
#[derive(Clone, Debug)]
enum Act {
    Ask(u8, i64),
    Confirm(u8, bool),
    Close(u8),
    Expire(u8),
    Refund(u8, u8, i64),
    End(u8, bool),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        (0..6_u8, 1..200_i64).prop_map(|(t, amount)| Act::Ask(t, amount)),
        (0..6_u8, any::<bool>()).prop_map(|(t, yes)| Act::Confirm(t, yes)),
        (0..6_u8).prop_map(Act::Close),
        (0..6_u8).prop_map(Act::Expire),
        (0..12_u8, 0..6_u8, 1..200_i64).prop_map(|(r, t, amount)| Act::Refund(r, t, amount)),
        (0..12_u8, any::<bool>()).prop_map(|(r, done)| Act::End(r, done)),
    ];
    proptest::collection::vec(act, 0..120)
}

fn lived(acts: &[Act]) -> Book {
    let mut book = Book::new(4);
    for (step, act) in acts.iter().enumerate() {
        let now = NOW.plus_millis(step as i64 * 1_000);
        let (t, r) = (|t: u8| format!("T{t}"), |r: u8| format!("R{r}"));
        let entry = match *act {
            Act::Ask(t_no, amount) => {
                drop(book.ask(
                    &PaymentOrder { expires_at: now.plus_millis(30_000), ..order(&t(t_no), amount) },
                    now,
                ));
                None
            }
            Act::Confirm(t_no, yes) => book.answer_at_cashier(&format!("token-T{t_no}"), yes, now),
            Act::Close(t_no) => book.close(&no(&t(t_no)), now).ok().flatten(),
            Act::Expire(t_no) => book.expire(&no(&t(t_no)), now),
            Act::Refund(r_no, t_no, amount) => {
                drop(book.ask_refund(&refund(&r(r_no), &t(t_no), amount)));
                None
            }
            Act::End(r_no, done) => {
                book.end_refund(&no(&r(r_no)), (!done).then(|| Refusal::new("account-closed", "已注销")), now)
            }
        };
        if let Some(entry) = entry {
            book.follow(&entry);
        }
    }
    book
}

proptest! {
    /// Whatever is done in whatever order: refunds never exceed what was paid, and the statement is what moved.
    #[test]
    fn what_goes_back_never_exceeds_what_came(acts in acts()) {
        let book = lived(&acts);
        for payment in book.payments() {
            let under_way_or_done: i64 = book
                .refunds()
                .filter(|refund| refund.order.trade_no == payment.order.trade_no)
                .filter(|refund| !matches!(refund.state, RefundState::Refused { .. }))
                .map(|refund| refund.order.amount_cents.0)
                .sum();
            prop_assert_eq!(under_way_or_done, payment.refunded.0);
            prop_assert!(payment.refunded <= payment.order.amount_cents);
            let moved = |is: fn(&Moved) -> bool| -> i64 {
                let rows = book.days.values().flatten();
                rows.filter(|row| row.trade_no == payment.order.trade_no && is(&row.moved) && row.at >= payment.created_at)
                    .map(|row| row.amount_cents.0)
                    .sum()
            };
            let came = moved(|moved| *moved == Moved::Payment);
            let is_paid = matches!(payment.state, PaymentState::Paid { .. });
            prop_assert_eq!(came, if is_paid { payment.order.amount_cents.0 } else { 0 });
            prop_assert!(moved(|moved| *moved != Moved::Payment) <= came);
        }
    }

    /// What is written anew makes the same book.
    #[test]
    fn a_snapshot_makes_the_same_book(acts in acts()) {
        let book = lived(&acts);
        let mut again = Book::new(4);
        for entry in book.snapshot() {
            let line = serde_json::to_string(&entry).unwrap();
            again.follow(&serde_json::from_str(&line).unwrap());
        }
        prop_assert_eq!(again, book);
    }
}
