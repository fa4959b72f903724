//! `/console/auditoria`: who changed and who saw what, in plain words, the newest first.

use crate::exporting::Links;
use crate::frame::Frame;
use crate::members::Choice;
use crate::page::show;
use crate::show::{count, moment};
use crate::visitor::{Guest, Query};
use crate::wording::{Deed, Sight, deed, sight};
use app::audit::{self, AccessResult, NAMED, Reading, Told, What};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{Date, Moment, PersonCode, TimeZone, UserCode};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

struct Row {
    when: String,
    who: String,
    deed: Deed,
    is_look: bool,
    /// What it is called at the beginning of its line, and in which colour.
    badge: (&'static str, &'static str),
    /// From where and how often, of what is about an account.
    access: String,
    /// Code and name.
    people: Vec<(i32, String)>,
    others: String,
}

#[derive(Template)]
#[template(path = "console/auditoria.html")]
struct Audit {
    frame: Frame,
    rows: Vec<Row>,
    users: Vec<Choice>,
    person: String,
    /// His name, where there is one of that code.
    person_name: String,
    since: String,
    until: String,
    problems: Vec<String>,
    is_filtered: bool,
    newest: Option<String>,
    older: Option<String>,
    export: Links,
}

pub async fn page(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

/// What was asked, and what of it could not be understood.
fn asked(query: &Query, zone: &TimeZone) -> (Reading, Vec<String>) {
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
    let reading = Reading {
        person: person.map(PersonCode::new),
        user: number("usuario", "um usuário").map(UserCode::new),
        since: since.map(|day| day.start_in(zone)),
        until: until.map(|day| day.next().start_in(zone)),
        before: query.text("antes").parse().ok(),
    };
    (reading, problems)
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<Audit, Error> {
    let caller = guest.session();
    let zone = app::base::registers(app, caller.scope.tenant()).await?.zone.clone();
    let (reading, problems) = asked(query, &zone);
    let (page, names) = audit::newest_first(app, caller, reading).await?;
    let frame = Frame::of(app, guest, "auditoria").await?;
    let users = audit::user_names(app, caller).await?;
    let chosen = query.text("usuario");
    let mut choices: Vec<Choice> = users
        .iter()
        .map(|(code, name)| Choice {
            value: code.to_string(),
            name: name.clone(),
            is_chosen: code.to_string() == chosen,
        })
        .collect();
    choices.sort_by_cached_key(|one| (domain::fold(&one.name), one.value.clone()));
    let is_filtered = ["usuario", "codPessoa", "de", "ate"].iter().any(|name| !query.text(name).is_empty());
    let person_name = reading.person.and_then(|person| names.get(&person).cloned()).unwrap_or_default();
    let older = page.has_more.then(|| query.with("antes", &page.reached.to_string()));
    Ok(Audit {
        rows: rows(page.entries, &users, &names, &zone),
        users: choices,
        person: query.text("codPessoa").to_owned(),
        person_name,
        since: query.text("de").to_owned(),
        until: query.text("ate").to_owned(),
        problems,
        is_filtered,
        newest: reading.before.map(|_| query.with("antes", "")),
        older,
        export: Links::new(
            &frame.root,
            "auditoria",
            query.each().filter(|(name, _)| *name != "antes").map(|(name, text)| match name {
                "usuario" => ("codUsuario", text),
                name => (name, text),
            }),
        ),
        frame,
    })
}

/// Looks of one user within so much time are told as one.
const TOGETHER: Duration = Duration::from_secs(120);

/// Looks that are told as one.
struct Looks {
    first: Moment,
    user: Option<UserCode>,
    sight: Sight,
    people: BTreeSet<PersonCode>,
}

enum Line {
    Looks(Looks),
    Change { at: Moment, user: Option<UserCode>, person: Option<PersonCode>, deed: Deed, access: Access },
}

/// What is told of an entry about an account besides.
struct Access {
    result: Option<AccessResult>,
    address: Option<String>,
    times: i64,
    /// Whoever did it need not be the user that the entry names.
    is_anonymous: bool,
}

impl Access {
    fn of(told: &Told) -> Access {
        let is_asked = told.operation == "POST /senha/esqueci";
        Access {
            result: told.result,
            address: told.address.clone(),
            times: told.times,
            is_anonymous: is_asked || !matches!(told.result, None | Some(AccessResult::Success)),
        }
    }

    fn badge(&self) -> (&'static str, &'static str) {
        match self.result {
            None => ("Alteração", "warn"),
            Some(AccessResult::Success) => ("Acesso", ""),
            Some(AccessResult::Failure) => ("Recusado", "wrong"),
            Some(AccessResult::Throttled) => ("Bloqueado", "wrong"),
        }
    }

    fn words(&self) -> String {
        let from = self.address.as_ref().map(|address| format!(", de {address}")).unwrap_or_default();
        match self.times {
            ..=1 => from,
            times => format!("{from}, {} vezes", count(times)),
        }
    }
}

/// The entries as lines: what one user saw in one go is one of them.
fn lines(entries: Vec<Told>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for one in entries {
        let access = Access::of(&one);
        match one.what {
            What::Changed(person, detail) => {
                let detail = detail.unwrap_or(one.operation);
                let deed = deed(&detail, person.is_some());
                lines.push(Line::Change { at: one.at, user: one.user, person, deed, access });
            }
            What::Looked(people) => {
                let sight = sight(&one.operation);
                let people = people.into_iter().map(|(person, _)| person);
                let same = lines.iter_mut().rev().take_while(|line| matches!(line, Line::Looks(_))).find_map(
                    |line| match line {
                        Line::Looks(looks)
                            if looks.user == one.user
                                && looks.sight == sight
                                && looks.first.since(one.at) <= TOGETHER =>
                        {
                            Some(looks)
                        }
                        _ => None,
                    },
                );
                match same {
                    Some(looks) => looks.people.extend(people),
                    None => lines.push(Line::Looks(Looks {
                        first: one.at,
                        user: one.user,
                        sight,
                        people: people.collect(),
                    })),
                }
            }
        }
    }
    lines
}

fn rows(
    entries: Vec<Told>,
    users: &HashMap<UserCode, String>,
    names: &HashMap<PersonCode, String>,
    zone: &TimeZone,
) -> Vec<Row> {
    let who = |user: Option<UserCode>, nobody: &str| match user {
        Some(user) => users.get(&user).cloned().unwrap_or_else(|| format!("Usuário {user}")),
        None => nobody.to_owned(),
    };
    let named = |person: PersonCode| {
        let name = names.get(&person).cloned();
        (person.get(), name.unwrap_or_else(|| format!("pessoa {person}")))
    };
    let row = |line: Line| match line {
        Line::Change { at, user, person, deed, access } => Row {
            when: moment(at, zone),
            who: if access.is_anonymous { "Alguém".to_owned() } else { who(user, "Sistema") },
            deed,
            is_look: false,
            badge: access.badge(),
            access: access.words(),
            people: person.into_iter().map(named).collect(),
            others: String::new(),
        },
        Line::Looks(looks) => {
            let verb = match looks.sight {
                Sight::Alone => "viu",
                Sight::Listed => "viu em listas:",
                Sight::Validated => "validou o benefício de",
            };
            let more = looks.people.len().saturating_sub(NAMED);
            Row {
                when: moment(looks.first, zone),
                who: who(looks.user, "Alguém sem senha"),
                deed: Deed { before: verb.to_owned(), ..Deed::default() },
                is_look: true,
                badge: ("", ""),
                access: String::new(),
                people: looks.people.into_iter().take(NAMED).map(named).collect(),
                others: match more {
                    0 => String::new(),
                    1 => " e mais uma pessoa".to_owned(),
                    more => format!(" e mais {} pessoas", count(more as i64)),
                },
            }
        }
    };
    lines(entries).into_iter().map(row).collect()
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/auditoria.html", |with| {
    let row = |is_look| Row {
        when: with.text(),
        who: with.text(),
        deed: Deed {
            before: with.text(),
            thing: with.text(),
            link: with.maybe(|| "/x".to_owned()),
            after: with.text(),
        },
        is_look,
        badge: ("Acesso", "fine"),
        access: with.text(),
        people: with.many(|| (7, with.text())),
        others: with.text(),
    };
    crate::rendered::text(&Audit {
        export: with.links(),
        frame: with.frame(),
        rows: with.many(|| row(true)).into_iter().chain(with.many(|| row(false))).collect(),
        users: with.many(|| Choice { value: with.text(), name: with.text(), is_chosen: true }),
        person: with.text(),
        person_name: with.text(),
        since: with.text(),
        until: with.text(),
        problems: with.many(|| with.text()),
        is_filtered: true,
        newest: with.maybe(|| with.text()),
        older: with.maybe(|| with.text()),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    fn look(code: i32, seconds: i64, operation: &str, people: &[i32]) -> Told {
        let at = Moment::from_millis(seconds * 1000);
        let people = people.iter().map(|one| (PersonCode::new(*one), at)).collect();
        let user = Some(UserCode::new(1));
        let (operation, what) = (operation.to_owned(), What::Looked(people));
        Told { code, at, user, operation, what, address: None, result: None, times: 1 }
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
        let rows = rows(entries, &users, &names, &TimeZone::parse("America/Sao_Paulo").unwrap());
        assert_eq!(rows.len(), 3);
        assert_eq!((rows[0].who.as_str(), rows[0].deed.before.as_str()), ("Ana", "viu"));
        assert_eq!(rows[0].people, [(7, "Maria".to_owned())]);
        assert_eq!((rows[1].people.len(), rows[1].others.as_str()), (5, " e mais 2 pessoas"));
        assert_eq!(rows[2].people, [(5, "pessoa 5".to_owned())]);
    }

    #[test]
    fn an_attempt_is_told_with_its_address_and_is_nobodys_by_name() {
        let entry = |result, operation: &str, detail: &str, times| Told {
            code: 1,
            at: Moment::from_millis(1_000),
            user: Some(UserCode::new(1)),
            operation: operation.to_owned(),
            what: What::Changed(None, Some(detail.to_owned())),
            address: Some("203.0.113.7".to_owned()),
            result: Some(result),
            times,
        };
        let entries = vec![
            entry(AccessResult::Success, "POST /ext/autenticacao", "usuário 1 entrou pela API", 12),
            entry(AccessResult::Failure, "POST /console/entrar", "usuário 1 teve a entrada recusada", 1),
        ];
        let users = HashMap::from([(UserCode::new(1), "Ana".to_owned())]);
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let told: Vec<String> = rows(entries, &users, &HashMap::new(), &zone)
            .into_iter()
            .map(|row| {
                format!("{}: {} {} {}{}", row.badge.0, row.who, row.deed.before, row.deed.thing, row.access)
            })
            .collect();
        assert_eq!(
            told,
            [
                "Acesso: Ana entrou pela API como o usuário 1, de 203.0.113.7, 12 vezes",
                "Recusado: Alguém não conseguiu entrar como o usuário 1, de 203.0.113.7",
            ]
        );
    }
}
