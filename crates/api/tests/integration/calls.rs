//! Who calls, and how: everybody's token, and each call to the next process in turn, so that what one wrote another reads.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use storage::{QueryWeight, sql};
use testkit::{Reply, Server, World};

pub const MEMBERS: &str = "/ext/associado";
pub const BENEFITS: &str = "/ext/beneficio";
pub const VEHICLES: &str = "/ext/beneficio/veicular";
pub const LIST: &str = "/ext/beneficio/lista";
pub const DEPENDENTS: &str = "/ext/beneficio/dependente";
pub const HISTORY: &str = "/gestao/historico";
pub const AUDIT: &str = "/gestao/auditoria";
pub const FUNNELS: &str = "/ext/crm/funil";
pub const LEADS: &str = "/ext/crm/lead";
pub const DEALS: &str = "/ext/crm/negocio";

/// Codes of the world's registers: its plans of each kind, and what is not to be had.
pub const CAR_PLAN: i32 = 1;
pub const HEALTH_PLAN: i32 = 2;
pub const CLUB_PLAN: i32 = 3;
pub const SECOND_CAR_PLAN: i32 = 6;
pub const INACTIVE_PLAN: i32 = 7;
/// Codes that only the other association has.
pub const PLAN_THERE: i32 = 8;
pub const VEHICLE_TYPE_THERE: i32 = 3;
pub const FIELD_THERE: i32 = 9;

pub struct Calls {
    servers: Vec<Server>,
    turn: AtomicUsize,
    pub administrator: String,
    /// Of branch 2.
    pub operator: String,
    /// Of branches 2 and 3.
    pub integration: String,
    /// Of branch 2 in the other association.
    pub stranger: String,
    pub world: World,
}

impl Calls {
    pub async fn on(world: World) -> Calls {
        let mut servers = Vec::new();
        for app in world.processes() {
            servers.push(Server::start(app.clone()).await);
        }
        let token = async |email: &str| servers[0].token(email).await;
        let administrator = token(&world.administrator.email).await;
        let operator = token(&world.operator.email).await;
        let integration = token(&world.integration.email).await;
        let stranger = token(&world.stranger.email).await;
        Calls { servers, turn: AtomicUsize::new(0), administrator, operator, integration, stranger, world }
    }

    /// The process whose turn it is.
    pub fn server(&self) -> &Server {
        &self.servers[self.turn.fetch_add(1, Ordering::Relaxed) % self.servers.len()]
    }

    /// Every process.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    pub async fn get(&self, token: &str, path: &str, query: &[(&str, &str)]) -> Reply {
        self.server().read(&address(path, query), token).await
    }

    pub async fn post(&self, token: &str, path: &str, body: &Value) -> Reply {
        self.server().write(path, token, &body.to_string()).await
    }

    pub async fn put(&self, token: &str, path: &str, body: &Value) -> Reply {
        self.server().put(path, token, &body.to_string()).await
    }

    pub async fn cancel(&self, token: &str, code: &Value, body: &str) -> Reply {
        self.server().put(&format!("/ext/beneficio/{code}/cancelar"), token, body).await
    }

    /// Posts, and that it went well.
    pub async fn saved(&self, token: &str, path: &str, body: &Value) -> Value {
        let reply = self.post(token, path, body).await;
        assert_eq!(reply.status, 200, "{path} {body}: {reply:?}");
        reply.json()
    }

    /// Posts as the operator, and that it is refused as bad input.
    pub async fn refused(&self, path: &str, body: &Value) -> String {
        self.post(&self.operator, path, body).await.refuses(400).to_owned()
    }

    /// The member of this number in the operator's branch.
    pub async fn member(&self, number: u32) -> Value {
        self.member_with(number, json!({})).await
    }

    pub async fn member_with(&self, number: u32, more: Value) -> Value {
        let body = with(json!({"nomePessoa": format!("Pessoa {number}"), "cpfCnpj": cpf(number)}), more);
        self.saved(&self.operator, MEMBERS, &body).await
    }

    /// A health benefit of a member who is there, saved by the operator.
    pub async fn health(&self, number: u32, more: Value) -> Value {
        self.saved(&self.operator, BENEFITS, &health(number, more)).await
    }

    /// A vehicle benefit of a member who is there, saved by the operator.
    pub async fn car(&self, number: u32, plate: &str, more: Value) -> Value {
        self.saved(&self.operator, VEHICLES, &car(number, plate, more)).await
    }

    /// A dependent of a benefit that was saved, by the operator.
    pub async fn dependent(&self, benefit: &Value, more: Value) -> Value {
        self.saved(&self.operator, DEPENDENTS, &dependent(benefit, more)).await
    }

    /// The answer to a search, and that it went well.
    pub async fn read(&self, token: &str, path: &str, query: &[(&str, &str)]) -> Value {
        let reply = self.get(token, path, query).await;
        assert_eq!(reply.status, 200, "{path} {query:?}: {reply:?}");
        reply.json()
    }

    /// The rows of the member search for the operator; of its first page, which says how many there are.
    pub async fn rows(&self, query: &[(&str, &str)]) -> Vec<Value> {
        items(&self.read(&self.operator, MEMBERS, query).await)
    }

    /// What the benefit search finds for the operator.
    pub async fn found(&self, query: &[(&str, &str)]) -> Vec<Value> {
        array(&self.read(&self.operator, BENEFITS, query).await)
    }

    /// A benefit that was saved, as the administrator finds it now.
    pub async fn now(&self, saved: &Value) -> Value {
        let sequence = saved["sequencial"].to_string();
        let found = array(&self.read(&self.administrator, BENEFITS, &[("sequencial", &sequence)]).await);
        assert_eq!(found.len(), 1, "{saved}: {found:?}");
        assert_eq!(found[0]["codBeneficio"], saved["codBeneficio"]);
        found.into_iter().next().unwrap()
    }

    /// What the search of leads finds for the operator.
    pub async fn leads(&self, query: &[(&str, &str)]) -> Vec<Value> {
        array(&self.read(&self.operator, LEADS, query).await)
    }

    /// What the search of deals finds for the operator.
    pub async fn deals(&self, query: &[(&str, &str)]) -> Vec<Value> {
        array(&self.read(&self.operator, DEALS, query).await)
    }

    /// A deal that was created by the operator.
    pub async fn deal(&self, body: Value) -> Value {
        self.saved(&self.operator, DEALS, &body).await
    }

    /// A deal whole, as the operator sees it.
    pub async fn whole(&self, code: &Value) -> Value {
        self.read(&self.operator, &format!("{DEALS}/{code}"), &[]).await
    }

    /// Changes a deal as the operator.
    pub async fn change(&self, code: &Value, body: Value) -> Reply {
        self.server().put(&format!("{DEALS}/{code}"), &self.operator, &body.to_string()).await
    }

    /// What the audit tells of a person.
    pub async fn audited(&self, person: &str) -> Vec<Value> {
        for app in self.world.processes() {
            app::audit::access_log::flush_access_log(app).await.unwrap();
        }
        items(&self.read(&self.administrator, AUDIT, &[("codPessoa", person)]).await)
    }

    /// Every change of situation that a caller may see.
    pub async fn history(&self, token: &str) -> Vec<Value> {
        let page = self.read(token, HISTORY, &[]).await;
        assert_eq!(page["temMais"], false, "{page}");
        items(&page)
    }

    /// How many rows a table has for the association that tests act in.
    pub async fn count(&self, table: &str) -> i64 {
        let count = sql("SELECT COUNT(*) AS n FROM");
        let count = count.append_text(&format!("{table} WHERE tenant = {}", self.world.here));
        self.world.db().query(QueryWeight::Search, count).await.unwrap()[0].get("n").unwrap()
    }
}

