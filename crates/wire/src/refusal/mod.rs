//! The refusal texts: one sentence in Portuguese that names the field and what is allowed, written for the end user.

mod field_names;
mod finance_problems;
mod opening_import_problems;
mod problems;
mod request_problem;

pub use field_names::name_field;
pub use problems::{describe_undo_obstacle, describe_unusable_password};
pub use request_problem::RequestProblem;

use domain::{FieldConflict, InputField, Money, Rejection};
use finance_problems::describe_finance_problem;
use problems::{
    describe_field_problem, describe_file_problem, describe_import_problem, describe_register_problem,
};

/// All problems, one per line.
pub fn render_rejections(rejections: &[Rejection]) -> String {
    rejections.iter().map(render_rejection).collect::<Vec<_>>().join("\n")
}

pub fn describe_rejections<'r>(rejections: impl IntoIterator<Item = &'r Rejection>) -> Vec<RequestProblem> {
    rejections.into_iter().map(describe_rejection).collect()
}

/// The sentence without the field name, for problems whose position names the field.
pub fn render_sentence(rejection: &Rejection) -> String {
    describe_rejection(rejection).sentence
}

/// The problem in one text, with the field name.
pub fn render_rejection(rejection: &Rejection) -> String {
    describe_rejection(rejection).to_string()
}

fn describe_bad_header(header: &str) -> RequestProblem {
    let sentence = format!(
        "\"{header}\" não é um cabeçalho que possa ser enviado; use um nome como X-Api-Key e um texto simples."
    );
    RequestProblem::of("cabecalhos", sentence)
}

