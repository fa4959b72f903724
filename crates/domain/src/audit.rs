//! What an audit entry says: an action, the record it concerns, the fields concerned and further arguments. It is put
//! into words when it is shown (`wire::audit`, and the console's own wording).

use std::borrow::Cow;

macro_rules! actions {
    ($($(#[$meta:meta])* $action:ident = $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AuditedAction {
            $($(#[$meta])* $action),*
        }

        impl AuditedAction {
            pub const ALL: &[AuditedAction] = &[$(AuditedAction::$action),*];

            /// The name stored in the database; never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(AuditedAction::$action => $name),*
                }
            }
        }
    };
}

actions!(
    Create = "create",
    /// Argument: the deal.
    CreateFromDeal = "create_from_deal",
    Open = "open",
    Change = "change",
    Cancel = "cancel",
    Reactivate = "reactivate",
    /// Argument: the name of the new situation, of a case.
    ChangeSituation = "change_situation",
    Annotate = "annotate",
    /// Argument: the plan.
    AddItem = "add_item",
    /// Argument: the item.
    ChangeItem = "change_item",
    /// Argument: the item.
    RemoveItem = "remove_item",
    ChangeAdditionalFields = "change_additional_fields",
    /// Argument: the dependent.
    CreateDependent = "create_dependent",
    /// Argument: the dependent.
    ChangeDependent = "change_dependent",
    /// Argument: the dependent.
    UndoDependentImport = "undo_dependent_import",
    /// Argument: the dependent.
    UndoDependentUpdate = "undo_dependent_update",
    /// An imported record was removed again.
    UndoImport = "undo_import",
    /// A record changed by an import got its former content back.
    UndoImportUpdate = "undo_import_update",
    /// Arguments: the kind and code of the record that has the file.
    AttachFile = "attach_file",
    /// Arguments: the kind and code of the record that has the file.
    RemoveFile = "remove_file",
    /// Arguments: the kind and code of the record that has the file.
    RestoreFile = "restore_file",
    ChangeStage = "change_stage",
    WinDeal = "win_deal",
    LoseDeal = "lose_deal",
    ReopenDeal = "reopen_deal",
    /// A title is posted.
    Release = "release",
    /// Argument: the amount of the code, in cents.
    IssuePixCode = "issue_pix_code",
    /// Argument: the amount of the slip, in cents.
    IssueSlip = "issue_slip",
    /// Links that open a document without a credential. Arguments: how many, the number of their purpose, and the
    /// code of the document.
    RevokeLinks = "revoke_links",
    /// Argument: the amount received, in cents.
    Settle = "settle",
    /// Argument: how much of the credit was used, in cents.
    UseCredit = "use_credit",
    /// Argument: the settlement.
    ReverseSettlement = "reverse_settlement",
    /// Argument: the amount received as credit, in cents.
    ReceiveCredit = "receive_credit",
    /// Argument: the amount paid back, in cents.
    RefundCredit = "refund_credit",
    /// Argument: the amount in cents, below 0 of a refund.
    ReverseCreditReceipt = "reverse_credit_receipt",
    /// Argument: the month.
    ClosePeriod = "close_period",
    /// Argument: the month.
    ReopenPeriod = "reopen_period",
    /// Argument: the month.
    PrepareChargingRun = "prepare_charging_run",
    ApproveChargingRun = "approve_charging_run",
    DiscardChargingRun = "discard_charging_run",
    UndoChargingRun = "undo_charging_run",
    /// Arguments: how many titles of a benefit were cancelled, and how many issued instead.
    ReviseTitles = "revise_titles",
    /// The titles of a changed benefit stay as they are.
    KeepTitles = "keep_titles",
    /// Argument: the discount.
    GrantDiscount = "grant_discount",
    /// Argument: the discount.
    EndDiscount = "end_discount",
    /// Arguments: how many items, and the difference a month in cents.
    MoveToPriceTable = "move_to_price_table",
    PauseReceiver = "pause_receiver",
    ResumeReceiver = "resume_receiver",
    TestReceiver = "test_receiver",
    /// Changed to another server, with a new secret.
    MoveReceiver = "move_receiver",
    RotateSecret = "rotate_secret",
    /// Argument: how many.
    ReplayDeliveries = "replay_deliveries",
    /// Argument: the number of lines.
    ReceiveImport = "receive_import",
    DiscardImport = "discard_import",
    MapColumns = "map_columns",
    BeginImportCheck = "begin_import_check",
    FinishImportCheck = "finish_import_check",
    BeginImport = "begin_import",
    PauseImport = "pause_import",
    ResumeImport = "resume_import",
    /// Stopped, because its user may no longer use the system.
    StopImport = "stop_import",
    FinishImport = "finish_import",
    BeginImportUndo = "begin_import_undo",
    FinishImportUndo = "finish_import_undo",
    DownloadImportErrors = "download_import_errors",
    /// Arguments: the list, the format, and each filter.
    BeginExport = "begin_export",
    /// Arguments: the list and the number of lines.
    FinishExport = "finish_export",
    /// Arguments: the list and the number of lines.
    StopExport = "stop_export",
    ExportTenant = "export_tenant",
    /// Argument: the moment of the export.
    RestoreTenant = "restore_tenant",
    RestoreDatabase = "restore_database",
    /// Argument: the host.
    AddHost = "add_host",
    /// Argument: the host.
    RemoveHost = "remove_host",
    /// Argument: the address of the source.
    CreateMirror = "create_mirror",
    /// Copied from the source of a mirror.
    MirrorRecord = "mirror_record",
    /// Argument: how many.
    MirrorRecords = "mirror_records",
    /// Argument: how many.
    MirrorRegisters = "mirror_registers",
    /// Argument: how many.
    MirrorUsers = "mirror_users",
    /// Argument: how many.
    RetireLeads = "retire_leads",
    ReplacePassword = "replace_password",
    ChangeOwnPassword = "change_own_password",
    ChangePasswordByLink = "change_password_by_link",
    SendPasswordLink = "send_password_link",
    EndSessions = "end_sessions",
    EnableSecondFactor = "enable_second_factor",
    RemoveSecondFactor = "remove_second_factor",
    RenewRecoveryCodes = "renew_recovery_codes",
    UseRecoveryCode = "use_recovery_code",
    SignInToConsole = "sign_in_to_console",
    SignInToConsoleWithCode = "sign_in_to_console_with_code",
    SignInToConsoleWithRecoveryCode = "sign_in_to_console_with_recovery_code",
    SignInToApi = "sign_in_to_api",
    SignInToApiWithCode = "sign_in_to_api_with_code",
    /// The code of the second factor is still missing.
    AcceptPassword = "accept_password",
    RefuseSignIn = "refuse_sign_in",
    RefusePassword = "refuse_password",
    RefuseCode = "refuse_code",
    RefuseUnknownUser = "refuse_unknown_user",
    /// Too many attempts at the account.
    ThrottleAccount = "throttle_account",
    /// Too many attempts from the address.
    ThrottleAddress = "throttle_address",
);

impl AuditedAction {
    pub fn from_name(name: &str) -> Option<AuditedAction> {
        AuditedAction::ALL.iter().copied().find(|action| action.name() == name)
    }
}

/// The kind of record that an entry is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditedRecordKind {
    Member,
    Benefit,
    Claim,
    Inspection,
    Ticket,
    Appointment,
    Deal,
    Lead,
    Title,
    ChargingRun,
    PendingCharge,
    CreditReceipt,
    OpeningBalance,
    User,
    Receiver,
    File,
    Import,
    Tenant,
    /// A record of a register, by the register's path.
    Register(Cow<'static, str>),
}

/// Stands before a register's path in the stored name.
const REGISTER_PREFIX: &str = "register/";

impl AuditedRecordKind {
    /// The kinds that are no register.
    const FIXED: [AuditedRecordKind; 18] = [
        AuditedRecordKind::Member,
        AuditedRecordKind::Benefit,
        AuditedRecordKind::Claim,
        AuditedRecordKind::Inspection,
        AuditedRecordKind::Ticket,
        AuditedRecordKind::Appointment,
        AuditedRecordKind::Deal,
        AuditedRecordKind::Lead,
        AuditedRecordKind::Title,
        AuditedRecordKind::ChargingRun,
        AuditedRecordKind::PendingCharge,
        AuditedRecordKind::CreditReceipt,
        AuditedRecordKind::OpeningBalance,
        AuditedRecordKind::User,
        AuditedRecordKind::Receiver,
        AuditedRecordKind::File,
        AuditedRecordKind::Import,
        AuditedRecordKind::Tenant,
    ];

    /// The name stored in the database; never changes.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            AuditedRecordKind::Member => "member",
            AuditedRecordKind::Benefit => "benefit",
            AuditedRecordKind::Claim => "claim",
            AuditedRecordKind::Inspection => "inspection",
            AuditedRecordKind::Ticket => "ticket",
            AuditedRecordKind::Appointment => "appointment",
            AuditedRecordKind::Deal => "deal",
            AuditedRecordKind::Lead => "lead",
            AuditedRecordKind::Title => "title",
            AuditedRecordKind::ChargingRun => "charging_run",
            AuditedRecordKind::PendingCharge => "pending_charge",
            AuditedRecordKind::CreditReceipt => "credit_receipt",
            AuditedRecordKind::OpeningBalance => "opening_balance",
            AuditedRecordKind::User => "user",
            AuditedRecordKind::Receiver => "receiver",
            AuditedRecordKind::File => "file",
            AuditedRecordKind::Import => "import",
            AuditedRecordKind::Tenant => "tenant",
            AuditedRecordKind::Register(path) => return format!("{REGISTER_PREFIX}{path}").into(),
        })
    }

    pub fn from_name(name: &str) -> Option<AuditedRecordKind> {
        match name.strip_prefix(REGISTER_PREFIX) {
            Some(path) => Some(AuditedRecordKind::Register(path.to_owned().into())),
            None => AuditedRecordKind::FIXED.into_iter().find(|kind| kind.name() == name),
        }
    }
}

