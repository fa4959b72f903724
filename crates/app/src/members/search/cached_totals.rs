//! Totals of recent searches, so that the next page of a search need not count again.

use domain::{MemberCriteria, Scope, UserCode};
use quick_cache::sync::Cache;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The total of a search and the known page starts.
#[derive(Clone, Debug)]
pub(crate) struct SearchTotal {
    pub(super) total: i64,
    /// Value of the listing change counter at the time of counting.
    pub(super) changes: i64,
    pub(super) at: Instant,
    /// Page number to the slot after which the page begins.
    pub(super) starts: BTreeMap<i32, i32>,
}

/// Maximum number of page starts kept per search.
const PAGE_STARTS: usize = 64;

impl SearchTotal {
    /// Remembers the slot after which a page begins. Drops the lowest pages first, since readers move forward.
    pub(super) fn remember_start(&mut self, number: i32, after: i32) {
        self.starts.insert(number, after);
        while self.starts.len() > PAGE_STARTS {
            self.starts.pop_first();
        }
    }

    /// The nearest known page at or before this one, and the slot after which it begins.
    pub(super) fn find_nearest_start(&self, number: i32) -> (i32, i32) {
        self.starts.range(..=number).next_back().map_or((1, 0), |(page, after)| (*page, *after))
    }
}

/// Cached totals of recent searches.
pub(crate) struct SearchTotalCache(pub(super) Cache<SearchTotalKey, Arc<SearchTotal>>);

/// Includes the user, so that two users reading the same pages do not affect each other.
pub(super) type SearchTotalKey = (UserCode, Scope, MemberCriteria);

/// How long a paginated search keeps its first total.
const TOTAL_LIFETIME: Duration = Duration::from_mins(1);

impl Default for SearchTotalCache {
    fn default() -> SearchTotalCache {
        SearchTotalCache(Cache::new(1_000))
    }
}

impl SearchTotalCache {
    pub(super) fn get(&self, key: &SearchTotalKey) -> Option<Arc<SearchTotal>> {
        self.0.get(key).filter(|total| total.at.elapsed() < TOTAL_LIFETIME)
    }
}
