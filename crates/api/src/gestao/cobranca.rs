//! `/gestao/financeiro/cobranca`: the charging run of a month.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::ext::financeiro::render_cents;
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::Error;
use app::access::users;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::session::Session;
use axum::extract;
use axum::response::Response;
use domain::finance::FinanceProblem;
use domain::{ChargeItemCode, ChargingRunCode, PAGE_SIZE, PlanPriceCode, Rejection, UserCode, display};
use finance::charging::{
    self, ChargedMonth, FullChargingRun, ItemTotal, ListedRunBenefit, NewChargingRun, PreviousCharging,
    RunBenefitFilter, RunBenefitSearch, RunLine, StoredChargingRun,
};
use std::collections::HashMap;
use std::sync::Arc;
use wire::read::{self, BoundedInt, MonthText};
use wire::records::{
    CobrancaAnteriorTO, CobrancaBeneficioQuery, CobrancaBeneficioTO, CobrancaCompletaTO, CobrancaInput,
    CobrancaItemTO, CobrancaLancamentosTO, CobrancaLinhaTO, CobrancaMantidosQuery, CobrancaMotivoTO,
    CobrancaQuery, CobrancaTO, CobrancaTituloTO, CobrancaTotaisTO, ListPage, MotivoFinanceiroInput,
    MotivoInput,
};
use wire::set_names;

/// What a run is rendered with: the registers, and the names of the users.
struct RunNames {
    registers: Arc<TenantRegisters>,
    users: HashMap<UserCode, String>,
}

impl RunNames {
    async fn load(state: &ServerState, caller: &Session) -> Result<RunNames, RequestFailure> {
        let registers = load_registers(&state.app, caller.scope.tenant()).await?;
        let users = users::list_users(&state.app, &caller.scope).await?;
        Ok(RunNames { registers, users: users.into_iter().map(|user| (user.code, user.name)).collect() })
    }

    fn user(&self, user: Option<UserCode>) -> Option<String> {
        self.users.get(&user?).cloned()
    }

    fn item(&self, code: ChargeItemCode) -> String {
        let item = self.registers.money.charge_items.iter().find(|one| one.code == code);
        item.map(|one| one.name.clone()).unwrap_or_default()
    }
}

/// `POST /gestao/financeiro/cobranca`
pub async fn prepare_run(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let act = async |input: CobrancaInput, once| {
        let new_run = NewChargingRun {
            month: require_charged_month(&input.month)?,
            group: input.group.into_set(),
            branch: input.branch.into_set(),
            due_day: input.due_day.into_set().map(BoundedInt::get),
            instalments: input.instalments.into_set().map_or(1, BoundedInt::get),
        };
        charging::prepare_run(&state.app, &caller, new_run, once).await
    };
    let render = move |full: &FullChargingRun| render_full_run(&names, full);
    write.answer(&state, &caller, read::read_body, act, render).await
}

/// `GET /gestao/financeiro/cobranca`
pub async fn list_runs(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<CobrancaQuery>,
) -> Result<JsonAnswer<Vec<CobrancaTO>>, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let month = query.month.into_set().map(|month| require_charged_month(&month)).transpose()?;
    let offset = find_offset(query.page.into_set());
    let page = charging::list_runs(&state.app, &caller, month, offset).await?;
    Ok(JsonAnswer(page.runs.iter().map(|run| render_run(&names, run)).collect()))
}

fn require_charged_month(month: &MonthText) -> Result<ChargedMonth, Error> {
    let out_of_reach = || Error::Refused(vec![Rejection::Finance(FinanceProblem::MonthOutOfReach)]);
    ChargedMonth::from_iso(month.as_iso()).ok_or_else(out_of_reach)
}

/// Of a page that is counted from 1.
pub fn find_offset(page: Option<BoundedInt<1, { i32::MAX }>>) -> i64 {
    i64::from(page.map_or(1, BoundedInt::get) - 1) * PAGE_SIZE
}

/// `GET /gestao/financeiro/cobranca/{codCobranca}`
pub async fn show_run(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ChargingRunCode>,
) -> Result<JsonAnswer<CobrancaCompletaTO>, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let full = charging::read_run(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_full_run(&names, &full)))
}

/// `GET /gestao/financeiro/cobranca/{codCobranca}/beneficio`
pub async fn list_run_benefits(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ChargingRunCode>,
    QueryRecord(query): QueryRecord<CobrancaBeneficioQuery>,
) -> Result<JsonAnswer<ListPage<CobrancaBeneficioTO>>, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let filter = match (query.reason.into_set(), query.charged.into_set()) {
        (Some(reason), _) => RunBenefitFilter::Reason(reason),
        (None, Some(true)) => RunBenefitFilter::Charged,
        (None, Some(false)) => RunBenefitFilter::NotCharged,
        (None, None) => RunBenefitFilter::All,
    };
    let page = query.page.into_set();
    let search = RunBenefitSearch { run: code.get()?, filter, offset: find_offset(page) };
    let found = charging::list_run_benefits(&state.app, &caller, search).await?;
    let items = found.benefits.iter().map(|one| render_run_benefit(&names, one)).collect();
    Ok(JsonAnswer(ListPage::new(items, page.map_or(1, BoundedInt::get), found.total)))
}

