//! Every way to say no, and the statuses and shapes it takes.

use std::borrow::Cow;
use std::error::Error;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kernel::{CommandError, LogError, ReadError, Refusal};
use serde_json::{Value, json};

type Source = Box<dyn Error + Send + Sync>;

/// A refusal or failure as the client sees it. Texts are Chinese sentences for the user.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The rules say no: status 200, `suc: false`.
    #[error("{code}: {text}")]
    Business {
        /// For programs, such as `role-in-use`.
        code: Cow<'static, str>,
        /// For people.
        text: String,
    },
    /// The rules say no on a call without an envelope: status 200, `{error: text}`.
    #[error("{0}")]
    Bare(String),
    /// The request cannot be read: 400.
    #[error("{code}: {text}")]
    Malformed {
        /// For programs: `malformed`, `replayed`, `stale`, `unsealed`.
        code: &'static str,
        /// For people.
        text: String,
    },
    /// Nobody, or nobody any more, is signed in: 401.
    #[error("{0}")]
    NoSession(String),
    /// Who was signed in has an account no more that may be used: 401.
    #[error("the account is disabled")]
    Disabled,
    /// The caller may not: 403.
    #[error("{0}")]
    Forbidden(String),
    /// No such path: 404.
    #[error("no such path")]
    UnknownPath,
    /// The path exists, the method does not: 405.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// The body did not come in time: 408.
    #[error("too slow")]
    TooSlow,
    /// The body is longer than allowed: 413.
    #[error("too large")]
    TooLarge,
    /// Too many requests: 429.
    #[error("too many requests")]
    TooMany,
    /// Something that this needs is away for the moment: 503.
    #[error("unavailable")]
    Unavailable(#[source] Source),
    /// Our own fault: 500. The source is logged once, with the trace id, and never told.
    #[error("internal error")]
    Internal(#[source] Source),
}

/// Marks an answer that is not sealed, and carries what other envelopes need.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub code: String,
    pub text: String,
}

impl Refused {
    /// The rules say no.
    pub fn business(code: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        Self::Business { code: code.into(), text: text.into() }
    }

    /// What was asked for does not exist, or lies outside of the caller's scope; the two are not told apart.
    pub fn not_found() -> Self {
        Self::business("not-found", "记录不存在，或不在您的数据范围内")
    }

    /// The request cannot be read.
    pub fn malformed(text: impl Into<String>) -> Self {
        Self::Malformed { code: "malformed", text: text.into() }
    }

    /// Nobody is signed in.
    pub fn no_session() -> Self {
        Self::NoSession("登录已失效，请重新登录".to_owned())
    }

    /// The caller may not.
    pub fn forbidden() -> Self {
        Self::Forbidden("您没有权限进行此操作".to_owned())
    }

    /// Something that this needs is away for the moment.
    pub fn unavailable(source: impl Into<Source>) -> Self {
        Self::Unavailable(source.into())
    }

    /// Our own fault.
    pub fn internal(source: impl Into<Source>) -> Self {
        Self::Internal(source.into())
    }

    fn parts(&self) -> (StatusCode, &str, &str) {
        match self {
            Self::Business { code, text } => (StatusCode::OK, code, text),
            Self::Bare(text) => (StatusCode::OK, "refused", text),
            Self::Malformed { code, text } => (StatusCode::BAD_REQUEST, code, text),
            Self::NoSession(text) => (StatusCode::UNAUTHORIZED, "no-session", text),
            Self::Disabled => (StatusCode::UNAUTHORIZED, "operator-disabled", "账号已停用，请联系管理员"),
            Self::Forbidden(text) => (StatusCode::FORBIDDEN, "forbidden", text),
            Self::UnknownPath => (StatusCode::NOT_FOUND, "unknown-path", "请求错误，未找到该资源"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "该地址不支持此请求方法")
            }
            Self::TooSlow => {
                (StatusCode::REQUEST_TIMEOUT, "too-slow", "请求内容没有及时送达，请检查网络后重试")
            }
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "请求内容过大"),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "too-many", "请求过于频繁，请稍后再试"),
            Self::Unavailable(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "服务暂时不可用，请稍后再试")
            }
            Self::Internal(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "internal", "服务器内部错误，请联系管理员")
            }
        }
    }

    fn body(&self, code: &str, text: &str) -> Value {
        let error = json!({ "code": code, "promot": text, "promt": text });
        match self {
            Self::Bare(_) => json!({ "error": text }),
            Self::Business { .. } => json!({ "suc": false, "error": error }),
            _ => json!({ "message": text, "suc": false, "error": error }),
        }
    }
}

/// An error and its causes, as one line for the log.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, code, text) = self.parts();
        match &self {
            // The request's span adds the trace id.
            Self::Internal(source) => tracing::error!(error = chain(source.as_ref()), "request failed"),
            Self::Unavailable(source) => {
                tracing::warn!(error = chain(source.as_ref()), "request refused for now");
            }
            _ => tracing::debug!(status = status.as_u16(), code, "request refused"),
        }
        let plain = Plain { code: code.to_owned(), text: text.to_owned() };
        let mut response = (status, Json(self.body(code, text))).into_response();
        response.extensions_mut().insert(plain);
        response
    }
}

/// Whether PostgreSQL is away for the moment, rather than refusing what it was asked.
fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
            true
        }
        // 57P: shutting down or starting up; 53: out of connections, memory or disk; 08: connection lost.
        sqlx::Error::Database(told) => {
            told.code().is_some_and(|code| ["57P", "53", "08"].iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}

/// Whether PostgreSQL was given text that it cannot hold: the zero character, as it is or escaped in JSON. The door
/// refuses it in requests; this is for texts that came another way.
fn is_no_text(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == "22021" || code == "22P05")
}

impl Refused {
    /// A failure of a store: 503 when somewhere below it PostgreSQL is away, 400 when the text asked for is none, else
    /// 500.
    pub fn of_store(error: impl Error + Send + Sync + 'static) -> Self {
        let mut next: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(cause) = next {
            let of_database = cause.downcast_ref::<sqlx::Error>();
            if of_database.is_some_and(is_away) {
                return Self::unavailable(error);
            }
            if of_database.is_some_and(is_no_text) {
                return crate::zero::refused();
            }
            next = cause.source();
        }
        Self::internal(error)
    }
}

impl From<sqlx::Error> for Refused {
    fn from(error: sqlx::Error) -> Self {
        Self::of_store(error)
    }
}

impl From<ReadError> for Refused {
    fn from(error: ReadError) -> Self {
        Self::of_store(error)
    }
}

impl From<LogError> for Refused {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Unavailable | LogError::Closed => Self::unavailable(error),
            LogError::Invalid(_) => Self::malformed("内容过长或包含非法字符"),
            error => Self::of_store(error),
        }
    }
}

impl<R: Refusal> From<CommandError<R>> for Refused {
    fn from(error: CommandError<R>) -> Self {
        match error {
            CommandError::NotFound => Self::not_found(),
            CommandError::Refused(refusal) => Self::business(refusal.code(), refusal.message()),
            CommandError::Stale { .. } => Self::business("stale-version", "数据已被他人修改，请刷新后重试"),
            CommandError::RequestReused => {
                Self::business("request-reused", "该请求编号已用于其他操作，请刷新后重试")
            }
            CommandError::Contended => Self::business("contended", "操作的人太多，请稍后再试"),
            CommandError::Log(error) => error.into(),
        }
    }
}

impl From<crate::DirectoryError> for Refused {
    fn from(error: crate::DirectoryError) -> Self {
        Self::unavailable(error)
    }
}
