//! The hostile world with a record of every kind in each branch and association, and the sessions of those who look.

use console::PageRoute;
use domain::Cpf;
use serde_json::{Value, json};
use storage::{WriteLane, sql};
use testkit::{Reply, Server, Whole, World};

/// Stands in everything that the other association wrote.
pub const FOREIGN_MARK: &str = "Forasteiro";
/// Other texts of the other association.
pub const FOREIGN_TEXTS: [&str; 5] =
    [FOREIGN_MARK, "Associação Ali", "Filial Ali", "Saúde Ali", "ali.example"];

/// A name in a branch that the operator does not see.
pub const OTHER_BRANCH_NAME: &str = "Pessoa 2";

pub const FORM: &str = "application/x-www-form-urlencoded";
pub const MULTIPART: &str = "multipart/form-data; boundary=divisa";

pub struct ConsoleScene {
    pub world: World,
    pub server: Server,
    pub administrator: String,
    /// Of branch 2, where everything has code 1; what has code 2 is in branch 1.
    pub operator: String,
    pub program: String,
    /// The administrator of the other association.
    pub foreigner: String,
}

/// What stands in a path for its parameters.
#[derive(Clone, Copy)]
pub struct PathCodes {
    pub record: &'static str,
    pub register_record: &'static str,
    pub user: &'static str,
    /// A change of situation that the receiver of this code is told of.
    pub change: &'static str,
}

/// What the operator works on.
pub const OWN: PathCodes = PathCodes { record: "1", register_record: "1", user: "2", change: "1" };
/// The same of a branch that the operator does not see.
pub const OTHER_BRANCH: PathCodes = PathCodes { record: "2", ..OWN };
/// Codes that only the other association has.
pub const OTHER_TENANT: PathCodes = PathCodes { record: "3", register_record: "8", user: "54", change: "15" };

pub fn fill_path(path: &str, codes: PathCodes) -> String {
    let is_secret = path.starts_with("/senha/") || path.starts_with("/console/comecar/");
    let fill = |part: &str| {
        match part {
            "{codigo}" if is_secret => "segredo",
            "{codigo}" if path.starts_with("/console/usuarios/") => codes.user,
            "{codigo}" if path.starts_with("/console/cadastros/") => codes.register_record,
            "{codigo}" | "{parte}" => codes.record,
            "{historico}" => codes.change,
            "{registro}" => "plano",
            "{lista}" => "associado",
            "{tipo}" => "associados.csv",
            "{capitulo}" => "painel",
            "{figura}" => "painel.png",
            part => {
                assert!(!part.starts_with('{'), "{path} has a parameter without a value");
                return part.to_owned();
            }
        }
        .to_owned()
    };
    path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

/// What is no value of a parameter.
const MALFORMED: [&str; 5] = ["abc", "0", "-1", "99999999999", "%3Cscript%3Ealert(1)%3C%2Fscript%3E"];

/// The path with each of its parameters malformed in turn, and with all of them.
pub fn list_malformed_paths(path: &str) -> Vec<String> {
    let filled = fill_path(path, OWN);
    let parts: Vec<(&str, &str)> = path.split('/').zip(filled.split('/')).collect();
    let parameters: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].0.starts_with('{')).collect();
    let groups = parameters.iter().map(|at| vec![*at]);
    let groups = groups.chain((parameters.len() > 1).then(|| parameters.clone()));
    let replace = |group: &[usize], text: &str| {
        let part = |at: usize| if group.contains(&at) { text } else { parts[at].1 };
        (0..parts.len()).map(part).collect::<Vec<_>>().join("/")
    };
    groups.flat_map(|group| MALFORMED.map(|text| replace(&group, text))).collect()
}

#[test]
fn each_parameter_of_a_path_is_malformed_in_turn() {
    let paths = list_malformed_paths("/console/beneficios/{codigo}/itens/{parte}");
    for path in ["/console/beneficios/abc/itens/1", "/console/beneficios/1/itens/abc"] {
        assert!(paths.contains(&path.to_owned()), "{paths:?}");
    }
    assert_eq!(paths.len(), 3 * MALFORMED.len());
    assert!(list_malformed_paths("/console/emails").is_empty());
}

pub fn list_routes_with_method(method: &str) -> Vec<PageRoute> {
    console::list_routes().into_iter().filter(|route| route.method == method).collect()
}

