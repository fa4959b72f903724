//! `/ext/crm/negocio`: how deals are found and by whom, their dependents, and the whole way from a lead to a member.

use crate::calls::{
    BENEFITS, CAR_PLAN, Calls, DEALS, HEALTH_PLAN, INACTIVE_PLAN, LEADS, MEMBERS, array, cpf, each, health,
    told_about, with,
};
use crate::contract::crm_deals::lead;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

fn dependents(deal: &Value) -> String {
    format!("{DEALS}/{deal}/dependente")
}

#[both_engines]
async fn open_deals_are_found_by_everything_that_is_asked_for(world: World) {
    let calls = Calls::on(world).await;
    for number in [3, 1, 2] {
        calls.deal(lead(number)).await;
    }
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    calls.deal(json!({"codLead": 1, "codUsuarioResponsavel": calls.world.integration.code.get()})).await;
    let codes = async |query: &[(&str, &str)]| {
        let found = calls.deals(query).await;
        found.iter().map(|one| one["codNegocio"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]).await, [2, 3, 1, 4], "by name, then code");
    assert_eq!(codes(&[("codLead", "1")]).await, [1, 4]);
    assert_eq!(codes(&[("filtro", "LEAD d")]).await, [1, 4]);
    assert_eq!(codes(&[("filtro", &cpf(2))]).await, [3]);
    assert_eq!(codes(&[("filtro", "l1@x.example")]).await, [2]);
    assert_eq!(codes(&[("filtro", "(11)98765-4323")]).await, [1, 4]);
    assert_eq!(codes(&[("filtro", "4")]).await, [4], "its sequence number");
    let program = calls.world.integration.code.to_string();
    assert_eq!(codes(&[("codUsuarioResponsavel", &program)]).await, [4]);
    assert_eq!(codes(&[("dataInicial", "2026-11-15")]).await, [4]);
    assert_eq!(codes(&[("dataInicial", "2026-11-14"), ("dataFinal", "2026-11-14")]).await, [2, 3, 1]);
    assert_eq!(codes(&[("dataFinal", "2026-11-13")]).await, [0; 0]);
    assert_eq!(codes(&[("dataInicial", "2026-11-16"), ("dataFinal", "2026-11-14")]).await, [0; 0]);
    assert_eq!(codes(&[("codLoja", "2")]).await.len(), 4);
    let all = [
        ("codLead", "1"),
        ("filtro", "lead"),
        ("dataInicial", "2026-11-14"),
        ("dataFinal", "2026-11-14"),
        ("codLoja", "2"),
    ];
    assert_eq!(codes(&all).await, [1]);
    assert_eq!(codes(&[("codLead", "1"), ("codUsuarioResponsavel", &program)]).await, [4]);
    for nothing in
        [("filtro", "ninguem"), ("filtro", "99"), ("codLead", "99"), ("codUsuarioResponsavel", "99")]
    {
        assert_eq!(codes(&[nothing]).await, [0; 0], "{nothing:?}");
    }
    assert_eq!(codes(&[("filtro", ""), ("dataInicial", ""), ("codLead", "")]).await.len(), 4);
    // With a lead or a responsible, the filter still counts, whatever it is.
    for (filter, of_lead, of_user) in [
        ("LEAD d", vec![1, 4], vec![4]),
        ("lead b", vec![], vec![]),
        (&*cpf(3), vec![1, 4], vec![4]),
        (&*cpf(2), vec![], vec![]),
        ("4", vec![4], vec![4]),
        ("(11)98765-4323", vec![1, 4], vec![4]),
        ("--", vec![], vec![]),
    ] {
        assert_eq!(codes(&[("filtro", filter), ("codLead", "1")]).await, of_lead, "{filter}");
        assert_eq!(
            codes(&[("filtro", filter), ("codUsuarioResponsavel", &program)]).await,
            of_user,
            "{filter}"
        );
    }
}

#[both_engines]
async fn a_number_in_a_name_is_searched_beside_the_sequence(world: World) {
    let calls = Calls::on(world).await;
    calls.deal(lead(1)).await;
    calls.deal(with(lead(2), json!({"nome": "Oficina 1 de Maio 52998224725"}))).await;
    let codes = async |filter: &str| each(&calls.deals(&[("filtro", filter)]).await, "codNegocio");
    assert_eq!(codes("1").await, [1, 2], "of the first the sequence, of the second the name");
    assert_eq!(codes("52998224725").await, [2]);
    assert_eq!(each(&calls.leads(&[("filtro", "52998224725")]).await, "codLead"), [2]);
}

