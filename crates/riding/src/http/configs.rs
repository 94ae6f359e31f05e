//! What is configured of a service area: read, written as a draft, published now or from an instant on, taken back, and copied
//! to other areas.

use kernel::{CommandContext, Receipt};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, OneOfBuilder, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AreaId, Timestamp, choices};
use wire::{
    Answer, BATCH_MAX, BatchAnswer, BatchOutcomes, Body, Call, Caller, Handled, Nothing, Params, Permit,
    Refused, Routes, Seen, batch,
};

use crate::Context;
use crate::model::alarm_rules::AlarmRules;
use crate::model::billing::Billing;
use crate::model::config::{Config, ConfigAct, ConfigCommand, Place, Setting};
use crate::model::pay_rules::PayRules;
use crate::model::return_rules::ReturnRules;
use crate::model::riding_permission::RidingPermission;
use crate::model::use_rules::UseRules;
use crate::read::configs::{self, ConfigVersion};

pub(super) const CHARGING: Permit = Permit::AnyOf(&["1702"]);
const USING: Permit = Permit::AnyOf(&["1701"]);
const PERMITTING: Permit = Permit::AnyOf(&["1705"]);
const ALARMING: Permit = Permit::AnyOf(&["0502"]);
const CONFIGURING: Permit = Permit::AnyOf(&["1701", "1702", "1705", "0502"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(CHARGING, routes!(billing::read, billing::save))
        .add(CHARGING, routes!(returning::read, returning::save))
        .add(USING, routes!(using::read, using::save))
        .add(USING, routes!(paying::read, paying::save))
        .add(PERMITTING, routes!(permitting::read, permitting::save))
        .add(ALARMING, routes!(alarming::read, alarming::save))
        .add(CONFIGURING, routes!(discard))
        .add(CONFIGURING, routes!(publish))
        .add(CONFIGURING, routes!(withdraw))
        .add(CONFIGURING, routes!(roll_back))
        .add(CONFIGURING, routes!(copy))
        .with_state(context.clone())
}

choices! {
    /// What is configured.
    pub(super) enum ConfigKind("配置种类") {
        Billing = 1 => "计费",
        Return = 2 => "还车",
        Use = 3 => "用车",
        Pay = 4 => "支付",
        Permission = 5 => "骑行资格",
        Alarm = 6 => "告警",
    }
}

impl ConfigKind {
    /// Of the page that it is edited on.
    const fn code(self) -> &'static str {
        match self {
            Self::Billing | Self::Return => "1702",
            Self::Use | Self::Pay => "1701",
            Self::Permission => "1705",
            Self::Alarm => "0502",
        }
    }

    fn permit(self, caller: &Caller) -> Result<(), Refused> {
        if caller.codes.has(self.code()) { Ok(()) } else { Err(Refused::forbidden()) }
    }
}

fn no_area() -> Refused {
    Refused::not_found()
}

/// An area that the caller may see, as it is run now.
pub(super) async fn place(call: &Call<Context>, area: AreaId) -> Result<Place, Refused> {
    let known = call.state.ports.places.area(area).await.map_err(Refused::unavailable)?;
    let of = known.map(|known| Place { area_id: area, agent_id: known.agent_id }).ok_or_else(no_area)?;
    if call.caller.full_scope.contains(of.owner()) { Ok(of) } else { Err(no_area()) }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfArea {
    /// The service area.
    #[param(value_type = String)]
    op_area_id: AreaId,
}

/// A version with what it says.
#[derive(Debug, Serialize, ToSchema)]
struct ConfigVersionOf<T> {
    #[serde(flatten)]
    version: ConfigVersion,
    /// What it says.
    content: T,
}

/// `T`, or null: of an option of a parameter the derived schema forgets the null.
fn or_null<T: PartialSchema>() -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(null).item(T::schema()).into()
}

