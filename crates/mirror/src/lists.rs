//! What the source registered, as its lists tell it; and vehicles, whose types are registered too.

use crate::lenient::{Reader, code, int, items, object, text};
use app::base::Registers;
use app::mirroring::{Listed, Note, Wanted};
use domain::{
    BenefitKind, Colour, Document, Email, Entity, Fuel, Name, PlanCode, SituationKind, Uf, VehicleCategory,
    fold,
};
use registers::Value;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use wire::names::Named;

pub type Fields = Vec<(&'static str, Value)>;

fn wanted(path: &'static str, code: i32, values: Fields, active: bool) -> Wanted {
    Wanted { path, code: Some(code), values, active, only_new: false }
}

pub fn name(json: &Json, field: &str) -> Value {
    let name = text(&json[field]).map(|text| text.chars().take(200).collect::<String>());
    Value::Text(name.unwrap_or_else(|| "(sem nome)".to_owned()))
}

pub fn colour(json: &Json) -> Option<Value> {
    let told = text(&json["corDestaque"])?;
    Colour::parse(told.trim_start_matches('#')).ok().map(|colour| Value::Text(colour.to_string()))
}

/// A member of a set by its name, whatever its case and accents.
pub fn member<T: Named>(json: &Json) -> Option<T> {
    let said = fold(&text(json)?);
    T::NAMES.iter().find(|(name, _)| fold(name) == said).map(|(_, member)| *member)
}

/// `/ext/administracao/loja`
pub fn branches(json: &Json) -> Vec<(i32, String)> {
    let one = |json: &&Json| {
        let code = [&json["codLoja"], &json["codigo"], &json["id"]].into_iter().find_map(code)?;
        let name = text(&json["nome"]).unwrap_or_else(|| format!("Loja {code}"));
        Some((code, name.chars().take(Name::LONGEST).collect()))
    };
    let mut all: BTreeMap<i32, String> = BTreeMap::new();
    for (code, name) in items(json).iter().filter_map(one) {
        all.entry(code).or_insert(name);
    }
    all.into_iter().collect()
}

pub fn wanted_branches(branches: &[(i32, String)]) -> Vec<Wanted> {
    let one =
        |(code, name): &(i32, String)| wanted("loja", *code, vec![("nome", Value::Text(name.clone()))], true);
    branches.iter().map(one).collect()
}

/// `/ext/beneficio/situacaoBeneficio`
pub fn situations(json: &Json) -> Vec<Wanted> {
    let one = |json: &&Json| {
        let code = code(&json["codSituacao"])?;
        let kind = member::<SituationKind>(&json["tipo"])
            .filter(|kind| Entity::Benefit.kinds().contains(kind))
            .unwrap_or(SituationKind::Pending);
        let mut values = vec![
            ("nome", name(json, "nome")),
            ("entidade", Value::Number(Entity::Benefit.number())),
            ("tipo", Value::Number(kind.number())),
        ];
        values.extend(colour(json).map(|colour| ("corDestaque", colour)));
        Some(wanted("situacao", code, values, true))
    };
    items(json).iter().filter_map(one).collect()
}

/// `/ext/crm/funil`: the funnels, then their stages.
pub fn funnels(json: &Json) -> Vec<Wanted> {
    let (mut funnels, mut stages) = (Vec::new(), Vec::new());
    for json in items(json) {
        let Some(code) = code(&json["codFunil"]) else { continue };
        funnels.push(wanted("funil", code, vec![("nome", name(json, "nome"))], true));
        for (place, stage) in (1..).zip(items(&json["etapas"])) {
            let Some(own) = crate::lenient::code(&stage["codEtapa"]) else { continue };
            let position = int(&stage["ordem"]).filter(|place| *place > 0).unwrap_or(place);
            let mut values = vec![
                ("nome", name(stage, "nome")),
                ("codFunil", Value::Number(code.into())),
                ("ordem", Value::Number(position.into())),
            ];
            values.extend(colour(stage).map(|colour| ("corDestaque", colour)));
            stages.push(wanted("etapa", own, values, true));
        }
    }
    funnels.into_iter().chain(stages).collect()
}

/// `plano` of the access record. What it protects is told by the items of benefits alone.
pub fn plans(access: &Json, registers: &Registers, notes: &mut Vec<Note>) -> Vec<Wanted> {
    let mut all = Vec::new();
    for json in items(&access["plano"]) {
        let Some(code) = code(&json["codPlano"]) else { continue };
        if registers.plan(PlanCode::new(code)).is_none() {
            let reason =
                "a interface não o oferece; até um benefício com o plano o dizer, vale DIVERSOS".to_owned();
            notes.push(Note { kind: "plano", record: code, field: "tipoBeneficio".to_owned(), reason });
        }
        let mut values = vec![("nome", name(json, "nome"))];
        if registers.plan(PlanCode::new(code)).is_none() {
            values.push(("tipoBeneficio", Value::Number(BenefitKind::Miscellaneous.number())));
        }
        all.push(wanted("plano", code, values, true));
    }
    all
}

/// `/ext/administracao/vendedor`
pub fn sellers(json: &Json, notes: &mut Vec<Note>) -> Vec<Wanted> {
    let one = |json: &&Json| {
        let code = code(&json["codVendedor"])?;
        let mut reader = Reader::new(json, notes, "vendedor", code);
        let mut values = vec![("nome", name(json, "nome"))];
        if let Some(kind) = reader.named::<domain::SellerKind>("tipo") {
            values.push(("tipo", Value::Number(kind.number())));
        }
        values.extend(reader.code("codLoja").map(|code| ("codLoja", Value::Number(code.into()))));
        values.extend([
            ("cpfCnpj", kept(reader.parsed("cpfCnpj", Document::parse).map(|one| one.as_str().to_owned()))),
            ("email", kept(reader.parsed("email", Email::parse).map(|one| one.as_str().to_owned()))),
            ("telefoneCelular", kept(reader.phone("telefoneCelular").map(|one| one.as_str().to_owned()))),
            ("telefoneFixo", kept(reader.phone("telefoneFixo").map(|one| one.as_str().to_owned()))),
            ("bairro", kept(reader.line("bairro", 100))),
            ("cidade", kept(reader.line("cidade", 100))),
            ("uf", kept(reader.parsed("uf", Uf::parse).map(|uf| uf.as_str().to_owned()))),
        ]);
        Some(wanted("vendedor", code, values, true))
    };
    items(json).iter().filter_map(one).collect()
}

fn kept(text: Option<String>) -> Value {
    text.map_or(Value::Nothing, Value::Text)
}

/// `/ext/administracao/fornecedor/{codFornecedor}`
pub fn supplier(json: &Json, notes: &mut Vec<Note>) -> Option<Wanted> {
    let code = code(&json["codFornecedor"])?;
    let mut reader = Reader::new(json, notes, "fornecedor", code);
    let address = reader.address("endereco");
    let of_kind = |kind: &str| {
        let phones = items(&json["telefones"]).into_iter();
        let phones = phones.filter(|one| text(&one["tipo"]).is_some_and(|told| fold(&told) == kind));
        phones.filter_map(|one| domain::Phone::parse(&text(&one["numero"])?).ok()).next()
    };
    let values = vec![
        ("nome", name(json, "nome")),
        ("nomeFantasia", kept(reader.line("nomeFantasia", 200))),
        ("cpfCnpj", kept(reader.parsed("cpfCnpj", Document::parse).map(|one| one.as_str().to_owned()))),
        ("inscricaoEstadual", kept(reader.line("inscricaoEstadual", 30))),
        ("tipoFornecedor", kept(reader.line("tipoFornecedor", 100))),
        ("email", kept(reader.parsed("email", Email::parse).map(|one| one.as_str().to_owned()))),
        ("telefoneCelular", kept(of_kind("celular").map(|one| one.as_str().to_owned()))),
        ("telefoneFixo", kept(of_kind("fixo").map(|one| one.as_str().to_owned()))),
        ("tipoLogradouro", kept(address.street_kind)),
        ("logradouro", kept(address.street)),
        ("numero", kept(address.number)),
        ("complemento", kept(address.complement)),
        ("bairro", kept(address.district)),
        ("cidade", kept(address.city)),
        ("uf", kept(address.state)),
        ("cep", kept(address.cep.map(|cep| cep.as_str().to_owned()))),
    ];
    let active = reader.flag("ativo").unwrap_or(true);
    Some(wanted("fornecedor", code, values, active))
}

/// `/ext/beneficio/tipoVeiculo`
pub fn vehicle_types(json: &Json) -> Vec<Wanted> {
    let one = |json: &&Json| {
        let code = code(&json["codTipoVeiculo"])?;
        let category = member::<VehicleCategory>(&json["categoria"]).unwrap_or(VehicleCategory::Other);
        let values = vec![("nome", name(json, "nome")), ("categoria", Value::Number(category.number()))];
        Some(wanted("tipoVeiculo", code, values, true))
    };
    items(json).iter().filter_map(one).collect()
}

/// `/ext/beneficio/vencimento`
pub fn due_days(json: &Json) -> Vec<Wanted> {
    let day = |json: &&Json| int(&json["dia"]).or_else(|| int(json)).filter(|day| (1..=31).contains(day));
    items(json).iter().filter_map(day).map(|day| wanted("vencimento", day, Vec::new(), true)).collect()
}

/// `/ext/administracao/campos/{codigo}`
pub fn fields(kind: BenefitKind, json: &Json) -> Vec<Wanted> {
    let names = [("texto", 1), ("numero", 2), ("data", 3), ("logico", 4), ("lista", 5)];
    let one = |json: &&Json| {
        let code = code(&json["codCampo"])?;
        let said = text(&json["tipo"]).map(|text| fold(&text)).unwrap_or_default();
        let of_kind = names.iter().find(|(name, _)| *name == said).map_or(1, |(_, number)| *number);
        let options = items(&json["opcoes"]).into_iter().filter_map(text);
        let options: Vec<String> = options.map(|text| text.chars().take(200).collect()).collect();
        let mut values = vec![
            ("nome", name(json, "nome")),
            ("tipoBeneficio", Value::Number(kind.number())),
            ("tipo", Value::Number(of_kind)),
            ("obrigatorio", Value::Flag(json["obrigatorio"].as_bool().unwrap_or(false))),
            ("opcoes", Value::Lines(options)),
        ];
        let longest = int(&json["tamanhoMaximo"]).filter(|longest| (1..=4_000).contains(longest));
        values.extend(longest.map(|longest| ("tamanhoMaximo", Value::Number(longest.into()))));
        Some(wanted("campoAdicional", code, values, true))
    };
    items(json).iter().filter_map(one).collect()
}

/// A list of the source, of so many records, is whole: what it does not name is no longer in use. Not so where one of them
/// came without a code, for it may be any.
pub fn whole(path: &'static str, wanted: &[Wanted], told: usize) -> Option<Listed> {
    let codes: Vec<i32> = wanted.iter().filter(|one| one.path == path).filter_map(|one| one.code).collect();
    (codes.len() == told).then_some(Listed { path, codes })
}

/// A vehicle, as far as it is told.
pub fn vehicle(
    json: &Json,
    registers: &Registers,
    notes: &mut Vec<Note>,
    (kind, record): (&'static str, i32),
) -> app::mirroring::Vehicle {
    let mut reader = Reader::new(json, notes, kind, record);
    let type_name = text(reader.raw("tipoVeiculo")).map(|text| fold(&text));
    let found = registers.vehicle_types.iter().find(|one| Some(fold(&one.name)) == type_name);
    if object(json).is_empty() {
        return app::mirroring::Vehicle::default();
    }
    app::mirroring::Vehicle {
        plate: reader.parsed("placa", domain::Plate::parse),
        chassis: reader.parsed("chassi", domain::Chassis::parse),
        renavam: reader.line("renavam", 20),
        brand: reader.line("marca", 100),
        model: reader.line("modelo", 200),
        built: reader.number("anoFabricacao", 1900, 2100),
        model_year: reader.number("anoModelo", 1900, 2100),
        colour: reader.line("cor", 50),
        fuel: reader.named::<Fuel>("combustivel"),
        category: reader.named::<VehicleCategory>("categoria"),
        kind: found.map(|one| one.code),
        doors: reader.number("numeroPortas", 0, 20),
        worth: reader.money("valorVeiculo"),
        protected: reader.money("valorProtegido"),
        participation: reader.money("valorParticipacao"),
        fipe: None,
    }
}
