/** Generates secrets from formats, and puts them where people have them. The same seed gives the same samples. */

/** In a format, `{an36}` stands for 36 letters and digits. */
export interface Format {
  provider: string;
  format: string;
  /** What people call it. */
  noun: string;
  /** It says nothing by itself: samples stand behind the provider's name. */
  isNamed?: boolean;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const ALPHABETS: Readonly<Record<string, string>> = {
  an: LOWER + LOWER.toUpperCase() + DIGITS,
  al: LOWER + LOWER.toUpperCase(),
  low: LOWER + DIGITS,
  up: LOWER.toUpperCase() + DIGITS,
  hex: `${DIGITS}abcdef`,
  HEX: `${DIGITS}ABCDEF`,
  d: DIGITS,
  b32_: `${LOWER.toUpperCase()}234567`,
  b64u: `${LOWER}${LOWER.toUpperCase()}${DIGITS}_-`,
  b64_: `${LOWER}${LOWER.toUpperCase()}${DIGITS}+/`,
};

export type Random = (below: number) => number;

/** mulberry32, public domain. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

export function generate(format: string, random: Random): string {
  return format.replace(
    /\{(uuid|(an|al|low|up|hex|HEX|d|b32_|b64u|b64_)(\d+))\}/g,
    (_, whole, kind, length) => {
      if (whole === "uuid") return generate("{hex8}-{hex4}-4{hex3}-a{hex3}-{hex12}", random);
      const alphabet = ALPHABETS[kind] ?? "";
      return Array.from({ length: Number(length) }, () => alphabet[random(alphabet.length)]).join("");
    },
  );
}

export interface Surrounding {
  name: string;
  /** A token can be known there by nothing but itself. */
  isBare?: boolean;
  write(secret: string, key: Key): string;
}

/** What the key is called in each notation. */
export interface Key {
  provider: string;
  noun: string;
  ENV: string;
  snake: string;
  camel: string;
  Header: string;
  host: string;
}

export function nameKey({ noun, provider }: Format): Key {
  const words = `${provider} ${noun}`.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const snake = words.join("_").toLowerCase();
  return {
    provider,
    noun,
    ENV: snake.toUpperCase(),
    snake,
    camel: words.map((word, n) => (n === 0 ? word.toLowerCase() : capital(word))).join(""),
    Header: words.map(capital).join("-"),
    host: `api.${words[0]?.toLowerCase()}.com`,
  };
}

/** Those that the patterns were written with. */
export const surroundings: readonly Surrounding[] = [
  { name: "env", write: (secret, { ENV }) => `PORT=3000\n${ENV}=${secret}\nDEBUG=1` },
  { name: "JSON", write: (secret, { camel }) => `{"port": 3000, "${camel}": "${secret}", "debug": true}` },
  { name: "YAML", write: (secret, { snake }) => `app:\n  port: 3000\n  ${snake}: ${secret}\n  debug: true` },
  {
    name: "header",
    write: (secret, { Header, host }) => `curl -H "X-${Header}: ${secret}" https://${host}/v1/items`,
  },
  {
    name: "URL",
    write: (secret, { host, snake }) =>
      `GET https://${host}/v1/items?limit=5&${snake}=${encodeURIComponent(secret)}&page=2 fails`,
  },
  {
    name: "sentence",
    write: (secret, { noun, provider }) => `Our ${provider} ${noun} is ${secret} and it works.`,
  },
  { name: "code", write: (secret, { camel }) => `const ${camel} = "${secret}";\nrun(${camel});` },
  { name: "bare", isBare: true, write: (secret) => `put ${secret} into the settings, please` },
];

/** Those that were not looked at before the patterns were done. */
export const otherSurroundings: readonly Surrounding[] = [
  { name: "export", write: (secret, { ENV }) => `export ${ENV}="${secret}" && npm start` },
  { name: "TOML", write: (secret, { snake }) => `[service]\n${snake} = "${secret}"\nretries = 3` },
  { name: "docker", write: (secret, { ENV }) => `docker run --rm -e ${ENV}=${secret} -p 80:80 app:latest` },
  { name: "Actions", write: (secret, { ENV }) => `env:\n  CI: true\n  ${ENV}: ${secret}\nsteps: []` },
  {
    name: "colon",
    write: (secret, { noun, provider }) => `here's the ${provider} ${noun}: ${secret} (don't share it)`,
  },
  {
    name: "Python",
    write: (secret, { camel, snake }) => `client = make_client(${snake}='${secret}', name="${camel}")`,
  },
  {
    name: "escaped",
    write: (secret, { camel }) => JSON.stringify({ body: JSON.stringify({ id: 7, [camel]: secret }) }),
  },
  { name: "index", write: (secret, { snake }) => `settings["${snake}"] = "${secret}"` },
  {
    name: "list",
    write: (secret, { noun, provider }) => `- **${provider} ${noun}**: \`${secret}\`\n- region: eu`,
  },
  { name: "log", isBare: true, write: (secret) => `2026-01-05 INFO auth ok user=7 using ${secret}` },
  {
    name: "bearer",
    isBare: true,
    write: (secret) => `fetch(url, { headers: { Authorization: \`Bearer ${secret}\` } })`,
  },
  {
    name: "table",
    isBare: true,
    write: (secret, { provider }) => `| ${provider} | ${secret} |\n| --- | --- |`,
  },
];

/** Those that were not looked at before the patterns had been mended for the former. */
export const lastSurroundings: readonly Surrounding[] = [
  { name: "PowerShell", write: (secret, { ENV }) => `$env:${ENV} = "${secret}"\nnpm run dev` },
  { name: "fish", write: (secret, { ENV }) => `set -gx ${ENV} "${secret}"` },
  { name: "Go", write: (secret, { ENV }) => `os.Setenv("${ENV}", "${secret}")` },
  { name: "PHP", write: (secret, { snake }) => `return ['${snake}' => '${secret}', 'debug' => true];` },
  { name: "object", write: (secret, { Header }) => `headers: { "x-${Header.toLowerCase()}": "${secret}" },` },
  { name: "helm", write: (secret, { camel }) => `helm upgrade app ./chart --set ${camel}=${secret} --wait` },
  { name: "Java", write: (secret, { camel }) => `private static final String ${camel} = "${secret}";` },
  { name: "diff", write: (secret, { ENV }) => `@@ -1,2 +1,2 @@\n-${ENV}=\n+${ENV}=${secret}\n` },
  {
    name: "properties",
    write: (secret, { snake }) => `app.${snake.replaceAll("_", ".")}=${secret}\napp.port=80`,
  },
  {
    name: "chat",
    write: (secret, { noun, provider }) => `can you add my new ${provider} ${noun} = ${secret} ?`,
  },
  { name: "error", isBare: true, write: (secret) => `Error: 401 Unauthorized (key ${secret}) at line 7` },
  { name: "quoted", isBare: true, write: (secret) => `login("${secret}", { retries: 3 });` },
];

/** Whether a piece of the secret that is worth something is left. */
export function isLeft(secret: string, text: string): boolean {
  const LEAST = 12;
  if (secret.length <= LEAST) return text.includes(secret);
  for (let at = 0; at + LEAST <= secret.length; at++)
    if (text.includes(secret.slice(at, at + LEAST))) return true;
  return false;
}
