//! `/ext/crm/funil` and `/ext/crm/lead`: who may become a member.

use crate::calls::{BENEFITS, Calls, FUNNELS, LEADS, MEMBERS, array, cpf, each, health, told_about, with};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const PHONE: &str = "(11)98765-4321";

#[both_engines]
async fn active_funnels_come_by_name_with_their_active_stages_in_order(world: World) {
    let calls = Calls::on(world).await;
    let funnels = array(&calls.read(&calls.operator, FUNNELS, &[]).await);
    assert_eq!(each(&funnels, "nome"), ["Empresas", "Vendas"], "without the one no longer used");
    assert_eq!(each(&funnels, "codFunil"), [json!(2), json!(1)]);
    let stages =
        |funnel: &Value| (each(&array(&funnel["etapas"]), "nome"), each(&array(&funnel["etapas"]), "ordem"));
    assert_eq!(stages(&funnels[0]), (vec![json!("Visita"), json!("Contrato")], vec![json!(1), json!(2)]));
    let (names, order) = stages(&funnels[1]);
    assert_eq!(names, ["Novo contato", "Qualificação", "Proposta enviada", "Negociação", "Fechamento"]);
    assert_eq!(order, [1, 2, 3, 4, 5]);
    let there = array(&calls.read(&calls.stranger, FUNNELS, &[]).await);
    assert_eq!(each(&there, "nome"), ["Novo Ali", "Só Ali", "Vendas Ali"]);
    assert_eq!(array(&there[2]["etapas"]).len(), 4);
}

#[both_engines]
async fn a_lead_is_saved_with_what_he_told_and_found_again(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"nome": "Ana Prado", "documento": cpf(1), "telefone": PHONE, "email": "Ana@X.example",
        "empresa": "Padaria", "cidade": "Santos", "uf": "sp", "mensagem": "Oi\nmeu carro", "origem": "Site",
        "codConsultor": 1});
    let saved = calls.saved(&calls.operator, LEADS, &body).await;
    assert_eq!(
        (&saved["codLead"], &saved["codLoja"], &saved["cpfCnpj"]),
        (&json!(1), &json!(2), &json!(cpf(1)))
    );
    let found = calls.leads(&[]).await;
    assert_eq!(found.len(), 1);
    for (field, value) in [
        ("nomePessoa", json!("Ana Prado")),
        ("email", json!("ana@x.example")),
        ("telefoneCelular", json!(PHONE)),
        ("telefoneFixo", Value::Null),
        ("empresa", json!("Padaria")),
        ("cidade", json!("Santos")),
        ("uf", json!("SP")),
        ("mensagem", json!("Oi\nmeu carro")),
        ("origem", json!("Site")),
        ("nomeLoja", json!("Filial Norte")),
        ("dataCadastro", json!("2026-11-14")),
        ("negociosAbertos", json!(0)),
    ] {
        assert_eq!(found[0][field], value, "{field}");
    }
    assert_eq!(found[0]["codPessoa"], saved["codPessoa"]);
}

#[both_engines]
async fn the_fields_of_a_lead_with_two_names_take_either_and_refuse_two_values(world: World) {
    let calls = Calls::on(world).await;
    let other = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "telefones": [{"numero": PHONE}]});
    let saved = calls.saved(&calls.operator, LEADS, &other).await;
    let both = with(other, json!({"nome": "Ana", "documento": cpf(1), "telefone": "11 98765 4321"}));
    assert_eq!(calls.saved(&calls.operator, LEADS, &both).await, saved);
    for (field, value) in
        [("nome", json!("Eva")), ("documento", json!(cpf(2))), ("telefone", json!("1133334444"))]
    {
        let told = calls.refused(LEADS, &with(both.clone(), json!({field: value}))).await;
        assert!(told_about(&told, field), "{field}: {told}");
    }
    let one = json!({"nome": "Ana", "telefone": PHONE, "telefones": []});
    assert_eq!(
        calls.saved(&calls.operator, LEADS, &one).await,
        saved,
        "an empty list beside a telephone says nothing"
    );
    // As programs write who send every name: what is not used is null.
    for (names, nulls) in [
        (
            json!({"nomePessoa": "Ana", "documento": cpf(1), "telefones": [{"numero": PHONE}]}),
            ["nome", "cpfCnpj", "telefone"],
        ),
        (
            json!({"nome": "Ana", "cpfCnpj": cpf(1), "telefone": PHONE}),
            ["nomePessoa", "documento", "telefones"],
        ),
    ] {
        let every = nulls.into_iter().fold(names, |body, name| with(body, json!({name: null})));
        assert_eq!(calls.saved(&calls.operator, LEADS, &every).await, saved, "{every}");
    }
    let cleared =
        json!({"nome": "Ana", "email": "a@x.example", "telefone": PHONE, "documento": null, "cpfCnpj": null});
    assert_eq!(
        calls.saved(&calls.operator, LEADS, &cleared).await["cpfCnpj"],
        Value::Null,
        "null in both clears"
    );
}

