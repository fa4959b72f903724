//! The refusal texts for registers, files, additional fields and imports.

use super::{RequestProblem, join_alternatives};
use crate::set_names;
use domain::{
    FieldProblem, FileProblem, ImportProblem, ImportStateConflict, ImportUndoObstacle, ReferenceKind,
    RegisterProblem,
};

/// The suffix of the field name, and the reason.
pub(super) fn describe_register_problem(problem: &RegisterProblem) -> (String, String) {
    use RegisterProblem as P;
    let sentence = match problem {
        P::Missing => "informe um valor.".to_owned(),
        P::NotThere { what, code } => format!("{what} {code} não existe para o seu usuário."),
        P::Unknown { what, code } => describe_unknown_reference(what, *code),
        P::UnknownBenefit(code) => describe_unknown_reference("o benefício", *code),
        P::UnknownPerson(code) => describe_unknown_reference("a pessoa", *code),
        P::UnknownPart { at, what, code } => {
            return (format!("[{at}]"), format!("{what} {code} não existe ou é de outra entidade."));
        }
        P::NotAmong(allowed) => format!("não combina com o resto; use {}.", join_alternatives(allowed)),
        P::OnlyFor(kind) => format!("só se informa para o tipo {}.", set_names::field_kind(*kind)),
        P::Before(other) => format!("não pode ser antes de {other}."),
        P::Below(other) => format!("não pode ser menor que {other}."),
        P::OneOf(other) => format!("informe este campo ou {other}, e só um dos dois."),
        P::AboveZero => "deve ser maior que zero.".to_owned(),
        P::OnlyForBenefits => "só as situações de benefício são cobradas.".to_owned(),
        P::NotReceivable(code) => {
            format!("o tipo de título {code} não é de crédito; use um do que o associado paga.")
        }
        P::NotAVehicle(code) => format!("o benefício {code} não é veicular."),
        P::BadPixKey => {
            "não é uma chave Pix; use o CPF, o CNPJ, o e-mail, o telefone com +55 ou a chave aleatória."
                .to_owned()
        }
        P::OnlyForBankAccounts => "só uma conta do tipo BANCO tem isto.".to_owned(),
        P::NotUsedByBank => "o banco dos boletos não usa isto; deixe em branco.".to_owned(),
        P::BankDigits { from, to } if from == to => {
            format!("neste banco são {from} algarismos, não todos zero.")
        }
        P::BankDigits { from, to } => format!("neste banco são de {from} a {to} algarismos, não todos zero."),
        P::MissingCheckDigit => "falta o dígito verificador; escreva-o depois de um hífen.".to_owned(),
        P::WrongCheckDigit => {
            "o dígito verificador não confere; veja no contrato ou no cartão da conta.".to_owned()
        }
        P::NoCodeText { longest } => {
            format!("vai sem acentos no código Pix; use de 1 a {longest} letras e números.")
        }
        P::NoFilter(allowed) => format!("informe ao menos um destes: {}.", join_alternatives(allowed)),
        P::Fixed { now } => format!("não muda depois de cadastrado; é {now}."),
        P::CodeTaken { what, code } => {
            format!("{code} já é o código de outro registro; {what} precisa de outro.")
        }
        P::Taken { what, code } => format!("já é o valor d{what} {code}; use outro."),
        P::LastActive { what } => {
            format!("{what} é o último registro em uso; cadastre ou ative outro antes.")
        }
        P::IsDefault => "esta é a situação padrão do seu tipo; marque outra como padrão antes.".to_owned(),
        P::InactiveDefault => "uma situação inativa não pode ser a padrão.".to_owned(),
        P::Overlaps { code } => {
            format!("o preço {code} já vale para os mesmos casos; mude a faixa, a data ou aquele preço.")
        }
        P::RuleInForce { code } => {
            format!("a regra de cobrança {code} já vale aqui; altere-a ou desative-a antes.")
        }
        P::Installed { installation } => {
            format!(
                "este rastreador está em um veículo (instalação {installation}); registre a remoção antes."
            )
        }
    };
    (String::new(), sentence)
}

fn describe_unknown_reference(what: &str, code: i32) -> String {
    format!("{what} {code} não existe para o seu usuário ou não está em uso.")
}

