//! `/gestao/usuario`: users are listed, created, changed, given a password, and their sessions ended.

use crate::calls::{Calls, MEMBERS, address, each, items, told_about};
use serde_json::{Value, json};
use testkit::{PASSWORD, World, both_engines};

pub const USERS: &str = "/gestao/usuario";

pub fn user(code: &Value) -> String {
    format!("{USERS}/{code}")
}

#[both_engines]
async fn a_user_is_created_with_the_code_he_had_and_read_back(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let new = json!({"nome": "Rui Prado", "email": "Rui@Aqui.example", "perfil": "operador", "lojas": [2, 1, 2],
        "codUsuario": 300});
    let made = calls.saved(by, USERS, &new).await;
    let told = json!({"codUsuario": 300, "nome": "Rui Prado", "email": "rui@aqui.example", "perfil": "operador",
        "lojas": [1, 2], "permissoesFinanceiras": [], "respostaAntigaPesquisa": false, "ativo": true, "versao": 1});
    assert_eq!(made, told);
    assert_eq!(calls.read(by, &user(&json!(300)), &[]).await, told);
    let next = json!({"nome": "Ana", "email": "ana@aqui.example", "perfil": "administrador"});
    assert_eq!(calls.saved(by, USERS, &next).await["codUsuario"], 301, "the next is counted on from there");
    let taken = json!({"nome": "B", "email": "b@aqui.example", "perfil": "administrador", "codUsuario": 1});
    assert!(told_about(calls.post(by, USERS, &taken).await.refuses(409), "codUsuario"));
    for bad in [json!(0), json!(-1), json!("x"), json!(2_000_000_000)] {
        let bad =
            json!({"nome": "B", "email": "b@aqui.example", "perfil": "administrador", "codUsuario": bad});
        assert!(told_about(calls.post(by, USERS, &bad).await.refuses(400), "codUsuario"));
    }
    let low = json!({"nome": "C", "email": "c@aqui.example", "perfil": "administrador", "codUsuario": 200});
    assert_eq!(
        calls.saved(by, USERS, &low).await["codUsuario"],
        200,
        "one that was passed over may still be had"
    );
    let mail = calls.world.last_mail_to("rui@aqui.example").await;
    assert!(mail.contains("Senha: "), "{mail}");
    let audit = calls.read(by, "/gestao/auditoria", &[]).await;
    let told = items(&audit).iter().any(|one| one["detalhe"] == "usuário 300 criado");
    assert!(told, "{audit}");
}

