//! The settings as command-line flags.

use super::CONFIG_VARIABLE;
use super::kind::{self, ValueKind};
use super::list::{self, SettingDefinition};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::path::PathBuf;

pub const CONFIG: &str = "config";

/// Adds a flag for every setting, and `--config`; each may precede or follow a subcommand.
pub fn add_settings_arguments(command: Command) -> Command {
    let file = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("ARQUIVO")
        .value_parser(clap::value_parser!(PathBuf))
        .global(true)
        .help_heading("Arquivo de configuração")
        .help(format!(
            "O arquivo TOML com as configurações [padrão: {} da pasta atual, se existir; variável: \
             {CONFIG_VARIABLE}]",
            super::file::USUAL
        ));
    add_flags(list::list_definitions(), command.arg(file))
}

pub fn add_flags(settings: &'static [SettingDefinition], command: Command) -> Command {
    settings.iter().fold(command, |command, setting| command.arg(build_setting_flag(setting)))
}

/// Every flag takes plain text: the layers parse it, so that flags and variables are refused alike.
fn build_setting_flag(setting: &'static SettingDefinition) -> Arg {
    let arg = Arg::new(setting.key.as_str())
        .long(setting.flag.as_str())
        .value_name(setting.kind.placeholder())
        .help_heading(setting.heading.as_str())
        .help(format_flag_help(setting))
        // `-h` shows the most common settings, `--help` all.
        .hide_short_help(setting.key.contains('.'))
        .global(true);
    match setting.kind {
        ValueKind::Text => arg,
        ValueKind::Integer => arg.allow_negative_numbers(true),
        ValueKind::Boolean => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        ValueKind::List => arg.action(ArgAction::Append),
    }
}

fn format_flag_help(setting: &SettingDefinition) -> String {
    let default = kind::format_value(&setting.default);
    let default = if default.is_empty() { "vazio" } else { &default };
    format!("{} [padrão: {default}; variável: {}]", setting.help, setting.variable)
}

/// The flag's value, as a variable would spell it.
pub fn find_given_text(matches: &ArgMatches, setting: &SettingDefinition) -> Option<String> {
    let texts: Vec<&str> = matches.get_many::<String>(&setting.key)?.map(String::as_str).collect();
    Some(texts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(settings: &'static [SettingDefinition], line: &str) -> ArgMatches {
        let command = add_flags(settings, Command::new("amparo")).subcommand(Command::new("serve"));
        command.try_get_matches_from(line.split(' ')).unwrap()
    }

    fn some_settings() -> &'static [SettingDefinition] {
        list::parse_definitions("open = false\nhosts = ['a']\nnumber = 1\n").leak()
    }

    fn given_in(line: &str, at: usize) -> Option<String> {
        let settings = some_settings();
        find_given_text(&parse(settings, line), &settings[at])
    }

    #[test]
    fn the_command_is_well_made() {
        add_settings_arguments(Command::new("amparo").subcommand(Command::new("serve"))).debug_assert();
    }

    #[test]
    fn a_boolean_flag_alone_means_true() {
        assert_eq!(given_in("amparo --open serve", 0).as_deref(), Some("true"));
        assert_eq!(given_in("amparo serve --open=false", 0).as_deref(), Some("false"));
        assert_eq!(given_in("amparo serve", 0), None);
    }

    #[test]
    fn a_list_may_be_repeated_or_written_with_commas() {
        assert_eq!(given_in("amparo serve --hosts a --hosts b,c", 1).as_deref(), Some("a,b,c"));
    }

    #[test]
    fn a_negative_number_reaches_the_layers() {
        assert_eq!(given_in("amparo --number -1 serve", 2).as_deref(), Some("-1"));
    }

    #[test]
    fn a_flag_works_on_both_sides_of_the_subcommand() {
        assert_eq!(given_in("amparo --number 2 serve", 2).as_deref(), Some("2"));
        assert_eq!(given_in("amparo serve --number 2", 2).as_deref(), Some("2"));
        assert_eq!(given_in("amparo --number 2 serve --number 3", 2).as_deref(), Some("3"));
    }

    #[test]
    fn the_help_tells_default_and_variable_under_the_heading() {
        let help =
            add_settings_arguments(Command::new("amparo")).term_width(200).render_long_help().to_string();
        for part in [
            "Servidor HTTP:",
            "Configurações gerais:",
            "--http-header-timeout <TEXTO>",
            "[padrão: 10s; variável: AMPARO_HTTP_HEADER_TIMEOUT]",
            "[padrão: vazio; variável: AMPARO_KEY_FILE]",
            "--config <ARQUIVO>",
        ] {
            assert!(help.contains(part), "{part} in\n{help}");
        }
    }
}
