//! The console's pages, one module per area.

pub(crate) mod about;
pub(crate) mod administration;
pub(crate) mod attachments;
pub(crate) mod audit;
pub(crate) mod audit_wording;
pub(crate) mod benefits;
pub(crate) mod cases;
pub(crate) mod export;
pub(crate) mod first_steps;
pub(crate) mod guide;
pub(crate) mod import;
pub(crate) mod mails;
pub(crate) mod member_list;
pub(crate) mod members;
pub(crate) mod open_validation;
pub(crate) mod panel;
pub(crate) mod quick_search;
pub(crate) mod registers;
pub(crate) mod sales;
pub(crate) mod style_guide;
pub(crate) mod triggers;
pub(crate) mod users;
