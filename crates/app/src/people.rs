//! People: saved by their document, once however often they come. One place writes a person, his telephones, his row in the
//! searches and the entry that says who changed what. What the association itself sees and changes of a member is in
//! `managed.rs`.

mod fields;
pub(crate) mod imported;
mod managed;
pub(crate) mod mirrored;

pub use managed::{View, change_member, history, member_whole};

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::benefits::ORIGIN;
use crate::differences::Difference;
use crate::once::{self, Done, Once};
use crate::situations::{Acting, PERSON, member};
use crate::{App, Error};
use domain::{
    BranchCode, Document, Field, Moment, PersonCode, PhoneKind, PostalAddress, Rejection, Scope, SellerKind,
    TimeZone, UserCode,
};
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::listing::{self, ListedRow, Moved, Own};
use storage::people::{self, Profile};
use storage::phones::{self, HOME, Telephone};
use storage::{Tx, audit};
use wire::read::Given;
use wire::records::{EnderecoInput, PessoaCampos, PessoaInput, TelefoneInput};

const OPERATION: &str = "POST /ext/associado";

/// A person as he was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub code: PersonCode,
    pub profile: Profile,
    pub phones: Vec<Telephone>,
    /// False where what was sent was there already: then he was only seen.
    pub changed: bool,
}

impl Saved {
    /// The first telephone of a kind.
    pub fn phone(&self, kind: PhoneKind) -> Option<&Telephone> {
        self.phones.iter().find(|phone| phone.kind == kind)
    }
}

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    input: PessoaInput,
    now: Moment,
}

impl Entry {
    fn acting(&self) -> Acting<'_> {
        Acting {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: Some(self.user),
            operation: OPERATION,
            origin: ORIGIN,
            quiet: false,
            now: self.now,
        }
    }
}

/// Creates the person of this document, or changes him: what is not given stays, what is cleared goes.
#[boxed::future]
pub async fn save(
    app: &App,
    caller: &Session,
    input: PessoaInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let entry = move |registers| Entry { scope: scope.clone(), user, registers, input: input.clone(), now };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write(tx, entry))).await?;
    if let Done::Now(Saved { code, changed: false, .. }) = &done {
        saw(app, caller, OPERATION, std::iter::once(*code))?;
    }
    Ok(done)
}

async fn write(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    let tenant = entry.scope.tenant();
    confirm(tx, tenant, &entry.registers).await?;
    let input = &entry.input;
    let found = people::by_document(&mut *tx, tenant, &entry.input.document).await?;
    let had = found.as_ref().map(|(_, profile)| profile);
    let mut problems =
        bad_references(&entry.scope, &entry.registers, &input.fields, (Some(&input.document), had));
    let Some((code, before)) = found else {
        let branch = home(&entry.scope, &entry.registers, &input.fields, &mut problems);
        let (Some(branch), []) = (branch, &problems[..]) else { return Err(Error::Refused(problems)) };
        return create(tx, entry, branch).await;
    };
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    if !entry.scope.sees(before.branch) {
        return Err(Rejection::PersonElsewhere.into());
    }
    Box::pin(change(tx, entry, code, before)).await
}

/// Every code that was given must name something that the caller may use, and the rest agree with the document. What a person
/// has already may be out of use meanwhile: whoever sees him may send it again.
fn bad_references(
    scope: &Scope,
    registers: &Registers,
    input: &PessoaCampos,
    (document, before): (Option<&Document>, Option<&Profile>),
) -> Vec<Rejection> {
    let mut problems = Vec::new();
    let before = before.filter(|before| scope.sees(before.branch));
    if let (Given::Set(nature), Some(document)) = (&input.nature, document)
        && *nature != document.nature()
    {
        problems.push(Rejection::NatureMismatch);
    }
    if let Given::Set(Document::Cpf(_)) = input.employer_document {
        problems.push(Rejection::NotACnpj);
    }
    if let Given::Set(branch) = input.branch
        && before.is_none_or(|before| before.branch != branch)
        && !registers.is_usable(scope, branch)
    {
        problems.push(Rejection::UnknownCode { field: Field::Branch, code: branch.get() });
    }
    let (consultant, representative) =
        before.map_or((None, None), |before| (before.consultant, before.representative));
    for (given, had, kind, field) in [
        (&input.consultant, consultant, SellerKind::Consultant, Field::Consultant),
        (&input.representative, representative, SellerKind::Representative, Field::Representative),
    ] {
        if let Given::Set(seller) = given
            && had != Some(*seller)
            && !registers.sells(scope, *seller, kind)
        {
            problems.push(Rejection::UnknownCode { field, code: seller.get() });
        }
    }
    problems
}

