//! What each scope sees, made at most every so often.

use std::sync::{Arc, Mutex};

use vocabulary::Scope;
use wire::Refused;

use crate::Feeds;
use crate::answer::Document;
use crate::kept::Kept;
use crate::model::gbfs::{self, GROUND_TTL_S, STREET_TTL_S};
use crate::model::ground::Ground;
use crate::model::mds::Catalogue;
use crate::model::street::Street;
use crate::read;

/// So many scopes are remembered: that of everybody, and those of machines. What was asked for least lately is forgotten.
const MOST_SCOPES: usize = 64;
/// How long what MDS is told may be kept, seconds.
pub(crate) const CATALOGUE_TTL_S: u32 = 60;

/// Stations and zones.
pub(crate) struct OnGround {
    ground: Ground,
    pub station_information: Document,
    pub geofencing_zones: Document,
}

/// Bikes, and what stands in stations.
pub(crate) struct OnStreet {
    pub station_status: Document,
    pub vehicle_status: Document,
}

/// What one scope sees.
#[derive(Default)]
pub(crate) struct View {
    ground: Kept<OnGround>,
    street: Kept<OnStreet>,
    catalogue: Kept<Catalogue>,
}

/// Scopes, the one that asked last at the end.
type Known = Vec<(Scope, Arc<View>)>;

/// What every scope that asked lately sees.
#[derive(Clone, Default)]
pub(crate) struct Views(Arc<Mutex<Known>>);

impl Views {
    fn of(&self, scope: &Scope) -> Arc<View> {
        let mut known = self.0.lock().expect("nothing panics while it holds the views");
        let index = known.iter().position(|(one, _)| one == scope);
        let entry = match index {
            Some(index) => known.remove(index),
            None => (scope.clone(), Arc::default()),
        };
        if known.len() >= MOST_SCOPES {
            known.remove(0);
        }
        let view = Arc::clone(&entry.1);
        known.push(entry);
        view
    }
}

fn ms(seconds: u32) -> i64 {
    i64::from(seconds) * 1000
}

impl Feeds {
    /// Stations and zones in `scope`.
    pub(crate) async fn on_ground(&self, scope: &Scope) -> Result<Arc<OnGround>, Refused> {
        let (feeds, within) = (self.clone(), scope.clone());
        let make = move |before: Option<Arc<OnGround>>| async move {
            let now = feeds.runtime.clock.now();
            let mut tx = feeds.runtime.reads.scoped(&within, None, &[]).await?;
            let areas = read::ground::areas(&mut tx).await?;
            let fences = read::ground::fences(&mut tx, now).await?;
            drop(tx);
            let drawn = move || {
                let ground = Ground::new(areas, fences, now);
                let before = before.as_deref();
                let stations = gbfs::station_information(&ground);
                let known = before.map(|before| &before.station_information);
                let station_information = Document::gbfs(&stations, GROUND_TTL_S, now, known)?;
                let known = before.map(|before| &before.geofencing_zones);
                let zones = gbfs::geofencing_zones(&ground);
                let geofencing_zones = Document::gbfs(&zones, GROUND_TTL_S, now, known)?;
                Ok(OnGround { ground, station_information, geofencing_zones })
            };
            tokio::task::spawn_blocking(drawn).await.map_err(Refused::internal)?
        };
        self.views.of(scope).ground.get(&self.runtime.clock, ms(GROUND_TTL_S), make).await
    }

    /// Bikes in `scope`.
    pub(crate) async fn on_street(&self, scope: &Scope) -> Result<Arc<OnStreet>, Refused> {
        let (feeds, within) = (self.clone(), scope.clone());
        let make = move |before: Option<Arc<OnStreet>>| async move {
            let on_ground = feeds.on_ground(&within).await?;
            let counted = move || {
                let now = feeds.runtime.clock.now();
                let bikes = read::street::bikes(&feeds.memory, &within, &feeds.ids);
                let street = Street::new(bikes, &on_ground.ground);
                let before = before.as_deref();
                let states = gbfs::station_status(&on_ground.ground, &street, now);
                let known = before.map(|before| &before.station_status);
                let station_status = Document::gbfs(&states, STREET_TTL_S, now, known)?;
                let vehicles = gbfs::vehicle_status(&street, &feeds.about);
                let known = before.map(|before| &before.vehicle_status);
                let vehicle_status = Document::gbfs(&vehicles, STREET_TTL_S, now, known)?;
                Ok(OnStreet { station_status, vehicle_status })
            };
            tokio::task::spawn_blocking(counted).await.map_err(Refused::internal)?
        };
        self.views.of(scope).street.get(&self.runtime.clock, ms(STREET_TTL_S), make).await
    }

    /// Geographies and policies in `scope`.
    pub(crate) async fn catalogue(&self, scope: &Scope) -> Result<Arc<Catalogue>, Refused> {
        let (feeds, within) = (self.clone(), scope.clone());
        let make = move |before: Option<Arc<Catalogue>>| async move {
            let now = feeds.runtime.clock.now();
            let mut tx = feeds.runtime.reads.scoped(&within, None, &[]).await?;
            let mut versions = read::versions::areas(&mut tx).await?;
            versions.extend(read::versions::fences(&mut tx).await?);
            drop(tx);
            let made = move || Catalogue::new(versions, now, before.as_deref());
            let made = tokio::task::spawn_blocking(made).await.map_err(Refused::internal)?;
            made.map_err(Refused::internal)
        };
        self.views.of(scope).catalogue.get(&self.runtime.clock, ms(CATALOGUE_TTL_S), make).await
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{AgentId, Reach};

    use super::*;

    fn scope(agent: i64) -> Scope {
        Scope::of(Reach::only([AgentId(agent)]), Reach::All)
    }

    #[test]
    fn each_scope_has_its_own_view_and_the_least_lately_asked_is_forgotten() {
        let views = Views::default();
        let first = views.of(&Scope::ALL);
        assert!(!Arc::ptr_eq(&first, &views.of(&scope(1))));
        for agent in 2..=MOST_SCOPES as i64 {
            views.of(&scope(agent));
            assert!(Arc::ptr_eq(&first, &views.of(&Scope::ALL)), "{agent}");
        }
        assert_eq!(views.0.lock().unwrap().len(), MOST_SCOPES);
        assert!(views.0.lock().unwrap().iter().all(|(one, _)| *one != scope(1)));
    }
}
