//! Import of members: many rows per transaction, with the same rules, listing rows and audit entries as any other save.

use super::persist::SavedPerson;
use super::persist::store_person_change;
use super::person_fields::{
    apply_person_fields, find_bad_references, parse_telephone, resolve_person_branch,
};
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, take_number_field};
use crate::listing_rows::{ListedDays, build_listed_member, build_member_row};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, ContactPhone, ImportProblem, ImportUndoObstacle,
    InputField, PersonCode, PersonProfile, ReferenceKind, Rejection, Scope, merge_telephones,
};
use serde_json::{Map, Value};
use std::collections::HashMap;
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::members;
use storage::members::phones;
use storage::search::rows::{self, PreviousRowState, SearchListingRow};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx, benefits};
use wire::read::FieldPatch;
use wire::records::{PessoaCampos, PessoaInput};

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct MemberImportRow {
    pub input: PessoaInput,
    /// The prescribed code.
    pub code: Option<PersonCode>,
}

impl MemberImportRow {
    /// Takes the prescribed code out of the row.
    pub fn take_person_code(fields: &mut Map<String, Value>) -> Option<PersonCode> {
        take_number_field(fields, "codPessoa").map(PersonCode::new)
    }
}

struct NewMemberDraft {
    at: usize,
    code: Option<PersonCode>,
    profile: PersonProfile,
    phones: Vec<ContactPhone>,
}

struct MemberChangeDraft {
    at: usize,
    code: PersonCode,
    before: (PersonProfile, Vec<ContactPhone>),
    after: (PersonProfile, Vec<ContactPhone>),
}

/// The stored people of these rows, loaded in one go.
struct KnownPeople {
    people: HashMap<String, (PersonCode, PersonProfile)>,
    phones: HashMap<PersonCode, Vec<ContactPhone>>,
    /// Prescribed codes that are in use; `removed` holds those that were in use before.
    used_codes: Vec<PersonCode>,
    removed: Vec<i32>,
}

impl KnownPeople {
    async fn load_for_rows(
        tx: &mut Tx,
        context: &ImportUnitContext,
        rows: &[MemberImportRow],
    ) -> Result<KnownPeople, Error> {
        let tenant = context.scope.tenant();
        let found =
            members::list_people_by_document(&mut *tx, tenant, rows.iter().map(|row| &row.input.document))
                .await?;
        let mut phones: HashMap<PersonCode, Vec<ContactPhone>> = HashMap::new();
        if !found.is_empty() {
            let codes: Vec<PersonCode> = found.iter().map(|(code, _)| *code).collect();
            for (code, phone) in phones::list_phones_of_people(&mut *tx, tenant, codes).await? {
                phones.entry(code).or_default().push(phone);
            }
        }
        let codes: Vec<PersonCode> = rows.iter().filter_map(|row| row.code).collect();
        let (mut used_codes, mut removed) = (Vec::new(), Vec::new());
        if !codes.is_empty() {
            let in_use = members::list_people_by_code(&mut *tx, tenant, codes.iter().copied()).await?;
            used_codes = in_use.into_iter().map(|(code, _)| code).collect();
            let codes: Vec<i32> = codes.iter().map(|code| code.get()).collect();
            removed = imports::list_removed_codes(&mut *tx, tenant, "person", &codes).await?;
        }
        let by_document = |(code, profile): (PersonCode, PersonProfile)| {
            let document = profile.document.as_ref().map(|one| one.as_str().to_owned());
            document.map(|document| (document, (code, profile)))
        };
        Ok(KnownPeople {
            people: found.into_iter().filter_map(by_document).collect(),
            phones,
            used_codes,
            removed,
        })
    }
}

/// Writes members with distinct documents; returns one outcome per row.
#[boxed::future]
pub async fn import_members(
    tx: &mut Tx,
    context: &ImportUnitContext,
    rows: &[MemberImportRow],
) -> Result<Vec<ImportRowOutcome>, Error> {
    let known = KnownPeople::load_for_rows(tx, context, rows).await?;
    let (mut new_members, mut changes) = (Vec::new(), Vec::new());
    let mut written = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        written.push(match known.people.get(row.input.document.as_str()) {
            None => match draft_new_member(context, &known, row, at) {
                Ok(new) => {
                    new_members.push(new);
                    ImportRowOutcome::Created { record: 0, version: 1, joined: None }
                }
                Err(problems) => ImportRowOutcome::Refused(problems),
            },
            Some((code, before)) => match draft_member_change(context, &known, row, (*code, before), at) {
                Ok(Some(change)) => {
                    changes.push(change);
                    ImportRowOutcome::Changed { record: code.get(), before: String::new(), version: 0 }
                }
                Ok(None) => ImportRowOutcome::Same { record: code.get() },
                Err(problems) => ImportRowOutcome::Refused(problems),
            },
        });
    }
    if context.is_dry_run {
        return Ok(written);
    }
    insert_new_members(tx, context, &new_members, &mut written).await?;
    for change in changes {
        let MemberChangeDraft { at, code, before: (before, old_phones), after } = change;
        let saved =
            Box::pin(store_person_change(tx, &context.change_context(), (code, &before, &old_phones), after))
                .await?;
        let before = members::encode_person_snapshot(&before, &old_phones);
        written[at] =
            ImportRowOutcome::Changed { record: code.get(), before, version: saved.profile.version };
    }
    Ok(written)
}

