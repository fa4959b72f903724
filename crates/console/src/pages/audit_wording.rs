//! Audit entries in plain language: *cancelou o benefício 77*, with a link to the record.

use domain::{AuditAction, AuditSubject, AuditSubjectKind, AuditedChange};
use wire::audit::{argument, describe_export_filters, describe_file_owner, name_subject_kind};

/// A sentence about an action: the words before the record, the record with its link, the words after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ActionPhrase {
    pub before: String,
    pub thing: String,
    /// Relative to the console's root.
    pub link: Option<String>,
    pub after: String,
}

impl ActionPhrase {
    pub fn from_text(text: impl Into<String>) -> ActionPhrase {
        ActionPhrase { before: text.into(), ..ActionPhrase::default() }
    }
}

/// A record in a sentence.
struct SubjectWords {
    article: String,
    thing: String,
    link: Option<String>,
}

/// `None` for a member, whose name stands beside the entry, and for the association itself.
fn describe_subject(subject: &AuditSubject) -> Option<SubjectWords> {
    let code = subject.code;
    let (article, link) = match &subject.kind {
        AuditSubjectKind::Member | AuditSubjectKind::Tenant => return None,
        AuditSubjectKind::Benefit => ("o", format!("/beneficios/{code}")),
        AuditSubjectKind::Claim => ("o", format!("/eventos/{code}")),
        AuditSubjectKind::Inspection => ("a", format!("/vistorias/{code}")),
        AuditSubjectKind::Ticket => ("o", format!("/help-desk/{code}")),
        AuditSubjectKind::Appointment => ("a", format!("/consultas/{code}")),
        AuditSubjectKind::Deal => ("o", format!("/vendas/{code}")),
        AuditSubjectKind::Lead => ("o", "/vendas/leads".to_owned()),
        AuditSubjectKind::User => ("o", format!("/usuarios/{code}")),
        AuditSubjectKind::Receiver => ("o", "/gatilhos".to_owned()),
        AuditSubjectKind::File => ("o", format!("/arquivos/{code}")),
        AuditSubjectKind::Import => ("a", format!("/importar/{code}")),
        AuditSubjectKind::Register(path) => {
            let register = registers::find_register(path)?;
            let (article, one) = register.words.the_one.split_once(' ').unwrap_or(("o", register.words.one));
            return Some(SubjectWords {
                article: article.to_owned(),
                thing: format!("{one} {code}"),
                link: Some(format!("/cadastros/{path}/{code}")),
            });
        }
    };
    let thing = format!("{} {code}", name_subject_kind(&subject.kind));
    Some(SubjectWords { article: article.to_owned(), thing, link: Some(link) })
}

/// Describes a change in the words of an operator.
pub fn describe_change(change: &AuditedChange) -> ActionPhrase {
    let Some(subject) = &change.subject else { return describe_without_subject(change) };
    match describe_subject(subject) {
        Some(SubjectWords { article, thing, link }) => {
            let (before, after) = describe_record_action(change, &subject.kind);
            ActionPhrase { before: before.replace('~', &article), thing, link, after }
        }
        None => {
            let what = match subject.kind {
                AuditSubjectKind::Tenant => "os dados da associação",
                _ => "o cadastro",
            };
            let verb = match change.action {
                AuditAction::Create => "criou",
                AuditAction::UndoImport => "removeu",
                AuditAction::MirrorRecord => "espelhou",
                _ => "alterou",
            };
            ActionPhrase::from_text(format!("{verb} {what}{}", describe_note(change)))
        }
    }
}

