//! The codes that identify records. They count from 1 in each tenant and are int32 on the wire.

use std::fmt;

macro_rules! code {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i32);

        impl $name {
            pub const fn new(code: i32) -> $name {
                $name(code)
            }

            pub const fn get(self) -> i32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

code!(
    /// A tenant: one association on this server (`codClienteSistema`).
    TenantId
);
code!(
    /// A branch of a tenant (`codLoja`).
    BranchCode
);
code!(
    /// A user of a tenant (`codUsuario`).
    UserCode
);
code!(
    /// An entry in the situation history (`codHistorico`): gap-free and in commit order.
    HistoryCode
);

code!(
    /// A situation registered by a tenant (`codSituacao`).
    SituationCode
);
code!(
    /// An attached file (`codArquivo`).
    FileCode
);
code!(
    /// An import run (`codImportacao`).
    ImportCode
);
code!(
    /// A saved filter of a list.
    FilterCode
);
code!(
    /// A plan of a tenant (`codPlano`).
    PlanCode
);
code!(
    /// A type of vehicle (`codTipoVeiculo`).
    VehicleTypeCode
);
code!(
    /// A consultant or representative (`codVendedor`).
    SellerCode
);
code!(
    /// A supplier (`codFornecedor`).
    SupplierCode
);
code!(
    /// An additional field (`codCampo`).
    FieldCode
);
code!(
    /// A person (`codPessoa`).
    PersonCode
);
code!(
    /// A benefit (`codBeneficio`).
    BenefitCode
);

code!(
    /// A current or former plan of a benefit (`codItem`).
    ItemCode
);

code!(
    /// A dependent of a benefit or of a deal (`codDependente`).
    DependentCode
);
code!(
    /// An installation of equipment on a vehicle (`codInstalacao`).
    InstallationCode
);
code!(
    /// A credit card (`codCartao`).
    CreditCardCode
);
code!(
    /// A funnel of the sales board (`codFunil`).
    FunnelCode
);
code!(
    /// A stage of a funnel (`codEtapa`).
    StageCode
);
code!(
    /// A prospective member (`codLead`).
    LeadCode
);
code!(
    /// A deal on the sales board (`codNegocio`).
    DealCode
);
code!(
    /// A claim (`codEvento`).
    ClaimCode
);
code!(
    /// A claim type (`codTipoEvento`).
    ClaimTypeCode
);

code!(
    /// An inspection (`codVistoria`).
    InspectionCode
);
code!(
    /// An inspection type (`codTipoVistoria`).
    InspectionTypeCode
);
code!(
    /// A help desk ticket (`codHelpDesk`).
    TicketCode
);
code!(
    /// A ticket type (`codTipoHelpDesk`).
    TicketTypeCode
);
code!(
    /// A medical appointment (`codConsulta`).
    AppointmentCode
);
code!(
    /// A medical specialty (`codEspecialidade`).
    SpecialtyCode
);
code!(
    /// A clinic (`codClinica`).
    ClinicCode
);
code!(
    /// A doctor (`codMedico`).
    DoctorCode
);
code!(
    /// A tracker owned by the association (`codRastreador`).
    TrackerCode
);

code!(
    /// A receiver of situation-change triggers (`codReceptor`).
    ReceiverCode
);

code!(
    /// A mail of a tenant in the outbox.
    MailCode
);

code!(
    /// A protection group (`grupo`), whose money never mixes with that of another group.
    GroupCode
);
code!(
    /// An item that a title charges or pays: fee, share of losses, add-on.
    ChargeItemCode
);
code!(
    /// A title type (`codTipoTitulo`).
    TitleTypeCode
);
code!(
    /// A form of payment (`codFormaPagamento`).
    PaymentFormCode
);
code!(
    /// A settlement type (`codTipoLiquidacao`).
    SettlementTypeCode
);
code!(
    /// A bank account or cash box (`codConta`, `codCaixa`).
    MoneyAccountCode
);
code!(
    /// A rule for the fine and interest of late payments.
    LateChargeRuleCode
);
code!(
    /// A local bank holiday.
    HolidayCode
);
code!(
    /// A row of the price table.
    PlanPriceCode
);
code!(
    /// A discount of the register of discounts.
    DiscountCode
);
code!(
    /// A discount that a benefit was granted.
    BenefitDiscountCode
);
code!(
    /// A rule of how a month is charged.
    ChargingRuleCode
);
code!(
    /// A title (`codTitulo`): an amount that is owed to or by the association.
    TitleCode
);
code!(
    /// A settlement of a title (`codLiquidacao`).
    SettlementCode
);
code!(
    /// A slip by which a title is paid at a bank (`codBoleto`).
    SlipCode
);
code!(
    /// Money received as credit of a person, or paid back of it (`codCredito`).
    CreditReceiptCode
);
code!(
    /// A line that the next charge takes (`codLancamento`).
    PendingChargeCode
);
code!(
    /// An entry of the ledger.
    LedgerEntryCode
);
code!(
    /// A charging run (`codCobranca`).
    ChargingRunCode
);
code!(
    /// An account of the ledger.
    LedgerAccountCode
);

impl TenantId {
    /// Owner of what belongs to the server and to no tenant: the tenant counter, the server's own jobs.
    pub const SERVER: TenantId = TenantId(0);
}

impl GroupCode {
    /// The book of the association's own income and expenses: a group for every rule of the ledger, but without members.
    pub const ADMINISTRATION: GroupCode = GroupCode(0);
}
