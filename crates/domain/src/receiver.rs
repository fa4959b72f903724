//! The address that triggers are sent to, and the secret that signs them.

use crate::{InputField, RandomSource, Rejection};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use url::{Host, Url};

/// The base URL of a receiver: http or https, without query or fragment. The path of each entity is appended to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverAddress(Url);

impl ReceiverAddress {
    pub const LONGEST: usize = 2000;

    pub fn parse(text: &str) -> Result<ReceiverAddress, Rejection> {
        let text = text.trim();
        if text.len() > ReceiverAddress::LONGEST {
            return Err(Rejection::TooLong { field: InputField::Address, longest: ReceiverAddress::LONGEST });
        }
        let bad = || Rejection::BadReceiver(text.to_owned());
        if text.contains(char::is_control) {
            return Err(bad());
        }
        let url = Url::parse(text).map_err(|_| bad())?;
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_plain {
            return Err(bad());
        }
        Ok(ReceiverAddress(url))
    }

    /// The host as the address guard's exceptions name it: without brackets and port.
    pub fn host(&self) -> String {
        match self.0.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => String::new(),
        }
    }

    /// Whether both have the same scheme, host and port.
    pub fn is_same_server(&self, other: &ReceiverAddress) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// Appends a path, joined with one slash.
    pub fn join_path(&self, path: &str) -> String {
        format!("{}/{path}", self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Display for ReceiverAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// The secret by which a receiver verifies triggers. It is shown once, when it is generated.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(String);

impl SigningSecret {
    const PREFIX: &str = "whsec_";

    pub fn generate(chance: &dyn RandomSource) -> SigningSecret {
        let mut bytes = [0; 32];
        chance.fill(&mut bytes);
        SigningSecret(format!("{}{}", SigningSecret::PREFIX, STANDARD.encode(bytes)))
    }

    /// A secret read from the database.
    pub fn from_stored(text: String) -> SigningSecret {
        SigningSecret(text)
    }

    /// A secret entered by a person; `None` if it is not valid.
    pub fn parse(text: &str) -> Option<SigningSecret> {
        let key = STANDARD.decode(text.trim().strip_prefix(SigningSecret::PREFIX)?).ok()?;
        (!key.is_empty()).then(|| SigningSecret(text.trim().to_owned()))
    }

    /// The plain text: shown once, and stored encrypted.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SigningSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_the_path_of_an_entity_are_joined_with_one_slash() {
        let join = |text: &str| ReceiverAddress::parse(text).unwrap().join_path("helpDesk");
        assert_eq!(join("https://erp.example"), "https://erp.example/helpDesk");
        assert_eq!(join(" https://erp.example/ "), "https://erp.example/helpDesk");
        assert_eq!(join("http://erp.example:8080/gatilhos/"), "http://erp.example:8080/gatilhos/helpDesk");
        let host = |text: &str| ReceiverAddress::parse(text).unwrap().host();
        assert_eq!(host("http://ERP.example:8080/x"), "erp.example");
        assert_eq!((host("http://[::1]:9/"), host("http://127.0.0.1")), ("::1".into(), "127.0.0.1".into()));
        assert_eq!(ReceiverAddress::parse("http://a.example/b/").unwrap().to_string(), "http://a.example/b");
        for bad in [
            "",
            "erp.example",
            "ftp://a.example",
            "http://",
            "http://u:p@a.example",
            "http://a.example/?x=1",
            "http://a.example/#b",
        ] {
            assert_eq!(ReceiverAddress::parse(bad), Err(Rejection::BadReceiver(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_secret_is_written_as_the_standard_says_and_never_shown_by_accident() {
        struct Sevens;
        impl RandomSource for Sevens {
            fn fill(&self, bytes: &mut [u8]) {
                bytes.fill(7);
            }
        }
        let secret = SigningSecret::generate(&Sevens);
        assert_eq!(secret.expose(), "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
        assert_eq!(format!("{secret:?}"), "SigningSecret(…)");
    }
}
