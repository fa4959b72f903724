//! Both engines answer byte for byte alike: the same calls, in the same order, on two worlds made from the same seeds.

use testkit::{Engine, PASSWORD, Server, World, basic};

/// Every answer to a walk through the operations: status, the headers that are ours, body.
async fn walk(engine: Engine) -> Vec<String> {
    let world = World::hostile(engine).await;
    let app = world.processes()[0].clone();
    let server = Server::start(app).await;
    let tokens = [&world.administrator, &world.operator, &world.integration, &world.stranger];
    let mut bearers =
        vec![String::new(), "Bearer amp_1_2_3".to_owned(), basic(&world.operator.email, PASSWORD)];
    for caller in tokens {
        bearers.push(format!("Bearer {}", server.token(&caller.email).await));
    }
    let bodies = [
        "",
        "{}",
        "{",
        r#"{"nome": "Ana", "email": "ana@x.example", "perfil": "operador", "lojas": [2]}"#,
        r#"{"nome": "Ana", "email": "ana@x.example", "perfil": "operador", "lojas": [8, 9]}"#,
    ];
    let mut seen = Vec::new();
    // Ending one's own session would end the walk; entering with a code is a login, and refuses a bearer alike.
    for operation in api::list_operations().iter().filter(|one| one.method != "DELETE") {
        for bearer in &bearers {
            for body in if operation.method == "GET" { &bodies[..1] } else { &bodies[..] } {
                let headers = [("Authorization", bearer.as_str()), ("X-Request-Id", "p")];
                let headers = if bearer.is_empty() { &headers[1..] } else { &headers[..] };
                let mut reply = server.call(operation.method.as_str(), operation.path, headers, body).await;
                reply.headers.retain(|(name, _)| name != "date");
                seen.push(format!("{} {} {bearer} {body}\n{reply:?}", operation.method, operation.path));
            }
        }
    }
    server.stop().await;
    seen
}

#[testkit::postgres_test]
async fn sqlite_and_postgres_answer_byte_for_byte_alike() {
    let (one, other) = (walk(Engine::Sqlite).await, walk(Engine::Postgres).await);
    assert!(one.len() > 50, "{}", one.len());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
    assert_eq!(one.len(), other.len());
}
