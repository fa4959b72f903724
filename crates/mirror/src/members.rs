//! Rows of the member search, each put together with what the list of benefits tells of the same benefit.

use crate::lenient::{Reader, code, items, money, text};
use crate::lists::vehicle;
use app::base::Registers;
use app::mirroring::{Benefit, FieldValues, MemberSeen, Note, Profile};
use domain::{
    BenefitCode, BenefitKind, BranchCode, CardNumber, CivilState, Date, Document, Email, Entity, FieldCode,
    Moment, PersonCode, PlanCode, SellerCode, Sex, SituationCode, SituationKind,
};
use serde_json::Value as Json;

/// Reads a row; `None` where it says not even whose it is, which is noted. `listed` is the same benefit in the list.
pub fn row(
    json: &Json,
    listed: Option<&Json>,
    registers: &Registers,
    now: Moment,
    notes: &mut Vec<Note>,
) -> Option<MemberSeen> {
    let Some(person) = code(&json["codPessoa"]) else {
        let reason = "uma linha da pesquisa veio sem código de pessoa e não foi espelhada".to_owned();
        let record = code(&json["codBeneficio"]).unwrap_or(0);
        notes.push(Note { kind: "associado", record, field: "codPessoa".to_owned(), reason });
        return None;
    };
    let profile = profile(json, person, registers, now, notes);
    let benefit = code(&json["codBeneficio"]).map(|own| {
        let benefit = benefit(json, listed, (own, person), registers, now, notes);
        (BenefitCode::new(own), benefit)
    });
    Some(MemberSeen { person: PersonCode::new(person), profile, benefit })
}

/// The branch that a record names, else the first that there is.
fn branch(reader: &mut Reader<'_>, registers: &Registers) -> BranchCode {
    let told = reader.code("codLoja").map(BranchCode::new);
    let found = told.filter(|code| registers.branches.iter().any(|one| one.code == *code));
    found.unwrap_or_else(|| {
        reader.note("codLoja", "falta ou não existe; ficou na primeira loja");
        registers.branches.iter().map(|one| one.code).min().unwrap_or(BranchCode::new(1))
    })
}

/// The beginning of a day, where the base lives.
fn moment(reader: &mut Reader<'_>, name: &str, registers: &Registers, now: Moment) -> Moment {
    let told = reader.read(name, crate::lenient::day);
    told.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone)
}

fn profile(json: &Json, person: i32, registers: &Registers, now: Moment, notes: &mut Vec<Note>) -> Profile {
    let mut reader = Reader::new(json, notes, "associado", person);
    let name = reader.line("nomePessoa", 200).unwrap_or_else(|| {
        reader.note("nomePessoa", "a pessoa veio sem nome");
        "(sem nome)".to_owned()
    });
    let branch = branch(&mut reader, registers);
    let document = reader.parsed("cpfCnpj", Document::parse);
    let created_at = moment(&mut reader, "dataCadastro", registers, now);
    let is_alone = code(&json["codBeneficio"]).is_none();
    let mut profile = Profile { is_member: true, ..Profile::stranger(branch, document, name, created_at) };
    profile.updated_at = moment(&mut reader, "dataAtualizacao", registers, now);
    profile.email = reader.parsed("email", Email::parse);
    profile.sex = reader.read("sexo", sex);
    profile.born_on = reader.day("dataNascimento");
    profile.mobile = reader.phone("telefoneCelular");
    profile.landline = reader.phone("telefoneFixo");
    profile.address = reader.address("endereco");
    profile.mother = reader.line("nomeMae", 200);
    profile.civil_state = reader.named::<CivilState>("estadoCivil");
    profile.company = reader.line("nomeEmpresa", 200);
    profile.identity_number = reader.line("identidade", 30);
    profile.cnh_number = reader.line("numeroCnh", 20);
    profile.cnh_category = reader.line("categoriaCnh", 5);
    profile.spouse = reader.line("conjuge", 200);
    profile.payer_document = reader.parsed("cpfCnpjResponsavelFinanceiro", Document::parse);
    profile.payer_address = reader.address("enderecoResponsavelFinanceiro");
    if is_alone {
        profile.consultant = reader.code("codConsultor").map(SellerCode::new);
        profile.representative = reader.code("codRepresentante").map(SellerCode::new);
    }
    profile
}

