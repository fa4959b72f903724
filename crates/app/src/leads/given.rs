//! What was sent of a lead: several fields come under two names, and what they say is judged once.

use crate::people::telephone;
use crate::situations::Acting;
use domain::{
    BranchCode, Document, Email, Field, Name, PersonCode, Phone, PhoneKind, Rejection, Scope, SellerKind,
};
use storage::leads::Lead;
use storage::phones::{HOME, Telephone};
use wire::read::Given;
use wire::records::ContatoInput;

/// What was said of a store.
#[derive(Clone, Copy, Debug)]
pub enum Store<'i> {
    /// The lead's.
    OfTheLead(&'i Given<BranchCode>),
    /// That of something else, in which only a lead who is new begins.
    OfANewOne(&'i Given<BranchCode>),
}

pub struct Told<'i> {
    input: &'i ContatoInput,
    name: Given<Name>,
    document: Given<Document>,
}

impl<'i> Told<'i> {
    pub fn of(input: &'i ContatoInput, problems: &mut Vec<Rejection>) -> Told<'i> {
        let name = either((&input.name, Field::Name), (&input.person_name, Field::PersonName), problems);
        let document =
            either((&input.document, Field::LeadDocument), (&input.cpf_cnpj, Field::Document), problems);
        let told = Told { input, name, document };
        if let (Given::Set(one), Given::Set(_)) = (&input.phone, &input.phones)
            && !told.phones().any(|phone| phone == one)
        {
            problems.push(Rejection::Disagree { field: Field::Phone, with: Field::Phones });
        }
        told
    }

    /// The same of somebody who is there: a name that was not given stays.
    pub fn of_known(mut self, lead: &Lead) -> Told<'i> {
        if self.name == Given::Keep {
            self.name = Name::parse(Field::Name, &lead.name).map_or(Given::Keep, Given::Set);
        }
        self
    }

    pub fn document(&self) -> Option<&Document> {
        set(&self.document)
    }

    pub fn email(&self) -> Option<&Email> {
        set(&self.input.email)
    }

    /// Every number that was given.
    pub fn phones(&self) -> impl Iterator<Item = &Phone> {
        let listed = set(&self.input.phones).into_iter().flatten().filter_map(|one| set(&one.number));
        let single = set(&self.input.phone).filter(|_| self.all_phones().is_none());
        listed.chain(single)
    }

    /// The telephones that were given in place of all others. An empty list beside a telephone says nothing.
    fn all_phones(&self) -> Option<Vec<Telephone>> {
        let all: Vec<Telephone> = set(&self.input.phones)?.iter().filter_map(telephone).collect();
        (!all.is_empty() || set(&self.input.phone).is_none()).then_some(all)
    }

    /// His telephones as they become, of those he had.
    pub fn telephones(&self, had: &[Telephone]) -> Vec<Telephone> {
        match (self.all_phones(), &self.input.phone, &self.input.phones) {
            (Some(all), ..) => all,
            (None, Given::Set(number), _) => with_first(number, had),
            (None, Given::Clear, _) | (None, Given::Keep, Given::Clear) => Vec::new(),
            (None, Given::Keep, _) => had.to_vec(),
        }
    }

    /// The lead as it becomes, whether or not everything about it is right; `phones` are his telephones then.
    pub fn lead(
        &self,
        acting: &Acting<'_>,
        scope: &Scope,
        store: Store<'_>,
        (before, phones): (Option<&Lead>, &[Telephone]),
        problems: &mut Vec<Rejection>,
    ) -> Lead {
        let name = set(&self.name).map(|name| name.as_str().to_owned());
        if name.is_none() {
            problems.push(Rejection::Missing(Field::Name));
        }
        let had = before.map(|lead| lead.branch);
        let home = home(acting, scope, store, had, problems);
        let mut lead = before.cloned().unwrap_or_else(|| Lead {
            person: PersonCode::new(0),
            branch: home,
            name: String::new(),
            document: None,
            email: None,
            mobile: None,
            landline: None,
            company: None,
            city: None,
            state: None,
            message: None,
            origin: None,
            consultant: None,
            active: true,
            version: 1,
            created_at: acting.now,
            updated_at: acting.now,
        });
        (lead.name, lead.branch) = (name.unwrap_or_default(), home);
        self.apply(acting, scope, phones, &mut lead, problems);
        let contacts =
            [lead.document.is_some(), lead.email.is_some(), lead.mobile.is_some(), lead.landline.is_some()];
        if !contacts.contains(&true) {
            problems.push(Rejection::NoContact);
        }
        lead
    }

