//! Packages of firmware (固件包): the platform keeps them, and whoever may command bikes chooses among them.

use kernel::{CommandError, List, Position};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{Choice, FirmwareId, Scope};
use wire::{
    Answer, BATCH_MAX, BatchAnswer, BatchOutcomes, Body, Call, Changed, Column, Export, Handled, Listed,
    Listing, MadeId, Nothing, Params, Permit, Record, Refused, Routes, Seen, batch, given,
};

use super::commands::COMMAND_CODES;
use crate::Fleet;
use crate::model::firmware::{self, Firmware, FirmwareCommand, FirmwareState, Form};
use crate::read::firmwares::{self, FirmwareRow};

/// 生产信息.
const PRODUCTION: Permit = Permit::AnyOf(&["06"]);
/// Packages to choose from.
const CHOICES_MAX: i64 = 200;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add_list::<ListQuery>(
            PRODUCTION,
            Listed {
                path: "/production/upgrade",
                operations: ["listFirmwares", "exportFirmwares"],
                summary: "Packages of firmware, newest first.",
            },
        )
        .add_record::<ListQuery>(
            PRODUCTION,
            Record {
                path: "/production/upgrade/{id}",
                operation: "firmwareInfo",
                summary: "One package of firmware.",
            },
        )
        .add(PRODUCTION, routes!(publish, update))
        .add(PRODUCTION, routes!(state))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(choices))
        .add(Permit::Machine("open:fleet"), routes!(publish_open))
        .with_state(fleet.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the model, the firmware's version or the note.
    keyword: Option<String>,
    /// Those of this model, as devices say it.
    model: Option<String>,
    /// Those that may be chosen, or that may not.
    state: Option<FirmwareState>,
}

impl Listing for ListQuery {
    type State = Fleet;
    type Row = FirmwareRow;
    const READS: &'static [&'static str] = &["firmware"];
    const KEY: &'static str = "f.firmware_id";
    const FILE: Export<FirmwareRow> = Export {
        what: "firmware",
        title: "固件包",
        columns: &[
            Column::text("model", "型号", |row| &row.model),
            Column::text("firmware", "固件版本", |row| &row.firmware),
            Column::text("state", "状态", |row| row.state.label()),
            Column::count("sizeBytes", "大小（字节）", |row| row.size_bytes),
            Column::text("note", "说明", |row| &row.note),
            Column::text("md5", "MD5", |row| &row.md5),
            Column::text("url", "下载地址", |row| &row.url),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::time("createdAt", "新增时间", |row| Some(row.created_at)),
            Column::made("id", "固件包编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, _: &Scope) -> Result<List, Refused> {
        Ok(firmwares::list()
            .contains(&["f.model", "f.firmware", "f.note"], given(self.keyword.as_ref()))
            .is("f.model", given(self.model.as_ref()))
            .is("f.state", self.state.map(Choice::number)))
    }
}

/// Packages are the platform's.
fn may_keep(call: &Call<Fleet>) -> Result<(), Refused> {
    Ok(firmware::may_keep(&call.caller.full_scope).map_err(CommandError::Refused)?)
}

/// Adds a package, which may be chosen at once; answers `{id}`.
#[utoipa::path(post, path = "/production/upgrade", tag = "fleet", operation_id = "publishFirmware",
    request_body = Form, responses((status = 200, body = Answer<MadeId>)))]
async fn publish(call: Call<Fleet>, Body(form): Body<Form>) -> Handled<Value> {
    may_keep(&call)?;
    let id = FirmwareId(call.state.runtime.ids.next_id());
    call.make::<Firmware>(&id, FirmwareCommand::Publish(id, form)).await
}

/// Corrects where a package is, what it is like, or its note; model and firmware stay. A stale version is refused.
#[utoipa::path(put, path = "/production/upgrade", tag = "fleet", operation_id = "updateFirmware",
    request_body = Changed<FirmwareId, Form>, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Fleet>, Body(changed): Body<Changed<FirmwareId, Form>>) -> Handled<Value> {
    may_keep(&call)?;
    let command = FirmwareCommand::Change(changed.form);
    Ok(Answer::replied(call.acted::<Firmware>(&changed.id, command, Some(changed.version)).await?))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = FirmwareStateAsked)]