impl ConsoleScene {
    pub async fn on(world: World) -> ConsoleScene {
        let server = Server::start(world.processes()[0].clone()).await;
        let token = server.token(&world.administrator.email).await;
        fill_association(&server, &token, "Pessoa", 2, &[2, 1]).await;
        let_account_receive(&server, &token).await;
        let token = server.token("admin@ali.example").await;
        fill_association(&server, &token, FOREIGN_MARK, 1, &[2, 1, 3]).await;
        let user =
            json!({"nome": FOREIGN_MARK, "email": "novo@ali.example", "perfil": "operador", "lojas": [2]});
        save_record(&server, &token, "/gestao/usuario", user).await;
        run_imports(&world).await;
        run_charging(&world).await;
        deliver_first_change(&world).await;
        let administrator = server.console_token(&world.administrator.email).await;
        let operator = server.console_token(&world.operator.email).await;
        let program = server.console_token(&world.integration.email).await;
        let foreigner = server.console_token("admin@ali.example").await;
        let scene = ConsoleScene { world, server, administrator, operator, program, foreigner };
        scene.save_filters(&scene.administrator, &["Guardado", "Guardado também"]).await;
        scene.save_filters(&scene.foreigner, &["Forasteiro 1", "Forasteiro 2", "Forasteiro 3"]).await;
        scene
    }

    /// Private filters of the list of members, whose codes count on.
    pub async fn save_filters(&self, token: &str, names: &[&str]) {
        for name in names {
            let form = format!("lista=associados&nome={name}&consulta=uf%3DSP");
            let saved = self.post(token, "/console/filtros", &form).await.head;
            assert_eq!(saved.status, 303, "{saved:?}");
        }
    }

    /// Money received as credit of each member, under the member's code.
    pub async fn add_credits(&self) {
        for (email, members) in [(&*self.world.administrator.email, 2), ("admin@ali.example", 3)] {
            let token = self.server.token(email).await;
            for member in 1..=members {
                let credit = json!({"codPessoa": member, "valor": 25, "codTipoLiquidacao": 1});
                save_record(&self.server, &token, "/gestao/financeiro/credito", credit).await;
            }
        }
    }

    /// What the operator may change besides what has code 1: a benefit, a case of each kind, a deal, an import and a
    /// filter, which all have code 3.
    pub async fn add_records_of_operator(&self) {
        let token = self.server.token(&self.world.administrator.email).await;
        let cpf = build_cpf(1);
        let benefit = json!({"codPlano": 2, "cpfCnpj": cpf, "codLoja": 2});
        save_record(&self.server, &token, "/ext/beneficio", benefit).await;
        let dependent = json!({"codBeneficio": 3, "nome": "Filha", "parentesco": "FILHO"});
        save_record(&self.server, &token, "/ext/beneficio/dependente", dependent).await;
        open_cases(&self.server, &token, 1).await;
        let deal = json!({"nome": "Outro contato", "email": "outro@contato.example", "codLoja": 2,
            "tipoBeneficio": "SAUDE"});
        save_record(&self.server, &token, "/ext/crm/negocio", deal).await;
        self.save_filters(&self.operator, &["Do operador"]).await;
        let token = self.server.token(&self.world.operator.email).await;
        upload_sheet(&self.server, &token, ("Operador", 3), 2).await;
        prepare_charging_run(&self.server, &token, 2).await;
        run_imports(&self.world).await;
        run_charging(&self.world).await;
    }

    /// The page that a redirect leads to, with the notice that it carries.
    pub async fn follow_redirect(&self, token: &str, answer: &Reply) -> Reply {
        let place = answer.header("location").unwrap_or_default();
        let place = place.split('#').next().unwrap_or_default();
        let notice = format!("{NOTICE}={}", find_notice(answer).unwrap_or_default());
        self.send(token, "GET", place, &[("Cookie", &notice)], b"").await.head
    }

    /// Whether an answer refuses a form with a sentence: on its own page, or as a notice on the page it leads to.
    pub async fn is_refusal(&self, token: &str, answer: &Reply) -> bool {
        match answer.status {
            400 | 403 | 404 | 409 | 410 => answer.body.contains("lang=\"pt-BR\""),
            303 => {
                let page = self.follow_redirect(token, answer).await;
                find_notice(answer).is_some() && page.body.contains("class=\"notice wrong\"")
            }
            _ => false,
        }
    }

    /// As a browser asks for a page; without a session where the token is empty.
    pub async fn get(&self, token: &str, path: &str) -> Whole {
        self.send(token, "GET", path, &[], b"").await
    }