    fn apply(
        &self,
        acting: &Acting<'_>,
        scope: &Scope,
        phones: &[Telephone],
        lead: &mut Lead,
        problems: &mut Vec<Rejection>,
    ) {
        let input = self.input;
        self.document.change(&mut lead.document, Clone::clone);
        input.email.change(&mut lead.email, Clone::clone);
        match (&input.phone, &input.phones) {
            (Given::Keep, Given::Keep) => {}
            // One number takes the place of the one of its kind.
            (Given::Set(number), _) if self.all_phones().is_none() => {
                let known = phones.iter().find(|one| one.number == *number).map(|one| one.kind);
                match known.unwrap_or(number.kind()) {
                    PhoneKind::Mobile => lead.mobile = Some(number.clone()),
                    PhoneKind::Landline => lead.landline = Some(number.clone()),
                }
            }
            _ => {
                let first = |kind| phones.iter().find(|one| one.kind == kind).map(|one| one.number.clone());
                (lead.mobile, lead.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
            }
        }
        input.company.change(&mut lead.company, ToString::to_string);
        input.city.change(&mut lead.city, ToString::to_string);
        input.state.change(&mut lead.state, |state| state.as_str().to_owned());
        input.message.change(&mut lead.message, |message| message.as_str().to_owned());
        input.origin.change(&mut lead.origin, ToString::to_string);
        if let Given::Set(seller) = input.consultant
            && lead.consultant != Some(seller)
            && !acting.registers.sells(scope, seller, SellerKind::Consultant)
        {
            problems.push(Rejection::UnknownCode { field: Field::Consultant, code: seller.get() });
        }
        input.consultant.change(&mut lead.consultant, |seller| *seller);
    }
}

fn set<T>(given: &Given<T>) -> Option<&T> {
    match given {
        Given::Set(value) => Some(value),
        Given::Keep | Given::Clear => None,
    }
}

/// What a field says that has two names. Programs that write every name send `null` under the one that they do not use.
fn either<T: Clone + PartialEq>(
    (one, field): (&Given<T>, Field),
    (other, with): (&Given<T>, Field),
    problems: &mut Vec<Rejection>,
) -> Given<T> {
    match (one, other) {
        (Given::Set(said), Given::Set(other)) if said != other => {
            problems.push(Rejection::Disagree { field, with });
            one.clone()
        }
        (Given::Set(_), _) | (Given::Clear, Given::Keep | Given::Clear) => one.clone(),
        (Given::Keep | Given::Clear, _) => other.clone(),
    }
}

/// These telephones with one number as the first of its kind: it takes the place of the one that was, unless it was among
/// them already.
fn with_first(number: &Phone, had: &[Telephone]) -> Vec<Telephone> {
    let mut phones = had.to_vec();
    let known = phones.iter().position(|one| one.number == *number).map(|at| phones.remove(at));
    let is_new = known.is_none();
    let one = known.unwrap_or_else(|| Telephone {
        kind: number.kind(),
        country: HOME.to_owned(),
        number: number.clone(),
    });
    match phones.iter().position(|other| other.kind == one.kind) {
        Some(at) if is_new => phones[at] = one,
        Some(at) => phones.insert(at, one),
        None => phones.push(one),
    }
    phones
}

/// The branch that was given, else the one he has, else the caller's first.
fn home(
    acting: &Acting<'_>,
    scope: &Scope,
    store: Store<'_>,
    had: Option<BranchCode>,
    problems: &mut Vec<Rejection>,
) -> BranchCode {
    let nowhere = BranchCode::new(0);
    let given = match (store, had) {
        (Store::OfANewOne(_), Some(had)) => return had,
        (Store::OfTheLead(given) | Store::OfANewOne(given), _) => given,
    };
    match (given, had) {
        (Given::Set(branch), Some(had)) if *branch == had => had,
        (Given::Set(branch), _) => {
            if !acting.registers.is_usable(scope, *branch) {
                problems.push(Rejection::UnknownCode { field: Field::Branch, code: branch.get() });
            }
            *branch
        }
        (_, Some(had)) => had,
        (_, None) => {
            let first = acting.registers.branches_of(scope).map(|branch| branch.code).min();
            if first.is_none() {
                problems.push(Rejection::Missing(Field::Branch));
            }
            first.unwrap_or(nowhere)
        }
    }
}
