//! Telephones that cannot be dialled as they are: programs register some, and pages say so.

use crate::scene::ConsoleScene;
use serde_json::json;
use testkit::{World, both_engines};

const PERSON: &str = "529.982.247-25";

#[both_engines]
async fn an_incomplete_telephone_is_marked_and_stays_as_it_is(world: World) {
    let scene = ConsoleScene::on(world).await;
    let token = scene.server.token(&scene.world.administrator.email).await;
    let person = json!({"nomePessoa": "Zita Incompleta", "cpfCnpj": PERSON, "codLoja": 2, "telefones": [
        {"numero": "(11)3333-4444", "tipo": "Celular"}, {"numero": "98765-4321", "tipo": "Fixo"}]});
    let saved = scene.server.write("/ext/associado", &token, &person.to_string()).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    let path = format!("/console/associados/{}", saved.json()["codPessoa"]);
    let read = async |path: &str| scene.get(&scene.administrator, path).await.head.body;
    let marks =
        ["(11)3333-4444 (incompleto: um celular tem 9 dígitos)", "98765-4321 (incompleto: falta o DDD)"];
    let page = read(&path).await;
    assert!(marks.iter().all(|mark| page.contains(mark)), "{page}");
    let form = read(&format!("{path}/alterar")).await;
    for hint in ["Incompleto: um celular tem 9 dígitos.", "Incompleto: falta o DDD."] {
        assert!(form.contains(hint), "{hint} in {form}");
    }
    let list = read("/console/associados?nome=zita").await;
    assert!(list.contains("incompleto: um celular tem 9 dígitos"), "{list}");
    // The search leads to the person by the number with an area code, too.
    for (typed, is_found) in [("987654321", true), ("11987654321", true), ("11987654322", false)] {
        let found = scene.get(&scene.administrator, &format!("/console/busca?q={typed}")).await.head;
        assert_eq!(found.header("location") == Some(path.as_str()), is_found, "{typed}: {found:?}");
    }
    // Saved from the form as they are, both stay in their places.
    let form = format!(
        "nomePessoa=Zita+Trocada&cpfCnpj={PERSON}&codLoja=2&versao=1\
         &telefones.0.numero=(11)3333-4444&telefones.1.numero=98765-4321"
    );
    let changed = scene.post(&scene.administrator, &format!("{path}/alterar"), &form).await.head;
    assert_eq!(changed.status, 303, "{changed:?}");
    let page = read(&path).await;
    assert!(page.contains("Zita Trocada") && marks.iter().all(|mark| page.contains(mark)), "{page}");
    scene.server.stop().await;
}
