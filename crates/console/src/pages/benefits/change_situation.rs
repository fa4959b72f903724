//! `/console/beneficios/{codigo}/situacao`: changes a benefit's situation and undoes the change. Both use the same
//! operation, so receivers are notified of the undo too.

use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::pages::finance::benefit_titles::{choose_next_page, describe_revision, load_title_section};
use crate::session::notice::{add_notice, add_undo_notice, redirect_with_outcome};
use crate::session::signed_in_user::SignedInUser;
use crate::session::undo_form::UndoForm;
use crate::widgets::form_problems::{describe_problem, describe_rejection};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::situation_badge::build_situation_badge;
use crate::widgets::situation_form::{NextSituation, SituationChangePage};
use app::benefits::{self, FullBenefit, describe_stored_benefit};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use axum::extract::State;
use axum::http::StatusCode;
use domain::{BenefitCode, Entity, SituationCode};
use wire::read;
use wire::records::SituacaoBeneficioInput;

/// Reason recorded in the history for an undo.
const UNDONE: &str = "Desfeito";

pub async fn show_situation_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    render_situation_form(&app, &user, BenefitCode::new(code), ("", "", Vec::new())).await
}

async fn render_situation_form(
    app: &App,
    user: &SignedInUser,
    code: BenefitCode,
    (chosen, reason, problems): (&str, &str, Vec<String>),
) -> HandlerResult {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let view = benefits::read_full_benefit(app, user.session(), code).await?;
    let frame = PageFrame::load(app, user, "beneficios").await?;
    let registers = &view.registers;
    let now = view.benefit.situation;
    let open: Vec<_> = registers
        .active_situations(Entity::Benefit)
        .filter(|one| one.code != now && registers.may_change_situation(now, one.code))
        .collect();
    let codes = open.iter().map(|one| one.code).collect();
    let (titles, previews) = load_title_section(app, user, &view, codes).await?;
    let describe_consequence = |code: SituationCode| {
        let preview = previews.iter().find(|one| one.situation == code);
        preview.map(|one| describe_revision(&one.revision)).unwrap_or_default()
    };
    let targets = open.iter().map(|one| NextSituation {
        code: one.code.get(),
        name: one.name.clone(),
        badge: build_situation_badge(registers, one.code),
        is_chosen: one.code.to_string() == chosen,
        consequence: describe_consequence(one.code),
    });
    let template = SituationChangePage {
        frame,
        back: format!("{}/console/beneficios/{code}", derive_root_path(app)),
        hint: "Para cancelar e para reativar, é obrigatório.",
        return_to: "",
        title: describe_stored_benefit(registers, &view.benefit),
        holder: view.holder.name.clone(),
        situation: build_situation_badge(registers, now),
        targets: targets.collect(),
        reason: reason.to_owned(),
        version: view.benefit.version,
        receivers: registers.receivers_for(Entity::Benefit).len(),
        titles,
        problems,
    };
    render_page(status, &template)
}

async fn change_situation(
    app: &App,
    user: &SignedInUser,
    code: BenefitCode,
    (to, reason, version): (&str, &str, &str),
) -> Result<Result<FullBenefit, Vec<String>>, Error> {
    let body = serde_json::json!({"codSituacao": to, "motivo": reason, "versao": version});
    let input = match read::read_record::<SituacaoBeneficioInput>(&body) {
        Ok(input) => input,
        Err(unread) => {
            return Ok(Err(unread.problems.into_problems().iter().map(describe_problem).collect()));
        }
    };
    match benefits::change_benefit_situation(app, user.session(), code, input, IdempotentWrite::without_key())
        .await
        .and_then(WriteOutcome::into_fresh)
    {
        Ok(view) => Ok(Ok(view)),
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(describe_rejection).collect())),
        Err(error) => Err(error),
    }
}

pub async fn submit_situation_change(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let code = BenefitCode::new(code);
    let (to, reason) = (form.text("codSituacao"), form.text("motivo").trim());
    if to.is_empty() {
        let problems = vec!["Escolha a nova situação.".to_owned()];
        return render_situation_form(&app, &user, code, (to, reason, problems)).await;
    }
    let view = match change_situation(&app, &user, code, (to, reason, form.text("versao"))).await? {
        Ok(view) => view,
        Err(problems) => return render_situation_form(&app, &user, code, (to, reason, problems)).await,
    };
    let (page, addition) = choose_next_page(&app, &user, code).await?;
    let mut response = redirect_to(&page);
    let name = build_situation_badge(&view.registers, view.benefit.situation).name;
    let text = format!("A situação agora é {name}.{addition}");
    match find_undo_form(&view, form.text("de")) {
        Some(undo) => add_undo_notice(&mut response, &text, &undo),
        None => add_notice(&mut response, &text),
    }
    Ok(response)
}

/// Undo form, if the tenant's rules allow the change back to the previous situation.
fn find_undo_form(view: &FullBenefit, previous_code: &str) -> Option<UndoForm> {
    let (registers, now): (&TenantRegisters, _) = (&view.registers, view.benefit.situation);
    let previous_code = SituationCode::new(previous_code.parse().ok()?);
    let previous_situation = registers
        .active_situations(Entity::Benefit)
        .find(|one| one.code == previous_code && one.code != now)?;
    let fields =
        [("para", previous_situation.code.to_string()), ("versao", view.benefit.version.to_string())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let action = format!("/console/beneficios/{}/situacao/desfazer", view.code);
    registers.may_change_situation(now, previous_code).then(|| UndoForm::new(action, &fields))
}

/// `POST /console/beneficios/{codigo}/situacao/desfazer`
pub async fn undo_situation_change(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let code = BenefitCode::new(code);
    let change = (form.text("para"), UNDONE, form.text("versao"));
    let outcome = match change_situation(&app, &user, code, change).await? {
        Ok(view) => {
            let name = build_situation_badge(&view.registers, view.benefit.situation).name;
            Ok(format!("Desfeito: a situação voltou a ser {name}."))
        }
        Err(problems) => Err(format!("Não foi desfeito. {}", problems.join(" "))),
    };
    Ok(redirect_with_outcome(&format!("{}/console/beneficios/{code}", derive_root_path(&app)), outcome))
}