/// The branch of a new person: the one given, else the only one the caller has.
fn home(
    scope: &Scope,
    registers: &Registers,
    fields: &PessoaCampos,
    problems: &mut Vec<Rejection>,
) -> Option<BranchCode> {
    if let Given::Set(branch) = fields.branch {
        return Some(branch);
    }
    let mut usable = registers.branches_of(scope);
    let only = usable.next().filter(|_| usable.next().is_none());
    if only.is_none() {
        problems.push(Rejection::Missing(Field::Branch));
    }
    only.map(|one| one.code)
}

async fn create(tx: &mut Tx, entry: &Entry, branch: BranchCode) -> Result<Saved, Error> {
    let (tenant, input) = (entry.scope.tenant(), &entry.input);
    let mut profile =
        Profile::member(branch, input.document.clone(), input.name.as_str().to_owned(), entry.now);
    let mut phones = Vec::new();
    apply(&input.fields, &mut profile, &mut phones);
    let code = PersonCode::new(counters::next(tx, tenant, Counter::Person).await?);
    people::insert_all(tx, tenant, code, [&profile]).await?;
    phones::replace(tx, tenant, code, &phones).await?;
    let saved = Saved { code, profile, phones, changed: true };
    list(tx, &entry.acting(), &saved, None).await?;
    tell(tx, &entry.acting(), code, "criado", Vec::new()).await?;
    Ok(saved)
}

async fn change(tx: &mut Tx, entry: &Entry, code: PersonCode, before: Profile) -> Result<Saved, Error> {
    let had = phones::of(&mut *tx, entry.scope.tenant(), code).await?;
    let (mut profile, mut phones) = (before.clone(), had.clone());
    profile.name = entry.input.name.as_str().to_owned();
    profile.nature = entry.input.document.nature();
    apply(&entry.input.fields, &mut profile, &mut phones);
    profile.is_member = true;
    if let Given::Set(branch) = entry.input.fields.branch {
        profile.branch = branch;
    }
    if profile == before && phones == had {
        return Ok(Saved { code, profile, phones, changed: false });
    }
    Box::pin(store(tx, &entry.acting(), (code, &before, &had), (profile, phones))).await
}

/// Writes a person who is there already as he becomes, with everything that follows from it.
async fn store(
    tx: &mut Tx,
    acting: &Acting<'_>,
    (code, before, had): (PersonCode, &Profile, &[Telephone]),
    (mut profile, phones): (Profile, Vec<Telephone>),
) -> Result<Saved, Error> {
    let tenant = acting.tenant;
    let changes = fields::between((before, had), (&profile, &phones));
    profile.updated_at = acting.now;
    people::update(tx, tenant, code, &profile).await?;
    profile.version = before.version + 1;
    if phones != had {
        phones::replace(tx, tenant, code, &phones).await?;
    }
    let saved = Saved { code, profile, phones, changed: true };
    list(tx, acting, &saved, before.is_member.then_some(before)).await?;
    tell(tx, acting, code, "alterado", changes).await?;
    Ok(saved)
}

/// His rows in the searches: a first one, or those he has.
async fn list(
    tx: &mut Tx,
    acting: &Acting<'_>,
    saved: &Saved,
    before: Option<&Profile>,
) -> Result<(), Error> {
    let tenant = acting.tenant;
    let days = listed_days(&saved.profile, &acting.registers.zone);
    let (member, own) = (member(saved.code, &saved.profile), own(&saved.profile, &days));
    match before {
        Some(before) => {
            let moved = Moved {
                name: before.name != saved.profile.name,
                branch: before.branch != saved.profile.branch,
            };
            listing::change_member(tx, tenant, &member, &own, moved).await?;
        }
        None => {
            let [slot, _] =
                counters::take_all(tx, tenant, [(Counter::Slot, 1), (Counter::Listing, 1)]).await?;
            tx.batch(listing::add(tenant, &[ListedRow { slot, member, own }])).await?;
        }
    }
    Ok(())
}

/// The days on which a person was registered and last changed, where the association lives.
pub(crate) fn listed_days(person: &Profile, zone: &TimeZone) -> (String, String) {
    let day = |moment: Moment| moment.date_in(zone).to_iso();
    (day(person.created_at), day(person.updated_at))
}

/// The row of a member who has no benefit.
pub(crate) fn own<'p>(person: &Profile, (registered_on, updated_on): &'p (String, String)) -> Own<'p> {
    Own {
        branch: person.branch,
        benefit: None,
        plate_key: None,
        chassis: None,
        consultant: person.consultant,
        representative: person.representative,
        registered_on,
        updated_on,
    }
}

