// SPDX-License-Identifier: Apache-2.0
// tables.js: the variables, and the model's source.

const LINE = 22; // height of a row
const WIDEST = 2000; // maximum characters of a line of source

class Variables {
    // pick(name): the user wants to see the steps that change it. jump(step): go to a step.
    constructor(run, pick, jump) {
        this.run = run;
        this.pick = pick;
        this.jump = jump;
        this.step = 0;
        this.process = null;
        this.search = "";
        this.only = make("input");
        this.only.type = "checkbox";
        this.only.addEventListener("change", () => this.choose());
        this.rows = new Rows(LINE, () => this.makeRow(),
            (row, index) => this.fillRow(row, this.elements[index]));
        this.rows.box.tabIndex = 0;
        this.rows.box.setAttribute("aria-label", "Variables");
        const label = make("label", "run-only", "changed only");
        label.prepend(this.only);
        const head = make("div", "run-panel-head");
        head.append(make("h2", "", "Variables"), label);
        const names = make("div", "run-variable run-variable-head");
        for (const name of ["name", "value", "before", "since step"])
            names.append(make("span", "", name));
        this.panel = make("section", "run-panel run-variables");
        this.panel.append(head, names, this.rows.box);
    }

    // Chooses the variables to show: those of the process and of none, with this text in the name.
    choose() {
        const { run, process, search, step } = this;
        this.elements = run.elements.filter((element) =>
            (process === null || element.process === null || element.process === process) &&
            element.name.includes(search) && (!this.only.checked || run.changesAt(element, step)));
        this.rows.reset(this.elements.length);
        this.panel.classList.toggle("run-none", this.elements.length === 0);
    }

    filter(process, search) {
        this.process = process;
        this.search = search;
        this.choose();
    }

    go(step) {
        this.step = step;
        if (this.only.checked)
            this.choose();
        else
            this.rows.refresh();
        const changed = this.elements.findIndex((element) => this.run.changesAt(element, step));
        if (changed >= 0)
            this.rows.reveal(changed);
    }

    makeRow() {
        const row = make("div", "run-variable");
        const name = make("button", "run-plain"), since = make("button", "run-plain run-since");
        name.type = since.type = "button";
        name.addEventListener("click", () => this.pick(name.textContent));
        since.addEventListener("click", () => this.jump(Number(since.textContent)));
        row.append(name, make("span", "run-value"), make("span", "run-before"), since);
        return row;
    }

    fillRow(row, element) {
        const { run } = this, [name, value, before, since] = row.children;
        const change = run.changeOf(element, this.step), step = element.at[change];
        const changed = step === this.step && step > 0;
        row.classList.toggle("run-changed", changed);
        name.textContent = name.title = element.name;
        value.textContent = value.title = run.text(element, element.values[change]);
        before.textContent = changed ? run.text(element, element.values[change - 1]) : "";
        since.textContent = String(step);
        since.title = `to step ${step}`;
    }
}

class Source {
    constructor(run) {
        this.run = run;
        this.lines = run.data.source === null ? [] : run.data.source.split(/\r\n|\r|\n/);
        this.panel = make("section", "run-panel run-source");
        this.lit = 0;
        const head = make("div", "run-panel-head");
        this.where = make("span", "run-soft");
        head.append(make("h2", "", "Source"), this.where);
        this.panel.append(head);
        if (run.data.source === null) {
            this.panel.append(make("p", "run-missing",
                "The source is missing: this view was made without the model. " +
                "\u201comen show RUN.json MODEL --as html\u201d makes a view with it."));
            return;
        }
        this.rows = new Rows(LINE, () => this.makeRow(), (row, index) => this.fillRow(row, index));
        this.rows.box.tabIndex = 0;
        this.rows.box.setAttribute("aria-label", "Source of the model");
        const longest = this.lines.reduce((most, line) => Math.max(most, line.length), 0);
        this.rows.inside.style.minWidth = `${Math.min(longest, WIDEST) + 8}ch`;
        this.panel.append(this.rows.box);
        this.rows.reset(this.lines.length);
    }

    go(step) {
        const line = this.run.transition(step)?.line ?? 0;
        this.where.textContent = this.run.place(step);
        if (this.rows === undefined)
            return;
        this.lit = line;
        this.rows.refresh();
        if (line > 0)
            this.rows.reveal(line - 1);
    }

    makeRow() {
        const row = make("div", "run-line");
        row.append(make("span", "run-line-number"), make("code"));
        return row;
    }

    fillRow(row, index) {
        const [number, line] = row.children;
        row.classList.toggle("run-lit", index + 1 === this.lit);
        number.textContent = String(index + 1);
        line.textContent = cut(this.lines[index], WIDEST);
    }
}
