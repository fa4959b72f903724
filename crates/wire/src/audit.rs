//! Audit entries in words, as the API and exported lists show them: `benefício 77 cancelado`.

use domain::display;
use domain::{AuditedAction, AuditedChange, AuditedRecord, AuditedRecordKind, LinkPurpose};
use std::borrow::Cow;

/// The word for a kind of record.
pub fn name_subject_kind(kind: &AuditedRecordKind) -> &str {
    match kind {
        AuditedRecordKind::Member => "associado",
        AuditedRecordKind::Benefit => "benefício",
        AuditedRecordKind::Claim => "evento",
        AuditedRecordKind::Inspection => "vistoria",
        AuditedRecordKind::Ticket => "chamado",
        AuditedRecordKind::Appointment => "consulta",
        AuditedRecordKind::Deal => "negócio",
        AuditedRecordKind::Lead => "lead",
        AuditedRecordKind::Title => "título",
        AuditedRecordKind::ChargingRun => "cobrança",
        AuditedRecordKind::PendingCharge => "lançamento",
        AuditedRecordKind::CreditReceipt => "crédito",
        AuditedRecordKind::OpeningBalance => "saldo inicial",
        AuditedRecordKind::User => "usuário",
        AuditedRecordKind::Receiver => "receptor",
        AuditedRecordKind::File => "arquivo",
        AuditedRecordKind::Import => "importação",
        AuditedRecordKind::Tenant => "base",
        AuditedRecordKind::Register(path) => path,
    }
}

