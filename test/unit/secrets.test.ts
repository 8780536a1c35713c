import { describe, expect, it } from "vitest";
import { findSecrets, redactSecrets } from "../../src/text/secrets/secrets.js";

/** No secret stands in this file: each is put together here, so that no scanner trips over the repository. */
const join = (...pieces: string[]): string => pieces.join("");
const LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC";
const letters = (count: number): string => LETTERS.repeat(30).slice(0, count);

const sentences: [text: string, secret: string][] = [
  [`postgres://admin:${join("s3cr3t", "Pw9")}@db.example.com:5432/app`, join("s3cr3t", "Pw9")],
  [`use mongodb+srv://root:${join("letme", "inplease")}@cluster0.abc.mongodb.net`, join("letme", "inplease")],
  [`redis://:${join("p4ss", "w0rd!")}@cache:6379/0`, join("p4ss", "w0rd!")],
  [`Server=tcp:x.net;User Id=sa;Password=${join("Tr1cky", "#9")};Encrypt=true`, join("Tr1cky", "#9")],
  [
    `AccountKey=${join(letters(64), letters(22), "==")};EndpointSuffix=core`,
    join(letters(64), letters(22), "=="),
  ],
  [`the db password is ${join("hunt", "er2")}, remember it`, join("hunt", "er2")],
  [`the staging password for the admin user is "${join("sword", "fish")}".`, join("sword", "fish")],
  [`password: ${join("48151", "623")}`, join("48151", "623")],
  [`数据库密码是 ${join("Xy7", "$kk2p")}，别忘了`, join("Xy7", "$kk2p")],
  [`export DB_PASSWORD=${join("post", "gres")}`, join("post", "gres")],
  [`api_key = "${letters(30)}"`, letters(30)],
  [`"client_secret": "${join("Zq8~", letters(30))}"`, join("Zq8~", letters(30))],
  [`aws_secret_access_key=${join(letters(38), "/+")}`, join(letters(38), "/+")],
  [`curl -H "Authorization: Bearer ${letters(32)}" x`, letters(32)],
  [`deploy --token ${letters(20)}`, letters(20)],
  [`curl -u admin:${join("Geh", "eim123")} https://x.example`, join("Geh", "eim123")],
  [`my token is ${letters(24)}`, letters(24)],
];

const harmless = [
  "The password is wrong, ask the user again.",
  "Passwords must have at least 12 characters and the token is required.",
  "Never log a password, a token or an api key.",
  "commit 5d9ad2a3f0c1b2e4d6a8990712f3e4c5b6a7d8e9 broke the build",
  "id 3f2504e0-4f89-41d3-9a0c-0305e82c3301 is the test tenant",
  "integrity sha512-oC5jCB1yKc5Pj1mVqk7q2rWc3dSs7a2H0rQ==",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "const token = await getToken(user);",
  "const token = process.env.GITHUB_TOKEN;",
  "const secret = base64.b64decode(value)",
  "password: string; token?: string",
  "password: z.string().min(8)",
  `api_key: ${"$"}{{ secrets.API_KEY }}`,
  "DB_PASSWORD=$POSTGRES_PASSWORD docker compose up",
  "postgres://user:password@localhost:5432/app",
  "postgres://$USER:$PASS@host/db",
  "set API_KEY=<your-api-key> first",
  "token: your_token_here",
  "max_tokens: 200000 and the token budget is 100,000",
  "the token limit is 8192 per request",
  "the secret is stored in config/secrets.yml",
  "keep the credentials in ~/.aws/credentials",
  "the api key lives in vault/prod/api1",
  "the primary key is user_id2 and the cache key is v2",
  "use the sk-toggleable__content class and sk-estimator-doc-link",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA",
  "git@github.com:org/repo.git and https://github.com/org/repo",
  "the port is 5433, not 5432",
  "密码不能写进日志，令牌要放在环境变量里",
  "token bucket with basic configuration-management",
];

