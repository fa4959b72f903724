//! `/ext/evento`: claims.

use super::beneficio::render_vehicle;
use crate::ServerState;
use crate::answer::{JsonAnswer, stream_list};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use app::cases::claims::{self, FoundClaim, FullClaim, InvolvedPerson};
use app::register_snapshot::TenantRegisters;
use axum::extract;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use domain::{
    ClaimCode, ClaimTypeCode, Date, PAGE_SIZE, PersonCode, PostalAddress, SituationCode, VehicleDetails,
};
use std::fmt::Write;
use wire::records::{
    EnderecoTO, EventoListaTO, EventoTO, PesquisaEventoQuery, PessoaTO, TelefoneTO, VeiculoTO,
};
use wire::set_names;

const TOTAL_HEADER: HeaderName = HeaderName::from_static("x-total-count");

/// `GET /ext/evento`: streams every match; with `pagina` a single page, with links to the others.
pub async fn search_claims(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    uri: Uri,
    QueryRecord(query): QueryRecord<PesquisaEventoQuery>,
) -> Result<Response, RequestFailure> {
    let page = query.page.clone().into_set().map(wire::read::BoundedInt::get);
    let mut search = claims::search_claims(&state.app, &caller, query).await?;
    if let Some(number) = page {
        let (found, total) = search.read_page(&state.app, &caller, number).await?;
        let headers =
            [(TOTAL_HEADER, HeaderValue::from(total)), (header::LINK, build_page_links(&uri, number, total))];
        return Ok((headers, JsonAnswer(render_found_claims(found))).into_response());
    }
    // The first batch is read before the answer begins, so that an error gets its proper status.
    let first = search.next(&state.app, &caller).await?.map(render_found_claims);
    stream_list(first, (state, caller, search), |(state, caller, mut search)| async move {
        let more = search.next(&state.app, &caller).await?;
        Ok(more.map(|found| (render_found_claims(found), (state, caller, search))))
    })
}

fn render_found_claims(found: claims::ClaimSearchStep) -> Vec<EventoListaTO> {
    found.rows.into_iter().map(|row| render_found_claim(&found.registers, row)).collect()
}

/// Links to the first, previous, next and last page (RFC 8288), relative to the requested URL.
fn build_page_links(uri: &Uri, number: i32, total: i64) -> HeaderValue {
    let last = i32::try_from((total + PAGE_SIZE - 1) / PAGE_SIZE).unwrap_or(i32::MAX).max(1);
    let others = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let others: Vec<_> = others.filter(|(name, _)| name != "pagina").collect();
    let mut text = String::new();
    let pages = [
        ("first", Some(1)),
        ("prev", (number > 1).then(|| (number - 1).min(last))),
        ("next", (number < last).then(|| number + 1)),
        ("last", Some(last)),
    ];
    for (relation, page) in pages {
        let Some(page) = page else { continue };
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&others).append_pair("pagina", &page.to_string());
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}<?{}>; rel=\"{relation}\"", query.finish());
    }
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

fn render_found_claim(registers: &TenantRegisters, row: FoundClaim) -> EventoListaTO {
    let (situation, colour, readable) = describe_case_situation(registers, row.situation);
    EventoListaTO {
        cod_evento: row.code.get(),
        cor_destaque: colour,
        cor_inversa: readable,
        data_abertura: row.opened_at.date_in(&registers.zone).to_br(),
        data_evento: row.happened_on.map(Date::to_br),
        envolvido: set_names::involved(row.involved),
        nome_loja: registers.branch_name(row.branch).to_owned(),
        nome_pessoa: row.name,
        prioridade: set_names::priority(row.priority),
        protocolo: row.protocol.to_string(),
        responsavel: row.responsible,
        situacao: situation,
        tipo_evento: find_claim_type_name(registers, row.kind),
    }
}

/// The name in upper case, the colour and the readable text colour.
pub fn describe_case_situation(registers: &TenantRegisters, code: SituationCode) -> (String, String, String) {
    registers.situation(code).map_or_else(Default::default, |one| {
        (one.name.to_uppercase(), one.colour.to_string(), one.colour.readable_text_colour().to_string())
    })
}

