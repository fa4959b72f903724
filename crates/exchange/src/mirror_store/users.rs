//! Creates the users that the source names as responsible or as author of a change. The API gives only their names.

use super::StoredMirror;
use super::counters::advance_counter;
use super::write_batch::append_audit_entry;
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, Moment, TenantId, UserCode};
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
    users_with_code: Vec<(UserCode, String)>,
    user_names: Vec<String>,
) -> Result<MirroredUserCodes, Error> {
    let input = (mirror.tenant, users_with_code, user_names, app.now());
    let lane = WriteLane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (tenant, users_with_code, user_names, now)| {
            Box::pin(upsert_users(tx, *tenant, users_with_code, user_names, *now))
        })
        .await
}

async fn upsert_users(
    tx: &mut Tx,
    tenant: TenantId,
    users_with_code: &[(UserCode, String)],
    user_names: &[String],
    now: Moment,
) -> Result<MirroredUserCodes, Error> {
    // First, so that none of their codes is assigned to another user.
    advance_counter(tx, tenant, Counter::User, users_with_code.iter().map(|(code, _)| code.get()).collect())
        .await?;
    let (mut known, working): (Vec<_>, Vec<_>) =
        users::list_user_names(&mut *tx, tenant).await?.into_iter().partition(|(.., is_named)| *is_named);
    let email = |code: UserCode| format!("usuario{code}@espelho{tenant}.invalid");
    let mut statements = Vec::new();
    let mut found = MirroredUserCodes::default();
    let mut displaced = Vec::new();
    for (source_code, name) in users_with_code {
        if let Some((_, stored_name, _)) = working.iter().find(|(code, ..)| code == source_code) {
            match stored_name == name {
                true => drop(found.by_code.insert(*source_code, *source_code)),
                false => displaced.push((Some(*source_code), name)),
            }
            continue;
        }
        match known.iter_mut().find(|(code, ..)| code == source_code) {
            Some((_, stored_name, _)) if stored_name == name => {}
            Some((_, stored_name, _)) => {
                statements.push(users::rename_user(tenant, *source_code, name, now));
                stored_name.clone_from(name);
            }
            None => {
                statements.push(users::insert_name_only_user(
                    tenant,
                    *source_code,
                    name,
                    &email(*source_code),
                    now,
                ));
                known.push((*source_code, name.clone(), true));
            }
        }
        found.by_code.insert(*source_code, *source_code);
        found.by_name.insert(name.clone(), *source_code);
    }
    for (source_code, name) in displaced.into_iter().chain(user_names.iter().map(|name| (None, name))) {
        let code = match known.iter().find(|(_, stored_name, _)| stored_name == name) {
            Some((code, ..)) => *code,
            None => {
                let code = UserCode::new(counters::reserve_number(tx, tenant, Counter::User).await?);
                statements.push(users::insert_name_only_user(tenant, code, name, &email(code), now));
                known.push((code, name.clone(), true));
                code
            }
        };
        found.by_code.extend(source_code.map(|source_code| (source_code, code)));
        found.by_name.entry(name.clone()).or_insert(code);
    }
    if !statements.is_empty() {
        let count = statements.len();
        tx.execute_batch(statements).await?;
        append_audit_entry(
            tx,
            tenant,
            AuditedChange::from(AuditedAction::MirrorUsers).with_argument(count),
            now,
        )
        .await?;
    }
    Ok(found)
}
