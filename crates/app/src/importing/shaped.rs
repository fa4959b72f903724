//! Lines of a file as the records that they mean: each cell by what its column holds, then read by the reader of every other
//! record. What is wrong is told by the name of its column.

use super::{Import, Problem};
use crate::base::Registers;
use crate::{benefits, dependents, leads, people, registering};
use domain::{ImportKind, SellerKind, fold};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use wire::read::{self, FieldInfo, Problems, Record, Unread};
use wire::sheet::{Bad, Cell, Column, both_years, column, is_nothing, number, shaped};

/// What a line means.
#[derive(Clone, Debug)]
pub(super) enum Row {
    Member(Box<people::imported::Row>),
    Vehicle(Box<benefits::imported::Row>),
    Dependent(Box<dependents::imported::Row>),
    Lead(Box<leads::imported::Row>),
    Register(Box<registering::imported::Row>),
}

/// A line, understood as far as it can be.
#[derive(Clone, Debug)]
pub(super) struct Shaped {
    pub line: i32,
    /// Nothing where what must be there cannot be read.
    pub row: Option<Row>,
    pub problems: Vec<Problem>,
    /// What no other line may have alike.
    pub key: Option<String>,
}

/// Understands the lines of one import.
pub(super) struct Shaper {
    kind: ImportKind,
    pub names: Arc<Names>,
    /// What was looked up by its name.
    named: HashMap<(u8, String), Result<i32, String>>,
}

/// What the columns of a file are called, and where they go.
pub(super) struct Names {
    headers: Vec<String>,
    columns: Vec<Option<&'static Column>>,
}

/// Where in a record what came from which column stands.
type Places = Vec<(String, usize)>;

impl Shaper {
    pub fn new(import: &Import) -> Shaper {
        let columns = import.mapping.iter().map(|field| column(import.kind, field)).collect();
        let names = Arc::new(Names { headers: import.headers.clone(), columns });
        Shaper { kind: import.kind, names, named: HashMap::new() }
    }

    /// Names are looked up anew: a register changed.
    pub fn forget(&mut self) {
        self.named.clear();
    }

    pub fn shape(&mut self, registers: &Registers, line: i32, cells: &str) -> Shaped {
        let cells: Vec<String> = serde_json::from_str(cells).unwrap_or_default();
        let (mut fields, mut places, mut problems) = (Map::new(), Places::new(), Vec::new());
        let (mut phones, mut phone_columns) = (Vec::new(), Vec::new());
        let mut years = Vec::new();
        let names = Arc::clone(&self.names);
        for (at, text) in cells.iter().enumerate() {
            let Some(Some(column)) = names.columns.get(at) else { continue };
            if is_nothing(text) {
                continue;
            }
            if is_phone_list(self.kind, column) {
                for one in each_phone(text) {
                    phones.push(one);
                    phone_columns.push(at);
                }
                continue;
            }
            if column.cell == Cell::Year
                && let Some((made, model)) = both_years(text)
            {
                years.extend([("anoFabricacao", made, at), ("anoModelo", model, at)]);
                continue;
            }
            match self.value(registers, column, text) {
                Ok(value) => put(&mut fields, column.name, value),
                Err(Bad(text)) => problems.push(names.problem(line, Some(at), text)),
            }
            places.push((column.name.to_owned(), at));
        }
        for (name, year, at) in years {
            // A column of its own comes first.
            if !fields.contains_key(name) {
                put(&mut fields, name, year.into());
                places.push((name.to_owned(), at));
            }
        }
        let mut listed = Vec::new();
        for (at, text) in phone_columns.into_iter().zip(phones) {
            match shaped(Cell::Phone, &text) {
                Ok(value) => {
                    places.push((format!("telefones[{}]", listed.len()), at));
                    listed.push(Value::Object(Map::from_iter([("numero".to_owned(), value)])));
                }
                Err(Bad(text)) => problems.push(names.problem(line, Some(at), text)),
            }
        }
        if !listed.is_empty() {
            fields.insert("telefones".to_owned(), Value::Array(listed));
        }
        let (row, unread, key) = self.read(&mut fields);
        problems
            .extend(unread.map_or_else(Vec::new, |unread| names.told(line, &places, unread.into_lines())));
        // One cell is told of once.
        let mut told = Vec::new();
        problems.retain(|problem: &Problem| {
            let is_new = problem.header.is_none() || !told.contains(&problem.header);
            told.push(problem.header.clone());
            is_new
        });
        Shaped { line, row, problems, key }
    }

