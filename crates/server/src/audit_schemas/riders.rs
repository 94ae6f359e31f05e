//! Riders and their books: who somebody is, what he may, and what his wallet holds.

use std::sync::Arc;

use ::riding::model::movement::Movement;
use ::riding::model::rider::{DepositState, Qualification, RegisterChannel, RiderEvent};
use audit::{AuditSchema, Field, Fields, Text};
use ledger::{AccountKind, BookEvent, Posting};
use serde_json::Value;

use super::rider_cases::said;
use super::territory::yuan;
use super::{Context, Step, flatten, label, put_in, set, take_from, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<RiderEvent> {
            phone: |state| Some(text(state, "phone")).filter(|phone| !phone.is_empty()),
            ..Context::new("rider", "骑行用户", RIDER, RIDER_FIELDS)
        }),
        Arc::new(Context::<BookEvent> {
            called_by: &["holder"],
            name: |state| text(state, "holder"),
            ..Context::new("ledger-book", "账簿", BOOK, BOOK_FIELDS)
        }),
    ]
}

const RIDER: &[Step] = &[
    Step {
        stored_type: "rider.registered",
        label: "用户注册",
        fold: |state, mut data| {
            flatten(&mut data, "registration");
            for key in ["rider_id", "phone_key", "at"] {
                data.remove(key);
            }
            state.extend(data);
        },
    },
    Step { stored_type: "rider.verified", label: "实名认证", fold: identified },
    Step { stored_type: "rider.identity_changed", label: "变更实名", fold: identified },
    Step {
        stored_type: "rider.phone_changed",
        label: "变更手机号",
        fold: |state, mut data| set(state, "phone", data.remove("phone").unwrap_or_default()),
    },
    Step {
        stored_type: "rider.qualified",
        label: "获得骑行资格",
        fold: |state, data| put_in(state, "qualified", data["by"].clone()),
    },
    Step {
        stored_type: "rider.disqualified",
        label: "取消骑行资格",
        fold: |state, data| take_from(state, "qualified", &data["by"]),
    },
    Step {
        stored_type: "rider.frozen",
        label: "冻结账户",
        fold: |state, data| {
            set(state, "frozen", true);
            state.extend(data);
        },
    },
    Step {
        stored_type: "rider.unfrozen",
        label: "解冻账户",
        fold: |state, data| {
            set(state, "frozen", false);
            state.extend(data);
        },
    },
    Step {
        stored_type: "rider.blacklisted",
        label: "拉黑用户",
        fold: |state, data| put_in(state, "blacklisted", data["entry"].clone()),
    },
    Step {
        stored_type: "rider.unlisted",
        label: "解除拉黑",
        fold: |state, data| take_from(state, "blacklisted", &data["entry"]),
    },
    Step {
        stored_type: "rider.deposit_paid",
        label: "缴纳押金",
        fold: |state, data| {
            set(state, "deposit_cents", data["amount_cents"].clone());
            deposit(state, DepositState::Paid);
        },
    },
    Step {
        stored_type: "rider.deposit_asked_back",
        label: "申请退押金",
        fold: |state, _| deposit(state, DepositState::Refunding),
    },
    Step {
        stored_type: "rider.deposit_went_back",
        label: "押金已退",
        fold: |state, _| {
            set(state, "deposit_cents", 0);
            deposit(state, DepositState::Refunded);
        },
    },
    Step {
        stored_type: "rider.deposit_stayed",
        label: "退押金失败",
        fold: |state, _| deposit(state, DepositState::Paid),
    },
    Step {
        stored_type: "rider.deposit_frozen",
        label: "冻结押金",
        fold: |state, mut data| {
            set(state, "deposit_until", data.remove("until").unwrap_or_default());
            state.extend(data);
            deposit(state, DepositState::Frozen);
        },
    },
    Step {
        stored_type: "rider.deposit_recovered",
        label: "恢复押金",
        fold: |state, data| {
            state.remove("deposit_until");
            state.extend(data);
            deposit(state, DepositState::Paid);
        },
    },
    Step {
        stored_type: "rider.wallet_adjusted",
        label: "人工充值",
        fold: |state, mut data| {
            flatten(&mut data, "adjustment");
            for key in ["request", "at"] {
                data.remove(key);
            }
            state.extend(data);
        },
    },
    Step { stored_type: "rider.closed", label: "注销账户", fold: |state, _| set(state, "closed", true) },
];

