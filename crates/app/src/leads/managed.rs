//! Leads as the association itself sees and changes them: also those that are no longer active.

use super::{Lead, Store, Told, filter, judge, with, write};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers, registers};
use crate::benefits::ORIGIN;
use crate::differences::{self, Difference, Fields, Present, refuse_old};
use crate::once::{self, Done, Once};
use crate::searches::Page;
use crate::situations::Acting;
use crate::{App, Error};
use domain::{Contact, Field, LeadCode, Moment, Rejection, Scope, UserCode};
use std::collections::HashMap;
use std::sync::Arc;
use storage::leads::{self, FoundLead};
use storage::{Tx, searches::PAGE};
use wire::records::LeadAlteracaoInput;

const LIST: &str = "GET /gestao/lead";
const READ: &str = "GET /gestao/lead/{codLead}";
const CHANGE: &str = "PUT /gestao/lead/{codLead}";

/// Which leads are asked for; what is empty asks for nothing.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub filter: Option<String>,
    pub active: Option<bool>,
    pub branch: Option<domain::BranchCode>,
    /// From 1.
    pub page: i32,
}

/// A lead, and the registers that name what belongs to him.
#[derive(Clone, Debug)]
pub struct ManagedLead {
    pub found: FoundLead,
    pub registers: Arc<Registers>,
    changed: bool,
}

fn unknown(code: LeadCode) -> Error {
    Error::NoSuch { field: Field::Lead, code: code.get() }
}

/// A page of the leads that were asked for, the last one first.
#[boxed::future]
pub async fn page(app: &App, caller: &Session, wanted: Wanted) -> Result<Page<FoundLead>, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let number = wanted.page;
    let scope = match wanted.branch {
        Some(branch) => caller.scope.narrowed(branch),
        None => Some(caller.scope.clone()),
    };
    let Some(scope) = scope else { return Ok(Page { rows: Vec::new(), number, total: 0, registers }) };
    let skip = i64::from(number - 1) * PAGE;
    let (codes, total) = match &wanted.filter {
        Some(text) => {
            let mut keys = with(app, &scope, &filter(text, false).contacts).await?;
            keys.retain(|key| wanted.active.is_none_or(|active| key.active == active));
            keys.sort_unstable_by_key(|key| std::cmp::Reverse(key.code));
            keys.dedup_by_key(|key| key.code);
            let total = keys.len() as i64;
            let skip = usize::try_from(skip).unwrap_or(usize::MAX);
            (keys.into_iter().skip(skip).take(PAGE as usize).map(|key| key.code).collect(), total)
        }
        None => {
            let asked = (scope.clone(), wanted.active, skip);
            let read = app.db.read(asked, |tx, (scope, active, skip)| {
                Box::pin(leads::page(tx, scope, *active, (PAGE, *skip)))
            });
            read.await?
        }
    };
    let found = leads::at(&app.db, &caller.scope, &codes).await?;
    // One may have gone elsewhere since its code was read.
    let seen = found.into_iter().filter(|one| scope.sees(one.lead.branch));
    let mut found: HashMap<LeadCode, FoundLead> = seen.map(|one| (one.code, one)).collect();
    let rows: Vec<FoundLead> = codes.iter().filter_map(|code| found.remove(code)).collect();
    saw(app, caller, LIST, rows.iter().map(|one| one.lead.person))?;
    Ok(Page { rows, number, total, registers })
}

/// The lead of this code.
#[boxed::future]
pub async fn one(app: &App, caller: &Session, code: LeadCode) -> Result<ManagedLead, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (found, registers) =
        read_by_registers(app, tenant, asked, |tx, (scope, code)| Box::pin(visible(tx, scope, *code)))
            .await?;
    let found = found.ok_or(unknown(code))?;
    saw(app, caller, READ, std::iter::once(found.lead.person))?;
    Ok(ManagedLead { found, registers, changed: false })
}

