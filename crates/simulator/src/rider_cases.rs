//! What riders hand in to be looked at: students and couriers their cards, some who have another phone theirs. Whether somebody does
//! follows from his number, so that a run told again tells the same.

use serde_json::json;

use crate::identity::stable_hash;
use crate::open_api::{OpenApi, OpenApiError};
use crate::photo::card;
use crate::riders::phone_of;

/// One in so many certifies himself.
const CERTIFIED_ONE_IN: u64 = 12;
/// One in so many has another phone.
const REBOUND_ONE_IN: u64 = 30;
const SCHOOLS: [&str; 6] =
    ["厦门大学", "集美大学", "华侨大学", "厦门理工学院", "厦门城市职业学院", "厦门海洋职业技术学院"];
const COMPANIES: [&str; 3] = ["美团外卖", "饿了么", "顺丰同城"];
const STUDENT: u64 = 1;
const COURIER: u64 = 2;

/// Hands in what the rider of this number has, once he has proved who he is.
pub async fn hand_in(api: &OpenApi, rider: u64, user: &str) -> Result<(), OpenApiError> {
    let dice = stable_hash(&format!("case {rider}"));
    if dice.is_multiple_of(CERTIFIED_ONE_IN) {
        let kind = if (dice / CERTIFIED_ONE_IN).is_multiple_of(5) { COURIER } else { STUDENT };
        let organisation = match kind {
            STUDENT => SCHOOLS[(dice / 100 % 6) as usize],
            _ => COMPANIES[(dice / 100 % 3) as usize],
        };
        let photo_ids = vec![api.attach(user, card(dice)).await?, api.attach(user, card(dice ^ 1)).await?];
        let body = json!({ "userId": user, "kind": kind, "organisation": organisation,
            "certNo": format!("{}{:08}", 2022 + dice / 7 % 5, dice / 1_000 % 100_000_000), "photoIds": photo_ids });
        api.post_rider("certification", "", &body).await?;
    }
    if dice % REBOUND_ONE_IN == 1 {
        // Nobody of the world has a phone that begins so.
        let phone = phone_of(rider).replacen("137", "159", 1);
        let photo_ids = vec![api.attach(user, card(dice ^ 2)).await?];
        let body = json!({ "userId": user, "kind": 1, "phone": phone, "photoIds": photo_ids });
        api.post_rider("rebinding", "", &body).await?;
    }
    Ok(())
}
