//! Parses titles: as the list shows them, and as they are fetched by code. A source that does not show single titles is
//! read from its list alone.

use crate::lenient::{
    RecordReader, read_code, read_day, read_int, read_items, read_list, read_money, read_text,
};
use app::register_snapshot::TenantRegisters;
use domain::finance::{LaunchKind, TitleSituation};
use domain::{
    BenefitCode, BranchCode, Date, Document, Moment, Money, PersonCode, PersonProfile, TitleCode,
    TitleTypeCode, fold_text,
};
use exchange::mirror_store::{MirroredTitle, MirroredTitleRecord, NewMirrorNote, TITLE_NOTE_KIND};
use serde_json::Value as Json;
use wire::mirror::name_unnamed_title_type;
use wire::set_names::NamedSet;

/// What the list tells of an open title that may change there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedTitleTerms {
    pub due_on: Option<Date>,
    /// In cents, as `settled_total`.
    pub amount: i64,
    pub settled_total: i64,
}

pub fn read_listed_terms(json: &Json) -> ListedTitleTerms {
    let cents = |name: &str| read_money(&json[name]).map_or(0, Money::cents);
    ListedTitleTerms {
        due_on: read_day(&json["dataVencimento"]),
        amount: cents("valor"),
        settled_total: cents("valorLiquidado"),
    }
}

