/** A host's screen without a terminal: dialogs that are answered by a script, and elements as plain objects. */

import type { Solid } from "../../src/tui/draw.js";
import type { Line } from "../../src/tui/format-sidebar.js";
import type { ScreenHost, SelectOption, SelectPage } from "../../src/tui/screen-host.js";

/** A screen as the server half writes it, with these parts replaced. */
export function createScreenText(parts: Record<string, unknown> = {}): string {
  const saving = { share: 0.38, tokens: 12_300, dollars: 0.42 };
  return JSON.stringify({
    v: 1,
    session: "ses_1",
    title: "Orders fail",
    time: "2026-11-22T10:00:00.000Z",
    context: {
      now: 13_300,
      without: 25_600,
      threshold: 80_000,
      kinds: { system: 8_100, words: 400, answers: 900, calls: 600, results: 2_500, memory: 800, notes: 0 },
    },
    cache: { last: 0.94, session: 0.91 },
    saved: { session: saving, today: saving, project: { ...saving, dollars: 3.1 } },
    memory: { memories: 12, candidates: 3, blockers: 1, todos: 0 },
    background: [],
    warnings: [],
    ...parts,
  });
}

export interface ScriptedHost extends ScreenHost {
  /** Every dialog and toast, in order, as text. */
  readonly told: string[];
  /** The pages of `select`, in order. */
  readonly pages: SelectPage<unknown>[];
}

/**
 * Answers each dialog with the next step: a text is the title, or its beginning, of the option to select or the answer to
 * a prompt; `true` and `false` answer a confirmation. Without steps left every dialog is closed.
 */
export function createScriptedHost(steps: (string | boolean)[] = [], sessionID = "ses_1"): ScriptedHost {
  const told: string[] = [];
  const pages: SelectPage<unknown>[] = [];
  const next = (): string | boolean | undefined => steps.shift();
  return {
    told,
    pages,
    folder: () => "/repo",
    sessionID: () => sessionID,
    openSession: (id) => {
      told.push(`opened ${id}`);
      return true;
    },
    colour: (name) => name,
    isGone: () => false,
    whileSuspended: (run) => run(),
    dialogs: {
      async select<Value>(page: SelectPage<Value>) {
        pages.push(page);
        told.push(`select ${page.title}`);
        const step = next();
        if (step === undefined) return undefined;
        const chosen = page.options.find(({ title }) => title.startsWith(String(step)));
        if (!chosen) throw new Error(`no "${step}" in ${page.options.map(({ title }) => title).join(" | ")}`);
        return chosen.value;
      },
      async confirm(title, message) {
        told.push(`confirm ${title} ${message}`);
        return next() === true;
      },
      async prompt(title) {
        told.push(`prompt ${title}`);
        const step = next();
        return typeof step === "string" ? step : undefined;
      },
      async alert(title, message) {
        told.push(`alert ${title}: ${message}`);
      },
      toast: (message, variant) => void told.push(`${variant} ${message}`),
      close: () => void told.push("closed"),
    },
  };
}

export const titlesOf = (options: readonly SelectOption<unknown>[]): string[] =>
  options.map(({ title }) => title.replace(/ +/g, " "));

/** An element: its props are read when it is drawn. */
interface Element {
  type: string;
  props: { children?: unknown };
}

/** Signals without tracking: what is drawn is read again by `drawn`. */
export function createPlainSolid(): Solid & { cleanUp(): void } {
  const cleanups: (() => void)[] = [];
  return {
    createSignal<Value>(first: Value): [() => Value, (value: Value) => unknown] {
      let value = first;
      return [
        () => value,
        (given) => {
          value = given;
        },
      ];
    },
    onCleanup: (run) => cleanups.push(run),
    jsx: (type, props): Element => ({ type, props }),
    cleanUp: () => {
      for (const run of cleanups.splice(0)) run();
    },
  };
}

/** The text of an element as it is now, one line for each `text`. Throws for what a host could not draw. */
export function drawn(element: unknown): string {
  if (element === null || element === undefined) return "";
  const { props, type } = element as Element;
  if (typeof type !== "string") throw new Error(`expected an element, got ${JSON.stringify(element)}`);
  const { children = [] } = props;
  const all: unknown[] = Array.isArray(children) ? children : [children];
  if (type === "box") return all.map(drawn).join("\n");
  return all.map((one) => (typeof one === "string" ? one : drawn(one))).join("");
}

export const textOf = (line: Line): string => line.map(({ text }) => text).join("");