#[both_engines]
async fn a_lead_needs_a_name_and_something_to_be_known_by(world: World) {
    let calls = Calls::on(world).await;
    let told = calls.refused(LEADS, &json!({"origem": "Site", "codLoja": 99, "codConsultor": 99})).await;
    for field in ["nome", "telefone", "codLoja", "codConsultor"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    for contact in [json!({"telefone": PHONE}), json!({"email": "a@x.example"}), json!({"documento": cpf(3)})]
    {
        calls.saved(&calls.operator, LEADS, &with(json!({"nome": "Ana"}), contact)).await;
    }
    assert_eq!(calls.count("leads").await, 3);
    let body =
        json!({"nome": "Ana", "telefone": "123", "email": "x", "documento": "1", "uf": "XX", "codLoja": 99});
    let told = calls.refused(LEADS, &body).await;
    for field in ["telefone", "email", "documento", "uf", "codLoja"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    assert_eq!(calls.count("leads").await, 3, "nothing of a refused request is stored");
}

#[both_engines]
async fn the_same_document_else_mail_else_phone_updates_the_lead(world: World) {
    let calls = Calls::on(world).await;
    let save = async |body: Value| calls.saved(&calls.operator, LEADS, &body).await["codLead"].clone();
    let first = save(json!({"nome": "Ana", "telefone": PHONE})).await;
    assert_eq!(
        save(json!({"nome": "Ana P", "telefone": "5511987654321", "email": "a@x.example"})).await,
        first
    );
    assert_eq!(save(json!({"nome": "Ana", "email": "A@x.example", "documento": cpf(1)})).await, first);
    assert_eq!(save(json!({"nome": "Ana Prado", "documento": cpf(1)})).await, first);
    let other = save(json!({"nome": "Eva", "email": "a@x.example", "documento": cpf(2)})).await;
    assert_ne!(other, first, "another document is somebody else");
    let found = calls.leads(&[("filtro", &cpf(1))]).await;
    assert_eq!(each(&found, "codLead"), [first]);
    assert_eq!((&found[0]["nomePessoa"], &found[0]["telefoneCelular"]), (&json!("Ana Prado"), &json!(PHONE)));
}

#[both_engines]
async fn of_a_lead_absent_stays_null_clears_but_never_all_he_is_known_by(world: World) {
    let calls = Calls::on(world).await;
    let lead = json!({"nome": "Ana", "documento": cpf(1), "telefone": PHONE, "email": "a@x.example", "cidade": "Santos",
        "origem": "Site", "codConsultor": 1});
    calls.saved(&calls.operator, LEADS, &lead).await;
    calls
        .saved(
            &calls.operator,
            LEADS,
            &json!({"nome": "Ana", "documento": cpf(1), "cidade": null, "origem": ""}),
        )
        .await;
    let found = calls.leads(&[]).await;
    assert_eq!((&found[0]["cidade"], &found[0]["origem"]), (&Value::Null, &json!("Site")));
    let cleared = json!({"nome": "Ana", "email": "a@x.example", "documento": null, "telefone": null});
    let saved = calls.saved(&calls.operator, LEADS, &cleared).await;
    assert_eq!((&saved["cpfCnpj"], &saved["telefoneCelular"]), (&Value::Null, &Value::Null));
    calls
        .saved(&calls.operator, LEADS, &json!({"nome": "Ana", "telefone": PHONE, "email": "a@x.example"}))
        .await;
    calls.saved(&calls.operator, LEADS, &json!({"nome": "Ana", "telefone": PHONE, "email": null})).await;
    let one = calls.leads(&[]).await;
    assert_eq!((one.len(), &one[0]["email"]), (1, &Value::Null));
    let none = json!({"nome": "Ana", "telefones": [{"tipo": "Fixo"}], "email": null, "documento": null});
    assert!(told_about(&calls.refused(LEADS, &none).await, "telefone"));
}

#[both_engines]
async fn leads_are_found_by_name_document_phone_and_mail(world: World) {
    let calls = Calls::on(world).await;
    for (number, name) in [(1, "João da Silva"), (2, "Silvana de João"), (3, "Zoé Prado")] {
        let body = json!({"nome": name, "documento": cpf(number), "email": format!("l{number}@x.example"),
            "telefones": [{"numero": format!("1198765432{number}")}, {"numero": format!("113333444{number}")}]});
        calls.saved(&calls.operator, LEADS, &body).await;
    }
    let company = json!({"nome": "Boa Ltda", "cpfCnpj": "12.ABC.345/01DE-35"});
    calls.saved(&calls.operator, LEADS, &company).await;
    let names = async |filter: &str| each(&calls.leads(&[("filtro", filter)]).await, "nomePessoa");
    assert_eq!(names("joao sil").await, ["João da Silva", "Silvana de João"]);
    assert_eq!(names("SILVAN").await, ["Silvana de João"]);
    assert_eq!(names(&cpf(3)).await, ["Zoé Prado"]);
    assert_eq!(names(&crate::calls::bare(&cpf(3))).await, ["Zoé Prado"]);
    assert_eq!(names("12abc34501de35").await, ["Boa Ltda"]);
    assert_eq!(names("+55 (11) 98765-4323").await, ["Zoé Prado"]);
    assert_eq!(names("1133334442").await, ["Silvana de João"]);
    assert_eq!(names("L1@X.example").await, ["João da Silva"]);
    for nothing in ["111.111.111-11", "ninguem", "x@y.example", "--", "a@"] {
        assert_eq!(names(nothing).await, Vec::<Value>::new(), "{nothing}");
    }
    let all = ["Boa Ltda", "João da Silva", "Silvana de João", "Zoé Prado"];
    assert_eq!(names("").await, all, "an empty filter is none");
    assert_eq!(each(&calls.leads(&[]).await, "nomePessoa"), all);
}

#[both_engines]
async fn leads_of_one_name_come_by_code_and_case_and_accents_do_not_count(world: World) {
    let calls = Calls::on(world).await;
    for (number, name) in [(1, "bia"), (2, "Ávila"), (3, "Bia"), (4, "avila"), (5, "Çá")] {
        calls.saved(&calls.operator, LEADS, &json!({"nome": name, "documento": cpf(number)})).await;
    }
    let found = calls.leads(&[]).await;
    assert_eq!(each(&found, "nomePessoa"), ["Ávila", "avila", "bia", "Bia", "Çá"]);
    assert_eq!(each(&found, "codLead"), [2, 4, 1, 3, 5]);
}

#[both_engines]
async fn more_leads_than_one_step_reads_all_come(world: World) {
    let calls = Calls::on(world).await;
    calls.saved(&calls.operator, LEADS, &json!({"nome": "Lead", "email": "l@x.example"})).await;
    // As many as somebody who writes to the database itself.
    let crowd = calls.world.db().write(
        storage::WriteLane::foreground(calls.world.here),
        calls.world.here,
        |tx, here| {
            Box::pin(async move {
                let first = storage::sales::leads::find_lead(&mut *tx, *here, domain::LeadCode::new(1))
                    .await?
                    .unwrap();
                let all: Vec<_> = (2..=2_101).map(|code| (domain::LeadCode::new(code), &first)).collect();
                tx.execute_batch(storage::sales::leads::insert_leads(*here, all)).await
            })
        },
    );
    crowd.await.unwrap();
    for filter in ["", "lea", "l@x.example"] {
        let found = calls.leads(&[("filtro", filter)]).await;
        let codes: Vec<i64> = found.iter().map(|one| one["codLead"].as_i64().unwrap()).collect();
        assert_eq!(codes, (1..=2_101).collect::<Vec<_>>(), "{filter}");
    }
}

#[both_engines]
async fn without_a_store_a_lead_goes_to_the_users_first(world: World) {
    let calls = Calls::on(world).await;
    let lead = |number| json!({"nome": "Ana", "documento": cpf(number)});
    for (number, token, store) in
        [(1, &calls.administrator, 1), (2, &calls.operator, 2), (3, &calls.integration, 2)]
    {
        assert_eq!(calls.saved(token, LEADS, &lead(number)).await["codLoja"], store);
    }
    let moved = with(lead(3), json!({"codLoja": 3}));
    assert_eq!(calls.saved(&calls.integration, LEADS, &moved).await["codLoja"], 3);
    assert_eq!(
        calls.leads(&[("filtro", &cpf(3))]).await,
        Vec::<Value>::new(),
        "it left the operator's store"
    );
    assert_eq!(calls.leads(&[("filtro", "ana")]).await.len(), 1);
}

#[both_engines]
async fn leads_out_of_reach_are_neither_found_nor_changed(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"nome": "Ana Prado", "email": "a@x.example", "telefone": PHONE});
    calls.saved(&calls.administrator, LEADS, &body).await;
    calls.saved(&calls.stranger, LEADS, &with(body.clone(), json!({"nome": "Ana Ali"}))).await;
    for filter in ["", "ana", "a@x.example", PHONE] {
        assert_eq!(calls.leads(&[("filtro", filter)]).await, Vec::<Value>::new(), "{filter}");
        let there = array(&calls.read(&calls.stranger, LEADS, &[("filtro", filter)]).await);
        assert_eq!(each(&there, "nomePessoa"), ["Ana Ali"], "{filter}");
    }
    let own = calls.saved(&calls.operator, LEADS, &body).await;
    assert_eq!((&own["codLead"], &own["codLoja"]), (&json!(2), &json!(2)), "a lead of his own");
    for field in ["codLoja", "codConsultor"] {
        let told = calls.refused(LEADS, &with(body.clone(), json!({field: 3}))).await;
        assert!(told_about(&told, field), "{told}");
    }
    let elsewhere = json!({"nome": "Eva", "documento": cpf(1)});
    calls.saved(&calls.administrator, LEADS, &elsewhere).await;
    let conflict = calls.post(&calls.operator, LEADS, &elsewhere).await;
    assert!(!conflict.refuses(409).contains("Matriz"), "{conflict:?}");
    calls.saved(&calls.stranger, LEADS, &elsewhere).await;
}

