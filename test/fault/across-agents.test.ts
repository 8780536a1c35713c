/** Any file operation of a request that is told of edits and brings a message fails: no byte that was sent changes. */
import { expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { systemError } from "../support/memory-files.js";
import { call } from "../support/messages.js";
import { openPair, textOf } from "../support/pair.js";

/** Lets one operation fail, the n-th from when that is set. */
function createTrap() {
  const trap = { in: 0, hasFailed: false };
  const wrap = (files: Files): Files => {
    const operations = Object.entries(files).filter(([, operation]) => typeof operation === "function");
    return Object.fromEntries(
      operations.map(([name, operation]) => [
        name,
        async (...args: unknown[]) => {
          if (trap.in > 0 && --trap.in === 0) {
            trap.hasFailed = true;
            throw systemError("EIO", String(args[0]));
          }
          return (operation as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    ) as unknown as Files;
  };
  return { trap, wrap };
}

it("whatever fails, the next request begins with what was sent, and the message comes once", async () => {
  let at = 0;
  for (let hasFailed = true; hasFailed; ) {
    const { trap, wrap } = createTrap();
    const { a, b } = await openPair({}, wrap);
    await a.turn("build the login");
    await b.turn("write the docs");
    await a.before("edit", { filePath: "a.ts" });
    await b.before("edit", { filePath: "a.ts" }, "e1");
    await a.tool("send_message", { to: "ses_b", text: "careful" });
    b.session.answer([call("edit", "Edited", { callID: "e1" })]);
    trap.in = ++at;
    const sent = await b.request();
    ({ hasFailed } = trap);
    trap.in = 0;
    b.session.answer([call("bash", "ok")]);
    const next = await b.request();
    expect(next.slice(0, sent.length), `operation ${at}`).toEqual(sent);
    b.session.answer([], { text: "done" });
    expect(textOf(await b.turn("go on")).split("> careful"), `operation ${at}`).toHaveLength(2);
  }
  expect(at).toBeGreaterThan(8);
});
