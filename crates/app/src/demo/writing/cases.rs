//! Writes what is worked on for the members that are being written, with its history.

use super::{ORIGIN, Part, Row};
use crate::Error;
use crate::situations::Acting;
use crate::situations::cases::body;
use domain::{CaseKind, ClaimCode, HistoryCode, Moment, SituationCode};
use storage::Statement;
use storage::benefits::Benefit;
use storage::cases::{self, Case, Head};
use storage::claims::{self, Claim};
use storage::history::{self, Change};

/// The first of each kind that these take; their protocols are the same.
#[derive(Clone, Copy)]
pub struct Codes {
    pub claim: i32,
    pub inspection: i32,
    pub ticket: i32,
    pub appointment: i32,
    pub history: i32,
}

impl Codes {
    fn next(&mut self, kind: CaseKind) -> i32 {
        let counter = match kind {
            CaseKind::Claim => &mut self.claim,
            CaseKind::Inspection => &mut self.inspection,
            CaseKind::Ticket => &mut self.ticket,
            CaseKind::Appointment => &mut self.appointment,
        };
        std::mem::replace(counter, *counter + 1)
    }
}

/// Where every claim begins.
const OPEN: SituationCode = SituationCode::new(7);

/// How many of a kind a part has, and how many changes of situation all of them have together.
pub fn count(part: &Part, kind: CaseKind) -> usize {
    let of_member = |member: &super::Member| match kind {
        CaseKind::Claim => member.claims.len(),
        _ => {
            let own = member.cases.iter().filter(|one| one.kind == kind);
            own.filter(|one| one.is_possible(&part.registers)).count()
        }
    };
    part.members.iter().map(of_member).sum()
}

pub fn count_changes(part: &Part) -> usize {
    let all: usize = CaseKind::ALL.into_iter().map(|kind| count(part, kind)).sum();
    let moved = |member: &super::Member| {
        let claims = member.claims.iter().filter(|one| one.moved_at.is_some()).count();
        let own = member.cases.iter().filter(|one| one.moved_at.is_some());
        claims + own.filter(|one| one.is_possible(&part.registers)).count()
    };
    all + part.members.iter().map(moved).sum::<usize>()
}

/// A case that was written, with where it began and when it moved on.
struct Written<'b> {
    code: i32,
    case: Case,
    benefit: Option<&'b Benefit>,
    began: SituationCode,
    moved_at: Option<Moment>,
}

pub fn statements(part: &Part, rows: &[Row<'_>], first: Codes) -> Result<Vec<Statement>, Error> {
    let (tenant, mut next) = (part.known.tenant, first);
    let (mut all, mut pairs) = (Vec::new(), Vec::new());
    for (row, member) in rows.iter().zip(&part.members) {
        let own = next.claim;
        for one in &member.claims {
            let code = next.next(CaseKind::Claim);
            let given = row.benefits.get(one.holding);
            let head = Head {
                protocol: code,
                person: row.person,
                benefit: given.map(|given| given.code),
                ..one.claim.head.clone()
            };
            let claim = Claim { head, driver: one.drove.then_some(row.person), ..one.claim.clone() };
            let to = |to: &usize| (ClaimCode::new(code), ClaimCode::new(own + *to as i32));
            pairs.extend(one.related.iter().map(to));
            let benefit = given.map(|given| &given.benefit);
            let case = Case::Claim(Box::new(claim));
            all.push(Written { code, case, benefit, began: OPEN, moved_at: one.moved_at });
        }
        for one in member.cases.iter().filter(|one| one.is_possible(&part.registers)) {
            let code = next.next(one.kind);
            let given = row.benefits.get(one.holding);
            let head = Head {
                protocol: code,
                person: row.person,
                benefit: given.map(|given| given.code),
                ..one.head.clone()
            };
            let dependents: Vec<_> = given
                .map(|given| given.dependents.iter().map(|(code, _)| *code).collect())
                .unwrap_or_default();
            let case = one.case(&part.registers, head, &dependents);
            let benefit = given.map(|given| &given.benefit);
            all.push(Written { code, case, benefit, began: one.began(), moved_at: one.moved_at });
        }
    }
    let mut statements = Vec::new();
    for kind in CaseKind::ALL {
        let own = all.iter().filter(|one| one.case.kind() == kind).map(|one| (one.code, &one.case));
        statements.extend(cases::insert(tenant, kind, own));
    }
    statements.extend(claims::relate(tenant, pairs));
    let told = changes(part, &all, first.history)?;
    statements.extend(history::insert_quietly(HistoryCode::new(first.history), told));
    Ok(statements)
}

/// Its first situation, and the one that it stands in, with the bodies that a receiver would have been sent.
fn changes(part: &Part, all: &[Written<'_>], first: i32) -> Result<Vec<(Change, String)>, Error> {
    let mut told = Vec::new();
    for one in all {
        let mut opened = one.case.clone();
        let head = opened.head_mut();
        (head.situation, head.closed_at) = (one.began, None);
        let at = head.opened_at;
        let code = first + told.len() as i32;
        told.push(change(part, code, (one, &opened), None, at)?);
        if let Some(at) = one.moved_at {
            let code = first + told.len() as i32;
            told.push(change(part, code, (one, &one.case), Some(one.began), at)?);
        }
    }
    Ok(told)
}

fn change(
    part: &Part,
    history: i32,
    (written, case): (&Written<'_>, &Case),
    from: Option<SituationCode>,
    at: Moment,
) -> Result<(Change, String), Error> {
    let acting = Acting {
        tenant: part.known.tenant,
        registers: &part.registers,
        user: None,
        operation: ORIGIN,
        origin: ORIGIN,
        quiet: false,
        now: at,
    };
    let change = Change {
        tenant: acting.tenant,
        entity: case.kind().entity(),
        record: written.code,
        branch: case.head().branch,
        from,
        to: case.head().situation,
        user: None,
        reason: None,
        origin: ORIGIN,
        at,
    };
    let body = body(&acting, (HistoryCode::new(history), at), written.code, case, written.benefit)?;
    Ok((change, body))
}
