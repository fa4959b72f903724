//! Rules of the registers of prices, charging and accounts that a description cannot express; pure, so that the caller
//! brings the records that a record may conflict with.

use crate::describe::{FieldContent, Register};
use bank_formats::brcode::PlainCodeText;
use bank_formats::pix_key::PixKey;
use bank_formats::{SlipAgreement, SlipAgreementField, SlipAgreementRule, SlipAgreementTexts, SlipBank};
use domain::finance::{MoneyAccountKind, TablePrice, ValueBand};
use domain::{BranchCode, Date, Entity, Money, PlanCode, RegisterProblem, SituationKind, VehicleTypeCode};

const PIX_KEY: &str = "chavePix";

/// A record's values by the names of its fields.
struct NamedValues<'v> {
    register: &'static Register,
    values: &'v [FieldContent],
}

impl NamedValues<'_> {
    fn value(&self, name: &str) -> &FieldContent {
        let place = self.register.find_field(name).map(|(at, _)| at);
        place.and_then(|at| self.values.get(at)).unwrap_or(&FieldContent::Nothing)
    }

    fn number(&self, name: &str) -> Option<i64> {
        match self.value(name) {
            FieldContent::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            FieldContent::Text(text) => Some(text),
            _ => None,
        }
    }

    fn code(&self, name: &str) -> Option<i32> {
        self.number(name).and_then(|number| i32::try_from(number).ok())
    }

    fn money(&self, name: &str) -> Option<Money> {
        match self.value(name) {
            FieldContent::Money(money) => Some(*money),
            _ => None,
        }
    }

    fn date(&self, name: &str) -> Option<Date> {
        match self.value(name) {
            FieldContent::Date(date) => Some(*date),
            _ => None,
        }
    }

    fn table_price(&self) -> Option<TablePrice> {
        Some(TablePrice {
            code: None,
            plan: PlanCode::new(self.code("codPlano")?),
            valid_from: self.date("validoDesde")?,
            branch: self.code("codLoja").map(BranchCode::new),
            vehicle_type: self.code("codTipoVeiculo").map(VehicleTypeCode::new),
            band: ValueBand { from: self.money("valorDe"), until: self.money("valorAte") },
            price: self.money("valor").unwrap_or_default(),
        })
    }
}

/// Sets what depends on other fields, and writes a Pix key as the directory of keys has it.
pub fn complete_values(register: &'static Register, values: &mut [FieldContent]) {
    match register.path {
        "situacao" => complete_situation(register, values),
        "contaFinanceira" => normalize_pix_key(register, values),
        _ => {}
    }
}

/// Whether a situation is charged, where nobody said so.
fn complete_situation(register: &'static Register, values: &mut [FieldContent]) {
    let named = NamedValues { register, values };
    if *named.value("cobra") != FieldContent::Nothing {
        return;
    }
    let kind = named.number("tipo").and_then(SituationKind::from_number);
    let entity = named.number("entidade").and_then(Entity::from_number);
    let is_charged = entity.zip(kind).is_some_and(|(entity, kind)| entity.is_charged_while(kind));
    if let Some(value) = register.find_field("cobra").and_then(|(at, _)| values.get_mut(at)) {
        *value = FieldContent::Flag(is_charged);
    }
}

/// The price that a record of the price table stands for; `None` for other registers, and for a record without a plan or
/// a day.
pub fn read_table_price(register: &'static Register, values: &[FieldContent]) -> Option<TablePrice> {
    if register.path == "tabelaPreco" { NamedValues { register, values }.table_price() } else { None }
}

fn normalize_pix_key(register: &'static Register, values: &mut [FieldContent]) {
    let Some((at, _)) = register.find_field(PIX_KEY) else { return };
    let Some(FieldContent::Text(text)) = values.get(at) else { return };
    if let Some(key) = PixKey::parse(text) {
        values[at] = FieldContent::Text(key.as_str().to_owned());
    }
}

