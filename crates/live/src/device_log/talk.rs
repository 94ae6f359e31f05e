//! Lines of a device's log, and what stands in them. Pure.

use fleet::model::command::{CommandKind, CommandState};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{CommandId, choices};

use crate::report::Flags;

choices! {
    /// A kind of lines.
    pub enum TalkKind("日志类型") {
        Command = 1 => "指令",
        Contact = 2 => "上下线",
        Position = 3 => "定位上报",
        Status = 4 => "状态上报",
    }
}

choices! {
    /// A flag of a report, by its bit.
    pub enum DeviceFlag("设备状态") {
        Locked = 0 => "车锁已关",
        Powered = 1 => "电门开",
        Armed = 2 => "已设防",
        BatteryPresent = 3 => "电池在位",
        Moving = 4 => "移动中",
        HelmetLocked = 5 => "头盔已锁",
        BackWheelLocked = 6 => "后轮已锁",
        BatteryBayLocked = 7 => "电池仓已锁",
        PositionValid = 8 => "定位有效",
        Vibration = 9 => "振动",
        Overload = 10 => "超载",
        HelmetMissing = 11 => "头盔不在位",
        HelmetFault = 12 => "头盔锁故障",
    }
}

choices! {
    /// How a device is reached.
    pub enum Channel("通道") {
        Network = 1 => "网络",
    }
}

/// What a device was told, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct CommandTalk {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub command_id: CommandId,
    /// 指令.
    pub kind: CommandKind,
    /// How it was sent.
    #[sqlx(skip)]
    pub channel: Option<Channel>,
    /// How far it got.
    pub state: CommandState,
    /// The device's answer; 0 is done.
    pub result_code: Option<i32>,
    /// 迟到: answered after its timeout.
    pub late: bool,
    /// The version that the device is to run, of 固件.
    pub firmware: Option<String>,
    /// Why.
    pub reason: String,
    /// Who asked.
    pub by: String,
    /// When it was asked for, epoch milliseconds.
    #[sqlx(rename = "requested_at_ms")]
    pub requested_at: i64,
    /// When it left.
    #[sqlx(rename = "sent_at_ms")]
    pub sent_at: Option<i64>,
    /// When it was answered.
    #[sqlx(rename = "ack_at_ms")]
    pub ack_at: Option<i64>,
}

/// That a device went, or came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContactTalk {
    /// Whether it came.
    pub online: bool,
    /// Its report before that, epoch milliseconds; null: its first.
    pub last_report_at: Option<i64>,
}

/// What a device reported; what it did not tell is null.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportTalk {
    /// Degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// km/h.
    pub speed_kmh: i16,
    /// Degrees clockwise from north.
    pub heading_degrees: i16,
    /// Dilution of precision.
    pub hdop: Option<f64>,
    /// Satellites in use.
    pub satellites: Option<i16>,
    /// Signal, 0 to 31.
    pub gsm: Option<i16>,
    /// Battery, percent.
    pub soc_percent: i16,
    /// Battery, millivolts.
    pub voltage_mv: Option<i32>,
    /// What of it is so.
    pub flags: Vec<DeviceFlag>,
}

/// What a line is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Talk {
    /// A command.
    Command(CommandTalk),
    /// That it went or came back.
    Contact(ContactTalk),
    /// A report.
    Report(ReportTalk),
}

impl Talk {
    /// Its kind.
    pub const fn kind(&self) -> TalkKind {
        match self {
            Self::Command(_) => TalkKind::Command,
            Self::Contact(_) => TalkKind::Contact,
            Self::Report(report) if report.lat.is_some() => TalkKind::Position,
            Self::Report(_) => TalkKind::Status,
        }
    }

    /// In words; `at` is when it was, epoch milliseconds.
    pub fn words(&self, at: i64) -> String {
        match self {
            Self::Command(command) => of_command(command),
            Self::Contact(contact) => of_contact(contact, at),
            Self::Report(report) => of_report(report),
        }
    }
}

fn of_command(command: &CommandTalk) -> String {
    let late = if command.late { "，迟到应答" } else { "" };
    let code = command.result_code.filter(|code| *code != 0 || command.late);
    let code = code.map_or_else(String::new, |code| format!("，应答代码 {code}"));
    let reason = if command.reason.is_empty() { "" } else { "，原因：" };
    let firmware = command.firmware.as_ref().map_or_else(String::new, |firmware| format!(" {firmware}"));
    format!("{}{firmware}：{}{late}{code}{reason}{}", command.kind, command.state, command.reason)
}

fn of_contact(contact: &ContactTalk, at: i64) -> String {
    match (contact.online, contact.last_report_at) {
        (true, None) => "上线：第一次上报".to_owned(),
        (true, Some(last)) => format!("上线：此前 {} 没有上报", lasting((at - last) / 1000)),
        (false, _) => "离线：超过 5 分钟没有上报".to_owned(),
    }
}