pub(super) fn describe_file_problem(problem: &FileProblem) -> String {
    const KINDS: &str = "envie uma foto (JPEG, PNG ou WebP), um PDF, um DOCX ou um XLSX.";
    match problem {
        FileProblem::Empty => "veio vazio; escolha o arquivo de novo.".to_owned(),
        FileProblem::TooLarge { most_mib } => format!("passa de {most_mib} MB, o máximo; envie um menor."),
        FileProblem::Unknown => format!("o conteúdo não é de um tipo aceito; {KINDS}"),
        FileProblem::Heic => {
            "esta foto está no formato HEIC, que poucos programas abrem; envie-a em JPEG. No iPhone, escolha Ajustes, Câmera, \
             Formatos, Mais compatível, ou envie a foto pelo navegador do próprio telefone, que a converte."
                .to_owned()
        }
        FileProblem::Animated => "é uma imagem animada; envie uma foto parada.".to_owned(),
        FileProblem::Broken => "está incompleto ou estragado e não abre; envie-o de novo.".to_owned(),
        FileProblem::TooManyPixels { most_megapixels } => {
            format!("a foto passa de {most_megapixels} megapixels, o máximo; envie uma menor.")
        }
        FileProblem::Macros => "o documento traz macros (programas); salve-o sem elas e envie de novo.".to_owned(),
        FileProblem::TooMany { most } => {
            format!("este registro já tem {most} arquivos, o máximo; remova um antes de enviar outro.")
        }
        FileProblem::BaseFull { most_gib } => {
            format!("a associação já guarda {most_gib} GiB de arquivos, o máximo; fale com o administrador.")
        }
        FileProblem::Gone => "foi removido há tempo demais e já não existe; envie-o de novo.".to_owned(),
    }
}

/// The part of the field that is wrong, and the reason.
pub(super) fn describe_field_problem(problem: &FieldProblem) -> (&'static str, String) {
    match problem {
        FieldProblem::Unnamed => ("codCampo", "informe o código ou o nome do campo.".to_owned()),
        FieldProblem::UnknownCode(code) => {
            ("codCampo", format!("o campo {code} não existe para este tipo de benefício."))
        }
        FieldProblem::UnknownName(name) => {
            ("nome", format!("o campo \"{name}\" não existe para este tipo de benefício."))
        }
        FieldProblem::NotAText => ("valor", "deve ser um texto, entre aspas.".to_owned()),
        FieldProblem::NotANumber => ("valor", "deve ser um número, como 12 ou 12.5.".to_owned()),
        FieldProblem::NotADate => ("valor", "deve ser uma data do calendário, como 14/11/2026.".to_owned()),
        FieldProblem::NotABoolean => ("valor", "deve ser true ou false.".to_owned()),
        FieldProblem::TooLong(longest) => ("valor", format!("use no máximo {longest} caracteres.")),
        FieldProblem::NotAnOption(options) => ("valor", format!("use {}.", join_alternatives(options))),
    }
}

pub(super) fn describe_import_problem(problem: &ImportProblem) -> RequestProblem {
    use ImportProblem as P;
    match problem {
        P::TooLarge(most) => RequestProblem::of(
            "arquivo",
            format!("é grande demais; envie no máximo {most} MB, ou divida a planilha."),
        ),
        P::UnknownFormat => RequestProblem::of(
            "arquivo",
            "não é um CSV nem um XLSX; na planilha, salve como CSV ou como pasta de trabalho do Excel (.xlsx).",
        ),
        P::Damaged => RequestProblem::of(
            "arquivo",
            "a planilha está danificada, incompleta ou protegida por senha; abra-a, salve de novo e envie.",
        ),
        P::UnpacksTooLarge => RequestProblem::of(
            "arquivo",
            "descompactada, a planilha é grande demais; apague abas e colunas que não interessam, ou salve como CSV.",
        ),
        P::TooManySheets(most) => RequestProblem::of(
            "arquivo",
            format!("tem abas demais; deixe no máximo {most}, ou salve só a aba que interessa como CSV."),
        ),
        P::RepeatedSheet => RequestProblem::of(
            "arquivo",
            "a mesma aba aparece mais de uma vez na planilha; abra-a, salve de novo e envie.",
        ),
        P::TooSlow => RequestProblem::of(
            "arquivo",
            "a planilha leva tempo demais para ser lida; apague abas e células vazias que não interessam, ou salve como CSV.",
        ),
        P::TooManyReading(most) => RequestProblem::of(
            "arquivo",
            format!("já há {most} planilhas sendo lidas nesta base; espere que uma termine e envie de novo."),
        ),
        P::Empty => RequestProblem::of(
            "arquivo",
            "está vazio; a primeira linha traz os nomes das colunas, e cada linha abaixo, um registro.",
        ),
        P::TooManyRows(most) => {
            RequestProblem::of("arquivo", format!("tem linhas demais; envie no máximo {most} por vez."))
        }
        P::TooManyColumns(most) => {
            RequestProblem::of("arquivo", format!("tem colunas demais; deixe no máximo {most}."))
        }
        P::CellTooLong { row, longest } => RequestProblem::of(
            "arquivo",
            format!(
                "na linha {row} há um texto longo demais; use no máximo {longest} caracteres em cada célula."
            ),
        ),
        P::UnknownColumn(name) => {
            RequestProblem::of("colunas", format!("o arquivo não tem a coluna \"{name}\"."))
        }
        P::UnknownField(name) => RequestProblem::of(
            "colunas",
            format!("\"{name}\" não é um campo desta importação; veja em camposPossiveis os que são."),
        ),
        P::FieldTwice(name) => {
            RequestProblem::of("colunas", format!("duas colunas vão para {name}; escolha uma."))
        }
        P::BenefitUnnamed => {
            RequestProblem::general("informe o CPF do titular, a placa ou o código do benefício.")
        }
        P::NoBenefit => RequestProblem::of(
            "titular",
            "não há um benefício em vigor dele que você possa ver; confira o CPF, a placa ou o código.",
        ),
        P::ManyBenefits => RequestProblem::of(
            "titular",
            "ele tem mais de um benefício em vigor; diga qual, pela placa ou pelo código do benefício.",
        ),
        P::ManyRecords => {
            RequestProblem::general("há mais de um cadastro que pode ser o da linha; diga qual, pelo código.")
        }
        P::SameRecord(line) => {
            RequestProblem::general(format!("repete o registro da linha {line}; deixe só uma das duas."))
        }
        P::OverlappingLine(line) => RequestProblem::of(
            "valorDe",
            format!(
                "a faixa se cruza com a da linha {line}, que vale para os mesmos casos; as duas pontas entram na faixa: se uma vai \
                 até 20.000,00, a próxima começa em 20.000,01."
            ),
        ),
        P::NotMapped(fields) => {
            RequestProblem::of("colunas", format!("diga que coluna do arquivo traz {}.", fields.join(" e ")))
        }
        P::WrongState(conflict) => RequestProblem::of("codImportacao", describe_state_conflict(*conflict)),
        P::TooLate => RequestProblem::of(
            "codImportacao",
            "uma importação pode ser desfeita por 7 dias, e eles já passaram.",
        ),
        P::NoBranch => RequestProblem::of(
            "codLoja",
            "a linha não diz a loja; escolha, nas colunas do arquivo, a loja de quem é novo.",
        ),
        P::LineFailed => RequestProblem::general(
            "não pôde ser gravada; tente de novo e, se continuar, fale com o suporte.",
        ),
        P::Removed => RequestProblem::general(
            "este código foi de um registro que uma importação desfeita removeu, e não volta a ser usado; deixe a célula vazia.",
        ),
    }
}

