//! `/gestao/financeiro/resumo`: what is open, late and received.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::render_cents;
use crate::extract::{AuthenticatedCaller, QueryRecord};
use crate::failure::RequestFailure;
use app::Error;
use app::session::Session;
use axum::extract;
use domain::display::format_month;
use domain::{BranchCode, InputField, Rejection};
use finance::{DueMonthSums, LATENESS_STEPS, MoneyOverview, OpenTitleSums};
use wire::records::{
    FaixaAtrasoTO, MesVencimentoTO, ResumoFinanceiroQuery, ResumoFinanceiroTO, TitulosAbertosTO,
};

/// `GET /gestao/financeiro/resumo`
pub async fn show_money_overview(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<ResumoFinanceiroQuery>,
) -> Result<JsonAnswer<ResumoFinanceiroTO>, RequestFailure> {
    let branch = query.branch.into_set();
    let overview = finance::read_money_overview(&state.app, &caller, branch).await?;
    refuse_unknown_branch(&caller, &overview, branch)?;
    Ok(JsonAnswer(render_overview(&overview)))
}

fn refuse_unknown_branch(
    caller: &Session,
    overview: &MoneyOverview,
    branch: Option<BranchCode>,
) -> Result<(), Error> {
    let is_unknown = |branch: &BranchCode| {
        !caller.scope.can_see(*branch) || overview.registers.branches.iter().all(|one| one.code != *branch)
    };
    match branch.filter(is_unknown) {
        Some(branch) => Err(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() }.into()),
        None => Ok(()),
    }
}

fn render_overview(overview: &MoneyOverview) -> ResumoFinanceiroTO {
    let received = overview.received;
    let starts = std::iter::once(0).chain(LATENESS_STEPS);
    let ends = LATENESS_STEPS.into_iter().map(Some).chain([None]);
    let steps = starts.zip(ends).zip(&overview.overdue).map(|((start, end), sums)| FaixaAtrasoTO {
        de_dias: start + 1,
        ate_dias: end,
        quantidade: sums.titles,
        valor: render_cents(sums.amount),
    });
    ResumoFinanceiroTO {
        dia: overview.today.to_br(),
        a_vencer: render_open(overview.not_due),
        vencidos: render_open(overview.all_overdue()),
        faixas: steps.collect(),
        recebido_no_mes: render_cents(received.this_month),
        recebido_no_mes_anterior: render_cents(received.last_month),
        recebido_no_mes_anterior_ate_o_dia: render_cents(received.last_month_so_far),
        meses: overview.due_months.iter().map(render_month).collect(),
    }
}

fn render_open(sums: OpenTitleSums) -> TitulosAbertosTO {
    TitulosAbertosTO { quantidade: sums.titles, valor: render_cents(sums.amount) }
}

fn render_month(sums: &DueMonthSums) -> MesVencimentoTO {
    MesVencimentoTO {
        mes: format_month(&sums.month),
        titulos: sums.titles,
        valor: render_cents(sums.charged),
        valor_aberto: render_cents(sums.open),
    }
}
