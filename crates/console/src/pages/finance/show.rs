//! The page of a title: what it is, what was paid, and what can be done with it.

use super::forms::{SentTitleForm, TitleFormKind, build_form, describe_others};
use super::history::{TitleHistoryLine, list_title_history};
use super::pix::ShownPixCode;
use super::slip::TitleSlipCard;
use super::{
    TitleBadge, build_title_badge, describe_price, find_amount_due, format_cents, label_launch_kind,
};
use crate::http::parameters::PathNumber;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::form_input::FormInput;
use crate::widgets::form_token::generate_form_token;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use app::App;
use app::benefits::describe_stored_benefit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::finance::{LaunchKind, PendingChargeSituation, TitleSituation, takes_no_payment};
use domain::{Document, MoneyRight, TitleCode};
use finance::{FullTitle, PixOffer, StoredPendingCharge, StoredSettlement, TitleSlipOffer};
use wire::set_names::{CREDIT_SETTLEMENT, OPENING_SETTLEMENT, legal_nature_label};

struct TitleLineRow {
    item: String,
    nature: &'static str,
    description: String,
    /// Which price it is, or empty.
    price: String,
    amount: String,
}

struct SettlementLine {
    code: i32,
    paid_on: String,
    kind: String,
    account: String,
    /// Whether a receipt can be printed of it.
    has_receipt: bool,
    /// What it is made of, if that is more than the value.
    parts: String,
    total: String,
    by: String,
    note: String,
    /// When it was reversed, by whom, and why.
    reversal: Option<(String, String, String)>,
    /// The form that reverses it, if that is possible.
    reverse: Option<Vec<FormInput>>,
    is_refused: bool,
}

#[derive(Template)]
#[template(path = "console/titulo.html")]
struct ViewTitlePage {
    frame: PageFrame,
    code: i32,
    description: String,
    badge: TitleBadge,
    person: i32,
    holder: String,
    document: String,
    is_debit: bool,
    amount: String,
    open_amount: String,
    /// What settles it today and how that comes about, if it is open.
    due_today: Option<(String, String)>,
    facts: Vec<(&'static str, String)>,
    note: String,
    cancelled_because: String,
    lines: Vec<TitleLineRow>,
    benefits: Vec<(i32, String)>,
    settlements: Vec<SettlementLine>,
    history: Vec<TitleHistoryLine>,
    receive: Option<Vec<FormInput>>,
    due_day: Option<Vec<FormInput>>,
    cancel: Option<Vec<FormInput>>,
    may_release: bool,
    /// How much of the person's credit can pay it, if that is something.
    usable_credit: Option<String>,
    /// Whether a payment of it that comes in becomes the person's credit.
    becomes_credit: bool,
    /// The code that it is paid by, if one is valid.
    pix_code: Option<ShownPixCode>,
    may_issue_pix: bool,
    /// The slip that it is paid by, or that can be issued.
    slip: Option<TitleSlipCard>,
    /// The form that was refused: `receber`, `vencimento`, `cancelar`, or empty.
    refused: &'static str,
    problems: Vec<String>,
    is_refused: bool,
    token: String,
}

/// `GET /console/financeiro/titulos/{codigo}`
pub async fn show_title_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    render_title_page(&app, &user, TitleCode::new(code), None).await
}

/// Renders the page, with a form that was refused.
pub async fn render_title_page(
    app: &App,
    user: &SignedInUser,
    code: TitleCode,
    sent: Option<SentTitleForm>,
) -> HandlerResult {
    let full = finance::read_title(app, user.session(), code).await?;
    let frame = PageFrame::load(app, user, "financeiro").await?;
    let status = if sent.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let pix = finance::read_pix_offer(app, user.session(), &full).await?;
    let slip = finance::read_slip_offer(app, user.session(), &full).await?;
    let page = build_title_page((&full, &pix, &slip), user, (frame, generate_form_token(app)), sent.as_ref());
    render_page(status, &page)
}

