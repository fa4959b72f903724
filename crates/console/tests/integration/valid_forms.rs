//! One valid form for each route that takes one, and what it stores. They are sent in this order, so that later forms
//! build on earlier ones.

use crate::scene::{FORM, MULTIPART};
use crate::valid_money_forms::{list_charging_forms, list_finance_forms};

pub struct ValidForm {
    /// As the table of routes names it.
    pub route: String,
    pub at: String,
    /// The fields; for an upload the name of the file.
    pub form: String,
    pub status: u16,
    /// A table, and a text in a row of it that is new or gone; no table where nothing is stored.
    pub stores: (&'static str, &'static str),
}

pub fn define_form(route: &str, at: &str, form: &str, stores: (&'static str, &'static str)) -> ValidForm {
    ValidForm { route: route.to_owned(), at: at.to_owned(), form: form.to_owned(), status: 303, stores }
}

/// A form that is answered with a page.
fn define_page_form(route: &str, at: &str, typed: &str, stores: (&'static str, &'static str)) -> ValidForm {
    ValidForm { status: 200, ..define_form(route, at, typed, stores) }
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

    /// Whether the charging run that it is for must have been worked off.
    pub fn waits_for_charging(&self) -> bool {
        self.route.ends_with("/desfazer") && self.route.starts_with("/console/financeiro/")
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

/// The forms of one kind of case.
pub struct CaseKindForms {
    pub area: &'static str,
    table: &'static str,
    /// What must be filled in besides the member.
    pub required: &'static str,
    /// A field that may be changed.
    text: &'static str,
    /// The situations that follow the first: one under way, and the one of a cancelled case.
    pub situations: [u8; 2],
}

pub const CASE_KINDS: [CaseKindForms; 4] = [
    CaseKindForms {
        area: "eventos",
        table: "claims",
        required: "codTipoEvento=1&prioridade=Alta&envolvido=Cliente",
        text: "descricao",
        situations: [8, 12],
    },
    CaseKindForms {
        area: "vistorias",
        table: "inspections",
        required: "codTipoVistoria=1",
        text: "observacao",
        situations: [14, 17],
    },
    CaseKindForms {
        area: "help-desk",
        table: "tickets",
        required: "codTipoHelpDesk=1&prioridade=Alta",
        text: "descricao",
        situations: [19, 22],
    },
    CaseKindForms {
        area: "consultas",
        table: "appointments",
        required: "",
        text: "observacao",
        situations: [24, 27],
    },
];

/// Codes of what a user may change besides what has code 1.
#[derive(Clone, Copy)]
pub struct FormSubjects {
    /// A benefit, a case of each kind and a deal.
    pub second: u8,
    pub import: u8,
    pub filter: u8,
}

pub const OF_ADMINISTRATOR: FormSubjects = FormSubjects { second: 2, import: 2, filter: 1 };
/// What `ConsoleScene::add_records_of_operator` adds.
pub const OF_OPERATOR: FormSubjects = FormSubjects { second: 3, import: 3, filter: 3 };

pub fn list_valid_forms(subjects: FormSubjects) -> Vec<ValidForm> {
    let FormSubjects { second, import, filter } = subjects;
    let mut forms = list_member_forms(second);
    forms.extend(list_filter_forms(filter));
    forms.extend(CASE_KINDS.into_iter().flat_map(|kind| list_case_forms(kind, second)));
    forms.extend(list_file_forms());
    forms.extend(list_sales_forms(second));
    forms.extend(list_finance_forms());
    forms.extend(list_charging_forms(second));
    forms.extend(list_import_forms(import));
    forms.extend(list_register_forms());
    forms.extend(list_trigger_forms());
    forms.extend(list_administration_forms());
    forms
}

fn list_member_forms(second: u8) -> Vec<ValidForm> {
    let at = "/console/beneficios/{codigo}";
    let below = |rest: &str| format!("{at}{rest}");
    // That of the administrator was granted a discount, which changes it.
    let version = if second == OF_ADMINISTRATOR.second { 3 } else { 2 };
    vec![
        define_form("/console/busca", "/console/busca", "q=Pessoa", ("", "")),
        define_form("/console/associados", "/console/associados", "nome=Pessoa", ("", "")),
        define_form(
            "/console/associados/novo",
            "/console/associados/novo",
            "nomePessoa=Nova+Associada&cpfCnpj=529.982.247-25&codLoja=2",
            ("people", "Nova Associada"),
        ),
        define_form(
            "/console/associados/{codigo}/alterar",
            "/console/associados/1/alterar",
            "nomePessoa=Nome+Trocado&cpfCnpj=111.222.333-96&codLoja=2&versao=1",
            ("people", "Nome Trocado"),
        ),
        define_form(
            "/console/associados/{codigo}/beneficios/novo",
            "/console/associados/1/beneficios/novo?tipo=diversos",
            "codPlano=3&codLoja=2",
            ("benefits", ""),
        ),
        define_form(
            &below("/alterar"),
            "/console/beneficios/1/alterar",
            "codLoja=2&observacao=Nota+nova&versao=3",
            ("benefits", "Nota nova"),
        ),
        define_form(
            &below("/situacao"),
            &format!("/console/beneficios/{second}/situacao"),
            &format!("codSituacao=1&versao={version}"),
            ("benefits", ""),
        ),
        define_form(
            &below("/situacao/desfazer"),
            &format!("/console/beneficios/{second}/situacao/desfazer"),
            &format!("para=2&versao={}", version + 1),
            ("history", ""),
        ),
        define_form(
            &below("/itens"),
            "/console/beneficios/1/itens",
            "codPlano=5&valor=10,00",
            ("items", "1000"),
        ),
        define_form(
            &below("/itens/{parte}"),
            "/console/beneficios/1/itens/1",
            "valor=12,34",
            ("items", "1234"),
        ),
        define_form(
            &below("/dependentes"),
            "/console/beneficios/1/dependentes",
            "nome=Outra+Filha&parentesco=FILHO",
            ("dependents", "Outra Filha"),
        ),
        define_form(
            &below("/dependentes/{parte}"),
            "/console/beneficios/1/dependentes/1",
            "nome=Filho+Trocado&parentesco=FILHO",
            ("dependents", "Filho Trocado"),
        ),
        define_form(
            &below("/dependentes/{parte}/estado"),
            "/console/beneficios/1/dependentes/1/estado",
            "ativo=false",
            ("dependents", "Filho Trocado"),
        ),
    ]
}

fn list_filter_forms(filter: u8) -> Vec<ValidForm> {
    vec![
        define_form(
            "/console/filtros",
            "/console/filtros",
            "lista=associados&nome=Novo&consulta=uf%3DRJ",
            ("saved_filters", "Novo"),
        ),
        define_form(
            "/console/filtros/{codigo}",
            &format!("/console/filtros/{filter}"),
            "lista=associados&nome=Renomeado",
            ("saved_filters", "Renomeado"),
        ),
        define_form(
            "/console/filtros/{codigo}/apagar",
            &format!("/console/filtros/{filter}/apagar"),
            "",
            ("saved_filters", "Renomeado"),
        ),
        define_form(
            "/console/colunas",
            "/console/colunas",
            "lista=associados&coluna=email",
            ("chosen_columns", "email"),
        ),
    ]
}

fn list_case_forms(kind: CaseKindForms, second: u8) -> Vec<ValidForm> {
    let CaseKindForms { area, table, required, text, situations: [next, cancelled] } = kind;
    let route = |rest: &str| format!("/console/{area}{rest}");
    vec![
        define_form(
            &route("/novo"),
            &route("/novo"),
            &format!("codPessoa=1&{required}&{text}=Caso+novo"),
            (table, "Caso novo"),
        ),
        define_form(
            &route("/quadro"),
            &route("/quadro"),
            &format!("codigo=1&para={next}&versao=1"),
            (table, ""),
        ),
        define_form(
            &route("/{codigo}/alterar"),
            &route("/1/alterar"),
            &format!("{required}&{text}=Caso+trocado&codLoja=2&versao=2"),
            (table, "Caso trocado"),
        ),
        define_form(
            &route("/{codigo}/situacao"),
            &route(&format!("/{second}/situacao")),
            &format!("codSituacao={cancelled}&motivo=Engano&versao=1"),
            (table, ""),
        ),
        define_form(
            &route("/{codigo}/nota"),
            &route("/1/nota"),
            "texto=Nota+do+caso",
            ("notes", "Nota do caso"),
        ),
    ]
}

fn list_file_forms() -> Vec<ValidForm> {
    let mut forms = vec![
        define_form("/console/arquivos/{codigo}/remover", "/console/arquivos/1/remover", "", ("files", "")),
        define_form(
            "/console/arquivos/{codigo}/restaurar",
            "/console/arquivos/1/restaurar",
            "",
            ("files", ""),
        ),
    ];
    for area in ["eventos", "vistorias", "help-desk", "associados"] {
        let route = format!("/console/{area}/{{codigo}}/arquivos");
        forms.push(define_form(
            &route,
            &format!("/console/{area}/1/arquivos"),
            "anexo.jpg",
            ("files", "anexo.jpg"),
        ));
    }
    forms
}

fn list_sales_forms(second: u8) -> Vec<ValidForm> {
    let route = |rest: &str| format!("/console/vendas/{{codigo}}{rest}");
    let at = |rest: &str| format!("/console/vendas/{rest}");
    let at_second = |rest: &str| format!("/console/vendas/{second}{rest}");
    vec![
        define_form(
            "/console/vendas/novo",
            "/console/vendas/novo",
            "nomePessoa=Contato+Novo&email=c@exemplo.com.br&titulo=Negocio+novo&codLoja=2",
            ("deals", "Negocio novo"),
        ),
        define_form("/console/vendas", "/console/vendas", "codigo=1&para=2&versao=1", ("deals", "")),
        define_form(
            &route("/alterar"),
            &at("1/alterar"),
            "titulo=Negocio+trocado&codEtapa=2&codLoja=2&versao=2",
            ("deals", "Negocio trocado"),
        ),
        define_form(&route("/etapa"), &at_second("/etapa"), "codEtapa=2&versao=1", ("deals", "")),
        define_form(
            &route("/dependentes"),
            &at_second("/dependentes"),
            "nome=Filha+Dele&parentesco=FILHO",
            ("deal_dependents", "Filha Dele"),
        ),
        define_form(
            &route("/perder"),
            &at_second("/perder"),
            "motivo=Achou+caro&versao=3",
            ("deals", "Achou caro"),
        ),
        define_form(&route("/reabrir"), &at_second("/reabrir"), "versao=4", ("deals", "")),
        define_form(
            &route("/ganhar"),
            &at("1/ganhar"),
            "cpfCnpj=111.444.777-35&planos=2&codLoja=2&versao=3",
            ("benefits", ""),
        ),
    ]
}

fn list_import_forms(import: u8) -> Vec<ValidForm> {
    let route = |rest: &str| format!("/console/importar/{{codigo}}{rest}");
    let at = |rest: &str| format!("/console/importar/{import}{rest}");
    vec![
        define_form(
            "/console/importar/novo",
            "/console/importar/novo",
            "planilha.csv",
            ("imports", "planilha.csv"),
        ),
        define_form(
            &route("/colunas"),
            &at("/colunas"),
            "campo-0=cpfCnpj&campo-1=nomePessoa&campo-2=codLoja",
            ("imports", ""),
        ),
        define_form(&route("/iniciar"), &at("/iniciar"), "", ("imports", "")),
        define_form(&route("/pausar"), &at("/pausar"), "", ("imports", "")),
        define_form(&route("/retomar"), &at("/retomar"), "", ("imports", "")),
        define_form(&route("/desfazer"), &at("/desfazer"), "", ("imports", "")),
    ]
}

fn list_register_forms() -> Vec<ValidForm> {
    let area = "/console/cadastros/{registro}";
    vec![
        define_form(
            &format!("{area}/novo"),
            "/console/cadastros/plano/novo",
            "nome=Plano+novo&tipoBeneficio=SAUDE&valor=10,00",
            ("plans", "Plano novo"),
        ),
        define_form(
            &format!("{area}/{{codigo}}"),
            "/console/cadastros/plano/1",
            "nome=Plano+trocado&valor=150,55&versao=1",
            ("plans", "Plano trocado"),
        ),
        define_form(
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
        define_page_form(
            "/console/gatilhos/novo",
            "/console/gatilhos/novo",
            "endereco=https://novo.example&simultaneas=8&entidades=beneficio",
            ("receivers", "https://novo.example"),
        ),
        define_form(
            &route("/alterar"),
            &at("/alterar"),
            "endereco=https://pessoa1.example/gatilhos&simultaneas=3&entidades=beneficio&versao=1",
            ("receivers", "https://pessoa1.example/gatilhos"),
        ),
        define_form(&route("/pausar"), &at("/pausar"), "pausar=sim&motivo=Obras", ("receivers", "")),
        define_page_form(&route("/segredo"), &at("/segredo"), "", ("receivers", "")),
        define_page_form(&route("/teste"), &at("/teste"), "entidade=beneficio", ("audit", "")),
        define_form(&route("/reenviar"), &at("/reenviar"), "de=1", ("outbox", "")),
        define_form(&route("/ativo"), "/console/gatilhos/2/ativo", "ativo=nao&versao=1", ("receivers", "")),
    ]
}

fn list_administration_forms() -> Vec<ValidForm> {
    let user = "/console/usuarios/{codigo}";
    vec![
        define_form(
            "/console/usuarios/novo",
            "/console/usuarios/novo",
            "nome=Nova+Pessoa&email=nova@aqui.example&perfil=operador&lojas=2&ativo=sim",
            ("users", "Nova Pessoa"),
        ),
        define_form(
            user,
            "/console/usuarios/2",
            "nome=Operadora&email=operador@aqui.example&perfil=operador&lojas=2&ativo=sim&versao=1",
            ("users", "Operadora"),
        ),
        define_form(&format!("{user}/sessoes"), "/console/usuarios/2/sessoes", "", ("audit", "")),
        define_form(
            &format!("{user}/senha"),
            "/console/usuarios/2/senha",
            "",
            ("mails", "operador@aqui.example"),
        ),
        define_form(
            "/console/usuarios/exigencia",
            "/console/usuarios/exigencia",
            "perfil=operador&versao=1",
            ("tenants", ""),
        ),
        define_form(
            "/console/validacao",
            "/console/validacao",
            "aberta=nao&parceiros=&versao=2",
            ("tenants", ""),
        ),
        define_form("/console/emails/teste", "/console/emails/teste", "", ("mails", "admin@aqui.example")),
    ]
}
