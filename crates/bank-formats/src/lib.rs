//! The formats that banks and members read: pure, without files, requests or SQL.

pub mod brcode;
pub mod pix_key;
