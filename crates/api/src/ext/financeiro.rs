//! `/ext/financeiro`: titles, and the registers of money that programs choose from.

use super::pix_picture::draw_qr_code;
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode, RawQueryPairs};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::describe_benefit::describe_stored_benefit;
use app::register_snapshot::{TenantRegisters, load_registers};
use axum::extract;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::finance::{MoneyAccountKind, TitleSituation};
use domain::{
    AuditedOperation, BoundedText, Date, Money, NoteText, PAGE_SIZE, SellerCode, SettlementTypeCode,
    TitleCode, display, fold_text,
};
use finance::{
    DayRange, FullTitle, IssuedPixCode, ListedTitle, NewReceipt, NewTitleInput, StoredSettlement,
    TitleBenefit, TitleCriteria, TitleSearch,
};
use links::LinkAddressBase;
use wire::read::{self, BoundedInt, FieldPatch, LenientDate, ProgramDate, ProgramLine, ProgramNote};
use wire::records::{
    FormaPagamentoTO, JsonAmount, LiquidacaoInput, LiquidacaoTO, ListaTituloTO, MotivoInput,
    PesquisaTituloQuery, TipoLiquidacaoTO, TipoTituloTO, TituloBeneficioTO, TituloInput, TituloListaTO,
    TituloPixTO, TituloTO,
};
use wire::set_names;

/// `GET /ext/financeiro/titulo`
pub async fn search_titles(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQueryPairs(pairs): RawQueryPairs,
) -> Result<JsonAnswer<ListaTituloTO>, RequestFailure> {
    let pairs = strip_list_indexes(pairs);
    let query: PesquisaTituloQuery = read::read_query(pairs.iter().cloned())?;
    let offset = query.offset.clone().into_set().map_or(0, BoundedInt::get);
    let search = build_search(query, &list_situation_names(&pairs));
    let page = finance::list_titles(&state.app, &caller, search, (offset.into(), PAGE_SIZE)).await?;
    let items = page.rows.into_iter().map(|row| render_listed_title(&page.registers, row)).collect();
    Ok(JsonAnswer(ListaTituloTO { quantidade: page.totals.titles, itens: items }))
}

pub(super) fn strip_list_indexes(pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs.into_iter().map(|(name, text)| (strip_list_index(&name).to_owned(), text)).collect()
}

/// The name of a parameter that PHP writes as `situacao[]` or `situacao[0]`.
fn strip_list_index(name: &str) -> &str {
    let indexed = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let numbered = indexed.filter(|(_, index)| index.bytes().all(|byte| byte.is_ascii_digit()));
    numbered.map_or(name, |(name, _)| name)
}

/// Every `situacao` of the query, not only the first, and each of those that a comma separates.
pub(super) fn list_situation_names(pairs: &[(String, String)]) -> Vec<String> {
    let texts = pairs.iter().filter(|(name, _)| name == "situacao").map(|(_, text)| text);
    let names = texts.flat_map(|text| text.split(',')).map(str::trim);
    names.filter(|name| !name.is_empty()).map(fold_text).collect()
}

/// The situations of these names, and whether overdue titles are searched. Unknown names find nothing.
pub(super) fn find_situations(names: &[String]) -> (Option<Vec<TitleSituation>>, bool) {
    let find = |name: &String| {
        let same = |one: &&TitleSituation| fold_text(set_names::title_situation(**one)) == *name;
        TitleSituation::ALL.iter().find(same).copied()
    };
    let situations = names.iter().filter_map(find).collect();
    ((!names.is_empty()).then_some(situations), names.iter().any(|name| name == "vencido"))
}

fn build_search(query: PesquisaTituloQuery, situation_names: &[String]) -> TitleSearch {
    let (situations, includes_overdue) = find_situations(situation_names);
    TitleSearch {
        criteria: TitleCriteria {
            launch_kinds: vec![query.launch_kind.0],
            situations,
            person: query.person.into_set(),
            branch: query.branch.into_set(),
            issued: build_range(query.issued_from, query.issued_to),
            due: build_range(query.due_from, query.due_to),
            settled: build_range(query.settled_from, query.settled_to),
            ..TitleCriteria::default()
        },
        document: query.document.into_set(),
        plate: query.plate.into_set(),
        includes_overdue,
        counts_only: true,
        ..TitleSearch::default()
    }
}

pub(super) fn build_range(from: FieldPatch<LenientDate>, to: FieldPatch<LenientDate>) -> DayRange {
    let day = |patch: FieldPatch<LenientDate>| patch.into_set().map(LenientDate::get);
    DayRange { from: day(from), to: day(to) }
}

