//! Converts spreadsheet cells to the values that the API records take. Invalid values are refused by the record's
//! reader, with its texts; only damage done by the spreadsheet itself is reported here.

use super::fields::ImportFieldKind;
use super::register_cells::{convert_percent, match_choice};
use crate::set_names::NamedSet;
use domain::{BenefitKind, CivilState, Date, Fuel, Kinship, SellerKind, Sex, VehicleCategory, fold_text};
use serde_json::Value;

/// A problem with a cell, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableCell(pub String);

impl UnreadableCell {
    pub fn for_bad_code() -> UnreadableCell {
        UnreadableCell("deve ser um número inteiro, de 1 a 1999999999.".to_owned())
    }

    /// For a name that no record has; `what` is from [`name_referenced_record`].
    pub fn for_unknown_name(what: &str, name: &str) -> UnreadableCell {
        let name = name.trim();
        UnreadableCell(format!("\"{name}\" não é {what}; use o código, ou o nome como está no cadastro."))
    }

    pub fn for_ambiguous_name(name: &str) -> UnreadableCell {
        UnreadableCell(format!("há mais de um cadastro com o nome \"{}\"; use o código.", name.trim()))
    }
}

/// The register record that a cell refers to by code or name, if any.
pub fn name_referenced_record(cell: ImportFieldKind) -> Option<&'static str> {
    match cell {
        ImportFieldKind::Branch => Some("uma loja em uso"),
        ImportFieldKind::Plan => Some("um plano em uso"),
        ImportFieldKind::Consultant => Some("um consultor em uso"),
        ImportFieldKind::Representative => Some("um representante em uso"),
        ImportFieldKind::VehicleType => Some("um tipo de veículo em uso"),
        ImportFieldKind::TitleType => Some("um tipo de título em uso"),
        ImportFieldKind::ProtectionGroup => Some("um grupo de proteção em uso"),
        ImportFieldKind::MoneyAccount => Some("uma conta ou um caixa em uso"),
        ImportFieldKind::ChargeItem => Some("um item de cobrança em uso"),
        ImportFieldKind::LateChargeRule => Some("uma regra de multa e juros em uso"),
        _ => None,
    }
}

