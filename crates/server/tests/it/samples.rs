//! One request for every route of the table, such as an operator of one agent would send to get at another's
//! things. Whoever adds a route adds its sample here: without one the walk fails.

mod logs;
mod orders;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use self::logs::of_logs;
use self::orders::of_orders;
use crate::alarm_samples::of_alarms;
use crate::firmware_samples::of_firmwares;
use crate::map_samples::of_map;
use crate::walk::Route;
use crate::wall_samples::of_walls;

/// What another agent has, by the names that calls know it by.
pub struct Theirs {
    pub agent: String,
    pub area: String,
    pub fence: String,
    /// A change of many fences, their own among them.
    pub batch: String,
    /// A maintenance area with its people.
    pub maintained: String,
    /// A station application.
    pub application: String,
    /// A rider, his certification, his rebinding and his entry of the blacklist.
    pub cases: [String; 4],
    /// A request for a second person.
    pub approval: String,
    /// A card on sale.
    pub product: String,
    pub car: String,
    pub imei: String,
    pub role: String,
    pub template: String,
    pub franchisee: String,
    /// A payment account, and the bank card that waits for its code.
    pub account: String,
    pub card: String,
    pub phone: String,
    pub operator: String,
    pub device: String,
    pub command: String,
    /// A shared view of the operation map, and a hand-over note.
    pub view: String,
    pub note: String,
    pub scheme: String,
    /// Of something that happened to them.
    pub position: String,
}

