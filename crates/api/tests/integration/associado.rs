//! `POST /ext/associado`, rule by rule as records.md has them.

use serde_json::{Value, json};
use storage::{QueryWeight, sql};
use testkit::{Reply, Server, World, both_engines, eight_at_once};

const PATH: &str = "/ext/associado";
const ANA: &str = "529.982.247-25";
const RUI: &str = "11144477735";

struct Calls {
    world: World,
    server: Server,
    operator: String,
    administrator: String,
    stranger: String,
}

impl Calls {
    async fn on(world: World) -> Calls {
        let server = Server::start(world.app().clone()).await;
        let operator = server.token(&world.operator.email).await;
        let administrator = server.token(&world.administrator.email).await;
        let stranger = server.token(&world.stranger.email).await;
        Calls { world, server, operator, administrator, stranger }
    }

    async fn save(&self, token: &str, body: &Value) -> Reply {
        self.server.write(PATH, token, &body.to_string()).await
    }

    /// Saves as the operator, and that it went well.
    async fn saved(&self, body: Value) -> Value {
        let reply = self.save(&self.operator, &body).await;
        assert_eq!(reply.status, 200, "{body}: {reply:?}");
        reply.json()
    }

    /// The one row that a person is kept as, column by column.
    async fn row(&self, code: &Value, column: &'static str) -> Option<String> {
        let statement = sql("SELECT").append_text(&format!("CAST({column} AS TEXT) AS {column} FROM people"));
        let statement =
            statement.append_text(&format!("WHERE tenant = {} AND code = {code}", self.world.here));
        self.world.db().query(QueryWeight::Point, statement).await.unwrap()[0].get(column).unwrap()
    }

    async fn count(&self, table: &str) -> i64 {
        let statement = sql("SELECT COUNT(*) AS n FROM")
            .append_text(&format!("{table} WHERE tenant = {}", self.world.here));
        self.world.db().query(QueryWeight::Search, statement).await.unwrap()[0].get("n").unwrap()
    }
}

#[both_engines]
async fn a_member_is_created_and_answered_with_masks(world: World) {
    let calls = Calls::on(world).await;
    let audited = calls.count("audit").await;
    let body = json!({
        "nomePessoa": " Ana Souza ", "cpfCnpj": "52998224725", "email": "Ana@X.example", "sexo": "Feminino",
        "dataNascimento": "1990-03-01", "telefones": [
            {"numero": "+55 (11) 3456-7890", "tipo": "Fixo"}, {"ddi": 55, "numero": "11987654321", "tipo": "Celular"}],
        "endereco": {"logradouro": "das Flores", "tipoLogradouro": "Rua", "numero": "10", "cep": "01310100", "uf": "SP"},
        "estadoCivil": "UNIAO ESTAVEL", "codConsultor": 1, "codigoIntegracao": 77, "campoDesconhecido": [1]
    });
    let saved = calls.save(&calls.operator, &body).await;
    assert_eq!(
        saved.body,
        r#"{"codPessoa":1,"nomePessoa":"Ana Souza","cpfCnpj":"529.982.247-25","email":"ana@x.example","telefoneCelular":"(11)98765-4321","telefoneFixo":"(11)3456-7890","codLoja":2}"#
    );
    let code = json!(1);
    for (column, kept) in [
        ("born_on", "1990-03-01"),
        ("document", "52998224725"),
        ("cep", "01310100"),
        ("integration_code", "77"),
        ("nature", "1"),
        ("consultant", "1"),
        ("branch", "2"),
    ] {
        assert_eq!(calls.row(&code, column).await.as_deref(), Some(kept), "{column}");
    }
    assert_eq!((calls.count("listing").await, calls.count("audit").await), (1, audited + 1));
}

#[both_engines]
async fn a_post_for_a_document_that_is_there_updates_absent_stays_and_null_clears(world: World) {
    let calls = Calls::on(world).await;
    let first = calls
        .saved(json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "email": "a@x.example", "nomeMae": "Eva",
            "telefones": [{"numero": "11987654321"}], "endereco": {"cidade": "Santos", "uf": "SP"}}))
        .await;
    let again = calls
        .saved(json!({"nomePessoa": "Ana Lima", "cpfCnpj": "529.982.247-25", "email": "", "nomeMae": null}))
        .await;
    assert_eq!(again["codPessoa"], first["codPessoa"]);
    assert_eq!(again["nomePessoa"], "Ana Lima");
    assert_eq!(again["email"], "a@x.example", "an empty text is as if not given");
    assert_eq!(again["telefoneCelular"], "(11)98765-4321", "absent stays");
    let code = &first["codPessoa"];
    assert_eq!(calls.row(code, "mother").await, None, "null clears");
    assert_eq!(calls.row(code, "city").await.as_deref(), Some("Santos"));
    let cleared =
        calls.saved(json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "email": null, "telefones": null})).await;
    assert_eq!((&cleared["email"], &cleared["telefoneCelular"]), (&Value::Null, &Value::Null));
    assert_eq!((calls.count("people").await, calls.count("listing").await), (1, 1));
}

