//! A card on sale (卡类商品). Each time it is published it is a new version, which counts from an instant on; who bought holds what
//! the version of his purchase gives, for ever.
//!
//! Stock is guarded here: a product that has one takes a `Sold` into its own stream with every sale, in the append of the sale, so
//! that of two buyers of the last one the log refuses one. A claim for each piece would need to know which number is free, which is
//! the same question. A product without stock is only read when it is sold: its stream does not grow, and its buyers wait for
//! nobody's append but their own.

use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::versions::{History, Term, Version, VersionFault};
use vocabulary::{AgentId, CardHoldingId, CardProductId, DataOwner, Timestamp, choices};

use super::card::{Card, CardRefusal};

/// A price is at most so many cents: 5,000 yuan.
pub const PRICE_MAX_CENTS: i64 = 500_000;
/// A stock has at most so many pieces.
pub const STOCK_MAX: i32 = 1_000_000;
/// A rider may buy it at most so often, where that is limited.
pub const LIMIT_MAX: i32 = 1_000;
/// Versions that one product may have: more is a program gone wild.
pub const VERSIONS_MAX: i64 = 500;

choices! {
    /// Whether a product may be sold.
    #[derive(Default)]
    pub enum CardProductState("上架状态") {
        #[default]
        Disabled = 0 => "停用",
        Enabled = 1 => "启用",
        Deleted = 2 => "删除",
    }
}

/// A card with what it costs and to whom it is sold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardForm {
    /// What it gives.
    #[serde(flatten)]
    pub card: Card,
    /// 售价: cents, at least 1.
    pub price_cents: i64,
    /// 原价, as it is shown beside it: cents, not below the price.
    pub origin_price_cents: i64,
    /// 库存: so many are sold in all, over all versions; none: as many as are wanted.
    #[serde(default)]
    pub stock: Option<i32>,
    /// 限购: so many for each rider; none: as many as he wants.
    #[serde(default)]
    pub limit_per_rider: Option<i32>,
    /// 开售时间, epoch milliseconds; none: at once.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    pub sell_from: Option<Timestamp>,
    /// 停售时间, epoch milliseconds; none: never.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    pub sell_until: Option<Timestamp>,
    /// 推荐.
    #[serde(default)]
    pub is_recommended: bool,
    /// 排序: the lowest first, 0 to 9999.
    #[serde(default)]
    pub sort: i32,
}

/// Which product, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductOf {
    /// Its own id.
    pub product_id: CardProductId,
    /// Who sells it.
    pub agent_id: AgentId,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum CardProductCommand {
    /// Keeps what is being written.
    Save { of: ProductOf, form: CardForm },
    /// Lets this count from now on, without a draft; the same again changes nothing.
    Set { of: ProductOf, form: CardForm },
    /// Throws away what was being written.
    Discard,
    /// Lets the draft count.
    Publish(Term),
    /// Takes back a version that does not count yet.
    Withdraw { number: i64 },
    /// Lets count from now on what an earlier version said.
    RollBack { number: i64 },
    /// Puts it on sale.
    Enable,
    /// Takes it off sale; who holds it keeps it.
    Disable,
    /// Takes it off sale for good.
    Delete,
    /// Sells one as it is now, when that is what the buyer saw.
    Sell { holding_id: CardHoldingId, number: i64 },
    /// Sells one in the version that was on sale when its payment was asked for.
    SellPaid { holding_id: CardHoldingId, number: i64 },
    /// One that was sold in a version went back unused.
    Restock { holding_id: CardHoldingId, number: i64 },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum CardProductEvent {
        DraftSaved { of: ProductOf, form: CardForm } = "card-product.draft_saved",
        DraftDiscarded = "card-product.draft_discarded",
        Published { of: ProductOf, number: i64, form: CardForm, term: Term } = "card-product.published",
        Withdrawn { number: i64 } = "card-product.withdrawn",
        Enabled = "card-product.enabled",
        Disabled = "card-product.disabled",
        Deleted = "card-product.deleted",
        /// One of a stock.
        Sold { holding_id: CardHoldingId, number: i64 } = "card-product.sold",
        /// One of a stock lies there again.
        Restocked { holding_id: CardHoldingId, number: i64 } = "card-product.restocked",
    }
}

