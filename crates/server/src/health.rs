//! Whether the process lives, whether it is ready, and what it measures.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kernel::House;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use utoipa_axum::routes;
use wire::{ClientAddress, Permit, Refused, Routes};

/// What the routes look at.
#[derive(Clone)]
pub struct Health {
    house: House,
    metrics: Arc<PrometheusHandle>,
    token: Option<Arc<str>>,
}

impl Health {
    /// Of this house; `token` opens the figures to other machines.
    pub fn new(house: House, metrics: PrometheusHandle, token: Option<&str>) -> Self {
        Self { house, metrics: Arc::new(metrics), token: token.map(Arc::from) }
    }
}

/// The routes, at the root as well.
pub fn routes(health: Health) -> Routes {
    Routes::new("server")
        .add(Permit::Open, routes!(healthz))
        .add(Permit::Open, routes!(readyz))
        .add(Permit::Open, routes!(prometheus))
        .with_state(health)
}

/// How a read model stands.
#[derive(Debug, Serialize, ToSchema)]
struct Projection {
    /// Its name.
    name: String,
    /// The log's position it has reached.
    position: i64,
    /// Events behind the log's head.
    lag: i64,
    /// running or stopped.
    state: String,
    /// Streams set aside because an event could not be applied.
    parked: i64,
}

/// How the process stands.
#[derive(Debug, Serialize, ToSchema)]
struct Report {
    /// ok or degraded.
    status: &'static str,
    /// Whether PostgreSQL answers.
    postgres: bool,
    /// Whether NATS is connected; null where none is configured.
    nats: Option<bool>,
    /// The log's head.
    head: i64,
    /// Read models.
    projections: Vec<Projection>,
}

async fn look(house: &House) -> Report {
    let asked = sqlx::query_as::<_, (String, i64, String, i64)>(
        "select p.name, p.position, p.state,
                (select count(*) from log.parked k where k.reader = 'projector:' || p.name)
         from log.projectors p order by p.name",
    )
    .fetch_all(&house.pools.projector);
    let rows = match tokio::time::timeout(Duration::from_secs(2), asked).await {
        Ok(Ok(rows)) => Some(rows),
        Ok(Err(_)) | Err(_) => None,
    };
    let head = house.tail.head().0;
    let nats =
        house.nats.as_ref().map(|nats| nats.connection_state() == async_nats::connection::State::Connected);
    let postgres = rows.is_some();
    let projections: Vec<Projection> = rows
        .unwrap_or_default()
        .into_iter()
        .map(|(name, position, state, parked)| Projection {
            name,
            position,
            lag: (head - position).max(0),
            state,
            parked,
        })
        .collect();
    let well = postgres
        && nats != Some(false)
        && projections.iter().all(|one| one.state == "running" && one.parked == 0);
    Report { status: if well { "ok" } else { "degraded" }, postgres, nats, head, projections }
}

/// How the process and its read models stand. Answers 200 as long as the process lives.
#[utoipa::path(get, path = "/healthz", tag = "server", responses((status = 200, body = Report)))]
async fn healthz(State(health): State<Health>) -> Response {
    Json(look(&health.house).await).into_response()
}

/// Whether requests should be sent here: 200, or 503 while PostgreSQL does not answer.
#[utoipa::path(get, path = "/readyz", tag = "server",
    responses((status = 200, body = Report), (status = 503, body = Report)))]
async fn readyz(State(health): State<Health>) -> Response {
    let report = look(&health.house).await;
    let status = if report.postgres { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(report)).into_response()
}

/// Figures for Prometheus, which scrapes from the same machine or says the metrics token; to all others the path does
/// not exist.
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, body = String), (status = 404)))]
async fn prometheus(
    State(health): State<Health>,
    ClientAddress(from): ClientAddress,
    headers: HeaderMap,
) -> Response {
    let told = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let known = health.token.as_ref().is_some_and(|token| told.is_some_and(|told| same(told, token)));
    if from.is_loopback() || known {
        return health.metrics.render().into_response();
    }
    Refused::UnknownPath.into_response()
}

/// Compares hashes, so that the time it takes tells nothing of the token.
fn same(told: &str, token: &str) -> bool {
    Sha256::digest(told.as_bytes()) == Sha256::digest(format!("Bearer {token}").as_bytes())
}
