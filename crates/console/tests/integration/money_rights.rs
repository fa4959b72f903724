//! The rights about money in the form of a user.

use crate::scene::ConsoleScene;
use testkit::{World, both_engines};

const LABELS: [(&str, &str); 4] = [
    ("VER", "Ver valores e títulos"),
    ("LIQUIDAR", "Receber e estornar pagamentos"),
    ("APROVAR", "Aprovar a cobrança do mês"),
    ("FECHAR", "Fechar e reabrir meses"),
];
const HINT: &str = "O administrador pode tudo.";

/// The checked boxes of a page, and whether all four are disabled.
async fn find_boxes(scene: &ConsoleScene, path: &str) -> (Vec<&'static str>, bool) {
    let page = scene.get(&scene.administrator, path).await.head.body;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("<legend>Financeiro</legend>"), "{page}");
    let (mut checked, mut disabled) = (Vec::new(), 0);
    for (value, label) in LABELS {
        let start = format!("name=\"permissoesFinanceiras\" value=\"{value}\"");
        let (state, rest) = page.split_once(&start).unwrap().1.split_once('>').unwrap();
        assert!(rest.trim_start().starts_with(label), "{rest}");
        checked.extend(state.contains("checked").then_some(value));
        disabled += usize::from(state.contains("disabled"));
    }
    assert_eq!(page.contains(HINT), disabled == LABELS.len(), "{page}");
    assert!(disabled == 0 || disabled == LABELS.len(), "{page}");
    (checked, disabled > 0)
}

/// Whether the member search answers the user of a page as it did in 2023.
async fn is_old_answer_chosen(scene: &ConsoleScene, path: &str) -> bool {
    let page = scene.get(&scene.administrator, path).await.head.body;
    let (_, rest) = page.split_once("name=\"respostaAntigaPesquisa\"").unwrap();
    rest.split_once('>').unwrap().0.contains("checked")
}

#[both_engines]
async fn boxes_say_what_a_user_may_do_with_money(world: World) {
    let scene = ConsoleScene::on(world).await;
    let all: Vec<&str> = LABELS.iter().map(|(value, _)| *value).collect();
    let own = format!("/console/usuarios/{}", scene.world.administrator.code);
    assert_eq!(find_boxes(&scene, &own).await, (all.clone(), true));
    assert_eq!(find_boxes(&scene, "/console/usuarios/novo").await, (vec![], false));
    let path = "/console/usuarios/2";
    assert_eq!(find_boxes(&scene, path).await, (vec!["VER", "LIQUIDAR"], false));
    let save = async |path: &str, rest: &str| {
        let form = format!("nome=Operadora&email=operador@aqui.example&lojas=2&ativo=sim&{rest}");
        let saved = scene.post(&scene.administrator, path, &form).await.head;
        assert_eq!(saved.status, 303, "{saved:?}");
    };
    let chosen = "financeiro=sim&permissoesFinanceiras=VER&permissoesFinanceiras=APROVAR";
    save(path, &format!("perfil=operador&versao=1&{chosen}")).await;
    assert_eq!(find_boxes(&scene, path).await, (vec!["VER", "APROVAR"], false));
    // The form of an administrator sends no boxes, so what was chosen before stays.
    save(path, &format!("perfil=administrador&versao=2&{chosen}")).await;
    assert_eq!(find_boxes(&scene, path).await, (all, true));
    save(path, "perfil=operador&versao=3").await;
    assert_eq!(find_boxes(&scene, path).await, (vec!["VER", "APROVAR"], false));
    save(path, "perfil=operador&versao=4&financeiro=sim").await;
    assert_eq!(find_boxes(&scene, path).await, (vec![], false));
    let new = "nome=Nova&email=nova@aqui.example&perfil=operador&lojas=2&financeiro=sim&permissoesFinanceiras=FECHAR";
    let saved = scene.post(&scene.administrator, "/console/usuarios/novo", new).await.head;
    assert_eq!(saved.status, 303, "{saved:?}");
    assert!(!is_old_answer_chosen(&scene, path).await);
    save(path, "perfil=operador&versao=5&respostaAntigaPesquisa=sim").await;
    assert!(is_old_answer_chosen(&scene, path).await);
    save(path, "perfil=operador&versao=6").await;
    assert!(!is_old_answer_chosen(&scene, path).await);
    let users = scene.read_table("users").await;
    let row = users.lines().find(|line| line.contains("nova@aqui.example")).unwrap();
    assert!(row.contains(" | 8 | "), "{row}");
    scene.server.stop().await;
}
