//! The badge of a situation: its name in its colour.

use app::register_snapshot::TenantRegisters;
use domain::SituationCode;

pub struct SituationBadge {
    pub code: i32,
    pub name: String,
}

pub fn build_situation_badge(registers: &TenantRegisters, code: SituationCode) -> SituationBadge {
    let name = registers.situation(code).map_or_else(String::new, |one| one.name.clone());
    SituationBadge { code: code.get(), name }
}
