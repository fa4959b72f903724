//! The list of leads, with or without a deal.

use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_problems::describe_rejection;
use crate::widgets::formats::ListPager;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::phones::format_marked_phone;
use app::sales::leads::{self, LeadManagementQuery};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{Lead, PAGE_SIZE, PhoneKind};

struct LeadContactLine {
    code: i32,
    name: String,
    phone: String,
    email: String,
    origin: String,
    since: String,
    deals: i64,
}

#[derive(Template)]
#[template(path = "console/leads.html")]
struct BrowseLeadsPage {
    frame: PageFrame,
    rows: Vec<LeadContactLine>,
    pager: ListPager,
    filter: String,
    problems: Vec<String>,
}

/// `GET /console/vendas/leads`
pub async fn show_lead_list(State(app): State<App>, user: SignedInUser, query: QueryParams) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "vendas").await?;
    let filter = query.text("filtro").to_owned();
    let criteria = LeadManagementQuery {
        filter: Some(filter.clone()).filter(|text| !text.is_empty()),
        active: Some(true),
        branch: None,
        page: query.page_number(),
    };
    let (rows, total, problems) = match leads::list_leads(&app, user.session(), criteria).await {
        Ok(page) => {
            let zone = page.registers.zone.clone();
            let rows = page.rows.iter().map(|one| LeadContactLine {
                code: one.code.get(),
                name: one.lead.name.clone(),
                phone: format_first_phone(&one.lead),
                email: one.lead.email.as_ref().map(ToString::to_string).unwrap_or_default(),
                origin: one.lead.origin.clone().unwrap_or_default(),
                since: one.lead.created_at.date_in(&zone).to_br(),
                deals: one.open_deals,
            });
            (rows.collect(), page.total, Vec::new())
        }
        Err(Error::Refused(problems)) => (Vec::new(), 0, problems.iter().map(describe_rejection).collect()),
        Err(error) => return Err(error.into()),
    };
    let links = ExportLinks::new(&frame.root, "lead", [("filtro", filter.as_str()), ("ativo", "true")]);
    let pager = ListPager::new(query.page_number(), total, PAGE_SIZE, |page| query.with_page(page))
        .with_export(links);
    show_page(&BrowseLeadsPage { frame, rows, pager, filter, problems })
}

fn format_first_phone(lead: &Lead) -> String {
    let mobile = lead.mobile.as_ref().map(|number| (number, PhoneKind::Mobile));
    let first = mobile.or(lead.landline.as_ref().map(|number| (number, PhoneKind::Landline)));
    first.map(|(number, kind)| format_marked_phone(number, kind)).unwrap_or_default()
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/leads.html", |with| {
    let row = || LeadContactLine {
        code: 7,
        name: with.text(),
        phone: with.text(),
        email: with.text(),
        origin: with.text(),
        since: with.text(),
        deals: 2,
    };
    crate::template_tests::render_template(&BrowseLeadsPage {
        frame: with.frame(),
        rows: with.list_of(row),
        pager: with.pager(),
        filter: with.text(),
        problems: with.list_of(|| with.text()),
    })
})];
