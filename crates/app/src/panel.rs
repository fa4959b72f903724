//! The figures that a day begins with.

use crate::access::Session;
use crate::base::{Registers, registers};
use crate::{App, Error};
use domain::{BranchCode, SituationCode};
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::tally;

/// How many benefits the caller's branches have, in each situation and in each branch.
pub struct Figures {
    pub by_situation: BTreeMap<SituationCode, i64>,
    pub by_branch: BTreeMap<BranchCode, i64>,
    pub total: i64,
    pub registers: Arc<Registers>,
}

pub async fn figures(app: &App, caller: &Session) -> Result<Figures, Error> {
    let tenant = caller.scope.tenant();
    let registers = registers(app, tenant).await?;
    let mut figures =
        Figures { by_situation: BTreeMap::new(), by_branch: BTreeMap::new(), total: 0, registers };
    for (counted, benefits) in tally::sums(&app.db, tenant).await? {
        if caller.scope.sees(counted.branch) && benefits > 0 {
            *figures.by_situation.entry(counted.situation).or_default() += benefits;
            *figures.by_branch.entry(counted.branch).or_default() += benefits;
            figures.total += benefits;
        }
    }
    Ok(figures)
}
