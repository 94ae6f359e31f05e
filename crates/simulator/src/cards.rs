//! The cards that each company sells, and riders who buy one.

use serde_json::{Value, json};

use crate::open_api::{OpenApi, OpenApiError};

/// As often as one likes.
const UNLIMITED: i64 = 9_999;

/// What a company sells: three riding cards and a membership.
pub fn sold_by(agent_id: &str) -> [Value; 4] {
    let card = |kind: i64, name: &str, days: i64, prices: [i64; 2]| {
        json!({
            "agentId": agent_id, "kind": kind, "name": name, "days": days, "times": UNLIMITED,
            "priceCents": prices[0], "originPriceCents": prices[1],
        })
    };
    let mut times = card(4, "10 次畅骑卡", 30, [1_590, 2_000]);
    (times["times"], times["isTotalTimes"]) = (json!(10), json!(true));
    let mut month = card(1, "30 天时长卡", 30, [2_990, 3_990]);
    (month["freeTimeS"], month["times"], month["isRecommended"]) = (json!(1_800), json!(4), json!(true));
    let mut week = card(3, "7 天减免卡", 7, [590, 790]);
    (week["freeMoneyCents"], week["times"]) = (json!(150), json!(4));
    [month, times, week, card(5, "免押月度会员", 30, [1_200, 1_500])]
}

/// Puts on sale what each of these companies sells. Doing it twice changes nothing: a card is known by its name.
pub async fn put_on_sale(api: &OpenApi, agent_ids: &[&str]) -> Result<usize, OpenApiError> {
    let mut count = 0;
    for agent_id in agent_ids {
        for card in sold_by(agent_id) {
            api.put_card_on_sale(&card).await?;
            count += 1;
        }
    }
    Ok(count)
}

/// Of what is on sale the card that would have saved its rider most beyond its price, with its version; nothing when none is
/// worth it.
pub fn worth_buying(on_sale: &Value) -> Option<(String, i64)> {
    let worth = |row: &Value| {
        let saved_cents = row["wouldHaveSavedCents"].as_i64()? - row["priceCents"].as_i64()?;
        let one = (row["productId"].as_str()?.to_owned(), row["number"].as_i64()?);
        (saved_cents > 0).then_some((saved_cents, one))
    };
    let best =
        on_sale["rows"].as_array()?.iter().filter_map(worth).max_by_key(|(saved_cents, _)| *saved_cents);
    best.map(|(_, one)| one)
}

/// A rider looks at what is on sale, and buys from his wallet what is worth its price to him; the card's id.
pub async fn shop(api: &OpenApi, user: &str, key: &str) -> Result<Option<String>, OpenApiError> {
    let on_sale = api.get_rider(&format!("cards?userId={user}")).await?;
    let Some((product, number)) = worth_buying(&on_sale) else { return Ok(None) };
    buy(api, user, (&product, number), key).await
}

/// Of what is on sale something that somebody may buy with so many cents who has not ridden yet, with its version.
fn affordable(on_sale: &Value, cents: i64, dice: u64) -> Option<(String, i64)> {
    let one = |row: &Value| {
        let affordable = row["priceCents"].as_i64()? <= cents;
        let one = (row["productId"].as_str()?.to_owned(), row["number"].as_i64()?);
        affordable.then_some(one)
    };
    let mut all: Vec<_> = on_sale["rows"].as_array()?.iter().filter_map(one).collect();
    let which = usize::try_from(dice).unwrap_or(0).checked_rem(all.len())?;
    Some(all.swap_remove(which))
}

/// Somebody who has just come buys a card that his wallet holds enough for; the card's id.
pub async fn newcomers_card(api: &OpenApi, user: &str, dice: u64) -> Result<Option<String>, OpenApiError> {
    let account = api.get_rider(&format!("account?userId={user}")).await?;
    let on_sale = api.get_rider(&format!("cards?userId={user}")).await?;
    let cents = account["rechargeCents"].as_i64().unwrap_or(0);
    let Some((product, number)) = affordable(&on_sale, cents, dice) else { return Ok(None) };
    buy(api, user, (&product, number), "newcomer").await
}

async fn buy(
    api: &OpenApi,
    user: &str,
    (product, number): (&str, i64),
    key: &str,
) -> Result<Option<String>, OpenApiError> {
    let body = json!({ "userId": user, "productId": product, "number": number });
    let bought = api.post_rider("cards/buy", key, &body).await?;
    Ok(bought["holdingId"].as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_company_sells_three_riding_cards_and_a_membership() {
        let kinds: Vec<i64> = sold_by("2").iter().filter_map(|card| card["kind"].as_i64()).collect();
        assert_eq!(kinds, [1, 4, 3, 5]);
        assert!(
            sold_by("2").iter().all(|card| card["originPriceCents"].as_i64() >= card["priceCents"].as_i64())
        );
    }

    #[test]
    fn a_newcomer_buys_what_he_can_pay() {
        let row =
            |id: &str, price_cents: i64| json!({ "productId": id, "number": 2, "priceCents": price_cents });
        let on_sale = json!({ "rows": [row("1", 500), row("2", 900), row("3", 2_000)] });
        let bought = |cents, dice| affordable(&on_sale, cents, dice).map(|(id, _)| id);
        assert_eq!((bought(499, 0), bought(0, u64::MAX)), (None, None));
        assert_eq!(
            (bought(900, 0), bought(900, 1), bought(900, 2)),
            (Some("1".into()), Some("2".into()), Some("1".into()))
        );
        assert_eq!(affordable(&json!({ "rows": [] }), 900, 0), None);
    }

    #[test]
    fn nobody_buys_what_is_not_worth_its_price() {
        let row = |id: &str, price_cents: i64, saved_cents: i64| json!({ "productId": id, "number": 1, "priceCents": price_cents, "wouldHaveSavedCents": saved_cents });
        let on_sale = |rows: Vec<Value>| worth_buying(&json!({ "rows": rows })).map(|(id, _)| id);
        assert_eq!(on_sale(vec![row("1", 500, 500), row("2", 900, 0)]), None);
        assert_eq!(on_sale(vec![row("1", 500, 600), row("2", 900, 1_200)]), Some("2".to_owned()));
    }
}
