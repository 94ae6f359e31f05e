//! What statements lists become.

use vocabulary::{AgentId, Page};

use super::statement::Cut;
use super::*;

const SORTS: [Sort; 1] = [Sort { name: "sold", column: "s.sold" }];

fn stalls() -> List {
    List::new("s.*", "read.stall s", "s.created_at_ms desc, s.stall_id desc")
}

fn sql(list: &List) -> String {
    list.select().sql().as_str().to_owned()
}

#[test]
fn what_is_not_asked_for_is_no_condition() {
    let list = stalls()
        .of_agents("s.agent_id", &Scope::ALL)
        .is("s.state", None::<i16>)
        .is_one_of("s.kind", vec![])
        .between("s.sold", None, None)
        .contains(&["s.name"], None);
    assert_eq!(sql(&list), "select s.* from read.stall s order by s.created_at_ms desc, s.stall_id desc");
}

#[test]
fn every_condition_binds_its_values() {
    let one = Scope { agents: Reach::only([AgentId(2)]), areas: Reach::All };
    let two = Scope { agents: Reach::only([AgentId(2), AgentId(3)]), areas: Reach::All };
    let list = stalls()
        .of_agents("s.agent_id", &one)
        .of_agents("s.agent_id", &two)
        .is("s.state", Some(1_i16))
        .between("s.sold", Some(3), Some(9))
        .contains(&["s.name", "s.tel"], Some("东"))
        .matching(&["(s.days & ", ") <> 0 and ", " = any(s.kinds)"], vec![4_i64.into(), 7_i64.into()])
        .starts_with(&["s.tel"], Some("138"));
    assert_eq!(
        sql(&list),
        "select s.* from read.stall s where s.agent_id = $1 and s.agent_id = any($2) and s.state = $3 \
         and s.sold >= $4 and s.sold <= $5 and (s.name like $6 or s.tel like $7) \
         and (s.days & $8) <> 0 and $9 = any(s.kinds) and (s.tel ^@ $10) \
         order by s.created_at_ms desc, s.stall_id desc"
    );
}

#[test]
fn an_area_beyond_the_scope_has_no_rows() {
    let one = Scope { agents: Reach::All, areas: Reach::only([AreaId(20)]) };
    let of = |area: Option<i64>| stalls().with_area("s.area_ids", &one, area.map(AreaId));
    assert_eq!(of(None).conditions, []);
    let held = "select s.* from read.stall s where $1 = any(s.area_ids) order by s.created_at_ms desc, s.stall_id desc";
    assert_eq!(sql(&of(Some(20))), held);
    let beyond =
        "select s.* from read.stall s where false order by s.created_at_ms desc, s.stall_id desc";
    assert_eq!(sql(&of(Some(21))), beyond);
}

#[test]
fn only_what_narrows_the_scope_is_looked_for_before_a_page_is_cut() {
    let one = Scope { agents: Reach::only([AgentId(2)]), areas: Reach::All };
    let list = stalls().of_agents("s.agent_id", &one);
    assert!(!list.narrowed);
    let list = list.is("s.state", Some(3_i16)).of_agents("s.agent_id", &one);
    assert!(list.narrowed);
    assert_eq!(
        list.select_of_few().sql().as_str(),
        "with matching as materialized (select s.*, row_number() over (order by s.created_at_ms desc, s.stall_id desc) \
         as list_place from read.stall s where s.agent_id = $1 and s.state = $2 and s.agent_id = $3) \
         select * from matching order by list_place"
    );
}

#[test]
fn a_choice_among_few_values_is_merged_of_what_each_gives_in_order() {
    let list = stalls().is("s.open", Some(true)).is_one_of("s.state", vec![5, 4, 5]);
    let list = list.sorted(&SORTS, "s.stall_id", Some("-sold")).unwrap();
    let page = Page::new(Some(3), Some(20));
    let branch = |state, most| {
        format!(
            "(select s.*, s.sold as list_key_0, s.stall_id as list_key_1 from read.stall s where s.open = ${} \
             and s.state = ${state} order by s.sold desc, s.stall_id desc limit ${most})",
            state - 1
        )
    };
    assert_eq!(
        list.select_merged(page).unwrap().sql().as_str(),
        format!(
            "select * from ({} union all {}) merged order by list_key_0 desc, list_key_1 desc",
            branch(2, 3),
            branch(5, 6)
        )
    );
    let many: Vec<i64> = (0..=MERGED_MAX as i64).collect();
    assert!(stalls().is_one_of("s.state", many).select_merged(page).is_none());
    assert!(stalls().is_one_of("s.state", vec![4]).select_merged(page).is_none());
}

#[test]
fn a_list_is_sorted_by_what_it_offers_alone() {
    let sorted = |asked| stalls().sorted(&SORTS, "s.stall_id", asked).map(|list| list.order);
    assert_eq!(sorted(Some("-sold")).unwrap(), "s.sold desc, s.stall_id desc");
    assert_eq!(sorted(Some("sold")).unwrap(), "s.sold asc, s.stall_id asc");
    assert_eq!(sorted(None).unwrap(), "s.created_at_ms desc, s.stall_id desc");
    assert_eq!(sorted(Some("name")), Err(NotASort("name".to_owned())));
}
