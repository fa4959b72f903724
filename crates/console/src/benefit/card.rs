//! `/console/beneficios/{codigo}/cartao`: the card to print, with those of the dependents.

use super::what;
use crate::frame::Frame;
use crate::page::show;
use crate::visitor::{Guest, Number};
use crate::words;
use app::benefits;
use app::{App, Error, dependents};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{BenefitCode, shown};

struct One {
    name: String,
    /// What a dependent is of the holder.
    role: &'static str,
    digits: String,
}

#[derive(Template)]
#[template(path = "console/cartao.html")]
struct Card {
    frame: Frame,
    code: i32,
    base: String,
    holder: String,
    cards: Vec<One>,
    what: String,
    plans: String,
    since: String,
}

pub async fn card(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, BenefitCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, code: BenefitCode) -> Result<Card, Error> {
    let view = benefits::whole(app, guest.session(), code).await?;
    let frame = Frame::of(app, guest, "beneficios").await?;
    let (benefit, registers) = (&view.benefit, &view.registers);
    let plans = benefit.plans.iter().filter_map(|(plan, _)| Some(registers.plan(*plan)?.name.as_str()));
    let text = |card: &Option<domain::CardNumber>| card.as_ref().map(ToString::to_string).unwrap_or_default();
    let own = One { name: view.holder.name.clone(), role: "Titular", digits: text(&benefit.card) };
    let others = dependents::list(app, guest.session(), code).await?;
    let others = others.rows.iter().filter(|(_, one)| one.active).map(|(_, one)| One {
        name: one.name.clone(),
        role: words::kinship(one.kinship),
        digits: text(&one.card),
    });
    Ok(Card {
        code: code.get(),
        base: frame.base.clone(),
        holder: view.holder.name.clone(),
        cards: std::iter::once(own).chain(others).collect(),
        what: what(registers, benefit),
        plans: plans.collect::<Vec<_>>().join(", "),
        since: benefit.joined_on.as_deref().map(shown::day).unwrap_or_default(),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/cartao.html", |with| {
    let card = || One { name: with.text(), role: "Filho", digits: with.text() };
    crate::rendered::text(&Card {
        frame: with.frame(),
        code: 7,
        base: with.text(),
        holder: with.text(),
        cards: with.many(card),
        what: with.text(),
        plans: with.text(),
        since: with.text(),
    })
})];
