//! The requests that an operation is asked: right ones at the borders of its schema, and wrong ones of every kind.

use std::fmt;

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::{Map, Value, json};
use vocabulary::PermissionCode;
use wire::{BASE, CodeSet, FinancialAccount, gate_financial};

use super::shape::Document;

/// Right requests of each operation.
const RIGHT: usize = 3;
/// Requests with one wrong field.
const WRONG_FIELDS: usize = 6;
/// Requests with one wrong parameter.
const WRONG_PARAMETERS: usize = 4;
/// Unreadable queries, headers and bodies, of each kind.
const UNREADABLE: usize = 3;

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    name: String,
    in_path: bool,
    required: bool,
    schema: Value,
}

/// An operation of the document.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: String,
    pub path: String,
    pub permit: String,
    pub parameters: Vec<Parameter>,
    /// Whether nobody comes in who has no payment account: the system of the tests has none.
    pub needs_account: bool,
    /// Schema of the body.
    body: Option<Value>,
    /// Whether it answers with something else than JSON.
    pub has_files: bool,
    /// Schema of the JSON answer of status 200.
    pub answer: Option<Value>,
    /// Documented statuses, and whether their shape is told.
    statuses: Vec<(u16, bool)>,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path.strip_prefix(BASE).unwrap_or(&self.path))
    }
}

impl Operation {
    pub fn new(document: &Document, path: &str, method: &str, operation: &Value) -> Self {
        let json_of = |value: &Value| {
            let content = value["content"].as_object()?;
            content.get("application/json").map(|media| media["schema"].clone())
        };
        let parameters: Vec<Parameter> = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| Parameter {
                name: one["name"].as_str().expect("a name").to_owned(),
                in_path: one["in"] == "path",
                required: one["required"] == true,
                schema: one["schema"].clone(),
            })
            .collect();
        for parameter in &parameters {
            let in_path = path.contains(&format!("{{{}}}", parameter.name));
            assert_eq!(in_path, parameter.in_path, "{method} {path}: where is {}?", parameter.name);
        }
        let responses = operation["responses"].as_object().expect("responses");
        let statuses = responses.iter().filter_map(|(status, response)| {
            let response = document.resolved(response);
            Some((status.parse().ok()?, response["content"].is_object()))
        });
        let codes = operation["x-permit"]["codes"].as_array().into_iter().flatten();
        let codes: CodeSet = codes
            .map(|code| PermissionCode::try_from(code.as_str().expect("a code").to_owned()).expect("a code"))
            .collect();
        let gated = gate_financial(&codes, FinancialAccount::default());
        Self {
            needs_account: is_financial(path) && !codes.is_empty() && gated.is_empty(),
            method: method.to_uppercase(),
            path: path.to_owned(),
            permit: operation["x-permit"]["kind"].as_str().expect("a permit").to_owned(),
            parameters,
            body: json_of(&operation["requestBody"]),
            has_files: responses.values().any(|response| {
                let content = document.resolved(response)["content"].as_object();
                content.is_some_and(|content| content.keys().any(|kind| kind != "application/json"))
            }),
            answer: responses.get("200").and_then(json_of),
            statuses: statuses.collect(),
        }
    }

    /// Whether `status` is documented, and then whether its shape is.
    pub fn documents(&self, status: u16) -> Option<bool> {
        self.statuses.iter().find(|(known, _)| *known == status).map(|(_, audit_schemas)| *audit_schemas)
    }

    /// Whether of the financial host.
    pub fn financial(&self) -> bool {
        is_financial(&self.path)
    }

    /// A number of its own, the same in every run: FNV-1a of its name.
    pub fn number(&self) -> u64 {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, fold)
    }
}

fn is_financial(path: &str) -> bool {
    let path = path.strip_prefix(BASE).unwrap_or(path);
    path.starts_with("/Pay/") || path.starts_with("/Business/")
}

/// A body.
#[derive(Clone, Debug)]
pub enum Body {
    None,
    Json(Value),
    /// Content type and bytes.
    Raw(&'static str, Vec<u8>),
}

/// One request.
#[derive(Clone, Debug)]
pub struct Asking {
    why: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
}

impl fmt::Display for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = match &self.body {
            Body::None => String::new(),
            Body::Json(value) => value.to_string(),
            Body::Raw(kind, bytes) => format!("{kind} {}", String::from_utf8_lossy(bytes)),
        };
        let line = format!("[{}] {}?{} {body}", self.why, self.path, self.query);
        f.write_str(&line.chars().take(400).collect::<String>())
    }
}

