//! Messages of the stream.

use async_trait::async_trait;
use serde::Deserialize;
use vocabulary::Timestamp;

use super::PortError;

/// The stream.
pub const STREAM: &str = "TELEMETRY";
/// What it keeps.
pub const SUBJECTS: [&str; 2] = ["ebike.*.up", "ebike.*.ack"];

/// Where acknowledgements of device commands go.
#[async_trait]
pub trait CommandAcks: Send + Sync + 'static {
    /// The device answered. May come twice, late, or for a command nobody knows: all of that is `Ok`. An error means that
    /// it cannot be kept now; it is told again.
    async fn acknowledged(
        &self,
        imei: &str,
        command_id: i64,
        code: i32,
        at: Timestamp,
    ) -> Result<(), PortError>;
}

/// What a subject is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject<'a> {
    Report(&'a str),
    Ack(&'a str),
    Other,
}

impl<'a> Subject<'a> {
    pub(super) fn parse(subject: &'a str) -> Self {
        let mut parts = subject.split('.');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some("ebike"), Some(imei), Some("up"), None) => Self::Report(imei),
            (Some("ebike"), Some(imei), Some("ack"), None) => Self::Ack(imei),
            _ => Self::Other,
        }
    }
}

/// A device's answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ack {
    pub(super) imei: String,
    pub(super) command_id: i64,
    pub(super) code: i32,
    pub(super) at: Timestamp,
}

impl Ack {
    /// Nothing when it is none.
    pub(super) fn decode(imei: &str, payload: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Text {
            id: String,
            code: i32,
            at: i64,
        }
        crate::report::imei(imei)?;
        let text: Text = serde_json::from_slice(payload).ok()?;
        let command_id = text.id.parse().ok()?;
        Some(Self { imei: imei.to_owned(), command_id, code: text.code, at: Timestamp::from_millis(text.at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_reports_acknowledgements_or_neither() {
        assert_eq!(Subject::parse("ebike.860000000000017.up"), Subject::Report("860000000000017"));
        assert_eq!(Subject::parse("ebike.860000000000017.ack"), Subject::Ack("860000000000017"));
        for other in ["ebike.860000000000017.down", "ebike.up", "ebike.1.up.x", "x.1.up", ""] {
            assert_eq!(Subject::parse(other), Subject::Other, "{other}");
        }
    }

    #[test]
    fn an_acknowledgement_names_its_command_by_text() {
        let payload = br#"{"id":"123456789012345678","code":132,"at":1700000000000}"#;
        let ack = Ack::decode("860000000000017", payload).unwrap();
        assert_eq!((ack.command_id, ack.code), (123_456_789_012_345_678, 132));
        for other in [&b"{}"[..], br#"{"id":"x","code":0,"at":1}"#, b"\xff"] {
            assert_eq!(Ack::decode("860000000000017", other), None);
        }
        assert_eq!(Ack::decode("17", payload), None);
    }
}
