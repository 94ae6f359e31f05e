//! Cards on sale: the list, drafts, versions, on sale or not.

use kernel::{Aggregate, List};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::versions::Term;
use vocabulary::{AgentId, AreaId, CardProductId, Reach, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Caller, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params, Permit,
    Record, Refused, Routes, Seen,
};

use crate::Context;
use crate::model::card::{CardKind, UNLIMITED};
use crate::model::card_product::{CardForm, CardProduct, CardProductCommand, ProductOf};
use crate::read::card_products::{self, CardProductRow, CardProductVersion};

pub(super) const CARDS: Permit = Permit::AnyOf(&["1703", "1705"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<CardQuery>(
            CARDS,
            Listed {
                path: "/marketing/card",
                operations: ["listCards", "exportCards"],
                summary: "Cards on sale in scope, of the kinds that the caller's codes name, newest change first.",
            },
        )
        .add_record::<CardQuery>(
            CARDS,
            Record { path: "/marketing/card/info", operation: "cardInfo", summary: "One card on sale." },
        )
        .add(CARDS, routes!(create, update, delete))
        .add(CARDS, routes!(state))
        .add(CARDS, routes!(versions))
        .add(CARDS, routes!(publish))
        .add(CARDS, routes!(discard))
        .add(CARDS, routes!(withdraw))
        .add(CARDS, routes!(rollback))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct CardQuery {
    /// Part of the name.
    keyword: Option<String>,
    /// Those of these kinds, with commas between: 1 to 6.
    kind: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// 1: those on sale, 0: those that are not.
    state: Option<i16>,
}

fn times(row: &CardProductRow) -> String {
    let card = &row.form.card;
    match (card.kind.is_riding(), card.times, card.is_total_times) {
        (false, ..) => String::new(),
        (true, UNLIMITED, _) => "不限".to_owned(),
        (true, times, true) => format!("共 {times} 次"),
        (true, times, false) => format!("每天 {times} 次"),
    }
}

impl Listing for CardQuery {
    type State = Context;
    type Row = CardProductRow;
    const READS: &'static [&'static str] = &["card_product", "agent"];
    const KEY: &'static str = "p.product_id";
    const FILE: Export<CardProductRow> = Export {
        what: "card",
        title: "卡类商品",
        columns: &[
            Column::text("name", "卡名称", |row| &row.form.card.name),
            Column::text("state", "状态", |row| row.state.label()),
            Column::text("kind", "卡类型", |row| row.form.card.kind.label()),
            Column::money("priceCents", "售价（元）", |row| row.form.price_cents),
            Column::money("originPriceCents", "原价（元）", |row| row.form.origin_price_cents),
            Column::count("days", "有效天数", |row| row.form.card.days.into()),
            Column::made("times", "可用次数", times),
            Column::count("sold", "已售", |row| row.sold),
            Column::money("soldCents", "销售额（元）", |row| row.sold_cents),
            Column::made("left", "剩余库存", |row| {
                row.left.map_or_else(|| "不限".to_owned(), |left| left.to_string())
            }),
            Column::count("refunded", "已退", |row| row.refunded),
            Column::money("refundedCents", "退款额（元）", |row| row.refunded_cents),
            Column::count("countsNumber", "生效版本", |row| row.counts_number.unwrap_or(0)),
            Column::text("agentName", "代理", |row| row.agent_name.as_deref().unwrap_or_default()),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::made("id", "编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(card_products::list(scope)
            .contains(&["p.name"], self.keyword.as_deref())
            .is_one_of("p.kind", self.kinds()?)
            .is("p.agent_id", self.agent_id.map(|agent| agent.0))
            .is("p.state", self.state))
    }

    fn permitted(&self, list: List, caller: &Caller) -> List {
        let kinds = CardKind::ALL.iter().filter(|kind| caller.codes.has(kind.code()));
        list.is_one_of("p.kind", kinds.map(|kind| kind.number().into()).collect())
    }
}

impl CardQuery {
    /// The numbers of the kinds that are asked for; none: all.
    fn kinds(&self) -> Result<Vec<i64>, Refused> {
        let named = wire::given(self.kind.as_ref()).into_iter().flat_map(|list| list.split(','));
        let kind = |number: &str| {
            let known = number.trim().parse::<i16>().ok().and_then(|number| CardKind::try_from(number).ok());
            known
                .map(|kind| kind.number().into())
                .ok_or_else(|| Refused::malformed("请求参数 kind 格式不正确"))
        };
        named.take(CardKind::ALL.len()).map(kind).collect()
    }
}

/// Refuses who lacks the code for cards of this kind.
fn permit(caller: &Caller, kind: CardKind) -> Result<(), Refused> {
    if caller.codes.has(kind.code()) { Ok(()) } else { Err(Refused::forbidden()) }
}

impl Context {
    /// Refuses areas that this agent does not run.
    pub(super) async fn only_areas_of(&self, agent: AgentId, areas: &[AreaId]) -> Result<(), Refused> {
        for area in areas.iter().take(crate::model::card::AREAS_MAX) {
            let known = self.ports.places.area(*area).await.map_err(Refused::unavailable)?;
            if known.is_none_or(|known| known.agent_id != agent) {
                return Err(Refused::business("card-areas-unknown", "适用服务区须属于该代理"));
            }
        }
        Ok(())
    }
}

/// A product that the caller may see and change.
pub(super) async fn product(call: &Call<Context>, id: CardProductId) -> Result<CardProduct, Refused> {
    let product = call.state.runtime.desk.load::<CardProduct>(&id).await?.state;
    let form = product.latest().ok_or_else(Refused::not_found)?;
    if !call.caller.full_scope.contains(product.owner()) {
        return Err(Refused::not_found());
    }
    permit(&call.caller, form.card.kind)?;
    Ok(product)
}

const fn kept(draft: bool, of: ProductOf, form: CardForm) -> CardProductCommand {
    if draft { CardProductCommand::Save { of, form } } else { CardProductCommand::Set { of, form } }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewCard {
    /// Who sells it; may be absent for who sees one agent alone.
    agent_id: Option<AgentId>,
    /// Whether it is kept as a draft, which is sold to nobody; otherwise it is on sale from now on.
    #[serde(default)]
    draft: bool,
    #[serde(flatten)]
    form: CardForm,
}

/// Makes a card; answers `{id}`.
#[utoipa::path(post, path = "/marketing/card", tag = "riding", operation_id = "createCard", request_body = NewCard,
    responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Context>, Body(body): Body<NewCard>) -> Handled<Value> {
    permit(&call.caller, body.form.card.kind)?;
    let agents = &call.caller.full_scope.agents;
    let only = match agents {
        Reach::Only(few) if few.len() == 1 => few.first().copied(),
        _ => None,
    };
    let agent_id = body.agent_id.or(only).ok_or_else(|| Refused::malformed("请选择代理"))?;
    if !agents.contains(&agent_id) {
        return Err(Refused::not_found());
    }
    call.state.only_areas_of(agent_id, &body.form.card.area_ids).await?;
    let product_id = CardProductId(call.state.runtime.ids.next_id());
    let of = ProductOf { product_id, agent_id };
    call.make::<CardProduct>(&product_id, kept(body.draft, of, body.form)).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedCard {
    id: CardProductId,
    /// Whether it is kept as a draft; otherwise it is sold so from now on.
    #[serde(default)]
    draft: bool,
    /// The version that the editor saw; another one is refused.
    version: i64,
    #[serde(flatten)]
    form: CardForm,
}

/// Changes a card; who bought it keeps what he bought. A stale version is refused.
#[utoipa::path(put, path = "/marketing/card", tag = "riding", operation_id = "updateCard", request_body = ChangedCard,
    responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Context>, Body(body): Body<ChangedCard>) -> Handled<Value> {
    let of = product(&call, body.id).await?.of().ok_or_else(Refused::not_found)?;
    call.state.only_areas_of(of.agent_id, &body.form.card.area_ids).await?;
    let command = kept(body.draft, of, body.form);
    Ok(Answer::replied(call.acted::<CardProduct>(&body.id, command, Some(body.version)).await?))
}

async fn act(
    call: &Call<Context>,
    id: CardProductId,
    version: Option<i64>,
    command: CardProductCommand,
) -> Handled<Value> {
    product(call, id).await?;
    Ok(Answer::replied(call.acted::<CardProduct>(&id, command, version).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Gone {
    id: CardProductId,
    /// The version that the editor saw; another one is refused.
    version: Option<i64>,
}

/// Takes a card off sale for good; who holds it keeps it.
#[utoipa::path(delete, path = "/marketing/card", tag = "riding", operation_id = "deleteCard", params(Gone),
    responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Context>, Params(gone): Params<Gone>) -> Handled<Value> {
    act(&call, gone.id, gone.version, CardProductCommand::Delete).await
}

#[derive(Deserialize, ToSchema)]
#[schema(as = CardStateBody)]
struct StateBody {
    id: CardProductId,
    /// 1: on sale, 0: not.
    state: i16,
}

/// Puts a card on sale, or takes it off.
#[utoipa::path(post, path = "/marketing/card/state", tag = "riding", operation_id = "setCardState", request_body = StateBody,
    responses((status = 200, body = Answer<Nothing>)))]
async fn state(call: Call<Context>, Body(body): Body<StateBody>) -> Handled<Value> {
    match body.state {
        0 => act(&call, body.id, None, CardProductCommand::Disable).await,
        1 => act(&call, body.id, None, CardProductCommand::Enable).await,
        _ => Err(Refused::malformed("状态应为 0（停用）或 1（启用）")),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    id: CardProductId,
}

/// Versions of a card.
#[derive(Debug, Serialize, ToSchema)]
struct CardVersions {
    /// Newest first, at most 500.
    rows: Vec<CardProductVersion>,
}

/// The versions of a card with the times at which they count.
#[utoipa::path(get, path = "/marketing/card/versions", tag = "riding", operation_id = "cardVersions", params(Which),
    responses((status = 200, body = Answer<CardVersions>)))]
async fn versions(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(Which { id }): Params<Which>,
) -> Handled<CardVersions> {
    product(&call, id).await?;
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &["card_product"]).await?;
    Ok(Answer(CardVersions { rows: card_products::versions(&mut *db, id).await? }))
}

