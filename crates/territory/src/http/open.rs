//! The open API's registering of agents, areas and fences. What is there already, under the same name and with
//! the same content, is answered with its id: an import can be run again.

use axum::extract::{Path, State};
use geofence::{Ban, FenceKind, NotARing, Parking, Ring, Rule, Shape};
use kernel::desk::CommandError;
use kernel::runtime::Runtime;
use kernel::{Position, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Datum, FenceId, Phone, Timestamp};
use wire::{Answer, Body, Caller, Handled, Permit, Refused, RequestContext, Routes, Seen};

use crate::model::agent::{Agent, AgentCommand, AgentRefusal, BillingWay, Profile, Registration, Terms};
use crate::model::area::{Area, AreaCommand, AreaRefusal, Plan};
use crate::model::fence::{Drawing, Fence, FenceCommand, FenceRefusal};

const MOST_FENCES: usize = 200;

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("territory")
        .add(Permit::Machine("open:territory"), routes!(register_agent).with_state(runtime.clone()))
        .add(Permit::Machine("open:territory"), routes!(plan_area, list_areas).with_state(runtime.clone()))
        .add(Permit::Machine("open:territory"), routes!(open_area).with_state(runtime.clone()))
        .add(Permit::Machine("open:territory"), routes!(draw_fence).with_state(runtime.clone()))
        .add(Permit::Machine("open:territory"), routes!(draw_fences).with_state(runtime.clone()))
}

/// An agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewAgent {
    /// 公司名称.
    company: String,
    /// 联系人.
    contact_name: String,
    /// 登录手机号.
    #[schema(value_type = String)]
    phone: Phone,
    /// 0 own merchant account, 1 platform cashier.
    #[schema(value_type = i16)]
    billing_way: BillingWay,
}

/// Its id.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AgentGiven {
    /// As text.
    agent_id: String,
}

/// Registers an agent; the same phone and company again gives the same id.
#[utoipa::path(post, path = "/open/v1/agents", tag = "open", request_body = NewAgent,
    responses((status = 200, body = Answer<AgentGiven>)))]
async fn register_agent(
    State(runtime): State<Runtime>,
    caller: Caller,
    request: RequestContext,
    Body(new): Body<NewAgent>,
) -> Handled<Value> {
    let known = agent_of(&runtime, &caller, &new).await?;
    let agent_id = known.unwrap_or_else(|| AgentId(runtime.ids.next_id()));
    let register = async |agent_id: AgentId| {
        let profile = Profile {
            company: new.company.clone(),
            contact_name: new.contact_name.clone(),
            phone: new.phone.clone(),
            billing_way: new.billing_way,
            terms: Terms::default(),
        };
        let command = AgentCommand::Register(Registration::of_platform(agent_id, profile));
        let ctx = request.context(json!({ "agentId": agent_id }));
        runtime.desk.execute::<Agent>(&agent_id, command, &ctx).await
    };
    let registered = register(agent_id).await;
    // Another request of the same may have come through only now.
    let receipt = if let Err(CommandError::Refused(AgentRefusal::PhoneTaken)) = registered
        && let Some(other) = agent_of(&runtime, &caller, &new).await?
        && other != agent_id
    {
        register(other).await?
    } else {
        registered?
    };
    Ok(Answer::replied(receipt))
}

/// The agent of this phone and company, as the log is now.
async fn agent_of(runtime: &Runtime, caller: &Caller, new: &NewAgent) -> Result<Option<AgentId>, Refused> {
    let mut tx = known_by(runtime.reader.head().await?, runtime, caller, "agent").await?;
    let known =
        sqlx::query_scalar("select agent_id from read.agent where phone = $1 and company = $2 limit 1")
            .bind(new.phone.as_str())
            .bind(&new.company)
            .fetch_optional(&mut *tx)
            .await?;
    Ok(known)
}

/// A service area.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewArea {
    /// Who runs it.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// 名称.
    name: String,
    /// `[lng, lat]` corners.
    ring: Vec<[f64; 2]>,
    /// Of the corners: wgs84 (default), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// 客服电话.
    #[serde(default)]
    tel: String,
}

/// Its id.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaGiven {
    /// As text.
    area_id: String,
}

/// Plans a service area; the same name at the same agent again gives the same id.
#[utoipa::path(post, path = "/open/v1/areas", tag = "open", request_body = NewArea,
    responses((status = 200, body = Answer<AreaGiven>)))]
