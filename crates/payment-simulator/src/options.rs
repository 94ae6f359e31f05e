//! What the simulator can be told.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser};
use payment_port::{Secret, Signer};

/// A payer that begins so never has money, however lucky.
pub const POOR_PAYER: &str = "poor-";

/// A payment provider for development: speaks the protocol of docs/payment-port.md, moves no money.
#[derive(Clone, Debug, Parser)]
#[command(name = "payment-simulator", version)]
pub struct Options {
    /// Address and port.
    #[arg(long, env = "PAYMENT_SIMULATOR_LISTEN", default_value = "127.0.0.1:8090")]
    pub listen: SocketAddr,
    /// How payers' browsers reach it; left out: the address that it listens on.
    #[arg(long, env = "PAYMENT_SIMULATOR_URL")]
    pub public_url: Option<String>,
    /// File that keeps everything; made when it is not there. It is held by one process at a time.
    #[arg(long, env = "PAYMENT_SIMULATOR_STATE")]
    pub state_file: PathBuf,
    /// The merchant that may ask.
    #[arg(long, env = "PAYMENT_MERCHANT")]
    pub merchant: String,
    /// The merchant's secret, at least 32 bytes; never as an argument, which others on the machine could see.
    #[arg(skip)]
    pub secret: Option<Secret>,
    /// File that holds the secret, where PAYMENT_SECRET is not set; readable by the owner alone.
    #[arg(long)]
    pub secret_file: Option<PathBuf>,
    /// Payments that are kept at most; beyond, the oldest that ended are forgotten.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=5_000_000))]
    pub most: u32,
    /// What goes wrong.
    #[command(flatten)]
    pub mishaps: Mishaps,
}

/// What goes wrong, and how long things take.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Mishaps {
    /// Nothing goes wrong, and nothing takes longer than a tenth of a second.
    #[arg(long)]
    pub lucky: bool,
    /// What happens to a number follows from it and the seed alone.
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// Of payments that were agreed to beforehand, percent for which there is no money.
    #[arg(long, default_value_t = 3, value_parser = percent())]
    pub poor_percent: u8,
    /// Of refunds, percent that cannot be given back.
    #[arg(long, default_value_t = 1, value_parser = percent())]
    pub refund_refused_percent: u8,
    /// Of notices, percent that come twice.
    #[arg(long, default_value_t = 5, value_parser = percent())]
    pub twice_percent: u8,
    /// Of notices, percent that come late.
    #[arg(long, default_value_t = 2, value_parser = percent())]
    pub late_percent: u8,
    /// Of notices, percent that never come.
    #[arg(long, default_value_t = 1, value_parser = percent())]
    pub lost_percent: u8,
    /// A late notice comes so much later, milliseconds.
    #[arg(long, default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(..=3_600_000))]
    pub late_ms: u32,
    /// A notice takes up to this, milliseconds.
    #[arg(long, default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(..=60_000))]
    pub notice_ms: u32,
    /// A payment that was agreed to takes up to this, milliseconds.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(..=600_000))]
    pub agreed_ms: u32,
    /// A refund takes up to this, milliseconds.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(..=3_600_000))]
    pub refund_ms: u32,
    /// The pause before a notice that was not taken comes again, milliseconds; each further one is three times as long.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub pause_ms: u32,
    /// How often a notice is sent at most.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=12))]
    pub tries: u8,
}

fn percent() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(..=100)
}

impl Mishaps {
    /// None, for tests.
    pub fn lucky() -> Self {
        Self {
            lucky: true,
            seed: 7,
            poor_percent: 0,
            refund_refused_percent: 0,
            twice_percent: 0,
            late_percent: 0,
            lost_percent: 0,
            late_ms: 0,
            notice_ms: 100,
            agreed_ms: 100,
            refund_ms: 100,
            pause_ms: 100,
            tries: 8,
        }
    }

    /// As they are asked for.
    #[must_use]
    pub fn settled(&self) -> Self {
        if self.lucky { Self { seed: self.seed, ..Self::lucky() } } else { self.clone() }
    }

    /// How long after the `sent`-th time a notice that was not taken is sent again; nothing after the last.
    pub fn pause_ms(&self, sent: u8) -> Option<i64> {
        let factor = 3_i64.pow(u32::from(sent.clamp(1, 12)) - 1);
        (sent < self.tries).then(|| i64::from(self.pause_ms) * factor)
    }
}

impl Options {
    /// Takes the secret from PAYMENT_SECRET or the file.
    pub fn with_secret(mut self) -> Result<Self> {
        let told = std::env::var("PAYMENT_SECRET").ok().filter(|secret| !secret.is_empty());
        let told = match (told, &self.secret_file) {
            (Some(secret), _) => secret,
            (None, Some(file)) => private(file)?,
            (None, None) => anyhow::bail!("set PAYMENT_SECRET, or name its file with --secret-file"),
        };
        self.secret = Some(Secret::new(&told)?);
        Ok(self)
    }

    /// Who signs, for the one merchant.
    pub fn signer(&self) -> Result<Signer> {
        let secret = self.secret.clone().context("there is no secret")?;
        Signer::new(&self.merchant, secret).context("a merchant's name has 1 to 64 letters, digits, - or _")
    }
}

/// The content of a file that nobody else can read.
fn private(file: &Path) -> Result<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file)
        .with_context(|| format!("cannot look at {}", file.display()))?
        .permissions()
        .mode();
    let by_others = mode & 0o077;
    ensure!(
        by_others == 0,
        "{} can be read by others (mode {:o}); run: chmod 600 {}",
        file.display(),
        mode & 0o777,
        file.display()
    );
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let mishaps = Mishaps { pause_ms: 100, tries: 4, ..Mishaps::lucky() };
        let pauses: Vec<Option<i64>> = (1..=5).map(|sent| mishaps.pause_ms(sent)).collect();
        assert_eq!(pauses, [Some(100), Some(300), Some(900), None, None]);
    }

    #[test]
    fn luck_is_nothing_that_goes_wrong_whatever_else_is_asked() {
        let words =
            ["x", "--merchant", "m", "--state-file", "s", "--lucky", "--lost-percent", "100", "--seed", "9"];
        let options = Options::parse_from(words);
        assert_eq!(options.mishaps.settled(), Mishaps { seed: 9, ..Mishaps::lucky() });
        assert_eq!(options.listen.ip().to_string(), "127.0.0.1", "nobody from elsewhere unless told so");
        let usual = Options::parse_from(&words[..5]).mishaps.settled();
        assert_eq!(
            (usual.twice_percent, usual.late_percent, usual.lost_percent, usual.poor_percent),
            (5, 2, 1, 3)
        );
    }

    #[test]
    fn a_secret_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let file = std::env::temp_dir().join(format!("payment-secret-{}", std::process::id()));
        std::fs::write(&file, "x".repeat(32)).unwrap();
        for (mode, taken) in [(0o644, false), (0o600, true)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(private(&file).is_ok(), taken, "{mode:o}");
        }
        std::fs::remove_file(file).unwrap();
    }
}
