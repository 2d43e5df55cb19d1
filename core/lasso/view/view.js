// SPDX-License-Identifier: Apache-2.0
// view.js: the whole view, and the navigation in it.

const PAGE = 10; // rows that PageUp and PageDown move by
const SETTLED = 250; // milliseconds until the address is updated

function button(text, title, click) {
    const made = make("button", "run-button", text);
    made.type = "button";
    made.title = title;
    made.setAttribute("aria-label", title);
    made.addEventListener("click", click);
    return made;
}

class View {
    // options.page: the view is the whole page, uses its keys and keeps the step in its address.
    constructor(root, data, options) {
        this.root = root;
        this.options = options;
        this.run = new Run(data);
        this.step = 0;
        this.process = null;
        this.chart = new Chart(this.run,
            (process) => this.filter(process === this.process ? null : process, this.search.value),
            (step) => this.go(step));
        this.variables = new Variables(this.run, (name) => this.filter(this.process, name),
            (step) => this.go(step));
        this.source = new Source(this.run);
        root.classList.add("omen-run");
        this.said = make("p", "run-said");
        this.said.setAttribute("aria-live", "polite");
        const panels = make("div", "run-panels");
        panels.append(this.chart.panel, this.source.panel, this.variables.panel);
        root.append(this.makeHead(), this.makeControls(), this.said, panels);
        this.listen();
        this.filter(null, "");
        this.go(this.linked() ?? 0);
    }

    makeHead() {
        const { data, steps, loop } = this.run;
        const head = make("header", "run-header"), about = make("p", "run-about");
        const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
        head.append(make("h1", "", data.model));
        if (data.property !== null) {
            const [, kind, text] = /^([a-z-]+)=?(.*)$/s.exec(data.property) ?? ["", "", data.property];
            about.append(make("span", "run-kind", kind));
            if (text !== "")
                about.append(make("code", "", text));
        }
        about.append(make("span", "run-soft", loop === null ? `a run of ${plural(steps, "step")}`
            : `${plural(loop, "step")}, then a cycle of ${plural(steps - loop, "step")} for ever`));
        if (data.fairness !== "none")
            about.append(make("span", "run-kind", `${data.fairness} fairness`));
        if (data.fair !== null)
            about.append(make("span", "run-kind", "assumed"), make("code", "", data.fair));
        if (this.run.violated !== null)
            about.append(this.makeViolated());
        if (data.reset_dead)
            about.append(make("span", "run-soft",
                "A local variable whose value is no longer used has its initial value."));
        head.append(about);
        return head;
    }

    makeViolated() {
        const { violated, steps, loop } = this.run;
        if (violated > steps)
            return make("span", "run-violation", `violated after step ${violated}, when the cycle continues`);
        const left = loop === null && violated === steps ? "; the rest of the run is left out" : "";
        const link = button(`violated from step ${violated} on`,
            `Every continuation violates the property from step ${violated} on${left} (v)`,
            () => this.go(violated));
        link.classList.add("run-violation");
        return link;
    }

    makeControls() {
        const { steps, loop } = this.run, bar = make("div", "run-controls");
        this.slider = make("input", "run-slider");
        Object.assign(this.slider, { type: "range", min: 0, max: steps, step: 1, value: 0 });
        this.slider.setAttribute("aria-label", "Step");
        this.number = make("input", "run-number");
        Object.assign(this.number, { type: "number", min: 0, max: steps, value: 0 });
        this.number.setAttribute("aria-label", "Number of the step");
        this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
        this.number.addEventListener("change", () => this.go(Number(this.number.value)));
        const moves = make("div", "run-moves");
        moves.append(button("\u00ab", "First step (Home)", () => this.go(0)),
            button("\u2039", "One step back (left)", () => this.move(-1)),
            button("\u203a", "One step forward (right)", () => this.move(1)),
            button("\u00bb", "Last step (End)", () => this.go(steps)));
        if (loop !== null)
            moves.append(button("cycle", "Start of the cycle (c)", () => this.go(loop)));
        const number = make("span", "run-of");
        number.append(this.number, make("span", "run-soft", `of ${steps}`));
        bar.append(moves, this.slider, number, this.makeFilters());
        return bar;
    }

    makeFilters() {
        const filters = make("div", "run-filters");
        this.who = make("select", "run-who");
        this.who.setAttribute("aria-label", "Steps of a process");
        this.who.append(new Option("all processes", ""));
        this.run.processes.forEach((process, i) =>
            this.who.append(new Option(process.name, String(i))));
        this.search = make("input", "run-search");
        this.search.type = "search";
        this.search.placeholder = "variable (/)";
        this.search.setAttribute("aria-label", "Steps that change a variable");
        this.count = make("span", "run-soft run-count");
        this.who.addEventListener("change", () => this.filter(
            this.who.value === "" ? null : Number(this.who.value), this.search.value));
        this.search.addEventListener("input", () => this.filter(this.process, this.search.value));
        filters.append(this.who, this.search, this.count);
        return filters;
    }

