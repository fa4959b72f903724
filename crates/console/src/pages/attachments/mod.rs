//! Attachments of claims, inspections, tickets and members: the section on their pages that lists and uploads files,
//! and `/console/arquivos/{codigo}`, the page of one file. Uploads are read in `upload.rs`.

mod show;
mod upload;

use crate::http::redirect::derive_root_path;
use crate::page_route::{PageRoute, routes};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_moment;
use app::attachments::{self, AttachedFile, FileOwnerRecord};
use app::{App, Error};
use domain::{FileKind, FileOwner};

pub fn list_file_routes() -> Vec<PageRoute> {
    let mut routes = routes! {
        get  "/console/arquivos/{codigo}"           SignedIn show::show_file_page;
        get  "/console/arquivos/{codigo}/conteudo"  SignedIn show::serve_file_content;
        get  "/console/arquivos/{codigo}/miniatura" SignedIn show::serve_file_preview;
        post "/console/arquivos/{codigo}/remover"   SignedIn show::remove_file;
        post "/console/arquivos/{codigo}/restaurar" SignedIn show::restore_file;
    };
    for owner_kind in FileOwner::ALL {
        let upload = routes! { post "/{codigo}/arquivos" SignedIn upload::attach_files; };
        let area = format!("/console/{}", find_owner_segment(owner_kind));
        routes.extend(upload.into_iter().map(|route| route.below(&area)));
    }
    routes
}

/// Path segment of the owner's pages under `/console`.
const fn find_owner_segment(owner_kind: FileOwner) -> &'static str {
    match owner_kind {
        FileOwner::Claim => "eventos",
        FileOwner::Inspection => "vistorias",
        FileOwner::Ticket => "help-desk",
        FileOwner::Member => "associados",
    }
}

fn build_owner_path(owner: FileOwnerRecord) -> String {
    format!("/console/{}/{}", find_owner_segment(owner.of), owner.record)
}

pub struct AttachmentTile {
    pub code: i32,
    pub name: String,
    /// Type, size, uploader and time.
    pub about: String,
    pub who: String,
    pub is_picture: bool,
}

/// A file that was rejected, and why.
pub struct UploadProblem {
    pub name: String,
    pub text: String,
}

/// Result of an upload that had problems.
#[derive(Default)]
pub struct UploadReport {
    /// Summary of the files that were saved; empty if there are none.
    pub summary: String,
    pub problems: Vec<UploadProblem>,
}

/// The attachments section of a record's page.
pub struct AttachmentSection {
    pub action: String,
    pub title: &'static str,
    pub pictures: Vec<AttachmentTile>,
    pub others: Vec<AttachmentTile>,
    pub is_changeable: bool,
    pub report: UploadReport,
    pub largest_mib: u64,
}

pub async fn build_attachment_section(
    app: &App,
    user: &SignedInUser,
    owner: FileOwnerRecord,
    report: UploadReport,
) -> Result<AttachmentSection, Error> {
    let listed = attachments::list_owner_files(app, user.session(), owner).await?;
    let all = listed.files.iter().map(|file| build_attachment_tile(file, &listed.registers.zone));
    let (pictures, others) = all.partition(|one| one.is_picture);
    let title = if owner.of == FileOwner::Inspection { "Fotos" } else { "Arquivos" };
    Ok(AttachmentSection {
        action: format!("{}{}/arquivos", derive_root_path(app), build_owner_path(owner)),
        title,
        pictures,
        others,
        is_changeable: listed.is_changeable,
        report,
        largest_mib: app.files.limits.largest_mib,
    })
}

fn build_attachment_tile(file: &AttachedFile, zone: &domain::TimeZone) -> AttachmentTile {
    let author = file.author.as_deref().unwrap_or("Sistema");
    AttachmentTile {
        code: file.code.get(),
        name: file.name.clone(),
        about: format!("{} · {}", describe_file_kind(file.kind), format_binary_size(file.size)),
        who: format!("{} · {author}", format_moment(file.created_at, zone)),
        is_picture: file.kind.is_picture() && file.has_preview,
    }
}

/// Describes a file change for the timeline.
pub fn describe_file_change(before: Option<&str>, after: Option<&str>) -> String {
    match (before, after) {
        (_, Some(name)) => format!("Arquivo anexado: {name}"),
        (Some(name), None) => format!("Arquivo removido: {name}"),
        (None, None) => "Arquivo".to_owned(),
    }
}

const fn describe_file_kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Jpeg => "Foto JPEG",
        FileKind::Png => "Imagem PNG",
        FileKind::Webp => "Imagem WebP",
        FileKind::Pdf => "PDF",
        FileKind::Docx => "Documento do Word",
        FileKind::Xlsx => "Planilha do Excel",
    }
}

/// `1,4 MB`, in binary units like the upload limits.
fn format_binary_size(bytes: i64) -> String {
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
impl AttachmentSection {
    pub fn sample(with: crate::template_tests::SampleContent) -> AttachmentSection {
        let one = |is_picture| AttachmentTile {
            code: 7,
            name: with.text(),
            about: with.text(),
            who: with.text(),
            is_picture,
        };
        AttachmentSection {
            action: "/console/eventos/7/arquivos".to_owned(),
            title: "Arquivos",
            pictures: with.list_of(|| one(true)),
            others: with.list_of(|| one(false)),
            is_changeable: true,
            report: UploadReport {
                summary: with.text(),
                problems: with.list_of(|| UploadProblem { name: with.text(), text: with.text() }),
            },
            largest_mib: 25,
        }
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] = &[show::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_as_people_say_it() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1 kB"),
            (183_204, "178 kB"),
            (1_048_576, "1,0 MB"),
            (26_214_400, "25,0 MB"),
        ] {
            assert_eq!(format_binary_size(bytes), expected);
        }
    }
}
