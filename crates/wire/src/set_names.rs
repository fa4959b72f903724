//! The external names of the fixed sets, one table each.

use domain::finance::{
    ChargeSource, ChargingRunState, CreditMovementKind, LaunchKind, LedgerAccountKind, LedgerEntryKind,
    LegalNature, NotChargedReason, PendingChargeSituation, PendingChargeSource, PriceSource, TitleSituation,
};
use domain::{
    BenefitKind, ChangeOrigin, CivilState, DealState, DeliveryState, Entity, FieldKind, Fuel, ImportState,
    Involved, Kinship, MoneyRight, Nature, PhoneKind, Priority, Role, SellerKind, Sex, Sheet, SituationKind,
    VehicleCategory, fold_text,
};

/// A set whose members callers name, exactly as in its table.
pub trait NamedSet: Copy + 'static {
    const NAMES: &'static [(&'static str, Self)];
    /// Names that are taken too, but never given out.
    const OTHER_NAMES: &'static [(&'static str, Self)] = &[];
    /// Texts that say that no member is known, whatever their case and accents. They leave the field as it is.
    const UNKNOWN: &'static [&'static str] = &[];

    fn from_name(text: &str) -> Option<Self> {
        Self::NAMES.iter().chain(Self::OTHER_NAMES).find(|(name, _)| *name == text).map(|(_, member)| *member)
    }

    fn is_unknown(text: &str) -> bool {
        Self::UNKNOWN.iter().any(|name| fold_text(name) == fold_text(text))
    }
}

/// Programs take the letters from the member search, and write the other texts where they do not know the sex.
impl NamedSet for Sex {
    const NAMES: &'static [(&'static str, Sex)] = &[("Feminino", Sex::Female), ("Masculino", Sex::Male)];
    const OTHER_NAMES: &'static [(&'static str, Sex)] = &[("F", Sex::Female), ("M", Sex::Male)];
    const UNKNOWN: &'static [&'static str] = &["Outro", "Não informado"];
}

