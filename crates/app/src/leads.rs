//! Leads: saved by what they are known by, and searched. The person of a lead is no member until he is saved as one or given
//! a benefit; where he is one already, what he tells as a lead changes nothing of the member.

mod given;
pub(crate) mod imported;
mod managed;
mod search;

pub use managed::{ManagedLead, Wanted, change, one, page};
pub(crate) use search::with;
pub use search::{Filter, Found, filter, search, some};
pub use storage::leads::{FoundLead, Lead};

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::benefits::ORIGIN;
use crate::once::{self, Done, Once};
use crate::situations::{Acting, LEAD};
use crate::{App, Error};
use domain::{Contact, Document, LeadCode, Moment, PersonCode, Phone, PhoneKind, Rejection, Scope, UserCode};
pub(crate) use given::Store;
use given::Told;
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::people::{self, Profile};
use storage::phones::{self, HOME, Telephone};
use storage::{Tx, audit, leads};
use wire::records::{ContatoInput, LeadInput};

const OPERATION: &str = "POST /ext/crm/lead";

/// A lead as it was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub code: LeadCode,
    pub lead: Lead,
    /// False where what was sent was there already: then he was only seen.
    pub changed: bool,
}

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    input: LeadInput,
    now: Moment,
}

/// Creates a lead, or changes the active one of the same document, e-mail or telephone.
#[boxed::future]
pub async fn save(
    app: &App,
    caller: &Session,
    input: LeadInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let entry = move |registers| Entry { scope: scope.clone(), user, registers, input: input.clone(), now };
    let tenant = caller.scope.tenant();
    let done = once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write_one(tx, entry)))
        .await?;
    if let Done::Now(Saved { lead, changed: false, .. }) = &done {
        saw(app, caller, OPERATION, std::iter::once(lead.person))?;
    }
    Ok(done)
}

async fn write_one(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    let tenant = entry.scope.tenant();
    confirm(tx, tenant, &entry.registers).await?;
    let acting = Acting {
        tenant,
        registers: &entry.registers,
        user: Some(entry.user),
        operation: OPERATION,
        origin: ORIGIN,
        quiet: false,
        now: entry.now,
    };
    let mut problems = Vec::new();
    let input = &entry.input;
    let sent = (&input.contact, Store::OfTheLead(&input.branch));
    let ready = prepare(tx, &acting, &entry.scope, sent, &mut problems).await?;
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    Box::pin(write(tx, &acting, &entry.scope, ready)).await
}

/// A lead as it is to be, judged and not written yet.
pub(crate) struct Ready {
    before: Option<(LeadCode, Lead)>,
    /// The person that he has.
    person: Option<(PersonCode, Profile)>,
    pub after: Lead,
    phones: Vec<Telephone>,
    /// Whether they are others than he had.
    has_other_phones: bool,
    /// The code that a new one is to keep.
    kept: Option<LeadCode>,
}

impl Ready {
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }
}

