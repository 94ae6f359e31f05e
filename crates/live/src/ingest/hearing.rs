//! What devices say, straight from NATS: at once, and lost where nobody listens.

use futures::StreamExt;

use super::leader::{Ingest, IngestError, every, nats_error};
use super::message::{Ack, SUBJECTS, Subject};
use super::strangers::Strangers;
use crate::ingest::AlarmQueue;
use crate::report::{Refusal, Report};

/// Takes reports into memory for as long as they come. What follows from them goes to `alarms`, if anybody judges.
pub(super) async fn reports(ingest: &Ingest, alarms: Option<&AlarmQueue>) -> Result<(), IngestError> {
    let mut messages = ingest.nats.subscribe(SUBJECTS[0]).await.map_err(nats_error)?;
    let mut judged = Vec::new();
    let mut strangers = Strangers::default();
    let mut look = every(ingest.settings.sweep_every);
    loop {
        tokio::select! {
            message = messages.next() => {
                let Some(message) = message else { return Err(nats_error("the subscription ended")) };
                if let Subject::Report(imei) = Subject::parse(&message.subject)
                    && let Ok(report) = Report::decode(&message.payload)
                {
                    let now = ingest.clock.now();
                    // Counted when it comes from the stream.
                    let taken = ingest.memory.write().take(imei, &report, now, now, &mut judged);
                    if let Err(Refusal::UnknownDevice) = taken {
                        strangers.wait(imei, report, now, now, 0);
                    }
                }
            }
            _ = look.tick() => {
                let now = ingest.clock.now();
                let mut fleet = ingest.memory.write();
                for (imei, said) in strangers.introduced(now, |imei| fleet.slot_of(imei).is_some()) {
                    let _ = fleet.take(&imei, &said.report, said.published, now, &mut judged);
                }
            }
        }
        match alarms {
            Some(alarms) if !judged.is_empty() => alarms.push(judged.drain(..)),
            _ => judged.clear(),
        }
    }
}

/// Tells of answers to commands for as long as they come; from the stream they are told again.
pub(super) async fn answers(ingest: &Ingest) -> Result<(), IngestError> {
    let mut messages = ingest.nats.subscribe(SUBJECTS[1]).await.map_err(nats_error)?;
    while let Some(message) = messages.next().await {
        let Subject::Ack(imei) = Subject::parse(&message.subject) else { continue };
        let Some(ack) = Ack::decode(imei, &message.payload) else { continue };
        if ingest.answers.take(imei, ack.command_id, ack.code) {
            continue;
        }
        if let Err(error) = ingest.acks.acknowledged(&ack.imei, ack.command_id, ack.code, ack.at).await {
            tracing::debug!(error = %error, "a device's answer is told when it comes from the stream");
        }
    }
    Err(nats_error("the subscription ended"))
}

pub(super) fn not_restored(error: &IngestError) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "what bikes said last cannot be read; tried again"
    );
}
