//! The links that export the list on a page.

#[derive(Clone, Default)]
pub struct ExportLinks {
    pub csv: String,
    pub xlsx: String,
}

impl ExportLinks {
    /// `filters` use the API's names; empty values are dropped.
    pub fn new<'q>(
        root: &str,
        list: &str,
        filters: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> ExportLinks {
        let filters: Vec<(&str, &str)> =
            filters.into_iter().filter(|(name, text)| !text.is_empty() && *name != "pagina").collect();
        let link = |format: &str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("formato", format).extend_pairs(&filters);
            format!("{root}/console/exportar/{list}?{}", query.finish())
        };
        ExportLinks { csv: link("csv"), xlsx: link("xlsx") }
    }
}

/// Borrows owned filters for `ExportLinks::new`.
pub fn borrow_pairs(all: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    all.iter().map(|(name, text)| (name.as_str(), text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_what_is_filtered_and_no_page() {
        let links = ExportLinks::new("/a", "associado", [("nome", "zé & cia"), ("pagina", "3"), ("cpf", "")]);
        assert_eq!(links.csv, "/a/console/exportar/associado?formato=csv&nome=z%C3%A9+%26+cia");
        assert!(links.xlsx.contains("formato=xlsx"));
    }
}
