//! The way in: a code or a signed link proves a phone on a session; the operator then signs in on it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::{Actor, Receipt, RequestId};
use rand::rngs::OsRng;
use rand::{Rng, RngCore};
use serde_json::json;
use vocabulary::{AgentId, AreaId, OperatorDeviceId, Phone, Reach, Timestamp};
use wire::{Asked, Caller, Directory, IssuedToken, OpenedSession, Refused, Session, SessionId, TokenSubject};

use crate::model::device::{DeviceCommand, OperatorDevices};
use crate::model::operator::{Operator, OperatorCommand, territory_of};
use crate::quick_link::{BadLink, Origin};
use crate::read::operators::Account;
use crate::{Access, door, quick_link};

/// A session that lasts no longer than this is renewed together with its token.
const RENEWED_BELOW_MS: i64 = 12 * 3_600_000;

/// What a client says about itself; goes into its token.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientBuild {
    pub build: String,
    pub dev_id: String,
    pub package: String,
}

/// Too many wrong tries. Told of known and unknown phones alike.
fn locked() -> Refused {
    Refused::Bare("验证码错误次数过多，请 15 分钟后再试".to_owned())
}

impl Access {
    /// Sends a code. Unknown phones get the same answer and no SMS; so does nobody learn which phones have accounts
    /// (a provider that answers slowly may still tell by the time it takes).
    pub(crate) async fn send_code(&self, phone: &Phone, now: Timestamp) -> Result<(), Refused> {
        let account = self.account_of(phone).await?.filter(|account| account.enabled);
        let code = match &self.config.fixed_sms_code {
            Some(fixed) => fixed.clone(),
            None => format!("{:06}", OsRng.gen_range(0..1_000_000)),
        };
        let hash = account.is_some().then(|| door::code_hash(self.sms_pepper.expose(), phone, &code));
        let db = &self.house.pools.app;
        if door::is_locked(db, phone, now).await? {
            return Err(locked());
        }
        if !door::take_sms_place(db, phone, hash, now).await? {
            return Err(Refused::Bare("短信发送次数超限".to_owned()));
        }
        if account.is_none() {
            return Ok(());
        }
        if let Err(error) = self.neighbours.sms.send_code(phone, &code, door::CODE_LIFE_MS / 60_000).await {
            tracing::error!(error = &error as &dyn std::error::Error, "a sign-in code was not sent");
            door::give_back_sms_place(db, phone, now).await?;
            return Err(Refused::Bare("短信发送失败，请稍后重试".to_owned()));
        }
        Ok(())
    }

    /// Proves a phone on the session by the code that was sent to it.
    pub(crate) async fn verify_code(
        &self,
        session: &Session,
        phone: &Phone,
        code: &str,
        now: Timestamp,
    ) -> Result<Account, Refused> {
        let wrong = || Refused::Bare("验证码错误或已失效".to_owned());
        let hash = door::code_hash(self.sms_pepper.expose(), phone, code);
        match door::use_code(&self.house.pools.app, phone, hash, now).await? {
            door::Tried::Right => {}
            door::Tried::Wrong => return Err(wrong()),
            door::Tried::Locked => return Err(locked()),
        }
        let account = self.account_of(phone).await?.ok_or_else(wrong)?;
        self.prove(session, &account).await?;
        Ok(account)
    }

    /// Proves a phone on the session by a signed link; each link works once.
    pub(crate) async fn follow_link(
        &self,
        session: &Session,
        phone: &Phone,
        link: &str,
        now: Timestamp,
    ) -> Result<Account, Refused> {
        let bad = || Refused::business("link-expired", BadLink.to_string());
        let origin = quick_link::open(self.link_key.expose(), link, now).map_err(|_| bad())?;
        if origin.phone != *phone || !door::use_link(&self.house.pools.app, &origin.nonce, now).await? {
            return Err(bad());
        }
        let account = self.account_of(phone).await?.ok_or_else(bad)?;
        self.prove(session, &account).await?;
        Ok(account)
    }

