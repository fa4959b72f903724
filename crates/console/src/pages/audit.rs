//! `/console/auditoria`: the audit log of changes and record accesses in plain language, newest first.

use super::audit_wording::{ActionPhrase, RecordAccessKind, classify_access, describe_change};
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::formats::{format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::App;
use app::audit::entry_pages::{
    self, AccountActionResult, AuditEntryContent, AuditedEvent, NAMED_PEOPLE, ReverseAuditQuery,
    StoredAuditEntry,
};
use askama::Template;
use axum::extract::State;
use domain::{AuditCursor, AuditedOperation, Date, Moment, PersonCode, TimeZone, UserCode};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

struct AuditEntryLine {
    when: String,
    who: String,
    deed: ActionPhrase,
    is_look: bool,
    /// Label and colour class.
    badge: (&'static str, &'static str),
    /// Address and number of times; only for account actions.
    access: String,
    /// Code and name.
    people: Vec<(i32, String)>,
    others: String,
}

#[derive(Template)]
#[template(path = "console/auditoria.html")]
struct AuditLogPage {
    frame: PageFrame,
    rows: Vec<AuditEntryLine>,
    users: Vec<SelectOption>,
    person: String,
    /// Empty if no person has that code.
    person_name: String,
    since: String,
    until: String,
    problems: Vec<String>,
    is_filtered: bool,
    newest: Option<String>,
    older: Option<String>,
    export: ExportLinks,
}

pub async fn show_audit_page(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let caller = user.session();
    let zone = app::register_snapshot::load_registers(&app, caller.scope.tenant()).await?.zone.clone();
    let (criteria, problems) = parse_audit_query(&query, &zone);
    let (page, names) = entry_pages::read_newest_audit_page(&app, caller, criteria).await?;
    let frame = PageFrame::load(&app, &user, "auditoria").await?;
    let users = entry_pages::list_user_names(&app, caller).await?;
    let chosen = query.text("usuario");
    let mut choices: Vec<SelectOption> = users
        .iter()
        .map(|(code, name)| SelectOption {
            value: code.to_string(),
            name: name.clone(),
            is_chosen: code.to_string() == chosen,
        })
        .collect();
    choices.sort_by_cached_key(|one| (domain::fold_text(&one.name), one.value.clone()));
    let is_filtered = ["usuario", "codPessoa", "de", "ate"].iter().any(|name| !query.text(name).is_empty());
    let person_name = criteria.person.and_then(|person| names.get(&person).cloned()).unwrap_or_default();
    let older = page.has_more.then(|| query.with_parameter("antes", &page.reached.to_string()));
    show_page(&AuditLogPage {
        rows: build_entry_lines(page.entries, &users, &names, &zone),
        users: choices,
        person: query.text("codPessoa").to_owned(),
        person_name,
        since: query.text("de").to_owned(),
        until: query.text("ate").to_owned(),
        problems,
        is_filtered,
        newest: criteria.before.map(|_| query.with_parameter("antes", "")),
        older,
        export: ExportLinks::new(
            &frame.root,
            "auditoria",
            query.trimmed_pairs().filter(|(name, _)| *name != "antes").map(|(name, text)| match name {
                "usuario" => ("codUsuario", text),
                name => (name, text),
            }),
        ),
        frame,
    })
}

/// Parses the filters; also returns the problems of invalid ones.
fn parse_audit_query(query: &QueryParams, zone: &TimeZone) -> (ReverseAuditQuery, Vec<String>) {
    let mut problems = Vec::new();
    let mut day = |name: &str| match query.text(name) {
        "" => None,
        text => Date::parse(text)
            .map_err(|_| problems.push(format!("“{text}” não é um dia; escreva como 14/11/2026.")))
            .ok(),
    };
    let (since, until) = (day("de"), day("ate"));
    let mut number = |name: &str, what: &str| match query.text(name) {
        "" => None,
        text => text.parse().map_err(|_| problems.push(format!("“{text}” não é {what}."))).ok(),
    };
    let person = number("codPessoa", "o código de uma pessoa");
    let criteria = ReverseAuditQuery {
        person: person.map(PersonCode::new),
        user: number("usuario", "um usuário").map(UserCode::new),
        since: since.map(|day| day.start_in(zone)),
        until: until.map(|day| day.next().start_in(zone)),
        before: AuditCursor::parse(query.text("antes")).ok(),
    };
    (criteria, problems)
}

/// Accesses by one user within this time are merged into one line.
const GROUPING_PERIOD: Duration = Duration::from_mins(2);

/// Accesses that are merged into one line.
struct RecordAccessGroup {
    first: Moment,
    user: Option<UserCode>,
    sight: RecordAccessKind,
    address: Option<String>,
    people: BTreeSet<PersonCode>,
}

enum AuditLogLine {
    RecordAccesses(RecordAccessGroup),
    Change {
        at: Moment,
        user: Option<UserCode>,
        person: Option<PersonCode>,
        deed: ActionPhrase,
        access: AccountAccess,
    },
}

/// Additional information of an entry about an account.
struct AccountAccess {
    result: Option<AccountActionResult>,
    address: Option<String>,
    times: i64,
    /// The actor may be someone other than the user that the entry names.
    is_anonymous: bool,
}

impl AccountAccess {
    fn from_entry(entry: &StoredAuditEntry) -> AccountAccess {
        let is_reset_request = entry.operation == AuditedOperation::RequestPasswordLink.name();
        AccountAccess {
            result: entry.result,
            address: entry.address.clone(),
            times: entry.times,
            is_anonymous: is_reset_request
                || !matches!(entry.result, None | Some(AccountActionResult::Success)),
        }
    }

    fn badge(&self) -> (&'static str, &'static str) {
        match self.result {
            None => ("Alteração", "warn"),
            Some(AccountActionResult::Success) => ("Acesso", ""),
            Some(AccountActionResult::Failure) => ("Recusado", "wrong"),
            Some(AccountActionResult::Throttled) => ("Bloqueado", "wrong"),
        }
    }

    fn describe_origin(&self) -> String {
        let origin = self.address.as_ref().map(|address| format!(", de {address}")).unwrap_or_default();
        match self.times {
            ..=1 => origin,
            times => format!("{origin}, {} vezes", format_count(times)),
        }
    }
}

/// Turns entries into lines; accesses by one user within `GROUPING_PERIOD` become one line.
fn group_entries(entries: Vec<StoredAuditEntry>) -> Vec<AuditLogLine> {
    let mut lines: Vec<AuditLogLine> = Vec::new();
    for one in entries {
        let access = AccountAccess::from_entry(&one);
        match one.what {
            AuditedEvent::Change(person, content) => {
                let deed = match content {
                    AuditEntryContent::Change(change) => describe_change(&change, person),
                    AuditEntryContent::Text(text) => {
                        ActionPhrase::from_stored_text(&text.unwrap_or(one.operation))
                    }
                };
                lines.push(AuditLogLine::Change { at: one.at, user: one.user, person, deed, access });
            }
            AuditedEvent::Access(people) => {
                let sight = classify_access(&one.operation);
                let people = people.into_iter().map(|(person, _)| person);
                let same = lines
                    .iter_mut()
                    .rev()
                    .take_while(|line| matches!(line, AuditLogLine::RecordAccesses(_)))
                    .find_map(|line| match line {
                        AuditLogLine::RecordAccesses(group)
                            if group.user == one.user
                                && group.sight == sight
                                && group.address == one.address
                                && group.first.duration_since(one.at) <= GROUPING_PERIOD =>
                        {
                            Some(group)
                        }
                        _ => None,
                    });
                match same {
                    Some(group) => group.people.extend(people),
                    None => lines.push(AuditLogLine::RecordAccesses(RecordAccessGroup {
                        first: one.at,
                        user: one.user,
                        sight,
                        address: one.address,
                        people: people.collect(),
                    })),
                }
            }
        }
    }
    lines
}

fn build_entry_lines(
    entries: Vec<StoredAuditEntry>,
    users: &HashMap<UserCode, String>,
    names: &HashMap<PersonCode, String>,
    zone: &TimeZone,
) -> Vec<AuditEntryLine> {
    let who = |user: Option<UserCode>, nobody: &str| match user {
        Some(user) => users.get(&user).cloned().unwrap_or_else(|| format!("Usuário {user}")),
        None => nobody.to_owned(),
    };
    let named = |person: PersonCode| {
        let name = names.get(&person).cloned();
        (person.get(), name.unwrap_or_else(|| format!("pessoa {person}")))
    };
    let row = |line: AuditLogLine| match line {
        AuditLogLine::Change { at, user, person, deed, access } => AuditEntryLine {
            when: format_moment(at, zone),
            who: if access.is_anonymous { "Alguém".to_owned() } else { who(user, "Sistema") },
            deed,
            is_look: false,
            badge: access.badge(),
            access: access.describe_origin(),
            people: person.into_iter().map(named).collect(),
            others: String::new(),
        },
        AuditLogLine::RecordAccesses(group) => {
            let verb = match group.sight {
                RecordAccessKind::SingleRecord => "viu",
                RecordAccessKind::RecordList => "viu em listas:",
                RecordAccessKind::OpenValidation => "validou o benefício de",
                RecordAccessKind::DocumentLink => "abriu, por um link, um documento de",
            };
            let more = group.people.len().saturating_sub(NAMED_PEOPLE);
            let origin = group.address.map(|address| format!(", a partir de {address}")).unwrap_or_default();
            AuditEntryLine {
                when: format_moment(group.first, zone),
                who: who(group.user, "Alguém sem senha"),
                deed: ActionPhrase { before: verb.to_owned(), ..ActionPhrase::default() },
                is_look: true,
                badge: ("", ""),
                access: String::new(),
                people: group.people.into_iter().take(NAMED_PEOPLE).map(named).collect(),
                others: match more {
                    0 => origin,
                    1 => format!(" e mais uma pessoa{origin}"),
                    more => format!(" e mais {} pessoas{origin}", format_count(more as i64)),
                },
            }
        }
    };
    group_entries(entries).into_iter().map(row).collect()
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/auditoria.html", |with| {
    let row = |is_look| AuditEntryLine {
        when: with.text(),
        who: with.text(),
        deed: ActionPhrase {
            before: with.text(),
            thing: with.text(),
            link: with.option_of(|| "/x".to_owned()),
            after: with.text(),
            is_stored_text: false,
        },
        is_look,
        badge: ("Acesso", "fine"),
        access: with.text(),
        people: with.list_of(|| (7, with.text())),
        others: with.text(),
    };
    crate::template_tests::render_template(&AuditLogPage {
        export: with.links(),
        frame: with.frame(),
        rows: with.list_of(|| row(true)).into_iter().chain(with.list_of(|| row(false))).collect(),
        users: with.list_of(|| SelectOption { value: with.text(), name: with.text(), is_chosen: true }),
        person: with.text(),
        person_name: with.text(),
        since: with.text(),
        until: with.text(),
        problems: with.list_of(|| with.text()),
        is_filtered: true,
        newest: with.option_of(|| with.text()),
        older: with.option_of(|| with.text()),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{AuditedAction, AuditedChange, AuditedRecordKind};

    fn look(code: i32, seconds: i64, operation: &str, people: &[i32]) -> StoredAuditEntry {
        let at = Moment::from_millis(seconds * 1000);
        let people = people.iter().map(|one| (PersonCode::new(*one), at)).collect();
        let user = Some(UserCode::new(1));
        let (operation, what) = (operation.to_owned(), AuditedEvent::Access(people));
        StoredAuditEntry { code, at, user, operation, what, address: None, result: None, times: 1 }
    }

    #[test]
    fn what_one_user_saw_in_one_go_is_one_line() {
        let entries = vec![
            look(9, 1_000, "GET /gestao/associado/{codPessoa}", &[7]),
            look(8, 999, "GET /gestao/associado/{codPessoa}/historico", &[7]),
            look(7, 998, "GET /console/associados", &[1, 2, 3, 4]),
            look(6, 998, "GET /console/associados", &[1_001, 1_002, 1_003]),
            look(5, 100, "GET /console/associados", &[5]),
        ];
        let names = HashMap::from([(PersonCode::new(7), "Maria".to_owned())]);
        let users = HashMap::from([(UserCode::new(1), "Ana".to_owned())]);
        let rows = build_entry_lines(entries, &users, &names, &TimeZone::parse("America/Sao_Paulo").unwrap());
        assert_eq!(rows.len(), 3);
        assert_eq!((rows[0].who.as_str(), rows[0].deed.before.as_str()), ("Ana", "viu"));
        assert_eq!(rows[0].people, [(7, "Maria".to_owned())]);
        assert_eq!((rows[1].people.len(), rows[1].others.as_str()), (5, " e mais 2 pessoas"));
        assert_eq!(rows[2].people, [(5, "pessoa 5".to_owned())]);
    }

    #[test]
    fn an_opening_by_link_is_told_with_its_address() {
        let opening = |code, seconds, address: &str| StoredAuditEntry {
            user: None,
            address: Some(address.to_owned()),
            ..look(code, seconds, AuditedOperation::OpenDocumentLink.name(), &[7])
        };
        let entries = vec![
            opening(3, 1_000, "203.0.113.7"),
            opening(2, 999, "203.0.113.7"),
            opening(1, 998, "198.51.100.1"),
        ];
        let names = HashMap::from([(PersonCode::new(7), "Maria".to_owned())]);
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let rows = build_entry_lines(entries, &HashMap::new(), &names, &zone);
        let lines: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {} {}{}", row.who, row.deed.before, row.people[0].1, row.others))
            .collect();
        assert_eq!(
            lines,
            [
                "Alguém sem senha abriu, por um link, um documento de Maria, a partir de 203.0.113.7",
                "Alguém sem senha abriu, por um link, um documento de Maria, a partir de 198.51.100.1",
            ]
        );
    }

    #[test]
    fn a_text_of_an_older_version_is_set_apart() {
        let stored = StoredAuditEntry {
            what: AuditedEvent::Change(
                Some(PersonCode::new(7)),
                AuditEntryContent::Text(Some("benefício 77 cancelado".to_owned())),
            ),
            ..look(1, 1_000, "PUT /ext/beneficio/{codBeneficio}/cancelar", &[])
        };
        let users = HashMap::from([(UserCode::new(1), "Ana".to_owned())]);
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let rows = build_entry_lines(vec![stored], &users, &HashMap::new(), &zone);
        assert_eq!(
            (rows[0].deed.before.as_str(), rows[0].deed.is_stored_text),
            ("— benefício 77 cancelado", true)
        );
    }

    #[test]
    fn an_attempt_is_told_with_its_address_and_is_nobodys_by_name() {
        let entry = |result, operation: &str, action, times| StoredAuditEntry {
            code: 1,
            at: Moment::from_millis(1_000),
            user: Some(UserCode::new(1)),
            operation: operation.to_owned(),
            what: AuditedEvent::Change(
                None,
                AuditEntryContent::Change(AuditedChange::new(action, AuditedRecordKind::User, 1)),
            ),
            address: Some("203.0.113.7".to_owned()),
            result: Some(result),
            times,
        };
        let entries = vec![
            entry(AccountActionResult::Success, "POST /ext/autenticacao", AuditedAction::SignInToApi, 12),
            entry(AccountActionResult::Failure, "POST /console/entrar", AuditedAction::RefuseSignIn, 1),
        ];
        let users = HashMap::from([(UserCode::new(1), "Ana".to_owned())]);
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let lines: Vec<String> = build_entry_lines(entries, &users, &HashMap::new(), &zone)
            .into_iter()
            .map(|row| {
                format!("{}: {} {} {}{}", row.badge.0, row.who, row.deed.before, row.deed.thing, row.access)
            })
            .collect();
        assert_eq!(
            lines,
            [
                "Acesso: Ana entrou pela API como o usuário 1, de 203.0.113.7, 12 vezes",
                "Recusado: Alguém não conseguiu entrar como o usuário 1, de 203.0.113.7",
            ]
        );
    }
}
