//! One valid form for each route that takes one, and what it stores. They are sent in this order, so that later forms
//! build on earlier ones.

use crate::scene::{FORM, MULTIPART};

pub struct ValidForm {
    /// As the table of routes names it.
    pub route: String,
    pub at: String,
    pub form: String,
    pub status: u16,
    /// A table, and a text in a row of it that is new or gone; no table where nothing is stored.
    pub stores: (&'static str, &'static str),
}

fn form(route: &str, at: &str, form: &str, stores: (&'static str, &'static str)) -> ValidForm {
    ValidForm { route: route.to_owned(), at: at.to_owned(), form: form.to_owned(), status: 303, stores }
}

/// A form that is answered with a page.
fn page(route: &str, at: &str, typed: &str, stores: (&'static str, &'static str)) -> ValidForm {
    ValidForm { status: 200, ..form(route, at, typed, stores) }
}

pub fn is_upload(route: &str) -> bool {
    route.ends_with("/arquivos") || route == "/console/importar/novo"
}

impl ValidForm {
    /// Whether the step before it must have been worked off.
    pub fn waits_for_imports(&self) -> bool {
        self.route.starts_with("/console/importar/")
            && (self.at.ends_with("/iniciar") || self.at.ends_with("/desfazer"))
    }

    /// Content type and body.
    pub fn build_body(&self) -> (&'static str, Vec<u8>) {
        if !is_upload(&self.route) {
            return (FORM, self.form.clone().into_bytes());
        }
        let content = match self.route.as_str() {
            "/console/importar/novo" => b"CPF;Nome\n529.982.247-25;Ana\n".to_vec(),
            _ => testkit::pictures::phone_photo(30, 20),
        };
        let field = "--divisa\r\nContent-Disposition: form-data; name=";
        let mut body = format!(
            "{field}\"tipo\"\r\n\r\nassociados\r\n{field}\"arquivo\"; filename=\"{}\"\r\n\r\n",
            self.form
        )
        .into_bytes();
        body.extend_from_slice(&content);
        body.extend_from_slice(b"\r\n--divisa--\r\n");
        (MULTIPART, body)
    }
}

/// The area of each kind of case, its table, what its form asks for besides the member, a field that changes, and the
/// situations that follow the first.
const CASE_KINDS: [(&str, &str, &str, &str, [&str; 2]); 4] = [
    ("eventos", "claims", "codTipoEvento=1&prioridade=Alta&envolvido=Cliente", "descricao", ["8", "12"]),
    ("vistorias", "inspections", "codTipoVistoria=1", "observacao", ["14", "17"]),
    ("help-desk", "tickets", "codTipoHelpDesk=1&prioridade=Alta", "descricao", ["19", "22"]),
    ("consultas", "appointments", "", "observacao", ["24", "27"]),
];

pub fn list_valid_forms() -> Vec<ValidForm> {
    let mut forms = list_member_forms();
    forms.extend(CASE_KINDS.into_iter().flat_map(list_case_forms));
    forms.extend(list_file_forms());
    forms.extend(list_sales_forms());
    forms.extend(list_import_forms());
    forms.extend(list_register_forms());
    forms.extend(list_trigger_forms());
    forms.extend(list_administration_forms());
    forms
}

