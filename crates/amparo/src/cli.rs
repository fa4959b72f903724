//! The command line: command names in English, texts in Portuguese.

use crate::settings;
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use domain::Role;

/// clap's own template has English headings.
const TEMPLATE: &str = "{about-with-newline}\nUso: {usage}\n\n{all-args}{after-help}";

pub fn build_command_line() -> Command {
    let root = Command::new("amparo")
        .about("Amparo: o sistema da sua associação, com a integração 1.84.")
        .override_usage("amparo [OPÇÕES] <COMANDO>")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("serve").about("Atende: inicia o servidor").args([
            build_flag(
                "demo",
                "Enche um banco vazio com uma associação de demonstração; a senha é amparo-demo ou a da variável \
                 AMPARO_DEMO_PASSWORD",
            ),
            build_flag("no-delivery", "Não entrega gatilhos: outro processo o faz, com `amparo worker` (PostgreSQL)"),
        ]))
        .subcommand(Command::new("worker").about("Só entrega gatilhos, ao lado de servidores (PostgreSQL)"))
        .subcommand(Command::new("migrate").about("Leva o banco de dados à versão deste programa"))
        .subcommand(
            Command::new("doctor")
                .about("Confere a instalação e diz o que fazer; sai com 1 se algo está errado (avisos não contam)")
                .arg(build_flag("json", "Mostra o resultado em JSON, para programas")),
        )
        .subcommand(Command::new("config").about("Mostra os valores em vigor e de onde cada um veio"))
        .subcommand(Command::new("openapi").about("Mostra a descrição da API (OpenAPI 3.1)"))
        .subcommand(build_tenant_command())
        .subcommand(build_user_command())
        .subcommand(build_receiver_command())
        .subcommand(build_trigger_command())
        .subcommand(build_listen_command())
        .subcommand(build_import_command())
        .subcommand(build_export_command())
        .subcommand(build_bring_command())
        .subcommand(build_backup_command())
        .subcommand(build_key_command())
        .subcommand(build_demo_command())
        .subcommand(build_mirror_command());
    localise_command(settings::add_settings_arguments(root), "amparo")
}

fn build_tenant_command() -> Command {
    let create = Command::new("create").about("Cria uma base: uma associação neste servidor").args([
        build_text_argument("name", "NOME", "O nome da associação").required(true),
        build_text_argument("branch", "NOME", "O nome da primeira loja").default_value("Matriz"),
        build_text_argument("time-zone", "FUSO", "O fuso horário que decide o calendário")
            .default_value(domain::TimeZone::DEFAULT),
        build_text_argument("host", "HOST", "Um nome de servidor que leva a esta base; pode repetir")
            .action(ArgAction::Append),
        build_flag("default", "Torna esta a base de quem não diz qual; a primeira já é"),
    ]);
    let list = Command::new("list").about("Lista as bases deste servidor");
    let named = |name: &'static str, about: &'static str| {
        let host =
            build_text_argument("host", "HOST", "O nome do servidor, como app.exemplo.com.br, sem porta")
                .required(true);
        Command::new(name).about(about).args([host, build_tenant_argument()])
    };
    let host = Command::new("host").about("Os nomes de servidor que levam a uma base").subcommands([
        named("add", "Faz um nome de servidor levar a uma base; cada um é de uma base só"),
        named("remove", "Retira um nome de servidor de uma base"),
        Command::new("list").about("Lista os nomes de servidor de uma base").arg(build_tenant_argument()),
    ]);
    Command::new("tenant").about("As bases: as associações deste servidor").subcommands([create, list, host])
}

