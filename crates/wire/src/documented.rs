//! What the OpenAPI document says of refusals: the same for every route, so it is said here and by no handler.

use axum::http::StatusCode;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{AnyOfBuilder, Schema};
use utoipa::openapi::{Components, ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use crate::{BASE, Permit};

/// Why the rules say no.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the document; answers are made in `refused`")]
struct Why {
    /// For programs, such as `role-in-use`.
    code: String,
    /// For people, in Chinese.
    promot: String,
    /// The same text.
    promt: String,
}

/// The rules say no: `suc` is false. Status 200.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the document; answers are made in `refused`")]
struct RuleRefusal {
    /// Always false.
    suc: bool,
    error: Why,
}

/// The rules say no on a call without an envelope. Status 200.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the document; answers are made in `refused`")]
struct BareRefusal {
    /// For people, in Chinese.
    error: String,
}

/// The request was not taken.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the document; answers are made in `refused`")]
struct Refusal {
    /// For people, in Chinese.
    message: String,
    /// Always false.
    suc: bool,
    error: Why,
}

/// A no of the financial host, of the rules (status 200) or of the wire.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the document; answers are made in `guard`")]
struct FinancialRefusal {
    /// Always false.
    success: bool,
    /// Always null.
    data: Option<bool>,
    /// For people, in Chinese.
    msg: String,
    /// For programs.
    code: String,
    /// The same text as in `msg`.
    message: String,
}

/// The statuses of the wire and what they mean.
const STATUSES: [(StatusCode, &str); 5] = [
    (StatusCode::BAD_REQUEST, "The request cannot be read."),
    (StatusCode::UNAUTHORIZED, "Nobody, or nobody any more, is signed in."),
    (StatusCode::FORBIDDEN, "The caller may not."),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body is longer than allowed."),
    (StatusCode::TOO_MANY_REQUESTS, "Too many requests."),
];

/// What a page is sent as.
const PAGE: &str = "text/html";

/// Name of the shared response of a status.
fn response_name(status: StatusCode, financial: bool) -> String {
    format!("{}{}", if financial { "Financial" } else { "Refused" }, status.as_u16())
}

/// The shapes that [`refusals`] names.
pub(crate) fn shapes(components: &mut Components) {
    components.schemas.extend([
        (Why::name().into_owned(), Why::schema()),
        (RuleRefusal::name().into_owned(), RuleRefusal::schema()),
        (BareRefusal::name().into_owned(), BareRefusal::schema()),
        (Refusal::name().into_owned(), Refusal::schema()),
        (FinancialRefusal::name().into_owned(), FinancialRefusal::schema()),
    ]);
    for (status, meaning) in STATUSES {
        for (financial, shape) in [(false, Refusal::name()), (true, FinancialRefusal::name())] {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(shape))).build();
            let response = ResponseBuilder::new().description(meaning).content("application/json", content);
            components.responses.insert(response_name(status, financial), response.into());
        }
    }
}

/// Adds to an operation of the API how it refuses.
pub(crate) fn refusals(operation: &mut Operation, place: &str, permit: Permit, financial: bool) {
    if !place.starts_with(BASE) && !place.starts_with("/open/") {
        // Who is asked for nothing refuses only what cannot be read.
        let shared = Ref::from_response_name(response_name(StatusCode::BAD_REQUEST, false));
        operation.responses.responses.entry("400".to_owned()).or_insert_with(|| shared.into());
        return;
    }
    let responses = &mut operation.responses.responses;
    let mut is_page = false;
    if let Some(RefOr::T(yes)) = responses.get_mut("200") {
        is_page = yes.content.contains_key(PAGE);
        if !is_page {
            yes_or_no(yes, financial);
        }
    }
    let needs_caller = permit != Permit::Open;
    let needs_code = matches!(permit, Permit::AnyOf(_) | Permit::Machine(_));
    for (status, meaning) in STATUSES {
        let may = match status {
            StatusCode::UNAUTHORIZED => needs_caller,
            StatusCode::FORBIDDEN => needs_code || financial,
            StatusCode::PAYLOAD_TOO_LARGE => operation.request_body.is_some(),
            _ => true,
        };
        if may {
            responses.entry(status.as_u16().to_string()).or_insert_with(|| {
                let shared = Ref::from_response_name(response_name(status, financial));
                if is_page { RefOr::T(as_page(meaning)) } else { shared.into() }
            });
        }
    }
}

/// A refusal that a person reads as a page; the wire's own stay JSON.
fn as_page(meaning: &str) -> Response {
    let page = ContentBuilder::new().schema(Some(String::schema())).build();
    let plain = ContentBuilder::new().schema(Some(Ref::from_schema_name(Refusal::name()))).build();
    let response = ResponseBuilder::new().description(meaning).content(PAGE, page);
    response.content("application/json", plain).build()
}