/// Defines a function that returns the name of a member; with `read`, the names are also accepted as input
/// ([`NamedSet`]).
macro_rules! names {
    ($($(#[$meta:meta])* $function:ident: $set:ident { $($member:ident = $name:literal),+ $(,)? })+) => {
        $($(#[$meta])*
        pub const fn $function(member: $set) -> &'static str {
            match member {
                $($set::$member => $name),+
            }
        })+
    };
    (read $($(#[$meta:meta])* $function:ident: $set:ident { $($member:ident = $name:literal),+ $(,)? })+) => {
        names! { $($(#[$meta])* $function: $set { $($member = $name),+ })+ }
        $(impl NamedSet for $set {
            const NAMES: &'static [(&'static str, $set)] = &[$(($name, $set::$member)),+];
        })+
    };
}

/// `situacao` of open titles whose effective due day has passed; only a filter.
pub const OVERDUE: &str = "Vencido";

/// `tipo` of a title in a list.
pub const fn launch_kind_label(kind: LaunchKind) -> &'static str {
    match kind {
        LaunchKind::Credit => "Crédito",
        LaunchKind::Debit => "Débito",
        LaunchKind::CostSharing => "Rateio",
    }
}

names! {
    /// `situacao` of a charging run.
    charging_run_state: ChargingRunState {
        Preparing = "PREPARANDO",
        Prepared = "PREPARADA",
        Issuing = "EMITINDO",
        Issued = "EMITIDA",
        Undoing = "DESFAZENDO",
        Undone = "DESFEITA",
        Discarded = "DESCARTADA",
    }

    /// `origem` of a line of a charge.
    charge_source: ChargeSource {
        Contribution = "CONTRIBUICAO",
        AddOn = "ADICIONAL",
        JoiningFee = "ADESAO",
        PendingCharge = "AVULSO",
        Discount = "DESCONTO",
    }

    /// `origemValor` of a line of a charge.
    price_source: PriceSource { Agreed = "COMBINADO", PriceTable = "TABELA", Plan = "PLANO" }

    /// What a price of this source is called.
    price_source_label: PriceSource {
        Agreed = "valor combinado",
        PriceTable = "tabela de preços",
        Plan = "valor do plano",
    }

    /// `natureza` of a line of a charge.
    legal_nature: LegalNature {
        Indemnity = "INDENIZACAO",
        Refund = "REEMBOLSO",
        Administration = "ADMINISTRACAO",
        Operation = "OPERACAO",
    }

    /// What a legal nature is called.
    legal_nature_label: LegalNature {
        Indemnity = "Indenizações e despesas de eventos",
        Refund = "Reembolso de despesas adiantadas",
        Administration = "Taxa de administração",
        Operation = "Outras despesas da operação",
    }

    /// What the accounts of a kind are called.
    ledger_account_label: LedgerAccountKind {
        Receivable = "A receber",
        Cash = "Caixa e bancos",
        Income = "Receita",
        OwedToAdministrator = "A repassar à administração",
        LateCharges = "Encargos por atraso",
        Discount = "Desconto",
        MemberCredit = "Créditos de associados",
        Payable = "A pagar",
        Expense = "Despesa",
        OpeningBalance = "Saldo de abertura",
    }

    /// `origem` of a line of the books.
    ledger_entry_kind: LedgerEntryKind {
        TitleIssue = "EMISSAO",
        TitleCancellation = "CANCELAMENTO",
        Receipt = "LIQUIDACAO",
        ReceiptReversal = "ESTORNO",
        CreditUse = "USO_DE_CREDITO",
        CreditReceipt = "CREDITO_RECEBIDO",
        CreditRefund = "CREDITO_DEVOLVIDO",
        CreditReversal = "ESTORNO_DE_CREDITO",
        OpeningBalance = "SALDO_DE_ABERTURA",
        OpeningBalanceReversal = "ESTORNO_DE_ABERTURA",
    }

    /// `tipo` of a movement of a person's credit.
    credit_movement_kind: CreditMovementKind {
        Receipt = "RECEBIDO",
        Refund = "DEVOLVIDO",
        Excess = "SOBRA",
        TitlePayment = "USADO",
        OpeningBalance = "SALDO_INICIAL",
    }
}

names! { read
    /// `situacao` of a line that the next charge takes.
    pending_charge_situation: PendingChargeSituation {
        Waiting = "AGUARDANDO",
        Charged = "COBRADO",
        Cancelled = "CANCELADO",
        Waived = "DISPENSADO",
    }

    /// `perfil` of a user.
    role: Role { Administrator = "administrador", Operator = "operador", Integration = "integracao" }

    /// A member of `permissoesFinanceiras` of a user.
    money_right: MoneyRight {
        SeeMoney = "VER",
        SettleTitles = "LIQUIDAR",
        ApproveRuns = "APROVAR",
        ClosePeriods = "FECHAR",
    }

    /// `natureza` of a person.
    nature: Nature { Natural = "F", Legal = "J" }

    /// `tipo` of a telephone.
    phone_kind: PhoneKind { Landline = "Fixo", Mobile = "Celular" }

    /// `estadoCivil` of a person.
    civil_state: CivilState {
        Single = "SOLTEIRO",
        Married = "CASADO",
        Widowed = "VIUVO",
        Separated = "SEPARADO",
        Divorced = "DIVORCIADO",
        StableUnion = "UNIAO ESTAVEL",
        Other = "OUTROS",
    }

    /// `categoria` of a vehicle.
    category: VehicleCategory {
        Bicycle = "BICICLETA",
        Truck = "CAMINHAO",
        Light = "LEVE",
        Motorcycle = "MOTOCICLETA",
        Pickup = "PICKUP",
        Utility = "UTILITARIO",
        Bus = "ONIBUS",
        Other = "OUTRO",
    }

    /// `combustivel` of a vehicle.
    fuel: Fuel {
        Petrol = "GASOLINA",
        Ethanol = "ETANOL",
        Flex = "FLEX",
        Diesel = "DIESEL",
        NaturalGas = "GNV",
        Electric = "ELETRICO",
        Other = "OUTRO",
    }

    /// `tipoBeneficio` in the operations.
    benefit_kind: BenefitKind {
        Vehicle = "VEICULAR",
        Health = "SAUDE",
        Miscellaneous = "DIVERSOS",
        Consortium = "CONSORCIO",
        Assistance = "A24H",
    }

    /// `parentesco` of a dependent.
    kinship: Kinship {
        Spouse = "CONJUGE",
        Father = "PAI",
        Child = "FILHO",
        Sibling = "IRMAO",
        Grandparent = "AVO",
        Uncle = "TIO",
        Nephew = "SOBRINHO",
        Cousin = "PRIMO",
        Grandchild = "NETO",
        ParentInLaw = "SOGRO",
        Other = "OUTRO",
        Dog = "PET_CANINO",
        Cat = "PET_FELINO",
        OtherPet = "PET_OUTROS",
        SiblingInLaw = "CUNHADO",
        ChildInLaw = "GENRO",
        Stepchild = "ENTEADO",
        Stepfather = "PADRASTO",
    }

    /// `situacao` of a deal.
    deal_state: DealState { Open = "Aberto", Won = "Ganho", Lost = "Perdido" }

    /// `formato` of an export.
    sheet: Sheet { Csv = "csv", Xlsx = "xlsx" }

    /// `tipo` of a seller.
    seller_kind: SellerKind { Consultant = "Consultor", Representative = "Representante" }

    /// The state of a delivery.
    delivery_state: DeliveryState { Pending = "pendente", Delivered = "entregue", Exhausted = "esgotada" }

    /// `envolvido` of a claim.
    involved: Involved { Member = "Cliente", ThirdParty = "Terceiro" }

    /// `tipoLancamento` of a title.
    launch_kind: LaunchKind { Credit = "CREDITO", Debit = "DEBITO", CostSharing = "RATEIO" }

    /// `situacao` of a title.
    title_situation: TitleSituation {
        Pending = "PENDENTE",
        Open = "ABERTO",
        Settled = "LIQUIDADO",
        Cancelled = "CANCELADO",
    }

    /// `motivo` of a benefit that a charging run does not charge.
    not_charged_reason: NotChargedReason {
        Left = "SAIU",
        SituationNotCharged = "SITUACAO_NAO_COBRA",
        NoDueDay = "SEM_DIA_DE_VENCIMENTO",
        JoinedAfterCutOff = "ENTROU_DEPOIS_DO_CORTE",
        AlreadyCharged = "JA_COBRADO",
        CoveredByBooklet = "CARNE",
        NoPrice = "SEM_PRECO",
        FullyDiscounted = "DESCONTO_TOTAL",
        ChangedSincePreview = "ALTERADO_DEPOIS_DA_PREVIA",
        NotUsable = "NAO_UTILIZAVEL",
        OneOffChargeGone = "LANCAMENTO_ALTERADO",
        OneOffChargeLeft = "LANCAMENTO_SEM_COBRANCA",
        AddedSincePreview = "INCLUIDO_DEPOIS_DA_PREVIA",
        TitleOutsideRuns = "TITULO_FORA_DA_COBRANCA",
    }

    /// `conta` of the books.
    ledger_account_kind: LedgerAccountKind {
        Receivable = "A_RECEBER",
        Cash = "CAIXA_E_BANCOS",
        Income = "RECEITA",
        OwedToAdministrator = "A_REPASSAR",
        LateCharges = "ATRASO",
        Discount = "DESCONTO",
        MemberCredit = "CREDITO",
        Payable = "A_PAGAR",
        Expense = "DESPESA",
        OpeningBalance = "ABERTURA",
    }

    /// `prioridade` of a claim.
    priority: Priority { Low = "Baixa", Medium = "Média", High = "Alta", Urgent = "Urgente" }

    /// `tipo` of a situation.
    situation_kind: SituationKind {
        Active = "ATIVO",
        Pending = "PENDENTE",
        Suspended = "SUSPENSO",
        Inactive = "INATIVO",
        Cancelled = "CANCELADO",
        Open = "ABERTO",
        Progress = "ANDAMENTO",
        Done = "CONCLUIDO",
    }
}

names! {
    /// `tipo` of an additional field.
    field_kind: FieldKind {
        Text = "Texto",
        Number = "Numero",
        Date = "Data",
        Boolean = "Logico",
        List = "Lista",
    }

    /// `categoria` as the list of vehicle types gives it.
    vehicle_category: VehicleCategory {
        Bicycle = "Bicicleta",
        Truck = "Caminhao",
        Light = "Leve",
        Motorcycle = "Motocicleta",
        Pickup = "Pickup",
        Utility = "Utilitario",
        Bus = "Onibus",
        Other = "Outro",
    }

    /// `estado` of an import.
    import_state: ImportState {
        Reading = "lendo",
        Ready = "lida",
        Checking = "conferindo",
        Checked = "conferida",
        Running = "importando",
        Paused = "pausada",
        Done = "concluida",
        Undoing = "desfazendo",
        Undone = "desfeita",
    }

    /// `origem` in the history, where it is stored.
    change_origin: ChangeOrigin { Request = "API", Import = "importação", Mirror = "espelho" }

    /// `sexo`, everywhere but in the member search.
    sex: Sex { Female = "Feminino", Male = "Masculino" }

    /// `sexo` in the member search.
    sex_letter: Sex { Female = "F", Male = "M" }

    /// `tipoBeneficio` in triggers.
    benefit_kind_in_trigger: BenefitKind {
        Vehicle = "Veicular",
        Health = "Saúde",
        Miscellaneous = "Diversos",
        Consortium = "Consórcio",
        Assistance = "Assistência 24H",
    }

    /// `origem` of a line that the next charge takes.
    pending_charge_source: PendingChargeSource { ByHand = "MANUAL", LateCharges = "MULTA_JUROS" }

    /// An entity in a receiver's subscription, which is also the path of its triggers.
    entity_path: Entity {
        Benefit = "beneficio",
        Claim = "evento",
        Inspection = "vistoria",
        Ticket = "helpDesk",
        Appointment = "consulta",
        Title = "titulo",
    }

    /// `entidade` in triggers.
    entity: Entity {
        Benefit = "Benefício",
        Claim = "Evento",
        Inspection = "Vistoria",
        Ticket = "Help Desk",
        Appointment = "Consulta",
        Title = "Título",
    }
}

/// `nomeTipoLiquidacao` of what a person's credit paid: no settlement type is registered for it.
pub const CREDIT_SETTLEMENT: &str = "Crédito do associado";

/// What settled a title before the association moved in, instead of a settlement type.
pub const OPENING_SETTLEMENT: &str = "Pago no sistema antigo";

/// A flag in a field change and in a cell of an imported workbook.
pub const fn flag(flag: bool) -> &'static str {
    if flag { "sim" } else { "não" }
}

/// Whether an item of a checklist was approved; `None` if it was not inspected.
pub const fn checklist_verdict(fits: Option<bool>) -> &'static str {
    match fits {
        Some(true) => "conforme",
        Some(false) => "não conforme",
        None => "não visto",
    }
}

pub fn parse_entity_path(text: &str) -> Option<Entity> {
    Entity::ALL.into_iter().find(|entity| entity_path(*entity) == text)
}

pub fn parse_role(text: &str) -> Option<Role> {
    Role::from_name(text)
}

pub fn parse_money_right(text: &str) -> Option<MoneyRight> {
    MoneyRight::from_name(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_is_found_by_its_exact_name() {
        fn all<T: NamedSet + PartialEq + std::fmt::Debug>(members: &[T], name: impl Fn(T) -> &'static str) {
            assert_eq!(T::NAMES.len(), members.len());
            for member in members {
                assert_eq!(T::from_name(name(*member)), Some(*member));
                assert_eq!(T::from_name(&format!("{} ", name(*member))), None);
            }
        }
        all(&Role::ALL, role);
        all(&MoneyRight::ALL, money_right);
        all(Nature::ALL, nature);
        all(Sex::ALL, sex);
        all(PhoneKind::ALL, phone_kind);
        all(CivilState::ALL, civil_state);
        all(VehicleCategory::ALL, category);
        all(Fuel::ALL, fuel);
        all(BenefitKind::ALL, benefit_kind);
        all(Kinship::ALL, kinship);
        all(DealState::ALL, deal_state);
        all(SellerKind::ALL, seller_kind);
        all(Sheet::ALL, sheet);
        all(Involved::ALL, involved);
        all(DeliveryState::ALL, delivery_state);
        all(LaunchKind::ALL, launch_kind);
        all(TitleSituation::ALL, title_situation);
        all(PendingChargeSituation::ALL, pending_charge_situation);
        all(NotChargedReason::ALL, not_charged_reason);
        all(LedgerAccountKind::ALL, ledger_account_kind);
        all(Priority::ALL, priority);
        all(&SituationKind::ALL, situation_kind);
        assert_eq!((parse_role("gerente"), Sex::from_name("f"), Fuel::from_name("flex")), (None, None, None));
    }

    #[test]
    fn a_sex_has_its_letter_and_texts_that_say_that_it_is_not_known() {
        assert_eq!((Sex::from_name("F"), Sex::from_name("M")), (Some(Sex::Female), Some(Sex::Male)));
        for unknown in ["Outro", "OUTRO", "Não informado", "nao informado"] {
            assert!(Sex::is_unknown(unknown) && Sex::from_name(unknown).is_none(), "{unknown}");
        }
        for other in ["F", "Feminino", "feminino", "X", "Outros"] {
            assert!(!Sex::is_unknown(other), "{other}");
        }
        assert!(!Fuel::is_unknown("") && !Fuel::is_unknown("OUTRO"));
    }

    #[test]
    fn one_thing_has_two_names_where_the_interface_gives_it_two() {
        assert_eq!((sex(Sex::Female), sex_letter(Sex::Female)), ("Feminino", "F"));
        let bus = VehicleCategory::Bus;
        assert_eq!((category(bus), vehicle_category(bus)), ("ONIBUS", "Onibus"));
        let assistance = BenefitKind::Assistance;
        assert_eq!(
            (benefit_kind(assistance), benefit_kind_in_trigger(assistance)),
            ("A24H", "Assistência 24H")
        );
    }
}
