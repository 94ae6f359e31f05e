//! What stands out in revenue (异常): more goes back than usual, or nothing comes in. Pure.

use serde::Serialize;
use utoipa::ToSchema;

/// Days before today that say what is usual.
pub(super) const USUAL_DAYS: i64 = 7;
/// Refunds stand out that are so many times what a whole usual day gives back…
const TIMES: i64 = 3;
/// …and this much at least, cents.
const REFUNDS_LEAST_CENTS: i64 = 10_000;
/// Nothing came in for an hour in which this much came a week ago and yesterday, cents.
const HOUR_LEAST_CENTS: i64 = 1_000;

/// Something that stands out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(super) enum Surge {
    /// 退款突增.
    #[serde(rename_all = "camelCase")]
    Refunds {
        /// 退款 of today.
        today_cents: i64,
        /// On average of the seven days before.
        usual_cents: i64,
    },
    /// 停收.
    #[serde(rename_all = "camelCase")]
    Silence {
        /// The hour that is over, 0 to 23.
        hour: usize,
        /// What came in in that hour yesterday.
        yesterday_cents: i64,
        /// And a week ago.
        last_week_cents: i64,
    },
}

/// Refunds of today against those of the days before.
pub(super) fn refunds(today_cents: i64, before: &[i64]) -> Option<Surge> {
    let usual_cents = before.iter().sum::<i64>() / USUAL_DAYS;
    let stands_out = today_cents >= REFUNDS_LEAST_CENTS && today_cents > usual_cents.saturating_mul(TIMES);
    stands_out.then_some(Surge::Refunds { today_cents, usual_cents })
}

/// Whether nothing came in during the last whole hour, in which it did on the days that today is compared with.
pub(super) fn silence(over: usize, today: &[i64], yesterday: &[i64], last_week: &[i64]) -> Option<Surge> {
    let hour = over.checked_sub(1)?;
    let [now, yesterday_cents, last_week_cents] =
        [today, yesterday, last_week].map(|hours| hours.get(hour).copied().unwrap_or(0));
    let usual = yesterday_cents >= HOUR_LEAST_CENTS && last_week_cents >= HOUR_LEAST_CENTS;
    (usual && now == 0).then_some(Surge::Silence { hour, yesterday_cents, last_week_cents })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refunds_stand_out_beyond_three_usual_days_and_never_for_small_change() {
        let usual = [7_000; 7];
        assert_eq!(refunds(21_000, &usual), None);
        let found = refunds(21_001, &usual);
        assert_eq!(found, Some(Surge::Refunds { today_cents: 21_001, usual_cents: 7_000 }));
        assert_eq!(refunds(9_999, &[]), None);
        assert!(refunds(10_000, &[]).is_some(), "days without refunds count as such");
    }

    #[test]
    fn an_hour_without_receipts_stands_out_where_both_other_days_had_some() {
        let (some, none) = ([0, 2_000, 2_000], [0, 0, 0]);
        let found = Surge::Silence { hour: 1, yesterday_cents: 2_000, last_week_cents: 2_000 };
        assert_eq!(silence(2, &none, &some, &some), Some(found));
        assert_eq!(silence(2, &none, &some, &none), None);
        assert_eq!(silence(2, &some, &some, &some), None);
        assert_eq!(silence(1, &none, &some, &some), None, "nobody pays in that hour");
        assert_eq!(silence(0, &none, &some, &some), None, "no hour is over");
    }
}
