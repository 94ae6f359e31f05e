//! Lists of bikes, ordered by number byte by byte: an order that an index has, and that a prefix and the next page can
//! be asked of. The operators `~<~` and their like are leakproof, so row-level security does not keep them from the
//! index as it would `like`.

use sqlx::{PgConnection, PgExecutor};
use vocabulary::{COUNT_CAP, Page, Rows};

use super::vehicles::VehicleRow;
use crate::model::device::Imei;
use crate::model::region::Lifecycle;

/// What a number in a list of bikes may be called.
const MAX_KEYWORD: usize = 40;
/// Beyond every character that can follow a prefix.
const LAST: char = char::MAX;

/// Which bikes are looked for by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Named {
    /// All.
    #[default]
    All,
    /// Those whose number begins so.
    Beginning(String),
    /// The one with this device.
    WithDevice(String),
}

impl Named {
    /// What was typed: 15 digits that begin with 86 are a device; all else is the beginning of a number. Refused in
    /// words for the user.
    pub fn typed(keyword: &str) -> Result<Self, &'static str> {
        let keyword = keyword.trim();
        if keyword.chars().count() > MAX_KEYWORD {
            return Err("请输入 1 到 40 位的车辆编号或 IMEI");
        }
        Ok(match Imei::try_from(keyword.to_owned()) {
            _ if keyword.is_empty() => Self::All,
            Ok(_) if keyword.starts_with("86") => Self::WithDevice(keyword.to_owned()),
            _ => Self::Beginning(keyword.to_owned()),
        })
    }

    const fn condition(&self) -> &'static str {
        match self {
            Self::All => "$1::text is null and $2::text is null",
            Self::Beginning(_) => "car_id ~>=~ $1 and car_id ~<=~ $2",
            Self::WithDevice(_) => "imei = $1 and $2::text is null",
        }
    }

    fn bounds(&self) -> (Option<&str>, Option<String>) {
        match self {
            Self::All => (None, None),
            Self::Beginning(prefix) => (Some(prefix), Some(format!("{prefix}{LAST}"))),
            Self::WithDevice(imei) => (Some(imei), None),
        }
    }
}

/// What a list is cut down to.
#[derive(Clone, Debug, Default)]
pub struct VehicleFilter {
    /// By name.
    pub named: Named,
    /// In one of these states of life; none: in any.
    pub lifecycles: Vec<Lifecycle>,
}

/// A page of the bikes in scope that `filter` leaves, by number.
pub async fn page(
    db: &mut PgConnection,
    filter: &VehicleFilter,
    page: Page,
) -> sqlx::Result<Rows<VehicleRow>> {
    let condition = filter.named.condition();
    let (from, to) = filter.named.bounds();
    let lifecycles: Vec<i16> = filter.lifecycles.iter().map(|lifecycle| lifecycle.number()).collect();
    let matching = format!(
        "from read.vehicle where {condition}
         and (cardinality($3::smallint[]) = 0 or lifecycle = any($3))"
    );
    let rows = format!("select * {matching} order by car_id using ~<~ limit $4 offset $5");
    let found = sqlx::query_as(sqlx::AssertSqlSafe(rows))
        .bind(from)
        .bind(&to)
        .bind(&lifecycles)
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(&mut *db)
        .await?;
    let counted = format!("select count(*) from (select {matching} limit $4) matching");
    let counted = sqlx::query_scalar(sqlx::AssertSqlSafe(counted))
        .bind(from)
        .bind(&to)
        .bind(&lifecycles)
        .bind(COUNT_CAP + 1)
        .fetch_one(db)
        .await?;
    Ok(Rows::new(found, counted))
}

/// At most `most` bikes in scope whose numbers follow `after`, by number.
pub async fn following(db: impl PgExecutor<'_>, after: &str, most: i64) -> sqlx::Result<Vec<VehicleRow>> {
    sqlx::query_as("select * from read.vehicle where car_id ~>~ $1 order by car_id using ~<~ limit $2")
        .bind(after)
        .bind(most)
        .fetch_all(db)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_a_device_or_the_beginning_of_a_number() {
        assert_eq!(Named::typed(" "), Ok(Named::All));
        assert_eq!(Named::typed("860000000000001"), Ok(Named::WithDevice("860000000000001".into())));
        for beginning in ["A0", "8600", "123456789012345", "%", "车"] {
            assert_eq!(Named::typed(beginning), Ok(Named::Beginning(beginning.into())));
        }
        assert!(Named::typed(&"A".repeat(41)).is_err());
    }
}
