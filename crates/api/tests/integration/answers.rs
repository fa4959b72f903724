//! What the server answers to every operation, on every page of the console and in every file that it hands out, as one
//! digest for each call. Who moves or renames code changes no line of the list; any other change of it is reviewed.

use app::{App, Vault};
use demo::{ADMINISTRATOR, DemoLoadOptions};
use domain::TenantId;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Read;
use std::sync::Arc;
use testkit::{Database, Engine, SERVER_KEY, Server, StillClock, app_on};

const PASSWORD: &str = "amparo-demo";
const OPERATOR: &str = "operador@demo.example";
const INTEGRATION: &str = "integracao@demo.example";

/// So many pages of one kind are looked at: the others differ in what they show, not in how.
const PAGES_OF_A_KIND: usize = 2;

struct Walk {
    server: Server,
    lines: Vec<String>,
}

impl Walk {
    async fn call(
        &mut self,
        who: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, String) {
        let reply = self.server.send(method, path, headers, body).await;
        let mut told = format!("{}", reply.head.status);
        for (name, value) in &reply.head.headers {
            if !["date", "content-length", "set-cookie", "x-request-id"].contains(&name.as_str()) {
                told.push_str(&format!("\n{name}: {value}"));
            }
        }
        let mut digest = Sha256::new();
        digest.update(told);
        match reply.head.header("content-type") {
            Some(kind) if kind.starts_with("text/html") => {
                digest.update(without_line_breaks(&reply.head.body));
            }
            _ => digest.update(contents(&reply.bytes)),
        }
        let digest: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let sent = if body.is_empty() { String::new() } else { format!(" {}", short_digest(body)) };
        self.lines.push(format!("{who} {method} {path}{sent} → {} {digest}", reply.head.status));
        (reply.head.status, reply.head.body)
    }
}

fn short_digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(3).map(|byte| format!("{byte:02x}")).collect()
}

/// A page without the white space between its tags: how a template breaks its lines is no change.
fn without_line_breaks(page: &str) -> String {
    let one_line = page.split_whitespace().collect::<Vec<_>>().join(" ");
    one_line.replace(" <", "<").replace(" >", ">").replace("> ", ">")
}

/// Of a spreadsheet or an archive the files in it, without the moment at which a library wrote them.
fn contents(bytes: &[u8]) -> Vec<u8> {
    let Ok(mut archive) = zip::ZipArchive::new(std::io::Cursor::new(bytes)) else { return bytes.to_vec() };
    let mut inside = Vec::new();
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).unwrap();
        if file.name().unwrap() == "docProps/core.xml" {
            continue;
        }
        inside.extend_from_slice(file.name().unwrap().as_bytes());
        file.read_to_end(&mut inside).unwrap();
    }
    inside
}

/// A value that the description gives as an example.
fn example(schema: &Value) -> Option<Value> {
    schema.get("example").or_else(|| schema.get("examples")?.get(0)).cloned()
}

fn resolve<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(name) => &document["components"]["schemas"][name.rsplit('/').next().unwrap()],
        None => schema,
    }
}

/// The record as its description's examples fill it: whole, or only what must be there.
fn record(document: &Value, schema: &Value, is_whole: bool, depth: u8) -> Value {
    let schema = resolve(document, schema);
    if let Some(value) = example(schema) {
        return value;
    }
    let mut fields = Map::new();
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        let must: Vec<_> = part.get("required").and_then(Value::as_array).into_iter().flatten().collect();
        if let Value::Object(more) = record(document, part, is_whole, depth) {
            fields.extend(more);
        }
        let first = resolve(document, &schema["allOf"][0]);
        for name in must.iter().filter_map(|name| name.as_str()) {
            if let Some(field) = first["properties"].get(name) {
                fields.insert(name.to_owned(), record(document, field, is_whole, depth + 1));
            }
        }
    }
    let must: Vec<_> = schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let is_read_only = field.get("readOnly") == Some(&json!(true));
        if !is_read_only && depth < 4 && (is_whole || must.iter().any(|one| *one == name)) {
            fields.insert(name.clone(), record(document, field, is_whole, depth + 1));
        }
    }
    if !fields.is_empty() {
        return Value::Object(fields);
    }
    if schema.get("items").is_some() {
        return json!([record(document, &schema["items"], is_whole, depth + 1)]);
    }
    Value::Null
}

