//! Rectangles of the page, y downwards, and how a layout takes strips off them.

/// Left, top, width, height in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    pub fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Rect { x, y, w: w.max(0.0), h: h.max(0.0) }
    }

    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub fn middle(&self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Smaller by a margin on each side.
    pub fn inset(&self, margin: f64) -> Rect {
        Rect::new(self.x + margin, self.y + margin, self.w - 2.0 * margin, self.h - 2.0 * margin)
    }

    /// Takes a strip off the top and returns it.
    pub fn take_top(&mut self, height: f64) -> Rect {
        let height = height.min(self.h);
        let strip = Rect::new(self.x, self.y, self.w, height);
        self.y += height;
        self.h -= height;
        strip
    }

    /// Takes a strip off the bottom and returns it.
    pub fn take_bottom(&mut self, height: f64) -> Rect {
        let height = height.min(self.h);
        self.h -= height;
        Rect::new(self.x, self.y + self.h, self.w, height)
    }

    /// Takes a strip off the left and returns it.
    pub fn take_left(&mut self, width: f64) -> Rect {
        let width = width.min(self.w);
        let strip = Rect::new(self.x, self.y, width, self.h);
        self.x += width;
        self.w -= width;
        strip
    }

    /// Takes a strip off the right and returns it.
    pub fn take_right(&mut self, width: f64) -> Rect {
        let width = width.min(self.w);
        self.w -= width;
        Rect::new(self.x + self.w, self.y, width, self.h)
    }

    /// Whether the two share more than an edge.
    pub fn meets(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether the other lies inside.
    pub fn holds(&self, other: &Rect) -> bool {
        other.x >= self.x && other.y >= self.y && other.right() <= self.right() && other.bottom() <= self.bottom()
    }
}
