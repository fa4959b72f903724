//! Every rule of the interface that concerns these operations (`rules.txt`) has a test, and every test a rule.

/// These tests, file by file, and last those of the members' own file, whose rules stand here too.
const SOURCES: &[&str] = &[
    include_str!("additional_fields.rs"),
    include_str!("administration.rs"),
    include_str!("at_once.rs"),
    include_str!("audit.rs"),
    include_str!("benefit_change.rs"),
    include_str!("benefit_search.rs"),
    include_str!("benefit_write.rs"),
    include_str!("cancel.rs"),
    include_str!("cards.rs"),
    include_str!("combinations.rs"),
    include_str!("credit_cards.rs"),
    include_str!("equipment.rs"),
    include_str!("events.rs"),
    include_str!("dependent_conflicts.rs"),
    include_str!("dependent_search.rs"),
    include_str!("dependents.rs"),
    include_str!("crm_board.rs"),
    include_str!("crm_deals.rs"),
    include_str!("crm_leads.rs"),
    include_str!("crm_phones.rs"),
    include_str!("errors.rs"),
    include_str!("field_writes.rs"),
    include_str!("formats.rs"),
    include_str!("golden.rs"),
    include_str!("history.rs"),
    include_str!("items.rs"),
    include_str!("list.rs"),
    include_str!("member.rs"),
    include_str!("member_search.rs"),
    include_str!("properties.rs"),
    include_str!("receivers.rs"),
    include_str!("scope.rs"),
    include_str!("shapes.rs"),
    include_str!("situations.rs"),
    include_str!("validation.rs"),
    include_str!("vehicle.rs"),
    include_str!("../associado.rs"),
];

/// The name of each rule and its test.
fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("rules.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| match line.split(" | ").collect::<Vec<_>>()[..] {
        [name, _, test] => (name, test),
        _ => panic!("{line} is no rule"),
    })
}

/// The names of the tests that a file holds.
fn tests(source: &str) -> impl Iterator<Item = &str> {
    source.split("#[both_engines]\nasync fn ").skip(1).filter_map(|rest| rest.split('(').next())
}

#[test]
fn every_rule_has_its_test() {
    let bare: Vec<(&str, &str)> = rules()
        .filter(|(_, test)| !SOURCES.iter().any(|source| tests(source).any(|name| name == *test)))
        .collect();
    assert!(bare.is_empty(), "rules without a test: {bare:#?}");
}

#[test]
fn every_test_of_the_contract_holds_a_rule() {
    let own = &SOURCES[..SOURCES.len() - 1];
    let idle: Vec<&str> = own
        .iter()
        .flat_map(|source| tests(source))
        .filter(|name| !rules().any(|(_, test)| test == *name))
        .collect();
    assert!(idle.is_empty(), "tests that hold no rule: {idle:#?}");
}

#[test]
fn no_rule_is_told_twice() {
    let mut names: Vec<&str> = rules().map(|(name, _)| name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
