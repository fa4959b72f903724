//! Charging runs: the runs themselves and their leases, what each benefit is charged, the titles that came of them, and
//! the months that are charged.

pub mod chargeable_benefits;
pub mod charged_months;
pub mod granted_discounts;
pub mod issued_titles;
pub mod joining_fees;
pub mod left_charges;
pub mod run_benefits;
pub mod run_leases;
pub mod run_titles;
pub mod run_totals;
pub mod runs;
pub mod title_revisions;
pub mod unclaimed_titles;
