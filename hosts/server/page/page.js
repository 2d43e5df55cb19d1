// SPDX-License-Identifier: Apache-2.0
// page.js: the jobs of a server, in a browser. All text from outside becomes text nodes.
"use strict";

const main = document.getElementById("main");
const POLL = 2000; // milliseconds

// ---- elements ----

// make("td", "number", 5, other, ...): children are elements, or become text.
function make(tag, kind, ...children) {
    const e = document.createElement(tag);
    if (kind)
        e.className = kind;
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
}

function link(to, text) {
    const a = make("a", "", text);
    a.href = to;
    return a;
}

function button(text, kind, click) {
    const b = make("button", kind, text);
    b.type = "button";
    b.addEventListener("click", click);
    return b;
}

function labelled(text, input) {
    return make("label", "", make("span", "soft", text), input);
}

function table(heads, rows) {
    const head = make("tr", "", ...heads.map((h) => {
        const th = make("th", h.number ? "number" : "", h.text);
        th.scope = "col";
        return th;
    }));
    return make("div", "scroll", make("table", "", make("thead", "", head), make("tbody", "", ...rows)));
}

function panel(title, ...children) {
    return make("section", "panel", make("h2", "", title), ...children);
}

// ---- numbers and words ----

const words = (n) => n === null || n === undefined ? "–" : Number(n).toLocaleString("en");

const short = (n) => Number(n).toLocaleString("en", { notation: "compact" });
const some = (n, word) => `${words(n)} ${word}${n === 1 ? "" : "s"}`;

function bytes(n) {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let i = 0;
    for (n = Number(n); n >= 1000 && i < units.length - 1; i++)
        n /= 1000;
    return `${i === 0 ? n : n.toFixed(1)} ${units[i]}`;
}

function seconds(s) {
    return s < 1 ? `${Math.round(s * 1000)} ms` : s < 90 ? `${s.toFixed(1)} s`
        : s < 5400 ? `${(s / 60).toFixed(1)} min` : `${(s / 3600).toFixed(1)} h`;
}

function when(text) {
    return text === null ? "–" : new Date(text).toLocaleString();
}

function outcome(job) {
    if (job.state === "done")
        return make("span", `state ${{ holds: "good", violated: "bad" }[job.verdict] ?? "wait"}`, job.verdict);
    return make("span", `state ${{ failed: "bad", running: "good", queued: "wait" }[job.state] ?? "soft"}`, job.state);
}

// ---- the server ----

class Refused extends Error {
    constructor(problem) {
        super(problem.detail ?? problem.title ?? "no reason given");
        this.problem = problem;
    }
}

let token = sessionStorage.getItem("token");

function askToken() {
    const dialog = document.getElementById("login");
    return new Promise((done) => {
        dialog.addEventListener("close", () => {
            token = document.getElementById("token").value;
            sessionStorage.setItem("token", token);
            done();
        }, { once: true });
        if (!dialog.open)
            dialog.showModal();
    });
}

async function send(path, options = {}) {
    for (;;) {
        const headers = new Headers(options.headers);
        if (token !== null)
            headers.set("Authorization", `Bearer ${token}`);
        const answer = await fetch(path, { ...options, headers });
        if (answer.status !== 401)
            return answer;
        await askToken();
    }
}

async function ask(path, options) {
    const answer = await send(path, options);
    if (answer.status === 204)
        return null;
    const value = await answer.json();
    if (!answer.ok)
        throw new Refused(value);
    return value;
}