/// The problems of a record, each with its field. The rivals are the other active records of the register, with their
/// codes; an inactive record has none.
pub fn find_money_problems<'r>(
    register: &'static Register,
    values: &[FieldContent],
    rivals: impl IntoIterator<Item = (i32, &'r [FieldContent])>,
) -> Vec<(&'static str, RegisterProblem)> {
    let named = NamedValues { register, values };
    match register.path {
        "situacao" => {
            let is_benefit = named.number("entidade") == Some(Entity::Benefit.number());
            let is_refused = *named.value("cobra") == FieldContent::Flag(true) && !is_benefit;
            is_refused.then_some(("cobra", RegisterProblem::OnlyForBenefits)).into_iter().collect()
        }
        "contaFinanceira" => {
            let mut problems = find_pix_problems(&named);
            problems.extend(find_slip_problems(&named));
            problems
        }
        "tabelaPreco" => find_price_problems(&named, rivals).into_iter().collect(),
        "desconto" => find_discount_problem(&named).into_iter().collect(),
        "regraCobranca" => {
            let is_same_group =
                |values| NamedValues { register, values }.number("codGrupo") == named.number("codGrupo");
            let rival = rivals.into_iter().find(|(_, values)| is_same_group(*values));
            rival.map(|(code, _)| ("codGrupo", RegisterProblem::RuleInForce { code })).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn find_price_problems<'r>(
    named: &NamedValues<'_>,
    rivals: impl IntoIterator<Item = (i32, &'r [FieldContent])>,
) -> Option<(&'static str, RegisterProblem)> {
    let price = named.table_price()?;
    if let (Some(from), Some(until)) = (price.band.from, price.band.until)
        && until < from
    {
        return Some(("valorAte", RegisterProblem::Below("valorDe")));
    }
    let register = named.register;
    let overlaps =
        |values| NamedValues { register, values }.table_price().is_some_and(|other| other.overlaps(&price));
    let rival = rivals.into_iter().find(|(_, values)| overlaps(*values));
    rival.map(|(code, _)| ("valorDe", RegisterProblem::Overlaps { code }))
}

/// Either a percentage or an amount, and not of nothing.
fn find_discount_problem(named: &NamedValues<'_>) -> Option<(&'static str, RegisterProblem)> {
    match (named.number("percentual"), named.money("valor")) {
        (Some(0), None) => Some(("percentual", RegisterProblem::AboveZero)),
        (None, Some(amount)) if amount == Money::default() => Some(("valor", RegisterProblem::AboveZero)),
        (Some(_), None) | (None, Some(_)) => None,
        _ => Some(("percentual", RegisterProblem::OneOf("valor"))),
    }
}

/// A Pix key belongs to a bank account, and comes with the receiver that codes name.
fn find_pix_problems(named: &NamedValues<'_>) -> Vec<(&'static str, RegisterProblem)> {
    let key = named.text(PIX_KEY);
    let is_cash_box = named.number("tipo") == Some(MoneyAccountKind::CashBox.number());
    let bad_key = key.filter(|key| PixKey::parse(key).is_none());
    let problems = [
        bad_key.map(|_| (PIX_KEY, RegisterProblem::BadPixKey)),
        key.filter(|_| is_cash_box).map(|_| (PIX_KEY, RegisterProblem::OnlyForBankAccounts)),
        find_code_text_problem::<25>(named, "nomeRecebedor"),
        find_code_text_problem::<15>(named, "cidadeRecebedor"),
    ];
    problems.into_iter().flatten().collect()
}

/// The fields that only the slips of an account need.
const SLIP_FIELDS: [&str; 8] = [
    "carteira",
    "convenio",
    "variacao",
    "primeiroNossoNumero",
    "nomeBeneficiario",
    "documentoBeneficiario",
    "enderecoBeneficiario",
    "mensagemBoleto",
];

/// Slips belong to a bank account, whose agreement follows the rules of its bank.
fn find_slip_problems(named: &NamedValues<'_>) -> Vec<(&'static str, RegisterProblem)> {
    let number = named.number("bancoBoleto").and_then(|number| u16::try_from(number).ok());
    let Some(bank) = number.and_then(SlipBank::from_number) else {
        let given = SLIP_FIELDS.into_iter().find(|name| *named.value(name) != FieldContent::Nothing);
        return given.map(|_| ("bancoBoleto", RegisterProblem::Missing)).into_iter().collect();
    };
    if named.number("tipo") == Some(MoneyAccountKind::CashBox.number()) {
        return vec![("bancoBoleto", RegisterProblem::OnlyForBankAccounts)];
    }
    let text = |name| named.text(name).unwrap_or_default();
    let texts = SlipAgreementTexts {
        bank,
        agency: text("agencia"),
        account: text("conta"),
        wallet: text("carteira"),
        agreement: text("convenio"),
        variation: text("variacao"),
    };
    let agreed = SlipAgreement::parse(&texts).err().unwrap_or_default().into_iter();
    let agreed = agreed.map(|one| (name_agreement_field(one.field), describe_agreement_rule(one.rule)));
    let shown = ["nomeBeneficiario", "documentoBeneficiario", "enderecoBeneficiario"].into_iter();
    let unshown = shown.filter(|name| *named.value(name) == FieldContent::Nothing);
    agreed.chain(unshown.map(|name| (name, RegisterProblem::Missing))).collect()
}

fn name_agreement_field(field: SlipAgreementField) -> &'static str {
    match field {
        SlipAgreementField::Agency => "agencia",
        SlipAgreementField::Account => "conta",
        SlipAgreementField::Wallet => "carteira",
        SlipAgreementField::Agreement => "convenio",
        SlipAgreementField::Variation => "variacao",
    }
}

fn describe_agreement_rule(rule: SlipAgreementRule) -> RegisterProblem {
    match rule {
        SlipAgreementRule::Missing => RegisterProblem::Missing,
        SlipAgreementRule::NotUsed => RegisterProblem::NotUsedByBank,
        SlipAgreementRule::Digits { from, to } => RegisterProblem::BankDigits { from, to },
        SlipAgreementRule::MissingCheckDigit => RegisterProblem::MissingCheckDigit,
        SlipAgreementRule::WrongCheckDigit => RegisterProblem::WrongCheckDigit,
        SlipAgreementRule::OneOf(allowed) => RegisterProblem::NotAmong(allowed.to_vec()),
    }
}

/// A text that codes contain: right if it is there, and there if the account has a key.
fn find_code_text_problem<const LONGEST: usize>(
    named: &NamedValues<'_>,
    name: &'static str,
) -> Option<(&'static str, RegisterProblem)> {
    match named.text(name) {
        None if named.text(PIX_KEY).is_some() => Some((name, RegisterProblem::Missing)),
        Some(text) if PlainCodeText::<LONGEST>::parse(text).is_none() => {
            Some((name, RegisterProblem::NoCodeText { longest: LONGEST }))
        }
        _ => None,
    }
}
