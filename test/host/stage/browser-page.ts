/**
 * A page in a real browser as a person sees it: of a given width, light or dark, with a keyboard. Controlled by the
 * DevTools protocol over two pipes, with a zero byte after each JSON message.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { patiently } from "../../support/patience.js";
import { removeFolder } from "../../support/remove-folder.js";
import type { Browser } from "./chromium.js";
import { entrust } from "./keeper.js";

export interface PageOptions {
  browser: Browser;
  /** The page's HTML, which is written to a file, or the URL of a page. */
  page: { html: string } | { url: string };
  widthPx: number;
  isDark: boolean;
}

export interface BrowserPage extends AsyncDisposable {
  /** Lines of the browser's console: errors and blocked requests. */
  readonly console: readonly string[];
  /** Requested addresses, the page itself first. */
  readonly requests: readonly string[];
  /** Evaluates an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  reload(): Promise<void>;
  /** Presses a key by its name in the DOM, such as "Tab", "?" or "ArrowDown", alone or together with Ctrl. */
  press(key: string, held?: { ctrl?: boolean }): Promise<void>;
  /** Types into the focused element. */
  type(text: string): Promise<void>;
  /** Clicks the middle of the first matching element with the mouse. Fails if none is visible. */
  click(selector: string): Promise<void>;
  /** Resolves when the expression is truthy, with its value; fails with the page's text. */
  waitFor<T>(expression: string): Promise<T>;
  /** Writes a screenshot of the whole page, or of its top part. */
  takePicture(path: string, heightPx?: number): Promise<void>;
}

const HEIGHT_PX = 900;
const ANSWER_MS = patiently(30_000);
/** Shorter than the test's time-out, so that the failure with the page's text comes first. */
const SEEN_MS = patiently(20_000);

