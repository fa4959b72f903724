//! Records that a form names in its fields: an operator of branch 2 may not name those of another branch, nor those
//! that only the other association has.

use crate::forms::list_differences;
use crate::scene::ConsoleScene;
use crate::valid_forms::{CASE_KINDS, CaseKindForms};
use testkit::{World, both_engines};

/// A form that the operator may send, and what may not stand in its fields.
struct NamingForm {
    path: String,
    /// The page that shows the version which the form carries; empty for a form without one.
    version_page: String,
    /// The valid form.
    fields: String,
    /// Field, and codes in it that are not the operator's.
    foreign_codes: &'static [(&'static str, &'static [&'static str])],
}

impl NamingForm {
    async fn read_version(&self, scene: &ConsoleScene) -> Option<String> {
        if self.version_page.is_empty() {
            return None;
        }
        let page = scene.get(&scene.operator, &self.version_page).await.head;
        let version =
            page.body.split("name=\"versao\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        Some(version.unwrap_or_else(|| panic!("{}: {page:?}", self.version_page)).to_owned())
    }

    /// Sends the form, with another value in one of its fields.
    async fn send(&self, scene: &ConsoleScene, replaced: Option<(&str, &str)>) -> testkit::Reply {
        let version = self.read_version(scene).await;
        scene.post(&scene.operator, &self.path, &self.encode(version.as_deref(), replaced)).await.head
    }

    fn encode(&self, version: Option<&str>, replaced: Option<(&str, &str)>) -> String {
        let mut form = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(self.fields.as_bytes()) {
            let other = replaced.filter(|(field, _)| *field == name).map(|(_, value)| value);
            form.append_pair(&name, other.unwrap_or(&value));
        }
        form.extend_pairs(version.map(|version| ("versao", version))).finish()
    }
}

fn define_form(
    path: &str,
    version_page: &str,
    fields: &str,
    foreign_codes: &'static [(&'static str, &'static [&'static str])],
) -> NamingForm {
    let (path, version_page) = (path.to_owned(), version_page.to_owned());
    NamingForm { path, version_page, fields: fields.to_owned(), foreign_codes }
}

/// Branches 1 and 3 are those of others; plan 8 and user 54 are the other association's, and so is the member 3.
fn list_naming_forms() -> Vec<NamingForm> {
    let mut forms = list_member_forms();
    forms.extend(CASE_KINDS.iter().flat_map(list_case_forms));
    forms.extend(list_sales_forms());
    forms.push(define_form(
        "/console/importar/3/colunas",
        "",
        "campo-0=cpfCnpj&campo-1=nomePessoa&loja=2",
        &[("loja", &["1", "3", "99"])],
    ));
    forms
}

fn list_member_forms() -> Vec<NamingForm> {
    let benefit = "/console/beneficios/1";
    let alter_benefit = format!("{benefit}/alterar");
    let change_situation = format!("{benefit}/situacao");
    vec![
        define_form(
            "/console/associados/novo",
            "",
            "nomePessoa=Nova&cpfCnpj=529.982.247-25&codLoja=2",
            &[("codLoja", &["1", "3", "99"])],
        ),
        define_form(
            "/console/associados/1/alterar",
            "/console/associados/1/alterar",
            "nomePessoa=Trocada&cpfCnpj=111.222.333-96&codLoja=2",
            &[("codLoja", &["1", "3", "99"])],
        ),
        define_form(
            "/console/associados/1/beneficios/novo?tipo=diversos",
            "",
            "codPlano=3&codLoja=2",
            &[("codLoja", &["1", "3"]), ("codPlano", &["8"])],
        ),
        define_form(&alter_benefit, &alter_benefit, "codLoja=2", &[("codLoja", &["1", "3"])]),
        // 8 is a situation of claims.
        define_form(&change_situation, &change_situation, "codSituacao=1", &[("codSituacao", &["8", "999"])]),
        define_form(&format!("{benefit}/itens"), "", "codPlano=5&valor=10,00", &[("codPlano", &["8"])]),
    ]
}

fn list_case_forms(kind: &CaseKindForms) -> Vec<NamingForm> {
    let CaseKindForms { area, required, situations: [next, _], .. } = kind;
    let at = |rest: &str| format!("/console/{area}/{rest}");
    let mut forms = vec![
        define_form(
            &at("novo"),
            "",
            &format!("codPessoa=1&codBeneficio=1&codLoja=2&codResponsavel=2&{required}"),
            &[
                ("codPessoa", &["2", "3"]),
                ("codBeneficio", &["2", "3"]),
                ("codLoja", &["1", "3"]),
                ("codResponsavel", &["54"]),
            ],
        ),
        define_form(
            &at("1/alterar"),
            &at("1/alterar"),
            &format!("codBeneficio=1&codLoja=2&codResponsavel=2&{required}"),
            &[("codBeneficio", &["2", "3"]), ("codLoja", &["1", "3"]), ("codResponsavel", &["54"])],
        ),
        define_form(
            &at("quadro"),
            &at("1/situacao"),
            &format!("codigo=1&para={next}"),
            &[("codigo", &["2", "3"])],
        ),
    ];
    match *area {
        "eventos" => forms.push(define_form(
            &at("novo"),
            "",
            &format!("codPessoa=1&codCondutor=1&{required}"),
            &[("codCondutor", &["2", "9"])],
        )),
        "consultas" => forms.push(define_form(
            &at("novo"),
            "",
            "codPessoa=1&codBeneficio=1&codDependente=1",
            &[("codDependente", &["2", "3"])],
        )),
        _ => {}
    }
    forms
}

