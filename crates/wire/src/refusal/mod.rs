//! The refusal texts: one sentence in Portuguese that names the field and what is allowed, written for the end user.

mod problems;

use domain::{FieldConflict, InputField, Money, Rejection};
use problems::{
    describe_field_problem, describe_file_problem, describe_import_problem, describe_register_problem,
};

/// The external name of a field.
pub fn name_field(field: InputField) -> &'static str {
    match field {
        InputField::Name => "nome",
        InputField::Branch => "codLoja",
        InputField::Email => "email",
        InputField::Colour => "corDestaque",
        InputField::Host => "host",
        InputField::Role => "perfil",
        InputField::Password => "senha",
        InputField::Document => "cpfCnpj",
        InputField::Phone => "telefone",
        InputField::Cep => "cep",
        InputField::Date => "data",
        InputField::Plate => "placa",
        InputField::Chassis => "chassi",
        InputField::Card => "numeroCartaoDesconto",
        InputField::Money => "valor",
        InputField::Uf => "uf",
        InputField::Consultant => "codConsultor",
        InputField::Representative => "codRepresentante",
        InputField::Plan => "codPlano",
        InputField::Benefit => "codBeneficio",
        InputField::VehicleType => "codTipoVeiculo",
        InputField::Claim => "codEvento",
        InputField::Receiver => "codReceptor",
        InputField::Address => "endereco",
        InputField::Person => "codPessoa",
        InputField::Supplier => "codFornecedor",
        InputField::BenefitKind => "codigo",
        InputField::PersonName => "nomePessoa",
        InputField::LeadDocument => "documento",
        InputField::Phones => "telefones",
        InputField::Lead => "codLead",
        InputField::Deal => "codNegocio",
        InputField::DealDependent => "codDependente",
        InputField::DealVehicleType => "veiculo.codTipoVeiculo",
        InputField::VehicleTypeName => "veiculo.tipoVeiculo",
        InputField::Funnel => "codFunil",
        InputField::Stage => "codEtapa",
        InputField::Responsible => "codUsuarioResponsavel",
        InputField::Plans => "planos",
        InputField::Kinship => "parentesco",
        InputField::File => "codArquivo",
        InputField::Text => "texto",
        InputField::User => "codUsuario",
        InputField::Item => "codItem",
        InputField::JoinedOn => "dataAdesao",
        InputField::Reason => "motivo",
        InputField::Situation => "situacao",
        InputField::SituationCode => "codSituacao",
        InputField::Version => "versao",
        InputField::ClaimKind => "codTipoEvento",
        InputField::InspectionKind => "codTipoVistoria",
        InputField::TicketKind => "codTipoHelpDesk",
        InputField::Specialty => "codEspecialidade",
        InputField::Clinic => "codClinica",
        InputField::Doctor => "codMedico",
        InputField::Driver => "codCondutor",
        InputField::Related => "relacionados",
        InputField::CaseResponsible => "codResponsavel",
        InputField::Inspection => "codVistoria",
        InputField::Ticket => "codHelpDesk",
        InputField::Appointment => "codConsulta",
        InputField::Priority => "prioridade",
        InputField::Involved => "envolvido",
        InputField::Import => "codImportacao",
    }
}

/// All problems, one per line.
pub fn render_rejections(rejections: &[Rejection]) -> String {
    rejections.iter().map(render_rejection).collect::<Vec<_>>().join("\n")
}

/// The sentence without the field name, for problems whose position names the field.
pub fn render_sentence(rejection: &Rejection) -> String {
    let text = render_rejection(rejection);
    text.split_once(": ").map_or(text.clone(), |(_, sentence)| sentence.to_owned())
}

