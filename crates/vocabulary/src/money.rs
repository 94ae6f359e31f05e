//! Money: whole cents, checked.

use serde::{Deserialize, Serialize};

/// An amount in cents (分). Arithmetic is checked: an overflow is an answer, not a wrong sum.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Cents(pub i64);

/// The text is not an amount in yuan with at most two decimals.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("金额格式不正确：{0}")]
pub struct NotAnAmount(pub String);

impl Cents {
    /// The sum, or nothing when it does not fit.
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or nothing when it does not fit.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// Reads yuan such as `12`, `12.3` or `-0.05`, without floating point.
    pub fn from_yuan(text: &str) -> Result<Self, NotAnAmount> {
        let refused = || NotAnAmount(text.to_owned());
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || !all_digits(whole)
            || !all_digits(part)
            || part.len() > 2
            || digits.ends_with('.')
        {
            return Err(refused());
        }
        let whole: i64 = whole.parse().map_err(|_| refused())?;
        let part: i64 = format!("{part:0<2}").parse().map_err(|_| refused())?;
        let cents = whole.checked_mul(100).and_then(|cents| cents.checked_add(part)).ok_or_else(refused)?;
        Ok(Self(if negative { -cents } else { cents }))
    }
}

impl std::fmt::Display for Cents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yuan_are_read_without_floating_point() {
        assert_eq!(Cents::from_yuan("0.29"), Ok(Cents(29)));
        assert_eq!(Cents::from_yuan("-12.3"), Ok(Cents(-1230)));
        assert_eq!(Cents::from_yuan("7"), Ok(Cents(700)));
    }

    #[test]
    fn what_is_not_an_amount_is_refused() {
        for text in ["", ".", "1.", "1.234", "1,00", "one", "--1", "99999999999999999999"] {
            assert!(Cents::from_yuan(text).is_err(), "{text}");
        }
    }

    #[test]
    fn const_020_amounts_are_whole_cents_in_json() {
        assert_eq!(serde_json::to_string(&Cents(12_345)).unwrap(), "12345");
        assert_eq!(serde_json::from_str::<Cents>("12345").unwrap(), Cents(12_345));
        assert!(serde_json::from_str::<Cents>("123.45").is_err());
    }

    #[test]
    fn amounts_are_shown_with_two_decimals() {
        assert_eq!(Cents(-5).to_string(), "-0.05");
        assert_eq!(Cents(i64::MIN).to_string(), "-92233720368547758.08");
    }

    #[test]
    fn an_overflow_is_no_sum() {
        assert_eq!(Cents(i64::MAX).plus(Cents(1)), None);
    }
}
