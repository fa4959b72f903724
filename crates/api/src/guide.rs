//! The integrators' guide, `docs/integracao.md`, rendered as a page with a table of contents.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

const TEXT: &str = include_str!("../../../docs/integracao.md");
const PAGE: &str = include_str!("guide.html");

pub fn render_guide_page() -> String {
    let mut events: Vec<Event<'_>> = Parser::new_ext(TEXT, Options::ENABLE_TABLES).collect();
    let mut contents = String::new();
    for (at, title) in list_chapters(&events) {
        let id = build_chapter_anchor(&title);
        let entry = [
            Event::Html(CowStr::from(format!("<li><a href=\"#{id}\">"))),
            Event::Text(CowStr::from(title)),
            Event::Html(CowStr::from("</a></li>\n")),
        ];
        html::push_html(&mut contents, entry.into_iter());
        if let Event::Start(Tag::Heading { id: named, .. }) = &mut events[at] {
            *named = Some(CowStr::from(id));
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    PAGE.replace("<!-- contents -->", &contents).replace("<!-- body -->", &body)
}

/// The position and title of each chapter.
fn list_chapters(events: &[Event<'_>]) -> Vec<(usize, String)> {
    let is_chapter = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { level, .. }) if *level == HeadingLevel::H2);
    let starts = events.iter().enumerate().filter(|(_, event)| is_chapter(event));
    let title = |at: usize| {
        let inside =
            events[at + 1..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        inside
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect()
    };
    starts.map(|(at, _)| (at, title(at))).collect()
}

/// The URL fragment of a chapter: `recusas-e-o-401`.
fn build_chapter_anchor(title: &str) -> String {
    let folded = domain::fold_text(title);
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_is_in_the_contents_and_has_its_place() {
        let page = render_guide_page();
        let titles: Vec<&str> = TEXT.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert!(titles.len() > 8);
        for title in titles {
            let id = build_chapter_anchor(title);
            assert!(page.contains(&format!("<li><a href=\"#{id}\">{title}</a></li>")), "{title}");
            assert_eq!(page.matches(&format!("<h2 id=\"{id}\">")).count(), 1, "{title}");
        }
        assert!(page.contains("<table>") && page.contains("<code class=\"language-bash\">"), "{page}");
        assert!(!page.contains("<!--"), "{page}");
    }
}
