//! Value types that cannot hold an invalid value, the entities made of them, and the rules between them, with no
//! database, network or wire format.
//! Everything here is pure: time and randomness are passed in as arguments.
//!
//! To add a value type: one file, a `parse` that returns the value or the [`Rejection`] that explains why not, and its
//! tests beside it.

mod accepted_status;
mod address;
mod audit;
mod benefit;
mod caller_address;
mod card;
mod case;
mod codes;
mod colour;
mod contact_phones;
mod cursor;
mod database_fault;
mod date;
mod digits;
pub mod display;
mod document;
mod document_link;
mod email;
mod entity;
mod error_chain;
mod file;
pub mod finance;
mod finance_problem;
mod fixed_sets;
mod hex_text;
mod import;
mod import_undo;
mod local_moment;
mod member;
mod mirror;
mod money;
mod money_rights;
mod name_words;
mod network;
mod opening_import_problem;
mod operation;
mod page_size;
mod password;
mod phone;
mod random_source;
mod receiver;
mod receiver_headers;
mod register;
mod rejection;
mod repeat_limit;
mod retry_policy;
mod role;
mod sale;
mod scope;
mod sealed_secret;
mod search_criteria;
mod secret_owner;
mod situation_change;
mod situation_kind;
mod tenant;
mod text;
mod text_folding;
mod time;
mod usable_reference;
mod user;
mod vehicle;
mod vehicle_details;
mod weak_password;

pub use crate::caller_address::CallerAddress;
pub use crate::fixed_sets::{
    BenefitKind, ChangeOrigin, CivilState, DealState, DeliveryState, FieldKind, Fuel, ImportKind,
    ImportOutcome, ImportState, Involved, Kinship, Nature, PhoneKind, Priority, SellerKind, Sex, Sheet,
    VehicleCategory,
};
pub use crate::import::{ImportProblem, ImportStateConflict};
pub use crate::import_undo::{ImportUndoObstacle, ReferenceKind};
pub use crate::local_moment::{PeriodStart, WrittenMoment};
pub use crate::mirror::MirrorRecordConflict;
pub use crate::random_source::RandomSource;
pub use accepted_status::is_accepted_status;
pub use address::{Cep, PostalAddress, Uf};
pub use audit::{AuditedAction, AuditedChange, AuditedRecord, AuditedRecordKind};
pub use benefit::{AdditionalFieldValues, Benefit, BenefitItem, TrackerInstallation};
pub use card::CardNumber;
pub use case::{Appointment, Case, CaseHead, ChecklistEntry, Claim, Inspection, Ticket};
pub use codes::{
    AppointmentCode, BenefitCode, BenefitDiscountCode, BranchCode, ChargeItemCode, ChargingRuleCode,
    ChargingRunCode, ClaimCode, ClaimTypeCode, ClinicCode, CreditCardCode, CreditReceiptCode, DealCode,
    DependentCode, DiscountCode, DoctorCode, FieldCode, FileCode, FilterCode, FunnelCode, GroupCode,
    HistoryCode, HolidayCode, ImportCode, InspectionCode, InspectionTypeCode, InstallationCode, ItemCode,
    LateChargeRuleCode, LeadCode, LedgerAccountCode, LedgerEntryCode, MailCode, MoneyAccountCode,
    PaymentFormCode, PendingChargeCode, PersonCode, PlanCode, PlanPriceCode, ReceiverCode, SellerCode,
    SettlementCode, SettlementTypeCode, SituationCode, SlipCode, SpecialtyCode, StageCode, SupplierCode,
    TenantId, TicketCode, TicketTypeCode, TitleCode, TitleTypeCode, TrackerCode, UserCode, VehicleTypeCode,
};
pub use colour::Colour;
pub use contact_phones::{
    HOME_COUNTRY_CODE, find_known_phone, keep_complete_numbers, merge_telephones, put_phone_first,
};
pub use cursor::{AuditCursor, ChangeDigest, HistoryCursor};
pub use database_fault::DatabaseFault;
pub use date::Date;
pub use digits::{parse_decimal_digit, replace_with_ascii_digits};
pub use document::{Cnpj, Cpf, Document};
pub use document_link::{LinkPurpose, LinkToken};
pub use email::Email;
pub use entity::{CaseKind, Entity};
pub use error_chain::describe_error_chain;
pub use file::{FileKind, FileName, FileOwner};
pub use hex_text::encode_hex;
pub use member::{ContactPhone, CreditCard, Dependent, PersonProfile};
pub use money::Money;
pub use money_rights::{MoneyRight, MoneyRights};
pub use name_words::{has_word_beginnings, split_name_words};
pub use network::{Network, ValidationPartner};
pub use operation::{AuditedOperation, CaseOperation};
pub use page_size::PAGE_SIZE;
pub use password::Password;
pub use phone::Phone;
pub use receiver::{ReceiverAddress, SigningSecret};
pub use receiver_headers::find_bad_headers;
pub use register::RegisterProblem;
pub use rejection::{FieldConflict, FieldProblem, FileProblem, InputField, Rejection};
pub use repeat_limit::RepeatLimit;
pub use retry_policy::RetryPolicy;
pub use role::Role;
pub use sale::{Deal, Lead, ProposedDependent};
pub use scope::{Scope, VisibleBranches};
pub use sealed_secret::SealedSecret;
pub use search_criteria::{
    BenefitCriteria, BenefitKey, ClaimCriteria, DealCriteria, LeadKey, MemberCriteria, ValidationKeys,
};
pub use secret_owner::SecretOwnerKind;
pub use situation_change::is_situation_change;
pub use situation_kind::SituationKind;
pub use tenant::{DisplayName, HostName, TimeZone};
pub use text::{BoundedText, NoteText, parse_line};
pub use text_folding::fold_text;
pub use time::{Clock, Moment};
pub use usable_reference::is_usable_reference;
pub use user::User;
pub use vehicle::{Chassis, Plate, parse_plate_key};
pub use vehicle_details::VehicleDetails;
pub use weak_password::PasswordOwner;
