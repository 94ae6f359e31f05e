//! A role template (代理角色模板): what an agent's people may hold at most, whatever their roles say.

use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::{line, lines};
use vocabulary::{AgentRoleId, DataOwner, PermissionCode, Scope, Timestamp};

/// A name has at most so many characters.
pub const NAME_MAX: usize = 20;
/// A remark has at most so many characters.
pub const REMARK_MAX: usize = 200;

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AgentRoleForm)]
pub struct Form {
    /// 1 to [`NAME_MAX`] characters, unique.
    pub name: String,
    /// At most [`REMARK_MAX`] characters.
    #[serde(default)]
    pub remark: String,
    /// At least one; none that who asks does not hold.
    #[schema(value_type = Vec<String>)]
    pub codes: Held,
}

/// Codes: those of who asks, or those of a template.
pub type Held = BTreeSet<PermissionCode>;

/// Who holds this code keeps templates, and says whom they apply to.
pub const KEEPERS: &str = "1102";

/// What may be asked, by somebody who holds these codes.
#[derive(Clone, Debug)]
pub enum AgentRoleCommand {
    /// Makes it.
    Create(AgentRoleId, Form, Held),
    /// Gives it another content.
    Change(Form, Held),
    /// Removes it for good, when it applies to no agents.
    Delete { agents: i64, held: Held },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum AgentRoleEvent {
        Created {
            id: AgentRoleId,
            #[serde(flatten)]
            form: Form,
        } = "agent-role.created",
        Changed(Form) = "agent-role.changed",
        Deleted = "agent-role.deleted",
    }
}

refusals! {
    /// Why not.
    pub enum AgentRoleRefusal {
        Unknown = "agent-role-unknown": ("角色模板不存在或已删除"),
        Exists = "agent-role-exists": ("角色模板已存在"),
        Name = "agent-role-name": ("模板名称需 1 到 {NAME_MAX} 个字"),
        Remark = "agent-role-remark": ("备注最多 {REMARK_MAX} 个字"),
        NoCodes = "agent-role-no-codes": ("请至少选择一项权限"),
        NotHeld(PermissionCode) = "permission-not-held": ("您没有权限 {0}，不能新增或变更含有该权限的角色模板"),
        NameTaken(String) = "agent-role-name-taken": ("模板名称“{0}”已被使用"),
        InUse(i64) = "agent-role-in-use": ("角色模板正被 {0} 个代理使用，不能删除；请先为这些代理更换模板"),
        PlatformOnly = "platform-only": ("角色模板由平台管理员维护，您的数据范围仅限部分代理或服务区"),
        NotKeeper = "agent-role-not-permitted": ("选择或更换角色模板需要「角色模板」权限"),
        NotToGive(PermissionCode) = "agent-role-not-held": ("您没有权限 {0}，不能选择或更换含有该权限的角色模板"),
        NotToFree(PermissionCode) = "agent-role-not-held": ("不选角色模板即不限制该代理的权限，您没有权限 {0}，不能取消限制"),
    }
}

/// The template as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct AgentRole {
    form: Option<Form>,
    deleted: bool,
}

impl AgentRole {
    /// Whether it is there: made and not deleted.
    pub fn is_present(&self) -> bool {
        self.form.is_some() && !self.deleted
    }

    /// What the people of its agents may hold at most; nothing while it is not there.
    pub fn codes(&self) -> Held {
        self.present().map(|form| form.codes.clone()).unwrap_or_default()
    }

    fn present(&self) -> Result<&Form, AgentRoleRefusal> {
        self.form.as_ref().filter(|_| !self.deleted).ok_or(AgentRoleRefusal::Unknown)
    }
}

/// One may hand on, change or take away only what one holds.
fn within(codes: &Held, held: &Held) -> Result<(), AgentRoleRefusal> {
    codes.difference(held).next().map_or(Ok(()), |code| Err(AgentRoleRefusal::NotHeld(code.clone())))
}

/// Templates are the platform's own: only who sees all of it administers them.
pub fn may_keep(scope: &Scope) -> Result<(), AgentRoleRefusal> {
    if *scope == Scope::ALL { Ok(()) } else { Err(AgentRoleRefusal::PlatformOnly) }
}