fn render_listed_title(registers: &TenantRegisters, row: ListedTitle) -> TituloListaTO {
    let (title, person) = (row.title, row.person);
    TituloListaTO {
        celular: person.mobile.as_deref().map(display::format_phone).unwrap_or_default(),
        cod_pessoa: person.code.get(),
        cod_titulo: row.code.get(),
        cpf_cnpj_pessoa: person.document.as_deref().map(display::format_document),
        data_emissao: title.issued_on.to_br(),
        data_liquidacao: title.settled_on.map(Date::to_br),
        data_vencimento: title.due_on.to_br(),
        descricao: title.description,
        nome_devedor_credor: person.name,
        nome_loja: registers.branch_name(title.branch).to_owned(),
        sequencial_beneficio: row.sequences,
        situacao: set_names::title_situation(title.situation),
        tipo: set_names::launch_kind_label(title.launch_kind),
        valor: render_cents(title.amount),
        valor_liquidado: render_cents(title.settled_total),
    }
}

/// An amount that is never below zero.
pub fn render_cents(cents: i64) -> JsonAmount {
    JsonAmount(Money::from_stored_cents(cents).unwrap_or_default())
}

/// `GET /ext/financeiro/titulo/{codTitulo}`
pub async fn show_title(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
) -> Result<JsonAnswer<TituloTO>, RequestFailure> {
    let full = finance::read_title(&state.app, &caller, code.get()?).await?;
    let links = LinkAddressBase::new(&state.app);
    Ok(JsonAnswer(render_title(&links, &full)))
}

