//! Audit entries in plain language: *cancelou o benefício 77*, with a link to the record.

use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecord, AuditedRecordKind, PersonCode};
use wire::audit::{
    argument, describe_export_filters, describe_file_owner, describe_links, name_subject_kind,
};

/// A sentence about an action: the words before the record, the record with its link, the words after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ActionPhrase {
    pub before: String,
    pub thing: String,
    /// Relative to the console's root.
    pub link: Option<String>,
    pub after: String,
    /// Whether this is a text of an older version, which is no sentence about the user.
    pub is_stored_text: bool,
}

impl ActionPhrase {
    pub fn from_stored_text(text: &str) -> ActionPhrase {
        ActionPhrase { is_stored_text: true, ..ActionPhrase::from_text(format!("— {text}")) }
    }

    pub fn from_text(text: impl Into<String>) -> ActionPhrase {
        ActionPhrase { before: text.into(), ..ActionPhrase::default() }
    }
}

/// A record in a sentence.
struct SubjectWords {
    article: &'static str,
    thing: String,
    link: Option<String>,
}

/// `None` for a member, whose name stands beside the entry, and for the association itself.
fn describe_subject(subject: &AuditedRecord, person: Option<PersonCode>) -> Option<SubjectWords> {
    let code = subject.code;
    let (article, link) = match &subject.kind {
        AuditedRecordKind::Member | AuditedRecordKind::Tenant => return None,
        AuditedRecordKind::Benefit => ("o", format!("/beneficios/{code}")),
        AuditedRecordKind::Claim => ("o", format!("/eventos/{code}")),
        AuditedRecordKind::Inspection => ("a", format!("/vistorias/{code}")),
        AuditedRecordKind::Ticket => ("o", format!("/help-desk/{code}")),
        AuditedRecordKind::Appointment => ("a", format!("/consultas/{code}")),
        AuditedRecordKind::Deal => ("o", format!("/vendas/{code}")),
        AuditedRecordKind::Lead => ("o", "/vendas/leads".to_owned()),
        AuditedRecordKind::Title => ("o", format!("/financeiro/titulos/{code}")),
        AuditedRecordKind::ChargingRun => ("a", format!("/financeiro/cobrancas/{code}")),
        AuditedRecordKind::PendingCharge => ("o", "/financeiro/lancamentos".to_owned()),
        AuditedRecordKind::CreditReceipt => {
            let whose = person.map(|person| format!("?pessoa={person}")).unwrap_or_default();
            ("o", format!("/financeiro/creditos{whose}"))
        }
        AuditedRecordKind::OpeningBalance => ("o", "/financeiro/titulos".to_owned()),
        AuditedRecordKind::User => ("o", format!("/usuarios/{code}")),
        AuditedRecordKind::Receiver => ("o", "/gatilhos".to_owned()),
        AuditedRecordKind::File => ("o", format!("/arquivos/{code}")),
        AuditedRecordKind::Import => ("a", format!("/importar/{code}")),
        AuditedRecordKind::Register(path) => {
            let register = registers::find_register(path)?;
            let (article, one) = register.words.the_one.split_once(' ').unwrap_or(("o", register.words.one));
            return Some(SubjectWords {
                article,
                thing: format!("{one} {code}"),
                link: Some(format!("/cadastros/{path}/{code}")),
            });
        }
    };
    let thing = format!("{} {code}", name_subject_kind(&subject.kind));
    Some(SubjectWords { article, thing, link: Some(link) })
}

