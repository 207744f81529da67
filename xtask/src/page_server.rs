//! A small web server for the built app, on this machine only, with the headers a public one has to send.

use crate::project;
use crate::site;
use crate::steps::Outcome;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// The content security policy of the page and, sent with its script, of the worker: a worker does not take over the page's.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
    connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Sent with every answer.
const HEADERS: [(&str, &str); 6] = [
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
];

/// The script a development page listens with: it loads the page anew after each build.
const RELOAD_SCRIPT: &str = "new EventSource(\"dev-events\").addEventListener(\"built\", () => location.reload());\n";

/// The longest request head that is read; a browser's is far shorter.
const MAX_HEAD: usize = 32 * 1024;

/// One file in memory, plain and compressed.
struct Asset {
    mime: &'static str,
    plain: Vec<u8>,
    gzip: Option<Vec<u8>>,
    brotli: Option<Vec<u8>>,
    tag: String,
    keep: bool,
}

/// The files being served; a new build replaces them all at once.
pub struct Pages {
    assets: RwLock<Arc<BTreeMap<String, Asset>>>,
    version: RwLock<u64>,
    dev: bool,
}

impl Pages {
    /// Reads a built folder. `dev` adds the script that reloads the page.
    pub fn load(folder: &Path, dev: bool) -> Outcome<Arc<Self>> {
        let assets = RwLock::new(Arc::new(read_assets(folder, dev)?));
        Ok(Arc::new(Self { assets, version: RwLock::new(0), dev }))
    }

    /// Takes a new build and tells the open pages.
    pub fn reload(&self, folder: &Path) -> Outcome<()> {
        let fresh = Arc::new(read_assets(folder, self.dev)?);
        let poisoned = |_| "the server lost its files".to_owned();
        *self.assets.write().map_err(|error| poisoned(error.to_string()))? = fresh;
        *self.version.write().map_err(|error| poisoned(error.to_string()))? += 1;
        Ok(())
    }
}

fn read_assets(folder: &Path, dev: bool) -> Outcome<BTreeMap<String, Asset>> {
    let bytes = |path: &Path| std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()));
    let mut assets = BTreeMap::new();
    for path in project::files_under(folder)? {
        let text = path.to_string_lossy();
        if text.ends_with(".gz") || text.ends_with(".br") {
            continue;
        }
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        let name = relative.to_string_lossy().replace('\\', "/");
        let mut asset = Asset {
            mime: mime(&name),
            plain: bytes(&path)?,
            gzip: bytes(Path::new(&format!("{text}.gz"))).ok(),
            brotli: bytes(Path::new(&format!("{text}.br"))).ok(),
            tag: String::new(),
            keep: site::is_named_by_content(relative),
        };
        if dev && name == "index.html" {
            let page =
                String::from_utf8_lossy(&asset.plain).replace("</head>", "<script type=\"module\" src=\"dev-reload.js\"></script></head>");
            (asset.plain, asset.gzip, asset.brotli) = (page.into_bytes(), None, None);
        }
        let mut content = project::Fingerprint::new();
        content.add(&asset.plain);
        asset.tag = content.hex();
        assets.insert(name, asset);
    }
    if dev {
        let script = RELOAD_SCRIPT.as_bytes().to_vec();
        assets.insert(
            "dev-reload.js".to_owned(),
            Asset { mime: mime("dev-reload.js"), plain: script, gzip: None, brotli: None, tag: "dev".to_owned(), keep: false },
        );
    }
    Ok(assets)
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml; charset=utf-8",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json; charset=utf-8",
        "md" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Takes a port of this machine: the one asked for, or any free one for 0.
pub fn listen(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Answers for as long as the process lives, a thread a connection.
pub fn serve_forever(listener: &TcpListener, pages: &Arc<Pages>) {
    for stream in listener.incoming().flatten() {
        let pages = Arc::clone(pages);
        std::thread::spawn(move || {
            // A browser that hangs up in the middle of an answer has its reasons.
            let _ = converse(&stream, &pages);
        });
    }
}

/// Serves in the background; returns the address.
pub fn serve_in_background(pages: Arc<Pages>) -> Outcome<String> {
    let listener = listen(0).map_err(|error| format!("no port of this machine can be had: {error}"))?;
    let port = listener.local_addr().map_err(|error| format!("the port is unknown: {error}"))?.port();
    std::thread::spawn(move || serve_forever(&listener, &pages));
    Ok(format!("http://127.0.0.1:{port}/"))
}

/// What a request asks for.
struct Request {
    method: String,
    path: String,
    encodings: String,
    tag: String,
    close: bool,
}

fn converse(stream: &TcpStream, pages: &Pages) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader)? {
        if pages.dev && request.path == "/dev-events" {
            return tell_builds(stream, pages);
        }
        answer(stream, pages, &request)?;
        if request.close {
            break;
        }
    }
    Ok(())
}

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut head = 0;
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or("").to_owned();
    let target = words.next().unwrap_or("");
    let path = target.split(['?', '#']).next().unwrap_or("").to_owned();
    let mut request = Request { method, path, encodings: String::new(), tag: String::new(), close: false };
    loop {
        let mut line = String::new();
        let length = reader.read_line(&mut line)?;
        head += length;
        if length == 0 || head > MAX_HEAD {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Some(request));
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "accept-encoding" => request.encodings = value.to_ascii_lowercase(),
            "if-none-match" => request.tag = value.to_owned(),
            "connection" => request.close = value.eq_ignore_ascii_case("close"),
            // No request with a body is served, so the rest of this connection cannot be told from a body.
            "content-length" | "transfer-encoding" => request.close = true,
            _ => {}
        }
    }
}

