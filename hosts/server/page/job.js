// SPDX-License-Identifier: Apache-2.0
// job.js: the page of a job: its results, counterexamples, and progress while it runs.
"use strict";

// A value over time as a line, drawn by d3 if that is loaded.
class Chart {
    // show: formats the figure; ticks: formats the axis, which has less room.
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
        this.panel.hidden = true;
        this.svg.style.display = "none";
    }

    // True if there is no line to show.
    get empty() {
        return this.points.length < 2 || this.points.every(([, y]) => y === 0);
    }

    add(x, y) {
        this.points.push([x, y]);
        this.now.textContent = this.show(y);
        this.panel.hidden = false;
        this.svg.style.display = this.empty || typeof d3 === "undefined" ? "none" : "";
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
    return panel("Plan", rows.length === 0 ? make("p", "soft", "no part needs a search") :
        table([{ text: "Property" }, { text: "Part" }, { text: "Checker" }, { text: "Device" }, { text: "Automaton states", number: true }], rows));
}

// A result in one line, which opens to show its parts, and whatever does not fit into the line.
function resultLine(result) {
    const kind = { holds: "good", violated: "bad" }[result.verdict] ?? "wait";
    const name = result.about === "assertion" ? `assertion ${result.property}` : result.property;
    const figures = [`${words(result.states)} states`, `${words(result.transitions)} transitions`, seconds(result.seconds), bytes(result.memory_bytes)];
    const fault = result.fault === null || result.fault === undefined ? null : make("span", "fault bad", result.fault);
    const what = make("code", "what", name);
    if (fault !== null)
        fault.title = result.fault;
    what.title = name;
    const line = make("summary", "", make("span", "", make("span", `state ${kind}`, result.verdict), result.reason === null ? null : ` (${result.reason})`),
        what, fault, make("span", "figures soft", figures.join(", ")));
    const rows = result.parts.map((p) => make("tr", "", make("td", "", p.strength), make("td", "", p.verdict), make("td", "", p.checker),
        make("td", "text", p.device ?? "CPU"), make("td", "number", words(p.states)), make("td", "number", words(p.transitions)),
        make("td", "number", seconds(p.seconds))));
    const together = result.together ? make("p", "soft", `These figures are of one exploration for ${result.together} properties.`) : null;
    return make("details", "result", line, make("p", "", make("code", "", name)), result.fault ? make("p", "bad", result.fault) : null, together,
        rows.length === 0 ? null : table([{ text: "Part" }, { text: "Verdict" }, { text: "Checker" }, { text: "Device" }, { text: "States", number: true },
            { text: "Transitions", number: true }, { text: "Time", number: true }], rows));
}

// A download that needs a token cannot be a link, and a page made by a job is never opened with the
// rights of this page.
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

// The results of a job, one per line, and below them the view of one counterexample, which takes
// the rest of the window.
class Results {
    constructor(id, signal) {
        this.id = id;
        this.signal = signal;
        this.lines = make("div", "results");
        this.root = make("div", "counterexample");
        signal.addEventListener("abort", () => this.close(), { once: true });
        document.addEventListener("keydown", (event) => this.key(event), { signal });
    }

    close() {
        this.view?.close();
        this.view = null;
        main.classList.remove("whole");
        this.root.replaceChildren();
    }

