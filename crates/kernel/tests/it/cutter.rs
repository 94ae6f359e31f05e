//! A line to PostgreSQL that can be cut at the worst moment. Only writers' connections are disturbed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

/// Stands between writers and PostgreSQL, and does what it was told to.
pub struct Cutter {
    /// Lead through it.
    pub options: PgConnectOptions,
    orders: Arc<Orders>,
}

#[derive(Default)]
struct Orders {
    /// Answers to pass on before the line is cut instead of passing on one more; 0: it is not cut.
    cut_after: AtomicUsize,
    cuts: AtomicUsize,
    /// Connections that are answered like somebody who may not come in.
    refusals: AtomicUsize,
    refused: AtomicUsize,
    /// The next request is held back and the writer's side cut.
    hold: AtomicBool,
    held: Notify,
    release: Notify,
    arrived: Notify,
    /// Nobody comes through.
    shut: AtomicBool,
}

const WRITER: &[u8] = b"wheelhouse writer";

impl Cutter {
    /// In front of the server of `options`.
    pub async fn before(options: PgConnectOptions) -> Self {
        let target = (options.get_host().to_owned(), options.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let orders = Arc::new(Orders::default());
        let theirs = orders.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&target).await.unwrap();
                tokio::spawn(carry(client, server, theirs.clone()));
            }
        });
        Self { options: options.host("127.0.0.1").port(port), orders }
    }

    /// Cuts the line at the next answer: the statement is done and nobody is told.
    pub fn arm(&self) {
        self.arm_after(0);
    }

    /// Cuts the line at the answer after `answers` more.
    pub fn arm_after(&self, answers: usize) {
        self.orders.cut_after.store(answers + 1, Ordering::SeqCst);
    }

    /// How often the line was cut at an answer.
    pub fn cuts(&self) -> usize {
        self.orders.cuts.load(Ordering::SeqCst)
    }

    /// Answers the next `times` connections with SQLSTATE 28000.
    pub fn refuse(&self, times: usize) {
        self.orders.refusals.store(times, Ordering::SeqCst);
    }

    /// How many connections were refused.
    pub fn refused(&self) -> usize {
        self.orders.refused.load(Ordering::SeqCst)
    }

    /// Holds the next request back and cuts the line to the writer.
    pub fn hold(&self) {
        self.orders.hold.store(true, Ordering::SeqCst);
    }

    /// Waits until a request is held.
    pub async fn held(&self) {
        self.orders.held.notified().await;
    }

    /// Lets the request that was held go on to PostgreSQL, and waits for an answer or the end of the connection.
    pub async fn release(&self) {
        self.orders.release.notify_one();
        self.orders.arrived.notified().await;
    }

    /// Lets nobody through, or everybody again.
    pub fn shut(&self, shut: bool) {
        self.orders.shut.store(shut, Ordering::SeqCst);
    }
}

enum Order {
    Refuse,
    Hold,
}

async fn carry(client: TcpStream, server: TcpStream, orders: Arc<Orders>) {
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, to_server) = server.into_split();
    let of_writer = Arc::new(AtomicBool::new(false));
    let (order, mut ordered) = mpsc::channel(1);
    let asking = tokio::spawn(ask(from_client, to_server, orders.clone(), of_writer.clone(), order));
    let mut bytes = vec![0; 64 << 10];
    loop {
        let read = tokio::select! {
            // An order comes before the end of the server's side, which it brings about.
            biased;
            Some(order) = ordered.recv() => {
                match order {
                    Order::Refuse => drop(to_client.write_all(&refusal()).await),
                    Order::Hold => {
                        drop(to_client);
                        orders.held.notify_one();
                        // An answer, or the end of the connection.
                        let _ = from_server.read(&mut bytes).await;
                        orders.arrived.notify_one();
                    }
                }
                break;
            }
            read = from_server.read(&mut bytes) => read,
        };
        let Ok(read @ 1..) = read else { break };
        if of_writer.load(Ordering::SeqCst) && counted_down(&orders.cut_after) == Some(1) {
            orders.cuts.fetch_add(1, Ordering::SeqCst);
            break;
        }
        if to_client.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    asking.abort();
}

async fn ask(
    mut from_client: OwnedReadHalf,
    mut to_server: OwnedWriteHalf,
    orders: Arc<Orders>,
    of_writer: Arc<AtomicBool>,
    order: mpsc::Sender<Order>,
) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from_client.read(&mut bytes).await {
        let asked = &bytes[..read];
        // The first message of a connection names the application.
        if asked.windows(WRITER.len()).any(|part| part == WRITER) {
            of_writer.store(true, Ordering::SeqCst);
            if counted_down(&orders.refusals).is_some() {
                orders.refused.fetch_add(1, Ordering::SeqCst);
                let _ = order.send(Order::Refuse).await;
                return;
            }
            if orders.shut.load(Ordering::SeqCst) {
                return;
            }
        }
        if of_writer.load(Ordering::SeqCst) && orders.hold.swap(false, Ordering::SeqCst) {
            let _ = order.send(Order::Hold).await;
            orders.release.notified().await;
            let _ = to_server.write_all(asked).await;
            // The connection stays, as that of a host that was cut off.
            std::future::pending::<()>().await;
        }
        if to_server.write_all(asked).await.is_err() {
            break;
        }
    }
}

/// What the counter was, unless it was 0.
fn counted_down(counter: &AtomicUsize) -> Option<usize> {
    counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).ok()
}

/// ErrorResponse with SQLSTATE 28000 (PostgreSQL's frontend/backend protocol, message formats).
fn refusal() -> Vec<u8> {
    let fields = b"SFATAL\0VFATAL\0C28000\0Mnot now\0\0";
    let mut message = vec![b'E'];
    message.extend((fields.len() as u32 + 4).to_be_bytes());
    message.extend(fields);
    message
}