/// The configuration of a kind and an area.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaConfig<T> {
    /// To be sent with a change; 0: nobody ever wrote any.
    version: i64,
    /// What is being written; null: nothing.
    #[schema(required, schema_with = or_null::<T>)]
    draft: Option<T>,
    /// When that was saved, epoch milliseconds.
    #[schema(required)]
    draft_at: Option<i64>,
    /// By whom; null: by nobody whom the caller sees.
    #[schema(required)]
    draft_by: Option<String>,
    /// What counts where nobody published anything.
    usual: T,
    /// Newest first, at most 500.
    versions: Vec<ConfigVersionOf<T>>,
}

fn said<T: DeserializeOwned>(content: Value) -> Result<T, Refused> {
    serde_json::from_value(content).map_err(Refused::unavailable)
}

async fn config_of<T: Setting>(
    call: &Call<Context>,
    Seen(seen): Seen,
    area: AreaId,
) -> Handled<AreaConfig<T>> {
    place(call, area).await?;
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &["config"]).await?;
    let written = configs::written(&mut *db, T::STORED.category, area).await?;
    let known = configs::versions(&mut *db, T::STORED.category, area).await?;
    let mut versions = Vec::with_capacity(known.len());
    for mut version in known {
        let content = said(version.content.take())?;
        versions.push(ConfigVersionOf { version, content });
    }
    let mut config =
        AreaConfig { version: 0, draft: None, draft_at: None, draft_by: None, usual: T::default(), versions };
    if let Some(written) = written {
        config.version = written.version;
        config.draft = written.draft.map(|draft| said(draft.0)).transpose()?;
        config.draft_at = written.draft_at_ms;
        config.draft_by = written.draft_by;
    }
    Ok(Answer(config))
}

/// A draft.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SavedConfig<T> {
    /// The service area.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// The version that the editor saw; another one is refused.
    version: i64,
    /// What it says.
    content: T,
}

async fn save<T: Setting>(call: &Call<Context>, body: SavedConfig<T>) -> Handled<Value> {
    let of = place(call, body.op_area_id).await?;
    Ok(Answer::replied(act(call, of, Some(body.version), ConfigAct::Save(body.content)).await?))
}

async fn act<T: Setting>(
    call: &Call<Context>,
    of: Place,
    version: Option<i64>,
    act: ConfigAct<T>,
) -> Result<Receipt, Refused> {
    call.acted::<Config<T>>(&of.area_id, ConfigCommand { of, act }, version).await
}

/// The two calls that say what is configured of a kind.
macro_rules! of_kind {
    ($kind:ident, $said:ident, $path:literal, $read:literal: $read_text:literal, $save:literal: $save_text:literal) => {
        mod $kind {
            use super::*;

            #[utoipa::path(get, path = $path, tag = "riding", operation_id = $read, summary = $read_text,
                        params(OfArea), responses((status = 200, body = Answer<AreaConfig<$said>>)))]
            pub(super) async fn read(
                call: Call<Context>,
                seen: Seen,
                Params(of): Params<OfArea>,
            ) -> Handled<AreaConfig<$said>> {
                config_of(&call, seen, of.op_area_id).await
            }

            #[utoipa::path(put, path = $path, tag = "riding", operation_id = $save, summary = $save_text,
                        request_body = SavedConfig<$said>, responses((status = 200, body = Answer<Nothing>)))]
            pub(super) async fn save(
                call: Call<Context>,
                Body(body): Body<SavedConfig<$said>>,
            ) -> Handled<Value> {
                super::save(&call, body).await
            }
        }
    };
}

of_kind!(
    billing, Billing, "/config/area/billing",
    "billingConfig": "What rides cost in a service area: the draft and all versions.",
    "saveBillingConfig": "Keeps a draft of what rides cost."
);
of_kind!(
    returning, ReturnRules, "/config/area/return",
    "returnConfig": "How rides end in a service area: the draft and all versions.",
    "saveReturnConfig": "Keeps a draft of how rides end."
);
of_kind!(
    using, UseRules, "/config/area/use",
    "useConfig": "What somebody needs to ride in a service area: the draft and all versions.",
    "saveUseConfig": "Keeps a draft of what somebody needs to ride."
);
of_kind!(
    paying, PayRules, "/config/area/pay",
    "payConfig": "How rides are paid in a service area: the draft and all versions.",
    "savePayConfig": "Keeps a draft of how rides are paid."
);
of_kind!(
    permitting, RidingPermission, "/config/area/permission",
    "ridingPermission": "What lets people ride in a service area: the draft and all versions.",
    "saveRidingPermission": "Keeps a draft of what lets people ride."
);

