//! Value types that cannot hold an invalid value, and the rules between them, with no database, network or wire format.
//! Everything here is pure: time and randomness are passed in as arguments.
//!
//! To add a value type: one file, a `parse` that returns the value or the [`Rejection`] that explains why not, and its
//! tests beside it.

mod address;
mod audit;
mod caller_address;
mod card;
mod codes;
mod colour;
mod criteria;
mod cursor;
mod database_fault;
mod date;
mod digits;
pub mod display;
mod document;
mod email;
mod entity;
mod file;
mod fixed_sets;
mod fold;
mod import;
mod local_moment;
mod mirror;
mod money;
mod network;
mod operation;
mod password;
mod phone;
mod random_source;
mod receiver;
mod register;
mod rejection;
mod role;
mod scope;
mod tenant;
mod text;
mod time;
mod vehicle;
mod weak_password;

pub use crate::caller_address::CallerAddress;
pub use crate::fixed_sets::{
    BenefitKind, ChangeOrigin, CivilState, DealState, DeliveryState, FieldKind, Fuel, ImportKind,
    ImportOutcome, ImportState, Involved, Kinship, Nature, PhoneKind, Priority, SellerKind, Sex, Sheet,
    VehicleCategory,
};
pub use crate::import::{ImportProblem, ImportStateConflict, ImportUndoObstacle, ReferenceKind};
pub use crate::local_moment::{PeriodStart, WrittenMoment};
pub use crate::mirror::MirrorRecordConflict;
pub use crate::random_source::RandomSource;
pub use address::{Cep, PostalAddress, Uf};
pub use audit::{AuditedAction, AuditedChange, AuditedRecord, AuditedRecordKind};
pub use card::CardNumber;
pub use codes::{
    AppointmentCode, BenefitCode, BranchCode, ClaimCode, ClaimTypeCode, ClinicCode, CreditCardCode, DealCode,
    DependentCode, DoctorCode, FieldCode, FileCode, FilterCode, FunnelCode, HistoryCode, ImportCode,
    InspectionCode, InspectionTypeCode, InstallationCode, ItemCode, LeadCode, MailCode, PersonCode, PlanCode,
    ReceiverCode, SellerCode, SituationCode, SpecialtyCode, StageCode, SupplierCode, TenantId, TicketCode,
    TicketTypeCode, TrackerCode, UserCode, VehicleTypeCode,
};
pub use colour::Colour;
pub use criteria::{
    BenefitCriteria, BenefitKey, ClaimCriteria, DealCriteria, LeadKey, MemberCriteria, PAGE_SIZE,
    ValidationKeys,
};
pub use cursor::{ChangeDigest, HistoryCursor};
pub use database_fault::DatabaseFault;
pub use date::Date;
pub use digits::{parse_decimal_digit, replace_with_ascii_digits};
pub use document::{Cnpj, Cpf, Document};
pub use email::Email;
pub use entity::{CaseKind, Entity, SituationKind};
pub use file::{FileKind, FileName, FileOwner};
pub use fold::{fold_text, has_word_beginnings, split_name_words};
pub use money::Money;
pub use network::{Network, ValidationPartner};
pub use operation::{AuditedOperation, CaseOperation};
pub use password::Password;
pub use phone::Phone;
pub use receiver::{ReceiverAddress, SigningSecret, is_accepted_status};
pub use register::RegisterProblem;
pub use rejection::{FieldConflict, FieldProblem, FileProblem, InputField, Rejection};
pub use role::Role;
pub use scope::{Scope, VisibleBranches};
pub use tenant::{DisplayName, HostName, TimeZone};
pub use text::{BoundedText, NoteText, parse_line};
pub use time::{Clock, Moment};
pub use vehicle::{Chassis, Plate, parse_plate_key};
pub use weak_password::PasswordOwner;
