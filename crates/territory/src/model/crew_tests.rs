use geofence::{FenceKind, Ring};
use kernel::{Event, Refusal};
use serde_json::json;
use vocabulary::Datum;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const POST: Post = Post { fence_id: FenceId(7), area_id: AreaId(20), agent_id: AgentId(2) };

#[expect(clippy::unnecessary_wraps, reason = "beside what a form leaves out")]
fn people(ids: impl IntoIterator<Item = i64>) -> Option<People> {
    Some(ids.into_iter().map(OperatorId).collect())
}

/// 1 to 99 may be assigned; 100 is disabled, 101 sees another area, others there are none.
fn candidates() -> BTreeMap<OperatorId, Candidate> {
    let one = |id: i64| {
        let candidate = Candidate { name: format!("人员{id}"), enabled: id != 100, reaches: id != 101 };
        (OperatorId(id), candidate)
    };
    (1..=101).map(one).collect()
}

fn assign(form: Form) -> CrewCommand {
    CrewCommand::Assign { post: POST, form, manager: None, candidates: candidates() }
}

fn after(commands: impl IntoIterator<Item = CrewCommand>) -> Crew {
    let mut crew = Crew::default();
    for command in commands {
        for event in crew.decide(command, NOW).unwrap() {
            crew.evolve(&event);
        }
    }
    crew
}

fn terms(crew: &Crew) -> &Terms {
    &crew.assigned.as_ref().unwrap().1
}

fn led(form: Form) -> Form {
    Form { leaders: people([1]), ..form }
}

#[test]
fn an_area_has_a_leader_and_what_is_not_named_stays() {
    let nobody = Crew::default();
    assert_eq!(nobody.decide(assign(Form::default()), NOW), Err(CrewRefusal::NoLeader));
    let crew = after([assign(led(Form { checkers: people([2, 3]), ..Form::default() }))]);
    assert_eq!((terms(&crew).kpi, terms(&crew).max_parking_number), (Kpi::default(), 0));
    assert_eq!(
        crew.decide(assign(Form { leaders: people([]), ..Form::default() }), NOW),
        Err(CrewRefusal::NoLeader)
    );
    assert_eq!(crew.decide(assign(Form::default()), NOW), Ok(vec![]), "it is so already");
    assert_eq!(crew.owner(), DataOwner::of_area(AgentId(2), AreaId(20)));
    let kpi = Kpi { swap_sla_h: 4, move_sla_h: 8, repair_sla_h: 240 };
    let crew = after([
        assign(led(Form { checkers: people([2, 3]), ..Form::default() })),
        assign(Form {
            kpi: Some(kpi.into()),
            checkers: people([]),
            max_parking_number: Some(300),
            ..Form::default()
        }),
    ]);
    let expected = Terms { leaders: people([1]).unwrap(), max_parking_number: 300, kpi, ..Terms::default() };
    assert_eq!(*terms(&crew), expected);
}

#[test]
fn a_manager_is_a_leader_and_alone_the_only_one() {
    let managed = |form| CrewCommand::Assign {
        post: POST,
        form,
        manager: Some(OperatorId(9)),
        candidates: candidates(),
    };
    let crew =
        after([assign(led(Form::default())), managed(Form { leaders: people([4]), ..Form::default() })]);
    assert_eq!(Some(terms(&crew).leaders.clone()), people([4, 9]));
    let crew = after([assign(led(Form::default())), managed(Form::default())]);
    assert_eq!(Some(terms(&crew).leaders.clone()), people([9]));
}

#[test]
fn who_cannot_work_there_is_refused_by_name_and_who_does_already_stays() {
    for (form, why) in [
        (Form { leaders: people([100]), ..Form::default() }, CrewRefusal::Disabled("人员100".to_owned())),
        (
            led(Form { move_car_persons: people([101]), ..Form::default() }),
            CrewRefusal::Beyond("人员101".to_owned()),
        ),
        (led(Form { maintainers: people([555]), ..Form::default() }), CrewRefusal::Unknown(OperatorId(555))),
    ] {
        assert_eq!(Crew::default().decide(assign(form), NOW), Err(why));
    }
    // Disabled since, he keeps his place and gets no other one.
    let mut crew = Crew::default();
    let past = Terms { leaders: people([1, 100]).unwrap(), ..Terms::default() };
    crew.evolve(&CrewEvent::Assigned { post: POST, terms: past });
    let more = Form { checkers: people([2]), leaders: people([1, 100]), ..Form::default() };
    assert!(crew.decide(assign(more), NOW).is_ok());
    let moved = Form { checkers: people([100]), ..Form::default() };
    assert!(matches!(crew.decide(assign(moved), NOW), Err(CrewRefusal::Disabled(_))));
    assert!(crew.decide(assign(Form { leaders: people([1]), ..Form::default() }), NOW).is_ok());
}

