//! `/console/beneficios`: benefits by what is known of them, or all in the order in which they began.

use super::what;
use crate::exporting::Links;
use crate::frame::Frame;
use crate::lists::{Around, Cell, Column, around, column};
use crate::members::{Choice, Row, badge, plans};
use crate::page::show;
use crate::records::labelled;
use crate::show::{Pager, month_name};
use crate::visitor::{Guest, Query};
use crate::words;
use app::base::Registers;
use app::saved::List;
use app::searches::{self, FoundBenefit, Part, Turn};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{BranchCode, Entity, shown};
use wire::records::PesquisaBeneficioQuery;

const PAGE: i64 = 100;

pub const COLUMNS: &[Column] = &[
    column("tipo", "Tipo", true),
    column("associado", "Associado", true),
    column("loja", "Loja", true),
    column("situacao", "Situação", true),
    column("planos", "Planos", false),
    column("cartao", "Cartão", false),
    column("vencimento", "Vencimento", false),
    column("adesao", "Adesão", false),
    column("ativacao", "Ativação", false),
    column("cancelamento", "Cancelamento", false),
    column("chassi", "Chassi", false),
    column("consultor", "Consultor", false),
    column("cadastro", "Cadastro", false),
];

#[derive(Template)]
#[template(path = "console/beneficios.html")]
struct Benefits {
    frame: Frame,
    around: Around,
    first_column: &'static str,
    rows: Vec<Row>,
    pager: Pager,
    problems: Vec<String>,
    /// What a link from elsewhere narrowed it to.
    told: String,
    plate: String,
    chassis: String,
    sequence: String,
    card: String,
    situations: Vec<Choice>,
    branches: Vec<Choice>,
    is_filtered: bool,
}

pub async fn list(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

/// What names a few benefits.
const KEYS: [&str; 4] = ["placa", "chassi", "sequencial", "numeroCartaoDesconto"];
const LABELS: [(&str, &str); 4] =
    [("placa", "Placa"), ("chassi", "Chassi"), ("sequencial", "Número"), ("numeroCartaoDesconto", "Cartão")];

/// What was found: rows, how many there are, what stands in the way.
type Matches = (Vec<FoundBenefit>, i64, Vec<String>);

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<Benefits, Error> {
    let frame = Frame::of(app, guest, "beneficios").await?;
    let caller = guest.session();
    let around = around(app, guest, List::Benefits, COLUMNS, query).await?;
    let registers = app::base::registers(app, caller.scope.tenant()).await?;
    let has_key = KEYS.iter().any(|name| !query.text(name).is_empty());
    let (rows, total, problems) = match has_key {
        true => by_key(app, guest, query).await?,
        false => by_part(app, guest, query, &registers).await?,
    };
    let situations = registers.situations_of(Entity::Benefit).map(|one| Choice {
        value: one.name.clone(),
        name: one.name.clone(),
        is_chosen: query.text("situacaoBeneficio") == one.name,
    });
    let branches = registers.branches_of(&caller.scope).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: query.text("codLoja") == one.code.to_string(),
    });
    Ok(Benefits {
        rows: rows.iter().map(|found| row(&registers, found, &frame.root, &around)).collect(),
        first_column: "Benefício",
        pager: Pager::new(query.page(), total, PAGE, |page| query.with_page(page)).exporting(Links::new(
            &frame.root,
            "beneficio",
            query.each().chain([("colunas", around.exported(&["codigo", "numero", "placa"]).as_str())]),
        )),
        problems,
        told: asked_month(query).map(|(turn, month)| told(turn, &month)).unwrap_or_default(),
        plate: query.text("placa").to_owned(),
        chassis: query.text("chassi").to_owned(),
        sequence: query.text("sequencial").to_owned(),
        card: query.text("numeroCartaoDesconto").to_owned(),
        situations: situations.collect(),
        branches: branches.collect(),
        is_filtered: !query.filters().is_empty(),
        around,
        frame,
    })
}

