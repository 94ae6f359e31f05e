//! One request about several things: each is judged alone, and the answer tells what became of each.

use std::collections::BTreeSet;

use kernel::{Position, Receipt};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Answer, Refused};

/// Things that one request may name.
pub const BATCH_MAX: usize = 200;

/// What a request for several names: each once, in the order given; at most `most`.
pub fn batch<T: Ord + Clone>(named: Vec<T>, most: usize) -> Result<Vec<T>, Refused> {
    let mut seen = BTreeSet::new();
    let once: Vec<T> = named.into_iter().filter(|one| seen.insert(one.clone())).collect();
    match once.len() {
        0 => Err(Refused::business("none-named", "请至少选择一项")),
        few if few <= most => Ok(once),
        _ => Err(Refused::business("too-many", format!("一次最多操作 {most} 项"))),
    }
}

/// Why one was refused.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reason {
    /// For programs, such as `role-in-use`.
    code: String,
    /// For people.
    promot: String,
    /// The same.
    promt: String,
}

/// What became of one.
#[derive(Debug, Serialize, ToSchema)]
pub struct Outcome {
    /// What the request named it by.
    key: String,
    /// Whether it was done.
    suc: bool,
    /// Why not; null when it was.
    #[schema(required)]
    error: Option<Reason>,
}

/// What a call for one or several answers: nothing for one, the outcome of each for several.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct BatchAnswer {
    /// In the order of the request; absent when just one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    results: Option<Vec<Outcome>>,
}

/// All of them, and the position that includes what was done.
#[derive(Debug, Default)]
pub struct BatchOutcomes {
    results: Vec<Outcome>,
    position: Option<Position>,
}

impl BatchOutcomes {
    /// Adds one. Only the rules' own refusals are outcomes: a system that cannot answer ends the request.
    pub fn take(&mut self, key: String, done: Result<Receipt, Refused>) -> Result<(), Refused> {
        let error = match done {
            Ok(receipt) => {
                self.position = self.position.max(Some(receipt.position));
                None
            }
            Err(Refused::Business { code, text }) => {
                Some(Reason { code: code.into_owned(), promot: text.clone(), promt: text })
            }
            Err(other) => return Err(other),
        };
        self.results.push(Outcome { key, suc: error.is_none(), error });
        Ok(())
    }

    /// Of the last that was done; nothing when none was.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// As an answer with the position of what was done.
    pub fn answer(self) -> Answer<BatchAnswer> {
        Answer(BatchAnswer { results: Some(self.results) }).including(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_named_once_in_its_order_and_not_more_than_the_call_takes() {
        assert_eq!(batch(vec![3, 1, 3, 2], 3).unwrap(), [3, 1, 2]);
        assert!(batch(vec![1, 2, 3, 4], 3).is_err());
        assert!(batch(Vec::<i32>::new(), 3).is_err());
    }

    #[test]
    fn a_refusal_is_an_outcome_and_a_failure_ends_the_request() {
        let mut outcomes = BatchOutcomes::default();
        outcomes.take("7".to_owned(), Err(Refused::business("role-in-use", "角色正被使用"))).unwrap();
        assert!(outcomes.position().is_none());
        let told = serde_json::to_value(outcomes.answer().data).unwrap();
        let error =
            serde_json::json!({"code": "role-in-use", "promot": "角色正被使用", "promt": "角色正被使用"});
        assert_eq!(told, serde_json::json!({"results": [{"key": "7", "suc": false, "error": error}]}));
        let away = BatchOutcomes::default().take("7".to_owned(), Err(Refused::forbidden()));
        assert!(away.is_err());
    }
}
