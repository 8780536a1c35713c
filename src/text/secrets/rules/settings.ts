import type { SecretRule } from "./rule.js";

/** Names under which a secret is kept. */
export const NAMES =
  "pass(?:word|wd|phrase|code)|pwd|api[_-]?key|secret|token|(?:access|private|auth|encryption|signing|account)[_-]?key|credentials?";
/** What a value may be made of; quotes, space and what closes a sentence or a bracket end it. */
export const VALUE = "[^\\s\"'`,;<>(){}\\[\\]，。；、]";
/** Space within a line: a value that is left empty must not reach into the next line, which is another setting. */
export const SPACE = "[^\\S\\r\\n]";
/** The beginning of a line that is itself a setting or a comment. A `=` that ends base64 is neither. */
const SETTING = `["'\`]?[\\w.-]{1,60}["'\`]?${SPACE}{0,3}(?::(?!\\S)|=(?!=?(?:\\s|$)))|[A-Z0-9]{1,40}_\\w{0,40}=|#`;
/** Behind a colon or a word a value may stand on the next line alone. */
export const NEXT_LINE = `${SPACE}{0,3}\\r?\\n${SPACE}{0,4}(?!${SETTING})`;

/** The quote that ends a name or begins a value: that of a string in a string has a backslash, and text may be bold. */
export const QUOTE = "(?:\\\\{0,3}[\"'`]|\\*{1,2})";
/** What gives a setting its value. */
export const GIVES = ":=|=>|->|={1,3}|[:：]";

/** What makes of `TOKEN_…=` a setting about the token, and not the token. */
const ABOUT =
  "(?:ID|NAME|URL|URI|PATH|FILE|FILENAME|DIR|HOST|LENGTH|LEN|LIMIT|SIZE|COUNT|MIN|MAX|TTL|EXPIRY|EXPIRES|EXPIRATION|TIMEOUT|LIFETIME|AGE|DAYS|HOURS|MINUTES|SECONDS|MS|TYPE|KIND|MODE|SCOPE|PERMISSION|POLICY|ROTATION|HEADER|ENDPOINT|ISSUER|AUDIENCE|ALGORITHM|ALG|PREFIX|SUFFIX|VERSION|FORMAT|FIELD|COLUMN|ENABLED|DISABLED|REQUIRED|ON|OFF|IN|FROM|REGEX|PATTERN|PROVIDER|BACKEND|STORE|MANAGER|ROUNDS|USAGE|BUDGET|COST|PRICE|LABEL|MESSAGE|ERROR|STATUS|EXISTS|VALID|STRATEGY|REFRESH|CACHE|COMMAND|CMD|HELP|PROMPT|PLACEHOLDER)S?";

export const settingRules: readonly SecretRule[] = [
  {
    name: "authorization header",
    hints: ["bearer", "basic", "token"],
    pattern: /\b(?:bearer|basic|token)[^\S\r\n]{1,3}(?<secret>[\w+/=.~-]{16,2000})/dgi,
    look: "header",
  },
  {
    name: "authorization header",
    hints: ["authorization"],
    pattern:
      /\bauthorization["'`]?\]?[^\S\r\n]{0,3}[:=,][^\S\r\n]{0,3}["'`]?(?:[A-Za-z-]{2,30}[^\S\r\n]{1,2})?(?<secret>[\w+/=.~|:-]{16,2000})/dgi,
    look: "random",
  },
  {
    // Docker's and npm's user and password in base64
    name: "password in a setting",
    hints: ["auth"],
    pattern:
      /(?:"auth"[^\S\r\n]{0,3}:[^\S\r\n]{0,3}"|\b_auth[^\S\r\n]{0,3}=[^\S\r\n]{0,3}["']?)(?<secret>[\w+/]{12,500}={0,2})/dg,
    look: "password",
  },
  {
    // `DB_PASSWORD=postgres`: written like that it is the value, however plain.
    name: "secret in a variable",
    hints: ["="],
    pattern: new RegExp(
      `\\b[A-Z][A-Z0-9_]{0,40}?(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)(?:_(?!(?:${ABOUT})(?:_|=))[A-Z0-9]{1,20}){0,2}=["']?(?<secret>${VALUE}{4,500})`,
      "gd",
    ),
    look: "value",
  },
  {
    // `set -x API_TOKEN "…"`, `setenv("API_TOKEN", "…")`
    name: "secret in a variable",
    hints: ["pass", "pwd", "secret", "token", "key", "credential"],
    pattern: new RegExp(
      `\\b[A-Z][A-Z0-9_]{0,40}?(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)(?:["'],)?${SPACE}{1,2}["'](?<secret>${VALUE}{6,500})["']`,
      "gd",
    ),
    look: "password",
  },
  {
    name: "secret in a setting",
    hints: ["pass", "pwd", "key", "secret", "token", "credential"],
    pattern: new RegExp(
      `(?:${NAMES})(?:${QUOTE}\\]?)?\\s{0,3}(?:(?::=|=>|={1,3})${SPACE}{0,3}|[:：]\\*{0,2}(?:${SPACE}{0,3}|${NEXT_LINE}))${QUOTE}?(?<secret>${VALUE}{6,500})`,
      "gid",
    ),
    look: "password",
  },
  {
    name: "secret in XML",
    hints: ["<"],
    pattern: new RegExp(
      `<[\\w.:-]{0,40}?(?:${NAMES})>${SPACE}{0,3}(?<secret>[^\\s<>\${}]{4,300})${SPACE}{0,3}</`,
      "gid",
    ),
    look: "value",
  },
  {
    name: "secret in XML",
    hints: ["value="],
    pattern: new RegExp(
      `(?:key|name)=["'][\\w.:-]{0,40}?(?:${NAMES})["']${SPACE}{1,3}value=["'](?<secret>[^"'\\s<>%\${}]{4,300})["']`,
      "gid",
    ),
    look: "value",
  },
  {
    name: "secret on a command line",
    hints: ["--", "-u", "-p"],
    pattern:
      /(?:--(?:password|passwd|pass|token|secret|api-?key|auth-?token)(?:=|[^\S\r\n]{1,3})|\bsshpass {1,3}-p ?|\bcurl\b[^\n]{0,200}?\s-u {1,3}["']?[^\s:"']{1,60}:|\bmysql\b[^\n]{0,200}?\s-p)["']?(?<secret>[^\s"'`<>$(){}]{4,300})/dgi,
    look: "password",
  },
];
