//! `/console/beneficios/{codigo}/cartao`: the printable card of a benefit, with the cards of its dependents.

use crate::http::parameters::PathNumber;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::frame::PageFrame;
use crate::widgets::labels;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::benefits::{self, describe_stored_benefit};
use app::members::dependents;
use askama::Template;
use axum::extract::State;
use domain::{BenefitCode, Date};

struct PrintedCard {
    name: String,
    /// `Titular`, or the kinship of a dependent.
    role: &'static str,
    digits: String,
}

#[derive(Template)]
#[template(path = "console/cartao.html")]
struct PrintCardPage {
    frame: PageFrame,
    code: i32,
    base: String,
    holder: String,
    cards: Vec<PrintedCard>,
    what: String,
    plans: String,
    since: String,
}

pub async fn show_card_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let code = BenefitCode::new(code);
    let view = benefits::read_full_benefit(&app, user.session(), code).await?;
    let frame = PageFrame::load(&app, &user, "beneficios").await?;
    let (benefit, registers) = (&view.benefit, &view.registers);
    let plans = benefit.plans.iter().filter_map(|(plan, _)| Some(registers.plan(*plan)?.name.as_str()));
    let text = |card: &Option<domain::CardNumber>| card.as_ref().map(ToString::to_string).unwrap_or_default();
    let holder_card =
        PrintedCard { name: view.holder.name.clone(), role: "Titular", digits: text(&benefit.card) };
    let others = dependents::list_benefit_dependents(&app, user.session(), code).await?;
    let others = others.rows.iter().filter(|(_, one)| one.active).map(|(_, one)| PrintedCard {
        name: one.name.clone(),
        role: labels::label_kinship(one.kinship),
        digits: text(&one.card),
    });
    show_page(&PrintCardPage {
        code: code.get(),
        base: frame.base.clone(),
        holder: view.holder.name.clone(),
        cards: std::iter::once(holder_card).chain(others).collect(),
        what: describe_stored_benefit(registers, benefit),
        plans: plans.collect::<Vec<_>>().join(", "),
        since: benefit.joined_on.map(Date::to_br).unwrap_or_default(),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/cartao.html", |with| {
    let card = || PrintedCard { name: with.text(), role: "Filho", digits: with.text() };
    crate::template_tests::render_template(&PrintCardPage {
        frame: with.frame(),
        code: 7,
        base: with.text(),
        holder: with.text(),
        cards: with.list_of(card),
        what: with.text(),
        plans: with.text(),
        since: with.text(),
    })
})];
