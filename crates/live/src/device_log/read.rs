//! Lines of one device, each source read by an index, newest first. That the bike lies in the caller's scope is proven by
//! [`find`] in the same transaction: reports have no owner of their own.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, PgConnection, QueryBuilder};
use utoipa::ToSchema;
use vocabulary::{COUNT_CAP, Timestamp};

use super::talk::{Channel, CommandTalk, ContactTalk, Place, ReportTalk, Source, Talk, TalkKind, flags_of};
use crate::report;
use crate::rules::OFFLINE_AFTER_MS;

/// A bike in scope, with its device.
#[derive(Clone, Debug, FromRow)]
pub struct Spoken {
    pub car_id: String,
    pub imei: Option<String>,
    /// Its number in the telemetry; nothing when it never reported.
    pub vehicle: Option<i32>,
}

const SPOKEN: &str = "select v.car_id, v.imei, n.vehicle from read.vehicle v left join live.vehicle n on n.car_id = v.car_id where ";

/// The bike of this number, or with this device; nothing when it is not in scope.
pub async fn find(db: &mut PgConnection, typed: &str) -> sqlx::Result<Option<Spoken>> {
    let is_imei = typed.len() == 15 && typed.bytes().all(|byte| byte.is_ascii_digit());
    let mut query = QueryBuilder::new(SPOKEN);
    query.push(if is_imei { "v.imei = " } else { "v.car_id = " }).push_bind(typed);
    query.build_query_as().fetch_optional(db).await
}

/// The same by its number in the telemetry.
async fn numbered(db: &mut PgConnection, vehicle: i32) -> sqlx::Result<Option<Spoken>> {
    let mut query = QueryBuilder::new(SPOKEN);
    query.push("n.vehicle = ").push_bind(vehicle);
    query.build_query_as().fetch_optional(db).await
}

/// What is asked for of it: both ends included.
#[derive(Clone, Debug)]
pub struct Asked {
    pub from: Timestamp,
    pub until: Timestamp,
    /// Nothing: all.
    pub kinds: Vec<TalkKind>,
    pub now: Timestamp,
}

/// A line of a device's log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceLogRow {
    /// Its id.
    pub id: String,
    /// When, epoch milliseconds: when a command was asked for, when a device reported.
    pub at: i64,
    /// 日志类型.
    pub kind: TalkKind,
    /// 车辆编号.
    pub car_id: String,
    /// The device.
    pub imei: Option<String>,
    /// In words.
    pub content: String,
    /// Of a command.
    pub command: Option<CommandTalk>,
    /// Of going and coming back.
    pub contact: Option<ContactTalk>,
    /// Of a report.
    pub report: Option<ReportTalk>,
}

/// A line and where it stands.
pub struct Line {
    pub place: Place,
    imei: Option<String>,
    talk: Talk,
}

impl Line {
    /// As people see it.
    pub fn row(self, of: &Spoken) -> DeviceLogRow {
        let Place { at, number, .. } = self.place;
        let vehicle = of.vehicle.unwrap_or_default();
        let mut row = DeviceLogRow {
            id: match self.talk {
                Talk::Command(_) => format!("c-{number}"),
                Talk::Contact(_) => format!("o-{vehicle}-{at}"),
                Talk::Report(_) => format!("r-{vehicle}-{at}"),
            },
            at,
            kind: self.talk.kind(),
            car_id: of.car_id.clone(),
            imei: self.imei.or_else(|| of.imei.clone()),
            content: self.talk.words(at),
            command: None,
            contact: None,
            report: None,
        };
        match self.talk {
            Talk::Command(command) => row.command = Some(command),
            Talk::Contact(contact) => row.contact = Some(contact),
            Talk::Report(report) => row.report = Some(report),
        }
        row
    }
}

/// At most `most` lines that come after `after`, newest first.
pub async fn lines(
    db: &mut PgConnection,
    of: &Spoken,
    asked: &Asked,
    after: Option<Place>,
    most: i64,
) -> sqlx::Result<Vec<Line>> {
    let mut all = Vec::new();
    for source in Source::of(&asked.kinds) {
        let (at, number) = after.map_or((i64::MAX, i64::MAX), |place| place.bound(source));
        if source == Source::Command {
            let until =
                if at < asked.until.millis() { (at, number) } else { (asked.until.millis(), i64::MAX) };
            all.extend(commands(db, &of.car_id, asked.from, until, most).await?);
            continue;
        }
        // Of these there is one at a moment.
        let before = if number > 0 { at } else { at - 1 };
        let within =
            Asked { until: Timestamp::from_millis(before.min(asked.until.millis())), ..asked.clone() };
        let Some(vehicle) = of.vehicle else { continue };
        all.extend(match source {
            Source::Contact => contacts(db, vehicle, &within, most).await?,
            Source::Report | Source::Command => reports(db, vehicle, &within, most).await?,
        });
    }
    all.sort_by_key(|line| Reverse(line.place));
    all.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(all)
}

