// SPDX-License-Identifier: Apache-2.0
// rows.js: a long list of rows of equal height; only the visible rows are in the page.

// Browsers limit heights to about this; a higher list scrolls in larger steps.
const HIGHEST = 8000000;
const AHEAD = 4; // rows above and below the visible ones

class Rows {
    // makeRow() returns a row, and fillRow(row, index) sets its content; drawn(first, last, top),
    // which is optional, receives the rows in the page and the place of the first.
    constructor(height, makeRow, fillRow, drawn) {
        this.height = height;
        this.makeRow = makeRow;
        this.fillRow = fillRow;
        this.drawn = drawn;
        this.count = 0;
        this.there = new Map();
        this.box = make("div", "run-rows");
        this.inside = make("div", "run-rows-inside");
        this.box.append(this.inside);
        this.box.addEventListener("scroll", () => this.later(), { passive: true });
        this.observer = new ResizeObserver(() => this.later());
        this.observer.observe(this.box);
    }

    // Updates the content of the rows.
    refresh() {
        for (const [index, row] of this.there)
            this.fillRow(row, index);
    }

    // Replaces the rows.
    reset(count) {
        this.count = count;
        this.inside.style.height = `${Math.min(count * this.height, HIGHEST)}px`;
        for (const row of this.there.values())
            row.remove();
        this.there.clear();
        this.update();
    }

    later() {
        if (this.asked)
            return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.update();
        });
    }

    // The number of rows above the visible part, not an integer.
    above() {
        const all = this.count * this.height, seen = this.box.clientHeight;
        return all <= HIGHEST ? this.box.scrollTop / this.height
            : this.box.scrollTop / (HIGHEST - seen) * (this.count - seen / this.height);
    }

    update() {
        const above = this.above(), seen = this.box.clientHeight / this.height;
        const first = Math.max(0, Math.floor(above) - AHEAD);
        const last = Math.min(this.count - 1, Math.ceil(above + seen) + AHEAD);
        const top = this.box.scrollTop + (first - above) * this.height;
        for (const [index, row] of this.there)
            if (index < first || index > last) {
                row.remove();
                this.there.delete(index);
            }
        for (let index = first; index <= last; index++) {
            let row = this.there.get(index);
            if (row === undefined) {
                row = this.makeRow();
                this.fillRow(row, index);
                this.there.set(index, row);
                this.inside.append(row);
            }
            row.style.top = `${top + (index - first) * this.height}px`;
        }
        this.drawn?.(first, last, top);
    }

    // Scrolls to a row; it is in the middle then, unless it was visible before.
    reveal(index) {
        const above = this.above(), seen = this.box.clientHeight / this.height;
        if (index >= above && index + 1 <= above + seen) {
            // The box may have grown since rows were last drawn.
            if (!this.there.has(index))
                this.update();
            return;
        }
        const wanted = Math.max(0, index - (seen - 1) / 2);
        const all = this.count * this.height;
        this.box.scrollTop = all <= HIGHEST ? wanted * this.height
            : wanted / (this.count - seen) * (HIGHEST - this.box.clientHeight);
        this.update();
    }

    close() {
        this.observer.disconnect();
    }
}