#[both_engines]
async fn the_person_of_a_lead_is_no_member_until_saved_as_one(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"nome": "Ana Prado", "documento": cpf(1), "email": "a@x.example", "telefone": PHONE, "uf": "SP"});
    let lead = calls.saved(&calls.operator, LEADS, &body).await;
    let code = lead["codPessoa"].to_string();
    for query in [("nome", "ana"), ("cpf", &*cpf(1)), ("codPessoa", &*code), ("situacaoBeneficio", "Todos")] {
        assert_eq!(calls.rows(&[query]).await, Vec::<Value>::new(), "{query:?}");
    }
    let member = json!({"nomePessoa": "Ana Prado Lima", "cpfCnpj": cpf(1)});
    let member = calls.saved(&calls.operator, MEMBERS, &member).await;
    assert_eq!(member["codPessoa"], lead["codPessoa"]);
    assert_eq!(member.get("codLead"), None);
    assert_eq!((&member["email"], &member["telefoneCelular"]), (&json!("a@x.example"), &json!(PHONE)));
    for query in
        [("nome", "ana lima"), ("cpf", &*cpf(1)), ("codPessoa", &*code), ("situacaoBeneficio", "Todos")]
    {
        assert_eq!(calls.rows(&[query]).await.len(), 1, "{query:?}");
    }
    // What he tells as a lead changes nothing of the member.
    calls.saved(&calls.operator, LEADS, &with(body, json!({"nome": "Outra", "email": "b@x.example"}))).await;
    let row = calls.rows(&[("cpf", &cpf(1))]).await.remove(0);
    assert_eq!((&row["nomePessoa"], &row["email"]), (&json!("Ana Prado Lima"), &json!("a@x.example")));
    assert_eq!(calls.leads(&[("filtro", "outra")]).await.len(), 1);
}

