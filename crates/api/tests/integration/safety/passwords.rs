//! Passwords that are guessed first are refused wherever one is chosen.

use crate::safety::browser::Browser;
use app::access::users::{self, InitialPassword, NewUserInput};
use domain::{BranchCode, DisplayName, Email, InputField, MoneyRights, Password, Rejection, Role};
use testkit::{PASSWORD, PUBLIC_URL, Server, World, both_engines, until};

#[both_engines]
async fn a_link_and_the_own_account_refuse_a_password_that_is_guessed_first(world: World) {
    let server = Server::start(world.app().clone()).await;
    let email = &world.operator.email;
    let mut browser = Browser::signed_in(&server, email).await;
    let change = |chosen: &str| {
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("atual", PASSWORD), ("senha", chosen), ("repetida", chosen)])
            .finish()
    };
    for (weak, word) in [("senha12345", "adivinhar"), (email, "e-mail"), ("associacaoaqui", "associação")] {
        let told = browser.post("/console/conta/senha", &change(weak)).await;
        assert!(told.status == 400 && told.body.contains(word), "{weak}: {told:?}");
    }
    app::access::password_reset::request_reset_link(world.app(), Email::parse(email).unwrap(), None).unwrap();
    let start = format!("{PUBLIC_URL}/senha/nova/");
    let mailed = "SELECT code FROM mails";
    until("the link is mailed", || async {
        !world.db().query(storage::QueryWeight::Search, storage::sql(mailed)).await.unwrap().is_empty()
    })
    .await;
    let mail = world.last_mail_to(email).await;
    let link = mail.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap().to_owned();
    for weak in ["0987654321", email] {
        let told = browser.post(&format!("/senha/nova/{link}"), &change(weak)).await;
        assert_eq!(told.status, 400, "{weak}: {told:?}");
    }
    let told = browser.post(&format!("/senha/nova/{link}"), &change("uma frase bem minha")).await;
    assert_eq!(told.status, 200, "the link is still good: {told:?}");
    assert_eq!(server.enter(email, "uma frase bem minha").await.status, 200);
    server.stop().await;
}

#[both_engines]
async fn a_user_is_not_created_with_what_everybody_knows_of_that_person(world: World) {
    let new = |password: &str| NewUserInput {
        tenant: world.here,
        name: DisplayName::parse(InputField::Name, "Benedita Prova").unwrap(),
        email: Email::parse("bene@aqui.example").unwrap(),
        role: Role::Operator,
        branches: vec![BranchCode::new(2)],
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Chosen(Password::parse(password).unwrap()),
    };
    for weak in ["benedita.prova", "bene@aqui.example", "Benedita-99"] {
        match users::create_user(world.app(), new(weak)).await {
            Err(app::Error::Refused(problems)) => {
                assert_eq!(problems, [Rejection::PasswordPersonal], "{weak}");
            }
            other => panic!("{weak}: {other:?}"),
        }
    }
    users::create_user(world.app(), new("uma frase bem minha")).await.unwrap();
    let reset = users::reset_password(world.app(), world.here, "bene@aqui.example", "Benedita-99").await;
    assert!(matches!(reset, Err(app::Error::Refused(problems)) if problems == [Rejection::PasswordPersonal]));
}
