//! Parses the register lists of the source, and vehicles, whose types are registered too.

use crate::lenient::{RecordReader, read_code, read_int, read_items, read_object, read_text};
use app::register_snapshot::TenantRegisters;
use domain::{
    BenefitKind, Colour, DisplayName, Document, Email, Entity, Fuel, PlanCode, SituationKind, Uf,
    VehicleCategory, fold_text,
};
use exchange::mirror_store::{MirroredRegisterRecord, NewMirrorNote, RegisterCodeList};
use registers::FieldContent;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use wire::set_names::NamedSet;

pub type RegisterFields = Vec<(&'static str, FieldContent)>;

fn build_register_record(
    path: &'static str,
    code: i32,
    values: RegisterFields,
    active: bool,
) -> MirroredRegisterRecord {
    MirroredRegisterRecord { path, code: Some(code), values, active, only_new: false }
}

pub fn read_name(json: &Json, field: &str) -> FieldContent {
    let name = read_text(&json[field]).map(|text| text.chars().take(200).collect::<String>());
    FieldContent::Text(name.unwrap_or_else(|| "(sem nome)".to_owned()))
}

pub fn read_colour(json: &Json) -> Option<FieldContent> {
    let text = read_text(&json["corDestaque"])?;
    Colour::parse(text.trim_start_matches('#')).ok().map(|colour| FieldContent::Text(colour.to_string()))
}

/// A member of a set by name, ignoring case and accents.
pub fn read_choice<T: NamedSet>(json: &Json) -> Option<T> {
    let choice = fold_text(&read_text(json)?);
    T::NAMES.iter().find(|(name, _)| fold_text(name) == choice).map(|(_, member)| *member)
}

/// `/ext/administracao/loja`
pub fn read_branches(json: &Json) -> Vec<(i32, String)> {
    let one = |json: &&Json| {
        let code = [&json["codLoja"], &json["codigo"], &json["id"]].into_iter().find_map(read_code)?;
        let name = read_text(&json["nome"]).unwrap_or_else(|| format!("Loja {code}"));
        Some((code, name.chars().take(DisplayName::LONGEST).collect()))
    };
    let mut all: BTreeMap<i32, String> = BTreeMap::new();
    for (code, name) in read_items(json).iter().filter_map(one) {
        all.entry(code).or_insert(name);
    }
    all.into_iter().collect()
}

pub fn build_branch_records(branches: &[(i32, String)]) -> Vec<MirroredRegisterRecord> {
    let one = |(code, name): &(i32, String)| {
        build_register_record("loja", *code, vec![("nome", FieldContent::Text(name.clone()))], true)
    };
    branches.iter().map(one).collect()
}

/// `/ext/beneficio/situacaoBeneficio`
pub fn read_situations(json: &Json) -> Vec<MirroredRegisterRecord> {
    let one = |json: &&Json| {
        let code = read_code(&json["codSituacao"])?;
        let kind = read_choice::<SituationKind>(&json["tipo"])
            .filter(|kind| Entity::Benefit.situation_kinds().contains(kind))
            .unwrap_or(SituationKind::Pending);
        let mut values = vec![
            ("nome", read_name(json, "nome")),
            ("entidade", FieldContent::Number(Entity::Benefit.number())),
            ("tipo", FieldContent::Number(kind.number())),
        ];
        values.extend(read_colour(json).map(|colour| ("corDestaque", colour)));
        Some(build_register_record("situacao", code, values, true))
    };
    read_items(json).iter().filter_map(one).collect()
}

/// `/ext/crm/funil`: the funnels, then their stages.
pub fn read_funnels(json: &Json) -> Vec<MirroredRegisterRecord> {
    let (mut funnels, mut stages) = (Vec::new(), Vec::new());
    for json in read_items(json) {
        let Some(code) = read_code(&json["codFunil"]) else { continue };
        funnels.push(build_register_record("funil", code, vec![("nome", read_name(json, "nome"))], true));
        for (place, stage) in (1..).zip(read_items(&json["etapas"])) {
            let Some(stage_code) = read_code(&stage["codEtapa"]) else { continue };
            let position = read_int(&stage["ordem"]).filter(|place| *place > 0).unwrap_or(place);
            let mut values = vec![
                ("nome", read_name(stage, "nome")),
                ("codFunil", FieldContent::Number(code.into())),
                ("ordem", FieldContent::Number(position.into())),
            ];
            values.extend(read_colour(stage).map(|colour| ("corDestaque", colour)));
            stages.push(build_register_record("etapa", stage_code, values, true));
        }
    }
    funnels.into_iter().chain(stages).collect()
}

/// `plano` in the access record. The benefit kind of a plan is found only in the items of benefits.
pub fn read_plans(
    access: &Json,
    registers: &TenantRegisters,
    notes: &mut Vec<NewMirrorNote>,
) -> Vec<MirroredRegisterRecord> {
    let mut all = Vec::new();
    for json in read_items(&access["plano"]) {
        let Some(code) = read_code(&json["codPlano"]) else { continue };
        if registers.plan(PlanCode::new(code)).is_none() {
            let reason =
                "a interface não o oferece; até um benefício com o plano o dizer, vale DIVERSOS".to_owned();
            notes.push(NewMirrorNote {
                kind: "plano",
                record: code,
                field: "tipoBeneficio".to_owned(),
                reason,
            });
        }
        let mut values = vec![("nome", read_name(json, "nome"))];
        if registers.plan(PlanCode::new(code)).is_none() {
            values.push(("tipoBeneficio", FieldContent::Number(BenefitKind::Miscellaneous.number())));
        }
        all.push(build_register_record("plano", code, values, true));
    }
    all
}

/// `/ext/administracao/vendedor`
pub fn read_sellers(json: &Json, notes: &mut Vec<NewMirrorNote>) -> Vec<MirroredRegisterRecord> {
    let one = |json: &&Json| {
        let code = read_code(&json["codVendedor"])?;
        let mut reader = RecordReader::new(json, notes, "vendedor", code);
        let mut values = vec![("nome", read_name(json, "nome"))];
        if let Some(kind) = reader.read_choice::<domain::SellerKind>("tipo") {
            values.push(("tipo", FieldContent::Number(kind.number())));
        }
        values.extend(reader.code("codLoja").map(|code| ("codLoja", FieldContent::Number(code.into()))));
        values.extend([
            (
                "cpfCnpj",
                wrap_optional_text(
                    reader.parse_field("cpfCnpj", Document::parse).map(|one| one.as_str().to_owned()),
                ),
            ),
            (
                "email",
                wrap_optional_text(
                    reader.parse_field("email", Email::parse).map(|one| one.as_str().to_owned()),
                ),
            ),
            (
                "telefoneCelular",
                wrap_optional_text(reader.phone("telefoneCelular").map(|one| one.as_str().to_owned())),
            ),
            (
                "telefoneFixo",
                wrap_optional_text(reader.phone("telefoneFixo").map(|one| one.as_str().to_owned())),
            ),
            ("bairro", wrap_optional_text(reader.line("bairro", 100))),
            ("cidade", wrap_optional_text(reader.line("cidade", 100))),
            ("uf", wrap_optional_text(reader.parse_field("uf", Uf::parse).map(|uf| uf.as_str().to_owned()))),
        ]);
        Some(build_register_record("vendedor", code, values, true))
    };
    read_items(json).iter().filter_map(one).collect()
}

fn wrap_optional_text(text: Option<String>) -> FieldContent {
    text.map_or(FieldContent::Nothing, FieldContent::Text)
}

/// `/ext/administracao/fornecedor/{codFornecedor}`
pub fn read_supplier(json: &Json, notes: &mut Vec<NewMirrorNote>) -> Option<MirroredRegisterRecord> {
    let code = read_code(&json["codFornecedor"])?;
    let mut reader = RecordReader::new(json, notes, "fornecedor", code);
    let address = reader.address("endereco");
    let find_phone = |kind: &str| {
        let phones = read_items(&json["telefones"]).into_iter();
        let mut phones = phones
            .filter(|one| read_text(&one["tipo"]).is_some_and(|phone_type| fold_text(&phone_type) == kind));
        phones.find_map(|one| domain::Phone::parse(&read_text(&one["numero"])?).ok())
    };
    let values = vec![
        ("nome", read_name(json, "nome")),
        ("nomeFantasia", wrap_optional_text(reader.line("nomeFantasia", 200))),
        (
            "cpfCnpj",
            wrap_optional_text(
                reader.parse_field("cpfCnpj", Document::parse).map(|one| one.as_str().to_owned()),
            ),
        ),
        ("inscricaoEstadual", wrap_optional_text(reader.line("inscricaoEstadual", 30))),
        ("tipoFornecedor", wrap_optional_text(reader.line("tipoFornecedor", 100))),
        (
            "email",
            wrap_optional_text(reader.parse_field("email", Email::parse).map(|one| one.as_str().to_owned())),
        ),
        ("telefoneCelular", wrap_optional_text(find_phone("celular").map(|one| one.as_str().to_owned()))),
        ("telefoneFixo", wrap_optional_text(find_phone("fixo").map(|one| one.as_str().to_owned()))),
        ("tipoLogradouro", wrap_optional_text(address.street_kind)),
        ("logradouro", wrap_optional_text(address.street)),
        ("numero", wrap_optional_text(address.number)),
        ("complemento", wrap_optional_text(address.complement)),
        ("bairro", wrap_optional_text(address.district)),
        ("cidade", wrap_optional_text(address.city)),
        ("uf", wrap_optional_text(address.state)),
        ("cep", wrap_optional_text(address.cep.map(|cep| cep.as_str().to_owned()))),
    ];
    let active = reader.flag("ativo").unwrap_or(true);
    Some(build_register_record("fornecedor", code, values, active))
}

/// `/ext/beneficio/tipoVeiculo`
pub fn read_vehicle_types(json: &Json) -> Vec<MirroredRegisterRecord> {
    let one = |json: &&Json| {
        let code = read_code(&json["codTipoVeiculo"])?;
        let category = read_choice::<VehicleCategory>(&json["categoria"]).unwrap_or(VehicleCategory::Other);
        let values =
            vec![("nome", read_name(json, "nome")), ("categoria", FieldContent::Number(category.number()))];
        Some(build_register_record("tipoVeiculo", code, values, true))
    };
    read_items(json).iter().filter_map(one).collect()
}

/// `/ext/beneficio/vencimento`
pub fn read_due_days(json: &Json) -> Vec<MirroredRegisterRecord> {
    let day =
        |json: &&Json| read_int(&json["dia"]).or_else(|| read_int(json)).filter(|day| (1..=31).contains(day));
    read_items(json)
        .iter()
        .filter_map(day)
        .map(|day| build_register_record("vencimento", day, Vec::new(), true))
        .collect()
}

/// `/ext/administracao/campos/{codigo}`
pub fn read_additional_fields(kind: BenefitKind, json: &Json) -> Vec<MirroredRegisterRecord> {
    let names = [("texto", 1), ("numero", 2), ("data", 3), ("logico", 4), ("lista", 5)];
    let one = |json: &&Json| {
        let code = read_code(&json["codCampo"])?;
        let type_name = read_text(&json["tipo"]).map(|text| fold_text(&text)).unwrap_or_default();
        let type_number = names.iter().find(|(name, _)| *name == type_name).map_or(1, |(_, number)| *number);
        let options = read_items(&json["opcoes"]).into_iter().filter_map(read_text);
        let options: Vec<String> = options.map(|text| text.chars().take(200).collect()).collect();
        let mut values = vec![
            ("nome", read_name(json, "nome")),
            ("tipoBeneficio", FieldContent::Number(kind.number())),
            ("tipo", FieldContent::Number(type_number)),
            ("obrigatorio", FieldContent::Flag(json["obrigatorio"].as_bool().unwrap_or(false))),
            ("opcoes", FieldContent::Lines(options)),
        ];
        let longest = read_int(&json["tamanhoMaximo"]).filter(|longest| (1..=4_000).contains(longest));
        values.extend(longest.map(|longest| ("tamanhoMaximo", FieldContent::Number(longest.into()))));
        Some(build_register_record("campoAdicional", code, values, true))
    };
    read_items(json).iter().filter_map(one).collect()
}

/// Marks a list of `total` records as complete, so that records missing from it are deactivated. Not possible if one
/// came without a code, because it may be any of them.
pub fn mark_complete_list(
    path: &'static str,
    records: &[MirroredRegisterRecord],
    total: usize,
) -> Option<RegisterCodeList> {
    let codes: Vec<i32> = records.iter().filter(|one| one.path == path).filter_map(|one| one.code).collect();
    (codes.len() == total).then_some(RegisterCodeList { path, codes })
}

pub fn read_vehicle(
    json: &Json,
    registers: &TenantRegisters,
    notes: &mut Vec<NewMirrorNote>,
    (kind, record): (&'static str, i32),
) -> domain::VehicleDetails {
    let mut reader = RecordReader::new(json, notes, kind, record);
    let type_name = read_text(reader.raw("tipoVeiculo")).map(|text| fold_text(&text));
    let found = registers.vehicle_types.iter().find(|one| Some(fold_text(&one.name)) == type_name);
    if read_object(json).is_empty() {
        return domain::VehicleDetails::default();
    }
    domain::VehicleDetails {
        plate: reader.parse_field("placa", domain::Plate::parse),
        chassis: reader.parse_field("chassi", domain::Chassis::parse),
        renavam: reader.line("renavam", 20),
        brand: reader.line("marca", 100),
        model: reader.line("modelo", 200),
        built: reader.number("anoFabricacao", 1900, 2100),
        model_year: reader.number("anoModelo", 1900, 2100),
        colour: reader.line("cor", 50),
        fuel: reader.read_choice::<Fuel>("combustivel"),
        category: reader.read_choice::<VehicleCategory>("categoria"),
        kind: found.map(|one| one.code),
        doors: reader.number("numeroPortas", 0, 20),
        worth: reader.money("valorVeiculo"),
        protected: reader.money("valorProtegido"),
        participation: reader.money("valorParticipacao"),
        fipe: None,
    }
}
