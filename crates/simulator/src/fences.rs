//! The fences that a controller keeps (`docs/device-protocol.md`): parts are put together, and what is whole and sound takes
//! the place of what was there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::device::code;

/// Form 1 of what counts in an area.
const FORM: u8 = 0xF1;
/// A controller has room for so much, bytes.
const ROOM: usize = 2_000_000;
const DIGEST_DIGITS: usize = 32;

/// A controller that does not do as it should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// It does.
    #[default]
    None,
    /// It does not hear the first message of an edition.
    HardOfHearing,
    /// It has no room for the first edition that it is sent in its life, and takes it when it is sent anew.
    Refuses,
}

/// A part of an edition.
#[derive(Clone, Debug, Deserialize)]
struct Part {
    area: String,
    edition: u64,
    /// From 1.
    #[serde(rename = "part")]
    number: usize,
    parts: usize,
    digest: String,
    data: String,
}

/// Parts that are there.
#[derive(Clone, Debug)]
struct Coming {
    area: String,
    edition: u64,
    digest: String,
    parts: Vec<Option<Vec<u8>>>,
}

/// What came of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It was not heard.
    Lost,
    /// The code to answer with; more is to come.
    Answered(i32),
    /// It was the last part: reports tell of it from now on.
    Whole,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Fences {
    /// Low 16 bits of the edition that is held; 0: none.
    pub version: u16,
    /// What is wrong with it.
    pub fault: Fault,
    coming: Option<Coming>,
    /// The edition whose first message was not heard.
    missed: Option<(String, u64)>,
}

/// A number of the compact form, and what follows it.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0)? + 1;
    let value =
        bytes[..length.min(9)].iter().rev().fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7F));
    (length <= 9).then(|| (value, &bytes[length..]))
}

/// Area and edition at the head of the compact form.
fn head(bytes: &[u8]) -> Option<(u64, u64)> {
    let rest = bytes.strip_prefix(&[FORM])?;
    let (area, rest) = number(rest)?;
    let (edition, _) = number(rest)?;
    Some((area, edition))
}

impl Fences {
    /// A message of kind 15. One that names no edition is a person's, and asks for nothing.
    pub fn take(&mut self, params: &Value) -> Taken {
        if params.get("edition").is_none() {
            return Taken::Answered(code::DONE);
        }
        let Ok(part) = serde_json::from_value::<Part>(params.clone()) else {
            return Taken::Answered(code::BAD_PARAMS);
        };
        match self.fault {
            Fault::HardOfHearing => {
                let this = (part.area.clone(), part.edition);
                if self.missed.as_ref() != Some(&this) {
                    self.missed = Some(this);
                    return Taken::Lost;
                }
            }
            Fault::Refuses => {
                self.fault = Fault::None;
                return Taken::Answered(code::BAD_PARAMS);
            }
            Fault::None => {}
        }
        self.keep(part).unwrap_or(Taken::Answered(code::BAD_PARAMS))
    }

    /// Nothing: the part is none.
    fn keep(&mut self, part: Part) -> Option<Taken> {
        let index = part.number.checked_sub(1).filter(|index| *index < part.parts && part.parts <= 64)?;
        let data = STANDARD.decode(&part.data).ok()?;
        let same = |coming: &&mut Coming| {
            coming.area == part.area && coming.edition == part.edition && coming.digest == part.digest
        };
        let coming = match self.coming.as_mut().filter(same) {
            Some(coming) => coming,
            // Parts of another edition are given up.
            None => self.coming.insert(Coming {
                area: part.area,
                edition: part.edition,
                digest: part.digest,
                parts: vec![None; part.parts],
            }),
        };
        *coming.parts.get_mut(index)? = Some(data);
        if coming.parts.iter().flatten().map(Vec::len).sum::<usize>() > ROOM {
            self.coming = None;
            return None;
        }
        if coming.parts.iter().any(Option::is_none) {
            return Some(Taken::Answered(code::DONE));
        }
        let coming = self.coming.take()?;
        let whole: Vec<u8> = coming.parts.into_iter().flatten().flatten().collect();
        let digest = hex::encode(Sha256::digest(&whole));
        let sound = digest[..DIGEST_DIGITS] == coming.digest
            && head(&whole)
                .is_some_and(|(area, edition)| edition == coming.edition && area.to_string() == coming.area);
        if !sound {
            return None;
        }
        self.version = (coming.edition & 0xFFFF) as u16;
        Some(Taken::Whole)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn vector() -> Value {
        serde_json::from_str(include_str!("../../../docs/fence-vector.json")).expect("JSON")
    }

    /// The vector's form in two parts.
    fn halves() -> [Value; 2] {
        let mut whole = vector()["message"]["params"].clone();
        let bytes = STANDARD.decode(whole["data"].as_str().unwrap()).unwrap();
        whole["parts"] = 2.into();
        let half = |part: usize, data: &[u8]| {
            let mut one = whole.clone();
            one["part"] = part.into();
            one["data"] = STANDARD.encode(data).into();
            one
        };
        [half(1, &bytes[..20]), half(2, &bytes[20..])]
    }

    #[test]
    fn the_documented_message_is_taken_and_told_of() {
        let told = vector();
        let mut fences = Fences::default();
        assert_eq!(fences.take(&told["message"]["params"]), Taken::Whole);
        assert_eq!(told["report"]["fence_version"], fences.version);
        let form = hex::decode(told["hex"].as_str().unwrap()).unwrap();
        assert_eq!(form, STANDARD.decode(told["message"]["params"]["data"].as_str().unwrap()).unwrap());
    }

    #[test]
    fn parts_come_in_any_order_and_tell_of_nothing_until_all_are_there() {
        let [first, second] = halves();
        let mut fences = Fences::default();
        assert_eq!(fences.take(&second), Taken::Answered(0));
        assert_eq!(fences.take(&second), Taken::Answered(0));
        assert_eq!(fences.version, 0);
        assert_eq!(fences.take(&first), Taken::Whole);
        assert_eq!(fences.version, 300);
    }

    #[test]
    fn what_is_not_sound_is_refused_and_what_was_held_stays() {
        let mut fences = Fences { version: 7, ..Fences::default() };
        let [first, mut second] = halves();
        second["data"] = STANDARD.encode([1, 2, 3]).into();
        assert_eq!(fences.take(&first), Taken::Answered(0));
        assert_eq!(fences.take(&second), Taken::Answered(114));
        let mut wrong = vector()["message"]["params"].clone();
        wrong["edition"] = 301.into();
        assert_eq!(fences.take(&wrong), Taken::Answered(114));
        wrong["part"] = 0.into();
        assert_eq!(fences.take(&wrong), Taken::Answered(114));
        assert_eq!(fences.version, 7);
    }

    #[test]
    fn what_ails_a_controller_passes() {
        let params = vector()["message"]["params"].clone();
        let mut deaf = Fences { fault: Fault::HardOfHearing, ..Fences::default() };
        assert_eq!([deaf.take(&params), deaf.take(&params)], [Taken::Lost, Taken::Whole]);
        let mut refusing = Fences { fault: Fault::Refuses, ..Fences::default() };
        assert_eq!([refusing.take(&params), refusing.take(&params)], [Taken::Answered(114), Taken::Whole]);
        assert_eq!(refusing.take(&json!({})), Taken::Answered(0), "a person's");
    }
}
