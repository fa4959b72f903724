//! Leads and deals.

use crate::lenient::{Reader, code, int, items};
use crate::lists::vehicle;
use app::base::Registers;
use app::mirroring::{Deal, DealDependent, DealSeen, Lead, LeadSeen, Move, Note, Users};
use domain::{
    BenefitKind, BranchCode, Cpf, Date, DealCode, DealState, DependentCode, Document, Email, FunnelCode,
    Kinship, LeadCode, Moment, PersonCode, PlanCode, StageCode, Uf, UserCode,
};
use serde_json::Value as Json;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Reads a lead; `None` where it has no code or is nobody's, which is noted.
pub fn lead(json: &Json, registers: &Registers, now: Moment, notes: &mut Vec<Note>) -> Option<LeadSeen> {
    let own = code(&json["codLead"]);
    let person = code(&json["codPessoa"]);
    let (Some(own), Some(person)) = (own, person) else {
        let reason = "veio sem código de lead ou de pessoa e não foi espelhado".to_owned();
        notes.push(Note { kind: "lead", record: own.unwrap_or(0), field: "codLead".to_owned(), reason });
        return None;
    };
    let mut reader = Reader::new(json, notes, "lead", own);
    let created = reader.read("dataCadastro", crate::lenient::day);
    let created_at = created.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone);
    let lead = Lead {
        person: PersonCode::new(person),
        branch: branch(&mut reader, registers),
        name: reader.line("nomePessoa", 200).unwrap_or_else(|| "(sem nome)".to_owned()),
        document: reader.parsed("cpfCnpj", Document::parse),
        email: reader.parsed("email", Email::parse),
        mobile: reader.phone("telefoneCelular"),
        landline: reader.phone("telefoneFixo"),
        company: reader.line("empresa", 200),
        city: reader.line("cidade", 100),
        state: reader.parsed("uf", Uf::parse).map(|uf| uf.as_str().to_owned()),
        message: reader.lines("mensagem"),
        origin: reader.line("origem", 100),
        consultant: None,
        active: true,
        version: 1,
        created_at,
        updated_at: created_at,
    };
    Some(LeadSeen { code: LeadCode::new(own), lead })
}

fn branch(reader: &mut Reader<'_>, registers: &Registers) -> BranchCode {
    let told = reader.code("codLoja").map(BranchCode::new);
    let found = told.filter(|code| registers.branches.iter().any(|one| one.code == *code));
    found.or_else(|| registers.branches.iter().map(|one| one.code).min()).unwrap_or(BranchCode::new(1))
}

/// The users whom a deal names with their codes.
pub fn users(json: &Json) -> Option<(UserCode, String)> {
    let own = code(&json["codUsuarioResponsavel"])?;
    Some((UserCode::new(own), crate::lenient::text(&json["nomeUsuarioResponsavel"])?))
}

/// The users whom the history of a deal names.
pub fn movers(json: &Json) -> impl Iterator<Item = String> {
    items(&json["historico"]).into_iter().filter_map(|one| crate::lenient::text(&one["nomeUsuario"]))
}

