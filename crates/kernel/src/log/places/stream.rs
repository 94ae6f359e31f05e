//! Statements as messages of a JetStream stream of their own, which takes no deletion and no purge. A statement's number
//! is its message's sequence.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::{self, ErrorCode, context, stream};
use async_trait::async_trait;

use super::{Place, PlaceError, json, parse};
use crate::log::statement::Statement;

/// The stream, as `nats/streams.json` declares it.
pub const STREAM: &str = "CHECKPOINTS";
/// Its subject.
pub const SUBJECT: &str = "checkpoints.log";

/// The stream as a place.
pub struct Stream {
    js: jetstream::Context,
}

impl Stream {
    /// Through `client`; the stream was made at start.
    pub fn new(client: async_nats::Client) -> Self {
        let mut js = jetstream::new(client);
        js.set_timeout(Duration::from_secs(5));
        Self { js }
    }

    /// Nothing when NATS answers that there is no such stream: then nothing stands in it.
    async fn stream(&self) -> Result<Option<stream::Stream>, PlaceError> {
        match self.js.get_stream(STREAM).await {
            Ok(stream) => Ok(Some(stream)),
            Err(error) => match error.kind() {
                context::GetStreamErrorKind::JetStream(error)
                    if error.error_code() == ErrorCode::STREAM_NOT_FOUND =>
                {
                    Ok(None)
                }
                _ => Err(PlaceError::away(STREAM, error)),
            },
        }
    }
}

#[async_trait]
impl Place for Stream {
    fn name(&self) -> &'static str {
        STREAM
    }

    async fn last(&self) -> Result<u64, PlaceError> {
        Ok(self.stream().await?.map_or(0, |stream| stream.cached_info().state.last_sequence))
    }

    async fn get(&self, number: u64) -> Result<Option<Statement>, PlaceError> {
        let Some(stream) = self.stream().await? else { return Ok(None) };
        fetch(&stream, number).await
    }

    async fn put(&self, statement: &Statement) -> Result<(), PlaceError> {
        let number = statement.number();
        let mut headers = HeaderMap::new();
        headers.insert(async_nats::header::NATS_EXPECTED_LAST_SEQUENCE, (number - 1).to_string());
        headers.insert(async_nats::header::NATS_EXPECTED_STREAM, STREAM);
        let sent =
            async { self.js.publish_with_headers(SUBJECT, headers, json(statement).into()).await?.await };
        let Err(error) = sent.await else { return Ok(()) };
        if error.kind() != context::PublishErrorKind::WrongLastSequence {
            return Err(PlaceError::away(STREAM, error));
        }
        match self.get(number).await? {
            Some(there) if there == *statement => Ok(()),
            Some(_) => Err(PlaceError::occupied(STREAM, number)),
            None => Err(PlaceError::away(STREAM, error)),
        }
    }

    async fn all(&self) -> Result<Vec<Statement>, PlaceError> {
        use futures::{StreamExt, TryStreamExt};
        let Some(stream) = self.stream().await? else { return Ok(Vec::new()) };
        let last = stream.cached_info().state.last_sequence;
        let found: Vec<Option<Statement>> = futures::stream::iter(1..=last)
            .map(|number| fetch(&stream, number))
            .buffered(super::AT_ONCE)
            .try_collect()
            .await?;
        Ok(found.into_iter().flatten().collect())
    }
}

async fn fetch(stream: &stream::Stream, number: u64) -> Result<Option<Statement>, PlaceError> {
    match stream.get_raw_message(number).await {
        Ok(message) => parse(STREAM, number, &message.payload).map(Some),
        Err(error) if error.kind() == stream::RawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(PlaceError::away(STREAM, error)),
    }
}
