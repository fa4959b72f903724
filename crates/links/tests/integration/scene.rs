//! People with slips, and links to these.

use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, Error, access, members};
use domain::{LinkPurpose, PersonCode, TenantId};
use links::{DocumentLink, LinkedSubject, create_link, insert_links};
use std::sync::Arc;
use std::time::Duration;
use storage::WriteLane;
use testkit::{Caller, PASSWORD, World};

pub const HOUR: Duration = Duration::from_hours(1);
pub const SLIP: i32 = 4711;

pub async fn enter(world: &World, caller: &Caller) -> Arc<Session> {
    let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
    let app = world.app();
    let token = access::log_in_program(app, &caller.email, PASSWORD, here).await.unwrap().token;
    for process in world.processes() {
        app::cache::refresh_versions(process).await.unwrap();
    }
    app::session::load_session(app, &token).await.unwrap()
}

pub fn unpack<T>(done: Result<WriteOutcome<T>, Error>) -> T {
    done.and_then(WriteOutcome::into_fresh).unwrap()
}

/// A person of this branch.
pub async fn person(app: &App, caller: &Session, branch: i32, document: &str) -> PersonCode {
    let text = format!(r#"{{"nomePessoa": "Ana", "cpfCnpj": "{document}", "codLoja": {branch}}}"#);
    let input = wire::read::read_body(text.as_bytes()).unwrap();
    unpack(members::save_person(app, caller, input, IdempotentWrite::without_key()).await).code
}

pub fn slip_of(tenant: TenantId, code: i32, person: PersonCode) -> LinkedSubject {
    LinkedSubject { tenant, purpose: LinkPurpose::Slip, code, person: Some(person) }
}

/// Stores a link that opens for this long.
pub async fn store_link(app: &App, subject: LinkedSubject, lifetime: Duration) -> DocumentLink {
    let now = app.now();
    let link = create_link(app, subject, now.plus(lifetime), (None, now));
    store_links(app, vec![link.clone()]).await;
    link
}

pub async fn store_links(app: &App, links: Vec<DocumentLink>) {
    let lane = WriteLane::foreground(links[0].token.tenant());
    let stored = app.db.write(lane, links, |tx, links| {
        Box::pin(async move { Ok::<_, Error>(tx.execute_batch(insert_links(links)).await?) })
    });
    stored.await.unwrap();
}
