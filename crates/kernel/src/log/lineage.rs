//! A row of statements judged by itself: links, keys, and what they say of the log all together. Pure.

use ed25519_dalek::VerifyingKey;
use vocabulary::Timestamp;

use super::chain::Hash;
use super::statement::{Content, Mark, Statement, key_id};
use super::verify::{Finding, Note};
use crate::Position;

/// The keys that a verifier holds.
#[derive(Clone, Debug)]
pub struct Trust {
    /// The one that signs now.
    pub current: VerifyingKey,
    /// Those that signed before.
    pub retired: Vec<VerifyingKey>,
}

impl Trust {
    /// With no key before it.
    pub const fn only(current: VerifyingKey) -> Self {
        Self { current, retired: Vec::new() }
    }

    fn keys(&self) -> impl Iterator<Item = &VerifyingKey> {
        std::iter::once(&self.current).chain(&self.retired)
    }
}

/// Something that the log must still be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Where.
    pub position: Position,
    /// The chain there.
    pub chain: Hash,
    /// The checkpoint that says so; none for a restore.
    pub mark: Option<Mark>,
}

/// What statements say together.
#[derive(Debug, Default)]
pub struct Lineage {
    /// What the log must still be, in the order of positions.
    pub anchors: Vec<Anchor>,
    /// How far the log was ever signed.
    pub signed: Position,
    /// What is wrong with the statements.
    pub findings: Vec<Finding>,
    /// What is worth knowing.
    pub notes: Vec<Note>,
}

impl Lineage {
    /// Takes what a statement says of the log; the statements come in their order.
    pub fn say(&mut self, content: &Content, at: Timestamp) {
        match content {
            Content::Checkpoint(mark) => {
                self.signed = self.signed.max(mark.position);
                let (position, chain) = (mark.position, mark.chain);
                self.anchors.push(Anchor { position, chain, mark: Some(mark.clone()) });
            }
            Content::Rotation { .. } => self.notes.push(Note::Rotated { at }),
            Content::Restore { from, to, chain } => {
                self.anchors.retain(|anchor| anchor.position <= *to);
                if to.0 > 0 {
                    self.anchors.push(Anchor { position: *to, chain: *chain, mark: None });
                }
                self.signed = *to;
                self.notes.push(Note::Restored { from: *from, to: *to, at });
            }
        }
    }

    /// The last checkpoint that still counts.
    pub fn last_mark(&self) -> Option<&Mark> {
        self.anchors.iter().rev().find_map(|anchor| anchor.mark.as_ref())
    }
}

/// Judges checkpoints of version 1 and the statements after them, both in their order.
pub fn follow(old: &[Statement], statements: &[Statement], trust: &Trust) -> Lineage {
    let mut lineage = Lineage::default();
    let keys = known_keys(statements, trust);
    for checkpoint in old {
        if keys.iter().any(|key| checkpoint.is_signed_by(key)) {
            lineage.say(&checkpoint.content, checkpoint.signed_at);
        } else if let Some(mark) = checkpoint.mark() {
            lineage.findings.push(Finding::Signature { position: mark.position });
        }
    }
    let mut before = old.last();
    let mut holder: Option<VerifyingKey> = None;
    for statement in statements {
        let number = statement.number();
        let Some(key) = keys.iter().find(|key| key_id(key) == statement.key_id) else {
            lineage.findings.push(Finding::UnknownKey { number });
            before = Some(statement);
            continue;
        };
        let in_turn = holder.is_none_or(|holder| holder == *key);
        if !statement.is_signed_by(key) || !in_turn {
            lineage.findings.push(Finding::Statement { number });
            before = Some(statement);
            continue;
        }
        let follows = before.map_or(0, Statement::number) + 1 == number;
        let previous = statement.link.as_ref().map(|link| link.previous);
        // Behind a hole the link cannot be judged; that there is one is told by whoever read the places.
        if follows && previous != Some(before.map_or([0; 32], Statement::hash)) {
            lineage.findings.push(Finding::Unlinked { number });
        }
        holder = Some(*key);
        if let Content::Rotation { to, .. } = &statement.content {
            holder = VerifyingKey::from_bytes(to).ok();
        }
        lineage.say(&statement.content, statement.signed_at);
        before = Some(statement);
    }
    if holder.is_some_and(|holder| holder != trust.current) {
        lineage.findings.push(Finding::KeyReplaced);
    }
    lineage
}

