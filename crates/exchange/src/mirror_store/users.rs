//! Creates the users that the source names as responsible or as author of a change. The API gives only their names.

use super::{StoredMirror, advance_counter, append_audit_entry};
use app::{App, Error};
use domain::{Moment, TenantId, UserCode};
use std::collections::BTreeMap;
use storage::access::users;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane};

/// Maps the source's users to user codes here.
#[derive(Clone, Debug, Default)]
pub struct MirroredUserCodes {
    pub by_code: BTreeMap<UserCode, UserCode>,
    pub by_name: BTreeMap<String, UserCode>,
}

/// Creates users named by the source, with or without a code. They can never sign in, and are never merged with local
/// users.
#[boxed::future]
pub async fn write_users(
    app: &App,
    mirror: &StoredMirror,
    coded: Vec<(UserCode, String)>,
    named: Vec<String>,
) -> Result<MirroredUserCodes, Error> {
    let input = (mirror.tenant, coded, named, app.now());
    let lane = WriteLane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (tenant, coded, named, now)| {
            Box::pin(upsert_users(tx, *tenant, coded, named, *now))
        })
        .await
}

async fn upsert_users(
    tx: &mut Tx,
    tenant: TenantId,
    coded: &[(UserCode, String)],
    named: &[String],
    now: Moment,
) -> Result<MirroredUserCodes, Error> {
    // First, so that none of their codes is assigned to another user.
    advance_counter(tx, tenant, Counter::User, coded.iter().map(|(code, _)| code.get()).collect()).await?;
    let (mut known, working): (Vec<_>, Vec<_>) =
        users::list_user_names(&mut *tx, tenant).await?.into_iter().partition(|(.., is_named)| *is_named);
    let email = |code: UserCode| format!("usuario{code}@espelho{tenant}.invalid");
    let mut statements = Vec::new();
    let mut found = MirroredUserCodes::default();
    let mut displaced = Vec::new();
    for (told, name) in coded {
        if let Some((_, had, _)) = working.iter().find(|(code, ..)| code == told) {
            match had == name {
                true => drop(found.by_code.insert(*told, *told)),
                false => displaced.push((Some(*told), name)),
            }
            continue;
        }
        match known.iter_mut().find(|(code, ..)| code == told) {
            Some((_, had, _)) if had == name => {}
            Some((_, had, _)) => {
                statements.push(users::rename_user(tenant, *told, name, now));
                had.clone_from(name);
            }
            None => {
                statements.push(users::insert_name_only_user(tenant, *told, name, &email(*told), now));
                known.push((*told, name.clone(), true));
            }
        }
        found.by_code.insert(*told, *told);
        found.by_name.insert(name.clone(), *told);
    }
    for (told, name) in displaced.into_iter().chain(named.iter().map(|name| (None, name))) {
        let code = match known.iter().find(|(_, had, _)| had == name) {
            Some((code, ..)) => *code,
            None => {
                let code = UserCode::new(counters::reserve_number(tx, tenant, Counter::User).await?);
                statements.push(users::insert_name_only_user(tenant, code, name, &email(code), now));
                known.push((code, name.clone(), true));
                code
            }
        };
        found.by_code.extend(told.map(|told| (told, code)));
        found.by_name.entry(name.clone()).or_insert(code);
    }
    if !statements.is_empty() {
        let count = statements.len();
        tx.execute_batch(statements).await?;
        append_audit_entry(tx, tenant, format!("{count} usuários citados na origem"), now).await?;
    }
    Ok(found)
}
