//! A device's log (设备日志) as the back-office sees it.

use axum::extract::{Path, State};
use axum::response::Response;
use kernel::{ReadTx, Runtime};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{Choice, Rows};
use wire::{
    Answer, Caller, Column, Disclosure, EXPORT_ROWS_READ, End, Export, ExportColumns, Handled, PATIENCE,
    PageOf, PageQuery, Params, Permit, Refused, Routes, Seen, given, log_span, moment, too_wide,
};

use super::read::{self, Asked, DeviceLogRow, Spoken};
use super::talk::{CommandTalk, Place, TalkKind};

const LOG: Permit = Permit::AnyOf(&["1403"]);
const READS: &[&str] = &["vehicle", "device-command"];

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("live")
        .add(LOG, routes!(list).with_state(runtime.clone()))
        .add_unwrapped(LOG, routes!(export).with_state(runtime.clone()))
        .add(LOG, routes!(entry).with_state(runtime.clone()))
}

#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct DeviceLogQuery {
    /// A bike's number or its device's IMEI. Without a bike there are no lines.
    car_id: Option<String>,
    /// A device's IMEI, when no bike is named.
    imei: Option<String>,
    /// Kinds of lines, with commas between.
    kinds: Option<String>,
    /// From then on: `YYYY-MM-DD HH:mm:ss`; needed.
    start_time: Option<String>,
    /// Until then, included; without it until now. At most 31 days later.
    end_time: Option<String>,
}

impl DeviceLogQuery {
    fn typed(&self) -> Option<&str> {
        given(self.car_id.as_ref()).or_else(|| given(self.imei.as_ref()))
    }

    fn asked(&self, runtime: &Runtime) -> Result<Asked, Refused> {
        let now = runtime.clock.now();
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        log_span(from, until, now)?;
        let wrong = || Refused::malformed("请求参数 kinds 格式不正确");
        let kind = |text: &str| {
            let number = text.trim().parse::<i16>().map_err(|_| wrong())?;
            TalkKind::of(number).map_err(|_| wrong())
        };
        let kinds = given(self.kinds.as_ref()).into_iter().flat_map(|list| list.split(','));
        Ok(Asked {
            from: from.unwrap_or(now),
            until: until.unwrap_or(now),
            kinds: kinds.map(kind).collect::<Result<_, _>>()?,
            now,
        })
    }
}

fn command(row: &DeviceLogRow) -> Option<&CommandTalk> {
    row.command.as_ref()
}

const FILE: Export<DeviceLogRow> = Export {
    what: "device-log",
    title: "设备日志",
    columns: &[
        Column::time("at", "时间", |row| Some(row.at)),
        Column::text("kind", "类型", |row| row.kind.label()),
        Column::text("content", "内容", |row| &row.content),
        Column::text("channel", "通道", |row| {
            command(row).and_then(|command| command.channel).map_or("", super::talk::Channel::label)
        }),
        Column::text("state", "指令状态", |row| command(row).map_or("", |command| command.state.label())),
        Column::made("resultCode", "应答代码", |row| {
            let code = command(row).and_then(|command| command.result_code);
            code.map_or_else(String::new, |code| code.to_string())
        }),
        Column::time("sentAt", "发出时间", |row| command(row)?.sent_at),
        Column::time("ackAt", "应答时间", |row| command(row)?.ack_at),
        Column::text("by", "下发人", |row| command(row).map_or("", |command| &command.by)),
        Column::text("carId", "车辆编号", |row| &row.car_id),
        Column::text("imei", "IMEI", |row| row.imei.as_deref().unwrap_or_default()),
        Column::text("id", "日志编号", |row| &row.id),
    ],
};

/// The bike that is asked for, in the transaction in which its lines are read.
async fn spoken(
    runtime: &Runtime,
    caller: &Caller,
    seen: Seen,
    typed: &str,
) -> Result<(ReadTx, Option<Spoken>), Refused> {
    let mut db = runtime.reads.scoped(&caller.full_scope, seen.0, READS).await?;
    db.at_most(PATIENCE).await?;
    let found = read::find(&mut db, typed).await?;
    Ok((db, found))
}

/// What a bike's device was told, answered and reported, and when it was away, newest first, of at most 31 days.
#[utoipa::path(get, path = "/log/device", tag = "live", operation_id = "listDeviceLog",
    params(PageQuery, DeviceLogQuery), responses((status = 200, body = Answer<PageOf<DeviceLogRow>>)))]
async fn list(
    State(runtime): State<Runtime>,
    caller: Caller,
    seen: Seen,
    Params(paging): Params<PageQuery>,
    Params(query): Params<DeviceLogQuery>,
) -> Handled<PageOf<DeviceLogRow>> {
    let (page, asked) = (paging.bounded()?, query.asked(&runtime)?);
    let wrong = || Refused::malformed(kernel::list::NotACursor.to_string());
    let after = paging.after().map(|place| Place::read(place).ok_or_else(wrong)).transpose()?;
    let none = || Ok(Answer(PageOf::from(Rows::new(Vec::new(), 0))));
    let Some(typed) = query.typed() else { return none() };
    let (mut db, found) = spoken(&runtime, &caller, seen, typed).await?;
    let Some(of) = found else { return none() };
    let counted = read::count(&mut db, &of, &asked).await.map_err(too_wide)?;
    // One more than the page tells whether anything follows.
    let most = page.offset() + page.limit() + 1;
    let mut lines = read::lines(&mut db, &of, &asked, after, most).await.map_err(too_wide)?;
    drop(db);
    let is_more = lines.len() as i64 == most;
    lines.truncate((page.offset() + page.limit()) as usize);
    let lines: Vec<_> = lines.into_iter().skip(page.offset() as usize).collect();
    let next = lines.last().filter(|_| is_more).map(|line| line.place.written());
    let rows = lines.into_iter().map(|line| line.row(&of)).collect();
    Ok(Answer(PageOf::from(Rows::new(rows, counted).going_on(next))))
}

/// The same as CSV, at most 50000 lines. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/log/device/export", tag = "live", operation_id = "exportDeviceLog",
    params(DeviceLogQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
async fn export(
    State(runtime): State<Runtime>,
    caller: Caller,
    seen: Seen,
    disclosure: Disclosure,
    Params(query): Params<DeviceLogQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let asked = query.asked(&runtime)?;
    let (mut db, found) = spoken(&runtime, &caller, seen, query.typed().unwrap_or_default()).await?;
    let mut rows = Vec::new();
    if let Some(of) = found {
        let lines = read::lines(&mut db, &of, &asked, None, EXPORT_ROWS_READ).await.map_err(too_wide)?;
        rows.extend(lines.into_iter().map(|line| line.row(&of)));
    }
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}

/// One line of a device's log.
#[utoipa::path(get, path = "/log/device/{id}", tag = "live", operation_id = "deviceLogEntry",
    params(("id" = String, Path, description = "The line's id")),
    responses((status = 200, body = Answer<DeviceLogRow>)))]
async fn entry(
    State(runtime): State<Runtime>,
    caller: Caller,
    Seen(seen): Seen,
    Path(id): Path<String>,
) -> Handled<DeviceLogRow> {
    let mut db = runtime.reads.scoped(&caller.full_scope, seen, READS).await?;
    let found = read::one(&mut db, &id, runtime.clock.now()).await?;
    found.map(Answer).ok_or_else(Refused::not_found)
}
