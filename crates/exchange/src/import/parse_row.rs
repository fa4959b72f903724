//! Maps the row of a sheet to a record: each cell by the kind of its field, then the record with the same parser as the API.
//! Problems name the column.

use super::column_names::{FieldColumnIndex, ImportColumnNames};
use super::parsed_row::{ImportRecordDraft, ParsedImportRow};
use app::members::dependents;
use app::register_snapshot::TenantRegisters;
use app::sales::leads;
use app::{benefits, members, registers};
use domain::{ImportKind, SellerKind, fold_text};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use storage::exchange::imports::line_problems::StoredLineProblem;
use storage::exchange::imports::runs::StoredImportRun;
use wire::import_sheet::{
    ImportField, ImportFieldKind, UnreadableCell, convert_cell, find_import_field, find_import_register,
    is_blank_cell, name_referenced_record, parse_instalment_pair, parse_whole_number, parse_year_pair,
    split_amount_sign, split_value_band,
};
use wire::read::{self, DocumentedField, InputProblems, InputRecord, PartialInput};

/// Parses the lines of one import.
pub(super) struct ImportRowParser {
    kind: ImportKind,
    pub names: Arc<ImportColumnNames>,
    /// Cache of codes looked up by name.
    named: HashMap<(ImportFieldKind, String), Result<i32, UnreadableCell>>,
}

impl ImportRowParser {
    pub fn new(import: &StoredImportRun) -> ImportRowParser {
        let columns = import.mapping.iter().map(|field| find_import_field(import.kind, field)).collect();
        let names = Arc::new(ImportColumnNames { headers: import.headers.clone(), columns });
        ImportRowParser { kind: import.kind, names, named: HashMap::new() }
    }

    /// Required after a register changed.
    pub fn clear_name_cache(&mut self) {
        self.named.clear();
    }

    pub fn parse_row(&mut self, registers: &TenantRegisters, line: i32, cells: &str) -> ParsedImportRow {
        let cells: Vec<String> = serde_json::from_str(cells).unwrap_or_default();
        let (mut fields, mut field_columns, mut problems) = (Map::new(), FieldColumnIndex::new(), Vec::new());
        let (mut phones, mut phone_columns) = (Vec::new(), Vec::new());
        let mut pairs: Vec<(&str, Value, usize)> = Vec::new();
        let names = Arc::clone(&self.names);
        for (at, text) in cells.iter().enumerate() {
            let Some(Some(column)) = names.columns.get(at) else { continue };
            if is_blank_cell(text) {
                continue;
            }
            if is_phone_column(self.kind, column) {
                for one in split_phones(text) {
                    phones.push(one);
                    phone_columns.push(at);
                }
                continue;
            }
            if column.cell == ImportFieldKind::Year
                && let Some((made_year, model_year)) = parse_year_pair(text)
            {
                pairs.extend([("anoFabricacao", made_year.into(), at), ("anoModelo", model_year.into(), at)]);
                continue;
            }
            if column.cell == ImportFieldKind::Instalment
                && let Some((number, total)) = parse_instalment_pair(text)
            {
                pairs.extend([("parcela", number.into(), at), ("parcelas", total.into(), at)]);
                continue;
            }
            if column.cell == ImportFieldKind::BandStart
                && let Some((from, until)) = split_value_band(text)
            {
                pairs.extend(from.map(|from| ("valorDe", from.into(), at)));
                pairs.push(("valorAte", until.into(), at));
                continue;
            }
            let mut text = text.as_str();
            if column.cell == ImportFieldKind::SignedMoney {
                let (amount, is_negative) = split_amount_sign(text);
                text = amount;
                fields.insert("negativo".to_owned(), is_negative.into());
            }
            match self.parse_cell(registers, column, text) {
                Ok(value) => set_field(&mut fields, column.name, value),
                Err(UnreadableCell(text)) => problems.push(names.build_problem(line, Some(at), text)),
            }
            field_columns.push((column.name.to_owned(), at));
        }
        for (name, value, at) in pairs {
            // A separate column takes precedence.
            if !fields.contains_key(name) {
                set_field(&mut fields, name, value);
                field_columns.push((name.to_owned(), at));
            }
        }
        let mut listed = Vec::new();
        for (at, text) in phone_columns.into_iter().zip(phones) {
            match convert_cell(ImportFieldKind::Phone, &text) {
                Ok(value) => {
                    field_columns.push((format!("telefones[{}]", listed.len()), at));
                    listed.push(Value::Object(Map::from_iter([("numero".to_owned(), value)])));
                }
                Err(UnreadableCell(text)) => problems.push(names.build_problem(line, Some(at), text)),
            }
        }
        if !listed.is_empty() {
            fields.insert("telefones".to_owned(), Value::Array(listed));
        }
        let (mut row, unread, mut key) = self.parse_record(&mut fields);
        if self.kind == ImportKind::PlanPrices && (unread.is_some() || !problems.is_empty()) {
            // Without its branch or its band it would be another price.
            (row, key) = (None, None);
        }
        problems.extend(unread.map_or_else(Vec::new, |unread| {
            names.locate_problems(line, &field_columns, unread.into_problems())
        }));
        // One problem per cell is enough.
        let mut reported = Vec::new();
        problems.retain(|problem: &StoredLineProblem| {
            let is_new = problem.header.is_none() || !reported.contains(&problem.header);
            reported.push(problem.header.clone());
            is_new
        });
        ParsedImportRow { line, row, problems, key }
    }

