//! Register records on the wire. Their fields are defined by a description (`registers`): from it follow how a body is
//! read, how a record is rendered and the documentation of both.

mod input;
mod output;
mod percent;
mod schema;
#[cfg(test)]
mod tests;

pub use input::{RecordInput, RecordListQuery, read_list_query, read_record_body, read_record_input};
pub use output::{RecordOutput, render_value};
pub use schema::{
    NamedSchema, describe_change, describe_input, describe_page, describe_record, list_query_fields,
};
