//! The board of a funnel: its stages as columns, its open deals as cards.

use super::moving;
use crate::board::{self, Board, ByScript, Card, Column, age};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::Choice;
use crate::notice::tell;
use crate::page::{Refusal, show};
use crate::show::{count, money};
use crate::visitor::{Guest, Query, redirect, root};
use app::deals::FoundDeal;
use app::deals::looked::{self, Look};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{BranchCode, DealCode, FunnelCode, Moment, StageCode};
use std::time::Duration;

/// After so long in one stage a deal has gone cold.
const COLD: Duration = Duration::from_secs(14 * 24 * 3600);
/// A column that no board has: what stands in it is on no board any more.
const NOWHERE: i32 = 0;

#[derive(Template)]
#[template(path = "console/vendas.html")]
struct Page {
    frame: Frame,
    board: Board,
    funnels: Vec<Choice>,
    branches: Vec<Choice>,
    is_mine: bool,
    is_part: bool,
    whole: String,
    is_empty: bool,
}

/// Which board it is, and the addresses that lead back to it.
struct Place {
    root: String,
    look: Look,
}

impl Place {
    fn of(app: &App, guest: &Guest, query: &Query) -> Place {
        let number = |name: &str| query.text(name).parse::<i32>().ok();
        let behind = number("depois").map(DealCode::new);
        let look = Look {
            funnel: number("codFunil").map(FunnelCode::new),
            branch: number("codLoja").map(BranchCode::new),
            responsible: (query.text("meus") == "sim").then_some(guest.session().user),
            only: number("coluna").map(|stage| (StageCode::new(stage), behind)),
        };
        Place { root: root(app), look }
    }

    fn at(&self, rest: &str, more: &[(&str, String)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let code = |code: Option<i32>| code.map(|code| code.to_string());
        let own = [
            ("codFunil", code(self.look.funnel.map(FunnelCode::get))),
            ("codLoja", code(self.look.branch.map(BranchCode::get))),
            ("meus", self.look.responsible.map(|_| "sim".to_owned())),
        ];
        let own = own.iter().filter_map(|(name, value)| Some((*name, value.clone()?)));
        query.extend_pairs(own.chain(more.iter().map(|(name, value)| (*name, value.clone()))));
        match query.finish() {
            empty if empty.is_empty() => format!("{}/console/vendas{rest}", self.root),
            some => format!("{}/console/vendas{rest}?{some}", self.root),
        }
    }
}

/// `GET /console/vendas`
pub async fn page(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<Page, Error> {
    let place = Place::of(app, guest, query);
    let frame = Frame::of(app, guest, "vendas").await?;
    let found = looked::board(app, guest.session(), place.look).await?;
    let registers = &found.registers;
    let funnels = registers.funnels.iter().filter(|one| one.active).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: one.code == found.funnel,
    });
    let branches = registers.branches_of(&guest.session().scope).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: place.look.branch == Some(one.code),
    });
    let is_empty = found.columns.iter().all(|column| column.count == 0);
    Ok(Page {
        funnels: funnels.collect(),
        branches: branches.collect(),
        is_mine: place.look.responsible.is_some(),
        is_part: place.look.only.is_some(),
        whole: place.at("", &[]),
        board: Board {
            title: "Quadro de vendas".to_owned(),
            moves: place.at("", &[]),
            changes: place.at("/mudancas", &[]),
            since: found.now.millis(),
            triggers: "Mudar de etapa não avisa nenhum sistema.".to_owned(),
            takes_reason: false,
            columns: columns(&place, &found),
        },
        is_empty: is_empty && query.text("codLoja").is_empty() && place.look.responsible.is_none(),
        frame,
    })
}

