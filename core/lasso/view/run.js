// SPDX-License-Identifier: Apache-2.0
// run.js: the data of a run (defined in core/lasso/formats/view_data.c), prepared for queries. Steps count from
// 0, the first state, to run.steps; in an endless run the last one leads back to the cycle.

class Run {
    constructor(data) {
        if (data === null || data.format !== "omen-run" || data.version !== 1)
            throw new Error("this is not the data of a run that this view supports");
        this.data = data;
        this.steps = data.moves.length;
        this.loop = data.loop;
        this.violated = data.violated ?? null; // the step after which every continuation violates
        this.processes = data.processes;
        this.elements = [];
        this.locations = new Map(); // from a process to its location's element
        data.variables.forEach((variable, number) => this.addElements(variable, number));
        data.changes.forEach((changes, i) => this.addChanges(changes, i + 1));
        this.messages = data.messages.map(([step, channel, put, other, text]) =>
            ({ step, channel, put: put === 1, other, text }));
        this.prints = new Map(data.prints);
        this.messageOf = new Map(this.messages.map((message) => [message.step, message]));
    }

    addElements(variable, number) {
        const first = this.elements.length, count = Math.max(variable.length, 1);
        const owner = this.processes.findIndex((process) => process.location === number);
        if (owner >= 0)
            this.locations.set(owner, first);
        for (let i = 0; i < count; i++)
            this.elements.push({
                name: variable.length === 0 ? variable.name : `${variable.name}[${i}]`,
                process: variable.process,
                names: variable.names,
                bool: variable.bool === true,
                // The steps of its changes and the new values; the first state is a change.
                at: [0],
                values: [this.data.initial[first + i]],
            });
    }

    addChanges(changes, step) {
        for (let i = 0; i < changes.length; i += 2) {
            const element = this.elements[changes[i]];
            element.at.push(step);
            element.values.push(changes[i + 1]);
        }
    }

    // The index in at and values of the change that set the element's value at a step.
    changeOf(element, step) {
        return firstAfter(element.at, step) - 1;
    }

    changesAt(element, step) {
        return step > 0 && element.at[this.changeOf(element, step)] === step;
    }

    text(element, value) {
        return element.names?.[value] ?? (element.bool ? String(value !== 0) : String(value));
    }

    textAt(element, step) {
        return this.text(element, element.values[this.changeOf(element, step)]);
    }

    // The name of the location of a process, or null if it has none.
    locationAt(process, step) {
        const element = this.locations.get(process);
        return element === undefined ? null : this.textAt(this.elements[element], step);
    }

    // The transition that leads to the state of a step; null: no process could move.
    transition(step) {
        return step === 0 ? null : this.data.transitions[this.data.moves[step - 1]] ?? null;
    }

    who(step) {
        return this.transition(step)?.who ?? [];
    }

    // The step in words.
    label(step) {
        if (step === 0)
            return "initial state";
        const transition = this.transition(step);
        const back = this.loop !== null && step === this.steps ? `, back to state ${this.loop}` : "";
        return (transition === null ? "no successor: the state repeats" : transition.label) + back;
    }

    // True if the step leads to the state after which every continuation violates the property.
    violates(step) {
        return step === this.violated;
    }

    // The output of the step, on one line; or null.
    printed(step) {
        return this.prints.get(step)?.replace(/\n$/, "").replaceAll("\n", "\u21b5") ?? null;
    }

    place(step) {
        const transition = this.transition(step);
        if (transition === null || transition.file === null)
            return "";
        const { file, line, column } = transition;
        return file + (line === 0 ? "" : `:${line}` + (column === 0 ? "" : `:${column}`));
    }

    // The first step, and those in which this process (null: any) moves and an element changes
    // whose name contains this text (empty: any or none).
    select(process, text) {
        const wanted = text === "" ? null : new Set([0]);
        if (wanted !== null)
            for (const element of this.elements)
                if (element.name.includes(text))
                    element.at.forEach((step) => wanted.add(step));
        const steps = [];
        for (let step = 0; step <= this.steps; step++)
            if (step === 0 || ((process === null || this.who(step).includes(process)) &&
                    (wanted === null || wanted.has(step))))
                steps.push(step);
        return steps;
    }
}

// The index of the first greater element in an ascending list.
function firstAfter(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// An element of HTML. Texts of a model enter the page only through this function, as text.
function make(tag, className, text) {
    const made = document.createElement(tag);
    if (className)
        made.className = className;
    if (text !== undefined)
        made.textContent = text;
    return made;
}

// Cuts a text to at most `most` characters.
function cut(text, most) {
    return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
}
