//! Lists of bikes, ordered by number byte by byte: an order that an index has, and that a prefix and the next page can
//! be asked of. The operators `~>~` and `^@` are leakproof, so row-level security does not keep them from the index as
//! it would `like`.

use kernel::List;
use kernel::list::Value;
use sqlx::PgExecutor;
use vocabulary::Scope;

use super::vehicles::VehicleRow;
use crate::model::device::Imei;

/// What a number in a list of bikes may be called.
const MAX_KEYWORD: usize = 40;

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
}

/// Bikes in scope that are `named` so, by number.
pub fn list(scope: &Scope, named: &Named) -> List {
    let list = List::new("*", "read.vehicle", "car_id using ~<~")
        .of_agents("agent_id", scope)
        .of_areas("area_id", scope);
    match named {
        Named::All => list,
        Named::Beginning(prefix) => list.starts_with(&["car_id"], Some(prefix)),
        Named::WithDevice(imei) => list.is("imei", Some(imei.as_str())),
    }
}

/// Those that have one of these voltage schemes, if any are given; 0 is none at all.
pub fn with_voltage_schemes(list: List, ids: Vec<i64>) -> List {
    if ids.is_empty() {
        return list;
    }
    let is_none = ids.contains(&0);
    list.matching(
        &["(voltage_scheme_id = any(", ") or voltage_scheme_id is null and ", ")"],
        vec![Value::Numbers(ids), is_none.into()],
    )
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
