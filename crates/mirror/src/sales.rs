//! Parses leads and deals.

use crate::lenient::{RecordReader, read_code, read_int, read_items};
use crate::lists::read_vehicle;
use app::register_snapshot::TenantRegisters;
use domain::{
    BenefitKind, BranchCode, Cpf, Date, Deal, DealCode, DealState, DependentCode, Document, Email,
    FunnelCode, Kinship, Lead, LeadCode, Moment, PersonCode, PlanCode, ProposedDependent, StageCode, Uf,
    UserCode,
};
use exchange::mirror_store::{DealStageMove, MirroredDeal, MirroredLead, MirroredUserCodes, NewMirrorNote};
use serde_json::Value as Json;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

/// Parses a lead; `None`, with a note, if it has no code or no person.
pub fn read_lead(
    json: &Json,
    registers: &TenantRegisters,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<MirroredLead> {
    let lead_code = read_code(&json["codLead"]);
    let person = read_code(&json["codPessoa"]);
    let (Some(lead_code), Some(person)) = (lead_code, person) else {
        let reason = "veio sem código de lead ou de pessoa e não foi espelhado".to_owned();
        notes.push(NewMirrorNote {
            kind: "lead",
            record: lead_code.unwrap_or(0),
            field: "codLead".to_owned(),
            reason,
        });
        return None;
    };
    let mut reader = RecordReader::new(json, notes, "lead", lead_code);
    let created = reader.read_with("dataCadastro", crate::lenient::read_day);
    let created_at = created.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone);
    let lead = Lead {
        person: PersonCode::new(person),
        branch: read_branch(&mut reader, registers),
        name: reader.line("nomePessoa", 200).unwrap_or_else(|| "(sem nome)".to_owned()),
        document: reader.parse_field("cpfCnpj", Document::parse),
        email: reader.parse_field("email", Email::parse),
        mobile: reader.phone("telefoneCelular"),
        landline: reader.phone("telefoneFixo"),
        company: reader.line("empresa", 200),
        city: reader.line("cidade", 100),
        state: reader.parse_field("uf", Uf::parse).map(|uf| uf.as_str().to_owned()),
        message: reader.lines("mensagem"),
        origin: reader.line("origem", 100),
        consultant: None,
        active: true,
        version: 1,
        created_at,
        updated_at: created_at,
    };
    Some(MirroredLead { code: LeadCode::new(lead_code), lead })
}

fn read_branch(reader: &mut RecordReader<'_>, registers: &TenantRegisters) -> BranchCode {
    let source_branch = reader.code("codLoja").map(BranchCode::new);
    let found = source_branch.filter(|code| registers.branches.iter().any(|one| one.code == *code));
    found.or_else(|| registers.branches.iter().map(|one| one.code).min()).unwrap_or(BranchCode::new(1))
}

/// The responsible user of a deal, with their code.
pub fn read_responsible_user(json: &Json) -> Option<(UserCode, String)> {
    let user_code = read_code(&json["codUsuarioResponsavel"])?;
    Some((UserCode::new(user_code), crate::lenient::read_text(&json["nomeUsuarioResponsavel"])?))
}

/// The users named in the history of a deal.
pub fn list_history_users(json: &Json) -> impl Iterator<Item = String> {
    read_items(&json["historico"])
        .into_iter()
        .filter_map(|one| crate::lenient::read_text(&one["nomeUsuario"]))
}

