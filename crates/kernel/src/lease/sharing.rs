//! How processes share what there is to lead, so that each leads as much as any other, or one thing more.
//!
//! Each reckons for itself from the same rows. What is free goes to whoever leads least of those that want it; who leads
//! at least two things more than another gives back one that the other wants. Every hand-over makes the two more equal, so
//! hand-overs come to an end and nothing wanders. What follows from a wrong picture is a lease too few or too many:
//! that nothing is led twice is not decided here.

use std::collections::{BTreeMap, BTreeSet};

/// A process that says that it is there.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The leases that it holds or stands in line for.
    pub(super) wants: BTreeSet<String>,
    /// It has been there for a term: it is given what another leads, and had its time to take what is free.
    pub(super) settled: bool,
}

/// How a lease stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Held {
        by: String,
    },
    Free {
        /// For longer than a term.
        long: bool,
    },
}

/// What a process sees when it looks.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Who is there, by name; itself too, unless it wants nothing.
    pub(super) nodes: BTreeMap<String, Node>,
    /// A lease that is not here was never held.
    pub(super) leases: BTreeMap<String, Standing>,
}

/// What follows for the process that looks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Free, and its own to take.
    pub(super) take: BTreeSet<String>,
    /// Free, and another's to take, who lets it lie: taken all the same, for something must lead.
    pub(super) neglected: BTreeSet<String>,
    /// One of these is to be given back.
    pub(super) spare: BTreeSet<String>,
    /// Leases are about to change hands between it and another.
    pub(super) under_way: bool,
}

impl Seen {
    /// What follows for `me`.
    pub(super) fn plan(&self, me: &str) -> Plan {
        let mut plan = Plan::default();
        let Some(own) = self.nodes.get(me) else { return plan };
        let mut led: BTreeMap<&str, usize> = self.nodes.keys().map(|node| (node.as_str(), 0)).collect();
        for standing in self.leases.values() {
            if let Standing::Held { by } = standing
                && let Some(count) = led.get_mut(by.as_str())
            {
                *count += 1;
            }
        }
        let wanted: BTreeSet<&String> = self.nodes.values().flat_map(|node| &node.wants).collect();
        for name in wanted {
            let Some(long) = self.free(name) else { continue };
            let takers = self.nodes.iter().filter(|(_, node)| node.wants.contains(name));
            let Some((taker, node)) = takers.min_by_key(|(taker, _)| (led[taker.as_str()], *taker)) else {
                continue;
            };
            *led.entry(taker).or_default() += 1;
            if taker == me {
                plan.take.insert(name.clone());
            } else if long && node.settled && own.wants.contains(name) {
                plan.neglected.insert(name.clone());
            }
        }
        let mut spare = BTreeSet::new();
        for (name, standing) in &self.leases {
            let Standing::Held { by } = standing else { continue };
            let takes = |node: &Node| node.settled && node.wants.contains(name);
            let lighter = |than: &str, node: &str| led[node] + 2 <= led[than];
            if by == me {
                if self.nodes.iter().any(|(other, node)| takes(node) && lighter(me, other)) {
                    spare.insert(name.clone());
                }
            } else if self.nodes.contains_key(by) && takes(own) && lighter(by, me) {
                plan.under_way = true;
            }
        }
        plan.under_way |= !spare.is_empty();
        // One at a time: what was given back is taken before the next is.
        if own.wants.iter().all(|name| self.free(name).is_none()) {
            plan.spare = spare;
        }
        plan
    }

