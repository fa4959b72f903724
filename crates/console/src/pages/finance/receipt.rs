//! The printable receipt of a settlement.

use super::format_cents;
use super::show::{describe_parts, name_settlement_type};
use crate::http::parameters::PathPartCodes;
use crate::http::refusal::Refusal;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::benefits::describe_stored_benefit;
use askama::Template;
use axum::extract::State;
use domain::finance::LaunchKind;
use domain::{Document, TitleCode};

#[derive(Template)]
#[template(path = "console/recibo.html")]
struct ReceiptPrintPage {
    frame: PageFrame,
    title: i32,
    code: i32,
    is_debit: bool,
    is_reversed: bool,
    holder: String,
    document: String,
    amount: String,
    description: String,
    facts: Vec<(&'static str, String)>,
    /// Time of printing.
    now: String,
}

/// `GET /console/financeiro/titulos/{codigo}/recibo/{parte}`
pub async fn show_receipt(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(code, settlement): PathPartCodes,
) -> HandlerResult {
    let full = finance::read_title(&app, user.session(), TitleCode::new(code)).await?;
    let found = full.settlements.iter().find(|one| one.code.get() == settlement);
    // A credit that pays is no money that comes in: the receipt of the payment that it was left of tells of it.
    let one = found.filter(|one| one.money.is_some()).ok_or(Refusal::NotThere)?;
    let (money, title) = (&full.registers.money, &full.title);
    let benefits = full.benefits.iter().map(|one| describe_stored_benefit(&full.registers, &one.benefit));
    let facts = drop_empty_facts(vec![
        ("Data do pagamento", one.paid_on.to_br()),
        ("Tipo de liquidação", name_settlement_type(money, one)),
        ("Composição", describe_parts(one)),
        ("Vencimento", title.due_on.to_br()),
        ("Benefícios", benefits.collect::<Vec<_>>().join(", ")),
        ("Falta pagar deste título", format_cents(title.open_amount)),
        ("Loja", full.registers.branch_name(title.branch).to_owned()),
        ("Observação", one.note.clone().unwrap_or_default()),
    ]);
    show_page(&ReceiptPrintPage {
        title: code,
        code: settlement,
        is_debit: title.launch_kind != LaunchKind::Credit,
        is_reversed: one.reversal.is_some(),
        holder: full.person.name.clone(),
        document: full.person.document.as_ref().map(Document::to_string).unwrap_or_default(),
        amount: format_cents(one.total + one.credit),
        description: title.description.clone(),
        facts,
        now: format_moment(app.now(), &full.registers.zone),
        frame: PageFrame::load(&app, &user, "financeiro").await?,
    })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/recibo.html", |with| {
    crate::template_tests::render_template(&ReceiptPrintPage {
        frame: with.frame(),
        title: 7,
        code: 7,
        is_debit: with.is_filled(),
        is_reversed: with.is_filled(),
        holder: with.text(),
        document: with.text(),
        amount: with.text(),
        description: with.text(),
        facts: with.facts(),
        now: with.text(),
    })
})];
