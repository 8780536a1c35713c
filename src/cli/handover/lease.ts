/** `strata agenda lease`: lists, claims and releases leases. */
import {
  formatHolder,
  formatLease,
  type LeaseOutcome,
} from "../../../layers/7-across-agents/leases/leases.js";
import { StrataError } from "../../base/error.js";
import { exitCodes, type Run, readWhole, WRONG_ARGUMENT } from "../../operations/command.js";
import { openLeases, refuseAgents } from "../../operations/handover/agenda.js";
import { openProject } from "../../operations/project.js";
import { type Lease, LONGEST_ITEM, LONGEST_WHY, PERSON } from "../../project/other-instances.js";

const MINUTE_MS = 60_000;
const USUAL_MINUTES = 60;
const MOST_MINUTES = 480;

export const run: Run = async (cli, { json, minutes, why }, [action = "list", ...words]) => {
  const item = words.join(" ");
  const forMs =
    readWhole("--minutes", minutes, { least: 1, most: MOST_MINUTES, usual: USUAL_MINUTES }) * MINUTE_MS;
  checkWords(action, item);
  checkLength("the item", item, LONGEST_ITEM);
  checkLength("--why", why, LONGEST_WHY);
  const { leases } = openLeases(await openProject(cli));
  if (action === "list") {
    const held = await leases.list();
    if (json) cli.say(JSON.stringify(held, null, 2));
    else cli.say(held.length === 0 ? "Nothing is held." : held.map(formatLease).join("\n"));
    return exitCodes.fine;
  }
  await refuseAgents(cli);
  const outcome =
    action === "claim"
      ? await leases.claim(item, { session: PERSON, forMs, ...(typeof why === "string" && { why }) })
      : await leases.release(item, { session: PERSON });
  cli.say(describe(outcome, item));
  return exitCodes.fine;
};

function checkWords(action: string, item: string): void {
  if (action === "list" ? item === "" : ["claim", "release"].includes(action) && item !== "") return;
  const came = `${action} ${item}`.trim();
  throw new StrataError(
    WRONG_ARGUMENT,
    `expected list, or claim or release and an item such as '#34' or src/a.ts, "${came}" came`,
  );
}

function checkLength(name: string, text: unknown, most: number): void {
  if (typeof text !== "string" || text.length <= most) return;
  throw new StrataError(
    WRONG_ARGUMENT,
    `expected at most ${most} characters for ${name}, ${text.length} came; shorten it`,
  );
}

function describe(outcome: LeaseOutcome, item: string): string {
  switch (outcome.kind) {
    case "held":
      return `Claimed: ${formatLease(outcome.lease)}`;
    case "released":
      return `Released: ${outcome.leases.map(formatReleased).join(", ")}`;
    case "taken":
      throw new StrataError(
        "TAKEN",
        `${formatLease(outcome.by)}; strata agenda lease release '${outcome.by.item}' releases it`,
      );
    case "none":
      throw new StrataError("NOT_HELD", `${item} is not held; strata agenda lease lists what is`);
  }
}

const formatReleased = (lease: Lease): string => `${lease.item} (was held by ${formatHolder(lease)})`;
