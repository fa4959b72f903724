//! The search for leads. The interface gives all of them at once: so their names are read step by step and put in order, and
//! the leads themselves some at a time, as they are shown.

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, registers};
use crate::searches::criteria::MOST_WORDS;
use crate::{App, Error};
use domain::{Contact, Document, Email, LeadCode, Phone, Scope, fold, name_words};
use std::collections::HashMap;
use std::sync::Arc;
use storage::leads::{self, FoundLead, Key, STEP};
use wire::records::PesquisaLeadQuery;

/// What a search found, in its order.
pub struct Found<C> {
    pub codes: Vec<C>,
    pub registers: Arc<Registers>,
}

/// How somebody's words may be meant. What can be nobody's leads nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub contacts: Vec<Contact>,
    pub sequence: Option<i32>,
}

/// A number may be a telephone, a document and, of deals, a sequence number, and companies have numbers in their names; what
/// is none of them is a name.
pub fn filter(text: &str, may_be_sequence: bool) -> Filter {
    let mut contacts = Vec::new();
    if text.contains('@') {
        contacts.extend(Email::parse(text).map(|email| Contact::Email(email.as_str().to_owned())));
        return Filter { contacts, sequence: None };
    }
    contacts.extend(Document::parse(text).map(|one| Contact::Document(one.as_str().to_owned())));
    if let Ok(phone) = Phone::parse(text) {
        let number = phone.as_str().to_owned();
        contacts.extend([
            Contact::Mobile(number.clone()),
            Contact::Landline(number.clone()),
            Contact::Further(number),
        ]);
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let sequence = if may_be_sequence && is_number { text.parse().ok() } else { None };
    if contacts.is_empty() || is_number {
        let words = name_words(text);
        contacts.extend((1..=MOST_WORDS).contains(&words.len()).then_some(Contact::Words(words)));
    }
    Filter { contacts, sequence }
}

/// The active leads that the caller may see, of whom the filter speaks; by name, then code.
#[boxed::future]
pub async fn search(app: &App, caller: &Session, query: PesquisaLeadQuery) -> Result<Found<LeadCode>, Error> {
    let scope = &caller.scope;
    let registers = registers(app, scope.tenant()).await?;
    let mut keys = match query.filter.set() {
        Some(text) => with(app, scope, &filter(&text, false).contacts).await?,
        None => all(app, scope, &registers).await?,
    };
    keys.retain(|key| key.active);
    Ok(Found { codes: in_order(keys), registers })
}

fn in_order(mut keys: Vec<Key>) -> Vec<LeadCode> {
    keys.sort_by_cached_key(|key| (fold(&key.name), key.code));
    keys.dedup_by_key(|key| key.code);
    keys.into_iter().map(|key| key.code).collect()
}

async fn all(app: &App, scope: &Scope, registers: &Registers) -> Result<Vec<Key>, Error> {
    let mut all = Vec::new();
    for branch in registers.branches.iter().filter(|branch| scope.sees(branch.code)) {
        let mut after = LeadCode::new(0);
        loop {
            let step = leads::of_branch(&app.db, scope.tenant(), branch.code, after).await?;
            let is_last = step.len() < STEP;
            after = step.last().map_or(after, |key| key.code);
            all.extend(step);
            if is_last {
                break;
            }
        }
    }
    Ok(all)
}

/// The leads in the scope that any of these leads to, active or not.
pub(crate) async fn with(app: &App, scope: &Scope, contacts: &[Contact]) -> Result<Vec<Key>, Error> {
    let mut all = Vec::new();
    for contact in contacts {
        if let Contact::Words(words) = contact {
            all.extend(named(app, scope, words).await?);
            continue;
        }
        let mut after = LeadCode::new(0);
        loop {
            let step = leads::with(&app.db, scope, contact, after).await?;
            let is_last = step.len() < STEP;
            after = step.last().map_or(after, |key| key.code);
            all.extend(step);
            if is_last {
                break;
            }
        }
    }
    Ok(all)
}

async fn named(app: &App, scope: &Scope, words: &[String]) -> Result<Vec<Key>, Error> {
    let mut codes = leads::named(&app.db, scope, words).await?;
    codes.sort_unstable();
    let mut all = Vec::with_capacity(codes.len());
    for some in codes.chunks(STEP) {
        all.extend(leads::keys_of(&app.db, scope.tenant(), some).await?);
    }
    Ok(all)
}

/// Some of the leads that a search found, in its order.
#[boxed::future]
pub async fn some(app: &App, caller: &Session, codes: &[LeadCode]) -> Result<Vec<FoundLead>, Error> {
    let found = leads::at(&app.db, &caller.scope, codes).await?;
    // It may have gone elsewhere since its name was read.
    let seen = found.into_iter().filter(|one| one.lead.active && caller.scope.sees(one.lead.branch));
    let mut found: HashMap<LeadCode, FoundLead> = seen.map(|one| (one.code, one)).collect();
    let found: Vec<FoundLead> = codes.iter().filter_map(|code| found.remove(code)).collect();
    saw(app, caller, "GET /ext/crm/lead", found.iter().map(|one| one.lead.person))?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contacts(text: &str) -> Vec<Contact> {
        filter(text, false).contacts
    }

    #[test]
    fn words_are_taken_for_what_they_look_like() {
        let text = |text: &str| text.to_owned();
        assert_eq!(contacts(" Ana@X.example"), [Contact::Email(text("ana@x.example"))]);
        assert_eq!(contacts("a@"), []);
        assert_eq!(contacts("João sil"), [Contact::Words(vec![text("joao"), text("sil")])]);
        assert_eq!(contacts("12.abc.345/01de-35"), [Contact::Document(text("12ABC34501DE35"))]);
        let phone =
            |number: &str| [Contact::Mobile, Contact::Landline, Contact::Further].map(|of| of(text(number)));
        assert_eq!(contacts("(11) 3333-4444"), phone("1133334444"));
        assert_eq!(contacts("+55 11 98765-4321"), phone("11987654321"));
        // A CPF has as many digits as a telephone.
        assert_eq!(contacts("529.982.247-25").len(), 4);
        // A company may have the number of its owner in its name.
        assert_eq!(contacts("52998224725").len(), 5);
        assert_eq!(contacts("99"), [Contact::Words(vec![text("99")])]);
        assert_eq!(filter("99", true), Filter { contacts: contacts("99"), sequence: Some(99) });
        assert_eq!(filter("1133334444", true).sequence, Some(1_133_334_444));
        assert_eq!(filter("--", true), Filter::default());
    }
}
