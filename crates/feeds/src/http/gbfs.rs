//! GBFS 3.0.

use axum::extract::State;
use axum::response::Response;
use utoipa_axum::routes;
use wire::{Refused, Routes};

use crate::answer::{Document, FeedRequest};
use crate::model::gbfs::{
    Discovery, Gbfs, GeofencingZones, Manifest, SYSTEM_TTL_S, StationInformation, StationStatus, System,
    VehicleStatus, VehicleTypes, discovery, manifest,
};
use crate::{Feeds, permit};

/// The routes.
pub(crate) fn routes(feeds: &Feeds) -> Routes {
    let permit = permit(feeds.about.gbfs_public);
    Routes::new("feeds")
        .add(permit, routes!(all_feeds))
        .add(permit, routes!(all_systems))
        .add(permit, routes!(system_information))
        .add(permit, routes!(vehicle_types))
        .add(permit, routes!(station_information))
        .add(permit, routes!(station_status))
        .add(permit, routes!(vehicle_status))
        .add(permit, routes!(geofencing_zones))
        .with_state(feeds.clone())
}

/// A feed that names addresses: made for whoever asks, at the address that he asked.
fn addressed(
    feeds: &Feeds,
    asked: &FeedRequest,
    data: impl FnOnce(&str) -> Result<Document, Refused>,
) -> Result<Response, Refused> {
    asked.scope(feeds.about.gbfs_public)?;
    Ok(data(&asked.base(feeds.about.url.as_deref())?)?.answer(asked))
}

/// The feeds that there are.
#[utoipa::path(get, path = "/open/gbfs/3.0/gbfs.json", tag = "open", operation_id = "gbfs",
    responses((status = 200, body = Gbfs<Discovery>)))]
async fn all_feeds(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    let now = feeds.runtime.clock.now();
    addressed(&feeds, &asked, |base| Document::gbfs(&discovery(base), SYSTEM_TTL_S, now, None))
}

/// The systems that are published here: one.
#[utoipa::path(get, path = "/open/gbfs/3.0/manifest.json", tag = "open", operation_id = "gbfsManifest",
    responses((status = 200, body = Gbfs<Manifest>)))]
async fn all_systems(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    let now = feeds.runtime.clock.now();
    addressed(&feeds, &asked, |base| Document::gbfs(&manifest(&feeds.about, base), SYSTEM_TTL_S, now, None))
}

/// Who runs the system, and where questions about the feeds go.
#[utoipa::path(get, path = "/open/gbfs/3.0/system_information.json", tag = "open",
    operation_id = "gbfsSystemInformation", responses((status = 200, body = Gbfs<System>)))]
async fn system_information(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    asked.scope(feeds.about.gbfs_public)?;
    Ok(feeds.system.answer(&asked))
}

/// The types of bikes.
#[utoipa::path(get, path = "/open/gbfs/3.0/vehicle_types.json", tag = "open", operation_id = "gbfsVehicleTypes",
    responses((status = 200, body = Gbfs<VehicleTypes>)))]
async fn vehicle_types(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    asked.scope(feeds.about.gbfs_public)?;
    Ok(feeds.vehicle_types.answer(&asked))
}

/// The parking places that count now, without what a ban takes of them.
#[utoipa::path(get, path = "/open/gbfs/3.0/station_information.json", tag = "open",
    operation_id = "gbfsStationInformation", responses((status = 200, body = Gbfs<StationInformation>)))]
async fn station_information(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.gbfs_public)?;
    Ok(feeds.on_ground(&scope).await?.station_information.answer(&asked))
}

/// How many bikes stand in each of them.
#[utoipa::path(get, path = "/open/gbfs/3.0/station_status.json", tag = "open", operation_id = "gbfsStationStatus",
    responses((status = 200, body = Gbfs<StationStatus>)))]
async fn station_status(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.gbfs_public)?;
    Ok(feeds.on_street(&scope).await?.station_status.answer(&asked))
}

/// The bikes on the street that nobody is on, each under a name that is another one after its next ride.
#[utoipa::path(get, path = "/open/gbfs/3.0/vehicle_status.json", tag = "open", operation_id = "gbfsVehicleStatus",
    responses((status = 200, body = Gbfs<VehicleStatus>)))]
async fn vehicle_status(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.gbfs_public)?;
    Ok(feeds.on_street(&scope).await?.vehicle_status.answer(&asked))
}

/// Where one may ride and stop; of zones that overlap the earlier counts.
#[utoipa::path(get, path = "/open/gbfs/3.0/geofencing_zones.json", tag = "open",
    operation_id = "gbfsGeofencingZones", responses((status = 200, body = Gbfs<GeofencingZones>)))]
async fn geofencing_zones(State(feeds): State<Feeds>, asked: FeedRequest) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.gbfs_public)?;
    Ok(feeds.on_ground(&scope).await?.geofencing_zones.answer(&asked))
}
