use super::input::has_card_number;
use super::{read_list_query, read_record_body, render_value};
use crate::read::FieldPatch;
use crate::set_names;
use domain::finance::{ChargeItemKind, LaunchKind, LegalNature, MoneyAccountKind, ShortfallTreatment};
use domain::{BenefitKind, Entity, FieldKind, Priority, SellerKind, SituationKind, VehicleCategory};
use registers::{FieldContent, FieldType, REGISTERS, Register, find_register};

fn register(path: &str) -> &'static Register {
    find_register(path).unwrap()
}

/// The choices of a register field.
fn set(path: &str, name: &str) -> Vec<(i64, &'static str)> {
    match register(path).find_field(name).unwrap().1.kind {
        FieldType::Choice(names) => names.to_vec(),
        other => panic!("{other:?} is no choice"),
    }
}

#[test]
fn the_sets_of_the_registers_are_those_of_the_interface() {
    let entities = Entity::SITUATED.map(|one| (one.number(), set_names::entity_path(one)));
    assert_eq!(set("situacao", "entidade"), entities);
    let kinds = SituationKind::ALL.map(|one| (one.number(), set_names::situation_kind(one)));
    assert_eq!(set("situacao", "tipo"), kinds);
    let of = |all: &[BenefitKind]| {
        all.iter().map(|one| (one.number(), set_names::benefit_kind(*one))).collect::<Vec<_>>()
    };
    assert_eq!(set("plano", "tipoBeneficio"), of(BenefitKind::ALL));
    let sellers: Vec<_> =
        SellerKind::ALL.iter().map(|one| (one.number(), set_names::seller_kind(*one))).collect();
    assert_eq!(set("vendedor", "tipo"), sellers);
    let fields: Vec<_> =
        FieldKind::ALL.iter().map(|one| (one.number(), set_names::field_kind(*one))).collect();
    assert_eq!(set("campoAdicional", "tipo"), fields);
    let categories: Vec<_> =
        VehicleCategory::ALL.iter().map(|one| (one.number(), set_names::vehicle_category(*one))).collect();
    assert_eq!(set("tipoVeiculo", "categoria"), categories);
    let priorities: Vec<_> =
        Priority::ALL.iter().map(|one| (one.number(), set_names::priority(*one))).collect();
    assert_eq!(set("tipoHelpDesk", "prioridade"), priorities);
    let launches: Vec<_> =
        LaunchKind::ALL.iter().map(|one| (one.number(), set_names::launch_kind(*one))).collect();
    assert_eq!(set("tipoTitulo", "tipoLancamento"), launches);
    // The other sets of money have names only in their registers.
    let numbers = |path, name| set(path, name).iter().map(|(number, _)| *number).collect::<Vec<_>>();
    assert_eq!(
        numbers("itemCobranca", "tipo"),
        ChargeItemKind::ALL.iter().map(|one| one.number()).collect::<Vec<_>>()
    );
    assert_eq!(
        numbers("itemCobranca", "natureza"),
        LegalNature::ALL.iter().map(|one| one.number()).collect::<Vec<_>>()
    );
    assert_eq!(
        numbers("contaFinanceira", "tipo"),
        MoneyAccountKind::ALL.iter().map(|one| one.number()).collect::<Vec<_>>()
    );
    assert_eq!(
        numbers("regraEncargos", "diferenca"),
        ShortfallTreatment::ALL.iter().map(|one| one.number()).collect::<Vec<_>>()
    );
}

