use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use serde_json::json;
use wire::{Share, WireConfig};

use crate::runtime::{GATES, Runtime, at};

#[tokio::test]
async fn every_answer_carries_the_security_headers_and_its_trace_id() {
    let runtime = Runtime::new().await;
    for uri in ["/", &at("/free"), &at("/nowhere"), &at("/me")] {
        let reply = runtime.raw("GET", uri, &[("traceId", "abc-123")], "").await;
        let policy = reply.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self';"), "{uri}");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff");
        assert_eq!(reply.headers["referrer-policy"], "no-referrer");
        let permissions = reply.headers["permissions-policy"].to_str().unwrap();
        assert!(permissions.contains("geolocation=()") && permissions.contains("camera=()"), "{uri}");
        assert!(!reply.headers.contains_key("strict-transport-security"), "{uri} came over plain http");
        assert_eq!(reply.headers["traceid"], "abc-123");
    }
    let reply = runtime.raw("GET", &at("/free"), &[("traceId", "<script>")], "").await;
    assert_eq!(reply.headers["traceid"].len(), 32, "one is made when the given one is no id");
}

#[tokio::test]
async fn unknown_paths_of_the_api_are_json_and_others_belong_to_the_site() {
    let runtime = Runtime::new().await;
    for uri in [&at("/nowhere"), "/auth/nowhere", "/open/v1/nowhere", "/Pay/nowhere"] {
        let reply = runtime.raw("GET", uri, &[], "").await;
        assert_eq!((reply.status, reply.code()), (StatusCode::NOT_FOUND, "unknown-path".to_owned()), "{uri}");
    }
    assert_eq!(runtime.raw("GET", "/", &[], "").await.bytes, b"site");
    let reply = runtime.raw("DELETE", &at("/free"), &[], "").await;
    assert_eq!(
        (reply.status, reply.code()),
        (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed".to_owned())
    );
}

#[tokio::test]
async fn auth_lives_below_the_base_and_at_the_root() {
    let runtime = Runtime::new().await;
    for uri in ["/auth/publicKey", &at("/auth/publicKey")] {
        assert_eq!(runtime.raw("GET", uri, &[], "").await.status, StatusCode::OK, "{uri}");
    }
    assert_ne!(runtime.raw("GET", "/free", &[], "").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_panic_and_an_absent_database_tell_nothing_of_the_inside() {
    let runtime = Runtime::new().await;
    let reply = runtime.raw("GET", &at("/panic"), &[], "").await;
    assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(reply.json()["message"], "服务器内部错误，请联系管理员");
    assert!(!String::from_utf8(reply.bytes).unwrap().contains("secret"));
    let reply = runtime.raw("GET", &at("/away"), &[], "").await;
    assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(reply.json()["message"], "服务暂时不可用，请稍后再试");
}

#[tokio::test]
async fn a_request_that_takes_too_long_and_one_too_many_are_turned_away() {
    let config = WireConfig {
        request_timeout: Duration::from_millis(300),
        requests: Share { all: 1, each: 1 },
        ..WireConfig::default()
    };
    let runtime = Runtime::with(config).await;
    let uri = at("/slow");
    let slow = runtime.raw("GET", &uri, &[], "");
    let meanwhile = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        runtime.raw("GET", &at("/free"), &[], "").await.status
    };
    let (slow, meanwhile) = tokio::join!(slow, meanwhile);
    assert_eq!((slow.status, meanwhile), (StatusCode::SERVICE_UNAVAILABLE, StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(
        runtime.raw("GET", &at("/free"), &[], "").await.status,
        StatusCode::OK,
        "places are given back"
    );
}

#[tokio::test]
async fn only_configured_origins_may_call() {
    let origin = "https://ops.example.com";
    let config = WireConfig { cors_origins: vec![origin.parse().unwrap()], ..WireConfig::default() };
    let runtime = Runtime::with(config).await;
    let ask = async |origin: &str| {
        let preflight = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "_t,idempotency-key,x-seen,traceid"),
        ];
        runtime.raw("OPTIONS", &at("/echo"), &preflight, "").await.headers
    };
    let headers = ask(origin).await;
    assert_eq!(headers["access-control-allow-origin"], origin);
    assert!(!headers.contains_key("access-control-allow-credentials"), "cookies stay where they are");
    assert_eq!(headers["access-control-max-age"], "3600", "a preflight counts for an hour");
    let listed = |list: &str, name: &str| list.split(',').any(|listed| listed.trim() == name);
    let allowed = headers["access-control-allow-headers"].to_str().unwrap();
    for name in [
        "authorization",
        "_t",
        "phone",
        "agentid",
        "traceid",
        "x-app-id",
        "content-type",
        "idempotency-key",
        "x-seen",
    ] {
        assert!(listed(allowed, name), "{name}");
    }
    assert!(!ask("https://evil.example.com").await.contains_key("access-control-allow-origin"));
    assert!(!ask("http://ops.example.com").await.contains_key("access-control-allow-origin"));

    // The answer itself, a refusal too, may be read, and what the client learns from its headers.
    let refused = runtime.raw("GET", &at("/me"), &[("origin", origin)], "").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert_eq!(refused.headers["access-control-allow-origin"], origin);
    let exposed = refused.headers["access-control-expose-headers"].to_str().unwrap();
    for name in ["x-position", "traceid", "date", "content-disposition", "x-rows", "x-capped"] {
        assert!(listed(exposed, name), "{name}");
    }
}

#[tokio::test]
async fn a_page_of_another_origin_may_read_that_all_places_are_taken() {
    let origin = "https://ops.example.com";
    let none = Share { all: 0, each: 0 };
    let config =
        WireConfig { cors_origins: vec![origin.parse().unwrap()], requests: none, ..WireConfig::default() };
    let runtime = Runtime::with(config).await;
    for uri in [at("/free"), "/Pay/nowhere".to_owned()] {
        let reply = runtime.raw("GET", &uri, &[("origin", origin)], "").await;
        assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(reply.headers["access-control-allow-origin"], origin, "{uri}");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff", "{uri}");
        assert_eq!(reply.json()["message"], "服务暂时不可用，请稍后再试");
    }
    let financial = runtime.raw("GET", "/Pay/nowhere", &[], "").await;
    assert_eq!(financial.json()["success"], false, "in the shape of its host");
}

#[tokio::test]
async fn one_address_cannot_take_all_places() {
    let config = WireConfig {
        request_timeout: Duration::from_secs(30),
        requests: Share { all: 3, each: 1 },
        trusted_proxies: vec!["192.0.2.0/24".parse().unwrap()],
        ..WireConfig::default()
    };
    let runtime = Runtime::with(config).await;
    let uri = at("/gate/0");
    let from = |address: &'static str| [("x-forwarded-for", address)];
    let first = from("203.0.113.1");
    let waiting = runtime.raw("GET", &uri, &first, "");
    let meanwhile = async {
        GATES[0].entered.notified().await;
        let same = runtime.raw("GET", &at("/free"), &from("203.0.113.1"), "").await;
        let other = runtime.raw("GET", &at("/free"), &from("203.0.113.2"), "").await;
        GATES[0].open.notify_one();
        (same, other)
    };
    let (waiting, (same, other)) = tokio::join!(waiting, meanwhile);
    assert_eq!((same.status, same.code()), (StatusCode::TOO_MANY_REQUESTS, "too-many".to_owned()));
    assert_eq!((waiting.status, other.status), (StatusCode::OK, StatusCode::OK));
}

#[tokio::test]
async fn one_address_behind_a_proxy_cannot_have_all_bodies_on_their_way() {
    let config = WireConfig {
        connections: Share { all: 3, each: 1 },
        trusted_proxies: vec!["192.0.2.0/24".parse().unwrap()],
        ..WireConfig::default()
    };
    let runtime = Runtime::with(config).await;
    let post = async |address: &str, body: Body| {
        runtime.raw("POST", "/auth/verifySign", &[("x-forwarded-for", address)], body).await
    };
    let never = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
    let mut waiting = Box::pin(post("203.0.113.1", never));
    assert!(futures::poll!(waiting.as_mut()).is_pending());
    let same = post("203.0.113.1", Body::from("{}")).await;
    assert_eq!((same.status, same.code()), (StatusCode::TOO_MANY_REQUESTS, "too-many".to_owned()));
    assert_eq!(same.headers["connection"], "close", "its body was not read");
    let other = post("203.0.113.2", Body::from("{}")).await;
    assert_eq!((other.status, other.headers.get("connection")), (StatusCode::BAD_REQUEST, None));
    drop(waiting);
    let again = post("203.0.113.1", Body::from("{}")).await;
    assert_eq!(again.status, StatusCode::BAD_REQUEST, "it is judged again");
}

#[tokio::test]
async fn a_body_beyond_what_all_may_hold_is_refused_and_a_preflight_with_one_ends_its_line() {
    let config = WireConfig {
        body_bytes: Share { all: 100, each: 50 },
        cors_origins: vec!["https://ops.example.com".parse().unwrap()],
        ..WireConfig::default()
    };
    let runtime = Runtime::with(config).await;
    let reply = runtime.raw("POST", "/auth/verifySign", &[], " ".repeat(51)).await;
    assert_eq!(
        (reply.status, &reply.headers["connection"]),
        (StatusCode::TOO_MANY_REQUESTS, &"close".parse().unwrap())
    );
    let reply = runtime.raw("POST", "/auth/verifySign", &[], " ".repeat(50)).await;
    assert_eq!((reply.status, reply.headers.get("connection")), (StatusCode::BAD_REQUEST, None));
    let preflight = [("origin", "https://ops.example.com"), ("access-control-request-method", "POST")];
    let reply = runtime.raw("OPTIONS", "/auth/verifySign", &preflight, "body").await;
    assert_eq!((reply.status, &reply.headers["connection"]), (StatusCode::OK, &"close".parse().unwrap()));
}

#[tokio::test]
async fn a_body_that_stands_still_or_trickles_is_given_up() {
    let config = WireConfig {
        body_pause: Duration::from_millis(400),
        body_timeout: Duration::from_millis(1200),
        ..WireConfig::default()
    };
    let runtime = Runtime::with(config).await;
    let trickle = futures::stream::unfold((), async |()| {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), ()))
    });
    let still = futures::stream::pending::<Result<Bytes, std::io::Error>>();
    for body in [Body::from_stream(trickle), Body::from_stream(still)] {
        let reply = runtime.raw("POST", "/auth/verifySign", &[], body).await;
        assert_eq!((reply.status, reply.code()), (StatusCode::REQUEST_TIMEOUT, "too-slow".to_owned()));
        assert_eq!(reply.headers["connection"], "close");
    }
}

