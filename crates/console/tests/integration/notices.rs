//! The notice that one page leaves for the next: shown once, by whatever page comes next.

use crate::forms::{EMPTY_IS_ENOUGH, UNUSUAL_STATUS};
use crate::scene::{
    ConsoleScene, FORM, MULTIPART, NOTICE, OWN, fill_path, find_notice, list_routes_with_method,
};
use crate::valid_forms::is_upload;
use testkit::{Engine, Reply, World};

const TEXT: &str = "Filtro “Com aviso” salvo.";

fn expires_notice(answer: &Reply) -> bool {
    let expired = format!("{NOTICE}=; ");
    answer.headers.iter().any(|(_, value)| value.starts_with(&expired) && value.contains("Max-Age=0"))
}

#[testkit::test]
async fn a_notice_expires_with_the_page_that_shows_it_and_with_no_other() {
    let scene = ConsoleScene::on(World::hostile(Engine::Sqlite).await).await;
    let token = &scene.administrator;
    let saved =
        scene.post(token, "/console/filtros", "lista=associados&nome=Com+aviso&consulta=uf%3DRJ").await;
    let notice = format!("{NOTICE}={}", find_notice(&saved.head).unwrap());
    let is_refused = |path: &str| {
        !EMPTY_IS_ENOUGH.contains(&path) && UNUSUAL_STATUS.iter().all(|(known, _)| *known != path)
    };
    let pages = list_routes_with_method("GET").into_iter().map(|route| ("GET", route.path));
    let forms = list_routes_with_method("POST").into_iter().map(|route| ("POST", route.path));
    let (mut problems, mut shown) = (Vec::new(), Vec::new());
    for (method, route) in pages.chain(forms.filter(|(_, path)| is_refused(path))) {
        let path = fill_path(&route, OWN);
        let kind = if is_upload(&route) { MULTIPART } else { FORM };
        let headers = [("Cookie", notice.as_str()), ("Content-Type", kind)];
        let answer = scene.send(token, method, &path, &headers, b"").await.head;
        let shows = answer.body.contains(TEXT);
        if shows != expires_notice(&answer) {
            problems.push(format!("{method} {path}: shows {shows} {:?}", answer.headers));
        }
        shown.extend(shows.then(|| format!("{method} {path}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // Lists, forms, forms that are shown again, and refusals.
    for page in [
        "GET /console/associados",
        "GET /console/associados/novo",
        "GET /console/associados/1/alterar",
        "GET /console/eventos/novo",
        "GET /console/usuarios/novo",
        "POST /console/associados/novo",
        "POST /console/usuarios/2",
        "POST /console/colunas",
    ] {
        assert!(shown.iter().any(|known| known == page), "{page}: {shown:?}");
    }
    scene.server.stop().await;
}

#[testkit::test]
async fn a_refused_action_leaves_an_alert_and_an_accepted_one_a_status() {
    let scene = ConsoleScene::on(World::hostile(Engine::Sqlite).await).await;
    let token = &scene.administrator;
    let one_line = |page: &Reply| page.body.split_whitespace().collect::<Vec<_>>().join(" ");
    let saved =
        scene.post(token, "/console/filtros", "lista=associados&nome=Com+aviso&consulta=uf%3DRJ").await.head;
    let page = one_line(&scene.follow_redirect(token, &saved).await);
    assert!(page.contains(&format!("<div class=\"notice\" role=\"status\"> {TEXT}")), "{page}");
    let refused = scene.post(token, "/console/filtros", "lista=associados&nome=&consulta=uf%3DRJ").await.head;
    assert_eq!(refused.status, 303, "{refused:?}");
    let page = one_line(&scene.follow_redirect(token, &refused).await);
    assert!(page.contains("<div class=\"notice wrong\" role=\"alert\"> O filtro não foi salvo:"), "{page}");
    scene.server.stop().await;
}
