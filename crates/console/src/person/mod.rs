//! `/console/associados/{codigo}`: a member's page, the whole story. How he is written down is in `form.rs`, what else he has
//! and what happened to him in `story.rs`.

mod fields;
mod form;
mod story;

pub use fields::{STATES, one_line};
pub use story::{Event, Timeline, told};

use crate::files::{self, Report};
use crate::frame::Frame;
use crate::members::{Badge, badge};
use crate::page::{page, refused, show};
use crate::visitor::{Guest, Number};
use crate::words;
use app::base::Registers;
use app::benefits::Benefit;
use app::files::Owner;
use app::people::{self, View};
use app::{App, Error, dependents};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use dispatch::{get, post};
use domain::{BenefitCode, Document, FileOwner, PersonCode, SituationKind};
use std::collections::BTreeMap;
use story::Section;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/console/associados/novo", get(form::new).merge(post(form::create)))
        .route("/console/associados/{codigo}", get(one))
        .route("/console/associados/{codigo}/alterar", get(form::edit).merge(post(form::change)))
}

/// A member with more benefits than this is a firm: its dependents are seen on the benefits' own pages.
const MOST_WITH_DEPENDENTS: usize = 20;

pub struct BenefitLine {
    code: i32,
    sequence: i32,
    what: String,
    kind: &'static str,
    plans: String,
    situation: Badge,
}

struct VehicleLine {
    benefit: i32,
    plate: String,
    model: String,
    year: String,
    colour: String,
    chassis: String,
}

struct DependentLine {
    code: i32,
    benefit: i32,
    name: String,
    kinship: &'static str,
    born: String,
    of: String,
    active: bool,
}

#[derive(Template)]
#[template(path = "console/associado.html")]
struct Person {
    frame: Frame,
    code: i32,
    name: String,
    document: String,
    groups: Vec<(&'static str, Vec<(&'static str, String)>)>,
    benefits: Vec<BenefitLine>,
    vehicles: Vec<VehicleLine>,
    dependents: Vec<DependentLine>,
    /// Benefits that may have another dependent.
    open_benefits: Vec<(i32, String)>,
    sections: Vec<Section>,
    timeline: Timeline,
    branch: String,
    since: String,
    files: files::Section,
}

pub async fn one(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, PersonCode::new(code), Report::default()).await)
}

/// The page with what was wrong with files that somebody sent.
pub async fn with_files(app: &App, guest: &Guest, code: PersonCode, report: Report) -> Response {
    match made(app, guest, code, report).await {
        Ok(template) => page(StatusCode::BAD_REQUEST, &template),
        Err(error) => refused(guest, &error),
    }
}

async fn made(app: &App, guest: &Guest, code: PersonCode, report: Report) -> Result<Person, Error> {
    let caller = guest.session();
    let view = people::member_whole(app, caller, code).await?;
    let frame = Frame::of(app, guest, "associados").await?;
    let history = people::history(app, caller, code).await?;
    let sections = story::sections(app, guest, &frame.root, (code, &view.profile.name)).await?;
    let owner = Owner { of: FileOwner::Member, record: code.get() };
    let files = files::section(app, guest, owner, report).await?;
    let registers = &view.registers;
    let named = |(code, one): &(BenefitCode, Benefit)| {
        let link = format!("{}/console/beneficios/{code}", frame.root);
        (*code, (crate::benefit::what(registers, one), link))
    };
    let of: BTreeMap<_, _> = view.benefits.iter().map(named).collect();
    Ok(Person {
        code: code.get(),
        name: view.profile.name.clone(),
        document: view.profile.document.as_ref().map(Document::to_string).unwrap_or_default(),
        groups: fields::groups(&view),
        benefits: view.benefits.iter().map(|(code, one)| line(registers, code.get(), one)).collect(),
        vehicles: view.benefits.iter().filter_map(|(code, one)| vehicle(code.get(), one)).collect(),
        dependents: all_dependents(app, guest, &view).await?,
        open_benefits: open_benefits(&view),
        timeline: told(history, &of).with(&sections, &view),
        sections,
        branch: registers.branch_name(view.profile.branch).to_owned(),
        since: view.profile.created_at.date_in(&registers.zone).to_br(),
        files,
        frame,
    })
}

