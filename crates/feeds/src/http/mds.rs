//! MDS 2.0: geographies and policies.

#![expect(clippy::struct_field_names, reason = "the names are the format's")]

use std::fmt::Write as _;

use axum::extract::{Path, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;
use wire::{Params, Refused, Routes};

use crate::answer::FeedRequest;
use crate::model::mds::{Geography, PATH, Policy, VERSION};
use crate::views::CATALOGUE_TTL_S;
use crate::{Feeds, permit};

/// So many things are on a page.
const PAGE: usize = 500;

/// The routes.
pub(crate) fn routes(feeds: &Feeds) -> Routes {
    let permit = permit(feeds.about.mds_public);
    Routes::new("feeds")
        .add(permit, routes!(geographies))
        .add(permit, routes!(geography))
        .add(permit, routes!(policies))
        .add(permit, routes!(policy))
        .with_state(feeds.clone())
}

/// Other pages; null: there is none.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsLinks)]
struct Links {
    first: String,
    last: String,
    prev: Option<String>,
    next: Option<String>,
}

/// Geographies, the newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsGeographies)]
struct Geographies<G> {
    version: &'static str,
    /// Epoch milliseconds.
    last_updated: i64,
    geographies: Vec<G>,
    links: Links,
}

/// One geography.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsOneGeography)]
struct OneGeography<G> {
    version: &'static str,
    geography: G,
}

/// Policies, the newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = MdsPolicies)]
struct Policies<P> {
    version: &'static str,
    /// Epoch milliseconds.
    last_updated: i64,
    policies: Vec<P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Links>,
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    /// From 1, which it is when left out.
    page: Option<u32>,
}

/// Which policies.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Span {
    /// Those that count after it, epoch milliseconds; now when left out.
    start_date: Option<i64>,
    /// And before it, epoch milliseconds; left out: at any time after.
    end_date: Option<i64>,
    /// From 1, which it is when left out.
    page: Option<u32>,
}

/// A page of `all`, with the addresses of the others at `address`, which ends in `?` or `&`.
fn paged<'a>(
    all: &[&'a RawValue],
    page: Option<u32>,
    address: &str,
) -> Result<(Vec<&'a RawValue>, Links), Refused> {
    let page = page.unwrap_or(1);
    if page == 0 {
        return Err(Refused::malformed("页码从 1 开始"));
    }
    let last = all.len().div_ceil(PAGE).max(1) as u32;
    let at = |page: u32| format!("{address}page={page}");
    let links = Links {
        first: at(1),
        last: at(last),
        prev: (page > 1).then(|| at((page - 1).min(last))),
        next: (page < last).then(|| at(page + 1)),
    };
    let shown = all.iter().copied().skip((page as usize - 1).saturating_mul(PAGE)).take(PAGE);
    Ok((shown.collect(), links))
}

/// The id in a path, as ours are written.
fn named(id: &str) -> Result<String, Refused> {
    Uuid::try_parse(id).map(|id| id.to_string()).map_err(|_| Refused::malformed("编号不正确"))
}

/// Every edge of a service area, parking place, no-stop and no-ride zone in each of its versions.
#[utoipa::path(get, path = "/open/mds/2.0/geographies", tag = "open", operation_id = "mdsGeographies", params(Which),
    responses((status = 200, body = Geographies<Geography>)))]
async fn geographies(
    State(feeds): State<Feeds>,
    asked: FeedRequest,
    Params(which): Params<Which>,
) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.mds_public)?;
    let base = asked.base(feeds.about.url.as_deref())?;
    let catalogue = feeds.catalogue(&scope).await?;
    let address = format!("{base}{PATH}/geographies?");
    let (geographies, links) = paged(&catalogue.geographies.all(), which.page, &address)?;
    let last_updated = catalogue.last_updated;
    asked.json(&Geographies { version: VERSION, last_updated, geographies, links }, CATALOGUE_TTL_S)
}

/// One of them.
#[utoipa::path(get, path = "/open/mds/2.0/geographies/{geography_id}", tag = "open", operation_id = "mdsGeography",
    params(("geography_id" = String, Path)),
    responses((status = 200, body = OneGeography<Geography>), (status = 404)))]
