//! Audit entries in words, as the API and exported lists show them: `benefício 77 cancelado`.

use domain::{AuditAction, AuditSubject, AuditSubjectKind, AuditedChange};
use std::borrow::Cow;

/// The word for a kind of record.
pub fn name_subject_kind(kind: &AuditSubjectKind) -> &str {
    match kind {
        AuditSubjectKind::Member => "associado",
        AuditSubjectKind::Benefit => "benefício",
        AuditSubjectKind::Claim => "evento",
        AuditSubjectKind::Inspection => "vistoria",
        AuditSubjectKind::Ticket => "chamado",
        AuditSubjectKind::Appointment => "consulta",
        AuditSubjectKind::Deal => "negócio",
        AuditSubjectKind::Lead => "lead",
        AuditSubjectKind::User => "usuário",
        AuditSubjectKind::Receiver => "receptor",
        AuditSubjectKind::File => "arquivo",
        AuditSubjectKind::Import => "importação",
        AuditSubjectKind::Tenant => "base",
        AuditSubjectKind::Register(path) => path,
    }
}

/// The record that has a file, with its preposition: `no evento 7`.
pub fn describe_file_owner(change: &AuditedChange) -> String {
    let kind = AuditSubjectKind::from_name(argument(change, 0)).unwrap_or(AuditSubjectKind::Member);
    let preposition = match kind {
        AuditSubjectKind::Inspection | AuditSubjectKind::Appointment => "na",
        _ => "no",
    };
    format!("{preposition} {} {}", name_subject_kind(&kind), argument(change, 1))
}

/// The filters of an export.
pub fn describe_export_filters(change: &AuditedChange) -> String {
    match change.arguments.get(2..).unwrap_or_default() {
        [] => "sem filtros".to_owned(),
        filters => format!("com os filtros {}", filters.join(", ")),
    }
}

/// An argument of the action; empty if an entry lacks it.
pub fn argument(change: &AuditedChange, position: usize) -> &str {
    change.arguments.get(position).map_or("", String::as_str)
}

/// A whole entry in words.
pub fn describe_change(change: &AuditedChange) -> String {
    let Some(AuditSubject { kind, code }) = &change.subject else { return describe_action(change) };
    let word = name_subject_kind(kind);
    match (kind, change.action) {
        (AuditSubjectKind::Member, _) => describe_action(change),
        (AuditSubjectKind::Tenant, AuditAction::Change) => {
            format!("base alterada: {}", change.fields.join(", "))
        }
        (AuditSubjectKind::Register(_), AuditAction::Create) => format!("{word} {code}: cadastro"),
        (AuditSubjectKind::Register(_), AuditAction::Change) => {
            format!("{word} {code}: {}", change.fields.join(", "))
        }
        (_, AuditAction::RotateSecret) => append_reason(format!("segredo do {word} {code} trocado"), change),
        (_, AuditAction::ReplayDeliveries) => {
            format!("{} entregas do {word} {code} reenviadas", argument(change, 0))
        }
        (_, AuditAction::DownloadImportErrors) => format!("{word} {code}: arquivo de erros baixado"),
        _ => format!("{word} {code} {}", describe_action(change)),
    }
}