fn lasting(seconds: i64) -> String {
    match seconds {
        ..3_600 => format!("{} 分钟", seconds / 60),
        3_600..86_400 => format!("{} 小时 {} 分钟", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} 天 {} 小时", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

fn of_report(report: &ReportTalk) -> String {
    let mut parts = match (report.lat, report.lng) {
        (Some(lat), Some(lng)) => {
            vec![format!("{lat:.6}, {lng:.6}"), format!("{} km/h", report.speed_kmh)]
        }
        _ => vec!["没有定位".to_owned()],
    };
    parts.extend(report.satellites.filter(|_| report.lat.is_some()).map(|count| format!("{count} 颗卫星")));
    parts.push(format!("电量 {}%", report.soc_percent));
    parts.extend(report.voltage_mv.map(|mv| format!("{:.1} V", f64::from(mv) / 1000.0)));
    parts.extend(report.gsm.map(|gsm| format!("信号 {gsm}")));
    parts.join(" · ")
}

/// The flags that are set.
pub fn flags_of(bits: i32) -> Vec<DeviceFlag> {
    let set = Flags(u16::try_from(bits).unwrap_or_default());
    DeviceFlag::ALL.iter().copied().filter(|flag| set.has(Flags(1 << flag.number()))).collect()
}

/// Where a line stands among the others: by time, then by what it is about, then by its own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When, epoch milliseconds.
    pub at: i64,
    /// What it is about.
    pub source: Source,
    /// Of a command, its id.
    pub number: i64,
}

/// Where lines come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Commands.
    Command,
    /// Absences.
    Contact,
    /// Reports.
    Report,
}

impl Source {
    /// Those that lines of these kinds come from; of no kind, all.
    pub fn of(kinds: &[TalkKind]) -> Vec<Self> {
        let has = |kind| kinds.is_empty() || kinds.contains(&kind);
        let wanted = [
            (Self::Command, has(TalkKind::Command)),
            (Self::Contact, has(TalkKind::Contact)),
            (Self::Report, has(TalkKind::Position) || has(TalkKind::Status)),
        ];
        wanted.into_iter().filter_map(|(source, wanted)| wanted.then_some(source)).collect()
    }
}

impl Place {
    /// As a page tells it.
    pub fn written(self) -> String {
        format!("{}.{}.{}", self.at, self.source as u8, self.number)
    }

    /// The place that a page told; nothing where this is none.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut next = || parts.next()?.parse::<i64>().ok();
        let (at, source, number) = (next()?, next()?, next()?);
        let source = match source {
            0 => Source::Command,
            1 => Source::Contact,
            2 => Source::Report,
            _ => return None,
        };
        parts.next().is_none().then_some(Self { at, source, number })
    }

    /// The newest moment and, at that moment, the number before which lines of `source` come after this place.
    pub fn bound(self, source: Source) -> (i64, i64) {
        match source.cmp(&self.source) {
            std::cmp::Ordering::Less => (self.at, i64::MAX),
            std::cmp::Ordering::Equal => (self.at, self.number),
            std::cmp::Ordering::Greater => (self.at, i64::MIN),
        }
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Choice;

    use super::*;

    fn command() -> CommandTalk {
        CommandTalk {
            command_id: CommandId(9),
            kind: CommandKind::Lock,
            channel: Some(Channel::Network),
            state: CommandState::Done,
            result_code: Some(0),
            late: false,
            firmware: None,
            reason: String::new(),
            by: "值班员".to_owned(),
            requested_at: 0,
            sent_at: Some(5),
            ack_at: Some(900),
        }
    }

    #[test]
    fn lines_are_told_in_words() {
        assert_eq!(Talk::Command(command()).words(0), "关锁：成功");
        let late =
            CommandTalk {
                state: CommandState::TimedOut, late: true, reason: "巡检".to_owned(), ..command()
            };
        assert_eq!(Talk::Command(late).words(0), "关锁：超时，迟到应答，应答代码 0，原因：巡检");
        let upgrade =
            CommandTalk { kind: CommandKind::Firmware, firmware: Some("1.3.0".to_owned()), ..command() };
        assert_eq!(Talk::Command(upgrade).words(0), "固件 1.3.0：成功");
        let back = Talk::Contact(ContactTalk { online: true, last_report_at: Some(0) });
        assert_eq!(back.words(3_900_000), "上线：此前 1 小时 5 分钟 没有上报");
        let report = ReportTalk {
            lat: Some(24.5),
            lng: Some(118.1),
            speed_kmh: 12,
            heading_degrees: 90,
            hdop: Some(0.9),
            satellites: Some(11),
            gsm: Some(22),
            soc_percent: 87,
            voltage_mv: Some(52_100),
            flags: vec![],
        };
        let words = Talk::Report(report.clone()).words(0);
        assert_eq!(words, "24.500000, 118.100000 · 12 km/h · 11 颗卫星 · 电量 87% · 52.1 V · 信号 22");
        let blind = Talk::Report(ReportTalk { lat: None, lng: None, ..report });
        assert_eq!(
            (blind.kind(), blind.words(0).starts_with("没有定位 · 电量 87%")),
            (TalkKind::Status, true)
        );
    }

    #[test]
    fn flags_are_those_of_the_protocol() {
        let names: Vec<DeviceFlag> = flags_of(0b1_0000_1001);
        assert_eq!(names, [DeviceFlag::Locked, DeviceFlag::BatteryPresent, DeviceFlag::PositionValid]);
        assert_eq!(<DeviceFlag as Choice>::ALL.len(), Flags::NAMES.len());
    }

    #[test]
    fn a_place_is_read_as_it_was_written_and_orders_sources_at_one_moment() {
        let place = Place { at: 7, source: Source::Contact, number: 1 };
        assert_eq!(Place::read(&place.written()), Some(place));
        for wrong in ["", "7", "7.1", "7.3.1", "7.1.1.1", "a.1.1"] {
            assert_eq!(Place::read(wrong), None, "{wrong}");
        }
        assert_eq!(place.bound(Source::Command), (7, i64::MAX), "still to come");
        assert_eq!(place.bound(Source::Contact), (7, 1));
        assert_eq!(place.bound(Source::Report), (7, i64::MIN), "was there already");
    }
}