function submit(value) {
    return ask("/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}

// Events of a job, as they come; EventSource has no place for a token. An omend that does not answer is being
// started again, perhaps: what was missed meanwhile comes then.
async function follow(id, each, signal) {
    let last = null;
    for (;; await new Promise((go) => setTimeout(go, POLL))) {
        const headers = last === null ? {} : { "Last-Event-ID": last };
        const answer = await send(`/v1/jobs/${id}/events`, { headers, signal }).catch(() => null);
        if (signal.aborted)
            return;
        if (answer === null)
            continue;
        if (!answer.ok)
            throw new Refused(await answer.json());
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "", over = false;
        for (;;) {
            const { done, value } = await reader.read().catch(() => ({ done: true }));
            if (done || signal.aborted)
                break;
            const parts = (rest + value).split("\n\n");
            rest = parts.pop();
            for (const part of parts) {
                const event = {};
                for (const line of part.split("\n")) {
                    const at = line.indexOf(": ");
                    if (at > 0)
                        event[line.slice(0, at)] = line.slice(at + 2);
                }
                if (event.event === undefined)
                    continue;
                last = event.id ?? last;
                const data = JSON.parse(event.data);
                over = event.event === "state" && !["queued", "running"].includes(data.state);
                each(event.event, data);
            }
        }
        if (over || signal.aborted)
            return;
    }
}

function problemPanel(problem, source) {
    const place = [problem.file, problem.line, problem.column].filter((p) => p !== undefined).join(":");
    const made = make("section", "panel problem", make("h2", "bad", problem.title ?? "Failed"),
        make("p", "", place === "" ? null : make("code", "", `${place}: `), problem.detail ?? ""));
    made.setAttribute("role", "alert");
    const line = source?.split("\n")[problem.line - 1];
    if (line !== undefined)
        made.append(make("pre", "", `${line}\n${" ".repeat(Math.max(0, (problem.column ?? 1) - 1))}^`));
    return made;
}

// ---- jobs ----

const heads = [{ text: "Job", number: true }, { text: "Outcome" }, { text: "Model" }, { text: "Properties" }, { text: "Label" },
    { text: "Submitted" }, { text: "Took", number: true }];

function propertyText(property) {
    const [kind, value] = Object.entries(property)[0];
    return value === true ? kind : kind === "ltl" ? value : `${kind}: ${value}`;
}

function jobRow(job) {
    const all = (job.properties ?? []).map(propertyText).join("; ");
    const took = job.taken === null ? "–" : seconds(job.taken.seconds);
    return make("tr", "", make("td", "number", link(`#/jobs/${job.id}`, String(job.id))), make("td", "", outcome(job)),
        make("td", "text", job.name ?? job.language), make("td", "text mono", all.length > 160 ? `${all.slice(0, 160)}…` : all || "its own"),
        make("td", "text", job.label), make("td", "", when(job.created)), make("td", "number", took));
}

function poolPanel(figures) {
    const one = (name) => figures.get(`omend_${name}`) ?? 0;
    const part = (title, used, all, show) => {
        const m = make("meter");
        m.max = all || 1;
        m.value = used;
        m.setAttribute("aria-label", title);
        return make("div", "", make("div", "soft", title), make("div", "figure", `${show(used)} / ${show(all)}`), m);
    };
    const count = (title, n) => make("div", "", make("div", "soft", title), make("div", "figure", words(n)));
    return make("section", "panel grid", count("queued", one("jobs_queued")), count("running", one("jobs_running")),
        part("threads", one("threads_used"), one("threads"), words), part("memory", one("memory_used_bytes"), one("memory_bytes"), bytes));
}

async function readFigures() {
    const text = await (await send("/metrics")).text();
    return new Map(text.split("\n").filter((l) => l && !l.startsWith("#")).map((l) => {
        const at = l.lastIndexOf(" ");
        return [l.slice(0, at), Number(l.slice(at + 1))];
    }));
}

function showJobs(signal) {
    const pool = make("div"), list = make("div");
    const state = make("select", "", ...["", "queued", "running", "done", "failed", "cancelled"].map((s) => {
        const o = make("option", "", s === "" ? "any state" : s);
        o.value = s;
        return o;
    }));
    const label = make("input");
    const more = button("More", "", () => { page++; refresh(); });
    let page = 1;
    label.type = "search";
    main.replaceChildren(make("h1", "", "Jobs"), pool,
        make("section", "panel", make("div", "buttons", labelled("state", state), labelled("label", label)), list, more));

    async function refresh() {
        const query = new URLSearchParams({ limit: 50 });
        if (state.value !== "")
            query.set("state", state.value);
        if (label.value !== "")
            query.set("label", label.value);
        const rows = [];
        query.set("order", "newest");
        for (let i = 0, before = null; i < page; i++) {
            if (before !== null)
                query.set("before", before);
            const got = await ask(`/v1/jobs?${query}`, { signal });
            rows.push(...got.jobs.map(jobRow));
            before = got.next;
            more.hidden = before === null;
            if (before === null)
                break;
        }
        list.replaceChildren(rows.length === 0 ? make("p", "soft", "none") : table(heads, rows));
        pool.replaceChildren(poolPanel(await readFigures()));
    }
    for (const input of [state, label])
        input.addEventListener("input", () => { page = 1; run(refresh); });
    return every(refresh, signal);
}

// ---- submit ----

const kinds = ["ltl", "invariant", "deadlock", "name", "never", "non-progress"];

const examples = [
    { name: "mutex.dve", title: "Mutual exclusion", property: { ltl: "G(P_0.waiting -> F P_0.critical)" } },
    { name: "starvation.dve", title: "A client that starves", property: { ltl: "G(Client_0.waiting -> F Client_0.served)" } },
];

function propertyRow(rows, property = { ltl: "" }) {
    const [kind, value] = Object.entries(property)[0];
    const select = make("select", "", ...kinds.map((k) => make("option", "", k))), input = make("input", "mono");
    const row = make("div", "property", select, input, button("Remove", "", () => row.remove()));
    select.value = kind;
    select.setAttribute("aria-label", "kind of property");
    input.value = value === true ? "" : value;
    input.setAttribute("aria-label", "property");
    const settle = () => { input.hidden = ["deadlock", "non-progress"].includes(select.value); };
    select.addEventListener("input", settle);
    settle();
    row.read = () => ({ [select.value]: input.hidden ? true : input.value });
    rows.append(row);
    return row;
}

function dropInto(area, name) {
    area.addEventListener("dragover", (e) => { e.preventDefault(); area.classList.add("dropping"); });
    area.addEventListener("dragleave", () => area.classList.remove("dropping"));
    area.addEventListener("drop", async (e) => {
        const file = e.dataTransfer.files[0];
        area.classList.remove("dropping");
        if (file === undefined)
            return;
        e.preventDefault();
        area.value = await file.text();
        name.value = file.name.replace(/[^A-Za-z0-9._-]/g, "_");
    });
}

async function showSubmit(signal) {
    const { plugins } = await ask("/v1/plugins", { signal });
    const model = make("textarea"), name = make("input"), label = make("input"), rows = make("div", "rows");
    const language = make("select", "", ...plugins.filter((p) => p.kind === "frontend").map((p) => make("option", "", p.name)));
    const threads = make("input"), memory = make("input"), timeout = make("input"), priority = make("input"), said = make("div");
    model.required = true;
    model.spellcheck = false;
    model.placeholder = "Paste a model, or drop a file";
    threads.type = priority.type = "number";
    threads.min = 1;
    priority.value = 0;
    memory.placeholder = "2G";
    timeout.placeholder = "10m";
    dropInto(model, name);
    propertyRow(rows);
    const tries = examples.map((e) => button(e.title, "", () => run(async () => {
        model.value = await (await send(`/examples/${e.name}`)).text();
        name.value = e.name;
        language.value = "dve";
        rows.replaceChildren();
        propertyRow(rows, e.property);
    })));
    const send_it = make("button", "main", "Submit");
    const form = make("form", "fields", make("div", "buttons", make("span", "soft", "examples:"), ...tries), labelled("model", model),
        make("div", "grid", labelled("language", language), labelled("file name", name), labelled("label", label)),
        make("div", "", make("h2", "", "Properties"), rows, button("Another", "", () => propertyRow(rows).querySelector("input").focus())),
        make("div", "grid", labelled("threads", threads), labelled("memory", memory), labelled("time for each property", timeout),
            labelled("priority, -100 to 100", priority)), make("div", "buttons", send_it), said);
    form.addEventListener("submit", (e) => {
        e.preventDefault();
        run(async () => {
            const limits = {};
            for (const [key, input] of [["memory", memory], ["timeout", timeout]])
                if (input.value !== "")
                    limits[key] = input.value;
            if (threads.value !== "")
                limits.threads = Number(threads.value);
            const value = { model: model.value, language: language.value, label: label.value, limits, priority: Number(priority.value),
                properties: [...rows.children].map((r) => r.read()) };
            if (name.value !== "")
                value.name = name.value;
            try {
                location.hash = `#/jobs/${(await submit(value)).id}`;
            } catch (error) {
                said.replaceChildren(problemPanel(error.problem ?? { detail: error.message }));
            }
        });
    });
    main.replaceChildren(make("h1", "", "Submit"), make("section", "panel", form));
}

// ---- a job ----

// One line over time; d3 draws it where there is one.
class Chart {
    // show: of the figure; ticks: of the axis, where there is less room.
    constructor(title, show, ticks) {
        this.show = show;
        this.ticks = ticks;
        this.points = [];
        this.now = make("span", "figure", "–");
        this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        this.svg.setAttribute("class", "chart");
        this.svg.setAttribute("role", "img");
        this.svg.setAttribute("aria-label", `${title} over time`);
        this.panel = make("div", "", make("div", "soft", title), this.now, this.svg);
    }

    add(x, y) {
        this.points.push([x, y]);
        this.now.textContent = this.show(y);
        if (!this.asked) {
            this.asked = true;
            requestAnimationFrame(() => { this.asked = false; this.draw(); });
        }
    }

    draw() {
        const { width, height } = this.svg.getBoundingClientRect();
        if (typeof d3 === "undefined" || width < 80)
            return;
        const svg = d3.select(this.svg), left = 62, bottom = 20;
        const x = d3.scale.linear().domain([0, d3.max(this.points, (p) => p[0]) || 1]).range([left, width - 20]);
        const y = d3.scale.linear().domain([0, d3.max(this.points, (p) => p[1]) || 1]).range([height - bottom, 8]);
        const axis = (scale, side, ticks, format) => d3.svg.axis().scale(scale).orient(side).ticks(ticks).tickFormat(format);
        svg.selectAll("*").remove();
        svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`)
            .call(axis(x, "bottom", 4, (t) => seconds(t)));
        svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(axis(y, "left", 3, this.ticks));
        svg.append("path").datum(this.points).attr("class", "line").attr("d", d3.svg.line().x((p) => x(p[0])).y((p) => y(p[1])));
    }
}

function planPanel(plans) {
    const rows = plans.flatMap((plan) => (plan.parts ?? []).map((part) => make("tr", "", make("td", "text mono", plan.property),
        make("td", "", part.strength ?? "–"), make("td", "", part.checker ?? part.checkers?.[0]?.name ?? "–"), make("td", "", part.device ?? "CPU"),
        make("td", "number", words(part.automaton_states ?? part.states)))));
    return panel("Plan", rows.length === 0 ? make("p", "soft", "no part has to be searched") :
        table([{ text: "Property" }, { text: "Part" }, { text: "Checker" }, { text: "Where" }, { text: "Automaton states", number: true }], rows));
}

function resultPanel(result) {
    const kind = { holds: "good", violated: "bad" }[result.verdict] ?? "wait";
    const rows = result.parts.map((p) => make("tr", "", make("td", "", p.strength), make("td", "", p.verdict), make("td", "", p.checker),
        make("td", "text", p.device ?? "CPU"), make("td", "number", words(p.states)), make("td", "number", words(p.transitions)),
        make("td", "number", seconds(p.seconds))));
    return make("section", "panel", make("h2", "mono", result.property),
        make("p", "", make("span", `state ${kind}`, result.verdict), result.reason === null ? null : ` (${result.reason})`,
            make("span", "soft", `  ${words(result.states)} states, ${words(result.transitions)} transitions, ${seconds(result.seconds)}, ${bytes(result.memory_bytes)}`)),
        rows.length === 0 ? null : table([{ text: "Part" }, { text: "Verdict" }, { text: "Checker" }, { text: "Where" }, { text: "States", number: true },
            { text: "Transitions", number: true }, { text: "Took", number: true }], rows));
}

// What needs a token is no link; and a page that is made of a job is never opened with this one's rights.
function download(path, name) {
    return button(name, "", () => run(async () => {
        const answer = await send(path);
        if (!answer.ok)
            throw new Refused(await answer.json());
        const a = link(URL.createObjectURL(await answer.blob()), name);
        a.download = path.split("/").pop().replace(/\?.*/, "");
        a.click();
        URL.revokeObjectURL(a.href);
    }));
}

async function lassoPanel(id, number, signal) {
    const path = (kind) => `/v1/jobs/${id}/lasso.${kind}?result=${number}`, kinds = ["html", "svg", "txt", "json", "dot", "csv", "trail"];
    const root = make("div"), files = make("p", "buttons", ...kinds.map((k) => (token === null ? link(path(k), k) : download(path(k), k))));
    const answer = await send(path("view"), { signal });
    if (answer.ok)
        globalThis.omenRun.mount(root, await answer.json());
    else
        root.append(make("p", "soft", (await answer.json()).detail));
    return panel("Counterexample", files, root);
}

function showJob(id, signal) {
    const head = make("div"), live = make("section", "panel grid"), plan = make("div"), results = make("div"), notes = make("ul", "notes");
    const charts = [new Chart("states", words, short), new Chart("states a second", (n) => words(Math.round(n)), short), new Chart("memory", bytes, (n) => bytes(n).replace(".0 ", " "))];
    const plans = [];
    let before = null, shown = 0;
    live.append(...charts.map((c) => c.panel));
    live.hidden = true;
    const noted = panel("Notes", notes);
    noted.hidden = true;
    main.replaceChildren(head, live, plan, results, noted);

    async function refresh() {
        const job = await ask(`/v1/jobs/${id}`, { signal });
        const open = ["queued", "running"].includes(job.state);
        const act = (text, path, method, then) => button(text, "", () => run(async () => {
            await ask(path, { method });
            then();
        }));
        const again = () => { stop(); route(); };
        head.replaceChildren(make("h1", "", `Job ${job.id}${job.label === "" ? "" : `: ${job.label}`}`), make("section", "panel",
            make("div", "buttons", outcome(job), open ? act("Cancel", `/v1/jobs/${id}`, "DELETE", refresh) : act("Retry", `/v1/jobs/${id}/retry`, "POST", again),
                open ? null : act("Remove", `/v1/jobs/${id}?remove=true`, "DELETE", () => { location.hash = "#/"; })),
            make("p", "soft", `${job.name ?? job.language}, submitted ${when(job.created)}${job.token === "" ? "" : ` by ${job.token}`}`,
                job.placed === null ? "" : `; ${some(job.placed.threads, "thread")}, ${bytes(job.placed.memory_bytes)}, device ${job.placed.devices}`,
                job.taken === null ? "" : `; took ${seconds(job.taken.seconds)}, at most ${bytes(job.taken.peak_bytes)}`),
            job.waits === undefined || job.waits === null ? null : make("p", "wait", job.waits)));
        if (job.error !== null)
            head.append(problemPanel(job.error, (await ask(`/v1/jobs/${id}/model`, { signal }).catch(() => ({}))).model));
        if (!open) {
            const panels = job.results.map(resultPanel);
            results.replaceChildren(...panels);
            for (const [number, result] of job.results.entries())
                if (result.lasso !== null)
                    panels[number].after(await lassoPanel(id, number, signal));
        }
    }

    function onEvent(kind, data) {
        if (kind === "progress") {
            live.hidden = false;
            charts[0].add(data.seconds, data.states);
            charts[2].add(data.seconds, data.memory_bytes);
            if (before !== null && data.seconds > before.seconds)
                charts[1].add(data.seconds, (data.states - before.states) / (data.seconds - before.seconds));
            before = data;
        } else if (kind === "plan") {
            plans.push(data);
            plan.replaceChildren(planPanel(plans));
        } else if (kind === "note" && shown++ < 200) {
            notes.append(make("li", "mono", data.text));
            noted.hidden = false;
        } else if (kind === "state") {
            run(refresh);
        }
    }
    run(refresh);
    return follow(id, onEvent, signal);
}

// ---- the machine ----

async function showMachine(signal) {
    const [{ devices, thread_states_per_second }, { plugins }] = await Promise.all([ask("/v1/devices", { signal }), ask("/v1/plugins", { signal })]);
    const deviceRows = devices.map((d) => make("tr", "", make("td", "", d.number ?? "–"), make("td", "text", d.name), make("td", "", d.kind),
        make("td", "number", bytes(d.memory_bytes)), make("td", "number", words(d.states_per_second && Math.round(d.states_per_second))),
        make("td", "text", d.reason ?? "")));
    const pluginRows = plugins.map((p) => make("tr", "", make("td", "", p.kind), make("td", "mono", p.name), make("td", "text", p.summary)));
    main.replaceChildren(make("h1", "", "Machine"), panel("Devices",
        make("p", "soft", `A thread: ${words(thread_states_per_second && Math.round(thread_states_per_second))} states a second`),
        table([{ text: "Number" }, { text: "Name" }, { text: "Kind" }, { text: "Memory", number: true }, { text: "States a second", number: true }, { text: "" }], deviceRows)),
        panel("Plug-ins", table([{ text: "Kind" }, { text: "Name" }, { text: "What" }], pluginRows)));
}

// ---- pages ----

let current = new AbortController();

function stop() {
    current.abort();
    current = new AbortController();
}

// What fails is said, unless its page is gone.
async function run(work) {
    const { signal } = current;
    try {
        await work();
    } catch (error) {
        if (signal.aborted || error.name === "AbortError")
            return;
        main.querySelectorAll(":scope > .problem").forEach((p) => p.remove());
        main.prepend(problemPanel(error.problem ?? { title: "Not now", detail: error.message }));
    }
}

async function every(work, signal) {
    while (!signal.aborted) {
        await run(work);
        await new Promise((go) => setTimeout(go, document.hidden ? 5 * POLL : POLL));
    }
}

function route() {
    const { signal } = current, path = location.hash.slice(1) || "/", job = /^\/jobs\/([0-9]+)$/.exec(path);
    for (const a of document.querySelectorAll(".bar nav a"))
        if (a.getAttribute("href") === `#${path}`)
            a.setAttribute("aria-current", "page");
        else
            a.removeAttribute("aria-current");
    main.replaceChildren();
    document.title = job === null ? "omen" : `omen: job ${job[1]}`;
    run(() => job !== null ? showJob(job[1], signal) : path === "/submit" ? showSubmit(signal) : path === "/machine" ? showMachine(signal) : showJobs(signal));
    main.focus({ preventScroll: true });
}

async function health() {
    const said = document.getElementById("health");
    try {
        const value = await (await fetch("/healthz")).json();
        said.textContent = value.status === "ok" ? `omend ${value.version}` : "omend is ending";
    } catch {
        said.textContent = "omend does not answer";
    }
}

window.addEventListener("hashchange", () => { stop(); route(); });
route();
health();
setInterval(health, 5 * POLL);
