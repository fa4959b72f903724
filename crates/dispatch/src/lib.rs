//! Routes to handlers whose types are forgotten: the router's machinery, which is generic by the type of its handler, is
//! compiled once instead of once for each of three hundred handlers.

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{self, MethodFilter, MethodRouter};
use std::pin::Pin;
use std::sync::Arc;

/// What a handler that is a function answers with.
pub type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

struct Dispatch<S>(Arc<dyn Fn(Request, S) -> Answer + Send + Sync>);

impl<S> Clone for Dispatch<S> {
    fn clone(&self) -> Dispatch<S> {
        Dispatch(Arc::clone(&self.0))
    }
}

impl<S: 'static> Handler<(), S> for Dispatch<S> {
    type Future = Answer;

    fn call(self, request: Request, state: S) -> Answer {
        (self.0)(request, state)
    }
}

fn dispatch<H: Handler<T, S, Future = Answer>, T: 'static, S: 'static>(handler: H) -> Dispatch<S> {
    Dispatch(Arc::new(move |request, state| handler.clone().call(request, state)))
}

fn route<S: Clone + Send + Sync + 'static>(method: MethodFilter, dispatch: Dispatch<S>) -> MethodRouter<S> {
    routing::on(method, dispatch)
}

macro_rules! methods {
    ($($name:ident $filter:ident),*) => {
        $(
            pub fn $name<H, T, S>(handler: H) -> MethodRouter<S>
            where
                H: Handler<T, S, Future = Answer>,
                T: 'static,
                S: Clone + Send + Sync + 'static,
            {
                route(MethodFilter::$filter, dispatch(handler))
            }
        )*
    };
}

methods! { delete DELETE, get GET, post POST, put PUT }

/// Whatever the method.
pub fn any<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S, Future = Answer>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    routing::any(dispatch(handler))
}
