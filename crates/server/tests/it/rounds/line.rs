//! A line between a node and a server below it, which can be shut, stand still, or be cut at an append.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::plan::When;

/// What PostgreSQL is told by who appends to the log: its `application_name`.
const WRITER: &[u8] = b"wheelhouse writer";
/// ReadyForQuery (PostgreSQL's frontend/backend protocol, message formats): whoever is let in has heard it.
const READY: [u8; 5] = [b'Z', 0, 0, 0, 5];
/// Sync by itself: who takes a connection from a pool asks so whether it lives.
const SYNC: [u8; 5] = [b'S', 0, 0, 0, 4];
const NOT_ARMED: u8 = 0;
const BEFORE: u8 = 1;
const AFTER: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    All,
    /// Connections are there and carry nothing, but that PostgreSQL lives: so what is written next is on its way while they stand
    /// still, and arrives when they carry again.
    Nothing,
    /// There are no connections.
    Nobody,
}

pub struct Line {
    pub port: u16,
    passes: watch::Sender<Passes>,
    cutting: Arc<Cutting>,
}

#[derive(Default)]
struct Cutting {
    armed: AtomicU8,
    cuts: AtomicUsize,
}

impl Cutting {
    /// Whether this is the moment to cut; once.
    fn is_due(&self, when: u8) -> bool {
        let due = self.armed.compare_exchange(when, NOT_ARMED, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if due {
            self.cuts.fetch_add(1, Ordering::SeqCst);
        }
        due
    }
}

impl Line {
    /// In front of `target` (`host:port`).
    pub async fn before(target: &str) -> Self {
        let target: SocketAddr = target.parse().expect("an address");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let (passes, told) = watch::channel(Passes::All);
        let cutting = Arc::new(Cutting::default());
        let theirs = Arc::clone(&cutting);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (mut told, cutting) = (told.clone(), Arc::clone(&theirs));
                tokio::spawn(async move {
                    // Who comes while nothing passes waits, as at a host that does not answer.
                    if told.wait_for(|passes| *passes != Passes::Nothing).await.is_err() {
                        return;
                    }
                    if *told.borrow() == Passes::Nobody {
                        return;
                    }
                    if let Ok(server) = TcpStream::connect(target).await {
                        carry(client, server, told, &cutting).await;
                    }
                });
            }
        });
        Self { port, passes, cutting }
    }

    pub fn let_pass(&self, passes: Passes) {
        self.passes.send_replace(passes);
    }

    /// Cuts the writer's line once.
    pub fn cut_append(&self, when: When) {
        let when = if when == When::Before { BEFORE } else { AFTER };
        self.cutting.armed.store(when, Ordering::SeqCst);
    }

    /// No cut any more; how many there were.
    pub fn cut_no_more(&self) -> usize {
        self.cutting.armed.store(NOT_ARMED, Ordering::SeqCst);
        self.cutting.cuts.load(Ordering::SeqCst)
    }
}

/// Waits while nothing passes; says whether anybody does then.
async fn may_pass(told: &mut watch::Receiver<Passes>) -> bool {
    told.wait_for(|passes| *passes != Passes::Nothing).await.is_ok_and(|passes| *passes == Passes::All)
}

/// Carries bytes until one side ends or the line is shut.
async fn carry(
    mut client: TcpStream,
    mut server: TcpStream,
    mut told: watch::Receiver<Passes>,
    cutting: &Cutting,
) {
    let (mut up, mut down) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let (mut is_writer, mut is_in) = (false, false);
    loop {
        if *told.borrow() == Passes::Nobody {
            return;
        }
        tokio::select! {
            changed = told.changed() => if changed.is_err() { return },
            read = client.read(&mut up) => {
                let bytes = &up[..read.unwrap_or(0)];
                if (bytes != SYNC && !may_pass(&mut told).await) || bytes.is_empty() {
                    return;
                }
                // Who asks for encryption first says who he is only then.
                is_writer |= !is_in && holds(bytes, WRITER);
                if is_writer && is_in && cutting.is_due(BEFORE) {
                    return;
                }
                if server.write_all(bytes).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut down) => {
                let bytes = &down[..read.unwrap_or(0)];
                let lives = bytes.len() == READY.len() + 1 && bytes.starts_with(&READY);
                if (!lives && !may_pass(&mut told).await) || bytes.is_empty() {
                    return;
                }
                if is_writer && is_in && cutting.is_due(AFTER) {
                    return;
                }
                is_in = is_in || holds(bytes, &READY);
                if client.write_all(bytes).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
