//! `/ext/financeiro/titulo…/boleto`: what a slip holds, how long it is the same, who gets it, and the link that opens it.

use crate::calls::{Calls, items, told_about, with};
use crate::finance::charging_scene::run_of;
use crate::finance::early_discount::allow_discount;
use crate::finance::scene::{
    EXPENSE, FAR_MEMBER, MEMBER, SECOND_CAR, SECOND_MEMBER, TITLES, charged_members, keys, late_title, parts,
    scene,
};
use bank_formats::SlipBarcode;
use bank_formats::brcode::BrCode;
use domain::Date;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Reply, Whole, World, both_engines, eight_at_once};

const SLIPS: &str = "/ext/financeiro/titulo/boleto";
const ACCOUNTS: &str = "/gestao/contaFinanceira";
/// The bank account and the cash box that every association is born with.
const BANK: &str = "/gestao/contaFinanceira/2";
const CASH_BOX: &str = "/gestao/contaFinanceira/1";

/// An agreement as the one of the vector that money.md tells.
pub fn agreement(more: Value) -> Value {
    let usual = json!({
        "agencia": "1234-3", "conta": "123456-0", "bancoBoleto": "BANCO_DO_BRASIL", "carteira": "18",
        "convenio": "1238798", "variacao": "19", "primeiroNossoNumero": 777_700_168,
        "nomeBeneficiario": "Associação Aqui", "documentoBeneficiario": "11.222.333/0001-81",
        "enderecoBeneficiario": "Rua das Flores, 10, Goiânia - GO",
        "mensagemBoleto": "Em dia, você tem proteção.",
    });
    with(usual, more)
}

