//! A case is moved to another situation: by its page, or by the board.

use super::{Kind, words};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::badge;
use crate::page::{Refusal, page as answer, show};
use crate::records::sentence;
use crate::situation::{Moving, Target};
use crate::visitor::{Guest, Number, Query, redirect, root, tell};
use app::cases;
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{CaseKind, Rejection};
use wire::read;
use wire::records::SituacaoInput;

/// Where somebody wants a case, as he typed it.
#[derive(Clone, Copy, Default)]
pub struct Wish<'a> {
    pub to: &'a str,
    pub reason: &'a str,
    pub version: &'a str,
}

/// A refusal for people: without the name of the field, which stands elsewhere.
pub fn told(problem: &Rejection) -> String {
    if let Rejection::OldVersion { since, fields, .. } = problem {
        let now = fields.iter().find_map(|one| one.now.as_deref().filter(|_| one.field == "situacao"));
        let now = now.map(|now| format!(" e está em {now}")).unwrap_or_default();
        return format!(
            "Outra pessoa mexeu neste registro em {since}{now}. Nada foi mudado agora: confira como está e, se ainda quiser, \
             mude de novo."
        );
    }
    plain(&wire::refusal::text(problem))
}

/// `motivo: informe por quê.` is `Informe por quê.`
pub fn plain(line: &str) -> String {
    match line.split_once(": ") {
        Some((name, rest)) if !name.contains(' ') => sentence(rest),
        _ => sentence(line),
    }
}

/// Moves a case; says what it did, or why it did nothing.
pub async fn act(
    app: &App,
    guest: &Guest,
    (kind, code): (CaseKind, i32),
    wish: Wish<'_>,
) -> Result<Result<String, Vec<String>>, Error> {
    if wish.to.is_empty() {
        return Ok(Err(vec!["Escolha a nova situação.".to_owned()]));
    }
    let sent = serde_json::json!({"codSituacao": wish.to, "motivo": wish.reason, "versao": wish.version});
    let input = match read::body::<SituacaoInput>(sent.to_string().as_bytes()) {
        Ok(input) => input,
        Err(unread) => {
            return Ok(Err(unread.problems.into_lines().iter().map(|line| plain(line)).collect()));
        }
    };
    let moved = cases::move_to(app, guest.session(), (kind, code), input, Once::each_time()).await;
    match moved.and_then(Done::now) {
        Ok(whole) => {
            let name = badge(&whole.registers, whole.told.case.head().situation).name;
            Ok(Ok(format!(
                "{} {}: a situação agora é {name}.",
                words(kind).one,
                whole.told.case.head().protocol
            )))
        }
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(told).collect())),
        Err(error) => Err(error),
    }
}

/// `GET /console/eventos/{codigo}/situacao`
pub async fn page(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    Number(code): Number,
    query: Query,
) -> Response {
    let wish = Wish { to: query.text("para"), ..Wish::default() };
    let from_board = query.text("volta") == "quadro";
    shown(&app, &guest, (kind, code), (wish, from_board, Vec::new())).await
}

/// The page, with what was typed and what was wrong with it.
pub async fn shown(
    app: &App,
    guest: &Guest,
    (kind, code): (CaseKind, i32),
    (wish, from_board, problems): (Wish<'_>, bool, Vec<String>),
) -> Response {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    match made(app, guest, (kind, code), (wish, from_board, problems)).await {
        Ok(template) => answer(status, &template),
        Err(error) => show::<Moving>(guest, Err(error)),
    }
}

async fn made(
    app: &App,
    guest: &Guest,
    (kind, code): (CaseKind, i32),
    (wish, from_board, problems): (Wish<'_>, bool, Vec<String>),
) -> Result<Moving, Error> {
    let whole = cases::one(app, guest.session(), kind, code).await?;
    let (words, registers, head) = (words(kind), &whole.registers, whole.told.case.head());
    let frame = Frame::of(app, guest, words.path).await?;
    let mut next: Vec<_> = whole.next().collect();
    next.sort_by_key(|one| (one.position, one.code));
    let targets = next.into_iter().map(|one| Target {
        code: one.code.get(),
        name: one.name.clone(),
        badge: badge(registers, one.code),
        is_chosen: one.code.to_string() == wish.to,
    });
    let back = match from_board {
        true => format!("{}/console/{}/quadro", root(app), words.path),
        false => format!("{}/console/{}/{code}", root(app), words.path),
    };
    Ok(Moving {
        back,
        title: format!("{} {}", words.one, head.protocol),
        holder: whole.told.name.clone(),
        situation: badge(registers, head.situation),
        targets: targets.collect(),
        reason: wish.reason.to_owned(),
        hint: "Para cancelar e para reabrir, é obrigatório.",
        version: head.version.into(),
        receivers: registers.receivers_of(kind.entity()).len(),
        return_to: if from_board { "quadro" } else { "" },
        problems,
        frame,
    })
}

/// `POST /console/eventos/{codigo}/situacao`
pub async fn moved(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let wish = Wish {
        to: form.text("codSituacao"),
        reason: form.text("motivo").trim(),
        version: form.text("versao"),
    };
    let from_board = form.text("volta") == "quadro";
    match act(&app, &guest, (kind, code), wish).await {
        Ok(Ok(told)) => {
            let to = if from_board { "quadro".to_owned() } else { code.to_string() };
            let mut response = redirect(&format!("{}/console/{}/{to}", root(&app), words(kind).path));
            tell(&mut response, &told);
            response
        }
        Ok(Err(problems)) => shown(&app, &guest, (kind, code), (wish, from_board, problems)).await,
        Err(error) => show::<Moving>(&guest, Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_without_the_name_of_its_field() {
        assert_eq!(plain("motivo: informe por quê."), "Informe por quê.");
        assert_eq!(plain("escolha outra coisa: esta não."), "Escolha outra coisa: esta não.");
        let reason = Rejection::ReasonNeeded { reopens: false };
        assert_eq!(told(&reason), "Informe por que o registro é cancelado.");
        let stands =
            domain::Stands { field: "situacao".to_owned(), sent: None, now: Some("EM REPARO".to_owned()) };
        let old = Rejection::OldVersion { given: 1, now: 2, since: "hoje".to_owned(), fields: vec![stands] };
        assert!(told(&old).contains("está em EM REPARO"), "{}", told(&old));
    }
}
