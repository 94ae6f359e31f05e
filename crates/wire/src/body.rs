//! Extractors of the plain query and body, with refusals in Chinese.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::Refused;

/// The query, as a struct.
#[derive(Clone, Copy, Debug)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        axum::extract::Query::<T>::try_from_uri(&parts.uri)
            .map(|query| Self(query.0))
            .map_err(|error| Refused::malformed(format!("请求参数不正确：{}", error.body_text())))
    }
}

/// The JSON body, as a struct. An empty body is read as `{}`.
#[derive(Clone, Copy, Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let bytes = bytes::Bytes::from_request(request, state)
            .await
            .map_err(|_| Refused::malformed("请求内容不完整"))?;
        let bytes = if bytes.is_empty() { b"{}".as_slice() } else { &bytes };
        serde_json::from_slice(bytes)
            .map(Self)
            .map_err(|error| Refused::malformed(format!("请求内容不正确：{error}")))
    }
}
