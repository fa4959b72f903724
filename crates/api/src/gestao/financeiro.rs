//! `/gestao/financeiro`: what the association itself does with titles and months.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::{read_line, read_note, render_cents, render_title};
use crate::extract::{AuthenticatedCaller, PathCode};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::load_registers;
use axum::extract;
use axum::response::Response;
use domain::finance::ChargeLine;
use domain::{
    AuditedOperation, BenefitCode, PersonCode, PlanPriceCode, SettlementCode, TimeZone, TitleCode, UserCode,
    display,
};
use finance::{ClosedMonths, FullTitle, NewReceipt, NewTitleInput, StoredSettlement};
use links::LinkAddressBase;
use wire::read::{self, BoundedInt};
use wire::records::{
    FechamentoInput, MotivoFinanceiroInput, MotivoInput, PeriodoAlteracaoTO, PeriodosTO, RecebimentoInput,
    SaldoPessoaTO, TituloGestaoInput, TituloGestaoTO, TituloHojeTO, TituloLinhaTO, TituloPagamentoTO,
    VencimentoInput,
};
use wire::set_names;

/// `GET /gestao/financeiro/titulo/{codTitulo}`
pub async fn show_title(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
) -> Result<JsonAnswer<TituloGestaoTO>, RequestFailure> {
    let full = finance::read_title(&state.app, &caller, code.get()?).await?;
    let links = LinkAddressBase::new(&state.app);
    Ok(JsonAnswer(render_managed_title(&links, &full)))
}

/// `POST /gestao/financeiro/titulo`
pub async fn issue_titles(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: TituloGestaoInput, once| {
        let input = NewTitleInput {
            person: input.person,
            benefits: input.benefits.into_set().unwrap_or_default(),
            title_type: input.title_type,
            amount: input.amount,
            description: read_line(input.description),
            note: read_note(input.note),
            due_on: input.due.into_set(),
            issued_on: input.issued.into_set(),
            instalments: input.instalments.into_set().map_or(1, BoundedInt::get),
            waits_for_release: input.waits.into_set().unwrap_or(false),
        };
        finance::issue_titles(&state.app, &caller, input, once)
    };
    let links = LinkAddressBase::new(&state.app);
    let render = move |titles: &Vec<FullTitle>| -> Vec<TituloGestaoTO> {
        titles.iter().map(|full| render_managed_title(&links, full)).collect()
    };
    write.answer(&state, &caller, read::read_body, act, render).await
}

