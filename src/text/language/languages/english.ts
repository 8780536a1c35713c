import type { Language } from "../language.js";

export const english: Language = {
  name: "English",
  isIn: /[a-z]/i,
  introducesOthers:
    /\b(output|log(s|file)?|says?|said|docs?|documentation|readme|error|message|trace|from|wrote|writes|e-?mail|slack|ticket|issue|comment|review(er)?|got (this|back)|this is what|pasted?|clipboard|response|answer|article|page|snippet|result|report|prints?|printed|returns?|returned|quote|code|file|diff|told (me|us)|tweet|post|transcript|contents?|following|found|saw|stumbled|copied|read|spec|customer|requirements?|description|prompt|instructions?|translate|summari[sz]e|rephrase|proofread)\b[^.!?]*:\s*$/i,
  presentsOthers:
    /^((ok|so|and|hey|look|hi),? )*((here|this|below|attached) (is|are)|here'?s|this'?s|i (just )?(found|got|copied|received|pasted)|(see|read|look at|check)( out)?) (this|that|the|an?|what|my|our|his|her|their|some) ([\w'-]+ ){0,3}?(page|log|output|article|docs?|documentation|e-?mail|mail|message|content|text|snippet|error|trace|result|answer|post|comment|review|ticket|issue|thread|readme|spec|tweet|response|reply|transcript|they (said|wrote|sent)|he (said|wrote|sent)|she (said|wrote|sent)|it (says|said|prints|printed))s?\b[^.!?:]{0,60}$/i,
  quotesOthers:
    /\b(forwarded|copied|pasted|quoted|quoting|translated) (this )?from\b[^.!?:]{0,40}:\s|\b(writes|repl(ies|ied)|answer(s|ed)|responds|responded|comment(s|ed)|posts|posted|e-?mailed|messaged|notes|noted|pinged)( back| me| us)?( (in|on|to|under) \w+( \w+){0,3})?\s*:|\b(this|that|these|the following|his|her|their|\w+'s) (\w+ )?(comment|message|e-?mail|mail|review|ticket|post|note|tweet|text|sentence|quote|reply|answer|feedback|request|issue|description|paragraph|line|snippet|string|title|rule)s?\b[^.!?:]{0,50}:\s/i,
  introducesRules:
    /\b(rules?|conventions?|guidelines?|preferences?|principles|standards|(ground|house) rules|style|dos and don'?ts|remember|always|never|keep in mind|policy|policies|requirements for (all|every))\b[^.!?]*:\s*$/i,
  opening:
    /^(((that|this|it)('s| is) (wrong|not (right|correct|true))|please|pls|no(?=[,.!:;—–-]|\s+(?:the|it|that|we|this|our|you|i|they|there|its|actually|wrong)\b)|nope|nah|not quite|((small|quick|minor|tiny|slight|little|one|another|important) )?(correction|clarification|nitpick|nit|erratum)|i misspoke( (earlier|before|there))?|my (mistake|bad)|ok|okay|so|and|but|also|well|actually|wrong|again|btw|by the way|fwiw|fyi|heads[- ]?up|note|remember(?! to\b)|important|from now on|going forward|for the record|for the future|in general|generally|basically|personally|one (more )?thing( though)?|honestly|frankly|hold on|hang on|absolutely(?= no\b)|definitely(?= no\b)|seriously|ideally|strictly(?= no\b)|look|listen|tbh|imo|imho|afaik|fwiw|alright|hmm+ no|ugh|argh|dude|man|bro|ffs|and remember(?! to\b)|just to (be clear|correct you|correct that)|just so it'?s clear|for the next time|next time|quick note|last thing|another thing|(just )?so (that )?(you|u)( know|('re| are) aware)|to be clear|in case you wonder\w*|after the \w+|keep in mind|in this (project|repo|codebase|repository)|here|just|hey|hi|hm+|oh|ah|wait|yes|yeah|yep|sorry|thanks|great|good|nice|cool|fine|last (week|month|friday|monday|night)|yesterday|oh and)\b[,.:;!—–-]*\s*(that (?!'s|is\b|one\b))?)+(?=\S)/i,
  triggers: [
    { pattern: /\b(commit(s|ting|ted)?|commit messages?|squash\w*|amend\w*)\b/i, when: ["git commit"] },
    { pattern: /\b(push(es|ing|ed)?|force[- ]push\w*)\b/i, when: ["git push"] },
    { pattern: /\b(merge[sd]?|merging)\b/i, when: ["git merge"] },
    { pattern: /\b(rebas(e|es|ed|ing))\b/i, when: ["git rebase"] },
    { pattern: /\b(pull requests?|prs?)\b/i, when: ["gh pr"] },
    { pattern: /\b(deploy(s|ed|ing|ment|ments)?|go live)\b/i, when: ["deploy"] },
    { pattern: /\b(releas(e|es|ed|ing)|publish\w*|ship(ping)?)\b/i, when: ["release", "publish"] },
    { pattern: /\b(migrations?|schema)\b/i, when: ["migrat*", "schema"] },
    { pattern: /\b(tests?|testing|specs?|mocks?)\b/i, when: ["test"] },
    { pattern: /\b(dependenc(y|ies)|packages?|librar(y|ies))\b/i, when: ["install", "package.json"] },
    { pattern: /\b(lint(er|ing)?)\b/i, when: ["*lint"] },
    { pattern: /\b(docker|containers?|images?)\b/i, when: ["docker"] },
    { pattern: /\b(sql|queries|database|db)\b/i, when: ["sql"] },
  ],
  sessionRules: [
    {
      kind: "correction",
      pattern: /^(no|nope|nah|wait)\s*([,.!:;–—-]|$)|^(stop|undo|revert)\b|\b(wrong|incorrect|actually)\b/i,
      alsoInQuestions: false,
    },
    {
      kind: "correction",
      pattern:
        /\b(that'?s not|not what i|i (said|meant|told you)|you (forgot|misunderstood|broke)|shouldn'?t have|instead)\b/i,
      alsoInQuestions: false,
    },
    {
      kind: "rule",
      pattern:
        /\b(never|always|must|mustn'?t|don'?t|do not|no longer|make sure|ensure|remember|from now on|keep in mind|under no circumstances|avoid)\b/i,
      alsoInQuestions: true,
    },
    {
      kind: "rule",
      pattern:
        /\b(only|prefer|should|shouldn'?t|because|rather than|has to|have to|required|forbidden|not allowed)\b|\buse\s+\S+(\s+\S+){0,3}?,?\s+not\b|^no\s+\w/i,
      alsoInQuestions: false,
    },
  ],
  reasons: /\b(because|so that|decided|decision|chose|the reason|root cause|turns out)\b/i,
};