/** Files and outputs in which a value is empty; what follows on the next line is another setting. */
const empty: Record<string, string> = {
  "an env file": "PASSWORD=\nUSER_NAME=bob1\n",
  "an env file of Windows": "DB_PASSWORD=\r\nDB_USER_1=bob\r\n",
  "an env file with spaces": "PASSWORD = \n  USER_NAME = bob1\n",
  "an env file with comments": "API_TOKEN=\n# the-2nd-url\nAPI_URL_V2=x1\n",
  "empty quotes": "PASSWORD=\"\"\nUSER_NAME=bob1\nTOKEN=''\nUSER_2=bob2\n",
  YAML: "password:\nuser_name1: bob2\n",
  "YAML below a key": "credentials:\n  user_name1: bob2\n  token:\n  url_v2: x1.example\n",
  "YAML of Windows": "password:\r\n  'user_name1': bob2\r\n",
  "docker-compose": "environment:\n  - DB_PASSWORD=\n  - DB_USER_1=bob\n  API_KEY:\n  API_URL_2: x1\n",
  INI: "[db]\npassword =\nuser_name1 = bob2\n",
  "a connection string": "Password=\nUser_Name1;\n",
  "a list of options": "  --token\n  --user-name1\n  --password\n  --host2=x\n",
  Chinese: "密码：\nuser_name1: bob2\n令牌=\nUSER_NAME1=bob2\n",
  "quoted YAML": 'password:\n  "user_name": bob2\n',
};

describe("a value that is empty", () => {
  for (const [what, text] of Object.entries(empty))
    it(`takes nothing of the next line with it: ${what}`, () => {
      expect(redactSecrets(text)).toEqual({ text, found: [] });
      const filled = `${text}LAST_PASSWORD=${join("Geh", "eim123")}\n`;
      expect(redactSecrets(filled).text).toBe(`${text}LAST_PASSWORD=[removed: secret in a variable]\n`);
    });

  it("a value that is empty is none where the value stands alone on the next line", () => {
    const secret = join("Tr0ub", "4dor&3xyz");
    for (const before of ["the password:\n", "password:\r\n  ", "the token is\n", "密码是：\n"])
      expect(redactSecrets(`${before}${secret}\nthanks`).text).toMatch(/\[removed: [^\]]+\]\r?\nthanks$/);
    expect(redactSecrets(`secret:\n${join("dGhpc2lzYX", "NlY3JldA==")}\n`).text).not.toContain("dGhp");
  });
});

describe("secrets in a text", () => {
  it("the search for secrets finds a private key from its first line to its last, and to the end where the last is missing", () => {
    const begin = join("-----BEGIN OPENSSH ", "PRIVATE KEY-----");
    const end = join("-----END OPENSSH ", "PRIVATE KEY-----");
    const body = `${letters(64)}\n${letters(64)}`;
    expect(redactSecrets(`key:\n${begin}\n${body}\n${end}\nthanks`).text).toBe(
      "key:\n[removed: private key]\nthanks",
    );
    expect(redactSecrets(`${begin}\n${body}`).text).toBe("[removed: private key]");
  });

  for (const [text, secret] of sentences)
    it(`takes the secret, and no more than needed, out of: ${text.split(secret).join("…")}`, () => {
      const { text: redacted } = redactSecrets(text);
      expect(redacted).not.toContain(secret);
      expect(redacted.replace(/\[removed: [^\]]+\]/g, secret)).toBe(text);
    });

  for (const text of harmless)
    it(`leaves alone: ${text}`, () => {
      expect(redactSecrets(text)).toEqual({ text, found: [] });
    });

  it("the search for secrets finds none in what it has redacted", () => {
    for (const [text] of sentences) expect(findSecrets(redactSecrets(text).text)).toEqual([]);
  });

  it("the search for secrets comes to an end with long texts that almost fit", () => {
    const almost = [
      "password ".repeat(20_000),
      "a://".repeat(50_000),
      "token=".repeat(30_000),
      `eyJ${"a".repeat(200_000)}`,
      "-----BEGIN PRIVATE KEY-----".repeat(3_000),
      "curl -u curl mysql ".repeat(10_000),
      "密码".repeat(60_000),
      `A_${"TOKEN_".repeat(30_000)}`,
      "sk-".repeat(60_000),
    ];
    for (const text of almost) expect(redactSecrets(text).text.length).toBeGreaterThan(0);
  });
});
