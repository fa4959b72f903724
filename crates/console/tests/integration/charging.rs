//! The charging run of a month on the console: from the preview to the titles and back, and who may do which step.

use crate::scene::{ConsoleScene, run_charging};
use serde_json::{Value, json};
use storage::{WriteLane, sql};
use testkit::{World, both_engines};

const RUNS: &str = "/console/financeiro/cobrancas";
/// As the form of the situation sends it.
const CANCELLATION: &str = "codSituacao=6&motivo=Saiu";

async fn read_page(scene: &ConsoleScene, token: &str, path: &str) -> String {
    let answer = scene.get(token, path).await.head;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body.replace('\u{a0}', " ")
}

async fn send_form(scene: &ConsoleScene, token: &str, path: &str, form: &str) -> String {
    let answer = scene.post(token, path, form).await.head;
    assert_eq!(answer.status, 303, "{path} {form}: {answer:?}");
    answer.header("location").unwrap().to_owned()
}

fn assert_shows(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text} is not shown in {page}");
    }
}

fn find_token(page: &str) -> &str {
    page.split("name=\"envio\" value=\"").nth(1).unwrap().split('"').next().unwrap()
}

/// The value of a hidden field.
fn find_hidden<'p>(page: &'p str, name: &str) -> &'p str {
    let field = format!("name=\"{name}\" value=\"");
    page.split(&field).nth(1).unwrap_or_else(|| panic!("no {name} in {page}")).split('"').next().unwrap()
}

/// Sends one of the forms that change a benefit, and says where it leads.
async fn change_benefit(scene: &ConsoleScene, benefit: &str, (form, body): (&str, &str)) -> String {
    let (admin, place) = (&scene.administrator, format!("/console/beneficios/{benefit}"));
    let page = read_page(scene, admin, &format!("{place}/alterar")).await;
    let version = find_hidden(&page, "versao");
    send_form(scene, admin, &format!("{place}/{form}"), &format!("{body}&versao={version}")).await
}

/// Gives a benefit a due day and makes it active, so that it is charged.
async fn make_chargeable(scene: &ConsoleScene, benefit: &str) {
    for change in [("alterar", "diaVencimento=10"), ("situacao", "codSituacao=1")] {
        let place = change_benefit(scene, benefit, change).await;
        assert_eq!(place, format!("/console/beneficios/{benefit}"));
    }
}

/// Issues the titles of December in branch 2: that of the first benefit has code 3.
async fn issue_december(scene: &ConsoleScene) {
    let admin = &scene.administrator;
    let place = send_form(scene, admin, RUNS, "mes=2026-12&codLoja=2&parcelas=1").await;
    run_charging(&scene.world).await;
    send_form(scene, admin, &format!("{place}/aprovar"), "").await;
    run_charging(&scene.world).await;
}

/// Gives the operator these rights about money, and signs them in.
async fn sign_in_operator_with(scene: &ConsoleScene, version: i32, rights: Value) -> String {
    let token = scene.server.token(&scene.world.administrator.email).await;
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let user = json!({"versao": version, "permissoesFinanceiras": rights}).to_string();
    let changed = scene.server.send("PUT", "/gestao/usuario/2", &headers, user.as_bytes()).await.head;
    assert_eq!(changed.status, 200, "{changed:?}");
    scene.server.console_token(&scene.world.operator.email).await
}

