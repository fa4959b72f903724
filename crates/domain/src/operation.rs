//! The operations that the audit and the access log name.

use crate::CaseKind;

macro_rules! operations {
    ($($operation:ident = $name:literal),* $(,)?) => {
        /// An operation of the API or the console, a command, or work of the server itself.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AuditedOperation {
            $($operation,)*
            /// An operation on cases of one kind.
            Case(CaseKind, CaseOperation),
            /// An operation of a register, as its description names it.
            Register(&'static str),
        }

        impl AuditedOperation {
            /// The operations that are neither of a case nor of a register.
            pub const FIXED: &[AuditedOperation] = &[$(AuditedOperation::$operation),*];

            /// The name stored in the database: method and route, or the command. It never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(AuditedOperation::$operation => $name,)*
                    AuditedOperation::Case(kind, operation) => operation.name_for(kind),
                    AuditedOperation::Register(name) => name,
                }
            }
        }
    };
}

operations!(
    SignInProgram = "POST /ext/autenticacao",
    SearchMembers = "GET /ext/associado",
    SaveMember = "POST /ext/associado",
    ListCreditCards = "GET /ext/associado/{codPessoa}/cartaoCredito",
    SearchBenefits = "GET /ext/beneficio",
    SaveBenefit = "POST /ext/beneficio",
    SaveVehicleBenefit = "POST /ext/beneficio/veicular",
    ListBenefits = "GET /ext/beneficio/lista",
    CancelBenefit = "PUT /ext/beneficio/{codBeneficio}/cancelar",
    ListItems = "GET /ext/beneficio/{codBeneficio}/itens",
    AddItem = "POST /ext/beneficio/{codBeneficio}/itens",
    SaveAdditionalFields = "PUT /ext/beneficio/{codBeneficio}/dadosAdicionais",
    ListEquipment = "GET /ext/beneficio/{codBeneficio}/equipamentos",
    ValidateBenefit = "POST /ext/beneficio/validacao",
    SearchDependents = "GET /ext/beneficio/dependente",
    SaveDependent = "POST /ext/beneficio/dependente",
    ListDependents = "GET /ext/beneficio/{codBeneficio}/dependentes",
    SearchClaims = "GET /ext/evento",
    ReadFullClaim = "GET /ext/evento/{codEvento}",
    SearchTitles = "GET /ext/financeiro/titulo",
    ReadTitle = "GET /ext/financeiro/titulo/{codTitulo}",
    IssueTitle = "POST /ext/financeiro/titulo",
    SettleTitle = "POST /ext/financeiro/titulo/liquidar",
    IssuePixCode = "POST /ext/financeiro/titulo/{codTitulo}/pix",
    SearchSlips = "GET /ext/financeiro/titulo/boleto",
    ReadSlip = "GET /ext/financeiro/titulo/{codTitulo}/boleto",
    IssueSlip = "POST /ext/financeiro/titulo/{codTitulo}/boleto",
    OpenDocumentLink = "GET /documento/{token}",
    SearchLeads = "GET /ext/crm/lead",
    SaveLead = "POST /ext/crm/lead",
    SearchDeals = "GET /ext/crm/negocio",
    ReadDeal = "GET /ext/crm/negocio/{codNegocio}",
    CreateDeal = "POST /ext/crm/negocio",
    UpdateDeal = "PUT /ext/crm/negocio/{codNegocio}",
    CreateDealDependent = "POST /ext/crm/negocio/{codNegocio}/dependente",
    UpdateDealDependent = "PUT /ext/crm/negocio/{codNegocio}/dependente/{codDependente}",
    OpenSession = "POST /gestao/sessao",
    ShowMember = "GET /gestao/associado/{codPessoa}",
    ChangeMember = "PUT /gestao/associado/{codPessoa}",
    ShowMemberHistory = "GET /gestao/associado/{codPessoa}/historico",
    ShowBenefit = "GET /gestao/beneficio/{codBeneficio}",
    ChangeBenefit = "PUT /gestao/beneficio/{codBeneficio}",
    ChangeBenefitSituation = "PUT /gestao/beneficio/{codBeneficio}/situacao",
    ChangeItem = "PUT /gestao/beneficio/{codBeneficio}/itens/{codItem}",
    ShowBenefitHistory = "GET /gestao/beneficio/{codBeneficio}/historico",
    ListBenefitDiscounts = "GET /gestao/financeiro/beneficio/{codBeneficio}/desconto",
    GrantBenefitDiscount = "POST /gestao/financeiro/beneficio/{codBeneficio}/desconto",
    EndBenefitDiscount = "PUT /gestao/financeiro/beneficio/{codBeneficio}/desconto/{codConcessao}/encerrar",
    MoveToPriceTable = "POST /gestao/financeiro/valorCombinado/tabela",
    IssueTitles = "POST /gestao/financeiro/titulo",
    ReceivePayment = "POST /gestao/financeiro/titulo/{codTitulo}/receber",
    CancelTitle = "PUT /gestao/financeiro/titulo/{codTitulo}/cancelar",
    UseCredit = "POST /gestao/financeiro/titulo/{codTitulo}/usarCredito",
    ReleaseTitle = "PUT /gestao/financeiro/titulo/{codTitulo}/liberar",
    ChangeTitleDueDay = "PUT /gestao/financeiro/titulo/{codTitulo}/vencimento",
    ListPendingCharges = "GET /gestao/financeiro/lancamento",
    AddPendingCharge = "POST /gestao/financeiro/lancamento",
    IssuePendingCharge = "POST /gestao/financeiro/lancamento/{codLancamento}/emitir",
    CancelPendingCharge = "PUT /gestao/financeiro/lancamento/{codLancamento}/cancelar",
    ReverseSettlement = "PUT /gestao/financeiro/liquidacao/{codLiquidacao}/estornar",
    ListCredits = "GET /gestao/financeiro/credito",
    ReceiveCredit = "POST /gestao/financeiro/credito",
    RefundCredit = "POST /gestao/financeiro/credito/devolver",
    ReverseCreditReceipt = "PUT /gestao/financeiro/credito/{codCredito}/estornar",
    ShowMemberBalance = "GET /gestao/financeiro/associado/{codPessoa}",
    ClosePeriod = "POST /gestao/financeiro/periodo/fechar",
    ReopenPeriod = "POST /gestao/financeiro/periodo/reabrir",
    PrepareChargingRun = "POST /gestao/financeiro/cobranca",
    ApproveChargingRun = "PUT /gestao/financeiro/cobranca/{codCobranca}/aprovar",
    DiscardChargingRun = "PUT /gestao/financeiro/cobranca/{codCobranca}/descartar",
    UndoChargingRun = "PUT /gestao/financeiro/cobranca/{codCobranca}/desfazer",
    ListRunBenefits = "GET /gestao/financeiro/cobranca/{codCobranca}/beneficio",
    ListRevisions = "GET /gestao/financeiro/revisao",
    ShowRevision = "GET /gestao/financeiro/revisao/{codBeneficio}",
    ReviseTitles = "PUT /gestao/financeiro/revisao/{codBeneficio}/aplicar",
    DismissRevision = "PUT /gestao/financeiro/revisao/{codBeneficio}/manter",
    ListOverdueCases = "GET /gestao/atrasados",
    ListDeals = "GET /gestao/negocio",
    ShowDealBoard = "GET /gestao/negocio/quadro",
    ShowDeal = "GET /gestao/negocio/{codNegocio}",
    ShowDealHistory = "GET /gestao/negocio/{codNegocio}/historico",
    MoveDeal = "PUT /gestao/negocio/{codNegocio}/etapa",
    WinDeal = "PUT /gestao/negocio/{codNegocio}/ganhar",
    LoseDeal = "PUT /gestao/negocio/{codNegocio}/perder",
    ReopenDeal = "PUT /gestao/negocio/{codNegocio}/reabrir",
    ListLeads = "GET /gestao/lead",
    ShowLead = "GET /gestao/lead/{codLead}",
    ChangeLead = "PUT /gestao/lead/{codLead}",
    ReadHistoryFeed = "GET /gestao/historico",
    ListDeliveries = "GET /gestao/entrega",
    ReplayDeliveries = "POST /gestao/entrega/reenviar",
    CreateReceiver = "POST /gestao/receptor",
    ChangeReceiver = "PUT /gestao/receptor/{codReceptor}",
    PauseReceiver = "POST /gestao/receptor/{codReceptor}/pausar",
    ResumeReceiver = "POST /gestao/receptor/{codReceptor}/retomar",
    RotateReceiverSecret = "POST /gestao/receptor/{codReceptor}/segredo",
    TestReceiver = "POST /gestao/receptor/{codReceptor}/teste",
    ShowFile = "GET /gestao/arquivo/{codArquivo}",
    DownloadFile = "GET /gestao/arquivo/{codArquivo}/conteudo",
    PreviewFile = "GET /gestao/arquivo/{codArquivo}/miniatura",
    RemoveFile = "PUT /gestao/arquivo/{codArquivo}/remover",
    RestoreFile = "PUT /gestao/arquivo/{codArquivo}/restaurar",
    ListClaimFiles = "GET /gestao/evento/{codEvento}/arquivos",
    AttachClaimFile = "POST /gestao/evento/{codEvento}/arquivos",
    ListInspectionFiles = "GET /gestao/vistoria/{codVistoria}/arquivos",
    AttachInspectionFile = "POST /gestao/vistoria/{codVistoria}/arquivos",
    ListTicketFiles = "GET /gestao/helpDesk/{codHelpDesk}/arquivos",
    AttachTicketFile = "POST /gestao/helpDesk/{codHelpDesk}/arquivos",
    ListMemberFiles = "GET /gestao/associado/{codPessoa}/arquivos",
    AttachMemberFile = "POST /gestao/associado/{codPessoa}/arquivos",
    ChangeTenant = "PUT /gestao/base",
    CreateUser = "POST /gestao/usuario",
    ChangeUser = "PUT /gestao/usuario/{codUsuario}",
    SendUserPassword = "POST /gestao/usuario/{codUsuario}/senha",
    EndUserSessions = "POST /gestao/usuario/{codUsuario}/encerrarSessoes",
    ReceiveImport = "POST /gestao/importacao",
    RunImport = "POST /gestao/importacao/{codImportacao}/iniciar",
    UndoImport = "POST /gestao/importacao/{codImportacao}/desfazer",
    DownloadImportErrors = "GET /gestao/importacao/{codImportacao}/arquivoErros",
    ExportList = "GET /gestao/exportacao",
    BrowseMembers = "GET /console/associados",
    OpenMemberForm = "GET /console/associados/novo",
    BrowseBenefits = "GET /console/beneficios",
    SearchEverything = "GET /console/busca",
    SignInToConsole = "POST /console/entrar",
    SubmitSignInCode = "POST /console/entrar/codigo",
    ChangeOwnPassword = "POST /console/conta/senha",
    ManageOwnSecondFactor = "POST /console/conta/segundo-fator",
    RemoveSecondFactor = "POST /console/usuarios/{codUsuario}/segundo-fator",
    CompleteSetup = "POST /console/comecar/{codigo}",
    RequestPasswordLink = "POST /senha/esqueci",
    UsePasswordLink = "POST /senha/nova/{codigo}",
    UserCreateCommand = "amparo user create",
    UserDisableCommand = "amparo user disable",
    UserResetCommand = "amparo user reset",
    UserLogoutCommand = "amparo user logout",
    HostAddCommand = "amparo tenant host add",
    HostRemoveCommand = "amparo tenant host remove",
    DemoCommand = "amparo demo",
    LoadDemo = "demonstração",
    ExportCommand = "amparo export",
    BringCommand = "amparo bring",
    ScheduleCharging = "cobrança agendada",
    DeliverTriggers = "entrega de gatilhos",
    DetectRestoredDatabase = "banco de dados restaurado",
    MirrorSource = "espelho",
    SecondFactorCommand = "amparo user remove-second-factor",
    KeyReplaceCommand = "amparo key replace",
);

