//! The contact data of a sent lead: several fields have two names, which are resolved and validated once.

use crate::actor_context::ActorContext;
use crate::members::parse_telephone;
use domain::{
    BranchCode, ContactPhone, DisplayName, Document, Email, InputField, Lead, PersonCode, Phone, PhoneKind,
    Rejection, Scope, SellerKind, find_known_phone, keep_complete_numbers, put_phone_first,
};
use wire::read::FieldPatch;
use wire::records::ContatoInput;

/// Where the branch in the request comes from.
#[derive(Clone, Copy, Debug)]
pub enum LeadBranchSource<'i> {
    /// Sent for the lead: applies to new and existing leads.
    AnyLead(&'i FieldPatch<BranchCode>),
    /// Sent for another record: applies only to a new lead.
    NewLeadOnly(&'i FieldPatch<BranchCode>),
}

pub struct LeadContactInput<'i> {
    input: &'i ContatoInput,
    name: FieldPatch<DisplayName>,
    document: FieldPatch<Document>,
}

impl<'i> LeadContactInput<'i> {
    pub fn from_contact(input: &'i ContatoInput, problems: &mut Vec<Rejection>) -> LeadContactInput<'i> {
        let name = resolve_alias(
            (&input.name, InputField::Name),
            (&input.person_name, InputField::PersonName),
            problems,
        );
        let document = resolve_alias(
            (&input.document, InputField::LeadDocument),
            (&input.cpf_cnpj, InputField::Document),
            problems,
        );
        let contact_input = LeadContactInput { input, name, document };
        if let (FieldPatch::Set(one), FieldPatch::Set(_)) = (&input.phone, &input.phones)
            && !contact_input.phone_numbers().any(|phone| phone == one)
        {
            problems.push(Rejection::Disagree { field: InputField::Phone, with: InputField::Phones });
        }
        contact_input
    }

    /// For an existing lead: an absent name keeps its value.
    pub fn with_known_name(mut self, lead: &Lead) -> LeadContactInput<'i> {
        if self.name == FieldPatch::Keep {
            self.name =
                DisplayName::parse(InputField::Name, &lead.name).map_or(FieldPatch::Keep, FieldPatch::Set);
        }
        self
    }

    pub fn name(&self) -> Option<&DisplayName> {
        read_given(&self.name)
    }

    pub fn document(&self) -> Option<&Document> {
        read_given(&self.document)
    }

    pub fn email(&self) -> Option<&Email> {
        read_given(&self.input.email)
    }

    /// Every given number.
    pub fn phone_numbers(&self) -> impl Iterator<Item = &Phone> {
        let listed =
            read_given(&self.input.phones).into_iter().flatten().filter_map(|one| read_given(&one.number));
        let single = read_given(&self.input.phone).filter(|_| self.replacement_phones().is_none());
        listed.chain(single)
    }

    /// The list that replaces all phones. An empty list next to a single phone is ignored.
    fn replacement_phones(&self) -> Option<Vec<ContactPhone>> {
        let all: Vec<ContactPhone> =
            read_given(&self.input.phones)?.iter().filter_map(parse_telephone).collect();
        (!all.is_empty() || read_given(&self.input.phone).is_none()).then_some(all)
    }

    /// The phones after the change.
    pub fn resolve_telephones(&self, old_phones: &[ContactPhone]) -> Vec<ContactPhone> {
        match (self.replacement_phones(), &self.input.phone, &self.input.phones) {
            (Some(all), ..) => keep_complete_numbers(&all, old_phones),
            (None, FieldPatch::Set(number), _) => put_phone_first(number, old_phones),
            (None, FieldPatch::Clear, _) | (None, FieldPatch::Keep, FieldPatch::Clear) => Vec::new(),
            (None, FieldPatch::Keep, _) => old_phones.to_vec(),
        }
    }

    /// Builds the lead even if there are problems; `phones` are its phones after the change.
    pub fn build_lead(
        &self,
        context: &ActorContext<'_>,
        scope: &Scope,
        branch_source: LeadBranchSource<'_>,
        (before, phones): (Option<&Lead>, &[ContactPhone]),
        problems: &mut Vec<Rejection>,
    ) -> Lead {
        let name = self.name().map(|name| name.as_str().to_owned());
        if name.is_none() {
            problems.push(Rejection::Missing(InputField::Name));
        }
        let current_branch = before.map(|lead| lead.branch);
        let lead_branch = resolve_lead_branch(context, scope, branch_source, current_branch, problems);
        let mut lead = before.cloned().unwrap_or_else(|| Lead {
            person: PersonCode::new(0),
            branch: lead_branch,
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
            created_at: context.now,
            updated_at: context.now,
        });
        (lead.name, lead.branch) = (name.unwrap_or_default(), lead_branch);
        self.apply_fields(context, scope, phones, &mut lead, problems);
        let contacts =
            [lead.document.is_some(), lead.email.is_some(), lead.mobile.is_some(), lead.landline.is_some()];
        if !contacts.contains(&true) {
            problems.push(Rejection::NoContact);
        }
        lead
    }