/** Opens the page; resolves when it has loaded. */
export async function openPage({ browser, isDark, page, widthPx }: PageOptions): Promise<BrowserPage> {
  const folder = mkdtempSync(join(tmpdir(), "strata-page-"));
  const release = entrust({ folder });
  const path = join(folder, "page.html");
  if ("html" in page) writeFileSync(path, page.html);
  const wire = startBrowser(browser, join(folder, "profile"));
  const close = async (): Promise<void> => {
    await wire.end();
    removeFolder(folder);
    release();
  };
  try {
    return {
      ...(await present(wire, { url: "url" in page ? page.url : pathToFileURL(path).href, isDark, widthPx })),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opening {
  url: string;
  isDark: boolean;
  widthPx: number;
}

async function present(
  wire: Wire,
  { isDark, url, widthPx }: Opening,
): Promise<Omit<BrowserPage, typeof Symbol.asyncDispose>> {
  const said: string[] = [];
  const requests: string[] = [];
  const { targetId } = await wire.ask("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await wire.ask("Target.attachToTarget", { targetId, flatten: true });
  const ask = (method: string, params: object = {}) => wire.ask(method, params, sessionId);
  wire.hear("Runtime.consoleAPICalled", (event) => void said.push(JSON.stringify(event.args)));
  wire.hear("Runtime.exceptionThrown", (event) => void said.push(JSON.stringify(event.exceptionDetails)));
  wire.hear("Log.entryAdded", (event) => void said.push(JSON.stringify(event.entry)));
  wire.hear("Network.requestWillBeSent", (event) => void requests.push(event.request.url));
  for (const domain of ["Runtime", "Log", "Network", "Page"]) await ask(`${domain}.enable`);
  const screen = { width: widthPx, height: HEIGHT_PX, deviceScaleFactor: 1, mobile: false };
  await ask("Emulation.setDeviceMetricsOverride", screen);
  const scheme = { name: "prefers-color-scheme", value: isDark ? "dark" : "light" };
  await ask("Emulation.setEmulatedMedia", { features: [scheme] });
  const load = async (method: string, params: object = {}): Promise<void> => {
    const loaded = new Promise<void>((resolve) => wire.hear("Page.loadEventFired", () => resolve()));
    await ask(method, params);
    await loaded;
  };
  await load("Page.navigate", { url });

  const evaluate = async <T>(expression: string): Promise<T> => {
    const { exceptionDetails, result } = await ask("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(`The page threw: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  };

  return {
    console: said,
    requests,
    evaluate,
    reload: () => load("Page.reload"),
    ...createHands(ask, evaluate),
    async takePicture(path, heightPx) {
      const { cssContentSize } = await ask("Page.getLayoutMetrics");
      const height = heightPx ?? cssContentSize.height;
      // What is as high as the window then reaches the end of the picture.
      await ask("Emulation.setDeviceMetricsOverride", { ...screen, height });
      const clip = { x: 0, y: 0, width: widthPx, height, scale: 1 };
      const { data } = await ask("Page.captureScreenshot", { captureBeyondViewport: true, clip });
      writeFileSync(path, Buffer.from(data, "base64"));
    },
  };
}

type Ask = (method: string, params?: object) => Promise<Answer>;

/** Keys, mouse, and waiting for something to become visible. */
function createHands(
  ask: Ask,
  evaluate: <T>(expression: string) => Promise<T>,
): Pick<BrowserPage, "click" | "press" | "type" | "waitFor"> {
  return {
    async press(key, { ctrl = false } = {}) {
      const text = key === "Enter" ? "\r" : key.length === 1 && !ctrl ? key : undefined;
      const pressed = {
        key,
        code: key,
        modifiers: ctrl ? 2 : 0,
        windowsVirtualKeyCode: KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0),
        ...(text !== undefined && { text }),
      };
      await ask("Input.dispatchKeyEvent", { type: "keyDown", ...pressed });
      await ask("Input.dispatchKeyEvent", { type: "keyUp", ...pressed });
    },

    type: async (text) => void (await ask("Input.insertText", { text })),

    async click(selector) {
      const [x, y] = await evaluate<[number, number]>(`(() => {
        const found = document.querySelector(${JSON.stringify(selector)});
        if (!found) throw new Error("nothing matches " + ${JSON.stringify(selector)});
        found.scrollIntoView({ block: "center", behavior: "instant" });
        const { left, top, width, height } = found.getBoundingClientRect();
        if (width * height === 0) throw new Error(${JSON.stringify(selector)} + " cannot be seen");
        return [left + width / 2, top + height / 2];
      })()`);
      const at = { x, y, button: "left", clickCount: 1 };
      await ask("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
      await ask("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
    },

    async waitFor(expression) {
      const look = `new Promise((resolve, reject) => {
        const end = performance.now() + ${SEEN_MS};
        const look = () => {
          const value = ${expression};
          if (value) return resolve(value);
          if (performance.now() < end) return requestAnimationFrame(look);
          reject(new Error("never true: " + ${JSON.stringify(expression)} + "\\n" + document.body.innerText));
        };
        look();
      })`;
      for (let pages = 1; ; pages++) {
        try {
          return await evaluate(look);
        } catch (thrown) {
          // Navigation to another page, for example by a link, ends what waits in this one.
          if (pages === MOST_PAGES || !String(thrown).includes("navigated")) throw thrown;
        }
      }
    },
  };
}

/** Maximum number of navigations during one wait. */
const MOST_PAGES = 4;

/** Codes of keys other than letters. */
const KEY_CODES: Readonly<Record<string, number>> = {
  ...{ Tab: 9, Enter: 13, Escape: 27, ArrowUp: 38, ArrowDown: 40, "/": 191, "?": 191 },
};

/** The fields of the protocol's answers and events that are read here. */
interface Answer {
  targetId: string;
  sessionId: string;
  args: unknown;
  entry: unknown;
  request: { url: string };
  exceptionDetails?: unknown;
  result: { value: never };
  cssContentSize: { height: number };
  data: string;
}

interface Wire {
  ask(method: string, params?: object, sessionId?: string): Promise<Answer>;
  hear(event: string, listener: (params: Answer) => void): void;
  end(): Promise<void>;
}

function startBrowser({ binary, env }: Browser, profile: string): Wire {
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
    "about:blank",
  ];
  // Its own process group, so that the browser's other processes end with it.
  const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
  const child = spawn(binary, args, { env, detached: true, stdio: [...stdio] });
  const release = entrust({ group: child.pid ?? 0 });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return createWire(child, async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
    release();
  });
}

function createWire(child: ChildProcess, end: () => Promise<void>): Wire {
  const [, , , toBrowser, fromBrowser] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listeners: [event: string, listener: (params: Answer) => void][] = [];
  let count = 0;
  let rest = "";
  fromBrowser.setEncoding("utf8").on("data", (text: string) => {
    const messages = `${rest}${text}`.split("\0");
    rest = messages.pop() ?? "";
    for (const message of messages) take(JSON.parse(message) as Message);
  });

  return {
    ask(method, params = {}, sessionId) {
      const id = ++count;
      toBrowser.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${method} had no answer`)), ANSWER_MS);
        waiting.set(id, ({ error, result }) => {
          clearTimeout(timer);
          if (error) reject(new Error(`${method}: ${JSON.stringify(error)}`));
          else resolve(result as Answer);
        });
      });
    },
    hear: (event, listener) => void listeners.push([event, listener]),
    end,
  };

  function take(message: Message): void {
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    for (const [event, listener] of listeners)
      if (event === message.method) listener(message.params as Answer);
  }
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}