/// What a request may bring about.
pub enum Sample {
    /// A query that names what is theirs: nothing of it is told.
    Ask(Value),
    /// A command that names what is theirs: refused, and nothing happens.
    Tell(Value),
    /// A command about oneself: nothing of theirs is told.
    Own(Value),
    /// Not cut to agents; why.
    Whole(&'static str),
}

const AUTHENTICATION: Sample = Sample::Whole("the way in: there is no caller yet");
const MACHINES: Sample = Sample::Whole("machine clients of the system reach all agents");
const STATE: Sample = Sample::Whole("tells of the server alone");

/// The sample of a route; none: somebody forgot it.
pub fn sample(route: &Route, theirs: &Theirs) -> Option<Sample> {
    let path = route.declared.strip_prefix(wire::BASE).unwrap_or(&route.declared);
    if route.is_machine() {
        return Some(MACHINES);
    }
    let at = (route.method.as_str(), path);
    if let Some(sample) = of_riders(at, theirs) {
        return Some(sample);
    }
    if path.ends_with("/export") {
        return Some(file());
    }
    door(at)
        .or_else(|| of_access(at, theirs))
        .or_else(|| of_owner(at, theirs))
        .or_else(|| of_finance(at, theirs))
        .or_else(|| of_fences(at, theirs))
        .or_else(|| of_applications(at, theirs))
        .or_else(|| of_rider_cases(at, theirs))
        .or_else(|| of_approvals(at, theirs))
        .or_else(|| of_cards(at, theirs))
        .or_else(|| of_edges(at, theirs))
        .or_else(|| of_crews(at, theirs))
        .or_else(|| of_configs(at, theirs))
        .or_else(|| of_orders(at, theirs))
        .or_else(|| of_returns(at, theirs))
        .or_else(|| of_alarms(at, theirs))
        .or_else(|| of_firmwares(at, theirs))
        .or_else(|| of_map(at, theirs))
        .or_else(|| of_walls(at, theirs))
        .or_else(|| of_logs(at, theirs))
        .or_else(|| others(at, theirs))
}

/// A whole list as a file; a log's is cut to a span. It names nothing of theirs, for what was asked stands in the log.
fn file() -> Sample {
    Sample::Ask(logs::spanning(json!({})))
}

fn door(at: (&str, &str)) -> Option<Sample> {
    Some(match at {
        ("GET", "/auth/publicKey" | "/auth/sms/user" | "/web/config" | "/ws") => AUTHENTICATION,
        (
            "POST",
            "/auth/sms/code"
            | "/auth/obs/sms/code"
            | "/auth/sms/verify"
            | "/auth/verifySign"
            | "/auth/login/phone"
            | "/auth/login/authorized"
            | "/auth/logout"
            | "/platform/permission/login"
            | "/mieba/platform/opman/device/verification"
            | "/mieba/v2/platform/opman/device/permission",
        ) => AUTHENTICATION,
        ("GET", "/healthz" | "/readyz" | "/metrics") => STATE,
        ("POST", "/open/v1/payment/notice") => {
            Sample::Whole("signed by the payment provider, for whom there is no caller")
        }
        ("GET", "/map/base") => Sample::Whole("the base map shows no vehicles"),
        _ => return None,
    })
}

fn of_access(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, area, role, phone, operator, device, .. } = theirs;
    let operator_form = |more: Value| {
        let mut form = json!({"name": "越权", "level": 2, "agentId": agent, "opAreaIds": [area],
            "roleIds": [role], "state": 1, "version": 1});
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        form
    };
    let role_form = json!({"id": role, "name": "越权", "tier": 1, "remark": "", "codes": ["0301"], "state": 1,
        "agentId": agent, "version": 1});
    Some(match at {
        ("POST", "/auth/token") => Sample::Tell(json!({"agentIds": [agent], "opAreaIds": [area]})),
        ("POST", "/auth/quickLink") => Sample::Tell(json!({"phone": phone})),
        ("GET", "/platform/permission/allCode" | "/platform/permission/tree/opMan") => {
            Sample::Ask(json!({"opManId": phone}))
        }
        ("GET", "/platform/permission/tree" | "/platform/permission/role/enable") => Sample::Ask(json!({})),
        ("POST", "/platform/permission/user/bangwo8") => {
            Sample::Tell(json!({"name": "越权", "phone": phone, "company": "", "objectId": operator}))
        }
        ("GET", "/platform/permission/user") => Sample::Ask(json!({"keyword": phone, "roleId": role})),
        ("GET" | "DELETE", "/platform/permission/user/{phone}")
        | ("GET", "/platform/permission/user/{phone}/codes") => {
            if at.0 == "GET" {
                Sample::Ask(json!({}))
            } else {
                Sample::Tell(json!({}))
            }
        }
        ("POST", "/platform/permission/user/{phone}") => Sample::Tell(operator_form(json!({}))),
        ("POST", "/platform/permission/user") => Sample::Tell(operator_form(json!({"phone": "13712345678"}))),
        ("DELETE", "/platform/permission/user") => Sample::Tell(json!({"phones": phone})),
        ("POST", "/platform/permission/user/state") => Sample::Tell(json!({"phone": phone, "state": 0})),
        ("GET", "/platform/permission/role") => Sample::Ask(json!({"keyword": "他们的", "pageSize": "200"})),
        ("POST" | "PUT", "/platform/permission/role") => Sample::Tell(role_form),
        ("DELETE", "/platform/permission/role") => Sample::Tell(json!({"id": role})),
        ("POST", "/platform/permission/role/state") => Sample::Tell(json!({"id": role, "state": 0})),
        ("GET", "/platform/permission/role/info") => Sample::Ask(json!({"id": role})),
        (
            "GET",
            "/mieba/v2/platform/opman/device/login_info" | "/mieba/v2/platform/opman/device/authorize_info",
        ) => Sample::Ask(json!({"mobilePhoneNumber": phone})),
        (
            "POST",
            "/mieba/v2/platform/opman/device/authorize_confirm"
            | "/mieba/v2/platform/opman/device/authorize_remove",
        ) => Sample::Tell(json!({"id": device})),
        _ => return None,
    })
}

