//! How many files and connections the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the process needs beside its clients: connections to PostgreSQL and NATS, files.
const OWN: u64 = 256;

/// Raises the limit as far as the process may by itself, and tells where it stands then.
pub fn most() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if limit.current != limit.maximum && setrlimit(Resource::Nofile, raised).is_err() {
        return limit.current.unwrap_or(u64::MAX);
    }
    limit.maximum.unwrap_or(u64::MAX)
}

/// So much of `wanted` as `descriptors` leave room for, each part in proportion.
pub fn fitted<const N: usize>(wanted: [usize; N], descriptors: u64) -> [usize; N] {
    let context = usize::try_from(descriptors.saturating_sub(OWN)).unwrap_or(usize::MAX);
    let all = wanted.iter().fold(0_usize, |all, part| all.saturating_add(*part));
    if all <= context {
        return wanted;
    }
    let part = |part: usize| (part as u128 * context as u128 / all as u128) as usize;
    wanted.map(|wanted| part(wanted).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_shrink_together_to_what_the_process_may_open() {
        assert_eq!(fitted([10_000, 8_000], 20_000), [10_000, 8_000]);
        assert_eq!(fitted([10_000, 8_000], u64::MAX), [10_000, 8_000]);
        assert_eq!(fitted([10_000, 8_000], 9_256), [5_000, 4_000]);
        assert_eq!(fitted([10_000, 8_000], 100), [1, 1]);
    }

    #[test]
    fn the_limit_is_raised_as_far_as_it_goes() {
        let most = most();
        assert_eq!(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX), most);
    }
}