/// Whether who holds `held` may put the template `new` in the place of `now`, another one; none: no limit. People of
/// the agent have roles beyond their template, so a wider one hands on what it adds, and none hands on all of
/// `every` code that there is.
pub fn may_replace(
    now: Option<&AgentRole>,
    new: Option<&AgentRole>,
    held: &Held,
    every: &Held,
) -> Result<(), AgentRoleRefusal> {
    if !held.contains(KEEPERS) {
        return Err(AgentRoleRefusal::NotKeeper);
    }
    let lacks = |codes: &Held| codes.difference(held).next().cloned();
    if let Some(code) = now.and_then(|now| lacks(&now.codes())) {
        return Err(AgentRoleRefusal::NotToGive(code));
    }
    match new {
        Some(new) => {
            lacks(&new.present()?.codes).map_or(Ok(()), |code| Err(AgentRoleRefusal::NotToGive(code)))
        }
        None => lacks(every).map_or(Ok(()), |code| Err(AgentRoleRefusal::NotToFree(code))),
    }
}

/// The form with its texts trimmed, when all of it may stand.
fn checked(form: Form, held: &Held) -> Result<Form, AgentRoleRefusal> {
    let name = line(&form.name, NAME_MAX).ok_or(AgentRoleRefusal::Name)?;
    let remark = lines(&form.remark, REMARK_MAX).ok_or(AgentRoleRefusal::Remark)?;
    if form.codes.is_empty() {
        return Err(AgentRoleRefusal::NoCodes);
    }
    within(&form.codes, held)?;
    Ok(Form { name, remark, codes: form.codes })
}

