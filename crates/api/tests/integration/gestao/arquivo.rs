//! Files: their life on each kind of record, what is taken and what is not, who may do what, and how they are handed over.

use crate::calls::{AUDIT, Calls, items};
use crate::gestao::case_scene::{FAR_MEMBER, KINDS, MEMBER, scene};
use serde_json::{Value, json};
use storage::{QueryWeight, sql};
use testkit::pictures::{self, SECRET, holds};
use testkit::{Reply, Server, Whole, World, both_engines, eight_at_once};

/// Sends a file as a program does: the bytes as they are, and its name in the address.
async fn send(server: &Server, token: &str, path: &str, name: &str, bytes: &[u8]) -> Reply {
    let name: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let bearer = format!("Bearer {token}");
    // What the sender calls it does not count.
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/html")];
    server.send("POST", &format!("{path}?nome={name}"), &headers, bytes).await.head
}

async fn sent(calls: &Calls, path: &str, name: &str, bytes: &[u8]) -> Value {
    let answer = send(calls.server(), &calls.operator, path, name, bytes).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn fetched(calls: &Calls, token: &str, path: &str) -> Whole {
    calls.server().send("GET", path, &[("Authorization", &format!("Bearer {token}"))], b"").await
}

/// A claim of the operator's member, and where its files are.
async fn claim(calls: &Calls) -> (i64, String) {
    let code = KINDS[0].open(calls, json!({})).await["codEvento"].as_i64().unwrap();
    (code, format!("/gestao/evento/{code}/arquivos"))
}

async fn names(calls: &Calls, path: &str) -> Vec<String> {
    let listed = calls.read(&calls.operator, path, &[]).await;
    let name = |one: &Value| one["nome"].as_str().unwrap().to_owned();
    listed.as_array().unwrap().iter().map(name).collect()
}

#[both_engines]
async fn a_photo_is_attached_seen_removed_and_taken_back(world: World) {
    let calls = scene(world).await;
    let (code, path) = claim(&calls).await;
    assert!(names(&calls, &path).await.is_empty());
    let file = sent(&calls, &path, "C:\\fotos\\Frente do ç.html", &pictures::phone_photo(900, 600)).await;
    assert_eq!(
        (&file["entidade"], &file["codigo"], &file["nome"], &file["tipo"]),
        (&json!("Evento"), &json!(code), &json!("Frente do ç.html.jpg"), &json!("image/jpeg"))
    );
    assert_eq!((&file["largura"], &file["altura"]), (&json!(600), &json!(900)), "as it is looked at");
    assert_eq!((&file["temMiniatura"], &file["dataRemocao"]), (&json!(true), &Value::Null));
    assert_eq!(file["nomeUsuario"], "operador");
    let at = format!("/gestao/arquivo/{}", file["codArquivo"]);
    assert_eq!(calls.read(&calls.operator, &at, &[]).await, file);
    assert_eq!(calls.read(&calls.operator, &path, &[]).await, json!([file]));

    let content = fetched(&calls, &calls.operator, &format!("{at}/conteudo")).await;
    for (name, value) in [
        ("content-type", "image/jpeg"),
        (
            "content-disposition",
            "attachment; filename=\"Frente do _.html.jpg\"; filename*=UTF-8''Frente%20do%20%C3%A7.html.jpg",
        ),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("cache-control", "private, no-store"),
    ] {
        assert_eq!(content.head.header(name), Some(value), "{name}");
    }
    assert_eq!(json!(content.bytes.len()), file["tamanho"]);
    assert!(content.bytes.starts_with(b"\xff\xd8") && !holds(&content.bytes, SECRET));
    let small = fetched(&calls, &calls.operator, &format!("{at}/miniatura")).await;
    assert_eq!((small.head.status, small.head.header("content-type")), (200, Some("image/jpeg")));
    assert!(small.bytes.len() < content.bytes.len());

    let removed =
        calls.put(&calls.operator, &format!("{at}/remover"), &json!({"motivo": "Foto errada."})).await;
    assert!(removed.json()["dataRemocao"].is_string(), "{removed:?}");
    assert!(names(&calls, &path).await.is_empty());
    let again = calls.put(&calls.operator, &format!("{at}/remover"), &json!({})).await;
    assert_eq!(again.json()["dataRemocao"], removed.json()["dataRemocao"], "once is enough");
    let restored = calls.put(&calls.operator, &format!("{at}/restaurar"), &json!({})).await;
    assert_eq!(restored.json(), file);
    assert_eq!(names(&calls, &path).await, ["Frente do ç.html.jpg"]);

    let history = calls.read(&calls.operator, &format!("/gestao/evento/{code}/historico"), &[]).await;
    let told: Vec<(Value, Value)> = items(&history)
        .into_iter()
        .filter(|one| one["campo"] == "arquivo")
        .map(|one| (one["antes"].clone(), one["depois"].clone()))
        .collect();
    let name = json!("Frente do ç.html.jpg");
    assert_eq!(told, [(Value::Null, name.clone()), (name.clone(), Value::Null), (Value::Null, name)]);
    // Each process writes down what was seen through it.
    for app in calls.world.processes() {
        app::audit::access_log::flush_access_log(app).await.unwrap();
    }
    let audit = calls.read(&calls.administrator, AUDIT, &[("codPessoa", "1")]).await;
    let did = |one: &Value| (one["operacao"].as_str().unwrap().to_owned(), one["detalhe"].clone());
    let all: Vec<(String, Value)> = items(&audit).iter().map(did).collect();
    for operation in [
        "GET /gestao/evento/{codEvento}/arquivos",
        "GET /gestao/arquivo/{codArquivo}",
        "GET /gestao/arquivo/{codArquivo}/conteudo",
        "GET /gestao/arquivo/{codArquivo}/miniatura",
        "POST /gestao/evento/{codEvento}/arquivos",
        "PUT /gestao/arquivo/{codArquivo}/remover",
        "PUT /gestao/arquivo/{codArquivo}/restaurar",
    ] {
        assert!(all.iter().any(|(known, _)| known == operation), "{operation} {all:?}");
    }
    let detail = format!("arquivo {} removido: no evento {code}, Foto errada.", file["codArquivo"]);
    assert!(all.iter().any(|(_, told)| *told == json!(detail)), "{all:?}");
}

#[both_engines]
async fn each_kind_of_record_has_files_of_its_own(world: World) {
    let calls = scene(world).await;
    let mut paths = vec![(format!("/gestao/associado/{MEMBER}/arquivos"), "Associado")];
    for kind in &KINDS[..3] {
        let opened = kind.open(&calls, json!({})).await;
        paths.push((kind.of(&opened[kind.code], "/arquivos"), kind.entity));
    }
    for (path, entity) in &paths {
        let photo = sent(&calls, path, "foto.png", &pictures::told_png(40, 30)).await;
        assert_eq!((&photo["entidade"], &photo["tipo"]), (&json!(entity), &json!("image/png")));
        sent(&calls, path, "laudo", &pictures::pdf()).await;
        assert_eq!(names(&calls, path).await, ["foto.png", "laudo.pdf"], "{path}");
    }
    let history = calls.read(&calls.operator, &format!("/gestao/associado/{MEMBER}/historico"), &[]).await;
    assert_eq!(items(&history).iter().filter(|one| one["campo"] == "arquivo").count(), 2);
    // An appointment has none.
    calls.get(&calls.operator, "/gestao/consulta/1/arquivos", &[]).await.refuses(404);
    let paper = format!("/gestao/arquivo/{}/miniatura", 2);
    assert!(calls.get(&calls.operator, &paper, &[]).await.refuses(404).contains("não tem miniatura"));
}

#[both_engines]
async fn what_is_no_photo_and_no_document_is_refused_in_words(world: World) {
    let calls = scene(world).await;
    let (_, path) = claim(&calls).await;
    for (bytes, why) in [
        (&b"<html><script>alert(1)</script>"[..], "não é de um tipo aceito"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "não é de um tipo aceito"),
        (b"\xff\xd8\xff\xe0<script>alert(1)</script>", "não abre"),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "envie-a em JPEG"),
        (b"", "vazio"),
        (&pictures::png_bomb(), "50 megapixels"),
        (&pictures::archive(&["[Content_Types].xml", "xl/workbook.xml", "xl/vbaProject.bin"]), "macros"),
    ] {
        let refused = send(calls.server(), &calls.operator, &path, "foto.jpg", bytes).await;
        let text = refused.refuses(400);
        assert!(text.starts_with("arquivo: ") && text.contains(why), "{text}");
    }
    assert!(names(&calls, &path).await.is_empty());
    let bearer = format!("Bearer {}", calls.operator);
    let unnamed = calls.server().send("POST", &path, &[("Authorization", &bearer)], &pictures::pdf()).await;
    assert!(unnamed.head.refuses(400).contains("nome: "));
    // A page that is also a document is a document, and is never shown as a page.
    let both = [&pictures::pdf()[..], b"<html><script>alert(1)</script></html>"].concat();
    let file = sent(&calls, &path, "pagina.html", &both).await;
    assert_eq!((&file["nome"], &file["tipo"]), (&json!("pagina.html.pdf"), &json!("application/pdf")));
    let content = format!("/gestao/arquivo/{}/conteudo", file["codArquivo"]);
    let got = fetched(&calls, &calls.operator, &content).await;
    assert_eq!(got.head.header("content-type"), Some("application/pdf"));
    assert!(got.head.header("content-disposition").unwrap().starts_with("attachment; "));
    assert_eq!(got.bytes, both);
    assert_eq!(loose(&calls).await, 0, "nothing was left behind");
}

