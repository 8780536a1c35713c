/** English forms of choices of technology, of names, places and limits. */
import { LOOK, ONCE, OPENING, re } from "./english-words.js";
import type { Form } from "./form.js";
import { TECHNOLOGY } from "./technologies.js";

/** What a project as a whole is made of. */
const PART =
  "(?:app|application|project|repo|codebase|backend|back-end|back end|frontend|front-end|front end|server|client|api|ui|site|website|game|bot|database|db|mobile app|web app|service|services|plugin|mod|extension|cli|library|pipeline|ci|deployment|auth|authentication|login|storage|hosting|state|styling|styles|tests?|charts?|payments?|stack|tech stack)";
const TROUBLE =
  /\?|\b(errors?|\w*warning|fail\w*|broken|wrong|bug|issue|problem|not work\w*|warning|instead of working|still|why|trying|tried|stuck|crash\w*|can'?t|install (it|this)|command|example|tutorial|like in|skill)\b/;

export const englishChoices: readonly Form[] = [
  {
    name: "usesTech",
    type: "knowledge",
    pattern: re(
      String.raw`\b(?:we|i|the ${PART}|this ${PART}|our ${PART}|my ${PART}|it)(?:'re|'m| are| am| is|'s)?(?: currently| already| mostly| only| also| now| all| always| built| based| written| hosted| deployed| running| made| implemented| coded| developed)* (?:use|uses|using|on|in|with|run|runs)(?: an?| the| plain| vanilla)? ${TECHNOLOGY}`,
    ),
    but: TROUBLE,
  },
  {
    name: "partIs",
    type: "decision",
    pattern: re(
      String.raw`${OPENING}(?:the |our |my )?${PART}(?: framework| layer| library| language| tool)? ?(?::|is|are|will be|should be|must be|=|uses?|with|in)\W{0,3} ?(?:an? |the |plain |vanilla )?${TECHNOLOGY}`,
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
      String.raw`\b(?:no|without|not|don'?t (?:use|want|need)|do not (?:use|want|need)|avoid|drop|get rid of|instead of|rather than|over) (?:an? |any |the |using )?${TECHNOLOGY}`,
    ),
    but: re(`${TROUBLE.source}|${ONCE.source}|\\b(not (in|on)|whether|or not|could|might)\\b`),
  },
  {
    name: "called",
    type: "decision",
    pattern:
      /\b(is|will be|should be|must be|is going to be) (called|named) \S|\b(call|name) (the|our|my|this) (app|project|game|product|site|website|company|brand|tool|library|package|plugin|mod|bot|startup|platform|service) \S/,
    but: /\?|\b(error|function|method|variable|file|wrong|not|when|class|component|column|row|it|this)\b/,
  },
  {
    name: "keySafe",
    type: "directive",
    pattern:
      /\b(secrets?|passwords?|api keys?|keys|credentials|tokens|\.env|private data|personal data)\b.{0,40}\b(not|never|don'?t|without)\b.{0,12}\b(push\w*|commit\w*|log\w*|expos\w*|shar\w*|publish\w*|leav\w*|leak\w*|hard-?cod\w*|upload\w*|in (git|code|the repo))|\b(don'?t|do not|never|avoid|not) (ever )?(push|commit|log|expose|share|publish|leak|hard-?code|upload|print)\w* .{0,30}\b(secrets?|passwords?|api keys?|credentials|tokens|\.env|private|personal data)\b/,
    but: /\?|\b(error|blocked|rejected|warning)\b/,
  },
  {
    name: "doneBy",
    type: "knowledge",
    pattern:
      /\b(is|are) (always |only |usually )?(sold|billed|charged|priced|paid|invoiced|counted|ranked|calculated|computed|measured|identified|determined|assigned|numbered|scored|weighted|versioned|licensed|synced|backed up) (by|per|based on|in|using|from|as|every|once|monthly|weekly|daily)\b/,
    but: re(`${LOOK.source}|\\?|\\b(error|wrong|now|still|function|method|variable|this|it|should)\\b`),
  },
  {
    name: "configLine",
    type: "knowledge",
    pattern:
      /^[\w.-]*(url|host|endpoint|port|app_?id|org_?id|project_?id|region|bucket|domain|base)[\w.-]* ?[=:] ?["']?[\w:/.@-]{1,120}["']?[,;]?$/,
    but: /\b(error|undefined|null|localhost:\d+\/\S*\?)\b/,
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
    but: re(
      `${LOOK.source}|${ONCE.source}|\\?|^(and |but |so )*(it|this|that|they)\\b|\\b(works?|worked|happens?)\\b`,
    ),
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
      /\b(use|write|in|prefer|keep)\b.{0,30}\b((british|american|us|uk) english|metric|camel ?case|snake ?case|kebab[- ]?case|pascal ?case|single quotes|double quotes|tabs|(two|four|2|4) spaces|semicolons|(dark|light) mode by default|24[- ]?hour|iso (dates?|8601)|conventional commits|present tense|imperative mood|type hints|docstrings|arrow functions|named exports|async\/await|functional components|plain (css|js|javascript|html)|vanilla (js|css|javascript))\b/,
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
    but: re(
      `${TROUBLE.source}|${LOOK.source}|\\b(needs? (to be )?(fix\\w*|improve\\w*|work|changed?|updated?|a|an|more|some|better|help))\\b`,
    ),
  },
  {
    name: "liesIn",
    type: "knowledge",
    pattern:
      /\b(is|are|lives?|lies?|exists?|located|found|defined|implemented|stored|sits?|goes?|belongs?|should be|must be|can be found|put|kept)( \w+)? (in|at|under|inside|here:|here) ["'`\uE000-\uEFFF@]*([\w.-]+[/\\][\w./\\-]+|[\w-]+\.(ts|tsx|js|jsx|py|md|json|html|css|php|java|go|rs|ya?ml|toml|cs|xml|csv|sh|ps1|kt|txt|sql|dart|env))\b/,
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
      /\bmain users? (of|will|are|is)\b|\b(our|my|the) (main |target |primary |typical |end )?(users?|customers?|clients?|audience|players?|team|company|boss|manager|colleagues?|readers?|visitors?) (are|is|will|have|has|don'?t|do not|only|mostly|mainly|usually|can(not|'t)?|speak|live|use|need|expect|work)\b/,
    but: re(`\\?|${LOOK.source}|\\b(error|still|logged|clicks?|now|should|redirect\\w*|if|when)\\b`),
  },
  {
    name: "usingTech",
    type: "knowledge",
    pattern: re(
      `^(?:btw,? |fyi,? |also,? |and |so |ok,? |yes,? |no,? |well,? |note,? |but )*(?:i'?m |i am |we'?re |we are )?(?:currently |just |already |only |actually |all )*(?:using|on|running|deploying (?:to|on|with)|hosting (?:on|with)|coding in|writing in) ${TECHNOLOGY}`,
    ),
    but: TROUBLE,
  },
  {
    name: "installed",
    type: "knowledge",
    pattern: re(
      String.raw`\b(?:i have |i'?ve |the )?(?:${TECHNOLOGY}|[\w-]+ (?:sdk|cli|toolkit|runtime|emulator|drivers?)|sdk|jdk|emulator)(?: \d[\d.]*)? (?:is|are)(?: already| also| only)? (?:installed|available|set up|configured|running) ?(?:$|[.,;!]|in|on|at|with|under|locally|globally)`,
    ),
    but: TROUBLE,
  },
  {
    name: "critical",
    type: "directive",
    pattern:
      /\b(it('s| is)|its) (absolutely |very |really )?(critical|crucial|essential|important|vital|imperative|mandatory)( to me| for (me|us))?( that|:| to)? \w|\b(i|we) (absolutely |really )?(insist|demand|expect) (on|that|you)\b/,
    but: re(
      `${LOOK.source}|${ONCE.source}|\\?|\\b(understand|know|fix|see|find|check) (this|what|why|how)\\b`,
    ),
  },
  {
    name: "whenever",
    type: "directive",
    pattern:
      /\b(i|we) (want|need|expect|'d like|would like) .{3,70}\b(whenever|every time|each time|after (each|every|any)|before (each|every|any)|on (each|every))\b/,
    but: re(`${LOOK.source}|${ONCE.source}|\\?|\\b(user|player|customer|visitor|click\\w*|press\\w*)\\b`),
  },
  {
    name: "insteadDo",
    type: "decision",
    pattern:
      /\binstead of [^,]{2,40},? (let'?s |please |we('ll| will| should)? |i want (to |you to )?)?(use|go with|do|have|keep|call)\b|\b(use|go with|take|have) (?!(it|that|this|those|these|them|the (first|second|other|same|old|new|one))\b)\S.{1,40} instead\b/,
    but: re(`${ONCE.source}|\\?|\\b(error|why|it (shows|uses|returns)|button|column|row|colou?r)\\b`),
  },
  {
    name: "putThere",
    type: "knowledge",
    pattern:
      /\bi('ve| have)? (just |also |already )*(added|exported|put|placed|saved|downloaded|copied|cloned|uploaded|stored|kept|dumped|extracted) .{2,80}\b(to|in|into|at|under|here)\b.{0,25}([a-z]:\\|~\/|\/\w+\/|\b[\w-]+[/\\][\w/\\.-]+|\b(folder|directory|workspace|repo)\b)/,
    but: /\?|\b(error|still|but it|doesn'?t|didn'?t|not work\w*|line of code|print|console|log)\b/,
  },
  {
    name: "hasAccess",
    type: "knowledge",
    pattern:
      /\byou (now |also |already )?(have|'ve got|got) (full |read |write |ssh |root |admin )*access to\b/,
    but: /\?|\b(should|when|if)\b/,
  },
  {
    name: "isLimited",
    type: "knowledge",
    pattern:
      /\b(is|are|'s) (very |really |quite |pretty |extremely |so )*(limited|picky|finicky|strict|rate[- ]limited|single[- ]threaded|read[- ]only|deprecated|case[- ]sensitive|offline|air[- ]gapped) (in|to|with|about|for|on|when|by|and|so)\b/,
    but: re(`\\?|${LOOK.source}|\\b(now|still|too|error|warning|it|that) (is|are)\\b`),
  },
  {
    name: "sameWay",
    type: "directive",
    pattern:
      /\bthe (exact )?same (exact )?(way|behaviou?r|logic|result|rules?) (as )?(the|our|in|that) \w+( \w+)? (does|do|is|has|uses|works|renders)\b|\bexactly (what|like|as) (the|our) \w+( \w+)? (does|do|did)\b/,
    but: re(`\\?|${ONCE.source}|\\b(not|isn'?t|doesn'?t|still)\\b`),
  },
];