#[both_engines]
async fn dates_of_the_deal_search_have_one_form_and_are_real(world: World) {
    let calls = Calls::on(world).await;
    for bad in ["14/11/2026", "2026-02-31", "2026-1-1", "2026-11-14 ", "x"] {
        for field in ["dataInicial", "dataFinal"] {
            let reply = calls.get(&calls.operator, DEALS, &[(field, bad)]).await;
            assert!(told_about(reply.refuses(400), field), "{field}={bad}: {reply:?}");
        }
    }
    let query = [("dataInicial", "x"), ("dataFinal", "y"), ("codLead", "z"), ("codLoja", "w")];
    let reply = calls.get(&calls.operator, DEALS, &query).await;
    for (field, _) in query {
        assert!(told_about(reply.refuses(400), field), "{reply:?}");
    }
}

#[both_engines]
async fn deals_out_of_reach_answer_like_unknown_ones(world: World) {
    let calls = Calls::on(world).await;
    let health = json!({"codLoja": 1, "planos": [HEALTH_PLAN]});
    let there = calls.saved(&calls.administrator, DEALS, &with(lead(1), health)).await;
    let code = &there["codNegocio"];
    let child = json!({"nome": "Bia", "parentesco": "FILHO"});
    let child = calls.saved(&calls.administrator, &dependents(code), &child).await;
    calls.saved(&calls.stranger, DEALS, &with(lead(1), json!({"nome": "Lead Ali"}))).await;
    for query in [
        vec![],
        vec![("filtro", "lead")],
        vec![("filtro", "1")],
        vec![("codLead", "1")],
        vec![("codLoja", "1")],
    ] {
        assert_eq!(calls.deals(&query).await, Vec::<Value>::new(), "{query:?}");
    }
    let mine = array(&calls.read(&calls.stranger, DEALS, &[]).await);
    assert_eq!(each(&mine, "nomePessoa"), ["Lead Ali"]);
    let put =
        async |path: String, body: Value| calls.server().put(&path, &calls.operator, &body.to_string()).await;
    for unknown in [code, &json!(99)] {
        let path = format!("{DEALS}/{unknown}");
        calls.get(&calls.operator, &path, &[]).await.refuses(404);
        put(path.clone(), json!({"titulo": "x"})).await.refuses(404);
        // What was sent is judged before the code in the path.
        put(path.clone(), json!({"codFunil": 99})).await.refuses(400);
        put(path.clone(), json!({"situacao": "Aberto", "motivoPerda": "Caro"})).await.refuses(400);
        // Whether it is lost, nobody can say of a deal that is not there.
        put(path.clone(), json!({"motivoPerda": "Caro"})).await.refuses(404);
        put(path.clone(), json!({"motivoPerda": "Caro", "situacao": null})).await.refuses(404);
        let one = json!({"nome": "Eva", "parentesco": "FILHO"});
        calls.post(&calls.operator, &dependents(unknown), &one).await.refuses(404);
        calls.post(&calls.operator, &dependents(unknown), &json!({"nome": "Eva"})).await.refuses(400);
        put(format!("{path}/dependente/{}", child["codDependente"]), one).await.refuses(404);
    }
    assert_eq!(calls.get(&calls.operator, &format!("{DEALS}/x"), &[]).await.status, 400);
    // A deal in his store shows its lead, wherever that is.
    let mixed = json!({"codLead": there["codLead"], "codLoja": 2});
    let mixed = calls.saved(&calls.administrator, DEALS, &mixed).await;
    let whole = calls.whole(&mixed["codNegocio"]).await;
    assert_eq!((&whole["lead"]["codLoja"], &whole["lead"]["negociosAbertos"]), (&json!(1), &json!(1)));
    assert_eq!(each(&calls.deals(&[("filtro", "lead")]).await, "codNegocio"), [mixed["codNegocio"].clone()]);
    calls.change(&mixed["codNegocio"], json!({"codLead": there["codLead"], "titulo": "x"})).await.json();
}

