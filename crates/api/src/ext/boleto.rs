//! `/ext/financeiro/titulo…/boleto`: slips.

use super::financeiro::{
    build_range, find_situations, list_situation_names, render_cents, strip_list_indexes,
};
use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode, RawQueryPairs};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::TenantRegisters;
use axum::extract;
use axum::response::Response;
use domain::{PAGE_SIZE, TitleCode, display};
use finance::{ListedSlip, SlipOfTitle, TitleCriteria, TitleSearch};
use links::LinkAddressBase;
use wire::read::{self, BoundedInt};
use wire::records::{
    BoletoListaTO, BoletoTO, CodigoBarrasTO, ListaBoletoTO, MotivoInput, PesquisaBoletoQuery,
};
use wire::set_names;

/// `GET /ext/financeiro/titulo/boleto`
pub async fn search_slips(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQueryPairs(pairs): RawQueryPairs,
) -> Result<JsonAnswer<ListaBoletoTO>, RequestFailure> {
    let pairs = strip_list_indexes(pairs);
    let query: PesquisaBoletoQuery = read::read_query(pairs.iter().cloned())?;
    let offset = query.offset.clone().into_set().map_or(0, BoundedInt::get);
    let search = build_search(query, &list_situation_names(&pairs));
    let page = finance::list_slips(&state.app, &caller, search, (offset.into(), PAGE_SIZE)).await?;
    let base = LinkAddressBase::new(&state.app);
    let render = |row: &ListedSlip| render_listed_slip(&base, &page.registers, row);
    Ok(JsonAnswer(ListaBoletoTO { quantidade: page.slips, itens: page.rows.iter().map(render).collect() }))
}

fn build_search(query: PesquisaBoletoQuery, situation_names: &[String]) -> TitleSearch {
    let (situations, includes_overdue) = find_situations(situation_names);
    TitleSearch {
        criteria: TitleCriteria {
            situations,
            person: query.person.into_set(),
            due: build_range(query.due_from, query.due_to),
            ..TitleCriteria::default()
        },
        document: query.document.into_set(),
        includes_overdue,
        ..TitleSearch::default()
    }
}

fn render_listed_slip(
    base: &LinkAddressBase,
    registers: &TenantRegisters,
    row: &ListedSlip,
) -> BoletoListaTO {
    let (slip, title, person) = (&row.slip, &row.title.title, &row.title.person);
    BoletoListaTO {
        cod_boleto: slip.code.get(),
        cod_titulo: slip.title.get(),
        cod_pessoa: person.code.get(),
        cpf_cnpj_pessoa: person.document.as_deref().map(display::format_document),
        nome_loja: registers.branch_name(title.branch).to_owned(),
        nome_pessoa: person.name.clone(),
        celular: person.mobile.as_deref().map(display::format_phone).unwrap_or_default(),
        tipo: set_names::launch_kind_label(title.launch_kind),
        descricao: title.description.clone(),
        data_emissao: slip.issued_on.to_br(),
        data_vencimento: slip.due_on.to_br(),
        valor: render_cents(slip.amount),
        linha_digitavel: row.typed_line.clone(),
        url_pdf: row.link_token.as_ref().map(|token| base.build_address(token)).unwrap_or_default(),
        chave_pix: row.pix.clone(),
    }
}

fn render_slip(base: &LinkAddressBase, issued: &SlipOfTitle) -> BoletoTO {
    BoletoTO {
        boleto: render_listed_slip(base, &issued.registers, &issued.slip),
        barras: CodigoBarrasTO { codigo_barras: issued.slip.slip.barcode.clone() },
    }
}

/// `GET /ext/financeiro/titulo/{codTitulo}/boleto`
pub async fn show_slip(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
) -> Result<JsonAnswer<BoletoTO>, RequestFailure> {
    let slip = finance::read_slip(&state.app, &caller, code.get()?).await?;
    let base = LinkAddressBase::new(&state.app);
    Ok(JsonAnswer(render_slip(&base, &slip)))
}

/// `POST /ext/financeiro/titulo/{codTitulo}/boleto`
pub async fn issue_slip(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<TitleCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let base = LinkAddressBase::new(&state.app);
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(title, input): (TitleCode, MotivoInput), once| {
        let reason = input.reason.into_set().map(|reason| reason.as_str().to_owned());
        finance::issue_slip(&state.app, &caller, (title, reason), once)
    };
    write.answer(&state, &caller, read, act, move |issued| render_slip(&base, issued)).await
}