fn build_title_page(
    (full, pix, slip): (&FullTitle, &PixOffer, &TitleSlipOffer),
    user: &SignedInUser,
    (frame, token): (PageFrame, String),
    sent: Option<&SentTitleForm>,
) -> ViewTitlePage {
    let (title, registers) = (&full.title, &full.registers);
    let may_settle = user.may_with_money(MoneyRight::SettleTitles);
    let is_open = title.situation == TitleSituation::Open;
    let is_pending = title.situation == TitleSituation::Pending;
    let has_settlement = full.settlements.iter().any(|one| one.reversal.is_none());
    let pix_code = match pix {
        PixOffer::Issued(code) => Some(code),
        PixOffer::Possible | PixOffer::Unavailable => None,
    };
    let pix_account = pix_code.map(|code| code.account);
    let form =
        |is_shown: bool, kind| (may_settle && is_shown).then(|| build_form((full, pix_account), kind, sent));
    let benefits = full.benefits.iter();
    ViewTitlePage {
        code: full.code.get(),
        description: title.description.clone(),
        badge: build_title_badge(title.situation, title.effective_due_on, full.today),
        person: title.person.get(),
        holder: full.person.name.clone(),
        document: full.person.document.as_ref().map(Document::to_string).unwrap_or_default(),
        is_debit: title.launch_kind == LaunchKind::Debit,
        amount: format_cents(title.amount),
        open_amount: format_cents(title.open_amount),
        due_today: is_open.then(|| (format_cents(find_amount_due(full)), describe_due(full))),
        facts: list_title_facts(full),
        note: title.note.clone().unwrap_or_default(),
        cancelled_because: title.cancelled_because.clone().unwrap_or_default(),
        lines: list_charge_lines(full),
        benefits: benefits
            .map(|one| (one.code.get(), describe_stored_benefit(registers, &one.benefit)))
            .collect(),
        settlements: full
            .settlements
            .iter()
            .map(|one| build_settlement_line(full, one, may_settle, sent))
            .collect(),
        history: list_title_history(full),
        receive: form(is_open, TitleFormKind::Receive),
        due_day: form(is_open || is_pending, TitleFormKind::ChangeDueDay),
        cancel: form((is_open || is_pending) && !has_settlement, TitleFormKind::Cancel),
        may_release: may_settle && is_pending,
        usable_credit: (may_settle && full.usable_credit > 0)
            .then(|| format_cents(full.usable_credit.min(full.amount_due()))),
        becomes_credit: may_settle
            && title.launch_kind == LaunchKind::Credit
            && takes_no_payment(title.situation),
        pix_code: pix_code.map(|code| ShownPixCode::new(code, &registers.zone)),
        may_issue_pix: *pix == PixOffer::Possible,
        slip: TitleSlipCard::new(slip, &registers.zone),
        refused: match sent.map(|sent| sent.kind) {
            Some(TitleFormKind::Receive) => "receber",
            Some(TitleFormKind::ChangeDueDay) => "vencimento",
            Some(TitleFormKind::Cancel) => "cancelar",
            Some(TitleFormKind::Reverse(_) | TitleFormKind::Release | TitleFormKind::UseCredit) | None => "",
        },
        problems: sent.map(|sent| describe_others(&sent.problems)).unwrap_or_default(),
        is_refused: sent.is_some(),
        frame,
        token,
    }
}

/// `R$ 130,00 do valor + R$ 2,60 de multa + R$ 0,40 de juros`, or `R$ 130,00 do valor − R$ 6,50 de desconto`
fn describe_due(full: &FullTitle) -> String {
    if find_amount_due(full) == full.title.open_amount {
        return String::new();
    }
    let parts = [
        (full.title.open_amount, "do valor"),
        (full.late_charges.fine, "de multa"),
        (full.late_charges.interest, "de juros"),
    ];
    let parts = parts.into_iter().filter(|(cents, _)| *cents > 0);
    let sum =
        parts.map(|(cents, what)| format!("{} {what}", format_cents(cents))).collect::<Vec<_>>().join(" + ");
    match full.discount {
        Some(discount) => format!("{sum} − {} de desconto de pontualidade", format_cents(discount.amount)),
        None => sum,
    }
}