    fn value(&mut self, registers: &Registers, column: &Column, text: &str) -> Result<Value, Bad> {
        let cell = column.cell;
        if is_kept_number(self.kind, column.name) {
            let code = number(text).filter(|code| (1..2_000_000_000).contains(code));
            let told = || Bad("deve ser um número inteiro, de 1 a 1999999999.".to_owned());
            return code.map(Value::from).ok_or_else(told);
        }
        let what = match cell {
            Cell::Branch => "uma loja em uso",
            Cell::Plan => "um plano em uso",
            Cell::Consultant => "um consultor em uso",
            Cell::Representative => "um representante em uso",
            Cell::VehicleType => "um tipo de veículo em uso",
            _ => return shaped(cell, text),
        };
        // A code is judged by whoever takes it.
        if let Some(code) = number(text) {
            return Ok(code.into());
        }
        let key = (cell as u8, fold(text));
        if !self.named.contains_key(&key) {
            let found = look(registers, cell, &key.1);
            let told = match found[..] {
                [one] => Ok(one),
                [] => Err(format!(
                    "\"{}\" não é {what}; use o código, ou o nome como está no cadastro.",
                    text.trim()
                )),
                _ => Err(format!("há mais de um cadastro com o nome \"{}\"; use o código.", text.trim())),
            };
            self.named.insert(key.clone(), told);
        }
        match self.named.get(&key) {
            Some(Ok(code)) => Ok((*code).into()),
            Some(Err(told)) => Err(Bad(told.clone())),
            None => Ok(text.into()),
        }
    }

    /// Reads the record; what is wrong with it, and what no other may have alike.
    fn read(&self, fields: &mut Map<String, Value>) -> (Option<Row>, Option<Problems>, Option<String>) {
        match self.kind {
            ImportKind::Members => {
                let code = people::imported::Row::kept(fields);
                record(fields, |input| {
                    let key = people::imported::key(&input);
                    (Row::Member(Box::new(people::imported::Row { input, code })), Some(key))
                })
            }
            ImportKind::Vehicles => {
                let kept = benefits::imported::Kept::taken(fields);
                record(fields, |input| {
                    let row = benefits::imported::Row { input, kept };
                    let key = row.key();
                    (Row::Vehicle(Box::new(row)), key)
                })
            }
            ImportKind::Dependents => {
                let whose = dependents::imported::Whose::taken(fields);
                let given = fields.keys().cloned().collect();
                record(fields, |input| {
                    let row = dependents::imported::Row { input, whose, given };
                    let key = row.key();
                    (Row::Dependent(Box::new(row)), Some(key))
                })
            }
            ImportKind::Leads => {
                let code = leads::imported::Row::kept(fields);
                record(fields, |input| {
                    let row = leads::imported::Row { input, code };
                    let key = row.key();
                    (Row::Lead(Box::new(row)), key)
                })
            }
            ImportKind::Plans | ImportKind::Sellers => {
                let (row, problems) = registering::imported::Row::read(self.kind, fields);
                let key = row.as_ref().and_then(registering::imported::Row::key);
                (row.map(|row| Row::Register(Box::new(row))), problems, key)
            }
        }
    }
}

impl Names {
    fn problem(&self, line: i32, at: Option<usize>, text: String) -> Problem {
        Problem { line, header: at.and_then(|at| self.headers.get(at).cloned()), text }
    }

