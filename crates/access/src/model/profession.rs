//! What somebody does in the field (工种). It says whom a task suits and permits nothing: rights come from roles.

use serde::{Deserialize, Serialize};

/// 1 换电员, 2 挪车员, 3 维修员, 4 巡检员, 5 负责人.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i16", into = "i16")]
pub enum Profession {
    /// 换电员.
    BatterySwapper,
    /// 挪车员.
    BikeMover,
    /// 维修员.
    Repairer,
    /// 巡检员.
    Inspector,
    /// 负责人.
    Leader,
}

/// The number is not a profession.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("工种不正确：{0}")]
pub struct NotAProfession(pub i16);

impl From<Profession> for i16 {
    fn from(profession: Profession) -> Self {
        match profession {
            Profession::BatterySwapper => 1,
            Profession::BikeMover => 2,
            Profession::Repairer => 3,
            Profession::Inspector => 4,
            Profession::Leader => 5,
        }
    }
}

impl TryFrom<i16> for Profession {
    type Error = NotAProfession;

    fn try_from(number: i16) -> Result<Self, NotAProfession> {
        match number {
            1 => Ok(Self::BatterySwapper),
            2 => Ok(Self::BikeMover),
            3 => Ok(Self::Repairer),
            4 => Ok(Self::Inspector),
            5 => Ok(Self::Leader),
            other => Err(NotAProfession(other)),
        }
    }
}

impl Profession {
    /// Chinese name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BatterySwapper => "换电员",
            Self::BikeMover => "挪车员",
            Self::Repairer => "维修员",
            Self::Inspector => "巡检员",
            Self::Leader => "负责人",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn professions_are_numbered_one_to_five() {
        let names = ["换电员", "挪车员", "维修员", "巡检员", "负责人"];
        for (number, name) in (1_i16..).zip(names) {
            let profession = Profession::try_from(number).unwrap();
            assert_eq!((i16::from(profession), profession.name()), (number, name));
        }
        for number in [-1, 0, 6] {
            assert_eq!(Profession::try_from(number), Err(NotAProfession(number)));
        }
    }
}
