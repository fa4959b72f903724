//! Writes the claims of the members that are being written.

use super::{ORIGIN, Part, Row};
use crate::Error;
use domain::{ClaimCode, Entity, HistoryCode, SituationCode};
use storage::Statement;
use storage::claims::{self, Claim};
use storage::history::{self, Change};
use wire::trigger::ClaimTrigger;

/// The first of each kind that these claims take.
pub struct Codes {
    pub claim: i32,
    pub protocol: i32,
    pub history: i32,
}

/// Where every claim begins.
const OPEN: SituationCode = SituationCode::new(7);

pub fn statements(part: &Part, rows: &[Row<'_>], first: &Codes) -> Result<Vec<Statement>, Error> {
    let tenant = part.known.tenant;
    let (mut all, mut pairs, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for (row, member) in rows.iter().zip(&part.members) {
        let own = first.claim + all.len() as i32;
        for one in &member.claims {
            let number = all.len() as i32;
            let code = ClaimCode::new(first.claim + number);
            let claim = Claim {
                protocol: first.protocol + number,
                person: row.person,
                benefit: row.benefits.get(one.holding).map(|given| given.code),
                driver: one.drove.then_some(row.person),
                ..one.claim.clone()
            };
            pairs.extend(one.related.iter().map(|to| (code, ClaimCode::new(own + *to as i32))));
            let opened = Claim { situation: OPEN, closed_at: None, ..claim.clone() };
            changes.push((code, opened, None, claim.opened_at));
            changes.extend(one.moved_at.map(|at| (code, claim.clone(), Some(OPEN), at)));
            all.push((code, claim));
        }
    }
    let mut statements = claims::insert(tenant, all.iter().map(|(code, claim)| (*code, claim)));
    statements.extend(claims::relate(tenant, pairs));
    let told: Result<Vec<_>, Error> = (first.history..)
        .zip(&changes)
        .map(|(history, (code, claim, from, at))| {
            let change = Change {
                tenant,
                entity: Entity::Claim,
                record: code.get(),
                branch: claim.branch,
                from: *from,
                to: claim.situation,
                user: None,
                reason: None,
                origin: ORIGIN,
                at: *at,
            };
            Ok((change, body(part, HistoryCode::new(history), (*code, claim), *at)?))
        })
        .collect();
    statements.extend(history::insert_quietly(HistoryCode::new(first.history), told?));
    Ok(statements)
}

fn body(
    part: &Part,
    history: HistoryCode,
    (code, claim): (ClaimCode, &Claim),
    at: domain::Moment,
) -> Result<String, Error> {
    let registers = &part.registers;
    let missing = || Error::Text(format!("the situation {} is not registered", claim.situation));
    let situation = registers.situation(claim.situation).ok_or_else(missing)?;
    let trigger = ClaimTrigger {
        history,
        changed: at,
        claim: code,
        person: claim.person,
        situation: &situation.name,
        colour: situation.colour,
        opened: claim.opened_at,
        protocol: claim.protocol,
        priority: claim.priority,
        kind: claim.kind,
        kind_name: registers.claim_type(claim.kind).map_or("", |one| &one.name),
        benefit: claim.benefit,
        description: claim.description.as_deref(),
        closed: claim.closed_at,
    };
    trigger.body(&registers.zone).map_err(|error| Error::Text(error.to_string()))
}
