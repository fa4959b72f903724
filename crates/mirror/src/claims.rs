//! Events.

use crate::lenient::{Reader, code, items, text};
use crate::lists::vehicle;
use app::base::Registers;
use app::mirroring::{Claim, ClaimSeen, Head, Note, PersonSeen, Profile, Telephone};
use domain::{
    BenefitCode, BranchCode, ClaimCode, ClaimTypeCode, Document, Email, Entity, Involved, Moment, PersonCode,
    PhoneKind, PostalAddress, Priority, SituationKind, UserCode, fold,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What only the list tells of an event: its branch, and within the day that is told, its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    pub opened_at: Moment,
    pub branch: Option<BranchCode>,
}

/// What the list tells of each event.
pub type Opened = BTreeMap<ClaimCode, Listed>;

/// Reads an event as it is answered by its code, with those that belong to it: of those it is not told which others
/// belong to them.
pub fn whole(
    json: &Json,
    registers: &Registers,
    opened: &Opened,
    now: Moment,
    user: &impl Fn(&str) -> Option<UserCode>,
    notes: &mut Vec<Note>,
) -> Vec<ClaimSeen> {
    let Some(mut own) = one(json, registers, opened, now, user, notes) else { return Vec::new() };
    let below = items(&json["relacionados"]).into_iter();
    let below: Vec<ClaimSeen> =
        below.filter_map(|json| one(json, registers, opened, now, user, notes)).collect();
    own.related = Some(below.iter().map(|one| one.code).filter(|other| *other != own.code).collect());
    std::iter::once(own).chain(below).collect()
}

fn one(
    json: &Json,
    registers: &Registers,
    opened: &Opened,
    now: Moment,
    user: &impl Fn(&str) -> Option<UserCode>,
    notes: &mut Vec<Note>,
) -> Option<ClaimSeen> {
    let own = code(&json["codEvento"])?;
    let member = person(&json["associado"], registers, now, own, notes);
    let driver = person(&json["condutor"], registers, now, own, notes);
    let vehicle = vehicle(&json["veiculo"], registers, notes, ("evento", own));
    let mut reader = Reader::new(json, notes, "evento", own);
    let Some(member) = member else {
        reader.note("associado", "veio sem associado e não foi espelhado");
        return None;
    };
    let called = text(reader.raw("situacao")).unwrap_or_default();
    let situation = registers.situation_named(Entity::Claim, &called);
    let situation =
        situation.or_else(|| registers.default_situation(Entity::Claim, SituationKind::Open))?.code;
    let kind_name = fold(&text(reader.raw("tipoEvento")).unwrap_or_default());
    let kind = registers.claim_types.iter().find(|one| fold(&one.name) == kind_name);
    let kind = kind.or(registers.claim_types.first()).map_or(ClaimTypeCode::new(1), |one| one.code);
    let day = reader.read("dataAbertura", crate::lenient::day);
    let code = ClaimCode::new(own);
    let day = day.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone);
    let listed = opened.get(&code);
    let opened_at = listed.map_or(day, |listed| listed.opened_at);
    let responsible = text(reader.raw("responsavel"));
    let place = reader.address("local");
    let claim = Claim {
        head: Head {
            protocol: reader.number("protocolo", 1, i32::MAX).unwrap_or(0),
            branch: listed.and_then(|listed| listed.branch).unwrap_or(member.profile.branch),
            person: member.code,
            benefit: reader.code("codBeneficio").map(BenefitCode::new),
            situation,
            situation_since: opened_at,
            responsible: responsible.as_deref().and_then(user),
            opened_at,
            closed_at: None,
            version: 1,
            updated_at: opened_at,
        },
        kind,
        involved: reader.named::<Involved>("envolvido").unwrap_or(Involved::Member),
        priority: reader.named::<Priority>("prioridade").unwrap_or(Priority::Medium),
        description: None,
        happened_on: reader.day("dataEvento"),
        driver: driver.as_ref().map(|one| one.code),
        place: PostalAddress { kind: None, ..place },
        vehicle,
    };
    let people = std::iter::once(member).chain(driver).collect();
    Some(ClaimSeen { code, claim, people, related: None })
}

fn person(
    json: &Json,
    registers: &Registers,
    now: Moment,
    claim: i32,
    notes: &mut Vec<Note>,
) -> Option<PersonSeen> {
    let own = code(&json["codPessoa"])?;
    let mut reader = Reader::new(json, notes, "evento", claim);
    let branch = reader.code("codLoja").map(BranchCode::new);
    let branch = branch.filter(|code| registers.branches.iter().any(|one| one.code == *code));
    let first = branch.or_else(|| registers.branches.iter().map(|one| one.code).min())?;
    let document = reader.parsed("cpfCnpj", Document::parse);
    let name = reader.line("nomePessoa", 200).unwrap_or_else(|| "(sem nome)".to_owned());
    let mut profile = Profile::stranger(first, document, name, now);
    profile.email = reader.parsed("email", Email::parse);
    profile.sex = reader.read("sexo", crate::members::sex);
    profile.born_on = reader.day("dataNascimento");
    profile.address = reader.address("endereco");
    profile.identity_number = reader.line("identidade", 30);
    profile.identity_issuer = reader.line("orgaoExpedidor", 30);
    profile.identity_issued_on = reader.day("dataExpedicao");
    profile.cnh_number = reader.line("numeroCnh", 20);
    profile.cnh_category = reader.line("categoriaCnh", 5);
    profile.cnh_valid_until = reader.day("validadeCnh");
    profile.trade_name = reader.line("nomeFantasia", 200);
    profile.state_registration = reader.line("inscricaoEstadual", 30);
    profile.municipal_registration = reader.line("inscricaoMunicipal", 30);
    profile.legal_representative = reader.line("representanteLegal", 200);
    let mut ignored = Vec::new();
    let phones = items(&json["telefones"]).into_iter().filter_map(|json| {
        let mut reader = Reader::new(json, &mut ignored, "evento", claim);
        let number = reader.phone("numero")?;
        let kind = reader.named::<PhoneKind>("tipo").unwrap_or(number.kind());
        Some(Telephone { kind, country: app::mirroring::HOME.to_owned(), number })
    });
    let phones: Vec<Telephone> = phones.collect();
    Some(PersonSeen { code: PersonCode::new(own), branch, profile, phones })
}