pub async fn give_agreement(calls: &Calls, token: &str) {
    let changed = calls.put(token, BANK, &agreement(json!({"versao": 1}))).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

/// The same account has both.
pub async fn give_pix_key(calls: &Calls) {
    let key = json!({
        "versao": 2, "chavePix": "pix@aqui.example", "nomeRecebedor": "Associação Aqui", "cidadeRecebedor": "Goiânia",
    });
    let changed = calls.put(&calls.administrator, BANK, &key).await;
    assert_eq!((changed.status, &changed.json()["convenio"]), (200, &json!("1238798")), "{changed:?}");
}

fn address(title: &Value) -> String {
    format!("{TITLES}/{}/boleto", title["codTitulo"])
}

async fn ask(calls: &Calls, token: &str, title: &Value) -> Reply {
    calls.post(token, &address(title), &json!({})).await
}

/// The answer to the operator, and that it went well.
async fn issue_slip(calls: &Calls, title: &Value) -> Value {
    calls.saved(&calls.operator, &address(title), &json!({})).await
}

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

/// What the typed line says, which is what the bank charges.
fn read_line(slip: &Value) -> (Date, i64) {
    let barcode = SlipBarcode::parse_typed_line(slip["linhaDigitavel"].as_str().unwrap()).unwrap();
    assert_eq!(barcode.as_str(), slip["codigoBarras"]);
    (barcode.due_on(day("14/11/2026")).unwrap(), barcode.amount().cents())
}

async fn open(calls: &Calls, slip: &Value) -> Whole {
    let url = slip["urlPdf"].as_str().unwrap();
    let path = url.find("/documento/").map(|at| &url[at..]).unwrap();
    assert!(url.starts_with("http"), "{url}");
    calls.server().send("GET", path, &[], b"").await
}

#[both_engines]
async fn a_slip_holds_the_title_and_is_the_same_until_it_is_due(world: World) {
    let calls = scene(world).await;
    give_agreement(&calls, &calls.administrator).await;
    let made = calls.issue(json!({})).await;
    calls.get(&calls.operator, &address(&made), &[]).await.refuses(404);
    let slip = issue_slip(&calls, &made).await;
    assert_eq!(slip["codigoBarras"], "00191165600000101200000001238798077770016818");
    assert_eq!(slip["linhaDigitavel"], "00190.00009 01238.798076 77700.168188 1 16560000010120");
    let listed = items(&calls.read(&calls.operator, &format!("{SLIPS}?codPessoa={MEMBER}"), &[]).await);
    let [listed] = &listed[..] else { panic!("{listed:?}") };
    let wanted = [
        "celular",
        "chavePix",
        "codBoleto",
        "codPessoa",
        "codTitulo",
        "cpfCnpjPessoa",
        "dataEmissao",
        "dataVencimento",
        "descricao",
        "linhaDigitavel",
        "nomeLoja",
        "nomePessoa",
        "tipo",
        "urlPdf",
        "valor",
    ];
    assert_eq!(keys(listed), wanted);
    assert_eq!(with(listed.clone(), json!({"codigoBarras": slip["codigoBarras"]})), slip);
    let told = parts(&slip, ["valor", "dataVencimento", "dataEmissao", "tipo", "chavePix"]);
    assert_eq!(told, [json!(101.2), json!("10/12/2026"), json!("14/11/2026"), json!("Crédito"), Value::Null]);
    assert_eq!(read_line(&slip), (day("10/12/2026"), 10_120));
    // Again, with no body at all, and for another caller.
    let bearer = format!("Bearer {}", calls.operator);
    let typed = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    assert_eq!(calls.server().call("POST", &address(&made), &typed, "").await.json(), slip);
    assert_eq!(ask(&calls, &calls.integration, &made).await.json(), slip);
    assert_eq!(calls.read(&calls.operator, &address(&made), &[]).await, slip);
    assert_eq!(calls.count("slips").await, 1);
    let title = calls.read(&calls.operator, &format!("{TITLES}/{}", made["codTitulo"]), &[]).await;
    assert_eq!(title["urlFatura"], slip["urlPdf"]);
    // A part was paid: the rest is another slip.
    calls.settle(&made, 1.2).await;
    let rest = issue_slip(&calls, &made).await;
    assert_eq!(read_line(&rest), (day("10/12/2026"), 10_000));
    assert_eq!(calls.read(&calls.operator, &address(&made), &[]).await, rest);
    assert_eq!(calls.count("slips").await, 2);
    let later = json!({"vencimento": "2027-01-11", "motivo": "pediu"});
    assert_eq!(calls.put_managed(&made, "/vencimento", later).await.status, 200);
    assert_eq!(read_line(&issue_slip(&calls, &made).await), (day("11/01/2027"), 10_000));
}

#[both_engines]
async fn an_overdue_slip_has_a_second_copy_with_fine_and_interest(world: World) {
    let mut calls = scene(world).await;
    give_agreement(&calls, &calls.administrator).await;
    let late = calls.saved(&calls.operator, TITLES, &late_title()).await;
    let first = issue_slip(&calls, &late).await;
    // Saturday: it can be paid on Monday, 19 days late.
    assert_eq!(read_line(&first), (day("16/11/2026"), 10_120 + 202 + 64));
    assert_eq!(parts(&first, ["valor", "dataVencimento"]), [json!(103.86), json!("16/11/2026")]);
    calls.pass_days(2).await;
    assert_eq!(issue_slip(&calls, &late).await["codBoleto"], first["codBoleto"], "until its due day");
    calls.pass_days(1).await;
    let overdue = items(&calls.read(&calls.operator, &format!("{SLIPS}?situacao=Vencido"), &[]).await);
    assert_eq!(overdue[0]["codBoleto"], first["codBoleto"], "an overdue slip is in force");
    let second = issue_slip(&calls, &late).await;
    assert_eq!(read_line(&second), (day("18/11/2026"), 10_120 + 202 + 71));
    let listed = items(&calls.read(&calls.operator, SLIPS, &[]).await);
    let codes: Vec<&Value> = listed.iter().map(|one| &one["codBoleto"]).collect();
    assert_eq!(codes, [&second["codBoleto"]], "the old one is written off");
    assert_eq!(open(&calls, &first).await.head.status, 404);
    assert_eq!(open(&calls, &second).await.head.status, 200);
}

#[both_engines]
async fn only_open_titles_have_slips_and_each_answer_says_why_not(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let refused = ask(&calls, &calls.operator, &made).await;
    assert!(refused.refuses(409).contains("nenhuma conta"), "{refused:?}");
    give_agreement(&calls, &calls.administrator).await;
    let slip = issue_slip(&calls, &made).await;
    calls.settle(&made, 101.2).await;
    let cancelled = calls.issue(json!({})).await;
    issue_slip(&calls, &cancelled).await;
    let reason = json!({"motivo": "engano"});
    assert_eq!(calls.put_managed(&cancelled, "/cancelar", reason).await.status, 200);
    let owed = calls.issue_managed(json!({"codTipoTitulo": EXPENSE})).await.remove(0);
    for title in [&made, &cancelled, &owed] {
        let refused = ask(&calls, &calls.operator, title).await;
        assert!(told_about(refused.refuses(409), "codTitulo"), "{refused:?}");
    }
    for title in [&made, &cancelled] {
        calls.get(&calls.operator, &address(title), &[]).await.refuses(409);
    }
    let none = calls.get(&calls.operator, SLIPS, &[]).await;
    assert_eq!(none.body, r#"{"quantidade":0,"itens":[]}"#);
    for filter in ["situacao=Liquidado", "situacao=Cancelado", "situacao=Qualquer", "situacao=Pendente"] {
        assert_eq!(calls.read(&calls.operator, &format!("{SLIPS}?{filter}"), &[]).await["quantidade"], 0);
    }
    assert_eq!(open(&calls, &slip).await.head.status, 404, "it is paid");
    let title = calls.read(&calls.operator, &format!("{TITLES}/{}", made["codTitulo"]), &[]).await;
    assert_eq!(title["urlFatura"], Value::Null);
    let huge = calls.issue(json!({"valor": 100_000_000})).await;
    assert!(ask(&calls, &calls.operator, &huge).await.refuses(409).contains("99.999.999,99"));
}

#[both_engines]
async fn each_association_and_each_caller_see_their_own_slips(world: World) {
    let calls = scene(world).await;
    let there = calls.server().token("admin@ali.example").await;
    for admin in [&calls.administrator, &there] {
        give_agreement(&calls, admin).await;
    }
    let made = calls.issue(json!({})).await;
    let (here, other) = (issue_slip(&calls, &made).await, ask(&calls, &calls.stranger, &made).await.json());
    assert_eq!([&here["codBoleto"], &other["codBoleto"]], [1, 1]);
    assert_ne!(here["urlPdf"], other["urlPdf"]);
    // Each has numbers of its own.
    assert_eq!(read_line(&other).1, 10_120);
    assert!(other["codigoBarras"].as_str().unwrap().ends_with("1238798077770016818"), "{other}");
    // The first title is of a branch that the operator does not see.
    for code in [1, 3, 999] {
        let hidden = json!({"codTitulo": code});
        ask(&calls, &calls.operator, &hidden).await.refuses(404);
        calls.get(&calls.operator, &address(&hidden), &[]).await.refuses(404);
    }
    let far = ask(&calls, &calls.administrator, &json!({"codTitulo": 1})).await.json();
    assert_eq!(far["codPessoa"], FAR_MEMBER);
    for (token, count) in [(&calls.operator, 1), (&calls.administrator, 2), (&calls.stranger, 1)] {
        let page = calls.read(token, SLIPS, &[]).await;
        assert_eq!(
            (page["quantidade"].as_i64(), items(&page).len()),
            (Some(count), count as usize),
            "{page}"
        );
    }
    let by_document = format!("{SLIPS}?cpfCnpj={}", here["cpfCnpjPessoa"].as_str().unwrap());
    assert_eq!(
        items(&calls.read(&calls.operator, &by_document, &[]).await),
        items(&calls.read(&calls.operator, SLIPS, &[]).await)
    );
    for (filter, count) in [
        ("dataVencimentoInicial=10/12/2026&dataVencimentoFinal=30/02/2027", 2),
        ("dataVencimentoInicial=11/12/2026", 0),
        ("inicio=1", 2),
        ("situacao%5B%5D=Aberto&situacao%5B%5D=Vencido", 2),
    ] {
        let page = calls.read(&calls.administrator, &format!("{SLIPS}?{filter}"), &[]).await;
        assert_eq!(page["quantidade"], count, "{filter}");
    }
    calls.get(&calls.operator, &format!("{SLIPS}?inicio=x"), &[]).await.refuses(400);
    calls.post(&calls.operator, &format!("{TITLES}/x/boleto"), &json!({})).await.refuses(400);
}

#[both_engines]
async fn an_account_of_the_group_comes_first_and_one_out_of_use_issues_nothing(world: World) {
    let calls = scene(world).await;
    let car = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": SECOND_CAR});
    let (first, second) = (calls.issue(json!({})).await, calls.issue(car).await);
    let own = json!({
        "nome": "Conta das motos", "tipo": "BANCO", "codGrupo": 2, "convenio": "7654321",
        "primeiroNossoNumero": null,
    });
    calls.saved(&calls.administrator, ACCOUNTS, &agreement(own)).await;
    ask(&calls, &calls.operator, &first).await.refuses(409);
    assert!(
        issue_slip(&calls, &second).await["codigoBarras"].as_str().unwrap().ends_with("7654321000000000118")
    );
    give_agreement(&calls, &calls.administrator).await;
    issue_slip(&calls, &first).await;
    let retired = json!({"versao": 2, "ativo": false});
    assert_eq!(calls.put(&calls.administrator, BANK, &retired).await.status, 200);
    // What was issued stays; a second copy is not to be had.
    assert_eq!(issue_slip(&calls, &first).await["codBoleto"], 2);
    calls.settle(&first, 1.2).await;
    ask(&calls, &calls.operator, &first).await.refuses(409);
}

#[both_engines]
async fn a_slip_has_a_pix_code_of_what_is_paid_on_that_day(world: World) {
    let mut calls = scene(world).await;
    allow_discount(&calls).await;
    give_agreement(&calls, &calls.administrator).await;
    let made = calls.issue(json!({})).await;
    assert_eq!(issue_slip(&calls, &made).await["chavePix"], Value::Null, "there is no key");
    give_pix_key(&calls).await;
    let pays = async |calls: &Calls| {
        let slip = issue_slip(calls, &made).await;
        slip["chavePix"].as_str().map(|text| match BrCode::parse(text) {
            Ok(BrCode::Static(code)) => {
                (code.amount.unwrap().cents(), code.txid.unwrap().as_str().to_owned())
            }
            other => panic!("{other:?}"),
        })
    };
    let (amount, txid) = pays(&calls).await.unwrap();
    assert_eq!(amount, 9_614, "the discount is in force");
    assert!(txid.starts_with(&format!("B{}S1", calls.world.here)), "{txid}");
    calls.pass_days(21).await;
    assert_eq!(pays(&calls).await.unwrap(), (10_120, txid), "the discount is over");
    calls.pass_days(6).await;
    let overdue = calls.read(&calls.operator, &address(&made), &[]).await;
    assert_eq!(parts(&overdue, ["valor", "chavePix"]), [json!(101.2), Value::Null]);
}

#[both_engines]
async fn a_run_issues_slips_of_what_is_open_and_of_no_other_titles(world: World) {
    let calls = charged_members(world).await;
    let there = calls.server().token("admin@ali.example").await;
    for admin in [&calls.administrator, &there] {
        give_agreement(&calls, admin).await;
    }
    let credit = json!({"codPessoa": FAR_MEMBER, "valor": 1.5, "codTipoLiquidacao": 1});
    calls.saved(&calls.administrator, "/gestao/financeiro/credito", &credit).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let slips = items(&calls.read(&calls.administrator, SLIPS, &[]).await);
    let titles = items(
        &calls.read(&calls.administrator, &format!("{TITLES}?tipo=credito&situacao=Aberto"), &[]).await,
    );
    assert!(!titles.is_empty() && issued.run.counts.titles >= titles.len() as i64);
    assert_eq!(slips.len(), titles.len());
    for (slip, title) in slips.iter().zip(&titles) {
        assert_eq!(slip["codTitulo"], title["codTitulo"]);
        let whole = format!("/gestao/financeiro/titulo/{}", title["codTitulo"]);
        let whole = calls.read(&calls.administrator, &whole, &[]).await;
        assert_eq!(slip["valor"], whole["valorAberto"], "credit was used before");
        let (due_on, amount) = read_line(&calls.read(&calls.administrator, &address(title), &[]).await);
        assert_eq!(
            (due_on.to_br().as_str(), json!(amount as f64 / 100.0)),
            (slip["dataVencimento"].as_str().unwrap(), slip["valor"].clone())
        );
        assert_eq!(open(&calls, slip).await.head.status, 200);
    }
    assert_eq!(calls.read(&calls.stranger, SLIPS, &[]).await["quantidade"], 0);
}

#[both_engines]
async fn eight_who_ask_at_once_get_one_slip_and_numbers_never_repeat(world: World) {
    let calls = Arc::new(scene(world).await);
    give_agreement(&calls, &calls.administrator).await;
    let mut titles = Vec::new();
    for _ in 0..8 {
        titles.push(calls.issue(json!({})).await);
    }
    let titles = Arc::new(titles);
    let same = eight_at_once(|_| {
        let (calls, titles) = (Arc::clone(&calls), Arc::clone(&titles));
        async move { issue_slip(&calls, &titles[0]).await }
    })
    .await;
    assert!(same.iter().all(|slip| *slip == same[0]), "{same:?}");
    let all = eight_at_once(|at| {
        let (calls, titles) = (Arc::clone(&calls), Arc::clone(&titles));
        async move { issue_slip(&calls, &titles[at]).await }
    })
    .await;
    let barcodes: std::collections::BTreeSet<&str> =
        all.iter().map(|slip| slip["codigoBarras"].as_str().unwrap()).collect();
    assert_eq!((barcodes.len(), calls.count("slips").await), (8, 8));
}

#[both_engines]
async fn a_repeated_key_gets_the_first_answer_and_an_issue_is_audited_once(world: World) {
    let calls = scene(world).await;
    give_agreement(&calls, &calls.administrator).await;
    let bearer = format!("Bearer {}", calls.administrator);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "boleto-1")];
    let far = address(&json!({"codTitulo": 1}));
    let first = calls.server().call("POST", &far, &headers, "").await;
    let again = calls.server().call("POST", &far, &headers, "").await;
    assert_eq!((first.status, again.json()), (200, first.json()));
    assert_eq!(again.header("idempotency-replayed"), Some("true"), "{again:?}");
    let told = calls.audited(&FAR_MEMBER.to_string()).await;
    let details: Vec<&str> = told.iter().filter_map(|one| one["detalhe"].as_str()).collect();
    let issued = details.iter().filter(|one| one.starts_with("título 1 teve um boleto emitido: R$ 101,20"));
    assert_eq!(issued.count(), 1, "{details:?}");
}

