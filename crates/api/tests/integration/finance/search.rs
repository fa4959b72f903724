//! `GET /ext/financeiro/titulo`: what is asked, and what is answered.

use crate::calls::{cpf, each, items};
use crate::finance::scene::{
    CAR, EXPENSE, FAR_PLATE, HEALTH, MEMBER, PLATE, SECOND_CAR, SECOND_MEMBER, TITLES, keys, parts, scene,
};
use serde_json::{Value, json};
use testkit::{World, both_engines};

/// The parameters of a search.
type Query<'q> = &'q [(&'q str, &'q str)];

const ITEM: [&str; 15] = [
    "celular",
    "codPessoa",
    "codTitulo",
    "cpfCnpjPessoa",
    "dataEmissao",
    "dataLiquidacao",
    "dataVencimento",
    "descricao",
    "nomeDevedorCredor",
    "nomeLoja",
    "sequencialBeneficio",
    "situacao",
    "tipo",
    "valor",
    "valorLiquidado",
];

#[both_engines]
async fn an_answer_has_two_keys_and_an_item_fifteen(world: World) {
    let calls = scene(world).await;
    let first = calls.issue(json!({"vencimento": "2026-12-10"})).await;
    calls
        .issue(json!({"codPessoa": SECOND_MEMBER, "codBeneficio": SECOND_CAR, "vencimento": "2026-12-11"}))
        .await;
    let found = calls.read(&calls.operator, TITLES, &[("tipo", "Crédito")]).await;
    assert_eq!(keys(&found), ["itens", "quantidade"]);
    assert_eq!(found["quantidade"], 2);
    let found = items(&found);
    for item in &found {
        assert_eq!(keys(item), ITEM);
    }
    let wanted = json!({"celular": "(11)98765-4321", "codPessoa": MEMBER, "codTitulo": first["codTitulo"],
        "cpfCnpjPessoa": cpf(1), "dataEmissao": "14/11/2026", "dataLiquidacao": null,
        "dataVencimento": "10/12/2026", "descricao": "Mensalidade", "nomeDevedorCredor": "Pessoa 1",
        "nomeLoja": "Filial Norte", "sequencialBeneficio": found[0]["sequencialBeneficio"],
        "situacao": "ABERTO", "tipo": "Crédito", "valor": 101.2, "valorLiquidado": 0});
    assert_eq!(found[0], wanted);
    let own = calls.read(&calls.operator, "/ext/beneficio", &[("placa", PLATE)]).await;
    assert_eq!(found[0]["sequencialBeneficio"], json!([own[0]["sequencial"]]));
    assert_eq!(found[1]["celular"], "", "never null");
    calls.settle(&first, 40.0).await;
    let found = calls.titles(&[]).await;
    let told = parts(&found[0], ["situacao", "valorLiquidado", "dataLiquidacao"]);
    assert_eq!(told, [json!("ABERTO"), json!(40), json!("14/11/2026")]);
}

#[both_engines]
async fn the_kind_is_required_and_read_liberally(world: World) {
    let calls = scene(world).await;
    let credit = calls.issue(json!({})).await;
    let debit = calls.issue(json!({"codTipoTitulo": EXPENSE})).await;
    let found = async |kind: &str| each(&calls.titles(&[("tipo", kind)]).await, "codTitulo");
    for kind in ["Crédito", "Credito", "CREDITO", "CRÉDITO", "crédito", "cReDiTo"] {
        assert_eq!(found(kind).await, [credit["codTitulo"].clone()], "{kind}");
    }
    for kind in ["Débito", "DEBITO", "debito"] {
        assert_eq!(found(kind).await, [debit["codTitulo"].clone()], "{kind}");
    }
    for kind in ["Rateio", "RATEIO", "rateio"] {
        assert_eq!(found(kind).await, Vec::<Value>::new(), "{kind}");
    }
    for query in [&[][..], &[("tipo", "")], &[("tipo", "Outro")], &[("situacao", "Aberto")]] {
        let refused = calls.get(&calls.operator, TITLES, query).await;
        assert!(refused.refuses(400).contains("tipo"), "{query:?}: {refused:?}");
    }
}

