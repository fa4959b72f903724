//! Photos and documents on the pages of claims, inspections, tickets and members: the part of those pages that shows them
//! and takes more, and `/console/arquivos/{codigo}`, where one is looked at. What is sent is read in `upload.rs`.

mod one;
mod upload;

use crate::show::moment;
use crate::visitor::{Guest, root};
use app::files::{self, File, Owner};
use app::{App, Error};
use axum::Router;
use dispatch::{get, post};
use domain::{FileKind, FileOwner};

pub fn routes() -> Router<App> {
    let router = Router::new()
        .route("/console/arquivos/{codigo}", get(one::page))
        .route("/console/arquivos/{codigo}/conteudo", get(one::content))
        .route("/console/arquivos/{codigo}/miniatura", get(one::preview))
        .route("/console/arquivos/{codigo}/remover", post(one::remove))
        .route("/console/arquivos/{codigo}/restaurar", post(one::restore));
    FileOwner::ALL.into_iter().fold(router, |router, of| {
        let at = format!("/console/{}/{{codigo}}/arquivos", path(of));
        router.route(&at, post(upload::attach))
    })
}

/// Where the pages of a record are.
const fn path(of: FileOwner) -> &'static str {
    match of {
        FileOwner::Claim => "eventos",
        FileOwner::Inspection => "vistorias",
        FileOwner::Ticket => "help-desk",
        FileOwner::Member => "associados",
    }
}

/// The page of a record.
fn at(owner: Owner) -> String {
    format!("/console/{}/{}", path(owner.of), owner.record)
}

/// A file as a tile or a line.
pub struct Shown {
    pub code: i32,
    pub name: String,
    /// What it is, how large, by whom and when.
    pub about: String,
    pub who: String,
    pub is_picture: bool,
}

/// A file that was not kept, and why.
pub struct Problem {
    pub name: String,
    pub text: String,
}

/// What became of the files that somebody sent, where not all is well.
#[derive(Default)]
pub struct Report {
    /// What was kept all the same; empty where nothing was.
    pub kept: String,
    pub problems: Vec<Problem>,
}

/// What a page shows of the files of its record.
pub struct Section {
    pub action: String,
    pub title: &'static str,
    pub pictures: Vec<Shown>,
    pub others: Vec<Shown>,
    pub is_changeable: bool,
    pub report: Report,
    pub largest_mib: u64,
}

/// The files of a record, for its page.
pub async fn section(app: &App, guest: &Guest, owner: Owner, report: Report) -> Result<Section, Error> {
    let listed = files::list(app, guest.session(), owner).await?;
    let all = listed.files.iter().map(|file| shown(file, &listed.registers.zone));
    let (pictures, others) = all.partition(|one| one.is_picture);
    let title = if owner.of == FileOwner::Inspection { "Fotos" } else { "Arquivos" };
    Ok(Section {
        action: format!("{}{}/arquivos", root(app), at(owner)),
        title,
        pictures,
        others,
        is_changeable: listed.is_changeable,
        report,
        largest_mib: app.files.limits.largest_mib,
    })
}

fn shown(file: &File, zone: &domain::TimeZone) -> Shown {
    let author = file.author.as_deref().unwrap_or("Sistema");
    Shown {
        code: file.code.get(),
        name: file.name.clone(),
        about: format!("{} · {}", kind(file.kind), size(file.size)),
        who: format!("{} · {author}", moment(file.created_at, zone)),
        is_picture: file.kind.is_picture() && file.has_preview,
    }
}

/// What became of a file, as a story tells it.
pub fn happened(before: Option<&str>, after: Option<&str>) -> String {
    match (before, after) {
        (_, Some(name)) => format!("Arquivo anexado: {name}"),
        (Some(name), None) => format!("Arquivo removido: {name}"),
        (None, None) => "Arquivo".to_owned(),
    }
}

const fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Jpeg => "Foto JPEG",
        FileKind::Png => "Imagem PNG",
        FileKind::Webp => "Imagem WebP",
        FileKind::Pdf => "PDF",
        FileKind::Docx => "Documento do Word",
        FileKind::Xlsx => "Planilha do Excel",
    }
}

/// `1,4 MB`, measured as the limits are.
fn size(bytes: i64) -> String {
    const KIB: i64 = 1024;
    const MIB: i64 = 1024 * KIB;
    match bytes {
        ..KIB => format!("{bytes} bytes"),
        KIB..MIB => format!("{} kB", bytes / KIB),
        _ => {
            let tenths = bytes * 10 / MIB;
            format!("{},{} MB", tenths / 10, tenths % 10)
        }
    }
}

#[cfg(test)]
impl Section {
    pub fn sample(with: crate::rendered::Sample) -> Section {
        let one = |is_picture| Shown {
            code: 7,
            name: with.text(),
            about: with.text(),
            who: with.text(),
            is_picture,
        };
        Section {
            action: "/console/eventos/7/arquivos".to_owned(),
            title: "Arquivos",
            pictures: with.many(|| one(true)),
            others: with.many(|| one(false)),
            is_changeable: true,
            report: Report {
                kept: with.text(),
                problems: with.many(|| Problem { name: with.text(), text: with.text() }),
            },
            largest_mib: 25,
        }
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::Cases] = &[one::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_as_people_say_it() {
        for (bytes, said) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1 kB"),
            (183_204, "178 kB"),
            (1_048_576, "1,0 MB"),
            (26_214_400, "25,0 MB"),
        ] {
            assert_eq!(size(bytes), said);
        }
    }
}
