//! Riders as their program speaks for them: each is registered once with each company, proves who he is, and rides through
//! `/open/v1/rider/…` alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::identity::stable_hash;
use crate::open_api::{OpenApi, OpenApiError, outcome_of};
use crate::world::Outcome;

/// A lock has its time to answer, and the server some to say that it did not.
const UNLOCK_PATIENCE: Duration = Duration::from_secs(25);
/// How often a program asks how a ride stands.
pub(crate) const ASKED_EVERY: Duration = Duration::from_millis(700);
/// A bike's report that it is locked is on its way for so long before its rider says that he is done.
const REPORT_UNDERWAY: Duration = Duration::from_millis(1_500);
/// What a newcomer put into his wallet has come after this as a rule.
const MONEY_UNDERWAY: Duration = Duration::from_secs(15);
const SURNAMES: [&str; 12] = ["王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "林", "徐"];
const GIVEN: [&str; 12] = ["伟", "芳", "娜", "敏", "静", "强", "磊", "洋", "艳", "勇", "军", "杰"];

/// A service area of the server, with whose it is.
#[derive(Clone, Debug)]
pub struct AreaOfCity {
    /// Its id.
    pub area_id: String,
    /// Who runs it.
    pub agent_id: String,
}

/// What a rider is about to do.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Which bike, by its number in the world.
    pub bike: u32,
    /// 车辆编号.
    pub car_id: String,
    /// Where the bike works.
    pub area: AreaOfCity,
    /// `[lng, lat]` of the rider.
    pub at: [f64; 2],
    /// `reserve`, `unlock`, `pause`, `resume` or `return`.
    pub action: &'static str,
    /// Who, by his number in the world.
    pub rider: u64,
    /// Tells two wishes apart.
    pub key: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Ride {
    pub(crate) user: String,
    pub(crate) order: String,
}

/// Riders by their number and their company.
type Known = Mutex<HashMap<(u64, String), Arc<OnceCell<String>>>>;

/// Riders and what they ride.
#[derive(Clone)]
pub struct Riders {
    pub(crate) api: OpenApi,
    known: Arc<Known>,
    rides: Arc<Mutex<HashMap<u32, Ride>>>,
}

/// A phone for a number of the world.
pub fn phone_of(rider: u64) -> String {
    format!("137{:08}", rider % 100_000_000)
}

/// 姓名 and 身份证号 for a number of the world; the number's check digit is right.
pub fn identity_of(rider: u64) -> (String, String) {
    const WEIGHTS: [u64; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let dice = stable_hash(&format!("person {rider}"));
    let name = format!("{}{}", SURNAMES[(dice % 12) as usize], GIVEN[(dice / 12 % 12) as usize]);
    let (year, month, day) = (1965 + dice / 144 % 40, 1 + dice / 6_000 % 12, 1 + dice / 80_000 % 28);
    let first = format!("350203{year}{month:02}{day:02}{:03}", rider % 1_000);
    let sum: u64 = first.bytes().zip(WEIGHTS).map(|(digit, weight)| u64::from(digit - b'0') * weight).sum();
    (name, format!("{first}{}", char::from(CHECKS[(sum % 11) as usize])))
}

impl Riders {
    /// Nobody yet.
    pub fn new(api: OpenApi) -> Self {
        Self { api, known: Arc::default(), rides: Arc::default() }
    }

    /// Does what is wanted, and says what came of it: an unlock is done when the lock is open.
    pub async fn act(&self, wanted: &Wanted) -> Outcome {
        outcome_of(self.acted(wanted).await)
    }

    /// The account that a rider has with the company of an area.
    pub async fn account(&self, rider: u64, area: &AreaOfCity) -> Result<String, OpenApiError> {
        let cell = {
            let mut known = self.known.lock().expect("nothing panics while holding the riders");
            Arc::clone(known.entry((rider, area.agent_id.clone())).or_default())
        };
        cell.get_or_try_init(|| self.come(rider, area)).await.cloned()
    }

    /// Looks for a bike where he is, or at one bike, and goes away again, whatever he is told.
    pub async fn look(
        &self,
        rider: u64,
        area: &AreaOfCity,
        [lng, lat]: [f64; 2],
        car_id: Option<String>,
    ) -> Result<(), OpenApiError> {
        let user = self.account(rider, area).await?;
        let at = format!("lat={lat}&lng={lng}&userId={user}");
        let query = match car_id {
            Some(car_id) => format!("scan?carId={car_id}&{at}"),
            None => format!("nearby?{at}"),
        };
        self.api.get_rider(&query).await.map(drop)
    }

    async fn come(&self, rider: u64, area: &AreaOfCity) -> Result<String, OpenApiError> {
        let body = json!({ "opAreaId": area.area_id, "phone": phone_of(rider), "channel": 1 + rider % 4 });
        let given = self.api.post_rider("register", &area.agent_id, &body).await?;
        let user = given["userId"].as_str().unwrap_or_default().to_owned();
        if given["known"] != true {
            let (name, id_no) = identity_of(rider);
            let body = json!({ "userId": user, "name": name, "idNo": id_no });
            self.api.post_rider("verify", "", &body).await?;
            self.fill_wallet(rider, &user).await?;
            match crate::rider_cases::hand_in(&self.api, rider, &user).await {
                // Whose case is refused rides all the same.
                Ok(()) | Err(OpenApiError::Refused(_) | OpenApiError::NotAllowed(_)) => {}
                Err(away) => return Err(away),
            }
            let (riders, newcomer) = (self.clone(), user.clone());
            tokio::spawn(async move {
                tokio::time::sleep(MONEY_UNDERWAY).await;
                if let Err(error) = riders.settle_in(rider, &newcomer).await {
                    eprintln!("  新用户的事没有办成：{error}");
                }
            });
        }
        Ok(user)
    }

    fn ride_of(&self, bike: u32) -> Result<Ride, OpenApiError> {
        let rides = self.rides.lock().expect("nothing panics while holding the rides");
        rides.get(&bike).cloned().ok_or_else(|| OpenApiError::Refused("没有进行中的行程".to_owned()))
    }

    fn keep(&self, bike: u32, ride: Option<Ride>) {
        let mut rides = self.rides.lock().expect("nothing panics while holding the rides");
        match ride {
            Some(ride) => rides.insert(bike, ride),
            None => rides.remove(&bike),
        };
    }

    async fn acted(&self, wanted: &Wanted) -> Result<(), OpenApiError> {
        let [lng, lat] = wanted.at;
        match wanted.action {
            "reserve" => {
                let user = self.account(wanted.rider, &wanted.area).await?;
                let body = json!({ "userId": user, "carId": wanted.car_id, "lat": lat, "lng": lng });
                let given = self.api.post_rider("reserve", &wanted.key, &body).await?;
                self.keep(wanted.bike, Some(Ride { user, order: text(&given["orderId"]) }));
                Ok(())
            }
            "unlock" => self.unlock(wanted).await,
            "pause" | "resume" => {
                let ride = self.ride_of(wanted.bike)?;
                let body = json!({ "userId": ride.user, "orderId": ride.order });
                let path = if wanted.action == "pause" { "lock" } else { "resume" };
                self.api.post_rider(path, &wanted.key, &body).await.map(drop)
            }
            _ => {
                let ride = self.ride_of(wanted.bike)?;
                tokio::time::sleep(REPORT_UNDERWAY).await;
                let body = json!({ "userId": ride.user, "orderId": ride.order, "lat": lat, "lng": lng });
                self.api.post_rider("return", &wanted.key, &body).await?;
                self.keep(wanted.bike, None);
                // The bike is free; paying is his own affair.
                let (riders, rider, key) = (self.clone(), wanted.rider, wanted.key.clone());
                tokio::spawn(async move {
                    if let Err(error) = riders.settle(&ride, rider, &key).await {
                        eprintln!("  骑行费用没有付成：{error}");
                    }
                    if let Err(error) = riders.afterwards(&ride, rider, [lng, lat], &key).await {
                        eprintln!("  骑行之后的事没有办成：{error}");
                    }
                });
                Ok(())
            }
        }
    }

    async fn unlock(&self, wanted: &Wanted) -> Result<(), OpenApiError> {
        let [lng, lat] = wanted.at;
        let user = self.account(wanted.rider, &wanted.area).await?;
        let reserved = self.ride_of(wanted.bike).ok().filter(|ride| ride.user == user);
        let mut body = json!({ "userId": user, "carId": wanted.car_id, "lat": lat, "lng": lng });
        if let Some(ride) = &reserved {
            body["orderId"] = json!(ride.order);
        }
        let given = match self.api.post_rider("unlock", &wanted.key, &body).await {
            Ok(given) => given,
            Err(error) => {
                self.pay_debts(&user, wanted.rider, &wanted.key).await?;
                // Who does not get the bike that he kept gives it back.
                if let Some(ride) = reserved {
                    let body = json!({ "userId": ride.user, "orderId": ride.order });
                    let _ = self.api.post_rider("cancel", &wanted.key, &body).await;
                }
                self.keep(wanted.bike, None);
                return Err(error);
            }
        };
        let ride = Ride { user, order: text(&given["orderId"]) };
        let begun = self.lock_opens(&ride).await;
        self.keep(wanted.bike, begun.is_ok().then_some(ride));
        begun
    }

    async fn lock_opens(&self, ride: &Ride) -> Result<(), OpenApiError> {
        let patience = tokio::time::Instant::now() + UNLOCK_PATIENCE;
        loop {
            tokio::time::sleep(ASKED_EVERY).await;
            let query = format!("order?userId={}&orderId={}", ride.user, ride.order);
            let order = self.api.get_rider(&query).await?;
            match (order["state"].as_i64(), order["isUnlocking"].as_bool()) {
                (Some(1), Some(false)) => return Ok(()),
                (Some(1), _) if tokio::time::Instant::now() < patience => {}
                _ => return Err(OpenApiError::Refused("车锁没有打开".to_owned())),
            }
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_up_number_has_its_check_digit() {
        // GB 11643-1999 gives 11010519491231002X as its example; its sum is what ours is made by.
        let (name, id_no) = identity_of(9_000_000_001);
        assert_eq!((name.chars().count(), id_no.len()), (2, 18));
        assert_eq!(identity_of(9_000_000_001), (name, id_no));
        for rider in 0..200 {
            let (_, id_no) = identity_of(rider);
            let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2, 1];
            let digit = |byte: u8| if byte == b'X' { 10 } else { u32::from(byte - b'0') };
            let sum: u32 = id_no.bytes().zip(weights).map(|(byte, weight)| digit(byte) * weight).sum();
            assert_eq!(sum % 11, 1, "{id_no}");
        }
    }
}
