//! The payment password: a link to the page where it is set, and in development that page itself.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::{Actor, CommandError};
use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use wire::{
    Body, Caller, FinancialAnswer, HandledFinancial, Params, Permit, Refused, RequestContext, Routes,
};

use super::{NEWEST, agent_meant, refused};
use crate::Context;
use crate::model::payment_account::{
    PasswordCall, PaymentAccount, PaymentAccountCommand, PaymentAccountRefusal,
};
use crate::password_desk::{BadTicket, Ticket};
use crate::read::{PROJECTOR, payment_accounts};

/// The rule's name in the log.
const RULE: &str = "pay-password-stand-in";

/// The routes. The stand-in's page is there only where it stands in.
pub fn routes(context: &Context) -> Routes {
    let routes =
        Routes::new("finance").add(Permit::SignedIn, routes!(modify_password).with_state(context.clone()));
    if context.ports.passwords.as_ref().is_some_and(|desk| desk.stand_in().is_some()) {
        routes.add(Permit::Open, routes!(stand_in, stand_in_done).with_state(context.clone()))
    } else {
        routes
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ModifyPassword {
    /// MODIFY, FORGET, B_MODIFY or B_FORGET.
    #[schema(value_type = String)]
    call_type: PasswordCall,
}

/// Where the browser goes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Redirect {
    /// The page where the password is set.
    redirect_url: String,
}

/// A link to the page where the payment password of the agent in the header, else of the caller's own, is set.
#[utoipa::path(post, path = "/Pay/customer/modifyPwd", tag = "finance", operation_id = "modifyPaymentPassword",
    request_body = ModifyPassword, responses((status = 200, body = FinancialAnswer<Redirect>)))]
async fn modify_password(
    State(context): State<Context>,
    caller: Caller,
    headers: HeaderMap,
    request: RequestContext,
    Body(body): Body<ModifyPassword>,
) -> HandledFinancial<Redirect> {
    let operator = caller.operator()?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, NEWEST, &[PROJECTOR]).await?;
    let found = payment_accounts::of_agent(&mut *db, agent_meant(&caller, &headers)).await?;
    drop(db);
    let account = found.ok_or_else(|| refused(&PaymentAccountRefusal::NotOpen))?.account_id;
    let closed =
        || Refused::business("payment-desk-off", "支付渠道未接入，暂不能修改支付密码，请联系平台管理员");
    let known = context.runtime.desk.load::<PaymentAccount>(&account).await?.state;
    if !known.may_set_password() {
        return Err(refused(&PaymentAccountRefusal::NotOpen));
    }
    let desk = context.ports.passwords.as_ref().ok_or_else(closed)?;
    let mut nonce = [0; 16];
    OsRng.fill_bytes(&mut nonce);
    let command =
        PaymentAccountCommand::AskPassword { call: body.call_type, link: URL_SAFE_NO_PAD.encode(nonce) };
    let receipt = context.execute(account, command, &request.context_of_account(json!({}))).await?;
    // The link is not stored with the request: whoever repeats it gets one that names the same, from what is recorded.
    let state = context.runtime.desk.load::<PaymentAccount>(&account).await?.state;
    let link = state.password_link().ok_or_else(|| refused(&PaymentAccountRefusal::LinkUsed))?.to_owned();
    let ticket = Ticket { account, operator, link, ts: request.now().millis() };
    let redirect_url = desk.link(&ticket, body.call_type).await.map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "there is no link to the payment password");
        Refused::business("payment-desk-away", "支付渠道暂时无法连接，请稍后重试")
    })?;
    Ok(FinancialAnswer::at(Redirect { redirect_url }, &receipt))
}

#[derive(Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
struct TicketQuery {
    /// From the link.
    ticket: Option<String>,
}

