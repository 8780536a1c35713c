/** The user's words and an agent's memory of them. */
export interface Handed {
  /** How the memory changes the words, or why it is right. */
  what: string;
  said: readonly (string | { text: string; asked?: string })[];
  content: string;
  type?: string;
  /** The kept memory; without it the agent's is refused. */
  kept?: string;
}

const PUSH = "Never push to main without asking.";

/** Faithful restatements of the user's words, as agents write them; those without `kept` are still refused. */
export const faithful: readonly Handed[] = [
  { what: "word for word", said: [PUSH], content: PUSH, kept: PUSH },
  {
    what: "without thanks",
    said: ["use tabs for indentation from now on, thanks"],
    content: "Use tabs for indentation.",
    kept: "use tabs for indentation from now on, thanks",
  },
  {
    what: "rule and reason in one sentence",
    said: ["I prefer pnpm over npm. Because the lockfile is pnpm's."],
    content: "Prefer pnpm over npm because the lockfile is pnpm's.",
    type: "preference",
    kept: "I prefer pnpm over npm. Because the lockfile is pnpm's.",
  },
  {
    what: "a Chinese rule",
    said: ["记住：部署之前必须先运行测试。"],
    content: "部署之前必须运行测试",
    kept: "记住：部署之前必须先运行测试。",
  },
  {
    what: "a correction",
    said: ["No, the database port is 5433, not 5432."],
    content: "The database port is 5433, not 5432.",
    type: "feedback",
    kept: "No, the database port is 5433, not 5432.",
  },
  {
    what: "a question for confirmation",
    said: ["Never touch the vendor folder, ok?"],
    content: "Never touch the vendor folder.",
    kept: "Never touch the vendor folder, ok?",
  },
  {
    what: "an item of a list of rules",
    said: ["Our conventions:\n- two spaces for indentation\n- single quotes for strings"],
    content: "Single quotes for strings.",
    type: "preference",
    kept: "Our conventions: single quotes for strings",
  },
  {
    what: "with its condition",
    said: ["Never deploy on Fridays unless I say so."],
    content: "Never deploy on Fridays unless the user says so.",
    kept: "Never deploy on Fridays unless I say so.",
  },
  {
    what: "a confirmed question",
    said: [{ text: "yes", asked: "Done. Shall I always run the tests before pushing?" }],
    content: "Always run the tests before pushing.",
    kept: 'Agreed: "Shall I always run the tests before pushing?" — "yes"',
  },
  {
    what: "a confirmed question in Chinese",
    said: [{ text: "好的", asked: "测试通过了。以后每次部署之前都要运行测试吗？" }],
    content: "以后每次部署之前都要运行测试",
    kept: 'Agreed: "以后每次部署之前都要运行测试吗？" — "好的"',
  },
  {
    what: "a wrapped line",
    said: ["Always write the reason for a change into the message of its commit,\nnot what was changed."],
    content: "Always write the reason for a change into the commit message, not what was changed.",
    kept: "Always write the reason for a change into the message of its commit, not what was changed.",
  },
  {
    what: "the replacement",
    said: ["Use port 5432.", "No, use port 5433."],
    content: "Use port 5433.",
    type: "feedback",
    kept: "No, use port 5433.",
  },
  {
    what: "other words with the same meaning",
    said: ["Don't ever push straight to main."],
    content: "Never push directly to main.",
    kept: "Don't ever push straight to main.",
  },
  {
    what: "entirely different words",
    said: ["Keep your hands off the vendor directory."],
    content: "Do not modify files in vendor.",
  },
];
