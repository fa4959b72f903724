//! `GET /ext/financeiro/titulo/{codTitulo}`: the whole record, and who may see it.

use crate::calls::{cpf, each};
use crate::finance::scene::{CAR, HEALTH, MANAGED, MEMBER, TITLES, keys, parts, scene};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const RECORD: [&str; 22] = [
    "beneficios",
    "codLoja",
    "codPessoa",
    "codTipoTitulo",
    "codTitulo",
    "cpfCnpjPessoa",
    "dataCancelamento",
    "dataEmissao",
    "dataLancamento",
    "dataVencimento",
    "descricao",
    "liquidacoes",
    "nomeLoja",
    "nomePessoa",
    "nomeTipoTitulo",
    "nomeUsuarioCadastro",
    "observacao",
    "situacao",
    "tipoLancamento",
    "tipoPessoa",
    "urlFatura",
    "valor",
];
const BENEFIT: [&str; 8] = [
    "codBeneficio",
    "codConsultor",
    "codRepresentante",
    "descricao",
    "nomeConsultor",
    "nomeRepresentante",
    "nomeSituacao",
    "tipoSituacao",
];
const SETTLEMENT: [&str; 20] = [
    "acrescimo",
    "agencia",
    "banco",
    "codCaixa",
    "codConta",
    "codLiquidacao",
    "codTipoLiquidacao",
    "dataCredito",
    "dataLiquidacao",
    "desconto",
    "descricaoCaixa",
    "descricaoConta",
    "despesas",
    "juros",
    "multa",
    "nomeEstornador",
    "nomeLiquidante",
    "nomeTipoLiquidacao",
    "total",
    "valor",
];

#[both_engines]
async fn a_title_has_exactly_the_keys_of_the_contract(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({"descricao": "Novembro", "observacao": "por telefone"})).await;
    assert_eq!(keys(&made), RECORD);
    let benefit = made["beneficios"][0].clone();
    let own = calls.read(&calls.operator, "/ext/beneficio", &[("sequencial", "1")]).await;
    let wanted = json!({"codBeneficio": CAR, "codConsultor": 1, "codRepresentante": null,
        "nomeConsultor": "Vendas 1", "nomeRepresentante": null, "nomeSituacao": own[0]["situacao"],
        "tipoSituacao": benefit["tipoSituacao"], "descricao": benefit["descricao"]});
    assert_eq!(keys(&benefit), BENEFIT);
    assert_eq!(benefit, wanted);
    assert!(benefit["tipoSituacao"].as_str().is_some_and(|text| !text.is_empty()), "{benefit}");
    assert!(benefit["descricao"].as_str().unwrap().contains("ABC"), "{benefit}");
    let wanted = json!({"codTitulo": 2, "codPessoa": MEMBER, "codLoja": 2, "codTipoTitulo": 1,
        "nomePessoa": "Pessoa 1", "cpfCnpjPessoa": cpf(1), "nomeLoja": "Filial Norte",
        "nomeTipoTitulo": "Mensalidade", "dataEmissao": "14/11/2026", "dataVencimento": "10/12/2026",
        "dataCancelamento": null, "dataLancamento": "14/11/2026", "valor": 101.2, "situacao": "ABERTO",
        "descricao": "Novembro", "tipoLancamento": "CREDITO", "tipoPessoa": "F",
        "nomeUsuarioCadastro": "operador", "observacao": "por telefone", "urlFatura": null,
        "beneficios": [benefit], "liquidacoes": []});
    assert_eq!(made, wanted);
    assert_eq!(calls.read(&calls.operator, &format!("{TITLES}/2"), &[]).await, made);
    assert_eq!(calls.read(&calls.integration, &format!("{TITLES}/2"), &[]).await, made);
}

#[both_engines]
async fn a_benefit_without_sellers_has_those_of_the_member(world: World) {
    let calls = scene(world).await;
    calls.member_with(1, json!({"codConsultor": 1, "codRepresentante": 2})).await;
    let made = calls.issue(json!({"codBeneficio": HEALTH})).await;
    let sellers = ["codConsultor", "nomeConsultor", "codRepresentante", "nomeRepresentante"];
    let wanted = [json!(1), json!("Vendas 1"), json!(2), json!("Vendas 2")];
    assert_eq!(parts(&made["beneficios"][0], sellers), wanted);
}

