//! Cards on sale, and what riders hold of them.

use std::sync::Arc;

use audit::{AuditSchema, Field, Fields, Text};
use riding::model::card::CardKind;
use riding::model::card_product::CardProductEvent;
use riding::model::holdings::{RefundTo, RiderCardsEvent};
use serde_json::Value;

use super::territory::yuan;
use super::{Context, Step, disable, enable, flatten, label, list_of, merge, put_in, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<CardProductEvent>::new("card-product", "卡类商品", PRODUCT_STEPS, PRODUCT_FIELDS)),
        Arc::new(Context::<RiderCardsEvent> {
            called_by: &[],
            name: |_| String::new(),
            named_by: Some("rider"),
            ..Context::new("rider-cards", "用户持卡", HOLDING_STEPS, HOLDING_FIELDS)
        }),
    ]
}

const PRODUCT_STEPS: &[Step] = &[
    Step {
        stored_type: "card-product.draft_saved",
        label: "保存卡草稿",
        fold: |state, data| written(state, data, "草稿"),
    },
    Step {
        stored_type: "card-product.draft_discarded",
        label: "丢弃卡草稿",
        fold: |state, _| set(state, "stage", "已发布"),
    },
    Step { stored_type: "card-product.published", label: "发布卡", fold: published },
    Step {
        stored_type: "card-product.withdrawn",
        label: "撤回卡版本",
        fold: |state, _| set(state, "stage", "草稿"),
    },
    Step { stored_type: "card-product.enabled", label: "启用卡", fold: enable },
    Step { stored_type: "card-product.disabled", label: "停用卡", fold: disable },
    Step {
        stored_type: "card-product.deleted",
        label: "删除卡",
        fold: |state, _| {
            set(state, "stage", "已删除");
            set(state, "enabled", false);
        },
    },
    Step {
        stored_type: "card-product.sold",
        label: "售出一张",
        fold: |state, _| {
            let sold = state.get("sold").and_then(Value::as_i64).unwrap_or(0);
            set(state, "sold", sold + 1);
        },
    },
    Step {
        stored_type: "card-product.restocked",
        label: "退回一张",
        fold: |state, _| {
            let sold = state.get("sold").and_then(Value::as_i64).unwrap_or(0);
            set(state, "sold", (sold - 1).max(0));
        },
    },
];

const PRODUCT_FIELDS: &[Field] = &[
    Field { key: "agent_id", label: "代理", text: Text::Of("agent") },
    Field { key: "stage", label: "阶段", text: Text::Plain },
    Field { key: "enabled", label: "状态", text: Text::Switch("启用", "停用") },
    Field { key: "kind", label: "卡类型", text: Text::Named(label::<CardKind>) },
    Field { key: "name", label: "卡名称", text: Text::Plain },
    Field { key: "desc", label: "说明", text: Text::Plain },
    Field { key: "priceCents", label: "售价", text: Text::Named(yuan) },
    Field { key: "originPriceCents", label: "原价", text: Text::Named(yuan) },
    Field { key: "days", label: "有效天数", text: Text::Plain },
    Field { key: "freeTimeS", label: "免费时长（秒）", text: Text::Plain },
    Field { key: "freeDistanceM", label: "免费里程（米）", text: Text::Plain },
    Field { key: "freeMoneyCents", label: "减免金额", text: Text::Named(yuan) },
    Field { key: "times", label: "可用次数", text: Text::Plain },
    Field { key: "isTotalTimes", label: "次数按", text: Text::Switch("总次数", "每天") },
    Field { key: "areaIds", label: "适用服务区", text: Text::Of("area") },
    Field { key: "billing", label: "计费配置", text: Text::Plain },
    Field { key: "stock", label: "库存", text: Text::Plain },
    Field { key: "limitPerRider", label: "每人限购", text: Text::Plain },
    Field { key: "sellFrom", label: "开售时间", text: Text::Moment },
    Field { key: "sellUntil", label: "停售时间", text: Text::Moment },
    Field { key: "isRecommended", label: "推荐", text: Text::Switch("是", "否") },
    Field { key: "sort", label: "排序", text: Text::Plain },
    Field { key: "number", label: "版本", text: Text::Plain },
    Field { key: "from", label: "生效时间", text: Text::Moment },
    Field { key: "until", label: "失效时间", text: Text::Moment },
    Field { key: "sold", label: "已售库存", text: Text::Plain },
];

fn written(state: &mut Fields, mut data: Fields, stage: &str) {
    flatten(&mut data, "of");
    data.remove("product_id");
    flatten(&mut data, "form");
    merge(state, data);
    set(state, "stage", stage);
}

fn published(state: &mut Fields, mut data: Fields) {
    flatten(&mut data, "term");
    // A first version is on sale at once; a later one leaves that as it is.
    if !state.contains_key("enabled") {
        set(state, "enabled", true);
    }
    written(state, data, "已发布");
}

const HOLDING_STEPS: &[Step] = &[
    Step { stored_type: "rider-cards.bought", label: "购卡", fold: bought },
    Step { stored_type: "rider-cards.used", label: "用卡", fold: |state, data| used(state, &data, 1) },
    Step {
        stored_type: "rider-cards.given_back",
        label: "退回用卡",
        fold: |state, data| used(state, &data, -1),
    },
    Step { stored_type: "rider-cards.refunded", label: "退卡", fold: refunded },
];

const HOLDING_FIELDS: &[Field] = &[
    Field { key: "agent_id", label: "代理", text: Text::Of("agent") },
    Field { key: "area_id", label: "归属服务区", text: Text::Of("area") },
    Field { key: "held", label: "持有", text: Text::Plain },
    Field { key: "refunded", label: "已退", text: Text::Plain },
    Field { key: "uses", label: "用卡次数", text: Text::Plain },
    Field { key: "amount_cents", label: "退款金额", text: Text::Named(yuan) },
    Field { key: "to", label: "退款方式", text: Text::Named(label::<RefundTo>) },
    Field { key: "reason", label: "退款原因", text: Text::Plain },
];

fn bought(state: &mut Fields, mut data: Fields) {
    flatten(&mut data, "of");
    for key in ["agent_id", "area_id"] {
        set(state, key, data.remove(key).unwrap_or_default());
    }
    let purchase = data.remove("purchase").unwrap_or_default();
    let (name, holding) = (&purchase["card"]["name"], &purchase["holding_id"]);
    let name = format!("{} {}", name.as_str().unwrap_or_default(), holding.as_str().unwrap_or_default());
    put_in(state, "held", name.into());
}

fn used(state: &mut Fields, data: &Fields, times: i64) {
    let known = state.get("uses").and_then(Value::as_i64).unwrap_or(0);
    debug_assert!(data.contains_key("order"), "a use is of an order");
    set(state, "uses", known + times);
}

fn refunded(state: &mut Fields, mut data: Fields) {
    let holding = text(&data, "holding");
    let held = list_of(state, "held");
    let (gone, kept): (Vec<Value>, Vec<Value>) =
        held.into_iter().partition(|one| one.as_str().is_some_and(|name| name.ends_with(&holding)));
    set(state, "held", kept);
    for one in gone {
        put_in(state, "refunded", one);
    }
    for key in ["amount_cents", "to", "reason"] {
        set(state, key, data.remove(key).unwrap_or_default());
    }
}
