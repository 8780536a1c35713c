/**
 * The plugin with a watch: adds up how long OpenCode waited for each hook, and keeps the sums, as JSON, in the file that
 * STRATA_HOOK_TIMES names. A hook that OpenCode does not wait for is not counted. Hooks that run at the same time count
 * once: the sum of all is the time in which at least one of them ran.
 */
import { openSync, writeSync } from "node:fs";
import strata from "../../dist/plugin.js";

/** @type {Record<string, number>} */
const milliseconds = {};
const file = openSync(process.env.STRATA_HOOK_TIMES ?? "/dev/null", "w");
const KEPT_CHARACTERS = 2_000;
/** Hooks that run now, and the time up to which all is counted. */
let running = 0;
let countedMs = 0;

/** @param {any} input @param {any} options */
async function server(input, options) {
  const hooks = await measure("server", () => strata.server(input, options));
  const timed = Object.entries(hooks).map(([name, hook]) =>
    typeof hook !== "function" || name === "event"
      ? [name, hook]
      : [name, (/** @type {any[]} */ ...args) => measure(name, () => hook(...args))],
  );
  return Object.fromEntries(timed);
}

/** @param {string} name @param {() => any} run */
async function measure(name, run) {
  if (running++ === 0) countedMs = performance.now();
  try {
    return await run();
  } finally {
    running--;
    const nowMs = performance.now();
    milliseconds[name] = (milliseconds[name] ?? 0) + nowMs - countedMs;
    keep();
    // What keeping the sums takes is not the plugin's.
    countedMs = performance.now();
  }
}

/** Over the last sums: to create a file takes longer than most hooks. */
function keep() {
  writeSync(file, JSON.stringify(milliseconds).padEnd(KEPT_CHARACTERS), 0);
}

export default { ...strata, server };