#[both_engines]
async fn a_named_operation_is_no_code_of_a_title(world: World) {
    let calls = scene(world).await;
    let path = format!("{TITLES}/boleto");
    for query in [&[][..], &[("cpfCnpj", cpf(1).as_str())]] {
        assert_eq!(calls.get(&calls.operator, &path, query).await.body, r#"{"quantidade":0,"itens":[]}"#);
    }
    calls.post(&calls.operator, &path, &json!({})).await.refuses(405);
    calls.put(&calls.operator, &path, &json!({})).await.refuses(405);
    calls.server().call("GET", &path, &[], "").await.refuses(401);
    calls.get(&calls.operator, &format!("{TITLES}/1/boleto"), &[]).await.refuses(404);
}

#[both_engines]
async fn a_settlement_has_exactly_the_keys_of_the_contract(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    calls.settle(&made, 40.0).await;
    let by_pix = json!({"codTitulo": made["codTitulo"], "valorPago": 1.5, "codTipoLiquidacao": 3});
    let paid = calls.saved(&calls.operator, "/ext/financeiro/titulo/liquidar", &by_pix).await;
    assert_eq!(keys(&paid), RECORD);
    let settlements = paid["liquidacoes"].as_array().unwrap();
    for one in settlements {
        assert_eq!(keys(one), SETTLEMENT);
    }
    let wanted = json!({"codLiquidacao": 1, "codTipoLiquidacao": 1, "nomeTipoLiquidacao": "Dinheiro",
        "dataLiquidacao": "14/11/2026", "dataCredito": "14/11/2026", "valor": 40, "total": 40, "desconto": 0,
        "acrescimo": 0, "juros": 0, "multa": 0, "despesas": 0, "banco": null, "agencia": null,
        "codConta": null, "codCaixa": 1, "descricaoConta": null, "descricaoCaixa": "Caixa",
        "nomeLiquidante": "operador", "nomeEstornador": null});
    assert_eq!(settlements[0], wanted);
    let account = ["codConta", "descricaoConta", "codCaixa", "descricaoCaixa", "nomeTipoLiquidacao"];
    assert_eq!(
        parts(&settlements[1], account),
        [json!(2), json!("Conta bancária"), json!(null), json!(null), json!("Pix")]
    );
}

#[both_engines]
async fn a_title_of_another_branch_or_association_is_not_there(world: World) {
    let calls = scene(world).await;
    let own = calls.issue(json!({})).await;
    for path in [TITLES, MANAGED] {
        // Title 1 is of branch 1; there, codes 1 to 3 are other titles.
        for code in ["1", "999", "2147483647"] {
            calls.get(&calls.operator, &format!("{path}/{code}"), &[]).await.refuses(404);
        }
        let there = calls.read(&calls.stranger, &format!("{path}/2"), &[]).await;
        assert_eq!(parts(&there, ["descricao", "nomePessoa"]), ["Título Ali", "Alguém Ali 1"]);
        assert_eq!(calls.read(&calls.administrator, &format!("{path}/1"), &[]).await["codLoja"], 1);
        calls.get(&calls.operator, &format!("{path}/x"), &[]).await.refuses(400);
    }
    let fourth = calls.issue(json!({})).await;
    let fourth = calls.issue(json!({"descricao": fourth["descricao"]})).await;
    assert_eq!(fourth["codTitulo"], 4);
    calls.get(&calls.stranger, &format!("{TITLES}/4"), &[]).await.refuses(404);
    // Nor can either be touched.
    let reason = json!({"motivo": "não é meu"});
    let due = json!({"motivo": "não é meu", "vencimento": "2027-01-10"});
    let paid = json!({"valorPago": 1, "codTipoLiquidacao": 1});
    for (token, code) in [(&calls.operator, 1), (&calls.stranger, 4)] {
        for (what, body) in [("cancelar", &reason), ("liberar", &reason), ("vencimento", &due)] {
            calls.put(token, &format!("{MANAGED}/{code}/{what}"), body).await.refuses(404);
        }
        calls.post(token, &format!("{MANAGED}/{code}/receber"), &paid).await.refuses(404);
        let paid = json!({"codTitulo": code, "valorPago": 1, "codTipoLiquidacao": 1});
        let refused = calls.post(token, "/ext/financeiro/titulo/liquidar", &paid).await;
        assert!([400, 404].contains(&refused.status), "{refused:?}");
    }
    assert_eq!(calls.read(&calls.operator, &format!("{TITLES}/2"), &[]).await, own);
    for person in [3, 999] {
        calls.get(&calls.operator, &format!("/gestao/financeiro/associado/{person}"), &[]).await.refuses(404);
    }
}

#[both_engines]
async fn a_reversed_settlement_stays_listed_and_counts_nowhere(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    calls.settle(&made, 30.0).await;
    let paid = calls.settle(&made, 100.0).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    assert_eq!(calls.balance(MEMBER).await["credito"], 28.8);
    let reversed = calls.reverse(&paid).await;
    assert_eq!(reversed.status, 200, "{reversed:?}");
    let now = calls.read(&calls.operator, &format!("{TITLES}/{}", made["codTitulo"]), &[]).await;
    assert_eq!(now["situacao"], "ABERTO");
    let settlements: Vec<Value> = now["liquidacoes"].as_array().unwrap().clone();
    assert_eq!(each(&settlements, "nomeEstornador"), [json!(null), json!("operador")]);
    assert_eq!(each(&settlements, "valor"), [json!(30), json!(71.2)]);
    let listed = &calls.titles(&[]).await[0];
    let told = parts(listed, ["valorLiquidado", "dataLiquidacao", "situacao"]);
    assert_eq!(told, [json!(30), json!("14/11/2026"), json!("ABERTO")]);
    let managed = calls.managed(&made).await;
    assert_eq!(parts(&managed, ["valorAberto", "valorDevido"]), [json!(71.2), json!(71.2)]);
    let balance = calls.balance(MEMBER).await;
    assert_eq!(parts(&balance, ["credito", "valorAberto"]), [json!(0), json!(71.2)]);
    // Without any in force there is neither an amount nor a day.
    let first = json!({"liquidacoes": [settlements[0]]});
    assert_eq!(calls.reverse(&first).await.status, 200);
    let listed = &calls.titles(&[]).await[0];
    assert_eq!(parts(listed, ["valorLiquidado", "dataLiquidacao"]), [json!(0), json!(null)]);
    assert_eq!(calls.titles(&[("dataLiquidacaoInicial", "01/01/2026")]).await, Vec::<Value>::new());
}
