/** The tool `lease`: claims work items and lists who holds them. */
import { StrataError } from "../../../src/base/error.js";
import { defineTool, type Tool, type ToolParameters } from "../../../src/kernel/layer.js";
import { type Lease, PERSON } from "../../../src/project/other-instances.js";
import { formatTime } from "../format.js";
import type { leaseArguments } from "./arguments.js";
import type { LeaseOutcome, Leases } from "./leases.js";

const USUAL_MINUTES = 30;
const MINUTE_MS = 60_000;

const parameters: ToolParameters = {
  properties: {
    op: { type: "string", enum: ["claim", "renew", "release", "list"] },
    item: { type: "string" },
  },
  required: ["op"],
};

export function createLeaseTool(leases: Leases): Tool {
  return defineTool<typeof leaseArguments>({
    name: "lease",
    description:
      "Claim what you work on (#34, path, topic) for other agents to see; release when done. Also: minutes, why.",
    parameters,
    loadCheck: async () => (await import("./arguments.js")).leaseArguments,
    async execute({ item, minutes = USUAL_MINUTES, op, why }, { sessionID: session }) {
      const forMs = minutes * MINUTE_MS;
      if (op === "list") return formatList(await leases.list(), session);
      if (op === "release") return answer(await leases.release(item, { session }), item ?? "anything");
      if (item === undefined)
        throw new StrataError("EINVAL", `lease ${op} needs an item, such as "#34" or "src/a.ts"`);
      const wanted = { session, forMs, ...(why !== undefined && { why }) };
      return answer(await (op === "claim" ? leases.claim(item, wanted) : leases.renew(item, wanted)), item);
    },
  });
}

function answer(outcome: LeaseOutcome, item: string): string {
  switch (outcome.kind) {
    case "held": {
      const { lease, isRenewed } = outcome;
      return `${isRenewed ? "Renewed" : "Claimed"}: ${lease.item} is yours until ${formatTime(lease.untilMs)}.`;
    }
    case "released":
      return `Released: ${outcome.leases.map((lease) => lease.item).join(", ")}.`;
    case "taken":
      throw new StrataError(
        "ETAKEN",
        `${item} is not yours: ${formatLease(outcome.by)}. Work on something else, wait, or ask ${formatAsking(outcome.by)}.`,
      );
    case "none":
      throw new StrataError("ENONE", `You do not hold ${item}; it is free, or has expired. Claim it first.`);
  }
}

function formatList(leases: readonly Lease[], session: string): string {
  if (leases.length === 0) return "Nothing is held by anybody.";
  return leases
    .map((lease) => `- ${formatLease(lease)}${lease.session === session ? " (you)" : ""}`)
    .join("\n");
}

const formatAsking = ({ instance, session }: Lease): string =>
  instance === PERSON ? "the user" : `${session} with send_message`;

/** For models and people. */
export function formatLease({ instance, item, session, untilMs, why }: Lease): string {
  const reason = why === undefined ? "" : `, for ${JSON.stringify(why)}`;
  return `${item} is held by ${formatHolder({ instance, session })} until ${formatTime(untilMs)}${reason}`;
}

export const formatHolder = ({ instance, session }: Pick<Lease, "instance" | "session">): string =>
  instance === PERSON ? "the user" : `${session} (instance ${instance})`;