async fn plan_area(
    State(runtime): State<Runtime>,
    caller: Caller,
    request: RequestContext,
    Body(new): Body<NewArea>,
) -> Handled<Value> {
    let ring = Ring::draw_area(&new.ring, new.datum).map_err(|error| refused(&error))?;
    let agent = runtime.desk.load::<Agent>(&new.agent_id).await?;
    if !agent.state.is_enabled() || !caller.scope.agents.contains(&new.agent_id) {
        return Err(Refused::business("agent-unknown", "代理不存在或已停用"));
    }
    let name = new.name.trim();
    let known = area_named(&runtime, &caller, new.agent_id, name).await?;
    let area_id = known.unwrap_or_else(|| AreaId(runtime.ids.next_id()));
    let plan = async |area_id: AreaId| {
        let plan = Plan {
            area_id,
            agent_id: new.agent_id,
            name: name.to_owned(),
            tel: new.tel.clone(),
            ring: ring.clone(),
        };
        let ctx = request.context(json!({ "areaId": area_id }));
        runtime.desk.execute::<Area>(&area_id, AreaCommand::Plan(plan), &ctx).await
    };
    let planned = plan(area_id).await;
    // Another request of the same may have come through only now.
    let receipt = if let Err(CommandError::Refused(AreaRefusal::NameTaken)) = planned
        && let Some(other) = area_named(&runtime, &caller, new.agent_id, name).await?
        && other != area_id
    {
        plan(other).await?
    } else {
        planned?
    };
    Ok(Answer::replied(receipt))
}

/// The area of this name at an agent, as the log is now.
async fn area_named(
    runtime: &Runtime,
    caller: &Caller,
    agent: AgentId,
    name: &str,
) -> Result<Option<AreaId>, Refused> {
    let mut tx = known_by(runtime.reader.head().await?, runtime, caller, "area").await?;
    let known = sqlx::query_scalar("select area_id from read.area where agent_id = $1 and name = $2")
        .bind(agent)
        .bind(name)
        .fetch_optional(&mut *tx)
        .await?;
    Ok(known)
}

/// A service area as machines list it.
#[derive(Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
struct AreaListed {
    /// As text.
    #[schema(value_type = String)]
    area_id: AreaId,
    /// 名称.
    name: String,
    /// As text.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// 0 planned, 1 open, 2 suspended, 3 closed.
    state: i16,
}

/// Areas.
#[derive(Debug, Serialize, ToSchema)]
struct AreasListed {
    /// At most 2,000, by name.
    rows: Vec<AreaListed>,
}

/// Service areas in the machine's scope.
#[utoipa::path(get, path = "/open/v1/areas", tag = "open", responses((status = 200, body = Answer<AreasListed>)))]
async fn list_areas(State(runtime): State<Runtime>, caller: Caller, seen: Seen) -> Handled<AreasListed> {
    let mut tx = runtime.reads.scoped(&caller.scope, seen.0, &["area"]).await?;
    let rows = sqlx::query_as(
        "select area_id, name, agent_id, state from read.area order by name, area_id limit 2000",
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(Answer(AreasListed { rows }))
}

/// Opens a service area to riders.
#[utoipa::path(post, path = "/open/v1/areas/{areaId}/open", tag = "open", params(("areaId" = String, Path)),
    responses((status = 200, body = Answer<Value>)))]
async fn open_area(
    State(runtime): State<Runtime>,
    request: RequestContext,
    Path(area_id): Path<String>,
) -> Handled<Value> {
    let area_id: AreaId = area_id.parse().map_err(|_| Refused::malformed("服务区编号不正确"))?;
    let receipt =
        runtime.desk.execute::<Area>(&area_id, AreaCommand::Open, &request.context(json!({}))).await?;
    Ok(Answer::replied(receipt))
}

/// A parking place or no-stop zone.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewFence {
    /// The area it lies in.
    #[schema(value_type = String)]
    area_id: AreaId,
    /// 2 parking, 4 no-stop, 9 no-ride, 10 custom.
    #[schema(value_type = i16)]
    kind: FenceKind,
    /// 名称.
    name: String,
    /// `[lng, lat]` corners.
    ring: Vec<[f64; 2]>,
    /// Of the corners.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// 停放上限; 50 when left out.
    #[serde(default = "usual_capacity")]
    capacity: i32,
    /// Since when it has counted in the system before, epoch milliseconds: within the last 35 days; absent: from now on. Of a
    /// fence that is known nothing changes backwards.
    #[schema(value_type = Option<i64>)]
    since: Option<Timestamp>,
}

fn usual_capacity() -> i32 {
    50
}

/// What became of a fence.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FenceGiven {
    /// Its id, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    fence_id: Option<String>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Draws a fence; the same name in the same area again gives the same id.
#[utoipa::path(post, path = "/open/v1/fences", tag = "open", request_body = NewFence,
    responses((status = 200, body = Answer<FenceGiven>)))]
async fn draw_fence(
    State(runtime): State<Runtime>,
    caller: Caller,
    request: RequestContext,
    Body(new): Body<NewFence>,
) -> Handled<FenceGiven> {
    draw_one(runtime.reader.head().await?, &runtime, &caller, &request, new).await.map(Answer)
}

/// Fences to draw.
#[derive(Debug, Deserialize, ToSchema)]
struct NewFences {
    /// At most 200.
    fences: Vec<NewFence>,
}