    fn parse_cell(
        &mut self,
        registers: &TenantRegisters,
        column: &ImportField,
        text: &str,
    ) -> Result<Value, UnreadableCell> {
        let cell = column.cell;
        if is_preserved_code(self.kind, column.name) {
            let code = parse_whole_number(text).filter(|code| (1..2_000_000_000).contains(code));
            return code.map(Value::from).ok_or_else(UnreadableCell::for_bad_code);
        }
        let Some(record_name) = name_referenced_record(cell) else {
            return convert_cell(cell, text);
        };
        // A code is validated later, by the function that uses it.
        if let Some(code) = parse_whole_number(text) {
            return Ok(code.into());
        }
        let key = (cell, fold_text(text));
        if !self.named.contains_key(&key) {
            let found = find_codes_by_name(registers, cell, &key.1);
            let resolved = match found[..] {
                [one] => Ok(one),
                [] => Err(UnreadableCell::for_unknown_name(record_name, text)),
                _ => Err(UnreadableCell::for_ambiguous_name(text)),
            };
            self.named.insert(key.clone(), resolved);
        }
        match self.named.get(&key) {
            Some(Ok(code)) => Ok((*code).into()),
            Some(Err(unreadable)) => Err(unreadable.clone()),
            None => Ok(text.into()),
        }
    }

    /// Parses the record; returns it with its problems and its unique key.
    fn parse_record(
        &self,
        fields: &mut Map<String, Value>,
    ) -> (Option<ImportRecordDraft>, Option<InputProblems>, Option<String>) {
        match self.kind {
            ImportKind::Members => {
                let code = members::import_rows::MemberImportRow::take_person_code(fields);
                parse_typed_record(fields, |input| {
                    let key = members::import_rows::build_duplicate_key(&input);
                    (
                        ImportRecordDraft::Member(Box::new(members::import_rows::MemberImportRow {
                            input,
                            code,
                        })),
                        Some(key),
                    )
                })
            }
            ImportKind::Vehicles => {
                let numbers = benefits::import_rows::PresetBenefitNumbers::take_from(fields);
                parse_typed_record(fields, |input| {
                    let row = benefits::import_rows::VehicleBenefitRow { input, numbers };
                    let key = row.duplicate_key();
                    (ImportRecordDraft::Vehicle(Box::new(row)), key)
                })
            }
            ImportKind::Dependents => {
                let benefit_reference = dependents::import_rows::BenefitReference::take_from_fields(fields);
                let given_fields = fields.keys().cloned().collect();
                parse_typed_record(fields, |input| {
                    let row = dependents::import_rows::DependentImportRow {
                        input,
                        reference: benefit_reference,
                        given_fields,
                    };
                    let key = row.duplicate_key();
                    (ImportRecordDraft::Dependent(Box::new(row)), Some(key))
                })
            }
            ImportKind::Leads => {
                let code = leads::import_rows::LeadImportRow::take_lead_code(fields);
                parse_typed_record(fields, |input| {
                    let row = leads::import_rows::LeadImportRow { input, code };
                    let key = row.duplicate_key();
                    (ImportRecordDraft::Lead(Box::new(row)), key)
                })
            }
            ImportKind::Titles => parse_typed_record(fields, |input| {
                let row = finance::TitleImportRow { input };
                let key = row.duplicate_key();
                (ImportRecordDraft::Title(Box::new(row)), Some(key))
            }),
            ImportKind::OpeningBalances => parse_typed_record(fields, |input| {
                let row = finance::OpeningBalanceRow { input };
                let key = row.duplicate_key();
                (ImportRecordDraft::OpeningBalance(Box::new(row)), key)
            }),
            // Registers.
            _ => {
                let (row, problems) = registers::import_rows::RegisterImportRow::parse(self.kind, fields);
                let key = row.as_ref().and_then(registers::import_rows::RegisterImportRow::duplicate_key);
                (row.map(|row| ImportRecordDraft::Register(Box::new(row))), problems, key)
            }
        }
    }
}