/// How many lines there are, not beyond `COUNT_CAP + 1`.
pub async fn count(db: &mut PgConnection, of: &Spoken, asked: &Asked) -> sqlx::Result<i64> {
    let mut counted = 0;
    for source in Source::of(&asked.kinds) {
        let left = COUNT_CAP + 1 - counted;
        if left <= 0 {
            break;
        }
        let mut query = QueryBuilder::new("select count(*) from (");
        match (source, of.vehicle) {
            (Source::Command, _) => put_commands(
                &mut query,
                "select command_id",
                &of.car_id,
                asked.from,
                (asked.until.millis(), i64::MAX),
            ),
            (Source::Contact, Some(vehicle)) => put_contacts(&mut query, vehicle, asked),
            (Source::Report, Some(vehicle)) => put_reports(&mut query, "select t.at", vehicle, asked),
            (_, None) => continue,
        }
        query.push(" limit ").push_bind(left).push(") matching");
        counted += query.build_query_scalar::<i64>().fetch_one(&mut *db).await?;
    }
    Ok(counted)
}

/// One line and its bike; nothing when there is none in scope.
pub async fn one(db: &mut PgConnection, id: &str, now: Timestamp) -> sqlx::Result<Option<DeviceLogRow>> {
    let parts: Vec<&str> = id.split('-').collect();
    let number = |text: &str| text.parse::<i64>().ok();
    match parts.as_slice() {
        ["c", command] => {
            let Some(command) = number(command) else { return Ok(None) };
            let sql = format!("{COMMAND} where command_id = $1");
            let found: Option<Commanded> =
                sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(command).fetch_optional(&mut *db).await?;
            let Some(found) = found else { return Ok(None) };
            let of = Spoken { car_id: found.car_id.clone(), imei: None, vehicle: None };
            Ok(Some(found.line().row(&of)))
        }
        [source @ ("o" | "r"), vehicle, at] => {
            let (Some(at), Ok(vehicle)) = (number(at), vehicle.parse::<i32>()) else { return Ok(None) };
            let Some(of) = numbered(db, vehicle).await? else { return Ok(None) };
            let (from, kinds) = (
                Timestamp::from_millis(at),
                if *source == "o" {
                    vec![TalkKind::Contact]
                } else {
                    vec![TalkKind::Position, TalkKind::Status]
                },
            );
            let asked = Asked { from, until: from, kinds, now };
            let found = lines(db, &of, &asked, None, 1).await?.pop();
            Ok(found.map(|line| line.row(&of)))
        }
        _ => Ok(None),
    }
}

const COMMAND: &str = "select command_id, car_id, imei, kind, state, result_code, late, firmware, reason, by, requested_at_ms, sent_at_ms, \
    ack_at_ms from read.device_command";

#[derive(FromRow)]
struct Commanded {
    car_id: String,
    imei: String,
    #[sqlx(flatten)]
    talk: CommandTalk,
}

impl Commanded {
    fn line(mut self) -> Line {
        self.talk.channel = Some(Channel::Network);
        Line {
            place: Place {
                at: self.talk.requested_at,
                source: Source::Command,
                number: self.talk.command_id.0,
            },
            imei: Some(self.imei),
            talk: Talk::Command(self.talk),
        }
    }
}

type Query = QueryBuilder<sqlx::Postgres>;

fn put_commands(query: &mut Query, select: &str, car_id: &str, from: Timestamp, (at, number): (i64, i64)) {
    query.push(select);
    if !select.contains(" from ") {
        query.push(" from read.device_command");
    }
    query.push(" where car_id = ").push_bind(car_id.to_owned());
    query.push(" and requested_at_ms >= ").push_bind(from.millis());
    query.push(" and (requested_at_ms, command_id) < (").push_bind(at).push(", ").push_bind(number).push(")");
}

async fn commands(
    db: &mut PgConnection,
    car_id: &str,
    from: Timestamp,
    before: (i64, i64),
    most: i64,
) -> sqlx::Result<Vec<Line>> {
    let mut query = QueryBuilder::new("");
    put_commands(&mut query, COMMAND, car_id, from, before);
    query.push(" order by requested_at_ms desc, command_id desc limit ").push_bind(most);
    let found: Vec<Commanded> = query.build_query_as().fetch_all(db).await?;
    Ok(found.into_iter().map(Commanded::line).collect())
}

