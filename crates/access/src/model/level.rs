//! Tiers of staff and the mask of an operator's. What one may do comes from roles; of their codes some are kept from
//! some tiers (`Permission::level_mask`).

use serde::{Deserialize, Serialize};

/// A tier: 1 管理员, 2 运营, 4 运维, 8 生产.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Tier {
    /// 管理员.
    Administration,
    /// 运营.
    Operations,
    /// 运维.
    Maintenance,
    /// 生产.
    Production,
}

/// The number is not a tier or not a mask of tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("权限级别不正确：{0}")]
pub struct NotALevel(pub i64);

impl From<Tier> for u8 {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Administration => 1,
            Tier::Operations => 2,
            Tier::Maintenance => 4,
            Tier::Production => 8,
        }
    }
}

impl TryFrom<u8> for Tier {
    type Error = NotALevel;

    fn try_from(number: u8) -> Result<Self, NotALevel> {
        match number {
            1 => Ok(Self::Administration),
            2 => Ok(Self::Operations),
            4 => Ok(Self::Maintenance),
            8 => Ok(Self::Production),
            other => Err(NotALevel(other.into())),
        }
    }
}

impl Tier {
    /// Chinese name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Administration => "管理员",
            Self::Operations => "运营",
            Self::Maintenance => "运维",
            Self::Production => "生产",
        }
    }
}

/// The tiers of an operator, one or more: 1 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Level(u8);

impl Level {
    /// All tiers.
    pub const ALL: Self = Self(15);

    /// As a number.
    pub const fn mask(self) -> u8 {
        self.0
    }

    /// Whether its highest tier is above the highest of `other`: 管理员 above 运营 above 运维 above 生产.
    pub const fn is_above(self, other: Self) -> bool {
        self.0.trailing_zeros() < other.0.trailing_zeros()
    }

    /// The tiers of both.
    #[must_use]
    pub const fn join(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Chinese names of its tiers.
    pub fn names(self) -> Vec<&'static str> {
        [Tier::Administration, Tier::Operations, Tier::Maintenance, Tier::Production]
            .into_iter()
            .filter(|tier| self.0 & u8::from(*tier) != 0)
            .map(Tier::name)
            .collect()
    }
}

impl From<Tier> for Level {
    fn from(tier: Tier) -> Self {
        Self(tier.into())
    }
}

impl TryFrom<i64> for Level {
    type Error = NotALevel;

    fn try_from(mask: i64) -> Result<Self, NotALevel> {
        match u8::try_from(mask) {
            Ok(mask @ 1..=15) => Ok(Self(mask)),
            _ => Err(NotALevel(mask)),
        }
    }
}

impl From<Level> for i64 {
    fn from(level: Level) -> Self {
        level.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perm_001_to_004_tiers_are_1_2_4_and_8() {
        let tiers = [(1, "管理员"), (2, "运营"), (4, "运维"), (8, "生产")];
        for (number, name) in tiers {
            let tier = Tier::try_from(number).unwrap();
            assert_eq!((u8::from(tier), tier.name()), (number, name));
        }
        assert!(Tier::try_from(3).is_err());
    }

    #[test]
    fn the_highest_tier_decides_which_level_is_above_which() {
        let level = |mask| Level::try_from(mask).unwrap();
        for (high, low) in [(1, 2), (2, 4), (4, 8), (15, 14), (3, 2), (10, 4)] {
            assert!(level(high).is_above(level(low)) && !level(low).is_above(level(high)), "{high} {low}");
        }
        assert!(!level(3).is_above(level(1)) && !level(1).is_above(level(15)), "the same highest tier");
    }

    #[test]
    fn an_operator_may_combine_tiers_and_values_outside_1_to_15_are_refused() {
        assert_eq!(Level::try_from(3).unwrap().names(), ["管理员", "运营"]);
        for mask in [0, 16, -1, 256 + 1] {
            assert_eq!(Level::try_from(mask), Err(NotALevel(mask)));
        }
    }
}
