//! Turns the submitted form of a case into a record and saves it.

use super::EditCaseState;
use crate::http::form::SubmittedForm;
use crate::pages::cases::fields::find_case_label;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::record_form::build_record;
use crate::widgets::version_conflict::VersionConflict;
use app::cases::{self, FullCase};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members::search::FoundMemberRow;
use app::quick_search;
use app::{App, Error};
use domain::{CaseKind, ChecklistEntry, Document, PersonCode, Rejection};
use serde_json::{Value, json};
use wire::read;
use wire::records::{
    CasoQuery, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, VistoriaGestaoInput,
};
use wire::refusal::RequestProblem;

/// Each related claim costs a lookup.
const MOST_RELATED: usize = 100;

/// Builds the record; also returns the problems of references that were not found.
async fn build_case_record(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    filled: &EditCaseState,
) -> Result<(Value, Vec<RequestProblem>), Error> {
    let mut values = filled.values.clone();
    let (mut further, mut problems) = (Vec::new(), Vec::new());
    if kind == CaseKind::Claim {
        let (typed, cpf) = (values.remove("relacionados"), values.remove("condutorCpf"));
        if let Some(cpf) = cpf.filter(|text| !text.is_empty()) {
            match find_person_by_document(app, user, &cpf).await? {
                Some(person) => drop(values.insert("codCondutor", person.to_string())),
                None => problems.push(RequestProblem::of(
                    "condutorCpf",
                    "não há ninguém com este CPF nas lojas que você vê.",
                )),
            }
        }
        let codes = parse_related_claims(app, user, &typed.unwrap_or_default(), &mut problems).await?;
        further.push(("relacionados", codes));
    }
    match &filled.stored_case {
        None => {
            values.retain(|_, text| !text.is_empty());
            further.push(("codPessoa", filled.person.get().into()));
        }
        Some(_) => {
            further.push(("versao", filled.version.into()));
            if kind == CaseKind::Inspection {
                let one = |one: &ChecklistEntry| json!({"item": one.item, "conforme": one.fits, "observacao": one.note});
                further.push(("checklist", filled.checklist.iter().map(one).collect()));
            }
        }
    }
    Ok((build_record(&values, &further), problems))
}

/// Finds the person with this document. The search also matches a holder by a dependent's document.
async fn find_person_by_document(
    app: &App,
    user: &SignedInUser,
    text: &str,
) -> Result<Option<PersonCode>, Error> {
    let Ok(document) = Document::parse(text) else { return Ok(None) };
    let found = quick_search::search_everything(app, user.session(), text).await?;
    let has_document = |row: &&FoundMemberRow| row.person.document.as_deref() == Some(document.as_str());
    Ok(found.rows.iter().find(has_document).map(|row| row.person.code))
}

/// Codes of the claims with the typed protocols.
async fn parse_related_claims(
    app: &App,
    user: &SignedInUser,
    typed: &str,
    problems: &mut Vec<RequestProblem>,
) -> Result<Value, Error> {
    let mut codes = Vec::new();
    let typed = typed.split([',', ';', ' ']).filter(|text| !text.is_empty());
    if typed.clone().count() > MOST_RELATED {
        problems
            .push(RequestProblem::of("relacionados", format!("escolha no máximo {MOST_RELATED} eventos.")));
        return Ok(codes.into());
    }
    for text in typed {
        let criteria = std::iter::once(("protocolo".to_owned(), text.to_owned()));
        let found = match read::read_query::<CasoQuery>(criteria) {
            Ok(query) => cases::list_cases(app, user.session(), CaseKind::Claim, query).await?.rows,
            Err(_) => Vec::new(),
        };
        match found.first() {
            Some(one) => codes.push(one.code),
            None => problems
                .push(RequestProblem::of("relacionados", format!("não há evento de protocolo {text}."))),
        }
    }
    Ok(codes.into())
}

fn parse_case_input(kind: CaseKind, record: &Value) -> Result<cases::AnyCaseInput, Vec<RequestProblem>> {
    macro_rules! read {
        ($record:ty, $input:ident) => {
            read::read_record::<$record>(record)
                .map(|parsed| cases::AnyCaseInput::$input(Box::new(parsed)))
                .map_err(|unread| unread.problems.into_problems())
        };
    }
    match kind {
        CaseKind::Claim => read!(EventoGestaoInput, Claim),
        CaseKind::Inspection => read!(VistoriaGestaoInput, Inspection),
        CaseKind::Ticket => read!(HelpDeskGestaoInput, Ticket),
        CaseKind::Appointment => read!(ConsultaGestaoInput, Appointment),
    }
}

/// Opens or changes a case; returns the case, or the form with its problems.
pub async fn save_case(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    mut filled: EditCaseState,
) -> Result<Result<FullCase, Box<EditCaseState>>, Error> {
    let (record, mut problems) = build_case_record(app, user, kind, &filled).await?;
    let input = match parse_case_input(kind, &record) {
        Ok(input) if problems.is_empty() => input,
        Ok(_) => return Ok(Err(Box::new(EditCaseState { problems, ..filled }))),
        Err(more) => {
            problems.extend(more);
            return Ok(Err(Box::new(EditCaseState { problems, ..filled })));
        }
    };
    let caller = user.session();
    let done = match &filled.stored_case {
        None => cases::open_case(app, caller, input, IdempotentWrite::without_key()).await,
        Some(existing) => {
            cases::change_case(
                app,
                caller,
                (existing.resolved_case.code, input),
                IdempotentWrite::without_key(),
            )
            .await
        }
    };
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(full_case) => Ok(Ok(full_case)),
        Err(Error::Refused(refused)) => {
            let others = refused.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
            filled.problems.extend(others.map(wire::refusal::describe_rejection));
            filled.conflict =
                VersionConflict::find_in_rejections(&refused, |name| find_case_label(kind, name));
            // The user now sees both versions, so the next save may overwrite.
            filled.version = filled.conflict.as_ref().map(|one| one.version).or(filled.version);
            Ok(Err(Box::new(filled)))
        }
        Err(error) => Err(error),
    }
}

/// Reads the checklist lines; lines without a name are dropped.
pub fn read_checklist(form: &SubmittedForm) -> Vec<ChecklistEntry> {
    let lines = form.all_texts("item").zip(form.all_texts("conforme")).zip(form.all_texts("notaItem"));
    let lines = lines.map(|((item, fits), note)| ChecklistEntry {
        item: item.trim().to_owned(),
        fits: match fits {
            "sim" => Some(true),
            "nao" => Some(false),
            _ => None,
        },
        note: Some(note.trim().to_owned()).filter(|note| !note.is_empty()),
    });
    lines.filter(|line| !line.item.is_empty()).collect()
}