#[both_engines]
async fn a_link_opens_the_pdf_without_a_credential_until_it_expires(world: World) {
    let mut calls = scene(world).await;
    give_agreement(&calls, &calls.administrator).await;
    let made = calls.issue(json!({})).await;
    let slip = issue_slip(&calls, &made).await;
    let pdf = open(&calls, &slip).await;
    let Whole { head, bytes } = pdf;
    assert_eq!((head.status, head.header("content-type")), (200, Some("application/pdf")), "{head:?}");
    assert!(bytes.starts_with(b"%PDF-"));
    assert_eq!(head.header("content-disposition"), Some("inline; filename=\"boleto-2.pdf\""));
    assert_eq!(head.header("x-robots-tag"), Some("noindex, nofollow, noarchive"));
    // The due day and sixty more.
    calls.pass_days(26 + 60).await;
    assert_eq!(open(&calls, &slip).await.head.status, 404);
    let old = calls.read(&calls.operator, &address(&made), &[]).await;
    assert_eq!((&old["codBoleto"], &old["urlPdf"]), (&slip["codBoleto"], &json!("")));
    let again = issue_slip(&calls, &made).await;
    assert_eq!(open(&calls, &again).await.head.status, 200);
}

#[both_engines]
async fn wrong_bank_data_is_refused_when_the_account_is_registered(world: World) {
    let calls = scene(world).await;
    let by = &calls.administrator;
    for (change, fields) in [
        (json!({"agencia": "1234-5"}), &["agencia"][..]),
        (json!({"agencia": "1234", "conta": null}), &["agencia", "conta"][..]),
        (json!({"convenio": "12387", "variacao": null}), &["convenio", "variacao"][..]),
        (json!({"carteira": "99"}), &["carteira"][..]),
        (json!({"bancoBoleto": null}), &["bancoBoleto"][..]),
        (json!({"bancoBoleto": "BANCO"}), &["bancoBoleto"][..]),
        (
            json!({"nomeBeneficiario": null, "enderecoBeneficiario": ""}),
            &["nomeBeneficiario", "enderecoBeneficiario"][..],
        ),
        (json!({"documentoBeneficiario": "11.222.333/0001-80"}), &["documentoBeneficiario"][..]),
    ] {
        let body = agreement(with(change.clone(), json!({"versao": 1})));
        let refused = calls.put(by, BANK, &body).await;
        let told = refused.refuses(400);
        assert!(fields.iter().all(|field| told_about(told, field)), "{change}: {told}");
        assert_eq!(told.lines().count(), fields.len(), "{change}: {told}");
    }
    let cash = calls.put(by, CASH_BOX, &agreement(json!({"versao": 1}))).await;
    assert!(told_about(cash.refuses(400), "bancoBoleto"), "{cash:?}");
    give_agreement(&calls, by).await;
}
