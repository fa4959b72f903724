//! Which hosts lead to an association: the operator says so, by command.

use super::Amparo;
use testkit::{Database, both_engines};

#[both_engines]
async fn hosts_are_added_listed_and_removed_by_command(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Primeira");
    amparo.said("tenant create --name Segunda");
    assert!(amparo.said("tenant host list").contains("Nenhum nome de servidor leva à base 1"));
    assert!(
        amparo.said("tenant host add --host App.Um.example.").contains("app.um.example leva agora à base 1")
    );
    amparo.said("tenant host add --host app.um.example");
    amparo.said("tenant host add --host dois.example --tenant 2");
    assert_eq!(amparo.said("tenant host list --tenant 2"), "dois.example\n");
    for (host, why) in [
        ("app.um.example", "já pertence a outra base"),
        ("localhost", "é esta própria máquina"),
        ("127.0.0.1", "é um endereço IP"),
        ("0x7f000001", "é um endereço IP"),
        ("[::1]", "é um endereço IP"),
        ("http://x", "não é um nome de servidor"),
        ("amparo.example", "é o nome do próprio servidor (public_url)"),
    ] {
        let line = format!("tenant host add --tenant 2 --host {host} --public-url https://amparo.example");
        let said = amparo.complained(&line);
        assert!(said.contains(why), "{host}: {said}");
        let line = format!("tenant create --name Terceira --host {host} --public-url https://amparo.example");
        assert!(amparo.complained(&line).contains(why), "{host}");
    }
    assert!(amparo.complained("tenant host remove --host dois.example").contains("não leva a esta base"));
    assert!(amparo.said("tenant host remove --host app.um.example").contains("já não leva à base 1"));
    amparo.said("tenant host add --tenant 2 --host app.um.example");
    assert_eq!(amparo.said("tenant host list --tenant 2"), "app.um.example\ndois.example\n");
}