pub fn render_rejection(rejection: &Rejection) -> String {
    match rejection {
        Rejection::Missing(missing) => format!("{}: informe um valor.", name_field(*missing)),
        Rejection::TooLong { field: long, longest } => {
            format!("{}: use no máximo {longest} caracteres.", name_field(*long))
        }
        Rejection::ControlCharacter(odd) => {
            format!("{}: há um caractere de controle no texto; digite-o de novo.", name_field(*odd))
        }
        Rejection::BadEmail(value) => {
            format!("email: \"{value}\" não é um endereço de e-mail; use algo como nome@exemplo.com.br.")
        }
        Rejection::BadColour(value) => {
            format!("corDestaque: \"{value}\" não é uma cor; use seis dígitos hexadecimais, como 188038.")
        }
        Rejection::BadHost(value) => {
            format!("host: \"{value}\" não é um nome de servidor; use algo como app.exemplo.com.br, sem porta.")
        }
        Rejection::HostIsAddress(value) => {
            format!("host: \"{value}\" é um endereço IP, não um nome de servidor; use algo como app.exemplo.com.br.")
        }
        Rejection::HostIsLocal(value) => {
            format!("host: \"{value}\" é esta própria máquina, e não leva a uma base só; use algo como app.exemplo.com.br.")
        }
        Rejection::HostIsServers(value) => {
            format!("host: \"{value}\" é o nome do próprio servidor (public_url), por onde todas as bases são alcançadas; use outro nome.")
        }
        Rejection::UnknownHost(value) => format!("host: \"{value}\" não leva a esta base; veja os dela com `amparo tenant host list`."),
        Rejection::BadReceiver(value) => format!(
            "endereco: \"{value}\" não serve; use http:// ou https://, o servidor e, se houver, o caminho, sem usuário e sem ?."
        ),
        Rejection::BadHeader(value) => {
            format!("cabecalhos: \"{value}\" não é um cabeçalho que possa ser enviado; use um nome como X-Api-Key e um texto simples.")
        }
        Rejection::UnknownEntity(value) => format!(
            "entidades: \"{value}\" não é uma entidade; use beneficio, evento, vistoria, helpDesk, consulta ou todos."
        ),
        Rejection::NoEntity => {
            "entidades: informe ao menos uma de beneficio, evento, vistoria, helpDesk e consulta, ou todos.".to_owned()
        }
        Rejection::BadStretch => {
            "codHistoricoFinal: deve ser igual ou maior que codHistoricoInicial, e os dois maiores que zero.".to_owned()
        }
        Rejection::BadHistoryCursor(value) => {
            format!("apos: \"{value}\" não é uma posição do histórico; envie o `proximo` da última leitura, ou um codHistorico.")
        }
        Rejection::HistoryPutBack => "apos: a base voltou a um estado anterior (uma cópia foi restaurada), e esta posição do histórico já não existe: o que foi lido depois daquela cópia foi desfeito. Leia de novo desde o começo, sem `apos`, ou envie em `apos` um codHistorico que ainda exista.".to_owned(),
        Rejection::NothingToSendAgain => {
            "codHistoricoInicial: informe de que código (e, em codHistoricoFinal, até qual), ou um dia, ou um momento, em desde.".to_owned()
        }
        Rejection::TooManyFilters { most } => {
            format!("nome: você já tem {most} filtros salvos desta lista; apague um que não usa mais.")
        }
        Rejection::TooManyReceivers { most } => {
            format!("codReceptor: a base já tem {most} receptores em uso, e não pode ter mais; retire um antes.")
        }
        Rejection::BadConcurrency => "simultaneas: use um número inteiro, de 1 a 64.".to_owned(),
        Rejection::BadDocument(value) => {
            format!("cpfCnpj: \"{value}\" não é um CPF nem um CNPJ válido; confira os dígitos.")
        }
        Rejection::BadCpf(value) => format!("cpf: \"{value}\" não é um CPF válido; confira os dígitos."),
        Rejection::BadPhone(value) => {
            format!("telefone: \"{value}\" não é um telefone; use o DDD e o número, como (11)98765-4321.")
        }
        Rejection::BadCep(value) => {
            format!("cep: \"{value}\" não é um CEP; use oito dígitos, como 01310-100.")
        }
        Rejection::BadDate(value) => {
            format!("data: \"{value}\" não é uma data do calendário; use dia, mês e ano, como 14/11/2026.")
        }
        Rejection::BadMoment(value) => format!(
            "data: \"{value}\" não é um momento; use o dia e a hora, como 2026-11-20T14:30 ou 20/11/2026 14:30."
        ),
        Rejection::BadMonth(value) => {
            format!("validade: \"{value}\" não é um mês; use mês e ano, como 11/2029.")
        }
        Rejection::BadPlate(value) => {
            format!("placa: \"{value}\" não é uma placa; use ABC1234 ou, do Mercosul, ABC1D23.")
        }
        Rejection::BadChassis(value) => {
            format!("chassi: \"{value}\" não é um chassi; use de 1 a 20 letras e números.")
        }
        Rejection::BadCard(value) => format!(
            "numeroCartaoDesconto: \"{value}\" não é um número de cartão; use 13 dígitos, como 1234 56 7 890 123."
        ),
        Rejection::BadMoney(value) => format!(
            "valor: {value} não é um valor em reais; use um número de 0 a {}, com até duas casas decimais, como 150.55.",
            Money::MOST
        ),
        Rejection::BadUf(value) => {
            format!("uf: \"{value}\" não é uma UF; use as duas letras de um estado, como SP.")
        }
        Rejection::UnknownTimeZone(value) => {
            format!("fuso: \"{value}\" não é um fuso horário conhecido; use algo como America/Sao_Paulo.")
        }
        Rejection::BadNetwork(value) => format!(
            "rede: \"{value}\" não é um endereço nem uma rede; use algo como 203.0.113.7 ou 203.0.113.0/24, de /16 a /32, ou em IPv6 de /32 a /64."
        ),
        Rejection::BadPartner(value) => format!(
            "parceirosValidacao: \"{value}\" não foi entendido; use um endereço ou uma rede e o número de consultas, de 1 a {}, como 203.0.113.0/24 5000.",
            domain::ValidationPartner::MOST_LOOKUPS
        ),
        Rejection::TooManyPartners(most) => format!("parceirosValidacao: use no máximo {most} redes."),
        Rejection::PasswordLength { shortest, longest } => {
            format!("senha: use pelo menos {shortest} caracteres, e no máximo {longest} bytes.")
        }
        Rejection::PasswordControl => "senha: não use quebras de linha nem caracteres de controle.".to_owned(),
        Rejection::PasswordCommon => {
            "senha: esta senha é fácil de adivinhar; use uma frase que só você conhece.".to_owned()
        }
        Rejection::PasswordPersonal => {
            "senha: não use o seu nome, o seu e-mail ou o nome da associação; use uma frase que só você conhece.".to_owned()
        }
        Rejection::NoBranch => {
            "lojas: informe ao menos uma loja; só o perfil administrador acessa todas.".to_owned()
        }
        Rejection::UnknownBranch(code) => format!("lojas: a loja {code} não existe nesta base."),
        Rejection::UnknownCode { field: InputField::Branch, code } => {
            format!("codLoja: a loja {code} não existe para o seu usuário.")
        }
        Rejection::UnknownCode { field: InputField::Benefit, code } => {
            format!("codBeneficio: o benefício {code} não existe para o seu usuário.")
        }
        Rejection::UnknownCode { field: InputField::Person, code } => {
            format!("codPessoa: a pessoa {code} não existe para o seu usuário.")
        }
        Rejection::UnknownCode { field: InputField::Supplier, code } => {
            format!("codFornecedor: o fornecedor {code} não existe nesta base.")
        }
        Rejection::UnknownCode { field: InputField::BenefitKind, code } => format!(
            "codigo: {code} não é um tipo de benefício; use 0 (Veicular), 1 (Saúde), 2 (Diversos), 3 (Consórcio) ou 4 \
             (Assistência 24H)."
        ),
        Rejection::UnknownCode { field: InputField::Deal, code } => {
            format!("codNegocio: o negócio {code} não existe para o seu usuário.")
        }
        Rejection::UnknownCode { field: InputField::DealDependent, code } => {
            format!("codDependente: o dependente {code} não existe neste negócio.")
        }
        Rejection::UnknownCode { field: InputField::Responsible, code } => format!(
            "codUsuarioResponsavel: o usuário {code} não existe, está inativo ou não acessa a loja do negócio."
        ),
        Rejection::UnknownCode { field: InputField::CaseResponsible, code } => {
            format!("codResponsavel: o usuário {code} não existe, está inativo ou não acessa a loja do registro.")
        }
        Rejection::UnknownCode { field: case @ (InputField::Claim | InputField::Inspection | InputField::Ticket | InputField::Appointment), code } => {
            format!("{}: o registro {code} não existe para o seu usuário.", name_field(*case))
        }
        Rejection::UnknownCode { field: InputField::File, code } => {
            format!("codArquivo: o arquivo {code} não existe para o seu usuário.")
        }
        Rejection::UnknownCode { field: InputField::User, code } => {
            format!("codUsuario: o usuário {code} não existe nesta base.")
        }
        Rejection::UnknownCode { field: unknown, code } => {
            format!("{}: o código {code} não existe, está inativo ou é de outra loja.", name_field(*unknown))
        }
        Rejection::NatureMismatch => {
            "natureza: não combina com o documento; use F para um CPF e J para um CNPJ.".to_owned()
        }
        Rejection::NotACnpj => "cnpjEmpresa: informe um CNPJ.".to_owned(),
        Rejection::PersonElsewhere => {
            "cpfCnpj: esta pessoa já está cadastrada em uma loja que o seu usuário não acessa.".to_owned()
        }
        Rejection::UnknownPerson(document) => format!(
            "cpfCnpj: não há um associado com o documento {document} nas suas lojas; cadastre-o antes em POST /ext/associado."
        ),
        Rejection::NotTheHolder(benefit) => {
            format!("cpfCnpj: o benefício {benefit} é de outro titular; informe o documento dele.")
        }
        Rejection::WrongPath { field: wrong, vehicle: true } => {
            format!("{}: é veicular; use POST /ext/beneficio/veicular.", name_field(*wrong))
        }
        Rejection::WrongPath { field: wrong, vehicle: false } => {
            format!("{}: não é veicular; use POST /ext/beneficio.", name_field(*wrong))
        }
        Rejection::OtherKind => {
            "codPlano: este plano é de outro tipo de benefício; use um plano do mesmo tipo.".to_owned()
        }
        Rejection::UnknownSituation { given: value, known } => {
            format!("situacao: \"{value}\" não é uma situação desta base; use {}.", join_alternatives(known))
        }
        Rejection::SituationDisagrees => {
            "ativo: não combina com a situação; use true só para uma situação do tipo ATIVO.".to_owned()
        }
        Rejection::NoSituation => {
            "ativo: esta base não tem uma situação desse tipo; informe a situação pelo nome.".to_owned()
        }
        Rejection::NotADueDay { given: value, known } => {
            format!("diaVencimento: {value} não é um dia de vencimento; use {}.", join_alternatives(known))
        }
        Rejection::NoPlateOrChassis => "placa: informe a placa ou o chassi do veículo.".to_owned(),
        Rejection::AdditionalField { at, problem } => {
            let (part, sentence) = describe_field_problem(problem);
            format!("dadosAdicionais[{at}].{part}: {sentence}")
        }
        Rejection::CardOfAnother => {
            "numeroCartaoDesconto: este cartão é de outra pessoa; use outro número, ou nenhum.".to_owned()
        }
        Rejection::VehicleTaken { field: taken_field, given: value, by: Some(benefit) } => {
            format!("{}: {value} já tem o benefício {benefit}, em vigor.", name_field(*taken_field))
        }
        Rejection::VehicleTaken { field: taken_field, given: value, by: None } => {
            format!("{}: {value} já tem um benefício em vigor, em outra loja.", name_field(*taken_field))
        }
        Rejection::CancelledBenefit(benefit) => format!(
            "codBeneficio: o benefício {benefit} está cancelado; só a gestão da associação pode reativá-lo."
        ),
        Rejection::PlanTaken(plan) => {
            format!("codPlano: o plano {plan} já é um item ativo deste benefício; use outro.")
        }
        Rejection::UnknownPlan { at, code } => {
            format!("planos[{at}]: o plano {code} não existe ou está inativo.")
        }
        Rejection::UnknownDependent { code, benefit } => {
            format!("codDependente: o benefício {benefit} não tem um dependente {code}.")
        }
        Rejection::DependentTaken(code) => format!(
            "cpf: já é o do dependente {code} deste benefício, que está ativo; para alterá-lo, envie o codDependente {code}."
        ),
        Rejection::NoDependentKey => {
            "Informe ao menos um destes: nome, cpf ou numeroCartaoDesconto.".to_owned()
        }
        Rejection::NoMemberCriterion => {
            "Informe ao menos um destes: codPessoa; nome; cpf ou cnpj; dataCadastroInicial com dataCadastroFinal; \
             dataNascimento; situacaoBeneficio; placa ou chassi."
                .to_owned()
        }
        Rejection::NoBenefitKey => {
            "Informe ao menos um destes: placa, chassi, sequencial ou numeroCartaoDesconto.".to_owned()
        }
        Rejection::NoValidationKey => {
            "Informe ao menos um destes: matricula, cpfCnpj ou sequencial.".to_owned()
        }
        Rejection::NothingToValidate => {
            "Nenhum benefício foi encontrado; confira o que enviou em matricula, cpfCnpj e sequencial.".to_owned()
        }
        Rejection::Disagree { field: one, with } => {
            format!("{}: difere de {}; informe um deles, ou o mesmo nos dois.", name_field(*one), name_field(*with))
        }
        Rejection::NoLead => "codLead: informe o código de um lead, ou os campos de um.".to_owned(),
        Rejection::NoContact => "telefone: informe ao menos um destes: telefone, email ou documento.".to_owned(),
        Rejection::OtherFunnel(stage) => {
            format!("codEtapa: a etapa {stage} é de outro funil; use uma etapa do funil do negócio.")
        }
        Rejection::NoStage => "codFunil: não há um funil em uso com etapas; cadastre-o antes.".to_owned(),
        Rejection::NotLost => "motivoPerda: só se informa com a situação Perdido.".to_owned(),
        Rejection::UnknownVehicleType { given: value, known } => format!(
            "veiculo.tipoVeiculo: \"{value}\" não é um tipo de veículo desta base; use {}.",
            join_alternatives(known)
        ),
        Rejection::NotAHealthDeal(deal) => {
            format!("codNegocio: o negócio {deal} não é de saúde, e só esses têm dependentes.")
        }
        Rejection::UnknownTenant(id) => format!("base: não há uma base {id} neste servidor."),
        Rejection::NoDefaultTenant => {
            "base: este servidor ainda não tem uma base; crie a primeira com `amparo tenant create --name NOME`."
                .to_owned()
        }
        Rejection::EmailTaken(email) => format!("email: {email} não está disponível; use outro."),
        Rejection::HostTaken(host) => format!("host: {host} já pertence a outra base."),
        Rejection::TooManyHosts(most) => format!("hosts: use no máximo {most} endereços."),
        Rejection::UnknownUser(email) => format!("email: não há um usuário {email} nesta base."),
        Rejection::DisabledUser(email) => {
            format!("email: {email} está desativado e não pode receber uma senha.")
        }
        Rejection::BadResetLink => {
            "link: este link não vale mais; ele serve uma vez só, por 30 minutos. Peça outro.".to_owned()
        }
        Rejection::BadSetupLink => {
            "link: este link não vale mais; ele serve uma vez só, por 24 horas. Reinicie o servidor para receber outro.".to_owned()
        }
        Rejection::LastAdministrator(email) => {
            format!("email: {email} é o último administrador ativo da base; crie outro antes de desativá-lo ou de mudar o seu perfil.")
        }
        Rejection::CodeTaken { field: taken_field, code } => {
            format!("{}: o código {code} já é de outro registro; use outro, ou nenhum.", name_field(*taken_field))
        }
        Rejection::DocumentTaken(Some(person)) => {
            format!("cpfCnpj: este documento já é o da pessoa {person}; confira os dígitos.")
        }
        Rejection::DocumentTaken(None) => {
            "cpfCnpj: este documento já é o de outra pessoa; confira os dígitos.".to_owned()
        }
        Rejection::LeadTaken(lead) => {
            format!("cpfCnpj: este documento já é o do lead {lead}; use esse lead.")
        }
        Rejection::OtherDocument(document) => {
            format!("cpfCnpj: o lead deste negócio tem o documento {document}; corrija o lead antes, ou não o envie.")
        }
        Rejection::ClosedDeal { deal, won: true } => {
            format!("codNegocio: o negócio {deal} já foi ganho e não muda mais por aqui.")
        }
        Rejection::ClosedDeal { deal, won: false } => {
            format!("codNegocio: o negócio {deal} foi perdido; reabra-o antes.")
        }
        Rejection::NoVehicle => "placa: este benefício não é veicular e não tem um veículo.".to_owned(),
        Rejection::LastPlan(benefit) => {
            format!("ativo: é o único plano do benefício {benefit}, que fica com ao menos um; inclua outro antes.")
        }
        Rejection::OwnRights => {
            "perfil: ninguém tira de si mesmo o perfil de administrador nem se desativa; peça a outro administrador."
                .to_owned()
        }
        Rejection::OwnSecondFactor => {
            "codUsuario: o próprio segundo fator se desliga em “Minha conta”, com um código; outro administrador pode retirá-lo."
                .to_owned()
        }
        Rejection::FactorOfProgram => {
            "segundoFatorObrigatorio: o perfil integração é de programas, que não usam o segundo fator; use administrador e operador."
                .to_owned()
        }
        Rejection::OldVersion { given: value, now, since, fields } => describe_old_version(*value, *now, since, fields),
        Rejection::MayNotMove { from, to, allowed } => format!(
            "situacao: de {from} não se vai para {to}; esta base só permite ir para {}.",
            join_alternatives(allowed)
        ),
        Rejection::NoSituationNamed => "situacao: informe o código em codSituacao ou o nome em situacao.".to_owned(),
        Rejection::UnknownSituationCode { given: value, known } => {
            format!("codSituacao: {value} não é uma situação em uso desta entidade; use {}.", join_alternatives(known))
        }
        Rejection::NoOpenSituation => {
            "situacao: esta base não tem uma situação em uso do tipo ABERTO para esta entidade; cadastre-a antes.".to_owned()
        }
        Rejection::ReasonNeeded { reopens: true } => "motivo: informe por que o registro é reaberto.".to_owned(),
        Rejection::ReasonNeeded { reopens: false } => "motivo: informe por que o registro é cancelado.".to_owned(),
        Rejection::PersonFixed => {
            "codPessoa: o associado de um registro não muda; cancele este e abra outro.".to_owned()
        }
        Rejection::BenefitOfAnother(benefit) => {
            format!("codBeneficio: o benefício {benefit} é de outra pessoa; use um benefício do associado.")
        }
        Rejection::DependentWithoutBenefit => {
            "codDependente: informe também o codBeneficio de que ele é dependente.".to_owned()
        }
        Rejection::TooManyNamed => {
            "filtro: muitos associados têm esse nome; informe mais do nome, o CPF, a placa ou o protocolo.".to_owned()
        }
        Rejection::NotEmpty => {
            "Este banco de dados já tem dados, e a demonstração só é carregada em um vazio; nada foi acrescentado."
                .to_owned()
        }
        Rejection::DemoUnfinished { members, seed } => format!(
            "Neste banco de dados há uma demonstração pela metade; termine-a com `amparo demo load --members {members} \
             --seed {seed}`."
        ),
        Rejection::Register { field, problem } => {
            let (part, sentence) = describe_register_problem(problem);
            format!("{field}{part}: {sentence}")
        }
        Rejection::Import(problem) => describe_import_problem(problem),
        Rejection::NoVersion => "versao: informe a versão do registro que você leu.".to_owned(),
        Rejection::File(problem) => format!("arquivo: {}", describe_file_problem(problem)),
    }
}

/// The sent and the stored value, field by field.
fn describe_old_version(sent_version: i64, now: i64, since: &str, fields: &[FieldConflict]) -> String {
    let value =
        |value: &Option<String>| value.as_ref().map_or("nada".to_owned(), |text| format!("\"{text}\""));
    let first = format!(
        "versao: o registro foi alterado em {since} e está na versão {now}, não na {sent_version}; nada foi gravado. Confira e envie \
         de novo."
    );
    let line = |one: &FieldConflict| {
        format!("{}: enviado {}; agora {}.", one.field, value(&one.sent), value(&one.now))
    };
    std::iter::once(first).chain(fields.iter().map(line)).collect::<Vec<_>>().join("\n")
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
