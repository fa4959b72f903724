//! The codes by which records are known. They count from 1 in each tenant and are int32 on the wire.

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
    /// An entry in the history of situations (`codHistorico`): gap-free and in commit order.
    HistoryCode
);

code!(
    /// A situation that a tenant registered (`codSituacao`).
    SituationCode
);
code!(
    /// A file that somebody attached (`codArquivo`).
    FileCode
);
code!(
    /// An import (`codImportacao`).
    ImportCode
);
code!(
    /// A filter that somebody keeps of a list.
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
    /// A plan that a benefit has or had (`codItem`).
    ItemCode
);

code!(
    /// A dependent of a benefit, or of a deal (`codDependente`).
    DependentCode
);
code!(
    /// Something installed on a vehicle (`codInstalacao`).
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
    /// Somebody who may become a member (`codLead`).
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
    /// What a claim may be about (`codTipoEvento`).
    ClaimTypeCode
);

code!(
    /// An inspection (`codVistoria`).
    InspectionCode
);
code!(
    /// What an inspection may be for (`codTipoVistoria`).
    InspectionTypeCode
);
code!(
    /// A ticket of the help desk (`codHelpDesk`).
    TicketCode
);
code!(
    /// What a ticket may be about (`codTipoHelpDesk`).
    TicketTypeCode
);
code!(
    /// A visit to a doctor (`codConsulta`).
    AppointmentCode
);
code!(
    /// What doctors are skilled in (`codEspecialidade`).
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
    /// A piece of equipment of the association (`codRastreador`).
    TrackerCode
);

code!(
    /// Somebody who is told of changes of situation (`codReceptor`).
    ReceiverCode
);

code!(
    /// A mail of a tenant, from the outbox on.
    MailCode
);

impl TenantId {
    /// What belongs to the server and to no association: its counter of tenants, its own jobs.
    pub const SERVER: TenantId = TenantId(0);
}
