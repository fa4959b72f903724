//! `/console/associados`: members with their benefits, found by whatever is known of them.

use crate::frame::Frame;
use crate::page::show;
use crate::show::Pager;
use crate::visitor::{Guest, Query};
use app::base::Registers;
use app::searches::{self, Found};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{Entity, shown};
use wire::records::PesquisaAssociadoQuery;

const PAGE: i64 = 100;

/// A situation as its badge shows it.
pub struct Badge {
    pub code: i32,
    pub name: String,
}

pub fn badge(registers: &Registers, code: domain::SituationCode) -> Badge {
    let name = registers.situation(code).map_or_else(String::new, |one| one.name.clone());
    Badge { code: code.get(), name }
}

pub struct Row {
    pub person: i32,
    pub name: String,
    pub document: String,
    pub phone: String,
    pub branch: String,
    pub benefit: Option<RowBenefit>,
}

pub struct RowBenefit {
    pub code: i32,
    pub what: String,
    pub sequence: i32,
    pub situation: Badge,
}

/// What may be chosen in a list, and whether it is.
pub struct Choice {
    pub value: String,
    pub name: String,
    pub is_chosen: bool,
}

#[derive(Template)]
#[template(path = "console/associados.html")]
struct Members {
    frame: Frame,
    rows: Vec<Row>,
    pager: Pager,
    problems: Vec<String>,
    name: String,
    document: String,
    plate: String,
    situations: Vec<Choice>,
    branches: Vec<Choice>,
    plans: Vec<Choice>,
    is_filtered: bool,
}

pub async fn list(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

const FILTERS: [&str; 6] = ["nome", "cpf", "placa", "situacaoBeneficio", "codLoja", "codPlano"];

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<Members, Error> {
    let frame = Frame::of(app, guest, "associados").await?;
    let caller = guest.session();
    let registers = app::base::registers(app, caller.scope.tenant()).await?;
    let given = FILTERS.iter().map(|name| (*name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let asked = given.clone().map(|(name, text)| (name.to_owned(), text.to_owned()));
    let page = ("pagina".to_owned(), query.page().to_string());
    let asked: Result<PesquisaAssociadoQuery, _> = wire::read::query(asked.chain([page]));
    let (rows, total, problems) = match asked {
        Ok(asked) => match searches::rows(app, caller, asked, "GET /console/associados").await {
            Ok(page) => (page.rows, page.total, Vec::new()),
            Err(Error::Refused(problems)) => {
                (Vec::new(), 0, problems.iter().map(wire::refusal::text).collect())
            }
            Err(error) => return Err(error),
        },
        Err(problems) => (Vec::new(), 0, problems.into_lines()),
    };
    let chosen = |name: &str, value: &str| query.text(name) == value;
    let situations = registers.situations_of(Entity::Benefit).map(|one| Choice {
        value: one.name.clone(),
        name: one.name.clone(),
        is_chosen: chosen("situacaoBeneficio", &one.name),
    });
    let branches = registers.branches_of(&caller.scope).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: chosen("codLoja", &one.code.to_string()),
    });
    let plans = registers.plans.iter().filter(|one| one.active).map(|one| Choice {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: chosen("codPlano", &one.code.to_string()),
    });
    Ok(Members {
        rows: rows.iter().map(|found| row(&registers, found)).collect(),
        pager: Pager::new(query.page(), total, PAGE, |page| query.with_page(page)),
        problems,
        name: query.text("nome").to_owned(),
        document: query.text("cpf").to_owned(),
        plate: query.text("placa").to_owned(),
        situations: situations.collect(),
        branches: branches.collect(),
        plans: plans.collect(),
        is_filtered: given.count() > 0,
        frame,
    })
}

pub fn row(registers: &Registers, found: &Found) -> Row {
    let person = &found.person;
    let phone = person.mobile.as_deref().or(person.landline.as_deref());
    Row {
        person: person.code.get(),
        name: person.name.clone(),
        document: person.document.as_deref().map(shown::document).unwrap_or_default(),
        phone: phone.map(shown::phone).unwrap_or_default(),
        branch: registers.branch_name(found.branch).to_owned(),
        benefit: found.benefit.as_ref().map(|benefit| RowBenefit {
            code: benefit.code.get(),
            what: benefit.plate.clone().unwrap_or_else(|| {
                let plan = benefit.plans.first().and_then(|(code, _)| registers.plan(*code));
                plan.map_or_else(String::new, |plan| plan.name.clone())
            }),
            sequence: benefit.sequence,
            situation: badge(registers, benefit.situation),
        }),
    }
}

#[cfg(test)]
pub fn row_case(with: &crate::rendered::Sample) -> Row {
    let benefit = || RowBenefit { code: 7, what: with.text(), sequence: 1, situation: with.badge() };
    Row {
        person: 7,
        name: with.text(),
        document: with.text(),
        phone: with.text(),
        branch: with.text(),
        benefit: with.maybe(benefit),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/associados.html", |with| {
    let choices = || with.many(|| Choice { value: with.text(), name: with.text(), is_chosen: true });
    crate::rendered::text(&Members {
        frame: with.frame(),
        rows: with.many(|| row_case(with)),
        pager: Pager::new(2, 250, 100, |_| with.text()),
        problems: with.many(|| with.text()),
        name: with.text(),
        document: with.text(),
        plate: with.text(),
        situations: choices(),
        branches: choices(),
        plans: choices(),
        is_filtered: with.is_full(),
    })
})];
