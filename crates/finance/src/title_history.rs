//! The history of titles, and the triggers that follow from it: issuing, each change of situation, a part payment and its
//! reversal. Becoming overdue is no change: nothing happens to a title on that day.

use app::situations::list_notified_receivers;
use app::{ActorContext, Error};
use domain::finance::TitleSituation;
use domain::{BenefitCode, Entity, HistoryCode, Moment, SituationCode, TitleCode};
use finance_storage::titles::{StoredTitle, list_title_benefits};
use storage::history::situation_changes::{NewHistoryRow, insert_history_entries, insert_silent_entries};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::trigger::TitleChangeMessage;

/// A title as it is after a change.
#[derive(Clone, Copy)]
pub struct TitleChange<'t> {
    pub code: TitleCode,
    pub title: &'t StoredTitle,
    pub benefits: &'t [BenefitCode],
    /// `None` for a new title.
    pub from: Option<TitleSituation>,
    pub reason: Option<&'t str>,
}

/// The history rows of these changes in their order, under codes that are reserved at once, with an outbox row for each
/// receiver that chose titles. The caller has confirmed its registers in this unit of work.
#[boxed::future]
pub async fn prepare_title_changes(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    changes: &[TitleChange<'_>],
) -> Result<Vec<Statement>, Error> {
    let count = i32::try_from(changes.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let [first] = counters::reserve_number_blocks(tx, context.tenant, [(Counter::History, count)]).await?;
    let build_row = |(code, change): (i32, &TitleChange<'_>)| {
        let body = render_title_body(context, HistoryCode::new(code), change)?;
        Ok((build_history_row(context, change)?, body))
    };
    let rows = (first..).zip(changes).map(build_row).collect::<Result<Vec<_>, Error>>()?;
    let receivers = list_notified_receivers(context, Entity::Title);
    Ok(insert_history_entries(HistoryCode::new(first), &rows, &receivers))
}

/// Changes that happened at moments of their own, which nobody is notified of.
#[boxed::future]
pub async fn prepare_silent_title_changes(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    changes: &[(Moment, TitleChange<'_>)],
) -> Result<Vec<Statement>, Error> {
    let count = i32::try_from(changes.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let [first] = counters::reserve_number_blocks(tx, context.tenant, [(Counter::History, count)]).await?;
    let build_row = |(code, (at, change)): (i32, &(Moment, TitleChange<'_>))| {
        let context = ActorContext { now: *at, ..*context };
        let body = render_title_body(&context, HistoryCode::new(code), change)?;
        Ok((build_history_row(&context, change)?, body))
    };
    let rows = (first..).zip(changes).map(build_row).collect::<Result<Vec<_>, Error>>()?;
    Ok(insert_silent_entries(HistoryCode::new(first), rows))
}

/// As [`prepare_title_changes`], for one title whose benefits are stored.
pub(crate) async fn prepare_stored_title_change(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, &StoredTitle),
    from: TitleSituation,
    reason: Option<&str>,
) -> Result<Vec<Statement>, Error> {
    let benefits = list_title_benefits(&mut *tx, context.tenant, &[code]).await?;
    let benefits: Vec<BenefitCode> = benefits.into_iter().map(|(_, benefit, _)| benefit).collect();
    let change = TitleChange { code, title, benefits: &benefits, from: Some(from), reason };
    prepare_title_changes(tx, context, &[change]).await
}

fn build_history_row(context: &ActorContext<'_>, change: &TitleChange<'_>) -> Result<NewHistoryRow, Error> {
    Ok(NewHistoryRow {
        tenant: context.tenant,
        entity: Entity::Title,
        record: change.code.get(),
        branch: change.title.branch,
        from: change.from.map(encode_situation).transpose()?,
        to: encode_situation(change.title.situation)?,
        user: context.user,
        reason: change.reason.map(str::to_owned),
        origin: context.origin,
        at: context.now,
    })
}

/// The situations of titles are fixed, so that their numbers stand in the history.
fn encode_situation(situation: TitleSituation) -> Result<SituationCode, Error> {
    let number = i32::try_from(situation.number()).map_err(|error| Error::Defect(error.to_string()))?;
    Ok(SituationCode::new(number))
}

fn render_title_body(
    context: &ActorContext<'_>,
    history: HistoryCode,
    change: &TitleChange<'_>,
) -> Result<String, Error> {
    let title = change.title;
    let trigger = TitleChangeMessage {
        history,
        changed: context.now,
        title: change.code,
        person: title.person,
        branch: title.branch,
        branch_name: context.registers.branch_name(title.branch),
        situation: title.situation,
        description: &title.description,
        launch_kind: title.launch_kind,
        issued_on: title.issued_on,
        due_on: title.due_on,
        settled_on: title.settled_on,
        amount: title.amount,
        settled_total: title.settled_total,
        benefits: change.benefits,
    };
    trigger.render_body(&context.registers.zone).map_err(|error| Error::Defect(error.to_string()))
}
