//! The hostile world with a record of every kind in each branch and association, and the sessions of those who look.

use console::PageRoute;
use domain::Cpf;
use serde_json::{Value, json};
use storage::{WriteLane, sql};
use testkit::{Server, Whole, World};

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
pub const OTHER_TENANT: PathCodes = PathCodes { record: "3", register_record: "8", user: "54", change: "11" };

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

pub fn list_routes_with_method(method: &str) -> Vec<PageRoute> {
    console::list_routes().into_iter().filter(|route| route.method == method).collect()
}

impl ConsoleScene {
    pub async fn on(world: World) -> ConsoleScene {
        let server = Server::start(world.processes()[0].clone()).await;
        let token = server.token(&world.administrator.email).await;
        fill_association(&server, &token, "Pessoa", 2, &[2, 1]).await;
        let token = server.token("admin@ali.example").await;
        fill_association(&server, &token, FOREIGN_MARK, 1, &[2, 1, 3]).await;
        let user =
            json!({"nome": FOREIGN_MARK, "email": "novo@ali.example", "perfil": "operador", "lojas": [2]});
        save_record(&server, &token, "/gestao/usuario", user).await;
        run_imports(&world).await;
        deliver_first_change(&world).await;
        let administrator = server.console_token(&world.administrator.email).await;
        let operator = server.console_token(&world.operator.email).await;
        let program = server.console_token(&world.integration.email).await;
        let foreigner = server.console_token("admin@ali.example").await;
        let scene = ConsoleScene { world, server, administrator, operator, program, foreigner };
        let filter = "lista=associados&nome=Guardado&consulta=uf%3DSP";
        assert_eq!(scene.post(&scene.administrator, "/console/filtros", filter).await.head.status, 303);
        scene
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

    /// Everything that is stored but who looked at what, which takes numbers of the audit.
    pub async fn read_database(&self) -> String {
        app::audit::access_log::flush_access_log(self.world.app()).await.unwrap();
        let all = testkit::dump(self.world.db()).await;
        let is_look = |line: &str| line.starts_with("sightings: ") || line.contains(" | \"audit\" | ");
        let is_kept = |line: &&str| !is_look(line);
        all.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
    }
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

/// Does what imports wait for.
pub async fn run_imports(world: &World) {
    while exchange::import::run_due_imports(&world.processes()[0]).await.unwrap() {}
}

async fn save_record(server: &Server, token: &str, path: &str, body: Value) -> Value {
    let reply = server.write(path, token, &body.to_string()).await;
    assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
    reply.json()
}

/// One record of each kind for each of these branches, whose codes count from 1.
async fn fill_association(server: &Server, token: &str, name: &str, health_plan: i32, branches: &[i32]) {
    for (code, &branch) in (1..).zip(branches) {
        let title = format!("{name} {code}");
        let receiver = json!({"endereco": format!("https://{}{code}.example", name.to_lowercase()), "entidades": ["todos"]});
        save_record(server, token, "/gestao/receptor", receiver).await;
        let cpf = Cpf::with_check_digits([1, 1, 1, 2, 2, 2, 3, 3, code]).unwrap().to_string();
        let member =
            json!({"nomePessoa": title, "cpfCnpj": cpf, "codLoja": branch, "email": "a@exemplo.com.br"});
        save_record(server, token, "/ext/associado", member).await;
        let benefit = json!({"codPlano": health_plan, "cpfCnpj": cpf, "codLoja": branch});
        save_record(server, token, "/ext/beneficio", benefit).await;
        open_cases(server, token, code).await;
        upload_files(server, token, (name, code), branch).await;
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

/// A picture of a claim, and a sheet that is checked but not imported yet.
async fn upload_files(server: &Server, token: &str, (name, code): (&str, u8), branch: i32) {
    let bearer = format!("Bearer {token}");
    let photo = testkit::pictures::phone_photo(60, 40);
    let path = format!("/gestao/evento/{code}/arquivos?nome={name}{code}.jpg");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "image/jpeg")];
    let attached = server.send("POST", &path, &headers, &photo).await;
    assert_eq!(attached.head.status, 200, "{:?}", attached.head);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/csv")];
    let sheet =
        format!("CPF;Nome;Loja\n529.982.247-25;{name} da Planilha;{branch}\n111;Sem Documento;{branch}\n");
    let path = format!("/gestao/importacao?tipo=associados&arquivo={name}.csv");
    let received = server.send("POST", &path, &headers, sheet.as_bytes()).await;
    assert_eq!(received.head.status, 200, "{:?}", received.head);
    save_record(server, token, &format!("/gestao/importacao/{code}/conferir"), json!({})).await;
}
