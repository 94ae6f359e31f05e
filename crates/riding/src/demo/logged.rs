//! Orders that live through the log: each is one append with all that its ride, its fare and its money lead to, decided by the
//! same rules as anybody's, at the moments of its own time.

use std::collections::BTreeMap;

use kernel::{CommandContext, Personal, Runtime, Transaction};
use ledger::{Book, BookCommand, Holder};
use vocabulary::{AgentId, AreaId, PaymentId, Phone, RiderId, Timestamp, Wgs84};
use wire::Refused;

use super::life::{Course, Draw, Pays, Ride, Times};
use crate::app::{Refunding, modify, post, refund, subject};
use crate::keys::RiderKeys;
use crate::model::config::BillingConfig;
use crate::model::fare::{Benefits, Ridden, fare};
use crate::model::money;
use crate::model::order::{End, Evidence, Opened, Order, OrderCommand, Pricing, Share};
use crate::model::order_terms::BackTo;
use crate::model::pay_rules::SpendFirst;
use crate::model::payment::{Payment, PaymentCommand, PaymentRequest, Purpose};
use crate::model::rider::{
    Identity, IdentityMethod, Qualification, RegisterChannel, Registration, Rider, RiderCommand,
};

/// Who does it, in the log.
const NAME: &str = "demo-orders";
/// What somebody pays into his wallet when it is short, cents.
const TOP_UP_CENTS: i64 = 2_000;
/// From the unlock asked for to the open lock.
const UNLOCKING_MS: i64 = 4_000;
/// From a fare to its payment where a channel takes it.
const PAYING_MS: i64 = 20_000;
/// From a ride's end to what staff does about it.
const LOOKING_MS: i64 = 3_600_000;
/// Ids of riders and payments, told apart from orders' and from everybody's.
const RIDER_NODE: i64 = 1022;
const PAYMENT_NODE: i64 = 1021;

/// A service area with its bikes.
#[derive(Clone, Debug)]
pub struct DemoArea {
    /// Which.
    pub area_id: AreaId,
    /// Whose.
    pub agent_id: AgentId,
    /// Somewhere in it.
    pub place: Wgs84,
    /// Its bikes: number and device.
    pub bikes: Vec<(String, String)>,
}

/// Makes orders.
pub struct Logged {
    runtime: Runtime,
    keys: RiderKeys,
    times: Times,
    areas: Vec<DemoArea>,
    billing: BTreeMap<AreaId, BillingConfig>,
    riders: i64,
}

impl Logged {
    /// For orders of these times in these areas, of which none is without bikes, by so many riders.
    pub async fn new(
        runtime: Runtime,
        keys: RiderKeys,
        times: Times,
        areas: Vec<DemoArea>,
        riders: i64,
    ) -> Result<Self, Refused> {
        let mut billing = BTreeMap::new();
        for area in &areas {
            let config = runtime.desk.load::<BillingConfig>(&area.area_id).await?.state;
            billing.insert(area.area_id, config);
        }
        Ok(Self { runtime, keys, times, areas, billing, riders })
    }

    /// How many riders there are.
    pub const fn riders(&self) -> i64 {
        self.riders
    }

    /// Whose order it is: some ride often, most now and then.
    pub fn rider_of(&self, order: i64) -> i64 {
        let part = Draw::of(self.times.seed + 1, order).part();
        (self.riders as f64 * part.powf(1.5)) as i64
    }

    /// Where a rider lives: half of all in the first quarter of the areas.
    fn home(&self, rider: i64) -> &DemoArea {
        let part = Draw::of(self.times.seed + 2, rider).part();
        let place = (self.areas.len() as f64 * part * part) as usize;
        &self.areas[place.min(self.areas.len() - 1)]
    }

    fn rider_id(&self, rider: i64) -> RiderId {
        let at_ms = self.times.since.millis_since(Times::IDS_SINCE) + rider;
        RiderId((at_ms << 22) | (RIDER_NODE << 12))
    }

    /// A rider comes, proves who he is and may ride; who is there already stays as he is.
    pub async fn enrol(&self, rider: i64) -> Result<(), Refused> {
        let home = self.home(rider);
        let rider_id = self.rider_id(rider);
        let at = self.times.since;
        let phone: Phone = format!("171{rider:08}").parse().map_err(|_| Refused::not_found())?;
        let identity = Identity { name: name(rider), id_no: id_no(rider) };
        let registration = Registration {
            rider_id,
            agent_id: home.agent_id,
            area_id: home.area_id,
            channel: [RegisterChannel::WeChat, RegisterChannel::Alipay, RegisterChannel::App]
                [rider as usize % 3],
            phone_key: self.keys.phone(home.agent_id, &phone),
            phone: Personal::new(subject(rider_id), phone),
        };
        let id_key = self.keys.id_no(home.agent_id, &identity.id_no);
        let coming = async |mut tx: Transaction| -> Result<_, Refused> {
            if tx.load::<Rider>(&rider_id).await?.version > 0 {
                return Ok(tx);
            }
            tx.execute::<Rider>(&rider_id, RiderCommand::Register(registration.clone())).await?;
            let identity = Personal::new(subject(rider_id), identity.clone());
            let method = IdentityMethod::TwoFactors;
            let verify = RiderCommand::Verify { identity, id_key: id_key.clone(), method };
            tx.execute::<Rider>(&rider_id, verify).await?;
            let free = RiderCommand::Qualify { by: Qualification::Free, until: None };
            tx.execute::<Rider>(&rider_id, free).await?;
            let holder = Holder::rider(rider_id);
            tx.execute::<Book>(&holder, BookCommand::Open(holder, home.agent_id)).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&CommandContext::of_system(NAME, at), coming).await.map(drop)
    }

