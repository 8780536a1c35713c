import { listFields, type Owner } from "../src/config/owners.js";
import { type ConfigSchema, formatConfigSchema } from "../src/config/schema.js";

/** The fields of a JSON schema that the page uses. */
interface Described {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Described[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  properties?: Record<string, Described>;
  additionalProperties?: Described | boolean;
  items?: Described;
}

/** What most people set, if anything. */
const USUAL = new Set([
  "enabled",
  "background.enabled",
  "background.model",
  "background.dailyCalls",
  "background.dailyTokens",
  "toolResults.threshold",
  "toolResults.perTool",
  "autoCompact.threshold",
  "autoMemory.judge",
  "errors.onRepeat",
  "crossAgent.onConflict",
  "recall.embeddings.url",
  "recall.embeddings.model",
  "recall.embeddings.apiKeyEnv",
  "trust.projects",
  "trust.remotes",
  "log.level",
]);

/** What was measured, bounds something, or is for an unusual place; all others are shown by layer. */
const EXPERT = new Set([
  "toolResults.turnBudget",
  "toolResults.maxTotalMegabytes",
  "microCompact.idleMinutes",
  "microCompact.cacheMinutes",
  "microCompact.keepRecent",
  "microCompact.horizon",
  "microCompact.floor",
  "sessionMemory.updateThreshold",
  "sessionMemory.toolCallThreshold",
  "sessionMemory.goalDistance",
  "autoCompact.coldThreshold",
  "autoCompact.retryLimit",
  "autoCompact.summaryTimeout",
  "errors.maxErrorHistory",
  "autoMemory.maxLines",
  "autoMemory.maxSize",
  "recall.embeddings.timeoutMs",
  "recall.embeddings.dimensions",
  "dream.maxRuntime",
  "sync.worktrees",
  "linkedFolders",
  "committedFolders",
]);

const SET_BY: Record<Owner, string> = {
  anyone: "any file",
  user: "you",
  "user or lower": "you; a project may lower it",
  "user or higher": "you; a project may raise it",
};

const BEFORE = `# Settings

<!-- Made by npm run schema from src/config/schema.ts and each layer's settings.ts; edit those, or scripts/settings-page.ts. -->

Every setting has a default, so you need none of them. To change one, turn the plugin's entry in \`opencode.json\` into a
list of the entry and its options:

\`\`\`json
{ "plugin": [["/path/to/opencode-strata", { "toolResults": { "threshold": 20000, "perTool": { "read": 50000, "github_*": false } } }]] }
\`\`\`

The options may also be under a \`memory\` key of the same file. OpenCode 1.18.33 starts with such a key, some other
releases do not, so the list is safer.

- **Which value counts.** The options in the list win over the \`memory\` key, and a project's file wins over the global
  one. This goes for each setting by itself.
- **Who may set it.** A repository brings configuration files too. So settings that decide where text is sent, what is
  spent and what is trusted count only in your own configuration: \`~/.config/opencode/opencode.json\`, or the files that
  OpenCode's environment variables name. The last column says "you" for these. A project's files may change some of them
  in the direction that costs or shows less, and in no other. Other values there are ignored, and named in the log, on the screen and by \`strata doctor\`.
  A \`small_model\` or provider that a project's file sets is never used for background calls.
- **A wrong value stops nothing.** It is ignored, and a log line and a message on the screen name the file, the key, the
  value, what is allowed and what is used instead.
- **The daily budget** of \`background\` is counted over all instances in the project. When it is used up, every layer
  continues without a model. An instance is a running OpenCode.
- **What is in force.** \`strata doctor --no-proof\` shows every setting and the file it comes from.
- [\`config.schema.json\`](../config.schema.json) is the JSON schema of these options, for editors.
`;

/** Formats the whole page. */
export function formatSettingsPage(configSchema: ConfigSchema): string {
  const schema: Described = JSON.parse(formatConfigSchema(configSchema));
  const owners = new Map(listFields(configSchema).map(({ path, owner }) => [path.join("."), owner]));
  const listRows = (prefix: string, fields: Record<string, Described>): Row[] =>
    Object.entries(fields).flatMap(([name, field]) =>
      field.properties
        ? listRows(`${prefix}${name}.`, field.properties)
        : [{ name: `${prefix}${name}`, text: formatRow(`${prefix}${name}`, field, owners) }],
    );
  const all = listRows("", schema.properties ?? {});
  const ofLayers = all.filter(({ name }) => !USUAL.has(name) && !EXPERT.has(name));
  const groups = new Set(ofLayers.map(({ name }) => name.split(".")[0] ?? name));
  return [
    BEFORE,
    formatSection(
      "## What most people set",
      all.filter(({ name }) => USUAL.has(name)),
    ),
    "## For each layer\n",
    ...[...groups].map((group) =>
      formatSection(
        `### ${group}`,
        ofLayers.filter(({ name }) => name.split(".")[0] === group),
      ),
    ),
    formatSection(
      "## For experts",
      all.filter(({ name }) => EXPERT.has(name)),
    ),
  ].join("\n");
}

interface Row {
  name: string;
  text: string;
}

function formatSection(title: string, rows: readonly Row[]): string {
  return [
    title,
    "",
    "| setting | default | allowed | what it does | set by |",
    "|---|---|---|---|---|",
    ...rows.map(({ text }) => text),
    "",
  ].join("\n");
}

function formatRow(name: string, field: Described, owners: ReadonlyMap<string, Owner | undefined>): string {
  const value = field.default === undefined ? "" : `\`${JSON.stringify(field.default)}\``;
  const what = dropRule(field.description ?? "").replace(/[*<]/g, "\\$&");
  const cells = [`\`${name}\``, value, formatAllowed(field), what, SET_BY[owners.get(name) ?? "user"]];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Removes the sentence on ownership, which the last column repeats. */
const dropRule = (description: string): string =>
  description.replace(/ Counts only in your own configuration[^.]*\.$/, "");

function formatAllowed(field: Described): string {
  const { additionalProperties: each } = field;
  if (field.anyOf) return field.anyOf.map(formatAllowed).join(" or ");
  if (field.const !== undefined) return code(field.const);
  if (field.enum) return field.enum.map(code).join(", ");
  if (field.type === "boolean") return "`true`, `false`";
  if (field.minimum !== undefined && field.maximum !== undefined)
    return `${inDigits(field.minimum)} to ${inDigits(field.maximum)}`;
  if (field.items?.properties)
    return `a list of objects with ${Object.keys(field.items.properties).join(", ")}`;
  if (field.items) return "a list of texts";
  if (typeof each === "object") return `by name: ${formatAllowed(each)}`;
  return "text";
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const inDigits = (count: number): string => count.toLocaleString("en-US");
