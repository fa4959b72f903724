//! The command line: verbs in English, words in Portuguese.

use crate::settings;
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use domain::Role;

/// clap's own template says its headings in English.
const TEMPLATE: &str = "{about-with-newline}\nUso: {usage}\n\n{all-args}{after-help}";

pub fn command() -> Command {
    let root = Command::new("amparo")
        .about("Amparo: o sistema da sua associação, com a integração 1.84.")
        .override_usage("amparo [OPÇÕES] <COMANDO>")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("serve").about("Atende: inicia o servidor").args([
            flag(
                "demo",
                "Enche um banco vazio com uma associação de demonstração; a senha é amparo-demo ou a da variável \
                 AMPARO_DEMO_PASSWORD",
            ),
            flag("no-delivery", "Não entrega gatilhos: outro processo o faz, com `amparo worker` (PostgreSQL)"),
        ]))
        .subcommand(Command::new("worker").about("Só entrega gatilhos, ao lado de servidores (PostgreSQL)"))
        .subcommand(Command::new("migrate").about("Leva o banco de dados à versão deste programa"))
        .subcommand(
            Command::new("doctor")
                .about("Confere a instalação e diz o que fazer; sai com 1 se algo está errado (avisos não contam)")
                .arg(flag("json", "Mostra o resultado em JSON, para programas")),
        )
        .subcommand(Command::new("config").about("Mostra os valores em vigor e de onde cada um veio"))
        .subcommand(Command::new("openapi").about("Mostra a descrição da API (OpenAPI 3.1)"))
        .subcommand(tenant())
        .subcommand(user())
        .subcommand(receiver())
        .subcommand(trigger())
        .subcommand(listen())
        .subcommand(import())
        .subcommand(export())
        .subcommand(bring())
        .subcommand(demo())
        .subcommand(mirror());
    localised(settings::arguments(root), "amparo")
}

fn tenant() -> Command {
    let create = Command::new("create").about("Cria uma base: uma associação neste servidor").args([
        text("name", "NOME", "O nome da associação").required(true),
        text("branch", "NOME", "O nome da primeira loja").default_value("Matriz"),
        text("time-zone", "FUSO", "O fuso horário que decide o calendário")
            .default_value(domain::TimeZone::DEFAULT),
        text("host", "HOST", "Um nome de servidor que leva a esta base; pode repetir")
            .action(ArgAction::Append),
        flag("default", "Torna esta a base de quem não diz qual; a primeira já é"),
    ]);
    let list = Command::new("list").about("Lista as bases deste servidor");
    let named = |name: &'static str, about: &'static str| {
        let host =
            text("host", "HOST", "O nome do servidor, como app.exemplo.com.br, sem porta").required(true);
        Command::new(name).about(about).args([host, in_tenant()])
    };
    let host = Command::new("host").about("Os nomes de servidor que levam a uma base").subcommands([
        named("add", "Faz um nome de servidor levar a uma base; cada um é de uma base só"),
        named("remove", "Retira um nome de servidor de uma base"),
        Command::new("list").about("Lista os nomes de servidor de uma base").arg(in_tenant()),
    ]);
    Command::new("tenant").about("As bases: as associações deste servidor").subcommands([create, list, host])
}

fn user() -> Command {
    let roles = PossibleValuesParser::new(Role::ALL.map(wire::role));
    let create = Command::new("create").about("Cria um usuário").args([
        text("email", "E-MAIL", "O e-mail, que é o login").required(true),
        text("name", "NOME", "O nome da pessoa ou do programa").required(true),
        text("role", "PERFIL", "O que pode fazer: administrador, operador ou integracao")
            .value_parser(roles)
            .hide_possible_values(true)
            .required(true),
        text(
            "branch",
            "LOJA",
            "O código de uma loja que acessa; pode repetir (o administrador acessa todas)",
        )
        .value_parser(value_parser!(i32))
        .action(ArgAction::Append),
        in_tenant(),
        password(),
    ]);
    let list = Command::new("list").about("Lista os usuários").arg(in_tenant());
    let disable = Command::new("disable")
        .about("Desativa um usuário e encerra as sessões dele")
        .args([text("email", "E-MAIL", "O e-mail do usuário").required(true), in_tenant()]);
    let logout = Command::new("logout")
        .about("Encerra todas as sessões de um usuário; a senha continua a mesma")
        .args([text("email", "E-MAIL", "O e-mail do usuário").required(true), in_tenant()]);
    let reset = Command::new("reset").about("Troca a senha de um usuário e encerra as sessões dele").args([
        text("email", "E-MAIL", "O e-mail do usuário").required(true),
        in_tenant(),
        password(),
    ]);
    let factor = Command::new("remove-second-factor")
        .about("Tira o segundo fator de quem perdeu o celular; a senha continua a mesma")
        .args([text("email", "E-MAIL", "O e-mail do usuário").required(true), in_tenant()]);
    Command::new("user")
        .about("Os usuários de uma base")
        .subcommands([create, list, disable, reset, logout, factor])
}