fn describe_state_conflict(conflict: ImportStateConflict) -> &'static str {
    match conflict {
        ImportStateConflict::AlreadyStarted => {
            "a importação já começou ou já terminou; envie o arquivo de novo para outra."
        }
        ImportStateConflict::FileDeleted => {
            "o arquivo foi enviado há mais de 7 dias e já foi apagado; envie-o de novo."
        }
        ImportStateConflict::NotRunning => "só uma importação em andamento pode ser pausada.",
        ImportStateConflict::NotPaused => "só uma importação pausada pode ser retomada.",
        ImportStateConflict::NeverStarted => "só uma importação que começou pode ser desfeita.",
    }
}

pub fn describe_undo_obstacle(obstacle: &ImportUndoObstacle) -> String {
    match obstacle {
        ImportUndoObstacle::RecordGone => "já não existe".to_owned(),
        ImportUndoObstacle::OtherBranch => "está em uma loja que você não acessa".to_owned(),
        ImportUndoObstacle::RecordGoneOrOtherBranch => {
            "já não existe, ou está em uma loja que você não acessa".to_owned()
        }
        ImportUndoObstacle::ChangedSince => "foi alterado depois da importação".to_owned(),
        ImportUndoObstacle::ReferencedBy(kind) => format!("já tem {}", name_references(*kind)),
        ImportUndoObstacle::CreditUsed => "já foi usado, no todo ou em parte".to_owned(),
        ImportUndoObstacle::Referenced => "já está ligado a outros registros".to_owned(),
        ImportUndoObstacle::Refused(rejections) => {
            rejections.iter().map(super::render_sentence).collect::<Vec<_>>().join(" ")
        }
    }
}

fn name_references(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::Members => "associados",
        ReferenceKind::Benefits => "benefícios",
        ReferenceKind::Titles => "títulos",
        ReferenceKind::Plans => "planos",
        ReferenceKind::Prices => "preços da tabela",
        ReferenceKind::Discounts => "descontos",
        ReferenceKind::ChargingRuns => "cobranças do mês",
        ReferenceKind::LedgerAccounts => "lançamentos nos livros",
        ReferenceKind::Settlements => "liquidações",
        ReferenceKind::Credit => "um crédito nos livros",
        ReferenceKind::Dependents => "dependentes",
        ReferenceKind::CreditCards => "cartões de crédito",
        ReferenceKind::Tracker => "um rastreador",
        ReferenceKind::Claims => "eventos",
        ReferenceKind::Inspections => "vistorias",
        ReferenceKind::Tickets => "chamados",
        ReferenceKind::Appointments => "consultas",
        ReferenceKind::Deals => "negócios",
        ReferenceKind::Lead => "um lead",
        ReferenceKind::Leads => "leads",
        ReferenceKind::Files => "arquivos",
    }
}

/// The problem of a user in an archive whose password is not hashed as this server does.
pub fn describe_unusable_password(user: &str, email: &str) -> String {
    format!(
        "a senha do usuário {user} ({email}) não está cifrada como este servidor aceita (Argon2id, com até 64 MiB de memória, \
         4 passagens e 4 linhas)"
    )
}
