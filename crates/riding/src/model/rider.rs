//! A rider (骑行用户): who he is, what lets him ride, what keeps him from it. His money lies in his book.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::line;
use vocabulary::{
    AgentId, AreaId, BlacklistEntryId, DataOwner, PaymentId, Phone, RiderId, Timestamp, choices,
};

/// A reason has at most so many characters.
pub const REASON_MAX: usize = 200;
/// A name has at most so many characters.
pub const NAME_MAX: usize = 20;
/// A deposit is at most so many cents.
pub const DEPOSIT_MAX_CENTS: i64 = 100_000;
/// By hand at most so many cents are put into a wallet at once, and as many given.
pub const WALLET_MAX_CENTS: i64 = 1_000_000;

choices! {
    /// Through which client somebody registered.
    pub enum RegisterChannel("注册渠道") {
        WeChat = 1 => "微信小程序",
        Alipay = 2 => "支付宝小程序",
        App = 3 => "APP",
        Web = 4 => "H5",
    }
}

choices! {
    /// What an account may do.
    #[derive(Default)]
    pub enum AccountState("账户状态") {
        #[default]
        Normal = 0 => "正常",
        Frozen = 1 => "冻结",
        Blacklisted = 2 => "拉黑",
        Closing = 3 => "注销中",
        Closed = 4 => "已注销",
    }
}

choices! {
    /// How far a rider is, as lists show him.
    pub enum RiderState("用户状态") {
        Unverified = 1 => "未实名",
        Verified = 2 => "已实名",
        Ready = 3 => "可用车",
        Reserved = 4 => "预约中",
        Paused = 5 => "临停",
        Riding = 6 => "骑行中",
        Owing = 7 => "待支付",
    }
}

choices! {
    /// What lets a rider ride.
    pub enum Qualification("骑行资格") {
        Free = 0 => "一键免押",
        Deposit = 1 => "诚信金",
        Membership = 2 => "会员卡",
        Career = 3 => "职业认证",
        WeChatScore = 4 => "微信支付分",
        ZhimaScore = 5 => "芝麻先享",
    }
}

choices! {
    /// Where a deposit stands.
    #[derive(Default)]
    pub enum DepositState("押金状态") {
        #[default]
        Unpaid = 0 => "未缴",
        Paid = 1 => "已缴",
        Refunding = 2 => "退款中",
        Frozen = 3 => "已冻结",
        Refunded = 4 => "已退",
    }
}

choices! {
    /// How it was proved who somebody is.
    pub enum IdentityMethod("实名方式") {
        TwoFactors = 1 => "二要素",
        Face = 2 => "人脸",
        Manual = 3 => "人工",
    }
}

/// Who somebody is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// 姓名.
    pub name: String,
    /// 身份证号.
    pub id_no: String,
}

/// Somebody who comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// His id.
    pub rider_id: RiderId,
    /// Whose rider he is.
    pub agent_id: AgentId,
    /// The service area where he registered.
    pub area_id: AreaId,
    /// Through which client.
    pub channel: RegisterChannel,
    /// 手机号.
    pub phone: Personal<Phone>,
    /// A keyed hash of the phone: one number is one rider of an agent.
    pub phone_key: String,
}

/// Money that somebody puts into a wallet by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjustment {
    /// What it is named by, once for ever: a UUID.
    pub request: String,
    /// What was paid in, cents.
    pub amount_cents: i64,
    /// What is given, cents.
    pub gift_cents: i64,
}

/// Why, and until when, a deposit is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepositFreeze {
    /// Why.
    pub reason: String,
    /// None: until somebody lets it go.
    pub until: Option<Timestamp>,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum RiderCommand {
    /// He comes.
    Register(Registration),
    /// It was proved who he is. `id_key` is a keyed hash of the number: one number is one rider of an agent.
    Verify { identity: Personal<Identity>, id_key: String, method: IdentityMethod },
    /// He may ride by this path, until then; none: until it is taken from him.
    Qualify { by: Qualification, until: Option<Timestamp> },
    /// He may no more.
    Disqualify { by: Qualification },
    /// Keeps him from riding.
    Freeze { reason: String },
    /// Lets him again.
    Unfreeze { reason: String },
    /// An entry of the blacklist begins to hold against him.
    Blacklist { entry: BlacklistEntryId, until: Option<Timestamp> },
    /// It no longer does.
    Unlist { entry: BlacklistEntryId },
    /// His deposit came.
    PayDeposit { amount_cents: i64, payment: PaymentId },
    /// He wants it back.
    AskDepositBack,
    /// It went back.
    DepositWentBack,
    /// It could not go back, and lies here still.
    DepositStayed,
    /// Keeps it, until then at most.
    FreezeDeposit { reason: String, until: Option<Timestamp> },
    /// Lets it go again.
    RecoverDeposit { reason: String },
    /// Money comes into his wallet by hand; his book gets the entry in the same append.
    AdjustWallet { adjustment: Adjustment, reason: String },
    /// He has another phone.
    ChangePhone { phone: Personal<Phone>, phone_key: String },
    /// He is somebody else than was thought.
    ChangeIdentity { identity: Personal<Identity>, id_key: String },
    /// He goes for good.
    Close,
}

