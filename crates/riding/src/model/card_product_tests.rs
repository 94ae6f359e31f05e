//! Sentences about products.

use super::super::billing::Billing;
use super::super::card::{CardKind, UNLIMITED};
use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const OF: ProductOf = ProductOf { product_id: CardProductId(1), agent_id: AgentId(2) };

fn form(name: &str, price_cents: i64) -> CardForm {
    let card = Card { kind: CardKind::Times, name: name.to_owned(), days: 30, times: 3, ..Card::default() };
    CardForm { card, price_cents, origin_price_cents: price_cents, ..CardForm::default() }
}

fn act(
    product: &mut CardProduct,
    command: CardProductCommand,
    now: Timestamp,
) -> Result<usize, CardProductRefusal> {
    let events = product.decide(command, now)?;
    for event in &events {
        product.evolve(event);
    }
    Ok(events.len())
}

fn on_sale(form: CardForm) -> CardProduct {
    let mut product = CardProduct::default();
    act(&mut product, CardProductCommand::Set { of: OF, form }, NOW).unwrap();
    product
}

const fn sell(holding: i64, number: i64) -> CardProductCommand {
    CardProductCommand::Sell { holding_id: CardHoldingId(holding), number }
}

const fn restock(holding: i64, number: i64) -> CardProductCommand {
    CardProductCommand::Restock { holding_id: CardHoldingId(holding), number }
}

#[test]
fn a_stock_is_sold_once() {
    let mut product = on_sale(CardForm { stock: Some(2), ..form("周卡", 990) });
    assert_eq!(act(&mut product, sell(1, 1), NOW), Ok(1));
    assert_eq!(act(&mut product, sell(2, 1), NOW), Ok(1));
    assert_eq!(act(&mut product, sell(3, 1), NOW), Err(Refusal::SoldOut));
    let paid = CardProductCommand::SellPaid { holding_id: CardHoldingId(3), number: 1 };
    assert_eq!(act(&mut product, paid, NOW), Err(Refusal::SoldOut));
    // Later versions share the stock.
    act(
        &mut product,
        CardProductCommand::Set { of: OF, form: CardForm { stock: Some(3), ..form("周卡", 1_990) } },
        NOW,
    )
    .unwrap();
    assert_eq!(act(&mut product, sell(4, 2), NOW), Ok(1));
    assert_eq!(act(&mut product, sell(5, 2), NOW), Err(Refusal::SoldOut));
}

#[test]
fn without_a_stock_a_sale_leaves_nothing_behind() {
    let mut product = on_sale(form("周卡", 990));
    assert_eq!(act(&mut product, sell(1, 1), NOW), Ok(0));
    assert_eq!(act(&mut product, restock(1, 1), NOW), Ok(0), "it was taken from no stock");
}

#[test]
fn one_that_goes_back_unused_is_sold_again() {
    let mut product = on_sale(CardForm { stock: Some(1), ..form("周卡", 990) });
    assert_eq!(act(&mut product, restock(1, 1), NOW), Ok(0), "none was sold yet");
    assert_eq!(act(&mut product, sell(1, 1), NOW), Ok(1));
    assert_eq!(act(&mut product, sell(2, 1), NOW), Err(Refusal::SoldOut));
    assert_eq!(act(&mut product, restock(1, 1), NOW), Ok(1));
    assert_eq!(act(&mut product, sell(2, 1), NOW), Ok(1));
    assert_eq!(act(&mut product, sell(3, 1), NOW), Err(Refusal::SoldOut));
    // What was sold before there was a stock is not added to it.
    let mut product = on_sale(form("月卡", 990));
    act(&mut product, sell(1, 1), NOW).unwrap();
    let stocked = CardForm { stock: Some(1), ..form("月卡", 990) };
    act(&mut product, CardProductCommand::Set { of: OF, form: stocked }, NOW).unwrap();
    act(&mut product, sell(2, 2), NOW).unwrap();
    assert_eq!(act(&mut product, restock(1, 1), NOW), Ok(0));
    act(&mut product, CardProductCommand::Delete, NOW).unwrap();
    assert_eq!(act(&mut product, restock(2, 2), NOW), Ok(0), "it is sold no more");
}

#[test]
fn nobody_buys_what_he_did_not_see() {
    let mut product = on_sale(form("周卡", 990));
    let save = CardProductCommand::Save { of: OF, form: form("周卡", 1_990) };
    act(&mut product, save, NOW).unwrap();
    assert_eq!(act(&mut product, sell(1, 1), NOW), Ok(0), "a draft counts for nobody");
    let at = NOW.plus_millis(60_000);
    act(&mut product, CardProductCommand::Publish(Term::from(at)), NOW).unwrap();
    assert_eq!(product.on_sale(NOW).map(|version| version.said.price_cents), Ok(990));
    assert_eq!(product.on_sale(at).map(|version| version.said.price_cents), Ok(1_990));
    assert_eq!(act(&mut product, sell(1, 1), at), Err(Refusal::Changed));
    // Who was asked for the money of the first version gets that.
    let paid = CardProductCommand::SellPaid { holding_id: CardHoldingId(1), number: 1 };
    assert_eq!(act(&mut product, paid, at), Ok(0));
    assert_eq!(act(&mut product, CardProductCommand::Withdraw { number: 2 }, at), Err(Refusal::Counted(2)));
    assert_eq!(act(&mut product, CardProductCommand::RollBack { number: 1 }, at), Ok(1));
    assert_eq!(product.on_sale(at).map(|version| (version.number, version.said.price_cents)), Ok((3, 990)));
}

