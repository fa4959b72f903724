//! Every rule violation, as one closed set. The texts are in `wire::refusal`.

use crate::finance_problem::FinanceProblem;
use crate::import::ImportProblem;
use crate::register::RegisterProblem;
use crate::{BenefitCode, BranchCode, DealCode, DependentCode, LeadCode, PersonCode, PlanCode, TenantId};

/// The field that a rejection is about; `wire` has its external name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputField {
    Name,
    Branch,
    Email,
    Colour,
    Host,
    Role,
    Password,
    Document,
    Phone,
    Cep,
    Date,
    Plate,
    Chassis,
    Card,
    Money,
    Uf,
    Consultant,
    Representative,
    Plan,
    Benefit,
    VehicleType,
    Claim,
    Receiver,
    Address,
    Person,
    Supplier,
    /// The kind of a benefit, as a code in a path.
    BenefitKind,
    User,
    Item,
    JoinedOn,
    Reason,
    Situation,
    SituationCode,
    // Fields of cases.
    Version,
    ClaimKind,
    InspectionKind,
    TicketKind,
    Specialty,
    Clinic,
    Doctor,
    Driver,
    Related,
    CaseResponsible,
    Inspection,
    Ticket,
    Appointment,
    Priority,
    Involved,
    // Fields of leads and deals; some have a second name above.
    PersonName,
    LeadDocument,
    Phones,
    Lead,
    Deal,
    DealDependent,
    DealVehicleType,
    VehicleTypeName,
    Funnel,
    Stage,
    Responsible,
    Plans,
    Kinship,
    /// The code of an attached file.
    File,
    Import,
    // Fields of titles.
    Title,
    Slip,
    TitleType,
    SettlementType,
    Settlement,
    CreditReceipt,
    PendingCharge,
    ChargeItem,
    Discount,
    DiscountGrant,
    MoneyAccount,
    DueOn,
    IssuedOn,
    PaidOn,
    AmountPaid,
    Month,
    Instalments,
    ProtectionGroup,
    DueDay,
    ChargingRun,
    /// A text without a name of its own; its position names it.
    Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// A required value is absent or blank.
    Missing(InputField),
    TooLong {
        field: InputField,
        longest: usize,
    },
    ControlCharacter(InputField),
    BadEmail(String),
    BadColour(String),
    BadHost(String),
    /// An IP address instead of a host name.
    HostIsAddress(String),
    /// A name of the local machine.
    HostIsLocal(String),
    /// The server's own name, which serves every tenant.
    HostIsServers(String),
    /// A host that does not belong to the tenant.
    UnknownHost(String),
    /// Not a valid trigger address.
    BadReceiver(String),
    /// Not a valid header, or one that the server sets itself.
    BadHeader(String),
    TooManyHeaders(usize),
    NoEntity,
    UnknownEntity(String),
    BadConcurrency,
    /// The tenant has the maximum number of active receivers.
    TooManyReceivers {
        most: usize,
    },
    /// The user has the maximum number of saved filters.
    TooManyFilters {
        most: usize,
    },
    /// Not a position in the situation history.
    BadHistoryCursor(String),
    BadAuditCursor(String),
    /// The cursor belongs to another history: the database was restored to an earlier state.
    CursorOfReplacedHistory,
    /// Neither a range nor a day was given.
    NothingToSendAgain,
    /// The range has no start, or ends before it starts.
    InvalidReplayRange,
    BadDocument(String),
    BadCpf(String),
    BadPhone(String),
    BadCep(String),
    BadDate(String),
    /// Not a day with a time.
    BadMoment(String),
    BadMonth(String),
    BadPlate(String),
    BadChassis(String),
    BadCard(String),
    BadMoney(String),
    BadUf(String),
    UnknownTimeZone(String),
    BadNetwork(String),
    /// Not a line with a network and a number of lookups.
    BadPartner(String),
    TooManyPartners(usize),
    PasswordLength {
        shortest: usize,
        longest: usize,
    },
    PasswordControl,
    /// One of the first guesses of any attacker.
    PasswordCommon,
    /// Made of facts about its owner.
    PasswordPersonal,
    /// A user who is not an administrator needs at least one branch.
    NoBranch,
    UnknownBranch(BranchCode),
    /// The code does not name anything the caller may use.
    UnknownCode {
        field: InputField,
        code: i32,
    },
    /// The nature does not match the document.
    NatureMismatch,
    /// A CPF where a CNPJ is required.
    NotACnpj,
    /// The person belongs to a branch that the caller may not access.
    PersonElsewhere,
    /// No person visible to the caller has this document.
    UnknownPerson(String),
    /// The holder of the benefit has another document.
    NotTheHolder(BenefitCode),
    /// The plan or benefit is of another kind than the path.
    WrongPath {
        field: InputField,
        /// The plan or benefit is for vehicles.
        vehicle: bool,
    },
    /// The plan is of another kind than the benefit.
    OtherKind,
    UnknownSituation {
        value: String,
        alternatives: Vec<String>,
    },
    /// The situation and the active flag contradict each other.
    SituationDisagrees,
    /// The tenant has no situation of the required type.
    NoSituation,
    /// The association has no active situation of the type cancelled.
    NoCancelledSituation,
    NotADueDay {
        value: i32,
        alternatives: Vec<i32>,
    },
    /// A vehicle needs at least one of them.
    NoPlateOrChassis,
    AdditionalField {
        /// The position in the list.
        at: usize,
        problem: FieldProblem,
    },
    /// The card belongs to another person.
    CardOfAnother,
    /// An active benefit already has the plate or chassis; its code is given if the caller may see it.
    VehicleTaken {
        field: InputField,
        value: String,
        benefit: Option<BenefitCode>,
    },
    /// A cancelled benefit cannot be changed by this operation.
    CancelledBenefit(BenefitCode),
    /// The plan is already an active item of the benefit.
    PlanTaken(PlanCode),
    /// A plan in a list that is not available, with its position.
    UnknownPlan {
        at: usize,
        code: PlanCode,
    },
    /// The benefit has no such dependent.
    UnknownDependent {
        code: DependentCode,
        benefit: BenefitCode,
    },
    /// Another active dependent of the benefit has the CPF.
    DependentTaken(DependentCode),
    /// A dependent search without any key.
    NoDependentKey,
    /// A member search without any criterion.
    NoMemberCriterion,
    /// A benefit search without any key.
    NoBenefitKey,
    /// A validation without any key.
    NoValidationKey,
    /// No benefit visible to the caller matches all keys of the validation.
    NothingToValidate,
    /// Two names of the same field were sent with different values.
    Disagree {
        field: InputField,
        with: InputField,
    },
    /// A lead without any contact or identification.
    NoContact,
    /// Neither the code of a lead nor any lead fields.
    NoLead,
    /// The stage belongs to another funnel.
    OtherFunnel(i32),
    /// The tenant has no active funnel, or its funnel has no stages.
    NoStage,
    /// A loss reason for a deal that is not lost.
    NotLost,
    UnknownVehicleType {
        value: String,
        alternatives: Vec<String>,
    },
    /// Only health deals have dependents.
    NotAHealthDeal(DealCode),
    UnknownTenant(TenantId),
    /// No tenant exists yet, or none is the default.
    NoDefaultTenant,
    /// A user of this server already has the e-mail address.
    EmailTaken(String),
    HostTaken(String),
    /// The tenant has the maximum number of hosts.
    TooManyHosts(usize),
    UnknownUser(String),
    /// A disabled user cannot sign in, so setting a password is refused.
    DisabledUser(String),
    /// The setup link is unknown, used or expired.
    BadSetupLink,
    /// The password link is unknown, used or expired; the answer does not reveal which.
    BadResetLink,
    /// Disabling this user would leave the tenant without an administrator.
    LastAdministrator(String),
    /// The change is based on an outdated version of the record.
    OldVersion {
        requested_version: i64,
        current_version: i64,
        /// The time of the current version.
        since: String,
        fields: Vec<FieldConflict>,
    },
    /// The tenant's rules do not allow this situation change.
    SituationChangeNotAllowed {
        from: String,
        to: String,
        allowed: Vec<String>,
    },
    /// Neither the code nor the name of a situation.
    NoSituationNamed,
    /// Not the code of an active situation of this entity.
    UnknownSituationCode {
        value: i32,
        alternatives: Vec<String>,
    },
    /// The tenant has no active situation of type open for this entity.
    NoOpenSituation,
    /// Cancelling or reopening requires a reason.
    ReasonNeeded {
        /// The case was closed and is being reopened.
        reopens: bool,
    },
    /// The person of a case cannot change.
    PersonFixed,
    /// The benefit belongs to another person.
    BenefitOfAnother(BenefitCode),
    /// A dependent was named without the benefit.
    DependentWithoutBenefit,
    /// More people match the name than a search examines.
    TooManyNamed,
    /// Another person has the document; the code is given if the caller may see that person.
    DocumentTaken(Option<PersonCode>),
    /// Another active lead has the document.
    LeadTaken(LeadCode),
    /// The lead of the deal has a different document.
    OtherDocument(String),
    /// The deal is no longer open.
    ClosedDeal {
        deal: DealCode,
        won: bool,
    },
    /// Vehicle fields for a benefit without a vehicle.
    NoVehicle,
    /// The last plan of a benefit cannot be removed.
    LastPlan(BenefitCode),
    /// The requested code is already in use.
    CodeTaken {
        field: InputField,
        code: i32,
    },
    /// Administrators cannot remove their own role or disable themselves, because they could not undo it.
    OwnRights,
    /// Administrators remove the second factor of other users; they switch off their own with a code.
    OwnSecondFactor,
    /// A second factor cannot be required of the integration role: programs do not sign in to the console, where it is
    /// switched on.
    FactorOfProgram,
    /// Demo data is loaded only into an empty database.
    NotEmpty,
    /// Another demo load was started and has not finished.
    DemoUnfinished {
        members: u32,
        seed: u64,
    },
    /// A problem with a field of a register, named as in its description.
    Register {
        field: &'static str,
        problem: RegisterProblem,
    },
    /// A change must name the version of the record it is based on.
    NoVersion,
    /// A problem with a title or a month.
    Finance(FinanceProblem),
    /// A problem with a file to attach.
    File(FileProblem),
    /// A problem with an import file or request.
    Import(ImportProblem),
}