#[tokio::test]
async fn who_came_over_https_is_told_to_come_so_again() {
    let config =
        WireConfig { trusted_proxies: vec!["192.0.2.0/24".parse().unwrap()], ..WireConfig::default() };
    let runtime = Runtime::with(config).await;
    let told = async |runtime: &Runtime, scheme: &str| {
        let reply = runtime.raw("GET", "/", &[("x-forwarded-proto", scheme)], "").await;
        reply.headers.get("strict-transport-security").map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(told(&runtime, "https").await.as_deref(), Some("max-age=31536000"));
    assert_eq!(told(&runtime, "HTTPS, http").await.as_deref(), Some("max-age=31536000"));
    assert_eq!(told(&runtime, "http").await, None);
    let nobody_is_trusted = Runtime::new().await;
    assert_eq!(told(&nobody_is_trusted, "https").await, None, "a stranger's own word");
}

#[tokio::test]
async fn the_zero_character_reaches_no_handler() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let (status, said) = runtime.call(&client, "POST", "/echo", json!({ "name": "a\0b" })).await;
    assert_eq!((status, said["message"].as_str()), (StatusCode::BAD_REQUEST, Some("请求中包含非法字符")));
    let (status, said) = runtime.call(&client, "POST", "/echo", json!({ "a": [{ "b\0": 1 }] })).await;
    assert_eq!((status, said["message"].as_str()), (StatusCode::BAD_REQUEST, Some("请求中包含非法字符")));
    let (status, said) = runtime.call(&client, "GET", "/echo", json!({ "name": "\0" })).await;
    assert_eq!((status, said["message"].as_str()), (StatusCode::BAD_REQUEST, Some("请求中包含非法字符")));
    for uri in [at("/free?x=%00"), at("/%00"), "/%00".to_owned()] {
        let reply = runtime.raw("GET", &uri, &[], "").await;
        assert_eq!(
            (reply.status, reply.json()["message"].as_str()),
            (StatusCode::BAD_REQUEST, Some("请求中包含非法字符")),
            "{uri}"
        );
    }
    let (status, _) = runtime.call(&client, "POST", "/echo", json!({ "name": "\\u0000" })).await;
    assert_eq!(status, StatusCode::OK, "six letters are no zero");
}