#[both_engines]
async fn a_month_is_previewed_approved_and_undone(world: World) {
    let scene = ConsoleScene::on(world).await;
    let admin = &scene.administrator;
    make_chargeable(&scene, "1").await;
    let list = read_page(&scene, admin, RUNS).await;
    assert_shows(&list, &["dezembro de 2026", "Preparar a prévia", "Espera aprovação"]);
    let form = format!("envio={}&mes=2026-12&codLoja=2&parcelas=1", find_token(&list));
    let place = send_form(&scene, admin, RUNS, &form).await;
    assert_eq!(send_form(&scene, admin, RUNS, &form).await, place, "a form sent twice prepares once");
    let page = read_page(&scene, admin, &place).await;
    assert_shows(
        &page,
        &["Preparando a prévia", "http-equiv=\"refresh\"", "Atualizar", "Descartar a prévia"],
    );
    run_charging(&scene.world).await;
    let page = read_page(&scene, admin, &place).await;
    assert_shows(
        &page,
        &[
            "Espera aprovação",
            "Por item e natureza",
            "Aprovar e emitir R$ ",
            "Pessoa 1",
            " · valor do plano: ",
        ],
    );
    assert!(!page.contains("http-equiv=\"refresh\""), "{page}");
    for (filter, texts) in [
        ("?mostrar=cobrados", ["Pessoa 1", "Cobrados (1)"]),
        ("?mostrar=nao", ["Nenhum benefício aqui.", "Não cobrados (0)"]),
    ] {
        assert_shows(&read_page(&scene, admin, &format!("{place}{filter}")).await, &texts);
    }
    let form = format!("envio={}", find_token(&page));
    for _ in 0..2 {
        send_form(&scene, admin, &format!("{place}/aprovar"), &form).await;
    }
    assert_shows(&read_page(&scene, admin, &place).await, &["Emitindo os títulos", "0 de 1 benefícios"]);
    run_charging(&scene.world).await;
    let page = read_page(&scene, admin, &place).await;
    assert_shows(
        &page,
        &["Emitida", "títulos emitidos", "Desfazer a cobrança", "/console/financeiro/titulos/3"],
    );
    let title = read_page(&scene, admin, "/console/financeiro/titulos/3").await;
    assert_shows(&title, &["· valor do plano"]);
    let refused = scene.post(admin, &format!("{place}/desfazer"), "motivo=").await.head;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_shows(&refused.body, &["Informe o motivo."]);
    let refused = scene.post(admin, &format!("{place}/aprovar"), "").await.head;
    assert_eq!(refused.status, 400, "{refused:?}");
    send_form(&scene, admin, &format!("{place}/desfazer"), "motivo=Mes+errado").await;
    run_charging(&scene.world).await;
    let page = read_page(&scene, admin, &place).await;
    assert_shows(&page, &["Desfeita", "Motivo para desfazer: Mes errado", "títulos cancelados"]);
    scene.server.stop().await;
}

#[both_engines]
async fn a_changed_benefit_gets_other_titles_when_somebody_has_seen_them(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, revision) = (&scene.administrator, "/console/financeiro/revisoes/1");
    make_chargeable(&scene, "1").await;
    issue_december(&scene).await;
    let overview = read_page(&scene, admin, "/console/financeiro").await;
    assert!(!overview.contains("títulos a vencer que talvez"), "{overview}");
    let place = change_benefit(&scene, "1", ("alterar", "diaVencimento=15")).await;
    assert_eq!(place, revision, "to be decided at once");
    let place = change_benefit(&scene, "1", ("alterar", "diaVencimento=15&observacao=Nota")).await;
    assert_eq!(place, "/console/beneficios/1", "a note changes no title");
    for (path, texts) in [
        ("/console/financeiro", ["1 benefício com títulos a vencer", "Rever títulos"]),
        ("/console/financeiro/revisoes", ["Rever o benefício", "Pessoa 1"]),
        ("/console/beneficios/1", ["Rever títulos a vencer", revision]),
        (revision, ["Será trocado", "com vencimento em 15/12/2026."]),
    ] {
        assert_shows(&read_page(&scene, admin, path).await, &texts);
    }
    assert_shows(&read_page(&scene, &scene.operator, revision).await, &["Será trocado", "Fazer a troca"]);
    let page = read_page(&scene, admin, revision).await;
    let names = ["envio", "conferencia"];
    let fields = names.map(|name| format!("{name}={}", find_hidden(&page, name)));
    for _ in 0..2 {
        send_form(&scene, admin, &format!("{revision}/aplicar"), &fields.join("&")).await;
    }
    let page = read_page(&scene, admin, revision).await;
    assert_shows(&page, &["Fica como está", "15/12/2026"]);
    assert!(!page.contains("Fazer a troca"), "{page}");
    assert_shows(&read_page(&scene, admin, "/console/financeiro/revisoes").await, &["Nada a rever"]);
    scene.server.stop().await;
}

#[both_engines]
async fn a_form_that_changes_a_benefit_says_what_becomes_of_its_titles(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, benefit) = (&scene.administrator, "/console/beneficios/1");
    make_chargeable(&scene, "1").await;
    issue_december(&scene).await;
    for form in ["situacao", "alterar", "itens"] {
        let page = read_page(&scene, admin, &format!("{benefit}/{form}")).await;
        assert_shows(
            &page,
            &[
                "Títulos em aberto deste benefício",
                "espera a sua confirmação",
                "/console/financeiro/titulos/1\"",
                "R$ 90,00",
                "/console/financeiro/titulos/3\"",
                "A vencer",
            ],
        );
    }
    assert_shows(&read_page(&scene, admin, benefit).await, &["Este benefício tem 2 títulos a vencer (R$ "]);
    let page = read_page(&scene, admin, &format!("{benefit}/situacao")).await;
    assert_shows(&page, &["cancela 1 título a vencer (R$ "]);
    let cancellation = format!("{CANCELLATION}&versao={}", find_hidden(&page, "versao"));
    let answer = scene.post(admin, &format!("{benefit}/situacao"), &cancellation).await.head;
    assert_eq!((answer.status, answer.header("location")), (303, Some("/console/financeiro/revisoes/1")));
    let shown = scene.follow_redirect(admin, &answer).await.body;
    assert_shows(&shown, &["Falta decidir sobre os títulos a vencer", "Será cancelado"]);
    scene.server.stop().await;
}

