// SPDX-License-Identifier: Apache-2.0
// page.js: the jobs of a server, in a browser. Text from outside only becomes text nodes. submit.js
// and job.js contain the pages of a submission and of a job.
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

// Replaces the contents of a box, with children as for make(). The focus stays on the link or
// button with the same text, if there is one.
function renew(box, ...children) {
    const had = box.contains(document.activeElement) ? document.activeElement : null;
    box.replaceChildren(...children.filter((c) => c !== null));
    if (had !== null && !had.isConnected)
        [...box.querySelectorAll(had.tagName)].find((e) => e.textContent === had.textContent)?.focus();
}

// Asks before something is lost. Resolves to true if the user agrees; Escape and a change of the
// page mean no.
function agreed(question, yes, signal) {
    const dialog = make("dialog", "ask"), keep = button("No, keep it", "", () => dialog.close());
    dialog.append(make("p", "", question), make("div", "buttons", keep, button(yes, "main danger", () => dialog.close("yes"))));
    dialog.setAttribute("aria-label", question);
    return new Promise((done) => {
        dialog.addEventListener("close", () => {
            done(dialog.returnValue === "yes" && !signal.aborted);
            dialog.remove();
        }, { once: true });
        signal.addEventListener("abort", () => dialog.close(), { once: true });
        document.body.append(dialog);
        dialog.showModal();
        keep.focus();
    });
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

// The submission that got no answer. It is sent again with the same key, so that it makes one job.
let unanswered = null;

function newKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function submit(value) {
    const body = JSON.stringify(value);
    if (unanswered?.body !== body)
        unanswered = { body, key: newKey() };
    const headers = { "Content-Type": "application/json", "Idempotency-Key": unanswered.key };
    const answer = await send("/v1/jobs", { method: "POST", headers, body }).catch((error) => {
        throw new Refused({ title: "No answer",
            detail: `omend did not answer (${error.message}). Submitting again is safe: it does not create a second job.` });
    });
    const said = await answer.json();
    if (answer.status < 500)
        unanswered = null;
    if (!answer.ok)
        throw new Refused(said);
    return said;
}

// Follows the events of a job; EventSource cannot send a token. An omend that does not answer may
// be restarting: missed events arrive afterwards.
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
    { text: "Submitted" }, { text: "Time", number: true }];

function propertyText(property) {
    const [kind, value] = Object.entries(property)[0];
    return value === true ? kind : kind === "ltl" ? value : `${kind}: ${value}`;
}

function jobRow(job) {
    const all = (job.properties ?? []).map(propertyText).join("; ");
    const took = job.taken === null ? "–" : seconds(job.taken.seconds);
    return make("tr", "", make("td", "number", link(`#/jobs/${job.id}`, String(job.id))), make("td", "", outcome(job)),
        make("td", "text", job.name ?? make("span", "soft", "unnamed"), " ", make("span", "soft", job.language)), make("td", "text mono", all.length > 160 ? `${all.slice(0, 160)}…` : all || "all of the model"),
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

// Returns the replacement of an empty list: suggestions for the user.
function emptyList(filtered, all) {
    if (filtered)
        return make("div", "empty", make("p", "", "No job has this state and label."), button("Show all jobs", "", all));
    return make("div", "empty", make("p", "", "There are no jobs yet. ", link("#/submit", "Submit a model"), " (the page has examples), or use a terminal:"),
        make("pre", "", `omen --server ${location.origin} check model.dve --ltl 'G F x == 0'`),
        make("p", "soft", "For programs: ", link("/openapi.json", "the HTTP API"), "."));
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
        if (rows.length === 0)
            renew(list, emptyList(state.value !== "" || label.value !== "", () => {
                state.value = label.value = "";
                run(refresh);
                state.focus();
            }));
        else
            renew(list, table(heads, rows));
        pool.replaceChildren(poolPanel(await readFigures()));
    }
    for (const input of [state, label])
        input.addEventListener("input", () => { page = 1; run(refresh); });
    return every(refresh, signal);
}

// ---- the machine ----

async function showMachine(signal) {
    const [{ devices, thread_states_per_second }, { plugins }] = await Promise.all([ask("/v1/devices", { signal }), ask("/v1/plugins", { signal })]);
    const deviceRows = devices.map((d) => make("tr", "", make("td", "", d.number ?? "–"), make("td", "text", d.name), make("td", "", d.kind),
        make("td", "number", bytes(d.memory_bytes)), make("td", "number", words(d.states_per_second && Math.round(d.states_per_second))),
        make("td", "text", d.reason ?? "")));
    const pluginRows = plugins.map((p) => make("tr", "", make("td", "", p.kind), make("td", "mono", p.name), make("td", "text", p.summary)));
    main.replaceChildren(make("h1", "", "Machine"), panel("Devices",
        make("p", "soft", `CPU thread: ${words(thread_states_per_second && Math.round(thread_states_per_second))} states per second`),
        table([{ text: "Number" }, { text: "Name" }, { text: "Kind" }, { text: "Memory", number: true }, { text: "States per second", number: true }, { text: "" }], deviceRows)),
        panel("Plug-ins", table([{ text: "Kind" }, { text: "Name" }, { text: "Description" }], pluginRows)));
}

// ---- pages ----

let current = new AbortController();

function stop() {
    current.abort();
    current = new AbortController();
}

// Runs `work` and shows its error, unless the page has changed.
async function run(work) {
    const { signal } = current;
    try {
        await work();
    } catch (error) {
        if (signal.aborted || error.name === "AbortError")
            return;
        main.querySelectorAll(":scope > .problem").forEach((p) => p.remove());
        main.prepend(problemPanel(error.problem ?? { title: "Failed", detail: error.message }));
    }
}

async function every(work, signal) {
    while (!signal.aborted) {
        await run(work);
        await new Promise((go) => setTimeout(go, document.hidden ? 5 * POLL : POLL));
    }
}

function route() {
    const { signal } = current, [path, query] = (location.hash.slice(1) || "/").split("?"), job = /^\/jobs\/([0-9]+)$/.exec(path);
    const from = new URLSearchParams(query).get("job");
    for (const a of document.querySelectorAll(".bar nav a"))
        if (a.getAttribute("href") === `#${path}`)
            a.setAttribute("aria-current", "page");
        else
            a.removeAttribute("aria-current");
    main.replaceChildren();
    main.classList.remove("whole");
    document.title = job === null ? "omen" : `omen: job ${job[1]}`;
    run(() => job !== null ? showJob(job[1], signal) : path === "/submit" ? showSubmit(signal, from) : path === "/machine" ? showMachine(signal) : showJobs(signal));
    main.focus({ preventScroll: true });
}

async function health() {
    const said = document.getElementById("health");
    try {
        const value = await (await fetch("/healthz")).json();
        said.textContent = value.status === "ok" ? `omend ${value.version}`
            : value.status === "broken" ? `omend is broken: ${value.detail}` : "omend is shutting down";
    } catch {
        said.textContent = "omend does not answer";
    }
}

// The other scripts of the page are loaded after this one.
document.addEventListener("DOMContentLoaded", () => {
    window.addEventListener("hashchange", () => { stop(); route(); });
    route();
    health();
    setInterval(health, 5 * POLL);
});
