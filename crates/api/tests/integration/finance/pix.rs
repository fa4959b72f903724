//! `POST /ext/financeiro/titulo/{codTitulo}/pix`: the code of a key of the association, what it holds, and how long it is the
//! same.

use crate::calls::{Calls, told_about, with};
use crate::finance::early_discount::allow_discount;
use crate::finance::scene::{
    EXPENSE, FAR_MEMBER, SECOND_CAR, SECOND_MEMBER, TITLES, keys, late_title, parts, scene,
};
use bank_formats::brcode::{BrCode, StaticBrCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Reply, World, both_engines, eight_at_once};

const KEY: &str = "123e4567-e12b-12d1-a456-426655440000";
const ACCOUNTS: &str = "/gestao/contaFinanceira";
/// The bank account and the cash box that every association is born with.
const BANK: &str = "/gestao/contaFinanceira/2";
const CASH_BOX: &str = "/gestao/contaFinanceira/1";

fn receiver(more: Value) -> Value {
    let usual = json!({"chavePix": KEY, "nomeRecebedor": "Associação Aqui", "cidadeRecebedor": "Goiânia"});
    with(usual, more)
}

pub async fn give_key(calls: &Calls, token: &str) {
    let changed = calls.put(token, BANK, &receiver(json!({"versao": 1}))).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

fn address(title: &Value) -> String {
    format!("{TITLES}/{}/pix", title["codTitulo"])
}

async fn ask(calls: &Calls, token: &str, title: &Value) -> Reply {
    calls.post(token, &address(title), &json!({})).await
}

/// The answer to the operator, and that it went well.
async fn find_code(calls: &Calls, title: &Value) -> Value {
    calls.saved(&calls.operator, &address(title), &json!({})).await
}

fn parse(answer: &Value) -> StaticBrCode {
    match BrCode::parse(answer["pixCopiaECola"].as_str().unwrap()) {
        Ok(BrCode::Static(code)) => code,
        other => panic!("{other:?} in {answer}"),
    }
}

fn txid(answer: &Value) -> String {
    parse(answer).txid.unwrap().as_str().to_owned()
}

/// Without the random signs.
fn txid_start(answer: &Value) -> String {
    let whole = txid(answer);
    let (start, signs) = whole.split_at(whole.len() - 6);
    let is_sign = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit();
    assert!(signs.chars().all(is_sign), "{whole}");
    start.to_owned()
}

#[both_engines]
async fn a_code_holds_what_settles_the_title_and_is_the_same_until_the_due_day(world: World) {
    let calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let made = calls.issue(json!({})).await;
    let answer = find_code(&calls, &made).await;
    assert_eq!(keys(&answer), ["dataExpiracao", "pixCopiaECola", "qrCodeBase64", "valor"]);
    let until = "2026-12-10T23:59:59-03:00";
    assert_eq!(parts(&answer, ["valor", "dataExpiracao"]), [json!(101.2), json!(until)]);
    let code = parse(&answer);
    assert_eq!((code.key.as_str(), code.amount.unwrap().cents()), (KEY, 10_120));
    assert_eq!((code.name.as_str(), code.city.as_str()), ("ASSOCIACAO AQUI", "GOIANIA"));
    assert_eq!(txid_start(&answer), format!("B{}T{}N1", calls.world.here, made["codTitulo"]));
    let start = format!("00020126580014br.gov.bcb.pix0136{KEY}52040000530398654");
    assert!(answer["pixCopiaECola"].as_str().unwrap().starts_with(&start), "{answer}");
    // Again, with no body at all, and for another caller.
    let bearer = format!("Bearer {}", calls.operator);
    let bare = [("Authorization", bearer.as_str())];
    assert_eq!(calls.server().call("POST", &address(&made), &bare, "").await.json(), answer);
    let typed = [bare[0], ("Content-Type", "application/json")];
    assert_eq!(calls.server().call("POST", &address(&made), &typed, "").await.json(), answer);
    assert_eq!(ask(&calls, &calls.integration, &made).await.json(), answer);
    assert_eq!(calls.count("pix_codes").await, 1);
    // A part was paid: the rest is another code.
    calls.settle(&made, 1.2).await;
    let rest = find_code(&calls, &made).await;
    assert_eq!(parts(&rest, ["valor", "dataExpiracao"]), [json!(100), json!(until)]);
    assert_eq!(txid_start(&rest), format!("B{}T{}N2", calls.world.here, made["codTitulo"]));
    assert!(!txid(&rest).ends_with(&txid(&answer)[txid(&answer).len() - 6..]), "{rest} {answer}");
    assert_eq!(calls.count("pix_codes").await, 2);
}

#[both_engines]
async fn the_picture_is_the_qr_code_of_the_text(world: World) {
    let calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let answer = find_code(&calls, &calls.issue(json!({})).await).await;
    let png = STANDARD.decode(answer["qrCodeBase64"].as_str().unwrap()).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let picture = image::load_from_memory(&png).unwrap().into_luma8();
    let (width, height) = picture.dimensions();
    assert!(width == height && width.is_multiple_of(8), "{width} × {height}");
    // The corner of the first finder pattern lies behind a quiet zone of four modules.
    let module = |x: u32, y: u32| picture.get_pixel(x * 8 + 4, y * 8 + 4).0[0];
    assert_eq!([module(0, 0), module(3, 3), module(4, 4), module(5, 5), module(7, 7)], [255, 255, 0, 255, 0]);
}

#[both_engines]
async fn a_late_title_has_a_new_code_every_day(world: World) {
    let mut calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let late = calls.saved(&calls.operator, TITLES, &late_title()).await;
    let today = find_code(&calls, &late).await;
    let wanted = [json!(103.79), json!("2026-11-14T23:59:59-03:00")];
    assert_eq!(parts(&today, ["valor", "dataExpiracao"]), wanted);
    assert_eq!(find_code(&calls, &late).await, today);
    calls.pass_days(1).await;
    let tomorrow = find_code(&calls, &late).await;
    let due = calls.managed(&late).await["valorDevido"].clone();
    let wanted = [due, json!("2026-11-15T23:59:59-03:00")];
    assert_eq!(parts(&tomorrow, ["valor", "dataExpiracao"]), wanted);
    assert_ne!(txid(&tomorrow), txid(&today));
}

#[both_engines]
async fn a_discounted_code_ends_with_the_discount(world: World) {
    let mut calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    allow_discount(&calls).await;
    let made = calls.issue(json!({})).await;
    let cheap = find_code(&calls, &made).await;
    let wanted = [json!(96.14), json!("2026-12-04T23:59:59-03:00")];
    assert_eq!(parts(&cheap, ["valor", "dataExpiracao"]), wanted);
    calls.pass_days(20).await;
    assert_eq!(find_code(&calls, &made).await, cheap, "the last day");
    calls.pass_days(1).await;
    let full = find_code(&calls, &made).await;
    let wanted = [json!(101.2), json!("2026-12-10T23:59:59-03:00")];
    assert_eq!(parts(&full, ["valor", "dataExpiracao"]), wanted);
}

#[both_engines]
async fn a_new_due_day_a_new_key_and_a_corrected_receiver_make_a_new_code(world: World) {
    let calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let made = calls.issue(json!({})).await;
    let first = find_code(&calls, &made).await;
    let later = json!({"vencimento": "2027-01-11", "motivo": "pediu"});
    assert_eq!(calls.put_managed(&made, "/vencimento", later).await.status, 200);
    let second = find_code(&calls, &made).await;
    assert_eq!(second["dataExpiracao"], "2027-01-11T23:59:59-03:00");
    let other = json!({"versao": 2, "chavePix": "PIX@Outra.example"});
    assert_eq!(calls.put(&calls.administrator, BANK, &other).await.status, 200);
    let third = find_code(&calls, &made).await;
    assert_eq!(parse(&third).key.as_str(), "pix@outra.example");
    let corrected = json!({"versao": 3, "nomeRecebedor": "Associação Ali", "cidadeRecebedor": "Santos"});
    assert_eq!(calls.put(&calls.administrator, BANK, &corrected).await.status, 200);
    let fourth = find_code(&calls, &made).await;
    let named = parse(&fourth);
    assert_eq!((named.name.as_str(), named.city.as_str()), ("ASSOCIACAO ALI", "SANTOS"));
    assert_eq!(find_code(&calls, &made).await, fourth);
    let numbers =
        [&first, &second, &third, &fourth].map(|one| txid_start(one).rsplit_once('N').unwrap().1.to_owned());
    assert_eq!(numbers, ["1", "2", "3", "4"]);
}

#[both_engines]
async fn an_account_may_send_codes_without_an_identifier(world: World) {
    let calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let made = calls.issue(json!({})).await;
    let named = find_code(&calls, &made).await;
    let silent = json!({"versao": 2, "mandaIdentificador": false});
    assert_eq!(calls.put(&calls.administrator, BANK, &silent).await.status, 200);
    let answer = find_code(&calls, &made).await;
    assert!(answer["pixCopiaECola"].as_str().unwrap().contains("62070503***"), "{answer}");
    assert_eq!((parse(&answer).txid, &answer["valor"]), (None, &named["valor"]));
    assert_eq!(find_code(&calls, &made).await, answer);
    assert_eq!(calls.count("pix_codes").await, 2);
}

#[both_engines]
async fn each_association_and_each_caller_have_their_own_titles(world: World) {
    let calls = scene(world).await;
    let there = calls.server().token("admin@ali.example").await;
    for admin in [&calls.administrator, &there] {
        give_key(&calls, admin).await;
    }
    let made = calls.issue(json!({"valor": 77})).await;
    assert_eq!(made["codTitulo"], 2, "as one of the other association");
    let here = find_code(&calls, &made).await;
    let other = ask(&calls, &calls.stranger, &made).await.json();
    assert_eq!([&here["valor"], &other["valor"]], [&json!(77), &json!(101.2)]);
    assert_eq!(txid_start(&here), format!("B{}T2N1", calls.world.here));
    assert_eq!(txid_start(&other), format!("B{}T2N1", calls.world.there));
    // The first title is of a branch that the operator does not see, the third one of the other association.
    for code in [1, 3, 999] {
        let hidden = ask(&calls, &calls.operator, &json!({"codTitulo": code})).await;
        assert!(told_about(hidden.refuses(404), "codTitulo"), "{hidden:?}");
    }
    assert_eq!(ask(&calls, &calls.administrator, &json!({"codTitulo": 1})).await.status, 200);
    calls.post(&calls.operator, &format!("{TITLES}/x/pix"), &json!({})).await.refuses(400);
    assert_eq!(calls.count("pix_codes").await, 2);
}

#[both_engines]
async fn without_a_key_for_the_group_there_is_no_code_yet(world: World) {
    let calls = scene(world).await;
    let car = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": SECOND_CAR});
    let (first, second) = (calls.issue(json!({})).await, calls.issue(car).await);
    for title in [&first, &second] {
        let refused = ask(&calls, &calls.operator, title).await;
        refused.refuses(503);
        assert_eq!(refused.header("retry-after"), Some("3600"), "{refused:?}");
    }
    let own = json!({"nome": "Conta das motos", "tipo": "BANCO", "codGrupo": 2});
    let own = with(receiver(json!({"chavePix": "motos@aqui.example"})), own);
    calls.saved(&calls.administrator, ACCOUNTS, &own).await;
    ask(&calls, &calls.operator, &first).await.refuses(503);
    assert_eq!(parse(&find_code(&calls, &second).await).key.as_str(), "motos@aqui.example");
    give_key(&calls, &calls.administrator).await;
    assert_eq!(parse(&find_code(&calls, &first).await).key.as_str(), KEY);
    let kept = find_code(&calls, &second).await;
    assert_eq!(parse(&kept).key.as_str(), "motos@aqui.example", "that of the group comes first");
    let retired = json!({"versao": 2, "ativo": false});
    assert_eq!(calls.put(&calls.administrator, BANK, &retired).await.status, 200);
    ask(&calls, &calls.operator, &first).await.refuses(503);
}

#[both_engines]
async fn only_an_open_title_that_is_owed_to_the_association_has_a_code(world: World) {
    let calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let settled = calls.issue(json!({})).await;
    calls.settle(&settled, 101.2).await;
    let cancelled = calls.issue(json!({})).await;
    let reason = json!({"motivo": "engano"});
    assert_eq!(calls.put_managed(&cancelled, "/cancelar", reason).await.status, 200);
    let owed = calls.issue_managed(json!({"codTipoTitulo": EXPENSE})).await.remove(0);
    let waits = json!({"codTipoTitulo": EXPENSE, "aguardarLiberacao": true});
    let waiting = calls.issue_managed(waits).await.remove(0);
    for title in [&settled, &cancelled, &owed, &waiting] {
        let refused = ask(&calls, &calls.operator, title).await;
        assert!(told_about(refused.refuses(409), "codTitulo"), "{refused:?}");
    }
    let refused = ask(&calls, &calls.operator, &owed).await;
    assert!(refused.body.contains("é a associação que paga"), "{refused:?}");
    assert_eq!(calls.count("pix_codes").await, 0);
}

#[both_engines]
async fn eight_who_ask_at_once_get_one_code(world: World) {
    let calls = Arc::new(scene(world).await);
    give_key(&calls, &calls.administrator).await;
    let made = Arc::new(calls.issue(json!({})).await);
    let codes = eight_at_once(|_| {
        let (calls, made) = (Arc::clone(&calls), Arc::clone(&made));
        async move { find_code(&calls, &made).await }
    })
    .await;
    assert!(codes.iter().all(|code| *code == codes[0]), "{codes:?}");
    assert_eq!(calls.count("pix_codes").await, 1);
}

#[both_engines]
async fn a_repeated_key_gets_the_first_answer_but_not_a_refusal_for_want_of_a_key(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "pix-1")];
    calls.server().call("POST", &address(&made), &headers, "").await.refuses(503);
    give_key(&calls, &calls.administrator).await;
    let first = calls.server().call("POST", &address(&made), &headers, "").await;
    assert_eq!(first.status, 200, "{first:?}");
    calls.settle(&made, 1.2).await;
    let again = calls.server().call("POST", &address(&made), &headers, "").await;
    assert_eq!(again.json(), first.json());
    assert_eq!(again.header("idempotency-replayed"), Some("true"), "{again:?}");
}

