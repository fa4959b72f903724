//! Records that hang on a benefit or a member: items, dependents, equipment, cards.

use crate::lenient::{Reader, code, items};
use app::base::Registers;
use app::mirroring::{CreditCard, Dependent, Installation, Item, Note, Several};
use domain::{
    BenefitCode, CardNumber, Cpf, CreditCardCode, DependentCode, Email, InstallationCode, ItemCode, Kinship,
    Moment, PlanCode, SupplierCode,
};
use serde_json::Value as Json;

/// Something without a code cannot be told from others.
fn coded(json: &Json, name: &str, notes: &mut Vec<Note>, (kind, record): (&'static str, i32)) -> Option<i32> {
    let found = code(&json[name]);
    if found.is_none() {
        let reason = "veio sem código e não foi espelhado".to_owned();
        notes.push(Note { kind, record, field: name.to_owned(), reason });
    }
    found
}

/// Each once, by code.
fn several<T, K: Ord>(mut told: Vec<T>, json: &Json, code: impl Fn(&T) -> K) -> Several<T> {
    let is_whole = told.len() == items(json).len();
    told.sort_by_key(&code);
    told.dedup_by_key(|one| code(one));
    Several { told, is_whole }
}

/// `/ext/beneficio/{codBeneficio}/itens`, by code.
pub fn benefit_items(json: &Json, benefit: BenefitCode, today: &str, notes: &mut Vec<Note>) -> Several<Item> {
    let at = ("itens", benefit.get());
    let mut all: Vec<Item> = Vec::new();
    for json in items(json) {
        let (Some(own), Some(plan)) = (coded(json, "codItem", notes, at), coded(json, "codPlano", notes, at))
        else {
            continue;
        };
        let mut reader = Reader::new(json, notes, at.0, at.1);
        all.push(Item {
            code: ItemCode::new(own),
            plan: PlanCode::new(plan),
            price: reader.money("valor").unwrap_or(0),
            included_on: reader.day("dataInclusao").unwrap_or_else(|| today.to_owned()),
            is_first: false,
            active: reader.flag("ativo").unwrap_or(true),
        });
    }
    several(all, json, |item| item.code)
}

/// `/ext/beneficio/{codBeneficio}/dependentes`
pub fn dependents(
    json: &Json,
    benefit: BenefitCode,
    registers: &Registers,
    now: Moment,
    notes: &mut Vec<Note>,
) -> Several<(DependentCode, Dependent)> {
    let at = ("dependentes", benefit.get());
    let mut all = Vec::new();
    for json in items(json) {
        let Some(own) = coded(json, "codDependente", notes, at) else { continue };
        let mut reader = Reader::new(json, notes, at.0, at.1);
        let told = reader.read("dataCadastro", crate::lenient::day);
        let created_at = told.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone);
        let mut plans: Vec<PlanCode> = items(&json["planos"])
            .into_iter()
            .filter_map(|plan| code(&plan["codPlano"]).or_else(|| code(plan)).map(PlanCode::new))
            .collect();
        plans.sort_unstable();
        plans.dedup();
        let dependent = Dependent {
            benefit,
            name: reader.line("nome", 200).unwrap_or_else(|| "(sem nome)".to_owned()),
            cpf: reader.parsed("cpf", Cpf::parse),
            born_on: reader.day("dataNascimento"),
            kinship: reader.named::<Kinship>("parentesco").unwrap_or(Kinship::Other),
            sex: reader.read("sexo", crate::members::sex),
            identity_number: reader.line("identidade", 30),
            phone: reader.phone("telefone"),
            email: reader.parsed("email", Email::parse),
            card: reader.parsed("numeroCartaoDesconto", CardNumber::parse),
            plans,
            active: reader.flag("ativo").unwrap_or(true),
            created_at,
            updated_at: created_at,
        };
        all.push((DependentCode::new(own), dependent));
    }
    several(all, json, |(code, _)| *code)
}

/// `/ext/beneficio/{codBeneficio}/equipamentos`
pub fn equipment(json: &Json, benefit: BenefitCode, notes: &mut Vec<Note>) -> Several<Installation> {
    let at = ("equipamentos", benefit.get());
    let mut all = Vec::new();
    for json in items(json) {
        let Some(own) = coded(json, "codInstalacao", notes, at) else { continue };
        let mut reader = Reader::new(json, notes, at.0, at.1);
        let removed_on = reader.day("dataRemocao");
        all.push(Installation {
            code: InstallationCode::new(own),
            tracker: None,
            serial_number: reader.line("numeroSerie", 100),
            imei: reader.line("imei", 50),
            model: reader.line("modelo", 100),
            maker: reader.line("fabricante", 100),
            supplier: reader.code("codFornecedor").map(SupplierCode::new),
            place: reader.line("localInstalacao", 200),
            installed_on: reader.day("dataInstalacao"),
            active: reader.flag("ativo").unwrap_or(removed_on.is_none()),
            removed_on,
        });
    }
    several(all, json, |one| one.code)
}

/// `/ext/associado/{codPessoa}/cartaoCredito`
pub fn cards(json: &Json, person: i32, notes: &mut Vec<Note>) -> Several<CreditCard> {
    let at = ("cartaoCredito", person);
    let mut all = Vec::new();
    for json in items(json) {
        let Some(own) = coded(json, "codCartao", notes, at) else { continue };
        let mut reader = Reader::new(json, notes, at.0, at.1);
        // Whatever else stands there, no more than four digits are kept.
        let digits: String = reader.line("ultimosDigitos", 30).unwrap_or_default();
        let digits: Vec<char> = digits.chars().filter(char::is_ascii_digit).collect();
        let last_digits = digits[digits.len().saturating_sub(4)..].iter().collect();
        all.push(CreditCard {
            code: CreditCardCode::new(own),
            brand: reader.line("bandeira", 50).unwrap_or_default(),
            last_digits,
            holder: reader.line("nomeTitular", 200).unwrap_or_default(),
            valid_until: reader.read("validade", month).unwrap_or_default(),
            is_main: reader.flag("principal").unwrap_or(false),
            active: reader.flag("ativo").unwrap_or(true),
        });
    }
    several(all, json, |card| card.code)
}

/// `MM/yyyy`, kept as `yyyy-MM`.
fn month(json: &Json) -> Option<String> {
    let (month, year) = json.as_str()?.trim().split_once('/')?;
    let day = domain::Date::from_iso(&format!("{year}-{month:0>2}-01"))?;
    Some(day.to_iso()[..7].to_owned())
}