/// Keys that no file vouches for.
async fn loose(calls: &Calls) -> usize {
    let statement = sql("SELECT storage_key FROM loose_files WHERE tenant = $1").arg(calls.world.here);
    calls.world.db().query(QueryWeight::Search, statement).await.unwrap().len()
}

#[both_engines]
async fn a_file_that_is_too_large_is_refused_before_and_while_it_comes(world: World) {
    let calls = scene(world).await;
    let (_, path) = claim(&calls).await;
    let mut app = calls.world.app().clone();
    app.files.limits.largest_mib = 1;
    app.files.limits.most_per_record = 2;
    let server = Server::start(app).await;
    let fits = [&pictures::pdf()[..], &vec![b' '; 1024 * 1024 - 200]].concat();
    assert_eq!(send(&server, &calls.operator, &path, "a.pdf", &fits).await.status, 200);
    let large = [&fits[..], &[b' '; 300]].concat();
    assert!(send(&server, &calls.operator, &path, "b.pdf", &large).await.refuses(413).contains("1 MB"));
    // One that does not say how long it is.
    let chunk = format!("{:x}\r\n{}\r\n", 60_000, "a".repeat(60_000)).repeat(20);
    let asked = format!(
        "POST {path}?nome=c.pdf HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Transfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n",
        calls.operator
    );
    let answer = server.raw(&asked).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("1 MB"), "{answer}");
    // And no more than a record may have; what is there already is no more.
    assert_eq!(send(&server, &calls.operator, &path, "d.pdf", &pictures::pdf()).await.status, 200);
    let many = send(&server, &calls.operator, &path, "e.docx", &pictures::docx()).await;
    assert!(many.refuses(409).contains("2 arquivos, o máximo"));
    assert_eq!(send(&server, &calls.operator, &path, "d.pdf", &pictures::pdf()).await.status, 200);
    assert_eq!(names(&calls, &path).await, ["a.pdf", "d.pdf"]);
    server.stop().await;
}

