//! The code by which a title is paid by Pix: it is generated from the title's page, shown there, and printed from a page of
//! its own.

use super::{format_cents, join_sentences};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::notice::redirect_with_problem;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_token::build_form_write;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::qr_code::QrCodePicture;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{TimeZone, TitleCode};
use finance::{IssuedPixCode, PixOffer, StoredPixCode};

const NO_KEY: &str = "Nenhuma conta que recebe por este título tem uma chave Pix.";

/// A code as it is shown.
pub struct ShownPixCode {
    pub picture: Option<QrCodePicture>,
    /// To copy and paste.
    pub text: String,
    pub amount: String,
    pub expires: String,
    /// What the bank statement shows, if the code contains it.
    pub txid: Option<String>,
}

impl ShownPixCode {
    pub fn new(code: &StoredPixCode, zone: &TimeZone) -> ShownPixCode {
        ShownPixCode {
            picture: QrCodePicture::from_printed_text(&code.content),
            text: code.content.clone(),
            amount: format_cents(code.amount),
            expires: format_moment(code.expires_at, zone),
            txid: code.sent_txid().map(str::to_owned),
        }
    }
}

#[derive(Template)]
#[template(path = "console/pix.html")]
struct PixPrintPage {
    frame: PageFrame,
    title: i32,
    holder: String,
    description: String,
    due_on: String,
    code: ShownPixCode,
}

/// `GET /console/financeiro/titulos/{codigo}/pix`
pub async fn show_pix_code(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let full = finance::read_title(&app, user.session(), TitleCode::new(code)).await?;
    let PixOffer::Issued(issued) = finance::read_pix_offer(&app, user.session(), &full).await? else {
        return Ok(redirect_to(&build_title_path(&app, code)));
    };
    show_page(&PixPrintPage {
        title: code,
        holder: full.person.name.clone(),
        description: full.title.description.clone(),
        due_on: full.title.due_on.to_br(),
        code: ShownPixCode::new(&issued, &full.registers.zone),
        frame: PageFrame::load(&app, &user, "financeiro").await?,
    })
}

/// `POST /console/financeiro/titulos/{codigo}/pix`
pub async fn issue_pix_code(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let once = build_form_write(&user, &form, |_: &IssuedPixCode| Vec::new());
    let page = build_title_path(&app, code);
    match finance::issue_pix_code(&app, user.session(), (TitleCode::new(code), None), once).await {
        Ok(_) => Ok(redirect_to(&format!("{page}#pix"))),
        // The page was shown before the title changed, or the account.
        Err(Error::NoPixKey) => Ok(redirect_with_problem(&page, NO_KEY)),
        Err(Error::Refused(rejections)) => Ok(redirect_with_problem(&page, &join_sentences(&rejections))),
        Err(error) => Err(error.into()),
    }
}

fn build_title_path(app: &App, code: i32) -> String {
    format!("{}/console/financeiro/titulos/{code}", derive_root_path(app))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/pix.html", |with| {
    crate::template_tests::render_template(&PixPrintPage {
        frame: with.frame(),
        title: 7,
        holder: with.text(),
        description: with.text(),
        due_on: with.text(),
        code: build_sample_code(with),
    })
})];

#[cfg(test)]
pub fn build_sample_code(with: &crate::template_tests::SampleContent) -> ShownPixCode {
    ShownPixCode {
        picture: with.option_of(|| QrCodePicture { size: 29, path: "M4 4h1v1h-1z".to_owned() }),
        text: with.text(),
        amount: with.text(),
        expires: with.text(),
        txid: with.option_of(|| with.text()),
    }
}
