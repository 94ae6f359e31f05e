//! The one event that every system stores: about 300 bytes of JSON, as a bike's report in a back-office log might be.

use serde::{Deserialize, Serialize};

/// What happened. The type's name is stored apart from it by most systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Which bike: its stream.
    pub bike_id: String,
    pub operator_id: i64,
    pub longitude: f64,
    pub latitude: f64,
    pub soc_percent: i32,
    pub at_ms: i64,
    pub reason: String,
    pub note: String,
}

impl Seen {
    /// The `n`th report of `bike_id`.
    pub fn new(bike_id: &str, n: i64) -> Self {
        Self {
            bike_id: bike_id.to_owned(),
            operator_id: 1_957_000_000_000_000_000 + n % 97,
            longitude: 120.15 + (n % 1000) as f64 / 10_000.0,
            latitude: 30.25 + (n % 777) as f64 / 10_000.0,
            soc_percent: (n % 101) as i32,
            at_ms: 1_790_000_000_000 + n * 1000,
            reason: "moved-by-operator".to_owned(),
            note: "parked across the kerb, moved to the rack at the north gate; lock and lamp checked"
                .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_about_300_bytes() {
        let bytes =
            serde_json::to_vec(&Seen::new("01983b5c-7d0a-7b1e-9f53-3a1d2c4b5e6f", 123)).unwrap().len();
        assert!((270..=330).contains(&bytes), "{bytes}");
    }
}
