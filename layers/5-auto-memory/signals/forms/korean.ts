/** Korean, in plain forms only. */
import type { Form } from "./form.js";

export const korean: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern:
      /(?:앞으로는|앞으로|이제부터|지금부터|다음부터)[^?？]*(?:하세요|하지 ?마|해 ?줘|해주세요|써 ?줘|써주세요|사용해|작성해|말아|해라|할 것|주세요)/u,
    but: /[?？]|버튼|화면|보여|이 (?:파일|함수)|할까/u,
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern:
      /(?:절대(?:로)?|다시는|두 번 다시)[^?？]*(?:마|말아|말 것|마세요|금지|(?:하면|되면) 안 (?:됩니다|돼))/u,
    but: /[?？]|안 (?:나와|되네|보여)/u,
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern:
      /(?:항상|언제나|반드시)[^?？]*(?:하세요|해 ?줘|해주세요|써 ?줘|사용해|작성해|해라|할 것)[.!。]*$/u,
    but: /[?？]|버튼|화면|보이|표시|뜨게|나오게|이번/u,
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: /(?:기억해|명심해|잊지 ?마)(?: ?줘| ?둬|세요)?\s*[:：]/u,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: /^아니[요오]?[,.] .{2,40}(?:아니라|말고) .{1,40}/u,
    but: /[?？]|버튼|보여|해 ?줘/u,
    isPlain: true,
  },
];