refusals! {
    /// Why not.
    pub enum CardProductRefusal {
        Unknown = "card-unknown": ("该卡不存在或已删除"),
        Price = "card-price": ("售价需在 0.01 元到 5000 元之间"),
        OriginPrice = "card-origin-price": ("原价需在售价到 5000 元之间"),
        Stock = "card-stock": ("库存需在 1 到 {STOCK_MAX} 之间，不填为不限"),
        Limit = "card-limit": ("每人限购需在 1 到 {LIMIT_MAX} 之间，不填为不限"),
        Window = "card-window": ("停售时间需晚于开售时间"),
        Sort = "card-sort": ("排序需在 0 到 9999 之间"),
        Different = "card-different": ("卡类型和所属代理不能修改，请新建一张卡"),
        NameTaken = "card-name-taken": ("已有同名的卡"),
        NoDraft = "card-no-draft": ("没有草稿可以发布"),
        OpenDraft = "card-open-draft": ("有未发布的草稿，请先发布或丢弃"),
        TooEarly = "card-too-early": ("生效时间不能早于现在"),
        TooLate = "card-too-late": ("生效时间不能晚于一年之后"),
        EndsEarly = "card-ends-early": ("失效时间至少要比生效时间晚 1 分钟"),
        NoVersion(i64) = "card-no-version": ("没有第 {0} 版"),
        Counted(i64) = "card-counted": ("第 {0} 版已经生效，不能撤回；可以回滚到更早的版本"),
        TooManyVersions = "card-versions": ("一张卡最多 {VERSIONS_MAX} 个版本"),
        OffSale = "card-off-sale": ("该卡已停售"),
        NotYet = "card-not-yet": ("该卡尚未开售"),
        Changed = "card-changed": ("该卡的价格或内容刚刚更新，请重新确认后购买"),
        SoldOut = "card-sold-out": ("该卡已售罄"),
    } or
    /// What is wrong with the card itself.
    Card(CardRefusal)
}

use CardProductRefusal as Refusal;

impl From<VersionFault> for CardProductRefusal {
    fn from(fault: VersionFault) -> Self {
        match fault {
            VersionFault::NoDraft => Self::NoDraft,
            VersionFault::TooEarly => Self::TooEarly,
            VersionFault::TooLate => Self::TooLate,
            VersionFault::EndsEarly => Self::EndsEarly,
            VersionFault::NoVersion(number) => Self::NoVersion(number),
            VersionFault::Counted(number) => Self::Counted(number),
            VersionFault::TooMany => Self::TooManyVersions,
        }
    }
}

impl CardForm {
    /// It as it is kept, when it may stand.
    pub fn checked(mut self) -> Result<Self, CardProductRefusal> {
        self.card = self.card.checked()?;
        if !(1..=PRICE_MAX_CENTS).contains(&self.price_cents) {
            return Err(Refusal::Price);
        }
        if !(self.price_cents..=PRICE_MAX_CENTS).contains(&self.origin_price_cents) {
            return Err(Refusal::OriginPrice);
        }
        if self.stock.is_some_and(|stock| !(1..=STOCK_MAX).contains(&stock)) {
            return Err(Refusal::Stock);
        }
        if self.limit_per_rider.is_some_and(|limit| !(1..=LIMIT_MAX).contains(&limit)) {
            return Err(Refusal::Limit);
        }
        if self.sell_from.zip(self.sell_until).is_some_and(|(from, until)| until <= from) {
            return Err(Refusal::Window);
        }
        if !(0..=9_999).contains(&self.sort) {
            return Err(Refusal::Sort);
        }
        Ok(self)
    }
}

/// The product as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct CardProduct {
    of: Option<ProductOf>,
    history: History<CardForm>,
    is_enabled: bool,
    is_deleted: bool,
    /// Of its stock, without those that went back unused; sales without a stock do not count.
    sold: i32,
}

impl CardProduct {
    /// Which it is, and whose.
    pub const fn of(&self) -> Option<ProductOf> {
        self.of
    }

