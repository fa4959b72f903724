//! Passwords and links by mail, through the real binary: no mail server, so they are files.

use super::Amparo;
use std::path::Path;
use testkit::{Database, both_engines};

#[both_engines]
async fn a_password_is_mailed_and_never_shown(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação_Boa");
    let folder = match amparo.database.folder() {
        Some(folder) => folder.join("mails"),
        None => amparo.folder.path().join("mails"),
    };
    let line = "user create --email ana@exemplo.com.br --name Ana --role administrador";
    let waiting = amparo.said(line);
    assert!(waiting.contains("a senha foi enviada para ana@exemplo.com.br"), "{waiting}");
    assert!(waiting.contains("quando o servidor estiver no ar"), "{waiting}");
    let serving = amparo.serve();
    let first = password_in(&mail(&folder, 1).await);
    assert!(!waiting.contains(&first));
    let again = amparo.said("user reset --email ana@exemplo.com.br");
    assert!(again.contains("a senha foi enviada para") && !again.contains("no ar"), "{again}");
    let text = mail(&folder, 2).await;
    let second = password_in(&text);
    assert!(first != second && !again.contains(&second));
    assert!(text.contains("Associação Boa") && text.contains("http://127.0.0.1:8080"), "{text}");

    let form = serving.get("/senha/esqueci");
    assert!(form.starts_with("HTTP/1.1 200") && form.contains("autocomplete=\"username\""), "{form}");
    let asked = serving.post("/senha/esqueci", "email=ana%40exemplo.com.br");
    assert!(asked.contains("Se este e-mail tiver uma conta"), "{asked}");
    let text = mail(&folder, 3).await;
    let link = text.lines().find(|line| line.contains("/senha/nova/")).unwrap();
    let path = link.strip_prefix(&format!("http://{}", serving.address)).expect("the server's own address");
    let done = serving.post(path, "senha=uma+frase+comprida&repetida=uma+frase+comprida");
    assert!(done.starts_with("HTTP/1.1 200") && done.contains("Senha trocada"), "{done}");
    assert!(mail(&folder, 4).await.contains("acaba de ser trocada"));
    assert_eq!(serving.terminate(), 0);
}

/// The text of the mail with this code, once it is written.
pub async fn mail(folder: &Path, code: u32) -> String {
    let ending = format!("-1-{code}.eml");
    let find = || {
        let all = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        all.into_iter().find(|path| path.to_str().unwrap().ends_with(&ending))
    };
    testkit::until("the mail is written", || async { find().is_some() }).await;
    testkit::parts(&std::fs::read_to_string(find().unwrap()).unwrap()).remove(0)
}

fn password_in(text: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap().to_owned()
}