#[both_engines]
async fn the_old_answer_of_the_member_search_is_for_those_who_chose_it(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    for number in 1..3 {
        calls.member(number).await;
    }
    // What one process changed another learns of within two seconds; this is about one.
    let here = &calls.servers()[0];
    let search = async |token: &str, name: &str| {
        let reply = here.read(&address(MEMBERS, &[("nome", name)]), token).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    let page = search(&calls.integration, "pessoa").await;
    assert_eq!(page["quantidade"], 2);
    let program = calls.world.integration.code.get();
    let path = user(&json!(program));
    let before = calls.read(by, &path, &[]).await;
    assert_eq!(before["respostaAntigaPesquisa"], false);
    let chosen = json!({"versao": before["versao"], "respostaAntigaPesquisa": true});
    let changed = here.put(&path, by, &chosen.to_string()).await;
    assert_eq!(changed.json()["respostaAntigaPesquisa"], true, "{changed:?}");
    let detail = format!("usuário {program} alterado: respostaAntigaPesquisa");
    let audit = calls.read(by, "/gestao/auditoria", &[]).await;
    assert!(items(&audit).iter().any(|one| one["detalhe"] == detail.as_str()), "{audit}");
    assert_eq!(search(&calls.integration, "pessoa").await, page["itens"]);
    assert_eq!(search(&calls.integration, "ninguém").await, json!([]));
    here.read(MEMBERS, &calls.integration).await.refuses(400);
    assert_eq!(search(&calls.operator, "pessoa").await["quantidade"], 2);
    let same = json!({"versao": changed.json()["versao"], "nome": "Programa"});
    assert_eq!(calls.put(by, &path, &same).await.json()["respostaAntigaPesquisa"], true, "absent stays");
    let new = json!({"nome": "P", "email": "p@aqui.example", "perfil": "integracao", "lojas": [2],
        "respostaAntigaPesquisa": true});
    assert_eq!(calls.saved(by, USERS, &new).await["respostaAntigaPesquisa"], true);
}

#[both_engines]
async fn users_are_listed_by_name_in_pages_and_searched(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let all = calls.read(by, USERS, &[]).await;
    assert_eq!(
        (&all["quantidade"], &all["paginaAtual"], &all["proximaPagina"]),
        (&json!(53), &json!(1), &json!(false))
    );
    let names: Vec<Value> = each(&items(&all), "nome");
    let mut sorted = names.clone();
    sorted.sort_by_key(|name| name.as_str().unwrap().to_owned());
    assert_eq!(names, sorted);
    let found = async |query: &[(&str, &str)]| each(&items(&calls.read(by, USERS, query).await), "nome");
    assert_eq!(found(&[("filtro", "OPERA")]).await, ["operador"]);
    assert_eq!(found(&[("filtro", "programa@aqui")]).await, ["programa"]);
    assert_eq!(found(&[("perfil", "administrador")]).await, ["admin"]);
    assert_eq!(found(&[("codLoja", "2")]).await, ["admin", "operador", "programa"]);
    assert!(found(&[("ativo", "false")]).await.is_empty());
    assert!(found(&[("filtro", "--")]).await.is_empty());
    assert!(found(&[("pagina", "2")]).await.is_empty());
    for bad in [("pagina", "0"), ("perfil", "gerente"), ("ativo", "talvez")] {
        assert!(told_about(calls.get(by, USERS, &[bad]).await.refuses(400), bad.0));
    }
}

#[both_engines]
async fn a_change_needs_the_present_version_and_tells_both_states(world: World) {
    let calls = Calls::on(world).await;
    let (by, path) = (&calls.administrator, user(&json!(calls.world.operator.code.get())));
    let refused = calls.put(by, &path, &json!({"nome": "Outro"})).await;
    assert!(told_about(refused.refuses(400), "versao"), "{refused:?}");
    let changed =
        calls.put(by, &path, &json!({"versao": 1, "nome": "Carla Dias", "lojas": [3, 2]})).await.json();
    assert_eq!(
        (&changed["nome"], &changed["lojas"], &changed["versao"]),
        (&json!("Carla Dias"), &json!([2, 3]), &json!(2))
    );
    assert_eq!(changed["perfil"], "operador", "what is absent stays");
    let refused = calls
        .put(by, &path, &json!({"versao": 1, "nome": "Carlos", "lojas": [2, 3], "perfil": "integracao"}))
        .await;
    let told = refused.refuses(409);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("versao: ") && lines[0].contains("nada foi gravado"), "{told}");
    assert_eq!(
        lines[1..],
        [
            "nome: enviado \"Carlos\"; agora \"Carla Dias\".",
            "perfil: enviado \"integracao\"; agora \"operador\"."
        ]
    );
    assert_eq!(calls.read(by, &path, &[]).await, changed, "nothing was changed");
    let same = calls.put(by, &path, &json!({"versao": 2, "nome": "Carla Dias"})).await.json();
    assert_eq!(same["versao"], 2, "no change, no version");
}

#[both_engines]
async fn everything_that_is_wrong_with_a_change_is_told_at_once(world: World) {
    let calls = Calls::on(world).await;
    let (by, path) = (&calls.administrator, user(&json!(calls.world.operator.code.get())));
    let bad = json!({"versao": 1, "email": "x", "perfil": "chefe", "lojas": [9]});
    let refused = calls.put(by, &path, &bad).await;
    let told = refused.refuses(400);
    assert!(["email", "perfil", "lojas"].iter().all(|field| told_about(told, field)), "{told}");
    let refused = calls.put(by, &path, &json!({"versao": 1, "lojas": []})).await;
    assert!(told_about(refused.refuses(400), "lojas"), "{refused:?}");
    assert!(told_about(
        calls.put(by, &user(&json!(999)), &json!({"versao": 1})).await.refuses(404),
        "codUsuario"
    ));
    assert!(told_about(
        calls.put(by, &user(&json!(999)), &json!({"versao": 1, "lojas": [9]})).await.refuses(400),
        "lojas"
    ));
    calls.get(by, "/gestao/usuario/x", &[]).await.refuses(400);
    let taken = json!({"versao": 1, "email": calls.world.stranger.email});
    let refused = calls.put(by, &path, &taken).await;
    assert!(told_about(refused.refuses(409), "email"), "also that of another association: {refused:?}");
    assert_eq!(calls.read(by, &path, &[]).await["versao"], 1);
}