/// The action, with the fields, the arguments and the reason.
fn describe_action(change: &AuditedChange) -> String {
    let first = argument(change, 0);
    let is_of_deal = change.subject.as_ref().is_some_and(|subject| subject.kind == AuditSubjectKind::Deal);
    let text: Cow<'static, str> = match change.action {
        AuditAction::Create => "criado".into(),
        AuditAction::CreateFromDeal => format!("criado do negócio {first}").into(),
        AuditAction::Open => "aberto".into(),
        AuditAction::Change if change.fields.is_empty() => "alterado".into(),
        AuditAction::Change => format!("alterado: {}", change.fields.join(", ")).into(),
        AuditAction::Cancel => "cancelado".into(),
        AuditAction::Reactivate => "reativado".into(),
        AuditAction::ChangeSituation if first.is_empty() => "mudou de situação".into(),
        AuditAction::ChangeSituation => format!("passou a {first}").into(),
        AuditAction::Annotate => "anotado".into(),
        AuditAction::AddItem => format!("alterado: plano {first} incluído").into(),
        AuditAction::ChangeItem => format!("alterado: item {first} alterado").into(),
        AuditAction::RemoveItem => format!("alterado: item {first} retirado").into(),
        AuditAction::ChangeAdditionalFields => "alterado: dados adicionais".into(),
        AuditAction::CreateDependent if is_of_deal => format!("dependente {first} criado").into(),
        AuditAction::CreateDependent => format!("alterado: dependente {first} criado").into(),
        AuditAction::ChangeDependent if is_of_deal => format!("dependente {first} alterado").into(),
        AuditAction::ChangeDependent => format!("alterado: dependente {first} alterado").into(),
        AuditAction::UndoDependentImport => {
            format!("alterado: dependente {first} removido, importação desfeita").into()
        }
        AuditAction::UndoDependentUpdate => {
            format!("alterado: dependente {first} alterado, importação desfeita").into()
        }
        AuditAction::UndoImport => "removido: importação desfeita".into(),
        AuditAction::UndoImportUpdate => "alterado: importação desfeita".into(),
        AuditAction::AttachFile => return describe_file_change("anexado", change),
        AuditAction::RemoveFile => return describe_file_change("removido", change),
        AuditAction::RestoreFile => return describe_file_change("restaurado", change),
        AuditAction::ChangeStage => "mudou de etapa".into(),
        AuditAction::WinDeal => "ganho".into(),
        AuditAction::LoseDeal => "perdido".into(),
        AuditAction::ReopenDeal => "reaberto".into(),
        AuditAction::PauseReceiver => "pausado".into(),
        AuditAction::ResumeReceiver => "retomado".into(),
        AuditAction::TestReceiver => "testado".into(),
        AuditAction::MoveReceiver => "alterado, para outro servidor, com segredo novo".into(),
        AuditAction::RotateSecret => "segredo trocado".into(),
        AuditAction::ReplayDeliveries => format!("{first} entregas reenviadas").into(),
        AuditAction::ReceiveImport => format!("recebida, com {first} linhas").into(),
        AuditAction::DiscardImport => "descartada, sem ter sido iniciada, para dar lugar a outra".into(),
        AuditAction::MapColumns => "colunas mapeadas".into(),
        AuditAction::BeginImportCheck => "conferência iniciada".into(),
        AuditAction::FinishImportCheck => "conferida".into(),
        AuditAction::BeginImport => "iniciada".into(),
        AuditAction::PauseImport => "pausada".into(),
        AuditAction::ResumeImport => "retomada".into(),
        AuditAction::StopImport => "parada: o usuário já não acessa o sistema".into(),
        AuditAction::FinishImport => "concluída".into(),
        AuditAction::BeginImportUndo => "desfazer iniciado".into(),
        AuditAction::FinishImportUndo => "desfeita".into(),
        AuditAction::DownloadImportErrors => "arquivo de erros baixado".into(),
        AuditAction::BeginExport => {
            let format = argument(change, 1);
            format!("exportou a lista {first} em {format}, {}", describe_export_filters(change)).into()
        }
        AuditAction::FinishExport => {
            format!("terminou de exportar a lista {first}, com {} linhas", argument(change, 1)).into()
        }
        AuditAction::StopExport => {
            format!("parou de exportar a lista {first}, com {} linhas", argument(change, 1)).into()
        }
        AuditAction::ExportTenant => "exportou a associação inteira".into(),
        AuditAction::RestoreTenant => format!("trouxe a associação, exportada em {first}").into(),
        AuditAction::RestoreDatabase => {
            "o banco de dados voltou a um estado anterior: todas as sessões foram encerradas".into()
        }
        AuditAction::AddHost => format!("host {first} acrescentado").into(),
        AuditAction::RemoveHost => format!("host {first} retirado").into(),
        AuditAction::CreateMirror => format!("base criada como espelho de {first}").into(),
        AuditAction::MirrorRecord => "espelhado".into(),
        AuditAction::MirrorRecords => format!("{first} registros espelhados").into(),
        AuditAction::MirrorRegisters => format!("{first} cadastros espelhados").into(),
        AuditAction::MirrorUsers => format!("{first} usuários citados na origem").into(),
        AuditAction::RetireLeads => format!("{first} leads fora de uso na origem").into(),
        AuditAction::RefuseUnknownUser => "tentou entrar com um usuário que não existe".into(),
        AuditAction::ThrottleAccount if change.subject.is_none() => {
            "tentou entrar vezes demais, com tentativas demais na conta".into()
        }
        AuditAction::ThrottleAddress if change.subject.is_none() => {
            "tentou entrar vezes demais, com tentativas demais do endereço".into()
        }
        AuditAction::ThrottleAccount => "teve a entrada bloqueada: tentativas demais na conta".into(),
        AuditAction::ThrottleAddress => "teve a entrada bloqueada: tentativas demais do endereço".into(),
        AuditAction::ReplacePassword => "recebeu outra senha".into(),
        AuditAction::ChangeOwnPassword => "trocou a própria senha".into(),
        AuditAction::ChangePasswordByLink => "trocou a senha por um link".into(),
        AuditAction::SendPasswordLink => "recebeu um link de senha".into(),
        AuditAction::EndSessions => "teve as sessões encerradas".into(),
        AuditAction::EnableSecondFactor => "ligou o segundo fator".into(),
        AuditAction::RemoveSecondFactor => "ficou sem o segundo fator".into(),
        AuditAction::RenewRecoveryCodes => "recebeu novos códigos de recuperação".into(),
        AuditAction::UseRecoveryCode => "usou um código de recuperação".into(),
        AuditAction::SignInToConsole => "entrou no console".into(),
        AuditAction::SignInToConsoleWithCode => "entrou no console com o segundo fator".into(),
        AuditAction::SignInToConsoleWithRecoveryCode => {
            "entrou no console com um código de recuperação".into()
        }
        AuditAction::SignInToApi => "entrou pela API".into(),
        AuditAction::SignInToApiWithCode => "entrou pela API com o segundo fator".into(),
        AuditAction::AcceptPassword => "acertou a senha: falta o código".into(),
        AuditAction::RefuseSignIn => "teve a entrada recusada".into(),
        AuditAction::RefusePassword => "teve a senha recusada".into(),
        AuditAction::RefuseCode => "teve um código recusado".into(),
    };
    append_reason(text.into_owned(), change)
}

