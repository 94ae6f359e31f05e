//! A line to PostgreSQL that can be cut at the worst moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Stands between a writer and PostgreSQL. Armed, it lets the next answer come and then cuts the line instead of passing
/// it on: the statement is done and nobody is told.
pub struct Cutter {
    /// Lead through it.
    pub options: PgConnectOptions,
    armed: Arc<AtomicBool>,
    cuts: Arc<AtomicUsize>,
}

impl Cutter {
    /// In front of the server of `options`.
    pub async fn before(options: PgConnectOptions) -> Self {
        let target = (options.get_host().to_owned(), options.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (armed, cuts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let state = (armed.clone(), cuts.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&target).await.unwrap();
                tokio::spawn(carry(client, server, state.clone()));
            }
        });
        Self { options: options.host("127.0.0.1").port(port), armed, cuts }
    }

    /// Cuts the line at the next answer.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// How often the line was cut.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::SeqCst)
    }
}

async fn carry(client: TcpStream, server: TcpStream, (armed, cuts): (Arc<AtomicBool>, Arc<AtomicUsize>)) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let asking = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut bytes = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from_server.read(&mut bytes).await {
        if armed.swap(false, Ordering::SeqCst) {
            cuts.fetch_add(1, Ordering::SeqCst);
            break;
        }
        if to_client.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    asking.abort();
}
