//! Which keys each record has, in every answer of every operation that gives it, whatever is empty.

use crate::calls::{BENEFITS, Calls, LIST, MEMBERS, items};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const PERSON: &str = "codPessoa nomePessoa cpfCnpj email telefoneCelular telefoneFixo codLoja";
const ROW: &str = "codPessoa codBeneficio sequencial nomePessoa cpfCnpj dataNascimento sexo email telefoneCelular \
    telefoneFixo endereco planos situacao tipoSituacao tipoBeneficio dataCadastro dataAdesao dataAtivacao \
    dataAtualizacao placa chassi numeroCartaoDesconto nomeMae estadoCivil nomeEmpresa identidade numeroCnh categoriaCnh \
    dadosAdicionais codLoja nomeLoja codConsultor nomeConsultor codRepresentante nomeRepresentante conjuge \
    cpfCnpjResponsavelFinanceiro enderecoResponsavelFinanceiro";
const SAVED: &str = "codBeneficio sequencial numeroCartaoDesconto codPessoa situacao tipoSituacao";
const BENEFIT: &str = "codBeneficio sequencial numeroCartaoDesconto codPessoa nomePessoa cpfCnpj codLoja nomeLoja \
    tipoBeneficio situacao tipoSituacao corDestaque corInversa diaVencimento dataCadastro dataAdesao dataAtivacao \
    dataCancelamento planos placa chassi veiculo codConsultor nomeConsultor codRepresentante nomeRepresentante \
    dadosAdicionais";
const VEHICLE: &str = "anoFabricacao anoModelo numeroPortas categoria chassi combustivel cor marca modelo placa renavam \
    tipoVeiculo valorParticipacao valorProtegido valorVeiculo";
const ADDRESS: &str =
    "bairro cep cidade complemento logradouro logradouroComTipo numero tipoEndereco tipoLogradouro uf";
const PLAN: &str = "codPlano nome valor";
const FIELD: &str = "codCampo nome valor";
const PAGE: &str = "itens paginaAtual proximaPagina quantidade";

fn has_exactly(record: &Value, keys: &str) {
    let mut wanted: Vec<&str> = keys.split_whitespace().collect();
    let mut had: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    wanted.sort_unstable();
    had.sort_unstable();
    assert_eq!(had, wanted, "{record}");
}

/// A member with a full vehicle benefit and an empty one, and a member of whom only name and document are known.
async fn some(calls: &Calls) {
    calls
        .member_with(
            1,
            json!({"endereco": {"cidade": "Santos"}, "codConsultor": 1, "telefones": [{"numero": "1133334444"}]}),
        )
        .await;
    calls.member(2).await;
    calls
        .car(1, "ABC1D23", json!({"codConsultor": 1, "codRepresentante": 2, "dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}]}))
        .await;
    calls.health(1, json!({})).await;
}

#[both_engines]
async fn a_saved_member_is_answered_with_exactly_the_keys_of_its_record(world: World) {
    let calls = Calls::on(world).await;
    has_exactly(&calls.member(1).await, PERSON);
}

#[both_engines]
async fn a_row_of_the_member_search_has_every_key_with_and_without_a_benefit(world: World) {
    let calls = Calls::on(world).await;
    some(&calls).await;
    let page = calls.read(&calls.operator, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
    has_exactly(&page, PAGE);
    let rows = items(&page);
    assert_eq!(rows.len(), 3, "{page}");
    for row in &rows {
        has_exactly(row, ROW);
    }
    let car = rows.iter().find(|row| row["placa"] == "ABC1D23").unwrap();
    has_exactly(&car["endereco"], ADDRESS);
    has_exactly(&car["planos"][0], PLAN);
    has_exactly(&car["dadosAdicionais"][0], FIELD);
}

#[both_engines]
async fn a_member_without_benefits_is_one_row_whose_benefit_fields_are_null(world: World) {
    let calls = Calls::on(world).await;
    some(&calls).await;
    let rows = calls.rows(&[("nome", "Pessoa 2")]).await;
    assert_eq!(rows.len(), 1);
    for field in [
        "codBeneficio",
        "sequencial",
        "situacao",
        "tipoSituacao",
        "tipoBeneficio",
        "dataAdesao",
        "dataAtivacao",
        "placa",
        "chassi",
        "numeroCartaoDesconto",
    ] {
        assert_eq!(rows[0][field], Value::Null, "{field}");
    }
    for field in ["planos", "dadosAdicionais"] {
        assert_eq!(rows[0][field], json!([]), "{field}");
    }
    has_exactly(&rows[0]["endereco"], ADDRESS);
    assert_eq!((&rows[0]["codLoja"], &rows[0]["nomeLoja"]), (&json!(2), &json!("Filial Norte")));
}

#[both_engines]
async fn a_benefit_has_every_key_in_the_search_in_the_list_and_where_it_is_saved(world: World) {
    let calls = Calls::on(world).await;
    some(&calls).await;
    has_exactly(&calls.health(2, json!({})).await, SAVED);
    let page = calls.read(&calls.operator, LIST, &[]).await;
    has_exactly(&page, PAGE);
    let list = items(&page);
    assert_eq!(list.len(), 3);
    for benefit in &list {
        has_exactly(benefit, BENEFIT);
        has_exactly(&benefit["planos"][0], PLAN);
        let sequence = benefit["sequencial"].to_string();
        let found = calls.read(&calls.operator, BENEFITS, &[("sequencial", &sequence)]).await;
        assert_eq!(found, json!([benefit]), "search and list give the same item, the search as a bare array");
    }
    has_exactly(&list[0]["veiculo"], VEHICLE);
    has_exactly(&list[0]["dadosAdicionais"][0], FIELD);
    assert_eq!((&list[1]["veiculo"], &list[1]["placa"]), (&Value::Null, &Value::Null));
}

#[both_engines]
async fn every_code_is_an_integer(world: World) {
    let calls = Calls::on(world).await;
    some(&calls).await;
    let member = calls.member(3).await;
    let benefit = calls.health(3, json!({})).await;
    let rows = calls.read(&calls.operator, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
    let list = calls.read(&calls.operator, LIST, &[]).await;
    let mut seen = 0;
    for answer in [&member, &benefit, &rows, &list] {
        walk(answer, &mut |key, value| {
            if key.starts_with("cod") && !value.is_null() {
                assert!(value.is_i64(), "{key}: {value}");
                seen += 1;
            }
        });
    }
    assert!(seen > 20, "{seen}");
}

/// Every key of every record, however deep.
fn walk(answer: &Value, look: &mut impl FnMut(&str, &Value)) {
    match answer {
        Value::Object(fields) => {
            for (key, value) in fields {
                look(key, value);
                walk(value, look);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| walk(part, look)),
        _ => {}
    }
}
