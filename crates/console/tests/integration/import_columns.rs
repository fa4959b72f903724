//! The columns of an import: a refused form changes neither them nor what is remembered for the next sheet.

use crate::forms::list_differences;
use crate::scene::ConsoleScene;
use std::time::Duration;
use testkit::{World, both_engines};

const PATH: &str = "/console/importar/1/colunas";
const COMPLETE: &str = "campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=";

#[both_engines]
async fn a_refused_mapping_changes_nothing(world: World) {
    let mut scene = ConsoleScene::on(world).await;
    let before = scene.read_database().await;
    for (form, sentence) in [
        ("", "Falta dizer que coluna traz:"),
        ("campo-0=cpfCnpj&campo-1=&campo-2=codLoja", "Falta dizer que coluna traz:"),
        ("campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=nomePessoa", "Outra coluna também vai para"),
        ("campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=lugar", "lugar"),
        ("campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=&loja=99", "99"),
    ] {
        let refused = scene.post(&scene.administrator, PATH, form).await.head;
        assert!(refused.status == 400 && refused.body.contains(sentence), "{form}: {refused:?}");
    }
    assert_eq!(list_differences(&before, &scene.read_database().await), [""; 0]);
    // The lines of a sheet are deleted after a week; a mapping does not bring them back.
    scene.world.clock.pass(Duration::from_hours(192));
    scene.administrator = scene.server.console_token(&scene.world.administrator.email).await;
    let before = scene.read_table("imports").await;
    let refused = scene.post(&scene.administrator, PATH, COMPLETE).await.head;
    assert!(refused.status == 400 && refused.body.contains("já foi apagado"), "{refused:?}");
    assert_eq!(scene.read_table("imports").await, before);
    scene.server.stop().await;
}

#[both_engines]
async fn a_complete_mapping_is_stored_and_checked(world: World) {
    let scene = ConsoleScene::on(world).await;
    let before = scene.read_table("imports").await;
    let stored = scene.post(&scene.administrator, PATH, COMPLETE).await.head;
    assert_eq!((stored.status, stored.header("location")), (303, Some("/console/importar/1")), "{stored:?}");
    assert_ne!(scene.read_table("imports").await, before);
    scene.server.stop().await;
}