/// Whether the text is one that people and spreadsheets write for an empty cell.
pub fn is_blank_cell(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || matches!(text, "-" | "--" | "---" | "#N/D" | "#N/A" | "#REF!" | "#VALOR!" | "#NOME?" | "#NULO!")
        || ["null", "n/a", "n/d", "nan", "none"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Converts a cell to a record value; a text it does not understand is passed on for the record's reader to refuse.
pub fn convert_cell(cell: ImportFieldKind, text: &str) -> Result<Value, UnreadableCell> {
    let text = text.trim();
    if is_scientific_notation(text) && (cell != ImportFieldKind::Text || has_lost_digits(text)) {
        let problem =
            "veio em notação científica, que perde dígitos; formate a coluna como texto e exporte de novo.";
        return Err(UnreadableCell(format!("\"{text}\" {problem}")));
    }
    Ok(match cell {
        ImportFieldKind::Document => restore_document_zeros(text).into(),
        ImportFieldKind::Date => normalize_date(text).into(),
        ImportFieldKind::Money | ImportFieldKind::SignedMoney | ImportFieldKind::BandStart => {
            normalize_money(text).into()
        }
        ImportFieldKind::Percent => return convert_percent(text),
        ImportFieldKind::Choice(names) => match_choice(text, names),
        ImportFieldKind::Flag => return parse_flag(text),
        ImportFieldKind::Number | ImportFieldKind::Year | ImportFieldKind::Instalment => {
            parse_whole_number(text).map_or_else(|| text.into(), Value::from)
        }
        ImportFieldKind::Sex => match_set_member::<Sex>(
            text,
            &[
                ("f", "Feminino"),
                ("m", "Masculino"),
                ("fem", "Feminino"),
                ("masc", "Masculino"),
                ("mulher", "Feminino"),
                ("homem", "Masculino"),
            ],
        ),
        ImportFieldKind::CivilState => match_set_member::<CivilState>(&strip_gender_endings(text), CIVIL),
        ImportFieldKind::Kinship => match_set_member::<Kinship>(&strip_gender_endings(text), KIN),
        ImportFieldKind::Fuel => match_set_member::<Fuel>(text, FUELS),
        ImportFieldKind::Category => match_set_member::<VehicleCategory>(text, CATEGORIES),
        ImportFieldKind::BenefitKind => match_set_member::<BenefitKind>(
            text,
            &[
                ("veiculo", "VEICULAR"),
                ("veiculos", "VEICULAR"),
                ("assistencia 24h", "A24H"),
                ("assistencia", "A24H"),
            ],
        ),
        ImportFieldKind::SellerKind => {
            match_set_member::<SellerKind>(text, &[("vendedor", "Consultor"), ("consultora", "Consultor")])
        }
        ImportFieldKind::Cep => restore_leading_zeros(text, 8, 7).into(),
        ImportFieldKind::Uf => normalize_uf(text).into(),
        ImportFieldKind::Card => text.chars().filter(char::is_ascii_digit).collect::<String>().into(),
        ImportFieldKind::Phone => clean_phone(text).into(),
        ImportFieldKind::Text
        | ImportFieldKind::Branch
        | ImportFieldKind::Plan
        | ImportFieldKind::Consultant
        | ImportFieldKind::Representative
        | ImportFieldKind::VehicleType
        | ImportFieldKind::TitleType
        | ImportFieldKind::ProtectionGroup
        | ImportFieldKind::MoneyAccount
        | ImportFieldKind::ChargeItem
        | ImportFieldKind::LateChargeRule => text.into(),
    })
}

/// `1,23E+10`: how a spreadsheet shows a long number.
fn is_scientific_notation(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return false };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(exponent.trim_start_matches(['+', '-'])) && digits(&mantissa.replacen([',', '.'], "", 1))
}

/// Whether digits were lost in scientific notation; a short text such as `1E5` may be intended.
fn has_lost_digits(text: &str) -> bool {
    let exponent = text.split_once(['e', 'E']).and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    text.contains([',', '.', '+']) && exponent.is_some_and(|exponent| (7..=20).contains(&exponent))
}

/// An integer, also with decimals added by a spreadsheet: `10`, `10,0`, `10.00`.
pub fn parse_whole_number(text: &str) -> Option<i64> {
    let text = text.trim();
    let integer = match text.split_once([',', '.']) {
        Some((integer, zeros))
            if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') && zeros.len() <= 2 =>
        {
            integer
        }
        Some(_) => return None,
        None => text,
    };
    integer.parse().ok()
}

fn is_all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Restores the leading zeros of a CPF or CNPJ.
fn restore_document_zeros(text: &str) -> String {
    let text = text.strip_suffix(".0").or_else(|| text.strip_suffix(",0")).unwrap_or(text);
    match text.len() {
        3..=10 if is_all_digits(text) => format!("{text:0>11}"),
        12..=13 if is_all_digits(text) => format!("{text:0>14}"),
        _ => text.to_owned(),
    }
}

/// Restores lost leading zeros up to `to` digits.
fn restore_leading_zeros(text: &str, to: usize, least: usize) -> String {
    let digits: String = text.chars().filter(|c| !matches!(c, '-' | '.' | ' ')).collect();
    if is_all_digits(&digits) && (least..to).contains(&digits.len()) {
        format!("{digits:0>to$}")
    } else {
        text.to_owned()
    }
}

/// Removes the mask of a phone. A cell with several numbers is split by the caller.
fn clean_phone(text: &str) -> String {
    let text = text.strip_suffix(".0").unwrap_or(text);
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    // People dial a zero before the area code.
    match digits.strip_prefix('0') {
        Some(rest) if rest.len() == 10 || rest.len() == 11 => rest.to_owned(),
        _ => text.to_owned(),
    }
}

/// `25/03/1988`, `25-3-1988`, `1988-03-25 00:00:00`, or a spreadsheet's day number.
fn normalize_date(text: &str) -> String {
    // A number that looks like a year is not a day number.
    let is_day = |days: &i64| (366..=80_000).contains(days) && !(1900..=2100).contains(days);
    if let Some(days) = parse_whole_number(text).filter(is_day) {
        return convert_serial_day(days).map_or_else(|| text.to_owned(), Date::to_br);
    }
    let day = text.split([' ', 'T']).next().unwrap_or(text);
    let parts: Vec<&str> = day.split(['/', '-', '.']).collect();
    let [first, second, third] = parts[..] else { return text.to_owned() };
    if !(is_all_digits(first) && is_all_digits(second) && is_all_digits(third)) {
        return text.to_owned();
    }
    match (first.len(), third.len()) {
        (1 | 2, 4) => format!("{first:0>2}/{second:0>2}/{third}"),
        (4, 1 | 2) => format!("{third:0>2}/{second:0>2}/{first}"),
        _ => text.to_owned(),
    }
}

/// The date of a spreadsheet day number. Spreadsheets count a 29 February 1900 that never existed, so the base is one
/// day earlier.
pub fn convert_serial_day(days: i64) -> Option<Date> {
    if !(0..=2_958_465).contains(&days) {
        return None;
    }
    Date::new(1899, 12, 30)?.plus_days(days)
}

/// The production and model year of a vehicle in one cell: `2015/2016`.
pub fn parse_year_pair(text: &str) -> Option<(i64, i64)> {
    let (made, model) = text.split_once(['/', '-'])?;
    let year = |text: &str| parse_whole_number(text).filter(|_| text.trim().len() == 4);
    Some((year(made)?, year(model)?))
}

/// Number and total of an instalment: `3/12`, `3 de 12`.
pub fn parse_instalment_pair(text: &str) -> Option<(i64, i64)> {
    let (number, total) = text.split_once('/').or_else(|| text.split_once(" de "))?;
    Some((parse_whole_number(number)?, parse_whole_number(total)?))
}

/// The amount without its sign, and whether it is below 0: `-1.234,56`, `(1.234,56)`, `1.234,56 D`.
pub fn split_amount_sign(text: &str) -> (&str, bool) {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return (inner, true);
    }
    if let Some(rest) = text.strip_prefix('-').or_else(|| text.strip_suffix(['D', 'd', '-'])) {
        return (rest.trim(), true);
    }
    match text.strip_prefix("R$").map(str::trim_start).and_then(|rest| rest.strip_prefix('-')) {
        Some(rest) => (rest, true),
        None => (text.strip_suffix(['C', 'c']).unwrap_or(text).trim(), false),
    }
}

