//! Leads: saved by contact data, and searched. The person of a lead is not a member until they are saved as one or get
//! a benefit; the data of an existing member is never changed through a lead.

mod change;
pub mod import_rows;
mod list;
mod persist;
mod save;
mod search;
mod validate;

pub use change::change_lead;
pub use list::{CurrentLead, LeadManagementQuery, list_leads, read_lead};
pub use persist::apply_lead_to_person;
pub(crate) use persist::store_lead;
pub(crate) use save::{PreparedLead, prepare_lead};
pub use save::{SavedLead, save_lead};
pub(crate) use search::list_keys_by_contacts;
pub use search::{ContactFilter, FoundCodes, load_found_leads, parse_contact_filter, search_leads};
pub use storage::sales::leads::FoundLead;

pub(crate) use validate::LeadBranchSource;
use validate::LeadContactInput;
