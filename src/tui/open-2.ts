/**
 * Strata in the TUI of OpenCode 2. Each part is looked for before it is used, and a missing one is left out:
 *
 *     ui.slot         sidebar.content and prompt.footer, and app, from where commands have to be registered
 *     keymap.layer    commands with palette entry and slash name
 *     ui.dialog       promises, as the pages want them
 */
import { isRecord, type PlainRecord } from "../base/shape.js";
import { loadSolid, type Solid } from "./draw.js";
import type { Colour } from "./format-sidebar.js";
import { CATEGORY, PAGE_NAMES, planKeys, readSubmitted, screenCommands } from "./page.js";
import { createScreen, type Screen, type ScreenOptions } from "./screen.js";
import type { Dialogs, ScreenHost } from "./screen-host.js";

/** Names in OpenCode 2's themes (measured with 2.0.15); the kinds have the hues of charts. */
const COLOURS: Readonly<Record<Colour, readonly string[]>> = {
  text: ["text", "base"],
  muted: ["text", "muted"],
  accent: ["hue", "accent", "500"],
  good: ["text", "feedback", "success", "base"],
  warning: ["text", "feedback", "warning", "base"],
  bad: ["text", "feedback", "error", "base"],
  kind1: ["hue", "purple", "500"],
  kind2: ["hue", "green", "500"],
  kind3: ["hue", "orange", "500"],
  kind4: ["hue", "cyan", "500"],
  kind5: ["hue", "yellow", "500"],
  kind6: ["hue", "blue", "500"],
  kind7: ["hue", "red", "500"],
};

type Call = (...given: unknown[]) => unknown;

/** Begins in the background. Never throws; the returned function ends it. `undefined` in a host without slots. */
export function openInOpenCode2(
  context: unknown,
  options: ScreenOptions,
  load: () => Promise<Solid> = loadSolid,
): (() => void) | undefined {
  const host = createOpenCode2(context);
  const slot = findCall(context, "ui", "slot");
  if (!host || !slot) return undefined;
  const ends: Call[] = [];
  let isEnded = false;
  void load()
    .then((solid) => {
      if (!isEnded) ends.push(...openOn(context, { slot, screen: createScreen(host, solid, options) }));
    })
    // The host's own messages still show; it lacks what drawing needs.
    .catch(() => {});
  return () => {
    isEnded = true;
    for (const end of ends.splice(0)) attempt(end);
  };
}

/** What ends each part. */
function openOn(context: unknown, { screen, slot }: { screen: Screen; slot: Call }): Call[] {
  const given = [
    attempt(() => slot({ append: "sidebar.content", render: () => screen.drawSidebar() })),
    // The host's own usage and keys stand in the same line, which has 76 columns in a terminal of 80.
    attempt(() => slot({ append: "prompt.footer", render: () => screen.drawFooter(true) })),
    attempt(() => slot({ append: "app", render: () => registerCommands(context, screen) })),
  ];
  return [() => screen.stop(), ...given.filter((one): one is Call => typeof one === "function")];
}

/** Draws nothing. */
function registerCommands(context: unknown, screen: Screen): null {
  const pages: ReadonlySet<string> = new Set(PAGE_NAMES);
  const keys = new Map(planKeys(findPart(context, "options")).map(({ cmd, key }) => [cmd, key]));
  const commands = screenCommands.map(({ name, page, title }) => ({
    ...{ id: name, title, group: CATEGORY, palette: true, bind: keys.get(name) ?? false },
    // A typed name without arguments would go to the server half.
    ...(pages.has(page) && { slash: { name: page, arguments: true } }),
    run: (words: unknown) => {
      const typed = typeof words === "string" ? words.trim() : "";
      if (typed === "" || readSubmitted(`/${page} ${typed}`)) screen.open(page, typed);
      else askServer(context, page, typed);
    },
  }));
  attempt(() => findCall(context, "keymap", "layer")?.(() => ({ mode: "global", commands })));
  return null;
}

