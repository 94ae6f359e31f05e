//! Messages of the stream.

use async_trait::async_trait;
use fleet::model::device::About;
use serde::Deserialize;
use vocabulary::Timestamp;

use super::PortError;

/// The stream.
pub const STREAM: &str = "TELEMETRY";
/// What it keeps.
pub const SUBJECTS: [&str; 3] = ["ebike.*.up", "ebike.*.ack", "ebike.*.about"];

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

/// Where goes what devices say they are.
#[async_trait]
pub trait Introductions: Send + Sync + 'static {
    /// The device says what it is. May come twice. Whether such a device is known; an error means that it cannot be kept now, and it
    /// is told again.
    async fn introduced(&self, imei: &str, about: &About) -> Result<bool, PortError>;
}

/// What a subject is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject<'a> {
    Report(&'a str),
    Ack(&'a str),
    About(&'a str),
    Other,
}

impl<'a> Subject<'a> {
    pub(super) fn parse(subject: &'a str) -> Self {
        let mut parts = subject.split('.');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some("ebike"), Some(imei), Some("up"), None) => Self::Report(imei),
            (Some("ebike"), Some(imei), Some("ack"), None) => Self::Ack(imei),
            (Some("ebike"), Some(imei), Some("about"), None) => Self::About(imei),
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

/// What a device says it is, in at most so many bytes.
const ABOUT_BYTES: usize = 1_024;

/// What the device of `imei` says it is; nothing when that is junk.
pub(super) fn about(imei: &str, payload: &[u8]) -> Option<About> {
    #[derive(Deserialize)]
    struct Text {
        model: String,
        firmware: String,
    }
    crate::report::imei(imei)?;
    let text: Text = serde_json::from_slice(Some(payload).filter(|it| it.len() <= ABOUT_BYTES)?).ok()?;
    About::new(text.model, text.firmware)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_reports_acknowledgements_or_neither() {
        assert_eq!(Subject::parse("ebike.860000000000017.up"), Subject::Report("860000000000017"));
        assert_eq!(Subject::parse("ebike.860000000000017.ack"), Subject::Ack("860000000000017"));
        assert_eq!(Subject::parse("ebike.860000000000017.about"), Subject::About("860000000000017"));
        for other in ["ebike.860000000000017.down", "ebike.up", "ebike.1.up.x", "x.1.up", ""] {
            assert_eq!(Subject::parse(other), Subject::Other, "{other}");
        }
    }

    #[test]
    fn a_device_says_what_it_is_in_plain_and_few_letters() {
        let said = |payload: &[u8]| about("860000000000017", payload);
        let known = said(br#"{"model":"WH-EC20","firmware":"1.0.3"}"#).unwrap();
        assert_eq!((&*known.model, &*known.firmware), ("WH-EC20", "1.0.3"));
        assert!(
            said(br#"{"model":"WH-EC20","firmware":"1.0.3","iccid":"8986"}"#).is_some(),
            "more is left out"
        );
        let long = format!(r#"{{"model":"WH-EC20","firmware":"1.0.3","x":"{}"}}"#, "a".repeat(ABOUT_BYTES));
        for other in [
            &b"{}"[..],
            br#"{"model":"WH-EC20"}"#,
            br#"{"model":"","firmware":"1"}"#,
            br#"{"model":"WH EC","firmware":"1"}"#,
            br#"{"model":1,"firmware":"1"}"#,
            b"\xff",
            long.as_bytes(),
        ] {
            assert_eq!(said(other), None);
        }
        assert_eq!(about("17", br#"{"model":"WH-EC20","firmware":"1.0.3"}"#), None);
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
