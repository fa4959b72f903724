//! The overview of all registers and their purpose.

use super::format_plural_title;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_count;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::registers::{self, LARGEST_EXACT_COUNT};
use askama::Template;
use axum::extract::State;

pub struct RegisterSummary {
    path: &'static str,
    name: String,
    about: &'static str,
    count: String,
}

#[derive(Template)]
#[template(path = "console/cadastros.html")]
struct RegisterOverviewPage {
    frame: PageFrame,
    sections: Vec<(&'static str, Vec<RegisterSummary>)>,
}

pub async fn show_register_overview(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "cadastros").await?;
    let mut sections: Vec<(&'static str, Vec<RegisterSummary>)> = Vec::new();
    for (register, number) in registers::count_records(&app, user.session()).await? {
        let place = RegisterSummary {
            path: register.path,
            name: format_plural_title(register),
            about: register.about,
            count: match number {
                None => String::new(),
                Some(many) if many > LARGEST_EXACT_COUNT => {
                    format!("mais de {}", format_count(LARGEST_EXACT_COUNT))
                }
                Some(number) => format_count(number),
            },
        };
        match sections.last_mut().filter(|(section, _)| *section == register.section) {
            Some((_, places)) => places.push(place),
            None => sections.push((register.section, vec![place])),
        }
    }
    show_page(&RegisterOverviewPage { frame, sections })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/cadastros.html", |with| {
    let place = || RegisterSummary {
        path: "plano",
        name: with.text(),
        about: "O que se oferece.",
        count: with.text(),
    };
    crate::template_tests::render_template(&RegisterOverviewPage {
        frame: with.frame(),
        sections: with.list_of(|| ("Vendas", with.list_of(place))),
    })
})];
