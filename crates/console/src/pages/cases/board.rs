//! The board of a case kind: situations as columns, cases as cards.

use super::change_situation::{self, SituationChangeInput};
use super::{CaseKindParam, CaseKindWording, describe_case_kind, find_planned_time, find_type_name, is_late};
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::board::{self, KanbanBoard, KanbanCard, KanbanColumn, ScriptRequestFlag, format_age};
use crate::widgets::formats::{format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::App;
use app::cases::ResolvedCase;
use app::cases::board::{self as boards, SituationBoardQuery};
use app::register_snapshot::TenantRegisters;
use askama::Template;
use axum::extract::State;
use domain::{BranchCode, CaseKind, Moment, Priority, SituationCode, SituationKind};
use wire::set_names;

#[derive(Template)]
#[template(path = "console/quadro.html")]
struct SituationBoardPage {
    frame: PageFrame,
    words: CaseKindWording,
    board: KanbanBoard,
    branches: Vec<SelectOption>,
    late: Option<String>,
    /// Only one column is shown.
    is_part: bool,
    /// Link to the full board of the same branch.
    whole: String,
}

/// `GET /console/eventos/quadro`
pub async fn show_case_board(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    query: QueryParams,
) -> HandlerResult {
    let (words, caller, place) =
        (describe_case_kind(kind), user.session(), SituationBoardAddress::from_query(&app, kind, &query));
    let frame = PageFrame::load(&app, &user, words.path).await?;
    let board_query = parse_board_view(&place, &query);
    let found = boards::read_board(&app, caller, kind, board_query).await?;
    let registers = &found.registers;
    let late: i64 = found.columns.iter().map(|column| column.late).sum();
    let branches = registers.usable_branches(&caller.scope).map(|one| SelectOption {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: place.branch == Some(one.code),
    });
    let board = KanbanBoard {
        title: format!("Quadro de {}", words.many.to_lowercase()),
        moves: place.build_link(""),
        changes: place.build_link("/mudancas"),
        since: found.now.millis(),
        triggers: crate::widgets::situation_form::describe_receivers(
            registers.receivers_for(kind.entity()).len(),
        ),
        takes_reason: true,
        columns: build_board_columns(&place, &found),
    };
    show_page(&SituationBoardPage {
        branches: branches.collect(),
        late: (late > 0).then(|| super::list::describe_overdue(late)),
        is_part: board_query.only.is_some(),
        whole: place.build_link(""),
        board,
        words,
        frame,
    })
}

/// Kind and branch of a board, and the links back to it.
struct SituationBoardAddress {
    kind: CaseKind,
    root: String,
    branch: Option<BranchCode>,
}

impl SituationBoardAddress {
    fn from_query(app: &App, kind: CaseKind, query: &QueryParams) -> SituationBoardAddress {
        let branch = query.text("codLoja").parse().ok().map(BranchCode::new);
        SituationBoardAddress {
            kind,
            root: format!("{}/console/{}", derive_root_path(app), describe_case_kind(kind).path),
            branch,
        }
    }

    fn build_link(&self, suffix: &str) -> String {
        let query = self.branch.map(|branch| format!("?codLoja={branch}")).unwrap_or_default();
        format!("{}/quadro{suffix}{query}", self.root)
    }

    fn build_more_link(&self, situation: SituationCode, (at, code): boards::ColumnCursor) -> String {
        let base = self.build_link("");
        let join = if base.contains('?') { '&' } else { '?' };
        format!("{base}{join}coluna={situation}&depois={}-{code}", at.millis())
    }
}

/// Reads which column is shown, and the card after which it continues.
fn parse_board_view(place: &SituationBoardAddress, query: &QueryParams) -> SituationBoardQuery {
    let cursor = query
        .text("depois")
        .split_once('-')
        .and_then(|(at, code)| Some((Moment::from_millis(at.parse().ok()?), code.parse().ok()?)));
    let only = query.text("coluna").parse().ok().map(|code| (SituationCode::new(code), cursor));
    SituationBoardQuery { branch: place.branch, only }
}

fn build_board_columns(
    place: &SituationBoardAddress,
    found: &boards::CaseSituationBoard,
) -> Vec<KanbanColumn> {
    let registers = &found.registers;
    // Includes situations that this part of the board does not show.
    let every: Vec<_> = registers.situations.iter().filter(|one| one.entity == place.kind.entity()).collect();
    let column = |one: &boards::SituationColumn| {
        let to = registers.situation(one.situation);
        let closes = to.is_some_and(|to| to.kind.is_final());
        let cancels = to.is_some_and(|to| to.kind == SituationKind::Cancelled);
        let is_open = to.is_some_and(|to| to.active);
        let origins = every.iter().filter(|origin| origin.code != one.situation && is_open);
        let origins: Vec<_> =
            origins.filter(|origin| registers.may_change_situation(origin.code, one.situation)).collect();
        let needs_reason = origins.iter().filter(|origin| cancels || (origin.kind.is_final() && !closes));
        KanbanColumn {
            id: one.situation.get(),
            title: to.map_or_else(String::new, |to| to.name.clone()),
            class: format!("s{}", one.situation),
            count: format_capped_count(one.total),
            note: if one.late > 0 { super::list::describe_overdue(one.late) } else { String::new() },
            cards: one.rows.iter().map(|item| build_case_card(place, registers, item, found.now)).collect(),
            more: one.next.map(|next| place.build_more_link(one.situation, next)),
            newest_first: closes,
            needs_reason: needs_reason.map(|origin| origin.code.get()).collect(),
            from: origins.iter().map(|origin| origin.code.get()).collect(),
        }
    };
    found.columns.iter().map(column).collect()
}

fn format_capped_count(total: i64) -> String {
    match total >= boards::LARGEST_COUNT {
        true => format!("{}+", format_count(boards::LARGEST_COUNT)),
        false => format_count(total),
    }
}

fn build_case_card(
    place: &SituationBoardAddress,
    registers: &TenantRegisters,
    item: &ResolvedCase,
    now: Moment,
) -> KanbanCard {
    let head = item.case.head();
    let is_late = is_late(registers, item, now);
    let what = [find_type_name(registers, &item.case), item.plate.clone().unwrap_or_default()];
    let when = find_planned_time(&item.case).map(|at| format!("Para {}", format_moment(at, &registers.zone)));
    let badge = match item.case.priority() {
        Some(Priority::Urgent) => Some(("wrong", set_names::priority(Priority::Urgent).to_owned())),
        Some(Priority::High) => Some(("warn", set_names::priority(Priority::High).to_owned())),
        _ => None,
    };
    let since = format_age(now.duration_since(head.situation_since));
    let link = format!("{}/{}", place.root, item.code);
    KanbanCard {
        id: item.code,
        title: format!("{} · {}", head.protocol, item.name),
        lines: vec![
            what.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · "),
            when.unwrap_or_default(),
            item.responsible.as_ref().map(|name| format!("Cuida: {name}")).unwrap_or_default(),
        ],
        version: head.version.into(),
        badge,
        age: if is_late { format!("{since}, atrasado") } else { since },
        is_late,
        order: head.situation_since.millis(),
        mover: format!("{link}/situacao?volta=quadro"),
        link,
    }
}

/// `GET /console/eventos/quadro/mudancas`
pub async fn show_board_changes(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    query: QueryParams,
) -> HandlerResult {
    let place = SituationBoardAddress::from_query(&app, kind, &query);
    answer_with_changes(&app, &user, &place, query.text("desde"), None).await
}

/// `POST /console/eventos/quadro`
pub async fn move_case_card(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    query: QueryParams,
    ScriptRequestFlag(by_script): ScriptRequestFlag,
    form: SubmittedForm,
) -> HandlerResult {
    let code = form.text("codigo").parse().map_err(|_| Refusal::NotThere)?;
    let place = SituationBoardAddress::from_query(&app, kind, &query);
    let change = SituationChangeInput {
        to: form.text("para"),
        reason: form.text("motivo").trim(),
        version: form.text("versao"),
    };
    let outcome = change_situation::change_case_situation(&app, &user, (kind, code), change).await?;
    match (by_script, outcome) {
        (false, Ok(notice)) => Ok(redirect_with_notice(&place.build_link(""), &notice)),
        (false, Err(problems)) => {
            change_situation::render_situation_page(&app, &user, (kind, code), (change, true, problems)).await
        }
        (true, outcome) => answer_with_changes(&app, &user, &place, form.text("desde"), outcome.err()).await,
    }
}

/// Answers the board's script: the changes since its last request, and why a move was refused.
async fn answer_with_changes(
    app: &App,
    user: &SignedInUser,
    place: &SituationBoardAddress,
    since: &str,
    problems: Option<Vec<String>>,
) -> HandlerResult {
    let found = match since.parse().map(Moment::from_millis) {
        Ok(since) => boards::read_board_changes(app, user.session(), place.kind, place.branch, since).await?,
        Err(_) => None,
    };
    let board = found.map(|found| (found.now.millis(), build_board_columns(place, &found)));
    match problems {
        Some(problems) => board::render_refused_move(board, problems),
        None => board::render_board_changes(board),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/quadro.html", |with| {
    crate::template_tests::render_template(&SituationBoardPage {
        frame: with.frame(),
        words: describe_case_kind(CaseKind::Claim),
        board: with.board(),
        branches: with.choices(),
        late: with.option_of(|| with.text()),
        is_part: with.is_filled(),
        whole: with.text(),
    })
})];