events! {
    /// What happened.
    pub enum RiderEvent {
        Registered { registration: Registration, at: Timestamp } = "rider.registered",
        Verified {
            identity: Personal<Identity>,
            id_key: String,
            method: IdentityMethod,
            at: Timestamp,
        } = "rider.verified",
        Qualified { by: Qualification, until: Option<Timestamp> } = "rider.qualified",
        Disqualified { by: Qualification } = "rider.disqualified",
        Frozen { reason: String } = "rider.frozen",
        Unfrozen { reason: String } = "rider.unfrozen",
        Blacklisted { entry: BlacklistEntryId, until: Option<Timestamp> } = "rider.blacklisted",
        Unlisted { entry: BlacklistEntryId } = "rider.unlisted",
        DepositPaid { amount_cents: i64, payment: PaymentId, at: Timestamp } = "rider.deposit_paid",
        DepositAskedBack { at: Timestamp } = "rider.deposit_asked_back",
        DepositWentBack { at: Timestamp } = "rider.deposit_went_back",
        DepositStayed = "rider.deposit_stayed",
        DepositFrozen { reason: String, until: Option<Timestamp> } = "rider.deposit_frozen",
        DepositRecovered { reason: String } = "rider.deposit_recovered",
        WalletAdjusted { adjustment: Adjustment, reason: String, at: Timestamp } = "rider.wallet_adjusted",
        PhoneChanged { phone: Personal<Phone>, phone_key: String } = "rider.phone_changed",
        IdentityChanged { identity: Personal<Identity>, id_key: String } = "rider.identity_changed",
        Closed { at: Timestamp } = "rider.closed",
    }
}

refusals! {
    /// Why not.
    pub enum RiderRefusal {
        Unknown = "rider-unknown": ("用户不存在"),
        Exists = "rider-exists": ("该用户已注册"),
        PhoneTaken = "rider-phone-taken": ("该手机号已注册"),
        IdTaken = "rider-id-taken": ("该身份证号已绑定其他账户，可申请实名换绑"),
        Name = "rider-name": ("姓名需 1 到 {NAME_MAX} 个字"),
        IdNo = "rider-id-no": ("身份证号不正确"),
        Verified = "rider-verified": ("该用户已实名"),
        Unverified = "rider-unverified": ("请先完成实名认证"),
        Reason = "rider-reason": ("请填写原因，最多 {REASON_MAX} 个字"),
        Frozen = "rider-frozen": ("账户已冻结，请联系客服"),
        Blacklisted = "rider-blacklisted": ("账户已被拉黑，暂不能用车"),
        Closed = "rider-closed": ("账户已注销"),
        Unqualified = "rider-unqualified": ("尚无骑行资格，请先缴纳诚信金、购买会员或完成认证"),
        NotFrozen = "rider-not-frozen": ("账户没有冻结"),
        DepositAmount = "rider-deposit-amount": ("押金需在 0.01 元到 1000 元之间"),
        Deposit { now: &'static str, act: &'static str } = "rider-deposit": ("押金当前为“{now}”，不能{act}"),
        DepositLeft = "rider-deposit-left": ("请先退还押金"),
        Until = "rider-until": ("到期时间应晚于现在"),
        WalletAmount = "rider-wallet-amount": ("充值金额需在 0.01 元到 {} 元之间", WALLET_MAX_CENTS / 100),
        WalletGift = "rider-wallet-gift": ("赠送金额需在 0 到 {} 元之间", WALLET_MAX_CENTS / 100),
        WalletRequest = "rider-wallet-request": ("请求编号应为 UUID"),
    }
}

use RiderRefusal as Refusal;

