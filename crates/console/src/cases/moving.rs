//! A case is moved to another situation: by its page, or by the board.

use super::{Kind, words};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::badge;
use crate::notice::tell;
use crate::page::{Refusal, page as answer, show};
use crate::records::{bare, told};
use crate::situation::{Moving, Target};
use crate::visitor::{Guest, Number, Query, redirect, root};
use app::cases;
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::CaseKind;
use wire::read;
use wire::records::SituacaoInput;

/// Where somebody wants a case, as he typed it.
#[derive(Clone, Copy, Default)]
pub struct Wish<'a> {
    pub to: &'a str,
    pub reason: &'a str,
    pub version: &'a str,
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
            return Ok(Err(unread.problems.into_lines().iter().map(|line| bare(line)).collect()));
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
