/**
 * Texts of any size that are hard to parse: a small piece repeated alone, before an end that does not match, and after
 * a beginning that does; and text that people really paste on one line.
 */

export interface Shape {
  name: string;
  /** A text of `size` UTF-16 units. */
  make(size: number): string;
}

const ATOMS = [
  ..."aA0 \n\t-./\\'\"`({[<=_:|&#*!?,\r中é\u0000",
  ...[
    "\u001b[",
    "a ",
    "a.",
    "a/",
    "a-",
    "a_",
    "A_",
    "1.",
    "1,",
    "- ",
    "./",
    "../",
    "a:b ",
    "x=y ",
    "<a ",
    "<a>",
  ],
  ...["</a>", "`a", '"a', "'a ", "--a ", "$ ", "> ", "| ", "a\n", "- a\n", "a: ", "token ", "bearer "],
  ...["password ", "password is ", "key=", "PASS_", "A0_", "://", "a://b:", "-----BEGIN PRIVATE KEY-----\n"],
  ...["PuTTY-User-Key-File-2", "curl a ", "mysql a ", "eyJaaaaaaaaaa.", "sk-a", "no, ", "always ", "never "],
  ...["we use ", "because ", "not ", "don't ", "instead of ", "I said ", "said: ", "http://a.b/", "a@b"],
  ...["a.b:1:", "error: ", "Error", "exit code ", "1 passed ", "0x", "00:", "2026-", "on monday ", "next "],
  ...[
    "in 1 ",
    "yesterday ",
    "总是",
    "不要",
    "。",
    "！",
    "……",
    "「a",
    "“a",
    "&a [*a,*a]\n",
    "*a,",
    "{a: ",
    "? ",
  ],
  ...["!!", "! ", "% ", "fn a(", "const a = ", "May ", "a\u0301", "\ud800", "[removed: ", "k: 1\n", "!!x "],
  ...["''", "\\x41", " 2>&1", "| tail", "a |\n", "```\n", "<task_result>", "=== fork 1 of 2: a\n", "## a\n"],
  ...["=======\n", "<<<<<<< \n", "$(", "cd a && ", "Next: ", "\u2028", "\uE000", "密码是", "123456", "{}\n"],
];

const repeat = (piece: string, size: number): string =>
  piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** The same numbers in every run, so that different results come from different code. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 16_807) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}

const PROSE =
  "the team said that we should not always use the old parser because it never worked with large inputs and is not what they need for the release which was planned in the spring for every customer of the shop".split(
    " ",
  );
const CHINESE =
  "我们 不 要 总是 使用 旧 的 解析 器 因为 它 很 慢 客户 需要 新 版本 数据 库 端口 应该 是 永远 别 提交".split(
    " ",
  );

type Write = (next: (below: number) => number) => string;

const hex = (next: (below: number) => number, length: number): string =>
  Array.from({ length }, () => "0123456789abcdef"[next(16)]).join("");
const pick = (
  next: (below: number) => number,
  words: readonly string[],
  count: number,
  between: string,
): string => Array.from({ length: count }, () => words[next(words.length)]).join(between);

function cutTo(length: number, write: () => string): string {
  let text = "";
  while (text.length < length) text += ` ${write()}`;
  return text.slice(0, length);
}

/** Writes one piece of each text; a text consists of such pieces. */
const PASTED: Readonly<Record<string, Write>> = {
  prose: (next) => `${pick(next, PROSE, 12, " ")} `,
  "prose in sentences": (next) => `${pick(next, PROSE, 14, " ")}. `,
  "prose in lines": (next) => `${pick(next, PROSE, 14, " ")}.\n`,
  "prose in lines of 3,900 characters": (next) => `${cutTo(3_898, () => pick(next, PROSE, 14, " "))}.\n`,
  "rules in lines of 3,900 characters": (next) =>
    `${cutTo(3_898, () => `we never use ${hex(next, 4)} because ${pick(next, PROSE, 3, " ")}, `)}.\n`,
  "one letter in lines of 3,900": () => `${"a".repeat(3_899)}\n`,
  "quotes in lines of 3,900": () => `${'"a'.repeat(1_949)}"\n`,
  "rules in lines": (next) =>
    `Never use ${hex(next, 4)} in the ${pick(next, PROSE, 2, " ")} because it breaks.\n`,
  "CSV on one line": (next) => `${next(1e6)},always,open,not,never;`,
  "e-mail addresses": (next) => `user${next(1e4)}@example.com, `,
  "JSON on one line": (next) => `{"id":${next(1e6)},"name":"x${next(1e4)}","never":true,"tags":["a","b"]},`,
  base64: (next) =>
    pick(next, [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"], 64, ""),
  addresses: (next) => `https://example.com/${hex(next, 8)}?a=${next(99)} `,
  "Chinese paragraph": (next) => `${pick(next, CHINESE, 6, "")}，${pick(next, CHINESE, 6, "")}。`,
  "Chinese without stops": (next) => pick(next, CHINESE, 12, ""),
  "questions on one line": (next) => `why ${hex(next, 2)}? `,
  "JavaScript on one line": (next) =>
    `function ${hex(next, 2)}(a,b){return a?b.c(${next(99)}):!1}var ${hex(next, 2)}="${hex(next, 6)}";`,
  transcript: () => "and then he said that we never do it and that they always want it because ",
  "code in lines": () =>
    "                    if value is not None:   \n                        return x     # keep\n\n\n",
  table: () => "| name                                     | value                                    |\n",
  log: (next) => `2026-11-21T09:00:${next(60)} error: ${hex(next, 8)} failed in src/a/b.ts:${next(99)}:1\n`,
  paths: (next) => `src/${hex(next, 3)}/${hex(next, 3)}.ts `,
};

/** A readable name for reports, with special characters escaped. */
const nameOf = (atom: string): string => JSON.stringify(atom);

const repeated: readonly Shape[] = ATOMS.flatMap((atom) => [
  { name: `${nameOf(atom)} × n`, make: (size) => repeat(atom, size) },
  { name: `${nameOf(atom)} × n, "!x"`, make: (size) => `${repeat(atom, size - 2)}!x` },
  { name: `"a", ${nameOf(atom)} × n, newline`, make: (size) => `a${repeat(atom, size - 3)}\nz` },
]);

const pasted: readonly Shape[] = Object.entries(PASTED).map(([name, write]) => ({
  name,
  make(size) {
    const next = createNumbers(7);
    const pieces: string[] = [];
    for (let length = 0; length < size; length += pieces.at(-1)?.length ?? 0) pieces.push(write(next));
    return pieces.join("").slice(0, size);
  },
}));

export const shapes: readonly Shape[] = [...repeated, ...pasted];
