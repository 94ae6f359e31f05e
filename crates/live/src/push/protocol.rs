//! The text frames of `docs/push.md`.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use vocabulary::AreaId;

use crate::fleet::{Pick, Totals};

/// What a client may say.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(super) enum Said {
    Auth {
        token: String,
        t: String,
    },
    Watch {
        topic: String,
        bbox: Option<[f64; 4]>,
        zoom: Option<f64>,
        since: Option<u32>,
        instance: Option<String>,
        pick: Option<Pick>,
    },
    Unwatch {
        topic: String,
    },
    Who {
        #[serde(default)]
        slot: u32,
        /// Several at once; `slot` says nothing then.
        slots: Option<Vec<u32>>,
        #[serde(default)]
        n: Value,
    },
    Ping,
}

/// A topic by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Fleet,
    Vehicle(String),
    Read(String),
    Screen { name: String, areas: Vec<AreaId> },
}

/// Longest list of areas behind a wall's name.
const AREAS_CHARACTERS: usize = 12_000;

/// `ops` or `ops/12,15`.
fn screen(named: &str) -> Option<Topic> {
    let (name, areas) = named.split_once('/').map_or((named, None), |(name, areas)| (name, Some(areas)));
    let fits = !name.is_empty() && name.len() <= NAME_CHARACTERS && named.len() <= AREAS_CHARACTERS;
    let areas =
        areas.map_or(Some(Vec::new()), |areas| areas.split(',').map(|area| area.parse().ok()).collect())?;
    fits.then(|| Topic::Screen { name: name.to_owned(), areas })
}

/// Longest name of a bike or table; longer ones are nobody's.
const NAME_CHARACTERS: usize = 64;

impl Topic {
    pub(super) fn parse(name: &str) -> Option<Self> {
        let named = |name: &str| (!name.is_empty() && name.len() <= NAME_CHARACTERS).then(|| name.to_owned());
        match name.split_once('/') {
            None => (name == "fleet").then_some(Self::Fleet),
            Some(("vehicle", car)) => named(car).map(Self::Vehicle),
            Some(("read", table)) => named(table).map(Self::Read),
            Some(("screen", wall)) => screen(wall),
            Some(_) => None,
        }
    }
}

/// Why the server says goodbye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bye {
    SignedOut,
    Expired,
    Disabled,
    ScopeChanged,
    AuthTimeout,
    AuthRefused,
    Draining,
}

impl Bye {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::Expired => "expired",
            Self::Disabled => "disabled",
            Self::ScopeChanged => "scope_changed",
            Self::AuthTimeout => "auth_timeout",
            Self::AuthRefused => "auth_refused",
            Self::Draining => "draining",
        }
    }

    pub(super) const fn close_code(self) -> u16 {
        match self {
            Self::SignedOut | Self::Expired | Self::ScopeChanged | Self::AuthRefused => 4401,
            Self::Disabled => 4403,
            Self::AuthTimeout => 4408,
            Self::Draining => 1012,
        }
    }

    const fn promot(self) -> &'static str {
        match self {
            Self::SignedOut => "登录已失效，请重新登录",
            Self::Expired => "登录已到期，请重新登录",
            Self::Disabled => "账号已停用",
            Self::ScopeChanged => "账号的权限或数据范围已变更，正在重新连接",
            Self::AuthTimeout => "连接后未及时验证身份",
            Self::AuthRefused => "身份验证未通过，请重新登录",
            Self::Draining => "服务正在重启，即将自动重连",
        }
    }

    pub(super) fn frame(self) -> String {
        json!({"op": "bye", "code": self.code(), "promot": self.promot()}).to_string()
    }
}

pub(super) fn ready(time_ms: i64, instance: &str) -> String {
    json!({"op": "ready", "time": time_ms, "instance": instance}).to_string()
}

pub(super) fn pong(time_ms: i64) -> String {
    json!({"op": "pong", "time": time_ms}).to_string()
}

pub(super) fn error(topic: &str, promot: &str) -> String {
    json!({"op": "error", "topic": topic, "promot": promot}).to_string()
}

