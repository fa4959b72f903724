//! Normalizes paths as deployed programs write them: with `//` inside, a trailing slash, the configured prefix
//! (`http.path_prefix`) or a name before `/ext/` (`http.any_ext_prefix`). All of them must reach the same operation, and
//! nothing after this sees the path as it came.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// The prefixes that a path may have.
#[derive(Clone, Copy)]
pub struct PathPrefixes<'p> {
    /// `http.path_prefix`; may be empty.
    pub configured: &'p str,
    /// Whether any single segment may come before `/ext/` (`http.any_ext_prefix`).
    pub any_before_ext: bool,
}

/// The first segments of the server's own paths. None of them is taken for a prefix.
const OWN_SEGMENTS: [&str; 11] = [
    "console",
    "docs",
    "documento",
    "estilo.css",
    "ext",
    "gestao",
    "healthz",
    "metrics",
    "openapi.json",
    "readyz",
    "senha",
];

pub fn normalize_uri(uri: &mut Uri, prefixes: PathPrefixes<'_>) {
    let Some(path) = normalize_path(uri.path(), prefixes) else { return };
    let text = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = PathAndQuery::try_from(text).ok();
    if let Ok(tidied) = Uri::from_parts(parts) {
        *uri = tidied;
    }
}

/// The normalized path; `None` if nothing changes.
fn normalize_path(path: &str, prefixes: PathPrefixes<'_>) -> Option<String> {
    let PathPrefixes { configured, any_before_ext } = prefixes;
    let has_odd_slash = path.contains("//") || (path.ends_with('/') && path != "/");
    let may_be_configured = !configured.is_empty() && path.starts_with(configured);
    let has_any_prefix = any_before_ext && strip_any_prefix(path).is_some();
    if !(has_odd_slash || may_be_configured || has_any_prefix) {
        return None;
    }
    let mut tidied = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !part.is_empty()) {
        tidied.push('/');
        tidied.push_str(part);
    }
    let rest = tidied.strip_prefix(configured).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let tidied = rest.unwrap_or(&tidied);
    let bare = if any_before_ext { strip_any_prefix(tidied) } else { None };
    let tidied = bare.unwrap_or(tidied);
    // A trailing slash is significant for pages, not for operations.
    let is_operation = ["/ext", "/gestao"].iter().any(|root| is_within(tidied, root));
    let slash = if tidied.is_empty() || (path.ends_with('/') && !is_operation) { "/" } else { "" };
    Some(format!("{tidied}{slash}"))
}

/// The path without a single segment before `/ext/`, by which most deployed programs name the API of their server.
fn strip_any_prefix(path: &str) -> Option<&str> {
    let (segment, _) = path.strip_prefix('/')?.split_once('/')?;
    let rest = path.get(1 + segment.len()..)?;
    (rest.starts_with("/ext/") && is_prefix_segment(segment)).then_some(rest)
}

/// A plain name that no path of the server begins with. Dots alone and encoded characters, which a proxy may resolve to
/// another path, make no prefix.
fn is_prefix_segment(segment: &str) -> bool {
    let is_plain = segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    is_plain
        && segment.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && !OWN_SEGMENTS.iter().any(|own| own.eq_ignore_ascii_case(segment))
}

fn is_within(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalize_text(text: &str, configured: &str) -> String {
        normalize_with(text, PathPrefixes { configured, any_before_ext: false })
    }

    fn normalize_with(text: &str, prefixes: PathPrefixes<'_>) -> String {
        let mut uri: Uri = text.parse().unwrap();
        normalize_uri(&mut uri, prefixes);
        uri.to_string()
    }

    #[test]
    fn doubled_and_trailing_slashes_and_the_prefix_go() {
        for (path, prefix, tidied) in [
            ("/ext/beneficio", "", "/ext/beneficio"),
            ("//ext///beneficio//?pagina=2&x=a//b/", "", "/ext/beneficio?pagina=2&x=a//b/"),
            ("/ext/beneficio/", "", "/ext/beneficio"),
            ("/amparo/ext/beneficio/", "/amparo", "/ext/beneficio"),
            ("/amparo//ext/beneficio?x", "/amparo", "/ext/beneficio?x"),
            ("/ext/beneficio", "/amparo", "/ext/beneficio"),
            ("/amparoext/beneficio", "/amparo", "/amparoext/beneficio"),
            ("/amparo", "/amparo", "/"),
            ("/amparo/docs/", "/amparo", "/docs/"),
            ("/", "", "/"),
            ("//", "", "/"),
            ("/docs/", "", "/docs/"),
            ("/exterior/", "", "/exterior/"),
            ("*", "", "*"),
        ] {
            assert_eq!(normalize_text(path, prefix), tidied, "{path}");
        }
        assert_eq!(normalize_text("http://host.example/ext//loja/", ""), "http://host.example/ext/loja");
    }

    #[test]
    fn a_name_before_ext_goes_unless_the_server_uses_it_itself() {
        let any = |configured| PathPrefixes { configured, any_before_ext: true };
        for (path, configured, tidied) in [
            ("/nome-api/ext/associado", "", "/ext/associado"),
            ("//nome-api//ext/associado/?x=/a/ext/b", "", "/ext/associado?x=/a/ext/b"),
            ("/v1.84_x~/ext/beneficio/1/itens", "", "/ext/beneficio/1/itens"),
            ("/amparo/nome-api/ext/associado", "/amparo", "/ext/associado"),
            ("/nome-api/ext/associado", "/amparo", "/ext/associado"),
            ("/ext/associado", "", "/ext/associado"),
            // What is no such prefix stays.
            ("/nome-api/ext", "", "/nome-api/ext"),
            ("/nome-api/ext/", "", "/nome-api/ext/"),
            ("/nome-api/exterior/x", "", "/nome-api/exterior/x"),
            ("/nome-api/EXT/associado", "", "/nome-api/EXT/associado"),
            ("/nome-api/gestao/usuario", "", "/nome-api/gestao/usuario"),
            ("/a/b/ext/associado", "", "/a/b/ext/associado"),
            ("/nome-api/amparo/ext/associado", "/amparo", "/nome-api/amparo/ext/associado"),
            ("/ext/ext/associado", "", "/ext/ext/associado"),
            ("/../ext/associado", "", "/../ext/associado"),
            ("/./ext/associado", "", "/./ext/associado"),
            ("/nome%2Dapi/ext/associado", "", "/nome%2Dapi/ext/associado"),
            ("/a;b/ext/associado", "", "/a;b/ext/associado"),
            ("*", "", "*"),
        ] {
            assert_eq!(normalize_with(path, any(configured)), tidied, "{path}");
        }
        for own in OWN_SEGMENTS {
            for segment in [own.to_owned(), own.to_ascii_uppercase()] {
                let path = format!("/{segment}/ext/associado");
                assert_eq!(normalize_with(&path, any("")), path);
            }
        }
        assert_eq!(normalize_text("/nome-api/ext/associado", ""), "/nome-api/ext/associado");
    }
}
