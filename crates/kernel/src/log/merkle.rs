//! Merkle trees over leaves, as RFC 6962 has them: small proofs that one event is among those a checkpoint signs.

use sha2::{Digest, Sha256};

use super::chain::Hash;

/// The root over `leaves`; over none, the hash of nothing.
pub fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => lone(leaf),
        _ => {
            let (left, right) = leaves.split_at(half(leaves.len()));
            node(&root(left), &root(right))
        }
    }
}

/// The hashes beside the way from leaf `index` to the root, the nearest first.
pub fn path(leaves: &[Hash], index: usize) -> Vec<Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let middle = half(leaves.len());
    let (left, right) = leaves.split_at(middle);
    let (mut way, beside) = if index < middle {
        (path(left, index), root(right))
    } else {
        (path(right, index - middle), root(left))
    };
    way.push(beside);
    way
}

/// The root that `leaf` at `index` of `count` leads to along `path`; nothing when the path has not the right length.
pub fn root_of_path(leaf: &Hash, index: usize, count: usize, path: &[Hash]) -> Option<Hash> {
    if index >= count {
        return None;
    }
    if count == 1 {
        return path.is_empty().then(|| lone(leaf));
    }
    let (beside, rest) = path.split_last()?;
    let middle = half(count);
    Some(if index < middle {
        node(&root_of_path(leaf, index, middle, rest)?, beside)
    } else {
        node(beside, &root_of_path(leaf, index - middle, count - middle, rest)?)
    })
}

/// The largest power of two below `count`.
fn half(count: usize) -> usize {
    count.next_power_of_two() / 2
}

fn lone(leaf: &Hash) -> Hash {
    Sha256::new().chain_update([0]).chain_update(leaf).finalize().into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: u8) -> Vec<Hash> {
        (0..count).map(|n| [n; 32]).collect()
    }

    #[test]
    fn every_leaf_of_every_tree_has_a_path_to_its_root_and_to_no_other() {
        for count in 1..40 {
            let leaves = leaves(count);
            let root = root(&leaves);
            for index in 0..leaves.len() {
                let path = path(&leaves, index);
                assert!(path.len() <= 6);
                assert_eq!(root_of_path(&leaves[index], index, leaves.len(), &path), Some(root));
                assert_ne!(root_of_path(&[99; 32], index, leaves.len(), &path), Some(root));
                let other = (index + 1) % leaves.len();
                if other != index {
                    assert_ne!(root_of_path(&leaves[index], other, leaves.len(), &path), Some(root));
                }
            }
        }
    }

    #[test]
    fn a_path_of_the_wrong_length_leads_nowhere() {
        let leaves = leaves(5);
        let mut long = path(&leaves, 2);
        long.push([0; 32]);
        assert_ne!(root_of_path(&leaves[2], 2, 5, &long), Some(root(&leaves)));
        assert_eq!(root_of_path(&leaves[2], 2, 5, &[]), None);
        assert_eq!(root_of_path(&leaves[2], 5, 5, &path(&leaves, 2)), None);
    }
}
