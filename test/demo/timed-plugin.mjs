/**
 * The plugin with a watch: adds up how long OpenCode waited for each hook, and keeps the sums, as JSON, in the file that
 * STRATA_WATCH names. A hook that OpenCode does not wait for is not counted. Hooks that run at the same time count once:
 * the sum of all is the time in which at least one of them ran. With STRATA_WATCH_BARE there is the watch alone. A user
 * message "memory" adds the memory that the host has once garbage is collected.
 */
import { openSync, writeSync } from "node:fs";

const found = { milliseconds: /** @type {Record<string, number>} */ ({}), importMs: 0, residentMB: [0] };
found.residentMB.pop();
const file = openSync(process.env.STRATA_WATCH ?? "/dev/null", "w");
const KEPT_CHARACTERS = 3_000;
const MB = 1_024 * 1_024;
/** Hooks that run now, and the time up to which all is counted. */
let running = 0;
let countedMs = performance.now();

const begun = performance.now();
const plugin = process.env.STRATA_WATCH_BARE ? { id: "watch", server: async () => ({}) } : await load();
found.importMs = performance.now() - begun;

async function load() {
  const { default: strata } = await import("../../dist/plugin.js");
  return strata;
}

/** @param {any} input @param {any} options */
async function server(input, options) {
  const hooks = await measure("server", () => plugin.server(input, options));
  const timed = Object.entries(hooks).map(([name, hook]) =>
    typeof hook !== "function" || name === "event"
      ? [name, hook]
      : [name, (/** @type {any[]} */ ...args) => measure(name, () => hook(...args))],
  );
  const { "chat.message": answer = () => {}, ...others } = Object.fromEntries(timed);
  return {
    ...others,
    /** @param {any} call @param {{ parts: { text?: string }[] }} message */
    async "chat.message"(call, message) {
      if (message.parts.some(({ text }) => text === "memory")) noteMemory();
      await answer(call, message);
    },
  };
}

function noteMemory() {
  // OpenCode runs in Bun.
  const { Bun } = /** @type {any} */ (globalThis);
  for (let pass = 0; pass < 3; pass++) Bun.gc(true);
  found.residentMB.push(process.memoryUsage.rss() / MB);
  keep();
}

/** @param {string} name @param {() => any} run */
async function measure(name, run) {
  if (running++ === 0) countedMs = performance.now();
  try {
    return await run();
  } finally {
    running--;
    const nowMs = performance.now();
    found.milliseconds[name] = (found.milliseconds[name] ?? 0) + nowMs - countedMs;
    keep();
    // What keeping the sums takes is not the plugin's.
    countedMs = performance.now();
  }
}

/** Over the last sums: to create a file takes longer than most hooks. */
function keep() {
  writeSync(file, JSON.stringify(found).padEnd(KEPT_CHARACTERS), 0);
}

export default { ...plugin, server };
