//! The credit of a person: what it came of and where it went, and the forms that receive money as credit, pay a credit
//! back, and take either back.

use super::format_cents;
use super::forms::{describe_others, explain_refusal, read_typed_record};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::http::refusal::Refusal;
use crate::session::notice::{add_notice, redirect_with_notice, redirect_with_outcome};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputKind, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::{build_form_write, generate_form_token};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::money_input::format_money_input;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use app::App;
use app::idempotency::WriteOutcome;
use app::members::{self, MemberView};
use app::register_snapshot::TenantRegisters;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::finance::CreditMovementKind;
use domain::{CreditReceiptCode, GroupCode, Money, MoneyRight, PAGE_SIZE, PersonCode, Scope, TitleCode};
use finance::{CreditMoney, CreditMovement, CreditPage, FullCreditMovement, NewCreditReceipt};
use serde_json::Value;
use wire::records::{CreditoInput, MotivoFinanceiroInput};

/// The group is for associations with several groups.
const RECEIVE: &[InputSpec] = &[
    InputSpec::money("valor", "Valor recebido"),
    InputSpec::masked_text("dataPagamento", "Data do pagamento", "data"),
    InputSpec::choice("codTipoLiquidacao", "Tipo de liquidação"),
    InputSpec::choice("codContaFinanceira", "Conta")
        .with_hint("Em branco, vale a conta do tipo de liquidação."),
    InputSpec::text("codTitulo", "Número do título", 20)
        .with_hint("Só se o dinheiro era de um título já liquidado ou cancelado."),
    InputSpec::area("observacao", "Observação"),
    InputSpec::choice("codLoja", "Loja").with_hint("Em branco, a do título ou a da pessoa."),
    InputSpec::choice("codGrupo", "Grupo de proteção")
        .with_hint("Em branco, o do título ou o dos benefícios da pessoa, se for um só."),
    // It is asked for once the same payment was found.
    InputSpec {
        kind: InputKind::Flag,
        ..InputSpec::text(REPEATED, "É outro pagamento: registrar mesmo assim", 3)
    },
];
const REFUND: &[InputSpec] = &[
    InputSpec::money("valor", "Valor a devolver"),
    InputSpec::masked_text("dataPagamento", "Data da devolução", "data"),
    InputSpec::choice("codTipoLiquidacao", "Como o dinheiro sai"),
    InputSpec::choice("codContaFinanceira", "Conta"),
    InputSpec::area("observacao", "Observação"),
    InputSpec::choice("codLoja", "Loja").with_hint("Em branco, a que tem o crédito, se for uma só."),
    InputSpec::choice("codGrupo", "Grupo de proteção")
        .with_hint("Em branco, o que tem o crédito, se for um só."),
];
const REPEATED: &str = "confirmarRepetido";
const REASON: &[InputSpec] = &[InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") }];

struct MovementLine {
    code: Option<i32>,
    what: &'static str,
    amount: String,
    day: String,
    /// `Pix · Conta bancária`, or empty.
    way: String,
    group: String,
    title: Option<i32>,
    note: String,
    by: String,
    /// When it was reversed, by whom, and why.
    reversal: Option<(String, String, String)>,
    /// What is asked for when it is reversed, if it can be.
    reverse: Option<Vec<FormInput>>,
}

#[derive(Template)]
#[template(path = "console/creditos.html")]
struct MemberCreditsPage {
    frame: PageFrame,
    person: i32,
    holder: String,
    available: String,
    /// Of each group with a credit, where there are several.
    available_by_group: Vec<(String, String)>,
    lines: Vec<MovementLine>,
    /// The pages before and after this one.
    around: [Option<String>; 2],
    /// `None` for those who may not settle.
    receive: Option<Vec<FormInput>>,
    /// `None` if there is nothing to pay back, too.
    refund: Option<Vec<FormInput>>,
    problems: Vec<String>,
    is_refused: bool,
    token: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CreditFormKind {
    Receive,
    Refund,
}

impl CreditFormKind {
    fn specs(self, registers: &TenantRegisters) -> Vec<InputSpec> {
        let specs = match self {
            CreditFormKind::Receive => RECEIVE,
            CreditFormKind::Refund => REFUND,
        };
        let has_groups = registers.money.has_several_groups();
        specs.iter().copied().filter(|spec| has_groups || spec.name != "codGrupo").collect()
    }
}

/// What one of the two forms holds.
struct FilledCreditForm {
    kind: CreditFormKind,
    values: FormValues,
    problems: FormProblems,
}

/// `GET /console/financeiro/creditos?pessoa=7&titulo=12`, and `&pagina=2`
pub async fn show_credits(State(app): State<App>, user: SignedInUser, query: QueryParams) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SeeMoney)?;
    let Ok(person) = query.text("pessoa").parse() else {
        let mut response = redirect_to(&format!("{}/console/associados", derive_root_path(&app)));
        add_notice(&mut response, "Abra o associado e, na página dele, escolha “Crédito”.");
        return Ok(response);
    };
    let holder = members::read_member(&app, user.session(), PersonCode::new(person)).await?;
    let values = match query.text("titulo").parse() {
        Ok(title) => read_title_values(&app, &user, TitleCode::new(title)).await?,
        Err(_) => FormValues::new(),
    };
    let form = FilledCreditForm { kind: CreditFormKind::Receive, values, problems: FormProblems::default() };
    render_credits(&app, &user, &holder, (query.page_number(), form)).await
}