fn receiver() -> Command {
    let code =
        || text("code", "CÓDIGO", "O código do receptor").value_parser(value_parser!(i32)).required(true);
    let add =
        Command::new("add").about("Cadastra um receptor e mostra o segredo dele, uma única vez").args([
            text("url", "ENDEREÇO", "Para onde vão os gatilhos, como https://erp.exemplo.com.br/gatilhos")
                .required(true),
            text(
                "entity",
                "ENTIDADE",
                "De que é avisado: todos, beneficio, evento, vistoria, helpDesk ou consulta; pode repetir",
            )
            .value_parser(PossibleValuesParser::new(ENTITIES))
            .hide_possible_values(true)
            .action(ArgAction::Append)
            .required(true),
            text(
                "header",
                "NOME: VALOR",
                "Um cabeçalho enviado com cada gatilho, como uma chave; pode repetir",
            )
            .action(ArgAction::Append),
            text("concurrency", "NÚMERO", "Quantas entregas ao mesmo tempo, de 1 a 64 [padrão: 8]")
                .value_parser(value_parser!(i32))
                .default_value("8"),
            in_tenant(),
        ]);
    let list = Command::new("list").about("Lista os receptores e como vão").arg(in_tenant());
    let verb =
        |name: &'static str, about: &'static str| Command::new(name).about(about).args([code(), in_tenant()]);
    Command::new("receiver").about("Os receptores: quem é avisado das mudanças de situação").subcommands([
        add,
        list,
        verb("test", "Envia agora um gatilho de exemplo a um receptor e mostra a resposta"),
        verb("pause", "Pausa um receptor; o que mudar espera por ele"),
        verb("resume", "Retoma um receptor pausado"),
        verb("rotate", "Troca o segredo e mostra o novo; por 24 horas os dois assinam"),
    ])
}

const ENTITIES: [&str; 6] = ["todos", "beneficio", "evento", "vistoria", "helpDesk", "consulta"];

fn trigger() -> Command {
    let receiver =
        || text("receiver", "CÓDIGO", "O código do receptor").value_parser(value_parser!(i32)).required(true);
    let list = Command::new("list").about("Lista as entregas a um receptor, com as tentativas").args([
        receiver(),
        text("state", "ESTADO", "Só as que estão assim: pendente, entregue ou esgotada")
            .value_parser(PossibleValuesParser::new(["pendente", "entregue", "esgotada"]))
            .hide_possible_values(true),
        text("after", "CÓDIGO", "Só as de depois deste codHistorico")
            .value_parser(value_parser!(i32))
            .default_value("0"),
        in_tenant(),
    ]);
    let replay =
        Command::new("replay").about("Envia de novo: um trecho, ou o que um receptor perdeu").args([
            receiver(),
            text("from", "CÓDIGO", "Do codHistorico").value_parser(value_parser!(i32)),
            text("to", "CÓDIGO", "Até o codHistorico; sem ele, só o de --from")
                .value_parser(value_parser!(i32)),
            text(
                "since",
                "QUANDO",
                "Tudo o que não chegou desde este dia ou momento, como 2026-11-14 ou 2026-11-14T10:30",
            ),
            in_tenant(),
        ]);
    Command::new("trigger").about("Os gatilhos: o que foi enviado e o que falta").subcommands([list, replay])
}