fn build_user_command() -> Command {
    let roles = PossibleValuesParser::new(Role::ALL.map(wire::role));
    let create = Command::new("create").about("Cria um usuário").args([
        build_text_argument("email", "E-MAIL", "O e-mail, que é o login").required(true),
        build_text_argument("name", "NOME", "O nome da pessoa ou do programa").required(true),
        build_text_argument("role", "PERFIL", "O que pode fazer: administrador, operador ou integracao")
            .value_parser(roles)
            .hide_possible_values(true)
            .required(true),
        build_text_argument(
            "branch",
            "LOJA",
            "O código de uma loja que acessa; pode repetir (o administrador acessa todas)",
        )
        .value_parser(value_parser!(i32))
        .action(ArgAction::Append),
        build_tenant_argument(),
        build_password_flag(),
    ]);
    let list = Command::new("list").about("Lista os usuários").arg(build_tenant_argument());
    let disable = Command::new("disable").about("Desativa um usuário e encerra as sessões dele").args([
        build_text_argument("email", "E-MAIL", "O e-mail do usuário").required(true),
        build_tenant_argument(),
    ]);
    let logout = Command::new("logout")
        .about("Encerra todas as sessões de um usuário; a senha continua a mesma")
        .args([
            build_text_argument("email", "E-MAIL", "O e-mail do usuário").required(true),
            build_tenant_argument(),
        ]);
    let reset = Command::new("reset").about("Troca a senha de um usuário e encerra as sessões dele").args([
        build_text_argument("email", "E-MAIL", "O e-mail do usuário").required(true),
        build_tenant_argument(),
        build_password_flag(),
    ]);
    let factor = Command::new("remove-second-factor")
        .about("Tira o segundo fator de quem perdeu o celular; a senha continua a mesma")
        .args([
            build_text_argument("email", "E-MAIL", "O e-mail do usuário").required(true),
            build_tenant_argument(),
        ]);
    Command::new("user")
        .about("Os usuários de uma base")
        .subcommands([create, list, disable, reset, logout, factor])
}

fn build_receiver_command() -> Command {
    let code = || {
        build_text_argument("code", "CÓDIGO", "O código do receptor")
            .value_parser(value_parser!(i32))
            .required(true)
    };
    let add =
        Command::new("add").about("Cadastra um receptor e mostra o segredo dele, uma única vez").args([
            build_text_argument(
                "url",
                "ENDEREÇO",
                "Para onde vão os gatilhos, como https://erp.exemplo.com.br/gatilhos",
            )
            .required(true),
            build_text_argument(
                "entity",
                "ENTIDADE",
                "De que é avisado: todos, beneficio, evento, vistoria, helpDesk, consulta ou titulo (só pelo nome); pode repetir",
            )
            .value_parser(PossibleValuesParser::new(ENTITIES))
            .hide_possible_values(true)
            .action(ArgAction::Append)
            .required(true),
            build_text_argument(
                "header",
                "NOME: VALOR",
                "Um cabeçalho enviado com cada gatilho, como uma chave; pode repetir",
            )
            .action(ArgAction::Append),
            build_text_argument(
                "concurrency",
                "NÚMERO",
                "Quantas entregas ao mesmo tempo, de 1 a 64 [padrão: 8]",
            )
            .value_parser(value_parser!(i32))
            .default_value("8"),
            build_tenant_argument(),
        ]);
    let list = Command::new("list").about("Lista os receptores e como vão").arg(build_tenant_argument());
    let verb = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).args([code(), build_tenant_argument()])
    };
    Command::new("receiver").about("Os receptores: quem é avisado das mudanças de situação").subcommands([
        add,
        list,
        verb("test", "Envia agora um gatilho de exemplo a um receptor e mostra a resposta"),
        verb("pause", "Pausa um receptor; o que mudar espera por ele"),
        verb("resume", "Retoma um receptor pausado"),
        verb("rotate", "Troca o segredo e mostra o novo; por 24 horas os dois assinam"),
    ])
}

const ENTITIES: [&str; 7] = ["todos", "beneficio", "evento", "vistoria", "helpDesk", "consulta", "titulo"];

fn build_trigger_command() -> Command {
    let receiver = || {
        build_text_argument("receiver", "CÓDIGO", "O código do receptor")
            .value_parser(value_parser!(i32))
            .required(true)
    };
    let list = Command::new("list").about("Lista as entregas a um receptor, com as tentativas").args([
        receiver(),
        build_text_argument("state", "ESTADO", "Só as que estão assim: pendente, entregue ou esgotada")
            .value_parser(PossibleValuesParser::new(["pendente", "entregue", "esgotada"]))
            .hide_possible_values(true),
        build_text_argument("after", "CÓDIGO", "Só as de depois deste codHistorico")
            .value_parser(value_parser!(i32))
            .default_value("0"),
        build_tenant_argument(),
    ]);
    let replay =
        Command::new("replay").about("Envia de novo: um trecho, ou o que um receptor perdeu").args([
            receiver(),
            build_text_argument("from", "CÓDIGO", "Do codHistorico").value_parser(value_parser!(i32)),
            build_text_argument("to", "CÓDIGO", "Até o codHistorico; sem ele, só o de --from")
                .value_parser(value_parser!(i32)),
            build_text_argument(
                "since",
                "QUANDO",
                "Tudo o que não chegou desde este dia ou momento, como 2026-11-14 ou 2026-11-14T10:30",
            ),
            build_tenant_argument(),
        ]);
    Command::new("trigger").about("Os gatilhos: o que foi enviado e o que falta").subcommands([list, replay])
}