/// `POST /ext/financeiro/titulo`
pub async fn issue_title(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: TituloInput, once| {
        let input = NewTitleInput {
            person: input.person,
            benefits: vec![input.benefit],
            title_type: input.title_type,
            amount: input.amount.get(),
            description: input.description.into_set().map(ProgramLine::into_string),
            note: input.note.into_set().map(ProgramNote::into_string),
            due_on: input.due.into_set().map(ProgramDate::get),
            issued_on: input.issued.into_set().map(ProgramDate::get),
            instalments: 1,
            waits_for_release: false,
        };
        finance::issue_title(&state.app, &caller, input, once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read::read_body, act, move |full| render_title(&links, full)).await
}

/// `POST /ext/financeiro/titulo/liquidar`
pub async fn settle_title(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: LiquidacaoInput, once| {
        let receipt = NewReceipt {
            title: input.title,
            amount: input.amount.get(),
            settlement_type: input.settlement_type,
            account: None,
            paid_on: None,
            note: input.note.into_set().map(ProgramNote::into_string),
        };
        finance::settle_title(&state.app, &caller, AuditedOperation::SettleTitle, receipt, once)
    };
    let links = LinkAddressBase::new(&state.app);
    write.answer(&state, &caller, read::read_body, act, move |full| render_title(&links, full)).await
}

/// `POST /ext/financeiro/titulo/{codTitulo}/pix`
pub async fn issue_pix_code(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(title, input): (TitleCode, MotivoInput), once| {
        let reason = input.reason.into_set().map(|reason| reason.as_str().to_owned());
        finance::issue_pix_code(&state.app, &caller, (title, reason), once)
    };
    write.answer(&state, &caller, read, act, render_pix_code).await
}

fn render_pix_code(issued: &IssuedPixCode) -> TituloPixTO {
    let code = &issued.code;
    TituloPixTO {
        pix_copia_e_cola: code.content.clone(),
        qr_code_base64: STANDARD.encode(draw_qr_code(&code.content).unwrap_or_default()),
        data_expiracao: code.expires_at.to_offset_iso(&issued.registers.zone),
        valor: render_cents(code.amount),
    }
}

pub fn read_line(text: FieldPatch<BoundedText<200>>) -> Option<String> {
    text.into_set().map(|text| text.as_str().to_owned())
}

pub fn read_note(text: FieldPatch<NoteText>) -> Option<String> {
    text.into_set().map(|text| text.as_str().to_owned())
}

pub fn render_title(links: &LinkAddressBase, full: &FullTitle) -> TituloTO {
    let (title, person, registers) = (&full.title, &full.person, &full.registers);
    let title_type = registers.money.title_type(title.title_type);
    TituloTO {
        cod_titulo: full.code.get(),
        cod_pessoa: title.person.get(),
        cod_loja: title.branch.get(),
        cod_tipo_titulo: title.title_type.get(),
        nome_pessoa: person.name.clone(),
        cpf_cnpj_pessoa: person.document.as_ref().map(ToString::to_string),
        nome_loja: registers.branch_name(title.branch).to_owned(),
        nome_tipo_titulo: title_type.map_or_else(String::new, |one| one.name.clone()),
        data_emissao: title.issued_on.to_br(),
        data_vencimento: title.due_on.to_br(),
        data_cancelamento: title.cancelled_on.map(Date::to_br),
        data_lancamento: title.posted_on.map(Date::to_br),
        valor: render_cents(title.amount),
        situacao: set_names::title_situation(title.situation),
        descricao: title.description.clone(),
        tipo_lancamento: set_names::launch_kind(title.launch_kind),
        tipo_pessoa: set_names::nature(person.nature),
        nome_usuario_cadastro: full.user_name(title.user).map(str::to_owned),
        observacao: title.note.clone(),
        url_fatura: full.slip_link.as_ref().map(|token| links.build_address(token)),
        beneficios: full.benefits.iter().map(|one| render_title_benefit(full, one)).collect(),
        liquidacoes: full.settlements.iter().map(|one| render_settlement(full, one)).collect(),
    }
}

/// A seller that the benefit does not name is the member's.
fn render_title_benefit(full: &FullTitle, one: &TitleBenefit) -> TituloBeneficioTO {
    let (registers, person, benefit) = (&full.registers, &full.person, &one.benefit);
    let consultant = benefit.consultant.or(person.consultant);
    let representative = benefit.representative.or(person.representative);
    let situation = registers.situation(benefit.situation);
    let seller_name = |code: Option<SellerCode>| Some(registers.sellers.get(&code?)?.name.clone());
    TituloBeneficioTO {
        cod_beneficio: one.code.get(),
        cod_consultor: consultant.map(SellerCode::get),
        cod_representante: representative.map(SellerCode::get),
        nome_consultor: seller_name(consultant),
        nome_representante: seller_name(representative),
        nome_situacao: situation.map_or_else(String::new, |one| one.name.to_uppercase()),
        tipo_situacao: situation.map_or("", |one| set_names::situation_kind(one.kind)),
        descricao: describe_stored_benefit(registers, benefit),
    }
}

fn render_settlement(full: &FullTitle, one: &StoredSettlement) -> LiquidacaoTO {
    let money = &full.registers.money;
    let is_opening = full.is_opening_payment(one);
    // An account of this system did not get what was paid in another one.
    let paid_here = one.money.filter(|_| !is_opening);
    let account = paid_here.and_then(|(_, account)| money.money_account(account));
    let kind = paid_here.map(|(settlement_type, _)| settlement_type);
    let is_bank = account.is_some_and(|account| account.kind == MoneyAccountKind::Bank);
    let name = account.map(|account| account.name.clone());
    let reversed_by = one.reversal.as_ref().map(|reversal| {
        // A reversal always shows, even if its user is unknown.
        full.user_name(reversal.user).unwrap_or("Sistema").to_owned()
    });
    LiquidacaoTO {
        cod_liquidacao: one.code.get(),
        cod_tipo_liquidacao: kind.map(SettlementTypeCode::get),
        nome_tipo_liquidacao: match kind {
            None if is_opening => set_names::OPENING_SETTLEMENT.to_owned(),
            None => set_names::CREDIT_SETTLEMENT.to_owned(),
            Some(code) => money.settlement_type(code).map_or_else(String::new, |one| one.name.clone()),
        },
        data_liquidacao: one.paid_on.to_br(),
        data_credito: one.credited_on.to_br(),
        valor: render_cents(one.principal),
        total: render_cents(one.total),
        desconto: render_cents(one.discount),
        acrescimo: render_cents(0),
        juros: render_cents(one.interest),
        multa: render_cents(one.fine),
        despesas: render_cents(0),
        banco: account.and_then(|account| account.bank.clone()),
        agencia: account.and_then(|account| account.agency.clone()),
        cod_conta: account.filter(|_| is_bank).map(|account| account.code.get()),
        cod_caixa: account.filter(|_| !is_bank).map(|account| account.code.get()),
        descricao_conta: name.clone().filter(|_| is_bank),
        descricao_caixa: name.filter(|_| !is_bank),
        nome_liquidante: full.user_name(one.user).map(str::to_owned),
        nome_estornador: reversed_by,
    }
}

/// The records in use by name, as all short lists of the interface. `describe` tells whether one is, its name and code.
fn sort_active<T>(records: &[T], describe: impl Fn(&T) -> (bool, &str, i32)) -> Vec<&T> {
    let mut active: Vec<&T> = records.iter().filter(|one| describe(one).0).collect();
    active.sort_by_cached_key(|one| {
        let (_, name, code) = describe(one);
        (fold_text(name), code)
    });
    active
}

/// `GET /ext/financeiro/tipoTitulo`
pub async fn list_title_types(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<Vec<TipoTituloTO>>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let active = sort_active(&registers.money.title_types, |one| (one.active, &one.name, one.code.get()));
    let records = active.into_iter();
    let records =
        records.map(|one| TipoTituloTO::new(one.code, &one.name, set_names::launch_kind(one.launch_kind)));
    Ok(JsonAnswer(records.collect()))
}

/// `GET /ext/financeiro/formaPagamento`
pub async fn list_payment_forms(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<Vec<FormaPagamentoTO>>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let active = sort_active(&registers.money.payment_forms, |one| (one.active, &one.name, one.code.get()));
    Ok(JsonAnswer(active.into_iter().map(|one| FormaPagamentoTO::new(one.code, &one.name)).collect()))
}

/// `GET /ext/financeiro/tipoLiquidacao`
pub async fn list_settlement_types(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<Vec<TipoLiquidacaoTO>>, RequestFailure> {
    let registers = load_registers(&state.app, caller.scope.tenant()).await?;
    let active =
        sort_active(&registers.money.settlement_types, |one| (one.active, &one.name, one.code.get()));
    Ok(JsonAnswer(active.into_iter().map(|one| TipoLiquidacaoTO::new(one.code, &one.name)).collect()))
}