of_kind!(
    alarming, AlarmRules, "/config/area/alarm",
    "alarmConfig": "Where alarms begin in a service area: the draft and all versions.",
    "saveAlarmConfig": "Keeps a draft of where alarms begin."
);

/// What is asked of a configuration, of whatever kind.
enum Plain {
    Discard,
    Publish { from: Option<Timestamp>, note: String },
    Withdraw { number: i64 },
    RollBack { number: i64, from: Option<Timestamp>, note: String },
}

impl<T> From<Plain> for ConfigAct<T> {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Discard => Self::Discard,
            Plain::Publish { from, note } => Self::Publish { from, note },
            Plain::Withdraw { number } => Self::Withdraw { number },
            Plain::RollBack { number, from, note } => Self::RollBack { number, from, note },
        }
    }
}

/// Which configuration, as an editor saw it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WhichConfig {
    /// 1 计费, 2 还车, 3 用车, 4 支付, 5 骑行资格, 6 告警.
    kind: ConfigKind,
    /// The service area.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

async fn asked(call: &Call<Context>, which: WhichConfig, plain: Plain) -> Handled<Value> {
    let WhichConfig { kind, op_area_id, version } = which;
    kind.permit(&call.caller)?;
    let (of, version) = (place(call, op_area_id).await?, Some(version));
    Ok(Answer::replied(match kind {
        ConfigKind::Billing => act::<Billing>(call, of, version, plain.into()).await?,
        ConfigKind::Return => act::<ReturnRules>(call, of, version, plain.into()).await?,
        ConfigKind::Use => act::<UseRules>(call, of, version, plain.into()).await?,
        ConfigKind::Pay => act::<PayRules>(call, of, version, plain.into()).await?,
        ConfigKind::Permission => act::<RidingPermission>(call, of, version, plain.into()).await?,
        ConfigKind::Alarm => act::<AlarmRules>(call, of, version, plain.into()).await?,
    }))
}

/// Throws a draft away.
#[utoipa::path(post, path = "/config/area/discard", tag = "riding", operation_id = "discardAreaConfig",
    request_body = WhichConfig, responses((status = 200, body = Answer<Nothing>)))]
async fn discard(call: Call<Context>, Body(which): Body<WhichConfig>) -> Handled<Value> {
    asked(&call, which, Plain::Discard).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PublishedConfig {
    #[serde(flatten)]
    which: WhichConfig,
    /// From when it counts, epoch milliseconds; absent: from now on.
    from: Option<i64>,
    /// 发布说明, at most 200 characters.
    #[serde(default)]
    note: String,
}

/// Lets a draft count, now or from an instant on.
#[utoipa::path(post, path = "/config/area/publish", tag = "riding", operation_id = "publishAreaConfig",
    request_body = PublishedConfig, responses((status = 200, body = Answer<Nothing>)))]
async fn publish(call: Call<Context>, Body(body): Body<PublishedConfig>) -> Handled<Value> {
    let from = body.from.map(Timestamp::from_millis);
    asked(&call, body.which, Plain::Publish { from, note: body.note }).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OfConfigVersion {
    #[serde(flatten)]
    which: WhichConfig,
    /// Which of its versions.
    data_version: i64,
}

/// Takes back a version that does not count yet; what it says is a draft again, unless there is one.
#[utoipa::path(post, path = "/config/area/withdraw", tag = "riding", operation_id = "withdrawAreaConfig",
    request_body = OfConfigVersion, responses((status = 200, body = Answer<Nothing>)))]
