//! Tests of the settings as the binary sees them: a command line, an environment and a folder.

mod refusals;

use super::kind::format_value;
use super::layers::ValueOrigin;
use super::list::SettingDefinition;
use super::*;
use std::time::Duration;
use toml_edit::Value;

/// A temporary folder, a command line and an environment.
struct Given {
    folder: tempfile::TempDir,
    line: Vec<String>,
    env: Vec<(String, String)>,
}

fn given() -> Given {
    Given { folder: tempfile::tempdir().unwrap(), line: vec!["amparo".to_owned()], env: Vec::new() }
}

impl Given {
    fn file(self, text: &str) -> Given {
        self.file_named("amparo.toml", text)
    }

    fn file_named(self, name: &str, text: &str) -> Given {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        self
    }

    fn var(mut self, name: &str, value: &str) -> Given {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    fn args(mut self, args: &[&str]) -> Given {
        self.line.extend(args.iter().map(ToString::to_string));
        self
    }

    fn load(&self) -> Result<ServerSettings, SettingsError> {
        let command =
            add_settings_arguments(clap::Command::new("amparo")).subcommand(clap::Command::new("serve"));
        let matches = command.try_get_matches_from(&self.line).unwrap();
        let env =
            |name: &str| self.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        ServerSettings::load_in(self.folder.path(), &matches, env)
    }

    /// The error sentence, without the test's folder.
    fn refused(&self) -> String {
        let sentence = self.load().unwrap_err().to_string();
        sentence.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

/// The settings as the rest of the binary sees them.
fn typed(settings: &ServerSettings) -> String {
    let ServerSettings {
        listen,
        database,
        key_file,
        public_url,
        log,
        log_level,
        http,
        tls,
        access,
        storage,
        mail,
        triggers,
        files,
        backup,
        housekeeping,
        effective: _,
    } = settings;
    let general = (listen, database, key_file, public_url, log, log_level);
    format!("{:?}", (general, http, tls, access, storage, mail, triggers, files, backup, housekeeping))
}

/// A valid value other than the default.
fn another(setting: &SettingDefinition) -> Value {
    match setting.key.as_str() {
        "database" => Value::from("sqlite:elsewhere.db"),
        "public_url" => Value::from("https://amparo.example"),
        "log" => Value::from("json"),
        "log_level" => Value::from("info,storage=debug"),
        "http.path_prefix" => Value::from("/outro"),
        "http.log_requests" => Value::from("errors"),
        "http.trusted_proxies" | "http.metrics_from" => Value::from_iter(["192.0.2.0/24"]),
        "http.cors_origins" => Value::from_iter(["https://app.example"]),
        "http.any_ext_prefix" => Value::from(false),
        "tls.self_signed" => Value::from(true),
        // Twice the timeout must fit into the lease.
        "triggers.timeout" => Value::from("16s"),
        "triggers.retries" => Value::from_iter(["1s", "1m"]),
        "triggers.allowed_hosts" => Value::from_iter(["erp.example"]),
        "files.place" | "backup.place" => Value::from("s3"),
        "backup.times" => Value::from_iter(["03:00"]),
        "backup.passphrase" => Value::from("uma frase bem longa"),
        "files.s3_endpoint" | "backup.s3_endpoint" => Value::from("https://s3.example"),
        "mail.smtp" => Value::from("smtps://ana:palavra@mail.example"),
        "mail.from" => Value::from("Outro <outro@mail.example>"),
        _ => match setting.default.as_integer() {
            Some(number) => Value::from(number + 1),
            None => Value::from("77s"),
        },
    }
}

fn origin<'a>(settings: &'a ServerSettings, key: &str) -> &'a ValueOrigin {
    &settings.effective.entry(key).origin
}

fn in_file(setting: &SettingDefinition, value: &Value) -> String {
    let section = setting.section.as_ref().map(|section| format!("[{section}]\n")).unwrap_or_default();
    format!("{section}{} = {value}\n", setting.name)
}

#[test]
fn the_defaults_become_the_typed_settings() {
    let settings = given().load().unwrap();
    assert_eq!(settings.listen, "127.0.0.1:8080");
    assert_eq!(settings.database, "sqlite:amparo-data/amparo.db");
    assert_eq!(settings.key_file, None);
    assert_eq!(settings.public_url, None);
    assert_eq!(settings.log, LogFormat::Text);
    assert!(settings.mail.smtp.is_none() && settings.mail.folder.is_none());
    assert_eq!(settings.mail.from.to_string(), "Amparo <nao-responda@localhost>");
    assert_eq!(settings.mail.interval, Duration::from_secs(2));
    assert_eq!(settings.log_level, "info");
    assert_eq!(settings.http.limits.max_connections, 1024);
    assert_eq!(settings.http.limits.shutdown_timeout, Duration::from_secs(30));
    assert_eq!(settings.housekeeping.interval, Duration::from_hours(1));
    assert_eq!(settings.housekeeping.attempts_days, 90);
    assert_eq!(settings.housekeeping.removed_files_days, 30);
    assert_eq!(settings.files.limits, app::attachments::StorageLimits::DEFAULT);
    assert_eq!(
        format!("{:?}", settings.storage.options()),
        format!("{:?}", storage::DatabaseOptions::default())
    );
    assert_eq!(settings.storage.slow_statement, Some(Duration::from_millis(500)));
    assert_eq!(settings.access.console_idle, Some(app::access::IDLE_LIMIT));
}

#[test]
fn every_setting_is_reached_by_flag_by_variable_and_by_file() {
    let default = typed(&given().load().unwrap());
    for setting in list::list_definitions() {
        let value = another(setting);
        let flag = format!("--{}", setting.flag);
        for (way, from, given) in [
            ("flag", format!("opção {flag}"), given().args(&[&format!("{flag}={}", format_value(&value))])),
            (
                "variable",
                format!("variável {}", setting.variable),
                given().var(&setting.variable, &format_value(&value)),
            ),
            ("file", "arquivo ".to_owned(), given().file(&in_file(setting, &value))),
        ] {
            let settings = given.load().unwrap();
            assert_ne!(typed(&settings), default, "{} by {way} changes nothing", setting.key);
            let seen = origin(&settings, &setting.key).to_string();
            assert!(seen.starts_with(&from), "{} by {way}: {seen}", setting.key);
            let shown = secrets::redact_value(setting, &value);
            let line = format!("{} = {shown} # {from}", setting.name);
            assert!(settings.render_toml().contains(&line), "{line} in\n{}", settings.render_toml());
        }
    }
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let seen = |given: &Given| {
        let settings = given.load().unwrap();
        (settings.http.limits.max_connections, origin(&settings, "http.max_connections").clone())
    };
    let given = given();
    assert_eq!(seen(&given), (1024, ValueOrigin::Default));
    let given = given.file("[http]\nmax_connections = 1\n");
    assert_eq!(seen(&given), (1, ValueOrigin::from_file(&given.folder.path().join("amparo.toml"))));
    let given = given.var("AMPARO_HTTP_MAX_CONNECTIONS", "2");
    assert_eq!(seen(&given), (2, ValueOrigin::Variable("AMPARO_HTTP_MAX_CONNECTIONS".to_owned())));
    let given = given.args(&["--http-max-connections", "3", "serve"]);
    assert_eq!(seen(&given), (3, ValueOrigin::Flag("http-max-connections".to_owned())));
}

#[test]
fn a_flag_may_follow_the_subcommand() {
    assert_eq!(given().args(&["serve", "--listen", "[::]:1"]).load().unwrap().listen, "[::]:1");
    assert_eq!(given().args(&["--listen", "[::]:1", "serve"]).load().unwrap().listen, "[::]:1");
}

#[test]
fn an_empty_variable_counts_as_not_given() {
    let settings = given().var("AMPARO_LISTEN", "").var("AMPARO_CONFIG", "").load().unwrap();
    assert_eq!(origin(&settings, "listen"), &ValueOrigin::Default);
}

#[test]
fn the_file_is_the_named_one_or_the_usual_one() {
    let given = given()
        .file("listen = 'usual'")
        .file_named("a.toml", "listen = 'a'")
        .file_named("b.toml", "listen = 'b'");
    assert_eq!(given.load().unwrap().listen, "usual");
    let given = given.var("AMPARO_CONFIG", "a.toml");
    assert_eq!(given.load().unwrap().listen, "a");
    let given = given.args(&["serve", "--config", "b.toml"]);
    assert_eq!(given.load().unwrap().listen, "b");
}

#[test]
fn sections_may_be_written_in_any_way_of_toml() {
    for text in [
        "http.max_connections = 9",
        "http = { max_connections = 9 }",
        "[http]\n\"max_connections\" = 9 # nove",
    ] {
        assert_eq!(given().file(text).load().unwrap().http.limits.max_connections, 9, "{text}");
    }
}

#[test]
fn a_password_is_never_shown() {
    for address in ["postgres://ana:senha@host/base", "postgres://ana@host/base?password=senha"] {
        let settings = given().var("AMPARO_DATABASE", address).load().unwrap();
        assert_eq!(settings.database, address);
        assert!(!settings.render_toml().contains("senha"), "{}", settings.render_toml());
        assert!(settings.render_toml().contains("***"), "{}", settings.render_toml());
        assert!(!format!("{settings:?}").contains("senha"));
    }
    let mail = "smtps://ana:palavra@mail.example";
    let settings = given().var("AMPARO_MAIL_SMTP", mail).load().unwrap();
    assert!(!settings.render_toml().contains("palavra") && !format!("{settings:?}").contains("palavra"));
    assert_eq!(settings.mail.smtp.unwrap().host(), "mail.example");
    for wrong in ["mail.example:palavra", "smtp://ana:palavra@", "smtp://ana:palavra@mail.example?tls=talvez"]
    {
        let sentence = given().var("AMPARO_MAIL_SMTP", wrong).refused();
        assert!(!sentence.contains("palavra") && sentence.contains("mail.smtp"), "{sentence}");
        assert!(sentence.contains("smtps://usuario:senha@servidor:465"), "{sentence}");
    }
    for wrong in ["mysql://ana:senha@host/base", "host=h password=senha"] {
        let sentence = given().var("AMPARO_DATABASE", wrong).refused();
        assert!(!sentence.contains("=senha") && !sentence.contains("ana:senha"), "{sentence}");
    }
}

#[test]
fn what_is_printed_is_a_file_with_the_same_settings() {
    let default = given().load().unwrap();
    // Hidden values cannot be read back.
    let shown = list::list_definitions().iter().filter(|setting| !setting.secret);
    let changed = shown.fold(given(), |given, s| given.var(&s.variable, &format_value(&another(s))));
    for settings in [default, changed.load().unwrap()] {
        let again = given().file(&settings.render_toml()).load().unwrap();
        assert_eq!(typed(&again), typed(&settings));
        assert!(
            list::list_definitions().iter().all(|s| matches!(origin(&again, &s.key), ValueOrigin::File(_)))
        );
    }
}

#[test]
fn odd_texts_survive_the_printing() {
    for text in ["a\"b", "a\\b", "a'b", "a\nb", "a # b", "\"\"\"'''", "\t\u{7f}é"] {
        let settings = given().var("AMPARO_LISTEN", text).load().unwrap();
        let again = given().file(&settings.render_toml()).load().unwrap();
        assert_eq!(again.listen, text);
    }
}

#[test]
fn variables_that_are_no_settings_are_told() {
    let names = [
        "AMPARO_LISTEN",
        "AMPARO_LISTENN",
        "AMPARO_CONFIG",
        "AMPARO_DEMO_PASSWORD",
        "AMPARO_TEST_POSTGRES",
        "PATH",
        "AMPARO_",
    ];
    let unknown = ServerSettings::list_unknown_variables(names.into_iter().map(str::to_owned));
    assert_eq!(unknown, ["AMPARO_LISTENN", "AMPARO_"]);
}

#[test]
fn the_public_address_is_one_that_a_path_can_follow() {
    let read = |text: &str| given().var("AMPARO_PUBLIC_URL", text).load().map(|s| s.public_url);
    assert_eq!(read("https://a.example/").unwrap().as_deref(), Some("https://a.example"));
    assert_eq!(
        read("http://a.example:8080/amparo/").unwrap().as_deref(),
        Some("http://a.example:8080/amparo")
    );
    for wrong in ["a.example", "ftp://a.example", "https://", "https://a b", "https://a?x=y", "https://a\"b"]
    {
        let sentence = given().var("AMPARO_PUBLIC_URL", wrong).refused();
        assert!(sentence.contains("public_url"), "{sentence}");
    }
}

#[test]
fn secrets_on_the_command_line_are_told_with_the_variable_to_use() {
    let told = |given: Given| given.load().unwrap().list_exposed_secrets();
    let smtp = ["--mail-smtp", "smtps://ana:palavra@mail.example"];
    assert_eq!(told(given().args(&smtp)), [("mail-smtp", "AMPARO_MAIL_SMTP")]);
    let database = ["--database", "postgres://ana:palavra@host/base", "--files-s3-secret-key", "x"];
    let expected = [("database", "AMPARO_DATABASE"), ("files-s3-secret-key", "AMPARO_FILES_S3_SECRET_KEY")];
    assert_eq!(told(given().args(&database)), expected);
    assert!(told(given().args(&["--database", "postgres://ana@host/base"])).is_empty());
    assert!(told(given().var("AMPARO_MAIL_SMTP", smtp[1])).is_empty());
}

#[test]
fn a_proxy_on_this_machine_is_known_by_the_two_addresses() {
    let is_behind = |line: &[&str]| given().args(line).load().unwrap().http.http.is_behind_local_proxy;
    assert!(is_behind(&["--public-url", "https://amparo.example"]));
    assert!(is_behind(&["--public-url", "https://amparo.example:8443/x", "--listen", "[::1]:80"]));
    assert!(!is_behind(&[]));
    assert!(!is_behind(&["--public-url", "http://localhost:8080"]));
    assert!(!is_behind(&["--public-url", "https://amparo.example", "--listen", "0.0.0.0:80"]));
}
