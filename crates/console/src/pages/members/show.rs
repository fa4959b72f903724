//! `/console/associados/{codigo}`: the page of a member.

use super::fields::build_fact_groups;
use super::timeline::{self, EventTimeline, RelatedRecordSection, build_timeline};
use crate::http::parameters::PathNumber;
use crate::pages::attachments::{self, UploadReport};
use crate::pages::finance::balance_badge::{BalanceBadge, load_member_badge};
use crate::pages::member_list::describe_plans;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::frame::PageFrame;
use crate::widgets::labels;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use app::attachments::FileOwnerRecord;
use app::benefits::describe_stored_benefit;
use app::members::dependents;
use app::members::{self, MemberView};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{Benefit, BenefitCode, Document, FileOwner, PersonCode, SituationKind};
use std::collections::BTreeMap;

/// A member with more benefits than this is a company: its dependents are shown only on the benefits' pages.
const MOST_WITH_DEPENDENTS: usize = 20;

pub struct MemberBenefitLine {
    code: i32,
    sequence: i32,
    what: String,
    kind: &'static str,
    plans: String,
    situation: SituationBadge,
}

struct MemberVehicleLine {
    benefit: i32,
    plate: String,
    model: String,
    year: String,
    colour: String,
    chassis: String,
}

struct MemberDependentLine {
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
struct MemberProfilePage {
    frame: PageFrame,
    code: i32,
    name: String,
    document: String,
    groups: Vec<(&'static str, Vec<(&'static str, String)>)>,
    benefits: Vec<MemberBenefitLine>,
    vehicles: Vec<MemberVehicleLine>,
    dependents: Vec<MemberDependentLine>,
    /// Benefits that can take another dependent.
    open_benefits: Vec<(i32, String)>,
    sections: Vec<RelatedRecordSection>,
    timeline: EventTimeline,
    branch: String,
    since: String,
    files: attachments::AttachmentSection,
    /// `None` for users who do not see money.
    balance: Option<BalanceBadge>,
}

pub async fn show_member_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    show_page(&build_member_page(&app, &user, PersonCode::new(code), UploadReport::default()).await?)
}

/// Renders the page with the problems of an upload.
pub async fn render_member_with_report(
    app: &App,
    user: &SignedInUser,
    code: PersonCode,
    report: UploadReport,
) -> HandlerResult {
    render_page(StatusCode::BAD_REQUEST, &build_member_page(app, user, code, report).await?)
}

async fn build_member_page(
    app: &App,
    user: &SignedInUser,
    code: PersonCode,
    report: UploadReport,
) -> Result<MemberProfilePage, Error> {
    let caller = user.session();
    let view = members::read_member(app, caller, code).await?;
    let frame = PageFrame::load(app, user, "associados").await?;
    let history = members::read_member_history(app, caller, code).await?;
    let sections =
        timeline::list_related_sections(app, user, &frame.root, (code, &view.profile.name)).await?;
    let owner = FileOwnerRecord { of: FileOwner::Member, record: code.get() };
    let files = attachments::build_attachment_section(app, user, owner, report).await?;
    let registers = &view.registers;
    let to_entry = |(code, one): &(BenefitCode, Benefit)| {
        let link = format!("{}/console/beneficios/{code}", frame.root);
        (*code, (describe_stored_benefit(registers, one), link))
    };
    let benefits_by_code: BTreeMap<_, _> = view.benefits.iter().map(to_entry).collect();
    Ok(MemberProfilePage {
        code: code.get(),
        name: view.profile.name.clone(),
        document: view.profile.document.as_ref().map(Document::to_string).unwrap_or_default(),
        groups: build_fact_groups(&view),
        benefits: view
            .benefits
            .iter()
            .map(|(code, one)| build_benefit_line(registers, code.get(), one))
            .collect(),
        vehicles: view
            .benefits
            .iter()
            .filter_map(|(code, one)| build_vehicle_line(code.get(), one))
            .collect(),
        dependents: list_all_dependents(app, user, &view).await?,
        open_benefits: list_open_benefits(&view),
        timeline: build_timeline(history, &benefits_by_code).with_sections(&sections, &view),
        sections,
        branch: registers.branch_name(view.profile.branch).to_owned(),
        since: view.profile.created_at.date_in(&registers.zone).to_br(),
        files,
        balance: load_member_badge(app, user, &frame.root, code).await?,
        frame,
    })
}

