//! Choices in the form of a case.

use super::EditCaseState;
use crate::pages::cases::list::list_staff_choices;
use crate::pages::cases::list_active_types;
use crate::session::signed_in_user::SignedInUser;
use app::benefits::describe_stored_benefit;
use app::members::dependents;
use app::members::{self, MemberView};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use domain::{Benefit, BenefitCode, Case, CaseKind, Uf};
use std::sync::Arc;
use wire::set_names;

/// Data from which the choices are built.
pub struct FormChoiceContext {
    kind: CaseKind,
    pub registers: Arc<TenantRegisters>,
    branches: Vec<(String, String)>,
    staff: Vec<(String, String)>,
    benefits: Vec<(String, String)>,
    dependents: Vec<(String, String)>,
    drivers: Vec<(String, String)>,
    pub holder: String,
}

impl FormChoiceContext {
    pub async fn load(
        app: &App,
        user: &SignedInUser,
        kind: CaseKind,
        filled: &EditCaseState,
    ) -> Result<FormChoiceContext, Error> {
        let caller = user.session();
        let registers = app::register_snapshot::load_registers(app, caller.scope.tenant()).await?;
        // A user who may see a case may lack access to its member, who can belong to another branch.
        let view = match members::read_member(app, caller, filled.person).await {
            Ok(view) => Some(view),
            Err(Error::NotFound { .. }) if filled.stored_case.is_some() => None,
            Err(error) => return Err(error),
        };
        let item = filled.stored_case.as_ref().map(|existing| &existing.resolved_case);
        let holder = view.as_ref().map(|view| view.profile.name.clone());
        let holder = holder.or_else(|| item.map(|item| item.name.clone())).unwrap_or_default();
        let branches = registers.usable_branches(&caller.scope);
        Ok(FormChoiceContext {
            kind,
            branches: branches.map(|one| (one.code.to_string(), one.name.clone())).collect(),
            staff: list_responsible_users(app, user, filled).await?,
            benefits: list_benefit_choices(&registers, view.as_ref(), filled),
            dependents: match kind {
                CaseKind::Appointment => list_dependent_choices(app, user, filled).await?,
                _ => Vec::new(),
            },
            drivers: list_driver_choices(filled, &holder),
            holder,
            registers,
        })
    }

    pub fn choices(&self, name: &str) -> Vec<(String, String)> {
        let same = |text: &str| (text.to_owned(), text.to_owned());
        match name {
            "codLoja" => self.branches.clone(),
            "codResponsavel" => self.staff.clone(),
            "codBeneficio" => self.benefits.clone(),
            "codDependente" => self.dependents.clone(),
            "codCondutor" => self.drivers.clone(),
            "codClinica" => list_active_choices(
                self.registers.clinics.iter().map(|one| (one.active, one.code.get(), &one.name)),
            ),
            "codMedico" => list_active_choices(
                self.registers.doctors.iter().map(|one| (one.active, one.code.get(), &one.name)),
            ),
            "codTipoEvento" | "codTipoVistoria" | "codTipoHelpDesk" | "codEspecialidade" => {
                list_active_types(&self.registers, self.kind)
            }
            "prioridade" => domain::Priority::ALL.iter().map(|one| same(set_names::priority(*one))).collect(),
            "envolvido" => domain::Involved::ALL.iter().map(|one| same(set_names::involved(*one))).collect(),
            "local.uf" => Uf::NAMES.iter().map(|state| same(state)).collect(),
            _ => Vec::new(),
        }
    }
}

fn list_active_choices<'r>(all: impl Iterator<Item = (bool, i32, &'r String)>) -> Vec<(String, String)> {
    all.filter(|(active, ..)| *active).map(|(_, code, name)| (code.to_string(), name.clone())).collect()
}

/// Users who may be assigned, and the current assignee.
async fn list_responsible_users(
    app: &App,
    user: &SignedInUser,
    filled: &EditCaseState,
) -> Result<Vec<(String, String)>, Error> {
    let mut all = list_staff_choices(app, user).await?;
    if let Some(item) = filled.stored_case.as_ref().map(|existing| &existing.resolved_case)
        && let (Some(code), Some(name)) = (item.case.head().responsible, &item.responsible)
        && !all.iter().any(|(known, _)| *known == code.to_string())
    {
        all.push((code.to_string(), name.clone()));
    }
    Ok(all)
}

/// The member's benefits, and the one the case already has, even if the user has no access to it.
fn list_benefit_choices(
    registers: &TenantRegisters,
    view: Option<&MemberView>,
    filled: &EditCaseState,
) -> Vec<(String, String)> {
    let all = view.into_iter().flat_map(|view| &view.benefits);
    let line = |(code, one): &(BenefitCode, Benefit)| {
        (code.to_string(), format!("{} (nº {})", describe_stored_benefit(registers, one), one.sequence))
    };
    let mut all: Vec<_> = all.map(line).collect();
    if let Some(existing) = &filled.stored_case
        && let Some(code) = existing.resolved_case.case.head().benefit
        && !all.iter().any(|(known, _)| *known == code.to_string())
    {
        all.push((code.to_string(), existing.benefit.clone().unwrap_or_default()));
    }
    all
}

fn list_driver_choices(filled: &EditCaseState, holder: &str) -> Vec<(String, String)> {
    let mut all = vec![(filled.person.to_string(), format!("{holder} (o próprio associado)"))];
    if let Some(existing) = &filled.stored_case
        && let Case::Claim(claim) = &existing.resolved_case.case
        && let (Some(driver), Some(name)) = (claim.driver, &existing.other)
        && driver != filled.person
    {
        all.push((driver.to_string(), name.clone()));
    }
    all
}

/// Dependents of the chosen benefit.
async fn list_dependent_choices(
    app: &App,
    user: &SignedInUser,
    filled: &EditCaseState,
) -> Result<Vec<(String, String)>, Error> {
    let chosen = filled.values.get("codBeneficio").and_then(|text| text.parse().ok()).map(BenefitCode::new);
    let Some(benefit) = chosen else { return Ok(Vec::new()) };
    match dependents::list_benefit_dependents(app, user.session(), benefit).await {
        Ok(all) => Ok(all.rows.iter().map(|(code, one)| (code.to_string(), one.name.clone())).collect()),
        Err(Error::NotFound { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