fn list_member_forms() -> Vec<ValidForm> {
    let at = "/console/beneficios/{codigo}";
    let below = |rest: &str| format!("{at}{rest}");
    vec![
        form("/console/busca", "/console/busca", "q=Pessoa", ("", "")),
        form("/console/associados", "/console/associados", "nome=Pessoa", ("", "")),
        form(
            "/console/associados/novo",
            "/console/associados/novo",
            "nomePessoa=Nova+Associada&cpfCnpj=529.982.247-25&codLoja=2",
            ("people", "Nova Associada"),
        ),
        form(
            "/console/associados/{codigo}/alterar",
            "/console/associados/1/alterar",
            "nomePessoa=Nome+Trocado&cpfCnpj=111.222.333-96&codLoja=2&versao=1",
            ("people", "Nome Trocado"),
        ),
        form(
            "/console/associados/{codigo}/beneficios/novo",
            "/console/associados/1/beneficios/novo?tipo=diversos",
            "codPlano=3&codLoja=2",
            ("benefits", ""),
        ),
        form(
            &below("/alterar"),
            "/console/beneficios/1/alterar",
            "codLoja=2&observacao=Nota+nova&versao=2",
            ("benefits", "Nota nova"),
        ),
        form(
            &below("/situacao"),
            "/console/beneficios/2/situacao",
            "codSituacao=1&versao=2",
            ("benefits", ""),
        ),
        form(
            &below("/situacao/desfazer"),
            "/console/beneficios/2/situacao/desfazer",
            "para=2&versao=3",
            ("history", ""),
        ),
        form(&below("/itens"), "/console/beneficios/1/itens", "codPlano=5&valor=10,00", ("items", "1000")),
        form(&below("/itens/{parte}"), "/console/beneficios/1/itens/1", "valor=12,34", ("items", "1234")),
        form(
            &below("/dependentes"),
            "/console/beneficios/1/dependentes",
            "nome=Outra+Filha&parentesco=FILHO",
            ("dependents", "Outra Filha"),
        ),
        form(
            &below("/dependentes/{parte}"),
            "/console/beneficios/1/dependentes/1",
            "nome=Filho+Trocado&parentesco=FILHO",
            ("dependents", "Filho Trocado"),
        ),
        form(
            &below("/dependentes/{parte}/estado"),
            "/console/beneficios/1/dependentes/1/estado",
            "ativo=false",
            ("dependents", "Filho Trocado"),
        ),
        form(
            "/console/filtros",
            "/console/filtros",
            "lista=associados&nome=Novo&consulta=uf%3DRJ",
            ("saved_filters", "Novo"),
        ),
        form(
            "/console/filtros/{codigo}",
            "/console/filtros/1",
            "lista=associados&nome=Renomeado",
            ("saved_filters", "Renomeado"),
        ),
        form(
            "/console/filtros/{codigo}/apagar",
            "/console/filtros/1/apagar",
            "",
            ("saved_filters", "Renomeado"),
        ),
        form(
            "/console/colunas",
            "/console/colunas",
            "lista=associados&coluna=email",
            ("chosen_columns", "email"),
        ),
    ]
}