fn of_owner(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, area, template, franchisee, .. } = theirs;
    let account = json!({"agentId": agent, "parentId": agent, "company": "越权出行", "contact": "陈伟",
        "phone": "13712345679", "serviceAreaIds": [area], "billingWay": 0, "state": 0, "remark": "", "version": 1});
    let template_form = json!({"id": template, "name": "越权", "remark": "", "codes": ["0301"],
        "levelMask": 15, "state": 1, "version": 1});
    let franchisee_form = json!({"id": franchisee, "agentId": agent, "company": "越权", "contact": "陈伟",
        "phone": "13712345670", "serviceAreaIds": [area], "state": 1, "reason": "越权", "version": 1});
    let area_form = json!({"id": area, "agentId": agent, "name": "越权区", "tel": "05920000000", "state": 2,
        "notice": "越权", "version": 1});
    Some(match at {
        (
            "GET",
            "/platform/agent/account/list"
            | "/platform/agent/tree"
            | "/platform/agent/tree/admin"
            | "/platform/agent/serviceArea/opMan"
            | "/platform/agent/serviceArea/agents"
            | "/fence/map"
            | "/fence/map/stations",
        ) => Sample::Ask(json!({"agentIds": agent})),
        ("GET", "/platform/agent/byApiKey") => Sample::Ask(json!({"apiKey": agent, "domain": "localhost"})),
        (
            "GET",
            "/platform/agent/billingWay"
            | "/platform/agent/serviceArea/belongToAgent"
            | "/platform/agent/serviceArea"
            | "/platform/agent/account"
            | "/platform/agent/allyInfo",
        ) => Sample::Ask(json!({"agentId": agent, "pageSize": "200"})),
        ("GET", "/platform/agent/role" | "/platform/agent/role/{id}") => {
            Sample::Ask(json!({"pageSize": "200"}))
        }
        ("POST" | "PUT", "/platform/agent/role") => Sample::Tell(template_form),
        ("DELETE", "/platform/agent/role") => Sample::Tell(json!({"id": template})),
        ("GET", "/platform/agent/serviceArea/info") => Sample::Ask(json!({"id": area})),
        ("PUT", "/platform/agent/serviceArea")
        | ("POST", "/platform/agent/serviceArea/state" | "/platform/agent/serviceArea/agent") => {
            Sample::Tell(area_form)
        }
        ("POST" | "PUT", "/platform/agent/account") | ("POST", "/platform/agent/account/state") => {
            Sample::Tell(account)
        }
        ("DELETE", "/platform/agent/account") => Sample::Tell(json!({"agentId": agent})),
        ("GET", "/platform/agent/allyInfo/info") => Sample::Ask(json!({"id": franchisee})),
        ("POST" | "PUT", "/platform/agent/allyInfo")
        | ("POST", "/platform/agent/allyInfo/state" | "/platform/agent/allyInfo/unmask") => {
            Sample::Tell(franchisee_form)
        }
        ("DELETE", "/platform/agent/allyInfo") => Sample::Tell(json!({"id": franchisee})),
        _ => return None,
    })
}