/** Of what has an answer that needs no page; the host has taken the words for this half's. */
function askServer(context: unknown, name: string, text: string): void {
  const sessionID = findSessionID(context);
  attempt(() => findCall(context, "client", "session", "command")?.({ sessionID, name, text }));
}

/** `undefined` in a host without dialogs. */
export function createOpenCode2(context: unknown): ScreenHost | undefined {
  const dialog = findPart(context, "ui", "dialog");
  if (!isRecord(dialog)) return undefined;
  return {
    folder() {
      const usual = attempt(() => findCall(context, "data", "location", "default")?.());
      const here = findPart(context, "location", "directory") ?? findPart(usual, "directory");
      return typeof here === "string" && here !== "" ? here : undefined;
    },
    sessionID: () => findSessionID(context),
    openSession(sessionID) {
      const navigate = findCall(context, "ui", "router", "navigate");
      attempt(() => navigate?.({ type: "session", sessionID }));
      return navigate !== undefined;
    },
    colour: (name) => findPart(context, "theme", ...COLOURS[name]),
    dialogs: createDialogs(context, dialog),
    isGone: () => findPart(context, "renderer", "isDestroyed") === true,
    whileSuspended: (run) => whileSuspended(context, run),
  };
}

function findSessionID(context: unknown): string | undefined {
  const current = attempt(() => findCall(context, "ui", "router", "current")?.());
  const id = isRecord(current) && current.type === "session" ? current.sessionID : undefined;
  return typeof id === "string" ? id : undefined;
}

function createDialogs(context: unknown, dialog: PlainRecord): Dialogs {
  const ask = async (name: string, given: object): Promise<unknown> => {
    const answer = attempt(() => findCall(dialog, name)?.(given));
    // The rows are made for this size; a dialog has it once it is open.
    if (name !== "clear") attempt(() => findCall(dialog, "set")?.({ size: "large" }));
    return answer;
  };
  return {
    async select<Value>(page: Parameters<Dialogs["select"]>[0]) {
      const options = page.options.map(({ footer, description, ...option }, value) => ({
        ...option,
        // The documentation knows no footer. Values go by number: it shows only strings.
        value: String(value),
        description: [description, footer].filter((one) => one !== undefined && one !== "").join("  "),
      }));
      const current = page.options.findIndex(({ value }) => value === page.current);
      const chosen = await ask("select", {
        title: page.title,
        options,
        ...(current >= 0 && { current: String(current) }),
      });
      return page.options[Number(chosen ?? Number.NaN)]?.value as Value | undefined;
    },
    confirm: async (title, message) => (await ask("confirm", { title, message })) === true,
    async prompt(title, given = {}) {
      const words = await ask("prompt", { title, ...given });
      return typeof words === "string" ? words : undefined;
    },
    async alert(title, message) {
      await ask("alert", { title, message });
    },
    toast(message, variant) {
      attempt(() => findCall(context, "ui", "toast", "show")?.({ message: `Strata: ${message}`, variant }));
    },
    close() {
      void ask("clear", {}).catch(() => {});
    },
  };
}

async function whileSuspended<T>(context: unknown, run: () => Promise<T>): Promise<T> {
  attempt(() => findCall(context, "renderer", "suspend")?.());
  try {
    return await run();
  } finally {
    attempt(() => findCall(context, "renderer", "resume")?.());
  }
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    // Another shape than the documentation's is as good as none.
    return undefined;
  }
}

function findPart(from: unknown, ...names: readonly string[]): unknown {
  return attempt(() => {
    let part: unknown = from;
    for (const name of names)
      part = part === null || part === undefined ? undefined : Reflect.get(Object(part), name);
    return part;
  });
}

/** The method, bound to its object. */
function findCall(from: unknown, ...names: readonly string[]): Call | undefined {
  const owner = findPart(from, ...names.slice(0, -1));
  const call = findPart(from, ...names);
  return typeof call === "function" ? (...given) => call.apply(owner, given) : undefined;
}
