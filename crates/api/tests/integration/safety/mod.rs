//! What nobody may find out or set off, tried through HTTP on both engines.

mod browser;
mod console_forms;
mod console_pages;
mod document_links;
mod first_setup;
mod passwords;
mod validation_quota;
