//! What an association is, without a database, a network or a wire: value types that cannot hold a wrong
//! value, and the rules between them. Everything here is pure; time and chance come in as arguments.
//!
//! To add a value type: one file, a `parse` that gives the value or the [`Rejection`] that says why not,
//! and its tests beside it.

mod address;
mod caller;
mod chance;
mod codes;
mod colour;
mod document;
mod email;
mod entity;
mod fold;
mod password;
mod phone;
mod rejection;
mod role;
mod scope;
mod sets;
mod tenant;
mod time;

pub use address::{Cep, PostalAddress};
pub use caller::CallerAddress;
pub use chance::Chance;
pub use codes::{
    BranchCode, FieldCode, HistoryCode, MailCode, PersonCode, PlanCode, SellerCode, SituationCode,
    SupplierCode, TenantId, UserCode, VehicleTypeCode,
};
pub use colour::Colour;
pub use document::{Cnpj, Cpf, Document};
pub use email::Email;
pub use entity::{Entity, SituationKind};
pub use fold::fold;
pub use password::Password;
pub use phone::Phone;
pub use rejection::{Field, Rejection};
pub use role::Role;
pub use scope::{Branches, Scope};
pub use sets::{BenefitKind, CivilState, FieldKind, Nature, PhoneKind, SellerKind, Sex, VehicleCategory};
pub use tenant::{Host, Name, TimeZone};
pub use time::{Clock, Moment};