fn open_benefits(view: &View) -> Vec<(i32, String)> {
    let cancelled = |one: &Benefit| view.registers.kind_of(one.situation) == Some(SituationKind::Cancelled);
    let open = view.benefits.iter().filter(|(_, one)| !cancelled(one)).take(MOST_WITH_DEPENDENTS);
    open.map(|(code, one)| (code.get(), crate::benefit::what(&view.registers, one))).collect()
}

/// Those of all his benefits, by benefit, then name.
async fn all_dependents(app: &App, guest: &Guest, view: &View) -> Result<Vec<DependentLine>, Error> {
    let mut all = Vec::new();
    for (benefit, one) in view.benefits.iter().take(MOST_WITH_DEPENDENTS) {
        let of = crate::benefit::what(&view.registers, one);
        let found = dependents::list(app, guest.session(), *benefit).await?;
        all.extend(found.rows.iter().map(|(code, dependent)| DependentLine {
            code: code.get(),
            benefit: benefit.get(),
            name: dependent.name.clone(),
            kinship: words::kinship(dependent.kinship),
            born: dependent.born_on.as_deref().map(domain::shown::day).unwrap_or_default(),
            of: of.clone(),
            active: dependent.active,
        }));
    }
    Ok(all)
}

fn line(registers: &Registers, code: i32, one: &Benefit) -> BenefitLine {
    BenefitLine {
        code,
        sequence: one.sequence,
        what: crate::benefit::what(registers, one),
        kind: words::kind(one.kind),
        plans: crate::members::plans(registers, &one.plans),
        situation: badge(registers, one.situation),
    }
}

fn vehicle(benefit: i32, one: &Benefit) -> Option<VehicleLine> {
    let vehicle = &one.vehicle;
    let plate = vehicle.plate.as_ref().map(ToString::to_string).unwrap_or_default();
    let chassis = vehicle.chassis.as_ref().map(|one| one.as_str().to_owned()).unwrap_or_default();
    let years = [vehicle.built, vehicle.model_year].into_iter().flatten().map(|year| year.to_string());
    let model = [vehicle.brand.clone(), vehicle.model.clone()].into_iter().flatten().collect::<Vec<_>>();
    (!plate.is_empty() || !chassis.is_empty()).then(|| VehicleLine {
        benefit,
        plate,
        model: model.join(" "),
        year: years.collect::<Vec<_>>().join("/"),
        colour: vehicle.colour.clone().unwrap_or_default(),
        chassis,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/associado.html", |with| {
    let benefit = || BenefitLine {
        code: 7,
        sequence: 1,
        what: with.text(),
        kind: "Veículo",
        plans: with.text(),
        situation: with.badge(),
    };
    let vehicle = || VehicleLine {
        benefit: 7,
        plate: with.text(),
        model: with.text(),
        year: with.text(),
        colour: with.text(),
        chassis: with.text(),
    };
    let dependent = || DependentLine {
        code: 7,
        benefit: 7,
        name: with.text(),
        kinship: "Filho",
        born: with.text(),
        of: with.text(),
        active: false,
    };
    crate::rendered::text(&Person {
        frame: with.frame(),
        code: 7,
        name: with.text(),
        document: with.text(),
        groups: with.many(|| ("Contato", with.facts())),
        benefits: with.many(benefit),
        vehicles: with.many(vehicle),
        dependents: with.many(dependent),
        open_benefits: with.many(|| (7, with.text())),
        sections: with.many(|| Section::sample(*with)),
        timeline: with.timeline(),
        branch: with.text(),
        since: with.text(),
        files: files::Section::sample(*with),
    })
})];
