/** English forms of decisions, facts and plans. */
import { LOOK, ONCE, OPENING, re } from "./english-words.js";
import type { Form } from "./form.js";

export const englishFacts: readonly Form[] = [
  {
    name: "decided",
    type: "decision",
    pattern:
      /\b(we|i)('ve| have|'re| are)? (just |now |finally |all )?(decided|chose|agreed|settled|opted) (to|on|for|that|not|against)\b|\bwe('ve| have)? (just |now |finally |all )?(chose|chosen|picked|went with|gone with|adopted) (?!(it|that|this|the (first|second|other|wrong))\b)\S|\b(decision|our plan|the plan) (is|was|:)\b|\bour plan:/,
    but: /\?|\b(you (decided|chose)|if we|still)\b/,
  },
  {
    name: "goWith",
    type: "decision",
    pattern: re(
      String.raw`${OPENING}(?:let'?s|we'?ll|we will|we(?:'re| are)(?: going to| gonna)?|i'?ll|i will|i(?:'m| am)(?: going to| gonna)?|i want to|i(?:'d| would) like to|we want to|i decided to) (?:just |only |now |definitely |not )*(?:go(?:ing)? with|stick(?:ing)? (?:with|to)|use|using|drop|dropping|switch(?:ing)? to|mov(?:e|ing) (?:to|away)|migrat\w+|stay(?:ing)? (?:with|on)|support|adopt|avoid) (?!(?:it|that|this|those|these|the (?:first|second|third|last|other|new|same)|option|number|\d|your|both|them|a|an)\b)\S`,
    ),
    but: /\?|\b(following|function|idea|saving|approach|step|branch|suggest\w*|for now|again|first|finish|tests?)\b/,
  },
  {
    name: "becauseWe",
    type: "decision",
    pattern:
      /^(and |also |but |so |ok,? )*we( only| always| still| now)? (keep|kept|pin|use|store|avoid|run|stay|stick|limit|cap|cache|split|deploy|ship|write|build|don'?t (use|store|allow|ship|support)|need|have) .*\b(because|since|so that|as (it|the|they|our))\b/,
    but: /\?|\b(error|problem|bug|to fix|to (add|create|make|change|find|check))\b/,
  },
  {
    name: "insteadOf",
    type: "decision",
    pattern:
      /\b(use|using|want|need|have|do|keep|go with|be)\b.{2,60}(\b(rather than|instead of)\b|, (and )?not )(?!(the (last|first|other)|just|only|sure|yet|working|now|what)\b)\S|\bi want to use \S+( \S+){0,2} instead\b/,
    but: re(
      `${LOOK.source}|${ONCE.source}|\\?|\\b(red|green|blue|grey|gray|yellow|white|black|why|error|alert|got|returns?|shows?|anymore|still|so (we|i|it) (can|could|would))\\b`,
    ),
  },
  {
    name: "noLonger",
    type: "decision",
    pattern:
      /\b(we|i) (don'?t|do not|won'?t|will not|never|are not going to|no longer) (support|use|offer|target|ship|store|allow)\b (?!(it|that|this|to|you|the|now)\b)\S|\bno \w+( \w+)? (in the first version|for the mvp|in v1|at all)\b/,
    but: /\?|\b(now|yet|anymore|any more|understand|this)\b/,
  },
  {
    name: "default",
    type: "decision",
    pattern: /^(and |also |so )*(the )?default\b[^,;]{0,40}\b(should be|must be|will be|to be|is \S+[.!]*$)/,
    but: /\?|\b(why|wrong|still|but|error|\w*warning|release|deprecated)\b/,
  },
  {
    name: "keepAs",
    type: "decision",
    pattern: re(
      String.raw`${OPENING}(?:i want to |we |let'?s |we should )?keep .{2,40}\b(?:as an?|in an?|external|separate\w*|in sync|backwards?|independent|outside)\b`,
    ),
    but: re(`${LOOK.source}|${ONCE.source}|\\?`),
  },
  {
    name: "iAm",
    type: "knowledge",
    pattern:
      /\bi('m| am) (on (windows|mac\w*|linux|ubuntu|wsl|arch|an? )|using (windows|mac\w*|linux|wsl|an? |vs ?code|intellij)|running (windows|mac\w*|linux|ubuntu)|(still )?(a |an |the only |not a |not an |new to |very new|no )\w)|\bi work (alone|as|with|for|at|on (windows|mac|linux))\b|\bmy (name|native language|team|company|boss|job|time ?zone|os|machine|laptop|computer|server|vps|domain|database|game|project|website|hosting|keyboard|editor) (is|are|has|have|runs|uses)\b/,
    but: /\?|^if\b|\b(expert here|sure|getting|seeing|trying|fan of (this|that)|bit|little|few|lot|error|not working|broken|slow|back|done|missing|wrong|empty)\b/,
  },
  {
    name: "iDontKnow",
    type: "knowledge",
    pattern:
      /\bi (really |actually )?(don'?t|do not|dont) (really |actually |even )?(know (how to (use|code|program)|much|git|github|docker|python|javascript|sql|react|\w+ (well|that well|very well))|have (any )?(experience|access|root|admin|a (server|mac|phone|device|domain|database)))|\bi('ve| have) never (used|worked|written|done|programmed|built)\b|\bi can'?t (code|program)\b/,
    but: /\?/,
  },
  {
    name: "iHave",
    type: "knowledge",
    pattern:
      /\b(i|we) (already |only |currently |also )*(have|use|got|own|host|run|rent) (a |an |root |admin |ssh |only |full |no |our |my |the )*[\w-]*( [\w-]+){0,3} ?\b(access|server|vm|vps|domain|prototype|backend|database|db|account|subscription|license|licence|droplet|cluster|machine|laptop|gpu|users|customers|clients|employees|students|stores?|plan|key|repo|repositor\w+|ram|phone|tablets?|emulator|hosting|instance)\b/,
    but: /\?|\b(problem|issue|error|bug|should|want|need|add|create|show|two|tried)\b/,
  },
  {
    name: "weUse",
    type: "knowledge",
    pattern:
      /\b(we|our (team|company|app|api|backend|frontend|server|site|users|customers|clients|project|product|ci|pipeline|database|game))( also| only| currently| already| mostly| always| still)* (use|uses|run|runs|host|hosts|deploy|deploys|store|stores|work|works|are (mostly|all|on)|is (on|in|hosted|built|written|based|a|an|called|used)|have (about|around|no|only|several|\d)|has (about|around|no|only|several|\d)|don'?t have|doesn'?t have|can only|cannot)\b/,
    but: /\?|^(if|please|can|could)\b|\b(match|now|error|problem|issue|three|broken|should|still|again|tests?|done|working|slow|missing|wrong)\b/,
  },
  {
    name: "located",
    type: "knowledge",
    pattern:
      /\b(is|are|lives?|lie|lies|located|stored|found|sits?|goes|saved|at|in|under|docs?|documentation|code|data|repo|repository|files?)\b ?(in|at|under|here|on)?:? ?((?<![\w/])(?:[a-z]:\\|~\/|\/(?:home|root|var|srv|opt|etc|usr|mnt|users)\/|\\\\)\S+|https?:\/\/\S+)/,
    but: /\?|\b(error|fail\w*|failed|getting|cannot|can'?t|could not|at \S+:\d+|post|get|put|check|visit|learn|more|look at|open|see|read|run|warning|not found|loading|shows?|returns?|running|added)\b|>\s*$|^\s*\[|^(documentation|support|management|homepage|website|license|more info\w*|details|bugs?|issues?) ?:/,
  },
  {
    name: "isIn",
    type: "knowledge",
    pattern:
      /^(and |also |btw,? |fyi,? |so )*(the |our |my |all )?[\w ]{2,40}\b (is|are|lives?|lie|goes?|go|belongs?) (all )?(done |defined |stored |kept |located |generated |created )?(in|under|at) [\w-]*([_/\\]|\.\w{1,4}\b)[\w/\\.-]*/,
    but: /\?|\b(error|problem|issue|bug|wrong|missing|still|now|line|column|not|unused|broken|should)\b/,
  },
  {
    name: "cannot",
    type: "knowledge",
    pattern:
      /\b(doesn'?t|does not|don'?t|do not) (support|allow|ignore|have (a|an|any) (native|built-?in|api|access)|work (with|on|under|in) (windows|mac\w*|linux|ios|android|safari|firefox|chrome|node|python|version))\b|\bthere('s| is| are) no (native|built-?in|official|public|api|internet|\w+ (functionality|support|api|table|access|environment|server) )|\bonly (works?|runs?|supports?|available) (with|on|in|under|from|for)\b|\b(is|are) (rate[- ])?limited to\b/,
    but: /\?|^(the )?(page|button|app|it|this|that|you|i)\b|\b(anymore|any more|still|now|error|i (don'?t|do not)|button|if|show|user|login|clicking|your account)\b/,
  },
  {
    name: "sourceOfTruth",
    type: "knowledge",
    pattern:
      /\b(is|are) (the|a|our|also a|only a) (single )?(source of truth|generated|cache|copy|mirror|legacy)\b|\b(is|are) (auto-?)?generated\b/,
    but: /\?|\b(error|wrong|not|when|every time|it|that (is|are))\b/,
  },
  {
    name: "fact",
    type: "knowledge",
    pattern:
      /^(and |also |btw,? |fyi,? |so )*(the |our |my )?((max(imum)?|min(imum)?|total|api|base|app|game|project|customer|user|site|page)\b ?)*(port|app ?id|org ?id|url|endpoint|domain|version|deadline|limit|language|timezone|currency|branch|repo|number of \w+|username|account|audience|target|server|host|hoster|provider|database|backend|frontend|framework|stack|license)( \w+){0,5} (is|are|will be|runs on) (?!(not|wrong|missing|still|too|also|always|now|empty|broken|the same|down|slow|gone|at|a (bit|problem))\b)\S/,
    but: /\?|\b(wrong|error|missing|still|now|should|in the (header|cookie)|cut|expired|invalid|undefined|null|loading)\b/,
  },
  {
    name: "domain",
    type: "knowledge",
    pattern:
      /^(and |also |but |so |in this \w+,? )*(no |a |an |only |each |every |all |the |our |most |some |up to \d+ |one )?(?:[\w-]+ )?(players?|users?|customers?|clients?|teachers?|students?|members?|teams?|clubs?|admins?|employees?|patients?|orders?|seats?|tickets?|products?|events?|matches|leagues?|seasons?|companies|tournaments?|courses?|owners?|items|parcels?|invoices?|shops?|stores?|accounts?|points|games?|main users?|groups?|categories)\b( of \w+( \w+)?| on \w+)? ((is|are)(?! \w+ing\b)|has|have|can|may|might|will|play|plays|gets?|belongs?|choose|runs?|needs?|consists?|counts?|costs?|lasts?|enters?|only|never|always|must|does|do)\b/,
    but: /\?|^(that|this|local|if|when)\b|\b(seem|seems|scheduled|closed|should|able to|wrong|error|missing|still|now|anymore|not (shown|showing|visible|working|loading)|shown|displayed|broken|empty|button|click|page|screen|list|table|loading|show|display|cut off|too|bigger|smaller|twice|redirect|if the|when)\b/,
  },
  {
    name: "means",
    type: "knowledge",
    pattern:
      /\b(means|stands for|is short for|is defined as|is identified by|identif(y|ies) (the|a) (?!issue|problem|bug|error|cause|reason)|refers to|is (called|named|known as)|is the same as|is counted as|is based on)\b/,
    but: /\?|\b(that means|which means|this means|it means|by that|error|what|function|variable|method|file|wrong|problem|so)\b/,
  },
  {
    name: "counts",
    type: "knowledge",
    pattern:
      /\b(there (will|are|is)|we (have|expect)|i (don'?t )?expect)\b.{0,30}\b(never|only|about|around|at most|up to|no more th[ae]n|more than|less than|very few|a few|roughly)\b.{0,20}\d|\bno more th[ae]n (one|two|\d+)\b.{0,30}\b(per|a|each|on)\b/,
    but: /\?|\b(errors?|tests?|lines?|left|pixels?|px|problems?|still|now)\b/,
  },
  {
    name: "weShould",
    type: "directive",
    pattern:
      /\bwe (should|must|have to|need to) (always|never|only|be (able|doing|using|consistent)|not|keep|support|avoid|stick|follow)\b/,
    but: re(`${LOOK.source}|\\?|\\b(now|first|maybe|today|probably|then|go back|if|think)\\b`),
  },
  {
    name: "pushFor",
    type: "decision",
    pattern:
      /\bi (would |will |'d )?(also |really )?(highly |strongly )?(push for|insist on|aim for|value|care about)\b|\bi (plan|intend) to (have|use|host|keep|support|build|deploy|run)\b/,
    but: /\?/,
  },
  {
    name: "willBe",
    type: "knowledge",
    pattern:
      /\bwill (most )?(probably |always |never |only |also )*be (necessary|required|needed|used (by|for|in|on)|hosted|public|private|deployed|free|open source|mostly|available (in|on|for|to))\b|\busers? .{0,30}\bwill (most )?(probably |mostly |mainly )*be\b/,
    but: re(`${LOOK.source}|\\?|\\b(error|removed|deprecated)\\b`),
  },
  {
    name: "isProject",
    type: "knowledge",
    pattern:
      /^(so |also |and |but |remember,? |note:? )*(this|it|the (project|app|game|site|website|tool|repo))( project| app| site| game| repo)? ?(is|'s|will be) (a|an|my|our|only a|just a)\b[^?]*\b(games?|app|application|site|website|project|library|tool|plugin|platform|landing page|system|mod|bot|hackathon|prototype|portfolio|shop|store|extension|api|cli|package)\b/,
    but: /\?|\b(test|screenshot|bug|error|draft|problem|good|great|nice|mess|wrong|issue|difference|list)\b/,
  },
  {
    name: "building",
    type: "knowledge",
    pattern:
      /\b(we're|we are|i'm|i am) (building|developing|working on) (a|an|my|our) (?!(list|new (feature|page|branch)|fix|bug|test|function|script|pr)\b)\w/,
    but: /\?|\b(error|issue|problem|bug|branch|now|fix|right now|currently getting)\b/,
  },
  {
    name: "goal",
    type: "knowledge",
    pattern:
      /^(so |and |but )*(the|our|my) (main |whole |primary |ultimate |end |overall )?(goal|purpose|aim|vision|target audience|audience) (of [^,]{2,40} |here |for [^,]{2,30} )?(is|will be|are) \S/,
    but: /\?|\b(wrong|this (function|test|file|step|task)|next)\b/,
  },
  {
    name: "builtWith",
    type: "knowledge",
    pattern:
      /\b(app|application|project|backend|frontend|site|website|system|game|api|server|ui|bot|service)( \w+)? (is|was) (built|written|implemented|developed|made|coded|hosted|deployed) (with|in|on|using|via|at)\b/,
    but: /\?|\b(wrong|error|not|slow|should)\b/,
  },
  {
    name: "fileFact",
    type: "knowledge",
    pattern:
      /\b[\w-]+\.\w{2,5} (is the (wrong|right|correct|only|old|new|main)|doesn'?t have|does not have|has (no|all|every\w*|the)|contains|holds|overrides|overrules)\b/,
    but: /\?|\b(error|line \d|again now|still)\b/,
  },
  {
    name: "phase",
    type: "plan",
    pattern:
      /\bphase (\d|two|one|three)\b.{0,20}\b(is|will|comes?|should|we)\b|\b(in|for) (the )?(second|next|later|first) (phase|version|release|milestone)\b|\bfirst (we |i )?(finish|do|build|want)\b.*\b(then|later|after that|comes?)\b.*\b(phase|version|release|later)\b/,
    but: /\?|\b(done|finished|continue|proceed|now)\b/,
  },
  {
    name: "toDo",
    type: "procedure",
    pattern:
      /^(btw,? |fyi,? |note:? )*to (deploy|release|build|start|test|seed|migrate|publish|update|log ?in|connect|run)\b[^?]{0,40},? (we |you |i )?(run|use|call|push|tag|start|type|execute|do)\b|\bwe (release|deploy|publish|ship) (by|with|via|through|from|using)\b|^(command|deploy|build|start|test)( command)?: ?\S/,
    but: /\?|\b(error|failed|you should always)\b/,
  },
  {
    name: "moved",
    type: "event",
    pattern:
      /\b(we|i) (have |just |already )*(moved|migrated|switched|ported) (the |our |my |to |everything |it )?[^?]{0,40}\b(to|from|into|last|away)\b/,
    but: /\?|\b(button|column|file|line|tab|page|branch|window)\b/,
  },
];
