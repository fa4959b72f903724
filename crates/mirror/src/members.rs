//! Parses rows of the member search, each merged with the same benefit in the benefit list.

use crate::lenient::{RecordReader, read_code, read_items, read_money, read_text};
use crate::lists::read_vehicle;
use app::register_snapshot::TenantRegisters;
use domain::{
    AdditionalFieldValues, Benefit, BenefitCode, BenefitKind, BranchCode, CardNumber, CivilState, Document,
    Email, Entity, FieldCode, Moment, Money, PersonCode, PersonProfile, PlanCode, SellerCode, Sex,
    SituationCode, SituationKind, VehicleDetails,
};
use exchange::mirror_store::{MirroredMember, NewMirrorNote};
use serde_json::Value as Json;

/// Parses a row; `None`, with a note, if it does not identify the person. `listed` is the same benefit in the list.
pub fn read_member_row(
    json: &Json,
    listed: Option<&Json>,
    registers: &TenantRegisters,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<MirroredMember> {
    let Some(person) = read_code(&json["codPessoa"]) else {
        let reason = "uma linha da pesquisa veio sem código de pessoa e não foi espelhada".to_owned();
        let record = read_code(&json["codBeneficio"]).unwrap_or(0);
        notes.push(NewMirrorNote { kind: "associado", record, field: "codPessoa".to_owned(), reason });
        return None;
    };
    let profile = read_profile(json, person, registers, now, notes);
    let benefit = read_code(&json["codBeneficio"]).map(|benefit_code| {
        let benefit = read_benefit(json, listed, (benefit_code, person), registers, now, notes);
        (BenefitCode::new(benefit_code), benefit)
    });
    Some(MirroredMember { person: PersonCode::new(person), profile, benefit })
}

/// The branch of a record, or else the first branch.
fn read_branch(reader: &mut RecordReader<'_>, registers: &TenantRegisters) -> BranchCode {
    let source_branch = reader.code("codLoja").map(BranchCode::new);
    let found = source_branch.filter(|code| registers.branches.iter().any(|one| one.code == *code));
    found.unwrap_or_else(|| {
        reader.add_note("codLoja", "falta ou não existe; ficou na primeira loja");
        registers.branches.iter().map(|one| one.code).min().unwrap_or(BranchCode::new(1))
    })
}

/// The start of a day in the tenant's time zone.
fn read_moment(
    reader: &mut RecordReader<'_>,
    name: &str,
    registers: &TenantRegisters,
    now: Moment,
) -> Moment {
    let day = reader.read_with(name, crate::lenient::read_day);
    day.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone)
}

