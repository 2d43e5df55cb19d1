// SPDX-License-Identifier: Apache-2.0
// chart.js: the sequence chart: a row for each step, with one picture over the visible rows.

const ROW = 34;      // height of a row
const LEFT = 60;     // space before the first lifeline's column
const LETTER = 7;    // approximate width of a character
const LONGEST = 16;  // characters of a box
const GAP = 76;      // minimum between two boxes
const NARROW = 40;   // minimum if there is little room
const TURN = 44;     // width for the arrow back
const BUCKET = 64;   // steps for each bucket of arrows

function shape(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, value);
    if (text !== undefined)
        made.textContent = text;
    return made;
}

class Chart {
    // pick(process): the user wants to see only the steps of a process. go(step): go to a step.
    constructor(run, pick, go) {
        this.run = run;
        this.step = 0;
        this.rows = new Rows(ROW, () => this.makeRow(),
            (row, index) => this.fillRow(row, index),
            (first, last, top) => this.draw(first, last, top));
        this.rows.box.tabIndex = 0;
        this.rows.box.setAttribute("role", "listbox");
        this.rows.box.setAttribute("aria-label", "Steps of the run");
        this.rows.box.addEventListener("scroll", () => {
            this.heads.scrollLeft = this.rows.box.scrollLeft;
        }, { passive: true });
        this.rows.box.addEventListener("click", (event) => {
            const row = event.target.closest(".run-step");
            if (row !== null)
                go(Number(row.dataset.step));
        });
        this.pick = pick;
        this.picture = shape("svg", { class: "run-picture", "aria-hidden": "true" });
        this.rows.inside.append(this.picture);
        this.heads = make("div", "run-heads");
        this.panel = make("section", "run-panel run-chart");
        this.panel.append(this.heads, this.rows.box);
        this.sortMessages();
    }

    // Sorts messages into the buckets of steps during which they are in transit.
    sortMessages() {
        this.buckets = new Map();
        for (const message of this.run.messages) {
            if (!message.put && message.other !== 0)
                continue;
            const end = message.put && message.other !== 0 ? message.other : message.step;
            for (let b = Math.floor(message.step / BUCKET); b <= Math.floor(end / BUCKET); b++) {
                if (!this.buckets.has(b))
                    this.buckets.set(b, []);
                this.buckets.get(b).push(message);
            }
        }
    }

    // Shows these steps, and the lifelines of a process (null: all) and of those that move with it.
    filter(steps, process) {
        const { run } = this;
        const dealing = new Set(process === null ? run.processes.keys() : [process]);
        let unowned = run.processes.length === 0;
        for (const step of steps) {
            const who = run.who(step);
            unowned = unowned || (process === null && step > 0 && who.length === 0);
            who.forEach((other) => dealing.add(other));
        }
        this.steps = steps;
        this.lifelines = [...dealing].sort((a, b) => a - b);
        if (unowned)
            this.lifelines.push(null);
        this.columnOf = new Map(this.lifelines.map((other, column) => [other, column]));
        const gap = this.rows.box.clientWidth < 600 ? NARROW : GAP;
        this.column = gap + 14 + LETTER * this.lifelines.reduce((most, other) =>
            Math.max(most, this.longestOf(other)), 4);
        this.right = LEFT + this.column * this.lifelines.length;
        this.makeHeads(process);
        this.rows.reset(steps.length);
    }

    longestOf(process) {
        if (process === null)
            return 4;
        const element = this.run.elements[this.run.locations.get(process)];
        const names = [this.run.processes[process].name, ...element?.names ?? []];
        return names.reduce((most, name) => Math.max(most, Math.min(name?.length ?? 0, LONGEST)), 0);
    }

    makeHeads(process) {
        const inside = make("div", "run-heads-inside");
        inside.style.width = `${this.right + 400}px`;
        this.lifelines.forEach((other, column) => {
            const name = other === null ? "model" : this.run.processes[other].name;
            const head = make("button", "run-plain run-head", name);
            head.type = "button";
            head.title = other === null ? name : `${name}: only its steps, or all`;
            head.setAttribute("aria-pressed", String(other !== null && other === process));
            head.disabled = other === null;
            head.style.left = `${LEFT + column * this.column}px`;
            head.style.width = `${this.column}px`;
            head.addEventListener("click", () => this.pick(other));
            inside.append(head);
        });
        this.heads.replaceChildren(inside);
        this.rows.inside.style.minWidth = `${this.right + 400}px`;
    }

