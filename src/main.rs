//! The browser app.

mod canvas;
mod dialogs;
mod inspector;
mod palette;
mod platform;
mod problems;
mod run;
mod session;
mod shell;
mod text;
mod ui;

fn main() {
    console_error_panic_hook::set_once();
    platform::page::clear_start();
    leptos::mount::mount_to_body(shell::app);
}
