//! Why a role says no.

use kernel::refusals;
use vocabulary::PermissionCode;

use super::sight::{RANGES_MAX, SCHEMES_MAX};
use super::{HOLDERS_MAX, NAME_MAX, REMARK_MAX};
use crate::model::authority::Above;

refusals! {
    /// Why a role says no.
    pub enum RoleRefusal {
        Unknown = "role-unknown": ("角色不存在或已删除"),
        Exists = "role-exists": ("角色已存在"),
        BadName = "role-bad-name": ("角色名称应为 1 到 {NAME_MAX} 个字符"),
        BadRemark = "role-bad-remark": ("备注最多 {REMARK_MAX} 个字符"),
        NameTaken(String) = "role-name-taken": ("角色名称“{0}”已被使用"),
        NoCodes = "role-no-codes": ("请至少选择一项权限"),
        UnknownCode(PermissionCode) = "permission-unknown": ("权限码不存在：{0}"),
        NotForTier { title: &'static str, tier: &'static str } = "permission-not-for-tier": ("权限“{title}”不能授予{tier}级角色"),
        NotForLevel { title: &'static str, tiers: String } = "permission-not-for-level": ("权限“{title}”不能授予{tiers}级人员"),
        NotHeld(String) = "permission-not-held": ("您没有权限“{0}”，不能授予或操作含有该权限的角色"),
        BeyondSight = "role-beyond-sight": ("该角色的可见车辆超出您的可见车辆，您不能创建、授予或操作"),
        TooManyRanges = "role-too-many-ranges": ("可见车辆的编号段最多 {RANGES_MAX} 个"),
        BadRange(String) = "role-bad-range": ("编号段“{0}”不正确：起止编号位数应相同，起不大于止，只含字母、数字、- 或 _"),
        BadRidingState = "role-bad-riding-state": ("可见车辆的骑行状态不正确"),
        TooManySchemes = "role-too-many-schemes": ("可见车辆的电压方案最多 {SCHEMES_MAX} 个"),
        AboveLevel = "role-above-level": ("该角色的级别高于您的级别，您不能创建、授予或操作"),
        HeldBeyondReach = "role-beyond-reach": ("持有该角色的人员中有超出您数据范围的，您不能操作"),
        HeldAboveLevel = "role-held-above-level": ("持有该角色的人员中有级别高于您的，您不能操作"),
        /// Somebody got it at the same moment.
        HoldersChanged = "role-holders-changed": ("持有该角色的人员刚刚变化，请重试"),
        OwnRole = "role-own": ("不能修改自己所持有的角色"),
        OwnRoles = "roles-own": ("不能变更自己的角色"),
        System = "role-system": ("系统角色不能修改、停用或删除"),
        Stale { seen: i64, actual: i64 } = "stale-version": ("角色已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试"),
        InUse(usize) = "role-in-use": ("角色正被 {0} 名人员使用，不能删除"),
        IsDisabled = "role-disabled": ("角色已停用，不能授予"),
        TooManyHolders = "role-too-many-holders": ("一个角色最多授予 {HOLDERS_MAX} 名人员"),
        LastAdministrator = "last-administrator": ("必须保留至少一名启用的超级管理员"),
        /// The operator is disabled, deleted or limited in reach.
        CannotAdminister = "operator-cannot-administer": ("停用的、已删除的或数据范围受限的人员不能担任超级管理员"),
    } or
    /// Who gets or loses it has something that who asks has not.
    Above(Above)
}
