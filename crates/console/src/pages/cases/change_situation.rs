//! Changes the situation of a case, from its page or from the board.

use super::{CaseKindParam, describe_case_kind};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::derive_root_path;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_problems::{describe_problem, describe_rejection};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::situation_badge::build_situation_badge;
use crate::widgets::situation_form::{NextSituation, SituationChangePage};
use app::cases;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use axum::extract::State;
use axum::http::StatusCode;
use domain::CaseKind;
use wire::read;
use wire::records::SituacaoInput;

/// The requested change, as typed.
#[derive(Clone, Copy, Default)]
pub struct SituationChangeInput<'a> {
    pub to: &'a str,
    pub reason: &'a str,
    pub version: &'a str,
}

/// Returns the text of the notice, or the problems.
pub async fn change_case_situation(
    app: &App,
    user: &SignedInUser,
    (kind, code): (CaseKind, i32),
    change: SituationChangeInput<'_>,
) -> Result<Result<String, Vec<String>>, Error> {
    if change.to.is_empty() {
        return Ok(Err(vec!["Escolha a nova situação.".to_owned()]));
    }
    let body =
        serde_json::json!({"codSituacao": change.to, "motivo": change.reason, "versao": change.version});
    let input = match read::read_record::<SituacaoInput>(&body) {
        Ok(input) => input,
        Err(unread) => {
            return Ok(Err(unread.problems.into_problems().iter().map(describe_problem).collect()));
        }
    };
    let moved = cases::change_case_situation(
        app,
        user.session(),
        (kind, code),
        input,
        IdempotentWrite::without_key(),
    )
    .await;
    match moved.and_then(WriteOutcome::into_fresh) {
        Ok(full_case) => {
            let name =
                build_situation_badge(&full_case.registers, full_case.resolved_case.case.head().situation)
                    .name;
            Ok(Ok(format!(
                "{} {}: a situação agora é {name}.",
                describe_case_kind(kind).one,
                full_case.resolved_case.case.head().protocol
            )))
        }
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(describe_rejection).collect())),
        Err(error) => Err(error),
    }
}

/// `GET /console/eventos/{codigo}/situacao`
pub async fn show_situation_page(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
    query: QueryParams,
) -> HandlerResult {
    let change = SituationChangeInput { to: query.text("para"), ..SituationChangeInput::default() };
    let from_board = query.text("volta") == "quadro";
    render_situation_page(&app, &user, (kind, code), (change, from_board, Vec::new())).await
}

/// Renders the page with the submitted values and their problems.
pub async fn render_situation_page(
    app: &App,
    user: &SignedInUser,
    (kind, code): (CaseKind, i32),
    (change, from_board, problems): (SituationChangeInput<'_>, bool, Vec<String>),
) -> HandlerResult {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let full_case = cases::read_case(app, user.session(), kind, code).await?;
    let (words, registers, head) =
        (describe_case_kind(kind), &full_case.registers, full_case.resolved_case.case.head());
    let frame = PageFrame::load(app, user, words.path).await?;
    let mut next: Vec<_> = full_case.next_situations().collect();
    next.sort_by_key(|one| (one.position, one.code));
    let targets = next.into_iter().map(|one| NextSituation {
        code: one.code.get(),
        name: one.name.clone(),
        badge: build_situation_badge(registers, one.code),
        is_chosen: one.code.to_string() == change.to,
        consequence: String::new(),
    });
    let back = match from_board {
        true => format!("{}/console/{}/quadro", derive_root_path(app), words.path),
        false => format!("{}/console/{}/{code}", derive_root_path(app), words.path),
    };
    let page = SituationChangePage {
        back,
        title: format!("{} {}", words.one, head.protocol),
        holder: full_case.resolved_case.name.clone(),
        situation: build_situation_badge(registers, head.situation),
        targets: targets.collect(),
        reason: change.reason.to_owned(),
        hint: "Para cancelar e para reabrir, é obrigatório.",
        version: head.version.into(),
        receivers: registers.receivers_for(kind.entity()).len(),
        return_to: if from_board { "quadro" } else { "" },
        titles: None,
        problems,
        frame,
    };
    render_page(status, &page)
}

/// `POST /console/eventos/{codigo}/situacao`
pub async fn submit_situation_change(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let change = SituationChangeInput {
        to: form.text("codSituacao"),
        reason: form.text("motivo").trim(),
        version: form.text("versao"),
    };
    let from_board = form.text("volta") == "quadro";
    match change_case_situation(&app, &user, (kind, code), change).await? {
        Ok(notice) => {
            let to = if from_board { "quadro".to_owned() } else { code.to_string() };
            let to = format!("{}/console/{}/{to}", derive_root_path(&app), describe_case_kind(kind).path);
            Ok(redirect_with_notice(&to, &notice))
        }
        Err(problems) => {
            render_situation_page(&app, &user, (kind, code), (change, from_board, problems)).await
        }
    }
}
