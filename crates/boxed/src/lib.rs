//! The attribute `#[boxed::future]`.
//!
//! The body of an async function is compiled in every crate that awaits it, with the bodies of everything it awaits. A
//! function that returns a boxed future is compiled once, in its own crate (docs/adr/0011-boxed-futures.md).

use proc_macro::TokenStream;
use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::visit_mut::{self, VisitMut};
use syn::{
    FnArg, GenericArgument, GenericParam, ItemFn, Lifetime, PathArguments, ReturnType, Signature, Token,
    Type, TypeImplTrait, TypeParamBound, TypeReference, parse_macro_input, parse_quote,
};

/// Makes an async function return a boxed `Send` future. `impl Into<T>` arguments are converted to `T`, and `impl
/// IntoIterator<Item = T>` to `Vec<T>`, before the boxed part begins.
#[proc_macro_attribute]
pub fn future(_: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    expand_function(function).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn expand_function(ItemFn { attrs, vis, mut sig, block }: ItemFn) -> syn::Result<Tokens> {
    if sig.asyncness.take().is_none() {
        return Err(syn::Error::new_spanned(sig.fn_token, "only an async fn has a future to box"));
    }
    if let Some(parameter) = sig.generics.type_params().next() {
        return Err(syn::Error::new_spanned(parameter, "a generic function is compiled where it is used"));
    }
    let output: Type = match std::mem::replace(&mut sig.output, ReturnType::Default) {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, output) => *output,
    };
    let output = name_lifetimes(&mut sig, output);
    sig.output = parse_quote!(-> ::std::pin::Pin<::std::boxed::Box<
        dyn ::std::future::Future<Output = #output> + ::std::marker::Send + 'future>>);
    let body = quote! {
        ::std::boxed::Box::pin(async move {
            // Fixes the output type before the first `?` needs it.
            if let ::std::option::Option::Some(answer) = ::std::option::Option::None::<#output> {
                return answer;
            }
            let answer: #output = #block;
            #[allow(unreachable_code)]
            answer
        })
    };
    let boxed = Signature { ident: format_ident!("boxed"), ..sig.clone() };
    let Some((boxed, arguments)) = convert_arguments(boxed, &mut sig)? else {
        return Ok(quote! { #(#attrs)* #vis #sig { #body } });
    };
    Ok(quote! {
        #(#attrs)*
        #vis #sig {
            #boxed { #body }
            boxed(#(#arguments),*)
        }
    })
}

/// Names every elided lifetime and makes all of them outlive the future. Returns the output type with its lifetimes
/// named.
fn name_lifetimes(sig: &mut Signature, mut output: Type) -> Type {
    let mut names = LifetimeNames::default();
    for input in &mut sig.inputs {
        match input {
            FnArg::Typed(typed) => names.visit_type_mut(&mut typed.ty),
            FnArg::Receiver(receiver) => {
                if let Some((_, lifetime)) = &mut receiver.reference {
                    let name = names.next();
                    names.of_self = Some(name.clone());
                    *lifetime = Some(name.clone());
                    receiver.ty = match receiver.mutability {
                        Some(_) => parse_quote!(&#name mut Self),
                        None => parse_quote!(&#name Self),
                    };
                }
            }
        }
    }
    // An elided lifetime in the output is that of `self`, or else that of the only argument it can borrow from.
    let lent = names.of_self.clone().or_else(|| names.named.first().cloned());
    if let Some(lent) = lent {
        LifetimeFiller(lent).visit_type_mut(&mut output);
    }
    let all = names.given.iter().chain(&names.named);
    let outlive = sig.generics.where_clause.get_or_insert_with(|| parse_quote!(where));
    outlive.predicates.extend(all.map(|one| -> syn::WherePredicate { parse_quote!(#one: 'future) }));
    let added = names.named.iter().map(|one| -> GenericParam { parse_quote!(#one) });
    let mut parameters: syn::punctuated::Punctuated<GenericParam, Token![,]> = added.collect();
    parameters.push(parse_quote!('future));
    parameters.extend(sig.generics.params.iter().cloned());
    sig.generics.params = parameters;
    output
}

#[derive(Default)]
struct LifetimeNames {
    /// Lifetimes named by the function or its `impl` block.
    given: BTreeSet<Lifetime>,
    /// Lifetimes named by this macro.
    named: Vec<Lifetime>,
    of_self: Option<Lifetime>,
}

impl LifetimeNames {
    fn next(&mut self) -> Lifetime {
        let name = Lifetime::new(&format!("'lent{}", self.named.len()), Span::call_site());
        self.named.push(name.clone());
        name
    }
}

impl VisitMut for LifetimeNames {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        match &mut reference.lifetime {
            Some(lifetime) => self.visit_lifetime_mut(lifetime),
            None => reference.lifetime = Some(self.next()),
        }
        self.visit_type_mut(&mut reference.elem);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        match lifetime.ident.to_string().as_str() {
            "_" => *lifetime = self.next(),
            "static" => {}
            _ => {
                self.given.insert(lifetime.clone());
            }
        }
    }
}

struct LifetimeFiller(Lifetime);

impl VisitMut for LifetimeFiller {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime.get_or_insert_with(|| self.0.clone());
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.0.clone();
        }
    }
}

/// The boxed part takes the converted types of generic arguments; `sig` converts and passes them on.
fn convert_arguments(
    mut boxed: Signature,
    sig: &mut Signature,
) -> syn::Result<Option<(Signature, Vec<Tokens>)>> {
    let is_generic =
        |input: &FnArg| matches!(input, FnArg::Typed(typed) if matches!(*typed.ty, Type::ImplTrait(_)));
    if !sig.inputs.iter().any(is_generic) {
        return Ok(None);
    }
    let mut passed = Vec::new();
    for (number, (outer, inner)) in sig.inputs.iter_mut().zip(&mut boxed.inputs).enumerate() {
        let (FnArg::Typed(outer), FnArg::Typed(inner)) = (outer, inner) else {
            return Err(syn::Error::new_spanned(&boxed.ident, "a method takes no generic argument here"));
        };
        let name = format_ident!("argument{number}");
        *outer.pat = parse_quote!(#name);
        passed.push(match &*outer.ty {
            Type::ImplTrait(bounds) => {
                let (becomes, passed) = convert_argument(bounds, &name)?;
                *inner.ty = becomes;
                passed
            }
            _ => quote!(#name),
        });
    }
    Ok(Some((boxed, passed)))
}

fn convert_argument(bounds: &TypeImplTrait, name: &syn::Ident) -> syn::Result<(Type, Tokens)> {
    let unknown =
        || syn::Error::new_spanned(bounds, "only impl Into<T> and impl IntoIterator<Item = T> are known");
    let Some(TypeParamBound::Trait(bound)) = bounds.bounds.first() else { return Err(unknown()) };
    let Some(segment) = bound.path.segments.last() else { return Err(unknown()) };
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return Err(unknown()) };
    match (segment.ident.to_string().as_str(), arguments.args.first()) {
        ("Into", Some(GenericArgument::Type(becomes))) => {
            Ok((becomes.clone(), quote!(::std::convert::Into::into(#name))))
        }
        ("IntoIterator", Some(GenericArgument::AssocType(item))) => {
            let item = &item.ty;
            let all = quote!(::std::iter::IntoIterator::into_iter(#name));
            Ok((parse_quote!(::std::vec::Vec<#item>), quote!(::std::iter::Iterator::collect(#all))))
        }
        _ => Err(unknown()),
    }
}
