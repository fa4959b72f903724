//! The rules of money: when an amount is due, what lateness adds to it, how a receipt is split, and what all of it
//! books in the ledger.
//!
//! Amounts are whole cents in `i64`. Every function is pure: the caller passes today, the holidays and the stored
//! settlements. To add a business event, write a function beside those of `title_entries.rs` or `credit_entries.rs` that
//! returns [`BalancedLines`]: lines that do not balance, or that touch two groups, cannot be built.

mod allocation;
mod bank_calendar;
mod charged_month;
mod charging_run;
mod credit_allocation;
mod credit_entries;
mod discounts;
mod due_day;
mod early_discount;
mod late_charges;
mod ledger;
mod month_share;
mod opening_entries;
mod pending_charge;
mod pricing;
mod receipt_split;
mod title;
mod title_entries;

pub use crate::finance_problem::FinanceProblem;
pub use crate::fixed_sets::{ChargingRunState, PendingChargeSituation, TitleSituation};
pub use crate::opening_import_problem::{OpeningImportProblem, TitleBenefitKey};
pub use allocation::allocate_by_largest_remainder;
pub use bank_calendar::{BankCalendar, MovedBankDay};
pub use charged_month::ChargedMonth;
pub use charging_run::{ChargeSource, NotChargedReason, RunTitleOutcome};
pub use credit_allocation::{CreditChange, CreditDay, allocate_credit, is_credit_covered};
pub use credit_entries::{CreditMovementKind, book_credit_receipt, book_credit_refund, takes_no_payment};
pub use discounts::{DiscountAmountRule, DiscountableLine, GrantedDiscount, LineDiscount, apply_discounts};
pub use due_day::{find_due_date, find_next_due_date};
pub use early_discount::{EarlyDiscount, EarlyDiscountRule};
pub use late_charges::{LateChargeRates, LateCharges, PrincipalPayment, compute_late_charges};
pub use ledger::{
    BalancedLines, EntryImbalance, EntryLine, LedgerAccountKey, LedgerAccountKind, LedgerEntryKind,
};
pub use month_share::{MonthShare, find_first_charged_month, find_month_share};
pub use opening_entries::{OpeningAccount, book_opening_balance, book_opening_payment, book_opening_title};
pub use pending_charge::PendingChargeSource;
pub use pricing::{
    ChosenPrice, PriceKey, PriceOrigin, PriceSource, PriceTable, TablePrice, ValueBand, choose_price,
};
pub use receipt_split::{ReceiptSplit, split_discounted_receipt, split_receipt};
pub use title::{
    ChargeItemKind, ChargeLine, LaunchKind, LegalNature, MoneyAccountKind, ShortfallTreatment,
    derive_situation, is_overdue, title_situation_colour,
};
pub use title_entries::{book_credit_use, book_issue, book_payment, book_receipt};