    listen() {
        const page = this.options.page === true;
        this.onKey = (event) => this.key(event);
        this.onLink = () => {
            const step = this.linked();
            if (step !== null && step !== this.step)
                this.go(step);
        };
        this.onNarrow = () => {
            this.filter(this.process, this.search.value);
            this.go(this.step);
        };
        this.narrow = matchMedia("(max-width: 900px)");
        this.narrow.addEventListener("change", this.onNarrow);
        this.keys = page ? document : this.root;
        this.keys.addEventListener("keydown", this.onKey);
        if (page)
            addEventListener("hashchange", this.onLink);
    }

    // The step in the page's address, or null.
    linked() {
        const found = this.options.page === true && /[#&]step=(\d+)/.exec(location.hash);
        return found ? Math.min(Number(found[1]), this.run.steps) : null;
    }

    // Delayed, because browsers limit the rate of address changes.
    link() {
        if (this.options.page !== true)
            return;
        clearTimeout(this.linking);
        this.linking = setTimeout(() => {
            const hash = `#step=${this.step}`;
            if (location.hash !== hash && (this.step !== 0 || location.hash !== ""))
                history.replaceState(null, "", hash);
        }, SETTLED);
    }

    key(event) {
        const field = event.target.closest?.("input, select, textarea");
        if (event.ctrlKey || event.altKey || event.metaKey)
            return;
        if (field !== null && field !== undefined) {
            if (event.key === "Escape" && field === this.search)
                this.filter(this.process, "");
            return;
        }
        const actions = {
            ArrowRight: () => this.move(1), ArrowDown: () => this.move(1),
            ArrowLeft: () => this.move(-1), ArrowUp: () => this.move(-1),
            PageDown: () => this.move(PAGE), PageUp: () => this.move(-PAGE),
            Home: () => this.go(0), End: () => this.go(this.run.steps),
            c: () => this.go(this.run.loop ?? this.step),
            v: () => this.go(this.run.violated ?? this.step),
            Escape: () => this.filter(null, ""),
            "/": () => this.search.focus(),
        };
        if (!Object.hasOwn(actions, event.key))
            return;
        event.preventDefault();
        actions[event.key]();
    }

    // Moves by shown steps; from the end of a cycle, 1 moves to its first shown step.
    move(by) {
        const { steps } = this.chart, { run } = this, after = firstAfter(steps, this.step);
        const at = steps[after - 1] === this.step ? after - 1 : by > 0 ? after - 1 : after;
        if (by === 1 && this.step === run.steps && run.loop !== null) {
            const next = steps[firstAfter(steps, run.loop)];
            this.go(next ?? this.step);
            return;
        }
        this.go(steps[Math.min(Math.max(at + by, 0), steps.length - 1)]);
    }

    go(step) {
        const { run } = this;
        if (!Number.isFinite(step))
            step = this.step;
        this.step = Math.min(Math.max(Math.trunc(step), 0), run.steps);
        this.slider.value = this.number.value = this.step;
        this.slider.setAttribute("aria-valuetext", `${this.step}: ${run.label(this.step)}`);
        const words = make("span", "", `${run.label(this.step)} `);
        words.append(make("code", "run-soft", run.place(this.step)));
        if (run.printed(this.step) !== null)
            words.append(make("span", "run-printed", cut(run.printed(this.step), WIDEST)));
        if (run.violates(this.step))
            words.append(make("span", "run-violation",
                "violated: every continuation from here violates the property"));
        this.said.replaceChildren(make("b", "", String(this.step)), words);
        this.chart.go(this.step);
        this.variables.go(this.step);
        this.source.go(this.step);
        this.link();
    }

    filter(process, search) {
        this.process = process;
        this.who.value = process === null ? "" : String(process);
        if (this.search.value !== search)
            this.search.value = search;
        const steps = this.run.select(process, search);
        this.count.textContent = process === null && search === "" ? ""
            : `${steps.length - 1} of ${this.run.steps} steps`;
        this.variables.filter(process, search);
        this.chart.filter(steps, process);
        this.chart.go(this.step);
    }

    close() {
        this.keys.removeEventListener("keydown", this.onKey);
        this.narrow.removeEventListener("change", this.onNarrow);
        removeEventListener("hashchange", this.onLink);
        clearTimeout(this.linking);
        for (const rows of [this.chart.rows, this.variables.rows, this.source.rows])
            rows?.close();
        this.root.classList.remove("omen-run");
        this.root.replaceChildren();
    }
}

// Called by pages: shows a run in an element. The view has go(step), move(by) and close().
globalThis.omenRun = { mount: (root, data, options = {}) => new View(root, data, options) };

// A page written as HTML contains the data.
const own = document.getElementById("omen-run");
if (own !== null && own.type === "application/json") {
    const root = make("main");
    document.documentElement.classList.add("omen-run-page");
    document.body.append(root);
    globalThis.omenRun.mount(root, JSON.parse(own.textContent), { page: true });
}
