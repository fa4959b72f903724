//! Records of registers on the wire. Which fields they have, only their description knows (`registers`): from it come how a
//! body is read, how a record is shown and what the documentation says of both.

mod input;
mod output;
mod schema;
#[cfg(test)]
mod tests;

pub use input::{RecordInput, RecordListQuery, read_list_query, read_record_input};
pub use output::{RecordOutput, render_value};
pub use schema::{
    NamedSchema, describe_change, describe_input, describe_page, describe_record, list_query_fields,
};
