//! Every page and file, for everybody who may ask for it.

use crate::forms::is_refused_to_operator;
use crate::scene::{
    ConsoleScene, FOREIGN_TEXTS, OTHER_BRANCH, OTHER_BRANCH_NAME, OTHER_TENANT, OWN, PathCodes, fill_path,
    list_malformed_paths, list_routes_with_method,
};
use console::{PageAccess, PageRoute};
use testkit::{Engine, Reply, World, both_engines};

/// Pages that need a link, a pending sign-in or a member answer so without it.
const UNUSUAL_STATUS: [(&str, u16); 8] = [
    ("/senha/nova/{codigo}", 410),
    ("/console/comecar/{codigo}", 303),
    ("/console/entrar/codigo", 303),
    ("/console/financeiro/titulos/novo", 303),
    ("/console/financeiro/titulos/{codigo}/pix", 303),
    ("/console/financeiro/titulos/{codigo}/boleto", 303),
    ("/console/financeiro/lancamentos", 303),
    ("/console/financeiro/creditos", 303),
];

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

fn find_usual_status(route: &PageRoute) -> u16 {
    let unusual = UNUSUAL_STATUS.iter().find(|(path, _)| *path == route.path);
    unusual.map_or(200, |(_, status)| *status)
}

/// Whether the path leads to a record that belongs to a branch.
fn is_record_of_branch(route: &PageRoute) -> bool {
    let tenant_wide =
        ["/console/cadastros", "/console/usuarios", "/console/gatilhos", "/senha", "/console/comecar"];
    route.path.contains("{codigo}") && !tenant_wide.iter().any(|area| route.path.starts_with(area))
}

fn is_html(answer: &Reply) -> bool {
    answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html"))
}

/// What is wrong with an answer, if anything.
fn find_page_problem(answer: &Reply, route: &PageRoute, status: u16) -> Option<String> {
    if answer.status != status {
        return Some(format!("{} instead of {status}: {}", answer.status, answer.body));
    }
    if let Some(text) = FOREIGN_TEXTS.iter().find(|text| answer.body.contains(**text)) {
        return Some(format!("shows {text} of the other association"));
    }
    let file = FILES.iter().find(|(ending, _)| status == 200 && route.path.ends_with(ending));
    let is_right = match file {
        Some((_, kind)) => answer.header("content-type").is_some_and(|given| given.starts_with(kind)),
        None => status == 303 || (is_html(answer) && answer.body.contains("lang=\"pt-BR\"")),
    };
    (!is_right).then(|| format!("is of another type: {answer:?}"))
}

