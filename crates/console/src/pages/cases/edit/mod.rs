//! Forms that open and change a case. A new case starts with the search for its member.

mod choices;
mod record;

use super::fields::{fill_case_values, list_field_specs, list_form_sections};
use super::{CaseKindParam, CaseKindWording, describe_case_kind, list_active_types};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::pages::member_list::describe_plans;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use crate::widgets::version_conflict::VersionConflict;
use app::cases::{self, FullCase};
use app::members;
use app::members::search::FoundMemberRow;
use app::quick_search;
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use choices::FormChoiceContext;
use domain::{Case, CaseKind, ChecklistEntry, PersonCode, display};
use record::{read_checklist, save_case};
use wire::set_names;

/// A member found by the search, with one of their benefits.
struct HolderCandidate {
    person: i32,
    name: String,
    document: String,
    benefit: Option<CandidateBenefit>,
}

struct CandidateBenefit {
    code: i32,
    what: String,
    sequence: i32,
    situation: SituationBadge,
}

#[derive(Template)]
#[template(path = "console/caso_quem.html")]
struct ChooseHolderPage {
    frame: PageFrame,
    words: CaseKindWording,
    query: String,
    rows: Vec<HolderCandidate>,
    has_more: bool,
}

/// A checklist line of an inspection form.
struct ChecklistInput {
    number: usize,
    item: String,
    fits: &'static str,
    note: String,
}

