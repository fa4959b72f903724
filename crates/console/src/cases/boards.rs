//! The board of a kind: its situations as columns, its cases as cards.

use super::moving::{self, Wish};
use super::{Kind, Words, is_late, planned, type_name, words};
use crate::board::{self, Board, ByScript, Card, Column, age};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::Choice;
use crate::notice::tell;
use crate::page::{Refusal, show};
use crate::show::{count, moment};
use crate::visitor::{Guest, Query, redirect, root};
use app::base::Registers;
use app::cases::Item;
use app::cases::board::{self as boards, Look};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{BranchCode, CaseKind, Moment, Priority, SituationCode, SituationKind};
use wire::names;

#[derive(Template)]
#[template(path = "console/quadro.html")]
struct Page {
    frame: Frame,
    words: Words,
    board: Board,
    branches: Vec<Choice>,
    late: Option<String>,
    /// One column alone is shown.
    is_part: bool,
    /// The whole board, in the same branch.
    whole: String,
}

/// `GET /console/eventos/quadro`
pub async fn page(State(app): State<App>, guest: Guest, Kind(kind): Kind, query: Query) -> Response {
    show(&guest, made(&app, &guest, kind, &query).await)
}

/// The branch of a board, and the addresses that lead back to it.
struct Place {
    kind: CaseKind,
    root: String,
    branch: Option<BranchCode>,
}

impl Place {
    fn of(app: &App, kind: CaseKind, query: &Query) -> Place {
        let branch = query.text("codLoja").parse().ok().map(BranchCode::new);
        Place { kind, root: format!("{}/console/{}", root(app), words(kind).path), branch }
    }

    fn at(&self, rest: &str) -> String {
        let query = self.branch.map(|branch| format!("?codLoja={branch}")).unwrap_or_default();
        format!("{}/quadro{rest}{query}", self.root)
    }

    fn more(&self, situation: SituationCode, (at, code): boards::Behind) -> String {
        let whole = self.at("");
        let join = if whole.contains('?') { '&' } else { '?' };
        format!("{whole}{join}coluna={situation}&depois={}-{code}", at.millis())
    }
}

/// Which column, and behind which card.
fn look(place: &Place, query: &Query) -> Look {
    let behind = query
        .text("depois")
        .split_once('-')
        .and_then(|(at, code)| Some((Moment::from_millis(at.parse().ok()?), code.parse().ok()?)));
    let only = query.text("coluna").parse().ok().map(|code| (SituationCode::new(code), behind));
    Look { branch: place.branch, only }
}

async fn made(app: &App, guest: &Guest, kind: CaseKind, query: &Query) -> Result<Page, Error> {
    let (words, caller, place) = (words(kind), guest.session(), Place::of(app, kind, query));
    let frame = Frame::of(app, guest, words.path).await?;
    let look = look(&place, query);
    let found = boards::board(app, caller, kind, look).await?;
    let registers = &found.registers;
    let late: i64 = found.columns.iter().map(|column| column.late).sum();
    let branches = registers.branches_of(&caller.scope).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: place.branch == Some(one.code),
    });
    let board = Board {
        title: format!("Quadro de {}", words.many.to_lowercase()),
        moves: place.at(""),
        changes: place.at("/mudancas"),
        since: found.now.millis(),
        triggers: crate::situation::told(registers.receivers_of(kind.entity()).len()),
        takes_reason: true,
        columns: columns(&place, &found),
    };
    Ok(Page {
        branches: branches.collect(),
        late: (late > 0).then(|| super::list::past(late)),
        is_part: look.only.is_some(),
        whole: place.at(""),
        board,
        words,
        frame,
    })
}

fn columns(place: &Place, found: &boards::Board) -> Vec<Column> {
    let registers = &found.registers;
    // Also from situations that this part of the board does not show.
    let every: Vec<_> = registers.situations.iter().filter(|one| one.entity == place.kind.entity()).collect();
    let column = |one: &boards::Column| {
        let to = registers.situation(one.situation);
        let closes = to.is_some_and(|to| to.kind.closes());
        let cancels = to.is_some_and(|to| to.kind == SituationKind::Cancelled);
        let is_open = to.is_some_and(|to| to.active);
        let from = every.iter().filter(|from| from.code != one.situation && is_open);
        let from: Vec<_> = from.filter(|from| registers.may_move(from.code, one.situation)).collect();
        let needs_reason = from.iter().filter(|from| cancels || (from.kind.closes() && !closes));
        Column {
            id: one.situation.get(),
            title: to.map_or_else(String::new, |to| to.name.clone()),
            class: format!("s{}", one.situation),
            count: counted(one.total),
            note: if one.late > 0 { super::list::past(one.late) } else { String::new() },
            cards: one.rows.iter().map(|item| card(place, registers, item, found.now)).collect(),
            more: one.next.map(|next| place.more(one.situation, next)),
            newest_first: closes,
            needs_reason: needs_reason.map(|from| from.code.get()).collect(),
            from: from.iter().map(|from| from.code.get()).collect(),
        }
    };
    found.columns.iter().map(column).collect()
}

