//! Records of registers on the wire. Which fields they have, only their description knows (`registers`): from it come how a
//! body is read, how a record is shown and what the documentation says of both.

mod given;
mod schema;
mod shown;
#[cfg(test)]
mod tests;

pub use given::{Asked, Sent, asked, sent};
pub use schema::{Named, change_record, input_record, page_record, query_fields, record};
pub use shown::{Shown, value};
