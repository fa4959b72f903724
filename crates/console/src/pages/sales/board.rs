//! The board of a funnel: stages as columns, open deals as cards.

use super::move_stage;
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::session::notice::redirect_with_outcome;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::board::{self, KanbanBoard, KanbanCard, KanbanColumn, ScriptRequestFlag, format_age};
use crate::widgets::formats::{format_count, format_money};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::App;
use app::sales::deals::FoundDeal;
use app::sales::deals::board::{BoardColumn, BoardQuery, BoardView, view_board, view_board_changes};
use askama::Template;
use axum::extract::State;
use domain::{BranchCode, DealCode, FunnelCode, Moment, Money, StageCode};
use std::time::Duration;

/// A deal that stays in one stage for this long counts as cold.
const COLD_AFTER: Duration = Duration::from_hours(336);
/// Column id that no board has, for cards that left the board.
const NO_POSITION: i32 = 0;

#[derive(Template)]
#[template(path = "console/vendas.html")]
struct FunnelBoardPage {
    frame: PageFrame,
    board: KanbanBoard,
    funnels: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    is_mine: bool,
    is_part: bool,
    whole: String,
    is_empty: bool,
}

/// The board's filters, and the links back to it.
struct FunnelBoardAddress {
    root: String,
    look: BoardQuery,
}

impl FunnelBoardAddress {
    fn from_query(app: &App, user: &SignedInUser, query: &QueryParams) -> FunnelBoardAddress {
        let number = |name: &str| query.text(name).parse::<i32>().ok();
        let after = number("depois").map(DealCode::new);
        let look = BoardQuery {
            funnel: number("codFunil").map(FunnelCode::new),
            branch: number("codLoja").map(BranchCode::new),
            responsible: (query.text("meus") == "sim").then_some(user.session().user),
            only: number("coluna").map(|stage| (StageCode::new(stage), after)),
        };
        FunnelBoardAddress { root: derive_root_path(app), look }
    }