/// The member moved here, and the title stayed where it was issued.
#[both_engines]
async fn a_form_tells_of_titles_that_its_user_does_not_see(world: World) {
    let scene = ConsoleScene::on(world).await;
    make_chargeable(&scene, "1").await;
    issue_december(&scene).await;
    let moved =
        scene.world.db().write(WriteLane::foreground(scene.world.here), scene.world.here, |tx, tenant| {
            Box::pin(async move {
                let titles = "UPDATE titles SET branch = 1 WHERE tenant = $1 AND branch = 2";
                tx.execute(sql(titles).arg(*tenant)).await
            })
        });
    let moved: Result<u64, storage::Error> = moved.await;
    assert!(moved.unwrap() > 0);
    let page = read_page(&scene, &scene.operator, "/console/beneficios/1/situacao").await;
    assert_shows(&page, &["Há títulos em lojas que você não acessa; quem cuida delas confere depois."]);
    assert!(!page.contains("Nenhum título em aberto"), "{page}");
    scene.server.stop().await;
}

#[both_engines]
async fn titles_of_a_changed_benefit_are_decided_by_those_who_may(world: World) {
    let scene = ConsoleScene::on(world).await;
    let benefit = "/console/beneficios/1";
    make_chargeable(&scene, "1").await;
    issue_december(&scene).await;
    let viewer = sign_in_operator_with(&scene, 1, json!(["VER"])).await;
    let page = read_page(&scene, &viewer, &format!("{benefit}/situacao")).await;
    assert_shows(&page, &["quem cuida dos recebimentos confere depois", "cancela 1 título a vencer"]);
    assert!(!page.contains("a sua confirmação"), "{page}");
    let cancellation = format!("{CANCELLATION}&versao={}", find_hidden(&page, "versao"));
    let answer = scene.post(&viewer, &format!("{benefit}/situacao"), &cancellation).await.head;
    assert_eq!((answer.status, answer.header("location")), (303, Some(benefit)));
    let shown = scene.follow_redirect(&viewer, &answer).await.body;
    assert_shows(&shown, &["Quem cuida dos recebimentos ainda vai rever os títulos a vencer."]);
    let other = sign_in_operator_with(&scene, 2, json!([])).await;
    for form in ["situacao", "alterar", "itens"] {
        let page = read_page(&scene, &other, &format!("{benefit}/{form}")).await;
        assert!(!page.contains("Títulos em aberto") && !page.contains("a vencer"), "{form}: {page}");
    }
    scene.server.stop().await;
}

#[both_engines]
async fn each_step_is_for_those_who_may(world: World) {
    let scene = ConsoleScene::on(world).await;
    let own = format!("{RUNS}/1");
    let page = read_page(&scene, &scene.operator, &own).await;
    assert_shows(&page, &["Espera aprovação", "Aprovar a cobrança do mês", "Descartar a prévia"]);
    assert!(!page.contains("Aprovar e emitir"), "{page}");
    assert_eq!(scene.get(&scene.operator, &format!("{RUNS}/2")).await.head.status, 404);
    let list = read_page(&scene, &scene.operator, RUNS).await;
    assert!(list.contains(&own) && !list.contains(&format!("{RUNS}/2")), "{list}");
    for (path, form) in [("aprovar", ""), ("desfazer", "motivo=Engano")] {
        let answer = scene.post(&scene.operator, &format!("{own}/{path}"), form).await.head;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    // A user of one branch charges it without naming it.
    let place = send_form(&scene, &scene.operator, RUNS, "mes=2026-12").await;
    assert_shows(&read_page(&scene, &scene.operator, &place).await, &["loja "]);
    send_form(&scene, &scene.operator, &format!("{own}/descartar"), "").await;
    assert_shows(&read_page(&scene, &scene.operator, &own).await, &["Descartada"]);
    for (form, problem) in [
        ("mes=", "id=\"p-mes\""),
        ("mes=2036-12", "id=\"p-mes\""),
        ("mes=2026-12&parcelas=13", "id=\"p-parcelas\""),
    ] {
        let refused = scene.post(&scene.administrator, RUNS, form).await.head;
        assert_eq!(refused.status, 400, "{form}: {refused:?}");
        assert_shows(&refused.body, &[problem, "Nada foi preparado ainda."]);
    }
    scene.server.stop().await;
}