/// Parses a title; `None`, with a note, if it cannot be one here.
pub fn read_title(
    json: &Json,
    registers: &TenantRegisters,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<MirroredTitleRecord> {
    let title_code = read_code(&json["codTitulo"])?;
    let mut reader = RecordReader::new(json, notes, TITLE_NOTE_KIND, title_code);
    let kind = read_launch_kind(json);
    let (Some(situation), Some(kind), Some(person)) =
        (read_situation(&json["situacao"]), kind, read_code(&json["codPessoa"]))
    else {
        reader.add_note("situacao", "veio sem situação, tipo ou pessoa e não foi espelhado");
        return None;
    };
    let due_on = reader.day("dataVencimento");
    if situation == TitleSituation::Open && due_on.is_none() {
        reader.add_note("dataVencimento", "veio sem vencimento e não foi espelhado");
        return None;
    }
    let due_on = due_on.unwrap_or(Date::EPOCH);
    let amount = reader.money("valor").map_or(0, Money::cents);
    let title_type = choose_title_type(json, registers, kind, &mut reader)?;
    let (paid, paid_on) = read_payments(json);
    let branch = read_branch(json, registers);
    let title = MirroredTitle {
        code: TitleCode::new(title_code),
        situation,
        person: PersonCode::new(person),
        document: read_document(json),
        branch,
        benefits: read_benefits(json),
        sequences: read_sequences(&json["sequencialBeneficio"]),
        title_type,
        amount,
        paid,
        paid_on,
        issued_on: reader.day("dataEmissao").unwrap_or(due_on),
        due_on,
        description: reader.line("descricao", 200),
        note: reader.lines("observacao"),
    };
    Some(MirroredTitleRecord { title, holder: read_holder(json, branch, registers, now) })
}

/// What is due is open, whatever a server calls it.
fn read_situation(json: &Json) -> Option<TitleSituation> {
    let folded = fold_text(&read_text(json)?);
    if folded == "vencido" {
        return Some(TitleSituation::Open);
    }
    find_member(&folded)
}

/// `tipoLancamento` of a title fetched by code, `tipo` of one in the list.
pub fn read_launch_kind(json: &Json) -> Option<LaunchKind> {
    [&json["tipoLancamento"], &json["tipo"]]
        .into_iter()
        .find_map(|one| find_member::<LaunchKind>(&fold_text(&read_text(one)?)))
        .filter(|kind| *kind != LaunchKind::CostSharing)
}

fn find_member<T: NamedSet>(folded: &str) -> Option<T> {
    T::NAMES.iter().find(|(name, _)| fold_text(name) == folded).map(|(_, member)| *member)
}

/// The branch of a title by its code, or else by its name.
fn read_branch(json: &Json, registers: &TenantRegisters) -> Option<BranchCode> {
    let (code, name) = (read_code(&json["codLoja"]).map(BranchCode::new), read_text(&json["nomeLoja"]));
    let by_code = registers.branches.iter().find(|one| Some(one.code) == code);
    let by_name = || registers.branches.iter().find(|one| Some(&one.name) == name.as_ref());
    by_code.or_else(by_name).map(|one| one.code)
}

fn read_benefits(json: &Json) -> Vec<BenefitCode> {
    let all = read_items(&json["beneficios"]).into_iter();
    let codes = all.filter_map(|one| read_code(&one["codBeneficio"])).map(BenefitCode::new);
    let mut codes: Vec<BenefitCode> = codes.collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// An array, or a single number.
fn read_sequences(json: &Json) -> Vec<i32> {
    let all: Vec<&Json> = match json {
        Json::Array(items) => items.iter().collect(),
        other => vec![other],
    };
    let mut sequences: Vec<i32> =
        all.into_iter().filter_map(read_int).filter(|sequence| *sequence > 0).collect();
    sequences.sort_unstable();
    sequences.dedup();
    sequences
}

/// What was paid of the amount, in cents, and when last. The list knows only the sum of what was received.
fn read_payments(json: &Json) -> (i64, Option<Date>) {
    let Some(payments) = read_list(&json["liquidacoes"]) else {
        let received = read_money(&json["valorLiquidado"]).map_or(0, Money::cents);
        return (received, read_day(&json["dataLiquidacao"]));
    };
    let in_force = payments.into_iter().filter(|one| read_text(&one["nomeEstornador"]).is_none());
    let in_force: Vec<&Json> = in_force.collect();
    let amount = |one: &&Json| read_money(&one["valor"]).or_else(|| read_money(&one["total"]));
    let paid: i64 = in_force.iter().filter_map(amount).map(Money::cents).sum();
    (paid, in_force.iter().filter_map(|one| read_day(&one["dataLiquidacao"])).max())
}

/// Takes what was paid from the row of the list if the title itself does not tell it. Whether something was.
pub fn complete_payments(title: &mut Json, row: &Json) -> bool {
    let is_told =
        read_list(&title["liquidacoes"]).is_some() || read_money(&title["valorLiquidado"]).is_some();
    let received = read_money(&row["valorLiquidado"]).filter(|received| received.cents() > 0);
    let Some(fields) = title.as_object_mut().filter(|_| !is_told && received.is_some()) else { return false };
    for name in ["valorLiquidado", "dataLiquidacao"] {
        fields.insert(name.to_owned(), row[name].clone());
    }
    true
}

/// The person of a title as somebody who is no member. What is odd about members is noted where they are read.
fn read_holder(
    json: &Json,
    branch: Option<BranchCode>,
    registers: &TenantRegisters,
    now: Moment,
) -> PersonProfile {
    let first = || registers.branches.iter().map(|one| one.code).min().unwrap_or(BranchCode::new(1));
    let name = [&json["nomePessoa"], &json["nomeDevedorCredor"]].into_iter().find_map(read_text);
    let name = name.map_or_else(|| "(sem nome)".to_owned(), |name| name.chars().take(200).collect());
    PersonProfile::new_non_member(branch.unwrap_or_else(first), read_document(json), name, now)
}

fn read_document(json: &Json) -> Option<Document> {
    read_text(&json["cpfCnpjPessoa"]).and_then(|text| Document::parse(&text).ok())
}

/// The name of a title type as a register holds it.
pub fn read_type_name(json: &Json) -> Option<String> {
    read_text(&json["nomeTipoTitulo"]).map(|name| name.chars().take(200).collect())
}

/// The name of the type that a title gets. One that names none gets a type of its own: it may be anything but monthly.
pub fn choose_type_name(json: &Json, kind: LaunchKind) -> String {
    read_type_name(json).unwrap_or_else(|| name_unnamed_title_type(kind).to_owned())
}

/// The registered type of a title: that of its code if it means the same here, or else that of its name.
pub fn find_title_type(json: &Json, registers: &TenantRegisters) -> Option<TitleTypeCode> {
    let kind = read_launch_kind(json)?;
    let code = read_code(&json["codTipoTitulo"]).map(TitleTypeCode::new);
    let name = fold_text(&choose_type_name(json, kind));
    let of_kind = registers.money.title_types.iter().filter(|one| one.launch_kind == kind);
    let named = of_kind.filter(|one| fold_text(&one.name) == name);
    named.min_by_key(|one| (Some(one.code) != code, one.code)).map(|one| one.code)
}

/// The type of a title, or else the first one of its kind.
fn choose_title_type(
    json: &Json,
    registers: &TenantRegisters,
    kind: LaunchKind,
    reader: &mut RecordReader<'_>,
) -> Option<TitleTypeCode> {
    if let Some(found) = find_title_type(json, registers) {
        return Some(found);
    }
    let of_kind = registers.money.title_types.iter().filter(|one| one.launch_kind == kind);
    let first = of_kind.min_by_key(|one| (!one.active, one.code)).map(|one| one.code);
    let reason = match first {
        Some(_) => "o tipo não pôde ser cadastrado; ficou no primeiro do mesmo lançamento",
        None => "não há aqui um tipo deste lançamento; o título não foi espelhado",
    };
    reader.add_note("codTipoTitulo", reason);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn payments_in_force_are_summed_and_the_list_knows_only_what_was_received() {
        let detail = json!({"liquidacoes": [
            {"valor": "50,00", "total": 51.2, "dataLiquidacao": "05/11/2026", "nomeEstornador": null},
            {"valor": 10.5, "dataLiquidacao": "2026-11-07"},
            {"valor": 20, "dataLiquidacao": "10/11/2026", "nomeEstornador": "Sistema"}
        ], "valorLiquidado": 999});
        assert_eq!(read_payments(&detail), (6_050, Date::from_iso("2026-11-07")));
        let row = json!({"valorLiquidado": "12,30", "dataLiquidacao": "01/11/2026"});
        assert_eq!(read_payments(&row), (1_230, Date::from_iso("2026-11-01")));
        assert_eq!(read_payments(&json!({"liquidacoes": []})), (0, None));
    }

    #[test]
    fn what_was_paid_comes_from_the_list_only_if_the_title_does_not_tell_it() {
        let row = json!({"valorLiquidado": 12.3, "dataLiquidacao": "01/11/2026"});
        let mut title = json!({"codTitulo": 1});
        assert!(complete_payments(&mut title, &row));
        assert_eq!(read_payments(&title), (1_230, Date::from_iso("2026-11-01")));
        assert!(!complete_payments(&mut json!({"liquidacoes": []}), &row));
        assert!(!complete_payments(&mut json!({"codTitulo": 1}), &json!({"valorLiquidado": 0})));
    }

    #[test]
    fn situations_and_kinds_are_read_in_any_spelling() {
        assert_eq!(read_situation(&json!("Vencido")), Some(TitleSituation::Open));
        assert_eq!(read_situation(&json!("liquidado")), Some(TitleSituation::Settled));
        assert_eq!(read_situation(&json!("renegociado")), None);
        assert_eq!(read_launch_kind(&json!({"tipo": "Crédito"})), Some(LaunchKind::Credit));
        assert_eq!(read_launch_kind(&json!({"tipoLancamento": "DEBITO"})), Some(LaunchKind::Debit));
        assert_eq!(read_launch_kind(&json!({"tipoLancamento": "RATEIO"})), None);
    }

    #[test]
    fn sequences_come_as_an_array_or_alone() {
        assert_eq!(read_sequences(&json!([7, "3", 7, 0, null])), [3, 7]);
        assert_eq!(read_sequences(&json!(5)), [5]);
        assert_eq!(read_sequences(&json!(null)), [0_i32; 0]);
    }
}
