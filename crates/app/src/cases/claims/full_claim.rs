//! A claim with its people and its related claims, down to a fixed depth.

use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, ClaimCode, ContactPhone, InputField, PersonCode, PersonProfile, Scope};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use storage::cases::claims::{self, ResolvedClaim};
use storage::members::phones;
use storage::{Tx, members};

/// Levels of related claims that are read below the requested claim.
const RELATION_DEPTH: usize = 3;

#[derive(Clone, Debug)]
pub struct InvolvedPerson {
    pub profile: PersonProfile,
    pub phones: Vec<ContactPhone>,
}

/// The requested claim and all claims reachable through its relations.
pub struct FullClaim {
    pub code: ClaimCode,
    pub registers: Arc<TenantRegisters>,
    claims: HashMap<ClaimCode, ResolvedClaim>,
    /// Most recently opened first.
    related: HashMap<ClaimCode, Vec<ClaimCode>>,
    people: HashMap<PersonCode, InvolvedPerson>,
}

impl FullClaim {
    pub fn claim(&self, code: ClaimCode) -> Option<&ResolvedClaim> {
        self.claims.get(&code)
    }

    pub fn person(&self, code: PersonCode) -> Option<&InvolvedPerson> {
        self.people.get(&code)
    }

    /// The claims related to the last one of a path that starts at the requested claim. Claims already in the path are
    /// left out and the path length is limited, so cycles end.
    pub fn related_below(&self, path: &[ClaimCode]) -> Vec<ClaimCode> {
        let related =
            path.last().filter(|_| path.len() <= RELATION_DEPTH).and_then(|last| self.related.get(last));
        related.into_iter().flatten().filter(|one| !path.contains(one)).copied().collect()
    }
}

/// Reads a claim visible to the caller, with its people and related claims.
#[boxed::future]
pub async fn read_full_claim(app: &App, caller: &Session, code: ClaimCode) -> Result<FullClaim, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let input = (caller.scope.clone(), code);
    let read = app.db.read(input, |tx, (scope, code)| Box::pin(read_claim_parts(tx, scope, *code))).await?;
    let (claims, related, people) =
        read.ok_or(Error::NotFound { field: InputField::Claim, code: code.get() })?;
    record_access(app, caller, AuditedOperation::ReadFullClaim, people.keys().copied())?;
    Ok(FullClaim { code, registers, claims, related, people })
}

type ClaimReadParts = (
    HashMap<ClaimCode, ResolvedClaim>,
    HashMap<ClaimCode, Vec<ClaimCode>>,
    HashMap<PersonCode, InvolvedPerson>,
);

/// Reads level by level, so that the number of queries does not grow with the number of claims.
async fn read_claim_parts(
    tx: &mut Tx,
    scope: &Scope,
    code: ClaimCode,
) -> Result<Option<ClaimReadParts>, Error> {
    let mut known: HashMap<ClaimCode, ResolvedClaim> = HashMap::new();
    let mut pairs: Vec<(ClaimCode, ClaimCode)> = Vec::new();
    let mut codes_to_load = vec![code];
    for level in 0..=RELATION_DEPTH {
        let found = claims::list_claims_by_codes(&mut *tx, scope, codes_to_load).await?;
        let new: Vec<ClaimCode> = found.iter().map(|one| one.code).collect();
        known.extend(found.into_iter().map(|one| (one.code, one)));
        if new.is_empty() || level == RELATION_DEPTH {
            break;
        }
        let relations = claims::list_related_claims(&mut *tx, scope.tenant(), new).await?;
        codes_to_load = relations.iter().map(|(_, to)| *to).filter(|to| !known.contains_key(to)).collect();
        codes_to_load.sort_unstable();
        codes_to_load.dedup();
        pairs.extend(relations);
        if codes_to_load.is_empty() {
            break;
        }
    }
    if !known.contains_key(&code) {
        return Ok(None);
    }
    let mut related: HashMap<ClaimCode, Vec<ClaimCode>> = HashMap::new();
    // Claims that the caller may not see were not found and are left out.
    for (from, to) in pairs.into_iter().filter(|(_, to)| known.contains_key(to)) {
        related.entry(from).or_default().push(to);
    }
    for list in related.values_mut() {
        list.sort_by_key(|one| {
            std::cmp::Reverse((known.get(one).map(|resolved| resolved.claim.head.opened_at), *one))
        });
    }
    let people = list_involved_people(tx, scope, known.values()).await?;
    Ok(Some((known, related, people)))
}

async fn list_involved_people(
    tx: &mut Tx,
    scope: &Scope,
    claims: impl Iterator<Item = &ResolvedClaim>,
) -> Result<HashMap<PersonCode, InvolvedPerson>, Error> {
    let mut codes: Vec<PersonCode> = claims
        .flat_map(|resolved| [Some(resolved.claim.head.person), resolved.claim.driver])
        .flatten()
        .collect();
    codes.sort_unstable();
    codes.dedup();
    let mut telephones: BTreeMap<PersonCode, Vec<ContactPhone>> = BTreeMap::new();
    for (person, phone) in
        phones::list_phones_of_people(&mut *tx, scope.tenant(), codes.iter().copied()).await?
    {
        telephones.entry(person).or_default().push(phone);
    }
    let found = members::list_people_by_code(&mut *tx, scope.tenant(), codes).await?;
    let person = |(code, profile)| {
        (code, InvolvedPerson { profile, phones: telephones.remove(&code).unwrap_or_default() })
    };
    Ok(found.into_iter().map(person).collect())
}
