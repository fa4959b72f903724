//! The SQL of money: the ledger, titles, their settlements and the periods of the books. The recipe for a function is in
//! the documentation of `storage`, which has the executor, the migrations and all other tables.

pub mod account_balances;
pub mod agreed_prices;
pub mod charging;
pub mod credit_receipts;
pub mod discount_grants;
pub mod held_benefits;
pub mod large_batches;
pub mod ledger;
pub mod member_credit;
pub mod money_overview;
pub mod opening;
pub mod pending_charges;
pub mod periods;
pub mod pix_codes;
mod price_origins;
pub mod settlements;
pub mod slips;
pub mod title_search;
pub mod titles;