#[both_engines]
async fn the_same_again_changes_nothing_not_even_the_day_of_the_last_change(world: World) {
    let calls = Calls::on(world).await;
    let audited = calls.count("audit").await;
    let body = json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "telefones": [{"numero": "11987654321"}]});
    let first = calls.saved(body.clone()).await;
    let before = calls.row(&first["codPessoa"], "updated_at").await;
    calls.world.clock.pass(std::time::Duration::from_hours(1));
    assert_eq!(calls.saved(body).await, first);
    assert_eq!(calls.row(&first["codPessoa"], "updated_at").await, before);
    assert_eq!(calls.count("audit").await, audited + 1);
    calls.saved(json!({"nomePessoa": "Outra", "cpfCnpj": ANA})).await;
    assert_ne!(calls.row(&first["codPessoa"], "updated_at").await, before);
}

#[both_engines]
async fn every_problem_is_told_at_once_and_named(world: World) {
    let calls = Calls::on(world).await;
    let refused = calls
        .save(
            &calls.operator,
            &json!({"cpfCnpj": "111.111.111-11", "sexo": "X", "dataNascimento": "31/02/2000", "natureza": "Z",
                "estadoCivil": "FELIZ", "telefones": [{"numero": "123"}, {"numero": "11987654321", "tipo": "Fax"}],
                "endereco": {"cep": "1", "uf": "XX"}, "email": "x"}),
        )
        .await;
    let told = refused.refuses(400);
    for field in [
        "nomePessoa: ",
        "cpfCnpj: ",
        "sexo: ",
        "dataNascimento: ",
        "natureza: ",
        "estadoCivil: ",
        "telefones[0].numero: ",
        "telefones[1].tipo: ",
        "endereco.cep: ",
        "endereco.uf: ",
        "email: ",
    ] {
        assert!(told.lines().any(|line| line.starts_with(field)), "{field} in {told}");
    }
    assert!(told.contains("SOLTEIRO") && told.contains("UNIAO ESTAVEL"), "{told}");
    for document in ["529.982.247-26", "12345678000100", "00000000000", "12ABC34501DE36", "123"] {
        let body = json!({"nomePessoa": "Ana", "cpfCnpj": document});
        assert!(calls.save(&calls.operator, &body).await.refuses(400).starts_with("cpfCnpj: "), "{document}");
    }
    assert_eq!(calls.count("people").await, 0);
}

#[both_engines]
async fn an_alphanumeric_cnpj_is_a_cnpj_like_any_other(world: World) {
    let calls = Calls::on(world).await;
    let saved = calls
        .saved(json!({"nomePessoa": "Loja Boa Ltda", "cpfCnpj": "12abc34501de35", "nomeFantasia": "Boa"}))
        .await;
    assert_eq!(saved["cpfCnpj"], "12.ABC.345/01DE-35");
    assert_eq!(calls.row(&saved["codPessoa"], "nature").await.as_deref(), Some("2"));
    let body = json!({"nomePessoa": "Loja", "cpfCnpj": "12ABC34501DE35", "natureza": "F"});
    assert!(calls.save(&calls.operator, &body).await.refuses(400).starts_with("natureza: "));
}

#[both_engines]
async fn the_store_may_be_left_out_only_by_who_has_exactly_one(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"nomePessoa": "Ana", "cpfCnpj": ANA});
    assert!(calls.save(&calls.administrator, &body).await.refuses(400).starts_with("codLoja: "));
    assert_eq!(calls.saved(body).await["codLoja"], 2);
    for (token, store) in [(&calls.operator, 1), (&calls.operator, 99), (&calls.administrator, 99)] {
        let body = json!({"nomePessoa": "Rui", "cpfCnpj": RUI, "codLoja": store});
        let told = calls.save(token, &body).await;
        assert!(told.refuses(400).starts_with(&format!("codLoja: a loja {store} não existe")), "{told:?}");
    }
}