fn list_case_forms(
    (area, table, needs, field, [next, cancelled]): (&str, &'static str, &str, &str, [&str; 2]),
) -> Vec<ValidForm> {
    let route = |rest: &str| format!("/console/{area}{rest}");
    vec![
        form(
            &route("/novo"),
            &route("/novo"),
            &format!("codPessoa=1&{needs}&{field}=Caso+novo"),
            (table, "Caso novo"),
        ),
        form(&route("/quadro"), &route("/quadro"), &format!("codigo=1&para={next}&versao=1"), (table, "")),
        form(
            &route("/{codigo}/alterar"),
            &route("/1/alterar"),
            &format!("{needs}&{field}=Caso+trocado&codLoja=2&versao=2"),
            (table, "Caso trocado"),
        ),
        form(
            &route("/{codigo}/situacao"),
            &route("/2/situacao"),
            &format!("codSituacao={cancelled}&motivo=Engano&versao=1"),
            (table, ""),
        ),
        form(&route("/{codigo}/nota"), &route("/1/nota"), "texto=Nota+do+caso", ("notes", "Nota do caso")),
    ]
}

fn list_file_forms() -> Vec<ValidForm> {
    let mut forms = vec![
        form("/console/arquivos/{codigo}/remover", "/console/arquivos/1/remover", "", ("files", "")),
        form("/console/arquivos/{codigo}/restaurar", "/console/arquivos/1/restaurar", "", ("files", "")),
    ];
    for area in ["eventos", "vistorias", "help-desk", "associados"] {
        let route = format!("/console/{area}/{{codigo}}/arquivos");
        forms.push(form(&route, &format!("/console/{area}/1/arquivos"), "anexo.jpg", ("files", "anexo.jpg")));
    }
    forms
}

fn list_sales_forms() -> Vec<ValidForm> {
    let route = |rest: &str| format!("/console/vendas/{{codigo}}{rest}");
    let at = |rest: &str| format!("/console/vendas/{rest}");
    vec![
        form(
            "/console/vendas/novo",
            "/console/vendas/novo",
            "nomePessoa=Contato+Novo&email=c@exemplo.com.br&titulo=Negocio+novo&codLoja=2",
            ("deals", "Negocio novo"),
        ),
        form("/console/vendas", "/console/vendas", "codigo=1&para=2&versao=1", ("deals", "")),
        form(
            &route("/alterar"),
            &at("1/alterar"),
            "titulo=Negocio+trocado&codEtapa=2&codLoja=2&versao=2",
            ("deals", "Negocio trocado"),
        ),
        form(&route("/etapa"), &at("2/etapa"), "codEtapa=2&versao=1", ("deals", "")),
        form(
            &route("/dependentes"),
            &at("2/dependentes"),
            "nome=Filha+Dele&parentesco=FILHO",
            ("deal_dependents", "Filha Dele"),
        ),
        form(&route("/perder"), &at("2/perder"), "motivo=Achou+caro&versao=3", ("deals", "Achou caro")),
        form(&route("/reabrir"), &at("2/reabrir"), "versao=4", ("deals", "")),
        form(
            &route("/ganhar"),
            &at("1/ganhar"),
            "cpfCnpj=111.444.777-35&planos=2&codLoja=2&versao=3",
            ("benefits", ""),
        ),
    ]
}

fn list_import_forms() -> Vec<ValidForm> {
    let route = |rest: &str| format!("/console/importar/{{codigo}}{rest}");
    let at = |rest: &str| format!("/console/importar/2{rest}");
    vec![
        form("/console/importar/novo", "/console/importar/novo", "planilha.csv", ("imports", "planilha.csv")),
        form(
            &route("/colunas"),
            &at("/colunas"),
            "campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=codLoja",
            ("imports", ""),
        ),
        form(&route("/iniciar"), &at("/iniciar"), "", ("imports", "")),
        form(&route("/pausar"), &at("/pausar"), "", ("imports", "")),
        form(&route("/retomar"), &at("/retomar"), "", ("imports", "")),
        form(&route("/desfazer"), &at("/desfazer"), "", ("imports", "")),
    ]
}

fn list_register_forms() -> Vec<ValidForm> {
    let area = "/console/cadastros/{registro}";
    vec![
        form(
            &format!("{area}/novo"),
            "/console/cadastros/plano/novo",
            "nome=Plano+novo&tipoBeneficio=SAUDE&valor=10,00",
            ("plans", "Plano novo"),
        ),
        form(
            &format!("{area}/{{codigo}}"),
            "/console/cadastros/plano/1",
            "nome=Plano+trocado&valor=150,55&versao=1",
            ("plans", "Plano trocado"),
        ),
        form(
            &format!("{area}/{{codigo}}/ativo"),
            "/console/cadastros/plano/6/ativo",
            "ativo=nao&versao=1",
            ("plans", ""),
        ),
    ]
}

fn list_trigger_forms() -> Vec<ValidForm> {
    let route = |rest: &str| format!("/console/gatilhos/{{codigo}}{rest}");
    let at = |rest: &str| format!("/console/gatilhos/1{rest}");
    vec![
        page(
            "/console/gatilhos/novo",
            "/console/gatilhos/novo",
            "endereco=https://novo.example&simultaneas=8&entidades=beneficio",
            ("receivers", "https://novo.example"),
        ),
        form(
            &route("/alterar"),
            &at("/alterar"),
            "endereco=https://pessoa1.example/gatilhos&simultaneas=3&entidades=beneficio&versao=1",
            ("receivers", "https://pessoa1.example/gatilhos"),
        ),
        form(&route("/pausar"), &at("/pausar"), "pausar=sim&motivo=Obras", ("receivers", "")),
        page(&route("/segredo"), &at("/segredo"), "", ("receivers", "")),
        page(&route("/teste"), &at("/teste"), "entidade=beneficio", ("audit", "")),
        form(&route("/reenviar"), &at("/reenviar"), "de=1", ("outbox", "")),
        form(&route("/ativo"), "/console/gatilhos/2/ativo", "ativo=nao&versao=1", ("receivers", "")),
    ]
}

fn list_administration_forms() -> Vec<ValidForm> {
    let user = "/console/usuarios/{codigo}";
    vec![
        form(
            "/console/usuarios/novo",
            "/console/usuarios/novo",
            "nome=Nova+Pessoa&email=nova@aqui.example&perfil=operador&lojas=2&ativo=sim",
            ("users", "Nova Pessoa"),
        ),
        form(
            user,
            "/console/usuarios/2",
            "nome=Operadora&email=operador@aqui.example&perfil=operador&lojas=2&ativo=sim&versao=1",
            ("users", "Operadora"),
        ),
        form(&format!("{user}/sessoes"), "/console/usuarios/2/sessoes", "", ("audit", "")),
        form(&format!("{user}/senha"), "/console/usuarios/2/senha", "", ("mails", "operador@aqui.example")),
        form(
            "/console/usuarios/exigencia",
            "/console/usuarios/exigencia",
            "perfil=operador&versao=1",
            ("tenants", ""),
        ),
        form("/console/validacao", "/console/validacao", "aberta=nao&parceiros=&versao=2", ("tenants", "")),
        form("/console/emails/teste", "/console/emails/teste", "", ("mails", "admin@aqui.example")),
    ]
}
