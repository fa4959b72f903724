//! Cases: claims, inspections, tickets and appointments. They share a head and a life cycle; their own columns are in
//! their modules. `app::cases`, the mirror and the demonstration write them.

pub mod appointments;
pub mod board;
pub mod claims;
pub mod inspections;
pub mod notes;
pub mod tickets;

mod find;
mod head;
mod search;
mod table_layout;
mod write;

pub use find::{ResolvedCase, find_case, list_cases_by_codes};
pub use search::{
    CaseCriteria, DrivingCaseCriterion, OverdueCase, ResultWindow, SituationAge, SituationTimeLimit,
    choose_driver, count_cases, count_overdue_cases, list_case_codes, list_overdue_cases,
};
pub use write::{insert_cases, update_case};
