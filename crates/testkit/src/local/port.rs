//! Ports nobody else uses.

use std::net::TcpListener;

use anyhow::{Context, Result};

/// A TCP port on 127.0.0.1 that was free a moment ago.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free TCP port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}

/// Whether `port` can be listened on at 127.0.0.1 right now.
pub fn port_is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}