    fn apply_fields(
        &self,
        context: &ActorContext<'_>,
        scope: &Scope,
        phones: &[ContactPhone],
        lead: &mut Lead,
        problems: &mut Vec<Rejection>,
    ) {
        let input = self.input;
        self.document.apply_to(&mut lead.document, Clone::clone);
        input.email.apply_to(&mut lead.email, Clone::clone);
        match (&input.phone, &input.phones) {
            (FieldPatch::Keep, FieldPatch::Keep) => {}
            // A single number replaces the one of its kind.
            (FieldPatch::Set(number), _) if self.replacement_phones().is_none() => {
                let known = find_known_phone(number, phones).map(|at| &phones[at]);
                let (kind, number) = known.map_or((number.kind(), number), |one| (one.kind, &one.number));
                match kind {
                    PhoneKind::Mobile => lead.mobile = Some(number.clone()),
                    PhoneKind::Landline => lead.landline = Some(number.clone()),
                }
            }
            _ => {
                let first = |kind| phones.iter().find(|one| one.kind == kind).map(|one| one.number.clone());
                (lead.mobile, lead.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
            }
        }
        input.company.apply_to(&mut lead.company, ToString::to_string);
        input.city.apply_to(&mut lead.city, ToString::to_string);
        input.state.apply_to(&mut lead.state, |state| state.as_str().to_owned());
        input.message.apply_to(&mut lead.message, |message| message.as_str().to_owned());
        input.origin.apply_to(&mut lead.origin, ToString::to_string);
        if let FieldPatch::Set(seller) = input.consultant
            && lead.consultant != Some(seller)
            && !context.registers.is_active_seller(scope, seller, SellerKind::Consultant)
        {
            problems.push(Rejection::UnknownCode { field: InputField::Consultant, code: seller.get() });
        }
        input.consultant.apply_to(&mut lead.consultant, |seller| *seller);
    }
}

fn read_given<T>(field: &FieldPatch<T>) -> Option<&T> {
    match field {
        FieldPatch::Set(value) => Some(value),
        FieldPatch::Keep | FieldPatch::Clear => None,
    }
}

/// Resolves a field that has two names. Clients that write every name send `null` under the one they do not use.
fn resolve_alias<T: Clone + PartialEq>(
    (one, field): (&FieldPatch<T>, InputField),
    (other, with): (&FieldPatch<T>, InputField),
    problems: &mut Vec<Rejection>,
) -> FieldPatch<T> {
    match (one, other) {
        (FieldPatch::Set(value), FieldPatch::Set(other)) if value != other => {
            problems.push(Rejection::Disagree { field, with });
            one.clone()
        }
        (FieldPatch::Set(_), _) | (FieldPatch::Clear, FieldPatch::Keep | FieldPatch::Clear) => one.clone(),
        (FieldPatch::Keep | FieldPatch::Clear, _) => other.clone(),
    }
}

/// The given branch, else the present one, else the first one usable by the caller.
fn resolve_lead_branch(
    context: &ActorContext<'_>,
    scope: &Scope,
    branch_source: LeadBranchSource<'_>,
    current: Option<BranchCode>,
    problems: &mut Vec<Rejection>,
) -> BranchCode {
    let no_branch = BranchCode::new(0);
    let requested = match (branch_source, current) {
        (LeadBranchSource::NewLeadOnly(_), Some(current)) => return current,
        (LeadBranchSource::AnyLead(requested) | LeadBranchSource::NewLeadOnly(requested), _) => requested,
    };
    match (requested, current) {
        (FieldPatch::Set(branch), Some(current)) if *branch == current => current,
        (FieldPatch::Set(branch), _) => {
            if !context.registers.is_usable_branch(scope, *branch) {
                problems.push(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() });
            }
            *branch
        }
        (_, Some(current)) => current,
        (_, None) => {
            let first = context.registers.usable_branches(scope).map(|branch| branch.code).min();
            if first.is_none() {
                problems.push(Rejection::Missing(InputField::Branch));
            }
            first.unwrap_or(no_branch)
        }
    }
}
