//! Commands down to devices.

use std::time::Duration;

use async_nats::connection::State;
use serde_json::Value;

use super::PortError;

/// How long a message may take to the socket.
const PATIENCE: Duration = Duration::from_secs(3);

/// Publishes to devices. A core message: a device that is away does not get a stale one later.
#[derive(Clone, Debug)]
pub struct Downlink {
    nats: async_nats::Client,
}

impl Downlink {
    /// Through `nats`.
    pub const fn new(nats: async_nats::Client) -> Self {
        Self { nats }
    }

    /// Sends `command` to the device. An `imei` that is none, or a lost connection, is an error.
    pub async fn send(&self, imei: &str, command: &Value) -> Result<(), PortError> {
        self.send_bytes(imei, serde_json::to_vec(command)?).await
    }

    /// Sends a command that is bytes already, now or not at all: what cannot leave is an error.
    pub async fn send_bytes(&self, imei: &str, payload: Vec<u8>) -> Result<(), PortError> {
        if crate::report::imei(imei).is_none() {
            return Err(format!("{imei:?} is no device").into());
        }
        // Without a connection the client would keep the message and send it when NATS is back, however old it is then.
        if self.nats.connection_state() != State::Connected {
            return Err("NATS is away".into());
        }
        let handed_over = async {
            self.nats.publish(format!("ebike.{imei}.down"), payload.into()).await?;
            // The commander waits 15 s for the answer: nothing may linger in a buffer meanwhile.
            self.nats.flush().await?;
            Ok(())
        };
        tokio::time::timeout(PATIENCE, handed_over).await.map_err(|_| "NATS takes nothing")?
    }
}
