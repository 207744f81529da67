//! Drawing into a canvas element: the far view and the minimap.

use std::{cell::RefCell, collections::HashMap};

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A canvas of some size, cleared, whose unit is a CSS pixel.
pub struct Paint {
    context: CanvasRenderingContext2d,
    style: Option<web_sys::CssStyleDeclaration>,
    /// Colours that were looked up: asking the browser makes it settle the whole page's styles.
    known: RefCell<HashMap<String, String>>,
    filling: RefCell<String>,
}

impl Paint {
    /// Clears an element and gives it a size in CSS pixels.
    pub fn on(element: &HtmlCanvasElement, width: f64, height: f64) -> Option<Self> {
        let window = web_sys::window()?;
        let ratio = window.device_pixel_ratio().clamp(1.0, 3.0);
        let (wide, high) = ((width * ratio) as u32, (height * ratio) as u32);
        if element.width() != wide || element.height() != high {
            element.set_width(wide);
            element.set_height(high);
        }
        let context = element.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
        context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
        context.clear_rect(0.0, 0.0, width, height);
        let style = window.get_computed_style(element).ok().flatten();
        Some(Self { context, style, known: RefCell::default(), filling: RefCell::default() })
    }

    /// The value of a colour of the theme.
    pub fn colour(&self, name: &str) -> String {
        if let Some(colour) = self.known.borrow().get(name) {
            return colour.clone();
        }
        let found = self.style.as_ref().and_then(|style| style.get_property_value(name).ok());
        let colour = found.map(|value| value.trim().to_owned()).unwrap_or_default();
        self.known.borrow_mut().insert(name.to_owned(), colour.clone());
        colour
    }

    /// Fills a rectangle.
    pub fn fill(&self, colour: &str, x: f64, y: f64, w: f64, h: f64) {
        // Many neighbours share a colour, and each call into the browser costs.
        if *self.filling.borrow() != colour {
            self.context.set_fill_style_str(colour);
            colour.clone_into(&mut self.filling.borrow_mut());
        }
        self.context.fill_rect(x, y, w, h);
    }

    /// Draws the border of a rectangle.
    pub fn outline(&self, colour: &str, line: f64, x: f64, y: f64, w: f64, h: f64) {
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(line);
        self.context.stroke_rect(x, y, w, h);
    }

    /// Draws a line through points.
    pub fn line(&self, colour: &str, width: f64, points: impl IntoIterator<Item = (f64, f64)>) {
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(width);
        self.context.begin_path();
        for (at, (x, y)) in points.into_iter().enumerate() {
            if at == 0 {
                self.context.move_to(x, y);
            } else {
                self.context.line_to(x, y);
            }
        }
        self.context.stroke();
    }
}
