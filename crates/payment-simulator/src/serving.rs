//! The simulator as a whole.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::http;
use crate::options::Options;
use crate::provider::Provider;

/// A simulator that runs until this is dropped.
#[derive(Debug)]
pub struct Running {
    /// Where it is, without a slash at the end.
    pub url: String,
    parts: JoinSet<()>,
}

impl Running {
    /// Until a part of it ends by itself, which none does.
    pub async fn ended(&mut self) {
        self.parts.join_next().await;
    }
}

/// Starts it on the present runtime.
pub async fn start(options: &Options) -> Result<Running> {
    let listener = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen on {}", options.listen))?;
    let url = format!("http://{}", listener.local_addr()?);
    let public_url = options.public_url.as_deref().map_or(url.as_str(), |url| url.trim_end_matches('/'));
    let provider = Arc::new(Provider::open(options, public_url.to_owned())?);
    let router = http::router(Arc::clone(&provider));
    let mut parts = JoinSet::new();
    parts.spawn(Arc::clone(&provider).act());
    parts.spawn(provider.tell());
    parts.spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "nothing is served any more");
        }
    });
    Ok(Running { url, parts })
}
