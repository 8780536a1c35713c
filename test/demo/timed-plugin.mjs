/**
 * The plugin with a watch: adds up how long OpenCode waited for each hook, and writes the sums, as JSON, to the file
 * that STRATA_HOOK_TIMES names. A hook that OpenCode does not wait for is not counted.
 */
import { writeFileSync } from "node:fs";
import strata from "../../dist/plugin.js";

/** @type {Record<string, number>} */
const milliseconds = {};

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
  const begun = performance.now();
  try {
    return await run();
  } finally {
    milliseconds[name] = (milliseconds[name] ?? 0) + performance.now() - begun;
    writeFileSync(process.env.STRATA_HOOK_TIMES ?? "/dev/null", JSON.stringify(milliseconds));
  }
}

export default { ...strata, server };
