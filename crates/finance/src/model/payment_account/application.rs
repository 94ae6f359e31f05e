//! What people fill in for an account and for its card.

use serde::{Deserialize, Serialize};
use vocabulary::{Phone, choices};

use super::super::numbers::{CardNo, CertKind, CertNo};
use super::{PaymentAccountRefusal, line};

/// A customer's name has at most so many characters.
const NAME_MAX: usize = 64;
/// A person's name has at most so many characters.
const PERSON_MAX: usize = 20;
/// A bank's name has at most so many characters.
const BANK_MAX: usize = 32;

choices! {
    /// Who the account is for.
    pub enum AccountType("账户类型") {
        Individual = 0 => "个人",
        Company = 1 => "企业",
        SoleTrader = 2 => "个体户",
    }
}

/// Who applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applicant {
    /// 开户名称.
    pub customer_name: String,
    /// 证件号码.
    pub cert_no: CertNo,
    /// 联系人.
    pub contact: String,
    /// 联系电话.
    pub phone: Phone,
}

/// An application that may be handed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// Who the account is for.
    pub account_type: AccountType,
    /// Who applies.
    pub applicant: Applicant,
}

/// A name; one with stars is a masked one sent back.
fn name(text: &str, max: usize, what: &'static str) -> Result<String, PaymentAccountRefusal> {
    let refusal = PaymentAccountRefusal::Name { what, max };
    line(text, max).filter(|name| !name.contains('*')).ok_or(refusal)
}

fn phone(text: &str) -> Result<Phone, PaymentAccountRefusal> {
    text.trim().parse().map_err(|_| PaymentAccountRefusal::Phone)
}

impl Application {
    /// The application that these texts make.
    pub fn new(
        account_type: AccountType,
        customer_name: &str,
        cert_no: &str,
        contact: &str,
        telephone: &str,
    ) -> Result<Self, PaymentAccountRefusal> {
        let kind = match account_type {
            AccountType::Individual => CertKind::Identity,
            AccountType::Company | AccountType::SoleTrader => CertKind::Credit,
        };
        let applicant = Applicant {
            customer_name: name(customer_name, NAME_MAX, "开户名称")?,
            cert_no: CertNo::parse(kind, cert_no).map_err(PaymentAccountRefusal::Cert)?,
            contact: name(contact, PERSON_MAX, "联系人")?,
            phone: phone(telephone)?,
        };
        Ok(Self { account_type, applicant })
    }
}

/// A bank card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankCard {
    /// 银行卡号.
    pub card_no: CardNo,
    /// 银行预留手机号.
    pub mobile: Phone,
    /// 持卡人.
    pub holder: String,
    /// 持卡人证件号码.
    pub id_no: CertNo,
}

/// A bank card as people fill it in.
#[derive(Clone, PartialEq, Eq)]
pub struct BankCardForm {
    /// 银行卡号.
    pub card_no: String,
    /// 银行预留手机号.
    pub mobile: String,
    /// 开户银行.
    pub bank_name: String,
    /// 持卡人.
    pub holder: String,
    /// 持卡人证件号码.
    pub id_no: String,
}

/// Nothing of it belongs into a log.
impl std::fmt::Debug for BankCardForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BankCardForm").field("bank_name", &self.bank_name).finish_non_exhaustive()
    }
}

impl BankCardForm {
    /// The bank and the card, when each field may stand for an account of this type. A company's card is in the name
    /// of the company or of its legal person.
    pub(super) fn checked(
        &self,
        account_type: Option<AccountType>,
    ) -> Result<(String, BankCard), PaymentAccountRefusal> {
        let identity = CertNo::parse(CertKind::Identity, &self.id_no);
        let id_no = match account_type {
            Some(AccountType::Company | AccountType::SoleTrader) => {
                identity.or_else(|_| CertNo::parse(CertKind::Credit, &self.id_no))
            }
            _ => identity,
        };
        let card = BankCard {
            card_no: CardNo::parse(&self.card_no).map_err(PaymentAccountRefusal::CardNo)?,
            mobile: phone(&self.mobile)?,
            holder: name(&self.holder, NAME_MAX, "持卡人")?,
            id_no: id_no.map_err(|_| PaymentAccountRefusal::HolderCert)?,
        };
        Ok((name(&self.bank_name, BANK_MAX, "开户银行")?, card))
    }
}