fn put_reports(query: &mut Query, select: &str, vehicle: i32, asked: &Asked) {
    query.push(select).push(" from live.telemetry t where t.vehicle = ").push_bind(vehicle);
    query.push(" and t.at >= ").push_bind(asked.from.datetime());
    query.push(" and t.at <= ").push_bind(asked.until.datetime());
    let has = |kind| asked.kinds.is_empty() || asked.kinds.contains(&kind);
    match (has(TalkKind::Position), has(TalkKind::Status)) {
        (true, false) => drop(query.push(" and t.lat_e7 is not null")),
        (false, true) => drop(query.push(" and t.lat_e7 is null")),
        _ => {}
    }
}

#[derive(FromRow)]
struct Reported {
    at: DateTime<Utc>,
    lat_e7: Option<i32>,
    lng_e7: Option<i32>,
    flags: i32,
    voltage_mv: Option<i32>,
    soc: i16,
    speed: i16,
    heading: i16,
    hdop: Option<i16>,
    satellites: Option<i16>,
    gsm: Option<i16>,
}

impl Reported {
    fn line(self) -> Line {
        let place = self.lat_e7.zip(self.lng_e7).map(|(lat_e7, lng_e7)| report::Place { lat_e7, lng_e7 });
        let talk = ReportTalk {
            lat: place.map(report::Place::lat),
            lng: place.map(report::Place::lng),
            speed_kmh: self.speed,
            heading_degrees: self.heading * 2,
            hdop: self.hdop.map(|tenths| f64::from(tenths) / 10.0),
            satellites: self.satellites,
            gsm: self.gsm,
            soc_percent: self.soc,
            voltage_mv: self.voltage_mv,
            flags: flags_of(self.flags),
        };
        let place = Place { at: Timestamp::from(self.at).millis(), source: Source::Report, number: 0 };
        Line { place, imei: None, talk: Talk::Report(talk) }
    }
}

async fn reports(db: &mut PgConnection, vehicle: i32, asked: &Asked, most: i64) -> sqlx::Result<Vec<Line>> {
    let mut query = QueryBuilder::new("");
    let columns = "select t.at, t.lat_e7, t.lng_e7, t.flags, t.voltage_mv, t.soc, t.speed, t.heading, t.hdop, t.satellites, t.gsm";
    put_reports(&mut query, columns, vehicle, asked);
    query.push(" order by t.at desc limit ").push_bind(most);
    let found: Vec<Reported> = query.build_query_as().fetch_all(db).await?;
    Ok(found.into_iter().map(Reported::line).collect())
}

/// Absences are what lies between two reports that are further apart than a device may be silent: it went when that time was
/// over, and came back with the next one. Reports from the last one before the time that is asked for tell all of them.
fn put_contacts(query: &mut Query, vehicle: i32, asked: &Asked) {
    let silent_ms = OFFLINE_AFTER_MS;
    let (from, earlier) = (asked.from.datetime(), asked.from.plus_millis(-silent_ms).datetime());
    let until = asked.until.min(asked.now).datetime();
    query.push("with heard as (select t.at, lag(t.at) over timely as before, lead(t.at) over timely as following from live.telemetry t where t.vehicle = ");
    query
        .push_bind(vehicle)
        .push(" and t.at >= coalesce((select p.at from live.telemetry p where p.vehicle = ");
    query.push_bind(vehicle).push(" and p.at < ").push_bind(earlier);
    query.push(" order by p.at desc limit 1), ").push_bind(earlier).push(") and t.at <= ").push_bind(until);
    query.push(" window timely as (order by t.at)), ");
    query
        .push("gone as (select at, before, following, make_interval(secs => ")
        .push_bind(silent_ms as f64 / 1000.0);
    query.push(") as silent from heard) select * from (");
    query.push("select at, true as online, before as last from gone where before is null or at - before > silent union all ");
    query.push("select at + silent, false, at from gone where following is null or following - at > silent");
    query.push(") told where at between ").push_bind(from).push(" and ").push_bind(until);
}

async fn contacts(db: &mut PgConnection, vehicle: i32, asked: &Asked, most: i64) -> sqlx::Result<Vec<Line>> {
    let mut query = QueryBuilder::new("");
    put_contacts(&mut query, vehicle, asked);
    query.push(" order by at desc limit ").push_bind(most);
    let found: Vec<(DateTime<Utc>, bool, Option<DateTime<Utc>>)> =
        query.build_query_as().fetch_all(db).await?;
    let line = |(at, online, last): (DateTime<Utc>, bool, Option<DateTime<Utc>>)| Line {
        place: Place { at: Timestamp::from(at).millis(), source: Source::Contact, number: 0 },
        imei: None,
        talk: Talk::Contact(ContactTalk {
            online,
            last_report_at: last.map(|last| Timestamp::from(last).millis()),
        }),
    };
    Ok(found.into_iter().map(line).collect())
}