#[test]
fn every_example_is_read_and_shown_as_it_is_written() {
    for register in REGISTERS {
        for field in register.fields.iter().filter(|field| field.is_input()) {
            let what = format!("{} {}", register.path, field.name);
            let body = format!(r#"{{"{}": {}}}"#, field.name, field.example);
            let read = read_record_body(register, body.as_bytes())
                .unwrap_or_else(|unread| panic!("{what}: {unread:?}"));
            let (at, _) = register.find_field(field.name).unwrap();
            match (&read.fields[at], field.example) {
                (FieldPatch::Clear, "null") => {}
                (FieldPatch::Set(own), example) if field.is_visible() => {
                    assert_eq!(
                        render_value(field, own),
                        serde_json::from_str::<serde_json::Value>(example).unwrap(),
                        "{what}"
                    );
                }
                (FieldPatch::Set(_), _) => {}
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let body =
        br#"{"codPlano": 0, "nome": 7, "tipoBeneficio": "VIDA", "valor": -1, "versao": "x", "ativo": 3}"#;
    let unread = read_record_body(register("plano"), body).unwrap_err();
    assert!(unread.rest.is_some());
    let lines = unread.problems.into_lines();
    let fields: Vec<_> = lines.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(fields, ["codPlano", "versao", "ativo", "nome", "tipoBeneficio", "valor"], "{lines:?}");
    assert!(read_record_body(register("plano"), b"[]").unwrap_err().rest.is_none());
}

#[test]
fn lists_and_numbers_of_equipment_are_kept_in_one_form() {
    let read = read_record_body(register("rastreador"), br#"{"numeroSerie": " sn 00a1 "}"#).unwrap();
    assert_eq!(read.fields[0], FieldPatch::Set(FieldContent::Text("SN00A1".to_owned())));
    let read = read_record_body(register("situacao"), br#"{"proximas": [9, 8, 9]}"#).unwrap();
    assert_eq!(read.fields.last().unwrap(), &FieldPatch::Set(FieldContent::Codes(vec![9, 8])));
    let unread =
        read_record_body(register("tipoVistoria"), br#"{"checklist": ["Pneus", "a\nb", ""]}"#).unwrap_err();
    let lines = unread.problems.into_lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("checklist[1]: ") && lines[1].starts_with("checklist[2]: "), "{lines:?}");
    let read = read_record_body(register("tipoVistoria"), br#"{"checklist": null}"#).unwrap();
    assert_eq!(read.fields[1], FieldPatch::Clear);
}

#[test]
fn a_list_is_asked_by_the_fields_that_its_description_names() {
    let pairs = |text: &str| {
        let all: Vec<(String, String)> = text
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(n, v)| (n.into(), v.into()))
            .collect();
        all.into_iter()
    };
    let read =
        read_list_query(register("situacao"), pairs("entidade=evento&filtro=a&pagina=2&ativo=true&nome=x"))
            .unwrap();
    assert_eq!(read.fields, [(1, FieldContent::Number(2))]);
    assert_eq!((read.filter.as_deref(), read.page, read.active), (Some("a"), 2, Some(true)));
    let problems =
        read_list_query(register("situacao"), pairs("entidade=carro&pagina=0&ativo=talvez")).unwrap_err();
    assert_eq!(problems.into_lines().len(), 3);
}

#[test]
fn a_whole_card_number_is_seen_wherever_it_stands() {
    for bad in [
        "4111111111111111",
        "4111 1111 1111 1111",
        "tok_4111-1111-1111-1111",
        "ANA 5555555555554444",
        "1234567890123",
    ] {
        assert!(has_card_number(bad), "{bad}");
    }
    for good in ["tok_9xK2mVbQ", "4242", "11/2029", "ANA B LIMA", "tok_1234567890123456", "card_12-34"] {
        assert!(!has_card_number(good), "{good}");
    }
    let body = br#"{"numero": "4111 1111 1111 1111", "bandeira": "Visa"}"#;
    let lines = read_record_body(register("cartaoCredito"), body).unwrap_err().problems.into_lines();
    assert!(
        lines.len() == 1 && lines[0].starts_with("tokenGateway: ") && !lines[0].contains("4111"),
        "{lines:?}"
    );
}

#[test]
fn a_percentage_is_read_to_the_hundredth_and_written_short() {
    let rules = register("regraEncargos");
    let (at, fine) = rules.find_field("multa").unwrap();
    for (sent, hundredths, written) in [
        ("2", 200, "2"),
        ("2.50", 250, "2.5"),
        ("0.05", 5, "0.05"),
        ("\"100\"", 10_000, "100"),
        ("0", 0, "0"),
    ] {
        let read = read_record_body(rules, format!(r#"{{"multa": {sent}}}"#).as_bytes()).unwrap();
        assert_eq!(read.fields[at], FieldPatch::Set(FieldContent::Number(hundredths)), "{sent}");
        assert_eq!(render_value(fine, &FieldContent::Number(hundredths)).to_string(), written);
    }
    for bad in ["100.01", "-1", "1.555", "1e1", "\"2,5\"", "true", "[2]"] {
        let unread = read_record_body(rules, format!(r#"{{"multa": {bad}}}"#).as_bytes());
        let lines = unread.map(|read| format!("{read:?}")).unwrap_err().problems.into_lines();
        assert!(lines.len() == 1 && lines[0].starts_with("multa: deve ser um percentual"), "{bad} {lines:?}");
    }
}
