//! `/gestao/financeiro/lancamento`: lines that the next charge takes.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::{read_line, render_cents};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::gestao::financeiro::render_managed_title;
use crate::write::IncomingWrite;
use axum::extract;
use axum::response::Response;
use domain::{BenefitCode, PAGE_SIZE, PendingChargeCode, SettlementCode, TitleCode};
use finance::{FullPendingCharge, NewPendingCharge, PendingChargeCriteria};
use links::LinkAddressBase;
use wire::read::{self, BoundedInt};
use wire::records::{
    LancamentoInput, LancamentoQuery, LancamentoTO, LancamentoTituloInput, ListaLancamentoTO,
    MotivoFinanceiroInput,
};
use wire::set_names;

/// `GET /gestao/financeiro/lancamento`
pub async fn list_pending_charges(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<LancamentoQuery>,
) -> Result<JsonAnswer<ListaLancamentoTO>, RequestFailure> {
    let criteria = PendingChargeCriteria {
        person: query.person.into_set(),
        benefit: query.benefit.into_set(),
        situation: query.situation.into_set(),
    };
    let offset = query.offset.into_set().map_or(0, BoundedInt::get);
    let page = finance::list_charges(&state.app, &caller, criteria, (offset.into(), PAGE_SIZE)).await?;
    let items = page.rows.iter().map(render_charge).collect();
    Ok(JsonAnswer(ListaLancamentoTO { quantidade: page.total, itens: items }))
}

/// `POST /gestao/financeiro/lancamento`
pub async fn add_pending_charge(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: LancamentoInput, once| {
        let charge = NewPendingCharge {
            person: input.person.into_set(),
            benefit: input.benefit.into_set(),
            item: input.item,
            amount: input.amount,
            description: read_line(input.description),
        };
        finance::add_pending_charge(&state.app, &caller, charge, once)
    };
    write.answer(&state, &caller, read::read_body, act, render_charge).await
}

/// `POST /gestao/financeiro/lancamento/{codLancamento}/emitir`
pub async fn issue_pending_charge(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<PendingChargeCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(charge, input): (PendingChargeCode, LancamentoTituloInput), once| {
        finance::issue_pending_charge(&state.app, &caller, (charge, input.due.into_set()), once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `PUT /gestao/financeiro/lancamento/{codLancamento}/cancelar`
pub async fn cancel_pending_charge(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<PendingChargeCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(charge, input): (PendingChargeCode, MotivoFinanceiroInput), once| {
        let reason = input.reason.as_str().to_owned();
        finance::cancel_pending_charge(&state.app, &caller, (charge, reason), once)
    };
    write.answer(&state, &caller, read, act, render_charge).await
}

fn render_charge(full: &FullPendingCharge) -> LancamentoTO {
    let (charge, registers) = (&full.charge, &full.registers);
    let item = registers.money.charge_item(charge.item);
    LancamentoTO {
        cod_lancamento: charge.code.get(),
        cod_pessoa: charge.person.get(),
        nome_pessoa: full.person_name.clone(),
        cod_beneficio: charge.benefit.map(BenefitCode::get),
        cod_loja: charge.branch.get(),
        cod_item_cobranca: charge.item.get(),
        nome_item_cobranca: item.map(|one| one.name.clone()).unwrap_or_default(),
        valor: render_cents(charge.amount),
        descricao: charge.description.clone(),
        origem: set_names::pending_charge_source(charge.source),
        cod_liquidacao: charge.settlement.map(SettlementCode::get),
        situacao: set_names::pending_charge_situation(charge.situation),
        cod_titulo: charge.title.map(TitleCode::get),
        data_cancelamento: charge.cancelled_on.map(domain::Date::to_br),
        motivo_cancelamento: charge.cancelled_because.clone(),
        data_cadastro: charge.created_at.to_offset_iso(&registers.zone),
    }
}
