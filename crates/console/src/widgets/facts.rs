//! Facts of a record: label and value of each line on its page.

pub fn drop_empty_facts(facts: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}
