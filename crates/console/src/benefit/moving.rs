//! `/console/beneficios/{codigo}/situacao`: the change of a situation, and the way back. Both go through the one place that changes
//! situations, so that whoever is told of a change is told of its way back too.

use super::what;
use crate::form::Form;
use crate::frame::Frame;
use crate::members::badge;
use crate::notice::{Undo, tell, tell_undo};
use crate::page::{Refusal, page, show};
use crate::records::{bare, told};
use crate::situation::{Moving, Target};
use crate::visitor::{Guest, Number, redirect, root};
use app::base::Registers;
use app::benefits::{self, View};
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{BenefitCode, Entity, SituationCode};
use wire::read;
use wire::records::SituacaoBeneficioInput;

/// Why a change was taken back, in the history.
const UNDONE: &str = "Desfeito";

pub async fn moving(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    form(&app, &guest, BenefitCode::new(code), ("", "", Vec::new())).await
}

async fn form(
    app: &App,
    guest: &Guest,
    code: BenefitCode,
    (chosen, reason, problems): (&str, &str, Vec<String>),
) -> Response {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let view = match benefits::whole(app, guest.session(), code).await {
        Ok(view) => view,
        Err(error) => return show::<Moving>(guest, Err(error)),
    };
    let frame = match Frame::of(app, guest, "beneficios").await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let registers = &view.registers;
    let now = view.benefit.situation;
    let open = registers
        .situations_of(Entity::Benefit)
        .filter(|one| one.code != now && registers.may_move(now, one.code));
    let targets = open.map(|one| Target {
        code: one.code.get(),
        name: one.name.clone(),
        badge: badge(registers, one.code),
        is_chosen: one.code.to_string() == chosen,
    });
    let template = Moving {
        frame,
        back: format!("{}/console/beneficios/{code}", root(app)),
        hint: "Para cancelar e para reativar, é obrigatório.",
        return_to: "",
        title: what(registers, &view.benefit),
        holder: view.holder.name.clone(),
        situation: badge(registers, now),
        targets: targets.collect(),
        reason: reason.to_owned(),
        version: view.benefit.version,
        receivers: registers.receivers_of(Entity::Benefit).len(),
        problems,
    };
    page(status, &template)
}

async fn moved(
    app: &App,
    guest: &Guest,
    code: BenefitCode,
    (to, reason, version): (&str, &str, &str),
) -> Result<Result<View, Vec<String>>, Error> {
    let sent = serde_json::json!({"codSituacao": to, "motivo": reason, "versao": version});
    let input = match read::body::<SituacaoBeneficioInput>(sent.to_string().as_bytes()) {
        Ok(input) => input,
        Err(unread) => return Ok(Err(unread.problems.into_lines().iter().map(|line| bare(line)).collect())),
    };
    match benefits::move_to(app, guest.session(), code, input, Once::each_time()).await.and_then(Done::now) {
        Ok(view) => Ok(Ok(view)),
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(told).collect())),
        Err(error) => Err(error),
    }
}

pub async fn move_to(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let code = BenefitCode::new(code);
    let (to, reason) = (sent.text("codSituacao"), sent.text("motivo").trim());
    if to.is_empty() {
        let problems = vec!["Escolha a nova situação.".to_owned()];
        return form(&app, &guest, code, (to, reason, problems)).await;
    }
    match moved(&app, &guest, code, (to, reason, sent.text("versao"))).await {
        Ok(Ok(view)) => {
            let mut response = redirect(&format!("{}/console/beneficios/{code}", root(&app)));
            let text = format!("A situação agora é {}.", badge(&view.registers, view.benefit.situation).name);
            match way_back(&view, sent.text("de")) {
                Some(undo) => tell_undo(&mut response, &text, &undo),
                None => tell(&mut response, &text),
            }
            response
        }
        Ok(Err(problems)) => form(&app, &guest, code, (to, reason, problems)).await,
        Err(error) => show::<Moving>(&guest, Err(error)),
    }
}

/// How to go back to where it was, where the association lets it go there.
fn way_back(view: &View, from: &str) -> Option<Undo> {
    let (registers, now): (&Registers, _) = (&view.registers, view.benefit.situation);
    let from = SituationCode::new(from.parse().ok()?);
    let was = registers.situations_of(Entity::Benefit).find(|one| one.code == from && one.code != now)?;
    let fields = [("para", was.code.to_string()), ("versao", view.benefit.version.to_string())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let action = format!("/console/beneficios/{}/situacao/desfazer", view.code);
    registers.may_move(now, from).then(|| Undo::new(action, &fields))
}

/// `POST /console/beneficios/{codigo}/situacao/desfazer`
pub async fn undo(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let code = BenefitCode::new(code);
    let mut response = redirect(&format!("{}/console/beneficios/{code}", root(&app)));
    match moved(&app, &guest, code, (sent.text("para"), UNDONE, sent.text("versao"))).await {
        Ok(Ok(view)) => {
            let name = badge(&view.registers, view.benefit.situation).name;
            tell(&mut response, &format!("Desfeito: a situação voltou a ser {name}."));
        }
        Ok(Err(problems)) => tell(&mut response, &format!("Não foi desfeito. {}", problems.join(" "))),
        Err(error) => return show::<Moving>(&guest, Err(error)),
    }
    response
}