fn of_fences(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { area, fence, .. } = theirs;
    let ring = json!([[[118.1, 24.5], [118.101, 24.5], [118.101, 24.501], [118.1, 24.5]]]);
    let form = json!({"id": fence, "type": "parking", "opAreaId": area, "name": "越权", "version": 1, "state": 0,
        "dataVersion": 1, "geometry": {"type": "Polygon", "coordinates": ring}});
    let batch = json!({"id": theirs.batch, "fences": [{"id": fence, "version": 1}],
        "change": {"capacity": {"by": 1}}, "reason": "越权"});
    Some(match at {
        ("GET", "/fence/batch/list") => Sample::Ask(json!({})),
        ("POST", "/fence/batch" | "/fence/batch/preview" | "/fence/batch/undo") => Sample::Tell(batch),
        ("GET", "/fence/list" | "/fence/delivery/bikes") => {
            Sample::Ask(json!({"opAreaId": area, "pageSize": "200"}))
        }
        ("GET", "/fence/delivery") => Sample::Ask(json!({"opAreaIds": area})),
        ("POST", "/fence/delivery/again") => Sample::Tell(json!({"opAreaId": area})),
        ("GET", "/fence/{id}") => Sample::Ask(json!({})),
        ("GET", "/fence/versions" | "/fence/returns") => Sample::Ask(json!({"id": fence})),
        ("GET", "/fence/photo") => Sample::Ask(json!({"id": fence, "photoId": "1"})),
        ("POST" | "DELETE", "/fence/photo") => Sample::Tell(json!({"id": fence, "photoId": "1"})),
        ("GET", "/fence/drawings") => Sample::Ask(json!({})),
        ("GET", "/statistics/station") => Sample::Ask(json!({"opAreaIds": area, "id": fence})),
        ("GET", "/fence/judge") => Sample::Ask(json!({"lng": "118.1", "lat": "24.5", "opAreaId": area})),
        ("POST", "/fence/import") => {
            Sample::Tell(json!({"type": "parking", "opAreaId": area, "rows": [form]}))
        }
        ("DELETE", "/fence/{id}") => Sample::Tell(json!({"version": "1"})),
        ("POST" | "PUT", "/fence")
        | (
            "POST",
            "/fence/preview" | "/fence/state" | "/fence/publish" | "/fence/discard" | "/fence/withdraw"
            | "/fence/rollback",
        ) => Sample::Tell(form),
        _ => return None,
    })
}

fn of_crews(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { area, maintained, operator, .. } = theirs;
    let ring = json!([[[118.1, 24.5], [118.101, 24.5], [118.101, 24.501], [118.1, 24.5]]]);
    let form = json!({"id": maintained, "opAreaId": area, "name": "越权", "version": 2, "leaders": [operator],
        "geometry": {"type": "Polygon", "coordinates": ring}});
    Some(match at {
        ("GET", "/ops/area") => Sample::Ask(json!({"personId": operator, "pageSize": "200"})),
        ("GET", "/ops/area/info") => Sample::Ask(json!({"id": maintained})),
        ("GET", "/ops/area/people") => Sample::Ask(json!({"keyword": "", "opAreaId": area})),
        ("POST" | "PUT", "/ops/area") => Sample::Tell(form),
        ("DELETE", "/ops/area") => Sample::Tell(json!({"id": maintained, "version": "2"})),
        _ => return None,
    })
}

fn of_configs(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { area, .. } = theirs;
    let which = json!({"kind": 1, "opAreaId": area, "version": 0, "dataVersion": 0, "note": "越权", "to": [area],
        "publish": true});
    Some(match at {
        ("POST", "/order/cost/compute") => {
            Sample::Ask(json!({"opAreaId": area, "startTime": 1_795_140_000_000_i64,
            "endTime": 1_795_141_000_000_i64, "distance": 900}))
        }
        ("POST", "/config/area/billing/simulate") => {
            Sample::Ask(json!({"opAreaId": area, "billing": riding::model::billing::Billing::default()}))
        }
        ("GET", path) if path.starts_with("/config/area/") => Sample::Ask(json!({ "opAreaId": area })),
        ("PUT", "/config/area/billing") => config_form::<riding::model::billing::Billing>(area),
        ("PUT", "/config/area/return") => config_form::<riding::model::return_rules::ReturnRules>(area),
        ("PUT", "/config/area/use") => config_form::<riding::model::use_rules::UseRules>(area),
        ("PUT", "/config/area/pay") => config_form::<riding::model::pay_rules::PayRules>(area),
        ("PUT", "/config/area/permission") => {
            config_form::<riding::model::riding_permission::RidingPermission>(area)
        }
        ("PUT", "/config/area/alarm") => config_form::<riding::model::alarm_rules::AlarmRules>(area),
        ("POST", path) if path.starts_with("/config/area/") => Sample::Tell(which),
        _ => return None,
    })
}

