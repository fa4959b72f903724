//! Searches by name, one at a time. A search that was counted is remembered while nothing changes, so none is asked
//! for twice.

use super::base::Words;
use super::{Failure, User};
use crate::times::{Times, ms};
use std::fmt::Write as _;
use std::time::Duration;

pub const NAME: &str = "names";

/// Bearers of a rare name, at most.
const FEW: i64 = 20;
/// Pages of a common name are counted, which is most of their work.
const COMMON: i64 = 1_000;

/// How long a search may take, in milliseconds.
const RARE_LIMIT: f64 = 10.0;
const COMMON_LIMIT: f64 = 50.0;

pub fn measure(users: &mut [User], words: &Words) -> Result<String, Failure> {
    let mut out = String::from(
        "| caller | searches, page 1 | calls | rows found | at most | p50 | p95 | slowest |\n\
         |---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for user in users {
        let few = |rows: i64| rows <= FEW;
        line(&mut out, user, "a whole name, rare", &words.rare, RARE_LIMIT, few)?;
        let many = |rows: i64| rows >= COMMON;
        line(&mut out, user, "a common first name", &words.first, COMMON_LIMIT, many)?;
        let more = |rows: i64| rows > FEW;
        line(&mut out, user, "first and last name, common", &words.pairs, COMMON_LIMIT, more)?;
    }
    Ok(out)
}

/// Those that turn out to have another number of rows are of another class, and are left out.
fn line(
    out: &mut String,
    user: &mut User,
    class: &str,
    words: &[String],
    limit: f64,
    is_of_class: impl Fn(i64) -> bool,
) -> Result<(), Failure> {
    let (mut times, mut found) = (Times::default(), Vec::new());
    let mut slowest = (Duration::ZERO, "");
    // Whoever asks for the first time opens a connection, prepares and fills caches.
    user.read("/ext/associado?nome=zzzz+zzzz")?;
    for words in words {
        let answer = user.read(&format!("/ext/associado?nome={words}"))?;
        let rows = answer.total()?;
        if !is_of_class(rows) {
            continue;
        }
        times.0.push(answer.took);
        found.push(rows);
        slowest = slowest.max((answer.took, words));
    }
    found.sort_unstable();
    let middle = found.get(found.len() / 2).copied().unwrap_or(0);
    let (p50, p95) = (ms(times.p(50.0)), ms(times.p(95.0)));
    // A small association has no common names: that says nothing.
    let verdict = |took: f64| match found.is_empty() {
        true => "not measured",
        false if took <= limit => "reached",
        false => "MISSED",
    };
    let _ = writeln!(
        out,
        "| {} | {class} | {} | {middle} ({}–{}) | {limit:.0} ms | {p50:.2} ms {} | {p95:.2} ms {} | {:.1} ms `{}` |",
        user.name,
        found.len(),
        found.first().unwrap_or(&0),
        found.last().unwrap_or(&0),
        verdict(p50),
        verdict(p95),
        ms(slowest.0),
        slowest.1.replace('+', " "),
    );
    Ok(())
}