    /// Lines that lead with a place in a record, told by the columns that it came from.
    fn told(&self, line: i32, places: &Places, lines: Vec<String>) -> Vec<Problem> {
        let one = |text: String| {
            let Some((path, sentence)) = text.split_once(": ") else { return self.problem(line, None, text) };
            let is_there = |place: &str| {
                path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let found =
                places.iter().filter(|(place, _)| is_there(place)).max_by_key(|(place, _)| place.len());
            let by_name =
                || self.columns.iter().position(|column| column.is_some_and(|one| is_called(one.name, path)));
            match found.map(|(_, at)| *at).or_else(by_name) {
                Some(at) => self.problem(line, Some(at), sentence.to_owned()),
                // What has no column is told whole.
                None => self.problem(line, None, text.clone()),
            }
        };
        lines.into_iter().map(one).collect()
    }

    /// What rules say against a line, by its columns.
    pub fn refused(&self, line: i32, rejections: &[domain::Rejection]) -> Vec<Problem> {
        self.told(line, &Places::new(), rejections.iter().map(wire::refusal::text).collect())
    }
}

/// Whether a column is what a refusal calls by this name: some are called otherwise here.
fn is_called(name: &str, path: &str) -> bool {
    name == path
        || match path {
            "telefones" | "telefone" => matches!(name, "celular" | "telefoneFixo"),
            "planos" => name == "codPlano",
            "cpfCnpj" => matches!(name, "documento" | "titular"),
            "documento" => name == "cpfCnpj",
            "nomePessoa" => name == "nome",
            "nome" => name == "nomePessoa",
            _ => path.split_once('[').is_some_and(|(list, _)| list == "planos" && name == "codPlano"),
        }
}

type Shape = (Option<Row>, Option<Problems>, Option<String>);

/// Reads a record, and what else can be judged where only fields that may be left out are wrong.
fn record<T: Record>(fields: &Map<String, Value>, row: impl FnOnce(T) -> (Row, Option<String>)) -> Shape {
    match read::fields(fields) {
        Ok(input) => {
            let (row, key) = row(input);
            (Some(row), None, key)
        }
        Err(Unread { problems, rest }) => {
            // Of whom a line speaks must be known: two of nobody's are not one.
            let is_open = |field: &FieldInfo| field.required && problems.tells_of(field.name);
            let rest = rest.filter(|_| !T::fields().iter().any(is_open));
            let (row, key) = rest.map(|rest| row(*rest)).map_or((None, None), |(row, key)| (Some(row), key));
            (row, Some(problems), key)
        }
    }
}

/// Sets a value at its place: `endereco.cep`.
fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
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

/// Numbers that a record is to keep.
fn is_kept_number(kind: ImportKind, name: &str) -> bool {
    match name {
        "codPessoa" | "codBeneficio" | "sequencial" | "codDependente" | "codLead" | "codVendedor" => true,
        "codPlano" => kind == ImportKind::Plans,
        _ => false,
    }
}

/// Columns that together make the list of telephones.
fn is_phone_list(kind: ImportKind, column: &Column) -> bool {
    matches!(kind, ImportKind::Members | ImportKind::Leads) && column.cell == Cell::Phone
}

/// Several telephones in one cell, as people write them: `(11) 98765-4321 / 3333-4444`.
fn each_phone(text: &str) -> Vec<String> {
    let parts: Vec<&str> =
        text.split(['/', ';', ',', '|']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_whole = |part: &&str| part.chars().filter(char::is_ascii_digit).count() >= 10;
    if parts.len() > 1 && parts.iter().all(is_whole) {
        return parts.into_iter().map(str::to_owned).collect();
    }
    vec![text.to_owned()]
}

/// The codes of what is called so and in use.
fn look(registers: &Registers, cell: Cell, folded: &str) -> Vec<i32> {
    let is = |name: &str| fold(name) == *folded;
    let sellers = |kind: SellerKind| {
        let all = registers.sellers.values().filter(move |one| one.active && one.kind == kind);
        all.filter(|one| is(&one.name)).map(|one| one.code.get()).collect()
    };
    match cell {
        Cell::Branch => registers
            .branches
            .iter()
            .filter(|one| one.active && is(&one.name))
            .map(|one| one.code.get())
            .collect(),
        Cell::Plan => registers
            .plans
            .iter()
            .filter(|one| one.active && is(&one.name))
            .map(|one| one.code.get())
            .collect(),
        Cell::VehicleType => registers
            .vehicle_types
            .iter()
            .filter(|one| one.active && is(&one.name))
            .map(|one| one.code.get())
            .collect(),
        Cell::Consultant => sellers(SellerKind::Consultant),
        Cell::Representative => sellers(SellerKind::Representative),
        _ => Vec::new(),
    }
}

/// A whole number that a line gives, taken out of what the record is read from.
pub(crate) fn taken(fields: &mut Map<String, Value>, name: &str) -> Option<i32> {
    let value = fields
        .get(name)?
        .as_i64()
        .and_then(|number| i32::try_from(number).ok())
        .filter(|number| *number > 0)?;
    fields.remove(name);
    Some(value)
}