/// A field whose sent value differs from the stored one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldConflict {
    /// The external name.
    pub field: String,
    pub sent: Option<String>,
    pub now: Option<String>,
}

/// Why an attachment is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileProblem {
    Empty,
    TooLarge {
        most_mib: u64,
    },
    /// The content is of no supported kind.
    Unknown,
    /// An image format of some phones that few programs open.
    Heic,
    /// An animated image.
    Animated,
    /// An image or document that cannot be read to the end.
    Broken,
    /// An image with more pixels than the server decodes.
    TooManyPixels {
        most_megapixels: u64,
    },
    /// A document with macros.
    Macros,
    /// The record has the maximum number of files.
    TooMany {
        most: usize,
    },
    /// The tenant has used its storage quota.
    BaseFull {
        most_gib: u64,
    },
    /// The file was removed so long ago that its content was deleted.
    Gone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldProblem {
    /// Neither a code nor a name.
    Unnamed,
    UnknownCode(i32),
    UnknownName(String),
    NotAText,
    NotANumber,
    NotADate,
    NotABoolean,
    TooLong(i32),
    NotAnOption(Vec<String>),
}

impl FieldProblem {
    /// Whether the field exists and only its value is wrong.
    pub fn is_about_value(&self) -> bool {
        use FieldProblem::{UnknownCode, UnknownName, Unnamed};
        !matches!(self, Unnamed | UnknownCode(_) | UnknownName(_))
    }
}

