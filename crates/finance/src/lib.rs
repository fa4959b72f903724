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
mod claimed_month;
mod credit_list;
mod credit_money;
mod full_title;
mod import_balances;
mod import_titles;
mod imported_months;
mod imported_owner;
mod issue_mirrored_title;
mod issue_pending_charge;
mod issue_pix_code;
mod issue_title;
mod late_charges_left;
mod line_refusal;
mod member_balance;
mod mirrored_title;
mod mirrored_titles;
mod money_overview;
mod opening_title;
mod pending_charge_list;
mod periods;
mod receive_credit;
mod receiving_account;
mod refund_credit;
mod release_title;
mod reverse_credit_receipt;
mod reverse_settlement;
mod settle_title;
mod slip_link;
mod slips;
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
pub use credit_list::{CreditPage, list_member_credit, read_credit_receipt};
pub use credit_money::{CreditMoney, FullCreditMovement};
pub use finance_storage::account_balances::{AccountBalance, AccountLine, ShownAccount};
pub use finance_storage::agreed_prices::AgreedPriceCriteria;
pub use finance_storage::credit_receipts::StoredCreditReceipt;
pub use finance_storage::discount_grants::{DiscountEnding, StoredDiscountGrant};
pub use finance_storage::member_credit::CreditMovement;
pub use finance_storage::money_overview::{DueMonthSums, OpenTitleSums};
pub use finance_storage::pending_charges::{PendingChargeCriteria, StoredPendingCharge};
pub use finance_storage::periods::ClosingChange;
pub use finance_storage::pix_codes::StoredPixCode;
pub use finance_storage::settlements::{ReversalRecord, StoredSettlement};
pub use finance_storage::slips::StoredSlip;
pub use finance_storage::title_search::{DayRange, TitleCriteria, TitlePerson, TitleTotals};
pub use finance_storage::titles::{PersonDebt, StoredTitle};
pub use full_title::{FullTitle, TitleBenefit, read_title};
pub use import_balances::{OpeningBalanceRow, import_opening_balance, undo_opening_balance_import};
pub use import_titles::{TitleImportRow, import_title, undo_title_import};
pub use imported_months::{
    CLAIMED_TITLES_PER_UNIT, claim_months_of_titles, list_unclaimed_titles, list_unmatched_charging_types,
};
pub use issue_mirrored_title::can_mirror_title;
pub use issue_pending_charge::issue_pending_charge;
pub use issue_pix_code::{IssuedPixCode, PixOffer, find_pix_title, issue_pix_code, read_pix_offer};
pub use issue_title::{NewTitleInput, issue_title, issue_titles};
pub use member_balance::{MemberBalance, read_benefit_balance, read_member_balance};
pub use mirrored_title::{MirroredTitle, MirroredTitleOutcome};
pub use mirrored_titles::{
    OpenMirroredTitle, list_mirrored_titles, list_open_mirrored_titles_after, write_mirrored_title,
};
pub use money_overview::{
    LATENESS_STEPS, MoneyOverview, OVERVIEW_MONTHS, ReceivedSums, find_first_day, find_last_day,
    read_money_overview,
};
pub use pending_charge_list::{FullPendingCharge, PendingChargePage, list_charges};
pub use periods::{ClosedMonths, close_period, read_periods, reopen_period};
pub use receive_credit::{NewCreditReceipt, receive_credit};
pub use refund_credit::refund_credit;
pub use release_title::release_title;
pub use reverse_credit_receipt::reverse_credit_receipt;
pub use reverse_settlement::reverse_settlement;
pub use settle_title::{NewReceipt, settle_title};
pub use slips::{
    ListedSlip, OfferedSlip, OfferedSlipLink, RenderedSlip, SecondCopy, SlipListPage, SlipOfTitle,
    TitleSlipOffer, find_slip_pix_title, find_title_of_slip_line, issue_slip, list_slips,
    prepare_first_slips, read_slip, read_slip_offer, render_linked_slip, render_slip,
};
pub use storage::history::field_changes::StoredFieldChange;
pub use storage::history::situation_changes::RecordHistoryEntry;
pub use title_export::{ExportedTitle, TitleExportPage, list_titles_after};
pub use title_list::{LatenessRange, ListedTitle, TitlePage, TitleSearch, find_titles, list_titles};
pub use trial_balance::{
    AccountStatement, AccountStatementQuery, TrialBalance, may_read_books, read_account_statement,
    read_trial_balance,
};
pub use use_credit::{use_credit, use_credits};
