//! The permission tree as data: which codes there are, what they hang under, who may hold them.

mod catalogue;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::PermissionCode;

use crate::model::level::Level;

use catalogue::{CATALOGUE, MACHINE_CODES};

/// What a permission opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A group of pages (目录).
    Directory,
    /// A page (菜单).
    Menu,
    /// An element or act on a page (按钮).
    Action,
}

impl Kind {
    /// As the wire says it: 1, 2 or 3.
    pub const fn number(self) -> u8 {
        match self {
            Self::Directory => 1,
            Self::Menu => 2,
            Self::Action => 3,
        }
    }
}

/// One permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The code, such as `0301`.
    pub code: &'static str,
    /// The code of the group it hangs under.
    pub parent: Option<&'static str>,
    /// Chinese title.
    pub title: &'static str,
    /// What it opens.
    pub kind: Kind,
    /// Tiers whose roles may hold it: bit-or of 1, 2, 4 and 8.
    pub level_mask: u8,
}

/// A branch of the tree as the role editor shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// The code.
    pub code: &'static str,
    /// Chinese title.
    pub title: &'static str,
    /// 1 group, 2 page, 3 action.
    pub kind: u8,
    /// Tiers whose roles may hold it: bit-or of 1, 2, 4 and 8.
    pub level_mask: u8,
    /// Whether the operator asked about holds it; absent in the full tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub checked: Option<bool>,
    /// What hangs under it.
    #[schema(no_recursion)]
    pub children: Vec<Branch>,
}

static BY_CODE: LazyLock<HashMap<&'static str, &'static Permission>> =
    LazyLock::new(|| CATALOGUE.iter().map(|permission| (permission.code, permission)).collect());

/// Every permission, in the order of the menus; a parent before its children.
pub fn permissions() -> &'static [Permission] {
    CATALOGUE
}

/// The permission with this code.
pub fn find(code: &str) -> Option<&'static Permission> {
    BY_CODE.get(code).copied()
}

/// The first of `codes` that none of these tiers may hold.
pub fn not_for<'a>(
    level: Level,
    codes: impl IntoIterator<Item = &'a PermissionCode>,
) -> Option<&'static Permission> {
    codes
        .into_iter()
        .filter_map(|code| find(code.as_str()))
        .find(|permission| permission.level_mask & level.mask() == 0)
}

/// Every code: what the system role holds.
pub fn every_code() -> BTreeSet<PermissionCode> {
    CATALOGUE.iter().map(|permission| parse(permission.code)).collect()
}

/// `codes` and all groups above them. A group that its holder lacks would hide its pages, so granting `1601` yields
/// `07` as well. Codes that are not in the tree add nothing and stay.
pub fn closed_upwards(codes: impl IntoIterator<Item = PermissionCode>) -> BTreeSet<PermissionCode> {
    let mut closed = BTreeSet::new();
    for code in codes {
        let mut parent = find(code.as_str()).and_then(|permission| permission.parent);
        closed.insert(code);
        while let Some(above) = parent {
            closed.insert(parse(above));
            parent = find(above).and_then(|permission| permission.parent);
        }
    }
    closed
}

/// The whole tree; with `held`, each branch says whether it is among them.
pub fn tree(held: Option<&BTreeSet<PermissionCode>>) -> Vec<Branch> {
    branches(None, held)
}

fn branches(parent: Option<&str>, held: Option<&BTreeSet<PermissionCode>>) -> Vec<Branch> {
    CATALOGUE
        .iter()
        .filter(|permission| permission.parent == parent)
        .map(|permission| Branch {
            code: permission.code,
            title: permission.title,
            kind: permission.kind.number(),
            level_mask: permission.level_mask,
            checked: held.map(|held| held.contains(permission.code)),
            children: branches(Some(permission.code), held),
        })
        .collect()
}

/// Whether machine clients may be given this code.
pub fn is_machine_code(code: &str) -> bool {
    MACHINE_CODES.iter().any(|(known, _)| *known == code)
}

/// Codes that a route table names and nobody can hold: such a route would be closed for ever, or its code is a slip
/// of the pen. The server refuses to start when there are any.
pub fn unknown_codes<'a>(
    of_operators: impl IntoIterator<Item = &'a str>,
    of_machines: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let operators = of_operators.into_iter().filter(|code| find(code).is_none());
    let machines = of_machines.into_iter().filter(|code| !is_machine_code(code));
    operators.chain(machines).map(str::to_owned).collect()
}

fn parse(code: &'static str) -> PermissionCode {
    PermissionCode::try_from(code.to_owned()).expect("the catalogue holds only well-formed codes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(texts: &[&'static str]) -> BTreeSet<PermissionCode> {
        texts.iter().map(|text| parse(text)).collect()
    }

    #[test]
    fn a_code_stands_once_and_after_its_parent() {
        let mut seen = BTreeSet::new();
        for permission in permissions() {
            assert!(permission.parent.is_none_or(|parent| seen.contains(parent)), "{}", permission.code);
            assert!(seen.insert(permission.code), "{} stands twice", permission.code);
            assert!((1..=15).contains(&permission.level_mask));
            assert!(!permission.title.is_empty());
        }
        assert_eq!(every_code().len(), permissions().len());
    }

    #[test]
    fn codes_are_closed_upwards_over_the_tree_and_not_over_prefixes() {
        assert_eq!(closed_upwards(codes(&["1601"])), codes(&["07", "1601"]));
        assert_eq!(closed_upwards(codes(&["0401", "20"])), codes(&["07", "0401", "20"]));
        assert_eq!(closed_upwards(codes(&["0221"])), codes(&["0221"]));
        assert_eq!(closed_upwards(codes(&["07"])), codes(&["07"]));
    }

    #[test]
    fn rights_over_rights_and_over_agents_are_for_the_office_alone() {
        let field = Level::try_from(4 | 8).unwrap();
        assert_eq!(not_for(field, &codes(&["0401", "1002"])).map(|known| known.code), Some("1002"));
        assert_eq!(not_for(field, &codes(&["1101"])).map(|known| known.title), Some("账号管理"));
        assert_eq!(not_for(field, &codes(&["0401", "0301"])), None);
        assert_eq!(not_for(Level::try_from(2 | 4).unwrap(), &codes(&["1002", "1101"])), None);
    }

    #[test]
    fn the_tree_holds_every_code_once() {
        fn count(branches: &[Branch]) -> usize {
            branches.iter().map(|branch| 1 + count(&branch.children)).sum()
        }
        assert_eq!(count(&tree(None)), permissions().len());
    }

    #[test]
    fn the_tree_of_an_operator_marks_what_he_holds() {
        let held = closed_upwards(codes(&["0301"]));
        let tree = tree(Some(&held));
        let vehicles = tree.iter().find(|branch| branch.code == "03").unwrap();
        assert_eq!(vehicles.checked, Some(true));
        let marked: Vec<_> = vehicles.children.iter().filter(|page| page.checked == Some(true)).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0].code, "0301");
    }

    #[test]
    fn a_code_that_nobody_can_hold_is_named() {
        assert!(unknown_codes(["0301", "financial_06"], ["open:ride"]).is_empty());
        assert_eq!(unknown_codes(["031"], ["0301"]), ["031", "0301"]);
    }
}
