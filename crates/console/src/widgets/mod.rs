//! Building blocks of pages: forms, boards, lists, formats.

pub(crate) mod assets;
pub(crate) mod benefit_titles;
pub(crate) mod board;
pub(crate) mod export_links;
pub(crate) mod facts;
pub(crate) mod form_input;
pub(crate) mod form_page;
pub(crate) mod form_problems;
pub(crate) mod form_token;
pub(crate) mod formats;
pub(crate) mod frame;
pub(crate) mod help_path;
pub(crate) mod labels;
pub(crate) mod list_tools;
pub(crate) mod menu_entries;
pub(crate) mod money_input;
pub(crate) mod page;
pub(crate) mod phones;
pub(crate) mod qr_code;
pub(crate) mod record_form;
pub(crate) mod refusal_page;
pub(crate) mod select_option;
pub(crate) mod situation_badge;
pub(crate) mod situation_form;
pub(crate) mod version_conflict;
