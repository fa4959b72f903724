use super::*;
use domain::finance::{LaunchKind, TitleSituation};
use domain::{
    BenefitCode, BenefitKind, BranchCode, ClaimCode, ClaimTypeCode, Colour, Date, PersonCode, Plate,
    Priority, TitleCode,
};

fn zone() -> TimeZone {
    TimeZone::parse(TimeZone::DEFAULT).unwrap()
}

fn trigger() -> BenefitTrigger<'static> {
    BenefitTrigger {
        history: HistoryCode::new(918),
        changed: Moment::from_millis(1_794_663_125_123),
        benefit: BenefitCode::new(777),
        person: PersonCode::new(555),
        branch: BranchCode::new(1),
        branch_name: "Matriz",
        situation: "Ativo",
        colour: Colour::from_rgb(0x18_8038),
        description: "ABC1D23 - FIAT ARGO 1.0",
        registered: Moment::from_millis(1_794_663_100_000),
        sequence: 12,
        kind: BenefitKind::Vehicle,
        joined: Date::new(2026, 11, 14),
    }
}

#[test]
fn the_body_is_that_of_the_specification() {
    assert_eq!(
        trigger().render_body(&zone()).unwrap(),
        r#"{"codHistorico":918,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Benefício\"]","objeto":{"id":777,"codPessoa":555,"codLoja":1,"nomeLoja":"Matriz","nomeSituacao":"ATIVO","corDestaque":"188038","corInversa":"FFFFFF","descricao":"ABC1D23 - FIAT ARGO 1.0","dataCadastro":"2026-11-14T10:31:40-03:00","sequencial":12,"tipoBeneficio":"[\"Veicular\"]","dataAdesao":"2026-11-14T00:00:00-03:00"}}"#
    );
}

#[test]
fn what_is_empty_is_null_and_never_absent() {
    let empty = BenefitTrigger {
        joined: None,
        kind: BenefitKind::Assistance,
        description: "Guincho \"24h\"",
        situation: "em análise",
        ..trigger()
    };
    let body = empty.render_body(&TimeZone::parse("America/Manaus").unwrap()).unwrap();
    assert_eq!(
        body,
        r#"{"codHistorico":918,"dataHistorico":"2026-11-14T09:32:05-04:00","entidade":"[\"Benefício\"]","objeto":{"id":777,"codPessoa":555,"codLoja":1,"nomeLoja":"Matriz","nomeSituacao":"EM ANÁLISE","corDestaque":"188038","corInversa":"FFFFFF","descricao":"Guincho \"24h\"","dataCadastro":"2026-11-14T09:31:40-04:00","sequencial":12,"tipoBeneficio":"[\"Assistência 24H\"]","dataAdesao":null}}"#
    );
}

#[test]
fn a_claim_writes_its_second_colour_without_a_capital_and_its_protocol_as_a_number() {
    let claim = ClaimTrigger {
        history: HistoryCode::new(919),
        changed: Moment::from_millis(1_794_663_125_123),
        claim: ClaimCode::new(31),
        person: PersonCode::new(555),
        situation: "Em análise",
        colour: Colour::from_rgb(0xF9_AB00),
        opened: Moment::from_millis(1_794_663_100_000),
        protocol: 4711,
        priority: Priority::Medium,
        kind: ClaimTypeCode::new(2),
        kind_name: "Colisão",
        benefit: Some(BenefitCode::new(777)),
        description: None,
        closed: None,
    };
    assert_eq!(
        claim.render_body(&zone()).unwrap(),
        r#"{"codHistorico":919,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Evento\"]","objeto":{"id":31,"codPessoa":555,"nomeSituacao":"EM ANÁLISE","corDestaque":"F9AB00","corinversa":"000000","dataAbertura":"2026-11-14T10:31:40-03:00","protocolo":4711,"prioridade":"[\"Média\"]","codTipoEvento":2,"nomeTipoEvento":"Colisão","codBeneficio":777,"descricao":null,"dataEncerramento":null}}"#
    );
}