/// The words before the record, where `~` stands for its article, and those after it.
fn describe_record_action(change: &AuditedChange, kind: &AuditSubjectKind) -> (String, String) {
    let first = argument(change, 0);
    let note = describe_note(change);
    let before = match change.action {
        AuditAction::Create if matches!(kind, AuditSubjectKind::Register(_)) => "cadastrou ~",
        AuditAction::Create => "criou ~",
        AuditAction::CreateFromDeal => {
            return ("criou ~".to_owned(), format!(" a partir do negócio {first}"));
        }
        AuditAction::Open => "abriu ~",
        AuditAction::Change => "alterou ~",
        AuditAction::Cancel => "cancelou ~",
        AuditAction::Reactivate => "reativou ~",
        AuditAction::ChangeSituation if first.is_empty() => "mudou a situação d~",
        AuditAction::ChangeSituation => return ("passou ~".to_owned(), format!(" para {first}")),
        AuditAction::Annotate => "escreveu uma anotação n~",
        AuditAction::AddItem => return (format!("incluiu o plano {first} n~"), note),
        AuditAction::ChangeItem => return (format!("alterou o item {first} d~"), note),
        AuditAction::RemoveItem => return (format!("retirou o item {first} d~"), note),
        AuditAction::ChangeAdditionalFields => "alterou os dados adicionais d~",
        AuditAction::CreateDependent => return (format!("incluiu o dependente {first} n~"), note),
        AuditAction::ChangeDependent | AuditAction::UndoDependentUpdate => {
            return (format!("alterou o dependente {first} d~"), note);
        }
        AuditAction::UndoDependentImport => return (format!("retirou o dependente {first} d~"), note),
        AuditAction::UndoImport => "removeu ~",
        AuditAction::UndoImportUpdate => "alterou ~",
        AuditAction::AttachFile => "anexou ~",
        AuditAction::RemoveFile => "removeu ~",
        AuditAction::RestoreFile => "restaurou ~",
        AuditAction::ChangeStage => "mudou a etapa d~",
        AuditAction::WinDeal => "ganhou ~",
        AuditAction::LoseDeal => "deu como perdido ~",
        AuditAction::ReopenDeal => "reabriu ~",
        AuditAction::PauseReceiver | AuditAction::PauseImport => "pausou ~",
        AuditAction::ResumeReceiver | AuditAction::ResumeImport => "retomou ~",
        AuditAction::TestReceiver => "testou ~",
        AuditAction::MirrorRecord => "espelhou ~",
        AuditAction::MoveReceiver => {
            return ("passou ~".to_owned(), " para outro servidor, com segredo novo".to_owned());
        }
        AuditAction::RotateSecret => "trocou o segredo d~",
        AuditAction::ReplayDeliveries => return (format!("reenviou {first} entregas d~"), note),
        AuditAction::ReceiveImport => "enviou o arquivo d~",
        AuditAction::DiscardImport => "descartou, para dar lugar a outra, ~",
        AuditAction::MapColumns => "escolheu as colunas d~",
        AuditAction::BeginImportCheck => "mandou conferir ~",
        AuditAction::FinishImportCheck => "terminou de conferir ~",
        AuditAction::BeginImport => "iniciou ~",
        AuditAction::StopImport => "parou ~",
        AuditAction::FinishImport => "concluiu ~",
        AuditAction::BeginImportUndo => "mandou desfazer ~",
        AuditAction::FinishImportUndo => "desfez ~",
        AuditAction::DownloadImportErrors => "baixou o arquivo de erros d~",
        AuditAction::ReplacePassword => "deu outra senha para ~",
        AuditAction::ChangeOwnPassword => "trocou a senha d~",
        AuditAction::ChangePasswordByLink => "trocou por um link a senha d~",
        AuditAction::SendPasswordLink => "pediu um link de senha para ~",
        AuditAction::EndSessions => "encerrou as sessões d~",
        AuditAction::EnableSecondFactor => "ligou o segundo fator d~",
        AuditAction::RemoveSecondFactor => "retirou o segundo fator d~",
        AuditAction::RenewRecoveryCodes => "fez novos códigos de recuperação d~",
        AuditAction::UseRecoveryCode => "usou um código de recuperação d~",
        AuditAction::SignInToConsole => "entrou no console como ~",
        AuditAction::SignInToConsoleWithCode => "entrou no console, com o segundo fator, como ~",
        AuditAction::SignInToConsoleWithRecoveryCode => {
            "entrou no console, com um código de recuperação, como ~"
        }
        AuditAction::SignInToApi => "entrou pela API como ~",
        AuditAction::SignInToApiWithCode => "entrou pela API, com o segundo fator, como ~",
        AuditAction::AcceptPassword => "acertou a senha d~",
        AuditAction::RefuseSignIn => "não conseguiu entrar como ~",
        AuditAction::RefusePassword => "errou a senha d~",
        AuditAction::RefuseCode => "errou um código d~",
        AuditAction::ThrottleAccount | AuditAction::ThrottleAddress => "foi impedido de entrar como ~",
        // Without a record of their own.
        AuditAction::BeginExport
        | AuditAction::FinishExport
        | AuditAction::StopExport
        | AuditAction::ExportTenant
        | AuditAction::RestoreTenant
        | AuditAction::RestoreDatabase
        | AuditAction::AddHost
        | AuditAction::RemoveHost
        | AuditAction::CreateMirror
        | AuditAction::MirrorRecords
        | AuditAction::MirrorRegisters
        | AuditAction::MirrorUsers
        | AuditAction::RetireLeads
        | AuditAction::RefuseUnknownUser => "mexeu n~",
    };
    (before.to_owned(), note)
}

