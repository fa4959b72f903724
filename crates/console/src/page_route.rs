//! A route of the console as data: the router is built from a list of these, and tests iterate over it.

use app::App;
use axum::Router;
use axum::http::Method;
use axum::routing::MethodRouter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAccess {
    /// Any visitor, with or without a session.
    Public,
    /// A person with a session; a user of a program is refused.
    SignedIn,
    /// A person who may close months; an administrator always may.
    MonthCloser,
    /// A person who may approve and undo charging runs; an administrator always may.
    RunApprover,
    Administrator,
}

pub struct PageRoute {
    pub method: Method,
    pub path: String,
    pub access: PageAccess,
    handler: MethodRouter<App>,
}

impl PageRoute {
    pub(crate) fn get(path: &str, access: PageAccess, handler: MethodRouter<App>) -> PageRoute {
        PageRoute { method: Method::GET, path: path.to_owned(), access, handler }
    }

    pub(crate) fn post(path: &str, access: PageAccess, handler: MethodRouter<App>) -> PageRoute {
        PageRoute { method: Method::POST, path: path.to_owned(), access, handler }
    }

    /// Puts the route below a path, for areas that share their handlers.
    pub(crate) fn below(mut self, area: &str) -> PageRoute {
        self.path.insert_str(0, area);
        self
    }
}

/// A list of routes: method, path, access, handler. A macro, because a function would be compiled for each handler.
macro_rules! routes {
    ($($method:ident $path:literal $access:ident $handler:path;)*) => {
        vec![$($crate::page_route::PageRoute::$method(
            $path,
            $crate::page_route::PageAccess::$access,
            erased_routes::$method($handler),
        )),*]
    };
}
pub(crate) use routes;

pub(crate) fn build_table_router(routes: Vec<PageRoute>) -> Router<App> {
    routes.into_iter().fold(Router::new(), |router, route| router.route(&route.path, route.handler))
}
