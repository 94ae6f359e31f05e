//! The router served over TCP, with time-outs that a test can wait for.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;
use wire::{Share, WireConfig};

use crate::runtime::{GATES, Runtime, at};

const PATIENCE: Duration = Duration::from_mins(1);

/// Serves a system until the sender is dropped.
async fn serving(config: WireConfig) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let runtime = Runtime::with(config).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(async move {
        let wire = runtime.wire.clone();
        let stop = async {
            let _ = stopped.await;
        };
        wire::serve(listener, runtime.app.clone(), wire, stop).await;
    });
    (address, stop, served)
}

async fn ask(address: SocketAddr, path: &str) -> TcpStream {
    let mut line = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    // A line that is turned away may be gone by now; reading tells.
    let _ = line.write_all(head.as_bytes()).await;
    line
}

/// The first bytes of an answer, or none when the line was closed.
async fn beginning(line: &mut TcpStream) -> String {
    let mut told = [0; 12];
    match timeout(PATIENCE, line.read_exact(&mut told)).await.expect("in time") {
        Ok(_) => String::from_utf8_lossy(&told).into_owned(),
        Err(_) => String::new(),
    }
}

/// Waits until the server has closed the line.
async fn closed(mut line: TcpStream, what: &str) {
    let mut rest = Vec::new();
    let ended = timeout(PATIENCE, line.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "{what}: still open");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_ask_nothing_are_closed() {
    let config = WireConfig { idle_timeout: Duration::from_millis(500), ..WireConfig::default() };
    let (address, _stop, _served) = serving(config).await;
    let silent = TcpStream::connect(address).await.unwrap();
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nx-more").await.unwrap();
    let mut kept = ask(address, &at("/free")).await;
    assert_eq!(beginning(&mut kept).await, "HTTP/1.1 200");
    let mut twice = ask(address, &at("/free")).await;
    assert_eq!(beginning(&mut twice).await, "HTTP/1.1 200");
    twice.write_all(b"GET /again HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    tokio::join!(
        closed(silent, "one that said nothing"),
        closed(half, "one that said half"),
        closed(kept, "one that asked once"),
        closed(twice, "one that asked twice"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_takes_nothing_is_given_up() {
    let config = WireConfig {
        stall_timeout: Duration::from_millis(300),
        connections: Share { all: 1, each: 1 },
        ..WireConfig::default()
    };
    let (address, _stop, _served) = serving(config).await;
    // It asks for more than all buffers on the way hold, and reads none of it.
    let _silent = ask(address, &at("/large")).await;
    let served = async {
        loop {
            if beginning(&mut ask(address, &at("/free")).await).await == "HTTP/1.1 200" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, served).await.expect("its place is free again");
}

#[tokio::test(flavor = "multi_thread")]
async fn told_to_stop_it_answers_what_it_was_asked_and_ends() {
    let (address, stop, served) = serving(WireConfig::default()).await;
    let mut idle = ask(address, &at("/free")).await;
    assert_eq!(beginning(&mut idle).await, "HTTP/1.1 200");
    let mut waiting = ask(address, &at("/gate/1")).await;
    GATES[1].entered.notified().await;
    drop(stop);
    let mut rest = Vec::new();
    timeout(PATIENCE, idle.read_to_end(&mut rest)).await.expect("idle lines end at once").unwrap();
    assert!(!served.is_finished(), "a request is under way");
    GATES[1].open.notify_one();
    assert_eq!(beginning(&mut waiting).await, "HTTP/1.1 200");
    drop((idle, waiting));
    timeout(PATIENCE, served).await.expect("it ends").unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}
