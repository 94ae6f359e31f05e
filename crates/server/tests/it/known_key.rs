//! The key of the key exchange, made once for the databases of all tests that share a PostgreSQL: a new one takes a tenth of a second.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Result;
use kernel::MasterKey;
use rand::rngs::OsRng;
use rsa::RsaPrivateKey;
use rsa::pkcs8::EncodePrivateKey as _;
use sqlx::PgPool;
use wire::SealedAtRest;

/// The length that a server of tests has its keys in.
pub const BITS: usize = 2048;
/// What the key is sealed under, and so all else in these databases.
const MASTER: [u8; 32] = [7; 32];

/// Puts the key into a database, sealed.
pub async fn put(owner: PgPool) -> Result<()> {
    let private = RsaPrivateKey::new(&mut OsRng, BITS)?;
    let seal = SealedAtRest::new(&MasterKey::new(MASTER), "authentication.exchange");
    let name = "of-all-tests";
    sqlx::query(
        "insert into authentication.exchange_keys (id, private_sealed, created_at) values ($1, $2, now())",
    )
    .bind(name)
    .bind(seal.seal(name, private.to_pkcs8_der()?.as_bytes()))
    .execute(&owner)
    .await?;
    Ok(())
}

/// Gives a server whose secrets will lie in `state` the master key that opens it.
pub fn be_opened_from(state: &Path) -> Result<()> {
    fs::create_dir(state)?;
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(state.join("master.key"))?;
    Ok(file.write_all(hex::encode(MASTER).as_bytes())?)
}