#[derive(Deserialize, ToSchema)]
struct PublishedCard {
    id: CardProductId,
    /// The version that the editor saw; another one is refused.
    version: i64,
    /// From when it counts, epoch milliseconds; absent: from now on.
    from: Option<i64>,
    /// When it ends by itself, epoch milliseconds; absent: with the next version.
    until: Option<i64>,
}

/// Lets a draft count, now or from an instant on.
#[utoipa::path(post, path = "/marketing/card/publish", tag = "riding", operation_id = "publishCard",
    request_body = PublishedCard, responses((status = 200, body = Answer<Nothing>)))]
async fn publish(call: Call<Context>, Body(body): Body<PublishedCard>) -> Handled<Value> {
    let term =
        Term { from: body.from.map(Timestamp::from_millis), until: body.until.map(Timestamp::from_millis) };
    act(&call, body.id, Some(body.version), CardProductCommand::Publish(term)).await
}

#[derive(Deserialize, ToSchema)]
struct DiscardedCard {
    id: CardProductId,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Throws a draft away; a card that was never published goes with it.
#[utoipa::path(post, path = "/marketing/card/discard", tag = "riding", operation_id = "discardCardDraft",
    request_body = DiscardedCard, responses((status = 200, body = Answer<Nothing>)))]
async fn discard(call: Call<Context>, Body(body): Body<DiscardedCard>) -> Handled<Value> {
    act(&call, body.id, Some(body.version), CardProductCommand::Discard).await
}

#[derive(Deserialize, ToSchema)]
struct OfCardVersion {
    id: CardProductId,
    /// Which of its versions.
    number: i64,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Takes back a version that does not count yet; what it said is a draft again.
#[utoipa::path(post, path = "/marketing/card/withdraw", tag = "riding", operation_id = "withdrawCard",
    request_body = OfCardVersion, responses((status = 200, body = Answer<Nothing>)))]
async fn withdraw(call: Call<Context>, Body(body): Body<OfCardVersion>) -> Handled<Value> {
    act(&call, body.id, Some(body.version), CardProductCommand::Withdraw { number: body.number }).await
}

/// Sells a card from now on as it was in an earlier version.
#[utoipa::path(post, path = "/marketing/card/rollback", tag = "riding", operation_id = "rollBackCard",
    request_body = OfCardVersion, responses((status = 200, body = Answer<Nothing>)))]
async fn rollback(call: Call<Context>, Body(body): Body<OfCardVersion>) -> Handled<Value> {
    act(&call, body.id, Some(body.version), CardProductCommand::RollBack { number: body.number }).await
}
