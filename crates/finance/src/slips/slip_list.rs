//! Lists slips in force, and reads that of one title.

use super::pix::build_slip_pix;
use crate::booking::refuse;
use crate::full_title::{compute_title_discount, reject_unknown_title};
use crate::title_list::{ListedTitle, TitleSearch, load_listed_titles, resolve_keys};
use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::session::Session;
use app::{App, Error};
use bank_formats::SlipBarcode;
use domain::finance::{ChargeLine, FinanceProblem, TitleSituation};
use domain::{
    AuditedOperation, Date, InputField, LinkPurpose, LinkToken, Moment, MoneyRight, TenantId, TitleCode,
};
use finance_storage::slips::{StoredSlip, find_title_by_barcode, list_last_slips};
use finance_storage::title_search::{count_titles, list_title_codes};
use finance_storage::titles::{find_title, list_lines_of_titles};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;

/// A slip with its title and what a program is told of it.
#[derive(Clone, Debug)]
pub struct ListedSlip {
    pub slip: StoredSlip,
    pub title: ListedTitle,
    /// Formatted, as people type it.
    pub typed_line: String,
    /// Opens the slip without a credential; a restored association has none for old slips.
    pub link_token: Option<LinkToken>,
    /// The text of the Pix code that pays it, while it is not overdue.
    pub pix: Option<String>,
}

#[derive(Clone, Debug)]
pub struct SlipOfTitle {
    pub slip: ListedSlip,
    pub registers: Arc<TenantRegisters>,
}

/// A page of slips, with the number of all that match.
pub struct SlipListPage {
    pub rows: Vec<ListedSlip>,
    pub slips: i64,
    pub registers: Arc<TenantRegisters>,
}

/// The slips in force of the titles that match, by the title's due day and code, from `offset`. Only open titles have one.
#[boxed::future]
pub async fn list_slips(
    app: &App,
    caller: &Session,
    mut search: TitleSearch,
    (offset, limit): (i64, i64),
) -> Result<SlipListPage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let scope = caller.scope.clone();
    let registers = load_registers(app, scope.tenant()).await?;
    let now = app.now();
    search.limit_days(now.date_in(&registers.zone));
    let named = search.criteria.situations.as_ref();
    let is_open_searched = named.is_none_or(|named| named.contains(&TitleSituation::Open));
    search.criteria.situations = Some(if is_open_searched { vec![TitleSituation::Open] } else { Vec::new() });
    search.criteria.has_slip = true;
    let input = (scope, search, (offset, limit), (Arc::clone(&registers), now));
    let (rows, slips) = app
        .db
        .read(input, |tx, (scope, search, page, (registers, now))| {
            Box::pin(async move {
                let Some(criteria) = resolve_keys(tx, scope, search).await? else {
                    return Ok((Vec::new(), 0));
                };
                let slips = count_titles(&mut *tx, scope, &criteria).await?;
                let codes = list_title_codes(&mut *tx, scope, &criteria, *page).await?;
                let rows = load_listed_slips(tx, scope.tenant(), (registers, *now), &codes).await?;
                Ok::<_, Error>((rows, slips))
            })
        })
        .await?;
    record_access(app, caller, AuditedOperation::SearchSlips, rows.iter().map(|row| row.title.title.person))?;
    Ok(SlipListPage { rows, slips, registers })
}

/// The slip in force of a title that the caller may see.
#[boxed::future]
pub async fn read_slip(app: &App, caller: &Session, code: TitleCode) -> Result<SlipOfTitle, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let input = ((caller.scope.clone(), code, app.now()), Arc::clone(&registers));
    let slip = app
        .db
        .read(input, |tx, ((scope, code, now), registers)| {
            Box::pin(async move {
                let title =
                    find_title(&mut *tx, scope, *code).await?.ok_or_else(|| reject_unknown_title(*code))?;
                if title.situation != TitleSituation::Open {
                    return Err(refuse(FinanceProblem::NotOpen(title.situation)));
                }
                let listed = load_listed_slips(tx, scope.tenant(), (registers, *now), &[*code]).await?;
                let missing = || Error::NotFound { field: InputField::Slip, code: code.get() };
                listed.into_iter().next().ok_or_else(missing)
            })
        })
        .await?;
    record_access(app, caller, AuditedOperation::ReadSlip, std::iter::once(slip.title.title.person))?;
    Ok(SlipOfTitle { slip, registers })
}

