//! Every form, sent by those who may not and in ways that are refused: nothing of it is stored.

use crate::scene::{
    ConsoleScene, FOREIGN_TEXTS, FORM, MULTIPART, OTHER_BRANCH, OTHER_TENANT, OWN, fill_path,
    list_malformed_paths, list_routes_with_method, run_charging, run_imports,
};
use crate::valid_forms::{FormSubjects, OF_ADMINISTRATOR, OF_OPERATOR, is_upload, list_valid_forms};
use console::PageAccess;
use std::collections::BTreeSet;
use testkit::{Engine, World, both_engines};

/// Forms without a field that must be filled in: an empty one does what its button says.
pub const EMPTY_IS_ENOUGH: [&str; 17] = [
    "/console/sair",
    "/console/tema",
    "/console/busca",
    "/console/associados",
    "/console/emails/teste",
    "/console/usuarios/{codigo}/senha",
    "/console/usuarios/{codigo}/sessoes",
    "/console/usuarios/{codigo}/segundo-fator",
    "/console/filtros/{codigo}/apagar",
    "/console/arquivos/{codigo}/remover",
    "/console/arquivos/{codigo}/restaurar",
    "/console/financeiro/titulos/{codigo}/pix",
    "/console/financeiro/titulos/{codigo}/boleto",
    "/console/gatilhos/{codigo}/segredo",
    "/console/gatilhos/{codigo}/teste",
    "/console/importar/{codigo}/iniciar",
    "/console/financeiro/cobrancas/{codigo}/aprovar",
];
/// A refused sign-in is counted, the link that sets up a server says that this one is set up, and a charging run that is
/// approved cannot be discarded, so that another one is.
pub const UNUSUAL_STATUS: [(&str, u16); 3] = [
    ("/console/entrar", 401),
    ("/console/comecar/{codigo}", 200),
    ("/console/financeiro/cobrancas/{codigo}/descartar", 303),
];

/// The operator of these tests has no right to close months or to approve runs.
pub fn is_refused_to_operator(access: PageAccess) -> bool {
    matches!(access, PageAccess::Administrator | PageAccess::MonthCloser | PageAccess::RunApprover)
}

/// A form that the route accepts from those who may send it.
fn find_valid_body(path: &str) -> (&'static str, Vec<u8>) {
    let step = list_valid_forms(OF_ADMINISTRATOR).into_iter().find(|form| form.route == path);
    step.map_or((FORM, b"a=b".to_vec()), |form| form.build_body())
}

