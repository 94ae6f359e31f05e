//! Work that is asked for once and without a key, as by somebody who does not repeat himself: nothing but the log can tell what became of it
//! when a line breaks, and the answer has to agree with it.

use std::time::Duration;

use serde_json::json;

use super::World;
use super::load::{Speaker, work_path};
use super::oracle::changes_of;

/// By then an append whose answer was lost has arrived or never will: a batch may be under way for ten seconds.
const SETTLED: Duration = Duration::from_secs(12);

const NOT_STARTED: &str = "vehicle-work-not-started";

/// What became of the work at one bike.
#[derive(Debug)]
pub struct Once {
    car: String,
    /// Answered with yes.
    done: usize,
    /// Not answered, or with the word that nobody knows.
    unknown: usize,
    /// Refused, though the answers before say that nothing stood in the way.
    refused: Vec<String>,
}

/// Begins and ends work at one bike, over and over. Who was not answered waits a while and asks for the end: whatever is answered then, the
/// bike is not worked at. What is begun already may be begun again; what is not begun cannot be ended.
pub async fn work(speaker: Speaker, car: String, first: usize) -> Once {
    let mut once = Once { car, done: 0, unknown: 0, refused: Vec::new() };
    let path = work_path(&once.car);
    let (mut is_worked_at, mut is_known) = (false, true);
    let mut machines = speaker.machines.iter().cycle().skip(first);
    while speaker.goes_on() {
        let action = if is_worked_at { "finish" } else { "start" };
        let body = json!({"action": action, "kind": "swap", "workerId": "worker-2"});
        let machine = machines.next().expect("there is always another");
        match machine.post(&path, &body, None).await {
            Ok(reply) if reply.body["suc"] == true => {
                once.done += 1;
                is_worked_at = !is_worked_at;
                is_known = true;
            }
            // Others were faster, and nothing was done.
            Ok(reply) if reply.code() == "contended" => {}
            Ok(reply) if !reply.is_away() => {
                // Who does not know how it stands asks for the end, and may hear that there is nothing to end.
                if is_known || reply.code() != NOT_STARTED {
                    once.refused.push(format!("{action}: {} {}", reply.status, reply.body));
                }
                is_worked_at = !is_worked_at;
                is_known = true;
            }
            _ => {
                once.unknown += 1;
                tokio::time::sleep(SETTLED).await;
                (is_worked_at, is_known) = (true, false);
            }
        }
    }
    once
}

/// Nothing is refused that was done, and what was answered stands once.
pub async fn as_answered(world: &World) {
    assert!(world.done.once.iter().any(|once| once.done > 0), "work was done without a key");
    for Once { car, done, unknown, refused } in &world.done.once {
        assert_eq!(refused, &[""; 0], "{car}: refusals where nothing stood in the way");
        let stands = usize::try_from(changes_of(&world.owner, car).await).expect("a number");
        let expected = *done..=done + unknown;
        assert!(
            expected.contains(&stands),
            "{car}: {stands} events, {done} answers of yes, {unknown} unknown"
        );
    }
}
