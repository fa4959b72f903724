//! Every refusal by a rule, as one closed set. The words for each are in `wire::refusal`.

use crate::import::ImportProblem;
use crate::register::RegisterProblem;
use crate::{BenefitCode, BranchCode, DealCode, DependentCode, LeadCode, PersonCode, PlanCode, TenantId};

/// The field a refusal speaks of; `wire` knows what it is called outside.
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
    /// What a benefit protects, as a code in a path.
    BenefitKind,
    User,
    Item,
    JoinedOn,
    Reason,
    Situation,
    SituationCode,
    // Of what people work on.
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
    // Of leads and deals; some have two names, of which one is above.
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
    /// A file that was attached, by its code.
    File,
    Import,
    /// A text that has no name of its own; where it stood names it.
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
    /// An address where the name of a server is meant.
    HostIsAddress(String),
    /// The machine itself.
    HostIsLocal(String),
    /// The server's own name, under which every association is found.
    HostIsServers(String),
    /// A host that the association does not have.
    UnknownHost(String),
    /// No address that triggers can be sent to.
    BadReceiver(String),
    /// A header that a receiver may not have: not one, or one of ours.
    BadHeader(String),
    NoEntity,
    UnknownEntity(String),
    BadConcurrency,
    /// An association has as many receivers in use as it may.
    TooManyReceivers {
        most: usize,
    },
    /// Somebody keeps as many filters of a list as he may.
    TooManyFilters {
        most: usize,
    },
    /// No place in the history of situations.
    BadHistoryCursor(String),
    /// The history that a reader read is not the one that there is: the base was put back to an earlier state.
    HistoryPutBack,
    /// Neither a stretch nor a day.
    NothingToSendAgain,
    /// From a later one to an earlier one, or from none.
    BadStretch,
    BadDocument(String),
    BadCpf(String),
    BadPhone(String),
    BadCep(String),
    BadDate(String),
    /// No moment: a day and an hour.
    BadMoment(String),
    BadMonth(String),
    BadPlate(String),
    BadChassis(String),
    BadCard(String),
    BadMoney(String),
    BadUf(String),
    UnknownTimeZone(String),
    BadNetwork(String),
    /// A line that should name a network and how many lookups it has.
    BadPartner(String),
    TooManyPartners(usize),
    PasswordLength {
        shortest: usize,
        longest: usize,
    },
    PasswordControl,
    /// Anybody would try it among the first.
    PasswordCommon,
    /// Made of what is known of its owner.
    PasswordPersonal,
    /// A user who is no administrator needs at least one branch to work in.
    NoBranch,
    UnknownBranch(BranchCode),
    /// A code that names nothing which the caller may use.
    UnknownCode {
        field: InputField,
        code: i32,
    },
    /// The nature is not that of the document.
    NatureMismatch,
    /// A person's document where a company's is meant.
    NotACnpj,
    /// The person belongs to a branch that the caller may not access.
    PersonElsewhere,
    /// Nobody whom the caller may see has this document.
    UnknownPerson(String),
    /// The benefit belongs to somebody with another document.
    NotTheHolder(BenefitCode),
    /// A plan, or a benefit, of the other kind than the path is for.
    WrongPath {
        field: InputField,
        /// It is one of vehicles.
        vehicle: bool,
    },
    /// A plan of another kind than the benefit.
    OtherKind,
    UnknownSituation {
        given: String,
        known: Vec<String>,
    },
    /// The situation and the flag say different things.
    SituationDisagrees,
    /// No situation of the base has the type that is needed.
    NoSituation,
    NotADueDay {
        given: i32,
        known: Vec<i32>,
    },
    /// A vehicle needs one of the two.
    NoPlateOrChassis,
    AdditionalField {
        /// Its place in the list.
        at: usize,
        problem: FieldProblem,
    },
    /// The card belongs to somebody else.
    CardOfAnother,
    /// Another benefit has the plate or chassis, and is in force. It is named where the caller may see it.
    VehicleTaken {
        field: InputField,
        given: String,
        by: Option<BenefitCode>,
    },
    /// Nothing leads out of it here.
    CancelledBenefit(BenefitCode),
    /// The plan is an active item of the benefit already.
    PlanTaken(PlanCode),
    /// A plan of a list that is not to be had, by its place in the list.
    UnknownPlan {
        at: usize,
        code: PlanCode,
    },
    /// The benefit has no such dependent.
    UnknownDependent {
        code: DependentCode,
        benefit: BenefitCode,
    },
    /// Another dependent of the benefit, in force, has the CPF.
    DependentTaken(DependentCode),
    /// A search of dependents without anything that names one.
    NoDependentKey,
    /// A search of members without anything that narrows it.
    NoMemberCriterion,
    /// A search of benefits without anything that names one.
    NoBenefitKey,
    /// A validation without anything that names a benefit.
    NoValidationKey,
    /// No benefit has everything that a validation named, as far as its caller sees.
    NothingToValidate,
    /// The two names of one field came with different values.
    Disagree {
        field: InputField,
        with: InputField,
    },
    /// Nothing by which a lead could be reached or known.
    NoContact,
    /// Neither the code of a lead nor anything of one.
    NoLead,
    /// The stage is not one of the funnel's.
    OtherFunnel(i32),
    /// The association has no funnel in use, or one without stages.
    NoStage,
    /// Why a deal was lost, of one that is not.
    NotLost,
    UnknownVehicleType {
        given: String,
        known: Vec<String>,
    },
    /// Only deals about health have dependents.
    NotAHealthDeal(DealCode),
    UnknownTenant(TenantId),
    /// No tenant exists yet, or none is the default.
    NoDefaultTenant,
    /// The address belongs to a user of this server already.
    EmailTaken(String),
    HostTaken(String),
    /// More hosts than an association may have.
    TooManyHosts(usize),
    UnknownUser(String),
    /// He may not enter, so a password would be no use to him.
    DisabledUser(String),
    /// The link that sets an empty server up was used, has expired, or never was one.
    BadSetupLink,
    /// The link that sets a password is unknown, used or expired; which of them is nobody's business.
    BadResetLink,
    /// Disabling him would leave the association without an administrator.
    LastAdministrator(String),
    /// A change by another version of the record than the present one.
    OldVersion {
        given: i64,
        now: i64,
        /// Since when it stands so.
        since: String,
        fields: Vec<FieldConflict>,
    },
    /// The association says where a situation leads, and not there.
    MayNotMove {
        from: String,
        to: String,
        allowed: Vec<String>,
    },
    /// Neither the code nor the name of a situation.
    NoSituationNamed,
    /// A code of no situation of this entity that is in use.
    UnknownSituationCode {
        given: i32,
        known: Vec<String>,
    },
    /// The base has no situation in which something begins.
    NoOpenSituation,
    /// What is cancelled, or taken up again, needs a reason.
    ReasonNeeded {
        /// It was over.
        reopens: bool,
    },
    /// Whose case it is never changes.
    PersonFixed,
    /// The benefit is not the person's.
    BenefitOfAnother(BenefitCode),
    /// Who goes is a dependent of a benefit, and none is named.
    DependentWithoutBenefit,
    /// More people have such a name than a search goes through.
    TooManyNamed,
    /// Somebody else has the document; he is named where the caller may see him.
    DocumentTaken(Option<PersonCode>),
    /// Another active lead has the document.
    LeadTaken(LeadCode),
    /// The lead of a deal has another document than the one that was sent.
    OtherDocument(String),
    /// A deal that is not open any more; it was won or lost.
    ClosedDeal {
        deal: DealCode,
        won: bool,
    },
    /// A vehicle's fields for a benefit that has none.
    NoVehicle,
    /// A benefit without any plan.
    LastPlan(BenefitCode),
    /// A code to keep that something has already.
    CodeTaken {
        field: InputField,
        code: i32,
    },
    /// Whoever takes his own rights away cannot give them back.
    OwnRights,
    /// An administrator removes the second factor of others, and switches off his own with a code.
    OwnSecondFactor,
    /// Programs do not enter the console, where a second factor is switched on.
    FactorOfProgram,
    /// A demonstration is only loaded where there is nothing yet.
    NotEmpty,
    /// Another demonstration was begun there and has not ended.
    DemoUnfinished {
        members: u32,
        seed: u64,
    },
    /// What is wrong with a field of a register, by the name that its description gives it.
    Register {
        field: &'static str,
        problem: RegisterProblem,
    },
    /// A change must say which version of the record it is of.
    NoVersion,
    /// What is wrong with a file that somebody wants to attach.
    File(FileProblem),
    /// What is wrong with a file that is imported, or with what is asked of an import.
    Import(ImportProblem),
}

