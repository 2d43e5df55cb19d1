// SPDX-License-Identifier: Apache-2.0
// submit.js: the page that submits a model, or changes a job and submits it again.
"use strict";

const kinds = ["ltl", "invariant", "deadlock", "name", "never", "non-progress", "assertions"];
const flags = ["deadlock", "non-progress", "assertions"]; // the kinds without a text

const examples = [
    { name: "mutex.dve", title: "Mutual exclusion", property: { ltl: "G(P_0.waiting -> F P_0.critical)" } },
    { name: "starvation.dve", title: "A client that starves", property: { ltl: "G(Client_0.waiting -> F Client_0.served)" } },
];

// The rows of a submission's properties.
class Properties {
    constructor() {
        this.rows = make("div", "rows");
        this.removed = [];
        this.back = button("Undo removal", "", () => {
            const { row, next } = this.removed.pop();
            this.rows.insertBefore(row, next?.isConnected ? next : null);
            this.back.hidden = this.removed.length === 0;
            row.querySelector("select").focus();
        });
        this.back.hidden = true;
        this.another = button("Add property", "", () => this.add().querySelector("input").focus());
        this.root = make("div", "", make("h2", "", "Properties"), this.rows, make("div", "buttons", this.another, this.back));
    }

    add(property = { ltl: "" }) {
        const [kind, value] = Object.entries(property)[0], text = value === true ? "" : value;
        const select = make("select", "", ...[...new Set([...kinds, kind])].map((k) => make("option", "", k)));
        const input = make("input", "mono"), area = make("textarea", "automaton");
        const row = make("div", "property", select, input, area);
        const remove = button("Remove", "", () => this.remove(row));
        row.append(remove);
        select.value = kind;
        select.setAttribute("aria-label", "kind of property");
        remove.setAttribute("aria-label", "Remove this property");
        input.value = area.value = text;
        input.setAttribute("aria-label", "property");
        area.setAttribute("aria-label", "automaton");
        // An automaton has several lines.
        const settle = () => {
            area.hidden = select.value !== "never";
            input.hidden = !area.hidden || flags.includes(select.value) || value === true && select.value === kind;
        };
        select.addEventListener("input", settle);
        settle();
        row.read = () => ({ [select.value]: !area.hidden ? area.value : input.hidden ? true : input.value });
        this.rows.append(row);
        return row;
    }

    remove(row) {
        this.removed.push({ row, next: row.nextElementSibling });
        row.remove();
        this.back.hidden = false;
        this.back.focus();
    }

    set(properties) {
        this.removed = [];
        this.back.hidden = true;
        this.rows.replaceChildren();
        properties.forEach((property) => this.add(property));
    }

    read() {
        return [...this.rows.children].map((row) => row.read());
    }
}

// Returns the name as the server accepts it for a file: letters, digits and ._-, with no dot or
// dash first.
function plainName(name) {
    return name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^[.-]+/, "").slice(-100).replace(/^[.-]+/, "");
}

// Returns the front end with the longest suffix that fits the file name; undefined if none fits.
function languageOf(name, frontends) {
    const endings = frontends.flatMap((f) => (f.suffixes ?? []).map((suffix) => ({ suffix, name: f.name })));
    return endings.filter((e) => name.toLowerCase().endsWith(e.suffix.toLowerCase()))
        .sort((a, b) => b.suffix.length - a.suffix.length)[0]?.name;
}

// The fields of a submission.
class Form {
    constructor(frontends, signal) {
        this.frontends = frontends;
        this.signal = signal;
        this.model = make("textarea");
        Object.assign(this.model, { required: true, spellcheck: false, placeholder: "Paste a model, or drop a file" });
        [this.name, this.label, this.threads, this.memory, this.timeout, this.priority, this.file] = Array.from({ length: 7 }, () => make("input"));
        this.language = make("select", "", ...frontends.map((f) => make("option", "", f.name)));
        this.threads.type = this.priority.type = "number";
        this.file.type = "file";
        this.threads.min = 1;
        this.priority.value = 0;
        this.memory.placeholder = "2G";
        this.timeout.placeholder = "10m";
        this.hint = make("span", "soft");
        this.hint.setAttribute("role", "status");
        this.properties = new Properties();
        this.rest = make("div", "buttons");
        this.said = make("div");
        this.loaded = "";
        this.kept = { options: {}, limits: {} };
        this.make();
    }

    make() {
        const tries = examples.map((e) => button(e.title, "", () => run(() => this.example(e))));
        const languages = make("div", "", labelled("language", this.language), this.hint);
        this.go = make("button", "main", "Submit");
        this.root = make("form", "fields", make("div", "buttons", make("span", "soft", "examples:"), ...tries), labelled("model", this.model),
            make("div", "grid", labelled("open a file", this.file), labelled("file name", this.name), languages, labelled("label", this.label)),
            this.properties.root, make("div", "grid", labelled("threads", this.threads), labelled("memory", this.memory),
                labelled("time limit for all properties", this.timeout), labelled("priority, -100 to 100", this.priority)),
            this.rest, make("div", "buttons", this.go), this.said);
        this.name.addEventListener("input", () => this.takeLanguage());
        this.language.addEventListener("input", () => { this.hint.textContent = ""; });
        this.file.addEventListener("change", () => run(() => this.open(this.file.files[0])));
        this.root.addEventListener("submit", (e) => {
            e.preventDefault();
            run(() => this.submit());
        });
        this.listenToDrops();
    }