fn columns(place: &Place, found: &looked::Board) -> Vec<Column> {
    let registers = &found.registers;
    let stages = registers.funnel(found.funnel).map_or(&[][..], |funnel| &funnel.stages);
    let column = |one: &looked::Column| {
        let stage = stages.iter().find(|stage| stage.code == one.stage);
        let is_open = stage.is_some_and(|stage| stage.active);
        let from = stages.iter().filter(|from| from.code != one.stage && is_open);
        Column {
            id: one.stage.get(),
            title: stage.map_or_else(String::new, |stage| stage.name.clone()),
            class: format!("e{}", one.stage),
            count: count(one.count),
            note: if one.total > 0 { money(one.total) } else { String::new() },
            cards: one.cards.iter().map(|card| self::card(place, card, found)).collect(),
            more: one
                .next
                .map(|next| place.at("", &[("coluna", one.stage.to_string()), ("depois", next.to_string())])),
            newest_first: false,
            from: from.map(|from| from.code.get()).collect(),
            needs_reason: Vec::new(),
        }
    };
    let gone = (!found.gone.is_empty()).then(|| Column {
        id: NOWHERE,
        title: String::new(),
        class: String::new(),
        count: String::new(),
        note: String::new(),
        cards: found.gone.iter().map(|card| self::card(place, card, found)).collect(),
        more: None,
        newest_first: false,
        from: Vec::new(),
        needs_reason: Vec::new(),
    });
    found.columns.iter().map(column).chain(gone).collect()
}

fn card(place: &Place, one: &FoundDeal, found: &looked::Board) -> Card {
    let (deal, span) = (&one.deal, found.now.since(one.deal.stage_since));
    let what = deal.title.clone().or_else(|| deal.vehicle.model.clone()).unwrap_or_default();
    let link = format!("{}/console/vendas/{}", place.root, one.code);
    let is_cold = span >= COLD;
    Card {
        id: one.code.get(),
        title: one.name.clone(),
        lines: vec![
            what,
            deal.price.map(money).unwrap_or_default(),
            one.responsible_name.as_ref().map(|name| format!("Cuida: {name}")).unwrap_or_default(),
        ],
        version: deal.version,
        badge: None,
        age: if is_cold { format!("{}, parado", age(span)) } else { age(span) },
        is_late: is_cold,
        order: one.code.get().into(),
        mover: format!("{link}#mover"),
        link,
    }
}

/// `GET /console/vendas/mudancas`
pub async fn changes(State(app): State<App>, guest: Guest, query: Query) -> Response {
    let place = Place::of(&app, &guest, &query);
    answered(&app, &guest, &place, query.text("desde"), Vec::new()).await
}

/// What changed since somebody looked, or why a move was not made.
async fn answered(app: &App, guest: &Guest, place: &Place, since: &str, problems: Vec<String>) -> Response {
    let found = match since.parse().map(Moment::from_millis) {
        Ok(since) => looked::changes(app, guest.session(), place.look, since).await,
        Err(_) => Ok(None),
    };
    let board = match found {
        Ok(found) => found.map(|found| (found.now.millis(), columns(place, &found))),
        Err(error) => return show::<Page>(guest, Err(error)),
    };
    match problems.is_empty() {
        true => board::changed(board),
        false => board::refused(board, problems),
    }
}

/// `POST /console/vendas`
pub async fn moved(
    State(app): State<App>,
    guest: Guest,
    query: Query,
    ByScript(by_script): ByScript,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(code) = form.text("codigo").parse().map(DealCode::new) else {
        return Refusal::NotThere.into_response();
    };
    let place = Place::of(&app, &guest, &query);
    match moving::to_stage(&app, &guest, code, (form.text("para"), form.text("versao"))).await {
        Ok(made) if by_script => {
            answered(&app, &guest, &place, form.text("desde"), made.err().unwrap_or_default()).await
        }
        Ok(made) => {
            let mut response = redirect(&place.at("", &[]));
            tell(&mut response, &made.unwrap_or_else(|problems| problems.join(" ")));
            response
        }
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/vendas.html", |with| {
    crate::rendered::text(&Page {
        frame: with.frame(),
        board: with.board(),
        funnels: with.choices(),
        branches: with.choices(),
        is_mine: with.is_full(),
        is_part: with.is_full(),
        whole: with.text(),
        is_empty: !with.is_full(),
    })
})];