#[both_engines]
async fn dependents_belong_to_deals_about_health(world: World) {
    let calls = Calls::on(world).await;
    let car = calls.deal(with(lead(1), json!({"planos": [CAR_PLAN]}))).await["codNegocio"].clone();
    let bare = calls.deal(lead(2)).await["codNegocio"].clone();
    let child = json!({"nome": "Bia", "parentesco": "FILHO"});
    for deal in [&car, &bare] {
        calls.post(&calls.operator, &dependents(deal), &child).await.refuses(409);
    }
    calls.change(&bare, json!({"tipoBeneficio": "SAUDE"})).await;
    let saved = calls.saved(&calls.operator, &dependents(&bare), &child).await;
    assert_eq!(
        saved,
        json!({"codDependente": 1, "nome": "Bia", "cpf": null, "dataNascimento": null, "sexo": null,
            "parentesco": "FILHO", "planos": [], "valor": null, "telefone": null, "email": null})
    );
    let full = json!({"nome": "Ana", "cpf": cpf(7), "dataNascimento": "25/03/2015", "sexo": "Feminino",
        "parentesco": "CONJUGE", "planos": [HEALTH_PLAN], "valor": 89.9, "telefone": "1133334444", "email": "A@x.example"});
    let ana = calls.saved(&calls.operator, &dependents(&bare), &full).await;
    assert_eq!((&ana["cpf"], &ana["dataNascimento"]), (&json!(cpf(7)), &json!("2015-03-25")));
    assert_eq!((&ana["telefone"], &ana["planos"]), (&json!("(11)3333-4444"), &json!([HEALTH_PLAN])));
    let whole = calls.whole(&bare).await;
    assert_eq!(array(&whole["dependentes"]), [ana, saved], "by name");
}

#[both_engines]
async fn a_dependent_of_a_deal_is_changed_field_by_field(world: World) {
    let calls = Calls::on(world).await;
    let deal = calls.deal(with(lead(1), json!({"planos": [HEALTH_PLAN]}))).await["codNegocio"].clone();
    let body = json!({"nome": "Bia", "parentesco": "FILHO", "sexo": "Feminino", "planos": [HEALTH_PLAN], "valor": 10});
    let saved = calls.saved(&calls.operator, &dependents(&deal), &body).await;
    let path = format!("{}/{}", dependents(&deal), saved["codDependente"]);
    let put = async |body: Value| calls.server().put(&path, &calls.operator, &body.to_string()).await;
    assert_eq!(put(json!({})).await.json(), saved);
    assert_eq!(put(saved.clone()).await.json(), saved, "what it gives is taken back");
    let changed = put(json!({"nome": "Bia Prado", "valor": null, "planos": null, "sexo": ""})).await.json();
    assert_eq!(changed, with(saved, json!({"nome": "Bia Prado", "valor": null, "planos": []})));
    for (given, shown) in [("F", json!("Feminino")), ("Outro", json!("Feminino")), ("M", json!("Masculino"))]
    {
        assert_eq!(put(json!({"sexo": given})).await.json()["sexo"], shown, "{given}");
    }
    for (bad, field) in [
        (json!({"nome": null}), "nome"),
        (json!({"parentesco": null}), "parentesco"),
        (json!({"parentesco": "VIZINHO"}), "parentesco"),
        (json!({"planos": [INACTIVE_PLAN]}), "planos"),
        (json!({"cpf": "11.222.333/0001-81"}), "cpf"),
        (json!({"dataNascimento": "31/02/2015"}), "dataNascimento"),
    ] {
        let reply = put(bad).await;
        assert!(told_about(reply.refuses(400), field), "{field}: {reply:?}");
    }
    let told = calls.refused(&dependents(&deal), &json!({"planos": [99], "sexo": "X"})).await;
    for field in ["nome", "parentesco", "planos", "sexo"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    let other = format!("{}/99", dependents(&deal));
    calls.server().put(&other, &calls.operator, "{}").await.refuses(404);
    let odd = format!("{DEALS}/x/dependente/y");
    let reply = calls.server().put(&odd, &calls.operator, "{}").await;
    assert!(
        told_about(reply.refuses(400), "codNegocio") && told_about(&reply.body, "codDependente"),
        "{reply:?}"
    );
}

#[both_engines]
async fn writes_and_reads_of_deals_are_audited_with_the_leads_person(world: World) {
    let calls = Calls::on(world).await;
    let deal = calls.deal(with(lead(1), json!({"planos": [HEALTH_PLAN]}))).await["codNegocio"].clone();
    calls.change(&deal, json!({"titulo": "x"})).await;
    calls.change(&deal, json!({"titulo": "x"})).await;
    calls.saved(&calls.operator, &dependents(&deal), &json!({"nome": "Bia", "parentesco": "FILHO"})).await;
    calls.deals(&[]).await;
    calls.whole(&deal).await;
    let entries = calls.audited("1").await;
    let (changes, looks): (Vec<Value>, Vec<Value>) =
        entries.into_iter().partition(|one| one["tipo"] == "alteracao");
    assert_eq!(
        each(&changes, "detalhe"),
        ["lead 1 criado", "negócio 1 criado", "negócio 1 alterado", "negócio 1 dependente 1 criado"]
    );
    let mut seen: Vec<String> = each(&looks, "operacao").iter().map(ToString::to_string).collect();
    seen.sort_unstable();
    let expected = [
        "\"GET /ext/crm/negocio\"",
        "\"GET /ext/crm/negocio/{codNegocio}\"",
        "\"PUT /ext/crm/negocio/{codNegocio}\"",
    ];
    assert_eq!(seen, expected);
}

#[both_engines]
async fn one_key_makes_one_deal_and_eight_at_once_eight(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let bearer = format!("Bearer {}", calls.operator);
    let body = lead(1).to_string();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "uma chave"),
    ];
    let first = calls.server().call("POST", DEALS, &headers, &body).await;
    let again = calls.server().call("POST", DEALS, &headers, &body).await;
    assert_eq!(
        (first.body.as_str(), again.header("idempotency-replayed")),
        (again.body.as_str(), Some("true"))
    );
    let made = testkit::eight_at_once(|_| {
        let calls = std::sync::Arc::clone(&calls);
        async move { calls.deal(json!({"codLead": 1})).await["sequencial"].as_i64().unwrap() }
    })
    .await;
    let mut made = made;
    made.sort_unstable();
    assert_eq!(made, (2..=9).collect::<Vec<_>>());
    assert_eq!((calls.count("deals").await, calls.count("leads").await), (9, 1));
}