    /// What was written last, published or not.
    pub fn latest(&self) -> Option<&CardForm> {
        self.history.latest().filter(|_| !self.is_deleted)
    }

    /// A version that was published and not taken back.
    pub fn version(&self, number: i64) -> Option<&Version<CardForm>> {
        self.history.version(number)
    }

    /// The version that counts at `now`, on sale or not.
    pub fn counts(&self, now: Timestamp) -> Option<&CardForm> {
        self.history.at(now).map(|version| &version.said).filter(|_| !self.is_deleted)
    }

    /// What is sold at `now`.
    pub fn on_sale(&self, now: Timestamp) -> Result<&Version<CardForm>, CardProductRefusal> {
        self.known()?;
        let version = self.history.at(now).filter(|_| self.is_enabled).ok_or(Refusal::OffSale)?;
        let form = &version.said;
        if form.sell_from.is_some_and(|from| now < from) {
            Err(Refusal::NotYet)
        } else if form.sell_until.is_some_and(|until| until <= now) {
            Err(Refusal::OffSale)
        } else if self.left(form) == Some(0) {
            Err(Refusal::SoldOut)
        } else {
            Ok(version)
        }
    }

    /// How many of its stock are left; nothing: it has none.
    fn left(&self, form: &CardForm) -> Option<i32> {
        form.stock.map(|stock| (stock - self.sold).max(0))
    }

    fn known(&self) -> Result<ProductOf, CardProductRefusal> {
        self.of.filter(|_| !self.is_deleted).ok_or(Refusal::Unknown)
    }

