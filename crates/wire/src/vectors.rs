//! `docs/wire-vectors.json` holds what every implementation of the protocol must compute. This one is held to it
//! here; the web client's by its own tests. `WIRE_VECTORS=write cargo test -p wire vectors` writes it anew.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, OperatorId, Timestamp};

use crate::cipher::{answer_words, open, open_request, request_words, seal};
use crate::client::accept;
use crate::exchange_routes::{ANSWER_WORDS, secrets_json};
use crate::{Claims, SecretKey, SessionId, TokenKeys};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/wire-vectors.json");
const KEY: SecretKey = SecretKey::new([0x11; 32]);
const ONE_TIME: SecretKey = SecretKey::new([0x22; 32]);
const SEED: SecretKey = SecretKey::new([0x33; 32]);
const TS: i64 = 1_800_000_000_000;

const REQUESTS: [(&str, &str, &str); 3] = [
    ("GET", "/ebike/v3/backend/platform/permission/role", r#"{"page":"1","name":"运维 & 调度"}"#),
    ("POST", "/ebike/v3/backend/auth/logout", "{}"),
    ("DELETE", "/Pay/x", r#"{"id":"9007199254740993"}"#),
];
const ANSWERS: [(&str, &str, &str); 2] = [
    ("GET", "/ebike/v3/backend/platform/permission/role", r#"{"suc":true,"data":{"rows":[],"count":0}}"#),
    ("POST", "/ebike/v3/backend/auth/sms/verify", r#"{"objectId":"张三"}"#),
];

fn nonce(n: usize) -> [u8; 12] {
    std::array::from_fn(|at| (at + 16 * n) as u8)
}

fn claims() -> Claims {
    Claims {
        agent_ids: vec![AgentId(2)],
        op_area_ids: vec![AreaId(20), AreaId(30)],
        user_id: OperatorId(9_007_199_254_740_993),
        phone: "13800000000".parse().expect("a phone"),
        agent_id: Some(AgentId(2)),
        build: "100".into(),
        dev_id: "device".into(),
        package: "web".into(),
        jti: "000102030405060708090a0b0c0d0e0f".into(),
        iat: TS / 1000,
        exp: TS / 1000 + 604_800,
        pv: 3,
        sid: SessionId(5),
    }
}

fn computed() -> Value {
    let requests = REQUESTS.iter().enumerate().map(|(n, (method, path, content))| {
        let (additional, plaintext) = (request_words(method, path), format!(r#"{{"d":{content},"ts":{TS}}}"#));
        let sealed = seal(&KEY, nonce(n), &additional, plaintext.as_bytes());
        json!({
            "method": method, "path": path, "nonce": URL_SAFE_NO_PAD.encode(nonce(n)), "additional": additional,
            "plaintext": plaintext, "box": sealed
        })
    });
    let answers = ANSWERS.iter().enumerate().map(|(n, (method, path, plaintext))| {
        let additional = answer_words(method, path);
        let sealed = seal(&KEY, nonce(n + 8), &additional, plaintext.as_bytes());
        json!({
            "method": method, "path": path, "nonce": URL_SAFE_NO_PAD.encode(nonce(n + 8)), "additional": additional,
            "plaintext": plaintext, "box": sealed
        })
    });
    let t = URL_SAFE_NO_PAD.encode([0x44; 32]);
    // Written out, because the order of keys in a JSON object is not promised.
    let secrets = format!(r#"{{"_t":"{t}","_k":"{}"}}"#, KEY.to_text());
    let keys = TokenKeys::from_seed(&SEED);
    let verifying = ed25519_dalek::SigningKey::from_bytes(SEED.expose()).verifying_key();
    json!({
        "_k": KEY.to_text(),
        "requests": requests.collect::<Vec<_>>(),
        "answers": answers.collect::<Vec<_>>(),
        "verifySign": {
            "oneTimeKey": ONE_TIME.to_text(), "nonce": URL_SAFE_NO_PAD.encode(nonce(12)), "additional": ANSWER_WORDS,
            "plaintext": secrets, "_t": t, "_k": KEY.to_text(),
            "aesKey": seal(&ONE_TIME, nonce(12), ANSWER_WORDS, secrets.as_bytes())
        },
        "token": {
            "seed": SEED.to_text(), "publicKey": URL_SAFE_NO_PAD.encode(verifying.as_bytes()),
            "claims": claims(), "jwt": keys.sign(&claims())
        }
    })
}

fn published() -> Value {
    let text = std::fs::read_to_string(FILE).expect("docs/wire-vectors.json is part of the repository");
    serde_json::from_str(&text).expect("docs/wire-vectors.json is JSON")
}

#[test]
fn this_implementation_computes_the_published_vectors() {
    let computed = computed();
    if std::env::var("WIRE_VECTORS").is_ok_and(|how| how == "write") {
        let text = serde_json::to_string_pretty(&computed).expect("plain data");
        std::fs::write(FILE, text + "\n").expect("docs/wire-vectors.json can be written");
    }
    assert_eq!(computed, published());
}

#[test]
fn the_published_boxes_open_to_the_published_texts() {
    let vectors = published();
    let text = |value: &Value, name: &str| value[name].as_str().expect(name).to_owned();
    let key = SecretKey::from_text(&text(&vectors, "_k")).unwrap();
    for request in vectors["requests"].as_array().unwrap() {
        let (method, path) = (text(request, "method"), text(request, "path"));
        let now = Timestamp::from_millis(TS);
        let opened = open_request(&key, &method, &path, &text(request, "box"), now).unwrap();
        let plain: Value = serde_json::from_str(&text(request, "plaintext")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(opened.content.get()).unwrap(), plain["d"]);
    }
    for answer in vectors["answers"].as_array().unwrap() {
        let words = answer_words(&text(answer, "method"), &text(answer, "path"));
        assert_eq!(open(&key, &words, &text(answer, "box")).unwrap(), text(answer, "plaintext").into_bytes());
    }
    let exchange = &vectors["verifySign"];
    let one_time = SecretKey::from_text(&text(exchange, "oneTimeKey")).unwrap();
    let session = accept(&one_time, &text(exchange, "aesKey")).unwrap();
    assert_eq!((session.t.0, session.k.to_text()), (text(exchange, "_t"), text(exchange, "_k")));
    let ours: Value = serde_json::from_str(&secrets_json(&text(exchange, "_t"), &key)).unwrap();
    assert_eq!(ours, serde_json::from_str::<Value>(&text(exchange, "plaintext")).unwrap());
    let keys = TokenKeys::from_seed(&SecretKey::from_text(&text(&vectors["token"], "seed")).unwrap());
    let verified = keys.verify(&text(&vectors["token"], "jwt"), Timestamp::from_millis(TS)).unwrap();
    assert_eq!(serde_json::to_value(verified).unwrap(), vectors["token"]["claims"]);
}