/// What a second payment of a title was, most likely.
async fn read_title_values(app: &App, user: &SignedInUser, code: TitleCode) -> Result<FormValues, Refusal> {
    let full = finance::read_title(app, user.session(), code).await?;
    let amount = Money::from_stored_cents(full.title.amount).map(format_money_input);
    Ok(FormValues::from([("codTitulo", code.to_string()), ("valor", amount.unwrap_or_default())]))
}

async fn render_credits(
    app: &App,
    user: &SignedInUser,
    holder: &MemberView,
    (number, form): (i32, FilledCreditForm),
) -> HandlerResult {
    let slice = (i64::from(number - 1) * PAGE_SIZE, PAGE_SIZE);
    let credit = finance::list_member_credit(app, user.session(), holder.code, slice).await?;
    let may_settle = user.may_with_money(MoneyRight::SettleTitles);
    let is_refused = !form.problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let fill = |kind| build_form_inputs(&credit, &user.session().scope, kind, &form);
    let available = credit.sum_available();
    let page = MemberCreditsPage {
        person: holder.code.get(),
        holder: holder.profile.name.clone(),
        available: format_cents(available),
        available_by_group: list_group_credits(&credit),
        lines: credit.rows.iter().map(|one| build_credit_line(&credit, one, may_settle)).collect(),
        around: list_pages_around(&build_page_path(app, holder.code.get()), number, credit.total),
        receive: may_settle.then(|| fill(CreditFormKind::Receive)),
        refund: (may_settle && available > 0).then(|| fill(CreditFormKind::Refund)),
        problems: describe_others(&form.problems),
        is_refused,
        token: generate_form_token(app),
        frame: PageFrame::load(app, user, "financeiro").await?,
    };
    render_page(status, &page)
}

/// The inputs of a form: as they were filled if it is this one, otherwise as they are at first.
fn build_form_inputs(
    credit: &CreditPage,
    scope: &Scope,
    kind: CreditFormKind,
    form: &FilledCreditForm,
) -> Vec<FormInput> {
    let mut specs = kind.specs(&credit.registers);
    let choices = |name: &str| list_choices(&credit.registers, scope, name);
    let mut values = FormValues::from([("dataPagamento", credit.today.to_br())]);
    let is_filled = form.kind == kind;
    let asks_to_confirm = is_filled
        && (form.problems.of(REPEATED).is_some()
            || form.values.get(REPEATED).is_some_and(|value| !value.is_empty()));
    specs.retain(|spec| asks_to_confirm || spec.name != REPEATED);
    if !is_filled {
        return build_inputs(&specs, &values, &FormProblems::default(), choices);
    }
    values.extend(form.values.iter().map(|(name, value)| (*name, value.clone())));
    build_inputs(&specs, &values, &form.problems, choices)
}

/// The page before this one and the one after it, of so many movements.
fn list_pages_around(path: &str, number: i32, total: i64) -> [Option<String>; 2] {
    let link = |number: i32| format!("{path}&pagina={number}");
    let has_more = i64::from(number) * PAGE_SIZE < total;
    [(number > 1).then(|| link(number - 1)), has_more.then(|| link(number + 1))]
}

