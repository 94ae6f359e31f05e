//! The one table of routes. Every route names who may call it; there is no way to add one that does not.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::MethodRouter;
use serde_json::json;
use tower::ServiceExt;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Operation, PathItem, Paths};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Components, InfoBuilder, OpenApi, OpenApiBuilder, RefOr};
use utoipa_axum::router::UtoipaMethodRouter;

use crate::authorisation::{Authorisation, authorise};
use crate::documented::{refusals, shapes};
use crate::mount::{is_financial, mounts};
use crate::{Refused, Wire, exchange_routes, is_api_path, layers};

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    /// Anyone. Not wrapped.
    Open,
    /// A session (`_t`), whose key wraps the call; no sign-in needed.
    Keyed,
    /// A session and a valid access token.
    SignedIn,
    /// Signed in and holding at least one of the codes.
    AnyOf(&'static [&'static str]),
    /// A machine client whose service token holds the code. Not wrapped.
    Machine(&'static str),
}

/// A line of the route table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteInfo {
    /// `GET`, `POST`, `PUT`, `DELETE` …
    pub method: &'static str,
    /// The full path as mounted, such as `/ebike/v3/backend/platform/permission/role`.
    pub path: String,
    /// Who may call it.
    pub permit: Permit,
    /// Whether queries, bodies and answers travel in boxes.
    pub wrapped: bool,
    /// The context that declared it.
    pub context: &'static str,
    /// Its name in the OpenAPI document.
    pub operation_id: String,
}

struct Entry<S> {
    context: &'static str,
    permit: Permit,
    wrapped: bool,
    /// Bytes of a body that is a file; none: bodies are JSON, and as long as the configuration lets them be.
    upload: Option<usize>,
    schemas: Vec<(String, RefOr<Schema>)>,
    paths: Paths,
    router: MethodRouter<S, Infallible>,
}

/// A context's routes. `S` is the handlers' state until [`Routes::with_state`] gives it.
pub struct Routes<S = ()> {
    context: &'static str,
    entries: Vec<Entry<S>>,
}

impl<S> std::fmt::Debug for Routes<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Routes")
            .field("context", &self.context)
            .field("entries", &self.entries.len())
            .finish()
    }
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// None yet, of the context named so.
    pub fn new(context: &'static str) -> Self {
        Self { context, entries: Vec::new() }
    }

    /// The context's name.
    pub(crate) fn context(&self) -> &'static str {
        self.context
    }

    /// Adds what `utoipa_axum::routes!` made. Paths are written as in the list of endpoints
    /// (`/platform/permission/role`, `/auth/logout`, `/open/v1/me`); the mounts follow from them. Whatever needs a
    /// session is wrapped.
    #[must_use]
    pub fn add(self, permit: Permit, routes: UtoipaMethodRouter<S>) -> Self {
        let wrapped = matches!(permit, Permit::Keyed | Permit::SignedIn | Permit::AnyOf(_));
        self.push(permit, wrapped, None, routes)
    }

    /// Adds a route that travels plain although it needs a session: file downloads, the websocket.
    #[must_use]
    pub fn add_unwrapped(self, permit: Permit, routes: UtoipaMethodRouter<S>) -> Self {
        self.push(permit, false, None, routes)
    }

    /// Adds a route whose body is a file of at most `bytes`. It travels plain.
    #[must_use]
    pub fn add_upload(self, permit: Permit, bytes: usize, routes: UtoipaMethodRouter<S>) -> Self {
        self.push(permit, false, Some(bytes), routes)
    }

    fn push(
        mut self,
        permit: Permit,
        wrapped: bool,
        upload: Option<usize>,
        (schemas, paths, router): UtoipaMethodRouter<S>,
    ) -> Self {
        self.entries.push(Entry { context: self.context, permit, wrapped, upload, schemas, paths, router });
        self
    }

    /// Gives the handlers their state.
    pub fn with_state(self, state: S) -> Routes {
        let give = |entry: Entry<S>| Entry {
            context: entry.context,
            permit: entry.permit,
            wrapped: entry.wrapped,
            upload: entry.upload,
            schemas: entry.schemas,
            paths: entry.paths,
            router: entry.router.with_state(state.clone()),
        };
        Routes { context: self.context, entries: self.entries.into_iter().map(give).collect() }
    }
}