async fn call_operations(walk: &mut Walk, method: &str) {
    let document: Value = serde_json::from_str(api::openapi_text()).unwrap();
    let mut bearers = Vec::new();
    for (who, email) in [("admin", ADMINISTRATOR), ("operator", OPERATOR), ("integration", INTEGRATION)] {
        let entered = walk.server.enter(email, PASSWORD).await;
        bearers.push((who, format!("Bearer {}", entered.json()["authorizationToken"].as_str().unwrap())));
    }
    for (path, operations) in document["paths"].as_object().unwrap() {
        let Some(operation) = operations.get(method) else { continue };
        // They give out or end what the walk goes by.
        if path.contains("/sessao") || path.ends_with("/autenticacao") || path.contains("/token") {
            continue;
        }
        let numbered = |code: u8| {
            let parts = path
                .split('/')
                .map(|part| if part.starts_with('{') { code.to_string() } else { part.to_owned() });
            parts.collect::<Vec<_>>().join("/")
        };
        let mut calls = vec![(numbered(1), Vec::new()), (numbered(7), Vec::new())];
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let given = example(&parameter["schema"]).or_else(|| example(parameter));
            if let (Some("query"), Some(value)) = (parameter["in"].as_str(), given) {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
                calls.push((
                    format!("{}?{}={text}", numbered(1), parameter["name"].as_str().unwrap()),
                    Vec::new(),
                ));
            }
        }
        if let Some(content) = operation.get("requestBody").map(|body| &body["content"]) {
            let bodies: Vec<Vec<u8>> = match content.get("application/json") {
                Some(json) => [true, false]
                    .map(|is_whole| record(&document, &json["schema"], is_whole, 0).to_string().into_bytes())
                    .to_vec(),
                None if content.get("text/csv").is_some() => {
                    vec!["CPF;Nome;Loja\n529.982.247-25;Ana de Souza;1\n".into()]
                }
                None => vec![testkit::pictures::phone_photo(60, 40)],
            };
            let places: BTreeSet<String> = calls.drain(..).map(|(path, _)| path).collect();
            let places: Vec<String> = if content.get("application/json").is_some() {
                places.into_iter().collect()
            } else {
                vec![
                    format!("{}?nome=foto.jpg", numbered(1)),
                    format!("{}?nome=a.csv&tipo=associados", numbered(1)),
                ]
            };
            calls = places
                .iter()
                .flat_map(|path| bodies.iter().map(|body| (path.clone(), body.clone())))
                .collect();
        }
        calls.dedup();
        for (path, body) in calls {
            for (who, bearer) in &bearers {
                let headers = [
                    ("Authorization", bearer.as_str()),
                    ("Content-Type", "application/json"),
                    ("X-Request-Id", "p"),
                ];
                let (status, text) = walk.call(who, &method.to_uppercase(), &path, &headers, &body).await;
                let is_documented = operation["responses"].get(status.to_string()).is_some();
                assert!(is_documented, "{method} {path} → {status}, not in its description: {text}");
            }
        }
    }
}

