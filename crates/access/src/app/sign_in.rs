//! The way in: a code or a signed link proves a phone on a session; the operator then signs in on it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::{Actor, CommandContext, CommandError, Receipt, RequestId};
use rand::rngs::OsRng;
use rand::{Rng, RngCore};
use serde_json::json;
use vocabulary::{AgentId, AreaId, OperatorDeviceId, OperatorId, Phone, Reach, Timestamp};
use wire::{
    Caller, ClientAddress, Directory, IssuedToken, OpenedSession, Refused, RequestContext, Session,
    SessionId, TokenSubject,
};

use crate::model::device::{Device, DeviceCommand, DeviceRefusal, DeviceState, OperatorDevices};
use crate::model::operator::{Operator, OperatorCommand, owner_of};
use crate::quick_link::{BadLink, Origin};
use crate::read::operators::Account;
use crate::sign_in_store::codes::{self, Guess, Place, Requester, Tried};
use crate::{Access, quick_link, sign_in_store};

/// A session that lasts no longer than this is renewed together with its token.
const RENEWED_BELOW_MS: i64 = 12 * 3_600_000;

/// What a client says about itself; goes into its token.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientBuild {
    pub build: String,
    pub dev_id: String,
    pub package: String,
}

/// Who asks for a code or says one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker<'a> {
    /// Its own device, when it names one.
    pub device: Option<&'a str>,
    /// Where it is.
    pub address: ClientAddress,
}

/// Too many wrong tries. Told of known and unknown phones alike.
fn locked() -> Refused {
    Refused::Bare("验证码错误次数过多，请 15 分钟后再试".to_owned())
}

/// Too many wrong tries of strangers to a phone. Told of known and unknown phones alike.
fn locked_today() -> Refused {
    Refused::Bare("该手机号今日验证码错误次数过多，请在已授权的设备上登录，或明天再试".to_owned())
}

fn not_authorised() -> Refused {
    CommandError::Refused(DeviceRefusal::NotAuthorised).into()
}

/// What the system does in the name of an operator who is about to sign in.
fn of_operator(request: &RequestContext, account: &Account) -> CommandContext {
    let ctx = request.context_of_runtime("sign-in", json!({}));
    CommandContext { actor: Actor::Operator { id: account.id }, request_id: None, ..ctx }
}

/// Whose devices are looked for when a phone has no account: nobody's, so that both take the same way.
const NOBODY: OperatorId = OperatorId(0);

impl Access {
    /// Sends a code. Unknown phones get the same answer and no SMS; so does nobody learn which phones have accounts
    /// (a provider that answers slowly may still tell by the time it takes).
    pub(crate) async fn send_code(
        &self,
        phone: &Phone,
        asker: Asker<'_>,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let account = self.account_of(phone).await?.filter(|account| account.enabled);
        let (requester, _) = self.requester(account.as_ref(), asker).await?;
        let code = match &self.config.fixed_sms_code {
            Some(fixed) => fixed.clone(),
            None => format!("{:06}", OsRng.gen_range(0..1_000_000)),
        };
        let hash = account.is_some().then(|| codes::code_hash(self.sms_pepper.expose(), phone, &code));
        let db = &self.runtime.pools.app;
        match codes::take_place(db, phone, &requester, hash, now).await? {
            Place::Taken => {}
            Place::Locked => return Err(locked()),
            Place::TooMany => return Err(Refused::Bare("短信发送次数超限".to_owned())),
        }
        if account.is_none() {
            return Ok(());
        }
        if let Err(error) = self.ports.sms.send_code(phone, &code, codes::CODE_LIFE_MS / 60_000).await {
            tracing::error!(error = &error as &dyn std::error::Error, "a sign-in code was not sent");
            codes::give_back_place(db, phone, &requester, now).await?;
            return Err(Refused::Bare("短信发送失败，请稍后重试".to_owned()));
        }
        Ok(())
    }

