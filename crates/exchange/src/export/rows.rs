//! Reads the rows of a list page by page, with the functions of the web lists. Where a list has a stable order, the
//! next page starts after the last row read, so that concurrent inserts and deletes shift nothing.

use super::administration_columns::{self, AuditExportRow};
use super::cell_values::SpreadsheetCell;
use super::error::ListExportError;
use super::exportable_lists::{ExportableList, ListKind};
use super::list_columns::ListColumn;
use super::register_columns::{self, ReferenceNames};
use super::title_query::build_title_search;
use super::{case_columns, member_columns, title_columns};
use ::registers::Register;
use app::access::users;
use app::audit::entry_pages::{self, ReverseAuditQuery};
use app::members::search::{self, BenefitListFilter, BenefitMovement, FoundBenefit, SearchBatch};
use app::register_snapshot::{self, TenantRegisters};
use app::sales::{deals, leads};
use app::session::Session;
use app::triggers::feed;
use app::{App, cases, mail, registers, triggers};
use domain::{
    AuditCursor, CaseKind, Entity, HistoryCode, HistoryCursor, Moment, PAGE_SIZE, TitleCode, UserCode,
};
use std::collections::HashMap;
use std::sync::Arc;
use wire::read::{self, BoundedInt, FieldPatch, InputRecord, QueryDate};
use wire::records::{
    AuditoriaExportacaoQuery, BeneficioExportacaoQuery, CasoQuery, EntregaExportacaoQuery, HistoricoQuery,
    LeadQuery, NegocioQuery, PesquisaAssociadoQuery, PesquisaBeneficioQuery, UsuarioQuery,
};

const OPERATION: domain::AuditedOperation = super::audit::OPERATION;

type QueryPairs = Vec<(String, String)>;

/// The query of a list and the current read position.
pub(super) struct ListRowReader {
    pairs: QueryPairs,
    /// Indexes of the requested columns.
    columns: Vec<usize>,
    at: ReadPosition,
    is_finished: bool,
}

enum ReadPosition {
    Members { after: i32 },
    Benefits { after: i32 },
    Cases { kind: CaseKind, until: Option<Moment>, skip: i64 },
    Deals { page: i32, last: i32 },
    Leads { page: i32, last: i32 },
    Titles { after: TitleCode },
    Users { page: i32 },
    Audit { before: Option<AuditCursor>, users: Option<Arc<HashMap<UserCode, String>>> },
    Mails { before: i32 },
    Deliveries { before: Option<HistoryCode> },
    History { after: HistoryCursor },
    Register { register: &'static Register, page: i32, names: Option<ReferenceNames> },
}

impl ListRowReader {
    pub fn new(list: &ExportableList, pairs: QueryPairs, columns: Vec<usize>) -> ListRowReader {
        let at = match list.which {
            ListKind::Members => ReadPosition::Members { after: 0 },
            ListKind::Benefits => ReadPosition::Benefits { after: 0 },
            ListKind::Cases(kind) => ReadPosition::Cases { kind, until: None, skip: 0 },
            ListKind::Deals => ReadPosition::Deals { page: 1, last: i32::MAX },
            ListKind::Leads => ReadPosition::Leads { page: 1, last: i32::MAX },
            ListKind::Titles => ReadPosition::Titles { after: TitleCode::new(0) },
            ListKind::Users => ReadPosition::Users { page: 1 },
            ListKind::Audit => ReadPosition::Audit { before: None, users: None },
            ListKind::Mails => ReadPosition::Mails { before: i32::MAX },
            ListKind::Deliveries => ReadPosition::Deliveries { before: None },
            ListKind::History => ReadPosition::History { after: HistoryCursor::START },
            ListKind::Register(register) => ReadPosition::Register { register, page: 1, names: None },
        };
        ListRowReader { pairs, columns, at, is_finished: false }
    }

