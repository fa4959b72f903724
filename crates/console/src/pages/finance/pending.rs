//! What the next charge of a person takes: the lines that wait, what became of the others, and a form for a new one.

use super::format_cents;
use super::forms::{describe_others, explain_refusal, read_typed_record};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use crate::session::notice::{add_notice, redirect_with_notice, redirect_with_outcome};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::{build_form_write, generate_form_token};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use app::App;
use app::benefits::describe_stored_benefit;
use app::members::{self, MemberView};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::finance::{ChargeItemKind, PendingChargeSituation, PendingChargeSource};
use domain::{MoneyRight, PAGE_SIZE, PendingChargeCode, PersonCode};
use finance::{FullPendingCharge, FullTitle, NewPendingCharge, PendingChargeCriteria};
use serde_json::Value;
use wire::records::{LancamentoInput, LancamentoTituloInput, MotivoFinanceiroInput};

const SPECS: &[InputSpec] = &[
    InputSpec::choice("codItemCobranca", "Item de cobrança"),
    InputSpec::money("valor", "Valor"),
    InputSpec::text("descricao", "Descrição", 200).with_hint("Em branco, o nome do item."),
    InputSpec::choice("codBeneficio", "Benefício")
        .with_hint("Em branco, entra na próxima cobrança da pessoa."),
];
const DUE: &[InputSpec] = &[InputSpec::masked_text("vencimento", "Vencimento", "data")
    .with_hint("Em branco, daqui a cinco dias úteis.")];
const REASON: &[InputSpec] = &[InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") }];

struct PendingChargeLine {
    code: i32,
    what: String,
    description: String,
    amount: String,
    badge: (&'static str, &'static str),
    /// The title that took it.
    title: Option<i32>,
    when: String,
    reason: String,
    /// What is asked for when it is cancelled, if it can still be.
    cancel: Option<Vec<FormInput>>,
    /// What is asked for when it gets a title of its own.
    issue: Option<Vec<FormInput>>,
}

#[derive(Template)]
#[template(path = "console/lancamentos.html")]
struct PendingChargesPage {
    frame: PageFrame,
    person: i32,
    holder: String,
    lines: Vec<PendingChargeLine>,
    /// Older ones are not shown.
    has_more: bool,
    /// `None` for those who may not add one.
    inputs: Option<Vec<FormInput>>,
    problems: Vec<String>,
    is_refused: bool,
    token: String,
}

/// `GET /console/financeiro/lancamentos?pessoa=7`
pub async fn show_pending_charges(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SeeMoney)?;
    let Ok(person) = query.text("pessoa").parse() else {
        let mut response = redirect_to(&format!("{}/console/associados", derive_root_path(&app)));
        add_notice(&mut response, "Abra o associado e, na página dele, escolha “Próxima cobrança”.");
        return Ok(response);
    };
    let holder = members::read_member(&app, user.session(), PersonCode::new(person)).await?;
    let values = FormValues::from([("codBeneficio", query.text("beneficio").to_owned())]);
    render_pending_charges(&app, &user, &holder, (values, FormProblems::default())).await
}

async fn render_pending_charges(
    app: &App,
    user: &SignedInUser,
    holder: &MemberView,
    (values, problems): (FormValues, FormProblems),
) -> HandlerResult {
    let criteria = PendingChargeCriteria { person: Some(holder.code), ..PendingChargeCriteria::default() };
    let found = finance::list_charges(app, user.session(), criteria, (0, PAGE_SIZE)).await?;
    let is_refused = !problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let may_add = user.may_with_money(MoneyRight::SettleTitles);
    let page = PendingChargesPage {
        person: holder.code.get(),
        holder: holder.profile.name.clone(),
        has_more: found.total > PAGE_SIZE,
        lines: found.rows.iter().map(|one| build_charge_line(one, may_add)).collect(),
        inputs: may_add.then(|| build_inputs(SPECS, &values, &problems, |name| list_choices(holder, name))),
        problems: describe_others(&problems),
        is_refused,
        token: generate_form_token(app),
        frame: PageFrame::load(app, user, "financeiro").await?,
    };
    render_page(status, &page)
}

fn build_charge_line(full: &FullPendingCharge, may_settle: bool) -> PendingChargeLine {
    let (charge, registers) = (&full.charge, &full.registers);
    let item = registers.money.charge_item(charge.item).map(|one| one.name.clone()).unwrap_or_default();
    let description = match (&charge.description, charge.source) {
        (Some(text), _) => text.clone(),
        (None, PendingChargeSource::LateCharges) => "de um título pago em atraso".to_owned(),
        (None, PendingChargeSource::ByHand) => String::new(),
    };
    let is_waiting = charge.situation == PendingChargeSituation::Waiting;
    let build_blank =
        |specs| build_inputs(specs, &FormValues::new(), &FormProblems::default(), |_| Vec::new());
    PendingChargeLine {
        code: charge.code.get(),
        what: item,
        description,
        amount: format_cents(charge.amount),
        badge: match charge.situation {
            PendingChargeSituation::Waiting => ("Na próxima cobrança", "warn"),
            PendingChargeSituation::Charged => ("Cobrado", "fine"),
            PendingChargeSituation::Cancelled => ("Cancelado", ""),
            PendingChargeSituation::Waived => ("Dispensado", ""),
        },
        title: charge.title.map(domain::TitleCode::get),
        when: format_moment(charge.created_at, &registers.zone),
        reason: charge.cancelled_because.clone().unwrap_or_default(),
        cancel: (may_settle && is_waiting).then(|| build_blank(REASON)),
        issue: (may_settle && is_waiting).then(|| build_blank(DUE)),
    }
}

