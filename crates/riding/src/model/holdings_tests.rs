//! Sentences about what riders hold, and what holds whatever they do.

use proptest::prelude::*;

use super::super::billing::Billing;
use super::super::card::UNLIMITED;
use super::super::fare::Ridden;
use super::*;

/// 2026-11-20 10:00 in Shanghai.
const NOW: Timestamp = Timestamp::from_millis(1_795_140_000_000);
const AREA: AreaId = AreaId(3);
const OF: HolderOf = HolderOf { rider_id: RiderId(7), agent_id: AgentId(2), area_id: AREA };

fn card(kind: CardKind) -> Card {
    let card = Card {
        kind,
        name: kind.label().to_owned(),
        days: 30,
        free_time_s: 900,
        free_distance_m: 1_000,
        free_money_cents: 100,
        times: UNLIMITED,
        billing: Some(Billing { base_time_cents: 100, ..Billing::default() }),
        ..Card::default()
    };
    card.checked().unwrap()
}

fn pack(times: i32, is_total_times: bool) -> Card {
    Card { times, is_total_times, ..card(CardKind::Times) }
}

fn buy(holding: i64, product: i64, card: Card) -> RiderCardsCommand {
    let purchase = Purchase {
        holding_id: CardHoldingId(holding),
        product_id: CardProductId(product),
        number: 1,
        card,
        price_cents: 1_000,
        paid_by: PaidBy::WALLET,
    };
    RiderCardsCommand::Buy { of: OF, purchase: Box::new(purchase), limit: None }
}

fn ride(order: i64, start: Timestamp, minutes: i64) -> RideOfCards {
    RideOfCards {
        order: RideOrderId(order),
        area_id: AREA,
        billing: Billing::default(),
        ridden: Ridden { start_at: start, end_at: start.plus_millis(minutes * 60_000), distance_m: 3_000 },
    }
}

fn act(
    cards: &mut RiderCards,
    command: RiderCardsCommand,
    now: Timestamp,
) -> Result<Vec<RiderCardsEvent>, RiderCardsRefusal> {
    let events = cards.decide(command, now)?;
    for event in &events {
        cards.evolve(event);
    }
    Ok(events)
}

fn holding(cards: &[(i64, i64, Card)]) -> RiderCards {
    let mut held = RiderCards::default();
    for (id, product, card) in cards {
        act(&mut held, buy(*id, *product, card.clone()), NOW).unwrap();
    }
    held
}

/// What a ride of 20 minutes uses: 3 yuan by the usual billing.
fn spend(cards: &mut RiderCards, order: i64, start: Timestamp) -> Vec<(i64, i64)> {
    let events = act(cards, RiderCardsCommand::Spend(Box::new(ride(order, start, 20))), start).unwrap();
    let used = |event: &RiderCardsEvent| match event {
        RiderCardsEvent::Used { used, .. } => (used.holding.0, used.saved_cents),
        other => panic!("{other:?}"),
    };
    events.iter().map(used).collect()
}

const fn refund(holding: i64) -> RiderCardsCommand {
    RiderCardsCommand::Refund { holding: CardHoldingId(holding), to: RefundTo::Wallet, reason: String::new() }
}

