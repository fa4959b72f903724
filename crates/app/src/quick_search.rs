//! The global search of the console: interprets a text by its shape. Ambiguous text (thirteen digits may be a card or a
//! phone number) is searched as each of its meanings.

use crate::cases::{self, ResolvedCase};
use crate::members::dependents;
use crate::members::search::{self, FoundMemberRow};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, CardNumber, CaseKind, Cpf, Document, PersonCode, Phone, Plate};
use storage::members::phones;
use wire::read::{self, InputRecord};
use wire::records::PesquisaAssociadoQuery;

const OPERATION: AuditedOperation = AuditedOperation::SearchEverything;
/// Maximum number of people found by one phone number, such as a family or a company.
const MOST_HOLDERS: i64 = 20;
/// Lengths of text that are searched as a chassis number.
const CHASSIS: std::ops::RangeInclusive<usize> = 11..=20;

/// Member rows, and cases found by protocol.
#[derive(Default)]
pub struct GlobalSearchResult {
    pub rows: Vec<FoundMemberRow>,
    /// Number of rows, including those beyond the first page.
    pub total: i64,
    pub cases: Vec<ResolvedCase>,
}

/// One possible meaning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SearchTextMeaning {
    Document(String),
    Plate(String),
    Chassis(String),
    Card(String),
    Phone(Phone),
    /// A phone number without area code.
    ShortPhone(Phone),
    /// A protocol, or the sequence number of a benefit.
    Number(i32),
    Name(String),
}

fn interpret_text(text: &str) -> Vec<SearchTextMeaning> {
    let text = text.trim();
    let bare: String = text.chars().filter(|sign| sign.is_alphanumeric()).collect();
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    let mut all = Vec::new();
    if Document::parse(text).is_ok() {
        all.push(SearchTextMeaning::Document(text.to_owned()));
    }
    if Plate::parse(text).is_ok() {
        all.push(SearchTextMeaning::Plate(text.to_owned()));
    }
    let is_number = !bare.is_empty() && digits == bare.len();
    if is_number {
        // Regardless of how the digits are grouped.
        if CardNumber::parse(&bare).is_ok() {
            all.push(SearchTextMeaning::Card(bare.clone()));
        }
        if Cpf::parse(text).is_err() {
            let phone = Phone::parse(text).ok().filter(|phone| !phone.lacks_area_code());
            all.extend(phone.map(SearchTextMeaning::Phone));
        }
        let short = Phone::parse(&bare).ok().filter(Phone::lacks_area_code);
        all.extend(short.map(SearchTextMeaning::ShortPhone));
        all.extend(bare.parse().ok().filter(|number| *number > 0).map(SearchTextMeaning::Number));
    } else if digits >= 3 && CHASSIS.contains(&bare.len()) && all.is_empty() {
        all.push(SearchTextMeaning::Chassis(text.to_owned()));
    }
    if all.is_empty() || !is_number && digits == 0 {
        all.push(SearchTextMeaning::Name(text.to_owned()));
    }
    all
}

/// Searches every possible meaning of the text.
#[boxed::future]
pub async fn search_everything(app: &App, caller: &Session, text: &str) -> Result<GlobalSearchResult, Error> {
    let mut results = GlobalSearchResult::default();
    if text.trim().is_empty() {
        return Ok(results);
    }
    for meaning in interpret_text(text) {
        search_meaning(app, caller, meaning, &mut results).await?;
    }
    let mut seen_slots = std::collections::BTreeSet::new();
    results.rows.retain(|row| seen_slots.insert(row.slot));
    results.total = results.total.max(results.rows.len() as i64);
    Ok(results)
}

/// A query with one parameter; `None` if the text is not valid for it.
fn build_query<T: InputRecord>(name: &str, text: impl ToString) -> Option<T> {
    read::read_query(std::iter::once((name.to_owned(), text.to_string()))).ok()
}

async fn search_meaning(
    app: &App,
    caller: &Session,
    meaning: SearchTextMeaning,
    results: &mut GlobalSearchResult,
) -> Result<(), Error> {
    match meaning {
        SearchTextMeaning::Document(text) => {
            add_members(app, caller, build_query("cpf", &text), results).await?;
            add_dependent_holders(app, caller, "cpf", &text, results).await
        }
        SearchTextMeaning::Plate(text) => add_members(app, caller, build_query("placa", text), results).await,
        SearchTextMeaning::Chassis(text) => {
            add_members(app, caller, build_query("chassi", text), results).await
        }
        SearchTextMeaning::Name(text) => add_members(app, caller, build_query("nome", text), results).await,
        SearchTextMeaning::Phone(phone) => {
            // Some are stored without their area code.
            let endings = phone.list_endings();
            add_phone_holders(app, caller, std::iter::once(phone).chain(endings).collect(), results).await
        }
        SearchTextMeaning::ShortPhone(phone) => {
            let complete = phone.list_in_each_area();
            add_phone_holders(app, caller, complete.into_iter().chain([phone]).collect(), results).await
        }
        SearchTextMeaning::Card(digits) => {
            add_benefit_holders(app, caller, "numeroCartaoDesconto", &digits, results).await?;
            add_dependent_holders(app, caller, "numeroCartaoDesconto", &digits, results).await
        }
        SearchTextMeaning::Number(number) => {
            for kind in CaseKind::ALL {
                let Some(query) = build_query("protocolo", number) else { continue };
                results.cases.extend(cases::list_cases(app, caller, kind, query).await?.rows);
            }
            add_benefit_holders(app, caller, "sequencial", &number.to_string(), results).await
        }
    }
}

