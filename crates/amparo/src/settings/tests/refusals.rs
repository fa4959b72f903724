//! Tests of refused settings and their texts.

use super::super::{duration, list};
use super::given;

#[test]
fn a_named_file_that_does_not_exist_is_refused() {
    assert_eq!(
        given().args(&["--config", "x.toml"]).refused(),
        "O arquivo de configuração x.toml, indicado pela opção --config, não existe."
    );
    assert_eq!(
        given().var("AMPARO_CONFIG", "x.toml").refused(),
        "O arquivo de configuração x.toml, indicado pela variável AMPARO_CONFIG, não existe."
    );
}

#[test]
fn what_the_file_may_not_say_is_refused_in_one_sentence() {
    for (text, sentence) in [
        (
            "lisen = 'a'",
            "O arquivo amparo.toml tem a chave desconhecida lisen; talvez você quisesse escrever listen.",
        ),
        (
            "[htpp]\nheader_timeout = '1s'",
            "O arquivo amparo.toml tem a chave desconhecida htpp.header_timeout; talvez você quisesse escrever \
             http.header_timeout.",
        ),
        (
            "[cores]",
            "O arquivo amparo.toml tem a chave desconhecida cores; \
             a ajuda (`amparo --help`) mostra todas as que existem.",
        ),
        (
            "[http.more]\na = 1",
            "O arquivo amparo.toml tem a chave desconhecida http.more.a; \
             a ajuda (`amparo --help`) mostra todas as que existem.",
        ),
        (
            "listen = 8080",
            "O valor \"8080\" não serve para listen (arquivo amparo.toml): use um texto entre aspas.",
        ),
        (
            "[listen]",
            "O valor \"[seção]\" não serve para listen (arquivo amparo.toml): use um texto entre aspas.",
        ),
        (
            "http = 1",
            "No arquivo amparo.toml, http precisa ser uma seção: escreva [http] e, abaixo, as suas chaves.",
        ),
        (
            "[storage]\nreaders = '4'",
            "O valor \"4\" não serve para storage.readers (arquivo amparo.toml): use um número inteiro, sem aspas.",
        ),
        (
            "[storage]\nreaders = 1025",
            "O valor \"1025\" não serve para storage.readers (arquivo amparo.toml): use um número inteiro de 0 a 1024.",
        ),
        (
            "listen = ''",
            "O valor \"\" não serve para listen (arquivo amparo.toml): use um texto que não seja vazio.",
        ),
    ] {
        assert_eq!(given().file(text).refused(), sentence);
    }
}

#[test]
fn what_variables_and_flags_may_not_say_is_refused_in_one_sentence() {
    for (name, value, sentence) in [
        (
            "AMPARO_STORAGE_READERS",
            "oito",
            "O valor \"oito\" não serve para storage.readers (variável AMPARO_STORAGE_READERS): use um número inteiro.",
        ),
        ("AMPARO_LOG", "xml", "O valor \"xml\" não serve para log (variável AMPARO_LOG): use text ou json."),
        (
            "AMPARO_HTTP_HEADER_TIMEOUT",
            "10",
            "O valor \"10\" não serve para http.header_timeout (variável AMPARO_HTTP_HEADER_TIMEOUT): use uma \
             duração de 1ms a 7d, como 500ms, 30s, 5m ou 12h.",
        ),
    ] {
        assert_eq!(given().var(name, value).refused(), sentence);
    }
    assert_eq!(
        given().args(&["--housekeeping-tokens-days", "-1"]).refused(),
        "O valor \"-1\" não serve para housekeeping.tokens_days (opção --housekeeping-tokens-days): use um número \
         inteiro de 0 a 36500."
    );
}

#[test]
fn a_file_that_is_not_toml_is_refused_by_its_line_without_quoting_it() {
    let sentence = given().file("listen = 'a'\ndatabase = 'postgres://a:senha@h/b\n").refused();
    assert!(
        sentence.starts_with("O arquivo de configuração amparo.toml não é um TOML válido na linha 2 ("),
        "{sentence}"
    );
    assert!(!sentence.contains("senha") && !sentence.contains('\n'), "{sentence}");
}

#[test]
fn zero_is_allowed_where_it_makes_sense() {
    let settings = given().args(&["--storage-mmap-mib=0", "--housekeeping-mail-body-days=0"]).load().unwrap();
    assert_eq!((settings.storage.options().mmap_mib, settings.housekeeping.mail_body_days), (0, 0));
    let never = given().args(&["--storage-slow-statement=0s"]).load().unwrap();
    assert_eq!(never.storage.slow_statement, None);
    let never = given().args(&["--access-console-idle=0s"]).load().unwrap();
    assert_eq!(never.access.console_idle, None);
    let at_once = given().args(&["--http-drain=0s", "--http-user-requests-per-second=0"]).load().unwrap();
    assert!(at_once.http.drain.is_zero() && at_once.http.user_requests_per_second == 0);
    assert_eq!(
        given().args(&["--storage-slow-statement=0"]).refused(),
        "O valor \"0\" não serve para storage.slow_statement (opção --storage-slow-statement): use 0s para desligar, ou \
         uma duração de 1ms a 7d, como 500ms, 30s, 5m ou 12h."
    );
}

#[test]
fn no_count_or_duration_but_those_may_be_zero() {
    const COUNTS: [&str; 5] = [
        "storage.readers",
        "storage.points",
        "storage.mmap_mib",
        "files.base_gib",
        "http.user_requests_per_second",
    ];
    const DURATIONS: [&str; 3] = ["storage.slow_statement", "access.console_idle", "http.drain"];
    for setting in list::list_definitions() {
        let zero =
            match (setting.default.as_integer(), setting.default.as_str().and_then(duration::parse_duration))
            {
                (Some(_), _)
                    if !COUNTS.contains(&setting.key.as_str())
                        && !setting.key.ends_with("_days")
                        && !setting.key.starts_with("backup.keep_") =>
                {
                    "0"
                }
                (None, Some(_)) if !DURATIONS.contains(&setting.key.as_str()) => "0s",
                _ => continue,
            };
        let sentence = given().var(&setting.variable, zero).refused();
        assert!(sentence.contains(&setting.key), "{sentence}");
    }
}

#[test]
fn a_log_level_that_does_not_exist_is_refused() {
    for given_level in
        ["wran", "verbose", "info,storage", "storage=verbose", "info,=debug", "info,", "wran,storage=debug"]
    {
        let told = given().args(&["--log-level", given_level]).refused();
        assert!(
            told.contains("log_level") && told.contains("use error, warn, info"),
            "{given_level}: {told}"
        );
    }
}
