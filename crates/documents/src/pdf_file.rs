//! The file around the content of a page.

use crate::canvas::{PAGE_HEIGHT, PAGE_WIDTH, to_points};
use crate::helvetica::FontWeight;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, TextStr};
use std::io::Write;

/// A page in A4. The file has no dates, so that it is the same each time that it is asked for.
pub(crate) fn build_one_page_pdf(title: &str, content: &[u8]) -> Vec<u8> {
    let [catalog, pages, page, stream, information, regular, bold] = [1, 2, 3, 4, 5, 6, 7].map(Ref::new);
    let fonts = FontWeight::ALL.into_iter().zip([regular, bold]);
    let mut pdf = Pdf::with_capacity(8 * 1024);
    let mut writer = pdf.catalog(catalog);
    writer.pages(pages).lang(TextStr("pt-BR"));
    // Windows show the title instead of the address that the file came from.
    writer.viewer_preferences().display_doc_title(true);
    writer.finish();
    pdf.document_info(information).title(TextStr(title)).producer(TextStr("Amparo"));
    pdf.pages(pages).kids([page]).count(1);
    let mut writer = pdf.page(page);
    writer.media_box(Rect::new(0.0, 0.0, to_points(PAGE_WIDTH), to_points(PAGE_HEIGHT)));
    writer.parent(pages).contents(stream);
    let mut resources = writer.resources();
    let mut names = resources.fonts();
    for (weight, reference) in fonts.clone() {
        names.pair(Name(weight.resource_name()), reference);
    }
    names.finish();
    resources.finish();
    writer.finish();
    for (weight, reference) in fonts {
        let mut font = pdf.type1_font(reference);
        font.base_font(Name(weight.font_name())).encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    // Writing to memory does not fail, and content that is not compressed is just as good.
    match compress(content) {
        Ok(compressed) => drop(pdf.stream(stream, &compressed).filter(Filter::FlateDecode)),
        Err(_) => drop(pdf.stream(stream, content)),
    }
    pdf.finish()
}

fn compress(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(content.len() / 2), Compression::fast());
    encoder.write_all(content)?;
    encoder.finish()
}
