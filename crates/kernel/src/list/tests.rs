//! What statements lists become.

use vocabulary::AgentId;

use super::statement::Cut;
use super::*;

const SORTS: [Sort; 1] = [Sort { name: "sold", column: "s.sold" }];

const ALL: Cut = Cut { limit: 7, offset: 0 };

fn stalls() -> List {
    List::new("s.*", "read.stall s", "s.created_at_ms desc, s.stall_id desc")
}

fn sql(list: &List) -> String {
    list.select(ALL).sql().as_str().replace(", s.created_at_ms as list_key_0, s.stall_id as list_key_1", "")
}

#[test]
fn what_is_not_asked_for_is_no_condition() {
    let list = stalls()
        .of_agents("s.agent_id", &Scope::ALL)
        .is("s.state", None::<i16>)
        .is_one_of("s.kind", vec![])
        .between("s.sold", None, None)
        .contains(&["s.name"], None);
    assert_eq!(
        sql(&list),
        "select s.* from read.stall s order by s.created_at_ms desc, s.stall_id desc limit $1"
    );
}

#[test]
fn what_a_page_shows_is_looked_up_in_the_partition_of_each_row() {
    let kept = || stalls().found_in("read.stall s", "s.stall_id").kept_by("s.created_at_ms");
    let by_time = " on s.stall_id = list_page.list_row and s.created_at_ms = list_page.list_key_0 ";
    assert!(kept().select(ALL).sql().as_str().contains(by_time));
    let sorted = kept().sorted(&SORTS, "s.stall_id", Some("sold")).unwrap();
    assert!(sorted.select(ALL).sql().as_str().contains(" on s.stall_id = list_page.list_row order by "));
}

#[test]
fn every_condition_binds_its_values() {
    let one = Scope::of(Reach::only([AgentId(2)]), Reach::All);
    let two = Scope::of(Reach::only([AgentId(2), AgentId(3)]), Reach::All);
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
         order by s.created_at_ms desc, s.stall_id desc limit $11"
    );
}

#[test]
fn an_area_beyond_the_scope_has_no_rows() {
    let one = Scope::of(Reach::All, Reach::only([AreaId(20)]));
    let of = |area: Option<i64>| stalls().with_area("s.area_ids", &one, area.map(AreaId));
    assert_eq!(of(None).conditions, []);
    let held = "select s.* from read.stall s where $1 = any(s.area_ids) order by s.created_at_ms desc, s.stall_id desc limit $2";
    assert_eq!(sql(&of(Some(20))), held);
    let beyond =
        "select s.* from read.stall s where false order by s.created_at_ms desc, s.stall_id desc limit $1";
    assert_eq!(sql(&of(Some(21))), beyond);
}

#[test]
fn only_what_narrows_the_scope_is_looked_for_before_a_page_is_cut() {
    let one = Scope::of(Reach::only([AgentId(2)]), Reach::All);
    let list = stalls().of_agents("s.agent_id", &one);
    assert!(!list.narrowed);
    let list = list.is("s.state", Some(3_i16)).of_agents("s.agent_id", &one);
    assert!(list.narrowed);
    assert_eq!(
        list.select_of_few(ALL).sql().as_str(),
        "with matching as materialized (select s.*, s.created_at_ms as list_key_0, s.stall_id as list_key_1 \
         from read.stall s where s.agent_id = $1 and s.state = $2 and s.agent_id = $3) \
         select * from matching order by list_key_0 desc, list_key_1 desc limit $4"
    );
}

#[test]
fn a_choice_among_few_values_is_merged_of_what_each_gives_in_order() {
    let list = stalls().is("s.open", Some(true)).is_one_of("s.state", vec![5, 4, 5]);
    let list = list.sorted(&SORTS, "s.stall_id", Some("-sold")).unwrap();
    let page = Cut { limit: 21, offset: 40 };
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
            "select * from ({} union all {}) merged order by list_key_0 desc, list_key_1 desc limit $7 offset $8",
            branch(2, 3),
            branch(5, 6)
        )
    );
    let many: Vec<i64> = (0..=MERGED_MAX as i64).collect();
    assert!(stalls().is_one_of("s.state", many).select_merged(page).is_none());
    assert!(stalls().is_one_of("s.state", vec![4]).select_merged(page).is_none());
}

