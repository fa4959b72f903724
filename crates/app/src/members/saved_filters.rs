//! Saved filters of lists, private or shared with the tenant, and the columns a user has chosen.

use crate::session::Session;
use crate::{App, Error};
use domain::{DisplayName, FilterCode, InputField, Moment, Rejection, Role, TenantId, UserCode};
use storage::members::saved_filters;
pub use storage::members::saved_filters::SavedFilter;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane};

/// A list with saved filters, under the name used in its URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterableList {
    Members,
    Benefits,
}

impl FilterableList {
    pub fn name(self) -> &'static str {
        match self {
            FilterableList::Members => "associados",
            FilterableList::Benefits => "beneficios",
        }
    }

    pub fn from_name(name: &str) -> Option<FilterableList> {
        [FilterableList::Members, FilterableList::Benefits].into_iter().find(|list| list.name() == name)
    }
}

/// Maximum number of filters per user and list.
const FILTERS_PER_USER: usize = 30;
/// Maximum number of filters shown, including shared ones of other users.
const SHOWN_FILTERS: i64 = 100;
const LONGEST_NAME: usize = 60;
const LONGEST_QUERY: usize = 2_000;

/// Owners may change their filters; administrators also change shared ones.
pub fn may_change_filter(caller: &Session, filter: &SavedFilter) -> bool {
    filter.owner == caller.user || filter.is_shared && caller.role == Role::Administrator
}

/// The caller's filters of a list, and those shared by others.
#[boxed::future]
pub async fn list_filters(
    app: &App,
    caller: &Session,
    list: FilterableList,
) -> Result<Vec<SavedFilter>, Error> {
    let key = (list.name(), caller.user);
    Ok(saved_filters::list_saved_filters(&app.db, caller.scope.tenant(), key, SHOWN_FILTERS).await?)
}

/// The content of a filter to save.
#[derive(Clone, Debug)]
pub struct FilterDraft {
    pub name: String,
    pub query: String,
    pub is_shared: bool,
}

struct FilterActor {
    tenant: TenantId,
    user: UserCode,
    is_admin: bool,
    now: Moment,
}

impl FilterActor {
    fn from_session(app: &App, caller: &Session) -> FilterActor {
        FilterActor {
            tenant: caller.scope.tenant(),
            user: caller.user,
            is_admin: caller.role == Role::Administrator,
            now: app.now(),
        }
    }

    /// The filter, if the caller may change it.
    async fn load_changeable_filter(&self, tx: &mut Tx, code: FilterCode) -> Result<SavedFilter, Error> {
        let found = saved_filters::find_saved_filter(&mut *tx, self.tenant, code).await?;
        let changeable = found.filter(|one| one.owner == self.user || one.is_shared && self.is_admin);
        changeable.ok_or(Error::NotFound { field: InputField::Name, code: code.get() })
    }
}

fn parse_filter_name(text: &str) -> Result<String, Error> {
    let name = DisplayName::parse(InputField::Name, text)?;
    match name.as_str().chars().count() > LONGEST_NAME {
        true => Err(Rejection::TooLong { field: InputField::Name, longest: LONGEST_NAME }.into()),
        false => Ok(name.as_str().to_owned()),
    }
}

/// Saves a filter; replaces the caller's filter of the same name.
#[boxed::future]
pub async fn save_filter(
    app: &App,
    caller: &Session,
    list: FilterableList,
    draft: FilterDraft,
) -> Result<FilterCode, Error> {
    let name = parse_filter_name(&draft.name)?;
    if draft.query.len() > LONGEST_QUERY {
        return Err(Rejection::TooLong { field: InputField::Text, longest: LONGEST_QUERY }.into());
    }
    let entry = (FilterActor::from_session(app, caller), list, FilterDraft { name, ..draft });
    app.db
        .write(WriteLane::foreground(caller.scope.tenant()), entry, |tx, (actor, list, draft)| {
            Box::pin(write_filter(tx, actor, *list, draft))
        })
        .await
}