#[both_engines]
async fn a_changed_address_is_the_login_at_once_and_the_old_one_is_free(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let old = calls.world.operator.email.clone();
    let path = user(&json!(calls.world.operator.code.get()));
    for server in calls.servers() {
        assert_eq!(server.enter(&old, PASSWORD).await.status, 200);
    }
    let changed = calls.put(by, &path, &json!({"versao": 1, "email": "Novo@Aqui.example"})).await;
    assert_eq!(changed.json()["email"], "novo@aqui.example");
    for server in calls.servers() {
        server.enter(&old, PASSWORD).await.refuses(401);
        assert_eq!(server.enter("novo@aqui.example", PASSWORD).await.status, 200);
    }
    let heir = json!({"nome": "Herdeiro", "email": old, "perfil": "administrador"});
    let heir = calls.saved(by, USERS, &heir).await;
    for server in calls.servers() {
        server.enter(&old, PASSWORD).await.refuses(401);
    }
    let mail = calls.world.last_mail_to(&old).await;
    let password = mail.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap().to_owned();
    let entered = calls.server().enter(&old, &password).await.json();
    assert_eq!(entered["codUsuario"], heir["codUsuario"]);
}

#[both_engines]
async fn a_key_repeats_the_first_answer_and_a_generated_password_is_sent_once(world: World) {
    let calls = Calls::on(world).await;
    let bearer = format!("Bearer {}", calls.administrator);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "um")];
    let path = format!("{}/senha", user(&json!(calls.world.operator.code.get())));
    let mails = calls.count("mails").await;
    let first = calls.server().call("POST", &path, &headers, "").await;
    let again = calls.server().call("POST", &path, &headers, "").await;
    assert_eq!((first.status, &again.body), (200, &first.body));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(calls.count("mails").await, mails + 1);
    calls.server().enter(&calls.world.operator.email, PASSWORD).await.refuses(401);
    let mail = calls.world.last_mail_to(&calls.world.operator.email).await;
    let password = mail.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap().to_owned();
    assert_eq!(calls.server().enter(&calls.world.operator.email, &password).await.status, 200);
    let shown = first.body.contains(&password);
    assert!(!shown, "nobody sees it on a screen");
    assert_eq!(first.json()["versao"], 1, "a password is no field of the record");
}

#[both_engines]
async fn a_changed_address_is_told_to_both_and_ends_the_sessions(world: World) {
    let calls = Calls::on(world).await;
    let (by, who) = (&calls.administrator, &calls.world.operator);
    let path = user(&json!(who.code.get()));
    assert_eq!(calls.server().read("/ext/administracao/loja", &calls.operator).await.status, 200);
    let body = json!({"versao": 1, "email": "outro@aqui.example"}).to_string();
    assert_eq!(calls.servers()[0].put(&path, by, &body).await.status, 200);
    calls.servers()[0].read("/ext/administracao/loja", &calls.operator).await.refuses(401);
    let left = calls.world.last_mail_to(&who.email).await;
    assert!(left.contains("não serve mais para entrar") && !left.contains("outro@aqui.example"), "{left}");
    let taken = calls.world.last_mail_to("outro@aqui.example").await;
    assert!(taken.contains("que você entra a partir de agora") && !taken.contains(&who.email), "{taken}");
    let audit = calls.read(by, "/gestao/auditoria", &[]).await;
    let detail = format!("usuário {} alterado: email", who.code);
    let told = items(&audit).iter().find(|one| one["detalhe"] == detail.as_str()).cloned();
    let told = told.unwrap_or_else(|| panic!("{audit}"));
    assert_eq!((&told["endereco"], &told["resultado"]), (&json!("127.0.0.1"), &json!("sucesso")));
}
