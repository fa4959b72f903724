//! What may be chosen in the form of a case.

use super::Filled;
use crate::cases::list::staff;
use crate::cases::types;
use crate::person::STATES;
use crate::visitor::Guest;
use app::base::Registers;
use app::benefits::Benefit;
use app::cases::Case;
use app::people::{self, View};
use app::{App, Error, dependents};
use domain::{BenefitCode, CaseKind};
use std::sync::Arc;
use wire::names;

/// What the choices of a form are made of.
pub struct Context {
    kind: CaseKind,
    pub registers: Arc<Registers>,
    branches: Vec<(String, String)>,
    staff: Vec<(String, String)>,
    benefits: Vec<(String, String)>,
    dependents: Vec<(String, String)>,
    drivers: Vec<(String, String)>,
    pub holder: String,
}

impl Context {
    pub async fn of(app: &App, guest: &Guest, kind: CaseKind, filled: &Filled) -> Result<Context, Error> {
        let caller = guest.session();
        let registers = app::base::registers(app, caller.scope.tenant()).await?;
        // Whoever sees a case need not see its member, who may belong to another branch.
        let view = match people::member_whole(app, caller, filled.person).await {
            Ok(view) => Some(view),
            Err(Error::NoSuch { .. }) if filled.had.is_some() => None,
            Err(error) => return Err(error),
        };
        let told = filled.had.as_ref().map(|had| &had.told);
        let holder = view.as_ref().map(|view| view.profile.name.clone());
        let holder = holder.or_else(|| told.map(|told| told.name.clone())).unwrap_or_default();
        let branches = registers.branches_of(&caller.scope);
        Ok(Context {
            kind,
            branches: branches.map(|one| (one.code.to_string(), one.name.clone())).collect(),
            staff: responsibles(app, guest, filled).await?,
            benefits: benefits(&registers, view.as_ref(), filled),
            dependents: match kind {
                CaseKind::Appointment => going(app, guest, filled).await?,
                _ => Vec::new(),
            },
            drivers: drivers(filled, &holder),
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
            "codClinica" => {
                named(self.registers.clinics.iter().map(|one| (one.active, one.code.get(), &one.name)))
            }
            "codMedico" => {
                named(self.registers.doctors.iter().map(|one| (one.active, one.code.get(), &one.name)))
            }
            "codTipoEvento" | "codTipoVistoria" | "codTipoHelpDesk" | "codEspecialidade" => {
                types(&self.registers, self.kind)
            }
            "prioridade" => domain::Priority::ALL.iter().map(|one| same(names::priority(*one))).collect(),
            "envolvido" => domain::Involved::ALL.iter().map(|one| same(names::involved(*one))).collect(),
            "local.uf" => STATES.iter().map(|state| same(state)).collect(),
            _ => Vec::new(),
        }
    }
}

fn named<'r>(all: impl Iterator<Item = (bool, i32, &'r String)>) -> Vec<(String, String)> {
    all.filter(|(active, ..)| *active).map(|(_, code, name)| (code.to_string(), name.clone())).collect()
}

/// Those who may see to it, and whoever does already.
async fn responsibles(app: &App, guest: &Guest, filled: &Filled) -> Result<Vec<(String, String)>, Error> {
    let mut all = staff(app, guest).await?;
    if let Some(told) = filled.had.as_ref().map(|had| &had.told)
        && let (Some(code), Some(name)) = (told.case.head().responsible, &told.responsible)
        && !all.iter().any(|(known, _)| *known == code.to_string())
    {
        all.push((code.to_string(), name.clone()));
    }
    Ok(all)
}

/// The benefits of the member, and the one that it is about, whoever sees it.
fn benefits(registers: &Registers, view: Option<&View>, filled: &Filled) -> Vec<(String, String)> {
    let all = view.into_iter().flat_map(|view| &view.benefits);
    let line = |(code, one): &(BenefitCode, Benefit)| {
        (code.to_string(), format!("{} (nº {})", crate::benefit::what(registers, one), one.sequence))
    };
    let mut all: Vec<_> = all.map(line).collect();
    if let Some(had) = &filled.had
        && let Some(code) = had.told.case.head().benefit
        && !all.iter().any(|(known, _)| *known == code.to_string())
    {
        all.push((code.to_string(), had.benefit.clone().unwrap_or_default()));
    }
    all
}

fn drivers(filled: &Filled, holder: &str) -> Vec<(String, String)> {
    let mut all = vec![(filled.person.to_string(), format!("{holder} (o próprio associado)"))];
    if let Some(had) = &filled.had
        && let Case::Claim(claim) = &had.told.case
        && let (Some(driver), Some(name)) = (claim.driver, &had.other)
        && driver != filled.person
    {
        all.push((driver.to_string(), name.clone()));
    }
    all
}

/// The dependents of the benefit that is chosen.
async fn going(app: &App, guest: &Guest, filled: &Filled) -> Result<Vec<(String, String)>, Error> {
    let chosen = filled.values.get("codBeneficio").and_then(|text| text.parse().ok()).map(BenefitCode::new);
    let Some(benefit) = chosen else { return Ok(Vec::new()) };
    match dependents::list(app, guest.session(), benefit).await {
        Ok(all) => Ok(all.rows.iter().map(|(code, one)| (code.to_string(), one.name.clone())).collect()),
        Err(Error::NoSuch { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
