//! Every permission code of the back-office: the only list there is. The authorisation layer, the role editor, the OpenAPI
//! document and the tests read this one.

use super::{Kind, Permission};

/// All four tiers.
const EVERYONE: u8 = 15;
/// 管理员 and 运营: who may hand out codes and manage agents.
const OFFICE: u8 = 3;

const fn directory(code: &'static str, title: &'static str) -> Permission {
    Permission { code, parent: None, title, kind: Kind::Directory, level_mask: EVERYONE }
}

const fn page(parent: &'static str, code: &'static str, title: &'static str) -> Permission {
    Permission { code, parent: Some(parent), title, kind: Kind::Menu, level_mask: EVERYONE }
}

const fn screen(code: &'static str, title: &'static str) -> Permission {
    Permission { code, parent: None, title, kind: Kind::Menu, level_mask: EVERYONE }
}

const fn office(mut permission: Permission) -> Permission {
    permission.level_mask = OFFICE;
    permission
}

/// In the order in which menus and the role editor show them. A parent stands before its children. Parents come from
/// the route table, not from prefixes: `0221` does not imply `02`, while `1601` lies under `07`.
pub(super) static CATALOGUE: &[Permission] = &[
    Permission {
        code: "01", parent: None, title: "代理商选择", kind: Kind::Action, level_mask: EVERYONE
    },
    screen("0221", "运营大屏"),
    screen("LargeRevenueScreen", "营收大屏"),
    screen("02", "运营看板"),
    directory("03", "车辆监控"),
    page("03", "0301", "运营地图"),
    page("03", "030601", "车辆地图"),
    page("03", "0302", "车辆查询"),
    page("03", "0304", "运营分析"),
    page("03", "0305", "设备监控"),
    page("03", "0307", "车辆筛选"),
    directory("07", "用户管理"),
    page("07", "070101", "用户列表"),
    page("07", "0703", "职业认证列表"),
    page("07", "08", "黑名单"),
    page("07", "0704", "实名换绑列表"),
    page("07", "1601", "用户订单"),
    page("07", "0401", "用户工单"),
    page("07", "20", "开票工单"),
    page("07", "returnCarApp", "还车审核"),
    directory("09", "运维管理"),
    page("09", "0901", "换电统计"),
    page("09", "090201", "维修统计"),
    page("09", "090301", "巡检统计"),
    page("09", "0904", "挪车统计"),
    page("09", "0908", "区域管理"),
    page("09", "0909", "运维任务"),
    page("09", "0906", "车辆统计"),
    page("09", "0907", "站点统计"),
    page("09", "0905", "运维报表"),
    page("09", "0910", "站点申请管理"),
    directory("14", "操作日志"),
    page("14", "1402", "车辆日志"),
    page("14", "1403", "设备日志"),
    page("14", "1404", "操作人员日志"),
    office(directory("10", "权限管理")),
    office(page("10", "1001", "角色列表")),
    office(page("10", "1002", "人员列表")),
    directory("17", "营销管理"),
    page("17", "1701", "营销配置"),
    page("17", "1702", "计费配置"),
    page("17", "1703", "商城配置"),
    page("17", "1704", "帮助配置"),
    page("17", "1705", "会员配置"),
    page("17", "1706", "骑行活动"),
    page("17", "1707", "固定活动"),
    page("17", "1709", "兑换券"),
    page("17", "1710", "自定义活动"),
    page("17", "yqyl", "邀请奖励"),
    page("17", "170801", "用户奖励查询"),
    directory("05", "运营配置"),
    page("05", "0501", "维修项配置"),
    page("05", "0502", "系统配置"),
    page("05", "0503", "服务区围栏"),
    page("05", "0504", "停车围栏"),
    page("05", "0505", "禁停围栏"),
    page("05", "0506", "消息模板"),
    directory("15", "报表管理"),
    page("15", "FinancialReconciliation", "财务对账"),
    page("15", "150101", "每日统计"),
    page("15", "1502", "交易号查询"),
    page("15", "150301", "钱包报表"),
    page("15", "150401", "会员报表"),
    page("15", "150501", "骑行卡报表"),
    page("15", "150601", "折扣卡报表"),
    office(directory("11", "代理商管理")),
    office(page("11", "1101", "账号管理")),
    office(page("11", "1102", "角色模板")),
    office(page("11", "1103", "服务区管理")),
    directory("06", "生产信息"),
    directory("18", "工单反馈"),
    page("18", "1801", "查看工单"),
    page("18", "1802", "新建工单"),
    directory("financial", "产品服务"),
    page("financial", "financial_01", "费用中心"),
    page("financial", "financial_02", "分账账单"),
    page("financial", "financial_03", "账单明细"),
    page("financial", "financial_04", "异议账单"),
    page("financial", "financial_05", "分账规则"),
    page("financial", "financial_06", "账户管理"),
];

/// What machine clients may be allowed, with its meaning. Never part of a role.
pub(super) static MACHINE_CODES: &[(&str, &str)] = &[
    ("open:territory", "建立代理商、服务区与围栏"),
    ("open:fleet", "登记车辆、设备与网关"),
    ("open:ride", "运维动作、停车记录与附件"),
    ("open:rider", "骑行用户的一切：注册、用车、还车、支付"),
    ("open:feeds", "读取开放数据（GBFS 与 MDS）"),
];
