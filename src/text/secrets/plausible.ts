/** Tells secrets from what stands in their place or looks like one: placeholders, words, names in code, paths. Pure. */
/**
 * What makes a text look like a secret. All exclude placeholders.
 * - `token`: issued by a machine, with a prefix or shape of its own: high entropy.
 * - `named`: a token that only a name before it tells: no run of the alphabet as in documents.
 * - `random`: a token whose prefix or place others share: digits among the letters, as in no name that people give.
 * - `password`: has what a word, a name in code or a path has not.
 * - `header`: a password of high entropy.
 * - `login`: a password with digits or signs among its letters, where nothing else says that it is one.
 * - `value`: plain words too, but no path, address, name in code or switch.
 */
export type Form = "token" | "named" | "random" | "password" | "header" | "login" | "value";

export function isPlausible(text: string, form: Form | undefined): boolean {
  if (isPlaceholder(text)) return false;
  switch (form) {
    case "token":
      return isToken(text);
    case "named":
      return isToken(text) && !isAlphabet(text);
    case "random":
      return isToken(text) && !isAlphabet(text) && looksRandom(text);
    case "password":
      return looksReal(text);
    case "header":
      return looksReal(text) && estimateEntropy(text) >= LEAST_ENTROPY_OF_HEADER;
    case "login":
      return looksReal(text) && looksTyped(text);
    case "value":
      return looksMeant(text);
    default:
      return true;
  }
}

const LEAST_ENTROPY = 2.5;
const LEAST_ENTROPY_OF_DIGITS = 2;
const LEAST_ENTROPY_OF_HEADER = 3.2;

