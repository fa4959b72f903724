//! A whole association into a file and out of it again, by the command line, beside a running server.

use super::*;

const LOGIN: &str = "YWRtaW5AZGVtby5leGFtcGxlOmFtcGFyby1kZW1v";

fn enters(serving: &Serving) -> String {
    serving.send("POST /ext/autenticacao", &[("Authorization", &format!("Basic {LOGIN}"))], "")
}

#[both_engines]
async fn an_association_leaves_by_one_command_and_comes_by_another(database: Database) {
    let engine = database.engine;
    let here = Amparo::new(database);
    here.said("demo load --members 20");
    let file = here.folder.path().join("associacao.zip");
    let (to, from) = (format!("export --to {}", file.display()), format!("bring --from {}", file.display()));
    let serving = here.serve();
    let said = here.said(&to);
    assert!(said.contains("Guarde bem este arquivo") && said.contains("segredos"), "{said}");
    assert!(enters(&serving).starts_with("HTTP/1.1 200"));
    assert_eq!(serving.terminate(), 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(here.complained(&to).contains("já existe; escolha outro nome"));
    assert!(here.complained(&from).contains("A base 1 já existe neste servidor"));

    let there = Amparo::new(Database::fresh(engine).await);
    let said = there.said(&from);
    assert!(said.contains("trazida, a base padrão deste servidor"), "{said}");
    assert!(said.contains("não deixe o antigo no ar"), "{said}");
    assert!(said.contains("Os nomes de servidor do arquivo não foram tomados"), "{said}");
    assert!(there.complained("bring --discard").contains("não há o que descartar"));
    assert!(there.complained(&format!("{from} --discard")).contains("não podem vir juntas"));
    assert!(there.complained("bring").contains("Falta informar"));
    assert!(there.said("tenant list").contains("(padrão)"));
    let serving = there.serve();
    assert!(enters(&serving).starts_with("HTTP/1.1 200"));
    assert_eq!(serving.terminate(), 0);

    let copy = Amparo::new(Database::fresh(engine).await);
    let said = copy.said(&format!("{from} --paused"));
    assert!(said.contains("Os receptores estão pausados"), "{said}");
    let other = copy.folder.path().join("outro.zip");
    std::fs::write(&other, "isto não é um arquivo zip").unwrap();
    let said = copy.complained(&format!("bring --from {}", other.display()));
    assert!(said.contains("não é uma exportação do Amparo"), "{said}");
    let said = copy.complained("bring --from nada.zip");
    assert!(said.contains("não pôde ser lido"), "{said}");
}
