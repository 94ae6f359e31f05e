//! The system's secrets: from the environment, or from files that only the owner can read. Missing files are made at
//! first start, so that a demo needs no hands; in production they are put there before.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use payment_port::Secret;
use rand::RngCore;
use rand::rngs::OsRng;

const PAYMENT: &str = "PAYMENT_SECRET";
const PAYMENT_FILE: &str = "payment.secret";

/// Everything secret. Holds bytes; whoever needs one makes its own typed key of it.
pub struct Secrets {
    /// Seals what lies in the database: personal keys, session keys, exchange keys.
    pub master: [u8; 32],
    /// Signs access tokens (Ed25519 seed).
    pub token: [u8; 32],
    /// Signs the log's checkpoints (Ed25519 seed).
    pub checkpoint: [u8; 32],
    /// All device credentials come from it.
    pub device: [u8; 32],
    /// Signs what NATS asks about connections.
    pub nats_issuer: nkeys::KeyPair,
    /// The server's own password at NATS.
    pub nats_password: String,
    /// Signs what the payment provider is asked. The provider knows it too, so a start makes none.
    pub payment: Option<Secret>,
}

impl Secrets {
    /// Reads all, making what is missing under `state_dir`.
    pub fn load(state_dir: &Path) -> Result<Self> {
        fs::create_dir_all(state_dir).with_context(|| format!("cannot create {}", state_dir.display()))?;
        let file = |name: &str| state_dir.join(name);
        Ok(Self {
            master: key("WHEELHOUSE_MASTER_KEY", &file("master.key"))?,
            token: key("WHEELHOUSE_TOKEN_KEY", &file("token.key"))?,
            checkpoint: key("WHEELHOUSE_CHECKPOINT_KEY", &file("checkpoint.key"))?,
            device: key("WHEELHOUSE_DEVICE_KEY", &file("device.key"))?,
            nats_issuer: issuer(&file("nats-issuer.nk"))?,
            nats_password: text("NATS_PASSWORD", &file("nats.password"), || hex::encode(random()))?,
            payment: payment(&file(PAYMENT_FILE))?,
        })
    }

    /// Makes the secret that is shared with a payment provider, unless there is one: for him to be told.
    pub fn make_payment(state_dir: &Path) -> Result<()> {
        text(PAYMENT, &state_dir.join(PAYMENT_FILE), || hex::encode(random())).map(drop)
    }
}

/// New random bytes.
pub fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    OsRng.fill_bytes(&mut bytes);
    bytes
}

fn key(variable: &str, file: &Path) -> Result<[u8; 32]> {
    let text = text(variable, file, || hex::encode(random()))?;
    let mut bytes = [0; 32];
    hex::decode_to_slice(text.trim(), &mut bytes)
        .with_context(|| format!("{variable} or {} must be 64 hexadecimal digits", file.display()))?;
    Ok(bytes)
}

fn issuer(file: &Path) -> Result<nkeys::KeyPair> {
    let seed = text("WHEELHOUSE_NATS_ISSUER", file, || {
        nkeys::KeyPair::new_account().seed().expect("a new pair has its seed")
    })?;
    let pair = nkeys::KeyPair::from_seed(seed.trim()).context("the NATS issuer is not an nkey seed")?;
    ensure!(pair.public_key().starts_with('A'), "the NATS issuer must be an account key");
    Ok(pair)
}

fn payment(file: &Path) -> Result<Option<Secret>> {
    let Some(text) = kept(PAYMENT, file)?.filter(|text| !text.is_empty()) else { return Ok(None) };
    Secret::new(&text).map(Some).with_context(|| format!("{PAYMENT} or {}", file.display()))
}

/// The variable, else the file, else a new value that is written to the file first.
fn text(variable: &str, file: &Path, make: impl FnOnce() -> String) -> Result<String> {
    if let Some(value) = kept(variable, file)? {
        return Ok(value);
    }
    let value = make();
    write_private(file, &value)?;
    Ok(value)
}

/// The variable, else the file.
fn kept(variable: &str, file: &Path) -> Result<Option<String>> {
    if let Ok(value) = std::env::var(variable) {
        return Ok(Some(value));
    }
    match fs::metadata(file) {
        Ok(found) => {
            let mode = found.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                bail!(
                    "{} can be read by others (mode {mode:o}); run: chmod 600 {}",
                    file.display(),
                    file.display()
                );
            }
            fs::read_to_string(file).map(Some).with_context(|| format!("cannot read {}", file.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot look at {}", file.display())),
    }
}

/// Writes a file that only the owner can read, whole or not at all.
pub fn write_private(file: &Path, text: &str) -> Result<()> {
    let draft: PathBuf = file.with_extension("new");
    let mut out = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .with_context(|| format!("cannot write {}", draft.display()))?;
    out.write_all(text.as_bytes())?;
    out.sync_all()?;
    fs::rename(&draft, file).with_context(|| format!("cannot put {} in place", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("wheelhouse-secrets-{name}-{}", hex::encode(&random()[..8])));
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn secrets_are_made_once_and_only_the_owner_reads_them() {
        let dir = scratch("once");
        let first = Secrets::load(&dir).unwrap();
        let second = Secrets::load(&dir).unwrap();
        assert_eq!(first.master, second.master);
        assert_eq!(first.nats_issuer.public_key(), second.nats_issuer.public_key());
        assert!(second.payment.is_none(), "a start makes no secret that somebody else must know");
        Secrets::make_payment(&dir).unwrap();
        let told = fs::read_to_string(dir.join(PAYMENT_FILE)).unwrap();
        Secrets::make_payment(&dir).unwrap();
        assert_eq!(fs::read_to_string(dir.join(PAYMENT_FILE)).unwrap(), told);
        assert!(Secrets::load(&dir).unwrap().payment.is_some());
        for entry in fs::read_dir(&dir).unwrap() {
            assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_payment_secret_that_could_be_guessed_stops_the_start() {
        let dir = scratch("weak");
        write_private(&dir.join(PAYMENT_FILE), "guess").unwrap();
        let refused = format!("{:#}", Secrets::load(&dir).err().unwrap());
        assert!(refused.contains("payment.secret") && !refused.contains("guess"), "{refused}");
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_secret_that_others_can_read_stops_the_start() {
        let dir = scratch("open");
        fs::write(dir.join("master.key"), hex::encode(random())).unwrap();
        fs::set_permissions(dir.join("master.key"), fs::Permissions::from_mode(0o644)).unwrap();
        let refused = Secrets::load(&dir).err().unwrap().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
        fs::remove_dir_all(dir).unwrap();
    }
}
