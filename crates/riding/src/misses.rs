//! Missed orders on their way to the table. Whoever answers a rider leaves a try here and goes on; what is the same is one
//! try, and what there is no room for is not kept. Whose it is and where is looked up afterwards, at a measured pace.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use geofence::judge::Stop;
use kernel::Aggregate;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use vocabulary::{AreaId, DataOwner, FenceId, RiderId, Scope, Timestamp, Wgs84};
use wire::Refused;

use crate::Context;
use crate::model::miss::{CAR_ID_MAX, DETAIL_MAX, MissAct, MissReason, NEAR_M, subject};
use crate::model::rider::Rider;
use crate::ports::PortError;
use crate::read::misses::{self, NewMiss};

/// Tries that may wait; beyond, new ones are not kept.
const WAITING: usize = 5_000;
/// So many are looked up in a round.
const A_ROUND: usize = 200;
/// At least so long between two rounds: riders' own questions come first.
const PAUSE: Duration = Duration::from_millis(500);
/// What a bike's state has to explain, since its refusal does not.
const VAGUE: [&str; 3] = ["vehicle-blocked", "vehicle-busy", "order-car-busy"];

/// Somebody who tried to get a bike and did not.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    /// At what.
    pub act: MissAct,
    /// Who, as far as his program said.
    pub rider: Option<RiderId>,
    /// 车辆编号, as it was typed.
    pub car_id: Option<String>,
    /// Where he is.
    pub place: Option<Wgs84>,
    /// What his program may see.
    pub scope: Scope,
    /// When.
    pub at: Timestamp,
}

#[derive(Debug)]
struct Kept {
    tried: Tried,
    reason: MissReason,
    /// Whether the bike's own state says better why.
    vague: bool,
    detail: String,
    tries: i32,
    last_at: Timestamp,
}

type Waiting = HashMap<(String, MissReason), Kept>;

/// See the module. Cheap to clone.
#[derive(Clone, Default)]
pub struct Misses {
    waiting: Arc<Mutex<Waiting>>,
    more: Arc<Notify>,
}

fn degrees(place: Option<Wgs84>) -> Option<(f64, f64)> {
    place.map(|place| (place.lat(), place.lng()))
}

fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

impl Misses {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("nothing panics while it holds the tries")
    }

    /// What a program was refused with.
    pub(crate) fn refused(&self, tried: Tried, refused: &Refused) {
        match refused {
            Refused::Business { code, text } => {
                let vague = VAGUE.contains(&code.as_ref());
                self.put(tried, MissReason::of_code(code), vague, text);
            }
            Refused::Unavailable(_) | Refused::Internal(_) => {
                self.put(tried, MissReason::Unavailable, false, "");
            }
            // What cannot be read is nobody's wish for a bike.
            _ => {}
        }
    }

    /// What was found out otherwise.
    pub(crate) fn found(&self, tried: Tried, reason: MissReason, detail: &str) {
        self.put(tried, reason, false, detail);
    }

    fn put(&self, mut tried: Tried, reason: MissReason, vague: bool, detail: &str) {
        tried.car_id = tried.car_id.map(|car_id| cut(&car_id, CAR_ID_MAX));
        let key = (subject(tried.rider, tried.car_id.as_deref(), degrees(tried.place)), reason);
        let mut waiting = self.lock();
        if let Some(known) = waiting.get_mut(&key) {
            known.tries = known.tries.saturating_add(1);
            known.last_at = known.last_at.max(tried.at);
            return;
        }
        if waiting.len() >= WAITING {
            metrics::counter!("wheelhouse_misses_dropped_total").increment(1);
            return;
        }
        let (detail, last_at) = (cut(detail, DETAIL_MAX), tried.at);
        waiting.insert(key, Kept { tried, reason, vague, detail, tries: 1, last_at });
        drop(waiting);
        self.more.notify_one();
    }

    fn take(&self) -> Vec<Kept> {
        let mut waiting = self.lock();
        let keys: Vec<_> = waiting.keys().take(A_ROUND).cloned().collect();
        keys.iter().filter_map(|key| waiting.remove(key)).collect()
    }
}

/// Keeps what comes, until `stop`, and what waits then.
pub async fn keep(context: Context, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = context.misses.more.notified() => {}
        }
        while context.keep_some().await {
            tokio::time::sleep(PAUSE).await;
        }
    }
    context.keep_some().await;
}

