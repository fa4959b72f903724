//! Normalizes paths as deployed programs write them: with `//` inside, a trailing slash or a prefix
//! (`http.path_prefix`). All of them must reach the same operation.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;

pub fn normalize_uri(uri: &mut Uri, prefix: &str) {
    let Some(path) = normalize_path(uri.path(), prefix) else { return };
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
fn normalize_path(path: &str, prefix: &str) -> Option<String> {
    let has_odd_slash = path.contains("//") || (path.ends_with('/') && path != "/");
    if !has_odd_slash && (prefix.is_empty() || !path.starts_with(prefix)) {
        return None;
    }
    let mut tidied = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !part.is_empty()) {
        tidied.push('/');
        tidied.push_str(part);
    }
    let rest = tidied.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let tidied = rest.unwrap_or(&tidied);
    // A trailing slash is significant for pages, not for operations.
    let is_operation = ["/ext", "/gestao"].iter().any(|root| is_within(tidied, root));
    let slash = if tidied.is_empty() || (path.ends_with('/') && !is_operation) { "/" } else { "" };
    Some(format!("{tidied}{slash}"))
}

fn is_within(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalize_text(text: &str, prefix: &str) -> String {
        let mut uri: Uri = text.parse().unwrap();
        normalize_uri(&mut uri, prefix);
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
}