    /// Who asks, whether the phone's account signs in from that device, and whether it could.
    async fn requester(
        &self,
        account: Option<&Account>,
        asker: Asker<'_>,
    ) -> Result<(Requester, bool), Refused> {
        let owner = account.map_or(NOBODY, |account| account.id);
        let devices =
            self.runtime.desk.load::<OperatorDevices>(&owner).await.map_err(Refused::unavailable)?.state;
        let known = asker.device.is_some_and(|code| devices.state_of(code) == Some(DeviceState::Bound));
        let admitted = asker.device.is_some_and(|code| devices.admits(code, self.config.automatic_devices));
        Ok((Requester::new(asker.device, asker.address.0, known), admitted))
    }

    /// Proves a phone on the session by the code that was sent to it, for the session's device or its network. On a
    /// device that an administrator must accept first the code stays good, so that it need not be sent again.
    pub(crate) async fn verify_code(
        &self,
        session: &Session,
        phone: &Phone,
        code: &str,
        address: ClientAddress,
        now: Timestamp,
    ) -> Result<Account, Refused> {
        let wrong = || Refused::Bare("验证码错误或已失效".to_owned());
        let account = self.account_of(phone).await?;
        let asker = Asker { device: Some(&session.device_code), address };
        let (requester, admitted) = self.requester(account.as_ref(), asker).await?;
        let hash = codes::code_hash(self.sms_pepper.expose(), phone, code);
        let tried = Guess { hash, once: admitted };
        match codes::use_code(&self.runtime.pools.app, phone, &requester, tried, now).await? {
            Tried::Right => {}
            Tried::Wrong => return Err(wrong()),
            Tried::Locked => return Err(locked()),
            Tried::LockedToday => return Err(locked_today()),
        }
        let account = account.ok_or_else(wrong)?;
        self.prove(session, &account).await?;
        Ok(account)
    }

