//! One connection's bytes: a reader that takes nothing is given up, and the end waits for what is still on its way.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::shares::Place;

/// A client that was refused in the middle of its body has this long to read why and to stop sending.
const FAREWELL: Duration = Duration::from_secs(15);
/// One that sends nothing for this long is not waited for.
const FAREWELL_PAUSE: Duration = Duration::from_secs(2);
/// What it sends meanwhile is read and thrown away, up to so many bytes: a file somewhat longer than allowed ends within.
const FAREWELL_BYTES: usize = 32 * 1024 * 1024;

/// The place that a connection takes up: one of the connections, and after an upgrade one of the websockets.
#[derive(Debug)]
pub(crate) struct Slot(Mutex<Place>);

impl Slot {
    pub fn new(place: Place) -> Arc<Self> {
        Arc::new(Self(Mutex::new(place)))
    }

    /// Gives the place back and holds this one.
    pub fn becomes(&self, place: Place) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}

/// A connection that holds its slot until it ends, upgraded or not.
pub(crate) struct Line {
    stream: TcpStream,
    stall: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    farewell: Option<Farewell>,
    _slot: Arc<Slot>,
}

struct Farewell {
    end: Instant,
    until: Pin<Box<Sleep>>,
    left_bytes: usize,
}

impl Farewell {
    fn new() -> Self {
        let end = Instant::now() + FAREWELL;
        Self { end, until: Box::pin(sleep(FAREWELL_PAUSE)), left_bytes: FAREWELL_BYTES }
    }

    /// So much came, and was thrown away.
    fn came(&mut self, bytes: usize) {
        self.left_bytes = self.left_bytes.saturating_sub(bytes);
        self.until.as_mut().reset(self.end.min(Instant::now() + FAREWELL_PAUSE));
    }
}

impl Line {
    /// `stall` is how long the client may take not a single byte of an answer.
    pub fn new(stream: TcpStream, slot: Arc<Slot>, stall: Duration) -> Self {
        Self { stream, stall, stalled: None, farewell: None, _slot: slot }
    }

    /// Gives up when a write has been pending for too long.
    fn patient<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.patient(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.patient(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.patient(cx, flushed)
    }

    /// Says that nothing more comes, then reads what the client still sends: closing with bytes unread would reset the
    /// connection, and the client might never read the answer.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.farewell.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let farewell = this.farewell.get_or_insert_with(Farewell::new);
        let mut thrown_away = [0; 8 * 1024];
        while farewell.left_bytes > 0 && farewell.until.as_mut().poll(cx).is_pending() {
            let mut into = ReadBuf::new(&mut thrown_away);
            if ready!(Pin::new(&mut this.stream).poll_read(cx, &mut into)).is_err()
                || into.filled().is_empty()
            {
                break;
            }
            farewell.came(into.filled().len());
        }
        Poll::Ready(Ok(()))
    }
}
