//! The documentation in a real browser that reaches nothing but this server.

use std::process::{Command, Stdio};
use testkit::{Engine, Server, World};

#[testkit::test]
async fn the_documentation_shows_every_operation_without_a_network() {
    let world = World::hostile(Engine::Sqlite).await;
    let server = Server::start(world.app().clone()).await;
    let profile = tempfile::tempdir().unwrap();
    let mut chromium = Command::new("chromium");
    chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]);
    chromium
        .args(["--virtual-time-budget=20000", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]);
    chromium.arg(format!("--user-data-dir={}", profile.path().display()));
    chromium.arg(format!("http://{}/docs", server.address)).stdin(Stdio::null());
    let run = tokio::task::spawn_blocking(move || chromium.output());
    let output = run.await.unwrap().expect("chromium is installed: run ./test");
    let page = String::from_utf8_lossy(&output.stdout);
    let log = String::from_utf8_lossy(&output.stderr);
    for operation in api::list_operations() {
        assert!(page.contains(&format!("data-path=\"{}\"", operation.path)), "{}: {log}", operation.path);
    }
    let told: Vec<&str> = log.lines().filter(|line| line.contains(":CONSOLE")).collect();
    assert!(told.is_empty(), "the page complains: {told:?}");
    server.stop().await;
}
