//! A member as the association itself sees and changes him: everything that is known, also what the interface cannot change.

use super::{Saved, apply, apply_address, bad_references, fields, store};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers};
use crate::benefits::ORIGIN;
use crate::differences::{Present, refuse_old};
use crate::happened::{self, History};
use crate::once::{self, Done, Once};
use crate::situations::Acting;
use crate::situations::PERSON;
use crate::{App, Error};
use domain::{BenefitCode, Document, Field, Moment, PersonCode, PostalAddress, Rejection, Scope, UserCode};
use std::sync::Arc;
use storage::benefits::{self, Benefit};
use storage::people::{self, Profile};
use storage::phones::{self, Telephone};
use storage::{Tx, dependents};
use wire::read::Given;
use wire::records::AssociadoInput;

const READ: &str = "GET /gestao/associado/{codPessoa}";
const CHANGE: &str = "PUT /gestao/associado/{codPessoa}";
const HISTORY: &str = "GET /gestao/associado/{codPessoa}/historico";

/// A member with what he has, as far as the caller sees it.
#[derive(Clone, Debug)]
pub struct View {
    pub code: PersonCode,
    pub profile: Profile,
    pub phones: Vec<Telephone>,
    /// By code.
    pub benefits: Vec<(BenefitCode, Benefit)>,
    /// Those in force, of these benefits.
    pub dependents: i64,
    pub registers: Arc<Registers>,
    changed: bool,
}

fn unknown(code: PersonCode) -> Error {
    Error::NoSuch { field: Field::Person, code: code.get() }
}

/// The member of this code, whole.
#[boxed::future]
pub async fn member_whole(app: &App, caller: &Session, code: PersonCode) -> Result<View, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (read, registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let profile = visible(tx, scope, *code).await?.ok_or(unknown(*code))?;
            let phones = phones::of(&mut *tx, scope.tenant(), *code).await?;
            let (benefits, dependents) = belongings(tx, scope, *code).await?;
            Ok::<_, Error>((profile, phones, benefits, dependents))
        })
    })
    .await?;
    saw(app, caller, READ, std::iter::once(code))?;
    let (profile, phones, benefits, dependents) = read;
    Ok(View { code, profile, phones, benefits, dependents, registers, changed: false })
}

/// The member, if the caller sees him.
async fn visible(tx: &mut Tx, scope: &Scope, code: PersonCode) -> Result<Option<Profile>, Error> {
    if !people::is_visible(tx, scope, code).await? {
        return Ok(None);
    }
    let found = people::by_code(&mut *tx, scope.tenant(), code).await?;
    Ok(found.filter(|profile| profile.is_member))
}

type Belongings = (Vec<(BenefitCode, Benefit)>, i64);

async fn belongings(tx: &mut Tx, scope: &Scope, code: PersonCode) -> Result<Belongings, Error> {
    let benefits = benefits::of_person(&mut *tx, scope, code).await?;
    let codes = benefits.iter().map(|(code, _)| *code);
    let dependents = dependents::count(&mut *tx, scope.tenant(), codes).await?;
    Ok((benefits, dependents))
}

/// What happened to a member and to the situations of his benefits.
#[boxed::future]
pub async fn history(app: &App, caller: &Session, code: PersonCode) -> Result<History, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (found, registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            visible(tx, scope, *code).await?.ok_or(unknown(*code))?;
            let benefits = benefits::of_person(&mut *tx, scope, *code).await?;
            let mut found = happened::fields(tx, scope.tenant(), PERSON, code.get()).await?;
            for (benefit, _) in benefits {
                found.extend(happened::situations(tx, scope.tenant(), benefit).await?);
            }
            Ok::<_, Error>(found)
        })
    })
    .await?;
    saw(app, caller, HISTORY, std::iter::once(code))?;
    Ok(happened::in_order(found, registers))
}

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    code: PersonCode,
    input: AssociadoInput,
    now: Moment,
}

