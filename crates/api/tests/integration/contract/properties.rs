//! What holds for any page and any name: pages joined are the list, and a name finds whom a naive reader would find.

use crate::calls::{BENEFITS, Calls, LIST, MEMBERS, cpf, each, health, items};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{World, both_engines};

const MANY: u32 = 230;

/// Runs a property whose cases call the server, from the runtime that the test runs on.
pub fn check<S: Strategy>(
    cases: u32,
    strategy: &S,
    hold: impl AsyncFn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let runtime = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| runner.run(strategy, |case| runtime.block_on(hold(case)))).unwrap();
}

/// Benefits of thirty members in the three stores; every tenth member has none.
async fn many(world: World) -> Arc<Calls> {
    let calls = Arc::new(Calls::on(world).await);
    for number in 0..30 {
        let body = json!({"nomePessoa": format!("Pessoa {number}"), "cpfCnpj": cpf(number),
            "codLoja": number % 3 + 1});
        calls.saved(&calls.administrator, MEMBERS, &body).await;
    }
    let mut writers = Vec::new();
    for writer in 0..4 {
        let calls = Arc::clone(&calls);
        writers.push(tokio::spawn(async move {
            for number in (0..MANY).filter(|number| number % 4 == writer) {
                let holder = number % 30 / 10 * 10 + number % 9;
                calls.saved(&calls.administrator, BENEFITS, &health(holder, json!({}))).await;
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    calls
}

/// Every item of a search, page by page; that each page says rightly where it is.
async fn walk(calls: &Calls, token: &str, path: &str, query: &[(&str, &str)]) -> Vec<Value> {
    let mut all = Vec::new();
    for number in 1.. {
        let text = number.to_string();
        let query: Vec<(&str, &str)> = query.iter().copied().chain([("pagina", text.as_str())]).collect();
        let page = calls.read(token, path, &query).await;
        let here = items(&page);
        assert_eq!(page["paginaAtual"], number);
        let more = page["proximaPagina"].as_bool().unwrap();
        assert!(here.len() == 100 || !more, "only the last page is short: {}", here.len());
        all.extend(here);
        assert_eq!(more, all.len() < usize::try_from(page["quantidade"].as_i64().unwrap()).unwrap());
        if !more {
            assert_eq!(page["quantidade"], json!(all.len()));
            break;
        }
    }
    all
}

fn codes(items: &[Value], field: &str) -> Vec<i64> {
    each(items, field).iter().map(|code| code.as_i64().unwrap()).collect()
}

#[both_engines]
async fn pages_joined_are_the_list(world: World) {
    let calls = many(world).await;
    let whole = walk(&calls, &calls.administrator, LIST, &[]).await;
    assert_eq!(codes(&whole, "codBeneficio"), (1..=i64::from(MANY)).collect::<Vec<_>>());
    let callers =
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])];
    check(24, &(0..callers.len(), 1..6usize), async |(caller, page)| {
        let (token, stores) = callers[caller];
        let own: Vec<Value> =
            whole.iter().filter(|one| stores.contains(&one["codLoja"].as_i64().unwrap())).cloned().collect();
        let slice: Vec<Value> = own.iter().skip((page - 1) * 100).take(100).cloned().collect();
        let wanted = json!({"itens": slice, "paginaAtual": page, "proximaPagina": own.len() > page * 100,
            "quantidade": own.len()});
        let text = page.to_string();
        prop_assert_eq!(calls.read(token, LIST, &[("pagina", &text)]).await, wanted);
        Ok(())
    });
}

#[both_engines]
async fn pages_joined_are_the_member_search(world: World) {
    let calls = many(world).await;
    for (token, benefits, alone) in [
        (&calls.administrator, i64::from(MANY), 3),
        (&calls.operator, stores_benefits(&calls, &[2]).await, 1),
        (&calls.integration, stores_benefits(&calls, &[2, 3]).await, 2),
    ] {
        let rows = walk(&calls, token, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
        let (with, without): (Vec<Value>, Vec<Value>) =
            rows.into_iter().partition(|row| !row["codBeneficio"].is_null());
        let mut seen = codes(&with, "codBeneficio");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((seen.len(), with.len()), (usize::try_from(benefits).unwrap(), seen.len()), "each once");
        assert_eq!(without.len(), alone, "{:?}", each(&without, "nomePessoa"));
    }
}

async fn stores_benefits(calls: &Calls, stores: &[i64]) -> i64 {
    let whole = walk(calls, &calls.administrator, LIST, &[]).await;
    i64::try_from(codes(&whole, "codLoja").iter().filter(|store| stores.contains(store)).count()).unwrap()
}

#[both_engines]
async fn a_row_that_comes_while_somebody_walks_the_pages_displaces_none(world: World) {
    let calls = many(world).await;
    for (path, query) in [(LIST, &[][..]), (MEMBERS, &[("situacaoBeneficio", "Todos")])] {
        let before = walk(&calls, &calls.administrator, path, query).await;
        let page = |number: &'static str| -> Vec<(&str, &str)> {
            query.iter().copied().chain([("pagina", number)]).collect()
        };
        let mut walked = items(&calls.read(&calls.administrator, path, &page("1")).await);
        calls.saved(&calls.administrator, BENEFITS, &health(0, json!({}))).await;
        walked.extend(items(&calls.read(&calls.administrator, path, &page("2")).await));
        walked.extend(items(&calls.read(&calls.administrator, path, &page("3")).await));
        assert_eq!(each(&walked[..before.len()], "codBeneficio"), each(&before, "codBeneficio"), "{path}");
        assert_eq!(walked.len(), before.len() + 1, "{path}: and the new one is the last");
    }
}

/// More than any block in which rows might be counted, changed at random.
async fn changed(world: World) -> Arc<Calls> {
    const SITUATIONS: [&str; 4] = ["ATIVO", "PENDENTE", "INADIMPLENTE", "INATIVO"];
    let calls = Arc::new(Calls::on(world).await);
    for number in 0..12 {
        let name = format!("Ana {}", rare_words(number));
        let body = json!({"nomePessoa": name, "cpfCnpj": cpf(number), "codLoja": number % 3 + 1});
        calls.saved(&calls.administrator, MEMBERS, &body).await;
    }
    let mut writers = Vec::new();
    for writer in 0..8 {
        let calls = Arc::clone(&calls);
        writers.push(tokio::spawn(async move {
            for number in (0..1040u32).filter(|number| number % 8 == writer) {
                let more =
                    json!({"situacao": SITUATIONS[number as usize % 4], "codLoja": number / 8 % 3 + 1});
                calls.saved(&calls.administrator, BENEFITS, &health(number % 10, more)).await;
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let change = (1..=1040i32, 0..6usize, 1..=3i32);
    let mut runner = TestRunner::deterministic();
    for _ in 0..150 {
        let (code, what, store) = change.new_tree(&mut runner).unwrap().current();
        if what == 5 {
            calls.cancel(&calls.administrator, &json!(code), "").await;
            continue;
        }
        let at = calls.read(&calls.administrator, BENEFITS, &[("sequencial", &code.to_string())]).await;
        let mut body = json!({"codBeneficio": at[0]["codBeneficio"], "cpfCnpj": at[0]["cpfCnpj"]});
        match SITUATIONS.get(what) {
            Some(name) => body["situacao"] = json!(name),
            None => body["codLoja"] = json!(store),
        }
        let reply = calls.post(&calls.administrator, BENEFITS, &body).await;
        assert!(reply.status == 200 || at[0]["situacao"] == "CANCELADO", "{body}: {reply:?}");
    }
    calls
}

#[both_engines]
async fn totals_and_pages_stay_right_whatever_changes(world: World) {
    let calls = changed(world).await;
    let list = walk(&calls, &calls.administrator, LIST, &[]).await;
    assert_eq!(codes(&list, "codBeneficio"), (1..=1040).collect::<Vec<_>>());
    let rows = walk(&calls, &calls.administrator, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
    let mut of_rows: Vec<(Option<i64>, Value, Value)> = rows
        .iter()
        .map(|row| (row["codBeneficio"].as_i64(), row["situacao"].clone(), row["codLoja"].clone()))
        .collect();
    of_rows.sort_by_key(|row| row.0);
    let of_list = list
        .iter()
        .map(|one| (one["codBeneficio"].as_i64(), one["situacao"].clone(), one["codLoja"].clone()));
    assert!(
        of_rows.into_iter().skip(2).eq(of_list),
        "two members have none; of the others both say the same"
    );
    // Of those who are called Ana there are too many to read all their names.
    for typed in ["ana s", "ana sa", "ana sbaa s", "an"] {
        let named = rows.iter().filter(|row| finds(typed, row["nomePessoa"].as_str().unwrap()));
        let found = walk(&calls, &calls.administrator, MEMBERS, &[("nome", typed)]).await;
        assert!(found.iter().eq(named), "{typed}: {}", found.len());
    }
    let callers =
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])];
    let names = ["", "Todos", "ATIVO", "PENDENTE", "INADIMPLENTE", "INATIVO", "CANCELADO", "SUSPENSO"];
    check(48, &(0..3usize, 0..names.len(), 1..12usize), async |(caller, name, page)| {
        let ((token, stores), name) = (callers[caller], names[name]);
        let (path, from) = if name.is_empty() { (LIST, &list) } else { (MEMBERS, &rows) };
        let own: Vec<&Value> = from
            .iter()
            .filter(|one| stores.contains(&one["codLoja"].as_i64().unwrap()))
            .filter(|one| matches!(name, "" | "Todos") || one["situacao"] == name)
            .collect();
        let slice: Vec<&Value> = own.iter().skip((page - 1) * 100).take(100).copied().collect();
        let text = page.to_string();
        let query = [("situacaoBeneficio", name), ("pagina", text.as_str())];
        let found = calls.read(token, path, &query).await;
        prop_assert_eq!(&found["quantidade"], &json!(own.len()), "{} {}", name, page);
        prop_assert_eq!(&found["itens"], &json!(slice), "{} {}", name, page);
        prop_assert_eq!(&found["proximaPagina"], &json!(own.len() > page * 100));
        Ok(())
    });
}

/// Lower case without accents, letter by letter, as somebody would do it by hand.
fn plain(text: &str) -> String {
    let letter = |c: char| match c {
        'á' | 'à' | 'â' | 'ã' | 'Á' | 'À' | 'Â' | 'Ã' => 'a',
        'é' | 'ê' | 'É' | 'Ê' => 'e',
        'í' | 'Í' => 'i',
        'ó' | 'ô' | 'õ' | 'Ó' | 'Ô' | 'Õ' => 'o',
        'ú' | 'ü' | 'Ú' | 'Ü' => 'u',
        'ç' | 'Ç' => 'c',
        'ñ' | 'Ñ' => 'n',
        _ => c.to_ascii_lowercase(),
    };
    text.chars().map(letter).collect()
}

/// Whether each typed word is the beginning of some word of the name.
pub fn finds(typed: &str, name: &str) -> bool {
    let (typed, name) = (plain(typed), plain(name));
    typed.split_whitespace().all(|word| name.split_whitespace().any(|whole| whole.starts_with(word)))
}

fn name() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "João",
        "JOANA",
        "da",
        "de",
        "Silva",
        "Silvana",
        "Sil",
        "Conceição",
        "Araújo",
        "Ângela",
        "Antônio",
        "ana",
        "Anna",
        "Peña",
        "Müller",
        "José",
        "Jó",
        "Luís",
        "Luísa",
        "dos",
        "Santos",
        "Sá",
    ]);
    prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
}

fn typed() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "j", "jo", "JOA", "joão", "joao", "joana", "d", "da", "DE", "sil", "SILVA", "silvana", "silvanas",
        "conceic", "conceiç", "arau", "ângel", "angela", "anto", "an", "ana", "anna", "pena", "peñ", "mull",
        "jose", "jó", "luis", "luísa", "santo", "sa", "z", "s", "sb", "sba", "scaa", "sdbb", "sk",
    ]);
    let blank = prop::sample::select(vec![" ", "  ", "\t"]);
    (prop::collection::vec(word, 1..4), blank).prop_map(|(words, blank)| words.join(blank))
}

