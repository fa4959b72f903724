//! The rows of a list, a page at a time, by the functions that show it. The next page begins behind the last row that was
//! read, wherever a list has an order that stays: what comes and goes meanwhile moves nothing.

use super::office::{self, Audited};
use super::registers::{self, Names};
use super::{Cell, Column, List, SheetError, Which, members, work};
use crate::access::Session;
use crate::audit::{self, Reading};
use crate::base::{self, Registers};
use crate::searches::{self, Behind, FoundBenefit, Part, Turn};
use crate::{App, cases, deals, feed, leads, mail, registering, triggers, users};
use ::registers::Register;
use domain::{CaseKind, Entity, HistoryCode, HistoryCursor, Moment, UserCode};
use std::collections::HashMap;
use std::sync::Arc;
use wire::read::{self, Between, Given, QueryDate, Record};
use wire::records::{
    AuditoriaExportacaoQuery, BeneficioExportacaoQuery, CasoQuery, EntregaExportacaoQuery, HistoricoQuery,
    LeadQuery, NegocioQuery, PesquisaAssociadoQuery, PesquisaBeneficioQuery, UsuarioQuery,
};

/// Rows that the lists show at once.
const PAGE: i64 = 100;
const OPERATION: &str = super::audited::OPERATION;

type Pairs = Vec<(String, String)>;

/// What was asked of a list, and how far it was read.
pub(super) struct Rows {
    pairs: Pairs,
    /// Which of the list's columns are wanted, in the order in which they were.
    columns: Vec<usize>,
    at: At,
    done: bool,
}

enum At {
    Members { after: i32 },
    Benefits { after: i32 },
    Cases { kind: CaseKind, until: Option<Moment>, skip: i64 },
    Deals { page: i32, last: i32 },
    Leads { page: i32, last: i32 },
    Users { page: i32 },
    Audit { before: Option<i32>, users: Option<Arc<HashMap<UserCode, String>>> },
    Mails { before: i32 },
    Deliveries { before: Option<HistoryCode> },
    History { after: HistoryCursor },
    Register { register: &'static Register, page: i32, names: Option<Names> },
}

impl Rows {
    pub fn new(list: &List, pairs: Pairs, columns: Vec<usize>) -> Rows {
        let at = match list.which {
            Which::Members => At::Members { after: 0 },
            Which::Benefits => At::Benefits { after: 0 },
            Which::Cases(kind) => At::Cases { kind, until: None, skip: 0 },
            Which::Deals => At::Deals { page: 1, last: i32::MAX },
            Which::Leads => At::Leads { page: 1, last: i32::MAX },
            Which::Users => At::Users { page: 1 },
            Which::Audit => At::Audit { before: None, users: None },
            Which::Mails => At::Mails { before: i32::MAX },
            Which::Deliveries => At::Deliveries { before: None },
            Which::History => At::History { after: HistoryCursor::START },
            Which::Register(register) => At::Register { register, page: 1, names: None },
        };
        Rows { pairs, columns, at, done: false }
    }