fn of_returns(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, area, .. } = theirs;
    Some(match at {
        ("GET", "/order/returnReview/list") => {
            Sample::Ask(json!({"agentId": agent, "opAreaId": area, "pageSize": "200"}))
        }
        ("GET", "/order/returnReview/{id}") => Sample::Ask(json!({})),
        ("GET", "/order/returnReview/photo") => Sample::Ask(json!({"id": "1", "photoId": "1"})),
        ("POST", "/order/returnReview") => {
            Sample::Tell(json!({"id": "1", "result": "reject", "remark": "越权"}))
        }
        _ => return None,
    })
}

/// A draft for an area.
fn config_form<T: riding::model::config::Setting>(area: &str) -> Sample {
    Sample::Tell(json!({"opAreaId": area, "version": 0, "content": T::default()}))
}

fn of_edges(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, area, .. } = theirs;
    let ring = json!([[[118.1, 24.5], [118.2, 24.5], [118.2, 24.6], [118.1, 24.5]]]);
    let form = json!({"id": area, "agentId": agent, "name": "越权", "version": 1, "dataVersion": 1, "mayOverlap": true,
        "geometry": {"type": "Polygon", "coordinates": ring}});
    Some(match at {
        ("GET", "/fence/area/list") => Sample::Ask(json!({"agentId": agent, "pageSize": "200"})),
        ("GET", "/fence/area/info" | "/fence/area/versions" | "/fence/area/version") => {
            Sample::Ask(json!({"id": area, "dataVersion": "1"}))
        }
        ("POST" | "PUT", "/fence/area") | ("POST", "/fence/area/rollback") => Sample::Tell(form),
        _ => return None,
    })
}

fn of_applications(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { area, application, .. } = theirs;
    Some(match at {
        ("GET", "/fence/parkApplication") => Sample::Ask(json!({"opAreaId": area, "pageSize": "200"})),
        ("GET", "/fence/parkApplication/info" | "/fence/parkApplication/votes") => {
            Sample::Ask(json!({"id": application}))
        }
        ("GET", "/fence/parkApplication/photo") => Sample::Ask(json!({"id": application, "photoId": "1"})),
        ("POST", "/fence/parkApplication/review") => {
            Sample::Tell(json!({"id": application, "result": "reject", "remark": "越权", "version": 1}))
        }
        _ => return None,
    })
}

fn of_approvals(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, approval, .. } = theirs;
    let version = json!({"agentId": agent, "dataVersion": 1, "rules": [], "version": 1});
    Some(match at {
        ("GET", "/platform/approval/list") => Sample::Ask(json!({"agentId": agent, "pageSize": "200"})),
        ("GET", "/platform/approval/count" | "/platform/approval/kinds" | "/platform/approval/{id}") => {
            Sample::Ask(json!({}))
        }
        ("GET", "/platform/approval/limits") => Sample::Ask(json!({"agentId": agent})),
        ("POST", "/platform/approval/decide") => Sample::Tell(json!({"id": approval, "result": "accept"})),
        ("POST", "/platform/approval/withdraw") => Sample::Tell(json!({"id": approval})),
        (
            "POST",
            "/platform/approval/limits"
            | "/platform/approval/limits/rollback"
            | "/platform/approval/limits/withdraw",
        ) => Sample::Tell(version),
        _ => return None,
    })
}