/// Texts that somebody has to think of.
fn hostile_texts() -> Vec<String> {
    let few = [
        "",
        " ",
        "0",
        "-1",
        "1",
        "1.5",
        "1e400",
        "9223372036854775807",
        "9223372036854775808",
        "null",
        "[]",
        "\u{0}",
        "a\u{0}b",
        "\u{1}\u{1f}\u{7f}",
        "\r\n",
        "\u{feff}",
        "\u{202e}倒",
        "👨‍👩‍👧‍👦",
        "é",
        "%",
        "_\\%",
        "' or 1=1 --",
        "\"",
        "<script>",
        "../../etc",
        "13812345678",
        "1380000000",
        "2026-02-30 25:61:61",
        "1970-01-01 00:00:00",
        "99999-12-31",
        "-62135596800001",
        "NaN",
        "全部",
        "true",
    ];
    let long = ["长".repeat(33), "x".repeat(129), "字".repeat(3000)];
    few.into_iter().map(str::to_owned).chain(long).collect()
}

fn hostile_numbers() -> Vec<Value> {
    vec![
        json!(0),
        json!(-1),
        json!(1),
        json!(2),
        json!(99),
        json!(i32::MAX),
        json!(i64::from(i32::MAX) + 1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e308),
        json!(-0.0),
        json!(0.5),
        json!(1e-320),
    ]
}

