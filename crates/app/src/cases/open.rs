//! Opens a case.

use super::persist::{PendingCaseWrite, store_case};
use super::show;
use super::show::FullCase;
use super::validate::{SentCaseValidator, ValidatedCase};
use super::{AnyCaseInput, reject_unknown_case};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, CaseOperation};
use storage::{Tx, cases};

/// Opens a case in the initial situation of its kind.
#[boxed::future]
pub async fn open_case(
    app: &App,
    caller: &Session,
    input: AnyCaseInput,
    once: IdempotentWrite<FullCase>,
) -> Result<WriteOutcome<FullCase>, Error> {
    let operation = AuditedOperation::Case(input.kind(), CaseOperation::Open);
    run_command(app, caller, operation, input, once, |tx, command| Box::pin(write_new_case(tx, command)))
        .await
}

async fn write_new_case(tx: &mut Tx, command: &WriteCommand<AnyCaseInput>) -> Result<FullCase, Error> {
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let kind = command.input.kind();
    let mut validator = SentCaseValidator::new(&mut *tx, command);
    let validated = validator.build_new_case(&command.input).await?;
    let problems = validator.problems;
    let (Some(ValidatedCase { case, benefit, related }), []) = (validated, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    let tenant = command.scope.tenant();
    let pending = PendingCaseWrite {
        before: None,
        after: case,
        benefit: benefit.as_ref(),
        reason: None,
        differences: Vec::new(),
        also: Box::new(move |code| {
            let code = domain::ClaimCode::new(code);
            cases::claims::insert_claim_relations(
                tenant,
                related.iter().flat_map(|other| [(code, *other), (*other, code)]),
            )
        }),
    };
    let (code, _) = store_case(tx, &command.actor_context(), pending).await?;
    show::read_written_case(tx, command, kind, code, true)
        .await?
        .ok_or_else(|| reject_unknown_case(kind, code))
}