fn draft_new_member(
    context: &ImportUnitContext,
    known: &KnownPeople,
    row: &MemberImportRow,
    at: usize,
) -> Result<NewMemberDraft, Vec<Rejection>> {
    let (input, fields) = (&row.input, &row.input.fields);
    let fields = match context.branch {
        // The default branch of the import is validated like one given in the row.
        Some(branch) if fields.branch == FieldPatch::Keep => {
            &PessoaCampos { branch: FieldPatch::Set(branch), ..fields.clone() }
        }
        _ => fields,
    };
    let mut problems =
        find_bad_references(&context.scope, &context.registers, fields, (Some(&input.document), None));
    let branch = resolve_person_branch(&context.scope, &context.registers, fields, &mut problems);
    for problem in &mut problems {
        if matches!(problem, Rejection::Missing(InputField::Branch)) {
            *problem = Rejection::Import(ImportProblem::NoBranch);
        }
    }
    if let Some(code) = row.code {
        if known.used_codes.contains(&code) {
            problems.push(Rejection::CodeTaken { field: InputField::Person, code: code.get() });
        } else if known.removed.contains(&code.get()) {
            problems.push(Rejection::Import(ImportProblem::Removed));
        }
    }
    let (Some(branch), []) = (branch, &problems[..]) else { return Err(problems) };
    let name = input.name.as_str().to_owned();
    let mut profile = PersonProfile::new_member(branch, input.document.clone(), name, context.now);
    let mut phones = Vec::new();
    apply_import_row(row, &mut profile, &mut phones);
    Ok(NewMemberDraft { at, code: row.code, profile, phones })
}

