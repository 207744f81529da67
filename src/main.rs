//! The browser app.

mod inspector;
mod problems;
mod run;
mod session;
mod text;

use leptos::prelude::*;

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(|| {
        provide_context(session::Session::new());
    });
}
