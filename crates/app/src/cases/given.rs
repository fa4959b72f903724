//! What was sent of a case, judged against the registers and the members: every problem is found, not the first alone, and
//! what was given is put onto the case as it is. What a case has already may be out of use meanwhile.

use super::{Input, read};
use crate::Error;
use crate::base::Registers;
use crate::benefits::Asked;
use domain::{
    BenefitCode, BranchCode, CaseKind, ClaimCode, Field, Moment, PersonCode, Rejection, Scope, SituationCode,
    SituationKind, UserCode,
};
use storage::benefits::Benefit;
use storage::cases::{Case, Head};
use storage::{Tx, people, users};
use wire::read::Given;
use wire::records::CasoCampos;

pub(super) struct Judge<'a> {
    pub tx: &'a mut Tx,
    pub registers: &'a Registers,
    pub scope: &'a Scope,
    pub now: Moment,
    pub problems: Vec<Rejection>,
}

/// What may be written.
pub(super) struct Ready {
    pub case: Case,
    pub benefit: Option<Benefit>,
    /// The claims that belong to it.
    pub related: Vec<ClaimCode>,
}

impl<'a> Judge<'a> {
    pub fn new<I>(tx: &'a mut Tx, asked: &'a Asked<I>) -> Judge<'a> {
        Judge { tx, registers: &asked.registers, scope: &asked.scope, now: asked.now, problems: Vec::new() }
    }

    pub fn unknown(&mut self, field: Field, code: i32) {
        self.problems.push(Rejection::UnknownCode { field, code });
    }

    /// A new case, but for what is counted; `None` where it cannot even be begun, for a reason that was told.
    #[boxed::future]
    pub async fn new_case(&mut self, input: &Input) -> Result<Option<Ready>, Error> {
        let (common, kind) = (input.common(), input.kind());
        let begins = self.registers.default_situation(kind.entity(), SituationKind::Open).map(|one| one.code);
        if begins.is_none() {
            self.problems.push(Rejection::NoOpenSituation);
        }
        let person = self.person(common).await?;
        let benefit = match common.benefit {
            Given::Set(code) => {
                self.benefit(code, person.map(|(code, _)| code)).await?.map(|one| (code, one))
            }
            Given::Keep | Given::Clear => None,
        };
        let home = benefit.as_ref().map(|(_, one)| one.branch).or(person.map(|(_, branch)| branch));
        let branch = self.first_branch(common, home);
        let mut case = blank(kind, self.now);
        let head = case.head_mut();
        head.benefit = benefit.as_ref().map(|(code, _)| *code);
        if let (Some(situation), Some((person, _)), Some(branch)) = (begins, person, branch) {
            (head.situation, head.person, head.branch) = (situation, person, branch);
        }
        self.responsible(common, None, branch, head).await?;
        let benefit = benefit.map(|(_, one)| one);
        let related = self.own(input, &mut case, None, benefit.as_ref()).await?.unwrap_or_default();
        let is_begun = begins.is_some() && person.is_some() && branch.is_some();
        Ok(is_begun.then_some(Ready { case, benefit, related }))
    }

    /// A case as it becomes. Where there is none of its code, what was sent is judged all the same.
    #[boxed::future]
    pub async fn changed_case(
        &mut self,
        input: &Input,
        (code, before): (i32, Option<&Case>),
        had: &[ClaimCode],
    ) -> Result<Option<Ready>, Error> {
        let common = input.common();
        if !matches!(common.version, Given::Set(_)) {
            self.problems.push(Rejection::Missing(Field::Version));
        }
        let mut case = before.cloned().unwrap_or_else(|| blank(input.kind(), self.now));
        let known = before.map(|before| before.head().clone());
        match (&common.person, &known) {
            (Given::Set(person), Some(head)) if *person != head.person => {
                self.problems.push(Rejection::PersonFixed);
            }
            (Given::Clear, _) => self.problems.push(Rejection::PersonFixed),
            _ => {}
        }
        let benefit = self.changed_benefit(common, known.as_ref(), case.head_mut()).await?;
        self.changed_branch(common, known.as_ref(), case.head_mut());
        let branch = known.is_some().then(|| case.head().branch);
        let had_responsible = known.as_ref().and_then(|head| head.responsible);
        self.responsible(common, had_responsible, branch, case.head_mut()).await?;
        let related = self.own(input, &mut case, Some((code, before.is_some())), benefit.as_ref()).await?;
        let related = related.unwrap_or_else(|| had.to_vec());
        Ok(before.map(|_| Ready { case, benefit, related }))
    }

    async fn changed_benefit(
        &mut self,
        common: &CasoCampos,
        known: Option<&Head>,
        head: &mut Head,
    ) -> Result<Option<Benefit>, Error> {
        match common.benefit {
            Given::Set(code) if known.and_then(|known| known.benefit) != Some(code) => {
                head.benefit = Some(code);
                return self.benefit(code, known.map(|known| known.person)).await;
            }
            Given::Clear => head.benefit = None,
            Given::Set(_) | Given::Keep => {}
        }
        match head.benefit {
            Some(code) => read::benefit(self.tx, self.scope.tenant(), code).await,
            None => Ok(None),
        }
    }

    fn changed_branch(&mut self, common: &CasoCampos, known: Option<&Head>, head: &mut Head) {
        match common.branch {
            Given::Set(branch) if known.is_none_or(|known| known.branch != branch) => {
                head.branch = self.usable_branch(branch).unwrap_or(head.branch);
            }
            Given::Clear => self.problems.push(Rejection::Missing(Field::Branch)),
            Given::Set(_) | Given::Keep => {}
        }
    }

    /// The member, and where he belongs.
    async fn person(&mut self, common: &CasoCampos) -> Result<Option<(PersonCode, BranchCode)>, Error> {
        let Given::Set(code) = common.person else {
            self.problems.push(Rejection::Missing(Field::Person));
            return Ok(None);
        };
        let found = match people::is_visible(self.tx, self.scope, code).await? {
            true => people::by_code(&mut *self.tx, self.scope.tenant(), code).await?,
            false => None,
        };
        if found.is_none() {
            self.unknown(Field::Person, code.get());
        }
        Ok(found.map(|person| (code, person.branch)))
    }

    /// A benefit of the member that the caller may see.
    async fn benefit(
        &mut self,
        code: BenefitCode,
        person: Option<PersonCode>,
    ) -> Result<Option<Benefit>, Error> {
        let found = storage::benefits::find(&mut *self.tx, self.scope, code).await?;
        match &found {
            None => self.unknown(Field::Benefit, code.get()),
            Some(benefit) if person.is_some_and(|person| person != benefit.person) => {
                self.problems.push(Rejection::BenefitOfAnother(code));
            }
            Some(_) => {}
        }
        Ok(found)
    }

    /// The one that was sent; else where the benefit or the member belongs, if the caller works there.
    fn first_branch(&mut self, common: &CasoCampos, home: Option<BranchCode>) -> Option<BranchCode> {
        match (&common.branch, home) {
            (Given::Set(branch), _) => self.usable_branch(*branch),
            (_, Some(home)) if self.scope.sees(home) => Some(home),
            (_, Some(_)) => {
                self.problems.push(Rejection::Missing(Field::Branch));
                None
            }
            // Why there is none was told.
            (_, None) => None,
        }
    }

    fn usable_branch(&mut self, branch: BranchCode) -> Option<BranchCode> {
        let is_usable = self.registers.is_usable(self.scope, branch);
        if !is_usable {
            self.unknown(Field::Branch, branch.get());
        }
        is_usable.then_some(branch)
    }

    /// Whoever is to see to a case must be able to see it. One who has it already may have left meanwhile.
    async fn responsible(
        &mut self,
        common: &CasoCampos,
        had: Option<UserCode>,
        branch: Option<BranchCode>,
        head: &mut Head,
    ) -> Result<(), Error> {
        let given = match common.responsible {
            Given::Keep => return Ok(()),
            Given::Clear => None,
            Given::Set(code) => Some(code),
        };
        head.responsible = given;
        let Some(code) = given.filter(|given| had != Some(*given)) else { return Ok(()) };
        let found = users::find(&mut *self.tx, self.scope.tenant(), code).await?;
        let fits = found.is_some_and(|user| {
            let works = |branch| user.role.has_every_branch() || user.branches.contains(&branch);
            user.active && branch.is_none_or(works)
        });
        if !fits {
            self.unknown(Field::CaseResponsible, code.get());
        }
        Ok(())
    }

    /// Somebody whom the association knows, and the caller may see.
    #[boxed::future]
    pub async fn visible(&mut self, field: Field, code: PersonCode) -> Result<(), Error> {
        if !people::is_visible(self.tx, self.scope, code).await? {
            self.unknown(field, code.get());
        }
        Ok(())
    }

    /// A code that a case must have: of a register, in use.
    pub fn needed<C: Copy + PartialEq>(
        &mut self,
        given: &Given<C>,
        value: &mut C,
        (field, is_new): (Field, bool),
        (number, usable): (impl Fn(C) -> i32, impl Fn(C) -> bool),
    ) {
        match given {
            Given::Set(code) if !is_new && code == value => {}
            Given::Set(code) if usable(*code) => *value = *code,
            Given::Set(code) => self.unknown(field, number(*code)),
            Given::Keep if !is_new => {}
            Given::Keep | Given::Clear => self.problems.push(Rejection::Missing(field)),
        }
    }

    /// A code that a case may have: of a register, in use.
    pub fn possible<C: Copy + PartialEq>(
        &mut self,
        given: &Given<C>,
        value: &mut Option<C>,
        field: Field,
        (number, usable): (impl Fn(C) -> i32, impl Fn(C) -> bool),
    ) {
        match given {
            Given::Set(code) if Some(*code) == *value => {}
            Given::Set(code) if usable(*code) => *value = Some(*code),
            Given::Set(code) => self.unknown(field, number(*code)),
            Given::Clear => *value = None,
            Given::Keep => {}
        }
    }

    /// A value that a case always has, and a new one from the beginning.
    pub fn always<T: Copy>(&mut self, given: &Given<T>, value: &mut T, (field, is_new): (Field, bool)) {
        match given {
            Given::Set(new) => *value = *new,
            Given::Clear if !is_new => self.problems.push(Rejection::Missing(field)),
            Given::Clear | Given::Keep => {}
        }
    }
}

/// A case of which nothing is known yet.
fn blank(kind: CaseKind, now: Moment) -> Case {
    let nowhere = (BranchCode::new(0), PersonCode::new(0), SituationCode::new(0));
    super::own::blank(kind, Head::opened(nowhere.0, nowhere.1, nowhere.2, now))
}
