import {
  type Allowed,
  type Field,
  listFields,
  type Owner,
  type SettingsGroup,
} from "../src/config/setting.js";

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
  "autoCompact.agents",
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
  "user or lower limit": "you; a project may lower it",
};

const BEFORE = `# Settings

<!-- Made by npm run schema from src/config/schema.ts and each layer's index.ts; edit those, or scripts/settings-page.ts. -->

Every setting has a default, so you need none of them. To change one, turn the plugin's entry in \`opencode.json\` into a
list of the entry and its options:

\`\`\`json
{ "plugin": [["/path/to/opencode-strata", { "toolResults": { "threshold": 20000, "perTool": { "read": 50000, "github_*": false } } }]] }
\`\`\`

They may also be under a \`memory\` key of the same file: OpenCode 1.18.33 starts with it, some other releases do not.
[\`config.schema.json\`](../config.schema.json) is their JSON schema.

- **Which value counts.** For each setting the list wins over the \`memory\` key, and a project's file over the global
  one. \`strata doctor --no-proof\` shows every value and the file it comes from.
- **Who may set it.** A repository brings configuration files too. So a setting whose last column says "you" counts only
  in \`~/.config/opencode/opencode.json\`, or in files that OpenCode's environment variables name. A project's files may
  change some in the direction that costs or shows less. A \`small_model\` or provider that they set is never used for
  background calls.
- **A value that is wrong or not allowed there** is ignored; the log, the screen and \`strata doctor\` name it.
`;

/** Formats the whole page. */
export function formatSettingsPage(settings: SettingsGroup): string {
  const all = listFields(settings).map((field) => ({ ...field, name: field.path.join(".") }));
  const sections = {
    "## What most people set": all.filter(({ name }) => USUAL.has(name)),
    "## For each layer": all.filter(({ name }) => !USUAL.has(name) && !EXPERT.has(name)),
    "## For experts": all.filter(({ name }) => EXPERT.has(name)),
  };
  const formatted = Object.entries(sections).map(([title, rows]) => formatSection(title, rows));
  return [BEFORE, ...formatted].join("\n");
}

function formatSection(title: string, fields: readonly Field[]): string {
  return [
    title,
    "",
    "| setting | default | allowed | what it does | set by |",
    "|---|---|---|---|---|",
    ...fields.map(formatRow),
    "",
  ].join("\n");
}

function formatRow({ allowed, owner, path, usual, what }: Field): string {
  const value = usual === undefined ? "" : `\`${JSON.stringify(usual)}\``;
  const cells = [
    `\`${path.join(".")}\``,
    value,
    formatAllowed(allowed),
    what.replace(/[*<]/g, "\\$&"),
    SET_BY[owner],
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function formatAllowed(field: Allowed): string {
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
  if (each) return `by name: ${formatAllowed(each)}`;
  if (field.examples) return `text like ${field.examples.map(code).join(", ")}`;
  return "text";
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const inDigits = (count: number): string => count.toLocaleString("en-US");
