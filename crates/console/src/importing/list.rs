//! Every import that somebody may see, the newest first.

use super::{PLACE, by, counted, state, words};
use crate::frame::Frame;
use crate::page::show;
use crate::show::{Pager, moment};
use crate::visitor::{Guest, Query};
use app::importing::{self, Import};
use app::{App, Error, users};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{ImportState, TimeZone, UserCode};
use std::collections::HashMap;

const SIZE: i64 = 50;

struct Row {
    link: String,
    what: &'static str,
    file: String,
    when: String,
    who: String,
    state: &'static str,
    class: &'static str,
    counts: String,
}

#[derive(Template)]
#[template(path = "console/importacoes.html")]
struct List {
    frame: Frame,
    rows: Vec<Row>,
    pager: Pager,
}

/// `GET /console/importar`
pub async fn page(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<List, Error> {
    let scope = &guest.session().scope;
    let frame = Frame::of(app, guest, PLACE).await?;
    let number = query.page();
    let (imports, total) = importing::page(app, &by(guest), (SIZE, i64::from(number - 1) * SIZE)).await?;
    let registers = app::base::registers(app, scope.tenant()).await?;
    let mut names: HashMap<UserCode, String> = HashMap::new();
    if guest.is_admin() {
        names.extend(
            users::list(app, scope).await?.into_iter().map(|user| (user.code, user.name.to_string())),
        );
    }
    names.insert(guest.session().user, guest.visitor.name.clone());
    let row = |import: &Import| row(&frame.root, import, &names, &registers.zone);
    Ok(List {
        rows: imports.iter().map(row).collect(),
        pager: Pager::new(number, total, SIZE, |page| query.with_page(page)),
        frame,
    })
}

fn row(root: &str, import: &Import, names: &HashMap<UserCode, String>, zone: &TimeZone) -> Row {
    let (word, class) = state(import);
    let who = match import.user {
        Some(user) => names.get(&user).cloned().unwrap_or_else(|| format!("usuário {user}")),
        None => "linha de comando".to_owned(),
    };
    Row {
        link: format!("{root}/console/importar/{}", import.code),
        what: words(import.kind).title,
        file: import.file_name.clone(),
        when: moment(import.created_at, zone),
        who,
        state: word,
        class,
        counts: counts(import),
    }
}

/// What it came to so far, in few words.
fn counts(import: &Import) -> String {
    let of = &import.counts;
    let all = match import.state {
        ImportState::Undone | ImportState::Undoing => vec![
            (of.removed, "removido", "removidos"),
            (of.restored, "restaurado", "restaurados"),
            (of.kept, "mantido", "mantidos"),
        ],
        _ => vec![
            (of.created, "novo", "novos"),
            (of.changed, "alterado", "alterados"),
            (of.same, "igual", "iguais"),
            (of.refused, "com problema", "com problema"),
        ],
    };
    let said: Vec<String> = all
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| counted(number, one, many))
        .collect();
    if said.is_empty() { counted(import.total, "linha", "linhas") } else { said.join(", ") }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/importacoes.html", |with| {
    let row = || Row {
        link: with.text(),
        what: "Associados",
        file: with.text(),
        when: with.text(),
        who: with.text(),
        state: "Concluída",
        class: "fine",
        counts: with.text(),
    };
    crate::rendered::text(&List { frame: with.frame(), rows: with.many(row), pager: with.pager() })
})];
