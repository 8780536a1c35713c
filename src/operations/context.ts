/** Operations on what stands in a session's context: to list it, and to ask the running session for a change. */
import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { isFileName } from "../project/folders.js";
import {
  type Action,
  type ContextItems,
  findWanted,
  formatCost,
  formatItems,
  ITEMS_ENDING,
  readContextItems,
  requireAction,
} from "../status/context-items.js";
import { readSessionScreen } from "../status/session-screen.js";
import { formatToolCosts, readToolCosts } from "../status/tool-costs.js";
import { WRONG_ARGUMENT } from "./command.js";
import { amount, type Core, defineOperation, flag, names, option, refuseCaller } from "./operation.js";

const session = option(z.string(), "id", "the session (default: the one that sent the last request)");

const WIDTH = 100;

const listInput = z.object({
  session,
  limit: amount(300, 20, "maximum number of items shown"),
});

/** What stands in the context, largest first, and what is asked for and not done yet. */
export const list = defineOperation(listInput, async (core, wanted) => {
  const items = await requireItems(core, wanted.session);
  const { waiting } = await (await core.contextRequests()).read();
  const asked = waiting.filter((one) => one.session === items.session);
  const tools = await readToolCosts(core.files, core.folders, core.clock.now());
  const screen = await readSessionScreen(core.files, core.folders, items.session);
  const costs =
    tools && formatToolCosts(tools, { fixedTokens: screen?.context.kinds.system, most: wanted.limit });
  const text = formatItems(items, { command: core.nameOf("context"), most: wanted.limit, width: WIDTH });
  return {
    text: costs === undefined ? text : `${text}\n\n${costs}`,
    data: {
      ...items,
      ...(tools && { tools }),
      asked: Object.fromEntries(asked.map(({ action, item }) => [item, action])),
    },
  };
});

const changeInput = z.object({
  ids: names.default([]),
  session,
  dryRun: flag.default(false).describe("only shows what it frees and costs"),
});

/** Says what each change will free and cost, and asks for it unless this is a dry run. */
export const steer = (action: Action) =>
  defineOperation(changeInput, async (core, { dryRun, ids, session: given }) => {
    if (!dryRun && core.caller !== "person") throw refuseCaller(`context ${action}`, core.caller);
    const none = `expected ids of what to ${action}; ${core.nameOf("context")} lists them`;
    if (ids.length === 0 && action !== "undo-cut") throw new StrataError(WRONG_ARGUMENT, none);
    const items = await requireItems(core, given);
    const wanted = (ids.length > 0 ? ids : [undefined]).map((id) => {
      const item = findWanted(items.items, action, id, core.nameOf("context"));
      return { item, cost: requireAction(item, action) };
    });
    const requests = await core.contextRequests();
    const run = randomUUID().slice(0, 8);
    const lines: string[] = [];
    for (const { cost, item } of wanted) {
      if (!dryRun) await requests.ask({ session: items.session, action, item: item.id }, run);
      lines.push(formatCost(item, action, cost));
    }
    const done = dryRun
      ? "Nothing was changed: this was a dry run."
      : `Asked for: it is done before ${core.session === undefined ? `the next message of ${items.session}` : "your next message"} is sent.`;
    return { text: [...lines, done].join("\n"), ...(!dryRun && { run }) };
  });

/** Takes back what this run of `steer` has asked for; `undefined` if it is none. @throws StrataError REFUSED */
export async function withdraw(core: Core, run: string) {
  const requests = await core.contextRequests();
  const { settled, waiting } = await requests.read();
  const isOf = (id: string): boolean => id === run || id.startsWith(`${run}-`);
  const done = settled.find(({ request }) => isOf(request));
  if (done) throw new StrataError("REFUSED", `Too late to take that back: ${done.text}`);
  const own = waiting.filter(({ id }) => isOf(id));
  for (const line of own) await requests.settle(line, { outcome: "withdrawn", text: "taken back" });
  const what = own.map(({ action, item }) => `${action} ${item}`).join(", ");
  return what === "" ? undefined : { text: `Taken back: ${what}` };
}

/** Of the given session, else of the one whose context was sent last. @throws StrataError NO_SESSION */
async function requireItems({ files, folders }: Core, given: string | undefined): Promise<ContextItems> {
  if (given !== undefined && !isFileName(given))
    throw new StrataError(WRONG_ARGUMENT, `expected the id of a session, got "${given}"`);
  const id = given ?? (await findNewest());
  const items = id === undefined ? undefined : await readContextItems(files, folders, id);
  if (items) return items;
  const of = id ?? "any session of this project";
  const why = `no context of ${of} is known yet: Strata records it when OpenCode sends a request`;
  throw new StrataError("NO_SESSION", why);

  async function findNewest(): Promise<string | undefined> {
    let newest: string | undefined;
    let newestMs = 0;
    for (const name of await files.list(folders.screens)) {
      if (!name.endsWith(ITEMS_ENDING)) continue;
      const stat = await files.stat(join(folders.screens, name));
      if (stat?.kind === "file" && stat.modifiedMs > newestMs)
        [newest, newestMs] = [basename(name, ITEMS_ENDING), stat.modifiedMs];
    }
    return newest;
  }
}
