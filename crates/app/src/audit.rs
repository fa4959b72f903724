//! Who looked at whom. A look is noted in memory and written behind its answer, with others: never in anybody's way. What
//! waits is bounded; where the database cannot take it for long, nobody is shown anything that could not be written down.

use crate::access::Session;
use crate::{App, Error, users};
use domain::{Moment, PersonCode, TenantId, UserCode};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use storage::audit::{self, Asked, Sighting, block};
pub use storage::audit::{Told, What};
use storage::{Lane, Tx};

/// Looks that may wait.
const MOST: usize = 500_000;
/// Rows written in one unit.
const TOGETHER: usize = 500;
/// Entries in a page.
pub const PAGE: usize = 100;

/// The looks that wait to be written.
#[derive(Default)]
pub struct Looks(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    looks: usize,
    by_tenant: HashMap<TenantId, HashMap<Seen, Sighting>>,
}

/// By whom, by which operation, in which block of people.
type Seen = (UserCode, &'static str, i32);

impl Looks {
    /// Notes that a user saw these people.
    fn note(
        &self,
        caller: &Session,
        operation: &'static str,
        people: impl Iterator<Item = PersonCode>,
        at: Moment,
    ) -> Result<(), Error> {
        let mut waiting = self.lock();
        if waiting.looks >= MOST {
            return Err(Error::Unaudited);
        }
        let Waiting { looks, by_tenant } = &mut *waiting;
        let own = by_tenant.entry(caller.scope.tenant()).or_default();
        for person in people {
            *looks += 1;
            own.entry((caller.user, operation, block(person)))
                .and_modify(|sighting| sighting.add(person, at))
                .or_insert_with(|| Sighting::new(Some(caller.user), operation, (person, at)));
        }
        Ok(())
    }

    /// Some of what waits, of one tenant.
    fn take(&self) -> Option<(TenantId, Vec<(Seen, Sighting)>)> {
        let mut waiting = self.lock();
        let Waiting { looks, by_tenant } = &mut *waiting;
        let (tenant, own) = by_tenant.iter_mut().next()?;
        let tenant = *tenant;
        let keys: Vec<Seen> = own.keys().take(TOGETHER).copied().collect();
        let some: Vec<_> = keys.into_iter().filter_map(|key| own.remove_entry(&key)).collect();
        if own.is_empty() {
            by_tenant.remove(&tenant);
        }
        *looks -= some.iter().map(|(_, sighting)| sighting.len()).sum::<usize>();
        Some((tenant, some))
    }

    fn put_back(&self, tenant: TenantId, some: &[(Seen, Sighting)]) {
        let mut waiting = self.lock();
        let Waiting { looks, by_tenant } = &mut *waiting;
        let own = by_tenant.entry(tenant).or_default();
        for (seen, sighting) in some {
            *looks += sighting.len();
            own.entry(*seen).and_modify(|newer| newer.join(sighting)).or_insert_with(|| sighting.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that the caller saw these people; an error says that he must not see them.
pub(crate) fn saw(
    app: &App,
    caller: &Session,
    operation: &'static str,
    people: impl Iterator<Item = PersonCode>,
) -> Result<(), Error> {
    app.looks.note(caller, operation, people, app.now())
}

/// Writes what waits. Called over and over by whoever serves, and once more when he stops. What could not be written waits
/// on; whoever is cut off here leaves behind what he had not begun to write.
pub async fn flush(app: &App) -> Result<(), Error> {
    while let Some((tenant, some)) = app.looks.take() {
        let rows: Vec<Sighting> = some.iter().map(|(_, sighting)| sighting.clone()).collect();
        let written = app.db.write(Lane::background(tenant), (tenant, rows), |tx, (tenant, rows)| {
            Box::pin(audit::append_sightings(tx, *tenant, rows))
        });
        if let Err(error) = written.await {
            app.looks.put_back(tenant, &some);
            return Err(error.into());
        }
    }
    Ok(())
}

/// What an administrator asks of the audit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question {
    pub after: i32,
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
}

/// A page of the audit; one more than [`PAGE`] says that there are more.
pub async fn page(app: &App, caller: &Session, question: Question) -> Result<Vec<Told>, Error> {
    let input = (caller.scope.tenant(), question);
    app.db
        .read(input, |tx: &mut Tx, (tenant, question): &(TenantId, Question)| {
            let asked = Asked { person: question.person, user: question.user };
            Box::pin(async move { Ok(audit::page(tx, *tenant, asked, question.after, PAGE + 1).await?) })
        })
        .await
}

/// The names of the users of a tenant, for those who read the audit.
pub async fn user_names(app: &App, caller: &Session) -> Result<HashMap<UserCode, String>, Error> {
    let all = users::list(app, &caller.scope).await?;
    Ok(all.into_iter().map(|user| (user.code, user.name)).collect())
}
