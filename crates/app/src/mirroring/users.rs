//! Users whom the source names: who sees to what, and who moved it. The interface tells no more of them.

use super::{Mirror, reach};
use crate::{App, Error};
use domain::{Moment, TenantId, UserCode};
use storage::counters::{self, Counter};
use storage::{Lane, Tx, users};

/// Makes users whom the source names known by their names: they can never enter. Gives the codes of those who are known by
/// name alone, in the order of `named`.
pub async fn write_users(
    app: &App,
    mirror: &Mirror,
    coded: Vec<(UserCode, String)>,
    named: Vec<String>,
) -> Result<Vec<UserCode>, Error> {
    let input = (mirror.tenant, coded, named, app.now());
    let lane = Lane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (tenant, coded, named, now)| {
            Box::pin(put_users(tx, *tenant, coded, named, *now))
        })
        .await
}

async fn put_users(
    tx: &mut Tx,
    tenant: TenantId,
    coded: &[(UserCode, String)],
    named: &[String],
    now: Moment,
) -> Result<Vec<UserCode>, Error> {
    let mut known = users::names(&mut *tx, tenant).await?;
    let email = |code: UserCode| format!("usuario{code}@espelho{tenant}.invalid");
    let mut statements = Vec::new();
    for (code, name) in coded {
        match known.iter_mut().find(|(one, _)| one == code) {
            Some((_, had)) if had == name => continue,
            Some((_, had)) => {
                statements.push(users::rename(tenant, *code, name, now));
                had.clone_from(name);
            }
            None => {
                statements.push(users::insert_named(tenant, *code, name, &email(*code), now));
                known.push((*code, name.clone()));
            }
        }
    }
    let mut found = Vec::with_capacity(named.len());
    for name in named {
        let code = match known.iter().find(|(_, had)| had == name) {
            Some((code, _)) => *code,
            None => {
                let code = UserCode::new(counters::next(tx, tenant, Counter::User).await?);
                statements.push(users::insert_named(tenant, code, name, &email(code), now));
                known.push((code, name.clone()));
                code
            }
        };
        found.push(code);
    }
    tx.batch(statements).await?;
    let codes = coded.iter().map(|(code, _)| code.get()).collect();
    reach(tx, tenant, Counter::User, codes).await?;
    Ok(found)
}