fn list_open_benefits(view: &MemberView) -> Vec<(i32, String)> {
    let cancelled =
        |one: &Benefit| view.registers.situation_kind(one.situation) == Some(SituationKind::Cancelled);
    let open = view.benefits.iter().filter(|(_, one)| !cancelled(one)).take(MOST_WITH_DEPENDENTS);
    open.map(|(code, one)| (code.get(), describe_stored_benefit(&view.registers, one))).collect()
}

/// Ordered by benefit, then name.
async fn list_all_dependents(
    app: &App,
    user: &SignedInUser,
    view: &MemberView,
) -> Result<Vec<MemberDependentLine>, Error> {
    let mut all = Vec::new();
    for (benefit, one) in view.benefits.iter().take(MOST_WITH_DEPENDENTS) {
        let description = describe_stored_benefit(&view.registers, one);
        let found = dependents::list_benefit_dependents(app, user.session(), *benefit).await?;
        all.extend(found.rows.iter().map(|(code, dependent)| MemberDependentLine {
            code: code.get(),
            benefit: benefit.get(),
            name: dependent.name.clone(),
            kinship: labels::label_kinship(dependent.kinship),
            born: dependent.born_on.map(domain::Date::to_br).unwrap_or_default(),
            of: description.clone(),
            active: dependent.active,
        }));
    }
    Ok(all)
}

fn build_benefit_line(registers: &TenantRegisters, code: i32, one: &Benefit) -> MemberBenefitLine {
    MemberBenefitLine {
        code,
        sequence: one.sequence,
        what: describe_stored_benefit(registers, one),
        kind: labels::label_benefit_kind(one.kind),
        plans: describe_plans(registers, &one.plans),
        situation: build_situation_badge(registers, one.situation),
    }
}

fn build_vehicle_line(benefit: i32, one: &Benefit) -> Option<MemberVehicleLine> {
    let vehicle = &one.vehicle;
    let plate = vehicle.plate.as_ref().map(ToString::to_string).unwrap_or_default();
    let chassis = vehicle.chassis.as_ref().map(|one| one.as_str().to_owned()).unwrap_or_default();
    let years = [vehicle.built, vehicle.model_year].into_iter().flatten().map(|year| year.to_string());
    let model = [vehicle.brand.clone(), vehicle.model.clone()].into_iter().flatten().collect::<Vec<_>>();
    (!plate.is_empty() || !chassis.is_empty()).then(|| MemberVehicleLine {
        benefit,
        plate,
        model: model.join(" "),
        year: years.collect::<Vec<_>>().join("/"),
        colour: vehicle.colour.clone().unwrap_or_default(),
        chassis,
    })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/associado.html", |with| {
    let benefit = || MemberBenefitLine {
        code: 7,
        sequence: 1,
        what: with.text(),
        kind: "Veículo",
        plans: with.text(),
        situation: with.badge(),
    };
    let vehicle = || MemberVehicleLine {
        benefit: 7,
        plate: with.text(),
        model: with.text(),
        year: with.text(),
        colour: with.text(),
        chassis: with.text(),
    };
    let dependent = || MemberDependentLine {
        code: 7,
        benefit: 7,
        name: with.text(),
        kinship: "Filho",
        born: with.text(),
        of: with.text(),
        active: false,
    };
    crate::template_tests::render_template(&MemberProfilePage {
        frame: with.frame(),
        code: 7,
        name: with.text(),
        document: with.text(),
        groups: with.list_of(|| ("Contato", with.facts())),
        benefits: with.list_of(benefit),
        vehicles: with.list_of(vehicle),
        dependents: with.list_of(dependent),
        open_benefits: with.list_of(|| (7, with.text())),
        sections: with.list_of(|| RelatedRecordSection::sample(*with)),
        timeline: with.timeline(),
        branch: with.text(),
        since: with.text(),
        files: attachments::AttachmentSection::sample(*with),
        balance: with.option_of(|| BalanceBadge::sample(*with)),
    })
})];