async fn write_filter(
    tx: &mut Tx,
    actor: &FilterActor,
    list: FilterableList,
    draft: &FilterDraft,
) -> Result<FilterCode, Error> {
    let known =
        saved_filters::list_saved_filters(&mut *tx, actor.tenant, (list.name(), actor.user), SHOWN_FILTERS)
            .await?;
    let own_filters: Vec<&SavedFilter> = known.iter().filter(|one| one.owner == actor.user).collect();
    let same = own_filters.iter().find(|one| domain::fold_text(&one.name) == domain::fold_text(&draft.name));
    let code = match same {
        Some(same) => same.code,
        None if own_filters.len() >= FILTERS_PER_USER => {
            return Err(Rejection::TooManyFilters { most: FILTERS_PER_USER }.into());
        }
        None => FilterCode::new(counters::reserve_number(tx, actor.tenant, Counter::SavedFilter).await?),
    };
    let filter = SavedFilter {
        code,
        list: list.name().to_owned(),
        owner: actor.user,
        name: draft.name.clone(),
        query: draft.query.clone(),
        is_shared: draft.is_shared,
    };
    saved_filters::upsert_saved_filter(tx, actor.tenant, &filter, actor.now).await?;
    Ok(code)
}

/// Renames a filter and sets whether it is shared.
#[boxed::future]
pub async fn change_filter(
    app: &App,
    caller: &Session,
    code: FilterCode,
    (new_name, is_shared): (&str, bool),
) -> Result<SavedFilter, Error> {
    let entry = (FilterActor::from_session(app, caller), code, parse_filter_name(new_name)?, is_shared);
    app.db
        .write(WriteLane::foreground(caller.scope.tenant()), entry, |tx, (actor, code, name, is_shared)| {
            Box::pin(async move {
                let before = actor.load_changeable_filter(tx, *code).await?;
                let after = SavedFilter { name: name.clone(), is_shared: *is_shared, ..before };
                saved_filters::upsert_saved_filter(tx, actor.tenant, &after, actor.now).await?;
                Ok::<_, Error>(after)
            })
        })
        .await
}

/// Deletes a filter; returns it so that the deletion can be undone.
#[boxed::future]
pub async fn delete_filter(app: &App, caller: &Session, code: FilterCode) -> Result<SavedFilter, Error> {
    let entry = (FilterActor::from_session(app, caller), code);
    app.db
        .write(WriteLane::foreground(caller.scope.tenant()), entry, |tx, (actor, code)| {
            Box::pin(async move {
                let before = actor.load_changeable_filter(tx, *code).await?;
                saved_filters::delete_saved_filter(tx, actor.tenant, *code).await?;
                Ok::<_, Error>(before)
            })
        })
        .await
}

/// The columns the caller has chosen for a list; `None` if never chosen.
#[boxed::future]
pub async fn read_chosen_columns(
    app: &App,
    caller: &Session,
    list: FilterableList,
) -> Result<Option<Vec<String>>, Error> {
    let key = (caller.user, list.name());
    let stored = saved_filters::find_chosen_columns(&app.db, caller.scope.tenant(), key).await?;
    Ok(stored.map(|text| text.split_whitespace().map(str::to_owned).collect()))
}

#[boxed::future]
pub async fn save_chosen_columns(
    app: &App,
    caller: &Session,
    list: FilterableList,
    columns: Vec<String>,
) -> Result<(), Error> {
    let input = (caller.scope.tenant(), caller.user, list, columns.join(" "));
    app.db
        .write(WriteLane::foreground(caller.scope.tenant()), input, |tx, (tenant, user, list, columns)| {
            Box::pin(async move {
                Ok::<_, Error>(
                    saved_filters::upsert_chosen_columns(tx, *tenant, (*user, list.name()), columns).await?,
                )
            })
        })
        .await
}
