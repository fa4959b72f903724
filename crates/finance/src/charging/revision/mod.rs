//! The revision of titles: when a benefit is cancelled, or its plans, due day or branch change, its titles that are not
//! yet due may no longer fit. Every writer of benefits notes that in `title_revisions`
//! (`storage::benefits::title_revisions`). `plan.rs` says what would become of each title, which is what
//! [`read_revision`] shows, and [`preview_revisions`] before a benefit changes its situation; [`apply_revision`] does it,
//! if it is still what the caller saw, and [`dismiss_revision`] leaves the titles as they are. Overdue titles, and those
//! with a settlement in force, stay in any case.

mod apply;
mod dismiss;
mod list;
mod plan;
mod preview;
mod replace;
mod sources;
mod taken_charges;

pub use apply::{AppliedRevision, apply_revision};
pub use dismiss::dismiss_revision;
pub use finance_storage::charging::title_revisions::WaitingRevision;
pub use list::{WaitingRevisionPage, count_revisions, is_revision_waiting, list_revisions, read_revision};
pub use plan::{PlannedTitle, RevisedTitle, TitleRevision, TitleRevisionOutcome, TitleRevisionTotals};
pub use preview::{SituationRevision, is_revision_changing, preview_revisions};