#[both_engines]
async fn a_code_that_is_issued_is_audited_once(world: World) {
    let calls = scene(world).await;
    give_key(&calls, &calls.administrator).await;
    let far = json!({"codTitulo": 1});
    for _ in 0..2 {
        assert_eq!(ask(&calls, &calls.administrator, &far).await.status, 200);
    }
    let told = calls.audited(&FAR_MEMBER.to_string()).await;
    let details: Vec<&str> = told.iter().filter_map(|one| one["detalhe"].as_str()).collect();
    let issued =
        details.iter().filter(|one| one.starts_with("título 1 teve um código Pix gerado: R$ 101,20"));
    assert_eq!(issued.count(), 1, "{details:?}");
}

#[both_engines]
async fn a_key_is_checked_and_stored_as_the_directory_has_it(world: World) {
    let calls = scene(world).await;
    let by = &calls.administrator;
    for (body, fields) in [
        (receiver(json!({"chavePix": "62987654321"})), &["chavePix"][..]),
        (receiver(json!({"chavePix": "não é", "nomeRecebedor": "–"})), &["chavePix", "nomeRecebedor"][..]),
        (receiver(json!({"cidadeRecebedor": "São José do Rio Preto"})), &["cidadeRecebedor"][..]),
        (json!({"chavePix": KEY}), &["nomeRecebedor", "cidadeRecebedor"][..]),
    ] {
        let refused = calls.put(by, BANK, &with(body.clone(), json!({"versao": 1}))).await;
        let told = refused.refuses(400);
        assert!(fields.iter().all(|field| told_about(told, field)), "{body}: {told}");
        assert_eq!(told.lines().count(), fields.len(), "{body}: {told}");
    }
    let cash = calls.put(by, CASH_BOX, &receiver(json!({"versao": 1}))).await;
    assert!(told_about(cash.refuses(400), "chavePix"), "{cash:?}");
    let keys = [
        ("11.222.333/0001-81", "11222333000181"),
        ("12.abc.345/01de-35", "12ABC34501DE35"),
        ("123.456.789-09", "12345678909"),
        ("+55 (62) 98765-4321", "+5562987654321"),
        (" Pix@Aqui.Example ", "pix@aqui.example"),
    ];
    for (version, (typed, stored)) in (1..).zip(keys) {
        let changed = calls.put(by, BANK, &receiver(json!({"versao": version, "chavePix": typed}))).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(changed.json()["chavePix"], stored);
    }
    let none = json!({"versao": 6, "chavePix": null, "nomeRecebedor": null, "cidadeRecebedor": null});
    let cleared = calls.put(by, BANK, &none).await;
    assert_eq!(cleared.status, 200, "{cleared:?}");
    assert_eq!(parts(&cleared.json(), ["chavePix", "nomeRecebedor"]), [Value::Null, Value::Null]);
}