/// A vocabulary as large associations have it: of the words that begin with `s` there are more than are ever asked for one by
/// one, of those with `sa` fewer, and some begin others.
fn rare_word(number: u32) -> String {
    let letter = |place: u32| char::from(b'a' + u8::try_from(number / place % 11).unwrap());
    let word = format!("s{}{}{}", letter(1), letter(11), letter(121));
    if number.is_multiple_of(7) { format!("{word}{}", letter(3)) } else { word }
}

fn rare_words(person: u32) -> String {
    (0..14).map(|at| rare_word(person * 14 + at)).collect::<Vec<_>>().join(" ")
}

#[both_engines]
async fn names_find_whom_a_naive_reader_would_find(world: World) {
    let calls = Calls::on(world).await;
    let mut runner = TestRunner::deterministic();
    let mut names = Vec::new();
    for number in 0..80 {
        let name = name().new_tree(&mut runner).unwrap().current();
        let name = format!("{name} {}", rare_words(number));
        let body = json!({"nomePessoa": name, "cpfCnpj": cpf(number), "codLoja": number % 3 + 1});
        calls.saved(&calls.administrator, MEMBERS, &body).await;
        names.push(name);
    }
    let callers =
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])];
    check(96, &(0..callers.len(), typed()), async |(caller, typed)| {
        let (token, stores) = callers[caller];
        let own = names.iter().zip(0..).filter(|(_, number)| stores.contains(&(number % 3 + 1)));
        let wanted: Vec<Value> =
            own.filter(|(name, _)| finds(&typed, name)).map(|(name, _)| json!(name)).collect();
        let page = calls.read(token, MEMBERS, &[("nome", typed.as_str())]).await;
        prop_assert_eq!(&page["quantidade"], &json!(wanted.len()), "{}", typed);
        prop_assert_eq!(each(&items(&page), "nomePessoa"), wanted, "{}", typed);
        Ok(())
    });
}