struct StateAsked {
    /// One package,
    #[serde(default)]
    id: Option<FirmwareId>,
    /// or several, at most 200.
    #[serde(default)]
    ids: Option<Vec<FirmwareId>>,
    /// Whether they may be chosen.
    state: FirmwareState,
}

/// Lets one package or several be chosen, or no more; of several each is judged alone.
#[utoipa::path(post, path = "/production/upgrade/state", tag = "fleet", operation_id = "setFirmwareState",
    request_body = StateAsked, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn state(call: Call<Fleet>, Body(body): Body<StateAsked>) -> Handled<BatchAnswer> {
    may_keep(&call)?;
    let command = || match body.state {
        FirmwareState::Enabled => FirmwareCommand::Enable,
        FirmwareState::Disabled => FirmwareCommand::Disable,
    };
    match (body.id, body.ids) {
        (Some(id), None) => {
            let receipt = call.acted::<Firmware>(&id, command(), None).await?;
            Ok(Answer::at(BatchAnswer::default(), &receipt))
        }
        (None, Some(ids)) => {
            // One request id stands for all of them; each is "already so" when it is repeated.
            let mut ctx = call.request.context_of_account(json!({}));
            ctx.request_id = None;
            let mut outcomes = BatchOutcomes::default();
            for id in batch(ids, BATCH_MAX)? {
                let done = call.state.runtime.desk.execute::<Firmware>(&id, command(), &ctx).await;
                outcomes.take(id.to_string(), done.map_err(Refused::from))?;
            }
            Ok(outcomes.answer())
        }
        _ => Err(Refused::malformed("请求参数应为 id 或 ids 之一")),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ChoicesQuery {
    /// Those of this model alone.
    model: Option<String>,
}

/// Packages to choose from.
#[derive(Serialize, ToSchema)]
struct FirmwareChoices {
    /// Newest first, at most 200.
    rows: Vec<FirmwareRow>,
}

/// Packages that bikes may be upgraded to, newest first.
#[utoipa::path(get, path = "/device/firmware", tag = "fleet", operation_id = "firmwareChoices",
    params(ChoicesQuery), responses((status = 200, body = Answer<FirmwareChoices>)))]
async fn choices(
    call: Call<Fleet>,
    Seen(seen): Seen,
    Params(asked): Params<ChoicesQuery>,
) -> Handled<FirmwareChoices> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, ListQuery::READS).await?;
    let rows = firmwares::enabled(&mut *db, given(asked.model.as_ref()), CHOICES_MAX).await?;
    Ok(Answer(FirmwareChoices { rows }))
}

/// The same for a machine that acts for the platform; a package that is there with the same content is answered with its id.
#[utoipa::path(post, path = "/open/v1/firmwares", tag = "open", operation_id = "publishOpenFirmware",
    request_body = Form, responses((status = 200, body = Answer<MadeId>)))]
async fn publish_open(call: Call<Fleet>, Body(form): Body<Form>) -> Handled<Value> {
    may_keep(&call)?;
    let form = form.checked().map_err(CommandError::Refused)?;
    let newest = Some(Position(i64::MAX));
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, newest, ListQuery::READS).await?;
    let known = firmwares::of_firmware(&mut *db, &form.model, &form.firmware).await?;
    drop(db);
    // The same content again is no change; other content is refused by its claim.
    let same = known.filter(|row| {
        (&row.url, &row.md5, row.size_bytes, &row.note) == (&form.url, &form.md5, form.size_bytes, &form.note)
    });
    let id = same.map_or_else(|| FirmwareId(call.state.runtime.ids.next_id()), |row| row.id);
    call.make::<Firmware>(&id, FirmwareCommand::Publish(id, form)).await
}
