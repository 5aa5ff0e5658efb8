// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The door of every call: who makes it is found out from its headers, before a byte of its message is taken. So nobody
//! whom the server does not know can fill this gateway's memory, and no call can be served without its caller.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_body_util::BodyExt as _;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::{Request, Status};
use tower::{Layer, Service};

use crate::caller::Caller;
use crate::connections::Activity;
use crate::gateway::Gateway;

/// The door, for the stack of the listener.
#[derive(Debug, Clone)]
pub(crate) struct Gate(pub(crate) Arc<Gateway>);

/// What stands behind the door.
#[derive(Debug, Clone)]
pub(crate) struct Gated<S> {
    gateway: Arc<Gateway>,
    inner: S,
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated {
            gateway: Arc::clone(&self.0),
            inner,
        }
    }
}

impl<S> Service<http::Request<Body>> for Gated<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send,
{
    type Response = http::Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        // The one that said that it is ready, and another for the next call.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let gateway = Arc::clone(&self.gateway);
        // Open until the last of the answer is sent, or nobody waits for it any more.
        let open = request.extensions().get::<Activity>().map(Activity::begin);
        async move {
            let metadata = MetadataMap::from_headers(request.headers().clone());
            match gateway.caller(&metadata).await {
                Ok(caller) => {
                    request.extensions_mut().insert(caller);
                    let answer = inner.call(request).await?;
                    Ok(answer.map(|body| {
                        Body::new(body.map_frame(move |frame| {
                            let _ = &open;
                            frame
                        }))
                    }))
                }
                Err(status) => Ok(status.into_http()),
            }
        }
        .boxed()
    }
}

/// Who makes the call.
///
/// # Errors
/// `INTERNAL` for a call that came past the door, which none can.
pub(crate) fn caller<T>(request: &Request<T>) -> Result<Caller, Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    caller.ok_or_else(|| Status::internal("it is not known who makes the call, so it is not served"))
}
