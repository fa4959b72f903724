//! `/gestao/…/arquivos` and `/gestao/arquivo`: files that people attach. What is sent is the file itself, as it is; what is
//! given back is never shown as a page, whatever it holds.

use super::{evento::Evento, help_desk::HelpDesk, vistoria::Vistoria};
use crate::State;
use crate::answer::Answer;
use crate::docs::AsItIs;
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use crate::upload::Upload;
use crate::write::{Keyed, Write};
use app::files::{self, File, Incoming, Owner, Part, Stream, Told};
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{FileCode, FileOwner, FileProblem, Moment, Rejection, TimeZone, UserCode};
use sha2::{Digest, Sha256};
use wire::attachment;
use wire::read;
use wire::records::{ArquivoQuery, ArquivoTO, MotivoInput};

/// Something that files belong to.
pub trait Owning: 'static {
    const OWNER: FileOwner;
}

pub struct Associado;

impl Owning for Evento {
    const OWNER: FileOwner = FileOwner::Claim;
}

impl Owning for Vistoria {
    const OWNER: FileOwner = FileOwner::Inspection;
}

impl Owning for HelpDesk {
    const OWNER: FileOwner = FileOwner::Ticket;
}

impl Owning for Associado {
    const OWNER: FileOwner = FileOwner::Member;
}

/// `GET /gestao/evento/{codEvento}/arquivos`
pub async fn list<O: Owning>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Answer<Vec<ArquivoTO>>, Failure> {
    let owner = Owner { of: O::OWNER, record: code.get()? };
    let listed = files::list(&state.app, &caller, owner).await?;
    Ok(Answer(listed.files.iter().map(|file| record(file, &listed.registers.zone)).collect()))
}

/// `POST /gestao/evento/{codEvento}/arquivos`
pub async fn attach<O: Owning>(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    Query(query): Query<ArquivoQuery>,
    upload: Upload,
) -> Result<Response, Failure> {
    let owner = Owner { of: O::OWNER, record: code.get()? };
    files::may_attach(&state.app, &caller, owner).await?;
    let (keyed, incoming) = received(&state, upload).await?;
    let name = query.name.as_str();
    // The name counts as part of what was sent.
    let sent = Sha256::new().chain_update(name).chain_update([0]).chain_update(incoming.digest());
    let act = async |once| Ok(files::attach(&state.app, &caller, owner, (name, incoming), once).await?);
    keyed.answer(&state, (&caller, sent.finalize().into()), act, told_record).await
}

/// `GET /gestao/arquivo/{codArquivo}`
pub async fn one(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Answer<ArquivoTO>, Failure> {
    let told = files::one(&state.app, &caller, FileCode::new(code.get()?)).await?;
    Ok(Answer(told_record(&told)))
}

/// `GET /gestao/arquivo/{codArquivo}/conteudo`
pub async fn content(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Response, Failure> {
    sent(files::open(&state.app, &caller, FileCode::new(code.get()?), Part::Data).await?, Part::Data)
}

/// `GET /gestao/arquivo/{codArquivo}/miniatura`
pub async fn preview(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
) -> Result<Response, Failure> {
    sent(files::open(&state.app, &caller, FileCode::new(code.get()?), Part::Preview).await?, Part::Preview)
}

/// A file on its way out, or that there is no such small picture.
fn sent((file, stream): (File, Option<Stream>), part: Part) -> Result<Response, Failure> {
    let Some(Stream { size, bytes }) = stream else {
        return Err(Failure::NotFound(
            "codArquivo: este arquivo não é uma foto e não tem miniatura.".to_owned(),
        ));
    };
    let (kind, name) = match part {
        Part::Data => (file.kind.media_type(), file.name),
        Part::Preview => ("image/jpeg", format!("miniatura-{}.jpg", file.code)),
    };
    let mut response = Body::from_stream(bytes).into_response();
    let headers = response.headers_mut();
    for (name, value) in attachment::HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, size.into());
    if let Ok(text) = HeaderValue::try_from(attachment::disposition(&name)) {
        headers.insert(header::CONTENT_DISPOSITION, text);
    }
    // What is kept is small already.
    response.extensions_mut().insert(AsItIs);
    Ok(response)
}

/// `PUT /gestao/arquivo/{codArquivo}/remover`
pub async fn remove(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (i32, MotivoInput), once| {
        files::remove(&state.app, &caller, FileCode::new(code), reason(input), once)
    };
    write.answer(&state, &caller, read, act, told_record).await
}

/// `PUT /gestao/arquivo/{codArquivo}/restaurar`
pub async fn restore(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<i32>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (i32, MotivoInput), once| {
        files::restore(&state.app, &caller, FileCode::new(code), reason(input), once)
    };
    write.answer(&state, &caller, read, act, told_record).await
}

fn reason(input: MotivoInput) -> Option<String> {
    input.reason.set().map(domain::Note::into_string)
}

fn told_record(told: &Told) -> ArquivoTO {
    record(&told.file, &told.registers.zone)
}

fn record(file: &File, zone: &TimeZone) -> ArquivoTO {
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

async fn received(state: &State, upload: Upload) -> Result<(Keyed, Incoming), Failure> {
    let limits = state.app.files.limits;
    let refused = |problem| Failure::from(app::Error::from(Rejection::File(problem)));
    if upload.is_larger_than(limits.largest()) {
        return Err(refused(FileProblem::TooLarge { most_mib: limits.largest_mib }));
    }
    let (keyed, mut pieces) = upload.begin(state, limits.largest_mib);
    let mut incoming = Incoming::new(&state.app.files);
    while let Some(bytes) = pieces.next().await? {
        incoming.push(&bytes).await?;
    }
    if incoming.is_empty() { Err(refused(FileProblem::Empty)) } else { Ok((keyed, incoming)) }
}