/// Finds whom was meant, and judges what was sent of him.
pub(crate) async fn prepare(
    tx: &mut Tx,
    acting: &Acting<'_>,
    scope: &Scope,
    (contact, store): (&ContatoInput, Store<'_>),
    problems: &mut Vec<Rejection>,
) -> Result<Ready, Error> {
    let told = Told::of(contact, problems);
    let before = known(tx, scope, &told).await?;
    judge(tx, acting, scope, (&told, store), before, problems).await
}

/// Judges what was sent of somebody who was found, or of somebody new.
async fn judge(
    tx: &mut Tx,
    acting: &Acting<'_>,
    scope: &Scope,
    (told, store): (&Told<'_>, Store<'_>),
    before: Option<(LeadCode, Lead)>,
    problems: &mut Vec<Rejection>,
) -> Result<Ready, Error> {
    let lead = before.as_ref().map(|(_, lead)| lead);
    let person = match lead {
        Some(lead) => {
            people::by_code(&mut *tx, scope.tenant(), lead.person).await?.map(|one| (lead.person, one))
        }
        None => None,
    };
    let had = match (lead, &person) {
        (Some(_), Some((code, one))) if !one.is_member => phones::of(&mut *tx, scope.tenant(), *code).await?,
        // The telephones of a member are his own affair, and the lead keeps the first of each kind alone.
        (Some(lead), _) => first_phones(lead),
        (None, _) => Vec::new(),
    };
    let phones = told.telephones(&had);
    let after = told.lead(acting, scope, store, (lead, &phones), problems);
    let has_other_phones = phones != had;
    Ok(Ready { before, person, after, phones, has_other_phones, kept: None })
}

fn first_phones(lead: &Lead) -> Vec<Telephone> {
    let telephone = |kind, number: &Option<Phone>| {
        number.clone().map(|number| Telephone { kind, country: HOME.to_owned(), number })
    };
    let (mobile, landline) =
        (telephone(PhoneKind::Mobile, &lead.mobile), telephone(PhoneKind::Landline, &lead.landline));
    mobile.into_iter().chain(landline).collect()
}

/// The lead that the caller sees with the same document, else e-mail, else telephone. One with another document is somebody
/// else, whatever they share.
async fn known(tx: &mut Tx, scope: &Scope, told: &Told<'_>) -> Result<Option<(LeadCode, Lead)>, Error> {
    let document = told.document();
    let text = document.map(|document| Contact::Document(document.as_str().to_owned()));
    let email = told.email().map(|email| Contact::Email(email.as_str().to_owned()));
    let phones = told.phones().flat_map(|phone| {
        let number = phone.as_str().to_owned();
        [Contact::Mobile(number.clone()), Contact::Landline(number.clone()), Contact::Further(number)]
    });
    for contact in text.into_iter().chain(email).chain(phones) {
        if let Some(found) = leads::known_by(tx, scope, &contact, document).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Writes a lead with his person, unless nothing changed.
pub(crate) async fn write(
    tx: &mut Tx,
    acting: &Acting<'_>,
    scope: &Scope,
    ready: Ready,
) -> Result<Saved, Error> {
    // What a member has is not changed here.
    let has_own = ready.person.as_ref().is_some_and(|(_, one)| !one.is_member);
    if let Some((code, had)) = &ready.before
        && *had == ready.after
        && !(has_own && ready.has_other_phones)
    {
        return Ok(Saved { code: *code, lead: ready.after, changed: false });
    }
    let tenant = acting.tenant;
    let person = Box::pin(write_person(tx, acting, scope, &ready)).await?;
    let Ready { before, after, kept, .. } = ready;
    let after = Lead { person, updated_at: acting.now, ..after };
    let new = i32::from(before.is_none() && kept.is_none());
    if let Some(kept) = kept {
        counters::reach(tx, tenant, Counter::Lead, kept.get()).await?;
    }
    let changes = before.as_ref().map_or_else(Vec::new, |(_, before)| managed::between(before, &after));
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let wanted = [(Counter::Lead, new), (Counter::Audit, 1), (Counter::FieldChange, count)];
    let [code, audit_code, first] = counters::take_all(tx, tenant, wanted).await?;
    let code = before.as_ref().map_or(kept.unwrap_or(LeadCode::new(code)), |(code, _)| *code);
    let (mut statements, done) = match &before {
        Some((_, before)) => (leads::update(tenant, code, before, &after), "alterado"),
        None => (leads::insert(tenant, [(code, &after)]), "criado"),
    };
    let entry = audit::Entry {
        tenant,
        at: acting.now,
        user: acting.user,
        operation: acting.operation,
        person: Some(after.person),
        detail: Some(format!("lead {code} {done}")),
    };
    statements.extend(acting.kept(LEAD, code.get(), first, changes));
    statements.push(audit::insert(&entry, audit_code));
    tx.batch(statements).await?;
    let version = before.map_or(1, |(_, before)| before.version + 1);
    Ok(Saved { code, lead: Lead { version, ..after }, changed: true })
}

/// The person of a lead: whoever has his document, else the one he has, else a new one. A member stays as he is.
async fn write_person(
    tx: &mut Tx,
    acting: &Acting<'_>,
    scope: &Scope,
    ready: &Ready,
) -> Result<PersonCode, Error> {
    let (tenant, lead, phones) = (acting.tenant, &ready.after, &ready.phones);
    let known = ready.before.as_ref().and_then(|(_, before)| before.document.as_ref());
    let asked = lead.document.as_ref().filter(|one| known != Some(*one));
    let named = match asked {
        Some(document) => people::by_document(&mut *tx, tenant, document).await?,
        None => None,
    };
    if let Some((code, profile)) = &named
        && !scope.sees(profile.branch)
        && !storage::benefits::has_visible(&mut *tx, scope, *code).await?
    {
        return Err(Rejection::PersonElsewhere.into());
    }
    // A member with another document is somebody else.
    let had = ready.person.as_ref().filter(|(_, one)| !(one.is_member && asked.is_some()));
    let is_his = |code| had.is_some_and(|(his, _)| *his == code);
    match named.or_else(|| had.cloned()) {
        Some((code, profile)) if profile.is_member => Ok(code),
        Some((code, profile)) => {
            let mirrored = mirrored(&profile, lead, acting.now);
            if mirrored != profile {
                people::update(tx, tenant, code, &mirrored).await?;
            }
            if ready.has_other_phones || !(is_his(code) || phones.is_empty()) {
                phones::replace(tx, tenant, code, phones).await?;
            }
            Ok(code)
        }
        None => {
            let stranger =
                Profile::stranger(lead.branch, lead.document.clone(), lead.name.clone(), acting.now);
            let code = PersonCode::new(counters::next(tx, tenant, Counter::Person).await?);
            people::insert_all(tx, tenant, code, [&mirrored(&stranger, lead, acting.now)]).await?;
            phones::replace(tx, tenant, code, phones).await?;
            Ok(code)
        }
    }
}

/// Somebody who is no member, as far as he is known as a lead.
pub(crate) fn mirrored(person: &Profile, lead: &Lead, now: Moment) -> Profile {
    let mut profile = person.clone();
    profile.branch = lead.branch;
    profile.name.clone_from(&lead.name);
    profile.document.clone_from(&lead.document);
    profile.nature = lead.document.as_ref().map_or(profile.nature, Document::nature);
    profile.email.clone_from(&lead.email);
    profile.mobile.clone_from(&lead.mobile);
    profile.landline.clone_from(&lead.landline);
    profile.company.clone_from(&lead.company);
    profile.address.city.clone_from(&lead.city);
    profile.address.state.clone_from(&lead.state);
    profile.consultant = lead.consultant;
    if profile != *person {
        profile.updated_at = now;
    }
    profile
}