fn of_cards(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, product, .. } = theirs;
    let form = json!({"id": product, "agentId": agent, "version": 1, "kind": 4, "name": "越权", "days": 1, "times": 1,
        "priceCents": 1, "originPriceCents": 1});
    let of_version = json!({"id": product, "number": 1, "version": 1, "state": 0});
    Some(match at {
        ("GET", "/marketing/card") => Sample::Ask(json!({"agentId": agent, "pageSize": "200"})),
        ("GET", "/marketing/card/info" | "/marketing/card/simulation" | "/marketing/card/versions") => {
            Sample::Ask(json!({"id": product}))
        }
        ("POST" | "PUT", "/marketing/card") => Sample::Tell(form),
        ("DELETE", "/marketing/card") => Sample::Tell(json!({"id": product})),
        ("POST", path) if path.starts_with("/marketing/card/") => Sample::Tell(of_version),
        ("GET", "/user/card") => Sample::Ask(json!({"agentId": agent, "pageSize": "200"})),
        ("POST", "/user/card/refund") => {
            Sample::Tell(json!({"userId": "1", "holdingId": "1", "refundTo": 1, "reason": "越权"}))
        }
        _ => return None,
    })
}

fn of_riders(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let rider = &theirs.cases[0];
    let ask = || Some(Sample::Ask(json!({"userId": rider})));
    match at {
        ("GET", "/user/list") => Some(Sample::Ask(json!({"agentId": theirs.agent, "pageSize": "200"}))),
        ("GET", "/user/{userId}") => Some(Sample::Ask(json!({}))),
        (
            "GET",
            "/user/wallet" | "/user/wallet/records" | "/user/wallet/records/export" | "/user/deposit",
        ) => ask(),
        ("POST", "/user/unmask") => Some(Sample::Tell(json!({"userId": rider, "what": "phone"}))),
        ("POST", "/user/{userId}/state") => Some(Sample::Tell(json!({"state": 1, "reason": "越权"}))),
        ("POST", "/user/wallet/topUp") => Some(Sample::Tell(json!({"userId": rider, "amount": 1, "gift": 0,
            "remark": "越权", "requestId": "0192f0c1-2b3c-7d4e-8f50-a1b2c3d4e5f6"}))),
        ("POST", "/user/deposit/freeze" | "/user/deposit/recover") => {
            Some(Sample::Tell(json!({"userId": rider, "reason": "越权"})))
        }
        _ => None,
    }
}

fn of_rider_cases(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let [rider, certification, rebinding, entry] = &theirs.cases;
    let ask = |id: &str| Some(Sample::Ask(json!({"id": id})));
    let tell =
        |id: &str| Some(Sample::Tell(json!({"id": id, "result": "reject", "remark": "越权", "version": 1})));
    let list = || Some(Sample::Ask(json!({"opAreaId": theirs.area, "pageSize": "200"})));
    let photo = |id: &str| Some(Sample::Ask(json!({"id": id, "photoId": "1"})));
    match at {
        ("GET", "/user/occupation/list" | "/user/rebind/list" | "/user/blacklist") => list(),
        ("GET", "/user/occupation/info") => ask(certification),
        ("GET", "/user/rebind/info") => ask(rebinding),
        ("GET", "/user/blacklist/info") => ask(entry),
        ("GET", "/user/occupation/photo") => photo(certification),
        ("GET", "/user/rebind/photo") => photo(rebinding),
        ("GET", "/user/blacklist/photo") => photo(entry),
        ("POST", "/user/occupation/review") => tell(certification),
        ("POST", "/user/rebind/review") => tell(rebinding),
        ("POST", "/user/occupation/unmask") => Some(Sample::Tell(json!({"id": certification}))),
        ("POST", "/user/rebind/unmask") => Some(Sample::Tell(json!({"id": rebinding}))),
        ("POST", "/user/blacklist/unmask") => Some(Sample::Tell(json!({"id": entry}))),
        ("GET", "/user/blacklist/riders") => Some(Sample::Ask(json!({"keyword": rider}))),
        ("POST", "/user/blacklist") => {
            Some(Sample::Tell(json!({"userId": rider, "kind": 1, "scope": 2, "reason": "越权"})))
        }
        ("DELETE", "/user/blacklist") => Some(Sample::Tell(json!({"userId": rider, "reason": "越权"}))),
        ("POST", "/user/blacklist/lift") => Some(Sample::Ask(json!({"ids": ["1"], "reason": "越权"}))),
        ("POST", "/user/blacklist/photo") => Some(Sample::Tell(json!({"id": entry}))),
        ("DELETE", "/user/blacklist/photo") => Some(Sample::Tell(json!({"id": entry, "photoId": "1"}))),
        _ => None,
    }
}