impl Context {
    /// Keeps some of what waits; false when nothing did.
    async fn keep_some(&self) -> bool {
        let taken = self.misses.take();
        if taken.is_empty() {
            return false;
        }
        let mut found: HashMap<(String, MissReason), NewMiss> = HashMap::new();
        for kept in taken {
            match self.looked_up(kept).await {
                Ok(Some(miss)) => {
                    let known = found
                        .entry((miss.subject.clone(), miss.reason))
                        .or_insert_with(|| NewMiss { tries: 0, ..miss.clone() });
                    known.tries = known.tries.saturating_add(miss.tries);
                    known.at_ms = known.at_ms.min(miss.at_ms);
                    known.last_at_ms = known.last_at_ms.max(miss.last_at_ms);
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "a missed order cannot be looked up and is not kept"),
            }
        }
        let found: Vec<NewMiss> = found.into_values().collect();
        match misses::keep(&self.runtime.pools.projector, &found).await {
            Ok(new) => metrics::counter!("wheelhouse_misses_kept_total").increment(new),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, misses = found.len(), "missed orders cannot be kept");
            }
        }
        true
    }

    /// Whose it is and where; nothing when it is nobody's whom the program may see.
    async fn looked_up(&self, kept: Kept) -> Result<Option<NewMiss>, PortError> {
        let Kept { tried, mut reason, vague, mut detail, tries, last_at } = kept;
        let rider = match tried.rider {
            Some(id) => {
                let rider = self.runtime.desk.load::<Rider>(&id).await?.state;
                let known = rider.registration().is_some() && tried.scope.contains(rider.owner());
                known.then(|| (id, rider.owner()))
            }
            None => None,
        };
        let bike = match &tried.car_id {
            Some(car_id) => self.ports.bikes.scanned(&tried.scope, car_id).await?,
            None => None,
        };
        if let (true, Some((code, text))) = (vague, bike.as_ref().and_then(|bike| bike.reasons.first())) {
            (reason, detail) = (MissReason::of_code(code), cut(text, DETAIL_MAX));
        }
        let stands = || tried.car_id.as_ref().and_then(|car_id| self.ports.bikes.last_report(car_id)?.place);
        let place = tried.place.or_else(|| bike.as_ref().and_then(|_| stands()));
        let own = bike.as_ref().map(|found| DataOwner::of_area(found.bike.agent_id, found.bike.area_id));
        let (area, parking_id) = match place {
            Some(place) => self.about(place, tried.at).await?,
            None => (None, None),
        };
        let owner = match (own, area) {
            (Some(own), _) => Some(own),
            (None, Some(area)) => self.owner_of(area).await?.filter(|owner| tried.scope.contains(*owner)),
            (None, None) => None,
        };
        let owner = owner.or_else(|| rider.map(|(_, owner)| owner));
        let Some((agent_id, area_id)) = owner.and_then(|owner| owner.agent.zip(owner.area)) else {
            return Ok(None);
        };
        Ok(Some(NewMiss {
            miss_id: self.runtime.ids.next_id(),
            subject: subject(rider.map(|(id, _)| id), tried.car_id.as_deref(), degrees(tried.place)),
            rider_id: rider.map(|(id, _)| id),
            agent_id,
            area_id,
            act: tried.act,
            reason,
            car_id: tried.car_id,
            parking_id,
            lat: place.map(Wgs84::lat),
            lng: place.map(Wgs84::lng),
            detail,
            tries,
            at_ms: tried.at.millis(),
            last_at_ms: last_at.millis(),
        }))
    }

    /// The area that holds a place, and the nearest parking place within 300 m.
    async fn about(
        &self,
        place: Wgs84,
        at: Timestamp,
    ) -> Result<(Option<AreaId>, Option<FenceId>), PortError> {
        let judged = self.ports.places.judge(&Stop::new(place, at, 1.0, None)).await?;
        let near = judged.nearest.filter(|nearest| nearest.beyond_m <= NEAR_M);
        Ok((judged.area.map(|(area, _)| area), near.map(|nearest| nearest.fence.id)))
    }

    async fn owner_of(&self, area: AreaId) -> Result<Option<DataOwner>, PortError> {
        let facts = self.ports.places.area(area).await?;
        Ok(facts.map(|facts| DataOwner::of_area(facts.agent_id, area)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(rider: i64, car_id: &str, at_ms: i64) -> Tried {
        Tried {
            act: MissAct::Unlock,
            rider: Some(RiderId(rider)),
            car_id: Some(car_id.to_owned()),
            place: None,
            scope: Scope::ALL,
            at: Timestamp::from_millis(at_ms),
        }
    }

    #[test]
    fn the_same_again_is_one_that_waits_and_a_flood_has_its_bound() {
        let misses = Misses::default();
        let refused = Refused::business("vehicle-busy", "车辆当前骑行中，不能进行此操作");
        for at in 0..10 {
            misses.refused(tried(7, "W1", at), &refused);
        }
        misses.refused(tried(7, "W1", 11), &Refused::malformed("？"));
        let taken = misses.take();
        let [one] = taken.as_slice() else { panic!("{taken:?}") };
        assert_eq!((one.tries, one.last_at.millis(), one.reason), (10, 9, MissReason::InUse));
        for rider in 0..2 * WAITING as i64 {
            misses.refused(tried(rider, &"长".repeat(200), 0), &refused);
        }
        assert_eq!(misses.lock().len(), WAITING);
        let some = misses.take();
        assert_eq!(some.len(), A_ROUND);
        assert!(
            some.iter().all(|one| one
                .tried
                .car_id
                .as_ref()
                .is_some_and(|id| id.chars().count() == CAR_ID_MAX))
        );
    }
}
