//! What people keep of the lists they work with: filters by name, their own or offered to the whole association, and the columns
//! they chose.

use crate::access::Session;
use crate::{App, Error};
use domain::{Field, FilterCode, Moment, Name, Rejection, Role, TenantId, UserCode};
use storage::counters::{self, Counter};
pub use storage::saved_filters::SavedFilter;
use storage::{Lane, Tx, saved_filters};

/// A list that can be filtered, as its address calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Members,
    Benefits,
}

impl List {
    pub fn name(self) -> &'static str {
        match self {
            List::Members => "associados",
            List::Benefits => "beneficios",
        }
    }

    pub fn named(name: &str) -> Option<List> {
        [List::Members, List::Benefits].into_iter().find(|list| list.name() == name)
    }
}

/// Filters of one list that somebody may keep.
const MOST: usize = 30;
/// And so many that are shown, those of others included.
const SHOWN: i64 = 100;
const LONGEST_NAME: usize = 60;
const LONGEST_QUERY: usize = 2_000;

/// Whether somebody may change a filter: his own, and administrators also what others share.
pub fn may_change(caller: &Session, filter: &SavedFilter) -> bool {
    filter.owner == caller.user || filter.is_shared && caller.role == Role::Administrator
}

/// The caller's filters of a list, and those that others share.
#[boxed::future]
pub async fn all(app: &App, caller: &Session, list: List) -> Result<Vec<SavedFilter>, Error> {
    let of = (list.name(), caller.user);
    Ok(saved_filters::of(&app.db, caller.scope.tenant(), of, SHOWN).await?)
}

/// A filter as somebody wants it.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub name: String,
    pub query: String,
    pub is_shared: bool,
}

struct Entry {
    tenant: TenantId,
    user: UserCode,
    is_admin: bool,
    now: Moment,
}

impl Entry {
    fn of(app: &App, caller: &Session) -> Entry {
        Entry {
            tenant: caller.scope.tenant(),
            user: caller.user,
            is_admin: caller.role == Role::Administrator,
            now: app.now(),
        }
    }

    /// The filter of this code, if the caller may change it.
    async fn changeable(&self, tx: &mut Tx, code: FilterCode) -> Result<SavedFilter, Error> {
        let found = saved_filters::find(&mut *tx, self.tenant, code).await?;
        let own = found.filter(|one| one.owner == self.user || one.is_shared && self.is_admin);
        own.ok_or(Error::NoSuch { field: Field::Name, code: code.get() })
    }
}

fn name(text: &str) -> Result<String, Error> {
    let name = Name::parse(Field::Name, text)?;
    match name.as_str().chars().count() > LONGEST_NAME {
        true => Err(Rejection::TooLong { field: Field::Name, longest: LONGEST_NAME }.into()),
        false => Ok(name.as_str().to_owned()),
    }
}

/// Keeps a filter; one of the same name that the caller has becomes this one.
#[boxed::future]
pub async fn keep(app: &App, caller: &Session, list: List, wanted: Wanted) -> Result<FilterCode, Error> {
    let name = name(&wanted.name)?;
    if wanted.query.len() > LONGEST_QUERY {
        return Err(Rejection::TooLong { field: Field::Text, longest: LONGEST_QUERY }.into());
    }
    let entry = (Entry::of(app, caller), list, Wanted { name, ..wanted });
    app.db
        .write(Lane::of(caller.scope.tenant()), entry, |tx, (entry, list, wanted)| {
            Box::pin(write(tx, entry, *list, wanted))
        })
        .await
}

async fn write(tx: &mut Tx, entry: &Entry, list: List, wanted: &Wanted) -> Result<FilterCode, Error> {
    let known = saved_filters::of(&mut *tx, entry.tenant, (list.name(), entry.user), SHOWN).await?;
    let own: Vec<&SavedFilter> = known.iter().filter(|one| one.owner == entry.user).collect();
    let same = own.iter().find(|one| domain::fold(&one.name) == domain::fold(&wanted.name));
    let code = match same {
        Some(same) => same.code,
        None if own.len() >= MOST => return Err(Rejection::TooManyFilters { most: MOST }.into()),
        None => FilterCode::new(counters::next(tx, entry.tenant, Counter::SavedFilter).await?),
    };
    let filter = SavedFilter {
        code,
        list: list.name().to_owned(),
        owner: entry.user,
        name: wanted.name.clone(),
        query: wanted.query.clone(),
        is_shared: wanted.is_shared,
    };
    saved_filters::put(tx, entry.tenant, &filter, entry.now).await?;
    Ok(code)
}

/// Gives a filter another name, shares it or no longer.
#[boxed::future]
pub async fn change(
    app: &App,
    caller: &Session,
    code: FilterCode,
    (new_name, is_shared): (&str, bool),
) -> Result<SavedFilter, Error> {
    let entry = (Entry::of(app, caller), code, name(new_name)?, is_shared);
    app.db
        .write(Lane::of(caller.scope.tenant()), entry, |tx, (entry, code, name, is_shared)| {
            Box::pin(async move {
                let before = entry.changeable(tx, *code).await?;
                let after = SavedFilter { name: name.clone(), is_shared: *is_shared, ..before };
                saved_filters::put(tx, entry.tenant, &after, entry.now).await?;
                Ok::<_, Error>(after)
            })
        })
        .await
}

/// Forgets a filter; gives it as it was, for whoever did not mean it.
#[boxed::future]
pub async fn forget(app: &App, caller: &Session, code: FilterCode) -> Result<SavedFilter, Error> {
    let entry = (Entry::of(app, caller), code);
    app.db
        .write(Lane::of(caller.scope.tenant()), entry, |tx, (entry, code)| {
            Box::pin(async move {
                let before = entry.changeable(tx, *code).await?;
                saved_filters::remove(tx, entry.tenant, *code).await?;
                Ok::<_, Error>(before)
            })
        })
        .await
}

/// The columns that the caller chose for a list; `None` where he never did.
#[boxed::future]
pub async fn columns(app: &App, caller: &Session, list: List) -> Result<Option<Vec<String>>, Error> {
    let of = (caller.user, list.name());
    let kept = saved_filters::columns(&app.db, caller.scope.tenant(), of).await?;
    Ok(kept.map(|text| text.split_whitespace().map(str::to_owned).collect()))
}

/// Remembers the columns that the caller chose.
#[boxed::future]
pub async fn choose(app: &App, caller: &Session, list: List, columns: Vec<String>) -> Result<(), Error> {
    let input = (caller.scope.tenant(), caller.user, list, columns.join(" "));
    app.db
        .write(Lane::of(caller.scope.tenant()), input, |tx, (tenant, user, list, columns)| {
            Box::pin(async move {
                Ok::<_, Error>(saved_filters::choose(tx, *tenant, (*user, list.name()), columns).await?)
            })
        })
        .await
}