/// Parses a deal fetched by code.
pub fn read_deal(
    json: &Json,
    registers: &TenantRegisters,
    now: Moment,
    known: &MirroredUserCodes,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<MirroredDeal> {
    let deal_code = read_code(&json["codNegocio"])?;
    let lead = read_lead(&json["lead"], registers, now, notes)?;
    let vehicle = read_vehicle(&json["veiculo"], registers, notes, ("negocio", deal_code));
    let dependents = read_items(&json["dependentes"])
        .into_iter()
        .filter_map(|one| read_deal_dependent(one, deal_code, now, notes));
    let mut dependents: Vec<_> = dependents.collect();
    dependents.sort_by_key(|(code, _)| *code);
    dependents.dedup_by_key(|(code, _)| *code);
    let zone = &registers.zone;
    let mut reader = RecordReader::new(json, notes, "negocio", deal_code);
    let opened = reader.read_with("dataAbertura", crate::lenient::read_day);
    let opened = opened.unwrap_or_else(|| now.date_in(zone));
    let stage = reader.code("codEtapa").map(StageCode::new);
    let stage = stage.filter(|code| registers.stage(*code).is_some());
    let (Some(stage), Some(funnel)) = (stage, reader.code("codFunil").map(FunnelCode::new)) else {
        reader.add_note("codEtapa", "falta o funil ou a etapa; o negócio não foi espelhado");
        return None;
    };
    let days = read_int(&json["diasNaEtapa"]).unwrap_or(0).max(0).unsigned_abs();
    let since = now.minus(DAY * days).date_in(zone).start_in(zone);
    let state = reader.read_choice::<DealState>("situacao").unwrap_or(DealState::Open);
    let plans = read_items(&json["planos"]).into_iter();
    let plans =
        plans.filter_map(|plan| read_code(&plan["codPlano"]).or_else(|| read_code(plan)).map(PlanCode::new));
    let deal = Deal {
        sequence: reader.number("sequencial", 1, i32::MAX).unwrap_or(0),
        lead: lead.code,
        branch: read_branch(&mut reader, registers),
        title: reader.line("titulo", 200),
        funnel,
        stage,
        stage_since: since,
        responsible: read_responsible_user(json).and_then(|(code, _)| known.by_code.get(&code).copied()),
        kind: reader.read_choice::<BenefitKind>("tipoBeneficio"),
        plans: plans.collect(),
        price: reader.money("valor"),
        expected_on: reader.day("dataPrevisao"),
        state,
        lost_because: reader.lines("motivoPerda"),
        note: reader.lines("observacao"),
        opened_on: opened,
        vehicle,
        benefit: None,
        version: 1,
        created_at: opened.start_in(zone),
        updated_at: opened.start_in(zone),
    };
    let moves = read_stage_moves(json, (opened, stage, state), registers, known);
    Some(MirroredDeal { code: DealCode::new(deal_code), deal, lead, dependents, moves })
}

/// The stage moves. Fields that a move lacks are taken from the deal.
fn read_stage_moves(
    json: &Json,
    (opened, stage, state): (Date, StageCode, DealState),
    registers: &TenantRegisters,
    known: &MirroredUserCodes,
) -> Vec<DealStageMove> {
    let mut ignored = Vec::new();
    let mut all = Vec::new();
    for json in read_items(&json["historico"]) {
        let mut reader = RecordReader::new(json, &mut ignored, "negocio", 0);
        let stage = reader.code("codEtapa").map_or(stage, StageCode::new);
        let at = reader.read_with("data", crate::lenient::read_day).unwrap_or(opened);
        let user_name = crate::lenient::read_text(&json["nomeUsuario"]);
        all.push(DealStageMove {
            number: i32::try_from(all.len()).unwrap_or(0) + 1,
            at: at.start_in(&registers.zone),
            stage,
            state: reader.read_choice::<DealState>("situacao").unwrap_or(state),
            user: user_name.as_ref().and_then(|name| known.by_name.get(name).copied()),
            user_name,
        });
    }
    all
}

fn read_deal_dependent(
    json: &Json,
    deal: i32,
    now: Moment,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<(DependentCode, ProposedDependent)> {
    let dependent_code = read_code(&json["codDependente"])?;
    let mut reader = RecordReader::new(json, notes, "negocio", deal);
    let plans = read_items(&json["planos"]).into_iter();
    let plans =
        plans.filter_map(|plan| read_code(&plan["codPlano"]).or_else(|| read_code(plan)).map(PlanCode::new));
    let dependent = ProposedDependent {
        name: reader.line("nome", 200).unwrap_or_else(|| "(sem nome)".to_owned()),
        cpf: reader.parse_field("cpf", Cpf::parse),
        born_on: reader.day("dataNascimento"),
        sex: reader.read_with("sexo", crate::members::read_sex),
        kinship: reader.read_choice::<Kinship>("parentesco").unwrap_or(Kinship::Other),
        plans: plans.collect(),
        price: reader.money("valor"),
        phone: reader.phone("telefone"),
        email: reader.parse_field("email", Email::parse),
        created_at: now,
        updated_at: now,
    };
    Some((DependentCode::new(dependent_code), dependent))
}