fn read_profile(
    json: &Json,
    person: i32,
    registers: &TenantRegisters,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> PersonProfile {
    let mut reader = RecordReader::new(json, notes, "associado", person);
    let name = reader.line("nomePessoa", 200).unwrap_or_else(|| {
        reader.add_note("nomePessoa", "a pessoa veio sem nome");
        "(sem nome)".to_owned()
    });
    let branch = read_branch(&mut reader, registers);
    let document = reader.parse_field("cpfCnpj", Document::parse);
    let created_at = read_moment(&mut reader, "dataCadastro", registers, now);
    let is_alone = read_code(&json["codBeneficio"]).is_none();
    let mut profile = PersonProfile {
        is_member: true,
        ..PersonProfile::new_non_member(branch, document, name, created_at)
    };
    profile.updated_at = read_moment(&mut reader, "dataAtualizacao", registers, now);
    profile.email = reader.parse_field("email", Email::parse);
    profile.sex = reader.read_with("sexo", read_sex);
    profile.born_on = reader.day("dataNascimento");
    profile.mobile = reader.phone("telefoneCelular");
    profile.landline = reader.phone("telefoneFixo");
    profile.address = reader.address("endereco");
    profile.mother = reader.line("nomeMae", 200);
    profile.civil_state = reader.read_choice::<CivilState>("estadoCivil");
    profile.company = reader.line("nomeEmpresa", 200);
    profile.identity_number = reader.line("identidade", 30);
    profile.cnh_number = reader.line("numeroCnh", 20);
    profile.cnh_category = reader.line("categoriaCnh", 5);
    profile.spouse = reader.line("conjuge", 200);
    profile.payer_document = reader.parse_field("cpfCnpjResponsavelFinanceiro", Document::parse);
    profile.payer_address = reader.address("enderecoResponsavelFinanceiro");
    if is_alone {
        profile.consultant = reader.code("codConsultor").map(SellerCode::new);
        profile.representative = reader.code("codRepresentante").map(SellerCode::new);
    }
    profile
}

/// `F`, `M`, or a word that starts with either.
pub fn read_sex(json: &Json) -> Option<Sex> {
    match read_text(json)?.to_uppercase().chars().next()? {
        'F' => Some(Sex::Female),
        'M' => Some(Sex::Male),
        _ => None,
    }
}

/// The benefit's situation, or else the tenant's first pending one.
fn read_situation(reader: &mut RecordReader<'_>, registers: &TenantRegisters) -> SituationCode {
    let situation_name = read_text(reader.raw("situacao"));
    let found = situation_name.and_then(|name| registers.find_situation_by_name(Entity::Benefit, &name));
    let use_default = || {
        reader.add_note("situacao", "falta; ficou na situação padrão de pendente");
        let pending = registers.default_situation(Entity::Benefit, SituationKind::Pending);
        pending.or(registers.situations.first()).map_or(SituationCode::new(1), |one| one.code)
    };
    found.map_or_else(use_default, |one| one.code)
}

fn read_benefit(
    json: &Json,
    listed: Option<&Json>,
    (benefit_code, person): (i32, i32),
    registers: &TenantRegisters,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> Benefit {
    let nothing = Json::Null;
    let list = listed.unwrap_or(&nothing);
    let vehicle = match &list["veiculo"] {
        Json::Object(_) => read_vehicle(&list["veiculo"], registers, notes, ("beneficio", benefit_code)),
        // The search gives only the identification of a vehicle.
        _ => read_vehicle(json, registers, notes, ("beneficio", benefit_code)),
    };
    if listed.is_none() {
        let reason = "o benefício não está na lista de benefícios; faltam vencimento, cancelamento e veículo"
            .to_owned();
        notes.push(NewMirrorNote {
            kind: "beneficio",
            record: benefit_code,
            field: "lista".to_owned(),
            reason,
        });
    }
    let (due_day, cancelled_on) = {
        let mut reader = RecordReader::new(list, notes, "beneficio", benefit_code);
        (reader.number("diaVencimento", 1, 31), reader.day("dataCancelamento"))
    };
    let mut reader = RecordReader::new(json, notes, "beneficio", benefit_code);
    let kind = reader.read_choice::<BenefitKind>("tipoBeneficio").unwrap_or_else(|| {
        reader.add_note("tipoBeneficio", "falta; ficou como DIVERSOS");
        BenefitKind::Miscellaneous
    });
    let situation = read_situation(&mut reader, registers);
    let is_over = registers.situation_kind(situation) == Some(SituationKind::Cancelled);
    let created_at = read_moment(&mut reader, "dataCadastro", registers, now);
    let updated_at = read_moment(&mut reader, "dataAtualizacao", registers, now);
    let mut plans: Vec<(PlanCode, Money)> = read_items(&json["planos"])
        .into_iter()
        .filter_map(|plan| {
            Some((
                PlanCode::new(read_code(&plan["codPlano"])?),
                read_money(&plan["valor"]).unwrap_or_default(),
            ))
        })
        .collect();
    plans.sort_unstable();
    plans.dedup_by_key(|(plan, _)| *plan);
    let seller = |code: Option<i32>| code.map(SellerCode::new);
    Benefit {
        person: PersonCode::new(person),
        branch: read_branch(&mut reader, registers),
        kind,
        situation,
        sequence: reader.number("sequencial", 1, i32::MAX).unwrap_or(0),
        card: reader.parse_field("numeroCartaoDesconto", CardNumber::parse),
        due_day,
        consultant: seller(reader.code("codConsultor")),
        representative: seller(reader.code("codRepresentante")),
        joined_on: reader.day("dataAdesao"),
        activated_on: reader.day("dataAtivacao"),
        cancelled_on: cancelled_on.or_else(|| is_over.then(|| updated_at.date_in(&registers.zone))),
        integration_code: None,
        note: None,
        plans,
        fields: read_field_values(json),
        vehicle: if kind == BenefitKind::Vehicle { vehicle } else { VehicleDetails::default() },
        slot: 0,
        version: 1,
        created_at,
        updated_at,
    }
}

fn read_field_values(json: &Json) -> AdditionalFieldValues {
    let one = |json: &Json| Some((FieldCode::new(read_code(&json["codCampo"])?), read_text(&json["valor"])?));
    read_items(&json["dadosAdicionais"]).into_iter().filter_map(one).collect()
}
