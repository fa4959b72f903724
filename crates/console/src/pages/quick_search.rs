//! `/console/busca`: one search for everything. A single match redirects to its page.

use super::cases;
use super::finance::list::parse_amount;
use super::finance::title_matches::{FoundTitleLine, find_title_matches, link_more_titles};
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::pages::member_list::{COLUMNS, build_member_row};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_count;
use crate::widgets::frame::PageFrame;
use crate::widgets::list_tools::{TableRow, TableToolbar, build_default_toolbar};
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use app::quick_search;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Document;
use std::collections::BTreeSet;

struct FoundCaseLine {
    link: String,
    what: String,
    name: String,
    situation: SituationBadge,
}

#[derive(Template)]
#[template(path = "console/busca.html")]
struct SearchResultPage {
    frame: PageFrame,
    rows: Vec<TableRow>,
    around: TableToolbar,
    first_column: &'static str,
    cases: Vec<FoundCaseLine>,
    titles: Vec<FoundTitleLine>,
    /// All titles of the value that was typed, if there may be more.
    more_titles: Option<String>,
    total: String,
    has_more: bool,
    more: String,
}

/// `GET /console/busca`, also for bookmarked searches.
pub async fn show_search_results(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    answer_search(&app, &user, &query).await
}

/// `POST /console/busca`: documents, phones and card numbers stay out of the URL, which browsers and proxies store;
/// other searches redirect to a URL that can be bookmarked.
pub async fn submit_search(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let query = QueryParams::from_form(&form);
    if is_private(query.text("q")) {
        return answer_search(&app, &user, &query).await;
    }
    let query = query.with_parameter("", "");
    Ok(redirect_to(&format!("{}/console/busca{query}", derive_root_path(&app))))
}

/// Whether a text may be a document, a phone or a card number, judging by its digits.
fn is_private(text: &str) -> bool {
    Document::parse(text).is_ok() || text.chars().filter(char::is_ascii_digit).count() >= 8
}

async fn answer_search(app: &App, user: &SignedInUser, query: &QueryParams) -> HandlerResult {
    let text: String = query.text("q").chars().take(200).collect();
    // A value means titles alone, not a protocol with the same digits.
    let found = match parse_amount(&text) {
        Some(_) => quick_search::GlobalSearchResult::default(),
        None => match quick_search::search_everything(app, user.session(), &text).await {
            Err(Error::Refused(_)) => quick_search::GlobalSearchResult::default(),
            found => found?,
        },
    };
    let titles = find_title_matches(app, user, &text).await?;
    if let Some(only) = find_single_match(&found, &titles) {
        return Ok(redirect_to(&format!("{}{only}", derive_root_path(app))));
    }
    render_page(StatusCode::OK, &build_search_page(app, user, &text, &found, titles).await?)
}

/// Path of the only match.
fn find_single_match(found: &quick_search::GlobalSearchResult, titles: &[FoundTitleLine]) -> Option<String> {
    let people: BTreeSet<_> = found.rows.iter().map(|row| row.person.code).collect();
    match (people.first(), people.len(), &found.cases[..], titles) {
        (Some(only), 1, [], []) => Some(format!("/console/associados/{only}")),
        (None, _, [case], []) => Some(cases::build_case_path(case)),
        (None, _, [], [title]) => Some(format!("/console/financeiro/titulos/{}", title.code)),
        _ => None,
    }
}

async fn build_search_page(
    app: &App,
    user: &SignedInUser,
    text: &str,
    found: &quick_search::GlobalSearchResult,
    titles: Vec<FoundTitleLine>,
) -> Result<SearchResultPage, Error> {
    let mut frame = PageFrame::load(app, user, "busca").await?;
    text.clone_into(&mut frame.query);
    let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
    let more: String = form_urlencoded::Serializer::new(String::new()).append_pair("nome", text).finish();
    let toolbar = build_default_toolbar(COLUMNS);
    Ok(SearchResultPage {
        rows: found
            .rows
            .iter()
            .map(|found| build_member_row(&registers, found, &frame.root, &toolbar))
            .collect(),
        first_column: "Associado",
        cases: found
            .cases
            .iter()
            .map(|one| {
                let head = one.case.head();
                FoundCaseLine {
                    link: format!("{}{}", frame.root, cases::build_case_path(one)),
                    what: format!("{} {}", cases::describe_case_kind(one.case.kind()).one, head.protocol),
                    name: one.name.clone(),
                    situation: build_situation_badge(&registers, head.situation),
                }
            })
            .collect(),
        more_titles: link_more_titles(&frame.root, text, titles.len()),
        titles,
        around: toolbar,
        total: format_count(found.total),
        has_more: found.total > found.rows.len() as i64,
        more: format!("{}/console/associados?{more}", frame.root),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/busca.html", |with| {
    let case =
        || FoundCaseLine { link: with.text(), what: with.text(), name: with.text(), situation: with.badge() };
    crate::template_tests::render_template(&SearchResultPage {
        frame: with.frame(),
        rows: with.list_of(|| with.row()),
        around: with.toolbar(),
        first_column: "Associado",
        cases: with.list_of(case),
        titles: with.list_of(|| FoundTitleLine::sample(*with)),
        more_titles: with.option_of(|| with.text()),
        total: with.text(),
        has_more: true,
        more: with.text(),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_telephones_and_cards_stay_out_of_addresses() {
        for private in [
            "529.982.247-25",
            "52998224725",
            "11.222.333/0001-81",
            "12ABC34501DE35",
            "98765-4321",
            "1234567890123",
        ] {
            assert!(is_private(private), "{private}");
        }
        for open in ["maria silva", "ABC1D23", "1234567", "", "9BWZZZ37VT004"] {
            assert!(!is_private(open), "{open}");
        }
    }
}