/// Describes a change, to a record of `person` if it has one, in the words of an operator.
pub fn describe_change(change: &AuditedChange, person: Option<PersonCode>) -> ActionPhrase {
    let Some(subject) = &change.subject else { return describe_without_subject(change) };
    let is_gone = change.action == AuditedAction::UndoImport;
    match (describe_subject(subject, person), &subject.kind) {
        (Some(SubjectWords { article, thing, link }), kind) => {
            let (before, after) = describe_record_action(change, kind);
            let link = link.filter(|_| !is_gone);
            ActionPhrase { before: before.replace('~', article), thing, link, after, is_stored_text: false }
        }
        // A register that this version does not know.
        (None, AuditedRecordKind::Register(_)) => {
            ActionPhrase::from_text(wire::audit::describe_change(change))
        }
        (None, _) => {
            let what = match subject.kind {
                AuditedRecordKind::Tenant => "os dados da associação",
                _ => "o cadastro",
            };
            let verb = match change.action {
                AuditedAction::Create => "criou",
                AuditedAction::UndoImport => "removeu",
                AuditedAction::MirrorRecord => "espelhou",
                _ => "alterou",
            };
            ActionPhrase::from_text(format!("{verb} {what}{}", describe_note(change)))
        }
    }
}

/// The words before the record, where `~` stands for its article, and those after it.
fn describe_record_action(change: &AuditedChange, kind: &AuditedRecordKind) -> (String, String) {
    let first = argument(change, 0);
    let note = describe_note(change);
    let before = match change.action {
        AuditedAction::Create if matches!(kind, AuditedRecordKind::Register(_)) => "cadastrou ~",
        AuditedAction::Create => "criou ~",
        AuditedAction::CreateFromDeal => {
            return ("criou ~".to_owned(), format!(" a partir do negócio {first}"));
        }
        AuditedAction::Open => "abriu ~",
        AuditedAction::Change => "alterou ~",
        AuditedAction::Cancel => "cancelou ~",
        AuditedAction::Reactivate => "reativou ~",
        AuditedAction::ChangeSituation if first.is_empty() => "mudou a situação d~",
        AuditedAction::ChangeSituation => return ("passou ~".to_owned(), format!(" para {first}")),
        AuditedAction::Annotate => "escreveu uma anotação n~",
        AuditedAction::AddItem => return (format!("incluiu o plano {first} n~"), note),
        AuditedAction::ChangeItem => return (format!("alterou o item {first} d~"), note),
        AuditedAction::RemoveItem => return (format!("retirou o item {first} d~"), note),
        AuditedAction::ChangeAdditionalFields => "alterou os dados adicionais d~",
        AuditedAction::CreateDependent => return (format!("incluiu o dependente {first} n~"), note),
        AuditedAction::ChangeDependent | AuditedAction::UndoDependentUpdate => {
            return (format!("alterou o dependente {first} d~"), note);
        }
        AuditedAction::UndoDependentImport => return (format!("retirou o dependente {first} d~"), note),
        AuditedAction::UndoImport => "removeu ~",
        AuditedAction::UndoImportUpdate => "alterou ~",
        AuditedAction::AttachFile => "anexou ~",
        AuditedAction::RemoveFile => "removeu ~",
        AuditedAction::RestoreFile => "restaurou ~",
        AuditedAction::ChangeStage => "mudou a etapa d~",
        AuditedAction::WinDeal => "ganhou ~",
        AuditedAction::LoseDeal => "deu como perdido ~",
        AuditedAction::ReopenDeal => "reabriu ~",
        AuditedAction::Release => "liberou ~",
        AuditedAction::IssueSlip => {
            return (format!("emitiu um boleto de {} d~", domain::display::format_cents(first)), note);
        }
        AuditedAction::IssuePixCode => {
            return (format!("gerou um código Pix de {} d~", domain::display::format_cents(first)), note);
        }
        AuditedAction::Settle => {
            return (format!("registrou {} n~", domain::display::format_cents(first)), note);
        }
        AuditedAction::UseCredit => {
            return (format!("usou {} de crédito n~", domain::display::format_cents(first)), note);
        }
        AuditedAction::ReverseSettlement => return (format!("estornou a liquidação {first} d~"), note),
        AuditedAction::ReceiveCredit => {
            return (format!("recebeu {} n~", domain::display::format_cents(first)), note);
        }
        AuditedAction::RefundCredit => {
            return (format!("registrou a devolução de {} n~", domain::display::format_cents(first)), note);
        }
        AuditedAction::ReverseCreditReceipt => "estornou ~",
        AuditedAction::PrepareChargingRun => return (format!("preparou ~ de {first}"), note),
        AuditedAction::ApproveChargingRun => "aprovou ~",
        AuditedAction::DiscardChargingRun => "descartou ~",
        AuditedAction::UndoChargingRun => "mandou desfazer ~",
        AuditedAction::PauseReceiver | AuditedAction::PauseImport => "pausou ~",
        AuditedAction::ResumeReceiver | AuditedAction::ResumeImport => "retomou ~",
        AuditedAction::TestReceiver => "testou ~",
        AuditedAction::MirrorRecord => "espelhou ~",
        AuditedAction::MoveReceiver => {
            return ("passou ~".to_owned(), " para outro servidor, com segredo novo".to_owned());
        }
        AuditedAction::RotateSecret => "trocou o segredo d~",
        AuditedAction::ReplayDeliveries => {
            return (format!("reenviou {} d~", format_quantity(first, "entrega", "entregas")), note);
        }
        AuditedAction::ReceiveImport => "enviou o arquivo d~",
        AuditedAction::DiscardImport => "descartou ~",
        AuditedAction::MapColumns => "escolheu as colunas d~",
        AuditedAction::ReviseTitles => "reviu os títulos a vencer d~",
        AuditedAction::KeepTitles => "manteve os títulos a vencer d~",
        AuditedAction::GrantDiscount => "concedeu um desconto a~",
        AuditedAction::EndDiscount => "encerrou um desconto d~",
        AuditedAction::BeginImportCheck => "mandou conferir ~",
        AuditedAction::FinishImportCheck => "terminou de conferir ~",
        AuditedAction::BeginImport => "iniciou ~",
        AuditedAction::StopImport => "teve interrompida ~",
        AuditedAction::FinishImport => "concluiu ~",
        AuditedAction::BeginImportUndo => "mandou desfazer ~",
        AuditedAction::FinishImportUndo => "desfez ~",
        AuditedAction::DownloadImportErrors => "baixou o arquivo de erros d~",
        AuditedAction::ReplacePassword => "deu outra senha para ~",
        AuditedAction::ChangeOwnPassword => "trocou a senha d~",
        AuditedAction::ChangePasswordByLink => "trocou por um link a senha d~",
        AuditedAction::SendPasswordLink => "pediu um link de senha para ~",
        AuditedAction::EndSessions => "encerrou as sessões d~",
        AuditedAction::EnableSecondFactor => "ligou o segundo fator d~",
        AuditedAction::RemoveSecondFactor => "retirou o segundo fator d~",
        AuditedAction::RenewRecoveryCodes => "fez novos códigos de recuperação d~",
        AuditedAction::UseRecoveryCode => "usou um código de recuperação d~",
        AuditedAction::SignInToConsole => "entrou no console como ~",
        AuditedAction::SignInToConsoleWithCode => "entrou no console, com o segundo fator, como ~",
        AuditedAction::SignInToConsoleWithRecoveryCode => {
            "entrou no console, com um código de recuperação, como ~"
        }
        AuditedAction::SignInToApi => "entrou pela API como ~",
        AuditedAction::SignInToApiWithCode => "entrou pela API, com o segundo fator, como ~",
        AuditedAction::AcceptPassword => "acertou a senha d~",
        AuditedAction::RefuseSignIn => "não conseguiu entrar como ~",
        AuditedAction::RefusePassword => "errou a senha d~",
        AuditedAction::RefuseCode => "errou um código d~",
        AuditedAction::ThrottleAccount | AuditedAction::ThrottleAddress => "foi impedido de entrar como ~",
        // Without a record of their own.
        AuditedAction::BeginExport
        | AuditedAction::FinishExport
        | AuditedAction::StopExport
        | AuditedAction::ExportTenant
        | AuditedAction::RestoreTenant
        | AuditedAction::RestoreDatabase
        | AuditedAction::RevokeLinks
        | AuditedAction::AddHost
        | AuditedAction::RemoveHost
        | AuditedAction::CreateMirror
        | AuditedAction::MirrorRecords
        | AuditedAction::MirrorRegisters
        | AuditedAction::MirrorUsers
        | AuditedAction::RetireLeads
        | AuditedAction::ClosePeriod
        | AuditedAction::ReopenPeriod
        | AuditedAction::MoveToPriceTable
        | AuditedAction::RefuseUnknownUser => "mexeu n~",
    };
    (before.to_owned(), note)
}

