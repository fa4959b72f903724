//! The printable receipts: of a settlement, and of money that was received as credit or paid back.

use super::format_cents;
use super::show::{describe_parts, name_settlement_type};
use crate::http::parameters::{PathNumber, PathPartCodes};
use crate::http::refusal::Refusal;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::benefits::describe_stored_benefit;
use app::{App, members};
use askama::Template;
use axum::extract::State;
use domain::finance::LaunchKind;
use domain::{CreditReceiptCode, Document, TitleCode};
use finance::FullCreditMovement;

#[derive(Template)]
#[template(path = "console/recibo.html")]
struct ReceiptPrintPage {
    frame: PageFrame,
    /// Path and name of what it is of.
    record: (String, String),
    /// `Recibo nº 7`
    name: String,
    /// `Recebemos de`
    verb: &'static str,
    /// Whether another system received it.
    is_opening: bool,
    is_reversed: bool,
    holder: String,
    document: String,
    amount: String,
    /// What it was paid for, behind the amount.
    purpose: String,
    facts: Vec<(&'static str, String)>,
    signers: Vec<String>,
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
    let title = &full.title;
    let benefits = full.benefits.iter().map(|one| describe_stored_benefit(&full.registers, &one.benefit));
    let facts = drop_empty_facts(vec![
        ("Data do pagamento", one.paid_on.to_br()),
        ("Tipo de liquidação", name_settlement_type(&full, one)),
        ("Composição", describe_parts(one)),
        ("Vencimento", title.due_on.to_br()),
        ("Benefícios", benefits.collect::<Vec<_>>().join(", ")),
        ("Falta pagar deste título", format_cents(title.open_amount)),
        ("Loja", full.registers.branch_name(title.branch).to_owned()),
        ("Observação", one.note.clone().unwrap_or_default()),
    ]);
    let frame = PageFrame::load(&app, &user, "financeiro").await?;
    show_page(&ReceiptPrintPage {
        record: (format!("/console/financeiro/titulos/{code}"), format!("Título {code}")),
        name: format!("Recibo nº {settlement}"),
        verb: if title.launch_kind == LaunchKind::Credit { "Recebemos de" } else { "Pagamos a" },
        is_opening: full.is_opening_payment(one),
        is_reversed: one.reversal.is_some(),
        holder: full.person.name.clone(),
        document: full.person.document.as_ref().map(Document::to_string).unwrap_or_default(),
        amount: format_cents(one.total + one.credit),
        purpose: format!(", referente a {} (título {code})", title.description),
        facts,
        signers: vec![frame.base.clone()],
        now: format_moment(app.now(), &full.registers.zone),
        frame,
    })
}

/// `GET /console/financeiro/creditos/{codigo}/recibo`
pub async fn show_credit_receipt(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let full = finance::read_credit_receipt(&app, user.session(), CreditReceiptCode::new(code)).await?;
    let holder = members::read_member(&app, user.session(), full.person).await?;
    let frame = PageFrame::load(&app, &user, "financeiro").await?;
    let (movement, profile) = (&full.movement, &holder.profile);
    let is_refund = movement.amount < 0;
    // Who gets money signs for it.
    let signers = is_refund.then(|| profile.name.clone());
    let signers = std::iter::once(frame.base.clone()).chain(signers).collect();
    show_page(&ReceiptPrintPage {
        record: (format!("/console/financeiro/creditos?pessoa={}", full.person), "Crédito".to_owned()),
        name: format!("Recibo de {} nº {code}", if is_refund { "devolução" } else { "crédito" }),
        verb: if is_refund { "Devolvemos a" } else { "Recebemos de" },
        is_opening: false,
        is_reversed: movement.reversal.is_some(),
        holder: profile.name.clone(),
        document: profile.document.as_ref().map(Document::to_string).unwrap_or_default(),
        amount: format_cents(movement.amount.abs()),
        purpose: match is_refund {
            true => " do crédito que tinha conosco".to_owned(),
            false => ", que fica como crédito para os próximos títulos".to_owned(),
        },
        facts: list_credit_facts(&full),
        signers,
        now: format_moment(app.now(), &full.registers.zone),
        frame,
    })
}

fn list_credit_facts(full: &FullCreditMovement) -> Vec<(&'static str, String)> {
    let (movement, registers) = (&full.movement, &full.registers);
    let settlement_type = movement.money.and_then(|(code, _)| registers.money.settlement_type(code));
    drop_empty_facts(vec![
        ("Data do pagamento", movement.happened_on.to_br()),
        ("Tipo de liquidação", settlement_type.map(|one| one.name.clone()).unwrap_or_default()),
        ("Destinava-se ao título", movement.title.map(|code| code.to_string()).unwrap_or_default()),
        ("Loja", registers.branch_name(movement.branch).to_owned()),
        ("Observação", movement.note.clone().unwrap_or_default()),
    ])
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/recibo.html", |with| {
    crate::template_tests::render_template(&ReceiptPrintPage {
        frame: with.frame(),
        record: (with.text(), with.text()),
        name: with.text(),
        verb: "Recebemos de",
        is_opening: with.is_filled(),
        is_reversed: with.is_filled(),
        holder: with.text(),
        document: with.text(),
        amount: with.text(),
        purpose: with.text(),
        facts: with.facts(),
        signers: with.list_of(|| with.text()),
        now: with.text(),
    })
})];