#[both_engines]
async fn a_lead_goes_from_the_form_of_a_website_to_a_member_with_a_benefit(world: World) {
    let calls = Calls::on(world).await;
    let form = json!({"nome": "Ana Prado", "email": "ana@x.example", "telefone": "(11)98765-4321",
        "mensagem": "Quero um plano de saúde", "origem": "Site"});
    let lead = calls.saved(&calls.operator, LEADS, &form).await;
    assert_eq!(lead["cpfCnpj"], Value::Null);
    let deal = json!({"codLead": lead["codLead"], "titulo": "Saúde da Ana", "planos": [HEALTH_PLAN]});
    let deal = calls.deal(deal).await["codNegocio"].clone();
    calls.change(&deal, json!({"codEtapa": 3})).await;
    // She tells her document on the telephone.
    let known = json!({"nome": "Ana Prado", "email": "ana@x.example", "cpfCnpj": cpf(1)});
    let same = calls.saved(&calls.operator, LEADS, &known).await;
    assert_eq!((&same["codLead"], &same["codPessoa"]), (&lead["codLead"], &lead["codPessoa"]));
    let member =
        calls.saved(&calls.operator, MEMBERS, &json!({"nomePessoa": "Ana Prado", "cpfCnpj": cpf(1)})).await;
    assert_eq!(member["codPessoa"], lead["codPessoa"]);
    assert_eq!(calls.rows(&[("nome", "ana prado")]).await.len(), 1, "a member without a benefit");
    let benefit = calls.saved(&calls.operator, BENEFITS, &health(1, json!({"ativo": true}))).await;
    let won = calls.change(&deal, json!({"codEtapa": 5, "situacao": "Ganho"})).await.json();
    assert_eq!(won["situacao"], "Ganho");
    assert_eq!(calls.deals(&[]).await, Vec::<Value>::new());
    let rows = calls.rows(&[("cpf", &cpf(1))]).await;
    assert_eq!((rows.len(), &rows[0]["codBeneficio"]), (1, &benefit["codBeneficio"]));
    assert_eq!((&rows[0]["situacao"], &rows[0]["email"]), (&json!("ATIVO"), &json!("ana@x.example")));
    let found = calls.leads(&[("filtro", "ana@x.example")]).await;
    assert_eq!((&found[0]["codPessoa"], &found[0]["negociosAbertos"]), (&lead["codPessoa"], &json!(0)));
    let history = array(&calls.whole(&deal).await["historico"]);
    assert_eq!(each(&history, "nomeEtapa"), ["Novo contato", "Proposta enviada", "Fechamento"]);
}
