/** Secrets and private files that a dream's model must not see, and ways to search for them. */
import { type Attempt, bash } from "./escapes.js";

const MEMORY = ".opencode/memory";

/** Assembled here, so that secret scanners do not flag the repository. */
const STRIPE = ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_");
const GITHUB = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
const GITHUB_TOO = ["ghp", "zyxwvutsrqponmlkjihgfedcba9876543210"].join("_");
const AWS = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");
const ARMOURED = [
  ["-----BEGIN RSA", "PRIVATE KEY-----"].join(" "),
  "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu",
  "KUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQJAIJLixBy2qpFoS4DSmoEm",
  "-----END RSA PRIVATE KEY-----",
];

/** Project files with keys in expected and unexpected places; git ignores none of them. */
export const PLANTED: Readonly<Record<string, string>> = {
  ".env": `STRIPE=${STRIPE}\nPLAIN=plainlykept\n`,
  "deploy/.env.production": "PLAIN=alsoplainlykept\n",
  "deploy/prod-credentials.json": '{"key": "topsecretvalue123"}\n',
  "keys/id_ed25519": "OPENSSHKEYBODY\n",
  ".git-credentials": "https://u:tokentokentoken@example.org\n",
  "certs/server.pem": "PEMBODY\n",
  "config/app.yml": "database:\n  port: 5432\n  password: Tr0ub4dor&3xyz\n  user: app\n",
  "docs/deploy.md": ["# Deploying", "Copy this key:", ...ARMOURED, "Then restart the worker.", ""].join("\n"),
  "docs/wide.md": `${"w".repeat(1_989)} ${GITHUB}\n`,
  "docs/utf16.md": "\ufeffs\0k\0_\0l\0i\0v\0e\0_\0Q\0W\0E\0R\0",
  "src/app.ts": `export const port = 5432; // the worker\nconst key = "${AWS}";\n`,
  ".opencode/memory/private/knowledge/salary.md": "The salary is 4711 doubloons.\n",
  ".opencode/session-memory/ses_other.md": "## Learnings\n\n- The diary says marmalade.\n",
  ".opencode/tool-results/old.txt": "The diary says gooseberry.\n",
  ".opencode/strata/state/dream-notes.txt": "The diary says elderflower.\n",
  ".opencode/memory/knowledge/key.md": `The worker reads the mail queue with ${GITHUB_TOO}.\n`,
};

/** Links in the project: name and target. */
export const PLANTED_LINKS: readonly (readonly [name: string, target: string])[] = [
  ["docs/env.md", "../.env"],
  ["src/AGENTS.md", "../deploy/prod-credentials.json"],
  ["vault", ".opencode/memory/private"],
];

/** None of this may reach a model. */
export const NEEDLES: readonly string[] = [
  "4eC39HqLyjWDarjtT1zdp7dc",
  "plainlykept",
  "topsecretvalue123",
  "OPENSSHKEYBODY",
  "tokentokentoken",
  "PEMBODY",
  "Tr0ub4dor",
  "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6",
  "KUpRKfFLfRYC9AIKjbJTWit",
  "ghp_a",
  "AKIAQYLPMN5",
  "doubloons",
  "marmalade",
  "gooseberry",
  "elderflower",
  "salary",
  "ghp_zyx",
  "tool-output/",
];

/** Searches and reads, mostly allowed, each covering some of the files above. */
export const searches: readonly Attempt[] = [
  { tool: "grep", args: { pattern: "." } },
  { tool: "grep", args: { pattern: ".", include: ".env*" } },
  { tool: "grep", args: { pattern: ".", include: "{.env,id_*,*.pem,*credentials*}" } },
  { tool: "grep", args: { pattern: ".", include: "*.md" } },
  { tool: "grep", args: { pattern: "sk_l|topsec|OPENSS|tokentok|PEMB|plainly" } },
  { tool: "grep", args: { pattern: "^[A-Za-z0-9+/=]{20,}$" } },
  { tool: "grep", args: { pattern: "MII|KUpR|Tr0ub|AKIA|ghp_" } },
  { tool: "grep", args: { pattern: "doubl|marma|goose|elder" } },
  { tool: "grep", args: { pattern: ".", path: "deploy" } },
  { tool: "grep", args: { pattern: ".", path: "keys" } },
  { tool: "grep", args: { pattern: ".", path: "config" } },
  { tool: "grep", args: { pattern: ".", path: ".opencode" } },
  { tool: "grep", args: { pattern: ".", path: MEMORY } },
  { tool: "grep", args: { pattern: ".", path: "vault" } },
  { tool: "grep", args: { pattern: ".", path: "docs" } },
  { tool: "grep", args: { pattern: "url|token|autocrlf|bare", include: "config" } },
  // Given a file as `path`, the host searches the file's folder.
  { tool: "grep", args: { pattern: ".", path: "a.txt" } },
  { tool: "grep", args: { pattern: ".", path: ".opencode/none" } },
  { tool: "glob", args: { pattern: "**/*" } },
  { tool: "glob", args: { pattern: "**/.env*" } },
  { tool: "glob", args: { pattern: ".opencode/**" } },
  { tool: "glob", args: { pattern: "**/private/**" } },
  { tool: "read", args: { filePath: "docs/deploy.md" } },
  { tool: "read", args: { filePath: "docs/deploy.md", offset: 4, limit: 1 } },
  { tool: "read", args: { filePath: "docs/wide.md" } },
  { tool: "read", args: { filePath: "docs/utf16.md" } },
  { tool: "read", args: { filePath: "docs/env.md" } },
  { tool: "read", args: { filePath: "config/app.yml", offset: 3 } },
  { tool: "read", args: { filePath: "src/app.ts" } },
  { tool: "read", args: { filePath: `${MEMORY}/knowledge/key.md` } },
  { tool: "read", args: { filePath: MEMORY } },
  { tool: "read", args: { filePath: "." } },
  { tool: "read", args: { filePath: "vault/knowledge" } },
  bash("cat config/app.yml docs/deploy.md"),
  bash("cat src/app.ts config/app.yml"),
  bash("head -n 4 docs/deploy.md"),
  bash("tail -n 3 docs/deploy.md"),
  bash("tail -2 config/app.yml"),
  bash('grep -h "MII" docs/deploy.md'),
  bash('grep -n "" docs/deploy.md src/app.ts'),
  bash('grep -A1 "password" config/app.yml'),
  bash("diff -u a.txt docs/deploy.md"),
  bash("cat docs/env.md"),
  bash("cat docs/wide.md"),
  bash("cat docs/utf16.md"),
  bash("ls -la vault"),
  bash("cat big.txt docs/deploy.md"),
];