fn describe_without_subject(change: &AuditedChange) -> ActionPhrase {
    let (first, second) = (argument(change, 0), argument(change, 1));
    ActionPhrase::from_text(match change.action {
        AuditAction::BeginExport => {
            format!("exportou a lista {first} em {second}, {}", describe_export_filters(change))
        }
        AuditAction::AddHost => format!("acrescentou o host {first}"),
        AuditAction::RemoveHost => format!("retirou o host {first}"),
        AuditAction::CreateMirror => format!("criou a associação como espelho de {first}"),
        AuditAction::MirrorRecords => format!("espelhou {first} registros"),
        AuditAction::MirrorRegisters => format!("espelhou {first} cadastros"),
        AuditAction::MirrorUsers => format!("registrou {first} usuários citados na origem"),
        AuditAction::RetireLeads => format!("desativou {first} leads que saíram da origem"),
        _ => wire::audit::describe_change(change),
    })
}

/// In parentheses after the record: the fields, what else matters, and the reason.
fn describe_note(change: &AuditedChange) -> String {
    let detail = match change.action {
        AuditAction::AttachFile | AuditAction::RemoveFile | AuditAction::RestoreFile => {
            describe_file_owner(change)
        }
        AuditAction::UndoImport
        | AuditAction::UndoImportUpdate
        | AuditAction::UndoDependentImport
        | AuditAction::UndoDependentUpdate => "importação desfeita".to_owned(),
        AuditAction::ReceiveImport => format!("{} linhas", argument(change, 0)),
        AuditAction::StopImport => "o usuário já não acessa o sistema".to_owned(),
        AuditAction::AcceptPassword => "falta o código".to_owned(),
        AuditAction::ThrottleAccount => "tentativas demais na conta".to_owned(),
        AuditAction::ThrottleAddress => "tentativas demais do endereço".to_owned(),
        _ => change.fields.join(", "),
    };
    let parts = [detail.as_str(), change.reason.as_deref().unwrap_or_default()];
    let note = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    if note.is_empty() { String::new() } else { format!(" ({note})") }
}

/// How a person's record was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAccessKind {
    /// A single record, opened directly.
    SingleRecord,
    /// One of several, in a list or a search.
    RecordList,
    /// The open validation, which needs no credential.
    OpenValidation,
}