    async fn prove(&self, session: &Session, account: &Account) -> Result<(), Refused> {
        match self.sessions.prove(session.id, &account.phone, &account.id.to_string()).await {
            Err(wire::SessionError::Unusable) => {
                Err(Refused::business("session-used", "当前会话已用于其他手机号，请刷新页面后重新登录"))
            }
            other => Ok(other?),
        }
    }

    /// A link for somebody who holds no more than the caller: whoever has it can sign in as him.
    pub(crate) async fn mint_link(
        &self,
        caller: &Caller,
        phone: &Phone,
        now: Timestamp,
    ) -> Result<String, Refused> {
        let operator = self.operator_of(caller, phone).await?;
        let codes = self.granted_to(operator).await?;
        if !codes.iter().all(|code| caller.codes.has(code.as_str())) {
            return Err(Refused::business(
                "operator-outranks",
                "该人员持有您没有的权限，不能为其生成登录链接",
            ));
        }
        let mut nonce = [0; 16];
        OsRng.fill_bytes(&mut nonce);
        let origin = Origin { phone: phone.clone(), ts: now.millis(), nonce: URL_SAFE_NO_PAD.encode(nonce) };
        Ok(quick_link::seal(self.link_key.expose(), &origin))
    }

    /// The account that the session proved; refused for any other phone.
    pub(crate) async fn proved_account(&self, session: &Session, phone: &Phone) -> Result<Account, Refused> {
        if session.phone.as_ref() != Some(phone) {
            return Err(Refused::business("phone-not-proved", "手机号未通过验证，请重新登录"));
        }
        let account = self.account_of(phone).await?;
        let account = account
            .ok_or_else(|| Refused::business("operator-unknown", "该手机号没有后台账号，请联系管理员"))?;
        if !account.enabled {
            return Err(Refused::business("operator-disabled", "账号已停用，请联系管理员"));
        }
        if self.directory.standing(account.id).await?.is_some_and(|standing| !standing.enabled) {
            return Err(Refused::business("agent-disabled", "所属代理已停用，请联系平台管理员"));
        }
        Ok(account)
    }

    /// Signs the operator in on the session: the first time binds the device and is remembered for ever; again it only
    /// gives a fresh token.
    pub(crate) async fn sign_in(
        &self,
        asked: &Asked,
        session: &Session,
        phone: &Phone,
    ) -> Result<(Account, IssuedToken), Refused> {
        let account = self.proved_account(session, phone).await?;
        if session.operator.is_none() {
            self.use_device(asked, session, &account).await?;
            let mut ctx = asked.context_of_house("sign-in", json!({}));
            ctx.actor = Actor::Operator { id: account.id };
            ctx.request_id = Some(RequestId(format!("sign-in:{}", session.id)));
            ctx.fingerprint = [0; 32];
            let command = OperatorCommand::SignIn { device_code: session.device_code.clone() };
            self.house.desk.execute::<Operator>(&account.id, command, &ctx).await?;
        }
        self.sessions.sign_in(session.id, account.id).await?;
        let build = ClientBuild { dev_id: session.device_code.clone(), ..ClientBuild::default() };
        let token = self.issue(&account, session.id, (Vec::new(), Vec::new()), build, asked.now()).await?;
        Ok((account, token))
    }

    /// Makes the caller himself known to the customer-service tool; answers where the tool is, empty where the house
    /// has none of its own beside the page.
    pub(crate) async fn register_cs_tool(
        &self,
        asked: &Asked,
        caller: &Caller,
        phone: &Phone,
        object_id: &str,
    ) -> Result<Receipt, Refused> {
        let operator = caller.operator()?;
        if caller.phone.as_ref() != Some(phone) || object_id != operator.to_string() {
            return Err(Refused::business("operator-not-oneself", "只能登记本人的客服账号"));
        }
        let ctx = asked.context_of_account(json!({ "url": self.config.web.chat_script }));
        let command = OperatorCommand::RegisterCsTool;
        Ok(self.house.desk.execute::<Operator>(&operator, command, &ctx).await?)
    }

