//! A title as another system tells of it, and the key by which it is found here.

use app::ActorContext;
use domain::finance::{ChargedMonth, LaunchKind, TitleSituation};
use domain::{
    BenefitCode, BranchCode, Date, Document, MirrorRecordConflict, PersonCode, TitleCode, TitleTypeCode,
};
use finance_storage::titles::StoredTitle;
use std::fmt::Display;

/// No key of an import begins like this: those that nobody gave begin with the code of a person, and no line may give one.
pub(crate) const KEY_PREFIX: &str = "mirror:";

/// A title as the other system tells of it. Person, branch and benefits have the same codes here.
#[derive(Clone, Debug)]
pub struct MirroredTitle {
    pub code: TitleCode,
    pub situation: TitleSituation,
    pub person: PersonCode,
    /// The document of the person there.
    pub document: Option<Document>,
    /// `None` if it is not named or does not exist here.
    pub branch: Option<BranchCode>,
    /// Its benefits by code, or else by sequence number.
    pub benefits: Vec<BenefitCode>,
    pub sequences: Vec<i32>,
    pub title_type: TitleTypeCode,
    /// In cents, as `paid`.
    pub amount: i64,
    /// What was paid of the amount.
    pub paid: i64,
    pub paid_on: Option<Date>,
    pub issued_on: Date,
    pub due_on: Date,
    /// The name of the type, if absent.
    pub description: Option<String>,
    pub note: Option<String>,
}

impl MirroredTitle {
    /// Whether the title comes though it is not here: if it is open, or settled and of a month that a run could charge.
    pub(crate) fn is_carried(&self, context: &ActorContext<'_>, today: Date) -> bool {
        match self.situation {
            TitleSituation::Open => true,
            TitleSituation::Settled => {
                let title_type = context.registers.money.title_type(self.title_type);
                let is_credit = title_type.is_some_and(|one| one.launch_kind == LaunchKind::Credit);
                is_credit && self.due_on >= ChargedMonth::of_day(today).first_day()
            }
            TitleSituation::Pending | TitleSituation::Cancelled => false,
        }
    }

    pub(crate) fn has_terms_of(&self, title: &StoredTitle) -> bool {
        self.person == title.person && self.due_on == title.original_due_on && self.amount == title.amount
    }
}

/// What became of a title of the other system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirroredTitleOutcome {
    pub is_written: bool,
    /// Why it is not as in the other system.
    pub conflicts: Vec<MirrorRecordConflict>,
}

impl MirroredTitleOutcome {
    pub(crate) fn report_conflict(conflict: MirrorRecordConflict) -> MirroredTitleOutcome {
        MirroredTitleOutcome { is_written: false, conflicts: vec![conflict] }
    }
}

pub(crate) fn build_mirror_key(code: impl Display) -> String {
    format!("{KEY_PREFIX}{code}")
}