fn others(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { car, imei, role, phone, command, position, .. } = theirs;
    Some(match at {
        ("POST", "/device/lock") => {
            Sample::Tell(json!({"carId": car, "action": "lock", "reason": "", "requestId": "walk-1"}))
        }
        ("POST", "/device/command") => {
            Sample::Tell(json!({"carId": car, "command": "ring", "reason": "", "requestId": "walk-2"}))
        }
        ("GET", "/vehicle/map/areas") => Sample::Ask(json!({})),
        ("GET", "/vehicle/blocked") => Sample::Ask(json!({})),
        ("GET", "/vehicle/device/online") => Sample::Ask(json!({"hours": "24"})),
        ("POST", "/device/command/cancel") => Sample::Tell(json!({"commandId": command})),
        ("POST", "/device/command/batch") => Sample::Tell(json!({"carIds": [car], "kind": 10})),
        ("POST", "/vehicle/keep") => Sample::Tell(json!({"carIds": [car], "act": 9, "addTags": ["越权"]})),
        ("GET", "/device/lock/state") => Sample::Ask(json!({"commandId": command, "carId": car})),
        ("GET", "/vehicle/search") => Sample::Ask(json!({"keyword": imei})),
        ("GET", "/vehicle/query") => Sample::Ask(json!({"keyword": car, "pageSize": "200"})),
        ("GET", "/vehicle/screening") => Sample::Ask(json!({"keyword": car, "pageSize": "200"})),
        ("GET", "/vehicle/device" | "/vehicle/device/summary") => {
            Sample::Ask(json!({"keyword": car, "pageSize": "200"}))
        }
        ("GET", "/vehicle/map") => {
            Sample::Ask(json!({"at": (SystemClock.now().millis() - 1_000).to_string()}))
        }
        ("GET", "/vehicle/map/times") => Sample::Whole("tells when the fleet was kept, nothing of it"),
        ("GET", "/vehicle/map/bike") => Sample::Ask(json!({"carId": car})),
        (
            "GET",
            "/vehicle/{carId}"
            | "/vehicle/{carId}/history"
            | "/vehicle/{carId}/commands"
            | "/vehicle/device/{carId}/curve",
        ) => Sample::Ask(json!({})),
        ("GET", "/platform/aliyunlog/userlogs") => Sample::Ask(json!({"pageSize": "200", "opManId": phone})),
        ("GET", "/platform/aliyunlog/userlogs/{position}" | "/platform/aliyunlog/actions") => {
            Sample::Ask(json!({}))
        }
        ("GET", "/platform/aliyunlog/subjects") => Sample::Ask(json!({"category": "role", "keyword": ""})),
        ("GET", "/platform/aliyunlog/history" | "/platform/aliyunlog/history/at") => {
            Sample::Ask(json!({"category": "role", "id": role, "position": position}))
        }
        ("POST", "/platform/aliyunlog/access") => {
            Sample::Own(json!({"kind": "export", "what": "人员列表", "target": "", "rows": 1}))
        }
        _ => return None,
    })
}

