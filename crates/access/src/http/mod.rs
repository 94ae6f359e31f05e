//! The calls of this context. Handlers translate; rules are in the models, order is in the use cases.

mod cs_tool;
mod devices;
mod operators;
mod quick_link;
mod roles;
mod sign_in;
mod sms;
pub(crate) mod tiles;
mod token;
mod tree;
pub(crate) mod web_config;

use std::sync::Arc;

use kernel::Runtime;
use serde::{Deserialize, Deserializer};
use utoipa_axum::routes;
use vocabulary::Phone;
use wire::{Hosted, Listed, Permit, Record, Refused, Routes, given};

use crate::Access;

const ROLES: Permit = Permit::AnyOf(&["1001"]);
const PEOPLE: Permit = Permit::AnyOf(&["1002"]);

impl Hosted for Access {
    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

/// Every call of this context with who may make it.
pub(crate) fn routes(access: Arc<Access>) -> Routes {
    Routes::new("access")
        .add(Permit::Open, routes!(web_config::web_config))
        .add(Permit::Open, routes!(sms::send_code))
        .add(Permit::Open, routes!(sms::send_code_obs))
        .add(Permit::Open, routes!(devices::verification))
        .add(Permit::Keyed, routes!(sms::verify_code))
        .add(Permit::Keyed, routes!(sms::look_up))
        .add(Permit::Keyed, routes!(sign_in::login_phone))
        .add(Permit::Keyed, routes!(sign_in::login_authorized))
        .add(Permit::Keyed, routes!(sign_in::login))
        .add(Permit::Keyed, routes!(sign_in::logout))
        .add(Permit::Keyed, routes!(devices::permission))
        .add(Permit::SignedIn, routes!(devices::login_info))
        .add(Permit::SignedIn, routes!(token::renew))
        .add(Permit::SignedIn, routes!(tree::all_code))
        .add(Permit::SignedIn, routes!(cs_tool::register))
        .add(Permit::AnyOf(&["10"]), routes!(quick_link::mint))
        .add(PEOPLE, routes!(devices::authorize_info))
        .add(PEOPLE, routes!(devices::authorize_confirm))
        .add(PEOPLE, routes!(devices::authorize_remove))
        .add_list::<operators::ListQuery>(
            PEOPLE,
            Listed {
                path: "/platform/permission/user",
                operations: ["listOperators", "exportOperators"],
                summary: "Operators in scope, newest first.",
            },
        )
        .add(PEOPLE, routes!(operators::create))
        .add(PEOPLE, routes!(operators::delete_many))
        .add(PEOPLE, routes!(operators::update))
        .add(PEOPLE, routes!(operators::info))
        .add(PEOPLE, routes!(operators::codes))
        .add(PEOPLE, routes!(operators::delete_one))
        .add(PEOPLE, routes!(operators::state))
        .add(PEOPLE, routes!(roles::enabled))
        .add_list::<roles::ListQuery>(
            ROLES,
            Listed {
                path: "/platform/permission/role",
                operations: ["listRoles", "exportRoles"],
                summary: "Roles in scope, newest first.",
            },
        )
        .add(ROLES, routes!(roles::create))
        .add(ROLES, routes!(roles::update))
        .add(ROLES, routes!(roles::delete))
        .add(ROLES, routes!(roles::state))
        .add_record::<roles::ListQuery>(
            ROLES,
            Record { path: "/platform/permission/role/info", operation: "roleInfo", summary: "One role." },
        )
        .add(ROLES, routes!(tree::tree))
        .add(ROLES, routes!(tree::of_operator))
        .with_state(access)
}

/// A phone as the path, query or body names it.
pub(crate) fn phone(text: &str) -> Result<Phone, Refused> {
    text.parse().map_err(|error: vocabulary::NotAPhone| Refused::business("phone-bad", error.to_string()))
}

/// 0 or 1, as a number or its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OnOff(pub bool);

impl<'de> Deserialize<'de> for OnOff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(i64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(0) => Ok(Self(false)),
            Form::Number(1) => Ok(Self(true)),
            Form::Text(text) if text == "0" => Ok(Self(false)),
            Form::Text(text) if text == "1" => Ok(Self(true)),
            _ => Err(serde::de::Error::custom("状态应为 0（停用）或 1（启用）")),
        }
    }
}

/// 0 or 1 that a query gives as text; empty means absent.
pub(crate) fn on_off(name: &str, text: Option<&String>) -> Result<Option<bool>, Refused> {
    match given(text) {
        None => Ok(None),
        Some("0") => Ok(Some(false)),
        Some("1") => Ok(Some(true)),
        Some(_) => Err(Refused::malformed(format!("请求参数 {name} 格式不正确"))),
    }
}