/// `5% da taxa de administração, de quem paga tudo até 04/12/2026`
fn describe_early_discount(full: &FullTitle) -> String {
    let Some(until) = full.title.early_discount_until else { return String::new() };
    let rule = full.title.early_discount;
    let nature = legal_nature_label(rule.nature);
    format!("{} de {nature}, para quem paga tudo até {}", format_rate(rule.rate), until.to_br())
}

/// `5%`, `2,5%`
fn format_rate(basis_points: i64) -> String {
    let text = format!("{},{:02}", basis_points / 100, basis_points % 100);
    format!("{}%", text.trim_end_matches('0').trim_end_matches(','))
}

/// What became of fine and interest that a payment left.
fn describe_left_charges(full: &FullTitle) -> String {
    use PendingChargeSituation::{Cancelled, Charged, Waiting, Waived};
    let describe = |charge: &StoredPendingCharge| {
        let amount = format_cents(charge.amount);
        match charge.situation {
            Waiting => Some(format!("{amount} entram na próxima cobrança")),
            Charged => charge.title.map(|title| format!("{amount} cobrados no título {title}")),
            Waived => Some(format!("{amount} dispensados")),
            Cancelled => None,
        }
    };
    full.left_charges.iter().filter_map(describe).collect::<Vec<_>>().join("; ")
}

/// Money that was meant for the title and became credit, since it took none any more.
fn describe_credit_receipts(full: &FullTitle) -> String {
    let receipts = full.credit_receipts.iter();
    let texts = receipts.map(|one| format!("{} em {}", format_cents(one.amount), one.paid_on.to_br()));
    texts.collect::<Vec<_>>().join("; ")
}

fn list_title_facts(full: &FullTitle) -> Vec<(&'static str, String)> {
    let (title, registers) = (&full.title, &full.registers);
    let is_moved = title.due_on != title.original_due_on;
    let title_type = registers.money.title_type(title.title_type);
    let group = registers.money.groups.iter().find(|one| one.code == title.group);
    let group = group.filter(|_| registers.money.has_several_groups());
    drop_empty_facts(vec![
        ("Vencimento", title.due_on.to_br()),
        ("Vencimento original", if is_moved { title.original_due_on.to_br() } else { String::new() }),
        ("Tipo", label_launch_kind(title.launch_kind).to_owned()),
        ("Tipo de título", title_type.map(|one| one.name.clone()).unwrap_or_default()),
        (
            "Parcela",
            if title.instalments > 1 {
                format!("{} de {}", title.instalment, title.instalments)
            } else {
                String::new()
            },
        ),
        ("Desconto de pontualidade", describe_early_discount(full)),
        ("Multa e juros não pagos", describe_left_charges(full)),
        ("Recebido como crédito", describe_credit_receipts(full)),
        ("Emissão", title.issued_on.to_br()),
        ("Último pagamento", title.settled_on.map(domain::Date::to_br).unwrap_or_default()),
        ("Cancelamento", title.cancelled_on.map(domain::Date::to_br).unwrap_or_default()),
        ("Loja", registers.branch_name(title.branch).to_owned()),
        ("Grupo de proteção", group.map(|one| one.name.clone()).unwrap_or_default()),
        ("Criado por", full.user_name(title.user).unwrap_or("Sistema").to_owned()),
    ])
}

fn list_charge_lines(full: &FullTitle) -> Vec<TitleLineRow> {
    let build_line = |line: &domain::finance::ChargeLine| TitleLineRow {
        item: full.registers.money.charge_item(line.item).map(|one| one.name.clone()).unwrap_or_default(),
        nature: legal_nature_label(line.nature),
        description: line.description.clone().unwrap_or_default(),
        price: line.price.map(describe_price).unwrap_or_default(),
        amount: format_cents(line.amount),
    };
    full.lines.iter().map(build_line).collect()
}

