//! `/console/financeiro/cobrancas`: the charging run of a month, step by step: what is charged, the preview, the approval,
//! the issue, and the way back. The server works on a run in the background; its page says how far it is.

mod actions;
mod benefits;
mod list;
mod show;

use crate::page_route::{PageRoute, routes};
use crate::widgets::formats::format_month;
use app::register_snapshot::TenantRegisters;
use finance::charging::{ChargingRunState, NotChargedReason, StoredChargingRun};

pub fn list_charging_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/financeiro/cobrancas"                    SignedIn    list::show_run_list;
        post "/console/financeiro/cobrancas"                    SignedIn    list::prepare_new_run;
        get  "/console/financeiro/cobrancas/{codigo}"           SignedIn    show::show_run_page;
        post "/console/financeiro/cobrancas/{codigo}/aprovar"   RunApprover actions::approve_run;
        post "/console/financeiro/cobrancas/{codigo}/descartar" SignedIn    actions::discard_run;
        post "/console/financeiro/cobrancas/{codigo}/desfazer"  RunApprover actions::undo_run;
    }
}

/// The state of a run as a badge: its name and its class.
const fn label_run_state(state: ChargingRunState) -> (&'static str, &'static str) {
    match state {
        ChargingRunState::Preparing => ("Preparando a prévia", ""),
        ChargingRunState::Prepared => ("Espera aprovação", "warn"),
        ChargingRunState::Issuing => ("Emitindo os títulos", ""),
        ChargingRunState::Issued => ("Emitida", "fine"),
        ChargingRunState::Undoing => ("Desfazendo", ""),
        ChargingRunState::Undone => ("Desfeita", ""),
        ChargingRunState::Discarded => ("Descartada", ""),
    }
}

pub const fn label_reason(reason: NotChargedReason) -> &'static str {
    match reason {
        NotChargedReason::Left => "Já saiu: o benefício foi cancelado",
        NotChargedReason::SituationNotCharged => "A situação do benefício não é cobrada",
        NotChargedReason::NoDueDay => "Sem dia de vencimento",
        NotChargedReason::JoinedAfterCutOff => "Entrou depois do dia de corte",
        NotChargedReason::AlreadyCharged => "O mês já foi cobrado",
        NotChargedReason::CoveredByBooklet => "O mês já está em um carnê",
        NotChargedReason::NoPrice => "Sem preço: nem valor combinado, nem tabela, nem plano",
        NotChargedReason::FullyDiscounted => "Os descontos cobrem tudo",
        NotChargedReason::ChangedSincePreview => "O benefício mudou depois da prévia",
        NotChargedReason::NotUsable => "O grupo ou um item da cobrança está inativo",
        NotChargedReason::OneOffChargeGone => "Um lançamento avulso mudou depois da prévia",
        NotChargedReason::AddedSincePreview => {
            "Passou a fazer parte da cobrança depois da prévia: prepare outra do mês para ele"
        }
        NotChargedReason::TitleOutsideRuns => "O mês já tem um título, importado ou emitido à mão",
        NotChargedReason::OneOffChargeLeft => {
            "A situação não é cobrada, mas há um lançamento avulso à espera: emita um título para ele em “Próxima cobrança”"
        }
    }
}

/// Of which benefits a run is: `Todos os benefícios`, or `Loja Centro, vencimento no dia 10`.
fn describe_run_scope(registers: &TenantRegisters, run: &StoredChargingRun) -> String {
    let scope = &run.scope;
    let group = scope.group.and_then(|code| registers.money.groups.iter().find(|one| one.code == code));
    let parts = [
        group.map(|group| format!("grupo {}", group.name)),
        scope.branch.map(|branch| format!("loja {}", registers.branch_name(branch))),
        scope.due_day.map(|day| format!("vencimento no dia {day}")),
        (run.instalments > 1).then(|| format!("carnê de {} parcelas", run.instalments)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "todos os benefícios".to_owned() } else { parts.join(", ") }
}

/// `dezembro de 2026`
fn name_month(run: &StoredChargingRun) -> String {
    format_month(&run.month.to_iso())
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] = &[list::CASES, show::CASES];
