//! Every record byte for byte. The files in `golden/` were written by hand from the interface's records, and are changed
//! by hand.

use crate::calls::{BENEFITS, Calls, DEALS, DEPENDENTS, FUNNELS, LEADS, LIST, MEMBERS, VEHICLES};
use serde_json::{Value, json};
use testkit::{World, both_engines};

macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("golden/", $name, ".json")).trim_end()
    };
}

pub const PERSON: &str = "529.982.247-25";
pub const COMPANY: &str = "12.ABC.345/01DE-35";

fn ana() -> Value {
    json!({"nomePessoa": "Ana Souza", "cpfCnpj": PERSON, "email": "ana@exemplo.com.br", "sexo": "Feminino",
        "dataNascimento": "1988-03-25", "telefones": [{"numero": "11987654321"}, {"numero": "1133334444"}],
        "endereco": {"bairro": "Bela Vista", "cep": "01310100", "cidade": "São Paulo", "complemento": "Apto 12",
            "logradouro": "Paulista", "numero": "1578", "tipoEndereco": "Residencial", "tipoLogradouro": "Avenida",
            "uf": "SP"},
        "nomeMae": "Eva Souza", "estadoCivil": "CASADO", "nomeEmpresa": "Padaria Central", "identidade": "12.345.678-9",
        "numeroCnh": "01234567890", "categoriaCnh": "AB"})
}

fn vehicle() -> Value {
    json!({"codPlano": 1, "cpfCnpj": PERSON, "ativo": true, "diaVencimento": 10, "codConsultor": 1, "codRepresentante": 2,
        "numeroCartaoDesconto": "1234567890123", "dataAdesao": "2026-11-01", "placa": "abc-1d23",
        "chassi": "9bwzzz377vt004251", "renavam": "01234567890", "marca": "FIAT", "modelo": "ARGO 1.0",
        "anoFabricacao": 2025, "anoModelo": 2026, "cor": "Prata", "combustivel": "FLEX", "categoria": "LEVE",
        "codTipoVeiculo": 1, "numeroPortas": 4, "valorVeiculo": 78500, "valorProtegido": 75000.50,
        "valorParticipacao": 3000.99, "codigoFipe": "001509-1",
        "dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}, {"codCampo": 2, "valor": 12000}]})
}

fn basic() -> Value {
    json!({"codPlano": 2, "cpfCnpj": COMPANY, "numeroCartaoDesconto": "9876 54 3 210 987"})
}

pub async fn peopled(world: World) -> Calls {
    let calls = Calls::on(world).await;
    calls.saved(&calls.operator, MEMBERS, &ana()).await;
    calls.saved(&calls.operator, MEMBERS, &json!({"nomePessoa": "Boa Ltda", "cpfCnpj": COMPANY})).await;
    calls.saved(&calls.operator, VEHICLES, &vehicle()).await;
    calls.saved(&calls.operator, BENEFITS, &basic()).await;
    calls.saved(&calls.operator, MEMBERS, &json!({"nomePessoa": "Zoé", "cpfCnpj": "111.444.777-35"})).await;
    calls
}

fn page(items: &[&str]) -> String {
    let count = items.len();
    format!(r#"{{"itens":[{}],"paginaAtual":1,"proximaPagina":false,"quantidade":{count}}}"#, items.join(","))
}

#[both_engines]
async fn the_person_record_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    assert_eq!(calls.post(&calls.operator, MEMBERS, &ana()).await.body, golden!("pessoa"));
    let bare = json!({"nomePessoa": "Zoé", "cpfCnpj": "11144477735"});
    assert_eq!(calls.post(&calls.operator, MEMBERS, &bare).await.body, golden!("pessoa_minima"));
}

#[both_engines]
async fn the_saved_benefit_record_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    calls.saved(&calls.operator, MEMBERS, &ana()).await;
    assert_eq!(calls.post(&calls.operator, VEHICLES, &vehicle()).await.body, golden!("beneficio_gravado"));
    assert_eq!(calls.cancel(&calls.operator, &json!(1), "").await.body, golden!("beneficio_cancelado"));
}

#[both_engines]
async fn the_rows_of_the_member_search_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let rows = calls.get(&calls.operator, MEMBERS, &[("cpf", PERSON)]).await.body;
    assert_eq!(rows, page(&[golden!("associado_com_beneficio")]));
    let rows = calls.get(&calls.operator, MEMBERS, &[("nome", "zoe")]).await.body;
    assert_eq!(rows, page(&[golden!("associado_sem_beneficio")]));
}

#[both_engines]
async fn the_items_of_the_benefit_search_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let found = calls.get(&calls.operator, BENEFITS, &[("placa", "ABC1323")]).await.body;
    assert_eq!(found, format!("[{}]", golden!("beneficio_veicular")));
    let found = calls.get(&calls.operator, BENEFITS, &[("sequencial", "2")]).await.body;
    assert_eq!(found, format!("[{}]", golden!("beneficio_saude")));
}

#[both_engines]
async fn the_page_of_the_list_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let list = calls.get(&calls.operator, LIST, &[]).await.body;
    assert_eq!(list, page(&[golden!("beneficio_veicular"), golden!("beneficio_saude")]));
}