#[test]
fn it_is_sold_in_its_time_alone() {
    let window = (Some(NOW.plus_millis(10)), Some(NOW.plus_millis(20)));
    let mut product = on_sale(CardForm { sell_from: window.0, sell_until: window.1, ..form("周卡", 990) });
    let sold = |product: &CardProduct, after_ms| product.on_sale(NOW.plus_millis(after_ms)).map(drop);
    assert_eq!(sold(&product, 9), Err(Refusal::NotYet));
    assert_eq!((sold(&product, 10), sold(&product, 19)), (Ok(()), Ok(())));
    assert_eq!(sold(&product, 20), Err(Refusal::OffSale));
    act(&mut product, CardProductCommand::Disable, NOW).unwrap();
    assert_eq!(sold(&product, 10), Err(Refusal::OffSale));
    act(&mut product, CardProductCommand::Enable, NOW).unwrap();
    assert_eq!(sold(&product, 10), Ok(()));
    act(&mut product, CardProductCommand::Delete, NOW).unwrap();
    assert_eq!(sold(&product, 10), Err(Refusal::Unknown));
    assert_eq!(act(&mut product, CardProductCommand::Enable, NOW), Err(Refusal::Unknown));
}

#[test]
fn what_a_card_does_not_know_is_not_kept_and_what_it_needs_is_asked_for() {
    let other = Card { free_time_s: 900, billing: Some(Billing::default()), ..form("次卡", 1).card };
    let kept = other.clone().checked().unwrap();
    assert_eq!((kept.free_time_s, kept.billing), (0, None));
    let refused = |card: Card| card.checked().unwrap_err();
    assert_eq!(
        refused(Card { kind: CardKind::Time, free_time_s: 59, ..other.clone() }),
        CardRefusal::FreeTime
    );
    assert_eq!(refused(Card { times: 0, ..other.clone() }), CardRefusal::Times);
    assert_eq!(refused(Card { days: 0, ..other.clone() }), CardRefusal::Days);
    assert_eq!(
        refused(Card { kind: CardKind::Discount, billing: None, ..other.clone() }),
        CardRefusal::NoBilling
    );
    let member =
        Card { kind: CardKind::Membership, times: 3, is_total_times: true, ..other }.checked().unwrap();
    assert_eq!((member.times, member.is_total_times), (UNLIMITED, false));
    let price = |price_cents, origin_price_cents| {
        CardForm { price_cents, origin_price_cents, ..form("次卡", 1) }.checked()
    };
    assert_eq!(price(0, 10), Err(Refusal::Price));
    assert_eq!(price(11, 10), Err(Refusal::OriginPrice));
}

#[test]
fn its_kind_and_its_agent_stay() {
    let mut product = on_sale(form("周卡", 990));
    let mut other = form("周卡", 990);
    other.card.kind = CardKind::Membership;
    let save = CardProductCommand::Save { of: OF, form: other };
    assert_eq!(act(&mut product, save, NOW), Err(Refusal::Different));
    let theirs = ProductOf { agent_id: AgentId(3), ..OF };
    let save = CardProductCommand::Save { of: theirs, form: form("周卡", 990) };
    assert_eq!(act(&mut product, save, NOW), Err(Refusal::Different));
}

#[test]
fn a_name_is_one_products_of_an_agent() {
    let mut product = on_sale(form("周卡", 990));
    let save = product.decide(CardProductCommand::Save { of: OF, form: form("月卡", 990) }, NOW).unwrap();
    let keys = |product: &CardProduct, event| {
        let told = |claim| match claim {
            Claim::Take { key, .. } => format!("+{key}"),
            Claim::Release { key } => format!("-{key}"),
        };
        product.claims(event).into_iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(keys(&product, &save[0]), ["+card-name:2:月卡"]);
    product.evolve(&save[0]);
    assert_eq!(keys(&product, &CardProductEvent::Deleted), ["-card-name:2:周卡", "-card-name:2:月卡"]);
}

#[test]
fn what_is_stored_stays_as_it_is() {
    let form = CardForm { stock: Some(5), ..form("周卡", 990) };
    let event = CardProductEvent::Published { of: OF, number: 1, form, term: Term::from(NOW) };
    let stored = serde_json::json!({
        "type": "card-product.published",
        "data": {
            "of": {"product_id": "1", "agent_id": "2"},
            "number": 1,
            "form": {
                "kind": 4, "name": "周卡", "desc": "", "days": 30, "freeTimeS": 0, "freeDistanceM": 0, "freeMoneyCents": 0,
                "times": 3, "isTotalTimes": false, "areaIds": [], "billing": null, "priceCents": 990,
                "originPriceCents": 990, "stock": 5, "limitPerRider": null, "sellFrom": null, "sellUntil": null,
                "isRecommended": false, "sort": 0
            },
            "term": {"from": 1_790_000_000_000_i64, "until": null}
        }
    });
    assert_eq!(serde_json::to_value(&event).unwrap(), stored);
    assert_eq!(serde_json::from_value::<CardProductEvent>(stored).unwrap(), event);
    let sold = CardProductEvent::Sold { holding_id: CardHoldingId(7), number: 1 };
    let stored = serde_json::json!({"type": "card-product.sold", "data": {"holding_id": "7", "number": 1}});
    assert_eq!(serde_json::to_value(&sold).unwrap(), stored);
    let restocked = CardProductEvent::Restocked { holding_id: CardHoldingId(7), number: 1 };
    let stored =
        serde_json::json!({"type": "card-product.restocked", "data": {"holding_id": "7", "number": 1}});
    assert_eq!(serde_json::to_value(&restocked).unwrap(), stored);
}