/// `R$ 1.234,56` → `1234.56`
pub(super) fn normalize_money(text: &str) -> String {
    let bare: String = text.replace("R$", "").chars().filter(|c| !c.is_whitespace()).collect();
    if !bare.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
        return text.to_owned();
    }
    let (comma, point) = (bare.rfind(','), bare.rfind('.'));
    match (comma, point) {
        // The last separator is the decimal one, the others group thousands.
        (Some(comma), Some(point)) if comma > point => bare.replace('.', "").replace(',', "."),
        (Some(_), Some(_)) => bare.replace(',', ""),
        (Some(_), None) if bare.matches(',').count() > 1 => bare.replace(',', ""),
        (Some(_), None) => bare.replace(',', "."),
        (None, Some(point)) if bare.matches('.').count() > 1 || bare.len() - point == 4 => {
            bare.replace('.', "")
        }
        _ => bare,
    }
}

fn parse_flag(text: &str) -> Result<Value, UnreadableCell> {
    match fold_text(text).as_str() {
        "sim" | "s" | "1" | "true" | "verdadeiro" | "v" | "x" | "ativo" | "ativa" | "yes" | "y" => {
            Ok(true.into())
        }
        "nao" | "n" | "0" | "false" | "falso" | "f" | "inativo" | "inativa" | "no" => Ok(false.into()),
        _ => Err(UnreadableCell(format!("\"{text}\" não é sim nem não; use sim ou não."))),
    }
}

/// Removes endings for both genders: `Casado(a)`, `Filho/a`.
fn strip_gender_endings(text: &str) -> String {
    ["(a)", "(o)", "/a", "/o"].iter().fold(text.to_lowercase(), |text, ending| text.replace(ending, ""))
}