#[both_engines]
async fn the_items_of_a_benefit_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let body = json!({"codPlano": 3, "valor": 15.50, "dataInclusao": "2026-11-02"});
    let added = calls.post(&calls.operator, "/ext/beneficio/1/itens", &body).await.body;
    assert_eq!(added, golden!("item_novo"));
    let items = calls.get(&calls.operator, "/ext/beneficio/1/itens", &[]).await.body;
    assert_eq!(items, format!("[{},{}]", golden!("item_novo"), golden!("item_primeiro")));
}

#[both_engines]
async fn the_records_of_dependents_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let full = json!({"codBeneficio": 1, "nome": "João Souza", "cpf": "11144477735", "dataNascimento": "2015-08-02",
        "parentesco": "FILHO", "sexo": "Masculino", "planos": [1], "identidade": "12.345.678-9",
        "telefone": "11987654321", "email": "joao@exemplo.com.br", "numeroCartaoDesconto": "1234567890123"});
    let saved = calls.post(&calls.operator, DEPENDENTS, &full).await.body;
    assert_eq!(saved, golden!("dependente_gravado"));
    let bare = json!({"codBeneficio": 2, "nome": "Mingau", "parentesco": "PET_FELINO", "ativo": false,
        "numeroCartaoDesconto": "9876543210987"});
    calls.saved(&calls.operator, DEPENDENTS, &bare).await;
    let listed = calls.get(&calls.operator, "/ext/beneficio/1/dependentes", &[]).await.body;
    assert_eq!(listed, format!("[{}]", golden!("dependente_completo")));
    let listed = calls.get(&calls.operator, "/ext/beneficio/2/dependentes", &[]).await.body;
    assert_eq!(listed, format!("[{}]", golden!("dependente_minimo")));
    let found = calls.get(&calls.operator, DEPENDENTS, &[("cpf", "111.444.777-35")]).await.body;
    assert_eq!(found, format!("[{}]", golden!("dependente_pesquisado")));
}

#[both_engines]
async fn the_trigger_of_a_benefit_byte_for_byte(world: World) {
    let calls = peopled(world).await;
    let feed = calls.get(&calls.operator, "/gestao/historico", &[]).await.body;
    for trigger in [golden!("gatilho_veicular"), golden!("gatilho_saude")] {
        assert!(feed.contains(trigger), "{trigger}\nin {feed}");
    }
}

#[both_engines]
async fn the_funnel_record_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    assert_eq!(calls.get(&calls.operator, FUNNELS, &[]).await.body, golden!("funis"));
}

fn lead() -> Value {
    json!({"nome": "Ana Souza", "documento": PERSON, "email": "ana@exemplo.com.br",
        "telefones": [{"numero": "11987654321"}, {"numero": "1133334444"}], "empresa": "Padaria Central",
        "cidade": "São Paulo", "uf": "SP", "mensagem": "Quero proteger o meu carro.", "origem": "Site"})
}

#[both_engines]
async fn the_lead_records_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    assert_eq!(calls.post(&calls.operator, LEADS, &lead()).await.body, golden!("lead_gravado"));
    let bare = json!({"nomePessoa": "Zoé", "email": "zoe@exemplo.com.br"});
    assert_eq!(calls.post(&calls.operator, LEADS, &bare).await.body, golden!("lead_gravado_minimo"));
    let found = calls.get(&calls.operator, LEADS, &[]).await.body;
    assert_eq!(found, format!("[{},{}]", golden!("lead"), golden!("lead_minimo")));
}

#[both_engines]
async fn the_deal_records_byte_for_byte(world: World) {
    let calls = Calls::on(world).await;
    calls.saved(&calls.operator, LEADS, &lead()).await;
    let vehicle = json!({"placa": "abc-1d23", "chassi": "9bwzzz377vt004251", "renavam": "01234567890", "marca": "FIAT",
        "modelo": "ARGO 1.0", "anoFabricacao": 2025, "anoModelo": 2026, "cor": "Prata", "combustivel": "FLEX",
        "categoria": "LEVE", "codTipoVeiculo": 1, "numeroPortas": 4, "valorVeiculo": 78500, "valorProtegido": 75000.50,
        "valorParticipacao": 3000.99});
    let deal = json!({"codLead": 1, "titulo": "Saúde da família", "codEtapa": 2, "planos": [2], "valor": 299.00,
        "dataPrevisao": "01/12/2026", "observacao": "Ligar à noite", "veiculo": vehicle});
    assert_eq!(calls.post(&calls.operator, DEALS, &deal).await.body, golden!("negocio_gravado"));
    let found = calls.get(&calls.operator, DEALS, &[]).await.body;
    assert_eq!(found, format!("[{}]", golden!("negocio_aberto")));
    let child = json!({"nome": "Bia Souza", "cpf": "11144477735", "dataNascimento": "25/03/2015", "sexo": "Feminino",
        "parentesco": "FILHO", "planos": [2], "valor": 89.90, "telefone": "1133334444", "email": "bia@exemplo.com.br"});
    let saved = calls.post(&calls.operator, &format!("{DEALS}/1/dependente"), &child).await.body;
    assert_eq!(saved, golden!("negocio_dependente"));
    assert_eq!(calls.get(&calls.operator, &format!("{DEALS}/1"), &[]).await.body, golden!("negocio"));
}
