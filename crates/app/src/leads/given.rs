//! What was sent of a lead: several fields come under two names, and what they say is judged once.

use crate::people::telephone;
use crate::situations::Acting;
use domain::{
    BranchCode, Document, Email, Field, Name, PersonCode, Phone, PhoneKind, Rejection, Scope, SellerKind,
};
use storage::leads::Lead;
use storage::phones::Telephone;
use wire::read::Given;
use wire::records::ContatoInput;

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
        let agree = match (&input.phone, &input.phones) {
            (Given::Set(one), Given::Set(_)) => told.phones().any(|phone| phone == one),
            (Given::Set(_), Given::Clear) | (Given::Clear, Given::Set(_)) => false,
            _ => true,
        };
        if !agree {
            problems.push(Rejection::Disagree { field: Field::Phone, with: Field::Phones });
        }
        told
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
    pub fn all_phones(&self) -> Option<Vec<Telephone>> {
        let all: Vec<Telephone> = set(&self.input.phones)?.iter().filter_map(telephone).collect();
        (!all.is_empty() || set(&self.input.phone).is_none()).then_some(all)
    }

    /// The lead as it becomes, whether or not everything about it is right.
    pub fn lead(
        &self,
        acting: &Acting<'_>,
        scope: &Scope,
        branch: &Given<BranchCode>,
        before: Option<&Lead>,
        problems: &mut Vec<Rejection>,
    ) -> Lead {
        let name = set(&self.name).map(|name| name.as_str().to_owned());
        if name.is_none() {
            problems.push(Rejection::Missing(Field::Name));
        }
        let had = before.map(|lead| lead.branch);
        let home = home(acting, scope, branch, had, problems);
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
            created_at: acting.now,
            updated_at: acting.now,
        });
        (lead.name, lead.branch) = (name.unwrap_or_default(), home);
        self.apply(acting, scope, &mut lead, problems);
        let contacts =
            [lead.document.is_some(), lead.email.is_some(), lead.mobile.is_some(), lead.landline.is_some()];
        if !contacts.contains(&true) {
            problems.push(Rejection::NoContact);
        }
        lead
    }

    fn apply(&self, acting: &Acting<'_>, scope: &Scope, lead: &mut Lead, problems: &mut Vec<Rejection>) {
        let input = self.input;
        self.document.change(&mut lead.document, Clone::clone);
        input.email.change(&mut lead.email, Clone::clone);
        match (self.all_phones(), &input.phone) {
            (Some(all), _) => {
                let first = |kind| all.iter().find(|one| one.kind == kind).map(|one| one.number.clone());
                (lead.mobile, lead.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
            }
            // One number takes the place of the one of its kind.
            (_, Given::Set(phone)) => match phone.kind() {
                PhoneKind::Mobile => lead.mobile = Some(phone.clone()),
                PhoneKind::Landline => lead.landline = Some(phone.clone()),
            },
            (None, Given::Clear) => (lead.mobile, lead.landline) = (None, None),
            (None, Given::Keep) if matches!(input.phones, Given::Clear) => {
                (lead.mobile, lead.landline) = (None, None);
            }
            (None, Given::Keep) => {}
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

/// What a field says that has two names.
fn either<T: Clone + PartialEq>(
    (one, field): (&Given<T>, Field),
    (other, with): (&Given<T>, Field),
    problems: &mut Vec<Rejection>,
) -> Given<T> {
    match (one, other) {
        (Given::Keep, said) | (said, Given::Keep) => said.clone(),
        (said, same) if said == same => said.clone(),
        (said, _) => {
            problems.push(Rejection::Disagree { field, with });
            said.clone()
        }
    }
}

/// The branch that was given, else the one he has, else the caller's first.
fn home(
    acting: &Acting<'_>,
    scope: &Scope,
    given: &Given<BranchCode>,
    had: Option<BranchCode>,
    problems: &mut Vec<Rejection>,
) -> BranchCode {
    let nowhere = BranchCode::new(0);
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
