//! Suppliers. A look at one is not noted in the audit: that tells who saw which of the people of the association, by their
//! codes, and a supplier is none of them, also where he works under his own name; an entry under his code would be one
//! about somebody else.

use crate::access::Session;
use crate::{App, Error};
use domain::{Field, SupplierCode};
use storage::suppliers;
pub use storage::suppliers::Supplier;

/// The supplier of this code, also one that the association no longer works with. He belongs to the whole association,
/// so no branch is asked.
#[boxed::future]
pub async fn find(app: &App, caller: &Session, code: SupplierCode) -> Result<Supplier, Error> {
    let found = suppliers::find(&app.db, caller.scope.tenant(), code).await?;
    found.ok_or(Error::NoSuch { field: Field::Supplier, code: code.get() })
}
