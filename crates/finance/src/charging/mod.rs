//! The charging run of a month: preview, approval, issue and undo.
//!
//! [`prepare_run`] only stores the run. Everything that touches many benefits is done by [`run_due_charging`] in the
//! background: `process_run.rs` leases a run and works it off in batches, each of which is one unit of work that also
//! stores the position. So a run continues after a crash exactly where it stopped, in whichever process, and never does
//! anything twice: a batch of a process that lost the lease writes nothing, and a month of a benefit is charged once by
//! the key of `charged_months`.
//!
//! | stage | file of its batch | position |
//! |---|---|---|
//! | preparing | `preview_batch.rs`, with the lines of a benefit from `charge_lines.rs` | benefit |
//! | issuing | `issue_batch.rs` | person, so that a title holds all benefits of one |
//! | undoing | `undo_batch.rs` | title |
//!
//! Before it charges anything, a process claims the months of imported titles, and of those by hand, that a rule has come
//! to count (`imported_months.rs`), in portions under the same lease.
//!
//! `issue_charges.rs` and `cancel_charges.rs` write the titles of a batch, and those of a revision (`revision/`), which
//! looks again at the titles of a benefit that changed after they were issued. Before either cancels titles,
//! `return_credits.rs` gives back the credit that paid them.
//!
//! # Adding a source of lines
//! A variant of [`ChargeSource`], a function in `charge_lines.rs` that gives its lines, and what it needs of the range of
//! benefits in `preview_batch.rs`.

mod added_benefits;
mod approve_run;
mod branch_of_run;
mod cancel_charges;
mod charge_lines;
mod discard_run;
mod full_run;
mod issue_batch;
mod issue_charges;
mod prepare_run;
mod preview_batch;
mod process_run;
mod release_runs;
mod return_credits;
pub mod revision;
mod run_due_charging;
mod run_list;
mod run_terms;
mod schedule_runs;
mod undo_batch;
mod undo_run;

pub use approve_run::approve_run;
pub use discard_run::discard_run;
pub use domain::finance::{ChargeSource, ChargedMonth, ChargingRunState, NotChargedReason, PriceSource};
pub use finance_storage::charging::left_charges::{LeftCharge, LeftChargeTotal};
pub use finance_storage::charging::run_benefits::{RunBenefit, RunBenefitFilter, RunLine};
pub use finance_storage::charging::run_totals::ItemTotal;
pub use finance_storage::charging::runs::{ChargedBenefitFilter, ChargingTotalCounts, StoredChargingRun};
pub use full_run::{FullChargingRun, PreviousCharging, StageProgress, list_left_charges, read_run};
pub use prepare_run::{NewChargingRun, prepare_run};
pub use process_run::BatchSizeLimits;
pub use release_runs::release_all_runs;
pub use run_due_charging::{run_charging_at, run_due_charging};
pub use run_list::{
    ChargingRunPage, KeptTitlePage, ListedRunBenefit, RunBenefitPage, RunBenefitSearch, list_kept_titles,
    list_run_benefits, list_runs,
};
pub use undo_run::undo_run;
