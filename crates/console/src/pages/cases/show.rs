//! The page of a case: facts, history, related cases of the same member, and actions.

use super::{CaseKindParam, CaseKindWording, describe_case_kind, fields, find_type_name, is_late};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::pages::attachments::{self, AttachmentSection, UploadReport};
use crate::pages::members::timeline::TimelineEvent;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::board::format_age;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::form_problems::{describe_problem, describe_rejection};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use app::attachments::FileOwnerRecord;
use app::cases::{self, CaseChangeHistory, FullCase};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{Case, CaseKind, ChecklistEntry, FileOwner, Moment, display};
use std::time::Duration;
use wire::read;
use wire::records::{CasoQuery, NotaInput};

/// How long the user who changed a situation can undo the change.
const UNDO_PERIOD: Duration = Duration::from_mins(15);
/// Related cases shown per kind.
const SHOWN_OTHERS: usize = 5;

struct SituationUndo {
    to: i32,
    name: String,
    sentence: String,
}

pub struct RelatedCaseLine {
    pub link: String,
    pub what: String,
    pub opened: String,
    pub situation: SituationBadge,
    pub is_same_benefit: bool,
}

struct ChecklistLine {
    item: String,
    state: &'static str,
    class: &'static str,
    note: String,
}

#[derive(Template)]
#[template(path = "console/caso.html")]
struct ViewCasePage {
    frame: PageFrame,
    words: CaseKindWording,
    code: i32,
    protocol: i32,
    kind: String,
    person: i32,
    holder: String,
    document: String,
    benefit: Option<(i32, String)>,
    situation: SituationBadge,
    since: String,
    due: String,
    is_late: bool,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    description: Option<String>,
    head: Vec<(&'static str, String)>,
    checklist: Vec<ChecklistLine>,
    related: Vec<RelatedCaseLine>,
    others: Vec<RelatedCaseLine>,
    events: Vec<TimelineEvent>,
    undo: Option<SituationUndo>,
    version: i32,
    note_text: String,
    to_member: bool,
    problems: Vec<String>,
    /// `None` for appointments, which have no attachments.
    files: Option<AttachmentSection>,
}

/// `GET /console/eventos/{codigo}`
pub async fn show_case_page(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let (note, report) = (CaseNoteDraft::default(), UploadReport::default());
    show_page(&build_case_page(&app, &user, (kind, code), note, report).await?)
}

/// Renders the page with the problems of an upload.
pub async fn render_case_with_report(
    app: &App,
    user: &SignedInUser,
    (kind, code): (CaseKind, i32),
    report: UploadReport,
) -> HandlerResult {
    let page = build_case_page(app, user, (kind, code), CaseNoteDraft::default(), report).await?;
    render_page(StatusCode::BAD_REQUEST, &page)
}

/// A note that was rejected.
#[derive(Default)]
struct CaseNoteDraft {
    text: String,
    to_member: bool,
    problems: Vec<String>,
}

async fn build_case_page(
    app: &App,
    user: &SignedInUser,
    (kind, code): (CaseKind, i32),
    note: CaseNoteDraft,
    report: UploadReport,
) -> Result<ViewCasePage, Error> {
    let (words, caller) = (describe_case_kind(kind), user.session());
    let full_case = cases::read_case(app, caller, kind, code).await?;
    let history = cases::read_case_history(app, caller, kind, code).await?;
    let frame = PageFrame::load(app, user, words.path).await?;
    let (registers, head) = (&full_case.registers, full_case.resolved_case.case.head());
    let (facts, vehicle, description) = fields::describe_case(&full_case);
    let due = cases::compute_due_moment(registers, head);
    let files = match FileOwner::from_case(kind) {
        Some(owner_kind) => Some(
            attachments::build_attachment_section(
                app,
                user,
                FileOwnerRecord { of: owner_kind, record: code },
                report,
            )
            .await?,
        ),
        None => None,
    };
    let checklist = match &full_case.resolved_case.case {
        Case::Inspection(inspection) => inspection.checklist.iter().map(build_checklist_line).collect(),
        _ => Vec::new(),
    };
    Ok(ViewCasePage {
        code,
        protocol: head.protocol,
        kind: find_type_name(registers, &full_case.resolved_case.case),
        person: head.person.get(),
        holder: full_case.resolved_case.name.clone(),
        document: full_case
            .resolved_case
            .document
            .as_deref()
            .map(display::format_document)
            .unwrap_or_default(),
        benefit: head.benefit.map(|code| (code.get(), full_case.benefit.clone().unwrap_or_default())),
        situation: build_situation_badge(registers, head.situation),
        since: format_age(full_case.now.duration_since(head.situation_since)),
        due: due.map(|due| format_moment(due, &registers.zone)).unwrap_or_default(),
        is_late: is_late(registers, &full_case.resolved_case, full_case.now),
        facts,
        vehicle,
        description,
        head: list_common_facts(&full_case),
        checklist,
        related: full_case.related.iter().map(|one| build_related_line(app, &full_case, kind, one)).collect(),
        others: list_related_cases(app, user, &full_case).await?,
        undo: find_undo(user, &full_case, &history),
        events: list_case_events(kind, &full_case, history),
        version: head.version,
        note_text: note.text,
        to_member: note.to_member,
        problems: note.problems,
        files,
        frame,
        words,
    })
}

/// Facts that every kind has.
pub fn list_common_facts(full_case: &FullCase) -> Vec<(&'static str, String)> {
    let (head, zone) = (full_case.resolved_case.case.head(), &full_case.registers.zone);
    drop_empty_facts(vec![
        ("Abertura", format_moment(head.opened_at, zone)),
        ("Encerramento", head.closed_at.map(|at| format_moment(at, zone)).unwrap_or_default()),
        ("Loja", full_case.registers.branch_name(head.branch).to_owned()),
        ("Quem cuida", full_case.resolved_case.responsible.clone().unwrap_or_default()),
    ])
}

fn build_checklist_line(entry: &ChecklistEntry) -> ChecklistLine {
    let (state, class) = match entry.fits {
        Some(true) => ("Conforme", "fine"),
        Some(false) => ("Não conforme", "wrong"),
        None => ("Não visto", ""),
    };
    ChecklistLine { item: entry.item.clone(), state, class, note: entry.note.clone().unwrap_or_default() }
}

fn build_related_line(
    app: &App,
    full_case: &FullCase,
    kind: CaseKind,
    item: &cases::ResolvedCase,
) -> RelatedCaseLine {
    let (words, registers, head) = (describe_case_kind(kind), &full_case.registers, item.case.head());
    let what = find_type_name(registers, &item.case);
    let dash = if what.is_empty() { "" } else { " · " };
    RelatedCaseLine {
        link: format!("{}/console/{}/{}", derive_root_path(app), words.path, item.code),
        what: format!("{} {}{dash}{what}", words.one, head.protocol),
        opened: format_moment(head.opened_at, &registers.zone),
        situation: build_situation_badge(registers, head.situation),
        is_same_benefit: head.benefit.is_some()
            && head.benefit == full_case.resolved_case.case.head().benefit,
    }
}

/// The member's newest other cases; those of the same benefit come first.
async fn list_related_cases(
    app: &App,
    user: &SignedInUser,
    full_case: &FullCase,
) -> Result<Vec<RelatedCaseLine>, Error> {
    let mut all = Vec::new();
    for kind in CaseKind::ALL {
        let person = ("codPessoa".to_owned(), full_case.resolved_case.case.head().person.to_string());
        let Ok(query) = read::read_query::<CasoQuery>(std::iter::once(person)) else { continue };
        let found = cases::list_cases(app, user.session(), kind, query).await?;
        let is_itself = |one: &cases::ResolvedCase| {
            kind == full_case.resolved_case.case.kind() && one.code == full_case.resolved_case.code
        };
        let rest = found.rows.iter().filter(|one| !is_itself(one)).take(SHOWN_OTHERS);
        all.extend(rest.map(|one| build_related_line(app, full_case, kind, one)));
    }
    all.sort_by_key(|one| !one.is_same_benefit);
    Ok(all)
}

/// Undo form for a situation change that the signed-in user made recently.
fn find_undo(
    user: &SignedInUser,
    full_case: &FullCase,
    history: &CaseChangeHistory,
) -> Option<SituationUndo> {
    let registers = &full_case.registers;
    let last = history.moves.last()?;
    let is_own = last.user == Some(user.session().user);
    let is_fresh = full_case.now.duration_since(last.at) < UNDO_PERIOD;
    let to = registers
        .situation(last.from?)
        .filter(|to| to.active && registers.may_change_situation(last.to, to.code))?;
    let is_there = full_case.resolved_case.case.head().situation == last.to;
    (is_own && is_fresh && is_there).then(|| SituationUndo {
        to: to.code.get(),
        name: to.name.clone(),
        sentence: format!("Você mudou a situação {}.", format_age(full_case.now.duration_since(last.at))),
    })
}

/// Situation changes, field changes and notes, newest first.
fn list_case_events(kind: CaseKind, full_case: &FullCase, history: CaseChangeHistory) -> Vec<TimelineEvent> {
    let registers = &full_case.registers;
    let who = |name: Option<String>| name.unwrap_or_else(|| "Sistema".to_owned());
    let mut all: Vec<(Moment, TimelineEvent)> = Vec::new();
    let mut put = |at: Moment, who: String, situation: Option<SituationBadge>, text: String| {
        all.push((
            at,
            TimelineEvent { when: format_moment(at, &registers.zone), who, situation, text, link: None, at },
        ));
    };
    for one in history.moves {
        put(
            one.at,
            who(one.user_name),
            Some(build_situation_badge(registers, one.to)),
            one.reason.unwrap_or_default(),
        );
    }
    for one in history.fields {
        let change = one.change;
        let value = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
        if change.field == "arquivo" {
            let text = attachments::describe_file_change(change.before.as_deref(), change.after.as_deref());
            put(one.at, who(one.user_name), None, text);
            continue;
        }
        let name = fields::find_case_label(kind, &change.field);
        let text = format!("{name}: de {} para {}", value(change.before), value(change.after));
        put(one.at, who(one.user_name), None, text);
    }
    for one in &full_case.notes {
        let what = if one.is_message { "Mensagem ao associado" } else { "Nota" };
        put(one.written_at, who(one.user_name.clone()), None, format!("{what}: {}", one.text));
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().rev().map(|(_, event)| event).collect()
}

/// `POST /console/eventos/{codigo}/nota`
pub async fn add_note(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let (text, to_member) = (form.text("texto").trim(), !form.text("paraAssociado").is_empty());
    let body = serde_json::json!({"texto": text, "paraAssociado": to_member});
    let problems = match read::read_record::<NotaInput>(&body) {
        Err(_) if text.is_empty() => vec!["Escreva a nota.".to_owned()],
        Err(unread) => unread.problems.into_problems().iter().map(describe_problem).collect(),
        Ok(input) => {
            let noted = cases::add_case_note(
                &app,
                user.session(),
                (kind, code),
                input,
                IdempotentWrite::without_key(),
            )
            .await;
            match noted.and_then(WriteOutcome::into_fresh) {
                Ok(_) => {
                    let path = describe_case_kind(kind).path;
                    let to = format!("{}/console/{path}/{code}", derive_root_path(&app));
                    return Ok(redirect_with_notice(&to, "A nota foi escrita."));
                }
                Err(Error::Refused(problems)) => problems.iter().map(describe_rejection).collect(),
                Err(error) => return Err(error.into()),
            }
        }
    };
    let draft = CaseNoteDraft { text: text.to_owned(), to_member, problems };
    let page = build_case_page(&app, &user, (kind, code), draft, UploadReport::default()).await?;
    render_page(StatusCode::BAD_REQUEST, &page)
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/caso.html", |with| {
    let other = || RelatedCaseLine {
        link: with.text(),
        what: with.text(),
        opened: with.text(),
        situation: with.badge(),
        is_same_benefit: true,
    };
    let check = || ChecklistLine { item: with.text(), state: "Conforme", class: "fine", note: with.text() };
    crate::template_tests::render_template(&ViewCasePage {
        frame: with.frame(),
        words: describe_case_kind(CaseKind::Claim),
        code: 7,
        protocol: 4711,
        kind: with.text(),
        person: 7,
        holder: with.text(),
        document: with.text(),
        benefit: with.option_of(|| (7, with.text())),
        situation: with.badge(),
        since: with.text(),
        due: with.text(),
        is_late: with.is_filled(),
        facts: with.facts(),
        vehicle: with.facts(),
        description: with.option_of(|| with.text()),
        head: with.facts(),
        checklist: with.list_of(check),
        related: with.list_of(other),
        others: with.list_of(other),
        events: with.list_of(|| with.event()),
        undo: with.option_of(|| SituationUndo { to: 3, name: with.text(), sentence: with.text() }),
        version: 3,
        note_text: with.text(),
        to_member: with.is_filled(),
        problems: with.list_of(|| with.text()),
        files: with.option_of(|| AttachmentSection::sample(*with)),
    })
})];
