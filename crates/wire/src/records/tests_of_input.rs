//! Tests of every request record: its examples are readable, and problems name their position.

use super::*;
use crate::read::{
    BoundedInt, CardOrDocument, FieldPatch, InputProblems, InputRecord, JsonInput, LenientMember,
    ScalarInput, read_body, read_list_body, read_query,
};
use domain::{BenefitCode, CivilState, Fuel, Money, PlanCode, SellerKind};
use serde_json::Value;

/// The request built from the documented examples.
fn build_example<T: InputRecord>() -> Value {
    T::fields().into_iter().map(|field| (field.name.to_owned(), field.example)).collect()
}

fn read_body_text<T: JsonInput>(text: &str) -> Result<T, Vec<String>> {
    read_body(text.as_bytes()).map_err(|unread| unread.problems.into_lines())
}

fn read_query_pairs<T: InputRecord>(pairs: &[(&str, &str)]) -> Result<T, Vec<String>> {
    let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    read_query(pairs).map_err(InputProblems::into_lines)
}

#[test]
fn the_examples_of_every_record_are_read() {
    let person: PessoaInput = read_body_text(&build_example::<PessoaInput>().to_string()).unwrap();
    assert_eq!(person.fields.civil_state, FieldPatch::Set(CivilState::Married));
    let phones = person.fields.phones.into_set().unwrap();
    assert_eq!(phones[0].number.clone().into_set().unwrap().to_string(), "(11)98765-4321");
    assert_eq!(person.fields.address.into_set().unwrap().cep.into_set().unwrap().to_string(), "01310-100");
    read_body_text::<EnderecoInput>(&build_example::<EnderecoInput>().to_string()).unwrap();
    read_body_text::<BeneficioInput>(&build_example::<BeneficioInput>().to_string()).unwrap();
    let vehicle: BeneficioVeiculoInput =
        read_body_text(&build_example::<BeneficioVeiculoInput>().to_string()).unwrap();
    assert_eq!(vehicle.benefit.code, FieldPatch::Set(BenefitCode::new(777)));
    assert_eq!(vehicle.vehicle.protected.into_set().map(Money::cents), Some(7_500_050));
    let fields = vehicle.benefit.fields.additional_fields.into_set().unwrap();
    assert_eq!(fields[0].value, FieldPatch::Set(ScalarInput::Text("Cinza".to_owned())));
    let validated: ValidacaoBeneficioInput =
        read_body_text(&build_example::<ValidacaoBeneficioInput>().to_string()).unwrap();
    assert!(matches!(validated.number, FieldPatch::Set(CardOrDocument::Card(_))));
    let cancelled: CancelamentoInput =
        read_body_text(&build_example::<CancelamentoInput>().to_string()).unwrap();
    assert_eq!(cancelled.reason.into_set().unwrap().as_str(), "Pedido do associado.");
    read_body_text::<UsuarioAlteracaoInput>(&build_example::<UsuarioAlteracaoInput>().to_string()).unwrap();
    read_body_text::<BaseInput>(&build_example::<BaseInput>().to_string()).unwrap();
    read_body_text::<AssociadoInput>(&build_example::<AssociadoInput>().to_string()).unwrap();
    read_body_text::<BeneficioAlteracaoInput>(&build_example::<BeneficioAlteracaoInput>().to_string())
        .unwrap();
    read_body_text::<SituacaoInput>(&build_example::<SituacaoInput>().to_string()).unwrap();
    read_body_text::<ItemAlteracaoInput>(&build_example::<ItemAlteracaoInput>().to_string()).unwrap();
    read_body_text::<EtapaInput>(&build_example::<EtapaInput>().to_string()).unwrap();
    read_body_text::<PerdaInput>(&build_example::<PerdaInput>().to_string()).unwrap();
    read_body_text::<ReaberturaInput>(&build_example::<ReaberturaInput>().to_string()).unwrap();
    read_body_text::<GanhoInput>(&build_example::<GanhoInput>().to_string()).unwrap();
    read_body_text::<LeadAlteracaoInput>(&build_example::<LeadAlteracaoInput>().to_string()).unwrap();
}

#[test]
fn the_examples_of_every_query_are_read() {
    fn build_query_pairs<T: InputRecord>() -> Vec<(String, String)> {
        let text = |value: Value| value.as_str().map_or(value.to_string(), str::to_owned);
        T::fields().into_iter().map(|field| (field.name.to_owned(), text(field.example))).collect()
    }
    let members: PesquisaAssociadoQuery =
        read_query(build_query_pairs::<PesquisaAssociadoQuery>().into_iter()).unwrap();
    assert_eq!(members.birth.into_set().map(|day| day.get().to_iso()).as_deref(), Some("1988-03-25"));
    let sellers: PesquisaVendedorQuery =
        read_query(build_query_pairs::<PesquisaVendedorQuery>().into_iter()).unwrap();
    assert_eq!(sellers.kind, FieldPatch::Set(LenientMember(SellerKind::Consultant)));
    let benefits: PesquisaBeneficioQuery =
        read_query(build_query_pairs::<PesquisaBeneficioQuery>().into_iter()).unwrap();
    assert_eq!(
        (benefits.sequence.into_set().map(BoundedInt::get), benefits.plan),
        (Some(12), FieldPatch::Set(PlanCode::new(10)))
    );
}