/// The rider as decisions need him.
#[derive(Clone, Debug, Default)]
pub struct Rider {
    of: Option<Registration>,
    identity: Option<(Personal<Identity>, String)>,
    qualified: BTreeMap<Qualification, Option<Timestamp>>,
    is_frozen: bool,
    blacklisted: BTreeMap<BlacklistEntryId, Option<Timestamp>>,
    deposit: (DepositState, i64),
    deposit_payment: Option<PaymentId>,
    deposit_freeze: Option<DepositFreeze>,
    is_closed: bool,
}

/// A checksummed number of a resident's card (GB 11643-1999).
pub fn is_id_no(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let bytes = text.as_bytes();
    if bytes.len() != 18 || !bytes[..17].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = bytes.iter().zip(WEIGHTS).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    CHECKS[(sum % 11) as usize] == bytes[17].to_ascii_uppercase()
}

impl Identity {
    /// The same as it is kept, when it may be so.
    pub fn sound(self) -> Result<Self, RiderRefusal> {
        let name = line(&self.name, NAME_MAX).ok_or(Refusal::Name)?;
        let id_no = self.id_no.trim().to_ascii_uppercase();
        if is_id_no(&id_no) { Ok(Self { name, id_no }) } else { Err(Refusal::IdNo) }
    }
}

impl Adjustment {
    fn sound(&self) -> Result<(), RiderRefusal> {
        if !is_uuid(&self.request) {
            return Err(Refusal::WalletRequest);
        }
        if !(1..=WALLET_MAX_CENTS).contains(&self.amount_cents) {
            return Err(Refusal::WalletAmount);
        }
        if !(0..=WALLET_MAX_CENTS).contains(&self.gift_cents) {
            return Err(Refusal::WalletGift);
        }
        Ok(())
    }
}

/// As programs write one: small letters and dashes, so that the same is never two.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        })
}

fn reason(text: &str) -> Result<String, RiderRefusal> {
    line(text, REASON_MAX).ok_or(Refusal::Reason)
}

impl Rider {
    /// Who he is to the system.
    pub const fn registration(&self) -> Option<&Registration> {
        self.of.as_ref()
    }

    /// Whose rider he is.
    pub fn owner_agent(&self) -> Option<AgentId> {
        self.of.as_ref().map(|of| of.agent_id)
    }

    /// Who he is to the world, when that was proved and is not forgotten.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref().and_then(|(identity, _)| identity.known())
    }

    /// Whether it was proved who he is.
    pub const fn is_verified(&self) -> bool {
        self.identity.is_some()
    }

    /// His deposit: where it stands, and cents.
    pub const fn deposit(&self) -> (DepositState, i64) {
        self.deposit
    }

    /// By which payment it came.
    pub const fn deposit_payment(&self) -> Option<PaymentId> {
        self.deposit_payment
    }

    /// Why his deposit is kept at `now`, when it is.
    pub fn deposit_freeze(&self, now: Timestamp) -> Option<&DepositFreeze> {
        let freeze = self.deposit_freeze.as_ref().filter(|_| self.deposit.0 == DepositState::Frozen);
        freeze.filter(|freeze| freeze.until.is_none_or(|until| now < until))
    }

    /// Where his deposit stands at `now`: what was kept until a time lies there as before once that is over.
    pub fn deposit_state(&self, now: Timestamp) -> DepositState {
        let over = self.deposit.0 == DepositState::Frozen && self.deposit_freeze(now).is_none();
        if over { DepositState::Paid } else { self.deposit.0 }
    }

    /// What his account may do at `now`.
    pub fn account_state(&self, now: Timestamp) -> AccountState {
        if self.is_closed {
            AccountState::Closed
        } else if self.is_blacklisted(now) {
            AccountState::Blacklisted
        } else if self.is_frozen {
            AccountState::Frozen
        } else {
            AccountState::Normal
        }
    }

    fn is_blacklisted(&self, now: Timestamp) -> bool {
        self.blacklisted.values().any(|until| until.is_none_or(|until| now < until))
    }

    /// By what he may ride at `now`, where `paths` are open.
    pub fn may_ride(
        &self,
        now: Timestamp,
        paths: &BTreeSet<Qualification>,
    ) -> Result<Qualification, RiderRefusal> {
        self.present()?;
        if self.is_blacklisted(now) {
            return Err(Refusal::Blacklisted);
        }
        if self.is_frozen {
            return Err(Refusal::Frozen);
        }
        if !self.is_verified() {
            return Err(Refusal::Unverified);
        }
        let holds = |by: &Qualification| match self.qualified.get(by) {
            Some(until) => until.is_none_or(|until| now < until),
            None => {
                *by == Qualification::Free
                    || (*by == Qualification::Deposit && self.deposit_state(now) == DepositState::Paid)
            }
        };
        paths.iter().copied().find(holds).ok_or(Refusal::Unqualified)
    }

    /// Whether there is such an account, and it is not closed.
    pub fn account_is_open(&self) -> Result<(), RiderRefusal> {
        self.present().map(drop)
    }

    fn present(&self) -> Result<&Registration, RiderRefusal> {
        let of = self.of.as_ref().ok_or(Refusal::Unknown)?;
        if self.is_closed { Err(Refusal::Closed) } else { Ok(of) }
    }

    fn deposit_is(
        &self,
        at: Timestamp,
        wanted: &[DepositState],
        act: &'static str,
    ) -> Result<(), RiderRefusal> {
        let now = self.deposit_state(at);
        if wanted.contains(&now) { Ok(()) } else { Err(Refusal::Deposit { now: now.label(), act }) }
    }

    fn phone_claim(&self) -> Option<String> {
        let of = self.of.as_ref().filter(|_| !self.is_closed)?;
        Some(phone_key(of.agent_id, &of.phone_key))
    }

    fn id_claim(&self) -> Option<String> {
        let of = self.of.as_ref().filter(|_| !self.is_closed)?;
        self.identity.as_ref().map(|(_, key)| id_key(of.agent_id, key))
    }
}

