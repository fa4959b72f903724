//! The link that sets an empty server up is good once, for a day.

use crate::safety::browser::{Browser, FORM};
use app::App;
use std::sync::Arc;
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{Database, Server, StillClock, app_on, both_engines};

const FIELDS: &str = "associacao=Boa+Vida&loja=Matriz&nome=Ana+Souza&email=ana%40exemplo.com.br\
    &senha=uma+frase+bem+minha&repetida=uma+frase+bem+minha";

async fn empty(database: &Database) -> (App, Arc<StillClock>) {
    let clock = Arc::new(StillClock::default());
    (app_on(database.open().await, Arc::clone(&clock), 1), clock)
}

async fn count(app: &App, table: &'static str) -> usize {
    app.db.query(QueryWeight::Search, sql(table)).await.unwrap().len()
}

#[both_engines]
async fn six_who_send_the_first_page_at_once_found_one_association(database: Database) {
    let (app, _) = empty(&database).await;
    let server = Server::start(app.clone()).await;
    let path =
        format!("/console/comecar/{}", app::tenants::setup::issue_setup_code(&app).await.unwrap().unwrap());
    let sent = (0..6).map(|_| server.call("POST", &path, &[FORM], FIELDS));
    let replies = futures_util::future::join_all(sent).await;
    let founded = replies.iter().filter(|reply| reply.status == 303).count();
    assert_eq!(founded, 1, "{replies:?}");
    for told in replies.iter().filter(|reply| reply.status != 303) {
        assert!(told.status == 200 && told.body.contains("Já está pronto"), "{told:?}");
    }
    assert_eq!(count(&app, "SELECT tenant FROM tenants").await, 1);
    assert_eq!(count(&app, "SELECT code FROM users").await, 1);
    // A second click finds a friendly page, and the link leads to the door.
    let again = server.call("POST", &path, &[FORM], FIELDS).await;
    assert!(again.status == 200 && again.body.contains("Ir para o console"), "{again:?}");
    assert_eq!(server.call("GET", &path, &[], "").await.status, 303);
    assert!(
        app::tenants::setup::issue_setup_code(&app).await.unwrap().is_none(),
        "there is nothing to set up"
    );
    server.stop().await;
}

#[both_engines]
async fn a_link_ends_after_a_day_and_with_the_next_one(database: Database) {
    let (app, clock) = empty(&database).await;
    let server = Server::start(app.clone()).await;
    let mut browser = Browser::new(&server);
    let old =
        format!("/console/comecar/{}", app::tenants::setup::issue_setup_code(&app).await.unwrap().unwrap());
    assert_eq!(browser.get(&old).await.status, 200);
    let new =
        format!("/console/comecar/{}", app::tenants::setup::issue_setup_code(&app).await.unwrap().unwrap());
    for told in [browser.get(&old).await, browser.post(&old, FIELDS).await] {
        assert!(told.status == 410 && told.body.contains("não vale mais"), "{told:?}");
    }
    clock.pass(Duration::from_secs(24 * 60 * 60 - 1));
    assert_eq!(browser.get(&new).await.status, 200);
    clock.pass(Duration::from_secs(1));
    assert_eq!(browser.get(&new).await.status, 410);
    assert_eq!(browser.post(&new, FIELDS).await.status, 410);
    assert_eq!(count(&app, "SELECT tenant FROM tenants").await, 0);
    server.stop().await;
}

#[both_engines]
async fn the_first_page_refuses_a_password_that_is_guessed_first(database: Database) {
    let (app, _) = empty(&database).await;
    let server = Server::start(app.clone()).await;
    let path =
        format!("/console/comecar/{}", app::tenants::setup::issue_setup_code(&app).await.unwrap().unwrap());
    for (password, word) in
        [("1234567890", "adivinhar"), ("boavida2026", "associação"), ("ana.souza.1", "nome")]
    {
        let form = FIELDS.replace("uma+frase+bem+minha", password);
        let told = server.call("POST", &path, &[FORM], &form).await;
        assert!(told.status == 400 && told.body.contains(word), "{password}: {told:?}");
    }
    assert_eq!(count(&app, "SELECT tenant FROM tenants").await, 0, "nothing of it is stored");
    assert_eq!(server.call("POST", &path, &[FORM], FIELDS).await.status, 303, "the link is still good");
    server.stop().await;
}
