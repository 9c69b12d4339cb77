//! A link as a QR code, drawn as SVG.

use std::fmt::Write;

use askama::Template;
use fast_qr::{ECL, QRBuilder};

use super::page::HtmlPage;

/// Light modules around a code, as ISO/IEC 18004 asks.
const MARGIN: usize = 4;

/// The QR code of `url` as SVG, readable with 15 % of it damaged; `None` if no code has room for so long a link (2,331 bytes
/// fit).
pub fn qr_code(url: &str) -> Option<HtmlPage> {
    qr_svg(url).map(HtmlPage::drawing)
}

/// The drawing itself.
pub fn qr_svg(url: &str) -> Option<String> {
    let code = QRBuilder::new(url).ecl(ECL::M).build().ok()?;
    let mut path = String::new();
    for y in 0..code.size {
        let row = code[y].get(..code.size).unwrap_or_default();
        let mut x = 0;
        for run in row.chunk_by(|one, next| one.value() == next.value()) {
            if run.first().is_some_and(|module| module.value()) {
                let (left, top, length) = (x + MARGIN, y + MARGIN, run.len());
                // Writing to a string cannot fail.
                let _ = write!(path, "M{left} {top}h{length}v1h-{length}z");
            }
            x += run.len();
        }
    }
    let size = code.size + 2 * MARGIN;
    let drawing = Drawing {
        url,
        size,
        pixels: 8 * size,
        path,
    };
    Some(drawing.to_string())
}

#[derive(Template)]
#[template(path = "qr.svg", escape = "html")]
struct Drawing<'a> {
    url: &'a str,
    /// Modules of a side, with the margin.
    size: usize,
    pixels: usize,
    path: String,
}
