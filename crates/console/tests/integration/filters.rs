//! The right to a saved filter: who is shown it, and who may change or delete it.

use crate::forms::list_differences;
use crate::scene::{ConsoleScene, FOREIGN_TEXTS};
use testkit::{World, both_engines};

/// Code 3 in this association; in the other one, another filter has it.
const OF_OPERATOR: &str = "Do operador";

/// Tries to change and to delete a filter; returns what was not refused as if there were none.
async fn try_filter(scene: &ConsoleScene, token: &str, code: u8) -> Vec<String> {
    let mut problems = Vec::new();
    let rename = "lista=associados&nome=Tomado&todos=sim";
    for (path, form) in
        [(format!("/console/filtros/{code}"), rename), (format!("/console/filtros/{code}/apagar"), "")]
    {
        let answer = scene.post(token, &path, form).await.head;
        let shows_foreign = FOREIGN_TEXTS.iter().any(|text| answer.body.contains(text));
        if answer.status != 404 || shows_foreign {
            problems.push(format!("POST {path}: {answer:?}"));
        }
    }
    problems
}

#[both_engines]
async fn a_private_filter_is_its_owners_alone(world: World) {
    let scene = ConsoleScene::on(world).await;
    scene.save_filters(&scene.operator, &[OF_OPERATOR]).await;
    let lists = [
        (&scene.administrator, "Guardado também", [OF_OPERATOR, "Forasteiro"]),
        (&scene.operator, OF_OPERATOR, ["Guardado", "Forasteiro"]),
        (&scene.foreigner, "Forasteiro 3", [OF_OPERATOR, "Guardado"]),
    ];
    for (token, own, others) in lists {
        let page = scene.get(token, "/console/associados").await.head.body;
        let chips =
            page.split("aria-label=\"Filtros salvos\"").nth(1).unwrap().split("class=\"doings\"").next();
        let chips = chips.unwrap();
        assert!(chips.contains(own), "{own}: {chips}");
        assert!(others.iter().all(|other| !chips.contains(other)), "{own}: {chips}");
    }
    let before = scene.read_database().await;
    let mut problems = Vec::new();
    // Administrators have no right to a private filter of somebody else.
    for (token, code) in [(&scene.operator, 1), (&scene.operator, 2), (&scene.administrator, 3)] {
        problems.extend(try_filter(&scene, token, code).await);
    }
    problems.extend(list_differences(&before, &scene.read_database().await));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let deleted = scene.post(&scene.operator, "/console/filtros/3/apagar", "").await.head;
    assert_eq!(deleted.status, 303, "{deleted:?}");
    let filters = scene.read_table("saved_filters").await;
    assert!(!filters.contains(OF_OPERATOR) && filters.contains("Forasteiro 3"), "{filters}");
    // Without a filter of this code here, the one of the other association is out of reach.
    assert_eq!(try_filter(&scene, &scene.administrator, 3).await, [""; 0]);
    assert_eq!(scene.read_table("saved_filters").await, filters);
    scene.server.stop().await;
}

#[both_engines]
async fn a_shared_filter_is_changed_by_its_owner_and_by_administrators(world: World) {
    let scene = ConsoleScene::on(world).await;
    scene.save_filters(&scene.operator, &[OF_OPERATOR]).await;
    let share = |name: &str| format!("lista=associados&nome={name}&todos=sim");
    let shared = scene.post(&scene.administrator, "/console/filtros/1", &share("Guardado")).await.head;
    assert_eq!(shared.status, 303, "{shared:?}");
    let page = scene.get(&scene.operator, "/console/associados").await.head.body;
    assert!(page.contains(">Guardado") && !page.contains("/console/filtros/1\""), "{page}");
    let before = scene.read_database().await;
    assert_eq!(try_filter(&scene, &scene.operator, 1).await, [""; 0]);
    assert_eq!(list_differences(&before, &scene.read_database().await), [""; 0]);
    let shared = scene.post(&scene.operator, "/console/filtros/3", &share(OF_OPERATOR)).await.head;
    assert_eq!(shared.status, 303, "{shared:?}");
    let page = scene.get(&scene.foreigner, "/console/associados").await.head.body;
    assert!(!page.contains(OF_OPERATOR) && !page.contains("Guardado"), "{page}");
    let deleted = scene.post(&scene.administrator, "/console/filtros/3/apagar", "").await.head;
    assert_eq!(deleted.status, 303, "{deleted:?}");
    assert!(!scene.read_table("saved_filters").await.contains(OF_OPERATOR));
    scene.server.stop().await;
}