/// The trusted keys, and those that rotations name. A key that only rotations vouch for counts when a trusted key signed
/// behind them: its signature covers them by their hashes.
fn known_keys(statements: &[Statement], trust: &Trust) -> Vec<VerifyingKey> {
    let mut keys: Vec<VerifyingKey> = trust.keys().copied().collect();
    let vouched = statements
        .iter()
        .rposition(|statement| trust.keys().any(|key| statement.is_signed_by(key)))
        .unwrap_or(0);
    for statement in &statements[..vouched] {
        if let Content::Rotation { from, to } = &statement.content {
            keys.extend([from, to].into_iter().filter_map(|key| VerifyingKey::from_bytes(key).ok()));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::statement::CheckpointKey;

    const AT: Timestamp = Timestamp::from_millis(5);

    fn key(n: u8) -> CheckpointKey {
        CheckpointKey::new(&[n; 32])
    }

    fn checkpoint(first: i64, position: i64) -> Content {
        let chain = [position as u8; 32];
        Content::Checkpoint(Mark { first: Position(first), position: Position(position), chain, root: chain })
    }

    fn rotation(from: &CheckpointKey, to: &CheckpointKey) -> Content {
        Content::Rotation { from: *from.public().as_bytes(), to: *to.public().as_bytes() }
    }

    fn row(said: &[(u8, Content)]) -> Vec<Statement> {
        let mut row: Vec<Statement> = Vec::new();
        for (signer, content) in said {
            row.push(Statement::sign(&key(*signer), row.last(), content.clone(), AT));
        }
        row
    }

    #[test]
    fn a_key_hands_over_to_the_next_and_old_statements_still_count() {
        let row = row(&[(1, checkpoint(1, 3)), (1, rotation(&key(1), &key(2))), (2, checkpoint(4, 6))]);
        let both = Trust { current: key(2).public(), retired: vec![key(1).public()] };
        // Without the old key on file the hand-over vouches for it: the new key signed behind it.
        for trust in [both, Trust::only(key(2).public())] {
            let lineage = follow(&[], &row, &trust);
            assert_eq!(lineage.findings, []);
            assert_eq!((lineage.anchors.len(), lineage.signed), (2, Position(6)));
        }
    }

    #[test]
    fn a_key_file_that_was_replaced_is_found() {
        let row = row(&[(1, checkpoint(1, 3)), (1, checkpoint(4, 6))]);
        let both = Trust { current: key(2).public(), retired: vec![key(1).public()] };
        assert_eq!(follow(&[], &row, &both).findings, [Finding::KeyReplaced]);
        let found = follow(&[], &row, &Trust::only(key(2).public())).findings;
        assert_eq!(found, [Finding::UnknownKey { number: 1 }, Finding::UnknownKey { number: 2 }]);
    }

    #[test]
    fn a_stranger_who_hands_over_to_the_true_key_is_not_believed() {
        let row = row(&[(9, checkpoint(1, 3)), (9, rotation(&key(9), &key(1)))]);
        let found = follow(&[], &row, &Trust::only(key(1).public())).findings;
        assert_eq!(found, [Finding::UnknownKey { number: 1 }, Finding::UnknownKey { number: 2 }]);
    }

    #[test]
    fn a_statement_of_a_key_that_had_handed_over_does_not_count() {
        let row = row(&[(1, rotation(&key(1), &key(2))), (1, checkpoint(1, 3)), (2, checkpoint(1, 3))]);
        let both = Trust { current: key(2).public(), retired: vec![key(1).public()] };
        assert_eq!(follow(&[], &row, &both).findings, [Finding::Statement { number: 2 }]);
    }

    #[test]
    fn a_statement_in_anothers_stead_does_not_link() {
        let mut row = row(&[(1, checkpoint(1, 3)), (1, checkpoint(4, 6))]);
        row[0] = Statement::sign(&key(1), None, checkpoint(1, 2), AT);
        let found = follow(&[], &row, &Trust::only(key(1).public())).findings;
        assert_eq!(found, [Finding::Unlinked { number: 2 }]);
    }

    #[test]
    fn behind_an_accepted_restore_what_was_signed_later_no_longer_counts() {
        let restore = Content::Restore { from: Position(9), to: Position(4), chain: [4; 32] };
        let row = row(&[(1, checkpoint(1, 3)), (1, checkpoint(4, 6)), (1, restore), (1, checkpoint(4, 7))]);
        let lineage = follow(&[], &row, &Trust::only(key(1).public()));
        assert_eq!(lineage.findings, []);
        let positions: Vec<i64> = lineage.anchors.iter().map(|anchor| anchor.position.0).collect();
        assert_eq!(positions, [3, 4, 7]);
        assert_eq!(lineage.notes, [Note::Restored { from: Position(9), to: Position(4), at: AT }]);
    }
}
