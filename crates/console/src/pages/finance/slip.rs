//! The slip of a title: it is issued from the title's page and shown there, and its document is opened from there.

use super::{format_cents, join_sentences};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::notice::redirect_with_problem;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_token::build_form_write;
use crate::widgets::page::HandlerResult;
use app::{App, Error};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{InputField, TimeZone, TitleCode};
use finance::{OfferedSlip, OfferedSlipLink, SecondCopy, SlipOfTitle, TitleSlipOffer};
use std::time::Duration;

/// The document shows a debt, so no cache keeps it. It has no content security policy, which would keep browsers from
/// showing a PDF.
const DOCUMENT_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
    (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// What the page of a title that can be paid by a slip shows of it.
pub enum TitleSlipCard {
    /// No account issues slips for it.
    NoAccount,
    Possible,
    Issued(ShownSlip),
}

impl TitleSlipCard {
    pub fn new(offer: &TitleSlipOffer, zone: &TimeZone) -> Option<TitleSlipCard> {
        match offer {
            TitleSlipOffer::Unavailable => None,
            TitleSlipOffer::NoAccount => Some(TitleSlipCard::NoAccount),
            TitleSlipOffer::Possible => Some(TitleSlipCard::Possible),
            TitleSlipOffer::Issued(slip) => Some(TitleSlipCard::Issued(ShownSlip::new(slip, zone))),
        }
    }
}

/// A slip as it is shown.
pub struct ShownSlip {
    pub due_on: String,
    pub amount: String,
    pub typed_line: String,
    /// The address that opens it without a password, and the last day on which it does.
    pub link: Option<(String, String)>,
    /// Why a second copy is due, and what it would hold.
    pub second_copy: Option<String>,
    /// Whether a second copy can be issued.
    pub has_account: bool,
}

impl ShownSlip {
    fn new(slip: &OfferedSlip, zone: &TimeZone) -> ShownSlip {
        let describe_link = |link: &OfferedSlipLink| {
            let last_day = link.expires_at.minus(Duration::from_secs(1)).date_in(zone);
            (link.address.clone(), last_day.to_br())
        };
        ShownSlip {
            due_on: slip.due_on.to_br(),
            amount: format_cents(slip.amount),
            typed_line: slip.typed_line.clone(),
            link: slip.link.as_ref().map(describe_link),
            second_copy: slip.second_copy.map(|copy| describe_second_copy(slip, copy)),
            has_account: slip.has_account,
        }
    }
}

fn describe_second_copy(slip: &OfferedSlip, copy: SecondCopy) -> String {
    let why = match copy.is_overdue {
        true => "Este boleto venceu.",
        false => "O título mudou, e este boleto não cobra mais o que falta pagar.",
    };
    match slip.has_account {
        true => {
            let (amount, due_on) = (format_cents(copy.amount), copy.due_on.to_br());
            format!("{why} A segunda via sai por {amount}, com vencimento em {due_on}.")
        }
        false => {
            format!(
                "{why} Não há como emitir a segunda via: nenhuma conta que recebe por este título emite boletos."
            )
        }
    }
}

/// `GET /console/financeiro/titulos/{codigo}/boleto`
pub async fn open_slip(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let page = build_title_path(&app, code);
    match finance::render_slip(&app, user.session(), TitleCode::new(code)).await {
        Ok(slip) => Ok(build_document_answer(slip.pdf, code)),
        // The page was shown before the title was paid or cancelled, or it never had a slip.
        Err(Error::NotFound { field: InputField::Slip, .. }) => Ok(redirect_to(&page)),
        Err(Error::Refused(rejections)) => Ok(redirect_with_problem(&page, &join_sentences(&rejections))),
        Err(error) => Err(error.into()),
    }
}

/// `POST /console/financeiro/titulos/{codigo}/boleto`
pub async fn issue_slip(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let once = build_form_write(&user, &form, |_: &SlipOfTitle| Vec::new());
    let page = build_title_path(&app, code);
    match finance::issue_slip(&app, user.session(), (TitleCode::new(code), None), once).await {
        Ok(_) => Ok(redirect_to(&format!("{page}#boleto"))),
        Err(Error::Refused(rejections)) => Ok(redirect_with_problem(&page, &join_sentences(&rejections))),
        Err(error) => Err(error.into()),
    }
}

fn build_document_answer(pdf: Vec<u8>, title: i32) -> Response {
    let mut response = Body::from(pdf).into_response();
    let headers = response.headers_mut();
    headers.extend(DOCUMENT_HEADERS);
    let disposition = HeaderValue::try_from(format!("inline; filename=\"boleto-{title}.pdf\""));
    headers.insert(header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("inline")));
    response
}

fn build_title_path(app: &App, code: i32) -> String {
    format!("{}/console/financeiro/titulos/{code}", derive_root_path(app))
}

#[cfg(test)]
pub fn build_sample_slip(with: &crate::template_tests::SampleContent) -> ShownSlip {
    ShownSlip {
        due_on: with.text(),
        amount: with.text(),
        typed_line: with.text(),
        link: with.option_of(|| (with.text(), with.text())),
        // The link is shown without it.
        second_copy: (*with == crate::template_tests::SampleContent::Full).then(|| with.text()),
        has_account: with.is_filled(),
    }
}