fn of_finance(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, account, card, .. } = theirs;
    let application = json!({"agentId": agent, "accountType": 1, "customerName": "越权", "contact": "陈伟",
        "certNo": "91350100M000100Y43", "phone": "13712345678"});
    let bank_card = json!({"accountId": account, "cardNo": "4111111111111111", "bankMobile": "13712345678",
        "bankName": "银行", "holder": "陈伟", "idNo": "11010519491231002X", "phone": "13712340001",
        "scene": "bindCard", "reason": "越权"});
    Some(match at {
        ("GET", "/Pay/customer/getAccountInfo" | "/Pay/customer/accountList") => {
            Sample::Ask(json!({ "agentId": agent }))
        }
        ("GET", "/Pay/customer/list") => Sample::Ask(json!({"size": "200"})),
        ("GET", "/Pay/customer/detail") => Sample::Ask(json!({ "accountId": account })),
        ("POST", "/Pay/customer/getAccountByTenantName") => Sample::Own(json!({"tenantName": "A 出行"})),
        ("POST", "/Pay/customer/openAccount") => Sample::Tell(application),
        ("POST", "/Pay/customer/bindCard" | "/Pay/customer/applyUnbindCard" | "/Pay/message/sendCode") => {
            Sample::Tell(bank_card)
        }
        ("POST", "/Pay/customer/bindCardCheck") => {
            Sample::Tell(json!({"bindId": card, "smsCode": crate::stack::SMS_CODE}))
        }
        ("PUT", "/Pay/customer/state") => {
            Sample::Tell(json!({"accountId": account, "version": 3, "status": 4, "reason": "越权"}))
        }
        ("PUT", "/Pay/customer/card/state") => {
            Sample::Tell(json!({"accountId": account, "cardId": card, "agree": true}))
        }
        ("POST", "/Pay/customer/modifyPwd") => {
            Sample::Whole("a link to the page of one's own agent's password")
        }
        ("GET" | "POST", "/stand-in/pay-password") => AUTHENTICATION,
        _ => return None,
    })
}

/// What a refusal says when what was asked for lies beyond the caller.
pub fn beyond(route: &Route) -> &'static str {
    let path = route.declared.strip_prefix(wire::BASE).unwrap_or(&route.declared);
    match (route.method.as_str(), path) {
        ("POST", "/auth/token") => "selection-not-held",
        ("POST", "/platform/permission/user/bangwo8") => "operator-not-oneself",
        // Registering results, templates and firmware are the platform's, whatever an agent's people hold.
        ("PUT", "/Pay/customer/state" | "/Pay/customer/card/state")
        | ("POST", "/platform/agent/account" | "/production/upgrade/state")
        | ("POST" | "PUT", "/production/upgrade")
        | ("POST" | "PUT" | "DELETE", "/platform/agent/role") => "platform-only",
        (
            "POST",
            "/Pay/customer/openAccount"
            | "/platform/agent/allyInfo"
            | "/platform/agent/serviceArea/agent"
            | "/fence/area",
        ) => "agent-unknown",
        ("POST", "/fence" | "/fence/import" | "/ops/area") | ("GET", "/ops/area/people") => "area-unknown",
        // As for a card that there is not.
        ("POST", "/Pay/customer/bindCardCheck") => "payment-code-over",
        ("GET", "/vehicle/{carId}/history" | "/vehicle/device/{carId}/curve" | "/vehicle/map/bike") => {
            "vehicle-not-found"
        }
        // Nobody reported there.
        ("GET", "/vehicle/map") => "past-gap",
        _ if path.starts_with("/Pay/") => "payment-account-unknown",
        _ => "not-found",
    }
}

/// The address of a route that names what is theirs.
pub fn address(route: &Route, theirs: &Theirs) -> String {
    route
        .declared
        .replace("{phone}", &theirs.phone)
        .replace("{carId}", &theirs.car)
        .replace("/fence/{id}", &format!("/fence/{}", theirs.fence))
        .replace("/voltageScheme/{id}", &format!("/voltageScheme/{}", theirs.scheme))
        .replace("{id}", &theirs.template)
        .replace("{position}", &theirs.position)
        .replace("{areaId}", &theirs.area)
        .replace("{userId}", &theirs.cases[0])
        .replace("{orderId}", "1")
}
