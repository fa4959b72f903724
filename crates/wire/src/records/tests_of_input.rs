//! Every record that callers send: its own examples are read, and what is wrong is told by its place.

use super::*;
use crate::read::{
    Between, CardOrDocument, Given, Loosely, Problems, Read, Record, Scalar, body, list_body, query,
};
use domain::{BenefitCode, CivilState, Fuel, Money, PlanCode, SellerKind};
use serde_json::Value;

/// What whoever tries the documentation sends first.
fn example<T: Record>() -> Value {
    T::fields().into_iter().map(|field| (field.name.to_owned(), field.example)).collect()
}

fn read<T: Read>(text: &str) -> Result<T, Vec<String>> {
    body(text.as_bytes()).map_err(|unread| unread.problems.into_lines())
}

fn asked<T: Record>(pairs: &[(&str, &str)]) -> Result<T, Vec<String>> {
    let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    query(pairs).map_err(Problems::into_lines)
}

#[test]
fn the_examples_of_every_record_are_read() {
    let person: PessoaInput = read(&example::<PessoaInput>().to_string()).unwrap();
    assert_eq!(person.fields.civil_state, Given::Set(CivilState::Married));
    let phones = person.fields.phones.set().unwrap();
    assert_eq!(phones[0].number.clone().set().unwrap().to_string(), "(11)98765-4321");
    assert_eq!(person.fields.address.set().unwrap().cep.set().unwrap().to_string(), "01310-100");
    read::<EnderecoInput>(&example::<EnderecoInput>().to_string()).unwrap();
    read::<BeneficioInput>(&example::<BeneficioInput>().to_string()).unwrap();
    let vehicle: BeneficioVeiculoInput = read(&example::<BeneficioVeiculoInput>().to_string()).unwrap();
    assert_eq!(vehicle.benefit.code, Given::Set(BenefitCode::new(777)));
    assert_eq!(vehicle.vehicle.protected.set().map(Money::cents), Some(7_500_050));
    let fields = vehicle.benefit.fields.additional_fields.set().unwrap();
    assert_eq!(fields[0].value, Given::Set(Scalar::Text("Cinza".to_owned())));
    let validated: ValidacaoBeneficioInput = read(&example::<ValidacaoBeneficioInput>().to_string()).unwrap();
    assert!(matches!(validated.number, Given::Set(CardOrDocument::Card(_))));
    let cancelled: CancelamentoInput = read(&example::<CancelamentoInput>().to_string()).unwrap();
    assert_eq!(cancelled.reason.set().unwrap().as_str(), "Pedido do associado.");
    read::<UsuarioAlteracaoInput>(&example::<UsuarioAlteracaoInput>().to_string()).unwrap();
    read::<BaseInput>(&example::<BaseInput>().to_string()).unwrap();
    read::<AssociadoInput>(&example::<AssociadoInput>().to_string()).unwrap();
    read::<BeneficioAlteracaoInput>(&example::<BeneficioAlteracaoInput>().to_string()).unwrap();
    read::<SituacaoInput>(&example::<SituacaoInput>().to_string()).unwrap();
    read::<ItemAlteracaoInput>(&example::<ItemAlteracaoInput>().to_string()).unwrap();
    read::<EtapaInput>(&example::<EtapaInput>().to_string()).unwrap();
    read::<PerdaInput>(&example::<PerdaInput>().to_string()).unwrap();
    read::<ReaberturaInput>(&example::<ReaberturaInput>().to_string()).unwrap();
    read::<GanhoInput>(&example::<GanhoInput>().to_string()).unwrap();
    read::<LeadAlteracaoInput>(&example::<LeadAlteracaoInput>().to_string()).unwrap();
}

