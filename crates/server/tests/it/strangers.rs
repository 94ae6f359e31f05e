//! What somebody who is nobody can do to the doors with plain sockets: bodies that never come, lines that say nothing,
//! refusals in the middle of a body, files that are not there.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use wire::BASE;

use crate::client::{Browser, Reply, plain};
use crate::stack::{ADMIN, METRICS_TOKEN, Node, Stack, eventually};

/// Long enough for a busy machine; everything below is waited for, not slept for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection from a loopback address of one's own.
async fn dial(node: &Node, from: [u8; 4]) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((Ipv4Addr::from(from), 0))).expect("a loopback address");
    let to = SocketAddr::from(([127, 0, 0, 1], node.port));
    tokio::time::timeout(PATIENCE, socket.connect(to)).await.expect("in time").expect("a connection")
}

async fn say(line: &mut TcpStream, words: &str) {
    line.write_all(words.as_bytes()).await.expect("it listens");
}

/// One answer: its status, its head in small letters, its body.
async fn answer(line: &mut TcpStream) -> std::io::Result<(u16, String, Vec<u8>)> {
    let read = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(line.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let length = head.lines().find_map(|text| text.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        line.read_exact(&mut body).await?;
        Ok((status, head, body))
    };
    tokio::time::timeout(PATIENCE, read).await.expect("an answer in time")
}

/// Waits until the server has closed the line; whatever it still says is not of interest.
async fn closed(line: &mut TcpStream) {
    let mut rest = [0; 4096];
    let ended = async {
        loop {
            match line.read(&mut rest).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the line is closed");
}

async fn get(node: &Node, from: [u8; 4], path: &str) -> (u16, String, Vec<u8>) {
    let mut line = dial(node, from).await;
    say(&mut line, &format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).await;
    answer(&mut line).await.expect("an answer")
}

/// The head of a POST to an open route, with a body that is announced.
fn announced(length: usize) -> String {
    format!("POST {BASE}/auth/verifySign HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n")
}

async fn all_answers(node: &Node, from: [u8; 4]) {
    for path in ["/healthz", "/readyz", &format!("{BASE}/auth/publicKey")] {
        let (status, _, body) = get(node, from, path).await;
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
    }
    let reply = plain(&node.url, "POST", "/auth/sms/verify", &[], Some(&json!({}))).await.unwrap();
    assert_eq!(reply.status, 401, "a call with a body is judged: {}", reply.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_never_come_hold_no_place() {
    let requests = 100;
    let stack = Stack::start().await;
    let node = stack.node_with(None, &[("WHEELHOUSE_REQUESTS", &requests.to_string())]);
    // All from one address, the one that good requests come from too.
    let mut lines = Vec::new();
    for _ in 0..requests + 50 {
        let mut line = dial(&node, [127, 0, 0, 1]).await;
        say(&mut line, &announced(100)).await;
        lines.push(line);
    }
    all_answers(&node, [127, 0, 0, 1]).await;
    lines.clear();
    // Then from several, with a beginning of the body.
    for number in 0..requests + 50 {
        let mut line = dial(&node, [127, 0, 0, 2 + (number % 8) as u8]).await;
        say(&mut line, &announced(100)).await;
        say(&mut line, "{").await;
        lines.push(line);
    }
    all_answers(&node, [127, 0, 0, 1]).await;
    all_answers(&node, [127, 0, 0, 2]).await;
    // Who waits longest is told, and his line ends.
    let mut line = lines.swap_remove(0);
    let (status, head, body) = answer(&mut line).await.expect("an answer");
    let told: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, told["error"]["code"].as_str()), (408, Some("too-slow")), "{told}");
    assert!(head.contains("connection: close"), "{head}");
    closed(&mut line).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_say_nothing_are_closed() {
    let stack = Stack::start().await;
    let node = stack.node_with(None, &[("WHEELHOUSE_IDLE_SECONDS", "1")]);
    let mut silent = dial(&node, [127, 0, 0, 1]).await;
    let mut half = dial(&node, [127, 0, 0, 1]).await;
    say(&mut half, "GET /healthz HTTP/1.1\r\nhost: x\r\nx-more").await;
    let mut kept = dial(&node, [127, 0, 0, 1]).await;
    for _ in 0..2 {
        say(&mut kept, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert_eq!(answer(&mut kept).await.expect("a line is kept between requests").0, 200);
    }
    for line in [&mut silent, &mut half, &mut kept] {
        closed(line).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_has_its_share_of_lines_and_leaves_the_rest_to_others() {
    let stack = Stack::start().await;
    let share = [("WHEELHOUSE_CONNECTIONS", "40"), ("WHEELHOUSE_CONNECTIONS_PER_ADDRESS", "15")];
    let node = stack.node_with(None, &share);
    let greedy = [127, 0, 0, 9];
    let mut lines = Vec::new();
    for _ in 0..15 {
        lines.push(dial(&node, greedy).await);
    }
    let mut sixteenth = dial(&node, greedy).await;
    closed(&mut sixteenth).await;
    all_answers(&node, [127, 0, 0, 1]).await;
    // A place that is given back is there for the next.
    lines.clear();
    eventually("the address has lines again", PATIENCE, async || {
        let mut line = dial(&node, greedy).await;
        line.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.ok()?;
        answer(&mut line).await.ok().filter(|answer| answer.0 == 200)
    })
    .await;
    // All lines together have a bound, too.
    for number in 0..60 {
        lines.push(dial(&node, [127, 0, 0, 10 + (number % 6) as u8]).await);
    }
    let mut beyond = dial(&node, [127, 0, 0, 16]).await;
    closed(&mut beyond).await;
}

/// Asks for the websocket and says nothing on it; the status of the answer.
async fn upgraded(node: &Node, from: [u8; 4]) -> (u16, TcpStream) {
    let mut line = dial(node, from).await;
    let head = format!(
        "GET {BASE}/ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    say(&mut line, &head).await;
    (answer(&mut line).await.expect("an answer").0, line)
}

#[tokio::test(flavor = "multi_thread")]
async fn websockets_have_bounds_of_their_own() {
    let stack = Stack::start().await;
    let bounds = [("WHEELHOUSE_SOCKETS_PER_ADDRESS", "2"), ("WHEELHOUSE_CONNECTIONS_PER_ADDRESS", "3")];
    let node = stack.node_with(None, &bounds);
    let greedy = [127, 0, 0, 9];
    // Until its first frame a socket has a few seconds; the test is done with these well before.
    let (first, held) = upgraded(&node, greedy).await;
    let (second, _held) = upgraded(&node, greedy).await;
    let (third, refused) = upgraded(&node, greedy).await;
    assert_eq!((first, second, third), (101, 101, 429));
    assert_eq!(upgraded(&node, [127, 0, 0, 10]).await.0, 101, "others have theirs");
    drop(refused);
    // Sockets are no connections any more: all three are free.
    eventually("three lines at the same time", PATIENCE, async || {
        let mut lines = Vec::new();
        for _ in 0..3 {
            let mut line = dial(&node, greedy).await;
            line.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.ok()?;
            answer(&mut line).await.ok().filter(|answer| answer.0 == 200)?;
            lines.push(line);
        }
        Some(())
    })
    .await;
    drop(held);
    eventually("a socket's place is given back", PATIENCE, async || {
        let mut line = dial(&node, greedy).await;
        line.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.ok()?;
        answer(&mut line).await.ok()?;
        (upgraded(&node, greedy).await.0 == 101).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_in_the_middle_of_a_body_arrives_and_its_rest_is_no_request() {
    let stack = Stack::start().await;
    let node = stack.node(None);
    for _ in 0..5 {
        let mut line = dial(&node, [127, 0, 0, 1]).await;
        say(&mut line, &announced(100 * 1024 * 1024)).await;
        // The client goes on sending while it is refused, as browsers do.
        let (mut reading, mut writing) = line.into_split();
        let sending = tokio::spawn(async move {
            let part = "GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n".repeat(400_000);
            (writing.write_all(part.as_bytes()).await, writing)
        });
        let mut told = Vec::new();
        tokio::time::timeout(PATIENCE, reading.read_to_end(&mut told))
            .await
            .expect("the line ends")
            .expect("and not by a reset");
        let told = String::from_utf8_lossy(&told).to_lowercase();
        assert!(told.starts_with("http/1.1 413 ") && told.contains("connection: close"), "{told}");
        assert_eq!(told.matches("http/1.1 ").count(), 1, "the rest is no request: {told}");
        sending.await.unwrap().0.expect("what is somewhat longer than any file is taken to its end");
    }
    // A refusal after the body leaves the line as it was.
    let mut line = dial(&node, [127, 0, 0, 1]).await;
    for status in [401, 401] {
        let head = format!("POST {BASE}/auth/sms/verify HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n");
        say(&mut line, &head).await;
        say(&mut line, "{}").await;
        assert_eq!(answer(&mut line).await.expect("the line is kept").0, status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_not_there_are_not_found_and_never_kept() {
    let stack = Stack::start().await;
    let web = stack.state_dir().with_file_name("web");
    std::fs::create_dir_all(web.join("assets")).unwrap();
    for (name, text) in [
        ("index.html", "<html></html>"),
        ("robots.txt", "none"),
        ("assets/index-B4tK_x-9.js", "export {}"),
        ("assets/plain.js", "export {}"),
    ] {
        std::fs::write(web.join(name), text).unwrap();
    }
    let node = stack.node_with(None, &[("WHEELHOUSE_WEB_DIR", web.to_str().unwrap())]);
    for (path, status, kept) in [
        ("/", 200, "no-cache"),
        ("/index.html", 200, "no-cache"),
        ("/somewhere", 200, "no-cache"),
        ("/robots.txt", 200, "no-cache"),
        ("/assets/index-B4tK_x-9.js", 200, "public, max-age=31536000, immutable"),
        ("/assets/plain.js", 200, "no-cache"),
        ("/assets/index-AAAAAAAA.js", 404, "no-store"),
        ("/assets/nothing", 404, "no-store"),
        ("/favicon.ico", 404, "no-store"),
        ("/a/b/c.css", 404, "no-store"),
        ("/assets/%00.js", 400, "no-store"),
    ] {
        let (found, head, body) = get(&node, [127, 0, 0, 1], path).await;
        assert_eq!(found, status, "{path}: {head}");
        assert!(head.contains(&format!("cache-control: {kept}\r\n")), "{path}: {head}");
        let is_page = String::from_utf8_lossy(&body).contains("<html>");
        assert_eq!(is_page, status == 200 && !path[1..].contains(".js") && path != "/robots.txt", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_told_well_or_not_and_no_more() {
    let stack = Stack::start().await;
    let node = stack.node(None);
    let token = format!("Bearer {METRICS_TOKEN}");
    let known = [("authorization", token.as_str())];
    for path in ["/healthz", "/readyz"] {
        for stranger in [&[][..], &[("authorization", "Bearer wrong")], &[("x-forwarded-for", "127.0.0.1")]] {
            let reply = plain(&node.url, "GET", path, stranger, None).await.unwrap();
            assert_eq!((reply.status, reply.body), (200, json!({"status": "ok"})), "{path} {stranger:?}");
        }
        let reply = plain(&node.url, "GET", path, &known, None).await.unwrap();
        let details = &reply.body["details"];
        assert!(details["projections"].is_array() && details["postgres"] == true, "{}", reply.body);
    }
    for stranger in [&[][..], &[("authorization", "Bearer wrong")], &[("x-forwarded-for", "127.0.0.1")]] {
        let reply = plain(&node.url, "GET", "/metrics", stranger, None).await.unwrap();
        assert_eq!(reply.status, 404, "{stranger:?}: {}", reply.body);
    }
    let reply = plain(&node.url, "GET", "/metrics", &known, None).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_zero_character_is_refused_at_the_edge() {
    let (_stack, node) = Stack::serving().await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let role = |name: &str, remark: &str| json!({"name": name, "tier": 1, "remark": remark, "codes": [], "state": 1});
    let order = json!({"carId": "\0", "command": "ring", "reason": "\0", "requestId": "\0"});
    let mut replies = Vec::new();
    for (method, path, content) in [
        ("POST", "/platform/permission/role", role("a\0b", "")),
        ("POST", "/platform/permission/role", role("ab", "\0")),
        ("GET", "/platform/permission/role", json!({"keyword": "\0"})),
        ("POST", "/device/command", order),
        ("GET", "/vehicle/%00/history", json!({})),
    ] {
        replies.push((format!("{method} {path} {content}"), browser.call(method, path, content).await));
    }
    let body = json!({"mobilePhoneNumber": "1380000\0"});
    let reply = plain(&node.url, "POST", "/auth/sms/code", &[], Some(&body)).await.unwrap();
    replies.push(("an open route".to_owned(), reply));
    let body = json!({"device_type": 1, "mobilePhoneNumber": "13900000009", "device_code": "x\0", "device_name": "\0"});
    let path = "/mieba/platform/opman/device/verification";
    let reply = plain(&node.url, "POST", path, &[], Some(&body)).await.unwrap();
    replies.push(("a device".to_owned(), reply));
    let path = format!("{BASE}/web/config?domain=%00");
    let reply = plain(&node.url, "GET", &path, &[], None).await.unwrap();
    replies.push(("a plain query".to_owned(), reply));
    let is_refused = |reply: &Reply| reply.status == 400 && reply.body["message"] == "请求中包含非法字符";
    let wrong: Vec<_> = replies.iter().filter(|(_, reply)| !is_refused(reply)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // What only looks like it is none.
    let body = json!({"mobilePhoneNumber": "\\u0000"});
    let reply = plain(&node.url, "POST", "/auth/sms/code", &[], Some(&body)).await.unwrap();
    assert_ne!(reply.body["message"], "请求中包含非法字符");
}