async fn withdraw(call: Call<Context>, Body(body): Body<OfConfigVersion>) -> Handled<Value> {
    asked(&call, body.which, Plain::Withdraw { number: body.data_version }).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RolledBackConfig {
    #[serde(flatten)]
    of: OfConfigVersion,
    /// From when it counts, epoch milliseconds; absent: from now on.
    from: Option<i64>,
    /// 发布说明, at most 200 characters.
    #[serde(default)]
    note: String,
}

/// Lets what an earlier version said count again, as a new one.
#[utoipa::path(post, path = "/config/area/rollback", tag = "riding", operation_id = "rollBackAreaConfig",
    request_body = RolledBackConfig, responses((status = 200, body = Answer<Nothing>)))]
async fn roll_back(call: Call<Context>, Body(body): Body<RolledBackConfig>) -> Handled<Value> {
    let (number, from) = (body.of.data_version, body.from.map(Timestamp::from_millis));
    asked(&call, body.of.which, Plain::RollBack { number, from, note: body.note }).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CopiedConfig {
    /// 1 计费, 2 还车, 3 用车, 4 支付, 5 骑行资格, 6 告警.
    kind: ConfigKind,
    /// The service area whose configuration is copied.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// Which of its versions, 0: the default; absent: its draft.
    data_version: Option<i64>,
    /// To these areas, 1 to 200.
    #[schema(value_type = Vec<String>)]
    to: Vec<AreaId>,
    /// Whether it counts there; otherwise it is a draft.
    publish: bool,
    /// From when it counts, epoch milliseconds; absent: from now on.
    from: Option<i64>,
    /// 发布说明, at most 200 characters.
    #[serde(default)]
    note: String,
}

/// Writes what an area has into other areas, or lets it count there; each is judged alone. A draft that somebody is writing
/// there is left as it is.
#[utoipa::path(post, path = "/config/area/copy", tag = "riding", operation_id = "copyAreaConfig",
    request_body = CopiedConfig, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn copy(call: Call<Context>, Body(body): Body<CopiedConfig>) -> Handled<BatchAnswer> {
    body.kind.permit(&call.caller)?;
    let outcomes = match body.kind {
        ConfigKind::Billing => copied::<Billing>(&call, body).await?,
        ConfigKind::Return => copied::<ReturnRules>(&call, body).await?,
        ConfigKind::Use => copied::<UseRules>(&call, body).await?,
        ConfigKind::Pay => copied::<PayRules>(&call, body).await?,
        ConfigKind::Permission => copied::<RidingPermission>(&call, body).await?,
        ConfigKind::Alarm => copied::<AlarmRules>(&call, body).await?,
    };
    Ok(outcomes.answer())
}

async fn copied<T: Setting>(call: &Call<Context>, body: CopiedConfig) -> Result<BatchOutcomes, Refused> {
    let source = place(call, body.op_area_id).await?;
    let config = call.state.runtime.desk.load::<Config<T>>(&source.area_id).await?.state;
    let content = match body.data_version {
        None => config.draft(),
        Some(number) => config.version(number),
    };
    let content = content.ok_or_else(|| Refused::business("config-no-version", "没有可以复制的内容"))?;
    let ctx = call.request.context_of_account(json!({}));
    let mut outcomes = BatchOutcomes::default();
    for area in batch(body.to, BATCH_MAX)? {
        let said = content.clone();
        let act = if body.publish {
            let from = body.from.map(Timestamp::from_millis);
            ConfigAct::Set { said, from, note: body.note.clone() }
        } else {
            ConfigAct::SaveAside(said)
        };
        let ctx = ctx.step(&format!("copy:{area}"));
        outcomes.take(area.to_string(), told(call, area, act, &ctx).await)?;
    }
    Ok(outcomes)
}

async fn told<T: Setting>(
    call: &Call<Context>,
    area: AreaId,
    act: ConfigAct<T>,
    ctx: &CommandContext,
) -> Result<Receipt, Refused> {
    let of = place(call, area).await?;
    Ok(call.state.runtime.desk.execute::<Config<T>>(&area, ConfigCommand { of, act }, ctx).await?)
}