#[derive(Template)]
#[template(path = "console/caso_form.html")]
struct EditCasePage {
    frame: PageFrame,
    title: String,
    person: i32,
    holder: String,
    back: String,
    version: Option<i64>,
    sections: Vec<(&'static str, Vec<FormInput>)>,
    checklist: Vec<ChecklistInput>,
    others: Vec<String>,
    is_refused: bool,
    /// A case cannot be opened before the tenant has registered types for it.
    has_no_types: bool,
    conflict: Option<VersionConflict>,
}

/// `GET /console/eventos/novo`
pub async fn show_new_case_form(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    query: QueryParams,
) -> HandlerResult {
    let Ok(person) = query.text("codPessoa").parse() else {
        return show_page(&Box::pin(build_holder_choice(&app, &user, kind, &query)).await?);
    };
    let person = PersonCode::new(person);
    let values = suggest_case_values(&app, &user, kind, person, query.text("codBeneficio")).await?;
    render_case_form(&app, &user, kind, EditCaseState::new(person, values)).await
}

/// Preselects the only benefit and the usual values of a claim.
async fn suggest_case_values(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    person: PersonCode,
    benefit: &str,
) -> Result<FormValues, Error> {
    let view = members::read_member(app, user.session(), person).await?;
    let benefit = match &view.benefits[..] {
        [(only, _)] if benefit.is_empty() => only.to_string(),
        _ => benefit.to_owned(),
    };
    let mut values = FormValues::from([("codBeneficio", benefit)]);
    if kind == CaseKind::Claim {
        values.insert("prioridade", set_names::priority(domain::Priority::Medium).to_owned());
        values.insert("envolvido", set_names::involved(domain::Involved::Member).to_owned());
    }
    Ok(values)
}

/// The first step: the search for the member.
async fn build_holder_choice(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    query: &QueryParams,
) -> Result<ChooseHolderPage, Error> {
    let words = describe_case_kind(kind);
    let frame = PageFrame::load(app, user, words.path).await?;
    let text: String = query.text("q").chars().take(200).collect();
    let found = match quick_search::search_everything(app, user.session(), &text).await {
        Err(Error::Refused(_)) => quick_search::GlobalSearchResult::default(),
        found => found?,
    };
    let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
    let rows: Vec<HolderCandidate> = found.rows.iter().map(|one| build_candidate(&registers, one)).collect();
    let has_more = found.total > rows.len() as i64;
    Ok(ChooseHolderPage { frame, words, query: text, rows, has_more })
}

fn build_candidate(registers: &TenantRegisters, found: &FoundMemberRow) -> HolderCandidate {
    let benefit = found.benefit.as_ref().map(|one| CandidateBenefit {
        code: one.code.get(),
        what: one.plate.clone().unwrap_or_else(|| describe_plans(registers, &one.plans)),
        sequence: one.sequence,
        situation: build_situation_badge(registers, one.situation),
    });
    let document = found.person.document.as_deref().map(display::format_document).unwrap_or_default();
    HolderCandidate { person: found.person.code.get(), name: found.person.name.clone(), document, benefit }
}

/// Form contents and their problems.
struct EditCaseState {
    person: PersonCode,
    values: FormValues,
    problems: Vec<wire::refusal::RequestProblem>,
    /// `None` for a new case.
    stored_case: Option<Box<FullCase>>,
    version: Option<i64>,
    checklist: Vec<ChecklistEntry>,
    conflict: Option<VersionConflict>,
}

impl EditCaseState {
    fn new(person: PersonCode, values: FormValues) -> EditCaseState {
        let (problems, checklist) = (Vec::new(), Vec::new());
        EditCaseState {
            person,
            values,
            problems,
            stored_case: None,
            version: None,
            checklist,
            conflict: None,
        }
    }
}

async fn render_case_form(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    filled: EditCaseState,
) -> HandlerResult {
    let is_refused = !filled.problems.is_empty() || filled.conflict.is_some();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let words = describe_case_kind(kind);
    let frame = PageFrame::load(app, user, words.path).await?;
    let context = FormChoiceContext::load(app, user, kind, &filled).await?;
    let problems = FormProblems::new(filled.problems, &list_field_specs(kind));
    let sections = list_form_sections(kind).iter().map(|(title, specs)| {
        (*title, build_inputs(specs, &filled.values, &problems, |name| context.choices(name)))
    });
    let place = format!("{}/console/{}", derive_root_path(app), words.path);
    let (title, back) = match &filled.stored_case {
        Some(existing) => (
            format!("Alterar {} {}", words.one.to_lowercase(), existing.resolved_case.case.head().protocol),
            format!("{place}/{}", existing.resolved_case.code),
        ),
        None => (words.new.to_owned(), place),
    };
    // An empty line for one more checklist entry.
    let further = (kind == CaseKind::Inspection && filled.stored_case.is_some()).then(|| ChecklistEntry {
        item: String::new(),
        fits: None,
        note: None,
    });
    let checklist =
        filled.checklist.into_iter().chain(further).enumerate().map(|(number, one)| ChecklistInput {
            number,
            item: one.item,
            fits: one.fits.map_or("", |fits| if fits { "sim" } else { "nao" }),
            note: one.note.unwrap_or_default(),
        });
    let page = EditCasePage {
        title,
        person: filled.person.get(),
        holder: context.holder.clone(),
        back,
        version: filled.version,
        sections: sections.collect(),
        checklist: checklist.collect(),
        others: problems.list_others(),
        is_refused,
        has_no_types: kind != CaseKind::Appointment && list_active_types(&context.registers, kind).is_empty(),
        conflict: filled.conflict,
        frame,
    };
    render_page(status, &page)
}

async fn save_case_form(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    filled: EditCaseState,
    notice: &str,
) -> HandlerResult {
    match Box::pin(save_case(app, user, kind, filled)).await? {
        Ok(full_case) => {
            let head = full_case.resolved_case.case.head();
            let to = format!(
                "{}/console/{}/{}",
                derive_root_path(app),
                describe_case_kind(kind).path,
                full_case.resolved_case.code
            );
            Ok(redirect_with_notice(&to, &notice.replace("{}", &head.protocol.to_string())))
        }
        Err(filled) => render_case_form(app, user, kind, *filled).await,
    }
}

/// `POST /console/eventos/novo`
pub async fn open_case(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    form: SubmittedForm,
) -> HandlerResult {
    let person = form.text("codPessoa").parse().map(PersonCode::new).map_err(|_| Refusal::NotThere)?;
    let filled = EditCaseState::new(person, read_form_values(&list_field_specs(kind), &form));
    let words = describe_case_kind(kind);
    Box::pin(save_case_form(
        &app,
        &user,
        kind,
        filled,
        &format!("{} {} com o protocolo {{}}.", words.one, words.opened),
    ))
    .await
}

/// `GET /console/eventos/{codigo}/alterar`
pub async fn show_edit_case_form(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let full_case = cases::read_case(&app, user.session(), kind, code).await?;
    let head = full_case.resolved_case.case.head();
    let filled = EditCaseState {
        version: Some(head.version.into()),
        checklist: match &full_case.resolved_case.case {
            Case::Inspection(inspection) => inspection.checklist.clone(),
            _ => Vec::new(),
        },
        ..EditCaseState::new(head.person, fill_case_values(&full_case))
    };
    let filled = EditCaseState { stored_case: Some(Box::new(full_case)), ..filled };
    render_case_form(&app, &user, kind, filled).await
}

/// `POST /console/eventos/{codigo}/alterar`
pub async fn change_case(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let full_case = cases::read_case(&app, user.session(), kind, code).await?;
    let filled = EditCaseState {
        version: form.text("versao").parse().ok(),
        checklist: read_checklist(&form),
        ..EditCaseState::new(
            full_case.resolved_case.case.head().person,
            read_form_values(&list_field_specs(kind), &form),
        )
    };
    let filled = EditCaseState { stored_case: Some(Box::new(full_case)), ..filled };
    Box::pin(save_case_form(&app, &user, kind, filled, "As alterações foram salvas.")).await
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/caso_quem.html", |with| {
        let benefit =
            || CandidateBenefit { code: 7, what: with.text(), sequence: 1, situation: with.badge() };
        let row = || HolderCandidate {
            person: 7,
            name: with.text(),
            document: with.text(),
            benefit: with.option_of(benefit),
        };
        crate::template_tests::render_template(&ChooseHolderPage {
            frame: with.frame(),
            words: describe_case_kind(CaseKind::Claim),
            query: with.text(),
            rows: with.list_of(row),
            has_more: with.is_filled(),
        })
    }),
    ("console/caso_form.html", |with| {
        let check = || ChecklistInput { number: 1, item: with.text(), fits: "sim", note: with.text() };
        let page = |conflict| {
            crate::template_tests::render_template(&EditCasePage {
                frame: with.frame(),
                title: with.text(),
                person: 7,
                holder: with.text(),
                back: with.text(),
                version: with.option_of(|| 3),
                sections: with.list_of(|| ("Onde foi", with.inputs())),
                checklist: with.list_of(check),
                others: with.list_of(|| with.text()),
                is_refused: with.is_filled(),
                has_no_types: true,
                conflict,
            })
        };
        [page(None), page(with.option_of(|| with.conflict()))].concat()
    }),
];