fn describe_without_subject(change: &AuditedChange) -> ActionPhrase {
    let (first, second) = (argument(change, 0), argument(change, 1));
    ActionPhrase::from_text(match change.action {
        AuditedAction::BeginExport => {
            format!("exportou a lista {first} em {second}, {}", describe_export_filters(change))
        }
        AuditedAction::RevokeLinks => format!("revogou {}{}", describe_links(change), describe_note(change)),
        AuditedAction::AddHost => format!("acrescentou o host {first}"),
        AuditedAction::RemoveHost => format!("retirou o host {first}"),
        AuditedAction::CreateMirror => format!("criou a associação como espelho de {first}"),
        AuditedAction::MirrorRecords => {
            format!("espelhou {}", format_quantity(first, "registro", "registros"))
        }
        AuditedAction::MirrorRegisters => {
            format!("espelhou {}", format_quantity(first, "cadastro", "cadastros"))
        }
        AuditedAction::MirrorUsers => {
            let users = format_quantity(first, "usuário citado", "usuários citados");
            format!("registrou {users} na origem")
        }
        AuditedAction::RetireLeads => {
            let leads = format_quantity(first, "lead que saiu", "leads que saíram");
            format!("desativou {leads} da origem")
        }
        AuditedAction::RestoreDatabase => {
            "registrou que o banco de dados voltou a um estado anterior e encerrou todas as sessões"
                .to_owned()
        }
        _ => wire::audit::describe_change(change),
    })
}