/// A router ready to be served, with its table and its document.
pub struct Surface {
    /// [`crate::serve`] serves it.
    pub router: Router,
    /// Every route at its first mount.
    pub table: Vec<RouteInfo>,
    /// The OpenAPI document; each operation tells its permit as `x-permit`.
    pub openapi: OpenApi,
}

fn operations(item: &mut PathItem) -> Vec<(&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [("GET", get), ("PUT", put), ("POST", post), ("DELETE", delete), ("PATCH", patch)]
        .into_iter()
        .filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
        .collect()
}

fn permit_json(permit: Permit) -> serde_json::Value {
    match permit {
        Permit::Open => json!({ "kind": "open" }),
        Permit::Keyed => json!({ "kind": "keyed" }),
        Permit::SignedIn => json!({ "kind": "signedIn" }),
        Permit::AnyOf(codes) => json!({ "kind": "anyOf", "codes": codes }),
        Permit::Machine(code) => json!({ "kind": "machine", "codes": [code] }),
    }
}

impl Routes {
    /// Both contexts' routes.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self
    }

    /// The router with all guards, the route table and the OpenAPI document. The key exchange is added here.
    /// Unknown paths are answered by `site` (the web application) unless they belong to the API.
    ///
    /// # Panics
    /// When two routes have the same method and path, or two shapes the same name.
    pub fn into_router(self, wire: &Arc<Wire>, site: Option<Router>) -> Surface {
        let mut router = Router::new();
        let mut table = Vec::new();
        let mut paths = Paths::new();
        let mut components = Components::new();
        shapes(&mut components);
        let mut taken = BTreeSet::new();
        let mut uploads = HashMap::new();
        for entry in self.merge(exchange_routes::routes(Arc::clone(wire))).entries {
            for (name, schema) in entry.schemas {
                let known = components.schemas.entry(name.clone()).or_insert_with(|| schema.clone());
                // One would be documented in the shape of the other.
                assert!(
                    *known == schema,
                    "two shapes are called {name}: say #[schema(as = …)] for one of them"
                );
            }
            for (declared, mut item) in entry.paths.paths {
                let places = mounts(&declared);
                for (method, operation) in operations(&mut item) {
                    assert!(
                        taken.insert((method, places[0].clone())),
                        "{method} {declared} is declared twice"
                    );
                    table.push(RouteInfo {
                        method,
                        path: places[0].clone(),
                        permit: entry.permit,
                        wrapped: entry.wrapped,
                        context: entry.context,
                        operation_id: operation.operation_id.clone().unwrap_or_default(),
                    });
                    let extensions = ExtensionsBuilder::new()
                        .add("x-permit", permit_json(entry.permit))
                        .add("x-wrapped", entry.wrapped)
                        .build();
                    operation.extensions.get_or_insert_default().merge(extensions);
                    refusals(operation, &places[0], entry.permit, is_financial(&places[0]));
                }
                for place in &places {
                    let layer = Authorisation {
                        wire: Arc::clone(wire),
                        permit: entry.permit,
                        wrapped: entry.wrapped,
                        upload: entry.upload,
                        financial: is_financial(place),
                    };
                    uploads.extend(entry.upload.map(|bytes| (place.clone(), bytes)));
                    let authorised = entry.router.clone().route_layer(from_fn_with_state(layer, authorise));
                    router = router.route(place, authorised);
                }
                match paths.paths.get_mut(&places[0]) {
                    Some(present) => present.merge_operations(item),
                    None => {
                        paths.paths.insert(places[0].clone(), item);
                    }
                }
            }
        }
        let fallback = move |request: Request| {
            let site = site.clone();
            async move {
                match site {
                    Some(site) if !is_api_path(request.uri().path()) => {
                        site.oneshot(request).await.into_response()
                    }
                    _ => Refused::UnknownPath.into_response(),
                }
            }
        };
        let router =
            router.fallback(fallback).method_not_allowed_fallback(async || Refused::MethodNotAllowed);
        let openapi = OpenApiBuilder::new()
            .info(InfoBuilder::new().title("Wheelhouse").version(env!("CARGO_PKG_VERSION")).build())
            .paths(paths)
            .components(Some(components))
            .build();
        Surface { router: layers::layer(router, wire, uploads), table, openapi }
    }
}