fn draft_member_change(
    context: &ImportUnitContext,
    known: &KnownPeople,
    row: &MemberImportRow,
    (code, before): (PersonCode, &PersonProfile),
    at: usize,
) -> Result<Option<MemberChangeDraft>, Vec<Rejection>> {
    let (input, fields) = (&row.input, &row.input.fields);
    let person_state = (Some(&input.document), Some(before));
    let mut problems = find_bad_references(&context.scope, &context.registers, fields, person_state);
    if row.code.is_some_and(|prescribed| prescribed != code) {
        // The person with this document already has another code.
        problems.push(Rejection::DocumentTaken(context.scope.can_see(before.branch).then_some(code)));
    }
    if !context.scope.can_see(before.branch) {
        problems.push(Rejection::PersonElsewhere);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let old_phones = known.phones.get(&code).cloned().unwrap_or_default();
    let (mut profile, mut phones) = (before.clone(), old_phones.clone());
    profile.name = input.name.as_str().to_owned();
    profile.nature = input.document.nature();
    profile.is_member = true;
    apply_import_row(row, &mut profile, &mut phones);
    if let FieldPatch::Set(branch) = fields.branch {
        profile.branch = branch;
    }
    let same = profile == *before && phones == old_phones;
    Ok((!same).then(|| MemberChangeDraft {
        at,
        code,
        before: (before.clone(), old_phones),
        after: (profile, phones),
    }))
}

/// Applies a row. Its phones replace as many of the same kind; the others stay.
fn apply_import_row(row: &MemberImportRow, profile: &mut PersonProfile, phones: &mut Vec<ContactPhone>) {
    let mut fields = row.input.fields.clone();
    if let FieldPatch::Set(given_phones) = std::mem::replace(&mut fields.phones, FieldPatch::Keep) {
        *phones =
            merge_telephones(&given_phones.iter().filter_map(parse_telephone).collect::<Vec<_>>(), phones);
    }
    apply_person_fields(&fields, profile, phones);
}

async fn insert_new_members(
    tx: &mut Tx,
    context: &ImportUnitContext,
    new_members: &[NewMemberDraft],
    written: &mut [ImportRowOutcome],
) -> Result<(), Error> {
    if new_members.is_empty() {
        return Ok(());
    }
    let (tenant, actor_context) = (context.scope.tenant(), context.change_context());
    let prescribed = new_members.iter().filter_map(|new| new.code.map(PersonCode::get));
    if let Some(highest) = prescribed.clone().max() {
        counters::advance_counter(tx, tenant, Counter::Person, highest).await?;
    }
    let count = i32::try_from(new_members.len()).unwrap_or(i32::MAX);
    let counted = count - i32::try_from(prescribed.count()).unwrap_or_default();
    let blocks =
        [(Counter::Person, counted), (Counter::Slot, count), (Counter::Audit, count), (Counter::Listing, 1)];
    let [first, slot, audit_code, _] = counters::reserve_number_blocks(tx, tenant, blocks).await?;
    let mut next = first..;
    let coded: Vec<(PersonCode, &NewMemberDraft)> = new_members
        .iter()
        .map(|new| (new.code.unwrap_or_else(|| PersonCode::new(next.next().unwrap_or(first))), new))
        .collect();
    let mut statements =
        members::insert_people(tenant, coded.iter().map(|(code, new)| (*code, &new.profile)));
    statements
        .extend(phones::insert_phones(tenant, coded.iter().map(|(code, new)| (*code, &new.phones[..]))));
    // All rows have the same creation date.
    let days = ListedDays::of_member(&new_members[0].profile, &actor_context.registers.zone);
    let rows: Vec<SearchListingRow<'_>> = (slot..)
        .zip(&coded)
        .map(|(slot, (code, new))| SearchListingRow {
            slot,
            member: build_listed_member(*code, &new.profile),
            row_fields: build_member_row(&new.profile, days),
        })
        .collect();
    statements.extend(rows::insert_listing_rows(tenant, &rows));
    let audit_entries: Vec<audit::AuditEntry> =
        coded.iter().map(|(code, _)| build_member_entry(context, *code, AuditedAction::Create)).collect();
    statements.extend(audit::insert_audit_entries(audit_code, &audit_entries));
    tx.execute_batch(statements).await?;
    for (code, new) in coded {
        written[new.at] = ImportRowOutcome::Created { record: code.get(), version: 1, joined: None };
    }
    Ok(())
}

/// Undoes the effect of an import row, unless the member has changed since.
#[boxed::future]
pub async fn undo_member_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    let code = PersonCode::new(line.record.unwrap_or_default());
    let Some(current) = members::find_person(&mut *tx, tenant, code).await? else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::RecordGone));
    };
    if !context.scope.can_see(current.branch) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::OtherBranch));
    }
    if line.version != Some(current.version) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ChangedSince));
    }
    let Some(before) = &line.before else {
        return Box::pin(remove_imported_member(tx, context, code, &current)).await;
    };
    let current_phones = phones::list_phones(&mut *tx, tenant, code).await?;
    let (before, phones) = members::parse_person_snapshot(before)?;
    if current.is_member && !before.is_member {
        // The person was only a lead before the import and becomes one again, unless they have a benefit by now.
        if benefits::has_visible_benefit(&mut *tx, &Scope::for_tenant(tenant), code).await? {
            return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ReferencedBy(ReferenceKind::Benefits)));
        }
        let statements = build_delisting(tx, context, code, &current).await?;
        tx.execute_batch(statements).await?;
    }
    let before = PersonProfile {
        version: current.version,
        created_at: current.created_at,
        updated_at: current.updated_at,
        ..before
    };
    let SavedPerson { .. } = Box::pin(store_person_change(
        tx,
        &context.change_context(),
        (code, &current, &current_phones),
        (before, phones),
    ))
    .await?;
    Ok(ImportUndoOutcome::Restored)
}

async fn remove_imported_member(
    tx: &mut Tx,
    context: &ImportUnitContext,
    code: PersonCode,
    current: &PersonProfile,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    if let Some(kind) = members::find_person_reference(tx, tenant, code).await? {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ReferencedBy(kind)));
    }
    let mut statements = build_delisting(tx, context, code, current).await?;
    statements.extend(members::delete_person(tenant, code));
    tx.execute_batch(statements).await?;
    audit::append_audit_entry(tx, &build_member_entry(context, code, AuditedAction::UndoImport)).await?;
    Ok(ImportUndoOutcome::Removed)
}

fn build_member_entry(
    context: &ImportUnitContext,
    code: PersonCode,
    action: AuditedAction,
) -> audit::AuditEntry {
    context.audit_entry(Some(code), AuditedChange::new(action, AuditedRecordKind::Member, code.get()))
}

/// Statements that remove the listing row of a member without benefits.
async fn build_delisting(
    tx: &mut Tx,
    context: &ImportUnitContext,
    code: PersonCode,
    current: &PersonProfile,
) -> Result<Vec<Statement>, Error> {
    let tenant = context.scope.tenant();
    let Some((slot, branch)) = rows::find_free_row(tx, tenant, code).await? else { return Ok(Vec::new()) };
    rows::mark_listing_changed(tx, tenant).await?;
    let days = ListedDays::of_member(current, &context.registers.zone);
    let previous = PreviousRowState { branch, benefit: None };
    Ok(rows::delete_listing_row(tenant, slot, previous, days.registered_on))
}

/// Two rows about the same member have the same key.
pub fn build_duplicate_key(input: &PessoaInput) -> String {
    input.document.as_str().to_owned()
}
