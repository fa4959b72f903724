//! Pages of the console without a browser: what they refuse is told, and nobody overwrites what he has not seen.

use domain::Cpf;
use testkit::{Reply, Server, World, both_engines};

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

struct Visit<'s> {
    server: &'s Server,
    token: String,
    cookie: String,
}

impl<'s> Visit<'s> {
    async fn of(server: &'s Server, email: &str) -> Visit<'s> {
        let token = server.console_token(email).await;
        Visit { server, cookie: format!("__Host-amparo={token}"), token }
    }

    async fn get(&self, path: &str) -> Reply {
        self.server.call("GET", path, &[("Cookie", &self.cookie)], "").await
    }

    async fn post(&self, path: &str, form: &str) -> Reply {
        self.server.call("POST", path, &[("Cookie", &self.cookie), FORM], form).await
    }

    /// As the script of a board does.
    async fn by_script(&self, path: &str, form: &str) -> Reply {
        let headers = [("Cookie", self.cookie.as_str()), FORM, ("X-Quadro", "1")];
        self.server.call("POST", path, &headers, form).await
    }

    /// Something that a program saves.
    async fn saved(&self, path: &str, body: &str) -> serde_json::Value {
        let reply = self.server.write(path, &self.token, body).await;
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json()
    }
}

fn cpf(number: u8) -> String {
    Cpf::with_check_digits([1, 1, 1, 2, 2, 2, 3, 3, number]).unwrap().as_str().to_owned()
}

/// The hidden version of a form.
fn version(page: &Reply) -> String {
    let (_, behind) = page.body.split_once("name=\"versao\" value=\"").unwrap();
    behind.split('"').next().unwrap().to_owned()
}

#[both_engines]
async fn the_cpf_of_a_dependent_names_no_driver(world: World) {
    let server = Server::start(world.app().clone()).await;
    let visit = Visit::of(&server, &world.administrator.email).await;
    let member = format!(r#"{{"nomePessoa": "Titular", "cpfCnpj": "{}", "codLoja": 1}}"#, cpf(1));
    let person = visit.saved("/ext/associado", &member).await["codPessoa"].to_string();
    let benefit = format!(r#"{{"codPlano": 2, "cpfCnpj": "{}", "codLoja": 1}}"#, cpf(1));
    let benefit = visit.saved("/ext/beneficio", &benefit).await["codBeneficio"].to_string();
    let dependent = format!(
        r#"{{"codBeneficio": {benefit}, "nome": "João", "parentesco": "FILHO", "cpf": "{}"}}"#,
        cpf(2)
    );
    visit.saved("/ext/beneficio/dependente", &dependent).await;
    let form = |driver: &str| {
        format!(
            "codPessoa={person}&codTipoEvento=1&prioridade=M%C3%A9dia&envolvido=Cliente&condutorCpf={driver}"
        )
    };
    let refused = visit.post("/console/eventos/novo", &form(&cpf(2))).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.body.contains("Não há ninguém com este CPF"), "{}", refused.body);
    let opened = visit.post("/console/eventos/novo", &form(&cpf(1))).await;
    assert_eq!(opened.status, 303, "{}", opened.body);
}

#[both_engines]
async fn a_deal_and_a_user_are_not_overwritten_by_who_saw_an_older_one(world: World) {
    let server = Server::start(world.app().clone()).await;
    let visit = Visit::of(&server, &world.administrator.email).await;
    let deal = r#"{"nomePessoa": "Ana Contato", "email": "ana@exemplo.com.br", "codLoja": 1}"#;
    let code = visit.saved("/ext/crm/negocio", deal).await["codNegocio"].to_string();
    let here = format!("/console/vendas/{code}/alterar");
    let user = format!("/console/usuarios/{}", world.operator.code);
    for (path, mine, other, label, typed) in [
        (here.as_str(), "titulo=Meu&codLoja=1", "titulo=Dele&codLoja=1", "Título", "Meu"),
        (
            user.as_str(),
            "nome=Meu&email=meu@exemplo.com.br&perfil=operador&lojas=2&ativo=sim",
            "nome=Dele&email=dele@exemplo.com.br&perfil=operador&lojas=2&ativo=sim",
            "Nome",
            "Meu",
        ),
    ] {
        let read = version(&visit.get(path).await);
        let saved = visit.post(path, &format!("{other}&versao={read}")).await;
        assert_eq!(saved.status, 303, "{}", saved.body);
        let refused = visit.post(path, &format!("{mine}&versao={read}")).await;
        assert_eq!(refused.status, 400, "{path}");
        let said = format!("<th scope=\"row\">{label}</th><td>{typed}</td><td>Dele</td>");
        assert!(refused.body.contains("Outra pessoa salvou antes de você"), "{}", refused.body);
        assert!(refused.body.contains(&said), "{}", refused.body);
        // Whoever has seen both may save his own.
        let again = visit.post(path, &format!("{mine}&versao={}", version(&refused))).await;
        assert_eq!(again.status, 303, "{}", again.body);
    }
    let unread = "nome=Meu&email=meu@exemplo.com.br&perfil=chefe&lojas=2&ativo=sim";
    let refused = visit.post("/console/usuarios/novo", unread).await;
    assert!(refused.status == 400 && refused.body.contains("id=\"p-perfil\""), "{}", refused.body);
    let removed = visit.post(&format!("{user}/segundo-fator"), "").await;
    // What the next page says travels sealed.
    let (said, _) = removed.header("set-cookie").unwrap().split_once(';').unwrap();
    let cookies = format!("{}; {said}", visit.cookie);
    let next = server.call("GET", removed.header("location").unwrap(), &[("Cookie", &cookies)], "").await;
    assert!(next.body.contains("já não tem segundo fator"), "{}", next.body);
}

#[both_engines]
async fn a_refused_move_is_told_also_where_the_board_is_too_old(world: World) {
    let server = Server::start(world.app().clone()).await;
    let visit = Visit::of(&server, &world.administrator.email).await;
    let deal = r#"{"nomePessoa": "Ana Contato", "email": "ana@exemplo.com.br", "codLoja": 1}"#;
    let code = visit.saved("/ext/crm/negocio", deal).await["codNegocio"].to_string();
    let refused = visit.by_script("/console/vendas", &format!("codigo={code}&para=2&versao=9&desde=1")).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("data-recarregar") && refused.body.contains("Outra pessoa"));
}

#[both_engines]
async fn what_is_sent_beyond_the_most_is_told_with_what_was_kept(world: World) {
    let server = Server::start(world.app().clone()).await;
    let visit = Visit::of(&server, &world.administrator.email).await;
    let member = format!(r#"{{"nomePessoa": "Titular", "cpfCnpj": "{}", "codLoja": 1}}"#, cpf(1));
    let person = visit.saved("/ext/associado", &member).await["codPessoa"].to_string();
    let pdf = String::from_utf8(testkit::pictures::pdf()).unwrap();
    let mut body = String::new();
    for number in 0..52 {
        let file = if number == 0 { "isto não é nada" } else { &pdf };
        body.push_str(&format!(
            "--corte\r\nContent-Disposition: form-data; name=\"arquivo\"; filename=\"{number}.pdf\"\r\n\r\n{file}\r\n"
        ));
    }
    body.push_str("--corte--\r\n");
    let kind = ("Content-Type", "multipart/form-data; boundary=corte");
    let path = format!("/console/associados/{person}/arquivos");
    let answer = server.call("POST", &path, &[("Cookie", &visit.cookie), kind], &body).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    for said in ["Só 50 de cada vez: os últimos 2", "O arquivo foi anexado. 48 já estavam aqui.", "0.pdf"]
    {
        assert!(answer.body.contains(said), "{said}: {}", answer.body);
    }
}
