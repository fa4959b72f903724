//! An S3-compatible bucket (`files.s3_*`), reached like every other connection: rustls with the certificate authorities
//! of the machine.

use crate::settings::BucketSettings;
use async_trait::async_trait;
use delivery::triggers::{address_guard::AddressGuard, connect::GuardedConnector};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::aws::AmazonS3Builder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// How long a request may take until its answer begins.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a failed request is retried.
const RETRIES: Duration = Duration::from_secs(20);

/// Opens the bucket without sending a request yet.
pub fn open_bucket(bucket: &BucketSettings) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    let retry = RetryConfig { max_retries: 3, retry_timeout: RETRIES, backoff: BackoffConfig::default() };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&bucket.name)
        .with_region(&bucket.region)
        .with_access_key_id(&bucket.access_key)
        .with_secret_access_key(&bucket.secret_key)
        .with_retry(retry)
        // One by one: not every store supports bulk deletion.
        .with_disable_bulk_delete(true)
        .with_http_connector(StoreConnector { host: bucket.host() });
    if let Some(endpoint) = &bucket.endpoint {
        // Plain HTTP only if the operator configured it: on the machine itself, or in a private network.
        builder = builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"));
    }
    let store = builder.build()?;
    Ok(match bucket.prefix.as_str() {
        "" => Arc::new(store),
        prefix => Arc::new(PrefixStore::new(store, prefix)),
    })
}

/// Creates the HTTP clients of the store.
#[derive(Debug)]
struct StoreConnector {
    host: Option<String>,
}

impl HttpConnector for StoreConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        // The operator configured this address, so it may be in a private network; no other private address may be
        // reached.
        let connector = GuardedConnector::new(Arc::new(AddressGuard::new(self.host.clone())))
            .map_err(|error| object_store::Error::Generic { store: "S3", source: Box::new(error) })?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .build(connector);
        Ok(HttpClient::new(StoreHttpService(client)))
    }
}

#[derive(Debug)]
struct StoreHttpService(Client<GuardedConnector, HttpRequestBody>);

#[async_trait]
impl HttpService for StoreHttpService {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answered = tokio::time::timeout(PATIENCE, self.0.request(request)).await;
        let response =
            answered.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?.map_err(|error| {
                match error.is_connect() {
                    true => HttpError::new(HttpErrorKind::Connect, error),
                    false => HttpError::new(HttpErrorKind::Request, error),
                }
            })?;
        let (parts, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}
