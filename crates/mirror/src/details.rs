//! Parses child records of benefits and members: items, dependents, equipment, credit cards.

use crate::lenient::{RecordReader, read_code, read_items};
use app::register_snapshot::TenantRegisters;
use domain::{
    BenefitCode, BenefitItem, CardNumber, Cpf, CreditCard, CreditCardCode, Date, Dependent, DependentCode,
    Email, InstallationCode, ItemCode, Kinship, Moment, PlanCode, SupplierCode, TrackerInstallation,
};
use exchange::mirror_store::{ChildRecords, NewMirrorNote};
use serde_json::Value as Json;

/// A record without a code cannot be identified.
fn read_required_code(
    json: &Json,
    name: &str,
    notes: &mut Vec<NewMirrorNote>,
    (kind, record): (&'static str, i32),
) -> Option<i32> {
    let found = read_code(&json[name]);
    if found.is_none() {
        let reason = "veio sem código e não foi espelhado".to_owned();
        notes.push(NewMirrorNote { kind, record, field: name.to_owned(), reason });
    }
    found
}

/// Sorts by code and removes duplicates.
fn collect_by_code<T, K: Ord>(mut records: Vec<T>, json: &Json, code: impl Fn(&T) -> K) -> ChildRecords<T> {
    let is_complete = records.len() == read_items(json).len();
    records.sort_by_key(&code);
    records.dedup_by_key(|one| code(one));
    ChildRecords { records, is_complete }
}

/// `/ext/beneficio/{codBeneficio}/itens`, by code.
pub fn read_benefit_items(
    json: &Json,
    benefit: BenefitCode,
    today: Date,
    notes: &mut Vec<NewMirrorNote>,
) -> ChildRecords<BenefitItem> {
    let at = ("itens", benefit.get());
    let mut all: Vec<BenefitItem> = Vec::new();
    for json in read_items(json) {
        let (Some(item_code), Some(plan)) =
            (read_required_code(json, "codItem", notes, at), read_required_code(json, "codPlano", notes, at))
        else {
            continue;
        };
        let mut reader = RecordReader::new(json, notes, at.0, at.1);
        all.push(BenefitItem {
            code: ItemCode::new(item_code),
            plan: PlanCode::new(plan),
            price: reader.money("valor").unwrap_or_default(),
            included_on: reader.day("dataInclusao").unwrap_or(today),
            is_first: false,
            is_price_agreed: true,
            active: reader.flag("ativo").unwrap_or(true),
        });
    }
    collect_by_code(all, json, |item| item.code)
}

/// `/ext/beneficio/{codBeneficio}/dependentes`
pub fn read_dependents(
    json: &Json,
    benefit: BenefitCode,
    registers: &TenantRegisters,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> ChildRecords<(DependentCode, Dependent)> {
    let at = ("dependentes", benefit.get());
    let mut all = Vec::new();
    for json in read_items(json) {
        let Some(dependent_code) = read_required_code(json, "codDependente", notes, at) else { continue };
        let mut reader = RecordReader::new(json, notes, at.0, at.1);
        let registered_on = reader.read_with("dataCadastro", crate::lenient::read_day);
        let created_at =
            registered_on.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone);
        let mut plans: Vec<PlanCode> = read_items(&json["planos"])
            .into_iter()
            .filter_map(|plan| read_code(&plan["codPlano"]).or_else(|| read_code(plan)).map(PlanCode::new))
            .collect();
        plans.sort_unstable();
        plans.dedup();
        let dependent = Dependent {
            benefit,
            name: reader.line("nome", 200).unwrap_or_else(|| "(sem nome)".to_owned()),
            cpf: reader.parse_field("cpf", Cpf::parse),
            born_on: reader.day("dataNascimento"),
            kinship: reader.read_choice::<Kinship>("parentesco").unwrap_or(Kinship::Other),
            sex: reader.read_with("sexo", crate::members::read_sex),
            identity_number: reader.line("identidade", 30),
            phone: reader.phone("telefone"),
            email: reader.parse_field("email", Email::parse),
            card: reader.parse_field("numeroCartaoDesconto", CardNumber::parse),
            plans,
            active: reader.flag("ativo").unwrap_or(true),
            created_at,
            updated_at: created_at,
        };
        all.push((DependentCode::new(dependent_code), dependent));
    }
    collect_by_code(all, json, |(code, _)| *code)
}

/// `/ext/beneficio/{codBeneficio}/equipamentos`
pub fn read_equipment(
    json: &Json,
    benefit: BenefitCode,
    notes: &mut Vec<NewMirrorNote>,
) -> ChildRecords<TrackerInstallation> {
    let at = ("equipamentos", benefit.get());
    let mut all = Vec::new();
    for json in read_items(json) {
        let Some(installation_code) = read_required_code(json, "codInstalacao", notes, at) else { continue };
        let mut reader = RecordReader::new(json, notes, at.0, at.1);
        let removed_on = reader.day("dataRemocao");
        all.push(TrackerInstallation {
            code: InstallationCode::new(installation_code),
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
    collect_by_code(all, json, |one| one.code)
}

/// `/ext/associado/{codPessoa}/cartaoCredito`
pub fn read_cards(json: &Json, person: i32, notes: &mut Vec<NewMirrorNote>) -> ChildRecords<CreditCard> {
    let at = ("cartaoCredito", person);
    let mut all = Vec::new();
    for json in read_items(json) {
        let Some(card_code) = read_required_code(json, "codCartao", notes, at) else { continue };
        let mut reader = RecordReader::new(json, notes, at.0, at.1);
        // Never stores more than four digits, whatever the source sends.
        let digits: String = reader.line("ultimosDigitos", 30).unwrap_or_default();
        let digits: Vec<char> = digits.chars().filter(char::is_ascii_digit).collect();
        let last_digits = digits[digits.len().saturating_sub(4)..].iter().collect();
        all.push(CreditCard {
            code: CreditCardCode::new(card_code),
            brand: reader.line("bandeira", 50).unwrap_or_default(),
            last_digits,
            holder: reader.line("nomeTitular", 200).unwrap_or_default(),
            valid_until: reader.read_with("validade", parse_month).unwrap_or_default(),
            is_main: reader.flag("principal").unwrap_or(false),
            active: reader.flag("ativo").unwrap_or(true),
        });
    }
    collect_by_code(all, json, |card| card.code)
}

/// Converts `MM/yyyy` to `yyyy-MM`.
fn parse_month(json: &Json) -> Option<String> {
    let (month, year) = json.as_str()?.trim().split_once('/')?;
    let day = Date::from_iso(&format!("{year}-{month:0>2}-01"))?;
    Some(day.to_iso_month())
}