pub fn health(number: u32, more: Value) -> Value {
    with(json!({"codPlano": HEALTH_PLAN, "cpfCnpj": cpf(number)}), more)
}

pub fn car(number: u32, plate: &str, more: Value) -> Value {
    with(json!({"codPlano": CAR_PLAN, "cpfCnpj": cpf(number), "placa": plate}), more)
}

/// A dependent of a benefit that was saved.
pub fn dependent(benefit: &Value, more: Value) -> Value {
    let body = json!({"codBeneficio": benefit["codBeneficio"], "nome": "João Souza", "parentesco": "FILHO"});
    with(body, more)
}

/// What hangs on a benefit that was saved: `/ext/beneficio/7/itens`.
pub fn of(benefit: &Value, what: &str) -> String {
    format!("{BENEFITS}/{}/{what}", benefit["codBeneficio"])
}

/// The fields of one object over those of another.
pub fn with(mut base: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("{more} is no object") };
    base.as_object_mut().unwrap().extend(more);
    base
}

/// A path with its query.
pub fn address(path: &str, query: &[(&str, &str)]) -> String {
    if query.is_empty() {
        return path.to_owned();
    }
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
    format!("{path}?{query}")
}

pub fn array(answer: &Value) -> Vec<Value> {
    answer.as_array().unwrap_or_else(|| panic!("{answer} is no array")).clone()
}

/// The items of a page.
pub fn items(page: &Value) -> Vec<Value> {
    array(&page["itens"])
}

/// One field of each of several records.
pub fn each(records: &[Value], field: &str) -> Vec<Value> {
    records.iter().map(|record| record[field].clone()).collect()
}

/// The lines of a refusal that are about a field.
pub fn told_about(refusal: &str, field: &str) -> bool {
    refusal.lines().any(|line| line.starts_with(&format!("{field}: ")))
}

/// A valid CPF for each number, masked.
pub fn cpf(number: u32) -> String {
    let mut digits: Vec<u32> =
        format!("{:09}", 100_000_007 + number).bytes().map(|b| u32::from(b - b'0')).collect();
    for length in [9, 10] {
        let sum: u32 = digits.iter().zip((2..=length + 1).rev()).map(|(digit, weight)| digit * weight).sum();
        digits.push(sum * 10 % 11 % 10);
    }
    let text: String = digits.iter().map(u32::to_string).collect();
    format!("{}.{}.{}-{}", &text[..3], &text[3..6], &text[6..9], &text[9..])
}

/// Only its digits and letters.
pub fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}