#[both_engines]
async fn the_same_bytes_again_are_the_file_that_is_there(world: World) {
    let calls = scene(world).await;
    let (_, path) = claim(&calls).await;
    let photo = pictures::phone_photo(64, 48);
    let servers: Vec<_> = calls.servers().iter().map(|server| server.address).collect();
    assert!(!servers.is_empty());
    let apps = calls.world.processes().to_vec();
    let session = app::session::load_session(&apps[0], &calls.operator).await.unwrap();
    let record: i32 = path.split('/').nth(3).unwrap().parse().unwrap();
    let attached = eight_at_once(|number| {
        let (app, session, photo) = (apps[number % apps.len()].clone(), session.clone(), photo.clone());
        async move {
            let mut incoming = app::attachments::UploadBuffer::new(&app.files);
            incoming.push(&photo).await.unwrap();
            let owner = app::attachments::FileOwnerRecord { of: domain::FileOwner::Claim, record };
            let once = app::idempotency::IdempotentWrite::without_key();
            app::attachments::attach_file(&app, &session, owner, ("foto.jpg", incoming), once)
                .await
                .unwrap()
                .into_fresh()
                .unwrap()
        }
    })
    .await;
    assert_eq!(attached.iter().filter(|one| one.is_new).count(), 1);
    assert!(attached.iter().all(|one| one.file.code == attached[0].file.code));
    assert_eq!(names(&calls, &path).await, ["foto.jpg"]);
    assert_eq!(loose(&calls).await, 0);
    // Removed, it may come again, as another.
    let at = format!("/gestao/arquivo/{}", attached[0].file.code);
    calls.put(&calls.operator, &format!("{at}/remover"), &json!({})).await;
    let second = sent(&calls, &path, "outra.jpg", &photo).await;
    assert_ne!(second["codArquivo"], json!(attached[0].file.code.get()));
}