/// What a yes answers, or the no of the rules with the same status.
fn yes_or_no(yes: &mut Response, financial: bool) {
    match yes.content.get_mut("application/json") {
        Some(RefOr::T(content)) => {
            content.schema = content.schema.take().map(|schema| or_refused(schema, financial));
        }
        Some(RefOr::Ref(_)) => {}
        // A file.
        None => {
            let no = if financial { FinancialRefusal::name() } else { RuleRefusal::name() };
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(no))).build();
            yes.content.insert("application/json".to_owned(), content.into());
        }
    }
}

/// What was asked for, or the no of the rules in the same envelope.
fn or_refused(schema: RefOr<Schema>, financial: bool) -> RefOr<Schema> {
    let enveloped = matches!(&schema, RefOr::Ref(named) if named.ref_location.contains("/Answer_"));
    let no = match (financial, enveloped) {
        (true, _) => FinancialRefusal::name(),
        (false, true) => RuleRefusal::name(),
        (false, false) => BareRefusal::name(),
    };
    AnyOfBuilder::new().item(schema).item(Ref::from_schema_name(no)).into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use utoipa::openapi::path::OperationBuilder;

    use super::*;

    fn documented(permit: Permit, place: &str, answer: &str, financial: bool) -> Value {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(answer))).build();
        let yes = ResponseBuilder::new().content("application/json", content);
        let mut operation = OperationBuilder::new().response("200", yes).build();
        refusals(&mut operation, place, permit, financial);
        serde_json::to_value(&operation).unwrap()["responses"].clone()
    }

    fn choices(responses: &Value) -> Vec<&str> {
        let choices = responses["200"]["content"]["application/json"]["schema"]["anyOf"].as_array().unwrap();
        choices.iter().map(|one| one["$ref"].as_str().unwrap().rsplit('/').next().unwrap()).collect()
    }

    #[test]
    fn an_operation_documents_each_way_in_which_it_refuses() {
        let coded = documented(Permit::AnyOf(&["1001"]), "/ebike/v3/backend/platform/x", "Answer_X", false);
        assert_eq!(choices(&coded), ["Answer_X", "RuleRefusal"]);
        assert_eq!(coded["403"], json!({"$ref": "#/components/responses/Refused403"}));
        assert!(coded["413"].is_null(), "it has no body: {coded}");
        let open = documented(Permit::Open, "/ebike/v3/backend/auth/sms/code", "Nothing", false);
        assert_eq!(choices(&open), ["Nothing", "BareRefusal"]);
        assert!(open["401"].is_null() && open["403"].is_null() && open["400"].is_object(), "{open}");
        let paid = documented(Permit::SignedIn, "/ebike/v3/backend/Pay/x", "FinancialAnswer_X", true);
        assert_eq!(choices(&paid), ["FinancialAnswer_X", "FinancialRefusal"]);
        assert_eq!(paid["403"], json!({"$ref": "#/components/responses/Financial403"}));
        let health = documented(Permit::Open, "/healthz", "Report", false);
        assert_eq!(health["400"], json!({"$ref": "#/components/responses/Refused400"}));
        assert!(health["429"].is_null(), "it is none of the API: {health}");
    }

    #[test]
    fn a_file_refuses_in_json_and_a_page_as_a_page() {
        let of_kind = |kind: &str| {
            let content = ContentBuilder::new().schema(Some(String::schema())).build();
            let yes = ResponseBuilder::new().content(kind, content);
            let mut operation = OperationBuilder::new().response("200", yes).build();
            refusals(&mut operation, "/ebike/v3/backend/x", Permit::SignedIn, false);
            serde_json::to_value(&operation).unwrap()["responses"].clone()
        };
        let file = of_kind("text/csv");
        let no = &file["200"]["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(no, "#/components/schemas/RuleRefusal");
        assert_eq!(file["400"], json!({"$ref": "#/components/responses/Refused400"}));
        let page = of_kind("text/html");
        assert!(page["200"]["content"]["application/json"].is_null(), "{page}");
        assert!(page["400"]["content"]["text/html"].is_object(), "{page}");
    }

    #[test]
    fn every_shape_that_is_named_is_there() {
        let mut components = Components::new();
        shapes(&mut components);
        for (status, _) in STATUSES {
            for financial in [false, true] {
                assert!(components.responses.contains_key(&response_name(status, financial)));
            }
        }
        for name in ["Why", "RuleRefusal", "BareRefusal", "Refusal", "FinancialRefusal"] {
            assert!(components.schemas.contains_key(name), "{name}");
        }
    }
}