const RIDER_FIELDS: &[Field] = &[
    Field { key: "name", label: "姓名", text: Text::Plain },
    Field { key: "phone", label: "手机号", text: Text::Plain },
    Field { key: "id_no", label: "身份证号", text: Text::Plain },
    Field { key: "channel", label: "注册渠道", text: Text::Named(label::<RegisterChannel>) },
    Field { key: "frozen", label: "账户", text: Text::Switch("冻结", "正常") },
    Field { key: "closed", label: "已注销", text: Text::Switch("是", "否") },
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "qualified", label: "骑行资格", text: Text::Named(label::<Qualification>) },
    Field { key: "blacklisted", label: "黑名单记录", text: Text::Plain },
    Field { key: "deposit_state", label: "押金状态", text: Text::Named(label::<DepositState>) },
    Field { key: "deposit_cents", label: "押金", text: Text::Named(yuan) },
    Field { key: "deposit_until", label: "押金冻结到期", text: Text::Moment },
    Field { key: "amount_cents", label: "人工充值金额", text: Text::Named(yuan) },
    Field { key: "gift_cents", label: "人工赠送金额", text: Text::Named(yuan) },
    Field { key: "area_id", label: "归属服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
];

fn identified(state: &mut Fields, mut data: Fields) {
    said(&mut data, "identity", &[("name", "name"), ("id_no", "id_no")]);
    for key in ["id_key", "method", "at"] {
        data.remove(key);
    }
    state.extend(data);
}

fn deposit(state: &mut Fields, now: DepositState) {
    set(state, "deposit_state", now.number());
}

const BOOK: &[Step] = &[
    Step {
        stored_type: "ledger-book.opened",
        label: "开立账簿",
        fold: |state, mut data| {
            let holder = data.remove("holder").unwrap_or_default();
            set(state, "holder", format!("账簿 {}-{}", holder["kind"], holder["id"]));
            state.extend(data);
        },
    },
    Step { stored_type: "ledger-book.posted", label: "入账", fold: posted },
    Step {
        stored_type: "ledger-book.held",
        label: "冻结金额",
        fold: |state, data| put_in(state, "held", data["id"].clone()),
    },
    Step {
        stored_type: "ledger-book.released",
        label: "解除冻结金额",
        fold: |state, data| take_from(state, "held", &data["id"]),
    },
];

const BOOK_FIELDS: &[Field] = &[
    Field { key: "holder", label: "账簿", text: Text::Plain },
    Field { key: "movement", label: "变动类型", text: Text::Plain },
    Field { key: "cause", label: "业务编号", text: Text::Plain },
    Field { key: "recharge_cents", label: "充值余额", text: Text::Named(yuan) },
    Field { key: "present_cents", label: "赠送余额", text: Text::Named(yuan) },
    Field { key: "deposit_cents", label: "押金", text: Text::Named(yuan) },
    Field { key: "refund_due_cents", label: "待退款", text: Text::Named(yuan) },
    Field { key: "receivable_cents", label: "应收车费", text: Text::Named(yuan) },
    Field { key: "held", label: "冻结", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
];

const fn balance(kind: AccountKind) -> Option<&'static str> {
    match kind {
        AccountKind::Recharge => Some("recharge_cents"),
        AccountKind::Present => Some("present_cents"),
        AccountKind::Deposit => Some("deposit_cents"),
        AccountKind::RefundDue => Some("refund_due_cents"),
        AccountKind::Receivable => Some("receivable_cents"),
        _ => None,
    }
}

/// What lies in the book afterwards.
fn posted(state: &mut Fields, mut data: Fields) {
    let postings: Vec<Posting> =
        data.remove("postings").and_then(|all| serde_json::from_value(all).ok()).unwrap_or_default();
    for Posting { account, amount_cents } in postings {
        if let Some(key) = balance(account.kind) {
            let before = state.get(key).and_then(Value::as_i64).unwrap_or(0);
            set(state, key, before + account.kind.grown_by(amount_cents));
        }
    }
    if let Some(hold) = data.get("hold") {
        take_from(state, "held", hold);
    }
    let cause = text(&data, "cause");
    let what = cause.split_once(':').map_or(&*cause, |(what, _)| what);
    set(state, "movement", Movement::named(what).map_or("其他", Movement::label));
    set(state, "cause", cause);
}