pub(super) fn watching(topic: &str, seq: i64) -> String {
    json!({"op": "watching", "topic": topic, "seq": seq}).to_string()
}

/// Rows of a table are watched, in which nothing changed for so long.
pub(super) fn watching_rows(topic: &str, quiet: Duration) -> String {
    json!({"op": "watching", "topic": topic, "seq": 0, "quietMs": quiet.as_millis()}).to_string()
}

pub(super) fn who(slot: u32, n: &Value, car_id: Option<&str>) -> String {
    json!({"op": "who", "slot": slot, "n": n, "carId": car_id}).to_string()
}

/// `car_ids` in the order of the question.
pub(super) fn who_all(n: &Value, car_ids: &[Option<String>]) -> String {
    json!({"op": "who", "n": n, "carIds": car_ids}).to_string()
}

pub(super) fn data(topic: &str, seq: i64, time_ms: i64, data: &Value) -> String {
    json!({"topic": topic, "seq": seq, "time": time_ms, "data": data}).to_string()
}

pub(super) fn totals(seq: u32, time_ms: i64, totals: &Totals, picked: Option<u32>) -> String {
    let mut counts = json!({
        "states": totals.states, "shelved": totals.shelved, "rentable": totals.rentable,
        "online": totals.online, "low": totals.low, "alarm": totals.alarm,
    });
    if let Some(picked) = picked {
        counts["picked"] = picked.into();
    }
    data("fleet", i64::from(seq), time_ms, &counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_frames_are_understood() {
        let watch =
            r#"{"op":"watch","topic":"fleet","bbox":[1,2,3,4],"zoom":14,"since":812,"instance":"ab"}"#;
        let said: Said = serde_json::from_str(watch).unwrap();
        let expected = Said::Watch {
            topic: "fleet".into(),
            bbox: Some([1.0, 2.0, 3.0, 4.0]),
            zoom: Some(14.0),
            since: Some(812),
            instance: Some("ab".into()),
            pick: None,
        };
        assert_eq!(said, expected);
        assert_eq!(serde_json::from_str::<Said>(r#"{"op":"ping"}"#).unwrap(), Said::Ping);
        assert!(serde_json::from_str::<Said>(r#"{"op":"shout"}"#).is_err());
        let watch = |pick: &str| {
            serde_json::from_str::<Said>(&format!(r#"{{"op":"watch","topic":"fleet","pick":{pick}}}"#))
        };
        let picked = watch(
            r#"{"areas":["17"],"riding":[1],"operations":[4],"alarms":[2,6],"soc_percent":[0,20],"idle_h":[24,null],"reasons":["offline"],"voltage_schemes":["0","12"]}"#,
        );
        assert!(matches!(picked, Ok(Said::Watch { pick: Some(_), .. })), "{picked:?}");
        for other in [
            r#"{"alarms":[16]}"#,
            r#"{"areas":["north"]}"#,
            r#"{"voltage_schemes":["x"]}"#,
            r#"{"colour":1}"#,
        ] {
            assert!(watch(other).is_err(), "{other}");
        }
    }

    #[test]
    fn topics_have_four_shapes() {
        assert_eq!(Topic::parse("fleet"), Some(Topic::Fleet));
        assert_eq!(Topic::parse("vehicle/K1"), Some(Topic::Vehicle("K1".into())));
        assert_eq!(Topic::parse("read/role"), Some(Topic::Read("role".into())));
        let wall = |areas| Some(Topic::Screen { name: "ops".into(), areas });
        assert_eq!(Topic::parse("screen/ops"), wall(vec![]));
        assert_eq!(Topic::parse("screen/ops/12,15"), wall(vec![AreaId(12), AreaId(15)]));
        let long = format!("screen/ops/{}", vec!["1234567890"; 1_100].join(","));
        for other in
            ["", "fleet/", "vehicle/", "screen", "screen/", "screen/ops/", "screen/ops/a", &long, "read"]
        {
            assert_eq!(Topic::parse(other), None, "{other}");
        }
        assert_eq!(Topic::parse(&format!("vehicle/{}", "x".repeat(65))), None);
    }
}