fn build_settlement_line(
    full: &FullTitle,
    one: &StoredSettlement,
    may_settle: bool,
    sent: Option<&SentTitleForm>,
) -> SettlementLine {
    let money = &full.registers.money;
    let user = |code| full.user_name(code).unwrap_or("Sistema").to_owned();
    let kind = TitleFormKind::Reverse(one.code.get());
    SettlementLine {
        code: one.code.get(),
        paid_on: one.paid_on.to_br(),
        kind: name_settlement_type(full, one),
        account: one
            .money
            .filter(|_| !full.is_opening_payment(one))
            .and_then(|(_, account)| money.money_account(account))
            .map(|one| one.name.clone())
            .unwrap_or_default(),
        has_receipt: one.money.is_some() && one.reversal.is_none(),
        parts: describe_parts(one),
        total: format_cents(one.total + one.credit),
        by: user(one.user),
        note: one.note.clone().unwrap_or_default(),
        reversal: one.reversal.as_ref().map(|reversal| {
            let when = format_moment(reversal.created_at, &full.registers.zone);
            (when, user(reversal.user), reversal.reason.clone())
        }),
        reverse: (may_settle && one.reversal.is_none()).then(|| build_form((full, None), kind, sent)),
        is_refused: sent.is_some_and(|sent| sent.kind == kind),
    }
}

/// How it was paid.
pub fn name_settlement_type(full: &FullTitle, one: &StoredSettlement) -> String {
    let money = &full.registers.money;
    match one.money {
        Some(_) if full.is_opening_payment(one) => OPENING_SETTLEMENT.to_owned(),
        None => CREDIT_SETTLEMENT.to_owned(),
        Some((code, _)) => money.settlement_type(code).map(|one| one.name.clone()).unwrap_or_default(),
    }
}

/// `R$ 100,00 do valor, R$ 2,00 de multa, R$ 5,00 de crédito`; empty if it is all of the value.
pub fn describe_parts(one: &StoredSettlement) -> String {
    let parts = [
        (one.principal, "do valor"),
        (one.fine, "de multa"),
        (one.interest, "de juros"),
        (one.discount, "de desconto"),
        (one.credit, "a mais, que ficaram como crédito"),
    ];
    let parts = parts.into_iter().filter(|(cents, _)| *cents > 0);
    let parts: Vec<String> = parts.map(|(cents, what)| format!("{} {what}", format_cents(cents))).collect();
    if parts.len() > 1 { parts.join(", ") } else { String::new() }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/titulo.html", |with| {
    let line = || TitleLineRow {
        item: with.text(),
        nature: "Taxa de administração",
        description: with.text(),
        price: with.text(),
        amount: with.text(),
    };
    let settlement = |reversal| SettlementLine {
        code: 7,
        paid_on: with.text(),
        kind: with.text(),
        account: with.text(),
        has_receipt: with.is_filled(),
        parts: with.text(),
        total: with.text(),
        by: with.text(),
        note: with.text(),
        reverse: with.option_of(|| with.inputs()),
        reversal,
        is_refused: with.is_filled(),
    };
    let reversal = || with.option_of(|| (with.text(), with.text(), with.text()));
    crate::template_tests::render_template(&ViewTitlePage {
        frame: with.frame(),
        code: 7,
        description: with.text(),
        badge: TitleBadge { name: "Aberto", class: "", lateness: with.text() },
        person: 7,
        holder: with.text(),
        document: with.text(),
        is_debit: with.is_filled(),
        amount: with.text(),
        open_amount: with.text(),
        due_today: with.option_of(|| (with.text(), with.text())),
        facts: with.facts(),
        note: with.text(),
        cancelled_because: with.text(),
        lines: with.list_of(line),
        benefits: with.list_of(|| (7, with.text())),
        history: with.list_of(|| TitleHistoryLine {
            what: with.text(),
            reason: with.text(),
            when: with.text(),
            who: with.text(),
        }),
        settlements: vec![settlement(None), settlement(reversal())],
        receive: with.option_of(|| with.inputs()),
        due_day: with.option_of(|| with.inputs()),
        cancel: with.option_of(|| with.inputs()),
        may_release: with.is_filled(),
        usable_credit: with.option_of(|| with.text()),
        becomes_credit: with.is_filled(),
        pix_code: with.option_of(|| super::pix::build_sample_code(with)),
        may_issue_pix: with.is_filled(),
        slip: Some(match with.is_filled() {
            true => TitleSlipCard::Issued(super::slip::build_sample_slip(with)),
            false => TitleSlipCard::NoAccount,
        }),
        refused: "receber",
        problems: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        token: with.text(),
    })
})];
