//! Numbers that carry their own check: of persons (GB 11643), of companies (GB 32100) and of bank cards (GB/T 17552,
//! that is ISO/IEC 7812-1).

use serde::{Deserialize, Serialize};

/// What stands in the place of what is not shown.
const HIDDEN: char = '*';
/// So many characters at the end are shown.
const SHOWN: usize = 4;

/// Weights of the 17 digits before the check character of an identity number, GB 11643-1999: 2 to the power of
/// 18 - place, modulo 11.
const IDENTITY_WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
/// Its check characters by the weighted sum modulo 11 (ISO 7064, MOD 11-2).
const IDENTITY_CHECKS: [u8; 11] = *b"10X98765432";

/// Characters of a unified social credit code in the order of their values, GB 32100-2015: digits and capital letters
/// without I, O, S, V and Z.
const CREDIT_ALPHABET: &[u8; 31] = b"0123456789ABCDEFGHJKLMNPQRTUWXY";
/// The weight of each of its places is three times that of the place before it, modulo 31.
const CREDIT_WEIGHT_STEP: usize = 3;

/// Both have so many characters.
const CERT_LENGTH: usize = 18;

/// Whose number a certificate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertKind {
    /// A citizen's identity number (公民身份号码).
    Identity,
    /// A company's unified social credit code (统一社会信用代码).
    Credit,
}

/// A certificate's number whose check character is right.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CertNo(String);

/// Never shown whole, in logs neither.
impl std::fmt::Debug for CertNo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CertNo({})", self.masked())
    }
}

/// The text is no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotACertNo {
    /// No identity number.
    #[error("身份证号不正确：应为 18 位，且校验位正确")]
    Identity,
    /// No credit code.
    #[error("统一社会信用代码不正确：应为 18 位数字或大写字母（不含 I、O、S、V、Z），且校验位正确")]
    Credit,
}

/// The check character that belongs at the end of the others; nothing when one of them never occurs.
type Check = fn(&[u8]) -> Option<u8>;

/// The check character of the 17 digits of an identity number; nothing when one is no digit.
fn identity_check(body: &[u8]) -> Option<u8> {
    let mut sum = 0;
    for (digit, weight) in body.iter().zip(IDENTITY_WEIGHTS) {
        sum += char::from(*digit).to_digit(10)? * weight;
    }
    Some(IDENTITY_CHECKS[sum as usize % IDENTITY_CHECKS.len()])
}

/// The check character of the 17 others of a credit code; nothing when one of them never occurs.
fn credit_check(body: &[u8]) -> Option<u8> {
    let mut sum = 0;
    let mut weight = 1;
    for letter in body {
        sum += CREDIT_ALPHABET.iter().position(|known| known == letter)? * weight;
        weight = weight * CREDIT_WEIGHT_STEP % CREDIT_ALPHABET.len();
    }
    Some(CREDIT_ALPHABET[(CREDIT_ALPHABET.len() - sum % CREDIT_ALPHABET.len()) % CREDIT_ALPHABET.len()])
}

impl CertNo {
    /// The number of a certificate of this kind; blanks around it and small letters are overlooked.
    pub fn parse(kind: CertKind, text: &str) -> Result<Self, NotACertNo> {
        let text = text.trim().to_ascii_uppercase();
        let (check, refusal): (Check, _) = match kind {
            CertKind::Identity => (identity_check, NotACertNo::Identity),
            CertKind::Credit => (credit_check, NotACertNo::Credit),
        };
        let (last, body) = text.as_bytes().split_last().ok_or(refusal)?;
        let right = text.len() == CERT_LENGTH && check(body) == Some(*last);
        if right { Ok(Self(text)) } else { Err(refusal) }
    }

    /// As lists show it: its last four characters.
    pub fn masked(&self) -> String {
        let hidden = self.0.len().saturating_sub(SHOWN);
        format!("{}{}", HIDDEN.to_string().repeat(hidden), &self.0[hidden..])
    }
}

/// A bank card's number: 12 to 19 digits of which the last follows from the others by Luhn's formula.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CardNo(String);

/// Never shown whole, in logs neither.
impl std::fmt::Debug for CardNo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CardNo({})", self.masked())
    }
}

/// The text is no bank card's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("银行卡号不正确：应为 12 到 19 位数字，且校验位正确")]
pub struct NotACardNo;

/// Whether every second digit from the right, doubled and its digits added, makes a sum with the others that ends
/// in zero (ISO/IEC 7812-1, annex B).
fn luhn(digits: &[u8]) -> bool {
    let mut sum = 0;
    for (place, digit) in digits.iter().rev().enumerate() {
        let value = u32::from(digit - b'0') << (place % 2);
        sum += value / 10 + value % 10;
    }
    sum % 10 == 0
}

impl CardNo {
    /// The number; blanks in it, as on the card itself, are overlooked.
    pub fn parse(text: &str) -> Result<Self, NotACardNo> {
        let digits: String = text.chars().filter(|letter| *letter != ' ').collect();
        let fits = (12..=19).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
        if fits && luhn(digits.as_bytes()) { Ok(Self(digits)) } else { Err(NotACardNo) }
    }