#[test]
fn a_title_writes_days_as_moments_and_its_benefits_as_codes() {
    let title = TitleChangeMessage {
        history: HistoryCode::new(920),
        changed: Moment::from_millis(1_794_663_125_123),
        title: TitleCode::new(9001),
        person: PersonCode::new(555),
        branch: BranchCode::new(1),
        branch_name: "Matriz",
        situation: TitleSituation::Open,
        description: "Mensalidade",
        launch_kind: LaunchKind::Credit,
        issued_on: Date::new(2026, 11, 1).unwrap(),
        due_on: Date::new(2026, 11, 10).unwrap(),
        settled_on: None,
        amount: 15_055,
        settled_total: 0,
        benefits: &[BenefitCode::new(777), BenefitCode::new(778)],
    };
    assert_eq!(
        title.render_body(&zone()).unwrap(),
        r#"{"codHistorico":920,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Título\"]","objeto":{"id":9001,"codPessoa":555,"codLoja":1,"nomeLoja":"Matriz","nomeSituacao":"ABERTO","corDestaque":"1A73E8","corinversa":"000000","descricao":"Mensalidade","tipo":"[\"Crédito\"]","dataEmissao":"2026-11-01T00:00:00-03:00","dataVencimento":"2026-11-10T00:00:00-03:00","dataLiquidacao":null,"valor":150.55,"valorLiquidado":0,"codBeneficio":[777,778]}}"#
    );
}

#[test]
fn a_vehicle_is_described_by_its_plate_and_all_else_by_its_plan() {
    let plate = Plate::parse("abc-1d23").unwrap();
    let described = |plate, brand, model| describe_benefit(plate, brand, model, "Ouro");
    assert_eq!(described(Some(&plate), Some("FIAT"), Some("ARGO 1.0")), "ABC1D23 - FIAT ARGO 1.0");
    assert_eq!(described(Some(&plate), None, Some("ARGO")), "ABC1D23 - ARGO");
    assert_eq!(described(Some(&plate), None, None), "ABC1D23");
    assert_eq!(described(None, Some("FIAT"), Some("ARGO")), "Ouro");
}

/// Byte for byte, including the odd spellings of the specification.
#[test]
fn the_samples_are_those_that_the_interface_describes() {
    let now = Moment::from_millis(1_794_663_125_123);
    let of = |entity| render_sample(entity, ExampleCodes::LIKELY, now, &zone()).unwrap();
    assert_eq!(
        of(Entity::Ticket),
        r#"{"codHistorico":918,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Help Desk\"]","objeto":{"id":31,"codPessoa":555,"nomeSituacao":"EM ATENDIMENTO","corDestaque":"F9AB00","corinversa":"000000","dataAbertura":"2026-11-14T09:32:05-03:00","protocolo":4711,"prioridade":"[\"Média\"]","codTipoHelpDesk":2,"nomeTipoHelpDesk":"Dúvida de boleto","codBeneficio":777,"descricao":"Segunda via","dataEncerramento":null}}"#
    );
    assert_eq!(
        of(Entity::Inspection),
        r#"{"codHistorico":918,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Vistoria\"]","objeto":{"id":31,"codPessoa":555,"nomeSituacao":"APROVADA","corDestaque":"188038","corinversa":"FFFFFF","dataSolicitacao":"2026-11-14T09:32:05-03:00","codTipoVistoria":2,"nomeTipoVistoria":"Vistoria de entrada","codBeneficio":777,"descricaoBeneficio":"ABC1D23 - FIAT ARGO 1.0","dataConclusao":"2026-11-14T10:32:05-03:00","vistoriador":"Ana Prado"}}"#
    );
    assert_eq!(
        of(Entity::Appointment),
        r#"{"codHistorico":918,"dataHistorico":"2026-11-14T10:32:05-03:00","entidade":"[\"Consulta\"]","objeto":{"id":31,"codPessoa":555,"codBeneficio":777,"nomeSituacao":"CONFIRMADA","corDestaque":"F9AB00","corinversa":"000000","dataAbertura":"2026-11-14T09:32:05-03:00","protocolo":4711,"dataConsulta":"2026-11-15T10:32:05-03:00","codEspecialidade":3,"nomeEspecialidade":"Cardiologia","codClinica":5,"nomeClinica":"Vida Plena","codMedico":8,"nomeMedico":"Dra. Eva Lima","endereco":"Avenida Paulista, 1578, Bela Vista, São Paulo, SP"}}"#
    );
    assert!(of(Entity::Claim).contains(r#""entidade":"[\"Evento\"]""#));
    assert!(of(Entity::Benefit).contains(r#""entidade":"[\"Benefício\"]""#));
}