/// The sources that the content security policy names for `what`.
async fn sources(runtime: &Runtime, what: &str) -> String {
    let reply = runtime.raw("GET", "/", &[], "").await;
    let policy = reply.headers["content-security-policy"].to_str().unwrap();
    let mut found = policy.split("; ").filter_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
    found.next().unwrap_or_else(|| panic!("{what} in {policy}")).to_owned()
}

#[tokio::test]
async fn a_page_may_call_its_own_host_and_the_configured_ones() {
    let runtime = Runtime::new().await;
    assert_eq!(sources(&runtime, "connect-src").await, "'self'");
    let hosts = vec!["https://pay.example.com".parse().unwrap(), "http://10.0.0.5:8082".parse().unwrap()];
    let runtime = Runtime::with(WireConfig { cors_origins: hosts, ..WireConfig::default() }).await;
    assert_eq!(
        sources(&runtime, "connect-src").await,
        "'self' https://pay.example.com wss://pay.example.com http://10.0.0.5:8082 ws://10.0.0.5:8082"
    );
    assert_eq!(sources(&runtime, "script-src").await, "'self'", "to call is not to run");
}

#[tokio::test]
async fn a_chat_widget_is_let_in_from_the_configured_origins_only() {
    let runtime = Runtime::new().await;
    for what in ["script-src", "connect-src", "frame-src"] {
        assert_eq!(sources(&runtime, what).await, "'self'", "{what}");
    }
    assert_eq!(sources(&runtime, "style-src").await, "'self' 'unsafe-inline'");
    assert_eq!(sources(&runtime, "img-src").await, "'self' data: blob:");

    let chat = vec!["https://chat.example.com".parse().unwrap()];
    let runtime = Runtime::with(WireConfig { chat_origins: chat, ..WireConfig::default() }).await;
    assert_eq!(sources(&runtime, "script-src").await, "'self' https://chat.example.com");
    assert_eq!(sources(&runtime, "frame-src").await, "'self' https://chat.example.com");
    assert_eq!(sources(&runtime, "style-src").await, "'self' 'unsafe-inline' https://chat.example.com");
    assert_eq!(sources(&runtime, "img-src").await, "'self' data: blob: https://chat.example.com");
    assert_eq!(
        sources(&runtime, "connect-src").await,
        "'self' https://chat.example.com wss://chat.example.com"
    );
    let origin = [("origin", "https://chat.example.com")];
    let reply = runtime.raw("GET", &at("/free"), &origin, "").await;
    assert!(!reply.headers.contains_key("access-control-allow-origin"), "it may not call the system");
}

