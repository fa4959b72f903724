//! `/ext/administracao`: additional fields, suppliers and sellers, as the association registered them.

use crate::calls::{Calls, array, each, told_about};
use domain::{
    BranchCode, DisplayName, Document, Email, InputField, Moment, Phone, SellerCode, SellerKind, TenantId,
};
use serde_json::{Value, json};
use storage::registers::sellers;
use storage::registers::sellers::NewSellerRow;
use storage::server::versions;
use storage::{Error, WriteLane};
use testkit::{World, both_engines};

macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("golden/", $name, ".json")).trim_end()
    };
}

fn fields(code: &str) -> String {
    format!("/ext/administracao/campos/{code}")
}

fn supplier(code: &str) -> String {
    format!("/ext/administracao/fornecedor/{code}")
}

const SELLERS: &str = "/ext/administracao/vendedor";

#[both_engines]
async fn the_fields_of_a_kind_of_benefit_come_by_name_and_only_those_in_use(world: World) {
    let calls = Calls::on(world).await;
    for token in [&calls.administrator, &calls.operator, &calls.integration] {
        assert_eq!(calls.get(token, &fields("0"), &[]).await.body, golden!("campos_veicular"));
    }
    let of_health = calls.read(&calls.operator, &fields("1"), &[]).await;
    assert_eq!(each(&array(&of_health), "nome"), ["Acomodação", "Médico de confiança"]);
    for none in ["2", "3", "4"] {
        assert_eq!(calls.read(&calls.operator, &fields(none), &[]).await, json!([]), "{none}");
    }
    let there = calls.read(&calls.stranger, &fields("0"), &[]).await;
    assert_eq!(each(&array(&there), "nome"), ["Campo Ali", "Campo só Ali", "Uso Ali"], "7 is no longer used");
}

#[both_engines]
async fn a_kind_of_benefit_that_is_none_is_not_found_and_what_is_no_number_is_bad_input(world: World) {
    let calls = Calls::on(world).await;
    for unknown in ["5", "-1", "2147483647", "-2147483648"] {
        let refused = calls.get(&calls.operator, &fields(unknown), &[]).await;
        let told = refused.refuses(404);
        assert!(told_about(told, "codigo") && told.contains("0 (Veicular)"), "{told}");
    }
    for bad in ["x", "1.0", "2147483648", "veicular"] {
        let refused = calls.get(&calls.operator, &fields(bad), &[]).await;
        assert!(told_about(refused.refuses(400), "codigo"), "{bad}: {refused:?}");
    }
}

#[both_engines]
async fn a_supplier_is_told_whole_also_one_who_is_no_longer_active(world: World) {
    let calls = Calls::on(world).await;
    for token in [&calls.administrator, &calls.operator, &calls.integration] {
        assert_eq!(calls.get(token, &supplier("1"), &[]).await.body, golden!("fornecedor"), "of no branch");
        assert_eq!(calls.get(token, &supplier("2"), &[]).await.body, golden!("fornecedor_inativo"));
    }
}

#[both_engines]
async fn a_supplier_of_another_association_is_none(world: World) {
    let calls = Calls::on(world).await;
    let there = calls.read(&calls.stranger, &supplier("1"), &[]).await;
    assert_eq!((&there["nome"], &there["ativo"]), (&json!("Oficina Ali Ltda"), &json!(false)));
    assert_eq!(there["cpfCnpj"], "12.ABC.345/01DE-35");
    assert_eq!(calls.get(&calls.stranger, &supplier("3"), &[]).await.status, 200);
    for unknown in ["3", "99", "0", "-7"] {
        let refused = calls.get(&calls.administrator, &supplier(unknown), &[]).await;
        assert!(told_about(refused.refuses(404), "codFornecedor"), "{unknown}: {refused:?}");
    }
    for bad in ["x", "99999999999"] {
        let refused = calls.get(&calls.operator, &supplier(bad), &[]).await;
        assert!(told_about(refused.refuses(400), "codFornecedor"), "{bad}: {refused:?}");
    }
}

/// Carla of branch 2 with everything; João of branch 3; Zulmira of branch 1, a company.
fn more() -> [NewSellerRow; 3] {
    let seller = |code, name: &str, kind, branch, document: &str| NewSellerRow {
        code: SellerCode::new(code),
        kind,
        name: DisplayName::parse(InputField::Name, name).unwrap(),
        document: Some(Document::parse(document).unwrap()),
        email: None,
        mobile: None,
        landline: None,
        district: Some("Bela Vista".to_owned()),
        city: Some("São Paulo".to_owned()),
        state: Some("SP".to_owned()),
        branch: BranchCode::new(branch),
    };
    let carla = NewSellerRow {
        email: Some(Email::parse("carla@exemplo.com.br").unwrap()),
        mobile: Some(Phone::parse("11987654321").unwrap()),
        landline: Some(Phone::parse("1133334444").unwrap()),
        ..seller(11, "Carla Dias", SellerKind::Consultant, 2, "529.982.247-25")
    };
    let joao = NewSellerRow {
        city: Some("Santos".to_owned()),
        district: Some("Boqueirão".to_owned()),
        ..seller(12, "João da Silva", SellerKind::Representative, 3, "111.444.777-35")
    };
    [carla, joao, seller(13, "Zulmira Ltda", SellerKind::Representative, 1, "12.ABC.345/01DE-35")]
}

