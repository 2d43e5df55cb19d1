// SPDX-License-Identifier: Apache-2.0
// run.js: the data of a run (core/lasso/view.c says what is in it), made ready to be asked. Steps
// count from 0, the first state, to run.steps; in an endless run the last leads back to the cycle.

class Run {
    constructor(data) {
        if (data === null || data.format !== "omen-run" || data.version !== 1)
            throw new Error("this is not the data of a run that this view knows");
        this.data = data;
        this.steps = data.moves.length;
        this.loop = data.loop;
        this.violated = data.violated ?? null; // the step after which every continuation violates
        this.processes = data.processes;
        this.elements = [];
        this.locations = new Map(); // from a process to the element that is its location
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
                // When it changes, and to what; the first state is the first change.
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

    // The change that the element's value at a step comes from: its index in at and values.
    changeOf(element, step) {
        return firstBehind(element.at, step) - 1;
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

    // The name of the location of a process, or null: it has none.
    locationAt(process, step) {
        const element = this.locations.get(process);
        return element === undefined ? null : this.textAt(this.elements[element], step);
    }

    // What leads to the state of a step; null: nobody could move.
    transition(step) {
        return step === 0 ? null : this.data.transitions[this.data.moves[step - 1]] ?? null;
    }

    who(step) {
        return this.transition(step)?.who ?? [];
    }

    // In words.
    label(step) {
        if (step === 0)
            return "initial state";
        const transition = this.transition(step);
        const back = this.loop !== null && step === this.steps ? `, back to state ${this.loop}` : "";
        return (transition === null ? "no successor: the state repeats" : transition.label) + back;
    }

    // Is it the step that leads to the state after which every continuation violates the property?
    violates(step) {
        return step === this.violated;
    }

    // What the step prints, on one line; or null.
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

    // The steps in which this process moves (null: any) and an element changes whose name has this
    // text in it (empty: or none does); and the first.
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

// In an ascending list, the index of the first that is greater.
function firstBehind(list, value) {
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

// An element of HTML. What comes from a model gets into the page by this alone, as text.
function make(tag, className, text) {
    const made = document.createElement(tag);
    if (className)
        made.className = className;
    if (text !== undefined)
        made.textContent = text;
    return made;
}

// So many characters at most.
function cut(text, most) {
    return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
}