type ParsedRecordParts = (Option<ImportRecordDraft>, Option<InputProblems>, Option<String>);

/// Parses a record. If only optional fields are invalid, the rest is returned too, so that it can be checked further.
fn parse_typed_record<T: InputRecord>(
    fields: &Map<String, Value>,
    row: impl FnOnce(T) -> (ImportRecordDraft, Option<String>),
) -> ParsedRecordParts {
    match read::read_record_fields(fields) {
        Ok(input) => {
            let (row, key) = row(input);
            (Some(row), None, key)
        }
        Err(PartialInput { problems, rest }) => {
            // Without its required fields a line has no identity to compare.
            let is_open = |field: &DocumentedField| field.required && problems.has_problem_in(field.name);
            let rest = rest.filter(|_| !T::fields().iter().any(is_open));
            let (row, key) = rest.map(|rest| row(*rest)).map_or((None, None), |(row, key)| (Some(row), key));
            (row, Some(problems), key)
        }
    }
}

/// Sets a value by path: `endereco.cep`.
fn set_field(fields: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        Some((outer, inner)) => {
            let nested = fields.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(nested) = nested {
                nested.insert(inner.to_owned(), value);
            }
        }
        None => {
            fields.insert(path.to_owned(), value);
        }
    }
}

/// Codes from the source that the record keeps.
fn is_preserved_code(kind: ImportKind, name: &str) -> bool {
    match name {
        "codPessoa" | "codBeneficio" | "sequencial" | "codDependente" | "codLead" => true,
        _ => find_import_register(kind).is_some_and(|register| register.code == name),
    }
}

/// Columns that together form the phone list.
fn is_phone_column(kind: ImportKind, column: &ImportField) -> bool {
    matches!(kind, ImportKind::Members | ImportKind::Leads) && column.cell == ImportFieldKind::Phone
}

/// Several phone numbers in one cell: `(11) 98765-4321 / 3333-4444`.
fn split_phones(text: &str) -> Vec<String> {
    let parts: Vec<&str> =
        text.split(['/', ';', ',', '|']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_full_number = |part: &&str| part.chars().filter(char::is_ascii_digit).count() >= 8;
    if parts.len() > 1 && parts.iter().all(is_full_number) {
        return parts.into_iter().map(str::to_owned).collect();
    }
    vec![text.to_owned()]
}

/// The codes of active records with this name.
fn find_codes_by_name(registers: &TenantRegisters, cell: ImportFieldKind, folded: &str) -> Vec<i32> {
    let has_name = |name: &str| fold_text(name) == *folded;
    let sellers = |kind: SellerKind| {
        let all = registers.sellers.values().filter(move |one| one.active && one.kind == kind);
        all.filter(|one| has_name(&one.name)).map(|one| one.code.get()).collect()
    };
    match cell {
        ImportFieldKind::Branch => registers
            .branches
            .iter()
            .filter(|one| one.active && has_name(&one.name))
            .map(|one| one.code.get())
            .collect(),
        ImportFieldKind::Plan => registers
            .plans
            .iter()
            .filter(|one| one.active && has_name(&one.name))
            .map(|one| one.code.get())
            .collect(),
        ImportFieldKind::VehicleType => registers
            .vehicle_types
            .iter()
            .filter(|one| one.active && has_name(&one.name))
            .map(|one| one.code.get())
            .collect(),
        ImportFieldKind::TitleType => {
            let all = registers.money.title_types.iter().filter(|one| one.active && has_name(&one.name));
            all.map(|one| one.code.get()).collect()
        }
        ImportFieldKind::ProtectionGroup => {
            let all = registers.money.groups.iter().filter(|one| one.active && has_name(&one.name));
            all.map(|one| one.code.get()).collect()
        }
        ImportFieldKind::MoneyAccount => {
            let all = registers.money.accounts.iter().filter(|one| one.active && has_name(&one.name));
            all.map(|one| one.code.get()).collect()
        }
        ImportFieldKind::ChargeItem => {
            let all = registers.money.charge_items.iter().filter(|one| one.active && has_name(&one.name));
            all.map(|one| one.code.get()).collect()
        }
        ImportFieldKind::LateChargeRule => {
            let all = registers.money.late_charge_rules.iter();
            all.filter(|one| one.active && has_name(&one.name)).map(|one| one.code.get()).collect()
        }
        ImportFieldKind::Consultant => sellers(SellerKind::Consultant),
        ImportFieldKind::Representative => sellers(SellerKind::Representative),
        _ => Vec::new(),
    }
}
