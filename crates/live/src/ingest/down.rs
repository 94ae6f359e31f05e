//! Commands down to devices.

use serde_json::Value;

use super::SeamError;

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
    pub async fn send(&self, imei: &str, command: &Value) -> Result<(), SeamError> {
        self.send_bytes(imei, serde_json::to_vec(command)?).await
    }

    /// Sends a command that is bytes already.
    pub async fn send_bytes(&self, imei: &str, payload: Vec<u8>) -> Result<(), SeamError> {
        if crate::report::imei(imei).is_none() {
            return Err(format!("{imei:?} is no device").into());
        }
        self.nats.publish(format!("ebike.{imei}.down"), payload.into()).await?;
        // The commander waits 15 s for the answer: nothing may linger in a buffer meanwhile.
        self.nats.flush().await?;
        Ok(())
    }
}
