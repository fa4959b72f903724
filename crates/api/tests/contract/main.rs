//! The interface, rule by rule, through HTTP on both engines. The rules are listed in `rules.rs`; each has its test, and
//! each test its rule.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

mod additional_fields;
mod administration;
mod at_once;
mod audit;
mod benefit_change;
mod benefit_search;
mod benefit_write;
mod calls;
mod cancel;
mod cards;
mod combinations;
mod credit_cards;
mod crm_board;
mod crm_deals;
mod crm_leads;
mod crm_phones;
mod dependent_conflicts;
mod dependent_search;
mod dependents;
mod equipment;
mod errors;
mod events;
mod field_writes;
mod formats;
mod golden;
mod history;
mod items;
mod list;
mod member;
mod member_search;
mod properties;
mod receivers;
mod rules;
mod scope;
mod shapes;
mod situations;
mod validation;
mod vehicle;