#[both_engines]
async fn a_visitor_sees_public_pages_alone(world: World) {
    let scene = ConsoleScene::on(world).await;
    let mut problems = Vec::new();
    for route in list_routes_with_method("GET") {
        let path = fill_path(&route.path, OWN);
        let answer = scene.get("", &path).await.head;
        let problem = match route.access {
            PageAccess::Public => find_page_problem(&answer, &route, find_usual_status(&route)),
            PageAccess::SignedIn
            | PageAccess::MonthCloser
            | PageAccess::RunApprover
            | PageAccess::Administrator => {
                let to: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
                let place = format!("/console/entrar?para={to}");
                let is_sent = answer.status == 303 && answer.header("location") == Some(&place);
                (!is_sent).then(|| format!("is not sent to {place}: {answer:?}"))
            }
        };
        problems.extend(problem.map(|problem| format!("GET {}: {problem}", route.path)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

/// A request for a page, and the status that answers it.
struct PageRequest<'s> {
    who: &'static str,
    token: &'s str,
    codes: PathCodes,
    status: u16,
}

/// They are of the whole association, and the operator of these tests sees one branch.
const BOOKS: [&str; 2] = ["/console/financeiro/balancete", "/console/financeiro/razao"];

/// What everybody of this association asks of a route.
fn list_page_requests<'s>(scene: &'s ConsoleScene, route: &PageRoute) -> Vec<PageRequest<'s>> {
    let usual = find_usual_status(route);
    let request = |who, token: &'s str, codes, status| PageRequest { who, token, codes, status };
    let by_administrator = |codes, status| request("administrator", &scene.administrator, codes, status);
    let by_operator = |codes, status| {
        let is_refused = is_refused_to_operator(route.access) || BOOKS.contains(&route.path.as_str());
        request("operator", &scene.operator, codes, if is_refused { 403 } else { status })
    };
    // Operators see their own imports alone.
    let is_import = route.path.starts_with("/console/importar/{codigo}");
    let for_program = if route.access == PageAccess::Public { usual } else { 403 };
    let mut requests = vec![
        by_administrator(OWN, usual),
        by_operator(OWN, if is_import { 404 } else { usual }),
        request("program", &scene.program, OWN, for_program),
    ];
    if is_record_of_branch(route) {
        requests.extend([by_administrator(OTHER_BRANCH, usual), by_operator(OTHER_BRANCH, 404)]);
    }
    if route.path.contains("{codigo}") && route.access != PageAccess::Public {
        requests.extend([by_administrator(OTHER_TENANT, 404), by_operator(OTHER_TENANT, 404)]);
    }
    requests
}

#[both_engines]
async fn everybody_sees_what_the_table_allows(world: World) {
    let scene = ConsoleScene::on(world).await;
    scene.add_credits().await;
    let mut problems = Vec::new();
    for route in list_routes_with_method("GET") {
        for PageRequest { who, token, codes, status } in list_page_requests(&scene, &route) {
            let path = fill_path(&route.path, codes);
            let answer = scene.get(token, &path).await.head;
            let problem = find_page_problem(&answer, &route, status);
            problems.extend(problem.map(|problem| format!("{who} GET {path}: {problem}")));
            if who == "operator" && answer.body.contains(OTHER_BRANCH_NAME) {
                problems.push(format!("{who} GET {path}: shows another branch"));
            }
        }
        // What is hidden from them is there.
        let path = fill_path(&route.path, OTHER_TENANT);
        let status = scene.get(&scene.foreigner, &path).await.head.status;
        if status != find_usual_status(&route) {
            problems.push(format!("foreigner GET {path}: {status}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

/// The path of a route with malformed queries.
fn list_malformed_queries(route: &PageRoute) -> Vec<String> {
    let names = [
        "nome", "q", "situacao", "codigo", "cpf", "funil", "desde", "antes", "tipo", "ordem", "loja", "para",
    ];
    let fill_all = |value: &str| names.map(|name| format!("{name}={value}")).join("&");
    let queries = ["pagina=-1", "pagina=x", "pagina=99999999999"].map(str::to_owned).into_iter();
    let queries = queries.chain(["%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%22%3E%27", "%FF%00"].map(fill_all));
    let path = fill_path(&route.path, OWN);
    queries.map(|query| format!("{path}?{query}")).collect()
}

#[testkit::test]
async fn malformed_paths_and_queries_are_answered_with_a_page() {
    let scene = ConsoleScene::on(World::hostile(Engine::Sqlite).await).await;
    let mut problems = Vec::new();
    for route in list_routes_with_method("GET") {
        let (paths, queries) = (list_malformed_paths(&route.path), list_malformed_queries(&route));
        let paths = paths.into_iter().map(|path| (path, &[303, 400, 404, 410][..]));
        let queries = queries.into_iter().map(|path| (path, &[200, 303, 400, 404, 410][..]));
        for (path, allowed) in paths.chain(queries) {
            let answer = scene.get(&scene.administrator, &path).await.head;
            let is_told = answer.status < 400 || is_html(&answer) || answer.status == 400;
            let is_escaped = !is_html(&answer) || !answer.body.contains("<script>alert");
            if !allowed.contains(&answer.status) || !is_told || !is_escaped {
                problems.push(format!("GET {path}: {answer:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}