    fn names(&self) -> Vec<String> {
        let Some(of) = self.of.filter(|_| !self.is_deleted) else { return Vec::new() };
        let forms = self.history.draft().into_iter().chain(self.history.newest().map(|newest| &newest.said));
        let mut names: Vec<String> =
            forms.map(|form| format!("card-name:{}:{}", of.agent_id, form.card.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What may take the place of what there is.
    fn may_become(&self, of: ProductOf, form: CardForm) -> Result<CardForm, CardProductRefusal> {
        let form = form.checked()?;
        if self.is_deleted {
            return Err(Refusal::Unknown);
        }
        let other = self.of.is_some_and(|known| known != of);
        let other_kind = self.history.latest().is_some_and(|latest| latest.card.kind != form.card.kind);
        if other || other_kind { Err(Refusal::Different) } else { Ok(form) }
    }

    fn publish(&self, of: ProductOf, form: CardForm, term: Term) -> Decision<Self> {
        let number = self.history.next(VERSIONS_MAX)?;
        Ok(vec![CardProductEvent::Published { of, number, form, term }])
    }

    /// Whether there is one of `form` to sell.
    fn sell(&self, holding_id: CardHoldingId, number: i64, form: &CardForm) -> Decision<Self> {
        match self.left(form) {
            None => Ok(vec![]),
            Some(0) => Err(Refusal::SoldOut),
            Some(_) => Ok(vec![CardProductEvent::Sold { holding_id, number }]),
        }
    }
}

impl Aggregate for CardProduct {
    const CATEGORY: &'static str = "card-product";
    type Id = CardProductId;
    type Command = CardProductCommand;
    type Event = CardProductEvent;
    type Refusal = CardProductRefusal;

    fn decide(&self, command: CardProductCommand, now: Timestamp) -> Decision<Self> {
        match command {
            CardProductCommand::Save { of, form } => {
                let form = self.may_become(of, form)?;
                let known = self.latest() == Some(&form);
                Ok(if known { vec![] } else { vec![CardProductEvent::DraftSaved { of, form }] })
            }
            CardProductCommand::Set { of, form } => {
                let form = self.may_become(of, form)?;
                if self.history.draft().is_some_and(|draft| *draft != form) {
                    return Err(Refusal::OpenDraft);
                }
                if self.history.newest().is_some_and(|newest| newest.said == form) {
                    return Ok(vec![]);
                }
                self.publish(of, form, Term::from(now))
            }
            CardProductCommand::Discard => {
                self.known()?;
                // One that was never published would be nothing.
                match (self.history.draft(), self.history.newest().is_none()) {
                    (None, _) => Ok(vec![]),
                    (Some(_), true) => Ok(vec![CardProductEvent::Deleted]),
                    (Some(_), false) => Ok(vec![CardProductEvent::DraftDiscarded]),
                }
            }
            CardProductCommand::Publish(term) => {
                let of = self.known()?;
                let draft = self.history.publishable()?.clone();
                self.publish(of, draft, term.sound(now)?)
            }
            CardProductCommand::Withdraw { number } => {
                self.known()?;
                self.history.may_withdraw(number, now)?;
                Ok(vec![CardProductEvent::Withdrawn { number }])
            }
            CardProductCommand::RollBack { number } => {
                let of = self.known()?;
                match self.history.back_to(number)?.cloned() {
                    None => Ok(vec![]),
                    Some(_) if self.history.draft().is_some() => Err(Refusal::OpenDraft),
                    Some(form) => self.publish(of, form, Term::from(now)),
                }
            }
            CardProductCommand::Enable => {
                self.known()?;
                Ok(if self.is_enabled { vec![] } else { vec![CardProductEvent::Enabled] })
            }
            CardProductCommand::Disable => {
                self.known()?;
                Ok(if self.is_enabled { vec![CardProductEvent::Disabled] } else { vec![] })
            }
            CardProductCommand::Delete if self.is_deleted => Ok(vec![]),
            CardProductCommand::Delete => {
                self.known()?;
                Ok(vec![CardProductEvent::Deleted])
            }
            CardProductCommand::Sell { holding_id, number } => {
                let version = self.on_sale(now)?;
                if version.number == number {
                    self.sell(holding_id, number, &version.said)
                } else {
                    Err(Refusal::Changed)
                }
            }
            CardProductCommand::SellPaid { holding_id, number } => {
                self.known()?;
                let version = self.history.version(number).ok_or(Refusal::NoVersion(number))?;
                self.sell(holding_id, number, &version.said)
            }
            // What was sold without a stock was taken from none; of what is sold no more there is none.
            CardProductCommand::Restock { holding_id, number } => {
                let stocked =
                    self.history.version(number).is_some_and(|version| version.said.stock.is_some());
                let back = stocked && self.sold > 0 && !self.is_deleted;
                Ok(if back { vec![CardProductEvent::Restocked { holding_id, number }] } else { vec![] })
            }
        }
    }

    fn evolve(&mut self, event: &CardProductEvent) {
        match event {
            CardProductEvent::DraftSaved { of, form } => {
                self.of = Some(*of);
                self.history.save(form.clone());
            }
            CardProductEvent::DraftDiscarded => self.history.discard(),
            CardProductEvent::Published { of, number, form, term } => {
                self.of = Some(*of);
                self.is_enabled |= self.history.last() == 0;
                self.history.publish(*number, form.clone(), *term);
            }
            CardProductEvent::Withdrawn { number } => self.history.withdraw(*number),
            CardProductEvent::Enabled => self.is_enabled = true,
            CardProductEvent::Disabled => self.is_enabled = false,
            CardProductEvent::Deleted => {
                self.is_deleted = true;
                self.history.discard();
            }
            CardProductEvent::Sold { .. } => self.sold += 1,
            CardProductEvent::Restocked { .. } => self.sold = (self.sold - 1).max(0),
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.map_or(DataOwner::PLATFORM, |of| DataOwner::of_agent(of.agent_id))
    }

    /// Names belong to it as long as it is there: that of the draft, and that of what was published last.
    fn claims(&self, event: &CardProductEvent) -> Vec<Claim<CardProductRefusal>> {
        if matches!(event, CardProductEvent::Sold { .. } | CardProductEvent::Restocked { .. }) {
            return Vec::new();
        }
        let mut after = self.clone();
        after.evolve(event);
        let (held, wanted) = (self.names(), after.names());
        let given_back =
            held.iter().filter(|key| !wanted.contains(key)).map(|key| Claim::Release { key: key.clone() });
        let taken = wanted.iter().filter(|key| !held.contains(key));
        let taken = taken.map(|key| Claim::Take { key: key.clone(), refusal: Refusal::NameTaken });
        given_back.chain(taken).collect()
    }
}

#[cfg(test)]
#[path = "card_product_tests.rs"]
mod tests;