    /// Proves a phone on the session by a signed link; each link works once. It stays good where an administrator must
    /// accept the device first.
    pub(crate) async fn follow_link(
        &self,
        request: &RequestContext,
        session: &Session,
        phone: &Phone,
        link: &str,
    ) -> Result<Account, Refused> {
        let now = request.now();
        let bad = || Refused::business("link-expired", BadLink.to_string());
        let origin = quick_link::open(self.link_key.expose(), link, now).map_err(|_| bad())?;
        if origin.phone != *phone {
            return Err(bad());
        }
        let account = self.account_of(phone).await?.ok_or_else(bad)?;
        // Whoever made it may have lost since then what allowed him to.
        let maker = self.authority_of(origin.by).await?.ok_or_else(bad)?;
        maker.may_act_on(&self.person(account.id).await?).map_err(|_| bad())?;
        if !self.device_admitted(&account, &session.device_code).await? {
            return Err(self.ask_for_device(request, session, &account).await);
        }
        if !sign_in_store::use_link(&self.runtime.pools.app, &origin.nonce, now).await? {
            return Err(bad());
        }
        self.prove(session, &account).await?;
        sign_in_store::remember_link_session(&self.runtime.pools.app, session.id, origin.by, account.id)
            .await?;
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

    /// A link for somebody on whom the caller may act: whoever has it can sign in as him.
    pub(crate) async fn mint_link(
        &self,
        caller: &Caller,
        phone: &Phone,
        now: Timestamp,
    ) -> Result<String, Refused> {
        self.within(caller, self.operator_of(caller, phone).await?).await?;
        let mut nonce = [0; 16];
        OsRng.fill_bytes(&mut nonce);
        let origin = Origin {
            phone: phone.clone(),
            ts: now.millis(),
            nonce: URL_SAFE_NO_PAD.encode(nonce),
            by: caller.operator()?,
        };
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
        request: &RequestContext,
        session: &Session,
        phone: &Phone,
    ) -> Result<(Account, IssuedToken), Refused> {
        let account = self.proved_account(session, phone).await?;
        if session.operator.is_none() {
            self.use_device(request, session, &account).await?;
            let mut ctx = request.context_of_runtime("sign-in", json!({}));
            ctx.actor = Actor::Operator { id: account.id };
            ctx.request_id = Some(RequestId(format!("sign-in:{}", session.id)));
            ctx.fingerprint = [0; 32];
            let command = OperatorCommand::SignIn { device_code: session.device_code.clone() };
            self.runtime.desk.execute::<Operator>(&account.id, command, &ctx).await?;
        }
        self.sessions.sign_in(session.id, account.id).await?;
        let build = ClientBuild { dev_id: session.device_code.clone(), ..ClientBuild::default() };
        let token = self.issue(&account, session.id, (Vec::new(), Vec::new()), build, request.now()).await?;
        Ok((account, token))
    }

    /// Makes the caller himself known to the customer-service tool; answers where the tool is, empty where the system
    /// has none of its own beside the page.
    pub(crate) async fn register_cs_tool(
        &self,
        request: &RequestContext,
        caller: &Caller,
        phone: &Phone,
        object_id: &str,
    ) -> Result<Receipt, Refused> {
        let operator = caller.operator()?;
        if caller.phone.as_ref() != Some(phone) || object_id != operator.to_string() {
            return Err(Refused::business("operator-not-oneself", "只能登记本人的客服账号"));
        }
        let ctx = request.context_of_account(json!({ "url": self.config.web.chat_script }));
        let command = OperatorCommand::RegisterCsTool;
        Ok(self.runtime.desk.execute::<Operator>(&operator, command, &ctx).await?)
    }

    /// The device that the session was opened for, when the account may sign in from it; otherwise an administrator is
    /// asked.
    async fn use_device(
        &self,
        request: &RequestContext,
        session: &Session,
        account: &Account,
    ) -> Result<(), Refused> {
        let desk = &self.runtime.desk;
        let devices = desk.load::<OperatorDevices>(&account.id).await.map_err(Refused::unavailable)?.state;
        if devices.state_of(&session.device_code) == Some(DeviceState::Bound) {
            return Ok(());
        }
        let command = DeviceCommand::Use {
            id: OperatorDeviceId(self.runtime.ids.next_id()),
            device: self.named_device(request, session, account).await?,
            automatic: self.config.automatic_devices,
            owner: owner_of(&account.reach),
        };
        let ctx = of_operator(request, account);
        match desk.execute::<OperatorDevices>(&account.id, command, &ctx).await {
            Err(CommandError::Refused(DeviceRefusal::NotAuthorised)) => {
                Err(self.ask_for_device(request, session, account).await)
            }
            used => Ok(used.map(drop)?),
        }
    }

    /// Asks an administrator to accept the session's device; the refusal for who waits. The phone is proved by now:
    /// nobody else takes one of the waiting places.
    async fn ask_for_device(
        &self,
        request: &RequestContext,
        session: &Session,
        account: &Account,
    ) -> Refused {
        let asking = async {
            let command = DeviceCommand::Ask {
                id: OperatorDeviceId(self.runtime.ids.next_id()),
                device: self.named_device(request, session, account).await?,
                owner: owner_of(&account.reach),
            };
            let ctx = of_operator(request, account);
            self.runtime.desk.execute::<OperatorDevices>(&account.id, command, &ctx).await?;
            Ok(())
        };
        let request: Result<(), Refused> = asking.await;
        request.err().unwrap_or_else(not_authorised)
    }

    /// The session's device as it described itself for the account's phone.
    async fn named_device(
        &self,
        request: &RequestContext,
        session: &Session,
        account: &Account,
    ) -> Result<Device, Refused> {
        let db = &self.runtime.pools.app;
        let device = sign_in_store::bind_of(db, &account.phone, &session.device_code, request.now()).await?;
        device.ok_or_else(not_authorised)
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
            let fresh = self.sessions.renew(session, now).await?;
            sign_in_store::pass_on_link_session(&self.runtime.pools.app, session.id, fresh.id).await?;
            Some(fresh)
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

/// The agent that an account belongs to, when it is one.
pub(crate) fn own_agent(account: &Account) -> Option<AgentId> {
    owner_of(&account.reach).agent
}

/// Those of `request` that are within `reach`. Naming only foreign ones must not turn into "all".
fn within<T: Ord + Copy>(reach: &Reach<T>, request: Vec<T>) -> Result<Vec<T>, Refused> {
    let named = !request.is_empty();
    let kept: Vec<T> = request.into_iter().filter(|id| reach.contains(id)).collect();
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
