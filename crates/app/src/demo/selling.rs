//! Writes the leads of a demonstration with their deals, many in one unit, once its members are there.

use super::progress::Progress;
use super::sales::{Negotiation, Prospect, next_code, next_dependent};
use crate::Error;
use crate::leads::mirrored;
use domain::{DealCode, LeadCode, PersonCode, Phone};
use storage::counters::{self, Counter};
use storage::deals::{self, Deal, dependents};
use storage::leads::{self, Lead};
use storage::people::{self, Profile};
use storage::{Tx, phones};

/// Leads written in one unit, with all that is theirs.
pub const TOGETHER: u32 = 500;

/// The next leads, and how far the load was when they were made.
pub struct Part {
    pub known: Progress,
    pub prospects: Vec<Prospect>,
}

/// Writes the next leads, unless another process was faster.
#[boxed::future]
pub async fn write_leads(tx: &mut Tx, part: &Part) -> Result<Progress, Error> {
    let gone = || storage::Error::Broken("the progress of a demonstration is gone".to_owned());
    let found = Progress::read(&mut *tx).await?.ok_or_else(gone)?;
    if found != part.known {
        return Ok(found);
    }
    let tenant = part.known.tenant;
    let persons = members(tx, part).await?;
    let all = || part.prospects.iter().flat_map(|one| &one.deals);
    let deals = all().count() as i32;
    let wanted = [
        (Counter::Person, persons.iter().filter(|person| person.is_none()).count() as i32),
        (Counter::Lead, part.prospects.len() as i32),
        (Counter::Deal, deals),
        (Counter::DealSequence, deals),
        (Counter::DealDependent, all().map(|one| one.dependents.len()).sum::<usize>() as i32),
    ];
    let [first, mut lead, mut deal, mut sequence, mut dependent] =
        counters::take_all(tx, tenant, wanted).await?;
    let mut next = first;
    let (mut strangers, mut rows, mut negotiated) = (Vec::new(), Vec::new(), Vec::new());
    for (prospect, known) in part.prospects.iter().zip(persons) {
        let person = known.unwrap_or_else(|| {
            strangers.push(stranger(&prospect.lead));
            PersonCode::new(next_code(&mut next))
        });
        let code = LeadCode::new(next_code(&mut lead));
        rows.push((code, Lead { person, ..prospect.lead.clone() }));
        for one in &prospect.deals {
            let kept = Deal { lead: code, sequence: next_code(&mut sequence), ..one.deal.clone() };
            negotiated.push((DealCode::new(next_code(&mut deal)), kept, one));
        }
    }
    people::insert_all(tx, tenant, PersonCode::new(first), strangers.iter().map(|(one, _)| one)).await?;
    phones::insert_all(tx, tenant, PersonCode::new(first), strangers.iter().map(|(_, phones)| &phones[..]))
        .await?;
    let mut statements = leads::insert(tenant, rows.iter().map(|(code, lead)| (*code, lead)));
    statements.extend(deals::insert(tenant, negotiated.iter().map(|(code, deal, _)| (*code, deal))));
    let moves = |(code, _, one): &(DealCode, Deal, &'_ Negotiation)| {
        one.moves.iter().map(|step| (*code, step.clone())).collect::<Vec<_>>()
    };
    let moves: Vec<_> = negotiated.iter().flat_map(moves).collect();
    statements.extend(deals::insert_moves(tenant, moves.iter().map(|(code, step)| (*code, step))));
    let mut sharing = Vec::new();
    for (code, _, one) in &negotiated {
        sharing.extend(one.dependents.iter().map(|who| (*code, next_dependent(&mut dependent), who)));
    }
    statements.extend(dependents::insert(tenant, sharing));
    tx.batch(statements).await?;
    let progress = Progress { leads: part.known.leads + part.prospects.len() as u32, ..part.known };
    progress.write(tx).await?;
    Ok(progress)
}

/// The persons of those who are members.
async fn members(tx: &mut Tx, part: &Part) -> Result<Vec<Option<PersonCode>>, Error> {
    let mut persons = Vec::with_capacity(part.prospects.len());
    for prospect in &part.prospects {
        let document = prospect.lead.document.as_ref().filter(|_| prospect.is_member);
        persons.push(match document {
            Some(document) => {
                people::by_document(&mut *tx, part.known.tenant, document).await?.map(|(code, _)| code)
            }
            None => None,
        });
    }
    Ok(persons)
}

fn stranger(lead: &Lead) -> (Profile, Vec<Phone>) {
    let blank = Profile::stranger(lead.branch, lead.document.clone(), lead.name.clone(), lead.created_at);
    let phones = [&lead.mobile, &lead.landline].into_iter().flatten().cloned().collect();
    (mirrored(&blank, lead, lead.created_at), phones)
}