    pub async fn post(&self, token: &str, path: &str, form: &str) -> Whole {
        self.send(token, "POST", path, &[("Content-Type", FORM)], form.as_bytes()).await
    }

    pub async fn send(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Whole {
        let cookie = format!("__Host-amparo={token}");
        let mut all = vec![("Accept", "text/html")];
        if !token.is_empty() {
            all.push(("Cookie", &cookie));
        }
        all.extend(headers);
        self.server.send(method, path, &all, body).await
    }

    /// The rows of a table, if any is named.
    pub async fn read_table(&self, table: &str) -> String {
        if table.is_empty() { String::new() } else { testkit::dump_table(self.world.db(), table).await }
    }

    /// Everything that is stored but who looked at what.
    pub async fn read_database(&self) -> String {
        app::audit::access_log::flush_access_log(self.world.app()).await.unwrap();
        let all = testkit::dump(self.world.db()).await;
        let is_look = |line: &str| line.starts_with("sightings: ") || line.contains(" | \"access\" | ");
        let is_kept = |line: &&str| !is_look(line);
        all.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
    }
}

/// The bank account can receive a Pix, and its bank collects slips.
async fn let_account_receive(server: &Server, token: &str) {
    let receiver = json!({"versao": 1, "chavePix": "pix@conta.example", "nomeRecebedor": "Associação Aqui",
        "cidadeRecebedor": "Santos", "agencia": "4042-8", "conta": "61900-0", "bancoBoleto": "BANCO_DO_BRASIL",
        "carteira": "18", "convenio": "1238798", "variacao": "019", "nomeBeneficiario": "Associação Aqui",
        "documentoBeneficiario": "11.222.333/0001-81", "enderecoBeneficiario": "Rua A, 1, Santos - SP"});
    let changed = server.put("/gestao/contaFinanceira/2", token, &receiver.to_string()).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

/// The first receiver has got the first change.
async fn deliver_first_change(world: &World) {
    let delivered = world.db().write(WriteLane::foreground(world.here), world.here, |tx, tenant| {
        Box::pin(async move {
            let first = "tenant = $1 AND receiver = 1 AND history_code = 1";
            let left = sql("DELETE FROM outbox WHERE").append_text(first).arg(*tenant);
            assert_eq!(tx.execute(left).await?, 1);
            let arrived = "INSERT INTO deliveries (tenant, receiver, history_code, ended_at, status, millis)
                VALUES ($1, 1, 1, 1, 200, 5)";
            tx.execute(sql(arrived).arg(*tenant)).await
        })
    });
    let delivered: Result<u64, storage::Error> = delivered.await;
    assert_eq!(delivered.unwrap(), 1);
}

/// The cookie of the notice for the next page.
pub const NOTICE: &str = "__Host-amparo-aviso";

/// The notice that an answer leaves for the next page.
pub fn find_notice(answer: &Reply) -> Option<&str> {
    let cookies = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let mut notices = cookies.filter_map(|(_, value)| value.strip_prefix(NOTICE)?.strip_prefix('='));
    notices.find_map(|value| value.split(';').next().filter(|sealed| !sealed.is_empty()))
}

/// Does what imports wait for.
pub async fn run_imports(world: &World) {
    while exchange::import::run_due_imports(&world.processes()[0]).await.unwrap() {}
}

/// Does what charging runs wait for.
pub async fn run_charging(world: &World) {
    while finance::charging::run_due_charging(&world.processes()[0]).await.unwrap() {}
}

/// A run of December for a branch, which waits for approval when it is worked off.
async fn prepare_charging_run(server: &Server, token: &str, branch: i32) {
    let run = json!({"mes": "12/2026", "codLoja": branch});
    save_record(server, token, "/gestao/financeiro/cobranca", run).await;
}

async fn save_record(server: &Server, token: &str, path: &str, body: Value) -> Value {
    let reply = server.write(path, token, &body.to_string()).await;
    assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
    reply.json()
}

/// Of the member with this code.
fn build_cpf(code: u8) -> String {
    Cpf::with_check_digits([1, 1, 1, 2, 2, 2, 3, 3, code]).unwrap().to_string()
}

/// One record of each kind for each of these branches, whose codes count from 1.
async fn fill_association(server: &Server, token: &str, name: &str, health_plan: i32, branches: &[i32]) {
    for (code, &branch) in (1..).zip(branches) {
        let title = format!("{name} {code}");
        let receiver = json!({"endereco": format!("https://{}{code}.example", name.to_lowercase()), "entidades": ["todos"]});
        save_record(server, token, "/gestao/receptor", receiver).await;
        let cpf = build_cpf(code);
        let member =
            json!({"nomePessoa": title, "cpfCnpj": cpf, "codLoja": branch, "email": "a@exemplo.com.br"});
        save_record(server, token, "/ext/associado", member).await;
        let benefit = json!({"codPlano": health_plan, "cpfCnpj": cpf, "codLoja": branch});
        save_record(server, token, "/ext/beneficio", benefit).await;
        open_cases(server, token, code).await;
        issue_title(server, token, (code, &title)).await;
        upload_files(server, token, (name, code), branch).await;
        prepare_charging_run(server, token, branch).await;
    }
    // Dependents and contacts are people too, with codes behind those of all members.
    for (code, &branch) in (1..).zip(branches) {
        let title = format!("{name} {code}");
        let dependent =
            json!({"codBeneficio": code, "nome": format!("Filho de {title}"), "parentesco": "FILHO"});
        save_record(server, token, "/ext/beneficio/dependente", dependent).await;
        let deal = json!({"nome": format!("Contato {title}"), "email": format!("{code}@contato.example"),
            "codLoja": branch, "tipoBeneficio": "SAUDE"});
        save_record(server, token, "/ext/crm/negocio", deal).await;
    }
}

/// One of each kind for a member.
async fn open_cases(server: &Server, token: &str, member: u8) {
    for (path, needs) in [
        ("/gestao/evento", json!({"codPessoa": member, "codTipoEvento": 1})),
        ("/gestao/vistoria", json!({"codPessoa": member, "codTipoVistoria": 1})),
        ("/gestao/helpDesk", json!({"codPessoa": member, "codTipoHelpDesk": 1})),
        ("/gestao/consulta", json!({"codPessoa": member})),
    ] {
        save_record(server, token, path, needs).await;
    }
}

/// A title with the member's code, of 100 reais, a payment of 10 of it, and a discount of the benefit with that code.
async fn issue_title(server: &Server, token: &str, (member, name): (u8, &str)) {
    let title = json!({"codPessoa": member, "codBeneficios": [member], "codTipoTitulo": 1, "valor": 100,
        "descricao": format!("Título de {name}")});
    save_record(server, token, "/gestao/financeiro/titulo", title).await;
    let payment = json!({"valorPago": 10, "codTipoLiquidacao": 1});
    save_record(server, token, &format!("/gestao/financeiro/titulo/{member}/receber"), payment).await;
    // Everybody sees the discounts of all branches.
    let whose = name.split(' ').next().unwrap_or_default();
    let discount = json!({"nome": format!("Cortesia {member} de {whose}"), "percentual": 10});
    save_record(server, token, "/gestao/desconto", discount).await;
    let grant = json!({"codDesconto": member, "desdeMes": "11/2026", "motivo": format!("Amigo de {name}")});
    save_record(server, token, &format!("/gestao/financeiro/beneficio/{member}/desconto"), grant).await;
}

/// A picture of a claim, and a sheet that is checked but not imported yet.
async fn upload_files(server: &Server, token: &str, (name, code): (&str, u8), branch: i32) {
    let bearer = format!("Bearer {token}");
    let photo = testkit::pictures::phone_photo(60, 40);
    let path = format!("/gestao/evento/{code}/arquivos?nome={name}{code}.jpg");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "image/jpeg")];
    let attached = server.send("POST", &path, &headers, &photo).await;
    assert_eq!(attached.head.status, 200, "{:?}", attached.head);
    upload_sheet(server, token, (name, code), branch).await;
}

/// A sheet with one valid line, which is to be checked.
pub async fn upload_sheet(server: &Server, token: &str, (name, code): (&str, u8), branch: i32) {
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/csv")];
    let sheet =
        format!("CPF;Nome;Loja\n529.982.247-25;{name} da Planilha;{branch}\n111;Sem Documento;{branch}\n");
    let path = format!("/gestao/importacao?tipo=associados&arquivo={name}.csv");
    let received = server.send("POST", &path, &headers, sheet.as_bytes()).await;
    assert_eq!(received.head.status, 200, "{:?}", received.head);
    save_record(server, token, &format!("/gestao/importacao/{code}/conferir"), json!({})).await;
}
