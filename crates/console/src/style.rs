//! `/console/estilo`: every part that pages are made of, in every state, on one page.

use crate::frame::Frame;
use crate::members::Badge;
use crate::page::show;
use crate::show::{Chart, Pager};
use crate::visitor::Guest;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;

#[derive(Template)]
#[template(path = "console/estilo.html")]
struct Style {
    frame: Frame,
    situations: Vec<(&'static str, Vec<Badge>)>,
    chart: Chart,
    pager: Pager,
}

pub async fn page(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, made(&app, &guest).await)
}

async fn made(app: &App, guest: &Guest) -> Result<Style, Error> {
    let frame = Frame::of(app, guest, "estilo").await?;
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let situations = domain::Entity::ALL.iter().map(|entity| {
        let badges = registers.situations_of(*entity);
        let badges = badges.map(|one| Badge { code: one.code.get(), name: one.name.clone() }).collect();
        (wire::names::entity(*entity), badges)
    });
    let bar = |name: &str, number| (name.to_owned(), number, String::new(), None);
    let bars = vec![bar("Muitos", 1_234_567), bar("Alguns", 345_678), bar("Um", 1), bar("Nenhum", 0)];
    Ok(Style {
        situations: situations.collect(),
        chart: Chart::new("Um gráfico de exemplo", "O quê", bars),
        pager: Pager::new(2, 250, 100, |page| format!("?pagina={page}")),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/estilo.html", |with| {
    crate::rendered::text(&Style {
        frame: with.frame(),
        situations: vec![("benefício", with.many(|| with.badge()))],
        chart: Chart::new("Um", "O quê", with.many(|| (with.text(), 3, String::new(), None))),
        pager: Pager::new(2, 250, 100, |_| with.text()),
    })
})];
