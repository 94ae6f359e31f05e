//! A rider, as his program speaks for him.

use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::bike::Bike;
use crate::city::Enrolled;
use crate::client::{Machine, Reply};

/// Somebody with an account, who has proved who he is.
#[derive(Clone, Debug)]
pub struct Rider {
    pub id: String,
    pub phone: String,
}

/// A ride that has begun.
#[derive(Clone, Debug)]
pub struct Ride {
    pub rider: Rider,
    pub order: String,
}

/// Numbers that follow from a name, so many digits.
fn digits(name: &str, many: usize) -> String {
    let hash = Sha256::digest(name);
    hash.iter().map(|byte| char::from(b'0' + byte % 10)).take(many).collect()
}

/// An identity number with its check digit (GB 11643-1999).
pub fn id_no(name: &str) -> String {
    let many = digits(name, 9);
    let number = |range: std::ops::Range<usize>| many[range].parse::<u32>().unwrap_or(0);
    let (year, month, day) = (1970 + number(0..2) % 30, 1 + number(2..4) % 12, 1 + number(4..6) % 28);
    let first = format!("350203{year}{month:02}{day:02}{}", &many[6..9]);
    let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let sum: u32 = first.bytes().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    format!("{first}{}", b"10X98765432"[(sum % 11) as usize] as char)
}

impl Rider {
    /// Registers under a phone that follows from `name`, without saying who he is.
    pub async fn unverified(machine: &Machine, area: &str, name: &str) -> Self {
        let phone = format!("136{}", digits(name, 8));
        let body = json!({"opAreaId": area, "phone": phone, "channel": 1});
        let given = machine.ok("/open/v1/rider/register", &body).await;
        Self { id: given["userId"].as_str().expect("an id").to_owned(), phone }
    }

    /// Registers and proves who he is.
    pub async fn come(machine: &Machine, area: &str, name: &str) -> Self {
        let rider = Self::unverified(machine, area, name).await;
        let body = json!({"userId": rider.id, "name": "陈一", "idNo": id_no(name)});
        machine.ok("/open/v1/rider/verify", &body).await;
        rider
    }

    /// Asks for a bike.
    pub async fn unlock(&self, machine: &Machine, car: &str) -> Reply {
        let body = json!({"userId": self.id, "carId": car});
        machine.post("/open/v1/rider/unlock", &body, None).await.expect("an answer")
    }

    /// Asks for a bike, whose lock opens.
    pub async fn ride_off(&self, machine: &Machine, bike: &Enrolled, line: &mut Bike) -> Ride {
        let order =
            self.unlock(machine, &bike.car).await.data()["orderId"].as_str().expect("an id").to_owned();
        let ride = Ride { rider: self.clone(), order };
        loop {
            let (_, command) = line.next_command().await;
            if command["id"] == ride.order.as_str() {
                break;
            }
        }
        line.answer(&bike.imei, &ride.order, 0).await;
        ride.until(machine, "it begins", |order| order["state"] == 1 && order["isUnlocking"] == false).await;
        ride
    }

    /// How he stands.
    pub async fn account(&self, machine: &Machine) -> Value {
        machine.get(&format!("/open/v1/rider/account?userId={}", self.id)).await.data()
    }
}

impl Ride {
    fn of(&self) -> Value {
        json!({"userId": self.rider.id, "orderId": self.order})
    }

    /// As his program sees it.
    pub async fn order(&self, machine: &Machine) -> Value {
        let path = format!("/open/v1/rider/order?userId={}&orderId={}", self.rider.id, self.order);
        machine.get(&path).await.data()
    }

    /// Waits until the order is so.
    pub async fn until(&self, machine: &Machine, what: &str, so: impl Fn(&Value) -> bool) -> Value {
        let patience = std::time::Duration::from_mins(1);
        crate::stack::eventually(what, patience, async || {
            let order = self.order(machine).await;
            so(&order).then_some(order)
        })
        .await
    }

    /// Something that he does with it: `cancel`, `lock`, `resume`, `return`, `pay`.
    pub async fn post(&self, machine: &Machine, what: &str) -> Reply {
        machine.post(&format!("/open/v1/rider/{what}"), &self.of(), None).await.expect("an answer")
    }
}

impl Machine {
    /// Looks at something.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path).await
    }
}