    /// As lists show it: its last four digits.
    pub fn masked(&self) -> String {
        format!("**** **** **** {}", self.last_four())
    }

    /// Its last four digits.
    pub fn last_four(&self) -> &str {
        &self.0[self.0.len().saturating_sub(SHOWN)..]
    }

    /// Whether `text` names it, whole or by its last four digits.
    pub fn is_named_by(&self, text: &str) -> bool {
        let digits: String = text.chars().filter(|letter| *letter != ' ').collect();
        digits == self.0 || digits == self.last_four()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number made by the formula. Region 000000 is no place, so such an identity number belongs to nobody.
    fn with_check(body: &str, check: Check) -> String {
        format!("{body}{}", char::from(check(body.as_bytes()).expect("a body of known characters")))
    }

    fn with_luhn(body: &str) -> String {
        let digit = (0..10).find(|digit| luhn(format!("{body}{digit}").as_bytes())).expect("one of ten");
        format!("{body}{digit}")
    }

    /// Every text that differs from `number` in one character.
    fn slips<'a>(number: &'a str, letters: &'a [u8]) -> impl Iterator<Item = String> + 'a {
        (0..number.len()).flat_map(move |place| {
            letters.iter().filter(move |other| **other != number.as_bytes()[place]).map(move |other| {
                let mut slip = number.as_bytes().to_vec();
                slip[place] = *other;
                String::from_utf8(slip).unwrap()
            })
        })
    }

    #[test]
    fn the_examples_of_the_standards_pass() {
        // GB 11643-1999, annex A.
        for number in ["11010519491231002X", " 11010519491231002x ", "440524188001010014"] {
            assert!(CertNo::parse(CertKind::Identity, number).is_ok(), "{number}");
        }
        // GB 32100-2015, annex A.
        assert!(CertNo::parse(CertKind::Credit, "91350100M000100Y43").is_ok());
        // ISO/IEC 7812-1 leaves one issuer's numbers to tests; blanks as printed on a card.
        assert!(CardNo::parse("4111 1111 1111 1111").is_ok());
    }

    #[test]
    fn every_check_character_of_an_identity_number_occurs_and_passes() {
        let made: Vec<String> =
            (100..140).map(|n| with_check(&format!("00000019000101{n}"), identity_check)).collect();
        for check in IDENTITY_CHECKS {
            assert!(made.iter().any(|number| number.as_bytes()[17] == check), "{}", char::from(check));
        }
        for number in made {
            assert!(CertNo::parse(CertKind::Identity, &number).is_ok(), "{number}");
        }
    }

    #[test]
    fn one_wrong_character_is_always_noticed() {
        let identity = with_check("00000019000101001", identity_check);
        for slip in slips(&identity, b"0123456789X") {
            assert_eq!(CertNo::parse(CertKind::Identity, &slip), Err(NotACertNo::Identity), "{slip}");
        }
        let credit = with_check("91000000MA0000000", credit_check);
        for slip in slips(&credit, CREDIT_ALPHABET) {
            assert_eq!(CertNo::parse(CertKind::Credit, &slip), Err(NotACertNo::Credit), "{slip}");
        }
        let card = with_luhn("622848000000000");
        assert!(CardNo::parse(&card).is_ok());
        for slip in slips(&card, b"0123456789") {
            assert_eq!(CardNo::parse(&slip), Err(NotACardNo), "{slip}");
        }
    }

    #[test]
    fn what_has_not_the_shape_is_refused() {
        for text in ["", "1", "0000001900010100", "身份证号码身份证", "00000019000101001١"] {
            assert!(CertNo::parse(CertKind::Identity, text).is_err(), "{text}");
            assert!(CertNo::parse(CertKind::Credit, text).is_err(), "{text}");
        }
        let identity = with_check("00000019000101001", identity_check);
        assert!(CertNo::parse(CertKind::Identity, &format!("{identity}0")).is_err(), "19 characters");
        for body in ["6228480000", "622848000000000000"] {
            let card = with_luhn(body);
            let fits = (12..=19).contains(&card.len());
            assert_eq!(CardNo::parse(&card).is_ok(), fits, "{card}: {} digits", card.len());
        }
        for text in ["", "6228 4800 0000 000a", "６２２８４８００００００００００"] {
            assert_eq!(CardNo::parse(text), Err(NotACardNo), "{text}");
        }
    }

    #[test]
    fn only_the_last_four_are_shown_in_lists_and_in_logs() {
        let cert = CertNo::parse(CertKind::Credit, "91350100M000100Y43").unwrap();
        assert_eq!(cert.masked(), "**************0Y43");
        assert_eq!(format!("{cert:?}"), "CertNo(**************0Y43)");
        let card = CardNo::parse("4111 1111 1111 1111").unwrap();
        assert_eq!(card.masked(), "**** **** **** 1111");
        assert_eq!(format!("{card:?}"), "CardNo(**** **** **** 1111)");
        assert!(card.is_named_by("1111") && card.is_named_by("4111111111111111"));
        assert!(!card.is_named_by("111") && !card.is_named_by("4111111111111112") && !card.is_named_by(""));
    }
}