pub fn find_claim_type_name(registers: &TenantRegisters, code: ClaimTypeCode) -> String {
    registers.claim_type(code).map_or_else(String::new, |one| one.name.clone())
}

/// `GET /ext/evento/{codEvento}`
pub async fn show_claim(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ClaimCode>,
) -> Result<JsonAnswer<EventoTO>, RequestFailure> {
    let claim = claims::read_full_claim(&state.app, &caller, code.get()?).await?;
    render_claim(&claim, &mut vec![claim.code]).map(JsonAnswer).ok_or(RequestFailure::Internal)
}

/// Renders the claim at the end of a path, with its related claims.
fn render_claim(full: &FullClaim, path: &mut Vec<ClaimCode>) -> Option<EventoTO> {
    let registers = &full.registers;
    let entry = full.claim(*path.last()?)?;
    let claim = &entry.claim;
    let (situation, colour, readable) = describe_case_situation(registers, claim.head.situation);
    let mut related = Vec::new();
    for below in full.related_below(path) {
        path.push(below);
        related.extend(render_claim(full, path));
        path.pop();
    }
    Some(EventoTO {
        cod_beneficio: claim.head.benefit.map(domain::BenefitCode::get),
        cod_evento: entry.code.get(),
        cor_destaque: colour,
        cor_inversa: readable,
        data_abertura: claim.head.opened_at.date_in(&registers.zone).to_br(),
        data_evento: claim.happened_on.map(Date::to_br),
        protocolo: claim.head.protocol.to_string(),
        responsavel: entry.responsible.clone(),
        situacao: situation,
        tipo_evento: find_claim_type_name(registers, claim.kind),
        envolvido: set_names::involved(claim.involved),
        prioridade: set_names::priority(claim.priority),
        associado: render_person(registers, claim.head.person, full.person(claim.head.person)?),
        condutor: claim.driver.and_then(|code| Some(render_person(registers, code, full.person(code)?))),
        local: (claim.place != PostalAddress::default()).then(|| EnderecoTO::from(claim.place.clone())),
        veiculo: (claim.vehicle != VehicleDetails::default()).then(|| VeiculoTO {
            placa: claim.vehicle.plate.as_ref().map(ToString::to_string),
            chassi: claim.vehicle.chassis.as_ref().map(ToString::to_string),
            ..render_vehicle(registers, claim.vehicle.clone())
        }),
        relacionados: related,
    })
}

fn render_person(registers: &TenantRegisters, code: PersonCode, person: &InvolvedPerson) -> PessoaTO {
    let profile = &person.profile;
    PessoaTO {
        categoria_cnh: profile.cnh_category.clone(),
        cod_loja: profile.branch.get(),
        cod_pessoa: code.get(),
        cpf_cnpj: profile.document.as_ref().map(ToString::to_string),
        identidade: profile.identity_number.clone(),
        inscricao_estadual: profile.state_registration.clone(),
        inscricao_municipal: profile.municipal_registration.clone(),
        nome_fantasia: profile.trade_name.clone(),
        nome_loja: registers.branch_name(profile.branch).to_owned(),
        nome_pessoa: profile.name.clone(),
        numero_cnh: profile.cnh_number.clone(),
        orgao_expedidor: profile.identity_issuer.clone(),
        representante_legal: profile.legal_representative.clone(),
        data_expedicao: profile.identity_issued_on.map(Date::to_br),
        data_nascimento: profile.born_on.map(Date::to_br),
        validade_cnh: profile.cnh_valid_until.map(Date::to_br),
        email: profile.email.as_ref().map(ToString::to_string),
        endereco: EnderecoTO::from(profile.address.clone()),
        sexo: profile.sex.map(set_names::sex),
        telefones: person.phones.iter().map(|phone| TelefoneTO::new(&phone.number, phone.kind)).collect(),
    }
}
