//! A form that brings a file: multipart, taken piece by piece, and not from another site (`form.rs` is for all the others).

use crate::form::is_from_here;
use crate::page::Refusal;
use app::App;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use multer::Multipart;

/// What comes, not read yet.
pub struct Upload(pub Multipart<'static>);

impl FromRequest<App> for Upload {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Upload, Refusal> {
        if !is_from_here(request.headers(), &app.public_url) {
            return Err(Refusal::ForeignSite);
        }
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = kind.and_then(|kind| multer::parse_boundary(kind).ok()).ok_or(Refusal::NotAForm)?;
        Ok(Upload(Multipart::new(request.into_body().into_data_stream(), boundary)))
    }
}
