//! The list of all benefits: its last page beside its first, and what a page costs to whoever walks them all.

use super::{Failure, User};
use crate::times::{Times, ms};
use std::fmt::Write as _;

pub const NAME: &str = "list";

/// Calls of each page, in turns.
const TURNS: usize = 200;
/// Pages walked in each part, unless all are.
const STRETCH: i64 = 600;
/// The last page may take so many times what the first takes.
const TIMES: f64 = 1.5;

pub fn measure(users: &mut [User], long: bool) -> Result<String, Failure> {
    let mut out = String::from(
        "| caller | pages | first page, p50 | last page, p50 | ratio | at most | walking: first tenth | middle | last |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for user in users {
        let total = user.page(1)?.total()?;
        // The last page that is full: a shorter one would be cheaper.
        let last = (total / 100).max(1);
        let (mut first, mut at_end) = (Times::default(), Times::default());
        for _ in 0..TURNS {
            first.0.push(user.page(1)?.took);
            at_end.0.push(user.page(last)?.took);
        }
        let (first, at_end) = (ms(first.p(50.0)), ms(at_end.p(50.0)));
        let ratio = at_end / first;
        let verdict = if ratio <= TIMES { "reached" } else { "MISSED" };
        let walked = walk(user, last, long)?;
        let _ = writeln!(
            out,
            "| {} | {last} | {first:.2} ms | {at_end:.2} ms | {ratio:.2} | {TIMES} {verdict} | {:.2} ms | {:.2} ms | {:.2} ms |",
            user.name, walked[0], walked[1], walked[2]
        );
    }
    Ok(out)
}

/// Milliseconds for a page in the first tenth, the middle one and the last one, walked one after another.
fn walk(user: &mut User, last: i64, long: bool) -> Result<[f64; 3], Failure> {
    let tenth = (last / 10).max(1);
    let parts = [1, (last - tenth) / 2 + 1, last - tenth + 1];
    let mut means = [0.0; 3];
    if long {
        for page in 1..=last {
            let took = ms(user.page(page)?.took) / tenth as f64;
            for (begin, mean) in parts.iter().zip(&mut means) {
                *mean += if (*begin..begin + tenth).contains(&page) { took } else { 0.0 };
            }
        }
        return Ok(means);
    }
    let count = STRETCH.min(tenth);
    for (begin, mean) in parts.into_iter().zip(&mut means) {
        for page in begin..begin + count {
            *mean += ms(user.page(page)?.took) / count as f64;
        }
    }
    Ok(means)
}