#[both_engines]
async fn situations_are_asked_for_together_and_overdue_is_a_filter_only(world: World) {
    let calls = scene(world).await;
    let due = |day: &str| json!({"dataEmissao": "2026-10-01", "vencimento": day});
    let open = calls.issue(json!({})).await["codTitulo"].clone();
    let late = calls.issue(due("2026-10-28")).await;
    calls.settle(&late, 50.0).await;
    let late = late["codTitulo"].clone();
    // Saturday's due day is Monday's, and yesterday's has passed.
    let today = calls.issue(due("2026-11-14")).await["codTitulo"].clone();
    let settled = calls.issue(json!({})).await;
    calls.settle(&settled, 101.20).await;
    let cancelled = calls.issue(json!({})).await;
    let reply = calls.put_managed(&cancelled, "/cancelar", json!({"motivo": "em dobro"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let (settled, cancelled) = (settled["codTitulo"].clone(), cancelled["codTitulo"].clone());
    let all = [&late, &today, &open, &settled, &cancelled];
    let cases: [(&[&str], Vec<&Value>); 12] = [
        (&[], all.to_vec()),
        (&[""], all.to_vec()),
        (&["Aberto"], vec![&late, &today, &open]),
        (&["ABERTO"], vec![&late, &today, &open]),
        (&["aberto", "Liquidado"], vec![&late, &today, &open, &settled]),
        (&["LIQUIDADO", "cancelado"], vec![&settled, &cancelled]),
        (&["Vencido"], vec![&late]),
        (&["VENCIDO", "Cancelado"], vec![&late, &cancelled]),
        (&["Vencido", "Aberto"], vec![&late, &today, &open]),
        (&["Pendente"], vec![]),
        (&["Perdido"], vec![]),
        (&["Perdido", "Liquidado"], vec![&settled]),
    ];
    for keyed in [false, true] {
        for (names, wanted) in &cases {
            let mut query: Vec<(&str, &str)> = names.iter().map(|name| ("situacao", *name)).collect();
            if keyed {
                query.push(("codPessoa", "1"));
            }
            let found = calls.titles(&query).await;
            assert_eq!(each(&found, "codTitulo").iter().collect::<Vec<_>>(), *wanted, "{query:?}");
            assert!(found.iter().all(|one| one["situacao"] != "VENCIDO"));
        }
    }
    // What waits for release is a debit.
    let waits = json!({"codTipoTitulo": EXPENSE, "aguardarLiberacao": true});
    let waiting = calls.issue_managed(waits).await[0]["codTitulo"].clone();
    let found = calls.titles(&[("tipo", "Débito"), ("situacao", "pendente")]).await;
    assert_eq!(parts(&found[0], ["codTitulo", "situacao"]), [waiting, json!("PENDENTE")]);
    assert_eq!(calls.titles(&[("tipo", "Débito"), ("situacao", "Aberto")]).await, Vec::<Value>::new());
}

#[both_engines]
async fn several_situations_come_as_programs_write_lists(world: World) {
    let calls = scene(world).await;
    let open = calls.issue(json!({})).await["codTitulo"].clone();
    let settled = calls.issue(json!({})).await;
    calls.settle(&settled, 101.20).await;
    let settled = settled["codTitulo"].clone();
    let cancelled = calls.issue(json!({})).await;
    let reply = calls.put_managed(&cancelled, "/cancelar", json!({"motivo": "em dobro"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let cancelled = cancelled["codTitulo"].clone();
    let all = [&open, &settled, &cancelled];
    let cases: [(Query<'_>, Vec<&Value>); 11] = [
        (&[("situacao[]", "Aberto"), ("situacao[]", "Liquidado")], vec![&open, &settled]),
        (&[("situacao[0]", "Aberto"), ("situacao[1]", "Cancelado")], vec![&open, &cancelled]),
        (&[("situacao[]", "Liquidado"), ("situacao", "Cancelado")], vec![&settled, &cancelled]),
        (&[("situacao", "Aberto,Liquidado")], vec![&open, &settled]),
        (&[("situacao", " liquidado , CANCELADO,")], vec![&settled, &cancelled]),
        (&[("situacao[]", "Aberto,Pendente"), ("situacao[]", "Vencido")], vec![&open]),
        (&[("situacao", "1,2")], vec![]),
        (&[("situacao[]", "")], all.to_vec()),
        (&[("situacao", ",")], all.to_vec()),
        (&[("situacao[x]", "Aberto")], all.to_vec()),
        (&[("codLoja[]", "2"), ("codPessoa[0]", "1"), ("situacao[]", "Aberto")], vec![&open]),
    ];
    for (query, wanted) in cases {
        let found = calls.titles(query).await;
        assert_eq!(each(&found, "codTitulo").iter().collect::<Vec<_>>(), wanted, "{query:?}");
    }
    for (name, none) in [("codPessoa[]", "2"), ("tipo[]", "Débito"), ("inicio[]", "3")] {
        let query = [("tipo[]", "Crédito"), (name, none)];
        let query = if name == "tipo[]" { &query[1..] } else { &query[..] };
        let found = calls.read(&calls.operator, TITLES, query).await;
        assert_eq!(items(&found), Vec::<Value>::new(), "{name}: {found}");
    }
}

#[both_engines]
async fn a_kind_in_latin_1_is_read(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    for written in ["Cr%C3%A9dito", "Cr%E9dito", "CR%C9DITO", "credito"] {
        let found = calls.server().read(&format!("{TITLES}?tipo={written}"), &calls.operator).await;
        assert_eq!(found.status, 200, "{written}: {found:?}");
        assert_eq!(each(&items(&found.json()), "codTitulo"), [made["codTitulo"].clone()], "{written}");
    }
}

#[both_engines]
async fn a_plate_finds_the_titles_of_its_present_holder_alone(world: World) {
    let calls = scene(world).await;
    let former = calls.issue(json!({})).await["codTitulo"].clone();
    let found = async || each(&calls.titles(&[("placa", PLATE)]).await, "codTitulo");
    // The benefit of the car ends: nobody else has the plate yet.
    let ended = calls.cancel(&calls.operator, &json!(CAR), "{}").await;
    assert_eq!(ended.status, 200, "{ended:?}");
    assert_eq!(found().await, std::slice::from_ref(&former));
    // The buyer joins.
    let bought = calls.car(2, PLATE, json!({"diaVencimento": 10})).await;
    assert_eq!(found().await, Vec::<Value>::new());
    let of_buyer = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": bought["codBeneficio"]});
    let own = calls.issue(of_buyer).await["codTitulo"].clone();
    assert_eq!(found().await, std::slice::from_ref(&own));
    let ended = calls.cancel(&calls.operator, &bought["codBeneficio"], "{}").await;
    assert_eq!(ended.status, 200, "{ended:?}");
    assert_eq!(found().await, [own], "the last one who had it");
    // The car comes back, with the older benefit.
    let back = json!({"situacao": "ATIVO", "motivo": "A venda foi desfeita."});
    let path = format!("/gestao/beneficio/{CAR}/situacao");
    let reply = calls.put(&calls.administrator, &path, &back).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(found().await, [former]);
}

#[both_engines]
async fn a_person_a_plate_and_a_store_find_their_titles_and_nobody_elses(world: World) {
    let calls = scene(world).await;
    let car = calls.issue(json!({})).await["codTitulo"].clone();
    let health =
        calls.issue(json!({"codBeneficio": HEALTH, "vencimento": "2026-12-11"})).await["codTitulo"].clone();
    let second = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": SECOND_CAR, "vencimento": "2026-12-12"});
    let second = calls.issue(second).await["codTitulo"].clone();
    let both = json!({"codBeneficios": [CAR, HEALTH], "vencimento": "2026-12-13"});
    let both = calls.issue_managed(both).await[0]["codTitulo"].clone();
    let (masked, bare) = (cpf(1), crate::calls::bare(&cpf(1)));
    let far = cpf(3);
    let cases: [(Query<'_>, Vec<&Value>); 15] = [
        (&[("cpfCnpj", &masked)], vec![&car, &health, &both]),
        (&[("cpfCnpj", &bare)], vec![&car, &health, &both]),
        (&[("cpfCnpj", &far)], vec![]),
        (&[("cpfCnpj", "12")], vec![]),
        (&[("placa", PLATE)], vec![&car, &both]),
        (&[("placa", "abc-1d23")], vec![&car, &both]),
        (&[("placa", FAR_PLATE)], vec![]),
        (&[("placa", "ZZZ0Z00")], vec![]),
        (&[("codPessoa", "2")], vec![&second]),
        (&[("codPessoa", "3")], vec![]),
        (&[("codPessoa", "999")], vec![]),
        (&[("codLoja", "2")], vec![&car, &health, &second, &both]),
        (&[("codLoja", "1")], vec![]),
        (&[("codLoja", "2"), ("codPessoa", "1"), ("placa", PLATE), ("cpfCnpj", &masked)], vec![&car, &both]),
        (&[("codPessoa", "2"), ("cpfCnpj", &masked)], vec![]),
    ];
    for (query, wanted) in cases {
        let found = calls.titles(query).await;
        assert_eq!(each(&found, "codTitulo").iter().collect::<Vec<_>>(), wanted, "{query:?}");
    }
    let whole = calls.read(&calls.administrator, TITLES, &[("tipo", "Crédito"), ("placa", FAR_PLATE)]).await;
    assert_eq!(each(&items(&whole), "nomeDevedorCredor"), ["Pessoa Longe"]);
    let there = calls.read(&calls.stranger, TITLES, &[("tipo", "Crédito")]).await;
    assert_eq!(each(&items(&there), "descricao"), ["Título Ali"; 3]);
    let row = &calls.titles(&[("placa", PLATE)]).await[1];
    assert_eq!(row["sequencialBeneficio"].as_array().unwrap().len(), 2, "{row}");
}

#[both_engines]
async fn the_offset_skips_titles_and_not_pages(world: World) {
    let calls = scene(world).await;
    for first in ["2026-12-10", "2026-12-10"] {
        let many = json!({"parcelas": 60, "valor": 6000, "vencimento": first, "codBeneficios": [CAR]});
        assert_eq!(calls.issue_managed(many).await.len(), 60);
    }
    let page = async |from: &str| {
        let found = calls.read(&calls.operator, TITLES, &[("tipo", "Crédito"), ("inicio", from)]).await;
        assert_eq!(found["quantidade"], 120);
        each(&items(&found), "codTitulo")
    };
    // Both runs are due on the same days: of each day first the lower code.
    let wanted: Vec<Value> = (2..62).flat_map(|code| [json!(code), json!(code + 60)]).collect();
    for (from, first, length) in
        [("0", 0, 100), ("100", 100, 20), ("37", 37, 83), ("1", 1, 100), ("119", 119, 1), ("120", 120, 0)]
    {
        assert_eq!(page(from).await, wanted[first..first + length], "{from}");
    }
    assert_eq!(page("5000000").await, Vec::<Value>::new());
    let keyed = [("tipo", "Crédito"), ("inicio", "110"), ("codPessoa", "1")];
    let found = calls.read(&calls.operator, TITLES, &keyed).await;
    assert_eq!(each(&items(&found), "codTitulo"), wanted[110..]);
    for bad in ["-1", "x", "1.5"] {
        let refused = calls.get(&calls.operator, TITLES, &[("tipo", "Crédito"), ("inicio", bad)]).await;
        assert!(refused.refuses(400).starts_with("inicio: "), "{refused:?}");
    }
}
