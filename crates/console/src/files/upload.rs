//! A form that brings files: several at once, each taken piece by piece, and none loses the others.

use super::{Problem, Report, at, path};
use crate::notice::tell;
use crate::page::Refusal;
use crate::records;
use crate::upload::{Part, Upload};
use crate::visitor::{Guest, Number, redirect, root};
use app::files::{self, Incoming, Owner};
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use domain::{FileOwner, PersonCode, Rejection};
use std::time::Duration;

/// Files of one form.
const MOST: usize = 50;
/// Of a file that is too large, so much is read for nothing, so that its sender is told why.
const MOST_FOR_NOTHING: u64 = 1024 * 1024 * 1024;
/// A sender who brings less than this takes too long.
const MIB_TAKES: Duration = Duration::from_secs(30);

/// What came, not read yet, and for what kind of record.
pub struct Sent {
    upload: Upload,
    of: FileOwner,
}

impl FromRequest<App> for Sent {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Sent, Refusal> {
        let area = request.uri().path().split('/').nth(2).unwrap_or_default();
        let of = FileOwner::ALL.into_iter().find(|of| path(*of) == area).ok_or(Refusal::NotThere)?;
        Ok(Sent { upload: Upload::from_request(request, app).await?, of })
    }
}

/// What became of the files of a form.
#[derive(Default)]
struct Outcome {
    attached: usize,
    /// Those that were there already.
    known: usize,
    problems: Vec<Problem>,
}

impl Outcome {
    fn is_nothing(&self) -> bool {
        self.attached == 0 && self.known == 0 && self.problems.is_empty()
    }
}

/// `POST /console/eventos/{codigo}/arquivos`
pub async fn attach(
    State(app): State<App>,
    guest: Guest,
    Number(record): Number,
    sent: Result<Sent, Refusal>,
) -> Response {
    let Sent { upload, of } = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let owner = Owner { of, record };
    // Before anything of it is read.
    let may = files::may_attach(&app, guest.session(), owner).await;
    if let Err(error) = may {
        return match error {
            Error::Refused(problems) => {
                again(
                    &app,
                    &guest,
                    owner,
                    Outcome { problems: vec![of_all(told(&problems))], ..Outcome::default() },
                )
                .await
            }
            error => crate::page::refused(&guest, &error),
        };
    }
    let patience = MIB_TAKES.saturating_mul(u32::try_from(app.files.limits.largest_mib).unwrap_or(u32::MAX));
    let mut outcome = Outcome::default();
    let taken = tokio::time::timeout(patience * 4, take(&app, &guest, owner, upload, &mut outcome)).await;
    match taken.unwrap_or(Err(Refusal::Unreadable)) {
        Err(refusal) if outcome.is_nothing() => refusal.into_response(),
        // Whatever stopped it, what was kept and what was not is told.
        Err(refusal) => {
            let text = format!("Os outros arquivos ficaram de fora. {}", refusal.sentence());
            outcome.problems.push(of_all(text));
            again(&app, &guest, owner, outcome).await
        }
        Ok(()) if outcome.problems.is_empty() => {
            let mut response = redirect(&format!("{}{}#arquivos", root(&app), at(owner)));
            tell(&mut response, &said(&outcome));
            response
        }
        Ok(()) => again(&app, &guest, owner, outcome).await,
    }
}

/// What is wrong with no single file.
fn of_all(text: String) -> Problem {
    Problem { name: String::new(), text }
}

fn said(outcome: &Outcome) -> String {
    let known = match outcome.known {
        0 => String::new(),
        1 => " Um já estava aqui.".to_owned(),
        many => format!(" {many} já estavam aqui."),
    };
    match outcome.attached {
        0 => known.trim_start().to_owned(),
        1 => format!("O arquivo foi anexado.{known}"),
        many => format!("{many} arquivos foram anexados.{known}"),
    }
}

/// The page of the record once more, with what was wrong beside the field.
async fn again(app: &App, guest: &Guest, owner: Owner, outcome: Outcome) -> Response {
    let report = Report { kept: said(&outcome), problems: outcome.problems };
    match owner.of.case() {
        Some(kind) => crate::cases::with_files(app, guest, (kind, owner.record), report).await,
        None => crate::person::with_files(app, guest, PersonCode::new(owner.record), report).await,
    }
}

async fn take(
    app: &App,
    guest: &Guest,
    owner: Owner,
    mut upload: Upload,
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    let mut seen = 0;
    while let Some(part) = upload.next().await? {
        let (Some("arquivo"), Some(name)) = (part.name(), part.file_name()) else { continue };
        seen += 1;
        if seen > MOST {
            passed_over(part).await?;
            continue;
        }
        let attached = match received(app, part).await? {
            Ok(incoming) => {
                let done =
                    files::attach(app, guest.session(), owner, (&name, incoming), Once::each_time()).await;
                done.and_then(Done::now)
            }
            Err(error) => Err(error),
        };
        match attached {
            Ok(told) if told.is_new => outcome.attached += 1,
            Ok(_) => outcome.known += 1,
            Err(Error::Refused(problems)) => {
                outcome.problems.push(Problem { name, text: told(&problems) });
            }
            Err(error) => return Err(Refusal::from(&error)),
        }
    }
    if seen == 0 {
        outcome.problems.push(of_all("Escolha ao menos um arquivo.".to_owned()));
    }
    match seen.saturating_sub(MOST) {
        0 => {}
        1 => outcome.problems.push(of_all(format!("Só {MOST} de cada vez: o último ficou de fora."))),
        many => outcome
            .problems
            .push(of_all(format!("Só {MOST} de cada vez: os últimos {many} ficaram de fora."))),
    }
    Ok(())
}

/// One that is not taken is read all the same, so that its sender is told.
async fn passed_over(mut part: Part) -> Result<(), Refusal> {
    let mut thrown_away = 0;
    while let Some(bytes) = part.chunk().await? {
        thrown_away += bytes.len() as u64;
        if thrown_away > MOST_FOR_NOTHING {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(())
}

/// One file to its end. One that grows too large is read on, for the others behind it, and thrown away.
async fn received(app: &App, mut part: Part) -> Result<Result<Incoming, Error>, Refusal> {
    let mut incoming = Ok(Incoming::new(&app.files));
    let mut thrown_away = 0;
    while let Some(bytes) = part.chunk().await? {
        match &mut incoming {
            Ok(taken) => {
                if let Err(error) = taken.push(&bytes).await {
                    incoming = Err(error);
                }
            }
            Err(_) => thrown_away += bytes.len() as u64,
        }
        if thrown_away > MOST_FOR_NOTHING {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(incoming)
}

fn told(problems: &[Rejection]) -> String {
    problems.iter().map(records::told).collect::<Vec<_>>().join(" ")
}
