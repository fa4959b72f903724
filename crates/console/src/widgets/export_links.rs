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
