//! Bank cards: named, proved by a code, let go by the platform.

use axum::extract::State;
use kernel::CommandContext;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{BankCardId, DataOwner, PaymentAccountId, Phone};
use wire::{
    Body, Caller, FinancialAnswer, HandledFinancial, Nothing, Permit, Refused, RequestContext, Routes,
};

use super::{ACCOUNT, MANAGEMENT, platform_only, refused};
use crate::Context;
use crate::codes::{self, Tried};
use crate::model::payment_account::{
    BankCardForm, PaymentAccount, PaymentAccountCommand, PaymentAccountRefusal,
};

/// Of who pays in, opens accounts or manages them.
const CODES: Permit = Permit::AnyOf(&["financial_01", "financial_02", "financial_06"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("finance")
        .add(ACCOUNT, routes!(bind_card).with_state(context.clone()))
        .add(ACCOUNT, routes!(bind_card_check).with_state(context.clone()))
        .add(CODES, routes!(send_code).with_state(context.clone()))
        .add(MANAGEMENT, routes!(apply_unbind_card).with_state(context.clone()))
        .add(MANAGEMENT, routes!(card_state).with_state(context.clone()))
}

impl Context {
    /// Sends the code that the account's pending card was promised, unless that was done: told by what is recorded, so
    /// that whoever repeats a request whose answer was lost gets the code, and nobody gets two.
    async fn send_due_code(&self, account: PaymentAccountId) -> Result<(), Refused> {
        let state = self.runtime.desk.load::<PaymentAccount>(&account).await?.state;
        let Some(due) = state.pending_card() else { return Ok(()) };
        let Some(phone) = due.phone else { return Ok(()) };
        let code = self.ports.codes.draw();
        let hash = codes::hash(self.pepper.expose(), due.card_id, &code);
        if !codes::put(&self.runtime.pools.app, account, due.card_id, hash, due.asked_at).await? {
            return Ok(());
        }
        self.ports.codes.send(phone, &code).await.map_err(|error| {
            tracing::error!(error = error.as_ref() as &dyn std::error::Error, "a card's code was not sent");
            Refused::business("payment-code-unsent", "验证码发送失败，请稍后重新发送")
        })
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BindCard {
    #[schema(value_type = String)]
    account_id: PaymentAccountId,
    /// 12 to 19 digits.
    card_no: String,
    /// 银行预留手机号, where the code goes.
    bank_mobile: String,
    /// 开户银行: 1 to 32 characters.
    bank_name: String,
    /// 持卡人.
    holder: String,
    /// Number of the holder's certificate.
    id_no: String,
}

/// Names the bank card that money shall go to and sends a code to its phone, at most once a minute; answers `{bindId}`.
/// A card that still waits for its code gives way.
#[utoipa::path(post, path = "/Pay/customer/bindCard", tag = "finance", operation_id = "bindPaymentCard",
    request_body = BindCard, responses((status = 200, body = FinancialAnswer<Value>)))]
async fn bind_card(
    State(context): State<Context>,
    request: RequestContext,
    Body(body): Body<BindCard>,
) -> HandledFinancial<Value> {
    let card_id = BankCardId(context.runtime.ids.next_id());
    let card = BankCardForm {
        card_no: body.card_no,
        mobile: body.bank_mobile,
        bank_name: body.bank_name,
        holder: body.holder,
        id_no: body.id_no,
    };
    let ctx = request.context_of_account(json!({ "bindId": card_id }));
    let receipt =
        context.execute(body.account_id, PaymentAccountCommand::BindCard { card_id, card }, &ctx).await?;
    context.send_due_code(body.account_id).await?;
    Ok(FinancialAnswer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CodeBody {
    #[schema(value_type = String)]
    account_id: PaymentAccountId,
    /// The phone of the card that waits for its code.
    phone: String,
    /// bindCard or withdraw.
    scene: String,
}

/// Sends the code of the card that waits for one again, at most once a minute.
#[utoipa::path(post, path = "/Pay/message/sendCode", tag = "finance", operation_id = "sendPaymentCode",
    request_body = CodeBody, responses((status = 200, body = FinancialAnswer<Nothing>)))]
async fn send_code(
    State(context): State<Context>,
    request: RequestContext,
    Body(body): Body<CodeBody>,
) -> HandledFinancial<Value> {
    match body.scene.as_str() {
        "bindCard" => {}
        "withdraw" => return Err(Refused::business("payment-withdraw-closed", "提现暂未开放")),
        _ => return Err(Refused::malformed("scene 应为 bindCard 或 withdraw")),
    }
    let phone: Phone = body.phone.trim().parse().map_err(|_| refused(&PaymentAccountRefusal::Phone))?;
    let command = PaymentAccountCommand::ResendCode { phone };
    let receipt = context.execute(body.account_id, command, &request.context_of_account(json!({}))).await?;
    context.send_due_code(body.account_id).await?;
    Ok(FinancialAnswer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BindCardCheck {
    /// What naming the card answered.
    #[schema(value_type = String)]
    bind_id: BankCardId,
    /// 6 digits.
    sms_code: String,
}

/// Binds the card whose code this is. After five wrong ones, or ten minutes, it must be named anew.
#[utoipa::path(post, path = "/Pay/customer/bindCardCheck", tag = "finance", operation_id = "confirmPaymentCard",
    request_body = BindCardCheck, responses((status = 200, body = FinancialAnswer<Nothing>)))]
async fn bind_card_check(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<BindCardCheck>,
) -> HandledFinancial<Value> {
    let wrong = || Refused::business("payment-code-wrong", "验证码错误");
    let over = || refused(&PaymentAccountRefusal::CodeOver);
    let (card_id, code) = (body.bind_id, body.sms_code.trim());
    if code.len() != 6 || !code.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(wrong());
    }
    let db = &context.runtime.pools.app;
    let account_id = codes::account_of(db, card_id).await?.ok_or_else(over)?;
    let account = context.runtime.desk.load::<PaymentAccount>(&account_id).await?.state;
    // Nobody uses up the tries of another agent's card.
    let his = account.agent().is_some_and(|agent| caller.full_scope.contains(DataOwner::of_agent(agent)));
    if !his {
        return Err(over());
    }
    let ctx = request.context_of_account(json!({}));
    // What follows from a wrong code is no answer to keep: the request's name stays free for the right one.
    let aside = CommandContext { request_id: None, ..ctx.clone() };
    let waits = account.pending_card().is_some_and(|pending| pending.card_id == card_id);
    match codes::try_code(db, card_id, codes::hash(context.pepper.expose(), card_id, code)).await? {
        Tried::Wrong if waits => return Err(wrong()),
        Tried::Over if waits => {
            context.execute(account_id, PaymentAccountCommand::FailCard { card_id }, &aside).await?;
            return Err(over());
        }
        // The account has the last word; a request that bound the card before gets its answer again.
        Tried::Right | Tried::Wrong | Tried::Over => {}
    }
    let confirmed = context.execute(account_id, PaymentAccountCommand::ConfirmCard { card_id }, &ctx).await;
    if let Err(Refused::Business { code, .. }) = &confirmed
        && code == "payment-code-over"
        && waits
    {
        context.execute(account_id, PaymentAccountCommand::ExpireCard { card_id }, &aside).await?;
    }
    Ok(FinancialAnswer::replied(confirmed?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UnbindCard {
    #[schema(value_type = String)]
    account_id: PaymentAccountId,
    /// The bound card's number, or its last four digits.
    card_no: String,
    /// 1 to 200 characters.
    #[serde(default)]
    reason: String,
}

/// Asks the platform to let the bound card go.
#[utoipa::path(post, path = "/Pay/customer/applyUnbindCard", tag = "finance", operation_id = "askToUnbindPaymentCard",
    request_body = UnbindCard, responses((status = 200, body = FinancialAnswer<Nothing>)))]
async fn apply_unbind_card(
    State(context): State<Context>,
    request: RequestContext,
    Body(body): Body<UnbindCard>,
) -> HandledFinancial<Value> {
    let command = PaymentAccountCommand::AskUnbinding { card_no: body.card_no, reason: body.reason };
    let receipt = context.execute(body.account_id, command, &request.context_of_account(json!({}))).await?;
    Ok(FinancialAnswer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardAnswer {
    #[schema(value_type = String)]
    account_id: PaymentAccountId,
    #[schema(value_type = String)]
    card_id: BankCardId,
    /// Whether the card goes.
    agree: bool,
    /// At most 200 characters.
    reason: Option<String>,
}

/// The platform's answer to who wants a card let go.
#[utoipa::path(put, path = "/Pay/customer/card/state", tag = "finance", operation_id = "answerPaymentCardUnbinding",
    request_body = CardAnswer, responses((status = 200, body = FinancialAnswer<Nothing>)))]
async fn card_state(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<CardAnswer>,
) -> HandledFinancial<Value> {
    platform_only(&caller, "仅平台可处理解绑申请")?;
    let command = PaymentAccountCommand::AnswerUnbinding {
        card_id: body.card_id,
        agree: body.agree,
        reason: body.reason.unwrap_or_default(),
    };
    let receipt = context.execute(body.account_id, command, &request.context_of_account(json!({}))).await?;
    Ok(FinancialAnswer::replied(receipt))
}