/// Values that belong into no field.
fn wrong_values(rng: &mut StdRng) -> Vec<Value> {
    let mut values: Vec<Value> = hostile_texts().into_iter().map(Value::String).collect();
    values.extend(hostile_numbers());
    values.shuffle(rng);
    values.truncate(8);
    values.extend([
        json!(null),
        json!(true),
        json!({}),
        json!([]),
        json!([null]),
        json!({"$personal": 1}),
        deep(60),
    ]);
    values.push(json!(vec!["1"; 300]));
    values
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

/// A value of `schema`, often at its border.
fn right(document: &Document, schema: &Value, name: &str, rng: &mut StdRng, depth: usize) -> Value {
    let schema = document.resolved(schema);
    if let Some(allowed) = schema["enum"].as_array() {
        return allowed.choose(rng).cloned().unwrap_or_default();
    }
    for kind in ["oneOf", "anyOf"] {
        if let Some(one) = schema[kind].as_array().and_then(|choices| choices.choose(rng)) {
            return right(document, one, name, rng, depth + 1);
        }
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["object"],
    };
    // Absent is asked elsewhere: here something is mostly said.
    let kind = kinds.iter().find(|kind| **kind != "null" && rng.gen_range(0..5) > 0).or(kinds.last());
    match kind.copied().unwrap_or("null") {
        "string" => json!(text_for(name, rng)),
        "integer" => {
            let low = schema["minimum"].as_i64().unwrap_or(0);
            [json!(low), json!(1), json!(2), json!(3), json!(100), json!(1_700_000_000_000_i64)]
                .choose(rng)
                .cloned()
                .unwrap_or_default()
        }
        "number" => [json!(0), json!(118.08), json!(24.48), json!(-180), json!(90)]
            .choose(rng)
            .cloned()
            .unwrap_or_default(),
        "boolean" => json!(rng.gen_bool(0.5)),
        "array" => {
            let most = if depth > 6 { 0 } else { *[0, 1, 2, 4].choose(rng).unwrap_or(&1) };
            (0..most).map(|_| right(document, &schema["items"], name, rng, depth + 1)).collect()
        }
        "object" => Value::Object(right_object(document, schema, rng, depth)),
        _ => Value::Null,
    }
}

fn right_object(document: &Document, schema: &Value, rng: &mut StdRng, depth: usize) -> Map<String, Value> {
    let (fields, required) = document.fields(schema);
    let mut object = Map::new();
    for (name, schema) in fields {
        if required.contains(&name) || (depth < 6 && rng.gen_bool(0.5)) {
            let value = right(document, &schema, &name, rng, depth + 1);
            object.insert(name, value);
        }
    }
    object
}

/// Text that a field of this name may well hold.
fn text_for(name: &str, rng: &mut StdRng) -> String {
    let low = name.to_lowercase();
    let phones = ["13812345678", "13900000001", "19999999999"];
    let fitting: &[&str] = if low.contains("phone") || low.contains("opman") {
        &phones
    } else if low.contains("version") || low.starts_with("page") || low == "state" || low == "position" {
        &["1", "0", "2", "200"]
    } else if low.ends_with("id") || low.ends_with("ids") {
        &["1", "2", "9223372036854775807", "7000000000000000001", "nobody"]
    } else if low.contains("time") || low.contains("date") || low.contains("day") {
        &["2026-01-01", "2026-11-21 08:00:00", "1700000000000"]
    } else if low == "codes" || low.contains("code") {
        &["1001", "0301", "1404", "123456"]
    } else if low == "datum" {
        &["WGS84", "GCJ02", "BD09"]
    } else {
        &["城东", "a", "测试 001", "role", "operator", "重新命名的名称"]
    };
    let hostile = hostile_texts();
    if rng.gen_range(0..6) == 0 {
        hostile.choose(rng).cloned().unwrap_or_default()
    } else {
        (*fitting.choose(rng).unwrap_or(&"1")).to_owned()
    }
}

fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A right request: all that must be there and some of what may be.
fn right_asking(document: &Document, operation: &Operation, rng: &mut StdRng) -> Asking {
    let mut path = operation.path.clone();
    let mut query = Vec::new();
    for parameter in &operation.parameters {
        let value = plain(&right(document, &parameter.schema, &parameter.name, rng, 0));
        if parameter.in_path {
            // An empty part would be another path.
            let value = if value.is_empty() || value == "../../etc" { "0".to_owned() } else { value };
            path = path.replace(&format!("{{{}}}", parameter.name), &percent(&value));
        } else if parameter.required || rng.gen_range(0..3) > 0 {
            query.push(format!("{}={}", parameter.name, percent(&value)));
        }
    }
    let body = match &operation.body {
        Some(schema) => Body::Json(right(document, schema, "", rng, 0)),
        None => Body::None,
    };
    Asking { why: "right".to_owned(), path, query: query.join("&"), headers: Vec::new(), body }
}

/// All requests of an operation.
pub fn all(document: &Document, operation: &Operation, rng: &mut StdRng) -> Vec<Asking> {
    let mut askings: Vec<Asking> = (0..RIGHT).map(|_| right_asking(document, operation, rng)).collect();
    let mut chooser = rng.clone();
    let mut like = |why: String, change: &mut dyn FnMut(&mut Asking)| {
        let mut asking = Asking { why, ..right_asking(document, operation, &mut rng.clone()) };
        change(&mut asking);
        // The next one is another.
        rng.gen_bool(0.5);
        askings.push(asking);
    };
    like("nothing at all".to_owned(), &mut |asking| {
        asking.query.clear();
        asking.body = Body::None;
    });
    let headers = [
        ("x-seen", "-1"),
        ("x-seen", "soon"),
        ("idempotency-key", ""),
        ("idempotency-key", "钥匙"),
        ("traceid", "a b"),
        ("accept", "text/html"),
    ];
    for (name, value) in headers.choose_multiple(&mut chooser, UNREADABLE / 2) {
        like(format!("{name}: {value}"), &mut |asking| asking.headers.push((name, (*value).to_owned())));
    }
    wrong_queries(operation, &mut chooser, &mut like);
    let mut rng = rng.clone();
    wrong_parameters(document, operation, &mut rng, &mut askings);
    if let Some(schema) = &operation.body {
        wrong_bodies(document, operation, schema, &mut rng, &mut askings);
    }
    askings
}

fn wrong_queries(
    operation: &Operation,
    rng: &mut StdRng,
    like: &mut impl FnMut(String, &mut dyn FnMut(&mut Asking)),
) {
    let name = operation.parameters.iter().find(|one| !one.in_path).map_or("page", |one| one.name.as_str());
    let queries = [
        format!("{name}=1&{name}=2"),
        format!("{name}=%FF%FE"),
        format!("{name}=%"),
        format!("{name}[a]=1"),
        "&&&===&".to_owned(),
        "%00=%00".to_owned(),
        format!("{name}={}", "9".repeat(4000)),
        "params=abc".to_owned(),
        "params=".to_owned(),
        "unknown=1".to_owned(),
    ];
    for query in queries.choose_multiple(rng, UNREADABLE) {
        let why = query.chars().take(40).collect();
        like(why, &mut |asking| asking.query.clone_from(query));
    }
}

fn wrong_parameters(document: &Document, operation: &Operation, rng: &mut StdRng, askings: &mut Vec<Asking>) {
    if operation.parameters.is_empty() {
        return;
    }
    for _ in 0..WRONG_PARAMETERS.max(operation.parameters.len()) {
        let Some(wrong) = operation.parameters.choose(rng).cloned() else { return };
        let mut texts = hostile_texts();
        texts.shuffle(rng);
        let text = percent(&texts[0]);
        let mut others = operation.clone();
        others.parameters.retain(|one| one.name != wrong.name);
        let mut asking = right_asking(document, &others, rng);
        asking.why = format!("{} is {text}", wrong.name);
        if wrong.in_path {
            let text = if text.is_empty() { "%FF".to_owned() } else { text };
            asking.path = asking.path.replace(&format!("{{{}}}", wrong.name), &text);
        } else {
            asking.query = format!("{}&{}={text}", asking.query, wrong.name);
        }
        askings.push(asking);
    }
}

fn wrong_bodies(
    document: &Document,
    operation: &Operation,
    schema: &Value,
    rng: &mut StdRng,
    askings: &mut Vec<Asking>,
) {
    let (fields, _) = document.fields(schema);
    let names: Vec<String> = fields.keys().cloned().collect();
    for round in 0..WRONG_FIELDS.max(names.len()) {
        let Some(name) = names.get(round % names.len().max(1)).cloned() else { break };
        let mut asking = right_asking(document, operation, rng);
        let Body::Json(Value::Object(object)) = &mut asking.body else { break };
        if rng.gen_range(0..6) == 0 {
            object.remove(&name);
            asking.why = format!("without {name}");
        } else {
            object.insert(name.clone(), wrong_values(rng).choose(rng).cloned().unwrap_or_default());
            asking.why = format!("a wrong {name}");
        }
        askings.push(asking);
    }
    let mut unknown = right_asking(document, operation, rng);
    if let Body::Json(Value::Object(object)) = &mut unknown.body {
        object.insert("unknown".to_owned(), json!({"__proto__": {"admin": true}}));
    }
    "an unknown field".clone_into(&mut unknown.why);
    askings.push(unknown);
    let json_kind = "application/json";
    let many = format!("[{}]", vec!["{}"; 5000].join(","));
    let unreadable = [
        ("broken JSON", json_kind, b"{\"a\":".to_vec()),
        ("two values", json_kind, b"{} {}".to_vec()),
        ("null", json_kind, b"null".to_vec()),
        ("a list", json_kind, b"[]".to_vec()),
        ("a long list", json_kind, many.into_bytes()),
        ("a text", json_kind, b"\"x\"".to_vec()),
        ("no UTF-8", json_kind, vec![b'"', 0xff, 0xfe, b'"']),
        ("very deep", json_kind, "[".repeat(20_000).into_bytes()),
        ("half a surrogate", json_kind, b"{\"name\":\"\\ud800\"}".to_vec()),
        (
            "twice the same",
            json_kind,
            b"{\"id\":\"1\",\"id\":\"2\",\"phone\":\"1\",\"phone\":\"2\"}".to_vec(),
        ),
        ("a huge number", json_kind, format!("{{\"id\":{}}}", "9".repeat(500)).into_bytes()),
        ("a box of nothing", json_kind, b"{\"params\":\"\"}".to_vec()),
        ("a box of nonsense", json_kind, b"{\"params\":\"AAAA\"}".to_vec()),
        ("a form", "application/x-www-form-urlencoded", b"a=1&b=2".to_vec()),
        ("a file", "multipart/form-data; boundary=x", b"--x\r\n\r\n1\r\n--x--".to_vec()),
        ("text", "text/plain; charset=gbk", b"\xc4\xe3\xba\xc3".to_vec()),
        ("too long", json_kind, vec![b' '; (1 << 20) + 1]),
    ];
    for (why, kind, bytes) in unreadable.choose_multiple(rng, 2 * UNREADABLE) {
        let asking = right_asking(document, operation, rng);
        askings.push(Asking { why: (*why).to_owned(), body: Body::Raw(kind, bytes.clone()), ..asking });
    }
}