fn refunded(cards: &mut RiderCards, holding: i64, now: Timestamp) -> Result<i64, RiderCardsRefusal> {
    let command = RiderCardsCommand::Refund {
        holding: CardHoldingId(holding),
        to: RefundTo::Wallet,
        reason: "客户要求".to_owned(),
    };
    match act(cards, command, now)?.as_slice() {
        [RiderCardsEvent::Refunded { amount_cents, .. }] => Ok(*amount_cents),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_card_that_saves_most_is_used_and_why_is_told() {
    let mut cards = holding(&[
        (1, 1, card(CardKind::Money)),
        (2, 2, card(CardKind::Times)),
        (3, 3, card(CardKind::Time)),
    ]);
    let spent = cards.best(&ride(1, NOW, 20));
    assert_eq!(spent.benefits.card, Some(CardShare::Whole));
    let told: Vec<_> =
        spent.considered.iter().map(|one| (one.holding.0, one.saved_cents, one.is_used)).collect();
    assert_eq!(told, [(2, 300, true), (1, 100, false), (3, 100, false)]);
    assert_eq!(spend(&mut cards, 1, NOW), [(2, 300)]);
    assert!(spend(&mut cards, 1, NOW).is_empty(), "the same ride never spends twice");
    assert_eq!(spend(&mut cards, 2, NOW), [(2, 300)]);
}

#[test]
fn of_equal_ones_that_which_ends_first_is_used() {
    let short = Card { days: 7, ..card(CardKind::Times) };
    let mut cards = holding(&[(1, 1, card(CardKind::Times)), (2, 2, short)]);
    assert_eq!(spend(&mut cards, 1, NOW), [(2, 300)]);
}

#[test]
fn what_saves_nothing_is_not_used() {
    let mut cards = holding(&[(1, 1, pack(3, true))]);
    let short = RideOfCards {
        ridden: Ridden { end_at: NOW.plus_millis(1_000), distance_m: 0, start_at: NOW },
        ..ride(1, NOW, 0)
    };
    assert!(act(&mut cards, RiderCardsCommand::Spend(Box::new(short)), NOW).unwrap().is_empty());
    assert_eq!(cards.holding(CardHoldingId(1)).unwrap().remaining_times(), Some(3));
}

#[test]
fn a_discount_card_bills_rides_that_start_in_its_time_and_only_when_that_is_cheaper() {
    let mut cards = holding(&[(1, 1, card(CardKind::Discount))]);
    let until = NOW.plus_millis(30 * DAY_MS);
    let spent = cards.best(&ride(1, NOW, 20));
    let own = |spent: &Spent| spent.benefits.discount_card.as_deref().map(|card| card.billing.clone());
    assert_eq!(
        (own(&spent).map(|billing| billing.base_time_cents), spent.uses[0].saved_cents),
        (Some(100), 100)
    );
    assert!(cards.best(&ride(1, NOW.plus_millis(-1), 20)).uses.is_empty());
    assert!(!cards.best(&ride(1, until.plus_millis(-1), 20)).uses.is_empty(), "it may end later");
    assert!(cards.best(&ride(1, until, 20)).uses.is_empty());
    let cheap =
        RideOfCards { billing: Billing { base_time_cents: 50, ..Billing::default() }, ..ride(1, NOW, 20) };
    assert_eq!(own(&cards.best(&cheap)), None);
    // Where the bike is left costs what the area says.
    let mut dear = ride(1, NOW, 20);
    dear.billing.returned.no_stop_cents = 4_321;
    assert_eq!(own(&cards.best(&dear)).unwrap().returned.no_stop_cents, 4_321);
    assert_eq!(spend(&mut cards, 1, NOW), [(1, 100)]);
}

#[test]
fn a_billing_and_a_riding_card_go_together() {
    let mut cards = holding(&[(1, 1, card(CardKind::Discount)), (2, 2, card(CardKind::Money))]);
    assert_eq!(spend(&mut cards, 1, NOW), [(1, 100), (2, 100)]);
    let back = act(&mut cards, RiderCardsCommand::GiveBack { order: RideOrderId(1) }, NOW).unwrap();
    assert_eq!(back.len(), 2);
    assert!(act(&mut cards, RiderCardsCommand::GiveBack { order: RideOrderId(1) }, NOW).unwrap().is_empty());
}

#[test]
fn a_card_works_in_its_areas_alone() {
    let mut cards = holding(&[(1, 1, Card { area_ids: vec![AreaId(9)], ..card(CardKind::Times) })]);
    assert!(cards.benefits(NOW, AREA).is_empty());
    assert_eq!(cards.benefits(NOW, AreaId(9)).len(), 1);
    assert!(spend(&mut cards, 1, NOW).is_empty());
}

#[test]
fn a_days_uses_are_those_of_the_day_in_shanghai() {
    let mut cards = holding(&[(1, 1, pack(2, false))]);
    // Midnight in Shanghai is 14 hours later.
    let midnight = NOW.plus_millis(14 * 3_600_000);
    assert_eq!(spend(&mut cards, 1, NOW).len(), 1);
    assert_eq!(spend(&mut cards, 2, midnight.plus_millis(-1)).len(), 1);
    assert!(spend(&mut cards, 3, midnight.plus_millis(-1)).is_empty());
    assert_eq!(spend(&mut cards, 4, midnight).len(), 1);
    act(&mut cards, RiderCardsCommand::GiveBack { order: RideOrderId(1) }, midnight).unwrap();
    assert_eq!(
        spend(&mut cards, 5, midnight.plus_millis(-2)).len(),
        1,
        "what was given back may be used again"
    );
    assert!(spend(&mut cards, 1, NOW).is_empty(), "but not by the order that gave it back");
}

#[test]
fn a_pack_is_used_up_and_the_next_one_is_there_at_once() {
    let mut cards = holding(&[(1, 1, pack(1, true)), (2, 1, pack(1, true))]);
    assert_eq!(cards.holding(CardHoldingId(2)).unwrap().span().starts, NOW);
    assert_eq!(spend(&mut cards, 1, NOW), [(1, 300)]);
    assert_eq!(cards.holding(CardHoldingId(1)).unwrap().state(NOW), HoldingState::UsedUp);
    assert_eq!(spend(&mut cards, 2, NOW), [(2, 300)]);
    assert!(spend(&mut cards, 3, NOW).is_empty());
}

#[test]
fn renewals_extend_and_come_earlier_when_what_was_before_goes() {
    let member = || card(CardKind::Membership);
    let mut cards = holding(&[
        (1, 1, member()),
        (2, 2, member()),
        (3, 3, card(CardKind::Times)),
        (4, 3, card(CardKind::Times)),
    ]);
    let end = |days: i64| NOW.plus_millis(days * DAY_MS);
    let span = |cards: &RiderCards, id| cards.holding(CardHoldingId(id)).unwrap().span();
    assert_eq!((span(&cards, 2).starts, span(&cards, 4).starts), (end(30), end(30)));
    assert_eq!(cards.member_until(NOW), Some(end(60)));
    assert!(cards.is_member(NOW, AREA) && !cards.is_member(end(60), AREA));
    assert_eq!(refunded(&mut cards, 1, end(10)), Ok(1_000 * 20 / 30));
    assert_eq!(span(&cards, 2), Span { starts: end(10), until: end(40) });
    assert_eq!(span(&cards, 4).starts, end(30), "of another sort");
    assert_eq!(cards.member_until(end(10)), Some(end(40)));
    assert_eq!(refunded(&mut cards, 2, end(10)), Ok(1_000));
    assert_eq!(cards.member_until(end(10)), None);
    // After a pause one begins anew.
    act(&mut cards, buy(9, 1, member()), end(50)).unwrap();
    assert_eq!(span(&cards, 9).starts, end(50));
}

#[test]
fn a_refund_is_the_unused_share() {
    let mut cards =
        holding(&[(1, 1, pack(3, true)), (2, 2, card(CardKind::Time)), (3, 3, card(CardKind::Time))]);
    assert_eq!(act(&mut cards, refund(1), NOW), Err(Refusal::Reason));
    spend(&mut cards, 1, NOW);
    assert_eq!(refunded(&mut cards, 1, NOW), Ok(666), "two of three, rounded down");
    assert_eq!(refunded(&mut cards, 1, NOW), Err(Refusal::Refunded));
    let half_a_day = NOW.plus_millis(DAY_MS / 2);
    assert_eq!(refunded(&mut cards, 2, half_a_day), Ok(1_000), "an unused day that has begun does not count");
    spend(&mut cards, 2, NOW);
    assert_eq!(refunded(&mut cards, 3, half_a_day), Ok(966), "a used one does");
    assert_eq!(refunded(&mut cards, 9, NOW), Err(Refusal::NoHolding));
    let mut cards = holding(&[(1, 1, card(CardKind::Time))]);
    assert_eq!(refunded(&mut cards, 1, NOW.plus_millis(30 * DAY_MS)), Err(Refusal::NothingLeft));
    let origin = RiderCardsCommand::Refund {
        holding: CardHoldingId(1),
        to: RefundTo::Origin,
        reason: "客户要求".to_owned(),
    };
    assert_eq!(act(&mut cards, origin, NOW), Err(Refusal::NoPayment));
}

#[test]
fn a_rider_takes_back_what_he_did_not_touch() {
    let back = |id| RiderCardsCommand::TakeBack { holding: CardHoldingId(id), to: RefundTo::Wallet };
    let mut cards = holding(&[
        (1, 1, pack(3, true)),
        (2, 2, card(CardKind::Membership)),
        (3, 2, card(CardKind::Membership)),
    ]);
    assert_eq!(act(&mut cards, back(2), NOW), Err(Refusal::Touched), "it has begun");
    assert!(act(&mut cards, back(3), NOW).is_ok());
    assert_eq!(act(&mut cards, back(1), NOW.plus_millis(SELF_REFUND_MS + 1)), Err(Refusal::Touched));
    let mut used = cards.clone();
    spend(&mut used, 1, NOW);
    assert_eq!(act(&mut used, back(1), NOW), Err(Refusal::Touched));
    assert_eq!(cards.bought(CardProductId(1)), 1);
    assert!(act(&mut cards, back(1), NOW.plus_millis(SELF_REFUND_MS)).is_ok());
    assert_eq!(cards.bought(CardProductId(1)), 0, "he may buy it again");
}

#[test]
fn a_rider_buys_so_many_as_he_may_and_holds_so_many_as_fit() {
    let mut cards = holding(&[(1, 1, pack(1, true))]);
    let mut second = buy(2, 1, pack(1, true));
    if let RiderCardsCommand::Buy { limit, .. } = &mut second {
        *limit = Some(1);
    }
    assert_eq!(act(&mut cards, second, NOW), Err(Refusal::Limit(1)));
    for id in 2..=HOLDINGS_MAX as i64 {
        act(&mut cards, buy(id, id, pack(1, true)), NOW).unwrap();
    }
    assert_eq!(act(&mut cards, buy(99, 99, pack(1, true)), NOW), Err(Refusal::TooMany));
    // What ended is forgotten after a week.
    let later = NOW.plus_millis(37 * DAY_MS + 1);
    act(&mut cards, buy(99, 99, pack(1, true)), later).unwrap();
    assert!(cards.holding(CardHoldingId(1)).is_none());
    assert_eq!(cards.bought(CardProductId(1)), 1, "but not that he bought it");
}

#[test]
fn what_a_card_would_have_saved_is_what_it_saves() {
    let rides: Vec<RideOfCards> = (0..5).map(|n| ride(n + 1, NOW.plus_millis(n * DAY_MS), 20)).collect();
    assert_eq!(would_have_saved(&pack(3, true), &rides, NOW), 3 * 300);
    assert_eq!(would_have_saved(&Card { days: 2, ..card(CardKind::Money) }, &rides, NOW), 2 * 100);
    assert_eq!(would_have_saved(&card(CardKind::Membership), &rides, NOW), 0);
}

#[test]
fn what_is_stored_stays_as_it_is() {
    let used = RiderCardsEvent::Used {
        order: RideOrderId(5),
        used: Use { holding: CardHoldingId(1), share: Some(CardShare::Time(900)), saved_cents: 100 },
        start: NOW,
    };
    let stored = serde_json::json!({
        "type": "rider-cards.used",
        "data": {"order": "5", "used": {"holding": "1", "share": {"Time": 900}, "saved_cents": 100}, "start": 1_795_140_000_000_i64}
    });
    assert_eq!(serde_json::to_value(&used).unwrap(), stored);
    assert_eq!(serde_json::from_value::<RiderCardsEvent>(stored).unwrap(), used);
    let bought = RiderCards::default().decide(buy(1, 2, pack(3, true)), NOW).unwrap().remove(0);
    let stored = serde_json::json!({
        "type": "rider-cards.bought",
        "data": {
            "of": {"rider_id": "7", "agent_id": "2", "area_id": "3"},
            "purchase": {
                "holding_id": "1", "product_id": "2", "number": 1,
                "card": {
                    "kind": 4, "name": "次卡", "desc": "", "days": 30, "freeTimeS": 0, "freeDistanceM": 0, "freeMoneyCents": 0,
                    "times": 3, "isTotalTimes": true, "areaIds": [], "billing": null
                },
                "price_cents": 1000, "paid_by": {"channel": 0}
            },
            "span": {"starts": 1_795_140_000_000_i64, "until": 1_797_732_000_000_i64},
            "at": 1_795_140_000_000_i64
        }
    });
    assert_eq!(serde_json::to_value(&bought).unwrap(), stored);
    let mut cards = holding(&[(1, 2, pack(3, true))]);
    let refunded =
        act(&mut cards, RiderCardsCommand::TakeBack { holding: CardHoldingId(1), to: RefundTo::Wallet }, NOW);
    let stored = serde_json::json!({
        "type": "rider-cards.refunded",
        "data": {
            "holding": "1", "product_id": "2", "amount_cents": 1000, "to": 1, "paid_by": {"channel": 0},
            "reason": "用户自助退卡", "moved": [],
            "at": 1_795_140_000_000_i64
        }
    });
    assert_eq!(serde_json::to_value(&refunded.unwrap()[0]).unwrap(), stored);
}

#[derive(Clone, Debug)]
enum Deed {
    Buy { product: i64, kind: CardKind, times: i32, is_total_times: bool, days: i32 },
    Ride { order: i64, minutes: i64 },
    GiveBack(i64),
    Refund(i64),
}

fn deed() -> impl Strategy<Value = Deed> {
    let kind = prop::sample::select(CardKind::ALL);
    let times = prop_oneof![1..4_i32, Just(UNLIMITED)];
    prop_oneof![
        (1..4_i64, kind, times, any::<bool>(), 1..5_i32).prop_map(
            |(product, kind, times, is_total_times, days)| Deed::Buy {
                product,
                kind,
                times,
                is_total_times,
                days
            }
        ),
        (0..12_i64, 1..90_i64).prop_map(|(order, minutes)| Deed::Ride { order, minutes }),
        (0..12_i64, 1..90_i64).prop_map(|(order, minutes)| Deed::Ride { order, minutes }),
        (0..12_i64).prop_map(Deed::GiveBack),
        (0..30_i64).prop_map(Deed::Refund),
    ]
}

proptest! {
    #[test]
    fn whatever_they_do(deeds in prop::collection::vec((deed(), 0..20_i64), 1..40)) {
        let mut cards = RiderCards::default();
        let mut now = NOW;
        for (id, (deed, hours)) in deeds.into_iter().enumerate() {
            now = now.plus_millis(hours * 3_600_000);
            let command = match deed {
                Deed::Buy { product, kind, times, is_total_times, days } => {
                    let card = Card { days, times, is_total_times, ..card(kind) }.checked().unwrap();
                    buy(id as i64, product, card)
                }
                Deed::Ride { order, minutes } => RiderCardsCommand::Spend(Box::new(ride(order, now, minutes))),
                Deed::GiveBack(order) => RiderCardsCommand::GiveBack { order: RideOrderId(order) },
                Deed::Refund(holding) => RiderCardsCommand::Refund {
                    holding: CardHoldingId(holding), to: RefundTo::Wallet, reason: "退".to_owned(),
                },
            };
            let before = cards.clone();
            let Ok(events) = act(&mut cards, command, now) else { continue };
            let mut uses = 0;
            for event in &events {
                match event {
                    RiderCardsEvent::Used { order, used, .. } => {
                        uses += 1;
                        prop_assert!(uses <= 2, "at most a billing and a card");
                        prop_assert!(!before.has_spent(*order));
                        prop_assert!(used.saved_cents > 0);
                        prop_assert!(before.holding(used.holding).unwrap().serves(now, AREA));
                    }
                    RiderCardsEvent::Refunded { holding, amount_cents, .. } => {
                        let price_cents = before.holding(*holding).unwrap().purchase().price_cents;
                        prop_assert!((1..=price_cents).contains(amount_cents));
                    }
                    RiderCardsEvent::Bought { .. } | RiderCardsEvent::GivenBack { .. } => {}
                }
            }
            for held in cards.held.values() {
                prop_assert!(held.times >= 0);
                prop_assert!(held.card().times_in_all().is_none_or(|all| held.times <= all));
                for offset in 0..3 {
                    let today = day(now) - offset;
                    prop_assert!(held.card().times_a_day().is_none_or(|most| held.times_on(today) <= most));
                }
                prop_assert!((0..=held.purchase.price_cents).contains(&held.unused_cents(now)));
                prop_assert_eq!(held.span.until.millis_since(held.span.starts), i64::from(held.card().days) * DAY_MS);
            }
            // Memberships follow each other without overlapping.
            let members = cards.held.values().filter(|held| held.card().kind == CardKind::Membership && !held.is_refunded);
            let mut spans: Vec<Span> = members.map(Held::span).collect();
            spans.sort_by_key(|span| span.starts);
            prop_assert!(spans.windows(2).all(|pair| pair[0].until <= pair[1].starts));
        }
    }
}
