//! The product's kernel on a bench's database.

use std::sync::Arc;

use anyhow::Result;
use kernel::{Foundation, MasterKey, PoolSizes, Pools, Runtime};
use vocabulary::{Snowflake, SystemClock};

/// Makes its tables.
pub async fn prepare(url: &str) -> Result<()> {
    let pools = Pools::connect(url, PoolSizes::default()).await?;
    kernel::migrate(&pools.owner).await?;
    pools.close().await;
    Ok(())
}

/// Opens it.
pub async fn runtime(url: &str) -> Result<Runtime> {
    let pools = Pools::connect(url, PoolSizes::default()).await?;
    let ids = Arc::new(Snowflake::new(SystemClock, 1));
    let foundation = Foundation::new(pools, MasterKey::new([7; 32]), Arc::new(SystemClock), ids);
    Ok(Runtime::open(foundation).await?)
}

/// Ends it, with its connections.
pub async fn shut(runtime: &Runtime) {
    runtime.close();
    runtime.pools.close().await;
}