    listenToDrops() {
        const has = (e) => e.dataTransfer.types.includes("Files"), over = (on) => this.model.classList.toggle("dropping", on);
        this.root.addEventListener("dragover", (e) => {
            if (has(e)) {
                e.preventDefault();
                over(true);
            }
        });
        this.root.addEventListener("dragleave", () => over(false));
        this.root.addEventListener("drop", (e) => {
            over(false);
            if (has(e)) {
                e.preventDefault();
                run(() => this.open(e.dataTransfer.files[0]));
            }
        });
    }

    // Selects the language that the file name implies. A name without a known suffix changes
    // nothing.
    takeLanguage() {
        const found = languageOf(this.name.value, this.frontends);
        if (found !== undefined)
            this.language.value = found;
        this.hint.textContent = this.name.value === "" ? "" : found === undefined ? "not recognised from the file name" : "recognised from the file name";
    }

    // Resolves to true if the model may be replaced: typed text is not lost without a question.
    async replaceable() {
        const own = this.model.value.trim() !== "" && this.model.value !== this.loaded;
        return !own || agreed("Replace the model? Your changes are lost.", "Replace", this.signal);
    }

    put(text, name) {
        this.model.value = text;
        this.loaded = this.model.value;
        this.name.value = name;
        this.takeLanguage();
    }

    async open(file) {
        if (file === undefined || !await this.replaceable())
            return;
        this.put(await file.text(), plainName(file.name));
    }

    async example(e) {
        if (!await this.replaceable())
            return;
        this.put(await (await send(`/examples/${e.name}`)).text(), e.name);
        this.properties.set([e.property]);
    }

    // Fills in everything that a job was submitted with; members without a field are kept and
    // shown.
    take(job, model) {
        this.put(model, job.name ?? "");
        if (![...this.language.options].some((o) => o.value === job.language))
            this.language.append(make("option", "", job.language));
        this.language.value = job.language;
        this.hint.textContent = "";
        this.label.value = job.label;
        this.priority.value = job.priority;
        this.properties.set(job.properties ?? []);
        this.kept = { options: job.options ?? {}, limits: job.limits ?? {} };
        for (const key of ["threads", "memory", "timeout"])
            this[key].value = this.kept.limits[key] ?? "";
        const { max_states: most } = this.kept.limits, options = Object.entries(this.kept.options).map(([k, v]) => (v === true ? k : `${k}=${v}`));
        if (most !== undefined)
            options.push(`at most ${words(most)} states`);
        if (options.length > 0)
            this.rest.replaceChildren(make("span", "soft", "also: "), make("code", "", options.join(" ")), button("Remove these", "", () => {
                this.kept = { options: {}, limits: { ...this.kept.limits, max_states: undefined } };
                this.rest.replaceChildren();
                this.go.focus();
            }));
    }

    read() {
        const limits = {}, given = this.kept.limits;
        for (const key of ["threads", "memory", "timeout"]) {
            const text = this[key].value;
            if (text !== "")
                limits[key] = text === String(given[key]) ? given[key] : key === "threads" ? Number(text) : text;
        }
        if (given.max_states !== undefined)
            limits.max_states = given.max_states;
        const value = { model: this.model.value, language: this.language.value, label: this.label.value, limits,
            priority: Number(this.priority.value), properties: this.properties.read() };
        if (this.name.value !== "")
            value.name = this.name.value;
        if (Object.keys(this.kept.options).length > 0)
            value.options = this.kept.options;
        return value;
    }

    async submit() {
        if (this.go.disabled)
            return;
        this.go.disabled = true;
        this.said.replaceChildren();
        try {
            location.hash = `#/jobs/${(await submit(this.read())).id}`;
        } catch (error) {
            this.said.replaceChildren(problemPanel(error.problem ?? { detail: error.message }));
        } finally {
            this.go.disabled = false;
        }
    }
}

async function showSubmit(signal, from) {
    const id = /^[0-9]+$/.test(from ?? "") ? from : null;
    const [{ plugins }, job, text] = await Promise.all([ask("/v1/plugins", { signal }),
        id === null ? null : ask(`/v1/jobs/${id}`, { signal }), id === null ? null : ask(`/v1/jobs/${id}/model`, { signal })]);
    const form = new Form(plugins.filter((p) => p.kind === "frontend"), signal);
    if (job === null)
        form.properties.set([{ ltl: "" }]);
    else
        form.take(job, text.model);
    main.replaceChildren(make("h1", "", "Submit"), job === null ? "" : make("p", "soft", "Based on ", link(`#/jobs/${id}`, `job ${id}`), "; submitting creates a new job."),
        make("section", "panel", form.root));
}
