// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a browser brings back from the identity provider. Anybody on this machine can send something to the port, so only
//! what knows the state of this login counts, and nothing else ends it.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::bail;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::provider::shown;

/// Where the browser comes back to.
pub(super) const PATH: &str = "/callback";

const MOST_BYTES: usize = 32 * 1024;
/// How long a connection may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// By what the right one is known.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) state: &'a str,
    pub(super) issuer: &'a str,
    /// Whether the provider says who it is (RFC 9207).
    pub(super) names_itself: bool,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    /// The code.
    Code(String),
    /// The provider's, or the person's, no.
    No(String),
    /// Something else.
    Else,
}

/// Waits for the code of this login.
///
/// # Errors
/// When the provider refused it.
pub(super) async fn code(socket: &TcpListener, expected: &Expected<'_>) -> anyhow::Result<String> {
    let (tell, mut told) = tokio::sync::mpsc::channel::<(String, TcpStream)>(8);
    loop {
        tokio::select! {
            accepted = socket.accept() => {
                let (stream, _) = accepted?;
                let tell = tell.clone();
                // Browsers open connections that they say nothing on, so none may hold up the others.
                tokio::spawn(async move {
                    if let Ok(Some(heard)) = tokio::time::timeout(PATIENCE, request(stream)).await {
                        let _ = tell.send(heard).await;
                    }
                });
            }
            Some((target, stream)) = told.recv() => match came(&target, expected) {
                Came::Code(code) => {
                    answer(stream, "200 OK", "You are logged in. You can close this window.").await;
                    return Ok(code);
                }
                Came::No(reason) => {
                    answer(stream, "200 OK", "You are not logged in. The terminal says why.").await;
                    bail!("the identity provider did not let you in: {reason}");
                }
                Came::Else => answer(stream, "404 Not Found", "There is nothing here.").await,
            }
        }
    }
}

/// The target of a request, and where to answer; `None` for what is no GET.
async fn request(mut stream: TcpStream) -> Option<(String, TcpStream)> {
    let mut head = Vec::new();
    let mut chunk = [0; 4096];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(chunk.get(..read)?);
        if head.len() > MOST_BYTES {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let target = head.lines().next()?.strip_prefix("GET ")?.split(' ').next()?;
    Some((target.to_owned(), stream))
}

fn came(target: &str, expected: &Expected<'_>) -> Came {
    let base = Url::parse("http://127.0.0.1").ok();
    let Some(url) = base.and_then(|base| base.join(target).ok()) else {
        return Came::Else;
    };
    let said: HashMap<_, _> = url.query_pairs().collect();
    let is = |name: &str, value: &str| said.get(name).is_some_and(|said| said == value);
    // The answer of another provider is not taken for that of this one.
    let is_of_issuer = match said.get("iss") {
        Some(issuer) => issuer == expected.issuer,
        None => !expected.names_itself,
    };
    if url.path() != PATH || !is("state", expected.state) || !is_of_issuer {
        return Came::Else;
    }
    if let Some(error) = said.get("error") {
        let reason = said.get("error_description").unwrap_or(error);
        return Came::No(shown(reason));
    }
    said.get("code")
        .map_or(Came::Else, |code| Came::Code(code.clone().into_owned()))
}

/// Whoever does not listen to the end misses nothing.
async fn answer(mut stream: TcpStream, status: &str, text: &str) {
    let body = format!("<!doctype html><title>Lakeward</title><p>{text}</p>\n");
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         content-security-policy: default-src 'none'\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = tokio::time::timeout(PATIENCE, async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}

#[cfg(test)]
mod tests;