    go(step) {
        this.step = step;
        const index = firstAfter(this.steps, step) - 1;
        if (index >= 0)
            this.rows.reveal(index);
        this.revealMovers();
        for (const row of this.rows.there.values())
            this.mark(row);
    }

    // Scrolls sideways to the moving processes, as far as there is room for all of them.
    revealMovers() {
        const { box } = this.rows;
        const columns = this.run.who(this.step).map((process) => this.columnOf.get(process))
            .filter((column) => column !== undefined);
        if (columns.length === 0)
            return;
        const left = Math.min(...columns) * this.column;
        const right = LEFT + (Math.max(...columns) + 1) * this.column - box.clientWidth;
        if (box.scrollLeft < right)
            box.scrollLeft = right;
        if (box.scrollLeft > left)
            box.scrollLeft = left;
    }

    mark(row) {
        const now = Number(row.dataset.step) === this.step;
        row.classList.toggle("run-now", now);
        row.setAttribute("aria-selected", String(now));
        if (now)
            this.rows.box.setAttribute("aria-activedescendant", row.id);
    }

    makeRow() {
        const row = make("div", "run-step");
        row.setAttribute("role", "option");
        row.append(make("span", "run-step-number"), make("span", "run-step-label"));
        return row;
    }

    fillRow(row, index) {
        const step = this.steps[index], [number, label] = row.children;
        row.dataset.step = step;
        row.id = `run-step-${step}`;
        const words = this.run.label(step), printed = this.run.printed(step);
        row.title = words + (printed === null ? "" : `\n${this.run.prints.get(step)}`);
        row.setAttribute("aria-posinset", index + 1);
        row.setAttribute("aria-setsize", this.steps.length);
        number.textContent = String(step);
        label.textContent = cut(words, WIDEST);
        if (printed !== null)
            label.append(make("span", "run-printed", cut(printed, WIDEST)));
        row.classList.toggle("run-violates", this.run.violates(step));
        if (this.run.violates(step))
            label.append(make("span", "run-violation", "violated from here on"));
        label.style.left = `${this.right + TURN}px`;
        this.mark(row);
    }

    // ---- the picture ----

    x(process) {
        return LEFT + this.column * (this.columnOf.get(process ?? null) + 0.5);
    }

    // The middle of a step's row in the picture; between two rows if the step is not shown.
    y(step) {
        const after = firstAfter(this.steps, step);
        const index = this.steps[after - 1] === step ? after - 1 : after - 0.5;
        return (index - this.first + 0.5) * ROW;
    }

    put(tag, attributes, text) {
        this.picture.append(shape(tag, attributes, text));
    }

    draw(first, last, top) {
        const { picture } = this, height = Math.max(0, last - first + 1) * ROW;
        this.first = first;
        picture.replaceChildren(this.tips());
        picture.setAttribute("width", this.right + TURN);
        picture.setAttribute("height", height);
        picture.style.top = `${top}px`;
        if (last < first)
            return;
        const from = first === 0 ? ROW / 2 : 0;
        const to = last + 1 === this.steps.length ? height - ROW / 2 : height;
        this.drawCycle(height);
        for (const process of this.lifelines)
            this.put("line", { class: "run-life", x1: this.x(process), x2: this.x(process),
                y1: from, y2: to });
        this.drawMessages(this.steps[first], this.steps[last]);
        for (let index = first; index <= last; index++)
            this.drawStep(this.steps[index], (index - first + 0.5) * ROW);
    }

    tips() {
        const defs = shape("defs", {});
        for (const name of ["tip", "turn"]) {
            const marker = shape("marker", { id: `run-${name}`, viewBox: "0 0 8 8", refX: 7,
                refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse",
                orient: "auto" });
            marker.append(shape("path", { class: `run-${name}`, d: "M0 0L8 4L0 8z" }));
            defs.append(marker);
        }
        return defs;
    }

