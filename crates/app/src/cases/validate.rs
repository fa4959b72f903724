//! Validation of a sent case against registers and members: collects every problem, not only the first, and applies the
//! fields to the stored case. References that a case already has may be inactive.

use super::{AnyCaseInput, show};
use crate::Error;
use crate::command::WriteCommand;
use crate::register_snapshot::TenantRegisters;
use crate::responsible_user::may_become_responsible;
use domain::{
    Benefit, BenefitCode, BranchCode, Case, CaseHead, CaseKind, ClaimCode, InputField, Moment, PersonCode,
    Rejection, Scope, SituationCode, SituationKind, UserCode, is_usable_reference,
};
use storage::{Tx, members};
use wire::read::FieldPatch;
use wire::records::CasoCampos;

pub(super) struct SentCaseValidator<'a> {
    pub tx: &'a mut Tx,
    pub registers: &'a TenantRegisters,
    pub scope: &'a Scope,
    pub now: Moment,
    pub problems: Vec<Rejection>,
}

/// A case ready to be written.
pub(super) struct ValidatedCase {
    pub case: Case,
    pub benefit: Option<Benefit>,
    /// Codes of the related claims.
    pub related: Vec<ClaimCode>,
}

impl<'a> SentCaseValidator<'a> {
    pub fn new<I>(tx: &'a mut Tx, command: &'a WriteCommand<I>) -> SentCaseValidator<'a> {
        SentCaseValidator {
            tx,
            registers: &command.registers,
            scope: &command.scope,
            now: command.now,
            problems: Vec::new(),
        }
    }

    pub fn refuse_unknown_code(&mut self, field: InputField, code: i32) {
        self.problems.push(Rejection::UnknownCode { field, code });
    }

    /// Builds a new case without its numbers; `None` if initial situation, person or branch is missing or invalid.
    #[boxed::future]
    pub async fn build_new_case(&mut self, input: &AnyCaseInput) -> Result<Option<ValidatedCase>, Error> {
        let (common, kind) = (input.common_fields(), input.kind());
        let initial_situation =
            self.registers.default_situation(kind.entity(), SituationKind::Open).map(|one| one.code);
        if initial_situation.is_none() {
            self.problems.push(Rejection::NoOpenSituation);
        }
        let person = self.find_person(common).await?;
        let benefit = match common.benefit {
            FieldPatch::Set(code) => {
                self.find_benefit(code, person.map(|(code, _)| code)).await?.map(|one| (code, one))
            }
            FieldPatch::Keep | FieldPatch::Clear => None,
        };
        let default_branch = benefit.as_ref().map(|(_, one)| one.branch).or(person.map(|(_, branch)| branch));
        let branch = self.choose_first_branch(common, default_branch);
        let mut case = build_unplaced_case(kind, self.now);
        let head = case.head_mut();
        head.benefit = benefit.as_ref().map(|(code, _)| *code);
        if let (Some(situation), Some((person, _)), Some(branch)) = (initial_situation, person, branch) {
            (head.situation, head.person, head.branch) = (situation, person, branch);
        }
        self.apply_responsible(common, None, branch, head).await?;
        let benefit = benefit.map(|(_, one)| one);
        let related =
            self.apply_kind_fields(input, &mut case, None, benefit.as_ref()).await?.unwrap_or_default();
        let is_complete = initial_situation.is_some() && person.is_some() && branch.is_some();
        Ok(is_complete.then_some(ValidatedCase { case, benefit, related }))
    }

    /// Builds the changed case. The input is validated even if there is no case with this code.
    #[boxed::future]
    pub async fn build_changed_case(
        &mut self,
        input: &AnyCaseInput,
        (code, before): (i32, Option<&Case>),
        related_before: &[ClaimCode],
    ) -> Result<Option<ValidatedCase>, Error> {
        let common = input.common_fields();
        if !matches!(common.version, FieldPatch::Set(_)) {
            self.problems.push(Rejection::Missing(InputField::Version));
        }
        let mut case = before.cloned().unwrap_or_else(|| build_unplaced_case(input.kind(), self.now));
        let stored_head = before.map(|before| before.head().clone());
        match (&common.person, &stored_head) {
            (FieldPatch::Set(person), Some(head)) if *person != head.person => {
                self.problems.push(Rejection::PersonFixed);
            }
            (FieldPatch::Clear, _) => self.problems.push(Rejection::PersonFixed),
            _ => {}
        }
        let benefit = self.change_benefit(common, stored_head.as_ref(), case.head_mut()).await?;
        self.change_branch(common, stored_head.as_ref(), case.head_mut());
        let branch = stored_head.is_some().then(|| case.head().branch);
        let current_responsible = stored_head.as_ref().and_then(|head| head.responsible);
        self.apply_responsible(common, current_responsible, branch, case.head_mut()).await?;
        let related = self
            .apply_kind_fields(input, &mut case, Some((code, before.is_some())), benefit.as_ref())
            .await?;
        let related = related.unwrap_or_else(|| related_before.to_vec());
        Ok(before.map(|_| ValidatedCase { case, benefit, related }))
    }

    async fn change_benefit(
        &mut self,
        common: &CasoCampos,
        stored_head: Option<&CaseHead>,
        head: &mut CaseHead,
    ) -> Result<Option<Benefit>, Error> {
        match common.benefit {
            FieldPatch::Set(code) if stored_head.and_then(|stored| stored.benefit) != Some(code) => {
                head.benefit = Some(code);
                return self.find_benefit(code, stored_head.map(|stored| stored.person)).await;
            }
            FieldPatch::Clear => head.benefit = None,
            FieldPatch::Set(_) | FieldPatch::Keep => {}
        }
        match head.benefit {
            Some(code) => show::find_case_benefit(self.tx, self.scope.tenant(), code).await,
            None => Ok(None),
        }
    }

    fn change_branch(&mut self, common: &CasoCampos, stored_head: Option<&CaseHead>, head: &mut CaseHead) {
        match common.branch {
            FieldPatch::Set(branch) if stored_head.is_none_or(|stored| stored.branch != branch) => {
                head.branch = self.require_usable_branch(branch).unwrap_or(head.branch);
            }
            FieldPatch::Clear => self.problems.push(Rejection::Missing(InputField::Branch)),
            FieldPatch::Set(_) | FieldPatch::Keep => {}
        }
    }

    /// The member and their branch.
    async fn find_person(&mut self, common: &CasoCampos) -> Result<Option<(PersonCode, BranchCode)>, Error> {
        let FieldPatch::Set(code) = common.person else {
            self.problems.push(Rejection::Missing(InputField::Person));
            return Ok(None);
        };
        let found = match members::is_person_visible(self.tx, self.scope, code).await? {
            true => members::find_person(&mut *self.tx, self.scope.tenant(), code).await?,
            false => None,
        };
        if found.is_none() {
            self.refuse_unknown_code(InputField::Person, code.get());
        }
        Ok(found.map(|person| (code, person.branch)))
    }

    /// Finds a benefit visible to the caller; it must belong to the member.
    async fn find_benefit(
        &mut self,
        code: BenefitCode,
        person: Option<PersonCode>,
    ) -> Result<Option<Benefit>, Error> {
        let found = storage::benefits::find_benefit(&mut *self.tx, self.scope, code).await?;
        match &found {
            None => self.refuse_unknown_code(InputField::Benefit, code.get()),
            Some(benefit) if person.is_some_and(|person| person != benefit.person) => {
                self.problems.push(Rejection::BenefitOfAnother(code));
            }
            Some(_) => {}
        }
        Ok(found)
    }

    /// The given branch, else the branch of the benefit or of the member if visible to the caller.
    fn choose_first_branch(
        &mut self,
        common: &CasoCampos,
        default_branch: Option<BranchCode>,
    ) -> Option<BranchCode> {
        match (&common.branch, default_branch) {
            (FieldPatch::Set(branch), _) => self.require_usable_branch(*branch),
            (_, Some(default_branch)) if self.scope.can_see(default_branch) => Some(default_branch),
            (_, Some(_)) => {
                self.problems.push(Rejection::Missing(InputField::Branch));
                None
            }
            // The reason is already among the problems.
            (_, None) => None,
        }
    }

    fn require_usable_branch(&mut self, branch: BranchCode) -> Option<BranchCode> {
        let is_usable = self.registers.is_usable_branch(self.scope, branch);
        if !is_usable {
            self.refuse_unknown_code(InputField::Branch, branch.get());
        }
        is_usable.then_some(branch)
    }

    async fn apply_responsible(
        &mut self,
        common: &CasoCampos,
        current: Option<UserCode>,
        branch: Option<BranchCode>,
        head: &mut CaseHead,
    ) -> Result<(), Error> {
        let requested = match common.responsible {
            FieldPatch::Keep => return Ok(()),
            FieldPatch::Clear => None,
            FieldPatch::Set(code) => Some(code),
        };
        head.responsible = requested;
        let Some(code) = requested else { return Ok(()) };
        if !may_become_responsible(self.tx, self.scope.tenant(), code, current, branch).await? {
            self.refuse_unknown_code(InputField::CaseResponsible, code.get());
        }
        Ok(())
    }

    /// The person must exist and be visible to the caller.
    #[boxed::future]
    pub async fn require_visible_person(&mut self, field: InputField, code: PersonCode) -> Result<(), Error> {
        if !members::is_person_visible(self.tx, self.scope, code).await? {
            self.refuse_unknown_code(field, code.get());
        }
        Ok(())
    }

    /// Applies a mandatory register code, which must be active.
    pub fn apply_required_code<C: Copy + PartialEq>(
        &mut self,
        patch: &FieldPatch<C>,
        value: &mut C,
        (field, is_new): (InputField, bool),
        (number, is_active): (impl Fn(C) -> i32, impl Fn(C) -> bool),
    ) {
        let current = if is_new { &[][..] } else { &[*value][..] };
        match patch {
            FieldPatch::Set(code) if is_usable_reference(*code, is_active(*code), current) => *value = *code,
            FieldPatch::Set(code) => self.refuse_unknown_code(field, number(*code)),
            FieldPatch::Keep if !is_new => {}
            FieldPatch::Keep | FieldPatch::Clear => self.problems.push(Rejection::Missing(field)),
        }
    }

    /// Applies an optional register code, which must be active.
    pub fn apply_optional_code<C: Copy + PartialEq>(
        &mut self,
        patch: &FieldPatch<C>,
        value: &mut Option<C>,
        field: InputField,
        (number, is_active): (impl Fn(C) -> i32, impl Fn(C) -> bool),
    ) {
        match patch {
            FieldPatch::Set(code) if is_usable_reference(*code, is_active(*code), value.as_slice()) => {
                *value = Some(*code);
            }
            FieldPatch::Set(code) => self.refuse_unknown_code(field, number(*code)),
            FieldPatch::Clear => *value = None,
            FieldPatch::Keep => {}
        }
    }

    /// Applies a value that cannot be cleared; a new case starts with a default.
    pub fn apply_required_choice<T: Copy>(
        &mut self,
        patch: &FieldPatch<T>,
        value: &mut T,
        (field, is_new): (InputField, bool),
    ) {
        match patch {
            FieldPatch::Set(new) => *value = *new,
            FieldPatch::Clear if !is_new => self.problems.push(Rejection::Missing(field)),
            FieldPatch::Clear | FieldPatch::Keep => {}
        }
    }
}

/// An empty case with placeholder codes.
fn build_unplaced_case(kind: CaseKind, now: Moment) -> Case {
    let placeholders = (BranchCode::new(0), PersonCode::new(0), SituationCode::new(0));
    super::kind_fields::build_blank_case(
        kind,
        CaseHead::from_opening(placeholders.0, placeholders.1, placeholders.2, now),
    )
}