    async fn use_device(&self, asked: &Asked, session: &Session, account: &Account) -> Result<(), Refused> {
        let unknown = || Refused::business("device-not-authorised", "当前设备未授权，请联系管理员");
        let db = &self.house.pools.app;
        let device = door::bind_of(db, &account.phone, &session.device_code, asked.now()).await?;
        let command = DeviceCommand::Use {
            id: OperatorDeviceId(self.house.ids.next_id()),
            device: device.ok_or_else(unknown)?,
            automatic: self.config.automatic_devices,
            territory: territory_of(&account.reach),
        };
        let mut ctx = asked.context_of_house("sign-in", json!({}));
        ctx.actor = Actor::Operator { id: account.id };
        ctx.request_id = None;
        self.house.desk.execute::<OperatorDevices>(&account.id, command, &ctx).await?;
        Ok(())
    }

    /// A token for the selection asked for, cut to what the account may see; the session too when it ends soon.
    pub(crate) async fn renew(
        &self,
        caller: &Caller,
        session: &Session,
        selection: (Vec<AgentId>, Vec<AreaId>),
        build: ClientBuild,
        now: Timestamp,
    ) -> Result<(IssuedToken, Option<OpenedSession>), Refused> {
        let (agents, areas) = selection;
        let scope = &caller.full_scope;
        let cut = (within(&scope.agents, agents)?, within(&scope.areas, areas)?);
        let phone = caller.phone.as_ref().ok_or_else(Refused::no_session)?;
        let account = self.account_of(phone).await?.filter(|account| account.enabled);
        let account = account.ok_or_else(Refused::no_session)?;
        let fresh = if session.expires_at.millis_since(now) < RENEWED_BELOW_MS {
            Some(self.sessions.renew(session, now).await?)
        } else {
            None
        };
        let on = fresh.as_ref().map_or(session.id, |fresh| fresh.id);
        Ok((self.issue(&account, on, cut, build, now).await?, fresh))
    }

    async fn issue(
        &self,
        account: &Account,
        session: SessionId,
        (agent_ids, op_area_ids): (Vec<AgentId>, Vec<AreaId>),
        build: ClientBuild,
        now: Timestamp,
    ) -> Result<IssuedToken, Refused> {
        let standing = self.directory.standing(account.id).await?.ok_or_else(Refused::no_session)?;
        let subject = TokenSubject {
            agent_ids,
            op_area_ids,
            operator: account.id,
            phone: account.phone.clone(),
            agent: own_agent(account),
            build: build.build,
            dev_id: build.dev_id,
            package: build.package,
            permission_version: standing.permission_version,
            session,
        };
        Ok(self.tokens.issue(subject, now))
    }
}

/// The franchisee that an account belongs to, when it is one.
pub(crate) fn own_agent(account: &Account) -> Option<AgentId> {
    territory_of(&account.reach).agent
}

/// Those of `asked` that are within `reach`. Naming only foreign ones must not turn into "all".
fn within<T: Ord + Copy>(reach: &Reach<T>, asked: Vec<T>) -> Result<Vec<T>, Refused> {
    let named = !asked.is_empty();
    let kept: Vec<T> = asked.into_iter().filter(|id| reach.contains(id)).collect();
    if named && kept.is_empty() {
        return Err(Refused::business("selection-not-held", "所选代理商或服务区不在您的数据范围内"));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_of_strangers_does_not_become_all() {
        let reach = Reach::only([AgentId(2), AgentId(3)]);
        assert_eq!(within(&reach, vec![AgentId(3), AgentId(9)]).unwrap(), [AgentId(3)]);
        assert!(within(&reach, vec![AgentId(9)]).is_err());
        assert!(within(&reach, vec![]).unwrap().is_empty());
    }
}
