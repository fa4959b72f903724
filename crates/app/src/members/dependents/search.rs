//! Searches dependents by name, CPF or card, and lists those of a benefit.

use super::super::search::criteria::{normalize_document, parse_name_words};
use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, BenefitCode, CardNumber, Dependent, DependentCode, InputField, PersonCode, Rejection,
    fold_text, has_word_beginnings,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use storage::members::dependents;
use storage::members::dependents::DependentNameKey;
use storage::members::dependents::FoundDependent;
use wire::records::PesquisaDependenteQuery;

const SEARCH: AuditedOperation = AuditedOperation::SearchDependents;

const LIST: AuditedOperation = AuditedOperation::ListDependents;

/// Dependents by name, then code, with the registers that hold the plan names.
pub struct SortedDependents<T> {
    pub rows: Vec<T>,
    pub registers: Arc<TenantRegisters>,
}

/// Finds dependents by name, CPF, card or a combination of them; returns their codes by name, then code. The API
/// answers without pagination, so the records are loaded in parts with [`load_found_dependents`].
#[boxed::future]
pub async fn search_dependents(
    app: &App,
    caller: &Session,
    query: PesquisaDependenteQuery,
) -> Result<Vec<DependentCode>, Error> {
    let (name, cpf, card) = (query.name.into_set(), query.cpf.into_set(), query.card.into_set());
    if name.is_none() && cpf.is_none() && card.is_none() {
        return Err(Rejection::NoDependentKey.into());
    }
    let mut keys = find_dependent_keys(app, caller, name, cpf, card).await?;
    keys.sort_by_cached_key(|key| (fold_text(&key.name), key.code));
    Ok(keys.into_iter().map(|key| key.code).collect())
}

async fn find_dependent_keys(
    app: &App,
    caller: &Session,
    name: Option<String>,
    cpf: Option<String>,
    card: Option<CardNumber>,
) -> Result<Vec<DependentNameKey>, Error> {
    // A name or CPF that cannot exist matches nothing.
    let Some(words) = name.as_deref().map_or(Some(Vec::new()), parse_name_words) else {
        return Ok(Vec::new());
    };
    let cpf = match cpf.map(|text| normalize_document(&text)) {
        Some(None) => return Ok(Vec::new()),
        other => other.flatten(),
    };
    if cpf.is_none() && card.is_none() {
        let query = (caller.scope.clone(), words);
        let read = app.db.read(query, |tx, (scope, words)| {
            Box::pin(dependents::list_dependent_keys_by_name(tx, scope, words))
        });
        return Ok(read.await?);
    }
    // CPF or card match few records, so the name is compared in memory.
    let key = (cpf.as_deref(), card.as_ref().map(CardNumber::as_str));
    let rows = dependents::list_dependents_by_cpf_or_card(&app.db, &caller.scope, key).await?;
    let keys = rows.into_iter().map(|row| DependentNameKey { code: row.code, name: row.dependent.name });
    Ok(keys.filter(|key| has_word_beginnings(&words, &key.name)).collect())
}

/// Loads a part of the search results, in their order.
#[boxed::future]
pub async fn load_found_dependents(
    app: &App,
    caller: &Session,
    codes: &[DependentCode],
) -> Result<SortedDependents<FoundDependent>, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let found = dependents::list_found_dependents(&app.db, &caller.scope, codes).await?;
    let mut found: HashMap<DependentCode, FoundDependent> =
        found.into_iter().map(|row| (row.code, row)).collect();
    let rows: Vec<FoundDependent> = codes.iter().filter_map(|code| found.remove(code)).collect();
    let holders: BTreeSet<PersonCode> = rows.iter().map(|row| row.holder).collect();
    record_access(app, caller, SEARCH, holders.into_iter())?;
    Ok(SortedDependents { rows, registers })
}

/// Lists every dependent of a benefit, active or not.
#[boxed::future]
pub async fn list_benefit_dependents(
    app: &App,
    caller: &Session,
    code: BenefitCode,
) -> Result<SortedDependents<(DependentCode, Dependent)>, Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, mut rows), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
            Box::pin(async move {
                let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
                let benefit =
                    storage::benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(unknown)?;
                Ok::<_, Error>((
                    benefit.person,
                    dependents::list_dependents(&mut *tx, scope.tenant(), *code).await?,
                ))
            })
        })
        .await?;
    rows.sort_by_cached_key(|(code, one)| (fold_text(&one.name), *code));
    record_access(app, caller, LIST, std::iter::once(person))?;
    Ok(SortedDependents { rows, registers })
}
