//! How the connection to the database is protected, as reported to operators.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportProtection {
    /// A local file: no network.
    File,
    /// A local Unix socket, protected by the permissions of its folder.
    Socket,
    /// Encrypted, with a verified certificate.
    Tls,
    /// Unencrypted, within this machine.
    PlainLoopback,
    /// Unencrypted, because the address says `sslmode=disable`.
    PlainByChoice,
}

impl TransportProtection {
    /// Whether a third party on the network could read or change the traffic.
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
