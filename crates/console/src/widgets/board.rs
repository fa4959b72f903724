//! A kanban board: columns of cards for anything that has situations or stages. Its templates are `quadro_colunas.html`
//! (which needs a variable `board`) and `quadro_mudancas.html`. `quadro.js` lets users drag cards or move them by keys
//! and by a dialog, loads more of a column when its end is visible, and polls for changes by others. Without scripts a
//! card leads to a form that moves it.
//!
//! A move is a form (`codigo`, `para`, `versao`, `motivo`) with the header `x-quadro`. The answer comes from
//! [`render_board_changes`] or [`render_refused_move`], in the same format as the changes.

use super::page::{HandlerResult, render_frameless_page};
use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;

pub struct KanbanBoard {
    /// Label for screen readers.
    pub title: String,
    /// URLs that receive moves and that return changes (with `desde`).
    pub moves: String,
    pub changes: String,
    /// Time up to which the board is current, as `changes` expects it.
    pub since: i64,
    pub columns: Vec<KanbanColumn>,
    /// Effects of a move, as the dialog describes them.
    pub triggers: String,
    /// Whether a move accepts a reason.
    pub takes_reason: bool,
}

pub struct KanbanColumn {
    pub id: i32,
    pub title: String,
    /// Class of the badge that has its colour.
    pub class: String,
    pub count: String,
    /// Additional text, such as the number of overdue cards.
    pub note: String,
    pub cards: Vec<KanbanCard>,
    /// Link to more cards.
    pub more: Option<String>,
    pub newest_first: bool,
    /// Columns from which a card may come, and those of them that require a reason.
    pub from: Vec<i32>,
    pub needs_reason: Vec<i32>,
}

impl KanbanColumn {
    pub fn sources(&self) -> String {
        join_codes(&self.from)
    }

    pub fn explained(&self) -> String {
        join_codes(&self.needs_reason)
    }
}

fn join_codes(codes: &[i32]) -> String {
    codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

pub struct KanbanCard {
    pub id: i32,
    pub title: String,
    pub link: String,
    pub lines: Vec<String>,
    pub version: i64,
    /// Class and text.
    pub badge: Option<(&'static str, String)>,
    /// How long the card has been in its column.
    pub age: String,
    pub is_late: bool,
    /// Sort key within the column.
    pub order: i64,
    /// Form that moves the card without scripts.
    pub mover: String,
}

/// Changes of a board, applied by its script.
#[derive(Template)]
#[template(path = "console/quadro_mudancas.html")]
pub struct BoardChangesPage {
    /// `None` tells the script to reload the page.
    pub since: Option<i64>,
    pub columns: Vec<KanbanColumn>,
    /// Why a move was refused.
    pub problems: Vec<String>,
}

/// Answers a request for changes, and a successful move.
pub fn render_board_changes(board: Option<(i64, Vec<KanbanColumn>)>) -> HandlerResult {
    render_board_answer(StatusCode::OK, board, Vec::new())
}

/// Answers a refused move: the reason, and where the card is now. An outdated board gets only the reason.
pub fn render_refused_move(board: Option<(i64, Vec<KanbanColumn>)>, problems: Vec<String>) -> HandlerResult {
    render_board_answer(StatusCode::CONFLICT, board, problems)
}

fn render_board_answer(
    status: StatusCode,
    board: Option<(i64, Vec<KanbanColumn>)>,
    problems: Vec<String>,
) -> HandlerResult {
    let (since, columns) = board.map_or((None, Vec::new()), |(since, columns)| (Some(since), columns));
    render_frameless_page(status, &BoardChangesPage { since, columns, problems })
}

/// Whether the board's script sent the request, and not a form.
pub struct ScriptRequestFlag(pub bool);

impl<S: Sync> FromRequestParts<S> for ScriptRequestFlag {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<ScriptRequestFlag, Self::Rejection> {
        Ok(ScriptRequestFlag(parts.headers.contains_key("x-quadro")))
    }
}

/// `há 3 dias`
pub fn format_age(span: std::time::Duration) -> String {
    let minutes = span.as_secs() / 60;
    let with_unit = |number: u64, one: &str, many: &str| match number {
        1 => format!("há 1 {one}"),
        _ => format!("há {number} {many}"),
    };
    match minutes {
        0 => "agora".to_owned(),
        1..60 => with_unit(minutes, "minuto", "minutos"),
        60..1440 => with_unit(minutes / 60, "hora", "horas"),
        _ => with_unit(minutes / 1440, "dia", "dias"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_age_is_told_in_the_largest_whole_unit() {
        let format_seconds = |seconds| format_age(Duration::from_secs(seconds));
        assert_eq!(
            [0, 59, 60, 3599, 3600, 86_399, 86_400, 864_000].map(format_seconds),
            [
                "agora",
                "agora",
                "há 1 minuto",
                "há 59 minutos",
                "há 1 hora",
                "há 23 horas",
                "há 1 dia",
                "há 10 dias"
            ]
        );
    }

    fn card(id: i32, title: &str, line: &str) -> KanbanCard {
        KanbanCard {
            id,
            title: title.to_owned(),
            link: format!("/console/eventos/{id}"),
            lines: vec![line.to_owned(), "Cuida: Administração Demonstração".to_owned()],
            version: 1,
            badge: Some(("warn", "'&".to_owned())),
            age: "há 9 dias, atrasado".to_owned(),
            is_late: true,
            order: 1_794_663_125_000,
            mover: format!("/console/eventos/{id}/situacao?volta=quadro"),
        }
    }

    fn column(id: i32, title: &str, cards: Vec<KanbanCard>) -> KanbanColumn {
        KanbanColumn {
            id,
            title: title.to_owned(),
            class: format!("s{id}"),
            count: "5.000".to_owned(),
            note: String::new(),
            cards,
            more: Some("/console/eventos/quadro?coluna=7&depois=1-1".to_owned()),
            newest_first: false,
            from: vec![8, 9],
            needs_reason: Vec::new(),
        }
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let cards = vec![card(1, "<script>alert(1)</script>", &format!("\"><b>{}", "💥".repeat(300)))];
        let columns = vec![column(7, "<i>", cards)];
        let changes = BoardChangesPage { since: Some(5), columns, problems: vec!["<u>".to_owned()] };
        let page = changes.render().unwrap();
        assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("<u>"), "{page}");
        assert!(page.contains("data-de=\"8 9\""), "{page}");
    }

    /// The size does not depend on the number of cards: this is the page of eight columns of five thousand each.
    #[test]
    fn a_full_board_is_a_small_page() {
        let sample_cards = |id: i32| {
            (0..50).map(move |n| card(id * 50 + n, "4711 · Maria Aparecida de Souza", "Colisão · ABC1D23"))
        };
        let columns =
            (0..8).map(|id| column(id, "AGUARDANDO DOCUMENTOS", sample_cards(id).collect())).collect();
        let page = BoardChangesPage { since: Some(5), columns, problems: Vec::new() }.render().unwrap();
        assert!(page.len() < 256 * 1024, "{}", page.len());
    }
}
