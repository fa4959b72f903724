//! What protects the way to the database, as operators are told.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportProtection {
    /// A file of this machine: nothing travels.
    File,
    /// A socket of this machine, guarded by the permissions of its folder.
    Socket,
    /// Encrypted, with a verified certificate.
    Tls,
    /// In clear, within this machine.
    PlainLoopback,
    /// In clear, because the address says `sslmode=disable`.
    PlainByChoice,
}

impl TransportProtection {
    /// Whether anybody on the way to the database could read or change what travels.
    pub const fn is_exposed(self) -> bool {
        matches!(self, TransportProtection::PlainByChoice)
    }
}

impl fmt::Display for TransportProtection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            TransportProtection::File => "file",
            TransportProtection::Socket => "socket",
            TransportProtection::Tls => "TLS",
            TransportProtection::PlainLoopback => "none (loopback)",
            TransportProtection::PlainByChoice => "none (sslmode=disable)",
        })
    }
}
