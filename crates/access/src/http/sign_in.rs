//! Signing in and out.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use vocabulary::{AgentId, OperatorId, RoleId, Scope};
use wire::{Answer, Body, ClientAddress, EndedReason, Handled, Nothing, RequestContext, Session};

use super::phone;
use crate::Access;
use crate::app::NEWEST;
use crate::app::sign_in::own_agent;
use crate::model::level::Level;
use crate::read::operators::Account;
use crate::read::roles;

#[derive(Deserialize, ToSchema)]
pub(crate) struct ByPhone {
    /// The phone that this session proved.
    phone: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpMan {
    /// The login phone.
    op_man_id: String,
}

/// Authorises after an SMS code: refused for any phone but the one that this session proved.
#[utoipa::path(post, path = "/auth/login/phone", tag = "access", operation_id = "loginPhone",
    request_body = ByPhone, responses((status = 200, body = Answer<OpMan>)))]
pub(crate) async fn login_phone(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    session: Session,
    Body(body): Body<ByPhone>,
) -> Handled<OpMan> {
    access.sign_in_limit.check(address)?;
    let account = access.proved_account(&session, &phone(&body.phone)?).await?;
    Ok(Answer(OpMan { op_man_id: account.phone.into() }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ByLink {
    /// The phone that the link is for.
    phone: String,
    /// The signed link; works once, for less than a minute.
    origin: String,
}

/// Authorises by a signed link, which proves the phone on this session.
#[utoipa::path(post, path = "/auth/login/authorized", tag = "access", operation_id = "loginAuthorized",
    request_body = ByLink, responses((status = 200, body = Answer<OpMan>)))]
pub(crate) async fn login_authorized(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    session: Session,
    request: RequestContext,
    Body(body): Body<ByLink>,
) -> Handled<OpMan> {
    access.verify_limit.check(address)?;
    let account = access.follow_link(&request, &session, &phone(&body.phone)?, &body.origin).await?;
    Ok(Answer(OpMan { op_man_id: account.phone.into() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginBody {
    /// The login phone.
    op_man_id: String,
}

/// A role of the one who signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnRole {
    #[schema(value_type = String)]
    id: RoleId,
    name: String,
    /// Its codes; empty while it is disabled.
    permission_list: Vec<String>,
}

/// More about the account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Info {
    /// Bit-or of tiers.
    #[schema(value_type = i64)]
    level: Level,
    /// Their Chinese names.
    level_names: Vec<&'static str>,
    /// Before this time; epoch milliseconds, null: never.
    #[schema(required)]
    last_login_at: Option<i64>,
}

/// Who signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedIn {
    /// The agent that the account belongs to; null when it sees several.
    #[schema(value_type = Option<String>, required)]
    agent_id: Option<AgentId>,
    /// His first role, if any.
    #[schema(value_type = Option<String>, required)]
    role_id: Option<RoleId>,
    /// The access token, 7 days.
    token: String,
    name: String,
    /// What to greet him with.
    welcome: String,
    /// Address of a picture; empty: none.
    avatar: &'static str,
    /// Internal account id, as text.
    #[schema(value_type = String)]
    user_id: OperatorId,
    phone: String,
    roles: Vec<OwnRole>,
    info: Info,
    /// Whether he may see everything.
    is_root: bool,
}

/// Signs the operator in on this session. Again on the same session it only tells who he is, with a fresh token.
#[utoipa::path(post, path = "/platform/permission/login", tag = "access", operation_id = "operatorLogin",
    request_body = LoginBody, responses((status = 200, body = Answer<SignedIn>)))]
pub(crate) async fn login(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    session: Session,
    request: RequestContext,
    Body(body): Body<LoginBody>,
) -> Handled<SignedIn> {
    access.sign_in_limit.check(address)?;
    let (account, token) = access.sign_in(&request, &session, &phone(&body.op_man_id)?).await?;
    let mut db = access.runtime.reads.scoped(&Scope::ALL, Some(NEWEST), &["role"]).await?;
    let roles: Vec<OwnRole> = roles::of_operator(&mut db, account.id)
        .await?
        .into_iter()
        .map(|role| OwnRole {
            permission_list: role.working_codes(account.level).map(String::from).collect(),
            id: role.id,
            name: role.name,
        })
        .collect();
    Ok(Answer(told(account, token.token, roles)))
}

fn told(account: Account, token: String, roles: Vec<OwnRole>) -> SignedIn {
    SignedIn {
        agent_id: own_agent(&account),
        role_id: roles.first().map(|role| role.id),
        token,
        welcome: format!("{}，欢迎回来", account.name),
        name: account.name,
        avatar: "",
        user_id: account.id,
        phone: account.phone.into(),
        roles,
        info: Info {
            level: account.level,
            level_names: account.level.names(),
            last_login_at: account.last_sign_in_at_ms,
        },
        is_root: account.reach == Scope::ALL,
    }
}

/// Ends this session and its token, and closes its sockets.
#[utoipa::path(post, path = "/auth/logout", tag = "access", operation_id = "logout",
    responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn logout(
    State(access): State<Arc<Access>>,
    session: Session,
    request: RequestContext,
    Body(_nothing): Body<Value>,
) -> Handled<Nothing> {
    access.sessions.end(session.id, EndedReason::SignedOut, request.now()).await?;
    Ok(Answer(Nothing {}))
}
