//! Writes demo leads with their deals in large transactions, after the members.

use crate::progress::DemoLoadProgress;
use crate::sales::{SampleDeal, SampleLead, take_next_code, take_next_dependent_code};
use app::Error;
use app::sales::leads::apply_lead_to_person;
use domain::{Deal, DealCode, Lead, LeadCode, PersonCode, PersonProfile, Phone};
use storage::Tx;
use storage::members;
use storage::members::phones;
use storage::sales::deals::{self, dependents};
use storage::sales::leads;
use storage::server::counters::{self, Counter};

/// Leads per transaction, with all their records.
pub const LEADS_PER_TRANSACTION: u32 = 250;

/// The next leads, and the load's progress when they were generated.
pub struct SampleLeadBatch {
    pub progress: DemoLoadProgress,
    pub prospects: Vec<SampleLead>,
}

/// Writes the next leads, unless another process already did.
#[boxed::future]
pub async fn write_leads(tx: &mut Tx, part: &SampleLeadBatch) -> Result<DemoLoadProgress, Error> {
    if let Some(other) = part.progress.find_other(tx).await? {
        return Ok(other);
    }
    let tenant = part.progress.tenant;
    let persons = list_member_codes(tx, part).await?;
    let all = || part.prospects.iter().flat_map(|one| &one.deals);
    let deals = all().count() as i32;
    let counts = [
        (Counter::Person, persons.iter().filter(|person| person.is_none()).count() as i32),
        (Counter::Lead, part.prospects.len() as i32),
        (Counter::Deal, deals),
        (Counter::DealSequence, deals),
        (Counter::DealDependent, all().map(|one| one.dependents.len()).sum::<usize>() as i32),
    ];
    let [first, mut lead, mut deal, mut sequence, mut dependent] =
        counters::reserve_number_blocks(tx, tenant, counts).await?;
    let mut next = first;
    let (mut new_people, mut rows, mut negotiated) = (Vec::new(), Vec::new(), Vec::new());
    for (prospect, known) in part.prospects.iter().zip(persons) {
        let person = known.unwrap_or_else(|| {
            new_people.push(build_lead_person(&prospect.lead));
            PersonCode::new(take_next_code(&mut next))
        });
        let code = LeadCode::new(take_next_code(&mut lead));
        rows.push((code, Lead { person, ..prospect.lead.clone() }));
        for one in &prospect.deals {
            let stored_deal =
                Deal { lead: code, sequence: take_next_code(&mut sequence), ..one.deal.clone() };
            negotiated.push((DealCode::new(take_next_code(&mut deal)), stored_deal, one));
        }
    }
    members::insert_people_from(tx, tenant, PersonCode::new(first), new_people.iter().map(|(one, _)| one))
        .await?;
    phones::insert_phones_from(
        tx,
        tenant,
        PersonCode::new(first),
        new_people.iter().map(|(_, phones)| &phones[..]),
    )
    .await?;
    let mut statements = leads::insert_leads(tenant, rows.iter().map(|(code, lead)| (*code, lead)));
    statements.extend(deals::insert_deals(tenant, negotiated.iter().map(|(code, deal, _)| (*code, deal))));
    let moves = |(code, _, one): &(DealCode, Deal, &'_ SampleDeal)| {
        one.moves.iter().map(|step| (*code, step.clone())).collect::<Vec<_>>()
    };
    let moves: Vec<_> = negotiated.iter().flat_map(moves).collect();
    statements.extend(deals::insert_deal_moves(tenant, moves.iter().map(|(code, step)| (*code, step))));
    let mut sharing = Vec::new();
    for (code, _, one) in &negotiated {
        sharing.extend(
            one.dependents.iter().map(|proposed| (*code, take_next_dependent_code(&mut dependent), proposed)),
        );
    }
    statements.extend(dependents::insert_deal_dependents(tenant, sharing));
    tx.execute_batch(statements).await?;
    let progress =
        DemoLoadProgress { leads: part.progress.leads + part.prospects.len() as u32, ..part.progress };
    progress.save(tx).await?;
    Ok(progress)
}

/// The person codes of leads who are members.
async fn list_member_codes(tx: &mut Tx, part: &SampleLeadBatch) -> Result<Vec<Option<PersonCode>>, Error> {
    let mut persons = Vec::with_capacity(part.prospects.len());
    for prospect in &part.prospects {
        let document = prospect.lead.document.as_ref().filter(|_| prospect.is_member);
        persons.push(match document {
            Some(document) => members::find_person_by_document(&mut *tx, part.progress.tenant, document)
                .await?
                .map(|(code, _)| code),
            None => None,
        });
    }
    Ok(persons)
}

fn build_lead_person(lead: &Lead) -> (PersonProfile, Vec<Phone>) {
    let blank =
        PersonProfile::new_non_member(lead.branch, lead.document.clone(), lead.name.clone(), lead.created_at);
    let phones = [&lead.mobile, &lead.landline].into_iter().flatten().cloned().collect();
    (apply_lead_to_person(&blank, lead, lead.created_at), phones)
}