fn answer(mut stream: &TcpStream, pages: &Pages, request: &Request) -> std::io::Result<()> {
    let assets = match pages.assets.read() {
        Ok(assets) => Arc::clone(&assets),
        Err(_) => return Ok(()),
    };
    let name = match request.path.as_str() {
        "/" => "index.html",
        path => path.trim_start_matches('/'),
    };
    let (status, mime, mut headers, body): (_, _, String, &[u8]) = match assets.get(name) {
        _ if request.method != "GET" && request.method != "HEAD" => {
            ("405 Method Not Allowed", "text/plain; charset=utf-8", "Allow: GET, HEAD\r\n".to_owned(), b"Only GET and HEAD.\n")
        }
        None => ("404 Not Found", "text/plain; charset=utf-8", "Cache-Control: no-store\r\n".to_owned(), b"There is no such page.\n"),
        Some(asset) => {
            let accepts =
                |coding: &str| request.encodings.split(',').any(|word| word.split(';').next().is_some_and(|word| word.trim() == coding));
            let (coding, body) = match (&asset.brotli, &asset.gzip) {
                (Some(body), _) if accepts("br") => (Some("br"), body),
                (_, Some(body)) if accepts("gzip") => (Some("gzip"), body),
                _ => (None, &asset.plain),
            };
            let tag = format!("\"{}{}\"", asset.tag, coding.map(|coding| format!("-{coding}")).unwrap_or_default());
            let caching = if asset.keep { "public, max-age=31536000, immutable" } else { "no-cache" };
            let mut headers = format!("Cache-Control: {caching}\r\nETag: {tag}\r\nVary: Accept-Encoding\r\n");
            if let Some(coding) = coding {
                headers.push_str(&format!("Content-Encoding: {coding}\r\n"));
            }
            if request.tag.split(',').any(|known| known.trim() == tag) {
                ("304 Not Modified", asset.mime, headers, &[])
            } else {
                ("200 OK", asset.mime, headers, body)
            }
        }
    };
    for (name, value) in HEADERS {
        headers.push_str(&format!("{name}: {value}\r\n"));
    }
    let connection = if request.close { "close" } else { "keep-alive" };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {length}\r\nConnection: {connection}\r\n{headers}\r\n")?;
    if request.method != "HEAD" {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// Keeps a development page informed: one event a build.
fn tell_builds(mut stream: &TcpStream, pages: &Pages) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n")?;
    let version = || pages.version.read().map_or(0, |version| *version);
    let mut known = version();
    let mut silence = 0;
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let now = version();
        if now != known {
            known = now;
            write!(stream, "event: built\ndata: {now}\n\n")?;
            stream.flush()?;
        }
        silence += 1;
        if silence % 50 == 0 {
            // A comment, to notice that the page is gone.
            write!(stream, ":\n\n")?;
            stream.flush()?;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Read;

    /// Serves two files and returns the whole answer to one request.
    fn ask(request: &str) -> String {
        let folder = std::env::temp_dir().join(format!("loopwright-server-{}-{:?}", std::process::id(), std::thread::current().id()));
        let named = folder.join("worker-0123456789abcdef");
        std::fs::create_dir_all(&named).unwrap();
        std::fs::write(folder.join("index.html"), "<p>page</p>").unwrap();
        std::fs::write(named.join("start.js"), "plain").unwrap();
        std::fs::write(named.join("start.js.br"), "brotli").unwrap();
        let address = serve_in_background(Pages::load(&folder, false).unwrap()).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let mut stream = TcpStream::connect(address.trim_start_matches("http://").trim_end_matches('/')).unwrap();
        stream.write_all(format!("{request}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_request_gets_the_file_in_the_best_form_it_accepts() {
        let worker = "/worker-0123456789abcdef/start.js";
        let cases = [
            ("GET / HTTP/1.1".to_owned(), "200 OK", "Cache-Control: no-cache", "\r\n\r\n<p>page</p>"),
            ("GET /?measure HTTP/1.1".to_owned(), "200 OK", "Content-Type: text/html", "\r\n\r\n<p>page</p>"),
            (format!("GET {worker} HTTP/1.1"), "200 OK", "immutable", "\r\n\r\nplain"),
            (format!("GET {worker} HTTP/1.1\r\nAccept-Encoding: gzip, br;q=1"), "200 OK", "Content-Encoding: br", "\r\n\r\nbrotli"),
            (format!("HEAD {worker} HTTP/1.1"), "200 OK", "Content-Length: 5", "\r\n\r\n"),
            ("GET /../Cargo.toml HTTP/1.1".to_owned(), "404 Not Found", "no-store", "There is no such page.\n"),
            (format!("GET /{worker} HTTP/1.1"), "200 OK", "text/javascript", "plain"),
            ("POST / HTTP/1.1\r\nContent-Length: 4".to_owned(), "405 Method Not Allowed", "Allow: GET, HEAD", "Only GET and HEAD.\n"),
        ];
        for (request, status, header, end) in cases {
            let answer = ask(&request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{request}: {answer}");
            assert!(answer.contains(header), "{request} lacks {header}: {answer}");
            assert!(answer.ends_with(end), "{request}: {answer}");
            for (name, value) in HEADERS {
                assert!(answer.contains(&format!("{name}: {value}\r\n")), "{request} lacks {name}: {answer}");
            }
        }
    }

    #[test]
    fn a_file_the_browser_has_is_not_sent_again() {
        let first = ask("GET / HTTP/1.1");
        let tag = first.lines().find_map(|line| line.strip_prefix("ETag: ")).unwrap();
        let second = ask(&format!("GET / HTTP/1.1\r\nIf-None-Match: {tag}"));
        assert!(second.starts_with("HTTP/1.1 304 Not Modified\r\n") && second.ends_with("\r\n\r\n"), "{second}");
    }
}
