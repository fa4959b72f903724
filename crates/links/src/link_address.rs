//! The addresses of links, made from the public address of the server (`public_url`). It is never taken from a request, which
//! could name another host.

use app::App;
use domain::LinkToken;

/// What the addresses of links begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAddressBase(String);

impl LinkAddressBase {
    pub fn new(app: &App) -> LinkAddressBase {
        LinkAddressBase(app.public_url.to_string())
    }

    /// The absolute address that opens the document.
    pub fn build_address(&self, token: &LinkToken) -> String {
        format!("{}/documento/{}", self.0, token.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_in_the_token() {
        let token = LinkToken::parse(&format!("7-{}", "k".repeat(32))).unwrap();
        let base = LinkAddressBase("https://amparo.example/sistema".to_owned());
        let expected = format!("https://amparo.example/sistema/documento/7-{}", "k".repeat(32));
        assert_eq!(base.build_address(&token), expected);
    }
}
