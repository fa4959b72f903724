//! Parses claims.

use crate::lenient::{RecordReader, read_code, read_items, read_text};
use crate::lists::read_vehicle;
use app::register_snapshot::TenantRegisters;
use domain::{
    BenefitCode, BranchCode, CaseHead, Claim, ClaimCode, ClaimTypeCode, ContactPhone, Document, Email,
    Entity, Involved, Moment, PersonCode, PersonProfile, PhoneKind, PostalAddress, Priority, SituationKind,
    UserCode, fold_text,
};
use exchange::mirror_store::{MirroredClaim, MirroredPerson, NewMirrorNote};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Data of a claim found only in the list: its branch, and its order within the day it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedClaim {
    pub opened_at: Moment,
    pub branch: Option<BranchCode>,
}

pub type ListedClaimMap = BTreeMap<ClaimCode, ListedClaim>;

/// Parses a claim fetched by code, with its related claims. The relations of those are not in the response.
pub fn read_claim_with_related(
    json: &Json,
    registers: &TenantRegisters,
    opened: &ListedClaimMap,
    now: Moment,
    user: &impl Fn(&str) -> Option<UserCode>,
    notes: &mut Vec<NewMirrorNote>,
) -> Vec<MirroredClaim> {
    let Some(mut main_claim) = read_single_claim(json, registers, opened, now, user, notes) else {
        return Vec::new();
    };
    let related = read_items(&json["relacionados"]).into_iter();
    let related: Vec<MirroredClaim> =
        related.filter_map(|json| read_single_claim(json, registers, opened, now, user, notes)).collect();
    main_claim.related =
        Some(related.iter().map(|one| one.code).filter(|other| *other != main_claim.code).collect());
    std::iter::once(main_claim).chain(related).collect()
}

fn read_single_claim(
    json: &Json,
    registers: &TenantRegisters,
    opened: &ListedClaimMap,
    now: Moment,
    user: &impl Fn(&str) -> Option<UserCode>,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<MirroredClaim> {
    let claim_code = read_code(&json["codEvento"])?;
    let member = read_claim_person(&json["associado"], registers, now, claim_code, notes);
    let driver = read_claim_person(&json["condutor"], registers, now, claim_code, notes);
    let vehicle = read_vehicle(&json["veiculo"], registers, notes, ("evento", claim_code));
    let mut reader = RecordReader::new(json, notes, "evento", claim_code);
    let Some(member) = member else {
        reader.add_note("associado", "veio sem associado e não foi espelhado");
        return None;
    };
    let situation_name = read_text(reader.raw("situacao")).unwrap_or_default();
    let situation = registers.find_situation_by_name(Entity::Claim, &situation_name);
    let situation =
        situation.or_else(|| registers.default_situation(Entity::Claim, SituationKind::Open))?.code;
    let kind_name = fold_text(&read_text(reader.raw("tipoEvento")).unwrap_or_default());
    let kind = registers.claim_types.iter().find(|one| fold_text(&one.name) == kind_name);
    let kind = kind.or(registers.claim_types.first()).map_or(ClaimTypeCode::new(1), |one| one.code);
    let day = reader.read_with("dataAbertura", crate::lenient::read_day);
    let code = ClaimCode::new(claim_code);
    let day = day.unwrap_or_else(|| now.date_in(&registers.zone)).start_in(&registers.zone);
    let listed = opened.get(&code);
    let opened_at = listed.map_or(day, |listed| listed.opened_at);
    let responsible = read_text(reader.raw("responsavel"));
    let place = reader.address("local");
    let claim = Claim {
        head: CaseHead {
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
        involved: reader.read_choice::<Involved>("envolvido").unwrap_or(Involved::Member),
        priority: reader.read_choice::<Priority>("prioridade").unwrap_or(Priority::Medium),
        description: None,
        happened_on: reader.day("dataEvento"),
        driver: driver.as_ref().map(|one| one.code),
        place: PostalAddress { kind: None, ..place },
        vehicle,
    };
    let people = std::iter::once(member).chain(driver).collect();
    Some(MirroredClaim { code, claim, people, related: None })
}

fn read_claim_person(
    json: &Json,
    registers: &TenantRegisters,
    now: Moment,
    claim: i32,
    notes: &mut Vec<NewMirrorNote>,
) -> Option<MirroredPerson> {
    let person_code = read_code(&json["codPessoa"])?;
    let mut reader = RecordReader::new(json, notes, "evento", claim);
    let branch = reader.code("codLoja").map(BranchCode::new);
    let branch = branch.filter(|code| registers.branches.iter().any(|one| one.code == *code));
    let first = branch.or_else(|| registers.branches.iter().map(|one| one.code).min())?;
    let document = reader.parse_field("cpfCnpj", Document::parse);
    let name = reader.line("nomePessoa", 200).unwrap_or_else(|| "(sem nome)".to_owned());
    let mut profile = PersonProfile::new_non_member(first, document, name, now);
    profile.email = reader.parse_field("email", Email::parse);
    profile.sex = reader.read_with("sexo", crate::members::read_sex);
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
    let phones = read_items(&json["telefones"]).into_iter().filter_map(|json| {
        let mut reader = RecordReader::new(json, &mut ignored, "evento", claim);
        let number = reader.phone("numero")?;
        let kind = reader.read_choice::<PhoneKind>("tipo").unwrap_or(number.kind());
        Some(ContactPhone { kind, country: exchange::mirror_store::HOME_COUNTRY_CODE.to_owned(), number })
    });
    let phones: Vec<ContactPhone> = phones.collect();
    Some(MirroredPerson { code: PersonCode::new(person_code), branch, profile, phones })
}