/// `1 linha`, `5 linhas`
fn format_quantity(count: &str, one: &str, many: &str) -> String {
    format!("{count} {}", if count == "1" { one } else { many })
}

/// In parentheses after the record: the fields, what else matters, and the reason.
fn describe_note(change: &AuditedChange) -> String {
    let detail = match change.action {
        AuditedAction::AttachFile | AuditedAction::RemoveFile | AuditedAction::RestoreFile => {
            describe_file_owner(change)
        }
        AuditedAction::UndoImport
        | AuditedAction::UndoImportUpdate
        | AuditedAction::UndoDependentImport
        | AuditedAction::UndoDependentUpdate => "importação desfeita".to_owned(),
        AuditedAction::ReceiveImport => format_quantity(argument(change, 0), "linha", "linhas"),
        AuditedAction::StopImport => "já não acessa o sistema".to_owned(),
        AuditedAction::DiscardImport => "sem ter sido iniciada, para dar lugar a outra".to_owned(),
        AuditedAction::AcceptPassword => "falta o código".to_owned(),
        AuditedAction::ThrottleAccount => "tentativas demais na conta".to_owned(),
        AuditedAction::ThrottleAddress => "tentativas demais do endereço".to_owned(),
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
    /// A document, by a link that needs no credential.
    DocumentLink,
}

pub fn classify_access(operation: &str) -> RecordAccessKind {
    if operation == AuditedOperation::ValidateBenefit.name() {
        return RecordAccessKind::OpenValidation;
    }
    if operation == AuditedOperation::OpenDocumentLink.name() {
        return RecordAccessKind::DocumentLink;
    }
    if operation.contains('{') { RecordAccessKind::SingleRecord } else { RecordAccessKind::RecordList }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: &AuditedChange) -> (String, Option<String>) {
        let deed = describe_change(change, Some(PersonCode::new(8)));
        let gap = if deed.thing.is_empty() { "" } else { " " };
        (format!("{}{gap}{}{}", deed.before, deed.thing, deed.after), deed.link)
    }

    #[test]
    fn what_was_done_is_said_as_people_say_it() {
        use AuditedRecordKind as Kind;
        let benefit = |action| AuditedChange::new(action, Kind::Benefit, 7);
        let user = |action| AuditedChange::new(action, Kind::User, 3);
        let plan = |action| AuditedChange::new(action, Kind::Register("plano".into()), 5);
        let import = |action| AuditedChange::new(action, Kind::Import, 7);
        let receiver = |action| AuditedChange::new(action, Kind::Receiver, 3);
        let file = AuditedChange::new(AuditedAction::AttachFile, Kind::File, 12);
        for (change, expected, link) in [
            (benefit(AuditedAction::Cancel), "cancelou o benefício 7", Some("/beneficios/7")),
            (
                AuditedChange::new(AuditedAction::RefundCredit, Kind::CreditReceipt, 9).with_argument(5000),
                "registrou a devolução de R$ 50,00 no crédito 9",
                Some("/financeiro/creditos?pessoa=8"),
            ),
            (
                benefit(AuditedAction::RemoveItem).with_argument(3),
                "retirou o item 3 do benefício 7",
                Some("/beneficios/7"),
            ),
            (
                benefit(AuditedAction::CreateFromDeal).with_argument(5),
                "criou o benefício 7 a partir do negócio 5",
                Some("/beneficios/7"),
            ),
            (
                benefit(AuditedAction::ChangeSituation),
                "mudou a situação do benefício 7",
                Some("/beneficios/7"),
            ),
            (
                AuditedChange::new(AuditedAction::ChangeSituation, Kind::Inspection, 4)
                    .with_argument("APROVADA"),
                "passou a vistoria 4 para APROVADA",
                Some("/vistorias/4"),
            ),
            (
                AuditedChange::new(AuditedAction::Annotate, Kind::Ticket, 9),
                "escreveu uma anotação no chamado 9",
                Some("/help-desk/9"),
            ),
            (
                user(AuditedAction::EndSessions).with_reason(Some("saiu de férias")),
                "encerrou as sessões do usuário 3 (saiu de férias)",
                Some("/usuarios/3"),
            ),
            (
                user(AuditedAction::ThrottleAccount),
                "foi impedido de entrar como o usuário 3 (tentativas demais na conta)",
                Some("/usuarios/3"),
            ),
            (plan(AuditedAction::Create), "cadastrou o plano 5", Some("/cadastros/plano/5")),
            (
                plan(AuditedAction::Change).with_fields(["nome", "valor"]),
                "alterou o plano 5 (nome, valor)",
                Some("/cadastros/plano/5"),
            ),
            (
                import(AuditedAction::ReceiveImport).with_argument(5),
                "enviou o arquivo da importação 7 (5 linhas)",
                Some("/importar/7"),
            ),
            (import(AuditedAction::BeginImportUndo), "mandou desfazer a importação 7", Some("/importar/7")),
            (
                AuditedChange::new(AuditedAction::Change, Kind::Tenant, 1).with_fields(["nome"]),
                "alterou os dados da associação (nome)",
                None,
            ),
            (
                receiver(AuditedAction::ReplayDeliveries).with_argument(12),
                "reenviou 12 entregas do receptor 3",
                Some("/gatilhos"),
            ),
            (receiver(AuditedAction::RotateSecret), "trocou o segredo do receptor 3", Some("/gatilhos")),
            (
                file.with_argument(Kind::Claim.name()).with_argument(7),
                "anexou o arquivo 12 (no evento 7)",
                Some("/arquivos/12"),
            ),
            (AuditedChange::new(AuditedAction::Change, Kind::Member, 5), "alterou o cadastro", None),
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