    /// The next rows; `None` behind the last.
    #[boxed::future]
    pub async fn next(&mut self, app: &App, caller: &Session) -> Result<Option<Vec<Vec<Cell>>>, SheetError> {
        if self.done {
            return Ok(None);
        }
        let (pairs, columns) = (&self.pairs, &self.columns);
        let (rows, has_more) = match &mut self.at {
            At::Members { after } => {
                let query: PesquisaAssociadoQuery = asked(pairs)?;
                let found = searches::rows_behind(app, caller, query, *after, OPERATION).await?;
                *after = found.next.unwrap_or(*after);
                let rows = picked(members::MEMBERS, columns, &found.registers, &found.rows);
                (rows, found.next.is_some())
            }
            At::Benefits { after } => {
                let found = benefits(app, caller, pairs, *after).await?;
                *after = found.next.unwrap_or(*after);
                let rows = picked(members::BENEFITS, columns, &found.registers, &found.rows);
                (rows, found.next.is_some())
            }
            At::Cases { kind, until, skip } => {
                let query: CasoQuery = asked(pairs)?;
                let (found, by) = cases::behind(app, caller, *kind, query, (*until, *skip)).await?;
                if let Some(last) = found.last().map(|one| one.case.head().opened_at) {
                    let same = found.iter().filter(|one| one.case.head().opened_at == last).count() as i64;
                    *skip = if *until == Some(last) { *skip + same } else { same };
                    *until = Some(last);
                }
                let has_more = found.len() as i64 == PAGE;
                (picked(work::CASES, columns, &by, &found), has_more)
            }
            At::Deals { page, last } => {
                let wanted = wanted_deals(asked(pairs)?, *page);
                let mut found = deals::page(app, caller, wanted).await?;
                let has_more = behind(page, found.total);
                found.rows.retain(|one| one.code.get() < *last);
                *last = found.rows.last().map_or(*last, |one| one.code.get());
                (picked(work::DEALS, columns, &found.registers, &found.rows), has_more)
            }
            At::Leads { page, last } => {
                let query: LeadQuery = asked(pairs)?;
                let (filter, active, branch) = (query.filter.set(), query.active.set(), query.branch.set());
                let wanted = leads::Wanted { filter, active, branch, page: *page };
                let mut found = leads::page(app, caller, wanted).await?;
                let has_more = behind(page, found.total);
                found.rows.retain(|one| one.code.get() < *last);
                *last = found.rows.last().map_or(*last, |one| one.code.get());
                (picked(work::LEADS, columns, &found.registers, &found.rows), has_more)
            }
            At::Users { page } => {
                let query: UsuarioQuery = asked(pairs)?;
                let (filter, active) = (query.filter.set(), query.active.set());
                let (role, branch) = (query.role.set(), query.branch.set());
                let wanted = users::Wanted { filter, active, role, branch, page: *page };
                let found = users::page(app, caller, wanted).await?;
                let has_more = behind(page, found.total);
                (picked(office::USERS, columns, &found.registers, &found.rows), has_more)
            }
            At::Audit { before, users } => {
                let by = base::registers(app, caller.scope.tenant()).await?;
                let reading = reading(asked(pairs)?, &by, *before);
                let users = match users {
                    Some(users) => Arc::clone(users),
                    None => Arc::clone(users.insert(Arc::new(audit::user_names(app, caller).await?))),
                };
                let (page, _) = audit::newest_first(app, caller, reading).await?;
                *before = Some(page.reached);
                let has_more = page.has_more;
                let told = |told| Audited { told, users: Arc::clone(&users) };
                let rows: Vec<Audited> = page.entries.into_iter().map(told).collect();
                (picked(office::AUDIT, columns, &by, &rows), has_more)
            }
            At::Mails { before } => {
                let by = base::registers(app, caller.scope.tenant()).await?;
                let found = mail::listed(app, caller, *before).await?;
                *before = found.last().map_or(*before, |one| one.code.get());
                let has_more = found.len() as i64 == PAGE;
                (picked(office::MAILS, columns, &by, &found), has_more)
            }
            At::Deliveries { before } => {
                let by = base::registers(app, caller.scope.tenant()).await?;
                let query: EntregaExportacaoQuery = asked(pairs)?;
                let receiver = query.receiver;
                let wanted = wanted_deliveries(query, &by, *before);
                let found = triggers::newest(app, caller.scope.tenant(), receiver, wanted).await?;
                *before = found.before;
                (picked(office::DELIVERIES, columns, &by, &found.told), found.before.is_some())
            }
            At::History { after } => {
                let query: HistoricoQuery = asked(pairs)?;
                let found = feed::page(app, caller, query.entity.set(), *after).await?;
                *after = found.next;
                (picked(office::HISTORY, columns, &found.registers, &found.entries), found.has_more)
            }
            At::Register { register, page, names } => {
                let register: &'static Register = register;
                let names = match names {
                    Some(names) => names,
                    None => names.insert(Names::of(app, caller, register).await?),
                };
                let pairs = pairs.iter().cloned().chain([("pagina".to_owned(), page.to_string())]);
                let asked = wire::register::asked(register, pairs)?;
                let found = registering::page(app, caller, register, asked).await?;
                let has_more = behind(page, found.total);
                let cells = found.records.iter().map(|record| registers::cells(register, record, names));
                let row = |all: Vec<Cell>| columns.iter().filter_map(|at| all.get(*at).cloned()).collect();
                (cells.map(row).collect(), has_more)
            }
        };
        self.done = !has_more;
        Ok(Some(rows))
    }
}

/// Goes to the next page; whether there is one.
fn behind(page: &mut i32, total: i64) -> bool {
    let has_more = i64::from(*page) * PAGE < total;
    *page += 1;
    has_more
}

fn asked<T: Record>(pairs: &Pairs) -> Result<T, SheetError> {
    Ok(read::query(pairs.iter().filter(|(name, _)| name != "pagina" && name != "apos").cloned())?)
}

/// The wanted cells of rows.
fn picked<T>(columns: &[Column<T>], wanted: &[usize], by: &Registers, rows: &[T]) -> Vec<Vec<Cell>> {
    let cells = |row: &T| {
        let wanted = wanted.iter().filter_map(|at| columns.get(*at));
        wanted.map(|column| (column.value)(by, row)).collect()
    };
    rows.iter().map(cells).collect()
}

/// The next benefits behind a place: a slot, or a page where those of a month are asked for.
async fn benefits(
    app: &App,
    caller: &Session,
    pairs: &Pairs,
    after: i32,
) -> Result<Behind<FoundBenefit>, SheetError> {
    let query: BeneficioExportacaoQuery = asked(pairs)?;
    let registers = base::registers(app, caller.scope.tenant()).await?;
    let branch = query.branch.set();
    if KEYS.iter().any(|key| pairs.iter().any(|(name, text)| name == key && !text.is_empty())) {
        let asked: PesquisaBeneficioQuery = asked(pairs)?;
        // All of them, however many a page has.
        let mut found = searches::benefits(app, caller, asked).await?;
        found.rows.retain(|row| branch.is_none_or(|branch| row.benefit.branch == branch));
        return Ok(Behind { rows: found.rows, next: None, registers: found.registers });
    }
    let situation = match query.situation.set() {
        Some(name) => match registers.situation_named(Entity::Benefit, &name) {
            Some(one) => Some(one.code),
            None => return Ok(Behind { rows: Vec::new(), next: None, registers }),
        },
        None => None,
    };
    let registered = query.registered.set().map(|month| (Turn::Registered, month));
    let month = registered.or(query.cancelled.set().map(|month| (Turn::Cancelled, month)));
    let part = Part { branch, situation, month };
    if part.month.is_some() {
        let page = after + 1;
        let found = searches::listed(app, caller, part, page).await?;
        let next = (i64::from(page) * PAGE < found.total).then_some(page);
        return Ok(Behind { rows: found.rows, next, registers: found.registers });
    }
    Ok(searches::benefits_behind(app, caller, &part, after, OPERATION).await?)
}

/// What names a few benefits.
const KEYS: [&str; 4] = ["placa", "chassi", "sequencial", "numeroCartaoDesconto"];

fn wanted_deals(query: NegocioQuery, page: i32) -> deals::Wanted {
    deals::Wanted {
        filter: query.filter.set(),
        branch: query.branch.set(),
        funnel: query.funnel.set(),
        stage: query.stage.set(),
        state: query.state.set(),
        responsible: query.responsible.set(),
        stalled: query.stalled.set().map(Between::get),
        page,
    }
}

fn wanted_deliveries(
    query: EntregaExportacaoQuery,
    by: &Registers,
    before: Option<HistoryCode>,
) -> triggers::Wanted {
    let day = |given: Given<QueryDate>| given.set().map(QueryDate::get);
    triggers::Wanted {
        state: query.state.set(),
        entity: query.entity.set(),
        record: query.record.set().map(Between::get),
        since: day(query.from).map(|day| day.start_in(&by.zone)),
        until: day(query.to).map(|day| day.next().start_in(&by.zone)),
        before,
    }
}

fn reading(query: AuditoriaExportacaoQuery, by: &Registers, before: Option<i32>) -> Reading {
    let day = |given: Given<QueryDate>| given.set().map(QueryDate::get);
    Reading {
        person: query.person.set(),
        user: query.user.set(),
        since: day(query.from).map(|day| day.start_in(&by.zone)),
        until: day(query.to).map(|day| day.next().start_in(&by.zone)),
        before,
    }
}
