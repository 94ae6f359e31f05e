//! Orders that a version may have priced wrong, with all that their fares follow from, as table `ride_order` keeps it.

use geofence::Bounds;
use geofence::judge::{ReturnClass, Stop};
use geofence::rule::Proof;
use sqlx::types::Json;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use vocabulary::{AgentId, AreaId, FenceId, RideOrderId, RiderId, Timestamp, Wgs84};

use crate::model::mispricing::Paying;
use crate::model::order::{Evidence, PayState, Pricing};

/// Orders that are read at once.
const STRETCH: i64 = 1_000;

/// An order that was priced and is paid or owed.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PricedOrder {
    /// Which.
    pub order_id: RideOrderId,
    /// Whose.
    pub rider_id: RiderId,
    end_at_ms: i64,
    class: ReturnClass,
    end_lat: Option<f64>,
    end_lng: Option<f64>,
    evidence: Option<Json<Evidence>>,
    pricing: Json<Pricing>,
    pay_cents: i64,
    paid_cents: i64,
    refund_cents: i64,
    written_off_cents: i64,
}

impl PricedOrder {
    /// What it was priced by.
    pub const fn pricing(&self) -> &Pricing {
        &self.pricing.0
    }

    /// Where it was judged to be left.
    pub const fn class(&self) -> ReturnClass {
        self.class
    }

    /// Its money.
    pub const fn paying(&self) -> Paying {
        Paying {
            pay_cents: self.pay_cents,
            paid_cents: self.paid_cents,
            refunded_cents: self.refund_cents,
            written_off_cents: self.written_off_cents,
        }
    }

    /// How it was left, as it was judged; nothing where nobody knew where it stood.
    pub fn stop(&self, area: AreaId) -> Option<Stop> {
        let place = Wgs84::new(self.end_lat?, self.end_lng?).ok()?;
        let evidence = &self.evidence.as_ref()?.0;
        let proved = evidence.proved.iter().filter_map(|number| Proof::try_from(*number).ok()).collect();
        Some(Stop {
            proved,
            heading_degrees: evidence.heading_degrees,
            ..Stop::new(place, Timestamp::from_millis(self.end_at_ms), evidence.hdop?, Some(area))
        })
    }
}

/// Orders of an area of an agent that ended in a stretch of time.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// Where they began.
    pub area: AreaId,
    /// Whose they are.
    pub agent: AgentId,
    /// From then on,
    pub from: Timestamp,
    /// … until then, without it.
    pub until: Timestamp,
}

/// Which of them.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// Those that were billed by this version.
    Billed(i64),
    /// Those of which a version of a fence decided.
    Decided(FenceId, i64),
    /// Those that were left so.
    Left(ReturnClass),
    /// Those that were left within a box, without those that this version of a fence decided.
    Boxed(Bounds, FenceId, i64),
}

fn put(query: &mut QueryBuilder<Postgres>, which: &Which) {
    match *which {
        Which::Billed(version) => {
            query.push(" and billing_version = ").push_bind(version);
        }
        Which::Decided(fence, version) => {
            query.push(" and end_fence_id = ").push_bind(fence.0);
            query.push(" and end_fence_version = ").push_bind(version);
        }
        Which::Left(class) => {
            query.push(" and class = ").push_bind(class.number());
        }
        Which::Boxed([min, max], fence, version) => {
            query.push(" and end_lng between ").push_bind(min[0]).push(" and ").push_bind(max[0]);
            query.push(" and end_lat between ").push_bind(min[1]).push(" and ").push_bind(max[1]);
            query.push(" and (end_fence_id, end_fence_version) is distinct from (").push_bind(fence.0);
            query.push(", ").push_bind(version).push(")");
        }
    }
}

/// Hands over those in scope, the latest first, at most `most`, until `take` says that it is enough; answers whether there
/// are more.
pub async fn each(
    db: &mut PgConnection,
    within: &Within,
    which: &Which,
    most: i64,
    mut take: impl FnMut(&PricedOrder) -> bool,
) -> sqlx::Result<bool> {
    let mut last = (within.until.millis(), i64::MIN);
    let mut taken = 0;
    loop {
        let mut query = QueryBuilder::new(
            "select order_id, rider_id, end_at_ms, class, end_lat, end_lng, evidence, pricing, pay_cents, paid_cents,
                 refund_cents, written_off_cents
             from read.ride_order where area_id = ",
        );
        query.push_bind(within.area).push(" and agent_id = ").push_bind(within.agent);
        query.push(" and end_at_ms >= ").push_bind(within.from.millis());
        query.push(" and (end_at_ms, order_id) < (").push_bind(last.0).push(", ").push_bind(last.1).push(")");
        query.push(" and state in (").push_bind(PayState::Unpaid.number());
        query
            .push(", ")
            .push_bind(PayState::Paid.number())
            .push(") and pricing is not null and class is not null");
        put(&mut query, which);
        query.push(" order by end_at_ms desc, order_id desc limit ").push_bind(STRETCH);
        let found: Vec<PricedOrder> = query.build_query_as().fetch_all(&mut *db).await?;
        let is_last = (found.len() as i64) < STRETCH;
        for order in &found {
            if taken == most || !take(order) {
                return Ok(true);
            }
            taken += 1;
            last = (order.end_at_ms, order.order_id.0);
        }
        if is_last {
            return Ok(false);
        }
    }
}
