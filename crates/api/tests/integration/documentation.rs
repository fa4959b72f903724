//! The description of the interface tells the truth: every operation is in it, and every answer is as it says.

use crate::finance::revision::REVISION_OF_NOTHING;
use api::{AllowedCallers, list_operations};
use domain::{
    BranchCode, CaseHead, Claim, ClaimCode, ClaimTypeCode, Clock, Entity, Involved, Moment, PersonCode,
    PostalAddress, Priority, SituationCode, TimeZone, VehicleDetails,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use storage::server::counters::{self, Counter};
use testkit::{Server, World, both_engines};

fn document() -> Value {
    serde_json::from_str(api::openapi_text()).unwrap()
}

/// The description of one operation.
fn described<'d>(document: &'d Value, method: &str, path: &str) -> &'d Value {
    &document["paths"][path][method.to_lowercase()]
}

#[test]
fn the_document_is_openapi_3_1_of_interface_1_84() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.84");
    let described: usize =
        document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len()).sum();
    assert_eq!(described, list_operations().len());
    // All that the interface has, what programs call beyond it, and none of our own.
    let (beyond, shown): (Vec<_>, Vec<_>) = list_operations()
        .iter()
        .filter(|one| one.path.starts_with("/ext/"))
        .partition(|one| one.path.starts_with("/ext/financeiro/"));
    assert_eq!((shown.len(), beyond.len()), (35, 11));
}

#[test]
fn every_operation_is_told_in_portuguese_with_its_credential_and_its_refusals() {
    let document = document();
    let mut ids = BTreeSet::new();
    for one in list_operations() {
        let told = described(&document, one.method.as_str(), one.path);
        let name = format!("{} {}", one.method, one.path);
        assert!(told["summary"].as_str().is_some_and(|text| text.len() > 3), "{name}");
        assert!(
            told["description"].as_str().is_some_and(|text| text.ends_with('.') && text.len() > 20),
            "{name}"
        );
        assert!(ids.insert(told["operationId"].as_str().unwrap().to_owned()), "{name}");
        let security = match one.access {
            AllowedCallers::Open => Value::Null,
            AllowedCallers::Login => json!([{"basic": []}]),
            AllowedCallers::Roles(_) | AllowedCallers::AnyToken => json!([{"bearer": []}]),
        };
        assert_eq!(told["security"], security, "{name}");
        let responses = told["responses"].as_object().unwrap();
        let kinds = if one.answers_file.is_empty() { &["application/json"][..] } else { one.answers_file };
        for kind in kinds {
            assert!(responses["200"]["content"][*kind]["schema"].is_object(), "{name} {kind}");
        }
        for (status, response) in responses.iter().filter(|(status, _)| *status != "200") {
            assert!(response["content"]["text/plain"].is_object(), "{name} {status}");
        }
        assert!(responses.contains_key("401"), "{name}");
    }
}

#[test]
fn every_parameter_is_told_and_every_code_of_a_path_is_one() {
    let document = document();
    for one in list_operations() {
        let told = described(&document, one.method.as_str(), one.path);
        let name = format!("{} {}", one.method, one.path);
        let parameters = told["parameters"].as_array().cloned().unwrap_or_default();
        for parameter in &parameters {
            let text = parameter["description"].as_str();
            assert!(text.is_some_and(|text| text.ends_with('.')), "{name} {parameter}");
            assert!(parameter["schema"].is_object(), "{name} {parameter}");
            assert!(parameter["in"] != "path" || parameter["required"] == true, "{name} {parameter}");
            assert_eq!(parameter["in"] != "header", !parameter["example"].is_null(), "{name} {parameter}");
        }
        let of_path = parameters.iter().filter(|one| one["in"] == "path").map(|one| one["name"].as_str());
        let codes = one.path.split('/').filter(|part| part.starts_with('{'));
        assert!(of_path.eq(codes.clone().map(|part| Some(part.trim_matches(['{', '}'])))), "{name}");
        assert_eq!(codes.count() > 0, told["responses"]["404"].is_object(), "{name}");
        // Who sends a file twice has it twice: nothing is done with it until somebody says so.
        let takes_key =
            parameters.iter().any(|one| one["name"] == "Idempotency-Key") || !one.takes_file.is_empty();
        assert_eq!(takes_key, told["requestBody"].is_object(), "{name}");
        let is_plain =
            ["GET", "DELETE"].contains(&one.method.as_str()) || one.access == AllowedCallers::Login;
        assert_eq!(takes_key, !is_plain, "{name}");
    }
}