/// The record that has a file, with its preposition: `no evento 7`.
pub fn describe_file_owner(change: &AuditedChange) -> String {
    let kind = AuditedRecordKind::from_name(argument(change, 0)).unwrap_or(AuditedRecordKind::Member);
    let preposition = match kind {
        AuditedRecordKind::Inspection | AuditedRecordKind::Appointment => "na",
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
    let Some(AuditedRecord { kind, code }) = &change.subject else { return describe_action(change) };
    let word = name_subject_kind(kind);
    match (kind, change.action) {
        (AuditedRecordKind::Member, _) => describe_action(change),
        (AuditedRecordKind::Tenant, AuditedAction::Change) => {
            format!("base alterada: {}", change.fields.join(", "))
        }
        (AuditedRecordKind::Register(_), AuditedAction::Create) => format!("{word} {code}: cadastro"),
        (AuditedRecordKind::Register(_), AuditedAction::Change) => {
            format!("{word} {code}: {}", change.fields.join(", "))
        }
        (_, AuditedAction::RotateSecret) => {
            append_reason(format!("segredo do {word} {code} trocado"), change)
        }
        (_, AuditedAction::ReplayDeliveries) => {
            format!("{} entregas do {word} {code} reenviadas", argument(change, 0))
        }
        (_, AuditedAction::DownloadImportErrors) => format!("{word} {code}: arquivo de erros baixado"),
        _ => format!("{word} {code} {}", describe_action(change)),
    }
}

/// The action, with the fields, the arguments and the reason.
fn describe_action(change: &AuditedChange) -> String {
    let first = argument(change, 0);
    let is_of_deal = change.subject.as_ref().is_some_and(|subject| subject.kind == AuditedRecordKind::Deal);
    let text: Cow<'static, str> = match change.action {
        AuditedAction::Create => "criado".into(),
        AuditedAction::CreateFromDeal => format!("criado do negócio {first}").into(),
        AuditedAction::Open => "aberto".into(),
        AuditedAction::Change if change.fields.is_empty() => "alterado".into(),
        AuditedAction::Change => format!("alterado: {}", change.fields.join(", ")).into(),
        AuditedAction::Cancel => "cancelado".into(),
        AuditedAction::Reactivate => "reativado".into(),
        AuditedAction::ChangeSituation if first.is_empty() => "mudou de situação".into(),
        AuditedAction::ChangeSituation => format!("passou a {first}").into(),
        AuditedAction::Annotate => "anotado".into(),
        AuditedAction::AddItem => format!("alterado: plano {first} incluído").into(),
        AuditedAction::ChangeItem => format!("alterado: item {first} alterado").into(),
        AuditedAction::RemoveItem => format!("alterado: item {first} retirado").into(),
        AuditedAction::ChangeAdditionalFields => "alterado: dados adicionais".into(),
        AuditedAction::CreateDependent if is_of_deal => format!("dependente {first} criado").into(),
        AuditedAction::CreateDependent => format!("alterado: dependente {first} criado").into(),
        AuditedAction::ChangeDependent if is_of_deal => format!("dependente {first} alterado").into(),
        AuditedAction::ChangeDependent => format!("alterado: dependente {first} alterado").into(),
        AuditedAction::UndoDependentImport => {
            format!("alterado: dependente {first} removido, importação desfeita").into()
        }
        AuditedAction::UndoDependentUpdate => {
            format!("alterado: dependente {first} alterado, importação desfeita").into()
        }
        AuditedAction::UndoImport => "removido: importação desfeita".into(),
        AuditedAction::UndoImportUpdate => "alterado: importação desfeita".into(),
        AuditedAction::AttachFile => return describe_file_change("anexado", change),
        AuditedAction::RemoveFile => return describe_file_change("removido", change),
        AuditedAction::RestoreFile => return describe_file_change("restaurado", change),
        AuditedAction::ChangeStage => "mudou de etapa".into(),
        AuditedAction::WinDeal => "ganho".into(),
        AuditedAction::LoseDeal => "perdido".into(),
        AuditedAction::ReopenDeal => "reaberto".into(),
        AuditedAction::Release => "liberado".into(),
        AuditedAction::IssueSlip => {
            format!("teve um boleto emitido: {}", display::format_cents(first)).into()
        }
        AuditedAction::IssuePixCode => {
            format!("teve um código Pix gerado: {}", display::format_cents(first)).into()
        }
        AuditedAction::RevokeLinks => format!("revogado: {}", describe_links(change)).into(),
        AuditedAction::Settle => format!("liquidado: {}", display::format_cents(first)).into(),
        AuditedAction::UseCredit => format!("crédito usado: {}", display::format_cents(first)).into(),
        AuditedAction::ReverseSettlement => format!("liquidação {first} estornada").into(),
        AuditedAction::ReceiveCredit => format!("recebido: {}", display::format_cents(first)).into(),
        AuditedAction::RefundCredit => format!("devolvido: {}", display::format_cents(first)).into(),
        AuditedAction::ReverseCreditReceipt => "estornado".into(),
        AuditedAction::ClosePeriod => format!("meses até {first} fechados").into(),
        AuditedAction::ReopenPeriod => format!("fechamento até {first} desfeito").into(),
        AuditedAction::PrepareChargingRun => format!("preparada para {first}").into(),
        AuditedAction::ApproveChargingRun => "aprovada".into(),
        AuditedAction::DiscardChargingRun => "descartada".into(),
        AuditedAction::UndoChargingRun => "desfeita".into(),
        AuditedAction::ReviseTitles => {
            format!("títulos a vencer revistos: {first} cancelados, {} emitidos", argument(change, 1)).into()
        }
        AuditedAction::KeepTitles => "títulos a vencer mantidos como estavam".into(),
        AuditedAction::GrantDiscount => format!("desconto {first} concedido").into(),
        AuditedAction::EndDiscount => format!("desconto {first} encerrado").into(),
        AuditedAction::MoveToPriceTable => {
            let difference = display::format_cents(argument(change, 1));
            format!(
                "{first} valores combinados levados à tabela de preços, diferença de {difference} por mês"
            )
            .into()
        }
        AuditedAction::PauseReceiver => "pausado".into(),
        AuditedAction::ResumeReceiver => "retomado".into(),
        AuditedAction::TestReceiver => "testado".into(),
        AuditedAction::MoveReceiver => "alterado, para outro servidor, com segredo novo".into(),
        AuditedAction::RotateSecret => "segredo trocado".into(),
        AuditedAction::ReplayDeliveries => format!("{first} entregas reenviadas").into(),
        AuditedAction::ReceiveImport => format!("recebida, com {first} linhas").into(),
        AuditedAction::DiscardImport => "descartada, sem ter sido iniciada, para dar lugar a outra".into(),
        AuditedAction::MapColumns => "colunas mapeadas".into(),
        AuditedAction::BeginImportCheck => "conferência iniciada".into(),
        AuditedAction::FinishImportCheck => "conferida".into(),
        AuditedAction::BeginImport => "iniciada".into(),
        AuditedAction::PauseImport => "pausada".into(),
        AuditedAction::ResumeImport => "retomada".into(),
        AuditedAction::StopImport => "parada: o usuário já não acessa o sistema".into(),
        AuditedAction::FinishImport => "concluída".into(),
        AuditedAction::BeginImportUndo => "desfazer iniciado".into(),
        AuditedAction::FinishImportUndo => "desfeita".into(),
        AuditedAction::DownloadImportErrors => "arquivo de erros baixado".into(),
        AuditedAction::BeginExport => {
            let format = argument(change, 1);
            format!("exportou a lista {first} em {format}, {}", describe_export_filters(change)).into()
        }
        AuditedAction::FinishExport => {
            format!("terminou de exportar a lista {first}, com {} linhas", argument(change, 1)).into()
        }
        AuditedAction::StopExport => {
            format!("parou de exportar a lista {first}, com {} linhas", argument(change, 1)).into()
        }
        AuditedAction::ExportTenant => "exportou a associação inteira".into(),
        AuditedAction::RestoreTenant => format!("trouxe a associação, exportada em {first}").into(),
        AuditedAction::RestoreDatabase => {
            "o banco de dados voltou a um estado anterior: todas as sessões foram encerradas".into()
        }
        AuditedAction::AddHost => format!("host {first} acrescentado").into(),
        AuditedAction::RemoveHost => format!("host {first} retirado").into(),
        AuditedAction::CreateMirror => format!("base criada como espelho de {first}").into(),
        AuditedAction::MirrorRecord => "espelhado".into(),
        AuditedAction::MirrorRecords => format!("{first} registros espelhados").into(),
        AuditedAction::MirrorRegisters => format!("{first} cadastros espelhados").into(),
        AuditedAction::MirrorUsers => format!("{first} usuários citados na origem").into(),
        AuditedAction::RetireLeads => format!("{first} leads fora de uso na origem").into(),
        AuditedAction::RefuseUnknownUser => "tentou entrar com um usuário que não existe".into(),
        AuditedAction::ThrottleAccount if change.subject.is_none() => {
            "tentou entrar vezes demais, com tentativas demais na conta".into()
        }
        AuditedAction::ThrottleAddress if change.subject.is_none() => {
            "tentou entrar vezes demais, com tentativas demais do endereço".into()
        }
        AuditedAction::ThrottleAccount => "teve a entrada bloqueada: tentativas demais na conta".into(),
        AuditedAction::ThrottleAddress => "teve a entrada bloqueada: tentativas demais do endereço".into(),
        AuditedAction::ReplacePassword => "recebeu outra senha".into(),
        AuditedAction::ChangeOwnPassword => "trocou a própria senha".into(),
        AuditedAction::ChangePasswordByLink => "trocou a senha por um link".into(),
        AuditedAction::SendPasswordLink => "recebeu um link de senha".into(),
        AuditedAction::EndSessions => "teve as sessões encerradas".into(),
        AuditedAction::EnableSecondFactor => "ligou o segundo fator".into(),
        AuditedAction::RemoveSecondFactor => "ficou sem o segundo fator".into(),
        AuditedAction::RenewRecoveryCodes => "recebeu novos códigos de recuperação".into(),
        AuditedAction::UseRecoveryCode => "usou um código de recuperação".into(),
        AuditedAction::SignInToConsole => "entrou no console".into(),
        AuditedAction::SignInToConsoleWithCode => "entrou no console com o segundo fator".into(),
        AuditedAction::SignInToConsoleWithRecoveryCode => {
            "entrou no console com um código de recuperação".into()
        }
        AuditedAction::SignInToApi => "entrou pela API".into(),
        AuditedAction::SignInToApiWithCode => "entrou pela API com o segundo fator".into(),
        AuditedAction::AcceptPassword => "acertou a senha: falta o código".into(),
        AuditedAction::RefuseSignIn => "teve a entrada recusada".into(),
        AuditedAction::RefusePassword => "teve a senha recusada".into(),
        AuditedAction::RefuseCode => "teve um código recusado".into(),
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

/// `2 links do boleto 17`
pub fn describe_links(change: &AuditedChange) -> String {
    let (count, purpose, code) = (argument(change, 0), argument(change, 1), argument(change, 2));
    let links = if count == "1" { "link" } else { "links" };
    match purpose.parse().ok().and_then(LinkPurpose::from_number) {
        Some(LinkPurpose::Slip) => format!("{count} {links} do boleto {code}"),
        None => format!("{count} {links} do documento {code}"),
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
        let benefit = |action| AuditedChange::new(action, AuditedRecordKind::Benefit, 77);
        let user = |action| AuditedChange::new(action, AuditedRecordKind::User, 3);
        let plan = |action| AuditedChange::new(action, AuditedRecordKind::Register("plano".into()), 5);
        let file = AuditedChange::new(AuditedAction::AttachFile, AuditedRecordKind::File, 12);
        let file = file.with_argument(AuditedRecordKind::Claim.name()).with_argument(7);
        let export =
            AuditedChange::from(AuditedAction::BeginExport).with_argument("eventos").with_argument("csv");
        for (change, text) in [
            (benefit(AuditedAction::Cancel), "benefício 77 cancelado"),
            (
                benefit(AuditedAction::Change).with_fields(["valor", "ativo"]),
                "benefício 77 alterado: valor, ativo",
            ),
            (
                benefit(AuditedAction::CreateDependent).with_argument(4),
                "benefício 77 alterado: dependente 4 criado",
            ),
            (
                AuditedChange::new(AuditedAction::CreateDependent, AuditedRecordKind::Deal, 9)
                    .with_argument(4),
                "negócio 9 dependente 4 criado",
            ),
            (AuditedChange::new(AuditedAction::Create, AuditedRecordKind::Member, 5), "criado"),
            (plan(AuditedAction::Create), "plano 5: cadastro"),
            (plan(AuditedAction::Change).with_fields(["nome"]), "plano 5: nome"),
            (plan(AuditedAction::UndoImport), "plano 5 removido: importação desfeita"),
            (
                user(AuditedAction::EndSessions).with_reason(Some("férias")),
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
                AuditedChange::new(AuditedAction::ReplayDeliveries, AuditedRecordKind::Receiver, 3)
                    .with_argument(12),
                "12 entregas do receptor 3 reenviadas",
            ),
        ] {
            assert_eq!(describe_change(&change), text);
        }
    }
}
