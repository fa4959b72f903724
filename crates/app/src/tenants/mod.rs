//! Creates tenants, and finds the tenant of a command. What administrators see and change of their own tenant is in
//! `manage.rs`.

mod create;
pub mod hosts;
mod manage;
mod named_tenant;
pub mod setup;

pub use create::{
    NewTenantInput, NewTenantOutcome, ParsedTenant, create_tenant, insert_bare_tenant, insert_tenant,
    parse_new_tenant,
};
pub use manage::{ChangeTenant, ChangeTenantOutcome, OwnTenant, change_own_tenant, read_own_tenant};
pub use named_tenant::resolve_tenant;
pub use storage::server::settings::find_default_tenant;