/// A field that somebody sent otherwise than it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldConflict {
    /// What it is called outside.
    pub field: String,
    pub sent: Option<String>,
    pub now: Option<String>,
}

/// Why a file is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileProblem {
    /// It has no bytes.
    Empty,
    TooLarge {
        most_mib: u64,
    },
    /// Its bytes are of no kind that is kept.
    Unknown,
    /// A picture as some phones write it, which few programs open.
    Heic,
    /// A picture that moves.
    Animated,
    /// A picture, or a document, that cannot be read to its end.
    Broken,
    /// A picture of more points than are opened.
    TooManyPixels {
        most_megapixels: u64,
    },
    /// A document that brings programs with it.
    Macros,
    /// The record has as many files as it may.
    TooMany {
        most: usize,
    },
    /// The association keeps as much as it may.
    BaseFull {
        most_gib: u64,
    },
    /// It was removed so long ago that it is gone.
    Gone,
}

/// What is wrong with the value of an additional field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldProblem {
    /// Neither code nor name.
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
    /// Whether the field is there, and only what was given for it is wrong.
    pub fn is_about_value(&self) -> bool {
        use FieldProblem::{UnknownCode, UnknownName, Unnamed};
        !matches!(self, Unnamed | UnknownCode(_) | UnknownName(_))
    }
}

impl Rejection {
    /// Whether it speaks against the present state, and not against what was sent.
    pub fn is_conflict(&self) -> bool {
        if let Rejection::Register { problem, .. } = self {
            return problem.is_conflict();
        }
        if let Rejection::Import(problem) = self {
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
                | Rejection::HistoryPutBack
                | Rejection::MayNotMove { .. }
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