#[tokio::test]
async fn malformed_headers_are_refused_in_chinese() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let bearer = format!("Bearer {}", client.token.clone().unwrap());
    let sealed = client.session.seal_request(
        "POST",
        &at("/echo"),
        &json!({}),
        crate::runtime::NOW,
        crate::runtime::nonce(),
    );
    let headers = [
        ("_t", client.opened.t.as_str()),
        ("authorization", bearer.as_str()),
        ("idempotency-key", "with space"),
    ];
    let reply = runtime.raw("POST", &at("/echo"), &headers, json!({ "params": sealed }).to_string()).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert_eq!(reply.json()["message"], "请求头 Idempotency-Key 格式不正确");
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_names_the_trace_of_a_failure_once_and_holds_no_secret() {
    let log = Log::default();
    let writer = log.clone();
    let printing = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For the whole process: call sites first met by a test on another thread are silent for a subscriber of this one.
    tracing::subscriber::set_global_default(printing).unwrap();
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    runtime.call(&client, "POST", "/echo", json!({ "personal": "110101199001011234" })).await;
    runtime.raw("GET", &at("/panic"), &[("traceId", "trace-of-panic")], "").await;
    // A person may be named in a path.
    runtime
        .raw("GET", &at("/rider/13912345678?phone=13912345679"), &[("traceId", "trace-of-rider")], "")
        .await;
    runtime.raw("GET", &at("/nowhere/13912345670"), &[], "").await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let failures: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("request failed") && line.contains("trace-of-panic"))
        .collect();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].contains("secret inside"), "{failures:?}");
    let secrets = [&client.opened.t, &client.opened.k.to_text(), client.token.as_ref().unwrap()];
    assert!(text.contains("/echo") && secrets.iter().all(|secret| !text.contains(secret.as_str())));
    assert!(!text.contains("110101199001011234"));
    let warned: Vec<&str> = text.lines().filter(|line| line.contains("trace-of-rider")).collect();
    assert!(warned.iter().any(|line| line.contains("WARN") && line.contains("/rider/{phone}")), "{warned:?}");
    assert!(!text.contains("139123456"), "{:?}", text.lines().find(|line| line.contains("139123456")));
}