async fn by_key(app: &App, guest: &Guest, query: &Query) -> Result<Matches, Error> {
    let names = KEYS.into_iter().chain(["situacaoBeneficio"]);
    let given = names.map(|name| (name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let given = given.map(|(name, text)| match name {
        // However its digits were grouped.
        "numeroCartaoDesconto" => (name.to_owned(), text.split_whitespace().collect()),
        _ => (name.to_owned(), text.to_owned()),
    });
    let asked: PesquisaBeneficioQuery = match wire::read::query(given) {
        Ok(asked) => asked,
        Err(problems) => return Ok((Vec::new(), 0, labelled(problems.into_lines(), &LABELS))),
    };
    match searches::benefits(app, guest.session(), asked).await {
        Ok(mut found) => {
            let branch = query.text("codLoja").parse().ok().map(BranchCode::new);
            found.rows.retain(|row| branch.is_none_or(|branch| row.benefit.branch == branch));
            let total = found.rows.len() as i64;
            Ok((found.rows, total, Vec::new()))
        }
        Err(Error::Refused(problems)) => {
            let lines = problems.iter().map(wire::refusal::text).collect();
            Ok((Vec::new(), 0, labelled(lines, &LABELS)))
        }
        Err(error) => Err(error),
    }
}

async fn by_part(app: &App, guest: &Guest, query: &Query, registers: &Registers) -> Result<Matches, Error> {
    let named = query.text("situacaoBeneficio");
    let situation = registers.situation_named(Entity::Benefit, named).map(|one| one.code);
    if !named.is_empty() && situation.is_none() {
        return Ok((Vec::new(), 0, Vec::new()));
    }
    let branch = query.text("codLoja").parse().ok().map(BranchCode::new);
    let month = asked_month(query);
    let page = match (branch, situation, &month) {
        (None, None, None) => searches::list(app, guest.session(), query.page()).await?,
        _ => searches::listed(app, guest.session(), Part { branch, situation, month }, query.page()).await?,
    };
    Ok((page.rows, page.total, Vec::new()))
}

/// `entrada=2026-11` or `saida=2026-11`, as the panel links to them.
fn asked_month(query: &Query) -> Option<(Turn, String)> {
    let turns = [("entrada", Turn::Registered), ("saida", Turn::Cancelled)];
    let (name, turn) = turns.into_iter().find(|(name, _)| !query.text(name).is_empty())?;
    let text = query.text(name);
    let is_month = text.len() == 7
        && text.chars().enumerate().all(|(at, sign)| match at {
            4 => sign == '-',
            _ => sign.is_ascii_digit(),
        });
    is_month.then(|| (turn, text.to_owned()))
}

fn told(turn: Turn, month: &str) -> String {
    match turn {
        Turn::Registered => format!("Cadastrados em {}", month_name(month)),
        Turn::Cancelled => format!("Cancelados em {}", month_name(month)),
    }
}

fn row(registers: &Registers, found: &FoundBenefit, root: &str, around: &Around) -> Row {
    let benefit = &found.benefit;
    let shown_columns = around.columns.iter().filter(|(_, _, is_chosen)| *is_chosen);
    Row {
        person: benefit.person.get(),
        link: format!("{root}/console/beneficios/{}", found.code),
        name: what(registers, benefit),
        note: format!("nº {}", benefit.sequence),
        document: found.document.as_deref().map(shown::document).unwrap_or_default(),
        branch: registers.branch_name(benefit.branch).to_owned(),
        cells: shown_columns
            .map(|(name, title, _)| Cell { title, ..cell(registers, found, root, name) })
            .collect(),
    }
}

fn cell(registers: &Registers, found: &FoundBenefit, root: &str, name: &str) -> Cell {
    let benefit = &found.benefit;
    let text = |text: String| Cell { text, ..Cell::default() };
    let number = |text: String| Cell { text, class: "nowrap number", ..Cell::default() };
    let day = |day: Option<&str>| number(day.map(shown::day).unwrap_or_default());
    match name {
        "tipo" => text(words::kind(benefit.kind).to_owned()),
        "associado" => Cell {
            text: found.name.clone(),
            link: Some(format!("{root}/console/associados/{}", benefit.person)),
            ..Cell::default()
        },
        "loja" => text(registers.branch_name(benefit.branch).to_owned()),
        "situacao" => Cell { badge: Some(badge(registers, benefit.situation)), ..Cell::default() },
        "planos" => text(plans(registers, &benefit.plans)),
        "cartao" => number(benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        "vencimento" => text(benefit.due_day.map(|day| format!("dia {day}")).unwrap_or_default()),
        "adesao" => day(benefit.joined_on.as_deref()),
        "ativacao" => day(benefit.activated_on.as_deref()),
        "cancelamento" => day(benefit.cancelled_on.as_deref()),
        "chassi" => {
            number(benefit.vehicle.chassis.as_ref().map(|one| one.as_str().to_owned()).unwrap_or_default())
        }
        "consultor" => {
            let seller = found.consultant.and_then(|code| registers.seller_name(code));
            text(seller.unwrap_or_default().to_owned())
        }
        "cadastro" => number(benefit.created_at.date_in(&registers.zone).to_br()),
        _ => Cell::default(),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/beneficios.html", |with| {
    crate::rendered::text(&Benefits {
        frame: with.frame(),
        around: with.around(),
        first_column: "Benefício",
        rows: with.many(|| with.row()),
        pager: with.pager(),
        problems: with.many(|| with.text()),
        told: with.text(),
        plate: with.text(),
        chassis: with.text(),
        sequence: with.text(),
        card: with.text(),
        situations: with.choices(),
        branches: with.choices(),
        is_filtered: with.is_full(),
    })
})];
