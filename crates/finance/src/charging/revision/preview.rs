//! What a revision would do if a benefit were in another situation, and whether one waits that does something.

use super::list::{is_revision_waiting, load_benefit_sources};
use super::plan::{TitleRevision, plan_revision};
use app::audit::access_log::record_access;
use app::session::Session;
use app::{App, Error};
use domain::{AuditedOperation, BenefitCode, SituationCode};

/// The revision of a benefit as it would be in a situation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SituationRevision {
    pub situation: SituationCode,
    pub revision: TitleRevision,
}

/// The revision of a benefit's titles in each of these situations; `None` if one of the titles lies in a branch that the
/// caller does not see.
#[boxed::future]
pub async fn preview_revisions(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
    situations: Vec<SituationCode>,
) -> Result<Option<Vec<SituationRevision>>, Error> {
    let (mut sources, registers, today) = match load_benefit_sources(app, caller, benefit).await {
        Err(Error::NotFound { .. }) => return Ok(None),
        found => found?,
    };
    record_access(app, caller, AuditedOperation::ShowRevision, std::iter::once(sources.benefit.person))?;
    let mut previews = Vec::with_capacity(situations.len());
    for situation in situations {
        sources.benefit.situation = situation;
        let revision = plan_revision(&registers, &sources, today);
        previews.push(SituationRevision { situation, revision });
    }
    Ok(Some(previews))
}

/// Whether a benefit waits for a revision that would change a title, and the caller sees all of its titles.
#[boxed::future]
pub async fn is_revision_changing(app: &App, caller: &Session, benefit: BenefitCode) -> Result<bool, Error> {
    if !is_revision_waiting(app, caller, benefit).await? {
        return Ok(false);
    }
    match load_benefit_sources(app, caller, benefit).await {
        Err(Error::NotFound { .. }) => Ok(false),
        found => {
            let (sources, registers, today) = found?;
            Ok(plan_revision(&registers, &sources, today).totals().cancelled_titles > 0)
        }
    }
}
