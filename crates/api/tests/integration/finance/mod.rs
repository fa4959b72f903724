//! Money through HTTP on both engines: titles, their settlements and the months of the books, rule by rule, and what holds
//! after any history.

mod bank_holidays;
mod charging;
mod charging_calls;
mod charging_lines;
mod charging_months;
mod charging_scene;
mod charging_schedule;
mod charging_undo;
mod credit;
mod credit_receipts;
mod demonstration;
mod due_days;
pub mod early_discount;
mod histories;
mod imports;
mod issue;
mod management;
mod money_rights;
mod overview;
mod pending_charges;
mod periods;
mod pix;
mod price_origins;
mod prices;
mod record;
pub mod revision;
mod scene;
mod search;
mod search_days;
mod settle;
mod slips;
mod title_triggers;
mod trial_balance;