fn build_listen_command() -> Command {
    Command::new("listen")
        .about("Recebe gatilhos para desenvolvimento: mostra cada um e confere a assinatura")
        .args([
            build_text_argument(
                "secret",
                "SEGREDO",
                "O segredo whsec_… do receptor; sem ele a assinatura não é conferida",
            ),
            build_text_argument("status", "CÓDIGO", "O que responder [padrão: 204]")
                .value_parser(value_parser!(u16).range(200..=599))
                .default_value("204"),
            build_text_argument("fail", "NÚMERO", "Responde 500 às primeiras tantas")
                .value_parser(value_parser!(u32))
                .default_value("0"),
            build_text_argument("delay", "DURAÇÃO", "Quanto esperar antes de responder, como 2s"),
            build_text_argument("count", "NÚMERO", "Termina depois de receber tantos")
                .value_parser(value_parser!(u32).range(1..)),
        ])
}

fn build_import_command() -> Command {
    let file = Arg::new("file")
        .value_name("ARQUIVO")
        .help("O arquivo a importar, CSV ou XLSX; a primeira linha traz os nomes das colunas")
        .help_heading("Opções");
    let code = |name, help| build_text_argument(name, "CÓDIGO", help).value_parser(value_parser!(i32));
    Command::new("import")
        .about("Importa associados, benefícios, planos, preços, títulos, saldos ou outros cadastros de um arquivo")
        .args([
            file,
            build_text_argument(
                "kind",
                "TIPO",
                "O que o arquivo traz: associados, veiculos, dependentes, leads, planos, vendedores, titulos, saldos, precos, descontos, tiposTitulo, itensCobranca, regrasEncargos, formasPagamento, tiposLiquidacao, contasFinanceiras, feriados ou gruposProtecao",
            )
            .value_parser(PossibleValuesParser::new(
                domain::ImportKind::ALL.iter().map(|kind| wire::import_sheet::name_import_kind(*kind)),
            ))
            .hide_possible_values(true),
            build_text_argument(
                "map",
                "COLUNA=CAMPO",
                "Para que campo vai uma coluna, como \"Nº doc=cpfCnpj\"; pode repetir",
            )
            .action(ArgAction::Append),
            code("branch", "Loja dos associados e leads novos cuja linha não diz a loja"),
            build_flag("dry-run", "Só confere: diz o que está errado e não grava nada"),
            build_flag("triggers", "Avisa os receptores do que muda de situação"),
            build_text_argument(
                "errors",
                "ARQUIVO",
                "Onde gravar as linhas recusadas, com o motivo de cada uma",
            ),
            code("resume", "Retoma a importação deste código, que parou no meio"),
            code("undo", "Desfaz a importação deste código, por até 7 dias"),
            build_tenant_argument(),
        ])
}

fn build_export_command() -> Command {
    Command::new("export")
        .about("Exporta uma associação inteira para um arquivo, também com o servidor no ar")
        .args([
            build_text_argument(
                "to",
                "ARQUIVO",
                "O arquivo a criar, como associacao.zip; contém dados pessoais e segredos",
            )
            .required(true),
            build_tenant_argument(),
        ])
}

fn build_bring_command() -> Command {
    Command::new("bring")
        .about(
            "Traz uma associação exportada a um servidor que não a tem; termina, ou descarta, o que ficou pela metade",
        )
        .args([
            build_text_argument("from", "ARQUIVO", "O arquivo de `amparo export`").required_unless_present("discard"),
            build_flag("paused", "Uma cópia para olhar: pausa os receptores e não envia os e-mails que esperavam"),
            build_flag("with-hosts", "Toma também os nomes de servidor do arquivo; sem isto, use `amparo tenant host add`"),
            build_flag("with-mails", "Envia daqui os e-mails que esperavam lá; sem isto, eles vêm e não são enviados"),
            build_flag("discard", "Apaga a base que ficou pela metade, com os arquivos anexados dela")
                .conflicts_with_all(["from", "paused", "with-hosts", "with-mails"]),
        ])
}