fn list_choices(registers: &TenantRegisters, scope: &Scope, name: &str) -> Vec<(String, String)> {
    let money = &registers.money;
    match name {
        "codTipoLiquidacao" => {
            let active = money.settlement_types.iter().filter(|one| one.active);
            active.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "codContaFinanceira" => {
            let active = money.accounts.iter().filter(|one| one.active);
            active.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "codGrupo" => money.groups.iter().map(|one| (one.code.to_string(), one.name.clone())).collect(),
        _ => registers.usable_branches(scope).map(|one| (one.code.to_string(), one.name.clone())).collect(),
    }
}

fn list_group_credits(credit: &CreditPage) -> Vec<(String, String)> {
    if !credit.registers.money.has_several_groups() {
        return Vec::new();
    }
    let with_credit = credit.available.iter().filter(|(_, amount)| *amount > 0);
    with_credit
        .map(|(group, amount)| (name_group(&credit.registers, *group), format_cents(*amount)))
        .collect()
}

/// Empty in an association with one group.
fn name_group(registers: &TenantRegisters, code: GroupCode) -> String {
    let group = registers.money.groups.iter().find(|one| one.code == code);
    let group = group.filter(|_| registers.money.has_several_groups());
    group.map(|one| one.name.clone()).unwrap_or_default()
}

fn build_credit_line(credit: &CreditPage, one: &CreditMovement, may_settle: bool) -> MovementLine {
    let registers = &credit.registers;
    let user = |code| credit.user_name(code).unwrap_or("Sistema").to_owned();
    let is_reversible = may_settle && one.code.is_some() && one.reversal.is_none();
    MovementLine {
        code: one.code.map(CreditReceiptCode::get),
        what: match one.kind {
            CreditMovementKind::Receipt => "Recebido como crédito",
            CreditMovementKind::Refund => "Devolvido",
            CreditMovementKind::Excess => "Sobra de um pagamento",
            CreditMovementKind::TitlePayment => "Usado em um título",
            CreditMovementKind::OpeningBalance => "Saldo inicial",
        },
        amount: format_cents(one.amount),
        day: one.happened_on.to_br(),
        way: describe_way(registers, one),
        group: name_group(registers, one.group),
        title: one.title.map(TitleCode::get),
        note: one.note.clone().unwrap_or_default(),
        by: user(one.user),
        reversal: one.reversal.as_ref().map(|reversal| {
            let when = format_moment(reversal.created_at, &registers.zone);
            (when, user(reversal.user), reversal.reason.clone())
        }),
        reverse: is_reversible
            .then(|| build_inputs(REASON, &FormValues::new(), &FormProblems::default(), |_| Vec::new())),
    }
}

fn describe_way(registers: &TenantRegisters, one: &CreditMovement) -> String {
    let Some((settlement_type, account)) = one.money else { return String::new() };
    let money = &registers.money;
    let names = [
        money.settlement_type(settlement_type).map(|one| one.name.as_str()),
        money.money_account(account).map(|one| one.name.as_str()),
    ];
    names.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// `POST /console/financeiro/creditos`
pub async fn receive_credit(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    let (holder, mut sent) = read_sent_form(&app, &user, &form, CreditFormKind::Receive).await?;
    let Some(receipt) = read_receipt(&holder, &mut sent) else {
        return render_credits(&app, &user, &holder, (1, sent)).await;
    };
    let once = build_form_write(&user, &form, |_: &FullCreditMovement| Vec::new());
    let done = finance::receive_credit(&app, user.session(), receipt, once).await;
    finish(&app, &user, (&holder, sent), "Recebido. O valor ficou como crédito da pessoa.", done).await
}

/// `POST /console/financeiro/creditos/devolver`
pub async fn refund_credit(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let (holder, mut sent) = read_sent_form(&app, &user, &form, CreditFormKind::Refund).await?;
    let Some(receipt) = read_receipt(&holder, &mut sent) else {
        return render_credits(&app, &user, &holder, (1, sent)).await;
    };
    let once = build_form_write(&user, &form, |_: &FullCreditMovement| Vec::new());
    let done = finance::refund_credit(&app, user.session(), receipt.money, once).await;
    finish(&app, &user, (&holder, sent), "Crédito devolvido.", done).await
}

/// What a form of either kind says; `None` if something in it cannot be read, which it then says.
fn read_receipt(holder: &MemberView, sent: &mut FilledCreditForm) -> Option<NewCreditReceipt> {
    let specs = sent.kind.specs(&holder.registers);
    let is_confirmed = sent.values.get(REPEATED).is_some_and(|value| !value.is_empty());
    let further = [("codPessoa", Value::from(holder.code.get())), (REPEATED, is_confirmed.into())];
    let input = match read_typed_record::<CreditoInput>(&specs, &sent.values, &further) {
        Ok(input) => input,
        Err(problems) => {
            sent.problems = problems;
            return None;
        }
    };
    let money = CreditMoney {
        person: input.person,
        group: input.group.into_set(),
        branch: input.branch.into_set(),
        amount: input.amount,
        settlement_type: input.settlement_type,
        account: input.account.into_set(),
        paid_on: input.paid_on.into_set(),
        note: input.note.into_set().map(|note| note.as_str().to_owned()),
    };
    Some(NewCreditReceipt { money, title: input.title.into_set(), is_repeat_confirmed: is_confirmed })
}

/// The person, and what was sent.
async fn read_sent_form(
    app: &App,
    user: &SignedInUser,
    form: &SubmittedForm,
    kind: CreditFormKind,
) -> Result<(MemberView, FilledCreditForm), Refusal> {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let person: i32 = form.text("codPessoa").parse().map_err(|_| Refusal::Unreadable)?;
    let holder = members::read_member(app, user.session(), PersonCode::new(person)).await?;
    let values = read_form_values(&kind.specs(&holder.registers), form);
    Ok((holder, FilledCreditForm { kind, values, problems: FormProblems::default() }))
}

/// Leads back to the credit, or shows what the form was refused for.
async fn finish(
    app: &App,
    user: &SignedInUser,
    (holder, mut sent): (&MemberView, FilledCreditForm),
    notice: &str,
    done: Result<WriteOutcome<FullCreditMovement>, app::Error>,
) -> HandlerResult {
    match done {
        Ok(_) => Ok(redirect_with_notice(&build_page_path(app, holder.code.get()), notice)),
        Err(error) => {
            sent.problems = explain_refusal(error, &sent.kind.specs(&holder.registers), &sent.values)?;
            render_credits(app, user, holder, (1, sent)).await
        }
    }
}

/// `POST /console/financeiro/creditos/{codigo}/estornar`
pub async fn reverse_credit(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let person = form.text("codPessoa").parse().map_err(|_| Refusal::Unreadable)?;
    let back = build_page_path(&app, person);
    let values = read_form_values(REASON, &form);
    let Ok(input) = read_typed_record::<MotivoFinanceiroInput>(REASON, &values, &[]) else {
        return Ok(redirect_with_outcome(&back, Err("Informe o motivo do estorno.".to_owned())));
    };
    let reversal = (CreditReceiptCode::new(code), input.reason.as_str().to_owned());
    let once = build_form_write(&user, &form, |_: &FullCreditMovement| Vec::new());
    let outcome = match finance::reverse_credit_receipt(&app, user.session(), reversal, once).await {
        Ok(_) => Ok("Estornado: deixou de contar no crédito da pessoa.".to_owned()),
        Err(error) => Err(describe_others(&explain_refusal(error, REASON, &values)?).join(" ")),
    };
    Ok(redirect_with_outcome(&back, outcome))
}

fn build_page_path(app: &App, person: i32) -> String {
    format!("{}/console/financeiro/creditos?pessoa={person}", derive_root_path(app))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/creditos.html", |with| {
    let line = |reversal| MovementLine {
        code: with.option_of(|| 7),
        what: "Recebido como crédito",
        amount: with.text(),
        day: with.text(),
        way: with.text(),
        group: with.text(),
        title: with.option_of(|| 7),
        note: with.text(),
        by: with.text(),
        reversal,
        reverse: with.option_of(|| with.inputs()),
    };
    let reversal = || with.option_of(|| (with.text(), with.text(), with.text()));
    crate::template_tests::render_template(&MemberCreditsPage {
        frame: with.frame(),
        person: 7,
        holder: with.text(),
        available: with.text(),
        available_by_group: with.list_of(|| (with.text(), with.text())),
        lines: if with.is_filled() { vec![line(None), line(reversal())] } else { Vec::new() },
        around: [with.option_of(|| with.text()), with.option_of(|| with.text())],
        receive: with.option_of(|| with.inputs()),
        refund: with.option_of(|| with.inputs()),
        problems: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        token: with.text(),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_to_its_neighbours() {
        let around = |number, total| list_pages_around("/creditos?pessoa=7", number, total);
        let link = |number: i32| Some(format!("/creditos?pessoa=7&pagina={number}"));
        assert_eq!(around(1, PAGE_SIZE), [None, None]);
        assert_eq!(around(1, PAGE_SIZE + 1), [None, link(2)]);
        assert_eq!(around(2, PAGE_SIZE + 1), [link(1), None]);
        assert_eq!(around(2, 2 * PAGE_SIZE + 1), [link(1), link(3)]);
    }
}
