//! How far the log reaches, known at once for appends of this process and within a poll for those of others.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Position;

const POLL_BUSY: Duration = Duration::from_millis(10);
const POLL_IDLE: Duration = Duration::from_millis(50);

/// The log's newest known position.
#[derive(Clone)]
pub struct Tail {
    head: Arc<watch::Sender<i64>>,
}

impl Tail {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self { head: Arc::new(watch::Sender::new(0)) }
    }

    /// The newest known position.
    pub fn head(&self) -> Position {
        Position(*self.head.borrow())
    }

    /// Tells that the log reaches at least `position`.
    pub fn reached(&self, position: Position) {
        self.head.send_if_modified(|head| {
            let further = position.0 > *head;
            *head = position.0.max(*head);
            further
        });
    }

    /// Waits until the log reaches beyond `position`.
    pub async fn beyond(&self, position: Position) -> Position {
        let mut head = self.head.subscribe();
        let reached = head.wait_for(|head| *head > position.0).await.map(|head| *head);
        Position(reached.expect("this tail holds the sender"))
    }

    /// Asks the database how far the log reaches.
    pub async fn refresh(&self, pool: &PgPool) -> sqlx::Result<Position> {
        let head: i64 = sqlx::query_scalar("select position from log.log_head").fetch_one(pool).await?;
        self.reached(Position(head));
        Ok(Position(head))
    }

    /// Looks for appends of other processes until `stop`: often while there are some, every 50 ms while there are none.
    pub async fn poll(self, pool: PgPool, stop: CancellationToken) {
        let mut pause = POLL_BUSY;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
            let before = self.head();
            pause = match self.refresh(&pool).await {
                Ok(head) if head > before => POLL_BUSY,
                Ok(_) => (pause * 2).min(POLL_IDLE),
                Err(error) => {
                    tracing::warn!(error = %error, "the log's head cannot be read");
                    Duration::from_secs(1)
                }
            };
        }
    }
}

impl Default for Tail {
    fn default() -> Self {
        Self::new()
    }
}
