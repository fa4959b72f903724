//! Building blocks of pages: forms, boards, lists, formats, notices.

pub(crate) mod assets;
pub(crate) mod board;
pub(crate) mod export_links;
pub(crate) mod form;
pub(crate) mod form_page;
pub(crate) mod formats;
pub(crate) mod frame;
pub(crate) mod labels;
pub(crate) mod list_tools;
pub(crate) mod notice;
pub(crate) mod page;
pub(crate) mod record_form;
pub(crate) mod refusal_page;
pub(crate) mod situation_badge;
pub(crate) mod situation_form;
pub(crate) mod undo_form;
pub(crate) mod upload;