impl Aggregate for AgentRole {
    const CATEGORY: &'static str = "agent-role";
    type Id = AgentRoleId;
    type Command = AgentRoleCommand;
    type Event = AgentRoleEvent;
    type Refusal = AgentRoleRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match command {
            AgentRoleCommand::Create(..) if self.form.is_some() => Err(AgentRoleRefusal::Exists),
            AgentRoleCommand::Create(id, form, held) => {
                Ok(vec![AgentRoleEvent::Created { id, form: checked(form, &held)? }])
            }
            AgentRoleCommand::Change(form, held) => {
                let old = self.present()?;
                within(&old.codes, &held)?;
                let form = checked(form, &held)?;
                Ok(if form == *old { vec![] } else { vec![AgentRoleEvent::Changed(form)] })
            }
            AgentRoleCommand::Delete { agents, held } => {
                within(&self.present()?.codes, &held)?;
                if agents == 0 {
                    Ok(vec![AgentRoleEvent::Deleted])
                } else {
                    Err(AgentRoleRefusal::InUse(agents))
                }
            }
        }
    }

    fn evolve(&mut self, event: &AgentRoleEvent) {
        match event {
            AgentRoleEvent::Created { form, .. } | AgentRoleEvent::Changed(form) => {
                self.form = Some(form.clone());
            }
            AgentRoleEvent::Deleted => self.deleted = true,
        }
    }

    /// Templates are the platform's own: an agent does not see what limits it.
    fn owner(&self) -> DataOwner {
        DataOwner::PLATFORM
    }

    fn claims(&self, event: &AgentRoleEvent) -> Vec<Claim<AgentRoleRefusal>> {
        let name = match event {
            AgentRoleEvent::Created { form, .. } | AgentRoleEvent::Changed(form) => Some(&form.name),
            AgentRoleEvent::Deleted => None,
        };
        let key = |name: &String| format!("agent-role-name:{name}");
        let taken = AgentRoleRefusal::NameTaken(name.cloned().unwrap_or_default());
        Claim::exchange(self.form.as_ref().map(|form| key(&form.name)), name.map(key), taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);

    fn codes(texts: &[&str]) -> BTreeSet<PermissionCode> {
        texts.iter().map(|text| PermissionCode::try_from((*text).to_owned()).unwrap()).collect()
    }

    fn form(texts: &[&str]) -> Form {
        Form { name: " 城市代理 ".to_owned(), remark: String::new(), codes: codes(texts) }
    }

    fn made(texts: &[&str]) -> AgentRole {
        let mut role = AgentRole::default();
        let command = AgentRoleCommand::Create(AgentRoleId(5), form(texts), codes(texts));
        for event in role.decide(command, NOW).unwrap() {
            role.evolve(&event);
        }
        role
    }

    #[test]
    fn nobody_puts_into_a_template_what_he_lacks() {
        let command = AgentRoleCommand::Create(AgentRoleId(5), form(&["0301", "1001"]), codes(&["0301"]));
        let lacks = AgentRoleRefusal::NotHeld(codes(&["1001"]).pop_first().unwrap());
        assert_eq!(AgentRole::default().decide(command, NOW), Err(lacks.clone()));
        let role = made(&["0301", "1001"]);
        let held = codes(&["0301"]);
        let narrowed = AgentRoleCommand::Change(form(&["0301"]), held.clone());
        assert_eq!(role.decide(narrowed, NOW), Err(lacks.clone()), "taking away needs it too");
        assert_eq!(role.decide(AgentRoleCommand::Delete { agents: 0, held }, NOW), Err(lacks));
    }

    #[test]
    fn nobody_gives_a_agent_a_template_or_its_freedom_beyond_what_he_holds() {
        let (narrow, wide) = (made(&["0301"]), made(&["0301", "1001"]));
        let every = codes(&["0301", "1001", "1102"]);
        let may = |now, new, held: &[&str]| may_replace(now, new, &codes(held), &every);
        let lacking = codes(&["1001"]).pop_first().unwrap();
        let held: &[&str] = &["0301", "1102"];
        assert_eq!(may(None, Some(&narrow), held), Ok(()));
        assert_eq!(may(None, Some(&narrow), &["0301", "1001"]), Err(AgentRoleRefusal::NotKeeper));
        let not_to_give = AgentRoleRefusal::NotToGive(lacking.clone());
        assert_eq!(may(Some(&narrow), Some(&wide), held), Err(not_to_give.clone()));
        assert_eq!(may(Some(&wide), Some(&narrow), held), Err(not_to_give), "taking away needs it too");
        assert_eq!(may(Some(&narrow), None, held), Err(AgentRoleRefusal::NotToFree(lacking)));
        assert_eq!(may(Some(&wide), None, &["0301", "1001", "1102"]), Ok(()));
        let absent = AgentRole::default();
        assert_eq!(may(Some(&narrow), Some(&absent), held), Err(AgentRoleRefusal::Unknown));
    }

    #[test]
    fn a_template_without_codes_or_name_is_none() {
        let create = |form| {
            AgentRole::default().decide(AgentRoleCommand::Create(AgentRoleId(5), form, codes(&["03"])), NOW)
        };
        assert_eq!(create(form(&[])), Err(AgentRoleRefusal::NoCodes));
        assert_eq!(create(Form { name: "字".repeat(21), ..form(&["03"]) }), Err(AgentRoleRefusal::Name));
        assert_eq!(create(Form { remark: "字".repeat(201), ..form(&["03"]) }), Err(AgentRoleRefusal::Remark));
        assert_eq!(made(&["03"]).form.unwrap().name, "城市代理");
    }

    #[test]
    fn a_template_in_use_stays() {
        let (role, held) = (made(&["03"]), codes(&["03"]));
        let delete = |agents| AgentRoleCommand::Delete { agents, held: held.clone() };
        assert_eq!(role.decide(delete(2), NOW), Err(AgentRoleRefusal::InUse(2)));
        let mut gone = role.clone();
        for event in role.decide(delete(0), NOW).unwrap() {
            gone.evolve(&event);
        }
        assert!(!gone.is_present());
        assert_eq!(gone.decide(delete(0), NOW), Err(AgentRoleRefusal::Unknown));
    }

    #[test]
    fn saving_the_same_changes_nothing() {
        let (role, held) = (made(&["03"]), codes(&["03"]));
        assert_eq!(role.decide(AgentRoleCommand::Change(form(&["03"]), held), NOW), Ok(vec![]));
    }
}
