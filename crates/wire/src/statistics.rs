//! What pages of statistics share: a figure against the time before, and the times that are compared.

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AreaId, Day, Timestamp};

use crate::{End, Refused, given, moment};

/// Areas that are named at most.
const AREAS_MOST: usize = 500;

/// A stretch of time.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct TimeRange {
    /// The first instant, epoch milliseconds.
    pub from: i64,
    /// The end, which is no longer part of it, epoch milliseconds.
    pub until: i64,
}

/// A figure, and what it was in the time before; null where it is not known.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct Figure {
    /// In the time that was asked for.
    #[schema(required)]
    pub now: Option<f64>,
    /// In the time before.
    #[schema(required)]
    pub before: Option<f64>,
}

/// Days of Shanghai that are asked for, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayRange {
    /// The first one.
    pub from: Day,
    /// The last one, today at the latest.
    pub until: Day,
}

impl DayRange {
    /// From the day on that holds `start_time` until the one that holds `end_time`, or today; without a start so many days
    /// as are `usual`, and never more than `most`.
    pub fn asked(
        start_time: Option<&String>,
        end_time: Option<&String>,
        (usual, most): (i64, i64),
        now: Timestamp,
    ) -> Result<Self, Refused> {
        let today = Day::of(now);
        let day = |name, text, end| Ok::<_, Refused>(moment(name, text, end)?.map(Day::of));
        let until = day("endTime", end_time, End::Last)?.unwrap_or(today).min(today);
        let from = day("startTime", start_time, End::First)?.unwrap_or(Day(until.0 - usual + 1));
        if from > until {
            return Err(Refused::malformed("开始时间不能晚于结束时间或今天"));
        }
        if until.0 - from.0 >= most {
            return Err(Refused::malformed(format!("时间范围最多 {most} 天")));
        }
        Ok(Self { from, until })
    }

    /// How many they are.
    pub const fn days(&self) -> i64 {
        self.until.0 - self.from.0 + 1
    }

    /// As many days right before.
    #[must_use]
    pub const fn before(&self) -> Self {
        let days = self.days();
        Self { from: Day(self.from.0 - days), until: Day(self.until.0 - days) }
    }
}

/// Service areas as a query writes them in `opAreaIds`, with commas between.
pub fn area_ids(text: Option<&String>) -> Result<Vec<AreaId>, Refused> {
    let area = |text: &str| {
        text.trim().parse::<AreaId>().map_err(|_| Refused::malformed("请求参数 opAreaIds 格式不正确"))
    };
    let areas = given(text).into_iter().flat_map(|list| list.split(','));
    let areas = areas.map(area).collect::<Result<Vec<_>, _>>()?;
    if areas.len() > AREAS_MOST {
        return Err(Refused::malformed(format!("最多选择 {AREAS_MOST} 个服务区")));
    }
    Ok(areas)
}
