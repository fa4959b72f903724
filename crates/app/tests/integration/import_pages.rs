//! A sheet brought in by the console's pages, without a browser: what they take, whom they serve and what they refuse.

use exchange::import;
use testkit::{Reply, Server, World, both_engines};

const SHEET: &str = "CPF;Nome;Nascimento;Loja\r\n52998224725;Maria Planilha;25/03/1988;2\r\n11111111112;João Planilha;02/01/1990;2\r\n";

struct Visit<'s> {
    server: &'s Server,
    cookie: String,
}

impl<'s> Visit<'s> {
    async fn of(server: &'s Server, email: &str) -> Visit<'s> {
        Visit { server, cookie: format!("__Host-amparo={}", server.console_token(email).await) }
    }

    async fn get(&self, path: &str) -> Reply {
        self.server.call("GET", path, &[("Cookie", &self.cookie)], "").await
    }

    async fn post(&self, path: &str, form: &str) -> Reply {
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        self.server.call("POST", path, &[("Cookie", &self.cookie), kind], form).await
    }

    async fn send(&self, kind: &str, name: &str, file: &str, more: &[(&str, &str)]) -> Reply {
        let part = |disposition: &str, text: &str| {
            format!("--corte\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{text}\r\n")
        };
        let body = format!(
            "{}{}--corte--\r\n",
            part("name=\"tipo\"", kind),
            part(&format!("name=\"arquivo\"; filename=\"{name}\""), file)
        );
        let headers = [
            &[("Cookie", self.cookie.as_str()), ("Content-Type", "multipart/form-data; boundary=corte")],
            more,
        ];
        self.server.call("POST", "/console/importar/novo", &headers.concat(), &body).await
    }

    /// The page of an import that was just sent.
    async fn sent(&self, kind: &str, file: &str) -> String {
        let answer = self.send(kind, "associados.csv", file, &[]).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        answer.header("location").unwrap().strip_suffix("/colunas").unwrap().to_owned()
    }
}

async fn work(world: &World) {
    while import::run_due_imports(world.app()).await.unwrap() {}
}

#[both_engines]
async fn a_sheet_is_tried_run_and_taken_back_by_pages(world: World) {
    let server = Server::start(world.app().clone()).await;
    let visit = Visit::of(&server, &world.administrator.email).await;
    let empty = visit.get("/console/importar").await;
    assert!(empty.body.contains("Nenhuma importação ainda"), "{empty:?}");
    let here = visit.sent("associados", SHEET).await;
    let columns = visit.get(&format!("{here}/colunas")).await;
    assert!(columns.body.contains("value=\"cpfCnpj\" selected") && columns.body.contains("Maria Planilha"));
    assert_eq!(columns.header("cache-control"), Some("no-store"));
    // Two columns for one field, and none for what is needed: nothing begins, and what was chosen stays.
    let wrong = visit.post(&format!("{here}/colunas"), "campo-0=cpfCnpj&campo-1=cpfCnpj&campo-2=").await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("escolha só uma") && wrong.body.contains("Falta dizer"), "{}", wrong.body);
    assert_eq!(wrong.body.matches("value=\"cpfCnpj\" selected").count(), 2);
    let form = "campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=dataNascimento&campo-3=codLoja";
    assert_eq!(visit.post(&format!("{here}/colunas"), form).await.status, 303);
    let moving = visit.get(&here).await;
    assert!(moving.body.contains("data-andamento") && moving.body.contains("http-equiv=\"refresh\""));
    work(&world).await;
    let checked = visit.get(&here).await;
    assert!(
        checked.body.contains("Importar 1 linha") && checked.body.contains("11111111112"),
        "{}",
        checked.body
    );
    assert!(!checked.body.contains("data-andamento"));
    let errors = visit.get(&format!("{here}/erros.csv")).await;
    assert_eq!(errors.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(errors.header("content-disposition").unwrap().starts_with("attachment"));
    assert!(
        errors.body.contains("João Planilha") && !errors.body.contains("Maria Planilha"),
        "{}",
        errors.body
    );
    assert_eq!(visit.post(&format!("{here}/iniciar"), "").await.status, 303);
    assert_eq!(visit.post(&format!("{here}/pausar"), "").await.status, 303);
    let paused = visit.get(&here).await;
    assert!(paused.body.contains("Retomar") && paused.body.contains("<progress"), "{}", paused.body);
    assert_eq!(visit.post(&format!("{here}/retomar"), "").await.status, 303);
    work(&world).await;
    let done = visit.get(&here).await;
    assert!(done.body.contains("Desfazer agora") && done.body.contains("Ver os associados"), "{}", done.body);
    // What no longer can be done is said on the page.
    let late = visit.post(&format!("{here}/pausar"), "").await;
    assert!(late.status == 400 && late.body.contains("Só uma importação em andamento"), "{}", late.body);
    assert_eq!(visit.post(&format!("{here}/desfazer"), "").await.status, 303);
    work(&world).await;
    assert!(visit.get(&here).await.body.contains("Desfeita por inteiro"));
    let listed = visit.get("/console/importar").await;
    assert!(listed.body.contains("associados.csv") && listed.body.contains("1 removido"), "{}", listed.body);
    assert!(server.stop().await);
}

#[both_engines]
async fn what_is_no_sheet_is_told_beside_the_field(world: World) {
    let server = Server::start(world.app().clone()).await;
    let visit = Visit::of(&server, &world.administrator.email).await;
    for (kind, name, file, told) in [
        ("associados", "", "", "Escolha o arquivo"),
        ("", "a.csv", SHEET, "Escolha o que a planilha traz"),
        ("carros", "a.csv", SHEET, "Escolha o que a planilha traz"),
        ("associados", "a.csv", "CPF;Nome\r\n", "Está vazio"),
        ("associados", "a.xlsx", "PK\u{3}\u{4}nada", "danificada"),
    ] {
        let answer = visit.send(kind, name, file, &[]).await;
        assert_eq!(answer.status, 400, "{told}: {answer:?}");
        assert!(answer.body.contains(told), "{told}: {}", answer.body);
        assert!(
            kind != "associados" || answer.body.contains("value=\"associados\" checked"),
            "{}",
            answer.body
        );
    }
    // Neither another site, nor another kind of form, nor half of one.
    visit.send("associados", "a.csv", SHEET, &[("Origin", "https://outro.example")]).await.refuses(403);
    visit.post("/console/importar/novo", "tipo=associados").await.refuses(415);
    let half = [("Cookie", visit.cookie.as_str()), ("Content-Type", "multipart/form-data; boundary=corte")];
    server.call("POST", "/console/importar/novo", &half, "--corte\r\nContent-Disp").await.refuses(400);
    let example = visit.get("/console/importar/exemplos/veiculos.csv").await;
    assert!(example.body.starts_with("\u{FEFF}CPF ou CNPJ do titular;"), "{example:?}");
    visit.get("/console/importar/exemplos/carros.csv").await.refuses(404);
    assert!(server.stop().await);
}

#[both_engines]
async fn an_operator_has_his_own_imports_and_no_registers(world: World) {
    let server = Server::start(world.app().clone()).await;
    let operator = Visit::of(&server, &world.operator.email).await;
    let chief = Visit::of(&server, &world.administrator.email).await;
    let stranger = Visit::of(&server, &world.stranger.email).await;
    let form = operator.get("/console/importar/novo").await;
    assert!(
        form.body.contains("value=\"leads\"") && !form.body.contains("value=\"planos\""),
        "{}",
        form.body
    );
    operator.send("planos", "a.csv", "Nome\r\nOuro\r\n", &[]).await.refuses(403);
    let chiefs = chief.sent("associados", SHEET).await;
    let own = operator.sent("leads", "Nome;Celular\r\nMaria;31999990000\r\n").await;
    assert!(chief.get(&format!("{own}/colunas")).await.body.contains("Nome"));
    for (visit, path) in [(&operator, &chiefs), (&stranger, &own), (&stranger, &chiefs)] {
        for more in ["", "/colunas", "/erros.csv"] {
            visit.get(&format!("{path}{more}")).await.refuses(404);
        }
        for more in ["/colunas", "/iniciar", "/pausar", "/retomar", "/desfazer"] {
            visit.post(&format!("{path}{more}"), "").await.refuses(404);
        }
    }
    let listed = operator.get("/console/importar").await;
    assert!(listed.body.contains(&own) && !listed.body.contains(&format!("{chiefs}\"")), "{}", listed.body);
    assert!(server.stop().await);
}
