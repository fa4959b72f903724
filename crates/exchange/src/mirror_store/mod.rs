//! Storage of a mirror: a tenant that is a copy of another server's, read through its API. Records arrive as `domain`
//! values with the codes of the source. They are written in transactions that also store the read position, so that an
//! interrupted run can continue. History is written, but no triggers are sent.
//!
//! Reading (requests, pacing, odd data) is in the crate `mirror`.

mod claims;
mod counters;
mod details;
mod gone_from_source;
mod members;
mod next_reads;
mod notes;
mod registers;
mod runs;
mod sales;
mod titles;
mod users;
mod write_batch;

pub use claims::{MirroredClaim, MirroredPerson, list_known_claims, write_claims};
pub use details::{
    ChildRecords, MirroredBenefitDetails, MirroredCreditCards, write_benefit_details, write_credit_cards,
};
pub use finance::{CLAIMED_TITLES_PER_UNIT, MirroredTitle, OpenMirroredTitle};
pub use gone_from_source::retire_leads;
pub use members::{MirroredMember, list_staged_benefits, stage_benefits, write_members};
pub use next_reads::{
    list_benefits_after, list_known_titles, list_members_after, list_noted_records, list_open_deals,
    list_open_titles_after, list_unread_records,
};
pub use notes::{list_notes_after, summarize_notes};
pub use registers::load_current_registers;
pub use registers::{MirroredRegisterRecord, RegisterCodeList, write_notes, write_registers};
pub use runs::find_mirror;
pub use runs::{
    HELD_FOR, MirrorLease, MirrorSource, MirrorStartOutcome, complete_mirror_run, extend_mirror_lease,
    find_or_create_mirror, lease_mirror, release_mirror_lease, start_mirror_run,
};
pub use sales::{MirroredDeal, MirroredLead, write_deals, write_leads};
pub use storage::exchange::mirrors::{MirrorNoteGroup, NewMirrorNote, StoredMirror, UNREAD_FIELD};
pub use storage::members::phones::HOME_COUNTRY_CODE;
pub use storage::sales::deals::DealStageMove;
pub use titles::{
    MirroredTitleRecord, TITLE_NOTE_KIND, claim_title_months, list_unclaimed_titles,
    list_unmatched_charging_types, write_titles,
};
pub use users::{MirroredUserCodes, write_users};
pub use write_batch::{BATCH_ATTEMPTS, MirrorWriteBatch, ORIGIN};