#[both_engines]
async fn nobody_writes_without_the_right_to_it(world: World) {
    let scene = ConsoleScene::on(world).await;
    let mut problems = Vec::new();
    let before = scene.read_database().await;
    for route in list_routes_with_method("POST").iter().filter(|route| route.access != PageAccess::Public) {
        let is_numbered = route.path.contains("{codigo}");
        let mut calls = vec![("visitor", "", OWN, 303), ("program", scene.program.as_str(), OWN, 403)];
        if is_refused_to_operator(route.access) {
            calls.push(("operator", &scene.operator, OWN, 403));
        } else if is_numbered {
            calls.push(("operator", &scene.operator, OTHER_BRANCH, 404));
        }
        if is_numbered {
            calls.push(("administrator", &scene.administrator, OTHER_TENANT, 404));
        }
        let (kind, body) = find_valid_body(&route.path);
        for (who, token, codes, status) in calls {
            let path = fill_path(&route.path, codes);
            let answer = scene.send(token, "POST", &path, &[("Content-Type", kind)], &body).await.head;
            let place = answer.header("location").unwrap_or_default();
            let is_sent_away = status != 303 || place.starts_with("/console/entrar?para=");
            if answer.status != status || !is_sent_away {
                problems.push(format!("{who} POST {path}: {} instead of {status} {place}", answer.status));
            }
            if let Some(text) = FOREIGN_TEXTS.iter().find(|text| answer.body.contains(**text)) {
                problems.push(format!("{who} POST {path}: shows {text}"));
            }
        }
    }
    problems.extend(list_differences(&before, &scene.read_database().await));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

#[both_engines]
async fn nothing_is_taken_from_another_site_or_in_another_shape(world: World) {
    let scene = ConsoleScene::on(world).await;
    let mut problems = Vec::new();
    let before = scene.read_database().await;
    for route in list_routes_with_method("POST") {
        let path = fill_path(&route.path, OWN);
        let (kind, body) = find_valid_body(&route.path);
        let kind = ("Content-Type", kind);
        let calls = [
            (vec![("Origin", "https://evil.example"), kind], 403),
            (vec![("Sec-Fetch-Site", "cross-site"), kind], 403),
            (vec![("Sec-Fetch-Site", "same-site"), ("Origin", "http://localhost"), kind], 403),
            (vec![("Content-Type", "application/json")], 415),
            (vec![], 415),
        ];
        for (headers, status) in calls {
            let answer = scene.send(&scene.administrator, "POST", &path, &headers, &body).await.head;
            if answer.status != status || !answer.body.contains("lang=\"pt-BR\"") {
                problems.push(format!("POST {path} {headers:?}: {} {}", answer.status, answer.body));
            }
        }
    }
    problems.extend(list_differences(&before, &scene.read_database().await));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

#[both_engines]
async fn an_empty_or_hostile_form_is_refused_with_a_sentence(world: World) {
    let scene = ConsoleScene::on(world).await;
    let mut problems = Vec::new();
    let before = scene.read_database().await;
    let routes = list_routes_with_method("POST");
    let is_unusual = |path: &str| UNUSUAL_STATUS.iter().any(|(known, _)| *known == path);
    let is_refused = |path: &str| !EMPTY_IS_ENOUGH.contains(&path) && !is_unusual(path);
    for route in routes.iter().filter(|route| is_refused(&route.path)) {
        let path = fill_path(&route.path, OWN);
        let forms = match is_upload(&route.path) {
            true => [(MULTIPART, "--divisa--\r\n"), (MULTIPART, "--divisa\r\n\r\n")],
            false => [
                (FORM, ""),
                (FORM, "%FF=%00&versao=abc&codigo=-1&nome=%3Cscript%3Ealert(1)&texto=&senha=%00"),
            ],
        };
        for (kind, body) in forms {
            let headers = [("Content-Type", kind)];
            let answer =
                scene.send(&scene.administrator, "POST", &path, &headers, body.as_bytes()).await.head;
            let place = answer.header("location").unwrap_or_default();
            let is_told = place.starts_with("/console/entrar?")
                || answer.status != 403 && scene.is_refusal(&scene.administrator, &answer).await;
            if !is_told || answer.body.contains("<script>alert") {
                problems.push(format!("POST {path} {body}: {} {place} {}", answer.status, answer.body));
            }
        }
    }
    problems.extend(list_differences(&before, &scene.read_database().await));
    for (path, status) in UNUSUAL_STATUS {
        let answer = scene.post(&scene.administrator, &fill_path(path, OTHER_BRANCH), "").await.head;
        if answer.status != status {
            problems.push(format!("POST {path}: {} instead of {status}", answer.status));
        }
    }
    // The first ends the session, so it comes last.
    for path in EMPTY_IS_ENOUGH.into_iter().rev() {
        let answer = scene.post(&scene.administrator, &fill_path(path, OWN), "").await.head;
        if answer.status != 200 && answer.status != 303 {
            problems.push(format!("POST {path}: {}", answer.status));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

/// The rows that are stored now and those that no longer are.
pub fn list_differences(before: &str, after: &str) -> Vec<String> {
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (before.lines().collect(), after.lines().collect());
    let stored = after.difference(&before).map(|row| format!("stored {row}"));
    stored.chain(before.difference(&after).map(|row| format!("lost {row}"))).collect()
}

#[testkit::test]
async fn a_form_for_a_malformed_path_changes_nothing() {
    let scene = ConsoleScene::on(World::hostile(Engine::Sqlite).await).await;
    let mut problems = Vec::new();
    let before = scene.read_database().await;
    for route in list_routes_with_method("POST") {
        let (kind, body) = find_valid_body(&route.path);
        for path in list_malformed_paths(&route.path) {
            let headers = [("Content-Type", kind)];
            let answer = scene.send(&scene.administrator, "POST", &path, &headers, &body).await.head;
            let is_known = UNUSUAL_STATUS.contains(&(route.path.as_str(), answer.status));
            let is_told = is_known || scene.is_refusal(&scene.administrator, &answer).await;
            if !is_told || answer.body.contains("<script>alert") {
                problems.push(format!("POST {path}: {answer:?}"));
            }
        }
    }
    problems.extend(list_differences(&before, &scene.read_database().await));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

/// What went otherwise than the table of routes says.
async fn send_valid_forms(
    scene: &ConsoleScene,
    token: &str,
    subjects: FormSubjects,
    is_administrator: bool,
) -> Vec<String> {
    let mut problems = Vec::new();
    let routes = list_routes_with_method("POST");
    for form in list_valid_forms(subjects) {
        if form.waits_for_imports() {
            run_imports(&scene.world).await;
        }
        if form.waits_for_charging() {
            run_charging(&scene.world).await;
        }
        let (table, text) = form.stores;
        let before = scene.read_table(table).await;
        let (kind, body) = form.build_body();
        let headers = [("Content-Type", kind)];
        let answer = scene.send(token, "POST", &form.at, &headers, &body).await.head;
        let changes = list_differences(&before, &scene.read_table(table).await);
        let access = routes.iter().find(|route| route.path == form.route).unwrap().access;
        let is_right = match is_refused_to_operator(access) && !is_administrator {
            true => answer.status == 403 && changes.is_empty(),
            false => {
                let is_stored = table.is_empty() || changes.iter().any(|row| row.contains(text));
                answer.status == form.status && is_stored
            }
        };
        if !is_right {
            problems.push(format!("POST {}: {changes:?} {answer:?}", form.at));
        }
    }
    problems
}

#[both_engines]
async fn every_valid_form_is_stored(world: World) {
    let scene = ConsoleScene::on(world).await;
    let problems = send_valid_forms(&scene, &scene.administrator, OF_ADMINISTRATOR, true).await;
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

#[both_engines]
async fn an_operator_stores_the_valid_forms_that_the_table_allows(world: World) {
    let scene = ConsoleScene::on(world).await;
    scene.add_records_of_operator().await;
    let problems = send_valid_forms(&scene, &scene.operator, OF_OPERATOR, false).await;
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

#[test]
fn every_route_that_takes_a_form_has_a_valid_one() {
    let posting = list_routes_with_method("POST").into_iter().map(|route| route.path);
    let known = list_valid_forms(OF_ADMINISTRATOR).into_iter().map(|form| form.route);
    let known = known.chain(crate::accounts::ROUTES.map(str::to_owned));
    let known: BTreeSet<String> = known.collect();
    assert_eq!(posting.collect::<BTreeSet<String>>(), known);
}
