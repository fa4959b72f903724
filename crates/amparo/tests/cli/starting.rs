//! How the server starts and stops: what it tells the log, how it protects itself, and what a second signal does.

use super::{Amparo, Serving};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use testkit::{Database, both_engines, until};

/// A server whose log goes into a file.
fn logged(amparo: &Amparo, line: &str) -> (Serving, std::path::PathBuf) {
    let log = amparo.folder.path().join("log");
    let mut command = amparo.command(&format!("serve --listen 127.0.0.1:0 {line}"));
    (Amparo::started(command.stderr(std::fs::File::create(&log).unwrap())), log)
}

#[both_engines]
async fn a_server_says_that_it_stops_before_it_does(database: Database) {
    let amparo = Amparo::new(database);
    let mut serving =
        Amparo::started(&mut amparo.command("serve --listen 127.0.0.1:0 --log-level error --http-drain 1h"));
    assert!(serving.get("/readyz").starts_with("HTTP/1.1 200"));
    serving.ask_to_stop();
    until("it is no longer ready", || async { serving.get("/readyz").starts_with("HTTP/1.1 503") }).await;
    assert!(serving.get("/readyz").contains("encerrando"));
    assert!(serving.get("/healthz").starts_with("HTTP/1.1 200"), "who comes now is still served");
    serving.ask_to_stop();
    assert_eq!(serving.child.wait().unwrap().code(), Some(0), "a second signal ends the waiting");
}

#[both_engines]
async fn a_server_that_is_still_starting_ends_when_it_is_asked_to(database: Database) {
    let amparo = Amparo::new(database);
    // A store that takes the call and says nothing: the server does not get past it.
    let store = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let line = "serve --listen 127.0.0.1:0 --log-level error --files-place s3 --files-s3-bucket b";
    let mut command = amparo.command(line);
    command.arg("--files-s3-endpoint").arg(format!("http://{}", store.local_addr().unwrap()));
    command.env("AMPARO_FILES_S3_ACCESS_KEY", "a").env("AMPARO_FILES_S3_SECRET_KEY", "b");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let called = store.accept().unwrap();
    let asked = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(asked.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(called);
}

#[both_engines]
async fn a_second_signal_cuts_off_what_is_under_way(database: Database) {
    let amparo = Amparo::new(database);
    crate::files::founded(&amparo);
    let line =
        "serve --listen 127.0.0.1:0 --log-level error --http-shutdown-timeout 1h --http-body-timeout 1h";
    let mut serving = Amparo::started(&mut amparo.command(line));
    let token = crate::files::token(&serving.address);
    let mut stalled = TcpStream::connect(&serving.address).unwrap();
    write!(
        stalled,
        "POST /gestao/usuario HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nContent-Type: application/json\r\n\
         Expect: 100-continue\r\nContent-Length: 100\r\n\r\n"
    )
    .unwrap();
    stalled.read_exact(&mut [0]).unwrap();
    serving.ask_to_stop();
    until("nobody new is accepted", || async { TcpStream::connect(&serving.address).is_err() }).await;
    assert!(serving.child.try_wait().unwrap().is_none(), "what is under way is waited for");
    serving.ask_to_stop();
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
}

#[both_engines]
async fn a_log_in_a_file_has_no_colours(database: Database) {
    let amparo = Amparo::new(database);
    let (serving, log) = logged(&amparo, "--log-level info");
    assert_eq!(serving.terminate(), 0);
    let told = std::fs::read_to_string(log).unwrap();
    assert!(told.contains("database open") && !told.contains('\u{1b}'), "{told:?}");
}

#[both_engines]
async fn a_secret_on_the_command_line_is_told_without_being_repeated(database: Database) {
    let amparo = Amparo::new(database);
    let (serving, log) = logged(&amparo, "--log-level warn --mail-smtp smtp://ana:segredo@127.0.0.1:1");
    assert_eq!(serving.terminate(), 0);
    let told = std::fs::read_to_string(log).unwrap();
    assert!(told.contains("AMPARO_MAIL_SMTP") && !told.contains("segredo"), "{told}");
    let mut by_variable = amparo.command("serve --listen 127.0.0.1:0 --log-level warn");
    by_variable.env("AMPARO_MAIL_SMTP", "smtp://ana:segredo@127.0.0.1:1");
    let log = amparo.folder.path().join("outro");
    let serving = Amparo::started(by_variable.stderr(std::fs::File::create(&log).unwrap()));
    assert_eq!(serving.terminate(), 0);
    assert!(!std::fs::read_to_string(log).unwrap().contains("command line"));
}

#[both_engines]
async fn a_server_leaves_no_core_and_takes_the_open_files_it_may(database: Database) {
    let amparo = Amparo::new(database);
    let serving = amparo.serve();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", serving.child.id())).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(limit("Max core file size")[..2], ["0", "0"]);
    let files = limit("Max open files");
    assert_eq!(files[0], files[1], "the soft limit is the hard one");
    assert!(serving.get("/readyz").starts_with("HTTP/1.1 200"));
    assert_eq!(serving.terminate(), 0);
}

#[both_engines]
async fn too_few_open_files_are_told_at_the_start(database: Database) {
    let amparo = Amparo::new(database);
    let log = amparo.folder.path().join("log");
    let line = "serve --listen 127.0.0.1:0 --log-level warn";
    let mut command = limited(&amparo, "ulimit -n 256", line);
    let serving = Amparo::started(command.stderr(std::fs::File::create(&log).unwrap()));
    assert!(serving.get("/readyz").starts_with("HTTP/1.1 200"));
    assert_eq!(serving.terminate(), 0);
    let told = std::fs::read_to_string(log).unwrap();
    assert!(told.contains("limit=256") && told.contains("needed=1280"), "{told}");
    let doctor = limited(&amparo, "ulimit -n 256", "doctor --listen 127.0.0.1:0").output().unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(said.contains("aviso  arquivos abertos o limite é 256") && doctor.status.success(), "{said}");
}

/// The binary under a limit that a shell sets first.
pub fn limited(amparo: &Amparo, limit: &str, line: &str) -> Command {
    let whole = amparo.command(line);
    let mut command = Command::new("sh");
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.arg("-c").arg(format!("{limit}; exec \"$0\" \"$@\"")).arg(whole.get_program());
    command.args(whole.get_args()).current_dir(amparo.folder.path()).stdout(Stdio::piped());
    command
}

#[both_engines]
async fn a_log_filter_by_part_stays_accepted(database: Database) {
    let amparo = Amparo::new(database);
    for level in ["info,storage=debug", "WARN", "off"] {
        let (serving, _) = logged(&amparo, &format!("--log-level {level}"));
        assert_eq!(serving.terminate(), 0, "{level}");
    }
}
