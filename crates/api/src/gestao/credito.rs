//! `/gestao/financeiro/credito`: money received as a person's credit, what is paid back, and every movement.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::{read_note, render_cents};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use axum::extract;
use axum::response::Response;
use domain::{CreditReceiptCode, PAGE_SIZE, PersonCode, SettlementCode, TimeZone, TitleCode};
use finance::{CreditMoney, CreditMovement, FullCreditMovement, NewCreditReceipt};
use wire::read::{self, BoundedInt};
use wire::records::{
    CreditoDevolucaoInput, CreditoInput, CreditoQuery, CreditoTO, ListaCreditoTO, MotivoFinanceiroInput,
};
use wire::set_names;

/// The money of an input record. Those of a receipt and of a refund describe the same fields differently.
macro_rules! take_credit_money {
    ($input:ident) => {
        CreditMoney {
            person: $input.person,
            group: $input.group.into_set(),
            branch: $input.branch.into_set(),
            amount: $input.amount,
            settlement_type: $input.settlement_type,
            account: $input.account.into_set(),
            paid_on: $input.paid_on.into_set(),
            note: read_note($input.note),
        }
    };
}

/// `GET /gestao/financeiro/credito`
pub async fn list_credit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<CreditoQuery>,
) -> Result<JsonAnswer<ListaCreditoTO>, RequestFailure> {
    let offset = query.offset.into_set().map_or(0, BoundedInt::get);
    let page = (offset.into(), PAGE_SIZE);
    let found = finance::list_member_credit(&state.app, &caller, query.person, page).await?;
    let zone = &found.registers.zone;
    let items = found.rows.iter().map(|one| render_movement(query.person, one, zone)).collect();
    Ok(JsonAnswer(ListaCreditoTO {
        disponivel: render_cents(found.sum_available()),
        quantidade: found.total,
        itens: items,
    }))
}

/// `POST /gestao/financeiro/credito`
pub async fn receive_credit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: CreditoInput, once| {
        let money = take_credit_money!(input);
        let is_repeat_confirmed = input.is_repeat_confirmed.into_set().unwrap_or(false);
        let receipt = NewCreditReceipt { money, title: input.title.into_set(), is_repeat_confirmed };
        finance::receive_credit(&state.app, &caller, receipt, once)
    };
    write.answer(&state, &caller, read::read_body, act, render_full_movement).await
}

/// `POST /gestao/financeiro/credito/devolver`
pub async fn refund_credit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: CreditoDevolucaoInput, once| {
        let money = take_credit_money!(input);
        finance::refund_credit(&state.app, &caller, money, once)
    };
    write.answer(&state, &caller, read::read_body, act, render_full_movement).await
}

/// `PUT /gestao/financeiro/credito/{codCredito}/estornar`
pub async fn reverse_credit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<CreditReceiptCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(receipt, input): (CreditReceiptCode, MotivoFinanceiroInput), once| {
        let reason = input.reason.as_str().to_owned();
        finance::reverse_credit_receipt(&state.app, &caller, (receipt, reason), once)
    };
    write.answer(&state, &caller, read, act, render_full_movement).await
}

fn render_full_movement(full: &FullCreditMovement) -> CreditoTO {
    render_movement(full.person, &full.movement, &full.registers.zone)
}

fn render_movement(person: PersonCode, one: &CreditMovement, zone: &TimeZone) -> CreditoTO {
    let reversal = one.reversal.as_ref();
    CreditoTO {
        cod_credito: one.code.map(CreditReceiptCode::get),
        tipo: set_names::credit_movement_kind(one.kind),
        cod_pessoa: person.get(),
        cod_loja: one.branch.get(),
        cod_grupo: one.group.get(),
        valor: render_cents(one.amount.saturating_abs()),
        data: one.happened_on.to_br(),
        cod_titulo: one.title.map(TitleCode::get),
        cod_liquidacao: one.settlement.map(SettlementCode::get),
        cod_tipo_liquidacao: one.money.map(|(settlement_type, _)| settlement_type.get()),
        cod_conta_financeira: one.money.map(|(_, account)| account.get()),
        observacao: one.note.clone(),
        data_cadastro: one.created_at.to_offset_iso(zone),
        data_estorno: reversal.map(|reversal| reversal.booked_on.to_br()),
        motivo_estorno: reversal.map(|reversal| reversal.reason.clone()),
    }
}