/// The address that a link on a page leads to, if it is the console's.
fn follow(page: &str, link: &str) -> Option<String> {
    let link = link.replace("&amp;", "&").replace("&#38;", "&");
    let link = link.split('#').next().unwrap();
    let whole = match link {
        "" => return None,
        link if link.contains(':') => return None,
        link if link.starts_with('/') => link.to_owned(),
        link if link.starts_with('?') => format!("{}{link}", page.split('?').next().unwrap()),
        link => {
            let folder = page.split('?').next().unwrap().rsplit_once('/').unwrap().0;
            let mut parts: Vec<&str> = folder.split('/').collect();
            for part in link.split('/') {
                match part {
                    "." => {}
                    ".." => drop(parts.pop()),
                    other => parts.push(other),
                }
            }
            parts.join("/")
        }
    };
    whole.starts_with("/console").then_some(whole)
}

/// What is alike of two pages: their address without its numbers and values.
fn kind_of(path: &str) -> String {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let place: String =
        place.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    let names: Vec<&str> = query.split('&').map(|pair| pair.split('=').next().unwrap()).collect();
    format!("{}?{}", place.replace("00", "0"), names.join("&"))
}

async fn walk_through_pages(walk: &mut Walk, who: &str, email: &str) {
    let form = format!("usuario={email}&senha={PASSWORD}");
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    let entered = walk.server.call("POST", "/console/entrar", &[kind], &form).await;
    let cookie = format!("__Host-amparo={}", entered.session().unwrap());
    let mut waiting = VecDeque::from([
        "/".to_owned(),
        "/console".to_owned(),
        "/console/conta".to_owned(),
        "/console/sobre".to_owned(),
    ]);
    let mut seen = BTreeSet::new();
    let mut of_a_kind: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(path) = waiting.pop_front() {
        let count = of_a_kind.entry(kind_of(&path)).or_default();
        if *count >= PAGES_OF_A_KIND || path.contains("/sair") || !seen.insert(path.clone()) {
            continue;
        }
        *count += 1;
        let (_, page) = walk.call(who, "GET", &path, &[("Cookie", &cookie)], b"").await;
        for link in page.split("href=\"").skip(1) {
            let link = link.split('"').next().unwrap();
            waiting
                .extend(follow(&path, link).filter(|path| !path.ends_with(".css") && !path.ends_with(".js")));
        }
    }
}

/// The digest of each file in the tenant's archive.
async fn list_archive_digests(app: &App, tenant: TenantId) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("base.zip");
    let vault = Vault::new(&SERVER_KEY).unwrap();
    exchange::archive::export_archive(app, vault, tenant, &file, "test", |_| {}).await.unwrap();
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
    let count = archive.len();
    let digest_of = |number| {
        let mut entry = archive.by_index(number).unwrap();
        let (name, mut bytes) = (entry.name().unwrap().into_owned(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        format!("archive {name} → {}", short_digest(&bytes))
    };
    // The access log is written behind the answers, and the manifest counts its rows.
    let is_settled = |line: &String| !line.contains("/sightings.jsonl") && !line.contains("manifesto.json");
    (0..count).map(digest_of).filter(is_settled).collect()
}

#[testkit::test]
async fn every_answer_is_the_one_on_record() {
    let database = Database::fresh(Engine::Sqlite).await;
    let app = app_on(database.open().await, Arc::new(StillClock::default()), 1);
    let demo = DemoLoadOptions { members: 120, seed: 1, password: PASSWORD.to_owned(), months: Some(6) };
    let loaded = demo::load_demo(&app, &demo, &mut |_| {}).await.unwrap();
    let mut walk = Walk { server: Server::start(app.clone()).await, lines: Vec::new() };
    call_operations(&mut walk, "get").await;
    walk_through_pages(&mut walk, "admin", ADMINISTRATOR).await;
    walk_through_pages(&mut walk, "operator", OPERATOR).await;
    for method in ["post", "put", "delete"] {
        call_operations(&mut walk, method).await;
    }
    walk_through_pages(&mut walk, "admin, after the writes", ADMINISTRATOR).await;
    walk.lines.extend(list_archive_digests(&app, loaded.tenant).await);
    walk.server.stop().await;
    insta::assert_snapshot!("answers", walk.lines.join("\n"));
}
