import type { Language } from "../language.js";

export const chinese: Language = {
  name: "Chinese",
  isIn: /\p{Script=Han}/u,
  introducesOthers:
    /(输出|日志|报错|错误|文档|说|写道|写着|如下|内容|邮件|消息|回复|结果|页面|代码|返回|提示|评论|原文|翻译|总结|客户|需求)[^。!！?？]*[:：]\s*$/,
  presentsOthers:
    /^(这(是|里是)|下面是|以下是|我(找到|看到|收到|复制)了?)[^。!！?？:：]{0,30}(页面|日志|输出|文章|文档|邮件|消息|内容|报错|结果|评论|回复|帖子|原文)$/,
  quotesOthers:
    /(这(条|个|段|封|句)|他的|她的|客户的|下面的)(评论|消息|邮件|回复|意见|需求|描述|文字|话|留言)[^。!！?？:：]{0,15}[:：]|(他们?|她们?|客户|同事|老板)(说|写道|写|回复|留言)[:：]/,
  introducesRules: /(规则|规范|约定|规矩|要求|偏好|原则|注意事项|记住|准则|习惯)[^。!！?？]*[:：]\s*$/,
  opening:
    /^(((不对|错了|不是|不)(?=[,，。:：!！、\s])|请|记住|注意|以后|今后|从现在起|从现在开始|另外|还有|其实|顺便说一下|备注|好的|麻烦)[,，。:：!！、\s]*)+/,
  triggers: [
    { pattern: /提交/, when: ["git commit"] },
    { pattern: /推送|推到|强推|push/, when: ["git push"] },
    { pattern: /合并/, when: ["git merge"] },
    { pattern: /变基|rebase/, when: ["git rebase"] },
    { pattern: /部署|上线/, when: ["deploy"] },
    { pattern: /发布|发版/, when: ["release", "publish"] },
    { pattern: /迁移|表结构/, when: ["migrat*", "schema"] },
    { pattern: /测试|单测/, when: ["test"] },
    { pattern: /依赖|第三方(库|包)/, when: ["install", "package.json"] },
    { pattern: /数据库|查询/, when: ["sql"] },
    { pattern: /容器|镜像/, when: ["docker"] },
  ],
  sessionRules: [
    {
      kind: "correction",
      pattern: /不对|错了|不是这样|改用|改成|换成|而不是|其实|别这样|停下|我说的是|你忘了|撤销|回滚/,
      alsoInQuestions: false,
    },
    {
      kind: "rule",
      pattern: /不要|不能|不许|不得|禁止|必须|务必|总是|一直|永远|记住|记得|请勿|切勿|以后都/,
      alsoInQuestions: true,
    },
    {
      kind: "rule",
      pattern: /应该|应当|只能|只用|只要|优先|尽量|最好|因为|确保|保证|不再|避免/,
      alsoInQuestions: false,
    },
  ],
  reasons: /因为|决定|所以选择|原因是|根本原因/,
};
