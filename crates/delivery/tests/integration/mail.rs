//! Mail from the unit that causes it to a mail server or a folder, on both engines.

use app::access::users::{self, InitialPassword, NewUserInput};
use app::{App, Error};
use delivery::mail::{
    MailTransport, OutboxMailer, SenderAddress, SmtpServer, run_mail_delivery, send_due_mails,
};
use domain::{BranchCode, Clock, DisplayName, Email, InputField, Moment, MoneyRights, Rejection, Role};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use storage::server::mails::{self, NewMailRow};
use storage::{QueryWeight, WriteLane, sql};
use testkit::{RecordingMailServer, World, both_engines, until};

const MINUTE: Duration = Duration::from_mins(1);

fn by_smtp(server: &RecordingMailServer) -> Arc<OutboxMailer> {
    let sender = SenderAddress::parse("Amparo <nao-responda@amparo.example>").unwrap();
    Arc::new(OutboxMailer { sender, transport: MailTransport::Smtp(SmtpServer::parse(&server.url).unwrap()) })
}

fn to_folder(folder: &Path) -> Arc<OutboxMailer> {
    let sender = SenderAddress::parse("Amparo <nao-responda@localhost>").unwrap();
    Arc::new(OutboxMailer { sender, transport: MailTransport::Folder(folder.to_owned()) })
}

async fn enqueue(world: &World, confidential: bool) -> Result<(), Error> {
    let input = (world.here, confidential, world.clock.now(), false);
    enqueue_in(world.app(), input).await
}

type Input = (domain::TenantId, bool, Moment, bool);

async fn enqueue_in(app: &App, input: Input) -> Result<(), Error> {
    let unit =
        app.db.write(WriteLane::foreground(input.0), input, |tx, (tenant, confidential, now, refuse)| {
            Box::pin(async move {
                let mail = NewMailRow {
                    recipient: "ana@exemplo.com.br",
                    subject: "Olá, João",
                    text: "Olá, João.\n.ponto\n",
                    html: Some("<p>Olá, João.</p>"),
                    confidential: *confidential,
                };
                mails::enqueue_mail(tx, *tenant, &mail, *now).await?;
                if *refuse { Err(Rejection::NoBranch.into()) } else { Ok(()) }
            })
        });
    unit.await
}

/// What the outbox says of its only mail.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    tries: i64,
    due_at: Option<Moment>,
    sent_at: Option<Moment>,
    failure: Option<String>,
    has_body: bool,
}

async fn seen(world: &World) -> Seen {
    let text = "SELECT tries, due_at, sent_at, failure, text_body, html_body FROM mails";
    let rows = world.db().query(QueryWeight::Search, sql(text)).await.unwrap();
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    let (text, html): (Option<String>, Option<String>) =
        (row.get("text_body").unwrap(), row.get("html_body").unwrap());
    assert_eq!(text.is_some(), html.is_some());
    Seen {
        tries: row.get("tries").unwrap(),
        due_at: row.get("due_at").unwrap(),
        sent_at: row.get("sent_at").unwrap(),
        failure: row.get("failure").unwrap(),
        has_body: text.is_some(),
    }
}

#[both_engines]
async fn a_mail_goes_with_its_unit_or_not_at_all(world: World) {
    let server = RecordingMailServer::start().await;
    let refused = enqueue_in(world.app(), (world.here, false, world.clock.now(), true)).await;
    assert!(matches!(refused, Err(Error::Refused(_))));
    assert_eq!(send_due_mails(world.app(), &by_smtp(&server)).await.unwrap(), 0);
    assert!(server.mails().is_empty());
    enqueue(&world, false).await.unwrap();
    assert_eq!(send_due_mails(world.app(), &by_smtp(&server)).await.unwrap(), 1);
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(
        (mails[0].from.as_str(), &mails[0].to[..]),
        ("nao-responda@amparo.example", &["ana@exemplo.com.br".to_owned()][..])
    );
    let id = format!("<amparo.{}.1.{}@amparo.example>", world.here, world.clock.now().millis());
    assert_eq!(mails[0].header("Message-ID"), Some(id.as_str()));
    let now = Some(world.clock.now());
    let kept = Seen { tries: 1, due_at: None, sent_at: now, failure: None, has_body: true };
    assert_eq!(seen(&world).await, kept);
}

#[both_engines]
async fn of_many_workers_at_once_each_mail_goes_once(world: World) {
    let server = RecordingMailServer::start().await;
    for _ in 0..12 {
        enqueue(&world, false).await.unwrap();
        enqueue_in(world.app(), (world.there, true, world.clock.now(), false)).await.unwrap();
    }
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let post = OutboxMailer {
                sender: SenderAddress::parse("a@amparo.example").unwrap(),
                transport: MailTransport::Smtp(SmtpServer::parse(&server.url).unwrap()),
            };
            tokio::spawn(run_mail_delivery(world.app().clone(), post, Duration::from_millis(1)))
        })
        .collect();
    until("every mail is recorded", || async {
        mails::list_due_mails(world.db(), world.clock.now().plus(60 * MINUTE), 1).await.unwrap().is_empty()
    })
    .await;
    for worker in workers {
        worker.abort();
        let _ = worker.await;
    }
    let mut ids: Vec<String> =
        server.mails().iter().map(|mail| mail.header("Message-ID").unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 24);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 24);
}

