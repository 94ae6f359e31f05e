//! Events as `copy … to stdout (format binary)` sends them: the fastest way out of PostgreSQL. What stands in a row is
//! not copied, it stays where it was received.
//!
//! Format: <https://www.postgresql.org/docs/15/sql-copy.html>, "Binary Format". A message holds one row; the first one
//! has the file's header before it, the last one the trailer alone.

use bytes::{Buf, Bytes, TryGetError};
use bytestring::ByteString;
use vocabulary::Timestamp;

use super::{LogError, codec};
use crate::{Position, Recorded};

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
/// In place of a row's number of columns.
const TRAILER: i16 = -1;
/// Position, category, stream id, version, type, schema version, data, meta, recorded at.
const COLUMNS: i16 = 9;
/// 2000-01-01, from which PostgreSQL counts, in microseconds since 1970.
const EPOCH_US: i64 = 946_684_800_000_000;

/// The event of a message; nothing in the last one.
pub(super) fn event(mut message: Bytes) -> Result<Option<Recorded>, LogError> {
    skip_header(&mut message).map_err(malformed)?;
    match message.try_get_i16().map_err(malformed)? {
        TRAILER => return Ok(None),
        COLUMNS => {}
        other => return Err(malformed(format!("{other} columns"))),
    }
    let row = &mut message;
    let position = Position(field(row)?.try_get_i64().map_err(malformed)?);
    let category = text(row)?;
    let stream_id = text(row)?;
    let version = field(row)?.try_get_i64().map_err(malformed)?;
    let stored_type = text(row)?;
    let schema_version = field(row)?.try_get_i16().map_err(malformed)?;
    let data = field(row)?;
    let meta = codec::decode_meta(&stored_type, schema_version, &field(row)?)?;
    let recorded_us = field(row)?.try_get_i64().map_err(malformed)?.saturating_add(EPOCH_US);
    let recorded_at = Timestamp::from_millis(recorded_us.div_euclid(1000));
    Ok(Some(Recorded {
        position,
        category,
        stream_id,
        version,
        stored_type,
        schema_version,
        data,
        meta,
        recorded_at,
    }))
}

/// Signature, flags, and an extension with its length before it.
fn skip_header(message: &mut Bytes) -> Result<(), TryGetError> {
    if message.starts_with(SIGNATURE) {
        message.advance(SIGNATURE.len());
        message.try_get_i32()?;
        let extension = usize::try_from(message.try_get_i32()?).unwrap_or_default();
        message.advance(extension.min(message.len()));
    }
    Ok(())
}

/// The next column, none of which is null.
fn field(row: &mut Bytes) -> Result<Bytes, LogError> {
    let length = row.try_get_i32().map_err(malformed)?;
    match usize::try_from(length) {
        Ok(length) if length <= row.len() => Ok(row.split_to(length)),
        _ => Err(malformed(format!("a column of {length} bytes"))),
    }
}

fn text(row: &mut Bytes) -> Result<ByteString, LogError> {
    ByteString::try_from(field(row)?).map_err(malformed)
}

fn malformed(why: impl std::fmt::Display) -> LogError {
    sqlx::Error::Protocol(format!("a copied row of the log: {why}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Actor;

    /// A row as PostgreSQL sends it.
    fn row(columns: &[&[u8]]) -> Vec<u8> {
        let mut row = i16::try_from(columns.len()).unwrap().to_be_bytes().to_vec();
        for column in columns {
            row.extend(i32::try_from(column.len()).unwrap().to_be_bytes());
            row.extend(*column);
        }
        row
    }

    fn good() -> Vec<u8> {
        row(&[
            &7_i64.to_be_bytes(),
            b"stall",
            "摊位".as_bytes(),
            &2_i64.to_be_bytes(),
            b"stall.opened",
            &1_i16.to_be_bytes(),
            b"{}",
            br#"{"actor":{"kind":"system","name":"test"}}"#,
            &(1_790_000_000_123_456 - EPOCH_US).to_be_bytes(),
        ])
    }

    #[test]
    fn a_row_is_an_event_with_and_without_the_header_before_it() {
        let header = [SIGNATURE, &[0; 4], &2_i32.to_be_bytes(), b"xy", &good()].concat();
        for message in [good(), header] {
            let event = event(message.into()).unwrap().unwrap();
            assert_eq!((event.position, event.version, event.schema_version), (Position(7), 2, 1));
            assert_eq!((&*event.category, &*event.stream_id), ("stall", "摊位"));
            assert_eq!((&*event.stored_type, &*event.data), ("stall.opened", b"{}".as_slice()));
            assert_eq!(event.meta.actor, Actor::System { name: "test".to_owned() });
            assert_eq!(event.recorded_at, Timestamp::from_millis(1_790_000_000_123));
        }
    }

    #[test]
    fn the_trailer_is_no_event() {
        assert!(event(Bytes::from_static(&[0xff, 0xff])).unwrap().is_none());
    }

    #[test]
    fn a_row_that_ends_too_early_is_refused_wherever_it_ends() {
        for length in 0..good().len() {
            assert!(event(good()[..length].to_vec().into()).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn what_is_no_row_of_the_log_is_refused() {
        assert!(event(row(&[b"stall"]).into()).is_err(), "one column");
        let mut null = good();
        null[2..6].copy_from_slice(&(-1_i32).to_be_bytes());
        assert!(event(null.into()).is_err(), "a position that is null");
    }
}