    /// The next rows; `None` after the last page.
    #[boxed::future]
    pub async fn next(
        &mut self,
        app: &App,
        caller: &Session,
    ) -> Result<Option<Vec<Vec<SpreadsheetCell>>>, ListExportError> {
        if self.is_finished {
            return Ok(None);
        }
        let (pairs, columns) = (&self.pairs, &self.columns);
        let (rows, has_more) = match &mut self.at {
            ReadPosition::Members { after } => {
                let query: PesquisaAssociadoQuery = parse_query(pairs)?;
                let found = search::list_members_after(app, caller, query, *after, OPERATION).await?;
                *after = found.next.unwrap_or(*after);
                let rows = pick_cells(member_columns::MEMBERS, columns, &found.registers, &found.rows);
                (rows, found.next.is_some())
            }
            ReadPosition::Benefits { after } => {
                let found = list_benefits_after(app, caller, pairs, *after).await?;
                *after = found.next.unwrap_or(*after);
                let rows = pick_cells(member_columns::BENEFITS, columns, &found.registers, &found.rows);
                (rows, found.next.is_some())
            }
            ReadPosition::Cases { kind, until, skip } => {
                let query: CasoQuery = parse_query(pairs)?;
                let (found, tenant_registers) =
                    cases::list_cases_behind(app, caller, *kind, query, (*until, *skip)).await?;
                if let Some(last) = found.last().map(|one| one.case.head().opened_at) {
                    let same = found.iter().filter(|one| one.case.head().opened_at == last).count() as i64;
                    *skip = if *until == Some(last) { *skip + same } else { same };
                    *until = Some(last);
                }
                let has_more = found.len() as i64 == PAGE_SIZE;
                (pick_cells(case_columns::CASES, columns, &tenant_registers, &found), has_more)
            }
            ReadPosition::Deals { page, last } => {
                let criteria = build_deal_query(parse_query(pairs)?, *page);
                let mut found = deals::list_deals(app, caller, criteria).await?;
                let has_more = advance_page(page, found.total);
                found.rows.retain(|one| one.code.get() < *last);
                *last = found.rows.last().map_or(*last, |one| one.code.get());
                (pick_cells(case_columns::DEALS, columns, &found.registers, &found.rows), has_more)
            }
            ReadPosition::Leads { page, last } => {
                let query: LeadQuery = parse_query(pairs)?;
                let (filter, active, branch) =
                    (query.filter.into_set(), query.active.into_set(), query.branch.into_set());
                let criteria = leads::LeadManagementQuery { filter, active, branch, page: *page };
                let mut found = leads::list_leads(app, caller, criteria).await?;
                let has_more = advance_page(page, found.total);
                found.rows.retain(|one| one.code.get() < *last);
                *last = found.rows.last().map_or(*last, |one| one.code.get());
                (pick_cells(case_columns::LEADS, columns, &found.registers, &found.rows), has_more)
            }
            ReadPosition::Titles { after } => {
                let search = build_title_search(parse_query(pairs)?);
                let found = finance::list_titles_after(app, caller, search, *after, OPERATION).await?;
                *after = found.next.unwrap_or(*after);
                let rows = pick_cells(title_columns::TITLES, columns, &found.registers, &found.rows);
                (rows, found.next.is_some())
            }
            ReadPosition::Users { page } => {
                let query: UsuarioQuery = parse_query(pairs)?;
                let (filter, active) = (query.filter.into_set(), query.active.into_set());
                let (role, branch) = (query.role.into_set(), query.branch.into_set());
                let criteria = users::UserSearchQuery { filter, active, role, branch, page: *page };
                let found = users::list_user_page(app, caller, criteria).await?;
                let has_more = advance_page(page, found.total);
                (pick_cells(administration_columns::USERS, columns, &found.registers, &found.rows), has_more)
            }
            ReadPosition::Audit { before, users } => {
                let tenant_registers = register_snapshot::load_registers(app, caller.scope.tenant()).await?;
                let reading = build_audit_query(parse_query(pairs)?, &tenant_registers, *before);
                let users = match users {
                    Some(users) => Arc::clone(users),
                    None => {
                        Arc::clone(users.insert(Arc::new(entry_pages::list_user_names(app, caller).await?)))
                    }
                };
                let (page, _) = entry_pages::read_newest_audit_page(app, caller, reading).await?;
                *before = Some(page.reached);
                let has_more = page.has_more;
                let make_row = |entry| AuditExportRow { entry, users: Arc::clone(&users) };
                let rows: Vec<AuditExportRow> = page.entries.into_iter().map(make_row).collect();
                (pick_cells(administration_columns::AUDIT, columns, &tenant_registers, &rows), has_more)
            }
            ReadPosition::Mails { before } => {
                let tenant_registers = register_snapshot::load_registers(app, caller.scope.tenant()).await?;
                let found = mail::list_outbox_mail(app, caller, *before).await?;
                *before = found.last().map_or(*before, |one| one.code.get());
                let has_more = found.len() as i64 == PAGE_SIZE;
                (pick_cells(administration_columns::MAILS, columns, &tenant_registers, &found), has_more)
            }
            ReadPosition::Deliveries { before } => {
                let tenant_registers = register_snapshot::load_registers(app, caller.scope.tenant()).await?;
                let query: EntregaExportacaoQuery = parse_query(pairs)?;
                let receiver = query.receiver;
                let criteria = build_delivery_query(query, &tenant_registers, *before);
                let found =
                    triggers::list_newest_deliveries(app, caller.scope.tenant(), receiver, criteria).await?;
                *before = found.next_cursor;
                (
                    pick_cells(
                        administration_columns::DELIVERIES,
                        columns,
                        &tenant_registers,
                        &found.deliveries,
                    ),
                    found.next_cursor.is_some(),
                )
            }
            ReadPosition::History { after } => {
                let query: HistoricoQuery = parse_query(pairs)?;
                let found = feed::read_feed_page(app, caller, query.entity.into_set(), *after).await?;
                *after = found.next;
                (
                    pick_cells(administration_columns::HISTORY, columns, &found.registers, &found.entries),
                    found.has_more,
                )
            }
            ReadPosition::Register { register, page, names } => {
                let register: &'static Register = register;
                let names = match names {
                    Some(names) => names,
                    None => names.insert(ReferenceNames::load(app, caller, register).await?),
                };
                let pairs = pairs.iter().cloned().chain([("pagina".to_owned(), page.to_string())]);
                let list_query = wire::register::read_list_query(register, pairs)?;
                let found = registers::list_records(app, caller, register, list_query).await?;
                let has_more = advance_page(page, found.total);
                let cells = found
                    .records
                    .iter()
                    .map(|record| register_columns::build_record_cells(register, record, names));
                let row = |all: Vec<SpreadsheetCell>| {
                    columns.iter().filter_map(|at| all.get(*at).cloned()).collect()
                };
                (cells.map(row).collect(), has_more)
            }
        };
        self.is_finished = !has_more;
        Ok(Some(rows))
    }
}

/// Advances to the next page; returns whether there is one.
fn advance_page(page: &mut i32, total: i64) -> bool {
    let has_more = i64::from(*page) * PAGE_SIZE < total;
    *page += 1;
    has_more
}

fn parse_query<T: InputRecord>(pairs: &QueryPairs) -> Result<T, ListExportError> {
    Ok(read::read_query(pairs.iter().filter(|(name, _)| name != "pagina" && name != "apos").cloned())?)
}

/// The cells of the requested columns.
fn pick_cells<T>(
    columns: &[ListColumn<T>],
    chosen: &[usize],
    tenant_registers: &TenantRegisters,
    rows: &[T],
) -> Vec<Vec<SpreadsheetCell>> {
    let cells = |row: &T| {
        let chosen = chosen.iter().filter_map(|at| columns.get(*at));
        chosen.map(|column| (column.value)(tenant_registers, row)).collect()
    };
    rows.iter().map(cells).collect()
}

/// The next benefits after `after`: a search slot, or a page number if they are filtered by month.
async fn list_benefits_after(
    app: &App,
    caller: &Session,
    pairs: &QueryPairs,
    after: i32,
) -> Result<SearchBatch<FoundBenefit>, ListExportError> {
    let query: BeneficioExportacaoQuery = parse_query(pairs)?;
    let registers = register_snapshot::load_registers(app, caller.scope.tenant()).await?;
    let branch = query.branch.into_set();
    if KEYS.iter().any(|key| pairs.iter().any(|(name, text)| name == key && !text.is_empty())) {
        let search_query: PesquisaBeneficioQuery = parse_query(pairs)?;
        // Not paginated: all matches come at once.
        let mut found = search::search_benefits(app, caller, search_query).await?;
        found.rows.retain(|row| branch.is_none_or(|branch| row.benefit.branch == branch));
        return Ok(SearchBatch { rows: found.rows, next: None, registers: found.registers });
    }
    let situation = match query.situation.into_set() {
        Some(name) => match registers.find_situation_by_name(Entity::Benefit, &name) {
            Some(one) => Some(one.code),
            None => return Ok(SearchBatch { rows: Vec::new(), next: None, registers }),
        },
        None => None,
    };
    let registered = query.registered.into_set().map(|month| (BenefitMovement::Registered, month));
    let month = registered.or(query.cancelled.into_set().map(|month| (BenefitMovement::Cancelled, month)));
    let part = BenefitListFilter { branch, situation, month };
    if part.month.is_some() {
        let page = after + 1;
        let found = search::list_filtered_benefits(app, caller, part, page).await?;
        let next = (i64::from(page) * PAGE_SIZE < found.total).then_some(page);
        return Ok(SearchBatch { rows: found.rows, next, registers: found.registers });
    }
    Ok(search::list_benefits_after(app, caller, &part, after, OPERATION).await?)
}

/// Filters that identify few benefits.
const KEYS: [&str; 4] = ["placa", "chassi", "sequencial", "numeroCartaoDesconto"];

fn build_deal_query(query: NegocioQuery, page: i32) -> deals::DealPipelineQuery {
    deals::DealPipelineQuery {
        filter: query.filter.into_set(),
        branch: query.branch.into_set(),
        funnel: query.funnel.into_set(),
        stage: query.stage.into_set(),
        state: query.state.into_set(),
        responsible: query.responsible.into_set(),
        stalled: query.stalled.into_set().map(BoundedInt::get),
        page,
    }
}

fn build_delivery_query(
    query: EntregaExportacaoQuery,
    tenant_registers: &TenantRegisters,
    before: Option<HistoryCode>,
) -> triggers::DeliveryQuery {
    let day = |date: FieldPatch<QueryDate>| date.into_set().map(QueryDate::get);
    triggers::DeliveryQuery {
        state: query.state.into_set(),
        entity: query.entity.into_set(),
        record: query.record.into_set().map(BoundedInt::get),
        since: day(query.from).map(|day| day.start_in(&tenant_registers.zone)),
        until: day(query.to).map(|day| day.next().start_in(&tenant_registers.zone)),
        before,
    }
}

fn build_audit_query(
    query: AuditoriaExportacaoQuery,
    tenant_registers: &TenantRegisters,
    before: Option<AuditCursor>,
) -> ReverseAuditQuery {
    let day = |date: FieldPatch<QueryDate>| date.into_set().map(QueryDate::get);
    ReverseAuditQuery {
        person: query.person.into_set(),
        user: query.user.into_set(),
        since: day(query.from).map(|day| day.start_in(&tenant_registers.zone)),
        until: day(query.to).map(|day| day.next().start_in(&tenant_registers.zone)),
        before,
    }
}
