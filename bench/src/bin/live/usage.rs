//! What processes use, from `/proc`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Clock ticks a second of `/proc/<pid>/stat`: fixed for programs.
const TICKS_A_SECOND: f64 = 100.0;

/// A process as `/proc/<pid>/stat` tells it.
struct Stat {
    parent: u32,
    /// Its own and its waited-for children's processor time.
    ticks: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(text: &str) -> Option<Stat> {
    // The name is in parentheses and may hold anything; the third field comes after them.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat { parent: number(4)? as u32, ticks: number(14)? + number(15)? + number(16)? + number(17)? })
}

/// The memory of a process; a page that several share counts in parts.
fn memory_kb(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

/// Processor seconds and memory of a process with its children.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub cpu_s: f64,
    pub memory_bytes: u64,
}

/// What `pid` and its children use.
pub fn of(pid: u32) -> Result<Usage> {
    let own = stat(pid).with_context(|| format!("process {pid} is gone"))?;
    let mut ticks = own.ticks;
    let mut memory = memory_kb(pid).with_context(|| format!("the memory of process {pid} cannot be read"))?;
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(stat) = stat(child).filter(|child| child.parent == pid) {
            ticks += stat.ticks;
            // A child may end between the two looks.
            memory += memory_kb(child).unwrap_or(0);
        }
    }
    Ok(Usage { cpu_s: ticks as f64 / TICKS_A_SECOND, memory_bytes: memory * 1024 })
}

/// The pid in a pid file of ours: its first word.
pub fn pid_in(file: &Path) -> Result<u32> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.split_ascii_whitespace().next().and_then(|word| word.parse().ok()).context("no pid in the pid file")
}

/// Processor seconds that the whole machine has been busy, those of others included.
pub fn machine_busy_s() -> Result<f64> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().context("/proc/stat is empty")?;
    let numbers: Vec<u64> =
        line.split_ascii_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal
    let busy: u64 = [0, 1, 2, 5, 6, 7].iter().filter_map(|field| numbers.get(*field)).sum();
    Ok(busy as f64 / TICKS_A_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let text = "7 (a (b) c) S 3 7 7 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 99 1000000 55 18446744073709551615";
        let stat = parse(text).unwrap();
        assert_eq!((stat.parent, stat.ticks), (3, 100));
    }

    #[test]
    fn our_own_use_grows_when_we_work() {
        let before = of(std::process::id()).unwrap();
        let mut sum = 0_u64;
        for number in 0..400_000_000_u64 {
            sum = std::hint::black_box(sum ^ number);
        }
        let after = of(std::process::id()).unwrap();
        assert!(after.cpu_s > before.cpu_s && after.memory_bytes > 0, "{sum}");
    }
}
