//! Payment accounts and the bank cards bound to them.

use std::sync::Arc;

use audit::{AuditSchema, Field, Fields, Text};
use finance::model::payment_account::{
    AccountLevel, AccountStatus, AccountType, CardFailure, CardState, PaymentAccountEvent,
};
use serde_json::Value;

use super::{Context, Step, label, nothing, personal, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![Arc::new(Context::<PaymentAccountEvent> {
        called_by: &["customer_name"],
        name: |state| text(state, "customer_name"),
        ..Context::new("payment-account", "支付账户", STEPS, FIELDS)
    })]
}

const STEPS: &[Step] = &[
    Step { stored_type: "payment-account.applied", label: "申请开户", fold: apply },
    Step { stored_type: "payment-account.reapplied", label: "重新申请开户", fold: apply },
    Step {
        stored_type: "payment-account.opened",
        label: "登记开户成功",
        fold: |state, data| turn(state, data, AccountStatus::Normal),
    },
    Step {
        stored_type: "payment-account.rejected",
        label: "登记开户失败",
        fold: |state, data| turn(state, data, AccountStatus::Rejected),
    },
    Step {
        stored_type: "payment-account.frozen",
        label: "冻结支付账户",
        fold: |state, data| turn(state, data, AccountStatus::Frozen),
    },
    Step {
        stored_type: "payment-account.unfrozen",
        label: "解冻支付账户",
        fold: |state, data| turn(state, data, AccountStatus::Normal),
    },
    Step {
        stored_type: "payment-account.closed",
        label: "支付账户销户",
        fold: |state, data| turn(state, data, AccountStatus::Closed),
    },
    Step {
        stored_type: "payment-account.card_named",
        label: "申请绑卡",
        fold: |state, data| {
            set(state, "card_failure", Value::Null);
            card(state, data, CardState::Pending);
        },
    },
    Step { stored_type: "payment-account.code_resent", label: "重发绑卡验证码", fold: nothing },
    Step {
        stored_type: "payment-account.card_bound",
        label: "绑卡成功",
        fold: |state, data| card(state, data, CardState::Bound),
    },
    Step {
        stored_type: "payment-account.card_failed",
        label: "绑卡失败",
        fold: |state, data| card(state, data, CardState::Failed),
    },
    Step {
        stored_type: "payment-account.unbinding_asked",
        label: "申请解绑银行卡",
        fold: |state, data| card(state, data, CardState::Unbinding),
    },
    Step {
        stored_type: "payment-account.card_unbound",
        label: "同意解绑银行卡",
        fold: |state, data| card(state, data, CardState::Unbound),
    },
    Step {
        stored_type: "payment-account.unbinding_declined",
        label: "驳回解绑银行卡",
        fold: |state, data| card(state, data, CardState::Bound),
    },
    Step { stored_type: "payment-account.password_asked", label: "申请修改支付密码", fold: nothing },
    Step {
        stored_type: "payment-account.password_set",
        label: "设置支付密码",
        fold: |state, _| set(state, "password_set", true),
    },
];

const FIELDS: &[Field] = &[
    Field { key: "agent_id", label: "代理", text: Text::Of("agent") },
    Field { key: "account_type", label: "账户类型", text: Text::Named(label::<AccountType>) },
    Field { key: "customer_name", label: "开户名称", text: Text::Plain },
    Field { key: "cert_no", label: "证件号码", text: Text::Plain },
    Field { key: "contact", label: "联系人", text: Text::Plain },
    Field { key: "phone", label: "联系电话", text: Text::Plain },
    Field { key: "status", label: "状态", text: Text::Named(label::<AccountStatus>) },
    Field { key: "level", label: "账户等级", text: Text::Named(label::<AccountLevel>) },
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "bank_name", label: "开户银行", text: Text::Plain },
    Field { key: "card_no", label: "银行卡号", text: Text::Plain },
    Field { key: "mobile", label: "银行预留手机号", text: Text::Plain },
    Field { key: "holder", label: "持卡人", text: Text::Plain },
    Field { key: "id_no", label: "持卡人证件号码", text: Text::Plain },
    Field { key: "card_state", label: "银行卡状态", text: Text::Named(label::<CardState>) },
    Field { key: "card_failure", label: "绑卡失败原因", text: Text::Named(card_failure) },
    Field { key: "card_reason", label: "解绑说明", text: Text::Plain },
    Field { key: "password_set", label: "支付密码", text: Text::Switch("已设置", "未设置") },
];

/// What is sealed together in `key`, field by field; each of them stays personal.
fn unseal(state: &mut Fields, data: &mut Fields, key: &str, fields: &[&str]) {
    let Some(Value::Object(mut sealed)) = data.remove(key) else { return };
    let known = sealed.remove("$personal").unwrap_or_default();
    for field in fields {
        set(state, field, known.get(*field).cloned().unwrap_or_default());
        personal(state, field);
    }
}

fn apply(state: &mut Fields, mut data: Fields) {
    data.remove("account_id");
    unseal(state, &mut data, "applicant", &["customer_name", "cert_no", "contact", "phone"]);
    state.extend(data);
    set(state, "status", AccountStatus::Applied as i16);
    set(state, "reason", "");
}

fn turn(state: &mut Fields, mut data: Fields, status: AccountStatus) {
    set(state, "status", status as i16);
    set(state, "reason", data.remove("reason").unwrap_or_else(|| "".into()));
    state.extend(data);
}

fn card(state: &mut Fields, mut data: Fields, card: CardState) {
    unseal(state, &mut data, "card", &["card_no", "mobile", "holder", "id_no"]);
    for (from, to) in [("bank_name", "bank_name"), ("cause", "card_failure"), ("reason", "card_reason")] {
        if let Some(value) = data.remove(from) {
            set(state, to, value);
        }
    }
    set(state, "card_state", card as i16);
}

fn card_failure(cause: &str) -> Option<String> {
    let cause: CardFailure = serde_json::from_value(Value::String(cause.to_owned())).ok()?;
    Some(cause.label().to_owned())
}
