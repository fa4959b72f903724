//! Money: titles, their settlements, and the books. Every action is one unit of work that changes the title, books the
//! entry and writes the audit together; the rules are pure and stand in `domain::finance`.
//!
//! # Adding an action
//! 1. One file, named after the action, with a `pub async fn` that takes the caller's session and an
//!    [`app::idempotency::IdempotentWrite`].
//! 2. Check the caller's right (`Session::require_money_right`), read the title within the caller's scope, refuse or
//!    compute with `domain::finance`, then write one batch. Entries go through `booking.rs`, which keeps them out of
//!    closed months.

mod account_names;
mod add_pending_charge;
mod agreed_prices;
mod benefit_discounts;
mod benefit_group;
mod booking;
mod cancel_pending_charge;
mod cancel_title;
mod change_due_day;
pub mod charging;
mod full_title;
mod import_balances;
mod import_titles;
mod imported_owner;
mod issue_pending_charge;
mod issue_title;
mod late_charges_left;
mod line_refusal;
mod member_balance;
mod money_overview;
mod pending_charge_list;
mod periods;
mod release_title;
mod reverse_settlement;
mod settle_title;
mod store_settlement;
mod title_export;
pub mod title_history;
mod title_list;
mod trial_balance;
mod usable_credit;
mod use_credit;

pub use account_names::name_account;
pub use add_pending_charge::{NewPendingCharge, add_pending_charge};
pub use agreed_prices::{PriceMove, SeenPriceMove, move_to_price_table, preview_price_move};
pub use benefit_discounts::{
    BenefitDiscounts, NewDiscountGrant, end_benefit_discount, grant_benefit_discount, list_benefit_discounts,
};
pub use cancel_pending_charge::cancel_pending_charge;
pub use cancel_title::cancel_title;
pub use change_due_day::change_due_day;
pub use finance_storage::account_balances::{AccountBalance, AccountLine, ShownAccount};
pub use finance_storage::agreed_prices::AgreedPriceCriteria;
pub use finance_storage::discount_grants::{DiscountEnding, StoredDiscountGrant};
pub use finance_storage::money_overview::{DueMonthSums, OpenTitleSums};
pub use finance_storage::pending_charges::{PendingChargeCriteria, StoredPendingCharge};
pub use finance_storage::periods::ClosingChange;
pub use finance_storage::settlements::{ReversalRecord, StoredSettlement};
pub use finance_storage::title_search::{DayRange, TitleCriteria, TitlePerson, TitleTotals};
pub use finance_storage::titles::{PersonDebt, StoredTitle};
pub use full_title::{FullTitle, TitleBenefit, read_title};
pub use import_balances::{OpeningBalanceRow, import_opening_balance, undo_opening_balance_import};
pub use import_titles::{TitleImportRow, import_title, undo_title_import};
pub use issue_pending_charge::issue_pending_charge;
pub use issue_title::{NewTitleInput, issue_title, issue_titles};
pub use member_balance::{MemberBalance, read_benefit_balance, read_member_balance};
pub use money_overview::{
    LATENESS_STEPS, MoneyOverview, OVERVIEW_MONTHS, ReceivedSums, find_first_day, find_last_day,
    read_money_overview,
};
pub use pending_charge_list::{FullPendingCharge, PendingChargePage, list_charges};
pub use periods::{ClosedMonths, close_period, read_periods, reopen_period};
pub use release_title::release_title;
pub use reverse_settlement::reverse_settlement;
pub use settle_title::{NewReceipt, settle_title};
pub use storage::history::field_changes::StoredFieldChange;
pub use storage::history::situation_changes::RecordHistoryEntry;
pub use title_export::{ExportedTitle, TitleExportPage, list_titles_after};
pub use title_list::{LatenessRange, ListedTitle, TitlePage, TitleSearch, find_titles, list_titles};
pub use trial_balance::{
    AccountStatement, AccountStatementQuery, TrialBalance, may_read_books, read_account_statement,
    read_trial_balance,
};
pub use use_credit::{use_credit, use_credits};
