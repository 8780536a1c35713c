/** English forms of rules, preferences and corrections, plainest first. */
import { LOOK, ONCE, OPENING, re } from "./english-words.js";
import type { Form } from "./form.js";

export const englishRules: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern:
      /\b(from now on|going forward|from here on|henceforth|in (the )?future,|as a general rule,|for all future)\b/,
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern:
      /\b(don'?t|do not|never|dont) (ever )?\w+.*\b(ever again|ever|again)\b[.!]*$|\b(don'?t|do not|dont|must not) ever \w/,
    but: /\b(seen|saw|happen(ed|s)?|had|work(ed|s)?|i (don'?t|do not|never)|(them|it|that|this|these|those) again)\b/,
    isPlain: true,
  },
  {
    name: "alwaysNeverDo",
    type: "directive",
    pattern: re(
      String.raw`${OPENING}(?:you (?:must|should) |we |(?:make|be) sure (?:to |you )|remember to |agents? (?:must |should )?)?(?:always|never) (?:ever )?(?:push|commit|merge|force|deploy|delete|drop|use|run|ask|write|add|install|mock|log|edit|touch|change|modify|rename|reformat|import|hard-?code|store|answer|reply|respond|explain|test|check|update|document|create|read|rebase|squash|amend|skip|disable|ignore|assume|guess|invent|bump|upgrade|release|publish|share|expose|follow|prefer|call|name|propose|suggest|generate|format|lint|review|confirm|back up|keep|put|leave|start|begin|work|speak|talk)\b`,
    ),
    but: re(`${LOOK.source}|\\b(here|there|this|that|these|those|it|them)\\b`),
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern: re(
      String.raw`${OPENING}(?:you (?:must|should) |we |(?:make|be) sure (?:to |you )|remember to |agents? (?:must |should )?)?(?:always|never) (?!(?:mind|seen|saw|had|been|was|were|is|are|works?|fails?|gets?|got|the|a|an|in|on|finish|happens?|shows?)\b)[a-z]`,
    ),
    but: re(`${ONCE.source}|\\b(it|he|she|they|which|that) (always|never)\\b`),
  },
  {
    name: "noMatter",
    type: "directive",
    pattern:
      /\b(under no circumstances|no matter what|whatever you do|on no account|non-negotiable|off[- ]limits|strictly (forbidden|prohibited)|is mandatory)\b/,
    isPlain: true,
  },
  {
    name: "rememberThat",
    type: "knowledge",
    pattern: re(
      String.raw`${OPENING}(?:please )?(?:remember|don'?t forget|for the record|for future reference)(?: that\b|[:,]) ?\S`,
    ),
    but: /\?|\b(yesterday|last time|bug|error|it'?s back|lunch)\b/,
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: re(
      String.raw`${OPENING}(?:please )?(?:remember|keep in mind|bear in mind|note|be aware|don'?t forget|for the record|for (?:your|future) reference|fyi|important)(?: that\b|[:,]| (?:this|the|we|our|i|all|every|there|it)\b) ?\S`,
    ),
    but: /\b(you can|yesterday|last time|bug|error|this is how|is (still|not|broken)|draft|lunch|second|third|longer|crash\w*|screenshot|image)\b/,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: re(
      String.raw`^(?:no|nope|nah|wrong|actually|not quite|correction)[,.!:;]+ (?:it|that|this|the|we|our|they|its)\b[^?]{2,80}(?:,| and| \u2014) not \S`,
    ),
    but: /\b(now|yet|working|just|only|sure|what i|button|(this|that|the (first|second|last|other)) one)\b/,
    isPlain: true,
  },
  {
    name: "must",
    type: "directive",
    pattern:
      /\b(must|may|shall|can) (not|never|always) (be )?\w|^(?:\W*|and |also |so )(all|every|each|any|no|everything|nothing|everyone|nobody|no one)\b[^,;.]{2,50}\b(must|have to|has to|needs? to|should) \w|\bmust (be|stay|remain|come|use|have|go|hide|keep)\b/,
    but: re(
      `${LOOK.source}|${ONCE.source}|\\b(whether|stuck|has to (much|many|few|little))\\b|\\b(it|this|that|you|i|this error|something|there) must\\b|\\bcan (not|never) (see|find|log|open|get|run|click|be (opened|found))|\\b(fixed|finished|validate|wrong)\\b`,
    ),
  },
  {
    name: "askFirst",
    type: "directive",
    pattern:
      /\bask (me|first|us)\b.*\b(if|when|before|whenever|first|instead)\b|\b(if|when(ever)?|before)\b.*\b(not sure|unsure|in doubt|unclear|you)\b.*\bask( me| us)?\b|\bwithout (asking|my|telling)\b/,
    but: /\b(feel free|asks? for|asked)\b|\?/,
  },
  {
    name: "dont",
    type: "directive",
    pattern: re(
      String.raw`${OPENING}(?:do not|don'?t|dont|avoid|never|no need to|refrain from) (?:ever )?(?:use|using|add|adding|write|commit|push|import|mock|log|hard-?code|create|put|rely|edit|editing|modify|touch|reformat|rename|delete|install|run|start|come up with|invent|guess|assume|duplicate|break|introduce|change)\b.*\b(?:anything|any|new|all|every|other|without|files? (?:in|under)|anywhere|dependenc\w+|comments?|code|solutions|yourself|name|names|structure|scheme|schema|api|folder|directory|main|production|by hand|manually|directly)\b`,
    ),
    but: ONCE,
  },
  {
    name: "useExisting",
    type: "directive",
    pattern: re(
      String.raw`${OPENING}(?:i want you to |you (?:should|must) |we )?(?:re-?use|use|rely on|follow|stick to) (?:the |only |our |as much |already )+(?:same |existing |already |methods?|functions?|helpers?|conventions?|interfaces?|style|styles|components?|approach|patterns?|standard)\b.*\b(?:in|from|for|where|provided|when|whenever|as|used|of|wherever)\b`,
    ),
    but: re(`${ONCE.source}|\\b(as (a )?(background|reference)|screenshot|picture|list view)\\b`),
  },
  {
    name: "eachTime",
    type: "directive",
    pattern: re(
      String.raw`${OPENING}(?:after|before|for|on|with|in|at|whenever|when you|every time you|each time you) (?:each|every|any|all|you|new)\b.*\b(?:i need|we need|i want|run|add|update|write|create|use|document|ask|check|test|make|put|commit|build)\b|\b(?:after|before|with|for) (?:each|every) (?:change|commit|phase|feature|step|release|edit|task|migration|session|push|deploy\w*|fix)\b`,
    ),
    but: re(
      `${LOOK.source}|${ONCE.source}|\\b(it|the app|the page) (adds|creates|shows|asks|fails|crash\\w*)\\b|\\bwhen you (click|press|open|hover|load|try|select)|\\?`,
    ),
  },
  {
    name: "wantAll",
    type: "directive",
    pattern:
      /\bi (want|need|expect) (all|every|each|everything|any)\b[^,;]{0,60}\b(in|with|through|before)\b/,
    but: re(`${LOOK.source}|${ONCE.source}|\\?`),
  },
  {
    name: "asPossible",
    type: "directive",
    pattern:
      /\bas (few|little|simple|small|short|low|readable|close|much|many) .{0,30}\bas (possible|feasible)\b|\bwherever (possible|you can|feasible)\b|\bwhere(ver)? (possible|feasible)\b/,
    but: re(`${LOOK.source}|\\b(soon|fast) as possible\\b`),
  },
  {
    name: "noThing",
    type: "preference",
    pattern: re(
      String.raw`${OPENING}(?:please )?(?:no|zero) (?:more )?(?:emoji\w*|comments?|popups?|gradients?|inline|placeholders?|mock\w*|frameworks?|dependencies|external|default exports?|abbreviations|jargon|small talk|summar\w+|explanations?)\b`,
    ),
    but: ONCE,
  },
  {
    name: "prefer",
    type: "preference",
    pattern:
      /\bi (really |generally |usually |always |much |strongly )*(prefer|hate|dislike|love using|like using)\b (?!(it|that|this|these|those|the (first|second|last|other|new|old)|how|if|what|to (see|have|stay))\b)\S|\bi (really )?(don'?t|do not) (like|want)(?: the| any| having| to see)? (?!(it|that|this|to|you|how|the (button|way|idea))\b)\S|\bi('d| would) rather (have|not|use|keep|we|you)\b/,
    but: /\?|\b(now|instead|anymore|still|here|looks?|if we|if you)\b/,
  },
  {
    name: "likeThings",
    type: "preference",
    pattern:
      /\b(keep|make|write) (your |the |all )?(answers|responses|explanations|replies|commit messages|commits|comments|code)\b.{0,20}\b(short|brief|concise|simple|small|clean|under|in)\b|\bexplain (things|it|everything|this)?.{0,12}\b(like i'm|as if i|for a beginner|step by step|in simple)\b|\b(answer|respond|reply|write|talk|speak)( to me)? (always )?in (english|german|french|spanish|italian|portuguese|chinese|japanese|russian|polish|dutch|korean)\b/,
    but: ONCE,
  },
  {
    name: "youDid",
    type: "feedback",
    pattern:
      /\byou (keep|constantly|always|still keep|never) \w+ing\b|\byou (never|always) (check|run|update|test|ask|read|forget|change|add|do|make|say)\b|\byou (didn'?t|did not|forgot to|never) (run|update|commit|document|test|check|read|follow|add)(ing)? (the |my |any |our |to )?(tests?|docs?|documentation|changelog\S*|readme\S*|commit|branch|instructions?|rules?|guidelines?|plan|types?|linter|review\w*)\b|\byou (write|add|do|make|use|change|ask|say|explain) (way |far )?(too|so) (much|many|long)\b|\byou('re| are) (over-?(engineering|complicating)|too (verbose|wordy|chatty|eager))\b/,
    but: /\?|\bcan you|\bdid you\b/,
  },
  {
    name: "told",
    type: "feedback",
    pattern:
      /\bi('ve| have)? (already |just |clearly |explicitly )?(told you|asked you (not to|to (always|never|not)|before|already|many times|twice|three times))\b|\b(we|i)('ve| have)? (already )?(established|been over|told you|discussed|talked about|said) (this|that|it)?.{0,14}\b(over and over|before|many times|already|several times|multiple times|again and again)\b|\bas i (already )?(said|told you|mentioned)\b|\bi (never|didn'?t) (asked?|told?|said) (you )?(for|to|about)\b|\bi (was|am) only (talking|telling)\b|\bhow many times\b/,
    but: /\?\s*$/,
  },
  {
    name: "stopIt",
    type: "feedback",
    pattern: re(
      String.raw`${OPENING}(?:stop|quit) (?:adding|removing|changing|saying|asking|apologi[sz]ing|creating|making|writing|using|guessing|assuming|touching|deleting|explaining|repeating|committing|telling|ignoring|breaking|skipping|inventing|praising|summari[sz]ing|renaming|reformatting|putting|being|pushing|hard-?coding)\b|\bdon'?t (?:apologi[sz]e|say you|tell me (?:it|you)|thank me|summari[sz]e|guess|assume|make (?:things|stuff) up|invent|hallucinate|overcomplicate|over-?engineer)\b|\bonly (?:change|do|edit) what i (?:ask|tell|say|said)`,
    ),
    but: re(`${ONCE.source}|${LOOK.source}|\\bheight|\\bspace`),
  },
];
