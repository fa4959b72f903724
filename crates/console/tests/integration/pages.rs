//! Every page and file, for everybody who may ask for it.

use crate::scene::{
    FOREIGN_TEXTS, OTHER_BRANCH, OTHER_TENANT, OWN, Scene, fill_path, list_routes_with_method,
};
use console::{ConsoleRoute, PageAccess};
use testkit::{Whole, World, both_engines};

/// Pages that need a link or a pending sign-in answer so without it.
const UNUSUAL_STATUS: [(&str, u16); 3] =
    [("/senha/nova/{codigo}", 410), ("/console/comecar/{codigo}", 303), ("/console/entrar/codigo", 303)];

/// The media types of what is no page, by how the path ends.
const FILES: [(&str, &str); 10] = [
    (".css", "text/css"),
    (".js", "text/javascript"),
    (".svg", "image/svg+xml"),
    ("/figuras/{figura}", "image/png"),
    ("/exportar/{lista}", "text/csv"),
    ("/exemplos/{tipo}", "text/csv"),
    ("/erros.csv", "text/csv"),
    ("/conteudo", "image/jpeg"),
    ("/miniatura", "image/jpeg"),
    ("/mudancas", "text/html"),
];

fn expected_status(route: &ConsoleRoute) -> u16 {
    let unusual = UNUSUAL_STATUS.iter().find(|(path, _)| *path == route.path);
    unusual.map_or(200, |(_, status)| *status)
}

fn is_page(route: &ConsoleRoute) -> bool {
    !FILES.iter().any(|(ending, _)| route.path.ends_with(ending))
}

/// Whether the path leads to a record that belongs to a branch.
fn is_record_of_branch(route: &ConsoleRoute) -> bool {
    let tenant_wide =
        ["/console/cadastros", "/console/usuarios", "/console/gatilhos", "/senha", "/console/comecar"];
    route.path.contains("{codigo}") && !tenant_wide.iter().any(|area| route.path.starts_with(area))
}

fn is_record_of_tenant(route: &ConsoleRoute) -> bool {
    route.path.contains("{codigo}") && route.access != PageAccess::Public
}

/// What is wrong with an answer, if anything.
fn check_answer(answer: &Whole, status: u16, is_page: bool) -> Option<String> {
    let head = &answer.head;
    if head.status != status {
        return Some(format!("{} instead of {status}: {}", head.status, head.body.trim()));
    }
    if let Some(text) = FOREIGN_TEXTS.iter().find(|text| head.body.contains(**text)) {
        return Some(format!("shows {text} of the other association"));
    }
    let is_html = head.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
    let has_language = head.body.contains("lang=\"pt-BR\"");
    (is_page && status != 303 && !(is_html && has_language)).then(|| format!("is no page: {head:?}"))
}

#[both_engines]
async fn a_visitor_sees_public_pages_alone(world: World) {
    let scene = Scene::on(world).await;
    let mut problems = Vec::new();
    for route in list_routes_with_method("GET") {
        let path = fill_path(&route.path, OWN);
        let answer = scene.get("", &path).await;
        let problem = match route.access {
            PageAccess::Public => check_answer(&answer, expected_status(&route), is_page(&route)),
            PageAccess::SignedIn | PageAccess::Administrator => {
                let to: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
                let place = format!("/console/entrar?para={to}");
                let is_sent = answer.head.status == 303 && answer.head.header("location") == Some(&place);
                (!is_sent).then(|| format!("is not sent to {place}: {:?}", answer.head))
            }
        };
        problems.extend(problem.map(|problem| format!("GET {}: {problem}", route.path)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

#[both_engines]
async fn everybody_sees_what_the_table_allows(world: World) {
    let scene = Scene::on(world).await;
    let mut problems = Vec::new();
    for route in list_routes_with_method("GET") {
        let usual = expected_status(&route);
        let is_public = route.access == PageAccess::Public;
        let for_operator = if route.access == PageAccess::Administrator { 403 } else { usual };
        // An operator sees the imports of that operator alone.
        let is_import = route.path.starts_with("/console/importar/{codigo}");
        let mut calls = vec![
            ("administrator", &scene.administrator, OWN, usual),
            ("operator", &scene.operator, OWN, if is_import { 404 } else { for_operator }),
            ("program", &scene.program, OWN, if is_public { usual } else { 403 }),
        ];
        if is_record_of_branch(&route) {
            calls.push(("administrator", &scene.administrator, OTHER_BRANCH, usual));
            calls.push(("operator", &scene.operator, OTHER_BRANCH, 404));
        }
        if is_record_of_tenant(&route) {
            let for_operator = if route.access == PageAccess::Administrator { 403 } else { 404 };
            calls.push(("administrator", &scene.administrator, OTHER_TENANT, 404));
            calls.push(("operator", &scene.operator, OTHER_TENANT, for_operator));
        }
        for (who, token, codes, status) in calls {
            let path = fill_path(&route.path, codes);
            let answer = scene.get(token, &path).await;
            let must_be_page = is_page(&route) || status >= 400;
            let problem = check_answer(&answer, status, must_be_page);
            problems.extend(problem.map(|problem| format!("{who} GET {path}: {problem}")));
            if let Some((_, kind)) =
                FILES.iter().find(|(ending, _)| status == 200 && route.path.ends_with(ending))
            {
                let given = answer.head.header("content-type").unwrap_or_default();
                if !given.starts_with(kind) {
                    problems.push(format!("{who} GET {path}: {given} instead of {kind}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

#[testkit::test]
async fn malformed_paths_and_queries_are_answered_with_a_page() {
    let scene = Scene::on(World::hostile(testkit::Engine::Sqlite).await).await;
    let mut problems = Vec::new();
    for route in list_routes_with_method("GET") {
        let mut paths = Vec::new();
        for text in ["abc", "0", "-1", "99999999999", "%3Cscript%3Ealert(1)%3C%2Fscript%3E"] {
            let fill = |part: &str| if part.starts_with('{') { text.to_owned() } else { part.to_owned() };
            let path = route.path.split('/').map(fill).collect::<Vec<_>>().join("/");
            paths.extend((path != route.path).then_some((path, true)));
        }
        let path = fill_path(&route.path, OWN);
        for query in ["pagina=-1", "pagina=x", "pagina=99999999999", "para=%3Cscript%3Ealert(1)"] {
            paths.push((format!("{path}?{query}"), false));
        }
        let names =
            ["nome", "q", "situacao", "codigo", "cpf", "funil", "desde", "antes", "tipo", "ordem", "loja"];
        for value in ["%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%22%3E%27", "%FF%00"] {
            let query: Vec<String> = names.iter().map(|name| format!("{name}={value}")).collect();
            paths.push((format!("{path}?{}", query.join("&")), false));
        }
        for (path, is_malformed) in paths {
            let answer = scene.get(&scene.administrator, &path).await;
            let (status, body) = (answer.head.status, &answer.head.body);
            let allowed: &[u16] =
                if is_malformed { &[303, 400, 404, 410] } else { &[200, 303, 400, 404, 410] };
            if !allowed.contains(&status) {
                problems.push(format!("GET {path}: {status} {body}"));
            }
            let is_html =
                answer.head.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
            if is_html && body.contains("<script>alert") {
                problems.push(format!("GET {path}: unescaped"));
            }
            if is_malformed && status >= 400 && !body.contains("lang=\"pt-BR\"") {
                problems.push(format!("GET {path}: no page"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}
