//! A cache keyed by statement text. Static texts are identified by their address.

use crate::Statement;
use std::collections::HashMap;

pub struct StatementTextCache<T> {
    fixed: HashMap<(usize, usize), T>,
    made: HashMap<Box<str>, T>,
}

impl<T> Default for StatementTextCache<T> {
    fn default() -> StatementTextCache<T> {
        StatementTextCache { fixed: HashMap::new(), made: HashMap::new() }
    }
}

impl<T> StatementTextCache<T> {
    pub fn get_or_insert_with(&mut self, statement: &Statement, new: impl FnOnce(&str) -> T) -> &T {
        let text = statement.text();
        match statement.static_text_address() {
            Some(place) => self.fixed.entry(place).or_insert_with(|| new(text)),
            None => {
                if !self.made.contains_key(text) {
                    self.made.insert(text.into(), new(text));
                }
                &self.made[text]
            }
        }
    }
}