async fn geography(
    State(feeds): State<Feeds>,
    asked: FeedRequest,
    Path(geography_id): Path<String>,
) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.mds_public)?;
    let catalogue = feeds.catalogue(&scope).await?;
    let geography = catalogue.geographies.one(&named(&geography_id)?).ok_or(Refused::UnknownPath)?;
    asked.json(&OneGeography { version: VERSION, geography }, CATALOGUE_TTL_S)
}

/// What each of them says of bikes, of those that count within a span of time.
#[utoipa::path(get, path = "/open/mds/2.0/policies", tag = "open", operation_id = "mdsPolicies", params(Span),
    responses((status = 200, body = Policies<Policy>)))]
async fn policies(
    State(feeds): State<Feeds>,
    asked: FeedRequest,
    Params(span): Params<Span>,
) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.mds_public)?;
    let base = asked.base(feeds.about.url.as_deref())?;
    let from = span.start_date.unwrap_or_else(|| feeds.runtime.clock.now().millis());
    if span.end_date.is_some_and(|until| until <= from) {
        return Err(Refused::malformed("结束时间应晚于开始时间"));
    }
    let catalogue = feeds.catalogue(&scope).await?;
    let mut address = format!("{base}{PATH}/policies?");
    for (name, at) in [("start_date", span.start_date), ("end_date", span.end_date)] {
        if let Some(at) = at {
            write!(address, "{name}={at}&").expect("a string takes everything");
        }
    }
    let (policies, links) = paged(&catalogue.policies.between(from, span.end_date), span.page, &address)?;
    let last_updated = catalogue.last_updated;
    let content = Policies { version: VERSION, last_updated, policies, links: Some(links) };
    asked.json(&content, CATALOGUE_TTL_S)
}

/// One of them.
#[utoipa::path(get, path = "/open/mds/2.0/policies/{policy_id}", tag = "open", operation_id = "mdsPolicy",
    params(("policy_id" = String, Path)), responses((status = 200, body = Policies<Policy>), (status = 404)))]
async fn policy(
    State(feeds): State<Feeds>,
    asked: FeedRequest,
    Path(policy_id): Path<String>,
) -> Result<Response, Refused> {
    let scope = asked.scope(feeds.about.mds_public)?;
    let catalogue = feeds.catalogue(&scope).await?;
    let policy = catalogue.policies.one(&named(&policy_id)?).ok_or(Refused::UnknownPath)?;
    let last_updated = catalogue.last_updated;
    let content = Policies { version: VERSION, last_updated, policies: vec![policy], links: None };
    asked.json(&content, CATALOGUE_TTL_S)
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    #[test]
    fn pages_hold_everything_once_and_lead_to_each_other() {
        let rows: Vec<Box<RawValue>> = (0..=PAGE * 2).map(|n| to_raw_value(&n).unwrap()).collect();
        let all: Vec<&RawValue> = rows.iter().map(|row| &**row).collect();
        let mut seen = Vec::new();
        let mut page = Some(1);
        while let Some(number) = page {
            let (shown, links) = paged(&all, page, "/x?").unwrap();
            seen.extend(shown.iter().map(|row| row.get().to_owned()));
            assert_eq!(links.last, "/x?page=3");
            assert_eq!(links.prev.is_some(), number > 1);
            page = links.next.map(|next| next.trim_start_matches("/x?page=").parse().unwrap());
        }
        assert_eq!(seen, all.iter().map(|row| row.get().to_owned()).collect::<Vec<_>>());
        assert!(paged(&all, Some(0), "/x?").is_err());
        let (beyond, links) = paged(&all, Some(u32::MAX), "/x?").unwrap();
        assert!(beyond.is_empty() && links.next.is_none());
        let (nothing, links) = paged(&[], None, "/x?").unwrap();
        assert!(nothing.is_empty());
        assert_eq!((links.first.as_str(), links.last.as_str()), ("/x?page=1", "/x?page=1"));
    }
}