/// `GET /gestao/financeiro/cobranca/{codCobranca}/mantido`
pub async fn list_kept_titles(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ChargingRunCode>,
    QueryRecord(query): QueryRecord<CobrancaMantidosQuery>,
) -> Result<JsonAnswer<ListPage<CobrancaTituloTO>>, RequestFailure> {
    let (run, page) = (code.get()?, query.page.into_set());
    let kept = charging::list_kept_titles(&state.app, &caller, run, find_offset(page)).await?;
    let titles = kept.titles.iter().map(|title| CobrancaTituloTO { cod_titulo: title.get() }).collect();
    Ok(JsonAnswer(ListPage::new(titles, page.map_or(1, BoundedInt::get), kept.total)))
}

/// `PUT /gestao/financeiro/cobranca/{codCobranca}/aprovar`
pub async fn approve_run(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ChargingRunCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(run, _): (ChargingRunCode, MotivoInput), once| {
        charging::approve_run(&state.app, &caller, run, once)
    };
    let render = move |full: &FullChargingRun| render_full_run(&names, full);
    write.answer(&state, &caller, read, act, render).await
}

/// `PUT /gestao/financeiro/cobranca/{codCobranca}/descartar`
pub async fn discard_run(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ChargingRunCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(run, _): (ChargingRunCode, MotivoInput), once| {
        charging::discard_run(&state.app, &caller, run, once)
    };
    let render = move |full: &FullChargingRun| render_full_run(&names, full);
    write.answer(&state, &caller, read, act, render).await
}

/// `PUT /gestao/financeiro/cobranca/{codCobranca}/desfazer`
pub async fn undo_run(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ChargingRunCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let names = RunNames::load(&state, &caller).await?;
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(run, input): (ChargingRunCode, MotivoFinanceiroInput), once| {
        charging::undo_run(&state.app, &caller, (run, input.reason.as_str().to_owned()), once)
    };
    let render = move |full: &FullChargingRun| render_full_run(&names, full);
    write.answer(&state, &caller, read, act, render).await
}

fn render_run(names: &RunNames, run: &StoredChargingRun) -> CobrancaTO {
    let counts = &run.counts;
    CobrancaTO {
        cod_cobranca: run.code.get(),
        mes: format_run_month(run.month),
        cod_grupo: run.scope.group.map(domain::GroupCode::get),
        cod_loja: run.scope.branch.map(domain::BranchCode::get),
        dia_vencimento: run.scope.due_day,
        parcelas: run.instalments,
        situacao: set_names::charging_run_state(run.state),
        data_preparo: run.prepared_on.to_br(),
        data_emissao: run.issued_on.map(domain::Date::to_br),
        beneficios: counts.benefits,
        cobrados: counts.charged,
        valor: render_cents(counts.charged_amount),
        titulos: counts.titles,
        valor_titulos: render_cents(counts.titles_amount),
        titulos_cancelados: counts.cancelled,
        titulos_mantidos: counts.kept,
        nome_usuario: names.user(run.user),
        nome_aprovador: names.user(run.approved_by),
        motivo: run.undone_because.clone(),
    }
}

fn format_run_month(month: ChargedMonth) -> String {
    display::format_month(&month.to_iso())
}

fn render_full_run(names: &RunNames, full: &FullChargingRun) -> CobrancaCompletaTO {
    let reason = |(reason, count): &(charging::NotChargedReason, i64)| CobrancaMotivoTO {
        motivo: set_names::not_charged_reason(*reason),
        quantidade: *count,
    };
    let previous = |before: &PreviousCharging| CobrancaAnteriorTO {
        cod_cobranca: before.run.get(),
        mes: format_run_month(before.month),
        cobrados: before.counts.charged,
        valor: render_cents(before.counts.charged_amount),
    };
    CobrancaCompletaTO {
        cobranca: render_run(names, &full.run),
        totais: CobrancaTotaisTO {
            itens: full.items.iter().map(|total| render_item_total(names, total)).collect(),
            motivos: full.reasons.iter().map(reason).collect(),
            mes_anterior: full.previous.as_ref().map(previous),
            lancamentos_de_fora: CobrancaLancamentosTO {
                quantidade: full.left_charges.charges,
                valor: render_cents(full.left_charges.amount),
            },
        },
    }
}

fn render_item_total(names: &RunNames, total: &ItemTotal) -> CobrancaItemTO {
    CobrancaItemTO {
        cod_item_cobranca: total.item.get(),
        nome: names.item(total.item),
        natureza: set_names::legal_nature(total.nature),
        quantidade: total.charges,
        valor: render_cents(total.charged),
        desconto: render_cents(total.discounted),
    }
}

fn render_run_benefit(names: &RunNames, listed: &ListedRunBenefit) -> CobrancaBeneficioTO {
    let one = &listed.row;
    let line = |line: &RunLine| CobrancaLinhaTO {
        parcela: line.instalment,
        cod_item_cobranca: line.item.get(),
        nome: names.item(line.item),
        natureza: set_names::legal_nature(line.nature),
        origem: set_names::charge_source(line.source),
        valor: render_cents(line.amount.max(0)),
        desconto: render_cents((-line.amount).max(0)),
        origem_valor: line.price.map(|price| set_names::price_source(price.source)),
        cod_preco: line.price.and_then(|price| price.row).map(PlanPriceCode::get),
        descricao: line.description.clone(),
    };
    CobrancaBeneficioTO {
        cod_beneficio: one.benefit.get(),
        cod_pessoa: one.person.get(),
        nome_pessoa: listed.person_name.clone(),
        cod_loja: one.branch.get(),
        placa: listed.plate.clone(),
        data_vencimento: one.due_on.map(domain::Date::to_br),
        valor: render_cents(one.amount),
        motivo: one.reason.map(set_names::not_charged_reason),
        cod_titulo: one.title.map(domain::TitleCode::get),
        linhas: listed.lines.iter().map(line).collect(),
    }
}