#[both_engines]
async fn a_benefit_makes_a_member_of_a_lead(world: World) {
    let calls = Calls::on(world).await;
    calls.saved(&calls.operator, LEADS, &json!({"nome": "Ana", "documento": cpf(1)})).await;
    calls.saved(&calls.operator, BENEFITS, &health(1, json!({"ativo": true}))).await;
    let rows = calls.rows(&[("nome", "ana")]).await;
    assert_eq!((rows.len(), &rows[0]["situacao"]), (1, &json!("ATIVO")));
    assert_eq!(calls.rows(&[("situacaoBeneficio", "Todos")]).await.len(), 1);
}

#[both_engines]
async fn a_lead_with_the_document_of_a_member_is_that_member(world: World) {
    let calls = Calls::on(world).await;
    let member = calls.member_with(1, json!({"email": "m@x.example"})).await;
    let body = json!({"nome": "Outro Nome", "documento": cpf(1), "email": "l@x.example"});
    let lead = calls.saved(&calls.operator, LEADS, &body).await;
    assert_eq!((&lead["codPessoa"], &lead["nomePessoa"]), (&member["codPessoa"], &json!("Outro Nome")));
    let row = calls.rows(&[("cpf", &cpf(1))]).await.remove(0);
    assert_eq!((&row["nomePessoa"], &row["email"]), (&json!("Pessoa 1"), &json!("m@x.example")));
    let elsewhere = json!({"nomePessoa": "Pessoa 2", "cpfCnpj": cpf(2), "codLoja": 1});
    calls.saved(&calls.administrator, MEMBERS, &elsewhere).await;
    let refused = calls.post(&calls.operator, LEADS, &json!({"nome": "Eu", "documento": cpf(2)})).await;
    assert!(!refused.refuses(409).contains("Matriz"));
    assert_eq!(calls.count("leads").await, 1);
}

