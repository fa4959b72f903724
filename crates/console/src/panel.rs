//! `/console`: the figures that a day begins with.

use crate::first_steps::{self, Step};
use crate::frame::Frame;
use crate::page::show;
use crate::show::{Chart, count};
use crate::visitor::Guest;
use app::{App, Error, panel};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{Entity, SituationKind};

#[derive(Template)]
#[template(path = "console/painel.html")]
struct Panel {
    frame: Frame,
    /// Figure, what it is, where its rows are.
    figures: Vec<(String, &'static str, String)>,
    by_situation: Chart,
    by_branch: Chart,
    is_empty: bool,
    /// While there is no benefit, for those who can change that.
    steps: Option<Vec<Step>>,
}

pub async fn page(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, made(&app, &guest).await)
}

async fn made(app: &App, guest: &Guest) -> Result<Panel, Error> {
    let frame = Frame::of(app, guest, "painel").await?;
    let figures = panel::figures(app, guest.session()).await?;
    let registers = &figures.registers;
    let to = |name: &str, value: &str| {
        let query: String = form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
        format!("{}/console/associados?{query}", frame.root)
    };
    let of_kind = |kind: SituationKind| -> i64 {
        let situations = registers.situations.iter().filter(|one| one.kind == kind);
        situations.filter_map(|one| figures.by_situation.get(&one.code)).sum()
    };
    let link = |kind: SituationKind| {
        let named = registers.default_situation(Entity::Benefit, kind);
        named.map_or_else(
            || format!("{}/console/beneficios", frame.root),
            |one| to("situacaoBeneficio", &one.name),
        )
    };
    let cells = [
        (SituationKind::Active, "benefícios ativos"),
        (SituationKind::Pending, "à espera de ativação"),
        (SituationKind::Suspended, "suspensos"),
        (SituationKind::Cancelled, "cancelados"),
    ];
    let cells = cells.map(|(kind, name)| (count(of_kind(kind)), name, link(kind)));
    let mut situations: Vec<_> =
        registers.situations.iter().filter(|one| one.entity == Entity::Benefit).collect();
    situations.sort_by_key(|one| std::cmp::Reverse(figures.by_situation.get(&one.code)));
    let by_situation = situations.iter().map(|one| {
        let number = figures.by_situation.get(&one.code).copied().unwrap_or(0);
        (one.name.clone(), number, format!("s{}", one.code), Some(to("situacaoBeneficio", &one.name)))
    });
    let mut branches: Vec<_> = figures.by_branch.iter().collect();
    branches.sort_by_key(|(_, number)| std::cmp::Reverse(**number));
    let by_branch = branches.iter().take(12).map(|(branch, number)| {
        let name = registers.branch_name(**branch).chars().take(20).collect();
        (name, **number, String::new(), Some(to("codLoja", &branch.to_string())))
    });
    let by_situation = Chart::new("Benefícios por situação", "Situação", by_situation.collect());
    let by_branch = Chart::new("Benefícios por loja", "Loja", by_branch.collect());
    let is_empty = figures.total == 0;
    let steps = if is_empty { first_steps::of(app, guest).await? } else { None };
    Ok(Panel { figures: cells.to_vec(), by_situation, by_branch, is_empty, steps, frame })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/painel.html", |with| {
    let bars = || with.many(|| (with.text(), 3, "s3".to_owned(), with.maybe(|| with.text())));
    let step = |is_done| Step {
        title: "Planos",
        text: "O que se oferece.",
        link: "/x",
        doing: "Cadastrar",
        is_done,
    };
    let page = |is_empty: bool| Panel {
        frame: with.frame(),
        figures: with.many(|| (with.text(), "ativos", with.text())),
        by_situation: Chart::new("Um", "O quê", bars()),
        by_branch: Chart::new("Outro", "O quê", bars()),
        is_empty,
        steps: is_empty.then(|| vec![step(true), step(false)]),
    };
    [page(false), page(true)].iter().map(crate::rendered::text).collect()
})];
