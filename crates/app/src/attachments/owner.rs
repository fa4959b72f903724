//! The record that a file is attached to, and whether the caller may see it.

use crate::Error;
use domain::{FileOwner, InputField, PersonCode, Rejection, Scope};
use storage::attachments::AttachedFile;
use storage::{Tx, cases, members};
/// The record that files belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOwnerRecord {
    pub of: FileOwner,
    pub record: i32,
}

impl FileOwnerRecord {
    pub(super) fn of_file(file: &AttachedFile) -> FileOwnerRecord {
        FileOwnerRecord { of: file.owner, record: file.record }
    }

    pub(super) fn reject_unknown(self) -> Error {
        let field = match self.of {
            FileOwner::Claim => InputField::Claim,
            FileOwner::Inspection => InputField::Inspection,
            FileOwner::Ticket => InputField::Ticket,
            FileOwner::Member => InputField::Person,
        };
        Error::NotFound { field, code: self.record }
    }

    /// The person the record is about, if the scope sees it, and whether the scope may change the record.
    pub(super) async fn find_visible_person(
        self,
        tx: &mut Tx,
        scope: &Scope,
    ) -> Result<Option<(PersonCode, bool)>, Error> {
        if let Some(kind) = self.of.case_kind() {
            let found = cases::find_case(tx, scope, kind, self.record).await?;
            return Ok(found.map(|view| (view.case.head().person, true)));
        }
        let code = PersonCode::new(self.record);
        if !members::is_person_visible(tx, scope, code).await? {
            return Ok(None);
        }
        let found = members::find_person(&mut *tx, scope.tenant(), code).await?;
        // A scope that sees the member only through a benefit may not change the member.
        Ok(found.filter(|member| member.is_member).map(|member| (code, scope.can_see(member.branch))))
    }

    /// The person the record is about, if the scope may change the record.
    pub(super) async fn authorize_change(self, tx: &mut Tx, scope: &Scope) -> Result<PersonCode, Error> {
        match self.find_visible_person(tx, scope).await? {
            None => Err(self.reject_unknown()),
            Some((_, false)) => Err(Rejection::PersonElsewhere.into()),
            Some((person, true)) => Ok(person),
        }
    }
}
