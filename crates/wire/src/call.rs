//! A call as a handler gets it: its state, who asks, and on what terms.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use kernel::{Aggregate, CommandContext, Receipt};
use serde_json::{Value, json};

use crate::{Answer, Caller, Handled, Hosted, Refused, RequestContext};

/// What a call comes with, beside its content.
#[derive(Debug)]
pub struct Call<S> {
    /// State of the handlers.
    pub state: S,
    /// Who asks.
    pub caller: Caller,
    /// What the request tells of itself.
    pub request: RequestContext,
}

impl<S: Clone + Send + Sync> FromRequestParts<S> for Call<S> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let request = RequestContext::from_request_parts(parts, state).await?;
        Ok(Self { state: state.clone(), caller, request })
    }
}

impl<S: Hosted> Call<S> {
    /// Makes a record of this id; answers `{id}`.
    pub async fn make<A: Aggregate>(&self, id: &A::Id, command: A::Command) -> Handled<Value> {
        let ctx = self.request.context_of_account(json!({ "id": id.to_string() }));
        Ok(Answer::replied(self.state.runtime().desk.execute::<A>(id, command, &ctx).await?))
    }

    /// Acts on a record within all that the account may see.
    pub async fn act<A: Aggregate>(&self, id: &A::Id, command: A::Command) -> Handled<Value> {
        Ok(Answer::replied(self.acted::<A>(id, command, None).await?))
    }

    /// The same, for who goes on with the receipt. A version that is given and not the record's is refused.
    pub async fn acted<A: Aggregate>(
        &self,
        id: &A::Id,
        command: A::Command,
        version: Option<i64>,
    ) -> Result<Receipt, Refused> {
        let ctx = CommandContext { expected_version: version, ..self.request.context_of_account(json!({})) };
        Ok(self.state.runtime().desk.execute::<A>(id, command, &ctx).await?)
    }
}