    /// Whether `name` has been free for long, if it is.
    fn free(&self, name: &str) -> Option<bool> {
        match self.leases.get(name) {
            Some(Standing::Held { .. }) => None,
            Some(Standing::Free { long }) => Some(*long),
            None => Some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    const OLDER: &str = "a program that does not say that it is there";

    fn name(number: usize) -> String {
        format!("thing {number:02}")
    }

    fn names(count: usize) -> BTreeSet<String> {
        (0..count).map(name).collect()
    }

    fn there(nodes: impl IntoIterator<Item = (&'static str, BTreeSet<String>)>) -> Seen {
        let nodes = nodes.into_iter().map(|(node, wants)| (node.to_owned(), Node { wants, settled: true }));
        Seen { nodes: nodes.collect(), leases: BTreeMap::new() }
    }

    fn hold(seen: &mut Seen, by: &str, names: impl IntoIterator<Item = String>) {
        for name in names {
            seen.leases.insert(name, Standing::Held { by: by.to_owned() });
        }
    }

    fn led_by(seen: &Seen, node: &str) -> usize {
        seen.leases
            .values()
            .filter(|standing| matches!(standing, Standing::Held { by } if by == node))
            .count()
    }

    /// What `node` does that looked at `saw`; says whether anything changed hands.
    fn act(now: &mut Seen, saw: &Seen, node: &str) -> bool {
        let plan = saw.plan(node);
        let mut moved = false;
        for name in plan.take.iter().chain(&plan.neglected) {
            if !matches!(now.leases.get(name), Some(Standing::Held { .. })) {
                hold(now, node, [name.clone()]);
                moved = true;
            }
        }
        let own = |name: &&String| matches!(&now.leases[*name], Standing::Held { by } if by == node);
        if let Some(name) = plan.spare.iter().find(own) {
            now.leases.insert(name.clone(), Standing::Free { long: false });
            moved = true;
        }
        moved
    }

    #[test]
    fn three_things_of_two_are_shared_two_to_one_and_stay() {
        let mut seen = there([("a", names(3)), ("b", names(3))]);
        hold(&mut seen, "a", names(3));
        assert_eq!(seen.plan("a").spare, names(3));
        assert!(seen.plan("b").under_way);
        hold(&mut seen, "b", [name(2)]);
        for node in ["a", "b"] {
            assert_eq!(seen.plan(node), Plan::default());
        }
    }

    #[test]
    fn what_was_given_back_is_taken_before_the_next_is_given_back() {
        let mut seen = there([("a", names(6)), ("b", names(6))]);
        hold(&mut seen, "a", names(6));
        seen.leases.insert(name(5), Standing::Free { long: false });
        let giving = seen.plan("a");
        assert_eq!((&giving.spare, giving.under_way), (&BTreeSet::new(), true));
        assert_eq!(seen.plan("b").take, BTreeSet::from([name(5)]));
    }

    #[test]
    fn a_newcomer_is_given_nothing_that_is_led_and_its_part_of_what_is_free() {
        let mut seen = there([("a", names(4)), ("b", names(4))]);
        seen.nodes.get_mut("b").unwrap().settled = false;
        hold(&mut seen, "a", names(3));
        assert_eq!(seen.plan("a"), Plan::default());
        assert_eq!(seen.plan("b").take, BTreeSet::from([name(3)]));
    }

    #[test]
    fn what_another_lets_lie_is_taken_after_a_term() {
        let mut seen = there([("a", names(2)), ("b", names(2))]);
        hold(&mut seen, "a", [name(0)]);
        seen.leases.insert(name(1), Standing::Free { long: false });
        assert_eq!(seen.plan("a"), Plan::default());
        seen.leases.insert(name(1), Standing::Free { long: true });
        assert_eq!(seen.plan("a").neglected, BTreeSet::from([name(1)]));
        // Whoever came a moment ago had no time to.
        seen.nodes.get_mut("b").unwrap().settled = false;
        assert_eq!(seen.plan("a"), Plan::default());
    }

    #[test]
    fn nothing_is_given_back_that_nobody_else_wants() {
        let mut seen = there([("a", names(6)), ("b", names(1))]);
        hold(&mut seen, "a", names(6));
        assert_eq!(seen.plan("a").spare, names(1));
        seen.nodes.get_mut("b").unwrap().wants = BTreeSet::from([name(9)]);
        hold(&mut seen, "b", [name(9)]);
        assert_eq!(seen.plan("a"), Plan::default());
    }

    proptest! {
        /// Whoever leads what at first, whoever wants what, in whatever order they act and however old what they saw.
        #[test]
        fn all_that_is_wanted_is_led_evenly_and_then_nothing_moves(
            wants in vec(btree_set(0..12_usize, 0..12), 1..5),
            led in btree_map(0..12_usize, 0..6_usize, 0..12),
            order in vec((0..5_usize, any::<bool>()), 0..40),
        ) {
            let node = |number: usize| format!("node {number}");
            let all = wants.iter().map(|wants| wants.iter().copied().map(name).collect());
            let nodes = all.enumerate().map(|(n, wants)| (node(n), Node { wants, settled: true }));
            let mut now = Seen { nodes: nodes.collect(), leases: BTreeMap::new() };
            for (lease, by) in led {
                match wants.get(by) {
                    Some(wants) if !wants.contains(&lease) => {}
                    Some(_) => hold(&mut now, &node(by), [name(lease)]),
                    None => hold(&mut now, OLDER, [name(lease)]),
                }
            }
            let mut saw: Vec<Seen> = wants.iter().map(|_| now.clone()).collect();
            for (who, looks) in order {
                let who = who % wants.len();
                if looks {
                    saw[who] = now.clone();
                } else {
                    act(&mut now, &saw[who], &node(who));
                }
            }
            let mut rounds = 0;
            loop {
                let mut moved = false;
                for who in 0..wants.len() {
                    let saw = now.clone();
                    moved |= act(&mut now, &saw, &node(who));
                }
                if !moved {
                    break;
                }
                rounds += 1;
                prop_assert!(rounds < 30, "they wander: {:?}", now.leases);
            }
            for wants in now.nodes.values().map(|node| &node.wants) {
                prop_assert!(wants.iter().all(|name| now.free(name).is_none()), "{:?}", now.leases);
            }
            for (a, node_a) in &now.nodes {
                for (b, node_b) in &now.nodes {
                    let owned = |name: &&String| matches!(now.leases.get(*name), Some(Standing::Held { by }) if by == a);
                    let movable = node_a.wants.iter().filter(owned).any(|name| node_b.wants.contains(name));
                    prop_assert!(!movable || led_by(&now, a) <= led_by(&now, b) + 1, "{a}, {b}: {:?}", now.leases);
                }
            }
        }
    }
}