#[both_engines]
async fn whoever_may_not_see_a_record_learns_nothing_of_its_files(world: World) {
    let calls = scene(world).await;
    let (_, path) = claim(&calls).await;
    let own = sent(&calls, &path, "a.pdf", &pictures::pdf()).await;
    let at = format!("/gestao/arquivo/{}", own["codArquivo"]);
    // One of a member of another branch.
    let far = format!("/gestao/associado/{FAR_MEMBER}/arquivos");
    let other = send(calls.server(), &calls.administrator, &far, "b.docx", &pictures::docx()).await;
    let elsewhere = format!("/gestao/arquivo/{}", other.json()["codArquivo"]);
    for (token, place, files) in [(&calls.stranger, &at, &path), (&calls.operator, &elsewhere, &far)] {
        for what in ["", "/conteudo", "/miniatura"] {
            let text = calls.get(token, &format!("{place}{what}"), &[]).await;
            let unknown = calls.get(token, &format!("/gestao/arquivo/999{what}"), &[]).await;
            let code = place.rsplit('/').next().unwrap();
            assert_eq!(text.refuses(404), unknown.refuses(404).replace("999", code), "{what}");
        }
        for what in ["remover", "restaurar"] {
            calls.put(token, &format!("{place}/{what}"), &json!({})).await.refuses(404);
        }
        calls.get(token, files, &[]).await.refuses(404);
        send(calls.server(), token, files, "c.pdf", &pictures::pdf()).await.refuses(404);
    }
    for (method, what) in [("GET", ""), ("GET", "/conteudo"), ("PUT", "/remover")] {
        let bearer = format!("Bearer {}", calls.integration);
        let path = format!("{at}{what}");
        calls.server().call(method, &path, &[("Authorization", &bearer)], "").await.refuses(403);
        calls.server().call(method, &path, &[], "").await.refuses(401);
    }
    assert_eq!(names(&calls, &path).await, ["a.pdf"]);
    assert_eq!(calls.read(&calls.operator, &at, &[]).await, own);
}
