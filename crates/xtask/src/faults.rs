//! Rounds of faults, as many as are asked for.

use anyhow::Result;

use crate::{packages, shell};

/// The test that plays them.
const TEST: &str = "rounds::whatever_goes_wrong_every_promise_holds";

/// Plays `rounds` rounds, with seeds from `seed` on. The first that fails ends them, with its report.
pub fn faults(rounds: u64, seed: u64) -> Result<()> {
    packages::postgres()?;
    packages::faketime()?;
    // The payment provider is a program of its own.
    shell::run(&mut shell::build_all())?;
    shell::run(
        shell::cargo()
            .args(["test", "--workspace", "--test", "it", "--", "--exact", TEST, "--ignored", "--nocapture"])
            .env("WHEELHOUSE_FAULT_ROUNDS", rounds.to_string())
            .env("WHEELHOUSE_FAULT_SEED", seed.to_string())
            .env("RUST_BACKTRACE", "0"),
    )
}