fn phone_key(agent: AgentId, key: &str) -> String {
    format!("rider-phone:{agent}:{key}")
}

fn id_key(agent: AgentId, key: &str) -> String {
    format!("rider-id:{agent}:{key}")
}

impl Aggregate for Rider {
    const CATEGORY: &'static str = "rider";
    type Id = RiderId;
    type Command = RiderCommand;
    type Event = RiderEvent;
    type Refusal = RiderRefusal;

    fn decide(&self, command: RiderCommand, now: Timestamp) -> Decision<Self> {
        use DepositState::{Frozen, Paid, Refunded, Refunding, Unpaid};
        if let RiderCommand::Register(registration) = command {
            let known = self.of.is_some();
            return if known {
                Err(Refusal::Exists)
            } else {
                Ok(vec![RiderEvent::Registered { registration, at: now }])
            };
        }
        self.present()?;
        let event = match command {
            RiderCommand::Register(_) => return Err(Refusal::Exists),
            RiderCommand::Verify { .. } if self.is_verified() => return Err(Refusal::Verified),
            RiderCommand::Verify { identity, id_key, method } => {
                RiderEvent::Verified { identity: identity.try_map(Identity::sound)?, id_key, method, at: now }
            }
            RiderCommand::Qualify { by, until } if self.qualified.get(&by) == Some(&until) => {
                return Ok(vec![]);
            }
            RiderCommand::Qualify { by, until } => RiderEvent::Qualified { by, until },
            RiderCommand::Disqualify { by } if !self.qualified.contains_key(&by) => return Ok(vec![]),
            RiderCommand::Disqualify { by } => RiderEvent::Disqualified { by },
            RiderCommand::Freeze { .. } if self.is_frozen => return Ok(vec![]),
            RiderCommand::Freeze { reason: why } => RiderEvent::Frozen { reason: reason(&why)? },
            RiderCommand::Unfreeze { .. } if !self.is_frozen => return Err(Refusal::NotFrozen),
            RiderCommand::Unfreeze { reason: why } => RiderEvent::Unfrozen { reason: reason(&why)? },
            RiderCommand::Blacklist { entry, until } if self.blacklisted.get(&entry) == Some(&until) => {
                return Ok(vec![]);
            }
            RiderCommand::Blacklist { entry, until } => RiderEvent::Blacklisted { entry, until },
            RiderCommand::Unlist { entry } if !self.blacklisted.contains_key(&entry) => return Ok(vec![]),
            RiderCommand::Unlist { entry } => RiderEvent::Unlisted { entry },
            RiderCommand::PayDeposit { amount_cents, payment } => {
                self.deposit_is(now, &[Unpaid, Refunded], "缴纳")?;
                if !(1..=DEPOSIT_MAX_CENTS).contains(&amount_cents) {
                    return Err(Refusal::DepositAmount);
                }
                RiderEvent::DepositPaid { amount_cents, payment, at: now }
            }
            RiderCommand::AskDepositBack => {
                self.deposit_is(now, &[Paid], "退还")?;
                RiderEvent::DepositAskedBack { at: now }
            }
            RiderCommand::DepositWentBack => {
                self.deposit_is(now, &[Refunding], "确认退还")?;
                RiderEvent::DepositWentBack { at: now }
            }
            RiderCommand::DepositStayed => {
                self.deposit_is(now, &[Refunding], "撤回退还")?;
                RiderEvent::DepositStayed
            }
            RiderCommand::FreezeDeposit { reason: why, until } => {
                self.deposit_is(now, &[Paid], "冻结")?;
                if until.is_some_and(|until| until <= now) {
                    return Err(Refusal::Until);
                }
                RiderEvent::DepositFrozen { reason: reason(&why)?, until }
            }
            RiderCommand::RecoverDeposit { reason: why } => {
                self.deposit_is(now, &[Frozen], "恢复")?;
                RiderEvent::DepositRecovered { reason: reason(&why)? }
            }
            RiderCommand::AdjustWallet { adjustment, reason: why } => {
                adjustment.sound()?;
                RiderEvent::WalletAdjusted { adjustment, reason: reason(&why)?, at: now }
            }
            RiderCommand::ChangePhone { phone, phone_key } => RiderEvent::PhoneChanged { phone, phone_key },
            RiderCommand::ChangeIdentity { .. } if !self.is_verified() => return Err(Refusal::Unverified),
            RiderCommand::ChangeIdentity { identity, id_key } => {
                RiderEvent::IdentityChanged { identity: identity.try_map(Identity::sound)?, id_key }
            }
            RiderCommand::Close if matches!(self.deposit.0, Paid | Refunding | Frozen) => {
                return Err(Refusal::DepositLeft);
            }
            RiderCommand::Close => RiderEvent::Closed { at: now },
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &RiderEvent) {
        match event {
            RiderEvent::Registered { registration, .. } => self.of = Some(registration.clone()),
            RiderEvent::Verified { identity, id_key, .. }
            | RiderEvent::IdentityChanged { identity, id_key } => {
                self.identity = Some((identity.clone(), id_key.clone()));
            }
            RiderEvent::Qualified { by, until } => {
                self.qualified.insert(*by, *until);
            }
            RiderEvent::Disqualified { by } => {
                self.qualified.remove(by);
            }
            RiderEvent::Frozen { .. } => self.is_frozen = true,
            RiderEvent::Unfrozen { .. } => self.is_frozen = false,
            RiderEvent::Blacklisted { entry, until } => {
                self.blacklisted.insert(*entry, *until);
            }
            RiderEvent::Unlisted { entry } => {
                self.blacklisted.remove(entry);
            }
            RiderEvent::DepositPaid { amount_cents, payment, .. } => {
                self.deposit = (DepositState::Paid, *amount_cents);
                self.deposit_payment = Some(*payment);
            }
            RiderEvent::DepositAskedBack { .. } => self.deposit.0 = DepositState::Refunding,
            RiderEvent::DepositWentBack { .. } => self.deposit = (DepositState::Refunded, 0),
            RiderEvent::DepositStayed | RiderEvent::DepositRecovered { .. } => {
                self.deposit.0 = DepositState::Paid;
            }
            RiderEvent::DepositFrozen { reason, until } => {
                self.deposit.0 = DepositState::Frozen;
                self.deposit_freeze = Some(DepositFreeze { reason: reason.clone(), until: *until });
            }
            RiderEvent::WalletAdjusted { .. } => {}
            RiderEvent::PhoneChanged { phone, phone_key } => {
                if let Some(of) = &mut self.of {
                    (of.phone, of.phone_key) = (phone.clone(), phone_key.clone());
                }
            }
            RiderEvent::Closed { .. } => self.is_closed = true,
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.as_ref().map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }

    fn claims(&self, event: &RiderEvent) -> Vec<Claim<RiderRefusal>> {
        let mut after = self.clone();
        after.evolve(event);
        let mut all = Claim::exchange(self.phone_claim(), after.phone_claim(), Refusal::PhoneTaken);
        all.extend(Claim::exchange(self.id_claim(), after.id_claim(), Refusal::IdTaken));
        all
    }
}
