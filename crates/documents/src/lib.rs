//! Documents that people print, as PDF: pure, without files, clock or randomness, so that the same input gives the same
//! bytes.
//!
//! A document is a record of texts as people read them (`SlipDocument`) and one function that places them
//! (`render_slip`). The fonts are Helvetica and Helvetica-Bold, which every reader of PDF has: nothing is embedded, a
//! slip has a few kilobytes, and it can be rendered each time it is opened. To add a document: draw it on a
//! `PageCanvas`, which shortens what is too long for its place, and end with `build_one_page_pdf`.

mod canvas;
mod helvetica;
mod itf_bars;
mod pdf_file;
mod qr_mask;
mod qr_modules;
mod slip;
mod slip_document;
mod win_ansi;

pub use itf_bars::{BarcodeDigits, ITF_MODULES, ItfBar, build_itf_bars};
pub use slip::render_slip;
pub use slip_document::{ChargeGroupOnSlip, ChargeLineOnSlip, PartyOnSlip, SlipColours, SlipDocument};
