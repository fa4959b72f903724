//! Writes the cases and claims of a batch of members, with their history.

use super::first_situation::ORIGIN;
use super::member_rows::MemberRows;
use super::members::SampleMemberBatch;
use app::situations::{RecordSituationChange, render_case_trigger_body};
use app::{ActorContext, Error};
use domain::{Benefit, Case, CaseHead, CaseKind, Claim, ClaimCode, HistoryCode, Moment, SituationCode};
use storage::cases::claims;
use storage::history::situation_changes::{self, NewHistoryRow};
use storage::{Statement, cases};

/// The first code of each kind for this batch; protocols use the same numbers.
#[derive(Clone, Copy)]
pub struct CaseCodeCounters {
    pub claim: i32,
    pub inspection: i32,
    pub ticket: i32,
    pub appointment: i32,
    pub history: i32,
}

impl CaseCodeCounters {
    fn take_next(&mut self, kind: CaseKind) -> i32 {
        let counter = match kind {
            CaseKind::Claim => &mut self.claim,
            CaseKind::Inspection => &mut self.inspection,
            CaseKind::Ticket => &mut self.ticket,
            CaseKind::Appointment => &mut self.appointment,
        };
        std::mem::replace(counter, *counter + 1)
    }
}

/// The first situation of every claim.
const OPEN: SituationCode = SituationCode::new(7);

/// How many cases of a kind a batch has.
pub fn count_cases(part: &SampleMemberBatch, kind: CaseKind) -> usize {
    let count_for_member = |member: &crate::people::SampleMember| match kind {
        CaseKind::Claim => member.claims.len(),
        _ => {
            let matching = member.cases.iter().filter(|one| one.kind == kind);
            matching.filter(|one| one.is_possible(&part.registers)).count()
        }
    };
    part.members.iter().map(count_for_member).sum()
}

pub fn count_situation_changes(part: &SampleMemberBatch) -> usize {
    let all: usize = CaseKind::ALL.into_iter().map(|kind| count_cases(part, kind)).sum();
    let moved = |member: &crate::people::SampleMember| {
        let claims = member.claims.iter().filter(|one| one.moved_at.is_some()).count();
        let moved_cases = member.cases.iter().filter(|one| one.moved_at.is_some());
        claims + moved_cases.filter(|one| one.is_possible(&part.registers)).count()
    };
    all + part.members.iter().map(moved).sum::<usize>()
}

/// A written case, with its first situation and the time of its move.
struct WrittenCase<'b> {
    code: i32,
    case: Case,
    benefit: Option<&'b Benefit>,
    began: SituationCode,
    moved_at: Option<Moment>,
}

pub fn build_case_statements(
    part: &SampleMemberBatch,
    rows: &[MemberRows<'_>],
    first: CaseCodeCounters,
) -> Result<Vec<Statement>, Error> {
    let (tenant, mut next) = (part.progress.tenant, first);
    let (mut all, mut pairs) = (Vec::new(), Vec::new());
    for (row, member) in rows.iter().zip(&part.members) {
        let first_claim = next.claim;
        for one in &member.claims {
            let code = next.take_next(CaseKind::Claim);
            let row_benefit = row.benefits.get(one.holding);
            let head = CaseHead {
                protocol: code,
                person: row.person,
                benefit: row_benefit.map(|row_benefit| row_benefit.code),
                ..one.claim.head.clone()
            };
            let claim = Claim { head, driver: one.drove.then_some(row.person), ..one.claim.clone() };
            let to = |to: &usize| (ClaimCode::new(code), ClaimCode::new(first_claim + *to as i32));
            pairs.extend(one.related.iter().map(to));
            let benefit = row_benefit.map(|row_benefit| &row_benefit.benefit);
            let case = Case::Claim(Box::new(claim));
            all.push(WrittenCase { code, case, benefit, began: OPEN, moved_at: one.moved_at });
        }
        for one in member.cases.iter().filter(|one| one.is_possible(&part.registers)) {
            let code = next.take_next(one.kind);
            let row_benefit = row.benefits.get(one.holding);
            let head = CaseHead {
                protocol: code,
                person: row.person,
                benefit: row_benefit.map(|row_benefit| row_benefit.code),
                ..one.head.clone()
            };
            let dependents: Vec<_> = row_benefit
                .map(|row_benefit| row_benefit.dependents.iter().map(|(code, _)| *code).collect())
                .unwrap_or_default();
            let case = one.build_case(&part.registers, head, &dependents);
            let benefit = row_benefit.map(|row_benefit| &row_benefit.benefit);
            all.push(WrittenCase {
                code,
                case,
                benefit,
                began: one.first_situation(),
                moved_at: one.moved_at,
            });
        }
    }
    let mut statements = Vec::new();
    for kind in CaseKind::ALL {
        let cases_of_kind = all.iter().filter(|one| one.case.kind() == kind).map(|one| (one.code, &one.case));
        statements.extend(cases::insert_cases(tenant, kind, cases_of_kind));
    }
    statements.extend(claims::insert_claim_relations(tenant, pairs));
    let changes = build_situation_changes(part, &all, first.history)?;
    statements.extend(situation_changes::insert_silent_entries(HistoryCode::new(first.history), changes));
    Ok(statements)
}

/// The first and the current situation, with the trigger bodies that a receiver would have got.
fn build_situation_changes(
    part: &SampleMemberBatch,
    all: &[WrittenCase<'_>],
    first: i32,
) -> Result<Vec<(NewHistoryRow, String)>, Error> {
    let mut changes = Vec::new();
    for one in all {
        let mut opened = one.case.clone();
        let head = opened.head_mut();
        (head.situation, head.closed_at) = (one.began, None);
        let at = head.opened_at;
        let code = first + changes.len() as i32;
        changes.push(build_situation_change(part, code, (one, &opened), None, at)?);
        if let Some(at) = one.moved_at {
            let code = first + changes.len() as i32;
            changes.push(build_situation_change(part, code, (one, &one.case), Some(one.began), at)?);
        }
    }
    Ok(changes)
}

fn build_situation_change(
    part: &SampleMemberBatch,
    history: i32,
    (written, case): (&WrittenCase<'_>, &Case),
    previous: Option<SituationCode>,
    at: Moment,
) -> Result<(NewHistoryRow, String), Error> {
    let context = ActorContext {
        tenant: part.progress.tenant,
        registers: &part.registers,
        user: None,
        operation: domain::AuditedOperation::LoadDemo,
        origin: ORIGIN,
        suppresses_triggers: false,
        now: at,
    };
    let change = RecordSituationChange {
        entity: case.kind().entity(),
        record: written.code,
        branch: case.head().branch,
        from: previous,
        to: case.head().situation,
        reason: None,
    };
    let body =
        render_case_trigger_body(&context, HistoryCode::new(history), written.code, case, written.benefit)?;
    Ok((change.into_history_row(&context), body))
}