    /// Lets an order live, from its unlock to what went back of it; one that is there already stays as it is.
    pub async fn live(&self, number: i64) -> Result<(), Refused> {
        let begins = self.times.opened_at(number);
        let living = async |mut tx: Transaction| -> Result<_, Refused> {
            if tx.load::<Order>(&self.times.order_id(number)).await?.version == 0 {
                self.live_in(&mut tx, number).await?;
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&CommandContext::of_system(NAME, begins), living).await.map(drop)
    }

    async fn live_in(&self, tx: &mut Transaction, number: i64) -> Result<(), Refused> {
        let mut draw = Draw::of(self.times.seed, number);
        let rider = self.rider_of(number);
        let area = self.home(rider);
        let order_id = self.times.order_id(number);
        let begins = self.times.opened_at(number);
        let (car_id, imei) = area.bikes[draw.below(area.bikes.len() as u64) as usize].clone();
        let opened = Opened {
            order_id,
            rider_id: self.rider_id(rider),
            car_id,
            imei,
            agent_id: area.agent_id,
            area_id: area.area_id,
            place: Some(near(area.place, &mut draw)),
            rider_place: None,
        };
        let (billing_version, _) = self.billing[&area.area_id].at(begins);
        tx.execute::<Order>(&order_id, OrderCommand::Unlock { opened: opened.clone(), billing_version })
            .await?;
        tx.at(begins.plus_millis(UNLOCKING_MS));
        match Course::draw(&mut draw) {
            Course::Cancelled(why) => {
                Ok(tx.execute::<Order>(&order_id, OrderCommand::Cancel { why }).await?)
            }
            Course::Ridden(ride) => self.ride(tx, number, &opened, &ride, &mut draw).await,
        }
    }

    async fn ride(
        &self,
        tx: &mut Transaction,
        number: i64,
        opened: &Opened,
        ride: &Ride,
        draw: &mut Draw,
    ) -> Result<(), Refused> {
        let order_id = opened.order_id;
        tx.execute::<Order>(&order_id, OrderCommand::Begin).await?;
        let start_at = self.times.opened_at(number).plus_millis(UNLOCKING_MS);
        let end_at = start_at.plus_millis(ride.riding_ms);
        tx.at(end_at);
        let place = opened.place.map(|place| near(place, draw));
        tx.execute::<Order>(&order_id, OrderCommand::Return(end(ride, end_at, place))).await?;
        let billing_version = tx.load::<Order>(&order_id).await?.state.billing_version();
        let billing = self.billing[&opened.area_id].version(billing_version).cloned().unwrap_or_default();
        let ridden = Ridden { start_at, end_at, distance_m: ride.distance_m };
        let benefits = Benefits::default();
        let receipt = fare(&billing, &ridden, &ride.left, false, &benefits);
        let booked = money::fare(order_id, opened.area_id, end_at, &receipt);
        let left = ride.left;
        let pricing = Pricing { billing_version, ridden, left, helmet_missing: false, benefits, receipt };
        tx.execute::<Order>(&order_id, OrderCommand::Price(pricing)).await?;
        post(tx, opened.rider_id, booked).await?;
        let owed_cents = tx.load::<Order>(&order_id).await?.state.owed_cents();
        if owed_cents == 0 {
            return Ok(());
        }
        let mut at = end_at;
        if let Some(percent) = ride.lowered_percent {
            at = at.plus_millis(LOOKING_MS);
            tx.at(at);
            modify(tx, order_id, owed_cents * percent / 100, "还车位置有误，按核实结果改价", at).await?;
        }
        at = at.plus_millis(PAYING_MS);
        tx.at(at);
        self.pay(tx, number, opened, ride.pays, at).await?;
        self.give_back(tx, opened, ride.refund_percent, at.plus_millis(LOOKING_MS)).await
    }

    async fn pay(
        &self,
        tx: &mut Transaction,
        number: i64,
        opened: &Opened,
        pays: Pays,
        at: Timestamp,
    ) -> Result<(), Refused> {
        let order_id = opened.order_id;
        let loaded = tx.load::<Order>(&order_id).await?;
        let owed_cents = loaded.state.owed_cents();
        let at_ms = at.millis_since(Times::IDS_SINCE);
        let payment_id = PaymentId((at_ms << 22) | (PAYMENT_NODE << 12) | (number & 4095));
        let (share, channel, payment) = match pays {
            Pays::Never => return Ok(()),
            _ if owed_cents == 0 => return Ok(()),
            Pays::Channel(channel) => {
                self.take(tx, opened, payment_id, channel, owed_cents, Purpose::Ride(order_id)).await?;
                (Share { third_cents: owed_cents, ..Share::default() }, channel, Some(payment_id))
            }
            Pays::Wallet => {
                let book = tx.load::<Book>(&Holder::rider(opened.rider_id)).await?.state;
                let share = if let Some(share) = money::from_wallet(&book, owed_cents, SpendFirst::Present) {
                    share
                } else {
                    let cents = (owed_cents + TOP_UP_CENTS - 1) / TOP_UP_CENTS * TOP_UP_CENTS;
                    self.take(tx, opened, payment_id, 1, cents, Purpose::TopUp).await?;
                    let topped_up = money::topped_up(payment_id, 1, at, cents);
                    post(tx, opened.rider_id, topped_up).await?;
                    let book = tx.load::<Book>(&Holder::rider(opened.rider_id)).await?.state;
                    money::from_wallet(&book, owed_cents, SpendFirst::Present)
                        .ok_or_else(Refused::not_found)?
                };
                (share, 0, None)
            }
        };
        let entry = money::paid(order_id, loaded.version, opened.area_id, at, &share, channel);
        tx.execute::<Order>(&order_id, OrderCommand::Pay { share, channel, payment }).await?;
        Ok(post(tx, opened.rider_id, entry).await?)
    }

    /// A payment that the provider took.
    async fn take(
        &self,
        tx: &mut Transaction,
        opened: &Opened,
        payment_id: PaymentId,
        channel: i16,
        amount_cents: i64,
        purpose: Purpose,
    ) -> Result<(), Refused> {
        let asked = PaymentRequest {
            payment_id,
            rider_id: opened.rider_id,
            agent_id: opened.agent_id,
            area_id: opened.area_id,
            channel,
            agreed: false,
            amount_cents,
            purpose,
        };
        tx.execute::<Payment>(&payment_id, PaymentCommand::Ask(asked)).await?;
        let provider_no = format!("DEMO{payment_id}");
        Ok(tx.execute::<Payment>(&payment_id, PaymentCommand::Confirm { provider_no, note: None }).await?)
    }

    async fn give_back(
        &self,
        tx: &mut Transaction,
        opened: &Opened,
        percent: Option<i64>,
        at: Timestamp,
    ) -> Result<(), Refused> {
        let order = tx.load::<Order>(&opened.order_id).await?.state;
        let amount_cents = order.refundable().sum_cents() * percent.unwrap_or(0) / 100;
        if amount_cents == 0 {
            return Ok(());
        }
        tx.at(at);
        let share = order.back(amount_cents).map_err(|_| Refused::not_found())?;
        let reason = "车辆故障，退还车费".to_owned();
        let refunding = Refunding { order_id: opened.order_id, share, reason };
        refund(&self.runtime, tx, &refunding, BackTo::Wallet, at).await
    }
}

fn end(ride: &Ride, at: Timestamp, place: Option<Wgs84>) -> End {
    End {
        at,
        kind: ride.end_kind,
        place,
        distance_m: ride.distance_m,
        class: ride.class,
        fence: None,
        certainty_percent: 95,
        evidence: Evidence { hdop: Some(0.9), rider_place: place, ..Evidence::default() },
    }
}

/// Within half a kilometre.
fn near(place: Wgs84, draw: &mut Draw) -> Wgs84 {
    let mut off = || (draw.part() - 0.5) * 0.01;
    Wgs84::new(place.lat() + off(), place.lng() + off()).unwrap_or(place)
}

fn name(rider: i64) -> String {
    const FAMILY: [&str; 12] = ["王", "李", "张", "刘", "陈", "杨", "黄", "赵", "吴", "周", "徐", "孙"];
    const GIVEN: [&str; 15] =
        ["伟", "芳", "娜", "敏", "静", "磊", "洋", "艳", "勇", "杰", "涛", "明", "超", "霞", "平"];
    let pick = rider as usize;
    format!("{}{}{}", FAMILY[pick % 12], GIVEN[pick / 12 % 15], GIVEN[pick / 180 % 15])
}

/// A sound number of a resident's card (GB 11643-1999) that nobody has: of the day of birth, the place and a number.
fn id_no(rider: i64) -> String {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let (year, month, day) = (1970 + rider % 30, 1 + rider / 30 % 12, 1 + rider / 360 % 28);
    let text = format!("990101{year:04}{month:02}{day:02}{:03}", rider / 10_080 % 1000);
    let sum: u32 = text.bytes().zip(WEIGHTS).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    format!("{text}{}", char::from(CHECKS[(sum % 11) as usize]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rider_has_a_sound_number_of_his_own() {
        let all: BTreeSet<String> = (0..50_000).map(id_no).collect();
        assert_eq!(all.len(), 50_000);
        assert!(all.iter().all(|number| crate::model::rider::is_id_no(number)));
    }
}
