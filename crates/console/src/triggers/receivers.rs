//! Every receiver, with its health at a glance.

use super::shown::{self, State};
use crate::admin::must_administer;
use crate::frame::Frame;
use crate::page::show;
use crate::show::moment;
use crate::visitor::Guest;
use app::receivers;
use app::triggers;
use app::{App, Error, Vault};
use askama::Template;
use axum::Extension;
use axum::extract::State as Of;
use axum::response::Response;

struct Line {
    code: i32,
    address: String,
    entities: String,
    state: State,
    waiting: String,
    oldest: String,
    share: String,
    arrived: String,
    trouble: String,
}

#[derive(Template)]
#[template(path = "console/gatilhos.html")]
struct List {
    frame: Frame,
    lines: Vec<Line>,
    /// Address and code of those that are told of nothing any more.
    retired: Vec<(i32, String)>,
}

pub async fn page(Of(app): Of<App>, guest: Guest, Extension(vault): Extension<Vault>) -> Response {
    show(&guest, made(&app, &guest, &vault).await)
}

async fn made(app: &App, guest: &Guest, vault: &Vault) -> Result<List, Error> {
    must_administer(guest.session())?;
    let frame = Frame::of(app, guest, "gatilhos").await?;
    let tenant = guest.session().scope.tenant();
    let registers = app::base::registers(app, tenant).await?;
    let (now, zone) = (app.now(), &registers.zone);
    let all = receivers::all(app, vault, tenant).await?;
    let (used, retired): (Vec<_>, Vec<_>) = all.into_iter().partition(|told| told.receiver.active);
    let codes = used.iter().map(|told| told.receiver.code).collect();
    let fares = triggers::fares(app, tenant, codes).await?;
    let lines = used.iter().zip(&fares).map(|(told, fares)| {
        let one = &told.receiver;
        let entities: Vec<&str> = one.entities.iter().map(|entity| shown::entity(*entity)).collect();
        Line {
            code: one.code.get(),
            address: one.address.clone(),
            entities: entities.join(", "),
            state: shown::state(told, now, zone),
            waiting: shown::waiting(fares),
            oldest: shown::oldest(fares, now),
            share: shown::share(fares),
            arrived: one.health.succeeded_at.map(|at| moment(at, zone)).unwrap_or_default(),
            trouble: shown::trouble(fares, zone),
        }
    });
    let retired = retired.into_iter().map(|told| (told.receiver.code.get(), told.receiver.address));
    Ok(List { lines: lines.collect(), retired: retired.collect(), frame })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/gatilhos.html", |with| {
    let line = || Line {
        code: 7,
        address: with.text(),
        entities: with.text(),
        state: State { word: "Bem", class: "fine", told: with.text() },
        waiting: with.text(),
        oldest: with.text(),
        share: with.text(),
        arrived: with.text(),
        trouble: with.text(),
    };
    crate::rendered::text(&List {
        frame: with.frame(),
        lines: with.many(line),
        retired: with.many(|| (7, with.text())),
    })
})];