impl Rejection {
    /// Whether it conflicts with the current state, rather than with the input itself.
    pub fn is_conflict(&self) -> bool {
        if let Rejection::Register { problem, .. } = self {
            return problem.is_conflict();
        }
        if let Rejection::Import(problem) = self {
            return problem.is_conflict();
        }
        if let Rejection::Finance(problem) = self {
            return problem.is_conflict();
        }
        matches!(
            self,
            Rejection::EmailTaken(_)
                | Rejection::PersonElsewhere
                | Rejection::CardOfAnother
                | Rejection::VehicleTaken { .. }
                | Rejection::CancelledBenefit(_)
                | Rejection::PlanTaken(_)
                | Rejection::DependentTaken(_)
                | Rejection::NotAHealthDeal(_)
                | Rejection::HostTaken(_)
                | Rejection::TooManyReceivers { .. }
                | Rejection::TooManyFilters { .. }
                | Rejection::LastAdministrator(_)
                | Rejection::OldVersion { .. }
                | Rejection::CursorOfReplacedHistory
                | Rejection::SituationChangeNotAllowed { .. }
                | Rejection::NoOpenSituation
                | Rejection::CodeTaken { .. }
                | Rejection::DocumentTaken(_)
                | Rejection::LastPlan(_)
                | Rejection::LeadTaken(_)
                | Rejection::ClosedDeal { .. }
                | Rejection::OwnRights
                | Rejection::OwnSecondFactor
                | Rejection::DisabledUser(_)
                | Rejection::File(
                    FileProblem::TooMany { .. } | FileProblem::BaseFull { .. } | FileProblem::Gone
                )
                | Rejection::NotEmpty
                | Rejection::DemoUnfinished { .. }
        )
    }
}