fn list_choices(holder: &MemberView, name: &str) -> Vec<(String, String)> {
    let registers = &holder.registers;
    if name == "codItemCobranca" {
        let items = registers.money.charge_items.iter();
        let usable = items.filter(|one| one.active && one.kind != ChargeItemKind::Expense);
        return usable.map(|one| (one.code.to_string(), one.name.clone())).collect();
    }
    let describe = |benefit: &domain::Benefit| describe_stored_benefit(registers, benefit);
    holder.benefits.iter().map(|(code, benefit)| (code.to_string(), describe(benefit))).collect()
}

/// `POST /console/financeiro/lancamentos`
pub async fn add_pending_charge(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let person = form.text("codPessoa").parse().map_err(|_| Refusal::Unreadable)?;
    let holder = members::read_member(&app, user.session(), PersonCode::new(person)).await?;
    let values = read_form_values(SPECS, &form);
    let further = [("codPessoa", Value::from(person))];
    let input = match read_typed_record::<LancamentoInput>(SPECS, &values, &further) {
        Ok(input) => input,
        Err(problems) => return render_pending_charges(&app, &user, &holder, (values, problems)).await,
    };
    let charge = NewPendingCharge {
        person: input.person.into_set(),
        benefit: input.benefit.into_set(),
        item: input.item,
        amount: input.amount,
        description: input.description.into_set().map(|text| text.as_str().to_owned()),
    };
    let once = build_form_write(&user, &form, |_: &FullPendingCharge| Vec::new());
    match finance::add_pending_charge(&app, user.session(), charge, once).await {
        Ok(_) => Ok(redirect_with_notice(&build_page_path(&app, person), "Entra na próxima cobrança.")),
        Err(error) => {
            let problems = explain_refusal(error, SPECS, &values)?;
            render_pending_charges(&app, &user, &holder, (values, problems)).await
        }
    }
}

/// `POST /console/financeiro/lancamentos/{codigo}/emitir`
pub async fn issue_pending_charge(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let person = form.text("codPessoa").parse().map_err(|_| Refusal::Unreadable)?;
    let back = build_page_path(&app, person);
    let values = read_form_values(DUE, &form);
    let Ok(input) = read_typed_record::<LancamentoTituloInput>(DUE, &values, &[]) else {
        return Ok(redirect_with_outcome(&back, Err("Informe um vencimento válido.".to_owned())));
    };
    let charge = (PendingChargeCode::new(code), input.due.into_set());
    let once = build_form_write(&user, &form, |_: &FullTitle| Vec::new());
    let outcome = match finance::issue_pending_charge(&app, user.session(), charge, once).await {
        Ok(_) => Ok("O título foi emitido.".to_owned()),
        Err(error) => Err(describe_others(&explain_refusal(error, &[], &values)?).join(" ")),
    };
    Ok(redirect_with_outcome(&back, outcome))
}

/// `POST /console/financeiro/lancamentos/{codigo}/cancelar`
pub async fn cancel_pending_charge(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let person = form.text("codPessoa").parse().map_err(|_| Refusal::Unreadable)?;
    let to = build_page_path(&app, person);
    let values = read_form_values(REASON, &form);
    let Ok(input) = read_typed_record::<MotivoFinanceiroInput>(REASON, &values, &[]) else {
        return Ok(redirect_with_outcome(&to, Err("Informe o motivo do cancelamento.".to_owned())));
    };
    let cancellation = (PendingChargeCode::new(code), input.reason.as_str().to_owned());
    let once = build_form_write(&user, &form, |_: &FullPendingCharge| Vec::new());
    let outcome = match finance::cancel_pending_charge(&app, user.session(), cancellation, once).await {
        Ok(_) => Ok("Lançamento cancelado.".to_owned()),
        Err(error) => {
            let problems = explain_refusal(error, REASON, &values)?;
            Err(describe_others(&problems).join(" "))
        }
    };
    Ok(redirect_with_outcome(&to, outcome))
}

fn build_page_path(app: &App, person: i32) -> String {
    format!("{}/console/financeiro/lancamentos?pessoa={person}", derive_root_path(app))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/lancamentos.html", |with| {
    let line = || PendingChargeLine {
        code: 7,
        what: with.text(),
        description: with.text(),
        amount: with.text(),
        badge: ("Na próxima cobrança", "warn"),
        title: with.option_of(|| 7),
        when: with.text(),
        reason: with.text(),
        cancel: with.option_of(|| with.inputs()),
        issue: with.option_of(|| with.inputs()),
    };
    crate::template_tests::render_template(&PendingChargesPage {
        frame: with.frame(),
        person: 7,
        holder: with.text(),
        lines: with.list_of(line),
        has_more: with.is_filled(),
        inputs: with.option_of(|| with.inputs()),
        problems: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        token: with.text(),
    })
})];