fn build_backup_command() -> Command {
    let from = || {
        build_text_argument(
            "from",
            "PASTA",
            "A pasta das cópias; sem ela, a da seção [backup] da configuração",
        )
    };
    let name = |help| build_text_argument("name", "CÓPIA", help);
    let create = Command::new("create").about("Faz uma cópia agora, também com o servidor no ar").arg(
        build_text_argument(
            "to",
            "PASTA",
            "A pasta das cópias; sem ela, a da seção [backup] da configuração",
        ),
    );
    let list = Command::new("list").about("Lista as cópias").arg(from());
    let verify = Command::new("verify")
        .about("Lê uma cópia inteira, como se fosse voltar a ela, e diz se está boa")
        .args([from(), name("A cópia a conferir, como 20261118T060000Z; sem ela, a mais nova")]);
    let restore =
        Command::new("restore").about("Volta a uma cópia: banco, chave e arquivos anexados").args([
            from(),
            name("A cópia a que se volta, como 20261118T060000Z; sem ela, a mais nova"),
            build_flag(
                "replace",
                "Põe de lado, com outro nome, o banco SQLite e a chave que já estão no lugar",
            ),
        ]);
    Command::new("backup")
        .about("As cópias de segurança: banco, chave e arquivos anexados")
        .subcommands([create, list, verify, restore])
}

fn build_key_command() -> Command {
    let replace = Command::new("replace")
        .about("Faz uma chave nova quando a antiga se perdeu de vez, e abandona o que só ela abria")
        .arg(build_flag(
            "give-up-secrets",
            "Abandona os segredos dos receptores, os segundos fatores e os tokens dos cartões",
        ));
    let rotate = Command::new("rotate")
        .about("Troca a chave por uma nova e cifra de novo todos os segredos, com os servidores no ar");
    Command::new("key")
        .about("A chave que cifra os segredos guardados no banco")
        .subcommands([rotate, replace])
}

fn build_demo_command() -> Command {
    let load = Command::new("load").about("Enche um banco vazio, ou termina o que ficou pela metade").args([
        build_text_argument("members", "NÚMERO", "Quantos associados [padrão: 1000]")
            .value_parser(value_parser!(u32).range(0..=i64::from(demo::MOST_MEMBERS)))
            .default_value("1000"),
        build_text_argument(
            "seed",
            "NÚMERO",
            "De que número nascem: o mesmo dá os mesmos associados [padrão: 1]",
        )
        .value_parser(value_parser!(u64))
        .default_value("1"),
        build_text_argument(
            "months",
            "NÚMERO",
            "Quantos meses de títulos, até hoje [padrão: 18 até 5.000 associados, 6 até 50.000, 1 acima disso]",
        )
        .value_parser(value_parser!(u32).range(0..=i64::from(demo::MOST_MONTHS))),
    ]);
    Command::new("demo").about("A demonstração: uma associação que não existe").subcommand(load)
}

fn build_mirror_command() -> Command {
    Command::new("mirror")
        .about("Espelha uma base de outro servidor que fale esta interface, com os mesmos códigos")
        .args([
            build_text_argument("from", "ENDEREÇO", "O servidor de origem, como https://sistema.exemplo.com.br")
                .required_unless_present("list-problems"),
            build_text_argument("user", "LOGIN", "O usuário na origem; é lido o que ele pode ver").required_unless_present("list-problems"),
            build_flag(
                "password-stdin",
                "Lê a senha da origem da entrada padrão, uma linha; sem isto, vale a variável AMPARO_MIRROR_PASSWORD, ou ela é pedida",
            ),
            build_text_argument("base", "BASE", "A base daqui que já espelha essa origem; sem ela, é encontrada, ou criada uma nova")
                .value_parser(value_parser!(i32)),
            build_text_argument("name", "NOME", "O nome da base nova; sem ele, o da origem"),
            build_text_argument("time-zone", "FUSO", "O fuso horário que decide o calendário da base nova")
                .default_value(domain::TimeZone::DEFAULT),
            build_text_argument("rate", "NÚMERO", "Quantas requisições por segundo, no máximo; 0 não limita [padrão: 10]")
                .value_parser(value_parser!(u32).range(0..=10_000))
                .default_value("10"),
            build_text_argument("parallel", "NÚMERO", "Quantas requisições ao mesmo tempo, de 1 a 32 [padrão: 4]")
                .value_parser(value_parser!(u16).range(1..=32))
                .default_value("4"),
            build_flag("whole", "Compara tudo de novo, e não só o que a origem diz que mudou"),
            build_flag("without-tls", "Aceita um endereço http:// de outra máquina, por onde a senha viaja aberta"),
            build_flag("list-problems", "Mostra, um por linha, o que não pôde ser tomado como veio"),
        ])
}

fn build_text_argument(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help).help_heading("Opções").hide_default_value(true)
}

fn build_flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).help_heading("Opções").action(ArgAction::SetTrue)
}

