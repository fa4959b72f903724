//! The attribute behind `#[testkit::both_engines]`.

use proc_macro::TokenStream;
use quote::quote;
use syn::{ItemFn, parse_macro_input};

/// Makes two tests of one async function, `name::sqlite` and `name::postgres`. Its argument is whatever
/// `testkit::Fixture` it names: a `Database`, a `World`.
#[proc_macro_attribute]
pub fn both_engines(_: TokenStream, item: TokenStream) -> TokenStream {
    let ItemFn { attrs, sig, block, .. } = parse_macro_input!(item as ItemFn);
    let (name, inputs) = (&sig.ident, &sig.inputs);
    quote! {
        mod #name {
            #[allow(unused_imports)]
            use super::*;
            #(#attrs)*
            async fn body(#inputs) #block

            #[test]
            fn sqlite() {
                ::testkit::run(::testkit::Engine::Sqlite, body);
            }

            #[test]
            fn postgres() {
                ::testkit::run(::testkit::Engine::Postgres, body);
            }
        }
    }
    .into()
}
