//! Suppliers. Reading one is not logged as access to personal data: the log refers to people of the association by
//! code, and a supplier is not one of them, even as a natural person; an entry with its code would name someone else.

use crate::session::Session;
use crate::{App, Error};
use domain::{InputField, SupplierCode};
use storage::registers::suppliers;
pub use storage::registers::suppliers::StoredSupplier;

/// A supplier by code, also an inactive one. Suppliers belong to the association, so branches do not restrict access.
#[boxed::future]
pub async fn read_supplier(app: &App, caller: &Session, code: SupplierCode) -> Result<StoredSupplier, Error> {
    let found = suppliers::find_supplier(&app.db, caller.scope.tenant(), code).await?;
    found.ok_or(Error::NotFound { field: InputField::Supplier, code: code.get() })
}