fn build_tenant_argument() -> Arg {
    build_text_argument("tenant", "BASE", "O código da base; sem ele, a base padrão")
        .value_parser(value_parser!(i32))
}

fn build_password_flag() -> Arg {
    build_flag(
        "password-stdin",
        "Lê a senha da entrada padrão, uma linha; sem isto, uma senha forte é gerada e enviada por e-mail",
    )
}

/// Replaces clap's English texts in a command and all its subcommands.
fn localise_command(command: Command, path: &str) -> Command {
    let has_verbs = command.has_subcommands();
    let usage = format!("{path} {}[OPÇÕES]", if has_verbs { "<COMANDO> " } else { "" });
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command
        .help_template(TEMPLATE)
        .override_usage(usage)
        .subcommand_help_heading("Comandos")
        .after_help("Use --help para ver todas as configurações; -h mostra só as gerais.")
        .subcommand_required(has_verbs)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(
            Arg::new("help")
                .short('h')
                .long("help")
                .help("Mostra esta ajuda")
                .help_heading("Opções")
                .action(ArgAction::Help),
        );
    if path == "amparo" {
        let version =
            Arg::new("version").short('V').long("version").help("Mostra a versão").help_heading("Opções");
        command = command.version(env!("CARGO_PKG_VERSION")).arg(version.action(ArgAction::Version));
    }
    for name in names {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |sub| localise_command(sub, &path));
    }
    command
}

/// The innermost command that was given, with its matches: `["user", "create"]`.
pub fn find_innermost_command(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut path, mut at) = (Vec::new(), matches);
    while let Some((name, below)) = at.subcommand() {
        path.push(name);
        at = below;
    }
    (path, at)
}

/// clap's error as one sentence in Portuguese.
pub fn describe_cli_error(error: &clap::Error) -> String {
    let detail = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let (argument, value) = (detail(ContextKind::InvalidArg), detail(ContextKind::InvalidValue));
    let sentence = match error.kind() {
        ErrorKind::MissingRequiredArgument => format!("Falta informar {argument}."),
        ErrorKind::UnknownArgument => format!("A opção {argument} não existe neste comando."),
        ErrorKind::InvalidSubcommand => {
            format!("O comando {} não existe.", detail(ContextKind::InvalidSubcommand))
        }
        ErrorKind::MissingSubcommand => "Falta dizer o comando.".to_owned(),
        ErrorKind::InvalidValue if value.is_empty() => format!("A opção {argument} precisa de um valor."),
        ErrorKind::InvalidValue => {
            format!("O valor \"{value}\" não serve para {argument}; use {}.", detail(ContextKind::ValidValue))
        }
        ErrorKind::ValueValidation => format!("O valor \"{value}\" não serve para {argument}."),
        ErrorKind::ArgumentConflict => match detail(ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == argument => {
                format!("A opção {argument} foi dada mais de uma vez.")
            }
            prior => format!("As opções {argument} e {prior} não podem vir juntas."),
        },
        ErrorKind::TooManyValues | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("A opção {argument} recebeu valores demais ou de menos.")
        }
        _ => "Não entendi a linha de comando.".to_owned(),
    };
    format!("{sentence} Veja `amparo --help`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        build_command_line().debug_assert();
    }

    #[test]
    fn a_setting_may_stand_before_and_after_the_command_and_its_arguments() {
        for line in [
            "amparo --database sqlite:x user list --tenant 2",
            "amparo user --database sqlite:x list --tenant 2",
            "amparo user list --tenant 2 --database sqlite:x",
        ] {
            let matches = build_command_line().try_get_matches_from(line.split(' ')).unwrap();
            let (path, at) = find_innermost_command(&matches);
            assert_eq!(path, ["user", "list"]);
            assert_eq!(at.get_one::<i32>("tenant"), Some(&2));
        }
    }

    #[test]
    fn complaints_are_in_portuguese() {
        let complain = |line: &str| {
            describe_cli_error(&build_command_line().try_get_matches_from(line.split(' ')).unwrap_err())
        };
        assert!(complain("amparo user create --email a@b").starts_with("Falta informar --name <NOME>"));
        assert!(complain("amparo user list --cor azul").starts_with("A opção --cor não existe"));
        assert!(complain("amparo voar").starts_with("O comando voar não existe"));
        assert!(
            complain("amparo user list --tenant x")
                .starts_with("O valor \"x\" não serve para --tenant <BASE>")
        );
        let role = complain("amparo user create --email a@b --name x --role rei");
        assert!(role.contains("use administrador, operador, integracao."), "{role}");
    }
}
