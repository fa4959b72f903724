//! The operations on attached files. Four kinds of record share them, so their lines are written once.

use crate::gestao::arquivo::{self, MemberResource};
use crate::gestao::{evento::ClaimResource, help_desk::TicketResource, vistoria::InspectionResource};
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, get, post, put};
use domain::FileKind;
use wire::records::{ArquivoQuery, ArquivoTO, MotivoInput};

const KINDS: [&str; 6] = [
    FileKind::Jpeg.media_type(),
    FileKind::Png.media_type(),
    FileKind::Webp.media_type(),
    FileKind::Pdf.media_type(),
    FileKind::Docx.media_type(),
    FileKind::Xlsx.media_type(),
];

macro_rules! owned {
    ($path:literal, $code:literal, $owner:ty, $this:literal) => {
        [
            get(concat!("/gestao/", $path, "/{", $code, "}/arquivos"), AllowedCallers::STAFF, arquivo::list_files::<$owner>)
                .describe(DocsSection::Management, concat!("Arquivos ", $this), concat!("Os arquivos ", $this, ", na ordem em que foram anexados; os removidos ficam de fora."))
                .with_answer_list::<ArquivoTO>(),
            post(concat!("/gestao/", $path, "/{", $code, "}/arquivos"), AllowedCallers::STAFF, arquivo::attach_file::<$owner>)
                .describe(DocsSection::Management, "Anexar arquivo", "Anexa o arquivo que vem no corpo, como ele é: uma foto (JPEG, PNG ou WebP), um PDF, um DOCX ou um XLSX. O tipo é reconhecido pelo conteúdo, qualquer que seja o Content-Type. Das fotos saem os metadados, também o lugar em que foram tiradas. O mesmo conteúdo enviado outra vez ao mesmo registro responde o arquivo que já está lá, e assim o pedido pode ser repetido.")
                .with_query::<ArquivoQuery>()
                .with_file_body(&["application/octet-stream"])
                .with_answer::<ArquivoTO>(),
        ]
    };
}

pub fn list_file_operations() -> Vec<ApiOperation> {
    let owned = owned!("evento", "codEvento", ClaimResource, "do evento")
        .into_iter()
        .chain(owned!("vistoria", "codVistoria", InspectionResource, "da vistoria"))
        .chain(owned!("helpDesk", "codHelpDesk", TicketResource, "do chamado"))
        .chain(owned!("associado", "codPessoa", MemberResource, "do associado"));
    let each = [
        get("/gestao/arquivo/{codArquivo}", AllowedCallers::STAFF, arquivo::show_file)
            .describe(DocsSection::Management, "Arquivo", "O que se sabe de um arquivo, também de um removido que ainda pode ser restaurado.")
            .with_answer::<ArquivoTO>(),
        get("/gestao/arquivo/{codArquivo}/conteudo", AllowedCallers::STAFF, arquivo::download_file)
            .describe(DocsSection::Management, "Baixar arquivo", "Os bytes do arquivo, para guardar: nunca como uma página. Fica registrado quem baixou.")
            .with_file_answer(&KINDS),
        get("/gestao/arquivo/{codArquivo}/miniatura", AllowedCallers::STAFF, arquivo::download_preview)
            .describe(DocsSection::Management, "Miniatura da foto", "A foto em tamanho pequeno, em JPEG e já de pé; o que não é uma foto não tem miniatura (404).")
            .with_file_answer(&["image/jpeg"]),
        put("/gestao/arquivo/{codArquivo}/remover", AllowedCallers::STAFF, arquivo::remove_file)
            .describe(DocsSection::Management, "Remover arquivo", "Remove o arquivo do registro. Por um tempo ele ainda pode ser restaurado; depois é apagado. Repetido, responde o mesmo.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<ArquivoTO>(),
        put("/gestao/arquivo/{codArquivo}/restaurar", AllowedCallers::STAFF, arquivo::restore_file)
            .describe(DocsSection::Management, "Restaurar arquivo", "Devolve ao registro um arquivo removido. Repetido, responde o mesmo.")
            .with_optional_body::<MotivoInput>()
            .with_answer::<ArquivoTO>(),
    ];
    owned.chain(each).collect()
}
