//! What the databases of servers' tests begin with where they share a PostgreSQL: made once, and in each of them from then on. A key of the
//! key exchange takes a tenth of a second, and a machine a process with connections of its own.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kernel::runtime::{Foundation, Runtime};
use kernel::{MasterKey, PoolSizes, Pools};
use rand::rngs::OsRng;
use rsa::RsaPrivateKey;
use rsa::pkcs8::EncodePrivateKey as _;
use sqlx::PgPool;
use vocabulary::{Scope, Snowflake, SystemClock};
use wire::SealedAtRest;

/// The length that a server of tests has its keys in.
pub const BITS: usize = 2048;
/// The machine that may do all that machines do.
pub const MACHINE: (&str, &str) = ("city", "open:territory,open:fleet,open:ride,open:rider,open:feeds");
/// What secrets in these databases are sealed under.
const MASTER: [u8; 32] = [7; 32];
const SIZES: PoolSizes = PoolSizes { owner: 1, app: 1, projector: 1, feed: 1 };

/// Puts it into a database that was just migrated.
pub async fn put(url: String) -> Result<()> {
    // What a system leaves running ends with the threads it runs on, and so do its connections.
    let alone = move || tokio::runtime::Runtime::new()?.block_on(put_in(&url));
    tokio::task::spawn_blocking(alone).await?
}

async fn put_in(url: &str) -> Result<()> {
    let pools = Pools::connect(url, SIZES).await?;
    key(&pools.owner).await?;
    let ids = Arc::new(Snowflake::new(SystemClock, 902));
    let foundation = Foundation::new(pools.clone(), MasterKey::new(MASTER), Arc::new(SystemClock), ids);
    let runtime = Runtime::open(foundation).await?;
    let codes: Vec<&str> = MACHINE.1.split(',').collect();
    let token = access::add_machine(&runtime, MACHINE.0, &codes, Scope::ALL).await?.token;
    sqlx::raw_sql("create schema tests; create table tests.machine (token text not null)")
        .execute(&pools.owner)
        .await?;
    sqlx::query("insert into tests.machine values ($1)").bind(token).execute(&pools.owner).await?;
    Ok(())
}

async fn key(owner: &PgPool) -> Result<()> {
    let private = RsaPrivateKey::new(&mut OsRng, BITS)?;
    let seal = SealedAtRest::new(&MasterKey::new(MASTER), "authentication.exchange");
    let name = "of-all-tests";
    sqlx::query(
        "insert into authentication.exchange_keys (id, private_sealed, created_at) values ($1, $2, now())",
    )
    .bind(name)
    .bind(seal.seal(name, private.to_pkcs8_der()?.as_bytes()))
    .execute(owner)
    .await?;
    Ok(())
}

/// The token of the machine that is in a database from its beginning.
pub async fn token(owner: &PgPool) -> sqlx::Result<String> {
    sqlx::query_scalar("select token from tests.machine").fetch_one(owner).await
}

/// Gives a server whose secrets will lie in `state` the master key that opens it.
pub fn be_opened_from(state: &Path) -> Result<()> {
    fs::create_dir(state)?;
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(state.join("master.key"))?;
    Ok(file.write_all(hex::encode(MASTER).as_bytes())?)
}
