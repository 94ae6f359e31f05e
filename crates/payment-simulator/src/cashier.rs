//! The page on which a payer confirms.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use payment_port::{Channel, PaymentState};
use vocabulary::Timestamp;

use crate::book::KeptPayment;
use crate::provider::Provider;

const PAGE: &str = include_str!("cashier.html");

/// Nothing from elsewhere, no scripts, nobody's frame.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Below `/cashier`.
pub fn pages() -> Router<Arc<Provider>> {
    Router::new()
        .route("/cashier/{token}", get(page))
        .route("/cashier/{token}/pay", post(pay))
        .route("/cashier/{token}/give-up", post(give_up))
}

async fn page(State(provider): State<Arc<Provider>>, Path(token): Path<String>) -> Response {
    let Some(payment) = provider.at_cashier(&token) else {
        return shown(StatusCode::NOT_FOUND, &simple("没有这笔付款", "链接不正确，或已过很久。"));
    };
    shown(StatusCode::OK, &filled(provider.merchant(), &token, &payment))
}

async fn pay(State(provider): State<Arc<Provider>>, Path(token): Path<String>) -> Response {
    answered(&provider, &token, true)
}

async fn give_up(State(provider): State<Arc<Provider>>, Path(token): Path<String>) -> Response {
    answered(&provider, &token, false)
}

fn answered(provider: &Provider, token: &str, confirms: bool) -> Response {
    if provider.at_cashier(token).is_none() {
        return shown(StatusCode::NOT_FOUND, &simple("没有这笔付款", "链接不正确，或已过很久。"));
    }
    match provider.answer_at_cashier(token, confirms) {
        // The page says how it ended, also to whoever reloads it.
        Ok(()) => Redirect::to(&format!("/cashier/{token}")).into_response(),
        Err(fault) => shown(StatusCode::SERVICE_UNAVAILABLE, &simple("付款未完成", &fault.to_string())),
    }
}

fn shown(status: StatusCode, page: &str) -> Response {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    (status, headers, Html(page.to_owned())).into_response()
}

fn simple(title: &str, text: &str) -> String {
    PAGE.replace("{title}", title)
        .replace("{body}", &format!("<h1>{title}</h1><p class=\"quiet\">{text}</p>"))
}

fn filled(merchant: &str, token: &str, payment: &KeptPayment) -> String {
    let order = &payment.order;
    let (title, after) = match &payment.state {
        PaymentState::Waiting { .. } => (
            "确认支付",
            format!(
                "<form method=\"post\" action=\"/cashier/{token}/pay\"><button class=\"main\">确认支付</button></form>\
                 <form method=\"post\" action=\"/cashier/{token}/give-up\"><button>放弃</button></form>"
            ),
        ),
        PaymentState::Paid { at } => ("支付成功", ended("支付时间", *at)),
        PaymentState::Refused { refusal, at } => {
            ("未支付", format!("<p class=\"quiet\">{}</p>{}", escaped(&refusal.text), ended("时间", *at)))
        }
        PaymentState::Closed { at } => ("付款已关闭", ended("关闭时间", *at)),
    };
    let body = format!(
        "<h1>{title}</h1><p class=\"amount\"><small>¥</small>{amount}</p>\
         <dl><dt>内容</dt><dd>{subject}</dd><dt>收款方</dt><dd>{merchant}</dd><dt>支付渠道</dt><dd>{channel}</dd>\
         <dt>交易单号</dt><dd>{trade_no}</dd><dt>付款截止</dt><dd>{expires}</dd></dl>{after}",
        amount = order.amount_cents,
        subject = escaped(&order.subject),
        merchant = escaped(merchant),
        channel = Channel::label(order.channel),
        trade_no = order.trade_no,
        expires = order.expires_at.local(),
    );
    PAGE.replace("{title}", title).replace("{body}", &body)
}

fn ended(label: &str, at: Timestamp) -> String {
    format!("<p class=\"quiet\">{label} {}</p>", at.local())
}

/// What somebody wrote, as text of a page.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_platform_wrote_is_text_and_no_markup() {
        assert_eq!(escaped("<b a=\"1\">R&D's</b>"), "&lt;b a=&quot;1&quot;&gt;R&amp;D&#39;s&lt;/b&gt;");
    }

    #[test]
    fn the_page_asks_nothing_of_anywhere_else() {
        for word in ["http:", "https:", "<script", "<link", "<img", "@import", "url("] {
            assert!(!PAGE.contains(word), "{word}");
        }
        assert!(PAGE.contains("width=device-width"));
    }
}