/// Reads a deal, as it is answered by its code.
pub fn deal(
    json: &Json,
    registers: &Registers,
    now: Moment,
    known: &Users,
    notes: &mut Vec<Note>,
) -> Option<DealSeen> {
    let own = code(&json["codNegocio"])?;
    let lead = lead(&json["lead"], registers, now, notes)?;
    let vehicle = vehicle(&json["veiculo"], registers, notes, ("negocio", own));
    let dependents =
        items(&json["dependentes"]).into_iter().filter_map(|one| dependent(one, own, now, notes));
    let mut dependents: Vec<_> = dependents.collect();
    dependents.sort_by_key(|(code, _)| *code);
    dependents.dedup_by_key(|(code, _)| *code);
    let zone = &registers.zone;
    let mut reader = Reader::new(json, notes, "negocio", own);
    let opened = reader.read("dataAbertura", crate::lenient::day);
    let opened = opened.unwrap_or_else(|| now.date_in(zone));
    let stage = reader.code("codEtapa").map(StageCode::new);
    let stage = stage.filter(|code| registers.stage(*code).is_some());
    let (Some(stage), Some(funnel)) = (stage, reader.code("codFunil").map(FunnelCode::new)) else {
        reader.note("codEtapa", "falta o funil ou a etapa; o negócio não foi espelhado");
        return None;
    };
    let days = int(&json["diasNaEtapa"]).unwrap_or(0).max(0).unsigned_abs();
    let since = now.minus(DAY * days).date_in(zone).start_in(zone);
    let state = reader.named::<DealState>("situacao").unwrap_or(DealState::Open);
    let plans = items(&json["planos"]).into_iter();
    let plans = plans.filter_map(|plan| code(&plan["codPlano"]).or_else(|| code(plan)).map(PlanCode::new));
    let deal = Deal {
        sequence: reader.number("sequencial", 1, i32::MAX).unwrap_or(0),
        lead: lead.code,
        branch: branch(&mut reader, registers),
        title: reader.line("titulo", 200),
        funnel,
        stage,
        stage_since: since,
        responsible: users(json).and_then(|(code, _)| known.by_code.get(&code).copied()),
        kind: reader.named::<BenefitKind>("tipoBeneficio"),
        plans: plans.collect(),
        price: reader.money("valor"),
        expected_on: reader.day("dataPrevisao"),
        state,
        lost_because: reader.lines("motivoPerda"),
        note: reader.lines("observacao"),
        opened_on: opened.to_iso(),
        vehicle,
        benefit: None,
        version: 1,
        created_at: opened.start_in(zone),
        updated_at: opened.start_in(zone),
    };
    let moves = moves(json, (opened, stage, state), registers, known);
    Some(DealSeen { code: DealCode::new(own), deal, lead, dependents, moves })
}

/// Where it went; one that tells nothing of it went where it is.
fn moves(
    json: &Json,
    (opened, stage, state): (Date, StageCode, DealState),
    registers: &Registers,
    known: &Users,
) -> Vec<Move> {
    let mut ignored = Vec::new();
    let mut all = Vec::new();
    for json in items(&json["historico"]) {
        let mut reader = Reader::new(json, &mut ignored, "negocio", 0);
        let stage = reader.code("codEtapa").map(StageCode::new).unwrap_or(stage);
        let at = reader.read("data", crate::lenient::day).unwrap_or(opened);
        let by = crate::lenient::text(&json["nomeUsuario"]);
        all.push(Move {
            number: i32::try_from(all.len()).unwrap_or(0) + 1,
            at: at.start_in(&registers.zone),
            stage,
            state: reader.named::<DealState>("situacao").unwrap_or(state),
            user: by.as_ref().and_then(|name| known.by_name.get(name).copied()),
            user_name: by,
        });
    }
    all
}

fn dependent(
    json: &Json,
    deal: i32,
    now: Moment,
    notes: &mut Vec<Note>,
) -> Option<(DependentCode, DealDependent)> {
    let own = code(&json["codDependente"])?;
    let mut reader = Reader::new(json, notes, "negocio", deal);
    let plans = items(&json["planos"]).into_iter();
    let plans = plans.filter_map(|plan| code(&plan["codPlano"]).or_else(|| code(plan)).map(PlanCode::new));
    let dependent = DealDependent {
        name: reader.line("nome", 200).unwrap_or_else(|| "(sem nome)".to_owned()),
        cpf: reader.parsed("cpf", Cpf::parse),
        born_on: reader.day("dataNascimento"),
        sex: reader.read("sexo", crate::members::sex),
        kinship: reader.named::<Kinship>("parentesco").unwrap_or(Kinship::Other),
        plans: plans.collect(),
        price: reader.money("valor"),
        phone: reader.phone("telefone"),
        email: reader.parsed("email", Email::parse),
        created_at: now,
        updated_at: now,
    };
    Some((DependentCode::new(own), dependent))
}
