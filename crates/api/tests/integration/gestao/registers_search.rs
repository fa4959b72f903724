//! Lists of registers: searched by words or by beginnings, narrowed, in pages.

use crate::calls::{Calls, each, items, told_about};
use serde_json::json;
use testkit::{World, both_engines};

#[both_engines]
async fn a_small_register_is_found_by_beginnings_of_words_and_ordered_by_name(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let names =
        async |query: &[(&str, &str)]| each(&items(&calls.read(by, "/gestao/plano", query).await), "nome");
    assert_eq!(
        names(&[]).await,
        [
            "Assistência Nacional",
            "Clube de Descontos",
            "Consórcio 60 meses",
            "Proteção Antiga",
            "Proteção Ouro",
            "Proteção Prata",
            "Saúde Família"
        ]
    );
    assert_eq!(names(&[("filtro", "PROT ant")]).await, ["Proteção Antiga"]);
    assert_eq!(names(&[("filtro", "familia saude")]).await, ["Saúde Família"]);
    assert_eq!(names(&[("filtro", "3")]).await, ["Clube de Descontos"], "by its code");
    assert_eq!(names(&[("filtro", "rotecao")]).await, Vec::<serde_json::Value>::new());
    assert_eq!(names(&[("filtro", "protecao"), ("ativo", "false")]).await, ["Proteção Antiga"]);
    assert_eq!(names(&[("tipoBeneficio", "SAUDE")]).await, ["Saúde Família"]);
    let refused = calls.get(by, "/gestao/plano", &[("tipoBeneficio", "VIDA")]).await;
    assert!(told_about(refused.refuses(400), "tipoBeneficio"), "{refused:?}");
    let found = calls.read(by, "/gestao/fornecedor", &[("filtro", "11.222.333")]).await;
    assert_eq!(each(&items(&found), "codFornecedor"), [1], "by the beginning of a document, in any mask");
}

#[both_engines]
async fn a_list_longer_than_a_page_comes_in_pages(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    for number in 0..98 {
        let body = json!({"nome": format!("Tipo {number:03}")});
        calls.saved(by, "/gestao/tipoEvento", &body).await;
    }
    let page = async |number: &str| calls.read(by, "/gestao/tipoEvento", &[("pagina", number)]).await;
    let (first, second) = (page("1").await, page("2").await);
    assert_eq!(
        (items(&first).len(), &first["proximaPagina"], &first["quantidade"]),
        (100, &json!(false), &json!(100))
    );
    assert!(items(&second).is_empty());
    calls.saved(by, "/gestao/tipoEvento", &json!({"nome": "Zelo"})).await;
    let (first, second) = (page("1").await, page("2").await);
    assert_eq!(
        (items(&first).len(), &first["proximaPagina"], &first["quantidade"]),
        (100, &json!(true), &json!(101))
    );
    assert_eq!(each(&items(&second), "nome"), ["Zelo"]);
}

#[both_engines]
async fn trackers_are_found_by_the_beginning_of_their_numbers(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    for number in 0..103 {
        let body = json!({"numeroSerie": format!("sn{:03}", 200 - number), "imei": format!("35{number:03}")});
        calls.saved(by, "/gestao/rastreador", &body).await;
    }
    let read = async |query: &[(&str, &str)]| calls.read(by, "/gestao/rastreador", query).await;
    let all = read(&[]).await;
    assert_eq!(
        (items(&all).len(), &all["quantidade"], &all["proximaPagina"]),
        (100, &json!(103), &json!(true))
    );
    assert_eq!(items(&read(&[("pagina", "2")]).await).len(), 3);
    let found = read(&[("filtro", "sn10")]).await;
    assert_eq!(
        each(&items(&found), "numeroSerie"),
        ["SN100", "SN101", "SN102", "SN103", "SN104", "SN105", "SN106", "SN107", "SN108", "SN109"]
    );
    assert_eq!(each(&items(&read(&[("filtro", "35 10")]).await), "imei"), ["35100", "35101", "35102"]);
    let none = read(&[("filtro", "9")]).await;
    assert_eq!((items(&none).len(), &none["quantidade"]), (0, &json!(0)));
    let retired = calls.put(by, "/gestao/rastreador/1", &json!({"ativo": false, "versao": 1})).await;
    assert_eq!(retired.status, 200, "{retired:?}");
    assert_eq!(each(&items(&read(&[("ativo", "false")]).await), "numeroSerie"), ["SN200"]);
    let again = calls.post(by, "/gestao/rastreador", &json!({"numeroSerie": "Sn150"})).await;
    assert!(told_about(again.refuses(409), "numeroSerie"), "{again:?}");
    let again = calls.post(by, "/gestao/rastreador", &json!({"numeroSerie": "X", "imei": "35007"})).await;
    assert!(told_about(again.refuses(409), "imei"), "{again:?}");
}