fn describe_file_change(done: &str, change: &AuditedChange) -> String {
    let owner = describe_file_owner(change);
    match &change.reason {
        Some(reason) => format!("{done}: {owner}, {reason}"),
        None => format!("{done}: {owner}"),
    }
}

fn append_reason(text: String, change: &AuditedChange) -> String {
    match &change.reason {
        Some(reason) => format!("{text}: {reason}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_put_into_words() {
        let benefit = |action| AuditedChange::new(action, AuditSubjectKind::Benefit, 77);
        let user = |action| AuditedChange::new(action, AuditSubjectKind::User, 3);
        let plan = |action| AuditedChange::new(action, AuditSubjectKind::Register("plano".into()), 5);
        let file = AuditedChange::new(AuditAction::AttachFile, AuditSubjectKind::File, 12);
        let file = file.with_argument(AuditSubjectKind::Claim.name()).with_argument(7);
        let export =
            AuditedChange::from(AuditAction::BeginExport).with_argument("eventos").with_argument("csv");
        for (change, text) in [
            (benefit(AuditAction::Cancel), "benefício 77 cancelado"),
            (
                benefit(AuditAction::Change).with_fields(["valor", "ativo"]),
                "benefício 77 alterado: valor, ativo",
            ),
            (
                benefit(AuditAction::CreateDependent).with_argument(4),
                "benefício 77 alterado: dependente 4 criado",
            ),
            (
                AuditedChange::new(AuditAction::CreateDependent, AuditSubjectKind::Deal, 9).with_argument(4),
                "negócio 9 dependente 4 criado",
            ),
            (AuditedChange::new(AuditAction::Create, AuditSubjectKind::Member, 5), "criado"),
            (plan(AuditAction::Create), "plano 5: cadastro"),
            (plan(AuditAction::Change).with_fields(["nome"]), "plano 5: nome"),
            (plan(AuditAction::UndoImport), "plano 5 removido: importação desfeita"),
            (
                user(AuditAction::EndSessions).with_reason(Some("férias")),
                "usuário 3 teve as sessões encerradas: férias",
            ),
            (file.clone(), "arquivo 12 anexado: no evento 7"),
            (file.with_reason(Some("engano")), "arquivo 12 anexado: no evento 7, engano"),
            (export.clone(), "exportou a lista eventos em csv, sem filtros"),
            (
                export.with_argument("uf=MG").with_argument("nome"),
                "exportou a lista eventos em csv, com os filtros uf=MG, nome",
            ),
            (
                AuditedChange::new(AuditAction::ReplayDeliveries, AuditSubjectKind::Receiver, 3)
                    .with_argument(12),
                "12 entregas do receptor 3 reenviadas",
            ),
        ] {
            assert_eq!(describe_change(&change), text);
        }
    }
}
