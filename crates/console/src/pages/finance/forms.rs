//! The forms on the page of a title: their inputs, what they hold at first, and what was sent.

use super::find_amount_due;
use crate::http::form::SubmittedForm;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::{FormProblems, describe_problem};
use crate::widgets::form_token::SENT_BEFORE;
use crate::widgets::money_input::{format_money_input, normalize_money_values};
use crate::widgets::record_form::{build_inputs, build_record, read_form_values};
use app::Error;
use domain::{Money, MoneyAccountCode};
use finance::FullTitle;
use serde_json::Value;
use wire::read::JsonInput;
use wire::refusal::RequestProblem;

/// Which form of the page was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleFormKind {
    Receive,
    /// Of the settlement of this code.
    Reverse(i32),
    ChangeDueDay,
    Cancel,
    Release,
    UseCredit,
}

const RECEIVE: &[InputSpec] = &[
    InputSpec::money("valorPago", "Valor pago"),
    InputSpec::masked_text("dataPagamento", "Data do pagamento", "data"),
    InputSpec::choice("codTipoLiquidacao", "Tipo de liquidação"),
    InputSpec::choice("codContaFinanceira", "Conta")
        .with_hint("Em branco, vale a conta do tipo de liquidação."),
    InputSpec::area("observacao", "Observação"),
];
const REASON: &[InputSpec] = &[InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") }];
const DUE_DAY: &[InputSpec] = &[
    InputSpec::masked_text("vencimento", "Novo vencimento", "data"),
    InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") },
];

/// What is said where nothing was typed.
const MISSING: &[(&str, &str)] = &[
    ("valorPago", "Informe quanto foi pago."),
    ("codTipoLiquidacao", "Escolha o tipo de liquidação."),
    ("motivo", "Informe o motivo."),
    ("vencimento", "Informe o novo vencimento."),
    ("valor", "Informe o valor."),
    ("codTipoTitulo", "Escolha o tipo de título."),
    ("codItemCobranca", "Escolha o item de cobrança."),
];

impl TitleFormKind {
    pub fn specs(self) -> &'static [InputSpec] {
        match self {
            TitleFormKind::Receive => RECEIVE,
            TitleFormKind::Reverse(_) | TitleFormKind::Cancel => REASON,
            TitleFormKind::ChangeDueDay => DUE_DAY,
            TitleFormKind::Release | TitleFormKind::UseCredit => &[],
        }
    }
}

/// A form as it was sent, with what is wrong.
pub struct SentTitleForm {
    pub kind: TitleFormKind,
    pub values: FormValues,
    pub problems: FormProblems,
}

impl SentTitleForm {
    pub fn new(kind: TitleFormKind, form: &SubmittedForm) -> SentTitleForm {
        let values = read_form_values(kind.specs(), form);
        SentTitleForm { kind, values, problems: FormProblems::default() }
    }

    /// The record of the form, unless something cannot be read.
    pub fn read<T: JsonInput>(&mut self) -> Option<T> {
        match read_typed_record(self.kind.specs(), &self.values, &[]) {
            Ok(record) => Some(record),
            Err(problems) => {
                self.problems = problems;
                None
            }
        }
    }

    /// Keeps what the form was refused for; any other error is passed on.
    pub fn refuse(&mut self, error: Error) -> Result<(), Error> {
        self.problems = explain_refusal(error, self.kind.specs(), &self.values)?;
        Ok(())
    }
}

/// Reads a form into a record, or finds what is wrong, at the inputs.
pub fn read_typed_record<T: JsonInput>(
    specs: &[InputSpec],
    values: &FormValues,
    further: &[(&str, Value)],
) -> Result<T, FormProblems> {
    let record = build_record(&normalize_money_values(specs, values), further);
    wire::read::read_record(&record)
        .map_err(|unread| place_problems(unread.problems.into_problems(), specs, values))
}

/// What a form was refused for, at its inputs; any other error is passed on.
pub fn explain_refusal(
    error: Error,
    specs: &[InputSpec],
    values: &FormValues,
) -> Result<FormProblems, Error> {
    match error {
        Error::Refused(rejections) => {
            Ok(place_problems(wire::refusal::describe_rejections(&rejections), specs, values))
        }
        Error::KeyReused => Ok(place_problems(vec![RequestProblem::general(SENT_BEFORE)], specs, values)),
        error => Err(error),
    }
}

fn place_problems(found: Vec<RequestProblem>, specs: &[InputSpec], values: &FormValues) -> FormProblems {
    // A problem of one benefit stands at the list of them.
    let rename = |problem: RequestProblem| match problem.field.as_deref() {
        Some("codBeneficio") => RequestProblem::of("codBeneficios", problem.sentence),
        _ => problem,
    };
    let mut problems = FormProblems::new(found.into_iter().map(rename).collect(), specs);
    for spec in specs.iter().filter(|spec| problems.of(spec.name).is_some()).collect::<Vec<_>>() {
        let is_empty = values.get(spec.name).is_none_or(String::is_empty);
        let missing = MISSING.iter().find(|(name, _)| *name == spec.name && is_empty);
        let sentence = missing.map(|(_, sentence)| (*sentence).to_owned());
        let in_reais = problems.of(spec.name).filter(|text| text.contains("0.01"));
        let in_reais = in_reais.map(|_| "Informe pelo menos R$ 0,01.".to_owned());
        if let Some(sentence) = sentence.or(in_reais) {
            problems.replace_problem(spec.name, sentence);
        }
    }
    problems
}

/// Problems of no input, without the names of the API.
pub fn describe_others(problems: &FormProblems) -> Vec<String> {
    problems.others.iter().map(describe_problem).collect()
}

/// The inputs of a form: as they were sent if it is this one, otherwise as they are at first. The account is the one to
/// which the Pix code leads that the title is paid by.
pub fn build_form(
    (full, pix_account): (&FullTitle, Option<MoneyAccountCode>),
    kind: TitleFormKind,
    sent: Option<&SentTitleForm>,
) -> Vec<FormInput> {
    let choices = |name: &str| list_choices(full, name);
    match sent.filter(|sent| sent.kind == kind) {
        Some(sent) => build_inputs(kind.specs(), &sent.values, &sent.problems, choices),
        None => {
            let values = list_first_values((full, pix_account), kind);
            build_inputs(kind.specs(), &values, &FormProblems::default(), choices)
        }
    }
}

fn list_first_values(
    (full, pix_account): (&FullTitle, Option<MoneyAccountCode>),
    kind: TitleFormKind,
) -> FormValues {
    match kind {
        TitleFormKind::Receive => {
            let amount = Money::from_stored_cents(find_amount_due(full)).map(format_money_input);
            FormValues::from([
                ("valorPago", amount.unwrap_or_default()),
                ("dataPagamento", full.today.to_br()),
                ("codContaFinanceira", pix_account.map(|code| code.to_string()).unwrap_or_default()),
            ])
        }
        _ => FormValues::new(),
    }
}

fn list_choices(full: &FullTitle, name: &str) -> Vec<(String, String)> {
    let money = &full.registers.money;
    if name == "codTipoLiquidacao" {
        let active = money.settlement_types.iter().filter(|one| one.active);
        return active.map(|one| (one.code.to_string(), one.name.clone())).collect();
    }
    let is_usable = |group: Option<domain::GroupCode>| group.is_none_or(|group| group == full.title.group);
    let accounts = money.accounts.iter().filter(|one| one.active && is_usable(one.group));
    accounts.map(|one| (one.code.to_string(), one.name.clone())).collect()
}
