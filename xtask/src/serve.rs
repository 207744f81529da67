//! `cargo xtask serve`: the app in a browser, as built for the public or for working on it.

use crate::page_server::{self, Pages};
use crate::project::Project;
use crate::setup::{self, Kit, Need};
use crate::site::{self, Profile, Site};
use crate::steps::{Outcome, Steps, duration, paint};
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The port when none is asked for; a few above it are tried when it is taken.
const PORT: u16 = 8080;

/// Builds and serves until it is stopped.
pub fn run(project: &Project, steps: &mut Steps, dev: bool, port: Option<u16>) -> Outcome<()> {
    let kit = setup::prepare(project, steps, Need::Build)?;
    let site = Site::of(project, if dev { Profile::WebDev } else { Profile::Web });
    // The port first: a port that is taken is a mistake to hear of before a build of minutes.
    let listener = match port {
        Some(port) => page_server::listen(port).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => {
                format!("port {port} is taken by another program; give another one, for example --port {}", port.wrapping_add(1))
            }
            _ => format!("port {port} cannot be had: {error}"),
        })?,
        None => (PORT..PORT + 20)
            .find_map(|port| page_server::listen(port).ok())
            .ok_or_else(|| format!("ports {PORT} to {} are all taken; give a free one with --port", PORT + 19))?,
    };
    let port = listener.local_addr().map_err(|error| format!("the port is unknown: {error}"))?.port();
    let state = site::source_state(project)?.hex();
    site.build(project, &kit, steps)?;
    let pages = Pages::load(&site.folder, dev)?;
    println!("\n{}", paint("1", &format!("Loopwright is at http://127.0.0.1:{port}/")));
    if dev {
        println!("A changed file is built and the page reloaded. Ctrl+C stops.");
        let served = Arc::clone(&pages);
        std::thread::spawn(move || page_server::serve_forever(&listener, &served));
        watch(project, &kit, &site, &pages, state)
    } else {
        println!("Ctrl+C stops.");
        page_server::serve_forever(&listener, &pages);
        Ok(())
    }
}

/// Looks at the sources' state twice a second: cheap enough, and the same everywhere.
fn watch(project: &Project, kit: &Kit, site: &Site, pages: &Pages, mut built: String) -> Outcome<()> {
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let state = site::source_state(project)?.hex();
        if state == built {
            continue;
        }
        built = state;
        let began = Instant::now();
        match site.build(project, kit, &mut Steps::new()).and_then(|()| pages.reload(&site.folder)) {
            Ok(()) => println!("The page has it, {} after the change was seen.", duration(began.elapsed())),
            Err(message) => println!("{}\nThe page still shows the last build that worked.", paint("31", &message)),
        }
    }
}
