//! `/gestao/helpDesk`: what tickets have of their own.

use crate::calls::told_about;
use crate::gestao::case_scene::{CAR, INACTIVE_TICKET_TYPE, MEMBER, TICKET_TYPE, outbox, scene};
use serde_json::json;
use testkit::{World, both_engines};

const TICKETS: &str = "/gestao/helpDesk";

#[both_engines]
async fn a_ticket_with_everything_byte_for_byte(world: World) {
    let calls = scene(world).await;
    let receiver = json!({"endereco": "https://erp.example", "entidades": ["helpDesk"]});
    calls.saved(&calls.administrator, "/gestao/receptor", &receiver).await;
    let body = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codTipoHelpDesk": TICKET_TYPE, "prioridade": "Baixa",
        "descricao": "Segunda via do boleto.", "codResponsavel": calls.world.operator.code.get()});
    let opened = calls.post(&calls.operator, TICKETS, &body).await;
    assert_eq!(opened.body, include_str!("golden/help_desk.json").trim_end());
    assert_eq!(calls.get(&calls.operator, "/gestao/helpDesk/1", &[]).await.body, opened.body);
    let sent = outbox(&calls).await;
    assert_eq!(sent, [(include_str!("golden/gatilho_help_desk.json").trim_end().to_owned(), 1)]);
}

#[both_engines]
async fn a_ticket_that_names_no_priority_has_that_of_its_type(world: World) {
    let calls = scene(world).await;
    let body = json!({"codPessoa": MEMBER, "codTipoHelpDesk": TICKET_TYPE});
    assert_eq!(calls.saved(&calls.operator, TICKETS, &body).await["prioridade"], "Alta");
    let changed = calls
        .put(&calls.operator, "/gestao/helpDesk/1", &json!({"versao": 1, "prioridade": "Urgente"}))
        .await;
    assert_eq!(changed.json()["prioridade"], "Urgente");
    let bad = json!({"codPessoa": MEMBER, "codTipoHelpDesk": INACTIVE_TICKET_TYPE});
    assert!(told_about(&calls.refused(TICKETS, &bad).await, "codTipoHelpDesk"));
    assert!(told_about(&calls.refused(TICKETS, &json!({"codPessoa": MEMBER})).await, "codTipoHelpDesk"));
}
