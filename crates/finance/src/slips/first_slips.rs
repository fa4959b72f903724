//! The slips of titles that the caller writes itself, as the demonstration does: each as a charging run issued it with its
//! title.

use super::build_slip::{AccountSequences, IssueMoment, NewSlipNumbers, build_slip};
use super::collector::find_collector;
use super::link::{RandomLinkSeed, plan_slip_link};
use super::terms::CollectionTerms;
use app::{ActorContext, Error};
use domain::{RandomSource, SlipCode, TitleCode};
use finance_storage::slips::insert_slips;
use finance_storage::titles::StoredTitle;
use links::{DocumentLink, insert_links};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// Prepares the first slip of each of these titles, with a link that opens it, for the batch that writes the titles. They
/// ask for the whole title on its due day, were issued when it was, and by whoever did. A title that no bank collects for
/// has none.
#[boxed::future]
pub async fn prepare_first_slips(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    titles: &[(TitleCode, &StoredTitle)],
    random: &dyn RandomSource,
) -> Result<Vec<Statement>, Error> {
    let (tenant, seed) = (context.tenant, RandomLinkSeed::draw(random));
    let mut sequences = AccountSequences::new(tenant);
    let mut slips = Vec::with_capacity(titles.len());
    for (code, title) in titles {
        let Some(collector) = find_collector(context.registers, title.group) else { continue };
        let sequence = sequences.find_next(tx, &collector).await?;
        let place = NewSlipNumbers { title: *code, number: 1, sequence };
        let terms = CollectionTerms { due_on: title.due_on, amount: title.amount };
        let issue =
            IssueMoment { issued_on: title.issued_on, user: title.user, created_at: title.created_at };
        // What cannot have a slip is paid by other means.
        if let Ok(slip) = build_slip(&collector, place, terms, issue) {
            sequences.take(&slip);
            slips.push((slip, title.person));
        }
    }
    let count = i32::try_from(slips.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let [first] = counters::reserve_number_blocks(tx, tenant, [(Counter::Slip, count)]).await?;
    let mut links: Vec<DocumentLink> = Vec::with_capacity(slips.len());
    for ((slip, person), code) in slips.iter_mut().zip(first..) {
        slip.code = SlipCode::new(code);
        let issuer = ActorContext { user: slip.user, now: slip.created_at, ..*context };
        links.push(plan_slip_link(&issuer, slip, *person, &seed));
    }
    let slips: Vec<_> = slips.into_iter().map(|(slip, _)| slip).collect();
    let mut statements = insert_slips(tenant, &slips);
    statements.extend(insert_links(&links));
    Ok(statements)
}