async fn with_sellers(world: World) -> Calls {
    let input = world.here;
    let written = world.db().write(WriteLane::foreground(world.here), input, |tx, tenant: &TenantId| {
        Box::pin(async move {
            sellers::insert_sellers(tx, *tenant, &more(), Moment::from_millis(0)).await?;
            versions::raise_registers_version(tx, *tenant).await.map(drop)
        })
    });
    written.await.map_err(|error: Error| error.to_string()).unwrap();
    Calls::on(world).await
}

async fn codes(calls: &Calls, token: &str, query: &[(&str, &str)]) -> Vec<Value> {
    each(&array(&calls.read(token, SELLERS, query).await), "codVendedor")
}

#[both_engines]
async fn sellers_are_the_active_ones_of_the_callers_stores_by_name(world: World) {
    let calls = with_sellers(world).await;
    assert_eq!(codes(&calls, &calls.administrator, &[]).await, [11, 12, 1, 2, 3, 13]);
    assert_eq!(codes(&calls, &calls.operator, &[]).await, [11, 1, 2]);
    assert_eq!(codes(&calls, &calls.integration, &[]).await, [11, 12, 1, 2]);
    let there = calls.read(&calls.stranger, SELLERS, &[]).await;
    assert_eq!(each(&array(&there), "nome"), ["Vendas Ali 1", "Vendas Ali 2"]);
    let told = calls.get(&calls.operator, SELLERS, &[("nome", "carla")]).await;
    assert_eq!(told.body, golden!("vendedores"));
    let bare = calls.read(&calls.operator, SELLERS, &[("nome", "vendas 1")]).await;
    for unknown in ["cpfCnpj", "email", "telefoneCelular", "telefoneFixo", "bairro", "cidade", "uf"] {
        assert_eq!(bare[0].as_object().unwrap()[unknown], Value::Null, "{unknown}");
    }
}

#[both_engines]
async fn every_filter_of_the_sellers_narrows_and_neither_case_nor_accents_count(world: World) {
    let calls = with_sellers(world).await;
    for (query, found) in [
        (&[("tipo", "Consultor")][..], &[11, 1, 3][..]),
        (&[("tipo", "representante")], &[12, 2, 13]),
        (&[("tipo", " CONSULTÓR ")], &[11, 1, 3]),
        (&[("nome", "sil joao")], &[12]),
        (&[("nome", "JOÃO")], &[12]),
        (&[("nome", "ilva")], &[]),
        (&[("nome", "--")], &[]),
        (&[("cpfCnpj", "529.982.247-25")], &[11]),
        (&[("cpfCnpj", "12abc34501de35")], &[13]),
        (&[("cpfCnpj", "529.982.247-24")], &[]),
        (&[("cpfCnpj", "x")], &[]),
        (&[("bairro", "bela vista")], &[11, 13]),
        (&[("bairro", "BOQUEIRAO")], &[12]),
        (&[("bairro", "bela")], &[]),
        (&[("cidade", "sao paulo")], &[11, 13]),
        (&[("cidade", "SÃO  PAULO")], &[11, 13]),
        (&[("uf", "sp")], &[11, 12, 13]),
        (&[("uf", "XX")], &[]),
        (&[("uf", "SP"), ("tipo", "Representante"), ("cidade", "Santos")], &[12]),
        (&[("uf", ""), ("nome", " "), ("outro", "x"), ("tipo", "")], &[11, 12, 1, 2, 3, 13]),
    ] {
        assert_eq!(codes(&calls, &calls.administrator, query).await, found, "{query:?}");
    }
    assert_eq!(codes(&calls, &calls.operator, &[("cpfCnpj", "111.444.777-35")]).await, [0; 0], "of branch 3");
}

#[both_engines]
async fn a_kind_of_seller_that_is_none_is_refused_with_the_two(world: World) {
    let calls = Calls::on(world).await;
    let refused = calls.get(&calls.operator, SELLERS, &[("tipo", "gerente")]).await;
    let told = refused.refuses(400);
    assert!(told_about(told, "tipo") && told.contains("Consultor ou Representante"), "{told}");
}