/// What is done with cases of every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseOperation {
    List,
    Show,
    Open,
    Change,
    ChangeSituation,
    Annotate,
    ShowHistory,
}

macro_rules! name_case_operation {
    ($operation:expr, $path:literal, $code:literal) => {
        match $operation {
            CaseOperation::List => concat!("GET /gestao/", $path),
            CaseOperation::Show => concat!("GET /gestao/", $path, "/{", $code, "}"),
            CaseOperation::Open => concat!("POST /gestao/", $path),
            CaseOperation::Change => concat!("PUT /gestao/", $path, "/{", $code, "}"),
            CaseOperation::ChangeSituation => concat!("PUT /gestao/", $path, "/{", $code, "}/situacao"),
            CaseOperation::Annotate => concat!("POST /gestao/", $path, "/{", $code, "}/nota"),
            CaseOperation::ShowHistory => concat!("GET /gestao/", $path, "/{", $code, "}/historico"),
        }
    };
}

impl CaseOperation {
    const fn name_for(self, kind: CaseKind) -> &'static str {
        match kind {
            CaseKind::Claim => name_case_operation!(self, "evento", "codEvento"),
            CaseKind::Inspection => name_case_operation!(self, "vistoria", "codVistoria"),
            CaseKind::Ticket => name_case_operation!(self, "helpDesk", "codHelpDesk"),
            CaseKind::Appointment => name_case_operation!(self, "consulta", "codConsulta"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_has_a_name_of_its_own() {
        let names: BTreeSet<&str> =
            AuditedOperation::FIXED.iter().map(|operation| operation.name()).collect();
        assert_eq!(names.len(), AuditedOperation::FIXED.len());
        let note = AuditedOperation::Case(CaseKind::Ticket, CaseOperation::Annotate);
        assert_eq!(note.name(), "POST /gestao/helpDesk/{codHelpDesk}/nota");
    }
}