#[test]
fn numbers_stay_within_their_bounds() {
    let kpi = |swap_sla_h, move_sla_h, repair_sla_h| Some(KpiForm { swap_sla_h, move_sla_h, repair_sla_h });
    for (form, why) in [
        (Form { kpi: kpi(0, 1, 1), ..Form::default() }, CrewRefusal::Hours("换电")),
        (Form { kpi: kpi(1, 241, 1), ..Form::default() }, CrewRefusal::Hours("挪车")),
        (Form { kpi: kpi(240, 240, -1), ..Form::default() }, CrewRefusal::Hours("维修")),
        (Form { max_parking_number: Some(-1), ..Form::default() }, CrewRefusal::Parking),
        (Form { max_parking_number: Some(100_001), ..Form::default() }, CrewRefusal::Parking),
        (Form { checkers: people(2..53), ..Form::default() }, CrewRefusal::TooMany("巡检员")),
    ] {
        assert_eq!(Crew::default().decide(assign(led(form)), NOW), Err(why));
    }
    let most = Form {
        checkers: people(2..52),
        kpi: kpi(1, 240, 1),
        max_parking_number: Some(100_000),
        ..Form::default()
    };
    assert!(Crew::default().decide(assign(led(most)), NOW).is_ok());
    assert_eq!(CrewRefusal::Hours("换电").message(), "换电时限需在 1 到 240 小时之间");
}

fn square(west: f64, size: f64) -> Shape {
    let (south, east, north) = (24.0, west + size, 24.0 + size);
    let corners = [[west, south], [east, south], [east, north], [west, north]];
    Shape::Polygon(Ring::draw(&corners, Datum::Wgs84).unwrap())
}

fn span(from_ms: i64, until_ms: Option<i64>) -> Span {
    Span { from: Timestamp::from_millis(from_ms), until: until_ms.map(Timestamp::from_millis) }
}

fn other(id: i64, name: &str, west: f64, span: Span) -> Opposite {
    let (id, kind) = (FenceId(id), FenceKind::Maintenance);
    Opposite { id, kind, name: name.to_owned(), shape: square(west, 0.01), span }
}

#[test]
fn areas_lie_apart_while_both_count() {
    let others = [other(8, "西片", 118.0, span(0, Some(100))), other(9, "东片", 118.03, span(0, None))];
    let own = |west: f64, from_ms: i64| apart(&[(square(west, 0.01), span(from_ms, None))], &others);
    let Err(CrewRefusal::Overlap { name, lng, lat }) = own(118.005, 50) else {
        panic!("it lies over another")
    };
    assert_eq!(name, "西片");
    let within =
        |text: &str, from: f64, to: f64| text.parse::<f64>().is_ok_and(|at| (from..=to).contains(&at));
    assert!(within(&lng, 118.005, 118.01) && within(&lat, 24.0, 24.01), "{lng} {lat}");
    assert_eq!(own(118.005, 100), Ok(()), "the other one is over by then");
    assert_eq!(own(118.01, 50), Ok(()), "side by side");
    assert!(matches!(own(118.022, 5000), Err(CrewRefusal::Overlap { name, .. }) if name == "东片"));
    assert_eq!(apart(&[], &others), Ok(()));
}

#[test]
fn what_is_stored_does_not_change() {
    let kpi = Kpi { swap_sla_h: 4, move_sla_h: 8, repair_sla_h: 24 };
    let terms = Terms {
        leaders: people([1]).unwrap(),
        checkers: people([2]).unwrap(),
        maintainers: people([3]).unwrap(),
        change_power_persons: people([4, 5]).unwrap(),
        move_car_persons: People::new(),
        max_parking_number: 300,
        kpi,
    };
    let event = CrewEvent::Assigned { post: POST, terms };
    assert_eq!((event.stored_type(), CrewEvent::schema_version("crew.assigned")), ("crew.assigned", 1));
    let stored = json!({"type": "crew.assigned", "data": {"fence_id": "7", "area_id": "20", "agent_id": "2",
        "terms": {"leaders": ["1"], "checkers": ["2"], "maintainers": ["3"], "change_power_persons": ["4", "5"],
            "move_car_persons": [], "max_parking_number": 300,
            "kpi": {"swap_sla_h": 4, "move_sla_h": 8, "repair_sla_h": 24}}}});
    assert_eq!(serde_json::to_value(&event).unwrap(), stored);
    assert_eq!(serde_json::from_value::<CrewEvent>(stored).unwrap(), event);
}
