//! What is known about each text of a statement. Most texts are the program's own and told apart by where they lie.

use crate::Statement;
use std::collections::HashMap;

pub struct Texts<T> {
    fixed: HashMap<(usize, usize), T>,
    made: HashMap<Box<str>, T>,
}

impl<T> Default for Texts<T> {
    fn default() -> Texts<T> {
        Texts { fixed: HashMap::new(), made: HashMap::new() }
    }
}

impl<T> Texts<T> {
    pub fn get(&mut self, statement: &Statement, new: impl FnOnce(&str) -> T) -> &T {
        let text = statement.text();
        match statement.fixed() {
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
