//! Whether the process lives, whether it is ready, and what it measures.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kernel::Runtime;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::routes;
use wire::{Permit, Refused, Routes};

/// One look at the stores answers everybody who asks within this time, so that asking costs strangers' time alone.
const LOOK_LASTS: Duration = Duration::from_secs(1);

/// What the routes look at.
#[derive(Clone)]
pub struct Health {
    runtime: Runtime,
    metrics: Arc<PrometheusHandle>,
    token: Option<Arc<str>>,
    last: Arc<Mutex<Option<(Instant, Report)>>>,
}

impl Health {
    /// Of this system; `token` opens the details and the figures.
    pub fn new(runtime: Runtime, metrics: PrometheusHandle, token: Option<&str>) -> Self {
        Self { runtime, metrics: Arc::new(metrics), token: token.map(Arc::from), last: Arc::default() }
    }

    /// How the process stands, without details for who does not say the token.
    async fn report(&self, headers: &HeaderMap) -> Report {
        let mut last = self.last.lock().await;
        let report = match &*last {
            Some((at, report)) if at.elapsed() < LOOK_LASTS => report.clone(),
            _ => {
                let report = look(&self.runtime).await;
                *last = Some((Instant::now(), report.clone()));
                report
            }
        };
        Report { details: report.details.filter(|_| self.knows(headers)), ..report }
    }

    /// Whether the token is said.
    fn knows(&self, headers: &HeaderMap) -> bool {
        let told = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        self.token.as_ref().is_some_and(|token| told.is_some_and(|told| same(told, token)))
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
#[derive(Clone, Debug, Serialize, ToSchema)]
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
#[derive(Clone, Debug, Serialize, ToSchema)]
struct Report {
    /// ok or degraded.
    status: &'static str,
    /// Whether requests should be sent here.
    #[serde(skip)]
    ready: bool,
    /// Only for who says the metrics token.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

/// What is well and what is not.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = HealthDetails)]
struct Details {
    /// Whether PostgreSQL answers.
    postgres: bool,
    /// Whether NATS is connected; null where none is configured.
    nats: Option<bool>,
    /// The log's head.
    head: i64,
    /// Read models.
    projections: Vec<Projection>,
}

async fn look(runtime: &Runtime) -> Report {
    let asked = sqlx::query_as::<_, (String, i64, String, i64)>(
        "select p.name, p.position, p.state,
                (select count(*) from log.parked k where k.reader = 'projector:' || p.name)
         from log.projectors p order by p.name",
    )
    .fetch_all(&runtime.pools.projector);
    let rows = match tokio::time::timeout(Duration::from_secs(2), asked).await {
        Ok(Ok(rows)) => Some(rows),
        Ok(Err(_)) | Err(_) => None,
    };
    let head = runtime.tail.head().0;
    let nats =
        runtime.nats.as_ref().map(|nats| nats.connection_state() == async_nats::connection::State::Connected);
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
    let details = Some(Details { postgres, nats, head, projections });
    Report { status: if well { "ok" } else { "degraded" }, ready: postgres, details }
}

/// Whether the process and its read models are well; details for who says the metrics token as bearer. Answers 200 as
/// long as the process lives.
#[utoipa::path(get, path = "/healthz", tag = "server", responses((status = 200, body = Report)))]
async fn healthz(State(health): State<Health>, headers: HeaderMap) -> Response {
    Json(health.report(&headers).await).into_response()
}

/// Whether requests should be sent here: 200, or 503 while PostgreSQL does not answer.
#[utoipa::path(get, path = "/readyz", tag = "server",
    responses((status = 200, body = Report), (status = 503, body = Report)))]
async fn readyz(State(health): State<Health>, headers: HeaderMap) -> Response {
    let report = health.report(&headers).await;
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(report)).into_response()
}

/// Figures for Prometheus, which says the metrics token as bearer; to all others the path does not exist, on this
/// machine too, where a proxy may stand.
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, body = String), (status = 404)))]
async fn prometheus(State(health): State<Health>, headers: HeaderMap) -> Response {
    if health.knows(&headers) {
        health.metrics.render().into_response()
    } else {
        Refused::UnknownPath.into_response()
    }
}

/// Compares hashes, so that the time it takes tells nothing of the token.
fn same(told: &str, token: &str) -> bool {
    Sha256::digest(told.as_bytes()) == Sha256::digest(format!("Bearer {token}").as_bytes())
}
