//! Tests of the reader, on records of their own.

use super::*;
use crate::input;
use crate::refusal::RequestProblem;

input! {
    /// Um telefone.
    pub struct Phone = "TelefoneTO" {
        /// O número.
        number "numero": required String = "(11)99999-0000",
    }
}

input! {
    /// Alguém.
    pub struct Somebody = "AlguemTO" {
        /// O nome.
        name "nome": required String = "Maria",
        /// A idade.
        age "idade": optional i32 = 7,
        /// Os telefones.
        phones "telefones": optional Vec<Phone> = [{"numero": "(11)99999-0000"}],
        /// Se recebe.
        receives "recebe": optional bool = true,
    }
}

fn problems(text: &str) -> Vec<String> {
    read_body::<Somebody>(text.as_bytes()).unwrap_err().problems.into_lines()
}

#[test]
fn absent_stays_null_clears_and_a_value_sets() {
    let read = |text: &str| read_body::<Somebody>(text.as_bytes()).unwrap();
    let one = read(r#"{"nome": " Maria ", "idade": null, "outra": {}}"#);
    assert_eq!((one.name.as_str(), one.age, one.receives), ("Maria", FieldPatch::Clear, FieldPatch::Keep));
    let two = read(r#"{"nome": "M", "idade": " ", "recebe": false, "telefones": [{"numero": "1"}]}"#);
    assert_eq!((two.age, two.receives), (FieldPatch::Keep, FieldPatch::Set(false)));
    assert_eq!(two.phones.into_set().unwrap()[0].number, "1");
    assert_eq!(read("\u{feff}{\"nome\": \"M\", \"idade\": \"12\"}").age, FieldPatch::Set(12));
}

#[test]
fn every_problem_is_told_with_its_place() {
    let found =
        problems(r#"{"nome": "", "idade": 1.5, "recebe": "sim", "telefones": [{"numero": "1"}, {}, 3]}"#);
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(found[0], "nome: informe um valor.");
    assert!(found[1].starts_with("idade: ") && found[1].contains("inteiro"), "{found:?}");
    assert_eq!(found[2], "telefones[1].numero: informe um valor.");
    assert!(found[3].starts_with("telefones[2]: "), "{found:?}");
    assert!(found[4].starts_with("recebe: "), "{found:?}");
}

#[test]
fn what_is_no_record_is_told_as_such() {
    assert_eq!(problems("[]"), ["O corpo deve ser um objeto JSON, entre { e }."]);
    assert_eq!(problems(""), ["Falta o corpo do pedido: envie-o em JSON."]);
    assert!(problems("{\"nome\": }")[0].contains("linha 1"));
    assert!(problems("\u{0}")[0].contains("JSON válido"));
    assert!(problems(r#"{"nome": "a\u0000b"}"#)[0].starts_with("nome: "));
    assert!(problems(&"[".repeat(1000))[0].contains("JSON válido"));
}

#[test]
fn a_body_may_be_a_list_of_records() {
    let read =
        |text: &str| read_body::<Vec<Phone>>(text.as_bytes()).map_err(|unread| unread.problems.into_lines());
    assert_eq!(read(r#"[{"numero": "1"}, {"numero": "2"}]"#).unwrap()[1].number, "2");
    assert_eq!(
        read(r#"[{"numero": "1"}, {}, 3]"#).unwrap_err(),
        ["[1].numero: informe um valor.", "[2]: deve ser um objeto JSON, entre { e }."]
    );
    assert_eq!(read("{}").unwrap_err(), ["O corpo deve ser uma lista, entre [ e ]."]);
}

#[test]
fn a_body_that_may_be_absent_is_read_as_one_without_fields() {
    input! {
        /// O que se pode deixar de dizer.
        pub struct Remark = "ObservacaoTO" {
            /// O texto.
            text "texto": optional String = "Nada.",
        }
    }
    let read = |text: &str| {
        read_optional_body::<Remark>(text.as_bytes())
            .map(|one| one.text)
            .map_err(|unread| unread.problems.into_lines())
    };
    for nothing in ["", " \r\n\t", "\u{feff}", "{}", " { } ", "[]", "[ ]\n", r#"{"outro": 1}"#] {
        assert_eq!(read(nothing), Ok(FieldPatch::Keep), "{nothing:?}");
    }
    assert_eq!(read(r#"{"texto": "Pedido"}"#), Ok(FieldPatch::Set("Pedido".to_owned())));
    assert_eq!(read(r#"{"texto": null}"#), Ok(FieldPatch::Clear));
    for bad in ["null", "[1]", "[[]]", "\"\"", "0", "true", "{", "x"] {
        let found = read(bad).unwrap_err();
        assert!(found.len() == 1 && found[0].starts_with("O corpo "), "{bad}: {found:?}");
    }
    let needed = read_optional_body::<Phone>(b"").unwrap_err().problems.into_lines();
    assert_eq!(needed, ["numero: informe um valor."], "a record that needs something is not nothing");
}

#[test]
fn a_code_in_a_path_is_an_int32_to_the_letter() {
    let read = |text: &str| read_path_code::<i32>("codCoisa", text).map_err(InputProblems::into_lines);
    let good = [("1", 1), ("007", 7), ("-1", -1), ("2147483647", i32::MAX), ("-2147483648", i32::MIN)];
    for (text, number) in good {
        assert_eq!(read(text), Ok(number));
    }
    for bad in ["", "-", "a", "1a", "1.0", "1e3", " 1", "1 ", "+1", "--1", "2147483648", "١", "{codCoisa}"] {
        let line = "codCoisa: deve ser um número inteiro, de -2147483648 a 2147483647.";
        assert_eq!(read(bad).unwrap_err(), [line], "{bad:?}");
    }
}

#[test]
fn the_problems_of_two_places_come_together() {
    let bad = || read_body::<Somebody>(b"{}");
    let good = || read_body::<Somebody>(br#"{"nome": "Ana"}"#);
    let wrong_code = || read_path_code::<i32>("codCoisa", "x");
    let lines = |code, body| combine_code_and_body(code, body).unwrap_err().problems.into_lines();
    let found = lines(wrong_code(), bad());
    assert_eq!((found.len(), found[1].as_str()), (2, "nome: informe um valor."));
    assert!(found[0].starts_with("codCoisa: "), "{found:?}");
    assert_eq!(lines(read_path_code::<i32>("codCoisa", "1"), bad()), found[1..]);
    assert_eq!(lines(wrong_code(), good()), found[..1]);
    assert_eq!(combine_code_and_body(read_path_code::<i32>("a", "1"), good()).unwrap().0, 1);
    let many = format!("[{}]", vec!["{}"; 150].join(","));
    let cut = combine_code_and_body(wrong_code(), read_body::<Vec<Phone>>(many.as_bytes()))
        .unwrap_err()
        .problems
        .into_lines();
    assert_eq!((cut.len(), cut[100].as_str()), (101, "… e mais 51 problemas."));
}

#[test]
fn the_rest_of_what_is_wrong_can_still_be_judged() {
    let unread = read_body::<Somebody>(br#"{"nome": "Ana", "idade": "muita"}"#).unwrap_err();
    let rest = unread.rest.unwrap();
    assert_eq!((rest.name.as_str(), rest.age), ("Ana", FieldPatch::Keep));
    let mut problems = unread.problems;
    let others =
        [("idade", "informe um valor."), ("codPlano", "98 não existe."), ("codPlano", "99 não existe.")];
    problems.merge_unreported(others.map(|(field, sentence)| RequestProblem::of(field, sentence)));
    let lines = problems.into_lines();
    assert_eq!(
        lines[1..],
        ["codPlano: 98 não existe.", "codPlano: 99 não existe."],
        "all of a field that was not told of"
    );
    assert_eq!(lines.len(), 3);
    assert!(
        read_body::<Somebody>(br#"{"idade": "muita"}"#).unwrap_err().rest.is_none(),
        "without what must be there"
    );
}

#[test]
fn a_query_is_read_by_the_same_declaration() {
    let pairs = |text: &str| {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        read_query::<Somebody>(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
    };
    let read = pairs("nome=Maria&idade=8&recebe=true&nome=Outra&x=1").unwrap();
    assert_eq!(
        (read.name.as_str(), read.age, read.receives),
        ("Maria", FieldPatch::Set(8), FieldPatch::Set(true))
    );
    assert_eq!(pairs("nome=&idade=").unwrap_err().into_lines(), ["nome: informe um valor."]);
}

mod values {
    use super::*;
    use domain::{BoundedText, CardNumber, Date, Document, Fuel, Money, PlanCode, Uf};

    input! {
        /// Um pouco de tudo.
        pub struct Things = "CoisasTO" {
            flat somebody: Somebody,
            /// O dia.
            day "dia": optional Date = "14/11/2026",
            /// O documento.
            document "cpfCnpj": optional Document = "529.982.247-25",
            /// O valor.
            amount "valor": optional Money = 150.55,
            /// O combustível.
            fuel "combustivel": optional Fuel = "FLEX",
            /// O cartão.
            card "cartao": optional CardNumber = "1234 56 7 890 123",
            /// O telefone.
            phone "telefone": optional domain::Phone = "(11)98765-4321",
            /// O código de fora.
            code "codigoIntegracao": optional TextOrNumber<5> = "0042",
            /// O ano.
            year "ano": optional BoundedInt<1900, 2100> = 2026,
            /// O plano.
            plan "codPlano": optional PlanCode = 10,
            /// A UF.
            state "uf": optional Uf = "SP",
            /// A cor.
            colour "cor": optional BoundedText<5> = "Prata",
            /// O dia na consulta.
            query_day "diaConsulta": optional QueryDate = "14/11/2026",
            /// O valor de um campo.
            scalar "campo": optional ScalarInput = true,
        }
    }

    fn things(text: &str) -> Result<Things, Vec<String>> {
        read_body(text.as_bytes()).map_err(|unread| unread.problems.into_lines())
    }

    #[test]
    fn each_value_is_read_as_its_type_reads_it() {
        let read = things(
            r#"{"nome": "M", "dia": "2026-11-14", "cpfCnpj": "52998224725", "valor": 150.50, "combustivel": "FLEX",
                "cartao": "1234567890123", "telefone": "+55 11 98765 4321", "codigoIntegracao": 42, "ano": "2026",
                "codPlano": 0, "uf": "sp", "cor": " Prata ", "diaConsulta": "14/11/2026", "campo": 1.50}"#,
        )
        .unwrap();
        assert_eq!(read.somebody.name, "M");
        assert_eq!(read.day.into_set().map(Date::to_br).as_deref(), Some("14/11/2026"));
        assert_eq!(read.document.into_set().map(|one| one.to_string()).as_deref(), Some("529.982.247-25"));
        assert_eq!(read.amount.into_set().map(Money::cents), Some(15_050));
        assert_eq!(read.fuel, FieldPatch::Set(Fuel::Flex));
        assert_eq!(read.card.into_set().map(|one| one.to_string()).as_deref(), Some("1234 56 7 890 123"));
        assert_eq!(read.phone.into_set(), domain::Phone::parse("11987654321").ok());
        assert_eq!(read.code.into_set().unwrap().as_str(), "42");
        assert_eq!(read.year.into_set().map(BoundedInt::get), Some(2026));
        assert_eq!(read.plan, FieldPatch::Set(PlanCode::new(0)));
        assert_eq!(read.state.into_set().map(Uf::as_str), Some("SP"));
        assert_eq!(read.colour.into_set().unwrap().as_str(), "Prata");
        assert_eq!(read.query_day.into_set().map(|one| one.get().to_iso()).as_deref(), Some("2026-11-14"));
        assert_eq!(read.scalar, FieldPatch::Set(ScalarInput::Number("1.50".to_owned())));
    }

    #[test]
    fn empty_texts_stay_and_null_clears_whatever_the_type() {
        let read = things(
            r#"{"nome": "M", "dia": "", "valor": " ", "combustivel": null, "uf": "", "cartao": null}"#,
        );
        let read = read.unwrap();
        assert_eq!(
            (read.day, read.amount, read.state),
            (FieldPatch::Keep, FieldPatch::Keep, FieldPatch::Keep)
        );
        assert_eq!((read.fuel, read.card), (FieldPatch::Clear, FieldPatch::Clear));
    }

    #[test]
    fn every_wrong_value_is_told_with_what_is_allowed() {
        let found = things(
            r#"{"dia": "31/02/2026", "cpfCnpj": true, "valor": 1.555, "combustivel": "flex", "cartao": "12", "telefone": "1",
                "codigoIntegracao": "123456", "ano": 1899, "codPlano": -1, "uf": "XX", "cor": "a\nb",
                "diaConsulta": "2026-11-14", "campo": []}"#,
        )
        .unwrap_err();
        assert_eq!(
            found,
            [
                "nome: informe um valor.",
                "dia: \"31/02/2026\" não é uma data do calendário; use dia, mês e ano, como 14/11/2026.",
                "cpfCnpj: deve ser um texto, entre aspas.",
                "valor: 1.555 não é um valor em reais; use um número de 0 a 9999999999.99, com até duas casas decimais, \
                 como 150.55.",
                "combustivel: \"flex\" não é um valor aceito; use GASOLINA, ETANOL, FLEX, DIESEL, GNV, ELETRICO ou OUTRO.",
                "cartao: \"12\" não é um número de cartão; use 13 dígitos, como 1234 56 7 890 123.",
                "telefone: \"1\" não é um telefone; use o DDD e o número, como (11)98765-4321.",
                "codigoIntegracao: use no máximo 5 caracteres.",
                "ano: deve ser um número inteiro, de 1900 a 2100.",
                "codPlano: deve ser um número inteiro, de 0 a 2147483647.",
                "uf: \"XX\" não é uma UF; use as duas letras de um estado, como SP.",
                "cor: há um caractere de controle no texto; digite-o de novo.",
                "diaConsulta: \"2026-11-14\" não é uma data do calendário; use dia, mês e ano, como 14/11/2026.",
                "campo: deve ser um texto, um número, true ou false.",
            ]
        );
    }

    #[test]
    fn the_fields_of_a_group_stand_flat_in_the_schema() {
        let names: Vec<&str> = Things::fields().iter().map(|field| field.name).collect();
        assert_eq!(names[..5], ["nome", "idade", "telefones", "recebe", "dia"]);
    }
}