#[test]
fn every_field_of_every_record_is_told_with_an_example() {
    let document = document();
    for (record, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(schema["description"].is_string(), "{record}");
        for (field, told) in schema["properties"].as_object().unwrap() {
            assert!(told["description"].as_str().is_some_and(|text| text.ends_with('.')), "{record}.{field}");
            let is_of_records = told["items"]["$ref"].is_string() || told["$ref"].is_string();
            let example = told["examples"].get(0).or(told["items"]["examples"].get(0));
            assert!(is_of_records || example.is_some(), "{record}.{field}: {told}");
        }
    }
}

/// What is sent to receivers fits what the document says of it, to the last key, also where a key is spelled oddly.
#[test]
fn every_trigger_is_as_the_document_says() {
    let document = document();
    let webhooks = document["webhooks"].as_object().unwrap();
    let named: Vec<&str> = webhooks.keys().map(String::as_str).collect();
    let mut paths: Vec<&str> = Entity::ALL.into_iter().map(wire::entity_path).collect();
    paths.sort_unstable();
    assert_eq!(named, paths);
    let now = Moment::from_millis(1_794_663_125_123);
    let zone = TimeZone::parse(TimeZone::DEFAULT).unwrap();
    let golden = ["gatilho_saude", "gatilho_veicular"].map(|name| {
        let path = format!("{}/tests/integration/contract/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        (Entity::Benefit, std::fs::read_to_string(path).unwrap())
    });
    let samples = Entity::ALL.map(|entity| {
        (
            entity,
            wire::trigger::render_sample(entity, wire::trigger::ExampleCodes::LIKELY, now, &zone).unwrap(),
        )
    });
    for (entity, body) in samples.into_iter().chain(golden) {
        let path = wire::entity_path(entity);
        let told = &webhooks[path]["post"];
        assert!(
            told["description"].as_str().is_some_and(|text| text.contains(&format!("`/{path}`"))),
            "{told}"
        );
        let sent: Value = serde_json::from_str(&body).unwrap();
        let mut schema = strict(told["requestBody"]["content"]["application/json"]["schema"].clone());
        schema["components"] = strict(document["components"].clone());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<String> = validator.iter_errors(&sent).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{path}: {problems:?}");
        // No key is ever absent, and the document says so by itself.
        let record = |reference: &Value| {
            document.pointer(reference["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap()
        };
        let envelope = record(&told["requestBody"]["content"]["application/json"]["schema"]);
        for (sent, record) in
            [(&sent, envelope), (&sent["objeto"], record(&envelope["properties"]["objeto"]))]
        {
            let keys: BTreeSet<&str> = sent.as_object().unwrap().keys().map(String::as_str).collect();
            let required = record["required"].as_array().unwrap().iter();
            assert_eq!(keys, required.map(|name| name.as_str().unwrap()).collect(), "{path}");
        }
        assert_eq!(sent["entidade"], envelope["properties"]["entidade"]["enum"][0]);
        let headers: Vec<&str> =
            told["parameters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(headers, ["webhook-id", "webhook-timestamp", "webhook-signature"]);
        let answers: Vec<&String> = told["responses"].as_object().unwrap().keys().collect();
        assert_eq!(answers, ["200", "201", "202", "203", "204"]);
    }
}

/// Gives the first title a slip.
async fn issue_slip(server: &Server, headers: &[(&str, &str)]) {
    let agreement = r#"{"versao": 2, "agencia": "1234-3", "conta": "123456-0", "bancoBoleto": "BANCO_DO_BRASIL",
        "carteira": "18", "convenio": "1238798", "variacao": "19", "nomeBeneficiario": "AB",
        "documentoBeneficiario": "11.222.333/0001-81", "enderecoBeneficiario": "Rua A, 1, Santos - SP"}"#;
    let changed = server.call("PUT", "/gestao/contaFinanceira/2", headers, agreement).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let issued = server.call("POST", "/ext/financeiro/titulo/1/boleto", headers, "").await;
    assert_eq!(issued.status, 200, "{issued:?}");
}

/// What an operation answers fits what the document says it answers, to the last field.
#[both_engines]
async fn every_answer_is_as_the_document_says(world: World) {
    let server = Server::start(world.app().clone()).await;
    let bearer = format!("Bearer {}", server.token(&world.administrator.email).await);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let document = document();
    let receiver = r#"{"endereco": "https://erp.example", "entidades": ["todos"]}"#;
    assert_eq!(server.call("POST", "/gestao/receptor", &headers, receiver).await.status, 200);
    for one in list_operations() {
        let answer = match one.access {
            AllowedCallers::Login => {
                let basic = testkit::basic(&world.operator.email, testkit::PASSWORD);
                server.call("POST", one.path, &[("Authorization", &basic)], "").await
            }
            // It ends the token that it is called with.
            AllowedCallers::AnyToken => {
                let own = format!("Bearer {}", server.token(&world.operator.email).await);
                server.call(one.method.as_str(), one.path, &[("Authorization", &own)], "").await
            }
            _ => {
                let told = described(&document, one.method.as_str(), one.path);
                if !one.takes_file.is_empty() || !one.answers_file.is_empty() {
                    let address = in_this_world(one.path, &mut None);
                    let file = match one.takes_file {
                        [] => Vec::new(),
                        ["text/csv", ..] => "CPF do associado;Nome\n529.982.247-25;Ana\n".into(),
                        _ => testkit::pictures::png(4, 3),
                    };
                    let answer = server.send(one.method.as_str(), &address, &headers[..1], &file).await;
                    let kind = answer.head.header("content-type").unwrap_or_default();
                    let kind = kind.split(';').next().unwrap_or_default();
                    assert!(
                        !one.takes_file.is_empty() || one.answers_file.contains(&kind),
                        "{}: {answer:?}",
                        one.path
                    );
                    if one.answers_file.is_empty() {
                        answer.head
                    } else {
                        assert_eq!(answer.head.status, 200, "{}", one.path);
                        continue;
                    }
                } else {
                    if one.path.ends_with("/usarCredito") {
                        // The first title was paid with more than was due; this one is open.
                        let title = r#"{"codBeneficio": 1, "codPessoa": 1, "codTipoTitulo": 1, "valor": 80}"#;
                        let issued = server.call("POST", "/ext/financeiro/titulo", &headers, title).await;
                        assert_eq!(issued.status, 200, "{issued:?}");
                    }
                    if one.path.ends_with("{codTitulo}/boleto") && one.method == "GET" {
                        issue_slip(&server, &headers).await;
                    }
                    if one.path.ends_with("/pix") {
                        let key = r#"{"versao": 1, "chavePix": "pix@ab.example", "nomeRecebedor": "AB", "cidadeRecebedor": "Santos"}"#;
                        let changed = server.call("PUT", "/gestao/contaFinanceira/2", &headers, key).await;
                        assert_eq!(changed.status, 200, "{changed:?}");
                    }
                    if one.path.ends_with("/emitir") {
                        // The first line is cancelled; this one gets a title.
                        let line = r#"{"codPessoa": 1, "codItemCobranca": 5, "valor": 80}"#;
                        let added =
                            server.call("POST", "/gestao/financeiro/lancamento", &headers, line).await;
                        assert_eq!(added.status, 200, "{added:?}");
                    }
                    if one.path.contains("/{codCobranca}/") {
                        // The first run is led from step to step; another one is discarded.
                        if one.path.ends_with("/descartar") {
                            let run = r#"{"mes": "01/2027"}"#;
                            let begun =
                                server.call("POST", "/gestao/financeiro/cobranca", &headers, run).await;
                            assert_eq!(begun.status, 200, "{begun:?}");
                        }
                        while finance::charging::run_due_charging(world.app()).await.unwrap() {}
                    }
                    let mut body = example(&document, &told["requestBody"]);
                    let address = in_this_world(one.path, &mut body);
                    if let Some(version) = body.as_mut().and_then(|body| body.get_mut("versao")) {
                        *version = present(&server, &headers, one.path, &address).await;
                    }
                    let body = body.map_or(String::new(), |one| one.to_string());
                    server.call(one.method.as_str(), &address, &headers, &body).await
                }
            }
        };
        assert_eq!(answer.status, 200, "{} {}: {answer:?}", one.method, one.path);
        if one.path == "/ext/associado" && one.method == "POST" {
            // The interface opens none, and who is in one must be there.
            put_claim(&world).await;
        }
        let told = &described(&document, one.method.as_str(), one.path)["responses"]["200"]["content"]["application/json"];
        let mut schema = strict(told["schema"].clone());
        schema["components"] = strict(document["components"].clone());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<String> =
            validator.iter_errors(&answer.json()).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{} {}: {problems:?}", one.method, one.path);
    }
    server.stop().await;
}

/// An event of the first member, in the base itself, and one of each register that what is worked on needs.
async fn put_claim(world: &World) {
    let input = (world.here, world.clock.now());
    let written = world.db().write(storage::WriteLane::foreground(world.here), input, |tx, (tenant, now)| {
        Box::pin(async move {
            let (branch, situation) = (BranchCode::new(1), SituationCode::new(7));
            let head = CaseHead::from_opening(branch, PersonCode::new(1), situation, *now);
            let claim = Claim {
                head: CaseHead { protocol: 4711, ..head },
                kind: ClaimTypeCode::new(1),
                involved: Involved::Member,
                priority: Priority::Low,
                description: None,
                happened_on: None,
                driver: Some(PersonCode::new(1)),
                place: PostalAddress { city: Some("Santos".to_owned()), ..PostalAddress::default() },
                vehicle: VehicleDetails { colour: Some("Azul".to_owned()), ..VehicleDetails::default() },
            };
            tx.execute_batch(storage::cases::claims::insert_claims(*tenant, [(ClaimCode::new(1), &claim)]))
                .await?;
            // Whoever opens the next gets the next code.
            counters::reserve_numbers(tx, *tenant, Counter::Claim, 1).await?;
            for table in ["inspection_types", "ticket_types", "specialties", "clinics", "doctors"] {
                let (own, value) = if table == "ticket_types" { ("priority, ", "1, ") } else { ("", "") };
                let text = format!(
                    "{table} (tenant, code, name, {own}active, version, created_at, updated_at)
                     VALUES ({tenant}, 1, 'Um', {value}TRUE, 1, 1, 1) ON CONFLICT (tenant, code) DO NOTHING"
                );
                tx.execute(storage::sql("INSERT INTO").append_text(&text)).await?;
            }
            let discount = format!(
                "discounts (tenant, code, name, percentage, nature, active, version, created_at, updated_at)
                 VALUES ({tenant}, 1, 'Um', 1000, 3, TRUE, 1, 1, 1)"
            );
            tx.execute(storage::sql("INSERT INTO").append_text(&discount)).await?;
            storage::server::versions::raise_registers_version(tx, *tenant).await.map(drop)
        })
    });
    written.await.unwrap();
}

/// The version of the record that an operation changes.
async fn present(server: &Server, headers: &[(&str, &str)], path: &str, address: &str) -> Value {
    let parts = path.split('/').take_while(|part| !part.starts_with('{')).count();
    let record: Vec<&str> = address.split('/').take(parts + 1).collect();
    server.call("GET", &record.join("/"), headers, "").await.json()["versao"].clone()
}

/// Where an operation needs something that is there: a code of the test world instead of one of the examples.
fn in_this_world(path: &str, body: &mut Option<Value>) -> String {
    match path.strip_prefix("/gestao/exportacao/") {
        Some("entrega") => return format!("{path}?codReceptor=1"),
        Some("instalacao") => return format!("{path}?codBeneficio=1"),
        Some("cartaoCredito") => return format!("{path}?codPessoa=1"),
        _ => {}
    }
    let named = path.strip_prefix("/gestao/").and_then(|rest| rest.split('/').next());
    if let Some(register) = named.and_then(registers::find_register) {
        return of_register(register, path, body);
    }
    if let Some(body) = body.as_mut().filter(|_| path.starts_with("/ext/beneficio")) {
        match path.rsplit_once('/').map_or("", |(_, last)| last) {
            "dependente" => {
                *body =
                    with(body.take(), json!({"codBeneficio": 1, "codDependente": null, "planos": [2, 3]}));
            }
            "dadosAdicionais" => *body = json!([{"codCampo": 6, "valor": "Dra. Lia"}]),
            _ => {}
        }
    }
    let saves = ["/ext/beneficio", "/ext/beneficio/veicular"].contains(&path);
    if let Some(body) = body.as_mut().filter(|_| saves) {
        let plan = if path.ends_with("/veicular") { 1 } else { 2 };
        let fields = body.as_object_mut().unwrap();
        fields.remove("codBeneficio");
        fields.remove("dadosAdicionais");
        fields.insert("codPlano".to_owned(), json!(plan));
        fields.insert("codTipoVeiculo".to_owned(), json!(1));
    }
    if path == "/gestao/importacao" {
        return "/gestao/importacao?tipo=associados&pagina=1".to_owned();
    }
    if path.ends_with("/validacao") {
        *body = Some(json!({"sequencial": 1}));
    }
    if path.contains("/financeiro/") {
        return of_money(path, body);
    }
    let codes = [
        ("{codBeneficio}", "1"),
        ("{codPessoa}", "1"),
        ("{codFornecedor}", "1"),
        ("{codigo}", "0"),
        ("{codEvento}", "1"),
        ("{codNegocio}", "1"),
        ("{codDependente}", "1"),
        ("{codReceptor}", "1"),
        ("{codVistoria}", "1"),
        ("{codHelpDesk}", "1"),
        ("{codConsulta}", "1"),
        ("{codUsuario}", "300"),
        ("{codLead}", "1"),
        ("{codItem}", "2"),
        ("{codArquivo}", "1"),
        ("{codImportacao}", "1"),
    ];
    if ["/gestao/vistoria/{codVistoria}/situacao", "/gestao/consulta/{codConsulta}/situacao"].contains(&path)
    {
        *body = Some(json!({"situacao": "cancelada", "motivo": "Pedido do associado."}));
    }
    // The second benefit is the one of a vehicle.
    let managed = path.replace("/gestao/beneficio/{codBeneficio}", "/gestao/beneficio/2");
    let path = managed.as_str();
    if let Some(body) =
        body.as_mut().filter(|_| path.starts_with("/gestao/beneficio/") || path.ends_with("/ganhar"))
    {
        let (fields, sold) = (body.as_object_mut().unwrap(), path.ends_with("/ganhar"));
        fields.remove("dadosAdicionais");
        for (field, here) in [
            ("codPlano", json!(if sold { 2 } else { 1 })),
            ("planos", json!([2])),
            ("codTipoVeiculo", json!(1)),
        ] {
            fields.entry(field).and_modify(|value| *value = here);
        }
    }
    if path == "/gestao/entrega/reenviar" {
        *body = Some(json!({"codReceptor": 1, "codHistoricoInicial": 1}));
    }
    let path = codes.iter().fold(path.to_owned(), |path, (name, code)| path.replace(name, code));
    if let Some(body) = body.as_mut().filter(|_| path.starts_with("/ext/crm")) {
        let fields = body.as_object_mut().unwrap();
        // A deal that is open was not lost.
        fields.remove("motivoPerda");
        for (field, here) in [
            ("codLead", json!(1)),
            ("planos", json!([2])),
            ("tipoBeneficio", json!("SAUDE")),
            ("codLoja", json!(2)),
            ("cpf", json!("111.444.777-35")),
        ] {
            fields.entry(field).and_modify(|value| *value = here);
        }
    }
    match path.as_str() {
        "/ext/associado" if body.is_none() => format!("{path}?situacaoBeneficio=Todos"),
        "/ext/beneficio" if body.is_none() => format!("{path}?sequencial=1"),
        "/ext/beneficio/dependente" if body.is_none() => format!("{path}?nome=jo"),
        "/gestao/entrega" => format!("{path}?codReceptor=1"),
        files if files.ends_with("/arquivos") => format!("{path}?nome=a.png"),
        _ => path,
    }
}

/// The first title is settled in two parts; the other three are debits that wait.
fn of_money(path: &str, body: &mut Option<Value>) -> String {
    let waits = path == "/gestao/financeiro/titulo";
    let is_part = path.ends_with("/liquidar");
    if let Some(fields) = body.as_mut().and_then(Value::as_object_mut) {
        for (field, here) in [
            ("codPessoa", json!(1)),
            ("codBeneficio", json!(1)),
            ("codBeneficios", json!([1])),
            ("codTitulo", json!(1)),
            ("codTipoTitulo", json!(if waits { 7 } else { 1 })),
            ("aguardarLiberacao", json!(waits)),
            ("dataEmissao", json!("2026-11-14")),
            ("dataPagamento", json!("2026-11-14")),
        ] {
            fields.entry(field).and_modify(|value| *value = here);
        }
        if path.starts_with("/gestao/financeiro/credito") {
            // The first title is open again.
            fields.remove("codTitulo");
            fields.insert("codLoja".to_owned(), json!(2));
        }
        if is_part {
            fields.insert("valorPago".to_owned(), json!(50));
        }
    }
    if path.ends_with("/valorCombinado/tabela") {
        *body = Some(json!({"codPlano": 31337, "quantidade": 0, "total": 0, "totalTabela": 0}));
    }
    if path.ends_with("/revisao/{codBeneficio}/aplicar") {
        *body = Some(json!({"conferencia": REVISION_OF_NOTHING}));
    }
    let run = if path.ends_with("/descartar") { "2" } else { "1" };
    let title = match path.rsplit('/').next() {
        Some("cancelar") => "2",
        Some("liberar") => "3",
        Some("vencimento") => "4",
        Some("usarCredito") => "5",
        _ => "1",
    };
    let codes = [
        ("{codTitulo}", title),
        ("{codCobranca}", run),
        ("{codLiquidacao}", "1"),
        // The refund: what was received was used by it.
        ("{codCredito}", "2"),
        ("{codLancamento}", if path.ends_with("/emitir") { "2" } else { "1" }),
        ("{codPessoa}", "1"),
        ("{codBeneficio}", "1"),
        ("{codConcessao}", "1"),
    ];
    let path = codes.iter().fold(path.to_owned(), |path, (name, code)| path.replace(name, code));
    match path.as_str() {
        "/ext/financeiro/titulo" if body.is_none() => format!("{path}?tipo=Debito"),
        "/gestao/financeiro/credito" if body.is_none() => format!("{path}?codPessoa=1"),
        "/gestao/financeiro/razao" => format!("{path}?codGrupo=1&conta=A_RECEBER&codReferencia=3"),
        _ => path,
    }
}

/// The record that the examples make is the one that is read and changed.
fn of_register(register: &registers::Register, path: &str, body: &mut Option<Value>) -> String {
    if let Some(body) = body.as_mut().filter(|_| register.path == "instalacao") {
        // The vehicle is the second benefit.
        body["codBeneficio"] = json!(2);
    }
    let path = path.replace(&format!("{{{}}}", register.code), &register.example.to_string());
    let is_list = path == register.words.all_at && body.is_none();
    match register.filters.first().filter(|_| is_list && register.needs_filter) {
        Some(filter) => format!("{path}?{filter}=1"),
        None => path,
    }
}

/// The body that the examples of its fields make, where one is taken: what whoever tries the documentation sends first.
fn example(document: &Value, body: &Value) -> Option<Value> {
    let schema = &body["content"]["application/json"]["schema"];
    let record = |reference: &str| -> Value {
        let schema = document.pointer(reference.trim_start_matches('#')).unwrap();
        let fields = schema["properties"].as_object().unwrap().iter();
        fields.map(|(name, field)| (name.clone(), field["examples"][0].clone())).collect()
    };
    let one = schema["$ref"].as_str().or(schema["allOf"][0]["$ref"].as_str()).map(record);
    one.or_else(|| Some(json!([record(schema["items"]["$ref"].as_str()?)])))
}

/// The fields of one object over those of another.
fn with(mut base: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("{more} is no object") };
    base.as_object_mut().unwrap().extend(more);
    base
}

/// The same schema, where a field that it does not name is a mistake, and one that it names must be there.
fn strict(mut schema: Value) -> Value {
    if let Some(names) = schema["properties"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>()) {
        schema["additionalProperties"] = json!(false);
        schema["required"] = json!(names);
    }
    match &mut schema {
        Value::Object(parts) => parts.values_mut().for_each(|part| *part = strict(part.take())),
        Value::Array(parts) => parts.iter_mut().for_each(|part| *part = strict(part.take())),
        _ => {}
    }
    schema
}

/// A shape never changes in silence: who changes one changes its file too, and a reviewer sees it. One file for each path,
/// each record, each trigger, and one for the rest.
#[test]
fn the_document_is_the_one_that_was_reviewed() {
    let mut document: Value = serde_json::from_str(api::openapi_text()).unwrap();
    let mut parts = BTreeMap::new();
    for (kind, place) in [("path", "/paths"), ("record", "/components/schemas"), ("trigger", "/webhooks")] {
        let Value::Object(all) = document.pointer_mut(place).unwrap().take() else { panic!("{place}") };
        for (name, part) in all {
            let name = name.trim_matches('/').replace(['{', '}'], "").replace('/', ".");
            assert_eq!(parts.insert(format!("{kind}.{name}"), part), None, "{kind} {name} is there twice");
        }
    }
    parts.insert("document".to_owned(), document);
    assert!(parts.len() > 350, "{}", parts.len());

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/openapi");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, part) in &parts {
            insta::assert_snapshot!(name.as_str(), serde_json::to_string_pretty(part).unwrap());
        }
    });
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/snapshots/openapi");
    let files =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let known = |file: &String| file.strip_suffix(".snap").is_some_and(|name| parts.contains_key(name));
    let stale: Vec<String> = files.filter(|file| !known(file)).collect();
    assert!(stale.is_empty(), "remove {stale:?}");
}