    // Coordinates are limited to a row beyond the visible part.
    drawCycle(height) {
        const { run, right } = this;
        if (run.loop === null)
            return;
        const inside = (y) => Math.min(Math.max(y, -ROW), height + ROW);
        const start = this.y(run.loop), end = this.y(run.steps);
        const top = inside(start), bottom = inside(end);
        this.put("rect", { class: "run-cycle", x: LEFT - 8, y: top, width: right - LEFT + 16,
            height: Math.max(0, bottom - top) + 14, rx: 8 });
        this.put("path", { class: "run-turn-line",
            d: `M${right} ${bottom}H${right + 22}V${top}H${right + 10}`,
            "marker-end": start >= 0 ? "url(#run-turn)" : "" });
    }

    boxWidth(process, step) {
        const name = process === null ? null : this.run.locationAt(process, step);
        return name === null ? 10 : cut(name, LONGEST).length * LETTER + 14;
    }

    drawBox(process, step, y, moves) {
        const x = this.x(process), kind = moves ? "run-box" : "run-box run-rest";
        const name = process === null ? null : this.run.locationAt(process, step);
        if (name === null) {
            this.put("circle", { class: kind, cx: x, cy: y, r: 5 });
            return;
        }
        const width = this.boxWidth(process, step);
        this.put("rect", { class: kind, x: x - width / 2, y: y - 11, width, height: 22, rx: 11 });
        this.put("text", { class: "run-middle", x, y: y + 4 }, cut(name, LONGEST));
    }

    drawStep(step, y) {
        const { run } = this, who = run.who(step), transition = run.transition(step);
        if (step === 0)
            this.lifelines.forEach((process) => this.drawBox(process, 0, y, false));
        if (who.length > 1)
            this.drawHanding(transition, who, step, y);
        for (const process of who)
            this.drawBox(process, step, y, true);
        if (transition !== null && who.length === 0)
            this.drawBox(null, step, y, true);
    }

    // Draws lines between the processes that move together.
    drawHanding(transition, who, step, y) {
        for (let k = 1; k < who.length; k++) {
            const a = who[k - 1], b = who[k], way = Math.sign(this.x(b) - this.x(a));
            const from = this.x(a) + way * this.boxWidth(a, step) / 2;
            const to = this.x(b) - way * this.boxWidth(b, step) / 2;
            this.put("line", { class: "run-arrow", x1: from, y1: y, x2: to, y2: y,
                "marker-end": who.length === 2 ? "url(#run-tip)" : "" });
            if (transition.sign === "=")
                this.put("text", { class: "run-name run-middle", x: (from + to) / 2, y: y - 5 },
                    cut(transition.channel, LONGEST));
        }
    }

    drawMessages(first, last) {
        const seen = new Set();
        for (let b = Math.floor(first / BUCKET); b <= Math.floor(last / BUCKET); b++)
            for (const message of this.buckets.get(b) ?? [])
                if (!seen.has(message)) {
                    seen.add(message);
                    this.drawMessage(message);
                }
    }

    // The first process that moves in a step; undefined if it is not shown.
    mover(step) {
        const process = this.run.who(step)[0] ?? null;
        return this.columnOf.has(process) ? process : undefined;
    }

    // From the process that puts it into the channel to the one that takes it, or to an open end.
    drawMessage({ step, put, other, channel, text }) {
        const sender = this.mover(step), taker = other === 0 ? undefined : this.mover(other);
        const name = cut(`${channel}${put ? "!" : "?"}${text}`, LONGEST + 8);
        const shown = (one) => this.steps[firstAfter(this.steps, one) - 1] === one;
        if (sender === undefined || !(shown(step) || (other !== 0 && shown(other))))
            return;
        const y = this.y(step);
        let x = this.x(sender) + this.boxWidth(sender, step) / 2;
        if (taker === undefined) {
            this.put("line", { class: "run-arrow", x1: x, y1: y, x2: x + 16, y2: y });
            this.put("circle", { class: "run-arrow", cx: x + 19, cy: y, r: 3 });
        } else {
            const left = this.x(taker) < x, width = this.boxWidth(taker, other) / 2;
            x -= left ? this.boxWidth(sender, step) : 0;
            this.put("line", { class: "run-arrow", x1: x, y1: y,
                x2: this.x(taker) + (left ? width : -width), y2: this.y(other),
                "marker-end": "url(#run-tip)" });
            if (left) {
                this.put("text", { class: "run-name run-end", x: x - 4, y: y - 6 }, name);
                return;
            }
        }
        this.put("text", { class: "run-name", x: x + 4, y: y - 6 }, name);
    }
}