/** What documents and settings have instead of a secret: a variable, a blank, a placeholder. */
const PLACEHOLDER =
  /^[$<{%[*]|\[removed|^(your|my|the|some|example|sample|dummy|fake|test|change|insert|enter|replace|put)[-_]?(me|this|here|\w*[-_]?(pass|pwd|key|secret|token))|^(user(name)?|pass(word|wd|phrase)?|pwd|secret|token|(api|access)?[-_]?key|changeme|redacted|hidden|masked|placeholder|required|optional|string|text|number|boolean|null|none|nil|undefined|true|false|empty|env|example|foobar|todo|tbd|unset|disabled|enabled)[.!?]?$/i;

/** What documents put into a secret to make it none; a file of secrets may have it beside them. */
const MADE_UP = /example|placeholder|changeme|redacted|your[-_]|[-_]here\b|insert[-_]|replace[-_]/i;

const LONGEST_MADE_UP = 200;

/** What is left out of a key that is shown; a long key may have such a run by chance, and is one all the same. */
const BLANK = /\.{3,}|…|\*{3,}|x{4,}/gi;
const LEAST_BESIDE_BLANKS = 24;
/** People append runs to their passwords: `admin123456`. */
const LEAST_OF_PASSWORD = 8;
/** Of shorter names chance makes some look random. */
const LONG = 16;

function isPlaceholder(text: string): boolean {
  const shown = text.replace(BLANK, "");
  const isBlanked = shown.length < text.length && shown.length < LEAST_BESIDE_BLANKS;
  return (
    isBlanked ||
    PLACEHOLDER.test(text) ||
    (text.length < LONGEST_MADE_UP && MADE_UP.test(text)) ||
    new Set(text).size < 3
  );
}

/** A shorter run of the alphabet may be chance. */
const LONGEST_RUN = 6;

const isToken = (text: string): boolean =>
  estimateEntropy(text) >= (/^\d+$/.test(text) ? LEAST_ENTROPY_OF_DIGITS : LEAST_ENTROPY);

/** Made of runs such as `1234567890` and `abcdef`, as in documents. */
function isAlphabet(text: string, least = LEAST_BESIDE_BLANKS): boolean {
  let inRuns = 0;
  for (let start = 0; start < text.length; ) {
    let end = start + 1;
    while (end < text.length && isNext(text.charCodeAt(end - 1), text.charCodeAt(end))) end++;
    if (end - start >= LONGEST_RUN) inRuns += end - start;
    start = end;
  }
  return inRuns > (least === LEAST_OF_PASSWORD ? 12 : 0) && text.length - inRuns < least;
}

/** `b` behind `a`, `0` behind `9`, or the same again. */
const isNext = (one: number, other: number): boolean =>
  other === one + 1 || other === one || (one === 57 && other === 48);

const UUID = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/i;
/** Part of neighbours of which one is a digit or a capital behind a small letter: some .4 in random text, .15 in names. */
const LEAST_CHANGES = 0.2;
/** In a short text chance makes them fewer. */
const LEAST_CHANGES_OF_SHORT = 0.15;
const SHORT = 30;

function looksRandom(text: string): boolean {
  if (UUID.test(text) || PATH.test(text) || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  return hasChanges(text);
}

/** A variable's name or a chain of them; long ones and such with many digits are no names that people give. */
const NAME_IN_CODE =
  /^[A-Za-z_$]{1,30}\d{0,2}[A-Za-z_$]{0,30}([.:]+[A-Za-z_$]{1,30}\d{0,3}[A-Za-z_$]{0,30})*\.?$/;
const PATH = /^(\.{0,2}|~|[A-Za-z]:)[/\\]|^https?:|^([a-z][a-z0-9_.-]*\/)+[a-z0-9_.-]*$|\.[a-z]{1,5}$/;
/** What a password has and a word has not. */
const DIGIT_OR_SIGN = /[\d!@#$%^&*+=~?|]/;

function looksReal(text: string): boolean {
  const bare = text.replace(/^\*{1,2}|[.:!?*]+$/g, "");
  if (!/\p{L}/u.test(bare) || isPath(bare) || isInCode(bare) || isAlphabet(bare, LEAST_OF_PASSWORD))
    return false;
  if (/^[A-Za-z]{20,}$/.test(bare)) return estimateEntropy(bare) >= 4;
  return DIGIT_OR_SIGN.test(bare) && !isName(bare) && !/^[A-Za-z]?\d+[A-Za-z]{0,2}$/.test(bare);
}

/** `hunter2` has the form of a name, so only those of several words are believed to be one, and `userId12` is none. */
function isName(text: string): boolean {
  if (!NAME_IN_CODE.test(text)) return false;
  if (/[._$:]/.test(text) || !/\d/.test(text)) return true;
  const plain = text.replace(NUMBERED, "$1");
  return /[a-z][A-Z]/.test(plain) && !/\d\d$/.test(plain) && hasWords(plain);
}

/** Words of names have four letters or so, capitals and digits in random text follow each other sooner. */
function hasWords(text: string): boolean {
  const words = text.match(/[A-Z]+[a-z]*|[a-z]+|\d+/g)?.length ?? 1;
  return text.length < 10 || text.length / words >= (text.length < LONG ? 2 : 3.2);
}

/** `token?.kind`, `encode(`, `Uint8Array`, `0x040029F0`, a comment, `?Name` */
const CODE =
  /^\??[A-Za-z_$][\w$]{0,40}(\??\.[A-Za-z_$][\w$]{0,40}){1,5}$|^[\w$.]{1,60}\(|^[A-Z][a-z]+[A-Z][a-z]+$|^0x[\da-f]{1,12}$|\/\*|^\?[A-Za-z]+$/;
/** Their numbers are no sign of chance. */
const NUMBERED = /(uint|int|float|base|utf|sha|md|aes|rsa|hmac)\d{1,4}/gi;

function isInCode(text: string): boolean {
  const plain = text.replace(NUMBERED, "$1");
  return CODE.test(plain) && plain.split(/\??\./).every((name) => name.length < LONG || !looksRandom(name));
}

/** Key material in base64 may begin with a slash or have some in it; the names in a path are not random. */
function isPath(text: string): boolean {
  return PATH.test(text) && !(text.length >= LEAST_BESIDE_BLANKS && !/[.~]/.test(text) && looksMixed(text));
}

const looksMixed = (text: string): boolean => /\d/.test(text) && /[A-Z]/.test(text) && hasChanges(text);

function hasChanges(text: string): boolean {
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return changes >= (text.length < SHORT ? LEAST_CHANGES_OF_SHORT : LEAST_CHANGES) * (text.length - 1);
}

/** Names of algorithms and formats, dates and addresses, that stand behind "password" or "login" in a sentence. */
const TERM =
  /^(sha|md|argon|bcrypt|scrypt|pbkdf|aes|rsa|base|utf|oauth|http|ipv|rfc|tls|php|python|node|web|win|auth|oidc|saml|o)[-_]?\d{1,4}([-_]?[a-z]{1,12})?$|@[\w-]+\.|^\d+[-:/.]\d/i;

function looksTyped(text: string): boolean {
  const bare = text.replace(/[.:!?]+$/, "");
  const signs = /[!@#$%^&*+=~?|]/.test(bare);
  const isMixed = /\d/.test(bare) && /[A-Za-z]/.test(bare) && (/[A-Z]/.test(bare) || /\d.*\d/.test(bare));
  return !TERM.test(bare) && !UUID.test(bare) && (isMixed || (signs && /\d/.test(bare)));
}

const SWITCH =
  /^(true|false|yes|no|on|off|read|write|none|all|admin|auto|default|read-?\w{1,10}|write-?\w{1,10})[.!?]?$/i;
const VARIABLE =
  /^(process|os|env|environ|import|config|settings|self|this|ctx|props|args|options|req|secrets|vars|system|environment)\b[.:]/i;
const SMALL_NUMBER = /^-?\d{1,5}[a-z%]{0,2}$/i;

const looksMeant = (text: string): boolean =>
  !SWITCH.test(text) &&
  !VARIABLE.test(text) &&
  !SMALL_NUMBER.test(text) &&
  !isPath(text) &&
  !/^0x[\da-f]{1,12}$/i.test(text);

/** Shannon's entropy in bits a character. */
function estimateEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}