/// A member of a fixed set, by its name, feminine form or synonym; any other text is kept.
fn match_set_member<T: NamedSet>(text: &str, others: &[(&str, &'static str)]) -> Value {
    let folded = fold_text(text);
    let folded = folded.trim_end_matches('.');
    let named = T::NAMES
        .iter()
        .map(|(name, _)| *name)
        .find(|name| fold_text(name).replace('_', " ") == folded.replace('_', " "));
    let other = || others.iter().find(|(known, _)| *known == folded).map(|(_, name)| *name);
    let female = || {
        let male = folded.strip_suffix('a').map(|stem| format!("{stem}o"))?;
        T::NAMES.iter().map(|(name, _)| *name).find(|name| fold_text(name) == male)
    };
    named.or_else(other).or_else(female).map_or_else(|| text.into(), Value::from)
}

const CIVIL: &[(&str, &str)] = &[
    ("desquitado", "SEPARADO"),
    ("desquitada", "SEPARADO"),
    ("uniao estavel", "UNIAO ESTAVEL"),
    ("amasiado", "UNIAO ESTAVEL"),
    ("outro", "OUTROS"),
];

const KIN: &[(&str, &str)] = &[
    ("esposa", "CONJUGE"),
    ("esposo", "CONJUGE"),
    ("marido", "CONJUGE"),
    ("mulher", "CONJUGE"),
    ("companheiro", "CONJUGE"),
    ("companheira", "CONJUGE"),
    ("mae", "PAI"),
    ("irma", "IRMAO"),
    ("nora", "GENRO"),
    ("madrasta", "PADRASTO"),
    ("outros", "OUTRO"),
    ("cachorro", "PET_CANINO"),
    ("cao", "PET_CANINO"),
    ("gato", "PET_FELINO"),
];

const FUELS: &[(&str, &str)] = &[
    ("alcool", "ETANOL"),
    ("alcool/gasolina", "FLEX"),
    ("gasolina/alcool", "FLEX"),
    ("gas", "GNV"),
    ("gas natural", "GNV"),
    ("eletrica", "ELETRICO"),
];

const CATEGORIES: &[(&str, &str)] = &[
    ("moto", "MOTOCICLETA"),
    ("carro", "LEVE"),
    ("automovel", "LEVE"),
    ("passeio", "LEVE"),
    ("veiculo leve", "LEVE"),
    ("pick-up", "PICKUP"),
    ("caminhonete", "PICKUP"),
];

/// The abbreviation of a state, also from its full name.
fn normalize_uf(text: &str) -> String {
    let folded = fold_text(text);
    let named = STATES.iter().find(|(name, _)| *name == folded);
    named.map_or_else(|| text.to_uppercase(), |(_, letters)| (*letters).to_owned())
}

const STATES: &[(&str, &str)] = &[
    ("acre", "AC"),
    ("alagoas", "AL"),
    ("amapa", "AP"),
    ("amazonas", "AM"),
    ("bahia", "BA"),
    ("ceara", "CE"),
    ("distrito federal", "DF"),
    ("espirito santo", "ES"),
    ("goias", "GO"),
    ("maranhao", "MA"),
    ("mato grosso", "MT"),
    ("mato grosso do sul", "MS"),
    ("minas gerais", "MG"),
    ("para", "PA"),
    ("paraiba", "PB"),
    ("parana", "PR"),
    ("pernambuco", "PE"),
    ("piaui", "PI"),
    ("rio de janeiro", "RJ"),
    ("rio grande do norte", "RN"),
    ("rio grande do sul", "RS"),
    ("rondonia", "RO"),
    ("roraima", "RR"),
    ("santa catarina", "SC"),
    ("sao paulo", "SP"),
    ("sergipe", "SE"),
    ("tocantins", "TO"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cell: ImportFieldKind, text: &str) -> String {
        match convert_cell(cell, text).unwrap() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    #[test]
    fn documents_get_back_the_zeros_that_a_sheet_took() {
        for (cell, restored) in [
            ("52998224725", "52998224725"),
            ("191", "00000000191"),
            ("1234567890", "01234567890"),
            ("191000000", "00191000000"),
            ("1222333000181", "01222333000181"),
            ("529.982.247-25", "529.982.247-25"),
            ("52998224725.0", "52998224725"),
        ] {
            assert_eq!(text(ImportFieldKind::Document, cell), restored);
        }
        for bad in ["5,2998E+10", "5.29982247E10", "1E+11"] {
            assert!(
                convert_cell(ImportFieldKind::Document, bad).unwrap_err().0.contains("notação científica"),
                "{bad}"
            );
        }
        assert!(convert_cell(ImportFieldKind::Text, "1,23457E+10").is_err(), "an RG, a Renavam");
        for plain in ["1E5", "12E9", "3,5E+2"] {
            assert_eq!(text(ImportFieldKind::Text, plain), plain, "a text is whatever it is");
        }
    }

    #[test]
    fn days_come_as_people_and_sheets_write_them() {
        for (cell, day) in [
            ("25/03/1988", "25/03/1988"),
            ("5/3/1988", "05/03/1988"),
            ("1988-03-25", "25/03/1988"),
            ("1988-03-25 00:00:00", "25/03/1988"),
            ("25.03.1988", "25/03/1988"),
            ("25-03-1988", "25/03/1988"),
            ("32227", "25/03/1988"),
            ("46340", "14/11/2026"),
            ("46340.0", "14/11/2026"),
            ("25/03/88", "25/03/88"),
            ("ontem", "ontem"),
            ("1988", "1988"),
        ] {
            assert_eq!(text(ImportFieldKind::Date, cell), day, "{cell}");
        }
    }

    #[test]
    fn two_years_in_one_cell_are_two() {
        assert_eq!(parse_year_pair("2015/2016"), Some((2015, 2016)));
        assert_eq!(parse_year_pair(" 2015 - 2015 "), Some((2015, 2015)));
        for other in ["2015", "15/16", "2015/16", "2015/", "ano/2016", "2015/2016/2017"] {
            assert_eq!(parse_year_pair(other), None, "{other}");
        }
    }

    #[test]
    fn money_comes_with_any_signs() {
        for (cell, plain) in [
            ("R$ 1.234,56", "1234.56"),
            ("1,234.56", "1234.56"),
            ("1234,5", "1234.5"),
            ("1.234", "1234"),
            ("12.5", "12.5"),
            ("89.90", "89.90"),
            ("1.234.567", "1234567"),
            ("150", "150"),
            ("grátis", "grátis"),
        ] {
            assert_eq!(text(ImportFieldKind::Money, cell), plain, "{cell}");
        }
    }

    #[test]
    fn sets_flags_and_numbers_are_understood_loosely() {
        for (kind, cell, read) in [
            (ImportFieldKind::Sex, "F", "Feminino"),
            (ImportFieldKind::Sex, "masculino", "Masculino"),
            (ImportFieldKind::CivilState, "Casada", "CASADO"),
            (ImportFieldKind::CivilState, "Solteiro(a)", "SOLTEIRO"),
            (ImportFieldKind::CivilState, "União Estável", "UNIAO ESTAVEL"),
            (ImportFieldKind::Kinship, "Filha", "FILHO"),
            (ImportFieldKind::Kinship, "Esposa", "CONJUGE"),
            (ImportFieldKind::Kinship, "pet canino", "PET_CANINO"),
            (ImportFieldKind::Fuel, "Álcool", "ETANOL"),
            (ImportFieldKind::Category, "Moto", "MOTOCICLETA"),
            (ImportFieldKind::BenefitKind, "Veicular", "VEICULAR"),
            (ImportFieldKind::Uf, "são paulo", "SP"),
            (ImportFieldKind::Uf, "rj", "RJ"),
            (ImportFieldKind::Cep, "1310100", "01310100"),
            (ImportFieldKind::Number, "10,0", "10"),
            (ImportFieldKind::Number, "dez", "dez"),
            (ImportFieldKind::Flag, "Sim", "true"),
            (ImportFieldKind::Flag, "N", "false"),
            (ImportFieldKind::Phone, "011 98765-4321", "11987654321"),
            (ImportFieldKind::Card, "1234 56 7 890 123", "1234567890123"),
            (ImportFieldKind::Sex, "outro", "outro"),
        ] {
            assert_eq!(text(kind, cell), read, "{cell}");
        }
        assert!(convert_cell(ImportFieldKind::Flag, "talvez").is_err());
        for nothing in ["", "  ", "-", "NULL", "#N/D", "n/a"] {
            assert!(is_blank_cell(nothing));
        }
        assert!(!is_blank_cell("0"));
    }
}
