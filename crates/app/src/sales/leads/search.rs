//! Search for leads. The API answers without pagination: names are read in steps and sorted, the leads are loaded in
//! parts as they are shown.

use crate::audit::access_log::record_access;
use crate::members::search::criteria::MOST_WORDS;
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, Document, Email, LeadCode, LeadKey, Phone, Scope, fold_text, split_name_words,
};
use std::collections::HashMap;
use std::sync::Arc;
use storage::sales::leads::{self, FoundLead, LeadSortKey, STEP};
use wire::records::PesquisaLeadQuery;

/// The codes found, in order.
pub struct FoundCodes<C> {
    pub codes: Vec<C>,
    pub registers: Arc<TenantRegisters>,
}

/// The possible meanings of a search text; empty if it can match nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContactFilter {
    pub contacts: Vec<LeadKey>,
    pub sequence: Option<i32>,
}

/// A number may be a phone, a document, a sequence number (deals only) or part of a company name; any other text is a
/// name.
pub fn parse_contact_filter(text: &str, may_be_sequence: bool) -> ContactFilter {
    let mut contacts = Vec::new();
    if text.contains('@') {
        contacts.extend(Email::parse(text).map(|email| LeadKey::Email(email.as_str().to_owned())));
        return ContactFilter { contacts, sequence: None };
    }
    contacts.extend(Document::parse_searched(text).map(|one| LeadKey::Document(one.as_str().to_owned())));
    if let Ok(phone) = Phone::parse(text) {
        // Some are stored without their area code.
        let endings = phone.list_endings();
        let numbers: Vec<Phone> = std::iter::once(phone).chain(endings).collect();
        contacts.extend(LeadKey::list_for_phones(&numbers));
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let sequence = if may_be_sequence && is_number { text.parse().ok() } else { None };
    if contacts.is_empty() || is_number {
        let words = split_name_words(text);
        contacts.extend((1..=MOST_WORDS).contains(&words.len()).then_some(LeadKey::Words(words)));
    }
    ContactFilter { contacts, sequence }
}

/// The active leads visible to the caller that match the filter; by name, then code.
#[boxed::future]
pub async fn search_leads(
    app: &App,
    caller: &Session,
    query: PesquisaLeadQuery,
) -> Result<FoundCodes<LeadCode>, Error> {
    let scope = &caller.scope;
    let registers = load_registers(app, scope.tenant()).await?;
    let mut keys = match query.filter.into_set() {
        Some(text) => list_keys_by_contacts(app, scope, &parse_contact_filter(&text, false).contacts).await?,
        None => list_visible_keys(app, scope, &registers).await?,
    };
    keys.retain(|key| key.active);
    Ok(FoundCodes { codes: sort_lead_keys(keys), registers })
}

fn sort_lead_keys(mut keys: Vec<LeadSortKey>) -> Vec<LeadCode> {
    keys.sort_by_cached_key(|key| (fold_text(&key.name), key.code));
    keys.dedup_by_key(|key| key.code);
    keys.into_iter().map(|key| key.code).collect()
}

async fn list_visible_keys(
    app: &App,
    scope: &Scope,
    registers: &TenantRegisters,
) -> Result<Vec<LeadSortKey>, Error> {
    let mut all = Vec::new();
    for branch in registers.branches.iter().filter(|branch| scope.can_see(branch.code)) {
        let mut after = LeadCode::new(0);
        loop {
            let step =
                leads::list_active_leads_of_branch(&app.db, scope.tenant(), branch.code, after).await?;
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

/// The leads in the scope with any of these contacts, active or not.
pub(crate) async fn list_keys_by_contacts(
    app: &App,
    scope: &Scope,
    contacts: &[LeadKey],
) -> Result<Vec<LeadSortKey>, Error> {
    let mut all = Vec::new();
    for contact in contacts {
        if let LeadKey::Words(words) = contact {
            all.extend(list_keys_by_name(app, scope, words).await?);
            continue;
        }
        let mut after = LeadCode::new(0);
        loop {
            let step = leads::list_leads_by_contact(&app.db, scope, contact, after).await?;
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

async fn list_keys_by_name(app: &App, scope: &Scope, words: &[String]) -> Result<Vec<LeadSortKey>, Error> {
    let mut codes = leads::list_lead_codes_by_words(&app.db, scope, words).await?;
    codes.sort_unstable();
    let mut all = Vec::with_capacity(codes.len());
    for chunk in codes.chunks(STEP) {
        all.extend(leads::list_lead_sort_keys(&app.db, scope.tenant(), chunk).await?);
    }
    Ok(all)
}

/// Loads a part of the search results, in their order.
#[boxed::future]
pub async fn load_found_leads(
    app: &App,
    caller: &Session,
    codes: &[LeadCode],
) -> Result<Vec<FoundLead>, Error> {
    let found = leads::list_found_leads(&app.db, &caller.scope, codes).await?;
    // A lead may have moved or become inactive since its name was read.
    let visible = found.into_iter().filter(|one| one.lead.active && caller.scope.can_see(one.lead.branch));
    let mut found: HashMap<LeadCode, FoundLead> = visible.map(|one| (one.code, one)).collect();
    let found: Vec<FoundLead> = codes.iter().filter_map(|code| found.remove(code)).collect();
    record_access(app, caller, AuditedOperation::SearchLeads, found.iter().map(|one| one.lead.person))?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contacts(text: &str) -> Vec<LeadKey> {
        parse_contact_filter(text, false).contacts
    }

    #[test]
    fn words_are_taken_for_what_they_look_like() {
        let text = |text: &str| text.to_owned();
        assert_eq!(contacts(" Ana@X.example"), [LeadKey::Email(text("ana@x.example"))]);
        assert_eq!(contacts("a@"), []);
        assert_eq!(contacts("João sil"), [LeadKey::Words(vec![text("joao"), text("sil")])]);
        assert_eq!(contacts("12.abc.345/01de-35"), [LeadKey::Document(text("12ABC34501DE35"))]);
        let phone = |numbers: &[&str]| {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            [LeadKey::Mobile, LeadKey::Landline, LeadKey::Further].map(|build_key| build_key(numbers.clone()))
        };
        assert_eq!(contacts("(11) 3333-4444"), phone(&["1133334444", "33334444"]));
        assert_eq!(contacts("+55 11 98765-4321"), phone(&["11987654321", "987654321", "87654321"]));
        assert_eq!(contacts("3333-4444"), phone(&["33334444"]));
        // A CPF has as many digits as a mobile number.
        assert_eq!(contacts("529.982.247-25").len(), 4);
        // A company name may contain the CPF of its owner.
        assert_eq!(contacts("52998224725").len(), 5);
        assert_eq!(contacts("99"), [LeadKey::Words(vec![text("99")])]);
        assert_eq!(
            parse_contact_filter("99", true),
            ContactFilter { contacts: contacts("99"), sequence: Some(99) }
        );
        assert_eq!(parse_contact_filter("1133334444", true).sequence, Some(1_133_334_444));
        assert_eq!(parse_contact_filter("--", true), ContactFilter::default());
    }
}
