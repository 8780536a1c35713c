/** `strata mcp install`: prints the entry for a client's configuration, or writes it. */
import { dirname, join, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { decodeStrictly } from "../../io/files.js";
import { WRONG_ARGUMENT } from "../../operations/arguments.js";
import { type CliContext, type ExitCode, exitCodes, type OptionValues } from "../../operations/command.js";
import { requireProject } from "../../operations/find-project.js";
import { chooseTools } from "../offer.js";
import { tools } from "../tools/tools.js";
import { clientNames, clients, type ServerCommand } from "./clients.js";
import { formatEntry, planEntry } from "./plan-entry.js";

export async function install(cli: CliContext, options: OptionValues): Promise<ExitCode> {
  const { for: name, private: isPrivate, project, tools: wanted, write } = options;
  const client = typeof name === "string" && Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (!client)
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected --for and one of ${clientNames.join(", ")}, ${name === undefined ? "none" : `"${name}"`} came`,
    );
  // A name that the server refuses would be noticed by nobody but the client.
  if (typeof wanted === "string") chooseTools(tools, wanted);
  const root = await requireProject(cli);
  const other =
    typeof project === "string"
      ? await requireProject({ ...cli, folder: resolve(cli.folder, project) })
      : undefined;
  const server = planCommand(cli, [
    "mcp",
    ...(typeof wanted === "string" ? ["--tools", wanted] : []),
    ...(isPrivate ? ["--private"] : []),
  ]);
  const entry = client.plan(server, { root, other });
  if (!write) {
    const place = client.file === undefined ? "" : `, in ${join(root, client.file)}`;
    cli.warn(`For ${client.title}${place}:`);
    cli.say(formatEntry(entry));
    cli.warn(client.note);
    return exitCodes.fine;
  }
  if (client.file === undefined)
    throw new StrataError(WRONG_ARGUMENT, `--write: leave it out for ${name}. ${client.note}`);
  const path = join(root, client.file);
  const { mark, text } = await readToEdit(cli, { path, root });
  const plan = planEntry(text, entry);
  if (plan.kind === "refused")
    throw new StrataError(
      "CONFIG_BROKEN",
      `${path} was not changed: ${plan.why}. Run it without --write and add the printed entry yourself`,
    );
  if (plan.kind === "write") await cli.files.writeWhole(path, `${mark}${plan.text}`, { mode: "kept" });
  cli.say(plan.kind === "there" ? `Already configured: ${path}` : `Written: ${path}`);
  cli.say(client.note);
  return exitCodes.fine;
}

/** The published package through npx, or this copy of it. */
function planCommand({ packageFolder }: Pick<CliContext, "packageFolder">, args: string[]): ServerCommand {
  return packageFolder === undefined
    ? { command: "npx", args: ["-y", "opencode-strata", ...args] }
    : { command: "node", args: [join(packageFolder, "dist", "strata.js"), ...args] };
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * The file's text without its byte order mark, and that mark. Refuses links in place of the file or its folder: one may
 * have come with the repository and lead anywhere.
 */
async function readToEdit(
  { files }: Pick<CliContext, "files">,
  { path, root }: { path: string; root: string },
): Promise<{ mark: string; text: string | undefined }> {
  const stat = await files.statItself(path);
  const folder = await files.realPath(dirname(path));
  const within = (await files.realPath(root)) ?? root;
  const isElsewhere = folder !== undefined && folder !== join(within, relative(root, dirname(path)));
  if (isElsewhere || (stat !== undefined && stat.kind !== "file"))
    throw new StrataError(
      "CONFIG_ELSEWHERE",
      `${path} was not changed: it is not a plain file of the project; edit it yourself`,
    );
  const bytes = await files.read(path, { links: "refused" });
  if (bytes === undefined) return { mark: "", text: undefined };
  const text = decodeStrictly(bytes);
  if (text === undefined)
    throw new StrataError("CONFIG_BROKEN", `${path} was not changed: it is not UTF-8 text; edit it yourself`);
  const hasMark = decodeStrictly(bytes.subarray(0, 3)) === "" && bytes.length >= 3;
  return { mark: hasMark ? BYTE_ORDER_MARK : "", text };
}