#[test]
fn two_choices_are_merged_of_each_pair_and_no_more_than_can_be_borne() {
    let branches = |list: List| list.select_merged(ALL).unwrap().sql().as_str().matches("(select").count();
    let many: Vec<i64> = (0..30).collect();
    assert_eq!(branches(stalls().is_one_of("s.a", vec![1, 2]).is_one_of("s.b", many.clone())), 60);
    // Of both at once, what was asked for; the scope is said first.
    assert_eq!(branches(stalls().is_one_of("s.a", vec![1, 2, 3]).is_one_of("s.b", many.clone())), 30);
    let compared = stalls().is_one_of("s.a", vec![1, 2]).compared("s.a");
    assert_eq!(branches(compared.clone().is_one_of("s.b", many)), 30);
    assert!(compared.select_merged(ALL).is_none(), "it is compared alone");
}

#[test]
fn a_truth_is_written_out_so_that_an_index_of_the_few_serves_it() {
    let sql = |wanted| stalls().holds("s.late", wanted).select_count(5).sql().as_str().to_owned();
    assert!(sql(Some(true)).contains("where s.late limit"), "{}", sql(Some(true)));
    assert!(sql(Some(false)).contains("where not s.late limit"), "{}", sql(Some(false)));
    assert!(!sql(None).contains("late"));
}

#[test]
fn what_is_joined_is_joined_to_the_rows_of_a_page_alone() {
    let list = List::new(
        "s.name, o.tel",
        "read.stall s left join read.owner o on o.id = s.owner_id",
        "s.sold desc, s.stall_id desc",
    )
    .found_in("read.stall s", "s.stall_id")
    .is("s.state", Some(3_i16));
    assert_eq!(
        list.select(Cut { limit: 21, offset: 20 }).sql().as_str(),
        "select s.name, o.tel, list_page.list_key_0, list_page.list_key_1 from (select s.stall_id as list_row, \
         s.sold as list_key_0, s.stall_id as list_key_1 from read.stall s where s.state = $1 \
         order by s.sold desc, s.stall_id desc limit $2 offset $3) list_page \
         join read.stall s on s.stall_id = list_page.list_row left join read.owner o on o.id = s.owner_id \
         order by list_page.list_key_0 desc, list_page.list_key_1 desc"
    );
    assert_eq!(
        list.select_count(5).sql().as_str(),
        "select count(*) from (select from read.stall s where s.state = $1 limit $2) matching"
    );
}

#[test]
fn a_page_goes_on_behind_the_place_that_the_one_before_named() {
    let after = |place: &str| stalls().is("s.state", Some(3_i16)).after(place);
    let list = after("170.-9").unwrap();
    assert!(sql(&list).contains("where s.state = $1 and (s.created_at_ms, s.stall_id) < ($2, $3) order by"));
    assert!(!list.select_count(5).sql().as_str().contains('<'), "all are counted, wherever the page lies");
    let up = stalls().sorted(&SORTS, "s.stall_id", Some("sold")).unwrap().after("4.2").unwrap();
    assert!(sql(&up).contains("where (s.sold, s.stall_id) > ($1, $2) order by"));
    for place in ["", "170", "170.9.1", "170.x", "9223372036854775808.1"] {
        assert_eq!(after(place).unwrap_err(), NotACursor, "{place}");
    }
    let mixed = List::new("s.*", "read.stall s", "s.state asc, s.stall_id desc");
    assert_eq!(mixed.after("1.2").unwrap_err(), NotACursor, "no comparison of rows says what comes behind");
}

#[test]
fn a_list_is_sorted_by_what_it_offers_alone() {
    let sorted = |asked| stalls().sorted(&SORTS, "s.stall_id", asked).map(|list| list.order);
    assert_eq!(sorted(Some("-sold")).unwrap(), "s.sold desc, s.stall_id desc");
    assert_eq!(sorted(Some("sold")).unwrap(), "s.sold asc, s.stall_id asc");
    assert_eq!(sorted(None).unwrap(), "s.created_at_ms desc, s.stall_id desc");
    assert_eq!(sorted(Some("name")), Err(NotASort("name".to_owned())));
}