pub fn describe_rejection(rejection: &Rejection) -> RequestProblem {
    match rejection {
        Rejection::Missing(missing) => RequestProblem::of(name_field(*missing), "informe um valor."),
        Rejection::TooLong { field: long, longest } => {
            RequestProblem::of(name_field(*long), format!("use no máximo {longest} caracteres."))
        }
        Rejection::ControlCharacter(odd) => {
            RequestProblem::of(name_field(*odd), "há um caractere de controle no texto; digite-o de novo.")
        }
        Rejection::BadEmail(value) => RequestProblem::of(
            "email",
            format!("\"{value}\" não é um endereço de e-mail; use algo como nome@exemplo.com.br."),
        ),
        Rejection::BadColour(value) => RequestProblem::of(
            "corDestaque",
            format!("\"{value}\" não é uma cor; use seis dígitos hexadecimais, como 188038."),
        ),
        Rejection::BadHost(value) => RequestProblem::of(
            "host",
            format!("\"{value}\" não é um nome de servidor; use algo como app.exemplo.com.br, sem porta."),
        ),
        Rejection::HostIsAddress(value) => RequestProblem::of(
            "host",
            format!(
                "\"{value}\" é um endereço IP, não um nome de servidor; use algo como app.exemplo.com.br."
            ),
        ),
        Rejection::HostIsLocal(value) => RequestProblem::of(
            "host",
            format!(
                "\"{value}\" é esta própria máquina, e não leva a uma base só; use algo como app.exemplo.com.br."
            ),
        ),
        Rejection::HostIsServers(value) => RequestProblem::of(
            "host",
            format!(
                "\"{value}\" é o nome do próprio servidor (public_url), por onde todas as bases são alcançadas; use outro nome."
            ),
        ),
        Rejection::UnknownHost(value) => RequestProblem::of(
            "host",
            format!("\"{value}\" não leva a esta base; veja os dela com `amparo tenant host list`."),
        ),
        Rejection::BadReceiver(value) => RequestProblem::of(
            "endereco",
            format!(
                "\"{value}\" não serve; use http:// ou https://, o servidor e, se houver, o caminho, sem usuário e sem ?."
            ),
        ),
        Rejection::BadHeader(value) => describe_bad_header(value),
        Rejection::TooManyHeaders(count) => describe_bad_header(&format!("{count} cabeçalhos")),
        Rejection::UnknownEntity(value) => RequestProblem::of(
            "entidades",
            format!(
                "\"{value}\" não é uma entidade; use beneficio, evento, vistoria, helpDesk, consulta, titulo ou todos."
            ),
        ),
        Rejection::NoEntity => RequestProblem::of(
            "entidades",
            "informe ao menos uma de beneficio, evento, vistoria, helpDesk, consulta e titulo, ou todos.",
        ),
        Rejection::InvalidReplayRange => RequestProblem::of(
            "codHistoricoFinal",
            "deve ser igual ou maior que codHistoricoInicial, e os dois maiores que zero.",
        ),
        Rejection::BadHistoryCursor(value) => RequestProblem::of(
            "apos",
            format!(
                "\"{value}\" não é uma posição do histórico; envie o `proximo` da última leitura, ou um codHistorico."
            ),
        ),
        Rejection::BadAuditCursor(value) => RequestProblem::of(
            "apos",
            format!("\"{value}\" não é uma posição da auditoria; envie o `proximo` da última leitura."),
        ),
        Rejection::CursorOfReplacedHistory => RequestProblem::of(
            "apos",
            "a base voltou a um estado anterior (uma cópia foi restaurada), e esta posição do histórico já não existe: o que foi lido depois daquela cópia foi desfeito. Leia de novo desde o começo, sem `apos`, ou envie em `apos` um codHistorico que ainda exista.",
        ),
        Rejection::NothingToSendAgain => RequestProblem::of(
            "codHistoricoInicial",
            "informe de que código (e, em codHistoricoFinal, até qual), ou um dia, ou um momento, em desde.",
        ),
        Rejection::TooManyFilters { most } => RequestProblem::of(
            "nome",
            format!("você já tem {most} filtros salvos desta lista; apague um que não usa mais."),
        ),
        Rejection::TooManyReceivers { most } => RequestProblem::of(
            "codReceptor",
            format!("a base já tem {most} receptores em uso, e não pode ter mais; retire um antes."),
        ),
        Rejection::BadConcurrency => RequestProblem::of("simultaneas", "use um número inteiro, de 1 a 64."),
        Rejection::BadDocument(value) => RequestProblem::of(
            "cpfCnpj",
            format!("\"{value}\" não é um CPF nem um CNPJ válido; confira os dígitos."),
        ),
        Rejection::BadCpf(value) => {
            RequestProblem::of("cpf", format!("\"{value}\" não é um CPF válido; confira os dígitos."))
        }
        Rejection::BadPhone(value) => RequestProblem::of(
            "telefone",
            format!("\"{value}\" não é um telefone; use o DDD e o número, como (11)98765-4321."),
        ),
        Rejection::BadCep(value) => {
            RequestProblem::of("cep", format!("\"{value}\" não é um CEP; use oito dígitos, como 01310-100."))
        }
        Rejection::BadDate(value) => RequestProblem::of(
            "data",
            format!("\"{value}\" não é uma data do calendário; use dia, mês e ano, como 14/11/2026."),
        ),
        Rejection::BadMoment(value) => RequestProblem::of(
            "data",
            format!(
                "\"{value}\" não é um momento; use o dia e a hora, como 2026-11-20T14:30 ou 20/11/2026 14:30."
            ),
        ),
        Rejection::BadMonth(value) => {
            RequestProblem::of("validade", format!("\"{value}\" não é um mês; use mês e ano, como 11/2029."))
        }
        Rejection::BadPlate(value) => RequestProblem::of(
            "placa",
            format!("\"{value}\" não é uma placa; use ABC1234 ou, do Mercosul, ABC1D23."),
        ),
        Rejection::BadChassis(value) => RequestProblem::of(
            "chassi",
            format!("\"{value}\" não é um chassi; use de 1 a 20 letras e números."),
        ),
        Rejection::BadCard(value) => RequestProblem::of(
            "numeroCartaoDesconto",
            format!("\"{value}\" não é um número de cartão; use 13 dígitos, como 1234 56 7 890 123."),
        ),
        Rejection::BadMoney(value) => RequestProblem::of(
            "valor",
            format!(
                "{value} não é um valor em reais; use um número de 0 a {}, com até duas casas decimais, como 150.55.",
                Money::MOST
            ),
        ),
        Rejection::BadUf(value) => RequestProblem::of(
            "uf",
            format!("\"{value}\" não é uma UF; use as duas letras de um estado, como SP."),
        ),
        Rejection::UnknownTimeZone(value) => RequestProblem::of(
            "fuso",
            format!("\"{value}\" não é um fuso horário conhecido; use algo como America/Sao_Paulo."),
        ),
        Rejection::BadNetwork(value) => RequestProblem::of(
            "rede",
            format!(
                "\"{value}\" não é um endereço nem uma rede; use algo como 203.0.113.7 ou 203.0.113.0/24, de /16 a /32, ou em IPv6 de /32 a /64."
            ),
        ),
        Rejection::BadPartner(value) => RequestProblem::of(
            "parceirosValidacao",
            format!(
                "\"{value}\" não foi entendido; use um endereço ou uma rede e o número de consultas, de 1 a {}, como 203.0.113.0/24 5000.",
                domain::ValidationPartner::MOST_LOOKUPS
            ),
        ),
        Rejection::TooManyPartners(most) => {
            RequestProblem::of("parceirosValidacao", format!("use no máximo {most} redes."))
        }
        Rejection::PasswordLength { shortest, longest } => RequestProblem::of(
            "senha",
            format!("use pelo menos {shortest} caracteres, e no máximo {longest} bytes."),
        ),
        Rejection::PasswordControl => {
            RequestProblem::of("senha", "não use quebras de linha nem caracteres de controle.")
        }
        Rejection::PasswordCommon => {
            RequestProblem::of("senha", "esta senha é fácil de adivinhar; use uma frase que só você conhece.")
        }
        Rejection::PasswordPersonal => RequestProblem::of(
            "senha",
            "não use o seu nome, o seu e-mail ou o nome da associação; use uma frase que só você conhece.",
        ),
        Rejection::NoBranch => {
            RequestProblem::of("lojas", "informe ao menos uma loja; só o perfil administrador acessa todas.")
        }
        Rejection::UnknownBranch(code) => {
            RequestProblem::of("lojas", format!("a loja {code} não existe nesta base."))
        }
        Rejection::UnknownCode { field: InputField::Branch, code } => {
            RequestProblem::of("codLoja", format!("a loja {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::Benefit, code } => {
            RequestProblem::of("codBeneficio", format!("o benefício {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::Person, code } => {
            RequestProblem::of("codPessoa", format!("a pessoa {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::Supplier, code } => {
            RequestProblem::of("codFornecedor", format!("o fornecedor {code} não existe nesta base."))
        }
        Rejection::UnknownCode { field: InputField::BenefitKind, code } => RequestProblem::of(
            "codigo",
            format!(
                "{code} não é um tipo de benefício; use 0 (Veicular), 1 (Saúde), 2 (Diversos), 3 (Consórcio) ou 4 \
             (Assistência 24H)."
            ),
        ),
        Rejection::UnknownCode { field: InputField::Deal, code } => {
            RequestProblem::of("codNegocio", format!("o negócio {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::DealDependent, code } => {
            RequestProblem::of("codDependente", format!("o dependente {code} não existe neste negócio."))
        }
        Rejection::UnknownCode { field: InputField::Responsible, code } => RequestProblem::of(
            "codUsuarioResponsavel",
            format!("o usuário {code} não existe, está inativo ou não acessa a loja do negócio."),
        ),
        Rejection::UnknownCode { field: InputField::CaseResponsible, code } => RequestProblem::of(
            "codResponsavel",
            format!("o usuário {code} não existe, está inativo ou não acessa a loja do registro."),
        ),
        Rejection::UnknownCode {
            field:
                case @ (InputField::Claim | InputField::Inspection | InputField::Ticket | InputField::Appointment),
            code,
        } => {
            RequestProblem::of(name_field(*case), format!("o registro {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::File, code } => {
            RequestProblem::of("codArquivo", format!("o arquivo {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::Title, code } => {
            RequestProblem::of("codTitulo", format!("o título {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::Slip, code } => {
            RequestProblem::of("codTitulo", format!("o título {code} não tem boleto; emita um."))
        }
        Rejection::UnknownCode { field: InputField::Settlement, code } => {
            RequestProblem::of("codLiquidacao", format!("a liquidação {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::PendingCharge, code } => {
            RequestProblem::of("codLancamento", format!("o lançamento {code} não existe para o seu usuário."))
        }
        Rejection::UnknownCode { field: InputField::Discount, code } => {
            RequestProblem::of("codDesconto", format!("o desconto {code} não existe ou não está em uso."))
        }
        Rejection::UnknownCode { field: InputField::DiscountGrant, code } => {
            RequestProblem::of("codConcessao", format!("este benefício não tem o desconto concedido {code}."))
        }
        Rejection::UnknownCode { field: InputField::User, code } => {
            RequestProblem::of("codUsuario", format!("o usuário {code} não existe nesta base."))
        }
        Rejection::UnknownCode { field: unknown, code } => RequestProblem::of(
            name_field(*unknown),
            format!("o código {code} não existe, está inativo ou é de outra loja."),
        ),
        Rejection::NatureMismatch => {
            RequestProblem::of("natureza", "não combina com o documento; use F para um CPF e J para um CNPJ.")
        }
        Rejection::NotACnpj => RequestProblem::of("cnpjEmpresa", "informe um CNPJ."),
        Rejection::PersonElsewhere => RequestProblem::of(
            "cpfCnpj",
            "esta pessoa já está cadastrada em uma loja que o seu usuário não acessa.",
        ),
        Rejection::UnknownPerson(document) => RequestProblem::of(
            "cpfCnpj",
            format!(
                "não há um associado com o documento {document} nas suas lojas; cadastre-o antes em POST /ext/associado."
            ),
        ),
        Rejection::NotTheHolder(benefit) => RequestProblem::of(
            "cpfCnpj",
            format!("o benefício {benefit} é de outro titular; informe o documento dele."),
        ),
        Rejection::WrongPath { field: wrong, vehicle: true } => {
            RequestProblem::of(name_field(*wrong), "é veicular; use POST /ext/beneficio/veicular.")
        }
        Rejection::WrongPath { field: wrong, vehicle: false } => {
            RequestProblem::of(name_field(*wrong), "não é veicular; use POST /ext/beneficio.")
        }
        Rejection::OtherKind => RequestProblem::of(
            "codPlano",
            "este plano é de outro tipo de benefício; use um plano do mesmo tipo.",
        ),
        Rejection::UnknownSituation { value, alternatives } => RequestProblem::of(
            "situacao",
            format!("\"{value}\" não é uma situação desta base; use {}.", join_alternatives(alternatives)),
        ),
        Rejection::SituationDisagrees => RequestProblem::of(
            "ativo",
            "não combina com a situação; use true só para uma situação do tipo ATIVO.",
        ),
        Rejection::NoSituation => RequestProblem::of(
            "ativo",
            "esta base não tem uma situação desse tipo; informe a situação pelo nome.",
        ),
        Rejection::NoCancelledSituation => RequestProblem::of(
            "situacao",
            "esta base não tem uma situação de cancelado em uso; um administrador pode ativar uma em Cadastros.",
        ),
        Rejection::NotADueDay { value, alternatives } => RequestProblem::of(
            "diaVencimento",
            format!("{value} não é um dia de vencimento; use {}.", join_alternatives(alternatives)),
        ),
        Rejection::NoPlateOrChassis => RequestProblem::of("placa", "informe a placa ou o chassi do veículo."),
        Rejection::AdditionalField { at, problem } => {
            let (part, sentence) = describe_field_problem(problem);
            RequestProblem::of(format!("dadosAdicionais[{at}].{part}"), sentence)
        }
        Rejection::CardOfAnother => RequestProblem::of(
            "numeroCartaoDesconto",
            "este cartão é de outra pessoa; use outro número, ou nenhum.",
        ),
        Rejection::VehicleTaken { field: taken_field, value, benefit: Some(benefit) } => RequestProblem::of(
            name_field(*taken_field),
            format!("{value} já tem o benefício {benefit}, em vigor."),
        ),
        Rejection::VehicleTaken { field: taken_field, value, benefit: None } => RequestProblem::of(
            name_field(*taken_field),
            format!("{value} já tem um benefício em vigor, em outra loja."),
        ),
        Rejection::CancelledBenefit(benefit) => RequestProblem::of(
            "codBeneficio",
            format!("o benefício {benefit} está cancelado; só a gestão da associação pode reativá-lo."),
        ),
        Rejection::PlanTaken(plan) => RequestProblem::of(
            "codPlano",
            format!("o plano {plan} já é um item ativo deste benefício; use outro."),
        ),
        Rejection::UnknownPlan { at, code } => {
            RequestProblem::of(format!("planos[{at}]"), format!("o plano {code} não existe ou está inativo."))
        }
        Rejection::UnknownDependent { code, benefit } => RequestProblem::of(
            "codDependente",
            format!("o benefício {benefit} não tem um dependente {code}."),
        ),
        Rejection::DependentTaken(code) => RequestProblem::of(
            "cpf",
            format!(
                "já é o do dependente {code} deste benefício, que está ativo; para alterá-lo, envie o codDependente {code}."
            ),
        ),
        Rejection::NoDependentKey => {
            RequestProblem::general("Informe ao menos um destes: nome, cpf ou numeroCartaoDesconto.")
        }
        Rejection::NoMemberCriterion => RequestProblem::general(
            "Informe ao menos um destes: codPessoa; nome; cpf ou cnpj; dataCadastroInicial com dataCadastroFinal; \
             dataNascimento; situacaoBeneficio; placa ou chassi.",
        ),
        Rejection::NoBenefitKey => RequestProblem::general(
            "Informe ao menos um destes: placa, chassi, sequencial ou numeroCartaoDesconto.",
        ),
        Rejection::NoValidationKey => {
            RequestProblem::general("Informe ao menos um destes: matricula, cpfCnpj ou sequencial.")
        }
        Rejection::NothingToValidate => RequestProblem::general(
            "Nenhum benefício foi encontrado; confira o que enviou em matricula, cpfCnpj e sequencial.",
        ),
        Rejection::Disagree { field: one, with } => {
            let sentence = format!("difere de {}; informe um deles, ou o mesmo nos dois.", name_field(*with));
            RequestProblem::of(name_field(*one), sentence)
        }
        Rejection::NoLead => {
            RequestProblem::of("codLead", "informe o código de um lead, ou os campos de um.")
        }
        Rejection::NoContact => {
            RequestProblem::of("telefone", "informe ao menos um destes: telefone, email ou documento.")
        }
        Rejection::OtherFunnel(stage) => RequestProblem::of(
            "codEtapa",
            format!("a etapa {stage} é de outro funil; use uma etapa do funil do negócio."),
        ),
        Rejection::NoStage => {
            RequestProblem::of("codFunil", "não há um funil em uso com etapas; cadastre-o antes.")
        }
        Rejection::NotLost => RequestProblem::of("motivoPerda", "só se informa com a situação Perdido."),
        Rejection::UnknownVehicleType { value, alternatives } => RequestProblem::of(
            "veiculo.tipoVeiculo",
            format!(
                "\"{value}\" não é um tipo de veículo desta base; use {}.",
                join_alternatives(alternatives)
            ),
        ),
        Rejection::NotAHealthDeal(deal) => RequestProblem::of(
            "codNegocio",
            format!("o negócio {deal} não é de saúde, e só esses têm dependentes."),
        ),
        Rejection::UnknownTenant(id) => {
            RequestProblem::of("base", format!("não há uma base {id} neste servidor."))
        }
        Rejection::NoDefaultTenant => RequestProblem::of(
            "base",
            "este servidor ainda não tem uma base; crie a primeira com `amparo tenant create --name NOME`.",
        ),
        Rejection::EmailTaken(email) => {
            RequestProblem::of("email", format!("{email} não está disponível; use outro."))
        }
        Rejection::HostTaken(host) => RequestProblem::of("host", format!("{host} já pertence a outra base.")),
        Rejection::TooManyHosts(most) => {
            RequestProblem::of("hosts", format!("use no máximo {most} endereços."))
        }
        Rejection::UnknownUser(email) => {
            RequestProblem::of("email", format!("não há um usuário {email} nesta base."))
        }
        Rejection::DisabledUser(email) => {
            RequestProblem::of("email", format!("{email} está desativado e não pode receber uma senha."))
        }
        Rejection::BadResetLink => RequestProblem::of(
            "link",
            "este link não vale mais; ele serve uma vez só, por 30 minutos. Peça outro.",
        ),
        Rejection::BadSetupLink => RequestProblem::of(
            "link",
            "este link não vale mais; ele serve uma vez só, por 24 horas. Reinicie o servidor para receber outro.",
        ),
        Rejection::LastAdministrator(email) => RequestProblem::of(
            "email",
            format!(
                "{email} é o último administrador ativo da base; crie outro antes de desativá-lo ou de mudar o seu perfil."
            ),
        ),
        Rejection::CodeTaken { field: taken_field, code } => RequestProblem::of(
            name_field(*taken_field),
            format!("o código {code} já é de outro registro; use outro, ou nenhum."),
        ),
        Rejection::DocumentTaken(Some(person)) => RequestProblem::of(
            "cpfCnpj",
            format!("este documento já é o da pessoa {person}; confira os dígitos."),
        ),
        Rejection::DocumentTaken(None) => {
            RequestProblem::of("cpfCnpj", "este documento já é o de outra pessoa; confira os dígitos.")
        }
        Rejection::LeadTaken(lead) => {
            RequestProblem::of("cpfCnpj", format!("este documento já é o do lead {lead}; use esse lead."))
        }
        Rejection::OtherDocument(document) => RequestProblem::of(
            "cpfCnpj",
            format!("o lead deste negócio tem o documento {document}; corrija o lead antes, ou não o envie."),
        ),
        Rejection::ClosedDeal { deal, won: true } => RequestProblem::of(
            "codNegocio",
            format!("o negócio {deal} já foi ganho e não muda mais por aqui."),
        ),
        Rejection::ClosedDeal { deal, won: false } => {
            RequestProblem::of("codNegocio", format!("o negócio {deal} foi perdido; reabra-o antes."))
        }
        Rejection::NoVehicle => {
            RequestProblem::of("placa", "este benefício não é veicular e não tem um veículo.")
        }
        Rejection::LastPlan(benefit) => RequestProblem::of(
            "ativo",
            format!("é o único plano do benefício {benefit}, que fica com ao menos um; inclua outro antes."),
        ),
        Rejection::OwnRights => RequestProblem::of(
            "perfil",
            "ninguém tira de si mesmo o perfil de administrador nem se desativa; peça a outro administrador.",
        ),
        Rejection::OwnSecondFactor => RequestProblem::of(
            "codUsuario",
            "o próprio segundo fator se desliga em “Minha conta”, com um código; outro administrador pode retirá-lo.",
        ),
        Rejection::FactorOfProgram => RequestProblem::of(
            "segundoFatorObrigatorio",
            "o perfil integração é de programas, que não usam o segundo fator; use administrador e operador.",
        ),
        Rejection::OldVersion { requested_version, current_version, since, fields } => {
            describe_old_version(*requested_version, *current_version, since, fields)
        }
        Rejection::SituationChangeNotAllowed { from, to, allowed } => RequestProblem::of(
            "situacao",
            format!(
                "de {from} não se vai para {to}; esta base só permite ir para {}.",
                join_alternatives(allowed)
            ),
        ),
        Rejection::NoSituationNamed => {
            RequestProblem::of("situacao", "informe o código em codSituacao ou o nome em situacao.")
        }
        Rejection::UnknownSituationCode { value, alternatives } => RequestProblem::of(
            "codSituacao",
            format!(
                "{value} não é uma situação em uso desta entidade; use {}.",
                join_alternatives(alternatives)
            ),
        ),
        Rejection::NoOpenSituation => RequestProblem::of(
            "situacao",
            "esta base não tem uma situação em uso do tipo ABERTO para esta entidade; cadastre-a antes.",
        ),
        Rejection::ReasonNeeded { reopens: true } => {
            RequestProblem::of("motivo", "informe por que o registro é reaberto.")
        }
        Rejection::ReasonNeeded { reopens: false } => {
            RequestProblem::of("motivo", "informe por que o registro é cancelado.")
        }
        Rejection::PersonFixed => {
            RequestProblem::of("codPessoa", "o associado de um registro não muda; cancele este e abra outro.")
        }
        Rejection::BenefitOfAnother(benefit) => RequestProblem::of(
            "codBeneficio",
            format!("o benefício {benefit} é de outra pessoa; use um benefício do associado."),
        ),
        Rejection::DependentWithoutBenefit => {
            RequestProblem::of("codDependente", "informe também o codBeneficio de que ele é dependente.")
        }
        Rejection::TooManyNamed => RequestProblem::of(
            "filtro",
            "muitos associados têm esse nome; informe mais do nome, o CPF, a placa ou o protocolo.",
        ),
        Rejection::NotEmpty => RequestProblem::general(
            "Este banco de dados já tem dados, e a demonstração só é carregada em um vazio; nada foi acrescentado.",
        ),
        Rejection::DemoUnfinished { members, seed } => RequestProblem::general(format!(
            "Neste banco de dados há uma demonstração pela metade; termine-a com `amparo demo load --members {members} \
             --seed {seed}`."
        )),
        Rejection::Register { field, problem } => {
            let (part, sentence) = describe_register_problem(problem);
            RequestProblem::of(format!("{field}{part}"), sentence)
        }
        Rejection::Import(problem) => describe_import_problem(problem),
        Rejection::NoVersion => RequestProblem::of("versao", "informe a versão do registro que você leu."),
        Rejection::Finance(problem) => describe_finance_problem(problem),
        Rejection::File(problem) => RequestProblem::of("arquivo", describe_file_problem(problem)),
    }
}

/// The sent and the stored value, field by field.
fn describe_old_version(
    sent_version: i64,
    now: i64,
    since: &str,
    fields: &[FieldConflict],
) -> RequestProblem {
    let value =
        |value: &Option<String>| value.as_ref().map_or("nada".to_owned(), |text| format!("\"{text}\""));
    let first = format!(
        "o registro foi alterado em {since} e está na versão {now}, não na {sent_version}; nada foi gravado. Confira e envie \
         de novo."
    );
    let line = |one: &FieldConflict| {
        format!("{}: enviado {}; agora {}.", one.field, value(&one.sent), value(&one.now))
    };
    let lines: Vec<String> = std::iter::once(first).chain(fields.iter().map(line)).collect();
    RequestProblem::of("versao", lines.join("\n"))
}

/// `5, 10 ou 15`
fn join_alternatives<T: ToString>(words: &[T]) -> String {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    match &words[..] {
        [] => "nenhum".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} ou {last}", most.join(", ")),
    }
}