/// Adds the people with any of these numbers.
async fn add_phone_holders(
    app: &App,
    caller: &Session,
    numbers: Vec<Phone>,
    results: &mut GlobalSearchResult,
) -> Result<(), Error> {
    let tenant = caller.scope.tenant();
    let holders = phones::list_holders_of_any_phone(&app.db, tenant, &numbers, MOST_HOLDERS).await?;
    add_people(app, caller, holders, results).await
}

/// Adds the holders of benefits with this number or card.
async fn add_benefit_holders(
    app: &App,
    caller: &Session,
    name: &str,
    text: &str,
    results: &mut GlobalSearchResult,
) -> Result<(), Error> {
    let Some(query) = build_query(name, text) else { return Ok(()) };
    let found = search::search_benefits(app, caller, query).await?;
    add_people(app, caller, found.rows.iter().map(|row| row.benefit.person).collect(), results).await
}

/// Adds the holders of benefits with this dependent.
async fn add_dependent_holders(
    app: &App,
    caller: &Session,
    name: &str,
    text: &str,
    results: &mut GlobalSearchResult,
) -> Result<(), Error> {
    let Some(query) = build_query(name, text) else { return Ok(()) };
    let mut codes = dependents::search_dependents(app, caller, query).await?;
    codes.truncate(MOST_HOLDERS as usize);
    if codes.is_empty() {
        return Ok(());
    }
    let found = dependents::load_found_dependents(app, caller, &codes).await?;
    add_people(app, caller, found.rows.iter().map(|row| row.holder).collect(), results).await
}

async fn add_members(
    app: &App,
    caller: &Session,
    query: Option<PesquisaAssociadoQuery>,
    results: &mut GlobalSearchResult,
) -> Result<(), Error> {
    let Some(query) = query else { return Ok(()) };
    let page = search::list_members(app, caller, query, OPERATION).await?;
    results.total += page.total;
    results.rows.extend(page.rows);
    Ok(())
}

async fn add_people(
    app: &App,
    caller: &Session,
    mut codes: Vec<PersonCode>,
    results: &mut GlobalSearchResult,
) -> Result<(), Error> {
    codes.sort_unstable();
    codes.dedup();
    for code in codes {
        add_members(app, caller, build_query("codPessoa", code), results).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_understood_by_its_shape() {
        let shapes = |text: &str| {
            let name = |one: &SearchTextMeaning| match one {
                SearchTextMeaning::Document(_) => "document",
                SearchTextMeaning::Plate(_) => "plate",
                SearchTextMeaning::Chassis(_) => "chassis",
                SearchTextMeaning::Card(_) => "card",
                SearchTextMeaning::Phone(_) => "phone",
                SearchTextMeaning::ShortPhone(_) => "short phone",
                SearchTextMeaning::Number(_) => "number",
                SearchTextMeaning::Name(_) => "name",
            };
            interpret_text(text).iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(shapes("529.982.247-25"), ["document"]);
        assert_eq!(shapes("11.222.333/0001-81"), ["document"]);
        assert_eq!(shapes("ABC1D23"), ["plate"]);
        assert_eq!(shapes("abc-1234"), ["plate"]);
        assert_eq!(shapes("9BWZZZ377VT004251"), ["chassis"]);
        assert_eq!(shapes("(11) 98765-4321"), ["phone"]);
        assert_eq!(shapes("98765-4321"), ["short phone", "number"]);
        assert_eq!(shapes("3333 4444"), ["short phone", "number"]);
        for card in ["1234 56 7 890 123", "1234567890123", "1234 5678 9012 3"] {
            assert_eq!(shapes(card), ["card"], "{card}");
        }
        assert_eq!(shapes("+55 (11) 98765-4321"), ["card", "phone"]);
        assert_eq!(shapes("4711"), ["number"]);
        assert_eq!(shapes("maria sou"), ["name"]);
        assert_eq!(shapes("João 2"), ["name"]);
    }
}
