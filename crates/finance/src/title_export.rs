//! Titles for an export: every title that matches, page by page after the last code, so that nothing shifts meanwhile.

use crate::title_list::{ListedTitle, TitleSearch, load_listed_titles, resolve_keys};
use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::is_overdue;
use domain::{AuditedOperation, MoneyRight, TitleCode};
use finance_storage::opening::list_given_title_keys;
use finance_storage::title_search::list_title_codes_after;
use std::collections::HashMap;
use std::sync::Arc;

/// Titles read at once.
const TITLES_PER_PAGE: i64 = 500;

pub struct TitleExportPage {
    pub rows: Vec<ExportedTitle>,
    /// The code after which the next page starts; `None` after the last page.
    pub next: Option<TitleCode>,
    pub registers: Arc<TenantRegisters>,
}

pub struct ExportedTitle {
    pub listed: ListedTitle,
    pub is_overdue: bool,
    /// Its key in the system that it was imported from.
    pub external_key: Option<String>,
}

/// The titles after a code that the caller may see.
#[boxed::future]
pub async fn list_titles_after(
    app: &App,
    caller: &Session,
    search: TitleSearch,
    after: TitleCode,
    operation: AuditedOperation,
) -> Result<TitleExportPage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let scope = caller.scope.clone();
    let registers = load_registers(app, scope.tenant()).await?;
    let today = app.now().date_in(&registers.zone);
    let mut search = search;
    search.limit_days(today);
    let input = (scope, search, after);
    let (rows, keys, next) = app
        .db
        .read(input, |tx, (scope, search, after)| {
            Box::pin(async move {
                let Some(criteria) = resolve_keys(tx, scope, search).await? else {
                    return Ok((Vec::new(), Vec::new(), None));
                };
                let page = (*after, TITLES_PER_PAGE);
                let codes = list_title_codes_after(&mut *tx, scope, &criteria, page).await?;
                let next = codes.last().copied().filter(|_| codes.len() as i64 == TITLES_PER_PAGE);
                let keys = list_given_title_keys(&mut *tx, scope.tenant(), &codes).await?;
                let rows = load_listed_titles(tx, scope.tenant(), &codes).await?;
                Ok::<_, Error>((rows, keys, next))
            })
        })
        .await?;
    record_access(app, caller, operation, rows.iter().map(|row| row.title.person))?;
    let mut keys: HashMap<TitleCode, String> = keys.into_iter().collect();
    let complete = |listed: ListedTitle| ExportedTitle {
        is_overdue: is_overdue(listed.title.situation, listed.title.effective_due_on, today),
        external_key: keys.remove(&listed.code),
        listed,
    };
    Ok(TitleExportPage { rows: rows.into_iter().map(complete).collect(), next, registers })
}
