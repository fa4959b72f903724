//! Slips: the papers by which titles are paid at a bank. The last slip of an open title is in force; a second copy, with a
//! new value and due date, takes its place. What a slip holds follows from the title and its account, so nothing of it is
//! changed afterwards, and its document is rendered when somebody opens it.

mod build_slip;
mod collector;
mod document;
mod first_slips;
mod issue_slip;
mod issue_slips;
mod link;
mod pix;
mod slip_list;
mod slip_offer;
mod terms;

pub use document::{RenderedSlip, render_linked_slip, render_slip};
pub use first_slips::prepare_first_slips;
pub use issue_slip::issue_slip;
pub(crate) use issue_slips::issue_slips;
pub(crate) use link::RandomLinkSeed;
pub use pix::find_slip_pix_title;
pub use slip_list::{ListedSlip, SlipListPage, SlipOfTitle, find_title_of_slip_line, list_slips, read_slip};
pub use slip_offer::{OfferedSlip, OfferedSlipLink, SecondCopy, TitleSlipOffer, read_slip_offer};
