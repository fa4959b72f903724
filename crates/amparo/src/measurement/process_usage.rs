//! What the process uses, from `/proc/self`.

use crate::system;
use std::io::{Error, ErrorKind, Result};

/// The unit of CPU times in `/proc`, which is the same for every program on Linux (`USER_HZ`).
const TICKS_PER_SECOND: u64 = 100;
const KIB: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUsage {
    pub cpu_seconds: u64,
    pub resident_bytes: u64,
    pub virtual_bytes: u64,
    pub threads: u64,
    pub open_files: usize,
    pub open_files_limit: Option<u64>,
}

pub fn measure_process() -> Result<ProcessUsage> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let find = |key: &str| find_status_number(&status, key).ok_or_else(|| build_format_error(key));
    Ok(ProcessUsage {
        cpu_seconds: parse_cpu_seconds(&stat).ok_or_else(|| build_format_error("stat"))?,
        resident_bytes: find("VmRSS")? * KIB,
        virtual_bytes: find("VmSize")? * KIB,
        threads: find("Threads")?,
        // Reading the folder opens it.
        open_files: std::fs::read_dir("/proc/self/fd")?.count().saturating_sub(1),
        open_files_limit: system::read_open_files_limit(),
    })
}

fn build_format_error(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("{what} of /proc/self is not readable"))
}

/// The 14th and 15th field: time of the program and of the system for it. The second is a name that may contain anything
/// and ends at the last parenthesis.
fn parse_cpu_seconds(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map_while(|field| field.parse::<u64>().ok());
    Some((times.next()? + times.next()?) / TICKS_PER_SECOND)
}

/// The number of a line such as `VmRSS: 5124 kB`.
fn find_status_number(status: &str, key: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let stat = "4711 (a (b) c) S 1 4711 4711 0 -1 4194304 1 0 0 0 250 150 0 0 20 0 12 0 5 6 7";
        assert_eq!(parse_cpu_seconds(stat), Some(4));
        assert_eq!(parse_cpu_seconds("4711 (a"), None);
    }

    #[test]
    fn this_process_uses_something() {
        let usage = measure_process().unwrap();
        assert!(usage.resident_bytes > KIB && usage.virtual_bytes >= usage.resident_bytes, "{usage:?}");
        assert!(usage.threads > 0 && usage.open_files > 2, "{usage:?}");
    }
}
