//! Writes mirrored titles, and the people without a benefit who owe them or are paid by them.

use super::NewMirrorNote;
use super::counters::advance_counter;
use super::sales::resolve_own_document;
use super::write_batch::{MirrorWriteBatch, write_batch};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use domain::{MirrorRecordConflict, PersonProfile, TenantId, TitleCode};
use finance::MirroredTitle;
use storage::Tx;
use storage::exchange::mirrors;
use storage::members::{find_person, insert_people};
use storage::server::counters::Counter;
use wire::mirror::describe_conflict;

/// The name of titles in notes.
pub const TITLE_NOTE_KIND: &str = "titulo";

#[derive(Clone, Debug)]
pub struct MirroredTitleRecord {
    pub title: MirroredTitle,
    /// The person of the title as the title shows it, for somebody whom nothing else shows.
    pub holder: PersonProfile,
}

#[boxed::future]
pub async fn write_titles(app: &App, part: MirrorWriteBatch<Vec<MirroredTitleRecord>>) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, notes| Box::pin(write_title_batch(tx, part, notes))).await
}

async fn write_title_batch(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredTitleRecord>>,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<u64, Error> {
    let noted = part.notes.iter().filter(|note| note.kind == TITLE_NOTE_KIND).map(|note| note.record);
    let codes: Vec<i32> = part.records.iter().map(|one| one.title.code.get()).chain(noted).collect();
    tx.execute_batch(vec![mirrors::delete_mirror_notes(part.tenant(), TITLE_NOTE_KIND, &codes)]).await?;
    let mut written = 0;
    for mirrored in &part.records {
        if finance::can_mirror_title(&part.change_context(), &mirrored.title) {
            written += u64::from(insert_unknown_holder(tx, part, mirrored, notes).await?);
        }
        let outcome = finance::write_mirrored_title(tx, &part.change_context(), &mirrored.title).await?;
        written += u64::from(outcome.is_written);
        let record = mirrored.title.code.get();
        notes.extend(outcome.conflicts.into_iter().map(|conflict| NewMirrorNote {
            kind: TITLE_NOTE_KIND,
            record,
            field: name_conflicting_field(conflict).to_owned(),
            reason: describe_conflict(conflict),
        }));
    }
    Ok(written)
}

fn name_conflicting_field(conflict: MirrorRecordConflict) -> &'static str {
    match conflict {
        MirrorRecordConflict::TitleHolderUnknown | MirrorRecordConflict::TitleHolderDiffers => "codPessoa",
        MirrorRecordConflict::TitleImportedDifferently => "codTitulo",
        MirrorRecordConflict::TitleAmountUnusable => "valor",
        MirrorRecordConflict::TitleDayUnusable => "dataVencimento",
        MirrorRecordConflict::TitleBenefitUnknown | MirrorRecordConflict::TitleWithoutKnownBenefit => {
            "beneficios"
        }
        _ => "situacao",
    }
}

/// The titles whose type a charging rule uses only since they were written, and that charge no month yet.
#[boxed::future]
pub async fn list_unclaimed_titles(
    app: &App,
    tenant: TenantId,
    registers: &TenantRegisters,
) -> Result<Vec<TitleCode>, Error> {
    finance::list_unclaimed_titles(app, tenant, registers).await
}

/// Claims the months of these titles, at most [`finance::CLAIMED_TITLES_PER_UNIT`].
#[boxed::future]
pub async fn claim_title_months(app: &App, part: MirrorWriteBatch<Vec<TitleCode>>) -> Result<u64, Error> {
    write_batch(app, part, |tx, part, _| Box::pin(claim_months(tx, part))).await
}

async fn claim_months(tx: &mut Tx, part: &MirrorWriteBatch<Vec<TitleCode>>) -> Result<u64, Error> {
    finance::claim_months_of_titles(tx, &part.change_context(), &part.records).await
}

/// The names of the types that charging rules use while no open title of the source is of them.
#[boxed::future]
pub async fn list_unmatched_charging_types(
    app: &App,
    tenant: TenantId,
    registers: &TenantRegisters,
) -> Result<Vec<String>, Error> {
    finance::list_unmatched_charging_types(app, tenant, registers).await
}

/// Adds the person of a title if nothing mirrored so far has shown it. Whether it was added.
async fn insert_unknown_holder(
    tx: &mut Tx,
    part: &MirrorWriteBatch<Vec<MirroredTitleRecord>>,
    mirrored: &MirroredTitleRecord,
    notes: &mut Vec<NewMirrorNote>,
) -> Result<bool, Error> {
    let (tenant, code) = (part.tenant(), mirrored.title.person);
    if find_person(&mut *tx, tenant, code).await?.is_some() {
        return Ok(false);
    }
    let record = (mirrored.title.code.get(), TITLE_NOTE_KIND);
    let document = resolve_own_document(tx, part, (code, &mirrored.holder), record, notes).await?;
    let person = PersonProfile { document, ..mirrored.holder.clone() };
    tx.execute_batch(insert_people(tenant, [(code, &person)])).await?;
    advance_counter(tx, tenant, Counter::Person, vec![code.get()]).await?;
    Ok(true)
}
