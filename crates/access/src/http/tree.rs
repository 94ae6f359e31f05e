//! The permission tree, and what an operator holds of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use vocabulary::PermissionCode;
use wire::{Answer, Caller, Handled, Params, Refused, given};

use super::phone;
use crate::Access;
use crate::permissions::{self, Branch};

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct OfOperator {
    /// The login phone; absent: the caller himself.
    op_man_id: Option<String>,
}

/// The codes of the operator asked about; of another one only for holders of 1002 who may act on him.
async fn held(
    access: &Access,
    caller: &Caller,
    query: &OfOperator,
) -> Result<BTreeSet<PermissionCode>, Refused> {
    let asked = given(query.op_man_id.as_ref()).map(phone).transpose()?;
    match asked {
        Some(other) if caller.phone.as_ref() != Some(&other) => {
            if !caller.codes.has("1002") {
                return Err(Refused::forbidden());
            }
            let operator = access.operator_of(caller, &other).await?;
            access.within(caller, operator).await?;
            let standing = access.standing_of(operator).await?;
            Ok(standing.map(|standing| standing.codes.iter().cloned().collect()).unwrap_or_default())
        }
        _ => Ok(caller.codes.iter().cloned().collect()),
    }
}

/// All codes of an operator's enabled roles with the groups above them, keyed by the login phone.
#[utoipa::path(get, path = "/platform/permission/allCode", tag = "access", operation_id = "allCode",
    params(OfOperator), responses((status = 200, body = Answer<Vec<String>>)))]
pub(crate) async fn all_code(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Params(query): Params<OfOperator>,
) -> Handled<Vec<String>> {
    Ok(Answer(held(&access, &caller, &query).await?.into_iter().map(String::from).collect()))
}

/// The whole permission tree.
#[utoipa::path(get, path = "/platform/permission/tree", tag = "access", operation_id = "permissionTree",
    responses((status = 200, body = Answer<Vec<Branch>>)))]
pub(crate) async fn tree() -> Handled<Vec<Branch>> {
    Ok(Answer(permissions::tree(None)))
}

/// The permission tree with what the operator holds marked: what he may grant.
#[utoipa::path(get, path = "/platform/permission/tree/opMan", tag = "access", operation_id = "operatorTree",
    params(OfOperator), responses((status = 200, body = Answer<Vec<Branch>>)))]
pub(crate) async fn of_operator(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Params(query): Params<OfOperator>,
) -> Handled<Vec<Branch>> {
    let held = held(&access, &caller, &query).await?;
    Ok(Answer(permissions::tree(Some(&held))))
}