#[test]
fn a_person_needs_a_name_and_a_document_and_every_problem_has_its_place() {
    let found = read_body_text::<PessoaInput>(
        r#"{"sexo": "X", "telefones": [{"numero": ""}, {"numero": "1", "tipo": "Comercial"}],
            "endereco": {"uf": "XX", "cep": "1"}, "cpfCnpj": "111.111.111-11"}"#,
    )
    .unwrap_err();
    assert_eq!(
        found,
        [
            "sexo: \"X\" não é um valor aceito; use Feminino ou Masculino.",
            "telefones[1].numero: \"1\" não é um telefone; use o DDD e o número, como (11)98765-4321.",
            "telefones[1].tipo: \"Comercial\" não é um valor aceito; use Fixo ou Celular.",
            "endereco.cep: \"1\" não é um CEP; use oito dígitos, como 01310-100.",
            "endereco.uf: \"XX\" não é uma UF; use as duas letras de um estado, como SP.",
            "nomePessoa: informe um valor.",
            "cpfCnpj: \"111.111.111-11\" não é um CPF nem um CNPJ válido; confira os dígitos.",
        ]
    );
}

#[test]
fn a_vehicle_of_a_benefit_is_told_beside_the_benefit() {
    let found = read_body_text::<BeneficioVeiculoInput>(
        r#"{"ativo": "sim", "placa": "ABC", "anoModelo": 26, "combustivel": "Gasolina", "valorVeiculo": -1}"#,
    )
    .unwrap_err();
    let fields: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(fields, ["cpfCnpj", "ativo", "placa", "anoModelo", "combustivel", "valorVeiculo"]);
    let read = read_body_text::<BeneficioVeiculoInput>(
        r#"{"cpfCnpj": "52998224725", "combustivel": "GNV", "placa": null}"#,
    );
    let read = read.unwrap();
    assert_eq!(
        (read.vehicle.fuel, read.vehicle.plate, read.vehicle.chassis),
        (FieldPatch::Set(Fuel::NaturalGas), FieldPatch::Clear, FieldPatch::Keep)
    );
}

#[test]
fn a_query_looks_at_form_and_limits_but_not_at_documents_and_plates() {
    let read: PesquisaAssociadoQuery = read_query_pairs(&[
        ("cpf", "111"),
        ("placa", "?"),
        ("uf", "XX"),
        ("pagina", ""),
        ("dataNascimento", ""),
    ])
    .unwrap();
    assert_eq!(
        (read.cpf, read.page, read.birth),
        (FieldPatch::Set("111".to_owned()), FieldPatch::Keep, FieldPatch::Keep)
    );
    let wrong = [
        ("pagina", "0"),
        ("codPlano", "2147483648"),
        ("chassi", "123456789012345678901"),
        ("dataCadastroInicial", "2026-11-14"),
        ("dataCadastroFinal", "31/02/2026"),
        ("codPessoa", "x"),
    ];
    assert_eq!(read_query_pairs::<PesquisaAssociadoQuery>(&wrong).unwrap_err().len(), wrong.len());
    let wrong = [("sequencial", "-1"), ("numeroCartaoDesconto", "123"), ("codPlano", "-1")];
    assert_eq!(read_query_pairs::<PesquisaBeneficioQuery>(&wrong).unwrap_err().len(), wrong.len());
}

#[test]
fn the_plans_of_a_dependent_are_codes_or_the_records_that_were_given_of_them() {
    let text = r#"{"codBeneficio": 1, "nome": "Rex", "parentesco": "PET_CANINO", "dataCadastro": "14/11/2026",
        "planos": [10, "12", {"codPlano": 13, "nome": "Saúde", "valor": 299.9}]}"#;
    let plans = read_body_text::<DependenteInput>(text).unwrap().plans;
    assert_eq!(
        plans,
        FieldPatch::Set([10, 12, 13].map(|code| PlanoReferenciaInput(PlanCode::new(code))).to_vec())
    );
    let found = read_body_text::<DependenteInput>(
        r#"{"codBeneficio": 1, "nome": "Rex", "parentesco": "Cão", "planos": [-1, {"codPlano": "x"}, {}, null, []]}"#,
    )
    .unwrap_err();
    let places: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
    let plans = ["planos[0]", "planos[1].codPlano", "planos[2].codPlano", "planos[3]", "planos[4]"];
    assert_eq!(places[0], "parentesco");
    assert_eq!(places[1..], plans);
}

#[test]
fn the_items_of_a_list_are_told_by_the_name_of_the_list() {
    let list = |text: &str| {
        let read = read_list_body::<CampoAdicionalInput>("dadosAdicionais", text.as_bytes());
        read.map(|all| all.len()).map_err(|unread| unread.problems.into_lines())
    };
    assert_eq!(list(r#"[{"codCampo": 1, "valor": true}, {}]"#), Ok(2));
    assert_eq!(
        list(r#"[{"codCampo": "x"}, 1]"#).unwrap_err(),
        [
            "dadosAdicionais[0].codCampo: deve ser um número inteiro, de -2147483648 a 2147483647.",
            "dadosAdicionais[1]: deve ser um objeto JSON, entre { e }.",
        ]
    );
    assert_eq!(list("{}").unwrap_err(), ["O corpo deve ser uma lista, entre [ e ]."]);
    assert_eq!(list("").unwrap_err(), ["Falta o corpo do pedido: envie-o em JSON."]);
    assert!(list("[").is_err());
}