/// What became of them, in the order asked.
#[derive(Debug, Serialize, ToSchema)]
struct FencesGiven {
    /// One for each.
    results: Vec<FenceGiven>,
}

/// Draws fences; one that is refused does not hold up the others.
#[utoipa::path(post, path = "/open/v1/fences/batch", tag = "open", request_body = NewFences,
    responses((status = 200, body = Answer<FencesGiven>)))]
async fn draw_fences(
    State(runtime): State<Runtime>,
    caller: Caller,
    request: RequestContext,
    Body(new): Body<NewFences>,
) -> Handled<FencesGiven> {
    if new.fences.is_empty() || new.fences.len() > MOST_FENCES {
        return Err(Refused::malformed(format!("每次需 1 到 {MOST_FENCES} 个围栏")));
    }
    let head = runtime.reader.head().await?;
    let mut results = Vec::with_capacity(new.fences.len());
    for fence in new.fences {
        results.push(match draw_one(head, &runtime, &caller, &request, fence).await {
            Ok(given) => given,
            Err(Refused::Business { text, .. } | Refused::Malformed { text, .. }) => {
                FenceGiven { fence_id: None, error: Some(text) }
            }
            Err(broken) => return Err(broken),
        });
    }
    Ok(Answer(FencesGiven { results }))
}

/// A read model as the log was at `head`, when the request came: who asks again, after an answer that was lost and through another node,
/// finds what he made.
async fn known_by(
    head: Position,
    runtime: &Runtime,
    caller: &Caller,
    projector: &str,
) -> Result<ReadTx, Refused> {
    let db = runtime.reads.scoped(&caller.scope, Some(head), &[projector]).await?;
    if db.caught_up() { Ok(db) } else { Err(Refused::unavailable("what is known already is not up to date")) }
}

async fn draw_one(
    head: Position,
    runtime: &Runtime,
    caller: &Caller,
    request: &RequestContext,
    new: NewFence,
) -> Result<FenceGiven, Refused> {
    if new.kind == FenceKind::Maintenance {
        return Err(Refused::business(
            "fence-without-people",
            "运维区须有负责人，请用 /open/v1/maintenance-areas 登记",
        ));
    }
    let ring = draw(&new.ring, new.datum)?;
    let area = runtime.desk.load::<Area>(&new.area_id).await?.state;
    let (Some(edge), Some(agent_id)) = (area.ring(), area.agent()) else {
        return Err(Refused::business("area-unknown", "服务区不存在"));
    };
    let known = fence_named(head, runtime, caller, new.area_id, new.name.trim()).await?;
    let mut fence_id = known.unwrap_or_else(|| FenceId(runtime.ids.next_id()));
    let parking = Parking { capacity: new.capacity, ..Parking::default() };
    let rule = Rule::of(new.kind, parking, Ban::default());
    let drawing = Drawing {
        fence_id,
        area_id: new.area_id,
        agent_id,
        name: new.name,
        shape: Shape::Polygon(ring),
        rule,
        tags: Vec::new(),
        remark: String::new(),
    };
    // One request id stands for the whole batch, so each fence's command carries none: it is "already so" when repeated.
    let mut ctx = request.context(Value::Null);
    ctx.request_id = None;
    let command = |drawing| match new.since {
        None => FenceCommand::Draw { drawing, area: edge.clone() },
        Some(since) => FenceCommand::Adopt { drawing, area: edge.clone(), since },
    };
    let drawn = runtime.desk.execute::<Fence>(&fence_id, command(drawing.clone()), &ctx).await;
    // An earlier request of the same, whose answer was lost, may have come through only now.
    if let Err(CommandError::Refused(FenceRefusal::NameTaken)) = drawn
        && let Some(other) =
            fence_named(runtime.reader.head().await?, runtime, caller, new.area_id, drawing.name.trim())
                .await?
        && other != fence_id
    {
        fence_id = other;
        runtime.desk.execute::<Fence>(&other, command(Drawing { fence_id, ..drawing }), &ctx).await?;
    } else {
        drawn?;
    }
    Ok(FenceGiven { fence_id: Some(fence_id.to_string()), error: None })
}

/// The fence of this name in an area, as the log was at `head`.
async fn fence_named(
    head: Position,
    runtime: &Runtime,
    caller: &Caller,
    area: AreaId,
    name: &str,
) -> Result<Option<FenceId>, Refused> {
    let mut tx = known_by(head, runtime, caller, "fence").await?;
    let known = sqlx::query_scalar(
        "select fence_id from read.fence where area_id = $1 and name = $2 and not deleted",
    )
    .bind(area)
    .bind(name)
    .fetch_optional(&mut *tx)
    .await?;
    Ok(known)
}

fn draw(corners: &[[f64; 2]], datum: Datum) -> Result<Ring, Refused> {
    Ring::draw(corners, datum).map_err(|error| refused(&error))
}

fn refused(error: &NotARing) -> Refused {
    Refused::business("ring", error.to_string())
}
