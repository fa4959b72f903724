//! `/gestao/financeiro/revisao`: changed benefits with titles that are not yet due.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::render_cents;
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::{TenantRegisters, load_registers};
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, PAGE_SIZE, TitleCode, display};
use finance::charging::revision::{
    self, AppliedRevision, PlannedTitle, RevisedTitle, TitleRevision, TitleRevisionOutcome, WaitingRevision,
};
use wire::read::{self, BoundedInt};
use wire::records::{
    ListPage, MotivoFinanceiroInput, RevisaoAplicadaTO, RevisaoInput, RevisaoNovoTO, RevisaoQuery,
    RevisaoResumoTO, RevisaoTO, RevisaoTituloTO,
};
use wire::set_names;

/// `GET /gestao/financeiro/revisao`
pub async fn list_revisions(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<RevisaoQuery>,
) -> Result<JsonAnswer<ListPage<RevisaoResumoTO>>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let page = query.page.into_set().map_or(1, BoundedInt::get);
    let found = revision::list_revisions(&state.app, &caller, i64::from(page - 1) * PAGE_SIZE).await?;
    let items = found.benefits.iter().map(|one| render_waiting(&registers, one)).collect();
    Ok(JsonAnswer(ListPage::new(items, page, found.total)))
}

/// `GET /gestao/financeiro/revisao/{codBeneficio}`
pub async fn show_revision(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
) -> Result<JsonAnswer<RevisaoTO>, RequestFailure> {
    let found = revision::read_revision(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_revision(&found)))
}

/// `PUT /gestao/financeiro/revisao/{codBeneficio}/aplicar`
pub async fn apply_revision(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(benefit, input): (BenefitCode, RevisaoInput), once| {
        revision::apply_revision(&state.app, &caller, (benefit, input.seen.as_str().to_owned()), once)
    };
    write.answer(&state, &caller, read, act, render_applied).await
}

/// `PUT /gestao/financeiro/revisao/{codBeneficio}/manter`
pub async fn dismiss_revision(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(benefit, input): (BenefitCode, MotivoFinanceiroInput), once| {
        revision::dismiss_revision(&state.app, &caller, (benefit, input.reason.as_str().to_owned()), once)
    };
    let render = |benefit: &BenefitCode| RevisaoAplicadaTO {
        cod_beneficio: benefit.get(),
        cancelados: Vec::new(),
        emitidos: Vec::new(),
    };
    write.answer(&state, &caller, read, act, render).await
}

fn render_waiting(registers: &TenantRegisters, one: &WaitingRevision) -> RevisaoResumoTO {
    RevisaoResumoTO {
        cod_beneficio: one.benefit.get(),
        cod_pessoa: one.person.get(),
        nome_pessoa: one.person_name.clone(),
        placa: one.plate.clone(),
        titulos: one.titles,
        valor: render_cents(one.open_amount),
        data_mudanca: one.created_at.to_offset_iso(&registers.zone),
    }
}

fn render_revision(found: &TitleRevision) -> RevisaoTO {
    let totals = found.totals();
    RevisaoTO {
        cod_beneficio: found.benefit.get(),
        conferencia: found.digest(),
        titulos_cancelados: totals.cancelled_titles,
        valor_cancelado: render_cents(totals.cancelled_amount),
        titulos_emitidos: totals.issued_titles,
        valor_emitido: render_cents(totals.issued_amount),
        titulos: found.titles.iter().map(render_revised_title).collect(),
    }
}

fn render_revised_title(one: &RevisedTitle) -> RevisaoTituloTO {
    let (result, reason, new): (_, _, &[PlannedTitle]) = match &one.outcome {
        TitleRevisionOutcome::Unchanged => ("MANTIDO", None, &[]),
        TitleRevisionOutcome::Paid => ("PAGO", None, &[]),
        TitleRevisionOutcome::Replaced { titles, not_charged } => {
            let result = if titles.is_empty() { "CANCELADO" } else { "SUBSTITUIDO" };
            (result, *not_charged, titles)
        }
    };
    RevisaoTituloTO {
        cod_titulo: one.code.get(),
        mes: display::format_month(&one.month.to_iso()),
        data_vencimento: one.title.due_on.to_br(),
        valor: render_cents(one.title.open_amount),
        resultado: result,
        motivo: reason.map(set_names::not_charged_reason),
        novos: new.iter().map(render_planned_title).collect(),
    }
}

fn render_planned_title(planned: &PlannedTitle) -> RevisaoNovoTO {
    RevisaoNovoTO {
        data_vencimento: planned.due_on.to_br(),
        cod_loja: planned.branch.get(),
        cod_grupo: planned.group.get(),
        valor: render_cents(planned.amount()),
    }
}

fn render_applied(applied: &AppliedRevision) -> RevisaoAplicadaTO {
    let codes = |titles: &[TitleCode]| titles.iter().map(|title| title.get()).collect();
    RevisaoAplicadaTO {
        cod_beneficio: applied.benefit.get(),
        cancelados: codes(&applied.cancelled),
        emitidos: codes(&applied.issued),
    }
}
