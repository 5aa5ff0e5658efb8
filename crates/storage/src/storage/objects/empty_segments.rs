// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Keys with empty segments (`a//b`, and `a/`, which marks a folder). The client has no words for them and refuses a whole
//! listing in which one is; anybody who may write into a bucket can put one there. So a word that no key has stands for an
//! empty segment between the answer of the store and the client.

use async_trait::async_trait;
use bytes::Bytes;
use object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService, ReqwestConnector,
};
use object_store::path::{Path, PathPart};

/// The word for an empty segment, made by chance, so that nobody puts it into a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EmptySegment(String);

impl EmptySegment {
    pub(super) fn new() -> Self {
        Self(format!("empty-{}", uuid::Uuid::new_v4()))
    }

    /// Whether it stands at the end of a listed key: no file or folder of the names that there are.
    pub(super) fn ends(&self, listed: &Path) -> bool {
        listed.filename() == Some(self.0.as_str())
    }

    /// The key that was listed.
    pub(super) fn restore(&self, listed: Path) -> Path {
        if !listed.as_ref().contains(&self.0) {
            return listed;
        }
        let mut key = Path::default();
        for segment in listed.as_ref().split('/') {
            let segment = if segment == self.0 { "" } else { segment };
            // What was listed is made of parts.
            key = key.join(PathPart::parse(segment).unwrap_or_default());
        }
        key
    }

    /// A page of a listing with the word in its keys and prefixes.
    fn put_into(&self, page: &str) -> String {
        let mut put = String::with_capacity(page.len());
        let mut rest = page;
        while let Some(begin) = ["<Key>", "<Prefix>", "<Name>"]
            .iter()
            .filter_map(|tag| rest.find(tag).map(|at| at + tag.len()))
            .min()
        {
            let (before, after) = rest.split_at(begin);
            put.push_str(before);
            let (key, after) = after.split_at(after.find('<').unwrap_or(after.len()));
            put.push_str(&self.put_into_key(key, is_prefix(before)));
            rest = after;
        }
        put.push_str(rest);
        put
    }

    /// A prefix ends with a slash anyway; a key that does has an empty segment there.
    fn put_into_key(&self, key: &str, is_prefix: bool) -> String {
        let (key, end) = match key.strip_suffix('/') {
            Some(key) if is_prefix => (key, "/"),
            Some(_) | None => (key, ""),
        };
        let segments: Vec<&str> = key
            .split('/')
            .map(|segment| {
                if segment.is_empty() {
                    self.0.as_str()
                } else {
                    segment
                }
            })
            .collect();
        if key.is_empty() {
            return end.to_owned();
        }
        segments.join("/") + end
    }
}

/// Whether the name that follows in a listing is of a prefix: Azure calls it as it calls an object.
fn is_prefix(before: &str) -> bool {
    before.ends_with("<Prefix>")
        || before
            .strip_suffix("<Name>")
            .is_some_and(|before| before.trim_end().ends_with("<BlobPrefix>"))
}

/// Makes clients that put the word into listings.
#[derive(Debug)]
pub(super) struct Connector(pub(super) EmptySegment);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Listings {
            client: ReqwestConnector::default().connect(options)?,
            word: self.0.clone(),
        }))
    }
}

#[derive(Debug)]
struct Listings {
    client: HttpClient,
    word: EmptySegment,
}

#[async_trait]
impl HttpService for Listings {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_listing = request.uri().query().is_some_and(|query| {
            query
                .split('&')
                .any(|pair| matches!(pair, "list-type=2" | "comp=list"))
        });
        let response = self.client.execute(request).await?;
        if !is_listing {
            return Ok(response);
        }
        let (mut head, body) = response.into_parts();
        let page = body.bytes().await?;
        let page = match std::str::from_utf8(&page) {
            Ok(text) => Bytes::from(self.word.put_into(text)),
            Err(_) => page,
        };
        head.headers.remove("content-length");
        Ok(HttpResponse::from_parts(head, HttpResponseBody::from(page)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, listed: &str) {
        let word = EmptySegment("*".to_owned());
        assert_eq!(word.put_into_key(key, false), listed);
        if !key.starts_with('/') {
            assert_eq!(word.restore(Path::parse(listed).unwrap()).as_ref(), key);
        }
    }

    #[test]
    fn keys_come_back_as_they_were() {
        check("a/b", "a/b");
        check("a//b", "a/*/b");
        check("a///b//", "a/*/*/b/*/*");
        check("a/", "a/*");
        check("a b/ü&amp;", "a b/ü&amp;");
        check("/a", "*/a");
    }

    #[test]
    fn only_keys_and_prefixes_of_a_page_are_touched() {
        let word = EmptySegment("*".to_owned());
        let page = "<R><Prefix>f/</Prefix><N>x//y</N><Contents><Key>f//a</Key><E>//</E></Contents>\
                    <CommonPrefixes><Prefix>f//</Prefix></CommonPrefixes><Prefix></Prefix></R>";
        let put = "<R><Prefix>f/</Prefix><N>x//y</N><Contents><Key>f/*/a</Key><E>//</E></Contents>\
                   <CommonPrefixes><Prefix>f/*/</Prefix></CommonPrefixes><Prefix></Prefix></R>";
        assert_eq!(word.put_into(page), put);
    }

    #[test]
    fn a_page_of_azure_is_read_alike() {
        let word = EmptySegment("*".to_owned());
        let page = "<R><Prefix>f/</Prefix><Blobs><Blob><Name>f//a</Name><E>//</E></Blob><Blob><Name>f/</Name></Blob>\
                    <BlobPrefix><Name>f//</Name></BlobPrefix><BlobPrefix><Name>f/b/</Name></BlobPrefix></Blobs></R>";
        let put = "<R><Prefix>f/</Prefix><Blobs><Blob><Name>f/*/a</Name><E>//</E></Blob><Blob><Name>f/*</Name></Blob>\
                   <BlobPrefix><Name>f/*/</Name></BlobPrefix><BlobPrefix><Name>f/b/</Name></BlobPrefix></Blobs></R>";
        assert_eq!(word.put_into(page), put);
    }
}