/// The last slips of these titles, in their order. A title without one is left out.
pub(super) async fn load_listed_slips(
    tx: &mut Tx,
    tenant: TenantId,
    (registers, now): (&TenantRegisters, Moment),
    codes: &[TitleCode],
) -> Result<Vec<ListedSlip>, Error> {
    let today = now.date_in(&registers.zone);
    let slips = list_last_slips(&mut *tx, tenant, codes).await?;
    let slip_codes: Vec<i32> = slips.iter().map(|slip| slip.code.get()).collect();
    let mut slips: HashMap<TitleCode, StoredSlip> =
        slips.into_iter().map(|slip| (slip.title, slip)).collect();
    let subjects = (LinkPurpose::Slip, &slip_codes[..]);
    let mut tokens = links::list_link_tokens(&mut *tx, tenant, subjects, now).await?;
    let titles = load_listed_titles(tx, tenant, codes).await?;
    let lines = load_discounted_lines(tx, tenant, &titles, today).await?;
    let build = |title: ListedTitle| {
        let slip = slips.remove(&title.code)?;
        let amount = slip.amount - find_discount(&title, &lines, today);
        let place = (tenant, title.title.group);
        Some(ListedSlip {
            typed_line: format_typed_line(&slip),
            link_token: tokens.remove(&slip.code.get()),
            pix: build_slip_pix(registers, place, &slip, (amount, today)),
            slip,
            title,
        })
    };
    Ok(titles.into_iter().filter_map(build).collect())
}

fn format_typed_line(slip: &StoredSlip) -> String {
    SlipBarcode::parse(&slip.barcode).map(|barcode| barcode.typed_line()).unwrap_or_default()
}

/// The lines of the titles that cost less today.
async fn load_discounted_lines(
    tx: &mut Tx,
    tenant: TenantId,
    titles: &[ListedTitle],
    today: Date,
) -> Result<HashMap<TitleCode, Vec<ChargeLine>>, Error> {
    let is_discounted =
        |one: &&ListedTitle| one.title.early_discount_until.is_some_and(|until| today <= until);
    let codes: Vec<TitleCode> = titles.iter().filter(is_discounted).map(|one| one.code).collect();
    let mut lines: HashMap<TitleCode, Vec<ChargeLine>> = HashMap::new();
    if !codes.is_empty() {
        for (title, line) in list_lines_of_titles(&mut *tx, tenant, &codes).await? {
            lines.entry(title).or_default().push(line);
        }
    }
    Ok(lines)
}

/// What need not be paid of the title today, in cents.
fn find_discount(title: &ListedTitle, lines: &HashMap<TitleCode, Vec<ChargeLine>>, today: Date) -> i64 {
    let lines = lines.get(&title.code);
    let discount = lines.and_then(|lines| compute_title_discount(&title.title, lines, today));
    discount.map_or(0, |discount| discount.amount)
}

/// The title of a slip whose typed line or barcode this is, visible or not.
#[boxed::future]
pub async fn find_title_of_slip_line(
    app: &App,
    caller: &Session,
    text: &str,
) -> Result<Option<TitleCode>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    // Most texts of a search are names.
    if text.chars().filter(char::is_ascii_digit).count() < 44 {
        return Ok(None);
    }
    let parsed = SlipBarcode::parse_typed_line(text).or_else(|_| SlipBarcode::parse(text.trim()));
    let Ok(barcode) = parsed else { return Ok(None) };
    Ok(find_title_by_barcode(&app.db, caller.scope.tenant(), barcode.as_str()).await?)
}
