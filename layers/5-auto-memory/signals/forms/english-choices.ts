/** English forms of choices of technology, of names, places and limits. */
import { LOOK, ONCE, OPENING, re } from "./english-words.js";
import type { Form } from "./form.js";
import { TECHNOLOGY } from "./technologies.js";

/** What a project as a whole is made of. */
const PART =
  "(?:app|application|project|repo|codebase|backend|back-end|back end|frontend|front-end|front end|server|client|api|ui|site|website|game|bot|database|db|mobile app|web app|service|services|plugin|mod|extension|cli|library|pipeline|ci|deployment|auth|authentication|login|storage|hosting|state|styling|styles|tests?|charts?|payments?|stack|tech stack)";
const TROUBLE =
  /\?|\b(errors?|fail\w*|broken|wrong|bug|issue|problem|not work\w*|warning|instead of working|still|why|trying|tried|stuck|crash\w*|can'?t|install (it|this)|command|example|tutorial|like in|skill)\b/;

export const englishChoices: readonly Form[] = [
  {
    name: "usesTech",
    type: "knowledge",
    pattern: re(
      String.raw`\b(?:we|i|the ${PART}|this ${PART}|our ${PART}|my ${PART}|it)(?:'re|'m| are| am| is|'s)?(?: currently| already| mostly| only| also| now| all| always| built| based| written| hosted| deployed| running| made| implemented| coded| developed)* (?:use|uses|using|on|in|with|run|runs|runs on|have|has)(?: an?| the| plain| vanilla)? ${TECHNOLOGY}`,
    ),
    but: TROUBLE,
  },
  {
    name: "partIs",
    type: "decision",
    pattern: re(
      String.raw`^[*#>\s-]*(?:the |our |my )?${PART}(?: framework| layer| library| language| tool)? ?(?::|is|are|will be|should be|must be|=|uses?|with|in)\W{0,3} ?(?:an? |the |plain |vanilla )?${TECHNOLOGY}`,
    ),
    but: TROUBLE,
  },
  {
    name: "techFor",
    type: "decision",
    pattern: re(
      String.raw`(?:${OPENING}|\b(?:want to|should|must|will|need to|let'?s|going to|gonna|prefer to|would like to|please|and) )(?:use|using|go with|stick (?:with|to)|build .{2,30} (?:with|in|using)|written in|switch(?:ing)? to|migrat(?:e|ing) to|deploy(?:ed)? (?:to|on|with)|host(?:ed)? (?:on|with)) (?:an? |the |plain |vanilla |only |just )?${TECHNOLOGY}`,
    ),
    but: re(String.raw`${TROUBLE.source}|\bhow\b|\bmcp\b|${ONCE.source}`),
  },
  {
    name: "notTech",
    type: "decision",
    pattern: re(
      String.raw`\b(?:no|without|not|don'?t (?:use|want|need)|do not (?:use|want|need)|avoid|drop|get rid of|instead of|rather than|over) (?:any |an? |the |using )?${TECHNOLOGY}`,
    ),
    but: re(`${TROUBLE.source}|${ONCE.source}|\\b(not (in|on)|whether|or not)\\b`),
  },
  {
    name: "called",
    type: "decision",
    pattern: re(
      String.raw`\b(?:the |our |my |this )(?:new )?(?:app|project|game|product|site|website|company|brand|tool|library|package|plugin|mod|repo|bot|business|startup|platform|service|event|tournament|team)(?:'s name)? (?:is|will be|should be|must be|is going to be)(?: called| named)? ["“'\uE000-\uEFFF]?\w+["”']?[.!]?$|\b(?:is|will be|should be) (?:called|named) \S+`,
    ),
    but: /\?|\b(error|function|method|variable|file|wrong|not|when|done|ready|working|broken|finished|good|down|live|up|empty|missing|slow|fine|ok|okay|the same|running|complete|deployed)\b/,
  },
  {
    name: "storedIn",
    type: "decision",
    pattern:
      /\b(data|files?|images?|photos?|passwords?|users?|settings?|config\w*|secrets?|tokens?|keys?|sessions?|results?|logs?|messages?|records?|entries|uploads|documents?|state|translations|assets|backups?)\b.{0,20}\b(should|must|will|shall|are|is|need to|have to)( only| always| all)?( be)? (stored|saved|kept|persisted|written|encrypted|backed up)\b/,
    but: /\?|\b(not (being )?(saved|stored|kept)|still|why|error|doesn'?t|isn'?t|aren'?t|now|when i|wrong)\b/,
  },
  {
    name: "notAllowed",
    type: "directive",
    pattern:
      /\b(is|are) (not allowed|never allowed|forbidden|prohibited|off limits|not permitted|not acceptable|banned|mandatory|required for (all|every|each))\b|\bno .{2,40} (allowed|permitted)\b/,
    but: re(`${LOOK.source}|\\?|\\b(error|request|response|method|access|403|401|says|message|field)\\b`),
  },
  {
    name: "shouldAlways",
    type: "directive",
    pattern:
      /\b(should|must|need to|needs to|has to|have to|shall|ought to) (also )?(always|never|only ever|at all times|in all cases|under all|everywhere|by default)\b|\b(should|must) (be|stay|remain) .{2,40}\b(at all times|everywhere|throughout|across (all|the (whole|entire))|in (all|every) )/,
    but: re(`${LOOK.source}|\\?|^(and |but |so )*(it|this|that|they)\\b|\\b(works?|worked|happens?)\\b`),
  },
  {
    name: "unlessAsked",
    type: "directive",
    pattern:
      /\b(unless|until|only (when|if|after)|before) (i|we)('ve| have)? (explicitly |specifically )?(ask|asked|tell|told|say|said|request\w*|approve\w*|confirm\w*|agree\w*|mention\w*|give)\b|\bwithout (my|our) (approval|permission|consent|ok|okay|explicit|confirmation|go-?ahead)\b/,
    but: /\?/,
  },
  {
    name: "followGuide",
    type: "directive",
    pattern: re(
      String.raw`${OPENING}(?:you (?:must|should) |always |make sure (?:to |you )|we )?(?:follow|stick to|adhere to|respect|obey|comply with|keep to|conform to)\b.{2,50}\b(?:conventions?|guidelines?|guide|style|standards?|patterns?|architecture|principles?|rules?|structure|design system|best practices)\b`,
    ),
    but: re(`${ONCE.source}|\\?|\\b(below|following|above|attached)\\b`),
  },
  {
    name: "writeAs",
    type: "preference",
    pattern:
      /\b(use|write|in|prefer|keep)\b.{0,30}\b((british|american|us|uk) english|metric|camel ?case|snake ?case|kebab[- ]?case|pascal ?case|single quotes|double quotes|tabs|(two|four|2|4) spaces|semicolons|(dark|light) mode by default|24[- ]?hour|iso (dates?|8601)|conventional commits|present tense|imperative mood|type hints|docstrings|arrow functions|named exports|async\/await|functional components|plain (css|js|javascript|html)|vanilla)\b/,
    but: re(`${ONCE.source}|\\?|\\b(error|current|shows?|see)\\b`),
  },
  {
    name: "hereWe",
    type: "directive",
    pattern:
      /\b(in|for|on|across|throughout) (this|our|the (whole|entire|rest of the)) (project|repo\w*|codebase|team|company|app|code)\b.{0,20}\b(we|you|i|all|every|never|always|no|use|do not|don'?t|should|must)\b|\b(our|the|my) (convention|policy|rule|rules|standard|guideline|practice|principle|workflow) (is|are|:)/,
    but: re(`\\?|${ONCE.source}|\\b(error|wrong|search|find|look|read|analy[sz]e|check|review)\\b`),
  },
  {
    name: "thereIs",
    type: "knowledge",
    pattern:
      /^(and |also |but |btw,? |fyi,? |so |note,? )*there('s| is| are) (already |also )?(a|an|one|two|three|some|another) (\w+ ){0,2}(file|folder|directory|script|repo\w*|server|database|table|endpoint|service|branch|environment|account|admin|user|role|api|doc|document|spec)s? (in|on|at|under|called|named|for|that|with|which)\b/,
    but: /\?|\b(error|issue|problem|bug|missing|wrong|now|typo|seems?|should|button|page)\b/,
  },
  {
    name: "partFact",
    type: "knowledge",
    pattern: re(
      String.raw`^(?:and |also |but |btw,? |fyi,? |so |note,? |because )*(?:the|our|my|this) (?:\w+ )?${PART} (?:only |always |never |already |also |currently )?(?:needs?|requires?|expects?|depends? on|supports?|targets?|consumes?|exposes?|listens? on|talks? to|serves?|deploys? to|must|cannot|can only|has to)\b`,
    ),
    but: re(`${TROUBLE.source}|${LOOK.source}|\\b(needs? (to be )?(fix\\w*|improve\\w*|work|changed?|updated?|a|an|more|some|better|help))\\b`),
  },
  {
    name: "located2",
    type: "knowledge",
    pattern:
      /\b(is|are|lives?|lies?|located|found|defined|implemented|stored|sits?|goes?|belongs?|should be|must be|can be found|put|kept)( \w+)? (in|at|under|inside|here:|here) ["'`\uE000-\uEFFF@]*([\w.-]+[/\\][\w./\\-]+|[\w-]+\.(ts|tsx|js|jsx|py|md|json|html|css|php|java|go|rs|ya?ml|toml|cs|xml|csv|sh|ps1|kt|txt|sql|dart|env))\b/,
    but: /\?|\b(error|fail\w*|line \d|still|not (found|there|in|being)|missing|wrong|getting|exception|warning|should i|unused|duplicate\w*|changes?|changed)\b/,
  },
  {
    name: "costs",
    type: "knowledge",
    pattern:
      /([$€£]\s?\d+([.,]\d+)?|\b\d+([.,]\d+)? ?(usd|eur|dollars?|euros?|€))\s?(\/|per|a|each) ?(month|year|user|seat|hour|day|week|item|person|mo)\b|\b(free (tier|plan|users)|paid (plan|users)|premium (plan|users|members)|subscription) .{0,30}\b(is|are|has|have|can|gets?|costs?|includes?|limited)\b/,
    but: /\?|\b(error|still|wrong|how much)\b/,
  },
  {
    name: "whoAre",
    type: "knowledge",
    pattern:
      /\b(our|my|the) (main |target |primary |typical |end )?(users?|customers?|clients?|audience|players?|team|company|boss|manager|colleagues?|readers?|visitors?) (are|is|will|have|has|don'?t|do not|only|mostly|mainly|usually|can(not|'t)?|speak|live|use|need|expect|work)\b/,
    but: re(`\\?|${LOOK.source}|\\b(error|still|logged|clicks?|now|should|redirect\\w*|if|when)\\b`),
  },
];
