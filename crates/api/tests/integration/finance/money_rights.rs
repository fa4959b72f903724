//! Who may see, settle and close.

use crate::calls::Calls;
use crate::finance::charging_scene::{in_branch, run_of};
use crate::finance::revision::{REVISION_OF_NOTHING, REVISIONS};
use crate::finance::scene::{
    CAR, CASH, CLOSE, EXPENSE, MANAGED, MEMBER, PERIODS, REOPEN, SETTLE, TITLES, managed, scene, title,
};
use api::list_operations;
use serde_json::{Value, json};
use testkit::{Reply, World, both_engines};

/// Gives the operator these rights and no others.
async fn give(calls: &Calls, rights: &[&str]) {
    let path = format!("/gestao/usuario/{}", calls.world.operator.code);
    let version = calls.read(&calls.administrator, &path, &[]).await["versao"].clone();
    let body = json!({"versao": version, "permissoesFinanceiras": rights});
    let reply = calls.put(&calls.administrator, &path, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
}

/// Which right an operation needs besides that to see.
#[derive(Clone, Copy, PartialEq)]
enum Needs {
    Sight,
    Settling,
    Closing,
    Approval,
}

/// The operations on charging runs: one that is prepared, one more of them, and one that is issued.
fn charging_operations([first, second, issued]: [i32; 3]) -> Vec<(Needs, &'static str, String, Value)> {
    use Needs::{Approval, Settling, Sight};
    let runs = "/gestao/financeiro/cobranca";
    let reason = json!({"motivo": "prova de direito"});
    let revision = format!("{REVISIONS}/{CAR}");
    let nothing = json!({"conferencia": REVISION_OF_NOTHING});
    vec![
        (Settling, "POST", runs.to_owned(), json!({"mes": "02/2027", "codLoja": 2})),
        (Sight, "GET", runs.to_owned(), Value::Null),
        (Sight, "GET", format!("{runs}/{first}"), Value::Null),
        (Sight, "GET", format!("{runs}/{first}/beneficio"), Value::Null),
        (Sight, "GET", format!("{runs}/{first}/mantido"), Value::Null),
        (Sight, "GET", "/gestao/financeiro/resumo".to_owned(), Value::Null),
        (Approval, "PUT", format!("{runs}/{first}/aprovar"), json!({})),
        (Settling, "PUT", format!("{runs}/{second}/descartar"), json!({})),
        (Approval, "PUT", format!("{runs}/{issued}/desfazer"), reason.clone()),
        (Sight, "GET", REVISIONS.to_owned(), Value::Null),
        (Sight, "GET", revision.clone(), Value::Null),
        (Settling, "PUT", format!("{revision}/aplicar"), nothing),
        (Settling, "PUT", format!("{revision}/manter"), reason),
    ]
}

/// Every operation on titles and months with what it needs, its address and a body that is right.
fn operations(
    open: &Value,
    settlement: &Value,
    (waiting, credited): (&Value, &Value),
) -> Vec<(Needs, &'static str, String, Value)> {
    use Needs::{Approval, Closing, Settling, Sight};
    let reason = json!({"motivo": "prova de direito"});
    let desk = json!({"codPessoa": MEMBER, "codTipoTitulo": 1, "valor": 5});
    let pay = json!({"codTitulo": open["codTitulo"], "valorPago": 1, "codTipoLiquidacao": CASH});
    let receive = json!({"valorPago": 1, "codTipoLiquidacao": CASH});
    let credit = json!({"codPessoa": MEMBER, "valor": 5, "codTipoLiquidacao": CASH, "codGrupo": 1});
    let due = json!({"vencimento": "2027-01-10", "motivo": "pedido"});
    let code = &open["codTitulo"];
    let discounts = format!("/gestao/financeiro/beneficio/{CAR}/desconto");
    let grant = json!({"codDesconto": 1, "desdeMes": "12/2026", "motivo": "prova de direito"});
    let end = json!({"ateMes": "12/2026", "motivo": "prova de direito"});
    let nothing = json!({"codPlano": 31337, "quantidade": 0, "total": 0, "totalTabela": 0});
    vec![
        (Sight, "GET", format!("{TITLES}?tipo=Credito"), Value::Null),
        (Settling, "POST", TITLES.to_owned(), title(json!({}))),
        (Sight, "GET", format!("{TITLES}/{code}"), Value::Null),
        (Sight, "POST", format!("{TITLES}/{code}/pix"), Value::Null),
        (Sight, "GET", format!("{TITLES}/boleto"), Value::Null),
        (Sight, "POST", format!("{TITLES}/{code}/boleto"), Value::Null),
        (Sight, "GET", format!("{TITLES}/{code}/boleto"), Value::Null),
        (Settling, "POST", SETTLE.to_owned(), pay),
        (Settling, "POST", MANAGED.to_owned(), desk),
        (Sight, "GET", managed(open, ""), Value::Null),
        (Settling, "POST", managed(open, "/receber"), receive),
        (Settling, "PUT", managed(open, "/vencimento"), due),
        (Settling, "PUT", managed(waiting, "/liberar"), reason.clone()),
        (Settling, "PUT", format!("/gestao/financeiro/liquidacao/{settlement}/estornar"), reason.clone()),
        (Settling, "PUT", managed(waiting, "/cancelar"), reason.clone()),
        (Sight, "GET", format!("/gestao/financeiro/associado/{MEMBER}"), Value::Null),
        (Sight, "GET", format!("/gestao/financeiro/credito?codPessoa={MEMBER}"), Value::Null),
        (Settling, "POST", "/gestao/financeiro/credito".to_owned(), credit.clone()),
        (Settling, "POST", "/gestao/financeiro/credito/devolver".to_owned(), credit),
        (Settling, "PUT", "/gestao/financeiro/credito/1/estornar".to_owned(), reason.clone()),
        (Sight, "GET", "/gestao/financeiro/lancamento".to_owned(), Value::Null),
        (
            Settling,
            "POST",
            "/gestao/financeiro/lancamento".to_owned(),
            json!({"codPessoa": MEMBER, "codItemCobranca": 5, "valor": 5}),
        ),
        (Settling, "POST", "/gestao/financeiro/lancamento/1/emitir".to_owned(), json!({})),
        (Settling, "PUT", "/gestao/financeiro/lancamento/2/cancelar".to_owned(), reason.clone()),
        (Settling, "POST", managed(credited, "/usarCredito"), json!({})),
        (Sight, "GET", discounts.clone(), Value::Null),
        (Settling, "POST", discounts.clone(), grant),
        (Settling, "PUT", format!("{discounts}/1/encerrar"), end),
        (Sight, "GET", "/gestao/financeiro/valorCombinado".to_owned(), Value::Null),
        (Approval, "POST", "/gestao/financeiro/valorCombinado/tabela".to_owned(), nothing),
        (Sight, "GET", PERIODS.to_owned(), Value::Null),
        (Closing, "POST", CLOSE.to_owned(), json!({"mes": "10/2026"})),
        (Closing, "POST", REOPEN.to_owned(), reason),
    ]
}

async fn call(calls: &Calls, token: &str, method: &str, path: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let text = if body.is_null() { String::new() } else { body.to_string() };
    calls.server().call(method, path, &headers, &text).await
}

#[both_engines]
async fn each_right_opens_what_it_names_and_nothing_else(world: World) {
    let calls = scene(world).await;
    let open = calls.issue(json!({})).await;
    let settlement = calls.settle(&open, 3.0).await["liquidacoes"][0]["codLiquidacao"].clone();
    let waits = json!({"codTipoTitulo": EXPENSE, "aguardarLiberacao": true});
    let waiting = calls.issue_managed(waits).await.remove(0);
    // A title that the credit of another one pays.
    let overpaid = calls.issue(json!({})).await;
    calls.settle(&overpaid, 500.0).await;
    let credited = calls.issue(json!({})).await;
    let discount = json!({"nome": "Cortesia", "percentual": 10});
    calls.saved(&calls.administrator, "/gestao/desconto", &discount).await;
    let issued = calls.issue_run(in_branch(run_of("2026-12"), 2)).await.run.code;
    let [first, second] = [
        calls.prepare(in_branch(run_of("2027-01"), 2)).await,
        calls.prepare(in_branch(run_of("2027-01"), 2)).await,
    ];
    let runs = [first.run.code, second.run.code, issued].map(domain::ChargingRunCode::get);
    // The first of two lines gets a title, the second one is cancelled.
    let line = json!({"codPessoa": MEMBER, "codItemCobranca": 5, "valor": 5});
    calls.saved(&calls.operator, "/gestao/financeiro/lancamento", &line).await;
    crate::finance::slips::give_agreement(&calls, &calls.administrator).await;
    crate::finance::slips::give_pix_key(&calls).await;
    let mut all = operations(&open, &settlement, (&waiting, &credited));
    all.extend(charging_operations(runs));
    let known = list_operations().iter().filter(|one| one.path.contains("/financeiro/"));
    // Registers are for everybody, and the books for nobody who sees one branch alone.
    let elsewhere = ["tipoTitulo", "formaPagamento", "tipoLiquidacao", "balancete", "razao"];
    let known = known.filter(|one| !elsewhere.iter().any(|name| one.path.ends_with(name)));
    assert_eq!(known.count(), all.len(), "every operation on titles and months is here");
    let rows = [
        (&[][..], &[][..]),
        (&["LIQUIDAR", "APROVAR", "FECHAR"], &[]),
        (&["VER", "APROVAR"], &[Needs::Sight, Needs::Approval]),
        (&["VER", "LIQUIDAR"], &[Needs::Sight, Needs::Settling]),
        (&["VER", "FECHAR"], &[Needs::Sight, Needs::Closing]),
    ];
    for (rights, may) in rows {
        give(&calls, rights).await;
        for (needs, method, path, body) in &all {
            let reply = call(&calls, &calls.operator, method, path, body).await;
            if may.contains(needs) {
                assert_eq!(reply.status, 200, "{rights:?} {method} {path}: {reply:?}");
            } else {
                reply.refuses(403);
            }
        }
        // What was done is done: a second time it would be a conflict.
        if may.contains(&Needs::Settling) {
            assert_eq!(calls.managed(&waiting).await["situacao"], "CANCELADO");
        }
    }
}

#[both_engines]
async fn the_registers_of_money_are_for_everybody(world: World) {
    let calls = scene(world).await;
    give(&calls, &[]).await;
    for register in ["tipoTitulo", "formaPagamento", "tipoLiquidacao"] {
        let listed = calls.read(&calls.operator, &format!("/ext/financeiro/{register}"), &[]).await;
        assert!(!listed.as_array().unwrap().is_empty(), "{register}");
    }
    calls.get(&calls.operator, TITLES, &[("tipo", "Crédito")]).await.refuses(403);
}

#[both_engines]
async fn a_program_has_no_management_and_nobody_is_let_in_without_a_token(world: World) {
    let calls = scene(world).await;
    let open = calls.issue(json!({})).await;
    let mut all = operations(&open, &json!(1), (&open, &open));
    all.extend(charging_operations([1, 2, 3]));
    for (_, method, path, body) in all {
        if path.starts_with("/gestao/") {
            call(&calls, &calls.integration, method, &path, &body).await.refuses(403);
        }
        let headers = [("Content-Type", "application/json")];
        calls.server().call(method, &path, &headers, &body.to_string()).await.refuses(401);
    }
    assert_eq!(calls.count("titles").await, 2);
    assert_eq!(calls.count("settlements").await, 0);
}
