//! Revokes the links of a document, which stays as it is.

use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, InputField, LinkPurpose, MoneyRight, PersonCode, Scope,
};
use storage::document_links::{list_links_of_subject, revoke_links_of_subject};
use storage::history::audit;
use storage::members::is_person_visible;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// Which links are to be revoked.
#[derive(Clone, Debug)]
pub struct LinkRevocationRequest {
    pub purpose: LinkPurpose,
    /// The code of the document.
    pub subject: i32,
    pub reason: Option<String>,
}

/// Revokes every link that still opens the document, and tells how many. Who sees the person of a link may revoke it.
#[boxed::future]
pub async fn revoke_links(
    app: &App,
    caller: &Session,
    (operation, input): (AuditedOperation, LinkRevocationRequest),
    once: IdempotentWrite<u32>,
) -> Result<WriteOutcome<u32>, Error> {
    match input.purpose {
        LinkPurpose::Slip => caller.require_money_right(MoneyRight::SeeMoney)?,
    }
    run_command(app, caller, operation, input, once, |tx, command| Box::pin(write_revocation(tx, command)))
        .await
}

async fn write_revocation(tx: &mut Tx, command: &WriteCommand<LinkRevocationRequest>) -> Result<u32, Error> {
    let (tenant, context, input) = (command.scope.tenant(), command.actor_context(), &command.input);
    let document = (input.purpose, input.subject);
    let links = list_links_of_subject(&mut *tx, tenant, document).await?;
    let person = links.first().and_then(|link| link.person);
    if links.is_empty() || !is_visible(tx, &command.scope, person).await? {
        return Err(reject_unknown_document(document));
    }
    let open = links.iter().filter(|link| link.revoked_at.is_none() && link.expires_at > command.now);
    let count = u32::try_from(open.count()).unwrap_or(u32::MAX);
    if count == 0 {
        return Ok(0);
    }
    let change = AuditedChange::from(AuditedAction::RevokeLinks)
        .with_argument(count)
        .with_argument(input.purpose.number())
        .with_argument(input.subject)
        .with_reason(input.reason.as_deref());
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let statements: Vec<Statement> = vec![
        revoke_links_of_subject(tenant, document, command.now),
        audit::insert_audit_entry(&context.audit_entry(person, change), audit_code),
    ];
    tx.execute_batch(statements).await?;
    Ok(count)
}

/// A document of no person is seen by those who see every branch.
async fn is_visible(tx: &mut Tx, scope: &Scope, person: Option<PersonCode>) -> Result<bool, Error> {
    match person {
        Some(person) => Ok(is_person_visible(tx, scope, person).await?),
        None => Ok(*scope.branches() == domain::VisibleBranches::All),
    }
}

fn reject_unknown_document((purpose, code): (LinkPurpose, i32)) -> Error {
    let field = match purpose {
        LinkPurpose::Slip => InputField::Slip,
    };
    Error::NotFound { field, code }
}
