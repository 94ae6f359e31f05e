//! What goes wrong in a round, when and for how long: all of it follows from the seed. Pure.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// Nodes of a round.
pub const NODES: usize = 2;
/// By how much a clock jumps at most.
pub const JUMP_S: i32 = 60;
/// Read models that are rebuilt amid the load.
pub const MODELS: [&str; 4] = ["vehicle", "ledger_book", "ride_order", "role"];

/// Whom a node talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    Postgres,
    Nats,
}

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A node dies as in a power cut.
    KillNode(usize),
    /// A node hangs: its connections stay, nothing in it moves.
    FreezeNode(usize),
    /// PostgreSQL dies; what it committed stays.
    KillPostgres,
    /// NATS dies.
    KillNats,
    /// Nobody comes through from a node.
    ShutLine(usize, To),
    /// Lines from a node stay, and nothing passes.
    StillLine(usize, To),
    /// The line of a node's writer is cut at its next append: before it arrives, or when it is done and nobody was told.
    CutAppend(usize, When),
    /// A node is restarted with a program of newer rules, and at the end of the step the others are.
    Upgrade(usize),
    /// The clock of a node is ahead by so many seconds, or behind, and right again at the end of the step.
    JumpClock(usize, i32),
    /// The database's disk is full.
    FillDisk,
    /// A read model is built anew beside the one that is read, and takes its place.
    Swap(&'static str),
}

/// On which side of the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    After,
}

/// What goes wrong at the same time, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// All is well for so long before.
    pub pause: Duration,
    pub faults: Vec<Fault>,
    pub lasts: Duration,
}

/// What a fault happens to: two at the same time never meet there.
fn place(fault: Fault) -> (u8, usize) {
    match fault {
        Fault::KillNode(node)
        | Fault::FreezeNode(node)
        | Fault::ShutLine(node, _)
        | Fault::StillLine(node, _)
        | Fault::Upgrade(node)
        | Fault::JumpClock(node, _)
        | Fault::CutAppend(node, _) => (0, node),
        Fault::KillPostgres | Fault::FillDisk => (1, 0),
        Fault::KillNats => (2, 0),
        Fault::Swap(_) => (3, 0),
    }
}

/// It concerns all nodes, one after the other.
const fn is_upgrade(fault: &Fault) -> bool {
    matches!(fault, Fault::Upgrade(_))
}

fn any(random: &mut StdRng) -> Fault {
    let node = random.gen_range(0..NODES);
    let to = if random.gen_bool(0.5) { To::Postgres } else { To::Nats };
    match random.gen_range(0..11) {
        0 => Fault::KillNode(node),
        1 => Fault::FreezeNode(node),
        2 => Fault::KillPostgres,
        3 => Fault::KillNats,
        4 => Fault::ShutLine(node, to),
        5 => Fault::StillLine(node, to),
        6 => Fault::CutAppend(node, if random.gen_bool(0.5) { When::Before } else { When::After }),
        7 => Fault::Upgrade(node),
        8 => Fault::JumpClock(node, random.gen_range(2..JUMP_S) * if random.gen_bool(0.5) { 1 } else { -1 }),
        9 => Fault::FillDisk,
        _ => Fault::Swap(MODELS.choose(random).expect("some")),
    }
}

/// Three to five steps, each with one fault or two.
pub fn plan(seed: u64) -> Vec<Step> {
    let mut random = StdRng::seed_from_u64(seed);
    let steps = random.gen_range(3..=5);
    (0..steps)
        .map(|_| {
            let mut faults = vec![any(&mut random)];
            let second = any(&mut random);
            if random.gen_bool(0.3)
                && place(second) != place(faults[0])
                && !faults.iter().chain([&second]).any(is_upgrade)
            {
                faults.push(second);
            }
            Step {
                pause: Duration::from_millis(random.gen_range(200..1_500)),
                faults,
                // Some are over before anybody notices; some outlast a leader's term, some what a command to a bike may take.
                lasts: Duration::from_millis(if random.gen_bool(0.4) {
                    random.gen_range(8_000..20_000)
                } else {
                    random.gen_range(100..8_000)
                }),
            }
        })
        .collect()
}

/// The nodes whose clocks jump.
pub fn jumping(steps: &[Step]) -> impl Iterator<Item = (usize, i32)> {
    steps.iter().flat_map(|step| &step.faults).filter_map(|fault| match fault {
        Fault::JumpClock(node, seconds) => Some((*node, *seconds)),
        _ => None,
    })
}

#[test]
fn a_seed_is_a_plan_and_every_fault_comes_up() {
    assert_eq!(plan(7), plan(7));
    let all: Vec<Fault> = (0..400).flat_map(plan).flat_map(|step| step.faults).collect();
    for fault in [
        Fault::KillNode(0),
        Fault::FreezeNode(1),
        Fault::KillPostgres,
        Fault::KillNats,
        Fault::ShutLine(0, To::Nats),
        Fault::StillLine(1, To::Postgres),
        Fault::CutAppend(0, When::Before),
        Fault::CutAppend(1, When::After),
        Fault::Upgrade(1),
        Fault::FillDisk,
    ] {
        assert!(all.contains(&fault), "{fault:?}");
    }
    let steps: Vec<Step> = (0..400).flat_map(plan).collect();
    assert!(
        jumping(&steps).any(|(_, seconds)| seconds > 40) && jumping(&steps).any(|(_, seconds)| seconds < -40)
    );
    for model in MODELS {
        assert!(all.contains(&Fault::Swap(model)));
    }
}