fn counted(total: i64) -> String {
    match total >= boards::MOST {
        true => format!("{}+", count(boards::MOST)),
        false => count(total),
    }
}

fn card(place: &Place, registers: &Registers, item: &Item, now: Moment) -> Card {
    let head = item.case.head();
    let is_late = is_late(registers, item, now);
    let what = [type_name(registers, &item.case), item.plate.clone().unwrap_or_default()];
    let when = planned(&item.case).map(|at| format!("Para {}", moment(at, &registers.zone)));
    let badge = match item.case.priority() {
        Some(Priority::Urgent) => Some(("wrong", names::priority(Priority::Urgent).to_owned())),
        Some(Priority::High) => Some(("warn", names::priority(Priority::High).to_owned())),
        _ => None,
    };
    let since = age(now.since(head.situation_since));
    let link = format!("{}/{}", place.root, item.code);
    Card {
        id: item.code,
        title: format!("{} · {}", head.protocol, item.name),
        lines: vec![
            what.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · "),
            when.unwrap_or_default(),
            item.responsible.as_ref().map(|name| format!("Cuida: {name}")).unwrap_or_default(),
        ],
        version: head.version.into(),
        badge,
        age: if is_late { format!("{since}, atrasado") } else { since },
        is_late,
        order: head.situation_since.millis(),
        mover: format!("{link}/situacao?volta=quadro"),
        link,
    }
}

/// `GET /console/eventos/quadro/mudancas`
pub async fn changes(State(app): State<App>, guest: Guest, Kind(kind): Kind, query: Query) -> Response {
    let place = Place::of(&app, kind, &query);
    let Some(since) = since(query.text("desde")) else { return board::changed(None) };
    match changed(&app, &guest, &place, since).await {
        Ok(board) => board::changed(board),
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

fn since(text: &str) -> Option<Moment> {
    text.parse().ok().map(Moment::from_millis)
}

async fn changed(
    app: &App,
    guest: &Guest,
    place: &Place,
    since: Moment,
) -> Result<Option<(i64, Vec<Column>)>, Error> {
    let found = boards::changes(app, guest.session(), place.kind, place.branch, since).await?;
    Ok(found.map(|found| (found.now.millis(), columns(place, &found))))
}

/// `POST /console/eventos/quadro`
pub async fn moved(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    query: Query,
    ByScript(by_script): ByScript,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(code) = form.text("codigo").parse::<i32>() else { return Refusal::NotThere.into_response() };
    let place = Place::of(&app, kind, &query);
    let wish =
        Wish { to: form.text("para"), reason: form.text("motivo").trim(), version: form.text("versao") };
    let made = match moving::act(&app, &guest, (kind, code), wish).await {
        Ok(made) => made,
        Err(error) => return show::<Page>(&guest, Err(error)),
    };
    match (by_script, made) {
        (false, Ok(told)) => {
            let mut response = redirect(&place.at(""));
            tell(&mut response, &told);
            response
        }
        (false, Err(problems)) => moving::shown(&app, &guest, (kind, code), (wish, true, problems)).await,
        (true, made) => answered(&app, &guest, &place, since(form.text("desde")), made.err()).await,
    }
}

/// What the script is told of its move: what changed with it and besides, or why it was not made.
async fn answered(
    app: &App,
    guest: &Guest,
    place: &Place,
    since: Option<Moment>,
    problems: Option<Vec<String>>,
) -> Response {
    let now = match since {
        Some(since) => changed(app, guest, place, since).await,
        None => Ok(None),
    };
    match (now, problems) {
        (Ok(board), Some(problems)) => board::refused(board, problems),
        (Ok(board), None) => board::changed(board),
        (Err(error), _) => show::<Page>(guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/quadro.html", |with| {
    crate::rendered::text(&Page {
        frame: with.frame(),
        words: words(CaseKind::Claim),
        board: with.board(),
        branches: with.choices(),
        late: with.maybe(|| with.text()),
        is_part: with.is_full(),
        whole: with.text(),
    })
})];