/// `POST /gestao/financeiro/titulo/{codTitulo}/receber`
pub async fn receive_payment(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(title, input): (TitleCode, RecebimentoInput), once| {
        let receipt = NewReceipt {
            title,
            amount: input.amount,
            settlement_type: input.settlement_type,
            account: input.account.into_set(),
            paid_on: input.paid_on.into_set(),
            note: read_note(input.note),
        };
        finance::settle_title(&state.app, &caller, AuditedOperation::ReceivePayment, receipt, once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `POST /gestao/financeiro/titulo/{codTitulo}/usarCredito`
pub async fn use_credit(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act =
        |(title, _): (TitleCode, MotivoInput), once| finance::use_credit(&state.app, &caller, title, once);
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `PUT /gestao/financeiro/titulo/{codTitulo}/cancelar`
pub async fn cancel_title(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(title, input): (TitleCode, MotivoFinanceiroInput), once| {
        finance::cancel_title(&state.app, &caller, (title, input.reason.as_str().to_owned()), once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `PUT /gestao/financeiro/titulo/{codTitulo}/liberar`
pub async fn release_title(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(title, input): (TitleCode, MotivoInput), once| {
        let reason = input.reason.into_set().map(|reason| reason.as_str().to_owned());
        finance::release_title(&state.app, &caller, (title, reason), once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `PUT /gestao/financeiro/titulo/{codTitulo}/vencimento`
pub async fn change_due_day(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(title, input): (TitleCode, VencimentoInput), once| {
        let reason = input.reason.as_str().to_owned();
        finance::change_due_day(&state.app, &caller, (title, input.due, reason), once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `PUT /gestao/financeiro/liquidacao/{codLiquidacao}/estornar`
pub async fn reverse_settlement(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<SettlementCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(settlement, input): (SettlementCode, MotivoFinanceiroInput), once| {
        let reason = input.reason.as_str().to_owned();
        finance::reverse_settlement(&state.app, &caller, (settlement, reason), once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read, act, move |full| render_managed_title(&links, full)).await
}

/// `GET /gestao/financeiro/associado/{codPessoa}`
pub async fn show_member_balance(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<PersonCode>,
) -> Result<JsonAnswer<SaldoPessoaTO>, RequestFailure> {
    let balance = finance::read_member_balance(&state.app, &caller, code.get()?).await?;
    let debt = balance.debt;
    Ok(JsonAnswer(SaldoPessoaTO {
        em_dia: debt.overdue_titles == 0,
        titulos_abertos: debt.open_titles,
        valor_aberto: render_cents(debt.open_amount),
        titulos_vencidos: debt.overdue_titles,
        valor_vencido: render_cents(debt.overdue_amount),
        credito: render_cents(balance.credit),
    }))
}

/// `GET /gestao/financeiro/periodo`
pub async fn show_periods(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<PeriodosTO>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let periods = finance::read_periods(&state.app, &caller).await?;
    Ok(JsonAnswer(render_periods(&periods, &registers.zone)))
}

/// `POST /gestao/financeiro/periodo/fechar`
pub async fn close_period(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let act = |input: FechamentoInput, once| {
        finance::close_period(&state.app, &caller, input.month.as_iso().to_owned(), once)
    };
    let render = move |periods: &ClosedMonths| render_periods(periods, &registers.zone);
    write.answer(&state, &caller, read::read_body, act, render).await
}

/// `POST /gestao/financeiro/periodo/reabrir`
pub async fn reopen_period(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let act = |input: MotivoFinanceiroInput, once| {
        finance::reopen_period(&state.app, &caller, input.reason.as_str().to_owned(), once)
    };
    let render = move |periods: &ClosedMonths| render_periods(periods, &registers.zone);
    write.answer(&state, &caller, read::read_body, act, render).await
}

fn render_periods(periods: &ClosedMonths, zone: &TimeZone) -> PeriodosTO {
    let month = |month: &Option<String>| month.as_deref().map(display::format_month);
    let changes = periods.changes.iter().map(|change| PeriodoAlteracaoTO {
        fechamento: change.is_closing,
        fechado_ate: month(&change.closed_through),
        motivo: change.reason.clone(),
        cod_usuario: change.user.map(UserCode::get),
        data_hora: change.changed_at.to_offset_iso(zone),
    });
    PeriodosTO {
        fechado_ate: month(&periods.closed_through),
        proximo: month(&periods.next_month),
        alteracoes: changes.collect(),
    }
}

pub fn render_managed_title(links: &LinkAddressBase, full: &FullTitle) -> TituloGestaoTO {
    let today = TituloHojeTO {
        valor_aberto: render_cents(full.title.open_amount),
        multa_devida: render_cents(full.late_charges.fine),
        juros_devidos: render_cents(full.late_charges.interest),
        desconto_pontualidade: render_cents(full.discount.map_or(0, |discount| discount.amount)),
        data_limite_desconto: full.title.early_discount_until.map(domain::Date::to_br),
        credito_disponivel: render_cents(full.usable_credit),
        valor_devido: render_cents(full.amount_due()),
        vencido: full.is_overdue(),
        data_vencimento_original: full.title.original_due_on.to_br(),
        parcela: full.title.instalment,
        parcelas: full.title.instalments,
        motivo_cancelamento: full.title.cancelled_because.clone(),
        linhas: full.lines.iter().map(|line| render_line(full, line)).collect(),
        pagamentos: full.settlements.iter().map(render_payment).collect(),
    };
    TituloGestaoTO { titulo: render_title(links, full), hoje: today }
}

fn render_line(full: &FullTitle, line: &ChargeLine) -> TituloLinhaTO {
    TituloLinhaTO {
        cod_item_cobranca: line.item.get(),
        nome: full.registers.money.charge_item(line.item).map(|item| item.name.clone()).unwrap_or_default(),
        natureza: set_names::legal_nature(line.nature),
        cod_beneficio: line.benefit.map(BenefitCode::get),
        valor: render_cents(line.amount.max(0)),
        desconto: render_cents(line.amount.saturating_neg().max(0)),
        origem_valor: line.price.map(|price| set_names::price_source(price.source)),
        cod_preco: line.price.and_then(|price| price.row).map(PlanPriceCode::get),
        descricao: line.description.clone(),
    }
}

fn render_payment(settlement: &StoredSettlement) -> TituloPagamentoTO {
    let reversal = settlement.reversal.as_ref();
    TituloPagamentoTO {
        cod_liquidacao: settlement.code.get(),
        credito: render_cents(settlement.credit),
        encargos_restantes: render_cents(settlement.late_charges_left),
        observacao: settlement.note.clone(),
        data_estorno: reversal.map(|reversal| reversal.booked_on.to_br()),
        motivo_estorno: reversal.map(|reversal| reversal.reason.clone()),
    }
}