impl From<crate::CaseKind> for AuditedRecordKind {
    fn from(kind: crate::CaseKind) -> AuditedRecordKind {
        match kind {
            crate::CaseKind::Claim => AuditedRecordKind::Claim,
            crate::CaseKind::Inspection => AuditedRecordKind::Inspection,
            crate::CaseKind::Ticket => AuditedRecordKind::Ticket,
            crate::CaseKind::Appointment => AuditedRecordKind::Appointment,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedRecord {
    pub kind: AuditedRecordKind,
    pub code: i32,
}

/// What was done, in an audit entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedChange {
    pub action: AuditedAction,
    pub subject: Option<AuditedRecord>,
    /// The names of the changed fields, never their values.
    pub fields: Vec<String>,
    /// What the action needs to be understood, as its documentation says.
    pub arguments: Vec<String>,
    /// As the user gave it.
    pub reason: Option<String>,
}

impl From<AuditedAction> for AuditedChange {
    fn from(action: AuditedAction) -> AuditedChange {
        AuditedChange { action, subject: None, fields: Vec::new(), arguments: Vec::new(), reason: None }
    }
}

impl AuditedChange {
    pub fn new(action: AuditedAction, kind: AuditedRecordKind, code: i32) -> AuditedChange {
        AuditedChange::from(action).with_subject(kind, code)
    }

    #[must_use]
    pub fn with_subject(self, kind: AuditedRecordKind, code: i32) -> AuditedChange {
        AuditedChange { subject: Some(AuditedRecord { kind, code }), ..self }
    }

    #[must_use]
    pub fn with_fields<F: Into<String>>(self, fields: impl IntoIterator<Item = F>) -> AuditedChange {
        AuditedChange { fields: fields.into_iter().map(Into::into).collect(), ..self }
    }

    #[must_use]
    pub fn with_argument(mut self, argument: impl ToString) -> AuditedChange {
        self.arguments.push(argument.to_string());
        self
    }

    #[must_use]
    pub fn with_reason(self, reason: Option<&str>) -> AuditedChange {
        AuditedChange { reason: reason.map(str::to_owned), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_come_back_and_are_unique() {
        for action in AuditedAction::ALL {
            assert_eq!(AuditedAction::from_name(action.name()), Some(*action));
        }
        let kinds = AuditedRecordKind::FIXED;
        for kind in kinds.into_iter().chain([AuditedRecordKind::Register("plano".into())]) {
            assert_eq!(AuditedRecordKind::from_name(&kind.name()), Some(kind));
        }
        assert_eq!(AuditedRecordKind::from_name("something"), None);
    }
}
