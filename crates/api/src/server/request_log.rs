//! The log of requests (`http.log_requests`): one line for each answer, with the template of the route and never the
//! path, the query or a name.
//!
//! Under a flood only so many lines a second are written (`http.log_requests_per_second`), and one more says how many were
//! left out. Refused callers and failures of the server have a budget of their own, so that a flood of other requests
//! cannot hide them.

use crate::server::client::RequestOrigin;
use app::session::CallerSlot;
use axum::http::{HeaderValue, StatusCode};
use domain::UserCode;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Which answers are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestLogMode {
    All,
    /// Those with a status of 400 or more.
    Errors,
    None,
}

/// Which answers are logged, and how many a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLogOptions {
    pub mode: RequestLogMode,
    pub lines_per_second: u32,
}

impl Default for RequestLogOptions {
    fn default() -> RequestLogOptions {
        RequestLogOptions { mode: RequestLogMode::All, lines_per_second: 200 }
    }
}

/// What is known of a request before it is answered.
pub struct RequestFacts {
    pub method: &'static str,
    pub caller: CallerSlot,
    pub address: Option<IpAddr>,
}

impl RequestFacts {
    /// Leaves a slot in the request, which is filled where its session is found.
    pub fn collect(request: &mut axum::extract::Request, method: &'static str) -> RequestFacts {
        let address = request.extensions().get::<RequestOrigin>().map(|origin| origin.address);
        let caller = CallerSlot::default();
        request.extensions_mut().insert(caller.clone());
        RequestFacts { method, caller, address }
    }
}

/// The outcome of a request.
pub struct RequestOutcome<'r> {
    pub route: &'r str,
    pub id: &'r HeaderValue,
    pub status: StatusCode,
    pub elapsed: Duration,
}

pub struct RequestLog {
    mode: RequestLogMode,
    started: Instant,
    ordinary: LineBudget,
    important: LineBudget,
}

impl RequestLog {
    pub fn new(options: RequestLogOptions) -> RequestLog {
        let budget = || LineBudget { limit: options.lines_per_second, window: Mutex::default() };
        RequestLog { mode: options.mode, started: Instant::now(), ordinary: budget(), important: budget() }
    }

    pub fn record(&self, facts: &RequestFacts, outcome: &RequestOutcome<'_>) {
        if self.mode == RequestLogMode::None {
            return;
        }
        if is_background_route(outcome.route) {
            return log_quiet_answer(facts, outcome);
        }
        if self.mode == RequestLogMode::Errors && outcome.status.as_u16() < 400 {
            return;
        }
        let budget = if is_important(outcome.status) { &self.important } else { &self.ordinary };
        let grant = budget.ask(self.started.elapsed().as_secs());
        if !grant.is_given {
            metrics::counter!("amparo_http_log_lines_dropped_total").increment(1);
        }
        if grant.left_out > 0 {
            tracing::warn!(
                parent: None,
                left_out = grant.left_out,
                important = is_important(outcome.status),
                "requests were not logged: more than http.log_requests_per_second"
            );
        }
        if grant.is_given {
            log_answer(facts, outcome);
        }
    }
}

/// Probes and the files of pages come all the time and say little.
fn is_background_route(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics" | "/docs/{*file}")
        || route.ends_with(".css")
        || route.ends_with(".js")
}

/// Failures of the server, and callers that were refused.
fn is_important(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status.as_u16(), 401 | 403 | 429)
}

fn log_answer(facts: &RequestFacts, outcome: &RequestOutcome<'_>) {
    let caller = facts.caller.get();
    tracing::info!(
        parent: None,
        id = outcome.id.to_str().unwrap_or_default(),
        method = facts.method,
        route = outcome.route,
        status = outcome.status.as_u16(),
        ms = round_to_micros(outcome.elapsed),
        tenant = caller.map(|(tenant, _)| tenant.get()),
        user = caller.and_then(|(_, user)| user).map(UserCode::get),
        address = facts.address.map(tracing::field::display),
        "answered"
    );
}

fn log_quiet_answer(facts: &RequestFacts, outcome: &RequestOutcome<'_>) {
    let (status, ms) = (outcome.status.as_u16(), round_to_micros(outcome.elapsed));
    let id = outcome.id.to_str().unwrap_or_default();
    tracing::debug!(parent: None, id, method = facts.method, route = outcome.route, status, ms, "answered");
}

/// Milliseconds with three decimals.
fn round_to_micros(elapsed: Duration) -> f64 {
    elapsed.as_micros() as f64 / 1e3
}

/// So many lines in each second.
struct LineBudget {
    limit: u32,
    window: Mutex<BudgetWindow>,
}

#[derive(Default)]
struct BudgetWindow {
    second: u64,
    lines: u32,
    left_out: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LineGrant {
    is_given: bool,
    /// Lines left out in an earlier second and not reported yet.
    left_out: u64,
}

impl LineBudget {
    fn ask(&self, second: u64) -> LineGrant {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left_out = 0;
        if second > window.second {
            left_out = std::mem::take(&mut *window).left_out;
            window.second = second;
        }
        let is_given = window.lines < self.limit;
        if is_given {
            window.lines += 1;
        } else {
            window.left_out += 1;
        }
        LineGrant { is_given, left_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_and_counted_each_second() {
        let budget = LineBudget { limit: 3, window: Mutex::default() };
        let mut lines = [0; 3];
        let mut left_out = Vec::new();
        for second in 0..3 {
            for _ in 0..10 {
                let grant = budget.ask(second);
                lines[usize::try_from(second).unwrap()] += usize::from(grant.is_given);
                left_out.extend((grant.left_out > 0).then_some((second, grant.left_out)));
            }
        }
        assert_eq!(lines, [3, 3, 3]);
        assert_eq!(left_out, [(1, 7), (2, 7)]);
        assert_eq!(budget.ask(9), LineGrant { is_given: true, left_out: 7 });
        assert_eq!(budget.ask(10), LineGrant { is_given: true, left_out: 0 });
    }

    #[test]
    fn refused_callers_and_failures_have_a_budget_of_their_own() {
        for (status, expected) in [
            (200, false),
            (302, false),
            (404, false),
            (401, true),
            (403, true),
            (429, true),
            (500, true),
            (503, true),
        ] {
            assert_eq!(is_important(StatusCode::from_u16(status).unwrap()), expected, "{status}");
        }
    }

    #[test]
    fn probes_and_files_of_pages_are_not_worth_a_line() {
        for route in
            ["/healthz", "/readyz", "/metrics", "/docs/{*file}", "/console/console.css", "/console/quadro.js"]
        {
            assert!(is_background_route(route), "{route}");
        }
        for route in ["/ext/associado", "/console", "/docs/", "none"] {
            assert!(!is_background_route(route), "{route}");
        }
    }
}
