//! A multipart form with files, streamed (`form.rs` reads all other forms).

use super::refusal::Refusal;
use app::App;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use futures_util::StreamExt;
use multer::{Field, Multipart};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most bytes buffered in memory between two chunks that the parser hands out.
const MOST_BETWEEN: usize = 4 * 1024 * 1024;

/// An upload that is not read yet.
pub struct MultipartUpload {
    form: Multipart<'static>,
    /// Bytes received since the parser last handed out a chunk.
    between: Arc<AtomicUsize>,
}

pub struct MultipartField {
    field: Field<'static>,
    between: Arc<AtomicUsize>,
}

impl FromRequest<App> for MultipartUpload {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<MultipartUpload, Refusal> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = kind.and_then(|kind| multer::parse_boundary(kind).ok()).ok_or(Refusal::NotAForm)?;
        let between = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&between);
        let pieces = request.into_body().into_data_stream().map(move |piece| {
            let piece = piece.map_err(std::io::Error::other)?;
            match counted.fetch_add(piece.len(), Ordering::Relaxed) > MOST_BETWEEN {
                true => Err(std::io::Error::other("too much between two pieces")),
                false => Ok(piece),
            }
        });
        Ok(MultipartUpload { form: Multipart::new(pieces, boundary), between })
    }
}

impl MultipartUpload {
    pub async fn next(&mut self) -> Result<Option<MultipartField>, Refusal> {
        let field = self.form.next_field().await.map_err(|_| Refusal::Unreadable)?;
        self.between.store(0, Ordering::Relaxed);
        Ok(field.map(|field| MultipartField { field, between: Arc::clone(&self.between) }))
    }
}

impl MultipartField {
    pub fn name(&self) -> Option<&str> {
        self.field.name()
    }

    /// `None` if no file was chosen.
    pub fn file_name(&self) -> Option<String> {
        self.field.file_name().filter(|name| !name.is_empty()).map(str::to_owned)
    }

    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Refusal> {
        let bytes = self.field.chunk().await.map_err(|_| Refusal::Unreadable)?;
        self.between.store(0, Ordering::Relaxed);
        Ok(bytes)
    }
}
