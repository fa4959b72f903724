//! The attributes of `testkit`.

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
                ::testkit::run(concat!(module_path!(), "::sqlite"), ::testkit::Engine::Sqlite, body);
            }

            #[test]
            fn postgres() {
                ::testkit::run(concat!(module_path!(), "::postgres"), ::testkit::Engine::Postgres, body);
            }
        }
    }
    .into()
}

/// Makes a test of an async function that builds what it needs by itself.
#[proc_macro_attribute]
pub fn test(_: TokenStream, item: TokenStream) -> TokenStream {
    build_conditional_test(&quote!(true), parse_macro_input!(item as ItemFn))
}

/// The same for one that needs PostgreSQL. It is left out where the run has no server.
#[proc_macro_attribute]
pub fn postgres_test(_: TokenStream, item: TokenStream) -> TokenStream {
    build_conditional_test(&quote!(::testkit::has_server()), parse_macro_input!(item as ItemFn))
}

fn build_conditional_test(
    can_run: &proc_macro2::TokenStream,
    ItemFn { attrs, sig, block, .. }: ItemFn,
) -> TokenStream {
    let name = &sig.ident;
    quote! {
        #(#attrs)*
        #[test]
        fn #name() {
            if #can_run {
                ::testkit::run_alone(concat!(module_path!(), "::", stringify!(#name)), async #block);
            }
        }
    }
    .into()
}
