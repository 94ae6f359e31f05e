//! Serving: the parts that were asked for, until told to stop.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use attachments::{Attachments, Store};
use kernel::Runtime;
use kernel::log::{checkpoint, snapshots};
use kernel::projecting::Projectors;
use kernel::reacting::Reactors;
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::task::JoinSet;
use vocabulary::{Phone, SystemClock};
use wire::Surface;

use crate::agents::{RidesOfRiding, StopsOfLive};
use crate::alarm_rules::RulesOfRiding;
use crate::auth_callout::AuthCallout;
use crate::base_map::BaseMap;
use crate::config::{Part, Settings, Stores};
use crate::contexts::{self, Contexts};
use crate::health::Health;
use crate::order_alarms::OrderAlarms;
use crate::secrets::Secrets;
use crate::{checkpoints, descriptors, live_runtime, payments, pruning, site, stores, streams};

const DRAIN: Duration = Duration::from_secs(20);
/// For giving back what this process led; another waits until it ends by itself if there is no time.
const GIVING_BACK: Duration = Duration::from_secs(3);

/// Serves until SIGTERM or Ctrl-C, then drains.
pub async fn serve(stores: &Stores, settings: &Settings) -> Result<()> {
    settings.check()?;
    let descriptors = descriptors::most();
    let secrets = Secrets::load(&stores.state_dir)?;
    if let Some(provider) = payments::client(&settings.payment, &secrets)? {
        tracing::info!(?provider, "riders pay by this provider");
    } else {
        tracing::info!("no payment provider is set: nothing can be paid");
    }
    let metrics = PrometheusBuilder::new().install_recorder().context("figures cannot be kept")?;
    let pools = stores::postgres(stores).await?;
    kernel::migrate(&pools.owner).await.context("the database cannot be migrated")?;
    let nats = stores::nats(stores, &secrets).await?;
    if let Some(nats) = &nats {
        streams::create(nats).await.context("the streams cannot be made")?;
    }
    let runtime = stores::runtime(pools, nats, &secrets).await?;
    let stop = runtime.stopping();
    checkpoints::check_start(&runtime, stores, &secrets).await?;

    let memory = live_runtime::memory();
    live_runtime::fill(&runtime, &memory).await?;
    let attachments = stores::attachments(stores, &runtime)?;
    let contexts =
        Contexts::open(&runtime, settings, &secrets, &memory, attachments.clone(), descriptors).await?;
    if let Some(phone) = &settings.bootstrap_admin_phone {
        let phone: Phone = phone.parse().context("BOOTSTRAP_ADMIN_PHONE")?;
        if access::bootstrap(&runtime, &phone).await? {
            tracing::info!(phone = phone.masked(), "the first administrator was made");
        }
    }

    let mut parts = JoinSet::new();
    let hub = settings.runs(Part::Push).then(|| contexts.hub(&runtime, &memory));
    let rules = Arc::new(RulesOfRiding(runtime.pools.projector.clone()));
    parts.spawn(live::subscriptions(runtime.clone(), memory.clone(), rules, hub.clone(), stop.clone()));
    if settings.runs(Part::Live) {
        parts.spawn(live_runtime::ingest(runtime.clone(), memory.clone(), settings.telemetry_days));
    } else {
        parts.spawn(live_runtime::follow(runtime.clone(), memory.clone(), settings.telemetry_days));
    }
    if let Some(nats) = runtime.nats.clone() {
        let callout = AuthCallout::new(secrets.nats_issuer.clone(), contexts.fleet.devices.clone());
        parts.spawn(callout.run(nats, || vocabulary::Clock::now(&SystemClock), stop.clone()));
    }
    if settings.runs(Part::Projectors) {
        let projectors = Projectors::new(runtime.clone(), contexts::projectors(&runtime));
        parts.spawn(async move { projectors.run().await });
        parts.spawn(checkpoint::run(checkpoints::signer(&runtime, stores, &secrets)));
        parts.spawn(snapshots::watch(runtime.clone()));
        parts.spawn(pruning::run(runtime.clone(), attachments.clone()));
    }
    if settings.runs(Part::Reactors) {
        let reactors = Reactors::new(runtime.clone(), contexts.reactors(&runtime));
        parts.spawn(async move { reactors.run().await });
        parts.spawn(fleet::sender::sweep(runtime.clone(), stop.clone()));
        parts.spawn(fleet::waiting::tend(contexts.fleet.clone(), stop.clone()));
        parts.spawn(fleet::escalation::run(runtime.clone()));
        parts.spawn(territory::expiry::sweep(runtime.clone(), stop.clone()));
        let stops = Arc::new(StopsOfLive::new(runtime.clone()));
        let rides = Arc::new(RidesOfRiding::new(runtime.clone()));
        parts.spawn(territory::app::stations::reckon(runtime.clone(), stops, rides));
        parts.spawn(crate::hourly::count(runtime.clone(), memory.clone()));
        parts.spawn(finance::expiry::sweep(runtime.clone(), stop.clone()));
        parts.spawn(approvals::expiry::sweep(runtime.clone(), stop.clone()));
        parts.spawn(riding::sweeping::reservations(contexts.riding.clone(), stop.clone()));
        parts.spawn(riding::payment_watch::run(contexts.riding.clone()));
        parts.spawn(riding::case_upkeep::sweep(contexts.riding.clone(), stop.clone()));
        parts.spawn(riding::sweeping::return_reviews(contexts.riding.clone()));
        parts.spawn(riding::sweeping::reconciler(contexts.riding.clone()));
        parts.spawn(riding::sweeping::reminders(contexts.riding.clone()));
        parts.spawn(riding::sweeping::mispricings(contexts.riding.clone()));
        let bikes = Arc::clone(&contexts.riding.ports.bikes);
        parts.spawn(OrderAlarms::new(runtime.clone(), memory.clone(), bikes).run());
    }
    if settings.runs(Part::Relay) {
        parts.spawn(kernel::relay::run(runtime.clone(), contexts::contexts()));
    }
    let (wire, access, ending) = (Arc::clone(&contexts.wire), Arc::clone(&contexts.access), stop.clone());
    parts.spawn(async move {
        tokio::select! {
            () = ending.cancelled() => {}
            () = wire.tend() => {}
            () = access.tend() => {}
        }
    });

    // Whoever answers riders or locks keeps what they missed.
    parts.spawn(riding::misses::keep(contexts.riding.clone(), stop.clone()));

    let base_map = BaseMap::load(settings.base_map.as_deref())?;
    let health = Health::new(runtime.clone(), metrics, settings.metrics_token.as_deref());
    let mut routes = contexts.routes(base_map, health);
    if let Some(hub) = &hub {
        routes = routes
            .merge(live::http::routes(&runtime, hub))
            .merge(crate::blocked::routes(&runtime, &memory))
            .merge(crate::contact::routes(&runtime));
    }
    let surface = routes.into_router(&contexts.wire, settings.web_dir.as_deref().map(site::site));
    contexts::check_codes(&surface.table)?;

    let listener = tokio::net::TcpListener::bind(settings.listen)
        .await
        .with_context(|| format!("cannot listen on {}", settings.listen))?;
    tracing::info!(address = %listener.local_addr()?, "Wheelhouse serves");
    let draining = runtime.clone();
    let served = wire::serve(listener, surface.router, Arc::clone(&contexts.wire), async move {
        told_to_stop().await;
        tracing::info!("draining");
        draining.close();
    });
    // Connections that do not end by themselves end with the process.
    let stopped = stop.clone();
    tokio::select! {
        () = served => {}
        // At once: nothing that is still on its way may be built on another log.
        why = runtime.tail.failed() => bail!("{why}"),
        () = async { stopped.cancelled().await; tokio::time::sleep(DRAIN).await } => {
            tracing::warn!("some connections did not end in time");
        }
    }
    runtime.close();
    let all = async { while parts.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN, all).await.is_err() {
        tracing::warn!("some parts did not end in time");
    }
    drop(tokio::time::timeout(GIVING_BACK, runtime.closed()).await);
    runtime.pools.close().await;
    Ok(())
}

/// All routes with their documents, for a task that serves nothing.
pub async fn surface_for_documents(runtime: &Runtime, secrets: &Secrets) -> Result<Surface> {
    let settings = Settings::for_documents();
    let memory = live_runtime::memory();
    let attachments = Attachments::new(runtime.clone(), Store::memory());
    let contexts = Contexts::open(runtime, &settings, secrets, &memory, attachments, u64::MAX).await?;
    let hub = contexts.hub(runtime, &memory);
    let metrics = PrometheusBuilder::new().build_recorder().handle();
    let routes = contexts
        .routes(BaseMap::default(), Health::new(runtime.clone(), metrics, None))
        .merge(live::http::routes(runtime, &hub))
        .merge(crate::blocked::routes(runtime, &memory))
        .merge(crate::contact::routes(runtime));
    Ok(routes.into_router(&contexts.wire, None))
}

async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).expect("the process may hear SIGTERM");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
