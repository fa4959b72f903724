//! The credit cards of a member, and the sealing of their gateway tokens.

use crate::audit::access_log::record_access;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, CreditCard, CreditCardCode, InputField, PersonCode, RandomSource, Scope,
    SecretOwnerKind, TenantId, fold_text,
};
use std::sync::Arc;
use storage::members::credit_cards;
use storage::server::secrets;
use storage::{Tx, WriteLane, members};
use vault::{SecretLocation, Vault};

/// Lists the cards of a person visible to the caller, including inactive ones; by name on the card, then by code.
#[boxed::future]
pub async fn list_credit_cards(
    app: &App,
    caller: &Session,
    person: PersonCode,
) -> Result<Vec<CreditCard>, Error> {
    let query = (caller.scope.clone(), person);
    let read = app.db.read(query, |tx, (scope, person)| Box::pin(read_visible_cards(tx, scope, *person)));
    let unknown = Error::NotFound { field: InputField::Person, code: person.get() };
    let mut cards = read.await?.ok_or(unknown)?;
    // An empty list is personal data too.
    record_access(app, caller, AuditedOperation::ListCreditCards, std::iter::once(person))?;
    cards.sort_by_cached_key(|card| (fold_text(&card.holder), card.code));
    Ok(cards)
}

async fn read_visible_cards(
    tx: &mut Tx,
    scope: &Scope,
    person: PersonCode,
) -> Result<Option<Vec<CreditCard>>, Error> {
    if !members::is_person_visible(tx, scope, person).await? {
        return Ok(None);
    }
    Ok(Some(credit_cards::list_credit_cards(tx, scope.tenant(), person).await?))
}

/// Number of tokens sealed in one transaction.
const TOKENS_PER_BATCH: i64 = 200;

/// Seals tokens that earlier versions stored in clear text, and empties their column; returns their number. After an
/// interruption, a new run continues with the rest.
#[boxed::future]
pub async fn seal_clear_tokens(app: &App, vault: &Vault, tenant: TenantId) -> Result<u64, Error> {
    let mut sealed = 0;
    loop {
        let input = (vault.clone(), Arc::clone(&app.random_source), tenant);
        let unit = app.db.write(WriteLane::background(tenant), input, |tx, (vault, chance, tenant)| {
            Box::pin(seal_token_batch(tx, vault, &**chance, *tenant))
        });
        let count = unit.await?;
        sealed += count;
        if count < TOKENS_PER_BATCH.unsigned_abs() {
            return Ok(sealed);
        }
    }
}

async fn seal_token_batch(
    tx: &mut Tx,
    vault: &Vault,
    chance: &dyn RandomSource,
    tenant: TenantId,
) -> Result<u64, Error> {
    let clear = credit_cards::list_unsealed_tokens(&mut *tx, tenant, TOKENS_PER_BATCH).await?;
    for (person, code, token) in &clear {
        seal_token(tx, vault, chance, (tenant, *code), token).await?;
        credit_cards::clear_unsealed_token(tx, tenant, (*person, *code)).await?;
    }
    Ok(clear.len() as u64)
}

/// Stores the gateway token of a card encrypted with the server key.
pub(crate) async fn seal_token(
    tx: &mut Tx,
    vault: &Vault,
    chance: &dyn RandomSource,
    (tenant, code): (TenantId, CreditCardCode),
    token: &str,
) -> Result<(), Error> {
    let location = SecretLocation { tenant, kind: SecretOwnerKind::CreditCard, code: code.get() };
    let sealed = vault.seal(chance, location, token.as_bytes())?;
    Ok(secrets::upsert_secret(tx, tenant, SecretOwnerKind::CreditCard, code.get(), &sealed).await?)
}

/// Seals the clear-text tokens of every tenant.
#[boxed::future]
pub async fn seal_all_clear_tokens(app: &App, vault: &Vault) -> Result<u64, Error> {
    let mut sealed = 0;
    for tenant in storage::server::tenants::list_tenants(&app.db).await? {
        sealed += seal_clear_tokens(app, vault, tenant.id).await?;
    }
    Ok(sealed)
}
