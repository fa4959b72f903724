//! The operations on files that people attach. They belong to records of four kinds alike, so those lines are written once.

use crate::gestao::arquivo::{self, Associado};
use crate::gestao::{evento::Evento, help_desk::HelpDesk, vistoria::Vistoria};
use crate::operation::{Access, Operation, Section, get, post, put};
use domain::{FileKind, Role};
use wire::records::{ArquivoQuery, ArquivoTO, MotivoInput};

/// Whoever works for the association.
const STAFF: Access = Access::Roles(&[Role::Administrator, Role::Operator]);

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
            get(concat!("/gestao/", $path, "/{", $code, "}/arquivos"), STAFF, arquivo::list::<$owner>)
                .told(Section::Management, concat!("Arquivos ", $this), concat!("Os arquivos ", $this, ", na ordem em que foram anexados; os removidos ficam de fora."))
                .answers_many::<ArquivoTO>(),
            post(concat!("/gestao/", $path, "/{", $code, "}/arquivos"), STAFF, arquivo::attach::<$owner>)
                .told(Section::Management, "Anexar arquivo", "Anexa o arquivo que vem no corpo, como ele é: uma foto (JPEG, PNG ou WebP), um PDF, um DOCX ou um XLSX. O tipo é reconhecido pelo conteúdo, qualquer que seja o Content-Type. Das fotos saem os metadados, também o lugar em que foram tiradas. O mesmo conteúdo enviado outra vez ao mesmo registro responde o arquivo que já está lá, e assim o pedido pode ser repetido.")
                .asks::<ArquivoQuery>()
                .takes_file(&["application/octet-stream"])
                .answers::<ArquivoTO>(),
        ]
    };
}

pub fn operations() -> Vec<Operation> {
    let owned = owned!("evento", "codEvento", Evento, "do evento")
        .into_iter()
        .chain(owned!("vistoria", "codVistoria", Vistoria, "da vistoria"))
        .chain(owned!("helpDesk", "codHelpDesk", HelpDesk, "do chamado"))
        .chain(owned!("associado", "codPessoa", Associado, "do associado"));
    let each = [
        get("/gestao/arquivo/{codArquivo}", STAFF, arquivo::one)
            .told(Section::Management, "Arquivo", "O que se sabe de um arquivo, também de um removido que ainda pode ser restaurado.")
            .answers::<ArquivoTO>(),
        get("/gestao/arquivo/{codArquivo}/conteudo", STAFF, arquivo::content)
            .told(Section::Management, "Baixar arquivo", "Os bytes do arquivo, para guardar: nunca como uma página. Fica registrado quem baixou.")
            .answers_file(&KINDS),
        get("/gestao/arquivo/{codArquivo}/miniatura", STAFF, arquivo::preview)
            .told(Section::Management, "Miniatura da foto", "A foto em tamanho pequeno, em JPEG e já de pé; o que não é uma foto não tem miniatura (404).")
            .answers_file(&["image/jpeg"]),
        put("/gestao/arquivo/{codArquivo}/remover", STAFF, arquivo::remove)
            .told(Section::Management, "Remover arquivo", "Remove o arquivo do registro. Por um tempo ele ainda pode ser restaurado; depois é apagado. Repetido, responde o mesmo.")
            .may_take::<MotivoInput>()
            .answers::<ArquivoTO>(),
        put("/gestao/arquivo/{codArquivo}/restaurar", STAFF, arquivo::restore)
            .told(Section::Management, "Restaurar arquivo", "Devolve ao registro um arquivo removido. Repetido, responde o mesmo.")
            .may_take::<MotivoInput>()
            .answers::<ArquivoTO>(),
    ];
    owned.chain(each).collect()
}
