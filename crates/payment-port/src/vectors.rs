//! The document's examples of signatures are this program's.

use serde::Deserialize;
use vocabulary::Timestamp;

use crate::{Message, Secret, Signer, Stamp, to_sign};

const DOCUMENT: &str = include_str!("../../../docs/payment-port.md");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Vector {
    name: String,
    secret: String,
    merchant: String,
    method: String,
    path: String,
    status: Option<u16>,
    timestamp: i64,
    nonce: String,
    body: String,
    to_sign: Vec<String>,
    signature: String,
}

/// The blocks of code that begin with the language `json vectors`.
fn vectors() -> Vec<Vector> {
    let block = DOCUMENT.split("```json vectors\n").nth(1).and_then(|rest| rest.split("\n```").next());
    serde_json::from_str(block.expect("the document has vectors")).expect("vectors are JSON")
}

#[test]
fn the_documents_signatures_are_those_that_are_made_here() {
    let vectors = vectors();
    let names: Vec<&str> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names, ["a payment is asked for", "its answer", "a statement is asked for", "a notice"]);
    for vector in &vectors {
        let Vector { name, merchant, method, path, status, nonce, .. } = vector;
        let message = Message { method, path, status: *status };
        let stamp = Stamp { at: Timestamp::from_millis(vector.timestamp), nonce };
        let body = vector.body.as_bytes();
        assert_eq!(to_sign(merchant, &message, &stamp, body), vector.to_sign.join("\n"), "{name}");
        let signer = Signer::new(merchant, Secret::new(&vector.secret).unwrap()).unwrap();
        assert_eq!(signer.signature(&message, &stamp, body), vector.signature, "{name}");
        let told = signer.headers(&message, &stamp, body);
        assert!(signer.check(&message, &told, body, stamp.at).is_ok(), "{name}");
    }
}

#[test]
fn bodies_of_the_document_are_of_the_protocol() {
    let [asked, answered, _, told] = &vectors()[..] else { panic!("four vectors") };
    let order: crate::PaymentOrder = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(order.check(), Ok(()));
    let payment: crate::Payment = serde_json::from_str(&answered.body).unwrap();
    assert_eq!(payment.trade_no, order.trade_no);
    serde_json::from_str::<crate::Notice>(&told.body).unwrap();
}
