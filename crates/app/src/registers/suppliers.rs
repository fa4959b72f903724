//! Suppliers. A look at one is not noted in the audit: that tells who saw which of the people of the association, by their
//! codes, and a supplier is none of them, also where he works under his own name; an entry under his code would be one
//! about somebody else.

use crate::access::Session;
use crate::{App, Error};
use domain::{InputField, SupplierCode};
use storage::registers::suppliers;
pub use storage::registers::suppliers::StoredSupplier;

/// The supplier of this code, also one that the association no longer works with. He belongs to the whole association,
/// so no branch is asked.
#[boxed::future]
pub async fn read_supplier(app: &App, caller: &Session, code: SupplierCode) -> Result<StoredSupplier, Error> {
    let found = suppliers::find_supplier(&app.db, caller.scope.tenant(), code).await?;
    found.ok_or(Error::NotFound { field: InputField::Supplier, code: code.get() })
}
