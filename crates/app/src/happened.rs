//! What happened to a record: its situations and its fields, as one list.

use crate::Error;
use crate::base::Registers;
use domain::{BenefitCode, Entity, HistoryCode, Moment, SituationCode, TenantId, UserCode};
use std::sync::Arc;
use storage::{Tx, field_changes, history};

/// One change, with who made it and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    pub at: Moment,
    pub user: Option<UserCode>,
    pub user_name: Option<String>,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Field {
        name: String,
        before: Option<String>,
        after: Option<String>,
    },
    Situation {
        code: HistoryCode,
        /// None where it was the first.
        from: Option<SituationCode>,
        to: SituationCode,
        reason: Option<String>,
        origin: String,
        benefit: BenefitCode,
    },
}

/// The changes of a record's fields, in their order.
pub(crate) async fn fields(
    tx: &mut Tx,
    tenant: TenantId,
    subject: &'static str,
    record: i32,
) -> Result<Vec<Happened>, Error> {
    let told = field_changes::of(&mut *tx, tenant, (subject, record)).await?;
    let happened = told.into_iter().map(|one| Happened {
        at: one.at,
        user: one.user,
        user_name: one.user_name,
        what: What::Field { name: one.change.field, before: one.change.before, after: one.change.after },
    });
    Ok(happened.collect())
}

/// The situations of a benefit, in their order.
pub(crate) async fn situations(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: BenefitCode,
) -> Result<Vec<Happened>, Error> {
    let told = history::of(&mut *tx, tenant, (Entity::Benefit, benefit.get())).await?;
    let happened = told.into_iter().map(|one| Happened {
        at: one.at,
        user: one.user,
        user_name: one.user_name,
        what: What::Situation {
            code: one.code,
            from: one.from,
            to: one.to,
            reason: one.reason,
            origin: one.origin,
            benefit,
        },
    });
    Ok(happened.collect())
}

/// All of them in the order in which they happened; those of one moment as they were read.
pub(crate) fn in_order(mut all: Vec<Happened>, registers: Arc<Registers>) -> History {
    all.sort_by_key(|one| one.at);
    History { happened: all, registers }
}

/// What happened to a record, and the registers that name its situations.
pub struct History {
    pub happened: Vec<Happened>,
    pub registers: Arc<Registers>,
}
