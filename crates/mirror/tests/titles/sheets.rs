//! Titles that came in a sheet, too: they are here once.

use super::{find_holder, issue, list_open, read};
use crate::source::{Source, asked, run};
use crate::{count, served};
use serde_json::Value as Json;
use testkit::{Server, World, books, both_engines};

const ALL: &str = "SELECT COUNT(*) AS count FROM titles WHERE tenant = $1";

/// The import when it is done.
async fn import(world: &World, (server, token): (&Server, &str), rows: &str) -> Json {
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str()), ("Content-Type", "text/csv")];
    let sheet = format!("CPF;Tipo;Valor;Vencimento;Código\n{rows}\n");
    let path = "/gestao/importacao?tipo=titulos&arquivo=a.csv";
    let received = server.call("POST", path, &headers, &sheet).await.json();
    let path = format!("/gestao/importacao/{}", received["codImportacao"]);
    let begun = server.write(&format!("{path}/iniciar"), token, "").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    while exchange::import::run_due_imports(world.app()).await.unwrap() {}
    read(server, token, &path).await
}

#[both_engines]
async fn a_title_of_a_sheet_is_not_doubled_by_the_mirror_nor_by_the_sheet(world: World) {
    let source = Source::demo(&world, 5).await;
    let (person, _) = find_holder(&source).await;
    let holder = source.read(&format!("/ext/associado?situacaoBeneficio=Todos&codPessoa={person}")).await;
    let cpf = holder["itens"][0]["cpfCnpj"].as_str().unwrap().to_owned();
    let report = run(&world, &asked(&source.address())).await.unwrap();
    let (mirrored, here) = served(&world, &report).await;
    let tenant = report.mirror.tenant;
    let same = issue(&source, &person, "2026-12-15", 30.0).await;
    let other = issue(&source, &person, "2026-12-15", 40.0).await;
    let same_row = format!("{cpf};1;30,00;15/12/2026;{same}");
    let other_row = format!("{cpf};1;41,00;15/12/2026;{other}");
    let done = import(&world, (&mirrored, here.as_str()), &format!("{same_row}\n{other_row}")).await;
    assert_eq!(done["criados"], 2, "{done}");
    let before = count(&world, ALL, tenant).await;

    let report = run(&world, &asked(&source.address())).await.unwrap();
    assert_eq!((report.written, count(&world, ALL, tenant).await), (1, before), "{report:?}");
    assert!(report.render().contains(&format!("titulo {other}, codTitulo: uma planilha")), "{report:?}");
    let again = run(&world, &asked(&source.address())).await.unwrap();
    assert_eq!((again.written, count(&world, ALL, tenant).await), (0, before), "{again:?}");

    let repeated = import(&world, (&mirrored, here.as_str()), &same_row).await;
    assert_eq!(repeated["semMudanca"], 1, "{repeated}");
    let next = issue(&source, &person, "2026-12-16", 50.0).await;
    run(&world, &asked(&source.address())).await.unwrap();
    let next_row = format!("{cpf};1;50,00;16/12/2026;{next}");
    let known = import(&world, (&mirrored, here.as_str()), &next_row).await;
    assert_eq!(known["semMudanca"], 1, "{known}");
    let changed = import(&world, (&mirrored, here.as_str()), &next_row.replace("50,00", "51,00")).await;
    assert_eq!(changed["recusados"], 1, "{changed}");
    let reserved =
        import(&world, (&mirrored, here.as_str()), &format!("{cpf};1;5,00;16/12/2026;mirror:9999")).await;
    assert_eq!(reserved["recusados"], 1, "{reserved}");
    assert_eq!(count(&world, ALL, tenant).await, before + 1);
    assert_eq!(list_open(&mirrored, &here).await.len(), list_open(&source.server, &source.token).await.len());
    books::check(world.db(), tenant, "with sheets").await;
}