fn listen() -> Command {
    Command::new("listen")
        .about("Recebe gatilhos para desenvolvimento: mostra cada um e confere a assinatura")
        .args([
            text("secret", "SEGREDO", "O segredo whsec_… do receptor; sem ele a assinatura não é conferida"),
            text("status", "CÓDIGO", "O que responder [padrão: 204]")
                .value_parser(value_parser!(u16).range(200..=599))
                .default_value("204"),
            text("fail", "NÚMERO", "Responde 500 às primeiras tantas")
                .value_parser(value_parser!(u32))
                .default_value("0"),
            text("delay", "DURAÇÃO", "Quanto esperar antes de responder, como 2s"),
            text("count", "NÚMERO", "Termina depois de receber tantos")
                .value_parser(value_parser!(u32).range(1..)),
        ])
}

fn import() -> Command {
    let file = Arg::new("file")
        .value_name("ARQUIVO")
        .help("O arquivo a importar, CSV ou XLSX; a primeira linha traz os nomes das colunas")
        .help_heading("Opções");
    let code = |name, help| text(name, "CÓDIGO", help).value_parser(value_parser!(i32));
    Command::new("import")
        .about("Importa associados, veículos, dependentes, leads, planos ou vendedores de um arquivo")
        .args([
            file,
            text(
                "kind",
                "TIPO",
                "O que o arquivo traz: associados, veiculos, dependentes, leads, planos ou vendedores",
            )
            .value_parser(PossibleValuesParser::new(
                domain::ImportKind::ALL.iter().map(|kind| wire::sheet::kind_name(*kind)),
            ))
            .hide_possible_values(true),
            text(
                "map",
                "COLUNA=CAMPO",
                "Para que campo vai uma coluna, como \"Nº doc=cpfCnpj\"; pode repetir",
            )
            .action(ArgAction::Append),
            code("branch", "Loja dos associados e leads novos cuja linha não diz a loja"),
            flag("dry-run", "Só confere: diz o que está errado e não grava nada"),
            flag("triggers", "Avisa os receptores do que muda de situação"),
            text("errors", "ARQUIVO", "Onde gravar as linhas recusadas, com o motivo de cada uma"),
            code("resume", "Retoma a importação deste código, que parou no meio"),
            code("undo", "Desfaz a importação deste código, por até 7 dias"),
            in_tenant(),
        ])
}

fn export() -> Command {
    Command::new("export")
        .about("Exporta uma associação inteira para um arquivo, também com o servidor no ar")
        .args([
            text("to", "ARQUIVO", "O arquivo a criar, como associacao.zip; contém dados pessoais e segredos")
                .required(true),
            in_tenant(),
        ])
}

fn bring() -> Command {
    Command::new("bring")
        .about(
            "Traz uma associação exportada a um servidor que não a tem; termina, ou descarta, o que ficou pela metade",
        )
        .args([
            text("from", "ARQUIVO", "O arquivo de `amparo export`").required_unless_present("discard"),
            flag("paused", "Uma cópia para olhar: pausa os receptores e não envia os e-mails que esperavam"),
            flag("with-hosts", "Toma também os nomes de servidor do arquivo; sem isto, use `amparo tenant host add`"),
            flag("with-mails", "Envia daqui os e-mails que esperavam lá; sem isto, eles vêm e não são enviados"),
            flag("discard", "Apaga a base que ficou pela metade, com os arquivos anexados dela")
                .conflicts_with_all(["from", "paused", "with-hosts", "with-mails"]),
        ])
}

fn demo() -> Command {
    let load = Command::new("load").about("Enche um banco vazio, ou termina o que ficou pela metade").args([
        text("members", "NÚMERO", "Quantos associados [padrão: 1000]")
            .value_parser(value_parser!(u32).range(0..=i64::from(app::demo::MOST_MEMBERS)))
            .default_value("1000"),
        text("seed", "NÚMERO", "De que número nascem: o mesmo dá os mesmos associados [padrão: 1]")
            .value_parser(value_parser!(u64))
            .default_value("1"),
    ]);
    Command::new("demo").about("A demonstração: uma associação que não existe").subcommand(load)
}