fn list_sales_forms() -> Vec<NamingForm> {
    let (alter, win) = ("/console/vendas/1/alterar", "/console/vendas/1/ganhar");
    vec![
        define_form(
            "/console/vendas/novo",
            "",
            "nomePessoa=Contato&email=c@exemplo.com.br&titulo=Novo&codLoja=2&codUsuarioResponsavel=2&planos=2",
            &[("codLoja", &["1", "3"]), ("codUsuarioResponsavel", &["54"]), ("planos", &["8"])],
        ),
        define_form(
            "/console/vendas/novo",
            "",
            "codLead=1&titulo=Outro&codLoja=2",
            &[("codLead", &["2", "3"]), ("codLoja", &["1", "3"])],
        ),
        define_form("/console/vendas", "/console/vendas/1", "codigo=1&para=2", &[("codigo", &["2", "3"])]),
        define_form(
            alter,
            alter,
            "titulo=Trocado&codEtapa=2&codLoja=2&codUsuarioResponsavel=2&planos=2",
            &[
                ("codLoja", &["1", "3"]),
                ("codUsuarioResponsavel", &["54"]),
                ("planos", &["8"]),
                ("codEtapa", &["99"]),
            ],
        ),
        define_form("/console/vendas/1/etapa", "/console/vendas/1", "codEtapa=1", &[("codEtapa", &["99"])]),
        define_form(
            win,
            win,
            "cpfCnpj=111.444.777-35&planos=2&codLoja=2",
            &[("codLoja", &["1", "3"]), ("planos", &["8"])],
        ),
    ]
}

#[both_engines]
async fn a_form_names_no_record_of_others(world: World) {
    let scene = ConsoleScene::on(world).await;
    upload_own_sheet(&scene).await;
    let forms = list_naming_forms();
    let before = scene.read_database().await;
    let mut problems = Vec::new();
    for form in &forms {
        for (field, codes) in form.foreign_codes {
            for code in *codes {
                let answer = form.send(&scene, Some((field, code))).await;
                if !scene.is_refusal(&scene.operator, &answer).await {
                    problems.push(format!("POST {} {field}={code}: {answer:?}", form.path));
                }
            }
        }
    }
    problems.extend(list_differences(&before, &scene.read_database().await));
    // It was the named record that was refused: the same forms are accepted without it.
    for form in &forms {
        let answer = form.send(&scene, None).await;
        if answer.status != 303 || scene.is_refusal(&scene.operator, &answer).await {
            problems.push(format!("POST {} {}: {answer:?}", form.path, form.fields));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.server.stop().await;
}

/// The operator's own, with code 3.
async fn upload_own_sheet(scene: &ConsoleScene) {
    let token = scene.server.token(&scene.world.operator.email).await;
    crate::scene::upload_sheet(&scene.server, &token, ("Operador", 3), 2).await;
    crate::scene::run_imports(&scene.world).await;
}

async fn read_protocol(scene: &ConsoleScene, token: &str, claim: u8) -> String {
    let page = scene.get(token, &format!("/console/eventos/{claim}")).await.head.body;
    let rest = page.split("· protocolo ").nth(1).unwrap_or_else(|| panic!("{page}"));
    rest.chars().take_while(char::is_ascii_digit).collect()
}

#[both_engines]
async fn a_claim_is_related_to_no_claim_of_another_branch(world: World) {
    let scene = ConsoleScene::on(world).await;
    let own = read_protocol(&scene, &scene.operator, 1).await;
    let foreign = [
        read_protocol(&scene, &scene.administrator, 2).await,
        read_protocol(&scene, &scene.foreigner, 3).await,
    ];
    assert!(!foreign.contains(&own), "{own} {foreign:?}");
    let form = |protocol: &str| {
        format!("codPessoa=1&codTipoEvento=1&prioridade=Alta&envolvido=Cliente&relacionados={protocol}")
    };
    let before = scene.read_database().await;
    for protocol in &foreign {
        let answer = scene.post(&scene.operator, "/console/eventos/novo", &form(protocol)).await.head;
        assert!(answer.status == 400 && answer.body.contains("lang=\"pt-BR\""), "{protocol}: {answer:?}");
    }
    assert_eq!(list_differences(&before, &scene.read_database().await), [""; 0]);
    let answer = scene.post(&scene.operator, "/console/eventos/novo", &form(&own)).await.head;
    assert_eq!(answer.status, 303, "{answer:?}");
    scene.server.stop().await;
}

#[both_engines]
async fn nobody_ends_a_session_of_somebody_else(world: World) {
    let scene = ConsoleScene::on(world).await;
    let email = scene.world.administrator.email.clone();
    let other = scene.server.console_token(&email).await;
    let page = scene.get(&scene.administrator, "/console/conta").await.head.body;
    let sessions: Vec<&str> =
        page.split("name=\"sessao\" value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(!sessions.is_empty(), "{page}");
    let before = scene.read_database().await;
    for session in sessions {
        for token in [&scene.operator, &scene.foreigner] {
            let form = format!("sessao={session}");
            let answer = scene.post(token, "/console/conta/sessoes", &form).await.head;
            assert!(scene.is_refusal(token, &answer).await, "{answer:?}");
        }
    }
    assert_eq!(list_differences(&before, &scene.read_database().await), [""; 0]);
    assert_eq!(scene.get(&other, "/console/conta").await.head.status, 200);
    scene.server.stop().await;
}