/// A page of the stand-in. `main` is markup of our own making.
fn page(status: StatusCode, title: &str, main: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"zh-CN\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title><style>\
         body{{margin:0;min-height:100vh;display:grid;place-items:center;background:#f0f2f5;\
         font:16px/1.7 system-ui,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif;color:#1f1f1f}}\
         main{{box-sizing:border-box;width:min(420px,92vw);padding:32px;background:#fff;border-radius:8px;\
         box-shadow:0 1px 6px rgba(0,0,0,.12)}}h1{{margin:0 0 12px;font-size:20px}}p{{margin:0 0 20px;color:#595959}}\
         button{{width:100%;padding:10px;border:0;border-radius:6px;background:#0958d9;color:#fff;font:inherit;\
         cursor:pointer}}button:focus-visible{{outline:3px solid #91caff;outline-offset:2px}}\
         </style></head><body><main><h1>{title}</h1>{main}</main></body></html>"
    );
    (status, [(header::CACHE_CONTROL, "no-store")], Html(html)).into_response()
}

fn gone() -> Response {
    let main = "<p>链接已失效或已使用过。请回到运营平台，重新点击“修改支付密码”获取新的链接。</p>";
    page(StatusCode::BAD_REQUEST, "链接已失效", main)
}

impl Context {
    /// What a ticket says, when it is ours, in time, and was not used.
    async fn ticket(&self, sealed: &str) -> Result<Option<Ticket>, Refused> {
        let Some(desk) = self.ports.passwords.as_ref().and_then(|desk| desk.stand_in()) else {
            return Ok(None);
        };
        let ticket = match desk.open(sealed, self.runtime.clock.now()) {
            Ok(ticket) => ticket,
            Err(BadTicket) => return Ok(None),
        };
        let account = self.runtime.desk.load::<PaymentAccount>(&ticket.account).await?.state;
        Ok((account.password_link() == Some(&ticket.link)).then_some(ticket))
    }
}

/// The page that stands in for the payment provider's. Development only.
#[utoipa::path(get, path = "/stand-in/pay-password", tag = "finance", operation_id = "payPasswordStandIn",
    params(TicketQuery), responses((status = 200, content_type = "text/html", body = String)))]
async fn stand_in(
    State(context): State<Context>,
    Params(query): Params<TicketQuery>,
) -> Result<Response, Refused> {
    let Some(ticket) = context.ticket(&query.ticket.unwrap_or_default()).await? else { return Ok(gone()) };
    let Some(desk) = context.ports.passwords.as_ref().and_then(|desk| desk.stand_in()) else {
        return Ok(gone());
    };
    let main = format!(
        "<p>这是演示环境的页面，代替支付渠道的密码页面。这里不会要求输入密码；点击“完成”即视为支付密码已设置。</p>\
         <form method=\"post\"><input type=\"hidden\" name=\"ticket\" value=\"{}\">\
         <button type=\"submit\" autofocus>完成</button></form>",
        desk.seal(&ticket)
    );
    Ok(page(StatusCode::OK, "设置支付密码（演示）", &main))
}

/// Records that the password was set, once for each link. Development only.
#[utoipa::path(post, path = "/stand-in/pay-password", tag = "finance", operation_id = "payPasswordStandInDone",
    request_body(content = TicketQuery, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, content_type = "text/html", body = String)))]
async fn stand_in_done(
    State(context): State<Context>,
    request: RequestContext,
    form: Result<Form<TicketQuery>, FormRejection>,
) -> Result<Response, Refused> {
    let sealed = form.ok().and_then(|Form(form)| form.ticket).unwrap_or_default();
    let Some(ticket) = context.ticket(&sealed).await? else { return Ok(gone()) };
    let mut ctx = request.context_of_runtime(RULE, json!({}));
    // The signed ticket says who asked for the page: it is his doing.
    ctx.actor = Actor::Operator { id: ticket.operator };
    ctx.request_id = None;
    let command = PaymentAccountCommand::SetPassword { link: ticket.link };
    match context.runtime.desk.execute::<PaymentAccount>(&ticket.account, command, &ctx).await {
        Ok(_) => {
            let main = "<p>支付密码已设置，可以关闭本页，回到运营平台继续操作。</p>";
            Ok(page(StatusCode::OK, "已完成", main))
        }
        Err(CommandError::Refused(_)) => Ok(gone()),
        Err(error) => Err(error.into()),
    }
}