pub fn classify_access(operation: &str) -> RecordAccessKind {
    if operation == "POST /ext/beneficio/validacao" {
        return RecordAccessKind::OpenValidation;
    }
    if operation.contains('{') { RecordAccessKind::SingleRecord } else { RecordAccessKind::RecordList }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: &AuditedChange) -> (String, Option<String>) {
        let deed = describe_change(change);
        let gap = if deed.thing.is_empty() { "" } else { " " };
        (format!("{}{gap}{}{}", deed.before, deed.thing, deed.after), deed.link)
    }

    #[test]
    fn what_was_done_is_said_as_people_say_it() {
        use AuditSubjectKind as Kind;
        let benefit = |action| AuditedChange::new(action, Kind::Benefit, 7);
        let user = |action| AuditedChange::new(action, Kind::User, 3);
        let plan = |action| AuditedChange::new(action, Kind::Register("plano".into()), 5);
        let import = |action| AuditedChange::new(action, Kind::Import, 7);
        let receiver = |action| AuditedChange::new(action, Kind::Receiver, 3);
        let file = AuditedChange::new(AuditAction::AttachFile, Kind::File, 12);
        for (change, expected, link) in [
            (benefit(AuditAction::Cancel), "cancelou o benefício 7", Some("/beneficios/7")),
            (
                benefit(AuditAction::RemoveItem).with_argument(3),
                "retirou o item 3 do benefício 7",
                Some("/beneficios/7"),
            ),
            (
                benefit(AuditAction::CreateFromDeal).with_argument(5),
                "criou o benefício 7 a partir do negócio 5",
                Some("/beneficios/7"),
            ),
            (benefit(AuditAction::ChangeSituation), "mudou a situação do benefício 7", Some("/beneficios/7")),
            (
                AuditedChange::new(AuditAction::ChangeSituation, Kind::Inspection, 4)
                    .with_argument("APROVADA"),
                "passou a vistoria 4 para APROVADA",
                Some("/vistorias/4"),
            ),
            (
                AuditedChange::new(AuditAction::Annotate, Kind::Ticket, 9),
                "escreveu uma anotação no chamado 9",
                Some("/help-desk/9"),
            ),
            (
                user(AuditAction::EndSessions).with_reason(Some("saiu de férias")),
                "encerrou as sessões do usuário 3 (saiu de férias)",
                Some("/usuarios/3"),
            ),
            (
                user(AuditAction::ThrottleAccount),
                "foi impedido de entrar como o usuário 3 (tentativas demais na conta)",
                Some("/usuarios/3"),
            ),
            (plan(AuditAction::Create), "cadastrou o plano 5", Some("/cadastros/plano/5")),
            (
                plan(AuditAction::Change).with_fields(["nome", "valor"]),
                "alterou o plano 5 (nome, valor)",
                Some("/cadastros/plano/5"),
            ),
            (
                import(AuditAction::ReceiveImport).with_argument(5),
                "enviou o arquivo da importação 7 (5 linhas)",
                Some("/importar/7"),
            ),
            (import(AuditAction::BeginImportUndo), "mandou desfazer a importação 7", Some("/importar/7")),
            (
                AuditedChange::new(AuditAction::Change, Kind::Tenant, 1).with_fields(["nome"]),
                "alterou os dados da associação (nome)",
                None,
            ),
            (
                receiver(AuditAction::ReplayDeliveries).with_argument(12),
                "reenviou 12 entregas do receptor 3",
                Some("/gatilhos"),
            ),
            (receiver(AuditAction::RotateSecret), "trocou o segredo do receptor 3", Some("/gatilhos")),
            (
                file.with_argument(Kind::Claim.name()).with_argument(7),
                "anexou o arquivo 12 (no evento 7)",
                Some("/arquivos/12"),
            ),
            (AuditedChange::new(AuditAction::Change, Kind::Member, 5), "alterou o cadastro", None),
        ] {
            assert_eq!(said(&change), (expected.to_owned(), link.map(str::to_owned)));
        }
    }

    #[test]
    fn a_list_is_told_from_a_single_look() {
        assert_eq!(classify_access("GET /gestao/associado/{codPessoa}"), RecordAccessKind::SingleRecord);
        assert_eq!(classify_access("GET /console/busca"), RecordAccessKind::RecordList);
        assert_eq!(classify_access("POST /ext/beneficio/validacao"), RecordAccessKind::OpenValidation);
    }
}