#[both_engines]
async fn a_person_of_a_store_out_of_reach_is_a_conflict_that_names_no_store(world: World) {
    let calls = Calls::on(world).await;
    let body = json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "codLoja": 1});
    assert_eq!(calls.save(&calls.administrator, &body).await.status, 200);
    let refused = calls.save(&calls.operator, &json!({"nomePessoa": "Ana", "cpfCnpj": ANA})).await;
    let told = refused.refuses(409);
    assert!(told.starts_with("cpfCnpj: ") && !told.contains("Matriz") && !told.contains('1'), "{told}");
    // Whoever has both stores moves him.
    let moved =
        calls.save(&calls.administrator, &json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "codLoja": 2})).await;
    assert_eq!(moved.json()["codLoja"], 2);
    let mine = calls.saved(json!({"nomePessoa": "Ana", "cpfCnpj": ANA})).await;
    assert_eq!(mine["codLoja"], 2);
    let away = calls.save(&calls.operator, &json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "codLoja": 3})).await;
    assert!(away.refuses(400).starts_with("codLoja: "), "not to a store he does not have");
    let tally =
        sql("SELECT branch, rows FROM listing_tally WHERE tenant = $1 AND ordering = 2 AND rows <> 0")
            .arg(calls.world.here);
    let rows = calls.world.db().query(QueryWeight::Point, tally).await.unwrap();
    assert_eq!(
        (rows.len(), rows[0].get::<i32>("branch").unwrap(), rows[0].get::<i32>("rows").unwrap()),
        (1, 2, 1)
    );
}

#[both_engines]
async fn sellers_that_do_not_exist_are_inactive_or_belong_elsewhere_are_refused_by_name(world: World) {
    let calls = Calls::on(world).await;
    // 1 is a consultant and 2 a representative of store 2, 3 a consultant of store 1, 4 one who has left.
    let ok = calls
        .saved(json!({"nomePessoa": "Ana", "cpfCnpj": ANA, "codConsultor": 1, "codRepresentante": 2}))
        .await;
    assert_eq!(calls.row(&ok["codPessoa"], "representative").await.as_deref(), Some("2"));
    let body = json!({"nomePessoa": "Rui", "cpfCnpj": RUI, "codConsultor": 2, "codRepresentante": 1});
    let told = calls.save(&calls.operator, &body).await;
    let lines: Vec<&str> = told.refuses(400).lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("codConsultor: ") && lines[1].starts_with("codRepresentante: "),
        "{lines:?}"
    );
    for code in [3, 4, 99] {
        let body = json!({"nomePessoa": "Rui", "cpfCnpj": RUI, "codConsultor": code});
        assert!(calls.save(&calls.operator, &body).await.refuses(400).contains(&code.to_string()));
    }
}

#[both_engines]
async fn the_same_document_in_another_base_is_another_person(world: World) {
    let calls = Calls::on(world).await;
    let here = calls.saved(json!({"nomePessoa": "Ana Aqui", "cpfCnpj": ANA})).await;
    let there = calls.save(&calls.stranger, &json!({"nomePessoa": "Ana Ali", "cpfCnpj": ANA})).await.json();
    assert_eq!((&here["codPessoa"], &there["codPessoa"]), (&json!(1), &json!(1)), "each base counts from 1");
    let again = calls.saved(json!({"nomePessoa": "Ana Aqui", "cpfCnpj": ANA})).await;
    assert_eq!(again["nomePessoa"], "Ana Aqui");
}

#[both_engines]
async fn eight_posts_of_one_person_at_once_make_one_person(world: World) {
    let world = std::sync::Arc::new(world);
    let mut servers = Vec::new();
    for app in world.processes() {
        servers.push(std::sync::Arc::new(Server::start(app.clone()).await));
    }
    let token = servers[0].token(&world.operator.email).await;
    let answers = eight_at_once(|number| {
        let (server, token) = (servers[number % servers.len()].clone(), token.clone());
        async move {
            let body = json!({"nomePessoa": format!("Ana {number}"), "cpfCnpj": ANA});
            server.write(PATH, &token, &body.to_string()).await
        }
    })
    .await;
    assert!(
        answers.iter().all(|answer| answer.status == 200 && answer.json()["codPessoa"] == 1),
        "{answers:?}"
    );
}