/// Tells the audit, and keeps what became another.
async fn tell(
    tx: &mut Tx,
    acting: &Acting<'_>,
    person: PersonCode,
    what: &str,
    changes: Vec<Difference>,
) -> Result<(), Error> {
    let entry = audit::Entry {
        tenant: acting.tenant,
        at: acting.now,
        user: acting.user,
        operation: acting.operation,
        person: Some(person),
        detail: Some(what.to_owned()),
    };
    if changes.is_empty() {
        return Ok(audit::append(tx, &entry).await?);
    }
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let wanted = [(Counter::Audit, 1), (Counter::FieldChange, count)];
    let [audit_code, first] = counters::take_all(tx, acting.tenant, wanted).await?;
    let mut statements = vec![audit::insert(&entry, audit_code)];
    statements.extend(acting.kept(PERSON, person.get(), first, changes));
    Ok(tx.batch(statements).await?)
}

/// Takes over what was given.
fn apply(input: &PessoaCampos, person: &mut Profile, phones: &mut Vec<Telephone>) {
    input.integration_code.change(&mut person.integration_code, |code| code.as_str().to_owned());
    input.email.change(&mut person.email, Clone::clone);
    input.sex.change(&mut person.sex, |sex| *sex);
    input.birth.change(&mut person.born_on, |day| day.to_iso());
    input.takes_email.change(&mut person.receives_email, |flag| *flag);
    input.takes_whatsapp.change(&mut person.receives_whatsapp, |flag| *flag);
    input.identity.change(&mut person.identity_number, ToString::to_string);
    input.identity_issuer.change(&mut person.identity_issuer, ToString::to_string);
    input.identity_issued.change(&mut person.identity_issued_on, |day| day.to_iso());
    input.mother.change(&mut person.mother, ToString::to_string);
    input.civil_state.change(&mut person.civil_state, |state| *state);
    input.cnh.change(&mut person.cnh_number, ToString::to_string);
    input.cnh_category.change(&mut person.cnh_category, ToString::to_string);
    input.cnh_valid_until.change(&mut person.cnh_valid_until, |day| day.to_iso());
    input.trade_name.change(&mut person.trade_name, ToString::to_string);
    input.state_registration.change(&mut person.state_registration, ToString::to_string);
    input.city_registration.change(&mut person.municipal_registration, ToString::to_string);
    input.legal_representative.change(&mut person.legal_representative, ToString::to_string);
    input.employer.change(&mut person.company, ToString::to_string);
    match &input.employer_document {
        Given::Set(Document::Cnpj(cnpj)) => person.company_document = Some(cnpj.clone()),
        Given::Clear => person.company_document = None,
        Given::Set(Document::Cpf(_)) | Given::Keep => {}
    }
    input.consultant.change(&mut person.consultant, |code| *code);
    input.representative.change(&mut person.representative, |code| *code);
    match &input.address {
        Given::Set(address) => apply_address(address, &mut person.address),
        Given::Clear => person.address = PostalAddress::default(),
        Given::Keep => {}
    }
    match &input.phones {
        Given::Set(given) => *phones = given.iter().filter_map(telephone).collect(),
        Given::Clear => phones.clear(),
        Given::Keep => {}
    }
    let first = |kind| phones.iter().find(|phone| phone.kind == kind).map(|phone| phone.number.clone());
    (person.mobile, person.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
}

pub(crate) fn apply_address(input: &EnderecoInput, address: &mut PostalAddress) {
    input.kind.change(&mut address.kind, ToString::to_string);
    input.street_kind.change(&mut address.street_kind, ToString::to_string);
    // The whole of it counts only where the street itself was not said.
    match &input.street {
        Given::Keep => input.full_street.change(&mut address.street, ToString::to_string),
        street => street.change(&mut address.street, ToString::to_string),
    }
    input.number.change(&mut address.number, |number| number.as_str().to_owned());
    input.complement.change(&mut address.complement, ToString::to_string);
    input.district.change(&mut address.district, ToString::to_string);
    input.city.change(&mut address.city, ToString::to_string);
    input.state.change(&mut address.state, |state| state.as_str().to_owned());
    input.cep.change(&mut address.cep, Clone::clone);
}

/// One without a number is none.
pub(crate) fn telephone(input: &TelefoneInput) -> Option<Telephone> {
    let Given::Set(number) = &input.number else { return None };
    let kind = match input.kind {
        Given::Set(kind) => kind,
        Given::Keep | Given::Clear => number.kind(),
    };
    let country = match &input.country {
        Given::Set(country) => country.as_str().trim_start_matches('+').to_owned(),
        Given::Keep | Given::Clear => HOME.to_owned(),
    };
    Some(Telephone { kind, country, number: number.clone() })
}
