//! What the log shall reach, in ratios of one run, and what it reached.

use bench::Report;

use crate::systems::System;

/// By how much ours shall beat the best peer library.
const AGAINST_PEERS: [(&str, &str, f64); 5] = [
    ("append-1", "appends/s", 1.3),
    ("append-8", "appends/s", 1.3),
    ("append-64", "appends/s", 4.0),
    ("append-256", "appends/s", 5.0),
    ("replay", "events/s", 1.2),
];
/// A lone caller pays for the chain and the gap-free order at most a fifth against the bare insert.
const AGAINST_BARE: f64 = 0.8;
/// Events a second of a rebuild.
const REBUILD: f64 = 50_000.0;

/// One line for each goal, then the ratios to the bare insert, then what was missed.
pub fn verdicts(report: &Report, systems: &[System]) -> String {
    let ours = |case, unit| report.value(System::Wheelhouse.name(), case, unit);
    let bare = |case, unit| report.value(System::Bare.name(), case, unit);
    let mut text = String::from("Goals\n");
    let mut missed = Vec::new();
    let mut judge = |name: String, reached: f64, goal: f64| {
        let verdict = bench::verdict(reached >= goal);
        if reached < goal {
            missed.push(name.clone());
        }
        let digits = if goal >= 100.0 { 0 } else { 2 };
        text += &format!("  {verdict:<8} {name:<44} {reached:>10.digits$}  (goal {goal:.digits$})\n");
    };
    for (case, unit, goal) in AGAINST_PEERS {
        let peers = systems.iter().filter(|system| system.is_peer());
        let best = peers
            .filter_map(|peer| Some((peer.name(), report.value(peer.name(), case, unit)?)))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        if let (Some(value), Some((peer, best))) = (ours(case, unit), best) {
            judge(format!("{case}: times the best peer, {peer}"), value / best, goal);
        }
    }
    if let (Some(value), Some(bare)) = (ours("append-1", "appends/s"), bare("append-1", "appends/s")) {
        judge("append-1: times the bare insert".to_owned(), value / bare, AGAINST_BARE);
    }
    if let Some(value) = ours("rebuild", "events/s") {
        judge("rebuild: events/s".to_owned(), value, REBUILD);
    }
    text += "Against the bare insert\n";
    for (case, unit, _) in AGAINST_PEERS {
        if let (Some(value), Some(bare)) = (ours(case, unit), bare(case, unit)) {
            text += &format!("  {case:<12} {:>6.2}\n", value / bare);
        }
    }
    text += &match missed.as_slice() {
        [] => "Every goal that was measured is reached.".to_owned(),
        missed => format!("Missed: {}.", missed.join("; ")),
    };
    text
}

#[cfg(test)]
mod tests {
    use bench::Row;

    use super::*;

    fn report(ours: f64) -> Report {
        let mut report = Report::new("log");
        for (system, value) in [("wheelhouse", ours), ("cqrs-es", 900.0), ("esrs", 1000.0), ("bare", 1500.0)]
        {
            report.add(Row::new(system, "append-1", value, "appends/s"));
        }
        report
    }

    const ALL: [System; 4] = [System::Wheelhouse, System::CqrsEs, System::Esrs, System::Bare];

    #[test]
    fn the_best_peer_counts_and_the_bare_insert_is_no_peer() {
        let text = verdicts(&report(1300.0), &ALL);
        assert!(text.contains("the best peer, esrs"), "{text}");
        assert!(text.ends_with("Every goal that was measured is reached."), "{text}");
    }

    #[test]
    fn a_missed_goal_is_named_at_the_end() {
        let text = verdicts(&report(1199.0), &ALL);
        assert!(text.contains("MISSED"), "{text}");
        assert!(
            text.ends_with("Missed: append-1: times the best peer, esrs; append-1: times the bare insert."),
            "{text}"
        );
    }
}
