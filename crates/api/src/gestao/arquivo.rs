//! `/gestao/…/arquivos` and `/gestao/arquivo`: attached files. The request body is the raw file; downloads are never
//! displayed as a page, whatever their content.

use super::{evento::ClaimResource, help_desk::TicketResource, vistoria::InspectionResource};
use crate::ServerState;
use crate::answer::{CompressionExemption, JsonAnswer};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::upload::StreamedUpload;
use crate::write::{IdempotencyHeader, IncomingWrite};
use app::attachments::{
    self, AttachedFile, AttachedFileView, ByteStream, ContentPart, FileOwnerRecord, UploadBuffer,
};
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{FileCode, FileOwner, FileProblem, Moment, Rejection, TimeZone, UserCode};
use sha2::{Digest, Sha256};
use wire::attachment;
use wire::read;
use wire::records::{ArquivoQuery, ArquivoTO, MotivoInput};

/// A kind of record that files can be attached to.
pub trait FileOwnerResource: 'static {
    const OWNER: FileOwner;
}

pub struct MemberResource;

impl FileOwnerResource for ClaimResource {
    const OWNER: FileOwner = FileOwner::Claim;
}

impl FileOwnerResource for InspectionResource {
    const OWNER: FileOwner = FileOwner::Inspection;
}

impl FileOwnerResource for TicketResource {
    const OWNER: FileOwner = FileOwner::Ticket;
}

impl FileOwnerResource for MemberResource {
    const OWNER: FileOwner = FileOwner::Member;
}

/// `GET /gestao/evento/{codEvento}/arquivos`
pub async fn list_files<O: FileOwnerResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<JsonAnswer<Vec<ArquivoTO>>, RequestFailure> {
    let owner = FileOwnerRecord { of: O::OWNER, record: code.get()? };
    let listed = attachments::list_owner_files(&state.app, &caller, owner).await?;
    Ok(JsonAnswer(listed.files.iter().map(|file| render_file(file, &listed.registers.zone)).collect()))
}

/// `POST /gestao/evento/{codEvento}/arquivos`
pub async fn attach_file<O: FileOwnerResource>(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    QueryRecord(query): QueryRecord<ArquivoQuery>,
    upload: StreamedUpload,
) -> Result<Response, RequestFailure> {
    let owner = FileOwnerRecord { of: O::OWNER, record: code.get()? };
    attachments::authorize_attachment(&state.app, &caller, owner).await?;
    let (keyed, incoming) = receive_upload(&state, upload).await?;
    let name = query.name.as_str();
    // The name is part of the request's digest.
    let digest = Sha256::new().chain_update(name).chain_update([0]).chain_update(incoming.digest());
    let act =
        async |once| Ok(attachments::attach_file(&state.app, &caller, owner, (name, incoming), once).await?);
    keyed.answer(&state, (&caller, digest.finalize().into()), act, render_changed_file).await
}

/// `GET /gestao/arquivo/{codArquivo}`
pub async fn show_file(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<JsonAnswer<ArquivoTO>, RequestFailure> {
    let view = attachments::read_file(&state.app, &caller, FileCode::new(code.get()?)).await?;
    Ok(JsonAnswer(render_changed_file(&view)))
}

/// `GET /gestao/arquivo/{codArquivo}/conteudo`
pub async fn download_file(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<Response, RequestFailure> {
    build_file_response(
        attachments::open_file_content(&state.app, &caller, FileCode::new(code.get()?), ContentPart::Data)
            .await?,
        ContentPart::Data,
    )
}

/// `GET /gestao/arquivo/{codArquivo}/miniatura`
pub async fn download_preview(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
) -> Result<Response, RequestFailure> {
    build_file_response(
        attachments::open_file_content(&state.app, &caller, FileCode::new(code.get()?), ContentPart::Preview)
            .await?,
        ContentPart::Preview,
    )
}

/// The download response, or a refusal if there is no preview.
fn build_file_response(
    (file, stream): (AttachedFile, Option<ByteStream>),
    part: ContentPart,
) -> Result<Response, RequestFailure> {
    let Some(ByteStream { size, bytes }) = stream else {
        return Err(RequestFailure::NotFound(
            "codArquivo: este arquivo não é uma foto e não tem miniatura.".to_owned(),
        ));
    };
    let (kind, name) = match part {
        ContentPart::Data => (file.kind.media_type(), file.name),
        ContentPart::Preview => ("image/jpeg", format!("miniatura-{}.jpg", file.code)),
    };
    let mut response = Body::from_stream(bytes).into_response();
    let headers = response.headers_mut();
    for (name, value) in attachment::HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, size.into());
    if let Ok(text) = HeaderValue::try_from(attachment::build_content_disposition(&name)) {
        headers.insert(header::CONTENT_DISPOSITION, text);
    }
    // Stored files are already compressed.
    response.extensions_mut().insert(CompressionExemption);
    Ok(response)
}

/// `PUT /gestao/arquivo/{codArquivo}/remover`
pub async fn remove_file(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (i32, MotivoInput), once| {
        attachments::remove_file(&state.app, &caller, FileCode::new(code), extract_reason(input), once)
    };
    write.answer(&state, &caller, read, act, render_changed_file).await
}

/// `PUT /gestao/arquivo/{codArquivo}/restaurar`
pub async fn restore_file(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<i32>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (i32, MotivoInput), once| {
        attachments::restore_file(&state.app, &caller, FileCode::new(code), extract_reason(input), once)
    };
    write.answer(&state, &caller, read, act, render_changed_file).await
}

fn extract_reason(input: MotivoInput) -> Option<String> {
    input.reason.into_set().map(domain::NoteText::into_string)
}

fn render_changed_file(view: &AttachedFileView) -> ArquivoTO {
    render_file(&view.file, &view.registers.zone)
}

fn render_file(file: &AttachedFile, zone: &TimeZone) -> ArquivoTO {
    let moment = |at: Moment| at.to_offset_iso(zone);
    ArquivoTO {
        cod_arquivo: file.code.get(),
        entidade: match file.owner {
            FileOwner::Claim => "Evento",
            FileOwner::Inspection => "Vistoria",
            FileOwner::Ticket => "Help Desk",
            FileOwner::Member => "Associado",
        },
        codigo: file.record,
        nome: file.name.clone(),
        tipo: file.kind.media_type(),
        tamanho: file.size,
        sha256: file.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        largura: file.measures.map(|(width, _)| width),
        altura: file.measures.map(|(_, height)| height),
        tem_miniatura: file.has_preview,
        data_hora: moment(file.created_at),
        cod_usuario: file.created_by.map(UserCode::get),
        nome_usuario: file.author.clone(),
        data_remocao: file.removed.map(|(at, _)| moment(at)),
    }
}

async fn receive_upload(
    state: &ServerState,
    upload: StreamedUpload,
) -> Result<(IdempotencyHeader, UploadBuffer), RequestFailure> {
    let limits = state.app.files.limits;
    let refused = |problem| RequestFailure::from(app::Error::from(Rejection::File(problem)));
    if upload.is_larger_than(limits.largest_bytes()) {
        return Err(refused(FileProblem::TooLarge { most_mib: limits.largest_mib }));
    }
    let (keyed, mut pieces) = upload.begin_reading(state, limits.largest_mib);
    let mut incoming = UploadBuffer::new(&state.app.files);
    while let Some(bytes) = pieces.next().await? {
        incoming.push(&bytes).await?;
    }
    if incoming.is_empty() { Err(refused(FileProblem::Empty)) } else { Ok((keyed, incoming)) }
}