/// Changes a member: what is not given stays, what is cleared goes.
#[boxed::future]
pub async fn change_member(
    app: &App,
    caller: &Session,
    code: PersonCode,
    input: AssociadoInput,
    once: Once<View>,
) -> Result<Done<View>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let entry =
        move |registers| Entry { scope: scope.clone(), user, registers, code, input: input.clone(), now };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write(tx, entry))).await?;
    if let Done::Now(View { changed: false, .. }) = &done {
        saw(app, caller, CHANGE, std::iter::once(code))?;
    }
    Ok(done)
}

async fn write(tx: &mut Tx, entry: &Entry) -> Result<View, Error> {
    let (tenant, code, input) = (entry.scope.tenant(), entry.code, &entry.input);
    confirm(tx, tenant, &entry.registers).await?;
    let before = visible(tx, &entry.scope, code).await?;
    let document = match &input.document {
        Given::Set(document) => Some(document),
        Given::Keep | Given::Clear => before.as_ref().and_then(|before| before.document.as_ref()),
    };
    let mut problems =
        bad_references(&entry.scope, &entry.registers, &input.fields, (document, before.as_ref()));
    let cleared =
        [(input.name == Given::Clear, Field::PersonName), (input.document == Given::Clear, Field::Document)];
    let missing = cleared.into_iter().filter(|(is_cleared, _)| *is_cleared);
    problems.extend(missing.map(|(_, field)| Rejection::Missing(field)));
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let before = before.ok_or(unknown(code))?;
    let had = phones::of(&mut *tx, tenant, code).await?;
    let (after, phones) = wanted(input, &before, &had);
    refuse(tx, entry, (&before, &had), (&after, &phones)).await?;
    let saved = match after == before && phones == had {
        true => Saved { code, profile: before, phones: had, changed: false },
        false => {
            let acting = Acting {
                tenant,
                registers: &entry.registers,
                user: Some(entry.user),
                operation: CHANGE,
                origin: ORIGIN,
                quiet: false,
                now: entry.now,
            };
            Box::pin(store(tx, &acting, (code, &before, &had), (after, phones))).await?
        }
    };
    let (benefits, dependents) = belongings(tx, &entry.scope, code).await?;
    let Saved { code, profile, phones, changed } = saved;
    let registers = Arc::clone(&entry.registers);
    Ok(View { code, profile, phones, benefits, dependents, registers, changed })
}

/// He as he becomes.
fn wanted(input: &AssociadoInput, before: &Profile, had: &[Telephone]) -> (Profile, Vec<Telephone>) {
    let (mut after, mut phones) = (before.clone(), had.to_vec());
    if let Given::Set(name) = &input.name {
        after.name = name.as_str().to_owned();
    }
    if let Given::Set(document) = &input.document {
        after.document = Some(document.clone());
        after.nature = document.nature();
    }
    if let Given::Set(branch) = input.fields.branch {
        after.branch = branch;
    }
    apply(&input.fields, &mut after, &mut phones);
    input.spouse.change(&mut after.spouse, ToString::to_string);
    input.payer_document.change(&mut after.payer_document, Document::clone);
    match &input.payer_address {
        Given::Set(address) => apply_address(address, &mut after.payer_address),
        Given::Clear => after.payer_address = PostalAddress::default(),
        Given::Keep => {}
    }
    (after, phones)
}

/// Everything that stands in the way.
async fn refuse(
    tx: &mut Tx,
    entry: &Entry,
    (before, had): (&Profile, &[Telephone]),
    (after, phones): (&Profile, &[Telephone]),
) -> Result<(), Error> {
    // Whoever sees him by a benefit alone does not change him.
    if !entry.scope.sees(before.branch) {
        return Err(Rejection::PersonElsewhere.into());
    }
    let changes = fields::between((before, had), (after, phones));
    let present = Present { version: before.version, since: before.updated_at };
    let mut problems = Vec::new();
    let given = entry.input.version.get().into();
    problems.extend(refuse_old(given, present, &entry.registers.zone, &changes));
    if let Some(document) = after.document.as_ref().filter(|one| before.document.as_ref() != Some(*one)) {
        let other = people::by_document(&mut *tx, entry.scope.tenant(), document).await?;
        if let Some((other, _)) = other {
            let is_seen = people::is_visible(tx, &entry.scope, other).await?;
            problems.push(Rejection::DocumentTaken(is_seen.then_some(other)));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}
