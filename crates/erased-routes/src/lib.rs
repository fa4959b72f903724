//! Type-erased routes: the router code, which is generic over the handler type, is compiled once instead of once for
//! each of three hundred handlers.

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{self, MethodFilter, MethodRouter};
use std::pin::Pin;
use std::sync::Arc;

pub type HandlerFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

struct ErasedHandler<S>(Arc<dyn Fn(Request, S) -> HandlerFuture + Send + Sync>);

impl<S> Clone for ErasedHandler<S> {
    fn clone(&self) -> ErasedHandler<S> {
        ErasedHandler(Arc::clone(&self.0))
    }
}

impl<S: 'static> Handler<(), S> for ErasedHandler<S> {
    type Future = HandlerFuture;

    fn call(self, request: Request, state: S) -> HandlerFuture {
        (self.0)(request, state)
    }
}

fn erase_handler<H: Handler<T, S, Future = HandlerFuture>, T: 'static, S: 'static>(
    handler: H,
) -> ErasedHandler<S> {
    ErasedHandler(Arc::new(move |request, state| handler.clone().call(request, state)))
}

fn route_method<S: Clone + Send + Sync + 'static>(
    method: MethodFilter,
    handler: ErasedHandler<S>,
) -> MethodRouter<S> {
    routing::on(method, handler)
}

macro_rules! methods {
    ($($name:ident $filter:ident),*) => {
        $(
            pub fn $name<H, T, S>(handler: H) -> MethodRouter<S>
            where
                H: Handler<T, S, Future = HandlerFuture>,
                T: 'static,
                S: Clone + Send + Sync + 'static,
            {
                route_method(MethodFilter::$filter, erase_handler(handler))
            }
        )*
    };
}

methods! { delete DELETE, get GET, post POST, put PUT }

/// Accepts every method.
pub fn any<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S, Future = HandlerFuture>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    routing::any(erase_handler(handler))
}
