//! Who may do what to users, and when a change of rights is felt.

use crate::calls::{Calls, items, told_about};
use crate::gestao::user_life::{USERS, user};
use api::{AllowedCallers, list_operations};
use domain::{MoneyRight, MoneyRights, Role};
use serde_json::json;
use testkit::{World, both_engines, eight_at_once, until};

/// What this part of the management serves.
const OURS: [&str; 6] = [
    "/gestao/usuario",
    "/gestao/base",
    "/gestao/associado",
    "/gestao/beneficio",
    "/gestao/negocio",
    "/gestao/lead",
];

#[both_engines]
async fn each_role_is_let_in_where_the_table_says_and_nowhere_else(world: World) {
    let calls = Calls::on(world).await;
    let ours = list_operations().iter().filter(|one| OURS.iter().any(|path| one.path.starts_with(path)));
    let mut seen = 0;
    for one in ours {
        let AllowedCallers::Roles(roles) = one.access else { panic!("{} is open", one.path) };
        let registers = one.path.starts_with(USERS) || one.path.starts_with("/gestao/base");
        assert_eq!(roles.contains(&Role::Operator), !registers, "{}", one.path);
        assert!(!roles.contains(&Role::Integration), "{}", one.path);
        let parts = one.path.split('/').map(|part| if part.starts_with('{') { "999999" } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        for (role, token) in [
            (Role::Administrator, &calls.administrator),
            (Role::Operator, &calls.operator),
            (Role::Integration, &calls.integration),
        ] {
            let bearer = format!("Bearer {token}");
            let headers = [("Authorization", bearer.as_str())];
            let answer = calls.server().call(one.method.as_str(), &path, &headers, "").await;
            assert_eq!(
                answer.status == 403,
                !roles.contains(&role),
                "{role:?} {} {path}: {answer:?}",
                one.method
            );
        }
        calls.server().call(one.method.as_str(), &path, &[], "").await.refuses(401);
        seen += 1;
    }
    assert!(seen >= 26, "{seen}");
}

#[both_engines]
async fn what_takes_rights_away_is_felt_at_once_here_and_soon_elsewhere(world: World) {
    let calls = Calls::on(world).await;
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
    let by = &calls.administrator;
    let path = user(&json!(calls.world.operator.code.get()));
    let [here, elsewhere] = [&calls.servers()[0], calls.servers().last().unwrap()];
    let branches = async |server: &testkit::Server, token: &str| {
        let all = server.read("/ext/administracao/loja", token).await;
        all.json()
            .as_array()
            .map(|all| all.iter().map(|one| one["codLoja"].as_i64().unwrap()).collect::<Vec<_>>())
    };
    assert_eq!(branches(elsewhere, &calls.operator).await, Some(vec![2]), "it is remembered there");
    let put = async |body: serde_json::Value| {
        let reply = here.put(&path, by, &body.to_string()).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    };
    put(json!({"versao": 1, "lojas": [1, 3]})).await;
    assert_eq!(branches(here, &calls.operator).await, Some(vec![3, 1]), "by name: Filial Sul, Matriz");
    until("the other process knows", || async {
        app::cache::refresh_versions(calls.world.processes().last().unwrap()).await.unwrap();
        branches(elsewhere, &calls.operator).await == Some(vec![3, 1])
    })
    .await;
    here.read(USERS, &calls.operator).await.refuses(403);
    put(json!({"versao": 2, "perfil": "administrador"})).await;
    assert_eq!(here.read(USERS, &calls.operator).await.status, 200, "more rights too");
    put(json!({"versao": 3, "ativo": false})).await;
    here.read("/ext/administracao/loja", &calls.operator).await.refuses(401);
    app::cache::refresh_versions(calls.world.processes().last().unwrap()).await.unwrap();
    elsewhere.read("/ext/administracao/loja", &calls.operator).await.refuses(401);
    put(json!({"versao": 4, "ativo": true})).await;
    here.read("/ext/administracao/loja", &calls.operator).await.refuses(401);
    let token = here.token(&calls.world.operator.email).await;
    let ended = here.write(&format!("{path}/encerrarSessoes"), by, r#"{"motivo": "aparelho perdido"}"#).await;
    assert_eq!(ended.json()["codUsuario"], calls.world.operator.code.get());
    here.read("/ext/administracao/loja", &token).await.refuses(401);
    assert_eq!(here.enter(&calls.world.operator.email, testkit::PASSWORD).await.status, 200);
}

#[both_engines]
async fn nobody_takes_his_own_rights_away_and_the_last_administrator_stays(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let own = user(&json!(calls.world.administrator.code.get()));
    for body in
        [json!({"versao": 1, "ativo": false}), json!({"versao": 1, "perfil": "operador", "lojas": [1]})]
    {
        let refused = calls.put(by, &own, &body).await;
        assert!(told_about(refused.refuses(409), "perfil"), "{refused:?}");
    }
    let second = json!({"nome": "Segundo", "email": "segundo@aqui.example", "perfil": "administrador"});
    let second = calls.saved(by, USERS, &second).await;
    let mail = calls.world.last_mail_to("segundo@aqui.example").await;
    let password = mail.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap().to_owned();
    let other = calls.server().enter("segundo@aqui.example", &password).await.json();
    let other = other["authorizationToken"].as_str().unwrap().to_owned();
    let demoted = calls.put(&other, &own, &json!({"versao": 1, "perfil": "operador", "lojas": [1]})).await;
    assert_eq!(demoted.json()["perfil"], "operador");
    let own = user(&second["codUsuario"]);
    calls.put(&other, &own, &json!({"versao": 1, "ativo": false})).await.refuses(409);
    assert_eq!(calls.read(&other, &own, &[]).await["ativo"], true);
}

#[both_engines]
async fn eight_changes_of_one_version_at_once_change_it_once(world: World) {
    let calls = std::sync::Arc::new(Calls::on(world).await);
    let path = user(&json!(calls.world.operator.code.get()));
    let replies = eight_at_once(|number| {
        let (calls, path) = (std::sync::Arc::clone(&calls), path.clone());
        async move {
            let body = json!({"versao": 1, "nome": format!("Nome {number}")});
            calls.put(&calls.administrator, &path, &body).await.status
        }
    })
    .await;
    assert_eq!(replies.iter().filter(|status| **status == 200).count(), 1, "{replies:?}");
    assert_eq!(replies.iter().filter(|status| **status == 409).count(), 7, "{replies:?}");
    assert_eq!(calls.read(&calls.administrator, &path, &[]).await["versao"], 2);
}

#[both_engines]
async fn another_association_sees_and_changes_nothing(world: World) {
    let calls = Calls::on(world).await;
    let stranger = calls.server().token("admin@ali.example").await;
    let mine = calls.read(&calls.administrator, USERS, &[]).await;
    let theirs = calls.read(&stranger, USERS, &[("filtro", "aqui")]).await;
    assert_eq!(theirs["quantidade"], 0, "{theirs}");
    // The same code is somebody else there.
    let path = user(&json!(calls.world.operator.code.get()));
    let changed = calls.put(&stranger, &path, &json!({"versao": 1, "nome": "Outro Ali"})).await;
    assert_eq!(changed.json()["email"], "operador@ali.example");
    assert_eq!(calls.read(&calls.administrator, USERS, &[]).await, mine);
}

#[both_engines]
async fn rights_about_money_are_chosen_read_back_and_refused_by_name(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    let new = |email: &str, role: &str, rights: serde_json::Value| json!({"nome": "Rui", "email": email, "perfil": role, "lojas": [1], "permissoesFinanceiras": rights});
    let field = "permissoesFinanceiras";
    for (number, (role, sent, told)) in [
        ("operador", json!(null), json!([])),
        ("integracao", json!(null), json!(["VER", "LIQUIDAR"])),
        ("operador", json!([]), json!([])),
        ("operador", json!(["FECHAR", "VER", "VER"]), json!(["VER", "FECHAR"])),
        ("integracao", json!(["APROVAR"]), json!(["APROVAR"])),
        ("administrador", json!([]), json!(["VER", "LIQUIDAR", "APROVAR", "FECHAR"])),
    ]
    .into_iter()
    .enumerate()
    {
        let made = calls.saved(by, USERS, &new(&format!("rui{number}@aqui.example"), role, sent)).await;
        assert_eq!(made[field], told, "{made}");
        assert_eq!(calls.read(by, &user(&made["codUsuario"]), &[]).await, made);
    }
    for bad in [json!(["ver"]), json!(["VER", "TUDO"]), json!("VER"), json!([1]), json!({})] {
        let refused = calls.post(by, USERS, &new("mau@aqui.example", "operador", bad.clone())).await;
        assert!(refused.refuses(400).starts_with(field), "{refused:?}");
        let path = user(&json!(calls.world.operator.code.get()));
        let refused = calls.put(by, &path, &json!({"versao": 1, "permissoesFinanceiras": bad})).await;
        assert!(refused.refuses(400).starts_with(field), "{refused:?}");
    }
    let refused = calls.post(by, USERS, &new("mau@aqui.example", "operador", json!(["TUDO"]))).await;
    assert!(refused.refuses(400).contains("use VER, LIQUIDAR, APROVAR ou FECHAR."), "{refused:?}");
}

#[both_engines]
async fn a_change_of_rights_about_money_ends_no_session_and_is_felt_at_once(world: World) {
    let calls = Calls::on(world).await;
    let app = &calls.world.processes()[0];
    app::cache::refresh_versions(app).await.unwrap();
    let (by, code) = (&calls.administrator, calls.world.operator.code.get());
    let here = &calls.servers()[0];
    let rights = async |token: &str| app::session::load_session(app, token).await.unwrap().money_rights;
    let put = async |body: serde_json::Value| {
        let reply = here.put(&user(&json!(code)), by, &body.to_string()).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    assert_eq!(rights(by).await, MoneyRights::ALL);
    assert_eq!(rights(&calls.operator).await, MoneyRights::SEE_AND_SETTLE);
    let changed = put(json!({"versao": 1, "permissoesFinanceiras": ["VER", "FECHAR"]})).await;
    assert_eq!(
        (&changed["permissoesFinanceiras"], &changed["versao"]),
        (&json!(["VER", "FECHAR"]), &json!(2))
    );
    let limited = app::session::load_session(app, &calls.operator).await.unwrap();
    for right in MoneyRight::ALL {
        let may = matches!(right, MoneyRight::SeeMoney | MoneyRight::ClosePeriods);
        let answer = limited.require_money_right(right);
        assert!(if may { answer.is_ok() } else { matches!(answer, Err(app::Error::Forbidden)) }, "{right:?}");
    }
    assert_eq!(
        here.read("/ext/administracao/loja", &calls.operator).await.status,
        200,
        "the session goes on"
    );
    assert_eq!(
        put(json!({"versao": 2, "nome": "Carla"})).await["permissoesFinanceiras"],
        json!(["VER", "FECHAR"])
    );
    put(json!({"versao": 3, "permissoesFinanceiras": []})).await;
    assert_eq!(rights(&calls.operator).await, MoneyRights::NONE);
    // What is stored waits while its user is an administrator.
    put(json!({"versao": 4, "perfil": "administrador"})).await;
    assert_eq!(rights(&calls.operator).await, MoneyRights::ALL);
    let demoted = put(json!({"versao": 5, "perfil": "operador", "lojas": [2]})).await;
    assert_eq!(demoted["permissoesFinanceiras"], json!([]));
    let audit = calls.read(by, "/gestao/auditoria", &[]).await;
    let detail = format!("usuário {code} alterado: permissoesFinanceiras");
    assert_eq!(items(&audit).iter().filter(|one| one["detalhe"] == detail.as_str()).count(), 2, "{audit}");
    let stale =
        calls.put(by, &user(&json!(code)), &json!({"versao": 5, "permissoesFinanceiras": ["VER"]})).await;
    assert!(stale.refuses(409).contains("permissoesFinanceiras: enviado \"VER\""), "{stale:?}");
}