    fn build_link(&self, rest: &str, more: &[(&str, String)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let code = |code: Option<i32>| code.map(|code| code.to_string());
        let filters = [
            ("codFunil", code(self.look.funnel.map(FunnelCode::get))),
            ("codLoja", code(self.look.branch.map(BranchCode::get))),
            ("meus", self.look.responsible.map(|_| "sim".to_owned())),
        ];
        let filters = filters.iter().filter_map(|(name, value)| Some((*name, value.clone()?)));
        query.extend_pairs(filters.chain(more.iter().map(|(name, value)| (*name, value.clone()))));
        match query.finish() {
            empty if empty.is_empty() => format!("{}/console/vendas{rest}", self.root),
            encoded => format!("{}/console/vendas{rest}?{encoded}", self.root),
        }
    }
}

/// `GET /console/vendas`
pub async fn show_funnel_board(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let address = FunnelBoardAddress::from_query(&app, &user, &query);
    let frame = PageFrame::load(&app, &user, "vendas").await?;
    let found = view_board(&app, user.session(), address.look).await?;
    let registers = &found.registers;
    let funnels = registers.funnels.iter().filter(|one| one.active).map(|one| SelectOption {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: one.code == found.funnel,
    });
    let branches = registers.usable_branches(&user.session().scope).map(|one| SelectOption {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: address.look.branch == Some(one.code),
    });
    let is_empty = found.columns.iter().all(|column| column.count == 0);
    show_page(&FunnelBoardPage {
        funnels: funnels.collect(),
        branches: branches.collect(),
        is_mine: address.look.responsible.is_some(),
        is_part: address.look.only.is_some(),
        whole: address.build_link("", &[]),
        board: KanbanBoard {
            title: "Quadro de vendas".to_owned(),
            moves: address.build_link("", &[]),
            changes: address.build_link("/mudancas", &[]),
            since: found.now.millis(),
            triggers: "Mudar de etapa não avisa nenhum sistema.".to_owned(),
            takes_reason: false,
            columns: build_board_columns(&address, &found),
        },
        is_empty: is_empty && query.text("codLoja").is_empty() && address.look.responsible.is_none(),
        frame,
    })
}

fn build_board_columns(address: &FunnelBoardAddress, found: &BoardView) -> Vec<KanbanColumn> {
    let registers = &found.registers;
    let stages = registers.funnel(found.funnel).map_or(&[][..], |funnel| &funnel.stages);
    let column = |one: &BoardColumn| {
        let stage = stages.iter().find(|stage| stage.code == one.stage);
        let is_open = stage.is_some_and(|stage| stage.active);
        let sources = stages.iter().filter(|source| source.code != one.stage && is_open);
        KanbanColumn {
            id: one.stage.get(),
            title: stage.map_or_else(String::new, |stage| stage.name.clone()),
            class: format!("e{}", one.stage),
            count: format_count(one.count),
            note: if one.total > Money::default() { format_money(one.total) } else { String::new() },
            cards: one.cards.iter().map(|card| build_deal_card(address, card, found)).collect(),
            more: one.next.map(|next| {
                address.build_link("", &[("coluna", one.stage.to_string()), ("depois", next.to_string())])
            }),
            newest_first: false,
            from: sources.map(|source| source.code.get()).collect(),
            needs_reason: Vec::new(),
        }
    };
    let removed_column = (!found.gone.is_empty()).then(|| KanbanColumn {
        id: NO_POSITION,
        title: String::new(),
        class: String::new(),
        count: String::new(),
        note: String::new(),
        cards: found.gone.iter().map(|card| build_deal_card(address, card, found)).collect(),
        more: None,
        newest_first: false,
        from: Vec::new(),
        needs_reason: Vec::new(),
    });
    found.columns.iter().map(column).chain(removed_column).collect()
}

fn build_deal_card(address: &FunnelBoardAddress, one: &FoundDeal, found: &BoardView) -> KanbanCard {
    let (deal, span) = (&one.deal, found.now.duration_since(one.deal.stage_since));
    let subject = deal.title.clone().or_else(|| deal.vehicle.model.clone()).unwrap_or_default();
    let link = format!("{}/console/vendas/{}", address.root, one.code);
    let is_cold = span >= COLD_AFTER;
    KanbanCard {
        id: one.code.get(),
        title: one.name.clone(),
        lines: vec![
            subject,
            deal.price.map(format_money).unwrap_or_default(),
            one.responsible_name.as_ref().map(|name| format!("Cuida: {name}")).unwrap_or_default(),
        ],
        version: deal.version,
        badge: None,
        age: if is_cold { format!("{}, parado", format_age(span)) } else { format_age(span) },
        is_late: is_cold,
        order: one.code.get().into(),
        mover: format!("{link}#mover"),
        link,
    }
}

/// `GET /console/vendas/mudancas`
pub async fn show_board_changes(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let address = FunnelBoardAddress::from_query(&app, &user, &query);
    answer_with_changes(&app, &user, &address, query.text("desde"), Vec::new()).await
}

/// The changes since the last request, and why a move was refused.
async fn answer_with_changes(
    app: &App,
    user: &SignedInUser,
    address: &FunnelBoardAddress,
    since: &str,
    problems: Vec<String>,
) -> HandlerResult {
    let found = match since.parse().map(Moment::from_millis) {
        Ok(since) => view_board_changes(app, user.session(), address.look, since).await?,
        Err(_) => None,
    };
    let board = found.map(|found| (found.now.millis(), build_board_columns(address, &found)));
    match problems.is_empty() {
        true => board::render_board_changes(board),
        false => board::render_refused_move(board, problems),
    }
}

/// `POST /console/vendas`
pub async fn move_deal_card(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
    ScriptRequestFlag(by_script): ScriptRequestFlag,
    form: SubmittedForm,
) -> HandlerResult {
    let code = form.text("codigo").parse().map(DealCode::new).map_err(|_| Refusal::NotThere)?;
    let address = FunnelBoardAddress::from_query(&app, &user, &query);
    let target = (form.text("para"), form.text("versao"));
    let outcome = move_stage::move_to_stage(&app, &user, code, target).await?;
    if by_script {
        let problems = outcome.err().unwrap_or_default();
        return answer_with_changes(&app, &user, &address, form.text("desde"), problems).await;
    }
    let outcome = outcome.map_err(|problems| problems.join(" "));
    Ok(redirect_with_outcome(&address.build_link("", &[]), outcome))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/vendas.html", |with| {
    crate::template_tests::render_template(&FunnelBoardPage {
        frame: with.frame(),
        board: with.board(),
        funnels: with.choices(),
        branches: with.choices(),
        is_mine: with.is_filled(),
        is_part: with.is_filled(),
        whole: with.text(),
        is_empty: !with.is_filled(),
    })
})];
