//! Messages to riders' phones, by the gateway that sends the codes of the sign-in.

use std::sync::Arc;

use access::SmsGateway;
use async_trait::async_trait;
use riding::ports::{Messages, PortError};
use vocabulary::Phone;

/// By SMS.
pub struct MessagesBySms(pub Arc<dyn SmsGateway>);

#[async_trait]
impl Messages for MessagesBySms {
    async fn send(&self, phone: &Phone, text: &str) -> Result<(), PortError> {
        Ok(self.0.send_text(phone, text).await?)
    }
}