#[both_engines]
async fn writes_and_reads_of_leads_are_audited(world: World) {
    let calls = Calls::on(world).await;
    let audited = calls.count("audit").await;
    let body = json!({"nome": "Ana", "documento": cpf(1)});
    let lead = calls.saved(&calls.operator, LEADS, &body).await;
    calls.saved(&calls.operator, LEADS, &body).await;
    calls.leads(&[]).await;
    let person = lead["codPessoa"].to_string();
    let entries = calls.audited(&person).await;
    let looks: Vec<Value> = entries.iter().filter(|one| one["tipo"] == "leitura").cloned().collect();
    let mut seen: Vec<String> = each(&looks, "operacao").iter().map(ToString::to_string).collect();
    seen.sort_unstable();
    assert_eq!(seen, ["\"GET /ext/crm/lead\"", "\"POST /ext/crm/lead\""]);
    let change = entries.iter().find(|one| one["tipo"] == "alteracao").unwrap();
    assert_eq!((entries.len(), &change["detalhe"]), (3, &json!("lead 1 criado")));
    assert_eq!(calls.count("audit").await, audited + 1, "what changes nothing leaves a look alone");
}

#[both_engines]
async fn eight_at_once_with_one_document_make_one_lead(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let saved = testkit::eight_at_once(|number| {
        let calls = std::sync::Arc::clone(&calls);
        async move {
            let body = json!({"nome": "Ana", "documento": cpf(1), "origem": format!("Site {number}")});
            calls.saved(&calls.operator, LEADS, &body).await["codLead"].clone()
        }
    })
    .await;
    assert_eq!(saved, vec![json!(1); 8]);
    assert_eq!((calls.count("leads").await, calls.count("people").await), (1, 1));
}
