//! The forms by which a case is opened and altered. Whom it is about is chosen first, by the one search.

mod choices;
mod record;

use super::fields::{sections, specs, values};
use super::{Kind, Words, types, words};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::{Badge, badge, plans};
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::records::{Conflict, Input, Problems, Values, inputs, typed};
use crate::visitor::{Guest, Number, Query, redirect, root};
use app::base::Registers;
use app::cases::{self, Case, Checked, Whole};
use app::people;
use app::searches::Found;
use app::{App, Error, find};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use choices::Context;
use domain::{CaseKind, PersonCode, shown};
use record::{act, checklist};
use wire::names;

/// Somebody whom it may be about, by one of his benefits.
struct Candidate {
    person: i32,
    name: String,
    document: String,
    benefit: Option<CandidateBenefit>,
}

struct CandidateBenefit {
    code: i32,
    what: String,
    sequence: i32,
    situation: Badge,
}

#[derive(Template)]
#[template(path = "console/caso_quem.html")]
struct Who {
    frame: Frame,
    words: Words,
    query: String,
    rows: Vec<Candidate>,
    has_more: bool,
}

/// Something that is looked at in an inspection, as the form shows it.
struct CheckInput {
    number: usize,
    item: String,
    fits: &'static str,
    note: String,
}

#[derive(Template)]
#[template(path = "console/caso_form.html")]
struct Write {
    frame: Frame,
    title: String,
    person: i32,
    holder: String,
    back: String,
    version: Option<i64>,
    sections: Vec<(&'static str, Vec<Input>)>,
    checklist: Vec<CheckInput>,
    others: Vec<String>,
    is_refused: bool,
    /// Nothing can be opened before the association has types of it.
    has_no_types: bool,
    conflict: Option<Conflict>,
}

/// `GET /console/eventos/novo`
pub async fn new(State(app): State<App>, guest: Guest, Kind(kind): Kind, query: Query) -> Response {
    match query.text("codPessoa").parse() {
        Ok(person) => {
            let person = PersonCode::new(person);
            let values = match usual(&app, &guest, kind, person, query.text("codBeneficio")).await {
                Ok(values) => values,
                Err(error) => return show::<Write>(&guest, Err(error)),
            };
            shown(&app, &guest, kind, Filled::new(person, values)).await
        }
        Err(_) => show(&guest, Box::pin(who(&app, &guest, kind, &query)).await),
    }
}

/// What a new one mostly has.
async fn usual(
    app: &App,
    guest: &Guest,
    kind: CaseKind,
    person: PersonCode,
    benefit: &str,
) -> Result<Values, Error> {
    let view = people::member_whole(app, guest.session(), person).await?;
    let benefit = match &view.benefits[..] {
        [(only, _)] if benefit.is_empty() => only.to_string(),
        _ => benefit.to_owned(),
    };
    let mut values = Values::from([("codBeneficio", benefit)]);
    if kind == CaseKind::Claim {
        values.insert("prioridade", names::priority(domain::Priority::Medium).to_owned());
        values.insert("envolvido", names::involved(domain::Involved::Member).to_owned());
    }
    Ok(values)
}

/// Whom it is about.
async fn who(app: &App, guest: &Guest, kind: CaseKind, query: &Query) -> Result<Who, Error> {
    let words = words(kind);
    let frame = Frame::of(app, guest, words.path).await?;
    let text: String = query.text("q").chars().take(200).collect();
    let found = match find::find(app, guest.session(), &text).await {
        Err(Error::Refused(_)) => find::Finds::default(),
        found => found?,
    };
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let rows: Vec<Candidate> = found.rows.iter().map(|one| candidate(&registers, one)).collect();
    let has_more = found.total > rows.len() as i64;
    Ok(Who { frame, words, query: text, rows, has_more })
}

fn candidate(registers: &Registers, found: &Found) -> Candidate {
    let benefit = found.benefit.as_ref().map(|one| CandidateBenefit {
        code: one.code.get(),
        what: one.plate.clone().unwrap_or_else(|| plans(registers, &one.plans)),
        sequence: one.sequence,
        situation: badge(registers, one.situation),
    });
    let document = found.person.document.as_deref().map(shown::document).unwrap_or_default();
    Candidate { person: found.person.code.get(), name: found.person.name.clone(), document, benefit }
}

/// What stands in a form, and what is wrong with it.
struct Filled {
    person: PersonCode,
    values: Values,
    problems: Vec<String>,
    /// `None` of something new.
    had: Option<Box<Whole>>,
    version: Option<i64>,
    checklist: Vec<Checked>,
    conflict: Option<Conflict>,
}

impl Filled {
    fn new(person: PersonCode, values: Values) -> Filled {
        let (problems, checklist) = (Vec::new(), Vec::new());
        Filled { person, values, problems, had: None, version: None, checklist, conflict: None }
    }
}

async fn shown(app: &App, guest: &Guest, kind: CaseKind, filled: Filled) -> Response {
    let is_refused = !filled.problems.is_empty() || filled.conflict.is_some();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    match made(app, guest, kind, filled, is_refused).await {
        Ok(template) => page(status, &template),
        Err(error) => show::<Write>(guest, Err(error)),
    }
}

async fn made(
    app: &App,
    guest: &Guest,
    kind: CaseKind,
    filled: Filled,
    is_refused: bool,
) -> Result<Write, Error> {
    let words = words(kind);
    let frame = Frame::of(app, guest, words.path).await?;
    let context = Context::of(app, guest, kind, &filled).await?;
    let problems = Problems::new(filled.problems, &specs(kind));
    let sections = sections(kind).iter().map(|(title, specs)| {
        (*title, inputs(specs, &filled.values, &problems, |name| context.choices(name)))
    });
    let place = format!("{}/console/{}", root(app), words.path);
    let (title, back) = match &filled.had {
        Some(had) => (
            format!("Alterar {} {}", words.one.to_lowercase(), had.told.case.head().protocol),
            format!("{place}/{}", had.told.code),
        ),
        None => (words.new.to_owned(), place),
    };
    // A line to write one more.
    let further = (kind == CaseKind::Inspection && filled.had.is_some()).then(|| Checked {
        item: String::new(),
        fits: None,
        note: None,
    });
    let checklist = filled.checklist.into_iter().chain(further).enumerate().map(|(number, one)| CheckInput {
        number,
        item: one.item,
        fits: one.fits.map_or("", |fits| if fits { "sim" } else { "nao" }),
        note: one.note.unwrap_or_default(),
    });
    Ok(Write {
        title,
        person: filled.person.get(),
        holder: context.holder.clone(),
        back,
        version: filled.version,
        sections: sections.collect(),
        checklist: checklist.collect(),
        others: problems.others,
        is_refused,
        has_no_types: kind != CaseKind::Appointment && types(&context.registers, kind).is_empty(),
        conflict: filled.conflict,
        frame,
    })
}

async fn finish(app: &App, guest: &Guest, kind: CaseKind, filled: Filled, told: &str) -> Response {
    match Box::pin(act(app, guest, kind, filled)).await {
        Ok(Ok(whole)) => {
            let head = whole.told.case.head();
            let to = format!("{}/console/{}/{}", root(app), words(kind).path, whole.told.code);
            let mut response = redirect(&to);
            tell(&mut response, &told.replace("{}", &head.protocol.to_string()));
            response
        }
        Ok(Err(filled)) => shown(app, guest, kind, *filled).await,
        Err(error) => show::<Write>(guest, Err(error)),
    }
}

/// `POST /console/eventos/novo`
pub async fn create(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(person) = sent.text("codPessoa").parse() else { return Refusal::NotThere.into_response() };
    let person = PersonCode::new(person);
    let filled = Filled::new(person, typed(&specs(kind), &sent));
    let words = words(kind);
    Box::pin(finish(
        &app,
        &guest,
        kind,
        filled,
        &format!("{} {} com o protocolo {{}}.", words.one, words.opened),
    ))
    .await
}

/// `GET /console/eventos/{codigo}/alterar`
pub async fn edit(State(app): State<App>, guest: Guest, Kind(kind): Kind, Number(code): Number) -> Response {
    match cases::one(&app, guest.session(), kind, code).await {
        Ok(whole) => {
            let head = whole.told.case.head();
            let filled = Filled {
                version: Some(head.version.into()),
                checklist: match &whole.told.case {
                    Case::Inspection(own) => own.checklist.clone(),
                    _ => Vec::new(),
                },
                ..Filled::new(head.person, values(&whole))
            };
            let filled = Filled { had: Some(Box::new(whole)), ..filled };
            shown(&app, &guest, kind, filled).await
        }
        Err(error) => show::<Write>(&guest, Err(error)),
    }
}

/// `POST /console/eventos/{codigo}/alterar`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let whole = match cases::one(&app, guest.session(), kind, code).await {
        Ok(whole) => whole,
        Err(error) => return show::<Write>(&guest, Err(error)),
    };
    let filled = Filled {
        version: sent.text("versao").parse().ok(),
        checklist: checklist(&sent),
        ..Filled::new(whole.told.case.head().person, typed(&specs(kind), &sent))
    };
    let filled = Filled { had: Some(Box::new(whole)), ..filled };
    Box::pin(finish(&app, &guest, kind, filled, "As alterações foram salvas.")).await
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/caso_quem.html", |with| {
        let benefit =
            || CandidateBenefit { code: 7, what: with.text(), sequence: 1, situation: with.badge() };
        let row = || Candidate {
            person: 7,
            name: with.text(),
            document: with.text(),
            benefit: with.maybe(benefit),
        };
        crate::rendered::text(&Who {
            frame: with.frame(),
            words: words(CaseKind::Claim),
            query: with.text(),
            rows: with.many(row),
            has_more: with.is_full(),
        })
    }),
    ("console/caso_form.html", |with| {
        let check = || CheckInput { number: 1, item: with.text(), fits: "sim", note: with.text() };
        let page = |conflict| {
            crate::rendered::text(&Write {
                frame: with.frame(),
                title: with.text(),
                person: 7,
                holder: with.text(),
                back: with.text(),
                version: with.maybe(|| 3),
                sections: with.many(|| ("Onde foi", with.inputs())),
                checklist: with.many(check),
                others: with.many(|| with.text()),
                is_refused: with.is_full(),
                has_no_types: true,
                conflict,
            })
        };
        [page(None), page(with.maybe(|| with.conflict()))].concat()
    }),
];