#[test]
fn the_examples_of_every_query_are_read() {
    fn pairs<T: Record>() -> Vec<(String, String)> {
        let text = |value: Value| value.as_str().map_or(value.to_string(), str::to_owned);
        T::fields().into_iter().map(|field| (field.name.to_owned(), text(field.example))).collect()
    }
    let members: PesquisaAssociadoQuery = query(pairs::<PesquisaAssociadoQuery>().into_iter()).unwrap();
    assert_eq!(members.birth.set().map(|day| day.get().to_iso()).as_deref(), Some("1988-03-25"));
    let sellers: PesquisaVendedorQuery = query(pairs::<PesquisaVendedorQuery>().into_iter()).unwrap();
    assert_eq!(sellers.kind, Given::Set(Loosely(SellerKind::Consultant)));
    let benefits: PesquisaBeneficioQuery = query(pairs::<PesquisaBeneficioQuery>().into_iter()).unwrap();
    assert_eq!(
        (benefits.sequence.set().map(Between::get), benefits.plan),
        (Some(12), Given::Set(PlanCode::new(10)))
    );
}

#[test]
fn a_person_needs_a_name_and_a_document_and_every_problem_has_its_place() {
    let found = read::<PessoaInput>(
        r#"{"sexo": "F", "telefones": [{"numero": ""}, {"numero": "1", "tipo": "Comercial"}],
            "endereco": {"uf": "XX", "cep": "1"}, "cpfCnpj": "111.111.111-11"}"#,
    )
    .unwrap_err();
    assert_eq!(
        found,
        [
            "sexo: \"F\" não é um valor aceito; use Feminino ou Masculino.",
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
    let found = read::<BeneficioVeiculoInput>(
        r#"{"ativo": "sim", "placa": "ABC", "anoModelo": 26, "combustivel": "Gasolina", "valorVeiculo": -1}"#,
    )
    .unwrap_err();
    let fields: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(fields, ["cpfCnpj", "ativo", "placa", "anoModelo", "combustivel", "valorVeiculo"]);
    let read =
        read::<BeneficioVeiculoInput>(r#"{"cpfCnpj": "52998224725", "combustivel": "GNV", "placa": null}"#);
    let read = read.unwrap();
    assert_eq!(
        (read.vehicle.fuel, read.vehicle.plate, read.vehicle.chassis),
        (Given::Set(Fuel::NaturalGas), Given::Clear, Given::Keep)
    );
}

#[test]
fn a_query_looks_at_form_and_limits_but_not_at_documents_and_plates() {
    let read: PesquisaAssociadoQuery =
        asked(&[("cpf", "111"), ("placa", "?"), ("uf", "XX"), ("pagina", ""), ("dataNascimento", "")])
            .unwrap();
    assert_eq!((read.cpf, read.page, read.birth), (Given::Set("111".to_owned()), Given::Keep, Given::Keep));
    let wrong = [
        ("pagina", "0"),
        ("codPlano", "2147483648"),
        ("chassi", "123456789012345678901"),
        ("dataCadastroInicial", "2026-11-14"),
        ("dataCadastroFinal", "31/02/2026"),
        ("codPessoa", "x"),
    ];
    assert_eq!(asked::<PesquisaAssociadoQuery>(&wrong).unwrap_err().len(), wrong.len());
    let wrong = [("sequencial", "-1"), ("numeroCartaoDesconto", "123"), ("codPlano", "-1")];
    assert_eq!(asked::<PesquisaBeneficioQuery>(&wrong).unwrap_err().len(), wrong.len());
}

#[test]
fn the_plans_of_a_dependent_are_codes_or_the_records_that_were_given_of_them() {
    let text = r#"{"codBeneficio": 1, "nome": "Rex", "parentesco": "PET_CANINO", "dataCadastro": "14/11/2026",
        "planos": [10, "12", {"codPlano": 13, "nome": "Saúde", "valor": 299.9}]}"#;
    let plans = read::<DependenteInput>(text).unwrap().plans;
    assert_eq!(plans, Given::Set([10, 12, 13].map(|code| PlanoApontado(PlanCode::new(code))).to_vec()));
    let found = read::<DependenteInput>(
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
        let read = list_body::<CampoAdicionalInput>("dadosAdicionais", text.as_bytes());
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
