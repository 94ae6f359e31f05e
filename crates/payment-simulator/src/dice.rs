//! What happens to a number: thrown from the seed and the number alone, so that neither a restart nor the order in which things
//! are asked changes it.

use payment_port::{PaymentOrder, Refusal};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use crate::options::{Mishaps, POOR_PAYER};

fn dice(seed: u64, purpose: &str, number: &str) -> ChaCha8Rng {
    let digest = Sha256::digest(format!("{seed}\n{purpose}\n{number}"));
    ChaCha8Rng::from_seed(digest.into())
}

fn happens(dice: &mut ChaCha8Rng, percent: u8) -> bool {
    dice.gen_range(0..100) < percent
}

/// How something ends, and after how many milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// From when it is asked for.
    pub after_ms: i64,
    /// Nothing when it is done.
    pub refusal: Option<Refusal>,
}

impl Mishaps {
    /// Of a payment that the payer agreed to beforehand.
    pub fn of_agreed(&self, order: &PaymentOrder) -> Fate {
        let mut dice = dice(self.seed, "agreed", order.trade_no.as_str());
        let after_ms = dice.gen_range(0..=i64::from(self.agreed_ms));
        let poor = order.payer.starts_with(POOR_PAYER) || happens(&mut dice, self.poor_percent);
        Fate { after_ms, refusal: poor.then(|| Refusal::new("insufficient", "余额不足")) }
    }

    /// Of a refund.
    pub fn of_refund(&self, refund_no: &str) -> Fate {
        let mut dice = dice(self.seed, "refund", refund_no);
        let after_ms = dice.gen_range(0..=i64::from(self.refund_ms));
        let gone = happens(&mut dice, self.refund_refused_percent);
        Fate {
            after_ms,
            refusal: gone.then(|| Refusal::new("account-closed", "原支付账户已注销，无法原路退回")),
        }
    }

    /// After how many milliseconds a notice is sent, and perhaps once more; empty when it is lost.
    pub fn of_notice(&self, notice_id: &str) -> Vec<i64> {
        let mut dice = dice(self.seed, "notice", notice_id);
        let first = dice.gen_range(0..=i64::from(self.notice_ms));
        let second = first + dice.gen_range(0..=i64::from(self.notice_ms));
        let (lost, late, twice) = (self.lost_percent, self.late_percent, self.twice_percent);
        if happens(&mut dice, lost) {
            return Vec::new();
        }
        let later = if happens(&mut dice, late) { i64::from(self.late_ms) } else { 0 };
        let mut times = vec![first + later];
        if happens(&mut dice, twice) {
            times.push(second + later);
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of how many of 10,000 notices something is true.
    fn counted(mishaps: &Mishaps, of: impl Fn(&[i64]) -> bool) -> usize {
        (0..10_000).filter(|number| of(&mishaps.of_notice(&format!("N{number}")))).count()
    }

    #[test]
    fn mishaps_are_as_frequent_as_they_are_said_to_be() {
        let usual = Mishaps {
            lucky: false,
            twice_percent: 5,
            late_percent: 2,
            lost_percent: 1,
            late_ms: 60_000,
            notice_ms: 3_000,
            ..Mishaps::lucky()
        };
        let (lost, late, twice) = (
            counted(&usual, <[i64]>::is_empty),
            counted(&usual, |times| times.first().is_some_and(|first| *first >= 60_000)),
            counted(&usual, |times| times.len() == 2),
        );
        assert!((60..=140).contains(&lost), "{lost}");
        assert!((140..=260).contains(&late), "{late}");
        assert!((400..=600).contains(&twice), "{twice}");
    }

    #[test]
    fn luck_loses_nothing_and_a_number_has_one_fate() {
        let lucky = Mishaps::lucky();
        assert_eq!(counted(&lucky, |times| times.len() == 1 && times[0] <= 100), 10_000);
        assert_eq!(lucky.of_refund("R1"), lucky.of_refund("R1"));
        let other = Mishaps { seed: 8, ..Mishaps::lucky() };
        assert!((0..20).any(|n| other.of_notice(&n.to_string()) != lucky.of_notice(&n.to_string())));
    }
}