    // The arrow keys step even if no element has the focus; within the view, the view handles keys.
    key(event) {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || (event.target !== document.body && event.target !== main))
            return;
        this.view?.move(by);
    }

    async show(results) {
        const found = [...results.keys()].filter((i) => results[i].lasso !== null);
        this.close();
        this.picks = new Map();
        renew(this.lines, ...results.map((result, i) => {
            const line = resultLine(result), row = make("section", "row", line);
            line.open = found.length === 0 && results.length < 4;
            if (result.lasso !== null)
                row.append(this.tools(i, found.length > 1));
            return row;
        }));
        if (found.length > 0)
            await this.pick(found[0]);
    }

    // The buttons of a result with a counterexample: to show it here, and to get it as files.
    tools(number, several) {
        const path = (kind) => `/v1/jobs/${this.id}/lasso.${kind}?result=${number}`, kinds = ["html", "svg", "txt", "json", "dot", "csv", "trail"];
        const files = make("p", "buttons files", ...kinds.map((k) => (token === null ? link(path(k), k) : download(path(k), k))));
        files.setAttribute("role", "group");
        files.setAttribute("aria-label", "Counterexample as a file");
        if (several) {
            const show = button("Show", "", () => run(() => this.pick(number)));
            this.picks.set(number, show);
            files.prepend(show);
        }
        return files;
    }

    async pick(number) {
        const answer = await send(`/v1/jobs/${this.id}/lasso.view?result=${number}`, { signal: this.signal });
        const value = await answer.json();
        if (this.signal.aborted)
            return;
        this.close();
        for (const [other, show] of this.picks)
            show.setAttribute("aria-pressed", String(other === number));
        const box = make("div");
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", "Counterexample");
        this.root.append(box);
        if (!answer.ok) {
            box.append(make("p", "soft", value.detail));
            return;
        }
        main.classList.add("whole");
        this.view = globalThis.omenRun.mount(box, value);
    }
}

function aboutJob(job) {
    return make("p", "soft", `${job.name ?? "unnamed"} (${job.language}), submitted ${when(job.created)}${job.token === "" ? "" : ` by ${job.token}`}`,
        job.placed === null ? "" : `; ${some(job.placed.threads, "thread")}, ${bytes(job.placed.memory_bytes)}, device ${job.placed.devices}`,
        job.taken === null ? "" : `; took ${seconds(job.taken.seconds)}, peak memory ${bytes(job.taken.peak_bytes)}`);
}

// The actions on a job. Those that lose results or work ask first.
function jobButtons(job, refresh, again, signal) {
    const path = `/v1/jobs/${job.id}`, open = ["queued", "running"].includes(job.state);
    const act = (text, question, yes, where, method, then) => button(text, "", () => run(async () => {
        if (question !== null && !await agreed(question, yes, signal))
            return;
        await ask(where, { method });
        then();
    }));
    const edit = link(`#/submit?job=${job.id}`, "Edit and submit again");
    if (open)
        return [act("Cancel", `Cancel job ${job.id}? Its work so far is lost.`, `Cancel job ${job.id}`, path, "DELETE", refresh), edit];
    return [act("Retry", job.results.length === 0 ? null : `Run job ${job.id} again? This removes its results and counterexamples.`,
        `Retry job ${job.id}`, `${path}/retry`, "POST", again), edit,
    act("Remove", `Remove job ${job.id} with its model, results and counterexamples? This cannot be undone.`, `Remove job ${job.id}`,
        `${path}?remove=true`, "DELETE", () => { location.hash = "#/"; })];
}

function showJob(id, signal) {
    const head = make("div", "job-head"), live = make("section", "panel grid"), plan = make("div"), notes = make("ul", "notes");
    const charts = [new Chart("states", words, short), new Chart("states per second", (n) => words(Math.round(n)), short), new Chart("memory", bytes, (n) => bytes(n).replace(".0 ", " "))];
    const plans = [], results = new Results(id, signal), problem = make("div");
    let before = null, shown = 0;
    live.append(...charts.map((c) => c.panel));
    live.hidden = true;
    const noted = panel("Notes", notes);
    noted.hidden = true;
    main.replaceChildren(make("div", "screen", head, problem, results.lines, results.root), live, plan, noted);

    async function refresh() {
        const job = await ask(`/v1/jobs/${id}`, { signal });
        const open = ["queued", "running"].includes(job.state), again = () => { stop(); route(); };
        renew(head, make("div", "buttons", make("h1", "", `Job ${job.id}${job.label === "" ? "" : `: ${job.label}`}`), outcome(job),
            ...jobButtons(job, refresh, again, signal)), aboutJob(job), job.waits === undefined || job.waits === null ? null : make("p", "wait", job.waits));
        problem.replaceChildren();
        if (job.error !== null)
            problem.append(problemPanel(job.error, (await ask(`/v1/jobs/${id}/model`, { signal }).catch(() => ({}))).model));
        if (!open) {
            for (const chart of charts)
                chart.panel.hidden = chart.empty;
            live.hidden = charts.every((chart) => chart.empty);
            await results.show(job.results);
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
