//! Cached texts of frequent searches. The text depends only on which criteria are given, not on their values, so it
//! is built once per shape, and the engines identify it by its address.

use super::found_rows;
use super::leading_criterion::LeadingMemberCriterion;
use crate::Statement;
use domain::{MemberCriteria, Scope, VisibleBranches};
use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// What the text of a search depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SearchShape {
    driver: LeadingMemberCriterion,
    /// One bit per given criterion.
    criteria_mask: u16,
    documents: usize,
    /// The number of branches that the caller is limited to.
    branches: Option<usize>,
}

impl SearchShape {
    pub fn from_criteria(
        scope: &Scope,
        criteria: &MemberCriteria,
        driver: LeadingMemberCriterion,
    ) -> SearchShape {
        let flags = [
            criteria.company_document.is_some(),
            criteria.person.is_some(),
            criteria.consultant.is_some(),
            criteria.representative.is_some(),
            criteria.registered_from.is_some(),
            criteria.registered_to.is_some(),
            criteria.born_on.is_some(),
            criteria.changed_from.is_some(),
            criteria.situation.is_some(),
            criteria.plate_key.is_some(),
            criteria.chassis.is_some(),
            criteria.plan.is_some(),
            criteria.state.is_some(),
        ];
        let mask = flags.into_iter().fold(0, |bits, flag| bits << 1 | u16::from(flag));
        let branches = match scope.branches() {
            VisibleBranches::All => None,
            VisibleBranches::Only(allowed) => Some(allowed.len()),
        };
        SearchShape { driver, criteria_mask: mask, documents: criteria.documents.len(), branches }
    }
}

/// Maximum number of cached shapes; other texts are built each time.
const MOST_CACHED_SHAPES: usize = 200;

static TEXTS: LazyLock<RwLock<HashMap<SearchShape, &'static str>>> = LazyLock::new(RwLock::default);

/// The statement that `append_conditions` appends to the start of a member search; its text is cached by shape.
pub fn build_cached_statement(
    shape: SearchShape,
    append_conditions: impl Fn(Statement) -> Statement,
) -> Statement {
    let known = TEXTS.read().unwrap_or_else(PoisonError::into_inner).get(&shape).copied();
    if let Some(text) = known {
        return append_conditions(Statement::from_known_text(text));
    }
    let statement = found_rows::build_member_search(append_conditions);
    let mut texts = TEXTS.write().unwrap_or_else(PoisonError::into_inner);
    if texts.len() < MOST_CACHED_SHAPES {
        texts.insert(shape, Box::leak(statement.text().to_owned().into_boxed_str()));
    }
    statement
}

#[cfg(test)]
mod tests {
    use crate::search::members::{LeadingMemberCriterion, build_key_search};
    use domain::{BranchCode, MemberCriteria, PersonCode, Role, Scope, TenantId};

    #[test]
    fn the_second_of_a_shape_is_as_the_first() {
        let tenant = TenantId::new(7);
        let limited_to = |count| Scope::for_role(tenant, Role::Operator, (1..=count).map(BranchCode::new));
        let criteria = MemberCriteria {
            plate_key: Some("ABC1D23".to_owned()),
            person: Some(PersonCode::new(5)),
            documents: vec!["1".to_owned()],
            ..MemberCriteria::default()
        };
        for scope in [Scope::for_tenant(tenant), limited_to(1), limited_to(3), limited_to(4)] {
            let statement = || build_key_search(&scope, &criteria, LeadingMemberCriterion::Plate, 0);
            let (first, second) = (statement(), statement());
            assert_eq!((first.text(), first.values()), (second.text(), second.values()));
            let last = format!("OFFSET ${}", first.values().len());
            assert!(first.text().ends_with(&last), "as many values as the text asks for: {}", first.text());
        }
        let other = MemberCriteria { person: None, ..criteria.clone() };
        let tenant_scope = Scope::for_tenant(tenant);
        let texts = [&criteria, &other].map(|one| {
            build_key_search(&tenant_scope, one, LeadingMemberCriterion::Plate, 0).text().to_owned()
        });
        assert_ne!(texts[0], texts[1]);
    }
}