async fn visible(tx: &mut Tx, scope: &Scope, code: LeadCode) -> Result<Option<FoundLead>, Error> {
    let found = leads::at(&mut *tx, scope, &[code]).await?.pop();
    Ok(found.filter(|one| scope.sees(one.lead.branch)))
}

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    code: LeadCode,
    input: LeadAlteracaoInput,
    now: Moment,
}

/// Changes a lead: what is not given stays, what is cleared goes.
#[boxed::future]
pub async fn change(
    app: &App,
    caller: &Session,
    code: LeadCode,
    input: LeadAlteracaoInput,
    once: Once<ManagedLead>,
) -> Result<Done<ManagedLead>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let entry =
        move |registers| Entry { scope: scope.clone(), user, registers, code, input: input.clone(), now };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write_change(tx, entry)))
            .await?;
    if let Done::Now(ManagedLead { found, changed: false, .. }) = &done {
        saw(app, caller, CHANGE, std::iter::once(found.lead.person))?;
    }
    Ok(done)
}

async fn write_change(tx: &mut Tx, entry: &Entry) -> Result<ManagedLead, Error> {
    let (tenant, input) = (entry.scope.tenant(), &entry.input);
    confirm(tx, tenant, &entry.registers).await?;
    let acting = Acting {
        tenant,
        registers: &entry.registers,
        user: Some(entry.user),
        operation: CHANGE,
        origin: ORIGIN,
        quiet: false,
        now: entry.now,
    };
    let found = visible(tx, &entry.scope, entry.code).await?.ok_or(unknown(entry.code))?;
    let before = found.lead.clone();
    let mut problems = Vec::new();
    let told = Told::of(&input.contact, &mut problems).of_known(&before);
    let sent = (&told, Store::OfTheLead(&input.branch));
    let mut ready =
        judge(tx, &acting, &entry.scope, sent, Some((entry.code, before.clone())), &mut problems).await?;
    ready.after.active = input.active.clone().set().unwrap_or(before.active);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    refuse(tx, entry, &before, &ready.after).await?;
    let saved = Box::pin(write(tx, &acting, &entry.scope, ready)).await?;
    let found = FoundLead { lead: saved.lead, ..found };
    Ok(ManagedLead { found, registers: Arc::clone(&entry.registers), changed: saved.changed })
}

/// Everything that stands in the way.
async fn refuse(tx: &mut Tx, entry: &Entry, before: &Lead, after: &Lead) -> Result<(), Error> {
    let present = Present { version: before.version, since: before.updated_at };
    let given = entry.input.version.get().into();
    let mut problems = Vec::new();
    problems.extend(refuse_old(given, present, &entry.registers.zone, &between(before, after)));
    if let Some(document) = after.document.as_ref().filter(|one| before.document.as_ref() != Some(*one)) {
        let contact = Contact::Document(document.as_str().to_owned());
        let other = leads::known_by(tx, &entry.scope, &contact, Some(document)).await?;
        if let Some((other, _)) = other.filter(|(other, _)| *other != entry.code) {
            problems.push(Rejection::LeadTaken(other));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

pub(super) fn between(before: &Lead, after: &Lead) -> Vec<Difference> {
    differences::between(fields(before), fields(after))
}

/// A lead, field by field.
fn fields(lead: &Lead) -> Fields {
    vec![
        ("codLoja", Some(lead.branch.to_string())),
        ("nomePessoa", Some(lead.name.clone())),
        ("cpfCnpj", lead.document.as_ref().map(ToString::to_string)),
        ("email", lead.email.as_ref().map(ToString::to_string)),
        ("telefoneCelular", lead.mobile.as_ref().map(ToString::to_string)),
        ("telefoneFixo", lead.landline.as_ref().map(ToString::to_string)),
        ("empresa", lead.company.clone()),
        ("cidade", lead.city.clone()),
        ("uf", lead.state.clone()),
        ("mensagem", lead.message.clone()),
        ("origem", lead.origin.clone()),
        ("codConsultor", lead.consultant.map(|code| code.to_string())),
        ("ativo", Some(lead.active.to_string())),
    ]
}
