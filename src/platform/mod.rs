//! The only place that touches the browser's interfaces (web_sys, js_sys). Everything here is thin, and none of it panics when
//! the browser refuses.

pub mod clipboard;
pub mod dom;
pub mod files;
pub mod link;
pub mod page;
pub mod paint;
pub mod pointer;
pub mod storage;
pub mod time;
pub mod worker;