#[both_engines]
async fn the_pages_of_the_documentation_come_from_the_server_alone(world: World) {
    let server = Server::start(world.app().clone()).await;
    let moved = server.call("GET", "/docs", &[], "").await;
    assert_eq!((moved.status, moved.header("location")), (303, Some("docs/")));
    let page = server.call("GET", "/docs/", &[], "").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    assert!(page.body.contains("lang=\"pt-BR\"") && page.body.contains("<title>Amparo"), "{}", page.body);
    let named = page.body.split(['"', '\'']).filter(|part| part.starts_with("./") || part.contains("://"));
    let mut seen = 0;
    for file in named {
        assert!(!file.contains("://"), "{file} comes from elsewhere");
        let head = server.call("HEAD", &format!("/docs/{}", &file[2..]), &[], "").await;
        assert_eq!(head.status, 200, "{file}");
        seen += 1;
    }
    assert!(seen >= 4, "{}", page.body);
    server.call("GET", "/docs/nada.js", &[], "").await.refuses(404);
    let guide = server.call("GET", "/docs/guia", &[], "").await;
    assert_eq!((guide.status, guide.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert_eq!(guide.header("content-security-policy"), page.header("content-security-policy"));
    let links = guide.body.split("href=\"").skip(1).map(|part| part.split('"').next().unwrap());
    // Relative, so that they hold behind a prefix too.
    assert!(links.clone().all(|link| link.starts_with("./") || link.starts_with('#')), "{}", guide.body);
    assert!(
        links.clone().any(|link| link == "./") && page.body.contains("href=\"./guia\""),
        "{}",
        guide.body
    );
    assert_eq!(server.call("GET", "/openapi.json", &[], "").await.body, api::openapi_text());
    server.stop().await;
}
