//! The registers of money: groups stay out of sight while there is one, and rates are typed as percentages.

use crate::scene::ConsoleScene;
use testkit::{World, both_engines};

const GROUP: &str = "Grupo de proteção";

async fn read_page(scene: &ConsoleScene, path: &str) -> String {
    let page = scene.get(&scene.administrator, path).await.head;
    assert_eq!(page.status, 200, "{path} {page:?}");
    page.body
}

async fn save_form(scene: &ConsoleScene, path: &str, form: &str) {
    let saved = scene.post(&scene.administrator, path, form).await.head;
    assert_eq!(saved.status, 303, "{path} {saved:?}");
}

#[both_engines]
async fn an_association_with_one_group_never_sees_the_word(world: World) {
    let scene = ConsoleScene::on(world).await;
    let pages = [
        "plano",
        "plano/novo",
        "plano/1",
        "regraCobranca",
        "regraCobranca/novo",
        "contaFinanceira",
        "contaFinanceira/novo",
        "contaFinanceira/1",
    ]
    .map(|page| format!("/console/cadastros/{page}"));
    for path in &pages {
        assert!(!read_page(&scene, path).await.contains(GROUP), "{path}");
    }
    save_form(&scene, "/console/cadastros/plano/novo", "nome=Novo&tipoBeneficio=SAUDE&valor=10,00").await;
    save_form(&scene, "/console/cadastros/grupoProtecao/novo", "nome=Caminhões").await;
    // The group of an account is fixed, and the first account has none to show.
    for path in pages.iter().filter(|path| !path.ends_with("contaFinanceira/1")) {
        let page = read_page(&scene, path).await;
        assert!(page.contains(GROUP), "{path} {page}");
    }
    save_form(&scene, "/console/cadastros/plano/1", "nome=Plano+1&valor=10,00&codGrupo=2&versao=1").await;
    let first = read_page(&scene, "/console/cadastros/plano/1").await;
    assert!(first.contains("<option value=\"2\" selected>Caminhões</option>"), "{first}");
    scene.server.stop().await;
}

#[both_engines]
async fn a_new_account_sends_identifiers_unless_somebody_unticks_it(world: World) {
    let scene = ConsoleScene::on(world).await;
    let new = read_page(&scene, "/console/cadastros/contaFinanceira/novo").await;
    let (_, flag) = new.split_once("name=\"mandaIdentificador\"").unwrap();
    let (flag, _) = flag.split_once('>').unwrap();
    assert!(flag.contains(" checked"), "{new}");
    save_form(&scene, "/console/cadastros/contaFinanceira/novo", "nome=Calada&tipo=BANCO").await;
    let stored = read_page(&scene, "/console/cadastros/contaFinanceira/3").await;
    let (_, flag) = stored.split_once("name=\"mandaIdentificador\"").unwrap();
    let (flag, _) = flag.split_once('>').unwrap();
    assert!(!flag.contains(" checked"), "{stored}");
    scene.server.stop().await;
}

#[both_engines]
async fn a_rate_is_typed_and_shown_as_a_percentage(world: World) {
    let scene = ConsoleScene::on(world).await;
    let new = read_page(&scene, "/console/cadastros/regraEncargos/novo").await;
    assert!(new.contains("value=\"2,00\"") && new.contains("value=\"1,00\""), "{new}");
    assert!(new.contains("<span>%</span>"), "{new}");
    let typed = "nome=Outra&multa=2,5&jurosMes=0,33+%25&diferenca=DISPENSA";
    save_form(&scene, "/console/cadastros/regraEncargos/novo", typed).await;
    let list = read_page(&scene, "/console/cadastros/regraEncargos").await;
    assert!(list.contains("2,50%") && list.contains("0,33%") && list.contains("É dispensada"), "{list}");
    let wrong = "nome=Demais&multa=100,01&jurosMes=1,00&diferenca=DISPENSA";
    let refused = scene.post(&scene.administrator, "/console/cadastros/regraEncargos/novo", wrong).await.head;
    assert!(refused.status == 400 && refused.body.contains("percentual de 0 a 100"), "{refused:?}");
    scene.server.stop().await;
}
