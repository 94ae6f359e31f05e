//! Moments as queries write them.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use vocabulary::Timestamp;

use crate::{Refused, given};

const DAY_MS: i64 = 86_400_000;
/// Asia/Shanghai, ahead of UTC all year.
const SHANGHAI_MS: i64 = 8 * 3_600_000;

/// Which end of a written second or day is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its first millisecond.
    First,
    /// Its last.
    Last,
}

/// A moment as a query writes it: `YYYY-MM-DD HH:mm:ss` or `YYYY-MM-DD` in Shanghai, or epoch milliseconds.
pub fn moment(name: &str, text: Option<&String>, end: End) -> Result<Option<Timestamp>, Refused> {
    let Some(text) = given(text) else { return Ok(None) };
    let wrong = || Refused::malformed(format!("请求参数 {name} 应为 YYYY-MM-DD HH:mm:ss"));
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Timestamp::from_millis).map(Some).map_err(|_| wrong());
    }
    let second = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").map(|at| (at, 1000));
    let day =
        || NaiveDate::parse_from_str(text, "%Y-%m-%d").map(|day| (day.and_time(NaiveTime::MIN), DAY_MS));
    let (at, lasts_ms) = second.or_else(|_| day()).map_err(|_| wrong())?;
    let begins = at.and_utc().timestamp_millis() - SHANGHAI_MS;
    Ok(Some(Timestamp::from_millis(if end == End::First { begins } else { begins + lasts_ms - 1 })))
}

/// A log is looked through for so many days at a time.
pub const LOG_DAYS: i64 = 31;

/// Whether the time from `from` until `until`, or else until now, is short enough to look through a log or to take it away.
pub fn log_span(from: Option<Timestamp>, until: Option<Timestamp>, now: Timestamp) -> Result<(), Refused> {
    let refused = |text: String| Err(Refused::business("log-span", text));
    let Some(from) = from else {
        return refused(format!("请选择时间范围，最多 {LOG_DAYS} 天"));
    };
    let lasts_ms = until.unwrap_or(now).millis_since(from);
    if lasts_ms > LOG_DAYS * DAY_MS {
        return refused(format!("一次最多查看或导出 {LOG_DAYS} 天的日志，请缩短时间范围"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, end: End) -> Result<Option<Timestamp>, Refused> {
        moment("startTime", Some(&text.to_owned()), end)
    }

    #[test]
    fn a_log_is_asked_for_thirty_one_days_at_most() {
        let day = |days: i64| Timestamp::from_millis(days * DAY_MS);
        assert!(log_span(Some(day(0)), Some(day(31)), day(99)).is_ok());
        assert!(log_span(Some(day(0)), Some(day(31).plus_millis(1)), day(0)).is_err());
        assert!(log_span(Some(day(68)), None, day(99)).is_ok(), "until now");
        assert!(log_span(Some(day(67)), None, day(99)).is_err());
        assert!(log_span(None, Some(day(31)), day(31)).is_err());
    }

    #[test]
    fn a_written_time_is_shanghai_time_and_its_end_is_included() {
        let first = at("2023-11-15 06:13:20", End::First).unwrap().unwrap();
        assert_eq!(first.millis(), 1_700_000_000_000);
        let last = at("2023-11-15 06:13:20", End::Last).unwrap().unwrap();
        assert_eq!(last.millis_since(first), 999);
        let (day, night) = (at("2023-11-15", End::First), at("2023-11-15", End::Last));
        assert_eq!(night.unwrap().unwrap().millis_since(day.unwrap().unwrap()), DAY_MS - 1);
        assert_eq!(at("1700000000000", End::Last).unwrap(), Some(first));
        assert!(at("yesterday", End::First).is_err());
        assert_eq!(at(" ", End::First).unwrap(), None);
    }
}