/// `F`, `M`, or a word that begins so.
pub fn sex(json: &Json) -> Option<Sex> {
    match text(json)?.to_uppercase().chars().next()? {
        'F' => Some(Sex::Female),
        'M' => Some(Sex::Male),
        _ => None,
    }
}

/// Where a situation of a benefit is registered; the base's first pending one, where it is not told.
fn situation(reader: &mut Reader<'_>, registers: &Registers) -> SituationCode {
    let called = text(reader.raw("situacao"));
    let found = called.and_then(|name| registers.situation_named(Entity::Benefit, &name));
    found.map(|one| one.code).unwrap_or_else(|| {
        reader.note("situacao", "falta; ficou na situação padrão de pendente");
        let pending = registers.default_situation(Entity::Benefit, SituationKind::Pending);
        pending.or(registers.situations.first()).map_or(SituationCode::new(1), |one| one.code)
    })
}

fn benefit(
    json: &Json,
    listed: Option<&Json>,
    (own, person): (i32, i32),
    registers: &Registers,
    now: Moment,
    notes: &mut Vec<Note>,
) -> Benefit {
    let nothing = Json::Null;
    let list = listed.unwrap_or(&nothing);
    let vehicle = match &list["veiculo"] {
        Json::Object(_) => vehicle(&list["veiculo"], registers, notes, ("beneficio", own)),
        // Of a vehicle the search tells how it is known.
        _ => vehicle(json, registers, notes, ("beneficio", own)),
    };
    if listed.is_none() {
        let reason = "o benefício não está na lista de benefícios; faltam vencimento, cancelamento e veículo"
            .to_owned();
        notes.push(Note { kind: "beneficio", record: own, field: "lista".to_owned(), reason });
    }
    let (due_day, cancelled_on) = {
        let mut reader = Reader::new(list, notes, "beneficio", own);
        (reader.number("diaVencimento", 1, 31), reader.day("dataCancelamento"))
    };
    let mut reader = Reader::new(json, notes, "beneficio", own);
    let kind = reader.named::<BenefitKind>("tipoBeneficio").unwrap_or_else(|| {
        reader.note("tipoBeneficio", "falta; ficou como DIVERSOS");
        BenefitKind::Miscellaneous
    });
    let situation = situation(&mut reader, registers);
    let is_over = registers.kind_of(situation) == Some(SituationKind::Cancelled);
    let created_at = moment(&mut reader, "dataCadastro", registers, now);
    let updated_at = moment(&mut reader, "dataAtualizacao", registers, now);
    let mut plans: Vec<(PlanCode, i64)> = items(&json["planos"])
        .into_iter()
        .filter_map(|plan| {
            Some((PlanCode::new(code(&plan["codPlano"])?), money(&plan["valor"]).unwrap_or(0)))
        })
        .collect();
    plans.sort_unstable();
    plans.dedup_by_key(|(plan, _)| *plan);
    let seller = |code: Option<i32>| code.map(SellerCode::new);
    Benefit {
        person: PersonCode::new(person),
        branch: branch(&mut reader, registers),
        kind,
        situation,
        sequence: reader.number("sequencial", 1, i32::MAX).unwrap_or(0),
        card: reader.parsed("numeroCartaoDesconto", CardNumber::parse),
        due_day,
        consultant: seller(reader.code("codConsultor")),
        representative: seller(reader.code("codRepresentante")),
        joined_on: reader.day("dataAdesao"),
        activated_on: reader.day("dataAtivacao"),
        cancelled_on: cancelled_on.or_else(|| is_over.then(|| day_of(updated_at, registers))),
        integration_code: None,
        note: None,
        plans,
        fields: values(json),
        vehicle: if kind == BenefitKind::Vehicle { vehicle } else { Default::default() },
        slot: 0,
        version: 1,
        created_at,
        updated_at,
    }
}

fn day_of(moment: Moment, registers: &Registers) -> String {
    Date::to_iso(moment.date_in(&registers.zone))
}

fn values(json: &Json) -> FieldValues {
    let one = |json: &Json| Some((FieldCode::new(code(&json["codCampo"])?), text(&json["valor"])?));
    items(&json["dadosAdicionais"]).into_iter().filter_map(one).collect()
}