fn mirror() -> Command {
    Command::new("mirror")
        .about("Espelha uma base de outro servidor que fale esta interface, com os mesmos códigos")
        .args([
            text("from", "ENDEREÇO", "O servidor de origem, como https://sistema.exemplo.com.br")
                .required_unless_present("list-problems"),
            text("user", "LOGIN", "O usuário na origem; é lido o que ele pode ver").required_unless_present("list-problems"),
            flag(
                "password-stdin",
                "Lê a senha da origem da entrada padrão, uma linha; sem isto, vale a variável AMPARO_MIRROR_PASSWORD, ou ela é pedida",
            ),
            text("base", "BASE", "A base daqui que já espelha essa origem; sem ela, é encontrada, ou criada uma nova")
                .value_parser(value_parser!(i32)),
            text("name", "NOME", "O nome da base nova; sem ele, o da origem"),
            text("time-zone", "FUSO", "O fuso horário que decide o calendário da base nova")
                .default_value(domain::TimeZone::DEFAULT),
            text("rate", "NÚMERO", "Quantas requisições por segundo, no máximo; 0 não limita [padrão: 10]")
                .value_parser(value_parser!(u32).range(0..=10_000))
                .default_value("10"),
            text("parallel", "NÚMERO", "Quantas requisições ao mesmo tempo, de 1 a 32 [padrão: 4]")
                .value_parser(value_parser!(u16).range(1..=32))
                .default_value("4"),
            flag("whole", "Compara tudo de novo, e não só o que a origem diz que mudou"),
            flag("without-tls", "Aceita um endereço http:// de outra máquina, por onde a senha viaja aberta"),
            flag("list-problems", "Mostra, um por linha, o que não pôde ser tomado como veio"),
        ])
}

fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help).help_heading("Opções").hide_default_value(true)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).help_heading("Opções").action(ArgAction::SetTrue)
}

fn in_tenant() -> Arg {
    text("tenant", "BASE", "O código da base; sem ele, a base padrão").value_parser(value_parser!(i32))
}

fn password() -> Arg {
    flag(
        "password-stdin",
        "Lê a senha da entrada padrão, uma linha; sem isto, uma senha forte é gerada e enviada por e-mail",
    )
}

/// Our own words where clap would put English ones, in a command and all below it.
fn localised(command: Command, path: &str) -> Command {
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
        command = command.mut_subcommand(name, |sub| localised(sub, &path));
    }
    command
}

/// The innermost command that was asked for, with its matches: `["user", "create"]`.
pub fn asked(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut path, mut at) = (Vec::new(), matches);
    while let Some((name, below)) = at.subcommand() {
        path.push(name);
        at = below;
    }
    (path, at)
}

/// clap's complaint as one sentence in Portuguese.
pub fn complaint(error: &clap::Error) -> String {
    let told = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let (argument, value) = (told(ContextKind::InvalidArg), told(ContextKind::InvalidValue));
    let sentence = match error.kind() {
        ErrorKind::MissingRequiredArgument => format!("Falta informar {argument}."),
        ErrorKind::UnknownArgument => format!("A opção {argument} não existe neste comando."),
        ErrorKind::InvalidSubcommand => {
            format!("O comando {} não existe.", told(ContextKind::InvalidSubcommand))
        }
        ErrorKind::MissingSubcommand => "Falta dizer o comando.".to_owned(),
        ErrorKind::InvalidValue if value.is_empty() => format!("A opção {argument} precisa de um valor."),
        ErrorKind::InvalidValue => {
            format!("O valor \"{value}\" não serve para {argument}; use {}.", told(ContextKind::ValidValue))
        }
        ErrorKind::ValueValidation => format!("O valor \"{value}\" não serve para {argument}."),
        ErrorKind::ArgumentConflict => match told(ContextKind::PriorArg) {
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
        command().debug_assert();
    }

    #[test]
    fn a_setting_may_stand_before_and_after_the_command_and_its_arguments() {
        for line in [
            "amparo --database sqlite:x user list --tenant 2",
            "amparo user --database sqlite:x list --tenant 2",
            "amparo user list --tenant 2 --database sqlite:x",
        ] {
            let matches = command().try_get_matches_from(line.split(' ')).unwrap();
            let (path, at) = asked(&matches);
            assert_eq!(path, ["user", "list"]);
            assert_eq!(at.get_one::<i32>("tenant"), Some(&2));
        }
    }

    #[test]
    fn complaints_are_in_portuguese() {
        let complain = |line: &str| complaint(&command().try_get_matches_from(line.split(' ')).unwrap_err());
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
