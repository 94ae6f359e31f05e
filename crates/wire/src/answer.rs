//! Answers in the envelopes of the protocol.

use axum::Json;
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use kernel::{Position, Receipt};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{POSITION, Refused};

/// `{suc: true, data}`, the main host's success. Made by the function of the same name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Answer<T> {
    /// Always true.
    suc: bool,
    /// What was asked for.
    pub data: T,
    #[serde(skip)]
    #[schema(ignore)]
    position: Option<Position>,
}

/// The answer to a query.
#[expect(non_snake_case, reason = "reads as a tuple struct where handlers return it")]
pub fn Answer<T>(data: T) -> Answer<T> {
    Answer { suc: true, data, position: None }
}

/// What handlers of the main host return.
pub type Handled<T> = Result<Answer<T>, Refused>;

/// What handlers of the financial host return. Refusals take the financial shape by themselves.
pub type HandledFinancial<T> = Result<FinancialAnswer<T>, Refused>;

impl<T> Answer<T> {
    /// The answer to a command: also tells the position that includes it (`X-Position`).
    /// For commands that may be repeated use [`Answer::replied`], which gives the first answer again.
    pub fn at(data: T, receipt: &Receipt) -> Self {
        Self { suc: true, data, position: Some(receipt.position) }
    }

    /// The same, telling the position that includes several commands; nothing was done: none.
    #[must_use]
    pub fn including(self, position: Option<Position>) -> Self {
        Self { position, ..self }
    }
}

impl Answer<Value> {
    /// The reply stored with the command, which a repeat of the request gets again, and its position.
    pub fn replied(receipt: Receipt) -> Self {
        Self { suc: true, data: receipt.reply, position: Some(receipt.position) }
    }
}

fn with_position(mut response: Response, position: Option<Position>) -> Response {
    if let Some(position) = position {
        response.headers_mut().insert(POSITION, HeaderValue::from(position.0));
    }
    response
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        let position = self.position;
        with_position(Json(self).into_response(), position)
    }
}

/// `{success: true, data, msg: ""}`, the financial host's success. Made by the function of the same name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FinancialAnswer<T> {
    /// Always true.
    success: bool,
    /// What was asked for.
    pub data: T,
    /// Always empty.
    msg: &'static str,
    #[serde(skip)]
    #[schema(ignore)]
    position: Option<Position>,
}

/// The answer to a query of the financial host.
#[expect(non_snake_case, reason = "reads as a tuple struct where handlers return it")]
pub fn FinancialAnswer<T>(data: T) -> FinancialAnswer<T> {
    FinancialAnswer { success: true, data, msg: "", position: None }
}

impl<T> FinancialAnswer<T> {
    /// The answer to a command: also tells the position that includes it (`X-Position`).
    pub fn at(data: T, receipt: &Receipt) -> Self {
        Self { success: true, data, msg: "", position: Some(receipt.position) }
    }
}

impl FinancialAnswer<Value> {
    /// The reply stored with the command, which a repeat of the request gets again, and its position.
    pub fn replied(receipt: Receipt) -> Self {
        Self { success: true, data: receipt.reply, msg: "", position: Some(receipt.position) }
    }
}

impl<T: Serialize> IntoResponse for FinancialAnswer<T> {
    fn into_response(self) -> Response {
        let position = self.position;
        with_position(Json(self).into_response(), position)
    }
}

/// A JSON answer without an envelope, for the few calls that the protocol gives none (`{objectId}`, `{}`).
#[derive(Clone, Debug)]
pub struct Bare<T>(pub T);

impl<T: Serialize> IntoResponse for Bare<T> {
    fn into_response(self) -> Response {
        Json(self.0).into_response()
    }
}