#[both_engines]
async fn a_passing_failure_is_tried_again_on_schedule_and_in_the_end_given_up(world: World) {
    let server = RecordingMailServer::start().await;
    let post = by_smtp(&server);
    server.refuse(8, "451 caixa ocupada");
    enqueue(&world, true).await.unwrap();
    for (tries, minutes) in (1..).zip([1, 5, 30, 120, 360, 720, 1440]) {
        assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
        let next = world.clock.now().plus(MINUTE * minutes);
        let now = seen(&world).await;
        assert_eq!((now.tries, now.due_at, now.sent_at, now.has_body), (tries, Some(next), None, true));
        assert!(now.failure.unwrap().contains("451"));
        world.clock.pass((MINUTE * minutes).checked_sub(Duration::from_millis(1)).unwrap());
        assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 0, "not before its time");
        world.clock.pass(Duration::from_millis(1));
    }
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
    let last = seen(&world).await;
    assert_eq!((last.tries, last.due_at, last.has_body), (8, None, false), "given up, its secret gone");
    assert_eq!(server.refused(), 8);
    world.clock.pass(MINUTE * 10_000);
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 0);
}

#[both_engines]
async fn a_mail_that_failed_once_goes_the_next_time_and_its_failure_is_forgotten(world: World) {
    let server = RecordingMailServer::start().await;
    let post = by_smtp(&server);
    server.refuse(1, "451 depois");
    enqueue(&world, true).await.unwrap();
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
    world.clock.pass(MINUTE);
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
    let sent_at = Some(world.clock.now());
    let kept = Seen { tries: 2, due_at: None, sent_at, failure: None, has_body: false };
    assert_eq!(seen(&world).await, kept, "a confidential body goes when the mail went");
    assert_eq!(server.mails().len(), 1);
}

#[both_engines]
async fn a_permanent_refusal_is_given_up_at_once_but_one_of_our_login_is_not(world: World) {
    let server = RecordingMailServer::start().await;
    let post = by_smtp(&server);
    enqueue(&world, true).await.unwrap();
    server.refuse(1, "530 5.7.0 entre primeiro");
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
    assert!(seen(&world).await.due_at.is_some(), "the administrator can mend it");
    world.clock.pass(MINUTE);
    server.refuse(1, "550 ninguém aqui");
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
    let last = seen(&world).await;
    assert_eq!((last.tries, last.due_at, last.sent_at, last.has_body), (2, None, None, false));
    assert!(last.failure.unwrap().contains("550"));
}

#[both_engines]
async fn a_mail_whose_sender_died_before_recording_goes_again_as_the_same_mail(world: World) {
    let server = RecordingMailServer::start().await;
    let post = by_smtp(&server);
    enqueue(&world, true).await.unwrap();
    let due = app::mail::list_due_mail(world.app(), 10).await.unwrap();
    let dead = app::mail::lease_mail(world.app(), due[0], 2 * MINUTE).await.unwrap().expect("nobody has it");
    assert!(app::mail::lease_mail(world.app(), due[0], 2 * MINUTE).await.unwrap().is_none());
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 0, "its lease holds");
    world.clock.pass(2 * MINUTE);
    assert_eq!(send_due_mails(world.app(), &post).await.unwrap(), 1);
    assert!(
        !app::mail::record_sent_mail(world.app(), dead).await.unwrap(),
        "the dead one's word no longer counts"
    );
    assert_eq!(seen(&world).await.tries, 2);
    let id =
        format!("<amparo.{}.1.{}@amparo.example>", world.here, world.clock.now().minus(2 * MINUTE).millis());
    assert_eq!(server.mails()[0].header("Message-ID"), Some(id.as_str()));
}

#[both_engines]
async fn without_a_mail_server_a_mail_is_a_file_that_its_owner_alone_reads(world: World) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mails = folder.path().join("mails");
    let user = NewUserInput {
        tenant: world.here,
        name: DisplayName::parse(InputField::Name, "João <b>Ação</b>").unwrap(),
        email: Email::parse("joao@aqui.example").unwrap(),
        role: Role::Operator,
        branches: vec![BranchCode::new(1)],
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Mailed,
    };
    users::create_user(world.app(), user).await.unwrap();
    assert_eq!(send_due_mails(world.app(), &to_folder(&mails)).await.unwrap(), 1);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&mails), 0o700);
    let path = mails.join(format!("2026-11-14T13-32-05Z-{}-1.eml", world.here));
    assert_eq!(mode(&path), 0o600);
    let mail = testkit::parts(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(mail.len(), 2, "text and HTML");
    assert!(mail[0].contains("Olá, João <b>Ação</b>.") && mail[0].contains("Associação Aqui"), "{}", mail[0]);
    assert!(mail[1].contains("Olá, João &#60;b&#62;Ação&#60;/b&#62;."), "{}", mail[1]);
    assert!(!seen(&world).await.has_body, "the password is in the file alone");
    assert_eq!(std::fs::read_dir(&mails).unwrap().count(), 1, "nothing unfinished is left");
}

#[both_engines]
async fn a_folder_that_cannot_be_written_is_a_passing_failure(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("mails");
    std::fs::write(&taken, "a file").unwrap();
    enqueue(&world, false).await.unwrap();
    assert_eq!(send_due_mails(world.app(), &to_folder(&taken)).await.unwrap(), 1);
    assert!(seen(&world).await.failure.unwrap().starts_with("cannot write into"));
    std::fs::remove_file(&taken).unwrap();
    world.clock.pass(MINUTE);
    assert_eq!(send_due_mails(world.app(), &to_folder(&taken)).await.unwrap(), 1);
    assert!(seen(&world).await.sent_at.is_some());
}
